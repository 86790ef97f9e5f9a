/* SPDX-License-Identifier: Apache-2.0
 * fuzz_verbs.c - a verbs engine under requests, answers and words of any kind. What a peer says
 * must not change a byte outside the region that it has rights to, and the engine holds.
 * The input: a byte (ordering, error mode), then acts: kind (1), and what it takes. Bytes of a
 * packet come as they are; flags put numbers into them that the engine knows. */
#include "fuzz/targets/reader.h"
#include "fuzz/targets/targets.h"
#include "oracles/payload.h"
#include "oracles/ulp/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REGION = 4096,
    WINDOW_AT = 1024,
    WINDOW = 512,
    ACTS_MAX = 256,
    PACKET_MAX = 700,
    HEADER = 12,
    DEST_AT = 4,
    VA_AT = 12,
    KEY_AT = 20,
};

/* PUSH five times: most acts are pushes. */
enum act { PUSH, PULL = 5, COMPLETE, SEND, RECV, TICK, ACTS };

struct table {
    struct fal_endpoint *ep;
    struct fal_verbs_engine *engine;
    uint32_t conn, rsn, tags;
    uint64_t now_ns, before, after;
    struct fal_verbs qp, region, window;
    struct fuzz_reader in;
};

static int word(struct table *t, struct fal_verbs ask, struct fal_verbs *answer)
{
    struct fal_error err;

    return fal_verbs_command(t->engine, *ask.conn != 0 ? t->conn : 0, &ask, answer, t->now_ns,
                             &err);
}

static struct fal_verbs must(struct table *t, struct fal_verbs ask)
{
    struct fal_verbs answer;

    if (word(t, ask, &answer) != 0)
        fuzz_broken("%s was refused", fal_verbs_names[ask.kind]);
    return answer;
}

static void name(char out[FAL_VERBS_NAME_MAX], const char *text)
{
    snprintf(out, FAL_VERBS_NAME_MAX, "%s", text);
}

static uint64_t hash_of(struct table *t, uint64_t offset, uint64_t length)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_MR_HASH, .offset = offset, .length = length};

    name(ask.mr, t->region.mr);
    return must(t, ask).hash;
}

static void make_region(struct table *t)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_MR_REG, .length = REGION}, fill;

    name(ask.pd, "pd1");
    t->region = must(t, ask);
    fill = (struct fal_verbs){.kind = FAL_VERBS_MR_FILL, .length = REGION, .tag = 3};
    name(fill.mr, t->region.mr);
    (void)must(t, fill);
    name(ask.within, t->region.mr);
    ask.offset = WINDOW_AT;
    ask.length = WINDOW;
    ask.access = FAL_VERBS_LOCAL_WRITE | FAL_VERBS_REMOTE_WRITE | FAL_VERBS_REMOTE_READ |
                 FAL_VERBS_REMOTE_ATOMIC | FAL_VERBS_INVALIDATE;
    t->window = must(t, ask);
    t->before = hash_of(t, 0, WINDOW_AT);
    t->after = hash_of(t, WINDOW_AT + WINDOW, REGION - WINDOW_AT - WINDOW);
}

static void make_queue_pair(struct table *t, unsigned how)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_QP_CREATE, .path_mtu = 256, .qkey = 7};

    ask.type = how / 6 % 2 == 0 ? FAL_VERBS_RC : FAL_VERBS_UD;
    ask.ordering = (enum fal_verbs_ordering)(how % 3);
    ask.errors = how / 3 % 2 == 0 || ask.ordering == FAL_VERBS_UNORDERED
                     ? FAL_VERBS_ERRORS_CIE
                     : FAL_VERBS_ERRORS_VERBS;
    name(ask.pd, "pd1");
    name(ask.send_cq, "cq1");
    name(ask.recv_cq, "cq1");
    t->qp = must(t, ask);
    ask = (struct fal_verbs){.kind = FAL_VERBS_AH_CREATE, .dest_qpn = 5};
    name(ask.pd, "pd1");
    name(ask.conn, "c");
    (void)must(t, ask);
    ask.kind = FAL_VERBS_QP_CONNECT;
    name(ask.qp, t->qp.qp);
    if (how / 6 % 2 == 0)
        (void)must(t, ask);
}

static void open_table(struct table *t)
{
    struct fal_endpoint_conn open = {.local = {.cid = 1}, .peer = {.cid = 2}};
    unsigned how = fuzz_u8(&t->in);

    fal_params_default(&open.params, false);
    open.params.ordered = how % 3 == FAL_VERBS_STRONG;
    t->ep = fal_endpoint_new(&(struct fal_endpoint_config){0});
    if (t->ep == NULL || fal_endpoint_open(t->ep, &open, 0, &t->conn) != 0)
        abort();
    t->engine = fal_verbs_new(&(struct fal_verbs_config){.endpoint = t->ep});
    if (t->engine == NULL || fal_verbs_attach(t->engine, t->conn, &open.params) != 0)
        abort();
    (void)must(t, (struct fal_verbs){.kind = FAL_VERBS_PD_CREATE});
    (void)must(t, (struct fal_verbs){.kind = FAL_VERBS_CQ_CREATE, .depth = 16});
    make_region(t);
    make_queue_pair(t, how);
}

