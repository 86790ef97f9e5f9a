/* SPDX-License-Identifier: Apache-2.0
 * profile_certify.h - what a profile demands of a device that it certifies: its member
 * `certify`. A profile without one can be run, and certifies nothing. */
#ifndef TL_HARNESS_PROFILE_PROFILE_CERTIFY_H
#define TL_HARNESS_PROFILE_PROFILE_CERTIFY_H

#include <jansson.h>
#include <stdbool.h>

enum { TL_CERTIFY_RETRIES = 2, TL_CERTIFY_QUALIFY_LIVE = 24 };

/* Lists are of texts, borrowed from the document; NULL where it has none. */
struct tl_certify_rules {
    bool given;
    const json_t *requirements; /* patterns over ids; !PATTERN takes out */
    const json_t *must_pass;    /* patterns over cases that no waiver excuses; each takes one */
    const json_t *claims;       /* ICS items without which there is nothing to certify */
    struct tl_certify_waivers {
        const json_t *requirements; /* patterns over requirements that may be waived */
        unsigned most;              /* entries in all */
    } waivers;
    unsigned retries, repeat; /* frozen: nobody may try more often */
    unsigned qualify_live;    /* faults that qualify a bench on a live link */
};

/* Whether a list of patterns takes the text: one of them does, and none with '!' before it. */
bool tl_patterns_take(const json_t *patterns, const char *text);

#endif
