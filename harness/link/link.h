/* SPDX-License-Identifier: Apache-2.0
 * link.h - the one door to the SUT: frames and control lines, with the time. link_sim.c runs
 * the built-in SUT in virtual time over the simulated network, link_udp.c a SUT anywhere over
 * UDP, epoll and kernel timestamps. Everything above this interface is the same code for both.
 *
 * A frame is what the encapsulation carries: on udp and sim, the Falcon packet. */
#ifndef TL_HARNESS_LINK_H
#define TL_HARNESS_LINK_H

#include "codecs/error.h"
#include "harness/link/live_options.h"
#include "harness/wire/carrier.h"
#include "oracles/simnet.h"

struct tl_link;

enum tl_link_event {
    TL_LINK_TIMEOUT, /* the deadline came */
    TL_LINK_FRAME,   /* a frame from the SUT */
    TL_LINK_LINE,    /* a line from the control channel, without its newline */
    TL_LINK_CLOSED,  /* the control channel ended; `error` says how */
    TL_LINK_ERROR,   /* `error` says what */
    TL_LINK_OTHER,   /* a frame that another copy sent on this connection (mux.h) */
};

/* How the reason begins where a link cannot spoil a frame (ops->spoil). */
#define TL_LINK_CANNOT "this link cannot"

struct tl_link_got {
    uint64_t at_ns;       /* when it arrived, by the kernel's stamp where there is one */
    uint64_t read_ns;     /* when it was read */
    const uint8_t *bytes; /* FRAME, LINE (NUL-terminated too); valid until the next call */
    size_t len;
    uint32_t path;    /* the UDP source port, 0: unknown */
    uint8_t ecn, ttl; /* of its IP header; ttl 0: both unknown */
    uint8_t dscp;     /* likewise, on live links */
    unsigned port;    /* at which it arrived, as ops->port numbers them */
    struct fal_error error;
};

/* What the bench can promise of this link; goes into FAL_EV_RUN. */
struct tl_link_caps {
    const char *name; /* "sim", "udp" */
    bool live;        /* real time */
    bool control;     /* there is a control channel */
    bool ports;       /* it can have more than one port */
    bool lossless_in, lossless_out, no_duplicates, in_order;
    uint64_t delay_min_ns, delay_max_ns; /* FAL_NEVER: unknown */
    uint64_t clock_error_ns;
    const char *local_address; /* where the SUT sends its frames ("127.0.0.1:40123"), or NULL */
};

/* What the tester itself lost of time since it was last asked, in nanoseconds: the worst of
 * each kind. */
struct tl_link_timing {
    uint64_t timer_ns;    /* a deadline was noticed so long after it came */
    uint64_t queue_ns;    /* a frame or a line lay there so long before it was read */
    uint64_t busy_ns;     /* so long it was neither waiting nor asked: worked, or not running */
    uint64_t throttle_ns; /* a frame waited so long for the rate that is allowed */
};

/* The worse of both, kind by kind. */
static inline void tl_link_timing_join(struct tl_link_timing *to,
                                       const struct tl_link_timing *more)
{
    if (more->timer_ns > to->timer_ns)
        to->timer_ns = more->timer_ns;
    if (more->queue_ns > to->queue_ns)
        to->queue_ns = more->queue_ns;
    if (more->busy_ns > to->busy_ns)
        to->busy_ns = more->busy_ns;
    if (more->throttle_ns > to->throttle_ns)
        to->throttle_ns = more->throttle_ns;
}

/* The worst of all. */
static inline uint64_t tl_link_late_ns(const struct tl_link_timing *timing)
{
    uint64_t worst = timing->timer_ns;

    if (timing->queue_ns > worst)
        worst = timing->queue_ns;
    if (timing->busy_ns > worst)
        worst = timing->busy_ns;
    return timing->throttle_ns > worst ? timing->throttle_ns : worst;
}

struct tl_link_ops {
    struct tl_link_caps (*caps)(const struct tl_link *link);
    uint64_t (*now_ns)(struct tl_link *link);
    /* Sends one frame; when it left in *sent_ns. 0; FAL_ERR_RANGE (too long for the interface),
     * FAL_ERR_IO with `err`. */
    int (*send)(struct tl_link *link, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                struct fal_error *err);
    /* The IP header of the next frame: ECN bits (-1: as usual) and TTL (0: as usual). */
    void (*mark)(struct tl_link *link, int ecn, int ttl);
    /* What is wrong with the IP and UDP headers of the next frame. NULL, or why the link cannot
     * make it so; the frame is then as usual. NULL: it never can. */
    const char *(*spoil)(struct tl_link *link, enum tl_flaw flaw);
    /* Frames leave from that local port of the link from now on; it is opened when it is first
     * named, 0 is the link's own. Its address in `address` (may be NULL). Same returns. Only
     * where caps say so; else NULL. */
    int (*port)(struct tl_link *link, unsigned port, char *address, size_t cap,
                struct fal_error *err);
    /* Writes one control line (without newline). Same returns. */
    int (*send_line)(struct tl_link *link, const char *line, size_t len, struct fal_error *err);
    /* Waits for whatever comes first, at most until deadline_ns (FAL_NEVER: without end). What
     * arrived after the deadline stays for the next call, even if both have passed. The end of
     * the control channel is told once; frames go on. */
    enum tl_link_event (*wait)(struct tl_link *link, uint64_t deadline_ns,
                               struct tl_link_got *got);
    /* Frames that the receive path dropped since the last call (SO_RXQ_OVFL); 0 on virtual
     * links. */
    uint64_t (*drops)(struct tl_link *link);
    /* Frames that a simulated network has lost since it began, by direction; it knows, whoever
     * looks on from either end does not. NULL: nobody knows. */
    void (*lost)(struct tl_link *link, uint64_t out[2]);
    /* May be NULL: a virtual link loses no time. */
    void (*timing)(struct tl_link *link, struct tl_link_timing *out);
    /* DSCP and IPv6 flow label (0: as usual) of the frames from now on, none of which is
     * fragmented: one that is too long is lost, or refused. Live links; else NULL. */
    void (*dress)(struct tl_link *link, unsigned dscp, uint32_t flow_label);
    /* Whether sealed frames are ESP from now on, which need no UDP; NULL: the link carries both
     * alike. */
    void (*esp)(struct tl_link *link, bool esp);
    void (*free)(struct tl_link *link);
};

struct tl_link {
    const struct tl_link_ops *ops;
};

/* What may follow the SUT's address: the tester's own, "HOST:PORT,from=HOST:PORT". */
#define TL_UDP_FROM ",from="

/* `address`: HOST:PORT of the SUT; `control`: tcp:HOST:PORT, unix:PATH, or NULL; `options`
 * NULL: no limits. Refuses addresses that are not loopback, private or allowed. */
struct tl_link *tl_link_udp_open(const char *address, const char *control,
                                 const struct tl_live_options *options, struct fal_error *err);

/* By an interface of this host, past its IP stack (link_raw.h). */
struct tl_link *tl_link_raw_open(const char *address, const char *control,
                                 const struct tl_live_options *options, struct fal_error *err);

#endif
