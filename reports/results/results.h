/* SPDX-License-Identifier: Apache-2.0
 * results.h - what a run came to: cases, their verdicts, and for each that did not pass what
 * was due, what was seen, and the packets that show it. Filled in by the runner; everything
 * printed is rendered from it (report.h). It holds no wall-clock time and no host name: a run
 * in virtual time gives the same bytes again. */
#ifndef TL_REPORTS_RESULTS_RESULTS_H
#define TL_REPORTS_RESULTS_RESULTS_H

#include "codecs/base/arena.h"
#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "oracles/catalogue.h"
#include "oracles/limits/ixit_limits.h"
#include "oracles/rule_ratios.h"
#include "oracles/rules/judge/judge.h"
#include "oracles/timeline.h"
#include "reports/results/learned.h"
#include "reports/results/reason.h"
#include "reports/results/spent.h"
#include "reports/results/symptom.h"

#define TL_RESULTS_SCHEMA "talon/results/1"

enum tl_problem_kind {
    TL_PROBLEM_STEP,     /* a step was not met */
    TL_PROBLEM_RULE,     /* a rule was violated, by the SUT or by the tester */
    TL_PROBLEM_EXERCISE, /* a rule that should have been decided was not */
    TL_PROBLEM_BENCH,    /* the tester, the link or the adapter failed */
    TL_PROBLEM_STOP,     /* the SUT stopped after it was given a packet */
};

/* Shown beside the verdict; it never replaces the verdict. */
enum tl_disposition {
    TL_RAN,            /* nothing to add to the verdict */
    TL_NOT_APPLICABLE, /* the SUT's ICS denies what it needs */
    TL_SKIPPED, /* not run: it may leave the device unusable, and --allow may-wedge was not
                   given */
    TL_NOT_RUN, /* the run stopped before it */
    TL_WAIVED,  /* what it shows was agreed to */
    TL_EXPECTED_FAILURE, /* what it shows was foretold */
    TL_UNEXPECTED_PASS,  /* a failure was foretold, and did not come */
    TL_FLAKY,            /* listed as such: passed k times of n */
};

enum { TL_FINGERPRINT_LEN = 16, TL_SYMPTOMS_MAX = 3 };

/* The entries of a ladder diagram of a case, in the order in which they happened. */
enum tl_flow_kind {
    TL_FLOW_PACKET,
    TL_FLOW_LOST,  /* a packet of the tester's end that the bench took away before the wire */
    TL_FLOW_TIMER, /* one of the tester's own end ran out */
    TL_FLOW_STEP,  /* a step of the scenario began */
    TL_FLOW_ULP,   /* an event or a command of the SUT's upper layer */
    TL_FLOW_MARK,  /* about the bench: late, a gap, ... */
    TL_FLOW_NOTE,
    TL_FLOW_GAP, /* `event` others are left out here */
};

enum { TL_FLOW_HEAD = 72 }; /* bytes of the longest Falcon header */

struct tl_flow_item {
    enum tl_flow_kind kind;
    uint64_t t_ns, event; /* index on the timeline */
    bool to_sut;          /* PACKET, LOST */
    bool marked;          /* it shows a problem */
    bool again;           /* a retransmission: this PSN went that way before */
    bool dropped;         /* PACKET from the SUT: the bench keeps it from the tester's end */
    int32_t step;         /* that sent it, or began; or -1 */
    uint64_t message;     /* PACKET: of RDMA, that it is a part of; 0: of none */
    uint64_t post;        /* of RDMA verbs, that it is, carries or completes; 0: none */
    uint64_t command;     /* of NVMe, that it is, carries or completes; 0: none */
    unsigned part;        /* of a split command, to which it belongs: 1, 2; 0: none */
    unsigned ncmd;        /* of the command, that it carries; from 1, 0: none */
    char *text;           /* a packet as in the notation, without time and direction */
    uint8_t head_len;
    uint8_t head[TL_FLOW_HEAD];
};

/* A step of the scenario as it is written in its file. */
struct tl_step_line {
    const char *text; /* borrowed */
    unsigned line;
};

/* A packet of the case, as a line of the notation: "@8us < back dbase=1r". */
struct tl_ladder_line {
    char *text;
    bool marked; /* the evidence itself, among its neighbours */
};

