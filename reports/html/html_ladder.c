/* SPDX-License-Identifier: Apache-2.0
 * html_ladder.c - the ladder diagram of a case: time runs downwards, the tester's axis on the
 * left, the SUT's on the right. Beneath it the same as a table, which is what a screen reader
 * reads and where a click leads without scripts. */
#include "codecs/base/hex.h"
#include "codecs/base/time_text.h"
#include "reports/html/html_impl.h"

#include "codecs/header/falcon.h"
#include "codecs/json/json.h"
#include "reports/base/memory_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOP = 24,     /* where the axes begin */
    FOOT = 6,     /* below the last entry */
    ROW = 25,     /* height of an entry of one line */
    TESTER = 280, /* where the axes stand */
    SUT = 740,
    WIDTH = 980,
    SLOPE = 3,          /* half of it: a packet takes its time */
    LABEL = 66,         /* characters of a line between the axes, */
    LEFT = 33,          /* left of them, */
    RIGHT = 38,         /* and right */
    BARS = 16,          /* of messages, in one picture */
    BAR = 6,            /* from one to the next; the first lies on its axis */
    BAR_LANES = 2,      /* side by side, where messages interleave */
    EXAMPLES = 12,      /* diagrams that are shown in any case, */
    EXAMPLE = 60 << 10, /* of at most so many bytes */
};

/* The packets of one message in a picture, from the first to the last. */
struct bar {
    uint64_t message;
    int from, to, lane;
    bool to_sut;
};

/* A diagram as it is written. */
struct ladder {
    const struct tl_html *h;
    const struct tl_case *c;
    size_t failing, differs; /* entries: behind which the problem is shown; that differs */
    int y;                   /* of the next entry */
    /* what the legend explains */
    bool evidence, again, lost, due, stressed, message, post, command;
    char before[32]; /* the time that is shown last */
    struct bar bars[BARS];
    size_t num_bars;
};

static const char *text_of(const struct tl_flow_item *item)
{
    return item->text != NULL ? item->text : "";
}

static int lines_of(const char *text, size_t width)
{
    struct tl_html_line lines[TL_HTML_LINES_MAX];

    return (int)tl_html_break(text, width, lines);
}

/* Text between the axes, in its lines above or at y. */
static void put_middle(const struct tl_html *h, const char *class, int y, const char *sign,
                       const char *text, const struct tl_html_stress *stress)
{
    fprintf(h->out, "<text%s%s%s x=\"%d\" y=\"%d\">%s", *class != 0 ? " class=\"" : "", class,
            *class != 0 ? "\"" : "", (TESTER + SUT) / 2, y, sign);
    tl_html_lines(h, text, LABEL, (TESTER + SUT) / 2, y, stress);
    fputs("</text>", h->out);
}

/* Notes a packet of a message, at height y. */
static void note_bar(struct ladder *l, const struct tl_flow_item *item, int y)
{
    struct bar *bar = NULL;

    for (size_t i = 0; i < l->num_bars && item->message > 0; i++)
        if (l->bars[i].message == item->message && l->bars[i].to_sut == item->to_sut)
            bar = &l->bars[i];
    if (bar == NULL && (item->message == 0 || l->num_bars == BARS))
        return;
    if (bar == NULL) {
        bar = &l->bars[l->num_bars++];
        *bar = (struct bar){item->message, y, y, 0, item->to_sut};
        bar->lane = (int)(item->message % BAR_LANES);
    }
    bar->to = y;
}

static void put_bars(struct ladder *l)
{
    for (size_t i = 0; i < l->num_bars; i++) {
        const struct bar *bar = &l->bars[i];
        int x = BAR * bar->lane;

        if (bar->from == bar->to)
            continue; /* it stands alone in this picture */
        fprintf(l->h->out,
                "<path class=\"mb\" d=\"M%d %dV%d\"><title>message %" PRIu64 "</title></path>",
                bar->to_sut ? TESTER + x : SUT - x, bar->from - TL_HTML_LINE / 2,
                bar->to + TL_HTML_LINE / 2, bar->message);
        l->message = true;
    }
    l->num_bars = 0;
}

/* The attribute by which things of one work request or command are found; "": it is of none. */
static const char *post_of(const struct tl_flow_item *item, char *out, size_t cap)
{
    out[0] = 0;
    if (item->post > 0)
        (void)snprintf(out, cap, " data-p=\"%" PRIu64 "\"", item->post);
    else if (item->command > 0)
        (void)snprintf(out, cap, " data-p=\"c%" PRIu64 "\"", item->command);
    return out;
}

