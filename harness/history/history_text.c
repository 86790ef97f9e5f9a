/* SPDX-License-Identifier: Apache-2.0
 * history_text.c - the history on a terminal. */
#include "harness/history/history_out.h"

#include "reports/base/utf8.h"

#include <inttypes.h>
#include <string.h>

/* Columns at most; runs that a trend shows, the newest. */
enum { DEVICE = 30, FIRMWARE = 14, PROFILE = 14, STRIP = 30 };

const char *const tl_history_of_names[TL_HISTORY_KINDS] = {"requirements", "causes", "cases"};
const char tl_history_letters[] = "-.wWIFE";

const char *tl_history_firmware(const struct tl_history_run *run)
{
    return run->firmware[0] != 0 ? run->firmware : "(unknown)";
}

const char *tl_history_profile(const struct tl_history_run *run)
{
    return run->profile[0] != 0 ? run->profile : "(none)";
}

void tl_history_rows_of(const struct tl_history_trend *trend, size_t series, size_t *first,
                        size_t *count)
{
    size_t i = 0;

    while (i < trend->count && trend->rows[i].series < series)
        i++;
    *first = i;
    while (i < trend->count && trend->rows[i].series == series)
        i++;
    *count = i - *first;
}

/* The text in a column of that width: filled with spaces, or cut. */
static void put_column(FILE *out, const char *text, size_t width)
{
    const char *at = text, *end = text + strlen(text);
    size_t n = 0;

    while (at < end && n < width) {
        (void)tl_utf8_next(&at, end);
        n++;
    }
    tl_put_plain(out, text, (size_t)(at - text));
    fprintf(out, "%*s", (int)(width - n), "");
}

static size_t wider(size_t width, const char *text, size_t most)
{
    const char *at = text, *end = text + strlen(text);
    size_t n = 0;

    while (at < end && n < most) {
        (void)tl_utf8_next(&at, end);
        n++;
    }
    return n > width ? n : width;
}

/* ---- runs ---- */

static void put_count(FILE *out, uint64_t n, int width)
{
    if (n > 0)
        fprintf(out, " %*" PRIu64, width, n);
    else
        fprintf(out, " %*s", width, ".");
}

static void put_runs(FILE *out, const struct tl_history_runs *runs)
{
    size_t device = 6, firmware = 8, profile = 7;

    for (size_t i = 0; i < runs->count; i++) {
        device = wider(device, runs->list[i].device, DEVICE);
        firmware = wider(firmware, tl_history_firmware(&runs->list[i]), FIRMWARE);
        profile = wider(profile, tl_history_profile(&runs->list[i]), PROFILE);
    }
    fprintf(out, "%5s  %-10s  %-*s  %-*s  %-*s  %-12s %5s %5s %5s %5s %5s %5s %5s\n", "run",
            "date", (int)device, "device", (int)firmware, "firmware", (int)profile, "profile",
            "verdict", "cases", "pass", "warn", "inc", "fail", "error", "other");
    for (size_t i = 0; i < runs->count; i++) {
        const struct tl_history_run *r = &runs->list[i];
        static const enum fal_verdict columns[] = {FAL_VERDICT_PASS,   FAL_VERDICT_WARN,
                                                   FAL_VERDICT_INCONC, FAL_VERDICT_FAIL,
                                                   FAL_VERDICT_ERROR,  FAL_VERDICT_NONE};
        char date[TL_HISTORY_TIME];

        tl_history_time_text(r->time, true, date);
        fprintf(out, "%5" PRId64 "  %-10s  ", r->id, date);
        put_column(out, r->device, device);
        fputs("  ", out);
        put_column(out, tl_history_firmware(r), firmware);
        fputs("  ", out);
        put_column(out, tl_history_profile(r), profile);
        fprintf(out, "  %-12s", fal_verdict_name(r->verdict));
        put_count(out, r->cases, 5);
        for (size_t k = 0; k < 6; k++)
            put_count(out, r->counted[columns[k]], 5);
        fputs(r->partial ? "  interrupted\n" : "\n", out);
    }
    fprintf(out, "%zu run%s\n", runs->count, runs->count == 1 ? "" : "s");
}

/* ---- trends ---- */

static void put_series(FILE *out, const struct tl_history_runs *runs,
                       const struct tl_history_series *s)
{
    const struct tl_history_run *first = &runs->list[s->first],
                                *last = &runs->list[s->first + s->count - 1];
    char from[TL_HISTORY_TIME], to[TL_HISTORY_TIME];

    tl_history_time_text(first->time, true, from);
    tl_history_time_text(last->time, true, to);
    tl_put_plain_text(out, first->device);
    fputs(", profile ", out);
    tl_put_plain_text(out, tl_history_profile(first));
    fprintf(out, ": %zu run%s, %s to %s\n", s->count, s->count == 1 ? "" : "s", from, to);
}

