/* SPDX-License-Identifier: Apache-2.0
 * headers.h - the layout of every header, in wire order. Each *_FIELDS list is the only
 * statement of its header: host struct, bit offsets, decoder, encoder and table are expanded
 * from it. To add a field, add a row; to add a header, add a list, FAL_HEADER here and
 * FAL_LAYOUT in headers.c. The rows' columns are explained in field.h. */
#ifndef FAL_CODECS_HEADER_HEADERS_H
#define FAL_CODECS_HEADER_HEADERS_H

#include "codecs/base/field.h"
#include "codecs/header/headers_ulp.h"

extern const struct fal_names fal_names_ethertype, fal_names_ip_protocol, fal_names_ecn,
    fal_names_psp_version, fal_names_packet_type, fal_names_protocol_type,
    fal_names_resync_code, fal_names_resync_type, fal_names_nack_code, fal_names_window,
    fal_names_sll_type, fal_names_rdma_opcode, fal_names_nvme_type, fal_names_roce_opcode;

/* clang-format off */

/* IEEE 802.3 */
#define FAL_ETH_FIELDS(F, W, S, H)                                                                                     \
    F(H, uint64_t, dst,                48, FAL_MAC,    0, NULL, NULL, NULL, "destination address")                  \
    F(H, uint64_t, src,                48, FAL_MAC,    0, NULL, NULL, NULL, "source address")                       \
    F(H, uint16_t, ethertype,          16, FAL_UINT,   0x0800, &fal_names_ethertype, NULL, NULL, "type of what follows")

/* IEEE 802.1Q: what follows the ethertype of a tag (0x8100, or 0x88a8 of an outer one) */
#define FAL_VLAN_FIELDS(F, W, S, H)                                                                                 \
    F(H, uint8_t,  pcp,                 3, FAL_UINT,   0, NULL, NULL, NULL, "priority")                             \
    F(H, uint8_t,  dei,                 1, FAL_FLAG,   0, NULL, NULL, NULL, "drop eligible")                        \
    F(H, uint16_t, vid,                12, FAL_UINT,   0, NULL, NULL, NULL, "VLAN")                                 \
    F(H, uint16_t, ethertype,          16, FAL_UINT,   0x0800, &fal_names_ethertype, NULL, NULL, "type of what follows")

/* tcpdump.org/linktypes: LINKTYPE_LINUX_SLL and LINKTYPE_LINUX_SLL2 */
#define FAL_SLL_FIELDS(F, W, S, H)                                                                                  \
    F(H, uint16_t, packet_type,        16, FAL_UINT,   0, &fal_names_sll_type, NULL, NULL, "to or from whom")       \
    F(H, uint16_t, arphrd_type,        16, FAL_UINT,   1, NULL, NULL, NULL, "kind of device")                       \
    F(H, uint16_t, address_length,     16, FAL_UINT,   6, NULL, NULL, NULL, "bytes of the address that count")      \
    F(H, uint64_t, address,            64, FAL_UINT,   0, NULL, NULL, NULL, "of the sender, first bytes first")     \
    F(H, uint16_t, protocol,           16, FAL_UINT,   0x0800, &fal_names_ethertype, NULL, NULL, "type of what follows")

#define FAL_SLL2_FIELDS(F, W, S, H)                                                                                 \
    F(H, uint16_t, protocol,           16, FAL_UINT,   0x0800, &fal_names_ethertype, NULL, NULL, "type of what follows") \
    F(H, uint16_t, reserved_0,         16, FAL_RSVD,   0, NULL, NULL, NULL, "")                                     \
    F(H, uint32_t, interface_index,    32, FAL_UINT,   0, NULL, NULL, NULL, "of the capturing host")                \
    F(H, uint16_t, arphrd_type,        16, FAL_UINT,   1, NULL, NULL, NULL, "kind of device")                       \
    F(H, uint8_t,  packet_type,         8, FAL_UINT,   0, &fal_names_sll_type, NULL, NULL, "to or from whom")       \
    F(H, uint8_t,  address_length,      8, FAL_UINT,   6, NULL, NULL, NULL, "bytes of the address that count")      \
    F(H, uint64_t, address,            64, FAL_UINT,   0, NULL, NULL, NULL, "of the sender, first bytes first")

