/* SPDX-License-Identifier: Apache-2.0
 * check.h - judges captures and timelines (`talon check`), in one pass; memory grows with the
 * number of connections, not with the file. */
#ifndef TL_HARNESS_CHECK_CHECK_H
#define TL_HARNESS_CHECK_CHECK_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "codecs/json/shape.h"
#include "harness/check/story.h"
#include "harness/doc/shard.h"
#include "oracles/rules/judge/judge.h"
#include "reports/base/status.h"

#include <stdio.h>

struct tl_capture;

enum { TL_CHECK_FINDINGS_MAX = 1000, TL_CHECK_ADDRESS_MAX = 48 };

/* A host: an IPv4 address in the low 32 bits, or an IPv6 address. Zero: none (bare Falcon). The
 * port counts where it names an end (plain UDP); 0: any. */
struct tl_host {
    fal_u128 ip;
    bool v6;
    uint16_t port;
};

/* A connection between two hosts. Side 0 is the SUT of the first judge, side 1 its peer. */
struct tl_check_conn {
    struct fal_connection setup; /* sut: side 0, tester: side 1 */
    struct tl_host host[2]; /* where this side receives; before it did, where it sent from */
    bool known[2];          /* the CID that this side allocated was given or seen */
    bool given;             /* by --connections */
    bool told[2];           /* the judge of that side knows it */
    /* It was inferred that its directions belong together, and is not certain: a violation that
     * one direction proves against the other is not reported. */
    bool uncertain;
    bool heard[2];  /* packets to that side were judged */
    bool over;      /* its directions are judged alone since then */
    bool listed[2]; /* the judge of that side has heard of it */
    uint16_t open;  /* findings whose snippets still need following packets */
    uint64_t born;  /* index of the event at which it became known */
    uint64_t listed_at[2];
};

/* The ends that packets travel between, and how many CIDs each has been addressed by. Ports
 * count where both ends are on one host. */
struct tl_check_path {
    struct tl_host host[2];
    uint32_t cids[2]; /* to host[0], host[1] */
    uint32_t conn;    /* number of the first connection between them */
    bool split;       /* several: which directions belong together cannot be known */
};

#define TL_CHECK_SCHEMA       "talon/check/1"
#define TL_CONNECTIONS_SCHEMA "talon/connections/1"
#define TL_ULP_SCHEMA         "talon/ulp/1"

struct tl_check;
struct tl_check_finding;
typedef void tl_check_found_fn(void *ctx, const struct tl_check *check,
                               const struct tl_check_finding *found);

struct tl_check_options {
    struct fal_frame_options frame;
    struct fal_ev_run run;    /* vantage and properties of the path */
    struct fal_params params; /* of connections of which nothing else is given */
    uint64_t
        given_params; /* bit n: enum fal_param_at n was given, and may be used to fail an end */
    uint64_t doubles_ns; /* the same frame again so soon is the mirror's, 0: it is not */
    bool sut_alone;      /* of a timeline: its tester is not Talon's */
    bool lossy_capture;  /* it may have missed frames anywhere */
    unsigned jobs;       /* threads that judge a capture; 0: one */
    /* Only the connections between some hosts are judged, by one thread, and the results are
     * merged with those of the other shards (check_part.h); 0 of 0: all of them. */
    struct tl_shard shard;
    const char *ulp;                      /* a file of upper-layer events, or NULL */
    bool have_ulp_offset, have_ulp_error; /* else the file says so */
    int64_t ulp_offset_ns;                /* added to its times */
    uint64_t ulp_error_ns;                /* error of its times that remains */
    struct fal_judge_config rules;
    bool have_sut;
    struct tl_host sut; /* only this host is judged */
    /* Called after each frame of a capture with the number of frames so far; NULL: nobody. */
    void (*progress)(void *ctx, const struct tl_capture *capture, uint64_t frames);
    void *progress_ctx;
    /* Called with each finding at the moment when it is found, before the packets around it are
     * known and before it is certain (tl_check_unsure); by the thread that judges. NULL:
     * nobody.
     */
    tl_check_found_fn *found;
    void *found_ctx;
};