struct tl_problem {
    enum tl_problem_kind kind;
    enum fal_verdict verdict;
    struct tl_reason_code reason;
    int32_t step;  /* from 0, or -1 */
    unsigned line; /* line of the step in its file, 0: no line */
    uint64_t t_ns;
    const struct fal_requirement *requirement; /* the requirement that it violates, or NULL */
    /* A step may decide others as well; borrowed, as the case's own. */
    const struct fal_requirement *const *also;
    size_t num_also;
    const struct fal_rule *rule; /* or NULL */
    enum fal_subject subject;    /* the side that violated it */
    char *text;                  /* of the step, or the rule's title */
    char *step_code; /* of the step, for the fingerprint: never shown; NULL: no step, or read
                        back */
    char *expected, *seen, *why; /* lines for people; NULL: no lines */
    struct tl_ladder_line *ladder;
    size_t num_ladder;
    uint64_t evidence[FAL_EVIDENCE_MAX]; /* indices of events that show it */
    size_t num_evidence;
    /* Identifies the failure, independent of times and numbers: tl_case_fingerprint. */
    char fingerprint[TL_FINGERPRINT_LEN + 1];
    const char *waiver; /* id of the entry that waives it, or NULL; borrowed */
    /* What the packets show of it; the most probable first. Its requirement is what was
     * violated, where there is one (tl_problem_blames). */
    enum tl_symptom symptoms[TL_SYMPTOMS_MAX];
    unsigned num_symptoms;
    const char *field; /* canonical name of the field that a step saw differ; NULL: none */
};

struct tl_attempt {
    enum fal_verdict verdict;
    struct tl_reason_code reason;
};

enum { TL_ATTEMPTS_MAX = 16, TL_REPEATS_MAX = 1000 };

/* One of several runs of a case, with a seed of its own. */
struct tl_repetition {
    uint64_t seed;
    enum fal_verdict verdict;
    struct tl_reason_code reason;
};

/* Time that was lost while a case was played on a live link, the worst of each kind, in
 * nanoseconds (struct tl_link_timing says which); and of its first steps, each by itself. */
struct tl_case_timing {
    bool known; /* the link was live */
    uint64_t timer_ns, queue_ns, busy_ns, throttle_ns;
    uint64_t sut_ns; /* time in which the SUT's process did not answer, or reported that it was
                        late */
    uint64_t allowance_ns; /* for path and turnaround, as measured by then */
    uint64_t drops;        /* frames that the receive path lost */
    struct fal_ev_timing *steps;
    size_t num_steps, more_steps; /* more_steps: of which nothing is kept */
};

struct tl_case {
    /* Of the scenario; borrowed. */
    const char *id, *title, *purpose, *file, *kind;
    bool recorded; /* its file is a capture that was played, and no scenario */
    unsigned version;
    const struct fal_requirement *const *covers;
    size_t num_covers;

    uint64_t seed;
    enum fal_verdict verdict;
    struct tl_reason_code reason; /* of a verdict that is not pass */
    enum tl_disposition disposition;
    char *why; /* of the disposition: the condition, the entries, "fail-fast"; or NULL */
    struct tl_repetition *repetitions; /* with --repeat; the verdict is the worst of them */
    size_t num_repetitions;
    unsigned copies;        /* connections that played it at once; 0: one */
    unsigned copy;          /* whose verdict it is, from 1; 0: that of all */
    const char *connection; /* the name of that one, where they have names; or NULL */
    /* Of a SUT that plays several cases, one after another. */
    struct tl_case_life {
        unsigned before;        /* plays of cases on the same SUT before this one */
        char *first;            /* the first of these cases; NULL: there is none */
        enum fal_verdict alone; /* of a play on a new SUT, where the case did not pass; NONE:
                                   there was none */
        char *fresh;            /* why the SUT was reset before and after the case, or NULL */
    } life;
    uint64_t chances, acts; /* how often the planted faults of the built-in SUT could have
                               acted in all plays of the case, and how often they have; 0:
                               none is planted */
    bool mixed;             /* repetitions failed in different ways */
    uint64_t duration_ns;
    struct tl_case_timing timing;
    /* The path as measured during the case, apart from the packets that are judged: by enum
     * fal_dir, how many independent trials, and how many of them were lost. */
    struct tl_case_path {
        bool known;
        struct fal_trials way[2];
    } path;
    struct tl_attempt attempts[TL_ATTEMPTS_MAX];
    size_t num_attempts;
    struct tl_problem *problems; /* the worst first */
    size_t num_problems;
    struct fal_rule_result *rules;
    size_t num_rules;
    struct fal_reading_result *readings; /* that the SUT took, of sentences with several */
    size_t num_readings;
    uint64_t frames;                /* packets of the case, in both directions */
    bool silent;                    /* some to the SUT, and none from it */
    struct tl_ladder_line *packets; /* the whole conversation, when it was asked for */
    size_t num_packets;
    struct tl_step_line *steps; /* of the scenario */
    size_t num_steps;
    struct tl_flow_item *flow; /* of a case that did not pass, when it was asked for */
    size_t num_flow;
    const char *profile;    /* where cases of several were merged, or NULL; borrowed */
    char *evidence;         /* directory of its evidence below the output directory, or NULL */
    char *repeat;           /* the command that reproduces the case */
    struct fal_arena arena; /* what is borrowed above lies there, where a file was read */
};

