/* SPDX-License-Identifier: Apache-2.0
 * capture_impl.h - shared by the files of this room: link types, filters, compressed and
 * pcapng files. */
#ifndef TL_HARNESS_CAPTURE_CAPTURE_IMPL_H
#define TL_HARNESS_CAPTURE_CAPTURE_IMPL_H

#include "codecs/base/error.h"
#include "harness/capture/capture.h"

#include <stdio.h>

/* Returns libpcap's number (DLT) for a supported link type, or -1; and the reverse, 0 for an
 * unsupported one. */
int tl_linktype_dlt(unsigned linktype);
unsigned tl_linktype_from_dlt(int dlt);

/* "1 (Ethernet), 101 (raw IP), ...", for error messages */
const char *tl_linktypes_text(void);

/* ---- filters ---- */

struct tl_filter;

/* Returns NULL when out of memory. The expression is not checked yet; `expression` is borrowed.
 */
struct tl_filter *tl_filter_new(const char *expression);
void tl_filter_free(struct tl_filter *filter); /* NULL is allowed */

/* Returns whether a frame of that link type matches: 1, 0, or FAL_ERR_FORM with `err` when the
 * expression is invalid for that link type. With NULL for the frame, only checks the
 * expression. */
int tl_filter_match(struct tl_filter *filter, unsigned linktype,
                    const struct tl_captured *frame, struct fal_error *err);

/* ---- compressed files ---- */

struct tl_compressed;

/* If *file begins as gzip or zstd data do, replaces it by a stream of the decompressed bytes,
 * and sets *out; else sets *out to NULL. A damaged or truncated file gives the bytes before the
 * damage, and then an error of the stream (ferror). Memory is bounded whatever the data expand
 * to. Returns 0, or an error with `err` (no file name), after which *file is as it was.
 * The caller closes the new stream first, then calls tl_compressed_free, then closes the old
 * stream. */
MUST_USE int tl_compressed_open(FILE **file, struct tl_compressed **out, struct fal_error *err);
/* Returns the stream that tl_compressed_open replaced; NULL for NULL. */
FILE *tl_compressed_file(const struct tl_compressed *compressed);
/* Returns why the stream has an error: one sentence without the file name. NULL if it has none.
 */
const char *tl_compressed_error(const struct tl_compressed *compressed);
void tl_compressed_free(struct tl_compressed *compressed); /* NULL is allowed */

/* ---- pcap files ---- */

struct tl_fast_pcap;

/* Reads an ordinary pcap file (version 2.4, micro- or nanoseconds, either byte order) without
 * libpcap. `fd` is borrowed, and its position is not moved. `snaplen` is the longest frame that
 * the file says it has. Returns NULL for any other file, or when out of memory: libpcap reads
 * these. */
struct tl_fast_pcap *tl_fast_pcap_new(int fd, uint32_t snaplen);
void tl_fast_pcap_free(struct tl_fast_pcap *fast); /* NULL is allowed */

/* Sets time, lengths, bytes and marks of `out`; the bytes are valid until the next call.
 * Returns false at the end of the file and at a record that is not ordinary or not complete:
 * libpcap then reads on at tl_fast_pcap_offset. */
MUST_USE bool tl_fast_pcap_next(struct tl_fast_pcap *fast, struct tl_captured *out);

/* Returns the offset in the file, in bytes, of the next record. */
uint64_t tl_fast_pcap_offset(const struct tl_fast_pcap *fast);

/* ---- pcapng files ---- */

struct tl_pcapng_file {
    FILE *file;
    bool ahead;         /* reads as much as there is room for; else only what is needed: more
                           may not come soon */
    int error;          /* of reading the file; 0: none */
    uint64_t offset;    /* in the file, of the next block */
    size_t used, taken; /* bytes of the file in `bytes`; those of them that were read */
    struct fal_pcapng_reader reader;
    struct fal_pcapng_block block; /* the block that was read last */
    uint64_t
        drops[FAL_PCAPNG_INTERFACES_MAX]; /* reported by the statistics of each interface */
    uint64_t dropped;                     /* the sum over all sections */
    uint8_t bytes[FAL_PCAPNG_BLOCK_MAX];
};

/* Reads blocks up to the next packet or, when `any`, the next interface. Returns 1, 0 at the
 * end of the file, FAL_ERR_FORM with `err` (which names the block, not the file or frame). */
MUST_USE int tl_pcapng_next(struct tl_pcapng_file *ng, bool any, struct fal_error *err);

#endif
