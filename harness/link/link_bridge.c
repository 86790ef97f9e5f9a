/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/link_bridge.h"

#include "harness/link/live.h"
#include "harness/link/sockets.h"
#include "harness/wire/privileges.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ENDS = 2,
    RCVBUF =
        32 << 20, /* the queue is bounded: a frame that does not fit is dropped and counted */
    MAC_LEN = 12,
    TAG_LEN = 4,
    SEND_TRIES = 5,
    SEND_WAIT_MS = 20,
    LOOKS = 64, /* frames that one call may skip */
    FRAME_ROOM = TL_LIVE_FRAME_MAX - TAG_LEN,
};
_Static_assert(sizeof(struct virtio_net_hdr) == TL_BRIDGE_HEAD,
               "cannot read the kernel's packet header");

/* A frame that arrived at an interface and was not returned yet. */
struct waiting {
    bool there;
    struct timespec stamp;
    size_t len;
    uint8_t bytes[TL_LIVE_FRAME_MAX];
};

struct link_bridge {
    struct tl_live live; /* must be the first member */
    struct tl_bridge_address at;
    int socket[ENDS];
    unsigned out; /* the interface by which frames leave */
    uint32_t drops[ENDS];
    struct waiting waiting[ENDS];
};

static struct link_bridge *bridge_of(struct tl_live *live)
{
    return (struct link_bridge *)live;
}

static void bridge_mark(struct tl_live *live, int ecn, int ttl)
{
    (void)live; /* a frame keeps the header that it arrived with */
    (void)ecn;
    (void)ttl;
}

/* Errors that concern one frame, not the interface: it is too long, or the queue is full. */
static bool passing(int code)
{
    return code == EMSGSIZE || code == ENOBUFS || code == EAGAIN || code == EINVAL;
}

static int bridge_send(struct tl_live *live, const uint8_t *bytes, size_t len)
{
    struct link_bridge *bridge = bridge_of(live);
    int fd = bridge->socket[bridge->out], code = 0;

    for (unsigned i = 0; i < SEND_TRIES; i++) {
        struct pollfd writable = {.fd = fd, .events = POLLOUT};

        if (send(fd, bytes, len, MSG_DONTWAIT) >= 0)
            return 0;
        code = errno;
        if (code != EAGAIN && code != ENOBUFS && code != EINTR)
            break;
        (void)poll(&writable, 1, SEND_WAIT_MS);
    }
    return passing(code) ? 0 : code; /* such a frame is lost, as on any bridge */
}

/* Puts the VLAN tag that the interface removed back into the frame. */
static void put_tag_back(struct waiting *w, const struct tpacket_auxdata *aux)
{
    uint8_t *at = w->bytes + TL_BRIDGE_HEAD + MAC_LEN;
    struct virtio_net_hdr head;
    uint16_t type = ETHERTYPE_VLAN;

    if ((aux->tp_status & TP_STATUS_VLAN_VALID) == 0 || w->len < TL_BRIDGE_HEAD + MAC_LEN)
        return;
    if ((aux->tp_status & TP_STATUS_VLAN_TPID_VALID) != 0)
        type = aux->tp_vlan_tpid;
    memmove(at + TAG_LEN, at, w->len - TL_BRIDGE_HEAD - MAC_LEN);
    at[0] = (uint8_t)(type >> 8);
    at[1] = (uint8_t)type;
    at[2] = (uint8_t)(aux->tp_vlan_tci >> 8);
    at[3] = (uint8_t)aux->tp_vlan_tci;
    w->len += TAG_LEN;
    memcpy(&head, w->bytes, sizeof head);
    if ((head.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) != 0)
        head.csum_start = (uint16_t)(head.csum_start + TAG_LEN);
    if (head.hdr_len > 0)
        head.hdr_len = (uint16_t)(head.hdr_len + TAG_LEN);
    memcpy(w->bytes, &head, sizeof head);
}

/* Computes a checksum that the sender left to its interface, so that the frame equals what a
 * wire would have carried. A long frame that is to be segmented keeps its header. */
