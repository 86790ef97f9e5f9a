/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/nearest_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 63 };

static int lower(char c)
{
    return tolower((unsigned char)c);
}

/* Letters to insert, delete, replace; a letter of the other case costs nothing. */
static size_t distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1], n = strnlen(b, WORD_MAX);

    for (size_t k = 0; k <= n; k++)
        row[k] = k;
    for (size_t i = 0; i < WORD_MAX && a[i] != 0; i++) {
        size_t corner = row[0];

        row[0] = i + 1;
        for (size_t k = 0; k < n; k++) {
            size_t best = corner + (lower(a[i]) != lower(b[k]));

            corner = row[k + 1];
            best = best < row[k] + 1 ? best : row[k] + 1;
            row[k + 1] = best < corner + 1 ? best : corner + 1;
        }
    }
    return row[n];
}

void tl_nearest_add(struct tl_nearest *nearest, const char *name)
{
    size_t len = strnlen(nearest->word, WORD_MAX);
    size_t apart =
        len >= 3 && strcasestr(name, nearest->word) != NULL ? 1 : distance(nearest->word, name);
    size_t at = nearest->num;

    if (apart > (len < 3 ? 1 : 1 + len / 4) ||
        (nearest->num > 0 && apart > 0 && nearest->apart[0] == 0))
        return;
    if (apart == 0) /* what is the same but for its case is what was meant */
        nearest->num = 0;
    while (at > 0 && nearest->apart[at - 1] > apart)
        at--;
    if (at == TL_NEAREST_MAX)
        return;
    if (nearest->num < TL_NEAREST_MAX)
        nearest->num++;
    for (size_t i = nearest->num - 1; i > at; i--) {
        nearest->names[i] = nearest->names[i - 1];
        nearest->apart[i] = nearest->apart[i - 1];
    }
    nearest->names[at] = name;
    nearest->apart[at] = apart;
}

void tl_nearest_print(const struct tl_nearest *nearest, char *out, size_t cap)
{
    size_t len = 0;

    out[0] = 0;
    for (size_t i = 0; i < nearest->num; i++) {
        int n = snprintf(out + len, cap - len, "%s%s",
                         i == 0                  ? ""
                         : i + 1 == nearest->num ? " or "
                                                 : ", ",
                         nearest->names[i]);

        if (n < 0 || (size_t)n >= cap - len)
            return;
        len += (size_t)n;
    }
}
