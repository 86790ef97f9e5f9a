/* SPDX-License-Identifier: Apache-2.0
 * n5_head_is_not_refused.c - rule N5: a NACK for lack of resources has a cause. Of an ordered
 * connection the target always accepts the head of the line, unless that of another connection
 * holds the room (8.2.1.2, rule 3). A target that holds no request at all has room for one
 * (8.2.2). So the rule decides where the SUT has no other connection, and all transactions
 * before this one have ended. */
#include "oracles/rule_ratios.h"
#include "oracles/rules/facts/copies.h"
#include "oracles/rules/judge/order.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_n5 = {
    .id = "N5",
    .title = "a request is not refused for lack of resources when all before it have ended",
    .requirements = FAL_IDS("FTP-7.8-17", "FTP-8.2.1.2-05", "FTP-8.2.2-10"),
    .role = "target",
    .needs = "wire, no other connection of the SUT",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "Violated by a NACK with code 1 of the first copy of a request on an ordered connection, "
        "if before this copy was sent, every push with a lower RSN was acknowledged and every "
        "pull with a lower RSN was answered. On an unordered connection the data of these pulls "
        "must have been acknowledged, too; no request with a "
        "higher RSN may have been sent either, nor may a later one have overtaken it on the "
        "path or within the pipeline allowance, and the buffers must have no limit. There is no "
        "instance where other connections may hold the resources, where the packet may have "
        "come twice, or where the copy was sent within turnaround and pipeline allowance of "
        "the acknowledgement or answer that was seen last.",
};

enum { HEADS_MAX = 16 };

/* A request that was sent when all before it had ended. */
struct head {
    int64_t x, rsn;
    enum fal_window window;
    struct fal_at at;
};

struct state {
    struct fal_bag heads;
    int64_t ended; /* every transaction below has ended; 0: not known yet */
    struct fal_at last;
};

/* Whether the target surely holds nothing of a transaction in its pools for requests: it held
 * the packet until its upper layer had acknowledged or answered it (8.2.1.2). A Resync is
 * acknowledged whether the upper layer has answered or not. Pull data hold resources until they
 * are acknowledged; only the head of the line of an ordered connection is accepted nevertheless
 * (rule 3). */
static bool has_ended(const struct fal_ctx *c, const struct fal_request *r)
{
    if (r == NULL || (r->flags & FAL_REQ_SENT) == 0 || (r->flags & FAL_REQ_RESYNC) != 0)
        return false;
    if (r->type == FAL_PULL_REQUEST)
        return (r->flags & FAL_REQ_ANSWERED) != 0 &&
               (fal_track_ordered(c->track) ||
                fal_stream_acked(fal_out_stream(c, FAL_WINDOW_DATA), r->answer_psn));
    return (r->flags & FAL_REQ_CLAIMED) != 0;
}

/* Moves `ended` up to the RSN of `p` at most. Each transaction is looked at once. The time at
 * which data were acknowledged is not kept; it was before `p`. */
static void move(const struct fal_ctx *c, struct state *state, const struct fal_seen *p)
{
    int64_t rsn = p->rsn;

    if (state->ended == 0)
        state->ended = c->track->rsn_first[fal_in(c)];
    while (state->ended < rsn) {
        const struct fal_request *r =
            fal_track_request(c->track, fal_in(c), (uint32_t)state->ended);
        const struct fal_at *end;

        if (!has_ended(c, r))
            return;
        end = r->type == FAL_PULL_REQUEST ? &r->answer : &r->claimed;
        if (r->type == FAL_PULL_REQUEST && !fal_track_ordered(c->track))
            end = &p->at;
        if (end->t_ns > state->last.t_ns)
            state->last = *end;
        state->ended++;
    }
}

/* Whether the room of a request is free by the rules of an unordered connection: the target
 * holds no other, and the case sets no limit that one long request would exceed. */