/* A finding, by whom it was found: side 0 or 1 as SUT. */
struct tl_check_finding {
    struct fal_finding finding;
    int side;
    struct tl_snippet snippet;
    /* Findings stand in the order in which one thread finds them: by the event and the calls of
     * a judge for it (with both_ends: the side), then by the time when the judge first heard of
     * the connection. */
    uint64_t index, listed_at;
    unsigned call;
};

/* Frames are spread over threads, or processes, by their hosts. Each state
 * that earlier frames leave belongs to one of a fixed number of shards, so that results do not
 * depend on the number of threads or processes.
 */
enum { TL_CHECK_SHARDS = 1024, TL_CHECK_DOUBLES = 1024, TL_CHECK_NEAR = 16 };

/* A frame that was seen not long ago: the same again may be a mirror's. */
struct tl_check_double {
    uint64_t hash, t_ns;
    uint32_t interface;
};

/* The judges of several parts of a capture share these. */
struct tl_check_shared {
    struct fal_asking *asking; /* NULL: each judge has its own */
    struct fal_common *common[2];
    void (*in_turn)(void *ctx); /* fal_judge_config; ctx: the part */
};

struct tl_check {
    const struct tl_check_options *options;
    /* Each takes one side for the SUT; timelines use the first alone. With both_ends the first
     * judges both, and the second is NULL. */
    struct fal_judge *judge[2];
    bool both_ends;
    int judging;   /* the side whose judge runs: for its findings */
    uint64_t now;  /* index of the event at hand */
    unsigned call; /* calls of a judge for it */
    bool finishing;
    bool timeline;
    bool beside_run;            /* the timeline of the same run says what else there was */
    uint64_t index;             /* of the next event: every frame takes one, judged or not */
    uint64_t first_ns, last_ns; /* since 1970; since then, of the newest frame so far */
    uint64_t frame_ns;          /* of the frame before, in the capture's clock */
    uint64_t frames, frames_before; /* of this file, of those before it */
    uint64_t told_dropped;
    uint64_t packets, strangers, damaged; /* judged; no Falcon; spoilt on the way */
    struct tl_check_conn *conns;
    size_t num_conns, cap_conns;
    uint32_t *slots; /* hash of (sender, receiver, CID): connection number * 2 + receiver's side
                        + 1 */
    size_t num_slots, used_slots;
    uint32_t near[TL_CHECK_NEAR]; /* entries of `slots` that were found not long ago, by CID */
    struct tl_check_path *paths;
    size_t num_paths, cap_paths;
    uint32_t *path_slots; /* hash of two hosts, either way round: index + 1 */
    size_t num_path_slots;
    bool any_given;
    struct tl_check_finding *findings;
    size_t num_findings, lost_findings;
    struct tl_story story;
    size_t open[TL_CHECK_FINDINGS_MAX]; /* those whose snippet still needs following packets */
    size_t num_open;
    /* by shard: TL_CHECK_DOUBLES, by hash; NULL as long as there are none */
    struct tl_check_double *recent[TL_CHECK_SHARDS];
    uint64_t doubles;  /* frames that duplicated another frame */
    uint64_t dropped;  /* frames that the capture says it missed */
    bool dropped_late; /* it said so when they may have been missed by a verdict */
    /* The first proof that a capture is not complete although it was declared to be; when
     * finished. */
    struct fal_missed missed;
    uint64_t disorder; /* frames older than the one before */
    uint64_t unnamed;  /* frames of connections whose SUT is not known */
    uint64_t ulp_events, ulp_unplaced;
    bool out_of_memory;
    uint64_t store; /* of a shard: a hash of all frames' times and sizes */
    const struct tl_check_shared *shared; /* by a part; else NULL */
    struct tl_check_shared own_shared;    /* of a shard: `shared` is this */
    struct tl_check_team *team;           /* of a capture that several threads judge */
    struct tl_check_merged *merged;       /* their results (check_merge.h), when finished */
};

