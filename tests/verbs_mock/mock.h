/* SPDX-License-Identifier: Apache-2.0
 * mock.h - a provider of libibverbs for tests of adapters/verbs without hardware: a device
 * "talon0" whose queue pairs are played by the verbs engine (oracles/ulp) above the built-in
 * endpoint. The adapter's own files are linked with it, in place of libibverbs and of
 * vendor.c. Its standard input and output speak lockstep (docs/sut-protocol.md), so that
 * `talon run --sut exec:` tests the adapter in virtual time:
 *
 *   talon run - lockstep -> turns.c - control lines -> adapter - ibv_* -> provider.c
 *                   \------- frames, time ----> built-in SUT <--- words --- link.c */
#ifndef TALON_TESTS_VERBS_MOCK_MOCK_H
#define TALON_TESTS_VERBS_MOCK_MOCK_H

#include "adapters/verbs/vendor.h"
#include "codecs/verbs/verbs.h"
#include "harness/sut/sut.h"

#include <stdio.h>

enum { MOCK_ASYNC_MAX = 64 };

struct mock_pd {
    struct ibv_pd pd;
    char name[FAL_VERBS_NAME_MAX]; /* of this and the others: the engine's handle */
};

struct mock_cq {
    struct ibv_cq cq;
    struct mock_cq *next;
    char name[FAL_VERBS_NAME_MAX];
    struct ibv_wc *wc; /* those from `first` on have not been polled */
    size_t first, count, cap;
    bool told; /* its notification has not been read */
};

struct mock_srq {
    struct ibv_srq srq;
    char name[FAL_VERBS_NAME_MAX];
};

struct mock_ah {
    struct ibv_ah ah;
    char name[FAL_VERBS_NAME_MAX];
};

struct mock_qp {
    struct ibv_qp qp;
    struct mock_qp *next;
    char name[FAL_VERBS_NAME_MAX]; /* "" until the hook `mode` has made it */
    uint32_t qkey;
};

/* Kept until the device is reset, because a work request may name a key that is dead. */
struct mock_mr {
    struct mock_mr *next;
    char name[FAL_VERBS_NAME_MAX];
    const uint8_t *bytes;
    uint64_t length, va;
    uint32_t lkey;
    bool live;
};

struct mock_mw {
    struct ibv_mw mw;
    char name[FAL_VERBS_NAME_MAX]; /* of the region of the engine that plays it */
};

struct mock {
    struct ibv_device device;
    struct verbs_context context;
    int pipe[2];        /* nothing ever arrives there */
    struct tl_sut *sut; /* NULL before `begin` */
    uint64_t now_ns;
    json_int_t id, epoch; /* of the commands to the SUT */
    json_t *reply;        /* to the last one */
    char why[VA_WHY];     /* why it was refused */
    unsigned alive;       /* objects and connections; when there are none, the SUT is reset */
    struct mock_cq *cqs;
    struct mock_qp *qps;
    struct mock_mr *mrs;
    struct ibv_async_event async[MOCK_ASYNC_MAX];
    size_t num_async;
    /* turns.c */
    char *line; /* the control line that the adapter is reading: line_len bytes, from line_at */
    size_t line_cap, line_at, line_len;
    bool ended, news;   /* no more input; the adapter must poll before the next message */
    const char *asked;  /* the message of lockstep that is being answered, or NULL */
    char *frames;       /* lines with what the SUT has sent meanwhile */
    size_t frames_size; /* bytes there */
    FILE *frames_to;    /* NULL: none */
};

/* The device; there is one. */
struct mock *mock_device(void);

/* ---- link.c ---- */

/* Makes the built-in SUT, with the faults and variants of the variable VERBS_MOCK, such as
 * ":fault=imm-lost". False when these are wrong or memory is short. */
bool mock_begin(struct mock *mock, uint64_t seed);
/* Takes all that the SUT has to send: frames, completions, events. */
void mock_collect(struct mock *mock);
/* Gives the SUT a command of the control protocol, which it takes. 0, or an errno: ENOMEM for
 * `busy`, EOPNOTSUPP for `unsupported`, else EINVAL; mock->why says why. */
int mock_ask(struct mock *mock, json_t *command);
/* The same with a word of RDMA verbs; *answer (may be NULL) has the reply's members. */
int mock_word(struct mock *mock, const struct fal_verbs *ask, struct fal_verbs *answer);
/* An object is made or ended. */
void mock_made(struct mock *mock);
void mock_ended(struct mock *mock);

/* ---- memory.c ---- */

/* Bytes of a region of the engine are those of the application from now on. */
void mock_memory_share(struct mock *mock, const char *region, uint8_t *bytes);
/* Before the region ends: the engine does not free the application's bytes. */
void mock_memory_end(struct mock *mock, const char *region);
/* Makes the region `window` show what a bind says. 0 or an errno. */
int mock_memory_bind(struct mock *mock, const char *window, const struct mock_mr *mr,
                     const struct ibv_send_wr *wr);

/* ---- provider.c ---- */

void mock_push_wc(struct mock_cq *cq, const struct ibv_wc *wc);
/* A `wc`, `cq_event` or `async` of the SUT. */
void mock_told(struct mock *mock, const struct fal_verbs *event);
int mock_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int mock_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int mock_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

#endif
