/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/causes/evidence.h"

#include <stdlib.h>
#include <string.h>

/* How much each kind of evidence weighs. A deed is one packet that shows the violation; that
 * nothing came may have many reasons. */
static const double weights[TL_BY_PROBLEMS] = {
    [TL_BY_DEED] = 1.0, [TL_BY_ABSENCE] = 0.6, [TL_BY_STEP] = 1.0, [TL_BY_NOTHING] = 0.6};
/* In percent: a symptom that is not the most probable, the requirement of the rule or step
 * beside a symptom, the others that a step decides, a more general requirement, and evidence of
 * what follows from another violation in the same case. */
enum { PERCENT = 100, SECOND = 90, ORIGINAL = 40, ALSO = 50, GENERAL = 97, CONSEQUENCE = 30 };

/* Rules that find that something did not come. */
static bool finds_absence(const struct fal_rule *rule)
{
    static const char *const ids[] = {"A1", "A2", "A3",  "A4",  "O2", "N3", "S3",
                                      "S5", "S6", "E3",  "E4",  "E7", "U5", "U6",
                                      "C4", "C5", "RN2", "RN4", "X7", "D4", "N5"};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(ids[i], rule->id) == 0)
            return true;
    return false;
}

static enum tl_showing showing(const struct tl_problem *p)
{
    if (p->rule != NULL)
        return finds_absence(p->rule) ? TL_BY_ABSENCE : TL_BY_DEED;
    return p->reason.id == TL_REASON_UNMET && p->field == NULL ? TL_BY_NOTHING : TL_BY_STEP;
}

/* ---- suspects ---- */

static size_t num_requirements(void)
{
    size_t n;

    (void)fal_catalogue(&n);
    return n;
}

static size_t num_rules(void)
{
    size_t n;

    (void)fal_rules(&n);
    return n;
}

const struct fal_requirement *tl_suspect_requirement(tl_suspect suspect)
{
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    return suspect < n ? &all[suspect] : NULL;
}

const struct fal_rule *tl_suspect_rule(tl_suspect suspect)
{
    size_t n, first = num_requirements();
    const struct fal_rule *const *all = fal_rules(&n);

    return suspect >= first && suspect < first + n ? all[suspect - first] : NULL;
}

enum tl_reason tl_suspect_reason(tl_suspect suspect)
{
    size_t first = num_requirements() + num_rules() + 1;

    return suspect >= first ? (enum tl_reason)(suspect - first) : TL_REASON_NONE;
}

/* The place of a requirement in the catalogue, or -1. */
static long place_of(const struct fal_requirement *requirement)
{
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    return requirement != NULL && requirement >= all && requirement < all + n
               ? requirement - all
               : -1;
}

/* Of a problem that names no requirement. */
static tl_suspect nameless(const struct tl_problem *p, const struct tl_case *c)
{
    if (p != NULL && p->rule != NULL)
        return (tl_suspect)(num_requirements() + fal_rule_number(p->rule));
    return (tl_suspect)(num_requirements() + num_rules() + 1 +
                        (size_t)(p != NULL ? p->reason.id : c->reason.id));
}

/* One chapter says what another says, or says it of one kind of packets or codes. */
const struct fal_requirement *tl_general_of(const struct fal_requirement *requirement)
{
    static const struct {
        const char *special, *general;
    } rows[] = {
        {"FTP-6.1.1.1-02", "FTP-9.2.2.4-08"}, {"FTP-8.1-06", "FTP-9.2.2.4-08"},
        {"FTP-8.4.3.2-06", "FTP-8.4.2-01"},   {"FTP-8.4.3.3-11", "FTP-8.4.2-01"},
        {"FTP-8.4.3.5-04", "FTP-8.4.2-01"},   {"FTP-8.4.2-02", "FTP-8.4.2-01"},
        {"FTP-7.6-03", "FTP-9.1.8-05"},       {"FTP-7.6-04", "FTP-9.1.8-05"},
        {"FTP-7.6-06", "FTP-9.1.8-05"},       {"FTP-7.6-07", "FTP-9.1.8-05"},
        {"FTP-7.6-08", "FTP-9.1.8-05"},       {"FTP-7.6-09", "FTP-9.1.8-05"},
        {"FTP-8.4.3.1-03", "FTP-8.4.1-04"},   {"FTP-8.4.3.3-03", "FTP-8.4.1-04"},
        {"FTP-7.7.1-13", "FTP-10.2-06"},      {"FTP-7.8-11", "FTP-10.2-06"},
        {"FTP-9.2.3-09", "FTP-9.2.3-12"},     {"FTP-9.2.3-10", "FTP-9.2.3-12"},
        {"FTP-7.2-24", "FTP-6.1.2-01"},       {"FTP-7.2-25", "FTP-6.1.2-01"},
        {"FTP-7.1.2-01", "FTP-7.1-02"},       {"FTP-10.1-03", "FTP-10.1-01"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].special, requirement->id) == 0)
            return fal_requirement_find(rows[i].general);
    return NULL;
}