/* Where cases come from one by one, when they are not in memory all at once. */
struct tl_case_source {
    /* Back to the first. 0, or an error. */
    int (*rewind)(void *ctx, struct fal_error *err);
    /* The next one into *c, which is empty. 1; 0 at the end; an error. */
    int (*next)(void *ctx, struct tl_case *c, struct fal_error *err);
    void *ctx;
};

/* The result of an entry of the waiver file. */
struct tl_waiver_use {
    const char *id, *kind, *reason, *link; /* borrowed; link may be NULL */
    const char *state; /* used, unused, expired, not-tried, other-sut, unexpected-pass */
    size_t cases;      /* that it applied to */
};

/* An ICS item of that name: true, false, or open. */
struct tl_ics_use {
    const char *item;
    int offered; /* 1, 0; -1: not stated */
    bool denied; /* the SUT's own greeting differs */
};

/* What a probe of the SUT shows about an ICS item. */
enum tl_probe_seen { TL_PROBE_UNCLEAR, TL_PROBE_DOES, TL_PROBE_PARTLY, TL_PROBE_DOES_NOT };

struct tl_probe_use {
    const char *item;
    int claimed; /* 1, 0; -1: not stated */
    enum tl_probe_seen seen;
    size_t cases, passed, failed;
    const char *example; /* the first case that failed; borrowed */
    const char *finding; /* "claim not met", "claim met in part", "ability denied", "ability not
                          * declared"; or NULL */
};

/* A reading that the SUT took in some cases. */
struct tl_reading_use {
    const char *id, *text;
    bool alternative;
    size_t cases;
};

/* A rule that a learned turnaround kept from deciding (struct tl_learned). */
struct tl_weak_rule {
    const struct fal_rule *rule;
    uint64_t instances; /* that conform only with the learned value */
    size_t cases;
};

/* A rule that decides nothing with the values of the SUT, where a case has no values of its own
 * (oracles/rule_ratios.h). */
struct tl_low_ratio {
    const struct fal_rule *rule;
    char why[FAL_RATIO_TEXT_MAX]; /* the values, and what to do */
};

/* A declared value of the SUT that takes rules their power (oracles/limits/ixit_limits.h). */
enum {
    TL_COSTLY_MAX = FAL_LIMIT_COUNT + 2 /* turnaround and pipeline against measured ones */
};
struct tl_costly {
    char value[32]; /* its name */
    char why[FAL_LIMIT_TEXT_MAX];
    bool measured; /* it is implausible against answers that were measured */
};

/* Cases that failed for one reason (reports/causes). Borrows from its struct tl_causes. */
struct tl_cause {
    enum fal_verdict verdict; /* of its cases: fail, warn, inconclusive, error */
    const struct fal_requirement *requirement; /* that they show to be violated; or NULL */
    const struct fal_rule *rule;               /* that shows it most often; NULL: steps do */
    enum tl_symptom symptom;                   /* that is seen most often, or NONE */
    enum tl_reason reason;                     /* of a cause without a requirement */
    enum fal_subject subject;
    size_t cases; /* explained by it, and by none of those before it */
    size_t shown; /* cases that show it */
    int follows;  /* the cause from which it follows (its index), or -1: an independent one */
    double score;
    const struct fal_requirement *also[4]; /* violated by the same evidence */
    size_t num_also;
    const char *examples[4]; /* ids of cases, the simplest first */
    size_t num_examples;
};

enum { TL_READINGS_MAX = 128 };

