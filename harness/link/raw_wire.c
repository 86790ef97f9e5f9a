/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/raw_wire.h"

#include "codecs/base/error.h"
#include "codecs/frame/checksum.h"
#include "harness/link/neighbour.h"
#include "harness/link/sockets.h"
#include "harness/wire/privileges.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    SNAPLEN = 65536,
    BUFFER = 16 << 20,
    LOOKS = 256, /* frames not meant for us that one attempt to read may skip */
    OWN_PORT = 49152,
    IPV6_HEAD = 40,
    ECN_BITS = 3,
};

/* ---- sending ---- */

static void put16(uint8_t *at, size_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* Writes an IP header for `len` bytes behind it; returns where they begin. */
static uint8_t *put_ip(const struct tl_raw_wire *wire, const struct tl_raw_head *head,
                       uint8_t *at, size_t len)
{
    uint8_t protocol = head->esp ? IPPROTO_ESP : IPPROTO_UDP;

    if (tl_address_family(head->to) == AF_INET) {
        memset(at, 0, LIBNET_IPV4_H);
        at[0] = 0x45; /* version 4, five words */
        at[1] = head->tos;
        put16(at + 2, LIBNET_IPV4_H + len);
        put16(at + 6, IP_DF);
        at[8] = head->ttl;
        at[9] = protocol;
        memcpy(at + 12, &wire->own.u.v4.sin_addr, 4);
        memcpy(at + 16, &head->to->u.v4.sin_addr, 4);
        put16(at + 10, fal_checksum(at, LIBNET_IPV4_H));
        return at + LIBNET_IPV4_H;
    }
    put16(at, 6u << 12 | (unsigned)head->tos << 4 | (head->flow_label >> 16 & 0xf));
    put16(at + 2, head->flow_label & 0xffff);
    put16(at + 4, len);
    at[6] = protocol;
    at[7] = head->ttl;
    memcpy(at + 8, &wire->own.u.v6.sin6_addr, 16);
    memcpy(at + 24, &head->to->u.v6.sin6_addr, 16);
    return at + LIBNET_IPV6_H;
}

static uint64_t mac_value(const uint8_t *mac)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < 6; i++)
        value = value << 8 | mac[i];
    return value;
}

static fal_u128 ip6_value(const struct in6_addr *address)
{
    fal_u128 value = 0;

    for (unsigned i = 0; i < 16; i++)
        value = value << 8 | address->s6_addr[i];
    return value;
}

static int send_built(struct tl_raw_wire *wire, size_t len)
{
    errno = 0;
    if (libnet_write_link(wire->net, wire->built, (uint32_t)len) == (int)len)
        return 0;
    return errno != 0 ? errno : EIO;
}

static fal_u128 ip6_of(const struct tl_address *address)
{
    return ip6_value(&address->u.v6.sin6_addr);
}

static uint16_t source_port(const struct tl_raw_wire *wire, const struct tl_raw_head *head)
{
    return head->port != 0 ? head->port : tl_address_port(&wire->own);
}

/* Writes a UDP header in front of `len` bytes; `at` is where it begins. */
static void put_udp(const struct tl_raw_wire *wire, const struct tl_raw_head *head, uint8_t *at,
                    size_t len)
{
    size_t whole = LIBNET_UDP_H + len;

    put16(at, source_port(wire, head));
    put16(at + 2, tl_address_port(head->to));
    put16(at + 4, whole);
    put16(at + 6, 0);
    if (tl_address_family(head->to) == AF_INET)
        put16(at + 6, fal_checksum_udp4(
                          &(struct fal_ipv4){.src = ntohl(wire->own.u.v4.sin_addr.s_addr),
                                             .dst = ntohl(head->to->u.v4.sin_addr.s_addr)},
                          at, whole));
    else
        put16(at + 6, fal_checksum_udp6(&(struct fal_ipv6){.src = ip6_of(&wire->own),
                                                           .dst = ip6_of(head->to)},
                                        at, whole));
}

/* Writes the headers that put_ip makes into the frame that serves as a model for received
 * ones. */
