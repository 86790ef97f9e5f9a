/* SPDX-License-Identifier: Apache-2.0
 * odd.h - faults and conforming variants of a verbs engine: where they act. The files of the
 * protocol call these functions where `engine->odd` is not NULL, through the macros below; each
 * lists the faults and variants that act there. To add one: a row in fault_list_ulp.h or
 * twin_list_ulp.h, and a line in the function of its place. */
#ifndef FAL_ORACLES_ULP_ODD_H
#define FAL_ORACLES_ULP_ODD_H

#include "oracles/rng.h"
#include "oracles/ulp/link.h"
#include "oracles/ulp/memory.h"
#include "oracles/ulp/recv.h"
#include "oracles/ulp/segment.h"
#include "oracles/ulp/target.h"

/* What a fault does once more when the next request comes. */
struct fal_vb_again {
    bool due, add;
    struct fal_vb_touch touch; /* where: checked anew */
    uint64_t operand;
    uint32_t len;
    uint8_t bytes[FAL_VB_MTU_MAX];
};

enum { FAL_VB_SENT = 256 };

struct fal_vb_odd {
    struct fal_fault_set faults;
    struct fal_twin_set twins;
    struct fal_rng rng;
    struct fal_rng own_rng[FAL_FAULT_HOWS_MAX];
    uint64_t chances[FAL_FAULT_NVME_FIRST - FAL_FAULT_ULP_FIRST];
    uint64_t acts[FAL_FAULT_NVME_FIRST - FAL_FAULT_ULP_FIRST];
    bool failed; /* a transaction has ended in error: `when=resync` */
    uint32_t answers;
    bool keeps; /* a completion that is reported after the next one */
    struct fal_vb_event kept;
    uint64_t sent_ns[FAL_VB_SENT]; /* when transactions began, by tag */
    uint32_t first_sn;
    struct fal_vb_again again, now;
};

/* The faults and variants of the configuration, if there are any of this layer. False when out
 * of memory. */
bool fal_vb_odd_start(struct fal_verbs_engine *engine);

/* Whether a fault acts now. `link` (may be NULL) tells whether it is the time that its
 * parameters name; each yes is counted. */
bool fal_vb_fault(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                  enum fal_fault_id id);
bool fal_vb_twin(const struct fal_verbs_engine *engine, enum fal_twin_id id);

#define fal_vb_seam(engine, call) ((engine)->odd == NULL ? (void)0 : (call))
/* A value, unless a fault or variant has another. */
#define fal_vb_either(engine, value, other) ((engine)->odd == NULL ? (value) : (other))

/* ---- the initiator (odd_send.c) ---- */

/* The part that was cut. */
void fal_vb_at_cut(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                   struct fal_vb_segment *segment);
/* The headers, before they are encoded. */
void fal_vb_at_headers(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                       struct fal_vb_segment *segment);
/* Single fields of them, and where they are in the packet (odd_layout.c). */
void fal_vb_at_fields(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                      struct fal_vb_segment *segment);
void fal_vb_at_layout(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                      struct fal_vb_segment *segment);
/* The bytes, encoded. */
void fal_vb_at_bytes(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                     struct fal_vb_segment *segment);
/* The post to the endpoint. */
void fal_vb_at_post(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                    const struct fal_vb_segment *segment, struct fal_endpoint_in *in);
/* The counters, after a segment had its number. */
void fal_vb_at_number(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                      const struct fal_vb_segment *segment);
/* The sequence number of the next request; it counts as used. */
uint32_t fal_vb_at_sn(const struct fal_verbs_engine *engine, struct fal_vb_link *link,
                      struct fal_vb_qp *qp);
/* Which request sends next. */
struct fal_vb_send *fal_vb_at_next(const struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                                   struct fal_vb_send *wqe);
/* The connection of a datagram. */
uint32_t fal_vb_at_connection(const struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                              uint32_t conn);
/* Whether modes that do not go together are refused. */
bool fal_vb_at_mode(const struct fal_verbs_engine *engine);
/* Whether a queue pair is refused a connection that another one has. */
bool fal_vb_at_taken_link(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                          const struct fal_vb_qp *other);

/* Whether a length that the queue pair does not send is refused by a completion. */
bool fal_vb_at_long_taken(const struct fal_verbs_engine *engine);
/* Whether a message is too long for its queue pair. */
bool fal_vb_at_too_long(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                        enum fal_verbs_op op, bool too_long);
/* Whether there are credits for a segment. */
bool fal_vb_at_credits(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                       bool enough);

/* ---- completions (odd_end.c) ---- */

/* An event is the newest of those that nobody has taken yet. */
void fal_vb_at_event(struct fal_verbs_engine *engine);

/* The status of a request that has failed. */
unsigned fal_vb_at_failed(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                          unsigned status);
/* Whether a request completes with these transactions. */
bool fal_vb_at_segment_done(const struct fal_verbs_engine *engine,
                            const struct fal_vb_send *wqe, bool done);
/* Whether an answer of that pull is taken; good: it is for the pull's queue pair. */
bool fal_vb_at_answered_qp(const struct fal_verbs_engine *engine,
                           const struct fal_vb_open *open, bool good);
/* The status of a transaction. */
unsigned fal_vb_at_ended(const struct fal_verbs_engine *engine,
                         const struct fal_endpoint_out *out, unsigned status);
