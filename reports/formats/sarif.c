/* SPDX-License-Identifier: Apache-2.0
 * sarif.c - results as SARIF 2.1.0: rules are requirements, each cause is a result at the step
 * of its simplest case, with the packets as its flow and its other cases as related locations.
 * A problem of a case without a cause, such as one that was waived and is suppressed, is a
 * result of its own. An error of the test bench is a notification of the tool, not a result. */
#include "reports/base/memory_file.h"
#include "reports/base/utf8.h"
#include "reports/causes/causes.h"
#include "reports/formats/report.h"
#include "reports/formats/sarif_rules.h"

#include "oracles/payload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESULTS_MAX = 25000, /* that a reader takes */
    MESSAGE_MAX = 1000,  /* bytes */
    FLOW_MAX = 40,
    RELATED_MAX = 100, /* that a reader shows */
};

static void put(FILE *out, const char *text)
{
    fputc('"', out);
    tl_put_json_string(out, text, MESSAGE_MAX);
    fputc('"', out);
}

/* A path as a URI reference; a relative one is taken from the root of the sources. */
static void put_uri(FILE *out, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

    fputs(path[0] == '/' ? "\"file://" : "\"", out);
    for (size_t i = 0; i < MESSAGE_MAX && path[i] != 0; i++) {
        if (strchr(plain, path[i]) != NULL)
            fputc(path[i], out);
        else
            fprintf(out, "%%%02X", (unsigned char)path[i]);
    }
    fputc('"', out);
}

/* The line of the step, or, of a rule whose packets no step sent, of the step in which the case
 * noticed something; 1: none. */
static unsigned line_of(const struct tl_case *c, const struct tl_problem *p)
{
    unsigned line = p->line;

    for (size_t i = 0; i < c->num_problems && line == 0; i++)
        line = c->problems[i].line;
    return line > 0 ? line : 1;
}

/* The members of a location, without its braces. */
static void put_place(FILE *out, const struct tl_case *c, const struct tl_problem *p)
{
    fputs("\"physicalLocation\": {\"artifactLocation\": {\"uri\": ", out);
    put_uri(out, c->file);
    fprintf(
        out,
        "}, \"region\": {\"startLine\": %u, \"startColumn\": 1, \"endLine\": %u, \"endColumn\": 2}}",
        line_of(c, p), line_of(c, p));
}

static void put_message(FILE *out, const struct tl_case *c, const struct tl_problem *p,
                        const struct tl_cause *cause)
{
    char sentence[TL_CAUSE_TEXT];

    fputs("{\"text\": \"", out);
    if (cause != NULL) {
        tl_cause_sentence(cause, sentence);
        tl_put_json_string(out, sentence, MESSAGE_MAX);
        fprintf(out, " %zu case%s; the simplest: ", cause->cases, cause->cases == 1 ? "" : "s");
    }
    tl_put_json_string(out, c->id, 200);
    fputs(": ", out);
    tl_put_json_string(out, p->rule != NULL ? p->rule->title : p->reason.word, 200);
    if (p->expected != NULL) {
        fputs("; expected ", out);
        tl_put_json_string(out, p->expected, MESSAGE_MAX);
    }
    if (p->seen != NULL) {
        fputs("; seen ", out);
        tl_put_json_string(out, p->seen, MESSAGE_MAX);
    }
    if (p->why != NULL) {
        fputs("; ", out);
        tl_put_json_string(out, p->why, MESSAGE_MAX);
    }
    fputs("\"}", out);
}

/* Of an open question no level is said. */
static const char *level(enum fal_verdict verdict)
{
    switch (verdict) {
    case FAL_VERDICT_WARN: return "warning";
    case FAL_VERDICT_FAIL:
    case FAL_VERDICT_ERROR: return "error";
    case FAL_VERDICT_NONE:
    case FAL_VERDICT_PASS:
    case FAL_VERDICT_INCONC: break;
    }
    return "none";
}

/* The packets, in order. */
static void put_flow(FILE *out, const struct tl_case *c, const struct tl_problem *p)
{
    if (p->num_ladder == 0)
        return;
    fputs(",\n     \"codeFlows\": [{\"threadFlows\": [{\"locations\": [", out);
    for (size_t i = 0; i < p->num_ladder && i < FLOW_MAX; i++) {
        fprintf(out, "%s\n      {\"importance\": \"%s\", \"location\": ", i > 0 ? "," : "",
                p->ladder[i].marked ? "essential" : "important");
        fputc('{', out);
        put_place(out, c, p);
        fputs(", \"message\": {\"text\": ", out);
        put(out, p->ladder[i].text);
        fputs("}}}", out);
    }
    fputs("]}]}]", out);
}

