/* SPDX-License-Identifier: Apache-2.0
 * pcapng_wire.h - inside of pcapng_read.c and pcapng_write.c: the numbers of the format. */
#ifndef FAL_CODECS_PCAPNG_PCAPNG_WIRE_H
#define FAL_CODECS_PCAPNG_PCAPNG_WIRE_H

#include "codecs/pcapng/pcapng.h"

/* Block types. The section header's reads alike in either byte order. */
#define PCAPNG_BLOCK_SECTION UINT32_C(0x0a0d0d0a)
enum {
    PCAPNG_BLOCK_INTERFACE = 1,
    PCAPNG_BLOCK_OLD_PACKET = 2, /* written before 2009 */
    PCAPNG_BLOCK_SIMPLE_PACKET = 3,
    PCAPNG_BLOCK_NAMES = 4,
    PCAPNG_BLOCK_STATISTICS = 5,
    PCAPNG_BLOCK_PACKET = 6,
};

#define PCAPNG_MAGIC         UINT32_C(0x1a2b3c4d)
#define PCAPNG_MAGIC_SWAPPED UINT32_C(0x4d3c2b1a)

enum {
    PCAPNG_VERSION = 1,
    PCAPNG_FRAME = 12, /* type and length before a block's body, length after it */
};

/* Bytes of the blocks' bodies before their options or data */
enum {
    PCAPNG_SECTION_BODY = 16,
    PCAPNG_INTERFACE_BODY = 8,
    PCAPNG_PACKET_BODY = 20,
    PCAPNG_SIMPLE_BODY = 4,
    PCAPNG_STATISTICS_BODY = 12,
};

enum {
    PCAPNG_OPT_END = 0,
    PCAPNG_OPT_COMMENT = 1,
    PCAPNG_OPT_APPLICATION = 4, /* of a section */
    PCAPNG_OPT_IF_NAME = 2,
    PCAPNG_OPT_IF_DESCRIPTION = 3,
    PCAPNG_OPT_IF_TSRESOL = 9,
    PCAPNG_OPT_IF_TSOFFSET = 14,
    PCAPNG_OPT_FLAGS = 2, /* of a packet */
    PCAPNG_OPT_DROPS = 4,
    PCAPNG_OPT_PACKET_ID = 5,
    PCAPNG_OPT_IFDROP = 5, /* of statistics */
    PCAPNG_OPT_OSDROP = 7,
};

static inline size_t pcapng_padded(size_t n)
{
    return (n + 3) / 4 * 4;
}

#endif
