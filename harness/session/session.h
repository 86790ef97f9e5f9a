/* SPDX-License-Identifier: Apache-2.0
 * session.h - one case on the bench: a connection between the tester's endpoint and the SUT,
 * with everything that happens on it stamped, put on the timeline, judged, and kept for the
 * interpreter.
 *
 * The one loop is tl_session_pump: whatever comes first on the link (a frame, a control line, a
 * deadline) is dealt with. Times are nanoseconds since the case
 * began.
 *
 * The path does not lose what is counted: `lossless` is what a verdict about something that did
 * not come needs (D6 of docs/architecture.md). */
#ifndef TL_HARNESS_SESSION_SESSION_H
#define TL_HARNESS_SESSION_SESSION_H

#include "codecs/base/error.h"
#include "harness/scenario/scenario.h"
#include "harness/session/bench_sut.h"
#include "harness/session/packet.h"
#include "harness/wire/sealer.h"
#include "oracles/endpoint/endpoint.h"
#include "oracles/rng.h"
#include "reports/results/reason.h"

#include <stdio.h>

enum {
    TL_PACKETS_KEPT = 32768, /* of a case, the newest; before them only the judge remembers */
    TL_EVENTS_KEPT = 32768,
    TL_FINDINGS_KEPT = 16,
    TL_LINES_MAX = 40000, /* of control in one case: no case needs a quarter of it */
    TL_FRAME_HEAD = 96,   /* bytes of a frame kept for printing what has no type */
};

/* A packet of the case, either way. */
struct tl_seen_packet {
    uint64_t event; /* its index on the timeline */
    uint64_t t_ns;
    enum fal_dir dir;
    enum fal_origin origin;
    int32_t step;
    int header_len; /* as of struct fal_ev_packet */
    struct fal_falcon falcon;
    uint32_t payload_len, len;
    bool other; /* of a connection whose first numbers nobody noted */
    uint8_t head[TL_FRAME_HEAD];
};

/* Something that a ULP, or a connection manager, was told. */
struct tl_seen_event {
    uint64_t t_ns;
    enum tl_side side;
    bool is_cm;
    char what[TL_WHAT_MAX]; /* of a connection manager */
    struct fal_ev_ulp ulp;  /* without its text */
};

/* What a scenario wants of a frame on its way between the tester's endpoint and the SUT. */
struct tl_verdict_of_gate {
    bool drop, withhold, corrupt, mark;
    uint64_t delay_ns, copy_delay_ns;
    unsigned copies;      /* more */
    uint64_t overtakers;  /* it waits until so many have gone before it */
    const uint8_t *bytes; /* instead of its own, as long */
    const void *owner;    /* for tl_session_release */
};

/* Chance, in parts per billion. */
struct tl_chances {
    uint32_t loss, duplicate, reorder;
    uint64_t reorder_by_ns, latency_ns, jitter_ns;
};

struct tl_held;

/* The gate (session_gate.c). */
struct tl_gate {
    /* NULL: everything passes. */
    void (*look)(void *ctx, const struct tl_packet *packet, struct tl_verdict_of_gate *verdict);
    void *ctx;
    struct tl_chances chances[2];
    struct fal_rng rng;
    bool touched; /* a frame did not go its way: what our endpoint does since was asked for */
    /* Frames that are held back, in no order. Each has its own bytes and its own `order`, which
     * is below `next_order`. */
    struct tl_held *held;
    size_t count, cap; /* count <= cap */
    uint64_t next_order;
};

/* Packets and events count from 0 over the case; those from `first` to `next` - 1 are still
 * there. */
struct tl_packet_log {
    struct tl_seen_packet *ring;
    uint64_t next;
    size_t cap;
};

struct tl_event_log {
    struct tl_seen_event *ring;
    uint64_t next;
    size_t cap;
};

/* Connection IDs of the PSP tunnel (9.2.2.3); none where `on` is false. */
struct tl_pcids {
    bool on, match;       /* match: PCID Match Enable at the SUT */
    uint64_t tester, sut; /* of packets to that end */
};

struct tl_bridge;

