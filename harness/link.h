/* SPDX-License-Identifier: Apache-2.0
 * link.h - the one door to the SUT: frames and control lines, with the time. link_sim.c runs
 * the built-in SUT in virtual time over the simulated network, link_udp.c a SUT anywhere over
 * UDP, epoll and kernel timestamps. Everything above this interface is the same code for both.
 *
 * A frame is what the encapsulation carries: on udp and sim, the Falcon packet. */
#ifndef TL_HARNESS_LINK_H
#define TL_HARNESS_LINK_H

#include "codecs/error.h"
#include "harness/builtin.h"
#include "oracles/simnet.h"

struct tl_link;

enum tl_link_event {
    TL_LINK_TIMEOUT, /* the deadline came */
    TL_LINK_FRAME,   /* a frame from the SUT */
    TL_LINK_LINE,    /* a line from the control channel, without its newline */
    TL_LINK_CLOSED,  /* the control channel ended; `error` says how */
    TL_LINK_ERROR,   /* `error` says what */
};

struct tl_link_got {
    uint64_t at_ns;       /* when it arrived, by the kernel's stamp where there is one */
    uint64_t read_ns;     /* when it was read */
    const uint8_t *bytes; /* FRAME, LINE (NUL-terminated too); valid until the next call */
    size_t len;
    uint32_t path;    /* the UDP source port, 0: unknown */
    uint8_t ecn, ttl; /* of its IP header; ttl 0: both unknown */
    struct fal_error error;
};

/* What the bench can promise of this link; goes into FAL_EV_RUN. */
struct tl_link_caps {
    const char *name; /* "sim", "udp" */
    bool live;        /* real time */
    bool control;     /* there is a control channel */
    bool lossless_in, lossless_out, no_duplicates, in_order;
    uint64_t delay_min_ns, delay_max_ns; /* FAL_NEVER: unknown */
    uint64_t clock_error_ns;
    const char *local_address; /* where the SUT sends its frames ("127.0.0.1:40123"), or NULL */
};

struct tl_link_ops {
    struct tl_link_caps (*caps)(const struct tl_link *link);
    uint64_t (*now_ns)(struct tl_link *link);
    /* Sends one frame; when it left in *sent_ns. 0, or FAL_ERR_IO with `err`. */
    int (*send)(struct tl_link *link, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                struct fal_error *err);
    /* The IP header of the next frame: ECN bits (-1: as usual) and TTL (0: as usual). */
    void (*mark)(struct tl_link *link, int ecn, int ttl);
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
    void (*free)(struct tl_link *link);
};

struct tl_link {
    const struct tl_link_ops *ops;
};

struct tl_link_sim_config {
    uint64_t seed;
    const char *lib, *exec;          /* the SUT: a library, a command; both NULL: built in */
    struct fal_fault_set faults;     /* of the built-in SUT */
    struct tl_twins twins;           /* likewise */
    struct fal_impairment impair[2]; /* all zero: a wire without delay or loss */
    const struct fal_simnet_rule *rules; /* what happens to single frames; borrowed */
    size_t num_rules;
};

/* Both return a link the caller frees with ops->free, or NULL with `err`. */
struct tl_link *tl_link_sim_open(const struct tl_link_sim_config *config,
                                 struct fal_error *err);

/* `address`: HOST:PORT of the SUT; `control`: tcp:HOST:PORT, unix:PATH, or NULL. Refuses
 * addresses that are not loopback or private. */
struct tl_link *tl_link_udp_open(const char *address, const char *control,
                                 struct fal_error *err);

/* By an interface of this host, past its IP stack (link_raw.h). */
struct tl_link *tl_link_raw_open(const char *address, const char *control,
                                 struct fal_error *err);

#endif
