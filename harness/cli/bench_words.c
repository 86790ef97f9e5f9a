/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/bench_words.h"

#include "harness/claims/bench_file.h"
#include "harness/cli/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ADDED_MAX = 12, PATHS_MAX = 4 };

struct line {
    const struct tl_cmd *verb;
    char **words; /* the command line that the verb gets: argv[0] and then... */
    int count;
    const char *bench;      /* the value of --bench, or NULL */
    char *paths[PATHS_MAX]; /* names of files that were made here */
    int num_paths;
};

/* Whether the word is that option, perhaps shortened or with "=VALUE". */
static bool is(const char *word, const char *option)
{
    size_t n = strcspn(word, "=");

    return n >= 4 && strncmp(word, option, n) == 0;
}

/* Whether one of the options, which are separated by spaces, is among the words. */
static bool has(int argc, char *const *argv, const char *options)
{
    char name[16];
    int used;

    for (; sscanf(options, " %15s%n", name, &used) == 1; options += used)
        for (int i = 1; i < argc && argv[i] != NULL && strcmp(argv[i], "--") != 0; i++)
            if (is(argv[i], name) || strcmp(argv[i], name) == 0)
                return true;
    return false;
}

/* Whether an adapter is among the words, which sut-check takes without an option. */
static bool has_adapter(int argc, char *const *argv)
{
    for (int i = 1; i < argc && argv[i] != NULL; i++)
        if (strncmp(argv[i], "exec:", 5) == 0 || strncmp(argv[i], "lib:", 4) == 0)
            return true;
    return false;
}

/* Whether the command line names its SUT. */
static bool has_sut(const struct line *line, int argc, char *const *argv)
{
    return line->verb->bench == TL_BENCH_ADAPTER
               ? has(argc, argv, "--control") || has_adapter(argc, argv)
               : has(argc, argv, "--sut --sut-map");
}

static void add(struct line *line, const char *option, const char *value)
{
    if (value == NULL)
        return;
    line->words[line->count++] = (char *)option;
    line->words[line->count++] = (char *)value;
}

/* Adds an option whose value is a file in the folder of the bench file. */
static bool add_file(struct line *line, const char *option, const char *value, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *joined;

    if (value == NULL || value[0] == '/' || len == 0) {
        add(line, option, value);
        return true;
    }
    joined = malloc(len + strlen(value) + 1);
    if (joined == NULL)
        return false;
    memcpy(joined, path, len);
    memcpy(joined + len, value, strlen(value) + 1);
    line->paths[line->num_paths++] = joined;
    add(line, option, joined);
    return true;
}

/* A profile is a name of the suite's, unless it looks like a path (tl_suite_profile). */
static bool is_path(const char *profile)
{
    size_t len = profile != NULL ? strlen(profile) : 0;

    return len > 0 && (strchr(profile, '/') != NULL ||
                       (len > 5 && strcmp(profile + len - 5, ".json") == 0));
}

/* --sut and --control are about the same SUT: one from the command line replaces both. */
static void add_sut(struct line *line, const struct tl_bench_file *file, int argc,
                    char *const *argv)
{
    bool in_process = strncmp(file->sut, "exec:", 5) == 0 || strncmp(file->sut, "lib:", 4) == 0;

    if (has_sut(line, argc, argv))
        return;
    if (line->verb->bench == TL_BENCH_ADAPTER) {
        if (in_process)
            line->words[line->count++] = (char *)file->sut;
        else
            add(line, "--control", file->control);
        return;
    }
    add(line, "--sut", file->sut);
    if (!has(argc, argv, "--control --connections"))
        add(line, "--control", file->control);
}

static bool add_all(struct line *line, const struct tl_bench_file *file, const char *path,
                    int argc, char *const *argv)
{
    add_sut(line, file, argc, argv);
    if (line->verb->bench != TL_BENCH_ALL)
        return true;
    if (!has(argc, argv, "--profile") && !is_path(file->profile))
        add(line, "--profile", file->profile);
    return (has(argc, argv, "--ics") || add_file(line, "--ics", file->ics, path)) &&
           (has(argc, argv, "--ixit") || add_file(line, "--ixit", file->ixit, path)) &&
           (has(argc, argv, "--waivers") || add_file(line, "--waivers", file->waivers, path)) &&
           (has(argc, argv, "--profile") || !is_path(file->profile) ||
            add_file(line, "--profile", file->profile, path));
}

/* Copies the command line without --bench, whose value it keeps. Returns false if --bench has
 * no value: the verb then says so. */
static bool copy(struct line *line, int argc, char **argv, bool keep)
{
    bool ended = false;

    for (int i = 1; i < argc; i++) {
        ended |= strcmp(argv[i], "--") == 0;
        if (ended || !is(argv[i], "--bench")) {
            if (keep)
                line->words[line->count++] = argv[i];
        } else if (strchr(argv[i], '=') != NULL) {
            line->bench = strchr(argv[i], '=') + 1;
        } else if (i + 1 == argc) {
            return false;
        } else {
            line->bench = argv[++i];
        }
    }
    return true;
}

/* The path of the bench file to read, or NULL. A command line with a SUT is not about the bench
 * of the folder, whose ICS and waivers describe another SUT. A run that is resumed, a
 * certificate that is verified, an echo and a list need no SUT. */
static const char *path_of(const struct line *line, int argc, char *const *argv)
{
    if (line->bench != NULL)
        return strcmp(line->bench, "none") != 0 ? line->bench : NULL;
    if (has_sut(line, argc, argv) ||
        has(argc, argv, "--resume --verify --respond --list --replay -h --help") ||
        access("talon.json", F_OK) != 0)
        return NULL;
    return "talon.json";
}

static int run_with(struct line *line, int argc, char **argv)
{
    struct tl_bench_file file = {.sut = NULL};
    struct fal_error err = {{0}};
    const char *path;
    int status, rc = 0;

    line->words[line->count++] = argv[0];
    if (!copy(line, argc, argv, false))
        return line->verb->run(argc, argv);
    path = path_of(line, argc, argv);
    if (path != NULL)
        rc = tl_bench_file_load(path, &file, &err);
    if (rc == 0 && path != NULL && !add_all(line, &file, path, argc, argv))
        rc = fal_fail(&err, FAL_ERR_MEM, "out of memory");
    if (rc != 0) {
        status = tl_verb_failed(line->verb->name, rc, &err);
    } else {
        (void)copy(line, argc, argv, true);
        line->words[line->count] = NULL;
        if (path != NULL)
            fprintf(stderr,
                    "talon %s: read %s; options on the command line replace what it gives\n",
                    line->verb->name, path);
        status = line->verb->run(line->count, line->words);
    }
    tl_bench_file_free(&file);
    return status;
}

int tl_bench_run(const struct tl_cmd *verb, int argc, char **argv)
{
    struct line line = {.verb = verb,
                        .words = malloc(((size_t)argc + ADDED_MAX + 1) * sizeof *line.words)};
    int status;

    if (line.words == NULL) {
        fprintf(stderr, "talon %s: out of memory\n", verb->name);
        return TL_STATUS_ERROR;
    }
    status = run_with(&line, argc, argv);
    for (int i = 0; i < line.num_paths; i++)
        free(line.paths[i]);
    free(line.words);
    return status;
}
