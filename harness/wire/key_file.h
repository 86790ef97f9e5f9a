/* SPDX-License-Identifier: Apache-2.0
 * key_file.h - keys that are read from a file (docs/formats.md, "Key files") instead of being
 * exchanged over the control channel. */
#ifndef TL_HARNESS_WIRE_KEY_FILE_H
#define TL_HARNESS_WIRE_KEY_FILE_H

#include "codecs/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { TL_MASTER_LEN = 32 };

/* Loads a file of --psp-keys or --esp-keys and validates it. Returns a new reference, or NULL
 * with `err`. */
json_t *tl_key_file_load(const char *path, bool esp, struct fal_error *err);

/* Returns the SA of that SPI: one of `sas`, or derived from PSP's master keys (those of all
 * receivers, or of the first that is named). New reference; NULL when there is none, or out of
 * memory. */
json_t *tl_key_file_sa(const json_t *file, bool esp, uint32_t spi);

/* Gets the n-th SPI of `sas`. False at the end. */
bool tl_key_file_spi(const json_t *file, size_t n, uint32_t *spi);

/* Gets PSP's two master keys; false when the file has none. */
bool tl_key_file_masters(const json_t *file, uint8_t out[2][TL_MASTER_LEN]);

#endif
