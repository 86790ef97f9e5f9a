/* SPDX-License-Identifier: Apache-2.0
 * rn4_redelivered_after_rnr_delay.c - rule RN4: a target delivers a transaction to its upper
 * layer again after an RNR, not before the delay has passed; a push also when another copy
 * arrives. An event is read after it happened, so an event that is read too early happened too
 * early. The RNR of an upper layer that answers by itself counts if its time is known; if not,
 * only the delivery that never comes is judged, since the RNR was given before its event was
 * read. */
#include "codecs/base/time_text.h"
#include "oracles/rules/facts/answers.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"

#include <stdio.h>

const struct fal_rule fal_about_rn4 = {
    .id = "RN4",
    .title = "a transaction is delivered again after its RNR delay, not before",
    .requirements = FAL_IDS("FTP-6.6.4-01", "FTP-8.5.3.4-02", "FTP-8.5.3.4-06",
                            "FTP-8.5.3.4-07", "FTP-11-39", "FTP-11-42"),
    .role = "target",
    .needs = "ulp",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "For a pull, violated by a request event that is read sooner than the delay after "
        "the RNR was written, or than the earliest time at which the upper layer answered RNR "
        "by itself; for a push, only if no copy arrived that may have caused it "
        "(AMB-16). Also violated when a pull was not delivered again by a barrier long after "
        "its delay, or a push by a barrier long after the first copy that surely arrived after "
        "the delay. Of an upper layer that answers by itself at an unknown time, the delay is "
        "that of the RNR NACK, and only a push that does not come again is judged.",
};

enum {
    LOOK_BACK = 512,
    /* transactions that may hold one up */ WAITING_MAX = 64,
    SLACK_RTOS = 4
};

struct waiting {
    uint32_t rsn;
    bool held;  /* by the tester; else the upper layer answered by itself */
    bool timed; /* False: it is only known that the RNR came before its event was read. */
    uint64_t rnr_ns;
    uint64_t since_ns;     /* The RNR was given between this time */
    struct fal_at written; /* and that of the command, or of the event. */
    bool copied;           /* A copy of a push came after the delay, */
    struct fal_at copy;    /* first this one. */
};

struct state {
    struct fal_bag waiting; /* RNRs whose redelivery has not been read */
    bool trusted;           /* a delay that the tester asked for was kept */
};

static struct waiting *find(struct state *state, uint32_t rsn, unsigned *at)
{
    for (*at = 0; *at < state->waiting.num; ++*at)
        if (FAL_BAG(&state->waiting, struct waiting, *at)->rsn == rsn)
            return FAL_BAG(&state->waiting, struct waiting, *at);
    return NULL;
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    struct state *state = c->state;
    unsigned i;
    struct waiting *it = find(state, told->rsn, &i);

    if (it != NULL)
        fal_bag_remove(&state->waiting, sizeof *it, i);
    if (told->answer != FAL_ANSWER_RNR || c->track->dead ||
        (told->rnr_ns == 0 && (told->held || told->timed)))
        return;
    it = fal_bag_add(&state->waiting, sizeof *it, WAITING_MAX);
    if (it != NULL)
        *it = (struct waiting){.rsn = told->rsn,
                               .held = told->held,
                               .timed = told->held || told->timed,
                               .rnr_ns = told->rnr_ns,
                               .since_ns = told->held ? told->written.t_ns : told->since_ns,
                               .written = told->written};
}

/* It came after the delay. */
static void kept(struct fal_ctx *c, const struct waiting *it)
{
    struct state *state = c->state;

    if (it->held)
        fal_holds(c);
    else
        fal_self_held(c, state->trusted);
    state->trusted = state->trusted || it->held;
}

/* Which RNR the delivery follows is open: some answers have a time that is not known. */
static bool is_open(const struct fal_request *r, const struct waiting *it)
{
    return r->deliveries != r->rnrs || (it->held && (r->flags & FAL_REQ_SELF_ANSWERED) != 0);
}

