/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/ask.h"

#include "oracles/rules/judge/audit.h"

#include <stddef.h>
#include <string.h>

#define ALIGN _Alignof(max_align_t)

/* ---- who hears of what ---- */

_Static_assert(FAL_CELLS_MAX <= UINT8_MAX + 1, "fal_ask_entry.cell holds each cell");
_Static_assert(FAL_ASK_KINDS == FAL_ASK_RESULT + 1, "a list for each kind");

static bool hears(const struct fal_rule_impl *impl, enum fal_ask_kind kind, bool in)
{
    switch (kind) {
    case FAL_ASK_RAW_TO_SUT:
    case FAL_ASK_RAW_FROM_SUT: return in ? impl->raw_in != NULL : impl->raw != NULL;
    case FAL_ASK_PACKET_TO_SUT:
    case FAL_ASK_PACKET_FROM_SUT: return in ? impl->in != NULL : impl->out != NULL;
    case FAL_ASK_ULP: return !in && impl->ulp != NULL;
    case FAL_ASK_APPLIED: return !in && impl->applied != NULL;
    case FAL_ASK_TOLD: return !in && impl->told != NULL;
    case FAL_ASK_POSTED: return !in && impl->posted != NULL;
    case FAL_ASK_COMMAND: return !in && impl->command != NULL;
    case FAL_ASK_CM: return !in && impl->cm != NULL;
    case FAL_ASK_MARK: return !in && impl->mark != NULL;
    case FAL_ASK_WAKE: return !in && impl->wake != NULL;
    case FAL_ASK_FINISH: return !in && impl->finish != NULL;
    case FAL_ASK_RESULT: return !in;
    }
    return false;
}

/* Whether that subject is told, by its `in` callback or the other. */
static bool concerns(enum fal_ask_kind kind, enum fal_subject subject, bool in)
{
    bool to_sut = kind == FAL_ASK_RAW_TO_SUT || kind == FAL_ASK_PACKET_TO_SUT;

    switch (kind) {
    case FAL_ASK_RAW_TO_SUT:
    case FAL_ASK_RAW_FROM_SUT:
    case FAL_ASK_PACKET_TO_SUT:
    case FAL_ASK_PACKET_FROM_SUT: return (to_sut == (subject == FAL_SUBJECT_SUT)) == in;
    case FAL_ASK_ULP:
    case FAL_ASK_APPLIED:
    case FAL_ASK_TOLD:
    case FAL_ASK_POSTED:
    case FAL_ASK_COMMAND:
    case FAL_ASK_CM: return subject == FAL_SUBJECT_SUT;
    case FAL_ASK_MARK:
    case FAL_ASK_WAKE:
    case FAL_ASK_FINISH:
    case FAL_ASK_RESULT: break;
    }
    return true;
}

/* The packets that matter to the callback. */
static unsigned matters(const struct fal_rule_impl *impl, enum fal_ask_kind kind, bool in)
{
    unsigned on = 0;

    if (kind == FAL_ASK_PACKET_TO_SUT || kind == FAL_ASK_PACKET_FROM_SUT)
        on = in ? impl->on_in : impl->on_out;
    else if ((kind == FAL_ASK_RAW_TO_SUT || kind == FAL_ASK_RAW_FROM_SUT) && in)
        on = impl->on_raw_in;
    return on != 0 ? on : FAL_ON_ANY;
}

