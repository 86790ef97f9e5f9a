/* SPDX-License-Identifier: Apache-2.0
 * capture.h - capture files, read frame by frame, written frame by frame, in nanoseconds either
 * way: pcap through libpcap, pcapng by codecs/pcapng.h. Nothing is held but one frame. */
#ifndef TL_HARNESS_CAPTURE_H
#define TL_HARNESS_CAPTURE_H

#include "codecs/esp.h"
#include "codecs/frame.h"
#include "codecs/pcapng.h"

enum { TL_FRAME_MAX = FAL_PCAPNG_FRAME_MAX }; /* libpcap's limit, above any frame's length */

struct tl_capture;

struct tl_captured {
    uint64_t number, ts_ns; /* from 1, in the file, filtered or not; since 1970 */
    uint32_t caplen, len;   /* caplen is at most TL_FRAME_MAX, and at most len */
    unsigned linktype;      /* one that tl_linktype_name knows */
    const uint8_t *bytes;   /* valid until the next call, as is: */
    const struct fal_pcapng_packet *marks; /* its comments, id, flags; NULL: of a pcap file */
};

/* Opens a pcap or pcapng file, micro- or nanoseconds, either byte order; "-" is standard input.
 * NULL with `err`, which names the file; the caller closes. */
struct tl_capture *tl_capture_open(const char *path, struct fal_error *err);
void tl_capture_close(struct tl_capture *capture); /* NULL is fine */

/* The link type of a pcap file, or of the first interface of a pcapng file; the frames of later
 * interfaces may have others. */
unsigned tl_capture_linktype(const struct tl_capture *capture);

/* From now on only frames that match an expression of libpcap's language are given; a capture
 * has one such filter. 0, or FAL_ERR_FORM with `err`. */
int tl_capture_filter(struct tl_capture *capture, const char *expression,
                      struct fal_error *err);

/* The next frame: 1; 0 at the end; FAL_ERR_FORM with `err` (file, frame) where the file is
 * damaged or has a link type that is not one of ours: nothing more can be read. */
int tl_capture_next(struct tl_capture *capture, struct tl_captured *out, struct fal_error *err);

/* Frames that the capture says it missed, up to the last one that was given, not counting those
 * that its packets' marks tell (drops): pcapng's statistics. Where they are is not said. */
uint64_t tl_capture_dropped(const struct tl_capture *capture);

/* Interfaces of the section at hand; of a pcap file 1. */
size_t tl_capture_interfaces(const struct tl_capture *capture);

struct tl_capture_writer;

/* Creates a capture in nanoseconds: pcapng when the name ends in ".pcapng", else pcap; "-" is
 * standard output. NULL with `err`. */
struct tl_capture_writer *tl_capture_create(const char *path, unsigned linktype,
                                            struct fal_error *err);
/* Adds a frame of `caplen` bytes, of which `len` were on the wire. 0; FAL_ERR_RANGE for an
 * overlong frame or, in pcap, a time after 2106; FAL_ERR_IO. */
int tl_capture_write(struct tl_capture_writer *writer, uint64_t ts_ns, const uint8_t *bytes,
                     uint32_t caplen, uint32_t len, struct fal_error *err);
/* The same with comments, id and flags, which pcap drops. The interface is 0. */
int tl_capture_write_marked(struct tl_capture_writer *writer,
                            const struct fal_pcapng_packet *packet, struct fal_error *err);
/* Writes out what is buffered, closes and frees. 0, or FAL_ERR_IO with `err`. NULL is fine. */
int tl_capture_finish(struct tl_capture_writer *writer, struct fal_error *err);

/* "Ethernet", "raw IP", "Linux cooked", "Linux cooked v2", "bare Falcon", or NULL for a link
 * type that is not one of ours. */
const char *tl_linktype_name(unsigned linktype);

/* Reads a file of PSP keys (--psp-keys), of ESP keys (--esp-keys). NULL with `err`, which names
 * the file; the caller frees. */
struct fal_psp_keys *tl_psp_keys_open(const char *path, struct fal_error *err);
struct fal_esp_keys *tl_esp_keys_open(const char *path, struct fal_error *err);

#endif
