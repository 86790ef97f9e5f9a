/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/evidence_check.h"

#include "harness/doc/doc.h"
#include "harness/run/evidence.h"
#include "harness/run/replay.h"
#include "reports/base/status.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_LEN = 4096 };

struct checker {
    const char *dir;
    json_t *results, *run;
    struct tl_replay replay;
    json_t *cases, *wrong; /* of the JSON report: the result of each case, and what is wrong */
    size_t files, judged, replayed, recorded;
    bool json, brief, out_of_memory;
};

bool tl_check_is_evidence(const char *path)
{
    char file[PATH_LEN];
    struct stat st;

    (void)snprintf(file, sizeof file, "%s/results.json", path);
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && stat(file, &st) == 0;
}

static void wrong(struct checker *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void wrong(struct checker *c, const char *format, ...)
{
    char text[600];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!c->json && !c->brief)
        printf("differs from the record: %s\n", text);
    (void)json_array_append_new(c->wrong, json_string(text));
}

static char *read_in(const struct checker *c, const char *name, size_t *len,
                     struct fal_error *err)
{
    char path[PATH_LEN];

    (void)snprintf(path, sizeof path, "%s/%s", c->dir, name);
    return tl_file_read_up_to(path, SIZE_MAX / 4, len, err);
}

/* ---- hashes ---- */

static void check_file(struct checker *c, const char *hash, const char *name)
{
    char digest[TL_SHA256_TEXT];
    struct fal_error err = {{0}};
    size_t len;
    char *bytes;

    if (!tl_evidence_is_below(name)) {
        wrong(c, "the manifest lists '%.80s', which is outside the directory", name);
        return;
    }
    bytes = read_in(c, name, &len, &err);
    if (bytes == NULL)
        wrong(c, "%.200s: %s", name, err.text);
    else if (!tl_sha256(bytes, len, digest) || strcmp(digest, hash) != 0)
        wrong(c, "%.200s: its hash differs from the hash in the manifest", name);
    c->files++;
    free(bytes);
}

static void check_manifest(struct checker *c)
{
    const char *due = json_string_value(json_object_get(c->run, "manifest_sha256"));
    char digest[TL_SHA256_TEXT];
    struct fal_error err = {{0}};
    size_t len;
    char *text = read_in(c, "manifest.sha256", &len, &err), *save = NULL;
    bool has_results = false;

    if (text == NULL) {
        wrong(c, "manifest.sha256: %s", err.text);
        return;
    }
    if (due == NULL || !tl_sha256(text, len, digest) || strcmp(digest, due) != 0)
        wrong(c, "manifest.sha256: its hash differs from the hash in run.json");
    for (char *line = strtok_r(text, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        const char *name = line + TL_SHA256_TEXT + 1;

        if (strlen(line) < TL_SHA256_TEXT + 2 || line[TL_SHA256_TEXT - 1] != ' ') {
            wrong(c, "manifest.sha256: a line is not 'HASH  FILE'");
            continue;
        }
        line[TL_SHA256_TEXT - 1] = 0;
        has_results |= strcmp(name, "results.json") == 0;
        check_file(c, line, name);
    }
    if (!has_results)
        wrong(c, "manifest.sha256: it does not list results.json");
    free(text);
}

/* ---- cases ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static void tell(struct checker *c, const json_t *recorded, enum fal_verdict verdict,
                 const char *disposition, const char *how)
{
    if (!c->json && !c->brief)
        printf("%-13s %-26s %s%s%s\n", fal_verdict_name(verdict), text_of(recorded, "id"), how,
               disposition[0] != 0 ? "; " : "", disposition);
    (void)json_array_append_new(
        c->cases, json_pack("{s:s, s:s, s:s, s:s}", "id", text_of(recorded, "id"), "verdict",
                            fal_verdict_name(verdict), "disposition", disposition, "by", how));
}

static void check_case(struct checker *c, const json_t *recorded, struct tl_case *out)
{
    const char *evidence = json_string_value(json_object_get(recorded, "evidence"));
    struct tl_replayed got = {.how = NULL};
    struct fal_error err = {{0}};
    int rc;

    if (!tl_replay_recorded(recorded, out)) {
        wrong(c, "results.json: a case is malformed");
        return;
    }
    if (evidence == NULL) { /* cases that passed or did not run: no files are kept of them */
        c->recorded++;
        return;
    }
    if (!tl_evidence_is_below(evidence)) {
        wrong(c, "%.80s: its evidence is outside the directory", text_of(recorded, "id"));
        return;
    }
    rc = tl_replay_case(&c->replay, c->dir, recorded, out, &got, &err);
    if (rc == FAL_ERR_MEM)
        c->out_of_memory = true;
    if (rc != 0) {
        wrong(c, "%.80s: %s", text_of(recorded, "id"), err.text);
        return;
    }
    c->judged++;
    c->replayed += got.played;
    tell(c, recorded, out->verdict, tl_disposition_name(out->disposition), got.how);
}

