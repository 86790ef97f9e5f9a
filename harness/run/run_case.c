/* SPDX-License-Identifier: Apache-2.0
 * run_case.c - plays one case, judges it, and records its result. */
#include "harness/run/run_impl.h"

#include "harness/doc/quote.h"
#include "harness/play/baton.h"
#include "harness/play/interp.h"
#include "harness/play/playback.h"
#include "harness/run/ladder.h"
#include "harness/run/probe.h"
#include "harness/session/offer.h"
#include "harness/session/wire_only.h"
#include "harness/verdict/case_verdict.h"
#include "oracles/payload.h"
#include "oracles/rng.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    TWIN_PART = 0x5457,        /* of the case's seed: the tester's draws of twins */
    ROUND_TRIPS_OF_CASE = 256, /* by which the time limit of a case grows with the path */
};

uint64_t tl_run_seed(uint64_t run_seed, const char *id)
{
    struct fal_rng rng =
        fal_rng_split(run_seed, fal_payload_hash((const uint8_t *)id, strlen(id)));

    return fal_rng_next(&rng);
}

/* The command that runs this case again. */
static char *again(const struct tl_run *run, const struct tl_planned *planned, uint64_t seed)
{
    bool bridge = run->target.kind == TL_TARGET_BRIDGE;
    /* Named by --sut, or none at all. */
    bool recorded = planned->scenario->playback != NULL ||
                    (bridge && strcmp(planned->scenario->path, TL_BRIDGE_WATCHES) == 0);
    char *path = tl_quote(planned->scenario->path);
    char *id = tl_quote(bridge ? planned->scenario->id : planned->id), *out = NULL;
    /* Of several in the file, or played only if it is named. */
    bool one = recorded || strcmp(planned->id, planned->scenario->file_id) != 0 ||
               tl_select_soaks(planned->scenario);
    char own[40] = "";

    if (seed != tl_run_seed(run->seed, planned->id))
        (void)snprintf(own, sizeof own, " --case-seed 0x%016" PRIx64, seed);
    if (path != NULL && id != NULL &&
        asprintf(&out, "talon run%s%s%s%s%s%s", recorded ? "" : " ", recorded ? "" : path,
                 one ? " --id " : "", one ? id : "", run->again, own) < 0)
        out = NULL;
    free(path);
    free(id);
    return out;
}

const char *tl_run_scenario_id(const struct tl_scenario *scenario)
{
    return scenario->file_id;
}

void tl_run_name(const struct tl_run *run, const struct tl_planned *planned, uint64_t seed,
                 struct tl_case *out)
{
    const struct tl_scenario *scenario = planned->scenario;

    (void)run;
    *out = (struct tl_case){
        .id = planned->id,
        .title = scenario->title,
        .purpose = scenario->purpose,
        .file = scenario->path,
        .kind = tl_class_name(scenario->kind),
        .recorded = scenario->playback != NULL,
        .version = scenario->version,
        .covers = scenario->covers.list,
        .num_covers = scenario->covers.count,
        .seed = seed,
    };
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

    while (session->broken.reason == TL_REASON_NONE) {
        uint64_t until = tl_interp_advance(interp, idle);

        if (interp->state != TL_INTERP_RUNNING)
            return;
        idle = tl_session_pump(session, until);
    }
}

/* The connection as the scenario has it, or its recording. */
static int set_up(const struct tl_scenario *scenario, const struct tl_setup_from *from,
                  struct fal_connection *out, struct tl_end_setup *wishes,
                  struct fal_error *err)
{
    *wishes = scenario->sut;
    if (scenario->playback == NULL)
        return tl_scenario_setup(scenario, from, out, err);
    tl_playback_setup(scenario->playback, &from->defaults, from->seed, out, wishes);
    return 0;
}

/* The longest payload that the path carries: that of its frames, less the longest header and,
 * where packets are sealed, what sealing adds. A value that the user gave stays. */
static void limit_mtu(const struct tl_session *session, const struct tl_given_params *given,
                      struct fal_params *params)
{
    uint32_t most = session->bench->caps.mtu;
    uint32_t room = tl_frame_room(session->config.encap);

    if (most == 0 || (given != NULL && given->given[FAL_PARAM_AT_mtu]))
        return;
    most = most > room ? most - room : 1;
    if (params->mtu > most)
        params->mtu = most;
}

/* A connection of a SUT without control; the gate has seen one. */
static void take_wire(struct tl_wire *wire, const struct tl_scenario *scenario,
                      struct tl_session *session, struct fal_connection *out)
{
    const struct fal_connection *found = tl_wire_find(wire, scenario, true);

    if (found != NULL)
        *out = *found;
    else
        tl_session_break(session, TL_REASON_CONNECTION,
                         "no connection of --connections is left that has the values the "
                         "case needs");
}

