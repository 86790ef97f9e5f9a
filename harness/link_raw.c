/* SPDX-License-Identifier: Apache-2.0
 * link_raw.c - a SUT at an interface: frames injected with libnet and captured with libpcap, so
 * that neither passes through this host's IP stack. Talon owns the address it sends from: it
 * answers ARP and neighbour discovery for it.
 *
 * A frame of the link is what UDP carries; this file puts Ethernet, IP and UDP around it. */
#include "harness/link_raw.h"

#include "codecs/frame.h"
#include "harness/link_live.h"
#include "harness/link_neighbour.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libnet.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SNAPLEN = 65536,
    BUFFER = 16 << 20,
    LOOKS = 256, /* frames of others that one look may step over */
    TESTER_PORT = 49152,
    TTL = 64,
    ECT0 = 2,
    ECN_BITS = 3,
};

struct link_raw {
    struct tl_live live; /* first */
    struct tl_raw_address at;
    char local[TL_ADDRESS_TEXT];
    libnet_t *net;
    pcap_t *pcap;
    uint8_t mac[6];   /* the tester's */
    uint8_t ecn, ttl; /* of what is sent */
    int holder;       /* a socket that keeps the kernel from answering for its own address */
    struct fal_frame frame;
};

static struct link_raw *raw_of(struct tl_live *live)
{
    return (struct link_raw *)live;
}

/* ---- sending ---- */

static void raw_mark(struct tl_live *live, int ecn, int ttl)
{
    raw_of(live)->ecn = ecn >= 0 ? (uint8_t)ecn : ECT0;
    raw_of(live)->ttl = ttl > 0 ? (uint8_t)ttl : TTL;
}

static bool build_ip(struct link_raw *raw, uint16_t len)
{
    const struct tl_raw_address *at = &raw->at;

    if (tl_address_family(&at->sut) == AF_INET)
        return libnet_build_ipv4((uint16_t)(LIBNET_IPV4_H + LIBNET_UDP_H + len), raw->ecn, 0,
                                 IP_DF, raw->ttl, IPPROTO_UDP, 0, at->from.u.v4.sin_addr.s_addr,
                                 at->sut.u.v4.sin_addr.s_addr, NULL, 0, raw->net, 0) >= 0;
    {
        struct libnet_in6_addr source, target;

        memcpy(&source, &at->from.u.v6.sin6_addr, sizeof source);
        memcpy(&target, &at->sut.u.v6.sin6_addr, sizeof target);
        return libnet_build_ipv6(raw->ecn, 0, (uint16_t)(LIBNET_UDP_H + len), IPPROTO_UDP,
                                 raw->ttl, source, target, NULL, 0, raw->net, 0) >= 0;
    }
}

static int raw_send(struct tl_live *live, const uint8_t *bytes, size_t len)
{
    struct link_raw *raw = raw_of(live);
    bool v4 = tl_address_family(&raw->at.sut) == AF_INET;
    int code = EMSGSIZE;

    libnet_clear_packet(raw->net);
    if (len <= UINT16_MAX - LIBNET_UDP_H - LIBNET_IPV4_H &&
        libnet_build_udp(tl_address_port(&raw->at.from), tl_address_port(&raw->at.sut),
                         (uint16_t)(LIBNET_UDP_H + len), 0, bytes, (uint32_t)len, raw->net,
                         0) >= 0 &&
        build_ip(raw, (uint16_t)len) &&
        libnet_build_ethernet(raw->at.mac, raw->mac, v4 ? ETHERTYPE_IP : ETHERTYPE_IPV6, NULL,
                              0, raw->net, 0) >= 0) {
        errno = 0;
        code = libnet_write(raw->net) >= 0 ? 0 : errno != 0 ? errno : EIO;
    }
    return code;
}

/* ---- receiving ---- */

static bool from_sut(const struct link_raw *raw)
{
    const struct fal_frame *frame = &raw->frame;
    const struct fal_layer *udp = fal_frame_layer(frame, FAL_LAYER_UDP);

    return udp != NULL && frame->udp.dst_port == tl_address_port(&raw->at.from) &&
           !frame->fragment;
}

