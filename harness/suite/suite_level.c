/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/suite/suite_level.h"

const char *tl_level_name(enum tl_level level)
{
    static const char *const names[TL_LEVELS] = {"wire", "steered", "queues", "RUE", "fed"};

    return names[level];
}

/* Steps name what they decide; one that names nothing stands for the whole scenario. */
static bool decides(const struct tl_scenario *scenario, const struct tl_step *step,
                    const struct fal_requirement *requirement)
{
    const struct tl_ids *covers = step->covers.count > 0 ? &step->covers : &scenario->covers;

    for (size_t i = 0; i < covers->count; i++)
        if (covers->list[i] == requirement)
            return true;
    return false;
}

static bool shows_entry(const struct tl_step *step)
{
    return step->verb == TL_EXPECT_ULP && step->u.expect_ulp.pattern->entry != NULL;
}

static bool is_expectation(enum tl_verb verb)
{
    return verb == TL_EXPECT || verb == TL_EXPECT_NONE || verb == TL_EXPECT_NO_EVENT ||
           verb == TL_EXPECT_ULP || verb == TL_MEASURE || verb == TL_AWAIT;
}

unsigned tl_scenario_levels(const struct tl_scenario *scenario,
                            const struct fal_requirement *requirement)
{
    enum tl_level now = scenario->steers ? TL_LEVEL_STEERED : TL_LEVEL_WIRE;
    unsigned levels = 0;

    for (size_t i = 0; i < scenario->num_steps; i++) {
        const struct tl_step *step = &scenario->steps[i];

        if (step->verb == TL_CC && step->u.cc->verb == TL_DO_CC_ENGINE)
            now = step->u.cc->who == TL_CC_TESTER ? TL_LEVEL_ENGINE : TL_LEVEL_QUEUES;
        if (!decides(scenario, step, requirement))
            continue;
        if (step->verb == TL_CC && step->u.cc->result.fields.n > 0)
            levels |= 1U << TL_LEVEL_FED;
        else if (shows_entry(step) && now != TL_LEVEL_ENGINE)
            levels |= 1U << TL_LEVEL_QUEUES;
        else if (is_expectation(step->verb))
            levels |= 1U << now;
    }
    return levels;
}