static int send_spoilt(struct tl_raw_wire *wire, const struct tl_raw_head *head,
                       const uint8_t *bytes, size_t len)
{
    bool v4 = tl_address_family(head->to) == AF_INET;
    struct fal_frame *f = &wire->frame;
    int n;

    *f = (struct fal_frame){0};
    fal_frame_encapsulate(f, FAL_ENCAP_UDP, v4 ? 4 : 6);
    f->eth.src = mac_value(wire->mac);
    f->eth.dst = mac_value(head->mac);
    f->ipv4.dscp = f->ipv6.dscp = head->tos >> 2;
    f->ipv4.ecn = f->ipv6.ecn = head->tos & ECN_BITS;
    f->ipv4.ttl = f->ipv6.hop_limit = head->ttl;
    f->ipv4.dont_fragment = 1;
    f->ipv6.flow_label = head->flow_label;
    if (v4) {
        f->ipv4.src = ntohl(wire->own.u.v4.sin_addr.s_addr);
        f->ipv4.dst = ntohl(head->to->u.v4.sin_addr.s_addr);
    } else {
        f->ipv6.src = ip6_of(&wire->own);
        f->ipv6.dst = ip6_of(head->to);
    }
    f->udp.src_port = source_port(wire, head);
    f->udp.dst_port = tl_address_port(head->to);
    n = tl_carrier_encode(f, head->flaw, bytes, len, wire->built, sizeof wire->built);
    if (n < 0)
        return EMSGSIZE;
    return send_built(wire, (size_t)n);
}

int tl_raw_wire_send(struct tl_raw_wire *wire, const struct tl_raw_head *head,
                     const uint8_t *bytes, size_t len)
{
    bool v4 = tl_address_family(head->to) == AF_INET;
    size_t whole = len + (head->esp ? 0 : LIBNET_UDP_H);
    uint8_t *at;

    if (whole > UINT16_MAX - LIBNET_IPV4_H)
        return EMSGSIZE;
    if (head->flaw != TL_FLAW_NONE && !head->esp)
        return send_spoilt(wire, head, bytes, len);
    memcpy(wire->built, head->mac, ETHER_ADDR_LEN);
    memcpy(wire->built + ETHER_ADDR_LEN, wire->mac, ETHER_ADDR_LEN);
    put16(wire->built + ETHER_ADDR_LEN * 2, v4 ? ETHERTYPE_IP : ETHERTYPE_IPV6);
    at = put_ip(wire, head, wire->built + LIBNET_ETH_H, whole);
    memcpy(at + (head->esp ? 0 : LIBNET_UDP_H), bytes, len);
    if (!head->esp)
        put_udp(wire, head, at, len);
    return send_built(wire, (size_t)(at - wire->built) + whole);
}

/* ---- receiving ---- */

/* Finds the payload of UDP or ESP in the captured frame. False when the frame is not for this
 * wire. */
