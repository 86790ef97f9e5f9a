/* SPDX-License-Identifier: Apache-2.0
 * html_first.c - the first screen of the HTML report: the device, the verdict in one sentence,
 * the share of the requirements that is decided, and what was not tested. */
#include "reports/html/html_impl.h"

#include "codecs/base/time_text.h"

#include <stdlib.h>
#include <string.h>

enum { REASONS = 8, REASON = 160 };

/* Cases that did not run for one reason. */
struct reason {
    enum tl_disposition disposition;
    char why[REASON];
    size_t cases;
};

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static size_t independent(const struct tl_causes *causes)
{
    size_t n = 0;

    for (size_t i = 0; i < causes->count; i++)
        n += causes->list[i].follows < 0;
    return n;
}

/* Nothing was played, because the bench is broken: why, and what to do. False: it works. */
static bool put_broken_bench(const struct tl_html *h)
{
    struct tl_cases it;
    const struct tl_case *c;

    if (h->causes->count != 1 || h->causes->list[0].reason != TL_REASON_BENCH)
        return false;
    fputs("No case was played, so nothing is known about the device.", h->out);
    tl_cases_begin(&it, h->results);
    while ((c = tl_cases_next(&it)) != NULL) {
        if (c->reason.id != TL_REASON_BENCH || c->num_problems == 0 ||
            c->problems[0].seen == NULL)
            continue;
        fputs("</p>\n<p><code>", h->out);
        tl_html_put(h, c->problems[0].seen);
        fputs("</code>", h->out);
        break;
    }
    tl_cases_end(&it);
    return true;
}

void tl_html_sentence(const struct tl_html *h)
{
    const struct tl_tally *t = &h->overview.tally;
    size_t failed = t->counted[FAL_VERDICT_FAIL], errors = t->counted[FAL_VERDICT_ERROR];
    size_t open = t->counted[FAL_VERDICT_INCONC], warned = t->counted[FAL_VERDICT_WARN];
    size_t causes = independent(h->causes);

    fputs("<p class=\"lead\">", h->out);
    if (put_broken_bench(h)) {
        fputs("</p>\n", h->out);
        return;
    }
    if (t->ran == 0)
        fputs("No case ran, so nothing is known about the device.", h->out);
    else if (failed > 0)
        fprintf(h->out, "The device failed %zu of %zu cases that ran; they have %zu cause%s.",
                failed, t->ran, causes, plural(causes));
    else if (errors > 0)
        fprintf(h->out, "%zu of %zu cases ended with an error, and no case failed.", errors,
                t->ran);
    else if (open > 0 ||
             tl_tally_verdict(t, h->results) == FAL_VERDICT_INCONC) /* rules over the run */
        fprintf(h->out, "No case failed, but %zu of %zu cases were not decided.", open, t->ran);
    else if (warned > 0)
        fprintf(h->out, "No case failed; %zu of %zu cases ended with a warning.", warned,
                t->ran);
    else if (t->counted[FAL_VERDICT_PASS] == t->ran)
        fprintf(h->out, "All %zu cases that ran passed.", t->ran);
    else
        fprintf(h->out, "%zu of %zu cases that ran passed; the others do not count.",
                t->counted[FAL_VERDICT_PASS], t->ran);
    if (failed > 0 && errors + open > 0)
        fprintf(h->out, " %zu more were not decided or ended with an error.", errors + open);
    if (h->results->interrupted)
        fputs(" The run was interrupted.", h->out);
    fputs("</p>\n", h->out);
}

static void put_decided(const struct tl_html *h)
{
    const struct tl_overview *o = &h->overview;
    size_t decided = o->proofs[TL_PROOF_PASS] + o->proofs[TL_PROOF_WARN] +
                     o->proofs[TL_PROOF_FAIL] + o->proofs[TL_PROOF_WAIVED];

    if (o->num_requirements == 0)
        return;
    fprintf(
        h->out,
        "<dt>requirements<dd>%zu of %zu decided (%zu %%), %zu of them violated; %zu checked "
        "only by general rules, %zu undecided, %zu not exercised\n",
        decided, o->num_requirements, decided * 100 / o->num_requirements,
        o->proofs[TL_PROOF_FAIL], o->proofs[TL_PROOF_WATCHED], o->proofs[TL_PROOF_UNDECIDED],
        o->proofs[TL_PROOF_NOT_EXERCISED]);
}

/* Counts the case; false if there are more reasons than are listed. */
static bool count_reason(struct reason *list, size_t *n, const struct tl_case *c)
{
    char why[REASON];
    size_t i = 0;

    (void)snprintf(why, sizeof why, "%s", c->why != NULL ? c->why : "");
    while (i < *n && (list[i].disposition != c->disposition || strcmp(list[i].why, why) != 0))
        i++;
    if (i == REASONS)
        return false;
    if (i == *n) {
        list[i] = (struct reason){.disposition = c->disposition};
        memcpy(list[i].why, why, sizeof why);
        ++*n;
    }
    list[i].cases++;
    return true;
}

/* Which cases did not run, and why. */
static int put_untested(const struct tl_html *h)
{
    struct reason list[REASONS];
    struct tl_cases it;
    const struct tl_case *c;
    size_t n = 0, others = 0;

    tl_cases_begin(&it, h->results);
    while ((c = tl_cases_next(&it)) != NULL)
        if (!tl_case_ran(c))
            others += !count_reason(list, &n, c);
    tl_cases_end(&it);
    for (size_t i = 0; i < n; i++) {
        fprintf(h->out, "<dt>not tested<dd>%zu case%s, %s", list[i].cases,
                plural(list[i].cases), tl_disposition_name(list[i].disposition));
        if (list[i].why[0] != 0)
            fputs(": ", h->out);
        tl_html_put(h, list[i].why);
        fputc('\n', h->out);
    }
    if (others > 0)
        fprintf(h->out, "<dt>not tested<dd>%zu case%s for other reasons\n", others,
                plural(others));
    if (h->results->deselected > 0)
        fprintf(h->out, "<dt>not tested<dd>%zu case%s, not selected\n", h->results->deselected,
                plural(h->results->deselected));
    return it.rc;
}

static void put_changes(const struct tl_html *h)
{
    const size_t *changes = h->options->changes;
    const char *between = "<dt>since the other run<dd>";

    if (changes == NULL)
        return;
    for (int i = 0; i < TL_CHANGES; i++) {
        if (changes[i] == 0)
            continue;
        fprintf(h->out, "%s%zu × %s", between, changes[i], tl_change_name((enum tl_change)i));
        between = ", ";
    }
    if (*between == '<')
        fprintf(h->out, "%sno case changed", between);
    fputc('\n', h->out);
}

int tl_html_first(const struct tl_html *h)
{
    int rc;

    fputs("<dl>", h->out);
    put_decided(h);
    rc = put_untested(h);
    put_changes(h);
    if (h->options->stamp != NULL) {
        fputs("<dt>when<dd>", h->out);
        tl_html_put(h, h->options->stamp);
        fputc('\n', h->out);
    }
    if (h->overview.tally.duration_ns > 0)
        fprintf(h->out,
                "<dt>how long<dd>%s, the sum of all cases by the time of their packets\n",
                fal_time_rounded(h->overview.tally.duration_ns).text);
    fputs("</dl>\n", h->out);
    return rc;
}
