/* SPDX-License-Identifier: Apache-2.0
 * track.h - the facts of one connection that rules share: what each side has sent and claimed,
 * by extended sequence number, and what the SUT's upper layer said. Facts only: what they prove
 * is for the rules to say, and each rule keeps its own state.
 *
 * Rules see an event before it becomes a fact: fal_track_read places a packet among the facts,
 * the rules judge it, fal_track_commit adds it. All order that a fact can prove is order on the
 * timeline: what stands on it later was observed, sent or written later.
 *
 * Numbers are 64 bits wide (judging.md, section 2), so wraps and window shifts need no code of
 * their own. Memory is bounded per outstanding number: facts below a settled base are forgotten
 * after two more windows, so that a late copy can still be compared. */
#ifndef FAL_ORACLES_RULES_FACTS_TRACK_H
#define FAL_ORACLES_RULES_FACTS_TRACK_H

#include "oracles/rules/facts/answers.h"
#include "oracles/rules/facts/echo.h"
#include "oracles/rules/facts/lanes.h"
#include "oracles/rules/facts/limits.h"
#include "oracles/rules/facts/missed.h"
#include "oracles/rules/facts/nacks.h"
#include "oracles/rules/facts/rdma_fact.h"
#include "oracles/rules/facts/ring.h"
#include "oracles/rules/facts/stream.h"
#include "oracles/seq.h"
#include "oracles/timeline.h"

enum { FAL_DIRS = 2, FAL_WINDOWS = 2 };

struct fal_rdma_facts;
struct fal_nvme_seen;
struct fal_ulp;

enum fal_request_flag {
    FAL_REQ_SENT = 1,      /* a copy of the request packet was seen */
    FAL_REQ_RESYNC = 2,    /* a Resync of it was seen */
    FAL_REQ_PLACED = 4,    /* psn and window are set, by either of them */
    FAL_REQ_VARIED = 8,    /* copies differ, or it used two PSNs */
    FAL_REQ_PARTIAL = 16,  /* payload not captured whole, or the lint found an error */
    FAL_REQ_ANSWERED = 32, /* a copy of its pull_data was seen */
    FAL_REQ_ANSWER_VARIED = 64,
    FAL_REQ_ANSWER_PARTIAL = 128,
    FAL_REQ_CLAIMED = 256,        /* its PSN was claimed acknowledged */
    FAL_REQ_ACK_WRITTEN = 512,    /* a `respond` with ack was written */
    FAL_REQ_SELF_ANSWERED = 1024, /* the ULP answered by itself (ulp_ack) */
    FAL_REQ_ANSWER_RESYNC = 2048, /* a Resync of its pull_data was seen */
};

/* One transaction: an RSN of the side that initiates it. */
struct fal_request {
    struct fal_at first;   /* of the request packet; with FAL_REQ_SENT */
    struct fal_at answer;  /* of its pull_data; with FAL_REQ_ANSWERED */
    struct fal_at claimed; /* the first claim; with FAL_REQ_CLAIMED */
    struct fal_at acked;   /* the `respond` with ack; with FAL_REQ_ACK_WRITTEN */
    int64_t psn, answer_psn;
    uint64_t hash, answer_hash;
    uint32_t length, answer_length;
    uint16_t deliveries; /* `request` events read; of the SUT's own: completions */
    uint16_t answers;    /* known answers of the ULP: commands applied, ulp_ack events read */
    uint16_t rnrs;       /* RNRs: commands written, ulp_ack events read */
    uint16_t flags;      /* fal_request_flag */
    uint8_t type, window;
};

/* What a side must obey so that rules about the other side are valid (fal_rule.assumes). */
enum fal_assumption {
    FAL_ASSUME_SAME_PACKET = 1, /* same-packet-on-retransmit */
    FAL_ASSUME_RSN_UNIQUE = 2,  /* one-psn-per-rsn */
    FAL_ASSUME_BASE_SENT = 4,   /* base-not-beyond-sent */
    FAL_ASSUME_BITS = 3,
};

/* Measures how fast a sender's IV runs compared with the vantage's clock. */
struct fal_iv_clock {
    bool started, verified, refuted;
    uint64_t iv, t_ns; /* the anchor */
};

