/* SPDX-License-Identifier: Apache-2.0
 * ccqueue.h - the entries that a packet delivery sublayer and its Rate Update Engine exchange:
 * an event for the RUE (10.6.2.1), a result of it (10.6.2.2). Each list is the only statement
 * of its entry; its rows are explained in field.h.
 *
 * The specification gives fields and widths, but no order of bits, and its result has only 508
 * bits (AMB-42, AMB-69). Entries are 512 bits in both formats known here. Times are the low 24
 * bits of a count of 131.072 ns. */
#ifndef FAL_CODECS_HEADER_CCQUEUE_H
#define FAL_CODECS_HEADER_CCQUEUE_H

#include "codecs/header/headers.h"

enum {
    FAL_CC_ENTRY_LEN = 64,
    FAL_CC_TIME_BITS = 24,
    FAL_CC_WINDOW_MAX = 0x7ff,  /* of fcwnd_integer and ncwnd */
    FAL_CC_FRACTION = 1024,     /* of a packet */
    FAL_CC_GAP_MAX = 0xfffff,   /* ticks */
    FAL_CC_TIME_MAX = 0xffffff, /* ticks */
    FAL_CC_ACKED_MAX = 0x3ff,
    FAL_CC_RETRANSMITS_MAX = 7,
};

enum fal_cc_event_type { FAL_CC_ACK, FAL_CC_NACK, FAL_CC_RETRANSMIT };
enum fal_cc_reason { FAL_CC_RTO, FAL_CC_EARLY };
enum fal_cc_delay {
    FAL_CC_DELAY_FULL,
    FAL_CC_DELAY_FABRIC,
    FAL_CC_DELAY_FORWARD,
    FAL_CC_DELAY_REVERSE
};
enum fal_cc_direction { FAL_CC_DECREASE, FAL_CC_INCREASE };

extern const struct fal_names fal_names_cc_event_type, fal_names_cc_retransmit_reason,
    fal_names_cc_delay_select, fal_names_cc_ncwnd_direction;

