/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/pack.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

/* A token has 4 bits: the number of bytes of a word that follow, or the number of words that
 * equal the model. Two tokens share a byte; the bytes of the first and then of the second
 * follow. */
enum { WORD = 8, FIRST_RUN = 9, RUNS = 7 };
static const uint8_t run_of[RUNS] = {2, 3, 4, 8, 16, 32, 64};

struct tokens {
    uint8_t *at;   /* the next byte */
    uint8_t *pair; /* The byte of the last token; NULL: it is full. */
};

static void put(struct tokens *t, unsigned token)
{
    if (t->pair != NULL) {
        *t->pair = (uint8_t)(*t->pair | token << 4);
        t->pair = NULL;
    } else {
        t->pair = t->at++;
        *t->pair = (uint8_t)token;
    }
}

static void put_run(struct tokens *t, size_t equal)
{
    for (unsigned run = RUNS; run-- > 0;)
        for (; equal >= run_of[run]; equal -= run_of[run])
            put(t, FIRST_RUN + run);
    if (equal > 0)
        put(t, 0);
}

static uint64_t word_at(const void *bytes, size_t at)
{
    uint64_t word;

    if (bytes == NULL)
        return 0;
    memcpy(&word, (const uint8_t *)bytes + at, sizeof word);
    return word;
}

/* From `at` on, this many words are zero. */
static size_t zeros(const uint8_t *raw, size_t at, size_t n)
{
    size_t end = at;
    uint64_t w[4];

    for (; end + sizeof w <= n; end += sizeof w) {
        memcpy(w, raw + end, sizeof w);
        if ((w[0] | w[1] | w[2] | w[3]) != 0)
            break;
    }
    while (end < n && word_at(raw, end) == 0)
        end += WORD;
    return (end - at) / WORD;
}

size_t fal_pack(const void *raw, const void *model, size_t n, uint8_t *out)
{
    struct tokens t = {.at = out};
    size_t equal = 0;

    assert(n % WORD == 0);
    for (size_t at = 0; at < n; at += WORD) {
        uint64_t word, little;
        unsigned len;

        if (model == NULL) {
            size_t run = zeros(raw, at, n);

            if (run > 0)
                put_run(&t, run);
            at += run * WORD;
            if (at == n)
                break;
        }
        word = word_at(raw, at) ^ word_at(model, at);
        if (word == 0) {
            equal++;
            continue;
        }
        if (equal > 0)
            put_run(&t, equal);
        equal = 0;
        little = htole64(word);
        len = (unsigned)(71 - __builtin_clzll(word)) / 8;
        put(&t, len);
        memcpy(t.at, &little, len);
        t.at += len;
    }
    put_run(&t, equal);
    assert((size_t)(t.at - out) <= FAL_PACKED_MAX(n));
    return (size_t)(t.at - out);
}

size_t fal_unpack(const uint8_t *in, const void *model, size_t n, void *raw)
{
    const uint8_t *next = in;
    unsigned pair = 0, token;
    uint64_t word;

    assert(n % WORD == 0);
    for (size_t at = 0, odd = 0; at < n; odd = !odd) {
        size_t words = 1;

        if (!odd)
            pair = *next++;
        token = odd ? pair >> 4 : pair & 15;
        word = 0;
        if (token >= FIRST_RUN) {
            words = run_of[token - FIRST_RUN];
        } else if (token > 0) {
            memcpy(&word, next, sizeof word);
            word = le64toh(word) & UINT64_MAX >> (64 - 8 * token);
            next += token;
        }
        if (model == NULL && word == 0) {
            at += words * WORD;
            continue;
        }
        for (; words > 0 && at < n; words--, at += WORD) {
            uint64_t whole = word ^ word_at(model, at);

            memcpy((uint8_t *)raw + at, &whole, sizeof whole);
        }
    }
    return (size_t)(next - in);
}
