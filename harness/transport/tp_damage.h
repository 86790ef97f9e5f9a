/* SPDX-License-Identifier: Apache-2.0
 * tp_damage.h - whether the network has damaged a frame of TCP, so that its receiver drops it.
 */
#ifndef TL_HARNESS_TRANSPORT_TP_DAMAGE_H
#define TL_HARNESS_TRANSPORT_TP_DAMAGE_H

#include "codecs/frame/frame.h"

/* `frame` ends in a raw layer, of which TCP has `len` bytes. True: the checksum of the IPv4
 * header or that of TCP is wrong. A checksum that the sender left to its device (0, or the sum
 * of the pseudo-header alone) and one of a frame that the capture has cut are not. */
bool tl_tp_damaged(const struct fal_frame *frame, size_t len);

#endif
