/* SPDX-License-Identifier: Apache-2.0
 * scenario_names.c - every $name of a scenario must be bound before the step that uses it: by
 * vars, let, a capture, or as a parameter. Found here, not half-way through a run. */
#include "harness/scenario_reader.h"

#include "codecs/nearest.h"

#include <string.h>

enum { NAMES_MAX = 256 };

struct names {
    struct tl_reader *reader;
    const char *bound[NAMES_MAX];
    size_t count;
};

static void bind(struct names *n, const struct tl_path *at, const char *name)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->bound[i], name) == 0)
            return;
    if (n->count < NAMES_MAX)
        n->bound[n->count++] = name;
    else
        tl_reader_error(n->reader, at, "more than %d variables", NAMES_MAX);
}

static void use(struct names *n, const struct tl_path *at, const char *name)
{
    const char *words[NAMES_MAX + 64], *near;
    size_t num_params, count = n->count;
    const struct fal_param *params = fal_param_table(&num_params);

    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->bound[i], name) == 0)
            return;
    for (size_t i = 0; i < num_params; i++)
        if (strcmp(params[i].name, name) == 0)
            return;
    memcpy(words, n->bound, n->count * sizeof *words);
    for (size_t i = 0; i < num_params && count < sizeof words / sizeof *words; i++)
        words[count++] = params[i].name;
    near = fal_nearest(name, words, count);
    if (near != NULL)
        tl_reader_error(n->reader, at, "$%s is not bound here; did you mean $%s?", name, near);
    else
        tl_reader_error(
            n->reader, at,
            "$%s is not bound here; bind it with vars, let or @%s before, or use a parameter",
            name, name);
}

static void check_duration(struct names *n, const struct tl_path *at,
                           const struct fal_duration *duration)
{
    if (duration->var[0] != 0)
        use(n, at, duration->var);
}

static void check_value(struct names *n, const struct tl_path *at, const struct tl_value *value)
{
    switch (value->kind) {
    case TL_VALUE_EXPR: check_duration(n, at, &value->expr); break;
    case TL_VALUE_CAPTURE: bind(n, at, value->name); break;
    case TL_VALUE_RANGE:
    case TL_VALUE_SET:
        for (size_t i = 0; i < value->num_items; i++)
            check_value(n, at, &value->items[i]);
        break;
    case TL_VALUE_NUMBER:
    case TL_VALUE_RELATIVE:
    case TL_VALUE_ANY: break;
    }
}

static void check_assignments(struct names *n, const struct tl_path *at,
                              const struct tl_assignment *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_value(n, at, &list[i].value);
        bind(n, at, list[i].name);
    }
}

static void check_pattern(struct names *n, const struct tl_path *at,
                          const struct fal_pattern *pattern)
{
    for (size_t i = 0; i < pattern->num_terms; i++) {
        const struct fal_term *term = &pattern->terms[i];

        if (term->kind == FAL_TERM_VAR)
            use(n, at, term->var);
        else if (term->kind == FAL_TERM_CAPTURE)
            bind(n, at, term->var);
    }
}

static void check_act_values(struct names *n, const struct tl_path *at,
                             const struct tl_act_values *values)
{
    for (size_t i = 0; i < TL_ACT_MEMBERS; i++)
        if (values->given[i])
            check_value(n, at, &values->values[i]);
}

static void check_policy(struct names *n, const struct tl_path *at,
                         const struct tl_policy *policy)
{
    for (size_t i = 0; i < policy->count; i++)
        check_act_values(n, at, &policy->rules[i]);
}

static void check_params(struct names *n, const struct tl_path *at,
                         const struct tl_param_setup *params, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_value(n, at, &params[i].value);
}

static void check_step(struct names *n, const struct tl_path *at, const struct tl_step *step)
{
    if (step->time != FAL_TIME_NONE)
        check_duration(n, at, &step->from);
    if (step->time == FAL_TIME_RANGE)
        check_duration(n, at, &step->to);
    switch (step->verb) {
    case TL_SEND: check_pattern(n, at, step->u.send.pattern); break;
    case TL_EXPECT:
    case TL_EXPECT_NONE:
        for (size_t i = 0; i < step->u.expect.count; i++)
            check_pattern(n, at, &step->u.expect.any_of[i]);
        break;
    case TL_ULP:
        check_act_values(n, at, &step->u.ulp.act.values);
        check_policy(n, at, &step->u.ulp.act.policy);
        check_params(n, at, step->u.ulp.act.params, step->u.ulp.act.num_params);
        break;
    case TL_EXPECT_ULP:
    case TL_EXPECT_NO_EVENT:
        for (size_t i = 0; i < TL_EVENT_MEMBERS; i++)
            if (step->u.expect_ulp.pattern.given[i])
                check_value(n, at, &step->u.expect_ulp.pattern.values[i]);
        break;
    case TL_LET: check_assignments(n, at, step->u.let.list, step->u.let.count); break;
    case TL_WAIT:
    case TL_NOTE: break;
    }
}

void tl_check_names(struct tl_reader *r)
{
    const struct tl_scenario *s = r->scenario;
    struct names names = {.reader = r};
    struct tl_path root = {0};
    struct tl_path connection = {.up = &root, .key = "connection"};
    struct tl_path params = {.up = &connection, .key = "params"};
    struct tl_path vars = {.up = &root, .key = "vars"}, policy = {.up = &root, .key = "policy"};
    struct tl_path steps = {.up = &root, .key = "steps"};

    check_params(&names, &params, s->params, s->num_params);
    check_assignments(&names, &vars, s->vars, s->num_vars);
    check_policy(&names, &policy, &s->policy);
    for (size_t i = 0; i < s->num_steps; i++) {
        struct tl_path here = {.up = &steps, .index = i};

        check_step(&names, &here, &s->steps[i]);
    }
}