static void check_cases(struct checker *c)
{
    json_t *list = json_object_get(c->results, "cases"), *recorded;
    const json_t *path = json_object_get(c->results, "path");
    struct tl_results again = {.num_cases = json_array_size(list)};
    size_t i;

    again.cases = calloc(again.num_cases + 1, sizeof *again.cases);
    if (again.cases == NULL) {
        c->out_of_memory = true;
        return;
    }
    json_array_foreach(list, i, recorded) check_case(c, recorded, &again.cases[i]);
    again.strict = json_is_true(json_object_get(c->results, "strict_waivers"));
    again.interrupted = json_is_true(json_object_get(c->results, "interrupted"));
    again.bad_files = (size_t)json_integer_value(json_object_get(c->results, "files_not_read"));
    again.path.trials = (uint64_t)json_integer_value(json_object_get(path, "probes"));
    again.path.losses = (uint64_t)json_integer_value(json_object_get(path, "lost"));
    if (tl_replay_waivers(&c->replay, &again) != 0)
        c->out_of_memory = true;
    again.status = tl_results_status(&again);
    if (strcmp(fal_verdict_name(tl_results_verdict(&again)), text_of(c->results, "verdict")) !=
        0)
        wrong(c, "verdict of the run: recorded %.20s, now %s", text_of(c->results, "verdict"),
              fal_verdict_name(tl_results_verdict(&again)));
    if (json_integer_value(json_object_get(c->results, "status")) != again.status)
        wrong(c, "exit status of the run: recorded %d, now %d",
              (int)json_integer_value(json_object_get(c->results, "status")), again.status);
    tl_replay_clear(&again);
}

/* ---- the whole ---- */

static json_t *load(const struct checker *c, const char *name, const char *schema,
                    struct fal_error *err)
{
    char path[PATH_LEN];
    size_t len;
    struct fal_error why = {{0}};
    char *text = read_in(c, name, &len, &why);
    json_error_t where;
    json_t *json;

    (void)snprintf(path, sizeof path, "%s/%s", c->dir, name);
    if (text == NULL) {
        (void)fal_fail(err, FAL_ERR_IO, "%.300s: %s", path, why.text);
        return NULL;
    }
    json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
    free(text);
    if (json == NULL)
        (void)fal_fail(err, FAL_ERR_FORM, "%.200s:%d:%d: %s", path, where.line, where.column,
                       where.text);
    else if (strcmp(text_of(json, "schema"), schema) != 0)
        (void)fal_fail(err, FAL_ERR_FORM, "%.200s: unexpected schema; expected %s", path,
                       schema);
    else
        return json;
    json_decref(json);
    return NULL;
}

static int print(const struct checker *c, int status)
{
    json_t *report;
    int rc;

    if (c->brief)
        return status;
    if (!c->json) {
        printf(
            "%s: %zu files, %zu cases judged again, %zu of them played again, %zu without evidence as recorded; %s\n",
            c->dir, c->files, c->judged, c->replayed, c->recorded,
            json_array_size(c->wrong) == 0 ? "all as recorded" : "NOT as recorded");
        return status;
    }
    report = json_pack("{s:s, s:s, s:s, s:i, s:b, s:O, s:O, s:i}", "schema",
                       "talon/check-evidence/1", "directory", c->dir, "tool",
                       text_of(c->results, "tool"), "files", (int)c->files, "as_recorded",
                       json_array_size(c->wrong) == 0, "cases", c->cases, "wrong", c->wrong,
                       "status", status);
    rc = report != NULL && json_dumpf(report, stdout, JSON_INDENT(1)) == 0 ? status
                                                                           : TL_STATUS_ERROR;
    putchar('\n');
    json_decref(report);
    return rc;
}

/* Takes c->cases and c->wrong. */
static int check(struct checker *c, struct fal_error *err)
{
    int status = TL_STATUS_USAGE;

    c->results = load(c, "results.json", TL_RESULTS_SCHEMA, err);
    if (c->results != NULL)
        c->run = load(c, "run.json", TL_RUN_SCHEMA, err);
    if (c->results == NULL || c->run == NULL ||
        tl_replay_open(&c->replay, c->dir, c->results, c->run, err) != 0) {
        if (c->brief)
            wrong(c, "%s", err->text);
        goto done;
    }
    check_manifest(c);
    check_cases(c);
    status = (int)json_integer_value(json_object_get(c->results, "status"));
    if (json_array_size(c->wrong) > 0 || status < 0 || status > 4)
        status = TL_STATUS_USAGE;
    if (c->out_of_memory) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        status = TL_STATUS_ERROR;
    }
    status = print(c, status);
done:
    tl_replay_close(&c->replay);
    json_decref(c->results);
    json_decref(c->run);
    json_decref(c->cases);
    json_decref(c->wrong);
    return status;
}

int tl_check_evidence(const char *path, bool json, struct fal_error *err)
{
    struct checker c = {
        .dir = path, .json = json, .cases = json_array(), .wrong = json_array()};

    err->text[0] = 0;
    return check(&c, err);
}

int tl_check_evidence_brief(const char *path, json_t *wrong)
{
    struct fal_error err = {{0}};
    struct checker c = {
        .dir = path, .brief = true, .cases = json_array(), .wrong = json_incref(wrong)};

    return check(&c, &err);
}
