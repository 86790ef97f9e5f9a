/* SPDX-License-Identifier: Apache-2.0
 * d3_replays_dropped.c - rule D3: a packet whose IV is older than Remote Time by the margin or
 * more is dropped, a younger one is not. Remote Time is at least the IV of what the SUT
 * accepted, and at most that of the youngest packet sent. Between them either may be right. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/report.h"

#include <string.h>

const struct fal_rule fal_about_d3 = {
    .id = "D3",
    .title = "replays are dropped, late packets within the margin are not",
    .requirements = FAL_IDS("FTP-6.5-07", "FTP-9.2.1-16", "FTP-9.2.1-18", "FTP-9.2.2.2-01",
                            "FTP-9.2.2.2-02", "FTP-9.2.2.2-04"),
    .role = "receiver",
    .needs = "IV, replay margin",
    .assumes = "",
    .doc = "Violated when a packet is acknowledged whose IV is older, by the margin or more, "
           "than the IV of a packet that the SUT accepted before it was sent, and of which "
           "no other copy was sent.",
};

enum { RECENT_MAX = 64, WATCHED_MAX = 64 };

struct copy {
    int64_t x;
    enum fal_window window;
    uint64_t iv;
    fal_u128 place, before; /* its own place, and that of the youngest packet before it */
    struct fal_at at;
};

struct state {
    struct fal_bag recent;  /* copies that, once claimed, show Remote Time */
    struct fal_bag watched; /* lone copies that must be dropped, or must not */
    uint64_t remote_min, sent_max;
    /* The same two in picoseconds since the first packet, which do not wrap. */
    fal_u128 remote_place, sent_place;
    bool remote_known, sent;
    uint32_t spi; /* of the packets at hand */
    struct fal_at remote_at;
};

static void release(void *of)
{
    struct state *state = of;

    fal_bag_free(&state->recent);
    fal_bag_free(&state->watched);
}

static uint64_t margin_ps(const struct fal_ctx *c)
{
    return c->track->setup.params.replay_margin_ns * 1000;
}

static void keep(struct fal_bag *bag, const struct copy *copy, unsigned max)
{
    struct copy *slot;

    if (bag->num == max)
        fal_bag_remove(bag, sizeof *slot, 0);
    slot = fal_bag_add(bag, sizeof *slot, max);
    if (slot != NULL)
        *slot = *copy;
}

/* IVs are compared modulo 2^64 (9.2.2.2). */
static bool newer(uint64_t iv, uint64_t than)
{
    return (int64_t)(iv - than) > 0;
}

/* Whether a copy must be dropped: it is older by the margin than Remote Time, which is at least
 * remote_min, and at most the youngest IV sent before. Where the two are so far apart that the
 * comparison modulo 2^64 would turn round between them, either answer is possible. */
static bool must_be_dropped(const struct fal_ctx *c, const struct state *state,
                            const struct copy *copy)
{
    uint64_t age = state->remote_min - copy->iv;

    return state->remote_known && !newer(copy->iv, state->remote_min - margin_ps(c)) &&
           age + (copy->before - state->remote_place) <= INT64_MAX;
}

/* The place of a packet among those that were sent; the youngest goes on from the last. */
static void set_place(struct state *state, struct copy *copy)
{
    if (!state->sent) {
        state->sent = true;
        state->sent_max = copy->iv;
        state->sent_place = (fal_u128)1 << 100; /* room for older ones */
    }
    copy->before = state->sent_place;
    copy->place = newer(copy->iv, state->sent_max)
                      ? state->sent_place + (copy->iv - state->sent_max)
                      : state->sent_place - (state->sent_max - copy->iv);
    if (copy->place <= state->sent_place)
        return;
    state->sent_max = copy->iv;
    state->sent_place = copy->place;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    uint64_t iv = p->packet->iv, margin = margin_ps(c);
    struct copy copy = {.x = p->x, .window = p->window, .iv = iv, .at = p->at};
    bool old, young;

    /* without an SPI it was not sealed, and nothing is checked */
    if (!p->packet->has_iv || p->packet->spi == 0 || !fal_given(c, FAL_PARAM_AT_replay_margin))
        return;
    if (p->packet->spi != state->spi) { /* Remote Time is set anew with the key */
        release(state);
        state->remote_known = false;
    }
    state->spi = p->packet->spi;
    young = state->sent && newer(state->sent_max, iv) && newer(iv + margin, state->sent_max);
    set_place(state, &copy);
    old = must_be_dropped(c, state, &copy);
    if (!p->reliable || p->doubtful || p->x < fal_in_stream(c, p->window)->doubt)
        return; /* an unseen copy may be the one that was taken */
    if (p->prior == NULL && (old || young))
        keep(&state->watched, &copy, WATCHED_MAX);
    if (p->prior == NULL && !old)
        keep(&state->recent, &copy, RECENT_MAX);
}

/* What the SUT accepted shows how young Remote Time is at least. */
static void learn(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->recent.num) {
        const struct copy copy = *FAL_BAG(&state->recent, struct copy, i);

        if (!fal_claim_acks(&q->claim[copy.window], copy.x)) {
            i++;
            continue;
        }
        fal_bag_remove(&state->recent, sizeof copy, i);
        if (state->remote_known && copy.place <= state->remote_place)
            continue;
        state->remote_known = true;
        state->remote_place = copy.place;
        state->remote_min = copy.iv;
        state->remote_at = q->at;
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->watched.num) {
        const struct copy copy = *FAL_BAG(&state->watched, struct copy, i);
        const struct fal_sent *sent = fal_stream_sent(fal_in_stream(c, copy.window), copy.x);
        bool old = must_be_dropped(c, state, &copy) && state->remote_at.index < copy.at.index;
        char number[FAL_NUMBER_MAX];

        if (!fal_claim_acks(&q->claim[copy.window], copy.x)) {
            i++;
            continue;
        }
        fal_bag_remove(&state->watched, sizeof copy, i);
        if (!old)
            fal_holds(c); /* a little old, and taken */
        else if (fal_track_may_miss(c->track, fal_in(c), copy.at.index))
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* a younger copy, perhaps */
        else if (sent != NULL && sent->last_index == copy.at.index && /* no younger Resync */
                 sent->copies + ((sent->flags & FAL_SENT_RESYNC) != 0) == 1)
            fal_broken(
                c,
                &(struct fal_blame){"FTP-9.2.2.2-02",
                                    {&state->remote_at, &copy.at},
                                    .effect = &q->at,
                                    .packet = q->packet},
                "%s PSN %s dropped: its IV is %s older than one accepted before, the margin "
                "is %s",
                fal_window_word(copy.window),
                fal_psn_text(fal_in_stream(c, copy.window), copy.x, number),
                fal_time_text((state->remote_min - copy.iv) / 1000).text,
                fal_time_text(c->track->setup.params.replay_margin_ns).text);
        else
            fal_holds(c); /* dropped, and its younger copy taken */
    }
    learn(c, q);
}

/* With a rotation of the keys the CM sets Remote Time anew, by an estimate of its own
 * (9.2.2.2). What was accepted before says nothing about what is too old from now on. */
static void command(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (c->subject != FAL_SUBJECT_SUT || strcmp(event->u.command.verb, "rotate_keys") != 0)
        return;
    release(state);
    state->remote_known = false;
}

const struct fal_rule_impl fal_rule_d3 = {
    .about = &fal_about_d3,
    .power = 1,
    .state_size = sizeof(struct state),
    .bags = 2,
    .in = in,
    .on_in = FAL_ON_IV,
    .out = out,
    .on_out = FAL_ON_WAITING,
    .command = command,
    .release = release,
};
