/* SPDX-License-Identifier: Apache-2.0
 * memory.h - memory regions: their keys, rights and bounds, and the only functions that touch
 * their bytes. */
#ifndef FAL_ORACLES_ULP_MEMORY_H
#define FAL_ORACLES_ULP_MEMORY_H

#include "oracles/ulp/state.h"

/* mr_reg, mr_dereg, mr_fill, mr_hash, mr_word. */
MUST_USE int fal_vb_mr_reg(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                           struct fal_verbs *answer, struct fal_error *err);
MUST_USE int fal_vb_mr_dereg(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                             struct fal_error *err);
MUST_USE int fal_vb_mr_fill(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                            struct fal_error *err);
MUST_USE int fal_vb_mr_hash(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                            struct fal_verbs *answer, struct fal_error *err);
MUST_USE int fal_vb_mr_word(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                            struct fal_verbs *answer, struct fal_error *err);

/* Ends a region, and its memory when no other shows it. */
void fal_vb_mr_end(struct fal_verbs_engine *engine, struct fal_vb_mr *mr);

/* The bytes of a region from `offset` on; NULL unless all `length` are inside, and the region
 * lives. */
uint8_t *fal_vb_bytes(const struct fal_vb_mr *mr, uint64_t offset, uint64_t length);

/* What a packet wants of memory. */
struct fal_vb_touch {
    uint32_t rkey, length, pd;
    uint64_t va;
    unsigned access; /* the right that it needs */
};
/* The bytes that a packet may touch; NULL if the key, the protection domain, the right or the
 * bounds forbid it (RDMA 8.3.1). */
uint8_t *fal_vb_remote(const struct fal_verbs_engine *engine, const struct fal_vb_touch *touch);
/* The same whatever faults there are. */
uint8_t *fal_vb_remote_plain(const struct fal_verbs_engine *engine,
                             const struct fal_vb_touch *touch);

/* The region whose rkey a peer of that queue pair may invalidate, or NULL (RDMA 8.3.8). */
struct fal_vb_mr *fal_vb_invalidable(const struct fal_verbs_engine *engine,
                                     const struct fal_vb_qp *qp, uint32_t rkey);

/* ---- scatter-gather lists ---- */

struct fal_vb_list {
    const struct fal_vb_sge *sge;
    size_t num;
};

/* Reads the list of a word into `out`, which has room for its entries. Handles of regions that
 * have ended are taken: using them is a local error, later. Returns 0 or FAL_ERR_RANGE. */
MUST_USE int fal_vb_list_read(const struct fal_verbs_engine *engine,
                              const struct fal_verbs *ask, uint32_t most,
                              struct fal_vb_sge *out, struct fal_error *err);

/* Copies bytes of the list from `offset` on to `out`; those that cannot be read become 0.
 * False if there are such: a region has ended, is too short, or of another protection domain.
 */
bool fal_vb_gather(const struct fal_verbs_engine *engine, struct fal_vb_list list, uint32_t pd,
                   uint64_t offset, uint8_t *out, uint32_t length);
/* Copies bytes into the list from `offset` on. False, and nothing is copied, unless all of the
 * bytes may be written. */
bool fal_vb_scatter(const struct fal_verbs_engine *engine, struct fal_vb_list list, uint32_t pd,
                    uint64_t offset, const uint8_t *bytes, uint32_t length);
/* The entry that has the byte at `offset`, and the place of the byte in it; NULL behind the
 * end. Empty entries are passed over. */
const struct fal_vb_sge *fal_vb_entry(struct fal_vb_list list, uint64_t offset, uint32_t *at);

/* 8 bytes of memory, little-endian. */
uint64_t fal_vb_word_read(const uint8_t *bytes);
void fal_vb_word_write(uint8_t *bytes, uint64_t value);

#endif
