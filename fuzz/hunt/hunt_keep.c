/* SPDX-License-Identifier: Apache-2.0
 * hunt_keep.c - the folder of a hunt: stores cases and findings, and reads them again. */
#include "fuzz/hunt/hunt_loop.h"

#include "harness/check/report_file.h"
#include "harness/doc/version.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_LEN = 4096, DEPTH_MAX = 8 };

static int complain(const char *path)
{
    fprintf(stderr, "talon fuzz: %s: %s\n", path,
            strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    return FAL_ERR_IO;
}

static int make_dir(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : complain(path);
}

static int write_file(const char *path, const void *bytes, size_t len)
{
    FILE *out = fopen(path, "wb");
    bool good;

    if (out == NULL)
        return complain(path);
    good = fwrite(bytes, 1, len, out) == len;
    good &= fclose(out) == 0;
    return good ? 0 : complain(path);
}

static int write_json(const char *path, const json_t *doc)
{
    char *text = json_dumps(doc, JSON_INDENT(2));
    int rc = text != NULL ? write_file(path, text, strlen(text)) : FAL_ERR_MEM;

    free(text);
    return rc;
}

void hunt_keep_case(struct hunt *h, const json_t *doc)
{
    const char *id = json_string_value(json_object_get(doc, "id"));
    char path[PATH_LEN];
    json_t *whole;
    int rc;

    if (h->o->dir == NULL || id == NULL)
        return;
    (void)snprintf(path, sizeof path, "%s/corpus/%s.json", h->o->dir, id);
    whole = hunt_complete(doc);
    rc = whole != NULL ? write_json(path, whole) : FAL_ERR_MEM;
    json_decref(whole);
    if (rc == 0)
        return;
    h->stop = true;
    (void)snprintf(h->stop_why, sizeof h->stop_why, "the corpus cannot be written");
}

/* ---- reading ---- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "schema") != 0 &&
           strcmp(entry->d_name, "profiles") != 0;
}

static void read_one(const char *path, void (*take)(void *ctx, json_t *doc), void *ctx)
{
    json_t *doc = json_load_file(path, 0, NULL);
    const char *schema = json_string_value(json_object_get(doc, "schema"));

    if (schema != NULL && strcmp(schema, TL_SCENARIO_SCHEMA) == 0)
        take(ctx, doc);
    else
        json_decref(doc);
}

static int read_below(const char *path, unsigned depth, void (*take)(void *ctx, json_t *doc),
                      void *ctx)
{
    struct dirent **list;
    struct stat about;
    int n, rc = 0;

    if (stat(path, &about) != 0)
        return complain(path);
    if (!S_ISDIR(about.st_mode)) {
        read_one(path, take, ctx);
        return 0;
    }
    n = depth < DEPTH_MAX ? scandir(path, &list, visible, by_name) : 0;
    if (n < 0)
        return complain(path);
    for (int i = 0; i < n; i++) {
        char below[PATH_LEN];
        size_t len = strlen(list[i]->d_name);

        (void)snprintf(below, sizeof below, "%s/%s", path, list[i]->d_name);
        if (rc == 0 && stat(below, &about) == 0 &&
            (S_ISDIR(about.st_mode) ||
             (len > 5 && strcmp(list[i]->d_name + len - 5, ".json") == 0)))
            rc = read_below(below, depth + 1, take, ctx);
        free(list[i]);
    }
    if (depth < DEPTH_MAX)
        free(list);
    return rc;
}

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

int hunt_keep_read(const char *path, bool findings, void (*take)(void *ctx, json_t *doc),
                   void *ctx)
{
    char part[PATH_LEN];
    int rc;

    (void)snprintf(part, sizeof part, "%s/corpus", path);
    if (!is_folder(part))
        return read_below(path, 0, take, ctx);
    rc = read_below(part, 0, take, ctx);
    (void)snprintf(part, sizeof part, "%s/findings", path);
    return rc == 0 && findings && is_folder(part) ? read_below(part, 0, take, ctx) : rc;
}

static void read_finding(struct hunt *h, const char *path)
{
    json_t *doc = json_load_file(path, 0, NULL);
    const char *key = json_string_value(json_object_get(doc, "key"));
    const char *state = json_string_value(json_object_get(doc, "state"));
    const char *sequence = json_string_value(json_object_get(doc, "sequence"));
    const char *verdict = json_string_value(json_object_get(doc, "verdict"));
    struct hunt_finding *f;

    if (key == NULL || state == NULL || sequence == NULL)
        goto done;
    if (h->num_findings == h->cap_findings) {
        size_t cap = h->cap_findings == 0 ? 64 : h->cap_findings * 2;

        f = realloc(h->findings, cap * sizeof *f);
        if (f == NULL)
            goto done;
        h->findings = f;
        h->cap_findings = cap;
    }
    f = &h->findings[h->num_findings];
    *f = (struct hunt_finding){.times = 0};
    if (verdict != NULL && strcmp(verdict, fal_verdict_name(FAL_VERDICT_FAIL)) == 0)
        f->verdict = FAL_VERDICT_FAIL;
    (void)snprintf(f->key, sizeof f->key, "%s", key);
    (void)snprintf(f->state, sizeof f->state, "%s", state);
    f->sequence = strdup(sequence);
    if (f->sequence != NULL)
        h->num_findings++;
done:
    json_decref(doc);
}

int hunt_keep_open(struct hunt *h)
{
    char path[PATH_LEN];
    struct dirent **list;
    int n, rc;

    if (h->o->dir == NULL)
        return 0;
    rc = make_dir(h->o->dir);
    (void)snprintf(path, sizeof path, "%s/corpus", h->o->dir);
    if (rc == 0 && !h->o->findings_only)
        rc = make_dir(path);
    (void)snprintf(path, sizeof path, "%s/findings", h->o->dir);
    if (rc == 0)
        rc = make_dir(path);
    if (rc != 0)
        return rc;
    n = scandir(path, &list, visible, by_name);
    if (n < 0)
        return complain(path);
    for (int i = 0; i < n; i++) {
        char below[PATH_LEN];

        (void)snprintf(below, sizeof below, "%s/findings/%s/finding.json", h->o->dir,
                       list[i]->d_name);
        read_finding(h, below);
        free(list[i]);
    }
    free(list);
    h->written = (size_t)n;
    return 0;
}

/* ---- findings ---- */

/* The description in the scenario. */
static int describe(json_t *doc, const struct hunt_finding *f)
{
    const char *id = strchr(f->key, ' '), *sequence = f->sequence != NULL ? f->sequence : "";
    char title[200], purpose[600];
    bool names = id != NULL && fal_requirement_find(id + 1) != NULL;

    (void)snprintf(title, sizeof title, "Found by %s: %s %s",
                   f->depth > 0 ? "talon explore" : "the fuzzer", f->key, f->state);
    (void)snprintf(purpose, sizeof purpose, "%s (%.400s )",
                   names ? "The rule of that name is broken." : "The SUT does not go on.",
                   sequence);
    return json_object_set_new(doc, "title", json_string(title)) |
           json_object_set_new(doc, "purpose", json_string(purpose)) |
           /* beside a requirement that binds every device: items that the ICS denies are
            * played, too */
           (names ? json_object_set_new(doc, "covers",
                                        json_pack("[s, s]", "FTP-6.1.1-02", id + 1))
                  : 0) |
           json_object_set_new(doc, "class",
                               json_string(hunt_lawful(doc) ? "valid" : "inopportune"));
}

static int write_about(const struct hunt *h, const struct hunt_finding *f, const char *path)
{
    json_t *about = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "schema", HUNT_FINDING_SCHEMA, "key",
        f->key, "state", f->state, "sequence", f->sequence != NULL ? f->sequence : "",
        "verdict", fal_verdict_name(f->verdict), "sut", h->o->sut, "executions",
        (json_int_t)f->execs, "seed", (json_int_t)h->o->seed, "size", (json_int_t)f->size);
    int rc = about != NULL ? 0 : FAL_ERR_MEM;

    if (rc == 0 && f->depth > 0 &&
        json_object_set_new(about, "actions", json_string(f->how)) != 0)
        rc = FAL_ERR_MEM;
    if (rc == 0)
        rc = write_json(path, about);

    json_decref(about);
    return rc;
}

