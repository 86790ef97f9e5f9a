/* SPDX-License-Identifier: Apache-2.0
 * undecided.c - requirements that a scenario says it covers, and that nothing decides. */
#include "harness/scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a verdict can come of the step: the others only do something. */
static bool may_be_missed(const struct tl_step *step)
{
    switch (step->verb) {
    case TL_EXPECT:
    case TL_EXPECT_NONE:
    case TL_EXPECT_NO_EVENT:
    case TL_EXPECT_ULP:
    case TL_CC:
    case TL_WORD:
    case TL_MEASURE:
    case TL_AWAIT:
    case TL_UNTIL_QUIET: return true;
    case TL_ULP: return step->u.ulp.act->refused;
    case TL_SEND:
    case TL_WAIT:
    case TL_NOTE:
    case TL_LET:
    case TL_ACKS:
    case TL_ANY_ORDER:
    case TL_ALT:
    case TL_ON:
    case TL_OFF:
    case TL_RELEASE:
    case TL_IF:
    case TL_JUMP:
    case TL_REPEAT:
    case TL_REPEAT_END: break;
    }
    return false;
}

static bool a_step_decides(const struct tl_scenario *s, const struct fal_requirement *id)
{
    for (size_t i = 0; i < s->num_steps; i++)
        for (size_t k = 0; k < s->steps[i].covers.count; k++)
            if (s->steps[i].covers.list[k] == id && may_be_missed(&s->steps[i]))
                return true;
    return false;
}

static bool a_rule_decides(const struct fal_requirement *id)
{
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        for (const char *const *r = rules[i]->requirements; *r != NULL; r++)
            if (strcmp(*r, id->id) == 0)
                return true;
    return false;
}

char *tl_scenario_undecided(const struct tl_scenario *first, const char *text, size_t len)
{
    struct tl_path root = {0}, at = {.up = &root, .key = "covers"};
    char *lines = NULL;

    for (const struct tl_scenario *s = first; s != NULL && lines == NULL; s = s->next) {
        for (size_t i = 0; i < s->covers.count; i++) {
            struct tl_path here = {.up = &at, .index = i};
            struct tl_position place = tl_source_find(text, len, &here);
            char *before = lines;

            if (a_step_decides(s, s->covers.list[i]) || a_rule_decides(s->covers.list[i]))
                continue;
            if (asprintf(&lines,
                         "%s%s:%u:%u: covers[%zu]: no step and no rule decides %s; expected "
                         "\"covers\" (or the id in the comment of a line) at a step that can "
                         "be missed\n",
                         before != NULL ? before : "", s->path, place.line, place.column, i,
                         s->covers.list[i]->id) < 0)
                lines = NULL;
            free(before);
        }
    }
    return lines;
}
