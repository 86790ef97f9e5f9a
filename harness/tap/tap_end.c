/* SPDX-License-Identifier: Apache-2.0
 * tap_end.c - see tap_end.h. */
#include "harness/tap/tap_end.h"

#include "harness/site/host_iface.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { WATCH_ROOM = 64 << 20, NAME_MAX_LEN = 200 };

#define NS_IN_S UINT64_C(1000000000)

static int failed(struct fal_error *err, const char *address, const char *what, int code)
{
    return fal_fail(err, FAL_ERR_IO, "%s: %s: %s", address, what,
                    strerror(code)); /* NOLINT(concurrency-mt-unsafe) */
}

/* ---- namespaces ---- */

/* Enters the namespace of the address. *back returns from it; -1: it is the own one. */
static int enter(const char *address, const char **iface, int *back, struct fal_error *err)
{
    const char *slash = strrchr(address, '/');
    char path[NAME_MAX_LEN + 16];
    int there, rc = 0;

    *back = -1;
    *iface = slash != NULL ? slash + 1 : address;
    if (**iface == 0 || strlen(*iface) >= IF_NAMESIZE || slash == address ||
        (slash != NULL && slash - address > NAME_MAX_LEN))
        return fal_fail(err, FAL_ERR_FORM, "'%.80s': expected IFACE or NETNS/IFACE", address);
    if (slash == NULL)
        return 0;
    (void)snprintf(path, sizeof path, "/run/netns/%.*s", (int)(slash - address), address);
    there = open(path, O_RDONLY | O_CLOEXEC);
    if (there < 0)
        return failed(err, address, "no such namespace; `ip netns list` lists them", errno);
    *back = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (*back < 0 || setns(there, CLONE_NEWNET) != 0)
        rc = failed(err, address, "cannot enter the namespace (it needs root)", errno);
    (void)close(there);
    return rc;
}

static int leave(int back, const char *address, struct fal_error *err)
{
    int rc = 0;

    if (back < 0)
        return 0;
    if (setns(back, CLONE_NEWNET) != 0)
        rc = failed(err, address, "cannot leave the namespace", errno);
    (void)close(back);
    return rc;
}

/* ---- the device ---- */

static int attach(struct tl_tap_end *end, const char *address, const char *iface,
                  struct fal_error *err)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};

    memcpy(request.ifr_name, iface, strlen(iface));
    end->tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (end->tap < 0)
        return failed(err, address, "/dev/net/tun (the kernel's module tun, and root)", errno);
    if (ioctl(end->tap, TUNSETIFF, &request) != 0)
        return failed(err, address,
                      errno == EBUSY    ? "another program holds the TAP"
                      : errno == EINVAL ? "the interface is no TAP"
                                        : "cannot attach to the TAP (it needs root)",
                      errno);
    return 0;
}

static int set_up(const char *address, const char *iface, struct fal_error *err)
{
    struct ifreq request = {0};
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int code = 0;

    if (fd < 0)
        return failed(err, address, "socket", errno);
    memcpy(request.ifr_name, iface, strlen(iface));
    if (ioctl(fd, SIOCGIFFLAGS, &request) != 0) {
        code = errno;
    } else if ((request.ifr_flags & IFF_UP) == 0) {
        request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
        code = ioctl(fd, SIOCSIFFLAGS, &request) != 0 ? errno : 0;
    }
    (void)close(fd);
    return code == 0 ? 0 : failed(err, address, "cannot set the interface up", code);
}

