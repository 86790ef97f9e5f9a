/* SPDX-License-Identifier: Apache-2.0
 * s6_resync_acked.c - rule S6: a receiver accepts a Resync in place of the packet. Once it
 * provably arrived, whether or not the packet itself ever did, every ACK covers its number.
 * Where the Resync may have been lost, only an ACK that covers it decides the rule. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_s6 = {
    .id = "S6",
    .title = "a Resync that arrived is acknowledged",
    .requirements = FAL_IDS("FTP-6.6.5-03", "FTP-9.2.5-01", "FTP-9.2.5-03", "FTP-9.2.5-05",
                            "FTP-11-18", "FTP-11-36"),
    .role = "receiver",
    .needs = "wire, lossless path",
    .assumes = "",
    .doc = "Violated by an ACK, or any packet with the number as its base, that shows a "
           "state after the Resync provably arrived and does not acknowledge it. The packet "
           "itself need not have arrived.",
};

enum { WAITING_MAX = 64 };

struct waiting {
    int64_t x;
    enum fal_window window;
    bool received; /* the packet was claimed received, but not acknowledged */
    struct fal_at at;
};

struct state {
    struct fal_bag waiting;
};

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    const struct fal_stream *stream = fal_in_stream(c, p->window);
    int64_t n = p->x - stream->base;
    struct waiting *it;

    if (p->falcon->packet_type != FAL_RESYNC || p->doubtful || !stream->based || n < 0 ||
        n >= (int64_t)fal_window_size(p->window) ||
        fal_u128_test(stream->acked, (unsigned)n)) /* else it may be beside the window */
        return;
    it = fal_bag_add(&state->waiting, sizeof *it, WAITING_MAX);
    if (it != NULL)
        *it = (struct waiting){p->x, p->window, fal_u128_test(stream->received, (unsigned)n),
                               p->at};
}

static void broken(struct fal_ctx *c, const struct fal_seen *q, const struct waiting *it)
{
    const char *requirement = it->received                         ? "FTP-9.2.5-05"
                              : it->x == q->claim[it->window].base ? "FTP-9.2.5-03"
                                                                   : "FTP-9.2.5-01";
    char number[FAL_NUMBER_MAX];

    fal_broken(
        c, &(struct fal_blame){requirement, {&it->at}, .effect = &q->at, .packet = q->packet},
        "%s PSN %s acknowledged: its Resync arrived before", fal_window_word(it->window),
        fal_psn_text(fal_in_stream(c, it->window), it->x, number));
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->waiting.num) {
        const struct waiting it = *FAL_BAG(&state->waiting, struct waiting, i);
        const struct fal_claim *claim = &q->claim[it.window];
        bool tells = it.x == claim->base || fal_falcon_is_ack(q->falcon->packet_type);

        if (fal_claim_acks(claim, it.x)) {
            fal_holds(c);
        } else if (tells && q->falcon->packet_type != FAL_NACK && fal_path_in(c).lossless &&
                   fal_surely_arrived(c, &it.at, q)) {
            broken(c, q, &it);
        } else {
            i++;
            continue;
        }
        fal_bag_remove(&state->waiting, sizeof it, i);
    }
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    fal_undecided_all(c, &state->waiting, FAL_EXCUSE_IN_LOSS);
}

const struct fal_rule_impl fal_rule_s6 = {
    .about = &fal_about_s6,
    .power = 1,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_RESYNC,
    .out = out,
    .on_out = FAL_ON_WAITING,
    .finish = finish,
    .release = fal_bag_release,
};
