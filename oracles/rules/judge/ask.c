/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/ask.h"

#include "oracles/rules/facts/rdma.h"
#include "oracles/rules/judge/audit.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN _Alignof(max_align_t)

_Static_assert((int)FAL_SUBJECT_SUT == (int)FAL_TO_SUT &&
                   (int)FAL_SUBJECT_TESTER == (int)FAL_FROM_SUT,
               "a subject is the direction towards it");

enum { FAL_ON_BAD_BIT = 11, FAL_ON_WAITING_BIT = 12, FAL_ON_PACKET_BIT = 13 };
_Static_assert(FAL_ON_BAD == 1 << FAL_ON_BAD_BIT, "as in enum fal_on");
_Static_assert(FAL_ON_WAITING == 1 << FAL_ON_WAITING_BIT, "as in enum fal_on");
_Static_assert(FAL_ON_PACKET == 1 << FAL_ON_PACKET_BIT, "as in enum fal_on");
_Static_assert(FAL_ON_ANY == (1 << FAL_ON_BITS) - 1, "as in enum fal_on");
_Static_assert((int)FAL_ULP_COMPLETION < (int)FAL_ON_BITS,
               "fal_ask_list.on has a bit for each");

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
    case FAL_ASK_ENTRY: return !in && impl->entry != NULL;
    case FAL_ASK_VERBS: return !in && impl->verbs != NULL;
    case FAL_ASK_NVME: return !in && impl->nvme != NULL;
    case FAL_ASK_EXPLAINED: return !in && impl->explained != NULL;
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
    case FAL_ASK_CM:
    case FAL_ASK_VERBS:
    case FAL_ASK_NVME:
    case FAL_ASK_EXPLAINED:
    case FAL_ASK_ENTRY: return subject == FAL_SUBJECT_SUT;
    case FAL_ASK_MARK:
    case FAL_ASK_WAKE:
    case FAL_ASK_FINISH:
    case FAL_ASK_RESULT: break;
    }
    return true;
}

/* The packets, or the events of upper layers, that matter to the callback. */
static unsigned matters(const struct fal_rule_impl *impl, enum fal_ask_kind kind, bool in)
{
    unsigned on = 0;

    if (kind == FAL_ASK_PACKET_TO_SUT || kind == FAL_ASK_PACKET_FROM_SUT)
        on = in ? impl->on_in : impl->on_out;
    else if ((kind == FAL_ASK_RAW_TO_SUT || kind == FAL_ASK_RAW_FROM_SUT) && in)
        on = impl->on_raw_in;
    else if (kind == FAL_ASK_ULP)
        on = impl->on_ulp;
    return on != 0 ? on : FAL_ON_ANY;
}

/* The lists while they are made. */
struct making {
    struct fal_asking *asking;
    bool both_ends;
    enum fal_subject last; /* the subjects up to this one are judged */
    bool enabled[FAL_RULES_MAX];
};

static void make_list(const struct making *making, enum fal_ask_kind kind,
                      const size_t *state_at)
{
    size_t n;
    const struct fal_rule_impl *const *rules = fal_rule_table(&n);
    struct fal_ask_list *list = &making->asking->list[kind];

    for (size_t k = 0; k < 4 * n; k++) { /* rule, callback, subject; or end, rule, callback */
        size_t i = making->both_ends ? k / 2 % n : k / 4;
        bool in = (k & (making->both_ends ? 1 : 2)) != 0;
        enum fal_subject subject = (enum fal_subject)(making->both_ends ? k / 2 / n : k & 1);
        size_t cell = (size_t)subject * n + i;
        bool sut = making->both_ends || subject == FAL_SUBJECT_SUT;

        if (making->enabled[i] && subject <= making->last && hears(rules[i], kind, in) &&
            concerns(kind, subject, in) && (!rules[i]->sut_only || sut))
            list->entry[list->num++] =
                (struct fal_ask_entry){.impl = rules[i],
                                       .hear = in ? rules[i]->in : rules[i]->out,
                                       .raw = in ? rules[i]->raw_in : rules[i]->raw,
                                       .on = matters(rules[i], kind, in),
                                       .state_at = (uint32_t)state_at[cell],
                                       .subject = (uint8_t)subject,
                                       .cell = (uint8_t)cell,
                                       .in = in};
    }
}

