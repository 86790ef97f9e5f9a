/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/results_read.h"

#include "reports/results/json_scan.h"
#include "reports/results/results_read_impl.h"

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
    rc = tl_case_read(json, c, &why);
    json_decref(json);
    file->number++;
    return rc == 0 ? 1
                   : fal_fail(err, rc, "%.160s:%lu: case %zu: %.180s", file->scan.name, line,
                              file->number, why.text);
}

/* ---- the head ---- */

static const char *static_word(const char *text, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(text, *words) == 0)
            return *words;
    return NULL;
}

static void read_waivers(struct tl_take *take, struct tl_results *results)
{
    static const char *const states[] = {"used",      "unused",          "expired", "not-tried",
                                         "other-sut", "unexpected-pass", NULL};
    const json_t *list = tl_take_list(take, "waivers");
    size_t n = json_array_size(list);

    if (n == 0)
        return;
    results->waivers = fal_arena_alloc(take->arena, n, sizeof *results->waivers);
    for (size_t i = 0; results->waivers != NULL && i < n && take->rc == 0; i++) {
        struct tl_take one = *take;
        struct tl_waiver_use *use = &results->waivers[i];
        const char *state;

        one.object = json_array_get(list, i);
        tl_take_must(&one, "id", JSON_STRING);
        tl_take_must(&one, "kind", JSON_STRING);
        tl_take_must(&one, "state", JSON_STRING);
        use->id = tl_take_text(&one, "id");
        use->kind = tl_take_text(&one, "kind");
        state = tl_take_text(&one, "state");
        use->state = state != NULL ? static_word(state, states) : NULL;
        if (use->state == NULL)
            tl_take_fail(&one, FAL_ERR_FORM, "state", "a word that is not known");
        use->cases = (size_t)tl_take_number(&one, "cases");
        use->reason = tl_take_text(&one, "reason");
        use->link = tl_take_text(&one, "link");
        take->rc = one.rc;
        results->num_waivers++;
    }
    if (results->waivers == NULL)
        tl_take_fail(take, FAL_ERR_MEM, "waivers", "out of memory");
}

static void read_ics(struct tl_take *take, struct tl_results *results)
{
    json_t *ics = json_object_get(take->object, "ics"), *value;
    const json_t *denied = json_object_get(take->object, "ics_denied_by_sut");
    size_t n = json_object_size(ics), i;
    const char *key;

    if (n == 0)
        return;
    results->ics = fal_arena_alloc(take->arena, n, sizeof *results->ics);
    if (results->ics == NULL) {
        tl_take_fail(take, FAL_ERR_MEM, "ics", "out of memory");
        return;
    }
    json_object_foreach(ics, key, value)
    {
        struct tl_ics_use *use = &results->ics[results->num_ics++];
        const json_t *item;

        use->item = fal_arena_strdup(take->arena, key);
        use->offered = json_is_boolean(value) ? json_is_true(value) : -1;
        if (use->item == NULL)
            tl_take_fail(take, FAL_ERR_MEM, "ics", "out of memory");
        json_array_foreach(denied, i, item)
        {
            if (json_is_string(item) && strcmp(json_string_value(item), key) == 0)
                use->denied = true;
        }
    }
}

static const char *seen_name(int i)
{
    return tl_probe_seen_name((enum tl_probe_seen)i);
}

static void read_probe(struct tl_take *take, struct tl_results *results)
{
    static const char *const findings[] = {"claim not met", "claim met in part",
                                           "ability denied", "ability not declared", NULL};
    const json_t *list = tl_take_list(take, "probe");
    size_t n = json_array_size(list);

    if (list == NULL)
        return;
    results->probe = fal_arena_alloc(take->arena, n > 0 ? n : 1, sizeof *results->probe);
    if (results->probe == NULL)
        tl_take_fail(take, FAL_ERR_MEM, "probe", "out of memory");
    for (size_t i = 0; results->probe != NULL && i < n && take->rc == 0; i++) {
        struct tl_take one = *take;
        struct tl_probe_use *use = &results->probe[results->num_probe++];
        const json_t *claimed;
        const char *finding;
        int seen;

        one.object = json_array_get(list, i);
        claimed = json_object_get(one.object, "claimed");
        tl_take_must(&one, "item", JSON_STRING);
        tl_take_must(&one, "seen", JSON_STRING);
        use->item = tl_take_text(&one, "item");
        use->claimed = json_is_boolean(claimed) ? json_is_true(claimed) : -1;
        seen = tl_take_word(&one, "seen", seen_name, TL_PROBE_DOES_NOT + 1);
        use->seen = seen < 0 ? TL_PROBE_UNCLEAR : (enum tl_probe_seen)seen;
        use->cases = (size_t)tl_take_number(&one, "cases");
        use->passed = (size_t)tl_take_number(&one, "passed");
        use->failed = (size_t)tl_take_number(&one, "failed");
        use->example = tl_take_text(&one, "example");
        finding = tl_take_text(&one, "finding");
        use->finding = finding != NULL ? static_word(finding, findings) : NULL;
        if (finding != NULL && use->finding == NULL)
            tl_take_fail(&one, FAL_ERR_FORM, "finding", "a word that is not known");
        take->rc = one.rc;
    }
}

