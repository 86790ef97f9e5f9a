/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/spent.h"

#include "oracles/rules/judge/budget.h"

#include <inttypes.h>
#include <stdio.h>

/* By the direction in which the packet was lost. */
static const enum fal_excuse losses[TL_SPENT_LOSSES] = {
    [FAL_TO_SUT] = FAL_EXCUSE_IN_LOSS, [FAL_FROM_SUT] = FAL_EXCUSE_OUT_LOSS};

void tl_spent_add(struct tl_spent *spent, const struct fal_rule_result *result)
{
    spent->decided += fal_result_decided(result);
    spent->open += fal_result_open(result);
    for (unsigned i = 0; i < TL_SPENT_LOSSES; i++) {
        uint64_t events = result->events[losses[i]], excused = result->excused[losses[i]];

        spent->excused[i] += excused;
        spent->losses[i] += events > 0 ? events : excused; /* results of older files */
    }
}

bool tl_spent_enough(const struct tl_spent *spent, const struct fal_rule *rule,
                     const struct fal_trials path[2], struct fal_suspect *out)
{
    *out = (struct fal_suspect){.rule = rule};
    /* Of other rules a loss makes the instance, so their number says nothing of the path. */
    for (unsigned i = 0; i < TL_SPENT_LOSSES && fal_budget_each(rule); i++) {
        uint64_t n = spent->decided + spent->excused[i];
        enum fal_budget_word word = fal_budget_word(n, spent->losses[i], path[i]);

        if (word == FAL_BUDGET_FITS)
            continue;
        out->excuse = losses[i];
        out->used = spent->losses[i];
        out->of = n;
        out->allowed = fal_budget_allowed(n, path[i]);
        out->unmeasured = word == FAL_BUDGET_UNMEASURED;
        return false;
    }
    return fal_power_enough(spent->decided, spent->open);
}

void tl_spent_text(const struct fal_suspect *s, char out[TL_SPENT_TEXT])
{
    (void)snprintf(out, TL_SPENT_TEXT,
                   "rule %s reads inconclusive over the run: it needed %s for %" PRIu64
                   " of %" PRIu64 " packets; of a path %s %" PRIu64 " are believed%s",
                   s->rule->id, fal_excuse_name(s->excuse), s->used, s->of,
                   s->unmeasured ? "that was not measured" : "that was measured like this one",
                   s->allowed,
                   s->unmeasured ? " (measure it: talon path-check, then --path-check)" : "");
}

static bool few(const struct fal_trials *way)
{
    return way->trials > 0 && way->trials < FAL_BUDGET_MEASURED;
}

bool tl_path_text(const struct fal_trials path[2], char out[TL_SPENT_TEXT])
{
    const struct fal_trials *to = &path[FAL_TO_SUT], *from = &path[FAL_FROM_SUT];
    int n = 0;

    if (to->trials + from->trials == 0)
        return false;
    if (to->trials > 0)
        n = snprintf(out, TL_SPENT_TEXT,
                     "the path lost %" PRIu64 " of %" PRIu64 " probes on the way to the SUT",
                     to->losses, to->trials);
    if (from->trials > 0)
        n += snprintf(out + n, (size_t)(TL_SPENT_TEXT - n),
                      "%s%" PRIu64 " of %" PRIu64 "%s on the way from the SUT",
                      n > 0 ? " and " : "the path lost ", from->losses, from->trials,
                      n > 0 ? "" : " probes");
    if (few(to) || few(from))
        (void)snprintf(out + n, (size_t)(TL_SPENT_TEXT - n),
                       "; fewer than %d probes are no measurement", FAL_BUDGET_MEASURED);
    return true;
}
