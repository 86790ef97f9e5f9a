/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/field/tidy.h"

#include "codecs/text/text.h"
#include "fuzz/hunt/hunt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The time of a step that only waits, in ns; 0: it does something else, or its time is
 * computed.
 */
static uint64_t wait_of(const json_t *step)
{
    const char *text = json_string_value(json_object_get(step, "wait"));
    struct fal_duration duration;
    struct fal_error err;

    if (text == NULL || json_object_size(step) != 1 ||
        fal_text_parse_duration(text, &duration, &err) != 0 || duration.var[0] != 0)
        return 0;
    return duration.ns;
}

/* The step behind a wait of so many ns. New reference; NULL where it cannot say so itself. */
static json_t *after(const json_t *step, uint64_t ns)
{
    const char *line = json_string_value(step);
    char time[48], *text;
    json_t *out;

    if (line == NULL || line[0] != '>')
        return NULL;
    (void)fal_text_duration(ns, time, sizeof time);
    if (asprintf(&text, "+%s %s", time, line) < 0)
        return NULL;
    out = json_string(text);
    free(text);
    return out;
}

static bool put_wait(json_t *to, uint64_t ns)
{
    char time[48];

    if (ns == 0)
        return true;
    (void)fal_text_duration(ns, time, sizeof time);
    return json_array_append_new(to, json_pack("{s:s}", "wait", time)) == 0;
}

static bool tidy_steps(json_t *to, const json_t *steps)
{
    uint64_t wait_ns = 0;
    json_t *step, *line;
    size_t i;

    json_array_foreach(steps, i, step)
    {
        if (json_object_size(step) == 1 && json_object_get(step, "note") != NULL)
            continue;
        if (wait_of(step) > 0) {
            wait_ns += wait_of(step);
            continue;
        }
        line = wait_ns > 0 ? after(step, wait_ns) : NULL;
        if (line == NULL && !put_wait(to, wait_ns))
            return false;
        wait_ns = 0;
        if (json_array_append_new(to, line != NULL ? line : json_incref(step)) != 0)
            return false;
    }
    return put_wait(to, wait_ns);
}

json_t *fld_tidy(const json_t *doc)
{
    json_t *out = doc != NULL ? hunt_copy(doc) : NULL, *steps = json_array();

    if (out == NULL || steps == NULL || !tidy_steps(steps, json_object_get(doc, "steps")) ||
        json_object_set(out, "steps", steps) != 0) {
        json_decref(steps);
        json_decref(out);
        return NULL;
    }
    json_decref(steps);
    hunt_prune(out);
    return out;
}
