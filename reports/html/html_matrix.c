/* SPDX-License-Identifier: Apache-2.0
 * html_matrix.c - every requirement of the catalogue: what it says, what became of it, and what
 * checked it. */
#include "reports/html/html_impl.h"

#include <inttypes.h>

enum { RULES_SHOWN = 12 };

static const char *colour_of(enum tl_proof proof)
{
    switch (proof) {
    case TL_PROOF_PASS: return "pass";
    case TL_PROOF_UNDECIDED: return "inconclusive";
    case TL_PROOF_WARN: return "warn";
    case TL_PROOF_FAIL: return "fail";
    case TL_PROOF_NOT_EXERCISED:
    case TL_PROOF_WATCHED:
    case TL_PROOF_FOLLOWS:
    case TL_PROOF_WAIVED:
    case TL_PROOF_KINDS: break;
    }
    return "none";
}

static void put_cases(const struct tl_html *h, char *const *ids, size_t n, const char *what)
{
    if (n == 0)
        return;
    fputs(what, h->out);
    for (size_t i = 0; i < n && i < TL_PROOF_CASES; i++) {
        fputs(i > 0 ? ", <a href=\"#" : " <a href=\"#", h->out);
        tl_html_anchor(h, ids[i]);
        fputs("\">", h->out);
        tl_html_put(h, ids[i]);
        fputs("</a>", h->out);
    }
    if (n > TL_PROOF_CASES)
        fprintf(h->out, " and %zu more", n - TL_PROOF_CASES);
    fputs("<br>", h->out);
}

static void put_row(const struct tl_html *h, const struct tl_proven *p)
{
    const struct fal_requirement *r = p->requirement;
    const char *rules[RULES_SHOWN];
    size_t n = tl_rules_of(r, rules, RULES_SHOWN);

    fprintf(h->out, "<tr id=\"r-%s\" data-v=\"%s\"><th scope=\"row\">%s<td>%s<td><b>", r->id,
            tl_proof_name(p->proof), r->id, r->level);
    tl_html_put(h, r->title);
    fputs("</b> ", h->out);
    tl_html_put(h, r->text);
    fputs("<td>", h->out);
    tl_html_badge(h, colour_of(p->proof), tl_proof_name(p->proof));
    fputs("<td>", h->out);
    put_cases(h, p->broke, p->broken, "broken in");
    put_cases(h, p->pass, p->passed, "passed");
    if (p->undecided > 0 && p->passed == 0)
        fprintf(h->out, "%zu case%s undecided<br>", p->undecided, p->undecided == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++)
        fprintf(h->out, "%s%s", i == 0 ? "rules " : ", ", rules[i]);
    if (n > 0)
        fprintf(h->out, " held %" PRIu64 "×", p->held);
    fputc('\n', h->out);
}

void tl_html_matrix(const struct tl_html *h)
{
    const struct tl_overview *o = &h->overview;

    fputs(
        "<section id=\"requirements\" aria-labelledby=\"hr\"><h2 id=\"hr\">Requirements</h2>\n"
        "<p>",
        h->out);
    for (int p = TL_PROOF_KINDS - 1; p >= 0; p--) {
        fprintf(h->out, "%s%zu ", p == TL_PROOF_KINDS - 1 ? "" : ", ", o->proofs[p]);
        tl_html_badge(h, colour_of((enum tl_proof)p), tl_proof_name((enum tl_proof)p));
    }
    fputs(
        ".</p>\n<p class=\"m\"><b>pass</b>: a case that covers it passed, and nothing violated it. "
        "<b>watched</b>: only checked indirectly, by general rules, which held. "
        "<b>undecided</b>: a test for it ran but did not complete.</p>\n"
        "<form class=\"js\" hidden><label>Find <input type=\"search\" id=\"rs\"></label> "
        "<label>Show <select id=\"rv\"><option value=\"\">all",
        h->out);
    for (int p = TL_PROOF_KINDS - 1; p >= 0; p--)
        fprintf(h->out, "<option>%s", tl_proof_name((enum tl_proof)p));
    fputs(
        "</select></label> <output id=\"ro\" aria-live=\"polite\"></output></form>\n"
        "<div class=\"x\"><table id=\"rt\"><caption>Every requirement of the catalogue</caption>"
        "<thead><tr><th scope=\"col\">id<th scope=\"col\">level<th scope=\"col\">text"
        "<th scope=\"col\">verdict<th scope=\"col\">checked by</thead><tbody>\n",
        h->out);
    for (size_t i = 0; i < o->num_requirements; i++)
        put_row(h, &o->requirements[i]);
    fputs("</tbody></table></div></section>\n", h->out);
}
