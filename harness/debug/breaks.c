/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/debug/breaks.h"

#include "codecs/base/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The step that plays this one as a part of itself: an any_order or alt its expectations, a
 * rule of `on` its steps. num_steps: none does. */
static size_t whole_of(const struct tl_scenario *scenario, size_t step)
{
    for (size_t i = 0; i < scenario->num_steps; i++) {
        const struct tl_step *s = &scenario->steps[i];

        if (s->verb == TL_ON && step >= s->u.on.rule->first && step < s->u.on.rule->end)
            return i;
        if (s->verb != TL_ANY_ORDER && s->verb != TL_ALT)
            continue;
        for (size_t k = 0; k < s->u.block.count; k++)
            if (s->u.block.heads[k] == step)
                return i;
    }
    return scenario->num_steps;
}

/* JUMP and REPEAT_END are no steps of the file. */
static bool is_of_file(const struct tl_step *step)
{
    return step->verb != TL_JUMP && step->verb != TL_REPEAT_END;
}

bool tl_break_possible(const struct tl_scenario *scenario, size_t step)
{
    return step < scenario->num_steps && is_of_file(&scenario->steps[step]) &&
           whole_of(scenario, step) == scenario->num_steps;
}

static int find_number(const struct tl_scenario *scenario, const char *text, size_t *step,
                       struct fal_error *err)
{
    char *end;
    unsigned long n;

    errno = 0;
    n = strtoul(text, &end, 10);
    if (*end != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "'%.60s' is no step: expected a number, a name or :LINE", text);
    if (errno != 0 || n < 1 || n > scenario->num_steps)
        return fal_fail(err, FAL_ERR_FORM, "there is no step %.20s: the scenario has %zu", text,
                        scenario->num_steps);
    *step = n - 1;
    return 0;
}

/* The step that begins on that line, or else the first one behind it is named. */
static int find_line(const struct tl_scenario *scenario, const char *text, size_t *step,
                     struct fal_error *err)
{
    char *end;
    unsigned long line = strtoul(text, &end, 10);
    size_t next = scenario->num_steps;

    if (*text < '0' || *text > '9' || *end != 0)
        return fal_fail(err, FAL_ERR_FORM, "':%.60s': expected the number of a line", text);
    for (size_t i = 0; i < scenario->num_steps; i++) {
        const struct tl_step *s = &scenario->steps[i];

        if (!is_of_file(s) || s->at.line < line)
            continue;
        if (s->at.line == line) {
            *step = i;
            return 0;
        }
        if (next == scenario->num_steps || s->at.line < scenario->steps[next].at.line)
            next = i;
    }
    if (next == scenario->num_steps)
        return fal_fail(err, FAL_ERR_FORM, "no step begins on line %lu or behind it", line);
    return fal_fail(err, FAL_ERR_FORM,
                    "no step begins on line %lu; the next one, step %zu, begins on line %u",
                    line, next + 1, scenario->steps[next].at.line);
}

static int find_name(const struct tl_scenario *scenario, const char *text, size_t *step,
                     struct fal_error *err)
{
    struct fal_nearest_list nearest = {.word = text};

    for (size_t i = 0; i < scenario->num_steps; i++) {
        const char *name = scenario->steps[i].name;

        if (name == NULL)
            continue;
        if (strcmp(name, text) == 0) {
            *step = i;
            return 0;
        }
        fal_nearest_add(&nearest, name);
    }
    return fal_fail(err, FAL_ERR_FORM, "no step has the name '%.60s'%s", text,
                    fal_hint(nearest.names[0], "").text);
}

int tl_break_find(const struct tl_scenario *scenario, const char *text, size_t *step,
                  struct fal_error *err)
{
    size_t found = 0, whole;
    int rc = *text == ':'                   ? find_line(scenario, text + 1, &found, err)
             : *text >= '0' && *text <= '9' ? find_number(scenario, text, &found, err)
                                            : find_name(scenario, text, &found, err);

    if (rc != 0)
        return rc;
    whole = whole_of(scenario, found);
    if (whole < scenario->num_steps)
        return fal_fail(err, FAL_ERR_FORM,
                        "step %zu is played as a part of step %zu (%.40s): stop before that "
                        "one",
                        found + 1, whole + 1, scenario->steps[whole].text);
    if (!is_of_file(&scenario->steps[found]))
        return fal_fail(err, FAL_ERR_FORM,
                        "step %zu is only the end of a block: stop before step %zu", found + 1,
                        found + 2);
    *step = found;
    return 0;
}

int tl_breaks_add(struct tl_breaks *breaks, size_t step, struct fal_error *err)
{
    size_t at = breaks->count;

    for (size_t i = 0; i < breaks->count; i++)
        if (breaks->steps[i] == step)
            return 0;
    if (breaks->count == TL_BREAKS_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "more than %d breaks", TL_BREAKS_MAX);
    for (; at > 0 && breaks->steps[at - 1] > step; at--) {
        breaks->steps[at] = breaks->steps[at - 1];
        breaks->reached[at] = breaks->reached[at - 1];
    }
    breaks->steps[at] = step;
    breaks->reached[at] = false;
    breaks->count++;
    return 0;
}

bool tl_breaks_remove(struct tl_breaks *breaks, size_t step)
{
    size_t i = 0;

    while (i < breaks->count && breaks->steps[i] != step)
        i++;
    if (i == breaks->count)
        return false;
    breaks->count--;
    for (; i < breaks->count; i++) {
        breaks->steps[i] = breaks->steps[i + 1];
        breaks->reached[i] = breaks->reached[i + 1];
    }
    return true;
}

bool tl_breaks_hit(struct tl_breaks *breaks, size_t step)
{
    for (size_t i = 0; i < breaks->count; i++) {
        if (breaks->steps[i] != step)
            continue;
        breaks->reached[i] = true;
        return true;
    }
    return false;
}
