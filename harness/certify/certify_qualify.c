/* SPDX-License-Identifier: Apache-2.0
 * certify_qualify.c - what this bench can detect: named faults of the built-in implementation
 * meet scenarios of the profile, over links of the kind that the SUT was tested over, and it is
 * said which were told. Before them the implementation without a fault must pass the same
 * cases: a bench that fails a good one, or tells no bad one, certifies nobody. */
#include "harness/certify/certify.h"
#include "harness/sut/link_sim.h"

#include "harness/certify/needs.h"
#include "harness/certify/reference.h"
#include "harness/doc/version.h"
#include "harness/session/network.h"
#include "harness/sut/builtin.h"
#include "oracles/endpoint/faults/faults.h"

#include <stdlib.h>
#include <string.h>

enum { CASES_MAX = 16, SCENARIOS_MAX = 6 };

struct qualify {
    const struct tl_certify *o;
    const struct tl_profile *profile;
    struct tl_suite suite;
    struct tl_plan plan;
    struct tl_needs needs;
    struct tl_run run;
    struct tl_reference *reference; /* of a live link; NULL: in virtual time */
    bool live;
    json_t *list, *refusals;
    size_t tried, told;
};

static bool is_case_of(const struct tl_planned *planned, const char *scenario)
{
    size_t len = strcspn(planned->id, "@");

    return strncmp(planned->id, scenario, len) == 0 && scenario[len] == 0;
}

/* The verdicts of some cases of an implementation with that fault (NULL: none). 0, or an error
 * with `err`. */
static int play(struct qualify *q, const char *fault, const struct tl_planned *cases, size_t n,
                struct tl_results *results, struct fal_error *err)
{
    struct tl_builtin builtin = {.twins = {.random = false}};
    struct tl_run run = q->run;
    char words[200] = "";
    int rc;

    if (fault != NULL)
        (void)snprintf(words, sizeof words, ":fault=%s", fault);
    run.cases = cases;
    run.num_cases = n;
    *results = (struct tl_results){.version = TL_VERSION, .sut = "builtin"};
    if (q->live) {
        rc = tl_reference_start(q->reference, fault, err);
        if (rc != 0)
            return rc;
        run.target = (struct tl_target){.kind = TL_TARGET_UDP,
                                        .address = tl_reference_frames(q->reference),
                                        .control = tl_reference_control(q->reference)};
    } else {
        rc = tl_builtin_read(&builtin, words, err);
        if (rc != 0)
            return rc;
        run.target.faults = builtin.faults;
    }
    rc = tl_run_all(&run, results, err);
    if (q->live)
        tl_reference_stop(q->reference);
    return rc;
}

static enum fal_verdict worst_of(const struct tl_results *results, const char **id)
{
    enum fal_verdict worst = FAL_VERDICT_NONE;

    for (size_t i = 0; i < results->num_cases; i++) {
        const struct tl_case *c = &results->cases[i];

        /* An error is the bench's, not a fault that was told. */
        if (c->verdict > worst && c->verdict < FAL_VERDICT_ERROR) {
            worst = c->verdict;
            *id = c->id;
        }
    }
    return worst;
}

/* A scenario that has detected the fault before. */
static int try_scenario(struct qualify *q, const struct fal_suite_kill *kill, json_t **row,
                        struct fal_error *err)
{
    size_t first = 0, n = 0;
    struct tl_results results;
    const char *id = NULL;
    enum fal_verdict verdict;
    int rc;

    while (first < q->plan.num_cases && !is_case_of(&q->plan.cases[first], kill->scenario))
        first++;
    while (first + n < q->plan.num_cases && n < CASES_MAX &&
           is_case_of(&q->plan.cases[first + n], kill->scenario))
        n++;
    if (n == 0)
        return 0;
    rc = play(q, kill->fault, &q->plan.cases[first], n, &results, err);
    verdict = rc == 0 ? worst_of(&results, &id) : FAL_VERDICT_NONE;
    if (rc == 0 && (*row == NULL || verdict >= kill->verdict)) {
        json_decref(*row);
        *row = json_pack("{s:s, s:s, s:s, s:b}", "fault", kill->fault, "case",
                         id != NULL ? id : q->plan.cases[first].id, "verdict",
                         fal_verdict_name(verdict), "told", verdict >= kill->verdict);
    }
    tl_run_clear(&results);
    return rc;
}

static int try_fault(struct qualify *q, const struct fal_fault *fault, struct fal_error *err)
{
    size_t n, scenarios = 0;
    const struct fal_suite_kill *kills = fal_suite_kills(&n);
    json_t *row = NULL;
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0 && scenarios < SCENARIOS_MAX; i++) {
        if (strcmp(kills[i].fault, fault->name) != 0)
            continue;
        rc = try_scenario(q, &kills[i], &row, err);
        if (row != NULL && json_is_true(json_object_get(row, "told")))
            break;
        scenarios += row != NULL;
    }
    if (row == NULL)
        return rc; /* no scenario of the profile is known to tell it */
    q->tried++;
    q->told += json_is_true(json_object_get(row, "told"));
    (void)json_array_append_new(q->list, row);
    return rc;
}

