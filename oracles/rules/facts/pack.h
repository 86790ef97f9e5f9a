/* SPDX-License-Identifier: Apache-2.0
 * pack.h - structures made small while nobody looks at them: words that differ from a model are
 * written without their leading zeros, runs of equal ones as one token. Facts of a connection
 * are counters that grow slowly, so that they shrink to a third or less. */
#ifndef FAL_ORACLES_RULES_FACTS_PACK_H
#define FAL_ORACLES_RULES_FACTS_PACK_H

#include <stddef.h>
#include <stdint.h>

/* The longest that n bytes become. */
#define FAL_PACKED_MAX(n) ((n) + (n) / 16 + 16)

/* Packs n bytes, a multiple of 8, and returns how many they are at `out`, which has room for
 * FAL_PACKED_MAX(n). `model` has as many, NULL: zeros; it may be bytes before `raw`. */
size_t fal_pack(const void *raw, const void *model, size_t n, uint8_t *out);

/* The reverse, with the same model; returns how many bytes of `in` were read. 8 bytes behind
 * the packed ones must be readable. Without a model `raw` must be zeros before. */
size_t fal_unpack(const uint8_t *in, const void *model, size_t n, void *raw);
enum { FAL_PACK_SLACK = 8 };

#endif
