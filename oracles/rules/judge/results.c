/* SPDX-License-Identifier: Apache-2.0
 * results.c - the result of each rule, and the verdict over all. */
#include "oracles/rules/judge/ask.h"
#include "oracles/rules/judge/report.h"

#include <string.h>

static bool touched(const struct fal_tally *tally)
{
    uint64_t any = tally->holds | tally->undecided | tally->broken_fail | tally->broken_warn |
                   tally->broken_asked;

    for (size_t e = 0; e < FAL_EXCUSE_COUNT; e++)
        any |= tally->excused[e];
    return any != 0;
}

static void tell(struct fal_shown *shown, const struct fal_asking *asking, size_t cell)
{
    unsigned entry = asking->result_of[cell];

    shown->told[entry / 64] |= UINT64_C(1) << entry % 64;
}

/* Whether a counter of the result is not 0. */
static bool was_told(const struct fal_judge *judge, const struct fal_ask_entry *at)
{
    size_t entry = (size_t)(at - judge->asking->list[FAL_ASK_RESULT].entry);

    return (judge->shown->told[entry / 64] >> entry % 64 & 1) != 0;
}

/* Reads the tallies of a connection. Most cells have HOLDS alone; only those that have more, or
 * had more before, are written whole. */
static void read_tallies(struct fal_shown *shown, const struct fal_asking *asking,
                         const struct fal_tallies *tallies)
{
    memset(shown->told, 0, sizeof shown->told);
    for (size_t i = 0; i < shown->num_rich; i++)
        shown->is_rich[shown->rich[i]] = false;
    shown->num_rich = 0;
    for (size_t cell = 0; cell < tallies->cells; cell++) {
        if (tallies->holds[cell] == 0)
            continue;
        shown->all[cell].holds = tallies->holds[cell];
        tell(shown, asking, cell);
    }
    for (unsigned i = 0; i < tallies->num; i++) {
        size_t cell = tallies->list[i].what / FAL_ENDINGS;

        if (!shown->is_rich[cell]) {
            shown->all[cell] = (struct fal_tally){.holds = tallies->holds[cell]};
            shown->is_rich[cell] = true;
            tell(shown, asking, cell);
            shown->rich[shown->num_rich++] = (uint8_t)cell;
        }
        fal_tallies_read(&tallies->list[i], &shown->all[cell]);
    }
}

/* fal_count_verdict of a cell that has HOLDS alone. */
static enum fal_verdict held_verdict(const struct fal_rule_impl *impl, enum fal_subject subject,
                                     uint64_t holds)
{
    if (holds == 0)
        return FAL_VERDICT_NONE;
    return subject == FAL_SUBJECT_SUT && holds < impl->power ? FAL_VERDICT_INCONC
                                                             : FAL_VERDICT_PASS;
}

static void fill_rich(struct fal_shown *shown, const struct fal_ask_entry *at)
{
    const struct fal_tally *tally = &shown->all[at->cell];
    struct fal_rule_result *r = &shown->result;

    r->broken = tally->broken_fail + tally->broken_warn + tally->broken_asked;
    r->undecided = tally->undecided;
    r->verdict = fal_count_verdict(at->impl, r->subject, tally);
    for (unsigned e = 0; e < FAL_EXCUSE_COUNT; e++)
        r->excused[e] = tally->excused[e];
    memcpy(r->events, tally->events, sizeof r->events);
    shown->filled = true;
}

/* What only a rich result has. */
static void forget_rich(struct fal_shown *shown)
{
    struct fal_rule_result *r = &shown->result;

    r->broken = r->undecided = 0;
    memset(r->excused, 0, sizeof r->excused);
    memset(r->events, 0, sizeof r->events);
    shown->filled = false;
}

static void read_conn(const struct fal_judge *judge, const struct fal_conn *conn)
{
    struct fal_shown *shown = judge->shown;

    read_tallies(shown, judge->asking, fal_conn_tallies(conn, &shown->tallies));
    shown->of = conn;
    shown->result.conn = conn->number;
}

/* The result of a cell of the connection that was read. */
static inline void fill_read(const struct fal_judge *judge, const struct fal_ask_entry *at)
{
    struct fal_shown *shown = judge->shown;
    struct fal_rule_result *r = &shown->result;

    r->rule = at->impl->about;
    r->subject = judge->asking->both_ends ? FAL_SUBJECT_SUT : (enum fal_subject)at->subject;
    r->holds = was_told(judge, at) ? shown->all[at->cell].holds : 0;
    if (shown->is_rich[at->cell]) {
        fill_rich(shown, at);
        return;
    }
    if (shown->filled)
        forget_rich(shown);
    r->verdict = held_verdict(at->impl, r->subject, r->holds);
}

