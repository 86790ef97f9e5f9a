/* SPDX-License-Identifier: Apache-2.0
 * dcqcn.h - the reaction point of DCQCN: the rate of one sender (a queue pair) by the
 * notifications that it gets, its own timers and the bytes that it sent. Sources: Zhu et al.,
 * SIGCOMM 2015 [P], and the parameters of a NIC [NV]; a fork between them is a parameter
 * (oracles/beyond/dcqcn.h).
 *
 * Alpha and the timers stand still until the first CNP: until then the rate is the line rate.
 * Rates are doubles, calculated with +, -, * and / only, so each machine gets the same ones. */
#ifndef FAL_ORACLES_CC_DCQCN_H
#define FAL_ORACLES_CC_DCQCN_H

#include "oracles/beyond/dcqcn.h"

/* Planted faults, as bits of `faults`. */
enum fal_dcqcn_fault {
    FAL_DCQCN_ALPHA_NEVER_DECAYS = 1 << 0,
    FAL_DCQCN_DECREASE_PER_CNP = 1 << 1, /* M is ignored */
    FAL_DCQCN_TARGET_LOST = 1 << 2,      /* a decrease sets the target to the line rate */
    FAL_DCQCN_HYPER_AT_ONCE = 1 << 3,    /* each increase is a hyper increase */
    FAL_DCQCN_G_ORIENTATION = 1 << 4,    /* g weighs the new value */
    FAL_DCQCN_BELOW_MIN = 1 << 5,        /* the least rate is ignored */
};

struct fal_dcqcn_rp {
    struct fal_dcqcn params;
    uint32_t faults;
    double rate, target; /* Rc and Rt, bits a second */
    double alpha;        /* 0 to 1 */
    bool limited;        /* a CNP has come */
    bool cnp_in_slot;    /* since the last update of alpha */
    bool cnp_waits;      /* for the end of M, */
    uint64_t hold_ns;    /* no decrease before this time */
    uint64_t alpha_ns, timer_ns;
    uint64_t bytes;              /* since the last event of the byte counter */
    uint32_t by_timer, by_bytes; /* events of increase since the last decrease */
    bool increased;              /* since the last decrease */
    uint64_t decreases, increases;
};

/* A flow that begins at `now_ns` at the line rate. `params` is copied; line_rate_bps is not 0.
 * alpha_period_ns 0: alpha never changes at a slot's end; timer_ns, byte_counter 0: that kind
 * of increase never comes; max_cut_percent 0: no bound; rhai_bps 0: additive instead. */
void fal_dcqcn_rp_init(struct fal_dcqcn_rp *rp, const struct fal_dcqcn *params,
                       uint64_t now_ns);
/* A CNP for this flow came. Times never go back, here and below. */
void fal_dcqcn_rp_cnp(struct fal_dcqcn_rp *rp, uint64_t now_ns);
/* `bytes` were sent (of whole packets, as the byte counter counts them). */
void fal_dcqcn_rp_sent(struct fal_dcqcn_rp *rp, uint64_t bytes, uint64_t now_ns);
/* Everything that is due at or before `now_ns` happens, in order of time. */
void fal_dcqcn_rp_until(struct fal_dcqcn_rp *rp, uint64_t now_ns);
/* When the rate may change next if nothing is sent and no CNP comes; UINT64_MAX: never. */
uint64_t fal_dcqcn_rp_next_ns(const struct fal_dcqcn_rp *rp);
/* The rate now, at least 1 bit a second. */
uint64_t fal_dcqcn_rp_rate_bps(const struct fal_dcqcn_rp *rp);

#endif
