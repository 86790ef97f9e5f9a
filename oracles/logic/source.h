/* SPDX-License-Identifier: Apache-2.0
 * source.h - a user's data become segments [S1 5, A]. Of a stream each segment has C bytes but
 * the last of a burst: when fewer bytes than C are left for the time T they become a short
 * segment, and no later one is posted before it is acknowledged. A message (a WQE) has a known
 * length: its last segment is short at once, and the next message follows. */
#ifndef FAL_ORACLES_LOGIC_SOURCE_H
#define FAL_ORACLES_LOGIC_SOURCE_H

#include "oracles/logic/sender.h"

enum { FAL_LOGIC_MESSAGES = 64 };

struct fal_logic_source {
    uint64_t wait_ns;                      /* T */
    uint64_t messages[FAL_LOGIC_MESSAGES]; /* bytes left of each, a ring */
    uint32_t head, num;
    uint64_t stream;   /* bytes of the stream that are not posted */
    uint64_t since_ns; /* the last write */
    bool short_out;    /* a short segment of the stream was posted, */
    uint32_t short_id; /* this one */
};

/* Bytes are appended to the stream. A flow has a stream or messages, not both. */
void fal_logic_source_write(struct fal_logic_source *src, uint64_t bytes, uint64_t now_ns);
/* Returns false, and takes nothing, when 64 messages wait. `bytes` is at least 1. */
bool fal_logic_source_message(struct fal_logic_source *src, uint64_t bytes);
/* Posts what may be posted now; returns the number of segments. */
uint32_t fal_logic_source_fill(struct fal_logic_source *src, struct fal_logic_sender *s,
                               uint64_t now_ns);
/* When time alone lets a segment be posted; UINT64_MAX: never. */
uint64_t fal_logic_source_deadline(const struct fal_logic_source *src,
                                   const struct fal_logic_sender *s);
bool fal_logic_source_empty(const struct fal_logic_source *src);

#endif