/* RFC 791; ecn: RFC 3168 */
#define FAL_IPV4_FIELDS(F, W, S, H)                                                                                    \
    F(H, uint8_t,  version,             4, FAL_CONST,  4, NULL, NULL, NULL, "always 4")                             \
    F(H, uint8_t,  ihl,                 4, FAL_LENGTH, 5, NULL, NULL, NULL, "header length, 4-byte words")          \
    F(H, uint8_t,  dscp,                6, FAL_UINT,   0, NULL, NULL, NULL, "differentiated services code point")   \
    F(H, uint8_t,  ecn,                 2, FAL_UINT,   0, &fal_names_ecn, NULL, NULL, "congestion notification")    \
    F(H, uint16_t, total_length,       16, FAL_LENGTH, 0, NULL, NULL, NULL, "header and payload, bytes")            \
    F(H, uint16_t, identification,     16, FAL_UINT,   0, NULL, NULL, NULL, "of the datagram's fragments")          \
    F(H, uint8_t,  reserved_0,          1, FAL_RSVD,   0, NULL, NULL, NULL, "")                                     \
    F(H, uint8_t,  dont_fragment,       1, FAL_FLAG,   0, NULL, NULL, NULL, "DF")                                   \
    F(H, uint8_t,  more_fragments,      1, FAL_FLAG,   0, NULL, NULL, NULL, "MF")                                   \
    F(H, uint16_t, fragment_offset,    13, FAL_UINT,   0, NULL, NULL, NULL, "in 8-byte units")                      \
    F(H, uint8_t,  ttl,                 8, FAL_UINT,  64, NULL, NULL, NULL, "time to live, hops")                   \
    F(H, uint8_t,  protocol,            8, FAL_UINT,  17, &fal_names_ip_protocol, NULL, NULL, "of the payload")     \
    F(H, uint16_t, header_checksum,    16, FAL_CHECK,  0, NULL, NULL, "FTP-9.2.2.1-03", "ones' complement sum of the header")   \
    F(H, uint32_t, src,                32, FAL_IPV4,   0, NULL, NULL, NULL, "source address")                       \
    F(H, uint32_t, dst,                32, FAL_IPV4,   0, NULL, NULL, NULL, "destination address")

/* RFC 8200; ecn: RFC 3168 */
#define FAL_IPV6_FIELDS(F, W, S, H)                                                                                    \
    F(H, uint8_t,  version,             4, FAL_CONST,  6, NULL, NULL, NULL, "always 6")                             \
    F(H, uint8_t,  dscp,                6, FAL_UINT,   0, NULL, NULL, NULL, "differentiated services code point")   \
    F(H, uint8_t,  ecn,                 2, FAL_UINT,   0, &fal_names_ecn, NULL, NULL, "congestion notification")    \
    F(H, uint32_t, flow_label,         20, FAL_UINT,   0, NULL, NULL, NULL, "path entropy")                         \
    F(H, uint16_t, payload_length,     16, FAL_LENGTH, 0, NULL, NULL, NULL, "bytes after this header")              \
    F(H, uint8_t,  next_header,         8, FAL_UINT,  17, &fal_names_ip_protocol, NULL, NULL, "type of what follows") \
    F(H, uint8_t,  hop_limit,           8, FAL_UINT,  64, NULL, NULL, NULL, "hops")                                 \
    W(H, fal_u128, src,               128, FAL_IPV6,   0, NULL, NULL, NULL, "source address")                       \
    W(H, fal_u128, dst,               128, FAL_IPV6,   0, NULL, NULL, NULL, "destination address")

/* RFC 8200: the front of hop-by-hop, routing and destination options, and the fragment header */
#define FAL_IPV6_EXT_FIELDS(F, W, S, H)                                                                             \
    F(H, uint8_t,  next_header,         8, FAL_UINT,  17, &fal_names_ip_protocol, NULL, NULL, "type of what follows") \
    F(H, uint8_t,  hdr_ext_len,         8, FAL_LENGTH, 0, NULL, NULL, NULL, "8-byte units beyond the first 8 bytes")