static bool take(struct tl_raw_wire *wire, const struct pcap_pkthdr *header,
                 const uint8_t *bytes, struct tl_raw_got *got)
{
    const struct fal_frame *frame = &wire->frame;
    const struct fal_layer *udp = fal_frame_layer(frame, FAL_LAYER_UDP),
                           *esp = fal_frame_layer(frame, FAL_LAYER_ESP),
                           *v4 = fal_frame_layer(frame, FAL_LAYER_IPV4),
                           *v6 = fal_frame_layer(frame, FAL_LAYER_IPV6);
    size_t start, end = header->caplen, ip;

    if (frame->fragment || (v4 == NULL && v6 == NULL) || (udp == NULL && esp == NULL) ||
        (udp != NULL && frame->udp.dst_port != tl_address_port(&wire->own)))
        return false;
    /* Removes Ethernet padding. */
    ip = v4 != NULL ? (size_t)v4->offset + frame->ipv4.total_length
                    : (size_t)v6->offset + IPV6_HEAD + frame->ipv6.payload_length;
    end = ip < end ? ip : end;
    if (udp != NULL && frame->udp.length >= udp->len && udp->offset + frame->udp.length < end)
        end = udp->offset + frame->udp.length;
    start = udp != NULL ? (size_t)udp->offset + udp->len : esp->offset;
    if (start > end)
        return false;
    *got = (struct tl_raw_got){.bytes = bytes + start,
                               .len = end - start,
                               /* Times are in nanoseconds: the capture was opened with that
                                * precision. */
                               .stamp = {header->ts.tv_sec, header->ts.tv_usec},
                               .ecn = v4 != NULL ? frame->ipv4.ecn : frame->ipv6.ecn,
                               .dscp = v4 != NULL ? frame->ipv4.dscp : frame->ipv6.dscp,
                               .ttl = v4 != NULL ? frame->ipv4.ttl : frame->ipv6.hop_limit};
    got->ecn &= ECN_BITS;
    memcpy(got->mac, bytes + 6, sizeof got->mac);
    if (v4 != NULL) {
        got->from.u.v4.sin_family = AF_INET;
        memcpy(&got->from.u.v4.sin_addr, bytes + v4->offset + 12, 4);
        got->from.u.v4.sin_port = udp != NULL ? htons(frame->udp.src_port) : 0;
    } else {
        got->from.u.v6.sin6_family = AF_INET6;
        memcpy(&got->from.u.v6.sin6_addr, bytes + v6->offset + 8, 16);
        got->from.u.v6.sin6_port = udp != NULL ? htons(frame->udp.src_port) : 0;
    }
    return true;
}

int tl_raw_wire_look(struct tl_raw_wire *wire, struct tl_raw_got *got,
                     void (*overheard)(void *context, const uint8_t *bytes, size_t len),
                     void *context)
{
    const struct fal_frame_options plain = {.no_lint = !wire->strict};
    struct pcap_pkthdr *header;
    const uint8_t *bytes;

    for (unsigned i = 0; i < LOOKS; i++) {
        int n = pcap_next_ex(wire->pcap, &header, &bytes);

        if (n == 0)
            return 0;
        if (n < 0)
            return -EIO;
        if (tl_neighbour_asked(bytes, header->caplen, wire->mac, &wire->own, wire->net)) {
            if (overheard != NULL)
                overheard(context, bytes, header->caplen);
            continue;
        }
        wire->frame.number = 0;
        /* Ethernet is a known link type. */
        FAL_IGNORE(fal_frame_decode(
            &(struct fal_captured){bytes, header->caplen, header->len, FAL_LINKTYPE_ETHERNET},
            &plain, NULL, &wire->frame));
        if (!(wire->strict && wire->frame.damaged) && take(wire, header, bytes, got))
            return 1;
    }
    return 0;
}

uint32_t tl_raw_wire_drops(struct tl_raw_wire *wire)
{
    struct pcap_stat stat = {0};

    if (pcap_stats(wire->pcap, &stat) != 0)
        return 0;
    return stat.ps_drop + stat.ps_ifdrop;
}

/* ---- opening ---- */

static int open_net(struct tl_raw_wire *wire, const struct tl_raw_address *at,
                    struct fal_error *err)
{
    char why[LIBNET_ERRBUF_SIZE] = "", hint[TL_HINT_MAX];
    const struct libnet_ether_addr *mac;

    wire->net = libnet_init(LIBNET_LINK, at->iface, why);
    if (wire->net == NULL && !tl_privilege_has(TL_PRIVILEGE_RAW)) {
        tl_privilege_hint(TL_PRIVILEGE_RAW, 0, hint);
        return fal_fail(err, FAL_ERR_IO, "raw: %s: %s", at->iface, hint);
    }
    why[strcspn(why, "\n")] = 0; /* some libnet error texts end with a newline */
    if (wire->net == NULL && if_nametoindex(at->iface) == 0)
        return fal_fail(err, FAL_ERR_IO,
                        "raw: there is no interface %s; `ip link` lists the interfaces",
                        at->iface);
    if (wire->net == NULL)
        return fal_fail(err, FAL_ERR_IO, "raw: %s: %.200s", at->iface, why);
    mac = libnet_get_hwaddr(wire->net);
    if (mac == NULL)
        return fal_fail(err, FAL_ERR_IO,
                        "raw: %s has no Ethernet address: expected an Ethernet interface",
                        at->iface);
    memcpy(wire->mac, mac->ether_addr_octet, sizeof wire->mac);
    return 0;
}

