/* SPDX-License-Identifier: Apache-2.0
 * certify_files.c - the folder of a certificate: its files, their hashes, the log of attempts.
 */
#include "harness/certify/certify.h"

#include "harness/run/evidence.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 8, LINE_MAX_LEN = 1 << 16 };

char *tl_certify_read(const char *dir, const char *name, size_t *len, struct fal_error *err)
{
    char path[2 * TL_CERTIFY_PATH];
    struct fal_error why = {{0}};
    char *text;

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    text = tl_file_read_up_to(path, SIZE_MAX / 4, len, &why);
    if (text == NULL)
        (void)fal_fail(err, FAL_ERR_IO, "%.200s: %s", name, why.text);
    return text;
}

int tl_certify_write(const char *dir, const char *name, const char *text, struct fal_error *err)
{
    char path[2 * TL_CERTIFY_PATH];
    FILE *out;
    bool ok;

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    out = fopen(path, "we");
    ok = out != NULL && fwrite(text, 1, strlen(text), out) == strlen(text);
    ok = out != NULL && fclose(out) == 0 && ok;
    return ok ? 0 : fal_fail(err, FAL_ERR_IO, "%.200s: cannot be written", path);
}

char *tl_certify_text(const json_t *certificate, bool of_signature)
{
    json_t *copy = json_copy((json_t *)certificate);
    char *text = NULL, *whole = NULL;

    if (copy != NULL && of_signature)
        (void)json_object_del(copy, "signature");
    if (copy != NULL)
        text = json_dumps(copy, JSON_INDENT(1));
    if (text != NULL && asprintf(&whole, "%s\n", text) < 0)
        whole = NULL;
    free(text);
    json_decref(copy);
    return whole;
}

/* ---- attempts ---- */

static const char log_name[] = "attempts.jsonl";

int tl_certify_log(const char *dir, json_t *attempt, struct fal_error *err)
{
    struct fal_error none = {{0}};
    char hash[TL_SHA256_TEXT] = "", *line = NULL, *whole = NULL;
    size_t len = 0;
    char *old = tl_certify_read(dir, log_name, &len, &none);
    int rc = FAL_ERR_MEM;

    if (old == NULL)
        old = strdup("{\"schema\": \"" TL_ATTEMPTS_SCHEMA "\"}\n");
    if (old != NULL && tl_sha256(old, strlen(old), hash) &&
        json_object_set_new(attempt, "before", json_string(hash)) == 0)
        line = json_dumps(attempt, 0);
    if (line != NULL && asprintf(&whole, "%s%s\n", old, line) >= 0)
        rc = tl_certify_write(dir, log_name, whole, err);
    else
        (void)fal_fail(err, rc, "out of memory");
    free(old);
    free(line);
    free(whole);
    return rc;
}

/* Each line holds the hash of all that stands before it. */
static size_t check_lines(const char *text, size_t len, json_t *wrong)
{
    size_t attempts = 0, at = 0;

    for (size_t line = 1; at < len; line++) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end != NULL ? (size_t)(end - text) - at : len - at;
        json_t *json = json_loadb(text + at, n, JSON_REJECT_DUPLICATES, NULL);
        char hash[TL_SHA256_TEXT];

        if (json == NULL || end == NULL)
            tl_certify_refuse(wrong, "%s: line %zu is not a valid entry of the log", log_name,
                              line);
        else if (line == 1 && strcmp(tl_json_text(json, "schema"), TL_ATTEMPTS_SCHEMA) != 0)
            tl_certify_refuse(wrong, "%s: unexpected schema; expected " TL_ATTEMPTS_SCHEMA,
                              log_name);
        else if (line > 1 && (!tl_sha256(text, at, hash) ||
                              strcmp(hash, tl_json_text(json, "before")) != 0))
            tl_certify_refuse(wrong, "%s: the lines before line %zu were changed", log_name,
                              line);
        attempts += line > 1;
        json_decref(json);
        at += n + 1;
    }
    return attempts;
}

