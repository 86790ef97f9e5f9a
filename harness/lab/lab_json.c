/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/lab/lab_json.h"

#include <inttypes.h>

enum { DIGITS = 15 }; /* of a real number: thousandths are printed as they are */

/* Whole numbers stay whole. */
static json_t *number_of(int64_t milli, bool whole)
{
    return whole ? json_integer(milli / 1000) : json_real((double)milli / 1000);
}

static json_t *value_of(const struct fal_lab_value *value)
{
    json_t *object = json_pack("{s:s, s:s, s:o}", "name", value->name, "unit", value->unit,
                               "value", number_of(value->milli, value->whole));
    int rc = 0;

    if (object == NULL || !value->banded)
        return object;
    rc = json_object_set_new(object, "least", number_of(value->least, value->whole));
    if (rc == 0 && value->most != INT64_MAX)
        rc = json_object_set_new(object, "most", number_of(value->most, value->whole));
    if (rc == 0)
        rc = json_object_set_new(object, "outside", json_boolean(fal_lab_outside(value)));
    if (rc == 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *settings_of(const struct fal_lab_experiment *e, const struct fal_lab_ask *ask)
{
    json_t *object = json_object();

    for (unsigned i = 0; i < FAL_LAB_SETTINGS_MAX && object != NULL; i++) {
        const struct fal_lab_setting s = fal_lab_setting_at(e, i);

        if (s.name != NULL &&
            json_object_set_new(object, s.name, json_integer(ask->settings[i])) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

json_t *tl_lab_json_case(const struct fal_lab_experiment *e, const struct fal_lab_ask *ask,
                         const struct fal_lab_outcome *out)
{
    json_t *values = json_array(), *object;
    char trace[20];

    for (unsigned i = 0; i < out->n_values && values != NULL; i++)
        if (json_array_append_new(values, value_of(&out->values[i])) != 0) {
            json_decref(values);
            values = NULL;
        }
    (void)snprintf(trace, sizeof trace, "%016" PRIx64, out->trace);
    object =
        json_pack("{s:I, s:s, s:I, s:I, s:I, s:o, s:o, s:s, s:I}", "flows",
                  (json_int_t)ask->flows, "player",
                  ask->foreign != NULL ? "foreign"
                  : ask->endpoints     ? "endpoint"
                  : ask->pacer != NULL ? "algorithm"
                                       : "model",
                  "seed", (json_int_t)ask->seed, "time_ns", (json_int_t)(ask->time_ps / 1000),
                  "rate_bps", (json_int_t)ask->rate_bps, "settings", settings_of(e, ask),
                  "values", values, "trace", trace, "events", (json_int_t)out->events);
    return object;
}

int tl_lab_json_put(FILE *out, const struct fal_lab_experiment *e, json_t *cases,
                    unsigned warnings)
{
    json_t *all = json_pack("{s:s, s:s, s:o, s:I}", "experiment", e->name, "number", e->number,
                            "cases", cases, "outside", (json_int_t)warnings);
    int rc = FAL_ERR_MEM;

    if (all != NULL)
        rc = json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS)) == 0 &&
                     fputc('\n', out) != EOF
                 ? 0
                 : FAL_ERR_IO;
    json_decref(all);
    return rc;
}
