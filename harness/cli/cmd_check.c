/* SPDX-License-Identifier: Apache-2.0
 * cmd_check.c - `talon check`: files and folders in, a report of each out. */
#include "harness/cli/check/check_judge.h"
#include "harness/cli/check/check_progress.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "harness/lib/setup.h"
#include "harness/run/evidence_check.h"
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

/* The timelines below a folder, as `talon run --out` leaves them. False when out of memory. */
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
        if (strcmp(entry->d_name, "timeline.jsonl") == 0)
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

        if (tl_check_is_evidence(path))
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
    return tl_check_judge_files(&telling, files, num);
}

static int check_all(struct check_run *run)
{
    static const char *const flavors[] = {"jenkins", "gitlab", "rich"};
    const struct tl_check_command *c = run->command;
    int status = add_paths(run);

    if (c->join && run->num_files > 0)
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

static int check(struct talon_setup *setup)
{
    const struct tl_check_command *c = &setup->command;
    struct check_run run = {.command = c,
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
    for (size_t i = 0; i < c->files.count; i++)
        if (tl_check_is_evidence(c->files.list[i]))
            return;
    (void)tl_sandbox_enter(c->num_reports > 0);
}

static int judge(struct talon_setup *setup)
{
    const struct tl_check_command *c = &setup->command;

    enter_sandbox(c);
    if (c->event_trace != NULL)
        return tl_check_judge_trace(c->event_trace, c->event_setup, c->format == TL_CHECK_JSON);
    return check(setup);
}

int tl_cmd_check(int argc, char **argv)
{
    struct talon_setup *setup;
    struct tl_check_command *c;
    struct fal_error err = {{0}};
    int status;

    if (is_protocol(argc, argv, "roce"))
        return tl_cmd_check_roce(argc, argv);
    setup = tl_setup_new();
    if (setup == NULL)
        return out_of_memory();
    c = &setup->command;
    status = tl_verb_read(&tl_check_options_table, tl_usage_check, argc, argv, c);
    if (status == TL_VERB_GO && tl_check_command_ready(c, &err) != 0)
        status = tl_verb_wrong("check", "%s", err.text);
    else if (status == TL_VERB_GO)
        status = judge(setup);
    talon_setup_free(setup);
    return status;
}
