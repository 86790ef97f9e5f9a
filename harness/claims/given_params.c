/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/given_params.h"

#include "codecs/base/error.h"
#include "codecs/base/nearest.h"
#include "harness/doc/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int switch_word(const char *word)
{
    return strcmp(word, "true") == 0 ? 1 : strcmp(word, "false") == 0 ? 0 : -1;
}

/* A constant, in the forms that scenarios use. */
static int constant(const char *text, uint64_t *out, struct fal_error *err)
{
    const struct tl_scope scope = {.num_vars = 0};
    struct fal_arena arena = {NULL};
    struct tl_exprs exprs = {0};
    struct tl_value value;
    int rc = tl_value_parse(text, switch_word, &arena, &exprs, &value, err);

    if (rc == 0 && exprs.count > 0)
        rc = fal_fail(err, FAL_ERR_FORM, "'%.40s' is no constant", text);
    if (rc == 0)
        rc = tl_value_get(&value, 0, &scope, out, err);
    fal_arena_free(&arena);
    return rc;
}

int tl_given_params_set(struct tl_given_params *params, const char *name, const char *value,
                        struct fal_error *err)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n), *param = NULL;
    const char *names[FAL_PARAM_ROWS], *near;
    struct fal_params probe;
    struct fal_error why = {{0}};
    uint64_t number, least, most;
    int rc;

    for (size_t i = 0; i < n; i++) {
        names[i] = table[i].name;
        if (strcmp(table[i].name, name) == 0)
            param = &table[i];
    }
    if (param == NULL) {
        near = fal_nearest(name, names, n);
        return fal_fail(err, FAL_ERR_FORM, "no parameter '%.40s'%s", name,
                        fal_hint(near, " (talon help defaults)").text);
    }
    rc = constant(value, &number, &why);
    if (rc != 0)
        return fal_fail(err, rc, "%s: %s", name, why.text);
    fal_params_default(&probe, false);
    fal_param_range(param, &least, &most);
    if (number < least || number > most || fal_param_set(param, &probe, number) != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "%s: %" PRIu64 " is out of range; expected %" PRIu64 " to %" PRIu64,
                        name, number, least, most);
    params->values[param - table] = number;
    params->given[param - table] = true;
    return 0;
}

static int check_unit(const char *name, const char *value, struct fal_error *err)
{
    const struct fal_param *param = fal_param_find(name);
    struct fal_error why = {{0}};

    if (param == NULL || param->kind != FAL_PARAM_DURATION ||
        tl_duration_unit(value, &why) == 0)
        return 0;
    return fal_fail(err, FAL_ERR_FORM, "%s: %s", name, why.text);
}

int tl_given_params_add(struct tl_given_params *params, const char *text, struct fal_error *err)
{
    const char *equals = strchr(text, '=');
    char name[64];

    if (equals == NULL || equals == text || equals[1] == 0 ||
        (size_t)(equals - text) >= sizeof name)
        return fal_fail(err, FAL_ERR_FORM, "'%.60s'; expected NAME=VALUE, such as rto=20ms",
                        text);
    (void)snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    if (check_unit(name, equals + 1, err) != 0)
        return FAL_ERR_FORM;
    return tl_given_params_set(params, name, equals + 1, err);
}

void tl_given_params_join(struct tl_given_params *out, const struct tl_given_params *a,
                          const struct tl_given_params *b)
{
    *out = *a;
    for (size_t i = 0; i < FAL_PARAM_ROWS; i++) {
        if (b->given[i]) {
            out->given[i] = true;
            out->values[i] = b->values[i];
        }
    }
}

void tl_given_params_apply(const struct tl_given_params *params, struct fal_params *out)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++)
        if (params->given[i])
            /* A given value was checked when it was read. */
            FAL_IGNORE(fal_param_set(&table[i], out, params->values[i]));
}

struct fal_params tl_given_params_declared(const struct tl_given_params *params, bool live)
{
    struct fal_params out;

    fal_params_default(&out, live);
    if (!params->given[FAL_PARAM_AT_turnaround])
        out.turnaround_ns = 0;
    if (!params->given[FAL_PARAM_AT_pipeline])
        out.pipeline_ns = 0;
    tl_given_params_apply(params, &out);
    return out;
}

/* {"rto": "20ms", "ordered": true}; null leaves a parameter open. */
static int read_params(const json_t *value, void *out, struct fal_misfit *wrong)
{
    struct tl_given_params checked = {.values = {0}}, *params = out != NULL ? out : &checked;
    json_t *object = (json_t *)value, *given; /* Jansson's iterator takes no const */
    const char *key;

    if (!json_is_object(value))
        return fal_misfit_say(wrong, "expected an object of parameters");
    json_object_foreach(object, key, given)
    {
        struct fal_error why = {{0}};
        char text[32];
        const char *said = json_string_value(given);

        if (json_is_integer(given)) {
            (void)snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT,
                           json_integer_value(given));
            said = text;
        } else if (json_is_boolean(given)) {
            said = json_is_true(given) ? "1" : "0";
        }
        if (json_is_null(given) && fal_param_find(key) != NULL)
            continue;
        if (said == NULL && !json_is_null(given))
            return fal_misfit_say_of(wrong, key, "expected a number, a switch or a duration");
        if (tl_given_params_set(params, key, said != NULL ? said : "0", &why) != 0)
            return fal_misfit_say_of(wrong, key, "%s", why.text);
    }
    return 0;
}

static json_t *params_schema(void)
{
    json_t *properties = json_object();
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++)
        (void)json_object_set_new(properties, table[i].name,
                                  json_pack("{s:[s,s,s,s], s:s}", "type", "integer", "string",
                                            "boolean", "null", "description", table[i].doc));
    return json_pack("{s:s, s:b, s:o}", "type", "object", "additionalProperties", 0,
                     "properties", properties);
}

const struct fal_shape tl_given_params_shape = {
    .kind = FAL_SHAPE_MAP, .read = read_params, .schema = params_schema};
