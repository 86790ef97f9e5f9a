/* SPDX-License-Identifier: Apache-2.0
 * tally.h - rules of the systems beside Falcon (transport logic, RoCEv2, event pipelines), and
 * what was found of each: how often it held, how often nothing could be decided, and the first
 * findings. The rules of Falcon have a judge of their own (oracles/rules/judge). */
#ifndef FAL_ORACLES_BEYOND_TALLY_H
#define FAL_ORACLES_BEYOND_TALLY_H

#include "oracles/verdict.h"

#include <stddef.h>
#include <stdint.h>

/* One rule, as `talon list rules --protocol` prints it. */
struct fal_tally_rule {
    const char *id;     /* "K1", "NP2", "EP7" */
    const char *actor;  /* who may break it: "sender", "receiver", "switch", "engine" */
    const char *text;   /* what has to hold, one sentence without a full stop */
    const char *source; /* where that is said: a section, an RFC, a paper */
};

enum { FAL_TALLY_WHAT = 240, FAL_TALLY_KEPT = 4 };

struct fal_tally_finding {
    enum fal_verdict verdict; /* FAIL, WARN or INCONC */
    uint64_t at_ns;
    uint64_t number; /* of the frame or event that shows it, from 1; 0: none */
    uint64_t flow;
    char what[FAL_TALLY_WHAT]; /* what was expected and what was found */
};

/* The findings of one rule. */
struct fal_tally_row {
    enum fal_verdict verdict; /* the worst; NONE while nothing was decided */
    uint64_t held, broken;    /* decisions; broken counts FAIL and WARN */
    uint64_t excused;         /* times that nothing could be decided, and */
    const char *excuse;       /* the first reason for that */
    unsigned num_findings;    /* of `findings` in use: the first ones */
    struct fal_tally_finding findings[FAL_TALLY_KEPT];
};

/* All rules of a protocol. `rows` has as many members as `rules`; both belong to the caller and
 * outlive the tally. */
struct fal_tally {
    const struct fal_tally_rule *rules;
    struct fal_tally_row *rows;
    size_t num_rules;
};

/* Sets all rows to nothing found. */
void fal_tally_clear(struct fal_tally *tally);
/* Rule number `rule` (an index) was looked at and held. */
void fal_tally_held(struct fal_tally *tally, size_t rule);
/* Nothing could be decided, for a reason that outlives the tally ("out-loss"). */
void fal_tally_excused(struct fal_tally *tally, size_t rule, const char *reason);
/* A finding. `at` names verdict, time, event and flow; the text of `at` is not read. */
void fal_tally_found(struct fal_tally *tally, size_t rule, const struct fal_tally_finding *at,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The worst verdict of all rules; PASS if one held and none was broken. */
enum fal_verdict fal_tally_verdict(const struct fal_tally *tally);
/* The number of a rule by its id, num_rules if there is none. */
size_t fal_tally_rule_of(const struct fal_tally *tally, const char *id);

#endif
