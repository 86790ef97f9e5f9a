/* SPDX-License-Identifier: Apache-2.0
 * carrier.h - what can be wrong, on purpose, with the IP and UDP headers that carry a frame.
 * Of most of it the receiver's IP layer takes notice: Falcon never hears of the frame. */
#ifndef TL_HARNESS_CARRIER_H
#define TL_HARNESS_CARRIER_H

#include "codecs/frame.h"
#include "oracles/timeline.h"

enum tl_flaw {
    TL_FLAW_NONE,
    TL_FLAW_IP_CHECKSUM, /* of the IPv4 header */
    TL_FLAW_IP_LONG,     /* IP says one byte more than there is */
    TL_FLAW_IP_SHORT,    /* one byte less than UDP says */
    TL_FLAW_IP_OPTIONS,  /* IPv4 options, a hop-by-hop header of IPv6 */
    TL_FLAW_FRAGMENT,    /* the first fragment, after which no other comes */
    TL_FLAW_TTL_0,       /* TTL or hop limit */
    TL_FLAW_UDP_CHECKSUM,
    TL_FLAW_UDP_NO_CHECKSUM, /* 0: there is none */
    TL_FLAW_UDP_LONG,        /* UDP says one byte more than IP */
    TL_FLAW_UDP_SHORT,       /* one byte less */
    TL_FLAW_COUNT,
};

/* "udp_checksum": their words in scenarios; of NONE "", NULL at the end. */
extern const char *const tl_flaw_names[TL_FLAW_COUNT + 1];

/* Why its receiver must drop such a frame. FAL_BAD_NOT: it may be taken. */
enum fal_bad tl_flaw_bad(enum tl_flaw flaw);

/* What IP carries is dropped below Falcon, and nobody above has seen it. */
static inline bool tl_bad_below(enum fal_bad bad)
{
    return bad == FAL_BAD_CHECKSUM || bad == FAL_BAD_LENGTH;
}

/* Whether a frame over that version of IP can have it; else why not. */
const char *tl_flaw_cannot(enum tl_flaw flaw, int ip_version);

/* Writes a frame with the flaw, and nothing else that is wrong. `frame` has the headers as they
 * would be (fal_frame_encapsulate for FAL_ENCAP_UDP, then what is to be different); it is
 * changed. `bytes` is what UDP carries. The length, or as fal_frame_encode. */
int tl_carrier_encode(struct fal_frame *frame, enum tl_flaw flaw, const uint8_t *bytes,
                      size_t len, uint8_t *out, size_t cap);

#endif
