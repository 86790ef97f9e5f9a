/* SPDX-License-Identifier: Apache-2.0
 * two_ways_test.h - for tests: decodes a frame by frame_usual.c and by layers, and compares all
 * that they write. */
#ifndef FAL_CODECS_FRAME_TWO_WAYS_TEST_H
#define FAL_CODECS_FRAME_TWO_WAYS_TEST_H

#include "codecs/frame/frame_walk.h"

static inline bool same_issue(const struct fal_issue *a, const struct fal_issue *b)
{
    return a->severity == b->severity && a->code == b->code && a->layer == b->layer &&
           a->field == b->field && a->offset == b->offset && a->has_values == b->has_values &&
           a->seen == b->seen && a->due == b->due && a->requirement == b->requirement &&
           a->message == b->message;
}

/* What differs in two frames that were decoded from the same bytes; NULL: nothing. Both began
 * with the same bytes in memory. */
static inline const char *frames_differ(const struct fal_frame *a, const struct fal_frame *b)
{
    if (memcmp(a, b, offsetof(struct fal_frame, issues)) != 0)
        return "the two ways of decoding give other headers, layers or spans";
    if (a->issues.count != b->issues.count || a->issues.dropped != b->issues.dropped)
        return "the two ways of decoding give other numbers of issues";
    for (size_t i = 0; i < a->issues.count; i++)
        if (!same_issue(&a->issues.list[i], &b->issues.list[i]))
            return "the two ways of decoding give other issues";
    /* Both began with the same bytes, padding too.
     * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
    if (memcmp(&a->ulp, &b->ulp, sizeof a->ulp) != 0)
        return "the two ways of decoding give other headers of the upper layer";
    return NULL;
}

/* Decodes the frame both ways. Returns what differs, or NULL; *usual: whether frame_usual.c
 * decoded it. */
static inline const char *two_ways_differ(const struct fal_captured *captured,
                                          const struct fal_frame_options *options, bool *usual)
{
    struct fal_frame a, b;

    memset(&a, 0xa5, sizeof a);
    memset(&b, 0xa5, sizeof b);
    *usual = fal_frame_decode_usual(captured, options, &a);
    if (fal_frame_decode_by_layers(captured, options, NULL, &b) != 0)
        return *usual ? "an unknown link type is usual" : NULL;
    return *usual ? frames_differ(&a, &b) : NULL;
}

#endif
