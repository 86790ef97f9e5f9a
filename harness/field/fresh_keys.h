/* SPDX-License-Identifier: Apache-2.0
 * fresh_keys.h - the keys that scrubbed packets are sealed with, drawn for one capture. */
#ifndef TL_HARNESS_FIELD_FRESH_KEYS_H
#define TL_HARNESS_FIELD_FRESH_KEYS_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"

struct tl_fresh_keys;

/* NULL when out of memory. The caller frees it. */
struct tl_fresh_keys *tl_fresh_keys_new(void);
void tl_fresh_keys_free(struct tl_fresh_keys *keys); /* NULL is allowed */

/* Makes keys of PSP, at the first call: one pair of master keys for all receivers. They are
 * borrowed. NULL when out of memory, or when the system gives no random bytes. */
struct fal_psp_keys *tl_fresh_psp(struct tl_fresh_keys *keys);

/* Makes an SA of ESP of that form for packets to `dst` with that SPI, at the first call for
 * them. `high`: the unsent half of the sequence number of its first packet. As above; borrowed
 * until the next call. */
struct fal_esp_keys *tl_fresh_esp(struct tl_fresh_keys *keys, const struct fal_psp_dst *dst,
                                  uint32_t spi, const struct fal_esp_form *form, uint32_t high);

/* The keys that were made so far. Borrowed until the next call of tl_fresh_esp. */
struct fal_frame_keys tl_fresh_in_use(const struct tl_fresh_keys *keys);

/* Writes the files of keys that are in use, for the owner alone: `psp_path`, `esp_path`. Sets
 * which ones were written. 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_fresh_keys_write(const struct tl_fresh_keys *keys, const char *psp_path,
                                 const char *esp_path, bool written[2], struct fal_error *err);

#endif