/* Why the case is not decided: an event that its steps need, or a rule that needs events. */
static void print_unseen(const struct tl_interp *interp, const struct tl_case *c, char *text,
                         size_t cap)
{
    const struct tl_bench *bench = interp->session->bench;
    const char *rule = c->num_problems > 0 ? c->problems[0].text : NULL;

    if (bench->wire != NULL)
        (void)snprintf(text, cap,
                       "no control channel: the events of the SUT's upper layer were not "
                       "observed");
    else if (interp->unseen_first != NULL)
        tl_offer_print_event(bench, interp->unseen_first, text, cap);
    else
        (void)snprintf(text, cap, "%s; the adapter offers L%u",
                       rule != NULL ? rule : "no rule was exercised", bench->level);
}

/* Events that cannot be observed were not decided: the case passed as far as it goes, which is
 * not a pass. */
static void half_seen(const struct tl_interp *interp, struct tl_case *out)
{
    const struct tl_bench *bench = interp->session->bench;
    bool undecided =
        out->verdict == FAL_VERDICT_INCONC && out->reason.id == TL_REASON_NOT_EXERCISED;
    char text[TL_LACK_MAX];

    if ((bench->wire == NULL && bench->level == TL_LEVEL_MAX) ||
        (!undecided && (interp->unseen == 0 || out->verdict > FAL_VERDICT_WARN)))
        return;
    print_unseen(interp, out, text, sizeof text);
    out->verdict = FAL_VERDICT_NONE;
    out->reason = tl_reason(TL_REASON_NONE);
    out->disposition = TL_SKIPPED;
    free(out->why);
    if (asprintf(&out->why, "%s; its packets conform", text) < 0)
        out->why = NULL;
}

/* The facts about the SUT: those that the user gave come before the bench's. */
static struct tl_ics known_ics(const struct tl_run *run, const struct tl_bench *bench,
                               const struct tl_scenario *scenario)
{
    struct tl_ics ics = bench->ics;

    if (run->ics != NULL) {
        ics = *run->ics;
        tl_ics_complete(&ics, &bench->ics);
    }
    if (run->probe)
        tl_probe_claim(&ics, scenario);
    return ics;
}

/* Whether the scenario makes packets of the tester overtake each other. */
static bool delays(const struct tl_scenario *scenario)
{
    bool some = scenario->impaired;

    for (size_t i = 0; i < scenario->num_steps; i++) {
        const struct tl_reaction *rule =
            scenario->steps[i].verb == TL_ON ? scenario->steps[i].u.on.rule : NULL;

        some = some || (rule != NULL && rule->dir == FAL_TO_SUT &&
                        (rule->fate == TL_FATE_DELAY || rule->fate == TL_FATE_REORDER ||
                         rule->fate == TL_FATE_WITHHOLD));
    }
    return some;
}

/* `ics` is borrowed. */
static struct tl_session_config session_config(const struct tl_run *run, struct tl_bench *bench,
                                               const struct tl_attempt_of *attempt,
                                               const struct tl_ics *ics)
{
    const struct tl_scenario *scenario = attempt->planned->scenario;
    const struct tl_copy_of *among = attempt->among;
    struct fal_rng rng = fal_rng_split(attempt->seed, TWIN_PART);
    struct tl_session_config config = {
        .bench = bench,
        .ics = ics,
        .given = run->params,
        .asking = run->asking,
        .title = attempt->planned->id,
        .seed = attempt->seed,
        .timeout_ns =
            run->timeout_ns + ROUND_TRIPS_OF_CASE * bench->path_ns +
            (scenario->playback != NULL ? tl_playback_length_ns(scenario->playback) : 0),
        .late_ns = FAL_MS,
        .acks = scenario->auto_acks,
        .retransmission = scenario->auto_retransmission,
        .ulp = scenario->auto_ulp,
        .twins = tl_twins_take(&run->twins, &rng),
        .encap = scenario->has_encap ? scenario->encap : run->encap,
        .upper = scenario->upper,
        .pcids = {.on = scenario->has_pcid,
                  .match = scenario->match_pcid,
                  .tester = scenario->pcid[TL_SIDE_TESTER],
                  .sut = scenario->pcid[TL_SIDE_SUT]},
        .psp_keys = run->psp_keys,
        .esp_keys = run->esp_keys,
        .faults = run->tester_faults,
        .judge_steps = run->judge_steps && scenario->kind == TL_CLASS_VALID &&
                       !scenario->steers, /* a chosen t2 is no time of arrival */
        .disorder = delays(scenario),
        .timeline = attempt->timeline,
        .event = run->event,
        .event_ctx = run->event_ctx,
    };

    if (among != NULL) {
        config.together = among->together;
        config.together_ctx = among->ctx;
        config.copies = among->count;
        config.copy = among->number;
        config.other_cid = among->other_cid;
    }
    return config;
}