/* It came sooner than `least_ns` after the RNR. */
static void early(struct fal_ctx *c, const struct fal_event *event, const struct fal_request *r,
                  const struct waiting *it, uint64_t least_ns)
{
    struct fal_at at = fal_at_event(event);
    bool push = r->type == FAL_PUSH_DATA;
    const struct fal_stream *stream = fal_in_stream(c, (enum fal_window)r->window);
    const struct fal_sent *sent = fal_stream_sent(stream, r->psn);
    char number[FAL_NUMBER_MAX], seen[64];

    if (push && (sent == NULL || sent->copies > 1)) {
        kept(c, it); /* upon the copy */
        return;
    }
    if (push &&
        (r->psn < stream->doubt || c->track->gap_index[fal_in(c)] > sent->first.index)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* a copy may have gone unseen */
        return;
    }
    if (push && !fal_path_in(c).no_duplicates) {
        fal_excused(c, FAL_EXCUSE_IN_DUP);
        return;
    }
    (void)snprintf(seen, sizeof seen, "a request event after %s",
                   fal_time_text(event->t_ns - it->since_ns).text);
    fal_broken(c,
               &(struct fal_blame){push ? "FTP-11-39" : "FTP-8.5.3.4-07",
                                   {&r->first, &it->written},
                                   .effect = &at,
                                   .seen = seen},
               "RSN %s not delivered again before %s after its RNR, which asks for %s",
               fal_rsn_text(c, fal_in(c), it->rsn, number), fal_time_text(least_ns).text,
               fal_time_text(it->rnr_ns).text);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    uint64_t error = c->bench->run.clock_error_ns;
    const struct fal_request *r;
    struct fal_timer_bounds b;
    struct waiting it, *found;
    unsigned i;

    if (event->u.ulp.kind != FAL_ULP_REQUEST)
        return;
    found = find(state, event->u.ulp.rsn, &i);
    r = fal_track_request(c->track, fal_in(c), event->u.ulp.rsn);
    if (found == NULL || r == NULL || (r->flags & FAL_REQ_SENT) == 0)
        return;
    it = *found;
    fal_bag_remove(&state->waiting, sizeof it, i);
    if (!it.timed)
        return; /* it came again; whether too early is not known */
    if (c->bench->events_lost || is_open(r, &it))
        fal_undecided(c, FAL_EXCUSE_CONFIG); /* which RNR it answers is open */
    else if (!fal_rnr_judged(c, fal_rnr_least_ns(it.rnr_ns), &b))
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (event->t_ns + error >= it.since_ns + b.least_ns)
        kept(c, &it);
    else
        early(c, event, r, &it, b.least_ns);
}

/* One with a lower number was answered RNR and has not been taken since: on an ordered
 * connection it holds those behind it (8.5.3.4). */
static bool held_up(const struct fal_ctx *c, int64_t rsn)
{
    int64_t first = fal_track_first_rsn(c->track, fal_in(c), rsn, LOOK_BACK);

    for (int64_t n = rsn - 1; c->track->setup.params.ordered && n >= first; n--) {
        const struct fal_request *r = fal_ring_at(&c->track->requests[fal_in(c)], n);

        if (r != NULL && r->rnrs > 0 && r->answers <= r->rnrs)
            return true;
    }
    return false;
}

/* Another one, with a lower number, waits for its own delay, or holds it up. */
static bool behind(const struct fal_ctx *c, const struct state *state, const struct waiting *it)
{
    int64_t rsn = fal_track_rsn(c->track, fal_in(c), it->rsn);

    if (held_up(c, rsn))
        return true;

    for (unsigned i = 0; i < state->waiting.num; i++)
        if (fal_track_rsn(c->track, fal_in(c),
                          FAL_BAG(&state->waiting, struct waiting, i)->rsn) < rsn)
            return true;
    return false;
}

/* Until when a target that gives it up may not have delivered it again: on an ordered
 * connection its turn may come later. */
static uint64_t given_up_ns(const struct fal_ctx *c, uint64_t due_ns)
{
    return c->track->setup.params.ordered ? c->now_ns : due_ns;
}

/* The delay of an RNR; of one whose event does not tell it, that of its NACK. 0: unknown. */
static uint64_t delay_of(const struct fal_ctx *c, const struct waiting *it)
{
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), it->rsn);
    const struct fal_nack *nack;

    if (it->rnr_ns != 0 || r == NULL || r->type != FAL_PUSH_DATA)
        return it->rnr_ns;
    nack = fal_nacks_find(&c->track->nacks[fal_in(c)], FAL_WINDOW_DATA, r->psn, FAL_NACK_RNR);
    return nack == NULL ? 0 : nack->rnr_ns;
}

/* The end of the delay that an RNR asks for at the longest, with the time that the subject may
 * take beyond it. False: no bound is known. */
static bool delay_over(const struct fal_ctx *c, const struct waiting *it, uint64_t *after_ns,
                       uint64_t *slack_ns)
{
    uint64_t delay_ns = delay_of(c, it);
    struct fal_timer_bounds rnr;

    if (delay_ns == 0 || !fal_slack_ns(c, FAL_TIMER_RTO, 1, slack_ns) ||
        !fal_rnr_judged(c, fal_rnr_timeout_ns(fal_rnr_timeout_code(delay_ns)), &rnr))
        return false;
    *after_ns = it->written.t_ns + rnr.late_ns;
    return true;
}

/* Notes the first copy of a push that comes after its delay. Later ones change nothing: its
 * sender goes on repeating it while no answer comes. */