#define FAL_IPV6_FRAGMENT_FIELDS(F, W, S, H)                                                                        \
    F(H, uint8_t,  next_header,         8, FAL_UINT,  17, &fal_names_ip_protocol, NULL, NULL, "type of what follows") \
    F(H, uint8_t,  reserved_0,          8, FAL_RSVD,   0, NULL, NULL, NULL, "")                                     \
    F(H, uint16_t, fragment_offset,    13, FAL_UINT,   0, NULL, NULL, NULL, "in 8-byte units")                      \
    F(H, uint8_t,  reserved_1,          2, FAL_RSVD,   0, NULL, NULL, NULL, "")                                     \
    F(H, uint8_t,  more_fragments,      1, FAL_FLAG,   0, NULL, NULL, NULL, "M")                                    \
    F(H, uint32_t, identification,     32, FAL_UINT,   0, NULL, NULL, NULL, "of the datagram's fragments")

/* RFC 768 */
#define FAL_UDP_FIELDS(F, W, S, H)                                                                                     \
    F(H, uint16_t, src_port,           16, FAL_UINT,   0, NULL, NULL, NULL, "path entropy over IPv4")               \
    F(H, uint16_t, dst_port,           16, FAL_UINT,   7777, NULL, NULL, NULL, "1000 PSP, 7777 plain Falcon")       \
    F(H, uint16_t, length,             16, FAL_LENGTH, 0, NULL, NULL, "FTP-9.2.2.1-04", "header and payload, bytes") \
    F(H, uint16_t, checksum,           16, FAL_CHECK,  0, NULL, NULL, "FTP-9.2.2.1-03", "0: not computed")

/* PSP Architecture Specification; 7.1 for what Falcon asks of it */
#define FAL_PSP_FIELDS(F, W, S, H)                                                                                     \
    F(H, uint8_t,  next_header,         8, FAL_UINT, 252, &fal_names_ip_protocol, NULL, "FTP-7.1-02", "252 Falcon, 4 IPv4, 41 IPv6") \
    F(H, uint8_t,  hdr_ext_len,         8, FAL_LENGTH, 1, NULL, NULL, NULL, "8-byte units beyond the first 8 bytes") \
    F(H, uint8_t,  reserved_0,          2, FAL_RSVD,   0, NULL, NULL, NULL, "")                                     \
    F(H, uint8_t,  crypt_offset,        6, FAL_UINT,   1, NULL, NULL, "FTP-7.1-03", "4-byte units in the clear after the fixed header") \
    F(H, uint8_t,  s,                   1, FAL_FLAG,   0, NULL, NULL, NULL, "sample at the receiver")               \
    F(H, uint8_t,  d,                   1, FAL_FLAG,   0, NULL, NULL, NULL, "drop after sampling")                  \
    F(H, uint8_t,  version,             4, FAL_CODE,   0, &fal_names_psp_version, NULL, NULL, "algorithm")          \
    F(H, uint8_t,  v,                   1, FAL_FLAG,   0, NULL, NULL, NULL, "a virtualization cookie follows")      \
    F(H, uint8_t,  one,                 1, FAL_CONST,  1, NULL, NULL, NULL, "always 1")                             \
    F(H, uint32_t, spi,                32, FAL_UINT,   1, NULL, NULL, NULL, "security parameters index; top bit: master key") \
    F(H, uint64_t, iv,                 64, FAL_UINT,   0, NULL, NULL, NULL, "time of departure, picoseconds (AMB-32)")

/* The virtualization cookie, when psp.v is set; carries the PCID (9.2.1) */
#define FAL_PSP_VC_FIELDS(F, W, S, H)                                                                                  \
    F(H, uint64_t, vc,                 64, FAL_UINT,   0, NULL, NULL, NULL, "virtualization cookie")

/* RFC 4303; the IV: RFC 4106 */
#define FAL_ESP_FIELDS(F, W, S, H)                                                                                  \
    F(H, uint32_t, spi,                32, FAL_UINT,   1, NULL, NULL, NULL, "security parameters index")            \
    F(H, uint32_t, sequence_number,    32, FAL_UINT,   1, NULL, NULL, NULL, "of the association, from 1; the low word of an extended one")

#define FAL_ESP_IV_FIELDS(F, W, S, H)                                                                               \
    F(H, uint64_t, iv,                 64, FAL_UINT,   0, NULL, NULL, NULL, "explicit part of the nonce; time of departure (AMB-32)")

/* The last two bytes that ESP seals, after the padding. */
#define FAL_ESP_TRAILER_FIELDS(F, W, S, H)                                                                          \
    F(H, uint8_t,  pad_length,          8, FAL_LENGTH, 0, NULL, NULL, NULL, "bytes of padding before this field")   \
    F(H, uint8_t,  next_header,         8, FAL_UINT, 252, &fal_names_ip_protocol, NULL, "FTP-7.1-02", "252 Falcon, 4 IPv4, 41 IPv6")

