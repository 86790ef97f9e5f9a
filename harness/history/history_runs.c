/* SPDX-License-Identifier: Apache-2.0
 * history_runs.c - which runs there are, in series of one device and profile. */
#include "harness/history/history_db.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static int by_series(const void *a, const void *b)
{
    const struct tl_history_run *x = a, *y = b;
    int order = strcmp(x->device, y->device);

    if (order == 0)
        order = strcmp(x->profile, y->profile);
    if (order == 0 && x->time != y->time)
        order = x->time < y->time ? -1 : 1;
    if (order == 0 && x->id != y->id)
        order = x->id < y->id ? -1 : 1;
    return order;
}

static bool same_series(const struct tl_history_run *a, const struct tl_history_run *b)
{
    return strcmp(a->device, b->device) == 0 && strcmp(a->profile, b->profile) == 0;
}

static bool takes(const struct tl_history_filter *f, const struct tl_history_run *run)
{
    return (f->device == NULL || fnmatch(f->device, run->device, 0) == 0) &&
           (f->firmware == NULL || fnmatch(f->firmware, run->firmware, 0) == 0) &&
           (f->profile == NULL || fnmatch(f->profile, run->profile, 0) == 0) &&
           run->time >= f->since;
}

static int read_run(sqlite3_stmt *row, struct tl_history_run *run, struct fal_arena *arena)
{
    const char **texts[] = {&run->device, &run->firmware, &run->profile,    &run->tool,
                            &run->sut,    &run->hash,     &run->certificate};

    *run = (struct tl_history_run){.id = sqlite3_column_int64(row, 0),
                                   .time = sqlite3_column_int64(row, 1),
                                   .live = sqlite3_column_int(row, 2) != 0,
                                   .partial = sqlite3_column_int(row, 3) != 0,
                                   .verdict = tl_history_verdict(row, 4),
                                   .cases = (uint64_t)sqlite3_column_int64(row, 5)};
    for (int v = 0; v < TL_VERDICTS; v++)
        run->counted[v] = (uint64_t)sqlite3_column_int64(row, 6 + v);
    for (int i = 0; i < 7; i++) {
        *texts[i] = tl_history_text(row, 6 + TL_VERDICTS + i, arena);
        if (*texts[i] == NULL)
            return FAL_ERR_MEM;
    }
    return 0;
}

/* Adds the run if the filter takes it. */
static int take(sqlite3_stmt *row, const struct tl_history_filter *filter,
                struct tl_history_runs *out, size_t *cap)
{
    if (out->count == *cap) {
        size_t more = *cap == 0 ? 64 : *cap * 2;
        struct tl_history_run *grown = realloc(out->list, more * sizeof *grown);

        if (grown == NULL)
            return FAL_ERR_MEM;
        out->list = grown;
        *cap = more;
    }
    if (read_run(row, &out->list[out->count], &out->arena) != 0)
        return FAL_ERR_MEM;
    out->count += takes(filter, &out->list[out->count]);
    return 0;
}

/* Leaves of each series the newest `last` runs, and lists the series. */
static int group(struct tl_history_runs *runs, uint64_t last)
{
    size_t kept = 0, i = 0;

    runs->series = calloc(runs->count + 1, sizeof *runs->series);
    if (runs->series == NULL)
        return FAL_ERR_MEM;
    while (i < runs->count) {
        size_t end = i + 1, from;

        while (end < runs->count && same_series(&runs->list[i], &runs->list[end]))
            end++;
        from = last > 0 && end - i > last ? end - (size_t)last : i;
        runs->series[runs->num_series++] =
            (struct tl_history_series){.first = kept, .count = end - from};
        memmove(&runs->list[kept], &runs->list[from], (end - from) * sizeof *runs->list);
        kept += end - from;
        i = end;
    }
    runs->count = kept;
    return 0;
}

int tl_history_runs(struct tl_history *h, const struct tl_history_filter *filter,
                    struct tl_history_runs *out, struct fal_error *err)
{
    sqlite3_stmt *select = NULL;
    size_t cap = 0;
    int rc;

    *out = (struct tl_history_runs){.count = 0};
    rc = tl_history_prepare(h,
                            "SELECT id, time, live, partial, verdict, cases, none, pass, warn,"
                            " inconclusive, fail, error, device, firmware, profile, tool, sut,"
                            " hash, certificate FROM run",
                            &select, err);
    while (rc == 0 && (rc = tl_history_step(h, select, err)) == 1)
        rc = take(select, filter, out, &cap);
    (void)sqlite3_finalize(select);
    if (rc == 0 && out->count > 0)
        qsort(out->list, out->count, sizeof *out->list, by_series);
    if (rc == 0)
        rc = group(out, filter->last);
    return rc == FAL_ERR_MEM ? fal_fail(err, rc, "out of memory") : rc;
}

void tl_history_runs_free(struct tl_history_runs *runs)
{
    free(runs->list);
    free(runs->series);
    fal_arena_free(&runs->arena);
    *runs = (struct tl_history_runs){.count = 0};
}

const struct tl_history_run *tl_history_find(const struct tl_history_runs *runs, int64_t id)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->list[i].id == id)
            return &runs->list[i];
    return NULL;
}
