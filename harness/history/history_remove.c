/* SPDX-License-Identifier: Apache-2.0
 * history_remove.c - takes runs out of a history. */
#include "harness/history/history_db.h"

#include <inttypes.h>

/* By the number of the run. */
static const char *const of_run[] = {
    "DELETE FROM result WHERE run_id = ?1",
    "DELETE FROM proof WHERE run_id = ?1",
    "DELETE FROM run_cause WHERE run_id = ?1",
    "DELETE FROM run WHERE id = ?1",
};

static const char unused_names[] =
    "DELETE FROM test_case WHERE NOT EXISTS"
    " (SELECT 1 FROM result WHERE case_id = test_case.id);"
    "DELETE FROM requirement WHERE NOT EXISTS"
    " (SELECT 1 FROM proof WHERE requirement_id = requirement.id);"
    "DELETE FROM cause WHERE NOT EXISTS"
    " (SELECT 1 FROM run_cause WHERE cause_id = cause.id);";

static int remove_one(const struct tl_history *h, int64_t run, struct fal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < sizeof of_run / sizeof *of_run && rc == 0; i++) {
        sqlite3_stmt *statement = NULL;

        rc = tl_history_prepare(h, of_run[i], &statement, err);
        if (rc == 0) {
            (void)sqlite3_bind_int64(statement, 1, run);
            rc = tl_history_step(h, statement, err);
        }
        (void)sqlite3_finalize(statement);
    }
    if (rc == 0 && sqlite3_changes(h->db) == 0)
        rc = fal_fail(err, FAL_ERR_FORM,
                      "%.200s has no run %" PRId64
                      ", nothing is removed; talon history list shows the runs",
                      h->name, run);
    return rc;
}

int tl_history_remove(struct tl_history *h, const int64_t *runs, size_t n,
                      struct fal_error *err)
{
    int rc = tl_history_run_sql(h, "BEGIN IMMEDIATE", err);

    if (rc != 0)
        return rc;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = remove_one(h, runs[i], err);
    if (rc == 0)
        rc = tl_history_run_sql(h, unused_names, err);
    if (rc == 0)
        rc = tl_history_run_sql(h, "COMMIT", err);
    if (rc != 0)
        (void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL); /* the first error counts */
    return rc;
}
