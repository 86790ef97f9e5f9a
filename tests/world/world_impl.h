/* SPDX-License-Identifier: Apache-2.0
 * world_impl.h - inside a world (world.h): world.c is its time, world_ulp.c the upper layers of
 * both sides, world_net.c the way of packets, world_cc.c congestion control,
 * world_verbs.c RDMA and world_verbs_posts.c its programs, world_nvme.c NVMe and
 * world_nvme_posts.c its programs, world_watch.c what the judge is shown. */
#ifndef TL_TESTS_WORLD_WORLD_IMPL_H
#define TL_TESTS_WORLD_WORLD_IMPL_H

#include "oracles/cc/swift.h"
#include "oracles/endpoint/endpoint.h"
#include "oracles/rng.h"
#include "oracles/simnet.h"
#include "tests/world/world.h"
#include "tests/world/world_trials.h"

enum { TESTER, SUT, SIDES };
enum { CONNS_MAX = 3, PENDING_MAX = 4096, PAYLOAD_MAX = 512, LATE_MAX = 4096 };

/* A packet brings what travels with it, behind its bytes. */
enum {
    ULP_FRAME_MAX = 4260 + 64, /* the longest packet of NVMe, and what a fault may add */
    FRAME_MAX = FAL_HEADER_MAX + ULP_FRAME_MAX,
    ENVELOPE_LEN = sizeof(struct world_envelope),
};

/* The way of a packet: all of it, or, for a capture in its middle, two halves. */
enum { NEAR, FAR, HALVES };

/* An answer that a ULP will give. */
struct pending {
    uint64_t due_ns;
    int side;
    uint32_t conn, rsn, length;
    enum fal_ulp_op op;
    bool commanded; /* the tester writes `respond`, rather than the ULP answering by itself */
};

/* An event of the SUT that is read a while after it happened. */
struct late {
    uint64_t due_ns;
    struct fal_event event;
};

/* The Rate Update Engine of an end. */
struct world_engine {
    struct world *world;
    int side;
    struct fal_swift swift;
    uint32_t gap_tick_ps;
};

struct world {
    struct fal_endpoint *ep[SIDES];
    struct world_engine engine[SIDES]; /* with WORLD_SWIFT */
    struct fal_simnet *net[HALVES];    /* FAR only with a capture in the middle */
    struct fal_judge *judge;
    const struct world_config *config;
    struct world_outcome *outcome;
    struct fal_rng rng;
    uint64_t now_ns, ulp_seq;
    int64_t command_id;
    uint32_t conns, numbers[CONNS_MAX][SIDES]; /* connection numbers of each endpoint */
    uint32_t rnr_percent, cie_percent, posts_left;
    uint64_t next_post_ns, post_gap_ns;
    bool sealed;  /* packets have an IV */
    bool inexact; /* the tester's end has lanes or ticks, for which its rules do not allow */
    struct {
        uint32_t conn; /* 0: none */
        struct fal_seal seal;
        uint8_t bytes[FRAME_MAX];
        size_t len;
    } again;                   /* a packet of the tester that a step will send once more */
    struct world_verbs *verbs; /* with WORLD_VERBS */
    struct world_nvme *nvme;   /* with WORLD_NVME */
    struct world_trials trials;
    uint64_t accepted_iv[CONNS_MAX]; /* the newest that the SUT took */
    struct fal_seal seal[CONNS_MAX]; /* as the tester sealed last */
    size_t num_pending;
    struct pending pending[PENDING_MAX];
    /* the observer, with random numbers of its own: the traffic is the same for every observer
     */
    struct fal_rng eye;
    bool watching;
    uint64_t index, passed; /* events recorded; packets that passed the vantage */
    uint32_t unseen[2];     /* packets that the capture missed, by direction, and will say so */
    struct fal_event run;
    struct fal_connection setup[CONNS_MAX];
    size_t num_late;
    struct late late[LATE_MAX]; /* by time */
};

static inline bool chance(struct world *w, uint32_t percent)
{
    return fal_rng_below(&w->rng, 100) < percent;
}

/* ---- world.c ---- */

/* Gives an endpoint its input, at the world's time. */
void world_input(struct world *w, int side, const struct fal_endpoint_in *in, uint32_t *rsn);
/* Handles all outputs of an endpoint. */
void world_drain(struct world *w, int side);

/* ---- world_ulp.c ---- */

/* The ULP of a side is asked to take a request; to take a completion. */
void world_request(struct world *w, int side, uint32_t conn,
                   const struct fal_endpoint_out *out);
void world_complete(struct world *w, int side, uint32_t conn,
                    const struct fal_endpoint_out *out);
/* When the next answer is due, FAL_NEVER: there is none; gives those that are. */
uint64_t world_answers_ns(const struct world *w);
void world_give_answers(struct world *w);
/* Posts some transactions, if it is time. */
void world_posts(struct world *w);

