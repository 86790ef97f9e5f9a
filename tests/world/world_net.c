/* SPDX-License-Identifier: Apache-2.0
 * world_net.c - the way of packets between the ends of a world, and where they are seen on it.
 */
#include "tests/world/world_impl.h"

#include "oracles/payload.h"

#include <string.h>

enum { INITIAL_TTL = 64 };
#define IV_PS UINT64_C(1000) /* picoseconds a nanosecond */

static uint32_t conn_of_cid(const struct world *w, uint32_t cid)
{
    uint32_t conn = (cid & 0xff) + 1; /* see random_end in world.c */

    return conn <= w->conns ? conn : 0;
}

static struct fal_impairment random_impairment(struct world *w)
{
    struct fal_impairment i = {.latency_ns = FAL_US + fal_rng_below(&w->rng, 20 * FAL_US)};

    if (w->config->clean)
        return i;
    i.jitter_ns = fal_rng_below(&w->rng, 30 * FAL_US);
    i.loss_ppm = (uint32_t)fal_rng_below(&w->rng, chance(w, 50) ? 300000 : 20000);
    i.duplicate_ppm = (uint32_t)fal_rng_below(&w->rng, 100000);
    i.reorder_ppm = (uint32_t)fal_rng_below(&w->rng, 200000);
    i.reorder_ns = fal_rng_below(&w->rng, 200 * FAL_US);
    i.hops = (uint8_t)fal_rng_below(&w->rng, 20);
    i.ce_ppm = (uint32_t)fal_rng_below(&w->rng, 100000);
    if (chance(w, 40)) {
        i.rate_bps = UINT64_C(1000000000) << fal_rng_below(&w->rng, 8);
        i.queue_bytes = 4096 + (uint32_t)fal_rng_below(&w->rng, 1 << 18);
        i.ecn_bytes = 1 + (uint32_t)fal_rng_below(&w->rng, i.queue_bytes);
        if (i.queue_bytes < FRAME_MAX + ENVELOPE_LEN) /* the longest packet has room, too */
            i.queue_bytes = FRAME_MAX + ENVELOPE_LEN;
    }
    return i;
}

/* What is declared of a path: the delays of both directions, as one pair of bounds. */
static void declare_delays(struct world *w, struct fal_impairment impair[HALVES][2])
{
    struct fal_ev_run *run = &w->run.u.run;
    uint64_t least = FAL_NEVER, longest = 0;

    run->delay_max_ns = FAL_NEVER;
    if (w->config->undeclared || (!w->config->clean && w->config->seed / 4 % 2 == 0))
        return;
    for (int d = 0; d < 2; d++) {
        uint64_t min = 0, max = 0;

        for (int h = NEAR; h < HALVES && w->net[h] != NULL; h++) {
            uint64_t most = fal_impairment_delay_max_ns(&impair[h][d]);

            min += fal_impairment_delay_min_ns(&impair[h][d]);
            max = most < FAL_NEVER - max ? max + most : FAL_NEVER;
        }
        least = min < least ? min : least;
        longest = max > longest ? max : longest;
    }
    run->delay_min_ns = least;
    run->delay_max_ns = longest;
}

int world_net_new(struct world *w)
{
    struct fal_impairment impair[HALVES][2];
    int halves = w->config->vantage == FAL_VANTAGE_MIDDLE ? HALVES : 1;

    for (int h = NEAR; h < halves; h++) {
        impair[h][FAL_TO_SUT] = random_impairment(w);
        impair[h][FAL_FROM_SUT] =
            w->config->clean ? impair[h][FAL_TO_SUT] : random_impairment(w);
        w->net[h] = fal_simnet_new(impair[h], w->config->seed + (uint64_t)h);
        if (w->net[h] == NULL)
            return FAL_ERR_MEM;
    }
    declare_delays(w, impair);
    return 0;
}

uint64_t world_net_ns(const struct world *w)
{
    uint64_t t = fal_simnet_deadline(w->net[NEAR]), far = FAL_NEVER;

    if (w->net[FAR] != NULL)
        far = fal_simnet_deadline(w->net[FAR]);
    return far < t ? far : t;
}