/* Enters a callback for packets that asks for bags, in every list that has its rule: each
 * callback can fill the bags. */
static void note_waits(struct fal_asking *asking, enum fal_dir dir, size_t bit)
{
    const struct fal_ask_entry *of = &asking->list[fal_ask_packet(dir)].entry[bit];

    for (enum fal_ask_kind kind = FAL_ASK_RAW_TO_SUT; kind < FAL_ASK_RESULT; kind++) {
        struct fal_ask_list *list = &asking->list[kind];

        for (size_t i = 0; i < list->num; i++) {
            if (list->entry[i].cell != of->cell)
                continue;
            list->entry[i].bags = (uint8_t)of->impl->bags;
            list->entry[i].waits_word[dir] = (uint8_t)(bit / 64);
            list->entry[i].waits_bit[dir] = UINT64_C(1) << bit % 64;
        }
    }
}

static void make_sets(struct fal_asking *asking, enum fal_ask_kind kind)
{
    struct fal_ask_list *list = &asking->list[kind];
    bool packet = kind == FAL_ASK_PACKET_TO_SUT || kind == FAL_ASK_PACKET_FROM_SUT;

    list->words = (list->num + 63) / 64;
    for (size_t i = 0; i < list->num; i++) {
        unsigned on = list->entry[i].on;

        list->ends[list->entry[i].subject][i / 64] |= UINT64_C(1) << i % 64;
        list->ends[FAL_EVERY_END][i / 64] |= UINT64_C(1) << i % 64;
        for (unsigned bit = 0; bit < FAL_ON_BITS; bit++)
            if ((on >> bit & 1) != 0)
                list->on[bit][i / 64] |= UINT64_C(1) << i % 64;
        for (unsigned bit = 0; bit < FAL_ASSUME_BITS; bit++)
            if ((list->entry[i].impl->assumes >> bit & 1) != 0)
                list->assumes[list->entry[i].subject][bit][i / 64] |= UINT64_C(1) << i % 64;
        if (packet && (on & FAL_ON_WAITING) != 0 && (on & FAL_ON_PACKET) == 0)
            note_waits(asking, kind == FAL_ASK_PACKET_TO_SUT ? FAL_TO_SUT : FAL_FROM_SUT, i);
    }
}

static bool listed(const char *const *list, const char *id)
{
    for (; *list != NULL; list++)
        if (strcmp(*list, id) == 0)
            return true;
    return false;
}

struct fal_asking *fal_asking_new(const struct fal_judge_config *config)
{
    size_t n, state_at[FAL_CELLS_MAX];
    const struct fal_rule_impl *const *rules = fal_rule_table(&n);
    struct fal_asking *asking = calloc(1, sizeof *asking);
    struct making making = {.asking = asking,
                            .both_ends = config->both_ends,
                            .last = config->sut_alone ? FAL_SUBJECT_SUT : FAL_SUBJECT_TESTER};

