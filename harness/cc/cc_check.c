/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void tl_cc_expect(const struct tl_cc_line *line, struct fal_cc_state *state,
                  struct fal_cc_result *expected)
{
    struct fal_swift swift;

    if (!line->keep)
        *state = (struct fal_cc_state){0};
    fal_cc_unchanged(&line->event, expected);
    if (fal_swift_init(&swift, &line->params, true, NULL) == 0)
        fal_swift_process(&swift, state, line->now, &line->event, expected);
}

static uint32_t units(const struct fal_cc_result *result)
{
    return (uint32_t)result->fcwnd_integer * FAL_CC_FRACTION + result->fcwnd_fraction;
}

/* The two fields of fcwnd are one number to the reader. */
static bool is_fcwnd(const struct fal_field *field)
{
    return strncmp(field->name, "fcwnd_", 6) == 0;
}

static void print_difference(const struct fal_field *field, const struct tl_cc_line *line,
                             const struct fal_cc_result *expected, char *what, size_t cap)
{
    uint64_t due = (uint64_t)fal_field_get(field, expected),
             seen = (uint64_t)fal_field_get(field, &line->result);
    const char *due_name = fal_name_of(field->names, due);
    const char *seen_name = fal_name_of(field->names, seen);

    if (is_fcwnd(field))
        (void)snprintf(what, cap,
                       "fcwnd: expected %" PRIu32 "/1024 packet, found %" PRIu32 "/1024 packet",
                       units(expected), units(&line->result));
    else if (field->kind == FAL_RSVD)
        (void)snprintf(what, cap, "%s: expected 0, found bits that are not 0", field->name);
    else if (due_name != NULL && seen_name != NULL)
        (void)snprintf(what, cap, "%s: expected %s, found %s", field->name, due_name,
                       seen_name);
    else
        (void)snprintf(what, cap, "%s: expected %" PRIu64 ", found %" PRIu64, field->name, due,
                       seen);
}

bool tl_cc_same(const struct tl_cc_line *line, const struct fal_cc_result *expected, char *what,
                size_t cap)
{
    const struct fal_layout *layout = fal_cc_layout(line->format, FAL_CC_ENTRY_RESULT);

    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *field = &layout->fields[i];

        if (fal_field_get(field, expected) == fal_field_get(field, &line->result))
            continue;
        if (strcmp(field->name, "ncwnd_direction") == 0 &&
            expected->ncwnd == line->event.ncwnd && line->result.ncwnd == expected->ncwnd)
            continue;
        print_difference(field, line, expected, what, cap);
        return false;
    }
    return true;
}
