/* SPDX-License-Identifier: Apache-2.0
 * diagnosis.h - which planted faults fail in the same scenarios as the SUT. The kill matrices
 * (oracles/catalogue) say for each fault which scenarios of the suite fail and which rules are
 * violated. A naive Bayes score compares this with a run: scenarios that failed and scenarios
 * that passed both count; scenarios that were not played do not. docs/diagnosis.md. */
#ifndef TL_REPORTS_DIAGNOSIS_DIAGNOSIS_H
#define TL_REPORTS_DIAGNOSIS_DIAGNOSIS_H

#include "codecs/base/error.h"
#include "reports/results/results.h"

enum { TL_FITS_MAX = 5, TL_SCENARIO_ID = 64 };

/* A scenario that was played. */
struct tl_scenario_seen {
    char id[TL_SCENARIO_ID]; /* without the parameters of the case */
    bool failed;             /* one of its cases, or more: fail or warn */
};

struct tl_seen {
    struct tl_scenario_seen *scenarios; /* by id (strcmp), each once */
    size_t count;
    bool rules[FAL_RULES_MAX]; /* by fal_rule_number: violated by the SUT */
};

/* The matrices; the lines of a fault follow each other. */
struct tl_known_faults {
    const struct fal_suite_kill *suite;
    size_t num_suite;
    const struct fal_kill *rules;
    size_t num_rules;
};

/* How well a fault fits. */
struct tl_fit {
    const char *fault; /* borrowed from the matrix */
    double score;      /* log-likelihood */
    bool seldom;       /* it fits better as a fault that acts only sometimes */
    size_t explained;  /* scenarios that failed, and that the fault fails */
    size_t due;        /* scenarios that were played, and that the fault fails */
};

struct tl_diagnosis {
    size_t failed, played;           /* scenarios */
    struct tl_fit fits[TL_FITS_MAX]; /* the best first */
    size_t count;
};

/* Compares a run with each fault of the matrices. Nothing fits where nothing failed. */
void tl_diagnosis_score(const struct tl_seen *seen, const struct tl_known_faults *known,
                        struct tl_diagnosis *out);

/* Whether a fault explains nine of ten failed scenarios, and nine of ten that it fails did fail
 * (of a fault that acts only sometimes: at least three did). */
bool tl_fit_good(const struct tl_diagnosis *diagnosis, const struct tl_fit *fit);

/* Collects the scenarios that were played and the rules that the SUT violated; free
 * out->scenarios. 0, FAL_ERR_MEM, or why the cases could not be had, with `err` (may be NULL).
 */
MUST_USE int tl_seen_gather(const struct tl_results *results, struct tl_seen *out,
                            struct fal_error *err);

/* The same for results and the matrices of this version. 0, or an error as above. */
MUST_USE int tl_diagnose(const struct tl_results *results, struct tl_diagnosis *out,
                         struct fal_error *err);

#endif