    if (asking == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        making.enabled[i] =
            (config->only == NULL || listed(config->only, rules[i]->about->id)) &&
            (config->skip == NULL || !listed(config->skip, rules[i]->about->id));
    asking->both_ends = config->both_ends;
    asking->cells = n * ((size_t)making.last + 1);
    for (size_t cell = 0; cell < asking->cells; cell++) {
        state_at[cell] = asking->state_size;
        asking->state_size += (rules[cell % n]->state_size + ALIGN - 1) & ~(ALIGN - 1);
    }
    for (enum fal_ask_kind kind = FAL_ASK_RAW_TO_SUT; kind <= FAL_ASK_RESULT; kind++)
        make_list(&making, kind, state_at);
    for (enum fal_ask_kind kind = FAL_ASK_RAW_TO_SUT; kind <= FAL_ASK_RESULT; kind++)
        make_sets(asking, kind);
    for (size_t i = 0; i < asking->list[FAL_ASK_RESULT].num; i++)
        asking->result_of[asking->list[FAL_ASK_RESULT].entry[i].cell] = (uint8_t)i;
    return asking;
}

void fal_asking_free(struct fal_asking *asking)
{
    free(asking);
}

/* ---- asking ---- */

static void call(const struct fal_ask_entry *e, struct fal_ctx *c, enum fal_ask_kind kind,
                 const struct fal_asked *a)
{
    const struct fal_rule_impl *impl = e->impl;

    switch (kind) {
    case FAL_ASK_RAW_TO_SUT:
    case FAL_ASK_RAW_FROM_SUT: e->raw(c, a->event, a->fit); break;
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
    case FAL_ASK_ENTRY: impl->entry(c, a->entry); break;
    case FAL_ASK_VERBS: impl->verbs(c, a->said); break;
    case FAL_ASK_NVME: impl->nvme(c, a->heard); break;
    case FAL_ASK_EXPLAINED: impl->explained(c, a->explained); break;
    case FAL_ASK_MARK: impl->mark(c, a->event); break;
    case FAL_ASK_WAKE: impl->wake(c); break;
    case FAL_ASK_FINISH: impl->finish(c); break;
    case FAL_ASK_RESULT: break;
    }
}

/* Calls a callback that should change nothing. */
static void audited(struct fal_audit **audit, const struct fal_ask_entry *e, struct fal_ctx *c,
                    enum fal_ask_kind kind, const struct fal_asked *a)
{
    fal_audit_begin(audit, c);
    call(e, c, kind, a);
    fal_audit_end(*audit, c);
}

/* Parameters that bound how many packets a sender has outstanding, as bits. */
#define LIMITS                                                               \
    (FAL_PARAM_BIT(FAL_PARAM_AT_fcwnd) | FAL_PARAM_BIT(FAL_PARAM_AT_ncwnd) | \
     FAL_PARAM_BIT(FAL_PARAM_AT_tx_window_req) | FAL_PARAM_BIT(FAL_PARAM_AT_tx_window_data))

/* What a reliable packet has of enum fal_on. */
static unsigned reliable_has(const struct fal_judge *judge, const struct fal_track *track,
                             const struct fal_seen *seen)
{
    const struct fal_stream *stream = &track->stream[seen->dir][seen->window];
    enum fal_subject receiver = seen->dir == FAL_TO_SUT || judge->asking->both_ends
                                    ? FAL_SUBJECT_SUT
                                    : FAL_SUBJECT_TESTER;
    unsigned has = seen->prior == NULL ? FAL_ON_FIRST : FAL_ON_AGAIN;

    if (judge->bench.paths[receiver].in.lossless)
        has |= FAL_ON_ARRIVES;
    if (!stream->based || seen->x >= stream->base + (int64_t)fal_window_size(seen->window))
        has |= FAL_ON_BEYOND;
    if ((~track->setup.unknown_params & LIMITS) != 0 || track->limits.num > 0)
        has |= FAL_ON_LIMITS;
    return has;
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
        has |= reliable_has(judge, track, seen);
    if (seen->news)
        has |= FAL_ON_NEWS;
    if (seen->packet->has_iv)
        has |= FAL_ON_IV;
    if (track->clock[fal_dir_other(seen->dir)].started)
        has |= FAL_ON_CLOCK;
    if (judge->bench.control)
        has |= FAL_ON_CONTROL;
    if (fal_track_ordered(track))
        has |= FAL_ON_ORDERED;
    if (track->nacked)
        has |= FAL_ON_NACKED;
    if (!track->foreign[seen->dir])
        has |= FAL_ON_OURS;
    if (judge->bench.run.lossless_in && judge->bench.run.lossless_out)
        has |= FAL_ON_LOSSLESS;
    if (seen->rdma.flags != 0)
        has |= FAL_ON_RDMA;
    if (seen->nvme != NULL)
        has |= FAL_ON_NVME;
    return has;
}

/* The windows learned anew so far. */
static uint64_t epochs(const struct fal_track *track)
{
    return track->stream[0][0].epoch + track->stream[0][1].epoch + track->stream[1][0].epoch +
           track->stream[1][1].epoch;
}

/* What there is of enum fal_on. */
static unsigned packet_there(const struct fal_judge *judge, struct fal_live *live, unsigned end,
                             const struct fal_seen *seen)
{
    const struct fal_track *track = fal_conn_track(live->of, end);
    uint64_t *heard = &live->heard[end & 1][seen->dir], now = 1 + epochs(track);

    if (*heard != now) {
        *heard = now;
        return FAL_ON_ANY;
    }
    return packet_has(judge, track, seen);
}

/* Whether a bag of the rule holds something. */
static inline bool holds_any(const struct fal_ask_entry *e, const void *state)
{
    const struct fal_bag *bag = state;
    unsigned held = bag[0].num;

    for (unsigned i = 1; i < e->bags; i++)
        held |= bag[i].num;
    return held != 0;
}

/* Notes it. The bits of both directions are equal, where there are two. */
static inline void note_bags(struct fal_live *live, const struct fal_ask_entry *e,
                             const void *state)
{
    unsigned one = e->waits_bit[0] != 0 ? 0 : 1;
    bool held = holds_any(e, state);

    if (((live->waits[one][e->waits_word[one]] & e->waits_bit[one]) != 0) == held)
        return; /* as it was noted */
    for (unsigned d = 0; d < FAL_DIRS; d++) {
        uint64_t *word = &live->waits[d][e->waits_word[d]];

        *word = held ? *word | e->waits_bit[d] : *word & ~e->waits_bit[d];
    }
}

/* The entries that an event matters to which has `there` of fal_on. */
static void matters_to(const struct fal_ask_list *list, unsigned there,
                       uint64_t set[FAL_CELL_WORDS])
{
    memset(set, 0, FAL_CELL_WORDS * sizeof *set);
    for (; there != 0; there &= there - 1)
        for (size_t w = 0; w < list->words; w++)
            set[w] |= list->on[__builtin_ctz(there)][w];
}

/* The same for packets of a direction. */
static const uint64_t *packet_matters_to(struct fal_judge *judge, enum fal_dir dir,
                                         unsigned there)
{
    uint32_t at = there * UINT32_C(2654435761) >> (32 - FAL_MEMO_BITS);
    struct fal_ask_memo *memo = &judge->memo[dir][at];

    if (memo->there != there) {
        memo->there = there;
        matters_to(&judge->asking->list[fal_ask_packet(dir)], there, memo->set);
    }
    return memo->set;
}

/* The entries 64 * w to 64 * w + 63 whose assumption about the other side is broken. */
static uint64_t void_now(const struct fal_ask_list *list, const struct fal_track *track,
                         size_t w)
{
    uint64_t set = 0;

    if ((track->broken[FAL_TO_SUT] | track->broken[FAL_FROM_SUT]) == 0)
        return 0;
    for (unsigned s = 0; s < FAL_SUBJECTS; s++) {
        unsigned broken =
            track->broken[s == FAL_SUBJECT_SUT ? FAL_TO_SUT : FAL_FROM_SUT]; /* as fal_in */

        for (; broken != 0; broken &= broken - 1)
            set |= list->assumes[s][__builtin_ctz(broken)][w];
    }
    return set;
}

/* The context becomes that of a subject, or of an end that is the SUT. */
static void set_subject(struct fal_judge *judge, struct fal_live *live, struct fal_ctx *c,
                        unsigned subject)
{
    bool both_ends = judge->asking->both_ends;

    c->subject = both_ends ? FAL_SUBJECT_SUT : (enum fal_subject)subject;
    c->in = subject == 0 ? FAL_TO_SUT : FAL_FROM_SUT;
    if (live->of->open) {
        c->track = fal_conn_track(live->of, subject);
        c->wake_ns = &live->track.wake_ns[both_ends ? subject : 0];
    }
    c->readings = &judge->readings->of_subject[subject];
}

void fal_ask_begin(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c)
{
    c->conn = conn->number; /* what is not set here, an entry sets (turn_to) */
    c->bench = &judge->bench;
    c->config = &judge->config;
    c->tallies = &conn->live->tallies;
    c->now_ns = judge->now_ns;
    c->now_index = judge->now_index;
    c->takes = judge->takes;
    c->track = NULL;
    c->ulp = NULL;
    c->wake_ns = NULL;
    set_subject(judge, conn->live, c, 0);
}

/* The context becomes that of an entry. */
static inline void turn_to(struct fal_judge *judge, struct fal_live *live, struct fal_ctx *c,
                           const struct fal_ask_entry *e)
{
    if (c->in != (enum fal_dir)e->subject)
        set_subject(judge, live, c, e->subject);
    c->impl = e->impl;
    c->cell = e->cell;
    c->state = live->state + e->state_at;
}

/* Calls the entries in `todo` of the 64 at `entry` for a packet. A function of its own: the
 * compiler then keeps the places of the lists in registers. */
__attribute__((noinline)) static void tell(const struct fal_ask_entry *entry, uint64_t todo,
                                           struct fal_judge *judge, struct fal_live *live,
                                           struct fal_ctx *c, const struct fal_seen *seen)
{
    for (; todo != 0; todo &= todo - 1) {
        const struct fal_ask_entry *e = entry + (unsigned)__builtin_ctzll(todo);

        turn_to(judge, live, c, e);
        e->hear(c, seen);
        if (e->bags > 0)
            note_bags(live, e, c->state);
    }
}

/* Calls entry 64 * w + bit, which hears of the event only because the build is audited. */
static void overhear(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c,
                     enum fal_ask_kind kind, size_t at, const struct fal_asked *asked)
{
    const struct fal_ask_entry *e = &judge->asking->list[kind].entry[at];

