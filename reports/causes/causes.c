/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/causes/causes.h"

#include "reports/causes/evidence.h"
#include "reports/causes/roots.h"
#include "reports/results/overview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- ranking ---- */

enum { NOT_YET = -1 };

/* The state of the search: which cause explains a case, and the sums of a round. */
struct search {
    const struct tl_evidence *e;
    enum fal_verdict verdict; /* of the cases that are explained now */
    int *explained;           /* by failed case: the cause, or NOT_YET */
    double *weight;           /* by suspect: of the cases left that show it */
    size_t *shown;            /* by suspect: how many these are */
    uint8_t *marks;           /* by failed case, for a function alone */
};

/* 7, 9, 8, 6, then 10 and 11, then other documents: of equally suspect requirements the one in
 * the more basic chapter comes first. */
static int chapter_rank(tl_suspect suspect)
{
    static const char *const order[] = {"7", "9", "8", "6", "10", "11"};
    const struct fal_requirement *r = tl_suspect_requirement(suspect);
    size_t len = r != NULL ? strcspn(r->section, ".") : 0;
    int i = 0;

    while (i < 6 && (r == NULL || strcmp(r->spec, "FTP") != 0 || strlen(order[i]) != len ||
                     strncmp(r->section, order[i], len) != 0))
        i++;
    return i;
}

static bool is_left(const struct search *s, uint32_t failed)
{
    return s->explained[failed] == NOT_YET && s->e->failed[failed].verdict == s->verdict;
}

static size_t count_left(const struct search *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->e->num_failed; i++)
        n += is_left(s, (uint32_t)i);
    return n;
}

/* The coefficient of Ochiai, with weighted evidence. */
static double score(const struct search *s, tl_suspect suspect, size_t left)
{
    double shown = (double)s->shown[suspect], passed = (double)s->e->passed[suspect];

    return s->shown[suspect] > 0 ? s->weight[suspect] / sqrt((double)left * (shown + passed))
                                 : 0;
}

/* The most suspect of what the cases left show; its score in *best. */
static tl_suspect most_suspect(struct search *s, size_t left, double *best)
{
    tl_suspect found = 0;

    memset(s->weight, 0, s->e->num_suspects * sizeof *s->weight);
    memset(s->shown, 0, s->e->num_suspects * sizeof *s->shown);
    for (size_t i = 0; i < s->e->num_items; i++) {
        const struct tl_item *item = &s->e->items[i];

        if (!is_left(s, item->failed))
            continue;
        s->weight[item->suspect] += item->weight;
        s->shown[item->suspect]++;
    }
    *best = 0;
    for (tl_suspect k = 0; k < s->e->num_suspects; k++) {
        double is = score(s, k, left);

        if (is > *best + 1e-6 ||
            (is > 0 && is > *best - 1e-6 && chapter_rank(k) < chapter_rank(found))) {
            *best = is > *best ? is : *best;
            found = k;
        }
    }
    return found;
}

/* Returns whether the root is of an upper layer, and the consequence of the transport below it.
 */
static bool is_above(const struct fal_requirement *root,
                     const struct fal_requirement *consequence)
{
    return strcmp(root->spec, consequence->spec) != 0;
}

/* Returns whether nearly all of the cases left that show the consequence show a root of it in
 * that document, too. If many cases do not, the upper layer is not the cause. */
static bool shown_with(const struct search *s, tl_suspect consequence, const char *spec)
{
    enum { SHOWN = 1, EXPLAINED = 2, PERCENT = 100, NEARLY_ALL = 90 };
    const struct fal_requirement *shown = tl_suspect_requirement(consequence);
    size_t both = 0;

    memset(s->marks, 0, s->e->num_failed);
    for (size_t i = 0; i < s->e->num_items; i++) {
        const struct tl_item *item = &s->e->items[i];
        const struct fal_requirement *r = tl_suspect_requirement(item->suspect);

        if (!is_left(s, item->failed))
            continue;
        if (item->suspect == consequence)
            s->marks[item->failed] |= SHOWN;
        else if (r != NULL && strcmp(r->spec, spec) == 0 && tl_roots_explain(r, shown))
            s->marks[item->failed] |= EXPLAINED;
    }
    for (size_t i = 0; i < s->e->num_failed; i++)
        both += s->marks[i] == (SHOWN | EXPLAINED);
    return both * PERCENT >= s->shown[consequence] * NEARLY_ALL;
}

