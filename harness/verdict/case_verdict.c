/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/verdict/verdict_impl.h"

#include "codecs/text/text.h"
#include "harness/session/turned.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LADDER_LEN = 12,  /* packets around the evidence */
    LADDER_AFTER = 2, /* of them, after it */
};

void tl_case_worsen(struct tl_case *c, enum fal_verdict verdict, enum tl_reason reason)
{
    if (verdict > c->verdict) {
        c->verdict = verdict;
        c->reason = tl_reason(verdict > FAL_VERDICT_PASS ? reason : TL_REASON_NONE);
    }
}

char *tl_verdict_copy(const char *text)
{
    return text[0] != 0 ? strdup(text) : NULL;
}

void tl_verdict_symptoms(struct tl_problem *p, const struct tl_symptoms *symptoms)
{
    memcpy(p->symptoms, symptoms->list, sizeof p->symptoms);
    p->num_symptoms = symptoms->count;
}

bool tl_verdict_unlike(const struct tl_session *session)
{
    return session->unlike[0] != 0;
}

struct tl_problem *tl_verdict_problem(struct tl_case *out, enum tl_problem_kind kind,
                                      enum fal_verdict verdict, enum tl_reason reason)
{
    struct tl_problem *p = tl_case_problem(out);

    tl_case_worsen(out, verdict, reason);
    if (p == NULL)
        return NULL;
    p->kind = kind;
    p->verdict = verdict;
    p->reason = tl_reason(reason);
    return p;
}

void tl_case_broken(struct tl_case *out, enum tl_reason reason, const char *what)
{
    struct tl_problem *p = tl_verdict_problem(out, TL_PROBLEM_BENCH, FAL_VERDICT_ERROR, reason);

    if (p != NULL)
        p->seen = tl_verdict_copy(what);
}

void tl_case_undecided(struct tl_case *out, enum tl_reason reason, const char *what)
{
    struct tl_problem *p =
        tl_verdict_problem(out, TL_PROBLEM_EXERCISE, FAL_VERDICT_INCONC, reason);

    if (p != NULL)
        p->text = tl_verdict_copy(what);
}

/* ---- the packets around something ---- */

static void ladder_line(struct tl_problem *p, const struct tl_session *session, uint64_t number,
                        bool marked)
{
    const struct tl_seen_packet *packet = tl_session_packet(session, number);
    char line[TL_VERDICT_LINE];

    if (packet == NULL)
        return;
    tl_session_print(session, packet, line, sizeof line);
    (void)tl_ladder_add(&p->ladder, &p->num_ladder, line, marked);
}

static bool is_one_of(uint64_t number, const uint64_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == number)
            return true;
    return false;
}

/* The marked packets, the newest with its neighbours. Without any: the last packets. */
void tl_case_ladder(struct tl_problem *p, const struct tl_session *session,
                    const uint64_t *marked, size_t n)
{
    uint64_t end = session->packets.next, first = tl_session_first_packet(session), begin;
    uint64_t newest = 0;

    for (size_t i = 0; i < n; i++)
        if (marked[i] > newest)
            newest = marked[i];
    if (n > 0 && newest + 1 + LADDER_AFTER < end)
        end = newest + 1 + LADDER_AFTER;
    begin = end > LADDER_LEN && end - LADDER_LEN > first ? end - LADDER_LEN : first;
    for (uint64_t i = first; n > 0 && i < begin; i++)
        if (is_one_of(i, marked, n))
            ladder_line(p, session, i, true);
    for (uint64_t i = begin; i < end; i++)
        ladder_line(p, session, i, is_one_of(i, marked, n));
}

static void keep_packets(struct tl_case *out, const struct tl_session *session)
{
    char line[TL_VERDICT_LINE];

    for (uint64_t i = tl_session_first_packet(session); i < session->packets.next; i++) {
        tl_session_print(session, tl_session_packet(session, i), line, sizeof line);
        (void)tl_ladder_add(&out->packets, &out->num_packets, line, false);
    }
}

/* ---- rules ---- */

/* The packets among the events that a finding names. */
static size_t packets_of(const struct tl_session *session, const struct fal_finding *finding,
                         uint64_t *numbers)
{
    size_t n = 0;

    for (uint64_t i = tl_session_first_packet(session); i < session->packets.next; i++) {
        uint64_t event = tl_session_packet(session, i)->event;

        for (size_t k = 0; k < finding->num_evidence && n < FAL_EVIDENCE_MAX; k++)
            if (finding->evidence[k] == event) {
                numbers[n++] = i;
                break;
            }
    }
    return n;
}

