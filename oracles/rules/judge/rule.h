/* SPDX-License-Identifier: Apache-2.0
 * rule.h - between the judge and its rules. A rule is one file that
 * defines a struct fal_rule_impl, and one line of rule_list.h. It sees events with the facts
 * before them (track.h), keeps its own state per connection and subject, and says how each
 * instance ended (report.h).
 *
 * The same callbacks judge both sides: `in` is the direction towards the subject, `out` from
 * it. */
#ifndef FAL_ORACLES_RULES_JUDGE_RULE_H
#define FAL_ORACLES_RULES_JUDGE_RULE_H

#include "oracles/rules/blocks/blocks.h"
#include "oracles/rules/facts/bag.h"
#include "oracles/rules/facts/entry.h"
#include "oracles/rules/facts/track.h"
#include "oracles/rules/judge/judge.h"
#include "oracles/rules/judge/readings.h"
#include "oracles/rules/judge/tallies.h"
#include "oracles/rules/verbs/objects.h"

/* The path in one direction, as far as rules about the subject may rely on it. At the subject's
 * own port nothing lies between it and the observer. */
struct fal_path {
    bool at_port;
    bool lossless, in_order, no_duplicates;
    bool jitter_known;
    uint64_t jitter_ns; /* J: the longest delay minus the shortest */
};

/* The paths of one subject, and the longest times that a packet takes on them with the error of
 * the clocks. */
struct fal_paths {
    struct fal_path in, out;
    bool round_known; /* a delay was declared, so in_ns and out_ns are valid */
    uint64_t in_ns, out_ns;
};

/* What the run event says about the bench, with additions by marks. */
struct fal_bench {
    struct fal_ev_run run;
    struct fal_paths paths[2]; /* by enum fal_subject, made from `run` (fal_bench_run) */
    bool started;              /* the run event was read */
    uint64_t start_ns;         /* its time, or that of the first event */
    bool stepped;              /* a clock step came */
    uint64_t step_index;       /* the last of them */
    bool control;              /* there is a control channel */
    unsigned open;             /* connections that are open now */
    uint64_t opened;           /* connections that were opened so far */
    struct fal_engine engine;  /* who the SUT's Rate Update Engine is, and whether it is seen */
    bool unseen;      /* a mark said that packets of a connection may have gone unseen */
    bool events_lost; /* the adapter dropped events, so counts of them prove nothing */
    struct fal_objects
        *objects;              /* what the verbs of the SUT made; NULL: no word of them came */
    struct fal_blocks *blocks; /* of NVMe; NULL: no packet and no word of it came */
    uint64_t barrier_index;    /* the last mark of a barrier; 0: none */
};

struct fal_rule_impl;

/* What a callback works with. */
struct fal_ctx {
    const struct fal_rule_impl *impl;
    enum fal_subject subject;
    enum fal_dir in; /* the direction towards the subject: fal_in, fal_out */
    uint32_t conn;   /* 0: that of strays */
    const struct fal_bench *bench;
    const struct fal_judge_config *config;
    struct fal_track
        *track; /* read only, except for lookups; NULL on the connection of strays */
    struct fal_tallies *tallies;   /* of the connection */
    size_t cell;                   /* the rule's, for the subject */
    struct fal_readings *readings; /* of the subject, over all connections */
    void *state;
    uint64_t *wake_ns; /* the first time for which a rule about the subject waits */
    /* The headers of the upper layer in the packet at hand, if they may be those of RDMA or
     * NVMe (fal_rdma_likely, fal_nvme_likely) and the packet fits; else NULL. */
    const struct fal_ulp *ulp;
    uint64_t now_ns, now_index; /* of the event at hand */
    bool takes; /* The event belongs to one connection, so that an instance may take a reading.
                   Events of all connections have no order among them. */
};

/* Requests and completions of the SUT's upper layer are reported, except where there is no
 * control channel, and where that layer is verbs or NVMe, which report completions of their
 * own. */
static inline bool fal_ulp_reports(const struct fal_ctx *c)
{
    return c->bench->control && !c->track->verbs && !c->track->setup.engine;
}

/* How a packet that may be malformed relates to the connection. */
enum fal_fit {
    FAL_FITS,      /* of this connection, and well-formed enough to be a fact */
    FAL_MALFORMED, /* of this connection, but no fact */
    FAL_BAD, /* well-formed, but its receiver must drop it (enum fal_bad): no fact either */
    FAL_STRAY_OLD, /* to an unknown CID, perhaps of an earlier connection */
    FAL_STRAY,     /* to an unknown CID */
};

