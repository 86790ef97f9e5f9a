/* SPDX-License-Identifier: Apache-2.0
 * world_ulp.c - the upper layers of both ends of a world: what they post, and how they answer.
 */
#include "oracles/payload.h"
#include "tests/world/world_impl.h"

static void remember(struct world *w, struct pending p)
{
    if (w->num_pending < PENDING_MAX)
        w->pending[w->num_pending++] = p;
}

void world_request(struct world *w, int side, uint32_t conn, const struct fal_endpoint_out *out)
{
    struct pending p = {.side = side, .conn = conn, .rsn = out->rsn, .op = out->op};
    uint64_t told_ns = 0;

    p.length = out->length;
    p.due_ns = w->now_ns + fal_rng_below(&w->rng, chance(w, 50) ? 1 : 200 * FAL_US);
    p.commanded = side == SUT && chance(w, 40);
    if (side == SUT)
        told_ns = world_tell_ulp(
            w,
            (struct fal_ev_ulp){.kind = FAL_ULP_REQUEST,
                                .rsn = out->rsn,
                                .op = out->op,
                                .length =
                                    out->op == FAL_OP_PUSH ? out->payload_len : out->length,
                                .hash = fal_payload_hash(out->payload, out->payload_len),
                                .has_hash = out->op == FAL_OP_PUSH,
                                .redelivery = out->redelivery},
            conn);
    if (p.commanded && told_ns > p.due_ns)
        p.due_ns = told_ns; /* the tester answers what it knows of */
    remember(w, p);
}

void world_complete(struct world *w, int side, uint32_t conn,
                    const struct fal_endpoint_out *out)
{
    w->outcome->completed++;
    if (side == SUT)
        (void)world_tell_ulp(
            w,
            (struct fal_ev_ulp){.kind = FAL_ULP_COMPLETION,
                                .rsn = out->rsn,
                                .op = out->op,
                                .tag = out->tag,
                                .code = out->code,
                                .ulp_nack_code = out->ulp_nack_code,
                                .length = out->payload_len,
                                .hash = fal_payload_hash(out->payload, out->payload_len),
                                .has_hash =
                                    out->op == FAL_OP_PULL && out->code == FAL_CMPL_ACK},
            conn);
}

static void record_respond(struct world *w, const struct pending *p,
                           const struct fal_endpoint_in *in)
{
    struct fal_event event = {.kind = FAL_EV_COMMAND, .conn = p->conn};

    event.u.command = (struct fal_ev_command){.id = ++w->command_id,
                                              .verb = "respond",
                                              .rsn = in->rsn,
                                              .answer = in->answer,
                                              .rnr_ns = in->rnr_ns,
                                              .code = in->code,
                                              .length = in->length,
                                              .text = ""};
    if (in->answer == FAL_ANSWER_DATA) {
        event.u.command.hash = fal_payload_hash(in->payload, in->payload_len);
        event.u.command.has_hash = true;
    }
    world_record(w, &event);
    event = (struct fal_event){.kind = FAL_EV_REPLY, .conn = p->conn};
    event.u.reply = (struct fal_ev_reply){.id = w->command_id, .ok = true, .text = ""};
    (void)world_tell(w, &event);
}

static void answer(struct world *w, struct pending p)
{
    uint8_t payload[PAYLOAD_MAX];
    struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND,
                                 .conn = w->numbers[p.conn - 1][p.side],
                                 .rsn = p.rsn,
                                 .answer =
                                     p.op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA};

    if (chance(w, w->rnr_percent)) {
        in.answer = FAL_ANSWER_RNR;
        in.rnr_ns = fal_rnr_timeout_ns(1 + (unsigned)fal_rng_below(&w->rng, 10));
    } else if ((p.op == FAL_OP_PUSH && chance(w, w->cie_percent)) ||
               (p.op == FAL_OP_PULL && world_trials_error(&w->trials))) {
        static const enum fal_answer kinds[] = {FAL_ANSWER_CIE, FAL_ANSWER_NRE, FAL_ANSWER_CID};

        in.answer = kinds[fal_rng_below(&w->rng, 3)];
        in.code = (uint32_t)fal_rng_below(&w->rng, 256);
    } else if (p.op == FAL_OP_PULL) {
        in.length = in.payload_len = p.length < PAYLOAD_MAX ? p.length : PAYLOAD_MAX;
        fal_payload_fill(p.rsn, w->config->seed, payload, in.length);
        in.payload = payload;
    }
    if (p.side == SUT && p.commanded)
        record_respond(w, &p, &in);
    world_input(w, p.side, &in, NULL);
    if (p.side == SUT && !p.commanded)
        (void)world_tell_ulp(w,
                             (struct fal_ev_ulp){.kind = FAL_ULP_ACK,
                                                 .rsn = p.rsn,
                                                 .answer = in.answer,
                                                 .code = in.code,
                                                 .has_stamp = w->sealed,
                                                 .stamp_ns = w->now_ns},
                             p.conn);
    world_drain(w, p.side);
}

