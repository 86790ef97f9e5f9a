/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/lab/lab_page.h"

#include "harness/lab/lab_plots.h"
#include "harness/lab/lab_text.h"
#include "reports/base/utf8.h"
#include "reports/html/html_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- the page ---- */

/* Parameters that differ from their defaults, each between two texts. Returns how many. */
static unsigned put_changed(FILE *out, const struct fal_swift_params *params,
                            const char *before, const char *behind)
{
    struct fal_swift_params defaults;
    size_t n;
    const struct fal_swift_param *list = fal_swift_param_table(&n);
    unsigned changed = 0;

    fal_swift_params_default(&defaults);
    for (size_t i = 0; i < n; i++) {
        double value = fal_swift_param_get(&list[i], params);

        if (value == fal_swift_param_get(&list[i], &defaults))
            continue;
        fprintf(out, "%s%s=%.10g%s", before, list[i].name, value, behind);
        changed++;
    }
    return changed;
}

static void put_params(FILE *out, const struct fal_swift_params *params)
{
    fputs("<p>Parameters of Swift and PLB:", out);
    if (put_changed(out, params, " <code>", "</code>,") > 0)
        fputs(" the others have their defaults", out);
    else
        fputs(" all have their defaults", out);
    fputs(
        " (<code>talon help swift</code>). The model is described in docs/congestion.md.</p>\n",
        out);
}

static void put_foreign(FILE *out, const struct tl_lab_foreign *foreign)
{
    if (foreign->all != NULL) {
        fputs(" --sut '", out);
        tl_put_xml(out, foreign->all);
        fputs("'", out);
    }
    for (size_t i = 0; i < foreign->count; i++) {
        fprintf(out, " --foreign '%" PRIu32 "=", foreign->list[i].flow);
        tl_put_xml(out, foreign->list[i].where);
        fputs("'", out);
    }
}

/* The command that plays the case again. */
static void put_command(const struct tl_lab_page *page, const struct fal_lab_ask *ask)
{
    const struct fal_lab_experiment *e = page->experiment;
    FILE *out = page->html;

    fprintf(out, "<p class=\"m\">Reproduce with: <code>talon lab %s", e->name);
    if (e->flows_given)
        fprintf(out, " --flows %" PRIu32, ask->flows);
    fprintf(out, " --seed %" PRIu64 " --rate %" PRIu64 "Mb/s", ask->seed,
            ask->rate_bps / 1000000);
    if (ask->time_ps != e->time_ps(ask))
        fprintf(out, " --time %" PRIu64 "ns", ask->time_ps / 1000);
    if (ask->endpoints)
        fputs(" --player endpoint", out);
    put_foreign(out, page->foreign);
    if (page->algorithm != NULL) {
        fputs(" --algorithm 'lib:", out);
        tl_put_xml(out, page->algorithm);
        fputs("'", out);
    }
    for (unsigned i = 0; i < FAL_LAB_SETTINGS_MAX; i++) {
        const struct fal_lab_setting s = fal_lab_setting_at(e, i);

        if (s.name != NULL)
            fprintf(out, " --set %s=%" PRIu32, s.name, ask->settings[i]);
    }
    (void)put_changed(out, &ask->swift->params, " --param ", "");
    fputs("</code></p>\n", out);
}

void tl_lab_page_begin(const struct tl_lab_page *page, const struct fal_swift_params *params)
{
    const struct fal_lab_experiment *e = page->experiment;
    FILE *out = page->html;

    if (out == NULL)
        return;
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        out);
    fprintf(out, "<title>talon lab %s</title>\n<style>%s\n%s\n", e->name, tl_html_style,
            tl_plot_style);
    fputs(
        "body{max-width:100rem}.p{display:grid;gap:1rem;"
        "grid-template-columns:repeat(auto-fit,minmax(min(100%,40rem),1fr))}figure{max-width:60rem;"
        "margin:0}h2{margin-top:2em}figcaption{color:var(--mute);font-size:.9em}"
        "table.v{width:auto;max-width:60rem;margin-bottom:1em}table.v td,table.v th{padding-right:1.6em}"
        "table.v td.n{width:auto}</style></head>\n<body>\n<main>\n",
        out);
    fprintf(out, "<h1>%s (%s)</h1>\n<p class=\"lead\">", e->name, e->number);
    tl_put_xml(out, e->about);
    fputs("</p>\n", out);
    put_params(out, params);
    fputs("<p class=\"m\">A band is where a value lies with the default parameters. A value "
          "outside is a warning: quality is no requirement of the specification.</p>\n",
          out);
}