/* 7.2: the first 24 bytes of every reliable packet. T: this packet's type */
#define FAL_BASE_FIELDS(F, W, S, H, T)                                                                                 \
    F(H, uint8_t,  version,             4, FAL_CONST,  1, NULL, NULL, "FTP-7.2-02", "always 1")                     \
    F(H, uint8_t,  reserved_0,          4, FAL_RSVD,   0, NULL, NULL, "FTP-7.2-03", "")                             \
    F(H, uint32_t, dest_cid,           24, FAL_UINT,   0, NULL, "cid", "FTP-7.2-04", "connection id, allocated by the receiver of the packet") \
    F(H, uint32_t, dest_function,      24, FAL_UINT,   0, NULL, "fn", "FTP-7.2-05", "host, physical or virtual function at the destination") \
    F(H, uint8_t,  protocol_type,       3, FAL_CODE,   2, &fal_names_protocol_type, "proto", "FTP-7.2-09", "upper layer protocol") \
    F(H, uint8_t,  packet_type,         4, FAL_CODE,   T, &fal_names_packet_type, NULL, "FTP-7.2-18", "type of the packet")          \
    F(H, uint8_t,  ack_req,             1, FAL_FLAG,   0, NULL, NULL, "FTP-7.2-19", "AR: asks the receiver for an ACK at once")      \
    F(H, uint32_t, recv_data_base_psn, 32, FAL_PSN,    0, NULL, "dbase", "FTP-7.2-20", "base PSN of the data window: everything below it is acknowledged") \
    F(H, uint32_t, recv_req_base_psn,  32, FAL_PSN,    0, NULL, "rbase", "FTP-7.2-21", "base PSN of the request window: everything below it is acknowledged") \
    F(H, uint32_t, psn,                32, FAL_PSN,    0, NULL, NULL, "FTP-7.2-23", "packet sequence number")       \
    F(H, uint32_t, rsn,                32, FAL_RSN,    0, NULL, NULL, "FTP-7.2-27", "request sequence number")

#define FAL_PULL_REQUEST_FIELDS(F, W, S, H)                                                                            \
    FAL_BASE_FIELDS(F, W, S, H, 0)                                                                                     \
    F(H, uint32_t, reserved_1,         16, FAL_RSVD,   0, NULL, NULL, "FTP-7.3-02", "")                             \
    F(H, uint16_t, request_length,     16, FAL_LENGTH, 0, NULL, "len", "FTP-7.3-04", "bytes that the pull data must carry; in push data: bytes of payload") \
    F(H, uint32_t, reserved_2,         32, FAL_RSVD,   0, NULL, NULL, "FTP-7.3-05", "")

#define FAL_PULL_DATA_FIELDS(F, W, S, H)                                                                               \
    FAL_BASE_FIELDS(F, W, S, H, 3)

#define FAL_PUSH_DATA_FIELDS(F, W, S, H)                                                                               \
    FAL_BASE_FIELDS(F, W, S, H, 5)                                                                                     \
    F(H, uint32_t, reserved_1,         16, FAL_RSVD,   0, NULL, NULL, "FTP-7.5-02", "")                             \
    F(H, uint16_t, request_length,     16, FAL_LENGTH, 0, NULL, "len", "FTP-7.5-04", "bytes of payload")

#define FAL_RESYNC_FIELDS(F, W, S, H)                                                                                  \
    FAL_BASE_FIELDS(F, W, S, H, 6)                                                                                     \
    F(H, uint8_t,  resync_code,         8, FAL_CODE,   1, &fal_names_resync_code, "code", "FTP-7.6-10", "reason code")     \
    F(H, uint8_t,  resync_packet_type,  4, FAL_CODE,   5, &fal_names_resync_type, "of", "FTP-7.6-11", "type of the packet it replaces") \
    F(H, uint32_t, reserved_1,         20, FAL_RSVD,   0, NULL, NULL, "FTP-7.6-12", "")                             \
    F(H, uint32_t, vendor_defined,     32, FAL_UINT,   0, NULL, NULL, "FTP-7.6-13", "for use by vendors")