/* Why a violation by the tester's own end is not an error of Talon; NONE: it is one. A tester
 * that did not run for a while acts late, and on an old state; steps also answer packets that
 * the network lost. */
static enum tl_reason tester_excuse(const struct tl_session *session)
{
    if (session->late_ns > 0)
        return TL_REASON_TESTER_LATE;
    if (session->pauses.count > 0)
        return TL_REASON_PAUSED;
    if (tl_verdict_unlike(session))
        return TL_REASON_SETUP;
    return session->lossless ? TL_REASON_NONE : TL_REASON_OUT_LOSS;
}

/* The verdict and reason that a finding gives the case. */
struct outcome {
    enum fal_verdict verdict;
    enum tl_reason reason;
};

static void add_finding(struct tl_case *out, const struct tl_session *session,
                        const struct tl_scenario *scenario, const struct fal_finding *finding,
                        struct outcome outcome)
{
    uint64_t numbers[FAL_EVIDENCE_MAX];
    struct tl_problem *p;

    p = tl_verdict_problem(out, TL_PROBLEM_RULE, outcome.verdict, outcome.reason);
    if (p == NULL)
        return;
    p->rule = finding->rule;
    p->subject = finding->subject;
    p->requirement =
        finding->requirement != NULL ? fal_requirement_find(finding->requirement) : NULL;
    p->t_ns = finding->t_ns;
    p->step = finding->step;
    if (finding->step >= 0 && (size_t)finding->step < scenario->num_steps)
        p->line = scenario->steps[finding->step].at.line;
    p->text = tl_verdict_copy(finding->rule->title);
    p->expected = tl_verdict_copy(finding->expected);
    p->seen =
        tl_verdict_copy(outcome.reason == TL_REASON_SETUP ? session->unlike : finding->seen);
    p->num_evidence = finding->num_evidence;
    memcpy(p->evidence, finding->evidence, sizeof p->evidence);
    tl_case_ladder(p, session, numbers, packets_of(session, finding, numbers));
    if (finding->subject == FAL_SUBJECT_SUT) {
        struct tl_trace trace = tl_trace_of(session);
        struct tl_symptoms symptoms = tl_rule_symptoms(&trace, finding);

        tl_verdict_symptoms(p, &symptoms);
    }
}

static void judge_finding(struct tl_case *out, const struct tl_session *session,
                          const struct tl_scenario *scenario, const struct fal_finding *finding)
{
    enum fal_verdict verdict = fal_finding_breach(finding);
    enum tl_reason reason = TL_REASON_RULE;

    if (session->unplayed.known && finding->t_ns >= session->unplayed.t_ns)
        return;
    if (finding->subject == FAL_SUBJECT_TESTER) {
        if (finding->asked)
            return;
        reason = tester_excuse(session);
        verdict = reason != TL_REASON_NONE ? FAL_VERDICT_INCONC : FAL_VERDICT_ERROR;
        reason = reason != TL_REASON_NONE ? reason : TL_REASON_TESTER_BROKE_RULE;
    }
    if (verdict == FAL_VERDICT_NONE)
        return;
    add_finding(out, session, scenario, finding, (struct outcome){verdict, reason});
}

/* Whether the steps saw all that the SUT sent, in its order: else a step may answer a packet
 * that has not arrived. */
static bool all_arrives(const struct tl_session *session)
{
    return session->lossless && session->bench->caps.in_order && !session->disordered &&
           !session->doubled_in && !session->doubled_out;
}

/* Violations by the packets of a valid scenario's tester are errors of the scenario. */
static void judge_tester(struct tl_case *out, const struct tl_session *session,
                         const struct tl_scenario *scenario)
{
    const struct tl_turned *turned = session->turned;

    if (turned == NULL || scenario->kind != TL_CLASS_VALID)
        return;
    for (size_t i = 0; i < turned->num_findings; i++)
        if (turned->findings[i].step < 0 || all_arrives(session))
            add_finding(out, session, scenario, &turned->findings[i],
                        (struct outcome){FAL_VERDICT_ERROR, TL_REASON_STEP_BROKE_RULE});
}

/* The verdict of all rules; instances that the scenario does not need may stay undecided. */
static enum fal_verdict judged(const struct tl_session *session)
{
    enum fal_verdict all = fal_judge_verdict(session->judge), worst = FAL_VERDICT_NONE;
    struct fal_result_walk walk = {0};
    const struct fal_rule_result *r;

