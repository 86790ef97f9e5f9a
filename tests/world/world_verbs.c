/* SPDX-License-Identifier: Apache-2.0
 * world_verbs.c - RDMA in a world: the upper layers of both ends are verbs, with an RC queue
 * pair on each connection, and UD queue pairs that use all of them. The judge sees what the SUT
 * was asked, what it answered, and its completions. */
#include "tests/world/world_verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERBS_PART = 0x5644, /* of the seed */
    TAG = 7,
    HASHES = 8, /* of a region */
    ALL_RIGHTS = FAL_VERBS_LOCAL_WRITE | FAL_VERBS_REMOTE_WRITE | FAL_VERBS_REMOTE_READ |
                 FAL_VERBS_REMOTE_ATOMIC,
};

static uint32_t num_qps(const struct world *w)
{
    return w->conns + w->verbs->num_ud;
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

int world_verbs_ask(struct world *w, int side, uint32_t conn, const struct fal_verbs *word,
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
        /* Only what was read can be used: handles, keys, hashes. */
        if (asked.kind != FAL_VERBS_POST_SEND && asked.kind != FAL_VERBS_POST_RECV)
            world_read_late(w, true);
    }
    world_drain(w, side);
    return rc;
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

        /* An odd number is that of a request which is always reported. */
        w->outcome->completed += event.kind == FAL_VERBS_WC &&
                                 event.opcode < FAL_VERBS_DONE_RECV && event.wr_id % 2 == 1;
        if (side != SUT)
            continue;
        w->ulp_seq++;
        show(w, 0, said, &event);
    }
}

/* ---- objects ---- */

static void open_end(struct world *w, int side)
{
    struct verbs_end *end = &w->verbs->ends[side];
    struct fal_verbs word = {.kind = FAL_VERBS_PD_CREATE};

    FAL_IGNORE(world_verbs_ask(w, side, 0, &word, &word));
    world_name(end->pd, word.pd);
    word = (struct fal_verbs){.kind = FAL_VERBS_CQ_CREATE, .depth = VERBS_DEPTH};
    FAL_IGNORE(world_verbs_ask(w, side, 0, &word, &word));
    world_name(end->cq, word.cq);
    if (w->verbs->srq[side]) {
        word = (struct fal_verbs){.kind = FAL_VERBS_SRQ_CREATE, .depth = VERBS_DEPTH};
        world_name(word.pd, end->pd);
        FAL_IGNORE(world_verbs_ask(w, side, 0, &word, &word));
        world_name(end->srq, word.srq);
    }
    word = (struct fal_verbs){.kind = FAL_VERBS_MR_REG, .length = VERBS_MEMORY};
    world_name(word.pd, end->pd);
    FAL_IGNORE(world_verbs_ask(w, side, 0, &word, &end->closed));
    for (uint32_t c = 0; c < w->conns && w->verbs->num_ud > 0; c++) {
        word = (struct fal_verbs){.kind = FAL_VERBS_AH_CREATE};
        world_name(word.pd, end->pd);
        (void)snprintf(word.conn, sizeof word.conn, "%s", w->setup[c].name);
        FAL_IGNORE(world_verbs_ask(w, side, c + 1, &word, &word));
        world_name(end->ahs[c], word.ah);
    }
}

static void fill(struct world *w, int side, const struct fal_verbs *mr, uint64_t tag)
{
    struct fal_verbs word = {.kind = FAL_VERBS_MR_FILL, .length = VERBS_MEMORY, .tag = tag};

    world_name(word.mr, mr->mr);
    FAL_IGNORE(world_verbs_ask(w, side, 0, &word, &word));
}

static void open_qp(struct world *w, int side, uint32_t q, const struct fal_verbs *plan)
{
    struct verbs_end *end = &w->verbs->ends[side];
    struct verbs_qp *qp = &end->qps[q];
    struct fal_verbs word = *plan;

    word.kind = FAL_VERBS_QP_CREATE;
    world_name(word.pd, end->pd);
    world_name(word.send_cq, end->cq);
    world_name(word.recv_cq, end->cq);
    world_name(word.srq, end->srq);
    FAL_IGNORE(world_verbs_ask(w, side, 0, &word, &qp->qp));
    word = (struct fal_verbs){
        .kind = FAL_VERBS_MR_REG, .length = VERBS_MEMORY, .access = ALL_RIGHTS};
    world_name(word.pd, end->pd);
    if (q > 0 && w->verbs->one_memory)
        world_name(word.within, end->qps[0].mr.mr);
    FAL_IGNORE(world_verbs_ask(w, side, 0, &word, &qp->mr));
    fill(w, side, &qp->mr, TAG);
}

struct fal_verbs world_verbs_window(struct world *w, int side, uint32_t q)
{
    struct verbs_end *end = &w->verbs->ends[side];
    struct fal_verbs word = {.kind = FAL_VERBS_MR_REG,
                             .length = 8 * (1 + world_below(w, 16)),
                             .access = ALL_RIGHTS | FAL_VERBS_INVALIDATE};

    word.offset = 8 * world_below(w, VERBS_LISTS / 8 - 16);
    world_name(word.pd, end->pd);
    world_name(word.within, end->qps[q].mr.mr);
    world_name(word.qp, end->qps[q].qp.qp);
    FAL_IGNORE(world_verbs_ask(w, side, 0, &word, &word));
    return word;
}

static struct fal_verbs draw_qp(struct world *w, uint32_t c)
{
    struct fal_verbs plan = {.path_mtu = w->verbs->mtu,
                             .sq = 4 + world_below(w, 61),
                             .rq = VERBS_DEPTH,
                             .sge = VERBS_PIECES,
                             .rd_atomic = 1 + world_below(w, 16),
                             .rnr_ns = FAL_US * (10 + world_below(w, 200))};

