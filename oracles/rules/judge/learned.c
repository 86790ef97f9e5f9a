/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/learned.h"

#include "oracles/rules/judge/report.h"

/* Whether all answers that were measured are surely short against the timer. */
static bool is_short(const struct fal_connection *setup, enum fal_timer timer)
{
    return fal_learned_below(setup, fal_undeclared_cap_ns(&setup->params, timer));
}

void fal_learned_settle(struct fal_connection *setup)
{
    uint64_t value = FAL_UNLIMITED;

    setup->learned_params &= FAL_LEARNABLE;
    if (setup->learned_params == 0)
        return;
    if (is_short(setup, FAL_TIMER_COALESCING))
        value = fal_undeclared_cap_ns(&setup->params, FAL_TIMER_COALESCING);
    else if (is_short(setup, FAL_TIMER_RTO))
        value = fal_undeclared_cap_ns(&setup->params, FAL_TIMER_RTO);
    else
        setup->unknown_params |= setup->learned_params;
    if ((setup->learned_params >> FAL_PARAM_AT_turnaround & 1) != 0)
        setup->params.turnaround_ns = value;
    if ((setup->learned_params >> FAL_PARAM_AT_pipeline & 1) != 0)
        setup->params.pipeline_ns = value;
}

bool fal_is_learned(const struct fal_ctx *c)
{
    return c->subject == FAL_SUBJECT_SUT && c->track->setup.learned_params != 0;
}

/* A value with which the subject may be convicted. False: there is none. */
static bool sure_ns(const struct fal_ctx *c, enum fal_param_at at, enum fal_timer timer,
                    uint64_t *ns)
{
    const struct fal_connection *setup = &c->track->setup;

    if (!fal_is_learned(c) || (setup->learned_params >> at & 1) == 0)
        return fal_given(c, at);
    *ns = fal_undeclared_cap_ns(&setup->params, timer);
    return is_short(setup, timer);
}

bool fal_slack_ns(const struct fal_ctx *c, enum fal_timer timer, unsigned pipelines,
                  uint64_t *ns)
{
    uint64_t turnaround_ns = c->track->setup.params.turnaround_ns;
    uint64_t pipeline_ns = c->track->setup.params.pipeline_ns;

    if (!sure_ns(c, FAL_PARAM_AT_turnaround, timer, &turnaround_ns) ||
        (pipelines > 0 && !sure_ns(c, FAL_PARAM_AT_pipeline, timer, &pipeline_ns)))
        return false;
    *ns = turnaround_ns + pipelines * pipeline_ns;
    return true;
}

bool fal_learned_within(const struct fal_ctx *c, uint64_t ns, unsigned times)
{
    return !fal_is_learned(c) || fal_learned_below(&c->track->setup, ns / times);
}

bool fal_met_plainly(const struct fal_ctx *c, uint64_t t_ns, uint64_t until_ns,
                     uint64_t slack_ns)
{
    return !fal_is_learned(c) || (slack_ns <= until_ns && t_ns <= until_ns - slack_ns);
}

void fal_held(struct fal_ctx *c, bool plainly)
{
    if (plainly || !fal_is_learned(c))
        fal_holds(c);
    else
        fal_excused(c, FAL_EXCUSE_TURNAROUND);
}

void fal_met(struct fal_ctx *c, uint64_t t_ns, uint64_t until_ns, uint64_t slack_ns)
{
    fal_held(c, fal_met_plainly(c, t_ns, until_ns, slack_ns));
}
