/* SPDX-License-Identifier: Apache-2.0
 * payload.h - payload that names itself: magic, tag, offset, then bytes from a seed, so that
 * wire and ULP are matched without the vendor's help; and the hash that events carry instead of
 * bytes. */
#ifndef FAL_ORACLES_PAYLOAD_H
#define FAL_ORACLES_PAYLOAD_H

#include "codecs/text/text.h"

#include <stddef.h>
#include <stdint.h>

/* Fills `len` bytes: "TALN", tag (8 bytes, big-endian), offset 0 (4 bytes), then a byte stream
 * of splitmix64 from `seed` ^ tag; shorter payloads are the beginning of it. */
void fal_payload_fill(uint64_t tag, uint64_t seed, uint8_t *out, size_t len);
/* The bytes from `offset` on of the same pattern. */
void fal_payload_slice(uint64_t tag, uint64_t seed, size_t offset, uint8_t *out, size_t len);

/* FNV-1a, 64 bits, over the bytes; of no bytes: 0xcbf29ce484222325. */
uint64_t fal_payload_hash(const uint8_t *bytes, size_t len);
/* The hash of bytes whose beginning has the hash `hash`, with these after it. */
uint64_t fal_payload_hash_on(uint64_t hash, const uint8_t *bytes, size_t len);

/* Payloads that were hashed, with their hashes: several ends of a bench hash the same one, and
 * this takes longer than comparing it. One thread. */
struct fal_payload_hashes;

/* None yet. The caller frees it with free(). NULL when out of memory. */
struct fal_payload_hashes *fal_payload_hashes_new(void);

/* fal_payload_hash, from there if it is known. `known` may be NULL. */
uint64_t fal_payload_hash_by(struct fal_payload_hashes *known, const uint8_t *bytes,
                             size_t len);

/* Another hash, eight bytes a step, for payloads that are compared with each other alone:
 * events of the upper layer carry fal_payload_hash. */
uint64_t fal_payload_mark(const uint8_t *bytes, size_t len);

/* ---- the payload that a line of the notation describes for the upper layer ---- */

/* Bytes of headers, data and padding. */
size_t fal_ulp_payload_len(const struct fal_ulp_payload *part);

/* Writes them, at most `cap`; data without a tag are those of the pattern of `tag`. Returns the
 * bytes written. */
size_t fal_ulp_payload_write(const struct fal_ulp_payload *part, uint64_t tag, uint64_t seed,
                             uint8_t *out, size_t cap);

/* fal_payload_hash of the data alone. */
uint64_t fal_ulp_payload_hash(const struct fal_ulp_payload *part, uint64_t seed);

#endif
