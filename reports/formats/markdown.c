/* SPDX-License-Identifier: Apache-2.0
 * markdown.c - results for the summary of a CI job: the verdict in the first line, then the
 * causes, each with its simplest case. What is left out is counted. Texts are code, or their
 * signs of Markdown are character references, so that none of them is markup. */
#include "reports/base/memory_file.h"
#include "reports/base/utf8.h"
#include "reports/causes/causes.h"
#include "reports/formats/report.h"
#include "reports/results/diff.h"
#include "reports/results/overview.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A comment of GitHub and a job summary of others take 65,536 characters. */
enum {
    BLOCKS = 10,  /* causes that are shown */
    LISTED = 100, /* cases that are listed in a line */
    ROOM =
        40 << 10, /* bytes of causes with their examples; beyond that there are no examples */
    SHORT = 600,  /* bytes of a text */
};

static void put(FILE *out, const char *text)
{
    tl_put_markdown(out, text, SHORT);
}

static void put_code(FILE *out, const char *text)
{
    tl_put_markdown_code(out, text, SHORT, false);
}

static void put_cell(FILE *out, const char *text)
{
    tl_put_markdown_code(out, text, SHORT, true);
}

static const char *sign(enum fal_verdict verdict)
{
    switch (verdict) {
    case FAL_VERDICT_PASS: return "✅";
    case FAL_VERDICT_WARN: return "⚠️";
    case FAL_VERDICT_INCONC: return "❓";
    case FAL_VERDICT_FAIL: return "❌";
    case FAL_VERDICT_ERROR: return "🛑";
    case FAL_VERDICT_NONE: break;
    }
    return "➖";
}

static void put_row(FILE *out, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(out, "| %s | ", name);
    put_cell(out, text);
    fputs(" |\n", out);
}

static void put_changes(FILE *out, const size_t *changes)
{
    const char *between = "**Since the other run:** ";

    if (changes == NULL)
        return;
    for (int i = 0; i < TL_CHANGES; i++) {
        if (changes[i] == 0)
            continue;
        fprintf(out, "%s%zu × %s", between, changes[i], tl_change_name((enum tl_change)i));
        between = ", ";
    }
    fprintf(out, "%s\n\n", *between == '*' ? "**Since the other run** no case changed" : "");
}

static void put_head(FILE *out, const struct tl_results *results, const struct tl_tally *t,
                     const struct tl_report_options *options)
{
    enum fal_verdict verdict = tl_tally_verdict(t, results);

    fprintf(out, "# %s Talon: %s\n\n", sign(verdict),
            verdict == FAL_VERDICT_NONE ? "no case counts" : fal_verdict_name(verdict));
    fprintf(
        out,
        "**%zu cases: %zu failed, %zu in error, %zu inconclusive, %zu with a warning, %zu passed**",
        t->cases, t->counted[FAL_VERDICT_FAIL], t->counted[FAL_VERDICT_ERROR],
        t->counted[FAL_VERDICT_INCONC], t->counted[FAL_VERDICT_WARN],
        t->counted[FAL_VERDICT_PASS]);
    for (int d = TL_NOT_APPLICABLE; d <= TL_FLAKY; d++)
        if (t->disposed[d] > 0)
            fprintf(out, ", %zu %s", t->disposed[d],
                    tl_disposition_name((enum tl_disposition)d));
    if (results->interrupted)
        fputs("; the run was interrupted", out);
    fputs("\n\n", out);
    put_changes(out, options->changes);
    fputs("| | |\n|---|---|\n", out);
    put_row(out, "SUT", results->sut);
    put_row(out, "reported identity", results->product);
    put_row(out, "profile", results->profile);
    put_row(out, "when", options->stamp);
    fprintf(out, "| seed | %" PRIu64 " |\n", results->seed);
    put_row(out, "talon", results->version);
    if (results->shards > 0 && results->shard > 0)
        fprintf(out, "| shard | %u of %u |\n", results->shard, results->shards);
    fputc('\n', out);
}

