/* SPDX-License-Identifier: Apache-2.0
 * sut.h - the built-in SUT: an endpoint, its scripted ULP, and the SUT control protocol
 * (docs/sut-protocol.md) as a pure state machine. `talon sut` puts sockets around it, link_sim.c the
 * simulated network: both run the same code. */
#ifndef TL_HARNESS_SUT_H
#define TL_HARNESS_SUT_H

#include "oracles/endpoint/endpoint.h"

struct tl_sut;

struct tl_sut_config {
    uint64_t seed;
    struct fal_fault_set faults;
    bool live; /* which defaults apply */
};

enum tl_sut_out_kind { TL_SUT_FRAME, TL_SUT_LINE };

struct tl_sut_out {
    enum tl_sut_out_kind kind;
    const uint8_t *bytes; /* a frame, or a line without newline; valid until the next call */
    size_t len;
    uint32_t conn; /* FRAME: whose peer it goes to */
};

/* NULL when out of memory; the caller frees. */
struct tl_sut *tl_sut_new(const struct tl_sut_config *config);
void tl_sut_free(struct tl_sut *sut);

/* A frame arrived; a control line was read; time has passed. `now_ns` never goes back. */
void tl_sut_frame(struct tl_sut *sut, const uint8_t *bytes, size_t len, uint64_t now_ns);
void tl_sut_line(struct tl_sut *sut, const char *line, size_t len, uint64_t now_ns);
void tl_sut_tick(struct tl_sut *sut, uint64_t now_ns);

/* When the next timer is due; FAL_NEVER when none runs. */
uint64_t tl_sut_deadline(const struct tl_sut *sut);

/* The next output, oldest first; false when there is none. */
bool tl_sut_next(struct tl_sut *sut, struct tl_sut_out *out);

#endif
