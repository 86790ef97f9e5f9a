/* SPDX-License-Identifier: Apache-2.0
 * lint.h - a Falcon packet held against chapter 7, alone: what no state is needed to see. */
#ifndef FAL_CODECS_LINT_H
#define FAL_CODECS_LINT_H

#include "codecs/falcon.h"
#include "codecs/issue.h"

/* Lints the Falcon packet of `len` bytes at `bytes`, which stands at byte `offset` of its frame.
 * Covers: too short for its type, version, reserved bits, reserved code points, request_length
 * against the payload of a push, payload after an ACK or resync, packet types in a resync, rnr_timeout
 * only with code 2, own in a BACK, bit 0 of data_ack_bitmap and req_bitmap, ack bits without rx.
 * `truncated`: the capture cut the packet, so its length says nothing. */
void fal_lint_falcon(const uint8_t *bytes, size_t len, bool truncated, uint32_t offset,
                     struct fal_issues *issues);

#endif
