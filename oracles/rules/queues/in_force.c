/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/in_force.h"

#include "oracles/rules/judge/order.h"

/* Whether the SUT may have applied a result whose entry the tester reads later. In virtual time
 * and from the tester itself, none is late. */
static bool may_be_late(const struct fal_ctx *c)
{
    const struct fal_engine *engine = &c->bench->engine;

    return c->bench->run.live && !engine->tester &&
           fal_engine_moves(engine, &c->track->setup.rue);
}

struct fal_in_force fal_in_force(const struct fal_ctx *c, uint64_t t_ns, uint64_t since_ns)
{
    const struct fal_track *track = c->track;
    struct fal_in_force f = {.moved = track->limits.num > 0};
    uint64_t in_ns = 0, out_ns = 0, left_ns = 0;

    if (c->subject != FAL_SUBJECT_SUT) {
        f.moved = false;
        f.of = fal_limits_of_setup(&track->setup);
        return f;
    }
    f.of = fal_limits_unknown();
    f.by_result = f.moved && track->limits.at[track->limits.num - 1].by_result;
    if (fal_engine_hidden(&c->bench->engine, &track->setup.rue) || c->bench->events_lost ||
        may_be_late(c))
        return f;
    if (fal_round_ns(c, &in_ns, &out_ns) && t_ns > out_ns)
        left_ns = t_ns - out_ns;
    if (!fal_limits_at(&track->limits, since_ns, left_ns, fal_pipeline_ns(c), &f.of))
        f.of = fal_limits_of_setup(&track->setup);
    return f;
}

/* When the SUT surely had a result of the tester: FAL_NEVER until the reply is read. */
static uint64_t answered_ns(const struct fal_ctx *c, uint64_t index)
{
    const struct fal_limits *limits = &c->track->limits;

    for (unsigned i = 0; i < limits->num; i++)
        if (limits->at[i].from.index == index)
            return limits->at[i].sure_ns;
    return FAL_NEVER;
}

bool fal_result_applied(const struct fal_ctx *c, const struct fal_at *result, bool ours,
                        uint64_t t_ns)
{
    const struct fal_rue_facts *rue = &c->track->setup.rue;
    uint64_t sure_ns = ours ? answered_ns(c, result->index) : result->t_ns;

    if (sure_ns == FAL_NEVER || (!ours && !rue->has_latency))
        return false;
    if (!ours)
        sure_ns += rue->latency_ns;
    return sure_ns + fal_pipeline_ns(c) <= t_ns;
}