/* Before the first capture: if either end of each connection may be the SUT, and what is known
 * of the path is the same either way, one judge judges both ends from now on
 * (fal_judge_config), which is faster than two. 0, or FAL_ERR_MEM. */
MUST_USE int tl_check_unite(struct tl_check *check);

/* 0, or FAL_ERR_MEM. */
MUST_USE int tl_check_start(struct tl_check *check, const struct tl_check_options *options);

/* Fills in all but in_turn. 0, or FAL_ERR_MEM; tl_check_share_free is due in any case. */
MUST_USE int tl_check_share(struct tl_check_shared *shared, const struct tl_check *whole);
void tl_check_share_free(struct tl_check_shared *shared);
/* Starts a part: it knows the connections that were given to the whole. 0, or FAL_ERR_MEM. */
MUST_USE int tl_check_start_part(struct tl_check *part, const struct tl_check *whole,
                                 const struct tl_check_shared *shared);
void tl_check_free(struct tl_check *check);
/* For a timeline that states who the tester is: from now on the first judge judges the tester,
 * too. Call it before any event. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_check_both_sides(struct tl_check *check);

/* Reads a file of connections (docs/formats.md) except the connections themselves: general
 * settings go to the options, *list gets the connections to add, or NULL. Returns FAL_ERR_FORM
 * with `err`. */
MUST_USE int tl_check_setup(const json_t *root, struct tl_check_options *options,
                            const json_t **list, struct fal_error *err);
/* Takes from a document of talon path-check how long a packet takes at most, and how many of
 * its probes were lost (check_path.c). FAL_ERR_FORM with `err`. */
MUST_USE int tl_check_path(const char *file, struct tl_check_options *options,
                           struct fal_error *err);
/* Whether the options do not contradict each other. Returns 0, or FAL_ERR_RANGE with `err`. */
MUST_USE int tl_check_options_ok(const struct tl_check_options *options, struct fal_error *err);
/* "tester", "middle", "sut"; false for any other text. */
bool tl_check_vantage(const char *name, enum fal_vantage *out);

/* Adds a connection set up by a file's entry ({"sut": {...}, "tester": {...}, "params":
 * {...}}). FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_check_add(struct tl_check *check, const json_t *entry, struct fal_error *err);

/* Adds the connections that were given to another check. 0, or FAL_ERR_MEM. */
MUST_USE int tl_check_know(struct tl_check *part, const struct tl_check *whole);

/* A new connection with the options' parameters, of which nothing else is known; NULL when out
 * of memory. */
struct tl_check_conn *tl_check_conn_new(struct tl_check *check);
/* Makes packets that match the `known` CIDs and hosts belong to this connection; the rest is
 * inferred. Returns FAL_ERR_FORM with `err` where they could belong to another one, too. */
MUST_USE int tl_check_conn_given(struct tl_check *check, struct tl_check_conn *conn,
                                 struct fal_error *err);

/* Judges a whole file; packets before an error are judged. Returns FAL_ERR_FORM, FAL_ERR_MEM
 * with `err`. */
MUST_USE int tl_check_capture(struct tl_check *check, const char *path, struct fal_error *err);
MUST_USE int tl_check_timeline(struct tl_check *check, const char *path, struct fal_error *err);
/* From now on the check judges a timeline, whose lines come one by one. 0, or FAL_ERR_MEM. */
MUST_USE int tl_check_timeline_begin(struct tl_check *check);
/* Judges a line of a timeline; the first one names the schema. `number`: from 1. 0, or
 * FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_check_timeline_line(struct tl_check *check, struct fal_span line,
                                    uint64_t number, struct fal_event_storage *storage,
                                    struct fal_error *err);
/* Whether the file begins like a timeline. */
bool tl_check_is_timeline(const char *path);