/* What was learned because nobody declared it, and what that costs. */
static void put_learned(FILE *out, const struct tl_results *results)
{
    char line[TL_LEARNED_LINE];
    size_t n = 0;

    for (; tl_learned_line(&results->learned, n, line); n++) {
        fputs("- ", out);
        put(out, line);
        fputc('\n', out);
    }
    if (results->num_weak > 0)
        fputs("- rules that decided less because of it:", out);
    for (size_t i = 0; i < results->num_weak; i++) {
        fputc(' ', out);
        put(out, results->weak[i].rule->id);
    }
    if (results->num_weak > 0)
        fputc('\n', out);
    if (n > 0)
        fputc('\n', out);
}

/* Rules that decide nothing with the values of the SUT, where a case has no other ones. */
static void put_ratios(FILE *out, const struct tl_results *results)
{
    for (size_t i = 0; i < results->num_low; i++) {
        fputs("- rule ", out);
        put(out, results->low[i].rule->id);
        fputs(" is below its ratio, where a case has no values of its own: ", out);
        put(out, results->low[i].why);
        fputc('\n', out);
    }
    for (size_t i = 0; i < results->num_costly; i++) {
        fputs("- declared value: ", out);
        put(out, results->costly[i].why);
        fputc('\n', out);
    }
    if (results->num_low + results->num_costly > 0)
        fputc('\n', out);
}

/* The path, and rules that excused too much by losses. */
static void put_suspects(FILE *out, const struct tl_overview *overview)
{
    char text[TL_SPENT_TEXT];

    if (tl_path_text(overview->path, text))
        fprintf(out, "- %s\n%s", text, overview->num_suspects == 0 ? "\n" : "");
    for (size_t i = 0; i < overview->num_suspects; i++) {
        tl_spent_text(&overview->suspects[i], text);
        fputs("- ", out);
        put(out, text);
        fputs(i + 1 < overview->num_suspects ? "\n" : "\n\n", out);
    }
}

static void put_groups(FILE *out, const char *title, const struct tl_groups *groups)
{
    if (groups->count < 2)
        return;
    fprintf(out,
            "| %s | cases | passed | warning | failed | inconclusive | error | other |\n"
            "|---|---:|---:|---:|---:|---:|---:|---:|\n",
            title);
    for (size_t i = 0; i < groups->count; i++) {
        const struct tl_group *g = &groups->list[i];

        fputs("| ", out);
        put(out, g->name);
        fprintf(out, " | %zu | %zu | %zu | %zu | %zu | %zu | %zu |\n", g->cases,
                g->counted[FAL_VERDICT_PASS], g->counted[FAL_VERDICT_WARN],
                g->counted[FAL_VERDICT_FAIL], g->counted[FAL_VERDICT_INCONC],
                g->counted[FAL_VERDICT_ERROR], g->counted[FAL_VERDICT_NONE]);
    }
    fputc('\n', out);
}

static void put_line(FILE *out, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(out, "%-11s ", name);
    tl_put_markdown_line(out, text, SHORT);
    fputc('\n', out);
}

static void put_problem(FILE *out, const struct tl_case *c, const struct tl_problem *p)
{
    fprintf(out, "%s **%s**", sign(p->verdict), fal_verdict_name(p->verdict));
    if (p->rule != NULL) {
        fputs(", rule ", out);
        put(out, p->rule->id);
    } else {
        fputs(", ", out);
        put(out, p->reason.word);
    }
    if (p->step >= 0) {
        fprintf(out, ", step %" PRId32 " (", p->step + 1);
        put(out, c->file);
        fprintf(out, ":%u)", p->line);
    }
    if (p->requirement != NULL) {
        fputs("<br>\n**", out);
        put(out, p->requirement->id);
        fputs("** ", out);
        put(out, p->requirement->text);
    }
    fputs("\n\n```text\n", out);
    put_line(out, "expected", p->expected);
    put_line(out, "seen", p->seen);
    put_line(out, "because", p->why);
    for (size_t i = 0; i < p->num_ladder; i++)
        put_line(out, p->ladder[i].marked ? "packets   *" : "packets", p->ladder[i].text);
    put_line(out, "fingerprint", p->fingerprint[0] != 0 ? p->fingerprint : NULL);
    put_line(out, "waiver", p->waiver);
    fputs("```\n", out);
}