/* The report of the case when it is played. */
static int write_play(struct hunt *h, struct hunt_bench *bench, const json_t *whole,
                      const char *dir)
{
    static const struct {
        const char *name;
        tl_report_fn *write;
    } reports[] = {{"report.txt", tl_report_text},
                   {"report.html", tl_report_html},
                   {"results.json", tl_report_json}};
    struct tl_results results = {.version = TL_VERSION, .sut = h->o->sut};
    struct tl_kept kept = {.timeline = NULL};
    struct tl_scenario *scenario = NULL;
    struct fal_error err;
    char path[PATH_LEN];
    int rc;

    (void)snprintf(path, sizeof path, "%s/scenario.json", dir);
    rc = hunt_play_kept(bench, whole, path, &kept, &results, &scenario);
    if (rc == 0 && kept.timeline != NULL) {
        (void)snprintf(path, sizeof path, "%s/timeline.jsonl", dir);
        rc = write_file(path, kept.timeline, kept.timeline_len);
    }
    if (rc == 0 && kept.packets != NULL) {
        (void)snprintf(path, sizeof path, "%s/packets.pcapng", dir);
        rc = write_file(path, kept.packets, kept.packets_len);
    }
    for (size_t i = 0; rc == 0 && i < sizeof reports / sizeof *reports; i++) {
        const struct tl_report_spec spec = {.write = reports[i].write, .file = path};

        (void)snprintf(path, sizeof path, "%s/%s", dir, reports[i].name);
        rc = tl_report_write(&spec, TL_JUNIT_JENKINS, NULL, &results, &err);
    }
    tl_run_clear(&results);
    tl_kept_free(&kept);
    tl_scenario_free(scenario);
    return rc;
}

int hunt_keep_finding(struct hunt *h, struct hunt_bench *bench, struct hunt_finding *f,
                      json_t *doc)
{
    char dir[PATH_LEN - 64], path[PATH_LEN];
    json_t *whole;
    int rc = describe(doc, f);

    if (h->o->dir == NULL || rc != 0)
        return rc;
    whole = hunt_complete_by(bench->book, doc);
    (void)snprintf(dir, sizeof dir, "%s/findings/%s", h->o->dir, f->name);
    rc = whole != NULL ? make_dir(dir) : FAL_ERR_MEM;
    (void)snprintf(path, sizeof path, "%s/scenario.json", dir);
    if (rc == 0)
        rc = write_json(path, whole);
    (void)snprintf(path, sizeof path, "%s/finding.json", dir);
    if (rc == 0)
        rc = write_about(h, f, path);
    if (rc == 0)
        rc = write_play(h, bench, whole, dir);
    json_decref(whole);
    return rc;
}
