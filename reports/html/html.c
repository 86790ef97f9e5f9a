/* SPDX-License-Identifier: Apache-2.0
 * html.c - results as one page that needs nothing else: no network, no script (search, filters
 * and decoded headers come with it), any screen, paper, or a reader. What a SUT said is text in
 * it, wherever it stands, and a policy within the page forbids all that it did not bring. */
#include "reports/html/html_impl.h"

#include "codecs/base/time_text.h"
#include "oracles/payload.h"
#include "reports/base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 9 << 20, /* bytes that cases with their diagrams may take */
    CASE = 1250,    /* of a case, at least, without one */
};

bool tl_html_has_room(const struct tl_html *h, size_t bytes)
{
    const struct tl_tally *t = &h->overview.tally;
    size_t plain = h->written > 1 ? (h->bytes - h->ladders) / (h->written - 1) : CASE;
    size_t left = t->cases - h->written + 1, bad = 0;

    for (int v = FAL_VERDICT_PASS + 1; v < TL_VERDICTS; v++)
        bad += t->counted[v];
    bad = bad > h->written ? bad - h->written : 0; /* they come first, and are longer */
    plain = plain > CASE ? plain * 5 / 4 : CASE;
    plain = bad * plain < PAGE / 2 ? bad * plain : PAGE / 2; /* of what does not fit, the rest
                                                                is brief */
    return h->bytes + bytes + plain + (left - bad) * CASE < PAGE;
}

bool tl_html_full(const struct tl_html *h)
{
    return h->bytes + (h->overview.tally.cases - h->written + 1) * CASE >= PAGE;
}

void tl_html_put(const struct tl_html *h, const char *text)
{
    tl_put_xml_short(h->out, text);
}

void tl_html_badge(const struct tl_html *h, const char *verdict, const char *word)
{
    fprintf(h->out, "<span class=\"b %s\">%s</span>", verdict, word);
}

void tl_html_requirement(const struct tl_html *h, const struct fal_requirement *r)
{
    fputs(" <a href=\"#r-", h->out);
    tl_html_put(h, r->id);
    fputs("\">", h->out);
    tl_html_put(h, r->id);
    fputs("</a>", h->out);
}

void tl_html_anchor(const struct tl_html *h, const char *id)
{
    fprintf(h->out, "c%016" PRIx64, fal_payload_hash((const uint8_t *)id, strlen(id)));
}

static void put_fact(const struct tl_html *h, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(h->out, "<dt>%s<dd><code>", name);
    tl_html_put(h, text);
    fputs("</code>\n", h->out);
}

/* What was learned because nobody declared it, and what that costs. */
static void put_learned(const struct tl_html *h)
{
    const struct tl_results *r = h->results;
    char line[TL_LEARNED_LINE];

    for (size_t i = 0; tl_learned_line(&r->learned, i, line); i++)
        put_fact(h, i == 0 ? "turnaround" : i == 1 ? "to declare" : "finding", line);
    if (r->num_weak == 0)
        return;
    fputs("<dt>weakened rules<dd><code>", h->out);
    for (size_t i = 0; i < r->num_weak; i++) {
        if (i > 0)
            fputc(' ', h->out);
        tl_html_put(h, r->weak[i].rule->id);
    }
    fputs("</code>\n", h->out);
}

/* Rules that decide nothing with the values of the SUT, where a case has no other ones. */
static void put_ratios(const struct tl_html *h)
{
    const struct tl_results *r = h->results;

    for (size_t i = 0; i < r->num_low; i++) {
        fputs("<dt>below its ratio<dd>rule ", h->out);
        tl_html_put(h, r->low[i].rule->id);
        fputs(", where a case has no values of its own: ", h->out);
        tl_html_put(h, r->low[i].why);
        fputc('\n', h->out);
    }
}

/* Declared values that take rules their power. */
static void put_costly(const struct tl_html *h)
{
    const struct tl_results *r = h->results;

    for (size_t i = 0; i < r->num_costly; i++) {
        fputs("<dt>declared value<dd>", h->out);
        tl_html_put(h, r->costly[i].why);
        fputc('\n', h->out);
    }
}

