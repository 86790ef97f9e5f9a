/* SPDX-License-Identifier: Apache-2.0
 * ixit.h - the implementation extra information for testing: values of the SUT that a test
 * needs to know, such as its timeouts. A vendor fills in the proforma (`talon list ixit
 * --proforma`, schema talon/ixit/1); a value that is left null has its default, which is never
 * used to fail the SUT. */
#ifndef TL_HARNESS_CLAIMS_IXIT_H
#define TL_HARNESS_CLAIMS_IXIT_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "harness/claims/given_params.h"
#include "harness/claims/ics.h"

#define TL_IXIT_SCHEMA "talon/ixit/1"

struct tl_ixit {
    struct tl_identity identity;
    struct tl_given_params params;
    const json_t *swift; /* parameters of Swift that are stated; borrowed from doc, or NULL */
    struct tl_doc doc;   /* the file as it was read, for the evidence */
};

/* 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_ixit_load(const char *path, struct tl_ixit *out, struct fal_error *err);
void tl_ixit_free(struct tl_ixit *ixit);

/* The empty document; and the list for `talon list ixit`: name, virtual, live (the defaults),
 * doc. New references; NULL: out of memory. */
json_t *tl_ixit_proforma(void);
json_t *tl_ixit_list(void);

/* The members of an IXIT; C keeps them in a struct tl_ixit. */
extern const struct fal_shape tl_ixit_shape;

#endif
