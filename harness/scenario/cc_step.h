/* SPDX-License-Identifier: Apache-2.0
 * cc_step.h - the step `cc` as it was read: a command about congestion control
 * (docs/sut-protocol.md), and what the result of a fed event must be. Fields of queue entries
 * are those of codecs/header/ccqueue.h; `fcwnd` stands for integer and fraction together, in
 * 1/1024 packet. */
#ifndef TL_HARNESS_SCENARIO_CC_STEP_H
#define TL_HARNESS_SCENARIO_CC_STEP_H

#include "harness/doc/value.h"
#include "harness/wire/protocol.h"

/* A field of an entry with its value, or what it must be. */
struct tl_cc_value {
    const struct fal_field *field; /* of the host struct; NULL: fcwnd in 1/1024 packet */
    struct tl_value value;
};

struct tl_cc_fields {
    struct tl_cc_value *list;
    size_t n;
};

/* The fields that an entry must have. */
struct tl_cc_pattern {
    enum tl_cc_kind kind;
    struct tl_cc_fields fields;
};

struct tl_cc_param {
    const struct fal_swift_param *param;
    double value;
};

struct tl_cc_step {
    enum tl_do verb; /* CC_CONFIG to RX_LEVELS */
    struct tl_cc_param *params;
    size_t num_params;
    bool on; /* CC_TRACE */
    enum tl_cc_who who;
    enum tl_cc_state state;
    enum tl_rx_pool pool;
    struct tl_value now_ticks, alpha, every; /* every: threshold n is n * every */
    struct tl_cc_fields entry;   /* of the event that is fed, of the result that is given */
    struct tl_cc_pattern result; /* CC_FEED: what the result must be */
};

/* The table whose fields the host struct of an entry has in either format. */
const struct fal_layout *tl_cc_fields_of(enum fal_cc_entry entry);
/* "fcwnd", or the name of the field. */
const char *tl_cc_value_name(const struct tl_cc_value *value);
/* The value of a field in the host struct of an entry. */
uint64_t tl_cc_value_in(const struct tl_cc_value *value, enum fal_cc_entry entry,
                        const void *host);
/* Sets it. Returns 0, or FAL_ERR_RANGE. */
MUST_USE int tl_cc_value_set(const struct tl_cc_value *value, enum fal_cc_entry entry,
                             void *host, uint64_t number);

#endif
