/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/seal/key_file.h"

#include "codecs/base/error.h"
#include "codecs/seal/psp_keys.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>

enum { IV_LEN = 12, BLOCK_LEN = 16, UNIT = 4 /* bytes of the crypt offset's unit */ };

/* ---- keys ---- */

/* One block of AES-256-CMAC over counter, label, SPI and length (PSP, key derivation). */
static int derive_block(EVP_MAC_CTX *ctx, const uint8_t master[FAL_PSP_MASTER_LEN],
                        uint32_t spi, unsigned version, unsigned counter,
                        uint8_t out[BLOCK_LEN])
{
    char cipher[] = "AES-256-CBC";
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, cipher, 0),
        OSSL_PARAM_construct_end(),
    };
    uint8_t block[BLOCK_LEN] = {[4] = 'P', [5] = 'v', [6] = (uint8_t)('0' + version)};
    size_t len = 0;

    fal_bits_set(block, 0, 32, counter);
    fal_bits_set(block, 64, 32, spi);
    fal_bits_set(block, 96, 32, fal_psp_key_len(version) * 8);
    if (EVP_MAC_init(ctx, master, FAL_PSP_MASTER_LEN, params) != 1 ||
        EVP_MAC_update(ctx, block, sizeof block) != 1 ||
        EVP_MAC_final(ctx, out, &len, BLOCK_LEN) != 1 || len != BLOCK_LEN)
        return FAL_ERR_MEM;
    return 0;
}

int fal_psp_derive(const uint8_t master[32], uint32_t spi, unsigned version,
                   uint8_t out[FAL_PSP_KEY_MAX])
{
    size_t key_len = fal_psp_key_len(version);
    int status = FAL_ERR_MEM;
    EVP_MAC *mac;
    EVP_MAC_CTX *ctx;

    if (key_len == 0)
        return FAL_ERR_TYPE;
    mac = EVP_MAC_fetch(NULL, OSSL_MAC_NAME_CMAC, NULL);
    ctx = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
    if (ctx == NULL)
        goto done;
    for (unsigned n = 0; n < key_len / BLOCK_LEN; n++) {
        status = derive_block(ctx, master, spi, version, n + 1, out + n * BLOCK_LEN);
        if (status < 0)
            goto done;
    }
    status = (int)key_len;
done:
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
    return status;
}

/* Gives a place of the cache its key. The old one is gone even when this fails. */
static int fill(struct fal_psp_keys *keys, struct fal_psp_cached *place,
                const struct fal_psp_secret *secret, uint32_t spi, unsigned version)
{
    const EVP_CIPHER *cipher = keys->cipher[fal_psp_key_len(version) == 32];
    EVP_CIPHER_CTX *ctx = place->ctx != NULL ? place->ctx : EVP_CIPHER_CTX_new();
    uint8_t key[FAL_PSP_KEY_MAX] = {0};
    int status = FAL_ERR_MEM;

    place->ctx = NULL;
    if (ctx == NULL)
        return FAL_ERR_MEM;
    if (!secret->master)
        memcpy(key, secret->bytes, fal_psp_key_len(version));
    else if (fal_psp_derive(secret->bytes, spi, version, key) < 0)
        goto done;
    if (EVP_CipherInit_ex2(ctx, cipher, key, NULL, 1, NULL) != 1)
        goto done;
    *place = (struct fal_psp_cached){secret->origin, spi, version, ctx};
    ctx = NULL;
    status = 0;
done:
    OPENSSL_cleanse(key, sizeof key);
    EVP_CIPHER_CTX_free(ctx);
    return status;
}

/* The context of a packet's key in *ctx. 0, FAL_ERR_KEY, FAL_ERR_TYPE (unknown version),
 * FAL_ERR_MEM. */
static int context_of(struct fal_psp_keys *keys, const struct fal_psp_dst *dst, uint32_t spi,
                      unsigned version, EVP_CIPHER_CTX **ctx)
{
    struct fal_psp_secret secret;
    struct fal_psp_cached *place;
    uint32_t hash;

    if (fal_psp_key_len(version) == 0)
        return FAL_ERR_TYPE;
    if (keys == NULL)
        return FAL_ERR_KEY;
    secret = fal_psp_find(keys, dst, spi, version);
    if (secret.bytes == NULL)
        return FAL_ERR_KEY;
    hash = (spi ^ secret.origin << 16) * UINT32_C(0x9e3779b9);
    place = &keys->cache[hash >> (32 - FAL_PSP_CACHE_BITS)];
    if (place->ctx == NULL || place->spi != spi || place->version != version ||
        place->origin != secret.origin) {
        int status = fill(keys, place, &secret, spi, version);

        if (status < 0)
            return status;
    }
    *ctx = place->ctx;
    return 0;
}

/* ---- one packet ---- */

/* Where the parts of a packet lie, by its header: clear bytes (header and what stands before
 * the crypt offset), sealed bytes, ICV. */
struct parts {
    struct fal_psp psp;
    size_t clear, sealed;
};

/* FAL_ERR_SHORT when there is no room for header and ICV, FAL_ERR_TYPE when there is none for
 * the crypt offset or the VC. */
static int split(const uint8_t *packet, size_t len, struct parts *out)
{
    size_t body;

    if (len > INT_MAX || len < FAL_PSP_HEADER_LEN + FAL_PSP_ICV_LEN)
        return FAL_ERR_SHORT;
    /* The header is whole: the length was checked. */
    FAL_IGNORE(fal_layout_decode(&fal_psp_layout, packet, len, &out->psp));
    body = len - FAL_PSP_HEADER_LEN - FAL_PSP_ICV_LEN;
    if (out->psp.crypt_offset * (size_t)UNIT > body || (out->psp.v && body < FAL_PSP_VC_LEN))
        return FAL_ERR_TYPE;
    out->clear = fal_psp_encrypts(out->psp.version)
                     ? FAL_PSP_HEADER_LEN + out->psp.crypt_offset * (size_t)UNIT
                     : len - FAL_PSP_ICV_LEN;
    out->sealed = len - FAL_PSP_ICV_LEN - out->clear;
    return 0;
}