    turn_to(judge, conn->live, c, e);
    audited(&judge->audit, e, c, kind, asked);
}

/* The entries 64 * w to 64 * w + 63 whose bags may hold something. Of a connection that was
 * packed all bits are set. */
static inline uint64_t waiting(const struct fal_ask_list *list, const struct fal_live *live,
                               enum fal_dir dir, size_t w)
{
    return live->waits[dir][w] & list->on[FAL_ON_WAITING_BIT][w];
}

/* The entries 64 * w to 64 * w + 63 that may hear of a packet, as far as an end's facts go. */
static uint64_t may_hear(const struct fal_ask_list *list, const struct fal_track *track,
                         unsigned end, size_t w)
{
    return list->ends[end][w] & ~void_now(list, track, w);
}

/* fal_ask_seen in a build that is audited: calls those too that the packet cannot matter to. */
static void ask_audited(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c,
                        unsigned end, const struct fal_seen *seen, const uint64_t *matters)
{
    enum fal_ask_kind kind = fal_ask_packet(seen->dir);
    const struct fal_ask_list *list = &judge->asking->list[kind];
    const struct fal_track *track = fal_conn_track(conn, end);

    for (size_t w = 0; w < list->words; w++) {
        uint64_t set = matters[w] | waiting(list, conn->live, seen->dir, w);

        for (uint64_t todo = may_hear(list, track, end, w); todo != 0; todo &= todo - 1)
            if ((set & todo & -todo) != 0)
                tell(list->entry + 64 * w, todo & -todo, judge, conn->live, c, seen);
            else
                overhear(judge, conn, c, kind, 64 * w + (size_t)__builtin_ctzll(todo),
                         &(struct fal_asked){.seen = seen});
    }
}

void fal_ask_seen(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c,
                  unsigned end, const struct fal_seen *seen)
{
    const struct fal_ask_list *list = &judge->asking->list[fal_ask_packet(seen->dir)];
    struct fal_live *live = conn->live;
    const struct fal_track *track = fal_conn_track(conn, end);
    const uint64_t *matters =
        packet_matters_to(judge, seen->dir, packet_there(judge, live, end, seen));
    bool all =
        end == FAL_EVERY_END && (track->broken[FAL_TO_SUT] | track->broken[FAL_FROM_SUT]) == 0;

    if (FAL_AUDITED) {
        ask_audited(judge, conn, c, end, seen, matters);
        return;
    }
    for (size_t w = 0; w < list->words; w++) {
        uint64_t todo = matters[w] | waiting(list, live, seen->dir, w);

        if (!all)
            todo &= may_hear(list, track, end, w);
        if (todo != 0)
            tell(list->entry + 64 * w, todo, judge, live, c, seen);
    }
}

/* The bit of fal_ask_list.on that the event has in a list of that kind, beside FAL_ON_BAD. */
static unsigned bit_of(enum fal_ask_kind kind, const struct fal_asked *asked)
{
    return kind == FAL_ASK_ULP ? (unsigned)asked->event->u.ulp.kind : FAL_ON_PACKET_BIT;
}

/* fal_ask_in for one end, or all entries. */
static void ask_in(struct fal_judge *judge, struct fal_ctx *c, struct fal_live *live,
                   unsigned end, enum fal_ask_kind kind, const struct fal_asked *asked)
{
    const struct fal_ask_list *list = &judge->asking->list[kind];
    bool raw = kind == FAL_ASK_RAW_TO_SUT || kind == FAL_ASK_RAW_FROM_SUT;
    bool bad = raw && asked->fit != FAL_FITS;
    unsigned bit = bit_of(kind, asked);

    for (size_t w = 0; w < list->words; w++) {
        uint64_t set = list->on[bit][w] | (bad ? list->on[FAL_ON_BAD_BIT][w] : 0);
        uint64_t todo = (FAL_AUDITED ? UINT64_MAX : set) & list->ends[end][w];

        if (c->track != NULL)
            todo &= ~void_now(list, c->track, w);
        for (; todo != 0; todo &= todo - 1) {
            size_t at = 64 * w + (size_t)__builtin_ctzll(todo);
            const struct fal_ask_entry *e = &list->entry[at];

            if (FAL_AUDITED && (set & todo & -todo) == 0) {
                overhear(judge, live->of, c, kind, at, asked);
                continue;
            }
            turn_to(judge, live, c, e);
            if (raw)
                e->raw(c, asked->event, asked->fit);
            else
                call(e, c, kind, asked);
            if (e->bags > 0)
                note_bags(live, e, c->state);
        }
    }
}

/* ask_in of a packet that fits, while no assumption is broken: as of most packets. */
__attribute__((noinline)) static void tell_raw(struct fal_judge *judge, struct fal_ctx *c,
                                               struct fal_live *live,
                                               const struct fal_ask_list *list,
                                               const struct fal_event *event)
{
    for (size_t w = 0; w < list->words; w++) {
        for (uint64_t todo = list->on[FAL_ON_PACKET_BIT][w]; todo != 0; todo &= todo - 1) {
            const struct fal_ask_entry *e = &list->entry[64 * w] + __builtin_ctzll(todo);

            turn_to(judge, live, c, e);
            e->raw(c, event, FAL_FITS);
            if (e->bags > 0)
                note_bags(live, e, c->state);
        }
    }
}

void fal_ask_raw(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c,
                 const struct fal_event *event, enum fal_fit fit)
{
    enum fal_ask_kind kind = fal_ask_raw_kind(event->u.packet.dir);
    const struct fal_track *track = c->track;

    if (!FAL_AUDITED && fit == FAL_FITS && conn->apart == NULL && track != NULL &&
        (track->broken[FAL_TO_SUT] | track->broken[FAL_FROM_SUT]) == 0)
        tell_raw(judge, c, conn->live, &judge->asking->list[kind], event);
    else
        fal_ask_in(judge, conn, c, kind, &(struct fal_asked){.event = event, .fit = fit});
}

void fal_ask_in(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c,
                enum fal_ask_kind kind, const struct fal_asked *asked)
{
    if (conn->apart == NULL) {
        ask_in(judge, c, conn->live, FAL_EVERY_END, kind, asked);
        return;
    }
    for (unsigned end = 0; end < FAL_SUBJECTS; end++) {
        set_subject(judge, conn->live, c, end);
        ask_in(judge, c, conn->live, end, kind, asked);
    }
}

void fal_ask_end(struct fal_judge *judge, struct fal_conn *conn, unsigned end,
                 enum fal_ask_kind kind, const struct fal_asked *asked)
{
    struct fal_ctx c;

    fal_ask_begin(judge, conn, &c);
    set_subject(judge, conn->live, &c, end);
    ask_in(judge, &c, conn->live, end, kind, asked);
}

void fal_ask(struct fal_judge *judge, struct fal_conn *conn, enum fal_ask_kind kind,
             const struct fal_asked *asked)
{
    struct fal_ctx c;

    fal_ask_begin(judge, conn, &c);
    fal_ask_in(judge, conn, &c, kind, asked);
}

void fal_release_states(const struct fal_judge *judge, struct fal_live *live)
{
    const struct fal_ask_list *all = &judge->asking->list[FAL_ASK_RESULT];

    for (const struct fal_ask_entry *e = all->entry; e < all->entry + all->num; e++)
        if (e->impl->release != NULL)
            e->impl->release(live->state + e->state_at);
}
