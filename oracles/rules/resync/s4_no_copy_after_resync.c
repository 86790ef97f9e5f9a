/* SPDX-License-Identifier: Apache-2.0
 * s4_no_copy_after_resync.c - rule S4: after its Resync a packet is not sent any more, because
 * it left the retransmit queue. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_s4 = {
    .id = "S4",
    .title = "a packet is not sent again after its Resync",
    .requirements =
        FAL_IDS("FTP-9.2.4-10", "FTP-9.2.4-11", "FTP-9.2.4-13", "FTP-9.2.4-15", "FTP-11-07"),
    .role = "transmitter",
    .needs = "wire",
    .assumes = "",
    .shown = true,
    .doc = "Violated by a copy of the packet that was provably sent after its Resync. A copy "
           "that the network duplicated or delayed is allowed.",
};

enum { RESYNCED_MAX = 128 };

struct resynced {
    int64_t x;
    enum fal_window window;
    uint8_t code; /* of the Resync */
    struct fal_point point;
};

struct state {
    struct fal_bag resynced;
};

static const char *requirement(unsigned resync_code)
{
    switch (resync_code) {
    case FAL_RESYNC_REMOTE_XLR: return "FTP-9.2.4-10";
    case FAL_RESYNC_CIE: return "FTP-9.2.4-11";
    case FAL_RESYNC_NRE: return "FTP-9.2.4-13";
    case FAL_RESYNC_CID: return "FTP-9.2.4-15";
    default: return "FTP-11-07";
    }
}

static struct resynced *find(struct state *state, const struct fal_seen *q)
{
    for (unsigned i = 0; i < state->resynced.num; i++) {
        struct resynced *it = FAL_BAG(&state->resynced, struct resynced, i);

        if (it->x == q->x && it->window == q->window)
            return it;
    }
    return NULL;
}

static void original(struct fal_ctx *c, const struct fal_seen *q, const struct resynced *it)
{
    const struct fal_point *point = fal_point_of(q);
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;
    char number[FAL_NUMBER_MAX];

    if (!fal_path_out(c).no_duplicates && !point->has_iv) {
        fal_excused(c, FAL_EXCUSE_OUT_DUP);
        return;
    }
    switch (fal_surely_before(c, &it->point, point, &why)) {
    case FAL_BEFORE:
        fal_broken(
            c,
            &(struct fal_blame){
                requirement(it->code), {&it->point.at}, .effect = &q->at, .packet = q->packet},
            "no copy of %s PSN %s after its Resync", fal_window_word(q->window),
            fal_psn_text(fal_out_stream(c, q->window), q->x, number));
        break;
    case FAL_ORDER_UNKNOWN: fal_excused(c, why); break;
    case FAL_NOT_BEFORE: break;
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct resynced *it;

    if (!q->reliable || (q->falcon->packet_type != FAL_RESYNC && state->resynced.num == 0))
        return;
    it = find(state, q);
    if (q->falcon->packet_type != FAL_RESYNC) {
        if (it != NULL)
            original(c, q, it);
        return;
    }
    if (it != NULL || q->x < fal_out_stream(c, q->window)->base)
        return;
    it = fal_bag_add(&state->resynced, sizeof *it, RESYNCED_MAX);
    if (it != NULL)
        *it = (struct resynced){q->x, q->window, q->falcon->resync_code, *fal_point_of(q)};
}

/* Acknowledged, and no copy came. */
static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->resynced.num) {
        const struct resynced *it = FAL_BAG(&state->resynced, struct resynced, i);

        if (!fal_claim_acks(&p->claim[it->window], it->x)) {
            i++;
            continue;
        }
        fal_holds(c);
        fal_bag_remove(&state->resynced, sizeof *it, i);
    }
}

const struct fal_rule_impl fal_rule_s4 = {
    .about = &fal_about_s4,
    .power = 1,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_WAITING,
    .out = out,
    .on_out = FAL_ON_RESYNC | FAL_ON_WAITING,
    .release = fal_bag_release,
};
