/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_run.h"

#include "harness/cc/cc_engine.h"
#include "harness/cc/cc_traffic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD = 10 /* results that are told one by one */ };

int tl_cc_verdict_begin(struct tl_cc_verdict *verdict, uint32_t latency)
{
    *verdict = (struct tl_cc_verdict){.judge = tl_cc_judge_new(latency)};
    return verdict->judge != NULL ? 0 : FAL_ERR_MEM;
}

void tl_cc_verdict_end(struct tl_cc_verdict *verdict)
{
    tl_cc_judge_free(verdict->judge);
    verdict->judge = NULL;
}

static void count(struct tl_cc_verdict *verdict, const char *requirement)
{
    const size_t most = sizeof verdict->counts / sizeof *verdict->counts;
    size_t i = 0;

    while (i < verdict->num_counts &&
           (requirement == NULL || verdict->counts[i].requirement == NULL
                ? requirement != verdict->counts[i].requirement
                : strcmp(requirement, verdict->counts[i].requirement) != 0))
        i++;
    if (i == most)
        return;
    if (i == verdict->num_counts)
        verdict->counts[verdict->num_counts++] =
            (struct tl_cc_count){.requirement = requirement};
    verdict->counts[i].results++;
}

int tl_cc_verdict_line(struct tl_cc_verdict *verdict, const struct tl_cc_line *line,
                       const char *where, struct fal_error *err)
{
    struct tl_cc_finding finding;
    int rc = tl_cc_judge_line(verdict->judge, line, &finding);

    if (rc == FAL_ERR_RANGE)
        return fal_fail(err, rc, "more than %d connections; expected at most so many",
                        TL_CC_CONNECTIONS);
    if (rc < 0)
        return fal_fail(err, rc, "out of memory");
    verdict->judged++;
    if (rc == 1)
        return 0;
    count(verdict, finding.requirement);
    if (verdict->outside++ < TOLD)
        printf("%s: %s%s%s\n", where, finding.requirement != NULL ? finding.requirement : "",
               finding.requirement != NULL ? ": " : "", finding.what);
    return 0;
}

void tl_cc_verdict_print(const struct tl_cc_verdict *verdict)
{
    if (verdict->outside > TOLD)
        printf("and %" PRIu64 " more\n", verdict->outside - TOLD);
    if (verdict->outside == 0)
        printf("all %" PRIu64 " results are what 10.3 and 10.4 allow\n", verdict->judged);
    else
        printf("%" PRIu64 " of %" PRIu64 " results are outside of what 10.3 and 10.4 allow\n",
               verdict->outside, verdict->judged);
    for (size_t i = 0; i < verdict->num_counts; i++)
        printf("violated %s: %" PRIu64 "\n",
               verdict->counts[i].requirement != NULL ? verdict->counts[i].requirement
                                                      : "(no single requirement)",
               verdict->counts[i].results);
    tl_cc_judge_readings(verdict->judge, stdout);
    tl_cc_judge_widths(verdict->judge, stdout);
}

/* ---- an engine ---- */

static int put_trace(const struct tl_cc_run *run, const struct tl_cc_line *line)
{
    char *text = run->trace != NULL ? tl_cc_line_print(line, NULL) : NULL;

    if (run->trace == NULL)
        return 0;
    if (text != NULL)
        fprintf(run->trace, "%s\n", text);
    free(text);
    return text != NULL ? 0 : FAL_ERR_MEM;
}

static int play(const struct tl_cc_run *run, unsigned round, struct tl_cc_engine *engine,
                const struct fal_swift_params *params, struct tl_cc_verdict *verdict,
                struct fal_error *err)
{
    struct tl_cc_line line = {.format = run->format, .params = *params};
    struct tl_cc_traffic traffic;
    char where[60];
    int rc = 0;

    tl_cc_traffic_begin(&traffic, run->seed + round, params);
    for (uint64_t i = 1; i <= run->events && rc == 0; i++) {
        tl_cc_traffic_next(&traffic, &line);
        rc = tl_cc_engine_ask(engine, &line, err);
        if (rc != 0)
            break;
        (void)snprintf(where, sizeof where, "round %u, event %" PRIu64, round + 1, i);
        (void)snprintf(line.id, sizeof line.id, "%u.%" PRIu64, round + 1, i);
        if (put_trace(run, &line) != 0)
            rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        if (rc == 0)
            rc = tl_cc_verdict_line(verdict, &line, where, err);
        tl_cc_traffic_result(&traffic, &line);
    }
    return rc;
}

int tl_cc_run(const struct tl_cc_run *run, const char *name, struct tl_cc_verdict *verdict,
              struct fal_error *err)
{
    int rc = 0;

    for (unsigned round = 0; round < run->rounds && rc == 0; round++) {
        struct fal_swift_params params;
        struct tl_cc_engine *engine;

        if (round == 0)
            fal_swift_params_default(&params);
        else
            tl_cc_traffic_params(run->seed + round, &params);
        rc = tl_cc_engine_open(&engine, name, run->format, &params, run->answer_s, err);
        if (rc == 0)
            rc = play(run, round, engine, &params, verdict, err);
        tl_cc_engine_close(engine);
    }
    return rc;
}
