/* SPDX-License-Identifier: Apache-2.0
 * limits.h - what the built-in SUT does not offer, so that it can stand for an adapter of any
 * level: `talon sut --offer L1 --without set --fixed mtu=1024`, `--sut builtin:offer=L1`. */
#ifndef TL_HARNESS_SUT_LIMITS_H
#define TL_HARNESS_SUT_LIMITS_H

#include "harness/claims/given_params.h"
#include "harness/wire/protocol_levels.h"

/* All zero: everything is offered. */
struct tl_limits {
    bool has_level;
    unsigned level;   /* with has_level */
    uint64_t without; /* bits by enum tl_do: commands that it answers with "unsupported" */
    bool own_numbers; /* ignores `local` of an open */
    struct tl_given_params fixed; /* parameters that `open` cannot set; `set` refuses them */
};

/* Whether it has the command; whether it reports the events. */
bool tl_limits_allow(const struct tl_limits *limits, enum tl_do verb);
bool tl_limits_report(const struct tl_limits *limits, enum fal_event_kind kind,
                      enum fal_ulp_kind ulp);
/* Returns the highest level that `hello` reports. */
unsigned tl_limits_level(const struct tl_limits *limits);

/* Read and add what an option gives: "L1"; "barrier,set,local"; "mtu=1024,rto=5ms". `text` is
 * of `len` bytes. Return 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_limits_offer(struct tl_limits *limits, const char *text, size_t len,
                             struct fal_error *err);
MUST_USE int tl_limits_without(struct tl_limits *limits, const char *text, size_t len,
                               struct fal_error *err);
MUST_USE int tl_limits_fixed(struct tl_limits *limits, const char *text, size_t len,
                             struct fal_error *err);

#endif
