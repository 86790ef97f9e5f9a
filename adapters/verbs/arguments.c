/* SPDX-License-Identifier: Apache-2.0
 * arguments.c - reads members of commands. An error names the member, what it is and what was
 * expected. */
#include "adapter.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum talon_client_done va_fail(struct va_device *device, const char **why, const char *format,
                               ...)
{
    va_list list;

    va_start(list, format);
    (void)vsnprintf(device->why, sizeof device->why, format, list);
    va_end(list);
    *why = device->why;
    return TALON_CLIENT_FAILED;
}

static bool refuse(const struct va_args *args, const char *key, const char *what,
                   const char *expected)
{
    (void)va_fail(args->device, args->why, "%s%s: %s; expected %s", args->where, key, what,
                  expected);
    return false;
}

const json_t *va_member(const struct va_args *args, const char *key)
{
    const json_t *value = json_object_get(args->object, key);

    return json_is_null(value) ? NULL : value;
}

/* A value as it is said in errors: at most 40 bytes of its JSON. */
static void print_value(const json_t *value, char *text, size_t size)
{
    char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

    (void)snprintf(text, size, "%.40s", dump != NULL ? dump : "it");
    free(dump);
}

bool va_number(const struct va_args *args, const char *key, struct va_range range,
               uint64_t *out)
{
    const json_t *value = va_member(args, key);
    char text[64], expected[96];

    (void)snprintf(expected, sizeof expected, "a number from %" PRIu64 " to %" PRIu64,
                   range.min, range.max);
    if (value == NULL) {
        *out = range.otherwise;
        return range.optional || refuse(args, key, "missing", expected);
    }
    print_value(value, text, sizeof text - 16);
    if (!talon_client_wide(args->object, key, out)) {
        (void)strcat(text, " is no number");
        return refuse(args, key, text, expected);
    }
    if (*out < range.min || *out > range.max) {
        (void)strcat(text, " is outside");
        return refuse(args, key, text, expected);
    }
    return true;
}

bool va_flag(const struct va_args *args, const char *key, bool *out)
{
    const json_t *value = va_member(args, key);

    *out = json_is_true(value);
    return value == NULL || json_is_boolean(value) ||
           refuse(args, key, "is no boolean", "true or false");
}

bool va_choose(const struct va_args *args, const char *key, struct va_choice choice,
               unsigned *out)
{
    const json_t *value = va_member(args, key);
    const char *name = json_string_value(value);
    char text[64], expected[128] = "";

    for (size_t i = 0; i < choice.count; i++) {
        size_t len = strlen(expected);

        if ((name != NULL && strcmp(name, choice.names[i]) == 0) ||
            (value == NULL && choice.optional)) {
            *out = (unsigned)i;
            return true;
        }
        (void)snprintf(expected + len, sizeof expected - len, "%s%s", i > 0 ? ", " : "",
                       choice.names[i]);
    }
    if (value == NULL)
        return refuse(args, key, "missing", expected);
    print_value(value, text, sizeof text - 16);
    (void)strcat(text, " is unknown");
    return refuse(args, key, text, expected);
}

void *va_object(const struct va_args *args, const char *key, enum va_kind kind, bool optional)
{
    static const char *const made_by[VA_KINDS] = {
        [VA_AH] = "ah of the reply to ah_create",    [VA_QP] = "qp of the reply to qp_create",
        [VA_SRQ] = "srq of the reply to srq_create", [VA_MR] = "mr of the reply to mr_reg",
        [VA_CQ] = "cq of the reply to cq_create",    [VA_PD] = "pd of the reply to pd_create",
        [VA_CONN] = "conn of the reply to open"};
    const json_t *value = va_member(args, key);
    const char *name = json_string_value(value);
    char text[64];

    if (value == NULL) {
        if (!optional)
            (void)refuse(args, key, "missing", made_by[kind]);
        return NULL;
    }
    for (struct va_head *o = args->device->objects; name != NULL && o != NULL; o = o->next)
        if (o->kind == kind && strcmp(o->name, name) == 0)
            return o;
    print_value(value, text, sizeof text - 16);
    (void)strcat(text, " does not exist");
    (void)refuse(args, key, text, made_by[kind]);
    return NULL;
}

json_t *va_hex(uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "0x%016" PRIx64, value);
    return json_string(text);
}

json_t *va_wide(uint64_t value)
{
    return value <= UINT64_C(1) << 53 ? json_integer((json_int_t)value) : va_hex(value);
}
