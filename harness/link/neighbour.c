/* SPDX-License-Identifier: Apache-2.0
 * neighbour.c - the messages are short and have a fixed layout, so they are written byte by
 * byte. */
#include "harness/link/neighbour.h"

#include "harness/link/sockets.h"

#include <poll.h>
#include <string.h>

enum {
    ETH = 14,
    TYPE_AT = 12,
    ARP_LEN = 28,
    ARP_REQUEST = 1,
    ARP_REPLY = 2,
    IP6 = 40,
    ICMP6 = 58,
    ND_LEN = 32, /* length with the link-layer address option */
    ND_SOLICIT = 135,
    ND_ADVERT = 136,
    TRIES = 3,
    TRY_MS = 1000,
    NS_PER_MS = 1000000,
};

static uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static void put16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static bool send_to(libnet_t *net, const uint8_t to[6], const uint8_t mac[6], uint16_t type,
                    const uint8_t *bytes, size_t len)
{
    libnet_clear_packet(net);
    return libnet_build_ethernet(to, mac, type, bytes, (uint32_t)len, net, 0) >= 0 &&
           libnet_write(net) >= 0;
}

/* ---- IPv4 ---- */

static void write_arp(uint8_t out[ARP_LEN], unsigned operation, const uint8_t mac[6],
                      const void *own_ip, const uint8_t peer_mac[6], const void *peer_ip)
{
    static const uint8_t kind[6] = {0, 1, 0x08, 0x00, 6, 4}; /* Ethernet, IPv4 */

    memcpy(out, kind, sizeof kind);
    put16(out + 6, operation);
    memcpy(out + 8, mac, 6);
    memcpy(out + 14, own_ip, 4);
    memcpy(out + 18, peer_mac, 6);
    memcpy(out + 24, peer_ip, 4);
}

static const uint8_t *arp_in(const uint8_t *bytes, size_t len, unsigned operation)
{
    const uint8_t *arp = bytes + ETH;

    if (len < ETH + ARP_LEN || get16(bytes + TYPE_AT) != ETHERTYPE_ARP ||
        get16(arp + 6) != operation)
        return NULL;
    return arp;
}

/* ---- IPv6 ---- */

