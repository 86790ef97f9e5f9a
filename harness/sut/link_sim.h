/* SPDX-License-Identifier: Apache-2.0
 * link_sim.h - the link to a SUT in virtual time: the built-in one, a library or a child
 * process, behind a simulated network. */
#ifndef TL_HARNESS_SUT_LINK_SIM_H
#define TL_HARNESS_SUT_LINK_SIM_H

#include "harness/link/link.h"
#include "harness/sut/builtin.h"
#include "oracles/simnet.h"

struct tl_link_sim_config {
    int warden; /* of a child process: the pipe to the warden that is told its process group
                   (keeper.h); 0: none */
    uint64_t seed;
    const char *lib, *exec;      /* the SUT: a library or a command; both NULL: built in */
    struct tl_lib_host *host;    /* for `lib` (lib_host.h); borrowed, or NULL */
    bool fresh;                  /* for `lib`: in a process of its own */
    unsigned answer_s;           /* for both: seconds of wall-clock time for an answer; 0: the
                                    default */
    struct fal_fault_set faults; /* of the built-in SUT */
    struct tl_twins twins;       /* likewise */
    struct tl_limits limits;     /* likewise */
    struct tl_slow slow;         /* likewise */
    struct tl_engine engine;     /* likewise */
    struct fal_impairment impair[2];     /* all zero: a wire without delay or loss */
    const struct fal_simnet_rule *rules; /* rules for single frames; borrowed */
    size_t num_rules;
    struct fal_payload_hashes *hashes; /* borrowed by the built-in SUT; NULL: none */
    bool objects; /* lines of the built-in SUT are handed over as JSON, not as text */
};

/* Returns a link that the caller frees with ops->free, or NULL with `err`. */
struct tl_link *tl_link_sim_open(const struct tl_link_sim_config *config,
                                 struct fal_error *err);

#endif
