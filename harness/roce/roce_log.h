/* SPDX-License-Identifier: Apache-2.0
 * roce_log.h - what was seen while a scenario of RoCEv2 was played: packets at the bridge and
 * on arrival, labels, events of the ends, and the queue pairs that belong together. */
#ifndef TL_HARNESS_ROCE_ROCE_LOG_H
#define TL_HARNESS_ROCE_ROCE_LOG_H

#include "codecs/frame/roce_frame.h"
#include "harness/roce/roce_scenario.h"
#include "oracles/roce/end.h"

enum { TL_ROCE_CONNS_MAX = 64, TL_ROCE_SEEN_MAX = 1000000 };
enum tl_roce_point { TL_ROCE_BRIDGE, TL_ROCE_ARRIVAL };

struct tl_roce_seen {
    uint64_t at_ns;
    enum tl_roce_point point;
    unsigned from; /* 0: end a, 1: end b */
    size_t bytes;  /* of the frame */
    struct fal_roce_packet packet;
    unsigned ecn, conn; /* conn: number of the connection, from 1; 0: unknown */
    fal_u128 src, dst;  /* of the IP header */
    bool v6;
    uint8_t dscp;
    enum fal_icrc_state icrc;
    uint64_t digest;               /* of the data; 0: no step asks for it, or there are none */
    bool dropped, acted, injected; /* by the bridge */
};

/* A frame that the bridge let through, as it left the bridge. */
struct tl_roce_passed {
    size_t index; /* of its entry in the log */
    uint64_t at_ns;
    unsigned ecn;
    bool spoiled; /* by the bridge: its ICRC is wrong */
};

/* Two queue pairs: index 0 is end a's. */
struct tl_roce_conn {
    bool has_qpn[2], has_psn[2];
    uint32_t qpn[2]; /* of the end itself */
    uint32_t psn[2]; /* of the first request packet that the end sent */
};

struct tl_roce_label {
    const char *name;
    bool set;
    uint64_t at_ns;
    size_t index; /* in the log; SIZE_MAX: of no packet */
    uint32_t psn;
};

struct tl_roce_happened {
    unsigned end;
    struct fal_roce_event event;
};

struct tl_roce_log {
    const struct tl_roce_scenario *scenario;
    struct tl_roce_seen *seen;
    size_t num_seen, cap_seen;
    struct tl_roce_passed *passed;
    size_t num_passed, cap_passed;
    struct tl_roce_happened *events;
    size_t num_events, cap_events;
    struct tl_roce_conn conns[TL_ROCE_CONNS_MAX];
    unsigned num_conns;
    bool digests; /* a step compares the data of packets */
    bool learns;  /* connections are learned from packets: the ends are not Talon's */
    struct tl_roce_label *labels;
    size_t num_labels;
    struct fal_roce_route routes[2]; /* of the last frame from each end */
    bool has_route[2];
    uint64_t end_ns; /* when the play ended */
    bool no_memory, full;
};

/* 0, or FAL_ERR_MEM. Free it in either case. */
MUST_USE int tl_roce_log_init(struct tl_roce_log *log, const struct tl_roce_scenario *scenario);
void tl_roce_log_free(struct tl_roce_log *log);

/* Notes a frame; returns its entry, or NULL: it is no RoCE, or there is no room. */
struct tl_roce_seen *tl_roce_log_frame(struct tl_roce_log *log, uint64_t now_ns, unsigned from,
                                       const uint8_t *bytes, size_t len);
/* The frame of entry `index` leaves the bridge at that time, with these ECN bits. */
void tl_roce_log_passed(struct tl_roce_log *log, const struct tl_roce_passed *passed);
void tl_roce_log_event(struct tl_roce_log *log, unsigned end,
                       const struct fal_roce_event *event);

struct tl_roce_label *tl_roce_log_label(struct tl_roce_log *log, const char *name);
/* Sets the label of a step, if it has one that is not set. */
void tl_roce_log_set(struct tl_roce_log *log, const struct tl_roce_step *step, uint64_t at_ns,
                     size_t index);

/* Whether the packet is one that the step is about: end, point and pattern. */
bool tl_roce_log_fits(const struct tl_roce_log *log, const struct tl_roce_step *step,
                      const struct tl_roce_seen *seen);

/* A line about an entry: "@8us a> roce opcode=...". */
void tl_roce_log_line(const struct tl_roce_seen *seen, char *out, size_t cap);

#endif
