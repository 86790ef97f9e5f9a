/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/probe.h"

#include "harness/verdict/case_verdict.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(TL_ICS_COUNT <= 64, "a bit for each item");

static uint64_t bit(int item)
{
    return UINT64_C(1) << item;
}

/* The item that all its requirements depend on; 0: no single one. */
static uint64_t ground(const struct tl_scenario *scenario)
{
    uint64_t all = 0;

    for (size_t i = 0; i < scenario->covers.count; i++) {
        const char *needed = scenario->covers.list[i]->ics;
        int at = needed != NULL ? tl_ics_find(needed) : -1;

        if (at < 0)
            return 0;
        all |= bit(at);
    }
    return (all & (all - 1)) == 0 ? all : 0;
}

uint64_t tl_probe_items(const struct tl_scenario *scenario)
{
    uint64_t items = ground(scenario);

    for (size_t i = 0; i < scenario->num_needs; i++) {
        const struct tl_ics_condition *needs = &scenario->needs[i];

        if (needs->count == 1 && !needs->any_of[0].negated)
            items |= bit((int)needs->any_of[0].item);
    }
    return items;
}

void tl_probe_plan(struct tl_plan *plan)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->num_cases; i++) {
        if (tl_probe_items(plan->cases[i].scenario) != 0) {
            plan->cases[kept++] = plan->cases[i];
            continue;
        }
        free(plan->cases[i].own);
        plan->deselected++;
    }
    plan->num_cases = kept;
}

void tl_probe_claim(struct tl_ics *ics, const struct tl_scenario *scenario)
{
    uint64_t items = tl_probe_items(scenario);

    for (int i = 0; i < TL_ICS_COUNT; i++)
        if ((items & bit(i)) != 0)
            ics->items[i] = TL_ICS_YES;
}

/* The SUT reported that it cannot have such a connection. (A limit of its adapter proves
 * nothing.) */
static bool refused(const struct tl_case *c)
{
    return c->verdict > FAL_VERDICT_WARN && c->verdict != FAL_VERDICT_FAIL &&
           (c->reason.id == TL_REASON_SETUP || c->reason.id == TL_REASON_OPEN ||
            c->reason.id == TL_REASON_ROTATE);
}

void tl_probe_settle(const struct tl_ics *claims, const struct tl_scenario *scenario,
                     struct tl_case *c)
{
    uint64_t items = tl_probe_items(scenario);
    bool refuses = refused(c);

    if (c->disposition != TL_RAN || (!refuses && c->verdict != FAL_VERDICT_FAIL))
        return;
    for (int i = 0; i < TL_ICS_COUNT; i++) {
        if ((items & bit(i)) == 0 || claims->items[i] == TL_ICS_YES)
            continue;
        c->disposition = TL_EXPECTED_FAILURE; /* the feature was not claimed */
        if (asprintf(&c->why, "%s is not claimed", tl_ics_name((enum tl_ics_item)i)) < 0)
            c->why = NULL;
        return;
    }
    if (refuses) { /* it said so */
        c->verdict = FAL_VERDICT_FAIL;
        c->reason = tl_reason(TL_REASON_CLAIM);
    }
}

/* ---- what all of them tell ---- */

enum outcome { PASSED, FAILED, UNCLEAR };

static enum outcome outcome_of(const struct tl_case *c)
{
    if (c->disposition == TL_SKIPPED || c->disposition == TL_NOT_RUN ||
        c->disposition == TL_NOT_APPLICABLE)
        return UNCLEAR;
    if (c->verdict == FAL_VERDICT_PASS || c->verdict == FAL_VERDICT_WARN)
        return PASSED;
    return c->verdict == FAL_VERDICT_FAIL || refused(c) ? FAILED : UNCLEAR;
}

/* Decides which item a failed case counts against: the item whose companions the SUT all has;
 * else the items that are not claimed; else all items of the case. */
static bool blames(const struct tl_probe_use *uses, uint64_t items, int item)
{
    uint64_t cannot = 0, unclaimed = 0;

    for (int i = 0; i < TL_ICS_COUNT; i++) {
        if ((items & bit(i)) != 0 && uses[i].passed == 0)
            cannot |= bit(i);
        if ((items & bit(i)) != 0 && uses[i].claimed != 1)
            unclaimed |= bit(i);
    }
    if ((cannot & unclaimed) != 0)
        cannot &= unclaimed;
    return ((cannot != 0 ? cannot : items) & bit(item)) != 0;
}

static void conclude(struct tl_probe_use *use)
{
    if (use->passed > 0)
        use->seen = use->failed == 0 ? TL_PROBE_DOES : TL_PROBE_PARTLY;
    else
        use->seen = use->failed > 0 ? TL_PROBE_DOES_NOT : TL_PROBE_UNCLEAR;
    if (use->claimed == 1 && use->seen == TL_PROBE_DOES_NOT)
        use->finding = "claim not met";
    else if (use->claimed == 1 && use->seen == TL_PROBE_PARTLY)
        use->finding = "claim met in part";
    else if (use->claimed == 0 && use->seen == TL_PROBE_DOES)
        use->finding = "ability denied";
    else if (use->claimed < 0 && use->seen == TL_PROBE_DOES)
        use->finding = "ability not declared";
}

int tl_probe_report(const struct tl_run *run, const struct tl_ics *claims,
                    struct tl_results *results)
{
    struct tl_probe_use *uses = calloc(TL_ICS_COUNT, sizeof *uses);

    if (uses == NULL)
        return FAL_ERR_MEM;
    for (int i = 0; i < TL_ICS_COUNT; i++) {
        uses[i].item = tl_ics_name((enum tl_ics_item)i);
        uses[i].claimed = claims->items[i] == TL_ICS_OPEN  ? -1
                          : claims->items[i] == TL_ICS_YES ? 1
                                                           : 0;
    }
    for (int round = 0; round < 2;
         round++) { /* first the cases that pass, then the items that failures count against */
        for (size_t n = 0; n < run->num_cases; n++) {
            const struct tl_case *c = &results->cases[n];
            uint64_t items = tl_probe_items(run->cases[n].scenario);
            enum outcome outcome = outcome_of(c);

            for (int i = 0; i < TL_ICS_COUNT; i++) {
                if ((items & bit(i)) == 0)
                    continue;
                uses[i].cases += round == 0;
                uses[i].passed += round == 0 && outcome == PASSED;
                if (round == 0 || outcome != FAILED || !blames(uses, items, i))
                    continue;
                if (uses[i].failed++ == 0)
                    uses[i].example = c->id;
            }
        }
    }
    for (int i = 0; i < TL_ICS_COUNT; i++)
        conclude(&uses[i]);
    results->probe = uses;
    results->num_probe = TL_ICS_COUNT;
    return 0;
}
