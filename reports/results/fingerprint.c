/* SPDX-License-Identifier: Apache-2.0
 * fingerprint.c - the fingerprint of a problem. Waiver files hold fingerprints, so the same
 * failure must have the same one in every version: the hash takes ids and the codes below,
 * which never change, and no text that people read. Titles, messages and reasons may be
 * reworded. */
#include "oracles/payload.h"
#include "reports/results/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Frozen: tl_problem_kind_name and fal_verdict_name may change, these may not. */
static const char *const kind_codes[] = {
    [TL_PROBLEM_STEP] = "step",         [TL_PROBLEM_RULE] = "rule",
    [TL_PROBLEM_EXERCISE] = "exercise", [TL_PROBLEM_BENCH] = "bench",
    [TL_PROBLEM_STOP] = "stop",
};

static const char *const verdict_codes[] = {
    [FAL_VERDICT_NONE] = "none", [FAL_VERDICT_PASS] = "pass",
    [FAL_VERDICT_WARN] = "warn", [FAL_VERDICT_INCONC] = "inconclusive",
    [FAL_VERDICT_FAIL] = "fail", [FAL_VERDICT_ERROR] = "error",
};

/* A rule is known by its id. A step is known by its code, because its index changes when steps
 * are put before it; so is a rule of another protocol. */
static const char *subject_code(const struct tl_problem *p)
{
    if (p->rule != NULL)
        return p->rule->id;
    return p->kind <= TL_PROBLEM_RULE && p->step_code != NULL ? p->step_code : "";
}

void tl_case_fingerprint(struct tl_case *c, const char *scenario_id)
{
    for (size_t i = 0; i < c->num_problems; i++) {
        struct tl_problem *p = &c->problems[i];
        char *whole;
        int len = asprintf(&whole, "%s\n%s\n%s\n%s\n%s\n%s", scenario_id, kind_codes[p->kind],
                           subject_code(p), p->requirement != NULL ? p->requirement->id : "",
                           p->reason.word, verdict_codes[p->verdict]);

        if (len < 0)
            continue;
        (void)snprintf(p->fingerprint, sizeof p->fingerprint, "%016" PRIx64,
                       fal_payload_hash((const uint8_t *)whole, (size_t)len));
        free(whole);
    }
}
