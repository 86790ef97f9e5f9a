/* SPDX-License-Identifier: Apache-2.0
 * sound_testing.h - checks of whole data structures, for tests: they look at each item, which
 * the assertions in the code do not. */
#ifndef FAL_ORACLES_ENDPOINT_BASE_SOUND_TESTING_H
#define FAL_ORACLES_ENDPOINT_BASE_SOUND_TESTING_H

#include "oracles/endpoint/base/timers.h"
#include "oracles/endpoint/base/txwin.h"
#include "oracles/params.h"

#include <stdbool.h>

/* The invariants of struct fal_timers. */
static inline bool timers_sound(const struct fal_timers *timers)
{
    for (uint32_t i = 0; i < timers->count; i++) {
        const struct fal_timer *t = &timers->heap[i], *above = &timers->heap[(i - 1) / 2];

        if (t->id >= timers->ids || timers->place[t->id] != i + 1 || t->at_ns == FAL_NEVER ||
            (i > 0 &&
             (t->at_ns < above->at_ns || (t->at_ns == above->at_ns && t->id <= above->id))))
            return false;
    }
    return timers->count <= timers->ids;
}

/* The invariants of struct fal_txwin. */
static inline bool txwin_sound(const struct fal_txwin *win)
{
    uint32_t unacked = 0, requests = 0;

    for (uint32_t n = 0; n < win->sent.span; n++) {
        uint32_t psn = win->sent.base + n;
        const struct fal_tx_packet *packet = fal_txwin_get(win, psn);

        if (packet == NULL)
            continue;
        if (packet->psn != psn || !packet->sent || (int32_t)(psn - win->next) >= 0)
            return false;
        unacked += !packet->acked;
        requests += !packet->acked && fal_tx_request(packet);
    }
    return unacked == win->unacked && requests == win->requests;
}

#endif
