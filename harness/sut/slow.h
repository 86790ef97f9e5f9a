/* SPDX-License-Identifier: Apache-2.0
 * slow.h - a SUT that takes its time: each packet leaves later than the built-in SUT made it,
 * by a fixed, drawn or type-dependent time. Packets keep their order; control lines are not
 * delayed. It stands for the turnaround of a real device in tests. */
#ifndef TL_HARNESS_SUT_SLOW_H
#define TL_HARNESS_SUT_SLOW_H

#include "codecs/base/error.h"
#include "codecs/header/falcon.h"
#include "oracles/rng.h"

struct tl_sut_out; /* sut.h */

enum { TL_SLOW_TYPES = 16 }; /* packet types have four bits (7) */

/* A delay between two bounds, all equally likely. */
struct tl_slow_range {
    uint64_t from_ns, to_ns;
};

struct tl_slow {
    bool given;
    struct tl_slow_range all;               /* of packets of any other type */
    struct tl_slow_range of[TL_SLOW_TYPES]; /* by enum fal_packet_type */
    bool has[TL_SLOW_TYPES];
    unsigned one_in; /* one packet in so many, chosen at random, takes `rare`; 0: none */
    struct tl_slow_range rare;
};

/* Reads "10us" or the like, an hour at most, in ns. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_slow_time(const char *text, uint64_t *ns, struct fal_error *err);
/* Reads "TIME", "TIME..TIME", "TYPE=TIME[..TIME]" or "1/N=TIME[..TIME]", several separated by
 * commas: "1us", "nack=2us..5us", "1us,1/20=100us". Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_slow_read(struct tl_slow *slow, const char *text, size_t len,
                          struct fal_error *err);

/* The packets that are held back. */
struct tl_slow_line;

/* Returns NULL when out of memory; the caller frees it. */
struct tl_slow_line *tl_slow_line_new(const struct tl_slow *slow, uint64_t seed);
void tl_slow_line_free(struct tl_slow_line *line);
/* Takes a frame that was made at now_ns. When out of memory it is lost. */
void tl_slow_put(struct tl_slow_line *line, const struct tl_sut_out *frame, uint64_t now_ns);
/* When the oldest leaves; FAL_NEVER: there is none. */
uint64_t tl_slow_due(const struct tl_slow_line *line);
/* Gets the oldest, if it leaves by now_ns; valid until the next call. */
bool tl_slow_take(struct tl_slow_line *line, uint64_t now_ns, struct tl_sut_out *out);

#endif