static void put_row(FILE *out, const struct tl_history_runs *runs,
                    const struct tl_history_row *row)
{
    const struct tl_history_series *s = &runs->series[row->series];
    const struct tl_history_run *run = &runs->list[s->first + row->last_bad];
    size_t from = s->count > STRIP ? s->count - STRIP : 0;

    fputs("    ", out);
    for (size_t i = from; i < s->count; i++)
        fputc(tl_history_letters[row->marks[i]], out);
    fputs("  ", out);
    tl_put_plain_text(out, row->name);
    fprintf(out, "\n%*s%zu of %zu", (int)(s->count - from + 6), "", row->bad, s->count);
    if (row->bad > 0) {
        fprintf(out, ", last in run %" PRId64 ", firmware ", run->id);
        tl_put_plain_text(out, tl_history_firmware(run));
    }
    if (row->flaky > 0)
        fprintf(out, ", flake rate %zu of %zu (%zu %%)", row->flaky, row->observed,
                row->flaky * 100 / row->observed);
    if (row->counts != NULL && row->counts[s->count - 1] > 0)
        fprintf(out, ", now in %" PRIu32 " case%s", row->counts[s->count - 1],
                row->counts[s->count - 1] == 1 ? "" : "s");
    fputs(": ", out);
    tl_put_plain_text(out, row->text);
    fputc('\n', out);
}

static void put_trend(FILE *out, const struct tl_history_view *v, enum tl_history_of of,
                      size_t series)
{
    size_t first, count, shown;

    tl_history_rows_of(v->trends[of], series, &first, &count);
    shown = v->rows > 0 && count > v->rows ? (size_t)v->rows : count;
    fprintf(out, "  %s%s\n", tl_history_of_names[of],
            count == 0 ? ": nothing failed or changed" : "");
    for (size_t i = first; i < first + shown; i++)
        put_row(out, v->runs, &v->trends[of]->rows[i]);
    if (shown < count)
        fprintf(out, "    %zu more; --rows 0 shows all\n", count - shown);
}

static void put_trends(FILE *out, const struct tl_history_view *v)
{
    for (size_t s = 0; s < v->runs->num_series; s++) {
        put_series(out, v->runs, &v->runs->series[s]);
        for (int of = 0; of < TL_HISTORY_KINDS; of++)
            if (v->trends[of] != NULL)
                put_trend(out, v, (enum tl_history_of)of, s);
        fputc('\n', out);
    }
    fputs(v->runs->count == 0 ? "0 runs\n"
                              : "one letter a run, the newest last: . pass, W warn, I "
                                "inconclusive, F fail, E error, - not run,\n"
                                "w waived, expected, listed as flaky, or only the consequence "
                                "of another cause\n",
          out);
}

/* ---- the matrix ---- */

static void put_cell(FILE *out, const struct tl_history_cell *cell)
{
    char text[80] = "-";

    if (cell != NULL)
        (void)snprintf(text, sizeof text, "%s %" PRIu64 "/%" PRIu64,
                       fal_verdict_name(cell->run->verdict),
                       cell->run->counted[FAL_VERDICT_PASS], cell->run->cases);
    fprintf(out, "  %-24s", text);
}

static void put_matrix(FILE *out, const struct tl_history_matrix *m)
{
    size_t device = 6;

    for (size_t i = 0; i < m->num_devices; i++)
        device = wider(device, m->devices[i], DEVICE);
    fprintf(out, "%-*s  %-*s", (int)device, "device", FIRMWARE, "firmware");
    for (size_t p = 0; p < m->num_profiles; p++) {
        fputs("  ", out);
        put_column(out, m->profiles[p][0] != 0 ? m->profiles[p] : "(none)", 24);
    }
    fputc('\n', out);
    for (size_t f = 0; f < m->num_firmwares; f++) {
        const char *name = m->firmwares[f].name;

        put_column(out, m->devices[m->firmwares[f].device], device);
        fputs("  ", out);
        put_column(out, name[0] != 0 ? name : "(unknown)", FIRMWARE);
        for (size_t p = 0; p < m->num_profiles; p++)
            put_cell(out, tl_history_cell(m, f, p));
        fputc('\n', out);
    }
    fputs("verdict, cases passed / all cases, of the newest run\n", out);
}

void tl_history_text_write(FILE *out, const struct tl_history_view *view)
{
    bool trends = false;

    for (int of = 0; of < TL_HISTORY_KINDS; of++)
        trends = trends || view->trends[of] != NULL;
    if (view->lists)
        put_runs(out, view->runs);
    if (trends)
        put_trends(out, view);
    if (view->matrix != NULL)
        put_matrix(out, view->matrix);
}
