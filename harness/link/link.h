/* SPDX-License-Identifier: Apache-2.0
 * link.h - the interface to every SUT: frames and control lines with their times.
 * Implementations: link_sim.c (a SUT in virtual time behind a simulated network), link_udp.c (a
 * SUT reached by UDP), link_raw.c (by raw frames), link_bridge.c. The code above this interface
 * is the same for all.
 * A frame is what the encapsulation carries: on udp and sim, the Falcon packet. */
#ifndef TL_HARNESS_LINK_LINK_H
#define TL_HARNESS_LINK_LINK_H

#include "codecs/base/error.h"
#include "harness/link/live_options.h"
#include "harness/link/stop.h"
#include "harness/wire/carrier.h"
#include "oracles/simnet.h"
#include <jansson.h>

struct tl_link;
struct tl_protocol_said; /* protocol.h */
struct tl_protocol_command;

enum tl_link_event {
    TL_LINK_TIMEOUT, /* the deadline has passed */
    TL_LINK_FRAME,   /* a frame from the SUT */
    TL_LINK_LINE,    /* a control line, without its newline */
    TL_LINK_CLOSED,  /* the control channel ended; `error` says why */
    TL_LINK_ERROR,   /* the link failed; `error` says why */
    TL_LINK_OTHER,   /* a frame that another copy sent on this connection (mux.h) */
};

struct tl_link_got {
    uint64_t at_ns;       /* arrival, by the kernel's time stamp if there is one */
    uint64_t read_ns;     /* when it was read */
    const uint8_t *bytes; /* FRAME, LINE (NUL-terminated too); valid until the next call */
    json_t *object; /* LINE: the line as JSON, where the SUT is in this process; then bytes is
                       NULL. Valid until the next call */
    const struct tl_protocol_said *said; /* likewise: the line without JSON; then object is
                                            NULL, too */
    size_t len;
    uint32_t path;    /* the UDP source port; 0: unknown */
    uint8_t ecn, ttl; /* of its IP header; ttl 0: both are unknown */
    uint8_t dscp;     /* also of the IP header; live links only */
    unsigned port;    /* the port at which it arrived, numbered as for ops->port */
    struct fal_error error;
};

/* What the link guarantees; copied into FAL_EV_RUN. */
struct tl_link_caps {
    const char *name; /* "sim", "udp" */
    bool live;        /* runs in real time */
    bool control;     /* there is a control channel */
    bool ports;       /* ops->port is supported */
    bool lossless_in, lossless_out, no_duplicates, in_order;
    uint64_t delay_min_ns, delay_max_ns; /* FAL_NEVER: unknown */
    uint64_t clock_error_ns;
    uint32_t mtu;       /* bytes of the longest frame that the path carries; 0: any */
    bool unmarked_in;   /* the path to the SUT is proven not to mark frames with CE */
    bool hops_declared; /* the hops of the path to the SUT are known, not only reported by it */
    uint8_t hops_in;    /* where they are: so many routers decrease the TTL */
    const char *local_address; /* the address to which the SUT sends its frames
                                  ("127.0.0.1:40123"), or NULL */
};

/* How late the tester itself was since the last call, in nanoseconds: the maximum of each kind.
 */
struct tl_link_timing {
    uint64_t timer_ns; /* a deadline was noticed this much too late */
    uint64_t queue_ns; /* a frame or line was queued this long before it was read */
    uint64_t busy_ns;  /* the tester neither waited nor was called for this long: it worked, or
                          did not run */
    uint64_t throttle_ns; /* a frame was held back this long by the rate limit */
};

/* Keeps the maximum of both, kind by kind. */
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

