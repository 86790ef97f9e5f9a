/* SPDX-License-Identifier: Apache-2.0
 * history_results.c - a run of the history as results, for what compares results. */
#include "harness/history/history_db.h"

#include <stdlib.h>
#include <string.h>

struct tl_history_results {
    struct tl_history *h;
    sqlite3_stmt *select;
    struct tl_case_source source;
    struct tl_results results;
};

static int rewind_cases(void *ctx, struct fal_error *err)
{
    struct tl_history_results *r = ctx;

    (void)err;
    (void)sqlite3_reset(r->select);
    return 0;
}

/* A text, or NULL for NULL. */
static bool text_of(sqlite3_stmt *row, int column, struct fal_arena *arena, const char **out)
{
    *out = sqlite3_column_type(row, column) == SQLITE_NULL
               ? NULL
               : tl_history_text(row, column, arena);
    return *out != NULL || sqlite3_column_type(row, column) == SQLITE_NULL;
}

static bool add_problem(struct tl_case *c, const char *fingerprint)
{
    struct tl_problem *p = tl_case_problem(c);

    if (p == NULL)
        return false;
    p->verdict = c->verdict;
    p->reason = c->reason;
    (void)snprintf(p->fingerprint, sizeof p->fingerprint, "%s", fingerprint);
    return true;
}

static int next_case(void *ctx, struct tl_case *c, struct fal_error *err)
{
    struct tl_history_results *r = ctx;
    const char *reason = NULL, *why = NULL, *fingerprint = NULL;
    int rc = tl_history_step(r->h, r->select, err);
    bool ok;

    if (rc != 1)
        return rc;
    c->verdict = tl_history_verdict(r->select, 2);
    c->disposition = tl_history_disposition(r->select, 3);
    c->id = tl_history_text(r->select, 0, &c->arena);
    c->title = tl_history_text(r->select, 1, &c->arena);
    ok = c->id != NULL && c->title != NULL && text_of(r->select, 4, &c->arena, &reason) &&
         text_of(r->select, 5, &c->arena, &why) &&
         text_of(r->select, 6, &c->arena, &fingerprint);
    c->reason = tl_reason_from(reason);
    if (ok && why != NULL) {
        c->why = strdup(why); /* freed with the case */
        ok = c->why != NULL;
    }
    if (ok && fingerprint != NULL)
        ok = add_problem(c, fingerprint);
    return ok ? 1 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

int tl_history_results(struct tl_history *h, int64_t run, struct tl_history_results **out,
                       struct fal_error *err)
{
    struct tl_history_results *r = calloc(1, sizeof *r);
    int rc;

    *out = r;
    if (r == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    r->h = h;
    r->source = (struct tl_case_source){.rewind = rewind_cases, .next = next_case, .ctx = r};
    r->results = (struct tl_results){.version = "", .sut = "", .source = &r->source};
    /* Each case is looked up in the key of the results: reading all of them would take as long
     * as there are runs. */
    rc = tl_history_prepare(h,
                            "SELECT c.name, c.title, r.verdict, r.disposition, r.reason, r.why,"
                            " r.fingerprint FROM test_case c CROSS JOIN result r"
                            " ON r.case_id = c.id AND r.run_id = ?1",
                            &r->select, err);
    if (rc == 0)
        (void)sqlite3_bind_int64(r->select, 1, run);
    return rc;
}

const struct tl_results *tl_history_results_of(const struct tl_history_results *results)
{
    return &results->results;
}

void tl_history_results_free(struct tl_history_results *r)
{
    if (r == NULL)
        return;
    (void)sqlite3_finalize(r->select);
    free(r);
}