static void make_list(struct fal_judge *judge, enum fal_ask_kind kind, const size_t *state_at)
{
    size_t n;
    const struct fal_rule_impl *const *rules = fal_rule_table(&n);
    enum fal_subject last = judge->config.sut_alone ? FAL_SUBJECT_SUT : FAL_SUBJECT_TESTER;
    struct fal_ask_list *list = &judge->asking.list[kind];

    for (size_t k = 0; k < 4 * n; k++) { /* rule, callback, subject */
        size_t i = k / 4;
        bool in = (k & 2) != 0;
        enum fal_subject subject = (enum fal_subject)(k & 1);
        size_t cell = (size_t)subject * n + i;

        if (judge->enabled[i] && subject <= last && hears(rules[i], kind, in) &&
            concerns(kind, subject, in) && (!rules[i]->sut_only || subject == FAL_SUBJECT_SUT))
            list->entry[list->num++] =
                (struct fal_ask_entry){.impl = rules[i],
                                       .hear = in ? rules[i]->in : rules[i]->out,
                                       .on = matters(rules[i], kind, in),
                                       .state_at = (uint32_t)state_at[cell],
                                       .assumes = (uint8_t)rules[i]->assumes,
                                       .bags = (uint8_t)rules[i]->bags,
                                       .subject = (uint8_t)subject,
                                       .cell = (uint8_t)cell,
                                       .in = in};
    }
}

void fal_asking_init(struct fal_judge *judge)
{
    size_t n, state_at[FAL_CELLS_MAX];
    const struct fal_rule_impl *const *rules = fal_rule_table(&n);
    enum fal_subject last = judge->config.sut_alone ? FAL_SUBJECT_SUT : FAL_SUBJECT_TESTER;

    judge->asking.cells = n * ((size_t)last + 1);
    for (size_t cell = 0; cell < judge->asking.cells; cell++) {
        state_at[cell] = judge->asking.state_size;
        judge->asking.state_size += (rules[cell % n]->state_size + ALIGN - 1) & ~(ALIGN - 1);
    }
    for (enum fal_ask_kind kind = FAL_ASK_RAW_TO_SUT; kind <= FAL_ASK_RESULT; kind++)
        make_list(judge, kind, state_at);
}

/* ---- asking ---- */

static void call(const struct fal_ask_entry *e, struct fal_ctx *c, enum fal_ask_kind kind,
                 const struct fal_asked *a)
{
    const struct fal_rule_impl *impl = e->impl;

    switch (kind) {
    case FAL_ASK_RAW_TO_SUT:
    case FAL_ASK_RAW_FROM_SUT: (e->in ? impl->raw_in : impl->raw)(c, a->event, a->fit); break;
    case FAL_ASK_PACKET_TO_SUT:
    case FAL_ASK_PACKET_FROM_SUT: e->hear(c, a->seen); break;
    case FAL_ASK_ULP: impl->ulp(c, a->event); break;
    case FAL_ASK_APPLIED:
        impl->applied(c, a->command->asked.rsn, a->command->asked.answer, &a->command->at);
        break;
    case FAL_ASK_TOLD: impl->told(c, a->told); break;
    case FAL_ASK_POSTED: impl->posted(c, a->posted); break;
    case FAL_ASK_COMMAND: impl->command(c, a->event); break;
    case FAL_ASK_CM: impl->cm(c, a->event); break;
    case FAL_ASK_MARK: impl->mark(c, a->event); break;
    case FAL_ASK_WAKE: impl->wake(c); break;
    case FAL_ASK_FINISH: impl->finish(c); break;
    case FAL_ASK_RESULT: break;
    }
}

/* Calls a callback that should change nothing. */
static void audited(const struct fal_ask_entry *e, struct fal_ctx *c, enum fal_ask_kind kind,
                    const struct fal_asked *a)
{
    struct fal_audit *audit = fal_audit_begin(c);

    call(e, c, kind, a);
    fal_audit_end(audit, c);
}

