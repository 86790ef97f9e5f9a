/* SPDX-License-Identifier: Apache-2.0
 * signing_key.h - Ed25519 signatures of certificates (RFC 8032), by OpenSSL's libcrypto. Keys
 * are PEM files: openssl genpkey -algorithm ed25519. */
#ifndef TL_HARNESS_CERTIFY_SIGNING_KEY_H
#define TL_HARNESS_CERTIFY_SIGNING_KEY_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { TL_KEY_TEXT = 65, TL_SIGNATURE_TEXT = 129 }; /* hex digits and a NUL */

struct tl_key;

/* A private key, or (with `secret` false) a public or a private one, of which only the public
 * half is then used. NULL with `err`: FAL_ERR_IO in its text, or no Ed25519 key. */
struct tl_key *tl_key_load(const char *path, bool secret, struct fal_error *err);
/* The public key in hex digits. NULL when it is not a public key. */
struct tl_key *tl_key_from(const char *hex);
void tl_key_free(struct tl_key *key); /* NULL is nothing */

/* Its public half. */
void tl_key_text(const struct tl_key *key, char out[TL_KEY_TEXT]);

/* False when the library fails. */
bool tl_key_sign(const struct tl_key *key, const void *bytes, size_t len,
                 char out[TL_SIGNATURE_TEXT]);
/* Whether it is this key's signature of these bytes. */
bool tl_key_verify(const struct tl_key *key, const void *bytes, size_t len,
                   const char *signature);

#endif