/* What UDP carries in the frame that was captured. */
static void take_payload(struct link_raw *raw, const struct pcap_pkthdr *header,
                         const uint8_t *bytes)
{
    const struct fal_layer *udp = fal_frame_layer(&raw->frame, FAL_LAYER_UDP);
    struct tl_live_frame *out = &raw->live.frame;
    bool v4 = fal_frame_has(&raw->frame, FAL_LAYER_IPV4);
    size_t start = udp->offset + udp->len, len = header->caplen - start;
    /* In nanoseconds: the capture was opened so. */
    const struct timespec stamp = {.tv_sec = header->ts.tv_sec, .tv_nsec = header->ts.tv_usec};

    if (raw->frame.udp.length >= udp->len && raw->frame.udp.length - udp->len < len)
        len = raw->frame.udp.length - udp->len; /* without Ethernet's padding */
    if (len > sizeof out->bytes)
        return;
    memcpy(out->bytes, bytes + start, len);
    out->len = len;
    out->path = raw->frame.udp.src_port;
    out->ecn = (uint8_t)((v4 ? raw->frame.ipv4.ecn : raw->frame.ipv6.ecn) & ECN_BITS);
    out->ttl = v4 ? raw->frame.ipv4.ttl : raw->frame.ipv6.hop_limit;
    out->there = true;
    tl_live_stamp(&raw->live, &stamp);
}

static int raw_look(struct tl_live *live)
{
    const struct fal_frame_options plain = {.no_lint = true};
    struct link_raw *raw = raw_of(live);
    struct pcap_pkthdr *header;
    const uint8_t *bytes;

    for (unsigned i = 0; i < LOOKS && !live->frame.there; i++) {
        int got = pcap_next_ex(raw->pcap, &header, &bytes);

        if (got == 0)
            return 0;
        if (got < 0)
            return EIO;
        if (tl_neighbour_asked(bytes, header->caplen, raw->mac, &raw->at.from, raw->net))
            continue;
        raw->frame.number = 0;
        (void)fal_frame_decode(bytes, header->caplen, header->len, FAL_LINKTYPE_ETHERNET,
                               &plain, NULL, &raw->frame);
        if (from_sut(raw))
            take_payload(raw, header, bytes);
    }
    return 0;
}

static uint32_t raw_drops(struct tl_live *live)
{
    struct pcap_stat stat = {0};

    if (pcap_stats(raw_of(live)->pcap, &stat) != 0)
        return 0;
    return stat.ps_drop + stat.ps_ifdrop;
}

static void raw_close(struct tl_live *live)
{
    struct link_raw *raw = raw_of(live);

    if (raw->pcap != NULL)
        pcap_close(raw->pcap);
    if (raw->net != NULL)
        libnet_destroy(raw->net);
    if (raw->holder >= 0)
        (void)close(raw->holder);
}

static const struct tl_port_ops raw_ops = {raw_mark, raw_send, raw_look, raw_drops, raw_close};

/* ---- opening ---- */

static int open_net(struct link_raw *raw, struct fal_error *err)
{
    char why[LIBNET_ERRBUF_SIZE] = "";
    const struct libnet_ether_addr *mac;

    raw->net = libnet_init(LIBNET_LINK, raw->at.iface, why);
    if (raw->net == NULL)
        return fal_fail(err, FAL_ERR_IO,
                        "raw: %s: %.160s; it needs CAP_NET_RAW: "
                        "sudo setcap cap_net_raw+ep build/talon",
                        raw->at.iface, why);
    mac = libnet_get_hwaddr(raw->net);
    if (mac == NULL)
        return fal_fail(err, FAL_ERR_IO, "raw: %s has no Ethernet address", raw->at.iface);
    memcpy(raw->mac, mac->ether_addr_octet, sizeof raw->mac);
    return 0;
}

/* The interface's own address of the SUT's family, where none was given. */
static int own_address(struct link_raw *raw, struct fal_error *err)
{
    struct tl_address *from = &raw->at.from;

    if (tl_address_family(&raw->at.sut) == AF_INET) {
        uint32_t address = libnet_get_ipaddr4(raw->net);

        if (address == UINT32_MAX)
            return fal_fail(err, FAL_ERR_IO, "raw: %s has no IPv4 address; give from=HOST",
                            raw->at.iface);
        from->u.v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {address}};
    } else {
        struct libnet_in6_addr address = libnet_get_ipaddr6(raw->net);

        if (memcmp(&address, &in6addr_error, sizeof address) == 0)
            return fal_fail(err, FAL_ERR_IO, "raw: %s has no IPv6 address; give from=HOST",
                            raw->at.iface);
        from->u.v6 = (struct sockaddr_in6){.sin6_family = AF_INET6};
        memcpy(&from->u.v6.sin6_addr, &address, sizeof address);
    }
    return 0;
}

