/* SPDX-License-Identifier: Apache-2.0
 * psp_keys.h - inside of a PSP key set: shared by psp_keys.c, which reads it from JSON, and
 * psp.c, which uses it. */
#ifndef FAL_CODECS_SEAL_PSP_KEYS_H
#define FAL_CODECS_SEAL_PSP_KEYS_H

#include "codecs/seal/psp.h"

#include <openssl/evp.h>

enum {
    FAL_PSP_MASTER_LEN = 32,
    FAL_PSP_CACHE_BITS = 8,
    FAL_PSP_CACHE_SIZE =
        1 << FAL_PSP_CACHE_BITS, /* a power of two; each SPI has one place in it */
};

/* Two generations of a device's master key; the SPI's top bit chooses. */
struct fal_psp_master {
    uint8_t key[2][FAL_PSP_MASTER_LEN];
};

struct fal_psp_receiver {
    struct fal_psp_dst dst;
    struct fal_psp_master master;
};

struct fal_psp_sa {
    struct fal_psp_dst dst; /* len 0: any receiver */
    uint32_t spi;
    unsigned version;
    uint8_t key[FAL_PSP_KEY_MAX];
};

/* A cipher context that has its key set, of one origin (see fal_psp_find), SPI and version. */
struct fal_psp_cached {
    uint32_t origin, spi;
    unsigned version;
    EVP_CIPHER_CTX *ctx; /* NULL: the place is free */
};

struct fal_psp_keys {
    bool has_master;
    struct fal_psp_master master;       /* of receivers not named */
    struct fal_psp_receiver *receivers; /* ascending by address */
    size_t num_receivers;
    struct fal_psp_sa *sas; /* ascending by SPI, version, address */
    size_t num_sas;
    EVP_CIPHER *cipher[2]; /* AES-GCM of 128 and 256 bits */
    struct fal_psp_cached cache[FAL_PSP_CACHE_SIZE];
};

/* A secret, and how an SPI's key comes from it. */
struct fal_psp_secret {
    const uint8_t *bytes; /* borrowed from the set; NULL: not found */
    bool master;          /* a master key to derive from; else the key itself */
    uint32_t origin;      /* which secret of the set this is */
};

/* The secret for packets to `dst` with that SPI and version (psp.h has the order). */
struct fal_psp_secret fal_psp_find(const struct fal_psp_keys *keys,
                                   const struct fal_psp_dst *dst, uint32_t spi,
                                   unsigned version);

/* Bytes of the key of a version: 16 or 32; 0 for an unknown version. */
size_t fal_psp_key_len(unsigned version);

#endif