/* clang-format off */
#define FAL_CC_EVENT_FIELDS(F, W, S, H) \
    F(H, uint32_t, connection_id,               24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-02", "the connection's own CID")                                   \
    F(H, uint8_t,  event_type,                   2, FAL_CODE, 0, &fal_names_cc_event_type, NULL, "FTP-10.6.2.1-03", "0 ACK, 1 NACK, 2 retransmission")        \
    F(H, uint32_t, t1,                          24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-04", "forward transmit time, ticks; ACK and NACK")                 \
    F(H, uint32_t, t2,                          24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-05", "forward receive time, ticks; ACK and NACK")                  \
    F(H, uint32_t, t3,                          24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-06", "reverse transmit time, ticks; ACK and NACK")                 \
    F(H, uint32_t, t4,                          24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-07", "reverse receive time, ticks; ACK and NACK")                  \
    F(H, uint8_t,  retransmit_count,             3, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-08", "cumulative; retransmission")                                 \
    F(H, uint8_t,  retransmit_reason,            1, FAL_CODE, 0, &fal_names_cc_retransmit_reason, NULL, "FTP-10.6.2.1-09", "0 RTO, 1 early; retransmission")  \
    F(H, uint8_t,  nack_code,                    8, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-10", "as in the NACK")                                             \
    F(H, uint8_t,  forward_hops,                 4, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-11", "hop count of the ACK")                                       \
    F(H, uint8_t,  rx_buffer_level,              5, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-12", "quantized occupancy at the peer; ACK and NACK")              \
    F(H, uint32_t, cc_metadata,                 24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-13", "low bits of the ACK's metadata (AMB-07)")                    \
    F(H, uint16_t, fcwnd_fraction,              10, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-14", "of the fabric congestion window, in 1/1024")                 \
    F(H, uint16_t, fcwnd_integer,               11, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-15", "packets; 0: one, paced by the gap")                          \
    F(H, uint32_t, inter_packet_gap,            20, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-16", "ticks")                                                      \
    F(H, uint16_t, ncwnd,                       11, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-17", "requests outstanding per transmit window")                   \
    F(H, uint32_t, retransmit_timeout,          24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-18", "ticks")                                                      \
    F(H, uint16_t, num_packets_acked,           10, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-19", "since the event before; saturates")                          \
    F(H, uint8_t,  eack_drop,                    1, FAL_FLAG, 0, NULL, NULL, "FTP-10.6.2.1-20", "the EACK shows losses by out-of-order distance")             \
    F(H, uint8_t,  eack,                         1, FAL_FLAG, 0, NULL, NULL, "FTP-10.6.2.1-21", "the event is an EACK")                                       \
    F(H, uint8_t,  reserved_0,                   8, FAL_RSVD, 0, NULL, NULL, "FTP-10.6.2.1-22", "")                                                           \
    F(H, uint8_t,  event_queue_select,           2, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-23", "the event queue to use")                                     \
    F(H, uint8_t,  delay_select,                 2, FAL_CODE, 0, &fal_names_cc_delay_select, NULL, "FTP-10.6.2.1-24", "the delay that the RUE is to use")     \
    F(H, uint32_t, fabric_window_time_marker,   24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-25", "guards fcwnd, ticks")                                        \
    F(H, uint32_t, nic_window_time_marker,      24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-26", "guards ncwnd, ticks (AMB-41)")                               \
    F(H, uint8_t,  ncwnd_direction,              1, FAL_CODE, 0, &fal_names_cc_ncwnd_direction, NULL, "FTP-10.6.2.1-27", "of the last change of ncwnd")       \
    F(H, uint32_t, base_delay_target,           24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-28", "ticks")                                                      \
    F(H, uint32_t, delay_state,                 24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-29", "smoothed delay, ticks")                                      \
    F(H, uint32_t, rtt_state,                   24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-30", "smoothed round trip, ticks")                                 \
    F(H, uint8_t,  cc_opaque,                    2, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-31", "of a software RUE")                                          \
    F(H, uint16_t, ecn_accumulated,             14, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-32", "ECN-marked packets that the peer received")                  \
    W(H, fal_u128, reserved_1,                 107, FAL_RSVD, 0, NULL, NULL, "FTP-10.6.2.1-33", "")                                                           \
    F(H, uint8_t,  gen,                          1, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.1-34", "turns with each pass through the ring")

