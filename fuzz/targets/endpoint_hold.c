/* SPDX-License-Identifier: Apache-2.0
 * endpoint_hold.c - what holds of an endpoint whatever its peer and its network do. */
#include "codecs/header/lint.h"
#include "fuzz/targets/endpoint_world.h"
#include "fuzz/targets/targets.h"
#include "oracles/seq.h"

enum { IDLE_BYTES = 8 << 20, POST_BYTES = 2048 };

void hold_packet(const struct world *world, unsigned at, const uint8_t *bytes, size_t len,
                 struct fal_falcon *packet)
{
    const struct world_side *side = &world->sides[at];
    int n = fal_falcon_decode(bytes, len, packet);
    struct fal_issues issues = {0};

    if (n <= 0)
        fuzz_broken("endpoint: it sends a packet that cannot be read");
    if (packet->version != 1 || packet->reserved_0 != 0 ||
        packet->dest_cid != side->open.peer.cid)
        fuzz_broken("endpoint: it sends a packet to nobody");
    if (len - (size_t)n > WORLD_PAYLOAD_MAX)
        fuzz_broken("endpoint: it sends more than the MTU");
    fal_lint_packet(packet, len - (size_t)n, false, 0, &issues);
    for (size_t i = 0; i < issues.count; i++)
        if (issues.list[i].severity == FAL_ERROR)
            fuzz_broken("endpoint: it sends a packet with %s", issues.list[i].code);
}

void hold_completion(struct world *world, unsigned at, const struct fal_endpoint_out *out)
{
    struct world_side *side = &world->sides[at];
    struct world_post *post;

    if (out->tag == 0 || out->tag > side->num_posts)
        fuzz_broken("endpoint: a transaction completes that nobody began");
    post = &side->posts[out->tag - 1];
    if (post->completed)
        fuzz_broken("endpoint: transaction %u completes twice", (unsigned)out->tag);
    post->completed = true;
}

/* A window's numbers before and after: they only grow, and stay within it. */
static void hold_window(const char *name, uint32_t base_before, uint32_t base,
                        uint32_t next_before, uint32_t next, uint32_t size)
{
    if (fal_seq_lt(base, base_before) || fal_seq_lt(next, next_before))
        fuzz_broken("endpoint: %s goes back from %u, %u to %u, %u", name, base_before,
                    next_before, base, next);
    if (next - base > size)
        fuzz_broken("endpoint: %s is beyond its window: %u to %u", name, base, next);
}

void hold_state(struct world *world, unsigned at)
{
    struct world_side *side = &world->sides[at];
    struct fal_endpoint_state now;
    const struct fal_endpoint_state *last = &side->last;
    size_t bytes = fuzz_bytes_in_use();

    if (fal_endpoint_state(side->ep, side->conn, &now) != 0)
        fuzz_broken("endpoint: its connection is gone");
    hold_window("transmit, requests", last->tx_rbpsn, now.tx_rbpsn, last->tx_rnpsn,
                now.tx_rnpsn, side->open.params.tx_window_req);
    hold_window("transmit, data", last->tx_dbpsn, now.tx_dbpsn, last->tx_dnpsn, now.tx_dnpsn,
                side->open.params.tx_window_data);
    hold_window("receive, requests", last->rx_rbpsn, now.rx_rbpsn, 0, 0, UINT32_MAX);
    hold_window("receive, data", last->rx_dbpsn, now.rx_dbpsn, 0, 0, UINT32_MAX);
    if ((now.req_bitmap & 1) != 0 || (fal_u128_lo(now.data_ack_bitmap) & 1) != 0)
        fuzz_broken("endpoint: the base is acknowledged");
    if ((now.data_ack_bitmap & ~now.data_rx_bitmap) != 0)
        fuzz_broken("endpoint: acknowledged, and not received");
    if (now.open_initiated > side->num_posts)
        fuzz_broken("endpoint: more transactions are open than were begun");
    if (now.open_received > FAL_ENDPOINT_OPEN_MAX)
        fuzz_broken("endpoint: more requests are open than may be");
    if (bytes > world->bytes_before + IDLE_BYTES + world->bytes_posted)
        fuzz_broken("endpoint: it holds %zu bytes", bytes - world->bytes_before);
    side->last = now;
}

void hold_end(struct world *world)
{
    for (unsigned i = 0; i < 2; i++)
        for (size_t k = 0; k < world->sides[i].num_posts; k++)
            if (!world->sides[i].posts[k].completed && !world->held && !world_over(world))
                fuzz_broken("endpoint: transaction %zu of side %u does not end", k + 1, i);
}