/* Whether packets of a direction are seen where they leave. */
static bool seen_leaving(const struct world *w, enum fal_dir dir)
{
    return w->config->vantage == (dir == FAL_TO_SUT ? FAL_VANTAGE_TESTER : FAL_VANTAGE_SUT);
}

/* A packet passes the vantage, or leaves. */
static void see(struct world *w, enum fal_dir dir, struct world_packet packet)
{
    struct fal_falcon f;

    if (packet.conn == 0) {
        FAL_IGNORE(fal_falcon_decode(packet.bytes, packet.len, &f));
        packet.conn = conn_of_cid(w, f.dest_cid);
    }
    world_record_packet(w, dir, &packet);
}

/* Puts a packet on its way. */
static void put(struct world *w, int side, struct world_packet packet)
{
    uint8_t whole[FRAME_MAX + ENVELOPE_LEN];
    struct fal_simnet_frame frame = {.dir = side == TESTER ? FAL_TO_SUT : FAL_FROM_SUT,
                                     .at_ns = w->now_ns,
                                     .bytes = whole,
                                     .len = packet.len + ENVELOPE_LEN,
                                     .ecn = FAL_ECN_ECT0,
                                     .ttl = INITIAL_TTL};

    if (packet.len > FRAME_MAX)
        return;
    memcpy(whole, packet.bytes, packet.len);
    memcpy(whole + packet.len, packet.envelope, ENVELOPE_LEN);
    if (side != TESTER)
        packet.conn = 0;
    if (seen_leaving(w, frame.dir))
        see(w, frame.dir, packet);
    FAL_IGNORE(fal_simnet_put(w->net[side == SUT && w->net[FAR] != NULL ? FAR : NEAR], &frame));
}

static struct world_envelope envelope_of(const struct world *w, const struct fal_seal *seal)
{
    return (struct world_envelope){.seal = *seal,
                                   .iv = seal->present ? seal->iv : w->now_ns * IV_PS};
}

void world_transmit(struct world *w, int side, uint32_t conn, const struct fal_seal *seal,
                    const uint8_t *bytes, size_t len)
{
    struct world_envelope envelope = envelope_of(w, seal);

    if (side == TESTER && world_trials_silent(&w->trials, w->now_ns))
        return;
    if (side == TESTER && conn > 0)
        w->seal[conn - 1] = *seal;
    put(w, side, (struct world_packet){conn, FAL_ORIGIN_ENDPOINT, bytes, len, &envelope});
}

void world_keep(struct world *w, uint32_t conn, const struct fal_seal *seal,
                const uint8_t *bytes, size_t len)
{
    struct fal_falcon f;

    if (w->again.conn != 0 || len > FRAME_MAX || !chance(w, 2) ||
        fal_falcon_decode(bytes, len, &f) <= 0 || !fal_falcon_reliable(f.packet_type))
        return;
    w->again.conn = conn;
    w->again.seal = *seal;
    w->again.len = len;
    memcpy(w->again.bytes, bytes, len);
}

/* Only who is there from the start, at the tester, can know what a step did. */
static bool steps_are_known(const struct world *w)
{
    return w->config->vantage == FAL_VANTAGE_TESTER && w->config->skip_packets == 0;
}

/* The last packet may have left long ago, under a key that is over: where packets are sealed,
 * the seal of one like it that is sent now, the nth of this time. False: there was none. */
static bool seal_now(const struct world *w, struct fal_seal *seal, uint64_t nth)
{
    if (!seal->present)
        return (w->trials.kinds & WORLD_SEALS) == 0;
    seal->iv = w->now_ns * IV_PS + nth;
    if (w->trials.rotation > WORLD_KEYS_TOLD)
        seal->spi = world_trials_new_spi();
    return true;
}

void world_step_again(struct world *w)
{
    if (w->again.conn == 0 || !chance(w, 3))
        return;
    if (seal_now(w, &w->again.seal, 1) && steps_are_known(w)) { /* as a retransmission */
        struct world_envelope envelope = envelope_of(w, &w->again.seal);

        put(w, TESTER,
            (struct world_packet){w->again.conn, FAL_ORIGIN_STEP, w->again.bytes, w->again.len,
                                  &envelope});
    }
    w->again.conn = 0;
}

