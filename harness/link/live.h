/* SPDX-License-Identifier: Apache-2.0
 * live.h - what all links in real time share: the clock, epoll and its timer, the control
 * channel, and the order in which events are returned. A port carries the frames: a UDP socket
 * (link_udp.c) or a network interface (link_raw.c).
 * Frames carry the kernel's time stamp. So do control lines over TCP (the stamp of their last
 * segment, hence never too early); lines over a Unix socket get the time at which they were
 * read. When a frame and a line are waiting, the older one is returned first; at equal times
 * the line, because a SUT announces an event before it sends the packet that the event causes.
 * A deadline that is earlier than what arrived is returned before it, even when both have
 * passed, so that a flood of frames cannot hide a deadline. */
#ifndef TL_HARNESS_LINK_LIVE_H
#define TL_HARNESS_LINK_LIVE_H

#include "codecs/base/error.h"
#include "harness/link/control.h"
#include "harness/link/guard.h"
#include "harness/link/link.h"

enum { TL_LIVE_FRAME_MAX = 65536 }; /* more than the longest UDP payload */

/* A frame that was read and not returned yet. */
struct tl_live_frame {
    bool there;
    size_t len;
    uint64_t at_ns;
    uint32_t path;
    uint8_t ecn, ttl, dscp; /* ttl 0: all are unknown */
    unsigned port;          /* the port at which it arrived, if there are several */
    uint8_t bytes[TL_LIVE_FRAME_MAX];
};

struct tl_live;

struct tl_port_ops {
    /* Sets the IP header fields of frames from now on: ECN bits (-1: default) and TTL (0:
     * default). */
    void (*mark)(struct tl_live *live, int ecn, int ttl);
    /* As in struct tl_link_ops; NULL: the kernel builds the headers. */
    const char *(*spoil)(struct tl_live *live, enum tl_flaw flaw);
    /* Sends one frame. 0, or an errno. */
    int (*send)(struct tl_live *live, const uint8_t *bytes, size_t len);
    /* Fills in live->frame when a frame has arrived. Returns 0, or an errno. */
    int (*look)(struct tl_live *live);
    /* The number of frames dropped since the port was opened, mod 2^32. */
    uint32_t (*drops)(struct tl_live *live);
    /* live->dscp and live->flow_label are in effect from now on. */
    void (*dress)(struct tl_live *live);
    void (*close)(struct tl_live *live);
    /* As in struct tl_link_ops; NULL: there is one port. */
    int (*local)(struct tl_live *live, unsigned port, char *address, size_t cap,
                 struct fal_error *err);
};

struct tl_live {
    struct tl_link link; /* must be the first member */
    struct tl_link_caps caps;
    struct tl_clock clock;
    struct tl_control control;
    bool has_control, watched,
        watched_write; /* the events of the control channel that epoll waits for */
    int epoll, timer;
    uint64_t armed_ns; /* the time to which the timer is set */
    uint64_t watch_ns; /* when to look again whether the parent process exists */
    uint32_t drops_seen;
    bool marked; /* the next frame has its own IP header fields */
    struct tl_live_options options;
    struct tl_guard guard;
    struct tl_link_timing timing; /* since the last call of ops->timing */
    uint64_t left_ns;             /* when the last call of ops->wait returned; 0: never */
    uint8_t dscp;
    uint32_t flow_label;
    bool esp; /* sealed frames are ESP */
    const struct tl_port_ops *port;
    struct tl_live_frame frame;
};

/* Initialises a zeroed object without limits; its owner then opens the port. */
void tl_live_init(struct tl_live *live, const struct tl_port_ops *port, const char *name);

/* Opens everything but the port, which can be polled at `fd`, and connects to the control
 * channel if there is one. Returns 0, or FAL_ERR_FORM, FAL_ERR_IO or FAL_ERR_MEM with `err`. */
MUST_USE int tl_live_open(struct tl_live *live, int fd, const char *control,
                          struct fal_error *err);

/* Polls one more descriptor. Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_live_watch(struct tl_live *live, int fd, struct fal_error *err);

/* Closes everything, the port included, and frees the object. */
void tl_live_free(struct tl_link *link);

/* Converts a time stamp of this machine into the frame's arrival time, which is never earlier
 * than that of the frame before it. */
void tl_live_stamp(struct tl_live *live, const struct timespec *stamp);

#endif
