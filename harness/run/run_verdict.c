/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/run_verdict.h"

#include "codecs/base/time_text.h"
#include "codecs/text/text.h"
#include "harness/blame/symptoms.h"
#include "harness/play/players.h"
#include "harness/session/turned.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LADDER_LEN = 12,  /* packets around the evidence */
    LADDER_AFTER = 2, /* of them, after it */
    LINE_LEN = FAL_TEXT_MAX + 80,
};

void tl_case_worsen(struct tl_case *c, enum fal_verdict verdict, enum tl_reason reason)
{
    if (verdict > c->verdict) {
        c->verdict = verdict;
        c->reason = tl_reason(verdict > FAL_VERDICT_PASS ? reason : TL_REASON_NONE);
    }
}

static char *copy(const char *text)
{
    return text[0] != 0 ? strdup(text) : NULL;
}

void tl_case_broken(struct tl_case *out, enum tl_reason reason, const char *what)
{
    struct tl_problem *p = tl_case_problem(out);

    tl_case_worsen(out, FAL_VERDICT_ERROR, reason);
    if (p == NULL)
        return;
    p->kind = TL_PROBLEM_BENCH;
    p->verdict = FAL_VERDICT_ERROR;
    p->reason = tl_reason(reason);
    p->seen = copy(what);
}

void tl_case_undecided(struct tl_case *out, enum tl_reason reason, const char *what)
{
    struct tl_problem *p = tl_case_problem(out);

    tl_case_worsen(out, FAL_VERDICT_INCONC, reason);
    if (p == NULL)
        return;
    p->kind = TL_PROBLEM_EXERCISE;
    p->verdict = FAL_VERDICT_INCONC;
    p->reason = tl_reason(reason);
    p->text = copy(what);
}

/* ---- the packets around something ---- */

static void ladder_line(struct tl_problem *p, const struct tl_session *session, uint64_t number,
                        bool marked)
{
    const struct tl_seen_packet *packet = tl_session_packet(session, number);
    char line[LINE_LEN];

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
    char line[LINE_LEN];

    for (uint64_t i = tl_session_first_packet(session); i < session->packets.next; i++) {
        tl_session_print(session, tl_session_packet(session, i), line, sizeof line);
        (void)tl_ladder_add(&out->packets, &out->num_packets, line, false);
    }
}

static void keep_symptoms(struct tl_problem *p, const struct tl_symptoms *symptoms)
{
    memcpy(p->symptoms, symptoms->list, sizeof p->symptoms);
    p->num_symptoms = symptoms->count;
}

/* ---- steps ---- */

/* The verdict of a missed step by the requirements that it decides: without a MUST it is no
 * fail. */
static enum fal_verdict breach(const struct fal_requirement *requirement)
{
    enum fal_verdict verdict = fal_requirement_breach(requirement);

    return verdict == FAL_VERDICT_NONE ? FAL_VERDICT_INCONC : verdict;
}

/* The SUT has other parameters than the steps were written for: what they do not see is not its
 * fault. */
static bool is_unlike(const struct tl_session *session)
{
    return session->unlike[0] != 0;
}

/* The SUT has a shorter RTO than the case wished, and not a longer one than a round trip takes:
 * it retransmits, and gives up, before an ACK can arrive, and before the tester sees that. */
static bool has_short_rto(const struct tl_session *session)
{
    uint64_t rto_ns = session->connection.params.rto_ns;

    return is_unlike(session) && !session->bench->caps.live &&
           rto_ns < session->wished.rto_ns && rto_ns <= session->bench->path_ns;
}

/* The verdict on a step that was missed, and its reason: whatever may have made a correct SUT
 * miss it makes a fail inconclusive. */
static enum fal_verdict verdict_of_miss(const struct tl_session *session,
                                        struct tl_interp *interp, enum tl_reason *reason)
{
    const struct tl_link_caps *caps = &session->bench->caps;
    const struct tl_miss *miss = &interp->miss;
    const struct tl_step *step = &interp->scenario->steps[miss->step];
    enum fal_verdict verdict = miss->verdict;

