/* SPDX-License-Identifier: Apache-2.0
 * diagnose_verify.h - verifies a diagnosis: plays the cases that failed against the built-in
 * SUT with the fault. */
#ifndef TL_HARNESS_CLI_DIAGNOSE_VERIFY_H
#define TL_HARNESS_CLI_DIAGNOSE_VERIFY_H

#include "harness/doc/options.h"
#include "reports/diagnosis/diagnosis.h"

/* The cases of RESULTS that failed, and the fault under which they are played again. */
struct tl_verify {
    const struct tl_texts *paths; /* RESULTS, and where the scenarios lie */
    uint64_t seed;
    const char *fault;
};

/* Of the cases that failed. */
struct tl_verified {
    size_t played; /* with the fault */
    size_t fail;   /* of them, those that fail with the fault */
    size_t alike;  /* of these, those with the same problems, or half of them */
};

/* Runs this program as `talon run --failed-from RESULTS --sut builtin:fault=NAME` with the
 * suite that comes with it. 0, or FAL_ERR_IO or FAL_ERR_MEM with `err`. */
MUST_USE int tl_diagnose_verify(const struct tl_verify *what, const struct tl_seen *seen,
                                const struct tl_signatures *signatures, struct tl_verified *out,
                                struct fal_error *err);

#endif
