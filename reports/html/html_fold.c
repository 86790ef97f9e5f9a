/* SPDX-License-Identifier: Apache-2.0
 * html_fold.c - entries of a diagram that repeat those before them. */
#include "reports/html/html_impl.h"

#include <string.h>

enum { PERIOD = 6, TIMES = 4 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether the texts differ in their decimal numbers at most. */
static bool alike(const char *a, const char *b)
{
    while (*a != 0 && *b != 0) {
        if (is_digit(*a) && is_digit(*b)) {
            a += strspn(a, "0123456789");
            b += strspn(b, "0123456789");
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

static bool repeats(const struct tl_flow_item *a, const struct tl_flow_item *b)
{
    return a->kind == b->kind && a->to_sut == b->to_sut && a->again == b->again &&
           a->dropped == b->dropped && a->kind != TL_FLOW_GAP && a->kind != TL_FLOW_MARK &&
           alike(a->text != NULL ? a->text : "", b->text != NULL ? b->text : "");
}

/* How many entries from `from` on are like those `period` before them. */
static size_t run_of(const struct tl_case *c, size_t from, size_t period, size_t keep)
{
    size_t n = 0;

    while (from + n < c->num_flow && from + n != keep && !c->flow[from + n].marked &&
           repeats(&c->flow[from + n], &c->flow[from + n - period]))
        n++;
    return n / period * period;
}

size_t tl_html_repeats(const struct tl_case *c, size_t from, size_t keep, size_t *period,
                       size_t *again)
{
    for (size_t k = 1; k <= PERIOD && k <= from; k++) {
        size_t n = run_of(c, from, k, keep);

        if (n / k + 1 >= TIMES) {
            *period = k;
            *again = n / k;
            return n;
        }
    }
    return 0;
}
