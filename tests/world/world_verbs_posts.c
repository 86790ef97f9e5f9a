/* SPDX-License-Identifier: Apache-2.0
 * world_verbs_posts.c - random programs of work requests for the queue pairs of a world. */
#include "tests/world/world_verbs.h"

#include <string.h>

enum { ERROR_PERCENT = 4 };

static bool is_atomic(enum fal_verbs_op op)
{
    return op == FAL_VERBS_CAS || op == FAL_VERBS_FAA;
}

/* A place of `length` bytes for an entry of a list; for remote data; for a word. */
static uint64_t place(struct world *w, uint32_t length)
{
    return world_below(w, (w->verbs->apart ? VERBS_LISTS : VERBS_MEMORY) - length + 1);
}

static uint64_t place_remote(struct world *w, uint32_t length)
{
    uint32_t from = w->verbs->apart ? VERBS_LISTS : 0;

    return from +
           world_below(w, (w->verbs->apart ? VERBS_WORDS : VERBS_MEMORY) - from - length + 1);
}

static uint64_t place_word(struct world *w)
{
    uint32_t from = w->verbs->apart ? VERBS_WORDS : 0;

    return from + 8 * (uint64_t)world_below(w, (VERBS_MEMORY - from) / 8);
}

static void post_recv(struct world *w, int side, uint32_t q)
{
    struct verbs_end *end = &w->verbs->ends[side];
    struct verbs_qp *qp = &end->qps[q];
    struct fal_verbs word = {.kind = FAL_VERBS_POST_RECV,
                             .num_sge = 1 + world_below(w, VERBS_PIECES)};
    uint32_t left = VERBS_RECV;

    for (size_t i = 0; i < word.num_sge; i++) {
        struct fal_verbs_sge *sge = &word.sgl[i];

        sge->length = i + 1 == word.num_sge ? left : world_below(w, left + 1);
        sge->offset = place(w, sge->length);
        world_name(sge->mr, qp->mr.mr);
        left -= sge->length;
    }
    if (w->verbs->srq[side]) {
        word.wr_id = 2 * (uint64_t)++end->given;
        world_name(word.srq, end->srq);
    } else {
        word.wr_id = 2 * ++qp->wr_id;
        world_name(word.qp, qp->qp.qp);
        qp->given++;
    }
    FAL_IGNORE(world_verbs_ask(w, side, 0, &word, &word));
}

static void draw_list(struct world *w, const struct verbs_qp *qp, uint32_t length,
                      struct fal_verbs *word)
{
    word->num_sge = 1 + world_below(w, VERBS_PIECES);
    for (size_t i = 0; i < word->num_sge; i++) {
        uint32_t n = i + 1 == word->num_sge ? length : world_below(w, length + 1);

        world_name(word->sgl[i].mr, qp->mr.mr);
        word->sgl[i].length = n;
        word->sgl[i].offset = place(w, n);
        length -= n;
    }
}

static uint32_t draw_length(struct world *w, uint32_t most)
{
    uint32_t mtu = w->verbs->mtu, length = world_below(w, most + 1);

    if (world_below(w, 3) == 0)
        length = world_below(w, 8);
    else if (world_below(w, 4) == 0)
        length = mtu * (1 + world_below(w, 3)) - 1 + world_below(w, 3);
    return length < most ? length : most;
}

/* What the target, or the own side, must refuse. */
static void spoil(struct world *w, const struct verbs_qp *qp, const struct verbs_end *target,
                  struct fal_verbs *word)
{
    switch (world_below(w, 6)) {
    case 0: word->remote.rkey ^= 1U << world_below(w, 32); break;
    case 1: word->remote.va += VERBS_MEMORY; break;
    case 2: word->remote.va -= 2 * VERBS_MEMORY; break;
    case 3:
        word->remote = (struct fal_verbs_remote){target->closed.va, target->closed.rkey};
        break;
    case 4:
        if (qp->dead_key != 0)
            word->remote.rkey = qp->dead_key;
        break;
    default:
        if (word->num_sge > 0)
            word->sgl[word->num_sge - 1].offset = VERBS_MEMORY + 8;
    }
}

static enum fal_verbs_op draw_op(struct world *w)
{
    enum fal_verbs_op op = (enum fal_verbs_op)world_below(w, FAL_VERBS_OPS);

    /* One with Invalidate needs a region of its own. */
    return op == FAL_VERBS_SEND_INV && world_below(w, 4) > 0 ? FAL_VERBS_SEND : op;
}

/* The key that a Send with Invalidate ends: on a strong queue pair a Write has used it. */
static void give_window(struct world *w, int side, uint32_t c, struct fal_verbs *word)
{
    struct verbs_qp *qp = &w->verbs->ends[side].qps[c];
    struct fal_verbs window = world_verbs_window(w, !side, c), write = *word;

    word->inv = window.rkey;
    word->has_inv = true;
    qp->dead_key = window.rkey;
    if (w->verbs->ordering[c] != FAL_VERBS_STRONG)
        return;
    write.op = FAL_VERBS_WRITE;
    write.wr_id = 2 * ++qp->wr_id + 1;
    write.flags = FAL_VERBS_SIGNALED;
    write.num_sge = 1;
    write.sgl[0].length = world_below(w, 9);
    write.has_imm = write.has_inv = false;
    write.remote = (struct fal_verbs_remote){window.va, window.rkey};
    w->outcome->posted += world_verbs_ask(w, side, 0, &write, &write) == 0;
}

