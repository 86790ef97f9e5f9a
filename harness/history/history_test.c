/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/history/history_out.h"

#include "reports/base/memory_file.h"
#include "reports/results/diff.h"
#include "reports/results/results_testing.h"

#include <sqlite3.h>
#include <unistd.h>

enum { DAY = 86400 };

static char path[64]; /* of a database on disk, new for each test */

static void new_path(void)
{
    int fd;

    (void)snprintf(path, sizeof path, "/tmp/history_test.XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(close(fd), 0);
}

static void remove_path(void)
{
    (void)unlink(path);
}

static struct tl_history *in_memory(void)
{
    struct tl_history *h;

    ck_assert_int_eq(tl_history_open(NULL, true, 0, &h, NULL), 0);
    return h;
}

/* Adds cases "a", "b", ... with verdicts by letter: . pass, F fail, I inconclusive. */
static struct tl_history_added add(struct tl_history *h, const char *verdicts,
                                   const char *firmware, int64_t day)
{
    static const char *const ids[] = {"a", "b", "c", "d"};
    struct tl_case cases[4];
    struct tl_history_added added;
    char hash[32];
    size_t n = strlen(verdicts);
    struct tl_results results;

    for (size_t i = 0; i < n; i++)
        cases[i] = a_case(ids[i], verdicts[i] == 'F'   ? FAL_VERDICT_FAIL
                                  : verdicts[i] == 'I' ? FAL_VERDICT_INCONC
                                                       : FAL_VERDICT_PASS);
    results = some(cases, n);
    (void)snprintf(hash, sizeof hash, "%s-%s-%d", verdicts, firmware, (int)day);
    ck_assert_int_eq(tl_history_add(h, &results,
                                    &(struct tl_history_labels){.device = "F1",
                                                                .firmware = firmware,
                                                                .profile = "core",
                                                                .tool = "1",
                                                                .time = day * DAY,
                                                                .hash = hash},
                                    &added, NULL),
                     0);
    for (size_t i = 0; i < n; i++)
        tl_case_clear(&cases[i]);
    return added;
}

static struct tl_history_runs runs_of(struct tl_history *h,
                                      const struct tl_history_filter *filter)
{
    struct tl_history_runs runs;

    ck_assert_int_eq(tl_history_runs(h, filter, &runs, NULL), 0);
    return runs;
}

static int trend_of(struct tl_history *h, enum tl_history_of of, const char *match, bool every,
                    const struct tl_history_runs *runs, struct tl_history_trend *out)
{
    return tl_history_trend(h, &(struct tl_history_ask){.of = of, .match = match, .all = every},
                            runs, out, NULL);
}

static const struct tl_history_filter all = {.since = 0};

/* ---- adding ---- */

START_TEST(the_same_results_are_stored_once)
{
    struct tl_history *h = in_memory();
    struct tl_history_added first = add(h, ".F", "1.0", 1), again = add(h, ".F", "1.0", 1),
                            other = add(h, ".F", "1.0", 2);
    struct tl_history_runs runs = runs_of(h, &all);

    ck_assert(!first.again && again.again && !other.again);
    ck_assert_int_eq(again.run, first.run);
    ck_assert_uint_eq(runs.count, 2);
    ck_assert_int_eq(runs.list[0].verdict, FAL_VERDICT_FAIL);
    ck_assert_uint_eq(runs.list[0].cases, 2);
    ck_assert_uint_eq(runs.list[0].counted[FAL_VERDICT_PASS], 1);
    ck_assert_uint_eq(runs.list[0].counted[FAL_VERDICT_FAIL], 1);
    tl_history_runs_free(&runs);
    tl_history_close(h);
}
END_TEST

START_TEST(a_case_that_is_there_twice_has_its_worst_verdict)
{
    struct tl_case cases[3] = {a_case("a", FAL_VERDICT_PASS), a_case("a", FAL_VERDICT_FAIL),
                               a_case("a", FAL_VERDICT_PASS)};
    struct tl_results results = some(cases, 3);
    struct tl_history *h = in_memory();
    struct tl_history_added added;
    struct tl_history_runs runs;
    struct tl_history_trend trend;

    ck_assert_int_eq(
        tl_history_add(
            h, &results,
            &(struct tl_history_labels){
                .device = "F1", .firmware = "", .profile = "", .tool = "", .hash = "1"},
            &added, NULL),
        0);
    runs = runs_of(h, &all);
    ck_assert_int_eq(trend_of(h, TL_HISTORY_CASES, NULL, false, &runs, &trend), 0);
    ck_assert_uint_eq(trend.count, 1);
    ck_assert_uint_eq(trend.rows[0].marks[0], TL_MARK_FAIL);
    tl_history_trend_free(&trend);
    tl_history_runs_free(&runs);
    tl_history_close(h);
    for (size_t i = 0; i < 3; i++)
        tl_case_clear(&cases[i]);
}
END_TEST

START_TEST(a_removed_run_leaves_nothing_of_its_own)
{
    struct tl_history *h = in_memory();
    struct tl_history_added first = add(h, ".F", "1.0", 1), other = add(h, ".", "1.1", 2);
    struct tl_history_runs runs;
    struct tl_history_trend trend;
    struct fal_error err;

    ck_assert_int_eq(tl_history_remove(h, (const int64_t[]){first.run, 99}, 2, &err),
                     FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "has no run 99, nothing is removed"));
    runs = runs_of(h, &all);
    ck_assert_uint_eq(runs.count, 2);
    tl_history_runs_free(&runs);
    ck_assert_int_eq(tl_history_remove(h, &first.run, 1, &err), 0);
    runs = runs_of(h, &all);
    ck_assert_uint_eq(runs.count, 1);
    ck_assert_int_eq(runs.list[0].id, other.run);
    ck_assert_int_eq(trend_of(h, TL_HISTORY_CASES, NULL, true, &runs, &trend), 0);
    ck_assert_uint_eq(trend.count, 1); /* the second case was of the first run alone */
    tl_history_trend_free(&trend);
    tl_history_runs_free(&runs);
    ck_assert(!add(h, ".F", "1.0", 1).again);
    tl_history_close(h);
}
END_TEST

