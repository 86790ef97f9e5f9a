/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/suite/journal.h"

#include "harness/doc/version.h"
#include "oracles/payload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { HASH_TEXT = 19 };

#define FLUSH_NS (100 * FAL_MS)

struct tl_journal {
    char *path;
    FILE *file;
    json_t *run;    /* the second line of a journal that goes on; NULL: not written yet */
    off_t cases_at; /* where the lines of cases begin */
    uint64_t flushed_ns;
};

static int memory(struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_MEM, "out of memory");
}

static char *path_of(const char *dir)
{
    char *path = NULL;

    return asprintf(&path, "%s/journal.jsonl", dir) < 0 ? NULL : path;
}

static int unwritten(const struct tl_journal *journal, struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_IO, "%.300s: cannot be written: %s", journal->path,
                    strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
}

/* Writes a line (taken) at once: the next moment may be the last. */
static int write_line(struct tl_journal *journal, json_t *line, struct fal_error *err)
{
    int rc = 0;

    if (line == NULL)
        return memory(err);
    if (json_dumpf(line, journal->file, JSON_COMPACT) != 0 ||
        fputc('\n', journal->file) == EOF || fflush(journal->file) != 0)
        rc = unwritten(journal, err);
    json_decref(line);
    return rc;
}

/* The next whole line as an object; NULL at the end and at a line that was cut, where the file
 * stays. *rc: FAL_ERR_FORM for a line that is no object. */
static json_t *next_line(struct tl_journal *journal, int *rc, struct fal_error *err)
{
    off_t at = ftello(journal->file);
    char *text = NULL;
    size_t cap = 0;
    ssize_t len = getline(&text, &cap, journal->file);
    json_t *line = NULL;
    json_error_t why;

    *rc = 0;
    if (len > 0 && text[len - 1] == '\n') {
        line = json_loadb(text, (size_t)len, JSON_REJECT_DUPLICATES, &why);
        if (line == NULL)
            *rc = fal_fail(err, FAL_ERR_FORM, "%.300s: byte %lld: %.100s", journal->path,
                           (long long)at, why.text);
    }
    if (line == NULL)
        (void)fseeko(journal->file, at, SEEK_SET);
    free(text);
    return line;
}

/* The head: false when it is none. */
static bool is_head(const json_t *line)
{
    const char *schema = json_string_value(json_object_get(line, "schema"));

    return schema != NULL && strcmp(schema, TL_JOURNAL_SCHEMA) == 0 &&
           json_is_object(json_object_get(line, "request")) &&
           json_is_array(json_object_get(line, "command"));
}

static int read_head(struct tl_journal *journal, json_t **head, struct fal_error *err)
{
    int rc;

    *head = next_line(journal, &rc, err);
    if (rc == 0 && !is_head(*head))
        rc = fal_fail(err, FAL_ERR_FORM, "%.300s: its first line is not the head of a %s",
                      journal->path, TL_JOURNAL_SCHEMA);
    if (rc != 0) {
        json_decref(*head);
        *head = NULL;
    }
    return rc;
}

/* Goes on with a journal: reads its first two lines. */
static int go_on(struct tl_journal *journal, struct fal_error *err)
{
    json_t *head;
    int rc = read_head(journal, &head, err);

    json_decref(head);
    if (rc == 0)
        journal->run = next_line(journal, &rc, err);
    journal->cases_at = ftello(journal->file);
    return rc;
}

int tl_journal_open(const char *dir, bool again, const json_t *request, const json_t *command,
                    struct tl_journal **out, struct fal_error *err)
{
    struct tl_journal *journal = calloc(1, sizeof *journal);
    int rc;

    *out = NULL;
    if (journal == NULL || (journal->path = path_of(dir)) == NULL) {
        free(journal);
        return memory(err);
    }
    journal->file = fopen(journal->path, again ? "r+e" : "w+e");
    if (journal->file == NULL)
        rc = unwritten(journal, err);
    else if (flock(fileno(journal->file), LOCK_EX | LOCK_NB) != 0)
        rc = fal_fail(err, FAL_ERR_IO, "%.300s: another run is writing to it", journal->path);
    else if (again)
        rc = go_on(journal, err);
    else
        rc = write_line(journal,
                        json_pack("{s:s, s:s, s:O, s:O}", "schema", TL_JOURNAL_SCHEMA, "tool",
                                  TL_VERSION, "request", (json_t *)request, "command",
                                  (json_t *)command),
                        err);
    if (rc != 0) {
        tl_journal_close(journal, false);
        return rc;
    }
    *out = journal;
    return 0;
}

/* The ids of all cases, in order. */
static uint64_t hash_of(const struct tl_planned *cases, size_t n)
{
    uint64_t hash = n;

    for (size_t i = 0; i < n; i++)
        hash = hash * UINT64_C(0x100000001b3) ^
               fal_payload_hash((const uint8_t *)cases[i].id, strlen(cases[i].id));
    return hash;
}

/* The values of the part that has ended hold for the rest. */
static int learned_again(const json_t *learned, const char *path, struct tl_learned *out,
                         struct fal_error *err)
{
    struct fal_misfit wrong = {.ctx = NULL};
    int rc = fal_shape_read(&tl_learned_shape, learned, out, false, &wrong);

    return rc == 0 ? 0 : fal_misfit_error(&wrong, rc, path, err);
}