/* The path, and rules that excused too much by losses. */
static void put_suspects(const struct tl_html *h)
{
    char text[TL_SPENT_TEXT];

    if (tl_path_text(h->overview.path, text))
        fprintf(h->out, "<dt>path<dd>%s\n", text);
    for (size_t i = 0; i < h->overview.num_suspects; i++) {
        fputs("<dt>excuses<dd>", h->out);
        tl_spent_text(&h->overview.suspects[i], text);
        tl_html_put(h, text);
        fputc('\n', h->out);
    }
}

static void put_head(const struct tl_html *h)
{
    const struct tl_results *r = h->results;
    const char *verdict = fal_verdict_name(tl_tally_verdict(&h->overview.tally, r));

    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"talon\"><link rel=\"icon\" href=\"data:,\">\n<title>",
        h->out);
    fprintf(h->out, "Talon: %s, ", verdict);
    tl_html_put(h, r->product_name != NULL ? r->product_name : r->sut);
    fputs("</title>\n<style>\n", h->out);
    fputs(tl_html_style, h->out);
    fputs(
        "</style></head>\n<body><a class=\"skip\" href=\"#cases\">To the cases</a>\n"
        "<svg id=\"am\" aria-hidden=\"true\"><marker id=\"ah\" viewBox=\"0 0 8 8\" refX=\"8\" "
        "refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" "
        "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></svg>\n<header><h1>",
        h->out);
    tl_html_put(h, r->product_name != NULL ? r->product_name : r->sut);
    fputc(' ', h->out);
    tl_html_badge(h, verdict, verdict);
    fputs("</h1>\n", h->out);
    tl_html_sentence(h);
    fputs(
        "<nav aria-label=\"Parts of this page\"><a href=\"#summary\">Summary</a><a "
        "href=\"#cases\">Cases</a><a href=\"#requirements\">Requirements</a></nav>\n</header>\n<main>\n",
        h->out);
}

/* The device, the tool, and how the run was made. */
static void put_run(const struct tl_html *h)
{
    const struct tl_results *r = h->results;
    char number[48];

    fputs("<h3>Device and run</h3><dl>", h->out);
    put_fact(h, "SUT", r->sut);
    put_fact(h, "says it is", r->product);
    put_fact(h, "vendor", r->vendor);
    put_fact(h, "product", r->product_name);
    put_fact(h, "firmware", r->firmware);
    put_fact(h, "profile", r->profile);
    (void)snprintf(number, sizeof number, "%" PRIu64 "%s", r->seed,
                   r->live ? ", in real time" : ", in virtual time");
    put_fact(h, "seed", number);
    if (r->answer_max_ns > 0) {
        char measured[200];

        (void)snprintf(measured, sizeof measured,
                       "timers up to %s late; the SUT's control answers in %s to %s",
                       fal_time_rounded(r->timer_late_ns).text,
                       fal_time_rounded(r->answer_min_ns).text,
                       fal_time_rounded(r->answer_max_ns).text);
        put_fact(h, "measured", measured);
    }
    put_learned(h);
    put_ratios(h);
    put_costly(h);
    put_suspects(h);
    if (r->shards > 0) {
        (void)snprintf(number, sizeof number, "%u of %u", r->shard, r->shards);
        put_fact(h, r->shard > 0 ? "shard" : "shards missing", number);
    }
    put_fact(h, "talon", r->version);
    put_fact(h, "judged against", "OCP Falcon Transport Protocol, Rev 0.9");
    if (r->interrupted)
        put_fact(h, "the run", "was interrupted");
    fputs("</dl>\n", h->out);
}

static void put_tile(const struct tl_html *h, size_t n, const char *verdict, const char *word)
{
    fprintf(h->out, "<li><strong>%zu</strong>", n);
    tl_html_badge(h, verdict, word);
}

