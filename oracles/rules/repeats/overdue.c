/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/repeats/overdue.h"

#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"

bool fal_overdue_again(struct fal_overdue *o, int64_t x, const struct fal_sent *sent,
                       const struct fal_seen *q, uint64_t apart_ns)
{
    if (o->late && o->x == x && o->index == sent->last_index)
        return q->at.t_ns - o->since_ns > apart_ns;
    *o = (struct fal_overdue){.late = true,
                              .x = x,
                              .index = sent->last_index,
                              .since_ns = q->at.t_ns,
                              .by = q->at,
                              .told = o->told};
    return false;
}

uint64_t fal_rto_slack_ns(const struct fal_ctx *c)
{
    struct fal_path out = fal_path_out(c);
    uint64_t ns;

    if (!fal_is_learned(c)) /* also of a SUT that declared none: an RTO is far longer */
        ns = fal_pipeline_ns(c) + c->track->setup.params.turnaround_ns;
    else if (!fal_slack_ns(c, FAL_TIMER_RTO, 1, &ns))
        return FAL_UNLIMITED;
    return ns + 2 * out.jitter_ns + 2 * c->bench->run.clock_error_ns;
}

bool fal_rto_decides(const struct fal_ctx *c, struct fal_timer_bounds *b)
{
    return fal_rto_judged(c, b) && fal_in_ratio(c, FAL_RATIO_E4) &&
           fal_given(c, FAL_PARAM_AT_max_attempts) && fal_given(c, FAL_PARAM_AT_fcwnd) &&
           fal_given(c, FAL_PARAM_AT_ncwnd);
}

uint64_t fal_timers_reset(const struct fal_ctx *c, const struct fal_event *mark,
                          uint64_t reset_index)
{
    switch (mark->u.mark.mark) {
    case FAL_MARK_TESTER_LATE:
    case FAL_MARK_SUT_LATE: return c->subject == FAL_SUBJECT_TESTER ? mark->index : reset_index;
    case FAL_MARK_CLOCK_STEP: return mark->index;
    case FAL_MARK_GAP_IN:
    case FAL_MARK_GAP_OUT:
    case FAL_MARK_LOSSLESS_IN:
    case FAL_MARK_LOSSLESS_OUT:
    case FAL_MARK_BARRIER: break;
    }
    return reset_index;
}
