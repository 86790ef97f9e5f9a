/* SPDX-License-Identifier: Apache-2.0
 * run_copies.c - one case on several connections at the same time (mux.h): each copy is played
 * and judged by itself, with its own seed; the worst result is that of the case, and names the
 * copy. Where the scenario has connections of its own, each copy is one of them, and they play
 * the steps together (baton.h). */
#include "harness/run/run_impl.h"

#include "harness/play/baton.h"
#include "harness/session/mux.h"
#include "harness/verdict/case_verdict.h"
#include "oracles/rng.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_PART = 0x4350 }; /* of the attempt's seed: those of the copies behind the first */

unsigned tl_run_copies_of(const struct tl_run *run, const struct tl_scenario *scenario)
{
    if (scenario->num_conns > 0)
        return scenario->num_conns;
    return run->copies > scenario->copies ? run->copies : scenario->copies;
}

/* A copy, and its result. */
struct copy {
    const struct tl_run *run;
    struct tl_planned planned; /* with the scenario of this copy */
    struct tl_baton *baton;
    struct tl_mux *mux;
    unsigned number;
    uint64_t seed;
    FILE *file; /* or NULL */
    char *timeline;
    size_t timeline_len;
    struct tl_case result;
};

static bool together(void *ctx, unsigned stage)
{
    const struct copy *copy = ctx;

    return tl_mux_reached(copy->mux, copy->number, stage);
}

static uint32_t other_cid(void *ctx)
{
    const struct copy *copy = ctx;

    return tl_mux_other_cid(copy->mux, copy->number);
}

static void play(void *ctx, unsigned number)
{
    struct copy *copy = (struct copy *)ctx + number;
    const struct tl_copy_of among = {.count =
                                         tl_run_copies_of(copy->run, copy->planned.scenario),
                                     .number = copy->number,
                                     .baton = copy->baton,
                                     .together = together,
                                     .other_cid = other_cid,
                                     .ctx = copy};

    tl_run_attempt(copy->run, tl_mux_bench(copy->mux, copy->number),
                   &(struct tl_attempt_of){.planned = &copy->planned,
                                           .seed = copy->seed,
                                           .among = &among,
                                           .timeline = copy->file},
                   &copy->result);
}

/* Returns the number of the copy with the worst result; of several, the lowest. If the adapter
 * lacks a command that one connection needs, the others miss what that connection would have
 * done. The case is then skipped for that command, unless a connection fails or the SUT is
 * gone. */
static unsigned worst_of(const struct copy *copies, unsigned count, bool dead)
{
    unsigned worst = 0, unoffered = count;
    bool fails = false;

    for (unsigned i = 0; i < count; i++) {
        const struct tl_case *result = &copies[i].result;

        if (result->verdict > copies[worst].result.verdict)
            worst = i;
        if (unoffered == count && tl_case_beyond(result))
            unoffered = i;
        fails = fails || result->verdict == FAL_VERDICT_FAIL;
    }
    return unoffered < count && !fails && !dead ? unoffered : worst;
}

/* The result of the copy is the result of the case. */
static void settle(struct tl_case *out, struct copy *copies, unsigned count, bool dead,
                   FILE *timeline)
{
    struct copy *worst = &copies[worst_of(copies, count, dead)];
    struct tl_case *result = &worst->result;

    out->copies = count;
    out->copy = result->verdict > FAL_VERDICT_PASS ? worst->number + 1 : 0;
    if (out->copy > 0)
        out->connection = worst->planned.scenario->conn_names[worst->number];
    out->verdict = result->verdict;
    out->reason = result->reason;
    out->duration_ns = result->duration_ns;
    out->problems = result->problems;
    out->num_problems = result->num_problems;
    out->rules = result->rules;
    out->num_rules = result->num_rules;
    out->readings = result->readings;
    out->num_readings = result->num_readings;
    out->timing = result->timing;
    out->path = result->path;
    out->packets = result->packets;
    out->num_packets = result->num_packets;
    *result = (struct tl_case){.id = NULL};
    if (timeline != NULL && worst->timeline != NULL &&
        fwrite(worst->timeline, 1, worst->timeline_len, timeline) != worst->timeline_len)
        tl_case_broken(out, TL_REASON_MEMORY, "the timeline: out of memory");
}

