/* SPDX-License-Identifier: Apache-2.0
 * diagnosis.h - which planted faults fail in the same cases, with the same problems, as the
 * SUT. A naive Bayes score compares a run with the signature of each fault (signatures.h):
 * cases that failed and cases that passed both count; cases that were not played do not.
 * docs/diagnosis.md. */
#ifndef TL_REPORTS_DIAGNOSIS_DIAGNOSIS_H
#define TL_REPORTS_DIAGNOSIS_DIAGNOSIS_H

#include "codecs/base/error.h"
#include "reports/causes/causes.h"
#include "reports/diagnosis/signatures.h"
#include "reports/results/results.h"

#include <stdbool.h>

enum { TL_FITS_MAX = 5, TL_SECTIONS_MAX = 3, TL_SECTION_TEXT = 16 };

enum tl_case_seen { TL_CASE_NOT_PLAYED, TL_CASE_PASSED, TL_CASE_FAILED };

/* A case of the signatures, as it was played. */
struct tl_seen_case {
    enum tl_case_seen seen;
    uint32_t first, count; /* of struct tl_seen.signs: what its problems say */
};

/* The cases of a run, and the signs that their problems show. */
struct tl_seen {
    struct tl_seen_case *cases; /* by the numbers of the signatures */
    int *signs;                 /* numbers of the signatures; -1: a sign that no fault has */
    size_t num_signs, failed, played;
    size_t foreign; /* cases that failed and that the signatures do not know */
    double *blamed; /* how many failures each requirement explains, by its place in the
                       catalogue; a case counts as 1 in all */
};

/* How well a class of faults fits. */
struct tl_fit {
    const struct tl_signature *fault; /* borrowed */
    double score;                     /* log-likelihood */
    bool seldom;                      /* it fits better as a fault that acts only sometimes */
    bool rest;        /* compared with the failures that the first fault does not explain */
    size_t failed;    /* cases that failed, of those compared */
    size_t explained; /* of them, cases that the fault fails, too */
    size_t due;       /* cases that were played, and that the fault fails */
    double alike;     /* share of the explained cases in which the problems say the same */
};

struct tl_diagnosis {
    size_t failed, played, foreign;  /* cases */
    struct tl_fit fits[TL_FITS_MAX]; /* the best first */
    size_t count;
    size_t equal;        /* the first so many fit equally well */
    const char *subject; /* what the failures are about; NULL: nothing failed */
    char sections[TL_SECTIONS_MAX]
                 [TL_SECTION_TEXT]; /* the nearest of the specification first */
    size_t num_sections;
};

/* Compares a run with each fault of the signatures. 0, or FAL_ERR_MEM with `err` (may be NULL).
 * Nothing fits where nothing failed. */
MUST_USE int tl_diagnosis_score(const struct tl_seen *seen,
                                const struct tl_signatures *signatures,
                                struct tl_diagnosis *out, struct fal_error *err);

/* Whether the fault explains nearly all failures, nearly all cases that it fails did fail (of a
 * fault that acts only sometimes: at least three did), and the problems say the same. */
bool tl_fit_good(const struct tl_fit *fit);
/* Whether the first fault fits, by itself or with the first of those for the rest. */
bool tl_diagnosis_fits(const struct tl_diagnosis *diagnosis);

/* Returns the subject of a section of the specification: window, ACK, NACK, retransmission,
 * ULP, security, congestion control or packet format. */
const char *tl_subject_of(const char *section);

/* The subject and the nearest sections, by a vote of the causes of the run, of the requirements
 * that the failures name, and of the faults that fit best. After tl_diagnosis_score. 0, or
 * FAL_ERR_MEM with `err` (may be NULL). */
MUST_USE int tl_diagnosis_vote(const struct tl_seen *seen, const struct tl_causes *causes,
                               struct tl_diagnosis *diagnosis, struct fal_error *err);

/* Collects what a run says. 0, FAL_ERR_MEM, or why the cases could not be had, with `err` (may
 * be NULL); free it in any case. */
MUST_USE int tl_seen_gather(const struct tl_results *results,
                            const struct tl_signatures *signatures, struct tl_seen *out,
                            struct fal_error *err);
void tl_seen_free(struct tl_seen *seen);

#endif