static void put_values(FILE *out, const struct fal_lab_outcome *outcome)
{
    fputs(
        "<div class=\"x\"><table class=\"v\"><thead><tr><th scope=\"col\">value<th scope=\"col\" "
        "class=\"n\">measured<th scope=\"col\">unit<th scope=\"col\">band<th scope=\"col\">"
        "</tr></thead><tbody>\n",
        out);
    for (unsigned i = 0; i < outcome->n_values; i++) {
        const struct fal_lab_value *value = &outcome->values[i];
        char number[32], band[80];

        tl_lab_number_text(number, value->milli, value->whole);
        tl_lab_band_text(band, value);
        fputs("<tr><th scope=\"row\">", out);
        tl_put_xml(out, value->name);
        fprintf(out, "<td class=\"n\">%s<td>%s<td>%s<td>", number, value->unit, band);
        if (value->banded)
            fputs(fal_lab_outside(value) ? "<span class=\"b warn\">warn</span>"
                                         : "<span class=\"b pass\">in band</span>",
                  out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- plots ---- */

struct drawing {
    const struct tl_lab_page *page;
    uint32_t flows;
    int rc;
    struct fal_error *err;
};

static void draw_file(struct drawing *d, const char *name, const struct tl_plot *plot)
{
    char path[4096];
    FILE *file;
    int n = snprintf(path, sizeof path, "%s/%s-%" PRIu32 "-%s.svg", d->page->dir,
                     d->page->experiment->name, d->flows, name);

    if (n < 0 || (size_t)n >= sizeof path) {
        d->rc = fal_fail(d->err, FAL_ERR_IO, "--plots: the path is too long");
        return;
    }
    file = fopen(path, "we");
    if (file == NULL) {
        d->rc = fal_fail(d->err, FAL_ERR_IO, "%s: %s", path, strerror(errno));
        return;
    }
    tl_plot_svg(file, plot, true);
    if (fflush(file) != 0 || ferror(file) != 0)
        d->rc = fal_fail(d->err, FAL_ERR_IO, "%s: %s", path, strerror(errno));
    (void)fclose(file);
}

static void draw(void *ctx, const char *name, const struct tl_plot *plot, const char *look)
{
    struct drawing *d = ctx;

    if (d->page->html != NULL) {
        fputs("<figure>\n", d->page->html);
        tl_plot_svg(d->page->html, plot, false);
        fprintf(d->page->html, "<figcaption>%s</figcaption>\n</figure>\n", look);
    }
    if (d->page->dir != NULL && d->rc == 0)
        draw_file(d, name, plot);
}

int tl_lab_page_case(struct tl_lab_page *page, const struct fal_lab_ask *ask,
                     const struct fal_lab_outcome *out, const struct fal_lab_series *series,
                     struct fal_error *err)
{
    struct drawing d = {.page = page, .flows = ask->flows, .err = err};
    char prefix[16];

    (void)snprintf(prefix, sizeof prefix, "c%u-", ++page->cases);
    if (page->html != NULL) {
        fputs("<section>\n<h2>", page->html);
        tl_lab_put_case(page->html, page->experiment, ask);
        fputs("</h2>\n", page->html);
        put_command(page, ask);
        put_values(page->html, out);
    }
    if (page->html != NULL)
        fputs("<div class=\"p\">\n", page->html);
    if (tl_lab_plots_draw(series, page->experiment->name, prefix, draw, &d) != 0)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (page->html != NULL)
        fputs("</div>\n</section>\n", page->html);
    return d.rc;
}

void tl_lab_page_end(const struct tl_lab_page *page)
{
    if (page->html != NULL)
        fputs("</main>\n</body></html>\n", page->html);
}
