/* SPDX-License-Identifier: Apache-2.0
 * key_file.h - what the readers of --psp-keys and --esp-keys share. Each names the member that
 * is wrong as `where` has it ("sas[3].key"), and never repeats a key. */
#ifndef FAL_CODECS_SEAL_KEY_FILE_H
#define FAL_CODECS_SEAL_KEY_FILE_H

#include "codecs/base/error.h"
#include "codecs/seal/psp.h"

/* Hex digits of exactly `len` bytes into `out`. 0, or FAL_ERR_FORM. */
MUST_USE int fal_key_read_bytes(const json_t *json, const char *where, size_t len, uint8_t *out,
                                struct fal_error *err);

/* A number, decimal or a string of "0x" or decimal digits, of at most `max`. 0, FAL_ERR_FORM,
 * FAL_ERR_RANGE. */
MUST_USE int fal_key_read_number(const json_t *json, const char *where, uint64_t max,
                                 uint64_t *out, struct fal_error *err);

/* Whether `json` is an object whose members are all among the `count` of `known`: a misspelt
 * one must not pass for an absent one. 0, or FAL_ERR_FORM. */
MUST_USE int fal_key_check_members(const json_t *json, const char *where,
                                   const char *const *known, size_t count,
                                   struct fal_error *err);

/* The receiving address under "dst" of the object called `where`; absent: of any receiver. 0,
 * or FAL_ERR_FORM. */
MUST_USE int fal_key_read_dst(const json_t *object, const char *where, struct fal_psp_dst *dst,
                              struct fal_error *err);

/* An address in text form; false when it is not an address. NULL gives the unknown address. */
bool fal_psp_dst_from(const char *text, struct fal_psp_dst *dst);

/* Order of addresses, as qsort wants it; the unknown one comes first. */
int fal_psp_dst_compare(const struct fal_psp_dst *a, const struct fal_psp_dst *b);

#endif
