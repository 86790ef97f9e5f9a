/* SPDX-License-Identifier: Apache-2.0
 * bench_sut.h - the SUT on its link: Talon connects, says hello and measures it once; then many
 * cases (session.h) run on it, one after another. */
#ifndef TL_HARNESS_SESSION_BENCH_SUT_H
#define TL_HARNESS_SESSION_BENCH_SUT_H

#include "codecs/base/error.h"
#include "harness/claims/ics.h"
#include "harness/link/link.h"
#include "harness/session/bench_facts.h"
#include "harness/session/upper.h"
#include "harness/sut/builtin.h"

enum {
    TL_NETWORK_RULES_MAX = 16,
    TL_BENCH_TIMERS = 16,    /* waits of a millisecond that measure the tester itself */
    TL_BENCH_PINGS = 8,      /* round trips that measure the path before a run, */
    TL_BENCH_REPINGS = 32,   /* ... and, spread over time, before a case is tried again */
    TL_BENCH_OLD_CIDS = 128, /* connections whose late frames are still recognised */
    TL_LANES_MAX = 32,       /* cases at the same time on one live SUT */
};

/* Limit of the time of a control command, and the least allowance for a live path: the SUT's
 * process may share the machine with the tester's. */
#define TL_REPLY_TIMEOUT_NS (2 * FAL_S)
#define TL_PATH_FLOOR_NS    (2 * FAL_MS)
#define TL_REPING_GAP_NS    (5 * FAL_MS)

enum tl_target_kind {
    TL_TARGET_BUILTIN,
    TL_TARGET_LIB,
    TL_TARGET_EXEC,
    TL_TARGET_UDP,
    TL_TARGET_RAW,
    TL_TARGET_BRIDGE
};

/* Whether the SUT runs in real time. */
static inline bool tl_target_live(enum tl_target_kind kind)
{
    return kind == TL_TARGET_UDP || kind == TL_TARGET_RAW || kind == TL_TARGET_BRIDGE;
}

struct tl_wire; /* wire_only.h */

/* The SUT and its control channel as given by --sut and --control. */
struct tl_target {
    enum tl_target_kind kind;
    struct fal_fault_set faults;                        /* BUILTIN */
    struct tl_twins twins;                              /* BUILTIN */
    struct tl_limits limits;                            /* BUILTIN */
    struct tl_slow slow;                                /* BUILTIN */
    struct tl_engine engine;                            /* BUILTIN */
    struct fal_impairment impair[2];                    /* BUILTIN: of the simulated network */
    struct fal_simnet_rule rules[TL_NETWORK_RULES_MAX]; /* BUILTIN: of single frames */
    size_t num_rules;
    const char *address; /* UDP: HOST:PORT; RAW: the text after "raw:"; LIB: its path; EXEC: the
                            command; borrowed */
    const char *control; /* UDP, RAW: tcp:HOST:PORT, unix:PATH, NULL: wire only; borrowed */
    unsigned answer_s;   /* LIB, EXEC: seconds of real time for an answer; 0: the default */
    bool fresh;          /* LIB: it must run in a process that no other case has run in */
    struct tl_lib_host *host;    /* LIB: starts its child processes (lib_host.h); or NULL */
    struct tl_live_options live; /* UDP, RAW */
    int warden; /* LIB, EXEC: where process groups are registered (keeper.h); 0: nowhere */
    const struct tl_bench_facts *facts; /* facts of host and path; borrowed, or NULL */
    struct tl_wire *wire; /* without control: the connections that exist; borrowed */
};

struct tl_run_stash;
struct tl_refusals; /* offer.h */

/* A SUT in virtual time that plays several cases without being reset between them: each case
 * closes the connection of the one before it. */
struct tl_bench_life {
    bool on;
    bool begun;              /* the SUT was reset, before the first case */
    char conn[FAL_NAME_MAX]; /* the connection of the case before; "": none */
    uint32_t spi;            /* the last one that the tester issued; 0: none */
    uint64_t received, sent; /* frames that the SUT had counted when the case began; 0 where no
                                frame can be lost */
};

