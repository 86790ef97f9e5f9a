/* SPDX-License-Identifier: Apache-2.0
 * step_verdict.c - the verdict on the steps of a case: one that was missed, one that was met
 * too late for the learned turnaround, one that was met because nothing ran. */
#include "harness/verdict/verdict_impl.h"

#include "codecs/base/time_text.h"
#include "codecs/text/text.h"
#include "harness/play/players.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The verdict of a missed step by the requirements that it decides: without a MUST it is no
 * fail. */
static enum fal_verdict breach(const struct fal_requirement *requirement)
{
    enum fal_verdict verdict = fal_requirement_breach(requirement);

    return verdict == FAL_VERDICT_NONE ? FAL_VERDICT_INCONC : verdict;
}

/* The SUT has a shorter RTO than the case wished, and not a longer one than a round trip takes:
 * it retransmits, and gives up, before an ACK can arrive, and before the tester sees that. */
static bool has_short_rto(const struct tl_session *session)
{
    uint64_t rto_ns = session->connection.params.rto_ns;

    return tl_verdict_unlike(session) && !session->bench->caps.live &&
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
    if (tl_interp_unlike(interp, miss->t_ns) || has_short_rto(session) ||
        tl_verdict_moved(session, miss->t_ns)) {
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
        step->verb != TL_EXPECT || (miss->packet != UINT64_MAX && !miss->other_type))
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

/* The advice of a step whose SUT has a turnaround that nobody declared. Allocated. */
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

    p = tl_verdict_problem(out, TL_PROBLEM_STEP, FAL_VERDICT_INCONC, reason);
    if (p == NULL)
        return NULL;
    p->step = (int32_t)number;
    p->line = step->at.line;
    p->requirement = step->covers.count > 0 ? step->covers.list[0] : NULL;
    p->text = tl_verdict_copy(step->text);
    p->step_code = tl_verdict_copy(step->code);
    p->expected = tl_verdict_copy(step->text);
    return p;
}

/* A step that was met, but only by a turnaround longer than the one that was learned. */
void tl_verdict_slow(struct tl_case *out, const struct tl_session *session,
                     const struct tl_scenario *scenario, const struct tl_interp *interp)
{
    const struct tl_seen_packet *packet = interp->slow.packet != UINT64_MAX
                                              ? tl_session_packet(session, interp->slow.packet)
                                              : NULL;
    struct tl_problem *p;
    char line[TL_VERDICT_LINE], why[160];

    if (!interp->slow.any || session->broken.reason != TL_REASON_NONE)
        return;
    p = met_in_vain(out, &scenario->steps[interp->slow.step], interp->slow.step,
                    TL_REASON_TURNAROUND);
    if (p == NULL)
        return;
    p->t_ns = interp->slow.t_ns;
    if (packet != NULL)
        tl_session_print(session, packet, line, sizeof line);
    p->seen = packet != NULL ? tl_verdict_copy(line) : NULL;
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

void tl_verdict_absents(struct tl_case *out, const struct tl_session *session,
                        const struct tl_scenario *scenario, struct tl_interp *interp)
{
    bool sut;

    if (interp->state == TL_INTERP_MISSED || session->broken.reason != TL_REASON_NONE ||
        tl_session_lost_ns(session, &sut) == 0)
        return;
    for (size_t k = 0; k < interp->num_absent && k < TL_ABSENT_MAX; k++)
        judge_absent(out, session, scenario, interp, k);
}

void tl_verdict_steps(struct tl_case *out, const struct tl_session *session,
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
    p = tl_verdict_problem(out, TL_PROBLEM_STEP, verdict, reason);
    if (p == NULL)
        return;
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
    p->text = tl_verdict_copy(step->text);
    p->step_code = tl_verdict_copy(step->code);
    p->expected = tl_verdict_copy(miss->expected);
    p->seen = tl_verdict_copy(reason != TL_REASON_SETUP               ? miss->seen
                              : tl_verdict_unlike(session)            ? session->unlike
                              : tl_verdict_moved(session, miss->t_ns) ? tl_verdict_moved_text
                                                                      : miss->seen);
    p->why = reason == TL_REASON_TURNAROUND ? to_declare(session, miss->why)
                                            : tl_verdict_copy(miss->why);
    if (miss->packet != UINT64_MAX && tl_session_packet(session, miss->packet) != NULL)
        p->evidence[p->num_evidence++] = tl_session_packet(session, miss->packet)->event;
    tl_case_ladder(p, session, &miss->packet, miss->packet != UINT64_MAX);
    trace = tl_trace_of(session);
    symptoms = tl_step_symptoms(&trace, interp, &p->field);
    tl_verdict_symptoms(p, &symptoms);
}
