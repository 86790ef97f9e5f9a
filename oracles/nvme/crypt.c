/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/nvme/crypt.h"

#include <openssl/err.h>
#include <openssl/evp.h>

enum { TWEAK_LEN = 16 };

static bool crypt_unit(const uint8_t *key, uint64_t unit, const uint8_t *in, size_t len,
                       uint8_t *out, bool encrypt)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t tweak[TWEAK_LEN] = {0};
    int n = 0;
    bool good;

    for (unsigned i = 0; i < 8; i++)
        tweak[i] = (uint8_t)(unit >> 8 * i);
    good = ctx != NULL &&
           EVP_CipherInit_ex(ctx, EVP_aes_256_xts(), NULL, key, tweak, encrypt ? 1 : 0) == 1 &&
           EVP_CipherUpdate(ctx, out, &n, in, (int)len) == 1 && (size_t)n == len;
    EVP_CIPHER_CTX_free(ctx);
    if (!good)
        ERR_clear_error(); /* it would keep what it says of it */
    return good;
}

bool fal_nv_encrypt(const uint8_t key[FAL_NV_KEY_LEN], uint64_t unit, const uint8_t *in,
                    size_t len, uint8_t *out)
{
    return crypt_unit(key, unit, in, len, out, true);
}

bool fal_nv_decrypt(const uint8_t key[FAL_NV_KEY_LEN], uint64_t unit, const uint8_t *in,
                    size_t len, uint8_t *out)
{
    return crypt_unit(key, unit, in, len, out, false);
}