/* The interface's own address of the SUT's IP version, when none was given. */
static int own_address(struct tl_raw_wire *wire, const struct tl_raw_address *at, int family,
                       struct fal_error *err)
{
    struct tl_address *from = &wire->own;

    if (family == AF_INET) {
        uint32_t address = libnet_get_ipaddr4(wire->net);

        if (address == UINT32_MAX)
            return fal_fail(err, FAL_ERR_IO, "raw: %s has no IPv4 address; give from=HOST",
                            at->iface);
        from->u.v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {address}};
    } else {
        struct libnet_in6_addr address = libnet_get_ipaddr6(wire->net);

        if (memcmp(&address, &in6addr_error, sizeof address) == 0)
            return fal_fail(err, FAL_ERR_IO, "raw: %s has no IPv6 address; give from=HOST",
                            at->iface);
        from->u.v6 = (struct sockaddr_in6){.sin6_family = AF_INET6};
        memcpy(&from->u.v6.sin6_addr, &address, sizeof address);
    }
    return 0;
}

/* Neighbour solicitations for an address that the kernel does not have go to a multicast group
 * that the kernel has not joined (RFC 4291, section 2.7.1): the device must accept them. */
static void join_group(struct tl_raw_wire *wire, const struct tl_raw_address *at)
{
    const uint8_t *own = (const uint8_t *)&wire->own.u.v6.sin6_addr;
    struct packet_mreq group = {.mr_ifindex = (int)if_nametoindex(at->iface),
                                .mr_type = PACKET_MR_MULTICAST,
                                .mr_alen = 6,
                                .mr_address = {0x33, 0x33, 0xff}};

    if (tl_address_family(&wire->own) != AF_INET6)
        return;
    memcpy(group.mr_address + 3, own + 13, 3);
    (void)setsockopt(pcap_fileno(wire->pcap), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &group,
                     sizeof group);
}

/* Captures what is meant for this wire, and the messages of ARP and neighbour discovery. */
static void write_filter(const struct tl_raw_wire *wire, const struct tl_address *peer,
                         char *filter, size_t cap)
{
    bool v4 = tl_address_family(&wire->own) == AF_INET;
    char from[INET6_ADDRSTRLEN + 16] = "", host[INET6_ADDRSTRLEN], own[INET6_ADDRSTRLEN];

    (void)inet_ntop(tl_address_family(&wire->own),
                    v4 ? (const void *)&wire->own.u.v4.sin_addr
                       : (const void *)&wire->own.u.v6.sin6_addr,
                    own, sizeof own);
    if (peer != NULL) {
        (void)inet_ntop(tl_address_family(peer),
                        v4 ? (const void *)&peer->u.v4.sin_addr
                           : (const void *)&peer->u.v6.sin6_addr,
                        host, sizeof host);
        (void)snprintf(from, sizeof from, " and src host %s", host);
    }
    if (v4)
        (void)snprintf(filter, cap,
                       "((udp or ip proto 50) and dst host %s%s) or (arp and dst host %s)", own,
                       from, own);
    else
        (void)snprintf(filter, cap, "((udp or ip6 proto 50) and dst host %s%s) or icmp6", own,
                       from);
}

