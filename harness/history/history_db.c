/* SPDX-License-Identifier: Apache-2.0
 * history_db.c - opens a history, makes and upgrades its tables, and says what went wrong. */
#include "harness/history/history_db.h"

#include "harness/doc/version.h"
#include "reports/results/overview.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* "TALN" in the header of the file: it says whose database it is. */
enum { APPLICATION = 0x54414c4e };
enum { PAGE_MIN = 512 }; /* bytes of the smallest page; a database has one at least */

/* ---- errors ---- */

int tl_history_fail(const struct tl_history *h, int rc, struct fal_error *err)
{
    switch (rc & 0xff) { /* the upper bits of an extended code say more than people need */
    case SQLITE_NOMEM: return fal_fail(err, FAL_ERR_MEM, "out of memory");
    case SQLITE_NOTADB:
        return fal_fail(err, FAL_ERR_FORM,
                        "%.200s is not a history: it is no SQLite database; name the file that "
                        "talon history add has made",
                        h->name);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fal_fail(err, FAL_ERR_IO,
                        "%.200s is locked by another program, also after %u s; wait until that "
                        "program ends, or give a longer --wait",
                        h->name, h->wait_s);
    case SQLITE_READONLY:
        return fal_fail(err, FAL_ERR_IO,
                        "%.200s cannot be written: the file or its directory is read-only; "
                        "copy it to where you may write",
                        h->name);
    case SQLITE_CANTOPEN:
        return fal_fail(
            err, FAL_ERR_IO, "%.200s cannot be opened: %s", h->name,
            strerror(sqlite3_system_errno(h->db))); /* NOLINT(concurrency-mt-unsafe) */
    case SQLITE_CORRUPT:
        return fal_fail(err, FAL_ERR_IO,
                        "%.200s is damaged; use a copy, or save what is left by sqlite3 FILE "
                        ".recover",
                        h->name);
    case SQLITE_FULL:
        return fal_fail(err, FAL_ERR_IO, "%.200s cannot be written: the disk is full", h->name);
    default: break;
    }
    return fal_fail(err, FAL_ERR_IO, "%.150s: %.200s", h->name, sqlite3_errmsg(h->db));
}

/* ---- statements ---- */

int tl_history_prepare(const struct tl_history *h, const char *sql, sqlite3_stmt **out,
                       struct fal_error *err)
{
    int rc = sqlite3_prepare_v2(h->db, sql, -1, out, NULL);

    return rc == SQLITE_OK ? 0 : tl_history_fail(h, rc, err);
}

int tl_history_step(const struct tl_history *h, sqlite3_stmt *statement, struct fal_error *err)
{
    int rc = sqlite3_step(statement);

    if (rc == SQLITE_ROW)
        return 1;
    return rc == SQLITE_DONE ? 0 : tl_history_fail(h, rc, err);
}

