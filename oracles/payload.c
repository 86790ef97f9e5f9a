/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/payload.h"

#include "oracles/rng.h"

#include <string.h>

enum { HEAD_LEN = 16 };

void fal_payload_fill(uint64_t tag, uint64_t seed, uint8_t *out, size_t len)
{
    uint8_t head[HEAD_LEN] = {'T', 'A', 'L', 'N'};
    struct fal_rng rng = {seed ^ tag};

    for (unsigned i = 0; i < 8; i++)
        head[4 + i] = (uint8_t)(tag >> (56 - 8 * i));
    memcpy(out, head, len < HEAD_LEN ? len : HEAD_LEN);
    for (size_t at = HEAD_LEN; at < len; at += 8) {
        uint64_t v = fal_rng_next(&rng);

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
