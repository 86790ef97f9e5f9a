/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/link_raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FALCON_PORT = 7777, LEAST_BUFFER = 1 << 17, MOST_BUFFER = 1 << 30 };

/* "HOST" means "HOST:0". */
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

static int read_buffer(const char *text, struct tl_raw_address *out, struct fal_error *err)
{
    char *end;
    unsigned long bytes = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != 0 || bytes < LEAST_BUFFER ||
        bytes > MOST_BUFFER)
        return fal_fail(err, FAL_ERR_FORM, "raw: buffer '%.40s': expected %d to %d bytes", text,
                        LEAST_BUFFER, MOST_BUFFER);
    out->buffer = (uint32_t)bytes;
    return 0;
}

static int read_item(char *item, unsigned number, struct tl_raw_address *out,
                     struct fal_error *err)
{
    size_t len = strlen(item);

    if (number == 0) {
        if (len == 0 || len >= sizeof out->iface)
            return fal_fail(err, FAL_ERR_FORM, "raw: expected the name of a network interface");
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
                              "raw: mac '%.40s': expected six hex bytes separated by colons",
                              item + 4);
    }
    if (strncmp(item, "stamps=", 7) == 0) {
        out->hardware = strcmp(item + 7, "hardware") == 0;
        return out->hardware || strcmp(item + 7, "kernel") == 0
                   ? 0
                   : fal_fail(err, FAL_ERR_FORM,
                              "raw: stamps '%.40s': expected kernel or hardware", item + 7);
    }
    if (strncmp(item, "buffer=", 7) == 0)
        return read_buffer(item + 7, out, err);
    if (strncmp(item, "esp=", 4) == 0) {
        out->esp_in_udp = strcmp(item + 4, "udp") == 0;
        return out->esp_in_udp || strcmp(item + 4, "native") == 0
                   ? 0
                   : fal_fail(err, FAL_ERR_FORM, "raw: esp '%.40s': expected native or udp",
                              item + 4);
    }
    return fal_fail(
        err, FAL_ERR_FORM,
        "raw: unknown option '%.60s': expected from=HOST[:PORT], mac=MAC, stamps=kernel or "
        "hardware, buffer=BYTES, or esp=native or udp",
        item);
}

int tl_raw_address_read(const char *text, const struct tl_allowed *allowed,
                        struct tl_raw_address *out, struct fal_error *err)
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
    if (!tl_address_allowed(&out->sut, allowed))
        return fal_fail(
            err, FAL_ERR_FORM,
            "raw: the SUT's address is not loopback, private or link-local (see --allow)");
    if (tl_address_family(&out->from) == 0)
        return 0;
    if (tl_address_family(&out->from) != tl_address_family(&out->sut))
        return fal_fail(err, FAL_ERR_FORM,
                        "raw: from= and the SUT's address are of different IP versions");
    if (!tl_address_allowed(&out->from, allowed))
        return fal_fail(err, FAL_ERR_FORM, "raw: from= is not loopback, private or link-local");
    return 0;
}
