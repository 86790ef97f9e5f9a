/* SPDX-License-Identifier: Apache-2.0
 * findings.c - libtalon: what a judge found, for callers. */
#include "harness/lib/judge.h"

#include "harness/check/check_print.h"
#include "harness/check/hosts_seen.h"
#include "oracles/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)TALON_VERDICT_NONE == (int)FAL_VERDICT_NONE &&
                   (int)TALON_VERDICT_PASS == (int)FAL_VERDICT_PASS &&
                   (int)TALON_VERDICT_WARN == (int)FAL_VERDICT_WARN &&
                   (int)TALON_VERDICT_INCONCLUSIVE == (int)FAL_VERDICT_INCONC &&
                   (int)TALON_VERDICT_FAIL == (int)FAL_VERDICT_FAIL &&
                   (int)TALON_VERDICT_ERROR == (int)FAL_VERDICT_ERROR,
               "verdicts of the library are those of oracles/verdict.h");

const char *talon_verdict_name(enum talon_verdict verdict)
{
    return (unsigned)verdict < FAL_VERDICTS ? fal_verdict_name((enum fal_verdict)verdict)
                                            : NULL;
}

/* ---- findings ---- */

void tl_lib_finding(const struct tl_check *check, const struct tl_check_finding *found,
                    struct tl_lib_finding *out)
{
    const struct fal_finding *f = &found->finding;
    const struct fal_requirement *requirement =
        f->requirement != NULL ? fal_requirement_find(f->requirement) : NULL;
    size_t num = 0;

    for (size_t i = 0; i < f->num_evidence; i++)
        if (check->timeline || f->evidence_frames[i] > 0)
            out->frames[num++] = check->timeline ? f->evidence[i] : f->evidence_frames[i];
    tl_check_party(check, found->side, f->subject, f->conn, out->party);
    out->out = (struct talon_finding){
        .verdict = (enum talon_verdict)tl_check_finding_verdict(check, found),
        .flags =
            (f->asked ? (uint32_t)TALON_FINDING_ASKED : 0) |
            (tl_check_unsure(check, f->conn, f->rule) ? (uint32_t)TALON_FINDING_UNSURE : 0),
        .rule = f->rule->id,
        .title = f->rule->title,
        .requirement = f->requirement,
        .requirement_text = requirement != NULL ? requirement->text : NULL,
        .party = out->party,
        .connection = f->conn,
        .time_ns = f->t_ns,
        .expected = f->expected,
        .seen = f->seen,
        .frames = out->frames,
        .num_frames = num,
    };
}

const struct talon_finding *talon_judge_finding(struct talon_judge *judge, size_t i)
{
    if (i >= judge->check.num_findings)
        return NULL;
    tl_lib_finding(&judge->check, &judge->check.findings[i], &judge->finding);
    return &judge->finding.out;
}

/* ---- results ---- */

int talon_judge_hint(const struct talon_judge *judge, char *text, size_t size)
{
    struct tl_hosts_seen seen = {.sut = judge->check_options.sut};
    char hint[TL_HOSTS_SEEN_TEXT];

    if (!judge->check_options.have_sut || judge->check.timeline)
        return 0;
    tl_hosts_seen_check(&seen, &judge->check);
    if (!tl_hosts_seen_hint(&seen, hint))
        return 0;
    (void)snprintf(text, size, "%s", hint);
    return 1;
}

enum talon_verdict talon_judge_verdict(const struct talon_judge *judge)
{
    return (enum talon_verdict)tl_check_verdict(&judge->check);
}

static struct talon_result result_of(const struct tl_check *check, int side,
                                     const struct fal_rule_result *r, const char *party)
{
    struct talon_result result = {
        .verdict = (enum talon_verdict)tl_check_result(check, side, r),
        .rule = r->rule->id,
        .party = party,
        .connection = r->conn,
        .holds = r->holds,
        .broken = r->broken,
        .undecided = r->undecided,
    };

    for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
        result.excused += r->excused[e];
    return result;
}

void talon_judge_results(const struct talon_judge *judge, talon_result_fn *fn, void *ctx)
{
    const struct tl_check *check = &judge->check;
    const struct fal_rule_result *r;
    char party[TL_CHECK_ADDRESS_MAX];

    for (int side = 0; side < 2; side++) {
        struct tl_check_walk walk = {0};

        while ((r = tl_check_next_rule(check, side, &walk)) != NULL) {
            struct talon_result result;

            if (!tl_check_speaks_of(check, r) || r->verdict == FAL_VERDICT_NONE)
                continue;
            tl_check_party(check, side, r->subject, r->conn, party);
            result = result_of(check, side, r, party);
            fn(ctx, &result);
        }
    }
}

