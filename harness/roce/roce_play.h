/* SPDX-License-Identifier: Apache-2.0
 * roce_play.h - plays a scenario of RoCEv2: between two built-in players in virtual time, or as
 * a bridge between two real ends. */
#ifndef TL_HARNESS_ROCE_ROCE_PLAY_H
#define TL_HARNESS_ROCE_ROCE_PLAY_H

#include "harness/capture/capture.h"
#include "harness/roce/roce_traffic.h"
#include "oracles/roce/odd.h"

/* What the SUT is. */
struct tl_roce_sut {
    struct fal_roce_odd odd; /* of both built-in players and of the switch */
    const char *bridge;      /* "IFACE,IFACE": two real ends; NULL: built in */
    uint64_t timeout_ns;     /* of a play on a bridge; 0: as the scenario says */
    /* A bridge carries so long before it acts: what was lost between two cases is repeated by
     * then. */
    uint64_t settle_ns;
    struct tl_roce_declared declared;  /* of two real ends */
    struct tl_roce_traffic *traffic;   /* posts on two real ends; NULL: nobody is asked to */
    struct tl_capture_writer *capture; /* gets each frame that comes to the bridge; or NULL */
    /* Or NULL: each frame at the port of a built-in end; and at the switch, where interface 0
     * is before it and interface 1 behind it. */
    struct tl_capture_writer *ports[2], *at_switch;
};

/* Plays it and fills in the log. Returns 0, or an error with `err`. */
MUST_USE int tl_roce_play(const struct tl_roce_scenario *scenario,
                          const struct tl_roce_sut *sut, uint64_t seed, struct tl_roce_log *log,
                          struct fal_error *err);
/* The same on a bridge. */
MUST_USE int tl_roce_play_bridge(const struct tl_roce_scenario *scenario,
                                 const struct tl_roce_sut *sut, struct tl_roce_log *log,
                                 struct fal_error *err);

#endif