/* Runs AES-GCM one way over `from`, whose clear part is authenticated only, into `to`, which
 * gets the sealed part alone. GMAC has no sealed part. The nonce is SPI and IV as the header
 * has them. */
static bool run(EVP_CIPHER_CTX *ctx, int encrypt, const struct parts *parts,
                const uint8_t *from, uint8_t *to)
{
    uint8_t iv[IV_LEN];
    int n;

    memcpy(iv, from + 4, sizeof iv);
    return EVP_CipherInit_ex2(ctx, NULL, NULL, iv, encrypt, NULL) == 1 &&
           EVP_CipherUpdate(ctx, NULL, &n, from, (int)parts->clear) == 1 &&
           (parts->sealed == 0 ||
            EVP_CipherUpdate(ctx, to, &n, from + parts->clear, (int)parts->sealed) == 1);
}

enum fal_psp_state fal_psp_open_to(struct fal_psp_keys *keys, const struct fal_psp_dst *dst,
                                   const uint8_t *packet, size_t len, uint8_t *out)
{
    uint8_t icv[FAL_PSP_ICV_LEN];
    EVP_CIPHER_CTX *ctx;
    struct parts parts;
    int status = split(packet, len, &parts), n;
    size_t clear;

    if (status == FAL_ERR_SHORT)
        return FAL_PSP_TRUNCATED;
    if (status < 0)
        return FAL_PSP_BAD;
    if (context_of(keys, dst, parts.psp.spi, parts.psp.version, &ctx) < 0)
        return FAL_PSP_NO_KEY;
    clear = parts.clear - FAL_PSP_HEADER_LEN;
    memcpy(icv, packet + len - sizeof icv, sizeof icv);
    memcpy(out, packet + FAL_PSP_HEADER_LEN, clear);
    return run(ctx, 0, &parts, packet, out + clear) &&
                   EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, sizeof icv, icv) == 1 &&
                   EVP_CipherFinal_ex(ctx, out + clear, &n) == 1
               ? FAL_PSP_GOOD
               : FAL_PSP_BAD;
}

int fal_psp_seal_in_place(struct fal_psp_keys *keys, const struct fal_psp_dst *dst,
                          uint8_t *packet, size_t len)
{
    EVP_CIPHER_CTX *ctx;
    struct parts parts;
    int status = split(packet, len, &parts), n;

    if (status == 0)
        status = context_of(keys, dst, parts.psp.spi, parts.psp.version, &ctx);
    if (status < 0)
        return status;
    if (!run(ctx, 1, &parts, packet, packet + parts.clear) ||
        EVP_CipherFinal_ex(ctx, packet + parts.clear, &n) != 1 ||
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, FAL_PSP_ICV_LEN,
                            packet + len - FAL_PSP_ICV_LEN) != 1)
        return FAL_ERR_MEM;
    return 0;
}

/* ---- with addresses as text and layers apart ---- */

enum fal_psp_state fal_psp_open(struct fal_psp_keys *keys, const char *dst,
                                const uint8_t *packet, size_t len, uint8_t *out,
                                size_t *out_len)
{
    struct fal_psp_dst address;
    struct fal_psp psp;
    enum fal_psp_state state;
    size_t vc;

    if (!fal_psp_dst_from(dst, &address))
        return FAL_PSP_NO_KEY;
    state = fal_psp_open_to(keys, &address, packet, len, out);
    if (state != FAL_PSP_GOOD)
        return state;
    /* The header is whole: the length was checked. */
    FAL_IGNORE(fal_layout_decode(&fal_psp_layout, packet, len, &psp));
    vc = psp.v ? FAL_PSP_VC_LEN : 0;
    *out_len = len - FAL_PSP_HEADER_LEN - FAL_PSP_ICV_LEN - vc;
    memmove(out, out + vc, *out_len);
    return state;
}

int fal_psp_seal(struct fal_psp_keys *keys, const char *dst, const struct fal_seal_input *in,
                 uint8_t *out, size_t cap)
{
    const struct fal_psp *psp = in->psp;
    size_t header = FAL_PSP_HEADER_LEN + (psp->v ? FAL_PSP_VC_LEN : 0);
    struct fal_psp_dst address;
    size_t len;
    int status;

    if (!fal_psp_dst_from(dst, &address))
        return FAL_ERR_KEY;
    if (in->payload_len > INT_MAX - FAL_PSP_HEADER_LEN - FAL_PSP_VC_LEN - FAL_PSP_ICV_LEN)
        return FAL_ERR_SHORT;
    len = header + in->payload_len + FAL_PSP_ICV_LEN;
    if (cap < len)
        return FAL_ERR_SHORT;
    status = fal_layout_encode(&fal_psp_layout, psp, out, cap, NULL);
    if (status >= 0 && psp->v)
        status = fal_layout_encode(&fal_psp_vc_layout, in->vc, out + FAL_PSP_HEADER_LEN,
                                   cap - FAL_PSP_HEADER_LEN, NULL);
    if (status < 0)
        return status;
    if (in->payload_len > 0)
        memcpy(out + header, in->payload, in->payload_len);
    status = fal_psp_seal_in_place(keys, &address, out, len);
    return status < 0 ? status : (int)len;
}
