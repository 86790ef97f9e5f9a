/* SPDX-License-Identifier: Apache-2.0
 * reader.h - an input's bytes, one value after the other, for targets that play a sequence of
 * acts. Beyond the end all is zero, so that every input means something. */
#ifndef FAL_FUZZ_TARGETS_READER_H
#define FAL_FUZZ_TARGETS_READER_H

#include "codecs/base/u128.h"

#include <stddef.h>

struct fuzz_reader {
    const uint8_t *at;
    size_t left;
};

static inline uint8_t fuzz_u8(struct fuzz_reader *reader)
{
    if (reader->left == 0)
        return 0;
    reader->left--;
    return *reader->at++;
}

static inline uint16_t fuzz_u16(struct fuzz_reader *reader)
{
    unsigned high = fuzz_u8(reader);

    return (uint16_t)(high << 8 | fuzz_u8(reader));
}

static inline uint32_t fuzz_u32(struct fuzz_reader *reader)
{
    uint32_t high = fuzz_u16(reader);

    return high << 16 | fuzz_u16(reader);
}

static inline uint64_t fuzz_u64(struct fuzz_reader *reader)
{
    uint64_t high = fuzz_u32(reader);

    return high << 32 | fuzz_u32(reader);
}

/* Signed, and as what is to be added to a sequence number mod 2^32. */
static inline uint32_t fuzz_near8(struct fuzz_reader *reader)
{
    return (fuzz_u8(reader) ^ UINT32_C(0x80)) - UINT32_C(0x80);
}

static inline uint32_t fuzz_near16(struct fuzz_reader *reader)
{
    return (fuzz_u16(reader) ^ UINT32_C(0x8000)) - UINT32_C(0x8000);
}

static inline fal_u128 fuzz_u128(struct fuzz_reader *reader)
{
    uint64_t high = fuzz_u64(reader);

    return fal_u128_halves(high, fuzz_u64(reader));
}

/* The next `want` bytes, or as many as there are; *len says how many. */
static inline const uint8_t *fuzz_bytes(struct fuzz_reader *reader, size_t want, size_t *len)
{
    const uint8_t *bytes = reader->at;

    *len = want < reader->left ? want : reader->left;
    reader->at += *len;
    reader->left -= *len;
    return bytes;
}

#endif
