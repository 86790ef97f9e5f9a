/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/seal/esp_keys.h"

#include <limits.h>
#include <openssl/crypto.h>

enum { NONCE_LEN = FAL_ESP_SALT_LEN + FAL_ESP_IV_LEN, AAD_MAX = 12, HIGH_CANDIDATES = 3 };

/* ---- keys ---- */

/* The context of an SA's key, or NULL (out of memory). */
static EVP_CIPHER_CTX *context_of(struct fal_esp_keys *keys, const struct fal_esp_sa *sa)
{
    size_t index = (size_t)(sa - keys->sas);
    struct fal_esp_cached *place = &keys->cache[index % FAL_ESP_CACHE_SIZE];
    EVP_CIPHER_CTX *ctx = place->ctx;

    if (ctx != NULL && place->sa == sa)
        return ctx;
    place->ctx = NULL; /* the old key is gone even when this fails */
    if (ctx == NULL)
        ctx = EVP_CIPHER_CTX_new();
    if (ctx == NULL)
        return NULL;
    if (EVP_CipherInit_ex2(ctx, keys->cipher[sa->form.algorithm], sa->key, NULL, 1, NULL) !=
        1) {
        EVP_CIPHER_CTX_free(ctx);
        return NULL;
    }
    *place = (struct fal_esp_cached){sa, ctx};
    return ctx;
}

/* ---- one packet ---- */

static uint32_t word(const uint8_t *packet, unsigned index)
{
    return (uint32_t)fal_bits_get(packet, 32 * index, 32);
}

/* SPI and sequence number, with ESN 64 bits of it (RFC 4106, section 5). */
static int make_aad(const struct fal_esp_sa *sa, uint32_t high, const uint8_t *packet,
                    uint8_t aad[AAD_MAX])
{
    memcpy(aad, packet, FAL_ESP_HEADER_LEN);
    if (!sa->form.esn)
        return FAL_ESP_HEADER_LEN;
    fal_bits_set(aad, 32, 32, high);
    memcpy(aad + 8, packet + 4, 4);
    return AAD_MAX;
}

/* One way of AES-GCM over a packet. */
struct crypt {
    int encrypt;
    const struct fal_esp_sa *sa;
    uint32_t high; /* half of the sequence number */
    const uint8_t *packet;
    size_t len; /* bytes between IV and ICV */
};

/* Runs AES-GCM over the bytes between IV and ICV, into `to`. */
static bool run(EVP_CIPHER_CTX *ctx, const struct crypt *c, uint8_t *to)
{
    const uint8_t *from = c->packet + FAL_ESP_HEADER_LEN + FAL_ESP_IV_LEN;
    uint8_t nonce[NONCE_LEN], aad[AAD_MAX];
    int n, aad_len = make_aad(c->sa, c->high, c->packet, aad);

    memcpy(nonce, c->sa->salt, FAL_ESP_SALT_LEN);
    memcpy(nonce + FAL_ESP_SALT_LEN, c->packet + FAL_ESP_HEADER_LEN, FAL_ESP_IV_LEN);
    return EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, c->encrypt, NULL) == 1 &&
           EVP_CipherUpdate(ctx, NULL, &n, aad, aad_len) == 1 &&
           (c->len == 0 || EVP_CipherUpdate(ctx, to, &n, from, (int)c->len) == 1);
}

/* Bytes between IV and ICV, or FAL_ERR_SHORT where there is no room for both. */
static int body_of(const struct fal_esp_sa *sa, size_t len)
{
    size_t around = (size_t)FAL_ESP_HEADER_LEN + sa->form.iv_len + sa->form.icv_len;

    return len > INT_MAX || len < around ? FAL_ERR_SHORT : (int)(len - around);
}

/* ---- opening ---- */

