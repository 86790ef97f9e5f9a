/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/results_read.h"

#include "reports/results/json_scan.h"

#include <stdlib.h>
#include <string.h>

struct tl_results_file {
    struct tl_json_scan scan;
    struct fal_arena arena; /* of the head */
    json_t *head;
    struct tl_results results;
    struct tl_case_source source;
    struct tl_tally tally;
    off_t cases_at; /* behind the bracket that begins the list of cases; 0: not seen yet */
    unsigned long cases_line;
    size_t number; /* of the next case */
};

struct tl_results *tl_results_of(struct tl_results_file *file)
{
    return &file->results;
}

/* ---- cases ---- */

static int rewind_cases(void *ctx, struct fal_error *err)
{
    struct tl_results_file *file = ctx;

    file->number = 0;
    file->scan.line = file->cases_line;
    return fseeko(file->scan.in, file->cases_at, SEEK_SET) == 0
               ? 0
               : fal_fail(err, FAL_ERR_IO, "%.200s: cannot be read again", file->scan.name);
}

static int next_case(void *ctx, struct tl_case *c, struct fal_error *err)
{
    struct tl_results_file *file = ctx;
    struct fal_misfit wrong = {.depth = 0};
    struct fal_error why = {{0}};
    unsigned long line;
    json_t *json;
    int rc = 0;

    if (tl_json_peek(&file->scan) == ']')
        return 0;
    if (file->number > 0)
        rc = tl_json_take(&file->scan, ',', err);
    if (rc != 0)
        return rc;
    (void)tl_json_peek(&file->scan);
    line = file->scan.line;
    json = tl_json_value(&file->scan, &rc, err);
    if (json == NULL)
        return rc;
    wrong.ctx = &c->arena;
    rc = fal_shape_read(&tl_case_shape, json, c, false, &wrong);
    if (rc != 0)
        rc = fal_misfit_error(&wrong, rc, "", &why);
    json_decref(json);
    file->number++;
    return rc == 0 ? 1
                   : fal_fail(err, rc, "%.160s:%lu: case %zu: %.180s", file->scan.name, line,
                              file->number, why.text);
}

/* ---- the head ---- */

static int read_head(struct tl_results_file *file, struct tl_results_head *head,
                     struct fal_error *err)
{
    const char *schema = json_string_value(json_object_get(file->head, "schema"));
    struct fal_misfit wrong = {.ctx = &file->arena};
    char name[181];
    int rc;

    if (schema == NULL || strcmp(schema, TL_RESULTS_SCHEMA) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%.200s: its \"schema\" is %.60s, not %s",
                        file->scan.name, schema != NULL ? schema : "missing",
                        TL_RESULTS_SCHEMA);
    head->results = file->results;
    rc = fal_shape_read(&tl_results_head_shape, file->head, head, false, &wrong);
    file->results = head->results; /* what there is of it is freed with the file */
    (void)snprintf(name, sizeof name, "%s", file->scan.name);
    return rc == 0 ? 0 : fal_misfit_error(&wrong, rc, name, err);
}

/* Compares the totals that the file states with those of its cases. */
static int compare(struct tl_results_file *file, const struct tl_results_head *head,
                   struct fal_error *err)
{
    const char *name = file->scan.name;
    int status = tl_tally_status(&file->tally, &file->results);

    for (int v = FAL_VERDICT_PASS; v < TL_VERDICTS; v++) {
        const char *word = fal_verdict_name((enum fal_verdict)v);

        if (head->tally.ended[v] != file->tally.ended[v])
            return fal_fail(err, FAL_ERR_FORM,
                            "%.200s: it counts %zu cases as %s, its cases come to %zu", name,
                            head->tally.ended[v], word, file->tally.ended[v]);
    }
    if (head->tally.worst != file->tally.worst)
        return fal_fail(err, FAL_ERR_FORM, "%.200s: its verdict is %s, its cases come to %s",
                        name, fal_verdict_name(head->tally.worst),
                        fal_verdict_name(file->tally.worst));
    if (status != file->results.status)
        return fal_fail(err, FAL_ERR_FORM, "%.200s: its status is %d, its cases come to %d",
                        name, file->results.status, status);
    return 0;
}

/* ---- the whole ---- */

