/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/txwin.h"

#include "codecs/base/error.h"
#include "oracles/seq.h"

#include <assert.h>
#include <stdlib.h>

void fal_tx_packets_init(struct fal_slab *packets, bool separate)
{
    fal_slab_init(packets, offsetof(struct fal_tx_packet, payload) + FAL_INSIDE, separate);
}

struct fal_tx_packet *fal_tx_packet_new(struct fal_slab *packets, enum fal_packet_type type,
                                        uint32_t rsn, const uint8_t *payload,
                                        uint32_t payload_len)
{
    bool pooled = payload_len <= FAL_INSIDE;
    struct fal_tx_packet *packet =
        pooled ? fal_slab_take(packets) : malloc(sizeof *packet + payload_len);

    if (packet == NULL)
        return NULL;
    *packet = (struct fal_tx_packet){.rsn = rsn,
                                     .type = (uint8_t)type,
                                     .original = (uint8_t)type,
                                     .payload_len = payload_len,
                                     .pooled = pooled};
    fal_link_init(&packet->link);
    if (payload_len > 0)
        memcpy(packet->payload, payload, payload_len);
    return packet;
}

void fal_tx_packet_free(struct fal_slab *packets, struct fal_tx_packet *packet)
{
    if (packet == NULL)
        return;
    if (packet->pooled)
        fal_slab_give(packets, packet);
    else
        free(packet);
}

void fal_txwin_init(struct fal_txwin *win, struct fal_slab *packets,
                    struct fal_ring_slots *slots, uint32_t psn, uint32_t size)
{
    *win = (struct fal_txwin){.next = psn, .size = size, .packets = packets};
    fal_seqring_init(&win->sent, slots, psn);
    fal_link_init(&win->due);
}

void fal_txwin_free(struct fal_txwin *win)
{
    while (win->sent.span > 0)
        fal_tx_packet_free(win->packets, fal_seqring_pop(&win->sent));
    fal_seqring_free(&win->sent);
}

int fal_txwin_sent(struct fal_txwin *win, struct fal_tx_packet *packet)
{
    int rc;

    if (fal_txwin_get(win, packet->psn) != NULL)
        return FAL_ERR_RANGE;
    rc = fal_seqring_put(&win->sent, packet->psn, packet, win->size);
    if (rc < 0)
        return rc;
    if (fal_seq_le(win->next, packet->psn))
        win->next = packet->psn + 1;
    packet->sent = true;
    win->unacked++;
    if (fal_tx_request(packet))
        win->requests++;
    assert(win->requests <= win->unacked && win->unacked <= win->sent.span);
    return 0;
}

/* It is no longer an outstanding request. */
static void discount(struct fal_txwin *win, struct fal_tx_packet *packet)
{
    if (packet->sent && fal_tx_request(packet)) {
        assert(win->requests > 0);
        win->requests--;
    }
    if (packet->repeated) {
        assert(win->repeated > 0);
        win->repeated--;
    }
    packet->repeated = false;
}

void fal_txwin_acked(struct fal_txwin *win, struct fal_tx_packet *packet)
{
    assert(packet->sent && !packet->acked && win->unacked > 0);
    discount(win, packet);
    packet->acked = true;
    if (packet->last_tx_ns > win->newest_acked_ns)
        win->newest_acked_ns = packet->last_tx_ns;
    win->unacked--;
    fal_link_remove(&packet->link);
}

void fal_txwin_step(struct fal_txwin *win)
{
    fal_tx_packet_free(win->packets, fal_seqring_pop(&win->sent));
}

void fal_txwin_slide(struct fal_txwin *win)
{
    const struct fal_tx_packet *packet;

    while ((packet = fal_txwin_get(win, win->sent.base)) != NULL && packet->acked)
        fal_txwin_step(win);
}

void fal_txwin_due(struct fal_txwin *win, struct fal_tx_packet *packet, bool counts)
{
    struct fal_link *at = win->due.prev;

    /* 9.1.2: a repeated request that is due again is not outstanding until it is sent. */
    assert(fal_link_alone(&packet->link));
    if (packet->repeated && !counts) {
        assert(win->repeated > 0);
        win->repeated--;
    }
    packet->repeated = false;
    packet->due = true;
    while (at != &win->due &&
           fal_seq_lt(packet->psn, FAL_ITEM(at, struct fal_tx_packet, link)->psn))
        at = at->prev;
    fal_link_insert(at, &packet->link);
}

void fal_txwin_resync(struct fal_txwin *win, struct fal_tx_packet *packet, uint8_t code)
{
    discount(win, packet);
    packet->type = FAL_RESYNC;
    packet->resync_code = code;
    packet->attempts = 0;
    packet->rnr = false;
    packet->payload_len = 0;
}

void fal_txwin_renumber(struct fal_txwin *win, struct fal_tx_packet *packet)
{
    if (fal_seqring_put(&win->sent, win->next, packet, win->size) < 0)
        return;
    /* The slot exists. */
    FAL_IGNORE(fal_seqring_put(&win->sent, packet->psn, NULL, win->size));
    packet->psn = win->next++;
}
