/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/world/world_trials.h"

#include "oracles/payload.h"

#include <string.h>

enum {
    TRIALS_PART = 0x5452 /* of the seed */,
    TESTER_SPI = 0x10,
    SUT_SPI = 0x20,
    PAYLOAD = 64,
    PUSHES_MAX = 100
};
#define NEW_SPI UINT32_C(0x80000120) /* of the next generation: another first bit */

static bool chance(struct world_trials *t, uint32_t percent)
{
    return fal_rng_below(&t->rng, 100) < percent;
}

static uint64_t between(struct world_trials *t, uint64_t least, uint64_t most)
{
    return least + fal_rng_below(&t->rng, most - least + 1);
}

static bool has(const struct world_trials *t, enum world_trial kind)
{
    return (t->kinds & (unsigned)kind) != 0;
}

void world_trials_init(struct world_trials *t, unsigned kinds, bool rough, uint64_t seed)
{
    *t = (struct world_trials){.kinds = kinds, .rng = fal_rng_split(seed, TRIALS_PART)};
    t->silent_from_ns = t->silent_until_ns = t->next_forgery_ns = t->rotation_ns = FAL_NEVER;
    if (has(t, WORLD_ROTATION))
        t->rotation_ns = between(t, 0, 3 * FAL_MS);
    if (has(t, WORLD_SILENCE)) {
        t->silent_from_ns = between(t, 0, 2 * FAL_MS);
        t->silent_until_ns = t->silent_from_ns + between(t, FAL_US, 10 * FAL_MS);
    }
    if (has(t, WORLD_FORGERY) || has(t, WORLD_REFUSALS) || has(t, WORLD_LEAPS) ||
        has(t, WORLD_REPLAYS))
        t->next_forgery_ns = between(t, 10 * FAL_US, FAL_MS);
    t->margin_ns =
        between(t, 20, 100) * FAL_US + (rough && !has(t, WORLD_NARROW) ? 300 * FAL_US : 0);
    t->match_pcid = chance(t, 50);
}

/* ---- set-up ---- */

static void seal(struct world_trials *t, struct fal_endpoint_conn *tester,
                 struct fal_endpoint_conn *sut)
{
    uint64_t pcids[2] = {between(t, 1, 1000), between(t, 1001, 2000)};

    tester->security = (struct fal_endpoint_security){.on = true,
                                                      .spi = TESTER_SPI,
                                                      .peer_spi = SUT_SPI,
                                                      .has_vc = true,
                                                      .pcid = pcids[0],
                                                      .peer_pcid = pcids[1]};
    sut->security = (struct fal_endpoint_security){.on = true,
                                                   .spi = SUT_SPI,
                                                   .peer_spi = TESTER_SPI,
                                                   .has_vc = true,
                                                   .pcid = pcids[1],
                                                   .peer_pcid = pcids[0]};
}

void world_trials_connection(struct world_trials *t, struct fal_params *params,
                             struct fal_endpoint_conn *tester, struct fal_endpoint_conn *sut)
{
    if (has(t, WORLD_MORTALITY)) {
        params->max_attempts = (uint32_t)between(t, 2, 7);
        params->transaction_timeout_ns = between(t, 5, 30) * FAL_MS;
        tester->params.max_attempts = sut->params.max_attempts = params->max_attempts;
        tester->params.transaction_timeout_ns = sut->params.transaction_timeout_ns =
            params->transaction_timeout_ns;
    }
    if (has(t, WORLD_SCARCITY) && chance(t, 50))
        sut->params.net_pkt_rx = (uint32_t)between(t, 2, 20);
    if (has(t, WORLD_SEALS)) {
        params->replay_margin_ns = tester->params.replay_margin_ns =
            sut->params.replay_margin_ns = t->margin_ns;
        seal(t, tester, sut);
    }
}

void world_trials_sut(struct world_trials *t, struct fal_endpoint_config *sut)
{
    if (!has(t, WORLD_SCARCITY))
        return;
    sut->host_limits.units[FAL_RES_NET_PKT_RX] = (uint32_t)between(t, 4, 40);
    sut->host_limits.red_pkt = (uint32_t)between(t, 1, 3);
}

/* ---- silence ---- */

bool world_trials_silent(struct world_trials *t, uint64_t now_ns)
{
    while (now_ns >= t->silent_until_ns) {
        t->silent_from_ns = t->silent_until_ns + between(t, FAL_US, 10 * FAL_MS);
        t->silent_until_ns =
            t->silent_from_ns + between(t, FAL_US, chance(t, 20) ? 40 * FAL_MS : 6 * FAL_MS);
    }
    return now_ns >= t->silent_from_ns;
}

bool world_trials_error(struct world_trials *t)
{
    return has(t, WORLD_ERRORS) && chance(t, 10);
}

/* ---- key rotation ---- */

unsigned world_trials_rotate(struct world_trials *t, uint64_t now_ns)
{
    if (now_ns < t->rotation_ns)
        return WORLD_ROTATED;
    /* packets under the old key are on their way, the longer the rougher that is */
    t->rotation_ns =
        t->rotation + 1 < WORLD_ROTATED ? now_ns + between(t, 2, 6) * FAL_MS : FAL_NEVER;
    return t->rotation++;
}

uint32_t world_trials_new_spi(void)
{
    return NEW_SPI;
}

/* ---- forgeries ---- */

