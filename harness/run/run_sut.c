/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/run_sut.h"

#include "codecs/base/nearest.h"
#include "harness/doc/address.h"
#include "harness/link/link_bridge.h"
#include "harness/sut/link_sim.h"

#include <stdio.h>
#include <string.h>

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The SUT behind a capture: the first '@' that a description follows. */
static const char *behind_capture(const char *text)
{
    static const char *const kinds[] = {
        "@builtin", "@udp:", "@raw:", "@lib:", "@exec:", "@bridge:", "@pcap:"};

    for (const char *at = strchr(text, '@'); at != NULL; at = strchr(at + 1, '@'))
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (has_prefix(at, kinds[i]))
                return at + 1;
    return NULL;
}

const char *tl_run_capture_of(const char *text, const char **file, size_t *len)
{
    const char *sut;

    if (!has_prefix(text, "pcap:"))
        return NULL;
    *file = text + 5;
    sut = behind_capture(*file);
    *len = sut != NULL ? (size_t)(sut - *file) - 1 : strlen(*file);
    return sut != NULL ? sut : "builtin";
}

static int read_builtin(const char *text, struct tl_target *target, struct fal_error *err)
{
    struct tl_builtin builtin = {.twins = {.random = false}};
    int rc = tl_builtin_read(&builtin, text, err);

    target->kind = TL_TARGET_BUILTIN;
    target->faults = builtin.faults;
    target->twins = builtin.twins;
    target->limits = builtin.limits;
    target->slow = builtin.slow;
    target->engine = builtin.engine;
    return rc;
}

/* "HOST:PORT[,from=HOST:PORT]" */
static int read_udp(const char *address, struct tl_target *target, struct fal_error *err)
{
    const char *from = strstr(address, TL_UDP_FROM);
    size_t len = from != NULL ? (size_t)(from - address) : strlen(address);
    char sut[TL_HOST_TEXT + 16], host[TL_HOST_TEXT];
    uint16_t port;
    int rc;

    target->kind = TL_TARGET_UDP;
    target->address = address;
    len = len < sizeof sut ? len : sizeof sut - 1;
    memcpy(sut, address, len);
    sut[len] = 0;
    rc = tl_address_split(sut, host, &port, err);
    if (rc == 0 && from != NULL)
        rc = tl_address_split(from + strlen(TL_UDP_FROM), host, &port, err);
    return rc;
}

static int read_bridge(const char *address, struct tl_target *target, struct fal_error *err)
{
    struct tl_bridge_address bridge;

    target->kind = TL_TARGET_BRIDGE;
    target->address = address;
    return tl_bridge_address_read(address, &bridge, err);
}

static int unknown_kind(const char *text, struct fal_error *err)
{
    static const char *const kinds[] = {"builtin", "lib",    "exec", "udp",
                                        "raw",     "bridge", "pcap"};
    char kind[32];
    const char *near;

    (void)snprintf(kind, sizeof kind, "%.*s", (int)strcspn(text, ":"), text);
    near = fal_nearest(kind, kinds, sizeof kinds / sizeof *kinds);
    if (near != NULL)
        return fal_fail(err, FAL_ERR_FORM, "no SUT kind '%s'; did you mean '%s'?", kind, near);
    return fal_fail(err, FAL_ERR_FORM,
                    "no SUT kind '%s'; expected builtin, builtin:fault=NAME, "
                    "builtin:twin=NAME, builtin:delay=TIME, lib:FILE.so, exec:COMMAND, "
                    "udp:HOST:PORT, raw:IFACE,HOST:PORT, bridge:IFACE,IFACE or pcap:FILE[@SUT]",
                    kind);
}

int tl_run_sut_read(const char *text, struct tl_target *target, struct fal_error *err)
{
    if (has_prefix(text, "builtin"))
        return read_builtin(text + strlen("builtin"), target, err);
    if (has_prefix(text, "udp:"))
        return read_udp(text + 4, target, err);
    if (has_prefix(text, "bridge:"))
        return read_bridge(text + 7, target, err);
    if (has_prefix(text, "raw:")) {
        target->kind = TL_TARGET_RAW;
        target->address = text + 4;
        return 0;
    }
    if (has_prefix(text, "lib:") || has_prefix(text, "exec:")) {
        target->kind = text[0] == 'l' ? TL_TARGET_LIB : TL_TARGET_EXEC;
        target->address = strchr(text, ':') + 1;
        return *target->address != 0
                   ? 0
                   : fal_fail(err, FAL_ERR_FORM, "'%s'; expected lib:FILE.so or exec:COMMAND",
                              text);
    }
    return unknown_kind(text, err);
}

int tl_run_control_check(const char *text, struct fal_error *err)
{
    char host[TL_HOST_TEXT];
    uint16_t port;

    if (has_prefix(text, "unix:") && text[5] != 0)
        return 0;
    if (!has_prefix(text, "tcp:"))
        return fal_fail(err, FAL_ERR_FORM, "'%.100s'; expected tcp:HOST:PORT or unix:PATH",
                        text);
    return tl_address_split(text + 4, host, &port, err);
}
