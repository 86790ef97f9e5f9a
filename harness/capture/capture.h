/* SPDX-License-Identifier: Apache-2.0
 * capture.h - reads and writes capture files one frame at a time, with times in nanoseconds:
 * pcap by libpcap, pcapng by codecs/pcapng/pcapng.h. Only one frame is in memory at a time. */
#ifndef TL_HARNESS_CAPTURE_CAPTURE_H
#define TL_HARNESS_CAPTURE_CAPTURE_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "codecs/pcapng/pcapng.h"
#include "codecs/seal/esp.h"

enum { TL_FRAME_MAX = FAL_PCAPNG_FRAME_MAX }; /* libpcap's limit; no frame is longer */

struct tl_capture;

struct tl_captured {
    uint64_t number, ts_ns; /* counted from 1 in the file, whether the filter matches or not;
                               time since 1970 */
    uint32_t caplen, len;   /* caplen is at most TL_FRAME_MAX, and at most len */
    unsigned linktype;      /* one that tl_linktype_name knows */
    const uint8_t *bytes;   /* valid until the next call, as are the marks: */
    const struct fal_pcapng_packet
        *marks; /* its comments, id and flags; NULL for a pcap file */
};

/* Opens a pcap or pcapng file with micro- or nanoseconds in either byte order, also compressed
 * by gzip or zstd; its first bytes decide, whatever its name. "-" is standard input. Returns
 * NULL with `err`, which names the file. The caller closes it with tl_capture_close. */
struct tl_capture *tl_capture_open(const char *path, struct fal_error *err);
void tl_capture_close(struct tl_capture *capture); /* NULL is allowed */

/* Returns the link type of a pcap file, or of the first interface of a pcapng file; later
 * interfaces may have others. */
unsigned tl_capture_linktype(const struct tl_capture *capture);

/* From now on only frames that match an expression in libpcap's filter language are returned. A
 * capture has at most one filter. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_capture_filter(struct tl_capture *capture, const char *expression,
                               struct fal_error *err);

/* Reads the next frame. Returns 1; 0 at the end of the file; FAL_ERR_FORM with `err` (file,
 * frame) when the file is damaged or has an unsupported link type, after which nothing more can
 * be read. */
MUST_USE int tl_capture_next(struct tl_capture *capture, struct tl_captured *out,
                             struct fal_error *err);

/* Returns how many frames the capture's statistics (pcapng) say were missed, up to the last
 * frame returned, without those that packets themselves report (drops). The statistics do not
 * tell where. */
uint64_t tl_capture_dropped(const struct tl_capture *capture);

/* Whether the file is pcapng. */
bool tl_capture_is_pcapng(const struct tl_capture *capture);

/* Returns the number of interfaces of the current section; 1 for a pcap file. */
size_t tl_capture_interfaces(const struct tl_capture *capture);

/* Sets how many bytes of the file were read, compressed ones if it is compressed, and its size.
 * Returns false where there is no size: a pipe. */
bool tl_capture_position(const struct tl_capture *capture, uint64_t *done, uint64_t *size);

struct tl_capture_writer;

/* Creates a capture with nanoseconds: pcapng when the name ends in ".pcapng", else pcap; "-" is
 * standard output. Returns NULL with `err`. */
struct tl_capture_writer *tl_capture_create(const char *path, unsigned linktype,
                                            struct fal_error *err);
/* Adds an interface to a pcapng file: the next number, from 1. Returns 0, FAL_ERR_TYPE for a
 * pcap file, or FAL_ERR_IO. */
MUST_USE int tl_capture_add_interface(struct tl_capture_writer *writer, unsigned linktype,
                                      const char *name, struct fal_error *err);
/* Adds a frame of `caplen` bytes, of which `len` were on the wire. Returns 0; FAL_ERR_RANGE for
 * a frame that is too long or, in pcap, a time after 2106; FAL_ERR_IO. */
MUST_USE int tl_capture_write(struct tl_capture_writer *writer, uint64_t ts_ns,
                              const uint8_t *bytes, uint32_t caplen, uint32_t len,
                              struct fal_error *err);
/* The same with interface, comments, id and flags, which pcap cannot store. */
MUST_USE int tl_capture_write_marked(struct tl_capture_writer *writer,
                                     const struct fal_pcapng_packet *packet,
                                     struct fal_error *err);
/* Writes buffered data, closes and frees. Returns 0, or FAL_ERR_IO with `err`. NULL is allowed.
 */
MUST_USE int tl_capture_finish(struct tl_capture_writer *writer, struct fal_error *err);

/* Returns "Ethernet", "raw IP", "Linux cooked", "Linux cooked v2" or "bare Falcon"; NULL for an
 * unsupported link type. */
const char *tl_linktype_name(unsigned linktype);

/* Reads a file of PSP keys (--psp-keys) or of ESP keys (--esp-keys). Returns NULL with `err`,
 * which names the file; the caller frees the keys. */
struct fal_psp_keys *tl_psp_keys_open(const char *path, struct fal_error *err);
struct fal_esp_keys *tl_esp_keys_open(const char *path, struct fal_error *err);

#endif
