/* SPDX-License-Identifier: Apache-2.0
 * console_summary.c - the end of a run on the console: by chapter, what the waiver file and the
 * ICS came to, and the last line. */
#include "reports/base/utf8.h"
#include "reports/formats/report.h"
#include "reports/formats/wrap.h"
#include "reports/results/overview.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMNS = 6 };

/* Pass, warn, fail, inconclusive, error; and what counts for none of them. */
static const enum fal_verdict columns[COLUMNS] = {FAL_VERDICT_PASS,  FAL_VERDICT_WARN,
                                                  FAL_VERDICT_FAIL,  FAL_VERDICT_INCONC,
                                                  FAL_VERDICT_ERROR, FAL_VERDICT_NONE};

static void put_number(FILE *out, size_t n, enum fal_verdict verdict, bool colour)
{
    const char *stress = colour && n > 0 ? tl_report_colour(verdict) : "";

    if (n == 0)
        fprintf(out, " %8s", ".");
    else
        fprintf(out, " %s%8zu%s", stress, n, *stress != 0 ? TL_COLOUR_END : "");
}

static void put_chapters(FILE *out, const struct tl_groups *chapters, bool colour)
{
    size_t width = 7;

    if (chapters->count < 2)
        return;
    for (size_t i = 0; i < chapters->count; i++) {
        size_t len = strlen(chapters->list[i].name);

        width = len > width ? len : width;
    }
    if (width > 60)
        width = 60;
    fprintf(out, "\n%-*s %8s %8s %8s %8s %8s %8s %8s\n", (int)width, "chapter", "cases", "pass",
            "warn", "fail", "inconcl.", "error", "other");
    for (size_t i = 0; i < chapters->count; i++) {
        const struct tl_group *chapter = &chapters->list[i];
        size_t len = strlen(chapter->name);

        tl_put_plain(out, chapter->name, len);
        fprintf(out, "%*s %8zu", len < width ? (int)(width - len) : 0, "", chapter->cases);
        for (size_t k = 0; k < COLUMNS; k++)
            put_number(out, chapter->counted[columns[k]], columns[k], colour);
        fputc('\n', out);
    }
    fputc('\n', out);
}

/* Entries that did what they are for need no word. */
static void put_waivers(FILE *out, const struct tl_results *results)
{
    static const struct {
        const char *state, *text;
    } says[] = {{"unused", "no failure of this run matches it"},
                {"expired", "it has expired and no longer applies"},
                {"unexpected-pass", "a case that it expects to fail passes; remove the entry"},
                {"not-tried", "no case that it names has run"},
                {"other-sut", "it names another vendor, product or firmware"}};

    for (size_t i = 0; i < results->num_waivers; i++) {
        const struct tl_waiver_use *use = &results->waivers[i];

        for (size_t k = 0; k < sizeof says / sizeof *says; k++) {
            if (strcmp(use->state, says[k].state) != 0)
                continue;
            tl_put_plain_text(out, use->kind);
            fputc(' ', out);
            tl_put_plain(out, use->id, strlen(use->id));
            fprintf(out, ": %s\n", says[k].text);
        }
    }
}

static void put_ics(FILE *out, const struct tl_results *results)
{
    for (size_t i = 0; i < results->num_ics; i++)
        if (results->ics[i].denied) {
            fputs("ICS ", out);
            tl_put_plain_text(out, results->ics[i].item);
            fprintf(out,
                    ": the ICS states %s, the SUT's own answer to `hello` states the "
                    "opposite\n",
                    results->ics[i].offered > 0 ? "true" : "false");
        }
}

/* What the probe found for each claim that was tested. */
static void put_probe(FILE *out, const struct tl_results *results)
{
    if (results->probe == NULL)
        return;
    fprintf(out, "\n%-32s%-12s%-10s%8s%8s\n", "ICS item", "says", "does", "passed", "failed");
    for (size_t i = 0; i < results->num_probe; i++) {
        const struct tl_probe_use *use = &results->probe[i];

        if (use->cases == 0)
            continue;
        fprintf(out, "%-32s%-12s%-10s%8zu%8zu", use->item, tl_probe_claim_name(use->claimed),
                tl_probe_seen_name(use->seen), use->passed, use->failed);
        if (use->finding != NULL)
            fprintf(out, "  %s", use->finding);
        if (use->finding != NULL && use->example != NULL)
            fprintf(out, " (%s)", use->example);
        fputc('\n', out);
    }
    fputc('\n', out);
}

static void put_contradiction(FILE *out, const struct tl_reading_use *use, size_t cases)
{
    if (cases == 0)
        return;
    fprintf(out, "        the SUT took the other reading in %zu case%s, but must keep to one: ",
            cases, cases == 1 ? "" : "s");
    fputs("talon explain ", out);
    tl_put_plain_text(out, use->id);
    fputc('\n', out);
}

/* The readings that the SUT took, over all cases. */
static void put_readings(FILE *out, const struct tl_results *results)
{
    const struct tl_reading_use *use;

    for (size_t i = 0; (use = tl_results_reading(results, i)) != NULL; i++)
        if (use->alternative) {
            fputs("reading ", out);
            tl_put_plain_text(out, use->id);
            fputs(": ", out);
            tl_put_plain_text(out, use->text);
            fprintf(out, " (%zu case%s; another reading of an unclear sentence)\n", use->cases,
                    use->cases == 1 ? "" : "s");
            put_contradiction(out, use, tl_results_contradicting(results, use));
        }
}

