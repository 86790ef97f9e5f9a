/* SPDX-License-Identifier: Apache-2.0
 * scenario_setup.c - the connection that a scenario needs. Values that it leaves open are drawn
 * from the seed. */
#include "harness/scenario/scenario.h"

#include "oracles/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SETUP_PART = 0x5e7 /* of the seed */ };

/* The RTO is at least so many round trips of the path. A transaction timeout that is not longer
 * than so many RTOs keeps its ratio to the RTO. */
enum { ROUND_TRIPS_OF_RTO = 4, TIMEOUTS_OF_RTO = 64 };
#define STRETCH_MAX_NS (1000 * FAL_S) /* longer times are not of a real path */

bool tl_path_variable(const struct tl_path_known *path, const char *name,
                      struct tl_expr_value *out)
{
    const struct {
        const char *name;
        enum tl_expr_type type;
        uint64_t value;
    } rows[] = {
        {"rtt", TL_TIME, path->rtt_ns},
        {"path_hops", TL_INTEGER, path->hops},
        {"path_hops_known", TL_INTEGER, path->hops_known},
        {"path_marks", TL_INTEGER, path->marks},
        {"sut_cid", TL_INTEGER, path->sut_cid},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        *out = (struct tl_expr_value){rows[i].type, rows[i].value};
        return true;
    }
    return false;
}

static bool get_default(const void *ctx, const char *name, struct tl_expr_value *value)
{
    const struct tl_setup_from *from = ctx;
    const struct fal_param *param = fal_param_find(name);

    if (param == NULL)
        return tl_path_variable(&from->path, name, value);
    value->type = param->kind == FAL_PARAM_DURATION ? TL_TIME : TL_INTEGER;
    value->value = fal_param_get(param, &from->defaults);
    return true;
}

/* Variables of the file, as far as they are made of defaults. */
static size_t bind_vars(const struct tl_scenario *scenario, const struct tl_scope *scope,
                        struct tl_var *vars)
{
    size_t n = 0;

    for (size_t i = 0; i < scenario->num_vars && n < TL_VARS_MAX; i++) {
        const struct tl_assignment *a = &scenario->vars[i];
        const struct tl_scope so_far = {.vars = vars,
                                        .num_vars = n,
                                        .fixed = scope->fixed,
                                        .fixed_ctx = scope->fixed_ctx,
                                        .exprs = scope->exprs};
        struct tl_expr_value value = {TL_INTEGER, 0};
        uint64_t number = 0;

        if (a->value.kind == TL_VALUE_EXPR) {
            value.type = TL_TIME;
            if (a->value.expr.var[0] != 0)
                (void)tl_scope_get(&so_far, a->value.expr.var, &value);
        }
        if (tl_value_get(&a->value, 0, &so_far, &number, NULL) != 0)
            continue;
        value.value = number;
        memcpy(vars[n].name, a->name, sizeof vars[n].name);
        vars[n++].value = value;
    }
    return n;
}

/* Values may be made of the defaults, and of variables: "rto": "$rto * 2". */
static int set_params(const struct tl_scenario *scenario, const struct tl_setup_from *from,
                      struct fal_params *out, struct fal_error *err)
{
    struct tl_var vars[TL_VARS_MAX];
    struct tl_scope scope = {
        .fixed = get_default, .fixed_ctx = from, .exprs = &scenario->exprs};

    scope.num_vars = bind_vars(scenario, &scope, vars);
    scope.vars = vars;
    *out = from->defaults;
    for (size_t i = 0; i < scenario->num_params; i++) {
        const struct tl_param_setup *setup = &scenario->params[i];
        uint64_t value = 0;
        int rc = tl_value_get(&setup->value, 0, &scope, &value, err);

        if (rc == 0)
            rc = fal_param_set(setup->param, out, value);
        if (rc == FAL_ERR_RANGE)
            return fal_fail(err, FAL_ERR_FORM, "%s: out of range", setup->param->name);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* A packet must not be retransmitted before its acknowledgement can arrive, and a transaction
 * must not time out before its answer can. So on a long path the RTO becomes a multiple of what
 * the scenario has, and the times that are measured by it grow in the same ratio. */
static void stretch(struct fal_params *params, uint64_t rtt_ns)
{
    uint64_t least_ns = ROUND_TRIPS_OF_RTO * rtt_ns, factor, longer_ns;

    if (rtt_ns > STRETCH_MAX_NS || params->rto_ns == 0)
        return;
    if (params->rto_ns < least_ns) {
        factor = (least_ns + params->rto_ns - 1) / params->rto_ns;
        longer_ns = params->transaction_timeout_ns < TIMEOUTS_OF_RTO * params->rto_ns
                        ? params->transaction_timeout_ns * factor
                        : TIMEOUTS_OF_RTO * params->rto_ns * factor;
        if (params->transaction_timeout_ns < longer_ns)
            params->transaction_timeout_ns = longer_ns;
        /* One that is longer than the RTO keeps early retransmission away, and still does. */
        if (params->initial_rtt_ns >= params->rto_ns && params->initial_rtt_ns < STRETCH_MAX_NS)
            params->initial_rtt_ns *= factor;
        params->rto_ns *= factor;
    }
    if (params->transaction_timeout_ns < 2 * least_ns)
        params->transaction_timeout_ns = 2 * least_ns;
}

static struct fal_end choose_end(const struct tl_end_setup *setup, struct fal_rng *rng)
{
    struct fal_end end = {
        .cid = (uint32_t)fal_rng_below(rng, 0xffffff) + 1,
        .function = (uint32_t)fal_rng_below(rng, 0x1000000),
        .req_psn = (uint32_t)fal_rng_next(rng),
        .data_psn = (uint32_t)fal_rng_next(rng),
        .rsn = (uint32_t)fal_rng_next(rng),
    };

    if (setup->has_cid)
        end.cid = setup->end.cid;
    if (setup->has_function)
        end.function = setup->end.function;
    if (setup->has_req_psn)
        end.req_psn = setup->end.req_psn;
    if (setup->has_data_psn)
        end.data_psn = setup->end.data_psn;
    if (setup->has_rsn)
        end.rsn = setup->end.rsn;
    return end;
}

int tl_scenario_setup(const struct tl_scenario *scenario, const struct tl_setup_from *from,
                      struct fal_connection *out, struct fal_error *err)
{
    struct fal_rng rng = fal_rng_split(from->seed, SETUP_PART);

    *out = (struct fal_connection){0};
    out->tester = choose_end(&scenario->tester, &rng);
    out->sut = scenario->sut.end;
    if (set_params(scenario, from, &out->params, err) != 0)
        return FAL_ERR_FORM;
    stretch(&out->params, from->path.rtt_ns);
    return 0;
}