static int read_cases(struct tl_results_file *file, struct fal_error *err)
{
    int rc = tl_json_take(&file->scan, '[', err);

    if (rc == 0 && file->cases_at > 0)
        rc = tl_json_fail(&file->scan, err, "\"cases\" stands there twice");
    if (rc != 0)
        return rc;
    file->cases_at = ftello(file->scan.in);
    file->cases_line = file->scan.line;
    if (file->cases_at < 0)
        return fal_fail(err, FAL_ERR_IO, "%.200s: cannot be read twice", file->scan.name);
    for (;;) {
        struct tl_case c = {.id = NULL};
        int got = next_case(file, &c, err);

        if (got == 1)
            tl_tally_add(&file->tally, &c);
        tl_case_clear(&c);
        if (got <= 0)
            return got < 0 ? got : tl_json_take(&file->scan, ']', err);
    }
}

static int read_member(struct tl_results_file *file, struct fal_error *err)
{
    json_t *key, *value;
    int rc;

    if (tl_json_peek(&file->scan) != '"')
        return tl_json_fail(&file->scan, err, "expected the name of a member");
    key = tl_json_value(&file->scan, &rc, err);
    if (key == NULL)
        return rc;
    rc = tl_json_take(&file->scan, ':', err);
    if (rc == 0 && strcmp(json_string_value(key), "cases") == 0) {
        rc = read_cases(file, err);
    } else if (rc == 0) {
        value = tl_json_value(&file->scan, &rc, err);
        if (rc == 0 && json_object_get(file->head, json_string_value(key)) != NULL)
            rc = tl_json_fail(&file->scan, err, "a member stands there twice");
        if (rc == 0 && json_object_set(file->head, json_string_value(key), value) != 0)
            rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        json_decref(value);
    }
    json_decref(key);
    return rc;
}

static int read_all(struct tl_results_file *file, struct fal_error *err)
{
    struct tl_results_head *head;
    int rc = tl_json_take(&file->scan, '{', err);

    while (rc == 0) {
        rc = read_member(file, err);
        if (rc != 0 || tl_json_peek(&file->scan) != ',')
            break;
        rc = tl_json_take(&file->scan, ',', err);
    }
    if (rc == 0)
        rc = tl_json_take(&file->scan, '}', err);
    if (rc == 0 && tl_json_peek(&file->scan) != EOF)
        rc = tl_json_fail(&file->scan, err, "something follows the end");
    if (rc != 0)
        return rc;
    head = calloc(1, sizeof *head);
    if (head == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    rc = read_head(file, head, err);
    if (rc == 0 && file->cases_at == 0)
        rc = fal_fail(err, FAL_ERR_FORM, "%.200s: \"cases\" is missing", file->scan.name);
    if (rc == 0)
        rc = compare(file, head, err);
    free(head);
    return rc;
}

int tl_results_open(FILE *in, const char *name, struct tl_results_file **out,
                    struct fal_error *err)
{
    struct tl_results_file *file = calloc(1, sizeof *file);
    int rc;

    *out = NULL;
    if (file == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    file->scan = (struct tl_json_scan){.in = in, .name = name, .line = 1};
    file->head = json_object();
    file->source =
        (struct tl_case_source){.rewind = rewind_cases, .next = next_case, .ctx = file};
    file->results.source = &file->source;
    file->results.tally = &file->tally;
    rc = file->head == NULL ? fal_fail(err, FAL_ERR_MEM, "out of memory") : read_all(file, err);
    if (rc != 0) {
        tl_results_close(file);
        return rc;
    }
    *out = file;
    return 0;
}

int tl_results_load(struct tl_results_file *file, struct fal_error *err)
{
    struct tl_results *results = &file->results;
    size_t n = file->tally.cases;
    int rc = rewind_cases(file, err);

    results->cases = calloc(n > 0 ? n : 1, sizeof *results->cases);
    if (results->cases == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (size_t i = 0; i < n && rc == 0; i++) {
        int got = next_case(file, &results->cases[i], err);

        results->num_cases++;
        if (got != 1)
            rc = got < 0 ? got
                         : fal_fail(err, FAL_ERR_IO, "%.200s: it changed", file->scan.name);
    }
    results->source = NULL;
    results->tally = NULL;
    return rc;
}

void tl_results_close(struct tl_results_file *file)
{
    if (file == NULL)
        return;
    for (size_t i = 0; i < file->results.num_cases; i++)
        tl_case_clear(&file->results.cases[i]);
    free(file->results.cases);
    free(file->results.waivers);
    free(file->results.places);
    free(file->results.probe);
    free(file->results.product);
    free(file->results.vendor);
    free(file->results.product_name);
    free(file->results.firmware);
    json_decref(file->head);
    fal_arena_free(&file->arena);
    free(file->scan.text);
    free(file);
}
