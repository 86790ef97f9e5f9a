/* SPDX-License-Identifier: Apache-2.0
 * r7_push_acked_after_ulp_took_it.c - rule R7: a push is acknowledged only after its upper
 * layer accepted it. The tester holds the answer, so an acknowledgement seen before `respond`
 * was written came before the answer. The rule knows that the request was still held from a
 * policy that withholds all answers, or afterwards, when the SUT applies the answer. If the
 * upper layer answers by itself, the order is unknown. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_r7 = {
    .id = "R7",
    .title = "a push is acknowledged only after its upper layer accepted it",
    .requirements = FAL_IDS("FTP-6.1.1.1-02", "FTP-6.6.2-01", "FTP-9.2.2.4-08"),
    .role = "target",
    .needs = "ulp",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "Violated when a base beyond a push, or its data_ack bit, is seen before the tester "
        "wrote the answer that the SUT then applied, or at any time while a policy withholds "
        "every answer. A Resync is acknowledged without its upper layer. Where the upper "
        "layer answers by itself, the order cannot be known.",
};

enum { WAITING_MAX = 64 };

struct state {
    uint32_t
        waiting[WAITING_MAX]; /* RSNs claimed acknowledged without an answer that we know of */
    unsigned num;
};

/* An instance without an answer. When answers are not observed, it does not count as an
 * instance. */
static void open_ended(struct fal_ctx *c)
{
    if (c->bench->control)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
}

static void wait_for(struct fal_ctx *c, struct state *state, uint32_t rsn)
{
    if (state->num == WAITING_MAX)
        open_ended(c);
    else
        state->waiting[state->num++] = rsn;
}

/* Whether that RSN waited; it does so no longer. */
static bool waited(struct state *state, uint32_t rsn)
{
    for (unsigned i = 0; i < state->num; i++) {
        if (state->waiting[i] == rsn) {
            state->waiting[i] = state->waiting[--state->num];
            return true;
        }
    }
    return false;
}

/* One packet under examination. */
struct look {
    struct fal_ctx *c;
    const struct fal_seen *q;
    struct state *state;
    unsigned held;
    bool broken, base;
    int64_t x; /* the first that was not answered */
};

/* Whether no policy can have answered a push whose first copy was sent then. */
static bool withheld(const struct fal_ctx *c, const struct fal_request *request)
{
    return c->track->withheld && request->first.index > c->track->withheld_since;
}

/* Whether a Resync of it may have gone unseen. */
static bool may_be_replaced(const struct fal_ctx *c, const struct fal_request *request)
{
    return c->track->gap_index[fal_in(c)] > request->first.index;
}

static void visit(void *ctx, const struct fal_new *fresh)
{
    struct look *look = ctx;
    const struct fal_sent *sent = fresh->sent;
    const struct fal_request *request;

    if (!fresh->ack || sent == NULL || sent->type != FAL_PUSH_DATA ||
        (sent->flags & FAL_SENT_ORIGINAL) == 0 || (sent->flags & FAL_SENT_RESYNC) != 0)
        return; /* a Resync acknowledges by itself (9.2.5) */
    request = fal_track_request(look->c->track, fal_in(look->c), (uint32_t)sent->rsn);
    if (request == NULL || (request->flags & FAL_REQ_CLAIMED) != 0)
        return;
    if ((request->flags & FAL_REQ_ACK_WRITTEN) != 0) {
        look->held++;
    } else if (may_be_replaced(look->c, request)) {
        fal_undecided(look->c, FAL_EXCUSE_CAPTURE_GAP);
    } else if (withheld(look->c, request)) {
        if (!look->broken)
            look->x = fresh->x;
        look->broken = true;
    } else if ((request->flags & FAL_REQ_SELF_ANSWERED) != 0) {
        fal_undecided(look->c, FAL_EXCUSE_CONFIG);
    } else {
        wait_for(look->c, look->state, (uint32_t)sent->rsn);
    }
}

static const char *requirement(bool base)
{
    return base ? "FTP-6.1.1.1-02" : "FTP-9.2.2.4-08";
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct look look = {.c = c, .q = q, .state = c->state};
    struct fal_break b;
    char number[FAL_NUMBER_MAX], line[FAL_LINE_MAX];

    fal_track_news(c->track, q, FAL_WINDOW_DATA, visit, &look);
    if (!look.broken) {
        for (unsigned i = 0; i < look.held; i++)
            fal_holds(c);
        return;
    }
    b = fal_break_begin(c, requirement(look.x < q->claim[FAL_WINDOW_DATA].base));
    fal_break_cause(&b, &fal_stream_sent(fal_in_stream(c, FAL_WINDOW_DATA), look.x)->first);
    (void)fal_psn_text(fal_in_stream(c, FAL_WINDOW_DATA), look.x, number);
    fal_break_expected(
        &b,
        "push PSN %s not acknowledged before its upper layer answers; the tester withholds "
        "the answer",
        number);
    fal_break_seen(&b, "%s", fal_line(c, q->packet, line));
    fal_break_end(c, &b, &q->at);
}

/* The SUT applied the answer, so the request was unanswered until it was written. */
static void applied(struct fal_ctx *c, uint32_t rsn, enum fal_answer answer,
                    const struct fal_at *written)
{
    struct state *state = c->state;
    const struct fal_request *request = fal_track_request(c->track, FAL_TO_SUT, rsn);
    const struct fal_sent *sent;
    struct fal_break b;
    char psn[FAL_NUMBER_MAX], number[FAL_NUMBER_MAX];

    if (request == NULL || request->claimed.index > written->index || !waited(state, rsn))
        return;
    if ((request->flags & FAL_REQ_RESYNC) != 0 || may_be_replaced(c, request)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    sent = fal_stream_sent(fal_in_stream(c, FAL_WINDOW_DATA), request->psn);
    b = fal_break_begin(c, requirement(true));
    if (sent != NULL)
        fal_break_cause(&b, &sent->first);
    fal_break_cause(&b, &request->claimed);
    fal_break_expected(
        &b,
        "push PSN %s (RSN %s) not acknowledged before its upper layer's answer, '%s' at %llu ns",
        fal_psn_text(fal_in_stream(c, FAL_WINDOW_DATA), request->psn, psn),
        fal_rsn_text(c, FAL_TO_SUT, rsn, number), fal_answer_name(answer),
        (unsigned long long)written->t_ns);
    fal_break_seen(&b, "acknowledged at %llu ns, before the answer was written",
                   (unsigned long long)request->claimed.t_ns);
    fal_break_end(c, &b, written);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    if (event->u.ulp.kind == FAL_ULP_ACK && waited(c->state, event->u.ulp.rsn))
        fal_undecided(c, FAL_EXCUSE_CONFIG);
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    for (; state->num > 0; state->num--)
        open_ended(c);
}

const struct fal_rule_impl fal_rule_r7 = {
    .about = &fal_about_r7,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_NEWS,
    .applied = applied,
    .on_ulp = FAL_ON_ULP_ACK,
    .ulp = ulp,
    .finish = finish,
};
