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
#include "codecs/json/shape.h"
#include "harness/scenario/scenario.h"
#include "harness/session/bench_sut.h"
#include "harness/session/packet.h"
#include "harness/wire/sealer.h"
#include "harness/wire/spis.h"
#include "oracles/endpoint/endpoint.h"
#include "oracles/rng.h"
#include "reports/results/reason.h"

#include <stdio.h>

enum {
    TL_PACKETS_KEPT =
        32768, /* the newest packets of a case; only the judge remembers earlier ones */
    TL_EVENTS_KEPT = 32768,
    TL_FINDINGS_KEPT = 16,
    TL_LINES_MAX = 40000, /* control lines of one case; no case needs a quarter of it */
    /* Bytes of a frame that are kept: for printing a packet without a type, and for the headers
     * of the upper layer, which with Falcon's are at most 88. */
    TL_FRAME_HEAD = 96,
};

/* A packet of the case, in either direction. */
struct tl_seen_packet {
    uint64_t event; /* its index on the timeline */
    uint64_t t_ns;
    enum fal_dir dir;
    enum fal_origin origin;
    int32_t step;
    int header_len; /* as of struct fal_ev_packet */
    struct fal_falcon falcon;
    uint32_t payload_len, len;
    uint32_t path; /* UDP source port or flow label; 0: unknown */
    enum fal_bad bad;
    bool other;         /* of a connection whose initial numbers are not known */
    uint64_t iv;        /* the departure time in its seal, in picoseconds; 0: none */
    uint64_t data_hash; /* of the data behind the headers of RDMA or NVMe; 0: there are none */
    uint8_t head[TL_FRAME_HEAD];
};

/* An event of a ULP or of a connection manager. */
struct tl_seen_event {
    uint64_t t_ns;
    enum tl_side side;
    bool is_cm;
    char what[TL_WHAT_MAX]; /* of a connection manager */
    struct fal_ev_ulp ulp;  /* without its text; of the tester's, without a hash */
    bool is_entry;          /* a queue entry of congestion control */
    enum tl_cc_kind entry_kind;
    uint8_t entry[FAL_CC_ENTRY_LEN];
    bool is_word;  /* an event of an upper layer: */
    uint64_t word; /* its number there (verbs/session_words.h) */
};

/* What a scenario does with a frame on its way between the tester's endpoint and the SUT. */
struct tl_verdict_of_gate {
    bool drop, withhold, corrupt, mark;
    uint64_t delay_ns, copy_delay_ns;
    unsigned copies;      /* more */
    uint64_t overtakers;  /* it waits until so many frames have passed it */
    const uint8_t *bytes; /* the bytes to use instead of its own, of the same length */
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
    bool touched; /* a frame was changed or lost: what the tester's endpoint does since then is
                     the scenario's doing */
    /* Frames that are held back, in no order. Each has its own bytes and its own `order`, which
     * is below `next_order`. */
    struct tl_held *held;
    size_t count, cap; /* count <= cap */
    uint64_t next_order;
};

/* Packets and events are counted from 0 over the case; those from `first` to `next` - 1 are
 * still kept. */
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
struct tl_turned;
struct tl_session_words; /* verbs/session_words.h */
struct tl_need;          /* offer.h */

struct tl_given_params;

