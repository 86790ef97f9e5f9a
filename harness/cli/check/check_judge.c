/* SPDX-License-Identifier: Apache-2.0
 * check_judge.c - the judging of `talon check`, by libtalon. The Makefile compiles this file
 * where of Talon's headers only talon.h and check_judge.h can be found, so that the library is
 * enough for all that `talon check` does. */
#include "harness/cli/check/check_judge.h"

#include <stdio.h>

/* Exit statuses (docs/ci.md). */
enum { PASS = 0, FAIL = 1, USAGE = 2, INCONCLUSIVE = 3, ERROR = 4 };

int tl_check_complain(int status, const char *text)
{
    fprintf(stderr, "talon check: %s\n", text);
    return status;
}

int tl_check_worse_status(int a, int b)
{
    static const int rank[] = {0, 2, 3, 1, 4};

    return rank[a] >= rank[b] ? a : b;
}

static int out_of_memory(void)
{
    return tl_check_complain(ERROR, "out of memory");
}

int tl_check_failed(const struct talon_error *err)
{
    return tl_check_complain(err->code == TALON_ERR_MEM ? ERROR : USAGE, err->text);
}

static int status_of(enum talon_verdict verdict)
{
    switch (verdict) {
    case TALON_VERDICT_NONE:
    case TALON_VERDICT_PASS:
    case TALON_VERDICT_WARN: return PASS;
    case TALON_VERDICT_INCONCLUSIVE: return INCONCLUSIVE;
    case TALON_VERDICT_FAIL: return FAIL;
    case TALON_VERDICT_ERROR: return ERROR;
    }
    return ERROR;
}

/* A reader that has closed standard output has read what it wanted. */
static int print(void *ctx, const char *bytes, size_t length)
{
    (void)ctx;
    (void)fwrite(bytes, 1, length, stdout);
    return 0;
}

/* ---- captures and timelines ---- */

static void tell_hint(const struct talon_judge *judge, const char *path)
{
    char text[1024];

    if (talon_judge_hint(judge, text, sizeof text))
        fprintf(stderr, "talon check: %s: %s\n", path, text);
}

int tl_check_tell(const struct tl_check_telling *t, struct talon_judge *judge, const char *path,
                  const char *problem)
{
    int status = PASS;

    if (talon_judge_counts(judge)->packets > 0 && !t->quiet) {
        if (t->heading && !t->json)
            printf("# %s\n", path);
        if (talon_judge_report(judge, t->json ? TALON_REPORT_JSON : TALON_REPORT_TEXT, print,
                               NULL) != 0)
            status = out_of_memory();
    }
    if (talon_results_add(t->results, judge, path, problem) != 0)
        status = out_of_memory();
    (void)fflush(stdout);
    tell_hint(judge, path);
    return tl_check_worse_status(status, status_of(talon_judge_verdict(judge)));
}

int tl_check_judge_files(const struct tl_check_telling *t, char *const *files, size_t num)
{
    const struct talon_judge_options options = {
        .size = sizeof options, .progress = t->progress, .progress_ctx = t->progress_ctx};
    struct talon_error err;
    struct talon_judge *judge = talon_judge_new(t->setup, &options, &err);
    int failed = 0, status;

    if (judge == NULL)
        return tl_check_failed(&err);
    for (size_t i = 0; i < num && failed == 0; i++)
        failed = talon_judge_file(judge, files[i], &err);
    if (t->progress_end != NULL)
        t->progress_end(t->progress_ctx);
    (void)talon_judge_end(judge, NULL); /* files alone: it has nothing to say */
    status = tl_check_tell(t, judge, files[0], failed != 0 ? err.text : NULL);
    if (failed != 0)
        status = tl_check_worse_status(status, tl_check_failed(&err));
    talon_judge_free(judge);
    return status;
}

int tl_check_judge_reports(const struct tl_check_telling *t, const char *const *reports,
                           size_t num, const char *flavor)
{
    struct talon_error err;
    int status = PASS;

    for (size_t i = 0; i < num; i++)
        if (talon_results_write(t->results, reports[i], flavor, &err) != 0)
            status = tl_check_worse_status(status, tl_check_complain(USAGE, err.text));
    return status;
}

/* ---- event pipelines ---- */

static int status_of_trace(const struct talon_trace *trace)
{
    enum talon_verdict verdict = talon_trace_verdict(trace);

    return verdict == TALON_VERDICT_NONE ? INCONCLUSIVE : status_of(verdict);
}

int tl_check_judge_trace(const char *path, const char *setup, bool json)
{
    struct talon_error err;
    struct talon_trace *trace = talon_trace_new(setup, &err);
    int failed, status;

    if (trace == NULL)
        return tl_check_failed(&err);
    failed = talon_trace_file(trace, path, &err);
    if (failed != 0) {
        status = tl_check_failed(&err);
    } else {
        talon_trace_end(trace);
        status = talon_trace_report(trace, json ? TALON_REPORT_JSON : TALON_REPORT_TEXT, print,
                                    NULL) == 0
                     ? status_of_trace(trace)
                     : out_of_memory();
    }
    talon_trace_free(trace);
    return status;
}