/* What a packet has of enum fal_on. */
static unsigned packet_has(const struct fal_judge *judge, const struct fal_track *track,
                           const struct fal_seen *seen)
{
    static const uint16_t by_type[] = {[FAL_RESYNC] = FAL_ON_RESYNC,
                                       [FAL_PULL_DATA] = FAL_ON_PULL_DATA,
                                       [FAL_BACK] = FAL_ON_BACK,
                                       [FAL_EACK] = FAL_ON_EACK,
                                       [FAL_NACK] = FAL_ON_NACK};
    unsigned type = seen->falcon->packet_type, has = FAL_ON_PACKET;

    if (type < sizeof by_type / sizeof *by_type)
        has |= by_type[type];
    if (seen->reliable)
        has |= seen->prior == NULL ? FAL_ON_FIRST : FAL_ON_AGAIN;
    if (seen->packet->has_iv)
        has |= FAL_ON_IV;
    if (track->clock[fal_dir_other(seen->dir)].started)
        has |= FAL_ON_CLOCK;
    if (judge->bench.control)
        has |= FAL_ON_CONTROL;
    if (fal_track_ordered(track))
        has |= FAL_ON_ORDERED;
    return has;
}

/* The windows learned anew so far. */
static uint64_t epochs(const struct fal_track *track)
{
    return track->stream[0][0].epoch + track->stream[0][1].epoch + track->stream[1][0].epoch +
           track->stream[1][1].epoch;
}

/* What there is of enum fal_on. */
static unsigned there_is(const struct fal_judge *judge, struct fal_live *live,
                         enum fal_ask_kind kind, const struct fal_asked *asked)
{
    uint64_t *heard, now;

    if (kind == FAL_ASK_RAW_TO_SUT || kind == FAL_ASK_RAW_FROM_SUT)
        return asked->fit != FAL_FITS ? FAL_ON_ANY : FAL_ON_PACKET;
    if (kind != FAL_ASK_PACKET_TO_SUT && kind != FAL_ASK_PACKET_FROM_SUT)
        return FAL_ON_ANY;
    heard = &live->heard[asked->seen->dir];
    now = 1 + epochs(&live->track);
    if (*heard != now) {
        *heard = now;
        return FAL_ON_ANY;
    }
    return packet_has(judge, &live->track, asked->seen);
}

static bool waits(const struct fal_ask_entry *e, const void *state)
{
    const struct fal_bag *bag = state;

    for (unsigned i = 0; i < e->bags; i++)
        if (bag[i].num > 0)
            return true;
    return false;
}

void fal_ask(struct fal_judge *judge, struct fal_conn *conn, enum fal_ask_kind kind,
             const struct fal_asked *asked)
{
    const struct fal_ask_list *list = &judge->asking.list[kind];
    struct fal_live *live = conn->live;
    struct fal_track *track = conn->open ? &live->track : NULL;
    unsigned there = there_is(judge, live, kind, asked);
    struct fal_ctx c = {.conn = conn->number,
                        .bench = &judge->bench,
                        .config = &judge->config,
                        .track = track,
                        .tallies = &live->tallies,
                        .now_ns = judge->now_ns,
                        .now_index = judge->now_index};

    for (const struct fal_ask_entry *e = list->entry; e < list->entry + list->num; e++) {
        void *state = live->state + e->state_at;
        bool matters =
            (e->on & there) != 0 || ((e->on & FAL_ON_WAITING) != 0 && waits(e, state));

        if (!matters && !FAL_AUDITED)
            continue;
        c.subject = (enum fal_subject)e->subject;
        if (track != NULL && (track->broken[fal_in(&c)] & e->assumes) != 0)
            continue;
        c.impl = e->impl;
        c.cell = e->cell;
        c.readings = &judge->readings[c.subject];
        c.excuses = judge->excuses[c.subject];
        c.state = state;
        if (matters)
            call(e, &c, kind, asked);
        else
            audited(e, &c, kind, asked);
    }
}

void fal_release_states(const struct fal_judge *judge, struct fal_live *live)
{
    const struct fal_ask_list *all = &judge->asking.list[FAL_ASK_RESULT];

    for (const struct fal_ask_entry *e = all->entry; e < all->entry + all->num; e++)
        if (e->impl->release != NULL)
            e->impl->release(live->state + e->state_at);
    memset(live->state, 0, judge->asking.state_size);
}
