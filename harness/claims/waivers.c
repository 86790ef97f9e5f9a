/* SPDX-License-Identifier: Apache-2.0
 * waivers.c - what the entries of a waiver file do to the cases. */
#include "harness/claims/waivers.h"

#include "harness/claims/firmware.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool glob(const char *pattern, const char *text)
{
    return pattern == NULL || strcmp(pattern, text) == 0 || fnmatch(pattern, text, 0) == 0;
}

static bool of_this_sut(const struct tl_waiver *w, const struct tl_identity *identity)
{
    return glob(w->vendor, identity->vendor) && glob(w->product, identity->product) &&
           (w->firmware == NULL || tl_firmware_in(w->firmware, identity->firmware));
}

static bool of_case(const struct tl_waiver *w, const char *scenario_id, const struct tl_case *c)
{
    return glob(w->scenario, c->id) || glob(w->scenario, scenario_id);
}

static bool covers(const struct tl_case *c, const char *requirement)
{
    for (size_t i = 0; i < c->num_covers; i++)
        if (strcmp(c->covers[i]->id, requirement) == 0)
            return true;
    return false;
}

static bool waives(const struct tl_waiver *w, const struct tl_problem *p)
{
    if (w->requirement != NULL &&
        (p->requirement == NULL || strcmp(p->requirement->id, w->requirement) != 0))
        return false;
    for (size_t i = 0; i < w->num_prints; i++)
        if (p->fingerprint[0] != 0 && strcmp(w->prints[i], p->fingerprint) == 0)
            return true;
    return false;
}

static const struct tl_waiver *waiver_of(const struct tl_waivers *waivers,
                                         const struct tl_identity *identity, uint32_t today,
                                         const char *scenario_id, const struct tl_case *c,
                                         const struct tl_problem *p)
{
    for (size_t i = 0; i < waivers->count; i++) {
        const struct tl_waiver *w = &waivers->list[i];

        if (w->kind != TL_WAIVER_FLAKY && w->expires >= today && of_case(w, scenario_id, c) &&
            waives(w, p) && of_this_sut(w, identity))
            return w;
    }
    return NULL;
}

/* A rule that was violated and that no problem lists: there were too many problems to list them
 * all. */
static bool tells_all(const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_rules; i++) {
        bool told = false;

        if (c->rules[i].verdict < FAL_VERDICT_INCONC || c->rules[i].broken == 0)
            continue;
        for (size_t k = 0; k < c->num_problems; k++)
            told |= c->problems[k].rule == c->rules[i].rule &&
                    c->problems[k].subject == c->rules[i].subject;
        if (!told)
            return false;
    }
    return true;
}

/* Adds an entry's id to the report of the case. */
static int say(struct tl_case *c, const char *id)
{
    char *more;

    if (c->why == NULL) {
        c->why = strdup(id);
        return c->why != NULL ? 0 : FAL_ERR_MEM;
    }
    if (asprintf(&more, "%s, %s", c->why, id) < 0)
        return FAL_ERR_MEM;
    free(c->why);
    c->why = more;
    return 0;
}

static int apply_to_failure(const struct tl_waivers *waivers,
                            const struct tl_identity *identity, uint32_t today,
                            const char *scenario_id, struct tl_case *c)
{
    bool all = tells_all(c), expected = false, any = false;

    for (size_t i = 0; i < c->num_problems; i++) {
        struct tl_problem *p = &c->problems[i];
        const struct tl_waiver *w;

        if (p->verdict < FAL_VERDICT_INCONC)
            continue;
        w = waiver_of(waivers, identity, today, scenario_id, c, p);
        p->waiver = w != NULL ? w->id : NULL;
        all &= w != NULL;
        expected |= w != NULL && w->kind == TL_WAIVER_EXPECTED;
        any = true;
    }
    if (!all || !any)
        return 0;
    c->disposition = expected ? TL_EXPECTED_FAILURE : TL_WAIVED;
    for (size_t i = 0; i < c->num_problems; i++) {
        size_t first = 0;

        while (c->problems[first].waiver != c->problems[i].waiver)
            first++;
        if (c->problems[i].waiver != NULL && first == i && say(c, c->problems[i].waiver) != 0)
            return FAL_ERR_MEM;
    }
    return 0;
}

/* Only of an entry that names this very case: of a pattern, or a requirement, other cases may
 * still fail. */