/* Opens the connection that the scenario asks for. 0, or broken. */
static int open_connection(const struct tl_run *run, const struct tl_attempt_of *attempt,
                           struct tl_session *session)
{
    const struct tl_scenario *scenario = attempt->planned->scenario;
    struct tl_bench *bench = session->bench;
    struct tl_setup_from from = {.path = tl_session_path(session), .seed = attempt->seed};
    struct fal_connection setup;
    struct fal_error err = {{0}};
    struct tl_end_setup wishes = {.has_cid = false};

    fal_params_default(&from.defaults, tl_session_live(session));
    if (run->params != NULL)
        tl_given_params_apply(run->params, &from.defaults);
    limit_mtu(session, run->params, &from.defaults);
    if (bench->wire != NULL)
        take_wire(bench->wire, scenario, session, &setup);
    else if (set_up(scenario, &from, &setup, &wishes, &err) != 0)
        tl_session_break(session, TL_REASON_SCENARIO, "%s: %s", scenario->path, err.text);
    if (bench->wire == NULL)
        choose_cid(bench, scenario, &setup);
    if (bench->wire == NULL)
        tl_run_apply_learned(run, &setup);
    return tl_session_open(session, &setup, &wishes);
}

/* Plays the scenario or its recording, and judges what was observed. */
static void play_and_judge(const struct tl_run *run, const struct tl_attempt_of *attempt,
                           struct tl_session *session, struct tl_interp *interp,
                           struct tl_case *out)
{
    const struct tl_scenario *scenario = attempt->planned->scenario;
    struct tl_baton *baton = attempt->among != NULL ? attempt->among->baton : NULL;
    bool played = false, answered = true;

    if (open_connection(run, attempt, session) != 0) {
        played = false;
    } else if (scenario->playback != NULL) {
        answered = tl_playback_play(scenario->playback, session);
    } else {
        tl_session_meet(session, 1);
        tl_interp_init(interp, session, scenario);
        if (baton != NULL) {
            tl_baton_join(baton, interp);
            tl_session_meet(session, 2);
        }
        interp->answered = attempt->answered;
        interp->answered_ctx = attempt->answered_ctx;
        interp->stops = attempt->answered == NULL ? run->stops : NULL;
        if (tl_interp_as_wished(interp))
            play(interp, session);
        played = true;
    }
    if (baton != NULL)
        tl_baton_leave(baton, interp);
    if (attempt->answered != NULL)
        return; /* only its answers matter */
    tl_session_finish(session);
    tl_case_judge(out, session, scenario, played ? interp : NULL, run->whole_packets);
    if (played)
        half_seen(interp, out);
    if (!answered)
        tl_case_undecided(out, TL_REASON_SILENT,
                          "the SUT sent nothing; it had answered in the recording");
    if (run->looked != NULL)
        run->looked(run->looked_ctx, session);
}

void tl_run_attempt(const struct tl_run *run, struct tl_bench *bench,
                    const struct tl_attempt_of *attempt, struct tl_case *out)
{
    const struct tl_ics ics = known_ics(run, bench, attempt->planned->scenario);
    const struct tl_session_config config = session_config(run, bench, attempt, &ics);
    struct tl_session *session;
    struct tl_interp *interp;

    if (bench->dead) {
        tl_case_broken(out, TL_REASON_CONTROL, bench->why.text);
        return;
    }
    session = tl_session_new(&config);
    interp = tl_interp_new();
    if (session == NULL || interp == NULL)
        tl_case_broken(out, TL_REASON_MEMORY, "out of memory");
    else
        play_and_judge(run, attempt, session, interp, out);
    if (interp != NULL)
        tl_interp_clear(interp);
    free(interp);
    tl_session_free(session);
}

static void forget_attempt(struct tl_case *out)
{
    struct tl_case kept = *out;

    out->repeat = NULL;
    tl_case_clear(out);
    kept.problems = NULL;
    kept.rules = NULL;
    kept.packets = NULL;
    kept.readings = NULL;
    kept.steps = NULL;
    kept.num_steps = 0;
    kept.flow = NULL;
    kept.num_flow = 0;
    kept.num_readings = 0;
    kept.evidence = NULL;
    kept.timing = (struct tl_case_timing){.known = false};
    kept.path = (struct tl_case_path){.known = false};
    kept.num_problems = kept.num_rules = kept.num_packets = 0;
    kept.verdict = FAL_VERDICT_NONE;
    kept.reason = tl_reason(TL_REASON_NONE);
    kept.why = NULL;
    *out = kept;
}

/* Makes ready for another attempt: on a machine that is busy the path has become longer. */
static bool try_again(struct tl_bench *bench, const struct tl_scenario *scenario,
                      struct tl_case *out)
{
    struct fal_error err = {{0}};

