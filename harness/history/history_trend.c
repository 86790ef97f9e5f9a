/* SPDX-License-Identifier: Apache-2.0
 * history_trend.c - requirements, causes and cases over the runs. Names come from one
 * statement, the states of each from a second one, which reads neighbours in the database. */
#include "harness/history/history_db.h"

#include "reports/results/overview.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Where a run of the database lies in the list. */
struct place {
    int64_t id;
    size_t at;
};

struct gathering {
    struct tl_history *h;
    const struct tl_history_runs *runs;
    struct tl_history_trend *out;
    enum tl_history_of of;
    bool all;
    struct place *places; /* by id */
    size_t next;          /* of them, for the states of a row, which come by id, too */
    /* Of the row that is read, for each run of the list. */
    uint8_t *marks;
    uint32_t *counts;
    bool *unstable;
};

/* `odd`: those that may have something to show. The columns of `states`: the run, then what
 * `mark_of` reads. */
static const struct {
    const char *odd, *all, *states;
} queries[TL_HISTORY_KINDS] = {
    [TL_HISTORY_REQUIREMENTS] =
        {"SELECT id, name, title FROM requirement WHERE id IN"
         " (SELECT requirement_id FROM proof WHERE proof > 4) ORDER BY name",
         "SELECT id, name, title FROM requirement ORDER BY name",
         "SELECT run_id, proof FROM proof WHERE requirement_id = ?1 ORDER BY run_id"},
    [TL_HISTORY_CAUSES] =
        {"SELECT id, name, sentence FROM cause ORDER BY name",
         "SELECT id, name, sentence FROM cause ORDER BY name",
         "SELECT run_id, verdict, follows, cases FROM run_cause WHERE cause_id = ?1 ORDER BY run_id"},
    [TL_HISTORY_CASES] =
        {"SELECT id, name, title FROM test_case WHERE id IN"
         " (SELECT case_id FROM result WHERE verdict > 1 OR unstable <> 0) ORDER BY name",
         "SELECT id, name, title FROM test_case ORDER BY name",
         "SELECT run_id, verdict, disposition, unstable FROM result WHERE case_id = ?1 ORDER BY run_id"},
};

/* ---- states ---- */

static enum tl_history_mark mark_of_verdict(enum fal_verdict verdict)
{
    static const enum tl_history_mark marks[TL_VERDICTS] = {TL_MARK_ABSENT, TL_MARK_PASS,
                                                            TL_MARK_WARN,   TL_MARK_INCONC,
                                                            TL_MARK_FAIL,   TL_MARK_ERROR};

    return marks[verdict];
}

static enum tl_history_mark mark_of_proof(sqlite3_int64 proof)
{
    static const enum tl_history_mark marks[TL_PROOF_KINDS] = {
        [TL_PROOF_WATCHED] = TL_MARK_PASS,    [TL_PROOF_PASS] = TL_MARK_PASS,
        [TL_PROOF_FOLLOWS] = TL_MARK_EXCUSED, [TL_PROOF_WAIVED] = TL_MARK_EXCUSED,
        [TL_PROOF_WARN] = TL_MARK_WARN,       [TL_PROOF_FAIL] = TL_MARK_FAIL,
    };

    return proof > 0 && proof < TL_PROOF_KINDS ? marks[proof] : TL_MARK_ABSENT;
}

/* Where the disposition leaves it to the verdict: TL_MARKS. */
static enum tl_history_mark mark_of_case(sqlite3_stmt *row)
{
    static const enum tl_history_mark marks[TL_DISPOSITIONS] = {
        [TL_RAN] = TL_MARKS,
        [TL_NOT_APPLICABLE] = TL_MARK_ABSENT,
        [TL_SKIPPED] = TL_MARK_ABSENT,
        [TL_NOT_RUN] = TL_MARK_ABSENT,
        [TL_WAIVED] = TL_MARK_EXCUSED,
        [TL_EXPECTED_FAILURE] = TL_MARK_EXCUSED,
        [TL_UNEXPECTED_PASS] = TL_MARKS,
        [TL_FLAKY] = TL_MARK_EXCUSED,
    };
    enum tl_history_mark mark = marks[tl_history_disposition(row, 2)];

