/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link_raw.h"

#include <stdio.h>
#include <string.h>

enum { FALCON_PORT = 7777 };

/* "HOST" is "HOST:0". */
static int read_host(const char *text, struct tl_address *out, struct fal_error *err)
{
    char with_port[TL_HOST_TEXT + 16];
    bool port = text[0] == '['
                    ? strstr(text, "]:") != NULL
                    : strchr(text, ':') != NULL && strchr(text, ':') == strrchr(text, ':');
    bool bare6 = text[0] != '[' && strchr(text, ':') != strrchr(text, ':');

    (void)snprintf(with_port, sizeof with_port,
                   bare6  ? "[%.255s]:0"
                   : port ? "%.255s"
                          : "%.255s:0",
                   text);
    return tl_address_parse(with_port, out, err);
}

static bool read_mac(const char *text, uint8_t mac[6])
{
    unsigned b[6];
    int end = 0;

    if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
               &end) != 6 ||
        text[end] != 0)
        return false;
    for (int i = 0; i < 6; i++)
        mac[i] = (uint8_t)b[i];
    return true;
}

static void set_port(struct tl_address *address, uint16_t port)
{
    if (tl_address_family(address) == AF_INET6)
        address->u.v6.sin6_port = htons(port);
    else
        address->u.v4.sin_port = htons(port);
}

static int read_item(char *item, unsigned number, struct tl_raw_address *out,
                     struct fal_error *err)
{
    size_t len = strlen(item);

    if (number == 0) {
        if (len == 0 || len >= sizeof out->iface)
            return fal_fail(err, FAL_ERR_FORM, "raw: expected the name of an interface");
        memcpy(out->iface, item, len + 1);
        return 0;
    }
    if (number == 1)
        return read_host(item, &out->sut, err);
    if (strncmp(item, "from=", 5) == 0)
        return read_host(item + 5, &out->from, err);
    if (strncmp(item, "mac=", 4) == 0) {
        out->has_mac = read_mac(item + 4, out->mac);
        return out->has_mac
                   ? 0
                   : fal_fail(err, FAL_ERR_FORM,
                              "raw: mac '%.40s'; expected six hex bytes with colons", item + 4);
    }
    return fal_fail(err, FAL_ERR_FORM, "raw: no '%.60s'; expected from=HOST[:PORT] or mac=MAC",
                    item);
}

int tl_raw_address_read(const char *text, struct tl_raw_address *out, struct fal_error *err)
{
    char copy[1024], *rest = copy, *item;
    unsigned number = 0;

    *out = (struct tl_raw_address){.has_mac = false};
    if (strlen(text) >= sizeof copy)
        return fal_fail(err, FAL_ERR_FORM, "raw: the address is too long");
    memcpy(copy, text, strlen(text) + 1);
    while ((item = strsep(&rest, ",")) != NULL) {
        int rc = read_item(item, number++, out, err);

        if (rc != 0)
            return rc;
    }
    if (number < 2)
        return fal_fail(err, FAL_ERR_FORM,
                        "raw: expected raw:IFACE,HOST[:PORT][,from=HOST[:PORT]][,mac=MAC]");
    if (tl_address_port(&out->sut) == 0)
        set_port(&out->sut, FALCON_PORT);
    if (!tl_address_private(&out->sut))
        return fal_fail(err, FAL_ERR_FORM,
                        "raw: the SUT's address is not loopback, private or link-local");
    if (tl_address_family(&out->from) == 0)
        return 0;
    if (tl_address_family(&out->from) != tl_address_family(&out->sut))
        return fal_fail(err, FAL_ERR_FORM, "raw: from= is of another IP version");
    if (!tl_address_private(&out->from))
        return fal_fail(err, FAL_ERR_FORM, "raw: from= is not loopback, private or link-local");
    return 0;
}