struct fal_track {
    struct fal_connection setup;
    bool turned; /* facts as they are for the other end, if that is the SUT (fal_track_part) */
    struct fal_stream stream[FAL_DIRS]
                            [FAL_WINDOWS]; /* by sender's direction, enum fal_window */
    struct fal_ring requests[FAL_DIRS];    /* struct fal_request, by initiator's direction */
    int64_t rsn_next[FAL_DIRS], rsn_first[FAL_DIRS]; /* first: when the initial one is known */
    bool rsn_started[FAL_DIRS];
    unsigned broken[FAL_DIRS]; /* fal_assumption that this sender broke */
    /* Packets of ours, of third parties were seen. Those of third parties count as ours where a
     * capture was declared to be complete. */
    bool own[FAL_DIRS], foreign[FAL_DIRS];
    bool complete;
    bool undeclared;                       /* a capture that nobody declared to be complete */
    struct fal_missed missed;              /* complete: the first proof that it is not */
    int64_t beyond[FAL_DIRS][FAL_WINDOWS]; /* complete: the highest base that is not believed */
    bool sealed[FAL_DIRS];                 /* packets of that direction have SPIs */
    bool nacked;                           /* there was a NACK, in either direction */
    bool overtaken[FAL_DIRS]; /* and one came after another, younger by the replay margin */
    struct fal_echoes echoes[FAL_DIRS]; /* what that direction sent, by its IVs */
    struct fal_nacks nacks[FAL_DIRS];   /* of what that direction sent */
    /* By the direction of packets: what the engines of the receiver did with their bases. Only
     * those of a subject are kept: of a judge of both ends both. */
    struct fal_lanes lanes[FAL_DIRS];
    uint64_t gap_index[FAL_DIRS]; /* the last mark that its packets went unseen */
    uint64_t last_ns[FAL_DIRS];   /* the last packet */
    bool in_order[FAL_DIRS]; /* Packets are seen in the order of the states that they show. */
    struct fal_iv_clock clock[FAL_DIRS];
    struct fal_answers answers;         /* RNRs and errors of the SUT's upper layer */
    uint64_t wake_ns[2];                /* the first time for which a rule waits, by end */
    uint64_t barrier_index, barrier_ns; /* the last barrier was written then; index 0: none */
    bool rsn_doubt[FAL_DIRS];           /* transactions of that side may have gone unseen */
    bool rsn_lost[FAL_DIRS];            /* Or there was no room for one of them. */
    bool oom;
    bool verbs; /* The SUT's upper layer are its verbs, which make the RDMA headers. */
    bool given; /* The tester tells its upper layer what to send. */
    bool dead;  /* The SUT's connection has ended: a fatal error was reported, or it was closed.
                 */
    /* Since then the policy in force makes the SUT's upper layer hold every answer to a push
     * for so long at least; FAL_NEVER: until a `respond`. */
    uint64_t held_ns;
    uint64_t held_since; /* index of the reply */
    /* What results, or `set`, made of the limits of the SUT since it was opened. */
    struct fal_limits limits;
    struct fal_rdma_facts *rdma; /* NULL: no request with RDMA headers was seen */
};

/* What decides which of two packets of one side is older (fal_surely_before). */
struct fal_point {
    struct fal_at at;
    uint64_t iv, witness, witness_ns; /* witness: as in struct fal_seen */
    bool has_iv, has_witness;
    uint8_t witness_window;
    uint8_t zero[5]; /* as in struct fal_at */
};

/* The numbers that a claim says anything new about: those that fal_stream_news visits. More
 * than FAL_NEWS_MAX are not listed. */
enum { FAL_NEWS_MAX = 32 };
struct fal_news {
    unsigned num;
    struct fal_new {
        int64_t x;
        const struct fal_sent *sent; /* the facts so far about x; NULL: never seen */
        bool ack;                    /* acknowledged; else received */
    } list[FAL_NEWS_MAX];
};

/* A packet placed among the facts. */
struct fal_seen {
    const struct fal_event *event;
    const struct fal_ev_packet *packet;
    const struct fal_falcon *falcon;
    enum fal_dir dir;
    struct fal_at at;
    struct fal_claim claim[FAL_WINDOWS]; /* about the other side's windows */
    bool news; /* a claim may acknowledge a number for the first time */
    struct fal_news fresh[FAL_WINDOWS]; /* what the claims say that is new */
    /* The claims prove that this packet of the other side (index of an event) had arrived, so
     * the state of its window that they show is younger; that of other lanes of the receiver
     * may be older by the pipeline allowance. */
    bool has_witness;
    enum fal_window witness_window;
    uint64_t witness, witness_ns;
    struct fal_point point; /* its place, IV and witness once more, for rules that store them */
    /* reliable packets */
    bool reliable;
    bool doubtful; /* the lint found an error */
    enum fal_window window;
    int64_t x;          /* extended PSN */
    int64_t rsn;        /* extended */
    enum fal_dir space; /* who initiated its transaction */
    unsigned type;      /* of a Resync, that of the packet it replaces */
    uint32_t length;
    uint64_t hash;
    const struct fal_sent *prior;      /* the facts so far about x; NULL: never seen */
    const struct fal_request *request; /* the facts so far about its RSN; NULL: none */
    /* What the RDMA headers of a reliable packet say. Its flags are 0 where there are none; the
     * other members are then not set, nor with FAL_RDMA_OTHER (fal_rdma_has). */
    struct fal_rdma_fact rdma;
    /* Of the first copy of a reliable packet with headers of NVMe; else NULL. */
    const struct fal_nvme_seen *nvme;
};

void fal_track_init(struct fal_track *track, const struct fal_connection *setup);
/* Whether it is a capture that nobody declared to be complete, so that any packet may have gone
 * unseen. */
