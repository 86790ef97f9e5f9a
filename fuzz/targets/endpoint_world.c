/* SPDX-License-Identifier: Apache-2.0
 * endpoint_world.c - packets and time between two endpoints. */
#include "fuzz/targets/endpoint_world.h"

#include "fuzz/targets/records.h"
#include "fuzz/targets/targets.h"
#include "oracles/rng.h"

#include <stdlib.h>
#include <string.h>

enum { CID = 5, FUNCTION = 3, SPI = 0x1000, PCID = 0x77, TTL = 64, RNR_NS = 20000 };

/* The headers that the network carries in front of a packet: how it is sealed. */
struct front {
    struct fal_seal seal;
};

/* ---- opening ---- */

static void choose_path(uint8_t dice, struct fal_impairment *impair)
{
    impair->latency_ns = 2000;
    impair->jitter_ns = (dice & 1) != 0 ? 5000 : 0;
    impair->loss_ppm = (dice & 2) != 0 ? 50000 : 0;
    impair->duplicate_ppm = (dice & 4) != 0 ? 50000 : 0;
    impair->reorder_ppm = (dice & 8) != 0 ? 50000 : 0;
    impair->reorder_ns = 30000;
}

static struct fal_twin_set choose_twins(uint8_t dice)
{
    struct fal_rng rng = {dice};
    struct fal_twin_set set = {0};

    if (dice != 0)
        fal_twins_draw(&set, &rng);
    return set;
}

static void choose_params(struct fuzz_reader *head, uint8_t flags, struct fal_params *params)
{
    uint8_t fcwnd = fuzz_u8(head), ncwnd = fuzz_u8(head), limits = fuzz_u8(head);

    fal_params_default(params, false);
    params->ordered = (flags & 1) != 0;
    params->rack_tlp = (flags & 2) != 0;
    params->fcwnd = fcwnd;
    params->packet_gap_ns = fcwnd == 0 ? 1000 : 0;
    params->ncwnd = ncwnd;
    if ((limits & 1) != 0)
        params->net_pkt_rx = 1 + (limits >> 4);
    if ((limits & 2) != 0)
        params->credit_req_pkt_tx = 1 + (limits >> 4);
    if ((limits & 4) != 0)
        params->xlr_target = 3;
}

bool world_open(struct world *world, const uint8_t *bytes)
{
    struct fuzz_reader head = {bytes, FUZZ_HEAD_LEN};
    uint8_t flags = fuzz_u8(&head);
    struct fal_impairment impair[2] = {0};
    struct fal_endpoint_config config = {.seed = fuzz_u8(&head), .clock_ps = 1u << 30};
    struct fal_params params;
    uint32_t first = (flags & 4) != 0 ? UINT32_MAX - 20 : 100; /* numbers wrap, or not */

    choose_path(fuzz_u8(&head), &impair[0]);
    choose_path(fuzz_u8(&head), &impair[1]);
    choose_params(&head, flags, &params);
    world->sealed = (flags & 8) != 0;
    world->net = fal_simnet_new(impair, config.seed);
    if (world->net == NULL)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        struct world_side *side = &world->sides[i];

        side->open.params = params;
        side->open.auto_ack = side->open.auto_retransmit = true;
        side->open.twins = choose_twins(fuzz_u8(&head));
        side->open.local =
            (struct fal_end){CID + i, FUNCTION + i, first + i, first + 100 * i, first - i};
        side->open.peer = (struct fal_end){CID + 1 - i, FUNCTION + 1 - i, first + 1 - i,
                                           first + 100 * (1 - i), first - (1 - i)};
        if (world->sealed)
            side->open.security = (struct fal_endpoint_security){.on = true,
                                                                 .spi = SPI + i,
                                                                 .peer_spi = SPI + 1 - i,
                                                                 .has_vc = true,
                                                                 .pcid = PCID + i,
                                                                 .peer_pcid = PCID + 1 - i};
        side->ep = fal_endpoint_new(&config);
        if (side->ep == NULL ||
            fal_endpoint_open(side->ep, &side->open, world->now_ns, &side->conn) != 0 ||
            fal_endpoint_state(side->ep, side->conn, &side->last) != 0)
            return false;
    }
    return true;
}

void world_free(struct world *world)
{
    fal_simnet_free(world->net);
    for (unsigned i = 0; i < 2; i++)
        fal_endpoint_free(world->sides[i].ep);
}

/* ---- packets ---- */

static void keep(struct world_side *side, const struct fal_seal *seal, const uint8_t *bytes,
                 size_t len)
{
    struct world_kept *kept = &side->kept[side->num_kept++ % WORLD_KEPT];

    kept->seal = *seal;
    kept->len = len < WORLD_FRAME_MAX ? len : WORLD_FRAME_MAX;
    memcpy(kept->bytes, bytes, kept->len);
}

