/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/certify/signing_key.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LEN = 32, SIGNATURE_LEN = 64 };

struct tl_key {
    EVP_PKEY *pkey;
    char text[TL_KEY_TEXT];
};

static void to_hex(const unsigned char *bytes, size_t len, char *out)
{
    for (size_t i = 0; i < len; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Lower case only: one text for one value. */
static bool from_hex(const char *text, unsigned char *out, size_t len)
{
    if (strlen(text) != 2 * len)
        return false;
    for (size_t i = 0; i < len; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

/* Takes `pkey`, which may be NULL. */
static struct tl_key *make(EVP_PKEY *pkey)
{
    struct tl_key *key = calloc(1, sizeof *key);
    unsigned char bytes[KEY_LEN];
    size_t len = sizeof bytes;

    if (key == NULL || pkey == NULL || EVP_PKEY_base_id(pkey) != EVP_PKEY_ED25519 ||
        EVP_PKEY_get_raw_public_key(pkey, bytes, &len) != 1 || len != KEY_LEN) {
        ERR_clear_error();
        EVP_PKEY_free(pkey);
        free(key);
        return NULL;
    }
    key->pkey = pkey;
    to_hex(bytes, sizeof bytes, key->text);
    return key;
}

/* A key file must not ask for a password, because a CI job cannot type it. */
static int no_password(char *buf, int size, int writing, void *ctx)
{
    (void)buf, (void)size, (void)writing, (void)ctx;
    return -1;
}

struct tl_key *tl_key_load(const char *path, bool secret, struct fal_error *err)
{
    FILE *in = fopen(path, "re");
    EVP_PKEY *pkey;
    struct tl_key *key;

    if (in == NULL) {
        (void)fal_fail(err, FAL_ERR_IO, "%.200s: %s", path,
                       strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        return NULL;
    }
    pkey = PEM_read_PrivateKey(in, NULL, no_password, NULL);
    if (pkey == NULL && !secret) {
        rewind(in);
        pkey = PEM_read_PUBKEY(in, NULL, no_password, NULL);
    }
    (void)fclose(in);
    ERR_clear_error();
    key = make(pkey);
    if (key == NULL)
        (void)fal_fail(err, FAL_ERR_FORM,
                       "%.200s: expected %s Ed25519 key without a password, in PEM "
                       "(openssl genpkey -algorithm ed25519)",
                       path, secret ? "a private" : "an");
    return key;
}

struct tl_key *tl_key_from(const char *hex)
{
    unsigned char bytes[KEY_LEN];

    if (!from_hex(hex, bytes, sizeof bytes))
        return NULL;
    return make(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, sizeof bytes));
}

void tl_key_free(struct tl_key *key)
{
    if (key == NULL)
        return;
    EVP_PKEY_free(key->pkey);
    free(key);
}

void tl_key_text(const struct tl_key *key, char out[TL_KEY_TEXT])
{
    memcpy(out, key->text, TL_KEY_TEXT);
}

bool tl_key_sign(const struct tl_key *key, const void *bytes, size_t len,
                 char out[TL_SIGNATURE_TEXT])
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    unsigned char signature[SIGNATURE_LEN];
    size_t n = sizeof signature;
    bool ok = ctx != NULL && EVP_DigestSignInit(ctx, NULL, NULL, NULL, key->pkey) == 1 &&
              EVP_DigestSign(ctx, signature, &n, bytes, len) == 1 && n == SIGNATURE_LEN;

    EVP_MD_CTX_free(ctx);
    ERR_clear_error();
    if (ok)
        to_hex(signature, sizeof signature, out);
    return ok;
}

bool tl_key_verify(const struct tl_key *key, const void *bytes, size_t len,
                   const char *signature)
{
    EVP_MD_CTX *ctx;
    unsigned char due[SIGNATURE_LEN];
    bool ok;

    if (!from_hex(signature, due, sizeof due))
        return false;
    ctx = EVP_MD_CTX_new();
    ok = ctx != NULL && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, key->pkey) == 1 &&
         EVP_DigestVerify(ctx, due, sizeof due, bytes, len) == 1;
    EVP_MD_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}
