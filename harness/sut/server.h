/* SPDX-License-Identifier: Apache-2.0
 * server.h - `talon sut` in real time: sockets and timers around the built-in SUT. */
#ifndef TL_HARNESS_SUT_SERVER_H
#define TL_HARNESS_SUT_SERVER_H

#include "codecs/base/error.h"
#include "harness/link/link_raw.h"
#include "harness/link/sockets.h"
#include "harness/sut/builtin.h"

#include <jansson.h>

struct tl_server_config {
    struct tl_address frames;  /* the address where it receives frames */
    bool is_raw;               /* frames at an interface instead of a UDP socket */
    struct tl_raw_address raw; /* for RAW; its `sut` is `frames` */
    bool stdio;                /* control by standard input and output, else: */
    struct tl_stream control;
    uint64_t seed;
    struct fal_fault_set faults;
    struct tl_twins twins;
    struct tl_limits limits;
    struct tl_engine engine;
    json_t *psp_keys, *esp_keys; /* address of the control channel, or NULL */
    const char *port_file;       /* or NULL */
};

/* Serves control connections, one after another, until SIGTERM or SIGINT (with stdio, or the
 * end of input). Prints its addresses to standard error as soon as it listens. Returns 0, or
 * FAL_ERR_IO, FAL_ERR_MEM with `err`. */
MUST_USE int tl_server_run(const struct tl_server_config *config, struct fal_error *err);

#endif