/* ---- items ---- */

static bool more_items(struct tl_evidence *e)
{
    size_t cap = e->cap_items == 0 ? 256 : e->cap_items * 2;
    struct tl_item *grown;

    if (e->num_items < e->cap_items)
        return true;
    grown = realloc(e->items, cap * sizeof *grown);
    if (grown == NULL)
        return false;
    e->items = grown;
    e->cap_items = cap;
    return true;
}

/* One item for each suspect of a case: the heaviest. */
static bool add(struct tl_evidence *e, struct tl_item item)
{
    for (size_t i = e->num_items; i-- > 0 && e->items[i].failed == item.failed;) {
        if (e->items[i].suspect != item.suspect)
            continue;
        if (e->items[i].weight < item.weight)
            e->items[i] = item;
        return true;
    }
    if (!more_items(e))
        return false;
    e->items[e->num_items++] = item;
    return true;
}

static bool add_requirement(struct tl_evidence *e, struct tl_item item,
                            const struct fal_requirement *requirement)
{
    long place = place_of(requirement);

    if (place < 0)
        return true;
    item.suspect = (tl_suspect)place;
    if (!add(e, item))
        return false;
    place = place_of(tl_general_of(requirement));
    item.suspect = (tl_suspect)place;
    item.weight = item.weight * GENERAL / PERCENT;
    return place < 0 || add(e, item);
}

/* Rules whose violation explains that of another rule in the same case; "*": of every other. */
static bool follows(const struct tl_case *c, const struct tl_problem *p)
{
    static const struct {
        const char *root, *consequence;
    } rows[] = {
        {"L1", "*"},  {"T2", "T7"}, {"T1", "T2"}, {"T1", "T7"},
        {"X1", "S2"}, {"X1", "X3"}, {"X1", "U7"}, {"X1", "C3"},
    };

    for (size_t i = 0; p->rule != NULL && i < c->num_problems; i++) {
        const struct tl_problem *root = &c->problems[i];

        if (root->rule == NULL || root->rule == p->rule || root->subject != p->subject)
            continue;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (strcmp(rows[k].root, root->rule->id) == 0 &&
                (rows[k].consequence[0] == '*' ||
                 strcmp(rows[k].consequence, p->rule->id) == 0))
                return true;
    }
    return false;
}

/* In percent: what the requirement of the problem itself weighs beside its symptoms. A step is
 * written for its requirement: a symptom that only says which check failed does not replace
 * it. */
static int share_of_own(const struct tl_problem *p)
{
    if (p->num_symptoms == 0)
        return PERCENT;
    return p->rule == NULL && tl_symptom_about(p->symptoms[0])->kind == TL_SYMPTOM_BROAD
               ? PERCENT
               : ORIGINAL;
}

static bool add_problem(struct tl_evidence *e, const struct tl_case *c,
                        const struct tl_problem *p)
{
    struct tl_item item = {.failed = (uint32_t)e->num_failed,
                           .by = showing(p),
                           .rule = p->rule != NULL ? (uint16_t)fal_rule_number(p->rule)
                                                   : UINT16_MAX};
    double factor = follows(c, p) ? CONSEQUENCE / (double)PERCENT : 1;
    double own = factor * weights[item.by] * share_of_own(p) / PERCENT;
    bool ok = true;

    for (unsigned i = 0; ok && i < p->num_symptoms; i++) {
        const struct tl_symptom_about *about = tl_symptom_about(p->symptoms[i]);

        item.by = about->kind == TL_SYMPTOM_MISSING
                      ? (p->rule != NULL ? TL_BY_ABSENCE : TL_BY_NOTHING)
                  : p->rule != NULL ? TL_BY_DEED
                                    : TL_BY_STEP;
        item.symptom = p->symptoms[i];
        item.weight = factor * weights[item.by] * (i == 0 ? PERCENT : SECOND) / PERCENT;
        ok = add_requirement(e, item, fal_requirement_find(about->requirement));
    }
    item.symptom = TL_SYMPTOM_NONE;
    item.by = showing(p);
    item.weight = own;
    if (p->requirement == NULL) {
        item.suspect = nameless(p, c);
        return ok && add(e, item);
    }
    ok = ok && add_requirement(e, item, p->requirement);
    item.weight = own * ALSO / PERCENT;
    for (size_t i = 0; ok && i < p->num_also; i++)
        ok = add_requirement(e, item, p->also[i]);
    return ok;
}

