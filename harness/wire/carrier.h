/* SPDX-License-Identifier: Apache-2.0
 * carrier.h - deliberate flaws of the IP and UDP headers that carry a frame. For most of them
 * the receiver's IP stack drops the frame, and Falcon never sees it. */
#ifndef TL_HARNESS_WIRE_CARRIER_H
#define TL_HARNESS_WIRE_CARRIER_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "oracles/timeline.h"

enum tl_flaw {
    TL_FLAW_NONE,
    TL_FLAW_IP_CHECKSUM, /* of the IPv4 header */
    TL_FLAW_IP_LONG,     /* the IP length is one byte too long */
    TL_FLAW_IP_SHORT,    /* the IP length is one byte less than UDP's */
    TL_FLAW_IP_OPTIONS,  /* IPv4 options, a hop-by-hop header of IPv6 */
    TL_FLAW_FRAGMENT,    /* the first fragment of a datagram whose other fragments never come */
    TL_FLAW_TTL_0,       /* TTL or hop limit */
    TL_FLAW_UDP_CHECKSUM,
    TL_FLAW_UDP_NO_CHECKSUM, /* the UDP checksum is 0: there is none */
    TL_FLAW_UDP_LONG,        /* the UDP length is one byte more than IP's */
    TL_FLAW_UDP_SHORT,       /* the UDP length is one byte too short */
    TL_FLAW_COUNT,
};

/* Returns the flaw's name in scenarios: "udp_checksum"; "" for NONE, NULL beyond the last. */
extern const char *const tl_flaw_names[TL_FLAW_COUNT + 1];

/* Returns why the receiver must drop such a frame. FAL_BAD_NOT: it may accept the frame. */
enum fal_bad tl_flaw_bad(enum tl_flaw flaw);

/* Returns whether the frame is dropped below Falcon, so that no event above it can show it. */
static inline bool tl_bad_below(enum fal_bad bad)
{
    return bad == FAL_BAD_CHECKSUM || bad == FAL_BAD_LENGTH;
}

/* Returns NULL if a frame over that version of IP can have the flaw, else why it cannot. */
const char *tl_flaw_cannot(enum tl_flaw flaw, int ip_version);

/* Writes a frame with the flaw and no other defect. `frame` holds the headers as they would be
 * (fal_frame_encapsulate for FAL_ENCAP_UDP, then any other changes); it is modified. `bytes` is
 * the payload of UDP. Returns the length, or an error as fal_frame_encode. */
MUST_USE int tl_carrier_encode(struct fal_frame *frame, enum tl_flaw flaw, const uint8_t *bytes,
                               size_t len, uint8_t *out, size_t cap);

#endif
