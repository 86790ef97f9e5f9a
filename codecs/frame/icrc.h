/* SPDX-License-Identifier: Apache-2.0
 * icrc.h - the invariant CRC of RoCEv2 (InfiniBand, annex A17): the CRC-32 of Ethernet over the
 * IP packet, in which the fields that routers change count as ones. */
#ifndef FAL_CODECS_FRAME_ICRC_H
#define FAL_CODECS_FRAME_ICRC_H

#include "codecs/frame/frame.h"

/* The ICRC of an IP packet: `len` bytes from the first byte of its IP header up to, but not
 * including, the ICRC. Returned as the big-endian number that its four bytes on the wire are.
 * False: the packet is no UDP in IPv4 or IPv6 without extension headers, or it is too short. */
MUST_USE bool fal_icrc(const uint8_t *ip, size_t len, uint32_t *icrc);

enum fal_icrc_state {
    FAL_ICRC_GOOD,
    FAL_ICRC_BAD,
    FAL_ICRC_ABSENT, /* the capture cut it; or it is no such packet */
};

/* Compares the ICRC of a decoded frame with the bytes it was decoded from; `due` (may be NULL)
 * gets the right one if it can be calculated. */
enum fal_icrc_state fal_frame_icrc(const struct fal_frame *frame, const uint8_t *bytes,
                                   uint32_t *due);

/* Writes the ICRC into an encoded frame of `len` bytes that ends with it, whose IP header
 * begins at `ip_offset`. False: as fal_icrc, and nothing is written. */
MUST_USE bool fal_icrc_put(uint8_t *bytes, size_t len, size_t ip_offset);

#endif
