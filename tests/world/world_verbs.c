/* SPDX-License-Identifier: Apache-2.0
 * world_verbs.c - RDMA in a world: the upper layers of both ends are verbs, with one queue pair
 * on each connection, and programs of random work requests. The judge sees what the SUT was
 * asked, what it answered, and its completions. */
#include "tests/world/world_impl.h"

#include "oracles/ulp/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    VERBS_PART = 0x5644, /* of the seed */
    MEMORY = 8192,
    PATH_MTU = 256,
    PIECES = 3,
    RECV_BYTES = 1024,
    RECEIVES = 2048, /* of a queue pair */
    TAG = 7,
    ALL_RIGHTS = FAL_VERBS_LOCAL_WRITE | FAL_VERBS_REMOTE_WRITE | FAL_VERBS_REMOTE_READ |
                 FAL_VERBS_REMOTE_ATOMIC,
};

struct verbs_conn {
    struct fal_verbs qp, mr; /* what the end answered */
    enum fal_verbs_ordering ordering;
    uint64_t wr_id;
    uint32_t owed, given; /* messages that take a receive request; receive requests */
};

struct verbs_end {
    struct fal_verbs_engine *engine;
    char pd[FAL_VERBS_NAME_MAX], cq[FAL_VERBS_NAME_MAX];
    struct verbs_conn conns[CONNS_MAX];
};

/* What the timeline points to; it is read later, and lives as long as the world. */
struct verbs_kept {
    struct verbs_kept *next;
    struct fal_verbs verbs;
};

struct world_verbs {
    struct verbs_end ends[SIDES];
    struct verbs_kept *kept;
    struct fal_rng rng;
    bool over; /* the last receive requests have been posted */
};

static uint32_t below(struct world *w, uint32_t n)
{
    return (uint32_t)fal_rng_below(&w->verbs->rng, n);
}

static void name(char out[FAL_VERBS_NAME_MAX], const char *from)
{
    (void)snprintf(out, FAL_VERBS_NAME_MAX, "%s", from);
}

/* ---- what the judge sees ---- */

static void show(struct world *w, uint32_t conn, struct fal_ev_verbs said,
                 const struct fal_verbs *verbs)
{
    struct verbs_kept *kept = malloc(sizeof *kept);
    struct fal_event event = {.kind = FAL_EV_VERBS, .conn = conn};

    if (kept == NULL)
        return;
    *kept = (struct verbs_kept){w->verbs->kept, *verbs};
    w->verbs->kept = kept;
    said.verbs = &kept->verbs;
    event.u.verbs = said;
    if (w->config->wire_only)
        return;
    if (said.phase == FAL_VERBS_ASKED)
        world_record(w, &event);
    else
        (void)world_tell(w, &event);
}

/* `conn`: from 1; 0: the word is of no connection. */
static int ask(struct world *w, int side, uint32_t conn, const struct fal_verbs *word,
               struct fal_verbs *answer)
{
    struct verbs_end *end = &w->verbs->ends[side];
    const struct fal_verbs asked = *word; /* *answer may be the same struct */
    struct fal_ev_verbs said = {.phase = FAL_VERBS_ASKED};
    struct fal_error err;
    int rc;

    if (side == SUT) {
        said.id = ++w->command_id;
        show(w, conn, said, &asked);
    }
    rc = fal_verbs_command(end->engine, conn > 0 ? w->numbers[conn - 1][side] : 0, &asked,
                           answer, w->now_ns, &err);
    if (side == SUT) {
        answer->kind = asked.kind;
        said.phase = FAL_VERBS_ANSWERED;
        said.ok = rc == 0;
        show(w, conn, said, answer);
    }
    world_drain(w, side);
    return rc;
}

static uint32_t conn_of_qp(const struct world *w, int side, const char *qp)
{
    for (uint32_t c = 0; c < w->conns; c++)
        if (strcmp(w->verbs->ends[side].conns[c].qp.qp, qp) == 0)
            return c + 1;
    return 0;
}

bool world_verbs_take(struct world *w, int side, const struct fal_endpoint_out *out)
{
    return w->verbs != NULL && w->verbs->ends[side].engine != NULL &&
           fal_verbs_take(w->verbs->ends[side].engine, out, w->now_ns);
}

void world_verbs_events(struct world *w, int side)
{
    struct fal_verbs event;

    if (w->verbs == NULL || w->verbs->ends[side].engine == NULL)
        return;
    while (fal_verbs_next(w->verbs->ends[side].engine, &event)) {
        struct fal_ev_verbs said = {.phase = FAL_VERBS_TOLD, .seq = w->ulp_seq + 1};

        w->outcome->completed +=
            event.kind == FAL_VERBS_WC && event.opcode < FAL_VERBS_DONE_RECV;
        if (side != SUT)
            continue;
        w->ulp_seq++;
        show(w, conn_of_qp(w, side, event.qp), said, &event);
    }
}

/* ---- objects ---- */

