/* SPDX-License-Identifier: Apache-2.0
 * aimd.c - the smallest useful transport logic as a library: a window that grows by one segment
 * a round trip and is halved by a loss. Build and play it from the folder of Talon's source:
 *   cc -std=c17 -O1 -shared -fPIC -I. -Iharness/logic -o aimd.so docs/examples/logic/aimd.c
 *   talon logic run lib:aimd.so --count 100 */
#include "talon_logic.h"

struct aimd {
    uint32_t acked; /* since the window grew */
    uint32_t dup;   /* acknowledgements in a row that acknowledged nothing */
    uint32_t end;   /* next_new when the window was last halved */
};

static void init(struct fal_logic_flow *flow)
{
    struct aimd *u = (struct aimd *)(void *)flow->user;

    flow->wnd = flow->config->initial_window;
    u->end = flow->next_new;
}

static void incoming(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct aimd *u = (struct aimd *)(void *)flow->user;

    if (in->kind != FAL_LOGIC_ACK)
        return;
    if (in->newly_acked > 0) {
        u->dup = 0;
        u->acked += in->newly_acked;
        if (u->acked >= flow->wnd) {
            u->acked = 0;
            flow->wnd++;
        }
        fal_logic_timer(flow, in->now_ns);
    } else if (++u->dup == flow->config->dup_threshold && !fal_logic_before(in->cum, u->end)) {
        flow->wnd = flow->wnd > 3 ? flow->wnd / 2 : 2;
        u->end = flow->next_new;
        fal_logic_mark(flow, in->cum, in->cum + 1);
    }
}

static void periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct aimd *u = (struct aimd *)(void *)flow->user;

    if (in->kind != FAL_LOGIC_TIMEOUT)
        return;
    flow->wnd = 1;
    u->dup = u->acked = 0;
    u->end = flow->next_new;
    flow->rto_ns = flow->config->rto_min_ns;
    fal_logic_timeout(flow, in->now_ns); /* marks all as lost and starts the timer */
}

const struct fal_logic fal_logic = {
    .abi = FAL_LOGIC_ABI,
    .flow_bytes = sizeof(struct fal_logic_flow),
    .name = "aimd",
    .credit = FAL_LOGIC_BY_WINDOW,
    .user_bytes = sizeof(struct aimd),
    .init = init,
    .incoming = incoming,
    .periodic = periodic,
};
