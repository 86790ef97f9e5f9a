/* SPDX-License-Identifier: Apache-2.0
 * crypt.h - encryption of blocks at the initiator: AES-256-XTS (NVME 6.7). */
#ifndef FAL_ORACLES_NVME_CRYPT_H
#define FAL_ORACLES_NVME_CRYPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAL_NV_KEY_LEN = 64 };

/* Encrypts or decrypts one data unit of at least 16 bytes, `in` to `out` (which may be `in`).
 * The tweak is the number of the unit, little-endian (AMB-N18). False: out of memory, or the
 * two halves of the key are equal. */
bool fal_nv_encrypt(const uint8_t key[FAL_NV_KEY_LEN], uint64_t unit, const uint8_t *in,
                    size_t len, uint8_t *out);
bool fal_nv_decrypt(const uint8_t key[FAL_NV_KEY_LEN], uint64_t unit, const uint8_t *in,
                    size_t len, uint8_t *out);

#endif
