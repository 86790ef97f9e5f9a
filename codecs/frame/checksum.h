/* SPDX-License-Identifier: Apache-2.0
 * checksum.h - the Internet checksum (RFC 1071) and its pseudo headers (RFC 768, RFC 8200). */
#ifndef FAL_CODECS_FRAME_CHECKSUM_H
#define FAL_CODECS_FRAME_CHECKSUM_H

#include "codecs/header/headers.h"

/* The checksum of `len` bytes, ready to be stored big-endian. Over bytes that contain a right
 * checksum the result is 0. */
uint16_t fal_checksum(const uint8_t *bytes, size_t len);

/* The UDP checksum of the `len` bytes of UDP header and payload; never 0 (a computed 0 is sent
 * as 0xffff). The checksum field inside `udp` counts as given: zero it to compute, leave it to
 * verify (a right one gives 0xffff). */
uint16_t fal_checksum_udp4(const struct fal_ipv4 *ip, const uint8_t *udp, size_t len);
uint16_t fal_checksum_udp6(const struct fal_ipv6 *ip, const uint8_t *udp, size_t len);
/* The same; `addresses` are source and destination as they are in the IP header, 8 or 32 bytes.
 */
uint16_t fal_checksum_udp_wire(const uint8_t *addresses, size_t addresses_len,
                               const uint8_t *udp, size_t len);

#endif
