/* SPDX-License-Identifier: Apache-2.0
 * profile.h - a profile: a named set of selection, ICS and parameters, as data
 * (scenarios/profiles/NAME.json, schema talon/profile/1). */
#ifndef TL_HARNESS_PROFILE_PROFILE_H
#define TL_HARNESS_PROFILE_PROFILE_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "harness/claims/given_params.h"
#include "harness/claims/ics.h"
#include "harness/doc/doc.h"
#include "harness/profile/profile_certify.h"
#include "harness/profile/select.h"

#define TL_PROFILE_SCHEMA "talon/profile/1"

enum tl_profile_protocol { TL_PROFILE_FALCON, TL_PROFILE_ROCE };

struct tl_profile {
    const char *name, *title; /* borrowed from `doc` */
    enum tl_profile_protocol protocol;
    const json_t *patterns; /* those of `select`, borrowed from `doc` */
    struct tl_select select;
    struct tl_ics ics;
    struct tl_given_params params;
    struct tl_certify_rules certify; /* the conditions for a certificate */
    struct tl_doc doc;
};

/* Reads the profile in that file. 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_profile_load(const char *path, struct tl_profile *out, struct fal_error *err);
void tl_profile_free(struct tl_profile *profile);

/* The members of a profile. */
extern const struct fal_shape tl_profile_shape;

#endif
