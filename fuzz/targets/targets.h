/* SPDX-License-Identifier: Apache-2.0
 * targets.h - the one table of what is fuzzed. A row makes a program for AFL++, one for clang's
 * libFuzzer, and a name for the replayer (entry.c, afl.c, replay.c); the Makefile, the corpus
 * maker and the mutator read the same rows.
 *
 * Columns: name; the longest input, bytes; its format, for the mutator; what is held. To add a
 * target: a row, a file fuzz_NAME.c with void fuzz_NAME(data, size), and a case in seeds.c. */
#ifndef FAL_FUZZ_TARGETS_TARGETS_H
#define FAL_FUZZ_TARGETS_TARGETS_H

#include <stddef.h>
#include <stdint.h>

/* The form of an input; docs/fuzzing.md describes the bytes. */
enum fuzz_format {
    FUZZ_FORMAT_FRAME,   /* two bytes of switches, a frame (fuzz_frame.h) */
    FUZZ_FORMAT_ETHER,   /* an Ethernet frame alone */
    FUZZ_FORMAT_PACKET,  /* a Falcon packet alone */
    FUZZ_FORMAT_HEADERS, /* a byte that chooses a header, the header */
    FUZZ_FORMAT_RECORDS, /* a head, then records that carry Falcon packets (records.h) */
    FUZZ_FORMAT_BYTES,   /* nothing that the mutator knows: havoc alone */
};

/* clang-format off */
#define FUZZ_TARGETS(T)                                                                        \
    T(frame,     16384, FUZZ_FORMAT_FRAME,   "frame stack: decode, encode, JSON and text undo each other") \
    T(headers,    4096, FUZZ_FORMAT_HEADERS, "each header's codec against a bit loop, and its table")      \
    T(seal,       4096, FUZZ_FORMAT_BYTES,   "PSP and ESP: what was sealed opens, what was changed does not") \
    T(rx_window,  4096, FUZZ_FORMAT_BYTES,   "receive window and bitmaps against an array of states")      \
    T(tx_window,  4096, FUZZ_FORMAT_BYTES,   "transmit windows under ACK, EACK and NACK against an array of states") \
    T(endpoint,  16384, FUZZ_FORMAT_RECORDS, "two endpoints, hostile packets between valid ones")         \
    T(rules,     32768, FUZZ_FORMAT_RECORDS, "the judge over any timeline, and over the same one read back") \
    T(scenario,  16384, FUZZ_FORMAT_BYTES,   "scenario JSON")                                              \
    T(capture,   16384, FUZZ_FORMAT_BYTES,   "pcap and pcapng files")                                      \
    T(control,   16384, FUZZ_FORMAT_BYTES,   "lines of the control protocol, at both of its ends")         \
    T(cc,         8192, FUZZ_FORMAT_BYTES,   "entries of the queues of congestion control, in both formats, and their lines") \
    T(verbs,      8192, FUZZ_FORMAT_BYTES,   "an engine of RDMA verbs under packets and words of any kind")  \
    T(nvme,       8192, FUZZ_FORMAT_BYTES,   "an engine of NVMe in both roles under packets and words of any kind")  \
    T(roce,       8192, FUZZ_FORMAT_BYTES,   "headers of RoCEv2, and the judge of their rules")                   \
    T(events,     8192, FUZZ_FORMAT_BYTES,   "traces of event pipelines: their lines, and the judge over any of them") \
    T(empty,      4096, FUZZ_FORMAT_BYTES,   "nothing: what the fuzzer itself costs")
/* clang-format on */

struct fuzz_target {
    const char *name;
    size_t max_len;
    enum fuzz_format format;
    const char *doc;
    void (*run)(const uint8_t *data, size_t size); /* aborts where something does not hold */
};

#define FUZZ_DECLARE(name, ...) void fuzz_##name(const uint8_t *data, size_t size);
FUZZ_TARGETS(FUZZ_DECLARE)

/* The function that fuzzers call: in every target's program (entry.c), and with the target as
 * an argument in the replayer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void fuzz_run(const struct fuzz_target *target, const uint8_t *data, size_t size);

/* Something does not hold: says what, and aborts. */
void fuzz_broken(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Bytes in use by malloc, where a sanitizer counts them; else 0. */
size_t fuzz_bytes_in_use(void);

#endif
