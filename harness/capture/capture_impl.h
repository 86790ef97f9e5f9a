/* SPDX-License-Identifier: Apache-2.0
 * capture_impl.h - inside of capture*.c: link types, filters, pcapng files. */
#ifndef TL_HARNESS_CAPTURE_IMPL_H
#define TL_HARNESS_CAPTURE_IMPL_H

#include "harness/capture/capture.h"

#include <stdio.h>

/* libpcap's number (DLT) for a link type of ours, or -1; and back, 0 when it is none. */
int tl_linktype_dlt(unsigned linktype);
unsigned tl_linktype_from_dlt(int dlt);

/* "1 (Ethernet), 101 (raw IP), ...", in errors */
const char *tl_linktypes_text(void);

/* ---- filters ---- */

struct tl_filter;

/* NULL: out of memory. Nothing is looked at yet; `expression` is kept by reference. */
struct tl_filter *tl_filter_new(const char *expression);
void tl_filter_free(struct tl_filter *filter); /* NULL is fine */

/* Whether a frame of that link type matches: 1, 0, or FAL_ERR_FORM with `err` when the
 * expression makes no sense there. Without a frame (NULL) the expression alone is looked at. */
int tl_filter_match(struct tl_filter *filter, unsigned linktype,
                    const struct tl_captured *frame, struct fal_error *err);

/* ---- pcapng files ---- */

struct tl_pcapng_file {
    FILE *file;
    uint64_t offset; /* of the block that is read next */
    struct fal_pcapng_reader reader;
    struct fal_pcapng_block block;             /* the last one */
    uint64_t drops[FAL_PCAPNG_INTERFACES_MAX]; /* as the statistics say, by interface */
    uint64_t dropped;                          /* in all sections */
    uint8_t bytes[FAL_PCAPNG_BLOCK_MAX];
};

/* Reads blocks up to the next packet or, when `any`, the next interface: 1, 0 at the end of the
 * file, FAL_ERR_FORM with `err` (block, not file nor frame). */
int tl_pcapng_next(struct tl_pcapng_file *ng, bool any, struct fal_error *err);

#endif
