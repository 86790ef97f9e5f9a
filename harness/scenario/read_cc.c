/* SPDX-License-Identifier: Apache-2.0
 * read_cc.c - reads the step `cc`, and what an entry of congestion control must be. */
#include "harness/scenario/cc_step.h"
#include "harness/scenario/reader.h"

#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

#define FCWND "fcwnd"

const struct fal_layout *tl_cc_fields_of(enum fal_cc_entry entry)
{
    return fal_cc_layout(FAL_CC_GEN1_LSB, entry);
}

const char *tl_cc_value_name(const struct tl_cc_value *value)
{
    return value->field != NULL ? value->field->name : FCWND;
}

uint64_t tl_cc_value_in(const struct tl_cc_value *value, enum fal_cc_entry entry,
                        const void *host)
{
    const struct fal_cc_event *event = host;
    const struct fal_cc_result *result = host;

    if (value->field != NULL)
        return (uint64_t)fal_field_get(value->field, host);
    return entry == FAL_CC_ENTRY_EVENT
               ? (uint64_t)event->fcwnd_integer * FAL_CC_FRACTION + event->fcwnd_fraction
               : (uint64_t)result->fcwnd_integer * FAL_CC_FRACTION + result->fcwnd_fraction;
}

int tl_cc_value_set(const struct tl_cc_value *value, enum fal_cc_entry entry, void *host,
                    uint64_t number)
{
    const struct fal_layout *layout = tl_cc_fields_of(entry);
    int rc;

    if (value->field != NULL)
        return fal_field_set(value->field, host, number);
    rc =
        fal_field_set(fal_layout_find(layout, "fcwnd_integer"), host, number / FAL_CC_FRACTION);
    return rc != 0 ? rc
                   : fal_field_set(fal_layout_find(layout, "fcwnd_fraction"), host,
                                   number % FAL_CC_FRACTION);
}

/* The code points of all fields have different names. */
static int code_point(const char *word)
{
    static const struct fal_names *const tables[] = {
        &fal_names_cc_event_type, &fal_names_cc_retransmit_reason, &fal_names_cc_delay_select,
        &fal_names_cc_ncwnd_direction};
    uint64_t value;

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (fal_name_find(tables[i], word, &value))
            return (int)value;
    return -1;
}

/* Reads an object of fields; `exact`: each has one value. */
static void read_fields(struct tl_reader *r, const struct tl_path *at, json_t *object,
                        enum fal_cc_entry entry, bool exact, struct tl_cc_fields *out)
{
    const char *key;
    json_t *value;

    out->list =
        fal_arena_alloc(&r->scenario->arena, json_object_size(object) + 1, sizeof *out->list);
    if (out->list == NULL) {
        r->no_memory = true;
        return;
    }
    json_object_foreach(object, key, value)
    {
        struct tl_path here = {.up = at, .key = key};
        struct tl_cc_value *read = &out->list[out->n];

        read->field = fal_layout_find(tl_cc_fields_of(entry), key);
        if (!tl_read_value(r, &here, value, code_point, &read->value))
            continue;
        if (exact && (read->value.negated || (read->value.kind != TL_VALUE_NUMBER &&
                                              read->value.kind != TL_VALUE_EXPR)))
            tl_reader_error(r, &here, "expected one value");
        out->n++;
    }
}

void tl_read_cc_pattern(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        struct tl_event_pattern *out)
{
    struct tl_path here = {.up = at, .key = "entry"};
    struct tl_cc_pattern *pattern = fal_arena_alloc(&r->scenario->arena, 1, sizeof *pattern);
    bool is_result = json_object_get(value, "result") != NULL;

    if (pattern == NULL) {
        r->no_memory = true;
        return;
    }
    here.key = is_result ? "result" : "event";
    pattern->kind = is_result ? TL_CC_RESULT : TL_CC_EVENT;
    read_fields(r, &here, json_object_get(value, here.key),
                is_result ? FAL_CC_ENTRY_RESULT : FAL_CC_ENTRY_EVENT, false, &pattern->fields);
    out->is_cm = true;
    memcpy(out->what, "cc", sizeof "cc");
    out->entry = pattern;
}

/* ---- the step ---- */

