/* SPDX-License-Identifier: Apache-2.0
 * bench_link.c - what a link costs, against bare calls that do the same with the same frames,
 * in the same run and in turn:
 *
 *   bench_link echo ADDR:PORT
 *       sends everything back, by a bare socket, until killed
 *   bench_link udp|raw ADDRESS COUNT
 *       round trips: link_udp.c against a bare socket, or link_raw.c against bare libpcap and
 *       libnet; a raw ADDRESS is what stands behind `--sut raw:`
 *   bench_link flood-udp|flood-raw ADDRESS COUNT
 *       frames sent as fast as it goes, likewise
 *
 * Prints: nanoseconds of the bare one, of the link, and with busy polling both (round trips
 * only); a frame or round trip each, medians of many short turns. */
#include "harness/link/link.h"
#include "harness/link/link_raw.h"
#include "harness/link/sockets.h"
#include "oracles/params.h"

#include <libnet.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAME_LEN = 96, TURNS = 101, SNAPLEN = 65536, BUFFER = 16 << 20, WAIT_MS = 1000 };

/* Either way of doing it. */
struct way {
    struct tl_link *link; /* ours */
    int socket;           /* bare UDP */
    libnet_t *net;        /* bare raw */
    pcap_t *pcap;
    bool busy;
};

static uint8_t frame[FRAME_LEN];

static int fail(const char *what)
{
    fprintf(stderr, "bench_link: %s\n", what);
    return 1;
}

/* ---- the other end ---- */

static int echo(const char *address)
{
    struct tl_address at, from;
    struct fal_error err = {{0}};
    struct pollfd in;
    static uint8_t bytes[65536];
    int fd;

    if (tl_resolve(address, &at, &err) != 0 || (fd = tl_udp_bind(&at, &err)) < 0)
        return fail(err.text);
    in = (struct pollfd){.fd = fd, .events = POLLIN};
    for (;;) {
        socklen_t len = sizeof from.u;
        ssize_t n = recvfrom(fd, bytes, sizeof bytes, 0, &from.u.sa, &len);

        if (n >= 0)
            (void)sendto(fd, bytes, (size_t)n, 0, &from.u.sa, len);
        else
            (void)poll(&in, 1, -1);
    }
}

/* ---- bare ---- */