struct tl_results {
    const char *version; /* of the tool */
    const char *sut;     /* as it was named on the command line */
    char *product;       /* its description of itself, or NULL */
    bool live;
    /* Of a live link, before the first case: how late the tester's own timers were, and how
     * long the SUT took to answer on its control channel (answer_max_ns 0: not measured). */
    uint64_t timer_late_ns, answer_min_ns, answer_max_ns;
    struct tl_learned learned;               /* before the first case; or nothing */
    struct tl_weak_rule weak[FAL_RULES_MAX]; /* by tl_results_gather */
    size_t num_weak;
    uint64_t seed;
    char *vendor, *product_name,
        *firmware;         /* the identity with which waivers are compared; may be NULL */
    const char *profile;   /* or NULL */
    struct tl_case *cases; /* in the order of the files */
    size_t num_cases;
    struct tl_case_source *source; /* of cases, instead of those; or NULL */
    const struct tl_tally *tally;  /* the totals, if they are known; or NULL */
    size_t deselected;             /* cases that were read and not asked for */
    unsigned shard, shards;        /* this is shard `shard` of `shards`; 0: of no shards */
    size_t other_shards;           /* cases that are theirs */
    uint64_t selection;            /* hash of the ids of the cases of all shards; 0: of none */
    uint64_t *places;              /* of a shard: where its cases stand among those of all */
    size_t num_places;
    struct tl_waiver_use *waivers;
    size_t num_waivers;
    struct tl_ics_use *ics;
    size_t num_ics;
    struct tl_probe_use *probe; /* of --probe, item by item; or NULL */
    size_t num_probe;
    struct tl_reading_use readings[TL_READINGS_MAX]; /* by tl_results_gather */
    size_t num_readings;
    /* The path, measured by probes before the run (talon path-check): of so many, so many were
     * lost on one of the two ways. */
    bool has_path;
    struct fal_trials path;
    struct tl_low_ratio low[FAL_RATIO_COUNT]; /* by tl_results_ratios */
    size_t num_low;
    struct tl_costly costly[TL_COSTLY_MAX]; /* by tl_results_ratios, tl_results_measured */
    size_t num_costly;
    const struct tl_cause *causes; /* for the writer of JSON; or NULL */
    size_t num_causes;
    bool strict;                       /* waivers that have no use fail the run */
    bool interrupted;                  /* before all cases were played */
    char bench_broken[FAL_ERROR_TEXT]; /* why no case was played; "": the bench works. It is not
                                          saved: the first case says the same */
    int status;                        /* the exit status of the run */
    size_t bad_files;                  /* that could not be read; reported elsewhere */
};

enum {
    TL_VERDICTS = FAL_VERDICT_ERROR + 1,
    TL_DISPOSITIONS = TL_FLAKY + 1,
    TL_PROBLEM_KINDS = TL_PROBLEM_STOP + 1,
    TL_FLOW_KINDS = TL_FLOW_GAP + 1,
    TL_PROBE_SEEN = TL_PROBE_DOES_NOT + 1,
};
/* The words of the enums, as in the file; tl_disposition_names[TL_RAN] is "". */
extern const char *const tl_problem_kind_names[TL_PROBLEM_KINDS],
    *const tl_flow_kind_names[TL_FLOW_KINDS], *const tl_disposition_names[TL_DISPOSITIONS],
                                                  *const tl_probe_seen_names[TL_PROBE_SEEN];

/* Iterates over all cases, in memory or in a file. */
struct tl_cases {
    const struct tl_results *results;
    size_t next;
    struct tl_case now; /* of a source */
    int rc;             /* 0, or the error that ended the iteration */
    struct fal_error err;
};
void tl_cases_begin(struct tl_cases *it, const struct tl_results *results);
/* The next, valid until the next call; NULL at the end, or with it->rc. A caller that stops
 * earlier calls tl_cases_end. */
const struct tl_case *tl_cases_next(struct tl_cases *it);
void tl_cases_end(struct tl_cases *it);

/* Adds something to the flow; it is to be filled in. NULL when out of memory. */
struct tl_flow_item *tl_case_flow(struct tl_case *c);
/* "packet", "lost", "timer", "step", "ulp", "mark", "note", "gap". */
const char *tl_flow_kind_name(enum tl_flow_kind kind);

/* Adds a problem and returns it to be filled in; NULL when out of memory. */
struct tl_problem *tl_case_problem(struct tl_case *c);
/* The requirement that it violates as far as is known: that of its first symptom, else its own;
 * or NULL. */
const struct fal_requirement *tl_problem_blames(const struct tl_problem *p);
/* Adds a line; false when out of memory. */
bool tl_ladder_add(struct tl_ladder_line **lines, size_t *count, const char *text, bool marked);
/* Frees what a case holds (not the case). */
void tl_case_clear(struct tl_case *c);

/* Whether the case was played. */
bool tl_case_ran(const struct tl_case *c);
/* What it counts for: its verdict, or none where it was not played, waived, expected or listed
 * as flaky. */
