/* SPDX-License-Identifier: Apache-2.0
 * console_summary.c - the end of a run on the console: by chapter, what the waiver file and the
 * ICS came to, and the last line. */
#include "reports/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6 };

const char *tl_report_chapter(const char *file, size_t *len)
{
    const char *end = strrchr(file, '/'), *begin = end;

    while (begin != NULL && begin > file && begin[-1] != '/')
        begin--;
    *len = begin != NULL ? (size_t)(end - begin) : 0;
    return begin != NULL ? begin : file;
}

struct chapter {
    const char *name;
    size_t len, counts[COLUMNS], all;
};

/* Pass, warn, fail, inconclusive, error; and what counts for none of them. */
static size_t column(const struct tl_case *c)
{
    switch (tl_case_counts(c)) {
    case FAL_VERDICT_PASS: return 0;
    case FAL_VERDICT_WARN: return 1;
    case FAL_VERDICT_FAIL: return 2;
    case FAL_VERDICT_INCONC: return 3;
    case FAL_VERDICT_ERROR: return 4;
    case FAL_VERDICT_NONE: break;
    }
    return 5;
}

/* Cases come sorted by path, so a chapter's stand together; one that comes again is its own. */
static size_t gather(const struct tl_results *results, struct chapter *chapters)
{
    size_t n = 0;

    for (size_t i = 0; i < results->num_cases; i++) {
        size_t len;
        const char *name = tl_report_chapter(results->cases[i].file, &len);

        if (n == 0 || chapters[n - 1].len != len ||
            strncmp(chapters[n - 1].name, name, len) != 0)
            chapters[n++] = (struct chapter){.name = name, .len = len};
        chapters[n - 1].counts[column(&results->cases[i])]++;
        chapters[n - 1].all++;
    }
    return n;
}

static void put_number(FILE *out, size_t n, enum fal_verdict verdict, bool colour)
{
    const char *stress = colour && n > 0 ? tl_report_colour(verdict) : "";

    if (n == 0)
        fprintf(out, " %8s", ".");
    else
        fprintf(out, " %s%8zu%s", stress, n, *stress != 0 ? TL_COLOUR_END : "");
}

static int put_chapters(FILE *out, const struct tl_results *results, bool colour)
{
    static const enum fal_verdict verdicts[COLUMNS] = {FAL_VERDICT_PASS,  FAL_VERDICT_WARN,
                                                       FAL_VERDICT_FAIL,  FAL_VERDICT_INCONC,
                                                       FAL_VERDICT_ERROR, FAL_VERDICT_NONE};
    struct chapter *chapters = calloc(results->num_cases + 1, sizeof *chapters);
    size_t n, width = 7;

    if (chapters == NULL)
        return FAL_ERR_MEM;
    n = gather(results, chapters);
    for (size_t i = 0; i < n; i++)
        width = chapters[i].len > width ? chapters[i].len : width;
    if (n > 1)
        fprintf(out, "\n%-*s %8s %8s %8s %8s %8s %8s %8s\n", (int)width, "chapter", "cases",
                "pass", "warn", "fail", "inconcl.", "error", "other");
    for (size_t i = 0; n > 1 && i < n; i++) {
        fprintf(out, "%-*.*s %8zu", (int)width, (int)chapters[i].len, chapters[i].name,
                chapters[i].all);
        for (size_t k = 0; k < COLUMNS; k++)
            put_number(out, chapters[i].counts[k], verdicts[k], colour);
        fputc('\n', out);
    }
    if (n > 1)
        fputc('\n', out);
    free(chapters);
    return 0;
}

/* Entries that did what they are for need no word. */
static void put_waivers(FILE *out, const struct tl_results *results)
{
    static const struct {
        const char *state, *text;
    } says[] = {{"unused", "no failure that ran is the one it waives"},
                {"expired", "it has expired, and applies no more"},
                {"unexpected-pass", "what it expects to fail passes: take it out"},
                {"not-tried", "no case that it names ran"},
                {"other-sut", "it is of another vendor, product or firmware"}};

    for (size_t i = 0; i < results->num_waivers; i++) {
        const struct tl_waiver_use *use = &results->waivers[i];

        for (size_t k = 0; k < sizeof says / sizeof *says; k++) {
            if (strcmp(use->state, says[k].state) != 0)
                continue;
            fprintf(out, "%s ", use->kind);
            tl_report_put(out, use->id, strlen(use->id));
            fprintf(out, ": %s\n", says[k].text);
        }
    }
}