static void read_readings(struct tl_take *take, struct tl_results *results)
{
    const json_t *list = tl_take_list(take, "readings");

    for (size_t i = 0; i < json_array_size(list) && take->rc == 0; i++) {
        struct tl_take one = *take;

        if (results->num_readings == TL_READINGS_MAX)
            break;
        one.object = json_array_get(list, i);
        tl_take_must(&one, "id", JSON_STRING);
        tl_take_must(&one, "text", JSON_STRING);
        results->readings[results->num_readings++] = (struct tl_reading_use){
            .id = tl_take_text(&one, "id"),
            .text = tl_take_text(&one, "text"),
            .alternative = tl_take_flag(&one, "alternative"),
            .cases = (size_t)tl_take_number(&one, "cases"),
        };
        take->rc = one.rc;
    }
}

static int read_head(struct tl_results_file *file, struct fal_error *err)
{
    struct tl_results *results = &file->results;
    struct fal_error why = {{0}};
    struct tl_take take = {.object = file->head, .arena = &file->arena, .err = &why}, who;
    const char *schema = tl_take_text(&take, "schema");

    if (schema == NULL || strcmp(schema, TL_RESULTS_SCHEMA) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%.200s: its \"schema\" is %.60s, not %s",
                        file->scan.name, schema != NULL ? schema : "missing",
                        TL_RESULTS_SCHEMA);
    tl_take_must(&take, "tool", JSON_STRING);
    tl_take_must(&take, "sut", JSON_STRING);
    results->version = tl_take_text(&take, "tool");
    results->sut = tl_take_text(&take, "sut");
    results->product = tl_take_own(&take, "product");
    who = take;
    who.object = json_object_get(file->head, "identity");
    results->vendor = tl_take_own(&who, "vendor");
    results->product_name = tl_take_own(&who, "product");
    results->firmware = tl_take_own(&who, "firmware");
    take.rc = who.rc;
    results->profile = tl_take_text(&take, "profile");
    results->live = tl_take_flag(&take, "live");
    who = take;
    who.object = json_object_get(file->head, "measured");
    results->timer_late_ns = tl_take_number(&who, "timer_ns");
    results->answer_min_ns = tl_take_number(&who, "answer_min_ns");
    results->answer_max_ns = tl_take_number(&who, "answer_max_ns");
    take.rc = who.rc;
    results->seed = tl_take_seed(&take, "seed");
    results->deselected = (size_t)tl_take_number(&take, "not_selected");
    results->shard = (unsigned)tl_take_number(&take, "shard");
    results->shards = (unsigned)tl_take_number(&take, "shards");
    results->other_shards = (size_t)tl_take_number(&take, "of_other_shards");
    results->bad_files = (size_t)tl_take_number(&take, "files_not_read");
    results->interrupted = tl_take_flag(&take, "interrupted");
    results->strict = tl_take_flag(&take, "strict_waivers");
    results->status = (int)tl_take_number(&take, "status");
    read_waivers(&take, results);
    read_ics(&take, results);
    read_probe(&take, results);
    read_readings(&take, results);
    return take.rc == 0 ? 0
                        : fal_fail(err, take.rc, "%.180s: %.200s", file->scan.name, why.text);
}

/* Compares the totals that the file states with those of its cases. */
static int compare(struct tl_results_file *file, struct fal_error *err)
{
    const json_t *counts = json_object_get(file->head, "counts");
    const char *verdict = json_string_value(json_object_get(file->head, "verdict"));
    const char *name = file->scan.name;
    int status = tl_tally_status(&file->tally, &file->results);

    for (int v = FAL_VERDICT_PASS; v < TL_VERDICTS; v++) {
        const char *word = fal_verdict_name((enum fal_verdict)v);
        json_int_t says = json_integer_value(json_object_get(counts, word));

        if (says != (json_int_t)file->tally.ended[v])
            return fal_fail(err, FAL_ERR_FORM,
                            "%.200s: it counts %lld cases as %s, its cases come to %zu", name,
                            (long long)says, word, file->tally.ended[v]);
    }
    if (verdict == NULL || strcmp(verdict, fal_verdict_name(file->tally.worst)) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%.200s: its verdict is %.20s, its cases come to %s",
                        name, verdict != NULL ? verdict : "missing",
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
    if (rc == 0)
        rc = read_head(file, err);
    if (rc == 0 && file->cases_at == 0)
        rc = fal_fail(err, FAL_ERR_FORM, "%.200s: \"cases\" is missing", file->scan.name);
    return rc == 0 ? compare(file, err) : rc;
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
    free(file->results.product);
    free(file->results.vendor);
    free(file->results.product_name);
    free(file->results.firmware);
    json_decref(file->head);
    fal_arena_free(&file->arena);
    free(file->scan.text);
    free(file);
}
