/* SPDX-License-Identifier: Apache-2.0
 * esp_keys.h - inside of an ESP key set: shared by esp_keys.c, which reads it from JSON, and
 * esp.c, which uses it. */
#ifndef FAL_CODECS_SEAL_ESP_KEYS_H
#define FAL_CODECS_SEAL_ESP_KEYS_H

#include "codecs/seal/esp.h"

#include <openssl/evp.h>

enum {
    FAL_ESP_CACHE_BITS = 8,
    FAL_ESP_CACHE_SIZE =
        1 << FAL_ESP_CACHE_BITS /* a power of two; each SA has one place in it */
};

struct fal_esp_sa {
    struct fal_psp_dst dst; /* len 0: any receiver */
    uint32_t spi;
    struct fal_esp_form form;
    uint8_t key[FAL_ESP_KEY_MAX], salt[FAL_ESP_SALT_LEN];
    uint64_t newest; /* the highest extended sequence number that was authentic */
};

/* A cipher context that has the key of one SA set. */
struct fal_esp_cached {
    const struct fal_esp_sa *sa;
    EVP_CIPHER_CTX *ctx; /* NULL: the place is free */
};

struct fal_esp_keys {
    struct fal_esp_sa *sas; /* ascending by SPI, address */
    size_t num_sas;
    EVP_CIPHER *cipher[2]; /* by enum fal_esp_algorithm */
    struct fal_esp_cached cache[FAL_ESP_CACHE_SIZE];
};

/* The SA for packets to `dst` with that SPI, or NULL. An unknown address takes the first. */
struct fal_esp_sa *fal_esp_sa_of(const struct fal_esp_keys *keys, const struct fal_psp_dst *dst,
                                 uint32_t spi);

#endif