struct tl_session_config {
    struct tl_bench *bench; /* borrowed */
    const char *title;      /* of the timeline */
    uint64_t seed;
    uint64_t timeout_ns;               /* of the whole case on a live link */
    uint64_t late_ns;                  /* a tester later than this is late */
    bool acks, retransmission, ulp;    /* what the tester's endpoint does by itself */
    struct fal_twin_set twins;         /* the freedoms that it takes */
    enum fal_encap encap;              /* of the connection */
    struct tl_pcids pcids;             /* where it seals */
    const json_t *psp_keys, *esp_keys; /* files of keys that the SUT does not tell, or NULL */
    struct fal_fault_set faults;       /* ways to be wrong: of tests of Talon itself */
    FILE *timeline;                    /* borrowed; NULL: not written */
    const struct tl_ics *ics;          /* what the SUT offers, for `if`; NULL: nobody says */
    struct tl_bridge *bridge;          /* it stands between two ends (bridge.h), or NULL */
    /* Of a copy (mux.h): it has come to this stage of its end; have all? NULL: alone. */
    bool (*together)(void *ctx, unsigned stage);
    void *together_ctx;
    unsigned copies, copy;            /* how many, and which; 0 copies: alone */
    uint32_t (*other_cid)(void *ctx); /* that the SUT gave the next one */
};

/* Why a session cannot go on; always an error of ours, the link's or the adapter's. */
struct tl_breakage {
    enum tl_reason reason; /* NONE: it goes on */
    struct fal_error what;
};

enum { TL_STEPS_TIMED = 512 /* whose times are kept for the results; the timeline has all */ };

/* Time that was lost on a live link (session_time.c). */
struct tl_session_time {
    struct tl_link_timing worst; /* of the tester, in this case */
    uint64_t sut_ns; /* the longest that the SUT's process did not answer, or says it slept */
    uint64_t all_drops;                /* frames that the receive path lost */
    uint64_t late_ns, queue_ns, drops; /* since the last step was over */
    int64_t beat_id; /* the command that is out to see whether it answers; 0: none */
    uint64_t beat_ns, next_beat_ns; /* when it was written; when the next one is due */
    struct fal_ev_timing steps[TL_STEPS_TIMED];
    size_t num_steps, more_steps;
};

struct tl_session {
    uint32_t lines; /* of control, in this case */
    struct tl_session_time time;
    uint64_t
        grave_ns; /* lost time that may have changed what was seen: half of the shortest time */
    struct tl_session_config config;
    struct tl_bench *bench;
    struct fal_endpoint *endpoint;
    struct fal_judge *judge;
    struct fal_connection connection;
    uint32_t conn; /* the endpoint's number of it; 0: not open */

    uint64_t base_ns; /* of the link's time: where the case begins */
    uint64_t last_ns, next_event;
    uint64_t end_ns;              /* the case's own timeout */
    uint64_t heard_ns;            /* when something last came from the SUT */
    uint64_t late_ns, late_at_ns; /* the worst lateness of the tester (0: none); the last one */
    uint64_t frames_sent, frames_received;
    uint64_t lost[2]; /* by the simulated network, as far as it was told of */
    bool starved;     /* without control: the SUT has no resources left, for whatever reason */
    unsigned same_time; /* events since time last moved; virtual links */
    struct tl_breakage broken;

    struct tl_gate gate;
    struct tl_packet_log packets;
    struct tl_event_log events;
    struct fal_finding findings[TL_FINDINGS_KEPT];
    size_t num_findings;

    int64_t waits_for; /* id of the command whose answer is awaited, or 0 */
    uint64_t asked_ns;
    bool answered, answer_ok;
    char answer_error[32];
    char answer_why[200];
    uint64_t sut_received, sut_sent; /* of a `counters` answer */
    bool lossless;                   /* known when tl_session_finish returns */
    bool doubled_in, doubled_out;    /* likewise: the path doubles, or has doubled, frames */
    uint8_t *scratch;                /* TL_PAYLOAD_MAX bytes */

    struct tl_sealer *sealer; /* NULL: nothing is sealed */
    struct fal_endpoint_security security;
    uint64_t unopened;  /* frames of the SUT that were not what their sender sealed */
    uint64_t clock_ps;  /* what the tester's clock showed at time 0 */
    uint64_t sut_iv;    /* the newest that was seen */
    uint64_t newest_iv; /* of the good packets to the SUT */
    uint32_t new_spi;   /* what the SUT gave last */
    json_t *new_sa;     /* what the tester gave last */
    json_t *answer_sa;  /* of a rotate_keys; borrowed until the next line */
    uint8_t *sealed;    /* TL_SEALED_MAX bytes */
};

enum { TL_PAYLOAD_MAX = 65535, TL_SEALED_MAX = TL_PAYLOAD_MAX + FAL_HEADER_MAX + TL_SEAL_ROOM };

/* A session on the bench: resets the SUT. NULL when out of memory; else look at ->broken. */
struct tl_session *tl_session_new(const struct tl_session_config *config);
void tl_session_free(struct tl_session *session);

/* Opens the connection that `setup` describes (both ends as wished, params); the SUT's answer
 * completes session->connection. 0, or broken. */
MUST_USE int tl_session_open(struct tl_session *session, const struct fal_connection *setup,
                             json_t *local_wishes);

uint64_t tl_session_now(const struct tl_session *session);

