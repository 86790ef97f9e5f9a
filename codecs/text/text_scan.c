/* SPDX-License-Identifier: Apache-2.0
 * text_scan.c - a cursor over a line: blanks, numbers, names, units, and errors that name the
 * column. */
#include "codecs/text/text_impl.h"

#include <stdarg.h>
#include <stdio.h>

int fal_cursor_fail(struct fal_cursor *in, const char *at, const char *format, ...)
{
    char what[sizeof in->err->text];
    unsigned column = (unsigned)(at - in->line) + 1;
    va_list args;

    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (in->column == NULL)
        return fal_fail(in->err, FAL_ERR_FORM, "column %u: %s", column, what);
    *in->column = column;
    return fal_fail(in->err, FAL_ERR_FORM, "%s", what);
}

struct fal_quoted fal_quote(const char *at, size_t len)
{
    struct fal_quoted q;
    size_t n = len < 40 ? len : 40;

    for (size_t i = 0; i < n; i++)
        q.text[i] = (char)(at[i] >= ' ' && at[i] <= '~' ? at[i] : '?');
    memcpy(q.text + n, n < len ? "..." : "", n < len ? 4 : 1);
    return q;
}

bool fal_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool fal_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool fal_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || fal_is_digit(c) || c == '_';
}

void fal_skip_blanks(struct fal_cursor *in)
{
    while (fal_is_blank(*in->at))
        in->at++;
}

size_t fal_item_len(const char *at)
{
    size_t n = 0;

    while (at[n] != 0 && !fal_is_blank(at[n]))
        n++;
    return n;
}

/* The digit's value in bases up to 16, or 16. */
static unsigned digit(char c)
{
    if (fal_is_digit(c))
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

/* value * base + add, for a base up to 16; false when it leaves 128 bits. */
static bool shift_in(fal_u128 *value, unsigned base, unsigned add)
{
    fal_u128 sum;

    if (__builtin_mul_overflow(*value, (fal_u128)base, &sum) ||
        __builtin_add_overflow(sum, (fal_u128)add, &sum))
        return false;
    *value = sum;
    return true;
}

int fal_read_number(struct fal_cursor *in, fal_u128 *out)
{
    const char *start = in->at;
    unsigned base = 10;

    if (start[0] == '0' && (start[1] == 'x' || start[1] == 'b')) {
        base = start[1] == 'x' ? 16 : 2;
        in->at += 2;
    }
    if (digit(*in->at) >= base)
        return fal_cursor_fail(in, in->at, "a digit is missing in '%s'",
                               fal_quote(start, fal_item_len(start)).text);
    *out = 0;
    for (; digit(*in->at) < base; in->at++)
        if (!shift_in(out, base, digit(*in->at)))
            return fal_cursor_fail(in, start, "the number does not fit in 128 bits");
    return 0;
}

int fal_read_name(struct fal_cursor *in, char out[FAL_VAR_MAX])
{
    const char *start = in->at;
    size_t n = 0;

    while (fal_is_word(start[n]))
        n++;
    if (n == 0 || fal_is_digit(*start))
        return fal_cursor_fail(in, start, "a name is missing after '%c'", start[-1]);
    if (n >= FAL_VAR_MAX)
        return fal_cursor_fail(in, start, "the name '%s' is longer than %d characters",
                               fal_quote(start, n).text, FAL_VAR_MAX - 1);
    memcpy(out, start, n);
    out[n] = 0;
    in->at += n;
    return 0;
}

char fal_read_operator(struct fal_cursor *in)
{
    const char *at = in->at;
    char op;

    while (fal_is_blank(*at))
        at++;
    op = *at;
    if (op != '+' && op != '-' && op != '*' && op != '/')
        return 0;
    for (at++; fal_is_blank(*at);)
        at++;
    if (!fal_is_digit(*at))
        return 0;
    in->at = at;
    return op;
}

uint64_t fal_read_unit(struct fal_cursor *in)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i].unit);

        if (strncmp(in->at, units[i].unit, n) == 0 && !fal_is_word(in->at[n])) {
            in->at += n;
            return units[i].ns;
        }
    }
    return 0;
}

int fal_read_time(struct fal_cursor *in, const char *start, fal_u128 number, uint64_t *ns)
{
    uint64_t fraction = 0, scale = 1, unit;

    if (in->at[0] == '.' && fal_is_digit(in->at[1])) {
        if (start[0] == '0' && (start[1] == 'x' || start[1] == 'b'))
            return fal_cursor_fail(in, in->at, "only decimal numbers have a fraction");
        for (in->at++; fal_is_digit(*in->at); in->at++) {
            if (scale == 1000000000)
                return fal_cursor_fail(in, start, "more than 9 digits after the point");
            fraction = fraction * 10 + digit(*in->at);
            scale *= 10;
        }
    }
    unit = fal_read_unit(in);
    if (unit == 0)
        return fal_cursor_fail(in, in->at, "a unit is due here: ns, us, ms or s");
    if (fraction * unit % scale != 0)
        return fal_cursor_fail(in, start, "not a whole number of nanoseconds");
    if (fal_u128_hi(number) != 0 || __builtin_mul_overflow(fal_u128_lo(number), unit, ns) ||
        __builtin_add_overflow(*ns, fraction * unit / scale, ns))
        return fal_cursor_fail(in, start,
                               "the duration does not fit in 64 bits of nanoseconds");
    return 0;
}