struct tl_session_config {
    struct tl_bench *bench; /* borrowed */
    const char *title;      /* of the timeline */
    uint64_t seed;
    uint64_t timeout_ns;            /* of the whole case on a live link */
    uint64_t late_ns;               /* a tester that is later than this is marked as late */
    bool acks, retransmission, ulp; /* what the tester's endpoint does automatically */
    struct fal_twin_set twins;      /* the conforming variants that it uses */
    enum fal_encap encap;           /* of the connection */
    enum tl_upper_layer upper;      /* of the SUT's end of the connection */
    struct tl_pcids pcids;          /* where the connection is sealed */
    const json_t *psp_keys,
        *esp_keys;               /* key files for a SUT that does not send its keys, or NULL */
    struct fal_fault_set faults; /* faults of the tester's own end, for tests of Talon */
    bool judge_steps;            /* the tester's packets are judged, too (turned.h) */
    bool disorder;               /* the scenario delays packets of the tester: for turned.h */
    FILE *timeline;              /* borrowed; NULL: not written */
    /* Called with each event of the case, after the judge has had it. May be NULL. */
    void (*event)(void *ctx, const struct fal_event *event);
    void *event_ctx;
    const struct fal_asking *asking;     /* of the judge, shared by sessions; or NULL */
    const struct tl_given_params *given; /* parameters that the user set; NULL: none */
    const struct tl_ics *ics; /* the features of the SUT, for `if`; NULL: not stated */
    struct tl_bridge *bridge; /* the bridge between two ends (bridge.h), or NULL */
    /* For a copy (mux.h): it has reached this stage; have all? NULL: the case plays alone. */
    bool (*together)(void *ctx, unsigned stage);
    void *together_ctx;
    unsigned copies, copy; /* how many copies, and which one; 0 copies: the case plays alone */
    uint32_t (*other_cid)(void *ctx); /* the CID that the SUT allocated for the next copy */
};

/* Why a session cannot continue: an error of Talon, of the link or of the adapter, or a command
 * that the adapter does not support. */
struct tl_breakage {
    enum tl_reason reason;      /* NONE: it continues */
    bool unsupported;           /* no error: the case is beyond what the adapter offers */
    bool asked;                 /* a command waited for its answer then */
    const struct tl_stop *stop; /* the SUT is a child process and has stopped; of the link */
    struct fal_error what;
};

enum {
    TL_STEPS_TIMED =
        512 /* steps whose times are kept for the results; the timeline has all of them */
};

/* Time that was lost on a live link (session_time.c). */
struct tl_session_time {
    struct tl_link_timing worst; /* lateness of the tester, in this case */
    uint64_t sut_ns; /* the longest time in which the SUT's process did not answer, or reports
                        that it slept */
    uint64_t all_drops;                /* frames that the receive path lost */
    uint64_t late_ns, queue_ns, drops; /* since the last step was over */
    int64_t beat_id; /* id of the command that checks whether the SUT answers; 0: none */
    uint64_t beat_ns, next_beat_ns; /* when it was written; when the next one is due */
    size_t num_steps, more_steps;
    struct fal_ev_timing steps[TL_STEPS_TIMED];
};

/* Stops of the steps on a live link, at which a person looks at the case (session_time.c). */
struct tl_session_pauses {
    bool now;          /* the steps are stopped */
    unsigned count;    /* stops so far; 0 in virtual time, where a stop takes no time */
    int32_t step;      /* before which the first of them was */
    uint64_t first_ns; /* when it began */
    uint64_t since_ns, total_ns; /* when the present or last one began; length of all others */
    uint64_t end_ns;             /* the case's timeout, which does not run meanwhile */
};

enum { TL_UNLIKE_MAX = 400 };

/* The point from which the case was not played as it is written. */
struct tl_unplayed {
    bool known;
    uint64_t t_ns;
};

struct tl_session {
    uint32_t lines;    /* of control, in this case */
    uint64_t grave_ns; /* lost time that may have changed what was seen: half of the shortest
                          timer */
    struct tl_session_config config;
    struct tl_bench *bench;
    struct fal_endpoint *endpoint;
    struct fal_judge *judge;
    struct tl_turned *turned;         /* NULL: not config.judge_steps */
    struct fal_connection connection; /* as the SUT has opened it; */
    struct fal_params wished;         /* the parameters for which it was asked */
    /* The parameters of the SUT that differ and may keep a correct SUT from what the steps
     * expect, in one line; "": none. */
    char unlike[TL_UNLIKE_MAX];
    uint64_t patience_ns; /* instead of the turnaround, if it was learned */
    /* The shortest RTO that either end has had. A SUT whose answers take longer sends copies,
     * and gets them, before an answer can come: attempts may run out. */
    uint64_t least_rto_ns;
    uint32_t conn; /* the endpoint's number of it; 0: not open */

