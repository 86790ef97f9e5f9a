/* SPDX-License-Identifier: Apache-2.0
 * cmd_shrink.c - `talon shrink`: minimises a failing scenario, or a timeline that violates a
 * rule. */
#include "fuzz/hunt/hunt.h"
#include "fuzz/hunt/hunt_lines.h"
#include "fuzz/hunt/hunt_target.h"

#include "harness/cli/cmd.h"
#include "harness/cli/verb.h"
#include "harness/session/sut_process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ASKS = 5000 };

extern const char hunt_usage_shrink[]; /* usage/shrink.txt */

struct options {
    struct hunt_target target; /* first: HUNT_TARGET_OPTIONS */
    struct hunt_bench bench;
    const char *file, *out;
    uint64_t execs;
};

#define TL_OPTIONS_OF struct options

static const struct tl_option option_list[] = {
    {TL_TEXT("FILE", file, NULL)},
    HUNT_TARGET_OPTIONS,
    {TL_NUMBER("--execs", execs, 1, UINT32_MAX), .help = "at most N executions (default 5000)"},
    {TL_TEXT("--out", out, "FILE"),
     .help = "write the result to FILE (default: standard output)"},
};
static const struct tl_options options = {"shrink", option_list,
                                          sizeof option_list / sizeof *option_list};

/* ---- a scenario ---- */

struct wanted {
    struct hunt_bench *bench;
    char key[HUNT_KEY_MAX];
};

static bool shows(void *ctx, const json_t *doc)
{
    const struct wanted *w = ctx;
    struct hunt_outcome out;

    hunt_play(w->bench, doc, &out);
    for (size_t i = 0; i < out.num_problems; i++)
        if (strcmp(out.problems[i].key, w->key) == 0)
            return out.verdict < FAL_VERDICT_ERROR || strncmp(w->key, "crash", 5) == 0;
    return false;
}

/* The next combination of values, each parameter with one; false: that was all. */
static bool next_case(json_t *doc, const json_t *file, size_t number)
{
    json_t *params = json_object_get(doc, "params"), *all = json_object_get(file, "params");
    const char *key;
    json_t *values;

    json_object_foreach(all, key, values)
    {
        size_t n = json_array_size(values);

        if (n == 0 ||
            json_object_set_new(params, key,
                                json_pack("[O]", json_array_get(values, number % n))) != 0)
            return false;
        number /= n;
    }
    return number == 0;
}

/* The first case of the file that fails, and of which problem. NULL: none does. */
static json_t *failing(struct options *o, const json_t *file, struct wanted *w)
{
    json_t *doc = hunt_copy(file);
    struct hunt_outcome out;

    for (size_t i = 0; doc != NULL && next_case(doc, file, i); i++) {
        hunt_play(&o->bench, doc, &out);
        if (out.end == HUNT_REJECTED || out.end == HUNT_DEAD) {
            fprintf(stderr, "talon shrink: %s\n", out.why);
            break;
        }
        if (out.num_problems > 0) {
            (void)snprintf(w->key, sizeof w->key, "%s", out.problems[0].key);
            return doc;
        }
    }
    json_decref(doc);
    return NULL;
}

