/* SPDX-License-Identifier: Apache-2.0
 * check_packet.h - what judging needs of a captured frame. */
#ifndef TL_HARNESS_CHECK_CHECK_PACKET_H
#define TL_HARNESS_CHECK_CHECK_PACKET_H

#include "harness/check/check.h"

struct tl_captured;

struct tl_check_packet {
    uint64_t number, ts_ns; /* of the frame; in the capture's clock */
    uint64_t hash;          /* of what a mirror does not change; 0: not wanted */
    struct tl_host from, to;
    bool readable; /* a Falcon packet, damaged or not, that could be opened */
    bool damaged;
    bool truncated;
    bool has_iv;
    uint32_t spi;
    uint64_t iv;
    uint32_t path; /* UDP source port; 0: none */
    struct fal_carrier carrier;
    const uint8_t *bytes; /* the Falcon packet, opened: header and payload stand together */
    uint32_t len;
};

/* Reads it from a frame. `hash`: whether a hash is wanted. The bytes are the frame's. */
void tl_check_packet_of(const struct fal_frame_options *options, const struct fal_frame *frame,
                        bool hash, struct tl_check_packet *out);

/* The same of the usual frame that was captured with that number, without its hash and without
 * decoding it. Returns false for any other frame. The bytes are those of `got`. */
bool tl_check_packet_usual(const struct fal_frame_options *options,
                           const struct tl_captured *got, uint64_t number,
                           struct tl_check_packet *out);

/* The Falcon bytes of a frame, opened: header and payload stand together. */
struct fal_span tl_check_packet_bytes(const struct fal_frame *frame);
/* Whether a frame that was decoded with these options carries a Falcon packet, damaged or not,
 * that could be opened. */
bool tl_check_is_falcon(const struct fal_frame_options *options, const struct fal_frame *frame);

/* The shard of the frames between two hosts, either way. */
unsigned tl_check_shard(struct tl_host a, struct tl_host b);
/* The same of a frame that is not decoded yet, as far as its headers are the most usual: UDP to
 * Falcon's port in IP without options in Ethernet. Returns false for any other. */
bool tl_check_shard_of(const struct fal_frame_options *options, const struct tl_captured *got,
                       unsigned *shard);

/* Whether a packet was captured before, at another interface or by a mirror; counted then. When
 * out of memory, it was not. */
bool tl_check_seen_before(struct tl_check *check, const struct tl_check_packet *packet,
                          unsigned shard, uint32_t interface);

#endif