static void put_suppression(FILE *out, const struct tl_case *c, const struct tl_problem *p)
{
    if (p->waiver == NULL && tl_case_counts(c) != FAL_VERDICT_NONE)
        return;
    fputs(",\n     \"suppressions\": [{\"kind\": \"external\", \"justification\": \"", out);
    tl_put_json_string(out, tl_disposition_name(c->disposition), 40);
    if (p->waiver != NULL || c->why != NULL) {
        fputs(": ", out);
        tl_put_json_string(out, p->waiver != NULL ? p->waiver : c->why, MESSAGE_MAX);
    }
    fputs("\"}]", out);
}

/* The same failure of two cases of a scenario is two alerts; a cause is one, whichever case
 * shows it. A requirement, or a reason where there is none, is a cause only once in a run. */
static void put_fingerprints(FILE *out, const struct tl_case *c, const struct tl_problem *p,
                             const struct tl_cause *cause)
{
    uint64_t hash = fal_payload_hash((const uint8_t *)c->id, strlen(c->id));

    if (cause != NULL) {
        const char *id =
            cause->requirement != NULL ? cause->requirement->id : tl_sarif_rule_id(p);

        hash = fal_payload_hash((const uint8_t *)id, strlen(id));
        fprintf(out,
                ",\n     \"partialFingerprints\": {\"talonCause/v1\": \"%016" PRIx64
                "\", \"primaryLocationLineHash\": \"%016" PRIx64 ":%d\"}",
                hash, hash, (int)cause->verdict);
        return;
    }
    fprintf(
        out,
        ",\n     \"partialFingerprints\": {\"talonFailure/v1\": \"%s\", \"primaryLocationLineHash\": \"%s%08" PRIx64
        ":1\"}",
        p->fingerprint[0] != 0 ? p->fingerprint : "0", p->fingerprint, hash & 0xffffffff);
}

/* What a result is written with. */
struct context {
    const struct tl_sarif_rules *rules;
    const struct tl_causes *causes;
    size_t number;        /* of the case in the results */
    struct group *groups; /* by cause */
};

/* A result that grows while the writer goes through the cases of its cause. */
struct group {
    size_t head; /* number of the case that stands for it */
    bool named;  /* it is the simplest one */
    size_t others;
    struct tl_memory_file result, related;
};

/* Whether an independent cause shows the violation; else the result is a note. */
static bool is_root(const struct context *x, const struct tl_problem *p)
{
    const struct fal_requirement *blames = tl_problem_blames(p);

    return p->verdict != FAL_VERDICT_FAIL || blames == NULL ||
           tl_causes_broken(x->causes, blames);
}

static void put_cause(FILE *out, const struct context *x)
{
    const struct tl_cause *cause = tl_causes_of(x->causes, x->number);

    if (cause == NULL)
        return;
    fprintf(out, ", \"cause\": %td", cause - x->causes->list + 1);
    if (cause->follows >= 0)
        fprintf(out, ", \"followsFrom\": %d", cause->follows + 1);
}

/* A result without its last brace. `cause`: it stands for the whole cause; or NULL. */
static void put_result(FILE *out, const struct tl_case *c, const struct tl_problem *p,
                       const struct context *x, const struct tl_cause *cause)
{
    struct tl_problem shown = tl_sarif_shown(p, cause);
    bool note = cause != NULL ? cause->follows >= 0 : !is_root(x, p);

    fputs("\n    {\"ruleId\": ", out);
    put(out, tl_sarif_rule_id(&shown));
    fprintf(
        out, ", \"ruleIndex\": %zu, \"kind\": \"%s\", \"level\": \"%s\",\n     \"message\": ",
        tl_sarif_rule_index(x->rules, &shown),
        p->verdict == FAL_VERDICT_INCONC ? "open" : "fail", note ? "note" : level(p->verdict));
    put_message(out, c, p, cause);
    fputs(",\n     \"locations\": [{", out);
    put_place(out, c, p);
    fputs("}]", out);
    put_fingerprints(out, c, p, cause);
    put_flow(out, c, p);
    put_suppression(out, c, p);
    fputs(",\n     \"properties\": {\"case\": ", out);
    put(out, c->id);
    fprintf(out, ", \"verdict\": \"%s\", \"reason\": ", fal_verdict_name(p->verdict));
    put(out, p->reason.word);
    put_cause(out, x);
    if (c->repeat != NULL) {
        fputs(", \"repeat\": ", out);
        put(out, c->repeat);
    }
    fputc('}', out);
    if (cause != NULL)
        fprintf(out, ",\n     \"occurrenceCount\": %zu", cause->cases);
}

/* ---- causes ---- */

