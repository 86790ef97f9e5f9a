/* SPDX-License-Identifier: Apache-2.0
 * rn5_nothing_overtakes_rnr.c - rule RN5: on an ordered connection no later transaction is
 * accepted before the one that got an RNR. The later one may be held or NACKed without the
 * upper layer (the default of AMB-49), or delivered and then get an RNR too. It violates the
 * rule if it is delivered first and accepted. A target that has given up the first transaction
 * no longer waits for it. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"

const struct fal_rule fal_about_rn5 = {
    .id = "RN5",
    .title = "on an ordered connection nothing overtakes a transaction that got an RNR",
    .requirements = FAL_IDS("FTP-8.5.3.4-04"),
    .role = "target",
    .needs = "ulp, ordered events",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "Violated when a later transaction, sent after the RNR was known, is delivered first "
        "and then accepted by the upper layer. The same holds for a later transaction that got "
        "an RNR of its own: it is not delivered again and accepted before the first one. If the "
        "later transaction gets an RNR or an error, that is the other reading of AMB-49.",
};

enum { OPEN_MAX = 32, AHEAD_MAX = 64 };

/* A transaction that was RNRed and not delivered again. */
struct open {
    int64_t rsn;
    struct fal_at known;
    uint64_t due_ns; /* it is not delivered again sooner, unless a copy of it arrives */
    bool lone; /* It was not delivered again before the RNR of any other in the list was known.
                */
};

/* One delivered ahead of it. */
struct ahead {
    int64_t rsn, of;
    struct fal_at open, at;
};

struct state {
    struct fal_bag open;
    struct fal_bag ahead;
};

static void broken(struct fal_ctx *c, const struct ahead *it, const struct fal_at *effect,
                   const char *requirement, const char *seen)
{
    char number[FAL_NUMBER_MAX], other[FAL_NUMBER_MAX];

    fal_broken(
        c,
        &(struct fal_blame){requirement, {&it->open, &it->at}, .effect = effect, .seen = seen},
        "RSN %s not accepted before RSN %s, which got an RNR",
        fal_rsn_text(c, fal_in(c), (uint32_t)it->rsn, number),
        fal_rsn_text(c, fal_in(c), (uint32_t)it->of, other));
}

/* How the upper layer answered the requests that came earlier. One that it answered with an
 * error was not accepted before the other, and whether it answers so is up to the tester. */
static void answered(struct fal_ctx *c, int64_t rsn, const struct fal_told *told)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->ahead.num) {
        struct ahead it = *FAL_BAG(&state->ahead, struct ahead, i);

        if (it.rsn != rsn) {
            i++;
            continue;
        }
        fal_bag_remove(&state->ahead, sizeof it, i);
        if (told->answer == FAL_ANSWER_ACK || told->answer == FAL_ANSWER_DATA)
            broken(c, &it, &told->known, "FTP-8.5.3.4-04", "it was delivered and accepted");
        else if (!fal_read_as(c, FAL_AMB_49, FAL_READ_OTHER, &it.at))
            broken(c, &it, &told->known, "FTP-8.5.3.4-04",
                   "it was delivered; earlier the SUT held such transactions (AMB-49)");
    }
}

/* True if it waited for a second delivery since all others in the list wait. */
static bool close_open(struct state *state, int64_t rsn)
{
    bool lone;

    for (unsigned i = 0; i < state->open.num; i++) {
        if (FAL_BAG(&state->open, struct open, i)->rsn != rsn)
            continue;
        lone = FAL_BAG(&state->open, struct open, i)->lone;
        fal_bag_remove(&state->open, sizeof(struct open), i);
        return lone;
    }
    return false;
}

/* Whether it has surely not been delivered again by now: its delay is not over, and no second
 * copy was sent that its target may deliver (AMB-16). */
static bool not_again(const struct fal_ctx *c, const struct open *it)
{
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), (uint32_t)it->rsn);
    const struct fal_sent *sent;

    if (r == NULL || (r->flags & FAL_REQ_PLACED) == 0 ||
        c->now_ns + 2 * c->bench->run.clock_error_ns >= it->due_ns)
        return false;
    sent = fal_stream_sent(fal_in_stream(c, (enum fal_window)r->window), r->psn);
    return r->type == FAL_PULL_REQUEST || (sent != NULL && sent->copies == 1);
}

