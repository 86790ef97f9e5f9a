/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/variants/conveyed.h"

#include "oracles/endpoint/faults/seams.h"
#include "oracles/seq.h"

enum { BITS = 128 };

void fal_conveyed_arrived(struct fal_ep_conn *conn, const struct fal_falcon *falcon)
{
    struct fal_odd_told *told = &conn->odd->told[fal_falcon_window(falcon)];
    uint32_t past = falcon->psn + 1;

    if (!told->any || fal_seq_lt(told->past, past))
        told->past = past;
    told->any = true;
}

void fal_conveyed_told(struct fal_ep_conn *conn)
{
    for (unsigned w = 0; w < 2; w++)
        conn->odd->told[w] =
            (struct fal_odd_told){.base = conn->rx[w].base, .ack = conn->rx[w].ack};
}

bool fal_conveyed(const struct fal_ep_conn *conn)
{
    if (!fal_twin(conn, FAL_TWIN_CONVEYED_STOPS_TIMER) || conn->ack_now)
        return false;
    for (unsigned w = 0; w < 2; w++) {
        const struct fal_rxwin *win = &conn->rx[w];
        const struct fal_odd_told *told = &conn->odd->told[w];
        uint32_t moved = win->base - told->base;
        fal_u128 reported = moved < BITS ? told->ack >> moved : 0;

        if (win->own || (win->ack & ~reported) != 0 ||
            (told->any && fal_seq_lt(win->base, told->past)))
            return false;
    }
    return true;
}

bool fal_conveyed_reported(const struct fal_ep_conn *conn, unsigned window, uint32_t psn)
{
    const struct fal_odd_told *told = &conn->odd->told[window];
    uint32_t at = psn - told->base;

    return at < BITS && (told->ack >> at & 1) != 0;
}
