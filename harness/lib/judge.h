/* SPDX-License-Identifier: Apache-2.0
 * judge.h - a judge of libtalon, between its files. */
#ifndef TL_HARNESS_LIB_JUDGE_H
#define TL_HARNESS_LIB_JUDGE_H

#include "harness/check/check.h"
#include "harness/check/check_feed.h"
#include "harness/lib/setup.h"

/* A finding as callers see it, and what its members point to. */
struct tl_lib_finding {
    struct talon_finding out;
    char party[TL_CHECK_ADDRESS_MAX];
    uint64_t frames[FAL_EVIDENCE_MAX];
};
void tl_lib_finding(const struct tl_check *check, const struct tl_check_finding *found,
                    struct tl_lib_finding *out);

enum tl_lib_source { TL_FROM_NOTHING, TL_FROM_FRAMES, TL_FROM_FILES, TL_FROM_TIMELINE };

struct talon_judge {
    const struct talon_setup *setup;
    struct tl_check_options check_options; /* of the setup, with what is the judge's own */
    struct talon_judge_options options;
    struct tl_check check;
    enum tl_lib_source source;
    struct tl_check_feed *feed; /* of frames */
    bool events;                /* lines of the upper layer come beside them */
    uint64_t lines;             /* of a timeline */
    struct fal_event_storage storage;
    bool ended;
    struct tl_lib_finding finding; /* the last one that was handed out */
    struct talon_counts counts;    /* likewise */
};

#endif
