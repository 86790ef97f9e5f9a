/* SPDX-License-Identifier: Apache-2.0
 * acme.h - a third party's Falcon receiver, as an example of code that is not ours: it reads an
 * Ethernet frame into a struct of its own and looks at the windows. ACME_BUG=1..4 plants a bug
 * (docs/fuzzing-your-parser.md tells which). */
#ifndef ACME_H
#define ACME_H

#include <stddef.h>
#include <stdint.h>

struct acme_pkt {
    uint8_t type, proto, ar;
    uint32_t cid, fn;
    uint32_t dbase, rbase, psn, rsn;
    uint16_t len; /* request length */
    uint64_t req_bits;
    uint64_t ack_bits[2], rx_bits[2]; /* low half first */
    uint32_t t1, t2;
    uint8_t hops, occupancy, own;
    uint16_t ecn;
    uint8_t nack_code, rnr, window;
    uint32_t nack_psn;
    const uint8_t *payload;
    size_t payload_len;
};

enum acme_status { ACME_OK, ACME_NOT_FALCON, ACME_SHORT, ACME_BAD };

/* Reads plain Falcon over UDP and IPv4 or IPv6. */
enum acme_status acme_parse(const uint8_t *frame, size_t len, struct acme_pkt *out);

/* What a receiver would do with it: the connection is new, both windows begin at 0. A number
 * that tells what was done. */
uint32_t acme_receive(const struct acme_pkt *pkt);

#endif
