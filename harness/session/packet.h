/* SPDX-License-Identifier: Apache-2.0
 * packet.h - a Falcon packet of a case, decoded once where it enters the session: when its seal
 * is open, when the tester's endpoint hands it over, or when a step has built it. The judge,
 * the log, the gate, the scenario's rules and the tester's endpoint read it by const pointer
 * and never decode the bytes again. */
#ifndef TL_HARNESS_SESSION_PACKET_H
#define TL_HARNESS_SESSION_PACKET_H

#include "oracles/endpoint/endpoint.h"
#include "oracles/timeline.h"

struct tl_packet {
    const uint8_t *bytes; /* borrowed */
    size_t len;
    /* Of fal_falcon_decode: bytes of the header, or FAL_ERR_SHORT or FAL_ERR_TYPE; `falcon`
     * then holds what could be read. */
    int header_len;
    struct fal_falcon falcon;

    enum fal_dir dir;
    enum fal_origin origin;
    int32_t step;   /* index of the step that sent it, or -1 */
    uint32_t conn;  /* connection of the timeline, from 1 */
    uint64_t at_ns; /* when it was sent or arrived, since the case began */

    struct fal_seal seal;
    struct fal_carrier carrier;
    enum fal_bad bad;
    uint32_t path;    /* UDP source port or flow label; 0: unknown */
    uint8_t ecn, ttl; /* of its IP header; ttl 0: unknown */
    bool cut;         /* a first fragment: the rest follows in frames of its own */
};

/* A packet of connection 1 that the tester's endpoint sends, decoded. Borrows `bytes`. */
struct tl_packet tl_packet_of(const uint8_t *bytes, size_t len);

/* Gives the packet other bytes, which it borrows, and decodes them. */
void tl_packet_set_bytes(struct tl_packet *packet, const uint8_t *bytes, size_t len);

#endif