static void put_groups(const struct tl_html *h, const char *title,
                       const struct tl_groups *groups)
{
    static const enum fal_verdict columns[] = {FAL_VERDICT_PASS,  FAL_VERDICT_WARN,
                                               FAL_VERDICT_FAIL,  FAL_VERDICT_INCONC,
                                               FAL_VERDICT_ERROR, FAL_VERDICT_NONE};

    if (groups->count == 0 || (groups->count == 1 && groups->list[0].name[0] == 0))
        return;
    fprintf(
        h->out,
        "<div class=\"x\"><table><caption>By %s</caption><thead><tr><th scope=\"col\">%s<th class=\"n\" scope=\"col\">cases",
        title, title);
    for (size_t k = 0; k < 6; k++)
        fprintf(h->out, "<th class=\"n\" scope=\"col\">%s",
                columns[k] == FAL_VERDICT_NONE ? "other" : fal_verdict_name(columns[k]));
    fputs("</thead><tbody>\n", h->out);
    for (size_t i = 0; i < groups->count; i++) {
        const struct tl_group *g = &groups->list[i];

        fputs("<tr><th scope=\"row\">", h->out);
        tl_html_put(h, g->name[0] != 0 ? g->name : "none");
        fprintf(h->out, "<td class=\"n\">%zu", g->cases);
        for (size_t k = 0; k < 6; k++)
            fprintf(h->out,
                    g->counted[columns[k]] > 0 ? "<td class=\"n\">%zu" : "<td class=\"n\">·",
                    g->counted[columns[k]]);
        fputc('\n', h->out);
    }
    fputs("</tbody></table></div>\n", h->out);
}

static void put_waivers(const struct tl_html *h)
{
    const struct tl_results *r = h->results;

    if (r->num_waivers == 0)
        return;
    fputs(
        "<h3>Waivers</h3><div class=\"x\"><table><thead><tr><th scope=\"col\">id<th "
        "scope=\"col\">kind<th scope=\"col\">what became of it<th class=\"n\" scope=\"col\">cases<th "
        "scope=\"col\">reason</thead><tbody>\n",
        h->out);
    for (size_t i = 0; i < r->num_waivers; i++) {
        const struct tl_waiver_use *use = &r->waivers[i];
        bool web = use->link != NULL && (strncmp(use->link, "https://", 8) == 0 ||
                                         strncmp(use->link, "http://", 7) == 0);

        fputs("<tr><th scope=\"row\">", h->out);
        tl_html_put(h, use->id);
        fputs("<td>", h->out);
        tl_html_put(h, use->kind);
        fprintf(h->out, "<td class=\"word\">%s<td class=\"n\">%zu<td class=\"long\">",
                use->state, use->cases);
        tl_html_put(h, use->reason != NULL ? use->reason : "");
        if (web) {
            fputs(" <a rel=\"noreferrer\" href=\"", h->out);
            tl_put_xml_short(h->out, use->link);
            fputs("\">", h->out);
        } else if (use->link != NULL) {
            fputc(' ', h->out);
        }
        if (use->link != NULL)
            tl_html_put(h, use->link);
        fputs(web ? "</a>\n" : "\n", h->out);
    }
    fputs("</tbody></table></div>\n", h->out);
}

static void put_readings(const struct tl_html *h)
{
    const struct tl_reading_use *use;

    if (h->results->num_readings == 0)
        return;
    fputs("<h3>Readings of unclear sentences that the SUT took</h3><ul>\n", h->out);
    for (size_t i = 0; (use = tl_results_reading(h->results, i)) != NULL; i++) {
        fputs("<li><b>", h->out);
        tl_html_put(h, use->id);
        fputs("</b> ", h->out);
        tl_html_put(h, use->text);
        fprintf(h->out, " (%zu case%s%s)\n", use->cases, use->cases == 1 ? "" : "s",
                use->alternative ? "; not the usual one" : "");
    }
    fputs("</ul>\n", h->out);
}