int tl_journal_run(struct tl_journal *journal, const struct tl_planned *cases, size_t num_cases,
                   const char *product, struct tl_learned *learned, struct fal_error *err)
{
    const json_t *old_learned = json_object_get(journal->run, "learned");
    const char *old_cases = json_string_value(json_object_get(journal->run, "cases"));
    const char *old_product = json_string_value(json_object_get(journal->run, "product"));
    char hash[HASH_TEXT];
    int rc;

    (void)snprintf(hash, sizeof hash, "0x%016" PRIx64, hash_of(cases, num_cases));
    if (journal->run != NULL) {
        if (old_cases == NULL || strcmp(old_cases, hash) != 0)
            return fal_fail(err, FAL_ERR_FORM,
                            "%.200s: the scenarios have changed since; start the run again "
                            "without --resume",
                            journal->path);
        if (old_product == NULL || strcmp(old_product, product) != 0)
            return fal_fail(err, FAL_ERR_FORM,
                            "%.160s: the SUT is '%.80s' now and was '%.80s'; start the run "
                            "again without --resume",
                            journal->path, product, old_product != NULL ? old_product : "?");
        return old_learned != NULL ? learned_again(old_learned, journal->path, learned, err)
                                   : 0;
    }
    rc = write_line(journal,
                    json_pack("{s:s, s:s, s:o*}", "cases", hash, "product", product, "learned",
                              fal_shape_write(&tl_learned_shape, learned)),
                    err);
    journal->cases_at = ftello(journal->file);
    return rc;
}

char *tl_journal_line(size_t index, const struct tl_case *c)
{
    json_t *result = fal_shape_write(&tl_case_shape, c), *line = NULL;
    char *text = NULL, *whole = NULL;

    if (result != NULL)
        line = json_pack("{s:I, s:o}", "case", (json_int_t)index, "result", result);
    if (line != NULL)
        text = json_dumps(line, JSON_COMPACT);
    json_decref(line);
    if (text != NULL && asprintf(&whole, "%s\n", text) < 0)
        whole = NULL;
    free(text);
    return whole;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * FAL_S + (uint64_t)now.tv_nsec;
}

int tl_journal_write(struct tl_journal *journal, const char *line, struct fal_error *err)
{
    uint64_t now = now_ns();

    if (fputs(line, journal->file) == EOF)
        return unwritten(journal, err);
    if (now - journal->flushed_ns < FLUSH_NS)
        return 0;
    journal->flushed_ns = now;
    return fflush(journal->file) == 0 ? 0 : unwritten(journal, err);
}

static int read_case(const struct tl_journal *journal, json_t *line, size_t num_cases,
                     size_t *index, struct tl_case *c, struct fal_error *err)
{
    const json_t *number = json_object_get(line, "case");
    struct fal_misfit wrong = {.ctx = &c->arena};
    struct fal_error why = {{0}};
    int rc;

    *c = (struct tl_case){.id = NULL};
    if (!json_is_integer(number) || json_integer_value(number) < 0 ||
        (size_t)json_integer_value(number) >= num_cases)
        return fal_fail(err, FAL_ERR_FORM, "%.300s: a case without its number", journal->path);
    *index = (size_t)json_integer_value(number);
    rc = fal_shape_read(&tl_case_shape, json_object_get(line, "result"), c, false, &wrong);
    if (rc == 0)
        return 0;
    rc = fal_misfit_error(&wrong, rc, "", &why);
    tl_case_clear(c);
    return fal_fail(err, rc, "%.160s: case %zu: %.200s", journal->path, *index, why.text);
}

int tl_journal_cases(struct tl_journal *journal, size_t num_cases, tl_journal_take *take,
                     void *ctx, struct fal_error *err)
{
    json_t *line;
    int rc = 0;

    if (fseeko(journal->file, journal->cases_at, SEEK_SET) != 0)
        return unwritten(journal, err);
    while (rc == 0 && (line = next_line(journal, &rc, err)) != NULL) {
        struct tl_case c;
        size_t index = 0;

        rc = read_case(journal, line, num_cases, &index, &c, err);
        if (rc == 0)
            take(ctx, index, &c);
        json_decref(line);
    }
    /* What is left is a line that was cut. */
    if (rc == 0 && ftruncate(fileno(journal->file), ftello(journal->file)) != 0)
        rc = unwritten(journal, err);
    return rc;
}

void tl_journal_close(struct tl_journal *journal, bool ended)
{
    if (journal == NULL)
        return;
    if (journal->file != NULL)
        (void)fclose(journal->file);
    if (ended)
        (void)unlink(journal->path);
    json_decref(journal->run);
    free(journal->path);
    free(journal);
}

int tl_journal_head(const char *dir, struct tl_journal_content *out, struct fal_error *err)
{
    struct tl_journal journal = {.path = path_of(dir)};
    json_t *head = NULL;
    int rc;

    *out = (struct tl_journal_content){.request = NULL};
    if (journal.path == NULL)
        return memory(err);
    journal.file = fopen(journal.path, "re");
    if (journal.file == NULL)
        rc = fal_fail(err, FAL_ERR_IO,
                      "%.300s: %s; only a run with --out that was interrupted can go on",
                      journal.path, strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    else
        rc = read_head(&journal, &head, err);
    if (rc == 0) {
        out->request = json_incref(json_object_get(head, "request"));
        out->command = json_incref(json_object_get(head, "command"));
    }
    json_decref(head);
    if (journal.file != NULL)
        (void)fclose(journal.file);
    free(journal.path);
    return rc;
}
