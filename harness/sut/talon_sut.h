/* SPDX-License-Identifier: Apache-2.0
 * talon_sut.h - what a library exports so that `talon run --sut lib:FILE.so` can test it: any
 * software model of a Falcon endpoint, driven in virtual time. Plain C; no other header is
 * needed.
 * Talon calls one object from one thread at a time. The library must not use a clock, a socket
 * or a thread that its answers depend on: the same calls must give the same answers. Times are
 * in nanoseconds and never decrease. After each call except `next` and `deadline`, Talon calls
 * `next` until there are no more outputs. */
#ifndef TALON_SUT_H
#define TALON_SUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TALON_SUT_VERSION 1
#define TALON_SUT_NEVER   UINT64_MAX

enum talon_sut_kind {
    TALON_SUT_FRAME = 0, /* the payload of UDP: a Falcon packet, plain or in PSP or ESP */
    TALON_SUT_LINE =
        1, /* a line of the SUT control protocol (docs/sut-protocol.md), without newline */
};

struct talon_sut_out {
    enum talon_sut_kind kind;
    const uint8_t *bytes; /* valid until the next call */
    size_t len;
};

/* Fields of the IP header around a frame. */
struct talon_sut_ip {
    uint8_t ecn, ttl;
};

struct talon_sut_api {
    uint32_t version; /* TALON_SUT_VERSION */

    /* Makes a new SUT in its power-on state; NULL when that is impossible. All random choices
     * must derive from `seed`. */
    void *(*create)(uint64_t seed);
    void (*destroy)(void *sut);

    /* A frame arrived. */
    void (*frame)(void *sut, const uint8_t *bytes, size_t len, struct talon_sut_ip ip,
                  uint64_t now_ns);
    /* A line of the control channel arrived. */
    void (*line)(void *sut, const char *line, size_t len, uint64_t now_ns);
    /* Timers that are due may run. */
    void (*tick)(void *sut, uint64_t now_ns);
    /* Returns when the next timer is due; TALON_SUT_NEVER when none is set. */
    uint64_t (*deadline)(void *sut);
    /* Gets the next output, oldest first: 1, or 0 when there is none. */
    int (*next)(void *sut, struct talon_sut_out *out);
};

/* The only symbol that the library exports. */
const struct talon_sut_api *talon_sut_api_v1(void);

#ifdef __cplusplus
}
#endif

#endif
