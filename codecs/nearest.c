/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/nearest.h"

#include <string.h>

enum { WORD_MAX = 40, SLIPS_MAX = 2, PART_MIN = 4 };

/* Edit distance with swaps of neighbours (optimal string alignment); words are short. */
static size_t distance(const char *a, const char *b)
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
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);

            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before2[j - 2] + 1 < best)
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
        size_t d = words[i] != NULL ? distance(word, words[i]) : WORD_MAX;

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
