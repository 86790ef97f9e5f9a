/* SPDX-License-Identifier: Apache-2.0
 * pack.h - compresses structures that are not in use: words that differ from a model are
 * written without their leading zeros, runs of equal words as one token. The facts of a
 * connection are counters that grow slowly, so they shrink to a third or less. */
#ifndef FAL_ORACLES_RULES_FACTS_PACK_H
#define FAL_ORACLES_RULES_FACTS_PACK_H

#include <stddef.h>
#include <stdint.h>

/* The largest packed size of n bytes. */
#define FAL_PACKED_MAX(n) ((n) + (n) / 16 + 16)

/* Packs n bytes, a multiple of 8, and returns the packed size. `out` has room for
 * FAL_PACKED_MAX(n). `model` has n bytes too; NULL: zeros. It may be the bytes before `raw`. */
size_t fal_pack(const void *raw, const void *model, size_t n, uint8_t *out);

/* Unpacks with the same model; returns the number of bytes of `in` that were read. 8 bytes
 * after the packed ones must be readable. Without a model `raw` must be zero before the call.
 */
size_t fal_unpack(const uint8_t *in, const void *model, size_t n, void *raw);
enum { FAL_PACK_SLACK = 8 };

#endif