void fal_track_undeclared(struct fal_track *track, bool undeclared);
void fal_track_free(struct fal_track *track);
/* Makes `to` the facts for the other end of the connection, if that is the SUT. So far they are
 * the same. False: out of memory; `to` is to be freed in any case. */
MUST_USE bool fal_track_part(struct fal_track *to, const struct fal_track *from);
/* Whether the facts of a packet depend on which end is the SUT: one of them may drop it, and
 * the other would not (AMB-27). */
bool fal_track_parts(const struct fal_ev_packet *packet);
/* Makes the facts small; to be unpacked before anything else. */
void fal_track_pack(struct fal_track *track);
void fal_track_unpack(struct fal_track *track);
/* How many bytes the facts need at most beside the struct, without the short lists. */
size_t fal_track_bytes(const struct fal_track *track);
/* Whether memory ran out for some of them. */
bool fal_track_oom(const struct fal_track *track);
/* More is known of a connection that was learned. Facts stay. */
void fal_track_update(struct fal_track *track, const struct fal_connection *setup);

/* Places a well-formed packet of this connection. `event` is borrowed by `seen`. `ulp`: what
 * fal_ulp_decode made of its payload, if that may be RDMA (fal_rdma_likely), else NULL. */
void fal_track_read(struct fal_track *track, const struct fal_event *event,
                    const struct fal_ulp *ulp, struct fal_seen *seen);
/* Calls `visit` for each number that its claim about that window says anything new about, as
 * long as it is no fact. `track`: that of fal_track_read. */
void fal_track_news(const struct fal_track *track, const struct fal_seen *seen,
                    enum fal_window w, void (*visit)(void *ctx, const struct fal_new *fresh),
                    void *ctx);
/* Adds it to the facts. track->oom records when memory ran out. */
void fal_track_commit(struct fal_track *track, const struct fal_seen *seen);

/* `count` packets of one direction (0: unknown) went unseen before t_ns. Even a small count
 * does not bound their numbers, because packets overtake each other on their way to the
 * observer. */
void fal_track_gap(struct fal_track *track, enum fal_dir dir, uint64_t count, uint64_t t_ns,
                   uint64_t index);

/* Whether a packet of that direction without a number of its own (an ACK or NACK) may have gone
 * unseen since that event. */
bool fal_track_may_miss(const struct fal_track *track, enum fal_dir dir, uint64_t since);

enum fal_was_sent { FAL_WAS_SENT, FAL_NOT_SENT, FAL_MAY_BE_SENT };
/* Whether a copy or a Resync of it was sent so far. */
enum fal_was_sent fal_track_was_sent(const struct fal_track *track, enum fal_dir dir,
                                     enum fal_window window, int64_t x);

/* The facts of an RSN (as on the wire) that `space` initiated; NULL when there are none. */
struct fal_request *fal_track_request(struct fal_track *track, enum fal_dir space,
                                      uint32_t rsn);
/* The same, made if necessary; NULL when it lies too far off. */
struct fal_request *fal_track_request_new(struct fal_track *track, enum fal_dir space,
                                          uint32_t rsn);
/* The same for an extended number. */
struct fal_request *fal_track_request_reach(struct fal_track *track, enum fal_dir space,
                                            int64_t rsn);
/* The extended number of an RSN. */
int64_t fal_track_rsn(struct fal_track *track, enum fal_dir space, uint32_t rsn);

/* The lowest RSN that a transaction before `rsn` can have, at most `most` below it. Lower
 * transactions are complete, or forgotten. */
int64_t fal_track_first_rsn(const struct fal_track *track, enum fal_dir space, int64_t rsn,
                            int64_t most);

static inline enum fal_dir fal_dir_other(enum fal_dir dir)
{
    return dir == FAL_TO_SUT ? FAL_FROM_SUT : FAL_TO_SUT;
}

/* Whether the connection is known to be ordered. */
static inline bool fal_track_ordered(const struct fal_track *track)
{
    return track->setup.params.ordered &&
           (track->setup.unknown_params >> FAL_PARAM_AT_ordered & 1) == 0;
}

/* Whether facts of a transaction may have been forgotten, or found no room. */
bool fal_track_request_lost(struct fal_track *track, enum fal_dir space, uint32_t rsn);
/* Whether an unknown transaction of that side may still have been sent. */
bool fal_track_request_may(struct fal_track *track, enum fal_dir space, uint32_t rsn);

/* The capture has one direction only: no packet of a direction was seen, packets of the other
 * direction from a third party were, or the capture was declared to be complete. */
bool fal_track_blind(const struct fal_track *track, enum fal_dir dir);
/* The same, unless the capture was declared to be complete. That such a capture has one
 * direction of a connection only shows at its end: talon check then doubts the violations of
 * rules that ask this (fal_rule.both_ways). */
bool fal_track_deaf(const struct fal_track *track, enum fal_dir dir);

/* The place of an event. */
struct fal_at fal_at_event(const struct fal_event *event);

#endif
