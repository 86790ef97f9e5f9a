/* SPDX-License-Identifier: Apache-2.0
 * cmd_check.c - `talon check`: files and folders in, a report of each out. */
#include "harness/cli/check_progress.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "harness/check/check_options.h"
#include "harness/check/check_print.h"
#include "harness/check/hosts_seen.h"
#include "harness/doc/version.h"
#include "harness/eventtrace/event_check.h"
#include "harness/run/evidence_check.h"
#include "harness/wire/sandbox.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDERS_DEEP = 6 };

/* The input of the verb, and the result. */
struct check_run {
    const struct tl_check_command *command;
    char **files;
    size_t num_files;
    struct tl_results results;
    bool heading; /* each file's report is headed by its name */
};

/* Two reports cannot share standard output. */
static bool is_quiet(const struct tl_check_command *c)
{
    for (size_t i = 0; i < c->num_reports; i++)
        if (strcmp(c->reports[i].file, "-") == 0)
            return true;
    return false;
}

static int complain(int status, const char *text)
{
    fprintf(stderr, "talon check: %s\n", text);
    return status;
}

static int out_of_memory(void)
{
    return complain(TL_STATUS_ERROR, "out of memory");
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
    run->heading = true;
    return 0;
}

/* Where several apply, 4 goes before 2, before 1, before 3. */
static int worse_status(int a, int b)
{
    static const int rank[] = {0, 2, 3, 1, 4};

    return rank[a] >= rank[b] ? a : b;
}

static int check_evidence(const struct check_run *run, const char *path)
{
    struct fal_error err = {{0}};
    int status = tl_check_evidence(path, run->command->format == TL_CHECK_JSON, &err);

    return err.text[0] != 0 ? complain(status, err.text) : status;
}

static int add_paths(struct check_run *run)
{
    const struct tl_texts *files = &run->command->files;
    int status = 0;

    run->heading = files->count > 1;
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->list[i];

        if (tl_check_is_evidence(path))
            status = worse_status(status, check_evidence(run, path));
        else if (is_folder(path))
            status = worse_status(status, add_folder(run, path));
        else if (!add_file(run, path))
            return out_of_memory();
    }
    return status;
}

/* ---- judging ---- */

static int add_connections(struct tl_check *check, const struct tl_check_command *c)
{
    struct fal_error err = {{0}};
    size_t i;
    json_t *entry;

    json_array_foreach(c->connections_list, i, entry)
    {
        if (tl_check_add(check, entry, &err) != 0) {
            fprintf(stderr, "talon check: %s: connection %zu: %s\n", c->connections_path, i + 1,
                    err.text);
            return TL_STATUS_USAGE;
        }
    }
    return 0;
}

static int status_of(enum fal_verdict verdict)
{
    switch (verdict) {
    case FAL_VERDICT_NONE:
    case FAL_VERDICT_PASS:
    case FAL_VERDICT_WARN: return TL_STATUS_PASS;
    case FAL_VERDICT_INCONC: return TL_STATUS_INCONC;
    case FAL_VERDICT_FAIL: return TL_STATUS_FAIL;
    case FAL_VERDICT_ERROR: return TL_STATUS_ERROR;
    }
    return TL_STATUS_ERROR;
}

/* Adds the case to the results. */
static bool keep_case(struct check_run *run, const struct tl_check *check, const char *path,
                      enum fal_verdict verdict, const char *problem)
{
    struct tl_results *results = &run->results;
    struct tl_case *grown = realloc(results->cases, (results->num_cases + 1) * sizeof *grown),
                   *c;

    if (grown == NULL)
        return false;
    results->cases = grown;
    c = &grown[results->num_cases++];
    *c = (struct tl_case){.id = path, .title = "talon check", .file = path};
    return tl_check_case(check, problem != NULL ? FAL_VERDICT_ERROR : verdict, problem, c);
}

/* Judges a file, or continues with one: packets before an error count. */
static int read_one(struct tl_check *check, const char *path, struct fal_error *err)
{
    int failed;

    if (check->packets > 0 && (check->timeline || tl_check_is_timeline(path)))
        return fal_fail(err, FAL_ERR_FORM, "%s: timelines are no parts of one capture (--join)",
                        path);
    failed = tl_check_is_timeline(path) ? tl_check_timeline(check, path, err)
                                        : tl_check_capture(check, path, err);

    if (failed == 0 && check->packets == 0)
        failed =
            fal_fail(err, FAL_ERR_FORM, "%s has no Falcon packet that could be read", path);
    return failed;
}

/* Says which hosts there are if --sut names another one. */
static void hint_at_hosts(const struct tl_check *check, const char *path)
{
    struct tl_hosts_seen seen = {.sut = check->options->sut};
    char text[TL_HOSTS_SEEN_TEXT];

    if (!check->options->have_sut || check->timeline)
        return;
    tl_hosts_seen_check(&seen, check);
    if (tl_hosts_seen_hint(&seen, text))
        fprintf(stderr, "talon check: %s: %s\n", path, text);
}

