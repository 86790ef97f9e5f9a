/* SPDX-License-Identifier: Apache-2.0
 * tap.c - results as TAP, version 14. An inconclusive is "not ok": nothing was shown. What was
 * waived, foretold or listed as flaky is "# TODO", what did not run "# SKIP". */
#include "reports/formats/report.h"

#include "reports/base/utf8.h"

#include <inttypes.h>
#include <string.h>

/* One line, in which "#" begins a directive and "\" an escape. */
static void put_line(FILE *out, const char *text)
{
    bool cut;
    const char *end = text + tl_text_shown(text, &cut);

    while (text < end) {
        uint32_t c = tl_utf8_next(&text, end);

        if (c == '\\' || c == '#')
            fputc('\\', out);
        tl_utf8_put(out, c >= ' ' && tl_utf8_shows(c) ? c : ' ');
    }
    if (cut)
        fputs(" ...", out);
}

/* A member of the YAML block; quoted as JSON is, which is YAML. */
static void put_member(FILE *out, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(out, "  %s: \"", name);
    tl_put_json_string(out, text, TL_TEXT_SHOWN);
    fputs("\"\n", out);
}

static bool is_ok(const struct tl_results *results, const struct tl_case *c)
{
    if (!tl_case_ran(c))
        return true;
    if (c->disposition == TL_UNEXPECTED_PASS)
        return !results->strict;
    return c->verdict == FAL_VERDICT_PASS || c->verdict == FAL_VERDICT_WARN;
}

static void put_directive(FILE *out, const struct tl_case *c)
{
    switch (c->disposition) {
    case TL_RAN:
    case TL_UNEXPECTED_PASS: return;
    case TL_NOT_APPLICABLE:
    case TL_SKIPPED:
    case TL_NOT_RUN: fputs(" # SKIP ", out); break;
    case TL_WAIVED:
    case TL_EXPECTED_FAILURE:
    case TL_FLAKY: fputs(" # TODO ", out); break;
    }
    fputs(tl_disposition_name(c->disposition), out);
    if (c->why != NULL) {
        fputs(": ", out);
        put_line(out, c->why);
    }
}

static void put_diagnosis(FILE *out, const struct tl_case *c)
{
    const struct tl_problem *p = c->num_problems > 0 ? &c->problems[0] : NULL;

    if (!tl_case_ran(c) || (c->verdict == FAL_VERDICT_PASS && c->disposition == TL_RAN))
        return;
    fputs("  ---\n", out);
    put_member(out, "message", c->reason.word != NULL ? c->reason.word : "none");
    put_member(out, "severity", fal_verdict_name(c->verdict));
    if (p != NULL) {
        put_member(out, "rule", p->rule != NULL ? p->rule->id : NULL);
        put_member(out, "requirement", p->requirement != NULL ? p->requirement->id : NULL);
        put_member(out, "text", p->requirement != NULL ? p->requirement->text : p->text);
        put_member(out, "expected", p->expected);
        put_member(out, "seen", p->seen);
        put_member(out, "because", p->why);
        put_member(out, "fingerprint", p->fingerprint[0] != 0 ? p->fingerprint : NULL);
        put_member(out, "waiver", p->waiver);
    }
    put_member(out, "file", c->file);
    if (p != NULL && p->line > 0)
        fprintf(out, "  line: %u\n", p->line);
    put_member(out, "again", c->repeat);
    fputs("  ...\n", out);
}

int tl_report_tap(FILE *out, const struct tl_results *results,
                  const struct tl_report_options *options)
{
    struct tl_tally tally;
    struct tl_cases it;
    const struct tl_case *c;
    int rc = tl_results_tally(results, &tally, NULL);

    (void)options;
    if (rc != 0)
        return rc;
    fprintf(out, "TAP version 14\n1..%zu\n", tally.cases);
    tl_cases_begin(&it, results);
    while ((c = tl_cases_next(&it)) != NULL) {
        fprintf(out, "%s %zu - ", is_ok(results, c) ? "ok" : "not ok", it.next);
        put_line(out, c->id);
        fputs(": ", out);
        put_line(out, c->title);
        put_directive(out, c);
        fputc('\n', out);
        put_diagnosis(out, c);
    }
    if (results->interrupted)
        fputs("Bail out! the run was interrupted\n", out);
    return it.rc == 0 && ferror(out) ? FAL_ERR_IO : it.rc;
}