static int open_pcap(struct tl_raw_wire *wire, const struct tl_raw_address *at,
                     const struct tl_address *peer, struct fal_error *err)
{
    char why[PCAP_ERRBUF_SIZE] = "", filter[256];
    struct bpf_program program;
    int rc;

    wire->pcap = pcap_create(at->iface, why);
    if (wire->pcap == NULL)
        return fal_fail(err, FAL_ERR_IO, "raw: %.200s", why);
    (void)pcap_set_snaplen(wire->pcap, SNAPLEN);
    (void)pcap_set_immediate_mode(wire->pcap, 1);
    (void)pcap_set_buffer_size(wire->pcap, at->buffer != 0 ? (int)at->buffer : BUFFER);
    (void)pcap_set_tstamp_precision(wire->pcap, PCAP_TSTAMP_PRECISION_NANO);
    /* Hardware time stamps are usable only when the kernel converts them to its own clock. */
    if (at->hardware && pcap_set_tstamp_type(wire->pcap, PCAP_TSTAMP_ADAPTER) != 0)
        return fal_fail(
            err, FAL_ERR_IO,
            "raw: %s has no hardware time stamps in this host's clock; leave out stamps=hardware",
            at->iface);
    rc = pcap_activate(wire->pcap);
    if (rc < 0)
        return fal_fail(err, FAL_ERR_IO, "raw: %s: %.120s (%.100s)", at->iface,
                        pcap_statustostr(rc), pcap_geterr(wire->pcap));
    if (pcap_datalink(wire->pcap) != DLT_EN10MB ||
        pcap_get_tstamp_precision(wire->pcap) != PCAP_TSTAMP_PRECISION_NANO)
        return fal_fail(err, FAL_ERR_IO, "raw: %s is not an Ethernet interface", at->iface);
    write_filter(wire, peer, filter, sizeof filter);
    if (pcap_compile(wire->pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN) != 0)
        return fal_fail(err, FAL_ERR_IO, "raw: filter: %.200s", pcap_geterr(wire->pcap));
    rc = pcap_setfilter(wire->pcap, &program);
    pcap_freecode(&program);
    if (rc != 0 || pcap_setnonblock(wire->pcap, 1, why) != 0)
        return fal_fail(err, FAL_ERR_IO, "raw: %.200s", pcap_geterr(wire->pcap));
    (void)pcap_setdirection(wire->pcap, PCAP_D_IN);
    join_group(wire, at);
    return 0;
}

static void hold(struct tl_raw_wire *wire)
{
    struct tl_address bound = wire->own;

    wire->port_holder = tl_udp_bind(&bound, NULL);
    if (wire->port_holder >= 0 && tl_address_port(&wire->own) == 0)
        /* A bound socket has an address. */
        FAL_IGNORE(tl_socket_address(wire->port_holder, &wire->own, NULL));
    if (wire->port_holder < 0)
        return; /* no interface has that address */
    if (tl_address_family(&bound) == AF_INET6)
        bound.u.v6.sin6_port = 0;
    else
        bound.u.v4.sin_port = 0;
    wire->esp_holder =
        socket(tl_address_family(&bound), SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_ESP);
    if (wire->esp_holder >= 0)
        (void)bind(wire->esp_holder, &bound.u.sa, tl_address_len(&bound));
}

static void settle_port(struct tl_raw_wire *wire)
{
    if (tl_address_port(&wire->own) != 0)
        return;
    if (tl_address_family(&wire->own) == AF_INET6)
        wire->own.u.v6.sin6_port = htons(OWN_PORT);
    else
        wire->own.u.v4.sin_port = htons(OWN_PORT);
}

void tl_raw_wire_init(struct tl_raw_wire *wire)
{
    wire->port_holder = wire->esp_holder = -1;
}

int tl_raw_wire_open(struct tl_raw_wire *wire, const struct tl_raw_address *at,
                     const struct tl_address *own, const struct tl_address *peer,
                     struct fal_error *err)
{
    int rc = open_net(wire, at, err);

    wire->own = *own;
    if (rc == 0 && tl_address_family(own) == 0 && peer != NULL)
        rc = own_address(wire, at, tl_address_family(peer), err);
    if (rc != 0)
        return rc;
    hold(wire);
    settle_port(wire);
    return open_pcap(wire, at, peer, err);
}

void tl_raw_wire_close(struct tl_raw_wire *wire)
{
    if (wire->pcap != NULL)
        pcap_close(wire->pcap);
    if (wire->net != NULL)
        libnet_destroy(wire->net);
    if (wire->port_holder >= 0)
        (void)close(wire->port_holder);
    if (wire->esp_holder >= 0)
        (void)close(wire->esp_holder);
}
