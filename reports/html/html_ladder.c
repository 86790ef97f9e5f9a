/* SPDX-License-Identifier: Apache-2.0
 * html_ladder.c - the ladder diagram of a case: time runs downwards, the tester's axis on the
 * left, the SUT's on the right. Beneath it the same as a table, which is what a screen reader
 * reads and where a click leads without scripts. */
#include "codecs/base/hex.h"
#include "reports/html/html_impl.h"

#include "codecs/header/falcon.h"
#include "codecs/json/json.h"
#include "reports/base/memory_file.h"
#include "reports/base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW = 25,     /* height of what happened */
    TOP = 34,     /* of the axes */
    TESTER = 232, /* where the axes stand */
    SUT = 628,
    WIDTH = 860,
    SLOPE = 3,  /* half of it: a packet takes its time */
    LABEL = 54, /* characters of a packet's label, */
    SIDE = 25,  /* and of what stands beside an axis */
};

/* The first characters of a text. */
static void put_short(FILE *out, const char *text, size_t most)
{
    const char *end = text + strnlen(text, 400);
    size_t n = 0;

    while (text < end && n < most) {
        const char *at = text;

        (void)tl_utf8_next(&text, end);
        tl_put_xml_len(out, at, (size_t)(text - at));
        n++;
    }
    if (text < end)
        fputs("…", out);
}

static void put_packet(const struct tl_html *h, const struct tl_flow_item *item, size_t i,
                       int y)
{
    bool lost = item->kind == TL_FLOW_LOST;
    int from = item->to_sut ? TESTER : SUT, to = item->to_sut ? SUT : TESTER;
    int end = lost ? (from + to) / 2 : item->dropped ? to + (item->to_sut ? -60 : 60) : to;

    fprintf(h->out, "<a href=\"#p%zu-%zu\" class=\"k%s%s%s\"><path d=\"M%d %dL%d %d\"/>",
            h->number, i, item->marked ? " e" : "", item->again ? " r" : "",
            lost || item->dropped ? " l" : "", from, y - SLOPE, end, lost ? y : y + SLOPE);
    if (lost || item->dropped)
        fprintf(h->out, "<path class=\"x\" d=\"M%d %dl10 10m-10 0l10 -10\"/>", end - 5,
                y - (lost ? 5 : 1));
    fprintf(h->out, "<text x=\"%d\" y=\"%d\">", (TESTER + SUT) / 2, y - 6);
    if (item->marked)
        fputs("▶ ", h->out);
    if (item->again)
        fputs("↻ ", h->out);
    put_short(h->out, item->text != NULL ? item->text : "", LABEL);
    fputs("</text></a>", h->out);
}