static void put_ics(FILE *out, const struct tl_results *results)
{
    for (size_t i = 0; i < results->num_ics; i++)
        if (results->ics[i].denied)
            fprintf(out, "ICS %s: the statement says %s, the SUT itself says otherwise\n",
                    results->ics[i].item, results->ics[i].offered > 0 ? "true" : "false");
}

/* What a probe found out about each claim that was tried. */
static void put_probe(FILE *out, const struct tl_results *results)
{
    static const char *const claims[] = {"undeclared", "denied", "claimed"};

    if (results->probe == NULL)
        return;
    fprintf(out, "\n%-32s%-12s%-10s%8s%8s\n", "ICS item", "says", "does", "passed", "failed");
    for (size_t i = 0; i < results->num_probe; i++) {
        const struct tl_probe_use *use = &results->probe[i];

        if (use->cases == 0)
            continue;
        fprintf(out, "%-32s%-12s%-10s%8zu%8zu", use->item, claims[use->claimed + 1],
                tl_probe_seen_name(use->seen), use->passed, use->failed);
        if (use->finding != NULL)
            fprintf(out, "  %s", use->finding);
        if (use->finding != NULL && use->example != NULL)
            fprintf(out, " (%s)", use->example);
        fputc('\n', out);
    }
    if (results->probe != NULL)
        fputc('\n', out);
}

/* The readings that the SUT took, over all cases. */
static void put_readings(FILE *out, const struct tl_results *results)
{
    const struct tl_reading_use *use;

    for (size_t i = 0; (use = tl_results_reading(results, i)) != NULL; i++)
        if (use->alternative)
            fprintf(out,
                    "reading %s: %s (%zu case%s; another reading of an unclear sentence)\n",
                    use->id, use->text, use->cases, use->cases == 1 ? "" : "s");
}

static size_t counted(const struct tl_results *results, enum fal_verdict verdict)
{
    size_t n = 0;

    for (size_t i = 0; i < results->num_cases; i++)
        n += tl_case_counts(&results->cases[i]) == verdict;
    return n;
}

static void put_last_line(FILE *out, const struct tl_results *results, bool colour)
{
    static const struct {
        enum fal_verdict verdict;
        const char *word;
    } rows[] = {{FAL_VERDICT_PASS, "passed"},
                {FAL_VERDICT_WARN, "with a warning"},
                {FAL_VERDICT_FAIL, "failed"},
                {FAL_VERDICT_INCONC, "inconclusive"},
                {FAL_VERDICT_ERROR, "in error"}};

    fprintf(out, "%zu case%s:", results->num_cases, results->num_cases == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = counted(results, rows[i].verdict);
        const char *stress = colour && n > 0 ? tl_report_colour(rows[i].verdict) : "";

        if (n > 0 || rows[i].verdict == FAL_VERDICT_PASS || rows[i].verdict == FAL_VERDICT_FAIL)
            fprintf(out, "%s %s%zu %s%s", i > 0 ? "," : "", stress, n, rows[i].word,
                    *stress != 0 ? TL_COLOUR_END : "");
    }
    for (int d = TL_NOT_APPLICABLE; d <= TL_FLAKY; d++) {
        size_t n = tl_results_disposed(results, (enum tl_disposition)d);

        if (n > 0)
            fprintf(out, ", %zu %s", n, tl_disposition_name((enum tl_disposition)d));
    }
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

int tl_report_summary_in(FILE *out, const struct tl_results *results, bool colour)
{
    int rc = put_chapters(out, results, colour);

    put_waivers(out, results);
    put_ics(out, results);
    put_probe(out, results);
    put_readings(out, results);
    put_last_line(out, results, colour);
    return rc == 0 && ferror(out) ? FAL_ERR_IO : rc;
}

int tl_report_summary(FILE *out, const struct tl_results *results)
{
    return tl_report_summary_in(out, results, false);
}