    if (all == FAL_VERDICT_INCONC)
        return fal_judge_decided(session->judge);
    if (all != FAL_VERDICT_ERROR || tester_excuse(session) == TL_REASON_NONE)
        return all;
    while ((r = fal_judge_next_result(session->judge, &walk)) != NULL)
        if (r->subject == FAL_SUBJECT_SUT && r->verdict >= FAL_VERDICT_FAIL)
            worst = fal_verdict_worse(worst, r->verdict);
    return worst;
}

/* The result of each rule that had an instance, and whether the rules that the scenario is
 * about had one. */
static void judge_rules(struct tl_case *out, const struct tl_session *session,
                        const struct tl_scenario *scenario)
{
    struct fal_result_walk walk = {0};
    const struct fal_rule_result *result;
    size_t count = 0;

    for (size_t i = 0; i < session->num_findings; i++)
        judge_finding(out, session, scenario, &session->findings[i]);
    if (!session->unplayed.known && session->pauses.count == 0)
        tl_case_worsen(out, judged(session), TL_REASON_RULE);
    while (fal_judge_next_result(session->judge, &walk) != NULL)
        count++;
    out->rules = calloc(count > 0 ? count : 1, sizeof *out->rules);
    if (out->rules == NULL) {
        tl_case_broken(out, TL_REASON_MEMORY, "out of memory");
        return;
    }
    walk = (struct fal_result_walk){0};
    while ((result = fal_judge_next_result(session->judge, &walk)) != NULL)
        out->rules[out->num_rules++] = *result;
}

static void keep_readings(struct tl_case *out, const struct tl_session *session)
{
    struct fal_reading_result reading;
    size_t count = 0;

    while (fal_judge_reading(session->judge, FAL_SUBJECT_SUT, count, &reading))
        count++;
    if (count == 0)
        return;
    out->readings = calloc(count, sizeof *out->readings);
    if (out->readings == NULL) {
        tl_case_broken(out, TL_REASON_MEMORY, "out of memory");
        return;
    }
    for (; out->num_readings < count; out->num_readings++)
        (void)fal_judge_reading(session->judge, FAL_SUBJECT_SUT, out->num_readings,
                                &out->readings[out->num_readings]);
}

static void judge_exercises(struct tl_case *out, const struct tl_session *session,
                            const struct tl_scenario *scenario)
{
    bool moved = session->connection.rue.known && session->connection.rue.moves_limits;
    enum tl_reason reason =
        tl_verdict_unlike(session) || moved ? TL_REASON_SETUP : TL_REASON_NOT_EXERCISED;

    for (size_t i = 0; i < scenario->num_exercises; i++) {
        const struct fal_rule *rule = scenario->exercises[i];
        const char *id = rule->id;
        struct tl_problem *p;
        uint64_t decided = 0;

        for (size_t k = 0; k < out->num_rules; k++)
            if (out->rules[k].rule == rule && out->rules[k].subject == FAL_SUBJECT_SUT)
                decided += out->rules[k].holds + out->rules[k].broken +
                           out->rules[k].excused[FAL_EXCUSE_READING];
        if (decided > 0)
            continue;
        p = tl_verdict_problem(out, TL_PROBLEM_EXERCISE, FAL_VERDICT_INCONC, reason);
        if (p == NULL)
            continue;
        p->seen = tl_verdict_copy(moved && !tl_verdict_unlike(session) ? tl_verdict_moved_text
                                                                       : session->unlike);
        p->rule = rule;
        if (asprintf(&p->text, "rule %s (%s) had to decide something and did not", id,
                     rule->title) < 0)
            p->text = NULL;
    }
}

/* Of equal verdicts: a rule names the sentence that was broken, a step only where it was
 * noticed. */
static int rank(enum tl_problem_kind kind)
{
    switch (kind) {
    case TL_PROBLEM_BENCH: return 0;
    case TL_PROBLEM_STOP: return 1;
    case TL_PROBLEM_RULE: return 2;
    case TL_PROBLEM_STEP: return 3;
    case TL_PROBLEM_EXERCISE: break;
    }
    return 4;
}

static int worse_first(const void *a, const void *b)
{
    const struct tl_problem *x = a, *y = b;

    if (x->verdict != y->verdict)
        return x->verdict > y->verdict ? -1 : 1;
    if (x->kind != y->kind)
        return rank(x->kind) - rank(y->kind);
    if (x->t_ns != y->t_ns)
        return x->t_ns < y->t_ns ? -1 : 1;
    if (x->rule != NULL && y->rule != NULL && x->rule != y->rule)
        return strcmp(x->rule->id, y->rule->id);
    return 0;
}

