/* SPDX-License-Identifier: Apache-2.0
 * records.h - inputs that are a sequence: a head of FUZZ_HEAD_LEN bytes, which sets things up,
 * then records. A record is a byte that says what happens, a byte that says when (fuzz_delay),
 * two bytes of length, and so many bytes, mostly a Falcon packet. The last one may be cut. */
#ifndef FAL_FUZZ_TARGETS_RECORDS_H
#define FAL_FUZZ_TARGETS_RECORDS_H

#include "fuzz/targets/reader.h"

enum { FUZZ_HEAD_LEN = 16, FUZZ_RECORD_LEN = 4, FUZZ_RECORDS_MAX = 512 };

struct fuzz_record {
    uint8_t kind, when;
    const uint8_t *bytes; /* borrowed from the input */
    size_t len;
};

/* The next record; false at the end. */
static inline bool fuzz_record_next(struct fuzz_reader *reader, struct fuzz_record *out)
{
    if (reader->left < FUZZ_RECORD_LEN)
        return false;
    out->kind = fuzz_u8(reader);
    out->when = fuzz_u8(reader);
    out->bytes = fuzz_bytes(reader, fuzz_u16(reader), &out->len);
    return true;
}

/* How long before the record time stands still, from 0 to 15 * 2^30 ns, about 16 s: four bits
 * of mantissa, four of exponent. */
static inline uint64_t fuzz_delay(uint8_t when)
{
    return (uint64_t)(when & 15) << (when >> 4) * 2;
}

#endif
