/* SPDX-License-Identifier: Apache-2.0
 * builtin.h - the planted faults, the conforming variants (twins) and the limits of the
 * built-in implementation, as the command line gives them. */
#ifndef TL_HARNESS_SUT_BUILTIN_H
#define TL_HARNESS_SUT_BUILTIN_H

#include "codecs/base/error.h"
#include "harness/sut/limits.h"
#include "harness/sut/slow.h"
#include "oracles/cc/cc_fault.h"
#include "oracles/cc/swift.h"
#include "oracles/endpoint/faults/faults.h"
#include "oracles/endpoint/faults/twins.h"

/* The twins to use, and whether each connection draws more at random. All zero: none. */
struct tl_twins {
    struct fal_twin_set set;
    bool random;
};

/* The algorithm that changes the windows of the SUT. All zero: its windows are fixed. */
struct tl_engine {
    bool swift; /* Swift with PLB, on connections whose packets carry time stamps */
    bool other; /* likewise, an algorithm that is not Swift (oracles/cc/aimd.h) */
    bool isekai, batch;
    enum fal_cc_format format;        /* of its queue entries */
    const struct fal_cc_fault *fault; /* of Swift; NULL: none */
    fal_cc_reading_set readings;      /* of Swift, other than the defaults */
    /* Mistakes of the device with its queues, not of the engine; NULL: none. */
    const struct fal_field *event_wrong;    /* this field of each event has another value */
    const struct fal_field *result_ignored; /* this field of a result is not applied */
    uint64_t latency_ns; /* from an event to its result; with `batch`, results are given
                            together at multiples of it */
};

struct tl_builtin {
    struct fal_fault_set faults;
    struct tl_twins twins;
    struct tl_limits limits;
    struct tl_slow slow;
    struct tl_engine engine;
};

/* Reads "NAME[,NAME...]", where a name may be "random", and adds the twins. Returns 0, or
 * FAL_ERR_FORM with `err`. */
MUST_USE int tl_twins_read(struct tl_twins *twins, const char *text, size_t len,
                           struct fal_error *err);

/* Returns the twins of the next connection. */
struct fal_twin_set tl_twins_take(const struct tl_twins *twins, struct fal_rng *rng);

/* Reads "WORD[,WORD...]": swift, swift-isekai, other, table-msb, gen1-lsb, batch, fault=NAME,
 * reading=NAME, latency=TIME. Returns as above. */
MUST_USE int tl_engine_read(struct tl_engine *engine, const char *text, size_t len,
                            struct fal_error *err);

/* Reads what follows "builtin" in --sut: "", or any of ":fault=FAULT[,FAULT...]" (with
 * parameters as in faults.h), ":twin=NAME[,NAME...]", ":offer=LEVEL", ":without=COMMAND[,...]",
 * ":fixed=PARAM=VALUE[,...]" (limits.h), ":delay=..." (slow.h), ":lanes=TIME"
 * (fal_twin_set) and ":cc=WORD[,...]". Returns as above. */
MUST_USE int tl_builtin_read(struct tl_builtin *builtin, const char *text,
                             struct fal_error *err);

#endif