static void post_rc(struct world *w, int side, uint32_t c)
{
    struct verbs_end *target = &w->verbs->ends[!side];
    struct verbs_qp *qp = &w->verbs->ends[side].qps[c], *peer = &target->qps[c];
    struct fal_verbs word = {.kind = FAL_VERBS_POST_SEND,
                             .op = draw_op(w),
                             .flags = world_below(w, 2) * FAL_VERBS_SOLICITED |
                                      (world_below(w, 8) == 0 ? FAL_VERBS_FENCE : 0U),
                             .has_remote = true,
                             .remote = {peer->mr.va, peer->mr.rkey},
                             .compare = world_below(w, 3),
                             .swap = world_below(w, 3),
                             .add = world_below(w, 3),
                             .imm = world_below(w, 1000)};
    bool one = w->verbs->ordering[c] == FAL_VERBS_UNORDERED && word.op != FAL_VERBS_READ &&
               word.op != FAL_VERBS_WRITE,
         bad = w->verbs->errs &&
               world_below(w, 100)<ERROR_PERCENT, reported = world_below(w, 8)> 0;
    uint32_t length = draw_length(w, (one ? 1 : 3) * w->verbs->mtu + (one ? 0 : 9));

    if (reported)
        word.flags |= FAL_VERBS_SIGNALED;
    word.has_imm = word.op == FAL_VERBS_SEND_IMM || word.op == FAL_VERBS_WRITE_IMM;
    world_name(word.qp, qp->qp.qp);
    draw_list(w, qp, is_atomic(word.op) ? 8 : length, &word);
    if (is_atomic(word.op)) {
        word.num_sge = 1;
        word.sgl[0].length = 8;
        word.sgl[0].offset = place(w, 8);
        word.remote.va += place_word(w);
    } else {
        word.remote.va += place_remote(w, length);
    }
    if (word.op == FAL_VERBS_SEND_INV)
        give_window(w, side, c, &word);
    if (bad)
        spoil(w, qp, target, &word);
    word.wr_id = 2 * ++qp->wr_id + reported;
    if (world_verbs_ask(w, side, 0, &word, &word) != 0)
        return;
    w->outcome->posted += reported;
    if (word.op != FAL_VERBS_WRITE && word.op != FAL_VERBS_READ && !is_atomic(word.op))
        *(w->verbs->srq[!side] ? &target->owed : &peer->owed) += 1;
}

static void post_ud(struct world *w, int side, uint32_t q)
{
    struct verbs_end *end = &w->verbs->ends[side], *target = &w->verbs->ends[!side];
    struct verbs_qp *qp = &end->qps[q];
    uint32_t c = world_below(w, w->conns), to = w->conns + world_below(w, w->verbs->num_ud);
    bool bad = w->verbs->errs && world_below(w, 100) < ERROR_PERCENT;
    struct fal_verbs word = {.kind = FAL_VERBS_POST_SEND,
                             .op = world_below(w, 2) > 0 ? FAL_VERBS_SEND : FAL_VERBS_SEND_IMM,
                             .flags =
                                 FAL_VERBS_SIGNALED | world_below(w, 2) * FAL_VERBS_SOLICITED,
                             .dest_qpn = target->qps[to].qp.qpn,
                             .qkey = VERBS_QKEY + bad,
                             .has_qkey = true,
                             .imm = world_below(w, 1000)};

    word.has_imm = word.op == FAL_VERBS_SEND_IMM;
    word.wr_id = 2 * ++qp->wr_id + 1;
    world_name(word.qp, qp->qp.qp);
    world_name(word.ah, end->ahs[c]);
    draw_list(w, qp, draw_length(w, w->verbs->mtu), &word);
    if (world_verbs_ask(w, side, 0, &word, &word) != 0)
        return;
    w->outcome->posted++;
    *(w->verbs->srq[!side] ? &target->owed : &target->qps[to].owed) += 1;
}

/* Receive requests for all messages so far. */
static void give_all(struct world *w)
{
    for (int side = 0; side < SIDES; side++) {
        struct verbs_end *end = &w->verbs->ends[side];

        while (w->verbs->srq[side] && end->given < end->owed)
            post_recv(w, side, 0);
        for (uint32_t q = 0; q < w->conns + w->verbs->num_ud && !w->verbs->srq[side]; q++)
            while (end->qps[q].given < end->qps[q].owed)
                post_recv(w, side, q);
    }
    w->verbs->given_all = true;
}

bool world_verbs_posts(struct world *w)
{
    struct world_verbs *v = w->verbs;

    if (v == NULL)
        return false;
    for (unsigned burst = 1 + world_below(w, 6); burst > 0 && w->posts_left > v->pause_at;
         burst--) {
        uint32_t q = world_below(w, w->conns + v->num_ud);
        int side = (int)world_below(w, SIDES);

        if (q < w->conns)
            post_rc(w, side, q);
        else
            post_ud(w, side, q);
        if (world_below(w, 3) > 0)
            post_recv(w, !side, q);
        w->posts_left--;
    }
    w->next_post_ns = w->now_ns + world_below(w, (uint32_t)w->post_gap_ns);
    if (w->posts_left > v->pause_at)
        return true;
    if (!v->given_all)
        give_all(w);
    w->next_post_ns = FAL_NEVER; /* until world_verbs_pause() */
    return true;
}
