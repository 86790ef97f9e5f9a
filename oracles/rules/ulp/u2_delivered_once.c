/* SPDX-License-Identifier: Apache-2.0
 * u2_delivered_once.c - rule U2: a transaction reaches the upper layer once, and once more for
 * each RNR that it answered. Duplicates made by the network excuse nothing. The event of an
 * answer may be read late, so one delivery too many is decided when the answer to each is
 * known, or after a barrier. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_u2 = {
    .id = "U2",
    .title = "a transaction is delivered once, and once more for each RNR",
    .requirements = FAL_IDS("FTP-8.5.3.4-05", "FTP-9.2.2.4-01", "FTP-9.2.2.4-04",
                            "FTP-9.2.2.4-05", "FTP-11-17"),
    .role = "target",
    .needs = "ulp",
    .assumes = "one-psn-per-rsn",
    .shown = true,
    .doc =
        "Violated by more request events of an RSN than one plus one for each RNR answer, "
        "even if the network duplicated the packet. Decided when the answer to each delivery "
        "is known, or at a barrier; without either, an RNR may not have been read yet.",
};

enum { SUSPECTS_MAX = 32 };

/* A transaction that was delivered more often than its known answers explain. */
struct suspect {
    uint32_t rsn;
    struct fal_at at; /* the delivery */
};

struct state {
    struct suspect suspects[SUSPECTS_MAX];
    unsigned num;
};

static void broken(struct fal_ctx *c, const struct fal_request *r, const struct suspect *s)
{
    struct fal_break b =
        fal_break_begin(c, r->type == FAL_PUSH_DATA ? "FTP-9.2.2.4-05" : "FTP-9.2.2.4-04");
    char number[FAL_NUMBER_MAX];

    if ((r->flags & FAL_REQ_SENT) != 0)
        fal_break_cause(&b, &r->first);
    fal_break_expected(&b,
                       "RSN %s delivered at most %u times: once, and once for each of %u RNRs",
                       fal_rsn_text(c, FAL_TO_SUT, s->rsn, number), 1u + r->rnrs, r->rnrs);
    fal_break_seen(&b, "another request event of RSN %s", number);
    fal_break_end(c, &b, &s->at);
}

static bool explained(const struct fal_request *r, unsigned deliveries)
{
    return deliveries <= 1u + r->rnrs;
}

static void remove_suspect(struct state *state, unsigned i)
{
    state->suspects[i] = state->suspects[--state->num];
}

/* Whether the target may have given up a push that it has not acknowledged: its state is kept
 * for the transaction timeout (6.4, 11), and a further copy is then a new packet. */
static bool given_up(const struct fal_ctx *c, const struct fal_request *r,
                     const struct suspect *s)
{
    return r->type == FAL_PUSH_DATA && (r->flags & FAL_REQ_SENT) != 0 &&
           (r->flags & FAL_REQ_CLAIMED) == 0 &&
           (c->track->undeclared || /* its first copy may have gone unseen */
            (fal_given(c, FAL_PARAM_AT_transaction_timeout) &&
             fal_may_time_out(c, r->first.t_ns, s->at.t_ns)));
}

/* Decides the suspects that can be; with `all`, events are known to have been read. */
static void decide(struct fal_ctx *c, bool all)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->num) {
        const struct suspect *s = &state->suspects[i];
        const struct fal_request *r = fal_track_request(c->track, FAL_TO_SUT, s->rsn);

        if (r == NULL || c->bench->events_lost || given_up(c, r, s)) {
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        } else if (explained(r, r->deliveries)) {
            fal_holds(c);
        } else if (all || r->answers >= r->deliveries) {
            broken(c, r, s);
        } else {
            i++;
            continue;
        }
        remove_suspect(state, i);
    }
}

static bool suspected(const struct state *state, uint32_t rsn)
{
    for (unsigned i = 0; i < state->num; i++)
        if (state->suspects[i].rsn == rsn)
            return true;
    return false;
}

static void on_request(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    uint32_t rsn = event->u.ulp.rsn;
    const struct fal_request *r = fal_track_request(c->track, FAL_TO_SUT, rsn);
    unsigned deliveries = 1u + (r != NULL ? r->deliveries : 0);

    if (deliveries == 1 || explained(r, deliveries))
        fal_holds(c);
    else if (state->num == SUSPECTS_MAX)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (!suspected(state, rsn))
        state->suspects[state->num++] = (struct suspect){rsn, fal_at_event(event)};
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    decide(c, false);
    if (event->u.ulp.kind == FAL_ULP_REQUEST)
        on_request(c, event);
}

static void applied(struct fal_ctx *c, uint32_t rsn, enum fal_answer answer,
                    const struct fal_at *written)
{
    (void)rsn;
    (void)answer;
    (void)written;
    decide(c, false);
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    if (event->u.mark.mark == FAL_MARK_BARRIER)
        decide(c, true);
}

/* Without a barrier an answer may still be unread. */
static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    decide(c, false);
    for (; state->num > 0; state->num--)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
}

const struct fal_rule_impl fal_rule_u2 = {
    .about = &fal_about_u2,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .ulp = ulp,
    .applied = applied,
    .mark = mark,
    .finish = finish,
};