static void complete(struct waiting *w)
{
    struct virtio_net_hdr head;
    uint8_t *frame = w->bytes + TL_BRIDGE_HEAD;
    size_t len = w->len - TL_BRIDGE_HEAD, at;
    uint32_t sum = 0;

    memcpy(&head, w->bytes, sizeof head);
    at = (size_t)head.csum_start + head.csum_offset;
    if ((head.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) == 0 ||
        head.gso_type != VIRTIO_NET_HDR_GSO_NONE || at + 2 > len)
        return;
    for (size_t i = head.csum_start; i < len;
         i++) /* the checksum field holds the sum of the pseudo-header */
        sum += (uint32_t)frame[i] << ((i - head.csum_start) % 2 == 0 ? 8 : 0);
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    sum = ~sum & 0xffff;
    if (sum == 0)
        sum = 0xffff; /* in UDP 0 would mean no checksum; for TCP 0xffff is equivalent */
    frame[at] = (uint8_t)(sum >> 8);
    frame[at + 1] = (uint8_t)sum;
    memset(w->bytes, 0, TL_BRIDGE_HEAD);
}

static void read_ancillary(struct waiting *w, struct msghdr *msg)
{
    (void)clock_gettime(CLOCK_REALTIME, &w->stamp);
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
        struct tpacket_auxdata aux;

        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&w->stamp, CMSG_DATA(c), sizeof w->stamp);
        } else if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA) {
            memcpy(&aux, CMSG_DATA(c), sizeof aux);
            put_tag_back(w, &aux);
        }
    }
}

/* Reads the next frame of an interface. Returns 0, or an errno. */
static int look_at(struct link_bridge *bridge, unsigned end)
{
    struct waiting *w = &bridge->waiting[end];

    for (unsigned i = 0; i < LOOKS && !w->there; i++) {
        union {
            char bytes[256];
            struct cmsghdr align;
        } ancillary;
        struct sockaddr_ll from = {0};
        struct iovec iov = {.iov_base = w->bytes, .iov_len = FRAME_ROOM};
        struct msghdr msg = {.msg_name = &from,
                             .msg_namelen = sizeof from,
                             .msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = ancillary.bytes,
                             .msg_controllen = sizeof ancillary.bytes};
        ssize_t n = recvmsg(bridge->socket[end], &msg, MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        if (n < 0 && errno != EINTR &&
            errno != ENETDOWN) /* the interface is down and may come up again */
            return errno;
        if (n < TL_BRIDGE_HEAD || from.sll_pkttype == PACKET_OUTGOING ||
            (msg.msg_flags & MSG_TRUNC) != 0)
            continue;
        w->len = (size_t)n;
        read_ancillary(w, &msg);
        complete(w);
        w->there = true;
    }
    return 0;
}

static bool older(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec <= b->tv_nsec;
}

/* The earlier of two frames. */
static int bridge_look(struct tl_live *live)
{
    struct link_bridge *bridge = bridge_of(live);
    struct waiting *w = bridge->waiting;
    unsigned end;
    int code = 0;

    if (live->frame.there)
        return 0;
    for (end = 0; end < ENDS && code == 0; end++)
        code = look_at(bridge, end);
    if (code != 0 || (!w[0].there && !w[1].there))
        return code;
    end = !w[0].there || (w[1].there && !older(&w[0].stamp, &w[1].stamp));
    memcpy(live->frame.bytes, w[end].bytes, w[end].len);
    live->frame.len = w[end].len;
    live->frame.port = end;
    live->frame.path = 0;
    live->frame.ecn = live->frame.ttl = 0;
    live->frame.there = true;
    w[end].there = false;
    tl_live_stamp(live, &w[end].stamp);
    return 0;
}

static uint32_t bridge_drops(struct tl_live *live)
{
    struct link_bridge *bridge = bridge_of(live);
    uint32_t sum = 0;

    for (unsigned end = 0; end < ENDS; end++) {
        struct tpacket_stats stats = {0};
        socklen_t len = sizeof stats;

        /* The kernel resets the counter at each call. */
        if (getsockopt(bridge->socket[end], SOL_PACKET, PACKET_STATISTICS, &stats, &len) == 0)
            bridge->drops[end] += stats.tp_drops;
        sum += bridge->drops[end];
    }
    return sum;
}

static void bridge_close(struct tl_live *live)
{
    struct link_bridge *bridge = bridge_of(live);

    for (unsigned end = 0; end < ENDS; end++)
        if (bridge->socket[end] >= 0)
            (void)close(bridge->socket[end]);
}

static int bridge_port(struct tl_live *live, unsigned port, char *address, size_t cap,
                       struct fal_error *err)
{
    (void)err;
    if (address != NULL && cap > 0)
        address[0] = 0;
    bridge_of(live)->out = port % ENDS;
    return 0;
}

static const struct tl_port_ops bridge_ops = {
    .mark = bridge_mark,
    .send = bridge_send,
    .look = bridge_look,
    .drops = bridge_drops,
    .close = bridge_close,
    .local = bridge_port,
};

int tl_bridge_address_read(const char *text, struct tl_bridge_address *out,
                           struct fal_error *err)
{
    const char *comma = strchr(text, ',');
    size_t first = comma != NULL ? (size_t)(comma - text) : 0;

    *out = (struct tl_bridge_address){{{0}, {0}}};
    if (first == 0 || comma[1] == 0 || strchr(comma + 1, ',') != NULL || first >= IF_NAMESIZE ||
        strlen(comma + 1) >= IF_NAMESIZE)
        return fal_fail(err, FAL_ERR_FORM, "bridge: expected bridge:IFACE,IFACE");
    memcpy(out->iface[0], text, first);
    memcpy(out->iface[1], comma + 1, strlen(comma + 1));
    return strcmp(out->iface[0], out->iface[1]) != 0
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "bridge: expected two different interfaces");
}