/* The simplest case of a cause, with the problem that shows it. */
static void put_example(FILE *out, const struct tl_case *c, const struct tl_cause *cause)
{
    const struct tl_problem *p = tl_cause_problem(c, cause);

    fputs("<details><summary>Simplest case: <code>", out);
    put(out, c->id);
    fputs("</code> ", out);
    put(out, c->title);
    if (c->connection != NULL)
        fprintf(out, " (connection %s)", c->connection);
    else if (c->copy > 0)
        fprintf(out, " (copy %u of %u)", c->copy, c->copies);
    fputs("</summary>\n\n", out);
    if (p != NULL)
        put_problem(out, c, p);
    if (c->repeat != NULL) {
        fputs("\nReproduce with: ", out);
        put_code(out, c->repeat);
        fputc('\n', out);
    }
    fputs("\n</details>\n\n", out);
}

static void put_cause(FILE *out, const struct tl_cause *cause, size_t number)
{
    char sentence[TL_CAUSE_TEXT];

    tl_cause_sentence(cause, sentence);
    fprintf(out, "%zu. %s ", number, sign(cause->verdict));
    if (cause->follows >= 0)
        fprintf(out, "follows from %d: ", cause->follows + 1);
    if (cause->requirement != NULL) {
        fputs("**", out);
        put(out, cause->requirement->id);
        fputs("**, ", out);
    }
    fprintf(out, "%zu case%s. ", cause->cases, cause->cases == 1 ? "" : "s");
    put(out, sentence);
    fputs("\n\n", out);
}

static bool wants_telling(const struct tl_case *c)
{
    return tl_case_counts(c) >= FAL_VERDICT_INCONC;
}

/* The example of each independent cause as a text; NULL where there is none. */
static int make_examples(const struct tl_results *results, const struct tl_causes *causes,
                         char **texts)
{
    struct tl_cases it;
    const struct tl_case *c;
    int rc = 0;

    tl_cases_begin(&it, results);
    while (rc == 0 && (c = tl_cases_next(&it)) != NULL) {
        for (size_t k = 0; rc == 0 && k < causes->count && k < BLOCKS; k++) {
            const struct tl_cause *cause = &causes->list[k];
            struct tl_memory_file part;

            if (cause->follows >= 0 || cause->num_examples == 0 || texts[k] != NULL ||
                strcmp(cause->examples[0], c->id) != 0)
                continue;
            if (tl_memory_open(&part) == 0)
                put_example(part.out, c, cause);
            rc = tl_memory_close(&part) != 0 ? FAL_ERR_MEM : 0;
            texts[k] = part.text;
        }
    }
    tl_cases_end(&it);
    return rc != 0 ? rc : it.rc;
}

static int put_causes(FILE *out, const struct tl_results *results,
                      const struct tl_causes *causes)
{
    char *texts[BLOCKS] = {NULL};
    size_t room = ROOM;
    int rc = make_examples(results, causes, texts);

    if (rc == 0 && causes->count > 0)
        fputs("## Causes\n\n", out);
    for (size_t k = 0; rc == 0 && k < causes->count && k < BLOCKS; k++) {
        size_t len = texts[k] != NULL ? strlen(texts[k]) : 0;

        put_cause(out, &causes->list[k], k + 1);
        if (len > 0 && len <= room) {
            fputs(texts[k], out);
            room -= len;
        }
    }
    if (causes->count > BLOCKS)
        fprintf(out, "and %zu more.\n\n", causes->count - BLOCKS);
    for (size_t k = 0; k < BLOCKS; k++)
        free(texts[k]);
    return rc;
}

static int put_cases(FILE *out, const struct tl_results *results,
                     const struct tl_causes *causes)
{
    struct tl_cases it;
    const struct tl_case *c;
    size_t told = 0;

    tl_cases_begin(&it, results);
    for (size_t number = 0; (c = tl_cases_next(&it)) != NULL; number++) {
        const struct tl_cause *cause = tl_causes_of(causes, number);

        if (!wants_telling(c) || told++ >= LISTED)
            continue;
        if (told == 1)
            fputs("## Cases that did not pass\n\n", out);
        fprintf(out, "- %s ", sign(c->verdict));
        put_code(out, c->id);
        if (cause != NULL)
            fprintf(out, " (%td)", cause - causes->list + 1);
        fputc('\n', out);
    }
    tl_cases_end(&it);
    if (told > LISTED)
        fprintf(out, "\nand %zu more.\n", told - LISTED);
    return it.rc;
}

