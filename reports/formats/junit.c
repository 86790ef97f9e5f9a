/* SPDX-License-Identifier: Apache-2.0
 * junit.c - results as JUnit XML that the readers of Jenkins, GitLab and GitHub take: only
 * elements and attributes that the strictest of them allows, names unique, the message repeated
 * in the text (one reader ignores the attribute). A fail is a <failure>, what broke on our side
 * an <error>; an inconclusive is an <error type="inconclusive">, never childless, for a reader
 * would take it for a pass. */
#include "reports/formats/report.h"

#include "codecs/base/error.h"
#include "reports/causes/causes.h"
#include "reports/results/overview.h"

#include "reports/base/memory_file.h"
#include "reports/base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    tl_put_xml_short(out, text);
    fputc('"', out);
}

/* Seconds with a decimal point, in every locale. */
static void put_time(FILE *out, uint64_t ns)
{
    fprintf(out, " time=\"%" PRIu64 ".%09" PRIu64 "\"", ns / FAL_S, ns % FAL_S);
}

/* The case's text as the console has it. */
static char *console_text(const struct tl_results *results, const struct tl_case *c)
{
    struct tl_memory_file text;

    if (tl_memory_open(&text) == 0)
        /* A text that memory did not suffice for is NULL. */
        FAL_IGNORE(tl_report_case(text.out, results, c));
    /* See above. */
    FAL_IGNORE(tl_memory_close(&text));
    return text.text;
}

/* What a case is written with. */
struct context {
    const struct tl_results *results;
    const struct tl_report_options *options;
    const struct tl_causes *causes;
    size_t number; /* of the case in the results */
};

/* The problem that stands for the case: the one that shows its cause. */
static const struct tl_problem *main_problem(const struct context *x, const struct tl_case *c)
{
    const struct tl_cause *cause = tl_causes_of(x->causes, x->number);

    if (cause != NULL)
        return tl_cause_problem(c, cause);
    return c->num_problems > 0 ? &c->problems[0] : NULL;
}

/* "cause 1: The SUT ...; ", "follows from cause 1; ". */
static void put_cause(FILE *out, const struct context *x)
{
    const struct tl_cause *cause = tl_causes_of(x->causes, x->number);
    char sentence[TL_CAUSE_TEXT];

    if (cause == NULL || (cause->requirement == NULL && !tl_causes_silent(x->causes)))
        return;
    if (cause->follows >= 0)
        fprintf(out, "follows from cause %d; ", cause->follows + 1);
    fprintf(out, "cause %td: ", cause - x->causes->list + 1);
    tl_cause_sentence(cause, sentence);
    tl_put_xml_short(out, sentence);
    fputs(" ", out);
}

/* One sentence: what is wrong, in the words of the problem that shows the cause. */
static void put_message(FILE *out, const struct context *x, const struct tl_case *c)
{
    const struct tl_problem *p = main_problem(x, c);

    fputs(" message=\"", out);
    put_cause(out, x);
    tl_put_xml(out, fal_verdict_name(c->verdict));
    if (c->reason.word != NULL) {
        fputs(": ", out);
        tl_put_xml_short(out, c->reason.word);
    }
    if (p != NULL && p->expected != NULL) {
        fputs("; expected ", out);
        tl_put_xml_short(out, p->expected);
    }
    if (p != NULL && p->seen != NULL) {
        fputs("; seen ", out);
        tl_put_xml_short(out, p->seen);
    }
    fputc('"', out);
}

static void put_child(FILE *out, const struct context *x, const struct tl_case *c,
                      const char *element, const char *type, const char *text)
{
    fprintf(out, "      <%s", element);
    put_attribute(out, "type", type);
    put_message(out, x, c);
    fputc('>', out);
    tl_put_xml(out, text);
    fprintf(out, "</%s>\n", element);
}

/* The requirement of the cause, or the requirement or rule of the first problem. */
static const char *failure_type(const struct context *x, const struct tl_case *c)
{
    const struct tl_cause *cause = tl_causes_of(x->causes, x->number);
    const struct tl_problem *p = c->num_problems > 0 ? &c->problems[0] : NULL;

    if (cause != NULL && cause->requirement != NULL)
        return cause->requirement->id;
    if (p != NULL && p->requirement != NULL)
        return p->requirement->id;
    return p != NULL && p->rule != NULL ? p->rule->id : "fail";
}