START_TEST(one_shard_is_refused)
{
    struct tl_case c = a_case("a", FAL_VERDICT_PASS);
    struct tl_results results = some(&c, 1);
    struct tl_history *h = in_memory();
    struct tl_history_added added;
    struct fal_error err;

    results.shard = 1;
    results.shards = 4;
    ck_assert_int_eq(
        tl_history_add(h, &results, &(struct tl_history_labels){.hash = "1"}, &added, &err),
        FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "shard 1 of 4: merge all shards first"));
    tl_history_close(h);
    tl_case_clear(&c);
}
END_TEST

START_TEST(a_failed_addition_leaves_nothing)
{
    struct tl_case c = a_case("a", FAL_VERDICT_FAIL);
    struct tl_results results = some(&c, 1);
    struct tl_history *h = in_memory();
    struct tl_history_added added;
    struct tl_history_runs runs;
    struct fal_error err;

    /* A label that must be there and is not: the database refuses the run. */
    ck_assert_int_eq(
        tl_history_add(h, &results, &(struct tl_history_labels){.hash = "1"}, &added, &err),
        FAL_ERR_IO);
    runs = runs_of(h, &all);
    ck_assert_uint_eq(runs.count, 0);
    tl_history_runs_free(&runs);
    ck_assert(!add(h, "F", "1", 1).again); /* and no transaction is left open */
    tl_history_close(h);
    tl_case_clear(&c);
}
END_TEST

/* ---- runs ---- */

START_TEST(runs_are_in_the_order_of_their_times)
{
    struct tl_history *h = in_memory();
    struct tl_history_runs runs;

    (void)add(h, "F", "1.2", 9);
    (void)add(h, ".", "1.0", 3);
    (void)add(h, ".", "1.1", 5);
    runs = runs_of(h, &all);
    ck_assert_uint_eq(runs.num_series, 1);
    ck_assert_str_eq(runs.list[0].firmware, "1.0");
    ck_assert_str_eq(runs.list[2].firmware, "1.2");
    tl_history_runs_free(&runs);
    runs = runs_of(h, &(struct tl_history_filter){.last = 2});
    ck_assert_uint_eq(runs.count, 2);
    ck_assert_str_eq(runs.list[0].firmware, "1.1");
    tl_history_runs_free(&runs);
    runs = runs_of(h, &(struct tl_history_filter){.since = 5 * DAY, .firmware = "1.[1-9]"});
    ck_assert_uint_eq(runs.count, 2);
    tl_history_runs_free(&runs);
    runs = runs_of(h, &(struct tl_history_filter){.since = 5 * DAY + 1});
    ck_assert_uint_eq(runs.count, 1);
    tl_history_runs_free(&runs);
    runs = runs_of(h, &(struct tl_history_filter){.device = "G*"});
    ck_assert_uint_eq(runs.count, 0);
    ck_assert_uint_eq(runs.num_series, 0);
    tl_history_runs_free(&runs);
    tl_history_close(h);
}
END_TEST