/* What the probe found, item by item. */
static void put_probe(FILE *out, const struct tl_results *results)
{
    if (results->probe == NULL)
        return;
    fputs("\n## Probe\n\n| ICS item | says | does | passed | failed | finding |\n"
          "|---|---|---|---:|---:|---|\n",
          out);
    for (size_t i = 0; i < results->num_probe; i++) {
        const struct tl_probe_use *use = &results->probe[i];

        if (use->cases == 0)
            continue;
        fputs("| ", out);
        put_cell(out, use->item);
        fprintf(out, " | %s | %s | %zu | %zu | %s", tl_probe_claim_name(use->claimed),
                tl_probe_seen_name(use->seen), use->passed, use->failed,
                use->finding != NULL ? use->finding : "");
        if (use->example != NULL) {
            fputc(' ', out);
            put_cell(out, use->example);
        }
        fputs(" |\n", out);
    }
}

static void put_requirements(FILE *out, const struct tl_overview *o)
{
    fputs("\n## Requirements\n\n", out);
    for (int p = TL_PROOF_KINDS - 1; p >= 0; p--)
        fprintf(out, "%s%zu %s", p == TL_PROOF_KINDS - 1 ? "" : ", ", o->proofs[p],
                tl_proof_name((enum tl_proof)p));
    fputs(".\n\n", out);
    for (size_t i = 0; i < o->num_requirements; i++) {
        const struct tl_proven *p = &o->requirements[i];

        if (p->proof < TL_PROOF_WARN)
            continue;
        fprintf(out, "- %s ",
                p->proof == TL_PROOF_FAIL ? sign(FAL_VERDICT_FAIL) : sign(FAL_VERDICT_WARN));
        put_code(out, p->requirement->id);
        fputc(' ', out);
        put(out, p->requirement->title);
        fprintf(out, " (%zu case%s)\n", p->broken, p->broken == 1 ? "" : "s");
    }
}

/* For the comment of a pull request: each independent cause in a line, and how to reproduce the
 * first one. */
static void put_brief(FILE *out, const struct tl_causes *causes)
{
    size_t shown = 0, follow = 0;

    for (size_t k = 0; k < causes->count; k++) {
        const struct tl_cause *cause = &causes->list[k];

        follow += cause->follows >= 0;
        if (cause->follows >= 0 || shown++ >= BLOCKS)
            continue;
        put_cause(out, cause, k + 1);
        if (cause->num_examples > 0) {
            fputs("   Simplest case: ", out);
            put_code(out, cause->examples[0]);
            fputs("\n\n", out);
        }
    }
    if (shown > BLOCKS)
        fprintf(out, "and %zu more causes.\n\n", shown - BLOCKS);
    if (follow > 0)
        fprintf(out, "%zu more violation%s follow%s from these.\n\n", follow,
                follow == 1 ? "" : "s", follow == 1 ? "s" : "");
}

static int put_page(FILE *out, const struct tl_results *results,
                    const struct tl_report_options *options, const struct tl_overview *overview,
                    const struct tl_causes *causes)
{
    int rc;

    put_head(out, results, &overview->tally, options);
    if (options->brief) {
        put_brief(out, causes);
        return 0;
    }
    rc = put_causes(out, results, causes);
    put_learned(out, results);
    put_ratios(out, results);
    put_suspects(out, overview);
    put_groups(out, "profile", &overview->profiles);
    put_groups(out, "chapter", &overview->chapters);
    if (rc == 0)
        rc = put_cases(out, results, causes);
    put_probe(out, results);
    put_requirements(out, overview);
    return rc;
}

int tl_report_markdown(FILE *out, const struct tl_results *results,
                       const struct tl_report_options *options)
{
    static const struct tl_report_options plain = {.brief = false};
    const struct tl_causes *causes;
    struct tl_causes *own = NULL;
    struct tl_overview overview;
    const struct tl_report_options *with = options != NULL ? options : &plain;
    int rc = tl_overview_make(results, &overview, NULL);

    if (rc == 0)
        rc = tl_causes_use(results, with->causes, &own, &causes);
    if (rc == 0) {
        tl_causes_book(causes, &overview);
        rc = put_page(out, results, with, &overview, causes);
    }
    tl_overview_free(&overview);
    tl_causes_drop(own);
    return rc == 0 && ferror(out) ? FAL_ERR_IO : rc;
}
