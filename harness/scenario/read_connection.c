/* SPDX-License-Identifier: Apache-2.0
 * read_connection.c - reads how the connection is set up: parameters, and both ends. */
#include "harness/scenario/reader.h"

#include "codecs/base/nearest.h"

#include "codecs/frame/frame.h"

static bool param_value(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        const struct fal_param *param, struct tl_value *out)
{
    if (param->kind == FAL_PARAM_DURATION) {
        *out = (struct tl_value){.kind = TL_VALUE_EXPR};
        return tl_read_duration(r, at, value, &out->expr);
    }
    if (!tl_read_value(r, at, value, NULL, out))
        return false;
    if (!out->negated && (out->kind == TL_VALUE_NUMBER || out->kind == TL_VALUE_EXPR))
        return true;
    tl_reader_error(r, at, "expected one value: a number or an expression");
    return false;
}

void tl_unknown_param(struct tl_reader *r, const struct tl_path *at, const char *key)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    const char *names[64] = {0}, *near;
    size_t count = 0;

    for (; count < n && count < sizeof names / sizeof *names; count++)
        names[count] = table[count].name;
    near = fal_nearest(key, names, count);
    if (near != NULL)
        tl_reader_error_key(r, at, "no such parameter; did you mean \"%s\"?", near);
    else
        tl_reader_error_key(r, at, "no such parameter; see talon help defaults");
}

void tl_read_params(struct tl_reader *r, const struct tl_path *at, json_t *value,
                    struct tl_param_setup **list, size_t *count)
{
    const char *key;
    json_t *item;

    *list = fal_arena_alloc(&r->scenario->arena, json_object_size(value), sizeof **list);
    if (*list == NULL) {
        r->no_memory = true;
        return;
    }
    json_object_foreach(value, key, item)
    {
        struct tl_path here = {.up = at, .key = key};
        struct tl_param_setup *setup = &(*list)[*count];

        setup->param = fal_param_find(key);
        if (setup->param == NULL)
            tl_unknown_param(r, &here, key);
        else if (param_value(r, &here, item, setup->param, &setup->value))
            (*count)++;
    }
}

/* Whether the text names a parameter of the case: "$window", "${from}". */
static bool is_varied(const char *text, json_t *cases)
{
    for (const char *at = text; at != NULL && (at = strchr(at, '$')) != NULL;) {
        char name[FAL_VAR_MAX] = "";
        size_t len;

        at += at[1] == '{' ? 2 : 1;
        len = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (len < sizeof name)
            memcpy(name, at, len);
        if (json_object_get(cases, name) != NULL)
            return true;
    }
    return false;
}

/* Values that the case varies are those that it is about. */
void tl_mark_varied(struct tl_reader *r, json_t *written, struct tl_scenario *s)
{
    for (size_t i = 0; i < s->num_params; i++)
        s->params[i].needed |= is_varied(
            json_string_value(json_object_get(written, s->params[i].param->name)), r->cases);
}

static void read_params(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;

    tl_read_params(r, at, value, &s->params, &s->num_params);
    tl_mark_varied(r, json_object_get(json_object_get(r->written, "connection"), "params"), s);
}

/* Names of `params` whose values no other can replace. */
static void read_param_needs(struct tl_reader *r, const struct tl_path *at, json_t *value,
                             void *ctx)
{
    struct tl_scenario *s = ctx;
    json_t *item;
    size_t i, k;

    json_array_foreach(value, i, item)
    {
        struct tl_path here = {.up = at, .index = i};

        for (k = 0; k < s->num_params; k++)
            if (strcmp(s->params[k].param->name, json_string_value(item)) == 0)
                break;
        if (k < s->num_params)
            s->params[k].needed = true;
        else
            tl_reader_error(r, &here, "expected a parameter that \"params\" sets");
    }
}

/* A number of at most `max`, plain or as a string ("0xfffffffe"). */
static bool end_number(struct tl_reader *r, const struct tl_path *at, json_t *value,
                       uint32_t max, uint32_t *out)
{
    struct tl_value v;

    if (!tl_read_value(r, at, value, NULL, &v))
        return false;
    if (v.kind != TL_VALUE_NUMBER || v.negated || v.number > max) {
        tl_reader_error(r, at, "expected a number up to 0x%x", max);
        return false;
    }
    *out = (uint32_t)v.number;
    return true;
}

static void end_cid(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_end_setup *end = ctx;

    end->has_cid = end_number(r, at, value, 0xffffff, &end->end.cid);
}

static void end_function(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         void *ctx)
{
    struct tl_end_setup *end = ctx;

    end->has_function = end_number(r, at, value, 0xffffff, &end->end.function);
}

static void end_req_psn(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_end_setup *end = ctx;

    end->has_req_psn = end_number(r, at, value, UINT32_MAX, &end->end.req_psn);
}

static void end_data_psn(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         void *ctx)
{
    struct tl_end_setup *end = ctx;

    end->has_data_psn = end_number(r, at, value, UINT32_MAX, &end->end.data_psn);
}

static void end_rsn(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_end_setup *end = ctx;

    end->has_rsn = end_number(r, at, value, UINT32_MAX, &end->end.rsn);
}

static const struct tl_key end_members[] = {
    {"cid", end_cid},           {"function", end_function}, {"req_psn", end_req_psn},
    {"data_psn", end_data_psn}, {"rsn", end_rsn},
};

static void read_tester(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    tl_read_object(r, at, value, end_members, sizeof end_members / sizeof *end_members,
                   &((struct tl_scenario *)ctx)->tester);
}

static void read_sut(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    tl_read_object(r, at, value, end_members, sizeof end_members / sizeof *end_members,
                   &((struct tl_scenario *)ctx)->sut);
}

static void read_encap(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;

    (void)r;
    (void)at;
    s->has_encap = true;
    s->encap = (enum fal_encap)fal_encap_from(json_string_value(value));
}

static void read_upper(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    (void)r;
    (void)at;
    for (int i = 0; i < TL_UPPERS; i++)
        if (tl_same(json_string_value(value), tl_protocol_upper((enum tl_upper_layer)i)))
            ((struct tl_scenario *)ctx)->upper = (enum tl_upper_layer)i;
}

static void read_pcid(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    static const char *const sides[] = {"sut", "tester"};
    struct tl_scenario *s = ctx;

    s->has_pcid = true;
    s->match_pcid = json_is_true(json_object_get(value, "match"));
    for (int side = TL_SIDE_SUT; side <= TL_SIDE_TESTER; side++) {
        struct tl_path here = {.up = at, .key = sides[side]};
        struct tl_value v;

        if (!tl_read_value(r, &here, json_object_get(value, sides[side]), NULL, &v))
            continue;
        if (v.kind != TL_VALUE_NUMBER || v.negated)
            tl_reader_error(r, &here, "expected a number");
        s->pcid[side] = v.number;
    }
}

void tl_read_connection(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    static const struct tl_key members[] = {
        {"params", read_params}, {"tester", read_tester}, {"encap", read_encap},
        {"pcid", read_pcid},     {"sut", read_sut},       {"needs", read_param_needs},
        {"upper", read_upper},
    };

    tl_read_object(r, at, value, members, sizeof members / sizeof *members, ctx);
}
