/* SPDX-License-Identifier: Apache-2.0
 * cmd_sut_state.h - the inside of `talon sut`, shared by cmd_sut_server.c (its loop) and
 * cmd_sut_setup.c (its beginning and end). */
#ifndef TL_HARNESS_CMD_SUT_STATE_H
#define TL_HARNESS_CMD_SUT_STATE_H

#include "harness/sut/server.h"
#include "harness/sut/sut.h"
#include "harness/sut/sut_raw.h"
#include "harness/wire/control_io.h"

#include <signal.h>

enum { TL_SERVER_FRAME_MAX = 65536 };

struct tl_server {
    const struct tl_server_config *config;
    int epoll, timer, signals, frames, listener;
    struct tl_sut_raw *raw; /* whose `frames` then are; NULL: a UDP socket */
    int echo;               /* probes of the path, beside the frames; -1: none */
    uint16_t echo_port;
    uint32_t echoed; /* probes */
    int in, out;     /* the control channel; -1: none */
    bool in_ready;   /* input that epoll cannot watch: a file */
    bool in_ended, stop;
    uint32_t in_events, out_events; /* what epoll watches there */
    int in_flags, out_flags;        /* of stdio, to be put back */
    uint64_t start_ns, armed_ns;
    uint64_t served; /* control connections */
    struct tl_sut *sut;
    struct tl_line_reader reader;
    struct tl_outbox outbox;
    uint8_t frame[TL_SERVER_FRAME_MAX];
};

/* Adds, changes or forgets what epoll watches; as epoll_ctl. */
int tl_server_watch(struct tl_server *server, int op, int fd, uint32_t events);
/* Begins to serve a control channel, with a SUT of its own; and ends it. */
int tl_server_begin(struct tl_server *server, int in, int out, struct fal_error *err);
void tl_server_end(struct tl_server *server);

/* cmd_sut_setup.c: opens everything and says where it listens; `signals` end the service. 0,
 * FAL_ERR_IO or FAL_ERR_MEM with `err`; tl_server_close either way. */
int tl_server_open(struct tl_server *server, const sigset_t *signals, struct fal_error *err);
void tl_server_close(struct tl_server *server);

#endif
