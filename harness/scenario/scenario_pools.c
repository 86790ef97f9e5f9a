/* SPDX-License-Identifier: Apache-2.0
 * scenario_pools.c - which scenarios are about resources and credits. */
#include "harness/scenario/scenario.h"

#include <string.h>

const struct tl_scenario *tl_scenario_conn(const struct tl_scenario *scenario, unsigned i)
{
    if (scenario->num_conns == 0)
        return i == 0 ? scenario : NULL;
    return i < scenario->num_conns ? scenario->conns[i] : NULL;
}

static bool sets_limits(const struct tl_scenario *conn)
{
    static const char *const limits[] = {"credit_", "net_"};

    for (size_t i = 0; i < conn->num_params; i++)
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
            if (strncmp(conn->params[i].param->name, limits[k], strlen(limits[k])) == 0)
                return true;
    return false;
}

bool tl_scenario_sets_limits(const struct tl_scenario *scenario)
{
    const struct tl_scenario *conn;
    bool any = false;

    for (unsigned i = 0; (conn = tl_scenario_conn(scenario, i)) != NULL; i++)
        any |= sets_limits(conn);
    return any;
}

bool tl_scenario_needs_pools(const struct tl_scenario *scenario)
{
    for (size_t i = 0; i < scenario->num_needs; i++) {
        const struct tl_ics_condition *need = &scenario->needs[i];

        for (size_t k = 0; k < need->count; k++)
            if (need->any_of[k].item == TL_ICS_CONSTRAINED ||
                need->any_of[k].item == TL_ICS_OVERSUBSCRIPTION ||
                need->any_of[k].item == TL_ICS_ZONES)
                return true;
    }
    return false;
}