/* Whether a completion is reported; it may be changed. */
bool fal_vb_at_wc(struct fal_verbs_engine *engine, struct fal_vb_event *wc);
bool fal_vb_at_order(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                     bool ordered);
/* Whether an error ends the queue pair. */
bool fal_vb_at_fatal(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                     bool fatal);
/* Whether a queue pair in that state sends. */
bool fal_vb_at_sends(const struct fal_verbs_engine *engine, struct fal_vb_qp *qp, bool sends);
/* Where the answer of a read goes; false: the fault has placed it. */
bool fal_vb_at_place(const struct fal_verbs_engine *engine, struct fal_vb_send *wqe,
                     const struct fal_vb_open *open, const uint8_t *data);

/* ---- the target (odd_target.c) ---- */

/* Whether a sequence number that leaves others out is noticed. */
bool fal_vb_at_gap(const struct fal_verbs_engine *engine, const struct fal_vb_link *link);
/* A request is about to act, and has acted: then what a fault still had to do is done. */
void fal_vb_at_request(struct fal_verbs_engine *engine);
void fal_vb_at_request_done(struct fal_verbs_engine *engine);
/* Whether answers of pulls may be sent now. */
bool fal_vb_at_answer_time(const struct fal_verbs_engine *engine,
                           const struct fal_vb_link *link);
bool fal_vb_at_connection_check(const struct fal_verbs_engine *engine,
                                const struct fal_vb_request *request, bool good);
void fal_vb_at_cid_refused(struct fal_verbs_engine *engine,
                           const struct fal_vb_request *request);
/* The bytes that a request may touch. */
uint8_t *fal_vb_at_touch(const struct fal_verbs_engine *engine,
                         const struct fal_vb_touch *touch, uint8_t *bytes);
/* A write or an addition is done: it may be done once more. */
void fal_vb_at_written(struct fal_verbs_engine *engine, const struct fal_vb_touch *touch,
                       const uint8_t *bytes);
void fal_vb_at_added(struct fal_verbs_engine *engine, const struct fal_vb_touch *touch,
                     uint64_t operand);
/* A message has taken a receive request. */
void fal_vb_at_taken(struct fal_verbs_engine *engine, struct fal_vb_qp *qp);
/* Whether the message of a packet takes the next receive request, whatever its number. */
bool fal_vb_at_any_recv(const struct fal_verbs_engine *engine,
                        const struct fal_vb_request *request);
/* Whether a datagram of that Queue Key is taken; the room before its data. */
bool fal_vb_at_qkey(const struct fal_verbs_engine *engine, bool good);
uint32_t fal_vb_at_room(const struct fal_verbs_engine *engine, uint32_t room);
/* Whether a CmpSwap swaps; the value that an atomic operation returns. */
bool fal_vb_at_swap(const struct fal_verbs_engine *engine, bool equal);
uint64_t fal_vb_at_original(const struct fal_verbs_engine *engine, uint64_t original,
                            uint64_t new);
/* Whether a pull that fails is answered with headers. */
bool fal_vb_at_pull_headers(const struct fal_verbs_engine *engine);
/* Where in its message the data of a Send go. */
uint64_t fal_vb_at_offset(const struct fal_verbs_engine *engine, const struct fal_vb_recv *recv,
                          uint64_t offset);
/* Whether that part of a list is placed. */
bool fal_vb_at_scatter(const struct fal_verbs_engine *engine, const struct fal_vb_request *of,
                       struct fal_vb_list list, uint64_t offset);
/* An invalidation: whether it is done, and whether it is done already. */
bool fal_vb_at_invalidate(const struct fal_verbs_engine *engine);
bool fal_vb_at_invalidate_early(const struct fal_verbs_engine *engine);
/* The answer to a message without a receive request. False: a fault or variant has answered. */
bool fal_vb_at_not_ready(struct fal_verbs_engine *engine, const struct fal_vb_request *request);
/* The headers of an answer; the value that an atomic operation returns. */
void fal_vb_at_answer(const struct fal_verbs_engine *engine,
                      const struct fal_vb_request *request, struct fal_rdma *answer);
/* The bytes of an answer. */
void fal_vb_at_answer_bytes(const struct fal_verbs_engine *engine,
                            const struct fal_vb_request *request, uint8_t *bytes,
                            uint32_t *len);
/* Whether a request is served; a datagram is received. */
bool fal_vb_at_known(const struct fal_verbs_engine *engine,
                     const struct fal_vb_request *request, bool known);
bool fal_vb_at_datagram(const struct fal_verbs_engine *engine,
                        const struct fal_vb_request *request);
/* What an error is answered with. */
enum fal_answer fal_vb_at_refusal(const struct fal_verbs_engine *engine,
                                  enum fal_answer answer);

/* ---- messages that wait (held.c) ---- */

/* Whether requests of a queue pair wait. */
bool fal_vb_held(const struct fal_verbs_engine *engine, uint32_t qp);
void fal_vb_hold(struct fal_verbs_engine *engine, const struct fal_vb_request *request);
/* A receive request was posted: all that wait are tried again. */
void fal_vb_held_again(struct fal_verbs_engine *engine);
void fal_vb_held_free(struct fal_verbs_engine *engine);

#endif
