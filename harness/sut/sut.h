/* SPDX-License-Identifier: Apache-2.0
 * sut.h - the built-in SUT: an endpoint, its scripted ULP and the SUT control protocol
 * (docs/sut-protocol.md), as a state machine without I/O. `talon sut` adds sockets, link_sim.c
 * adds the simulated network; both run the same code.
 * One object serves one control connection: seq, epoch and handles start anew with it. */
#ifndef TL_HARNESS_SUT_SUT_H
#define TL_HARNESS_SUT_SUT_H

#include "harness/doc/address.h"
#include "harness/sut/builtin.h"
#include "oracles/endpoint/endpoint.h"

#include <jansson.h>

struct tl_sut;
struct fal_payload_hashes;
struct tl_protocol_said; /* protocol.h */
struct tl_protocol_command;

struct tl_sut_config {
    uint64_t seed;
    struct fal_fault_set faults;
    struct tl_twins twins;
    struct tl_limits limits;
    struct tl_engine engine;
    struct fal_payload_hashes *hashes; /* borrowed; NULL: none */
    bool live;                         /* selects the defaults */
    bool objects; /* lines leave as structs and JSON objects, for a tester in this process */
    /* AF_INET, AF_INET6: `open` must give a peer_address of that family, loopback or private.
     * 0: a virtual link, which has no addresses. */
    int peer_family;
    const json_t *psp_keys, *esp_keys; /* its own keys from a file, which it does not reveal;
                                          NULL: keys are exchanged */
    uint16_t echo_port;                /* UDP port of the echo of path probes; 0: none */
};

enum tl_sut_out_kind { TL_SUT_FRAME, TL_SUT_LINE };

struct tl_sut_out {
    enum tl_sut_out_kind kind;
    const uint8_t *bytes; /* a frame, or a line without newline; valid until the next call */
    size_t len;
    /* Of a line, with config.objects: one of them, then bytes is NULL. Borrowed likewise. */
    const struct tl_protocol_said *said;
    json_t *object;
    uint32_t conn; /* FRAME: the connection whose peer it goes to */
    uint16_t
        path; /* FRAME: the UDP source port that its connection has for now (10.4); 0: any */
};

/* Returns NULL when out of memory; the caller frees it. */
struct tl_sut *tl_sut_new(const struct tl_sut_config *config);
/* How often the faults that are switched on could have acted so far, and how often they have.
 */
void tl_sut_faults(const struct tl_sut *sut, uint64_t *chances, uint64_t *acts);
void tl_sut_free(struct tl_sut *sut);

/* Fields of the IP header around a frame; ttl 0: unknown. */
struct tl_sut_ip {
    uint8_t ecn, ttl;
    bool damaged; /* a checksum or length of IP or UDP is wrong: the frame must be dropped */
};

/* Inputs: a frame arrived; a control line was read; time has passed. `now_ns` never decreases.
 */
void tl_sut_frame(struct tl_sut *sut, const uint8_t *bytes, size_t len, uint64_t now_ns);
void tl_sut_frame_ip(struct tl_sut *sut, const uint8_t *bytes, size_t len, struct tl_sut_ip ip,
                     uint64_t now_ns);
void tl_sut_line(struct tl_sut *sut, const char *line, size_t len, uint64_t now_ns);
/* A control line as a JSON object, which is borrowed. */
void tl_sut_object(struct tl_sut *sut, json_t *object, uint64_t now_ns);
/* A command as a struct, all of whose members fit its table; texts in it are borrowed. */
void tl_sut_command_in(struct tl_sut *sut, struct tl_protocol_command *command,
                       uint64_t now_ns);
void tl_sut_tick(struct tl_sut *sut, uint64_t now_ns);

/* Reports that the caller was late by so much, for a timer or for reading a frame. `counters`
 * returns it. */
void tl_sut_late(struct tl_sut *sut, uint64_t by_ns);

/* Reports a line that was too long to read; it is answered like any invalid line. */
void tl_sut_line_too_long(struct tl_sut *sut);

/* Returns when the next timer is due; FAL_NEVER when none is set. */
uint64_t tl_sut_deadline(const struct tl_sut *sut);

/* Gets the next output, oldest first; false when there is none. If outputs are not taken,
 * events (a `dropped` event says how many) and frames are lost, but never a reply. */
bool tl_sut_next(struct tl_sut *sut, struct tl_sut_out *out);

/* While held, tl_sut_next returns frames only: the control channel is not being read. */
void tl_sut_hold_lines(struct tl_sut *sut, bool hold);

/* Returns the address of the peer of `conn`, or NULL. */
const struct tl_address *tl_sut_peer(const struct tl_sut *sut, uint32_t conn);

/* Returns whether sealed packets are ESP. */
bool tl_sut_seals_esp(const struct tl_sut *sut);

#endif
