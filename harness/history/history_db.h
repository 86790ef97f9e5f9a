/* SPDX-License-Identifier: Apache-2.0
 * history_db.h - between the files of the history: the database, its statements, its errors. */
#ifndef TL_HARNESS_HISTORY_HISTORY_DB_H
#define TL_HARNESS_HISTORY_HISTORY_DB_H

#include "harness/history/history.h"

#include <sqlite3.h>

struct tl_history {
    sqlite3 *db;
    char *name; /* for messages */
    unsigned wait_s;
};

/* One statement for each version: it makes the tables of that version from those of the version
 * before; the first one makes them in an empty database. */
extern const char *const tl_history_steps[TL_HISTORY_VERSION];

/* Says in plain words what the last call of SQLite, which returned `rc`, met. Returns
 * FAL_ERR_MEM, FAL_ERR_FORM or FAL_ERR_IO. */
int tl_history_fail(const struct tl_history *history, int rc, struct fal_error *err);

/* A prepared statement. 0 or an error as above. The caller gives it to sqlite3_finalize. */
MUST_USE int tl_history_prepare(const struct tl_history *history, const char *sql,
                                sqlite3_stmt **out, struct fal_error *err);
/* The next row. 1, 0 at the end, or an error. */
MUST_USE int tl_history_step(const struct tl_history *history, sqlite3_stmt *statement,
                             struct fal_error *err);
/* Runs statements that have no parameters and no rows. */
MUST_USE int tl_history_run_sql(const struct tl_history *history, const char *sql,
                                struct fal_error *err);

/* A text of the row in the arena; "" for NULL. NULL when out of memory. */
const char *tl_history_text(sqlite3_stmt *statement, int column, struct fal_arena *arena);
/* A verdict of the row; NONE for a number that is none. */
enum fal_verdict tl_history_verdict(sqlite3_stmt *statement, int column);
/* Likewise; RAN. */
enum tl_disposition tl_history_disposition(sqlite3_stmt *statement, int column);

#endif