/* The side of a connection that is the SUT: 0 of a given connection, else the one that --sut
 * names; -1 when it is not known. */
MUST_USE int tl_check_sut_side(const struct tl_check *check, const struct tl_check_conn *conn);
/* An event of the upper layer, the connection manager or the bench, at that time of the
 * capture's clock, or now: to the judges of the SUTs. False when its connection has none. */
bool tl_check_control(struct tl_check *check, uint64_t at_ns, struct fal_event *event);

/* Keeps an event for the snippets, and adds it to those that wait for it. */
void tl_check_tell_story(struct tl_check *check, const struct fal_event *event, bool to_first);

/* An event of a timeline, or of one side's view of a capture. */
void tl_check_event(struct tl_check *check, int side, struct fal_event *event);

/* The connection that a packet belongs to, by its hosts and CID, and the side that it goes to;
 * learned where it is not known. NULL for a packet that is not `whole` and of no known
 * connection, and when memory ran out. */
struct tl_check_conn *tl_check_find(struct tl_check *check, struct tl_host from,
                                    struct tl_host to, uint32_t cid, bool whole, int *receiver);

/* Whether what that rule decides on that connection rests on an uncertain pairing, or on a
 * direction that the capture may not have. */
bool tl_check_unsure(const struct tl_check *check, uint32_t conn, const struct fal_rule *rule);
/* A result's verdict in the report: a violation that depends on an uncertain pairing does not
 * count, and a rule that decided too few of its instances in all of the file does not read
 * pass (fal_judge_enough). */
enum fal_verdict tl_check_result(const struct tl_check *check, int side,
                                 const struct fal_rule_result *result);

/* Decides the packets that waited, at the time of the newest frame. */
void tl_check_finish(struct tl_check *check);
/* The i-th result of the rules for that side, by connection; valid until the next call. NULL at
 * the end. */
const struct fal_rule_result *tl_check_rule(const struct tl_check *check, int side, size_t i);
/* Where a walk over the results of a side is; it begins with zeros. */
struct tl_check_walk {
    size_t at;
    struct fal_result_walk walk;
};
/* The next of these results that has a count (fal_judge_next_result), valid until the next
 * call; NULL at the end. */
const struct fal_rule_result *tl_check_next_rule(const struct tl_check *check, int side,
                                                 struct tl_check_walk *walk);
enum fal_verdict tl_check_verdict(const struct tl_check *check);
/* The i-th reading that the behaviour of that side showed, and the i-th suspect excuse
 * (judge.h); false at the end. */
bool tl_check_reading(const struct tl_check *check, int side, size_t i,
                      struct fal_reading_result *out);
bool tl_check_suspect(const struct tl_check *check, int side, size_t i,
                      struct fal_suspect *out);

/* Prints the results as text or as one JSON object. Returns 0, or FAL_ERR_MEM; errors of the
 * stream are the caller's to notice. */
MUST_USE int tl_check_print(const struct tl_check *check, bool json, FILE *out);

/* The address of a frame's sender or receiver, by its layers (fal_frame_layers); "10.0.0.1",
 * "-" for none. Equality is of addresses alone. */
struct tl_host tl_host_of(const struct fal_frame *frame, uint32_t layers, bool sender);
static inline bool tl_host_eq(struct tl_host a, struct tl_host b)
{
    return a.v6 == b.v6 && a.ip == b.ip;
}
void tl_host_print(struct tl_host host, char out[TL_CHECK_ADDRESS_MAX]);
bool tl_host_read(const char *text, struct tl_host *out);

/* The members of a file of connections, of upper-layer events, and of the report. */
extern const struct fal_shape tl_connections_shape, tl_ulp_shape, tl_check_shape;

#endif
