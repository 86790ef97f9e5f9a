/* SPDX-License-Identifier: Apache-2.0
 * falcon_events.h - a Falcon timeline as events of a transport, so that K rules can run beside
 * the rules of Falcon. Each connection is four flows: two windows in each direction. A reliable
 * packet is a segment, numbered from the initial PSN; the bases and bitmaps of each packet are
 * feedback for the two flows of the other direction. The observer stands in the network:
 * FAL_TP_MIDDLE. */
#ifndef FAL_ORACLES_RULES_TRANSPORT_FALCON_EVENTS_H
#define FAL_ORACLES_RULES_TRANSPORT_FALCON_EVENTS_H

#include "codecs/base/error.h"
#include "oracles/beyond/transport.h"
#include "oracles/timeline.h"

enum { FAL_FALCON_WINDOWS = 2 };

struct fal_falcon_events;

/* Where the events go; `window` is that of the flow. */
struct fal_falcon_events_sink {
    void (*event)(void *ctx, enum fal_window window, const struct fal_tp_event *event);
    void *ctx;
};

/* NULL: out of memory. */
struct fal_falcon_events *fal_falcon_events_new(const struct fal_falcon_events_sink *sink);
void fal_falcon_events_free(struct fal_falcon_events *e); /* NULL is allowed */
/* Takes the next event of the timeline. Packets that their receiver must drop are left out.
 * Returns 0 or FAL_ERR_MEM. */
MUST_USE int fal_falcon_events_take(struct fal_falcon_events *e, const struct fal_event *event);

/* The number of the flow on which the packets in that direction and window are segments. */
static inline uint32_t fal_falcon_flow(uint32_t conn, enum fal_dir dir, enum fal_window window)
{
    return conn * 4 + (dir == FAL_FROM_SUT ? 2U : 0U) + (window == FAL_WINDOW_REQ ? 1U : 0U);
}

#endif