/* With many on a live link, some, evenly. */
static bool is_due(const struct qualify *q, size_t index, size_t of)
{
    size_t most = q->profile->certify.qualify_live;

    if (!q->live || of <= most)
        return true;
    return index * most / of != (index + 1) * most / of;
}

static size_t count_due(const struct qualify *q)
{
    size_t n, due = 0;
    const struct fal_fault *faults = fal_faults(&n);

    for (size_t f = 0; f < n; f++)
        due += tl_needs_fault(&q->needs, faults[f].requirements);
    return due;
}

/* The implementation without a fault. */
static int control(struct qualify *q, json_t **out, struct fal_error *err)
{
    struct tl_results results;
    size_t n = q->live && q->plan.num_cases > 200 ? 200 : q->plan.num_cases, bad = 0;
    int rc = play(q, NULL, q->plan.cases, n, &results, err);

    for (size_t i = 0; rc == 0 && i < results.num_cases; i++) {
        enum fal_verdict verdict = results.cases[i].verdict;

        if (verdict < FAL_VERDICT_FAIL)
            continue;
        bad++;
        tl_certify_refuse(q->refusals,
                          "the bench self-test failed: the correct implementation got the "
                          "verdict %s in %s",
                          fal_verdict_name(verdict), results.cases[i].id);
    }
    if (rc == 0)
        *out = json_pack("{s:I, s:I}", "cases", (json_int_t)results.num_cases, "failed",
                         (json_int_t)bad);
    tl_run_clear(&results);
    return rc;
}

static int open_bench(struct qualify *q, uint64_t seed, struct fal_error *err)
{
    char place[TL_CERTIFY_PATH];
    const char *path = q->o->suite;
    const struct tl_select *selects[] = {&q->profile->select};
    const struct tl_plan_by by = {selects, 1};
    const struct tl_wanted wanted = {tl_plan_wants, &by};
    const struct tl_reading_how how = {.jobs = 2, .wanted = &wanted};
    int rc;

    if (path == NULL && !tl_suite_default(place, sizeof place))
        return fal_fail(err, FAL_ERR_IO,
                        "no scenarios found beside the program; name their "
                        "directory with --suite");
    path = path != NULL ? path : place;
    q->run = (struct tl_run){.seed = seed,
                             .jobs = 2,
                             .retries = q->profile->certify.retries,
                             .timeout_ns = 10 * FAL_S,
                             .params = &q->profile->params};
    rc = tl_needs_make(&q->needs, &q->profile->certify);
    if (rc == 0)
        rc = tl_suite_read(&q->suite, &path, 1, &how, stderr);
    if (rc == 0)
        rc = tl_plan_make(&q->plan, &q->suite, &by, (struct tl_shard){0, 0});
    if (rc != 0)
        return fal_fail(err, rc, "out of memory");
    if (q->o->network != NULL)
        rc = tl_network_read(q->o->network, &q->run.target, err);
    q->run.encap = q->o->encap;
    if (rc == 0 && q->live)
        rc = tl_reference_open(q->o, &q->reference, err);
    return rc;
}

static json_t *document(struct qualify *q, json_t *controlled)
{
    if (q->told == 0)
        tl_certify_refuse(q->refusals,
                          "the bench self-test failed: it detected none of %zu planted faults",
                          q->tried);
    return json_pack("{s:s, s:o, s:I, s:I, s:o}", "link",
                     q->live ? tl_reference_link(q->reference) : "virtual", "control",
                     controlled, "tried", (json_int_t)q->tried, "told", (json_int_t)q->told,
                     "faults", json_incref(q->list));
}

/* A library and a process in lockstep keep virtual time, as the built-in implementation does.
 */
static bool is_live(const char *sut)
{
    static const char *const kinds[] = {"builtin", "lib:", "exec:"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(sut, kinds[i], strlen(kinds[i])) == 0)
            return false;
    return true;
}

json_t *tl_certify_qualify(const struct tl_certify *o, const struct tl_profile *profile,
                           uint64_t seed, json_t *refusals, struct fal_error *err)
{
    struct qualify q = {.o = o,
                        .profile = profile,
                        .list = json_array(),
                        .refusals = refusals,
                        .live = is_live(o->sut)};
    size_t n, index = 0, due = 0;
    const struct fal_fault *faults = fal_faults(&n);
    json_t *controlled = NULL, *out = NULL;
    int rc = open_bench(&q, seed, err);

    if (rc == 0)
        rc = control(&q, &controlled, err);
    if (rc == 0)
        due = count_due(&q);
    for (size_t f = 0; f < n && rc == 0; f++)
        if (tl_needs_fault(&q.needs, faults[f].requirements) && is_due(&q, index++, due))
            rc = try_fault(&q, &faults[f], err);
    if (rc == 0)
        out = document(&q, json_incref(controlled));
    json_decref(controlled);
    json_decref(q.list);
    tl_reference_close(q.reference);
    tl_plan_free(&q.plan);
    tl_suite_free(&q.suite);
    tl_needs_free(&q.needs);
    return out;
}
