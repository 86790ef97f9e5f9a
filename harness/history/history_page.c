/* SPDX-License-Identifier: Apache-2.0
 * history_page.c - the history as one page: no network, no script, any screen, light and dark.
 * Every text of the database is text in it, and a policy within the page forbids all that it
 * did not bring. */
#include "harness/history/history_page.h"

#include "reports/base/utf8.h"
#include "reports/html/html_impl.h"

#include <inttypes.h>
#include <string.h>

static const char style[] =
    ".mx td{min-width:11rem}.mx th[scope=row]{min-width:5rem;white-space:nowrap}"
    ".mx th.dev{min-width:8rem;white-space:normal}"
    ".chips{display:flex;flex-wrap:wrap;gap:.2rem;margin:.3em 0 .1em;padding:0;list-style:none}"
    ".chips .b{min-width:0;font-weight:500;font-size:.75em;padding:0 .35em}"
    ".st{font-family:ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;font-size:.85em;"
    "white-space:nowrap}.st b{font-weight:600}td.st{line-height:1.75}.mx td.m{font-size:inherit}"
    ".st .p{color:var(--pass);background:var(--passb)}.st .x{overflow:visible;color:var(--none);"
    "background:var(--noneb)}.st .w{color:var(--warn);background:var(--warnb)}"
    ".st .i{color:var(--inc);background:var(--incb)}.st .f{color:var(--fail);background:var(--failb)}"
    ".st .e{color:var(--err);background:var(--errb)}"
    "table.tr{margin:.4em 0 1em}table.tr caption{font-weight:600}table.tr th{white-space:nowrap}"
    "table.tr td.what{min-width:16rem;max-width:40rem}table.tr td.last{white-space:nowrap}"
    "table.tr td.n{padding-right:1.2em}table.tr th.n{padding-right:1.2em}"
    "svg.bars{display:block;max-width:none}svg.bars text{fill:var(--mute);font-size:11px;"
    "font-family:inherit}svg.bars path{stroke:var(--line);fill:none}"
    ".bf{fill:var(--fail)}.be{fill:var(--fg)}.bi{fill:var(--inc)}.bw{fill:#b88700}"
    ".bp{fill:var(--pass)}.key span{display:inline-block;margin-right:1.1em}"
    ".key svg{width:.8em;height:.8em;margin-right:.3em}"
    "footer{margin-top:1.2em}"
    ".mx a.b{text-decoration:underline;min-width:4.6em}.cnt{margin:.3em 0 .15em}"
    ".cell{margin:1.4em 0 2em}.cell h4{margin:1em 0 .2em}"
    "table.dt{margin:.8em 0}table.dt caption{font-weight:600}table.dt td.what{min-width:14rem;width:80%}table.dt th,table.dt td:last-child{white-space:nowrap}"
    /* On a narrow screen each line of the matrix is a block, and a cell has its profile. */
    "@media (max-width:40rem){table.dt td.what{min-width:9rem}"
    ".mx thead{display:none}.mx,.mx tbody,.mx tr,.mx td,.mx th{display:block}"
    ".mx tr{border-bottom:2px solid var(--line);padding:.4em 0}"
    ".mx td,.mx th,.mx th[scope=row]{border:0;min-width:0;padding:.15em 0}"
    ".mx th.dev{font-size:1.15em}.mx th[scope=row]::before{content:\"firmware \";"
    "font-weight:400;color:var(--mute)}.mx td[data-head]::before{content:attr(data-head);"
    "display:block;color:var(--mute);font-size:.88em}"
    /* Of a table of trends each cell is a line there, named by data-of. */
    ".tr thead{display:none}.tr tbody,.tr,.tr caption{display:block}.tr td{border:0;min-width:0}"
    "[data-of]::before{content:attr(data-of);color:var(--mute);font-size:.88em;margin-right:.6em}"
    ".tr tr{display:flex;flex-wrap:wrap;gap:0 1.6em;border-bottom:1px solid var(--line);"
    "padding:.3em 0}.tr td{padding:.1em 0}table.tr td.what,.tr td.st{flex-basis:100%;min-width:0}"
    ".tr td.st{white-space:normal;overflow-wrap:anywhere}table.tr td.n{width:auto;padding:.1em 0}"
    ".tr .last small,.tr .n small{margin-left:.3em}.tr .last br,.tr .n br{display:none}}";

static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
                             "base-uri 'none'; form-action 'none'";

static void put(FILE *out, const char *text)
{
    tl_put_xml_short(out, text);
}

void tl_history_page_run(FILE *out, const struct tl_history_view *v,
                         const struct tl_history_run *run)
{
    char date[TL_HISTORY_TIME];

    tl_history_time_text(run->time, true, date);
    if (v->lists)
        fprintf(out, "<a href=\"#run-%" PRId64 "\">run %" PRId64 "</a>", run->id, run->id);
    else
        fprintf(out, "run %" PRId64, run->id);
    fprintf(out, ", %s", date);
}

