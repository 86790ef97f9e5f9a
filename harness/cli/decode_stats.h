/* SPDX-License-Identifier: Apache-2.0
 * decode_stats.h - the counters of `talon decode --stats`: packets of each type, issues of each
 * code. */
#ifndef TL_HARNESS_CLI_DECODE_STATS_H
#define TL_HARNESS_CLI_DECODE_STATS_H

#include "codecs/frame/frame.h"

#include <jansson.h>
#include <stdio.h>

/* More than there are pairs of severity and code; others are counted as unlisted. */
enum { TL_STATS_ISSUES_MAX = 128, TL_STATS_TYPES = 16 };

struct tl_stats_issue {
    const char *code;
    enum fal_severity severity;
    uint64_t count;
};

struct tl_decode_stats {
    uint64_t frames, bytes;         /* captured */
    uint64_t types[TL_STATS_TYPES]; /* Falcon packets that could be read */
    uint64_t sealed;                /* PSP or ESP that no key opened */
    uint64_t others;                /* no Falcon, or none that could be read */
    size_t num_issues;
    struct tl_stats_issue issues[TL_STATS_ISSUES_MAX];
    uint64_t unlisted; /* issues that the frames had no room for */
};

/* Counts one frame; all zero before the first. */
void tl_stats_add(struct tl_decode_stats *stats, const struct fal_frame *frame);

/* Issues come by severity, the worst first, then by code. */
void tl_stats_print(FILE *out, struct tl_decode_stats *stats);
json_t *tl_stats_json(struct tl_decode_stats *stats); /* NULL: out of memory */

#endif
