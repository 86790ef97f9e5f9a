/* SPDX-License-Identifier: Apache-2.0
 * read_vars.c - the variables of a file: made of each other in any order, but in no circle.
 */
#include "harness/scenario/reader.h"

#include <stdio.h>
#include <string.h>

struct order {
    struct tl_reader *reader;
    const struct tl_path *at;
    const struct tl_exprs *exprs;
    struct tl_assignment *list; /* as they are written */
    struct tl_assignment *out;  /* each after the variables that it uses */
    size_t count, placed;
    unsigned char *state; /* 0: not looked at, 1: being placed, 2: placed */
    size_t chain[256], depth;
};

static void place(struct order *o, size_t i);

static void place_name(struct order *o, const char *name)
{
    for (size_t k = 0; k < o->count; k++)
        if (strcmp(o->list[k].name, name) == 0)
            place(o, k);
}

static void say_cycle(struct order *o, size_t i)
{
    struct tl_path here = {.up = o->at, .key = o->list[i].name};
    char chain[400] = "";
    size_t len = 0, k = 0;

    while (o->chain[k] != i)
        k++;
    for (; k < o->depth && len + 1 < sizeof chain; k++)
        len += (size_t)snprintf(chain + len, sizeof chain - len, "$%s is made of ",
                                o->list[o->chain[k]].name);
    tl_reader_error(o->reader, &here, "a cycle of variables: %s$%s", chain, o->list[i].name);
}

static void place(struct order *o, size_t i)
{
    const struct tl_value *value = &o->list[i].value;
    const struct tl_expr *expr =
        value->kind == TL_VALUE_EXPR ? tl_exprs_find(o->exprs, value->expr.var) : NULL;

    if (o->state[i] == 2)
        return;
    if (o->state[i] == 1) {
        say_cycle(o, i);
        return;
    }
    if (o->depth == sizeof o->chain / sizeof *o->chain)
        return; /* more variables than allowed: reported elsewhere */
    o->state[i] = 1;
    o->chain[o->depth++] = i;
    if (expr == NULL && value->kind == TL_VALUE_EXPR)
        place_name(o, value->expr.var);
    for (size_t k = 0; expr != NULL && k < expr->count; k++)
        if (expr->ops[k].op == 'v')
            place_name(o, expr->ops[k].name);
    o->depth--;
    o->state[i] = 2;
    o->out[o->placed++] = o->list[i];
}

/* Variables may be made of each other, in any order. */
static void order_vars(struct tl_reader *r, const struct tl_path *at)
{
    struct tl_scenario *s = r->scenario;
    struct order o = {.reader = r,
                      .at = at,
                      .exprs = &s->exprs,
                      .list = s->vars,
                      .count = s->num_vars,
                      .out = fal_arena_alloc(&s->arena, s->num_vars + 1, sizeof *s->vars),
                      .state = fal_arena_alloc(&s->arena, s->num_vars + 1, 1)};

    if (o.out == NULL || o.state == NULL) {
        r->no_memory = true;
        return;
    }
    for (size_t i = 0; i < o.count; i++)
        place(&o, i);
    s->vars = o.out;
    s->num_vars = o.placed;
}

/* Those of the file, and the parameters of the case that are values. */
void tl_read_vars(struct tl_reader *r, json_t *vars, json_t *params)
{
    struct tl_scenario *s = r->scenario;
    struct tl_path root = {0}, at = {.up = &root, .key = "vars"};
    json_t *all = json_object(), *item;
    const char *key;

    json_object_foreach(params, key, item)
    {
        struct tl_value probe;

        if (json_object_get(vars, key) != NULL)
            tl_reader_error(r, &at, "$%s is a parameter of the cases, too", key);
        if (!json_is_string(item) ||
            (tl_value_parse(json_string_value(item), NULL, &s->arena, &s->exprs, &probe,
                            NULL) == 0 &&
             !probe.negated && (probe.kind == TL_VALUE_NUMBER || probe.kind == TL_VALUE_EXPR)))
            r->no_memory |= json_object_set(all, key, item) != 0;
    }
    r->no_memory |= vars != NULL && json_object_update(all, vars) != 0;
    tl_read_assignments(r, &at, all, &s->vars, &s->num_vars);
    json_decref(all);
    order_vars(r, &at);
}
