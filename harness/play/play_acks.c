/* SPDX-License-Identifier: Apache-2.0
 * play_acks.c - the step `acks`: what the tester's ACKs tell from here on. */
#include "harness/play/players.h"

#include <inttypes.h>
#include <stdio.h>

enum { HOPS_MAX = 15, LEVEL_MAX = 31, MARKS_MAX = 1000, WHY_MAX = 160 };

/* A number of the step; `has` false: 0. False: the session is broken. */
static bool number_of(struct tl_interp *interp, bool has, const struct tl_value *value,
                      uint64_t max, const char *what, uint64_t *out)
{
    char why[WHY_MAX];

    *out = 0;
    if (!has)
        return true;
    if (!tl_interp_number(interp, value, out))
        return false;
    if (*out <= max)
        return true;
    (void)snprintf(why, sizeof why, "acks: %s is %" PRIu64 "; expected at most %" PRIu64, what,
                   *out, max);
    tl_interp_unplayable(interp, why);
    return false;
}

void tl_play_acks(struct tl_interp *interp, const struct tl_step *step)
{
    const struct tl_steer *asked = step->u.steer;
    char why[WHY_MAX];
    uint64_t hold_ns = 0, delay_ns = 0, hops, level, marks;
    struct fal_steer steer = {.on = asked->on,
                              .has_delay = asked->has_delay,
                              .has_hops = asked->has_hops,
                              .has_level = asked->has_level};

    if ((asked->has_hold && !tl_interp_duration(interp, &asked->hold, &hold_ns)) ||
        (asked->has_delay && !tl_interp_duration(interp, &asked->delay, &delay_ns)) ||
        !number_of(interp, asked->has_hops, &asked->hops, HOPS_MAX, "hops", &hops) ||
        !number_of(interp, asked->has_level, &asked->level, LEVEL_MAX, "level", &level) ||
        !number_of(interp, asked->has_marks, &asked->marks, MARKS_MAX, "marks", &marks))
        return;
    steer.hold_ns = hold_ns;
    steer.path_ns = tl_session_path(interp->session).rtt_ns;
    steer.delay_ns = delay_ns;
    steer.hops = (uint8_t)hops;
    steer.level = (uint8_t)level;
    steer.marks = (uint16_t)marks;
    if (asked->has_delay && delay_ns > steer.hold_ns + steer.path_ns) {
        (void)snprintf(why, sizeof why,
                       "acks: the delay is %" PRIu64
                       " ns; expected at most the round trip, %" PRIu64 " ns (hold and path)",
                       delay_ns, steer.hold_ns + steer.path_ns);
        tl_interp_unplayable(interp, why);
        return;
    }
    interp->session->steered |= steer.on;
    if (fal_endpoint_steer_acks(interp->session->endpoint, interp->session->conn, &steer) != 0)
        tl_interp_unplayable(interp, "acks: out of memory");
}
