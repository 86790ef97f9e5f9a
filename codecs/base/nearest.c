/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 63, SLIPS_MAX = 2, PART_MIN = 4 };

static bool same_letter(char a, char b, bool fold_case)
{
    return fold_case ? tolower((unsigned char)a) == tolower((unsigned char)b) : a == b;
}

/* The edit distance of two words, where swapping two neighbours counts as one edit (optimal
 * string alignment). With `fold_case`, letters that differ in case alone are equal. Words
 * longer than WORD_MAX are WORD_MAX apart from every word. */
static size_t distance(const char *a, const char *b, bool fold_case)
{
    size_t row[3][WORD_MAX + 1];
    size_t n = strlen(a), m = strlen(b);

    if (n > WORD_MAX || m > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *before = row[(i + 2) % 3], *before2 = row[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = before[j - 1] + !same_letter(a[i - 1], b[j - 1], fold_case);

            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2], fold_case) &&
                same_letter(a[i - 2], b[j - 1], fold_case) && before2[j - 2] + 1 < best)
                best = before2[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *fal_nearest(const char *word, const char *const *words, size_t n)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3;

    if (least > SLIPS_MAX)
        least = SLIPS_MAX;

    for (size_t i = 0; i < n; i++) {
        size_t d = words[i] != NULL ? distance(word, words[i], false) : WORD_MAX;

        if (d <= least && (best == NULL || d < least)) {
            best = words[i];
            least = d;
        }
    }
    if (best != NULL)
        return best;
    for (size_t i = 0; i < n; i++) { /* "rnr_ns" is a longer rnr */
        size_t len = words[i] != NULL ? strlen(words[i]) : 0;

        if (len > 2 && strncmp(words[i], word, len) == 0)
            return words[i];
    }
    if (strlen(word) < PART_MIN)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (words[i] != NULL && strstr(words[i], word) != NULL)
            return words[i];
    return NULL;
}

void fal_nearest_add(struct fal_nearest_list *nearest, const char *name)
{
    size_t len = strnlen(nearest->word, WORD_MAX);
    size_t apart = len >= 3 && strcasestr(name, nearest->word) != NULL
                       ? 1
                       : distance(nearest->word, name, true);
    size_t at = nearest->num;

    if (apart > (len < 3 ? 1 : 1 + len / 4) ||
        (nearest->num > 0 && apart > 0 && nearest->apart[0] == 0))
        return;
    for (size_t i = 0; i < nearest->num; i++)
        if (strcmp(nearest->names[i], name) == 0)
            return;
    if (apart == 0) /* a word that differs only in case is the one that was meant */
        nearest->num = 0;
    while (at > 0 && nearest->apart[at - 1] > apart)
        at--;
    if (at == FAL_NEAREST_MAX)
        return;
    if (nearest->num < FAL_NEAREST_MAX)
        nearest->num++;
    for (size_t i = nearest->num - 1; i > at; i--) {
        nearest->names[i] = nearest->names[i - 1];
        nearest->apart[i] = nearest->apart[i - 1];
    }
    nearest->names[at] = name;
    nearest->apart[at] = apart;
}

void fal_nearest_print(const struct fal_nearest_list *nearest, char *out, size_t cap)
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

struct fal_hint fal_hint(const char *near, const char *otherwise)
{
    struct fal_hint hint;

    if (near != NULL)
        (void)snprintf(hint.text, sizeof hint.text, "; did you mean '%.70s'?", near);
    else
        (void)snprintf(hint.text, sizeof hint.text, "%s", otherwise);
    return hint;
}
