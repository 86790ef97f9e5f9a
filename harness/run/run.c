/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/crew.h"

#include "harness/run/probe.h"
#include "harness/session/offer.h"
#include "harness/session/wire_only.h"
#include "harness/verdict/case_verdict.h"
#include "harness/wire/privileges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS_AGAIN = 50, CALL_PAUSE_NS = 100000000, LOST_MAX = 8 };

/* If the bench cannot be opened, every case is an error at once. `like` NULL: the SUT is
 * greeted. */
static void open_bench(const struct tl_run *run, struct tl_bench *bench, uint64_t seed,
                       const struct tl_bench *like)
{
    struct fal_error err = {{0}};
    int rc = like != NULL && run->target.kind == TL_TARGET_BUILTIN
                 ? tl_bench_open_like(bench, &run->target, seed, like, &err)
                 : tl_bench_open(bench, &run->target, seed, &err);

    if (rc == 0)
        return;
    bench->dead = true;
    bench->why = err;
}

struct player {
    struct tl_crew *crew;
    struct tl_bench *bench; /* NULL: each case has its own, unless: */
    struct tl_lives *lives; /* its SUT has played cases before (run_lives.c); or NULL */
    const struct tl_planned *planned;
};

static bool keeps_evidence(const struct tl_run *run, const struct tl_case *c)
{
    return run->evidence != NULL && (run->keep_all || c->verdict != FAL_VERDICT_PASS);
}

/* Whether the timeline is needed, as evidence or for a report. */
static bool wants_timeline(const struct tl_run *run, const struct tl_case *c)
{
    return keeps_evidence(run, c) ||
           (run->stories && (run->whole_packets || c->verdict != FAL_VERDICT_PASS));
}

static bool is_gone(struct tl_crew *crew)
{
    bool gone;

    pthread_mutex_lock(&crew->lock);
    gone = crew->gone;
    pthread_mutex_unlock(&crew->lock);
    return gone;
}

/* A SUT that fails in several cases one after another will not recover. The remaining cases are
 * errors at once; otherwise each of thousands would wait for its answer in vain. */
static void count_lost(struct tl_crew *crew, const struct tl_case *c)
{
    bool broke = tl_case_stopped(c) ||
                 (c->verdict == FAL_VERDICT_ERROR &&
                  (c->reason.id == TL_REASON_LINK || c->reason.id == TL_REASON_CONTROL));

    if (crew->run->target.kind != TL_TARGET_EXEC && crew->run->target.kind != TL_TARGET_LIB)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->lost = broke ? crew->lost + 1 : 0;
    if (crew->lost >= LOST_MAX && !crew->gone && !crew->run->keep_going) {
        const char *seen = c->num_problems > 0 ? c->problems[0].seen : NULL;

        crew->gone = true;
        (void)fal_fail(&crew->why, FAL_ERR_IO,
                       "%.280s; this happened in %d cases in a row, so "
                       "the run ends (--keep-going plays on)",
                       seen != NULL ? seen : "the SUT broke down", (int)LOST_MAX);
    }
    pthread_mutex_unlock(&crew->lock);
}

/* Whether a second play with the same seed, on a SUT that was started anew, came to something
 * else. A SUT that stopped must stop again. */
static void compare(struct tl_case *out, const struct tl_case *first)
{
    if (tl_case_stopped(out) || tl_case_stopped(first))
        tl_case_settle_stop(out, first);
    else if (out->verdict != first->verdict || out->duration_ns != first->duration_ns)
        tl_case_broken(out, TL_REASON_NOT_REPEATABLE,
                       "a second run with the same seed gave another result");
}

void tl_crew_open(struct tl_crew *crew, struct tl_bench *bench, uint64_t seed, bool fresh)
{
    struct tl_run run = *crew->run;

    run.target.fresh |= fresh;
    if (is_gone(crew))
        *bench = (struct tl_bench){.dead = true, .why = crew->why};
    else
        open_bench(&run, bench, seed, crew->like);
}

void tl_crew_play_anew(struct tl_crew *crew, const struct tl_planned *planned, uint64_t seed,
                       struct tl_case *out)
{
    struct tl_bench bench;

    tl_run_name(crew->run, planned, seed, out);
    tl_crew_open(crew, &bench, seed, true);
    tl_run_attempts(crew->run, &bench, planned, NULL, out);
    tl_bench_close(&bench);
}

/* In virtual time the timeline is written when it is known to be wanted: the case is then
 * played again, and must come to the same. So is a case that stopped the SUT. */