/* ---- head ---- */

static void put_lead(const struct tl_history_view *v, FILE *out)
{
    const struct tl_history_runs *r = v->runs;
    int64_t first = INT64_MAX, last = 0;
    char from[TL_HISTORY_TIME], to[TL_HISTORY_TIME];
    size_t devices = 0;

    for (size_t i = 0; i < r->count; i++) {
        first = r->list[i].time < first ? r->list[i].time : first;
        last = r->list[i].time > last ? r->list[i].time : last;
        devices += i == 0 || strcmp(r->list[i].device, r->list[i - 1].device) != 0;
    }
    if (r->count == 0) {
        fputs("<p class=\"lead\">No run.</p>\n", out);
        return;
    }
    tl_history_time_text(first, true, from);
    tl_history_time_text(last, true, to);
    fprintf(out, "<p class=\"lead\">%zu run%s of %zu device%s, %s%s%s</p>\n", r->count,
            r->count == 1 ? "" : "s", devices, devices == 1 ? "" : "s", from,
            strcmp(from, to) != 0 ? " to " : "", strcmp(from, to) != 0 ? to : "");
}

static void put_head(const struct tl_history_view *v, FILE *out)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"talon\"><link rel=\"icon\" href=\"data:,\">\n"
            "<title>Talon: %s</title>\n<style>%s\n%s</style></head>\n"
            "<body><header><h1>%s</h1>\n",
            policy, v->lists ? "history" : "conformance of devices", tl_html_style, style,
            v->lists ? "History" : "Conformance of devices");
    put_lead(v, out);
    if (v->lists)
        fputs(
            "<nav aria-label=\"Parts of this page\"><a href=\"#matrix\">Matrix</a><a "
            "href=\"#details\">Details</a><a href=\"#trends\">Trends</a><a href=\"#runs\">Runs</a></nav>",
            out);
    fputs("</header>\n<main>\n", out);
}

/* ---- trends ---- */

static const char *class_of(uint8_t mark)
{
    static const char *const classes[TL_MARKS] = {"x", "p", "x", "w", "i", "f", "e"};

    return classes[mark];
}

/* A letter for each run; equal neighbours are one element. */
static void put_strip(FILE *out, const uint8_t *marks, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;

        while (end < n && marks[end] == marks[i])
            end++;
        fprintf(out, "<b class=\"%s\">", class_of(marks[i]));
        for (; i < end; i++)
            fputc(tl_history_letters[marks[i]], out);
        fputs("</b>", out);
    }
}

static void put_row(const struct tl_history_view *v, FILE *out,
                    const struct tl_history_row *row)
{
    const struct tl_history_series *s = &v->runs->series[row->series];
    size_t from = s->count > TL_HISTORY_BARS ? s->count - TL_HISTORY_BARS : 0;

    fputs("<tr><td class=\"what\"><code>", out);
    put(out, row->name);
    fputs("</code><br><small>", out);
    put(out, row->text);
    fputs("</small><td class=\"st\">", out);
    put_strip(out, row->marks + from, s->count - from);
    fprintf(out, "<td class=\"n\" data-of=\"not passed\">%zu of %zu", row->bad, s->count);
    fprintf(out, "<td class=\"last\"%s>", row->bad > 0 ? " data-of=\"last\"" : "");
    if (row->bad > 0) {
        const struct tl_history_run *run = &v->runs->list[s->first + row->last_bad];

        tl_history_page_run(out, v, run);
        fputs("<br><small>firmware ", out);
        put(out, tl_history_firmware(run));
        fputs("</small>", out);
    }
    if (row->counts != NULL) {
        fprintf(out, "<td class=\"n\" data-of=\"cases now\">%" PRIu32,
                row->counts[s->count - 1]);
    } else if (row->observed > 0 && row->flaky > 0) {
        fprintf(out,
                "<td class=\"n\" data-of=\"flake rate\">%zu %%<br><small>%zu of %zu</small>",
                row->flaky * 100 / row->observed, row->flaky, row->observed);
    } else {
        fputs("<td class=\"n\">", out);
    }
    fputc('\n', out);
}

static void put_trend(const struct tl_history_view *v, FILE *out, enum tl_history_of of,
                      size_t series)
{
    static const char *const last[TL_HISTORY_KINDS] = {"", "cases now", "flake rate"};
    static const char *const heads[TL_HISTORY_KINDS] = {
        "Requirements that were not met in some run", "Causes of failures",
        "Cases that did not pass, or changed"};
    static const char *const columns[TL_HISTORY_KINDS] = {"requirement", "cause", "case"};
    size_t first, count, shown;

    tl_history_rows_of(v->trends[of], series, &first, &count);
    if (count == 0)
        return;
    shown = v->rows > 0 && count > v->rows ? (size_t)v->rows : count;
    fprintf(
        out,
        "<div class=\"x\"><table class=\"tr\"><caption>%s</caption><thead><tr><th scope=\"col\">%s<th scope=\"col\">runs, the newest "
        "last<th class=\"n\" scope=\"col\">not passed<th scope=\"col\">last<th class=\"n\" "
        "scope=\"col\">%s</thead><tbody>\n",
        heads[of], columns[of], last[of]);
    for (size_t i = first; i < first + shown; i++)
        put_row(v, out, &v->trends[of]->rows[i]);
    fputs("</tbody></table></div>\n", out);
    if (shown < count)
        fprintf(out, "<p class=\"m\">%zu more %s are left out.</p>\n", count - shown,
                tl_history_of_names[of]);
}

