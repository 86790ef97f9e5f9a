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

/* Names a member in which fal_frame_usual differs from the frame that was decoded; NULL: none
 * differs. */
static inline const char *outline_differs(const struct fal_captured *captured,
                                          const struct fal_frame_options *options, bool usual,
                                          const struct fal_frame *decoded)
{
    struct fal_usual outline;
    const struct fal_layer *falcon = fal_frame_layer(decoded, FAL_LAYER_FALCON);
    const uint8_t *begin =
        falcon != NULL ? decoded->payload.bytes - falcon->len : decoded->raw.bytes;
    size_t len = falcon != NULL ? decoded->payload.len + falcon->len : decoded->raw.len;

    if (fal_frame_usual(captured, options, &outline) != usual)
        return "the outline of a frame is there for another frame than the usual one";
    if (!usual)
        return NULL;
    if (outline.v6 != fal_frame_has(decoded, FAL_LAYER_IPV6) ||
        outline.src != (outline.v6 ? decoded->ipv6.src : decoded->ipv4.src) ||
        outline.dst != (outline.v6 ? decoded->ipv6.dst : decoded->ipv4.dst) ||
        outline.src_port != decoded->udp.src_port || outline.dst_port != decoded->udp.dst_port)
        return "the outline of a frame has other addresses or ports";
    if (outline.falcon.bytes != begin || outline.falcon.len != len || decoded->damaged ||
        decoded->truncated || decoded->fragment)
        return "the outline of a frame has another Falcon packet";
    return NULL;
}

/* Decodes the frame both ways. Returns what differs, or NULL; *usual: whether frame_usual.c
 * decoded it. */
static inline const char *two_ways_differ(const struct fal_captured *captured,
                                          const struct fal_frame_options *options, bool *usual)
{
    struct fal_frame a, b;
    const char *fault;

    memset(&a, 0xa5, sizeof a);
    memset(&b, 0xa5, sizeof b);
    *usual = fal_frame_decode_usual(captured, options, &a);
    if (fal_frame_decode_by_layers(captured, options, NULL, &b) != 0)
        return *usual ? "an unknown link type is usual" : NULL;
    fault = outline_differs(captured, options, *usual, &b);
    return *usual && fault == NULL ? frames_differ(&a, &b) : fault;
}

#endif
