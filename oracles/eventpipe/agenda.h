/* SPDX-License-Identifier: Apache-2.0
 * agenda.h - what is to come in the world of an event pipeline, by (time, order of entry). */
#ifndef FAL_ORACLES_EVENTPIPE_AGENDA_H
#define FAL_ORACLES_EVENTPIPE_AGENDA_H

#include "oracles/beyond/eventpipe.h"

#include <stddef.h>

enum fal_ep_doing {
    FAL_EP_DO_MESSAGE,  /* a flow gets something to send */
    FAL_EP_DO_BURST,    /* a flow may send its next burst */
    FAL_EP_DO_ARRIVE,   /* an event: of a packet that arrives, or of firmware */
    FAL_EP_DO_FIRMWARE, /* firmware does something */
    FAL_EP_DO_RELEASE,  /* firmware gives a flow back */
    FAL_EP_DO_STORM,    /* many packets arrive at once */
};

struct fal_ep_item {
    uint64_t at_ns, order;
    enum fal_ep_doing doing;
    enum fal_ep_kind kind;
    uint32_t flow;
    uint64_t seq, t1_ns, t2_ns, t3_ns;
};

struct fal_ep_agenda {
    struct fal_ep_item *items;
    size_t count, cap;
    uint64_t order;
    bool out_of_memory; /* an item could not be added */
};

void fal_ep_agenda_push(struct fal_ep_agenda *agenda, struct fal_ep_item item);
/* False: it is empty. */
bool fal_ep_agenda_pop(struct fal_ep_agenda *agenda, struct fal_ep_item *out);
void fal_ep_agenda_free(struct fal_ep_agenda *agenda);

#endif
