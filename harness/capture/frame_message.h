/* SPDX-License-Identifier: Apache-2.0
 * frame_message.h - which message of RDMA a frame belongs to. */
#ifndef TL_HARNESS_CAPTURE_FRAME_MESSAGE_H
#define TL_HARNESS_CAPTURE_FRAME_MESSAGE_H

#include "codecs/frame/frame.h"
#include "harness/capture/messages.h"

/* Takes a frame, and writes what it is in its message (tl_message_text). False: it belongs to
 * none of more than one packet. */
bool tl_frame_message(struct tl_messages *messages, const struct fal_frame *frame, char *out,
                      size_t cap);

#endif
