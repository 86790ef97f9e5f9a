/* SPDX-License-Identifier: Apache-2.0
 * signatures.h - how each planted fault shows itself in the suite (signatures.txt, which `make
 * signatures` writes): the cases that fail, and what their problems say. Faults that fail the
 * same cases with the same problems are one class: the suite cannot distinguish them. */
#ifndef TL_REPORTS_DIAGNOSIS_SIGNATURES_H
#define TL_REPORTS_DIAGNOSIS_SIGNATURES_H

#include "codecs/base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { TL_CLASS_MAX = 8 };

/* A problem of a case, in words of results; "-" stands for none. */
struct tl_sign {
    const char *rule; /* or "step" */
    const char *requirement, *symptom, *field;
};

/* A case that fails, and the set of signs that its problems have. */
struct tl_failing {
    uint16_t number; /* of the case */
    uint16_t set;
};

struct tl_signature {
    const char *names[TL_CLASS_MAX]; /* the faults of the class */
    size_t num_names;
    size_t first, count; /* of struct tl_signatures.failing, by the number of the case */
};

struct tl_signatures {
    char *text;         /* in which the names lie */
    const char **cases; /* by strcmp */
    size_t num_cases;
    struct tl_sign *signs;
    size_t num_signs;
    uint16_t *members; /* numbers of signs */
    size_t num_members;
    uint32_t *sets; /* where the members of a set begin; one more at the end */
    size_t num_sets;
    struct tl_failing *failing;
    size_t num_failing;
    struct tl_signature *faults;
    size_t num_faults;
};

/* The text of this version. */
extern const char tl_diagnosis_signatures[];

/* Reads the text: a line "c CASE" for each case in the order of strcmp, "t RULE REQUIREMENT
 * SYMPTOM FIELD" for each sign, "s SIGN..." for each set of signs, "f FAULT..." for each class,
 * and after it lines "SET CASE..." with the failing cases (N, or N-M), all by number from 0.
 * Lines that begin with # are comments. 0, FAL_ERR_MEM or FAL_ERR_FORM with `err` (may be
 * NULL); the caller frees it in any case. */
MUST_USE int tl_signatures_read(const char *text, struct tl_signatures *out,
                                struct fal_error *err);
void tl_signatures_free(struct tl_signatures *signatures);

/* The number of the case or of the sign, or -1. */
int tl_signatures_case(const struct tl_signatures *signatures, const char *id);
int tl_signatures_sign(const struct tl_signatures *signatures, const struct tl_sign *sign);

#endif
