/* SPDX-License-Identifier: Apache-2.0
 * html_posts.c - the table of the work requests of RDMA verbs below a ladder diagram: each with
 * its post, the packets that carry it, and its completion. */
#include "reports/html/html_impl.h"

#include "codecs/base/time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINKS_MAX = 24 }; /* packets of a request that are listed; the others are counted */

void tl_html_link(const struct tl_html *h, const struct tl_case *c, size_t i)
{
    fprintf(h->out, "<a href=\"#p%zu-%zu\">%s %s</a> ", h->number, i,
            fal_time_rounded(c->flow[i].t_ns).text,
            c->flow[i].kind != TL_FLOW_PACKET ? ""
            : c->flow[i].to_sut               ? "→"
                                              : "←");
}

void tl_html_words(const struct tl_html *h, const char *text)
{
    const char *end = text != NULL ? strstr(text, " # ") : NULL;
    char words[200];

    (void)snprintf(words, sizeof words, "%.*s", end != NULL ? (int)(end - text) : 199,
                   text != NULL ? text : "");
    tl_html_put(h, words);
}

/* The items of a request: its packets, or its words but the first, which is the post. */
static void put_items(const struct tl_html *h, const struct tl_case *c, size_t first,
                      bool packets)
{
    size_t more = 0, shown = 0;

    for (size_t i = 0; i < c->num_flow; i++) {
        const struct tl_flow_item *item = &c->flow[i];

        if (item->post != c->flow[first].post || (item->kind == TL_FLOW_PACKET) != packets ||
            (!packets && i == first))
            continue;
        if (shown++ >= LINKS_MAX) {
            more++;
            continue;
        }
        tl_html_link(h, c, i);
        if (!packets)
            tl_html_words(h, item->text);
    }
    if (more > 0)
        fprintf(h->out, "and %zu more", more);
}

/* Whether no item before has its number. */
static bool is_first(const struct tl_case *c, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (c->flow[k].post == c->flow[i].post)
            return false;
    return true;
}

void tl_html_posts(const struct tl_html *h, const struct tl_case *c)
{
    bool any = false;

    for (size_t i = 0; i < c->num_flow; i++) {
        const struct tl_flow_item *item = &c->flow[i];

        if (item->post == 0 || !is_first(c, i))
            continue;
        if (!any)
            fputs("<details class=\"d\" open><summary>Work requests of RDMA: post, packets, "
                  "completion</summary><table><thead><tr><th scope=\"col\">post<th "
                  "scope=\"col\">request<th scope=\"col\">packets<th scope=\"col\">completion"
                  "</thead><tbody>\n",
                  h->out);
        any = true;
        fprintf(h->out, "<tr data-p=\"%" PRIu64 "\"><td>%" PRIu64 "<td>", item->post,
                item->post);
        if (item->kind == TL_FLOW_PACKET) {
            fputs("not shown", h->out);
        } else {
            tl_html_link(h, c, i);
            tl_html_words(h, item->text);
        }
        fputs("<td>", h->out);
        put_items(h, c, i, true);
        fputs("<td>", h->out);
        put_items(h, c, i, false);
        fputs("\n", h->out);
    }
    if (any)
        fputs("</tbody></table></details>\n", h->out);
}
