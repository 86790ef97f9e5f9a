/* SPDX-License-Identifier: Apache-2.0
 * cmd_run.c - `talon run`: scenarios against an implementation. */
#include "harness/cmd.h"

#include "harness/cmd_run_options.h"
#include "harness/version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LEN = 4096 };

static void print_case(void *ctx, const struct tl_results *results, const struct tl_case *c)
{
    (void)ctx;
    (void)tl_report_case(stdout, results, c);
    (void)fflush(stdout); /* a case on a wire takes its time: whoever looks on sees it end */
}

static void print_list(const struct tl_suite *suite)
{
    for (size_t i = 0; i < suite->count; i++)
        printf("%-26s %s\n", suite->list[i]->id, suite->list[i]->title);
}

static int write_report(tl_report_fn *write, const struct tl_results *results, const char *file)
{
    FILE *out = strcmp(file, "-") == 0 ? stdout : fopen(file, "w");
    int rc;

    if (out == NULL) {
        fprintf(stderr, "talon run: %s: %s\n", file,
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        return FAL_ERR_IO;
    }
    rc = write(out, results);
    if (out != stdout && fclose(out) != 0)
        rc = FAL_ERR_IO;
    if (rc != 0)
        fprintf(stderr, "talon run: %s: cannot be written\n", file);
    return rc;
}

/* --out DIR: the results beside the evidence. */
static int write_results(const struct tl_run_options *o, const struct tl_results *results)
{
    struct fal_error err = {{0}};
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int rc = FAL_ERR_MEM;

    if (out == NULL)
        return rc;
    rc = tl_report_json(out, results);
    if (fclose(out) != 0)
        rc = FAL_ERR_MEM;
    if (rc == 0)
        rc = tl_write_file(o->run.out_dir, NULL, "results.json", text, len, &err);
    if (rc != 0)
        fprintf(stderr, "talon run: %s\n", err.text[0] != 0 ? err.text : "out of memory");
    free(text);
    return rc;
}

/* 4 goes before 2, 1, 3 (design: exit status). */
static int status_of(const struct tl_results *results)
{
    enum fal_verdict verdict = tl_results_verdict(results);

    if (verdict == FAL_VERDICT_ERROR)
        return TL_STATUS_ERROR;
    if (results->bad_files > 0)
        return TL_STATUS_USAGE;
    if (verdict == FAL_VERDICT_FAIL)
        return TL_STATUS_FAIL;
    return verdict == FAL_VERDICT_INCONC ? TL_STATUS_INCONC : TL_STATUS_PASS;
}

static int run_suite(struct tl_run_options *o, const struct tl_suite *suite)
{
    struct tl_results results = {
        .version = TL_VERSION, .sut = o->sut, .bad_files = suite->bad_files};
    struct fal_error err = {{0}};
    int status;

    o->run.scenarios = suite->list;
    o->run.num_scenarios = suite->count;
    o->run.ended = print_case;
    if (tl_run_all(&o->run, &results, &err) != 0) {
        fprintf(stderr, "talon run: %s\n", err.text);
        tl_run_clear(&results);
        return TL_STATUS_ERROR;
    }
    status = status_of(&results);
    if (tl_report_summary(stdout, &results) != 0)
        status = TL_STATUS_ERROR;
    for (size_t i = 0; i < o->num_reports; i++)
        if (write_report(o->reports[i].write, &results, o->reports[i].file) != 0)
            status = TL_STATUS_ERROR;
    if (o->run.out_dir != NULL && write_results(o, &results) != 0)
        status = TL_STATUS_ERROR;
    tl_run_clear(&results);
    return status;
}

static int go(struct tl_run_options *o)
{
    char place[PATH_LEN];
    const char *suite_path = place;
    struct tl_suite suite;
    int status = TL_STATUS_PASS;

    if (o->num_paths == 0 && !tl_suite_default(place, sizeof place))
        return tl_run_wrong("no suite beside the program; name the scenarios");
    if (tl_suite_read(&suite, o->num_paths > 0 ? o->paths : &suite_path,
                      o->num_paths > 0 ? o->num_paths : 1, stderr) != 0) {
        fprintf(stderr, "talon run: out of memory\n");
        tl_suite_free(&suite);
        return TL_STATUS_ERROR;
    }
    if (o->list || o->check_only) {
        if (o->list)
            print_list(&suite);
        else
            printf("%zu scenario%s in order, %zu file%s not\n", suite.count,
                   suite.count == 1 ? "" : "s", suite.bad_files,
                   suite.bad_files == 1 ? "" : "s");
        status = suite.bad_files > 0 ? TL_STATUS_USAGE : TL_STATUS_PASS;
    } else if (suite.count > 0) {
        status = run_suite(o, &suite);
    } else {
        fprintf(stderr, "talon run: nothing to run\n");
        status = TL_STATUS_USAGE;
    }
    tl_suite_free(&suite);
    return status;
}

int tl_cmd_run(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct tl_run_options o = {
        .sut = "builtin",
        .run = {.seed = 1, .retries = 2, .timeout_ns = 10 * FAL_S},
    };
    int status;

    o.run.jobs = processors > 0 && processors < 256 ? (unsigned)processors : 1;
    o.paths = calloc((size_t)argc, sizeof *o.paths);
    if (o.paths == NULL) {
        fprintf(stderr, "talon run: out of memory\n");
        return TL_STATUS_ERROR;
    }
    status = tl_run_options_read(argc, argv, &o);
    if (status == 0 && o.help)
        fputs(tl_run_usage, stdout);
    else if (status == 0)
        status = go(&o);
    free(o.paths);
    return status;
}
