/* SPDX-License-Identifier: Apache-2.0
 * text_out.c - text into a bounded buffer: what does not fit is cut and counted, as snprintf
 * does. */
#include "codecs/text/text_impl.h"

#include <stdarg.h>
#include <stdio.h>

struct fal_out fal_out_start(char *at, size_t cap)
{
    return (struct fal_out){.at = at, .cap = cap};
}

int fal_out_end(struct fal_out *out)
{
    if (out->cap > 0)
        out->at[out->len < out->cap ? out->len : out->cap - 1] = 0;
    return (int)out->len;
}

void fal_out_char(struct fal_out *out, char c)
{
    if (out->len < out->cap)
        out->at[out->len] = c;
    out->len++;
}

void fal_out_text(struct fal_out *out, const char *text)
{
    size_t n = strlen(text);

    if (out->len < out->cap)
        memcpy(out->at + out->len, text, n < out->cap - out->len ? n : out->cap - out->len);
    out->len += n;
}

void fal_out_number(struct fal_out *out, uint64_t value)
{
    char digits[21];
    size_t at = sizeof digits - 1;

    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    fal_out_text(out, digits + at);
}

void fal_out_radix(struct fal_out *out, fal_u128 value, bool bits)
{
    int step = bits ? 1 : 4, top = fal_u128_top(value);

    if (top < 0) {
        fal_out_char(out, '0');
        return;
    }
    fal_out_text(out, bits ? "0b" : "0x");
    for (int at = top - top % step; at >= 0; at -= step)
        fal_out_char(out, "0123456789abcdef"[fal_u128_lo(fal_u128_shr(value, (unsigned)at)) &
                                             (bits ? 1 : 15)]);
}

void fal_out_format(struct fal_out *out, const char *format, ...)
{
    size_t room = out->len < out->cap ? out->cap - out->len : 0;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(room > 0 ? out->at + out->len : NULL, room, format, args);
    va_end(args);
    if (n > 0)
        out->len += (size_t)n;
}

void fal_out_duration(struct fal_out *out, uint64_t ns)
{
    static const struct {
        uint64_t ns;
        const char *unit;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    size_t i = 0;

    if (ns == 0) {
        fal_out_char(out, '0');
        return;
    }
    while (ns < units[i].ns)
        i++;
    fal_out_number(out, ns / units[i].ns);
    ns %= units[i].ns;
    if (ns != 0)
        fal_out_char(out, '.');
    for (uint64_t place = units[i].ns / 10; ns != 0; ns %= place, place /= 10)
        fal_out_char(out, (char)('0' + ns / place));
    fal_out_text(out, units[i].unit);
}

void fal_out_relative(struct fal_out *out, uint32_t distance)
{
    if (distance > INT32_MAX) {
        fal_out_char(out, '-');
        distance = 0 - distance;
    }
    fal_out_number(out, distance);
    fal_out_char(out, 'r');
}
