/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/hold.h"

#include "oracles/endpoint/connection.h"

static void hold(uint64_t *at_ns)
{
    if (*at_ns < FAL_HELD_NS)
        *at_ns += FAL_HELD_NS;
}

/* False: it was not stopped. */
static bool release(uint64_t *at_ns, uint64_t held_ns)
{
    if (*at_ns < FAL_HELD_NS || *at_ns == FAL_NEVER)
        return false;
    *at_ns = *at_ns - FAL_HELD_NS + held_ns;
    return true;
}

void fal_endpoint_hold(struct fal_endpoint *ep, uint32_t conn)
{
    struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);
    struct fal_link *at;

    if (of == NULL)
        return;
    for (at = of->timers.next; at != &of->timers; at = at->next)
        hold(&FAL_ITEM(at, struct fal_tx_packet, link)->deadline_ns);
    for (at = of->initiator.deadlines.next; at != &of->initiator.deadlines; at = at->next)
        hold(&FAL_ITEM(at, struct fal_initiated, link)->deadline_ns);
    for (at = of->target.reclaim.next; at != &of->target.reclaim; at = at->next)
        hold(&FAL_ITEM(at, struct fal_received, reclaim)->reclaim_ns);
    if (of->probe_ns != FAL_NEVER)
        hold(&of->probe_ns);
    fal_ep_conn_rearm(of);
}

/* Puts the packet where its deadline belongs among those before it. */
static void sort_in(struct fal_ep_conn *of, struct fal_link *link)
{
    const struct fal_tx_packet *packet = FAL_ITEM(link, struct fal_tx_packet, link);
    struct fal_link *at = link->prev;

    while (at != &of->timers &&
           FAL_ITEM(at, struct fal_tx_packet, link)->deadline_ns > packet->deadline_ns)
        at = at->prev;
    fal_link_remove(link);
    fal_link_insert(at, link);
}

/* Timers of packets that were sent meanwhile stand before those that were stopped. */
static void release_packets(struct fal_ep_conn *of, uint64_t held_ns)
{
    struct fal_link *next;

    for (struct fal_link *at = of->timers.next; at != &of->timers; at = next) {
        next = at->next;
        if (release(&FAL_ITEM(at, struct fal_tx_packet, link)->deadline_ns, held_ns))
            sort_in(of, at);
    }
}

/* Transactions stand in the order of their beginnings; one that began meanwhile does not expire
 * before those that began earlier. */
static void release_transactions(struct fal_ep_conn *of, uint64_t held_ns)
{
    uint64_t latest_ns = 0;
    struct fal_link *at;

    for (at = of->initiator.deadlines.next; at != &of->initiator.deadlines; at = at->next) {
        struct fal_initiated *txn = FAL_ITEM(at, struct fal_initiated, link);

        (void)release(&txn->deadline_ns, held_ns);
        latest_ns = txn->deadline_ns > latest_ns ? txn->deadline_ns : latest_ns;
        txn->deadline_ns = latest_ns;
    }
    latest_ns = 0;
    for (at = of->target.reclaim.next; at != &of->target.reclaim; at = at->next) {
        struct fal_received *txn = FAL_ITEM(at, struct fal_received, reclaim);

        (void)release(&txn->reclaim_ns, held_ns);
        latest_ns = txn->reclaim_ns > latest_ns ? txn->reclaim_ns : latest_ns;
        txn->reclaim_ns = latest_ns;
    }
}

void fal_endpoint_release(struct fal_endpoint *ep, uint32_t conn, uint64_t held_ns)
{
    struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);

    if (of == NULL)
        return;
    release_packets(of, held_ns);
    release_transactions(of, held_ns);
    (void)release(&of->probe_ns, held_ns);
    fal_ep_conn_rearm(of);
}
