/* SPDX-License-Identifier: Apache-2.0
 * frame_line.h - a frame from one line of text: decode's JSON, JSON written by hand, or the
 * notation. What the line does not say is filled in. */
#ifndef FAL_CODECS_JSON_FRAME_LINE_H
#define FAL_CODECS_JSON_FRAME_LINE_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"

struct fal_frame_line {
    enum fal_encap encap; /* around packets whose line names no layers */
    int ip_version;
    uint64_t last_ns;       /* time of the frame before */
    uint64_t last_iv;       /* no IV is given twice */
    uint32_t last_sequence; /* of ESP: the numbers given to those that have none go up */
    uint8_t *storage;       /* payload and the like of the frame; the caller's */
    size_t cap;
    bool raw; /* nothing is filled in: what a line does not give has its initial value */
};

/* Reads a line (NUL-terminated, `len` bytes) into `frame`, whose spans then lie in the reader's
 * storage until the next call; *keep gets the fal_keep bits for fal_frame_encode. Returns 1; 0
 * for an empty line or a comment; FAL_ERR_FORM, FAL_ERR_RANGE, FAL_ERR_SHORT, FAL_ERR_MEM with
 * `err`. */
MUST_USE int fal_frame_line_read(struct fal_frame_line *reader, const char *line, size_t len,
                                 struct fal_frame *frame, unsigned *keep,
                                 struct fal_error *err);

#endif