    plan.ordering = w->setup[c].params.ordered ? FAL_VERBS_STRONG
                    : world_below(w, 2) > 0    ? FAL_VERBS_WEAK
                                               : FAL_VERBS_UNORDERED;
    plan.errors = plan.ordering == FAL_VERBS_UNORDERED || world_below(w, 2) > 0
                      ? FAL_VERBS_ERRORS_CIE
                      : FAL_VERBS_ERRORS_VERBS;
    w->verbs->ordering[c] = plan.ordering;
    return plan;
}

int world_verbs_open(struct world *w)
{
    if ((w->config->trials & WORLD_VERBS) == 0)
        return 0;
    for (int side = 0; side < SIDES; side++)
        open_end(w, side);
    for (uint32_t c = 0; c < w->conns; c++) {
        struct fal_verbs plan = draw_qp(w, c);

        for (int side = 0; side < SIDES; side++)
            open_qp(w, side, c, &plan);
        for (int side = 0; side < SIDES; side++) {
            struct fal_verbs word = {.kind = FAL_VERBS_QP_CONNECT};

            world_name(word.qp, w->verbs->ends[side].qps[c].qp.qp);
            (void)snprintf(word.conn, sizeof word.conn, "%s", w->setup[c].name);
            word.dest_qpn = w->verbs->ends[!side].qps[c].qp.qpn;
            FAL_IGNORE(world_verbs_ask(w, side, c + 1, &word, &word));
        }
    }
    for (uint32_t q = w->conns; q < num_qps(w); q++)
        for (int side = 0; side < SIDES; side++)
            open_qp(w, side, q,
                    &(struct fal_verbs){.type = FAL_VERBS_UD,
                                        .path_mtu = w->verbs->mtu,
                                        .sq = 64,
                                        .rq = VERBS_DEPTH,
                                        .sge = VERBS_PIECES,
                                        .qkey = VERBS_QKEY,
                                        .has_qkey = true});
    return 0;
}

static void draw(struct world *w)
{
    static const uint32_t mtus[] = {256, 512, 1024};
    struct world_verbs *v = w->verbs;

    v->rng = fal_rng_split(w->config->seed, VERBS_PART);
    v->mtu = mtus[world_below(w, 3)];
    v->num_ud = world_below(w, 2) > 0 ? 1 + world_below(w, VERBS_UD_MAX) : 0;
    for (int side = 0; side < SIDES; side++)
        v->srq[side] = world_below(w, 3) == 0;
    v->one_memory = world_below(w, 4) == 0;
    v->apart = world_below(w, 2) > 0;
    v->errs = world_below(w, 3) == 0;
    v->pauses = world_below(w, 3);
    v->pause_at = v->pauses > 0 ? w->posts_left - w->posts_left / (v->pauses + 1) : 0;
}

int world_verbs_new(struct world *w)
{
    if ((w->config->trials & WORLD_VERBS) == 0)
        return 0;
    w->verbs = calloc(1, sizeof *w->verbs);
    if (w->verbs == NULL)
        return FAL_ERR_MEM;
    draw(w);
    for (int side = 0; side < SIDES; side++) {
        struct fal_verbs_engine **engine = &w->verbs->ends[side].engine;
        struct fal_verbs_config config = {.endpoint = w->ep[side],
                                          .seed = w->config->seed + (uint64_t)side,
                                          .twins = side == SUT ? w->config->twins
                                                               : w->config->tester};

        if (side == SUT)
            config.faults = w->config->faults;
        *engine = fal_verbs_new(&config);
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

uint64_t world_verbs_acts(const struct world *w, enum fal_fault_id id)
{
    return w->verbs != NULL ? fal_verbs_fault_acts(w->verbs->ends[SUT].engine, id) : 0;
}

/* ---- time ---- */

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

/* The memory and the state of a queue pair of the SUT. */
static void look(struct world *w, const struct verbs_qp *qp)
{
    struct fal_verbs word = {.kind = FAL_VERBS_QP_QUERY};

    world_name(word.qp, qp->qp.qp);
    FAL_IGNORE(world_verbs_ask(w, SUT, 0, &word, &word));
    for (uint32_t at = 0; at < VERBS_MEMORY; at += VERBS_MEMORY / HASHES) {
        word = (struct fal_verbs){
            .kind = FAL_VERBS_MR_HASH, .offset = at, .length = VERBS_MEMORY / HASHES};
        world_name(word.mr, qp->mr.mr);
        FAL_IGNORE(world_verbs_ask(w, SUT, 0, &word, &word));
    }
}

bool world_verbs_pause(struct world *w)
{
    struct world_verbs *v = w->verbs;

    if (v == NULL)
        return false;
    for (uint32_t q = 0; q < num_qps(w); q++)
        look(w, &v->ends[SUT].qps[q]);
    if (w->posts_left == 0)
        return false;
    for (int side = 0; side < SIDES; side++) {
        struct fal_verbs arm = {.kind = FAL_VERBS_CQ_ARM,
                                .solicited_only = world_below(w, 2) > 0};

        for (uint32_t q = 0; q < num_qps(w); q++)
            if (world_below(w, 2) > 0)
                fill(w, side, &v->ends[side].qps[q].mr, TAG + world_below(w, 100));
        world_name(arm.cq, v->ends[side].cq);
        FAL_IGNORE(world_verbs_ask(w, side, 0, &arm, &arm));
    }
    v->given_all = false;
    v->pauses -= v->pauses > 0;
    v->pause_at = v->pauses > 0 ? w->posts_left - w->posts_left / (v->pauses + 1) : 0;
    w->next_post_ns = w->now_ns;
    return true;
}
