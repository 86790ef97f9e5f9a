/* SPDX-License-Identifier: Apache-2.0
 * run_lives.c - several cases on one SUT in virtual time, one after another: a device lives
 * long, and bugs that need what went before show themselves only then. The cases are divided
 * into lives by their place in the plan, so that the number of threads changes no result. Cases
 * of each encapsulation have a SUT of their own, since a SUT uses one for all its connections.
 * For a case that uses or changes what belongs to the whole device, the device is reset. */
#include "harness/run/crew.h"

#include "harness/doc/quote.h"
#include "harness/verdict/case_verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One SUT. */
struct life {
    struct tl_bench bench;
    bool open;
    size_t first;    /* the case for which it was started */
    unsigned played; /* plays so far */
};

struct tl_lives {
    struct life of[FAL_ENCAP_COUNT];
    size_t index; /* the case that is played */
};

bool tl_run_shares_sut(const struct tl_run *run)
{
    return run->life > 1 && !tl_target_live(run->target.kind) && run->copies <= 1 &&
           !run->probe;
}

const char *tl_run_fresh(const struct tl_run *run, const struct tl_scenario *scenario)
{
    return tl_run_shares_sut(run) ? tl_run_alone(run, scenario, true) : NULL;
}

static enum fal_encap encap_of(const struct tl_run *run, const struct tl_scenario *scenario)
{
    return scenario->has_encap ? scenario->encap : run->encap;
}

static void end_life(struct life *life)
{
    if (life->open)
        tl_bench_close(&life->bench);
    *life = (struct life){.open = false};
}

/* The SUT of a life has the seed of its first case: alone, that case is the same as on a fresh
 * SUT. */
static void begin_life(struct tl_crew *crew, struct life *life, size_t first)
{
    const struct tl_run *run = crew->run;

    end_life(life);
    tl_crew_open(crew, &life->bench, tl_run_seed_of(run, run->cases[first].id, 0), false);
    life->bench.life.on = true;
    life->open = true;
    life->first = first;
}

static struct life *life_of(struct tl_crew *crew, struct tl_lives *lives,
                            const struct tl_scenario *scenario)
{
    struct life *life = &lives->of[encap_of(crew->run, scenario)];

    if (!life->open || life->bench.dead)
        begin_life(crew, life, lives->index);
    return life;
}

/* The command that plays the cases of the life up to this one. */
static char *life_again(const struct tl_run *run, const char *first, const char *last)
{
    char *from = tl_quote(first), *to = tl_quote(last), *text = NULL;

    if (from != NULL && to != NULL &&
        asprintf(&text, "talon run%s --first %s --last %s",
                 run->again_whole != NULL ? run->again_whole : "", from, to) < 0)
        text = NULL;
    free(from);
    free(to);
    return text;
}

/* Plays a case. One that uses or changes what belongs to the whole device begins and ends with
 * a reset of the device. */
static void play_in(struct tl_crew *crew, struct life *life, const struct tl_planned *planned,
                    struct tl_kept *kept, struct tl_case *out)
{
    const char *fresh = tl_run_fresh(crew->run, planned->scenario);

    if (fresh != NULL)
        life->bench.life.begun = false;
    tl_run_attempts(crew->run, &life->bench, planned, kept, out);
    if (fresh == NULL)
        return;
    life->bench.life.begun = false;
    free(out->life.fresh);
    out->life.fresh = strdup(fresh);
}

/* Plays the life again, on a new SUT, up to the case that stopped the first one. */
static void replay_life(struct tl_crew *crew, struct tl_lives *lives, size_t first,
                        uint64_t seed, struct tl_case *out)
{
    const struct tl_run *run = crew->run;
    const struct tl_planned *last = &run->cases[lives->index];
    struct tl_lives again = {.index = first};
    struct life *life = life_of(crew, &again, last->scenario);

    for (size_t i = first; i <= lives->index && !life->bench.dead; i++) {
        const struct tl_planned *planned = &run->cases[i];
        struct tl_case unused = {.id = NULL};
        bool ends = i == lives->index;
        uint64_t own = ends ? seed : tl_run_seed_of(run, planned->id, 0);

        if ((!ends && !tl_case_ran(&crew->results->cases[i])) ||
            encap_of(run, planned->scenario) != encap_of(run, last->scenario))
            continue;
        tl_run_name(run, planned, own, ends ? out : &unused);
        play_in(crew, life, planned, NULL, ends ? out : &unused);
        tl_case_clear(&unused);
    }
    end_life(life);
}

/* The case has not passed after others. Finds out whether it does so alone, on a new SUT, and
 * how to play it again. A stop counts if a replay, alone or after the same cases, shows it. */
static void play_alone(struct tl_crew *crew, struct tl_lives *lives, size_t first,
                       struct tl_case *out)
{
    const struct tl_run *run = crew->run;
    const struct tl_planned *planned = &run->cases[lives->index];
    struct tl_case alone = {.id = NULL}, again = {.id = NULL};
    char *command = NULL;

    tl_crew_play_anew(crew, planned, out->seed, &alone);
    out->life.alone = alone.verdict;
    if (alone.verdict != out->verdict)
        command = life_again(run, run->cases[first].id, planned->id);
    if (tl_case_stopped(out) && out->life.before > 0 && !tl_case_stopped(&alone)) {
        replay_life(crew, lives, first, out->seed, &again);
        tl_case_settle_stop(out, &again);
        tl_case_clear(&again);
    } else if (tl_case_stopped(out)) {
        tl_case_settle_stop(out, &alone);
    }
    if (command != NULL) {
        free(out->repeat);
        out->repeat = command;
    }
    tl_case_clear(&alone);
}

void tl_lives_play(struct tl_crew *crew, struct tl_lives *lives, struct tl_kept *kept,
                   struct tl_case *out)
{
    const struct tl_planned *planned = &crew->run->cases[lives->index];
    struct life *life = life_of(crew, lives, planned->scenario);

    play_in(crew, life, planned, kept, out);
    out->life.before = life->played++;
    if (out->life.before > 0)
        out->life.first = strdup(crew->run->cases[life->first].id);
    if (out->verdict > FAL_VERDICT_WARN && !tl_case_beyond(out) &&
        (out->life.before > 0 || tl_case_stopped(out)))
        play_alone(crew, lives, life->first, out);
    if (tl_case_stopped(out) || out->verdict == FAL_VERDICT_ERROR)
        end_life(life);
}

void tl_lives_work(struct tl_crew *crew)
{
    struct tl_lives lives = {.index = 0};
    size_t from, to;

    while (tl_crew_take_block(crew, crew->run->life, &from, &to)) {
        for (lives.index = from; lives.index < to; lives.index++) {
            bool go;

            if (!tl_crew_begin_case(crew, lives.index, &go))
                continue;
            if (go)
                tl_crew_play_in(crew, &lives, lives.index);
            tl_crew_done(crew, lives.index);
        }
        for (int i = 0; i < FAL_ENCAP_COUNT; i++)
            end_life(&lives.of[i]);
    }
}