static int put(const struct options *o, const char *text)
{
    FILE *out = o->out != NULL ? fopen(o->out, "wb") : stdout;
    bool good = out != NULL && fputs(text, out) >= 0;

    if (o->out != NULL && out != NULL)
        good = fclose(out) == 0 && good;
    if (!good)
        fprintf(stderr, "talon shrink: %s: %s\n", o->out != NULL ? o->out : "standard output",
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    return good ? TL_STATUS_PASS : TL_STATUS_ERROR;
}

static int shrink_scenario(struct options *o, const json_t *file)
{
    struct wanted w = {.bench = &o->bench};
    json_t *doc, *small;
    size_t before;
    char *text;
    int status = TL_STATUS_ERROR;

    o->bench.steps = true;
    doc = failing(o, file, &w);
    if (doc == NULL) {
        fprintf(stderr, "talon shrink: %s: no case of this file fails on this SUT\n", o->file);
        return TL_STATUS_USAGE;
    }
    before = hunt_size(doc);
    small = hunt_shrink(doc, shows, &w, (unsigned)o->execs);
    text = small != NULL ? json_dumps(small, JSON_INDENT(2)) : NULL;
    if (text != NULL) {
        fprintf(stderr, "talon shrink: %s: size %zu, was %zu\n", w.key, hunt_size(small),
                before);
        status = put(o, text);
    }
    if (status == TL_STATUS_PASS && o->out == NULL)
        fputs("\n", stdout);
    free(text);
    json_decref(small);
    json_decref(doc);
    return status;
}

/* ---- a timeline ---- */

static int shrink_timeline(const struct options *o, const char *text, size_t len)
{
    struct hunt_lines lines = {.line = NULL};
    struct fal_error err = {{0}};
    int rc = hunt_lines_shrink(text, len, (unsigned)o->execs, &lines, &err);
    int status = rc == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE;
    size_t size = 1, at = 0;
    char *all;

    if (rc != 0) {
        fprintf(stderr, "talon shrink: %s: %s\n", o->file, err.text);
        hunt_lines_free(&lines);
        return status;
    }
    for (size_t i = 0; i < lines.count; i++)
        size += strlen(lines.line[i]) + 1;
    all = malloc(size);
    status = TL_STATUS_ERROR;
    for (size_t i = 0; all != NULL && i < lines.count; i++)
        at += (size_t)sprintf(all + at, "%s\n", lines.line[i]);
    if (all != NULL) {
        fprintf(stderr, "talon shrink: %s; %zu lines\n", lines.words, lines.count);
        status = put(o, all);
    }
    free(all);
    hunt_lines_free(&lines);
    return status;
}

/* ---- the command ---- */

static char *read_file(const char *path, size_t *len)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL, block[65536];
    FILE *out = in != NULL ? open_memstream(&text, len) : NULL;
    size_t n;
    bool good = out != NULL;

    while (good && (n = fread(block, 1, sizeof block, in)) > 0)
        good = fwrite(block, 1, n, out) == n;
    good = good && ferror(in) == 0;
    if (!good)
        fprintf(stderr, "talon shrink: %s: %s\n", path,
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    if (out != NULL)
        good = fclose(out) == 0 && good;
    if (in != NULL)
        (void)fclose(in);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* Plays the scenario, or judges the timeline, that the options name. */
static int shrink(struct options *o)
{
    struct tl_sut_process process;
    struct fal_error err;
    json_t *doc = NULL;
    size_t len = 0;
    char *text;
    int status;

    hunt_target_ready(&o->target);
    o->bench.warnings = true;
    text = read_file(o->file, &len);
    if (text == NULL)
        return TL_STATUS_USAGE;
    if (tl_sut_process_start(&process, &o->target.run.target, &err) != 0) {
        fprintf(stderr, "talon shrink: %s\n", err.text);
        free(text);
        return TL_STATUS_ERROR;
    }
    o->bench.run = o->target.run;
    doc = json_loadb(text, len, 0, NULL);
    status = doc != NULL && strcmp(hunt_word(doc, "schema"), TL_SCENARIO_SCHEMA) == 0
                 ? shrink_scenario(o, doc)
                 : shrink_timeline(o, text, len);
    tl_sut_process_end(&process);
    json_decref(doc);
    free(text);
    return status;
}

int tl_cmd_shrink(int argc, char **argv)
{
    struct options *o = calloc(1, sizeof *o);
    struct fal_error err = {{0}};
    int status;

    if (o == NULL) {
        fprintf(stderr, "talon shrink: out of memory\n");
        return TL_STATUS_ERROR;
    }
    hunt_target_init(&o->target);
    o->execs = ASKS;
    status = tl_verb_read(&options, hunt_usage_shrink, argc, argv, o);
    if (status == TL_VERB_GO && o->file == NULL)
        status = tl_verb_wrong(options.verb, "no file given");
    else if (status == TL_VERB_GO && hunt_target_check(&o->target, &err) != 0)
        status = tl_verb_wrong(options.verb, "%s", err.text);
    else if (status == TL_VERB_GO)
        status = shrink(o);
    hunt_bench_close(&o->bench);
    free(o);
    return status;
}