/* An answer of the SUT's upper layer that is known: a `respond` that was applied, or a ulp_ack
 * event. */
struct fal_told {
    uint32_t rsn;
    enum fal_answer answer;
    uint32_t code;   /* ULP NACK code */
    uint64_t rnr_ns; /* of an RNR; 0: unknown */
    uint32_t length; /* of a respond with data */
    uint64_t hash;   /* of its payload, when has_hash */
    bool has_hash;
    bool held;             /* a respond: the request had no answer before it was written */
    bool timed;            /* An event whose time is known: it happened at since_ns or later, */
    uint64_t since_ns;     /* and before the time of `known`. */
    struct fal_at written; /* of a respond; else that of the event */
    struct fal_at known;   /* the reply, or the event */
};

/* A post that the SUT accepted or refused. */
struct fal_posted {
    bool ok;
    uint32_t rsn; /* of the transaction; when has_rsn */
    bool has_rsn;
    enum fal_ulp_op op;
    uint32_t length;
    uint64_t hash; /* of a push's payload, when has_hash */
    bool has_hash;
    struct fal_at written, known; /* the command, the reply */
};

/* What of a packet, or of the moment at which it comes, can matter to a callback. A callback is
 * not called for a packet that has none of what its row names; such a call must change nothing:
 * no state, no count, no reading (audit.h checks it). Every callback hears the first packet of
 * a connection, and the first after a window was learned anew. */
enum fal_on {
    FAL_ON_BACK = 1,
    FAL_ON_EACK = 2,
    FAL_ON_NACK = 4,
    FAL_ON_ACK = FAL_ON_BACK | FAL_ON_EACK | FAL_ON_NACK, /* fal_falcon_is_ack */
    FAL_ON_FIRST = 8,                                     /* reliable, its number is new */
    FAL_ON_AGAIN = 16,                                    /* reliable, its number is known */
    FAL_ON_RELIABLE = FAL_ON_FIRST | FAL_ON_AGAIN,
    FAL_ON_RESYNC = 32,
    FAL_ON_PULL_DATA = 64,
    FAL_ON_IV = 128,
    FAL_ON_CLOCK = 256, /* the other side's packets have had IVs */
    FAL_ON_CONTROL = 512,
    FAL_ON_ORDERED = 1024,     /* the connection is known to be ordered */
    FAL_ON_BAD = 2048,         /* raw, raw_in: it does not fit (enum fal_fit) */
    FAL_ON_WAITING = 4096,     /* a bag at the front of the rule's state holds something */
    FAL_ON_PACKET = 8192,      /* every packet has it */
    FAL_ON_NEWS = 16384,       /* it may acknowledge a number for the first time */
    FAL_ON_ARRIVES = 32768,    /* reliable, on a path without loss */
    FAL_ON_BEYOND = 65536,     /* reliable, and not surely inside the receive window */
    FAL_ON_LIMITS = 131072,    /* reliable, and a window of its sender is known */
    FAL_ON_NACKED = 262144,    /* there was a NACK on the connection */
    FAL_ON_OURS = 524288,      /* no packet of a third party was seen in its direction */
    FAL_ON_LOSSLESS = 1048576, /* the run says that nothing is lost, either way */
    FAL_ON_RDMA = 2097152,     /* reliable, and may have RDMA headers (fal_rdma_say) */
    FAL_ON_NVME = 4194304,     /* the first copy of a reliable packet with NVMe headers */
    FAL_ON_ANY = 8388607,
    FAL_ON_BITS = 23,
};

/* The events of upper layers that matter to the callback `ulp`. */
enum fal_on_ulp {
    FAL_ON_REQUEST = 1 << FAL_ULP_REQUEST,
    FAL_ON_ULP_ACK = 1 << FAL_ULP_ACK,
    FAL_ON_COMPLETION = 1 << FAL_ULP_COMPLETION,
};

