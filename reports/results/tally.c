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
    for (size_t i = 0; ran && i < c->num_rules; i++) {
        size_t rule = fal_rule_number(c->rules[i].rule);

        if (c->rules[i].subject == FAL_SUBJECT_SUT && rule < FAL_RULES_MAX)
            tl_spent_add(&tally->spent[rule], &c->rules[i]);
    }
    for (int dir = 0; dir < 2; dir++) {
        tally->path[dir].trials += c->path.way[dir].trials;
        tally->path[dir].losses += c->path.way[dir].losses;
    }
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

void tl_tally_path(const struct tl_tally *tally, const struct tl_results *results,
                   struct fal_trials out[2])
{
    for (int dir = 0; dir < 2; dir++) {
        out[dir].trials = results->path.trials + tally->path[dir].trials;
        out[dir].losses = results->path.losses + tally->path[dir].losses;
    }
}

bool tl_tally_suspect(const struct tl_tally *tally, const struct tl_results *results, size_t i,
                      struct fal_suspect *out)
{
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);
    struct fal_trials path[2];

    tl_tally_path(tally, results, path);
    for (size_t rule = 0; rule < n && rule < FAL_RULES_MAX; rule++)
        if (!tl_spent_enough(&tally->spent[rule], rules[rule], path, out) && out->used > 0 &&
            i-- == 0)
            return true;
    return false;
}

enum fal_verdict tl_tally_verdict(const struct tl_tally *tally,
                                  const struct tl_results *results)
{
    struct fal_suspect suspect;

    return tl_tally_suspect(tally, results, 0, &suspect)
               ? fal_verdict_worse(tally->worst_counted, FAL_VERDICT_INCONC)
               : tally->worst_counted;
}

int tl_tally_status(const struct tl_tally *tally, const struct tl_results *results)
{
    if (tally->worst_counted == FAL_VERDICT_ERROR || results->interrupted)
        return 4;
    /* A shard may have nothing to run; their merged results may not. */
    if (results->bad_files > 0 || (tally->ran == 0 && results->shard == 0))
        return 2;
    if (tally->worst_counted == FAL_VERDICT_FAIL || (results->strict && wasted(tally, results)))
        return 1;
    return tl_tally_verdict(tally, results) == FAL_VERDICT_INCONC ? 3 : 0;
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
