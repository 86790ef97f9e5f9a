/* SPDX-License-Identifier: Apache-2.0
 * check_report.c - a check as a case of talon/results/1, for the writers of reports. */
#include "harness/check/check_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fal_verdict tl_check_finding_verdict(const struct tl_check *check,
                                          const struct tl_check_finding *found)
{
    const struct fal_finding *f = &found->finding;

    if (f->asked)
        return FAL_VERDICT_NONE;
    if (tl_check_unsure(check, f->conn, f->rule))
        return FAL_VERDICT_INCONC;
    if (f->subject == FAL_SUBJECT_TESTER)
        return FAL_VERDICT_ERROR;
    return fal_finding_breach(f);
}

static bool add_problem(const struct tl_check *check, const struct tl_check_finding *found,
                        struct tl_case *out)
{
    const struct fal_finding *f = &found->finding;
    enum fal_verdict verdict = tl_check_finding_verdict(check, found);
    struct tl_problem *p;
    char party[TL_CHECK_ADDRESS_MAX], line[TL_SCENE_LINE];

    if (verdict == FAL_VERDICT_NONE)
        return true;
    p = tl_case_problem(out);
    if (p == NULL)
        return false;
    tl_check_party(check, found->side, f->subject, f->conn, party);
    p->kind = TL_PROBLEM_RULE;
    p->verdict = verdict;
    p->reason = tl_reason(f->subject == FAL_SUBJECT_TESTER ? TL_REASON_TESTER_BROKE_RULE
                                                           : TL_REASON_RULE);
    p->step = check->timeline ? f->step : -1;
    p->t_ns = f->t_ns;
    p->rule = f->rule;
    p->subject = f->subject;
    p->requirement = f->requirement != NULL ? fal_requirement_find(f->requirement) : NULL;
    p->expected = strdup(f->expected);
    p->seen = strdup(f->seen);
    if (asprintf(&p->text, "%s, connection %u of %s", f->rule->title, (unsigned)f->conn,
                 party) < 0)
        p->text = NULL;
    for (unsigned i = 0; i < found->snippet.num; i++) {
        tl_scene_print(&found->snippet.scenes[i], found->side == 0, line);
        if (!tl_ladder_add(&p->ladder, &p->num_ladder, line, found->snippet.scenes[i].evidence))
            return false;
    }
    return p->expected != NULL && p->seen != NULL && p->text != NULL;
}

/* Adds a problem of the file, for which the SUT is not to blame. */
static bool add_trouble(const char *text, enum fal_verdict verdict, struct tl_case *out)
{
    struct tl_problem *p = tl_case_problem(out);

    if (p == NULL)
        return false;
    p->kind = TL_PROBLEM_BENCH;
    p->verdict = verdict;
    p->reason = tl_reason(TL_REASON_FILE);
    p->step = -1;
    p->seen = strdup(text);
    return p->seen != NULL;
}

static bool add_rules(const struct tl_check *check, struct tl_case *out)
{
    const struct fal_rule_result *r;
    size_t num = 0;

    for (int side = 0; side < 2; side++) {
        struct tl_check_walk walk = {0};

        while (tl_check_next_rule(check, side, &walk) != NULL)
            num++;
    }
    out->rules = calloc(num > 0 ? num : 1, sizeof *out->rules);
    if (out->rules == NULL)
        return false;
    for (int side = 0; side < 2; side++) {
        struct tl_check_walk walk = {0};

        while ((r = tl_check_next_rule(check, side, &walk)) != NULL) {
            if (!tl_check_speaks_of(check, r) || r->verdict == FAL_VERDICT_NONE)
                continue;
            out->rules[out->num_rules] = *r;
            out->rules[out->num_rules++].verdict = tl_check_result(check, side, r);
        }
    }
    return true;
}

static int worse_first(const void *a, const void *b)
{
    const struct tl_problem *x = a, *y = b;

    if (x->verdict != y->verdict)
        return x->verdict > y->verdict ? -1 : 1;
    return x->t_ns != y->t_ns ? (x->t_ns < y->t_ns ? -1 : 1)
                              : strcmp(x->text ? x->text : "", y->text ? y->text : "");
}

bool tl_check_case(const struct tl_check *check, enum fal_verdict verdict, const char *problem,
                   struct tl_case *out)
{
    char missed[TL_CHECK_MISSED_TEXT];

    out->kind = "valid";
    out->version = 1;
    out->verdict = verdict;
    out->duration_ns = check->last_ns;
    out->reason = tl_reason(problem != NULL                 ? TL_REASON_FILE
                            : verdict == FAL_VERDICT_INCONC ? TL_REASON_UNDECIDED
                            : verdict > FAL_VERDICT_PASS    ? TL_REASON_RULE
                                                            : TL_REASON_NONE);
    out->attempts[0].verdict = verdict;
    out->attempts[0].reason = out->reason;
    out->num_attempts = 1;
    for (size_t i = 0; i < check->num_findings; i++)
        if (!add_problem(check, &check->findings[i], out))
            return false;
    if (problem != NULL && !add_trouble(problem, FAL_VERDICT_ERROR, out))
        return false;
    if (tl_check_missed_text(check, missed, sizeof missed) &&
        !add_trouble(missed, FAL_VERDICT_INCONC, out))
        return false;
    if (out->num_problems > 1)
        qsort(out->problems, out->num_problems, sizeof *out->problems, worse_first);
    return add_rules(check, out);
}
