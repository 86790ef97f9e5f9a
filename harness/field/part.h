/* SPDX-License-Identifier: Apache-2.0
 * part.h - writes a capture that is made from another one: with its interfaces, and with what
 * it says of dropped frames, but without the names, comments and other options of the original.
 * The file appears whole or not at all. */
#ifndef TL_HARNESS_FIELD_PART_H
#define TL_HARNESS_FIELD_PART_H

#include "harness/capture/capture.h"

struct tl_part;

/* Creates a pcapng file when the name ends in ".pcapng", else a pcap file of that link type.
 * Returns NULL with `err`. tl_part_finish is due. */
struct tl_part *tl_part_create(const char *path, unsigned linktype, struct fal_error *err);

/* From now on the comments of the original's frames are kept. */
void tl_part_keep_comments(struct tl_part *part);

/* Adds a frame like `got`, but with those bytes (got->caplen of them) and with that comment (""
 * for none; pcap drops it). `dropped`: tl_capture_dropped for the original at this frame.
 * Returns 0, FAL_ERR_RANGE or FAL_ERR_IO with `err`. */
MUST_USE int tl_part_write(struct tl_part *part, const struct tl_captured *got,
                           const uint8_t *bytes, const char *comment, uint64_t dropped,
                           struct fal_error *err);

/* Writes what was dropped after the last frame, closes the file and gives it its name when
 * `good`, else removes it; frees. Returns 0, or an error with `err`. NULL is allowed. */
MUST_USE int tl_part_finish(struct tl_part *part, bool good, uint64_t dropped,
                            struct fal_error *err);

/* Whether a capture made from `capture` may have that name: frames of several interfaces or
 * with marks need pcapng. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_part_suits(const struct tl_capture *capture, const char *path,
                           struct fal_error *err);

#endif
