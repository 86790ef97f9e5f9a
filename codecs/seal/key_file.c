/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/seal/key_file.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

bool fal_psp_dst_from(const char *text, struct fal_psp_dst *dst)
{
    *dst = (struct fal_psp_dst){0};
    if (text == NULL)
        return true;
    if (inet_pton(AF_INET, text, dst->bytes) == 1)
        dst->len = 4;
    else if (inet_pton(AF_INET6, text, dst->bytes) == 1)
        dst->len = 16;
    return dst->len != 0;
}

int fal_psp_dst_compare(const struct fal_psp_dst *a, const struct fal_psp_dst *b)
{
    return a->len != b->len ? (int)a->len - (int)b->len : memcmp(a->bytes, b->bytes, a->len);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int fal_key_read_bytes(const json_t *json, const char *where, size_t len, uint8_t *out,
                       struct fal_error *err)
{
    const char *text = json_string_value(json);
    size_t digits = json_string_length(json);

    if (text == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s: a string of %zu hex digits is needed", where,
                        2 * len);
    if (digits != 2 * len)
        return fal_fail(err, FAL_ERR_FORM, "%s: %zu characters, %zu hex digits are needed",
                        where, digits, 2 * len);
    for (size_t i = 0; i < len; i++) {
        int hi = digit(text[2 * i]), lo = digit(text[2 * i + 1]);

        if (hi < 0 || lo < 0)
            return fal_fail(err, FAL_ERR_FORM, "%s: character %zu is no hex digit", where,
                            2 * i + (hi < 0 ? 1 : 2));
        out[i] = (uint8_t)(hi << 4 | lo);
    }
    return 0;
}

int fal_key_check_members(const json_t *json, const char *where, const char *const *known,
                          size_t count, struct fal_error *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(json))
        return fal_fail(err, FAL_ERR_FORM, "%s: an object is needed", where);
    json_object_foreach((json_t *)json, key, value)
    {
        size_t i = 0;

        while (i < count && strcmp(known[i], key) != 0)
            i++;
        if (i == count)
            return fal_fail(err, FAL_ERR_FORM, "%s: unknown member \"%.40s\"", where, key);
    }
    return 0;
}

int fal_key_read_number(const json_t *json, const char *where, uint64_t max, uint64_t *out,
                        struct fal_error *err)
{
    const char *text = json_string_value(json);
    unsigned long long value = 0;
    char *end = NULL;
    bool ok = false;

    if (json_is_integer(json)) {
        ok = json_integer_value(json) >= 0;
        value = (unsigned long long)json_integer_value(json);
    } else if (text != NULL && digit(text[0]) >= 0) {
        bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';

        value = strtoull(text, &end, hex ? 16 : 10);
        ok = *end == 0 && (!hex || digit(text[2]) >= 0);
    }
    if (!ok)
        return fal_fail(err, FAL_ERR_FORM, "%s: a number is needed", where);
    if (value > max)
        return fal_fail(err, FAL_ERR_RANGE, "%s: more than %llu", where,
                        (unsigned long long)max);
    *out = value;
    return 0;
}

int fal_key_read_dst(const json_t *object, const char *where, struct fal_psp_dst *dst,
                     struct fal_error *err)
{
    const json_t *json = json_object_get(object, "dst");

    if (json != NULL &&
        (json_string_value(json) == NULL || !fal_psp_dst_from(json_string_value(json), dst)))
        return fal_fail(err, FAL_ERR_FORM, "%s.dst: not an IP address", where);
    return 0;
}