/* ---- world_net.c ---- */

/* Draws the networks; 0, or FAL_ERR_MEM. */
int world_net_new(struct world *w);
uint64_t world_net_ns(const struct world *w);
/* A packet leaves its sender, as its endpoint wants it sealed. */
void world_transmit(struct world *w, int side, uint32_t conn, const struct fal_seal *seal,
                    const uint8_t *bytes, size_t len);
/* Keeps a packet of the tester for a step, now and then; the step. */
void world_keep(struct world *w, uint32_t conn, const struct fal_seal *seal,
                const uint8_t *bytes, size_t len);
void world_step_again(struct world *w);
/* A step of a key rotation, when one is due. */
void world_step_rotation(struct world *w);
/* A step that sends what no good peer does, when one is due. */
void world_step_forgery(struct world *w);
/* Delivers the packets that arrive now. */
void world_arrivals(struct world *w);

/* ---- world_cc.c ---- */

/* Takes variants away that an engine rules out; gives an endpoint its engine; says of a
 * connection what the adapter tells of the SUT's; asks the SUT for entries. Without WORLD_SWIFT
 * they do nothing. */
void world_cc_twins(struct world_config *config);
void world_cc_engine(struct world *w, int side, struct fal_endpoint_config *ep);
void world_cc_connection(const struct world *w, struct fal_connection *k);
void world_cc_watch(struct world *w);

/* ---- world_verbs.c ---- */

/* The engines; their objects, once the judge watches. Without WORLD_VERBS these do nothing. */
int world_verbs_new(struct world *w);
int world_verbs_open(struct world *w);
void world_verbs_free(struct world *w);
/* Whether an output of the endpoint was for the verbs; events that the verbs have now. */
bool world_verbs_take(struct world *w, int side, const struct fal_endpoint_out *out);
void world_verbs_events(struct world *w, int side);
/* Work requests, if the upper layers are verbs. */
bool world_verbs_posts(struct world *w);
uint64_t world_verbs_ns(const struct world *w);
void world_verbs_tick(struct world *w);
/* Nothing is under way: asks for hashes of the SUT's memory and for the states of its queue
 * pairs. True: there are more work requests, which are posted from now on. */
bool world_verbs_pause(struct world *w);
/* How often a fault of the SUT's verbs has acted. */
uint64_t world_verbs_acts(const struct world *w, enum fal_fault_id id);

/* ---- world_nvme.c: as those of the verbs, with WORLD_NVME ---- */

int world_nvme_new(struct world *w);
void world_nvme_open(struct world *w);
void world_nvme_free(struct world *w);
bool world_nvme_take(struct world *w, int side, const struct fal_endpoint_out *out);
void world_nvme_events(struct world *w, int side);
bool world_nvme_posts(struct world *w);
uint64_t world_nvme_ns(const struct world *w);
void world_nvme_tick(struct world *w);
/* Nothing is under way: lets two transaction timeouts pass, after which rules miss what never
 * came. */
void world_nvme_wait(struct world *w);
/* Nothing is under way: asks for hashes of blocks of the SUT's devices. True: there are more
 * commands, which are posted from now on, after some blocks have moved. */
bool world_nvme_pause(struct world *w);
uint64_t world_nvme_acts(const struct world *w, enum fal_fault_id id);

/* ---- world_watch.c ---- */

/* The run and the connections are there: the judge hears of them, unless its capture begins
 * later. */
void world_watch(struct world *w);
/* An event of the control channel that is written, or anything else of this moment. */
void world_record(struct world *w, struct fal_event *event);
/* An event that the SUT's adapter tells: it may be read later. Returns when. */
uint64_t world_tell(struct world *w, const struct fal_event *event);
/* Of the SUT's upper layer. */
uint64_t world_tell_ulp(struct world *w, struct fal_ev_ulp ulp, uint32_t conn);
void world_tell_cm(struct world *w, const char *what, uint32_t conn);
/* When the next of those will be read; reads those that are due, or all. */
uint64_t world_late_ns(const struct world *w);
void world_read_late(struct world *w, bool all);
/* A packet on its way; `conn` is 0 where only its bytes say to which connection it belongs. */
struct world_packet {
    uint32_t conn;
    enum fal_origin origin;
    const uint8_t *bytes;
    size_t len;
    const struct world_envelope *envelope;
};
/* A packet passes the vantage. */
void world_record_packet(struct world *w, enum fal_dir dir, const struct world_packet *packet);
/* Nothing is under way: what the SUT's upper layer was told has been read. */
void world_record_barrier(struct world *w);
/* The judge's, of what the world was about; and the verdicts. */
void world_finding(void *ctx, const struct fal_finding *f);
void world_sum_up(struct world *w);

#endif
