/* SPDX-License-Identifier: Apache-2.0
 * history_add.c - adds the results of a run. All that can fail because of the results is done
 * before the transaction begins; the lock is held for the writing alone. */
#include "harness/history/history_db.h"

#include "reports/causes/causes.h"
#include "reports/results/overview.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a case that are kept. */
struct kept {
    const char *name, *title, *chapter, *reason, *why, *fingerprint;
    enum fal_verdict verdict;
    enum tl_disposition disposition;
    bool unstable;
};

/* What is written. */
struct batch {
    const struct tl_history_labels *labels;
    const struct tl_results *results;
    struct tl_overview overview;
    struct tl_causes causes;
    struct kept *cases;
    size_t count, cap;
    struct fal_arena arena;
};

/* ---- gathering ---- */

/* Whether plays of the case within the run ended with different verdicts. */
static bool is_unstable(const struct tl_case *c)
{
    for (size_t i = 1; i < c->num_attempts; i++)
        if (c->attempts[i].verdict != c->attempts[0].verdict)
            return true;
    for (size_t i = 1; i < c->num_repetitions; i++)
        if (c->repetitions[i].verdict != c->repetitions[0].verdict)
            return true;
    return false;
}

/* A text that may be NULL, or a file whose chapter it is. */
static bool keep_text(struct batch *b, const char **out, const char *text)
{
    *out = text != NULL ? fal_arena_strdup(&b->arena, text) : NULL;
    return text == NULL || *out != NULL;
}

static bool keep_chapter(struct batch *b, const char **out, const char *file)
{
    size_t len = 0;
    const char *chapter = file != NULL ? tl_overview_chapter(file, &len) : "";
    char *copy = fal_arena_alloc(&b->arena, len + 1, 1);

    *out = copy;
    if (copy != NULL)
        memcpy(copy, chapter, len);
    return copy != NULL;
}

static bool keep(struct batch *b, const struct tl_case *c)
{
    struct kept *k;

    if (b->count == b->cap) {
        size_t cap = b->cap == 0 ? 256 : b->cap * 2;
        struct kept *grown = realloc(b->cases, cap * sizeof *grown);

        if (grown == NULL)
            return false;
        b->cases = grown;
        b->cap = cap;
    }
    k = &b->cases[b->count++];
    *k = (struct kept){
        .verdict = c->verdict, .disposition = c->disposition, .unstable = is_unstable(c)};
    return keep_text(b, &k->name, c->id) &&
           keep_text(b, &k->title, c->title != NULL ? c->title : "") &&
           keep_chapter(b, &k->chapter, c->file) && keep_text(b, &k->reason, c->reason.word) &&
           keep_text(b, &k->why, c->why) &&
           keep_text(b, &k->fingerprint,
                     c->num_problems > 0 ? c->problems[0].fingerprint : NULL);
}

static int gather(struct batch *b, struct fal_error *err)
{
    struct tl_cases it;
    const struct tl_case *c;
    bool ok = true;
    int rc = tl_overview_make(b->results, &b->overview, err);

    if (rc == 0)
        rc = tl_causes_make(b->results, &b->causes, err);
    if (rc != 0)
        return rc;
    tl_causes_book(&b->causes, &b->overview);
    tl_cases_begin(&it, b->results);
    while (ok && (c = tl_cases_next(&it)) != NULL)
        ok = keep(b, c);
    tl_cases_end(&it);
    if (!ok)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    return it.rc == 0 ? 0 : fal_fail(err, it.rc, "%s", it.err.text);
}

/* ---- writing ---- */

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    (void)sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC); /* NULL is NULL */
}

/* Names that rows refer to by number: they are looked up, and added or kept up to date. */
struct names {
    const struct tl_history *h;
    sqlite3_stmt *find, *insert, *update;
};

static int open_names(struct names *n, const char *find, const char *insert, const char *update,
                      struct fal_error *err)
{
    int rc = tl_history_prepare(n->h, find, &n->find, err);