    uint64_t base_ns; /* when the case begins, in the link's time */
    uint64_t last_ns, next_event;
    struct fal_shape_text line;   /* of the timeline, reused */
    uint64_t end_ns;              /* the case's own timeout */
    uint64_t heard_ns;            /* when something last arrived from the SUT */
    uint64_t late_ns, late_at_ns; /* the worst lateness of the tester (0: none); the last one */
    bool steered;                 /* a step chose what ACKs of the tester's endpoint tell */
    bool rto_moved;               /* a step gave the SUT another RTO than the wish */
    bool marked; /* tl_session_mark_frame has set header fields of the next frame */
    uint64_t frames_sent, frames_received;
    uint64_t lost[2]; /* frames that the simulated network lost, as far as it reports them */
    /* Trials of the simulated network before the case, by direction (tl_session_trials). */
    struct fal_trials trials[2];
    bool starved; /* without control: the SUT has no resources left, for an unknown reason */
    unsigned same_time; /* events since time last advanced; virtual links */
    struct tl_breakage broken;
    /* The adapter does not support a step. What a rule finds from here on may follow from that
     * and is no fail; an earlier violation stays one. */
    struct tl_unplayed unplayed;
    struct tl_session_pauses pauses;

    struct tl_gate gate;
    struct tl_packet_log packets;
    struct tl_event_log events;
    size_t num_findings;

    int64_t waits_for; /* id of the command whose answer is awaited, or 0 */
    uint64_t asked_ns;
    bool has_answer_entry; /* of the reply to cc_feed */
    uint8_t answer_entry[FAL_CC_ENTRY_LEN];
    bool answered, answer_ok;
    bool opening;                /* the answer to an `open` of `other` is awaited */
    struct fal_connection other; /* one more connection, which a scenario asks for */
    char answer_error[32];
    char answer_why[200];
    struct tl_session_words *words; /* of upper layers; NULL: there were none */
    void *engines[TL_UPPERS];       /* of the tester's end (words/tester_words.h); NULL: no step
                                       asked for it */
    uint64_t sut_received, sut_sent; /* of a `counters` answer */
    bool lossless;                   /* known when tl_session_finish returns */
    bool doubled_in,
        doubled_out; /* likewise: the path duplicates frames, or has duplicated some */
    bool disordered; /* likewise: a virtual path does not keep the order, or has not kept it */
    uint64_t duplicated[2],
        overtaken[2]; /* what a simulated network had done before the case */
    uint8_t *scratch; /* TL_PAYLOAD_MAX bytes */

    struct tl_sealer *sealer; /* NULL: the connection is not sealed */
    struct fal_endpoint_security security;
    uint64_t unopened;       /* frames of the SUT that differ from what their sender sealed */
    uint64_t clock_ps;       /* the tester's clock at time 0 */
    uint64_t sut_iv;         /* the newest departure time that was seen */
    uint64_t newest_iv;      /* seals of the good packets to the SUT */
    uint32_t new_spi;        /* the SA that the SUT sent last */
    struct tl_spis sut_spis; /* under which the SUT takes packets */
    json_t *new_sa;          /* the SA that the tester sent last */
    json_t *answer_sa;       /* the answer to rotate_keys; borrowed until the next line */
    uint8_t *sealed;         /* TL_SEALED_MAX bytes */

    /* The last members, which are not cleared: findings, and the steps of `time`. */
    struct tl_session_time time;
    struct fal_finding findings[TL_FINDINGS_KEPT];
};

enum { TL_PAYLOAD_MAX = 65535, TL_SEALED_MAX = TL_PAYLOAD_MAX + FAL_HEADER_MAX + TL_SEAL_ROOM };

/* Makes a session on the bench and resets the SUT. NULL when out of memory; else the caller
 * checks ->broken. */
struct tl_session *tl_session_new(const struct tl_session_config *config);
void tl_session_free(struct tl_session *session);

/* Opens the connection that `setup` describes (the tester's end, params), the SUT's end as
 * wished; its answer completes session->connection. Returns 0, or the session is broken. */
MUST_USE int tl_session_open(struct tl_session *session, const struct fal_connection *setup,
                             const struct tl_end_setup *wishes);

uint64_t tl_session_now(const struct tl_session *session);

/* How long an answer may take that waits for no timer: the declared turnaround, the pipeline
 * allowance on the way in and out, as in the rules about ACKs, and the round trip of the path.
 * If the SUT declares no turnaround: the most that an undeclared one may be, and more for a SUT
 * that is slower. */