bool world_trials_due(struct world_trials *t, uint64_t now_ns)
{
    if (now_ns < t->next_forgery_ns)
        return false;
    t->next_forgery_ns = now_ns + between(t, 10 * FAL_US, FAL_MS);
    if ((has(t, WORLD_LEAPS) || has(t, WORLD_REPLAYS)) && ++t->pushes == PUSHES_MAX)
        t->next_forgery_ns = FAL_NEVER; /* they would keep their connection busy for ever */
    return true;
}

enum fal_packet_type world_trials_type(struct world_trials *t)
{
    static const enum fal_packet_type types[] = {FAL_PUSH_DATA, FAL_PULL_REQUEST, FAL_BACK,
                                                 FAL_NACK};

    return has(t, WORLD_REFUSALS) && (!has(t, WORLD_FORGERY) || chance(t, 50))
               ? FAL_NACK
               : types[fal_rng_below(&t->rng, 3)];
}

/* Sequence numbers and bases that no good packet has carried. */
static void marks(struct world_trials *t, struct fal_falcon *f)
{
    f->psn += (uint32_t)between(t, 1, 8);
    f->rsn += (uint32_t)between(t, 1, 8);
    if (chance(t, 50)) {
        f->recv_data_base_psn += (uint32_t)between(t, 1, 8);
        f->recv_req_base_psn += (uint32_t)between(t, 1, 8);
    }
    f->ack_req = chance(t, 50);
}

/* Why a receiver must drop it. False when it cannot be made so. */
static bool spoil(struct world_trials *t, uint64_t accepted_iv, uint64_t margin_ps,
                  struct world_forgery *out)
{
    struct world_envelope *e = &out->envelope;
    static const enum fal_bad plain[] = {FAL_BAD_CHECKSUM, FAL_BAD_LENGTH};

    e->bad = plain[fal_rng_below(&t->rng, 2)];
    e->integrity = FAL_DAMAGED;
    if (!e->seal.present || chance(t, 15))
        return true;
    e->integrity = FAL_INTACT;
    switch (fal_rng_below(&t->rng, 6)) {
    case 0:
        e->bad = FAL_BAD_SEAL;
        e->integrity = FAL_NOT_OPENED;
        if (chance(t, 50)) /* of the far future, if a receiver accepted it */
            e->iv = e->seal.iv = e->seal.iv + 1000 * margin_ps;
        return true;
    case 1:
        e->bad = FAL_BAD_SEAL; /* never authenticated */
        e->seal = (struct fal_seal){0};
        return true;
    case 2:
        if (!t->match_pcid)
            return false;
        e->bad = FAL_BAD_PCID;
        e->seal.vc += between(t, 1, 9);
        return true;
    case 3:
        e->bad = FAL_BAD_SPI;
        if (t->rotation >= WORLD_ROTATED && chance(t, 60))
            e->seal.spi = SUT_SPI; /* of the generation before */
        else
            e->seal.spi = chance(t, 20) ? 0 : e->seal.spi + (uint32_t)between(t, 1, 9);
        return true;
    default:
        e->bad = FAL_BAD_REPLAY;
        e->iv = accepted_iv - margin_ps - (chance(t, 30) ? 0 : between(t, 0, margin_ps));
        e->seal.iv = e->iv;
        return accepted_iv > 2 * margin_ps;
    }
}

static bool encode(const struct fal_falcon *f, struct world_forgery *out)
{
    uint8_t payload[PAYLOAD];
    size_t len = f->packet_type == FAL_PUSH_DATA ? PAYLOAD : 0;
    int n;

    fal_payload_fill(f->psn, f->rsn, payload, len);
    n = fal_falcon_encode(f, payload, len, out->bytes, sizeof out->bytes, NULL);
    out->len = n > 0 ? (size_t)n : 0;
    return n > 0;
}

/* A NACK for a packet that the SUT waits for the acknowledgement of. */
static bool refuse(struct world_trials *t, struct fal_falcon *f,
                   const struct fal_endpoint_state *sut, struct world_forgery *out)
{
    static const uint8_t codes[] = {1, 4, 6, 7, 8};
    uint32_t open = sut->tx_dnpsn - sut->tx_dbpsn;

    if (open == 0)
        return false;
    f->window = FAL_WINDOW_DATA;
    f->nack_psn = sut->tx_dbpsn + (uint32_t)fal_rng_below(&t->rng, open);
    f->nack_code = codes[fal_rng_below(&t->rng, sizeof codes)];
    if (chance(t, 60)) { /* stale: what it says is older than what was said */
        f->recv_data_base_psn -= (uint32_t)between(t, 1, 4);
        f->recv_req_base_psn -= (uint32_t)between(t, 1, 4);
    }
    return encode(f, out);
}

bool world_trials_forge(struct world_trials *t, const struct fal_falcon *draft,
                        const struct world_envelope *like, const struct fal_endpoint_state *sut,
                        const struct world_iv *iv, struct world_forgery *out)
{
    struct fal_falcon f = *draft;

    *out = (struct world_forgery){.envelope = *like};
    if (f.packet_type == FAL_NACK)
        return refuse(t, &f, sut, out);
    marks(t, &f);
    if (f.packet_type == FAL_PULL_REQUEST || f.packet_type == FAL_PUSH_DATA)
        f.request_length = PAYLOAD;
    return spoil(t, iv->accepted, iv->margin_ps, out) && encode(&f, out);
}
