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
    const char *end = strrchr(file, '/'), *begin = end;

    while (begin != NULL && begin > file && begin[-1] != '/')
        begin--;
    fputs(" classname=\"talon", out);
    if (begin != NULL && begin != end) {
        fputc('.', out);
        for (; begin < end; begin++) {
            char one[2] = {*begin == '.' ? '_' : *begin, 0};

            put_text(out, one);
        }
    }
    fputc('"', out);
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
    switch (c->verdict) {
    case FAL_VERDICT_PASS: break;
    case FAL_VERDICT_WARN:
        fputs("      <system-out>", out);
        put_text(out, text);
        fputs("</system-out>\n", out);
        break;
    case FAL_VERDICT_FAIL: put_child(out, c, "failure", failure_type(c), text); break;
    case FAL_VERDICT_NONE:
    case FAL_VERDICT_INCONC: put_child(out, c, "error", "inconclusive", text); break;
    case FAL_VERDICT_ERROR: put_child(out, c, "error", "error", text); break;
    }
    fputs("    </testcase>\n", out);
    free(text);
    return 0;
}

static void put_counts(FILE *out, const struct tl_results *results)
{
    uint64_t total = 0;
    size_t failures = tl_results_count(results, FAL_VERDICT_FAIL);
    size_t errors = tl_results_count(results, FAL_VERDICT_ERROR) +
                    tl_results_count(results, FAL_VERDICT_INCONC) +
                    tl_results_count(results, FAL_VERDICT_NONE);

    for (size_t i = 0; i < results->num_cases; i++)
        total += results->cases[i].duration_ns;
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", results->num_cases, failures,
            errors);
    put_time(out, total);
}

int tl_report_junit(FILE *out, const struct tl_results *results)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
    put_counts(out, results);
    fputs(">\n  <testsuite name=\"talon\"", out);
    put_counts(out, results);
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
