/* SPDX-License-Identifier: Apache-2.0
 * tap_bed.h - a simulated network in real time between two TAP devices, and a capture of what
 * one of them sees. */
#ifndef TL_HARNESS_TAP_TAP_BED_H
#define TL_HARNESS_TAP_TAP_BED_H

#include "codecs/base/error.h"
#include "oracles/simnet.h"

#include <stdbool.h>
#include <stdint.h>

struct tl_tap_bed {
    const char *address[2]; /* as for tl_tap_open; frames from the first go FAL_TO_SUT */
    const struct fal_impairment *impair; /* by enum fal_dir */
    const struct fal_simnet_rule *rules;
    size_t num_rules;
    uint64_t seed;
    const char *capture;      /* a file; NULL: none */
    unsigned at;              /* the end whose frames the capture has: 0 or 1 */
    uint64_t time_ns;         /* how long to run; 0: until SIGINT or SIGTERM */
    void (*ready)(void *ctx); /* both devices are attached */
    void *ctx;
};

/* Runs the bed. *counts: what the network did. Returns 0, or an error with `err`: FAL_ERR_FORM,
 * FAL_ERR_RANGE, FAL_ERR_MEM, FAL_ERR_IO, which also says that the capture lacks frames. */
MUST_USE int tl_tap_bed_run(const struct tl_tap_bed *bed, struct fal_simnet_counts *counts,
                            struct fal_error *err);

/* Marks an Ethernet frame with IPv4 or IPv6 as CE and keeps the header's checksum right. Other
 * frames stay. */
void tl_tap_mark(uint8_t *frame, size_t len);
/* The ECN field of such a frame; FAL_ECN_NOT_ECT of others. */
uint8_t tl_tap_ecn(const uint8_t *frame, size_t len);

#endif