static void put_side(const struct tl_html *h, const char *class, int x, int y, const char *sign,
                     const char *text)
{
    fprintf(h->out, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s", class, x, y + 4, sign);
    put_short(h->out, text != NULL ? text : "", *class == 'n' ? LABEL : SIDE);
    fputs("</text>", h->out);
}

static void put_item(const struct tl_html *h, const struct tl_flow_item *item, size_t i, int y)
{
    switch (item->kind) {
    case TL_FLOW_PACKET:
    case TL_FLOW_LOST: put_packet(h, item, i, y); break;
    case TL_FLOW_TIMER:
        fprintf(h->out, "<circle class=\"c\" cx=\"%d\" cy=\"%d\" r=\"4\"/>", TESTER, y);
        put_side(h, "s c", TESTER - 8, y, "", item->text);
        break;
    case TL_FLOW_STEP: {
        char number[24];

        (void)snprintf(number, sizeof number, "%" PRId32 ": ", item->step + 1);
        put_side(h, "s", TESTER - 8, y, number, item->text);
        break;
    }
    case TL_FLOW_ULP:
        fprintf(h->out, "<circle cx=\"%d\" cy=\"%d\" r=\"3\"/>", SUT, y);
        put_side(h, item->marked ? "u e" : "u", SUT + 8, y, "", item->text);
        break;
    case TL_FLOW_MARK: put_side(h, "n", (TESTER + SUT) / 2, y, "⚑ ", item->text); break;
    case TL_FLOW_NOTE: put_side(h, "n", (TESTER + SUT) / 2, y, "", item->text); break;
    case TL_FLOW_GAP:
        fprintf(h->out, "<text class=\"n\" x=\"%d\" y=\"%d\">⋮ %" PRIu64 " left out</text>",
                (TESTER + SUT) / 2, y + 4, item->event);
        break;
    }
}

/* Behind which item the first problem showed: its evidence, or the last before its time. */
static size_t shown_behind(const struct tl_case *c)
{
    const struct tl_problem *p = &c->problems[0];
    size_t at = c->num_flow;

    for (size_t i = 0; i < c->num_flow; i++) {
        bool evidence = false;

        for (size_t k = 0; k < p->num_evidence; k++)
            evidence |= c->flow[i].kind != TL_FLOW_GAP && c->flow[i].event == p->evidence[k];
        if (evidence && c->flow[i].t_ns >= p->t_ns)
            at = i;
    }
    for (size_t i = 0; at == c->num_flow && i < c->num_flow; i++)
        if (c->flow[i].t_ns <= p->t_ns &&
            (i + 1 == c->num_flow || c->flow[i + 1].t_ns > p->t_ns))
            at = i;
    return at < c->num_flow ? at : c->num_flow - 1;
}

static void put_failing(const struct tl_html *h, const struct tl_case *c, int y)
{
    const struct tl_problem *p = &c->problems[0];
    char word[32];

    (void)snprintf(word, sizeof word, "%s: ", fal_verdict_name(p->verdict));
    fprintf(h->out,
            "<path class=\"f\" d=\"M%d %dH%d\"/><text class=\"f\" x=\"%d\" y=\"%d\">%s %s",
            TESTER, y + 6, SUT, (TESTER + SUT) / 2, y + 2,
            p->verdict == FAL_VERDICT_INCONC ? "?" : "✗", word);
    put_short(h->out, p->expected != NULL ? p->expected : p->reason.word, LABEL - 16);
    fputs("</text>", h->out);
}

static void put_svg(const struct tl_html *h, const struct tl_case *c)
{
    size_t failing = c->num_problems > 0 ? shown_behind(c) : c->num_flow;
    int height = TOP + (int)(c->num_flow + 2) * ROW, y = TOP + ROW;
    char before[40] = "", now[40];

    fprintf(
        h->out,
        "<svg class=\"w\" viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"Ladder diagram; the "
        "table below says the same\"><path class=\"a\" d=\"M%d 24V%dM%d 24V%d\"/>"
        "<text class=\"h\" x=\"%d\" y=\"16\">tester</text><text class=\"h\" x=\"%d\" y=\"16\">SUT</text>",
        WIDTH, height, TESTER, height, SUT, height, TESTER, SUT);
    for (size_t i = 0; i < c->num_flow; i++, y += ROW) {
        const struct tl_flow_item *item = &c->flow[i];

        tl_html_time(item->t_ns, now, sizeof now);
        if (item->kind != TL_FLOW_GAP && strcmp(now, before) != 0) {
            fprintf(h->out, "<text class=\"t\" x=\"0\" y=\"%d\">%s</text>", y + 4, now);
            memcpy(before, now, sizeof before);
        }
        put_item(h, item, i, y);
        if (i == failing) {
            y += ROW;
            put_failing(h, c, y);
        }
    }
    fputs("</svg>\n", h->out);
}

static const char *word_of(const struct tl_flow_item *item)
{
    switch (item->kind) {
    case TL_FLOW_PACKET:
        if (item->dropped)
            return item->to_sut ? "to the SUT, lost" : "from the SUT, lost";
        if (item->again)
            return item->to_sut ? "to the SUT, again" : "from the SUT, again";
        return item->to_sut ? "to the SUT" : "from the SUT";
    case TL_FLOW_LOST: return item->to_sut ? "to the SUT, lost" : "from the SUT, lost";
    case TL_FLOW_TIMER: return "timer";
    case TL_FLOW_STEP: return "step";
    case TL_FLOW_ULP: return "SUT's upper layer";
    case TL_FLOW_MARK: return "bench";
    case TL_FLOW_NOTE: return "note";
    case TL_FLOW_GAP: break;
    }
    return "left out";
}

static void put_table(const struct tl_html *h, const struct tl_case *c)
{
    fputs("<details class=\"d\"><summary>The same as a table, with headers</summary>"
          "<table><thead><tr><th scope=\"col\">time<th scope=\"col\">what<th scope=\"col\">"
          "text<th scope=\"col\">header</thead><tbody>\n",
          h->out);
    for (size_t i = 0; i < c->num_flow; i++) {
        const struct tl_flow_item *item = &c->flow[i];
        char now[40], hex[2 * TL_FLOW_HEAD + 1];

        tl_html_time(item->t_ns, now, sizeof now);
        fprintf(h->out, "<tr id=\"p%zu-%zu\"%s><td>%s<td>%s%s<td>", h->number, i,
                item->marked ? " class=\"e\"" : "", now, word_of(item),
                item->marked ? ", evidence" : "");
        if (item->kind == TL_FLOW_GAP)
            fprintf(h->out, "%" PRIu64 " others", item->event);
        else if (item->kind == TL_FLOW_STEP)
            fprintf(h->out, "%" PRId32 ": ", item->step + 1);
        tl_html_put(h, item->text != NULL ? item->text : "");
        hex[0] = 0;
        if (item->head_len > 0)
            fal_hex_write(item->head, item->head_len, hex);
        fprintf(h->out, "<td>%s\n", hex);
    }
    fputs("</tbody></table></details>\n", h->out);
}

int tl_html_ladder(struct tl_html *h, const struct tl_case *c)
{
    FILE *page = h->out;
    struct tl_memory_file part;

    if (c->num_flow == 0)
        return 0;
    if (tl_memory_open(&part) == 0) {
        h->out = part.out;
        fputs("<figure>\n", h->out);
        put_svg(h, c);
        fputs("<div class=\"o\" aria-live=\"polite\"></div>", h->out);
        put_table(h, c);
        fputs("</figure>\n", h->out);
        h->out = page;
    }
    if (tl_memory_close(&part) != 0)
        return FAL_ERR_MEM;
    if (tl_html_has_room(h, part.len)) {
        (void)fwrite(part.text, 1, part.len, page);
        h->ladders += part.len;
    } else {
        h->without++;
        fputs("<p class=\"m\">The page has grown to its size: the diagram of this case is left "
              "out; its evidence has the packets.</p>\n",
              page);
    }
    free(part.text);
    return 0;
}

/* Once a page: name, and of each field name, first bit, width, whether its low half comes
 * first, and what its values are called. */
void tl_html_layouts(const struct tl_html *h)
{
    bool first = true;

    fputs("const L={", h->out);
    for (unsigned type = 0; type < 16; type++) {
        const struct fal_layout *layout = fal_falcon_layout(type);

        if (layout == NULL)
            continue;
        fprintf(h->out, "%s%u:[\"%s\",[", first ? "" : ",\n", type, layout->name);
        first = false;
        for (size_t i = 0; i < layout->num_fields; i++) {
            const struct fal_field *f = &layout->fields[i];

            fprintf(h->out, "%s[\"%s\",%u,%u,%d,{", i > 0 ? "," : "", f->name,
                    (unsigned)f->offset_bits, (unsigned)f->width_bits, f->low_first ? 1 : 0);
            for (size_t k = 0; f->names != NULL && k < f->names->count; k++)
                fprintf(h->out, "%s%" PRIu64 ":\"%s\"", k > 0 ? "," : "",
                        f->names->entries[k].value, f->names->entries[k].name);
            fputs("}]", h->out);
        }
        fputs("]]", h->out);
    }
    fputs("};\n", h->out);
}
