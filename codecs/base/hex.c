/* SPDX-License-Identifier: Apache-2.0
 * hex.c - bytes as hex digits without separators. */
#include "codecs/base/hex.h"

#include "codecs/base/error.h"

void fal_hex_write(const uint8_t *bytes, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < len; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = 0;
}

/* The digit's value, or -1. */
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int fal_hex_read(const char *text, uint8_t *out, size_t cap)
{
    size_t n = 0;

    for (; *text != 0; text += 2, n++) {
        int high = digit(text[0]), low = high >= 0 ? digit(text[1]) : -1;

        if (low < 0)
            return FAL_ERR_FORM;
        if (n == cap)
            return FAL_ERR_SHORT;
        out[n] = (uint8_t)(high << 4 | low);
    }
    return (int)n;
}
