/* SPDX-License-Identifier: Apache-2.0
 * roce.h - a packet of RoCEv2: the base transport header, the headers that its opcode asks for,
 * data with padding, and the invariant CRC. Sources: InfiniBand Architecture, volume 1, chapter
 * 9, and annex A17; both from memory, checked against captures of soft RoCE. */
#ifndef FAL_CODECS_HEADER_ROCE_H
#define FAL_CODECS_HEADER_ROCE_H

#include "codecs/header/headers.h"

#include <stdbool.h>

enum fal_roce_header {
    FAL_ROCE_RETH,
    FAL_ROCE_AETH,
    FAL_ROCE_ATOMICETH,
    FAL_ROCE_ATOMICACKETH,
    FAL_ROCE_IMMDT,
    FAL_ROCE_IETH,
    FAL_ROCE_DETH,
    FAL_ROCE_CNP,
    FAL_ROCE_HEADERS,
    FAL_ROCE_NONE = FAL_ROCE_HEADERS
};

#define FAL_ROCE_OPCODE_ENUM(code, name, ...) FAL_ROCE_OP_##name = (code),
enum fal_roce_opcode { FAL_ROCE_OPCODES(FAL_ROCE_OPCODE_ENUM) };

enum { FAL_ROCE_SEQUENCE_MAX = 2, FAL_ROCE_ICRC_LEN = 4, FAL_ROCE_PSN_MASK = 0xffffff };

/* An opcode says this. */
struct fal_roce_kind {
    const char *name; /* "rc_send_first" */
    bool data;        /* data may follow */
    size_t num_headers;
    enum fal_roce_header headers[FAL_ROCE_SEQUENCE_MAX]; /* after the BTH, in wire order */
};

/* NULL for an opcode that is not known. */
const struct fal_roce_kind *fal_roce_kind(unsigned opcode);
/* Bytes of the BTH and the headers after it. */
size_t fal_roce_size(const struct fal_roce_kind *kind);
/* A header's layout, whose name is its word in the notation and in JSON. */
const struct fal_layout *fal_roce_header_layout(enum fal_roce_header header);

/* The two bits above its value say what an AETH acknowledges. */
enum fal_aeth_kind { FAL_AETH_ACK, FAL_AETH_RNR, FAL_AETH_RESERVED, FAL_AETH_NAK };
enum fal_aeth_nak {
    FAL_AETH_SEQUENCE = 0, /* a PSN is missing: the one of the packet is expected */
    FAL_AETH_INVALID_REQUEST = 1,
    FAL_AETH_REMOTE_ACCESS = 2,
    FAL_AETH_REMOTE_OPERATIONAL = 3,
};
enum { FAL_AETH_NO_CREDITS = 0x1f }; /* the value of an ACK without flow control */

static inline uint8_t fal_aeth_syndrome(enum fal_aeth_kind kind, unsigned value)
{
    return (uint8_t)((unsigned)kind << 5 | (value & 0x1f));
}
static inline enum fal_aeth_kind fal_aeth_kind_of(uint8_t syndrome)
{
    return (enum fal_aeth_kind)(syndrome >> 5 & 3);
}
static inline unsigned fal_aeth_value_of(uint8_t syndrome)
{
    return syndrome & 0x1f;
}
/* The time of an RNR timer's code (0 to 31), the longest one for code 0: 655.36 ms. */
uint64_t fal_roce_rnr_ns(unsigned code);

enum fal_roce_state {
    FAL_ROCE_READ,     /* all headers are there */
    FAL_ROCE_SHORT,    /* the bytes end before the headers do; only `bth` may be read, */
    FAL_ROCE_NO_BTH,   /* or not even that */
    FAL_ROCE_RESERVED, /* the opcode is not known; `bth` and `data` can be read */
};

/* One packet. Members that its opcode does not have are 0. */
struct fal_roce_packet {
    enum fal_roce_state state;
    const struct fal_roce_kind *kind; /* NULL: not known */
    struct fal_roce bth;
    struct fal_reth reth;
    struct fal_aeth aeth;
    struct fal_atomiceth atomiceth;
    struct fal_atomicacketh atomicacketh;
    struct fal_immdt immdt;
    struct fal_ieth ieth;
    struct fal_roce_deth deth;
    struct fal_cnp cnp;
    const uint8_t *data; /* borrowed; NULL: the encoder writes zeros */
    size_t data_len;     /* on the wire, without padding */
    size_t data_there;   /* of them captured */
    bool has_icrc;       /* it was captured */
    uint32_t icrc;       /* as fal_icrc calculates it */
};

/* The place of a header in the packet. */
void *fal_roce_host(struct fal_roce_packet *packet, enum fal_roce_header header);

/* Reads what UDP carries: `there` bytes of `len` on the wire, the ICRC among the latter. */
void fal_roce_decode(const uint8_t *bytes, size_t there, size_t len,
                     struct fal_roce_packet *out);

/* The same where the BTH was read already: `there` and `len` count the bytes behind it. */
void fal_roce_decode_rest(const struct fal_roce *bth, const uint8_t *rest, size_t there,
                          size_t len, struct fal_roce_packet *out);

/* Sets the BTH, and the headers of the opcode, to their initial values. */
void fal_roce_init(struct fal_roce_packet *packet, unsigned opcode);

/* Writes the packet's headers, data, padding and `icrc`; bth.pad is filled in from data_len.
 * Returns the bytes written, FAL_ERR_SHORT, FAL_ERR_TYPE (the opcode is not known), or
 * FAL_ERR_RANGE with the field in *bad (may be NULL). */
MUST_USE int fal_roce_encode(const struct fal_roce_packet *packet, uint8_t *out, size_t cap,
                             const struct fal_field **bad);

#endif
