/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/echo.h"

#include "harness/link/sockets.h"

#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

enum {
    AT_NUMBER = 8,
    AT_BACK = 12,
    AT_TOS = 13,
    AT_TTL = 14,
    AT_ARRIVAL = 16,
    AT_LABEL = 20,
    AT_RUN = 24,
    A_TURN = 1024, /* probes to answer before other descriptors are served */
    LONGEST = 65536,
    LABEL_BITS = 0xfffff,
    FLOWINFO = 11, /* IPV6_FLOWINFO of linux/in6.h */
};

static const char magic[8] = {'T', 'A', 'L', 'N', 'P', 'A', 'T', 'H'};

static void put32(uint8_t *p, uint32_t v)
{
    v = htonl(v);
    memcpy(p, &v, sizeof v);
}

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return ntohl(v);
}

void tl_probe_write(const struct tl_probe *probe, uint8_t *out)
{
    memset(out, 0, TL_PROBE_LEN);
    memcpy(out, magic, sizeof magic);
    put32(out + AT_NUMBER, probe->number);
    out[AT_BACK] = probe->back;
    out[AT_TOS] = probe->seen_tos;
    out[AT_TTL] = probe->seen_ttl;
    put32(out + AT_ARRIVAL, probe->arrival);
    put32(out + AT_LABEL, probe->flow_label);
    put32(out + AT_RUN, probe->run);
}

bool tl_probe_read(const uint8_t *bytes, size_t len, struct tl_probe *out)
{
    if (len < TL_PROBE_LEN || memcmp(bytes, magic, sizeof magic) != 0)
        return false;
    *out = (struct tl_probe){.number = get32(bytes + AT_NUMBER),
                             .back = bytes[AT_BACK],
                             .seen_tos = bytes[AT_TOS],
                             .seen_ttl = bytes[AT_TTL],
                             .arrival = get32(bytes + AT_ARRIVAL),
                             .flow_label = get32(bytes + AT_LABEL),
                             .run = get32(bytes + AT_RUN)};
    return true;
}

int tl_echo_open(const struct tl_address *at, uint16_t *port, struct fal_error *err)
{
    const int on = 1, probe4 = IP_PMTUDISC_PROBE, probe6 = IPV6_PMTUDISC_PROBE;
    struct tl_address where = *at;
    int fd;

    if (tl_address_family(at) == AF_INET6)
        where.u.v6.sin6_port = htons(*port);
    else
        where.u.v4.sin_port = htons(*port);
    fd = tl_udp_bind(&where, err);
    if (fd < 0)
        return fd;
    if (tl_socket_address(fd, &where, err) != 0) {
        (void)close(fd);
        return FAL_ERR_IO;
    }
    /* An answer that is too long for the way back must be lost, not fragmented. */
    (void)setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &probe4, sizeof probe4);
    (void)setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &probe6, sizeof probe6);
    (void)setsockopt(fd, IPPROTO_IPV6, FLOWINFO, &on, sizeof on);
    *port = tl_address_port(&where);
    return fd;
}

/* The IP header fields of the datagram. */
static void read_header(struct msghdr *msg, struct tl_probe *probe)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
        bool v4 = c->cmsg_level == IPPROTO_IP, v6 = c->cmsg_level == IPPROTO_IPV6;
        int number = 0;

        if (v4 && c->cmsg_type == IP_TOS) { /* TOS is one byte, the other fields are integers */
            probe->seen_tos = *CMSG_DATA(c);
            continue;
        }
        if ((!v4 && !v6) || c->cmsg_len < CMSG_LEN(sizeof number))
            continue;
        memcpy(&number, CMSG_DATA(c), sizeof number);
        if (v6 && c->cmsg_type == IPV6_TCLASS)
            probe->seen_tos = (uint8_t)number;
        else if (v6 && c->cmsg_type == FLOWINFO)
            probe->flow_label = ntohl((uint32_t)number) & LABEL_BITS;
        else if (c->cmsg_type == (v4 ? IP_TTL : IPV6_HOPLIMIT))
            probe->seen_ttl = (uint8_t)number;
    }
}

/* Handles one probe. False when none is waiting. */
static bool answer(int fd, uint32_t *seen, uint8_t *bytes)
{
    union {
        char bytes[256];
        struct cmsghdr align;
    } ancillary;
    struct sockaddr_storage from;
    struct iovec iov = {.iov_base = bytes, .iov_len = LONGEST};
    struct msghdr msg = {.msg_name = &from,
                         .msg_namelen = sizeof from,
                         .msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = ancillary.bytes,
                         .msg_controllen = sizeof ancillary.bytes};
    ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT);
    struct tl_probe probe;

    if (n < 0)
        return false;
    if (!tl_probe_read(bytes, (size_t)n, &probe) || probe.seen_ttl != 0)
        return true; /* an answer, not a probe: otherwise two echoes would answer each other for
                        ever */
    read_header(&msg, &probe);
    probe.arrival = ++*seen;
    if (probe.seen_ttl == 0)
        probe.seen_ttl = TL_PROBE_TTL;
    tl_probe_write(&probe, bytes);
    tl_udp_mark(fd, probe.back, TL_PROBE_TTL);
    (void)sendto(fd, bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT,
                 (const struct sockaddr *)&from, msg.msg_namelen);
    return true;
}

void tl_echo_serve(int fd, uint32_t *seen)
{
    uint8_t bytes[LONGEST];

    for (unsigned i = 0; i < A_TURN && answer(fd, seen, bytes); i++)
        ;
}