    *reason = miss->reason;
    if (tl_interp_unlike(interp, miss->t_ns) || has_short_rto(session)) {
        *reason = TL_REASON_SETUP;
        return FAL_VERDICT_INCONC;
    }
    /* Lost frames say more than that the tester was late as well. */
    if ((verdict == FAL_VERDICT_FAIL || verdict == FAL_VERDICT_INCONC) &&
        miss->needs_lossless && !session->lossless) {
        verdict = FAL_VERDICT_INCONC;
        *reason = miss->loss;
    }
    if (verdict != FAL_VERDICT_FAIL)
        return verdict;
    if (session->doubled_in || session->doubled_out) /* the SUT answers each copy */
        *reason = session->doubled_in ? TL_REASON_IN_DUP : TL_REASON_OUT_DUP;
    else if (!caps->live && session->bench->path_ns >= session->connection.params.rto_ns)
        *reason = TL_REASON_PATH_DELAY; /* each packet is repeated before its ACK can come */
    else if (session->disordered ||
             (!caps->live && !caps->in_order && miss->reason != TL_REASON_UNMET))
        *reason = TL_REASON_OUT_REORDER; /* steps expect a network that keeps the order, and
                                            distances between packets that it does not change */
    else if (tl_session_sut_was_late(session))
        *reason = TL_REASON_SUT_LATE; /* its process did not run: times decide nothing */
    else
        return step->covers.count > 0 ? breach(step->covers.list[0]) : verdict;
    return FAL_VERDICT_INCONC;
}

/* A packet that a step missed may have come after its time: then it is shown, with its
 * lateness, unless one was shown that came in time and differs. */
static void find_late(const struct tl_session *session, struct tl_interp *interp)
{
    struct tl_miss *miss = &interp->miss;
    const struct tl_step *step = &interp->scenario->steps[miss->step];
    const struct tl_seen_packet *packet;
    uint64_t n = session->packets.next;

    if ((miss->reason != TL_REASON_UNMET && miss->reason != TL_REASON_TURNAROUND) ||
        step->verb != TL_EXPECT ||
        (miss->packet != UINT64_MAX && strcmp(miss->why, TL_OTHER_TYPE) != 0))
        return;
    while (n > tl_session_first_packet(session) &&
           tl_session_packet(session, n - 1)->t_ns > miss->t_ns)
        n--;
    n = tl_find_packet(interp, step, n, miss->t_ns, FAL_NEVER);
    packet = n != UINT64_MAX ? tl_session_packet(session, n) : NULL;
    if (packet == NULL)
        return;
    miss->packet = n;
    tl_session_print(session, packet, miss->seen, sizeof miss->seen);
    (void)snprintf(miss->why, sizeof miss->why, "it came %s after the time of the step",
                   fal_time_text(packet->t_ns - miss->t_ns).text);
}

/* What to do about a turnaround that nobody declared. */
static char *to_declare(const struct tl_session *session, const char *why)
{
    char *text = NULL;

    if (asprintf(&text,
                 "%s%sthe SUT declares no turnaround; %s was learned for this connection: "
                 "declare turnaround in the IXIT, or with --param turnaround=TIME",
                 why, why[0] != 0 ? "; " : "",
                 fal_time_text(session->connection.params.turnaround_ns).text) < 0)
        text = NULL;
    return text;
}

/* A problem of a step that was met, which leaves the case undecided for `reason`; or NULL. */
static struct tl_problem *met_in_vain(struct tl_case *out, const struct tl_step *step,
                                      size_t number, enum tl_reason reason)
{
    struct tl_problem *p;

    tl_case_worsen(out, FAL_VERDICT_INCONC, reason);
    p = tl_case_problem(out);
    if (p == NULL)
        return NULL;
    p->kind = TL_PROBLEM_STEP;
    p->verdict = FAL_VERDICT_INCONC;
    p->reason = tl_reason(reason);
    p->step = (int32_t)number;
    p->line = step->at.line;
    p->requirement = step->covers.count > 0 ? step->covers.list[0] : NULL;
    p->text = copy(step->text);
    p->step_code = copy(step->code);
    p->expected = copy(step->text);
    return p;
}

