/* SPDX-License-Identifier: Apache-2.0
 * sut.h - the built-in SUT: an endpoint, its scripted ULP, and the SUT control protocol
 * (docs/sut-protocol.md) as a pure state machine. `talon sut` puts sockets around it,
 * link_sim.c the simulated network: both run the same code.
 *
 * One object serves one control connection: seq, epoch and handles begin anew with it. */
#ifndef TL_HARNESS_SUT_H
#define TL_HARNESS_SUT_H

#include "harness/doc/address.h"
#include "harness/sut/builtin.h"
#include "oracles/endpoint/endpoint.h"

#include <jansson.h>

struct tl_sut;

struct tl_sut_config {
    uint64_t seed;
    struct fal_fault_set faults;
    struct tl_twins twins;
    bool live; /* which defaults apply */
    /* AF_INET, AF_INET6: `open` must give a peer_address of that family, loopback or private.
     * 0: a virtual link, where there are no addresses. */
    int peer_family;
    const json_t *psp_keys, *esp_keys; /* its own keys, which it tells nobody; NULL: it does */
    uint16_t echo_port;                /* where probes of the path are sent back; 0: nowhere */
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

/* What the IP header around a frame said; ttl 0: nothing is known. */
struct tl_sut_ip {
    uint8_t ecn, ttl;
    bool damaged; /* a checksum or length of IP or UDP is wrong: not to be taken */
};

/* A frame arrived; a control line was read; time has passed. `now_ns` never goes back. */
void tl_sut_frame(struct tl_sut *sut, const uint8_t *bytes, size_t len, uint64_t now_ns);
void tl_sut_frame_ip(struct tl_sut *sut, const uint8_t *bytes, size_t len, struct tl_sut_ip ip,
                     uint64_t now_ns);
void tl_sut_line(struct tl_sut *sut, const char *line, size_t len, uint64_t now_ns);
void tl_sut_tick(struct tl_sut *sut, uint64_t now_ns);

/* Whoever runs it was late by so much: for a timer, or to read a frame. Told by `counters`. */
void tl_sut_late(struct tl_sut *sut, uint64_t by_ns);

/* The reader of lines gave one up as too long; it is answered like any line that makes no
 * sense. */
void tl_sut_line_too_long(struct tl_sut *sut);

/* When the next timer is due; FAL_NEVER when none runs. */
uint64_t tl_sut_deadline(const struct tl_sut *sut);

/* The next output, oldest first; false when there is none. Who does not take them loses events
 * (a `dropped` event says how many) and frames, but never a reply. */
bool tl_sut_next(struct tl_sut *sut, struct tl_sut_out *out);

/* While held, tl_sut_next gives out frames only: the control channel is not being read. */
void tl_sut_hold_lines(struct tl_sut *sut, bool hold);

/* Where frames of `conn` go to, or NULL. */
const struct tl_address *tl_sut_peer(const struct tl_sut *sut, uint32_t conn);

/* Whether what it seals is ESP. */
bool tl_sut_seals_esp(const struct tl_sut *sut);

#endif