START_TEST(times_are_read_and_written)
{
    static const struct {
        const char *text;
        int64_t time;
    } rows[] = {{"1970-01-02", DAY},
                {"2026-11-30T01:02:03Z", 1796000523},
                {"yesterday", -1},
                {"2026-13-01", -1},
                {"2026-11-30T01:02", -1},
                {"1969-12-31", -1},
                {"", -1}};
    char text[TL_HISTORY_TIME];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_error err;
        int64_t time = -1;

        ck_assert_int_eq(tl_history_time_read(rows[i].text, &time, &err),
                         rows[i].time < 0 ? FAL_ERR_FORM : 0);
        ck_assert_int_eq(time, rows[i].time);
    }
    tl_history_time_text(1796000523, false, text);
    ck_assert_str_eq(text, "2026-11-30T01:02:03Z");
    tl_history_time_text(INT64_MAX, true, text);
    ck_assert_str_eq(text, "?");
}
END_TEST

/* ---- trends ---- */

/* The marks of a row as letters; "" when there is no such row. */
static const char *marks_of(const struct tl_history_trend *trend,
                            const struct tl_history_runs *runs, const char *name)
{
    static char text[32];
    size_t n = 0;

    for (size_t i = 0; i < trend->count; i++) {
        if (strcmp(trend->rows[i].name, name) != 0)
            continue;
        for (; n < runs->series[trend->rows[i].series].count; n++)
            text[n] = tl_history_letters[trend->rows[i].marks[n]];
    }
    text[n] = 0;
    return text;
}

START_TEST(trends_show_what_failed_when)
{
    struct tl_history *h = in_memory();
    struct tl_history_runs runs;
    struct tl_history_trend cases, requirements, causes;

    (void)add(h, "...", "1.0", 1);
    (void)add(h, ".FI", "1.1", 2);
    (void)add(h, ".F", "1.2", 3);
    (void)add(h, "...", "1.3", 4);
    runs = runs_of(h, &all);
    ck_assert_int_eq(trend_of(h, TL_HISTORY_CASES, NULL, false, &runs, &cases), 0);
    ck_assert_int_eq(trend_of(h, TL_HISTORY_REQUIREMENTS, NULL, false, &runs, &requirements),
                     0);
    ck_assert_int_eq(trend_of(h, TL_HISTORY_CAUSES, NULL, false, &runs, &causes), 0);
    ck_assert_uint_eq(cases.count, 2); /* "a" never failed */
    ck_assert_str_eq(marks_of(&cases, &runs, "b"), ".FF.");
    ck_assert_str_eq(marks_of(&cases, &runs, "c"), ".I-.");
    ck_assert_str_eq(cases.rows[0].name, "b"); /* most often bad */
    ck_assert_uint_eq(cases.rows[0].last_bad, 2);
    ck_assert_str_eq(marks_of(&requirements, &runs, "FTP-9.1.6-03"), "-FF-");
    ck_assert_str_eq(marks_of(&causes, &runs, "FTP-9.1.6-03"), ".FF.");
    tl_history_trend_free(&cases);
    ck_assert_int_eq(trend_of(h, TL_HISTORY_CASES, "[ab]", true, &runs, &cases), 0);
    ck_assert_uint_eq(cases.count, 2);
    ck_assert_str_eq(marks_of(&cases, &runs, "a"), "....");
    tl_history_trend_free(&cases);
    tl_history_trend_free(&requirements);
    tl_history_trend_free(&causes);
    tl_history_runs_free(&runs);
    tl_history_close(h);
}
END_TEST

