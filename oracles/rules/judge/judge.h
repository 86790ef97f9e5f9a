/* SPDX-License-Identifier: Apache-2.0
 * judge.h - the oracle: events in, findings and verdicts out (judging.md). A pure function of
 * the timeline; it plays nothing and shares no logic with the endpoint.
 *
 * Each rule is judged for the SUT, and for the tester's own side too: a break there that no
 * step asked for is an error of ours. FAIL means that no history explains what was seen. */
#ifndef FAL_ORACLES_RULES_JUDGE_JUDGE_H
#define FAL_ORACLES_RULES_JUDGE_JUDGE_H

#include "oracles/rules/facts/missed.h"
#include "oracles/timeline.h"
#include "oracles/verdict.h"

enum fal_subject { FAL_SUBJECT_SUT, FAL_SUBJECT_TESTER };

enum fal_instance { FAL_HOLDS, FAL_EXCUSED, FAL_BROKEN, FAL_UNDECIDED };

/* Excuses and the reasons for UNDECIDED (judging.md, section 3), in the order of reports. */
enum fal_excuse {
    FAL_EXCUSE_IN_LOSS,
    FAL_EXCUSE_OUT_LOSS,
    FAL_EXCUSE_IN_DUP,
    FAL_EXCUSE_OUT_DUP,
    FAL_EXCUSE_IN_REORDER,
    FAL_EXCUSE_OUT_REORDER,
    FAL_EXCUSE_CAPTURE_GAP,
    FAL_EXCUSE_PIPELINE,
    FAL_EXCUSE_RESOURCE_DROP,
    FAL_EXCUSE_STALE_NACK,
    FAL_EXCUSE_CC_UNKNOWN,
    FAL_EXCUSE_CONFIG,
    FAL_EXCUSE_TURNAROUND, /* a learned turnaround or pipeline allowance */
    FAL_EXCUSE_CLOCK,
    FAL_EXCUSE_TESTER_LATE,
    FAL_EXCUSE_WRITE_ORDER, /* more writes of memory than can be tried in every order */
    FAL_EXCUSE_READING,     /* an AMB id, see the finding */
    FAL_EXCUSE_COUNT,
    FAL_EXCUSE_PATHS = FAL_EXCUSE_OUT_REORDER + 1, /* those before it blame the path */
};
const char *fal_excuse_name(enum fal_excuse excuse); /* "in-loss", ... */

struct fal_rule {
    const char *id; /* "R1" */
    const char *title;
    const char *const *requirements; /* catalogue ids it decides, NULL at the end */
    const char *role;                /* who must obey it: receiver, transmitter, target, any */
    const char *needs;               /* wire, wire+initial, wire+config, ulp, queues */
    const char *assumes;             /* of the peer; "" none */
    bool alone;     /* judges each packet alone: what the other side sent does not matter */
    bool both_ways; /* fails the sender if the other end sent nothing that allows a packet; so
                       the other end must be seen (fal_track_deaf) */
    bool shown; /* A violation is shown by the packets and events that it names, whatever else
                   was sent: it counts in a capture that nobody declared to be complete. */
    const char *doc; /* a few sentences: what violates it, and what does not */
};

/* The maximum number of rules: everything kept for each rule (sets, counters, states) has this
 * size. */
enum { FAL_RULES_MAX = 128 };

/* All rules, in the order of reports (rule_list.h). */
const struct fal_rule *const *fal_rules(size_t *n);
/* The rule with that id, in capitals ("R1"), or NULL. */
const struct fal_rule *fal_rule_find(const char *id);
/* The index of the rule in fal_rules(); for any other rule, their number. */
size_t fal_rule_number(const struct fal_rule *rule);

enum { FAL_EVIDENCE_MAX = 4, FAL_SAY_MAX = 320 };

/* One instance that was not a plain HOLDS. */
struct fal_finding {
    const struct fal_rule *rule;
    enum fal_instance instance;
    enum fal_excuse excuse;  /* EXCUSED, UNDECIDED */
    const char *requirement; /* the id that was broken, or NULL */
    enum fal_subject subject;
    unsigned end; /* of a judge of both ends: 1: the tester's end, as the SUT; else 0 */
    uint32_t conn;
    uint64_t t_ns;
    uint64_t evidence[FAL_EVIDENCE_MAX]; /* indices of events: causes first, the effect last */
    size_t num_evidence;
    uint32_t evidence_frames[FAL_EVIDENCE_MAX]; /* their capture frame numbers, 0: none */
    int32_t step;                               /* of the effect, or -1 */
    bool asked; /* subject tester: a step asked for it, so it is not an error */
    bool warn;  /* a warning at most, whatever the requirement says (fal_finding_breach) */
    char expected[FAL_SAY_MAX], seen[FAL_SAY_MAX]; /* for people; packets in the notation */
};

