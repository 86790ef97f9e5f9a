/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/diagnosis/diagnosis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Probabilities that a case fails: one that the fault fails, and another one. The SUT may use
 * other freedoms of the specification than the built-in one, so that neither is certain. */
static const double own = 0.95, other = 0.004;
/* How often a fault acts that acts only sometimes, and how rare such faults are. */
static const double shares[] = {0.7, 0.4, 0.2, 0.08, 0.03}, rare = 0.01;
/* A sign of a case comes from the signs that the fault has in this case, from those that it has
 * in any case, or from those that any fault has. The last applies to a case that the fault does
 * not fail, too. */
static const double same_case = 0.7, same_fault = 0.2, any_fault = 0.1, half = 0.5;
/* The problems of a case depend on each other: the signs count as half a case. */
static const double sign_weight = 0.5;
/* Additive smoothing of the signs of any fault. */
static const double smooth = 0.01, smooth_all = 20;
/* Scores nearer than this are equal: rounding. */
static const double equal = 1e-6;

static const double good_share = 0.9, good_alike = 0.75;
enum { FEW = 3 };

/* Of all faults together: how much each sign counts, every fault as 1. */
struct tables {
    double *any, sum;
    double *mine; /* of the fault at hand: share of each sign */
};

/* The signs of a fault, as shares of 1, into table->mine. */
static void shares_of(const struct tl_signatures *s, const struct tl_signature *fault,
                      double *mine)
{
    size_t total = 0;

    for (size_t i = 0; i < s->num_signs; i++)
        mine[i] = 0;
    for (size_t i = fault->first; i < fault->first + fault->count; i++) {
        uint16_t set = s->failing[i].set;

        for (uint32_t m = s->sets[set]; m < s->sets[set + 1]; m++)
            mine[s->members[m]]++;
        total += s->sets[set + 1] - s->sets[set];
    }
    for (size_t i = 0; total > 0 && i < s->num_signs; i++)
        mine[i] /= (double)total;
}

