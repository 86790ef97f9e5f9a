/* SPDX-License-Identifier: Apache-2.0
 * echo.h - probes that measure the path between the tester and the SUT, and the echo that
 * returns them: a UDP socket beside the SUT's Falcon address, reached by the same path.
 * path_check.c sends the probes.
 * A probe is one datagram of at least TL_PROBE_LEN bytes. Its first eight bytes are "TALNPATH";
 * numbers are big-endian. The echo fills in the fields that describe the arrival, changes
 * nothing else, and returns the datagram to its sender with the same length, TTL 64, and the
 * DSCP and ECN that `back` asks for. It answers nothing else. */
#ifndef TL_HARNESS_LINK_ECHO_H
#define TL_HARNESS_LINK_ECHO_H

#include "codecs/base/error.h"
#include "harness/doc/address.h"

enum { TL_PROBE_LEN = 28, TL_PROBE_TTL = 64 };

struct tl_probe {
    uint32_t number;  /* offset 8: chosen by the tester */
    uint8_t back;     /* offset 12: DSCP << 2 | ECN that the answer must have */
    uint8_t seen_tos; /* offset 13: DSCP << 2 | ECN of the probe as it arrived */
    uint8_t seen_ttl; /* offset 14: TTL as it arrived; 0: the echo did not fill this in */
    uint32_t arrival; /* offset 16: number of probes the echo has received, this one included */
    uint32_t flow_label; /* offset 20: flow label as it arrived; IPv6 only */
    uint32_t run;        /* offset 24: chosen by the tester */
};

/* Writes a probe into the first TL_PROBE_LEN bytes. tl_probe_read returns false when the bytes
 * are no probe. */
void tl_probe_write(const struct tl_probe *probe, uint8_t *out);
bool tl_probe_read(const uint8_t *bytes, size_t len, struct tl_probe *out);

/* Opens an echo at the address, on a free port that *port receives. Returns a non-blocking file
 * descriptor, or FAL_ERR_IO with `err`. */
MUST_USE int tl_echo_open(const struct tl_address *at, uint16_t *port, struct fal_error *err);
/* Answers all probes that are waiting; *seen counts them. */
void tl_echo_serve(int fd, uint32_t *seen);

#endif
