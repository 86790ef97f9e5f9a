/* SPDX-License-Identifier: Apache-2.0
 * pcapng.h - blocks of a pcapng capture (draft-ietf-opsawg-pcapng), from bytes and to bytes:
 * sections, interfaces, packets with their comments, ids and flags. libpcap reads such files
 * but drops every option, and writes none; so this is ours. No I/O: the caller moves the
 * blocks.
 *
 * Reading: take 12 bytes, ask fal_pcapng_head how long their block is, take the rest, hand the
 * block to fal_pcapng_read. Blocks of a kind that is not known here need not be held: they may
 * be stepped over. Writing: one section, its interfaces, then packets. */
#ifndef FAL_CODECS_PCAPNG_PCAPNG_H
#define FAL_CODECS_PCAPNG_PCAPNG_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"

enum {
    FAL_PCAPNG_HEAD_LEN = 12,       /* what fal_pcapng_head looks at: no block is shorter */
    FAL_PCAPNG_FRAME_MAX = 262144,  /* bytes of a frame */
    FAL_PCAPNG_BLOCK_MAX = 1 << 19, /* of a block that is held: a frame, and its options */
    FAL_PCAPNG_INTERFACES_MAX = 256,
    FAL_PCAPNG_COMMENTS_MAX = 16,
    FAL_PCAPNG_FIRST_BYTE = 0x0a, /* of every pcapng file, and of no pcap file */
};

enum fal_pcapng_kind {
    FAL_PCAPNG_SECTION,
    FAL_PCAPNG_INTERFACE,
    FAL_PCAPNG_PACKET,
    FAL_PCAPNG_STATISTICS, /* of an interface: what it dropped */
    FAL_PCAPNG_OTHER,      /* names, secrets, ...: nothing in it is read */
};

/* Bits of epb_flags */
enum { FAL_PCAPNG_INBOUND = 1, FAL_PCAPNG_OUTBOUND = 2, FAL_PCAPNG_CRC_ERROR = 1 << 24 };

struct fal_pcapng_interface {
    uint32_t linktype;
    uint32_t snaplen;     /* 0: no limit */
    uint8_t tsresol;      /* units of time: 10^-n s, with the top bit set 2^-n s */
    int64_t tsoffset_s;   /* seconds added to every time */
    struct fal_span name; /* not ended by a NUL; borrowed from the block */
    struct fal_span description, comment; /* only written: nothing reads them */
};

/* What an address is called. */
struct fal_pcapng_name {
    uint32_t ipv4;
    const char *name;
};

struct fal_pcapng_packet {
    uint32_t interface; /* index in its section */
    uint64_t ts_ns;     /* since 1970; 0 where the block has no time */
    uint32_t caplen, len;
    const uint8_t *bytes; /* borrowed, as are the comments */
    bool has_id, has_flags;
    uint64_t id;
    uint64_t drops; /* frames lost between the one before on this interface and this one */
    uint32_t flags;
    size_t num_comments, comments_dropped;             /* those for which there was no room */
    struct fal_span comments[FAL_PCAPNG_COMMENTS_MAX]; /* UTF-8, not ended by a NUL */
};

/* Counted since the interface's capture began. */
struct fal_pcapng_statistics {
    uint32_t interface;
    uint64_t drops; /* by the interface and by the operating system; 0 where it says neither */
};

/* ---- reading ---- */

/* Where a reader stands; all zero before the first block. */
struct fal_pcapng_reader {
    bool in_section, big_endian;
    size_t num_interfaces;
    struct fal_pcapng_interface interfaces[FAL_PCAPNG_INTERFACES_MAX]; /* without names */
};

struct fal_pcapng_block {
    enum fal_pcapng_kind kind;
    union {
        struct fal_pcapng_interface interface;
        struct fal_pcapng_packet packet;
        struct fal_pcapng_statistics statistics;
    };
};

/* What the first FAL_PCAPNG_HEAD_LEN bytes of a block say: its whole length, at least 12, and
 * its kind. FAL_ERR_FORM with `err` when it is no block of this section. */
MUST_USE int fal_pcapng_head(const struct fal_pcapng_reader *reader,
                             const uint8_t head[FAL_PCAPNG_HEAD_LEN],
                             enum fal_pcapng_kind *kind, uint32_t *len, struct fal_error *err);

/* Reads one whole block of `len` bytes. Times become nanoseconds and stop at INT64_MAX and 0.
 * Returns 0, or FAL_ERR_FORM with `err`: the block is damaged, and the reader as it was. */
MUST_USE int fal_pcapng_read(struct fal_pcapng_reader *reader, const uint8_t *block, size_t len,
                             struct fal_pcapng_block *out, struct fal_error *err);

/* ---- writing: little-endian; the bytes written, FAL_ERR_SHORT, FAL_ERR_RANGE ---- */

/* The block that a file begins with. `application`: the program that wrote it; NULL: not known.
 */
MUST_USE int fal_pcapng_write_section(const char *application, uint8_t *out, size_t cap);

/* Adds the section's next interface. FAL_ERR_RANGE: a link type above 16 bits, a text above
 * 65535 bytes. */
MUST_USE int fal_pcapng_write_interface(const struct fal_pcapng_interface *interface,
                                        uint8_t *out, size_t cap);

/* What addresses are called, before the packets that have them. FAL_ERR_RANGE: a name above
 * 65000 bytes. */
MUST_USE int fal_pcapng_write_names(const struct fal_pcapng_name *names, size_t n, uint8_t *out,
                                    size_t cap);

/* The packet's time is written in nanoseconds: its interface must have a tsresol of 9 and no
 * offset. FAL_ERR_RANGE: a frame or a comment that is too long, or too many comments. */
MUST_USE int fal_pcapng_write_packet(const struct fal_pcapng_packet *packet, uint8_t *out,
                                     size_t cap);

/* Writes how many packets an interface had dropped at the time `ts_ns`. */
MUST_USE int fal_pcapng_write_statistics(const struct fal_pcapng_statistics *statistics,
                                         uint64_t ts_ns, uint8_t *out, size_t cap);

#endif