/* A rule: its text for people, and its callbacks. */
struct fal_rule_impl {
    const struct fal_rule *about;
    unsigned power;   /* HOLDS that a pass needs */
    unsigned assumes; /* fal_assumption of the other side */
    /* Each duty is an instance, whether a packet was lost or not; so their number says how many
     * packets could have been lost. Of other rules a loss may be what makes the instance. */
    bool each;
    bool sut_only; /* needs the SUT's events */
    size_t state_size;
    unsigned bags; /* so many struct fal_bag are at the front of the state (FAL_ON_WAITING) */
    unsigned on_raw_in, on_out, on_in; /* fal_on of the callback; 0: every packet matters */
    unsigned on_ulp;                   /* fal_on_ulp; 0: every such event matters */

    void (*raw)(struct fal_ctx *c, const struct fal_event *event, enum fal_fit fit);
    /* Likewise, of a packet to the subject. */
    void (*raw_in)(struct fal_ctx *c, const struct fal_event *event, enum fal_fit fit);
    void (*out)(struct fal_ctx *c, const struct fal_seen *q);
    void (*in)(struct fal_ctx *c, const struct fal_seen *p);
    /* A `request` or `completion` event, a ulp_ack. */
    void (*ulp)(struct fal_ctx *c, const struct fal_event *event);
    /* The reply says that a `respond` was applied, which was written at `written`. */
    void (*applied)(struct fal_ctx *c, uint32_t rsn, enum fal_answer answer,
                    const struct fal_at *written);
    /* The same for every known answer; called after `applied`, or after `ulp`. */
    void (*told)(struct fal_ctx *c, const struct fal_told *told);
    /* The reply to a post was read. */
    void (*posted)(struct fal_ctx *c, const struct fal_posted *posted);
    /* A command was written for the connection. */
    void (*command)(struct fal_ctx *c, const struct fal_event *event);
    void (*cm)(struct fal_ctx *c, const struct fal_event *event);
    /* An entry of the queues to and from the Rate Update Engine; one of the tester when it is
     * written. */
    void (*entry)(struct fal_ctx *c, const struct fal_entry *entry);
    /* A word of the verbs that names the connection, or an object that belongs to none. */
    void (*verbs)(struct fal_ctx *c, const struct fal_said *said);
    /* A word of NVMe about the connection, or about all of them. */
    void (*nvme)(struct fal_ctx *c, const struct fal_nsaid *said);
    /* A request packet of the SUT that a post explains, or none does: in the order of RSNs,
     * each when all before it were seen. */
    void (*explained)(struct fal_ctx *c, const struct fal_explained *explained);
    void (*mark)(struct fal_ctx *c, const struct fal_event *event);
    /* A time for which fal_wake asked has passed; the next event is later. */
    void (*wake)(struct fal_ctx *c);
    /* The connection, or the run, ended. */
    void (*finish)(struct fal_ctx *c);
    /* Frees what the state owns. */
    void (*release)(void *state);
};

/* Every rule, in the order of fal_rules(). */
const struct fal_rule_impl *const *fal_rule_table(size_t *n);

static inline enum fal_dir fal_in(const struct fal_ctx *c)
{
    return c->in;
}

static inline enum fal_dir fal_out(const struct fal_ctx *c)
{
    return fal_dir_other(c->in);
}

/* The stream whose numbers the subject claims, and the one that it sends. */
static inline const struct fal_stream *fal_in_stream(const struct fal_ctx *c, enum fal_window w)
{
    return &c->track->stream[fal_in(c)][w];
}

static inline const struct fal_stream *fal_out_stream(const struct fal_ctx *c,
                                                      enum fal_window w)
{
    return &c->track->stream[fal_out(c)][w];
}

/* Whether a parameter's value was given or declared, so that the SUT may fail because of it. */
static inline bool fal_given(const struct fal_ctx *c, enum fal_param_at param)
{
    return (c->track->setup.unknown_params >> param & 1) == 0;
}

/* Asks for a call of `wake` at the first event after t_ns. */
static inline void fal_wake(struct fal_ctx *c, uint64_t t_ns)
{
    if (t_ns < *c->wake_ns)
        *c->wake_ns = t_ns;
}

/* A list of requirement ids for fal_rule.requirements. */
#define FAL_IDS(...)      \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

/* Each rule's file defines fal_about_ID and fal_rule_ID. */
#define RULE(id)                                 \
    extern const struct fal_rule fal_about_##id; \
    extern const struct fal_rule_impl fal_rule_##id;
#include "oracles/rules/rule_list.h"
#undef RULE

#endif