static void open_end(struct world *w, int side)
{
    struct verbs_end *end = &w->verbs->ends[side];
    struct fal_verbs answer = {.kind = FAL_VERBS_PD_CREATE};

    FAL_IGNORE(ask(w, side, 0, &(struct fal_verbs){.kind = FAL_VERBS_PD_CREATE}, &answer));
    name(end->pd, answer.pd);
    FAL_IGNORE(ask(w, side, 0, &(struct fal_verbs){.kind = FAL_VERBS_CQ_CREATE, .depth = 4096},
                   &answer));
    name(end->cq, answer.cq);
}

static void open_conn(struct world *w, int side, uint32_t c, const struct fal_verbs *plan)
{
    struct verbs_end *end = &w->verbs->ends[side];
    struct verbs_conn *conn = &end->conns[c];
    struct fal_verbs word = *plan;

    word.kind = FAL_VERBS_QP_CREATE;
    name(word.pd, end->pd);
    name(word.send_cq, end->cq);
    name(word.recv_cq, end->cq);
    FAL_IGNORE(ask(w, side, 0, &word, &conn->qp));
    word = (struct fal_verbs){.kind = FAL_VERBS_MR_REG, .length = MEMORY, .access = ALL_RIGHTS};
    name(word.pd, end->pd);
    FAL_IGNORE(ask(w, side, 0, &word, &conn->mr));
    word = (struct fal_verbs){.kind = FAL_VERBS_MR_FILL, .length = MEMORY, .tag = TAG};
    name(word.mr, conn->mr.mr);
    FAL_IGNORE(ask(w, side, 0, &word, &word));
}

int world_verbs_open(struct world *w)
{
    if ((w->config->trials & WORLD_VERBS) == 0)
        return 0;
    for (int side = 0; side < SIDES; side++)
        open_end(w, side);
    for (uint32_t c = 0; c < w->conns; c++) {
        bool ordered = w->setup[c].params.ordered;
        struct fal_verbs plan = {.path_mtu = PATH_MTU,
                                 .sq = 64,
                                 .rq = RECEIVES,
                                 .sge = PIECES,
                                 .rd_atomic = 1 + below(w, 16),
                                 .rnr_ns = FAL_US * (10 + below(w, 200))};

        plan.ordering = ordered           ? FAL_VERBS_STRONG
                        : below(w, 2) > 0 ? FAL_VERBS_WEAK
                                          : FAL_VERBS_UNORDERED;
        plan.errors = plan.ordering == FAL_VERBS_UNORDERED || below(w, 2) > 0
                          ? FAL_VERBS_ERRORS_CIE
                          : FAL_VERBS_ERRORS_VERBS;
        for (int side = 0; side < SIDES; side++) {
            w->verbs->ends[side].conns[c].ordering = plan.ordering;
            open_conn(w, side, c, &plan);
        }
        for (int side = 0; side < SIDES; side++) {
            struct fal_verbs word = {.kind = FAL_VERBS_QP_CONNECT};

            name(word.qp, w->verbs->ends[side].conns[c].qp.qp);
            name(word.conn, w->setup[c].name);
            word.dest_qpn = w->verbs->ends[!side].conns[c].qp.qpn;
            FAL_IGNORE(ask(w, side, c + 1, &word, &word));
        }
    }
    return 0;
}

int world_verbs_new(struct world *w)
{
    if ((w->config->trials & WORLD_VERBS) == 0)
        return 0;
    w->verbs = calloc(1, sizeof *w->verbs);
    if (w->verbs == NULL)
        return FAL_ERR_MEM;
    w->verbs->rng = fal_rng_split(w->config->seed, VERBS_PART);
    for (int side = 0; side < SIDES; side++) {
        struct fal_verbs_engine **engine = &w->verbs->ends[side].engine;

        *engine = fal_verbs_new(&(struct fal_verbs_config){
            .endpoint = w->ep[side], .seed = w->config->seed + (uint64_t)side});
        if (*engine == NULL)
            return FAL_ERR_MEM;
        for (uint32_t c = 0; c < w->conns; c++)
            if (fal_verbs_attach(*engine, w->numbers[c][side], &w->setup[c].params) != 0)
                return FAL_ERR_MEM;
    }
    return 0;
}

void world_verbs_free(struct world *w)
{
    if (w->verbs == NULL)
        return;
    for (int side = 0; side < SIDES; side++)
        fal_verbs_free(w->verbs->ends[side].engine);
    while (w->verbs->kept != NULL) {
        struct verbs_kept *next = w->verbs->kept->next;

        free(w->verbs->kept);
        w->verbs->kept = next;
    }
    free(w->verbs);
}

/* ---- programs ---- */

static void post_recv(struct world *w, int side, uint32_t c)
{
    struct verbs_conn *conn = &w->verbs->ends[side].conns[c];
    struct fal_verbs word = {
        .kind = FAL_VERBS_POST_RECV,
        .wr_id = ++conn->wr_id,
        .num_sge = 1,
        .sgl[0] = {.offset = below(w, MEMORY - RECV_BYTES), .length = RECV_BYTES}};

    name(word.qp, conn->qp.qp);
    name(word.sgl[0].mr, conn->mr.mr);
    conn->given += ask(w, side, c + 1, &word, &word) == 0;
}