/* Which case stands for each cause: the simplest one, or else the first. */
static int find_heads(const struct tl_results *results, struct context *x)
{
    struct tl_cases it;
    const struct tl_case *c;
    size_t number = 0;

    for (size_t i = 0; i < x->causes->count; i++)
        x->groups[i].head = SIZE_MAX;
    tl_cases_begin(&it, results);
    for (; (c = tl_cases_next(&it)) != NULL; number++) {
        const struct tl_cause *cause = tl_causes_of(x->causes, number);
        struct group *group = cause != NULL ? &x->groups[cause - x->causes->list] : NULL;
        bool named =
            group != NULL && cause->num_examples > 0 && strcmp(cause->examples[0], c->id) == 0;

        if (group != NULL && (group->head == SIZE_MAX || (named && !group->named))) {
            group->head = number;
            group->named = named;
        }
    }
    tl_cases_end(&it);
    return it.rc;
}

/* Another case of the cause. */
static void put_related(struct group *group, const struct tl_case *c,
                        const struct tl_problem *p)
{
    FILE *out = group->related.out;

    if (group->others++ >= RELATED_MAX)
        return;
    fputs(group->others > 1 ? ",\n      {" : "\n      {", out);
    put_place(out, c, p);
    fputs(", \"message\": {\"text\": ", out);
    put(out, c->id);
    fputs("}}", out);
}

/* The problem by which the case is one of its cause; NULL: it has no cause, or the cause is no
 * result. */
static const struct tl_problem *problem_of_group(const struct tl_case *c,
                                                 const struct context *x)
{
    const struct tl_cause *cause = tl_causes_of(x->causes, x->number);
    const struct tl_problem *p = cause != NULL ? tl_cause_problem(c, cause) : NULL;

    return p != NULL && tl_sarif_is_result(p) ? p : NULL;
}

static void put_in_group(const struct tl_case *c, const struct context *x)
{
    const struct tl_cause *cause = tl_causes_of(x->causes, x->number);
    const struct tl_problem *p = problem_of_group(c, x);
    struct group *group = p != NULL ? &x->groups[cause - x->causes->list] : NULL;

    if (group == NULL)
        return;
    if (group->head == x->number)
        put_result(group->result.out, c, p, x, cause);
    else
        put_related(group, c, p);
}

/* Writes and closes what was collected. 0, or FAL_ERR_MEM. */
static int put_group(FILE *out, struct group *group, size_t *told)
{
    int result = tl_memory_close(&group->result), related = tl_memory_close(&group->related);

    if (result == 0 && related == 0 && group->result.len > 0) {
        fprintf(out, "%s%s", (*told)++ > 0 ? "," : "", group->result.text);
        if (group->others > 0)
            fprintf(out, ",\n     \"relatedLocations\": [%s]", group->related.text);
        fputc('}', out);
    }
    free(group->result.text);
    free(group->related.text);
    return result != 0 ? result : related;
}

/* The results of the causes, in their order. */
static int put_causes(FILE *out, const struct tl_results *results, struct context *x,
                      size_t *told)
{
    size_t n = x->causes->count;
    struct tl_cases it;
    const struct tl_case *c;
    int rc = 0;

    x->groups = calloc(n + 1, sizeof *x->groups);
    if (x->groups == NULL)
        return FAL_ERR_MEM;
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = tl_memory_open(&x->groups[i].result);
        if (rc == 0)
            rc = tl_memory_open(&x->groups[i].related);
    }
    if (rc == 0)
        rc = find_heads(results, x);
    tl_cases_begin(&it, results);
    for (; rc == 0 && (c = tl_cases_next(&it)) != NULL; x->number++)
        put_in_group(c, x);
    tl_cases_end(&it);
    for (size_t i = 0; i < n; i++) {
        int closed = put_group(out, &x->groups[i], told);

        rc = rc != 0 ? rc : closed;
    }
    free(x->groups);
    x->groups = NULL;
    return rc != 0 ? rc : it.rc;
}

/* ---- the run ---- */

static int put_results(FILE *out, const struct tl_results *results, struct context *x,
                       size_t *left_out)
{
    struct tl_cases it;
    const struct tl_case *c;
    size_t told = 0;
    int rc;

    *left_out = 0;
    if (tl_causes_silent(x->causes))
        return 0;
    rc = put_causes(out, results, x, &told);
    if (rc != 0)
        return rc;
    x->number = 0;
    tl_cases_begin(&it, results);
    for (; (c = tl_cases_next(&it)) != NULL; x->number++) {
        if (problem_of_group(c, x) != NULL)
            continue;
        for (size_t i = 0; i < c->num_problems; i++) {
            const struct tl_problem *p = &c->problems[i];

            if (!tl_sarif_is_result(p))
                continue;
            if (told == RESULTS_MAX) {
                (*left_out)++;
                continue;
            }
            fputs(told++ > 0 ? "," : "", out);
            put_result(out, c, p, x, NULL);
            fputc('}', out);
        }
    }
    return it.rc;
}

