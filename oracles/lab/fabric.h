/* SPDX-License-Identifier: Apache-2.0
 * fabric.h - a simulated fabric: output queues with a rate, a size and an ECN threshold, a link
 * with a delay behind each, and groups of equal queues between which the entropy of a packet
 * decides (ECMP). It carries packets and knows nothing of flows: whoever sends is behind
 * struct fal_lab_ops. Time is that of the event under way; for a seed, all is determined. */
#ifndef FAL_ORACLES_LAB_FABRIC_H
#define FAL_ORACLES_LAB_FABRIC_H

#include "codecs/base/error.h"
#include "oracles/lab/heap.h"

enum { FAL_LAB_STAGES_MAX = 3, FAL_LAB_NONE = 0x7fffffff };

/* Mistakes planted in the fabric, for the tests of the lab: a theory must detect each. */
enum fal_lab_fault {
    FAL_LAB_CORRECT,
    FAL_LAB_SLOW,          /* each queue has 95 % of its rate */
    FAL_LAB_DELAY_TWICE,   /* the delay of each link counts twice */
    FAL_LAB_UNEQUAL_PATHS, /* the first path of a group gets more than its part */
};

struct fal_lab_queue {
    uint64_t rate_bps;
    uint64_t limit_bytes; /* a packet that does not fit is dropped; 0: no limit */
    uint64_t ecn_bytes;   /* a packet is marked that finds so many bytes; 0: none is */
    uint64_t delay_ps;    /* of the link behind it */
    /* The rest is the state, all 0 at the beginning. */
    uint64_t bytes, bytes_in, bytes_out, bytes_dropped;
    uint64_t dropped, marked; /* packets */
    uint32_t first, last;     /* packets in it, where bytes > 0 */
};

struct fal_lab_group {
    uint32_t first, count; /* queues */
};

struct fal_lab_packet {
    uint32_t flow, number; /* of its sender */
    uint32_t bytes, entropy;
    uint8_t groups[FAL_LAB_STAGES_MAX]; /* that it passes, `stages` of them */
    uint8_t stages, stage;
    uint8_t attempt, level; /* for its sender and its receiver */
    bool marked, refused;
    uint64_t sent_ps, entered_ps;
    uint64_t waited_ps; /* in all queues, without the time of its own bytes */
    uint64_t received_ps, taken_ps;
    uint32_t next; /* in a queue, or free */
};

/* The calls that the ends get. Each may send packets and add events. */
struct fal_lab_ops {
    /* The packet has passed its last link. It is freed, unless fal_lab_fabric_later has been
     * called for it. */
    void (*delivered)(void *ctx, uint32_t packet);
    void (*dropped)(void *ctx, uint32_t packet); /* it is freed then */
    void (*queued)(void *ctx, uint32_t queue);   /* its bytes changed */
    /* FAL_LAB_TAKEN, FAL_LAB_ACK (freed as above), FAL_LAB_TIMER. */
    void (*event)(void *ctx, const struct fal_lab_item *item);
};

struct fal_lab_fabric {
    struct fal_lab_heap heap;
    uint64_t now_ps;
    struct fal_lab_queue *queues; /* borrowed, as are the groups */
    const struct fal_lab_group *groups;
    uint32_t n_queues, n_groups;
    uint64_t seed; /* of the hash of ECMP */
    enum fal_lab_fault fault;
    const struct fal_lab_ops *ops;
    void *ctx;
    /* The rest is the state. */
    struct fal_lab_packet *packets;
    uint32_t cap, free;
    bool kept;                                   /* the packet under way has a next event */
    uint64_t bytes_in, bytes_out, bytes_dropped; /* sent, delivered, dropped */
    uint64_t bytes_on_links;
};

/* Sends a packet now; the fabric copies it. */
void fal_lab_fabric_send(struct fal_lab_fabric *fabric, const struct fal_lab_packet *packet);
/* Keeps the packet for an event (FAL_LAB_TAKEN, FAL_LAB_ACK) after `delay_ps`. */
void fal_lab_fabric_later(struct fal_lab_fabric *fabric, uint32_t packet, uint64_t delay_ps,
                          enum fal_lab_kind kind);
/* Does the next event if it is due by `until_ps`. Returns 1; 0: there is none; or FAL_ERR_MEM.
 */
MUST_USE int fal_lab_fabric_step(struct fal_lab_fabric *fabric, uint64_t until_ps);
void fal_lab_fabric_free(struct fal_lab_fabric *fabric);

/* The queue of the group that a packet with this entropy takes. */
uint32_t fal_lab_fabric_path(const struct fal_lab_fabric *fabric, uint32_t group,
                             uint32_t entropy);
/* The time that so many bytes need at that rate. */
uint64_t fal_lab_serial_ps(uint64_t rate_bps, uint64_t bytes);
/* Returns true if each byte that went in came out, was dropped, or is in a queue or on a link.
 * Counts the packets in the queues anew. */
bool fal_lab_fabric_balanced(const struct fal_lab_fabric *fabric);

#endif
