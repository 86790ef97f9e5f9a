/* SPDX-License-Identifier: Apache-2.0
 * mux.c - whose turn it is, and whose frame. */
#include "harness/session/mux_impl.h"

#include "codecs/header/headers.h"
#include "harness/wire/protocol.h"

#include <stdlib.h>
#include <string.h>

static struct tl_mux_copy *copy_of(struct tl_link *link)
{
    return (struct tl_mux_copy *)link;
}

void tl_mux_give(struct tl_mux_copy *copy, enum tl_link_event kind,
                 const struct tl_link_got *got, const void *bytes, size_t len)
{
    bool said = kind == TL_LINK_LINE && got->said != NULL;
    struct tl_mux_item *item;

    if (copy->over)
        return;
    item = malloc(sizeof *item + len + 1);
    if (item == NULL) {
        copy->mux->no_memory = true;
        return;
    }
    *item = (struct tl_mux_item){.kind = kind, .got = *got};
    item->got.said = said ? (const void *)item->bytes : NULL;
    item->sa = said ? json_incref(got->said->sa) : NULL;
    item->got.object = kind == TL_LINK_LINE ? json_incref(got->object) : NULL;
    if (len > 0)
        memcpy(item->bytes, bytes, len);
    item->bytes[len] = 0;
    item->got.bytes = item->got.object == NULL && !said ? (const uint8_t *)item->bytes : NULL;
    item->got.len = len;
    if (copy->tail != NULL)
        copy->tail->next = item;
    else
        copy->head = item;
    copy->tail = item;
}

void tl_mux_item_free(struct tl_mux_item *item)
{
    if (item == NULL)
        return;
    json_decref(item->got.object);
    json_decref(item->sa);
    free(item);
}

void tl_mux_give_all(struct tl_mux *mux, enum tl_link_event kind, const struct tl_link_got *got)
{
    for (unsigned i = 0; i < mux->count; i++)
        tl_mux_give(&mux->copies[i], kind, got, got->bytes, got->len);
}

/* ---- frames ---- */

static uint32_t be32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool has_spi(const struct tl_mux_copy *copy, uint32_t spi)
{
    unsigned n = copy->num_spis < TL_MUX_SPIS ? copy->num_spis : TL_MUX_SPIS;

    for (unsigned i = 0; i < n; i++)
        if (copy->spis[i] == spi)
            return true;
    return false;
}

/* Whether it is that copy's: by the SPI of ESP (in front) or PSP (behind four bytes) where the
 * connection is sealed, else by the CID. The four bytes behind the SPI of ESP are a sequence
 * number, which reaches small SPIs. */
static bool owns(const struct tl_mux_copy *copy, const uint8_t *bytes, size_t len)
{
    struct fal_falcon packet = {0};
    size_t at = copy->esp ? 0 : 4;

    if (copy->conn[0] == 0)
        return false;
    if (copy->num_spis > 0)
        return len >= at + 4 && has_spi(copy, be32(bytes + at));
    return fal_falcon_decode(bytes, len, &packet) > 0 && packet.dest_cid == copy->cid;
}

/* The copy that a frame from the SUT is for; NULL: of a connection that has ended. */
static struct tl_mux_copy *receiver(struct tl_mux *mux, const struct tl_link_got *got)
{
    struct fal_falcon packet = {0};
    struct tl_mux_copy *first = NULL;

    for (unsigned i = 0; i < mux->count; i++) {
        struct tl_mux_copy *copy = &mux->copies[i];

        if (copy->has_port ? copy->number == got->port : owns(copy, got->bytes, got->len))
            return copy;
        if (first == NULL && !copy->over && copy->conn[0] != 0)
            first = copy;
    }
    if (fal_falcon_decode(got->bytes, got->len, &packet) > 0 &&
        tl_bench_was_open(mux->base, packet.dest_cid))
        return NULL;
    if (!mux->lanes)
        return first;
    mux->stray = mux->unsettled = true;
    return NULL;
}

static void take_frame(struct tl_mux *mux, const struct tl_link_got *got)
{
    struct tl_mux_copy *copy = receiver(mux, got);

    if (mux->lanes) /* the SUT counted it, too, although its case may have ended */
        mux->received++;
    if (copy == NULL || copy->conn[0] == 0)
        return;
    copy->received++;
    if (!mux->lanes)
        mux->received++;
    tl_mux_give(copy, TL_LINK_FRAME, got, got->bytes, got->len);
}