/* Whether the cases left show the root often enough: in a third of those that show the
 * consequence, or in some while the cases that are about the consequence pass. */
static bool shown_often(const struct search *s, tl_suspect root, tl_suspect consequence)
{
    const size_t share = 3, some = 2;
    size_t shown = s->shown[consequence];

    return s->shown[root] * share >= shown ||
           (s->shown[root] >= some && s->e->passed[consequence] > shown);
}

/* The heaviest suspect whose violation explains that of `suspect`, and that the cases left
 * show; or `suspect` itself. */
static tl_suspect explained_by(const struct search *s, tl_suspect suspect)
{
    const struct fal_requirement *consequence = tl_suspect_requirement(suspect);
    tl_suspect found = suspect;

    for (tl_suspect k = 0; consequence != NULL && k < s->e->num_suspects; k++) {
        const struct fal_requirement *root = tl_suspect_requirement(k);

        if (s->shown[k] > 0 && shown_often(s, k, suspect) &&
            (found == suspect || s->weight[k] > s->weight[found]) &&
            tl_roots_explain(root, consequence) &&
            (!is_above(root, consequence) || shown_with(s, suspect, root->spec)))
            found = k;
    }
    return found;
}

/* The root of what is most suspect: its score stays that of the suspect. */
static tl_suspect root_of(const struct search *s, tl_suspect suspect)
{
    enum { LONGEST = 4 }; /* of a chain of roots */
    tl_suspect root = suspect;

    for (int i = 0; i < LONGEST; i++)
        root = explained_by(s, root);
    return root;
}

/* ---- what a cause is made of ---- */

/* The most frequent of some kind. */
static size_t most_of(const size_t *counts, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (counts[i] > counts[best])
            best = i;
    return best;
}

static void describe(const struct tl_evidence *e, tl_suspect suspect, struct tl_cause *cause)
{
    size_t rules[FAL_RULES_MAX + 1] = {0}, symptoms[TL_SYMPTOM_COUNT] = {0}, n, rule;
    const struct fal_rule *const *all = fal_rules(&n);

    for (size_t i = 0; i < e->num_items; i++) {
        const struct tl_item *item = &e->items[i];

        if (item->suspect != suspect || e->failed[item->failed].verdict != cause->verdict)
            continue;
        cause->shown++;
        rules[item->rule < n ? item->rule + 1 : 0]++;
        symptoms[item->symptom]++;
    }
    rule = most_of(rules, n + 1);
    cause->requirement = tl_suspect_requirement(suspect);
    cause->rule = rule > 0 ? all[rule - 1] : tl_suspect_rule(suspect);
    cause->symptom = (enum tl_symptom)most_of(symptoms, TL_SYMPTOM_COUNT);
    cause->reason = tl_suspect_reason(suspect);
}

/* Whether the cause goes on with the evidence of an earlier one, under another requirement. */
static bool continues(const struct tl_cause *cause, const struct tl_cause *earlier)
{
    if (cause->verdict != earlier->verdict || cause->requirement == NULL ||
        earlier->requirement == NULL)
        return false;
    if (cause->symptom != TL_SYMPTOM_NONE || earlier->symptom != TL_SYMPTOM_NONE)
        return cause->symptom == earlier->symptom;
    return cause->rule != NULL && cause->rule == earlier->rule;
}

/* ---- the search ---- */

struct found {
    tl_suspect suspects[TL_CAUSES_MAX];
};

static void explain(struct search *s, tl_suspect suspect, int by, struct tl_cause *cause)
{
    for (size_t i = 0; i < s->e->num_items; i++) {
        const struct tl_item *item = &s->e->items[i];

        if (item->suspect != suspect || !is_left(s, item->failed))
            continue;
        s->explained[item->failed] = by;
        cause->cases++;
    }
}

/* Another requirement that the evidence of a cause shows to be violated. */
static void also(struct tl_cause *cause, const struct fal_requirement *requirement)
{
    if (cause->num_also < sizeof cause->also / sizeof *cause->also)
        cause->also[cause->num_also++] = requirement;
}

