/* SPDX-License-Identifier: Apache-2.0
 * esp.h - ESP sealing and opening (RFC 4303) with AES-GCM as RFC 4106 has it, and with the null
 * cipher of RFC 2410 (6.5, 7.1), through OpenSSL's EVP.
 *
 * A key set holds what `--esp-keys` gives: one key per SPI and receiving address. Which SA: one
 * of that receiving address and SPI; else one of the SPI without an address. One set serves one
 * thread at a time: it caches cipher contexts and remembers how far extended sequence numbers
 * have come. */
#ifndef FAL_CODECS_SEAL_ESP_H
#define FAL_CODECS_SEAL_ESP_H

#include "codecs/base/error.h"
#include "codecs/seal/psp.h"

enum {
    FAL_ESP_HEADER_LEN = 8, /* SPI and sequence number */
    FAL_ESP_IV_LEN = 8,
    FAL_ESP_ICV_MAX = 16,
    FAL_ESP_TRAILER_MIN = 2, /* pad length and next header, after the padding */
    FAL_ESP_KEY_MAX = 32,
    FAL_ESP_SALT_LEN = 4
};

enum fal_esp_algorithm {
    FAL_ESP_AES_GCM_128,
    FAL_ESP_AES_GCM_256,
    FAL_ESP_NULL, /* neither hidden nor authenticated; an ICV is there or not, unverified */
};

/* What an SA says of how its packets look. */
struct fal_esp_form {
    enum fal_esp_algorithm algorithm;
    uint8_t iv_len;  /* 8; null: 0 */
    uint8_t icv_len; /* 16, 12, 8; null: 0 too */
    bool esn;        /* the ICV covers 64 bits of sequence number, 32 are sent */
};

struct fal_esp_keys;

/* Reads the JSON of a key file: sas, an array of objects with dst (which may be absent), spi,
 * algorithm, key, salt, icv_len (default 16; null 0), esn (default false) and sequence_high
 * (default 0: the unsent half of the number where a capture begins; with esn only). NULL with
 * `err` naming the member, or a set the caller frees. `json` is not kept. */
struct fal_esp_keys *fal_esp_keys_new(const json_t *json, struct fal_error *err);
void fal_esp_keys_free(struct fal_esp_keys *keys);

/* The form of the packets to `dst` with that SPI; false when there is no SA, or no set. */
bool fal_esp_find(const struct fal_esp_keys *keys, const struct fal_psp_dst *dst, uint32_t spi,
                  struct fal_esp_form *form);

/* Opens an ESP packet (header, IV, sealed bytes, ICV) into `out` (at least `len` bytes): what
 * stands between IV and ICV, padding and trailer included; its length is that between them when
 * FAL_PSP_GOOD, else the content is undefined. With ESN the unsent half of the sequence number
 * is found from the packets opened before and goes to *high (else 0; may be NULL).
 * FAL_PSP_NO_KEY: no SA, or the null algorithm, which has nothing to open. */
enum fal_psp_state fal_esp_open_to(struct fal_esp_keys *keys, const struct fal_psp_dst *dst,
                                   const uint8_t *packet, size_t len, uint8_t *out,
                                   uint32_t *high);

/* Seals in place a packet whose header, IV, payload, padding and trailer are written; the ICV
 * goes into its last icv_len bytes, which `len` includes (null: they become 0). `high`: the
 * unsent half of the sequence number, for ESN. 0, FAL_ERR_SHORT, FAL_ERR_KEY, FAL_ERR_MEM. */
MUST_USE int fal_esp_seal_in_place(struct fal_esp_keys *keys, const struct fal_psp_dst *dst,
                                   uint32_t high, uint8_t *packet, size_t len);

/* Bytes of padding between `payload_len` bytes and the 2 of the trailer, so that all of it ends
 * on a boundary of 4 bytes (RFC 4303, section 2.4). */
static inline size_t fal_esp_padding(size_t payload_len)
{
    return (4 - (payload_len + FAL_ESP_TRAILER_MIN) % 4) % 4;
}

#endif
