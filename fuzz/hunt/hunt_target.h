/* SPDX-License-Identifier: Apache-2.0
 * hunt_target.h - the SUT of `talon fuzz` and `talon shrink`, as options name it. */
#ifndef FAL_FUZZ_HUNT_HUNT_TARGET_H
#define FAL_FUZZ_HUNT_HUNT_TARGET_H

#include "fuzz/hunt/hunt.h"
#include "harness/claims/bench_file.h"
#include "harness/doc/options.h"

struct hunt_target {
    struct tl_run run;
    struct tl_given_params params; /* to be pointed to by run.params */
    const char *sut;               /* as it was given; borrowed, like all texts */
    char again[600]; /* what follows the file in the command that plays a finding */
};

enum { HUNT_JOBS_MAX = 256 };

void hunt_target_init(struct hunt_target *target);

/* The default of --jobs: one for each processor. */
unsigned hunt_target_jobs(void);

/* The rows of the target in an option table; the structure begins with
 * `struct hunt_target target`, which the readers take. */
/* clang-format off */
#define HUNT_TARGET_OPTIONS \
    {TL_TEXT("--sut", target.sut, "SUT"), .read = hunt_target_sut, \
     .help = "builtin (default), builtin:fault=NAME, builtin:twin=NAME, lib:FILE.so, " \
             "exec:COMMAND, udp:HOST:PORT or raw:IFACE,HOST:PORT, as for talon run"}, \
    {TL_TEXT("--control", target.run.target.control, "ADDR"), .read = hunt_target_control, \
     .help = "with udp: and raw:, the control channel: tcp:HOST:PORT or unix:PATH"}, \
    TL_BENCH_OPTION, \
    {TL_CHOICE("--encap", target.run.encap, "NAME", FAL_CONNECTION_ENCAPS), \
     .help = "encapsulation of connections that do not set one: udp (default), " \
             "psp_transport, psp_tunnel, esp_transport, esp_tunnel"}, \
    {TL_OWN("--param", hunt_target_param, "NAME=VALUE"), \
     .help = "a parameter, as for talon run; may be repeated"}
/* clang-format on */
int hunt_target_sut(void *into, const char *value, struct fal_error *err);
int hunt_target_control(void *into, const char *value, struct fal_error *err);
int hunt_target_param(void *into, const char *value, struct fal_error *err);

/* When all options are read; the target stays where it is from then on. */
void hunt_target_ready(struct hunt_target *target);
/* Checks the options against each other. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int hunt_target_check(const struct hunt_target *target, struct fal_error *err);

#endif
