/* SPDX-License-Identifier: Apache-2.0
 * frame_text.h - a captured frame as people read it: a line of the notation with its time,
 * where it came from as a comment, what is wrong with it below. Every line parses back,
 * comments as nothing. */
#ifndef TL_HARNESS_FRAME_TEXT_H
#define TL_HARNESS_FRAME_TEXT_H

#include "codecs/frame.h"

#include <stdio.h>

/* Prints the frame; its time counts from `first_ns`. `falcon_port` is the one it was decoded
 * with, 0: the default. A frame that shows no Falcon packet (other traffic; sealed) is a
 * comment alone. */
void tl_frame_text(FILE *out, const struct fal_frame *frame, uint64_t first_ns,
                   uint16_t falcon_port);

#endif
