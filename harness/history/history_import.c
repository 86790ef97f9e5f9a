/* SPDX-License-Identifier: Apache-2.0
 * history_import.c - the runs of another history, added to this one by their names. Both files
 * number runs, cases, requirements and causes themselves. */
#include "harness/history/history_db.h"

#include <stdio.h>
#include <string.h>

/* Rows of the other history, and the statement that takes each of them. What is there already
 * stays: a run is known by its hash. */
static const struct {
    const char *select, *insert;
} copies[] = {
    {"SELECT hash, time, device, firmware, profile, tool, sut, seed, live, partial, verdict,"
     " cases, none, pass, warn, inconclusive, fail, error, certificate FROM run ORDER BY id",
     "INSERT OR IGNORE INTO run (hash, time, device, firmware, profile, tool, sut, seed, live,"
     " partial, verdict, cases, none, pass, warn, inconclusive, fail, error, certificate)"
     " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,"
     " ?19)"},
    {"SELECT name, title, chapter FROM test_case",
     "INSERT OR IGNORE INTO test_case (name, title, chapter) VALUES (?1, ?2, ?3)"},
    {"SELECT name, title FROM requirement",
     "INSERT OR IGNORE INTO requirement (name, title) VALUES (?1, ?2)"},
    {"SELECT name, sentence FROM cause",
     "INSERT OR IGNORE INTO cause (name, sentence) VALUES (?1, ?2)"},
    {"SELECT run.hash, test_case.name, result.verdict, disposition, reason, why, fingerprint,"
     " unstable FROM result JOIN run ON run.id = run_id"
     " JOIN test_case ON test_case.id = case_id",
     "INSERT OR IGNORE INTO result (case_id, run_id, verdict, disposition, reason, why,"
     " fingerprint, unstable) SELECT test_case.id, run.id, ?3, ?4, ?5, ?6, ?7, ?8"
     " FROM test_case, run WHERE test_case.name = ?2 AND run.hash = ?1"},
    {"SELECT run.hash, requirement.name, proof FROM proof JOIN run ON run.id = run_id"
     " JOIN requirement ON requirement.id = requirement_id",
     "INSERT OR IGNORE INTO proof SELECT requirement.id, run.id, ?3 FROM requirement, run"
     " WHERE requirement.name = ?2 AND run.hash = ?1"},
    {"SELECT run.hash, cause.name, run_cause.verdict, run_cause.cases, follows FROM run_cause"
     " JOIN run ON run.id = run_id JOIN cause ON cause.id = cause_id",
     "INSERT OR IGNORE INTO run_cause SELECT cause.id, run.id, ?3, ?4, ?5 FROM cause, run"
     " WHERE cause.name = ?2 AND run.hash = ?1"},
};

static int copy(struct tl_history *to, struct tl_history *from, size_t i, struct fal_error *err)
{
    sqlite3_stmt *select = NULL, *insert = NULL;
    int rc = tl_history_prepare(from, copies[i].select, &select, err), more = 0;

    if (rc == 0)
        rc = tl_history_prepare(to, copies[i].insert, &insert, err);
    while (rc == 0 && (more = tl_history_step(from, select, err)) == 1) {
        for (int c = 0; c < sqlite3_column_count(select); c++)
            (void)sqlite3_bind_value(insert, c + 1, sqlite3_column_value(select, c));
        rc = tl_history_step(to, insert, err);
        (void)sqlite3_reset(insert);
    }
    (void)sqlite3_finalize(select);
    (void)sqlite3_finalize(insert);
    return rc != 0 ? rc : more;
}

int tl_history_add_history(struct tl_history *h, const char *path, struct fal_error *err)
{
    struct tl_history *from = NULL;
    int rc = tl_history_open(path, false, h->wait_s, &from, err);

    if (rc != 0)
        return rc;
    rc = tl_history_run_sql(h, "BEGIN IMMEDIATE", err);
    for (size_t i = 0; i < sizeof copies / sizeof *copies && rc == 0; i++)
        rc = copy(h, from, i, err);
    if (rc == 0)
        rc = tl_history_run_sql(h, "COMMIT", err);
    if (rc != 0)
        (void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL); /* the first error counts */
    tl_history_close(from);
    return rc;
}

bool tl_history_is_database(const char *path)
{
    static const char magic[] = "SQLite format 3"; /* with its NUL */
    char bytes[sizeof magic];
    FILE *file = fopen(path, "re");
    bool is = file != NULL && fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
              memcmp(bytes, magic, sizeof magic) == 0;

    if (file != NULL)
        (void)fclose(file);
    return is;
}
