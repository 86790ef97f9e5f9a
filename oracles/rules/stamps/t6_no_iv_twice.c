/* SPDX-License-Identifier: Apache-2.0
 * t6_no_iv_twice.c - rule T6: two different packets that are sealed with the same key have
 * different IVs, also if they leave in the same moment. AES-GCM must never see an IV twice with
 * one key (RFC 4106, section 3.1): whoever has both packets can forge further ones. The rule
 * needs no clock, and it does not matter which bits of an IV are the time (AMB-32). */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_t6 = {
    .id = "T6",
    .title = "no two packets of one key have the same IV",
    .requirements = FAL_IDS("FTP-6.5-01"),
    .role = "any",
    .needs = "wire, IV",
    .assumes = "",
    .shown = true,
    .doc = "Violated by two sealed packets of one SPI and sender that have the same IV and are "
           "no copies of one packet. The packets may have left in the same moment.",
};

struct state {
    bool any;
    uint32_t spi;
    uint64_t since;   /* the event with which packets of that SPI began */
    uint64_t highest; /* IV */
    uint64_t digest;  /* of the packet that has it, at `at` */
    struct fal_at at;
};

/* Most members in which two packets can differ. The network does not change them, so copies of
 * one packet have equal digests. */
static uint64_t digest(const struct fal_ev_packet *packet)
{
    const struct fal_falcon *f = &packet->falcon;
    uint64_t sum = f->packet_type + ((uint64_t)f->psn << 8) + ((uint64_t)f->rsn << 32);

    sum = sum * 31 + f->recv_data_base_psn;
    sum = sum * 31 + f->recv_req_base_psn;
    sum = sum * 31 + f->t2;
    sum = sum * 31 + f->nack_psn + f->nack_code + f->ack_req + f->own;
    sum = sum * 31 + (uint64_t)f->data_rx_bitmap + (uint64_t)(f->data_rx_bitmap >> 64);
    sum = sum * 31 + (uint64_t)f->data_ack_bitmap + (uint64_t)(f->data_ack_bitmap >> 64);
    return sum * 31 + f->req_bitmap + packet->len;
}

static void broken(struct fal_ctx *c, const struct fal_at *first, const struct fal_seen *q)
{
    fal_broken(c,
               &(struct fal_blame){.requirement = "FTP-6.5-01",
                                   .cause = {first},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "an IV that no other packet of SPI %u has; event %llu has the IV %llu, too",
               (unsigned)q->packet->spi, (unsigned long long)first->index,
               (unsigned long long)q->packet->iv);
}

/* An older packet of the same key with that IV which is surely another packet: reliable ones
 * have a number or a type of their own. NULL: none. */
static const struct fal_echo *older(const struct fal_ctx *c, const struct state *state,
                                    const struct fal_seen *q)
{
    const struct fal_echoes *echoes = &c->track->echoes[fal_out(c)];
    const struct fal_echo *echo = fal_echo_find(echoes, (uint32_t)q->packet->iv, 0, NULL, NULL);

    if (echo == NULL || echo->iv != q->packet->iv || echo->at.index < state->since)
        return NULL;
    if (echo->type == q->falcon->packet_type &&
        (!q->reliable || (echo->window == (uint8_t)q->window && echo->x == q->x)))
        return NULL;
    return echo;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    uint64_t iv = q->packet->iv;
    const struct fal_echo *echo;

    if (!q->packet->has_iv || q->packet->spi == 0)
        return;
    if (!state->any || q->packet->spi != state->spi || (int64_t)(iv - state->highest) > 0) {
        if (state->any && q->packet->spi == state->spi)
            fal_holds(c);
        else
            state->since = q->at.index;
        state->any = true;
        state->spi = q->packet->spi;
        state->highest = iv;
        state->digest = digest(q->packet);
        state->at = q->at;
    } else if (iv == state->highest) {
        if (digest(q->packet) != state->digest)
            broken(c, &state->at, q);
    } else if ((echo = older(c, state, q)) != NULL) {
        broken(c, &echo->at, q);
    }
}

const struct fal_rule_impl fal_rule_t6 = {
    .about = &fal_about_t6,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_IV,
};
