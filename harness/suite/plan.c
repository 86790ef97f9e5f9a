/* SPDX-License-Identifier: Apache-2.0
 * plan.c - from scenarios to the cases that are run. */
#include "harness/suite/plan.h"

#include <stdlib.h>
#include <string.h>

static bool add(struct tl_plan *plan, const struct tl_scenario *scenario, const char *id)
{
    struct tl_planned *grown;
    size_t n = plan->num_cases;
    char *copy = strdup(id);

    /* Grown by doubling. */
    if (copy != NULL && (n & (n - 1)) == 0) {
        grown = realloc(plan->cases, (n == 0 ? 1 : n * 2) * sizeof *grown);
        if (grown == NULL) {
            free(copy);
            return false;
        }
        plan->cases = grown;
    }
    if (copy == NULL)
        return false;
    plan->cases[n].scenario = scenario;
    plan->cases[n].id = copy;
    plan->cases[n].own = copy;
    plan->cases[n].place = n + plan->other_shards;
    plan->num_cases++;
    return true;
}

bool tl_plan_wants(const void *ctx, const char *file_id, const char *id)
{
    const struct tl_plan_by *by = ctx;

    for (size_t i = 0; i < by->n; i++)
        if (!tl_select_admits(by->selects[i], file_id, id))
            return false;
    return true;
}

static bool taken(const struct tl_plan_by *by, const struct tl_scenario *scenario,
                  const char *id)
{
    bool named = !tl_select_soaks(scenario);

    for (size_t i = 0; i < by->n; i++) {
        if (!tl_select_takes(by->selects[i], scenario, id))
            return false;
        named = named || tl_select_names(by->selects[i], scenario, id);
    }
    return named;
}

int tl_plan_make(struct tl_plan *plan, const struct tl_suite *suite,
                 const struct tl_plan_by *by, struct tl_shard shard)
{
    *plan = (struct tl_plan){.deselected = suite->passed_over, .selection = TL_SHARD_HASH};
    for (size_t i = 0; i < suite->count; i++) {
        const struct tl_scenario *scenario = suite->list[i];
        const char *id = scenario->id;

        if (!taken(by, scenario, id)) {
            plan->deselected++;
            continue;
        }
        plan->selection = tl_shard_hash(plan->selection, id);
        if (!tl_shard_takes(shard, id)) {
            plan->other_shards++;
        } else if (!add(plan, scenario, id)) {
            tl_plan_free(plan);
            return FAL_ERR_MEM;
        }
    }
    return 0;
}

int tl_plan_note_places(struct tl_plan *plan)
{
    free(plan->places);
    plan->places = calloc(plan->num_cases + 1, sizeof *plan->places);
    for (size_t i = 0; plan->places != NULL && i < plan->num_cases; i++)
        plan->places[i] = plan->cases[i].place;
    return plan->places != NULL ? 0 : FAL_ERR_MEM;
}

/* The place of a case; SIZE_MAX: it is not in the plan. */
static size_t place_of(const struct tl_plan *plan, const char *id)
{
    for (size_t i = 0; i < plan->num_cases; i++)
        if (strcmp(plan->cases[i].id, id) == 0)
            return i;
    return SIZE_MAX;
}

int tl_plan_between(struct tl_plan *plan, const char *first, const char *last,
                    struct fal_error *err)
{
    size_t from = first != NULL ? place_of(plan, first) : 0, kept = 0;
    size_t to = last != NULL ? place_of(plan, last) : plan->num_cases - 1;

    if (plan->num_cases == 0)
        return 0;
    if (from == SIZE_MAX || to == SIZE_MAX)
        return fal_fail(err, FAL_ERR_FORM, "%s %s: it is not among the selected cases",
                        from == SIZE_MAX ? "--first" : "--last",
                        from == SIZE_MAX ? first : last);
    if (from > to)
        return fal_fail(err, FAL_ERR_FORM, "--first %s comes after --last %s", first, last);
    for (size_t i = 0; i < plan->num_cases; i++) {
        if (i >= from && i <= to) {
            plan->cases[kept++] = plan->cases[i];
            continue;
        }
        free(plan->cases[i].own);
        plan->deselected++;
    }
    plan->num_cases = kept;
    return 0;
}

void tl_plan_free(struct tl_plan *plan)
{
    for (size_t i = 0; i < plan->num_cases; i++)
        free(plan->cases[i].own);
    free(plan->cases);
    free(plan->places);
    *plan = (struct tl_plan){.cases = NULL};
}