    if (rc == 0)
        rc = tl_history_prepare(n->h, insert, &n->insert, err);
    return rc == 0 ? tl_history_prepare(n->h, update, &n->update, err) : rc;
}

static void close_names(struct names *n)
{
    (void)sqlite3_finalize(n->find);
    (void)sqlite3_finalize(n->insert);
    (void)sqlite3_finalize(n->update);
}

/* `text` is the second column; `more` the third one, which only a new row gets. */
static int name_of(struct names *n, const char *name, const char *text, const char *more,
                   sqlite3_int64 *id, struct fal_error *err)
{
    const unsigned char *old;
    sqlite3_stmt *write = n->insert;
    int rc;

    bind_text(n->find, 1, name);
    rc = tl_history_step(n->h, n->find, err);
    if (rc == 1) {
        *id = sqlite3_column_int64(n->find, 0);
        old = sqlite3_column_text(n->find, 1);
        write = old != NULL && strcmp((const char *)old, text) == 0 ? NULL : n->update;
    }
    (void)sqlite3_reset(n->find);
    if (rc < 0 || write == NULL)
        return rc < 0 ? rc : 0;
    bind_text(write, 1, name);
    bind_text(write, 2, text);
    if (write == n->insert && more != NULL)
        bind_text(write, 3, more);
    rc = tl_history_step(n->h, write, err);
    if (rc == 0 && write == n->insert)
        *id = sqlite3_last_insert_rowid(n->h->db);
    (void)sqlite3_reset(write);
    return rc;
}

static int write_case(struct names *names, sqlite3_stmt *insert, const struct kept *k,
                      int64_t run, struct fal_error *err)
{
    sqlite3_int64 id = 0;
    int rc = name_of(names, k->name, k->title, k->chapter, &id, err);

    if (rc != 0)
        return rc;
    (void)sqlite3_bind_int64(insert, 1, id);
    (void)sqlite3_bind_int64(insert, 2, run);
    (void)sqlite3_bind_int(insert, 3, (int)k->verdict);
    (void)sqlite3_bind_int(insert, 4, (int)k->disposition);
    bind_text(insert, 5, k->reason);
    bind_text(insert, 6, k->why);
    bind_text(insert, 7, k->fingerprint);
    (void)sqlite3_bind_int(insert, 8, k->unstable);
    rc = tl_history_step(names->h, insert, err);
    (void)sqlite3_reset(insert);
    return rc;
}

/* Merged results may have a case several times, once a profile: the worst verdict counts. */
static int write_cases(const struct tl_history *h, const struct batch *b, int64_t run,
                       struct fal_error *err)
{
    struct names names = {.h = h};
    sqlite3_stmt *insert = NULL;
    int rc = open_names(&names, "SELECT id, title FROM test_case WHERE name = ?1",
                        "INSERT INTO test_case (name, title, chapter) VALUES (?1, ?2, ?3)",
                        "UPDATE test_case SET title = ?2 WHERE name = ?1", err);

    if (rc == 0)
        rc = tl_history_prepare(
            h,
            "INSERT INTO result (case_id, run_id, verdict, disposition, reason, why,"
            " fingerprint, unstable) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
            " ON CONFLICT DO UPDATE SET verdict = excluded.verdict,"
            " disposition = excluded.disposition, reason = excluded.reason,"
            " why = excluded.why, fingerprint = excluded.fingerprint,"
            " unstable = excluded.unstable WHERE excluded.verdict > verdict",
            &insert, err);
    for (size_t i = 0; i < b->count && rc == 0; i++)
        rc = write_case(&names, insert, &b->cases[i], run, err);
    (void)sqlite3_finalize(insert);
    close_names(&names);
    return rc;
}

static int write_requirements(const struct tl_history *h, const struct batch *b, int64_t run,
                              struct fal_error *err)
{
    struct names names = {.h = h};
    sqlite3_stmt *insert = NULL;
    int rc = open_names(&names, "SELECT id, title FROM requirement WHERE name = ?1",
                        "INSERT INTO requirement (name, title) VALUES (?1, ?2)",
                        "UPDATE requirement SET title = ?2 WHERE name = ?1", err);