    return mark != TL_MARKS ? mark : mark_of_verdict(tl_history_verdict(row, 1));
}

static int by_id(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

/* The place of the row's run in the list; `count`: it is not one of these. */
static size_t place_of(struct gathering *g, sqlite3_stmt *row)
{
    int64_t id = sqlite3_column_int64(row, 0);

    while (g->next < g->runs->count && g->places[g->next].id < id)
        g->next++;
    return g->next < g->runs->count && g->places[g->next].id == id ? g->places[g->next].at
                                                                   : g->runs->count;
}

static void take_state(struct gathering *g, sqlite3_stmt *row)
{
    size_t at = place_of(g, row);

    if (at == g->runs->count)
        return;
    switch (g->of) {
    case TL_HISTORY_REQUIREMENTS:
        g->marks[at] = (uint8_t)mark_of_proof(sqlite3_column_int64(row, 1));
        break;
    case TL_HISTORY_CAUSES:
        g->marks[at] = (uint8_t)(sqlite3_column_int(row, 2) != 0
                                     ? TL_MARK_EXCUSED
                                     : mark_of_verdict(tl_history_verdict(row, 1)));
        g->counts[at] = (uint32_t)sqlite3_column_int(row, 3);
        break;
    case TL_HISTORY_CASES:
        g->marks[at] = (uint8_t)mark_of_case(row);
        g->unstable[at] = sqlite3_column_int(row, 3) != 0;
        break;
    case TL_HISTORY_KINDS: break;
    }
}

static int read_states(struct gathering *g, sqlite3_stmt *states, sqlite3_int64 id,
                       struct fal_error *err)
{
    size_t n = g->runs->count;
    int rc;

    /* A run that does not list a cause does not show it. */
    memset(g->marks, g->of == TL_HISTORY_CAUSES ? TL_MARK_PASS : TL_MARK_ABSENT, n);
    g->next = 0;
    memset(g->counts, 0, n * sizeof *g->counts);
    memset(g->unstable, 0, n * sizeof *g->unstable);
    (void)sqlite3_bind_int64(states, 1, id);
    while ((rc = tl_history_step(g->h, states, err)) == 1)
        take_state(g, states);
    (void)sqlite3_reset(states);
    return rc;
}

/* ---- rows ---- */

/* Whether a change of the verdict from one run to the next has no known reason. */
static bool comparable(const struct tl_history_run *a, const struct tl_history_run *b)
{
    return strcmp(a->firmware, b->firmware) == 0 && strcmp(a->tool, b->tool) == 0;
}

/* Looks at the states of one series. */
static struct tl_history_row look(const struct gathering *g, size_t series)
{
    const struct tl_history_series *s = &g->runs->series[series];
    struct tl_history_row row = {.series = series};
    size_t before = SIZE_MAX; /* the run before, in which the case ran */

    for (size_t i = s->first; i < s->first + s->count; i++) {
        bool paired;

        if (g->marks[i] >= TL_MARK_WARN) {
            row.bad++;
            row.last_bad = i - s->first;
        }
        if (g->of != TL_HISTORY_CASES || g->marks[i] == TL_MARK_ABSENT)
            continue;
        paired = before != SIZE_MAX && comparable(&g->runs->list[before], &g->runs->list[i]);
        row.observed += paired || g->unstable[i];
        row.flaky += g->unstable[i] || (paired && g->marks[before] != g->marks[i]);
        before = i;
    }
    return row;
}

static int append(const struct gathering *g, sqlite3_stmt *name, struct tl_history_row row)
{
    const struct tl_history_series *s = &g->runs->series[row.series];
    struct tl_history_trend *out = g->out;
    uint8_t *marks = fal_arena_alloc(&out->arena, s->count, sizeof *marks);
    uint32_t *counts = g->of == TL_HISTORY_CAUSES
                           ? fal_arena_alloc(&out->arena, s->count, sizeof *counts)
                           : NULL;

    row.name = tl_history_text(name, 1, &out->arena);
    row.text = tl_history_text(name, 2, &out->arena);
    if (out->count == out->cap) {
        size_t cap = out->cap == 0 ? 64 : out->cap * 2;
        struct tl_history_row *grown = realloc(out->rows, cap * sizeof *grown);

        if (grown == NULL)
            return FAL_ERR_MEM;
        out->rows = grown;
        out->cap = cap;
    }
    if (marks == NULL || row.name == NULL || row.text == NULL ||
        (g->of == TL_HISTORY_CAUSES && counts == NULL))
        return FAL_ERR_MEM;
    memcpy(marks, g->marks + s->first, s->count);
    if (counts != NULL)
        memcpy(counts, g->counts + s->first, s->count * sizeof *counts);
    row.marks = marks;
    row.counts = counts;
    out->rows[out->count++] = row;
    return 0;
}

/* One row for each series that has something to show. */
static int take_name(const struct gathering *g, sqlite3_stmt *name)
{
    int rc = 0;

    for (size_t s = 0; s < g->runs->num_series && rc == 0; s++) {
        struct tl_history_row row = look(g, s);

        if (g->all || row.bad > 0 || row.flaky > 0)
            rc = append(g, name, row);
    }
    return rc;
}

static int gather(struct gathering *g, const char *match, struct fal_error *err)
{
    sqlite3_stmt *names = NULL, *states = NULL;
    int rc =
        tl_history_prepare(g->h, g->all ? queries[g->of].all : queries[g->of].odd, &names, err);

    if (rc == 0)
        rc = tl_history_prepare(g->h, queries[g->of].states, &states, err);
    while (rc == 0 && (rc = tl_history_step(g->h, names, err)) == 1) {
        const char *name = (const char *)sqlite3_column_text(names, 1);

        rc = 0;
        if (name == NULL || (match != NULL && fnmatch(match, name, 0) != 0))
            continue;
        rc = read_states(g, states, sqlite3_column_int64(names, 0), err);
        if (rc == 0)
            rc = take_name(g, names);
    }
    (void)sqlite3_finalize(names);
    (void)sqlite3_finalize(states);
    return rc;
}

/* ---- the whole ---- */

struct order {
    const struct tl_history_runs *runs;
};

/* By series; first what is bad in the newest run, then what was bad most often or flaky. */
static int by_weight(const void *a, const void *b, void *trend_order)
{
    const struct tl_history_row *x = a, *y = b;
    const struct order *order = trend_order;
    size_t newest = order->runs->series[x->series].count - 1;

    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    if (x->marks[newest] != y->marks[newest])
        return x->marks[newest] > y->marks[newest] ? -1 : 1;
    if (x->bad != y->bad)
        return x->bad > y->bad ? -1 : 1;
    if (x->flaky != y->flaky)
        return x->flaky > y->flaky ? -1 : 1;
    return strcmp(x->name, y->name);
}

int tl_history_trend(struct tl_history *h, const struct tl_history_ask *ask,
                     const struct tl_history_runs *runs, struct tl_history_trend *out,
                     struct fal_error *err)
{
    size_t n = runs->count + 1; /* never an empty array */
    struct order order = {runs};
    struct gathering g = {.h = h,
                          .runs = runs,
                          .out = out,
                          .of = ask->of,
                          .all = ask->all,
                          .places = calloc(n, sizeof *g.places),
                          .marks = calloc(n, sizeof *g.marks),
                          .counts = calloc(n, sizeof *g.counts),
                          .unstable = calloc(n, sizeof *g.unstable)};
    int rc = FAL_ERR_MEM;

    *out = (struct tl_history_trend){.count = 0};
    if (g.places != NULL && g.marks != NULL && g.counts != NULL && g.unstable != NULL) {
        for (size_t i = 0; i < runs->count; i++)
            g.places[i] = (struct place){runs->list[i].id, i};
        qsort(g.places, runs->count, sizeof *g.places, by_id);
        rc = gather(&g, ask->match, err);
    }
    if (rc == 0 && out->count > 0)
        qsort_r(out->rows, out->count, sizeof *out->rows, by_weight, &order);
    free(g.places);
    free(g.marks);
    free(g.counts);
    free(g.unstable);
    return rc == FAL_ERR_MEM ? fal_fail(err, rc, "out of memory") : rc;
}

void tl_history_trend_free(struct tl_history_trend *trend)
{
    free(trend->rows);
    fal_arena_free(&trend->arena);
    *trend = (struct tl_history_trend){.count = 0};
}
