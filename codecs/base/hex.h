/* SPDX-License-Identifier: Apache-2.0
 * hex.h - bytes as hex digits without separators: "00ff". */
#ifndef FAL_CODECS_BASE_HEX_H
#define FAL_CODECS_BASE_HEX_H

#include "codecs/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Writes 2*len digits and a zero byte to `out`. */
void fal_hex_write(const uint8_t *bytes, size_t len, char *out);

/* Reads digits of either case into `out`, at most `cap` bytes. The number of bytes;
 * FAL_ERR_FORM when a character is no digit or a byte has only one, FAL_ERR_SHORT when there
 * are more than `cap`. */
MUST_USE int fal_hex_read(const char *text, uint8_t *out, size_t cap);

#endif