static void transmit(struct world *world, unsigned from, const struct fal_endpoint_out *out)
{
    struct world_side *to = &world->sides[1 - from];
    struct front front;
    struct fal_falcon packet;
    uint8_t *frame;

    hold_packet(world, from, out->bytes, out->len, &packet);
    keep(to, &out->seal, out->bytes, out->len);
    if (to->drop > 0) {
        to->drop--;
        return;
    }
    frame = malloc(sizeof front + out->len);
    if (frame == NULL)
        return;
    memset(&front, 0, sizeof front);
    front.seal = out->seal;
    memcpy(frame, &front, sizeof front);
    memcpy(frame + sizeof front, out->bytes, out->len);
    /* The input is random: an error is as good. */
    FAL_IGNORE(fal_simnet_put(
        world->net, &(struct fal_simnet_frame){.dir = from == 0 ? FAL_TO_SUT : FAL_FROM_SUT,
                                               .at_ns = world->now_ns,
                                               .bytes = frame,
                                               .len = sizeof front + out->len,
                                               .ecn = FAL_ECN_ECT0,
                                               .ttl = TTL}));
    free(frame);
}

/* The upper layer of a side, which behaves as the acts say. */
static void answer(struct world *world, unsigned at, const struct fal_endpoint_out *out)
{
    static const uint8_t bytes[WORLD_PAYLOAD_MAX];
    struct world_side *side = &world->sides[at];
    struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND,
                                 .conn = side->conn,
                                 .rsn = out->rsn,
                                 .answer =
                                     out->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA,
                                 .rnr_ns = RNR_NS};

    if (side->answer_times > 0) {
        side->answer_times--;
        in.answer = (enum fal_answer)(side->answer % (FAL_ANSWER_WITHHOLD + 1));
        in.code = side->answer;
    }
    if (in.answer == FAL_ANSWER_WITHHOLD) {
        world->held = true;
        return;
    }
    if (in.answer == FAL_ANSWER_DATA) {
        in.payload = bytes;
        in.length = in.payload_len =
            out->length < WORLD_PAYLOAD_MAX ? out->length : WORLD_PAYLOAD_MAX;
    }
    if (out->op == FAL_OP_PULL && in.answer == FAL_ANSWER_ACK)
        world->held = true; /* data never follows */
    /* The input is random: an error is as good. */
    FAL_IGNORE(fal_endpoint_input(side->ep, &in, world->now_ns, NULL));
}

static void drain(struct world *world, unsigned at)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(world->sides[at].ep, &out)) {
        if (++world->steps > 4 * WORLD_STEPS_MAX)
            fuzz_broken("endpoint: one input has outputs without end");
        switch (out.kind) {
        case FAL_OUT_PACKET: transmit(world, at, &out); break;
        case FAL_OUT_REQUEST: answer(world, at, &out); break;
        case FAL_OUT_COMPLETE: hold_completion(world, at, &out); break;
        case FAL_OUT_CM: world->sides[at].dead |= strcmp(out.what, "fatal") == 0; break;
        case FAL_OUT_RUE:
        case FAL_OUT_CREDITS:
        case FAL_OUT_NOTE: break;
        }
    }
}

int world_input(struct world *world, unsigned at, struct fal_endpoint_in in)
{
    struct world_side *side = &world->sides[at];
    int status;

    if (in.kind != FAL_IN_RUE && in.kind != FAL_IN_TICK && in.conn == 0)
        in.conn = side->conn;
    world->steps++;
    status = fal_endpoint_input(side->ep, &in, world->now_ns, NULL);
    drain(world, at);
    hold_state(world, at);
    return status;
}

/* ---- time ---- */

static void arrive(struct world *world, const struct fal_simnet_frame *frame)
{
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                 .bytes = frame->bytes + sizeof(struct front),
                                 .len = frame->len - sizeof(struct front),
                                 .ecn = frame->ecn,
                                 .ttl = frame->ttl};
    struct front front;

    memcpy(&front, frame->bytes, sizeof front);
    in.seal = front.seal;
    in.seal.present = in.seal.has_vc = world->sealed;
    (void)world_input(world, frame->dir == FAL_TO_SUT ? 1 : 0, in);
}

static uint64_t deadline(const struct world *world)
{
    uint64_t first = fal_simnet_deadline(world->net);

    for (unsigned i = 0; i < 2; i++)
        if (fal_endpoint_deadline(world->sides[i].ep) < first)
            first = fal_endpoint_deadline(world->sides[i].ep);
    return first;
}

void world_pass(struct world *world, uint64_t ns)
{
    uint64_t until_ns = world->now_ns + ns, at_ns;
    unsigned same = 0;

    while ((at_ns = deadline(world)) <= until_ns && at_ns != FAL_NEVER && !world_over(world)) {
        struct fal_simnet_frame frame;

        same = at_ns > world->now_ns ? 0 : same + 1;
        if (same > 1000)
            fuzz_broken("endpoint: time stands still");
        if (at_ns > world->now_ns)
            world->now_ns = at_ns;
        while (!world_over(world) && fal_simnet_take(world->net, world->now_ns, &frame))
            arrive(world, &frame);
        for (unsigned i = 0; i < 2; i++)
            if (fal_endpoint_deadline(world->sides[i].ep) <= world->now_ns)
                (void)world_input(world, i, (struct fal_endpoint_in){.kind = FAL_IN_TICK});
    }
    if (!world_over(world))
        world->now_ns = until_ns;
}
