/* SPDX-License-Identifier: Apache-2.0
 * r9_nothing_beyond_window_accepted.c - rule R9: nothing beyond the window is accepted. Either
 * the number needs a base beyond a packet that was never sent, or every copy of it had arrived
 * while it was beyond the window, as a base claimed later shows. Bitmaps cannot show such a
 * number; events, NACKs, the data of a pull and later bases can. */
#include "oracles/rules/claims/accepted.h"
#include "oracles/rules/claims/edge.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_r9 = {
    .id = "R9",
    .title = "no packet beyond the window is accepted",
    .requirements = FAL_IDS("FTP-9-05", "FTP-9-06", "FTP-9.2.2.4-02", "FTP-9.2.2.4-03"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc = "An event, a NACK, the data of a pull or an acknowledgement shows that a number was "
           "accepted. Violated if some number at least a window below it was never sent, so "
           "that the base cannot have passed it; or if every copy had provably arrived before "
           "the SUT sent a base that still had the number beyond the window.",
};

struct state {
    struct fal_bag beyond; /* struct fal_beyond */
    uint64_t epoch[FAL_WINDOWS];
    int64_t frontier[FAL_WINDOWS]; /* the first number never sent */
    bool placed[FAL_WINDOWS];
};

/* After a window was learned anew its old numbers mean nothing. */
static void follow(const struct fal_ctx *c, struct state *state, enum fal_window w)
{
    const struct fal_stream *stream = fal_in_stream(c, w);

    if (state->epoch[w] == stream->epoch)
        return;
    state->epoch[w] = stream->epoch;
    state->placed[w] = false;
    fal_bag_free(&state->beyond);
}

/* Moves the frontier on over what was sent meanwhile; it is never below the base. */
static void advance(const struct fal_ctx *c, struct state *state, enum fal_window w)
{
    const struct fal_stream *stream = fal_in_stream(c, w);

    follow(c, state, w);
    if (!stream->based)
        return;
    if (!state->placed[w] || state->frontier[w] < stream->base)
        state->frontier[w] = stream->base;
    state->placed[w] = true;
    while (fal_stream_sent(stream, state->frontier[w]) != NULL)
        state->frontier[w]++;
}

static const char *requirement(enum fal_window w)
{
    return w == FAL_WINDOW_REQ ? "FTP-9.2.2.4-02" : "FTP-9.2.2.4-03";
}

/* ---- (a) the base cannot have come so far ---- */

static void accepted(struct fal_ctx *c, const struct fal_accepted *word,
                     const struct fal_ev_packet *packet)
{
    struct state *state = c->state;
    const struct fal_stream *stream = fal_in_stream(c, word->window);
    const struct fal_sent *sent = fal_stream_sent(stream, word->x);
    const struct fal_beyond *item;
    char unsent[FAL_NUMBER_MAX], x[FAL_NUMBER_MAX];
    struct fal_blame blame = {.requirement = requirement(word->window),
                              .cause = {sent != NULL ? &sent->first : NULL},
                              .effect = &word->point.at,
                              .packet = packet,
                              .seen = "accepted, as its upper layer reports"};

    advance(c, state, word->window);
    if (!state->placed[word->window])
        return;
    if (state->frontier[word->window] <= word->x - (int64_t)fal_window_size(word->window)) {
        if (fal_track_was_sent(c->track, fal_in(c), word->window,
                               state->frontier[word->window]) == FAL_NOT_SENT)
            fal_broken(
                c, &blame,
                "%s PSN %s not accepted: the base is no higher than %s, which was never sent",
                fal_window_word(word->window), fal_psn_text(stream, word->x, x),
                fal_psn_text(stream, state->frontier[word->window], unsent));
        else
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    item = fal_edge_find(&state->beyond, word->window, word->x);
    if (item == NULL || !item->refused) {
        fal_holds(c);
        return;
    }
    blame.cause[0] = &item->copy;
    blame.cause[1] = &item->claim;
    fal_broken(c, &blame,
               "%s PSN %s not accepted: each copy arrived while it was beyond the window",
               fal_window_word(word->window), fal_psn_text(stream, word->x, x));
}

/* ---- (b) every copy came too early ---- */

static bool claims(const struct fal_seen *q, const struct fal_beyond *item)
{
    const struct fal_claim *claim = &q->claim[item->window];
    uint64_t n = (uint64_t)(item->x - claim->base);

    return item->x < claim->base || (n < 128 && fal_u128_test(claim->received, (unsigned)n));
}

static void hold_claims(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    for (unsigned i = 0; i < state->beyond.num;) {
        struct fal_beyond *item = FAL_BAG(&state->beyond, struct fal_beyond, i);
        enum fal_window w = (enum fal_window)item->window;
        char x[FAL_NUMBER_MAX];

        if (!claims(q, item)) {
            if (!item->refused && fal_edge_refused(c, item, q)) {
                item->refused = true;
                item->claim = q->at;
            }
            i++;
            continue;
        }
        if (item->refused)
            fal_broken(
                c,
                &(struct fal_blame){.requirement = requirement(w),
                                    .cause = {&item->copy, &item->claim},
                                    .effect = &q->at,
                                    .packet = q->packet},
                "%s PSN %s not accepted: each copy arrived while it was beyond the window",
                fal_window_word(w), fal_psn_text(fal_in_stream(c, w), item->x, x));
        else
            fal_holds(c);
        fal_bag_remove(&state->beyond, sizeof *item, i);
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct fal_accepted word;

    follow(c, c->state, FAL_WINDOW_DATA);
    follow(c, c->state, FAL_WINDOW_REQ);
    if (fal_accepted_by_packet(c, q, &word))
        accepted(c, &word, q->packet);
    hold_claims(c, c->state, q);
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;

    if (p->reliable)
        advance(c, state, p->window);
    fal_edge_sent(c, &state->beyond, p);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct fal_accepted word;

    if (fal_accepted_by_event(c, event, &word))
        accepted(c, &word, NULL);
}

/* A copy may have gone unseen. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (fal_marks_gap(event, fal_in(c)))
        fal_bag_free(&state->beyond);
}

const struct fal_rule_impl fal_rule_r9 = {
    .about = &fal_about_r9,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_NACK | FAL_ON_PULL_DATA | FAL_ON_WAITING,
    .in = in,
    .on_in = FAL_ON_RELIABLE,
    .ulp = ulp,
    .mark = mark,
    .release = fal_bag_release,
};
