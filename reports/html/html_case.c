/* SPDX-License-Identifier: Apache-2.0
 * html_case.c - a case of the HTML report. */
#include "reports/html/html_impl.h"

#include "codecs/base/time_text.h"
#include "reports/base/memory_file.h"
#include "reports/base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_UP_TO = 3 }; /* so few that failed are shown at once */

/* Beside a disposition the verdict is not what a reader looks for. */
static const char *word_of(const struct tl_case *c)
{
    return c->disposition == TL_RAN ? fal_verdict_name(c->verdict)
                                    : tl_disposition_name(c->disposition);
}

static void put_row(const struct tl_html *h, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(h->out, "<dt>%s<dd><code>", name);
    tl_html_put(h, text);
    fputs("</code>\n", h->out);
}

/* Writes a path as an address. Characters other than plain ones are escaped, because they could
 * change the scheme of the address. */
static void put_link(const struct tl_html *h, const struct tl_case *c, const char *file)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    const char *const parts[] = {h->options->evidence, c->evidence};

    fputs(" <a href=\"./", h->out);
    for (size_t i = 0; i < 2; i++)
        for (const char *at = parts[i]; *at != 0; at++)
            fprintf(h->out, strchr(plain, *at) != NULL ? "%c" : "%%%02X", (unsigned char)*at);
    fprintf(h->out, "/%s\">%s</a>", file, file);
}

/* The time that the tester lost on a live link; nothing if it lost none. */
static void put_timing(const struct tl_html *h, const struct tl_case_timing *timing)
{
    const struct {
        const char *what;
        uint64_t ns;
    } parts[] = {{"timers late", timing->timer_ns},
                 {"in the kernel's queue", timing->queue_ns},
                 {"busy", timing->busy_ns},
                 {"throttled", timing->throttle_ns},
                 {"the SUT's process", timing->sut_ns}};
    const char *between = "<dt>time lost<dd>";

    for (size_t i = 0; timing->known && i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].ns == 0)
            continue;
        fprintf(h->out, "%s%s %s", between, parts[i].what, fal_time_rounded(parts[i].ns).text);
        between = ", ";
    }
    if (timing->drops > 0)
        fprintf(h->out, "%s%" PRIu64 " frames that the receive path lost", between,
                timing->drops);
}

static void put_facts(const struct tl_html *h, const struct tl_case *c)
{
    fputs("<dl>", h->out);
    if (c->num_covers > 0)
        fputs("<dt>covers<dd>", h->out);
    for (size_t i = 0; i < c->num_covers; i++)
        tl_html_requirement(h, c->covers[i]);
    if (c->why != NULL)
        put_row(h, tl_disposition_name(c->disposition), c->why);
    fprintf(h->out, "<dt>took<dd>%s, seed 0x%016" PRIx64 "\n",
            fal_time_rounded(c->duration_ns).text, c->seed);
    if (c->connection != NULL)
        put_row(h, "connection", c->connection);
    if (c->copies > 0 && c->copy > 0)
        fprintf(h->out, "<dt>copies<dd>%u of %u connections at once\n", c->copy, c->copies);
    else if (c->copies > 0)
        fprintf(h->out, "<dt>copies<dd>%u connections at once\n", c->copies);
    put_timing(h, &c->timing);
    for (size_t i = 0; c->num_attempts > 1 && i < c->num_attempts; i++)
        put_row(h, "attempt",
                c->attempts[i].reason.word != NULL ? c->attempts[i].reason.word
                                                   : fal_verdict_name(c->attempts[i].verdict));
    for (size_t i = 0; i < c->num_readings; i++)
        if (c->readings[i].alternative)
            put_row(h, "reading", c->readings[i].text);
    put_row(h, "file", c->file);
    if (c->verdict != FAL_VERDICT_PASS)
        put_row(h, "reproduce with", c->repeat);
    if (c->evidence != NULL && h->options->evidence != NULL) {
        fputs("<dt>evidence<dd>", h->out);
        put_link(h, c, "packets.pcapng");
        put_link(h, c, "timeline.jsonl");
        if (c->num_steps > 0) /* else it was a recording, or nothing but looking on */
            put_link(h, c, "scenario.json");
    }
    fputs("</dl>\n", h->out);
}

