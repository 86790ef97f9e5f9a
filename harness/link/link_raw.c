/* SPDX-License-Identifier: Apache-2.0
 * link_raw.c - a SUT at an interface: frames are sent with libnet and captured with libpcap, so
 * that neither passes through this host's IP stack (raw_wire.h). Talon owns the address that it
 * sends from. */
#include "harness/link/link_raw.h"

#include "harness/link/live.h"
#include "harness/link/neighbour.h"
#include "harness/link/raw_wire.h"
#include "harness/link/sockets.h"
#include "harness/wire/sealer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DSCP_SHIFT = 2 };

struct link_raw {
    struct tl_live live; /* must be the first member */
    struct tl_raw_address at;
    struct tl_raw_wire wire;
    char local[TL_ADDRESS_TEXT];
    uint8_t ecn, ttl;  /* of frames that are sent */
    enum tl_flaw flaw; /* of the next frame only */
};

static struct link_raw *raw_of(struct tl_live *live)
{
    return (struct link_raw *)live;
}

static void raw_mark(struct tl_live *live, int ecn, int ttl)
{
    raw_of(live)->ecn = ecn >= 0 ? (uint8_t)ecn : TL_RAW_ECN;
    raw_of(live)->ttl = ttl > 0 ? (uint8_t)ttl : TL_RAW_TTL;
}

static void raw_dress(struct tl_live *live)
{
    (void)live; /* headers are built for each frame, with DF set */
}

static const char *raw_spoil(struct tl_live *live, enum tl_flaw flaw)
{
    struct link_raw *raw = raw_of(live);
    const char *why = tl_flaw_cannot(flaw, tl_address_family(&raw->at.sut) == AF_INET ? 4 : 6);

    if (live->esp && !raw->at.esp_in_udp)
        why = "this link carries ESP directly in IP; there is no UDP header";
    raw->flaw = why == NULL ? flaw : TL_FLAW_NONE;
    return why;
}

static int raw_send(struct tl_live *live, const uint8_t *bytes, size_t len)
{
    struct link_raw *raw = raw_of(live);
    const struct tl_raw_head head = {.to = &raw->at.sut,
                                     .mac = raw->at.mac,
                                     .tos = (uint8_t)(live->dscp << DSCP_SHIFT | raw->ecn),
                                     .ttl = raw->ttl,
                                     .flow_label = live->flow_label,
                                     .flaw = raw->flaw,
                                     .esp = live->esp && !raw->at.esp_in_udp &&
                                            !tl_seal_is_clear(bytes, len)};

    raw->flaw = TL_FLAW_NONE;
    return tl_raw_wire_send(&raw->wire, &head, bytes, len);
}

static int raw_look(struct tl_live *live)
{
    struct tl_live_frame *out = &live->frame;
    struct tl_raw_got got;
    int n = tl_raw_wire_look(&raw_of(live)->wire, &got, NULL, NULL);

    if (n < 0)
        return -n;
    if (n == 0 || got.len > sizeof out->bytes)
        return 0;
    memcpy(out->bytes, got.bytes, got.len);
    out->len = got.len;
    out->path = tl_address_port(&got.from);
    out->ecn = got.ecn;
    out->dscp = got.dscp;
    out->ttl = got.ttl;
    out->there = true;
    tl_live_stamp(live, &got.stamp);
    return 0;
}

static uint32_t raw_drops(struct tl_live *live)
{
    return tl_raw_wire_drops(&raw_of(live)->wire);
}

static void raw_close(struct tl_live *live)
{
    tl_raw_wire_close(&raw_of(live)->wire);
}

static const struct tl_port_ops raw_ops = {.mark = raw_mark,
                                           .spoil = raw_spoil,
                                           .send = raw_send,
                                           .look = raw_look,
                                           .drops = raw_drops,
                                           .dress = raw_dress,
                                           .close = raw_close};

/* The longest IP packet that the interface sends; 0: not known. */
static uint32_t interface_mtu(const char *name)
{
    struct ifreq ifr = {.ifr_mtu = 0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)snprintf(ifr.ifr_name, sizeof ifr.ifr_name, "%s", name);
    if (fd < 0 || ioctl(fd, SIOCGIFMTU, &ifr) != 0)
        ifr.ifr_mtu = 0;
    if (fd >= 0)
        (void)close(fd);
    return ifr.ifr_mtu > 0 ? (uint32_t)ifr.ifr_mtu : 0;
}

struct tl_link *tl_link_raw_open(const char *address, const char *control,
                                 const struct tl_live_options *options, struct fal_error *err)
{
    struct link_raw *raw = calloc(1, sizeof *raw);

    if (raw == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    tl_raw_wire_init(&raw->wire);
    tl_live_init(&raw->live, &raw_ops, "raw");
    if (options != NULL)
        raw->live.options = *options;
    raw_mark(&raw->live, -1, 0);
    if (tl_raw_address_read(address, &raw->live.options.allowed, &raw->at, err) != 0 ||
        tl_raw_wire_open(&raw->wire, &raw->at, &raw->at.from, &raw->at.sut, err) != 0)
        goto fail;
    if (!raw->at.has_mac &&
        tl_neighbour_find(&(struct tl_neighbour_port){raw->wire.pcap, raw->wire.net,
                                                      raw->wire.mac, &raw->wire.own},
                          &raw->at.sut, raw->at.mac, err) != 0)
        goto fail;
    tl_address_text(&raw->wire.own, raw->local);
    raw->live.caps.local_address = raw->local;
    raw->live.caps.mtu = tl_udp_room(interface_mtu(raw->at.iface), &raw->at.sut);
    if (tl_live_open(&raw->live, pcap_get_selectable_fd(raw->wire.pcap), control, err) == 0)
        return &raw->live.link;
fail:
    tl_live_free(&raw->live.link);
    return NULL;
}
