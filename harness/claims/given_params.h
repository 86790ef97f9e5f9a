/* SPDX-License-Identifier: Apache-2.0
 * given_params.h - connection parameters that the user gave: by --param, in a profile or in an
 * IXIT. They replace the defaults; what a scenario sets replaces them. */
#ifndef TL_HARNESS_CLAIMS_GIVEN_PARAMS_H
#define TL_HARNESS_CLAIMS_GIVEN_PARAMS_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "oracles/params.h"

/* Values that replace the defaults; a scenario's own replace these. */
struct tl_given_params {
    uint64_t values[FAL_PARAM_ROWS];
    bool given[FAL_PARAM_ROWS];
};

/* "rto=20ms". FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_given_params_add(struct tl_given_params *params, const char *text,
                                 struct fal_error *err);
/* The same with name and value apart. */
MUST_USE int tl_given_params_set(struct tl_given_params *params, const char *name,
                                 const char *value, struct fal_error *err);
/* Takes the values of `a`, then those of `b`. */
void tl_given_params_join(struct tl_given_params *out, const struct tl_given_params *a,
                          const struct tl_given_params *b);
/* Writes the values over *out. */
void tl_given_params_apply(const struct tl_given_params *params, struct fal_params *out);

/* The defaults with these values, and without a turnaround and a pipeline allowance that nobody
 * gave: on a live link those are learned. */
struct fal_params tl_given_params_declared(const struct tl_given_params *params, bool live);

/* An object of parameters, {"rto": "20ms", "ordered": true}; C keeps them in a struct
 * tl_given_params. */
extern const struct fal_shape tl_given_params_shape;

#endif
