/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/limits/ixit_limits.h"
#include "codecs/base/time_text.h"

#include <stdio.h>

static const struct fal_limit table[FAL_LIMIT_COUNT] = {
#define ROW(name, limit_kind, limit_number, ids, lost, todo)                  \
    [FAL_LIMIT_AT_##name##_##limit_kind] = {.param = FAL_PARAM_AT_##name,     \
                                            .kind = FAL_LIMIT_##limit_kind,   \
                                            .number = UINT64_C(limit_number), \
                                            .rules = ids,                     \
                                            .loss = lost,                     \
                                            .cure = todo},
    FAL_LIMITS(ROW)
#undef ROW
};

const struct fal_limit *fal_limit(enum fal_limit_at at)
{
    return &table[at];
}

static uint64_t times(uint64_t ns, uint64_t n)
{
    return n > 0 && ns > FAL_NEVER / n ? FAL_NEVER : ns * n;
}

uint64_t fal_limit_of(enum fal_limit_at at, const struct fal_params *params)
{
    const struct fal_limit *limit = &table[at];
    struct fal_timer_bounds rto = fal_rto_bounds(params);

    switch (limit->kind) {
    case FAL_LIMIT_RTO: return rto.known ? rto.lo_ns / limit->number : FAL_NEVER;
    case FAL_LIMIT_COALESCING: return params->coalescing_ns / limit->number;
    case FAL_LIMIT_SPAN:
        return params->rto_varies && rto.known ? times(rto.lo_ns, limit->number) : FAL_NEVER;
    case FAL_LIMIT_NUMBER: return limit->number;
    case FAL_LIMIT_ATTEMPTS:
        return rto.known ? times(rto.hi_ns, params->max_attempts + limit->number) : 0;
    }
    return FAL_NEVER;
}

static uint64_t value_of(const struct fal_limit *limit, const struct fal_params *params)
{
    size_t n;

    return fal_param_get(&fal_param_table(&n)[limit->param], params);
}

bool fal_limit_kept(enum fal_limit_at at, const struct fal_params *params)
{
    const struct fal_limit *limit = &table[at];
    uint64_t value = value_of(limit, params), bound = fal_limit_of(at, params);

    return limit->kind == FAL_LIMIT_ATTEMPTS ? value >= bound : value <= bound;
}

/* A time with its unit, or a number. */
static struct fal_time_text value_text(const struct fal_param *param, uint64_t value)
{
    struct fal_time_text out;

    if (param->kind == FAL_PARAM_DURATION)
        return fal_time_text(value);
    (void)snprintf(out.text, sizeof out.text, "%llu", (unsigned long long)value);
    return out;
}

void fal_limit_text(enum fal_limit_at at, const struct fal_params *params,
                    char out[FAL_LIMIT_TEXT_MAX])
{
    const struct fal_limit *limit = &table[at];
    size_t n;
    const struct fal_param *param = &fal_param_table(&n)[limit->param];

    (void)snprintf(out, FAL_LIMIT_TEXT_MAX, "%s %s is %s than %s: rules %s lose power: %s; %s",
                   param->name, value_text(param, value_of(limit, params)).text,
                   limit->kind == FAL_LIMIT_ATTEMPTS ? "less" : "more",
                   value_text(param, fal_limit_of(at, params)).text, limit->rules, limit->loss,
                   limit->cure);
}

uint64_t fal_plausible_ns(uint64_t longest_ns)
{
    enum { TIMES = 8 };

    return times(longest_ns > FAL_US ? longest_ns : FAL_US, TIMES);
}
