/* SPDX-License-Identifier: Apache-2.0
 * history_page_parts.c - the bars and the matrix of the page. */
#include "harness/history/history_page.h"

#include "reports/base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- bars ---- */

enum {
    BAR = 12,     /* width of a bar and of */
    STEP = 16,    /* a bar with its gap */
    HEIGHT = 110, /* of the highest bar */
    LEFT = 44,    /* of the first bar, */
    TOP = 8,
    BELOW = 34,     /* for the firmwares */
    LABEL = 7,      /* width of a letter */
    FIRMWARES = 12, /* of a device that the matrix beside trends shows, the newest */
};

static const struct {
    enum fal_verdict verdict;
    const char *class, *word;
} kinds[] = {{FAL_VERDICT_ERROR, "be", "error"},
             {FAL_VERDICT_FAIL, "bf", "fail"},
             {FAL_VERDICT_INCONC, "bi", "inconclusive"},
             {FAL_VERDICT_WARN, "bw", "warn"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static uint64_t not_passed(const struct tl_history_run *run)
{
    uint64_t n = 0;

    for (size_t k = 0; k < KINDS; k++)
        n += run->counted[kinds[k].verdict];
    return n;
}

static void put_rect(FILE *out, const char *class, size_t x, uint64_t y, uint64_t height)
{
    fprintf(out,
            "<rect class=\"%s\" x=\"%zu\" y=\"%" PRIu64 "\" width=\"%d\" height=\"%" PRIu64
            "\"/>",
            class, x, y, BAR, height);
}

static void put_bar(FILE *out, const struct tl_history_run *run, size_t x, uint64_t most)
{
    uint64_t y = TOP + HEIGHT;
    char date[TL_HISTORY_TIME];

    tl_history_time_text(run->time, true, date);
    fprintf(out, "<g><title>run %" PRId64 ", %s, firmware ", run->id, date);
    tl_put_xml_short(out, tl_history_firmware(run));
    fprintf(out, ": %" PRIu64 " of %" PRIu64 " cases passed", run->counted[FAL_VERDICT_PASS],
            run->cases);
    for (size_t k = 0; k < KINDS; k++)
        if (run->counted[kinds[k].verdict] > 0)
            fprintf(out, ", %" PRIu64 " %s", run->counted[kinds[k].verdict], kinds[k].word);
    fputs("</title>", out);
    if (not_passed(run) == 0)
        put_rect(out, "bp", x, y - 3, 3);
    for (size_t k = 0; k < KINDS; k++) {
        uint64_t n = run->counted[kinds[k].verdict], height = n * HEIGHT / most;

        if (n == 0)
            continue;
        height = height > 0 ? height : 1; /* what there is can be seen */
        y -= height < y ? height : y;
        put_rect(out, kinds[k].class, x, y, height);
    }
    fputs("</g>", out);
}

/* Where the firmware changes, a line and its name, as long as there is room for it. */
static void put_firmwares(FILE *out, const struct tl_history_run *runs, size_t n)
{
    size_t free_from = 0;

    for (size_t i = 0; i < n; i++) {
        const char *name = tl_history_firmware(&runs[i]);
        size_t x = LEFT + i * STEP;

        if (i > 0 && strcmp(runs[i].firmware, runs[i - 1].firmware) == 0)
            continue;
        fprintf(out, "<path d=\"M%zu %dv12\"/>", x - 2, TOP + HEIGHT + 2);
        if (x < free_from)
            continue;
        fprintf(out, "<text x=\"%zu\" y=\"%d\">", x, TOP + HEIGHT + 16);
        tl_put_xml_len(out, name, strlen(name) < 20 ? strlen(name) : 20);
        fputs("</text>", out);
        free_from = x + (strlen(name) < 20 ? strlen(name) + 1 : 21) * LABEL;
    }
}

void tl_history_page_bars(FILE *out, const struct tl_history_view *v, size_t series)
{
    const struct tl_history_series *s = &v->runs->series[series];
    size_t n = s->count > TL_HISTORY_BARS ? TL_HISTORY_BARS : s->count;
    const struct tl_history_run *runs = &v->runs->list[s->first + s->count - n];
    uint64_t most = 1;
    size_t width = LEFT + n * STEP + 160;

    for (size_t i = 0; i < n; i++)
        most = not_passed(&runs[i]) > most ? not_passed(&runs[i]) : most;
    fprintf(out,
            "<figure><svg class=\"bars\" width=\"%zu\" height=\"%d\" role=\"img\" "
            "aria-label=\"Cases that did not pass in each of the newest %zu runs\">"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%" PRIu64
            "</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>"
            "<path d=\"M%d %dH%zuM%d %dH%zu\"/>",
            width, TOP + HEIGHT + BELOW, n, LEFT - 8, TOP + 9, most, LEFT - 8, TOP + HEIGHT,
            LEFT - 4, TOP + HEIGHT, LEFT + n * STEP, LEFT - 4, TOP, LEFT + n * STEP);
    for (size_t i = 0; i < n; i++)
        put_bar(out, &runs[i], LEFT + i * STEP, most);
    put_firmwares(out, runs, n);
    fputs("</svg>\n<figcaption class=\"m key\">Cases that did not pass, by run and firmware: ",
          out);
    for (size_t k = KINDS; k-- > 0;)
        fprintf(out,
                "<span><svg viewBox=\"0 0 10 10\"><rect class=\"%s\" width=\"10\" "
                "height=\"10\"/></svg>%s</span>",
                kinds[k].class, kinds[k].word);
    fputs("</figcaption></figure>\n", out);
}

/* ---- the matrix ---- */

/* "9.1.6" of "9.1.6-ack-generation"; a name without a number is whole. */
static size_t number_len(const char *chapter)
{
    const char *dash = strchr(chapter, '-');

    return dash != NULL && isdigit((unsigned char)chapter[0]) ? (size_t)(dash - chapter)
                                                              : strlen(chapter);
}

static enum fal_verdict worst_of(const struct tl_history_chapter *c)
{
    for (int v = TL_VERDICTS - 1; v > FAL_VERDICT_NONE; v--)
        if (c->counted[v] > 0)
            return (enum fal_verdict)v;
    return FAL_VERDICT_NONE;
}

/* The bytes of the chapter's name that are shown: its number, if no neighbour has the same. */
static size_t shown_len(const struct tl_history_cell *cell, size_t i)
{
    const char *name = cell->chapters[i].name;
    size_t len = number_len(name);
    bool same = (i > 0 && number_len(cell->chapters[i - 1].name) == len &&
                 strncmp(cell->chapters[i - 1].name, name, len) == 0) ||
                (i + 1 < cell->num_chapters && number_len(cell->chapters[i + 1].name) == len &&
                 strncmp(cell->chapters[i + 1].name, name, len) == 0);

    return same ? strlen(name) : len;
}

void tl_history_page_chips(FILE *out, const struct tl_history_cell *cell)
{
    fputs("<ul class=\"chips\">", out);
    for (size_t i = 0; i < cell->num_chapters; i++) {
        const struct tl_history_chapter *c = &cell->chapters[i];
        enum fal_verdict worst = worst_of(c);
        const char *word = worst == FAL_VERDICT_NONE ? "none" : fal_verdict_name(worst);

        fputs("<li><span title=\"", out);
        tl_put_xml_short(out, c->name);
        fprintf(out, ": %s, %" PRIu64 " of %" PRIu64 " cases passed\" class=\"b %s\">", word,
                c->counted[FAL_VERDICT_PASS], c->cases, word);
        tl_put_xml_len(out, c->name, shown_len(cell, i));
        if (worst > FAL_VERDICT_PASS)
            fprintf(out, " %" PRIu64 "/%" PRIu64, c->counted[FAL_VERDICT_PASS], c->cases);
        fputs("</span>", out);
    }
    fputs("</ul>", out);
}

/* "<b>118</b> pass", in the colour of the verdict `of` where there is such a case. */
static void put_count(FILE *out, enum fal_verdict of, uint64_t n, const char *word)
{
    fprintf(out, "<li><span class=\"b %s\">%" PRIu64 " %s</span>",
            n > 0 ? fal_verdict_name(of) : "none", n, word);
}

/* How many cases passed, failed, and did neither. */
static void put_counts(FILE *out, const struct tl_history_run *run)
{
    const uint64_t *n = run->counted;

    fputs("<ul class=\"chips cnt\">", out);
    put_count(out, FAL_VERDICT_PASS, n[FAL_VERDICT_PASS], "pass");
    if (n[FAL_VERDICT_WARN] > 0)
        put_count(out, FAL_VERDICT_WARN, n[FAL_VERDICT_WARN], "warn");
    put_count(out, FAL_VERDICT_FAIL, n[FAL_VERDICT_FAIL], "fail");
    put_count(out, n[FAL_VERDICT_ERROR] > 0 ? FAL_VERDICT_ERROR : FAL_VERDICT_INCONC,
              n[FAL_VERDICT_INCONC] + n[FAL_VERDICT_ERROR], "undecided");
    fputs("</ul>", out);
}

/* The head of a column, which narrow screens show in each cell. */
static void put_profile(FILE *out, const char *name)
{
    fputs("profile ", out);
    tl_put_xml_short(out, name[0] != 0 ? name : "(none)");
}

static void put_cell(FILE *out, const struct tl_history_view *v, size_t firmware,
                     size_t profile)
{
    const struct tl_history_cell *cell = tl_history_cell(v->matrix, firmware, profile);
    const char *word;

    fputs(cell != NULL ? "<td data-head=\"" : "<td class=\"m\" data-head=\"", out);
    put_profile(out, v->matrix->profiles[profile]);
    if (cell == NULL) {
        fputs("\">not run", out);
        return;
    }
    word = fal_verdict_name(cell->run->verdict);
    fprintf(out, "\"><a class=\"b %s\" href=\"#cell-%" PRId64 "\">%s</a>", word, cell->run->id,
            word);
    put_counts(out, cell->run);
    fputs("<small>", out);
    tl_history_page_run(out, v, cell->run);
    fputs(cell->run->partial ? ", interrupted</small>" : "</small>", out);
    tl_history_page_chips(out, cell);
}

/* The line of a firmware; `lines`: so many of its device are shown, with it the first. */
static void put_line(FILE *out, const struct tl_history_view *v, size_t firmware, size_t lines)
{
    const struct tl_history_matrix *m = v->matrix;
    const char *name = m->firmwares[firmware].name;

    fputs("<tr>", out);
    if (lines > 0) {
        fprintf(out, "<th class=\"dev\" scope=\"rowgroup\" rowspan=\"%zu\">", lines);
        tl_put_xml_short(out, m->devices[m->firmwares[firmware].device]);
    }
    fputs("<th scope=\"row\">", out);
    tl_put_xml_short(out, name[0] != 0 ? name : "(unknown)");
    for (size_t p = 0; p < m->num_profiles; p++)
        put_cell(out, v, firmware, p);
    fputc('\n', out);
}

bool tl_history_page_shows(const struct tl_history_view *v, size_t firmware)
{
    const struct tl_history_matrix *m = v->matrix;
    size_t newer = 0;

    while (newer < firmware &&
           m->firmwares[firmware - newer - 1].device == m->firmwares[firmware].device)
        newer++;
    return v->rows == 0 || !v->lists || newer < FIRMWARES;
}

/* The lines of a device from that firmware on. Returns how many firmwares it has. */
static size_t put_device(FILE *out, const struct tl_history_view *v, size_t firmware)
{
    const struct tl_history_matrix *m = v->matrix;
    size_t n = 1, shown = 1;

    for (; firmware + n < m->num_firmwares &&
           m->firmwares[firmware + n].device == m->firmwares[firmware].device;
         n++)
        shown += tl_history_page_shows(v, firmware + n);
    for (size_t i = 0; i < shown; i++)
        put_line(out, v, firmware + i, i > 0 ? 0 : shown + (shown < n));
    if (shown < n)
        fprintf(out, "<tr><td class=\"m\" colspan=\"%zu\">%zu older firmwares are left out.\n",
                m->num_profiles + 1, n - shown);
    return n;
}

void tl_history_page_matrix(FILE *out, const struct tl_history_view *v)
{
    const struct tl_history_matrix *m = v->matrix;

    fputs("<section id=\"matrix\" aria-labelledby=\"hm\"><h2 id=\"hm\">Matrix</h2>\n<p "
          "class=\"m\">The newest run of each device, firmware and profile: its verdict, which "
          "leads to the details; how many cases passed, failed, or were undecided "
          "(inconclusive, or an error); and the chapters of the suite. A chapter in which "
          "cases did not pass shows how many did.</p>\n<div class=\"x\"><table "
          "class=\"mx\"><thead><tr><th scope=\"col\">device<th scope=\"col\">firmware",
          out);
    for (size_t p = 0; p < m->num_profiles; p++) {
        fputs("<th scope=\"col\">", out);
        put_profile(out, m->profiles[p]);
    }
    fputs("</thead><tbody>\n", out);
    for (size_t f = 0; f < m->num_firmwares;)
        f += put_device(out, v, f);
    fputs("</tbody></table></div></section>\n", out);
}
