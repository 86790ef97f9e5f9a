/* SPDX-License-Identifier: Apache-2.0
 * run_alone.c - which cases need the SUT for themselves: those that use or change something
 * that all connections of the SUT share. */
#include "harness/run/crew.h"

#include <string.h>

/* What decides: the scenario and the run that plays it. */
struct asked {
    const struct tl_run *run;
    const struct tl_scenario *scenario;
    bool ports;
};

static bool is_recording(const struct asked *a)
{
    return a->scenario->playback != NULL;
}

static bool has_copies(const struct asked *a)
{
    return tl_run_copies_of(a->run, a->scenario) > 1;
}

static bool sets_sut_cid(const struct asked *a)
{
    return a->scenario->sut.has_cid;
}

static bool sets_tester_cid(const struct asked *a)
{
    return a->scenario->tester.has_cid && !a->ports;
}

static bool sets_pcid(const struct asked *a)
{
    return a->scenario->has_pcid;
}

static bool may_wedge(const struct asked *a)
{
    for (size_t i = 0; i < a->scenario->num_tags; i++)
        if (strcmp(a->scenario->tags[i], TL_TAG_MAY_WEDGE) == 0)
            return true;
    return false;
}

static bool acts(const struct asked *a, enum tl_act_verb verb)
{
    for (size_t i = 0; i < a->scenario->num_steps; i++) {
        const struct tl_step *step = &a->scenario->steps[i];

        if (step->verb == TL_ULP && step->u.ulp.side == TL_SIDE_SUT &&
            step->u.ulp.act->verb == verb)
            return true;
    }
    return false;
}

/* Either side's: keys are of the device, and a rotation of the tester's asks for the SUT's. */
static bool rotates_keys(const struct asked *a)
{
    for (size_t i = 0; i < a->scenario->num_steps; i++) {
        const struct tl_step *step = &a->scenario->steps[i];

        if (step->verb == TL_ULP && step->u.ulp.act->verb == TL_ACT_ROTATE_KEYS)
            return true;
    }
    return false;
}

static bool opens_another(const struct asked *a)
{
    return acts(a, TL_ACT_OPEN);
}

static bool reads_counters(const struct asked *a)
{
    return acts(a, TL_ACT_COUNTERS);
}

/* Which entries are shown, who gives results and what ACKs report are the device's. */
static bool commands_rue(const struct asked *a)
{
    for (size_t i = 0; i < a->scenario->num_steps; i++) {
        const struct tl_step *step = &a->scenario->steps[i];

        if (step->verb == TL_CC && step->u.cc->verb != TL_DO_CC_CONFIG &&
            step->u.cc->verb != TL_DO_CC_FEED)
            return true;
    }
    return false;
}

/* Namespaces and devices are those of the SUT, and its events name no connection. */
static bool commands_nvme(const struct asked *a)
{
    return a->scenario->upper == TL_UPPER_NVME;
}

/* The pools of a device are shared by its connections; limits that the scenario sets are those
 * of its connection. */
static bool uses_pools(const struct asked *a)
{
    return tl_scenario_needs_pools(a->scenario) && !tl_scenario_sets_limits(a->scenario);
}

static bool names_occupancy(const struct fal_pattern *pattern)
{
    for (size_t i = 0; i < pattern->num_items; i++)
        if (pattern->items[i].field != NULL &&
            strcmp(pattern->items[i].field->name, "rx_buffer_occupancy") == 0)
            return true;
    return false;
}

static bool expects_occupancy(const struct asked *a)
{
    for (size_t i = 0; i < a->scenario->num_steps; i++) {
        const struct tl_step *step = &a->scenario->steps[i];

        for (size_t k = 0; step->verb == TL_EXPECT && k < step->u.expect.count; k++)
            if (names_occupancy(step->u.expect.any_of[k]))
                return true;
    }
    return false;
}

const char *tl_run_alone(const struct tl_run *run, const struct tl_scenario *scenario,
                         bool ports)
{
    static const struct {
        bool (*needs)(const struct asked *a);
        const char *why;
    } table[] = {
        {is_recording, "it plays a recording"},
        {has_copies, "it uses several connections itself"},
        {sets_sut_cid, "it sets the SUT's CID"},
        {sets_tester_cid, "it sets the tester's CID, and the connections share one address"},
        {sets_pcid, "it uses virtualization cookies, which the device matches or ignores"},
        {rotates_keys, "it rotates the keys of the device"},
        {opens_another, "it opens one more connection itself"},
        {reads_counters, "it reads the counters of the device"},
        {commands_rue, "it commands the congestion control of the device"},
        {commands_nvme, "it sets up namespaces and devices of the SUT"},
        {uses_pools, "it uses up resources of the device"},
        {expects_occupancy, "it expects a fill level of the receive buffer"},
        {may_wedge, "it may leave the device in need of a reset"},
    };
    const struct asked a = {run, scenario, ports};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].needs(&a))
            return table[i].why;
    return NULL;
}
