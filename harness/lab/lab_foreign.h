/* SPDX-License-Identifier: Apache-2.0
 * lab_foreign.h - SUTs in virtual time (`lib:`, `exec:`) as senders of the lab. Each flow has a
 * SUT of its own, with one connection, which the control protocol opens (docs/sut-protocol.md).
 * The connection is sealed by PSP if the SUT says in its hello that it has PSP. */
#ifndef TL_HARNESS_LAB_LAB_FOREIGN_H
#define TL_HARNESS_LAB_LAB_FOREIGN_H

#include "codecs/base/error.h"
#include "oracles/lab/foreign.h"

enum { TL_LAB_FOREIGN_MAX = 64 }; /* flows with a SUT of their own */

/* All 0 at first, but for what is given. */
struct tl_lab_foreign {
    const char *all; /* "lib:FILE" or "exec:COMMAND" that plays all other flows; NULL: none */
    struct {
        uint32_t flow;
        const char *where;
    } list[TL_LAB_FOREIGN_MAX];
    size_t count;
    unsigned answer_s;          /* limit of each answer, in seconds; 0: 30 */
    struct fal_lab_foreign ops; /* filled in by tl_lab_foreign_ops */
    struct fal_error err;       /* the first error; it names the flow */
};

/* Reads "lib:FILE" or "exec:COMMAND". 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_lab_foreign_all(struct tl_lab_foreign *foreign, const char *text,
                                struct fal_error *err);
/* Reads "N=lib:FILE": flow N, counted from 1. 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_lab_foreign_add(struct tl_lab_foreign *foreign, const char *text,
                                struct fal_error *err);
/* Whether any flow is to be foreign. */
bool tl_lab_foreign_any(const struct tl_lab_foreign *foreign);
/* The largest number of a flow that --foreign names; 0: none. */
uint32_t tl_lab_foreign_least(const struct tl_lab_foreign *foreign);
/* How many SUTs so many flows need. */
uint32_t tl_lab_foreign_count(const struct tl_lab_foreign *foreign, uint32_t flows);
/* The functions for fal_lab_ask.foreign, which borrow `foreign`. */
const struct fal_lab_foreign *tl_lab_foreign_ops(struct tl_lab_foreign *foreign);

#endif
