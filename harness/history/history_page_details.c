/* SPDX-License-Identifier: Apache-2.0
 * history_page_details.c - what a click on a cell of the matrix leads to: a section for each
 * run, without a script. */
#include "harness/history/history_page.h"

#include "reports/base/utf8.h"

#include <inttypes.h>

static void put_head(FILE *out, const struct tl_history_run *run)
{
    char date[TL_HISTORY_TIME];
    const char *word = fal_verdict_name(run->verdict);

    tl_history_time_text(run->time, true, date);
    fprintf(out,
            "<section class=\"cell\" id=\"cell-%" PRId64 "\" aria-labelledby=\"hc-%" PRId64
            "\"><h3 id=\"hc-%" PRId64 "\">",
            run->id, run->id, run->id);
    tl_put_xml_short(out, run->device);
    fputs(", firmware ", out);
    tl_put_xml_short(out, tl_history_firmware(run));
    fputs(", profile ", out);
    tl_put_xml_short(out, tl_history_profile(run));
    fprintf(out, " <span class=\"b %s\">%s</span></h3>\n<p class=\"m\">Run %" PRId64 ", %s%s",
            word, word, run->id, date, run->live ? ", in real time" : ", in virtual time");
    fputs(run->partial ? ", interrupted; Talon " : "; Talon ", out);
    tl_put_xml_short(out, run->tool);
    fprintf(out, "; %" PRIu64 " of %" PRIu64 " cases passed. ", run->counted[FAL_VERDICT_PASS],
            run->cases);
    if (run->certificate[0] != 0) {
        fputs("Certificate of ", out);
        tl_put_xml_short(out, run->certificate);
        fputs(". ", out);
    }
    fputs("<a href=\"#matrix\">Back to the matrix</a></p>\n", out);
}

static void put_verdict(FILE *out, enum fal_verdict verdict)
{
    fprintf(out, "<tr><td class=\"word\"><span class=\"b %s\">%s</span>",
            fal_verdict_name(verdict), fal_verdict_name(verdict));
}

static void put_table(FILE *out, const char *caption, const char *head, const char *column)
{
    fprintf(out,
            "<div class=\"x\"><table class=\"dt\"><caption>%s</caption><thead><tr><th "
            "scope=\"col\">verdict<th scope=\"col\">%s<th scope=\"col\">%s</thead><tbody>\n",
            caption, head, column);
}

static void put_name(FILE *out, const struct tl_history_detail *d)
{
    fputs("<td class=\"what\"><code>", out);
    tl_put_xml_short(out, d->name);
    fputs("</code><br><small>", out);
    tl_put_xml_short(out, d->text);
    fputs("</small>", out);
}

static void put_causes(FILE *out, const struct tl_history_details *causes)
{
    put_table(out, "Causes", "requirement or reason", "cases");
    for (size_t i = 0; i < causes->count; i++) {
        put_verdict(out, causes->list[i].verdict);
        put_name(out, &causes->list[i]);
        fprintf(out, "<td>%" PRIu64 "\n", causes->list[i].cases);
    }
    fputs("</tbody></table></div>\n", out);
}

static void put_cases(FILE *out, const struct tl_history_details *cases, uint64_t all)
{
    put_table(out, "Cases that did not pass", "case", "reason");
    for (size_t i = 0; i < cases->count; i++) {
        put_verdict(out, cases->list[i].verdict);
        put_name(out, &cases->list[i]);
        fputs("<td>", out);
        tl_put_xml_short(out, cases->list[i].reason);
        fputc('\n', out);
    }
    fputs("</tbody></table></div>\n", out);
    if (all > cases->count)
        fprintf(out, "<p class=\"m\">%" PRIu64 " more cases are left out.</p>\n",
                all - cases->count);
}

static void put_cell(FILE *out, const struct tl_history_cell *cell)
{
    const uint64_t *n = cell->run->counted;
    uint64_t bad = n[FAL_VERDICT_WARN] + n[FAL_VERDICT_INCONC] + n[FAL_VERDICT_FAIL] +
                   n[FAL_VERDICT_ERROR];

    put_head(out, cell->run);
    tl_history_page_chips(out, cell);
    if (cell->causes.count > 0)
        put_causes(out, &cell->causes);
    if (cell->bad.count > 0)
        put_cases(out, &cell->bad, bad);
    if (bad == 0)
        fputs("<p>Every case that ran passed.</p>\n", out);
    fputs("</section>\n", out);
}

void tl_history_page_details(FILE *out, const struct tl_history_view *v)
{
    const struct tl_history_matrix *m = v->matrix;

    fputs("<section id=\"details\" aria-labelledby=\"hd\"><h2 id=\"hd\">Details</h2>\n", out);
    for (size_t i = 0; i < m->num_cells; i++)
        if (tl_history_page_shows(v, m->cells[i].firmware))
            put_cell(out, &m->cells[i]);
    fputs("</section>\n", out);
}
