/* SPDX-License-Identifier: Apache-2.0
 * check_ulp_line.c - lines of the SUT control protocol, as events of a timeline. */
#include "harness/check/check_ulp.h"

#include <string.h>

static int set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0 ? 0 : FAL_ERR_MEM;
}

/* An event of the protocol: its name becomes the kind. */
static int from_event(json_t *object, const char *name)
{
    const json_t *error = json_object_get(object, "err_ns");

    if (strcmp(name, "cm_error") == 0)
        return set(object, "event", json_string("cm"));
    if (strcmp(name, "dropped") == 0)
        return set(object, "what", json_string("dropped")) != 0
                   ? FAL_ERR_MEM
                   : set(object, "event", json_string("cm"));
    if (set(object, "kind", json_string(name)) != 0 ||
        (error != NULL && json_object_set(object, "stamp_error_ns", (json_t *)error) != 0))
        return FAL_ERR_MEM;
    if (error == NULL) /* a stamp without its error counts as none */
        (void)json_object_del(object, "stamp_ns");
    return set(object, "event", json_string("ulp"));
}

int tl_check_ulp_translate(json_t *object, const char *line, size_t len)
{
    static const char *const events[] = {"request", "ulp_ack", "completion", "cm_error",
                                         "dropped"};
    const char *name = json_string_value(json_object_get(object, "event"));
    json_t *text = json_stringn(line, len);

    if (text == NULL)
        return FAL_ERR_MEM;
    for (size_t i = 0; name != NULL && i < sizeof events / sizeof *events; i++) {
        if (strcmp(name, events[i]) == 0) {
            json_decref(text);
            return from_event(object, events[i]);
        }
    }
    if (name != NULL) {
        json_decref(text);
        return 0;
    }
    if (json_object_set_new(object, "text", text) != 0)
        return FAL_ERR_MEM;
    if (json_object_get(object, "do") != NULL)
        return set(object, "event", json_string("command"));
    if (json_object_get(object, "id") != NULL)
        return set(object, "event", json_string("reply"));
    return 0;
}
