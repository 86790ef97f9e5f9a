/* SPDX-License-Identifier: Apache-2.0
 * profile_certify.h - the conditions that a profile sets for a certificate: its member
 * `certify`. A profile without it can be run, but not used for certification. */
#ifndef TL_HARNESS_PROFILE_PROFILE_CERTIFY_H
#define TL_HARNESS_PROFILE_PROFILE_CERTIFY_H

#include <jansson.h>
#include <stdbool.h>

enum { TL_CERTIFY_RETRIES = 2, TL_CERTIFY_QUALIFY_LIVE = 24 };

/* Lists are of texts, borrowed from the document; NULL where it has none. */
struct tl_certify_rules {
    bool given;
    const json_t *requirements; /* patterns over ids; !PATTERN excludes */
    const json_t *must_pass; /* patterns over cases that must pass without a waiver; each must
                                match a case */
    const json_t *claims;    /* ICS items that must be claimed */
    struct tl_certify_waivers {
        const json_t *requirements; /* patterns over requirements that may be waived */
        unsigned most;              /* entries in all */
    } waivers;
    unsigned retries, repeat; /* fixed by the profile, not by the user */
    unsigned qualify_live;    /* faults that qualify a bench on a live link */
};

/* Whether a list of patterns selects the text: at least one matches, and none with '!' does. */
bool tl_patterns_take(const json_t *patterns, const char *text);

#endif
