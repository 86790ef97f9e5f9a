/* SPDX-License-Identifier: Apache-2.0
 * psp.h - PSP sealing and opening (PSP Architecture Specification; 6.5, 7.1), through OpenSSL's EVP.
 *
 * A key set holds what `--psp-keys` gives: master keys, from which each SPI's key is derived, or
 * keys per SPI and receiving address. Derived keys are cached inside the set, bounded. */
#ifndef FAL_CODECS_PSP_H
#define FAL_CODECS_PSP_H

#include "codecs/headers.h"

#include <jansson.h>

enum { FAL_PSP_ICV_LEN = 16, FAL_PSP_HEADER_LEN = 16, FAL_PSP_VC_LEN = 8, FAL_PSP_KEY_MAX = 32 };

enum fal_psp_state {
    FAL_PSP_NONE,      /* not a PSP packet */
    FAL_PSP_NO_KEY,    /* nothing was tried */
    FAL_PSP_TRUNCATED, /* captured short: cannot be opened */
    FAL_PSP_GOOD,
    FAL_PSP_BAD,       /* the ICV is wrong */
};

struct fal_psp_keys;

/* Reads the JSON of a key file (wire-format.md): master_keys, receivers, sas. NULL with `err`, or a
 * set the caller frees. */
struct fal_psp_keys *fal_psp_keys_new(const json_t *json, struct fal_error *err);
void fal_psp_keys_free(struct fal_psp_keys *keys);

/* Derives the key of `spi` for a PSP version from a 32-byte master key into out (16 or 32 bytes).
 * Returns its length, or FAL_ERR_TYPE, FAL_ERR_MEM. */
int fal_psp_derive(const uint8_t master[32], uint32_t spi, unsigned version,
                   uint8_t out[FAL_PSP_KEY_MAX]);

/* Opens a PSP packet: `packet` is the whole UDP payload (PSP header, payload, ICV), `dst` the receiving
 * IP address as "10.0.0.2" or NULL. On FAL_PSP_GOOD the plain payload (what follows the PSP header
 * and VC) is in `out` (at least `len` bytes) with its length in *out_len. */
enum fal_psp_state fal_psp_open(struct fal_psp_keys *keys, const char *dst, const uint8_t *packet,
                                size_t len, uint8_t *out, size_t *out_len);

/* Seals: `psp` and `vc` (when psp->v) as they are, `payload` in the clear; writes header, payload and
 * ICV to `out`. Returns the bytes written, FAL_ERR_SHORT, FAL_ERR_KEY, FAL_ERR_TYPE (unknown version,
 * crypt offset beyond the payload), FAL_ERR_MEM. */
int fal_psp_seal(struct fal_psp_keys *keys, const char *dst, const struct fal_psp *psp,
                 const struct fal_psp_vc *vc, const uint8_t *payload, size_t payload_len,
                 uint8_t *out, size_t cap);

/* t1 of an IV: its time in units of 131.072 ns (AMB-32). */
static inline uint32_t fal_psp_ticks(uint64_t iv)
{
    return (uint32_t)(iv >> 17);
}

#endif
