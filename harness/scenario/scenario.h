/* SPDX-License-Identifier: Apache-2.0
 * scenario.h - a scenario: what one case does, as read from its file (docs/scenarios.md). Data
 * only; the interpreter (interp.h) plays it. Everything lies in the scenario's arena.
 *
 * The steps lie flat, blocks as headers with jump targets (as a program does), so that playing
 * them needs no recursion: preamble, body, postamble, one behind the other.
 *
 * A step has one verb. To add a verb: an enumerator, a member of the union, a row in
 * types.c, a reader in read_steps.c and a player in interp.c. */
#ifndef TL_HARNESS_SCENARIO_SCENARIO_H
#define TL_HARNESS_SCENARIO_SCENARIO_H

#include "codecs/base/error.h"
#include "harness/claims/ics.h"
#include "harness/doc/expr.h"
#include "harness/doc/json_place.h"
#include "harness/doc/value.h"
#include "harness/scenario/cc_step.h"
#include "harness/scenario/word_step.h"
#include "harness/wire/carrier.h"
#include "harness/wire/protocol.h"
#include "oracles/catalogue.h"
#include "oracles/rules/judge/judge.h"
#include "oracles/timeline.h"

#define TL_SCENARIO_SCHEMA "talon/scenario/1"

enum tl_class { TL_CLASS_VALID, TL_CLASS_INVALID, TL_CLASS_INOPPORTUNE };

enum tl_verb {
    TL_SEND,
    TL_EXPECT,
    TL_EXPECT_NONE,
    TL_EXPECT_NO_EVENT, /* expect_none with an event */
    TL_ULP,             /* and cm */
    TL_EXPECT_ULP,      /* and expect_cm */
    TL_WAIT,
    TL_NOTE,
    TL_LET,
    TL_MEASURE, /* expect with a count, a share, a state */
    TL_AWAIT,
    TL_UNTIL_QUIET,
    TL_ACKS,
    TL_CC,
    TL_WORD,
    TL_ANY_ORDER,
    TL_ALT,
    TL_ON,
    TL_OFF,
    TL_RELEASE,
    TL_IF,
    TL_JUMP, /* over an `else`, out of an alternative: no step of the file */
    TL_REPEAT,
    TL_REPEAT_END,
};

enum tl_part { TL_PART_PREAMBLE, TL_PART_BODY, TL_PART_POSTAMBLE };

enum tl_side { TL_SIDE_SUT, TL_SIDE_TESTER };

/* Members of a ULP event that can be asked for, in the order of messages. */
enum tl_event_member {
    TL_EVENT_RSN,
    TL_EVENT_OP,
    TL_EVENT_LENGTH,
    TL_EVENT_TAG,
    TL_EVENT_REDELIVERY,
    TL_EVENT_ANSWER,
    TL_EVENT_CODE,
    TL_EVENT_NACK_CODE,
    TL_EVENT_MEMBERS,
};

/* Variables that one case can hold. */
enum { TL_VARS_MAX = 256 };

enum { TL_WHAT_MAX = 32 };

struct tl_event_pattern {
    bool is_cm;             /* of a connection manager: */
    char what[TL_WHAT_MAX]; /* "fatal"; "any" */
    enum fal_ulp_kind kind;
    bool given[TL_EVENT_MEMBERS];
    struct tl_value values[TL_EVENT_MEMBERS];
    const struct tl_cc_pattern *entry;  /* of the event "cc"; or NULL */
    const struct tl_word_pattern *word; /* of an event of an upper layer; or NULL */
};

struct tl_assignment {
    char name[FAL_VAR_MAX];
    struct tl_value value;
};

/* What a ULP is told to do, in the words of the control protocol (docs/sut-protocol.md); times
 * by their bare names ("rnr": "10us"). Members of commands and of policy rules. */
enum tl_act_member {
    TL_ACT_REQUEST,
    TL_ACT_EVERY,
    TL_ACT_OP,
    TL_ACT_RSN,
    TL_ACT_ANSWER,
    TL_ACT_AFTER,
    TL_ACT_TIMES,
    TL_ACT_RNR,
    TL_ACT_CODE,
    TL_ACT_LENGTH,
    TL_ACT_TAG,
    TL_ACT_SEED,
    TL_ACT_MEMBERS,
};

struct tl_act_values {
    bool given[TL_ACT_MEMBERS];
    struct tl_value values[TL_ACT_MEMBERS];
};

struct tl_policy {
    struct tl_act_values *rules;
    size_t count;
};

struct tl_param_setup {
    const struct fal_param *param;
    struct tl_value value;
    bool needed; /* the case varies it, or lists it in `needs`: no other value will do */
};

