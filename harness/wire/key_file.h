/* SPDX-License-Identifier: Apache-2.0
 * key_file.h - keys that come from a file (docs/formats.md, "Key files") and not over the
 * control channel. */
#ifndef TL_HARNESS_SEAL_KEYS_H
#define TL_HARNESS_SEAL_KEYS_H

#include "codecs/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { TL_MASTER_LEN = 32 };

/* A file of --psp-keys, or of --esp-keys, held against its form. A new reference; NULL with
 * `err`. */
json_t *tl_key_file_load(const char *path, bool esp, struct fal_error *err);

/* The SA of that SPI: one of `sas`, or what PSP's master keys (those of all receivers, or of
 * the first that is named) derive. A new reference; NULL when it has none, or out of memory. */
json_t *tl_key_file_sa(const json_t *file, bool esp, uint32_t spi);

/* The n-th SPI of `sas`. False at their end. */
bool tl_key_file_spi(const json_t *file, size_t n, uint32_t *spi);

/* PSP's two master keys; false when it has none. */
bool tl_key_file_masters(const json_t *file, uint8_t out[2][TL_MASTER_LEN]);

#endif
