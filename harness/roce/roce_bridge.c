/* SPDX-License-Identifier: Apache-2.0
 * roce_bridge.c - a scenario of RoCEv2 between two real ends. They make their traffic
 * themselves; the scenario acts on it. */
#include "harness/roce/roce_gate.h"
#include "harness/roce/roce_judge.h"
#include "harness/roce/roce_play.h"

#include "harness/link/link_bridge.h"
#include "oracles/simnet_heap.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRAME_MAX = 10000,
    LOOK_NS = 1000000,     /* how often the program that posts is looked at */
    TRAFFIC_NS = 10000000, /* what the ends may take beyond their times */
    PATIENCE_S = 120,      /* before and after the case begins: a simulated device is slow */
    TIMEOUTS = 24,         /* of a case with retries */
};

struct bridge {
    const struct tl_roce_sut *sut;
    struct tl_link *link;
    struct tl_roce_gate gate;
    struct fal_simnet_heap held; /* frames that leave later; dir: the end that sent them */
    uint64_t begun_ns, order;
    uint8_t head[TL_BRIDGE_HEAD]; /* of the frame that is being handled */
    bool settling;                /* all frames pass, and nothing is noted */
    uint64_t over_ns;             /* when the program that posts was done; 0: not yet */
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
    if (b->sut->traffic != NULL && b->gate.log->num_seen == 0) {
        b->begun_ns += now_ns; /* the case begins with the first packet that was posted */
        now_ns = 0;
    }
    if (b->sut->capture != NULL)
        FAL_IGNORE(tl_capture_write(b->sut->capture, now_ns, frame, (uint32_t)len,
                                    (uint32_t)len, NULL));
    tl_roce_gate_frame(&b->gate, now_ns, got->port % 2, frame, len);
    memset(b->head, 0, TL_BRIDGE_HEAD); /* for packets of Talon's own */
}

/* Whether all that the scenario waits for has come. */
static bool all_came(struct bridge *b)
{
    struct tl_case trial = {.id = NULL};
    bool passes;

    b->gate.log->end_ns = now_of(b);
    tl_roce_judge(b->gate.log, true, &trial);
    passes = trial.verdict == FAL_VERDICT_PASS;
    tl_case_clear(&trial);
    return passes;
}

/* Follows the program that posts: the case begins when it names its queue pairs. After its end
 * answers may still come, where some are missing. Returns whether the case is over. */
static bool follow(struct bridge *b)
{
    struct tl_roce_traffic *traffic = b->sut->traffic;
    enum tl_roce_traffic_state state;

    if (traffic == NULL)
        return false;
    if (b->over_ns != 0)
        return now_of(b) >= b->over_ns;
    state = tl_roce_traffic_look(traffic, b->settling ? 0 : now_of(b), b->gate.log);
    if (b->settling && state != TL_ROCE_TRAFFIC_PREPARES) {
        leave_due(b, UINT64_MAX);
        b->settling = false;
        b->begun_ns = b->link->ops->now_ns(b->link);
    }
    if (state == TL_ROCE_TRAFFIC_CANNOT || state == TL_ROCE_TRAFFIC_BROKEN)
        return true;
    if (state != TL_ROCE_TRAFFIC_ENDED)
        return false;
    b->over_ns = now_of(b) + 1;
    if (!all_came(b))
        b->over_ns += b->sut->declared.answer_ns + TRAFFIC_NS;
    return false;
}

/* When the next thing is due; `most`: the end. */
static uint64_t next_of(struct bridge *b, uint64_t most)
{
    uint64_t own_ns = b->settling ? UINT64_MAX : tl_roce_gate_next_ns(&b->gate);
    uint64_t look_ns = now_of(b) + LOOK_NS;

    most = own_ns < most ? own_ns : most;
    if (b->sut->traffic != NULL && look_ns < most)
        most = look_ns;
    if (b->held.count > 0 && b->held.items[0]->due_ns < most)
        most = b->held.items[0]->due_ns;
    return most;
}

static void carry(struct bridge *b, uint64_t for_ns)
{
    while (!b->failed && now_of(b) < for_ns && !follow(b)) {
        uint64_t until_ns;
        struct tl_link_got got;

        if (!b->settling)
            tl_roce_gate_run(&b->gate, now_of(b));
        leave_due(b, now_of(b));
        until_ns = next_of(b, for_ns);
        switch ((unsigned)b->link->ops->wait(b->link, b->begun_ns + until_ns, &got)) {
        case TL_LINK_FRAME:
            (void)follow(b); /* a packet of the case is not before its beginning */
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

/* The program that posts knows when the case is over. */
static int play_posts(struct bridge *b, const struct tl_roce_scenario *s, struct fal_error *err)
{
    uint64_t timeout_ns =
        b->sut->timeout_ns != 0 ? b->sut->timeout_ns : TIMEOUTS * s->timeout_ns + FAL_S;
    int rc = tl_roce_traffic_begin(b->sut->traffic, s, timeout_ns, err);

    b->begun_ns = b->link->ops->now_ns(b->link);
    b->settling = true;
    if (rc == 0)
        carry(b, PATIENCE_S * FAL_S);
    if (rc == 0 && tl_roce_traffic_broken(b->sut->traffic) != NULL)
        rc = fal_fail(err, FAL_ERR_IO, "%s", tl_roce_traffic_broken(b->sut->traffic));
    else if (rc == 0 && b->over_ns == 0 && !b->failed &&
             tl_roce_traffic_cannot(b->sut->traffic) == NULL)
        rc = fal_fail(err, FAL_ERR_IO,
                      "the program of --control neither ended the case nor failed in %d s",
                      PATIENCE_S);
    return rc;
}

static void play_time(struct bridge *b, const struct tl_roce_scenario *s)
{
    b->begun_ns = b->link->ops->now_ns(b->link);
    b->settling = true;
    carry(b, b->sut->settle_ns);
    b->settling = false;
    b->begun_ns = b->link->ops->now_ns(b->link);
    carry(b, b->sut->timeout_ns != 0 ? b->sut->timeout_ns : s->for_ns);
}

int tl_roce_play_bridge(const struct tl_roce_scenario *scenario, const struct tl_roce_sut *sut,
                        struct tl_roce_log *log, struct fal_error *err)
{
    struct bridge b = {.sut = sut};
    int rc = tl_roce_gate_init(&b.gate, scenario, log, forward, &b);

    log->learns = true;
    if (rc == 0)
        b.link = tl_link_bridge_open(sut->bridge, err);
    if (rc != 0 || b.link == NULL) {
        rc = rc != 0 ? fal_fail(err, rc, "out of memory") : FAL_ERR_IO;
    } else {
        if (sut->traffic != NULL)
            rc = play_posts(&b, scenario, err);
        else
            play_time(&b, scenario);
        log->end_ns = now_of(&b);
        b.link->ops->free(b.link);
        if (b.failed)
            rc = fal_fail(err, FAL_ERR_IO, "%s", b.why.text);
    }
    tl_roce_gate_free(&b.gate);
    fal_simnet_heap_free(&b.held);
    return rc;
}