enum tl_act_verb {
    TL_ACT_POST,
    TL_ACT_RESPOND,
    TL_ACT_POLICY,
    TL_ACT_SET,
    TL_ACT_BARRIER,
    TL_ACT_CLOSE,
    TL_ACT_COUNTERS,
    TL_ACT_STATE,
    TL_ACT_CLOCK,
    TL_ACT_ROTATE_KEYS,
    TL_ACT_OPEN,
};

struct tl_act {
    enum tl_act_verb verb;
    const char *rotation;          /* ROTATE_KEYS: which step of it (tl_session_rotate) */
    struct tl_act_values values;   /* POST, RESPOND */
    struct tl_policy policy;       /* POLICY */
    struct tl_param_setup *params; /* SET, OPEN */
    size_t num_params;
    bool randomize_path; /* SET */
    bool refused;        /* OPEN: the SUT must refuse it */
};

struct tl_ids {
    const struct fal_requirement **list;
    size_t count;
};

/* What is wrong with a packet that is sent. */
enum tl_damage {
    TL_DAMAGE_NONE,
    TL_DAMAGE_ICV,
    TL_DAMAGE_SEALED,
    TL_DAMAGE_IV,
    TL_DAMAGE_CUT,
    TL_DAMAGE_HEADER,
    TL_DAMAGE_CLEAR,
};

struct tl_malform {
    struct tl_value truncate, pad, flip;
    bool has_truncate, has_pad, has_flip;
    enum tl_damage damage;
    enum tl_flaw carrier;
};

/* How a packet is sealed, other than our endpoint would. */
struct tl_seal_setup {
    bool has_spi, has_vc, has_older, has_behind, has_ahead, clear;
    struct tl_value spi, vc;
    struct fal_duration older;         /* its IV is of so long ago */
    struct fal_duration behind, ahead; /* so far from the newest IV that was sent */
    enum fal_bad bad;                  /* why its receiver must drop it */
};

/* What its IP header says, other than usual. */
struct tl_ip_setup {
    bool has_ttl, has_ecn;
    struct tl_value ttl, ecn;
};

/* The values that ACKs of the tester give to the congestion control of the SUT. */
struct tl_steer {
    bool on; /* false: from here on as it is */
    bool has_hold, has_delay, has_hops, has_level, has_marks;
    struct fal_duration hold, delay;
    struct tl_value hops, level, marks;
};

/* Something that can be counted or read. */
enum tl_measured { TL_COUNT, TL_SHARE, TL_EVENTS, TL_STATE, TL_WORKLOAD };

/* States of the tester's own endpoint, in the order of their words. */
enum tl_state {
    TL_STATE_TX_RBPSN,
    TL_STATE_TX_RNPSN,
    TL_STATE_TX_DBPSN,
    TL_STATE_TX_DNPSN,
    TL_STATE_RX_RBPSN,
    TL_STATE_RX_DBPSN,
    TL_STATE_OWN,
    TL_STATE_OPEN_INITIATED,
    TL_STATE_OPEN_RECEIVED,
    TL_STATE_QUIET,
    TL_STATE_PATH, /* of the SUT's newest packet with a PSN: source port, flow label; 0: unknown
                    */
};

struct tl_measure {
    enum tl_measured kind;
    enum fal_dir dir;               /* COUNT, SHARE */
    const struct fal_pattern *what; /* COUNT, SHARE */
    const struct fal_pattern *of;   /* SHARE */
    enum tl_side side;              /* EVENTS */
    struct tl_event_pattern event;
    enum tl_state state;
    struct tl_value is;
    int32_t since; /* the step that it counts from; -1: the beginning */
};

/* "rack-tlp", "!rack-tlp", "$len > 64" */
enum tl_comparison { TL_EQ, TL_NE, TL_LT, TL_LE, TL_GT, TL_GE };

struct tl_condition {
    bool compares;
    struct tl_ics_condition ics;
    enum tl_comparison op;
    struct tl_expr a, b;
};

/* What happens to some packets from a step on. */
enum tl_fate {
    TL_FATE_DROP,
    TL_FATE_DELAY,
    TL_FATE_DUPLICATE,
    TL_FATE_REORDER,
    TL_FATE_REWRITE,
    TL_FATE_WITHHOLD,
    TL_FATE_CORRUPT, /* its receiver finds it damaged */
    TL_FATE_MARK,    /* with ECN's CE */
    TL_FATE_PASS,
};

struct tl_reaction {
    const char *name; /* or NULL */
    bool is_event;
    enum tl_side side;
    struct tl_event_pattern event;
    enum fal_dir dir;
    const struct fal_pattern *pattern;
    struct tl_value nth, times, by;
    struct fal_duration delay;
    enum tl_fate fate;
    const struct fal_pattern *rewrite; /* the fields that are set */
    size_t first, end;                 /* its own steps */
};