/* Whether the verdict says that a requirement was violated. */
static bool is_breach(enum fal_verdict verdict)
{
    return verdict == FAL_VERDICT_FAIL || verdict == FAL_VERDICT_WARN;
}

/* Whether the problem is a reason why the case has its verdict. */
static bool counts(const struct tl_case *c, const struct tl_problem *p)
{
    return p->verdict == c->verdict ||
           (c->verdict == FAL_VERDICT_FAIL && p->verdict == FAL_VERDICT_WARN);
}

static bool add_failed(struct tl_evidence *e, const struct tl_case *c, size_t number)
{
    size_t before = e->num_items;
    bool ok = true;

    if (e->num_failed == e->cap_failed) {
        size_t cap = e->cap_failed == 0 ? 64 : e->cap_failed * 2;
        struct tl_failed *grown = realloc(e->failed, cap * sizeof *grown);

        if (grown == NULL)
            return false;
        e->failed = grown;
        e->cap_failed = cap;
    }
    e->failed[e->num_failed] =
        (struct tl_failed){.number = number, .frames = c->frames, .verdict = c->verdict};
    for (size_t i = 0; ok && is_breach(c->verdict) && i < c->num_problems; i++)
        if (counts(c, &c->problems[i]))
            ok = add_problem(e, c, &c->problems[i]);
    if (ok && e->num_items == before)
        ok = add(e, (struct tl_item){.failed = (uint32_t)e->num_failed,
                                     .suspect = nameless(NULL, c),
                                     .weight = 1,
                                     .by = TL_BY_NOTHING,
                                     .rule = UINT16_MAX});
    e->num_failed++;
    return ok;
}

static void add_passed(struct tl_evidence *e, const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_covers; i++) {
        long place = place_of(c->covers[i]);

        if (place >= 0)
            e->passed[place]++;
    }
}

int tl_evidence_gather(const struct tl_results *results, struct tl_evidence *out,
                       struct fal_error *err)
{
    struct tl_cases it;
    const struct tl_case *c;
    bool ok;

    *out = (struct tl_evidence){.num_suspects =
                                    num_requirements() + num_rules() + 1 + TL_REASON_COUNT};
    out->passed = calloc(out->num_suspects, sizeof *out->passed);
    ok = out->passed != NULL;
    tl_cases_begin(&it, results);
    for (size_t number = 0; ok && (c = tl_cases_next(&it)) != NULL; number++) {
        enum fal_verdict verdict = tl_case_counts(c);

        if (verdict >= FAL_VERDICT_WARN)
            ok = add_failed(out, c, number);
        if (verdict == FAL_VERDICT_PASS || verdict == FAL_VERDICT_WARN)
            add_passed(out, c);
        out->mute += tl_case_ran(c) && c->frames > 0 && c->silent;
        out->heard += tl_case_ran(c) && c->frames > 0 && !c->silent;
    }
    tl_cases_end(&it);
    if (it.rc != 0 && err != NULL)
        *err = it.err;
    if (it.rc != 0)
        return it.rc;
    return ok ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

/* In one case or a few the SUT may be silent because of a requirement that it violates. */
enum { MUTE_LEAST = 8 };

bool tl_evidence_silent(const struct tl_evidence *evidence)
{
    return evidence->heard == 0 && evidence->mute >= MUTE_LEAST;
}

void tl_evidence_drop(struct tl_evidence *evidence)
{
    free(evidence->items);
    free(evidence->failed);
    free(evidence->passed);
    *evidence = (struct tl_evidence){.items = NULL};
}
