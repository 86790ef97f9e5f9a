/* SPDX-License-Identifier: Apache-2.0
 * roce_bridge.c - a scenario of RoCEv2 between two real ends. They make their traffic
 * themselves; the scenario acts on it. */
#include "harness/roce/roce_gate.h"
#include "harness/roce/roce_play.h"

#include "harness/link/link_bridge.h"
#include "oracles/simnet_heap.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME_MAX = 10000 };

struct bridge {
    const struct tl_roce_sut *sut;
    struct tl_link *link;
    struct tl_roce_gate gate;
    struct fal_simnet_heap held; /* frames that leave later; dir: the end that sent them */
    uint64_t begun_ns, order;
    uint8_t head[TL_BRIDGE_HEAD]; /* of the frame that is being handled */
    bool settling;                /* all frames pass, and nothing is noted */
    bool failed;
    struct fal_error why;
};

static uint64_t now_of(struct bridge *b)
{
    return b->link->ops->now_ns(b->link) - b->begun_ns;
}

/* Sends a frame of end `from` out by the other interface. */
static void leave(struct bridge *b, unsigned from, const uint8_t *bytes, size_t len)
{
    uint64_t at_ns;

    if (b->link->ops->port(b->link, 1 - from, NULL, 0, &b->why) != 0 ||
        b->link->ops->send(b->link, bytes, len, &at_ns, &b->why) == FAL_ERR_IO)
        b->failed = true;
}

static void forward(void *ctx, uint64_t at_ns, unsigned from, const uint8_t *bytes, size_t len)
{
    struct bridge *b = ctx;
    struct fal_simnet_item *item = malloc(sizeof *item + TL_BRIDGE_HEAD + len);

    if (item == NULL || fal_simnet_heap_reserve(&b->held) != 0) {
        (void)fal_fail(&b->why, FAL_ERR_MEM, "out of memory");
        b->failed = true;
        free(item);
        return;
    }
    *item = (struct fal_simnet_item){.due_ns = at_ns,
                                     .order = b->order++,
                                     .dir = (enum fal_dir)from,
                                     .len = TL_BRIDGE_HEAD + len};
    memcpy(item->bytes, b->head, TL_BRIDGE_HEAD);
    memcpy(item->bytes + TL_BRIDGE_HEAD, bytes, len);
    fal_simnet_heap_push(&b->held, item);
}

static void leave_due(struct bridge *b, uint64_t now_ns)
{
    while (!b->failed && b->held.count > 0 && b->held.items[0]->due_ns <= now_ns) {
        struct fal_simnet_item *item = fal_simnet_heap_pop(&b->held);

        leave(b, (unsigned)item->dir, item->bytes, item->len);
        free(item);
    }
}

static void take(struct bridge *b, const struct tl_link_got *got)
{
    uint8_t frame[FRAME_MAX];
    size_t len = got->len - TL_BRIDGE_HEAD;
    uint64_t now_ns = now_of(b);

    if (got->len < TL_BRIDGE_HEAD || len > sizeof frame)
        return; /* longer than any frame of RoCE; it is lost */
    memcpy(b->head, got->bytes, TL_BRIDGE_HEAD);
    memcpy(frame, got->bytes + TL_BRIDGE_HEAD, len);
    if (b->settling) {
        forward(b, now_ns, got->port % 2, frame, len);
        memset(b->head, 0, TL_BRIDGE_HEAD);
        return;
    }
    if (b->sut->capture != NULL)
        FAL_IGNORE(tl_capture_write(b->sut->capture, now_ns, frame, (uint32_t)len,
                                    (uint32_t)len, NULL));
    tl_roce_gate_frame(&b->gate, now_ns, got->port % 2, frame, len);
    memset(b->head, 0, TL_BRIDGE_HEAD); /* for packets of Talon's own */
}

static void carry(struct bridge *b, uint64_t for_ns)
{
    while (!b->failed && now_of(b) < for_ns) {
        uint64_t until_ns = for_ns;
        uint64_t own_ns = b->settling ? UINT64_MAX : tl_roce_gate_next_ns(&b->gate);
        struct tl_link_got got;

        if (!b->settling)
            tl_roce_gate_run(&b->gate, now_of(b));
        leave_due(b, now_of(b));
        until_ns = own_ns < until_ns ? own_ns : until_ns;
        if (b->held.count > 0 && b->held.items[0]->due_ns < until_ns)
            until_ns = b->held.items[0]->due_ns;
        switch ((unsigned)b->link->ops->wait(b->link, b->begun_ns + until_ns, &got)) {
        case TL_LINK_FRAME:
            take(b, &got);
            leave_due(b, now_of(b));
            break;
        case TL_LINK_ERROR:
            b->why = got.error;
            b->failed = true;
            break;
        default: break;
        }
    }
    leave_due(b, UINT64_MAX);
}

int tl_roce_play_bridge(const struct tl_roce_scenario *scenario, const struct tl_roce_sut *sut,
                        struct tl_roce_log *log, struct fal_error *err)
{
    struct bridge b = {.sut = sut};
    int rc = tl_roce_gate_init(&b.gate, scenario, log, forward, &b);
    uint64_t for_ns = sut->timeout_ns != 0 ? sut->timeout_ns : scenario->for_ns;

    log->learns = true;
    if (rc == 0)
        b.link = tl_link_bridge_open(sut->bridge, err);
    if (rc != 0 || b.link == NULL) {
        rc = rc != 0 ? fal_fail(err, rc, "out of memory") : FAL_ERR_IO;
    } else {
        b.begun_ns = b.link->ops->now_ns(b.link);
        b.settling = true;
        carry(&b, sut->settle_ns);
        b.settling = false;
        b.begun_ns = b.link->ops->now_ns(b.link);
        carry(&b, for_ns);
        log->end_ns = now_of(&b);
        b.link->ops->free(b.link);
        if (b.failed)
            rc = fal_fail(err, FAL_ERR_IO, "%s", b.why.text);
    }
    tl_roce_gate_free(&b.gate);
    fal_simnet_heap_free(&b.held);
    return rc;
}
