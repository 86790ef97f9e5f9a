/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/ask.h"

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

void fal_asking_init(struct fal_judge *judge)
{
    size_t n;
    const struct fal_rule_impl *const *rules = fal_rule_table(&n);
    enum fal_subject last = judge->config.sut_alone ? FAL_SUBJECT_SUT : FAL_SUBJECT_TESTER;

    judge->asking.cells = n * ((size_t)last + 1);
    for (size_t cell = 0; cell < judge->asking.cells; cell++) {
        judge->asking.state_at[cell] = judge->asking.state_size;
        judge->asking.state_size += (rules[cell % n]->state_size + ALIGN - 1) & ~(ALIGN - 1);
    }
    for (enum fal_ask_kind kind = FAL_ASK_RAW_TO_SUT; kind <= FAL_ASK_RESULT; kind++) {
        struct fal_ask_list *list = &judge->asking.list[kind];

        for (size_t k = 0; k < 4 * n; k++) { /* rule, callback, subject */
            size_t i = k / 4;
            bool in = (k & 2) != 0;
            enum fal_subject subject = (enum fal_subject)(k & 1);

            if (judge->enabled[i] && subject <= last && hears(rules[i], kind, in) &&
                concerns(kind, subject, in) &&
                (!rules[i]->sut_only || subject == FAL_SUBJECT_SUT))
                list->entry[list->num++] =
                    (struct fal_ask_entry){.impl = rules[i],
                                           .subject = (uint8_t)subject,
                                           .in = in,
                                           .cell = (uint8_t)((size_t)subject * n + i)};
        }
    }
}

/* ---- asking ---- */

static void call(const struct fal_rule_impl *impl, struct fal_ctx *c, enum fal_ask_kind kind,
                 bool in, const struct fal_asked *a)
{
    switch (kind) {
    case FAL_ASK_RAW_TO_SUT:
    case FAL_ASK_RAW_FROM_SUT: (in ? impl->raw_in : impl->raw)(c, a->event, a->fit); break;
    case FAL_ASK_PACKET_TO_SUT:
    case FAL_ASK_PACKET_FROM_SUT: (in ? impl->in : impl->out)(c, a->seen); break;
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

void fal_ask(struct fal_judge *judge, struct fal_conn *conn, enum fal_ask_kind kind,
             const struct fal_asked *asked)
{
    const struct fal_ask_list *list = &judge->asking.list[kind];
    struct fal_live *live = conn->live;
    struct fal_track *track = conn->open ? &live->track : NULL;
    struct fal_ctx c = {.conn = conn->number,
                        .bench = &judge->bench,
                        .config = &judge->config,
                        .track = track,
                        .tallies = &live->tallies,
                        .now_ns = judge->now_ns,
                        .now_index = judge->now_index};

    for (const struct fal_ask_entry *e = list->entry; e < list->entry + list->num; e++) {
        c.subject = (enum fal_subject)e->subject;
        if (track != NULL && (track->broken[fal_in(&c)] & e->impl->assumes) != 0)
            continue;
        c.impl = e->impl;
        c.cell = e->cell;
        c.readings = &judge->readings[c.subject];
        c.excuses = judge->excuses[c.subject];
        c.state = live->state + judge->asking.state_at[e->cell];
        call(e->impl, &c, kind, e->in, asked);
    }
}

void fal_release_states(const struct fal_judge *judge, struct fal_live *live)
{
    const struct fal_ask_list *all = &judge->asking.list[FAL_ASK_RESULT];

    for (const struct fal_ask_entry *e = all->entry; e < all->entry + all->num; e++)
        if (e->impl->release != NULL)
            e->impl->release(live->state + judge->asking.state_at[e->cell]);
    memset(live->state, 0, judge->asking.state_size);
}