/* The directory of the file: readers group by it, and take a point for a level. */
static void put_class(FILE *out, const char *file)
{
    size_t len;
    const char *chapter = tl_overview_chapter(file, &len), *end = chapter + len;

    fputs(" classname=\"talon", out);
    if (len > 0)
        fputc('.', out);
    while (chapter < end) {
        size_t part = strcspn(chapter, ".");

        if (part > (size_t)(end - chapter))
            part = (size_t)(end - chapter);
        tl_put_xml_len(out, chapter, part);
        chapter += part;
        if (chapter < end) {
            fputc('_', out);
            chapter++;
        }
    }
    fputc('"', out);
}

/* How a reader of JUnit classifies a case. */
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
    tl_put_xml_short(out, c->why != NULL ? c->why : "");
    fputs("\">", out);
    tl_put_xml(out, text);
    fputs("</skipped>\n", out);
}

/* Where the case is written down; only some readers allow the attributes. */
static void put_file(FILE *out, const struct tl_case *c, enum tl_junit_flavor flavor)
{
    const struct tl_problem *p = c->num_problems > 0 ? &c->problems[0] : NULL;

    if (flavor == TL_JUNIT_JENKINS)
        return;
    put_attribute(out, "file", c->file);
    if (flavor == TL_JUNIT_RICH && p != NULL && p->line > 0)
        fprintf(out, " line=\"%u\"", p->line);
}

static void put_property(FILE *out, const char *name, const char *value)
{
    fputs("        <property", out);
    put_attribute(out, "name", name);
    put_attribute(out, "value", value);
    fputs("/>\n", out);
}

static void put_case_properties(FILE *out, const struct tl_case *c,
                                const struct tl_report_options *options)
{
    const struct tl_problem *p = c->num_problems > 0 ? &c->problems[0] : NULL;
    char seed[24];

    (void)snprintf(seed, sizeof seed, "0x%016" PRIx64, c->seed);
    fputs("      <properties>\n", out);
    put_property(out, "title", c->title);
    put_property(out, "seed", seed);
    for (size_t i = 0; i < c->num_covers; i++)
        put_property(out, "requirement", c->covers[i]->id);
    if (p != NULL && p->fingerprint[0] != 0)
        put_property(out, "fingerprint", p->fingerprint);
    if (p != NULL && p->waiver != NULL)
        put_property(out, "waiver", p->waiver);
    if (c->repeat != NULL)
        put_property(out, "repeat", c->repeat);
    if (c->evidence != NULL && options->evidence != NULL) {
        fputs("        <property name=\"attachment\" value=\"", out);
        tl_put_xml_short(out, options->evidence);
        tl_put_xml_short(out, c->evidence);
        fputs("/packets.pcapng\"/>\n", out);
    }
    fputs("      </properties>\n", out);
}

/* The earlier attempts of a case that passed in the end. */
static void put_attempts(FILE *out, const struct tl_case *c)
{
    for (size_t i = 0; i + 1 < c->num_attempts; i++) {
        const struct tl_attempt *a = &c->attempts[i];
        bool failed = a->verdict == FAL_VERDICT_FAIL;

        if (a->verdict <= FAL_VERDICT_WARN)
            continue;
        fprintf(out, "      <%s", failed ? "flakyFailure" : "flakyError");
        put_attribute(out, "type", fal_verdict_name(a->verdict));
        put_attribute(out, "message", a->reason.word != NULL ? a->reason.word : "");
        fprintf(out, "/>\n");
    }
}

static void put_output(FILE *out, const struct tl_case *c, enum shape shape, const char *text,
                       const struct tl_report_options *options)
{
    bool attached =
        options->junit == TL_JUNIT_GITLAB && c->evidence != NULL && options->evidence != NULL;

    if (shape != SHAPE_OUTPUT && !attached)
        return;
    fputs("      <system-out>", out);
    if (shape == SHAPE_OUTPUT)
        tl_put_xml(out, text);
    if (attached) {
        fputs("[[ATTACHMENT|", out);
        tl_put_xml_short(out, options->evidence);
        tl_put_xml_short(out, c->evidence);
        fputs("/packets.pcapng]]\n", out);
    }
    fputs("</system-out>\n", out);
}