const struct talon_counts *talon_judge_counts(struct talon_judge *judge)
{
    const struct tl_check *check = &judge->check;

    judge->counts = (struct talon_counts){
        .frames = check->frames_before + check->frames,
        .packets = check->packets,
        .no_falcon = check->strangers,
        .damaged = check->damaged,
        .copies = check->doubles,
        .missed = check->dropped,
        .out_of_order = check->disorder,
        .connections = check->num_conns,
        .findings_not_listed = check->lost_findings,
        .events = check->ulp_events,
    };
    return &judge->counts;
}

int talon_judge_report(const struct talon_judge *judge, enum talon_report report,
                       talon_write_fn *write, void *ctx)
{
    struct tl_lib_writer writer = {write, ctx};
    FILE *out = tl_lib_stream(&writer);

    return out != NULL ? tl_lib_close(out, tl_check_print(&judge->check,
                                                          report == TALON_REPORT_JSON, out))
                       : TALON_ERR_MEM;
}

/* ---- reports of several judges ---- */

struct talon_results {
    struct tl_results results;
    char **names; /* one a case */
};

struct talon_results *talon_results_new(const struct talon_setup *setup)
{
    struct talon_results *results = calloc(1, sizeof *results);

    if (results == NULL)
        return NULL;
    results->results = (struct tl_results){.version = talon_version(), .sut = "capture"};
    if (setup != NULL) /* a path check counts a loss on either way for both */
        results->results.path = setup->command.options.rules.trials[FAL_FROM_SUT];
    results->results.has_path = results->results.path.trials > 0;
    return results;
}

void talon_results_free(struct talon_results *results)
{
    if (results == NULL)
        return;
    for (size_t i = 0; i < results->results.num_cases; i++) {
        tl_case_clear(&results->results.cases[i]);
        free(results->names[i]);
    }
    free(results->results.cases);
    free(results->names);
    free(results);
}

/* Room for one more case, with its name; NULL when out of memory. */
static struct tl_case *add_case(struct talon_results *results, const char *name)
{
    struct tl_results *r = &results->results;
    struct tl_case *cases = realloc(r->cases, (r->num_cases + 1) * sizeof *cases), *c;
    char **names;

    if (cases == NULL)
        return NULL;
    r->cases = cases;
    names = realloc(results->names, (r->num_cases + 1) * sizeof *names);
    if (names == NULL)
        return NULL;
    results->names = names;
    names[r->num_cases] = strdup(name);
    if (names[r->num_cases] == NULL)
        return NULL;
    c = &cases[r->num_cases];
    *c = (struct tl_case){
        .id = names[r->num_cases], .title = "talon check", .file = names[r->num_cases]};
    r->num_cases++;
    return c;
}

int talon_results_add(struct talon_results *results, const struct talon_judge *judge,
                      const char *name, const char *problem)
{
    struct tl_case *c = add_case(results, name);

    return c != NULL && tl_check_case(&judge->check,
                                      problem != NULL ? FAL_VERDICT_ERROR
                                                      : tl_check_verdict(&judge->check),
                                      problem, c)
               ? 0
               : TALON_ERR_MEM;
}

/* The number of a flavor; -1: there is none of that name. */
static int flavor_of(const char *name)
{
    static const char *const names[] = {"jenkins", "gitlab", "rich"};

    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

int talon_results_write(const struct talon_results *results, const char *report,
                        const char *flavor, struct talon_error *err)
{
    struct tl_results all = results->results;
    struct tl_report_spec spec;
    struct fal_error why = {{0}};
    int junit = flavor != NULL ? flavor_of(flavor) : TL_JUNIT_JENKINS;
    int rc = tl_report_spec_read(report, &spec, &why);

    if (rc == 0 && junit < 0)
        rc = fal_fail(&why, FAL_ERR_FORM, "'%.40s'; expected jenkins, gitlab or rich", flavor);
    if (rc == 0) {
        all.status = tl_results_status(&all);
        rc = tl_report_write(&spec, (enum tl_junit_flavor)junit, NULL, &all, &why);
    }
    return rc == 0 ? 0 : tl_lib_fail(err, rc, &why);
}
