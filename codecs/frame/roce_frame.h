/* SPDX-License-Identifier: Apache-2.0
 * roce_frame.h - a packet of RoCEv2 in its Ethernet frame, both ways: with ICRC, ECN and DSCP.
 */
#ifndef FAL_CODECS_FRAME_ROCE_FRAME_H
#define FAL_CODECS_FRAME_ROCE_FRAME_H

#include "codecs/frame/icrc.h"
#include "codecs/header/roce.h"

/* The addresses of a frame, and the fields of its headers that are not of the packet. */
struct fal_roce_route {
    uint64_t src_mac, dst_mac;
    bool v6;
    fal_u128 src, dst; /* an IPv4 address in the low 32 bits */
    uint16_t src_port;
    uint8_t ecn, dscp;
};

/* The addresses of a laboratory: host 1 sends to host 2, or back. */
void fal_roce_route_lab(struct fal_roce_route *route, bool v6, bool back);

/* Writes the frame. The ICRC is computed, and UDP's checksum is 0, as annex A17 has it. Returns
 * the bytes written, or an error as fal_roce_encode. */
MUST_USE int fal_roce_frame_encode(const struct fal_roce_packet *packet,
                                   const struct fal_roce_route *route, uint8_t *out, size_t cap,
                                   const struct fal_field **bad);

/* Writes a frame whose UDP carries these bytes, of which nothing is checked or computed.
 * Returns the bytes written, FAL_ERR_SHORT, or FAL_ERR_RANGE if UDP cannot carry so many. */
MUST_USE int fal_roce_frame_bytes(const struct fal_span *carried,
                                  const struct fal_roce_route *route, uint8_t *out, size_t cap);

/* Reads a captured frame. False: it is no RoCEv2 in UDP. The packet borrows the bytes. */
MUST_USE bool fal_roce_frame_decode(const struct fal_captured *captured,
                                    struct fal_roce_packet *packet,
                                    struct fal_roce_route *route, enum fal_icrc_state *icrc);

/* Sets the two ECN bits of the IP header at `ip_offset` of a frame, IPv4's checksum with them.
 * False: there is no IP header. */
bool fal_frame_set_ecn(uint8_t *bytes, size_t len, size_t ip_offset, unsigned ecn);

#endif
