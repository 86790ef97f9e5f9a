/* SPDX-License-Identifier: Apache-2.0
 * psp.h - PSP sealing and opening (PSP Architecture Specification; 6.5, 7.1), through OpenSSL's
 * EVP.
 *
 * A key set holds what `--psp-keys` gives: master keys, from which each SPI's key is derived,
 * or keys per SPI and receiving address. Derived keys are cached inside the set, bounded; so
 * one set serves one thread at a time.
 *
 * Which key: an SA of that receiving address, SPI and version; else an SA without an address;
 * else the master keys of that receiver; else the master keys of all. An unknown address (NULL)
 * takes the first SA of that SPI and version, and the master keys of all. */
#ifndef FAL_CODECS_SEAL_PSP_H
#define FAL_CODECS_SEAL_PSP_H

#include "codecs/base/error.h"
#include "codecs/header/headers.h"

#include <jansson.h>

enum {
    FAL_PSP_ICV_LEN = 16,
    FAL_PSP_HEADER_LEN = 16,
    FAL_PSP_VC_LEN = 8,
    FAL_PSP_KEY_MAX = 32
};

enum fal_psp_state {
    FAL_PSP_NONE,      /* not a PSP packet */
    FAL_PSP_NO_KEY,    /* nothing was tried */
    FAL_PSP_TRUNCATED, /* captured short: cannot be opened */
    FAL_PSP_GOOD,
    FAL_PSP_BAD, /* the ICV is wrong, or the header leaves no room for one */
};

struct fal_psp_keys;

/* Reads the JSON of a key file: master_keys (2 times 64 hex digits; the SPI's top bit chooses),
 * receivers (address to master_keys), sas (dst, which may be absent; spi; version; key). NULL
 * with `err` naming the member, or a set the caller frees. `json` is not kept. */
struct fal_psp_keys *fal_psp_keys_new(const json_t *json, struct fal_error *err);
void fal_psp_keys_free(struct fal_psp_keys *keys);

/* Derives the key of `spi` for a PSP version from a 32-byte master key into out (16 or 32
 * bytes). Returns its length, or FAL_ERR_TYPE, FAL_ERR_MEM. */
MUST_USE int fal_psp_derive(const uint8_t master[32], uint32_t spi, unsigned version,
                            uint8_t out[FAL_PSP_KEY_MAX]);

/* Opens a PSP packet: `packet` is the whole UDP payload (PSP header, payload, ICV), `dst` the
 * receiving IP address as "10.0.0.2" or NULL. On FAL_PSP_GOOD the plain payload (what follows
 * the PSP header and VC) is in `out` (at least `len` bytes) with its length in *out_len. A
 * crypt offset or header length that the packet has no room for is FAL_PSP_BAD. */
enum fal_psp_state fal_psp_open(struct fal_psp_keys *keys, const char *dst,
                                const uint8_t *packet, size_t len, uint8_t *out,
                                size_t *out_len);

/* What is to be sealed: the headers as they are (`vc` when psp->v), the payload in the clear.
 */
struct fal_seal_input {
    const struct fal_psp *psp;
    const struct fal_psp_vc *vc;
    const uint8_t *payload;
    size_t payload_len;
};

/* Seals a packet to `dst` (as in fal_psp_open): writes header, payload and ICV to `out`.
 * Returns the bytes written, FAL_ERR_SHORT, FAL_ERR_KEY, FAL_ERR_TYPE (unknown version, crypt
 * offset beyond the payload), FAL_ERR_MEM, FAL_ERR_RANGE (a field too wide). */
MUST_USE int fal_psp_seal(struct fal_psp_keys *keys, const char *dst,
                          const struct fal_seal_input *in, uint8_t *out, size_t cap);

/* ---- the same for the frame stack, which has addresses in binary and buffers of its own ----
 */

/* A receiving address: 4 bytes (IPv4) or 16 (IPv6) in network order; len 0 when it is not
 * known. */
struct fal_psp_dst {
    uint8_t len, bytes[16];
};

/* Whether the version encrypts (GCM), or authenticates only (GMAC). */
static inline bool fal_psp_encrypts(unsigned version)
{
    return version != 2 && version != 3;
}

/* Opens a PSP packet into `out` (at least `len` bytes): what follows the fixed 16 bytes of
 * header, a VC included; len - 32 bytes when FAL_PSP_GOOD, else undefined. */
enum fal_psp_state fal_psp_open_to(struct fal_psp_keys *keys, const struct fal_psp_dst *dst,
                                   const uint8_t *packet, size_t len, uint8_t *out);

/* Seals in place a packet whose header, VC and plain payload are written; the ICV goes into its
 * last 16 bytes, which `len` includes. 0, FAL_ERR_SHORT, FAL_ERR_KEY, FAL_ERR_TYPE,
 * FAL_ERR_MEM. */
MUST_USE int fal_psp_seal_in_place(struct fal_psp_keys *keys, const struct fal_psp_dst *dst,
                                   uint8_t *packet, size_t len);

/* t1 of an IV: its time in units of 131.072 ns (AMB-32). */
static inline uint32_t fal_psp_ticks(uint64_t iv)
{
    return (uint32_t)(iv >> 17);
}

#endif
