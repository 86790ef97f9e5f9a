/* SPDX-License-Identifier: Apache-2.0
 * run_learn.c - measures before the first case how long the SUT takes to answer, if nobody
 * declared it (judging.md, section 18). Small scenarios ask for answers of each type that no
 * timer delays: their timers are far longer than any answer that is measured. A kind of answer
 * that the adapter's level does not allow, or that the SUT does not give, is left out.
 * Likewise, whether the SUT opens connections of the encapsulation that the user chose. */
#include "harness/run/run_impl.h"

#include "harness/verdict/case_verdict.h"
#include "oracles/limits/ixit_limits.h"
#include "oracles/rule_ratios.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS_MAX = 1024, TEXT_MAX = 1024, LIVE_PART = 4, P95 = 95 };

#define HEAD(id)                                                                      \
    "{\"schema\": \"talon/scenario/1\", \"id\": \"" id "\", \"title\": \"" id "\", "  \
    "\"purpose\": \"It measures the turnaround of the SUT.\", \"class\": \"valid\", " \
    "\"covers\": [\"FTP-9.1.6-02\"], \"version\": 1, \"connection\": {\"params\": "   \
    "{\"coalescing\": \"200ms\", \"rto\": \"2s\"}}, "

/* A kind of answer. Its scenario waits half a coalescing timeout for each: what takes longer is
 * a timer's. TIMES stands for how often it asks: `times`, and a quarter of that in real time,
 * where answers take longer. */
#define TIMES "####"
static const struct {
    unsigned times;
    const char *text;
} kinds[] = {
    {128, HEAD("learn-pull") "\"steps\": [{\"repeat\": " TIMES ", \"steps\": ["
                             "\"> pull_request len=8\", \"<=100ms < pull_data\"]}]}"},
    {128, HEAD("learn-ack") "\"steps\": [{\"repeat\": " TIMES ", \"steps\": ["
                            "\"> push_data len=8 ar\", "
                            "\"<=100ms < packet packet_type={back,eack}\"]}]}"},
    {60, HEAD("learn-eack") "\"steps\": [{\"repeat\": " TIMES ", \"as\": \"i\", \"steps\": ["
                            "\"> pull_request psn=($i * 2 + 1)r rsn=($i * 2 + 1)r len=8 ar\", "
                            "\"<=100ms < eack\", "
                            "\"> pull_request psn=($i * 2)r rsn=($i * 2)r len=8\", "
                            "\"<=100ms < pull_data rsn=($i * 2)r\"]}]}"},
    {60, HEAD("learn-nack") "\"policy\": [{\"op\": \"push\", \"answer\": \"cie\"}], "
                            "\"steps\": [{\"repeat\": " TIMES ", \"steps\": ["
                            "\"> push_data len=8 ar\", \"<=100ms < nack\"]}]}"},
    {60, HEAD("learn-push") "\"steps\": [{\"repeat\": " TIMES ", \"steps\": ["
                            "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 8}}, "
                            "\"<=100ms < push_data\"]}]}"},
    {128, HEAD("learn-request") "\"steps\": [{\"repeat\": " TIMES ", \"steps\": ["
                                "{\"ulp\": {\"do\": \"post\", \"op\": \"pull\", "
                                "\"length\": 8}}, \"<=100ms < pull_request\"]}]}"},
    {60, HEAD("learn-resync") "\"auto\": {\"acks\": false}, \"steps\": [{\"repeat\": " TIMES
                              ", \"as\": \"i\", \"steps\": ["
                              "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", "
                              "\"length\": 8}}, \"<=100ms < push_data psn=($i)r\", "
                              "{\"send\": \"> nack dbase=($i)r rbase=0r nack_psn=($i)r w=data "
                              "code=cie\"}, \"<=100ms < resync psn=($i)r\", "
                              "{\"send\": \"> back dbase=($i + 1)r rbase=0r\"}]}]}"},
};

struct answers {
    uint64_t list[ANSWERS_MAX];
    size_t count;
};

static void take(void *ctx, uint64_t ns)
{
    struct answers *answers = ctx;

    if (answers->count < ANSWERS_MAX)
        answers->list[answers->count++] = ns;
}

static bool is_given(const struct tl_run *run, enum fal_param_at param)
{
    return run->params != NULL && run->params->given[param];
}

struct tl_learned tl_run_unknown(const struct tl_run *run)
{
    bool built_in = run->target.kind == TL_TARGET_BUILTIN && !run->target.slow.given &&
                    run->target.twins.set.lanes_ns == 0;
    bool silent = run->target.kind == TL_TARGET_BRIDGE || run->target.wire != NULL;

    if (built_in || silent) /* a SUT that takes no time, or one that cannot be asked */
        return (struct tl_learned){.turnaround = false};
    return (struct tl_learned){.turnaround = !is_given(run, FAL_PARAM_AT_turnaround),
                               .pipeline = !is_given(run, FAL_PARAM_AT_pipeline)};
}

bool tl_run_doubts(const struct tl_run *run, struct fal_params *declared)
{
    bool live = tl_target_live(run->target.kind), low = false;
    struct fal_params params;

    if (run->params == NULL || run->target.kind == TL_TARGET_BRIDGE || run->target.wire != NULL)
        return false;
    params = tl_given_params_declared(run->params, live);
    for (enum fal_ratio_at at = 0; at < FAL_RATIO_COUNT; at++)
        low = low || !fal_ratio_kept(at, &params);
    if (declared != NULL)
        *declared = params;
    return low && (params.turnaround_ns > fal_plausible_ns(0) ||
                   params.pipeline_ns > fal_plausible_ns(0));
}

