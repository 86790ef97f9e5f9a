/* SPDX-License-Identifier: Apache-2.0
 * frame_full.h - a captured frame in full: every field of every layer, as comments below the
 * frame's line (frame_text.h). */
#ifndef TL_HARNESS_FRAME_FULL_H
#define TL_HARNESS_FRAME_FULL_H

#include "codecs/frame.h"

#include <stdio.h>

/* Prints the layers, outermost first, and what the Falcon packet carries. */
void tl_frame_full(FILE *out, const struct fal_frame *frame);

#endif
