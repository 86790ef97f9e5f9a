/* SPDX-License-Identifier: Apache-2.0
 * cmd_check.c - `talon check`: files and folders in, a report of each out. */
#include "harness/cli/check/check_judge.h"
#include "harness/cli/check/check_progress.h"
#include "harness/cli/check/check_shards.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "harness/lib/setup.h"
#include "harness/run/evidence_check.h"
#include "harness/shards/part.h"
#include "harness/wire/sandbox.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDERS_DEEP = 6 };

/* The input of the verb, and how its results are told. */
struct check_run {
    const struct tl_check_command *command;
    char **files;
    size_t num_files;
    struct tl_check_telling telling;
    const json_t *words;    /* of the command line, about judging */
    struct tl_parts *parts; /* of --merge, or NULL */
};

/* Two reports cannot share standard output. */
static bool is_quiet(const struct tl_check_command *c)
{
    for (size_t i = 0; i < c->num_reports; i++) {
        const char *colon = strchr(c->reports[i], ':');

        if (colon != NULL && strcmp(colon + 1, "-") == 0)
            return true;
    }
    return false;
}

static int out_of_memory(void)
{
    return tl_check_complain(TL_STATUS_ERROR, "out of memory");
}

/* ---- files ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_file(struct check_run *run, const char *path)
{
    char **grown = realloc(run->files, (run->num_files + 1) * sizeof *grown);

    if (grown == NULL)
        return false;
    run->files = grown;
    run->files[run->num_files] = strdup(path);
    return run->files[run->num_files++] != NULL;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A capture, by its name, also compressed. */
static bool is_capture(const char *name)
{
    static const char *const ends[] = {".pcap", ".pcapng", ".cap"}, *const packed[] = {
                                                                        "", ".gz", ".zst"};
    size_t len = strlen(name);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (size_t k = 0; k < sizeof packed / sizeof *packed; k++) {
            size_t end = strlen(ends[i]), more = strlen(packed[k]);

            if (len > end + more && strncmp(name + len - end - more, ends[i], end) == 0 &&
                strcmp(name + len - more, packed[k]) == 0)
                return true;
        }
    return false;
}

/* The timelines below a folder, as `talon run --out` leaves them, or with --join the captures.
 * False when out of memory. */
static bool walk(struct check_run *run, const char *path, int depth)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    bool ok = true;

    if (dir == NULL)
        return true;
    while (ok && (entry = readdir(dir)) !=
                     NULL) { /* NOLINT(concurrency-mt-unsafe) one thread reads */
        char *below;

        if (entry->d_name[0] == '.')
            continue;
        if (asprintf(&below, "%s/%s", path, entry->d_name) < 0) {
            ok = false;
            break;
        }
        if (run->command->join ? is_capture(entry->d_name)
                               : strcmp(entry->d_name, "timeline.jsonl") == 0)
            ok = add_file(run, below);
        else if (depth > 0 && is_folder(below))
            ok = walk(run, below, depth - 1);
        free(below);
    }
    (void)closedir(dir);
    return ok;
}

static int add_folder(struct check_run *run, const char *path)
{
    size_t before = run->num_files;

    if (!walk(run, path, FOLDERS_DEEP))
        return out_of_memory();
    if (run->num_files == before && run->command->join)
        return tl_verb_wrong("check", "%s holds no capture (.pcap, .pcapng, .cap)", path);
    if (run->num_files == before)
        return tl_verb_wrong("check",
                             "%s holds no timeline.jsonl (talon run --out writes them)", path);
    qsort(run->files + before, run->num_files - before, sizeof *run->files, by_name);
    run->telling.heading = true;
    return 0;
}

static int check_evidence(const struct check_run *run, const char *path)
{
    struct fal_error err = {{0}};
    int status = tl_check_evidence(path, run->command->format == TL_CHECK_JSON, &err);

    return err.text[0] != 0 ? tl_check_complain(status, err.text) : status;
}

static int add_paths(struct check_run *run)
{
    const struct tl_texts *files = &run->command->files;
    int status = 0;

    run->telling.heading = files->count > 1;
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->list[i];

        if (!run->command->join && tl_check_is_evidence(path))
            status = tl_check_worse_status(status, check_evidence(run, path));
        else if (is_folder(path))
            status = tl_check_worse_status(status, add_folder(run, path));
        else if (!add_file(run, path))
            return out_of_memory();
    }
    return status;
}

/* ---- judging ---- */