    if (bench->wire != NULL && tl_wire_find(bench->wire, scenario, false) == NULL)
        return false;
    if (bench->upper == NULL) { /* there is no SUT to ask */
        forget_attempt(out);
        return true;
    }
    if (tl_bench_measure(bench, TL_BENCH_REPINGS, TL_REPING_GAP_NS, &err) != 0) {
        bench->dead = true;
        bench->why = err;
        return false;
    }
    forget_attempt(out);
    return true;
}

static void keep_steps(const struct tl_scenario *scenario, struct tl_case *out)
{
    out->steps = calloc(scenario->num_steps > 0 ? scenario->num_steps : 1, sizeof *out->steps);
    for (size_t i = 0; out->steps != NULL && i < scenario->num_steps; i++)
        out->steps[out->num_steps++] = (struct tl_step_line){
            .text = scenario->steps[i].text, .line = scenario->steps[i].at.line};
}

/* How often planted faults could have acted so far, and how often they have. False: the SUT is
 * gone, and the counts with it. */
static bool count_faults(const struct tl_bench *bench, uint64_t *chances, uint64_t *acts)
{
    *chances = *acts = 0;
    if (bench->dead)
        return false;
    if (bench->link->ops->faults != NULL)
        bench->link->ops->faults(bench->link, chances, acts);
    return true;
}

/* Plays one attempt in the way that its target and its scenario need, and counts what the
 * planted faults did meanwhile on all connections. */
static void play_attempt(const struct tl_run *run, struct tl_bench *bench,
                         const struct tl_planned *planned, uint64_t seed, FILE *file,
                         struct tl_case *out)
{
    uint64_t chances, acts, chances_now, acts_now;
    bool known = count_faults(bench, &chances, &acts);

    if (run->target.kind == TL_TARGET_BRIDGE)
        tl_run_bridge(run, bench, planned, seed, file, out);
    else if (tl_run_copies_of(run, planned->scenario) > 1)
        tl_run_copies(run, bench, planned, seed, file, out);
    else
        tl_run_attempt(
            run, bench,
            &(struct tl_attempt_of){.planned = planned, .seed = seed, .timeline = file}, out);
    if (!known || !count_faults(bench, &chances_now, &acts_now))
        return;
    out->chances = chances_now - chances;
    out->acts = acts_now - acts;
}

void tl_run_attempts(const struct tl_run *run, struct tl_bench *bench,
                     const struct tl_planned *planned, struct tl_kept *kept,
                     struct tl_case *out)
{
    struct fal_error err = {{0}};

    out->repeat = again(run, planned, out->seed);
    for (unsigned i = 0; i <= run->retries && i < TL_ATTEMPTS_MAX; i++) {
        struct fal_rng rng = fal_rng_split(out->seed, i);
        FILE *file = NULL;

        if (i > 0 && !try_again(bench, planned->scenario, out))
            break;
        if (kept != NULL) {
            tl_kept_free(kept);
            file = open_memstream(&kept->timeline, &kept->timeline_len);
        }
        play_attempt(run, bench, planned, i == 0 ? out->seed : fal_rng_next(&rng), file, out);
        if (file != NULL && fclose(file) != 0)
            tl_case_broken(out, TL_REASON_MEMORY, "the timeline: out of memory");
        out->attempts[out->num_attempts++] =
            (struct tl_attempt){.verdict = out->verdict, .reason = out->reason};
        /* Another attempt helps only if the bench could not decide, and only in real time. */
        if (out->verdict != FAL_VERDICT_INCONC || !bench->caps.live || tl_case_beyond(out) ||
            tl_reason_recurs(out->reason.id))
            break;
    }
    if (run->stories)
        keep_steps(planned->scenario, out);
    if (kept != NULL && kept->timeline != NULL && run->stories &&
        (run->whole_packets || out->verdict != FAL_VERDICT_PASS) &&
        tl_ladder_make(kept->timeline, kept->timeline_len, run->whole_packets, out, &err) != 0)
        tl_case_broken(out, TL_REASON_EVIDENCE, err.text);
    if (kept != NULL && kept->timeline != NULL && run->evidence != NULL &&
        tl_evidence_packets(kept->timeline, kept->timeline_len, out, &kept->packets,
                            &kept->packets_len, &err) != 0)
        tl_case_broken(out, TL_REASON_EVIDENCE, err.text);
}

void tl_run_case(const struct tl_run *run, struct tl_bench *bench,
                 const struct tl_scenario *scenario, struct tl_case *out)
{
    const struct tl_planned planned = {.scenario = scenario, .id = scenario->id};

    tl_run_name(run, &planned, tl_run_seed(run->seed, scenario->id), out);
    tl_run_attempts(run, bench, &planned, NULL, out);
}
