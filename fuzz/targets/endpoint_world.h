/* SPDX-License-Identifier: Apache-2.0
 * endpoint_world.h - two endpoints over a simulated network in virtual time, for fuzz_endpoint:
 * fuzz_endpoint.c reads and plays the acts, endpoint_world.c moves packets and time,
 * endpoint_hold.c checks the invariants after each act. */
#ifndef FAL_FUZZ_TARGETS_ENDPOINT_WORLD_H
#define FAL_FUZZ_TARGETS_ENDPOINT_WORLD_H

#include "oracles/endpoint/endpoint.h"
#include "oracles/simnet.h"

enum {
    WORLD_POSTS_MAX = 256, /* of a side */
    WORLD_PAYLOAD_MAX = 4096,
    WORLD_KEPT = 8,         /* packets to each side that can be sent again */
    WORLD_FRAME_MAX = 8192, /* of a forged packet */
    WORLD_STEPS_MAX = 20000,
};

/* A transaction that this side began. */
struct world_post {
    uint64_t tag;
    uint32_t length;
    bool completed;
};

struct world_kept {
    struct fal_seal seal;
    size_t len;
    uint8_t bytes[WORLD_FRAME_MAX];
};

struct world_side {
    struct fal_endpoint *ep;
    struct fal_endpoint_conn open;
    uint32_t conn;
    struct fal_endpoint_state last; /* before the input at hand */
    bool dead;
    struct world_post posts[WORLD_POSTS_MAX];
    size_t num_posts;
    uint64_t posted_bytes;
    uint8_t answer, answer_times; /* of the next requests: enum fal_answer, and how often */
    unsigned drop;                /* so many packets to it are lost */
    struct world_kept kept[WORLD_KEPT];
    size_t num_kept; /* ever; the newest at (num_kept - 1) % WORLD_KEPT */
};

struct world {
    struct world_side sides[2];
    struct fal_simnet *net;
    uint64_t now_ns;
    unsigned steps; /* that happened: it ends after WORLD_STEPS_MAX */
    bool sealed;
    bool hostile; /* a packet came that no endpoint sent */
    bool held;    /* an answer was withheld: not all must complete */
    size_t bytes_before, bytes_posted;
};

/* Opens both ends as the 16 bytes of `head` say. False when out of memory. */
bool world_open(struct world *world, const uint8_t *head);
void world_free(struct world *world);

/* An input of a side's endpoint; what comes out goes its way. The endpoint's answer. */
int world_input(struct world *world, unsigned side, struct fal_endpoint_in in);

/* Advances time by `ns` and does everything that is due. */
void world_pass(struct world *world, uint64_t ns);

static inline bool world_over(const struct world *world)
{
    return world->steps >= WORLD_STEPS_MAX;
}

/* ---- what must hold; each aborts where it does not ---- */

/* A packet that an endpoint sends. */
void hold_packet(const struct world *world, unsigned side, const uint8_t *bytes, size_t len,
                 struct fal_falcon *packet);
/* A transaction completes. */
void hold_completion(struct world *world, unsigned side, const struct fal_endpoint_out *out);
/* After every input: sequence numbers, windows, timers, memory. */
void hold_state(struct world *world, unsigned side);
/* At the end: all that was posted has completed. */
void hold_end(struct world *world);

#endif