/* One more waits: which of the others were there at the same time? */
static void add_open(struct fal_ctx *c, int64_t rsn, const struct fal_told *told)
{
    struct state *state = c->state;
    struct fal_timer_bounds b;
    struct open *it;

    for (unsigned i = 0; i < state->open.num; i++) {
        it = FAL_BAG(&state->open, struct open, i);
        it->lone = it->lone && not_again(c, it);
    }
    it = fal_bag_add(&state->open, sizeof *it, OPEN_MAX);
    if (it == NULL)
        return;
    *it = (struct open){.rsn = rsn, .known = told->known};
    /* an RNR that the upper layer gave by itself may have come at any time before its event */
    if (told->held && fal_rnr_judged(c, fal_rnr_least_ns(told->rnr_ns), &b))
        it->due_ns = told->written.t_ns + b.least_ns;
    it->lone = not_again(c, it);
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    struct state *state = c->state;
    int64_t rsn = fal_track_rsn(c->track, fal_in(c), told->rsn);
    const struct fal_request *r;

    if (!fal_track_ordered(c->track))
        return;
    answered(c, rsn, told);
    (void)close_open(state, rsn);
    if (told->answer != FAL_ANSWER_RNR)
        return;
    r = fal_track_request(c->track, fal_in(c), told->rsn);
    if (r != NULL && (r->flags & FAL_REQ_RESYNC) != 0)
        return; /* it was over before the answer came */
    add_open(c, rsn, told);
}

/* Delivered while an earlier one is open? Only what was sent, or waited (`again`), after the
 * RNR was known counts: the rest may have been delivered before. */
static const struct open *overtaken(const struct fal_ctx *c, int64_t rsn,
                                    const struct fal_request *r, bool again)
{
    const struct state *state = c->state;

    for (unsigned i = 0; i < state->open.num; i++) {
        const struct open *it = FAL_BAG(&state->open, struct open, i);

        if (it->rsn < rsn && (again || r->first.index > it->known.index) &&
            !fal_may_be_reclaimed(c, fal_track_request(c->track, fal_in(c), (uint32_t)it->rsn),
                                  c->now_ns))
            return it;
    }
    return NULL;
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    uint32_t number = event->u.ulp.rsn;
    unsigned before = state->open.num;
    const struct fal_request *r;
    const struct open *of;
    struct ahead *it;
    int64_t rsn;
    bool again;

    if (event->u.ulp.kind != FAL_ULP_REQUEST || !fal_track_ordered(c->track))
        return;
    rsn = fal_track_rsn(c->track, fal_in(c), number);
    r = fal_track_request(c->track, fal_in(c), number);
    again = close_open(state, rsn);
    if (state->open.num < before)
        fal_holds(c); /* the one that was RNRed comes first */
    if (r == NULL || (r->flags & FAL_REQ_SENT) == 0)
        return;
    of = overtaken(c, rsn, r, again);
    if (of == NULL)
        return;
    if (!c->bench->run.ordered_events || c->bench->events_lost) {
        fal_undecided(c, FAL_EXCUSE_CONFIG); /* the other's event may just come later */
        return;
    }
    it = fal_bag_add(&state->ahead, sizeof *it, AHEAD_MAX);
    if (it != NULL)
        *it = (struct ahead){rsn, of->rsn, of->known, fal_at_event(event)};
}

/* A Resync of what was RNRed ends its wait, whenever it arrives. */
static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    if (p->reliable && p->falcon->packet_type == FAL_RESYNC && p->type != FAL_PULL_DATA)
        (void)close_open(c->state, p->rsn);
}

static void release(void *of)
{
    struct state *state = of;

    fal_bag_free(&state->open);
    fal_bag_free(&state->ahead);
}

const struct fal_rule_impl fal_rule_rn5 = {
    .about = &fal_about_rn5,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 2,
    .in = in,
    .on_in = FAL_ON_RESYNC,
    .on_ulp = FAL_ON_REQUEST,
    .ulp = ulp,
    .told = told,
    .release = release,
};