static inline void fill_result(const struct fal_judge *judge, const struct fal_conn *conn,
                               const struct fal_ask_entry *at)
{
    if (judge->shown->of != conn || conn->live != NULL)
        read_conn(judge, conn);
    fill_read(judge, at);
}

/* The cells of an end: those of a judge of both ends stand one end after the other. */
static const struct fal_ask_entry *entries_of(const struct fal_judge *judge, unsigned end)
{
    return judge->asking->list[FAL_ASK_RESULT].entry + end * fal_judge_results_each(judge);
}

/* The k-th result of the strays: they have only results that say something. */
static bool pick_stray(const struct fal_judge *judge, unsigned end, size_t k)
{
    const struct fal_ask_entry *entry = entries_of(judge, end);

    for (size_t i = 0; i < fal_judge_results_each(judge); i++) {
        struct fal_tally tally = fal_tallies_of(&judge->strays->live->tallies, entry[i].cell);

        if (touched(&tally) && k-- == 0) {
            fill_result(judge, judge->strays, &entry[i]);
            return true;
        }
    }
    return false;
}

const struct fal_rule_result *fal_judge_result_of(const struct fal_judge *judge, unsigned end,
                                                  size_t i)
{
    size_t each = fal_judge_results_each(judge);
    struct fal_shown *shown = judge->shown;

    if (each == 0 || (end > 0 && !judge->asking->both_ends))
        return NULL;
    if (shown->current == NULL || shown->end != end || i - shown->first >= each) {
        if (i / each >= judge->conns.num)
            return pick_stray(judge, end, i - each * judge->conns.num) ? &shown->result : NULL;
        shown->current = judge->conns.list[i / each];
        shown->end = end;
        shown->first = i - i % each;
    }
    fill_result(judge, shown->current, entries_of(judge, end) + (i - shown->first));
    return &shown->result;
}

const struct fal_rule_result *fal_judge_result(const struct fal_judge *judge, size_t i)
{
    return fal_judge_result_of(judge, 0, i);
}

static bool is_empty(const struct fal_tallies *tallies)
{
    uint32_t any = tallies->num;

    for (size_t cell = 0; cell < tallies->cells; cell++)
        any |= tallies->holds[cell];
    return any == 0;
}

/* The first result of the end from number `i` on that was told; `each`: none. */
static size_t next_told(const struct fal_judge *judge, unsigned end, size_t i)
{
    size_t each = fal_judge_results_each(judge), first = end * each;

    while (i < each) {
        uint64_t told = judge->shown->told[(first + i) / 64] >> (first + i) % 64;

        if (told != 0) {
            i += (size_t)__builtin_ctzll(told);
            break;
        }
        i += 64 - (first + i) % 64;
    }
    return i < each ? i : each;
}

const struct fal_rule_result *fal_judge_next_result(const struct fal_judge *judge,
                                                    struct fal_result_walk *walk)
{
    const struct fal_ask_entry *entries = entries_of(judge, walk->end);
    size_t each = fal_judge_results_each(judge);
    struct fal_shown *shown = judge->shown;

    for (; walk->conn <= judge->conns.num; walk->conn++, walk->entry = 0) {
        const struct fal_conn *conn =
            walk->conn < judge->conns.num ? judge->conns.list[walk->conn] : judge->strays;

        if (conn == judge->strays && is_empty(&conn->live->tallies))
            continue;
        if (shown->of != conn || (walk->entry == 0 && conn->live != NULL))
            read_conn(judge, conn);
        walk->entry = next_told(judge, walk->end, walk->entry);
        if (walk->entry < each) {
            fill_read(judge, &entries[walk->entry++]);
            return &shown->result;
        }
    }
    return NULL;
}

size_t fal_judge_results_each(const struct fal_judge *judge)
{
    size_t num = judge->asking->list[FAL_ASK_RESULT].num;

    return judge->asking->both_ends ? num / 2 : num;
}

/* What a window shows of an ambiguity. False: nothing, or no more than the window before it. */
static bool shown_reading(const struct fal_readings *readings, enum fal_amb amb,
                          enum fal_window window, struct fal_reading_result *out)
{
    enum fal_window other = window == FAL_WINDOW_DATA ? FAL_WINDOW_REQ : FAL_WINDOW_DATA;
    enum fal_reading now = fal_reading_now(readings, amb, window);
    const struct fal_at *by = &readings->of[amb][window].by;

    if (!readings->of[amb][window].told)
        return false;
    if (readings->of[amb][other].told && fal_reading_now(readings, amb, other) == now) {
        if (window > other)
            return false;
        if (readings->of[amb][other].by.index < by->index)
            by = &readings->of[amb][other].by;
    }
    *out = (struct fal_reading_result){.id = fal_amb_name(amb),
                                       .text = fal_amb_text(amb, now),
                                       .alternative = now == FAL_READING_OTHER,
                                       .by = by->index,
                                       .by_ns = by->t_ns,
                                       .by_frame = by->frame};
    return true;
}