/* 7.7.1: the first 30 bytes of BACK and EACK, up to RUE info. T: packet type */
#define FAL_ACK_FIELDS(F, W, S, H, T)                                                                                  \
    F(H, uint8_t,  version,             4, FAL_CONST,  1, NULL, NULL, "FTP-7.7.1-02", "always 1")                   \
    F(H, uint8_t,  reserved_0,          4, FAL_RSVD,   0, NULL, NULL, "FTP-7.7.1-03", "")                           \
    F(H, uint32_t, dest_cid,           24, FAL_UINT,   0, NULL, "cid", "FTP-7.7.1-04", "connection id, allocated by the receiver of the packet") \
    F(H, uint32_t, reserved_1,         27, FAL_RSVD,   0, NULL, NULL, "FTP-7.7.1-05", "")                           \
    F(H, uint8_t,  packet_type,         4, FAL_CODE,   T, &fal_names_packet_type, NULL, "FTP-7.7.1-06", "type of the packet")        \
    F(H, uint32_t, reserved_2,          1, FAL_RSVD,   0, NULL, NULL, "FTP-7.7.1-05", "")                           \
    F(H, uint32_t, recv_data_base_psn, 32, FAL_PSN,    0, NULL, "dbase", "FTP-7.7.1-07", "base PSN of the data window: everything below it is acknowledged") \
    F(H, uint32_t, recv_req_base_psn,  32, FAL_PSN,    0, NULL, "rbase", "FTP-7.7.1-08", "base PSN of the request window: everything below it is acknowledged") \
    F(H, uint32_t, t1,                 32, FAL_UINT,   0, NULL, NULL, "FTP-7.7.1-09", "departure time of the packet that is acknowledged or refused, in units of 131.072 ns") \
    F(H, uint32_t, t2,                 32, FAL_UINT,   0, NULL, NULL, "FTP-7.7.1-10", "arrival time of that packet, in units of 131.072 ns")    \
    F(H, uint8_t,  hop_count,           4, FAL_UINT,   0, NULL, NULL, "FTP-7.7.1-12", "hops that the packet took to its receiver")               \
    F(H, uint8_t,  rx_buffer_occupancy, 5, FAL_UINT,   0, NULL, NULL, "FTP-7.7.1-13", "fill level of the receive buffer, quantized")            \
    F(H, uint16_t, ecn_rx_count,       14, FAL_UINT,   0, NULL, NULL, "FTP-7.7.1-14", "number of received packets with a congestion mark (CE), cumulative") \
    F(H, uint32_t, reserved_3,         17, FAL_RSVD,   0, NULL, NULL, "FTP-7.7.1-15", "")

#define FAL_BACK_FIELDS(F, W, S, H)                                                                                    \
    FAL_ACK_FIELDS(F, W, S, H, 9)                                                                                      \
    F(H, uint32_t, rue_info,           22, FAL_UINT,   0, NULL, NULL, "FTP-7.7.1-16", "opaque value of the RUE (AMB-04)") \
    F(H, uint8_t,  own,                 2, FAL_UINT,   0, NULL, NULL, "FTP-7.7.1-17", "out of window notification: a packet beyond the window was dropped; 1 request, 2 data")

#define FAL_EACK_FIELDS(F, W, S, H)                                                                                    \
    FAL_ACK_FIELDS(F, W, S, H, 10)                                                                                     \
    F(H, uint32_t, rue_info,           22, FAL_UINT,   0, NULL, NULL, "FTP-7.7.1-16", "opaque value of the RUE (AMB-04)") \
    F(H, uint8_t,  own,                 2, FAL_UINT,   0, NULL, NULL, "FTP-7.7.1-17", "out of window notification: a packet beyond the window was dropped; 1 request, 2 data") \
    W(H, fal_u128, data_ack_bitmap,   128, FAL_BITMAP, 0, NULL, "dack", "FTP-7.7.2-03", "data window: bit i is set if PSN dbase+i is acknowledged") \
    W(H, fal_u128, data_rx_bitmap,    128, FAL_BITMAP, 0, NULL, "drx", "FTP-7.7.2-04", "data window: bit i is set if PSN dbase+i has arrived")     \
    F(H, uint64_t, req_bitmap,         64, FAL_BITMAP, 0, NULL, "req", "FTP-7.7.2-05", "request window: bit i is set if PSN rbase+i has arrived")

/* 7.8: drawn there in full, with requirements of its own. Bits that only the figure reserves keep
 * the ids of 7.7.1, whose breach is a warning (AMB-27). */