/* A result in parts: gen1-lsb has two more fields, and so many bits less of padding. */
#define FAL_CC_RESULT_FIRST(F, W, S, H) \
    F(H, uint32_t, connection_id,               24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-02", "copied from the event")                                \
    F(H, uint8_t,  randomize_path,               1, FAL_FLAG, 0, NULL, NULL, "FTP-10.6.2.2-03", "draw a new path")                                      \
    F(H, uint32_t, cc_metadata,                 24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-04", "for the metadata of outgoing ACKs and NACKs (AMB-07)") \
    F(H, uint16_t, fcwnd_fraction,              10, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-05", "of the fabric congestion window, in 1/1024")           \
    F(H, uint16_t, fcwnd_integer,               11, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-06", "packets; 0: one, paced by the gap")                    \
    F(H, uint32_t, inter_packet_gap,            20, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-07", "ticks")                                                \
    F(H, uint16_t, ncwnd,                       11, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-08", "requests outstanding per transmit window")             \
    F(H, uint32_t, retransmit_timeout,          24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-09", "ticks, for packets to come and those outstanding")

#define FAL_CC_RESULT_SELECT(F, W, S, H) \
    F(H, uint8_t,  event_queue_select,           2, FAL_UINT, 0, NULL, NULL, NULL, "the event queue to use; gen1-lsb only (AMB-69)")                 \
    F(H, uint8_t,  delay_select,                 2, FAL_CODE, 0, &fal_names_cc_delay_select, NULL, NULL, "the delay to use; gen1-lsb only (AMB-69)")

#define FAL_CC_RESULT_LAST(F, W, S, H) \
    F(H, uint32_t, fabric_window_time_marker,   24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-10", "guards fcwnd, ticks")                                  \
    F(H, uint32_t, nic_window_time_marker,      24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-11", "guards ncwnd, ticks")                                  \
    F(H, uint8_t,  ncwnd_direction,              1, FAL_CODE, 0, &fal_names_cc_ncwnd_direction, NULL, "FTP-10.6.2.2-12", "of the last change of ncwnd") \
    F(H, uint32_t, base_delay_target,           24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-13", "ticks")                                                \
    F(H, uint32_t, delay_state,                 24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-14", "smoothed delay, ticks")                                \
    F(H, uint32_t, rtt_state,                   24, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-15", "smoothed round trip, ticks")                           \
    F(H, uint8_t,  cc_opaque,                    2, FAL_UINT, 0, NULL, NULL, "FTP-10.6.2.2-16", "of a software RUE")                                    \
    W(H, fal_u128, reserved_0,                 128, FAL_RSVD, 0, NULL, NULL, "FTP-10.6.2.2-17", "")                                                     \
    W(H, fal_u128, reserved_1,                 128, FAL_RSVD, 0, NULL, NULL, "FTP-10.6.2.2-17", "")

#define FAL_CC_RESULT_FIELDS(F, W, S, H) \
    FAL_CC_RESULT_FIRST(F, W, S, H)                                                                 \
    FAL_CC_RESULT_LAST(F, W, S, H)                                                                  \
    F(H, uint8_t,  reserved_2,                   8, FAL_RSVD, 0, NULL, NULL, "FTP-10.6.2.2-17", "")

#define FAL_CC_RESULT_GEN1_FIELDS(F, W, S, H) \
    FAL_CC_RESULT_FIRST(F, W, S, H)                                                                 \
    FAL_CC_RESULT_SELECT(F, W, S, H)                                                                \
    FAL_CC_RESULT_LAST(F, W, S, H)                                                                  \
    F(H, uint8_t,  reserved_2,                   4, FAL_RSVD, 0, NULL, NULL, "FTP-10.6.2.2-17", "")
/* clang-format on */

FAL_HEADER(cc_event, FAL_CC_EVENT_FIELDS);

/* One host struct for both formats of a result: it has the members of the longer list. */
struct fal_cc_result {
    FAL_CC_RESULT_GEN1_FIELDS(FAL_MEMBER, FAL_MEMBER, FAL_MEMBER, cc_result)
};
FAL_WIRE_STRUCT(cc_result, FAL_CC_RESULT_FIELDS);
FAL_WIRE_STRUCT(cc_result_gen1, FAL_CC_RESULT_GEN1_FIELDS);

/* Where the bits of an entry are. In both formats the fields follow each other in the order of
 * their list. */
enum fal_cc_format {
    FAL_CC_TABLE_MSB, /* the first field has the most significant bits of byte 0 */
    FAL_CC_GEN1_LSB,  /* the first field has the least significant bits of byte 0 */
};
extern const struct fal_names fal_names_cc_format;

enum fal_cc_entry { FAL_CC_ENTRY_EVENT, FAL_CC_ENTRY_RESULT };

/* The table of an entry. Its offsets count in the order of the list in either format. Its own
 * decode and encode put the most significant bits first: use the functions below. */
const struct fal_layout *fal_cc_layout(enum fal_cc_format format, enum fal_cc_entry entry);

/* As fal_layout_decode and fal_layout_encode. `host`: a struct fal_cc_event or fal_cc_result.
 * The members of a result that its format lacks are 0 after decoding. */
MUST_USE int fal_cc_decode(enum fal_cc_format format, enum fal_cc_entry entry,
                           const uint8_t *bytes, size_t len, void *host);
MUST_USE int fal_cc_encode(enum fal_cc_format format, enum fal_cc_entry entry, const void *host,
                           uint8_t bytes[FAL_CC_ENTRY_LEN], const struct fal_field **bad);

#endif