bool fal_judge_reading(const struct fal_judge *judge, enum fal_subject subject, size_t i,
                       struct fal_reading_result *out)
{
    return fal_judge_reading_of(judge, (unsigned)subject, i, out);
}

bool fal_judge_reading_of(const struct fal_judge *judge, unsigned end, size_t i,
                          struct fal_reading_result *out)
{
    const struct fal_readings *readings = &judge->readings->of_subject[end];

    for (enum fal_amb amb = 0; amb < FAL_AMB_COUNT; amb++)
        for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++)
            if (shown_reading(readings, amb, w, out) && i-- == 0)
                return true;
    return false;
}

uint64_t fal_result_decided(const struct fal_rule_result *r)
{
    return r->holds + r->broken + r->excused[FAL_EXCUSE_READING];
}

static uint64_t excused(const struct fal_rule_result *r)
{
    uint64_t sum = 0;

    for (unsigned e = 0; e < FAL_EXCUSE_COUNT; e++)
        sum += e != FAL_EXCUSE_READING ? r->excused[e] : 0;
    return sum;
}

uint64_t fal_result_open(const struct fal_rule_result *r)
{
    return r->undecided + excused(r);
}

bool fal_power_enough(uint64_t decided, uint64_t open)
{
    return open == 0 || (decided >= FAL_POWER && decided >= open);
}

bool fal_result_counts(const struct fal_rule_result *r)
{
    return r->verdict != FAL_VERDICT_INCONC || (excused(r) > 0 && fal_result_decided(r) == 0);
}

const struct fal_missed *fal_judge_missed(const struct fal_judge *judge)
{
    return judge->missed.found ? &judge->missed : NULL;
}

bool fal_judge_failed(const struct fal_judge *judge)
{
    return judge->oom;
}

enum fal_verdict fal_judge_verdict(const struct fal_judge *judge)
{
    struct fal_shown *shown = judge->shown;
    enum fal_verdict worst = judge->oom ? FAL_VERDICT_ERROR : FAL_VERDICT_NONE;
    const struct fal_rule_result *r;
    struct fal_suspect suspect;
    unsigned ends = judge->asking->both_ends ? 2 : 1;

    if (shown->decided)
        return shown->verdict;
    /* Without a count a rule was not exercised. */
    for (unsigned end = 0; end < ends; end++) {
        struct fal_result_walk walk = {.end = end};

        if (fal_judge_suspect_of(judge, end, 0, &suspect))
            worst = fal_verdict_worse(worst, FAL_VERDICT_INCONC);
        while ((r = fal_judge_next_result(judge, &walk)) != NULL)
            if (fal_result_counts(r))
                worst = fal_verdict_worse(worst, r->verdict);
    }
    shown->decided = judge->finished;
    shown->verdict = worst;
    return worst;
}

enum fal_verdict fal_judge_decided(const struct fal_judge *judge)
{
    enum fal_verdict worst = FAL_VERDICT_NONE;
    const struct fal_rule_result *r;
    unsigned ends = judge->asking->both_ends ? 2 : 1;

    for (unsigned end = 0; end < ends; end++) {
        struct fal_result_walk walk = {.end = end};

        while ((r = fal_judge_next_result(judge, &walk)) != NULL)
            if (r->verdict != FAL_VERDICT_INCONC)
                worst = fal_verdict_worse(worst, r->verdict);
    }
    return worst;
}

const char *fal_excuse_name(enum fal_excuse excuse)
{
    static const char *const names[FAL_EXCUSE_COUNT] = {
        [FAL_EXCUSE_IN_LOSS] = "in-loss",
        [FAL_EXCUSE_OUT_LOSS] = "out-loss",
        [FAL_EXCUSE_IN_DUP] = "in-dup",
        [FAL_EXCUSE_OUT_DUP] = "out-dup",
        [FAL_EXCUSE_IN_REORDER] = "in-reorder",
        [FAL_EXCUSE_OUT_REORDER] = "out-reorder",
        [FAL_EXCUSE_CAPTURE_GAP] = "capture-gap",
        [FAL_EXCUSE_PIPELINE] = "pipeline",
        [FAL_EXCUSE_RESOURCE_DROP] = "resource-drop",
        [FAL_EXCUSE_STALE_NACK] = "stale-nack",
        [FAL_EXCUSE_CC_UNKNOWN] = "cc-unknown",
        [FAL_EXCUSE_CONFIG] = "config",
        [FAL_EXCUSE_TURNAROUND] = "config:turnaround",
        [FAL_EXCUSE_CLOCK] = "clock",
        [FAL_EXCUSE_TESTER_LATE] = "tester-late",
        [FAL_EXCUSE_WRITE_ORDER] = "write-order",
        [FAL_EXCUSE_READING] = "reading",
    };

    return names[excuse];
}