static int tables_make(const struct tl_signatures *s, struct tables *t, struct fal_error *err)
{
    t->any = calloc(s->num_signs + 1, sizeof *t->any);
    t->mine = calloc(s->num_signs + 1, sizeof *t->mine);
    if (t->any == NULL || t->mine == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (size_t f = 0; f < s->num_faults; f++) {
        shares_of(s, &s->faults[f], t->mine);
        for (size_t i = 0; i < s->num_signs; i++) {
            t->any[i] += t->mine[i];
            t->sum += t->mine[i];
        }
    }
    return 0;
}

static void tables_free(struct tables *t)
{
    free(t->any);
    free(t->mine);
}

/* Whether the fault fails in this case with that sign. */
static bool has(const struct tl_signatures *s, uint16_t set, int sign)
{
    for (uint32_t m = s->sets[set]; m < s->sets[set + 1]; m++)
        if (s->members[m] == sign)
            return true;
    return false;
}

/* How probable the signs of a failed case are under the fault; `mine` is its entry for the
 * case, or NULL. */
static double likelihood_of_signs(const struct tl_seen *seen, const struct tl_seen_case *c,
                                  const struct tl_signatures *s, const struct tables *t,
                                  const struct tl_failing *mine)
{
    double sum = 0;

    for (uint32_t i = c->first; i < c->first + c->count; i++) {
        int sign = seen->signs[i];
        double any = ((sign >= 0 ? t->any[sign] : 0) + smooth) / (t->sum + smooth_all);
        double fault = sign >= 0 ? t->mine[sign] : 0;

        if (mine == NULL) {
            sum += log(half * fault + half * any);
        } else {
            double size = (double)(s->sets[mine->set + 1] - s->sets[mine->set]);
            double here = sign >= 0 && has(s, mine->set, sign) ? 0.9 / size : 0;

            sum += log(same_case * here + same_fault * fault + any_fault * any);
        }
    }
    return c->count > 0 ? sum / c->count : 0;
}

/* Whether half of the signs of the case are those that the fault has there. */
static bool is_alike(const struct tl_seen *seen, const struct tl_seen_case *c,
                     const struct tl_signatures *s, const struct tl_failing *mine)
{
    size_t same = 0;

    for (uint32_t i = c->first; i < c->first + c->count; i++)
        same += seen->signs[i] >= 0 && has(s, mine->set, seen->signs[i]);
    return 2 * same >= c->count;
}

/* The cases that the fault fails into fit->due, explained and alike. Returns the score of the
 * signs of all failed cases. */
static double compare(const struct tl_seen *seen, const struct tl_signatures *s,
                      const struct tables *t, struct tl_fit *fit)
{
    const struct tl_failing *mine = s->failing + fit->fault->first,
                            *end = mine + fit->fault->count;
    size_t alike = 0;
    double sum = 0;

    for (size_t n = 0; n < s->num_cases; n++) {
        const struct tl_seen_case *c = &seen->cases[n];
        bool fails;

        while (mine < end && mine->number < n)
            mine++;
        fails = mine < end && mine->number == n;
        fit->due += fails && c->seen != TL_CASE_NOT_PLAYED;
        if (c->seen != TL_CASE_FAILED)
            continue;
        fit->explained += fails;
        alike += fails && is_alike(seen, c, s, mine);
        sum += sign_weight * likelihood_of_signs(seen, c, s, t, fails ? mine : NULL);
    }
    fit->alike = fit->explained > 0 ? (double)alike / (double)fit->explained : 0;
    return sum;
}

static double likelihood(const struct tl_seen *seen, const struct tl_fit *fit, double share)
{
    double p = own * share, missed = (double)(fit->due - fit->explained),
           extra = (double)(seen->failed - fit->explained),
           quiet = (double)(seen->played - seen->failed) - missed;

    return (double)fit->explained * log(p) + missed * log(1 - p) + extra * log(other) +
           quiet * log(1 - other);
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

static void score_fault(const struct tl_seen *seen, const struct tl_signatures *s,
                        struct tables *t, struct tl_fit *fit, struct tl_diagnosis *out)
{
    double signs;

    shares_of(s, fit->fault, t->mine);
    signs = compare(seen, s, t, fit);
    if (fit->explained == 0)
        return;
    fit->failed = seen->failed;
    fit->score = likelihood(seen, fit, 1);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double score = log(rare) + likelihood(seen, fit, shares[i]);

        fit->seldom |= score > fit->score;
        fit->score = fmax(fit->score, score);
    }
    fit->score += signs;
    keep(out, fit);
}

static void score_all(const struct tl_seen *seen, const struct tl_signatures *s,
                      struct tables *t, struct tl_diagnosis *out)
{
    *out = (struct tl_diagnosis){
        .failed = seen->failed, .played = seen->played, .foreign = seen->foreign};
    for (size_t f = 0; f < s->num_faults; f++) {
        struct tl_fit fit = {.fault = &s->faults[f]};

        score_fault(seen, s, t, &fit, out);
    }
    for (size_t i = 0; i < out->count; i++)
        out->equal += out->fits[i].score > out->fits[0].score - equal;
}

/* Copies the run without the failed cases that a fault explains. False: out of memory. */
static bool set_aside(const struct tl_seen *seen, const struct tl_signatures *s,
                      const struct tl_signature *fault, struct tl_seen *left)
{
    *left = *seen;
    left->cases = calloc(s->num_cases + 1, sizeof *left->cases);
    if (left->cases == NULL)
        return false;
    memcpy(left->cases, seen->cases, s->num_cases * sizeof *left->cases);
    for (size_t i = fault->first; i < fault->first + fault->count; i++) {
        struct tl_seen_case *c = &left->cases[s->failing[i].number];

        if (c->seen != TL_CASE_FAILED)
            continue;
        c->seen = TL_CASE_NOT_PLAYED;
        left->failed--;
        left->played--;
    }
    return true;
}

/* Two faults at once: behind the best, those that fit the failures that it does not explain. */
static bool score_rest(const struct tl_seen *seen, const struct tl_signatures *s,
                       struct tables *t, struct tl_diagnosis *out)
{
    struct tl_diagnosis second;
    struct tl_seen left;
    size_t at = out->equal;

    if (out->count == 0 || out->equal == TL_FITS_MAX || out->fits[0].explained == seen->failed)
        return true;
    if (!set_aside(seen, s, out->fits[0].fault, &left))
        return false;
    score_all(&left, s, t, &second);
    free(left.cases);
    /* Half of the places for the rest, the others stay for the whole. */
    for (size_t i = 0; i < second.count && at < TL_FITS_MAX && i < TL_FITS_MAX / 2; i++) {
        second.fits[i].rest = true;
        memmove(&out->fits[at + 1], &out->fits[at], (TL_FITS_MAX - at - 1) * sizeof *out->fits);
        out->fits[at++] = second.fits[i];
        out->count += out->count < TL_FITS_MAX;
    }
    return true;
}

int tl_diagnosis_score(const struct tl_seen *seen, const struct tl_signatures *signatures,
                       struct tl_diagnosis *out, struct fal_error *err)
{
    struct tables t = {.sum = 0};
    int rc = tables_make(signatures, &t, err);

    *out = (struct tl_diagnosis){.count = 0};
    if (rc == 0) {
        score_all(seen, signatures, &t, out);
        if (!score_rest(seen, signatures, &t, out))
            rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    tables_free(&t);
    return rc;
}

/* Whether the fault shows itself as it should, in the cases that it explains. */
static bool is_plain(const struct tl_fit *fit)
{
    if (fit->alike < good_alike)
        return false;
    return fit->seldom ? fit->explained >= FEW
                       : (double)fit->explained >= good_share * (double)fit->due;
}

bool tl_fit_good(const struct tl_fit *fit)
{
    return is_plain(fit) && (double)fit->explained >= good_share * (double)fit->failed;
}

bool tl_diagnosis_fits(const struct tl_diagnosis *d)
{
    if (d->count == 0 || tl_fit_good(&d->fits[0]))
        return d->count > 0;
    return d->equal < d->count && d->fits[d->equal].rest && is_plain(&d->fits[0]) &&
           tl_fit_good(&d->fits[d->equal]) && FEW <= d->fits[d->equal].explained;
}
