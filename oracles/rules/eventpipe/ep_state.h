/* SPDX-License-Identifier: Apache-2.0
 * ep_state.h - what the rules of event pipelines keep of a trace, and what their files offer
 * each other. Inside this folder only. */
#ifndef FAL_ORACLES_RULES_EVENTPIPE_EP_STATE_H
#define FAL_ORACLES_RULES_EVENTPIPE_EP_STATE_H

#include "oracles/rules/eventpipe/ep_judge.h"

/* Indices of the tally. */
enum fal_ep_rule {
    EP1,
    EP2,
    EP3,
    EP4,
    EP5,
    EP6,
    EP7,
    EP8,
    EP9,
    EP10,
    EP11,
    EP12,
    EP13,
    FAL_EP_RULES
};

/* What the trace or the setup has shown so far. */
enum fal_ep_seen {
    FAL_EP_SAW_SOURCE = 1 << 0,
    FAL_EP_SAW_DROP = 1 << 1,
    FAL_EP_SAW_IN = 1 << 2, /* into a FIFO or the register */
    FAL_EP_SAW_OUT = 1 << 3,
    FAL_EP_SAW_MAP = 1 << 4,
    FAL_EP_SAW_SLICE = 1 << 5,
    FAL_EP_SAW_MERGE = 1 << 6,
    FAL_EP_SAW_START = 1 << 7,
    FAL_EP_SAW_END = 1 << 8,
    FAL_EP_SAW_CONTEXT = 1 << 9,
    FAL_EP_SAW_RATE = 1 << 10,
    FAL_EP_SAW_WIRE = 1 << 11,
    FAL_EP_SAW_STAMPS = 1 << 12,
    FAL_EP_SAW_NEW = 1 << 13,
    FAL_EP_SAW_OVERRIDE = 1 << 14,
    FAL_EP_SAW_OCCUPANCY = 1 << 15,    /* one that is not 0 */
    FAL_EP_SAW_PROCESSOR_ID = 1 << 16, /* so processors are told apart */
    FAL_EP_SAW_SLICE_ID = 1 << 17,     /* in class events: so are slices */
    FAL_EP_SAW_THRESHOLDS = 1 << 18,
    FAL_EP_SAW_ROUND_ROBIN = 1 << 19,
    FAL_EP_SAW_DEFAULT = 1 << 20,
};

enum {
    FAL_EP_QUEUES = 3,
    FAL_EP_READY = FAL_EP_QUEUES, /* the list of events that have left their queue */
    FAL_EP_LISTS,
    FAL_EP_HISTORY = 16, /* rewrites of the class of a kind that are remembered */
    FAL_EP_BINS = 8,
    FAL_EP_BLOCK = 256,     /* flows, or events, that are allocated together */
    FAL_EP_REGISTERED = 16, /* events of one time in the register, at most */
};
#define FAL_EP_NONE UINT32_MAX

/* An event that came in and is not delivered yet. */
struct fal_ep_item {
    struct fal_ep_item *prev, *next; /* in a list of its flow */
    struct fal_ep_flow *flow;
    uint64_t number, at_ns, seq, bytes;
    uint64_t writes; /* of the class of its kind, when it came */
    enum fal_ep_kind kind;
    uint8_t list;     /* it stands in */
    bool queued;      /* it went into the FIFO */
    bool overridden;  /* firmware had the slice while it waited there */
    bool class_fixed; /* a line named its class: `klass` */
    uint32_t klass, slice;
    uint64_t merged_ns; /* it waits in the slice */
};

struct fal_ep_list {
    struct fal_ep_item *first, *last;
};

/* The rates that may be in force between two bursts (EP9). 0: none is known. */
struct fal_ep_pace {
    uint64_t last;                  /* that was told */
    uint64_t before, now;           /* in force at the burst before the last, and at the last */
    uint64_t since_before, since;   /* highest that was told since those */
    uint64_t burst_ns, burst_bytes; /* the last burst */
    double due_ns;                  /* earliest time of the last burst */
    bool begun;
};

struct fal_ep_flow {
    uint32_t id;
    struct fal_ep_list lists[FAL_EP_LISTS];
    uint32_t pending;
    bool had_input, had_start;
    uint64_t unanswered; /* starts without a rate */
    bool lost_track;     /* too many events: nothing can be said of its events any more */
    bool unsure;         /* it is not known which of its events were delivered */
    uint32_t slice;      /* of the map */
    uint32_t last_slice; /* it had before, until: */
    uint64_t lost_ns;
    uint32_t processor, last_processor; /* it runs on, and ran on last */
    bool running;
    uint64_t ended_ns;
    struct fal_ep_pace pace;
    /* The context. */
    bool written; /* `digest` is known */
    bool kept;    /* a context was written and not evicted */
    bool evicted;
    uint64_t digest, before; /* before: until written_ns */
    uint64_t written_ns;
    uint32_t reads_open; /* without a write yet */
    bool override_since_read;
    /* A new flow. */
    bool owes_default;               /* the first rate is due */
    uint64_t default_ns;             /* the default rate and a request came last */
    bool owes_update, update_is_due; /* after the first round trip; its event was delivered */
};

