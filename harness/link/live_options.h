/* SPDX-License-Identifier: Apache-2.0
 * live_options.h - limits that the user sets for a link in real time: where it may send, how
 * much, and for how long. */
#ifndef TL_HARNESS_LINK_LIVE_OPTIONS_H
#define TL_HARNESS_LINK_LIVE_OPTIONS_H

#include "codecs/base/error.h"
#include "harness/doc/address.h"

#include <stddef.h>

enum { TL_ALLOWED_MAX = 16 };

/* Addresses that the user named: frames and control lines may go there although they are not
 * loopback, private or link-local. */
struct tl_allowed {
    struct tl_address hosts[TL_ALLOWED_MAX]; /* ports are not compared */
    size_t count;
};

/* Default limits: more than a scenario needs, less than what would overload a laboratory
 * network. */
#define TL_FRAMES_PER_S UINT64_C(100000)
#define TL_BYTES_PER_S  UINT64_C(125000000)

struct tl_live_options {
    bool busy_poll;      /* poll continuously instead of sleeping */
    bool outlive_parent; /* continue when the process that started talon is gone */
    uint64_t frames_per_s, bytes_per_s; /* upper limits; 0: none */
    struct tl_allowed allowed;
};

/* Returns whether the address is loopback, private, link-local or in `allowed`, which may be
 * NULL. */
bool tl_address_allowed(const struct tl_address *address, const struct tl_allowed *allowed);

/* Adds a numeric address without a port. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_allowed_add(struct tl_allowed *allowed, const char *host,
                            struct fal_error *err);

#endif