/* A frame in the clear that names another copy's connection: its judge must know. */
static void tell_other(struct tl_mux_copy *from, const uint8_t *bytes, size_t len,
                       uint64_t at_ns)
{
    const struct tl_link_got got = {.at_ns = at_ns, .read_ns = at_ns};
    struct tl_mux *mux = from->mux;
    struct fal_falcon packet = {0};

    if (from->num_spis > 0 || fal_falcon_decode(bytes, len, &packet) <= 0 ||
        packet.dest_cid == from->sut_cid)
        return;
    for (unsigned i = 0; i < mux->count; i++)
        if (mux->copies[i].conn[0] != 0 && mux->copies[i].sut_cid == packet.dest_cid)
            tl_mux_give(&mux->copies[i], TL_LINK_OTHER, &got, bytes, len);
}

/* ---- turns ---- */

static bool ready(const struct tl_mux_copy *copy)
{
    return !copy->over && (!copy->waits || copy->due || copy->mux->no_memory ||
                           (copy->head != NULL && copy->head->got.at_ns <= copy->deadline_ns));
}

/* The next copy behind `from` that can go on; `count`: none. */
static unsigned next_ready(const struct tl_mux *mux, unsigned from)
{
    for (unsigned i = 1; i <= mux->count; i++) {
        unsigned k = (from + i) % mux->count;

        if (ready(&mux->copies[k]))
            return k;
    }
    return mux->count;
}

static uint64_t first_deadline(const struct tl_mux *mux)
{
    uint64_t first = FAL_NEVER;

    for (unsigned i = 0; i < mux->count; i++)
        if (!mux->copies[i].over && mux->copies[i].deadline_ns < first)
            first = mux->copies[i].deadline_ns;
    return first;
}

static bool anybody(const struct tl_mux *mux)
{
    for (unsigned i = 0; i < mux->count; i++)
        if (!mux->copies[i].over)
            return true;
    return false;
}

/* All wait: lets time go on until something happens. */
static void let_pass(struct tl_mux *mux)
{
    struct tl_link *link = mux->base->link;
    uint64_t deadline = first_deadline(mux), drops;
    struct tl_link_timing lost = {0};
    struct tl_link_got got;
    enum tl_link_event event = link->ops->wait(link, deadline, &got);

    switch (event) {
    case TL_LINK_FRAME: take_frame(mux, &got); break;
    case TL_LINK_LINE: tl_mux_line(mux, &got); break;
    case TL_LINK_TIMEOUT:
        for (unsigned i = 0; i < mux->count; i++)
            mux->copies[i].due |= mux->copies[i].deadline_ns <= deadline;
        break;
    case TL_LINK_OTHER: break; /* is said here only */
    case TL_LINK_CLOSED:
    case TL_LINK_ERROR:
        got.at_ns = got.read_ns = 0; /* told immediately, whatever they wait for */
        got.len = 0;
        mux->unsettled = true;
        tl_mux_give_all(mux, event, &got);
        break;
    }
    drops = link->ops->drops(link);
    if (link->ops->timing != NULL)
        link->ops->timing(link, &lost);
    for (unsigned i = 0; i < mux->count; i++) {
        mux->copies[i].drops += drops;
        tl_link_timing_join(&mux->copies[i].timing, &lost);
    }
}

/* A copy plays, on its own stack. */
static void play_copy(void *arg)
{
    struct tl_mux_copy *copy = arg;
    struct tl_mux *mux = copy->mux;
    struct fal_error err = {{0}};

    mux->play(mux->play_ctx, copy->number);
    copy->over = true;
    if (!mux->lanes && tl_mux_reset(mux, &err) != 0) {
        struct tl_link_got got = {.error = err};

        tl_mux_give_all(mux, TL_LINK_ERROR, &got);
    }
}

void tl_mux_play(struct tl_mux *mux, void (*play)(void *ctx, unsigned copy), void *ctx)
{
    unsigned turn = mux->count - 1;

    mux->play = play;
    mux->play_ctx = ctx;
    while (anybody(mux)) {
        unsigned next = next_ready(mux, turn);

        if (next == mux->count) {
            let_pass(mux);
            continue;
        }
        turn = next;
        (void)tl_fiber_resume(mux->copies[next].fiber);
    }
}

bool tl_mux_reached(struct tl_mux *mux, unsigned copy, unsigned stage)
{
    bool all = true;

    mux->copies[copy].stage = stage;
    for (unsigned i = 0; i < mux->count; i++)
        all &= mux->copies[i].over || mux->copies[i].stage >= stage;
    return all;
}

void tl_mux_wake(struct tl_mux *mux, unsigned copy)
{
    mux->copies[copy].due = true;
}

/* ---- the link that a copy sees ---- */

static struct tl_link_caps mux_caps(const struct tl_link *link)
{
    return ((const struct tl_mux_copy *)link)->bench.caps;
}

static uint64_t mux_now(struct tl_link *link)
{
    struct tl_link *base = copy_of(link)->mux->base->link;

    return base->ops->now_ns(base);
}

