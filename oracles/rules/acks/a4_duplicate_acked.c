/* SPDX-License-Identifier: Apache-2.0
 * a4_duplicate_acked.c - rule A4: the SUT acknowledges a dropped duplicate within the
 * coalescing timeout, and ignores its AR bit. An ACK may always be early (9.1.1). Only if the
 * SUT was seen to wait for the whole timeout after a packet without AR, an ACK that comes
 * sooner than any running timer explains was an answer to the AR bit (AMB-18). */
#include "oracles/rules/acks/duty.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_a4 = {
    .id = "A4",
    .title = "a dropped duplicate is acknowledged, and its AR bit is ignored",
    .requirements = FAL_IDS("FTP-9.2.2.4-01", "FTP-9.2.2.4-06", "FTP-9.2.2.4-07", "FTP-11-16"),
    .role = "receiver",
    .needs = "wire, coalescing, delays",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A packet whose number was acknowledged before it was sent is a duplicate. "
        "Violated when no ACK follows within the coalescing timeout. If the SUT otherwise waits "
        "for the whole timeout, an ACK that is sent sooner than any running timer explains "
        "was an answer to the AR bit (AMB-18: warn).",
};

enum { NEARLY = 20 }; /* a timer is a twentieth early at most */

struct state {
    struct fal_duties duties;
    uint64_t busy_until_ns;  /* until then a timer may run for an earlier packet */
    bool alone;              /* the last that came is a duplicate with AR, at a quiet time, */
    struct fal_at duplicate; /* this one */
    bool lone;               /* the last that came is new, without AR, at a quiet time: */
    uint64_t lone_ns;        /* then */
    bool waits;              /* The SUT let the whole timeout pass after such a packet. */
};

/* Something came that starts a timer, if none runs. */
static void stir(const struct fal_ctx *c, struct state *state, const struct fal_at *at,
                 bool arrives)
{
    struct fal_timer_bounds b;
    uint64_t until_ns;

    state->alone = state->lone = false;
    if (state->busy_until_ns == FAL_NEVER)
        return; /* for ever */
    if (!fal_coalescing_judged(c, &b) ||
        !fal_duty_until(c, at->t_ns, arrives, b.late_ns, &until_ns))
        until_ns = FAL_NEVER;
    if (until_ns > state->busy_until_ns)
        state->busy_until_ns = until_ns;
}

/* Nothing else waits for an ACK: no timer, no push. */
static bool quiet(const struct fal_ctx *c, const struct state *state, uint64_t t_ns)
{
    const struct fal_stream *stream = fal_in_stream(c, FAL_WINDOW_DATA);

    return t_ns > state->busy_until_ns && stream->base == stream->next;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    struct fal_timer_bounds b;
    struct fal_duty duty;
    bool was_quiet;

    if (!p->reliable)
        return;
    was_quiet = quiet(c, state, p->at.t_ns);
    stir(c, state, &p->at, true);
    if (was_quiet && p->prior == NULL && !p->falcon->ack_req && p->type != FAL_PUSH_DATA) {
        state->lone = true;
        state->lone_ns = p->at.t_ns;
    }
    if (!fal_duty_arrives(c, p) || !fal_duty_claimed(c, p->window, p->x))
        return;
    duty = (struct fal_duty){.requirement = "FTP-9.2.2.4-06",
                             .what = "a duplicate, which must be dropped",
                             .arrives = true,
                             .cause = p->at,
                             .window = (uint8_t)p->window,
                             .x = p->x};
    if (!fal_coalescing_judged(c, &b) ||
        !fal_duty_until(c, p->at.t_ns, true, b.late_ns, &duty.until_ns) ||
        !fal_duty_slack(c, &duty.slack_ns)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    fal_duty_add(c, &state->duties, &duty);
    state->alone = was_quiet && p->falcon->ack_req && fal_path_in(c).no_duplicates;
    state->duplicate = p->at;
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    stir(c, c->state, &told->known, false);
}

/* Whether no timer started by the duplicate can have run out before q was sent. */
static bool too_soon(const struct fal_ctx *c, const struct state *state,
                     const struct fal_seen *q)
{
    const struct fal_params *params = &c->track->setup.params;
    uint64_t e = 2 * c->bench->run.clock_error_ns + q->at.error_ns + state->duplicate.error_ns;

    return state->alone && q->at.t_ns >= state->duplicate.t_ns &&
           q->at.t_ns - state->duplicate.t_ns + e + params->coalescing_ns / 10000 <
               params->coalescing_ns;
}

/* Whether the first ACK after a lone packet shows that the SUT waited for its timer. */
static bool waited(const struct fal_ctx *c, const struct state *state, const struct fal_seen *q)
{
    uint64_t timeout_ns = c->track->setup.params.coalescing_ns, in_ns, out_ns;

    return state->lone && fal_round_ns(c, &in_ns, &out_ns) && timeout_ns < FAL_NEVER / 8 &&
           q->at.t_ns >= state->lone_ns + in_ns + out_ns + timeout_ns - timeout_ns / NEARLY;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct fal_duties_met met = fal_duty_met(c, q);
    bool ack = q->falcon->packet_type == FAL_BACK || q->falcon->packet_type == FAL_EACK;

    if (met.all > 0 && ack && state->waits && too_soon(c, state, q))
        (void)fal_read_as(c, FAL_AMB_18, FAL_READ_OTHER, &q->at);
    else
        fal_duty_tell(c, met);
    if (ack) {
        state->waits = state->waits || waited(c, state, q);
        state->alone = state->lone = false;
    }
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    fal_duty_mark(c, event);
    if (event->u.mark.mark != FAL_MARK_BARRIER) { /* something may have gone unseen */
        state->alone = state->lone = false;
        state->busy_until_ns = FAL_NEVER;
    }
}

const struct fal_rule_impl fal_rule_a4 = {
    .about = &fal_about_a4,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_RELIABLE,
    .out = out,
    .on_out = FAL_ON_ACK | FAL_ON_AGAIN | FAL_ON_WAITING,
    .told = told,
    .wake = fal_duty_wake,
    .mark = mark,
    .cm = fal_duty_cm,
    .release = fal_bag_release,
};
