/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/limits.h"

#include "oracles/rules/facts/echo.h"

#include <jansson.h>
#include <string.h>

struct fal_limit_range fal_limits_unknown(void)
{
    return (struct fal_limit_range){
        .lo = {0, 0, 0, 0},
        .hi = {UINT32_MAX, UINT32_MAX, FAL_NEVER, FAL_NEVER},
    };
}

static bool given(const struct fal_connection *setup, enum fal_param_at at)
{
    return (setup->unknown_params >> at & 1) == 0;
}

struct fal_limit_range fal_limits_of_setup(const struct fal_connection *setup)
{
    struct fal_limit_range r = fal_limits_unknown();
    const struct fal_params *params = &setup->params;

    if (given(setup, FAL_PARAM_AT_fcwnd))
        r.lo.fcwnd = r.hi.fcwnd = params->fcwnd * FAL_CC_FRACTION + params->fcwnd_fraction;
    if (given(setup, FAL_PARAM_AT_ncwnd))
        r.lo.ncwnd = r.hi.ncwnd = params->ncwnd;
    if (given(setup, FAL_PARAM_AT_packet_gap))
        r.lo.gap_ns = r.hi.gap_ns = params->packet_gap_ns;
    if (given(setup, FAL_PARAM_AT_rto) && !params->rto_varies)
        r.lo.rto_ns = r.hi.rto_ns = params->rto_ns;
    return r;
}

static struct fal_limit_range exactly(const struct fal_rue_facts *rue,
                                      const struct fal_limit_values *v, uint32_t gap,
                                      uint32_t rto)
{
    struct fal_limit_range r = {.lo = *v, .hi = *v};

    r.lo.gap_ns = (uint64_t)gap * rue->gap_tick_ps / 1000;
    r.hi.gap_ns = ((uint64_t)gap * rue->gap_tick_ps + 999) / 1000;
    r.lo.rto_ns = (uint64_t)fal_ticks_ns(rto);
    r.hi.rto_ns = (uint64_t)fal_ticks_ns(rto) + 1;
    return r;
}

struct fal_limit_range fal_limits_of_event(const struct fal_rue_facts *rue,
                                           const struct fal_cc_event *event)
{
    const struct fal_limit_values v = {
        .fcwnd = (uint32_t)event->fcwnd_integer * FAL_CC_FRACTION + event->fcwnd_fraction,
        .ncwnd = event->ncwnd};

    return exactly(rue, &v, event->inter_packet_gap, event->retransmit_timeout);
}

struct fal_limit_range fal_limits_of_result(const struct fal_rue_facts *rue,
                                            const struct fal_cc_result *result)
{
    const struct fal_limit_values v = {
        .fcwnd = (uint32_t)result->fcwnd_integer * FAL_CC_FRACTION + result->fcwnd_fraction,
        .ncwnd = result->ncwnd};

    return exactly(rue, &v, result->inter_packet_gap, result->retransmit_timeout);
}

#define LOWER(field) \
    to->lo.field = with->lo.field < to->lo.field ? with->lo.field : to->lo.field
#define HIGHER(field) \
    to->hi.field = with->hi.field > to->hi.field ? with->hi.field : to->hi.field

void fal_limits_join(struct fal_limit_range *to, const struct fal_limit_range *with)
{
    LOWER(fcwnd);
    LOWER(ncwnd);
    LOWER(gap_ns);
    LOWER(rto_ns);
    HIGHER(fcwnd);
    HIGHER(ncwnd);
    HIGHER(gap_ns);
    HIGHER(rto_ns);
}

void fal_limits_add(struct fal_limits *limits, const struct fal_limit *limit,
                    const struct fal_limit_range *before)
{
    if (limits->num == 0)
        limits->at[limits->num++] = (struct fal_limit){.of = *before};
    if (limits->num == FAL_LIMITS_KEPT) {
        fal_limits_join(&limits->at[1].of, &limits->at[0].of);
        memmove(&limits->at[0], &limits->at[1], (FAL_LIMITS_KEPT - 1) * sizeof limits->at[0]);
        limits->num--;
    }
    limits->at[limits->num++] = *limit;
}