static bool room_unordered(const struct fal_ctx *c, const struct fal_seen *p)
{
    return p->rsn >= c->track->rsn_next[fal_in(c)] && fal_given(c, FAL_PARAM_AT_ordered) &&
           fal_given(c, FAL_PARAM_AT_net_buf_rx) && c->track->setup.params.net_buf_rx == 0;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    uint64_t slack_ns = c->track->setup.params.turnaround_ns + 2 * fal_pipeline_ns(c);
    struct head *head;

    if (!c->bench->run.alone || c->bench->open != 1 || c->subject != FAL_SUBJECT_SUT ||
        !p->reliable || p->doubtful || p->falcon->packet_type == FAL_RESYNC ||
        p->type == FAL_PULL_DATA || p->prior != NULL || !c->track->setup.initial_known)
        return;
    move(c, state, p);
    if (state->ended != p->rsn ||
        (state->last.index != 0 && p->at.t_ns < state->last.t_ns + slack_ns) ||
        !(fal_track_ordered(c->track) || room_unordered(c, p)))
        return;
    if (state->heads.num == HEADS_MAX)
        fal_bag_remove(&state->heads, sizeof *head, 0);
    head = fal_bag_add(&state->heads, sizeof *head, HEADS_MAX);
    if (head != NULL)
        *head = (struct head){.x = p->x, .rsn = p->rsn, .window = p->window, .at = p->at};
}

/* Whether an unordered target may have processed a younger request first, which then held the
 * room: the path or engines of the target side by side may have let it overtake. */
static bool overtaken(const struct fal_ctx *c, const struct head *head)
{
    struct fal_path in = fal_path_in(c);
    uint64_t inside_ns = fal_pipeline_ns(c), reach_ns = in.jitter_ns + 2 * inside_ns;
    bool known = in.jitter_known && inside_ns < FAL_UNLIMITED;

    if (fal_track_ordered(c->track) || (in.in_order && inside_ns == 0))
        return false;
    for (int64_t rsn = head->rsn + 1; rsn < c->track->rsn_next[fal_in(c)]; rsn++) {
        const struct fal_request *r = fal_track_request(c->track, fal_in(c), (uint32_t)rsn);

        if (!known || r == NULL || r->first.t_ns <= head->at.t_ns + reach_ns)
            return true;
    }
    return false;
}

static void refused(struct fal_ctx *c, const struct fal_seen *q, const struct head *head)
{
    const struct fal_stream *stream = fal_in_stream(c, head->window);
    const struct fal_sent *sent = fal_stream_sent(stream, head->x);
    const struct state *state = c->state;
    bool ordered = c->track->setup.params.ordered;
    char number[FAL_NUMBER_MAX];

    if (sent == NULL || sent->copies != 1 || (sent->flags & FAL_SENT_RESYNC) != 0 ||
        (sent->flags & FAL_SENT_BEYOND) != 0 || !fal_path_in(c).no_duplicates ||
        c->track->foreign[fal_in(c)] || fal_track_may_miss(c->track, fal_in(c), 0) ||
        overtaken(c, head))
        return;
    fal_broken(c,
               &(struct fal_blame){ordered ? "FTP-8.2.1.2-05" : "FTP-7.8-17",
                                   {state->last.index != 0 ? &state->last : NULL, &head->at},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "%s PSN %s accepted: all transactions before it have ended, and %s",
               fal_window_word(head->window), fal_psn_text(stream, head->x, number),
               ordered ? "it is the head of the line" : "the SUT holds no other request");
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    const struct fal_falcon *f = q->falcon;
    unsigned i = 0;

    while (i < state->heads.num) {
        struct head head = *FAL_BAG(&state->heads, struct head, i);
        bool named = f->packet_type == FAL_NACK && (f->window & 1) == (unsigned)head.window &&
                     f->nack_psn == (uint32_t)head.x;

        if (named && f->nack_code == FAL_NACK_RESOURCE)
            refused(c, q, &head);
        else if (named || fal_claim_acks(&q->claim[head.window], head.x))
            fal_holds(c);
        else {
            i++;
            continue;
        }
        fal_bag_remove(&state->heads, sizeof head, i);
    }
}

const struct fal_rule_impl fal_rule_n5 = {
    .about = &fal_about_n5,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_FIRST,
    .out = out,
    .on_out = FAL_ON_WAITING,
    .release = fal_bag_release,
};