static void play_virtual(struct tl_crew *crew, const struct tl_planned *planned, uint64_t seed,
                         struct tl_kept *kept, struct tl_case *out)
{
    const struct tl_run *run = crew->run;
    bool always =
        (run->evidence != NULL && run->keep_all) || (run->stories && run->whole_packets);
    struct tl_bench bench;
    struct tl_case first;

    tl_crew_open(crew, &bench, seed, false);
    tl_run_attempts(run, &bench, planned, always ? kept : NULL, out);
    tl_bench_close(&bench);
    count_lost(crew, out);
    if ((is_gone(crew) || always || kept == NULL || !wants_timeline(run, out)) &&
        !tl_case_stopped(out))
        return;
    first = *out;
    *out = (struct tl_case){.id = NULL};
    tl_run_name(run, planned, seed, out);
    tl_crew_open(crew, &bench, seed, true);
    tl_run_attempts(run, &bench, planned, kept, out);
    tl_bench_close(&bench);
    compare(out, &first);
    tl_case_clear(&first);
}

/* Options for opening the link are no longer needed; to restart a SUT opens the link again. */
static void give_up_privileges(const struct tl_run *run, struct tl_bench *bench)
{
    struct fal_error err = {{0}};

    if (tl_privileges_drop(run->sut_exec != NULL, &err) == 0 || bench->dead)
        return;
    bench->dead = true;
    bench->why = err;
}

/* Brings a SUT back that is gone, and calls until it answers. `scenario`: the case that needs a
 * connection; NULL: none does yet. */
static void revive(struct tl_crew *crew, const struct tl_scenario *scenario)
{
    const struct timespec pause = {.tv_nsec = CALL_PAUSE_NS};
    const struct tl_run *run = crew->run;
    struct tl_bench *bench = crew->wire;
    struct fal_error err = {{0}};

    bool used_up = scenario != NULL && bench->wire != NULL &&
                   tl_wire_find(bench->wire, scenario, false) == NULL;

    if ((!bench->dead && !used_up) || run->sut_exec == NULL)
        return;
    tl_bench_close(bench);
    tl_privileges_raise();
    if (tl_restart(&crew->keeper, run->sut_exec, &err) != 0) {
        bench->dead = true;
        bench->why = err;
        give_up_privileges(run, bench);
        return;
    }
    if (run->target.wire != NULL)
        tl_wire_renew(run->target.wire);
    open_bench(run, bench, run->seed, NULL);
    for (unsigned i = 0; i < CALLS_AGAIN && bench->dead; i++) {
        (void)nanosleep(&pause, NULL);
        open_bench(run, bench, run->seed, NULL);
    }
    give_up_privileges(run, bench);
}

/* A live SUT whose control channel ended in the case: starts it again, if the user gave a
 * command for that, and plays the case again. */
static void replay_live(struct tl_crew *crew, const struct tl_planned *planned, uint64_t seed,
                        struct tl_kept *kept, struct tl_case *out)
{
    struct tl_case first = *out;

    if (crew->run->sut_exec == NULL)
        return;
    revive(crew, planned->scenario);
    if (crew->wire->dead)
        return;
    *out = (struct tl_case){.id = NULL};
    tl_run_name(crew->run, planned, seed, out);
    tl_run_attempts(crew->run, crew->wire, planned, kept, out);
    tl_case_settle_stop(out, &first);
    tl_case_clear(&first);
}

static void play(void *ctx, uint64_t seed, struct tl_kept *kept, struct tl_case *out)
{
    const struct player *player = ctx;
    struct tl_crew *crew = player->crew;

    if (player->bench != NULL && player->bench == crew->wire)
        revive(crew, player->planned->scenario);
    if (player->bench == NULL) {
        if (player->lives != NULL) {
            tl_lives_play(crew, player->lives, kept, out);
            count_lost(crew, out);
        } else {
            play_virtual(crew, player->planned, seed, kept, out);
        }
        return;
    }
    tl_run_attempts(crew->run, player->bench, player->planned, kept, out);
    if (player->bench == crew->wire && tl_case_stopped(out))
        replay_live(crew, player->planned, seed, kept, out);
}

/* Skips a case that the SUT's adapter or the link does not offer: it says nothing about the
 * SUT. */
static void skip_unoffered(struct tl_case *c)
{
    const struct tl_problem *p = c->num_problems > 0 ? &c->problems[0] : NULL;
    const char *what = p == NULL ? NULL : p->seen != NULL ? p->seen : p->text;

    if (!tl_case_beyond(c) || what == NULL || p->reason.id != c->reason.id)
        return;
    c->disposition = TL_SKIPPED;
    c->verdict = FAL_VERDICT_NONE;
    c->reason = tl_reason(TL_REASON_NONE);
    c->why = strdup(what);
}