struct fal_ep_slice {
    enum fal_ep_state state;
    bool known;               /* a line of it was seen */
    bool suspect;             /* in the list of slices that sleep over an event */
    uint64_t idle_ns;         /* last time at which it was idle, or moved */
    uint64_t since_ns;        /* since when it is idle with an event */
    uint32_t merged;          /* events that wait in it */
    struct fal_ep_flow *flow; /* of the map */
};

struct fal_ep_processor {
    struct fal_ep_flow *flow, *before; /* it runs, or ran last; and the one before */
};

/* A queue as the round robin sees it. */
struct fal_ep_source {
    uint32_t len, passed_over; /* grants of others while it waited */
    uint64_t since_ns;         /* it is not empty */
};

/* Events that went into the register of the firmware and did not leave it, in this order. */
struct fal_ep_register {
    bool crowded; /* more of them at this time than are kept */
    uint32_t num;
    struct {
        uint32_t flow;
        uint64_t seq;
    } events[FAL_EP_REGISTERED];
};

struct fal_ep_bin {
    uint64_t n, drops;
    double sum; /* of probabilities */
};

/* A check that waits until all lines of its time are known. */
enum fal_ep_check {
    FAL_EP_CHECK_SLICE, /* the slice `index` of `other` (NULL: `flow` itself) was idle */
    FAL_EP_CHECK_MAP,   /* `flow` has the slice `index`, as `other` had by the order of lines */
    FAL_EP_CHECK_LEFT,  /* no event of `flow` is left in the slice `index` */
    FAL_EP_CHECK_READ,
    FAL_EP_CHECK_OPEN,
    FAL_EP_CHECK_RUN, /* processor `index` had ended */
};
struct fal_ep_deferred {
    enum fal_ep_check check;
    const struct fal_ep_event *event;
    struct fal_ep_flow *flow, *other;
    uint32_t index;
    uint64_t digest; /* of the context, by the order of the lines */
};

struct fal_ep_judge {
    struct fal_ep_setup setup;
    struct fal_tally tally;
    struct fal_tally_row rows[FAL_EP_RULES];
    unsigned seen;
    bool no_memory, crowded; /* more lines of this time than are kept */
    uint64_t now_ns, number;
    /* The lines of now_ns, and the checks at their end. */
    struct fal_ep_event *batch;
    size_t num_batch, cap_batch;
    struct fal_ep_deferred *deferred;
    size_t num_deferred, cap_deferred;
    /* Flows by id: a hash of indices + 1. */
    struct fal_ep_flow *flow_blocks[FAL_EP_FLOWS_MAX / FAL_EP_BLOCK];
    uint32_t num_flows, *hash, hash_size;
    struct fal_ep_item *item_blocks[FAL_EP_PENDING_MAX / FAL_EP_BLOCK], *free_items;
    uint32_t num_blocks;
    /* The table of classes. */
    struct {
        uint64_t writes; /* 0: the class is not known */
        uint32_t past[FAL_EP_HISTORY];
        uint64_t at_ns; /* of the last write, where a line of the trace has it */
        bool rewritten; /* by a line */
    } classes[FAL_EP_KINDS];
    struct fal_ep_slice *slices; /* FAL_EP_JUDGED_SLICES */
    struct fal_ep_processor *processors;
    uint32_t suspects[FAL_EP_JUDGED_SLICES], num_suspects;
    struct fal_ep_source sources[FAL_EP_QUEUES]; /* of the register: len is that of `reg` */
    struct fal_ep_register reg;
    bool had_grant;
    uint64_t grant_ns; /* of the last grant */
    struct fal_ep_bin bins[FAL_EP_KINDS][FAL_EP_BINS];
    bool has_doubtful;
    struct fal_ep_event doubtful; /* a drop at occupancy 0, before any other was shown */
    struct fal_ep_item *picked[FAL_EP_PENDING_FLOW_MAX];
};

/* ---- findings (ep_judge.c) ---- */

