/* SPDX-License-Identifier: Apache-2.0
 * n6_rnr_nack_once_for_an_answer.c - rule N6: an RNR of the upper layer causes one NACK. A copy
 * that comes while the push waits for its delay may cause another one, because NACKs are
 * unreliable. A copy that was delivered causes none before the upper layer has answered that
 * delivery, and neither does a copy that comes while the upper layer has the push. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"

const struct fal_rule fal_about_n6 = {
    .id = "N6",
    .title = "an RNR NACK has an RNR of the upper layer as its cause",
    .requirements = FAL_IDS("FTP-8.5.3.4-10"),
    .role = "target",
    .needs = "ulp; the tester holds the answers",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "Violated by an RNR NACK of a push, if there were more such NACKs than RNRs of the upper "
        "layer and copies that may have come while the push waited for its delay. A copy that "
        "surely was delivered again (it was delivered before the delay was over) does not "
        "count. On an ordered connection a push behind one that got an RNR is not judged "
        "(AMB-49).",
};

enum { REFUSED_MAX = 64 };

/* A push that got an RNR. */
struct refused {
    int64_t rsn;
    uint64_t due_ns;    /* its delay is not over before; 0: not known */
    uint32_t copies;    /* sent before its last delivery was read */
    uint32_t delivered; /* so many of them surely caused a delivery after an RNR */
    uint16_t rnrs;      /* of the upper layer, at that delivery */
};

struct state {
    struct fal_bag refused;
    bool lost; /* there was no room for one */
};

static struct refused *find(struct state *state, int64_t rsn)
{
    for (unsigned i = 0; i < state->refused.num; i++) {
        struct refused *it = FAL_BAG(&state->refused, struct refused, i);

        if (it->rsn == rsn)
            return it;
    }
    return NULL;
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    struct state *state = c->state;
    int64_t rsn = fal_track_rsn(c->track, fal_in(c), told->rsn);
    struct refused *it = find(state, rsn);
    struct fal_timer_bounds b;

    if (!told->held || told->answer != FAL_ANSWER_RNR)
        return;
    if (it == NULL) {
        it = fal_bag_add(&state->refused, sizeof *it, REFUSED_MAX);
        state->lost = state->lost || it == NULL;
        if (it == NULL)
            return;
        *it = (struct refused){.rsn = rsn};
    }
    it->due_ns = fal_rnr_judged(c, fal_rnr_least_ns(told->rnr_ns), &b)
                     ? told->written.t_ns + b.least_ns
                     : 0;
}

static const struct fal_sent *push_of(const struct fal_ctx *c, const struct fal_request *r)
{
    return r != NULL && (r->flags & FAL_REQ_PLACED) != 0 && r->type == FAL_PUSH_DATA
               ? fal_stream_sent(fal_in_stream(c, FAL_WINDOW_DATA), r->psn)
               : NULL;
}

/* Whether all that can cause an RNR NACK of that push is known. */
static bool all_known(const struct fal_ctx *c, const struct fal_request *r, int64_t rsn)
{
    const struct state *state = c->state;

    return c->track->held_ns == FAL_NEVER && r->first.index > c->track->held_since &&
           c->track->gap_index[fal_in(c)] < r->first.index && !c->track->foreign[fal_in(c)] &&
           !c->track->answers.lost && !state->lost && !c->bench->events_lost &&
           !c->track->nacks[fal_in(c)].lost &&
           !(fal_track_ordered(c->track) &&
             fal_answers_before(&c->track->answers, rsn, FAL_ANSWER_RNR) != NULL);
}

/* How many RNR NACKs the push may have had by now. The first copy is delivered. */
static uint32_t allowed(const struct fal_request *r, const struct fal_sent *sent,
                        const struct refused *it)
{
    bool with_ulp = it->copies > 0 && it->rnrs == r->rnrs;
    uint32_t spare = (with_ulp ? it->copies : sent->copies) - 1;

    return r->rnrs + (spare > it->delivered ? spare - it->delivered : 0);
}

