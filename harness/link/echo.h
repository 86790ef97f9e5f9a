/* SPDX-License-Identifier: Apache-2.0
 * echo.h - probes of the path between tester and SUT, and who sends them back: a UDP
 * socket beside the SUT's Falcon address, by the same way. Who sends them is path_check.c.
 *
 * A probe is one datagram, at least TL_PROBE_LEN bytes: the first eight are "TALNPATH", numbers
 * are big-endian. The echo fills in what it saw, changes nothing else, and sends the datagram
 * back to where it came from, as long as it is, with DSCP and ECN as `back` says and TTL 64. It
 * answers to nothing else. */
#ifndef TL_HARNESS_PATH_ECHO_H
#define TL_HARNESS_PATH_ECHO_H

#include "harness/doc/address.h"

enum { TL_PROBE_LEN = 28, TL_PROBE_TTL = 64 };

struct tl_probe {
    uint32_t number;     /* 8: of the tester's choosing */
    uint8_t back;        /* 12: DSCP << 2 | ECN of the answer */
    uint8_t seen_tos;    /* 13: DSCP << 2 | ECN, as it arrived */
    uint8_t seen_ttl;    /* 14: likewise; 0: the echo did not fill this in */
    uint32_t arrival;    /* 16: how many probes the echo had seen when it came, from 1 */
    uint32_t flow_label; /* 20: as it arrived; IPv6 */
    uint32_t run;        /* 24: of the tester's choosing */
};

/* Into the first TL_PROBE_LEN bytes; and back: false when it is no probe. */
void tl_probe_write(const struct tl_probe *probe, uint8_t *out);
bool tl_probe_read(const uint8_t *bytes, size_t len, struct tl_probe *out);

/* An echo at the address, with a port of its own in *port. A file descriptor, non-blocking; or
 * FAL_ERR_IO with `err`. */
int tl_echo_open(const struct tl_address *at, uint16_t *port, struct fal_error *err);
/* Answers what is there; *seen counts the probes. */
void tl_echo_serve(int fd, uint32_t *seen);

#endif
