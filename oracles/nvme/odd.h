/* SPDX-License-Identifier: Apache-2.0
 * odd.h - faults and conforming variants of an NVMe engine: where they act. The files of the
 * protocol call these functions where `engine->odd` is not NULL, through the macros below; each
 * lists the faults and variants that act there. To add one: a row in fault_list_nvme.h or
 * twin_list_nvme.h, and a line in the function of its place. */
#ifndef FAL_ORACLES_NVME_ODD_H
#define FAL_ORACLES_NVME_ODD_H

#include "oracles/endpoint/faults/fault_act.h"
#include "oracles/nvme/device.h"
#include "oracles/nvme/initiator.h"
#include "oracles/nvme/protect.h"
#include "oracles/nvme/target.h"

/* A request that waits for those before it. */
struct fal_nv_held {
    struct fal_nv_held *next;
    struct fal_endpoint_out out;
    uint8_t bytes[];
};

struct fal_nv_odd {
    struct fal_faulty faulty;
    struct fal_twin_set twins;
    bool failed; /* a transaction has ended in error: `when=resync` */
    bool lost;   /* nothing of the write at a device is kept */
    bool has_row, has_write;
    uint32_t row_nsid;
    struct fal_nv_row row;          /* the first row that namespace row_nsid used */
    struct fal_nv_place last_write; /* of a device */
    struct fal_nv_held *held;
};

/* The faults and variants of the configuration, if there are any of this layer. False when out
 * of memory. */
bool fal_nv_odd_start(struct fal_nvme_engine *engine);
void fal_nv_odd_free(struct fal_nv_odd *odd);

/* Whether a fault acts now; whether a variant is on. */
bool fal_nv_fault(const struct fal_nvme_engine *engine, enum fal_fault_id id);
bool fal_nv_twin(const struct fal_nvme_engine *engine, enum fal_twin_id id);

#define fal_nv_seam(engine, call) ((engine)->odd == NULL ? (void)0 : (call))
/* A value, unless a fault or variant has another. */
#define fal_nv_either(engine, value, other) ((engine)->odd == NULL ? (value) : (other))

/* ---- set-up (odd.c) ---- */

/* Whether a connection is refused for its order, for its MTU. */
bool fal_nv_at_ordered(const struct fal_nvme_engine *engine, bool refused);
bool fal_nv_at_mtu(const struct fal_nvme_engine *engine, bool refused);
/* A transaction has ended. */
void fal_nv_at_ended(const struct fal_nvme_engine *engine, const struct fal_endpoint_out *out);
/* Whether a request waits for those before it. */
bool fal_nv_at_delivered(struct fal_nvme_engine *engine, const struct fal_nv_link *link,
                         const struct fal_endpoint_out *out);
/* A request was served: others may have waited for it. */
void fal_nv_at_served(struct fal_nvme_engine *engine, struct fal_nv_link *link);

/* ---- translation (odd_map.c) ---- */

/* Whether a length beyond MDTS is refused. */
bool fal_nv_at_mdts(const struct fal_nvme_engine *engine);
/* The namespace of a command that was posted. */
void fal_nv_at_post(const struct fal_nvme_engine *engine, struct fal_nv_ns *ns);
void fal_nv_at_split(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                     bool *split, uint64_t *boundary);
void fal_nv_at_index(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                     const struct fal_nv_part *part, uint64_t *index);
/* Whether a row without the valid bit ends the command. */
bool fal_nv_at_invalid(const struct fal_nvme_engine *engine);
void fal_nv_at_row(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                   struct fal_nv_part *part);
void fal_nv_at_target_lba(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                          struct fal_nv_part *part);

/* ---- requests (odd_request.c) ---- */

/* Which of the nCMDs `first` to `end` - 1 is sent in the place of `n`. */
uint64_t fal_nv_at_order(const struct fal_nvme_engine *engine, uint64_t first, uint64_t end,
                         uint64_t n);
/* The headers of a request. False: it is not sent. */
bool fal_nv_at_request(const struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                       struct fal_nvme *header);
/* A request was sent. */
void fal_nv_at_requested(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                         const struct fal_nv_packet *packet, const uint8_t *bytes,
                         uint32_t len);

/* ---- packets (odd_packet.c) ---- */

/* A packet that is about to be sent, encoded. */
void fal_nv_at_packet(const struct fal_nvme_engine *engine, struct fal_nv_packet *packet,
                      uint8_t *bytes, uint32_t *len);

