/* SPDX-License-Identifier: Apache-2.0
 * sut_process.h - what a run needs of other processes for a SUT that is a child process
 * (`lib:`, `exec:`): one that starts libraries (lib_host.h), and the warden that ends children
 * that outlive the tester (keeper.h). */
#ifndef TL_HARNESS_SESSION_SUT_PROCESS_H
#define TL_HARNESS_SESSION_SUT_PROCESS_H

#include "harness/link/keeper.h"
#include "harness/session/bench_sut.h"
#include "harness/sut/lib_host.h"

struct tl_sut_process {
    struct tl_warden warden;
    struct tl_lib_host *host;
};

/* Starts what the target needs, and tells it. Other kinds of SUT need nothing. Call it while no
 * other thread runs. Returns 0, or FAL_ERR_IO, FAL_ERR_MEM with `err`; nothing is left then. */
MUST_USE int tl_sut_process_start(struct tl_sut_process *process, struct tl_target *target,
                                  struct fal_error *err);
void tl_sut_process_end(struct tl_sut_process *process);

#endif