static int apply_to_pass(const struct tl_waivers *waivers, const struct tl_identity *identity,
                         uint32_t today, struct tl_case *c)
{
    for (size_t i = 0; i < waivers->count; i++) {
        const struct tl_waiver *w = &waivers->list[i];

        if (w->kind == TL_WAIVER_EXPECTED && w->scenario != NULL && w->expires >= today &&
            strcmp(w->scenario, c->id) == 0 && of_this_sut(w, identity)) {
            c->disposition = TL_UNEXPECTED_PASS;
            return say(c, w->id);
        }
    }
    return 0;
}

/* A case is flaky only if it is listed, was run often enough, and passed in a large enough
 * share of the runs. An error never counts as flaky. */
static int apply_to_repetitions(const struct tl_waivers *waivers,
                                const struct tl_identity *identity, uint32_t today,
                                const char *scenario_id, struct tl_case *c)
{
    size_t passes = 0;

    for (size_t i = 0; i < c->num_repetitions; i++)
        passes += c->repetitions[i].verdict <= FAL_VERDICT_WARN;
    for (size_t i = 0; i < waivers->count; i++) {
        const struct tl_waiver *w = &waivers->list[i];

        if (w->kind != TL_WAIVER_FLAKY || w->expires < today || !of_case(w, scenario_id, c) ||
            !of_this_sut(w, identity) ||
            (w->requirement != NULL && !covers(c, w->requirement)) ||
            c->num_repetitions < w->passes.of ||
            passes * w->passes.of < (size_t)w->passes.least * c->num_repetitions)
            continue;
        c->disposition = TL_FLAKY;
        return asprintf(&c->why, "%s: passed %zu of %zu", w->id, passes, c->num_repetitions) < 0
                   ? (c->why = NULL, FAL_ERR_MEM)
                   : 0;
    }
    return 0;
}

int tl_waivers_apply(const struct tl_waivers *waivers, const struct tl_identity *identity,
                     uint32_t today, const char *scenario_id, struct tl_case *c)
{
    int rc = 0;

    if (!tl_case_ran(c))
        return 0;
    switch (c->verdict) {
    case FAL_VERDICT_PASS:
    case FAL_VERDICT_WARN: return apply_to_pass(waivers, identity, today, c);
    case FAL_VERDICT_INCONC:
    case FAL_VERDICT_FAIL:
        if (c->num_repetitions <= 1)
            return apply_to_failure(waivers, identity, today, scenario_id, c);
        rc = apply_to_repetitions(waivers, identity, today, scenario_id, c);
        if (rc == 0 && c->disposition == TL_RAN && !c->mixed)
            rc = apply_to_failure(waivers, identity, today, scenario_id, c);
        return rc;
    case FAL_VERDICT_NONE:
    case FAL_VERDICT_ERROR: break;
    }
    return 0;
}

/* ---- what became of the entries ---- */

static const char *state_of(const struct tl_waiver *w, const struct tl_identity *identity,
                            uint32_t today, const struct tl_results *results,
                            const char *const *scenario_ids, size_t *used)
{
    size_t tried = 0, failed = 0;

    *used = 0;
    if (!of_this_sut(w, identity))
        return "other-sut";
    for (size_t i = 0; i < results->num_cases; i++) {
        const struct tl_case *c = &results->cases[i];
        bool uses = false;

        if (tl_case_ran(c) && of_case(w, scenario_ids[i], c) &&
            (w->scenario != NULL || covers(c, w->requirement))) {
            tried++;
            failed += c->verdict > FAL_VERDICT_WARN;
        }
        for (size_t k = 0; k < c->num_problems; k++)
            uses |= c->problems[k].waiver == w->id;
        uses |= c->disposition == TL_FLAKY && w->kind == TL_WAIVER_FLAKY &&
                of_case(w, scenario_ids[i], c);
        *used += uses;
    }
    if (w->expires < today)
        return "expired";
    if (*used > 0)
        return "used";
    if (tried == 0)
        return "not-tried";
    return w->kind == TL_WAIVER_EXPECTED && failed == 0 ? "unexpected-pass" : "unused";
}

int tl_waivers_uses(const struct tl_waivers *waivers, const struct tl_identity *identity,
                    uint32_t today, const struct tl_results *results,
                    const char *const *scenario_ids, struct tl_waiver_use **out)
{
    static const char *const kinds[] = {"waiver", "expected-failure", "flaky"};

    *out = calloc(waivers->count + 1, sizeof **out);
    if (*out == NULL)
        return FAL_ERR_MEM;
    for (size_t i = 0; i < waivers->count; i++) {
        const struct tl_waiver *w = &waivers->list[i];
        struct tl_waiver_use *use = &(*out)[i];

        use->id = w->id;
        use->kind = kinds[w->kind];
        use->reason = w->reason;
        use->link = w->link;
        use->state = state_of(w, identity, today, results, scenario_ids, &use->cases);
    }
    return 0;
}