static void put_line(const struct tl_html *h, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(h->out, "<b>%-11s</b> ", name);
    tl_put_xml_short(h->out, text);
    fputc('\n', h->out);
}

/* What the packets show beyond what the rule or the step says. */
static void put_symptoms(const struct tl_html *h, const struct tl_problem *p)
{
    for (unsigned i = 0; i < p->num_symptoms; i++) {
        const struct tl_symptom_about *about = tl_symptom_about(p->symptoms[i]);
        const struct fal_requirement *r = fal_requirement_find(about->requirement);

        fputs(i == 0 ? "<p>" : "<p>or: ", h->out);
        tl_html_put(h, about->sentence);
        if (r != NULL)
            tl_html_requirement(h, r);
        fputs("</p>\n", h->out);
    }
}

/* The problem; the reason comes first. */
static void put_problem(const struct tl_html *h, const struct tl_case *c,
                        const struct tl_problem *p, bool packets)
{
    fputs("<section class=\"q\"><h4>", h->out);
    tl_html_badge(h, fal_verdict_name(p->verdict), fal_verdict_name(p->verdict));
    if (p->rule != NULL) {
        fputs(" rule ", h->out);
        tl_html_put(h, p->rule->id);
        fputs(": ", h->out);
        tl_html_put(h, p->text != NULL ? p->text : p->rule->title);
        if (p->subject == FAL_SUBJECT_TESTER)
            fputs(", violated by the tester itself", h->out);
    } else {
        fputc(' ', h->out);
        tl_html_put(h, p->reason.word);
    }
    if (p->step >= 0)
        fprintf(h->out, ", step %" PRId32, p->step + 1);
    if (p->line > 0) {
        fputs(", ", h->out);
        tl_html_put(h, c->file);
        fprintf(h->out, ":%u", p->line);
    }
    fputs("</h4>\n", h->out);
    if (p->requirement != NULL) {
        fputs("<p>", h->out);
        tl_html_requirement(h, p->requirement);
        fputc(' ', h->out);
        tl_html_put(h, p->requirement->text);
        for (size_t i = 0; i < p->num_also; i++)
            tl_html_requirement(h, p->also[i]);
        fputs("</p>\n", h->out);
    }
    put_symptoms(h, p);
    fputs("<pre>", h->out);
    put_line(h, "expected", p->expected);
    put_line(h, "seen", p->seen);
    put_line(h, "because", p->why);
    for (size_t i = 0; packets && i < p->num_ladder; i++)
        put_line(h, p->ladder[i].marked ? "packet *" : "packet", p->ladder[i].text);
    put_line(h, "fingerprint", p->fingerprint[0] != 0 ? p->fingerprint : NULL);
    put_line(h, "waived", p->waiver);
    fputs("</pre></section>\n", h->out);
}

static void put_steps(const struct tl_html *h, const struct tl_case *c)
{
    int32_t failing = -1;

    for (size_t i = 0; i < c->num_problems && failing < 0; i++)
        failing = c->problems[i].step;
    if (c->num_steps == 0)
        return;
    fputs("<ol class=\"s\">", h->out);
    for (size_t i = 0; i < c->num_steps; i++) {
        bool here = failing >= 0 && (size_t)failing == i;

        fputs(here ? "<li class=\"e\">" : "<li>", h->out);
        tl_html_put(h, c->steps[i].text[0] != 0 ? c->steps[i].text : "end of the repetition");
        if (here)
            fputs(" <strong>✗</strong>", h->out);
    }
    fputs("</ol>\n", h->out);
}

/* Rules that had something to decide on the SUT; how often each held, and how much it decided
 * where that was not everything. */
