/* SPDX-License-Identifier: Apache-2.0
 * tcp.h - the header of TCP with the options that matter for its transport logic (RFC 9293 3.1,
 * RFC 7323, RFC 2018). It is read only. */
#ifndef FAL_CODECS_HEADER_TCP_H
#define FAL_CODECS_HEADER_TCP_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAL_PROTOCOL_TCP = 6, FAL_TCP_SACKS = 4, FAL_TCP_HEADER_LEN = 20 };

enum { /* of `flags` */
       FAL_TCP_FIN = 0x01,
       FAL_TCP_SYN = 0x02,
       FAL_TCP_RST = 0x04,
       FAL_TCP_PSH = 0x08,
       FAL_TCP_ACK = 0x10,
       FAL_TCP_URG = 0x20,
       FAL_TCP_ECE = 0x40,
       FAL_TCP_CWR = 0x80
};

struct fal_tcp {
    uint16_t src_port, dst_port;
    uint32_t seq, ack;
    uint8_t flags;
    uint16_t window; /* as sent, not scaled */
    uint32_t header_len;
    bool has_mss, has_scale, sack_permitted, has_timestamps;
    uint16_t mss;
    uint8_t scale;
    uint32_t ts_value, ts_echo;
    unsigned num_sacks;
    uint32_t sack_first[FAL_TCP_SACKS], sack_end[FAL_TCP_SACKS];
};

/* Reads the header at `bytes`. Options that are cut or have a wrong length end the reading of
 * options. Returns the length of the header, options included, or FAL_ERR_SHORT: fewer bytes,
 * or a data offset below 5. */
MUST_USE int fal_tcp_decode(const uint8_t *bytes, size_t len, struct fal_tcp *out);

#endif