/* A step that was met, but only by a turnaround longer than the one that was learned. */
static void judge_slow(struct tl_case *out, const struct tl_session *session,
                       const struct tl_scenario *scenario, const struct tl_interp *interp)
{
    const struct tl_seen_packet *packet = interp->slow.packet != UINT64_MAX
                                              ? tl_session_packet(session, interp->slow.packet)
                                              : NULL;
    struct tl_problem *p;
    char line[LINE_LEN], why[160];

    if (!interp->slow.any || session->broken.reason != TL_REASON_NONE)
        return;
    p = met_in_vain(out, &scenario->steps[interp->slow.step], interp->slow.step,
                    TL_REASON_TURNAROUND);
    if (p == NULL)
        return;
    p->t_ns = interp->slow.t_ns;
    if (packet != NULL)
        tl_session_print(session, packet, line, sizeof line);
    p->seen = packet != NULL ? copy(line) : NULL;
    (void)snprintf(why, sizeof why, "it came %s later than the learned turnaround allows",
                   fal_time_text(interp->slow.by_ns).text);
    p->why = to_declare(session, why);
    tl_case_ladder(p, session, &interp->slow.packet, packet != NULL);
}

/* Leaves a step undecided that was met because nothing came in its period. A packet or event
 * that came after the period may have been due in it, if it came later by no more than the
 * SUT's process or the tester did not run: a SUT that does not run sends nothing, and a tester
 * that does not run cannot tell whether the SUT runs. The scenario's next act may cause what
 * comes after it. */
static void judge_absent(struct tl_case *out, const struct tl_session *session,
                         const struct tl_scenario *scenario, struct tl_interp *interp, size_t k)
{
    const struct tl_step *step = &scenario->steps[interp->absent[k].step];
    uint64_t end_ns = interp->absent[k].t_ns, until_ns = interp->absent[k].until_ns;
    uint64_t came, t_ns, lost_ns;
    struct tl_problem *p;
    bool sut, packet = step->verb == TL_EXPECT_NONE;

    if (until_ns == FAL_NEVER && !packet)
        return; /* at the end of a case the tester completes its transactions */
    lost_ns = tl_session_lost_ns(session, &sut);
    until_ns -= until_ns != FAL_NEVER;
    if (end_ns + lost_ns < until_ns)
        until_ns = end_ns + lost_ns;
    came = packet ? tl_find_packet(interp, step, 0, end_ns + 1, until_ns)
                  : tl_find_event(interp, step, 0, end_ns + 1, until_ns);
    if (came == UINT64_MAX)
        return;
    p = met_in_vain(out, step, interp->absent[k].step,
                    sut ? TL_REASON_SUT_LATE : TL_REASON_TESTER_LATE);
    if (p == NULL)
        return;
    t_ns =
        packet ? tl_session_packet(session, came)->t_ns : tl_session_event(session, came)->t_ns;
    p->t_ns = end_ns;
    if (asprintf(&p->why, "it came %s after this time, and %s did not run for %s",
                 fal_time_text(t_ns - end_ns).text, sut ? "the SUT's process" : "the tester",
                 fal_time_text(lost_ns).text) < 0)
        p->why = NULL;
    tl_case_ladder(p, session, &came, packet);
}

static void judge_absents(struct tl_case *out, const struct tl_session *session,
                          const struct tl_scenario *scenario, struct tl_interp *interp)
{
    bool sut;

    if (interp->state == TL_INTERP_MISSED || session->broken.reason != TL_REASON_NONE ||
        tl_session_lost_ns(session, &sut) == 0)
        return;
    for (size_t k = 0; k < interp->num_absent && k < TL_ABSENT_MAX; k++)
        judge_absent(out, session, scenario, interp, k);
}

