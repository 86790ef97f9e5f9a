/* SPDX-License-Identifier: Apache-2.0
 * junit.c - results as JUnit XML that the readers of Jenkins, GitLab and GitHub take: only
 * elements and attributes that the strictest of them allows, names unique, the message repeated
 * in the text (one reader ignores the attribute). A fail is a <failure>, what broke on our side
 * an <error>; an inconclusive is an <error type="inconclusive">, never childless, for a reader
 * would take it for a pass. */
#include "reports/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* XML 1.0 has no control characters, escaped or not. */
static void put_text(FILE *out, const char *text)
{
    for (; *text != 0; text++) {
        unsigned char c = (unsigned char)*text;

        switch (c) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\n':
        case '\t': fputc(c, out); break;
        default: fputc(c < ' ' || c >= 0x7f ? '?' : c, out); break;
        }
    }
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    put_text(out, text);
    fputc('"', out);
}

/* Seconds with a point, whatever the locale. */
static void put_time(FILE *out, uint64_t ns)
{
    fprintf(out, " time=\"%" PRIu64 ".%09" PRIu64 "\"", ns / FAL_S, ns % FAL_S);
}

/* The case's text as the console has it. */
static char *console_text(const struct tl_results *results, const struct tl_case *c)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL)
        return NULL;
    (void)tl_report_case(out, results, c);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* One sentence: what is wrong, in the words of the first problem. */
static void put_message(FILE *out, const struct tl_case *c)
{
    const struct tl_problem *p = c->num_problems > 0 ? &c->problems[0] : NULL;

    fputs(" message=\"", out);
    put_text(out, fal_verdict_name(c->verdict));
    if (c->reason != NULL) {
        fputs(": ", out);
        put_text(out, c->reason);
    }
    if (p != NULL && p->expected != NULL) {
        fputs("; expected ", out);
        put_text(out, p->expected);
    }
    if (p != NULL && p->seen != NULL) {
        fputs("; seen ", out);
        put_text(out, p->seen);
    }
    fputc('"', out);
}

static void put_child(FILE *out, const struct tl_case *c, const char *element, const char *type,
                      const char *text)
{
    fprintf(out, "      <%s", element);
    put_attribute(out, "type", type);
    put_message(out, c);
    fputc('>', out);
    put_text(out, text);
    fprintf(out, "</%s>\n", element);
}

/* The rule or requirement that a failure is filed under. */
static const char *failure_type(const struct tl_case *c)
{
    const struct tl_problem *p = c->num_problems > 0 ? &c->problems[0] : NULL;

    if (p != NULL && p->requirement != NULL)
        return p->requirement->id;
    return p != NULL && p->rule != NULL ? p->rule->id : "fail";
}

/* The directory of the file: readers group by it. */
static void put_class(FILE *out, const char *file)
{
    size_t len;
    const char *chapter = tl_report_chapter(file, &len);

    fputs(" classname=\"talon", out);
    if (len > 0)
        fputc('.', out);
    for (size_t i = 0; i < len; i++) {
        char one[2] = {chapter[i] == '.' ? '_' : chapter[i], 0};

        put_text(out, one);
    }
    fputc('"', out);
}

/* What a reader of JUnit takes a case for. */
enum shape { SHAPE_PASS, SHAPE_OUTPUT, SHAPE_SKIPPED, SHAPE_FAILURE, SHAPE_ERROR };

static enum shape shape_of(const struct tl_results *results, const struct tl_case *c)
{
    switch (c->disposition) {
    case TL_NOT_APPLICABLE:
    case TL_SKIPPED:
    case TL_NOT_RUN:
    case TL_WAIVED:
    case TL_EXPECTED_FAILURE:
    case TL_FLAKY: return SHAPE_SKIPPED;
    case TL_UNEXPECTED_PASS: return results->strict ? SHAPE_FAILURE : SHAPE_OUTPUT;
    case TL_RAN: break;
    }
    switch (c->verdict) {
    case FAL_VERDICT_PASS: return SHAPE_PASS;
    case FAL_VERDICT_WARN: return SHAPE_OUTPUT;
    case FAL_VERDICT_FAIL: return SHAPE_FAILURE;
    case FAL_VERDICT_NONE:
    case FAL_VERDICT_INCONC:
    case FAL_VERDICT_ERROR: break;
    }
    return SHAPE_ERROR;
}

static void put_skipped(FILE *out, const struct tl_case *c, const char *text)
{
    fputs("      <skipped", out);
    put_attribute(out, "type", tl_disposition_name(c->disposition));
    fprintf(out, " message=\"%s%s", tl_disposition_name(c->disposition),
            c->why != NULL ? ": " : "");
    put_text(out, c->why != NULL ? c->why : "");
    fputs("\">", out);
    put_text(out, text);
    fputs("</skipped>\n", out);
}

static int put_case(FILE *out, const struct tl_results *results, const struct tl_case *c)
{
    char *text = console_text(results, c);

    if (text == NULL)
        return FAL_ERR_MEM;
    fputs("    <testcase", out);
    put_attribute(out, "name", c->id);
    put_class(out, c->file);
    put_time(out, c->duration_ns);
    fputs(">\n", out);
    switch (shape_of(results, c)) {
    case SHAPE_PASS: break;
    case SHAPE_OUTPUT:
        fputs("      <system-out>", out);
        put_text(out, text);
        fputs("</system-out>\n", out);
        break;
    case SHAPE_SKIPPED: put_skipped(out, c, text); break;
    case SHAPE_FAILURE:
        put_child(out, c, "failure",
                  c->disposition == TL_UNEXPECTED_PASS ? "unexpected pass" : failure_type(c),
                  text);
        break;
    case SHAPE_ERROR:
        put_child(out, c, "error", c->verdict == FAL_VERDICT_ERROR ? "error" : "inconclusive",
                  text);
        break;
    }
    fputs("    </testcase>\n", out);
    free(text);
    return 0;
}

static size_t shaped(const struct tl_results *results, enum shape shape)
{
    size_t n = 0;

    for (size_t i = 0; i < results->num_cases; i++)
        n += shape_of(results, &results->cases[i]) == shape;
    return n;
}

static void put_counts(FILE *out, const struct tl_results *results, bool skipped)
{
    uint64_t total = 0;

    for (size_t i = 0; i < results->num_cases; i++)
        total += results->cases[i].duration_ns;
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", results->num_cases,
            shaped(results, SHAPE_FAILURE), shaped(results, SHAPE_ERROR));
    if (skipped)
        fprintf(out, " skipped=\"%zu\"", shaped(results, SHAPE_SKIPPED));
    put_time(out, total);
}

int tl_report_junit(FILE *out, const struct tl_results *results)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
    put_counts(out, results, false);
    fputs(">\n  <testsuite name=\"talon\"", out);
    put_counts(out, results, true);
    fputs(">\n    <properties>\n", out);
    fprintf(out, "      <property name=\"seed\" value=\"%" PRIu64 "\"/>\n", results->seed);
    fputs("      <property name=\"sut\"", out);
    put_attribute(out, "value", results->sut);
    fputs("/>\n      <property name=\"version\"", out);
    put_attribute(out, "value", results->version);
    fputs("/>\n    </properties>\n", out);
    for (size_t i = 0; i < results->num_cases; i++)
        if (put_case(out, results, &results->cases[i]) != 0)
            return FAL_ERR_MEM;
    fputs("  </testsuite>\n</testsuites>\n", out);
    return ferror(out) ? FAL_ERR_IO : 0;
}
