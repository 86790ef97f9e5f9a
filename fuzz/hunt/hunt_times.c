/* SPDX-License-Identifier: Apache-2.0
 * hunt_times.c - the times of a case in nanoseconds: texts, parameters, and its RTO. */
#include "fuzz/hunt/hunt.h"

#include <stdlib.h>
#include <string.h>

uint64_t hunt_time_of(const char *text)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", FAL_US}, {"ms", FAL_MS}, {"s", FAL_S}};
    char *end;
    unsigned long long n = strtoull(text, &end, 10);

    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0)
            return n * units[i].ns;
    return 0;
}

uint64_t hunt_param_ns(const json_t *doc, const char *key)
{
    const json_t *params = json_object_get(json_object_get(doc, "connection"), "params");
    const struct fal_param *row = fal_param_find(key);

    if (json_object_get(params, key) != NULL)
        return hunt_time_of(hunt_word(params, key));
    return row != NULL ? row->virtual_default : 0;
}

/* The shortest RTO that these steps set; `rto_ns` if they set no shorter one. */
static uint64_t shortest_set(const json_t *steps, uint64_t rto_ns)
{
    size_t i;
    json_t *step;

    json_array_foreach((json_t *)steps, i, step)
    {
        const json_t *params = json_object_get(json_object_get(step, "cm"), "params");
        uint64_t set_ns = hunt_time_of(hunt_word(params, "rto"));

        if (set_ns > 0 && set_ns < rto_ns)
            rto_ns = set_ns;
        rto_ns = shortest_set(json_object_get(step, "steps"), rto_ns);
    }
    return rto_ns;
}

uint64_t hunt_rto_ns(const json_t *doc, uint64_t given_ns)
{
    const json_t *params = json_object_get(json_object_get(doc, "connection"), "params");
    bool own = given_ns == 0 || json_object_get(params, "rto") != NULL;

    return shortest_set(json_object_get(doc, "steps"),
                        own ? hunt_param_ns(doc, "rto") : given_ns);
}