static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    uint64_t after_ns, slack_ns;

    if (!p->reliable || p->window != FAL_WINDOW_DATA || p->doubtful ||
        p->falcon->packet_type != FAL_PUSH_DATA || !fal_path_in(c).lossless)
        return;
    for (unsigned i = 0; i < state->waiting.num; i++) {
        struct waiting *it = FAL_BAG(&state->waiting, struct waiting, i);
        const struct fal_request *r = fal_track_request(c->track, fal_in(c), it->rsn);

        if (it->copied || r == NULL || r->type != FAL_PUSH_DATA || r->psn != p->x ||
            !delay_over(c, it, &after_ns, &slack_ns) || p->at.t_ns <= after_ns + slack_ns)
            continue;
        it->copied = true;
        it->copy = p->at;
    }
}

/* Whether a copy of a push that must be delivered again surely arrived after its delay; at the
 * latest that is when it is delivered (11, AMB-16). *due_ns: when it arrived at the latest. */
static bool copy_arrived(const struct fal_ctx *c, const struct fal_request *r,
                         const struct waiting *it, uint64_t *due_ns)
{
    const struct fal_sent *sent = fal_stream_sent(fal_in_stream(c, FAL_WINDOW_DATA), r->psn);
    uint64_t in_ns, out_ns;

    if (sent == NULL || !it->copied ||
        (sent->flags & (FAL_SENT_RESYNC | FAL_SENT_DOUBTFUL)) != 0 ||
        (r->flags & (FAL_REQ_CLAIMED | FAL_REQ_VARIED | FAL_REQ_PARTIAL)) != 0 ||
        !fal_path_in(c).lossless || !fal_round_ns(c, &in_ns, &out_ns) ||
        c->track->barrier_index <= it->copy.index ||
        fal_nacks_find(&c->track->nacks[fal_in(c)], FAL_WINDOW_DATA, r->psn,
                       FAL_NACK_RESOURCE) != NULL)
        return false; /* it may need resources anew */
    *due_ns = it->copy.t_ns + in_ns + out_ns;
    return true;
}

/* Whether it must have been delivered again by the barrier: not later than the longest delay
 * that its RNR can stand for, when no earlier request waits and nobody has given up. A pull
 * comes by the target's own timer, a push with a copy that arrives after the delay. */
static bool forgotten(const struct fal_ctx *c, const struct state *state,
                      const struct waiting *it)
{
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), it->rsn);
    struct fal_timer_bounds rto;
    uint64_t slack_ns, due_ns;

    if (!fal_rto_judged(c, &rto) || !delay_over(c, it, &due_ns, &slack_ns) || r == NULL ||
        (r->flags & FAL_REQ_SENT) == 0 || (r->flags & FAL_REQ_RESYNC) != 0 ||
        (!it->timed && r->deliveries > r->rnrs)) /* events may be read in another order */
        return false;
    if (r->type != FAL_PULL_REQUEST && (c->track->dead || !copy_arrived(c, r, it, &due_ns)))
        return false;
    due_ns += slack_ns + SLACK_RTOS * rto.late_ns;
    return c->track->barrier_ns > due_ns && c->track->barrier_index > it->written.index &&
           !fal_may_be_reclaimed(c, r, given_up_ns(c, due_ns)) && !behind(c, state, it);
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    struct fal_at at = fal_at_event(event);
    char number[FAL_NUMBER_MAX];

    if (event->u.mark.mark != FAL_MARK_BARRIER)
        return;
    for (unsigned i = 0; i < state->waiting.num; i++) {
        struct waiting it = *FAL_BAG(&state->waiting, struct waiting, i);
        const struct fal_request *r = fal_track_request(c->track, fal_in(c), it.rsn);

        if (!forgotten(c, state, &it))
            continue;
        fal_bag_remove(&state->waiting, sizeof it, i);
        if (c->bench->events_lost)
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        else
            fal_broken(c,
                       &(struct fal_blame){r->type == FAL_PULL_REQUEST ? "FTP-8.5.3.4-02"
                                                                       : "FTP-11-39",
                                           {&r->first, &it.written},
                                           .effect = &at,
                                           .seen = "no request event at the barrier"},
                       "RSN %s delivered again %s after its RNR%s",
                       fal_rsn_text(c, fal_in(c), it.rsn, number),
                       fal_time_text(delay_of(c, &it)).text,
                       r->type == FAL_PULL_REQUEST ? ""
                                                   : ", as a copy arrived after that time");
        return;
    }
}

const struct fal_rule_impl fal_rule_rn4 = {
    .about = &fal_about_rn4,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_WAITING,
    .on_ulp = FAL_ON_REQUEST,
    .ulp = ulp,
    .told = told,
    .mark = mark,
    .cm = fal_forget_when_dead,
    .release = fal_bag_release,
};