size_t tl_certify_log_check(const char *dir, json_t *wrong)
{
    struct fal_error err = {{0}};
    size_t len = 0, attempts = 0;
    char *text = tl_certify_read(dir, log_name, &len, &err);

    if (text == NULL)
        tl_certify_refuse(wrong, "%s", err.text);
    else
        attempts = check_lines(text, len, wrong);
    free(text);
    return attempts;
}

/* ---- all files ---- */

/* Names that the evidence's manifest has. */
static json_t *listed(const char *dir)
{
    struct fal_error err = {{0}};
    json_t *names = json_object();
    size_t len;
    char *text = tl_certify_read(dir, "evidence/manifest.sha256", &len, &err), *save = NULL;

    if (text == NULL)
        return names;
    for (char *line = strtok_r(text, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        char name[TL_CERTIFY_PATH];

        if (strlen(line) < TL_SHA256_TEXT + 2)
            continue;
        (void)snprintf(name, sizeof name, "evidence/%s", line + TL_SHA256_TEXT + 1);
        (void)json_object_set_new(names, name, json_true());
    }
    free(text);
    return names;
}

struct walk {
    const char *dir;
    json_t *listed, *found; /* name: hash */
    struct fal_error *err;
};

static int take(struct walk *w, const char *name)
{
    char hash[TL_SHA256_TEXT];
    size_t len;
    char *text = tl_certify_read(w->dir, name, &len, w->err);
    bool ok = text != NULL && tl_sha256(text, len, hash) &&
              json_object_set_new(w->found, name, json_string(hash)) == 0;

    free(text);
    return ok ? 0 : FAL_ERR_IO;
}

static int walk(struct walk *w, const char *below, int depth)
{
    char path[2 * TL_CERTIFY_PATH];
    struct dirent *entry;
    DIR *dir;
    int rc = 0;

    (void)snprintf(path, sizeof path, "%s%s%s", w->dir, *below != 0 ? "/" : "", below);
    dir = opendir(path);
    if (dir == NULL || depth > DEPTH_MAX) {
        if (dir != NULL)
            (void)closedir(dir);
        return fal_fail(w->err, FAL_ERR_IO, "%.200s: cannot be read", path);
    }
    while (rc == 0 &&
           (entry = readdir(dir)) != NULL) { /* NOLINT(concurrency-mt-unsafe) one thread */
        char name[TL_CERTIFY_PATH];
        struct stat st;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (void)snprintf(name, sizeof name, "%.3000s%s%.500s", below, *below != 0 ? "/" : "",
                       entry->d_name);
        if (strcmp(name, "certificate.json") == 0 || json_object_get(w->listed, name) != NULL)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", w->dir, name);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
            rc = walk(w, name, depth + 1);
        else
            rc = take(w, name);
    }
    (void)closedir(dir);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* By name, whatever order a directory has. */
static json_t *in_order(json_t *found)
{
    size_t n = json_object_size(found), i = 0;
    const char **names = calloc(n + 1, sizeof *names), *name;
    json_t *list = json_array(), *hash;

    if (names != NULL) {
        json_object_foreach(found, name, hash) names[i++] = name;
        qsort(names, n, sizeof *names, by_name);
        for (i = 0; i < n; i++)
            (void)json_array_append_new(list,
                                        json_pack("{s:s, s:O}", "name", names[i], "sha256",
                                                  json_object_get(found, names[i])));
    }
    free(names);
    return list;
}

json_t *tl_certify_files(const char *dir, struct fal_error *err)
{
    struct walk w = {.dir = dir, .listed = listed(dir), .found = json_object(), .err = err};
    json_t *list = walk(&w, "", 0) == 0 ? in_order(w.found) : NULL;

    json_decref(w.listed);
    json_decref(w.found);
    return list;
}
