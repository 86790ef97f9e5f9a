/* SPDX-License-Identifier: Apache-2.0
 * talon_sut.h - what a library must export to be certified by `talon run --sut lib:FILE.so`:
 * any model of a Falcon endpoint in software, driven in virtual time. Plain C, no other header.
 *
 * The library is called by one thread at a time for one object; it keeps no clock, opens no
 * socket and starts no thread of which its answers depend: the same calls give the same
 * answers. Times are nanoseconds, and never go back. After each call but `next` and `deadline`,
 * Talon takes outputs by `next` until there are none. */
#ifndef TALON_SUT_H
#define TALON_SUT_H

#include <stddef.h>
#include <stdint.h>

#define TALON_SUT_VERSION 1
#define TALON_SUT_NEVER   UINT64_MAX

enum talon_sut_kind {
    TALON_SUT_FRAME = 0, /* what UDP carries: a Falcon packet, or it in PSP or ESP */
    TALON_SUT_LINE =
        1, /* of the SUT control protocol (docs/sut-protocol.md), without newline */
};

struct talon_sut_out {
    enum talon_sut_kind kind;
    const uint8_t *bytes; /* valid until the next call */
    size_t len;
};

/* What the IP header around a frame said. */
struct talon_sut_ip {
    uint8_t ecn, ttl;
};

struct talon_sut_api {
    uint32_t version; /* TALON_SUT_VERSION */

    /* A new SUT, as after power-on; NULL when that cannot be. `seed` for all that it draws. */
    void *(*create)(uint64_t seed);
    void (*destroy)(void *sut);

    /* A frame arrived. */
    void (*frame)(void *sut, const uint8_t *bytes, size_t len, struct talon_sut_ip ip,
                  uint64_t now_ns);
    /* A line of the control channel was written. */
    void (*line)(void *sut, const char *line, size_t len, uint64_t now_ns);
    /* Timers that are due may run. */
    void (*tick)(void *sut, uint64_t now_ns);
    /* When the next timer is due; TALON_SUT_NEVER when none runs. */
    uint64_t (*deadline)(void *sut);
    /* The next output, oldest first: 1, or 0 when there is none. */
    int (*next)(void *sut, struct talon_sut_out *out);
};

/* The one symbol that the library exports. */
const struct talon_sut_api *talon_sut_api_v1(void);

#endif
