/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/play/numbers.h"

#include <string.h>

/* No case goes as far as that from its initial numbers. */
#define NEAR (UINT32_C(1) << 16)

bool tl_number_is_edge(uint32_t number)
{
    uint32_t half = number & INT32_MAX; /* mod 2^31 */

    return half == 0 || half > INT32_MAX - NEAR;
}

static bool term_is_absolute(const struct fal_pattern *pattern, size_t at)
{
    const struct fal_term *term = &pattern->terms[at];

    switch (term->kind) {
    case FAL_TERM_NUMBER: return true;
    case FAL_TERM_VAR: return !term->relative;
    case FAL_TERM_RANGE:
    case FAL_TERM_SET:
        for (size_t i = 0; i < term->count; i++)
            if (term_is_absolute(pattern, term->first + i))
                return true;
        return false;
    case FAL_TERM_RELATIVE:
    case FAL_TERM_ANY:
    case FAL_TERM_CAPTURE:
    case FAL_TERM_DURATION: break;
    }
    return false;
}

/* `to_sut`: of packets to the SUT. */
static void look_at_pattern(const struct fal_pattern *pattern, bool to_sut,
                            struct tl_absolute *out)
{
    if (pattern == NULL)
        return;
    if (pattern->hex_len > 0)
        out->sequence = out->address = true;
    for (size_t i = 0; i < pattern->num_items; i++) {
        const struct fal_field *field = pattern->items[i].field;

        if (field == NULL || !term_is_absolute(pattern, pattern->items[i].term))
            continue;
        if (field->kind == FAL_PSN || field->kind == FAL_RSN)
            out->sequence = true;
        if (to_sut &&
            (strcmp(field->name, "dest_cid") == 0 || strcmp(field->name, "dest_function") == 0))
            out->address = true;
    }
}

static void look_at_value(const struct tl_value *value, struct tl_absolute *out)
{
    if (value->kind == TL_VALUE_NUMBER || value->kind == TL_VALUE_EXPR)
        out->sequence = true;
    for (size_t i = 0;
         i < value->num_items && (value->kind == TL_VALUE_RANGE || value->kind == TL_VALUE_SET);
         i++)
        look_at_value(&value->items[i], out);
}

static void look_at_event(const struct tl_event_pattern *pattern, struct tl_absolute *out)
{
    if (pattern->given[TL_EVENT_RSN])
        look_at_value(&pattern->values[TL_EVENT_RSN], out);
}

static void look_at_measure(const struct tl_measure *measure, struct tl_absolute *out)
{
    switch (measure->kind) {
    case TL_COUNT:
    case TL_SHARE:
        look_at_pattern(measure->what, measure->dir == FAL_TO_SUT, out);
        look_at_pattern(measure->kind == TL_SHARE ? measure->of : NULL,
                        measure->dir == FAL_TO_SUT, out);
        break;
    case TL_EVENTS: look_at_event(&measure->event, out); break;
    case TL_STATE:
        if (measure->state <= TL_STATE_RX_DBPSN)
            look_at_value(&measure->is, out);
        break;
    case TL_WORKLOAD: break;
    }
}

static void look_at_rule(const struct tl_reaction *rule, struct tl_absolute *out)
{
    bool to_sut = rule->dir == FAL_TO_SUT;

    if (rule->is_event)
        look_at_event(&rule->event, out);
    else
        look_at_pattern(rule->pattern, to_sut, out);
    look_at_pattern(rule->rewrite, to_sut, out);
}

static void look_at_step(const struct tl_step *step, struct tl_absolute *out)
{
    if (step->verb == TL_SEND)
        look_at_pattern(step->u.send.pattern, true, out);
    if (step->verb == TL_EXPECT || step->verb == TL_EXPECT_NONE)
        for (size_t i = 0; i < step->u.expect.count; i++)
            look_at_pattern(step->u.expect.any_of[i], false, out);
    if (step->verb == TL_EXPECT_ULP || step->verb == TL_EXPECT_NO_EVENT)
        look_at_event(step->u.expect_ulp.pattern, out);
    if (step->verb == TL_ULP && step->u.ulp.act->values.given[TL_ACT_RSN])
        look_at_value(&step->u.ulp.act->values.values[TL_ACT_RSN], out);
    if (step->verb == TL_MEASURE || step->verb == TL_AWAIT)
        look_at_measure(step->u.measure, out);
    if (step->verb == TL_ON)
        look_at_rule(step->u.on.rule, out);
}

struct tl_absolute tl_absolute_of(const struct tl_scenario *scenario)
{
    struct tl_absolute out = {.sequence = false};
    const struct tl_scenario *conn;

    for (size_t i = 0; i < scenario->num_steps; i++)
        look_at_step(&scenario->steps[i], &out);
    /* The filter matches RSNs by their value (11). */
    for (unsigned k = 0; (conn = tl_scenario_conn(scenario, k)) != NULL; k++)
        for (size_t i = 0; i < conn->num_params; i++)
            if (strncmp(conn->params[i].param->name, "xlr_", 4) == 0)
                out.sequence = true;
    return out;
}