static int open_bare_udp(struct way *way, const char *address, struct fal_error *err)
{
    struct tl_address peer;

    if (tl_resolve(address, &peer, err) != 0)
        return FAL_ERR_IO;
    way->socket = socket(tl_address_family(&peer), SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (way->socket < 0 || connect(way->socket, &peer.u.sa, tl_address_len(&peer)) != 0)
        return fal_fail(err, FAL_ERR_IO, "no socket");
    return 0;
}

static int open_bare_raw(struct way *way, const char *address, struct fal_error *err)
{
    char why[512] = "", filter[200], host[TL_ADDRESS_TEXT];
    const struct libnet_ether_addr *mac;
    struct tl_raw_address at;
    struct bpf_program program;

    if (tl_raw_address_read(address, NULL, &at, err) != 0)
        return FAL_ERR_IO;
    if (tl_address_family(&at.sut) != AF_INET || !at.has_mac || at.from.u.v4.sin_port == 0)
        return fal_fail(err, FAL_ERR_IO, "raw: IPv4, from=HOST:PORT and mac= are needed");
    way->net = libnet_init(LIBNET_LINK, at.iface, why);
    way->pcap = pcap_create(at.iface, why);
    if (way->net == NULL || way->pcap == NULL)
        return fal_fail(err, FAL_ERR_IO, "raw: %.200s", why);
    (void)pcap_set_snaplen(way->pcap, SNAPLEN);
    (void)pcap_set_immediate_mode(way->pcap, 1);
    (void)pcap_set_buffer_size(way->pcap, BUFFER);
    (void)inet_ntop(AF_INET, &at.sut.u.v4.sin_addr, host, sizeof host);
    (void)snprintf(filter, sizeof filter, "udp and src host %s and dst port %u", host,
                   tl_address_port(&at.from));
    if (pcap_activate(way->pcap) < 0 ||
        pcap_compile(way->pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN) != 0 ||
        pcap_setfilter(way->pcap, &program) != 0 || pcap_setnonblock(way->pcap, 1, why) != 0)
        return fal_fail(err, FAL_ERR_IO, "raw: %.200s", pcap_geterr(way->pcap));
    pcap_freecode(&program);
    (void)pcap_setdirection(way->pcap, PCAP_D_IN);
    mac = libnet_get_hwaddr(way->net);
    if (mac == NULL ||
        libnet_build_udp(tl_address_port(&at.from), tl_address_port(&at.sut),
                         LIBNET_UDP_H + FRAME_LEN, 0, frame, FRAME_LEN, way->net, 0) < 0 ||
        libnet_build_ipv4(LIBNET_IPV4_H + LIBNET_UDP_H + FRAME_LEN, 0, 0, IP_DF, 64,
                          IPPROTO_UDP, 0, at.from.u.v4.sin_addr.s_addr,
                          at.sut.u.v4.sin_addr.s_addr, NULL, 0, way->net, 0) < 0 ||
        libnet_build_ethernet(at.mac, mac->ether_addr_octet, ETHERTYPE_IP, NULL, 0, way->net,
                              0) < 0)
        return fal_fail(err, FAL_ERR_IO, "raw: %.200s", libnet_geterror(way->net));
    return 0;
}

/* ---- both ---- */

static bool send_one(struct way *way)
{
    struct fal_error err;
    uint64_t sent_ns;

    if (way->link != NULL)
        return way->link->ops->send(way->link, frame, sizeof frame, &sent_ns, &err) == 0;
    if (way->net != NULL)
        return libnet_write(way->net) > 0;
    return send(way->socket, frame, sizeof frame, 0) == sizeof frame;
}

static bool receive_raw(struct way *way)
{
    struct pollfd in = {.fd = pcap_get_selectable_fd(way->pcap), .events = POLLIN};
    struct pcap_pkthdr *header;
    const uint8_t *bytes;

    for (;;) {
        int got = pcap_next_ex(way->pcap, &header, &bytes);

        if (got != 0)
            return got > 0;
        if (!way->busy && poll(&in, 1, WAIT_MS) <= 0)
            return false;
    }
}

static bool receive_one(struct way *way)
{
    static uint8_t bytes[65536];
    struct tl_link_got got;

    if (way->link != NULL) {
        uint64_t until = way->link->ops->now_ns(way->link) + WAIT_MS * FAL_MS;

        return way->link->ops->wait(way->link, until, &got) == TL_LINK_FRAME;
    }
    if (way->net != NULL)
        return receive_raw(way);
    if (!way->busy)
        return recv(way->socket, bytes, sizeof bytes, 0) > 0;
    for (;;)
        if (recv(way->socket, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
            return true;
}

static double turn(struct way *way, unsigned long count, bool round_trips)
{
    uint64_t begin = tl_monotonic_ns();

    for (unsigned long i = 0; i < count; i++) {
        if (!send_one(way) && round_trips)
            return -1;
        if (round_trips && !receive_one(way))
            return -1;
    }
    return (double)(tl_monotonic_ns() - begin) / (double)count;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Turn about: what else the machine does falls on both. The median of the bare one, and of how
 * many times as long the other took in the same turn. False: nothing came back. */
static bool compare(struct way ways[2], unsigned long count, bool round_trips, double out[2])
{
    double bare[TURNS], times[TURNS];

    for (unsigned t = 0; t < TURNS; t++) {
        double ns;

        bare[t] = turn(&ways[0], count / TURNS + 1, round_trips);
        ns = turn(&ways[1], count / TURNS + 1, round_trips);
        if (bare[t] < 0 || ns < 0)
            return false;
        times[t] = ns / bare[t];
    }
    qsort(bare, TURNS, sizeof *bare, by_size);
    qsort(times, TURNS, sizeof *times, by_size);
    out[0] = bare[TURNS / 2];
    out[1] = out[0] * times[TURNS / 2];
    return true;
}

static int open_both(struct way ways[2], bool raw, const char *address, bool busy,
                     struct fal_error *err)
{
    const struct tl_live_options options = {.busy_poll = busy};

    ways[0] = (struct way){.socket = -1, .busy = busy};
    ways[1] = (struct way){.socket = -1};
    if ((raw ? open_bare_raw(&ways[0], address, err) : open_bare_udp(&ways[0], address, err)) !=
        0)
        return FAL_ERR_IO;
    ways[1].link = raw ? tl_link_raw_open(address, NULL, &options, err)
                       : tl_link_udp_open(address, NULL, &options, err);
    return ways[1].link != NULL ? 0 : FAL_ERR_IO;
}

static void close_both(struct way ways[2])
{
    if (ways[0].socket >= 0)
        (void)close(ways[0].socket);
    if (ways[0].net != NULL)
        libnet_destroy(ways[0].net);
    if (ways[0].pcap != NULL)
        pcap_close(ways[0].pcap);
    if (ways[1].link != NULL)
        ways[1].link->ops->free(ways[1].link);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    bool flood = strncmp(kind, "flood-", 6) == 0;
    bool raw = strcmp(flood ? kind + 6 : kind, "raw") == 0;
    unsigned long count = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

    if (argc == 3 && strcmp(kind, "echo") == 0)
        return echo(argv[2]);
    if (argc != 4 || count == 0 || (!raw && strcmp(flood ? kind + 6 : kind, "udp") != 0))
        return fail("usage: bench_link echo ADDR | [flood-]udp|raw ADDRESS COUNT");
    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = (uint8_t)i;
    for (unsigned busy = 0; busy <= (flood ? 0 : 1); busy++) {
        struct fal_error err = {{0}};
        struct way ways[2];
        double median[2];

        if (open_both(ways, raw, argv[2], busy, &err) != 0)
            return fail(err.text);
        if (!compare(ways, count, !flood, median))
            return fail("nothing came back");
        printf("%.0f %.0f%s", median[0], median[1], busy || flood ? "\n" : " ");
        close_both(ways);
    }
    return 0;
}
