/* SPDX-License-Identifier: Apache-2.0
 * interp_missed.c - a step was missed: whether the SUT is to blame, or whether the tester came
 * late, the SUT may be slow within what it left undeclared, or it lacked resources. */
#include "harness/play/players.h"

#include <stdio.h>

enum { FAR_LONGER = 8 }; /* a time that hides no turnaround, as an RTO */

/* Whether a SUT that declares no turnaround may have missed the step by being slow: its answers
 * are not far shorter than the time that the step gives it. */
static bool may_be_slow(const struct tl_interp *interp)
{
    const struct tl_step *step = &interp->scenario->steps[interp->step];
    struct fal_vars vars = tl_scope_vars((struct tl_scope *)&interp->scope);
    const struct fal_duration *last = step->time == FAL_TIME_RANGE ? &step->to : &step->from;
    uint64_t ns = 0;

    if (step->time == FAL_TIME_NONE || fal_duration_ns(last, &vars, &ns, NULL) != 0)
        ns = 0;
    return !tl_session_decides(interp->session, ns / FAR_LONGER);
}

struct tl_miss *tl_interp_missed(struct tl_interp *interp, enum fal_verdict verdict,
                                 enum tl_reason reason, uint64_t since_ns)
{
    const struct tl_session *session = interp->session;
    const struct tl_scenario *scenario = interp->scenario;
    struct tl_miss *miss = &interp->miss;
    /* After the last step a workload still runs: that step stands for it. */
    size_t step = interp->step < scenario->num_steps ? interp->step : scenario->num_steps - 1;

    interp->state = TL_INTERP_MISSED;
    *miss = (struct tl_miss){
        .verdict = verdict,
        .reason = reason,
        .step = step,
        .t_ns = tl_session_now(session),
        .packet = UINT64_MAX,
        .after_pause = session->pauses.count > 0,
    };
    (void)snprintf(miss->expected, sizeof miss->expected, "%s", scenario->steps[step].text);
    tl_session_take_timing(interp->session);
    if (verdict == FAL_VERDICT_FAIL &&
        tl_interp_timer_unjudged(interp, &interp->scenario->steps[interp->step])) {
        miss->verdict = FAL_VERDICT_INCONC;
        miss->reason = TL_REASON_UNDECIDED;
    }
    if (verdict == FAL_VERDICT_FAIL &&
        ((session->late_ns > 0 && session->late_at_ns >= since_ns) ||
         tl_session_tester_was_late(session))) {
        miss->verdict = FAL_VERDICT_INCONC;
        miss->reason = TL_REASON_TESTER_LATE;
    }
    if (miss->verdict == FAL_VERDICT_FAIL && may_be_slow(interp)) {
        miss->verdict = FAL_VERDICT_INCONC;
        miss->reason = TL_REASON_TURNAROUND;
    }
    /* A request was refused; or the SUT still holds resources of earlier cases, and no command
     * can release them. */
    if (miss->verdict == FAL_VERDICT_FAIL && (session->starved || tl_interp_refused(interp))) {
        miss->verdict = FAL_VERDICT_INCONC;
        miss->reason = TL_REASON_RESOURCES;
    }
    return miss;
}

void tl_interp_not_refused(struct tl_interp *interp, const char *seen)
{
    struct tl_miss *miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET, 0);

    miss->verdict = FAL_VERDICT_FAIL;
    miss->reason = TL_REASON_UNMET;
    (void)snprintf(miss->seen, sizeof miss->seen, "%s", seen);
}

void tl_interp_early(const struct tl_interp *interp, struct tl_miss *miss, uint64_t by_ns)
{
    const struct tl_session *session = interp->session;

    if (miss->verdict != FAL_VERDICT_FAIL || tl_session_declared(session) ||
        by_ns > session->patience_ns)
        return;
    miss->verdict = FAL_VERDICT_INCONC;
    miss->reason = TL_REASON_TURNAROUND;
}

/* Whether nothing that the tester did before since_ns may still be answered after it: it did
 * nothing for slow_ns, or a packet of the SUT, another one than `but`, arrived at since_ns, and
 * what the SUT had sent before it does not come after it. */
static bool all_answered(const struct tl_interp *interp, uint64_t since_ns, uint64_t slow_ns,
                         uint64_t but)
{
    const struct tl_session *session = interp->session;
    bool quiet = session->asked_ns >= since_ns || session->asked_ns + slow_ns <= since_ns;

    for (uint64_t n = session->packets.next; n-- > tl_session_first_packet(session);) {
        const struct tl_seen_packet *packet = tl_session_packet(session, n);

        if (packet->t_ns + slow_ns <= since_ns)
            break;
        if (packet->t_ns == since_ns && packet->dir == FAL_FROM_SUT && n != but)
            return true;
        if (packet->t_ns < since_ns && packet->dir == FAL_TO_SUT)
            quiet = false;
    }
    return quiet;
}

void tl_interp_unexpected(const struct tl_interp *interp, struct tl_miss *miss,
                          uint64_t since_ns, uint64_t until_ns)
{
    uint64_t slow_ns = 2 * interp->session->connection.learned_max_ns;
    /* The answers of a SUT that is slower than the limits are not short against its timers: one
     * may fire before the SUT has processed what the period began with. */
    bool in_time = miss->t_ns >= since_ns + slow_ns ||
                   (tl_session_decides(interp->session, 0) &&
                    all_answered(interp, since_ns, slow_ns, miss->packet));

    if (miss->verdict != FAL_VERDICT_FAIL || tl_session_declared(interp->session) ||
        (in_time && miss->t_ns + slow_ns <= until_ns))
        return;
    miss->verdict = FAL_VERDICT_INCONC;
    miss->reason = TL_REASON_TURNAROUND;
}
