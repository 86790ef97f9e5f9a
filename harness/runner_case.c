/* SPDX-License-Identifier: Apache-2.0
 * runner_case.c - one case: plays it, judges it, and says what it came to. */
#include "harness/runner.h"

#include "harness/interp.h"
#include "harness/runner_verdict.h"
#include "oracles/payload.h"
#include "oracles/rng.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TWIN_PART = 0x5457 }; /* of the case's seed: the tester's draws of twins */

uint64_t tl_run_seed(uint64_t run_seed, const char *id)
{
    struct fal_rng rng =
        fal_rng_split(run_seed, fal_payload_hash((const uint8_t *)id, strlen(id)));

    return fal_rng_next(&rng);
}

static char *quoted(const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    char *out = malloc(strlen(text) * 4 + 3), *at = out;

    if (out == NULL || text[strspn(text, plain)] == 0)
        return out != NULL ? strcpy(out, text) : NULL;
    *at++ = '\'';
    for (; *text != 0; text++) {
        if (*text == '\'')
            at = stpcpy(at, "'\\''");
        else
            *at++ = *text;
    }
    *at++ = '\'';
    *at = 0;
    return out;
}

/* The command that runs this case again. */
static char *again(const struct tl_run *run, const struct tl_scenario *scenario)
{
    char *path = quoted(scenario->path), *out = NULL;

    if (path != NULL && asprintf(&out, "talon run %s%s", path, run->again) < 0)
        out = NULL;
    free(path);
    return out;
}

/* Late frames of earlier connections are known by their CID, so a new one takes another. */
static void choose_cid(const struct tl_bench *bench, const struct tl_scenario *scenario,
                       struct fal_connection *setup)
{
    while (!scenario->tester.has_cid && tl_bench_was_open(bench, setup->tester.cid))
        setup->tester.cid = setup->tester.cid % 0xffffff + 1;
}

/* Plays the steps to their end, or to where they break off. */
static void play(struct tl_interp *interp, struct tl_session *session)
{
    bool idle = false;

    while (session->broken.reason == NULL) {
        uint64_t until = tl_interp_advance(interp, idle);

        if (interp->state != TL_INTERP_RUNNING)
            return;
        idle = tl_session_pump(session, until);
    }
}

/* One attempt: *timeline (may be NULL) gets what was written. */
static void attempt(const struct tl_run *run, struct tl_bench *bench,
                    const struct tl_scenario *scenario, uint64_t seed, FILE *timeline,
                    struct tl_case *out)
{
    struct fal_rng rng = fal_rng_split(seed, TWIN_PART);
    const struct tl_session_config config = {
        .bench = bench,
        .title = scenario->id,
        .seed = seed,
        .timeout_ns = run->timeout_ns,
        .late_ns = FAL_MS,
        .acks = scenario->auto_acks,
        .retransmission = scenario->auto_retransmission,
        .ulp = scenario->auto_ulp,
        .twins = tl_twins_take(&run->twins, &rng),
        .faults = run->tester_faults,
        .timeline = timeline,
    };
    struct tl_session *session;
    struct tl_interp *interp = NULL;
    struct fal_connection setup;
    struct fal_error err = {{0}};
    json_t *wishes = NULL;
    bool played = false;

    if (bench->dead) {
        tl_case_broken(out, "control", bench->why.text);
        return;
    }
    session = tl_session_new(&config);
    interp = calloc(1, sizeof *interp);
    if (session == NULL || interp == NULL) {
        tl_case_broken(out, "memory", "out of memory");
        goto done;
    }
    if (tl_interp_setup(scenario, bench->caps.live, seed, &setup, &wishes, &err) != 0)
        tl_session_break(session, "scenario", "%s: %s", scenario->path, err.text);
    choose_cid(bench, scenario, &setup);
    if (tl_session_open(session, &setup, wishes) == 0) {
        tl_interp_init(interp, session, scenario);
        if (tl_interp_as_wished(interp))
            play(interp, session);
        played = true;
    }
    tl_session_finish(session);
    tl_case_judge(out, session, scenario, played ? interp : NULL, run->whole_packets);
done:
    json_decref(wishes);
    free(interp);
    tl_session_free(session);
}

/* Keeps the last attempt's timeline where it is asked for. */
static void keep_timeline(const struct tl_run *run, const struct tl_scenario *scenario,
                          const char *bytes, size_t len, struct tl_case *out)
{
    struct fal_error err = {{0}};

    if (run->out_dir == NULL || bytes == NULL ||
        (out->verdict == FAL_VERDICT_PASS && !run->keep_all))
        return;
    if (tl_write_file(run->out_dir, scenario->id, "timeline.jsonl", bytes, len, &err) != 0)
        tl_case_broken(out, "evidence", err.text);
    else if (asprintf(&out->evidence, "%s/timeline.jsonl", scenario->id) < 0)
        out->evidence = NULL;
}

static void forget_attempt(struct tl_case *out)
{
    struct tl_case kept = *out;

    out->repeat = NULL;
    tl_case_clear(out);
    kept.problems = NULL;
    kept.rules = NULL;
    kept.packets = NULL;
    kept.evidence = NULL;
    kept.num_problems = kept.num_rules = kept.num_packets = 0;
    kept.verdict = FAL_VERDICT_NONE;
    kept.reason = NULL;
    *out = kept;
}

/* Makes ready for another attempt: on a machine that is busy the path has become longer. */
static bool try_again(struct tl_bench *bench, struct tl_case *out)
{
    struct fal_error err = {{0}};

    if (tl_bench_measure(bench, TL_BENCH_REPINGS, TL_REPING_GAP_NS, &err) != 0) {
        bench->dead = true;
        bench->why = err;
        return false;
    }
    forget_attempt(out);
    return true;
}

void tl_run_case(const struct tl_run *run, struct tl_bench *bench,
                 const struct tl_scenario *scenario, struct tl_case *out)
{
    char *timeline = NULL;
    size_t len = 0;

    *out = (struct tl_case){
        .id = scenario->id,
        .title = scenario->title,
        .purpose = scenario->purpose,
        .file = scenario->path,
        .kind = tl_class_name(scenario->kind),
        .version = scenario->version,
        .covers = scenario->covers.list,
        .num_covers = scenario->covers.count,
        .seed = tl_run_seed(run->seed, scenario->id),
        .repeat = again(run, scenario),
    };
    for (unsigned i = 0; i <= run->retries && i < TL_ATTEMPTS_MAX; i++) {
        struct fal_rng rng = fal_rng_split(out->seed, i);
        FILE *file = NULL;

        if (i > 0 && !try_again(bench, out))
            break;
        free(timeline);
        timeline = NULL;
        if (run->out_dir != NULL)
            file = open_memstream(&timeline, &len);
        attempt(run, bench, scenario, i == 0 ? out->seed : fal_rng_next(&rng), file, out);
        if (file != NULL && fclose(file) != 0)
            tl_case_broken(out, "memory", "the timeline: out of memory");
        out->attempts[out->num_attempts++] =
            (struct tl_attempt){.verdict = out->verdict, .reason = out->reason};
        /* Only what the bench could not tell is worth another look, and only where time is
         * real. */
        if (out->verdict != FAL_VERDICT_INCONC || !bench->caps.live)
            break;
    }
    keep_timeline(run, scenario, timeline, len, out);
    free(timeline);
}