START_TEST(a_case_is_flaky_where_nothing_else_changed)
{
    struct tl_history *h = in_memory();
    struct tl_history_runs runs;
    struct tl_history_trend cases;

    (void)add(h, "..", "1.0", 1);
    (void)add(h, "F.", "1.0", 2); /* flaky */
    (void)add(h, ".F", "1.1", 3); /* another firmware: a change has a reason */
    (void)add(h, ".F", "1.1", 4); /* no change */
    runs = runs_of(h, &all);
    ck_assert_int_eq(trend_of(h, TL_HISTORY_CASES, NULL, false, &runs, &cases), 0);
    ck_assert_uint_eq(cases.count, 2);
    ck_assert_str_eq(cases.rows[0].name, "b");
    ck_assert_uint_eq(cases.rows[0].flaky, 0);
    ck_assert_uint_eq(cases.rows[1].flaky, 1);
    ck_assert_uint_eq(cases.rows[1].observed, 2);
    tl_history_trend_free(&cases);
    tl_history_runs_free(&runs);
    tl_history_close(h);
}
END_TEST

START_TEST(a_run_without_the_case_does_not_count)
{
    struct tl_history *h = in_memory();
    struct tl_history_runs runs;
    struct tl_history_trend cases;

    (void)add(h, ".F", "1.0", 1);
    (void)add(h, ".", "1.0", 2);
    (void)add(h, ".F", "1.0", 3);
    (void)add(h, "..", "1.0", 4);
    runs = runs_of(h, &all);
    ck_assert_int_eq(trend_of(h, TL_HISTORY_CASES, NULL, false, &runs, &cases), 0);
    ck_assert_uint_eq(cases.count, 1);
    ck_assert_uint_eq(cases.rows[0].observed, 2);
    ck_assert_uint_eq(cases.rows[0].flaky, 1);
    tl_history_trend_free(&cases);
    tl_history_runs_free(&runs);
    tl_history_close(h);
}
END_TEST

START_TEST(a_case_is_flaky_within_a_run)
{
    struct tl_case c = a_case("a", FAL_VERDICT_PASS);
    struct tl_results results = some(&c, 1);
    struct tl_history *h = in_memory();
    struct tl_history_added added;
    struct tl_history_runs runs;
    struct tl_history_trend cases;

    c.attempts[0].verdict = FAL_VERDICT_INCONC;
    c.attempts[1].verdict = FAL_VERDICT_PASS;
    c.num_attempts = 2;
    ck_assert_int_eq(
        tl_history_add(
            h, &results,
            &(struct tl_history_labels){
                .device = "F1", .firmware = "", .profile = "", .tool = "", .hash = "1"},
            &added, NULL),
        0);
    runs = runs_of(h, &all);
    ck_assert_int_eq(trend_of(h, TL_HISTORY_CASES, NULL, false, &runs, &cases), 0);
    ck_assert_uint_eq(cases.count, 1);
    ck_assert_uint_eq(cases.rows[0].flaky, 1);
    ck_assert_uint_eq(cases.rows[0].observed, 1);
    ck_assert_uint_eq(cases.rows[0].bad, 0);
    tl_history_trend_free(&cases);
    tl_history_runs_free(&runs);
    tl_history_close(h);
    tl_case_clear(&c);
}
END_TEST

/* ---- comparing, the matrix ---- */

START_TEST(runs_compare_as_results_do)
{
    struct tl_history *h = in_memory();
    struct tl_history_results *old, *now;
    int64_t a = add(h, "..F", "1.0", 1).run, b = add(h, ".F.F", "1.1", 2).run;
    size_t count[TL_CHANGES];
    struct fal_error err;

    ck_assert_int_eq(tl_history_results(h, a, &old, NULL), 0);
    ck_assert_int_eq(tl_history_results(h, b, &now, NULL), 0);
    ck_assert_int_eq(
        tl_diff_count(tl_history_results_of(old), tl_history_results_of(now), count, &err), 0);
    ck_assert_uint_eq(count[TL_CHANGE_FAILS], 2); /* b, and d, which is new */
    ck_assert_uint_eq(count[TL_CHANGE_FIXED], 1);
    ck_assert_uint_eq(count[TL_CHANGE_OTHERWISE], 0);
    ck_assert_int_eq(
        tl_diff_count(tl_history_results_of(now), tl_history_results_of(now), count, &err), 0);
    for (int c = 0; c < TL_CHANGES; c++)
        ck_assert_uint_eq(count[c], 0);
    tl_history_results_free(old);
    tl_history_results_free(now);
    tl_history_close(h);
}
END_TEST

