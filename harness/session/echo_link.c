/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/echo_link.h"

#include "harness/link/link_raw.h"
#include "harness/link/sockets.h"
#include "oracles/payload.h"

#include <stdio.h>

enum {
    FIRST_PORT = 49200, /* for raw links whose port was not given */
    ADDRESS = 512,
};

static void set_port(struct tl_address *address, uint16_t port)
{
    if (tl_address_family(address) == AF_INET6)
        address->u.v6.sin6_port = htons(port);
    else
        address->u.v4.sin_port = htons(port);
}

/* Determines where probes go on this target's link from its n-th source port. Returns 0, or an
 * error. */
static int probe_address(const struct tl_target *target, const struct tl_address *echo,
                         unsigned n, char out[ADDRESS], struct fal_error *err)
{
    char to[TL_ADDRESS_TEXT], from[TL_ADDRESS_TEXT + 8] = "", mac[32] = "";
    struct tl_raw_address raw;
    int rc;

    tl_address_text(echo, to);
    if (target->kind == TL_TARGET_UDP) {
        (void)snprintf(out, ADDRESS, "%s", to);
        return 0;
    }
    rc = tl_raw_address_read(target->address, &target->live.allowed, &raw, err);
    if (rc != 0)
        return rc;
    if (tl_address_family(&raw.from) != 0) {
        uint16_t base = tl_address_port(&raw.from);
        char text[TL_ADDRESS_TEXT];

        set_port(&raw.from, (uint16_t)((base != 0 ? base : FIRST_PORT) + n));
        tl_address_text(&raw.from, text);
        (void)snprintf(from, sizeof from, ",from=%s", text);
    }
    if (raw.has_mac)
        (void)snprintf(mac, sizeof mac, ",mac=%02x:%02x:%02x:%02x:%02x:%02x", raw.mac[0],
                       raw.mac[1], raw.mac[2], raw.mac[3], raw.mac[4], raw.mac[5]);
    (void)snprintf(out, ADDRESS, "%s,%s%s%s", raw.iface, to, from, mac);
    return 0;
}

int tl_echo_address(const struct tl_target *target, uint16_t port, struct tl_address *out,
                    struct fal_error *err)
{
    struct tl_raw_address raw;
    int rc;

    if (target->kind == TL_TARGET_UDP) {
        rc = tl_resolve_among(target->address, &target->live.allowed, out, err);
    } else {
        rc = tl_raw_address_read(target->address, &target->live.allowed, &raw, err);
        *out = raw.sut;
    }
    if (rc == 0 && port != 0)
        set_port(out, port);
    return rc;
}

struct tl_link *tl_echo_link_open(const struct tl_target *target, const struct tl_address *echo,
                                  unsigned n, struct fal_error *err)
{
    char address[ADDRESS];

    if (probe_address(target, echo, n, address, err) != 0)
        return NULL;
    return target->kind == TL_TARGET_UDP ? tl_link_udp_open(address, NULL, &target->live, err)
                                         : tl_link_raw_open(address, NULL, &target->live, err);
}

struct tl_pulse *tl_echo_pulse(const struct tl_target *target, uint16_t port, uint64_t seed)
{
    struct fal_error err;
    struct tl_address echo;
    struct tl_link *link;
    struct tl_pulse *pulse;

    if ((target->kind != TL_TARGET_UDP && target->kind != TL_TARGET_RAW) || port == 0 ||
        tl_echo_address(target, port, &echo, &err) != 0)
        return NULL;
    link = tl_echo_link_open(target, &echo, TL_ECHO_PULSE_PORT, &err);
    if (link == NULL)
        return NULL;
    pulse = tl_pulse_new(link, (uint32_t)fal_payload_hash((const uint8_t *)&seed, sizeof seed));
    if (pulse == NULL)
        link->ops->free(link);
    return pulse;
}