/* Both return the height of what they wrote. */
static int put_packet(struct ladder *l, const struct tl_flow_item *item, size_t i)
{
    const struct tl_html *h = l->h;
    bool lost = item->kind == TL_FLOW_LOST || item->dropped;
    int from = item->to_sut ? TESTER : SUT, to = item->to_sut ? SUT : TESTER;
    int end = item->kind == TL_FLOW_LOST ? (from + to) / 2
              : item->dropped            ? to + (item->to_sut ? -60 : 60)
                                         : to;
    int n = lines_of(text_of(item), LABEL), y = l->y + (n - 1) * TL_HTML_LINE;
    struct tl_html_stress stress = {.count = 0};
    char sign[16] = "", post[40];

    note_bar(l, item, y);
    if (i == l->differs)
        tl_html_differs(&l->c->problems[0], item, &stress);
    fprintf(h->out, "<a href=\"#p%zu-%zu\" class=\"k%s%s%s\"%s><path d=\"M%d %dL%d %d\"/>",
            h->number, i, item->marked ? " e" : "", item->again ? " r" : "", lost ? " l" : "",
            post_of(item, post, sizeof post), from, y - SLOPE, end,
            item->kind == TL_FLOW_LOST ? y : y + SLOPE);
    if (lost)
        fprintf(h->out, "<path class=\"x\" d=\"M%d %dl10 10m-10 0l10 -10\"/>", end - 5,
                y - (item->kind == TL_FLOW_LOST ? 5 : 1));
    (void)snprintf(sign, sizeof sign, "%s%s", item->marked ? "▶ " : "",
                   item->again ? "↻ " : "");
    put_middle(h, "", l->y - 6, sign, text_of(item), &stress);
    fputs("</a>", h->out);
    l->evidence |= item->marked;
    l->again |= item->again;
    l->lost |= lost;
    l->post |= item->post > 0;
    l->command |= item->command > 0;
    l->stressed |= stress.count > 0;
    return ROW + (n - 1) * TL_HTML_LINE;
}

static int put_side(const struct ladder *l, const char *class, const char *text)
{
    bool right = *class == 'u';
    int x = right ? SUT + 8 : TESTER - 8;
    size_t width = right ? RIGHT : LEFT;

    fprintf(l->h->out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, l->y + 4);
    tl_html_lines(l->h, text, width, x, l->y + 4, NULL);
    fputs("</text>", l->h->out);
    return ROW + (lines_of(text, width) - 1) * TL_HTML_LINE;
}

static int put_note(const struct ladder *l, const char *sign, const char *text)
{
    put_middle(l->h, "n", l->y + 4, sign, text, NULL);
    return ROW + (lines_of(text, LABEL) - 1) * TL_HTML_LINE;
}

/* What the upper layer of the SUT was asked, or said. */
static int put_word(struct ladder *l, const struct tl_flow_item *item)
{
    char post[40];
    int height;

    fprintf(l->h->out, "<g%s><circle cx=\"%d\" cy=\"%d\" r=\"3\"/>",
            post_of(item, post, sizeof post), SUT, l->y);
    height = put_side(l, item->marked ? "u e" : "u", text_of(item));
    fputs("</g>", l->h->out);
    l->evidence |= item->marked;
    l->post |= item->post > 0;
    l->command |= item->command > 0;
    return height;
}