START_TEST(the_matrix_has_the_newest_run_of_each_firmware)
{
    struct tl_history *h = in_memory();
    struct tl_history_runs runs;
    struct tl_history_matrix m;
    const struct tl_history_cell *cell;

    (void)add(h, "F.", "1.9", 1);
    (void)add(h, "..", "1.9", 2);
    (void)add(h, "FF", "1.10", 3);
    runs = runs_of(h, &all);
    ck_assert_int_eq(tl_history_matrix(h, &runs, true, &m, NULL), 0);
    ck_assert_uint_eq(m.num_devices, 1);
    ck_assert_uint_eq(m.num_firmwares, 2);
    ck_assert_uint_eq(m.num_cells, 2);
    ck_assert_str_eq(m.firmwares[0].name, "1.10"); /* newer than 1.9 */
    cell = tl_history_cell(&m, 1, 0);
    ck_assert_int_eq(cell->run->time, 2 * DAY);
    ck_assert_int_eq(cell->run->verdict, FAL_VERDICT_PASS);
    cell = tl_history_cell(&m, 0, 0);
    ck_assert_uint_eq(cell->num_chapters, 1);
    ck_assert_str_eq(cell->chapters[0].name, "9.1.6-acks");
    ck_assert_uint_eq(cell->chapters[0].counted[FAL_VERDICT_FAIL], 2);
    ck_assert_ptr_null(tl_history_cell(&m, 0, 1));
    tl_history_matrix_free(&m);
    tl_history_runs_free(&runs);
    tl_history_close(h);
}
END_TEST

/* ---- the page ---- */

START_TEST(texts_of_the_database_are_no_markup)
{
    struct tl_history *h = in_memory();
    struct tl_memory_file file;
    struct tl_history_runs runs;
    struct tl_history_trend trends[TL_HISTORY_KINDS];
    struct tl_history_matrix matrix;
    struct tl_history_view view = {.runs = &runs, .lists = true, .matrix = &matrix};

    (void)add(h, ".F", "<script>\"1\"</script>", 1);
    runs = runs_of(h, &all);
    ck_assert_int_eq(tl_history_matrix(h, &runs, true, &matrix, NULL), 0);
    for (int of = 0; of < TL_HISTORY_KINDS; of++) {
        ck_assert_int_eq(trend_of(h, (enum tl_history_of)of, NULL, false, &runs, &trends[of]),
                         0);
        view.trends[of] = &trends[of];
    }
    ck_assert_int_eq(tl_memory_open(&file), 0);
    tl_history_page_write(file.out, &view);
    ck_assert_int_eq(tl_memory_close(&file), 0);
    ck_assert_ptr_null(strstr(file.text, "<script"));
    ck_assert_ptr_nonnull(strstr(file.text, "&lt;script"));
    free(file.text);
    for (int of = 0; of < TL_HISTORY_KINDS; of++)
        tl_history_trend_free(&trends[of]);
    tl_history_matrix_free(&matrix);
    tl_history_runs_free(&runs);
    tl_history_close(h);
}
END_TEST

/* ---- versions, and files that are no history ---- */