/* ---- data of the host (odd_data.c) ---- */

void fal_nv_at_inner(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                     struct fal_dif *inner);
/* Returns whether an application tag of FFFF switches the check of a block that is written off.
 */
bool fal_nv_at_escape(const struct fal_nvme_engine *engine);
/* Bytes of the inner protection information that are encrypted; the number of the data unit. */
void fal_nv_at_unit(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                    uint32_t block, uint32_t *inner, uint64_t *unit);
void fal_nv_at_outer(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                     const struct fal_nv_part *part, uint32_t k, struct fal_dif *outer);
/* Whether a write whose data are invalid fails without a packet. */
bool fal_nv_at_given(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd);
/* The headers, the first block and the bytes of a Write Data Response. */
void fal_nv_at_give(const struct fal_nvme_engine *engine, struct fal_nvme *header);
void fal_nv_at_slice(const struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                     uint32_t *first);
uint32_t fal_nv_at_sliced(const struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                          uint8_t *out, uint32_t len);
/* Where the data of a read go. */
void fal_nv_at_place(const struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                     uint32_t *first);

/* ---- completions (odd_data.c) ---- */

/* The status of an nCMD, which its command gets. */
void fal_nv_at_status(const struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd,
                      uint32_t *status);
/* Whether the command is complete now. */
bool fal_nv_at_last(const struct fal_nvme_engine *engine, bool last);
/* Whether the completion is reported. */
bool fal_nv_at_cqe(struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                   const struct fal_nvme_word *cqe);
/* Whether a push is acknowledged when it arrives. */
bool fal_nv_at_ack(const struct fal_nvme_engine *engine, const struct fal_nvme *header);

/* ---- the target (odd_target.c) ---- */

/* A request has come. True: what follows is done. */
bool fal_nv_at_arrived(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd);
/* The Write Data Request of an nCMD; that was sent. */
void fal_nv_at_pull(const struct fal_nvme_engine *engine, struct fal_nvme *header,
                    uint32_t *asked);
void fal_nv_at_pulled(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                      const struct fal_nv_packet *packet, const uint8_t *bytes, uint32_t len);
/* Whether INV counts. */
bool fal_nv_at_inv(const struct fal_nvme_engine *engine);
/* Data of an nCMD are here. False: what follows is done. */
bool fal_nv_at_filled(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd, uint32_t index);
/* Which nCMD is answered in the place of that one. */
uint32_t fal_nv_at_answer_order(const struct fal_nvme_engine *engine,
                                const struct fal_nv_tcmd *tcmd, uint32_t index);
/* The headers and data of an answer; whether it is sent. */
void fal_nv_at_answer(const struct fal_nvme_engine *engine, struct fal_nvme *header);
void fal_nv_at_answer_data(const struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd,
                           uint32_t index, uint32_t *first);
void fal_nv_at_answer_layout(const struct fal_nvme_engine *engine,
                             const struct fal_nv_tcmd *tcmd, uint32_t blocks, uint8_t *data);
bool fal_nv_at_answers(struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd,
                       uint32_t index);
void fal_nv_at_answered(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                        const struct fal_nv_packet *packet, const uint8_t *bytes, uint32_t len);

/* ---- devices (odd_device.c) ---- */

/* Returns whether they check protection information. */
bool fal_nv_at_device_check(const struct fal_nvme_engine *engine);
void fal_nv_at_identify(const struct fal_nvme_engine *engine, struct fal_nvme_word *answer);
/* A command is about to be done at its device. */
void fal_nv_at_media(const struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd,
                     uint32_t status);
void fal_nv_at_read_place(const struct fal_nvme_engine *engine, struct fal_nv_place *place);
/* False: the block is not written. */
bool fal_nv_at_write_place(const struct fal_nvme_engine *engine, const struct fal_nv_tcmd *tcmd,
                           uint32_t k, struct fal_nv_place *place);

/* ---- helpers ---- */

/* Blocks with their metadata behind each (DIF), made of blocks and then metadata (DIX), and
 * back. */
void fal_nv_dif_of_dix(uint32_t blocks, uint32_t block_len, uint8_t *data);
void fal_nv_dix_of_dif(uint32_t blocks, uint32_t block_len, uint8_t *data);

#endif