static int put_item(struct ladder *l, const struct tl_flow_item *item, size_t i)
{
    char text[600];

    switch (item->kind) {
    case TL_FLOW_PACKET:
    case TL_FLOW_LOST: return put_packet(l, item, i);
    case TL_FLOW_TIMER:
        fprintf(l->h->out, "<circle class=\"c\" cx=\"%d\" cy=\"%d\" r=\"4\"/>", TESTER, l->y);
        return put_side(l, "s c", text_of(item));
    case TL_FLOW_STEP:
        (void)snprintf(text, sizeof text, "%" PRId32 ": %s", item->step + 1, text_of(item));
        return put_side(l, "s", text);
    case TL_FLOW_ULP: return put_word(l, item);
    case TL_FLOW_MARK: return put_note(l, "⚑ ", text_of(item));
    case TL_FLOW_NOTE: return put_note(l, "", text_of(item));
    case TL_FLOW_GAP:
        (void)snprintf(text, sizeof text, "%" PRIu64 " left out", item->event);
        return put_note(l, "⋮ ", text);
    }
    return ROW;
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

/* The last packet before the problem, of the end that it blames, that shows it. */
static size_t differing(const struct tl_case *c, size_t failing)
{
    bool to_sut = c->problems[0].subject == FAL_SUBJECT_TESTER;

    for (size_t i = failing + 1; i-- > 0;)
        if (c->flow[i].kind == TL_FLOW_PACKET && c->flow[i].marked &&
            c->flow[i].to_sut == to_sut)
            return i;
    return c->num_flow;
}

/* The packet that was due, as a dashed arrow below the one that came. */
static void put_due(struct ladder *l, const struct tl_problem *p)
{
    bool to_sut = p->subject == FAL_SUBJECT_TESTER;
    int n, y;
    char text[600];

    (void)snprintf(text, sizeof text, "due: %s", p->expected);
    n = lines_of(text, LABEL);
    y = l->y + (n - 1) * TL_HTML_LINE;
    fprintf(l->h->out, "<g class=\"g\"><path d=\"M%d %dL%d %d\"/>", to_sut ? TESTER : SUT,
            y - SLOPE, to_sut ? SUT : TESTER, y + SLOPE);
    put_middle(l->h, "", l->y - 6, "", text, NULL);
    fputs("</g>", l->h->out);
    l->due = true;
    l->y += ROW + (n - 1) * TL_HTML_LINE;
}

/* What the problem is, below its last packet. */
static void put_failing(struct ladder *l)
{
    const struct tl_problem *p = &l->c->problems[0];
    const char *word = fal_verdict_name(p->verdict);
    bool inconclusive = p->verdict == FAL_VERDICT_INCONC, due = tl_html_packet_due(p);
    char text[700];

    if (due) {
        put_due(l, p);
        (void)snprintf(text, sizeof text, "%s: %s", word,
                       p->why != NULL    ? p->why
                       : p->seen != NULL ? p->seen
                                         : "it did not come");
    } else {
        (void)snprintf(text, sizeof text, "%s: %s%s", word,
                       p->expected != NULL ? "expected " : "",
                       p->expected != NULL ? p->expected : p->reason.word);
    }
    put_middle(l->h, "f", l->y + 2, inconclusive ? "? " : "✗ ", text, NULL);
    l->y += (lines_of(text, LABEL) - 1) * TL_HTML_LINE;
    fprintf(l->h->out, "<path class=\"f\" d=\"M%d %dH%d\"/>", TESTER, l->y + 8, SUT);
    l->y += ROW;
}

static void put_entry(struct ladder *l, size_t i)
{
    const struct tl_flow_item *item = &l->c->flow[i];
    const struct fal_time_text now = fal_time_rounded(item->t_ns);

    if (item->kind != TL_FLOW_GAP && strcmp(now.text, l->before) != 0) {
        fprintf(l->h->out, "<text class=\"t\" x=\"0\" y=\"%d\">%s</text>", l->y + 4, now.text);
        memcpy(l->before, now.text, sizeof l->before);
    }
    l->y += put_item(l, item, i);
    if (i == l->failing)
        put_failing(l);
}

/* Entries from..to as one picture; `first`: with the names of the axes. */
static int put_svg(struct ladder *l, size_t from, size_t to, bool first)
{
    struct tl_html part = *l->h;
    const struct tl_html *page = l->h;
    struct tl_memory_file inner;
    int top = first ? TOP : 0, rc;

    if (from == to)
        return 0;
    if (tl_memory_open(&inner) == 0) {
        part.out = inner.out;
        l->h = &part;
        l->y = top + ROW;
        for (size_t i = from; i < to; i++)
            put_entry(l, i);
        put_bars(l);
        l->h = page;
    }
    rc = tl_memory_close(&inner);
    if (rc != 0)
        return FAL_ERR_MEM;
    l->y += FOOT - ROW + SLOPE;
    fprintf(page->out,
            "<svg class=\"w\" viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"Ladder "
            "diagram; the table below says the same\"><path class=\"a\" d=\"M%d %dV%dM%d "
            "%dV%d\"/>",
            WIDTH, l->y, TESTER, top, l->y, SUT, top, l->y);
    if (first)
        fprintf(page->out,
                "<text class=\"h\" x=\"%d\" y=\"16\">tester</text><text class=\"h\" "
                "x=\"%d\" y=\"16\">SUT</text>",
                TESTER, SUT);
    (void)fwrite(inner.text, 1, inner.len, page->out);
    fputs("</svg>\n", page->out);
    free(inner.text);
    return 0;
}

/* The line that stands for repetitions: what comes again, and how often. */
static void put_folded(const struct ladder *l, size_t from, size_t period, size_t again)
{
    const struct fal_time_text until =
        fal_time_rounded(l->c->flow[from + period * again - 1].t_ns);
    const char *between = "";

    fprintf(l->h->out, "<details class=\"fold\"><summary>%zu more time%s: ", again,
            again == 1 ? "" : "s");
    for (size_t i = from - period; i < from; i++) {
        const struct tl_flow_item *item = &l->c->flow[i];

        if (item->kind == TL_FLOW_STEP && period > 1)
            continue; /* its packet says it */
        fputs(between, l->h->out);
        if (item->kind == TL_FLOW_PACKET || item->kind == TL_FLOW_LOST)
            fputs(item->to_sut ? "&gt; " : "&lt; ", l->h->out);
        tl_html_put(l->h, text_of(item));
        between = "; ";
    }
    if (strcmp(until.text, l->before) != 0)
        fprintf(l->h->out, " <small>until %s</small>", until.text);
    fputs("</summary>\n", l->h->out);
}

static void put_legend(const struct ladder *l)
{
    const struct tl_html *h = l->h;

    fputs("<figcaption class=\"m\">", h->out);
    if (l->evidence)
        fputs("<b class=\"le\">▶ red</b>: shows the problem. ", h->out);
    if (l->stressed)
        fputs("<b class=\"lv\">Underlined</b>: the field that the problem is about. ", h->out);
    if (l->due)
        fputs("<b class=\"lg\">⇠ due</b>: was due and did not come. ", h->out);
    if (l->again)
        fputs("↻: sent again. ", h->out);
    if (l->message)
        fputs("<b class=\"lm\">▌ bar</b>: packets of one message. ", h->out);
    if (l->post)
        fputs("post N: a work request, its packets and its completion; point at one to see "
              "all. ",
              h->out);
    if (l->command)
        fputs("command N: a command of NVMe, its packets and its completion; point at one to "
              "see all. ",
              h->out);
    if (l->lost)
        fputs("✕: did not arrive. ", h->out);
    fputs("Left: time, steps and timers of the tester; right: the upper layer of the SUT."
          "</figcaption>\n",
          h->out);
}

static int put_diagram(const struct tl_html *h, const struct tl_case *c)
{
    struct ladder l = {.h = h, .c = c, .failing = c->num_flow, .differs = c->num_flow};
    size_t from = 0, period = 0, again = 0;
    bool first = true;
    int rc = 0;

    if (c->num_problems > 0) {
        l.failing = shown_behind(c);
        l.differs = differing(c, l.failing);
    }
    fputs("<div class=\"lw\">", h->out);
    for (size_t i = 1; i < c->num_flow && rc == 0; i++) {
        size_t n = tl_html_repeats(c, i, l.failing, &period, &again);

        if (n == 0)
            continue;
        rc = put_svg(&l, from, i, first);
        first = false;
        if (rc == 0) {
            put_folded(&l, i, period, again);
            rc = put_svg(&l, i, i + n, false);
            fputs("</details>\n", h->out);
        }
        l.before[0] = 0;
        from = i + n;
        i = from;
    }
    if (rc == 0)
        rc = put_svg(&l, from, c->num_flow, first);
    fputs("</div>\n", h->out);
    put_legend(&l);
    return rc;
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
        char hex[2 * TL_FLOW_HEAD + 1];

        fprintf(h->out, "<tr id=\"p%zu-%zu\"%s><td>%s<td>%s%s<td>", h->number, i,
                item->marked ? " class=\"e\"" : "", fal_time_text(item->t_ns).text,
                word_of(item), item->marked ? ", evidence" : "");
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

/* Whether the case is the simplest of a cause: it has its diagram, however long the page is.
 * The first causes alone, so that the page keeps its size. */
static bool is_example(struct tl_html *h, const struct tl_case *c, size_t bytes)
{
    for (size_t i = 0; i < h->causes->count && h->examples < EXAMPLES && bytes < EXAMPLE; i++) {
        const struct tl_cause *cause = &h->causes->list[i];

        if (cause->num_examples > 0 && strcmp(cause->examples[0], c->id) == 0) {
            h->examples++;
            return true;
        }
    }
    return false;
}

int tl_html_ladder(struct tl_html *h, const struct tl_case *c)
{
    FILE *page = h->out;
    struct tl_memory_file part;
    int rc = 0;

    if (c->num_flow == 0)
        return 0;
    if (tl_memory_open(&part) == 0) {
        h->out = part.out;
        fputs("<figure>\n", h->out);
        rc = put_diagram(h, c);
        fputs("<div class=\"o\" aria-live=\"polite\"></div>", h->out);
        tl_html_posts(h, c);
        tl_html_commands(h, c);
        put_table(h, c);
        fputs("</figure>\n", h->out);
        h->out = page;
    }
    if (tl_memory_close(&part) != 0)
        return FAL_ERR_MEM;
    if (rc != 0) {
        free(part.text);
        return rc;
    }
    if (is_example(h, c, part.len) || tl_html_has_room(h, part.len)) {
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
