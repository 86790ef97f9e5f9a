/* SPDX-License-Identifier: Apache-2.0
 * capture.h - capture files through libpcap: read frame by frame, written frame by frame, in
 * nanoseconds either way. Nothing is held but one frame. */
#ifndef TL_HARNESS_CAPTURE_H
#define TL_HARNESS_CAPTURE_H

#include "codecs/frame.h"

enum { TL_FRAME_MAX = 262144 }; /* what libpcap writes at most, and more than any frame has */

struct tl_capture;

struct tl_captured {
    uint64_t number, ts_ns; /* from 1; since 1970 */
    uint32_t caplen, len;   /* caplen is at most TL_FRAME_MAX, and at most len */
    const uint8_t *bytes;   /* valid until the next call */
};

/* Opens a pcap or pcapng file, micro- or nanoseconds; "-" is standard input. Link types are
 * those that fal_frame_decode takes. NULL with `err`, which names the file; the caller closes.
 */
struct tl_capture *tl_capture_open(const char *path, struct fal_error *err);
unsigned tl_capture_linktype(const struct tl_capture *capture);
void tl_capture_close(struct tl_capture *capture); /* NULL is fine */

/* The next frame: 1; 0 at the end; FAL_ERR_FORM with `err` (file, frame) where the file is
 * damaged: nothing more can be read. */
int tl_capture_next(struct tl_capture *capture, struct tl_captured *out, struct fal_error *err);

struct tl_capture_writer;

/* Creates a nanosecond pcap file; "-" is standard output. NULL with `err`. */
struct tl_capture_writer *tl_capture_create(const char *path, unsigned linktype,
                                            struct fal_error *err);
/* Adds a frame of `caplen` bytes, of which `len` were on the wire. 0; FAL_ERR_RANGE for a time
 * after 2106 or an overlong frame; FAL_ERR_IO. */
int tl_capture_write(struct tl_capture_writer *writer, uint64_t ts_ns, const uint8_t *bytes,
                     uint32_t caplen, uint32_t len, struct fal_error *err);
/* Writes out what is buffered, closes and frees. 0, or FAL_ERR_IO with `err`. NULL is fine. */
int tl_capture_finish(struct tl_capture_writer *writer, struct fal_error *err);

/* "Ethernet", "raw IP", "bare Falcon", or NULL for a link type that is not one of ours. */
const char *tl_linktype_name(unsigned linktype);

/* Reads a file of PSP keys (--psp-keys). NULL with `err`, which names the file; the caller
 * frees. */
struct fal_psp_keys *tl_psp_keys_open(const char *path, struct fal_error *err);

#endif
