/* SPDX-License-Identifier: Apache-2.0
 * paused.c - the verdict on a case whose steps were stopped on a live link. Meanwhile the
 * timers of the SUT ran, and the deadlines of the steps did not. So nothing from the first stop
 * on is a fail or a pass; a violation before it is one. */
#include "harness/verdict/verdict_impl.h"

#include "codecs/base/time_text.h"

#include <stdio.h>

/* Whether the problem may follow from a stop. */
static bool follows(const struct tl_problem *p, const struct tl_session *session,
                    const struct tl_interp *interp)
{
    if (p->kind == TL_PROBLEM_STEP && interp != NULL && interp->state == TL_INTERP_MISSED &&
        p->step == (int32_t)interp->miss.step)
        return interp->miss.after_pause;
    return p->kind == TL_PROBLEM_STOP || tl_session_after_pause(session, p->t_ns);
}

void tl_verdict_paused(struct tl_case *out, const struct tl_session *session,
                       const struct tl_interp *interp)
{
    const struct tl_session_pauses *pauses = &session->pauses;
    uint64_t total_ns =
        pauses->total_ns + (pauses->now ? tl_session_now(session) - pauses->since_ns : 0);
    struct tl_problem *p;

    if (pauses->count == 0)
        return;
    out->verdict = FAL_VERDICT_PASS;
    out->reason = tl_reason(TL_REASON_NONE);
    for (size_t i = 0; i < out->num_problems; i++) {
        p = &out->problems[i];
        if (p->verdict <= FAL_VERDICT_FAIL && p->reason.id != TL_REASON_QUIT &&
            follows(p, session, interp)) {
            p->verdict = FAL_VERDICT_INCONC;
            p->reason = tl_reason(TL_REASON_PAUSED);
        }
        tl_case_worsen(out, p->verdict, p->reason.id);
    }
    p = tl_verdict_problem(out, TL_PROBLEM_EXERCISE, FAL_VERDICT_INCONC, TL_REASON_PAUSED);
    if (p == NULL)
        return;
    p->t_ns = pauses->first_ns;
    if (asprintf(&p->text,
                 "the steps were stopped %u time%s, for %s in all, first before step %d; what "
                 "came after that is no verdict (run the case without --step and --break-at)",
                 pauses->count, pauses->count == 1 ? "" : "s", fal_time_rounded(total_ns).text,
                 (int)pauses->step + 1) < 0)
        p->text = NULL;
}