#define FAL_NACK_FIELDS(F, W, S, H)                                                                                    \
    F(H, uint8_t,  version,             4, FAL_CONST,  1, NULL, NULL, "FTP-7.8-03", "always 1")                     \
    F(H, uint8_t,  reserved_0,          4, FAL_RSVD,   0, NULL, NULL, "FTP-7.7.1-03", "")                           \
    F(H, uint32_t, dest_cid,           24, FAL_UINT,   0, NULL, "cid", "FTP-7.8-04", "connection id, allocated by the receiver of the packet") \
    F(H, uint32_t, reserved_1,         27, FAL_RSVD,   0, NULL, NULL, "FTP-7.7.1-05", "")                           \
    F(H, uint8_t,  packet_type,         4, FAL_CODE,   8, &fal_names_packet_type, NULL, "FTP-7.8-05", "type of the packet")          \
    F(H, uint32_t, reserved_2,          1, FAL_RSVD,   0, NULL, NULL, "FTP-7.7.1-05", "")                           \
    F(H, uint32_t, recv_data_base_psn, 32, FAL_PSN,    0, NULL, "dbase", "FTP-7.8-06", "base PSN of the data window: everything below it is acknowledged") \
    F(H, uint32_t, recv_req_base_psn,  32, FAL_PSN,    0, NULL, "rbase", "FTP-7.8-07", "base PSN of the request window: everything below it is acknowledged") \
    F(H, uint32_t, t1,                 32, FAL_UINT,   0, NULL, NULL, "FTP-7.8-08", "departure time of the packet that is acknowledged or refused, in units of 131.072 ns") \
    F(H, uint32_t, t2,                 32, FAL_UINT,   0, NULL, NULL, "FTP-7.8-09", "arrival time of that packet, in units of 131.072 ns")      \
    F(H, uint8_t,  hop_count,           4, FAL_UINT,   0, NULL, NULL, "FTP-7.8-10", "hops that the packet took to its receiver")                 \
    F(H, uint8_t,  rx_buffer_occupancy, 5, FAL_UINT,   0, NULL, NULL, "FTP-7.8-11", "fill level of the receive buffer, quantized")              \
    F(H, uint16_t, ecn_rx_count,       14, FAL_UINT,   0, NULL, NULL, "FTP-7.8-12", "number of received packets with a congestion mark (CE), cumulative") \
    F(H, uint32_t, reserved_3,         17, FAL_RSVD,   0, NULL, NULL, "FTP-7.8-13", "")                             \
    F(H, uint32_t, rue_info,           24, FAL_UINT,   0, NULL, NULL, "FTP-7.8-14", "opaque value of the RUE (AMB-05)") \
    F(H, uint32_t, nack_psn,           32, FAL_PSN,    0, NULL, NULL, "FTP-7.8-15", "PSN of the packet that is refused") \
    F(H, uint8_t,  nack_code,           8, FAL_CODE,   1, &fal_names_nack_code, "code", "FTP-7.8-23", "reason code")        \
    F(H, uint32_t, reserved_4,          3, FAL_RSVD,   0, NULL, NULL, "FTP-7.8-24", "")                             \
    F(H, uint8_t,  rnr_timeout,         5, FAL_UINT,   0, NULL, "rnr", "FTP-7.8-25", "code of the delay after which to retransmit (RNR)") \
    F(H, uint8_t,  window,              1, FAL_CODE,   0, &fal_names_window, "w", "FTP-7.8-28", "window of nack_psn") \
    F(H, uint32_t, reserved_5,          7, FAL_RSVD,   0, NULL, NULL, "FTP-7.8-24", "")                             \
    F(H, uint8_t,  ulp_nack_code,       8, FAL_UINT,   0, NULL, NULL, "FTP-7.8-29", "opaque value of the target's upper layer")

/* clang-format on */

#define FAL_MEMBER(H, type, name, ...) type name;
/* One byte stands for one bit. */
#define FAL_WIRE(H, type, name, bits, ...) uint8_t name[bits];
#define FAL_WIRE_STRUCT(h, FIELDS)              \
    struct fal_##h##_wire {                     \
        FIELDS(FAL_WIRE, FAL_WIRE, FAL_WIRE, h) \
    };                                          \
    extern const struct fal_layout fal_##h##_layout