static int failed(struct fal_error *err, const char *iface, const char *what)
{
    return fal_fail(err, FAL_ERR_IO, "bridge: %s: %s: %s", iface, what,
                    strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
}

static int open_end(const char *iface, int *out, struct fal_error *err)
{
    struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    struct packet_mreq all = {.mr_type = PACKET_MR_PROMISC};
    char hint[TL_HINT_MAX];
    int on = 1, size = RCVBUF, fd;

    at.sll_ifindex = (int)if_nametoindex(iface);
    all.mr_ifindex = at.sll_ifindex;
    if (at.sll_ifindex == 0)
        return fal_fail(err, FAL_ERR_IO,
                        "bridge: there is no interface %s; `ip link` lists the interfaces",
                        iface);
    fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC,
                0); /* receives nothing until it is bound */
    *out = fd;
    if (fd < 0 && errno == EPERM) {
        tl_privilege_hint(TL_PRIVILEGE_RAW, 0, hint);
        return fal_fail(err, FAL_ERR_IO, "bridge: %s: %s", iface, hint);
    }
    if (fd < 0)
        return failed(err, iface, "packet socket");
    if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof on) != 0)
        return failed(err, iface, "packet socket");
    (void)setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
    (void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0)
        return failed(err, iface, "cannot enable promiscuous mode");
    if (setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) != 0)
        return failed(err, iface, "cannot receive all multicast frames");
    return 0;
}

struct tl_link *tl_link_bridge_open(const char *address, struct fal_error *err)
{
    struct link_bridge *bridge = calloc(1, sizeof *bridge);

    if (bridge == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    bridge->socket[0] = bridge->socket[1] = -1;
    tl_live_init(&bridge->live, &bridge_ops, "bridge");
    bridge->live.caps.ports = true;
    /* Each end is attached to its interface by a wire that may lose frames and does nothing
     * else. */
    bridge->live.caps.in_order = bridge->live.caps.no_duplicates = true;
    if (tl_bridge_address_read(address, &bridge->at, err) == 0 &&
        open_end(bridge->at.iface[0], &bridge->socket[0], err) == 0 &&
        open_end(bridge->at.iface[1], &bridge->socket[1], err) == 0 &&
        tl_live_open(&bridge->live, bridge->socket[0], NULL, err) == 0 &&
        tl_live_watch(&bridge->live, bridge->socket[1], err) == 0) {
        (void)tl_wait_for_stamps();
        return &bridge->live.link;
    }
    tl_live_free(&bridge->live.link);
    return NULL;
}
