/* SPDX-License-Identifier: Apache-2.0
 * frame_full.h - prints every field of every layer of a frame, as comments that stand below the
 * frame's own line (frame_text.h). */
#ifndef FAL_CODECS_TEXT_FRAME_FULL_H
#define FAL_CODECS_TEXT_FRAME_FULL_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"

/* Prints the layers, outermost first, and what the Falcon packet carries, into text[cap] as
 * snprintf does: the result is the length of the whole text, without the terminating zero. */
int fal_frame_full(const struct fal_frame *frame, char *text, size_t cap);

#endif