static void wake(void *ctx, unsigned player)
{
    tl_mux_wake(ctx, player);
}

static void make(struct copy *copies, unsigned number, uint64_t seed, bool timeline)
{
    struct copy *copy = &copies[number];
    const struct tl_scenario *scenario = copy->planned.scenario;
    struct fal_rng rng = fal_rng_split(seed, COPY_PART + number);

    copy->number = number;
    copy->seed = number == 0 ? seed : fal_rng_next(&rng);
    if (scenario->num_conns > 0)
        copy->planned.scenario = scenario->conns[number];
    if (timeline)
        copy->file = open_memstream(&copy->timeline, &copy->timeline_len);
}

void tl_run_copies(const struct tl_run *run, struct tl_bench *bench,
                   const struct tl_planned *planned, uint64_t seed, FILE *timeline,
                   struct tl_case *out)
{
    unsigned count = tl_run_copies_of(run, planned->scenario);
    struct copy *copies = calloc(count, sizeof *copies);
    struct tl_baton baton = {.count = count, .wake = wake};
    struct fal_error err = {{0}};
    struct tl_mux *mux = NULL;

    if (bench->dead) {
        tl_case_broken(out, TL_REASON_CONTROL, bench->why.text);
        goto done;
    }
    if (copies != NULL)
        mux = tl_mux_new(bench, count, run->stacks, &err);
    if (mux == NULL) {
        tl_case_broken(out, TL_REASON_LINK, copies == NULL ? "out of memory" : err.text);
        goto done;
    }
    baton.ctx = mux;
    for (unsigned i = 0; i < count; i++) {
        copies[i] = (struct copy){.run = run, .planned = *planned, .mux = mux};
        copies[i].baton = planned->scenario->num_conns > 0 ? &baton : NULL;
        make(copies, i, seed, timeline != NULL);
    }
    tl_mux_play(mux, play, copies);
    for (unsigned i = 0; i < count; i++)
        if (copies[i].file != NULL && fclose(copies[i].file) != 0)
            tl_case_broken(&copies[i].result, TL_REASON_MEMORY, "the timeline: out of memory");
    settle(out, copies, count, bench->dead, timeline);
    for (unsigned i = 0; i < count; i++) {
        free(copies[i].timeline);
        tl_case_clear(&copies[i].result);
    }
done:
    tl_mux_free(mux);
    free(copies);
}

static bool one_cid_twice(const struct tl_scenario *scenario)
{
    for (unsigned i = 0; i < scenario->num_conns; i++)
        for (unsigned k = 0; k < i; k++)
            if (scenario->conns[i]->tester.has_cid && scenario->conns[k]->tester.has_cid &&
                scenario->conns[i]->tester.end.cid == scenario->conns[k]->tester.end.cid)
                return true;
    return false;
}

/* Why the case cannot be played on several connections at the same time; NULL: it can. */
const char *tl_run_uncopied(const struct tl_scenario *scenario, bool ports)
{
    if (scenario->playback != NULL)
        return "copies: a recording has one connection";
    if (scenario->num_conns > 0 && (ports || !one_cid_twice(scenario)))
        return NULL;
    if (scenario->num_conns > 0)
        return "the scenario gives two connections one CID of the tester, which only addresses "
               "of their own can tell apart";
    if (scenario->sut.has_cid)
        return "copies: the scenario sets the SUT's CID, which only one connection can have";
    if (scenario->tester.has_cid && !ports)
        return "copies: the scenario sets the tester's CID, which only one connection of a "
               "host can have";
    if (tl_scenario_sets_limits(scenario)) /* the sum of credits may exceed what there is */
        return "copies: the scenario limits resources, which the connections of a device may "
               "share (FTP-8.2.3-05)";
    for (size_t i = 0; i < scenario->num_steps; i++) {
        const struct tl_step *step = &scenario->steps[i];

        if (step->verb == TL_ULP && step->u.ulp.act->verb == TL_ACT_ROTATE_KEYS)
            return "copies: the scenario rotates the keys of the whole device";
        if (step->verb == TL_ULP && step->u.ulp.act->verb == TL_ACT_OPEN)
            return "copies: the scenario opens one more connection itself";
    }
    return NULL;
}
