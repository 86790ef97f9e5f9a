/* SPDX-License-Identifier: Apache-2.0
 * html_causes.c - the first part of the HTML report: why cases did not pass. */
#include "reports/html/html_impl.h"

enum { EXAMPLES = 4 };

static void put_examples(const struct tl_html *h, const struct tl_cause *cause)
{
    for (size_t i = 0; i < cause->num_examples && i < EXAMPLES; i++) {
        fputs(i == 0   ? "<br>Simplest case: <a href=\"#"
              : i == 1 ? "<a href=\"#"
                       : ", <a href=\"#",
              h->out);
        tl_html_anchor(h, cause->examples[i]);
        fputs("\"><code>", h->out);
        tl_html_put(h, cause->examples[i]);
        fputs("</code></a>", h->out);
        if (i == 0 && cause->num_examples > 1)
            fprintf(h->out, "; %zu more: ", cause->cases - 1);
    }
    if (cause->cases > cause->num_examples)
        fputs(", ...", h->out);
}

static void put_cause(const struct tl_html *h, const struct tl_cause *cause)
{
    const char *verdict = fal_verdict_name(cause->verdict);
    char sentence[TL_CAUSE_TEXT];

    tl_cause_sentence(cause, sentence);
    fputs("<li>", h->out);
    if (cause->follows < 0)
        tl_html_badge(h, verdict, verdict);
    else
        fprintf(h->out, "follows from %d:", cause->follows + 1);
    if (cause->requirement != NULL)
        tl_html_requirement(h, cause->requirement);
    fprintf(h->out, " %zu case%s. <strong>", cause->cases, cause->cases == 1 ? "" : "s");
    tl_html_put(h, sentence);
    fputs("</strong>", h->out);
    if (cause->follows < 0 && cause->requirement != NULL) {
        fputs("<br>", h->out);
        tl_html_put(h, cause->requirement->text);
        for (size_t i = 0; i < cause->num_also; i++)
            tl_html_requirement(h, cause->also[i]);
    }
    put_examples(h, cause);
    fputc('\n', h->out);
}

void tl_html_causes(const struct tl_html *h)
{
    if (h->causes->count == 0)
        return;
    fputs("<h3>Causes</h3><ol class=\"causes\">\n", h->out);
    for (size_t i = 0; i < h->causes->count; i++)
        put_cause(h, &h->causes->list[i]);
    fputs("</ol>\n", h->out);
}