/* The verdict on the subject for a violation: that of its requirement, or a warning if the rule
 * says so. */
enum fal_verdict fal_finding_breach(const struct fal_finding *finding);

/* The result of one rule on one connection for one subject. */
struct fal_rule_result {
    const struct fal_rule *rule;
    enum fal_subject subject;
    uint32_t conn;
    uint64_t holds, broken, undecided;
    uint64_t excused[FAL_EXCUSE_COUNT];
    uint64_t events[FAL_EXCUSE_PATHS]; /* events of the path that explain these excuses */
    enum fal_verdict verdict;          /* none: not exercised */
};

/* The instances that were decided, and those that were not: undecided, or excused by something
 * other than a reading. */
uint64_t fal_result_decided(const struct fal_rule_result *result);
uint64_t fal_result_open(const struct fal_rule_result *result);
/* Whether a rule that decided so many instances of a run or a capture reads pass: all of them,
 * or most, and enough to have shown a fault that acts once in 20 (judging.md, section 18). */
enum { FAL_POWER = 59 };
bool fal_power_enough(uint64_t decided, uint64_t open);

/* What a path was measured to do, apart from the packets that are judged: of so many packets,
 * so many events of loss. */
struct fal_trials {
    uint64_t trials, losses;
};

struct fal_judge_config {
    void (*finding)(
        void *ctx,
        const struct fal_finding *finding); /* BROKEN ones as they are found; may be NULL */
    void *ctx;
    const char *const *only; /* rule ids, NULL at the end; NULL: all */
    const char *const *skip; /* likewise; NULL: none */
    bool sut_alone;          /* the tester's side is not judged */
    /* Either end may be the SUT: each is judged as two judges would do, of which each takes one
     * end for the SUT and judges it alone. Directions and ends of events are those of the first
     * judge; what the run says of the path is the same either way. Such a judge takes no
     * events of upper layers. */
    bool both_ends;
    /* It judges a whole run or capture, not one case of many: excuses that blame the path have
     * a budget. */
    bool whole;
    struct fal_trials trials[2]; /* of the paths, by enum fal_dir; zeros: not measured */
    size_t at_hand_bytes;        /* Memory, in bytes, above which quiet connections are packed
                                    (conns.h);    0: FAL_AT_HAND_BYTES. */
    /* Of fal_asking_new with the same `only`, `skip`, sut_alone and both_ends; borrowed. NULL:
     * the judge makes its own. */
    const struct fal_asking *asking;
    /* For judges that judge the connections of one run in several threads: what they share
     * (fal_common_new; borrowed), and a function that is called, with `ctx`, before a part of
     * it is used that an earlier event of another judge may still change. It returns when none
     * can. NULL: the judge is the only one. */
    struct fal_common *common;
    void (*in_turn)(void *ctx);
    /* Somebody else chose what the SUT's packets carry: the headers of its upper layer are not
     * judged. */
    bool payload_given;
};

struct fal_judge;

/* The readings that the subjects took, of several judges of one run. NULL when out of memory.
 * The caller frees. */
struct fal_common *fal_common_new(void);
void fal_common_free(struct fal_common *common);

/* Which rule hears what: the part of a judge that does not change. Judges that judge one after
 * another, or in several threads, may share it. NULL when out of memory. The caller frees. */
struct fal_asking *fal_asking_new(const struct fal_judge_config *config);
void fal_asking_free(struct fal_asking *asking);

/* NULL when out of memory. The config is copied, its strings are borrowed. */
struct fal_judge *fal_judge_new(const struct fal_judge_config *config);
void fal_judge_free(struct fal_judge *judge);

/* Takes the next event of the timeline. */
void fal_judge_event(struct fal_judge *judge, const struct fal_event *event);

/* Packets of both directions may have gone unseen before that event. To a judge of both ends
 * this is what a mark for packets towards the SUT and then one for packets from it are to each
 * of the two judges. */
void fal_judge_gap(struct fal_judge *judge, uint64_t index, uint64_t t_ns);

