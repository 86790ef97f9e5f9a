/* SPDX-License-Identifier: Apache-2.0
 * json_value.c - one field's value as JSON: numbers up to 53 bits, which every reader keeps
 * exactly; wider ones as hex strings of fixed width; addresses in their usual form. */
#include "codecs/base/hex.h"
#include "codecs/json/json_impl.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXACT_BITS = 53, VALUE_TEXT_MAX = 48 };

static void put_be64(uint8_t *out, uint64_t v)
{
    v = htobe64(v);
    memcpy(out, &v, sizeof v);
}

static json_t *hex(unsigned width, fal_u128 value)
{
    char text[VALUE_TEXT_MAX];

    if (width > 64)
        (void)snprintf(text, sizeof text, "0x%016" PRIx64 "%016" PRIx64, fal_u128_hi(value),
                       fal_u128_lo(value));
    else
        (void)snprintf(text, sizeof text, "0x%016" PRIx64, fal_u128_lo(value));
    return json_string(text);
}

static json_t *address(int family, const void *bytes)
{
    char text[INET6_ADDRSTRLEN];

    return json_string(inet_ntop(family, bytes, text, sizeof text));
}

json_t *fal_json_value(const struct fal_field *field, fal_u128 value)
{
    uint8_t bytes[16];
    char text[VALUE_TEXT_MAX];

    put_be64(bytes, fal_u128_hi(value));
    put_be64(bytes + 8, fal_u128_lo(value));
    switch (field->kind) {
    case FAL_MAC:
        (void)snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", bytes[10], bytes[11],
                       bytes[12], bytes[13], bytes[14], bytes[15]);
        return json_string(text);
    case FAL_IPV4: return address(AF_INET, bytes + 12);
    case FAL_IPV6: return address(AF_INET6, bytes);
    case FAL_UINT:
    case FAL_CONST:
    case FAL_RSVD:
    case FAL_CODE:
    case FAL_FLAG:
    case FAL_PSN:
    case FAL_RSN:
    case FAL_BITMAP:
    case FAL_LENGTH:
    case FAL_CHECK: break;
    }
    return field->width_bits > EXACT_BITS ? hex(field->width_bits, value)
                                          : json_integer((json_int_t)value);
}

/* ---- reading ---- */

static bool read_mac(const char *text, fal_u128 *value)
{
    uint64_t v = 0;
    uint8_t byte[1];

    for (int i = 0; i < 6; i++, text += 3) {
        char pair[3] = {text[0], text[0] != 0 ? text[1] : (char)0, 0};

        if (fal_hex_read(pair, byte, 1) != 1 || text[2] != (i < 5 ? ':' : 0))
            return false;
        v = v << 8 | byte[0];
    }
    *value = v;
    return true;
}

static bool read_ip(int family, const char *text, fal_u128 *value)
{
    uint8_t bytes[16] = {0};

    if (inet_pton(family, text, family == AF_INET ? bytes + 12 : bytes) != 1)
        return false;
    *value = fal_u128_halves(fal_bytes_get(bytes, 8), fal_bytes_get(bytes + 8, 8));
    return true;
}

/* "0x..." of up to 32 digits. */
static bool read_hex(const char *text, fal_u128 *value)
{
    char padded[33];
    uint8_t bytes[16];
    size_t n = strlen(text) - 2;

    if (n == 0 || n > 32)
        return false;
    memset(padded, '0', 32 - n);
    memcpy(padded + 32 - n, text + 2, n + 1);
    if (fal_hex_read(padded, bytes, sizeof bytes) != sizeof bytes)
        return false;
    *value = fal_u128_halves(fal_bytes_get(bytes, 8), fal_bytes_get(bytes + 8, 8));
    return true;
}

static bool read_string(const struct fal_field *field, const char *text, fal_u128 *value)
{
    uint64_t code;

    if (strncmp(text, "0x", 2) == 0)
        return read_hex(text, value);
    if (field->kind == FAL_MAC)
        return read_mac(text, value);
    if (field->kind == FAL_IPV4 || field->kind == FAL_IPV6)
        return read_ip(field->kind == FAL_IPV4 ? AF_INET : AF_INET6, text, value);
    if (!fal_name_find(field->names, text, &code))
        return false;
    *value = code;
    return true;
}

/* The possible values, for the message. */
static const char *forms(const struct fal_field *field)
{
    switch (field->kind) {
    case FAL_MAC: return "a MAC address";
    case FAL_IPV4: return "an IPv4 address";
    case FAL_IPV6: return "an IPv6 address";
    case FAL_UINT:
    case FAL_CONST:
    case FAL_RSVD:
    case FAL_CODE:
    case FAL_FLAG:
    case FAL_PSN:
    case FAL_RSN:
    case FAL_BITMAP:
    case FAL_LENGTH:
    case FAL_CHECK: break;
    }
    return field->names != NULL ? "a number, a hex string or a known name"
                                : "a number or a hex string (\"0x...\")";
}

int fal_json_read_value(const struct fal_field *field, const json_t *json, const char *where,
                        fal_u128 *value, struct fal_error *err)
{
    json_int_t number = json_integer_value(json);
    bool read = json_is_integer(json) && number >= 0;
    char *seen;

    if (read)
        *value = (uint64_t)number;
    else if (json_is_string(json))
        read = read_string(field, json_string_value(json), value);
    if (read && fal_u128_shr(*value, field->width_bits) == 0)
        return 0;
    seen = json_dumps(json, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
    if (read)
        (void)fal_fail(err, FAL_ERR_RANGE, "%s.%s: %.60s does not fit in %u bits", where,
                       field->name, seen != NULL ? seen : "the value",
                       (unsigned)field->width_bits);
    else
        (void)fal_fail(err, FAL_ERR_FORM, "%s.%s: %.60s is not %s", where, field->name,
                       seen != NULL ? seen : "the value", forms(field));
    free(seen);
    return read ? FAL_ERR_RANGE : FAL_ERR_FORM;
}