void fal_limits_answered(struct fal_limits *limits, int64_t id, bool ok, uint64_t t_ns)
{
    for (unsigned i = 1; i < limits->num; i++) {
        if (limits->at[i].id != id)
            continue;
        limits->at[i].id = 0;
        if (!ok) {
            limits->at[i].of = limits->at[i - 1].of; /* It was never in force. */
        } else if (i + 1U == limits->num) {
            limits->at[i].sure_ns = t_ns;
        } else {
            /* Others came meanwhile, and nobody knows in which order the SUT applied them. */
            struct fal_limit joint = limits->at[i];

            for (unsigned k = i + 1U; k < limits->num; k++)
                fal_limits_join(&joint.of, &limits->at[k].of);
            joint.sure_ns = t_ns;
            fal_limits_add(limits, &joint, &joint.of);
        }
        return;
    }
}

static bool member(const json_t *params, const char *key, uint64_t *out)
{
    const json_t *value = json_object_get(params, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

static uint32_t within(uint64_t value, uint32_t most)
{
    return value < most ? (uint32_t)value : most;
}

bool fal_limits_set(const char *line, struct fal_limit_range *r)
{
    json_t *root = line != NULL ? json_loads(line, 0, NULL) : NULL;
    const json_t *params = json_object_get(root, "params");
    uint64_t n, fraction = r->hi.fcwnd % FAL_CC_FRACTION;
    bool any = false, whole = member(params, "fcwnd", &n);

    if (!whole)
        n = r->hi.fcwnd / FAL_CC_FRACTION;
    if (member(params, "fcwnd_fraction", &fraction) || whole) {
        bool known = r->lo.fcwnd == r->hi.fcwnd;

        /* One part alone leaves the other one unknown, if it was. */
        r->hi.fcwnd =
            within(n, FAL_CC_WINDOW_MAX) * FAL_CC_FRACTION +
            (known || !whole ? within(fraction, FAL_CC_FRACTION - 1) : FAL_CC_FRACTION - 1);
        r->lo.fcwnd = known ? r->hi.fcwnd : 0;
        any = true;
    }
    if (member(params, "ncwnd", &n)) {
        r->lo.ncwnd = r->hi.ncwnd = within(n, UINT32_MAX - 1);
        any = true;
    }
    if (member(params, "packet_gap_ns", &n)) {
        r->lo.gap_ns = r->hi.gap_ns = n;
        any = true;
    }
    if (member(params, "rto_ns", &n)) {
        r->lo.rto_ns = r->hi.rto_ns = n;
        any = true;
    }
    any |= json_is_true(json_object_get(root, "randomize_path"));
    json_decref(root);
    return any;
}

bool fal_limits_draws_path(const char *line)
{
    json_t *root = line != NULL ? json_loads(line, 0, NULL) : NULL;
    bool draws = json_is_true(json_object_get(root, "randomize_path"));

    json_decref(root);
    return draws;
}

bool fal_limits_newest(const struct fal_limits *limits, struct fal_limit_range *out)
{
    if (limits->num > 0)
        *out = limits->at[limits->num - 1].of;
    return limits->num > 0;
}

/* Whether the SUT surely had applied it by then. */
static bool applied(const struct fal_limit *limit, uint64_t t_ns, uint64_t pipeline_ns)
{
    return limit->sure_ns != FAL_NEVER && limit->latency_ns != FAL_NEVER &&
           limit->sure_ns + limit->latency_ns + pipeline_ns <= t_ns;
}

bool fal_limits_at(const struct fal_limits *limits, uint64_t since_ns, uint64_t t_ns,
                   uint64_t pipeline_ns, struct fal_limit_range *out)
{
    bool all = since_ns > t_ns; /* from before the first event on */
    uint64_t from_ns = all ? 0 : t_ns - since_ns;

    if (limits->num == 0)
        return false;
    *out = limits->at[limits->num - 1].of;
    for (unsigned i = limits->num - 1U; i > 0; i--) {
        if (!all && applied(&limits->at[i], from_ns, pipeline_ns))
            break;
        fal_limits_join(out, &limits->at[i - 1].of);
    }
    return true;
}
