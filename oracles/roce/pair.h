/* SPDX-License-Identifier: Apache-2.0
 * pair.h - two players of RoCEv2 and what is between them, in virtual time: real frames, a gate
 * that may act on each (the bridge), and a switch behind it with a queue that marks.
 *
 *   end 0 --- delay --- gate --- switch, delay --- end 1, and the same back */
#ifndef FAL_ORACLES_ROCE_PAIR_H
#define FAL_ORACLES_ROCE_PAIR_H

#include "codecs/frame/frame.h"
#include "oracles/roce/end.h"

enum { FAL_ROCE_FRAME_MAX = 4400 };

struct fal_roce_pair_setup {
    struct fal_roce_setup ends[2];
    uint64_t delay_ns;   /* from an end to the gate, and from there to the other end */
    uint64_t switch_bps; /* of the switch's ports; 0: there is no switch, and nothing queues */
    struct fal_dcqcn marks;      /* Kmin, Kmax and Pmax of the switch */
    struct fal_roce_odd network; /* faults of the switch */
    bool v6;
    uint64_t seed; /* of the marks */
};

struct fal_roce_pair;

/* What looks on. Frames belong to the pair; `from` is the end that sent it. */
struct fal_roce_watch {
    /* A frame reached the gate. The gate lets it pass with fal_roce_pair_forward, as it is or
     * otherwise, at once or later, or several times; or not. NULL: all pass. */
    void (*gate)(void *ctx, uint64_t now_ns, unsigned from, uint8_t *bytes, size_t len);
    /* A frame arrived at the other end; may be NULL. */
    void (*arrived)(void *ctx, uint64_t now_ns, unsigned from, const uint8_t *bytes,
                    size_t len);
    /* An event of an end; may be NULL. */
    void (*event)(void *ctx, unsigned end, const struct fal_roce_event *event);
    void *ctx;
    /* A frame at the port of an end: as it leaves (`sent`), or as it arrives; may be NULL. */
    void (*port)(void *ctx, uint64_t now_ns, unsigned end, bool sent, struct fal_span frame);
};

/* NULL when out of memory. The caller frees. */
struct fal_roce_pair *fal_roce_pair_new(const struct fal_roce_pair_setup *setup,
                                        const struct fal_roce_watch *watch);
void fal_roce_pair_free(struct fal_roce_pair *pair);

/* The ends, for posts. */
struct fal_roce_end *fal_roce_pair_end(struct fal_roce_pair *pair, unsigned end);
/* Joins two queue pairs, one of each end: each gets the other's number and PSN; the numbers in
 * `setup` are those of end 0's. Returns the index, the same at both ends, or an error. */
MUST_USE int fal_roce_pair_join(struct fal_roce_pair *pair,
                                const struct fal_roce_qp_setup *setup);

/* Sends a frame of end `from` on to the other end, from the gate on, at `at_ns`, not before
 * now. */
void fal_roce_pair_forward(struct fal_roce_pair *pair, uint64_t at_ns, unsigned from,
                           const uint8_t *bytes, size_t len);

/* Goes on until nothing happens any more up to `until_ns`, which is then the time; or until
 * *stop (may be NULL) is set. Returns 0, or FAL_ERR_MEM. */
MUST_USE int fal_roce_pair_run(struct fal_roce_pair *pair, uint64_t until_ns, const bool *stop);
uint64_t fal_roce_pair_now(const struct fal_roce_pair *pair);
/* When something happens next; UINT64_MAX: never. */
uint64_t fal_roce_pair_next_ns(const struct fal_roce_pair *pair);

#endif