void fal_ep_held(struct fal_ep_judge *j, enum fal_ep_rule rule);
void fal_ep_excused(struct fal_ep_judge *j, enum fal_ep_rule rule, const char *reason);
/* The rule is violated by the line `event` (NULL: by the end of the trace). */
void fal_ep_broken(struct fal_ep_judge *j, enum fal_ep_rule rule,
                   const struct fal_ep_event *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void fal_ep_warn(struct fal_ep_judge *j, enum fal_ep_rule rule,
                 const struct fal_ep_event *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Keeps a check for the end of this time. */
void fal_ep_defer(struct fal_ep_judge *j, struct fal_ep_deferred deferred);
void fal_ep_excuse_idle_rules(struct fal_ep_judge *j); /* ep_rules.c */
/* Names of kinds and states, for findings. */
const char *fal_ep_kind_name(enum fal_ep_kind kind);
const char *fal_ep_state_name(enum fal_ep_state state);

/* ---- flows and their events (ep_flows.c) ---- */

/* NULL: too many flows, or no memory. */
struct fal_ep_flow *fal_ep_flow_of(struct fal_ep_judge *j, uint32_t id);
struct fal_ep_flow *fal_ep_flow_at(const struct fal_ep_judge *j, uint32_t index);
enum fal_ep_queue fal_ep_queue_of(enum fal_ep_kind kind);
/* Adds an event at the end of a list, or loses track of the flow. */
void fal_ep_item_add(struct fal_ep_judge *j, struct fal_ep_flow *flow,
                     const struct fal_ep_event *event);
void fal_ep_item_move(struct fal_ep_item *item, unsigned list);
void fal_ep_item_remove(struct fal_ep_judge *j, struct fal_ep_item *item);
/* The first event of the list that a line means: kind, number, and bytes where it has them. */
struct fal_ep_item *fal_ep_item_find(const struct fal_ep_list *list,
                                     const struct fal_ep_event *event);
void fal_ep_flows_free(struct fal_ep_judge *j);

/* ---- classes (ep_classes.c) ---- */

void fal_ep_classes_start(struct fal_ep_judge *j);
void fal_ep_table_write(struct fal_ep_judge *j, const struct fal_ep_event *event);
/* The number of writes that an event which comes now has surely behind it. */
uint64_t fal_ep_class_writes(const struct fal_ep_judge *j, enum fal_ep_kind kind);
/* The classes that an event may have, a bit each. */
unsigned fal_ep_class_set(const struct fal_ep_judge *j, const struct fal_ep_item *item);

static inline bool fal_ep_has_class(unsigned set, uint32_t klass)
{
    return klass < 1U << FAL_EP_CLASS_BITS && (set >> klass & 1) != 0;
}

/* ---- the rules: each takes the lines of its points ---- */

void fal_ep_source(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_drop(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_fifo(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_fifo_moment(struct fal_ep_judge *j); /* all lines of this time were seen */
void fal_ep_merge(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_deliver(struct fal_ep_judge *j, struct fal_ep_flow *flow,
                    const struct fal_ep_event *event);
/* An event is lost: who is to blame depends on where it was. */
void fal_ep_lost(struct fal_ep_judge *j, const struct fal_ep_item *item, uint32_t count,
                 const struct fal_ep_event *event);
void fal_ep_rest(struct fal_ep_judge *j); /* the end of a trace that ends at rest */

void fal_ep_wred_start(struct fal_ep_judge *j);
void fal_ep_wred_drop(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_wred_pass(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_wred_end(struct fal_ep_judge *j);

void fal_ep_map(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_map_check(struct fal_ep_judge *j, const struct fal_ep_deferred *d);
/* A line says that the event is in the slice of its flow. */
void fal_ep_map_expect(struct fal_ep_judge *j, struct fal_ep_flow *flow,
                       const struct fal_ep_event *event);
void fal_ep_slice(struct fal_ep_judge *j, const struct fal_ep_event *event);
/* An event waits in the slice from now on. */
void fal_ep_slice_waits(struct fal_ep_judge *j, struct fal_ep_item *item, uint32_t slice);
void fal_ep_slice_moment(struct fal_ep_judge *j);
void fal_ep_slice_end(struct fal_ep_judge *j);

void fal_ep_ccp(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_run_check(struct fal_ep_judge *j, const struct fal_ep_deferred *d);
void fal_ep_rate(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_new_flow(struct fal_ep_judge *j, struct fal_ep_flow *flow);
void fal_ep_rtt_delivered(struct fal_ep_flow *flow);
void fal_ep_wire(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_told(struct fal_ep_flow *flow, uint64_t rate_bps);
void fal_ep_stamps(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_context(struct fal_ep_judge *j, const struct fal_ep_event *event);
void fal_ep_context_check(struct fal_ep_judge *j, const struct fal_ep_deferred *d);

#endif