static bool open_with(EVP_CIPHER_CTX *ctx, const struct fal_esp_sa *sa, uint32_t high,
                      const uint8_t *packet, size_t len, uint8_t *out)
{
    size_t icv_len = sa->form.icv_len;
    uint8_t icv[FAL_ESP_ICV_MAX];
    int n, body = body_of(sa, len);

    memcpy(icv, packet + len - icv_len, icv_len);
    return run(ctx, &(struct crypt){0, sa, high, packet, (size_t)body}, out) &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)icv_len, icv) == 1 &&
           EVP_CipherFinal_ex(ctx, out + body, &n) == 1;
}

/* The halves to try, the likeliest first: that which puts the number nearest to the newest one,
 * then its neighbours (RFC 4303, appendix A2, without a window: a tester also reads captures
 * that begin anywhere). */
static void candidates(const struct fal_esp_sa *sa, uint32_t low, uint32_t out[HIGH_CANDIDATES])
{
    uint32_t high = (uint32_t)(sa->newest >> 32), newest = (uint32_t)sa->newest;

    if (low < newest && newest - low > INT32_MAX)
        high++;
    else if (low > newest && low - newest > INT32_MAX && high > 0)
        high--;
    out[0] = high;
    out[1] = high + 1;
    out[2] = high - 1;
}

enum fal_psp_state fal_esp_open_to(struct fal_esp_keys *keys, const struct fal_psp_dst *dst,
                                   const uint8_t *packet, size_t len, uint8_t *out,
                                   uint32_t *high)
{
    uint32_t tries[HIGH_CANDIDATES] = {0}, low;
    struct fal_esp_sa *sa;
    EVP_CIPHER_CTX *ctx;

    if (high != NULL)
        *high = 0;
    if (keys == NULL || len < FAL_ESP_HEADER_LEN)
        return len < FAL_ESP_HEADER_LEN ? FAL_PSP_TRUNCATED : FAL_PSP_NO_KEY;
    sa = fal_esp_sa_of(keys, dst, word(packet, 0));
    if (sa == NULL || sa->form.algorithm == FAL_ESP_NULL)
        return FAL_PSP_NO_KEY;
    if (body_of(sa, len) < 0)
        return FAL_PSP_BAD;
    ctx = context_of(keys, sa);
    if (ctx == NULL)
        return FAL_PSP_NO_KEY;
    low = word(packet, 1);
    if (sa->form.esn)
        candidates(sa, low, tries);
    for (int i = 0; i < (sa->form.esn ? HIGH_CANDIDATES : 1); i++) {
        if (!open_with(ctx, sa, tries[i], packet, len, out))
            continue;
        if (sa->form.esn && ((uint64_t)tries[i] << 32 | low) > sa->newest)
            sa->newest = (uint64_t)tries[i] << 32 | low;
        if (high != NULL)
            *high = tries[i];
        return FAL_PSP_GOOD;
    }
    return FAL_PSP_BAD;
}

/* ---- sealing ---- */

int fal_esp_seal_in_place(struct fal_esp_keys *keys, const struct fal_psp_dst *dst,
                          uint32_t high, uint8_t *packet, size_t len)
{
    const struct fal_esp_sa *sa;
    EVP_CIPHER_CTX *ctx;
    uint8_t *icv;
    int n, body;

    if (len < FAL_ESP_HEADER_LEN)
        return FAL_ERR_SHORT;
    sa = keys != NULL ? fal_esp_sa_of(keys, dst, word(packet, 0)) : NULL;
    if (sa == NULL)
        return FAL_ERR_KEY;
    body = body_of(sa, len);
    if (body < 0)
        return body;
    icv = packet + len - sa->form.icv_len;
    if (sa->form.algorithm == FAL_ESP_NULL) {
        memset(icv, 0, sa->form.icv_len);
        return 0;
    }
    ctx = context_of(keys, sa);
    if (ctx == NULL ||
        !run(ctx, &(struct crypt){1, sa, high, packet, (size_t)body},
             packet + FAL_ESP_HEADER_LEN + FAL_ESP_IV_LEN) ||
        EVP_CipherFinal_ex(ctx, icv, &n) != 1 ||
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, sa->form.icv_len, icv) != 1)
        return FAL_ERR_MEM;
    return 0;
}
