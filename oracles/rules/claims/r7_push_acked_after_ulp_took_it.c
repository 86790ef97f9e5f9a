/* SPDX-License-Identifier: Apache-2.0
 * r7_push_acked_after_ulp_took_it.c - rule R7: a push is acknowledged only after its upper
 * layer accepted it. The tester holds the answer, so an acknowledgement seen before `respond`
 * was written came before the answer. The rule knows that the request was still held from a
 * policy that withholds all answers, or afterwards, when the SUT applies the answer. A policy
 * that delays all answers is a bound, too: a push is not answered sooner than that after it was
 * sent. If the upper layer answers by itself, the order is known where the time of its answer
 * is, by the clock of the capture: an acknowledgement that was seen before is too early. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/order.h"
#include "oracles/rules/judge/report.h"

#include <stdio.h>

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
        "every answer, or sooner after the push than half the time for which a policy delays "
        "every answer; a warning up to that time, as the adapter's timer is not exact. A Resync "
        "is acknowledged without its upper layer. Where the upper layer answers by itself, an "
        "acknowledgement seen before the earliest time of its answer violates the rule; without "
        "that time the order cannot be known.",
};

enum { WAITING_MAX = 64 };

/* A policy's delay is a bound only if it is far longer than the path, or than what a machine
 * that runs the adapter loses now and then. */
enum { ROUNDS = 10, LEAST_LIVE_NS = 20 * 1000 * 1000 };

struct state {
    uint32_t
        waiting[WAITING_MAX]; /* RSNs claimed acknowledged without an answer that we know of */
    unsigned num;
};

/* An instance without an answer. When answers are not observed, it does not count as an
 * instance. */
static void open_ended(struct fal_ctx *c)
{
    if (fal_ulp_reports(c))
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
    bool broken, early;
    int64_t x;        /* the first that was not answered */
    uint64_t held_ns; /* for which its answer was held; FAL_NEVER: until a `respond` */
};

/* For how long no policy can have answered a push whose first copy was sent then; 0: it is not
 * known. */
static uint64_t held_ns(const struct fal_ctx *c, const struct fal_request *request)
{
    uint64_t ns = c->track->held_ns, in_ns, out_ns;

    if (ns == 0 || request->first.index <= c->track->held_since)
        return 0;
    if (ns == FAL_NEVER)
        return ns;
    if (!fal_first_seen(c, request) ||
        (c->bench->run.live ? ns < LEAST_LIVE_NS : !fal_round_ns(c, &in_ns, &out_ns)))
        return 0;
    return !fal_round_ns(c, &in_ns, &out_ns) || ns / ROUNDS >= in_ns + out_ns ? ns : 0;
}

/* Whether a Resync of it may have gone unseen. */
static bool may_be_replaced(const struct fal_ctx *c, const struct fal_request *request)
{
    return c->track->gap_index[fal_in(c)] > request->first.index;
}

/* A claim of a push whose answer a policy held for `ns`. */
static void compare(struct look *look, const struct fal_request *request, uint64_t ns,
                    int64_t x)
{
    const struct fal_at *at = &look->q->at, *first = &request->first;
    uint64_t passed_ns = at->t_ns + at->error_ns + first->error_ns - first->t_ns;

    if (ns != FAL_NEVER && passed_ns >= ns) {
        look->held++;
        return;
    }
    if (!look->broken) {
        look->x = x;
        look->held_ns = ns;
        look->early = ns != FAL_NEVER && passed_ns >= ns / 2;
    }
    look->broken = true;
}

static void visit(void *ctx, const struct fal_new *fresh)
{
    struct look *look = ctx;
    const struct fal_sent *sent = fresh->sent;
    const struct fal_request *request;
    uint64_t ns;

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
    } else if ((ns = held_ns(look->c, request)) != 0) {
        compare(look, request, ns, fresh->x);
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
    b.finding.warn = look.early;
    fal_break_cause(&b, &fal_stream_sent(fal_in_stream(c, FAL_WINDOW_DATA), look.x)->first);
    (void)fal_psn_text(fal_in_stream(c, FAL_WINDOW_DATA), look.x, number);
    if (look.held_ns == FAL_NEVER)
        fal_break_expected(&b,
                           "push PSN %s not acknowledged before its upper layer answers; the "
                           "tester withholds the answer",
                           number);
    else
        fal_break_expected(
            &b,
            "push PSN %s not acknowledged before its upper layer answers; by the "
            "policy that is %s after the request",
            number, fal_time_text(look.held_ns).text);
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
        &b, "push PSN %s (RSN %s) not acknowledged before its upper layer's answer, '%s' at %s",
        fal_psn_text(fal_in_stream(c, FAL_WINDOW_DATA), request->psn, psn),
        fal_rsn_text(c, FAL_TO_SUT, rsn, number), fal_answer_name(answer),
        fal_time_text(written->t_ns).text);
    fal_break_seen(&b, "acknowledged at %s, before the answer was written",
                   fal_time_text(request->claimed.t_ns).text);
    fal_break_end(c, &b, written);
}

static void too_early(struct fal_ctx *c, const struct fal_event *event,
                      const struct fal_request *request)
{
    const struct fal_stream *stream = fal_in_stream(c, FAL_WINDOW_DATA);
    const struct fal_sent *sent = fal_stream_sent(stream, request->psn);
    struct fal_at answer = fal_at_event(event);
    char psn[FAL_NUMBER_MAX], number[FAL_NUMBER_MAX], seen[80];

    (void)snprintf(seen, sizeof seen, "acknowledged at %s, before the answer",
                   fal_time_text(request->claimed.t_ns).text);
    fal_broken(c,
               &(struct fal_blame){requirement(true),
                                   {sent != NULL ? &sent->first : NULL, &request->claimed},
                                   .effect = &answer,
                                   .seen = seen},
               "push PSN %s (RSN %s) not acknowledged before its upper layer's answer, '%s' at "
               "%s at the earliest",
               fal_psn_text(stream, request->psn, psn),
               fal_rsn_text(c, fal_in(c), event->u.ulp.rsn, number),
               fal_answer_name(event->u.ulp.answer),
               fal_time_text(fal_event_since_ns(event)).text);
}

/* Whether an acknowledgement was seen before an answer can have happened, by the clock of the
 * capture. */
static bool seen_before(const struct fal_ctx *c, const struct fal_at *claimed,
                        const struct fal_event *answer)
{
    uint64_t error_ns = c->bench->run.clock_error_ns, since_ns = fal_event_since_ns(answer);

    if (c->bench->stepped && claimed->index < c->bench->step_index)
        return false;
    return error_ns < since_ns && claimed->t_ns + claimed->error_ns < since_ns - error_ns;
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_request *request;

    if (event->u.ulp.kind != FAL_ULP_ACK || !waited(c->state, event->u.ulp.rsn))
        return;
    request = fal_track_request(c->track, fal_in(c), event->u.ulp.rsn);
    if (request == NULL || !event->u.ulp.has_within)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if ((request->flags & FAL_REQ_RESYNC) != 0 || may_be_replaced(c, request))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (seen_before(c, &request->claimed, event))
        too_early(c, event, request);
    else
        fal_undecided(c, FAL_EXCUSE_CLOCK);
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
