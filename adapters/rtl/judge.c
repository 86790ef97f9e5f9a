/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include "trace.h"

#include "harness/lib/talon.h"

#include <stdio.h>
#include <stdlib.h>

struct ep_judge {
    struct talon_trace *trace;
    bool refused; /* a line */
};

static void take(void *ctx, const char *line, size_t length)
{
    struct ep_judge *judge = ctx;
    struct talon_error err;

    if (judge->refused || talon_trace_line(judge->trace, line, length, &err) == 0)
        return;
    fprintf(stderr, "ep_rtl: line %llu: %s\n", ep_trace_lines() + 1, err.text);
    judge->refused = true;
}

struct ep_judge *ep_judge_new(const char *setup)
{
    struct ep_judge *judge = calloc(1, sizeof *judge);
    struct talon_error err = {0, "out of memory"};

    if (judge != NULL)
        judge->trace = talon_trace_new(setup, &err);
    if (judge == NULL || judge->trace == NULL) {
        fprintf(stderr, "ep_rtl: %s\n", err.text);
        free(judge);
        return NULL;
    }
    ep_trace_to(take, judge);
    return judge;
}

bool ep_judge_failed(const struct ep_judge *judge)
{
    return judge->refused || talon_trace_verdict(judge->trace) >= TALON_VERDICT_FAIL;
}

static int print(void *ctx, const char *bytes, size_t length)
{
    (void)ctx;
    return fwrite(bytes, 1, length, stdout) == length ? 0 : -1;
}

int ep_judge_report(struct ep_judge *judge, bool ended)
{
    if (judge->refused)
        return 2;
    if (ended)
        talon_trace_end(judge->trace);
    if (talon_trace_report(judge->trace, TALON_REPORT_TEXT, print, NULL) != 0) {
        fprintf(stderr, "ep_rtl: the report cannot be written\n");
        return 2;
    }
    return ep_judge_failed(judge) ? 1 : 0;
}

void ep_judge_free(struct ep_judge *judge)
{
    if (judge == NULL)
        return;
    ep_trace_to(NULL, NULL);
    talon_trace_free(judge->trace);
    free(judge);
}
