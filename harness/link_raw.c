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
#include "harness/privileges.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libnet.h>
#include <linux/if_packet.h>
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
    DSCP_SHIFT = 2,
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

static void raw_dress(struct tl_live *live)
{
    (void)live; /* each header is built anew, and says DF */
}

static bool build_ip(struct link_raw *raw, uint16_t len)
{
    const struct tl_raw_address *at = &raw->at;
    uint8_t tos = (uint8_t)(raw->live.dscp << DSCP_SHIFT | raw->ecn);

    if (tl_address_family(&at->sut) == AF_INET)
        return libnet_build_ipv4((uint16_t)(LIBNET_IPV4_H + LIBNET_UDP_H + len), tos, 0, IP_DF,
                                 raw->ttl, IPPROTO_UDP, 0, at->from.u.v4.sin_addr.s_addr,
                                 at->sut.u.v4.sin_addr.s_addr, NULL, 0, raw->net, 0) >= 0;
    {
        struct libnet_in6_addr source, target;
        libnet_ptag_t tag;
        uint8_t *head;

        memcpy(&source, &at->from.u.v6.sin6_addr, sizeof source);
        memcpy(&target, &at->sut.u.v6.sin6_addr, sizeof target);
        tag = libnet_build_ipv6(tos, raw->live.flow_label, (uint16_t)(LIBNET_UDP_H + len),
                                IPPROTO_UDP, raw->ttl, source, target, NULL, 0, raw->net, 0);
        if (tag < 0)
            return false;
        /* libnet loses the middle of a flow label. */
        head = libnet_getpbuf(raw->net, tag);
        if (head == NULL)
            return false;
        head[2] = (uint8_t)(raw->live.flow_label >> 8);
        return true;
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
    out->dscp = v4 ? raw->frame.ipv4.dscp : raw->frame.ipv6.dscp;
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

static const struct tl_port_ops raw_ops = {.mark = raw_mark,
                                           .send = raw_send,
                                           .look = raw_look,
                                           .drops = raw_drops,
                                           .dress = raw_dress,
                                           .close = raw_close};

/* ---- opening ---- */

static int open_net(struct link_raw *raw, struct fal_error *err)
{
    char why[LIBNET_ERRBUF_SIZE] = "", hint[TL_HINT_MAX];
    const struct libnet_ether_addr *mac;

    raw->net = libnet_init(LIBNET_LINK, raw->at.iface, why);
    if (raw->net == NULL && !tl_privilege_has(TL_PRIVILEGE_RAW)) {
        tl_privilege_hint(TL_PRIVILEGE_RAW, 0, hint);
        return fal_fail(err, FAL_ERR_IO, "raw: %s: %s", raw->at.iface, hint);
    }
    if (raw->net == NULL)
        return fal_fail(err, FAL_ERR_IO, "raw: %s: %.200s", raw->at.iface, why);
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

/* Questions for an address that no kernel has come to a group that no kernel has joined (RFC
 * 4291, section 2.7.1): the device must let them through. */
static void join_group(struct link_raw *raw)
{
    const uint8_t *own = (const uint8_t *)&raw->at.from.u.v6.sin6_addr;
    struct packet_mreq group = {.mr_ifindex = (int)if_nametoindex(raw->at.iface),
                                .mr_type = PACKET_MR_MULTICAST,
                                .mr_alen = 6,
                                .mr_address = {0x33, 0x33, 0xff}};

    if (tl_address_family(&raw->at.from) != AF_INET6)
        return;
    memcpy(group.mr_address + 3, own + 13, 3);
    (void)setsockopt(pcap_fileno(raw->pcap), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &group,
                     sizeof group);
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
    (void)pcap_set_buffer_size(raw->pcap, raw->at.buffer != 0 ? (int)raw->at.buffer : BUFFER);
    (void)pcap_set_tstamp_precision(raw->pcap, PCAP_TSTAMP_PRECISION_NANO);
    /* Those of the device count only when the kernel has made them its own time. */
    if (raw->at.hardware && pcap_set_tstamp_type(raw->pcap, PCAP_TSTAMP_ADAPTER) != 0)
        return fal_fail(err, FAL_ERR_IO,
                        "raw: %s has no hardware stamps in this host's time; leave out "
                        "stamps=hardware",
                        raw->at.iface);
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
    join_group(raw);
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
                                 const struct tl_live_options *options, struct fal_error *err)
{
    struct link_raw *raw = calloc(1, sizeof *raw);

    if (raw == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    raw->holder = -1;
    tl_live_init(&raw->live, &raw_ops, "raw");
    if (options != NULL)
        raw->live.options = *options;
    raw_mark(&raw->live, -1, 0);
    if (tl_raw_address_read(address, &raw->live.options.allowed, &raw->at, err) != 0 ||
        open_net(raw, err) != 0 ||
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
