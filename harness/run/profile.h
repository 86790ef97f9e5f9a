/* SPDX-License-Identifier: Apache-2.0
 * profile.h - a profile: a named set of selection, ICS and parameters, as data
 * (scenarios/profiles/NAME.json, schema talon/profile/1). */
#ifndef TL_HARNESS_PROFILE_H
#define TL_HARNESS_PROFILE_H

#include "harness/certify/certify_rules.h"
#include "harness/claims/ics.h"
#include "harness/doc/doc.h"
#include "harness/run/select.h"

#define TL_PROFILE_SCHEMA "talon/profile/1"

/* Values of parameters that stand before the defaults (and after what a scenario sets). */
struct tl_given_params {
    uint64_t values[FAL_PARAM_ROWS];
    bool given[FAL_PARAM_ROWS];
};

/* "rto=20ms". FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
int tl_given_params_add(struct tl_given_params *params, const char *text,
                        struct fal_error *err);
/* The same in two pieces. */
int tl_given_params_set(struct tl_given_params *params, const char *name, const char *value,
                        struct fal_error *err);
/* An object of them in a document, {"rto": "20ms", "ordered": true}, at `at`; null leaves one
 * open. FAL_ERR_FORM, FAL_ERR_MEM. */
int tl_given_params_read(const struct tl_doc *doc, const struct tl_path *at, json_t *object,
                         struct tl_given_params *out);
/* Those of `a`, and over them those of `b`. */
void tl_given_params_join(struct tl_given_params *out, const struct tl_given_params *a,
                          const struct tl_given_params *b);
/* Puts them over *out. */
void tl_given_params_apply(const struct tl_given_params *params, struct fal_params *out);

struct tl_profile {
    const char *name, *title; /* borrowed from `doc` */
    struct tl_select select;
    struct tl_ics ics;
    struct tl_given_params params;
    struct tl_certify_rules certify; /* what it demands of who is certified by it */
    struct tl_doc doc;
};

/* Reads the profile in that file. 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
int tl_profile_load(const char *path, struct tl_profile *out, struct fal_error *err);
void tl_profile_free(struct tl_profile *profile);

#endif
