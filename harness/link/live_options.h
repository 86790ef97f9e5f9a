/* SPDX-License-Identifier: Apache-2.0
 * live_options.h - what the user allows a link in real time: where it may send to, how much,
 * and for how long. */
#ifndef TL_HARNESS_LINK_OPTIONS_H
#define TL_HARNESS_LINK_OPTIONS_H

#include "harness/doc/address.h"

#include <stddef.h>

enum { TL_ALLOWED_MAX = 16 };

/* Addresses beyond loopback, private and link-local ones to which frames and control lines may
 * go, because the user names them. */
struct tl_allowed {
    struct tl_address hosts[TL_ALLOWED_MAX]; /* ports count for nothing */
    size_t count;
};

/* What is sent unless the user says otherwise: more than a scenario needs, less than what
 * drowns a laboratory's network. */
#define TL_FRAMES_PER_S UINT64_C(100000)
#define TL_BYTES_PER_S  UINT64_C(125000000)

struct tl_live_options {
    bool busy_poll;                     /* asks again and again in place of sleeping */
    bool outlive_parent;                /* goes on when the process that began it is gone */
    uint64_t frames_per_s, bytes_per_s; /* at most; 0: no limit */
    struct tl_allowed allowed;
};

/* Loopback, private, link-local, or allowed; `allowed` may be NULL. */
bool tl_address_allowed(const struct tl_address *address, const struct tl_allowed *allowed);

/* Adds a numeric address without port. 0, or FAL_ERR_FORM with `err`. */
int tl_allowed_add(struct tl_allowed *allowed, const char *host, struct fal_error *err);

#endif