/* No more events: decides every instance that waited. Idempotent; FAL_EV_END does it too. */
void fal_judge_finish(struct fal_judge *judge);

/* After finish: results by connection, rule, subject. The i-th, valid until the next call; NULL
 * at the end. */
const struct fal_rule_result *fal_judge_result(const struct fal_judge *judge, size_t i);

/* The same of one end of a judge of both, 0: that of the SUT, or 1: as the judge that takes it
 * for the SUT has them. */
const struct fal_rule_result *fal_judge_result_of(const struct fal_judge *judge, unsigned end,
                                                  size_t i);

/* Where a walk over the results is; it begins with zeros, of a judge of both ends with an end.
 */
struct fal_result_walk {
    size_t conn, entry;
    unsigned end;
};
/* The next of these results that has a count, valid until the next call; NULL at the end.
 * Most have none, and a walk does not look at them one by one. */
const struct fal_rule_result *fal_judge_next_result(const struct fal_judge *judge,
                                                    struct fal_result_walk *walk);

/* How many results each connection (of a judge of both ends: each end of it) has: those of the
 * k-th connection, in the order in which the judge heard of them, begin at k times this number.
 */
size_t fal_judge_results_each(const struct fal_judge *judge);

/* Whether the rule decided enough over all connections to read pass (fal_power_enough). True of
 * a judge that judges one case. */
bool fal_judge_enough(const struct fal_judge *judge, unsigned end, const struct fal_rule *rule);

/* Adds what `other` excused and decided to what `judge` did: they judged different connections
 * of one run. Both are finished. */
void fal_judge_join(struct fal_judge *judge, const struct fal_judge *other);

/* The first proof that a capture is not complete although the run says so
 * (fal_ev_run.complete), or NULL. If there is one, only the results of rules that judge each
 * packet alone count. */
const struct fal_missed *fal_judge_missed(const struct fal_judge *judge);

/* Whether memory ran out, so that results are missing. */
bool fal_judge_failed(const struct fal_judge *judge);

/* Whether a result says anything about its subject. A rule that was only undecided lacked what
 * it needs: that is inconclusive, and no doubt about the subject. One that decided a few of its
 * instances reads inconclusive, too; excuses become a doubt by their budget (fal_suspect). */
bool fal_result_counts(const struct fal_rule_result *result);

/* A reading that the subject took, where several readings are tenable. */
struct fal_reading_result {
    const char *id;     /* "AMB-47" */
    const char *text;   /* which */
    bool alternative;   /* not the default one */
    uint64_t by, by_ns; /* the event that showed it */
    uint32_t by_frame;  /* its frame number in the capture; 0: none */
};
/* The i-th reading that the behaviour of that subject showed, or false at the end. */
bool fal_judge_reading(const struct fal_judge *judge, enum fal_subject subject, size_t i,
                       struct fal_reading_result *out);
/* The same of one end of a judge of both. */
bool fal_judge_reading_of(const struct fal_judge *judge, unsigned end, size_t i,
                          struct fal_reading_result *out);

/* An excuse that a rule, or all rules together, used more often, over all connections, than the
 * path accounts for: the instances that it covers are inconclusive, and the user should test
 * over a path without loss, or measure the path. Of a judge that judges a whole run or capture.
 */
struct fal_suspect {
    const struct fal_rule *rule; /* NULL: all rules together */
    enum fal_excuse excuse;
    uint64_t used, allowed; /* events of the path; of all rules: instances */
    uint64_t of;            /* packets or instances in which they could have happened */
    bool unmeasured;        /* the path was not measured: one in 20 is believed of a rule, and
                               of all rules what the packets of the run show of the path */
};
/* The i-th of them, or false at the end. */
bool fal_judge_suspect(const struct fal_judge *judge, size_t i, struct fal_suspect *out);
/* The same of one end of a judge of both. */
bool fal_judge_suspect_of(const struct fal_judge *judge, unsigned end, size_t i,
                          struct fal_suspect *out);

/* The worst verdict of all results that count; at least inconclusive with a suspect excuse;
 * error when the tester's own side violated a rule unasked or memory ran out. */
enum fal_verdict fal_judge_verdict(const struct fal_judge *judge);
/* The worst verdict of the results that are not inconclusive; NONE: there is no such result. A
 * rule that is inconclusive says nothing about what another rule decided. */
enum fal_verdict fal_judge_decided(const struct fal_judge *judge);

#endif
