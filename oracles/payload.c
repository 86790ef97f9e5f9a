/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/payload.h"

#include "oracles/rng.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_END = 12, HEAD_LEN = 16 };

/* The low byte first. One store, where the machine does the same. */
static inline void put_word(uint8_t *out, uint64_t v)
{
    out[0] = (uint8_t)v;
    out[1] = (uint8_t)(v >> 8);
    out[2] = (uint8_t)(v >> 16);
    out[3] = (uint8_t)(v >> 24);
    out[4] = (uint8_t)(v >> 32);
    out[5] = (uint8_t)(v >> 40);
    out[6] = (uint8_t)(v >> 48);
    out[7] = (uint8_t)(v >> 56);
}

void fal_payload_fill(uint64_t tag, uint64_t seed, uint8_t *out, size_t len)
{
    uint8_t head[HEAD_LEN] = {'T', 'A', 'L', 'N'};
    struct fal_rng rng = {seed ^ tag};

    for (unsigned i = 0; i < 8; i++)
        head[4 + i] = (uint8_t)(tag >> (56 - 8 * i));
    memcpy(out, head, len < HEAD_LEN ? len : HEAD_LEN);
    for (size_t at = HEAD_LEN; at < len; at += 8) {
        uint64_t v = fal_rng_next(&rng);

        if (len - at >= 8) {
            put_word(out + at, v);
            continue;
        }
        for (size_t i = 0; i < 8 && at + i < len; i++)
            out[at + i] = (uint8_t)(v >> (8 * i));
    }
}

void fal_payload_slice(uint64_t tag, uint64_t seed, size_t offset, uint8_t *out, size_t len)
{
    uint8_t head[HEAD_LEN], word[8];
    size_t n = 0;

    fal_payload_fill(tag, seed, head, sizeof head);
    for (; n < len && offset + n < HEAD_LEN; n++)
        out[n] = head[offset + n];
    while (n < len) {
        size_t at = offset + n - HEAD_LEN, skip = at % sizeof word;
        struct fal_rng rng = fal_rng_skip((struct fal_rng){seed ^ tag}, at / sizeof word);

        put_word(word, fal_rng_next(&rng));
        for (; skip < sizeof word && n < len; skip++)
            out[n++] = word[skip];
    }
}

uint64_t fal_payload_hash_on(uint64_t hash, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t fal_payload_hash(const uint8_t *bytes, size_t len)
{
    return fal_payload_hash_on(UINT64_C(0xcbf29ce484222325), bytes, len);
}

enum { HASHES = 32, KNOWN_MIN = 24, KNOWN_MAX = 4096 };

struct fal_payload_hashes {
    size_t len[HASHES]; /* 0: none */
    uint64_t hash[HASHES];
    uint8_t bytes[HASHES][KNOWN_MAX];
};

struct fal_payload_hashes *fal_payload_hashes_new(void)
{
    struct fal_payload_hashes *known = malloc(sizeof *known);

    if (known != NULL) /* the bytes are written before they are read */
        memset(known->len, 0, sizeof known->len);
    return known;
}

/* Where a payload of at least KNOWN_MIN bytes is kept: by the end of its tag, because tags of a
 * connection follow each other. */
static size_t place_of(const uint8_t *bytes)
{
    return bytes[TAG_END - 1] % HASHES;
}

uint64_t fal_payload_hash_by(struct fal_payload_hashes *known, const uint8_t *bytes, size_t len)
{
    size_t at;

    if (known == NULL || len < KNOWN_MIN || len > KNOWN_MAX)
        return fal_payload_hash(bytes, len);
    at = place_of(bytes);
    if (known->len[at] != len || memcmp(known->bytes[at], bytes, len) != 0) {
        known->hash[at] = fal_payload_hash(bytes, len);
        known->len[at] = len;
        memcpy(known->bytes[at], bytes, len);
    }
    return known->hash[at];
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

uint64_t fal_payload_mark(const uint8_t *bytes, size_t len)
{
    uint64_t h = mix(UINT64_C(0xcbf29ce484222325), len), word;

    for (; len >= sizeof word; len -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        h = mix(h, word);
    }
    if (len == 0)
        return h;
    word = 0;
    memcpy(&word, bytes, len);
    return mix(h, word);
}

/* ---- the part for the upper layer ---- */

size_t fal_ulp_payload_len(const struct fal_ulp_payload *part)
{
    return (size_t)part->headers_len + part->data_len + part->pad_len;
}

size_t fal_ulp_payload_write(const struct fal_ulp_payload *part, uint64_t tag, uint64_t seed,
                             uint8_t *out, size_t cap)
{
    size_t len = part->headers_len;

    if (len > cap)
        len = cap;
    memcpy(out, part->headers, len);
    if (part->data_len > cap - len)
        return len;
    fal_payload_slice(part->has_tag ? part->tag : tag, seed, part->offset, out + len,
                      part->data_len);
    len += part->data_len;
    if (part->pad_len > cap - len)
        return len;
    memset(out + len, 0, part->pad_len);
    return len + part->pad_len;
}

uint64_t fal_ulp_payload_hash(const struct fal_ulp_payload *part, uint64_t seed)
{
    uint8_t piece[256];
    uint64_t hash = fal_payload_hash(NULL, 0);

    for (uint32_t at = 0; at < part->data_len; at += sizeof piece) {
        size_t len = part->data_len - at < sizeof piece ? part->data_len - at : sizeof piece;

        fal_payload_slice(part->tag, seed, part->offset + (size_t)at, piece, len);
        hash = fal_payload_hash_on(hash, piece, len);
    }
    return hash;
}