static void judge_steps(struct tl_case *out, const struct tl_session *session,
                        const struct tl_scenario *scenario, struct tl_interp *interp)
{
    const struct tl_miss *miss = &interp->miss;
    const struct tl_step *step = &scenario->steps[miss->step];
    enum fal_verdict verdict;
    enum tl_reason reason;
    struct tl_symptoms symptoms;
    struct tl_trace trace;
    struct tl_problem *p;

    if (interp->state != TL_INTERP_MISSED || session->broken.reason != TL_REASON_NONE)
        return;
    find_late(session, interp);
    verdict = verdict_of_miss(session, interp, &reason);
    tl_case_worsen(out, verdict, reason);
    p = tl_case_problem(out);
    if (p == NULL)
        return;
    p->kind = TL_PROBLEM_STEP;
    p->verdict = verdict;
    p->reason = tl_reason(reason);
    p->step = (int32_t)miss->step;
    p->line = step->at.line;
    p->t_ns = miss->t_ns;
    p->requirement = step->covers.count > 0       ? step->covers.list[0]
                     : scenario->covers.count > 0 ? scenario->covers.list[0]
                                                  : NULL;
    if (step->covers.count > 1) {
        p->also = step->covers.list + 1;
        p->num_also = step->covers.count - 1;
    }
    p->text = copy(step->text);
    p->step_code = copy(step->code);
    p->expected = copy(miss->expected);
    p->seen =
        copy(reason == TL_REASON_SETUP && is_unlike(session) ? session->unlike : miss->seen);
    p->why = reason == TL_REASON_TURNAROUND ? to_declare(session, miss->why) : copy(miss->why);
    if (miss->packet != UINT64_MAX && tl_session_packet(session, miss->packet) != NULL)
        p->evidence[p->num_evidence++] = tl_session_packet(session, miss->packet)->event;
    tl_case_ladder(p, session, &miss->packet, miss->packet != UINT64_MAX);
    trace = tl_trace_of(session);
    symptoms = tl_step_symptoms(&trace, interp, &p->field);
    keep_symptoms(p, &symptoms);
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
    if (is_unlike(session))
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

    tl_case_worsen(out, outcome.verdict, outcome.reason);
    p = tl_case_problem(out);
    if (p == NULL)
        return;
    p->kind = TL_PROBLEM_RULE;
    p->verdict = outcome.verdict;
    p->reason = tl_reason(outcome.reason);
    p->rule = finding->rule;
    p->subject = finding->subject;
    p->requirement =
        finding->requirement != NULL ? fal_requirement_find(finding->requirement) : NULL;
    p->t_ns = finding->t_ns;
    p->step = finding->step;
    if (finding->step >= 0 && (size_t)finding->step < scenario->num_steps)
        p->line = scenario->steps[finding->step].at.line;
    p->text = copy(finding->rule->title);
    p->expected = copy(finding->expected);
    p->seen = copy(outcome.reason == TL_REASON_SETUP ? session->unlike : finding->seen);
    p->num_evidence = finding->num_evidence;
    memcpy(p->evidence, finding->evidence, sizeof p->evidence);
    tl_case_ladder(p, session, numbers, packets_of(session, finding, numbers));
    if (finding->subject == FAL_SUBJECT_SUT) {
        struct tl_trace trace = tl_trace_of(session);
        struct tl_symptoms symptoms = tl_rule_symptoms(&trace, finding);

        keep_symptoms(p, &symptoms);
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
    if (!session->unplayed.known)
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
    enum tl_reason reason = is_unlike(session) ? TL_REASON_SETUP : TL_REASON_NOT_EXERCISED;

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
        tl_case_worsen(out, FAL_VERDICT_INCONC, reason);
        p = tl_case_problem(out);
        if (p == NULL)
            continue;
        p->kind = TL_PROBLEM_EXERCISE;
        p->verdict = FAL_VERDICT_INCONC;
        p->reason = tl_reason(reason);
        p->seen = copy(session->unlike);
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
    if (is_unlike(session) && (session->broken.reason == TL_REASON_ENDPOINT ||
                               session->broken.reason == TL_REASON_SCENARIO))
        tl_case_undecided(out, TL_REASON_SETUP, session->unlike);
    else if (session->broken.reason == TL_REASON_MTU ||
             session->broken.reason == TL_REASON_REFUSED || session->broken.unsupported)
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
        judge_steps(out, session, scenario, interp);
        if (out->verdict == FAL_VERDICT_PASS && tl_interp_rto_intervened(interp))
            tl_case_undecided(out, TL_REASON_SETUP, session->unlike);
        judge_slow(out, session, scenario, interp);
        judge_absents(out, session, scenario, interp);
    }
    judge_rules(out, session, scenario);
    judge_tester(out, session, scenario);
    keep_readings(out, session);
    keep_timing(out, session);
    keep_path(out, session);
    if (out->verdict <= FAL_VERDICT_WARN)
        judge_exercises(out, session, scenario);
    if (out->num_problems > 1)
        qsort(out->problems, out->num_problems, sizeof *out->problems, worse_first);
    if (whole)
        keep_packets(out, session);
}