    if (rc == 0)
        rc = tl_history_prepare(h, "INSERT INTO proof VALUES (?1, ?2, ?3)", &insert, err);
    for (size_t i = 0; i < b->overview.num_requirements && rc == 0; i++) {
        const struct tl_proven *p = &b->overview.requirements[i];
        sqlite3_int64 id = 0;

        if (p->proof == TL_PROOF_NOT_EXERCISED)
            continue;
        rc = name_of(&names, p->requirement->id, p->requirement->title, NULL, &id, err);
        if (rc != 0)
            break;
        (void)sqlite3_bind_int64(insert, 1, id);
        (void)sqlite3_bind_int64(insert, 2, run);
        (void)sqlite3_bind_int(insert, 3, (int)p->proof);
        rc = tl_history_step(h, insert, err);
        (void)sqlite3_reset(insert);
    }
    (void)sqlite3_finalize(insert);
    close_names(&names);
    return rc;
}

/* A cause keeps its name as long as it blames the same: the requirement, or where there is none
 * the reason; its sentence is that of the newest run. */
static void name_cause(const struct tl_cause *cause, char *out, size_t cap)
{
    const char *reason = tl_reason_word(cause->reason);

    (void)snprintf(out, cap, "%.100s%s",
                   cause->requirement != NULL ? cause->requirement->id
                   : reason != NULL           ? reason
                                              : fal_verdict_name(cause->verdict),
                   cause->subject == FAL_SUBJECT_TESTER ? " (tester)" : "");
}

static int write_causes(const struct tl_history *h, const struct batch *b, int64_t run,
                        struct fal_error *err)
{
    struct names names = {.h = h};
    sqlite3_stmt *insert = NULL;
    int rc = open_names(&names, "SELECT id, sentence FROM cause WHERE name = ?1",
                        "INSERT INTO cause (name, sentence) VALUES (?1, ?2)",
                        "UPDATE cause SET sentence = ?2 WHERE name = ?1", err);

    if (rc == 0) /* several causes of one name: their cases together */
        rc = tl_history_prepare(h,
                                "INSERT INTO run_cause VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT "
                                "DO UPDATE SET cases = cases + excluded.cases,"
                                " follows = min(follows, excluded.follows),"
                                " verdict = max(verdict, excluded.verdict)",
                                &insert, err);
    for (size_t i = 0; i < b->causes.count && rc == 0; i++) {
        const struct tl_cause *cause = &b->causes.list[i];
        char name[160], sentence[TL_CAUSE_TEXT];
        sqlite3_int64 id = 0;

        name_cause(cause, name, sizeof name);
        tl_cause_sentence(cause, sentence);
        rc = name_of(&names, name, sentence, NULL, &id, err);
        if (rc != 0)
            break;
        (void)sqlite3_bind_int64(insert, 1, id);
        (void)sqlite3_bind_int64(insert, 2, run);
        (void)sqlite3_bind_int(insert, 3, (int)cause->verdict);
        (void)sqlite3_bind_int64(insert, 4, (sqlite3_int64)cause->cases);
        (void)sqlite3_bind_int(insert, 5, cause->follows >= 0);
        rc = tl_history_step(h, insert, err);
        (void)sqlite3_reset(insert);
    }
    (void)sqlite3_finalize(insert);
    close_names(&names);
    return rc;
}

