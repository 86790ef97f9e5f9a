/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/diagnosis/diagnosis.h"

#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct tl_scenario_seen *)a)->id,
                  ((const struct tl_scenario_seen *)b)->id);
}

/* "scenario@parameters": an id that is longer than those of the suite is cut. */
static bool add(struct tl_seen *seen, size_t *cap, const struct tl_case *c)
{
    size_t len = strcspn(c->id, "@");
    struct tl_scenario_seen *to;

    if (seen->count == *cap) {
        size_t more = *cap == 0 ? 256 : *cap * 2;
        struct tl_scenario_seen *grown = realloc(seen->scenarios, more * sizeof *grown);

        if (grown == NULL)
            return false;
        seen->scenarios = grown;
        *cap = more;
    }
    to = &seen->scenarios[seen->count++];
    if (len >= sizeof to->id)
        len = sizeof to->id - 1;
    memcpy(to->id, c->id, len);
    to->id[len] = 0;
    to->failed = c->verdict == FAL_VERDICT_FAIL || c->verdict == FAL_VERDICT_WARN;
    for (size_t i = 0; i < c->num_problems; i++) {
        const struct tl_problem *p = &c->problems[i];

        if (to->failed && p->kind == TL_PROBLEM_RULE && p->rule != NULL &&
            p->subject == FAL_SUBJECT_SUT)
            seen->rules[fal_rule_number(p->rule)] = true;
    }
    return true;
}

/* Of several cases of a scenario the worst counts. */
static void unite(struct tl_seen *seen)
{
    size_t kept = 0;

    if (seen->count == 0)
        return;
    qsort(seen->scenarios, seen->count, sizeof *seen->scenarios, by_id);
    for (size_t i = 1; i < seen->count; i++) {
        if (by_id(&seen->scenarios[kept], &seen->scenarios[i]) == 0)
            seen->scenarios[kept].failed |= seen->scenarios[i].failed;
        else
            seen->scenarios[++kept] = seen->scenarios[i];
    }
    seen->count = kept + 1;
}

/* Whether the case says something about the SUT: a case without an end of its own does not. */
static bool decides(const struct tl_case *c)
{
    return tl_case_ran(c) && (c->verdict == FAL_VERDICT_PASS ||
                              c->verdict == FAL_VERDICT_FAIL || c->verdict == FAL_VERDICT_WARN);
}

int tl_seen_gather(const struct tl_results *results, struct tl_seen *out, struct fal_error *err)
{
    struct tl_cases it;
    const struct tl_case *c;
    size_t cap = 0;
    bool ok = true;

    *out = (struct tl_seen){.count = 0};
    tl_cases_begin(&it, results);
    while (ok && (c = tl_cases_next(&it)) != NULL)
        ok = !decides(c) || add(out, &cap, c);
    tl_cases_end(&it);
    if (it.rc != 0 && err != NULL)
        *err = it.err;
    if (it.rc != 0)
        return it.rc;
    unite(out);
    return ok ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

int tl_diagnose(const struct tl_results *results, struct tl_diagnosis *out,
                struct fal_error *err)
{
    struct tl_known_faults known;
    struct tl_seen seen;
    int rc = tl_seen_gather(results, &seen, err);

    known.suite = fal_suite_kills(&known.num_suite);
    known.rules = fal_kills(&known.num_rules);
    *out = (struct tl_diagnosis){.count = 0};
    if (rc == 0)
        tl_diagnosis_score(&seen, &known, out);
    free(seen.scenarios);
    return rc;
}