/* Files that are parts of one capture, or a single one. */
static int check_files(const struct check_run *run, char *const *files, size_t num)
{
    struct tl_check_progress progress;
    struct tl_check_telling telling = run->telling;

    tl_check_progress_begin(&progress);
    telling.progress = progress.on ? tl_check_progress_show : NULL;
    telling.progress_end = tl_check_progress_end;
    telling.progress_ctx = &progress;
    return run->command->options.shard.total > 0
               ? tl_check_shard_files(&telling, run->command, run->words, files, num)
               : tl_check_judge_files(&telling, files, num);
}

static int check_all(struct check_run *run)
{
    static const char *const flavors[] = {"jenkins", "gitlab", "rich"};
    const struct tl_check_command *c = run->command;
    int status = run->parts == NULL ? add_paths(run) : 0;

    if (run->parts != NULL)
        status = tl_check_shards_merge(&run->telling, c, run->parts);
    else if (c->join && run->num_files > 0)
        status = tl_check_worse_status(status, check_files(run, run->files, run->num_files));
    for (size_t i = 0; !c->join && i < run->num_files; i++)
        status = tl_check_worse_status(status, check_files(run, &run->files[i], 1));
    return tl_check_worse_status(
        status,
        tl_check_judge_reports(&run->telling, c->reports, c->num_reports, flavors[c->junit]));
}

static void clear(struct check_run *run)
{
    talon_results_free(run->telling.results);
    for (size_t i = 0; i < run->num_files; i++)
        free(run->files[i]);
    free(run->files);
}

/* Whether the arguments say --protocol NAME, or --protocol=NAME. */
static bool is_protocol(int argc, char **argv, const char *name)
{
    static const char option[] = "--protocol";
    size_t len = strlen(option);

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], option) == 0 && i + 1 < argc && strcmp(argv[i + 1], name) == 0)
            return true;
        if (strncmp(argv[i], option, len) == 0 && argv[i][len] == '=' &&
            strcmp(argv[i] + len + 1, name) == 0)
            return true;
    }
    return false;
}

/* ---- the verb ---- */

static int check(struct talon_setup *setup, const json_t *words, struct tl_parts *parts)
{
    const struct tl_check_command *c = &setup->command;
    struct check_run run = {.command = c,
                            .words = words,
                            .parts = parts,
                            .telling = {.setup = setup,
                                        .results = talon_results_new(setup),
                                        .json = c->format == TL_CHECK_JSON,
                                        .quiet = is_quiet(c)}};
    int status = run.telling.results != NULL ? check_all(&run) : out_of_memory();

    clear(&run);
    return status;
}

/* Cases of evidence are played again, which may start a SUT: no filter then. */
static void enter_sandbox(const struct tl_check_command *c)
{
    bool writes = c->num_reports > 0 || c->part != NULL || c->readings != NULL;

    for (size_t i = 0; i < c->files.count && !c->join; i++)
        if (tl_check_is_evidence(c->files.list[i]))
            return;
    (void)tl_sandbox_enter(writes);
}

static int judge(struct talon_setup *setup, const json_t *words, struct tl_parts *parts)
{
    const struct tl_check_command *c = &setup->command;

    enter_sandbox(c);
    if (c->event_trace != NULL)
        return tl_check_judge_trace(c->event_trace, c->event_setup, c->format == TL_CHECK_JSON);
    return check(setup, words, parts);
}

/* A command line that was read, and the setup that is freed before its words are. */
static int command(struct talon_setup *setup, int argc, char **argv)
{
    struct tl_check_command *c = &setup->command;
    json_t *words = tl_check_shard_words(argc, argv);
    struct tl_parts *parts = NULL;
    struct fal_error err = {{0}};
    int status = TL_STATUS_USAGE;

    if (words == NULL)
        status = out_of_memory();
    else if (tl_check_command_ready(c, &err) != 0)
        status = tl_verb_wrong("check", "%s", err.text);
    else if (!c->merge || (parts = tl_check_shards_open(c, words)) != NULL)
        status = judge(setup, words, parts);
    talon_setup_free(setup);
    tl_parts_close(parts);
    json_decref(words);
    return status;
}

int tl_cmd_check(int argc, char **argv)
{
    struct talon_setup *setup;
    int status;

    if (is_protocol(argc, argv, "roce"))
        return tl_cmd_check_roce(argc, argv);
    setup = tl_setup_new();
    if (setup == NULL)
        return out_of_memory();
    status = tl_verb_read(&tl_check_options_table, tl_usage_check, argc, argv, &setup->command);
    if (status == TL_VERB_GO)
        return command(setup, argc, argv);
    talon_setup_free(setup);
    return status;
}