/* Host struct, bit offsets and table of a header that stands alone. */
#define FAL_HEADER(h, FIELDS)                         \
    struct fal_##h {                                  \
        FIELDS(FAL_MEMBER, FAL_MEMBER, FAL_MEMBER, h) \
    };                                                \
    FAL_WIRE_STRUCT(h, FIELDS)

FAL_HEADER(eth, FAL_ETH_FIELDS);
FAL_HEADER(ipv4, FAL_IPV4_FIELDS);
FAL_HEADER(ipv6, FAL_IPV6_FIELDS);
FAL_HEADER(udp, FAL_UDP_FIELDS);
FAL_HEADER(psp, FAL_PSP_FIELDS);
FAL_HEADER(psp_vc, FAL_PSP_VC_FIELDS);
FAL_HEADER(vlan, FAL_VLAN_FIELDS);
FAL_HEADER(sll, FAL_SLL_FIELDS);
FAL_HEADER(sll2, FAL_SLL2_FIELDS);
FAL_HEADER(ipv6_ext, FAL_IPV6_EXT_FIELDS);
FAL_HEADER(ipv6_fragment, FAL_IPV6_FRAGMENT_FIELDS);
FAL_HEADER(esp, FAL_ESP_FIELDS);
FAL_HEADER(esp_iv, FAL_ESP_IV_FIELDS);
FAL_HEADER(esp_trailer, FAL_ESP_TRAILER_FIELDS);
FAL_HEADER(rbth, FAL_RBTH_FIELDS);
FAL_HEADER(reth, FAL_RETH_FIELDS);
FAL_HEADER(seth, FAL_SETH_FIELDS);
FAL_HEADER(oeth, FAL_OETH_FIELDS);
FAL_HEADER(steth, FAL_STETH_FIELDS);
FAL_HEADER(immdt, FAL_IMMDT_FIELDS);
FAL_HEADER(atomiceth, FAL_ATOMICETH_FIELDS);
FAL_HEADER(atomicacketh, FAL_ATOMICACKETH_FIELDS);
FAL_HEADER(ieth, FAL_IETH_FIELDS);
FAL_HEADER(xrceth, FAL_XRCETH_FIELDS);
FAL_HEADER(deth, FAL_DETH_FIELDS);
FAL_HEADER(roce, FAL_ROCE_FIELDS);
FAL_HEADER(aeth, FAL_AETH_FIELDS);
FAL_HEADER(roce_deth, FAL_ROCE_DETH_FIELDS);
FAL_HEADER(cnp, FAL_CNP_FIELDS);

/* The seven Falcon packets share one host struct (falcon.h): a reader of bases, PSNs or own
 * asks the same member whatever the packet type. Their rows are checked against it in
 * headers.c. */
FAL_WIRE_STRUCT(pull_request, FAL_PULL_REQUEST_FIELDS);
FAL_WIRE_STRUCT(pull_data, FAL_PULL_DATA_FIELDS);
FAL_WIRE_STRUCT(push_data, FAL_PUSH_DATA_FIELDS);
FAL_WIRE_STRUCT(resync, FAL_RESYNC_FIELDS);
FAL_WIRE_STRUCT(back, FAL_BACK_FIELDS);
FAL_WIRE_STRUCT(eack, FAL_EACK_FIELDS);
FAL_WIRE_STRUCT(nack, FAL_NACK_FIELDS);

/* The NVMe packets likewise (struct fal_nvme, ulp.h). */
FAL_WIRE_STRUCT(nbth, FAL_NBTH_FIELDS);
FAL_WIRE_STRUCT(nvme_write_request, FAL_NVME_WRITE_REQUEST_FIELDS);
FAL_WIRE_STRUCT(nvme_write_data_request, FAL_NVME_WRITE_DATA_REQUEST_FIELDS);
FAL_WIRE_STRUCT(nvme_write_data_response, FAL_NVME_WRITE_DATA_RESPONSE_FIELDS);
FAL_WIRE_STRUCT(nvme_write_completion, FAL_NVME_WRITE_COMPLETION_FIELDS);
FAL_WIRE_STRUCT(nvme_read_request, FAL_NVME_READ_REQUEST_FIELDS);
FAL_WIRE_STRUCT(nvme_read_response, FAL_NVME_READ_RESPONSE_FIELDS);

/* Every layout, for listings and tests that must miss none; the count in *n. */
const struct fal_layout *const *fal_layouts(size_t *n);

#endif
