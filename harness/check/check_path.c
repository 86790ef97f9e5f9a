/* SPDX-License-Identifier: Apache-2.0
 * check_path.c - the path as talon path-check measured it, for talon check. */
#include "harness/check/check.h"

#include <jansson.h>
#include <string.h>

/* Probes go both ways: a lost one counts for each. */
static struct fal_trials trials_of(const json_t *paths)
{
    struct fal_trials sum = {0, 0};
    const json_t *one;
    size_t i;

    json_array_foreach(paths, i, one)
    {
        json_int_t sent = json_integer_value(json_object_get(one, "sent"));
        json_int_t received = json_integer_value(json_object_get(one, "received"));

        if (sent <= 0)
            continue;
        sum.trials += (uint64_t)sent;
        sum.losses += received < sent ? (uint64_t)(sent - received) : 0;
    }
    return sum;
}

int tl_check_path(const char *file, struct tl_check_options *options, struct fal_error *err)
{
    json_error_t where;
    json_t *all = json_load_file(file, JSON_REJECT_DUPLICATES, &where);
    const char *schema = json_string_value(json_object_get(all, "schema"));
    const json_t *delay = json_object_get(json_object_get(all, "limits"), "delay_max_ns");
    int rc = 0;

    if (all == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%.200s:%d: %.120s", file, where.line, where.text);
    if (schema == NULL || strcmp(schema, "talon/path-check/1") != 0 ||
        json_integer_value(delay) < 0) {
        rc = fal_fail(err, FAL_ERR_FORM,
                      "%.200s: expected the file that talon path-check --json writes", file);
    } else {
        options->rules.trials[FAL_TO_SUT] = options->rules.trials[FAL_FROM_SUT] =
            trials_of(json_object_get(all, "paths"));
        if (json_is_integer(delay) &&
            (uint64_t)json_integer_value(delay) < options->run.delay_max_ns)
            options->run.delay_max_ns = (uint64_t)json_integer_value(delay);
    }
    json_decref(all);
    return rc;
}
