/* SPDX-License-Identifier: Apache-2.0
 * tally.c - what all cases of a run come to together. */
#include "reports/results/results.h"

#include "codecs/base/error.h"
#include <string.h>

void tl_tally_add(struct tl_tally *tally, const struct tl_case *c)
{
    enum fal_verdict counts = tl_case_counts(c);
    bool ran = tl_case_ran(c);

    tally->cases++;
    tally->ran += ran;
    tally->ended[c->verdict] += ran;
    tally->counted[counts]++;
    tally->disposed[c->disposition]++;
    tally->worst = fal_verdict_worse(tally->worst, c->verdict);
    tally->worst_counted = fal_verdict_worse(tally->worst_counted, counts);
    tally->duration_ns += c->duration_ns;
}

int tl_results_tally(const struct tl_results *results, struct tl_tally *out,
                     struct fal_error *err)
{
    struct tl_cases it;
    const struct tl_case *c;

    if (results->tally != NULL) {
        *out = *results->tally;
        return 0;
    }
    *out = (struct tl_tally){0};
    tl_cases_begin(&it, results);
    while ((c = tl_cases_next(&it)) != NULL)
        tl_tally_add(out, c);
    if (it.rc != 0 && err != NULL)
        *err = it.err;
    return it.rc;
}

static bool wasted(const struct tl_tally *tally, const struct tl_results *results)
{
    for (size_t i = 0; i < results->num_waivers; i++) {
        const char *state = results->waivers[i].state;

        if (strcmp(state, "unused") == 0 || strcmp(state, "expired") == 0 ||
            strcmp(state, "unexpected-pass") == 0)
            return true;
    }
    return tally->disposed[TL_UNEXPECTED_PASS] > 0;
}

int tl_tally_status(const struct tl_tally *tally, const struct tl_results *results)
{
    if (tally->worst_counted == FAL_VERDICT_ERROR || results->interrupted)
        return 4;
    if (results->bad_files > 0 || tally->ran == 0)
        return 2;
    if (tally->worst_counted == FAL_VERDICT_FAIL || (results->strict && wasted(tally, results)))
        return 1;
    return tally->worst_counted == FAL_VERDICT_INCONC ? 3 : 0;
}

int tl_results_status(const struct tl_results *results)
{
    struct tl_tally tally;

    /* A case that cannot be read is not counted; callers that read cases again check for errors
     * first. */
    FAL_IGNORE(tl_results_tally(results, &tally, NULL));
    return tl_tally_status(&tally, results);
}

enum fal_verdict tl_results_verdict(const struct tl_results *results)
{
    struct tl_tally tally;

    /* A case that cannot be read is not counted; callers that read cases again check for errors
     * first. */
    FAL_IGNORE(tl_results_tally(results, &tally, NULL));
    return tally.worst;
}

size_t tl_results_count(const struct tl_results *results, enum fal_verdict verdict)
{
    struct tl_tally tally;

    /* A case that cannot be read is not counted; callers that read cases again check for errors
     * first. */
    FAL_IGNORE(tl_results_tally(results, &tally, NULL));
    return tally.ended[verdict];
}

size_t tl_results_disposed(const struct tl_results *results, enum tl_disposition disposition)
{
    struct tl_tally tally;

    /* A case that cannot be read is not counted; callers that read cases again check for errors
     * first. */
    FAL_IGNORE(tl_results_tally(results, &tally, NULL));
    return tally.disposed[disposition];
}