/* What was learned because nobody declared it, and what that costs. */
static void put_learned(FILE *out, const struct tl_results *results)
{
    char line[TL_LEARNED_LINE];

    for (size_t i = 0; tl_learned_line(&results->learned, i, line); i++)
        fprintf(out, "turnaround: %s\n", line);
    if (results->num_weak == 0)
        return;
    fputs("turnaround: rules that decided less because of it:", out);
    for (size_t i = 0; i < results->num_weak; i++) {
        fputc(' ', out);
        tl_put_plain_text(out, results->weak[i].rule->id);
    }
    fputc('\n', out);
}

/* Rules that decide nothing with the values of the SUT, where a case has no other ones. */
static void put_ratios(FILE *out, const struct tl_results *results)
{
    for (size_t i = 0; i < results->num_low; i++) {
        fputs("rule ", out);
        tl_put_plain_text(out, results->low[i].rule->id);
        fputs(" is below its ratio, where a case has no values of its own: ", out);
        tl_put_plain_text(out, results->low[i].why);
        fputc('\n', out);
    }
}

/* Declared values that take rules their power. */
static void put_costly(FILE *out, const struct tl_results *results)
{
    for (size_t i = 0; i < results->num_costly; i++) {
        fputs("declared value: ", out);
        tl_put_plain_text(out, results->costly[i].why);
        fputc('\n', out);
    }
}

/* The path, and rules that excused too much by losses. */
static void put_suspects(FILE *out, const struct tl_overview *overview)
{
    char text[TL_SPENT_TEXT];

    if (tl_path_text(overview->path, text))
        fprintf(out, "%s\n", text);
    for (size_t i = 0; i < overview->num_suspects; i++) {
        tl_spent_text(&overview->suspects[i], text);
        tl_put_plain_text(out, text);
        fputc('\n', out);
    }
}

/* Rules that read inconclusive over the run although no case does. */
static void put_rules(FILE *out, const struct tl_results *results, const struct tl_tally *tally)
{
    struct fal_suspect suspect;
    size_t n = 0;

    while (tl_tally_suspect(tally, results, n, &suspect))
        n++;
    if (n > 0)
        fprintf(out, "; %zu rule%s inconclusive over the run", n, n == 1 ? "" : "s");
}

static void put_last_line(FILE *out, const struct tl_results *results,
                          const struct tl_tally *tally, bool colour)
{
    static const struct {
        enum fal_verdict verdict;
        const char *word;
    } rows[] = {{FAL_VERDICT_PASS, "passed"},
                {FAL_VERDICT_WARN, "with a warning"},
                {FAL_VERDICT_FAIL, "failed"},
                {FAL_VERDICT_INCONC, "inconclusive"},
                {FAL_VERDICT_ERROR, "in error"}};

    fprintf(out, "%zu case%s:", tally->cases, tally->cases == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = tally->counted[rows[i].verdict];
        const char *stress = colour && n > 0 ? tl_report_colour(rows[i].verdict) : "";

        if (n > 0 || rows[i].verdict == FAL_VERDICT_PASS || rows[i].verdict == FAL_VERDICT_FAIL)
            fprintf(out, "%s %s%zu %s%s", i > 0 ? "," : "", stress, n, rows[i].word,
                    *stress != 0 ? TL_COLOUR_END : "");
    }
    for (int d = TL_NOT_APPLICABLE; d <= TL_FLAKY; d++) {
        size_t n = tally->disposed[d];

        if (n > 0)
            fprintf(out, ", %zu %s", n, tl_disposition_name((enum tl_disposition)d));
    }
    put_rules(out, results, tally);
    if (results->deselected > 0)
        fprintf(out, "; %zu not selected", results->deselected);
    if (results->shards > 0)
        fprintf(out, "; shard %u of %u, %zu of the others", results->shard, results->shards,
                results->other_shards);
    if (results->bad_files > 0)
        fprintf(out, "; %zu file%s not read", results->bad_files,
                results->bad_files == 1 ? "" : "s");
    fprintf(out, "%s (seed %" PRIu64 ")\n", results->interrupted ? "; interrupted" : "",
            results->seed);
}

/* "failed: 9.1.6-ack-generation 3, 9.2.4-nacks 1": for a run whose failures have been shown. */
static void put_failing(FILE *out, const struct tl_groups *chapters)
{
    char text[2000] = "";
    size_t len = 0;

    for (size_t i = 0; i < chapters->count && len + 80 < sizeof text; i++) {
        const struct tl_group *g = &chapters->list[i];
        size_t bad = g->counted[FAL_VERDICT_FAIL] + g->counted[FAL_VERDICT_ERROR];
        int n = bad > 0 ? snprintf(text + len, sizeof text - len, "%s%.60s %zu",
                                   len > 0 ? ", " : "", g->name, bad)
                        : 0;

        len += n > 0 ? (size_t)n : 0;
    }
    if (len > 0 && chapters->count > 1)
        tl_put_paragraph(out, &(struct tl_paragraph){0, 4, "failed in", NULL}, text);
}

int tl_report_summary_in(FILE *out, const struct tl_results *results, bool colour)
{
    return tl_report_summary_of(out, results, colour, true);
}

int tl_report_summary_of(FILE *out, const struct tl_results *results, bool colour, bool table)
{
    struct tl_overview overview;
    int rc = tl_overview_make(results, &overview, NULL);

    if (table)
        put_chapters(out, &overview.chapters, colour);
    else
        put_failing(out, &overview.chapters);
    put_waivers(out, results);
    put_ics(out, results);
    put_probe(out, results);
    put_readings(out, results);
    put_learned(out, results);
    put_ratios(out, results);
    put_costly(out, results);
    put_suspects(out, &overview);
    put_last_line(out, results, &overview.tally, colour);
    tl_overview_free(&overview);
    return rc == 0 && ferror(out) ? FAL_ERR_IO : rc;
}

int tl_report_summary(FILE *out, const struct tl_results *results)
{
    return tl_report_summary_in(out, results, false);
}
