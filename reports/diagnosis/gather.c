/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/catalogue.h"
#include "reports/diagnosis/diagnosis.h"

#include <stdlib.h>
#include <string.h>

static struct tl_sign sign_of(const struct tl_problem *p)
{
    const struct tl_symptom_about *about =
        p->num_symptoms > 0 ? tl_symptom_about(p->symptoms[0]) : NULL;

    return (struct tl_sign){
        .rule = p->rule != NULL ? p->rule->id : "step",
        .requirement = p->requirement != NULL ? p->requirement->id : "-",
        .symptom = about != NULL ? about->word : "-",
        .field = p->field != NULL ? p->field : "-",
    };
}

/* Each sign once. */
static bool add_sign(struct tl_seen *seen, struct tl_seen_case *to, int sign)
{
    int *grown;

    for (size_t i = to->first; i < to->first + to->count; i++)
        if (seen->signs[i] == sign)
            return true;
    if ((seen->num_signs & (seen->num_signs - 1)) == 0) { /* a power of two, or 0 */
        grown = realloc(seen->signs,
                        (seen->num_signs == 0 ? 1 : 2 * seen->num_signs) * sizeof *grown);
        if (grown == NULL)
            return false;
        seen->signs = grown;
    }
    seen->signs[seen->num_signs++] = sign;
    to->count++;
    return true;
}

/* The weight of a case is shared by the requirements that it names. */
static void weigh(struct tl_seen *seen, const struct tl_case *c)
{
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (size_t i = 0; i < c->num_problems; i++) {
        const struct fal_requirement *r = tl_problem_blames(&c->problems[i]);

        if (r != NULL && c->problems[i].subject != FAL_SUBJECT_TESTER)
            seen->blamed[r - all] += 1.0 / (double)c->num_problems;
    }
}

static bool shown(const struct tl_problem *p)
{
    return p->subject != FAL_SUBJECT_TESTER;
}

static bool fails(const struct tl_case *c)
{
    if (c->verdict != FAL_VERDICT_FAIL && c->verdict != FAL_VERDICT_WARN)
        return false;
    for (size_t i = 0; i < c->num_problems; i++)
        if (shown(&c->problems[i]))
            return true;
    return false;
}

static bool add_failed(struct tl_seen *seen, const struct tl_signatures *signatures,
                       struct tl_seen_case *to, const struct tl_case *c)
{
    to->seen = TL_CASE_FAILED;
    to->first = (uint32_t)seen->num_signs;
    seen->failed++;
    weigh(seen, c);
    for (size_t i = 0; i < c->num_problems; i++) {
        struct tl_sign sign = sign_of(&c->problems[i]);

        if (shown(&c->problems[i]) &&
            !add_sign(seen, to, tl_signatures_sign(signatures, &sign)))
            return false;
    }
    return true;
}

static bool add(struct tl_seen *seen, const struct tl_signatures *signatures,
                const struct tl_case *c)
{
    int number = tl_signatures_case(signatures, c->id);
    struct tl_seen_case *to = number >= 0 ? &seen->cases[number] : NULL;

    if (to == NULL && fails(c)) {
        seen->foreign++;
        weigh(seen, c);
    }
    if (to == NULL || to->seen == TL_CASE_FAILED)
        return true;
    seen->played += to->seen == TL_CASE_NOT_PLAYED;
    to->seen = TL_CASE_PASSED;
    return !fails(c) || add_failed(seen, signatures, to, c);
}

/* Whether the case says something about the SUT: a case without an end of its own does not. */
static bool decides(const struct tl_case *c)
{
    return tl_case_ran(c) && (c->verdict == FAL_VERDICT_PASS ||
                              c->verdict == FAL_VERDICT_FAIL || c->verdict == FAL_VERDICT_WARN);
}

int tl_seen_gather(const struct tl_results *results, const struct tl_signatures *signatures,
                   struct tl_seen *out, struct fal_error *err)
{
    struct tl_cases it;
    const struct tl_case *c;
    size_t num_requirements;
    bool ok = true;

    (void)fal_catalogue(&num_requirements);
    *out = (struct tl_seen){.cases = calloc(signatures->num_cases + 1, sizeof *out->cases),
                            .blamed = calloc(num_requirements, sizeof *out->blamed)};
    if (out->cases == NULL || out->blamed == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    tl_cases_begin(&it, results);
    while (ok && (c = tl_cases_next(&it)) != NULL)
        ok = !decides(c) || add(out, signatures, c);
    tl_cases_end(&it);
    if (it.rc != 0 && err != NULL)
        *err = it.err;
    if (it.rc != 0)
        return it.rc;
    return ok ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

void tl_seen_free(struct tl_seen *seen)
{
    free(seen->cases);
    free(seen->signs);
    free(seen->blamed);
    *seen = (struct tl_seen){.cases = NULL};
}