/* The same before the case is played, as far as it is known by then. */
static bool beyond(const struct tl_bench *bench, const struct tl_scenario *scenario,
                   struct tl_case *c)
{
    char text[TL_LACK_MAX];

    if (bench == NULL || bench->dead || bench->wire != NULL ||
        !tl_offer_unplayable(bench, scenario, text, sizeof text))
        return false;
    c->disposition = TL_SKIPPED;
    c->why = strdup(text);
    return true;
}

/* Measures the turnaround. A SUT that breaks down then is not gone: the cases begin it anew, or
 * --sut-exec does. */
static void learn(struct tl_crew *crew, struct tl_bench *bench)
{
    struct tl_learned *learned = &crew->results->learned;
    struct fal_params declared;

    if (bench->dead)
        return;
    tl_run_learn(crew->run, bench, learned);
    if (!learned->turnaround && !learned->pipeline) { /* what is declared stands in doubt */
        if (tl_run_doubts(crew->run, &declared))
            tl_results_measured(crew->results, &declared, learned->answers,
                                tl_target_live(crew->run->target.kind) ? learned->value_ns
                                                                       : learned->max_ns);
        *learned = (struct tl_learned){.turnaround = false};
    }
    crew->unlearned = bench->dead;
    crew->unlearned_why = bench->why;
}

/* A breakdown that happens before the first case must not vanish: the first case that is played
 * reports it. `begun`: the case begins; otherwise it has ended. */
static void tell_unlearned(struct tl_crew *crew, size_t index, bool begun)
{
    struct tl_case *c = &crew->results->cases[index];
    char text[sizeof crew->unlearned_why.text + 120];
    bool tells;

    if (!crew->unlearned)
        return;
    pthread_mutex_lock(&crew->lock);
    if (begun && !crew->told) {
        crew->told = true;
        crew->teller = index;
    }
    tells = crew->told && crew->teller == index;
    if (tells && !begun && !tl_case_ran(c))
        crew->told = tells = false; /* another case does */
    pthread_mutex_unlock(&crew->lock);
    /* A case that stops the SUT says itself what happened. */
    if (begun || !tells || c->verdict >= FAL_VERDICT_ERROR || tl_case_stopped(c))
        return;
    (void)snprintf(text, sizeof text,
                   "while the SUT's turnaround was measured, before the first case: %s; this "
                   "case does not cause it",
                   crew->unlearned_why.text);
    tl_case_broken(c, TL_REASON_CONTROL, text);
}

static void play_case(struct tl_crew *crew, struct tl_bench *bench, struct tl_lives *lives,
                      size_t index)
{
    const struct tl_run *run = crew->run;
    const struct tl_planned *planned = &run->cases[index];
    struct tl_kept *kept = crew->kept != NULL ? &crew->kept[index] : NULL;
    struct tl_case *c = &crew->results->cases[index];
    struct player player = {.crew = crew, .bench = bench, .lives = lives, .planned = planned};
    struct tl_ics ics = crew->ics;

    if (run->probe)
        tl_probe_claim(&ics, planned->scenario);
    if (!tl_run_gate(run, &ics, planned, c) ||
        beyond(bench != NULL ? bench : crew->like, planned->scenario, c))
        return;
    tell_unlearned(crew, index, true);
    tl_run_repeat(run, planned, play, &player, kept, c);
    if (run->probe)
        tl_probe_settle(&crew->ics, planned->scenario, c);
    skip_unoffered(c);
    tell_unlearned(crew, index, false);
    if (run->waivers != NULL && tl_waivers_apply(run->waivers, &crew->ics.identity, run->today,
                                                 tl_run_scenario_id(planned->scenario), c) != 0)
        tl_case_broken(c, TL_REASON_MEMORY, "out of memory");
    if (kept != NULL && !keeps_evidence(run, c))
        tl_kept_free(kept);
}

void tl_crew_play(struct tl_crew *crew, struct tl_bench *bench, size_t index)
{
    play_case(crew, bench, NULL, index);
}

void tl_crew_play_in(struct tl_crew *crew, struct tl_lives *lives, size_t index)
{
    play_case(crew, NULL, lives, index);
}

void tl_crew_work(struct tl_crew *crew)
{
    size_t index;
    bool go;

    while (tl_crew_take(crew, &index, &go)) {
        if (go)
            tl_crew_play(crew, crew->wire, index);
        tl_crew_done(crew, index);
    }
}