static void draw_list(struct world *w, const struct verbs_conn *conn, uint32_t length,
                      struct fal_verbs *word)
{
    word->num_sge = 1 + below(w, PIECES);
    for (size_t i = 0; i < word->num_sge; i++) {
        uint32_t n = i + 1 == word->num_sge ? length : below(w, length + 1);

        name(word->sgl[i].mr, conn->mr.mr);
        word->sgl[i].length = n;
        word->sgl[i].offset = below(w, MEMORY - n);
        length -= n;
    }
}

static void post_send(struct world *w, int side, uint32_t c)
{
    struct verbs_conn *conn = &w->verbs->ends[side].conns[c],
                      *peer = &w->verbs->ends[!side].conns[c];
    struct fal_verbs word = {.kind = FAL_VERBS_POST_SEND,
                             .wr_id = ++conn->wr_id,
                             .op = (enum fal_verbs_op)below(w, FAL_VERBS_OPS),
                             .flags = FAL_VERBS_SIGNALED | below(w, 2) * FAL_VERBS_SOLICITED |
                                      (below(w, 8) == 0 ? FAL_VERBS_FENCE : 0U),
                             .has_remote = true,
                             .compare = below(w, 3),
                             .swap = below(w, 3),
                             .add = below(w, 3),
                             .imm = below(w, 1000)};
    uint32_t length = below(w, 3) == 0 ? below(w, 8) : below(w, 3 * PATH_MTU + 9);
    bool atomic, takes;

    if (word.op == FAL_VERBS_SEND_INV) /* a key of this kind has been given to nobody */
        word.op = FAL_VERBS_SEND;
    atomic = word.op == FAL_VERBS_CAS || word.op == FAL_VERBS_FAA;
    if (conn->ordering == FAL_VERBS_UNORDERED && word.op != FAL_VERBS_READ &&
        word.op != FAL_VERBS_WRITE)
        length = below(w, PATH_MTU + 1);
    word.has_imm = word.op == FAL_VERBS_SEND_IMM || word.op == FAL_VERBS_WRITE_IMM;
    name(word.qp, conn->qp.qp);
    if (atomic) {
        word.num_sge = 1;
        name(word.sgl[0].mr, conn->mr.mr);
        word.sgl[0] = (struct fal_verbs_sge){.offset = 8 * below(w, MEMORY / 8), .length = 8};
        name(word.sgl[0].mr, conn->mr.mr);
        word.remote.va = peer->mr.va + 8 * (uint64_t)below(w, MEMORY / 8);
    } else {
        draw_list(w, conn, length, &word);
        word.remote.va = peer->mr.va + below(w, MEMORY - length);
    }
    word.remote.rkey = peer->mr.rkey;
    takes = word.op <= FAL_VERBS_SEND_INV || word.op == FAL_VERBS_WRITE_IMM;
    if (ask(w, side, c + 1, &word, &word) != 0)
        return;
    w->outcome->posted++;
    peer->owed += takes;
}

bool world_verbs_posts(struct world *w)
{
    if (w->verbs == NULL)
        return false;
    for (unsigned burst = 1 + below(w, 6); burst > 0 && w->posts_left > 0; burst--) {
        uint32_t c = below(w, w->conns);
        int side = (int)below(w, SIDES);

        post_send(w, side, c);
        if (below(w, 3) > 0)
            post_recv(w, !side, c);
        w->posts_left--;
    }
    if (w->posts_left == 0 && !w->verbs->over) {
        w->verbs->over = true;
        for (uint32_t c = 0; c < w->conns; c++)
            for (int side = 0; side < SIDES; side++)
                while (w->verbs->ends[side].conns[c].given < w->verbs->ends[side].conns[c].owed)
                    post_recv(w, side, c);
    }
    w->next_post_ns = w->now_ns + below(w, (uint32_t)w->post_gap_ns);
    return true;
}

uint64_t world_verbs_ns(const struct world *w)
{
    uint64_t first = FAL_NEVER;

    for (int side = 0; w->verbs != NULL && side < SIDES; side++) {
        uint64_t ns = fal_verbs_deadline(w->verbs->ends[side].engine);

        first = ns < first ? ns : first;
    }
    return first;
}

void world_verbs_tick(struct world *w)
{
    for (int side = 0; w->verbs != NULL && side < SIDES; side++)
        if (fal_verbs_deadline(w->verbs->ends[side].engine) <= w->now_ns) {
            fal_verbs_tick(w->verbs->ends[side].engine, w->now_ns);
            world_drain(w, side);
        }
}

/* The memory of the SUT in the end. */
void world_verbs_hash(struct world *w)
{
    for (uint32_t c = 0; w->verbs != NULL && c < w->conns; c++)
        for (uint32_t at = 0; at < MEMORY; at += MEMORY / 8) {
            struct fal_verbs word = {
                .kind = FAL_VERBS_MR_HASH, .offset = at, .length = MEMORY / 8};

            name(word.mr, w->verbs->ends[SUT].conns[c].mr.mr);
            FAL_IGNORE(ask(w, SUT, c + 1, &word, &word));
        }
}