static void order(struct world *w, int side, uint32_t c, enum fal_cm_order what)
{
    world_input(w, side,
                &(struct fal_endpoint_in){
                    .kind = FAL_IN_CM,
                    .conn = w->numbers[c][side],
                    .order = what,
                    .seal = {.spi = world_trials_new_spi(), .iv = w->accepted_iv[c]}},
                NULL);
    world_drain(w, side);
}

void world_step_rotation(struct world *w)
{
    unsigned step = world_trials_rotate(&w->trials, w->now_ns);

    if (step == WORLD_NEW_KEYS)
        order(w, SUT, 0, FAL_CM_NEW_GENERATION);
    if (step == WORLD_GENERATION_OVER)
        order(w, SUT, 0, FAL_CM_END_GENERATION);
    for (uint32_t c = 0; c < w->conns; c++) {
        if (step == WORLD_NEW_KEYS)
            order(w, SUT, c, FAL_CM_NEW_SPI);
        else if (step == WORLD_KEYS_TOLD)
            order(w, TESTER, c, FAL_CM_PEER_SPI);
        else if (step == WORLD_OLD_KEYS_DROPPED && w->trials.match_pcid) /* or not at all */
            order(w, SUT, c, FAL_CM_DROP_PREVIOUS);
    }
}

/* A push that a step sends in the name of the tester's endpoint, which knows of it. */
static void send_push(struct world *w, uint32_t conn, struct fal_falcon *f,
                      const struct world_envelope *envelope)
{
    uint8_t bytes[FRAME_MAX], payload[64];
    int len;

    f->request_length = sizeof payload;
    fal_payload_fill(f->psn, f->rsn, payload, sizeof payload);
    len = fal_falcon_encode(f, payload, sizeof payload, bytes, sizeof bytes, NULL);
    if (len > 0 && fal_endpoint_adopt(w->ep[TESTER], w->numbers[conn - 1][TESTER], f, payload,
                                      sizeof payload, w->now_ns) == 0)
        put(w, TESTER,
            (struct world_packet){conn, FAL_ORIGIN_STEP, bytes, (size_t)len, envelope});
}

/* A push whose RSN leaves one out, or the one that was left out. */
static void leap(struct world *w, uint32_t conn)
{
    struct world_envelope envelope;
    struct fal_seal seal;
    struct fal_falcon f;
    bool second = w->trials.left_out.conn != 0;

    if (second)
        conn = w->trials.left_out.conn;
    seal = w->seal[conn - 1];
    if (!seal_now(w, &seal, 2))
        return;
    envelope = envelope_of(w, &seal);
    if (fal_endpoint_draft(w->ep[TESTER], w->numbers[conn - 1][TESTER], FAL_PUSH_DATA,
                           w->now_ns, &f) != 0)
        return;
    if (!second)
        w->trials.left_out.rsn = f.rsn++;
    else
        f.rsn = w->trials.left_out.rsn;
    w->trials.left_out.conn = second ? 0 : conn;
    send_push(w, conn, &f, &envelope);
}

/* A push so old that it is a replay. No mark says so; on a path without loss its disappearance
 * would need an explanation. */
static void replay(struct world *w, uint32_t conn)
{
    uint64_t margin_ps = w->setup[conn - 1].params.replay_margin_ns * IV_PS;
    uint64_t newest = w->accepted_iv[conn - 1];
    struct world_envelope envelope = envelope_of(w, &w->seal[conn - 1]);
    struct fal_falcon f;

    if (w->config->clean || newest < 2 * margin_ps ||
        fal_endpoint_draft(w->ep[TESTER], w->numbers[conn - 1][TESTER], FAL_PUSH_DATA,
                           w->now_ns, &f) != 0)
        return;
    envelope.iv = envelope.seal.iv =
        newest - margin_ps - fal_rng_below(&w->trials.rng, margin_ps);
    send_push(w, conn, &f, &envelope);
}