static size_t next_pending(const struct world *w)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < w->num_pending; i++)
        if (best == SIZE_MAX || w->pending[i].due_ns < w->pending[best].due_ns)
            best = i;
    return best;
}

uint64_t world_answers_ns(const struct world *w)
{
    size_t p = next_pending(w);

    return p != SIZE_MAX ? w->pending[p].due_ns : FAL_NEVER;
}

void world_give_answers(struct world *w)
{
    size_t p;

    while ((p = next_pending(w)) != SIZE_MAX && w->pending[p].due_ns <= w->now_ns) {
        struct pending due = w->pending[p];

        w->pending[p] = w->pending[--w->num_pending];
        answer(w, due);
    }
}

static void post(struct world *w, uint32_t c, int side, enum fal_ulp_op op)
{
    uint8_t payload[PAYLOAD_MAX];
    struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                 .conn = w->numbers[c][side],
                                 .op = op,
                                 .tag = ++w->outcome->posted};
    uint32_t rsn = 0;

    in.length = (uint32_t)fal_rng_below(&w->rng, PAYLOAD_MAX);
    fal_payload_fill(in.tag, w->config->seed, payload, in.length);
    in.payload = in.op == FAL_OP_PUSH ? payload : NULL;
    if (side == SUT) {
        struct fal_event event = {.kind = FAL_EV_COMMAND, .conn = c + 1};

        event.u.command = (struct fal_ev_command){.id = ++w->command_id,
                                                  .verb = "post",
                                                  .op = in.op,
                                                  .tag = in.tag,
                                                  .length = in.length,
                                                  .hash = fal_payload_hash(payload, in.length),
                                                  .has_hash = in.op == FAL_OP_PUSH,
                                                  .text = ""};
        world_record(w, &event);
    }
    world_input(w, side, &in, &rsn);
    if (side == SUT) {
        struct fal_event event = {.kind = FAL_EV_REPLY, .conn = c + 1};

        event.u.reply = (struct fal_ev_reply){
            .id = w->command_id, .ok = true, .rsn = rsn, .has_rsn = true, .text = ""};
        (void)world_tell(w, &event);
    }
    world_drain(w, side);
}

struct traffic {
    uint32_t conn;
    int side;
    enum fal_ulp_op op;
};

static struct traffic random_traffic(struct world *w)
{
    return (struct traffic){.conn = (uint32_t)fal_rng_below(&w->rng, w->conns),
                            .side = chance(w, 50) ? TESTER : SUT,
                            .op = chance(w, 60) ? FAL_OP_PUSH : FAL_OP_PULL};
}

void world_posts(struct world *w)
{
    struct traffic t;
    unsigned burst;
    bool alike;

    if (w->posts_left == 0 || w->next_post_ns > w->now_ns)
        return;
    if (world_verbs_posts(w) || world_nvme_posts(w))
        return;
    alike = chance(w, 10); /* many of a kind fill a window */
    burst = 1 + (unsigned)fal_rng_below(&w->rng, alike ? 300 : 8);
    t = random_traffic(w);
    for (; burst > 0 && w->posts_left > 0; burst--, w->posts_left--) {
        post(w, t.conn, t.side, t.op);
        if (!alike)
            t = random_traffic(w);
    }
    w->next_post_ns = w->now_ns + fal_rng_below(&w->rng, w->post_gap_ns);
}
