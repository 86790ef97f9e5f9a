/* SPDX-License-Identifier: Apache-2.0
 * server_state.h - the state of `talon sut`, shared by server.c (its loop) and server_setup.c
 * (start and end). */
#ifndef TL_HARNESS_SUT_SERVER_STATE_H
#define TL_HARNESS_SUT_SERVER_STATE_H

#include "codecs/base/error.h"
#include "harness/sut/server.h"
#include "harness/sut/sut.h"
#include "harness/sut/sut_raw.h"
#include "harness/wire/control_io.h"

#include <signal.h>

enum { TL_SERVER_FRAME_MAX = 65536 };

struct tl_server {
    const struct tl_server_config *config;
    int epoll, timer, signals, frames, listener;
    struct tl_sut_raw *raw; /* the wire that carries the frames; NULL: a UDP socket */
    int echo;               /* the echo of path probes, beside the frames; -1: none */
    uint16_t echo_port;
    uint32_t echoed; /* number of probes */
    int in, out;     /* the control channel; -1: none */
    bool in_ready;   /* input that epoll cannot watch: a file */
    bool in_ended, stop;
    uint32_t in_events, out_events; /* the events that epoll watches there */
    int in_flags, out_flags;        /* flags of stdio, to be restored */
    uint64_t start_ns, armed_ns;
    uint64_t served; /* number of control connections so far */
    struct tl_sut *sut;
    struct tl_line_reader reader;
    struct tl_outbox outbox;
    uint8_t frame[TL_SERVER_FRAME_MAX];
};

/* Adds, changes or removes what epoll watches; as epoll_ctl. */
MUST_USE int tl_server_watch(struct tl_server *server, int op, int fd, uint32_t events);
/* Starts serving a control channel with a new SUT, and ends it. */
MUST_USE int tl_server_begin(struct tl_server *server, int in, int out, struct fal_error *err);
void tl_server_end(struct tl_server *server);

/* In server_setup.c: opens everything and prints the addresses; `signals` end the service.
 * Returns 0, FAL_ERR_IO or FAL_ERR_MEM with `err`. Call tl_server_close in both cases. */
MUST_USE int tl_server_open(struct tl_server *server, const sigset_t *signals,
                            struct fal_error *err);
void tl_server_close(struct tl_server *server);

#endif