/* ---- acts ---- */

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    while (bytes-- > 0)
        *at++ = (uint8_t)(value >> (8 * bytes));
}

/* Bytes of the input, into which flags put the queue pair, the key, and an address. */
static uint32_t packet(struct table *t, uint8_t bytes[PACKET_MAX])
{
    unsigned flags = fuzz_u8(&t->in);
    uint32_t len = fuzz_u16(&t->in) % PACKET_MAX;

    for (uint32_t i = 0; i < len; i++)
        bytes[i] = fuzz_u8(&t->in);
    if (len >= HEADER && (flags & 1) != 0)
        put(bytes, 0x10000000u | bytes[3], 4); /* version 1, and no pad */
    if (len >= HEADER && (flags & 2) != 0)
        put(bytes + DEST_AT, t->qp.qpn, 3);
    if (len >= KEY_AT + 4 && (flags & 4) != 0)
        put(bytes + KEY_AT, t->window.rkey, 4);
    if (len >= KEY_AT && (flags & 8) != 0)
        put(bytes + VA_AT, t->window.va + bytes[VA_AT + 7] - 64, 8);
    return len;
}

static void deliver(struct table *t, enum fal_out_kind kind, enum fal_ulp_op op)
{
    uint8_t bytes[PACKET_MAX] = {0};
    struct fal_endpoint_out out = {.kind = kind, .conn = t->conn, .op = op, .payload = bytes};

    out.payload_len = packet(t, bytes);
    out.length = fuzz_u16(&t->in);
    out.rsn = t->rsn++;
    out.tag = fuzz_u8(&t->in) % 32;
    if (kind == FAL_OUT_COMPLETE)
        out.code = (enum fal_completion)(fuzz_u8(&t->in) % 16);
    (void)fal_verbs_take(t->engine, &out, t->now_ns);
}

static void post(struct table *t, enum fal_verbs_kind kind)
{
    struct fal_verbs ask = {.kind = kind, .num_sge = 1 + fuzz_u8(&t->in) % 2u}, answer;

    ask.op = (enum fal_verbs_op)(fuzz_u8(&t->in) % FAL_VERBS_OPS);
    ask.flags = fuzz_u8(&t->in) % 8;
    ask.has_remote = true;
    ask.remote = (struct fal_verbs_remote){t->window.va, t->window.rkey};
    name(ask.qp, t->qp.qp);
    name(ask.ah, "ah1");
    for (size_t i = 0; i < ask.num_sge; i++) {
        name(ask.sgl[i].mr, t->window.mr);
        ask.sgl[i].offset = fuzz_u16(&t->in);
        ask.sgl[i].length = fuzz_u16(&t->in) % 1024;
    }
    FAL_IGNORE(word(t, ask, &answer) == 0 ? 0 : -1);
}

static void act(struct table *t)
{
    struct fal_verbs event;

    switch ((enum act)(fuzz_u8(&t->in) % ACTS)) {
    case PULL: deliver(t, FAL_OUT_REQUEST, FAL_OP_PULL); break;
    case COMPLETE: deliver(t, FAL_OUT_COMPLETE, FAL_OP_PULL); break;
    case SEND: post(t, FAL_VERBS_POST_SEND); break;
    case RECV: post(t, FAL_VERBS_POST_RECV); break;
    case TICK:
        t->now_ns += (uint64_t)fuzz_u16(&t->in) << 20;
        fal_verbs_tick(t->engine, t->now_ns);
        break;
    case PUSH:
    case ACTS:
    default: deliver(t, FAL_OUT_REQUEST, FAL_OP_PUSH); break;
    }
    while (fal_verbs_next(t->engine, &event))
        continue;
    while (fal_endpoint_take(t->ep) != NULL)
        continue;
}

void fuzz_verbs(const uint8_t *data, size_t size)
{
    struct table t = {.in = {data, size}};

    open_table(&t);
    for (unsigned i = 0; i < ACTS_MAX && t.in.left > 0; i++)
        act(&t);
    if (hash_of(&t, 0, WINDOW_AT) != t.before ||
        hash_of(&t, WINDOW_AT + WINDOW, REGION - WINDOW_AT - WINDOW) != t.after)
        fuzz_broken("memory outside the window has changed");
    fal_verbs_free(t.engine);
    fal_endpoint_free(t.ep);
}