static void mux_mark(struct tl_link *link, int ecn, int ttl)
{
    copy_of(link)->ecn = ecn;
    copy_of(link)->ttl = ttl;
}

/* The base may have frames of others to send before: it is only asked whether it can. */
static const char *mux_spoil(struct tl_link *link, enum tl_flaw flaw)
{
    struct tl_link *base = copy_of(link)->mux->base->link;
    const char *why;

    if (base->ops->spoil == NULL)
        return "links of this type do not support it";
    why = base->ops->spoil(base, flaw);
    (void)base->ops->spoil(base, TL_FLAW_NONE);
    copy_of(link)->flaw = why == NULL ? flaw : TL_FLAW_NONE;
    return why;
}

static int mux_send(struct tl_link *link, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                    struct fal_error *err)
{
    struct tl_mux_copy *copy = copy_of(link);
    struct tl_link *base = copy->mux->base->link;
    enum tl_flaw flaw = copy->flaw;
    int rc;

    if (copy->has_port && base->ops->port(base, copy->number, NULL, 0, err) != 0)
        return FAL_ERR_IO;
    if (copy->ecn >= 0 || copy->ttl > 0) /* of this port's next frame */
        base->ops->mark(base, copy->ecn, copy->ttl);
    mux_mark(link, -1, 0);
    copy->flaw = TL_FLAW_NONE;
    if (flaw != TL_FLAW_NONE)
        (void)base->ops->spoil(base, flaw);
    rc = base->ops->send(base, bytes, len, sent_ns, err);
    if (rc != 0 || tl_bad_below(tl_flaw_bad(flaw))) /* no copy gets it */
        return rc;
    copy->sent++;
    copy->mux->sent++;
    tell_other(copy, bytes, len, *sent_ns);
    return 0;
}

static int mux_send_line(struct tl_link *link, const char *line, size_t len,
                         struct fal_error *err)
{
    return tl_mux_send_line(copy_of(link), line, len, err);
}

static int mux_send_object(struct tl_link *link, json_t *object, struct fal_error *err)
{
    return tl_mux_send_object(copy_of(link), json_copy(object), err);
}

static int mux_send_command(struct tl_link *link, struct tl_protocol_command *command,
                            struct fal_error *err)
{
    return tl_mux_send_command(copy_of(link), command, err);
}

static enum tl_link_event mux_wait(struct tl_link *link, uint64_t deadline_ns,
                                   struct tl_link_got *got)
{
    struct tl_mux_copy *copy = copy_of(link);
    struct tl_mux *mux = copy->mux;
    struct tl_mux_item *item;

    tl_mux_item_free(copy->taken);
    copy->taken = NULL;
    copy->deadline_ns = deadline_ns;
    copy->waits = true;
    tl_fiber_yield(copy->fiber);
    copy->waits = copy->due = false;
    item = copy->head;
    if (item != NULL && item->got.at_ns <= deadline_ns) {
        copy->head = item->next;
        if (copy->head == NULL)
            copy->tail = NULL;
        copy->taken = item;
        *got = item->got;
        got->read_ns = got->read_ns > got->at_ns ? mux_now(link) : got->read_ns;
        if (got->read_ns - got->at_ns > copy->timing.queue_ns && got->read_ns > got->at_ns)
            copy->timing.queue_ns = got->read_ns - got->at_ns;
        return item->kind;
    }
    *got = (struct tl_link_got){0};
    got->at_ns = got->read_ns = mux_now(link);
    if (!mux->no_memory)
        return TL_LINK_TIMEOUT;
    (void)fal_fail(&got->error, FAL_ERR_IO, "out of memory");
    return TL_LINK_ERROR;
}

static uint64_t mux_drops(struct tl_link *link)
{
    struct tl_mux_copy *copy = copy_of(link);
    uint64_t drops = copy->drops;

    copy->drops = 0;
    return drops;
}

static void mux_timing(struct tl_link *link, struct tl_link_timing *out)
{
    struct tl_mux_copy *copy = copy_of(link);

    *out = copy->timing;
    copy->timing = (struct tl_link_timing){0};
}

/* All copies play the same case. */
static void mux_esp(struct tl_link *link, bool esp)
{
    struct tl_link *base = copy_of(link)->mux->base->link;

    if (base->ops->esp != NULL)
        base->ops->esp(base, esp);
}

static void mux_free(struct tl_link *link)
{
    (void)link; /* tl_mux_free frees all */
}

/* The base stops for all copies. */
static const struct tl_stop *mux_stopped(struct tl_link *link)
{
    struct tl_link *base = copy_of(link)->mux->base->link;

    return base->ops->stopped != NULL ? base->ops->stopped(base) : NULL;
}