static int offloads_off(const char *address, const char *iface, struct fal_error *err)
{
    static const char *const features[] = {
        "tx-tcp-segmentation",
        "tx-tcp-ecn-segmentation",
        "tx-tcp6-segmentation",
        "tx-tcp-mangleid-segmentation",
        "tx-udp-segmentation",
        "tx-generic-segmentation",
        "rx-gro",
        "rx-lro",
        "rx-gro-list",
        "rx-udp-gro-forwarding",
        "tx-checksum-ip-generic",
        "rx-checksum",
    };
    struct tl_host_iface host;
    int rc = tl_host_iface_open(&host, iface, err);

    if (rc != 0)
        return rc;
    for (size_t i = 0; i < sizeof features / sizeof *features && rc == 0; i++) {
        const struct tl_host_setting setting = {TL_HOST_FEATURE, features[i]};
        uint64_t value;
        bool fixed;
        int code;

        if (!tl_host_get(&host, &setting, &value, &fixed) || value == 0)
            continue;
        code = fixed ? EOPNOTSUPP : tl_host_set(&host, &setting, 0);
        if (code != 0)
            rc = failed(err, address, features[i], code);
    }
    tl_host_iface_close(&host);
    return rc;
}

static int watch_open(struct tl_tap_end *end, const char *address, const char *iface,
                      struct fal_error *err)
{
    struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    int on = 1, size = WATCH_ROOM;

    at.sll_ifindex = (int)if_nametoindex(iface);
    end->watch = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (end->watch < 0 ||
        setsockopt(end->watch, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
        return failed(err, address, "packet socket", errno);
    if (setsockopt(end->watch, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        (void)setsockopt(end->watch, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (bind(end->watch, (struct sockaddr *)&at, sizeof at) != 0)
        return failed(err, address, "packet socket", errno);
    return 0;
}

int tl_tap_open(struct tl_tap_end *end, const char *address, bool watch, struct fal_error *err)
{
    const char *iface;
    struct fal_error again;
    int back, rc;

    *end = (struct tl_tap_end){-1, -1};
    rc = enter(address, &iface, &back, err);
    if (rc == 0)
        rc = attach(end, address, iface, err);
    if (rc == 0)
        rc = offloads_off(address, iface, err);
    if (rc == 0 && watch) /* before it is up, so that no frame is missed */
        rc = watch_open(end, address, iface, err);
    if (rc == 0)
        rc = set_up(address, iface, err);
    if (leave(back, address, &again) != 0 && rc == 0) {
        *err = again;
        rc = FAL_ERR_IO;
    }
    return rc;
}

void tl_tap_close(struct tl_tap_end *end)
{
    if (end->tap >= 0)
        (void)close(end->tap);
    if (end->watch >= 0)
        (void)close(end->watch);
    *end = (struct tl_tap_end){-1, -1};
}

/* ---- frames ---- */

static bool nothing_now(int code)
{
    return code == EAGAIN || code == EINTR || code == ENETDOWN;
}

ssize_t tl_tap_read(const struct tl_tap_end *end, uint8_t bytes[TL_TAP_FRAME])
{
    const ssize_t n = read(end->tap, bytes, TL_TAP_FRAME);

    return n < 0 && nothing_now(errno) ? 0 : n;
}

int tl_tap_write(const struct tl_tap_end *end, const uint8_t *bytes, size_t len)
{
    return write(end->tap, bytes, len) < 0 && (errno == EBADFD || errno == ENODEV) ? errno : 0;
}

ssize_t tl_tap_watched(const struct tl_tap_end *end, uint8_t bytes[TL_TAP_FRAME],
                       uint64_t *at_ns)
{
    union {
        char bytes[256];
        struct cmsghdr align;
    } ancillary;
    struct iovec iov = {.iov_base = bytes, .iov_len = TL_TAP_FRAME};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = ancillary.bytes,
                         .msg_controllen = sizeof ancillary.bytes};
    const ssize_t n = recvmsg(end->watch, &msg, MSG_DONTWAIT);
    struct timespec stamp = {0};

    if (n < 0)
        return nothing_now(errno) ? 0 : n;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c != NULL; c = CMSG_NXTHDR(&msg, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
    *at_ns = (uint64_t)stamp.tv_sec * NS_IN_S + (uint64_t)stamp.tv_nsec;
    return n;
}

uint32_t tl_tap_missed(const struct tl_tap_end *end)
{
    struct tpacket_stats stats = {0};
    socklen_t len = sizeof stats;

    return end->watch >= 0 &&
                   getsockopt(end->watch, SOL_PACKET, PACKET_STATISTICS, &stats, &len) == 0
               ? stats.tp_drops
               : 0;
}