static void put_ics(const struct tl_html *h)
{
    const struct tl_results *r = h->results;

    if (r->num_ics == 0)
        return;
    fputs("<details><summary>ICS: what the SUT offers</summary><ul>\n", h->out);
    for (size_t i = 0; i < r->num_ics; i++) {
        fputs("<li>", h->out);
        tl_html_put(h, r->ics[i].item);
        fprintf(h->out, ": %s%s\n",
                r->ics[i].offered > 0    ? "yes"
                : r->ics[i].offered == 0 ? "no"
                                         : "nobody says",
                r->ics[i].denied ? "; <strong>the SUT itself says otherwise</strong>" : "");
    }
    fputs("</ul></details>\n", h->out);
}

/* What the probe found for each claim that was tested. */
static void put_probe(const struct tl_html *h)
{
    const struct tl_results *r = h->results;

    if (r->probe == NULL)
        return;
    fputs(
        "<h3>Probe: what the SUT does, held against its claims</h3><div class=\"x\"><table>"
        "<thead><tr><th scope=\"col\">ICS item<th scope=\"col\">says<th scope=\"col\">does"
        "<th class=\"n\" scope=\"col\">passed<th class=\"n\" scope=\"col\">failed<th scope=\"col\">finding</thead><tbody>\n",
        h->out);
    for (size_t i = 0; i < r->num_probe; i++) {
        const struct tl_probe_use *use = &r->probe[i];

        if (use->cases == 0)
            continue;
        fputs("<tr><th scope=\"row\">", h->out);
        tl_html_put(h, use->item);
        fprintf(
            h->out,
            "<td class=\"word\">%s<td class=\"word\">%s<td class=\"n\">%zu<td class=\"n\">%zu<td class=\"long\">%s",
            tl_probe_claim_name(use->claimed), tl_probe_seen_name(use->seen), use->passed,
            use->failed, use->finding != NULL ? use->finding : "");
        if (use->example != NULL) {
            fputs(use->finding != NULL ? ": <a href=\"#" : "<a href=\"#", h->out);
            tl_html_anchor(h, use->example);
            fputs("\"><code>", h->out);
            tl_html_put(h, use->example);
            fputs("</code></a>", h->out);
        }
        fputc('\n', h->out);
    }
    fputs("</tbody></table></div>\n", h->out);
}

/* The overview, first on the page. */
static int put_summary(const struct tl_html *h)
{
    static const enum fal_verdict order[] = {FAL_VERDICT_FAIL, FAL_VERDICT_ERROR,
                                             FAL_VERDICT_INCONC, FAL_VERDICT_WARN,
                                             FAL_VERDICT_PASS};
    const struct tl_tally *t = &h->overview.tally;
    int rc;

    fprintf(h->out,
            "<section id=\"summary\" aria-labelledby=\"hs\"><h2 id=\"hs\">Summary</h2>\n"
            "<ul class=\"tiles\"><li><strong>%zu</strong>case%s",
            t->cases, t->cases == 1 ? "" : "s");
    for (size_t i = 0; i < 5; i++)
        put_tile(h, t->counted[order[i]], fal_verdict_name(order[i]),
                 fal_verdict_name(order[i]));
    for (int d = TL_NOT_APPLICABLE; d <= TL_FLAKY; d++)
        if (t->disposed[d] > 0)
            put_tile(h, t->disposed[d], "none", tl_disposition_name((enum tl_disposition)d));
    fputs("</ul>\n", h->out);
    tl_html_causes(h);
    rc = tl_html_first(h);
    put_run(h);
    put_groups(h, "profile", &h->overview.profiles);
    put_groups(h, "chapter", &h->overview.chapters);
    put_waivers(h);
    put_readings(h);
    put_ics(h);
    put_probe(h);
    fputs("</section>\n", h->out);
    return rc;
}