static void search_verdict(struct search *s, struct tl_causes *out, struct found *found)
{
    size_t left;

    while ((left = count_left(s)) > 0) {
        struct tl_cause cause = {.verdict = s->verdict, .follows = -1};
        tl_suspect suspect = root_of(s, most_suspect(s, left, &cause.score));
        int by = -1;

        describe(s->e, suspect, &cause);
        for (size_t i = 0; i < out->count && by < 0; i++)
            if (continues(&cause, &out->list[i]))
                by = (int)i;
        if (by >= 0) {
            also(&out->list[by], cause.requirement);
            explain(s, suspect, by, &out->list[by]);
            continue;
        }
        if (out->count == TL_CAUSES_MAX) {
            out->unexplained += left;
            return;
        }
        explain(s, suspect, (int)out->count, &cause);
        found->suspects[out->count] = suspect;
        out->list[out->count++] = cause;
    }
}

/* The SUT sent no packet at all: one cause for all cases, whatever they test. */
static void search_silence(struct search *s, struct tl_causes *out)
{
    struct tl_cause *cause = &out->list[0];

    if (s->e->num_failed == 0)
        return;
    *cause = (struct tl_cause){.reason = TL_REASON_SILENT,
                               .follows = -1,
                               .score = 1,
                               .cases = s->e->num_failed,
                               .shown = s->e->mute};
    for (size_t i = 0; i < s->e->num_failed; i++) {
        s->explained[i] = 0;
        if (s->e->failed[i].verdict > cause->verdict)
            cause->verdict = s->e->failed[i].verdict;
    }
    out->count = 1;
}

static void search_all(struct search *s, struct tl_causes *out, struct found *found)
{
    static const enum fal_verdict order[] = {FAL_VERDICT_FAIL, FAL_VERDICT_ERROR,
                                             FAL_VERDICT_INCONC, FAL_VERDICT_WARN};

    if (tl_evidence_silent(s->e)) {
        search_silence(s, out);
        return;
    }
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        s->verdict = order[i];
        search_verdict(s, out, found);
    }
}

/* ---- consequences ---- */

/* Of the cases that show `late`, the share that shows `early`, too; and whether some rule saw a
 * deed that shows `late`. */
static double together(const struct tl_evidence *e, tl_suspect late, tl_suspect early,
                       bool *deed, uint8_t *marks)
{
    size_t all = 0, both = 0;

    memset(marks, 0, e->num_failed);
    for (size_t i = 0; i < e->num_items; i++)
        if (e->items[i].suspect == early)
            marks[e->items[i].failed] = 1;
    *deed = false;
    for (size_t i = 0; i < e->num_items; i++) {
        if (e->items[i].suspect != late)
            continue;
        all++;
        both += marks[e->items[i].failed];
        *deed |= e->items[i].by == TL_BY_DEED;
    }
    return all > 0 ? (double)both / (double)all : 0;
}

/* Requirements that say the same as that of a cause, and that a deed shows to be violated. */
static void find_others(const struct tl_evidence *e, struct tl_cause *cause)
{
    for (size_t i = 0; i < e->num_items; i++) {
        const struct tl_item *item = &e->items[i];
        const struct fal_requirement *r = tl_suspect_requirement(item->suspect);
        bool known = r == NULL || cause->requirement == NULL;

        for (size_t k = 0; k < cause->num_also; k++)
            known |= cause->also[k] == r;
        if (!known && item->by == TL_BY_DEED && item->symptom == TL_SYMPTOM_NONE &&
            tl_general_of(r) == cause->requirement)
            also(cause, r);
    }
}

static void find_consequences(const struct tl_evidence *e, struct tl_causes *out,
                              const struct found *found, uint8_t *marks)
{
    for (size_t k = 1; k < out->count; k++) {
        struct tl_cause *cause = &out->list[k];
        bool deed = false;

        if (cause->requirement == NULL || out->list[0].requirement == NULL ||
            cause->verdict > out->list[0].verdict)
            continue;
        for (size_t j = 0; j < k && cause->follows < 0; j++)
            if (out->list[j].follows < 0 && out->list[j].requirement != NULL &&
                (tl_roots_explain(out->list[j].requirement, cause->requirement) ||
                 together(e, found->suspects[k], found->suspects[j], &deed, marks) >= 0.5))
                cause->follows = (int)j;
        if (cause->follows < 0 && !deed)
            cause->follows = 0;
    }
}

/* ---- examples ---- */

