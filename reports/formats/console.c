/* SPDX-License-Identifier: Apache-2.0
 * console.c - a run for the eye: a line a case, and of each that did not pass what was due over
 * what was seen, the sentence of the specification, the packets around it, and how to see it
 * again. */
#include "reports/formats/console_impl.h"

#include "reports/base/memory_file.h"
#include "reports/base/utf8.h"
#include "reports/formats/wrap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 14 };

static const char *label(const struct tl_case *c)
{
    switch (c->disposition) {
    case TL_RAN: break;
    case TL_NOT_APPLICABLE: return "n/a";
    case TL_SKIPPED: return "skipped";
    case TL_NOT_RUN: return "not run";
    case TL_WAIVED: return "waived";
    case TL_EXPECTED_FAILURE: return "expected";
    case TL_UNEXPECTED_PASS: return "unexpected";
    case TL_FLAKY: return "flaky";
    }
    switch (c->verdict) {
    case FAL_VERDICT_FAIL: return "FAIL";
    case FAL_VERDICT_ERROR: return "ERROR";
    case FAL_VERDICT_NONE:
    case FAL_VERDICT_PASS:
    case FAL_VERDICT_WARN:
    case FAL_VERDICT_INCONC: break;
    }
    return fal_verdict_name(c->verdict);
}

const char *tl_report_colour(enum fal_verdict verdict)
{
    switch (verdict) {
    case FAL_VERDICT_NONE: break;
    case FAL_VERDICT_PASS: return "\033[32m";
    case FAL_VERDICT_WARN:
    case FAL_VERDICT_INCONC: return "\033[33m";
    case FAL_VERDICT_FAIL: return "\033[31m";
    case FAL_VERDICT_ERROR: return "\033[1;31m";
    }
    return "";
}

/* A labelled text: as it is, because packets are to be copied; or in lines of a console. */
static void put_line(FILE *out, const char *name, const char *text, bool wrap)
{
    if (wrap) {
        tl_put_paragraph(out, &(struct tl_paragraph){4, INDENT, name, NULL}, text);
        return;
    }
    fprintf(out, "    %-*s", INDENT - 4, name);
    tl_put_plain_text(out, text);
    fputc('\n', out);
}

static void put_place(FILE *out, const struct tl_case *c, const struct tl_problem *p)
{
    fprintf(out, "step %" PRId32 ", ", p->step + 1);
    tl_put_plain_text(out, c->file);
    fprintf(out, ":%u", p->line);
}

static void put_subject(FILE *out, const struct tl_case *c, const struct tl_problem *p)
{
    switch (p->kind) {
    case TL_PROBLEM_STEP:
        put_place(out, c, p);
        fputs(": ", out);
        tl_put_plain_text(out, p->reason.word);
        return;
    case TL_PROBLEM_RULE:
        fputs("rule ", out);
        if (p->rule != NULL) {
            tl_put_plain_text(out, p->rule->id);
            fputs(", ", out);
        }
        tl_put_plain_text(out, p->text != NULL ? p->text : "");
        if (p->rule == NULL) /* of another protocol: the text names rule and end */
            return;
        fprintf(out, ": violated by the %s",
                p->subject == FAL_SUBJECT_SUT ? "SUT" : "tester itself");
        break;
    case TL_PROBLEM_EXERCISE: tl_put_plain_text(out, p->text != NULL ? p->text : ""); break;
    case TL_PROBLEM_STOP: tl_put_plain_text(out, p->text != NULL ? p->text : ""); break;
    case TL_PROBLEM_BENCH:
        fputs("bench, ", out);
        tl_put_plain_text(out, p->reason.word);
        break;
    }
    if (p->step >= 0) {
        fputs(" (", out);
        put_place(out, c, p);
        fputc(')', out);
    }
}

/* The problem was found by a step, a rule or the bench. */
static void put_heading(FILE *out, const struct tl_case *c, const struct tl_problem *p,
                        bool wrap)
{
    struct tl_memory_file text;

    if (!wrap) {
        fputs("  ", out);
        put_subject(out, c, p);
        fputc('\n', out);
        return;
    }
    if (tl_memory_open(&text) == 0)
        put_subject(text.out, c, p);
    if (tl_memory_close(&text) == 0)
        tl_put_paragraph(out, &(struct tl_paragraph){4, INDENT, "found by", NULL}, text.text);
    free(text.text);
}

/* What the packets show beyond what the rule or the step says, with its requirement. */
static void put_symptoms(FILE *out, const struct tl_problem *p)
{
    for (unsigned i = 0; i < p->num_symptoms; i++) {
        const struct tl_symptom_about *about = tl_symptom_about(p->symptoms[i]);
        char text[400];

        (void)snprintf(text, sizeof text, "%s (%s)", about->sentence, about->requirement);
        put_line(out, i == 0 ? "shows" : "or", text, true);
    }
}

static void put_ladder(FILE *out, const struct tl_ladder_line *lines, size_t n, bool wrap)
{
    for (size_t i = 0; i < n; i++) {
        if (wrap) {
            char label[16];

            (void)snprintf(label, sizeof label, "%-*s%c", INDENT - 6, i == 0 ? "packets" : "",
                           lines[i].marked ? '*' : ' ');
            tl_put_paragraph(out, &(struct tl_paragraph){4, INDENT, label, NULL},
                             lines[i].text);
            continue;
        }
        fprintf(out, "    %-*s%c ", INDENT - 6, i == 0 ? "packets" : "",
                lines[i].marked ? '*' : ' ');
        tl_put_plain_text(out, lines[i].text);
        fputc('\n', out);
    }
}

void tl_console_problem(FILE *out, const struct tl_case *c, const struct tl_problem *p,
                        enum tl_console_detail detail)
{
    bool wrap = detail != TL_CONSOLE_PLAIN;
    char name[64];

