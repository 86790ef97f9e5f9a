/* SPDX-License-Identifier: Apache-2.0
 * firmware.c - firmware: its events, rewrites of the class table, and flows that it takes from
 * their processors for a while [0129-0131, 0149-0151]. */
#include "bench.h"

#include <stdlib.h>

enum { GIVE_UP_CYCLES = 300 };

struct ep_firmware {
    uint64_t random;
    uint32_t flows, seq;
    bool event_waits;
    uint32_t event_flow;
    enum { OWNS_NOTHING, ASKS, OWNS, GIVES_BACK } state;
    uint32_t flow, slice, left; /* left: cycles until the next step */
};

struct ep_firmware *ep_firmware_new(uint32_t flows, uint64_t seed)
{
    struct ep_firmware *fw = calloc(1, sizeof *fw);

    if (fw == NULL)
        return NULL;
    fw->random = seed | 1;
    fw->flows = flows;
    fw->left = 100;
    return fw;
}

void ep_firmware_free(struct ep_firmware *fw)
{
    free(fw);
}

static void override_step(struct ep_firmware *fw, bool quiet)
{
    if (fw->left > 0) {
        fw->left--;
        return;
    }
    if (fw->state == OWNS_NOTHING && !quiet) {
        fw->state = ASKS;
        fw->flow = ep_below(&fw->random, fw->flows);
        fw->left = GIVE_UP_CYCLES;
    } else if (fw->state == ASKS) {
        fw->state = OWNS_NOTHING;
    } else if (fw->state == OWNS) {
        fw->state = GIVES_BACK;
    }
}

void ep_firmware_inputs(struct ep_firmware *fw, bool quiet, struct ep_in *in)
{
    if (!fw->event_waits && !quiet && ep_below(&fw->random, 256) == 0) {
        fw->event_waits = true;
        fw->event_flow = ep_below(&fw->random, fw->flows);
        fw->seq++;
    }
    in->fw_valid = fw->event_waits;
    in->fw = (struct fal_ep_event){.kind = FAL_EP_FW, .flow = fw->event_flow, .seq = fw->seq};
    if (!quiet && ep_below(&fw->random, 1024) == 0) {
        in->class_write = true;
        in->class_kind = (enum fal_ep_kind)ep_below(&fw->random, FAL_EP_KINDS);
        in->class_value = ep_below(&fw->random, FAL_EP_CLASSES);
    }
    override_step(fw, quiet);
    in->seize = fw->state == ASKS;
    in->seize_flow = fw->flow;
    in->unseize = fw->state == GIVES_BACK;
    in->seized_slice = fw->slice;
}

bool ep_firmware_waits(const struct ep_firmware *fw)
{
    return fw->event_waits || fw->state != OWNS_NOTHING;
}

void ep_firmware_outputs(struct ep_firmware *fw, const struct ep_in *in,
                         const struct ep_out *out)
{
    if (in->fw_valid && out->fw_ready)
        fw->event_waits = false;
    if (in->seize && out->seize_ready) {
        fw->state = OWNS;
        fw->slice = out->seize_slice;
        fw->left = 10 + ep_below(&fw->random, 150);
    }
    if (in->unseize && out->unseize_ready) {
        fw->state = OWNS_NOTHING;
        fw->left = 20 + ep_below(&fw->random, 200);
    }
}