static int open_pcap(struct link_raw *raw, struct fal_error *err)
{
    char why[PCAP_ERRBUF_SIZE] = "", filter[256], sut[INET6_ADDRSTRLEN], own[INET6_ADDRSTRLEN];
    bool v4 = tl_address_family(&raw->at.sut) == AF_INET;
    const void *sut_ip = v4 ? (const void *)&raw->at.sut.u.v4.sin_addr
                            : (const void *)&raw->at.sut.u.v6.sin6_addr;
    const void *own_ip = v4 ? (const void *)&raw->at.from.u.v4.sin_addr
                            : (const void *)&raw->at.from.u.v6.sin6_addr;
    struct bpf_program program;
    int rc;

    raw->pcap = pcap_create(raw->at.iface, why);
    if (raw->pcap == NULL)
        return fal_fail(err, FAL_ERR_IO, "raw: %.200s", why);
    (void)pcap_set_snaplen(raw->pcap, SNAPLEN);
    (void)pcap_set_immediate_mode(raw->pcap, 1);
    (void)pcap_set_buffer_size(raw->pcap, BUFFER);
    (void)pcap_set_tstamp_precision(raw->pcap, PCAP_TSTAMP_PRECISION_NANO);
    rc = pcap_activate(raw->pcap);
    if (rc < 0)
        return fal_fail(err, FAL_ERR_IO, "raw: %s: %.120s (%.100s)", raw->at.iface,
                        pcap_statustostr(rc), pcap_geterr(raw->pcap));
    if (pcap_datalink(raw->pcap) != DLT_EN10MB ||
        pcap_get_tstamp_precision(raw->pcap) != PCAP_TSTAMP_PRECISION_NANO)
        return fal_fail(err, FAL_ERR_IO, "raw: %s is no Ethernet interface", raw->at.iface);
    (void)inet_ntop(tl_address_family(&raw->at.sut), sut_ip, sut, sizeof sut);
    (void)inet_ntop(tl_address_family(&raw->at.sut), own_ip, own, sizeof own);
    if (v4)
        (void)snprintf(filter, sizeof filter,
                       "(udp and src host %s and dst host %s) or (arp and dst host %s)", sut,
                       own, own);
    else
        (void)snprintf(filter, sizeof filter, "(udp and src host %s and dst host %s) or icmp6",
                       sut, own);
    if (pcap_compile(raw->pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN) != 0)
        return fal_fail(err, FAL_ERR_IO, "raw: filter: %.200s", pcap_geterr(raw->pcap));
    rc = pcap_setfilter(raw->pcap, &program);
    pcap_freecode(&program);
    if (rc != 0 || pcap_setnonblock(raw->pcap, 1, why) != 0)
        return fal_fail(err, FAL_ERR_IO, "raw: %.200s", pcap_geterr(raw->pcap));
    (void)pcap_setdirection(raw->pcap, PCAP_D_IN);
    return 0;
}

/* Where the address is this host's own, a socket takes its port: else the kernel would answer
 * the SUT that nobody is there. */
static void hold_port(struct link_raw *raw)
{
    struct tl_address bound = raw->at.from;

    raw->holder = tl_udp_bind(&bound, NULL);
    if (raw->holder >= 0 && tl_address_port(&raw->at.from) == 0)
        (void)tl_socket_address(raw->holder, &raw->at.from, NULL);
}

static void settle_port(struct link_raw *raw)
{
    if (tl_address_port(&raw->at.from) != 0)
        return;
    if (tl_address_family(&raw->at.from) == AF_INET6)
        raw->at.from.u.v6.sin6_port = htons(TESTER_PORT);
    else
        raw->at.from.u.v4.sin_port = htons(TESTER_PORT);
}

struct tl_link *tl_link_raw_open(const char *address, const char *control,
                                 struct fal_error *err)
{
    struct link_raw *raw = calloc(1, sizeof *raw);

    if (raw == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    raw->holder = -1;
    tl_live_init(&raw->live, &raw_ops, "raw");
    raw_mark(&raw->live, -1, 0);
    if (tl_raw_address_read(address, &raw->at, err) != 0 || open_net(raw, err) != 0 ||
        (tl_address_family(&raw->at.from) == 0 && own_address(raw, err) != 0))
        goto fail;
    hold_port(raw);
    settle_port(raw);
    if (open_pcap(raw, err) != 0)
        goto fail;
    if (!raw->at.has_mac && tl_neighbour_find(raw->pcap, raw->net, raw->mac, &raw->at.from,
                                              &raw->at.sut, raw->at.mac, err) != 0)
        goto fail;
    tl_address_text(&raw->at.from, raw->local);
    raw->live.caps.local_address = raw->local;
    if (tl_live_open(&raw->live, pcap_get_selectable_fd(raw->pcap), control, err) == 0)
        return &raw->live.link;
fail:
    tl_live_free(&raw->live.link);
    return NULL;
}
