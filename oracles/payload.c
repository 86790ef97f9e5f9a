/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/payload.h"

#include "oracles/rng.h"

#include <string.h>

enum { HEAD_LEN = 16 };

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

uint64_t fal_payload_hash(const uint8_t *bytes, size_t len)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    return h;
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