static int tell(struct check_run *run, struct tl_check *check, const char *path,
                const char *problem)
{
    enum fal_verdict verdict = tl_check_verdict(check);
    int status = 0;

    if (check->packets > 0 && !is_quiet(run->command)) {
        if (run->heading && run->command->format != TL_CHECK_JSON)
            printf("# %s\n", path);
        if (tl_check_print(check, run->command->format == TL_CHECK_JSON) != 0)
            status = out_of_memory();
    }
    if (!keep_case(run, check, path, verdict, problem))
        status = out_of_memory();
    (void)fflush(stdout);
    hint_at_hosts(check, path);
    return worse_status(status, status_of(verdict));
}

/* Files that are parts of one capture, or a single one. */
static int check_files(struct check_run *run, char **files, size_t num)
{
    struct tl_check check;
    struct fal_error err = {{0}};
    struct tl_check_progress progress;
    struct tl_check_options options = run->command->options;
    int failed = 0, status;

    tl_check_progress_begin(&progress);
    options.progress = progress.on ? tl_check_progress_show : NULL;
    options.progress_ctx = &progress;
    if (tl_check_start(&check, &options) != 0) {
        tl_check_free(&check);
        return out_of_memory();
    }
    status = add_connections(&check, run->command);
    if (status != 0) {
        tl_check_free(&check);
        return status;
    }
    for (size_t i = 0; i < num && failed == 0; i++)
        failed = read_one(&check, files[i], &err);
    tl_check_progress_end(&progress);
    tl_check_finish(&check);
    status = tell(run, &check, files[0], failed != 0 ? err.text : NULL);
    if (failed != 0)
        status = worse_status(
            status,
            complain(failed == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE, err.text));
    tl_check_free(&check);
    return status;
}

/* ---- reports ---- */

static int write_reports(struct check_run *run)
{
    struct fal_error err;
    const struct fal_trials *path = &run->command->options.rules.trials[FAL_FROM_SUT];
    int status = 0;

    run->results.has_path = path->trials > 0;
    run->results.path = *path; /* a path check counts a loss on either way for both */
    run->results.status = tl_results_status(&run->results);
    for (size_t i = 0; i < run->command->num_reports; i++)
        if (tl_report_write(&run->command->reports[i], run->command->junit, NULL, &run->results,
                            &err) != 0)
            status = worse_status(status, complain(TL_STATUS_USAGE, err.text));
    return status;
}

static void clear(struct check_run *run)
{
    for (size_t i = 0; i < run->results.num_cases; i++)
        tl_case_clear(&run->results.cases[i]);
    free(run->results.cases);
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

static int check_event_trace(const struct tl_check_command *c)
{
    const struct tl_event_check check = {
        .trace = c->event_trace, .setup = c->event_setup, .json = c->format == TL_CHECK_JSON};
    struct fal_error err = {{0}};
    int status = tl_event_check(&check, stdout, &err);

    return status >= 0 ? status : tl_verb_failed("check", status, &err);
}

/* Cases of evidence are played again, which may start a SUT: no filter then. */
static void enter_sandbox(const struct tl_check_command *c)
{
    for (size_t i = 0; i < c->files.count; i++)
        if (tl_check_is_evidence(c->files.list[i]))
            return;
    (void)tl_sandbox_enter(c->num_reports > 0);
}

static int check_and_report(struct check_run *run)
{
    int status = add_paths(run);

    if (run->command->join && run->num_files > 0)
        status = worse_status(status, check_files(run, run->files, run->num_files));
    for (size_t i = 0; !run->command->join && i < run->num_files; i++)
        status = worse_status(status, check_files(run, &run->files[i], 1));
    return worse_status(status, write_reports(run));
}

int tl_cmd_check(int argc, char **argv)
{
    if (is_protocol(argc, argv, "roce"))
        return tl_cmd_check_roce(argc, argv);
    struct tl_check_command command;
    struct check_run run = {.command = &command,
                            .results = {.version = TL_VERSION, .sut = "capture"}};
    struct fal_error err = {{0}};
    int status;

    tl_check_command_init(&command);
    status = tl_verb_read(&tl_check_options_table, tl_usage_check, argc, argv, &command);
    if (status == TL_VERB_GO && tl_check_command_ready(&command, &err) != 0) {
        status = tl_verb_wrong("check", "%s", err.text);
    } else if (status == TL_VERB_GO) {
        enter_sandbox(&command);
        status =
            command.event_trace != NULL ? check_event_trace(&command) : check_and_report(&run);
    }
    clear(&run);
    tl_check_command_free(&command);
    return status;
}