static void bind_run(sqlite3_stmt *s, const struct batch *b, char seed[24])
{
    const struct tl_history_labels *l = b->labels;
    const struct tl_results *r = b->results;
    const struct tl_tally *t = &b->overview.tally;
    const char *texts[] = {l->hash, l->device, l->firmware,   l->profile,
                           l->tool, r->sut,    l->certificate};

    for (int i = 0; i < 7; i++)
        bind_text(s, i + 1, texts[i]);
    (void)snprintf(seed, 24, "%" PRIu64, r->seed);
    bind_text(s, 8, seed);
    (void)sqlite3_bind_int64(s, 9, l->time);
    (void)sqlite3_bind_int(s, 10, r->live);
    (void)sqlite3_bind_int(s, 11, r->interrupted);
    (void)sqlite3_bind_int(s, 12, (int)tl_tally_verdict(t, r));
    (void)sqlite3_bind_int64(s, 13, (sqlite3_int64)t->cases);
    for (int v = 0; v < TL_VERDICTS; v++)
        (void)sqlite3_bind_int64(s, 14 + v, (sqlite3_int64)t->counted[v]);
}

static int write_run(const struct tl_history *h, const struct batch *b, int64_t *run,
                     struct fal_error *err)
{
    sqlite3_stmt *insert = NULL;
    char seed[24];
    int rc = tl_history_prepare(
        h,
        "INSERT INTO run (hash, device, firmware, profile, tool, sut, certificate, seed, time,"
        " live, partial, verdict, cases, none, pass, warn, inconclusive, fail, error)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,"
        " ?18, ?19)",
        &insert, err);

    if (rc == 0) {
        bind_run(insert, b, seed);
        rc = tl_history_step(h, insert, err);
        *run = sqlite3_last_insert_rowid(h->db);
    }
    (void)sqlite3_finalize(insert);
    return rc;
}

static int write_all(const struct tl_history *h, const struct batch *b, int64_t *run,
                     struct fal_error *err)
{
    int rc = write_run(h, b, run, err);

    if (rc == 0)
        rc = write_cases(h, b, *run, err);
    if (rc == 0)
        rc = write_requirements(h, b, *run, err);
    return rc == 0 ? write_causes(h, b, *run, err) : rc;
}

/* ---- the whole ---- */

/* The run with this hash; 1: it is there. */
static int find(const struct tl_history *h, const char *hash, int64_t *run,
                struct fal_error *err)
{
    sqlite3_stmt *select = NULL;
    int rc = tl_history_prepare(h, "SELECT id FROM run WHERE hash = ?1", &select, err);

    if (rc == 0) {
        bind_text(select, 1, hash);
        rc = tl_history_step(h, select, err);
    }
    if (rc == 1)
        *run = sqlite3_column_int64(select, 0);
    (void)sqlite3_finalize(select);
    return rc;
}

/* Another process may have added the same: it is looked for again within the lock. */
static int write_once(const struct tl_history *h, const struct batch *b,
                      struct tl_history_added *added, struct fal_error *err)
{
    int rc = tl_history_run_sql(h, "BEGIN IMMEDIATE", err);

    if (rc != 0)
        return rc;
    rc = find(h, b->labels->hash, &added->run, err);
    added->again = rc == 1;
    if (rc == 0)
        rc = write_all(h, b, &added->run, err);
    if (rc == 0)
        rc = tl_history_run_sql(h, "COMMIT", err);
    if (rc != 0 || added->again)
        (void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL); /* the first error counts */
    return rc < 0 ? rc : 0;
}

int tl_history_add(struct tl_history *h, const struct tl_results *results,
                   const struct tl_history_labels *labels, struct tl_history_added *added,
                   struct fal_error *err)
{
    struct batch *b;
    int rc;

    *added = (struct tl_history_added){.run = 0};
    if (results->shard > 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "these are the results of shard %u of %u: merge all shards first, by "
                        "talon report merge",
                        results->shard, results->shards);
    rc = find(h, labels->hash, &added->run, err);
    added->again = rc == 1;
    if (rc != 0)
        return rc < 0 ? rc : 0;
    b = calloc(1, sizeof *b);
    if (b == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    b->labels = labels;
    b->results = results;
    rc = gather(b, err);
    if (rc == 0)
        rc = write_once(h, b, added, err);
    tl_overview_free(&b->overview);
    tl_causes_free(&b->causes);
    fal_arena_free(&b->arena);
    free(b->cases);
    free(b);
    return rc;
}