static int put_case(FILE *out, const struct context *x, const struct tl_case *c)
{
    const struct tl_results *results = x->results;
    const struct tl_report_options *options = x->options;
    char *text = console_text(results, c);
    enum shape shape = shape_of(results, c);

    if (text == NULL)
        return FAL_ERR_MEM;
    fputs("    <testcase", out);
    put_attribute(out, "name", c->id);
    put_class(out, c->file);
    put_file(out, c, options->junit);
    put_time(out, c->duration_ns);
    fputs(">\n", out);
    if (options->junit == TL_JUNIT_RICH)
        put_case_properties(out, c, options);
    switch (shape) {
    case SHAPE_PASS:
    case SHAPE_OUTPUT: put_attempts(out, c); break;
    case SHAPE_SKIPPED: put_skipped(out, c, text); break;
    case SHAPE_FAILURE:
        put_child(out, x, c, "failure",
                  c->disposition == TL_UNEXPECTED_PASS ? "unexpected pass" : failure_type(x, c),
                  text);
        break;
    case SHAPE_ERROR:
        put_child(out, x, c, "error",
                  c->verdict == FAL_VERDICT_ERROR ? "error" : "inconclusive", text);
        break;
    }
    put_output(out, c, shape, text, options);
    fputs("    </testcase>\n", out);
    free(text);
    return 0;
}

enum { SHAPES = SHAPE_ERROR + 1 };

struct counts {
    size_t cases, shaped[SHAPES];
    uint64_t total_ns;
};

static int count(const struct tl_results *results, struct counts *counts)
{
    struct tl_cases it;
    const struct tl_case *c;

    *counts = (struct counts){0};
    tl_cases_begin(&it, results);
    while ((c = tl_cases_next(&it)) != NULL) {
        counts->cases++;
        counts->shaped[shape_of(results, c)]++;
        counts->total_ns += c->duration_ns;
    }
    return it.rc;
}

static void put_counts(FILE *out, const struct counts *counts, bool skipped)
{
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", counts->cases,
            counts->shaped[SHAPE_FAILURE], counts->shaped[SHAPE_ERROR]);
    if (skipped)
        fprintf(out, " skipped=\"%zu\"", counts->shaped[SHAPE_SKIPPED]);
    put_time(out, counts->total_ns);
}

/* Times of cases are of the clock that the link has: on a live link that of the wall. With a
 * stamp, which no two runs have in common, the duration by the wall clock stands beside. */
static void put_clocks(FILE *out, const struct tl_results *results,
                       const struct tl_report_options *options)
{
    fprintf(out, "      <property name=\"clock\" value=\"%s\"/>\n",
            results->live ? "wall" : "virtual");
    if (options->stamp == NULL)
        return;
    fputs("      <property name=\"stamp\"", out);
    put_attribute(out, "value", options->stamp);
    fputs("/>\n", out);
    if (options->wall_ns > 0)
        fprintf(out,
                "      <property name=\"wall_time\" value=\"%" PRIu64 ".%03" PRIu64 "\"/>\n",
                options->wall_ns / FAL_S, options->wall_ns % FAL_S / FAL_MS);
}

static void put_suite(FILE *out, const struct tl_results *results,
                      const struct tl_report_options *options)
{
    fputs(">\n    <properties>\n", out);
    fprintf(out, "      <property name=\"seed\" value=\"%" PRIu64 "\"/>\n", results->seed);
    fputs("      <property name=\"sut\"", out);
    put_attribute(out, "value", results->sut);
    fputs("/>\n      <property name=\"version\"", out);
    put_attribute(out, "value", results->version);
    fputs("/>\n", out);
    put_clocks(out, results, options);
    fputs("    </properties>\n", out);
}

static int put_cases(FILE *out, struct context *x)
{
    struct tl_cases it;
    const struct tl_case *c;
    int rc = 0;

    tl_cases_begin(&it, x->results);
    for (; rc == 0 && (c = tl_cases_next(&it)) != NULL; x->number++)
        rc = put_case(out, x, c);
    tl_cases_end(&it);
    return rc != 0 ? rc : it.rc;
}

int tl_report_junit(FILE *out, const struct tl_results *results,
                    const struct tl_report_options *options)
{
    static const struct tl_report_options plain = {.junit = TL_JUNIT_JENKINS};
    struct tl_causes *own = NULL;
    struct context x = {results, options != NULL ? options : &plain, NULL, 0};
    struct counts counts;
    int rc = count(results, &counts);

    if (rc == 0)
        rc = tl_causes_use(results, x.options->causes, &own, &x.causes);
    if (rc == 0) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
        put_counts(out, &counts, false);
        fputs(">\n  <testsuite name=\"talon\"", out);
        put_counts(out, &counts, true);
        put_suite(out, results, x.options);
        rc = put_cases(out, &x);
        fputs("  </testsuite>\n</testsuites>\n", out);
    }
    tl_causes_drop(own);
    return rc == 0 && ferror(out) ? FAL_ERR_IO : rc;
}