/* Fewer packets first; of cases with as many, the earlier one. */
static bool simpler(const struct tl_evidence *e, uint32_t a, uint32_t b)
{
    const struct tl_failed *x = &e->failed[a], *y = &e->failed[b];

    return x->frames != y->frames ? x->frames < y->frames : x->number < y->number;
}

struct picks {
    uint32_t list[4];
    size_t count;
};

static void pick(const struct tl_evidence *e, struct picks *picks, uint32_t failed)
{
    size_t at = picks->count;

    while (at > 0 && simpler(e, failed, picks->list[at - 1]))
        at--;
    if (at == 4)
        return;
    if (picks->count < 4)
        picks->count++;
    memmove(&picks->list[at + 1], &picks->list[at],
            (picks->count - at - 1) * sizeof *picks->list);
    picks->list[at] = failed;
}

/* Copies the ids of the picked cases: the second pass. */
static int name_examples(const struct tl_results *results, const struct tl_evidence *e,
                         const struct picks *picks, struct tl_causes *out,
                         struct fal_error *err)
{
    struct tl_cases it;
    const struct tl_case *c;
    bool ok = true;

    tl_cases_begin(&it, results);
    for (size_t number = 0; ok && (c = tl_cases_next(&it)) != NULL; number++) {
        if (tl_case_counts(c) < FAL_VERDICT_WARN)
            continue;
        for (size_t k = 0; ok && k < out->count; k++)
            for (size_t i = 0; ok && i < picks[k].count; i++)
                if (e->failed[picks[k].list[i]].number == number) {
                    out->list[k].examples[i] = fal_arena_strdup(&out->arena, c->id);
                    ok = out->list[k].examples[i] != NULL;
                }
    }
    tl_cases_end(&it);
    if (it.rc != 0 && err != NULL)
        *err = it.err;
    for (size_t k = 0; k < out->count; k++)
        out->list[k].num_examples = picks[k].count;
    return it.rc != 0 ? it.rc : ok ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

static bool keep_cases(const struct tl_evidence *e, const int *explained, struct tl_causes *out)
{
    out->cases = malloc((e->num_failed + 1) * sizeof *out->cases);
    if (out->cases == NULL)
        return false;
    for (; out->num_cases < e->num_failed; out->num_cases++)
        out->cases[out->num_cases] = (struct tl_explained){
            .number = e->failed[out->num_cases].number, .cause = explained[out->num_cases]};
    return true;
}

/* ---- the whole ---- */

static int search(const struct tl_results *results, const struct tl_evidence *e,
                  struct tl_causes *out, struct fal_error *err)
{
    struct picks *picks = calloc(TL_CAUSES_MAX, sizeof *picks);
    struct found found;
    struct search s = {.e = e,
                       .explained = malloc((e->num_failed + 1) * sizeof(int)),
                       .weight = malloc(e->num_suspects * sizeof(double)),
                       .shown = malloc(e->num_suspects * sizeof(size_t)),
                       .marks = malloc(e->num_failed + 1)};
    int rc = fal_fail(err, FAL_ERR_MEM, "out of memory");

    if (picks != NULL && s.marks != NULL && s.explained != NULL && s.weight != NULL &&
        s.shown != NULL) {
        for (size_t i = 0; i < e->num_failed; i++)
            s.explained[i] = NOT_YET;
        search_all(&s, out, &found);
        find_consequences(e, out, &found, s.marks);
        for (size_t i = 0; i < out->count; i++)
            find_others(e, &out->list[i]);
        for (uint32_t i = 0; i < e->num_failed; i++)
            if (s.explained[i] >= 0)
                pick(e, &picks[s.explained[i]], i);
        rc = keep_cases(e, s.explained, out) ? name_examples(results, e, picks, out, err) : rc;
    }
    free(picks);
    free(s.marks);
    free(s.explained);
    free(s.weight);
    free(s.shown);
    return rc;
}

int tl_causes_make(const struct tl_results *results, struct tl_causes *out,
                   struct fal_error *err)
{
    struct tl_evidence evidence;
    int rc = tl_evidence_gather(results, &evidence, err);