struct tl_bench {
    struct tl_link *link;
    struct tl_upper *upper; /* NULL: there is no control channel; then `wire` is set */
    struct tl_wire *wire;   /* borrowed */
    struct tl_link_caps caps;
    char product[160]; /* the identity that the SUT reports */
    struct tl_ics ics; /* the features that the SUT reports */
    /* Measured before the first case: the lateness of the tester's timers, and how long the SUT
     * took to answer on its control channel; answer_max_ns 0: not measured. */
    uint64_t timer_late_ns, answer_min_ns, answer_max_ns;
    const struct tl_bench_facts *facts; /* as of the target */
    uint64_t path_ns;       /* a round trip to the SUT and back, which $turnaround includes */
    struct tl_pulse *pulse; /* probes of the path, one a case; or NULL */
    unsigned parallel;      /* cases that the adapter allows at the same time; at least 1 */
    uint16_t echo_port;     /* of the SUT, for talon path-check; 0: none */
    unsigned level;         /* the highest level that the adapter offers, 0 to 3 */
    unsigned word_levels[TL_UPPERS]; /* likewise of upper layers: 0 (none), 2 or 3 */
    struct tl_refusals *refusals; /* of a live link: what the adapter does not support; shared
                                     by the benches of copies */
    bool ordered_events; /* the SUT reports the events of a connection in the order in which
                            they happened */
    struct fal_rue_facts rue; /* what its hello says of its Rate Update Engine */
    bool shared; /* Other cases, or copies of this one, use the same SUT at the same time. */
    struct tl_run_stash *stash;        /* of a bridge (run_impl.h); freed by the runner */
    struct fal_payload_hashes *hashes; /* of a SUT in this process, and of its tester; NULL */
    struct tl_bench_life life;
    bool linked; /* the link could be opened */
    bool dead;   /* the bench is unusable; `why` says why */
    struct fal_error why;
    uint32_t old_cids[TL_BENCH_OLD_CIDS]; /* CIDs of the tester's ends of earlier connections */
    size_t num_old_cids;
};

/* Connects to the SUT, says hello and measures the path. Returns 0, or FAL_ERR_IO, FAL_ERR_MEM,
 * FAL_ERR_FORM (it does not speak this protocol) with `err`; the bench is then closed. */
MUST_USE int tl_bench_open(struct tl_bench *bench, const struct tl_target *target,
                           uint64_t seed, struct fal_error *err);
void tl_bench_close(struct tl_bench *bench);
/* Completes the error with which tl_bench_open failed: names what was to be opened, and says
 * what to do. */
void tl_bench_explain(const struct tl_bench *bench, const struct tl_target *target,
                      struct fal_error *err);
/* The same for another bench of the built-in SUT, which has greeted as *like did: it is not
 * asked again. */
MUST_USE int tl_bench_open_like(struct tl_bench *bench, const struct tl_target *target,
                                uint64_t seed, const struct tl_bench *like,
                                struct fal_error *err);

/* The second half of tl_bench_open, for a bench that only has a link. The bench owns the link
 * in any case. */
MUST_USE int tl_bench_greet(struct tl_bench *bench, struct fal_error *err);

/* Reads a line that the link gave, as text or as an object. */
enum tl_upper_got tl_bench_line(struct tl_bench *bench, const struct tl_link_got *got,
                                struct tl_upper_line *out);
/* A command that was numbered and is about to be sent; *object and *line: one of them. */
struct tl_bench_command {
    json_t *object;
    char *line;
    int64_t id;
};
/* Numbers a command (borrowed). `event` may be NULL; its text is valid until tl_bench_write.
 * False when out of memory. */
bool tl_bench_number(struct tl_bench *bench, const json_t *command,
                     struct tl_bench_command *out, struct fal_event *event);
/* Sends it, and frees it. Returns as link->ops->send_line. */
MUST_USE int tl_bench_write(struct tl_bench *bench, struct tl_bench_command *command,
                            struct fal_error *err);

/* Whether a connection with that CID was open recently: a late frame for it does not belong to
 * the current one. */
bool tl_bench_was_open(const struct tl_bench *bench, uint32_t cid);

/* Measures the path with so many round trips, gap_ns apart. The allowance may grow, and never
 * shrinks. Returns as tl_bench_open. */
MUST_USE int tl_bench_measure(struct tl_bench *bench, unsigned pings, uint64_t gap_ns,
                              struct fal_error *err);

/* Lets pass the time in which frames may still be on their way, and forgets what arrives. */
void tl_bench_rest(struct tl_bench *bench);

/* Writes a command (it takes the reference) and waits for its answer; other lines and frames
 * are handled meanwhile. What *reply points to is valid until the next line is read. Returns 0;
 * FAL_ERR_IO (closed, silent), FAL_ERR_TYPE (answered with "unsupported"), FAL_ERR_FORM
 * (another error, or not of the protocol). */
MUST_USE int tl_bench_call(struct tl_bench *bench, json_t *command, struct tl_upper_line *reply,
                           struct fal_error *err);
/* The same of a command as a struct, for a SUT that takes them (tl_session_takes_orders). */
MUST_USE int tl_bench_order(struct tl_bench *bench, struct tl_protocol_command *command,
                            struct tl_upper_line *reply, struct fal_error *err);

#endif
