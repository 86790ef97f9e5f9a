/* SPDX-License-Identifier: Apache-2.0
 * roce_scenario.h - a scenario of RoCEv2 (schema talon/roce/1): two ends with queue pairs, what
 * the bridge between them does to their packets, and what must follow. docs/roce.md describes
 * it. */
#ifndef TL_HARNESS_ROCE_ROCE_SCENARIO_H
#define TL_HARNESS_ROCE_ROCE_SCENARIO_H

#include "codecs/text/roce_text.h"
#include "harness/doc/doc.h"
#include "oracles/beyond/dcqcn.h"

#define TL_ROCE_SCHEMA "talon/roce/1"

/* In the order of the words of `steps`: what acts while it is played, then what is judged. */
enum tl_roce_verb {
    TL_ROCE_POST,
    TL_ROCE_RECEIVES,
    TL_ROCE_DROP,
    TL_ROCE_MARK,
    TL_ROCE_DELAY,
    TL_ROCE_DUPLICATE,
    TL_ROCE_CORRUPT,
    TL_ROCE_INJECT,
    TL_ROCE_EXPECT,
    TL_ROCE_EXPECT_NONE,
    TL_ROCE_COUNT,
    TL_ROCE_SPACING,
    TL_ROCE_RATE,
    TL_ROCE_COPIES,
    TL_ROCE_ENDED,
    TL_ROCE_MESSAGES,
    TL_ROCE_VERBS
};
extern const char *const tl_roce_verbs[TL_ROCE_VERBS];

enum tl_roce_side { TL_ROCE_A, TL_ROCE_B, TL_ROCE_EITHER };
enum tl_roce_ecn { TL_ROCE_NOT_ECT, TL_ROCE_ECT1, TL_ROCE_ECT0, TL_ROCE_CE };

/* A step. Texts are borrowed from the document; NULL: not given. Times in ns. */
struct tl_roce_step {
    enum tl_roce_verb verb;
    const char *word[TL_ROCE_VERBS]; /* the member that says the verb: its pattern or name */
    const char *as, *after, *until, *rule;
    int32_t from, to; /* enum tl_roce_side */
    int32_t at;       /* where the packet is seen: the bridge, or its arrival */
    uint64_t length, qp, address;
    uint64_t r_key, nth, times, value; /* value: of receives and messages */
    bool has_least, has_most, has_within, has_for, has_not_before, seen_at_end;
    uint64_t time_ns, by_ns, every_ns, within_ns, not_before_ns, for_ns, start_ns;
    const char *least, *most; /* a number, a rate or a time */
    double stretch;           /* of `least`, where it is a time; 0: none */
    int32_t ecn;              /* mark: enum tl_roce_ecn */
    int32_t status;           /* ended: 0 well, 1 in error */
    struct fal_roce_pattern pattern;
    unsigned line;  /* in the file, from 1 */
    char text[200]; /* for people */
};

struct tl_roce_network {
    uint64_t delay_ns, switch_bps, kmin_bytes, kmax_bytes, pmax_ppm;
};

struct tl_roce_scenario {
    const char *id, *title, *purpose; /* borrowed from `doc` */
    int32_t klass;                    /* 0 valid, 1 invalid, 2 inopportune */
    uint64_t version;
    const json_t *rules, *needs, *tags, *claims; /* lists of texts */
    const char *preset;                          /* of DCQCN: "nic" or "paper" */
    bool no_rcm;                                 /* no congestion management is claimed */
    uint64_t rate_bps, min_rate_bps, cnp_interval_ns, answer_ns; /* min_rate_bps 0: the set's */
    uint64_t qps, mtu, timeout_ns, retries, rnr_retries, rnr_code, ack_every, window;
    bool has_receives;
    uint64_t receives; /* UINT64_MAX: any number */
    uint64_t psn;
    struct tl_roce_network network;
    uint64_t for_ns; /* how long it plays at most */
    struct tl_roce_step *steps;
    size_t num_steps;
    struct tl_doc doc;
    char *path;
};

extern const struct fal_shape tl_roce_shape;

/* Reads the scenario in that file. 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_roce_load(const char *path, struct tl_roce_scenario *out,
                          struct fal_error *err);
void tl_roce_free(struct tl_roce_scenario *scenario);

/* What is declared of two real ends; 0: as the scenario says. */
struct tl_roce_declared {
    uint64_t answer_ns;       /* the longest time from a packet to its answer, both ways */
    uint64_t timeout_ns;      /* the shortest retransmission timeout */
    uint64_t cnp_interval_ns; /* N */
    bool direct; /* between Talon and an end nothing marks, loses or duplicates packets */
    bool no_rcm, no_ect; /* no congestion management; data are not ECT */
};
/* Reads "NAME=TIME", "direct=yes", "rcm=no" or "ect=no". Returns 0, or FAL_ERR_FORM with a
 * clause. */
MUST_USE int tl_roce_declare(struct tl_roce_declared *declared, const char *text,
                             struct fal_error *err);
/* Gives the steps of a scenario the times of those ends: answers may take longer by answer_ns;
 * times that follow from the timeout, or from N, are in proportion to it. */
void tl_roce_adapt(struct tl_roce_scenario *scenario, const struct tl_roce_declared *declared);

/* "5Gb/s", "400Mb/s", "60%" of `line_bps`. Returns 0, or FAL_ERR_FORM with a clause. */
MUST_USE int tl_roce_rate(const char *text, uint64_t line_bps, uint64_t *out,
                          struct fal_error *err);
/* Whether a list of texts has the word. */
bool tl_roce_has(const json_t *list, const char *word);

#endif