/* Whether the link runs in real time. */
static inline bool tl_session_live(const struct tl_session *session)
{
    return session->bench->caps.live;
}

/* The link to the SUT; borrowed. */
static inline struct tl_link *tl_session_link(const struct tl_session *session)
{
    return session->bench->link;
}

/* Handles one thing that happens, at most until until_ns. True when the time came and nothing
 * is left that happened before it. */
bool tl_session_pump(struct tl_session *session, uint64_t until_ns);

/* Breaks the session off, unless it is broken already. */
void tl_session_break(struct tl_session *session, enum tl_reason reason, const char *format,
                      ...) __attribute__((format(printf, 3, 4)));

/* The tester did something by_ns later than it should have; beyond config.late_ns that is
 * marked, and
 * ->late_ns remembers the worst. */
void tl_session_late(struct tl_session *session, uint64_t by_ns);

/* ---- lost time (session_time.c) ---- */

/* Asks the link what time the tester lost, and marks it. */
void tl_session_take_timing(struct tl_session *session);
/* Whether so much was lost that what hangs on time is undecided. */
bool tl_session_tester_was_late(const struct tl_session *session);
bool tl_session_sut_was_late(const struct tl_session *session);
/* A step is over: says on the timeline when it was due and when it happened. */
void tl_session_step_over(struct tl_session *session, int32_t step, uint64_t due_ns,
                          uint64_t at_ns);

/* ---- acts of steps ---- */

/* How a packet is sealed, where the connection is; and whether its receiver must drop it for
 * that. */
struct tl_sealing {
    struct fal_seal seal;
    enum tl_spoil spoil;
    enum fal_bad bad;
};

/* Sends a packet as it is, sealed as `how` says. packet->origin and ->step say who sends it.
 * The time at which it left is returned; when the session is broken, the time now. */
uint64_t tl_session_send(struct tl_session *session, const struct tl_packet *packet,
                         const struct tl_sealing *how);
/* How the tester's endpoint would seal a packet that leaves now. */
struct tl_sealing tl_session_sealing(struct tl_session *session);

/* A step of a key rotation (9.2.2.3) at one end: "generation" (1), "spi" (2), "peer" (3: it
 * sends under the SPI that the other end gave last), "drop" (4), "end" (5); "all" is 1 and 2
 * there, and 3 at the other end. 0, or broken. */
MUST_USE int tl_session_rotate(struct tl_session *session, enum tl_side side, const char *step);

/* Writes a command (taken); its answer will set session->answered. */
void tl_session_command(struct tl_session *session, json_t *command);
/* Pumps until the command is answered: true; false when broken. */
bool tl_session_await_answer(struct tl_session *session);

/* An act of the tester's own upper layer. FAL_ERR_RANGE when the endpoint refuses it. */
MUST_USE int tl_session_input(struct tl_session *session, const struct fal_endpoint_in *in,
                              uint32_t *rsn);

/* Notes for the timeline: a step begins, something is said. */
void tl_session_text(struct tl_session *session, enum fal_event_kind kind, int32_t step,
                     const char *text);
void tl_session_mark(struct tl_session *session, enum fal_mark mark, uint64_t value);

/* Lets time pass until all copies have come so far. */
void tl_session_meet(struct tl_session *session, unsigned stage);

/* Waits until it is quiet (bounded), asks for a barrier and the counters, marks what they
 * prove, and ends timeline and judging. */
void tl_session_finish(struct tl_session *session);

/* Carries out what the tester's endpoint asks for: packets, deliveries, notes. */
void tl_session_drain(struct tl_session *session);
/* Lets go the packets that the gate withholds in the name of `owner`. */
void tl_session_release(struct tl_session *session, const void *owner);
/* Closes the tester's end. */
void tl_session_close(struct tl_session *session);

/* ---- what was seen ---- */

/* The packet or event of that number, or NULL when it is gone or not yet there. */
const struct tl_seen_packet *tl_session_packet(const struct tl_session *session,
                                               uint64_t number);
const struct tl_seen_event *tl_session_event(const struct tl_session *session, uint64_t number);
/* The least number that is still there. */
uint64_t tl_session_first_packet(const struct tl_session *session);
uint64_t tl_session_first_event(const struct tl_session *session);

/* What 0r means in packets of that direction. */
struct fal_relative tl_session_relative(const struct tl_session *session, enum fal_dir dir);
/* A time that parses back, exact, in a unit that reads well: "8us", "1.25ms". */
void tl_session_print_time(uint64_t ns, char *out, size_t cap);
/* "@8us < back dbase=1r" */
void tl_session_print(const struct tl_session *session, const struct tl_seen_packet *packet,
                      char *out, size_t cap);

#endif