enum { TL_LOOPS_MAX = 16, TL_BRANCHES_MAX = 64 };

struct tl_step {
    enum tl_verb verb;
    enum tl_part part;
    struct tl_position at; /* in the file */
    const char *where;     /* "steps[3].alt[0][1]" */
    const char *name;      /* or NULL */
    unsigned conn;         /* the connection that plays it, among several */
    const char *text;      /* in one line, for people */
    /* The same for fingerprints: its words stay for ever, whatever `text` says. */
    const char *code;
    struct tl_ids covers; /* what it decides; empty: the scenario's */
    enum fal_time_form time;
    struct fal_duration from, to;
    int32_t anchor; /* AT: counts from that step; -1: from the first */
    union {
        struct {
            const struct fal_pattern *pattern;
            bool adopt;
            struct tl_malform *malform; /* or NULL */
            const uint8_t *payload;     /* or NULL: filled by rsn and seed */
            size_t payload_len;
            struct tl_seal_setup *seal; /* or NULL */
            struct tl_ip_setup *ip;     /* or NULL */
        } send;
        struct {
            const struct fal_pattern **any_of;
            size_t count;
        } expect; /* EXPECT, EXPECT_NONE */
        struct {
            enum tl_side side;
            struct tl_act *act;
        } ulp;
        struct {
            enum tl_side side;
            struct tl_event_pattern *pattern;
        } expect_ulp; /* EXPECT_ULP, EXPECT_NO_EVENT */
        struct {
            struct tl_assignment *list;
            size_t count;
        } let;
        struct tl_measure *measure; /* MEASURE, AWAIT */
        struct tl_steer *steer;     /* ACKS */
        struct tl_cc_step *cc;      /* CC */
        struct tl_word_step *word;  /* WORD */
        struct {
            size_t *heads; /* the first step of each */
            size_t count;
            size_t end; /* the step behind all */
        } block;        /* ANY_ORDER, ALT */
        struct {
            struct tl_reaction *rule;
            size_t end;
        } on;
        const char *target_name; /* OFF, RELEASE */
        struct {
            struct tl_condition *list;
            size_t count, otherwise; /* where it goes on when one does not hold */
        } cond;
        size_t jump;
        struct {
            struct tl_value count;
            char as[FAL_VAR_MAX];
            unsigned depth;
            size_t end; /* REPEAT: behind its end; REPEAT_END: its beginning */
        } repeat;
    } u;
};

/* Network faults of one direction, as they are written. */
enum tl_chance { TL_CHANCE_LOSS, TL_CHANCE_DUPLICATE, TL_CHANCE_REORDER, TL_CHANCES };

struct tl_path_faults {
    bool given[TL_CHANCES];
    struct tl_value chance[TL_CHANCES];
    struct fal_duration reorder_by, latency, jitter;
};

/* Generated traffic of one side. */
struct tl_stream {
    enum tl_side side;
    struct tl_value count, pulls, length, outstanding;
    struct fal_duration think_from, think_to, within;
    bool has_within;
    bool optional; /* they need not complete */
};

enum { TL_STREAMS_MAX = 8, TL_CONNECTIONS_MAX = 16 };

struct tl_playback;

struct tl_scenario {
    struct fal_arena arena;
    const char *path;    /* of the file, as it was given */
    const char *file_id; /* as the file says it */
    const char *id;      /* of the case: the same, or with its parameters "id@len=64,op=push" */
    const char *title, *purpose;
    enum tl_class kind;
    unsigned version;
    struct tl_ids covers;
    struct tl_ics_condition *needs; /* all of them, or the case is not applicable */
    size_t num_needs;
    const struct fal_rule **exercises;
    size_t num_exercises;
    const char **tags;
    size_t num_tags;
    struct tl_exprs exprs;

    struct tl_param_setup *params;
    size_t num_params;
    struct tl_end_setup tester, sut;
    unsigned copies; /* connections that play it at once; 0: as the run says */
    unsigned rounds; /* plays of each case in virtual time, each with a seed of its own; 0: one
                      */
    /* Several connections that play the steps together: for each its name, and the scenario as
     * it is for that one, with the same steps. Those scenarios belong to this one. 0 of them:
     * one connection. */
    const char *conn_names[TL_CONNECTIONS_MAX];
    struct tl_scenario *conns[TL_CONNECTIONS_MAX];
    unsigned num_conns, self; /* self: which of the connections this scenario is for */
    bool has_encap, has_pcid, match_pcid;
    enum fal_encap encap; /* that of the run, where it has none */
    enum tl_upper_layer upper;
    uint64_t pcid[2];        /* by enum tl_side: of packets to that end */
    struct tl_policy policy; /* of the SUT's ULP, before the steps */
    bool auto_acks, auto_retransmission, auto_ulp;
    bool steers; /* a step steers what the SUT learns from ACKs */
    struct tl_assignment *vars;
    size_t num_vars;
    struct tl_path_faults ways[2]; /* by enum fal_dir */
    bool impaired;
    struct tl_stream streams[TL_STREAMS_MAX];
    size_t num_streams;
    struct tl_step *steps;
    size_t num_steps;
    size_t body, postamble;             /* where these parts begin */
    const struct tl_playback *playback; /* a recording is played, no steps; or NULL */
    struct tl_scenario *next;           /* the next case of the same file, or NULL; not owned */
};