void world_step_forgery(struct world *w)
{
    struct fal_falcon draft;
    struct fal_endpoint_state sut;
    struct world_forgery forgery;
    uint64_t margin_ps = w->setup[0].params.replay_margin_ns * IV_PS;
    struct world_envelope like;
    struct fal_seal seal;
    uint32_t c;

    if (!steps_are_known(w) || !world_trials_due(&w->trials, w->now_ns))
        return;
    c = (uint32_t)fal_rng_below(&w->trials.rng, w->conns);
    if ((w->trials.kinds & WORLD_LEAPS) != 0) {
        leap(w, c + 1);
        return;
    }
    if ((w->trials.kinds & WORLD_REPLAYS) != 0) {
        replay(w, c + 1);
        return;
    }
    seal = w->seal[c];
    if (!seal_now(w, &seal, 2))
        return;
    like = envelope_of(w, &seal);
    if (fal_endpoint_draft(w->ep[TESTER], w->numbers[c][TESTER], world_trials_type(&w->trials),
                           w->now_ns, &draft) != 0 ||
        fal_endpoint_state(w->ep[SUT], w->numbers[c][SUT], &sut) != 0 ||
        !world_trials_forge(&w->trials, &draft, &like, &sut,
                            &(struct world_iv){w->accepted_iv[c], margin_ps}, &forgery))
        return;
    put(w, TESTER,
        (struct world_packet){c + 1, FAL_ORIGIN_STEP, forgery.bytes, forgery.len,
                              &forgery.envelope});
}

/* Its Remote Time is at least that. */
static void note_accepted(struct world *w, const struct fal_endpoint_in *in,
                          const struct world_envelope *envelope)
{
    struct fal_falcon f;
    uint32_t conn;

    FAL_IGNORE(fal_falcon_decode(in->bytes, in->len, &f));
    conn = conn_of_cid(w, f.dest_cid);
    if (conn > 0 && envelope->bad == FAL_BAD_NOT && !fal_falcon_is_ack(f.packet_type) &&
        envelope->iv > w->accepted_iv[conn - 1])
        w->accepted_iv[conn - 1] = envelope->iv;
}

static void deliver(struct world *w, const struct fal_simnet_frame *got)
{
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                 .bytes = got->bytes,
                                 .len = got->len - ENVELOPE_LEN,
                                 .ecn = got->ecn,
                                 .ttl = got->ttl};
    int side = got->dir == FAL_TO_SUT ? SUT : TESTER;
    struct world_envelope envelope;

    memcpy(&envelope, got->bytes + in.len, ENVELOPE_LEN);
    in.seal = envelope.seal;
    in.integrity = envelope.integrity;
    if (side == SUT && chance(w, 5))
        in.ecn = FAL_ECN_CE; /* the network marks some */
    in.t1 = w->sealed ? (uint32_t)(envelope.iv / FAL_TICK_PS) : 0;
    if (w->config->vantage != FAL_VANTAGE_MIDDLE && !seen_leaving(w, got->dir))
        see(w, got->dir,
            (struct world_packet){0, FAL_ORIGIN_ENDPOINT, in.bytes, in.len, &envelope});
    if (side == SUT)
        note_accepted(w, &in, &envelope);
    world_input(w, side, &in, NULL);
    world_drain(w, side);
}

/* From one half of the path to the other. */
static void pass(struct world *w, const struct fal_simnet_frame *got)
{
    struct fal_simnet_frame on = *got;
    uint8_t bytes[FRAME_MAX + ENVELOPE_LEN];
    struct world_envelope envelope;

    if (got->len > sizeof bytes)
        return;
    memcpy(bytes, got->bytes, got->len);
    memcpy(&envelope, bytes + got->len - ENVELOPE_LEN, ENVELOPE_LEN);
    on.bytes = bytes;
    on.at_ns = w->now_ns;
    see(w, got->dir,
        (struct world_packet){0, FAL_ORIGIN_ENDPOINT, bytes, got->len - ENVELOPE_LEN,
                              &envelope});
    FAL_IGNORE(fal_simnet_put(w->net[got->dir == FAL_TO_SUT ? FAR : NEAR], &on));
}

void world_arrivals(struct world *w)
{
    struct fal_simnet_frame got;

    for (int h = NEAR; h < HALVES && w->net[h] != NULL; h++)
        while (fal_simnet_take(w->net[h], w->now_ns, &got)) {
            bool half = w->net[FAR] != NULL && (h == NEAR) == (got.dir == FAL_TO_SUT);

            if (half)
                pass(w, &got);
            else
                deliver(w, &got);
        }
}
