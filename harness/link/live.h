/* SPDX-License-Identifier: Apache-2.0
 * live.h - what every link in real time has in common: the clock, epoll and its timer, the
 * control channel, and the order in which what has arrived comes out. A port carries the
 * frames: a UDP socket (link_udp.c), or a network interface (link_raw.c).
 *
 * Frames carry the kernel's stamp; so do control lines over TCP (of the last segment that
 * belongs to them: never too early), while those of a Unix socket count from when they were
 * read. Of a frame and a line that are both there, the older one comes out first, at equal
 * times the line: what causes a packet is said before the packet is sent. A deadline that lies
 * before what has arrived comes out before it, even when both lie in the past, so that a flood
 * cannot keep a deadline from being seen. */
#ifndef TL_HARNESS_LINK_LIVE_H
#define TL_HARNESS_LINK_LIVE_H

#include "harness/link/control.h"
#include "harness/link/guard.h"
#include "harness/link/link.h"

enum { TL_LIVE_FRAME_MAX = 65536 }; /* above the longest UDP payload */

/* A frame that was read and not yet given out. */
struct tl_live_frame {
    bool there;
    size_t len;
    uint64_t at_ns;
    uint32_t path;
    uint8_t ecn, ttl, dscp; /* ttl 0: all unknown */
    unsigned port;          /* of several, at which it arrived */
    uint8_t bytes[TL_LIVE_FRAME_MAX];
};

struct tl_live;

struct tl_port_ops {
    /* The IP header of frames from now on: ECN bits (-1: as usual) and TTL (0: as usual). */
    void (*mark)(struct tl_live *live, int ecn, int ttl);
    /* As of struct tl_link_ops; NULL: the headers are the kernel's. */
    const char *(*spoil)(struct tl_live *live, enum tl_flaw flaw);
    /* Sends one frame. 0, or an errno. */
    int (*send)(struct tl_live *live, const uint8_t *bytes, size_t len);
    /* Fills live->frame when one has arrived. 0, or an errno. */
    int (*look)(struct tl_live *live);
    /* Frames dropped since the port was opened, mod 2^32. */
    uint32_t (*drops)(struct tl_live *live);
    /* live->dscp and flow_label hold from now on. */
    void (*dress)(struct tl_live *live);
    void (*close)(struct tl_live *live);
    /* As of struct tl_link_ops; NULL: there is one port. */
    int (*local)(struct tl_live *live, unsigned port, char *address, size_t cap,
                 struct fal_error *err);
};

struct tl_live {
    struct tl_link link; /* first */
    struct tl_link_caps caps;
    struct tl_clock clock;
    struct tl_control control;
    bool has_control, watched, watched_write; /* what epoll knows of the control channel */
    int epoll, timer;
    uint64_t armed_ns; /* of the timer */
    uint32_t drops_seen;
    bool marked; /* the next frame has an IP header of its own */
    struct tl_live_options options;
    struct tl_guard guard;
    struct tl_link_timing timing; /* since it was last asked */
    uint64_t left_ns;             /* when the last call to wait came back; 0: none has */
    uint8_t dscp;
    uint32_t flow_label;
    bool esp; /* what is sealed is ESP */
    const struct tl_port_ops *port;
    struct tl_live_frame frame;
};

/* Fills in a zeroed object, without limits, whose port its owner opens, and then gives away. */
void tl_live_init(struct tl_live *live, const struct tl_port_ops *port, const char *name);

/* Opens the rest around the port, which can be watched at `fd`, and connects to the control
 * channel, if there is one. 0, FAL_ERR_FORM, FAL_ERR_IO or FAL_ERR_MEM with `err`. */
int tl_live_open(struct tl_live *live, int fd, const char *control, struct fal_error *err);

/* Watches one more descriptor. 0, or FAL_ERR_IO with `err`. */
int tl_live_watch(struct tl_live *live, int fd, struct fal_error *err);

/* Closes all, the port too, and frees the object. */
void tl_live_free(struct tl_link *link);

/* Time stamps of datagrams on this machine: the frame came at that moment, but never before the
 * one before it. */
void tl_live_stamp(struct tl_live *live, const struct timespec *stamp);

#endif
