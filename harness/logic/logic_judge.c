/* SPDX-License-Identifier: Apache-2.0
 * logic_judge.c - see logic_judge.h. */
#include "harness/logic/logic_judge.h"

#include "harness/tally/tally_print.h"
#include "harness/transport/tp_judges.h"
#include "oracles/rules/transport/engine_judge.h"
#include "reports/base/status.h"

#include <string.h>

/* ---- transfers ---- */

struct judged {
    struct tl_tp_judges *judges;
    bool no_memory, to_stderr;
};

static int begin(void *ctx, uint32_t flow, const struct fal_tp_row *row, struct fal_error *err)
{
    struct judged *j = ctx;

    return tl_tp_judges_row(j->judges, flow, row) == 0
               ? 0
               : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

static void event(void *ctx, const struct fal_tp_event *event)
{
    struct judged *j = ctx;

    j->no_memory |= tl_tp_judges_event(j->judges, event) != 0;
}

static void end(void *ctx, uint32_t flow, uint64_t now_ns)
{
    struct judged *j = ctx;

    (void)tl_tp_judges_over(j->judges, flow, now_ns);
}

static int report(void *ctx)
{
    struct judged *j = ctx;
    const struct fal_tally *tally = tl_tp_judges_end(j->judges);

    if (j->no_memory) {
        fprintf(stderr, "talon logic: out of memory\n");
        return TL_STATUS_ERROR;
    }
    tl_tally_print(j->to_stderr ? stderr : stdout, tally);
    return tl_tally_exit_status(tally);
}

int tl_logic_run_judged(const struct tl_logic_command *c)
{
    const struct fal_tp_view view = {.vantage = FAL_TP_BOTH, .complete = true};
    struct judged j = {.judges = tl_tp_judges_new(NULL, &view),
                       .to_stderr = c->events != NULL && strcmp(c->events, "-") == 0};
    const struct tl_logic_judge judge = {&j, begin, event, end, report};
    int status;

    if (j.judges == NULL) {
        fprintf(stderr, "talon logic: out of memory\n");
        return TL_STATUS_ERROR;
    }
    status = tl_logic_run(c, &judge);
    tl_tp_judges_free(j.judges);
    return status;
}

/* ---- the engine ---- */

struct engine_judged {
    struct fal_en_judge *judge;
    bool no_memory;
    struct fal_tally_row rows[FAL_K_RULES];
    struct fal_tally tally;
};

static int begin_engine(void *ctx, const struct fal_en_setup *setup, struct fal_error *err)
{
    struct engine_judged *j = ctx;

    j->judge = fal_en_judge_new(setup, &j->tally);
    return j->judge != NULL ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

static void engine_event(void *ctx, const struct fal_en_event *event)
{
    struct engine_judged *j = ctx;

    j->no_memory |= fal_en_judge_event(j->judge, event) != 0;
}

static int report_engine(void *ctx)
{
    struct engine_judged *j = ctx;

    if (j->no_memory) {
        fprintf(stderr, "talon logic: out of memory\n");
        return TL_STATUS_ERROR;
    }
    fal_en_judge_end(j->judge);
    tl_tally_print(stdout, &j->tally);
    return tl_tally_exit_status(&j->tally);
}

int tl_logic_engine_judged(const struct tl_logic_command *c)
{
    struct engine_judged j = {.tally = {.rows = j.rows}};
    const struct tl_logic_engine_judge judge = {&j, begin_engine, engine_event, report_engine};
    int status;

    j.tally.rules = fal_k_rules(&j.tally.num_rules);
    status = tl_logic_engine(c, &judge);
    fal_en_judge_free(j.judge);
    return status;
}