    *out = (struct tl_causes){.failed = 0};
    for (size_t i = 0; rc == 0 && i < evidence.num_failed; i++)
        out->failed += evidence.failed[i].verdict == FAL_VERDICT_FAIL;
    if (rc == 0)
        rc = search(results, &evidence, out, err);
    tl_evidence_drop(&evidence);
    return rc;
}

void tl_causes_free(struct tl_causes *causes)
{
    fal_arena_free(&causes->arena);
    free(causes->cases);
    *causes = (struct tl_causes){.count = 0};
}

const struct tl_cause *tl_causes_of(const struct tl_causes *causes, size_t number)
{
    size_t from = 0, to = causes->num_cases;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (causes->cases[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    return from < causes->num_cases && causes->cases[from].number == number &&
                   causes->cases[from].cause >= 0
               ? &causes->list[causes->cases[from].cause]
               : NULL;
}

bool tl_causes_silent(const struct tl_causes *causes)
{
    return causes->count == 1 && causes->list[0].requirement == NULL &&
           causes->list[0].rule == NULL && causes->list[0].reason == TL_REASON_SILENT &&
           causes->list[0].shown > 0;
}

static bool shows(const struct tl_problem *p, const struct tl_cause *cause)
{
    for (unsigned i = 0; i < p->num_symptoms; i++)
        if (fal_requirement_find(tl_symptom_about(p->symptoms[i])->requirement) ==
            cause->requirement)
            return true;
    return p->requirement != NULL && (p->requirement == cause->requirement ||
                                      tl_general_of(p->requirement) == cause->requirement);
}

const struct tl_problem *tl_cause_problem(const struct tl_case *c, const struct tl_cause *cause)
{
    for (size_t i = 0; i < c->num_problems; i++)
        if (c->problems[i].verdict == cause->verdict && shows(&c->problems[i], cause))
            return &c->problems[i];
    return c->num_problems > 0 ? &c->problems[0] : NULL;
}

bool tl_causes_broken(const struct tl_causes *causes, const struct fal_requirement *requirement)
{
    for (size_t i = 0; i < causes->count; i++) {
        const struct tl_cause *cause = &causes->list[i];

        if (cause->follows >= 0)
            continue;
        if (cause->requirement == requirement)
            return true;
        for (size_t k = 0; k < cause->num_also; k++)
            if (cause->also[k] == requirement)
                return true;
    }
    return false;
}

void tl_causes_book(const struct tl_causes *causes, struct tl_overview *overview)
{
    for (size_t i = 0; i < overview->num_requirements; i++) {
        struct tl_proven *p = &overview->requirements[i];

        if ((p->proof != TL_PROOF_FAIL && p->proof != TL_PROOF_WARN) ||
            tl_causes_broken(causes, p->requirement))
            continue;
        overview->proofs[p->proof]--;
        p->proof = TL_PROOF_FOLLOWS;
        overview->proofs[p->proof]++;
    }
}

static const char *sentence_of(enum tl_reason reason)
{
    const char *sentence = tl_reason_sentence(reason);

    return sentence != NULL ? sentence : "The cases did not pass for an unknown reason.";
}

void tl_cause_sentence(const struct tl_cause *cause, char out[TL_CAUSE_TEXT])
{
    const struct tl_symptom_about *about = tl_symptom_about(cause->symptom);

    if (about != NULL)
        (void)snprintf(out, TL_CAUSE_TEXT, "%s.", about->sentence);
    else if (cause->rule != NULL)
        (void)snprintf(out, TL_CAUSE_TEXT, "The SUT violates rule %s: %s.", cause->rule->id,
                       cause->rule->title);
    else if (cause->requirement != NULL)
        (void)snprintf(out, TL_CAUSE_TEXT, "The SUT does not meet %s: %s.",
                       cause->requirement->id, cause->requirement->title);
    else
        (void)snprintf(out, TL_CAUSE_TEXT, "%s", sentence_of(cause->reason));
}

int tl_causes_use(const struct tl_results *results, const struct tl_causes *given,
                  struct tl_causes **own, const struct tl_causes **use)
{
    *own = given == NULL ? calloc(1, sizeof **own) : NULL;
    *use = given != NULL ? given : *own;
    if (*use == NULL)
        return FAL_ERR_MEM;
    return *own != NULL ? tl_causes_make(results, *own, NULL) : 0;
}

void tl_causes_drop(struct tl_causes *own)
{
    if (own != NULL)
        tl_causes_free(own);
    free(own);
}