static void *work(void *arg)
{
    struct tl_crew *crew = arg;

    if (tl_run_shares_sut(crew->run))
        tl_lives_work(crew);
    else
        tl_crew_work(crew);
    return NULL;
}

static int copy_text(char **to, const char *text)
{
    free(*to);
    *to = text[0] != 0 ? strdup(text) : NULL;
    return text[0] == 0 || *to != NULL ? 0 : FAL_ERR_MEM;
}

/* The ICS on which statement and SUT agree, and the identity of the SUT. */
static int settle_ics(struct tl_crew *crew, const struct tl_ics *said, const char *product)
{
    struct tl_results *results = crew->results;
    const struct tl_identity *identity = &crew->ics.identity;
    int rc;

    if (crew->run->ics != NULL)
        crew->ics = *crew->run->ics;
    tl_ics_complete(&crew->ics, said);
    rc = tl_run_report_ics(crew->run->stated, said, &crew->ics, results);
    if (rc == 0)
        rc = copy_text(&results->product, product);
    if (rc == 0)
        rc = copy_text(&results->vendor, identity->vendor);
    if (rc == 0)
        rc = copy_text(&results->product_name, identity->product);
    return rc == 0 ? copy_text(&results->firmware, identity->firmware) : rc;
}

/* How many cases are played at the same time. */
static unsigned lanes_of(const struct tl_run *run, const struct tl_bench *bench)
{
    unsigned lanes = run->lanes > 0 ? run->lanes : bench->parallel;

    if (bench->upper == NULL || run->target.kind == TL_TARGET_BRIDGE || run->copies > 1 ||
        run->probe)
        return 1;
    return lanes < TL_LANES_MAX ? lanes : TL_LANES_MAX;
}

/* The bench does not work before the first case. Nothing is played: one case, the first, is an
 * error and says why, and the others are not run. */
static void end_at_once(struct tl_crew *crew, const struct fal_error *why)
{
    struct tl_results *results = crew->results;

    (void)snprintf(results->bench_broken, sizeof results->bench_broken, "%s", why->text);
    for (size_t i = 0; i < results->num_cases; i++) {
        struct tl_case *c = &results->cases[i];

        if (i == 0) {
            tl_case_broken(c, TL_REASON_BENCH, why->text);
        } else {
            c->disposition = TL_NOT_RUN;
            c->why = strdup("bench");
        }
    }
}

/* Whether cases can be played on the bench; else the run has ended, and the bench is closed. */
static bool is_usable(struct tl_crew *crew, struct tl_bench *bench)
{
    struct fal_error why = bench->why;

    if (bench->dead)
        tl_bench_explain(bench, &crew->run->target, &why);
    if (!bench->dead && tl_run_ask_encap(crew->run, bench, &why) == 0)
        return true;
    end_at_once(crew, &why);
    tl_bench_close(bench);
    return false;
}

static int run_on_one_bench(struct tl_crew *crew, struct fal_error *err)
{
    struct tl_bench bench;
    int rc;

    open_bench(crew->run, &bench, crew->run->seed, NULL);
    give_up_privileges(crew->run, &bench);
    crew->wire = &bench;
    revive(crew, NULL);
    if (!is_usable(crew, &bench)) {
        crew->wire = NULL;
        tl_keeper_end(&crew->keeper);
        return 0;
    }
    rc = settle_ics(crew, &bench.ics, bench.product);
    learn(crew, &bench);
    crew->results->timer_late_ns = bench.timer_late_ns;
    crew->results->answer_min_ns = bench.answer_min_ns;
    crew->results->answer_max_ns = bench.answer_max_ns;
    if (rc != 0)
        (void)fal_fail(err, rc, "out of memory");
    else
        rc = tl_crew_begin(crew, err);
    crew->lanes = lanes_of(crew->run, &bench);
    tl_crew_moved(crew);
    if (rc == 0 && tl_run_in_lanes(crew) != 0)
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    crew->wire = NULL;
    tl_run_stash_free(bench.stash);
    tl_bench_close(&bench);
    tl_keeper_end(&crew->keeper);
    return rc;
}