/* Version 1 as it was released: this text never changes. */
static const char version_1[] =
    "PRAGMA application_id = 1413565518;"
    "CREATE TABLE version (number INTEGER PRIMARY KEY, talon TEXT NOT NULL,"
    " made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) STRICT;"
    "CREATE TABLE word (kind TEXT NOT NULL, number INTEGER NOT NULL, word TEXT NOT NULL,"
    " PRIMARY KEY (kind, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE,"
    " time INTEGER NOT NULL, device TEXT NOT NULL, firmware TEXT NOT NULL,"
    " profile TEXT NOT NULL, tool TEXT NOT NULL, sut TEXT NOT NULL, seed TEXT NOT NULL,"
    " live INTEGER NOT NULL, partial INTEGER NOT NULL, verdict INTEGER NOT NULL,"
    " cases INTEGER NOT NULL, none INTEGER NOT NULL, pass INTEGER NOT NULL,"
    " warn INTEGER NOT NULL, inconclusive INTEGER NOT NULL, fail INTEGER NOT NULL,"
    " error INTEGER NOT NULL) STRICT;"
    "CREATE TABLE test_case (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " title TEXT NOT NULL, chapter TEXT NOT NULL) STRICT;"
    "CREATE TABLE result (case_id INTEGER NOT NULL REFERENCES test_case,"
    " run_id INTEGER NOT NULL REFERENCES run, verdict INTEGER NOT NULL,"
    " disposition INTEGER NOT NULL, reason TEXT, why TEXT, fingerprint TEXT,"
    " PRIMARY KEY (case_id, run_id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE requirement (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " title TEXT NOT NULL) STRICT;"
    "CREATE TABLE proof (requirement_id INTEGER NOT NULL REFERENCES requirement,"
    " run_id INTEGER NOT NULL REFERENCES run, proof INTEGER NOT NULL,"
    " PRIMARY KEY (requirement_id, run_id)) STRICT, WITHOUT ROWID;"
    "INSERT INTO version (number, talon) VALUES (1, '0.1.0');"
    "INSERT INTO run VALUES (1, 'h1', 86400, 'F1', '1.0', 'core', '1', 'builtin', '1', 0, 0, 4,"
    " 2, 0, 1, 0, 0, 1, 0);"
    "INSERT INTO test_case VALUES (1, 'a', 'A', '9'), (2, 'b', 'B', '9');"
    "INSERT INTO result VALUES (1, 1, 1, 0, NULL, NULL, NULL),"
    " (2, 1, 4, 0, 'unmet', NULL, '0123456789abcdef');"
    "INSERT INTO requirement VALUES (1, 'FTP-9.1.6-03', 'T');"
    "INSERT INTO proof VALUES (1, 1, 7);";

