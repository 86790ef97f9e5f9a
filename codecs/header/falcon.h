/* SPDX-License-Identifier: Apache-2.0
 * falcon.h - one Falcon packet: its header in host form, type dispatch, and the few facts about
 * packet types that every reader needs (chapter 7). */
#ifndef FAL_CODECS_HEADER_FALCON_H
#define FAL_CODECS_HEADER_FALCON_H

#include "codecs/base/error.h"
#include "codecs/base/field.h"

enum fal_packet_type { /* 7.2, AMB-26 */
                       FAL_PULL_REQUEST = 0,
                       FAL_PULL_DATA = 3,
                       FAL_PUSH_DATA = 5,
                       FAL_RESYNC = 6,
                       FAL_NACK = 8,
                       FAL_BACK = 9,
                       FAL_EACK = 10,
};

enum fal_nack_code { /* 7.8 */
                     FAL_NACK_RESOURCE = 1,
                     FAL_NACK_RNR = 2,
                     FAL_NACK_XLR = 4,
                     FAL_NACK_CIE = 6,
                     FAL_NACK_NRE = 7,
                     FAL_NACK_CID = 8,
};

enum fal_resync_code { /* 7.6 */
                       FAL_RESYNC_CIE = 1,
                       FAL_RESYNC_LOCAL_XLR = 2,
                       FAL_RESYNC_EXHAUSTED = 3,
                       FAL_RESYNC_TIMED_OUT = 4,
                       FAL_RESYNC_REMOTE_XLR = 5,
                       FAL_RESYNC_NRE = 6,
                       FAL_RESYNC_CID = 7,
};

/* The two sliding windows; the value is that of the NACK's window bit (7.8). */
enum fal_window { FAL_WINDOW_DATA = 0, FAL_WINDOW_REQ = 1 };

#define FAL_OWN_REQ        1u /* bits of `own` (7.7.1, AMB-06) */
#define FAL_OWN_DATA       2u
#define FAL_RX_WINDOW_REQ  64u /* receive window sizes (9) */
#define FAL_RX_WINDOW_DATA 128u
#define FAL_HEADER_MAX     72u     /* bytes of the longest header, the EACK's */
#define FAL_TICK_PS        131072u /* the unit of t1 and t2, picoseconds (7.7.1) */

/* The members of all seven packet types; which of them a packet has, its layout says. Members
 * that it has not are 0 after decoding. */
struct fal_falcon {
    fal_u128 data_ack_bitmap, data_rx_bitmap;
    uint64_t req_bitmap;
    uint32_t dest_cid, dest_function;
    uint32_t recv_data_base_psn, recv_req_base_psn;
    uint32_t psn, rsn;
    uint32_t t1, t2;
    uint32_t rue_info, nack_psn, vendor_defined;
    uint32_t reserved_1, reserved_2, reserved_3, reserved_4, reserved_5;
    uint16_t request_length, ecn_rx_count;
    uint8_t version, reserved_0, protocol_type, packet_type, ack_req;
    uint8_t resync_code, resync_packet_type;
    uint8_t hop_count, rx_buffer_occupancy, own;
    uint8_t nack_code, rnr_timeout, window, ulp_nack_code;
};

/* The layout of a packet type, or NULL for a reserved one. */
const struct fal_layout *fal_falcon_layout(unsigned packet_type);
/* The layout of that name ("push_data"), or NULL. */
const struct fal_layout *fal_falcon_layout_named(const char *name);
/* "push_data", or NULL for a reserved type. */
const char *fal_falcon_type_name(unsigned packet_type);

/* Reads the header at `bytes`. Returns its length, FAL_ERR_SHORT, or FAL_ERR_TYPE (fewer bytes
 * than 8, or a reserved packet type). On an error only version, dest_cid and packet_type are
 * filled in, as far as they are there; all else is 0. Any version is read as version 1; that it
 * is wrong is the lint's to say. */
MUST_USE int fal_falcon_decode(const uint8_t *bytes, size_t len, struct fal_falcon *out);

/* Writes header and payload (payload may be NULL with length 0). Nothing is filled in. Returns
 * the bytes written, FAL_ERR_SHORT, FAL_ERR_TYPE, or FAL_ERR_RANGE with the field in *bad (may
 * be NULL). */
MUST_USE int fal_falcon_encode(const struct fal_falcon *in, const uint8_t *payload,
                               size_t payload_len, uint8_t *out, size_t cap,
                               const struct fal_field **bad);

/* A packet of that type with every field at its initial value. */
void fal_falcon_init(struct fal_falcon *out, enum fal_packet_type type);

/* Delivered reliably: has a PSN of its own (pull_request, pull_data, push_data, resync). */
bool fal_falcon_reliable(unsigned packet_type);
/* back, eack, nack. */
static inline bool fal_falcon_is_ack(unsigned packet_type)
{
    return packet_type == FAL_BACK || packet_type == FAL_EACK || packet_type == FAL_NACK;
}
/* The window that the PSN of a reliable packet belongs to; a resync's is that of the packet
 * that it replaces (AMB-13 B). */
enum fal_window fal_falcon_window(const struct fal_falcon *packet);

/* The delay of an RNR timeout code 0..31 in nanoseconds (7.8), and the smallest code whose
 * delay is at least `ns`, or of the longest delay (code 0, 655.36 ms) when none is. */
uint64_t fal_rnr_timeout_ns(unsigned code);
unsigned fal_rnr_timeout_code(uint64_t ns);

#endif
