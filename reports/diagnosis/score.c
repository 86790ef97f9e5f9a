/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/diagnosis/diagnosis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Probabilities that a scenario fails: of the fault's own scenarios, and of another one. The
 * SUT may use other freedoms of the specification than the built-in one, so that neither is
 * certain. */
static const double own = 0.95, other = 0.004;
/* That a rule is violated which the fault is known to violate, and another one. */
static const double own_rule = 0.7, other_rule = 0.1;
/* How often a fault acts that acts only sometimes, and how rare such faults are. */
static const double shares[] = {0.7, 0.4, 0.2, 0.08, 0.03}, rare = 0.01;

enum { GOOD = 9, OF = 10, FEW = 3 };

static const struct tl_scenario_seen *find(const struct tl_seen *seen, const char *id)
{
    return seen->count == 0 ? NULL
                            : bsearch(id, seen->scenarios, seen->count, sizeof *seen->scenarios,
                                      (int (*)(const void *, const void *))strcmp);
}

static double likelihood(const struct tl_diagnosis *d, const struct tl_fit *fit, double share)
{
    double p = own * share, missed = (double)(fit->due - fit->explained),
           extra = (double)(d->failed - fit->explained),
           quiet = (double)(d->played - d->failed) - missed;

    return (double)fit->explained * log(p) + missed * log(1 - p) + extra * log(other) +
           quiet * log(1 - other);
}

/* Whether the fault is known to violate the rule. */
static bool violates(const struct tl_known_faults *known, const char *fault, const char *rule)
{
    for (size_t i = 0; i < known->num_rules; i++)
        if (strcmp(known->rules[i].fault, fault) == 0 &&
            strcmp(known->rules[i].rule, rule) == 0)
            return true;
    return false;
}

static double score_rules(const struct tl_seen *seen, const struct tl_known_faults *known,
                          const char *fault)
{
    size_t n;
    const struct fal_rule *const *all = fal_rules(&n);
    double score = 0;

    for (size_t i = 0; i < n; i++)
        if (seen->rules[i])
            score += log(violates(known, fault, all[i]->id) ? own_rule : other_rule);
    return score;
}

static void keep(struct tl_diagnosis *d, const struct tl_fit *fit)
{
    size_t at = d->count;

    while (at > 0 && fit->score > d->fits[at - 1].score)
        at--;
    if (at == TL_FITS_MAX)
        return;
    if (d->count < TL_FITS_MAX)
        d->count++;
    memmove(&d->fits[at + 1], &d->fits[at], (d->count - at - 1) * sizeof *fit);
    d->fits[at] = *fit;
}

static void score_fault(const struct tl_seen *seen, const struct tl_known_faults *known,
                        struct tl_fit *fit, struct tl_diagnosis *out)
{
    if (fit->explained == 0)
        return;
    fit->score = likelihood(out, fit, 1);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double score = log(rare) + likelihood(out, fit, shares[i]);

        fit->seldom |= score > fit->score;
        fit->score = fmax(fit->score, score);
    }
    fit->score += score_rules(seen, known, fit->fault);
    keep(out, fit);
}

void tl_diagnosis_score(const struct tl_seen *seen, const struct tl_known_faults *known,
                        struct tl_diagnosis *out)
{
    *out = (struct tl_diagnosis){.played = seen->count};
    for (size_t i = 0; i < seen->count; i++)
        out->failed += seen->scenarios[i].failed;
    for (size_t i = 0; i < known->num_suite;) {
        struct tl_fit fit = {.fault = known->suite[i].fault};

        for (; i < known->num_suite && strcmp(known->suite[i].fault, fit.fault) == 0; i++) {
            const struct tl_scenario_seen *is = find(seen, known->suite[i].scenario);

            fit.due += is != NULL;
            fit.explained += is != NULL && is->failed;
        }
        score_fault(seen, known, &fit, out);
    }
}

bool tl_fit_good(const struct tl_diagnosis *diagnosis, const struct tl_fit *fit)
{
    if (fit->explained * OF < diagnosis->failed * GOOD)
        return false;
    return fit->seldom ? fit->explained >= FEW : fit->explained * OF >= fit->due * GOOD;
}