    put_heading(out, c, p, wrap);
    if (p->expected != NULL)
        put_line(out, "expected", p->expected, wrap);
    if (p->seen != NULL)
        put_line(out, "seen", p->seen, wrap);
    if (p->why != NULL)
        put_line(out, "because", p->why, wrap);
    put_symptoms(out, p);
    /* A block of a cause begins with the text of its requirement. */
    if (p->requirement != NULL && (!wrap || tl_problem_blames(p) != p->requirement)) {
        (void)snprintf(name, sizeof name, "%.60s", p->requirement->id);
        tl_put_paragraph(out, &(struct tl_paragraph){4, INDENT, name, NULL},
                         p->requirement->text);
    }
    for (size_t i = 0; i < p->num_also; i++)
        put_line(out, i == 0 ? "also" : "", p->also[i]->id, wrap);
    if (detail != TL_CONSOLE_SHORT)
        put_ladder(out, p->ladder, p->num_ladder, wrap);
    if (p->verdict < FAL_VERDICT_INCONC || p->fingerprint[0] == 0)
        return;
    fputs("    fingerprint ", out);
    tl_put_plain_text(out, p->fingerprint);
    if (p->waiver != NULL)
        fputs(", waived by ", out);
    tl_put_plain_text(out, p->waiver != NULL ? p->waiver : "");
    fputc('\n', out);
}

/* Readings other than the default are why a case warns. */
static void put_readings(FILE *out, const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_readings; i++) {
        const struct fal_reading_result *r = &c->readings[i];

        if (r->alternative) {
            fprintf(out, "    %-*s", INDENT - 4, "reading");
            tl_put_plain_text(out, r->id);
            fputs(": ", out);
            tl_put_plain_text(out, r->text);
            fprintf(out,
                    " (another reading of an unclear sentence; event %" PRIu64 " at %" PRIu64
                    " ns shows it)\n",
                    r->by, r->by_ns);
        }
    }
}

/* The disposition and its reason, beside the verdict. */
static void put_disposition(FILE *out, const struct tl_case *c)
{
    if (c->disposition == TL_RAN)
        return;
    fprintf(out, " (%s%s", tl_disposition_name(c->disposition), c->why != NULL ? ": " : "");
    if (c->why != NULL)
        tl_put_plain_text(out, c->why);
    if (tl_case_ran(c) && c->verdict > FAL_VERDICT_WARN)
        fprintf(out, "; verdict %s", fal_verdict_name(c->verdict));
    fputc(')', out);
}

static void put_attempts(FILE *out, const struct tl_case *c)
{
    size_t passed = 0;

    for (size_t i = 0; i < c->num_repetitions; i++)
        passed += c->repetitions[i].verdict <= FAL_VERDICT_WARN;
    if (c->num_repetitions > 0)
        fprintf(out, " (%zu of %zu times)", passed, c->num_repetitions);
    if (c->connection != NULL)
        fprintf(out, " (connection %s)", c->connection);
    else if (c->copy > 0)
        fprintf(out, " (copy %u of %u)", c->copy, c->copies);
    if (c->num_attempts <= 1)
        return;
    fprintf(out, " (attempt %zu; before:", c->num_attempts);
    for (size_t i = 0; i + 1 < c->num_attempts; i++) {
        fprintf(out, " %s%s", fal_verdict_name(c->attempts[i].verdict),
                c->attempts[i].reason.word != NULL ? " " : "");
        tl_put_plain_text(out,
                          c->attempts[i].reason.word != NULL ? c->attempts[i].reason.word : "");
    }
    fputc(')', out);
}

/* The cases that the SUT had played before, where that may matter. */
static void put_life(FILE *out, const struct tl_case *c)
{
    if (c->life.before == 0 || c->life.alone == FAL_VERDICT_NONE || c->life.first == NULL)
        return;
    fprintf(out, "    same SUT  had played %u before, from ", c->life.before);
    tl_put_plain_text(out, c->life.first);
    fprintf(out, " on; on a new SUT the verdict of this case alone is %s\n",
            fal_verdict_name(c->life.alone));
}

int tl_report_line_in(FILE *out, const struct tl_case *c, bool colour)
{
    const char *stress = colour ? tl_report_colour(tl_case_counts(c)) : "";
    size_t len = strlen(c->id);

    fprintf(out, "%s%-13s%s ", stress, label(c), *stress != 0 ? TL_COLOUR_END : "");
    tl_put_plain_text(out, c->id);
    fprintf(out, "%*s ", len < 26 ? (int)(26 - len) : 0, "");
    tl_put_plain_text(out, c->title);
    put_attempts(out, c);
    put_disposition(out, c);
    fputc('\n', out);
    return ferror(out) ? FAL_ERR_IO : 0;
}

void tl_console_notes(FILE *out, const struct tl_case *c)
{
    put_readings(out, c);
    put_ladder(out, c->packets, c->num_packets, false);
    put_life(out, c);
}

int tl_report_case_in(FILE *out, const struct tl_results *results, const struct tl_case *c,
                      bool colour)
{
    int rc = tl_report_line_in(out, c, colour);

    (void)results;
    for (size_t i = 0; i < c->num_problems; i++)
        tl_console_problem(out, c, &c->problems[i], TL_CONSOLE_PLAIN);
    tl_console_notes(out, c);
    if (c->num_problems > 0 && c->repeat != NULL) {
        fputs("    reproduce with: ", out);
        tl_put_plain_text(out, c->repeat);
        fputc('\n', out);
    }
    return rc != 0 || ferror(out) ? FAL_ERR_IO : 0;
}

int tl_report_case(FILE *out, const struct tl_results *results, const struct tl_case *c)
{
    return tl_report_case_in(out, results, c, false);
}