static uint16_t icmp6_sum(const uint8_t *ip, const uint8_t *icmp, size_t len)
{
    uint32_t sum = ICMP6 + (uint32_t)len;

    for (size_t i = 8; i < IP6; i += 2)
        sum += get16(ip + i);
    for (size_t i = 0; i < len; i += 2)
        sum += get16(icmp + i);
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

/* A solicitation (option 1: the source's MAC) or an advertisement (2: the target's). */
static void write_nd(uint8_t out[IP6 + ND_LEN], uint8_t type, const uint8_t source[16],
                     const uint8_t target_ip[16], const uint8_t asked[16], const uint8_t mac[6])
{
    uint8_t *icmp = out + IP6;

    memset(out, 0, IP6 + ND_LEN);
    out[0] = 0x60;
    put16(out + 4, ND_LEN);
    out[6] = ICMP6;
    out[7] = 255;
    memcpy(out + 8, source, 16);
    memcpy(out + 24, target_ip, 16);
    icmp[0] = type;
    icmp[4] = type == ND_ADVERT ? 0x60 : 0; /* solicited, override */
    memcpy(icmp + 8, asked, 16);
    icmp[24] = type == ND_ADVERT ? 2 : 1;
    icmp[25] = 1;
    memcpy(icmp + 26, mac, 6);
    put16(icmp + 2, icmp6_sum(out, icmp, ND_LEN));
}

static const uint8_t *nd_in(const uint8_t *bytes, size_t len, uint8_t type)
{
    const uint8_t *ip = bytes + ETH;

    if (len < ETH + IP6 + 24 || get16(bytes + TYPE_AT) != ETHERTYPE_IPV6 || ip[6] != ICMP6 ||
        ip[7] != 255 || ip[IP6] != type)
        return NULL;
    return ip;
}

/* ---- both ---- */

static bool answer_arp(const uint8_t *arp, const uint8_t mac[6], const struct tl_address *own,
                       libnet_t *net)
{
    uint8_t reply[ARP_LEN];

    if (tl_address_family(own) != AF_INET || memcmp(arp + 24, &own->u.v4.sin_addr, 4) != 0)
        return false;
    write_arp(reply, ARP_REPLY, mac, arp + 24, arp + 8, arp + 14);
    return send_to(net, arp + 8, mac, ETHERTYPE_ARP, reply, sizeof reply);
}

static bool answer_nd(const uint8_t *eth, const uint8_t *ip, const uint8_t mac[6],
                      const struct tl_address *own, libnet_t *net)
{
    uint8_t reply[IP6 + ND_LEN];
    const uint8_t *asked = ip + IP6 + 8;

    if (tl_address_family(own) != AF_INET6 || memcmp(asked, &own->u.v6.sin6_addr, 16) != 0)
        return false;
    write_nd(reply, ND_ADVERT, asked, ip + 8, asked, mac);
    return send_to(net, eth + 6, mac, ETHERTYPE_IPV6, reply, sizeof reply);
}

bool tl_neighbour_asked(const uint8_t *bytes, size_t len, const uint8_t mac[6],
                        const struct tl_address *own, libnet_t *net)
{
    const uint8_t *arp = arp_in(bytes, len, ARP_REQUEST), *nd = nd_in(bytes, len, ND_SOLICIT);

    if (arp != NULL)
        (void)answer_arp(arp, mac, own, net);
    if (nd != NULL)
        (void)answer_nd(bytes, nd, mac, own, net);
    return arp != NULL || nd != NULL ||
           (len >= ETH && get16(bytes + TYPE_AT) == ETHERTYPE_ARP) ||
           (len >= ETH + IP6 && get16(bytes + TYPE_AT) == ETHERTYPE_IPV6 &&
            bytes[ETH + 6] == ICMP6);
}

bool tl_neighbour_ask(libnet_t *net, const uint8_t mac[6], const struct tl_address *own,
                      const struct tl_address *peer)
{
    static const uint8_t all[6] = {255, 255, 255, 255, 255, 255}, nobody[6];
    uint8_t bytes[IP6 + ND_LEN], group[16] = {0xff, 0x02}, to[6] = {0x33, 0x33, 0xff};
    const uint8_t *ip6 = (const uint8_t *)&peer->u.v6.sin6_addr;

    if (tl_address_family(peer) == AF_INET) {
        write_arp(bytes, ARP_REQUEST, mac, &own->u.v4.sin_addr, nobody, &peer->u.v4.sin_addr);
        return send_to(net, all, mac, ETHERTYPE_ARP, bytes, ARP_LEN);
    }
    group[11] = 1; /* the solicited-node group of the peer (RFC 4291, section 2.7.1) */
    group[12] = 0xff;
    memcpy(group + 13, ip6 + 13, 3);
    memcpy(to + 3, ip6 + 13, 3);
    write_nd(bytes, ND_SOLICIT, (const uint8_t *)&own->u.v6.sin6_addr, group, ip6, mac);
    return send_to(net, to, mac, ETHERTYPE_IPV6, bytes, sizeof bytes);
}

bool tl_neighbour_says(const uint8_t *bytes, size_t len, struct tl_address *host,
                       uint8_t mac[6])
{
    static const uint8_t nobody[16];
    const uint8_t *arp = arp_in(bytes, len, ARP_REQUEST), *nd = nd_in(bytes, len, ND_SOLICIT);

    if (arp == NULL)
        arp = arp_in(bytes, len, ARP_REPLY);
    if (nd == NULL)
        nd = nd_in(bytes, len, ND_ADVERT);
    memset(host, 0, sizeof *host);
    if (arp != NULL && memcmp(arp + 14, nobody, 4) != 0) {
        host->u.v4.sin_family = AF_INET;
        memcpy(&host->u.v4.sin_addr, arp + 14, 4);
        memcpy(mac, arp + 8, 6);
        return true;
    }
    if (nd == NULL || memcmp(nd + 8, nobody, 16) == 0)
        return false;
    host->u.v6.sin6_family = AF_INET6;
    memcpy(&host->u.v6.sin6_addr, nd + 8, 16);
    memcpy(mac, bytes + 6, 6);
    return true;
}

static bool told(const uint8_t *bytes, size_t len, const struct tl_address *peer,
                 uint8_t found[6])
{
    const uint8_t *arp = arp_in(bytes, len, ARP_REPLY), *nd = nd_in(bytes, len, ND_ADVERT);
    bool v4 = tl_address_family(peer) == AF_INET;

    if (v4 && arp != NULL && memcmp(arp + 14, &peer->u.v4.sin_addr, 4) == 0) {
        memcpy(found, arp + 8, 6);
        return true;
    }
    if (!v4 && nd != NULL && memcmp(nd + IP6 + 8, &peer->u.v6.sin6_addr, 16) == 0) {
        memcpy(found, bytes + 6, 6);
        return true;
    }
    return false;
}

int tl_neighbour_find(const struct tl_neighbour_port *port, const struct tl_address *peer,
                      uint8_t found[6], struct fal_error *err)
{
    char text[TL_ADDRESS_TEXT];

    for (int i = 0; i < TRIES; i++) {
        uint64_t until = tl_monotonic_ns() + (uint64_t)TRY_MS * NS_PER_MS, now;

        if (!tl_neighbour_ask(port->net, port->mac, port->own, peer))
            return fal_fail(err, FAL_ERR_IO, "raw: %.200s", libnet_geterror(port->net));
        while ((now = tl_monotonic_ns()) < until) {
            struct pollfd fd = {.fd = pcap_get_selectable_fd(port->pcap), .events = POLLIN};
            struct pcap_pkthdr *header;
            const uint8_t *bytes;

            (void)poll(&fd, 1, (int)((until - now) / NS_PER_MS) + 1);
            if (pcap_next_ex(port->pcap, &header, &bytes) <= 0)
                continue;
            if (told(bytes, header->caplen, peer, found))
                return 0;
            (void)tl_neighbour_asked(bytes, header->caplen, port->mac, port->own, port->net);
        }
    }
    tl_address_text(peer, text);
    return fal_fail(err, FAL_ERR_IO,
                    "raw: %s did not answer ARP or neighbour discovery (asked 3 times); "
                    "give mac=MAC, of the SUT or of the router to it",
                    text);
}