static void put_filter(const struct tl_html *h)
{
    const struct tl_tally *t = &h->overview.tally;

    fputs("<form class=\"js\" id=\"cf\" hidden><label>Find <input type=\"search\" id=\"cs\" "
          "placeholder=\"name, title, requirement\"></label>",
          h->out);
    for (int v = TL_VERDICTS - 1; v > FAL_VERDICT_NONE; v--)
        if (t->ended[v] > 0)
            fprintf(h->out, "<label><input type=\"checkbox\" value=\"%s\"> %s</label>",
                    fal_verdict_name((enum fal_verdict)v),
                    fal_verdict_name((enum fal_verdict)v));
    for (int d = TL_NOT_APPLICABLE; d <= TL_FLAKY; d++)
        if (t->disposed[d] > 0)
            fprintf(h->out, "<label><input type=\"checkbox\" value=\"%s\"> %s</label>",
                    tl_disposition_name((enum tl_disposition)d),
                    tl_disposition_name((enum tl_disposition)d));
    fputs(
        "<button type=\"button\" id=\"open\">Open what did not pass</button><button "
        "type=\"button\" id=\"close\">Close all</button> <output id=\"co\" aria-live=\"polite\"></output></form>\n",
        h->out);
}

/* Cases by chapter, in their order: those that did not pass, or the others. */
static int put_part(struct tl_html *h, bool bad)
{
    struct tl_cases it;
    const struct tl_case *c;
    char *chapter = NULL;
    int rc = 0;

    h->number = 0;
    tl_cases_begin(&it, h->results);
    while (rc == 0 && (c = tl_cases_next(&it)) != NULL) {
        size_t len;
        const char *name = tl_overview_chapter(c->file, &len);

        h->number++;
        if ((tl_case_counts(c) > FAL_VERDICT_PASS) != bad)
            continue;
        if (chapter == NULL || strlen(chapter) != len || strncmp(chapter, name, len) != 0) {
            fputs(chapter != NULL ? "</div>\n<div><h3>" : "<div><h3>", h->out);
            free(chapter);
            chapter = strndup(name, len);
            if (chapter == NULL)
                rc = FAL_ERR_MEM;
            else
                tl_html_put(h, len > 0 ? chapter : "cases");
            fputs(bad ? ": not passed</h3>\n" : "</h3>\n", h->out);
        }
        rc = rc == 0 ? tl_html_case(h, c) : rc;
    }
    tl_cases_end(&it);
    fputs(chapter != NULL ? "</div>\n" : "", h->out);
    free(chapter);
    return rc != 0 ? rc : it.rc;
}

/* Failures come before passes. */
static int put_cases(struct tl_html *h)
{
    int rc;

    fputs("<section id=\"cases\" aria-labelledby=\"hc\"><h2 id=\"hc\">Cases</h2>\n", h->out);
    put_filter(h);
    rc = put_part(h, true);
    if (rc == 0)
        rc = put_part(h, false);
    fputs("</section>\n", h->out);
    return rc;
}

static int put_page(struct tl_html *h)
{
    int rc;

    put_head(h);
    rc = put_summary(h);
    if (rc == 0)
        rc = put_cases(h);
    tl_html_matrix(h);
    fputs("</main>\n<footer class=\"m\">", h->out);
    if (h->without > 0)
        fprintf(h->out, "%zu diagrams are left out for the size of the page. ", h->without);
    fputs("Written by talon.</footer>\n<script>\n", h->out);
    tl_html_layouts(h);
    fputs(tl_html_script, h->out);
    fputs("</script></body></html>\n", h->out);
    return rc;
}

int tl_report_html(FILE *out, const struct tl_results *results,
                   const struct tl_report_options *options)
{
    static const struct tl_report_options plain = {.evidence = NULL};
    struct tl_causes *own = NULL;
    struct tl_html h = {
        .out = out, .results = results, .options = options != NULL ? options : &plain};
    int rc = tl_overview_make(results, &h.overview, NULL);

    if (rc == 0)
        rc = tl_causes_use(results, h.options->causes, &own, &h.causes);
    if (rc == 0) {
        tl_causes_book(h.causes, &h.overview);
        rc = put_page(&h);
    }
    tl_overview_free(&h.overview);
    tl_causes_drop(own);
    return rc == 0 && ferror(out) ? FAL_ERR_IO : rc;
}