static int run_side_by_side(struct tl_crew *crew, struct fal_error *err)
{
    size_t n = crew->run->num_cases;
    size_t jobs = crew->run->jobs < n ? crew->run->jobs : n;
    pthread_t *threads = calloc(jobs > 0 ? jobs : 1, sizeof *threads);
    size_t started = 0;
    struct tl_bench bench;

    open_bench(crew->run, &bench, crew->run->seed,
               NULL); /* it was only asked for its identity */
    if (!is_usable(crew, &bench)) {
        free(threads);
        return 0;
    }
    if (threads == NULL || settle_ics(crew, &bench.ics, bench.product) != 0) {
        tl_bench_close(&bench);
        free(threads);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    learn(crew, &bench);
    tl_bench_close(&bench);
    crew->like = bench.dead ? NULL : &bench;
    if (tl_crew_begin(crew, err) != 0) {
        free(threads);
        return FAL_ERR_FORM;
    }
    crew->lanes = (unsigned)jobs;
    tl_crew_moved(crew);
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, work, crew) == 0)
        started++;
    (void)work(crew); /* this thread works, too: if no other can be had, alone */
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    crew->like = NULL;
    free(threads);
    return 0;
}

static int report_waivers(const struct tl_crew *crew)
{
    const struct tl_run *run = crew->run;
    const char **ids = calloc(run->num_cases + 1, sizeof(void *));
    int rc = FAL_ERR_MEM;

    if (ids == NULL)
        return rc;
    for (size_t i = 0; i < run->num_cases; i++)
        ids[i] = tl_run_scenario_id(run->cases[i].scenario);
    rc = tl_waivers_uses(run->waivers, &crew->ics.identity, run->today, crew->results, ids,
                         &crew->results->waivers);
    if (rc == 0)
        crew->results->num_waivers = run->waivers->count;
    free(ids);
    return rc;
}

/* The probes of the path before the run. */
static void note_path(const struct tl_run *run, struct tl_results *results)
{
    const struct tl_bench_facts *facts = run->target.facts;

    if (facts == NULL || facts->probes == 0)
        return;
    results->has_path = true;
    results->path = (struct fal_trials){facts->probes, facts->probes_lost};
}

int tl_run_all(const struct tl_run *given, struct tl_results *results, struct fal_error *err)
{
    struct fal_asking *asking = fal_asking_new(&(struct fal_judge_config){.only = NULL});
    struct tl_stacks *stacks = tl_stacks_new();
    struct tl_run own = *given;
    const struct tl_run *run = &own;
    struct tl_crew crew = {.run = run, .results = results, .stop = SIZE_MAX};
    size_t room = run->num_cases > 0 ? run->num_cases : 1;
    int rc = FAL_ERR_MEM;

    own.asking = asking; /* NULL: each judge makes its own */
    own.stacks = stacks; /* NULL: each case makes its own */
    own.learned = &results->learned;
    results->seed = run->seed;
    results->live = tl_target_live(run->target.kind);
    note_path(run, results);
    results->cases = calloc(room, sizeof *results->cases);
    crew.state = calloc(room, sizeof *crew.state);
    if (run->evidence != NULL || run->stories)
        crew.kept = calloc(room, sizeof *crew.kept);
    if (results->cases == NULL || crew.state == NULL ||
        ((run->evidence != NULL || run->stories) && crew.kept == NULL) ||
        pthread_mutex_init(&crew.lock, NULL) != 0) {
        (void)fal_fail(err, rc, "out of memory");
        goto done;
    }
    results->num_cases = crew.until = run->num_cases;
    for (size_t i = 0; i < run->num_cases; i++)
        tl_run_name(run, &run->cases[i], tl_run_seed_of(run, run->cases[i].id, 0),
                    &results->cases[i]);
    switch (run->target.kind) {
    case TL_TARGET_LIB:
    case TL_TARGET_EXEC:
    case TL_TARGET_BUILTIN: rc = run_side_by_side(&crew, err); break;
    case TL_TARGET_BRIDGE:
    case TL_TARGET_RAW:
    case TL_TARGET_UDP: rc = run_on_one_bench(&crew, err); break;
    }
    if (rc == 0 && results->bench_broken[0] == 0 && run->waivers != NULL &&
        report_waivers(&crew) != 0)
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (rc == 0 && results->bench_broken[0] == 0 && run->probe &&
        tl_probe_report(run, &crew.ics, results) != 0)
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    tl_results_gather(results);
    results->status = tl_results_status(results);
    (void)pthread_mutex_destroy(&crew.lock);
done:
    tl_stacks_free(stacks);
    fal_asking_free(asking);
    free(crew.state);
    free(crew.order);
    free(crew.kept);
    return rc;
}

void tl_run_clear(struct tl_results *results)
{
    for (size_t i = 0; i < results->num_cases; i++)
        tl_case_clear(&results->cases[i]);
    free(results->cases);
    free(results->waivers);
    free(results->ics);
    free(results->probe);
    free(results->product);
    free(results->vendor);
    free(results->product_name);
    free(results->firmware);
    *results = (struct tl_results){.version = NULL};
}
