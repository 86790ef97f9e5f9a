/* SPDX-License-Identifier: Apache-2.0
 * history_details.c - of each run of the matrix, its causes and the cases that did not pass. */
#include "harness/history/history_db.h"

#include <limits.h>

/* Those that follow from others last. */
static const char causes_sql[] =
    "SELECT cause.name, cause.sentence, '', run_cause.verdict, run_cause.cases FROM run_cause"
    " JOIN cause ON cause.id = cause_id WHERE run_id = ?1"
    " ORDER BY follows, run_cause.verdict DESC, run_cause.cases DESC, cause.name LIMIT ?2";
/* Cases that count as they ended: those that are waived do not. */
static const char cases_sql[] =
    "SELECT c.name, c.title, coalesce(r.reason, ''), r.verdict, 1 FROM test_case c"
    " CROSS JOIN result r ON r.case_id = c.id AND r.run_id = ?1"
    " WHERE r.verdict > ?3 AND r.disposition IN (?4, ?5)"
    " ORDER BY r.verdict DESC, c.name LIMIT ?2";

static int read_details(struct tl_history *h, sqlite3_stmt *select, struct fal_arena *arena,
                        int64_t run, struct tl_history_details *out, struct fal_error *err)
{
    size_t cap = 0;
    int rc;

    (void)sqlite3_bind_int64(select, 1, run);
    while ((rc = tl_history_step(h, select, err)) == 1) {
        struct tl_history_detail *d;

        if (out->count == cap) {
            struct tl_history_detail *grown =
                fal_arena_alloc(arena, cap == 0 ? 16 : cap * 2, sizeof *grown);

            if (grown == NULL)
                break;
            for (size_t i = 0; i < out->count; i++)
                grown[i] = out->list[i];
            out->list = grown;
            cap = cap == 0 ? 16 : cap * 2;
        }
        d = &out->list[out->count];
        d->name = tl_history_text(select, 0, arena);
        d->text = tl_history_text(select, 1, arena);
        d->reason = tl_history_text(select, 2, arena);
        d->verdict = tl_history_verdict(select, 3);
        d->cases = (uint64_t)sqlite3_column_int64(select, 4);
        if (d->name == NULL || d->text == NULL || d->reason == NULL)
            break;
        out->count++;
    }
    (void)sqlite3_reset(select);
    return rc == 1 ? fal_fail(err, FAL_ERR_MEM, "out of memory") : rc;
}

int tl_history_matrix_details(struct tl_history *h, struct tl_history_matrix *m, uint64_t rows,
                              struct fal_error *err)
{
    sqlite3_int64 most = rows > 0 && rows < INT64_MAX ? (sqlite3_int64)rows : -1;
    sqlite3_stmt *causes = NULL, *cases = NULL;
    int rc = tl_history_prepare(h, causes_sql, &causes, err);

    if (rc == 0)
        rc = tl_history_prepare(h, cases_sql, &cases, err);
    if (rc == 0) {
        (void)sqlite3_bind_int64(causes, 2, most);
        (void)sqlite3_bind_int64(cases, 2, most);
        (void)sqlite3_bind_int(cases, 3, FAL_VERDICT_PASS);
        (void)sqlite3_bind_int(cases, 4, TL_RAN); /* as tl_case_counts */
        (void)sqlite3_bind_int(cases, 5, TL_UNEXPECTED_PASS);
    }
    for (size_t i = 0; i < m->num_cells && rc == 0; i++) {
        struct tl_history_cell *cell = &m->cells[i];

        rc = read_details(h, causes, &m->arena, cell->run->id, &cell->causes, err);
        if (rc == 0)
            rc = read_details(h, cases, &m->arena, cell->run->id, &cell->bad, err);
    }
    (void)sqlite3_finalize(causes);
    (void)sqlite3_finalize(cases);
    return rc;
}