uint64_t tl_session_answer_ns(const struct tl_session *session);

/* What is known of the path to the SUT, for scenarios. */
static inline struct tl_path_known tl_session_path(const struct tl_session *session)
{
    const struct tl_link_caps *caps = &session->bench->caps;

    return (struct tl_path_known){.rtt_ns = session->bench->path_ns,
                                  .hops_known = caps->hops_declared,
                                  .hops = caps->hops_in,
                                  .marks = !caps->unmarked_in,
                                  .sut_cid = session->connection.sut.cid};
}

/* Whether the link runs in real time. */
/* How the path was measured since the case began, by direction; once a case, at its end. */
void tl_session_trials(const struct tl_session *session, struct fal_trials out[2]);
static inline bool tl_session_live(const struct tl_session *session)
{
    return session->bench->caps.live;
}

/* The link to the SUT; borrowed. */
static inline struct tl_link *tl_session_link(const struct tl_session *session)
{
    return session->bench->link;
}

/* By how much tl_session_answer_ns is longer than what may be relied on: a step that is met
 * only thanks to it is undecided. 0: the turnaround is declared. */
uint64_t tl_session_spare_ns(const struct tl_session *session);
/* Whether the SUT declares its turnaround; else the one of the connection was learned. */
bool tl_session_declared(const struct tl_session *session);
/* Whether an answer that does not come within ns is surely none of a slow SUT that declares no
 * turnaround. True: it declares one, or its answers are far shorter, also than each RTO. */
bool tl_session_decides(const struct tl_session *session, uint64_t ns);

/* Handles one event, at the latest at until_ns. Returns true when that time has come and no
 * earlier event is left. */
bool tl_session_pump(struct tl_session *session, uint64_t until_ns);

/* Breaks the session off, unless it is broken already. */
void tl_session_break(struct tl_session *session, enum tl_reason reason, const char *format,
                      ...) __attribute__((format(printf, 3, 4)));

/* The tester was by_ns late. If that is more than config.late_ns it is marked on the timeline,
 * and ->late_ns keeps the worst. */
void tl_session_late(struct tl_session *session, uint64_t by_ns);

/* ---- lost time (session_time.c) ---- */

/* Asks the link how much time the tester lost, and marks it. */
void tl_session_take_timing(struct tl_session *session);
/* Whether so much time was lost that time-dependent results are undecided. */
bool tl_session_tester_was_late(const struct tl_session *session);
bool tl_session_sut_was_late(const struct tl_session *session);
/* The longest time in which the SUT's process (*sut) or the tester did not run in this case; 0:
 * none that matters, or the link is not live. */
uint64_t tl_session_lost_ns(const struct tl_session *session, bool *sut);
/* Ends a step: records on the timeline when it was due and when it happened. */
void tl_session_step_over(struct tl_session *session, int32_t step, uint64_t due_ns,
                          uint64_t at_ns);

/* Stops the steps before step `step`, and lets them go on. The session itself is not stopped:
 * the caller goes on pumping it, so that the tester's endpoint takes and acknowledges packets.
 * The case's timeout and the timers by which that endpoint retransmits and gives up do not run
 * meanwhile. In virtual time neither function does anything: no time passes.
 * tl_session_resume returns how long the stop took. */
void tl_session_pause(struct tl_session *session, int32_t step);
uint64_t tl_session_resume(struct tl_session *session);
/* Whether it happened after the first stop, so that it may follow from it. */
static inline bool tl_session_after_pause(const struct tl_session *session, uint64_t t_ns)
{
    return session->pauses.count > 0 && t_ns >= session->pauses.first_ns;
}

/* ---- acts of steps ---- */

/* How a packet is sealed on this connection, and whether its receiver must drop it for that
 * reason. */
struct tl_sealing {
    struct fal_seal seal;
    enum tl_spoil spoil;
    enum fal_bad bad;
};

/* Sets the IP header fields of the next frame: ECN bits (-1: the link's default) and TTL (0:
 * the one that the SUT counts hops from, which all other frames have too; AMB-62). */
void tl_session_mark_frame(struct tl_session *session, int ecn, unsigned ttl);