int tl_history_run_sql(const struct tl_history *h, const char *sql, struct fal_error *err)
{
    int rc = sqlite3_exec(h->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? 0 : tl_history_fail(h, rc, err);
}

const char *tl_history_text(sqlite3_stmt *statement, int column, struct fal_arena *arena)
{
    const unsigned char *text = sqlite3_column_text(statement, column);

    return fal_arena_strdup(arena, text != NULL ? (const char *)text : "");
}

enum fal_verdict tl_history_verdict(sqlite3_stmt *statement, int column)
{
    sqlite3_int64 n = sqlite3_column_int64(statement, column);

    return n > 0 && n < TL_VERDICTS ? (enum fal_verdict)n : FAL_VERDICT_NONE;
}

enum tl_disposition tl_history_disposition(sqlite3_stmt *statement, int column)
{
    sqlite3_int64 n = sqlite3_column_int64(statement, column);

    return n > 0 && n < TL_DISPOSITIONS ? (enum tl_disposition)n : TL_RAN;
}

/* The number that a statement gives: 0, or an error. */
static int number_of(const struct tl_history *h, const char *sql, sqlite3_int64 *out,
                     struct fal_error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = tl_history_prepare(h, sql, &statement, err);

    *out = 0;
    if (rc == 0)
        rc = tl_history_step(h, statement, err);
    if (rc == 1)
        *out = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return rc < 0 ? rc : 0;
}

/* ---- making and upgrading ---- */

/* 0: the database is empty. */
static int version_of(const struct tl_history *h, sqlite3_int64 *version, struct fal_error *err)
{
    sqlite3_int64 application, tables;
    int rc = number_of(h, "PRAGMA application_id", &application, err);

    *version = 0;
    if (rc == 0)
        rc = number_of(h, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (rc != 0 || (application == 0 && tables == 0))
        return rc;
    if (application != APPLICATION)
        return fal_fail(err, FAL_ERR_FORM,
                        "%.200s is not a history: it is a SQLite database of another program; "
                        "name the file that talon history add has made",
                        h->name);
    rc = number_of(h, "SELECT max(number) FROM version", version, err);
    if (rc == 0 && *version < 1)
        return fal_fail(err, FAL_ERR_FORM, "%.200s is damaged: it states no version", h->name);
    if (rc == 0 && *version > TL_HISTORY_VERSION)
        return fal_fail(err, FAL_ERR_FORM,
                        "%.200s has version %lld; this Talon reads versions up to %d: use the "
                        "newer Talon that wrote it",
                        h->name, *version, TL_HISTORY_VERSION);
    return rc;
}

static int add_word(const struct tl_history *h, sqlite3_stmt *insert, const char *kind,
                    int number, const char *word, struct fal_error *err)
{
    int rc;

    (void)sqlite3_bind_text(insert, 1, kind, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int(insert, 2, number);
    (void)sqlite3_bind_text(insert, 3, word, -1, SQLITE_STATIC);
    rc = tl_history_step(h, insert, err);
    (void)sqlite3_reset(insert);
    return rc;
}

static int add_words(const struct tl_history *h, struct fal_error *err)
{
    sqlite3_stmt *insert = NULL;
    int rc =
        tl_history_prepare(h, "INSERT OR REPLACE INTO word VALUES (?1, ?2, ?3)", &insert, err);

    for (int i = 0; i < TL_VERDICTS && rc == 0; i++)
        rc = add_word(h, insert, "verdict", i, fal_verdict_name((enum fal_verdict)i), err);
    for (int i = 0; i < TL_DISPOSITIONS && rc == 0; i++)
        rc = add_word(h, insert, "disposition", i, tl_disposition_name((enum tl_disposition)i),
                      err);
    for (int i = 0; i < TL_PROOF_KINDS && rc == 0; i++)
        rc = add_word(h, insert, "proof", i, tl_proof_name((enum tl_proof)i), err);
    (void)sqlite3_finalize(insert);
    return rc;
}

static int note_version(const struct tl_history *h, int number, struct fal_error *err)
{
    sqlite3_stmt *insert = NULL;
    int rc = tl_history_prepare(h, "INSERT INTO version (number, talon) VALUES (?1, ?2)",
                                &insert, err);

    if (rc == 0) {
        (void)sqlite3_bind_int(insert, 1, number);
        (void)sqlite3_bind_text(insert, 2, TL_VERSION, -1, SQLITE_STATIC);
        rc = tl_history_step(h, insert, err);
    }
    (void)sqlite3_finalize(insert);
    return rc;
}

/* Another process may have done it meanwhile: the version is read again within the lock. */
static int upgrade(const struct tl_history *h, struct fal_error *err)
{
    char mark[64];
    sqlite3_int64 version;
    int rc = tl_history_run_sql(h, "BEGIN IMMEDIATE", err);

    if (rc != 0)
        return rc;
    rc = version_of(h, &version, err);
    (void)snprintf(mark, sizeof mark, "PRAGMA application_id = %d", APPLICATION);
    if (rc == 0 && version == 0)
        rc = tl_history_run_sql(h, mark, err);
    for (int v = (int)version; v < TL_HISTORY_VERSION && rc == 0; v++) {
        rc = tl_history_run_sql(h, tl_history_steps[v], err);
        if (rc == 0)
            rc = note_version(h, v + 1, err);
    }
    if (rc == 0)
        rc = add_words(h, err);
    if (rc == 0)
        rc = tl_history_run_sql(h, "COMMIT", err);
    if (rc != 0)
        (void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL); /* the first error counts */
    return rc;
}

/* ---- opening ---- */

static int set_up(struct tl_history *h, bool writes, struct fal_error *err)
{
    sqlite3_int64 version;
    int rc;

    (void)sqlite3_extended_result_codes(h->db, 1);
    (void)sqlite3_busy_timeout(h->db, (int)h->wait_s * 1000);
    (void)sqlite3_db_config(h->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    rc = tl_history_run_sql(h,
                            "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
                            "PRAGMA foreign_keys = ON; PRAGMA synchronous = EXTRA;"
                            "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY",
                            err);
    if (rc == 0)
        rc = version_of(h, &version, err);
    if (rc != 0)
        return rc;
    if (version == 0 && !writes)
        return fal_fail(err, FAL_ERR_FORM,
                        "%.200s is empty; add results to it first: talon history add RESULTS",
                        h->name);
    return version < TL_HISTORY_VERSION ? upgrade(h, err) : 0;
}

/* SQLite takes a file of a few bytes for an empty database, and would overwrite it. */
static bool is_too_short(const char *path)
{
    struct stat st;

    return path != NULL && stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
           st.st_size < PAGE_MIN;
}

static int open_file(struct tl_history *h, const char *path, bool writes, struct fal_error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                (writes || path == NULL ? SQLITE_OPEN_CREATE : 0);
    int rc;

    if (is_too_short(path))
        return tl_history_fail(h, SQLITE_NOTADB, err);
    rc = sqlite3_open_v2(path != NULL ? path : ":memory:", &h->db, flags, NULL);
    if (h->db == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (rc == SQLITE_CANTOPEN && !writes && sqlite3_system_errno(h->db) == ENOENT)
        return fal_fail(err, FAL_ERR_FORM,
                        "%.200s: no such file; make it by talon history add RESULTS, or name "
                        "another one by --db",
                        h->name);
    return rc == SQLITE_OK ? set_up(h, writes || path == NULL, err)
                           : tl_history_fail(h, rc, err);
}

int tl_history_open(const char *path, bool writes, unsigned wait_s, struct tl_history **out,
                    struct fal_error *err)
{
    struct tl_history *h = calloc(1, sizeof *h);
    int rc;

    *out = NULL;
    if (h == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    h->wait_s = wait_s;
    h->name = strdup(path != NULL ? path : "memory");
    rc = h->name == NULL ? fal_fail(err, FAL_ERR_MEM, "out of memory")
                         : open_file(h, path, writes, err);
    if (rc != 0) {
        tl_history_close(h);
        return rc;
    }
    *out = h;
    return 0;
}

void tl_history_close(struct tl_history *h)
{
    if (h == NULL)
        return;
    (void)sqlite3_close(h->db);
    free(h->name);
    free(h);
}