/* Makes a database by SQL. */
static void make(const char *sql)
{
    sqlite3 *db;

    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

START_TEST(the_first_version_is_upgraded)
{
    struct tl_history *h;
    struct tl_history_runs runs;
    struct tl_history_trend trend;

    make(version_1);
    for (int i = 0; i < 2; i++) { /* the second time nothing is left to do */
        ck_assert_int_eq(tl_history_open(path, false, 0, &h, NULL), 0);
        (void)add(h, ".F", "1.1", 2);
        runs = runs_of(h, &all);
        ck_assert_uint_eq(runs.count, 2);
        ck_assert_str_eq(runs.list[0].hash, "h1");
        ck_assert_int_eq(trend_of(h, TL_HISTORY_CASES, NULL, false, &runs, &trend), 0);
        ck_assert_str_eq(marks_of(&trend, &runs, "b"), "FF");
        tl_history_trend_free(&trend);
        ck_assert_int_eq(trend_of(h, TL_HISTORY_REQUIREMENTS, NULL, false, &runs, &trend), 0);
        ck_assert_str_eq(marks_of(&trend, &runs, "FTP-9.1.6-03"), "FF");
        tl_history_trend_free(&trend);
        tl_history_runs_free(&runs);
        tl_history_close(h);
    }
}
END_TEST

static void refused(int code, const char *words)
{
    struct tl_history *h;
    struct fal_error err;

    for (int writes = 0; writes < 2; writes++) {
        ck_assert_int_eq(tl_history_open(path, writes, 0, &h, &err), code);
        ck_assert_ptr_null(h);
        ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
    }
}

START_TEST(a_newer_version_is_refused)
{
    make(version_1);
    make("INSERT INTO version (number, talon) VALUES (99, '9.0')");
    refused(FAL_ERR_FORM, "has version 99; this Talon reads versions up to 2");
}
END_TEST

START_TEST(another_database_is_refused)
{
    make("CREATE TABLE run (x)");
    refused(FAL_ERR_FORM, "a SQLite database of another program");
}
END_TEST

START_TEST(a_history_without_a_version_is_refused)
{
    make(version_1);
    make("DELETE FROM version");
    refused(FAL_ERR_FORM, "is damaged: it states no version");
}
END_TEST

START_TEST(a_file_that_is_no_database_is_refused)
{
    static const char *const texts[] = {"xy", "{\"schema\": \"talon/results/1\"}"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *file = fopen(path, "we");
        char back[100] = "";

        ck_assert_ptr_nonnull(file);
        ck_assert_int_ge(fputs(texts[i], file), 0);
        ck_assert_int_eq(fclose(file), 0);
        refused(FAL_ERR_FORM, "is no SQLite database");
        file = fopen(path, "re"); /* and left alone */
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_eq(fread(back, 1, sizeof back, file), strlen(texts[i]));
        ck_assert_str_eq(back, texts[i]);
        ck_assert_int_eq(fclose(file), 0);
    }
}
END_TEST

START_TEST(an_upgrade_that_fails_changes_nothing)
{
    struct tl_history *h;
    struct fal_error err;
    sqlite3 *db;

    make(version_1);
    make("CREATE TABLE cause (x)"); /* in the way of version 2, after its first statements */
    ck_assert_int_eq(tl_history_open(path, true, 0, &h, &err), FAL_ERR_IO);
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_ne(sqlite3_exec(db, "SELECT certificate FROM run", NULL, NULL, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}
END_TEST

START_TEST(a_lock_is_named)
{
    struct tl_history *h;
    struct fal_error err;
    sqlite3 *db;

    ck_assert_int_eq(tl_history_open(path, true, 0, &h, NULL), 0);
    tl_history_close(h);
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(tl_history_open(path, true, 0, &h, &err), FAL_ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "is locked by another program"));
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}
END_TEST

/* Each page of a good history, damaged in turn: an error or wrong words, never a crash. */
START_TEST(damage_is_survived)
{
    struct tl_history *h;
    long size;

    ck_assert_int_eq(tl_history_open(path, true, 0, &h, NULL), 0);
    (void)add(h, ".F", "1.0", 1);
    (void)add(h, "F.", "1.1", 2);
    tl_history_close(h);
    for (long at = 100; at > 0; at += 509) {
        FILE *file = fopen(path, "r+e");
        int old;

        ck_assert_ptr_nonnull(file);
        ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
        size = ftell(file);
        if (at >= size) {
            ck_assert_int_eq(fclose(file), 0);
            break;
        }
        ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
        old = fgetc(file);
        ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
        ck_assert_int_ne(fputc(old ^ 0xff, file), EOF);
        ck_assert_int_eq(fclose(file), 0);
        if (tl_history_open(path, false, 0, &h, NULL) == 0) {
            struct tl_history_runs runs;
            struct tl_history_trend trend;

            if (tl_history_runs(h, &all, &runs, NULL) == 0 &&
                trend_of(h, TL_HISTORY_CASES, NULL, true, &runs, &trend) == 0)
                tl_history_trend_free(&trend);
            tl_history_runs_free(&runs);
            tl_history_close(h);
        }
        file = fopen(path, "r+e");
        ck_assert_ptr_nonnull(file);
        ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
        ck_assert_int_ne(fputc(old, file), EOF);
        ck_assert_int_eq(fclose(file), 0);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("history");
    TCase *tc = tcase_create("memory"), *files = tcase_create("files");

    suite_add_tcase(s, tc);
    suite_add_tcase(s, files);
    tcase_add_test(tc, the_same_results_are_stored_once);
    tcase_add_test(tc, a_case_that_is_there_twice_has_its_worst_verdict);
    tcase_add_test(tc, a_removed_run_leaves_nothing_of_its_own);
    tcase_add_test(tc, one_shard_is_refused);
    tcase_add_test(tc, a_failed_addition_leaves_nothing);
    tcase_add_test(tc, runs_are_in_the_order_of_their_times);
    tcase_add_test(tc, times_are_read_and_written);
    tcase_add_test(tc, trends_show_what_failed_when);
    tcase_add_test(tc, a_case_is_flaky_where_nothing_else_changed);
    tcase_add_test(tc, a_run_without_the_case_does_not_count);
    tcase_add_test(tc, a_case_is_flaky_within_a_run);
    tcase_add_test(tc, runs_compare_as_results_do);
    tcase_add_test(tc, the_matrix_has_the_newest_run_of_each_firmware);
    tcase_add_test(tc, texts_of_the_database_are_no_markup);
    tcase_add_checked_fixture(files, new_path, remove_path);
    tcase_add_test(files, the_first_version_is_upgraded);
    tcase_add_test(files, a_newer_version_is_refused);
    tcase_add_test(files, another_database_is_refused);
    tcase_add_test(files, a_history_without_a_version_is_refused);
    tcase_add_test(files, a_file_that_is_no_database_is_refused);
    tcase_add_test(files, an_upgrade_that_fails_changes_nothing);
    tcase_add_test(files, a_lock_is_named);
    tcase_add_test(files, damage_is_survived);
    return s;
}