static void put_notification(FILE *out, bool *first, const struct tl_case *c,
                             const struct tl_problem *p)
{
    fprintf(out,
            "%s\n     {\"level\": \"error\", \"descriptor\": {\"id\": ", *first ? "" : ",");
    put(out, p->reason.word);
    fputs("}, \"message\": ", out);
    put_message(out, c, p, NULL);
    fputs(", \"locations\": [{", out);
    put_place(out, c, p);
    fputs("}]}", out);
    *first = false;
}

/* The SUT sent no packet: a notification in place of a result for each case. */
static void put_silence(FILE *out, bool *first, const struct tl_causes *causes)
{
    char sentence[TL_CAUSE_TEXT];

    if (!tl_causes_silent(causes))
        return;
    tl_cause_sentence(&causes->list[0], sentence);
    fprintf(out,
            "%s\n     {\"level\": \"error\", \"descriptor\": {\"id\": \"%s\"}, "
            "\"message\": {\"text\": ",
            *first ? "" : ",", tl_reason_word(TL_REASON_SILENT));
    put(out, sentence);
    fputs("}}", out);
    *first = false;
}

/* How the run itself went. */
static int put_invocation(FILE *out, const struct tl_results *results,
                          const struct tl_causes *causes, size_t left_out)
{
    struct tl_tally tally;
    struct tl_cases it;
    const struct tl_case *c;
    bool first = true;
    size_t told = 0;
    int rc = tl_results_tally(results, &tally, NULL);

    if (rc != 0)
        return rc;
    fprintf(out,
            "   \"invocations\": [{\"executionSuccessful\": %s, \"exitCode\": %d,\n"
            "    \"toolExecutionNotifications\": [",
            tally.worst == FAL_VERDICT_ERROR || results->interrupted ? "false" : "true",
            results->status);
    if (left_out > 0) {
        fprintf(
            out,
            "\n     {\"level\": \"warning\", \"message\": {\"text\": \"%zu results were left out: SARIF readers limit their number\"}}",
            left_out);
        first = false;
    }
    put_silence(out, &first, causes);
    tl_cases_begin(&it, results);
    while (tally.ended[FAL_VERDICT_ERROR] > 0 && (c = tl_cases_next(&it)) != NULL)
        for (size_t i = 0; i < c->num_problems && told < RESULTS_MAX; i++)
            if (c->problems[i].verdict == FAL_VERDICT_ERROR) {
                put_notification(out, &first, c, &c->problems[i]);
                told++;
            }
    tl_cases_end(&it);
    fputs("]}]\n", out);
    return it.rc;
}

/* A shard must not replace another's alerts. */
static void put_category(FILE *out, const struct tl_results *results)
{
    fputs("   \"automationDetails\": {\"id\": \"talon/", out);
    if (results->profile != NULL) {
        tl_put_json_string(out, results->profile, 100);
        fputc('/', out);
    }
    if (results->shard > 0)
        fprintf(out, "shard-%u-of-%u/", results->shard, results->shards);
    fputs("\"},\n", out);
}

static int put_run(FILE *out, const struct tl_results *results, struct context *x)
{
    size_t left_out = 0;
    int rc;

    fputs(
        "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
        " \"version\": \"2.1.0\",\n \"runs\": [\n  {\"tool\": {\"driver\": {\"name\": \"talon\", \"version\": ",
        out);
    put(out, results->version);
    fputs(",\n    \"rules\": [", out);
    tl_sarif_rules_put(out, x->rules);
    fputs("]}},\n   \"columnKind\": \"unicodeCodePoints\",\n", out);
    put_category(out, results);
    fputs("   \"properties\": {\"sut\": ", out);
    put(out, results->sut);
    fprintf(out, ", \"seed\": \"%" PRIu64 "\"},\n   \"results\": [", results->seed);
    rc = put_results(out, results, x, &left_out);
    fputs("],\n", out);
    if (rc == 0)
        rc = put_invocation(out, results, x->causes, left_out);
    fputs("  }\n ]\n}\n", out);
    return rc;
}

int tl_report_sarif(FILE *out, const struct tl_results *results,
                    const struct tl_report_options *options)
{
    struct tl_causes *own = NULL;
    struct tl_sarif_rules rules = {.count = 0};
    struct context x = {.rules = &rules};
    int rc = tl_causes_use(results, options != NULL ? options->causes : NULL, &own, &x.causes);

    if (rc == 0)
        rc = tl_sarif_rules_gather(&rules, results, x.causes);
    if (rc == 0)
        rc = put_run(out, results, &x);
    tl_sarif_rules_free(&rules);
    tl_causes_drop(own);
    return rc == 0 && ferror(out) ? FAL_ERR_IO : rc;
}