static void put_series(const struct tl_history_view *v, FILE *out, size_t series)
{
    const struct tl_history_series *s = &v->runs->series[series];
    const struct tl_history_run *run = &v->runs->list[s->first];
    size_t nothing = 0, first, count;

    fputs("<section><h3>", out);
    put(out, run->device);
    fputs(", profile ", out);
    put(out, tl_history_profile(run));
    fprintf(out, " (%zu run%s)</h3>\n", s->count, s->count == 1 ? "" : "s");
    tl_history_page_bars(out, v, series);
    for (int of = 0; of < TL_HISTORY_KINDS; of++) {
        put_trend(v, out, (enum tl_history_of)of, series);
        tl_history_rows_of(v->trends[of], series, &first, &count);
        nothing += count == 0;
    }
    if (nothing == TL_HISTORY_KINDS)
        fputs("<p>Every case passed in every run.</p>\n", out);
    fputs("</section>\n", out);
}

static void put_trends(const struct tl_history_view *v, FILE *out)
{
    fputs(
        "<section id=\"trends\" aria-labelledby=\"ht\"><h2 id=\"ht\">Trends</h2>\n"
        "<p class=\"m\">A letter for each run: <b>.</b> pass, <b>W</b> warn, <b>I</b> "
        "inconclusive, <b>F</b> fail, <b>E</b> error, <b>-</b> not run, <b>w</b> waived, "
        "expected, listed as flaky, or only the consequence of another cause. The flake rate is "
        "the share of runs in which the verdict of the case changed although firmware and Talon "
        "were those of the run before, or differed within the run.</p>\n",
        out);
    for (size_t s = 0; s < v->runs->num_series; s++)
        put_series(v, out, s);
    fputs("</section>\n", out);
}

/* ---- runs ---- */

static void put_runs(const struct tl_history_view *v, FILE *out)
{
    fputs(
        "<section id=\"runs\" aria-labelledby=\"hl\"><h2 id=\"hl\">Runs</h2>\n<div "
        "class=\"x\"><table><thead><tr><th class=\"n\" scope=\"col\">run<th "
        "scope=\"col\">date<th scope=\"col\">device<th scope=\"col\">firmware<th "
        "scope=\"col\">profile<th scope=\"col\">verdict<th class=\"n\" scope=\"col\">cases<th "
        "class=\"n\" scope=\"col\">passed<th class=\"n\" scope=\"col\">failed<th "
        "scope=\"col\">Talon</thead><tbody>\n",
        out);
    for (size_t i = v->runs->count; i-- > 0;) {
        const struct tl_history_run *r = &v->runs->list[i];
        char date[TL_HISTORY_TIME];

        tl_history_time_text(r->time, true, date);
        fprintf(out,
                "<tr id=\"run-%" PRId64 "\"><td class=\"n\">%" PRId64
                "<td class=\"word\">%s<td>",
                r->id, r->id, date);
        put(out, r->device);
        fputs("<td>", out);
        put(out, tl_history_firmware(r));
        fputs("<td>", out);
        put(out, tl_history_profile(r));
        fprintf(out,
                "<td class=\"word\"><span class=\"b %s\">%s</span>%s<td class=\"n\">%" PRIu64
                "<td class=\"n\">%" PRIu64 "<td class=\"n\">%" PRIu64 "<td>",
                fal_verdict_name(r->verdict), fal_verdict_name(r->verdict),
                r->partial ? " interrupted" : "", r->cases, r->counted[FAL_VERDICT_PASS],
                r->counted[FAL_VERDICT_FAIL]);
        put(out, r->tool);
        if (r->certificate[0] != 0) {
            fputs("<br><small>certificate of ", out);
            put(out, r->certificate);
            fputs("</small>", out);
        }
        fputc('\n', out);
    }
    fputs("</tbody></table></div></section>\n", out);
}

void tl_history_page_write(FILE *out, const struct tl_history_view *v)
{
    put_head(v, out);
    if (v->matrix != NULL)
        tl_history_page_matrix(out, v);
    if (v->matrix != NULL)
        tl_history_page_details(out, v);
    if (v->trends[TL_HISTORY_CASES] != NULL)
        put_trends(v, out);
    if (v->lists)
        put_runs(v, out);
    fputs("</main>\n<footer class=\"m\">Written by talon.</footer>\n</body></html>\n", out);
}