/* A number, or one in a string: "0.8" and what a parameter of the cases became. */
static bool read_number(json_t *value, double *out)
{
    const char *text = json_string_value(value);
    char *end;

    if (text == NULL) {
        *out = json_number_value(value);
        return json_is_number(value);
    }
    *out = strtod(text, &end);
    return *text != 0 && *end == 0;
}

static void read_params(struct tl_reader *r, const struct tl_path *at, json_t *object,
                        struct tl_cc_step *cc)
{
    struct fal_swift_params probe;
    const char *key;
    json_t *value;

    cc->params =
        fal_arena_alloc(&r->scenario->arena, json_object_size(object) + 1, sizeof *cc->params);
    if (cc->params == NULL) {
        r->no_memory = true;
        return;
    }
    json_object_foreach(object, key, value)
    {
        struct tl_path here = {.up = at, .key = key};
        struct tl_cc_param *param = &cc->params[cc->num_params];

        param->param = fal_swift_param_find(key);
        if (!read_number(value, &param->value) ||
            fal_swift_param_set(param->param, &probe, param->value) != 0)
            tl_reader_error(r, &here, "expected a %snumber from %.10g to %.10g",
                            param->param->whole ? "whole " : "", param->param->least,
                            param->param->most);
        cc->num_params++;
    }
}

static int word_of(json_t *value, const char *first)
{
    return value != NULL && strcmp(json_string_value(value), first) != 0;
}

static void read_one(struct tl_reader *r, const struct tl_path *at, json_t *object,
                     const char *key, struct tl_value *out)
{
    struct tl_path here = {.up = at, .key = key};
    json_t *value = json_object_get(object, key);

    if (value != NULL && tl_read_value(r, &here, value, NULL, out) &&
        (out->negated || (out->kind != TL_VALUE_NUMBER && out->kind != TL_VALUE_EXPR)))
        tl_reader_error(r, &here, "expected one value");
}

static enum tl_do verb_of(const char *word)
{
    int verb = TL_DO_CC_CONFIG;

    while (strcmp(tl_protocol_verb((enum tl_do)verb), word) != 0)
        verb++;
    return (enum tl_do)verb;
}

static void read_members(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         struct tl_cc_step *cc)
{
    struct tl_path params = {.up = at, .key = "params"}, entry = {.up = at, .key = "entry"};

    cc->verb = verb_of(json_string_value(json_object_get(value, "do")));
    read_params(r, &params, json_object_get(value, "params"), cc);
    read_fields(r, &entry, json_object_get(value, "entry"),
                cc->verb == TL_DO_CC_FEED ? FAL_CC_ENTRY_EVENT : FAL_CC_ENTRY_RESULT, true,
                &cc->entry);
    read_one(r, at, value, "now_ticks", &cc->now_ticks);
    read_one(r, at, value, "alpha", &cc->alpha);
    read_one(r, at, value, "every", &cc->every);
    cc->on = json_is_true(json_object_get(value, "on"));
    cc->who = (enum tl_cc_who)word_of(json_object_get(value, "who"), "self");
    cc->state = (enum tl_cc_state)word_of(json_object_get(value, "state"), "reset");
    cc->pool = (enum tl_rx_pool)word_of(json_object_get(value, "pool"), "packets");
}

void tl_read_cc(struct tl_reader *r, const struct tl_path *at, json_t *value,
                struct tl_step_draft *d)
{
    struct tl_path result = {.up = at->up, .key = "result"};
    struct tl_cc_step *cc = fal_arena_alloc(&r->scenario->arena, 1, sizeof *cc);

    d->step.verb = TL_CC;
    d->step.u.cc = cc;
    if (cc == NULL) {
        r->no_memory = true;
        return;
    }
    read_members(r, at, value, cc);
    if (d->result != NULL && cc->verb != TL_DO_CC_FEED)
        tl_reader_error_key(r, &result, "\"result\" goes with \"do\": \"cc_feed\"");
    cc->result.kind = TL_CC_RESULT;
    if (d->result != NULL)
        read_fields(r, &result, d->result, FAL_CC_ENTRY_RESULT, false, &cc->result.fields);
    tl_step_say(d, "cc");
    tl_step_describe(d, value);
    tl_step_describe(d, json_object_get(value, "params"));
    tl_step_describe(d, json_object_get(value, "entry"));
    if (d->result != NULL) {
        tl_step_say(d, " =>");
        tl_step_describe(d, d->result);
    }
}