static void put_rules(const struct tl_html *h, const struct tl_case *c)
{
    bool any = false;

    for (size_t i = 0; i < c->num_rules; i++) {
        const struct fal_rule_result *r = &c->rules[i];

        if (r->subject != FAL_SUBJECT_SUT || r->holds + r->broken == 0)
            continue;
        fputs(any ? ", " : "<p class=\"m\">rules ", h->out);
        any = true;
        tl_html_put(h, r->rule->id);
        fprintf(h->out, " %" PRIu64, r->holds);
        if (fal_result_open(r) > 0)
            fprintf(h->out, " (%" PRIu64 " of %" PRIu64 " decided)", fal_result_decided(r),
                    fal_result_decided(r) + fal_result_open(r));
        if (r->broken > 0)
            fprintf(h->out, " <b>broken %" PRIu64 "</b>", r->broken);
    }
    if (any)
        fputs("</p>\n", h->out);
}

/* The requirement of the cause of a case, or of its first problem; NULL. */
static const struct fal_requirement *requirement_of(const struct tl_html *h,
                                                    const struct tl_case *c)
{
    const struct tl_cause *cause = tl_causes_of(h->causes, h->number - 1);

    if (cause != NULL && cause->requirement != NULL)
        return cause->requirement;
    return c->num_problems > 0 ? c->problems[0].requirement : NULL;
}

/* Of a case for which the page has no room. */
static void put_brief_end(const struct tl_html *h, const struct tl_case *c)
{
    fputs("<p class=\"m\">The page has grown to its size: ", h->out);
    if (c->num_problems > 1)
        fprintf(h->out, "%zu more problem%s, ", c->num_problems - 1,
                c->num_problems > 2 ? "s" : "");
    fputs("the diagram and the steps of this case are left out; its results and its evidence "
          "have them.</p>\n<dl>",
          h->out);
    put_row(h, "reproduce with", c->repeat);
    fputs("</dl>\n</details>\n", h->out);
}

static int put_case(struct tl_html *h, const struct tl_case *c)
{
    const struct fal_requirement *requirement;
    const char *word = word_of(c);
    int rc;

    h->written++;
    requirement = requirement_of(h, c);
    fputs("<details class=\"case\" id=\"", h->out);
    tl_html_anchor(h, c->id);
    fprintf(h->out, "\" data-v=\"%s\"%s><summary>", word,
            h->overview.num_failing <= OPEN_UP_TO && tl_case_counts(c) >= FAL_VERDICT_INCONC
                ? " open"
                : "");
    tl_html_badge(h, c->disposition == TL_RAN ? fal_verdict_name(c->verdict) : "none", word);
    fputs(" <code>", h->out);
    tl_html_put(h, c->id);
    fputs("</code> ", h->out);
    tl_html_put(h, c->title);
    if (c->num_problems > 0 && requirement != NULL) {
        fputs(" <small>", h->out);
        tl_html_put(h, requirement->id);
        fputs("</small>", h->out);
    }
    fputs("</summary>\n", h->out);
    if (c->num_problems > 0)
        put_problem(h, c, &c->problems[0], c->num_flow == 0);
    if (c->num_problems > 0 && tl_html_full(h)) {
        put_brief_end(h, c);
        return 0;
    }
    rc = tl_html_ladder(h, c);
    for (size_t i = 1; i < c->num_problems; i++)
        put_problem(h, c, &c->problems[i], c->num_flow == 0);
    put_facts(h, c);
    put_steps(h, c);
    put_rules(h, c);
    fputs("</details>\n", h->out);
    return rc;
}

int tl_html_case(struct tl_html *h, const struct tl_case *c)
{
    FILE *page = h->out;
    struct tl_memory_file part;
    int rc = tl_memory_open(&part);

    h->out = part.out;
    if (rc == 0)
        rc = put_case(h, c);
    h->out = page;
    if (tl_memory_close(&part) != 0)
        return FAL_ERR_MEM;
    if (rc == 0)
        (void)fwrite(part.text, 1, part.len, page);
    h->bytes += part.len;
    free(part.text);
    return rc;
}