/* Of a live link: where time was lost. */
static void keep_timing(struct tl_case *out, const struct tl_session *session)
{
    const struct tl_session_time *time = &session->time;
    size_t size = time->num_steps * sizeof *time->steps;

    if (!tl_session_live(session))
        return;
    out->timing = (struct tl_case_timing){
        .known = true,
        .timer_ns = time->worst.timer_ns,
        .queue_ns = time->worst.queue_ns,
        .busy_ns = time->worst.busy_ns,
        .throttle_ns = time->worst.throttle_ns,
        .sut_ns = time->sut_ns,
        .allowance_ns = session->bench->path_ns,
        .drops = time->all_drops,
        .steps = malloc(size > 0 ? size : 1),
        .more_steps = time->more_steps,
    };
    if (out->timing.steps == NULL) {
        tl_case_broken(out, TL_REASON_MEMORY, "out of memory");
        return;
    }
    memcpy(out->timing.steps, time->steps, size);
    out->timing.num_steps = time->num_steps;
}

/* Several cases at the same time share the path and the SUT: each has counted its own part. */
static void keep_path(struct tl_case *out, const struct tl_session *session)
{
    struct tl_case_path *path = &out->path;

    tl_session_trials(session, path->way);
    path->known = path->way[FAL_TO_SUT].trials + path->way[FAL_FROM_SUT].trials > 0;
}

bool tl_case_beyond(const struct tl_case *c)
{
    return c->verdict == FAL_VERDICT_INCONC && c->disposition == TL_RAN &&
           (c->reason.id == TL_REASON_UNOFFERED || c->reason.id == TL_REASON_SETUP ||
            c->reason.id == TL_REASON_OPEN || c->reason.id == TL_REASON_ROTATE);
}

void tl_case_judge(struct tl_case *out, const struct tl_session *session,
                   const struct tl_scenario *scenario, struct tl_interp *interp, bool whole)
{
    out->duration_ns = tl_session_now(session);
    out->frames = session->packets.next;
    out->silent = session->frames_sent > 0 && session->frames_received == 0;
    tl_case_worsen(out, FAL_VERDICT_PASS, TL_REASON_NONE);
    if (tl_verdict_unlike(session) && (session->broken.reason == TL_REASON_ENDPOINT ||
                                       session->broken.reason == TL_REASON_SCENARIO))
        tl_case_undecided(out, TL_REASON_SETUP, session->unlike);
    else if (session->broken.reason == TL_REASON_MTU ||
             session->broken.reason == TL_REASON_REFUSED ||
             session->broken.reason == TL_REASON_QUIT ||
             session->broken.reason == TL_REASON_ENDLESS || session->broken.unsupported)
        tl_case_undecided(out, session->broken.reason, session->broken.what.text);
    else if (session->broken.reason != TL_REASON_NONE && !tl_case_take_stop(out, session))
        tl_case_broken(out, session->broken.reason, session->broken.what.text);
    if (session->broken.reason != TL_REASON_NONE && interp != NULL &&
        interp->step < scenario->num_steps && out->num_problems > 0) {
        out->problems[0].step = (int32_t)interp->step;
        out->problems[0].line = scenario->steps[interp->step].at.line;
        if (out->problems[0].num_ladder == 0)
            tl_case_ladder(&out->problems[0], session, NULL, 0);
    }
    if (interp != NULL) {
        tl_verdict_steps(out, session, scenario, interp);
        if (out->verdict == FAL_VERDICT_PASS && tl_interp_rto_intervened(interp))
            tl_case_undecided(out, TL_REASON_SETUP, session->unlike);
        tl_verdict_slow(out, session, scenario, interp);
        tl_verdict_absents(out, session, scenario, interp);
    }
    judge_rules(out, session, scenario);
    judge_tester(out, session, scenario);
    keep_readings(out, session);
    keep_timing(out, session);
    keep_path(out, session);
    if (out->verdict <= FAL_VERDICT_WARN)
        judge_exercises(out, session, scenario);
    tl_verdict_paused(out, session, interp);
    if (out->num_problems > 1)
        qsort(out->problems, out->num_problems, sizeof *out->problems, worse_first);
    if (whole)
        keep_packets(out, session);
}