/* Reads a scenario from the `len` bytes of JSON at `text`: one case, or a chain of them by
 * ->next where it has parameters; each is freed by itself. `path` names it in messages. On
 * errors NULL, and *errors holds one line each ("file:line:column: path: what, and what was
 * expected"); the caller frees it with free(). NULL with *errors NULL: out of memory. */
struct tl_scenario *tl_scenario_read(const char *path, const char *text, size_t len,
                                     char **errors);
/* Which cases of a file are worth reading, by their ids. */
struct tl_wanted {
    bool (*takes)(const void *ctx, const char *file_id, const char *id);
    const void *ctx;
};
/* The same, but of the cases behind the first only the wanted ones (NULL: all) are read. The
 * first is always read, so that no mistake in a file stays unnoticed. *passed_over counts the
 * others. */
struct tl_scenario *tl_scenario_read_wanted(const char *path, const char *text, size_t len,
                                            const struct tl_wanted *wanted, size_t *passed_over,
                                            char **errors);
/* The same of a document in memory (borrowed, not changed); places in it have no lines. */
struct tl_scenario *tl_scenario_of(const char *path, json_t *document, char **errors);
void tl_scenario_free(struct tl_scenario *scenario);

/* The requirements in `covers` of these cases (a chain) that no step which can be missed and no
 * rule decides: errors, one a line, with their place in the text of the file; the caller frees
 * them. NULL: there are none. */
char *tl_scenario_undecided(const struct tl_scenario *first, const char *text, size_t len);

const char *tl_class_name(enum tl_class kind);
const char *tl_verb_name(enum tl_verb verb);
/* "request", "ulp_ack", "completion"; "rsn", "op", ... */
const char *tl_event_kind_name(enum fal_ulp_kind kind);
const char *tl_event_member_name(enum tl_event_member member);
/* "post", ...; "rnr", ... as scenarios spell it; whether it is a time. */
const char *tl_act_verb_name(enum tl_act_verb verb);
const char *tl_act_member_name(enum tl_act_member member);
bool tl_act_member_is_time(enum tl_act_member member);
/* "push", "pull". */
const char *tl_act_op_name(enum fal_ulp_op op);

/* What Talon knows of the path to the SUT from elsewhere than the SUT. Scenarios read it as
 * variables: $rtt, $path_hops, $path_hops_known, $path_marks;
 * and $sut_cid. */
struct tl_path_known {
    uint64_t rtt_ns;  /* a round trip; 0 in virtual time without delays */
    bool hops_known;  /* the number of routers is declared */
    uint8_t hops;     /* where it is */
    bool marks;       /* a router may mark packets CE: the opposite is not proven */
    uint32_t sut_cid; /* the connection's CID at the SUT, once it is open */
};

/* Gets such a variable by its name, without '$'. Returns false if there is none of that name.
 */
bool tl_path_variable(const struct tl_path_known *path, const char *name,
                      struct tl_expr_value *out);

/* What a connection is set up from. */
struct tl_setup_from {
    struct fal_params defaults; /* of parameters that the scenario does not set */
    struct tl_path_known path;
    uint64_t seed; /* of everything else that it leaves open */
};

/* What the scenario asks of the connection. 0, or FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_scenario_setup(const struct tl_scenario *scenario,
                               const struct tl_setup_from *from, struct fal_connection *out,
                               struct fal_error *err);

/* The i-th connection of the scenario, which may be the only one; NULL: there are no more. */
const struct tl_scenario *tl_scenario_conn(const struct tl_scenario *scenario, unsigned i);

/* The tag of scenarios that are about resources, and about refusals for lack of them. */
#define TL_TAG_RESOURCES "resources"

/* Whether the scenario limits the resources or credits of its connection. */
bool tl_scenario_sets_limits(const struct tl_scenario *scenario);

/* Whether it needs an implementation with limited resources (an item of the ICS). */
bool tl_scenario_needs_pools(const struct tl_scenario *scenario);

#endif