static const struct fal_nack *last_of(const struct fal_ctx *c, int64_t x)
{
    return fal_nacks_find(&c->track->nacks[fal_in(c)], FAL_WINDOW_DATA, x, FAL_NACK_RNR);
}

/* `seen`: the effect that shows it. */
static void too_many(struct fal_ctx *c, const struct fal_sent *sent,
                     const struct fal_nack *last, const struct fal_blame *seen)
{
    struct fal_blame blame = *seen;
    char number[FAL_NUMBER_MAX];

    blame.requirement = "FTP-8.5.3.4-10";
    blame.cause[0] = last != NULL ? &last->at : NULL;
    blame.cause[1] = &sent->first;
    if (!fal_path_in(c).no_duplicates)
        fal_excused(c, FAL_EXCUSE_IN_DUP);
    else if (!fal_path_out(c).no_duplicates)
        fal_excused(c, FAL_EXCUSE_OUT_DUP);
    else
        fal_broken(c, &blame, "one RNR NACK of RSN %s for each RNR of its upper layer",
                   fal_rsn_text(c, fal_in(c), (uint32_t)sent->rsn, number));
}

/* Delivered again: its copies so far came before. */
static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct fal_at at = fal_at_event(event);
    const struct fal_request *r;
    const struct fal_sent *sent;
    const struct fal_nack *last;
    struct refused *it;
    int64_t rsn;

    if (event->u.ulp.kind != FAL_ULP_REQUEST)
        return; /* the RSN of a completion is of the other space */
    rsn = fal_track_rsn(c->track, fal_in(c), event->u.ulp.rsn);
    it = find(c->state, rsn);
    r = fal_track_request(c->track, fal_in(c), event->u.ulp.rsn);
    sent = push_of(c, r);
    if (it == NULL || sent == NULL || sent->copies == 0 || r->deliveries < r->rnrs)
        return; /* or the event of an earlier delivery is late */
    it->copies = sent->copies;
    it->rnrs = r->rnrs;
    if (event->t_ns + 2 * c->bench->run.clock_error_ns < it->due_ns) {
        it->delivered++;
        last = last_of(c, r->psn);
        if (last != NULL && all_known(c, r, rsn) && last->count > allowed(r, sent, it))
            too_many(c, sent, last, &(struct fal_blame){.effect = &at, .seen = "a delivery"});
    }
    it->due_ns = 0;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct fal_stream *stream = &c->track->stream[fal_in(c)][FAL_WINDOW_DATA];
    const struct fal_nack *last;
    const struct fal_request *r;
    const struct fal_sent *sent;
    const struct refused *it;
    int64_t x;

    if (q->falcon->packet_type != FAL_NACK || q->falcon->nack_code != FAL_NACK_RNR ||
        q->falcon->window != FAL_WINDOW_DATA || !stream->started)
        return;
    x = fal_stream_extend(stream, q->falcon->nack_psn);
    sent = fal_stream_sent(stream, x);
    r = sent != NULL ? fal_track_request(c->track, fal_in(c), (uint32_t)sent->rsn) : NULL;
    it = r != NULL ? find(c->state, sent->rsn) : NULL;
    if (it == NULL || push_of(c, r) != sent || sent->copies == 0 || !all_known(c, r, sent->rsn))
        return;
    last = last_of(c, x);
    if ((last != NULL ? last->count : 0) < allowed(r, sent, it))
        fal_holds(c);
    else
        too_many(c, sent, last, &(struct fal_blame){.effect = &q->at, .packet = q->packet});
}

const struct fal_rule_impl fal_rule_n6 = {
    .about = &fal_about_n6,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_NACK,
    .on_ulp = FAL_ON_REQUEST,
    .ulp = ulp,
    .told = told,
    .release = fal_bag_release,
};