/* Sends a packet as it is, sealed as `how` says. packet->origin and ->step state who sends it.
 * Returns the time at which it left; if the session is broken, the time now. */
uint64_t tl_session_send(struct tl_session *session, const struct tl_packet *packet,
                         const struct tl_sealing *how);
/* How the tester's endpoint would seal a packet that leaves now. */
struct tl_sealing tl_session_sealing(struct tl_session *session);

/* Does a step of a key rotation (9.2.2.3) at one end: "generation" (1), "spi" (2), "peer" (3:
 * it sends under the newest SPI of the other end), "drop" (4), "end" (5); "all" does 1 and 2 at
 * that end and 3 at the other. Returns 0, or the session is broken. */
MUST_USE int tl_session_rotate(struct tl_session *session, enum tl_side side, const char *step);

/* Asks the SUT for one more connection, with these parameters, another CID of the tester and no
 * keys, and closes it when it is open. True: it was open, and *params has what the SUT
 * reported. False: session->broken says why, or the SUT refused it: ->answer_error,
 * ->answer_why. */
bool tl_session_open_other(struct tl_session *session, struct fal_params *params);

/* Writes a command (it takes the reference); the answer will set session->answered. */
void tl_session_command(struct tl_session *session, json_t *command);
/* Whether tl_session_order may be called: the SUT is in this process, and no timeline is kept.
 */
bool tl_session_takes_orders(const struct tl_session *session);
/* The same of a command as a struct, all of whose members fit its table. */
void tl_session_order(struct tl_session *session, struct tl_protocol_command *command);
/* The adapter does not support `need`; remembers it (NULL: it is not remembered), and that the
 * rest of the case is not as it is written. */
void tl_session_unsupported(struct tl_session *session, const struct tl_need *need,
                            const char *why);
/* Pumps until the command is answered. Returns true; false when the session is broken. */
bool tl_session_await_answer(struct tl_session *session);

/* Does an act of the tester's own upper layer. Returns FAL_ERR_RANGE when the endpoint refuses
 * it. */
MUST_USE int tl_session_input(struct tl_session *session, const struct fal_endpoint_in *in,
                              uint32_t *rsn);

/* Notes on the timeline that a step begins, or a text. */
void tl_session_text(struct tl_session *session, enum fal_event_kind kind, int32_t step,
                     const char *text);
void tl_session_mark(struct tl_session *session, enum fal_mark mark, uint64_t value);

/* Waits until all copies have reached this stage. */
void tl_session_meet(struct tl_session *session, unsigned stage);

/* Waits until nothing happens any more (with a limit), asks for a barrier and the counters,
 * marks what they prove, and ends timeline and judging. */
void tl_session_finish(struct tl_session *session);

/* Carries out what the tester's endpoint orders: packets, deliveries, notes. */
void tl_session_drain(struct tl_session *session);
/* Releases the packets that the gate withholds for `owner`. */
void tl_session_release(struct tl_session *session, const void *owner);
/* Closes the tester's end. */
void tl_session_close(struct tl_session *session);

/* ---- what was seen ---- */

/* The packet or event with that number, or NULL when it is no longer or not yet kept. */
const struct tl_seen_packet *tl_session_packet(const struct tl_session *session,
                                               uint64_t number);
const struct tl_seen_event *tl_session_event(const struct tl_session *session, uint64_t number);
/* The least number that is still kept. */
uint64_t tl_session_first_packet(const struct tl_session *session);
uint64_t tl_session_first_event(const struct tl_session *session);

/* The number that 0r stands for in packets of that direction. */
struct fal_relative tl_session_relative(const struct tl_session *session, enum fal_dir dir);
/* Prints a time so that it reads back exactly, in a readable unit: "8us", "1.25ms". */
void tl_session_print_time(uint64_t ns, char *out, size_t cap);
/* The headers of RDMA or NVMe in a packet that was kept. */
void tl_session_ulp(const struct tl_seen_packet *packet, struct fal_ulp *out);
/* "@8us < back dbase=1r" */
void tl_session_print(const struct tl_session *session, const struct tl_seen_packet *packet,
                      char *out, size_t cap);

#endif