static uint64_t mux_under_way_ns(struct tl_link *link)
{
    struct tl_link *base = copy_of(link)->mux->base->link;

    return base->ops->under_way_ns != NULL ? base->ops->under_way_ns(base) : 0;
}

static const struct tl_link_ops mux_ops = {
    .caps = mux_caps,
    .now_ns = mux_now,
    .send = mux_send,
    .mark = mux_mark,
    .spoil = mux_spoil,
    .send_line = mux_send_line,
    .wait = mux_wait,
    .drops = mux_drops,
    .timing = mux_timing,
    .stopped = mux_stopped,
    .under_way_ns = mux_under_way_ns,
    .esp = mux_esp,
    .free = mux_free,
};

/* ---- birth and death ---- */

static int open_copy(struct tl_mux *mux, unsigned number, struct tl_stacks *stacks,
                     struct fal_error *err)
{
    struct tl_link *base = mux->base->link;
    struct tl_mux_copy *copy = &mux->copies[number];

    copy->link.ops = &mux->ops;
    copy->mux = mux;
    copy->number = number;
    copy->ecn = -1;
    copy->bench = *mux->base;
    copy->bench.link = &copy->link;
    copy->bench.shared = true;
    copy->bench.upper = tl_upper_new();
    copy->fiber = tl_fiber_new(stacks, play_copy, copy);
    if (copy->bench.upper == NULL || copy->fiber == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    tl_upper_hashes(copy->bench.upper, copy->bench.hashes);
    tl_upper_set_epoch(copy->bench.upper, tl_upper_epoch(mux->base->upper));
    if (!mux->base->caps.ports)
        return 0;
    copy->has_port = true;
    copy->bench.caps.local_address = copy->local;
    return base->ops->port(base, number, copy->local, sizeof copy->local, err);
}

struct tl_mux *tl_mux_make(struct tl_bench *bench, unsigned copies, struct tl_stacks *stacks,
                           struct fal_error *err)
{
    struct tl_mux *mux = calloc(1, sizeof *mux);

    if (mux != NULL)
        mux->copies = calloc(copies, sizeof *mux->copies);
    if (mux == NULL || mux->copies == NULL) {
        free(mux);
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    mux->base = bench;
    mux->ops = mux_ops;
    mux->objects = bench->link->ops->send_object != NULL;
    if (mux->objects)
        mux->ops.send_object = mux_send_object;
    mux->count = copies;
    for (unsigned i = 0; i < copies; i++) {
        if (open_copy(mux, i, stacks, err) != 0) {
            tl_mux_free(mux);
            return NULL;
        }
    }
    return mux;
}

struct tl_mux *tl_mux_new(struct tl_bench *bench, unsigned copies, struct tl_stacks *stacks,
                          struct fal_error *err)
{
    struct tl_mux *mux = tl_mux_make(bench, copies, stacks, err);

    if (mux != NULL && bench->link->ops->send_command != NULL)
        mux->ops.send_command = mux_send_command;
    return mux;
}

/* Keeps what later cases need: CIDs that were open, a path that has become longer, the end of
 * the SUT. */
static void keep_of(struct tl_bench *base, const struct tl_mux_copy *copy)
{
    if (copy->conn[0] != 0)
        base->old_cids[base->num_old_cids++ % TL_BENCH_OLD_CIDS] = copy->cid;
    if (copy->bench.path_ns > base->path_ns)
        base->path_ns = copy->bench.path_ns;
    if (copy->bench.dead && !base->dead) {
        base->dead = true;
        base->why = copy->bench.why;
    }
}

void tl_mux_free(struct tl_mux *mux)
{
    struct fal_error err;

    if (mux == NULL)
        return;
    for (unsigned i = 0; i < mux->count; i++) {
        struct tl_mux_copy *copy = &mux->copies[i];

        keep_of(mux->base, copy);
        tl_upper_free(copy->bench.upper);
        json_decref(copy->reset);
        while (copy->head != NULL) {
            struct tl_mux_item *item = copy->head;

            copy->head = item->next;
            tl_mux_item_free(item);
        }
        tl_mux_item_free(copy->taken);
        tl_fiber_free(copy->fiber);
    }
    if (mux->base->caps.ports)
        (void)mux->base->link->ops->port(mux->base->link, 0, NULL, 0, &err);
    free(mux->asked);
    free(mux->copies);
    free(mux);
}

struct tl_bench *tl_mux_bench(struct tl_mux *mux, unsigned copy)
{
    return &mux->copies[copy].bench;
}

uint32_t tl_mux_other_cid(const struct tl_mux *mux, unsigned copy)
{
    return mux->copies[(copy + 1) % mux->count].sut_cid;
}