enum fal_verdict tl_case_counts(const struct tl_case *c);
/* Fills in the fingerprint of each problem: a hash of the ids of scenario, rule and
 * requirement, the kind, the verdict, the reason and the code of the step (fingerprint.c).
 * Words that people read are no part of it. A problem for which there is no memory gets none:
 * no waiver fits it. */
void tl_case_fingerprint(struct tl_case *c, const char *scenario_id);

/* Lists the rules that are below their ratio with the values that the SUT declared. */
void tl_results_ratios(struct tl_results *results, const struct fal_params *declared);
/* Adds a declared turnaround or pipeline allowance (0: it is not declared) that is implausibly
 * long against `answers` measured ones, of which the longest took `longest_ns`. */
void tl_results_measured(struct tl_results *results, const struct fal_params *declared,
                         uint64_t answers, uint64_t longest_ns);

/* Collects the readings of all cases, and the rules that a learned turnaround weakened; their
 * texts stay those of the cases. Of cases that come from a source, and do not last, it leaves
 * the list that the source's head has. */
void tl_results_gather(struct tl_results *results);
/* The i-th of them, or NULL. */
const struct tl_reading_use *tl_results_reading(const struct tl_results *results, size_t i);
/* In how many cases the SUT showed another reading of the same ambiguity, to one of which it
 * must keep for a whole run (FAL_AMBIGUITY_FIXED). */
size_t tl_results_contradicting(const struct tl_results *results,
                                const struct tl_reading_use *use);

/* The totals of all cases. */
struct tl_tally {
    size_t cases, ran;
    size_t ended[TL_VERDICTS];        /* cases that ran and ended with that verdict */
    size_t counted[TL_VERDICTS];      /* cases that count for it (tl_case_counts) */
    size_t disposed[TL_DISPOSITIONS]; /* cases of that disposition */
    enum fal_verdict worst;           /* of all cases that ran */
    enum fal_verdict worst_counted;
    uint64_t duration_ns;
    struct tl_spent spent[FAL_RULES_MAX]; /* by rule (fal_rule_number), of cases that ran */
    struct fal_trials path[2];            /* during the cases, by enum fal_dir */
};
/* 0, or why the cases could not be had, with `err` (may be NULL). */
MUST_USE int tl_results_tally(const struct tl_results *results, struct tl_tally *out,
                              struct fal_error *err);
/* One more case. */
void tl_tally_add(struct tl_tally *tally, const struct tl_case *c);
/* The path before and during the cases, by enum fal_dir. */
void tl_tally_path(const struct tl_tally *tally, const struct tl_results *results,
                   struct fal_trials out[2]);
/* The i-th rule that excused more by losses than is believed of the path, so that it reads
 * inconclusive over the run; false: there are not so many. */
bool tl_tally_suspect(const struct tl_tally *tally, const struct tl_results *results, size_t i,
                      struct fal_suspect *out);
/* The worst verdict that counts; inconclusive where it would be better, and such a rule is. */
enum fal_verdict tl_tally_verdict(const struct tl_tally *tally,
                                  const struct tl_results *results);
/* Exit status: 4 an error or an interruption, 2 bad files or nothing ran, 1 a failure (or with
 * `strict` a waiver without use), 3 inconclusive (tl_tally_verdict), 0; the first that applies.
 */
int tl_tally_status(const struct tl_tally *tally, const struct tl_results *results);

/* The same of results in memory. */
int tl_results_status(const struct tl_results *results);
enum fal_verdict tl_results_verdict(const struct tl_results *results);
size_t tl_results_count(const struct tl_results *results, enum fal_verdict verdict);
size_t tl_results_disposed(const struct tl_results *results, enum tl_disposition disposition);

/* "", "not applicable", "skipped", "not run", "waived", "expected failure", "unexpected pass",
 * "flaky". */
const char *tl_disposition_name(enum tl_disposition disposition);

/* "undeclared", "denied", "claimed", of -1, 0, 1. */
const char *tl_probe_claim_name(int claimed);
/* "unclear", "does", "partly", "does not". */
const char *tl_probe_seen_name(enum tl_probe_seen seen);

/* "step", "rule", "exercise", "bench", "stop". */
const char *tl_problem_kind_name(enum tl_problem_kind kind);

/* The members of a file of results, and of one of its cases (C: struct tl_case). */
extern const struct fal_shape tl_results_shape, tl_case_shape;

/* What a file has besides its cases. */
struct tl_results_head {
    struct tl_results results;
    struct tl_tally tally; /* `ended`, `disposed` and `worst` alone */
};
extern const struct fal_shape tl_results_head_shape;

#endif
