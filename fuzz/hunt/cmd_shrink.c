/* SPDX-License-Identifier: Apache-2.0
 * cmd_shrink.c - `talon shrink`: makes a failing scenario, or a timeline that breaks a rule,
 * small. */
#include "fuzz/hunt/hunt.h"
#include "fuzz/hunt/hunt_lines.h"
#include "fuzz/hunt/hunt_target.h"

#include "codecs/base/nearest.h"
#include "harness/cli/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ASKS = 5000 };

static const char usage[] =
    "usage: talon shrink FILE [--sut SUT] [OPTION...]\n"
    "\n"
    "Makes a scenario that fails, or a timeline that breaks a rule, as small as it can be and still\n"
    "show the same: steps first, then members, then values.\n"
    "\n"
    "  --sut SUT         builtin, builtin:fault=NAME, udp:HOST:PORT\n"
    "  --control A       of udp: tcp:HOST:PORT or unix:PATH\n"
    "  --encap E         of connections that ask for none of their own\n"
    "  --param NAME=V    as of talon run\n"
    "  --execs N         tries at most so many (5000)\n"
    "  --out FILE        where it goes; default: standard output\n"
    "\n"
    "Exit status: 0 it was made small, 2 the command is wrong or nothing fails, 4 it could not go on.\n";

struct options {
    struct hunt_bench bench;
    struct hunt_target target;
    const char *file, *out;
    uint64_t execs;
};

static int wrong(const char *what, const char *text)
{
    fprintf(stderr, "talon shrink: %s%s; see talon shrink --help\n", what, text);
    return TL_STATUS_USAGE;
}

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
    json_t *doc = json_deep_copy(file);
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
        fprintf(stderr, "talon shrink: %s: no case of it fails on this SUT\n", o->file);
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

static int read_options(int argc, char **argv, struct options *o)
{
    static const char *const names[] = {"--sut",   "--control", "--encap", "--param",
                                        "--execs", "--out",     "--help"};
    struct fal_error err = {{0}};
    char *end;

    for (int i = 1; i < argc; i++) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        const char *near;

        if (option[0] != '-' && o->file != NULL)
            return wrong("one file at a time", "");
        if (option[0] != '-') {
            o->file = option;
            continue;
        }
        near = fal_nearest(option, names, sizeof names / sizeof *names);
        if (near == NULL || strcmp(near, option) != 0) {
            fprintf(stderr, "talon shrink: no option '%s'%s%s; see talon shrink --help\n",
                    option, near != NULL ? "; did you mean " : "", near != NULL ? near : "");
            return TL_STATUS_USAGE;
        }
        if (value == NULL)
            return wrong(option, " lacks its value");
        i++;
        if (strcmp(option, "--out") == 0) {
            o->out = value;
        } else if (strcmp(option, "--execs") == 0) {
            o->execs = strtoull(value, &end, 0);
            if (*end != 0 || o->execs == 0 || o->execs > UINT32_MAX || *value == '-')
                return wrong("--execs: expected a number from 1 on, not ", value);
        } else if (hunt_target_option(&o->target, option, value, &err) != 0) {
            return wrong(err.text, "");
        }
    }
    if (o->file == NULL)
        return wrong("no file given", "");
    return hunt_target_check(&o->target, &err) == 0 ? 0 : wrong(err.text, "");
}

int tl_cmd_shrink(int argc, char **argv)
{
    struct options *o = calloc(1, sizeof *o);
    json_t *doc = NULL;
    char *text = NULL;
    size_t len = 0;
    int status = TL_STATUS_ERROR;

    if (o == NULL) {
        fprintf(stderr, "talon shrink: out of memory\n");
        return status;
    }
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        free(o);
        return TL_STATUS_PASS;
    }
    hunt_target_init(&o->target);
    o->execs = ASKS;
    status = read_options(argc, argv, o);
    if (status == 0) {
        hunt_target_ready(&o->target);
        o->bench.run = o->target.run;
        o->bench.warnings = true;
        text = read_file(o->file, &len);
        status = text != NULL ? 0 : TL_STATUS_USAGE;
    }
    if (status == 0) {
        doc = json_loadb(text, len, 0, NULL);
        status = doc != NULL && strcmp(hunt_word(doc, "schema"), TL_SCENARIO_SCHEMA) == 0
                     ? shrink_scenario(o, doc)
                     : shrink_timeline(o, text, len);
    }
    hunt_bench_close(&o->bench);
    json_decref(doc);
    free(text);
    free(o);
    return status;
}