/* The maximum over all kinds. */
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
    /* Sends one frame and stores the time at which it left in *sent_ns. Returns 0,
     * FAL_ERR_RANGE (too long for the interface) or FAL_ERR_IO with `err`. */
    int (*send)(struct tl_link *link, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                struct fal_error *err);
    /* Sets the IP header fields of the next frame: ECN bits (-1: default) and TTL (0: default).
     */
    void (*mark)(struct tl_link *link, int ecn, int ttl);
    /* Malforms the IP and UDP headers of the next frame. Returns NULL, or the reason why the
     * link cannot; the frame is then sent unchanged. A NULL member means that it never can. */
    const char *(*spoil)(struct tl_link *link, enum tl_flaw flaw);
    /* Selects the local port from which frames leave from now on. Port 0 is the link's own;
     * others are opened when first used. Writes its address to `address` (may be NULL). Returns
     * as `send`. Only where caps.ports is set, else NULL. */
    int (*port)(struct tl_link *link, unsigned port, char *address, size_t cap,
                struct fal_error *err);
    /* Writes one control line (without newline). Returns as `send`. */
    int (*send_line)(struct tl_link *link, const char *line, size_t len, struct fal_error *err);
    /* The same of a line as JSON (borrowed), which is not printed and parsed. NULL: the SUT is
     * not in this process. */
    int (*send_object)(struct tl_link *link, json_t *object, struct fal_error *err);
    /* The same of a command as a struct, all of whose members fit its table; the texts and
     * objects in it are borrowed. NULL likewise. */
    int (*send_command)(struct tl_link *link, struct tl_protocol_command *command,
                        struct fal_error *err);
    /* Waits for the first event, at most until deadline_ns (FAL_NEVER: no limit). Whatever
     * arrived after the deadline is returned by the next call, even when both times have
     * passed. The end of the control channel is reported once; frames continue. */
    enum tl_link_event (*wait)(struct tl_link *link, uint64_t deadline_ns,
                               struct tl_link_got *got);
    /* Returns the number of frames that the receive path dropped since the last call
     * (SO_RXQ_OVFL); 0 on virtual links. */
    uint64_t (*drops)(struct tl_link *link);
    /* The number of frames, by direction, that a simulated network has lost since it started.
     * NULL: not known. */
    void (*lost)(struct tl_link *link, uint64_t out[2]);
    /* Of a simulated network since it started, by direction: independent trials, and how many
     * of them it lost (fal_simnet_trials). All 0 for a network that loses nothing. NULL: not
     * known. */
    void (*trials)(struct tl_link *link, uint64_t trials[2], uint64_t lost[2]);
    /* How long until the last frame that is under way to the SUT arrives; 0: none is. NULL: not
     * known. */
    uint64_t (*under_way_ns)(struct tl_link *link);
    /* The number of frames, by direction, that it has duplicated and that others have
     * overtaken. NULL: not known. */
    void (*disturbed)(struct tl_link *link, uint64_t duplicated[2], uint64_t overtaken[2]);
    /* How often the planted faults of the SUT could have acted so far, and how often they have.
     * NULL: not known. */
    void (*faults)(struct tl_link *link, uint64_t *chances, uint64_t *acts);
    /* Returns and resets the tester's lateness. NULL on virtual links, which are never late. */
    void (*timing)(struct tl_link *link, struct tl_link_timing *out);
    /* Sets DSCP and IPv6 flow label (0: default) of the frames from now on. They are not
     * fragmented: a frame that is too long is lost or refused. Live links only, else NULL. */
    void (*dress)(struct tl_link *link, unsigned dscp, uint32_t flow_label);
    /* How the SUT stopped, where it is a child process of the tester; NULL: it has not. Valid
     * until `free`. A NULL member: the SUT is no such process. */
    const struct tl_stop *(*stopped)(struct tl_link *link);
    /* Selects whether sealed frames are ESP, which is carried without UDP. NULL: the link
     * carries both in the same way. */
    void (*esp)(struct tl_link *link, bool esp);
    void (*free)(struct tl_link *link);
};

struct tl_link {
    const struct tl_link_ops *ops;
};

/* An optional suffix of the SUT's address gives the tester's own: "HOST:PORT,from=HOST:PORT".
 */
#define TL_UDP_FROM ",from="

/* `address`: HOST:PORT of the SUT. `control`: tcp:HOST:PORT, unix:PATH, or NULL. `options`
 * NULL: no limits. Refuses addresses that are not loopback, private or allowed. */
struct tl_link *tl_link_udp_open(const char *address, const char *control,
                                 const struct tl_live_options *options, struct fal_error *err);

/* Sends and receives frames at an interface of this host, bypassing its IP stack (link_raw.h).
 */
struct tl_link *tl_link_raw_open(const char *address, const char *control,
                                 const struct tl_live_options *options, struct fal_error *err);

#endif