/* Plays a scenario; the answers are added. */
static void play(const struct tl_run *run, struct tl_bench *bench, const char *text,
                 struct answers *answers)
{
    char *errors = NULL;
    struct tl_scenario *scenario = tl_scenario_read("learn", text, strlen(text), &errors);
    struct tl_planned planned = {.scenario = scenario};
    struct tl_attempt_of attempt = {
        .planned = &planned, .answered = take, .answered_ctx = answers};
    struct tl_case unused = {.id = NULL};

    free(errors);
    if (scenario == NULL)
        return; /* out of memory: there are fewer answers */
    planned.id = scenario->id;
    attempt.seed = tl_run_seed(run->seed, scenario->id);
    tl_run_attempt(run, bench, &attempt, &unused);
    tl_case_clear(&unused);
    tl_scenario_free(scenario);
}

/* Asks for one kind of answer. */
static void ask(const struct tl_run *run, struct tl_bench *bench, size_t kind,
                struct answers *answers)
{
    unsigned part = bench->caps.live ? LIVE_PART : 1;
    char text[TEXT_MAX], times[sizeof TIMES], *place;

    (void)snprintf(text, sizeof text, "%s", kinds[kind].text);
    (void)snprintf(times, sizeof times, "%4u", kinds[kind].times / part);
    place = strstr(text, TIMES);
    if (place == NULL)
        return;
    memcpy(place, times, sizeof TIMES - 1);
    play(run, bench, text, answers);
}

void tl_run_learn(const struct tl_run *run, struct tl_bench *bench, struct tl_learned *learned)
{
    struct answers *answers = calloc(1, sizeof *answers);
    struct tl_run own = *run;

    *learned = tl_run_unknown(run);
    if (answers == NULL ||
        (!learned->turnaround && !learned->pipeline && !tl_run_doubts(run, NULL))) {
        free(answers);
        return;
    }
    own.params = NULL; /* the scenarios have their own */
    own.twins = (struct tl_twins){.random = false};
    own.learned = NULL;
    own.looked = NULL;
    own.event = NULL;
    own.copies = 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !bench->dead; i++) {
        size_t from = answers->count;

        ask(&own, bench, i, answers);
        tl_learned_kind(learned, answers->list + from, answers->count - from);
    }
    tl_learned_conclude(learned, answers->list, answers->count);
    free(answers);
}

void tl_run_apply_learned(const struct tl_run *run, struct fal_connection *setup)
{
    const struct tl_learned *learned = run->learned;
    uint64_t value_ns, longest_ns;

    if (learned == NULL || (!learned->turnaround && !learned->pipeline))
        return;
    value_ns = fal_learned_capped_ns(&setup->params, learned->value_ns);
    /* In real time the slowest few are those of a busy machine, which has its own allowances.
     */
    longest_ns = tl_target_live(run->target.kind) ? learned->value_ns : learned->max_ns;
    if (learned->turnaround) {
        setup->learned_params |= FAL_PARAM_BIT(FAL_PARAM_AT_turnaround);
        setup->params.turnaround_ns = value_ns;
    }
    if (learned->pipeline) {
        setup->learned_params |= FAL_PARAM_BIT(FAL_PARAM_AT_pipeline);
        setup->params.pipeline_ns = value_ns;
    }
    if (learned->answers >= TL_LEARNED_LEAST)
        setup->learned_max_ns = longest_ns > 0 ? longest_ns : 1;
}

/* ---- the encapsulation ---- */

static const char opens[] =
    "{\"schema\": \"talon/scenario/1\", \"id\": \"opens\", \"title\": \"opens\", \"purpose\": "
    "\"It opens a connection.\", \"class\": \"valid\", \"covers\": [\"FTP-9.1.6-02\"], "
    "\"version\": 1, \"steps\": [{\"wait\": \"1us\"}]}";

/* The answer to `open`, where it was a refusal; or NULL. Another value of a parameter is none.
 */
static const char *refusal(const struct tl_case *c)
{
    const struct tl_problem *p = c->num_problems > 0 ? &c->problems[0] : NULL;
    bool refused = (tl_case_beyond(c) && c->reason.id != TL_REASON_SETUP) ||
                   c->reason.id == TL_REASON_REFUSED || c->reason.id == TL_REASON_OPEN;

    return p == NULL || !refused ? NULL : p->seen != NULL ? p->seen : p->text;
}

int tl_run_ask_encap(const struct tl_run *run, struct tl_bench *bench, struct fal_error *err)
{
    char *errors = NULL;
    struct tl_scenario *scenario = NULL;
    struct tl_planned planned = {.id = "opens"};
    struct tl_case c = {.id = NULL};
    struct tl_run own = *run;
    int rc = 0;

    if (!tl_encap_seals(run->encap) || bench->wire != NULL || bench->dead ||
        run->target.kind == TL_TARGET_BRIDGE)
        return 0;
    scenario = tl_scenario_read("opens", opens, strlen(opens), &errors);
    free(errors);
    if (scenario == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    own.looked = NULL;
    own.event = NULL;
    own.stops = NULL;
    planned.scenario = scenario;
    tl_run_attempt(&own, bench,
                   &(struct tl_attempt_of){.planned = &planned,
                                           .seed = tl_run_seed(run->seed, planned.id)},
                   &c);
    if (refusal(&c) != NULL)
        rc = fal_fail(err, FAL_ERR_IO, "--encap %s: %.250s%s", fal_encap_name(run->encap),
                      refusal(&c),
                      c.verdict == FAL_VERDICT_INCONC /* the adapter said no */
                          ? "; choose an encapsulation that the SUT supports, or correct its "
                            "adapter"
                          : "");
    tl_case_clear(&c);
    tl_scenario_free(scenario);
    return rc;
}
