/* SPDX-License-Identifier: Apache-2.0
 * run_repeat.c - one case several times, each with a seed of its own; the worst stands for
 * it. */
#include "harness/run/run_impl.h"

#include "harness/verdict/case_verdict.h"
#include "oracles/rng.h"

#include <stdlib.h>
#include <string.h>

enum { REPEAT_PART = 0x5250 }; /* of the case's seed: its repetitions */

uint64_t tl_run_seed_of(const struct tl_run *run, const char *id, unsigned n)
{
    uint64_t seed = run->has_case_seed ? run->case_seed : tl_run_seed(run->seed, id);
    struct fal_rng rng;

    if (n == 0)
        return seed;
    rng = fal_rng_split(seed, REPEAT_PART + n);
    return fal_rng_next(&rng);
}

void tl_kept_free(struct tl_kept *kept)
{
    free(kept->timeline);
    free(kept->packets);
    kept->timeline = NULL;
    kept->packets = NULL;
    kept->timeline_len = kept->packets_len = 0;
}

/* Whether two runs failed in the same ways: each way of the one is one of the other. */
static bool among(const struct tl_case *a, const struct tl_case *b)
{
    for (size_t i = 0; i < a->num_problems; i++) {
        bool found = false;

        if (a->problems[i].verdict < FAL_VERDICT_INCONC)
            continue;
        for (size_t k = 0; k < b->num_problems; k++)
            found |= strcmp(a->problems[i].fingerprint, b->problems[k].fingerprint) == 0;
        if (!found)
            return false;
    }
    return true;
}

static bool alike(const struct tl_case *a, const struct tl_case *b)
{
    return among(a, b) && among(b, a);
}

/* How often a case is played. The rounds of a scenario are for its seeds: a given seed is
 * played once, and a live link has no time for them. */
static unsigned times_of(const struct tl_run *run, const struct tl_scenario *scenario)
{
    bool rounds = run->repeat <= 1 && !run->has_case_seed && !tl_target_live(run->target.kind);

    if (rounds && scenario->rounds > 1)
        return scenario->rounds;
    return run->repeat > 1 ? run->repeat : 1;
}

/* Whether the case is played again. Rounds end when one has not passed: the others would say no
 * more. Repetitions end with --fail-fast at the first failure; waivers may count all of them.
 */
static bool goes_on(const struct tl_run *run, const struct tl_case *out)
{
    if (run->repeat > 1)
        return !run->fail_fast || run->waivers != NULL || out->verdict < FAL_VERDICT_FAIL;
    return out->verdict <= FAL_VERDICT_WARN;
}

void tl_run_repeat(const struct tl_run *run, const struct tl_planned *planned, tl_play_fn *play,
                   void *ctx, struct tl_kept *kept, struct tl_case *out)
{
    unsigned times = times_of(run, planned->scenario), played = 0;
    struct tl_repetition *all = times > 1 ? calloc(times, sizeof *all) : NULL;
    struct tl_kept worst = {.timeline = NULL};
    uint64_t chances = 0, acts = 0;
    bool mixed = false;

    /* Before the first play, `out` may hold the result of an earlier one. */
    for (unsigned n = 0; n < times && (n == 0 || goes_on(run, out)); n++, played++) {
        uint64_t seed = tl_run_seed_of(run, planned->id, n);
        struct tl_kept own = {.timeline = NULL};
        struct tl_case one = {.id = NULL};

        tl_run_name(run, planned, seed, &one);
        play(ctx, seed, kept != NULL ? &own : NULL, &one);
        tl_case_fingerprint(&one, tl_run_scenario_id(planned->scenario));
        chances += one.chances;
        acts += one.acts;
        if (all != NULL)
            all[n] = (struct tl_repetition){seed, one.verdict, one.reason};
        if (n > 0 && one.verdict > FAL_VERDICT_WARN && out->verdict > FAL_VERDICT_WARN)
            mixed |= !alike(&one, out);
        if (n == 0 || one.verdict > out->verdict) {
            tl_case_clear(out);
            *out = one;
            tl_kept_free(&worst);
            worst = own;
        } else {
            tl_case_clear(&one);
            tl_kept_free(&own);
        }
    }
    if (kept != NULL)
        *kept = worst;
    if (times > 1 && all == NULL)
        tl_case_broken(out, TL_REASON_MEMORY, "out of memory");
    out->repetitions = all;
    out->num_repetitions = all != NULL ? played : 0;
    out->mixed = mixed;
    out->chances = chances;
    out->acts = acts;
}
