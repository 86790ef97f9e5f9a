/* SPDX-License-Identifier: Apache-2.0
 * disguise.h - replaces addresses and bytes by others, equal ones by equal ones: a keyed map
 * that nobody can undo once the key is gone. */
#ifndef TL_HARNESS_FIELD_DISGUISE_H
#define TL_HARNESS_FIELD_DISGUISE_H

#include "codecs/base/error.h"
#include "codecs/base/u128.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TL_DISGUISE_KEY = 32, TL_DISGUISE_ADDRESSES_MAX = 1 << 22 };

enum tl_address_kind { TL_ADDRESS_MAC, TL_ADDRESS_IPV4, TL_ADDRESS_IPV6 };

/* An address, in the low 48, 32 or 128 bits. */
struct tl_address {
    enum tl_address_kind kind;
    fal_u128 value;
};

struct tl_disguise;

/* NULL when out of memory. The caller frees it; that forgets the key. */
struct tl_disguise *tl_disguise_new(const uint8_t key[TL_DISGUISE_KEY]);
void tl_disguise_free(struct tl_disguise *disguise); /* NULL is allowed */

/* Notes an address that the capture has. All are to be noted before the first is replaced: no
 * IPv4 address that replaces another one is then an original one. 0; FAL_ERR_MEM; FAL_ERR_RANGE
 * for more than TL_DISGUISE_ADDRESSES_MAX addresses. */
MUST_USE int tl_disguise_note(struct tl_disguise *disguise, struct tl_address address);

/* What replaces a noted address; different addresses get different ones. The unspecified
 * address, the broadcast addresses and the MAC addresses of IEEE protocols (01:80:c2) stay. A
 * group address stays one. IPv4: 10.0.0.1, 10.0.0.2, ..., groups 239.0.0.1, ...; IPv6: fd...,
 * groups ff0e...; MAC: 02..., groups 03.... */
fal_u128 tl_disguise_address(struct tl_disguise *disguise, struct tl_address address);

/* Replaces `len` bytes by as many: a permutation for each length and `tweak`, so equal bytes
 * become equal ones, and different bytes different ones. Zeros stay zeros. 0, or FAL_ERR_MEM.
 */
MUST_USE int tl_disguise_bytes(const struct tl_disguise *disguise, unsigned tweak,
                               uint8_t *bytes, size_t len);

/* Replaces a virtual address. All move by the same distance, a multiple of 4096 bytes, modulo
 * 2^64, so that neighbours stay neighbours and alignment stays. */
uint64_t tl_disguise_virtual(const struct tl_disguise *disguise, uint64_t address);

#endif
