/* SPDX-License-Identifier: Apache-2.0
 * frame_text.h - prints a captured frame for people: a line of the notation with its time, its
 * origin as a comment, and what is wrong with it below. Every line parses back; comments are
 * ignored. */
#ifndef FAL_CODECS_TEXT_FRAME_TEXT_H
#define FAL_CODECS_TEXT_FRAME_TEXT_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"

/* Prints the frame into text[cap] as snprintf does: the result is the length of the whole text,
 * without the terminating zero. Its time counts from `first_ns`. `falcon_port` is the UDP port
 * that the frame was decoded with; 0 is the default port. A frame without a readable Falcon
 * packet (other traffic, or sealed without a key) becomes a comment. */
int fal_frame_text(const struct fal_frame *frame, uint64_t first_ns, uint16_t falcon_port,
                   char *text, size_t cap);

#endif
