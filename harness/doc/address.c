/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* FAL_ERR_FORM: no number. FAL_ERR_RANGE: none that a port can have. */
static int read_port(const char *text, uint16_t *port)
{
    size_t digits = strspn(text, "0123456789");
    unsigned value = 0;

    if (digits == 0 || text[digits] != 0)
        return FAL_ERR_FORM;
    for (; *text != 0; text++) {
        value = value * 10 + (unsigned)(*text - '0');
        if (value > UINT16_MAX)
            return FAL_ERR_RANGE;
    }
    *port = (uint16_t)value;
    return 0;
}

int tl_address_split(const char *text, char *host, uint16_t *port, struct fal_error *err)
{
    const char *begin = text, *end, *colon = strrchr(text, ':');
    int rc;

    if (text[0] == '[') {
        begin = text + 1;
        end = strchr(begin, ']');
        if (end == NULL || end[1] != ':')
            goto fail;
        colon = end + 1;
    } else {
        if (colon == NULL || memchr(text, ':', (size_t)(colon - text)) != NULL)
            goto fail; /* an IPv6 host without brackets */
        end = colon;
    }
    if (end == begin || end - begin >= TL_HOST_TEXT)
        goto fail;
    rc = read_port(colon + 1, port);
    if (rc == FAL_ERR_RANGE)
        return fal_fail(err, FAL_ERR_FORM, "address '%.100s': no port %.20s; expected 0 to %d",
                        text, colon + 1, UINT16_MAX);
    if (rc != 0)
        goto fail;
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = 0;
    return 0;

fail:
    return fal_fail(err, FAL_ERR_FORM,
                    "address '%.100s': expected HOST:PORT, or [HOST]:PORT for IPv6", text);
}

int tl_address_parse(const char *text, struct tl_address *out, struct fal_error *err)
{
    char host[TL_HOST_TEXT] = "";
    uint16_t port = 0;
    int rc = tl_address_split(text, host, &port, err);

    if (rc != 0)
        return rc;
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, host, &out->u.v4.sin_addr) == 1) {
        out->u.v4.sin_family = AF_INET;
        out->u.v4.sin_port = htons(port);
        return 0;
    }
    if (inet_pton(AF_INET6, host, &out->u.v6.sin6_addr) == 1) {
        out->u.v6.sin6_family = AF_INET6;
        out->u.v6.sin6_port = htons(port);
        return 0;
    }
    return fal_fail(err, FAL_ERR_FORM, "address '%.100s': not a numeric IPv4 or IPv6 address",
                    text);
}

void tl_address_text(const struct tl_address *address, char *out)
{
    char host[INET6_ADDRSTRLEN] = "";
    bool v6 = tl_address_family(address) == AF_INET6;

    if (v6)
        (void)inet_ntop(AF_INET6, &address->u.v6.sin6_addr, host, sizeof host);
    else
        (void)inet_ntop(AF_INET, &address->u.v4.sin_addr, host, sizeof host);
    (void)snprintf(out, TL_ADDRESS_TEXT, v6 ? "[%s]:%u" : "%s:%u", host,
                   tl_address_port(address));
}

static bool private_v4(uint32_t a)
{
    return a >> 24 == 127 || a >> 24 == 10 || a >> 20 == 0xac1 || a >> 16 == 0xc0a8 ||
           a >> 16 == 0xa9fe; /* loopback, RFC 1918, link-local (RFC 3927) */
}

bool tl_address_private(const struct tl_address *address)
{
    const uint8_t *b = address->u.v6.sin6_addr.s6_addr;

    if (tl_address_family(address) == AF_INET)
        return private_v4(ntohl(address->u.v4.sin_addr.s_addr));
    if (tl_address_family(address) != AF_INET6)
        return false;
    if (IN6_IS_ADDR_V4MAPPED(&address->u.v6.sin6_addr))
        return private_v4((uint32_t)b[12] << 24 | (uint32_t)b[13] << 16 | (uint32_t)b[14] << 8 |
                          b[15]);
    return IN6_IS_ADDR_LOOPBACK(&address->u.v6.sin6_addr) || (b[0] & 0xfe) == 0xfc ||
           IN6_IS_ADDR_LINKLOCAL(&address->u.v6.sin6_addr);
}

uint16_t tl_address_port(const struct tl_address *address)
{
    return ntohs(tl_address_family(address) == AF_INET6 ? address->u.v6.sin6_port
                                                        : address->u.v4.sin_port);
}
