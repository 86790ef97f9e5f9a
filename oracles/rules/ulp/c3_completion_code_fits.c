/* SPDX-License-Identifier: Apache-2.0
 * c3_completion_code_fits.c - rule C3: the code of a completion fits its cause (chapter 11). An
 * error of the target's upper layer needs its NACK and carries its ULP code. A push that a NACK
 * ended does not complete without an error. A code of the SUT's own side needs the cause that
 * it names, as far as it can be observed: more data than was asked for, a filter, time, a dead
 * connection. Reserved codes are not allowed. The rule compares numbers, not names (AMB-50). */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"

#include <stdio.h>
#include <string.h>

const struct fal_rule fal_about_c3 = {
    .id = "C3",
    .title = "the code of a completion fits its cause",
    .requirements =
        FAL_IDS("FTP-6.4-01", "FTP-6.4-06", "FTP-7.8-30", "FTP-8.4.3.2-03", "FTP-8.4.3.5-01",
                "FTP-8.4.3.5-03", "FTP-9.2.4-12", "FTP-9.2.4-14", "FTP-9.2.4-16", "FTP-11-23",
                "FTP-11-25", "FTP-11-26", "FTP-11-28", "FTP-11-29", "FTP-11-30", "FTP-11-31",
                "FTP-11-33", "FTP-11-34", "FTP-11-43", "FTP-11-44", "FTP-11-45", "FTP-11-46",
                "FTP-11-47", "FTP-11-48", "FTP-11-49", "FTP-11-52", "FTP-11-53", "FTP-11-54"),
    .role = "initiator",
    .needs = "ulp",
    .assumes = "base-not-beyond-sent one-psn-per-rsn",
    .doc =
        "Violated by a reserved code; by code 1, 3, 4 or 0xD without a NACK 6, 7, 8 or 4 of "
        "the packet, or with another ULP code; and by code 0 for a push with such a NACK and "
        "its Resync. Code 9 needs more data than was asked for; 0xF a configured filter; 8 "
        "the timeout of a transaction or of its attempts; 0xA a fatal error that was "
        "signalled by the next barrier. A transaction with such a cause does not complete "
        "with 0. The causes of codes 0xB and 0xC cannot be observed. Another error for a "
        "transaction of which no packet was sent, on a path that loses nothing, is taken for a "
        "lack of resources: a warning (AMB-54).",
};

enum { GIVEN_MAX = 128 };

/* A transaction, and when something was reported about it. */
struct given {
    uint32_t rsn;
    struct fal_at at;
};

struct state {
    struct fal_bag posts; /* struct given: written then */
    struct fal_bag
        unexplained; /* completions of a connection that ended without a notification */
    bool dead, closed;
    struct fal_at fatal; /* the signal; when dead */
};

/* Codes that a NACK causes. */
static const struct cause {
    uint8_t completion, nack;
    const char *requirement;
} causes[] = {
    {0x1, FAL_NACK_CIE, "FTP-11-29"},
    {0x3, FAL_NACK_NRE, "FTP-11-30"},
    {0x4, FAL_NACK_CID, "FTP-11-31"},
    {0xd, FAL_NACK_XLR, "FTP-11-28"},
};

static void broken(struct fal_ctx *c, const struct fal_event *event, const char *requirement,
                   const struct fal_at *cause, const char *due)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    struct fal_at at = fal_at_event(event);
    char number[FAL_NUMBER_MAX], seen[80];

    (void)snprintf(seen, sizeof seen, "completion code 0x%lx, ULP code %lu",
                   (unsigned long)ulp->code, (unsigned long)ulp->ulp_nack_code);
    fal_broken(c, &(struct fal_blame){requirement, {cause}, .effect = &at, .seen = seen},
               "RSN %s: %s", fal_rsn_text(c, fal_out(c), ulp->rsn, number), due);
}

static const struct given *post_of(const struct fal_ctx *c, uint32_t rsn)
{
    const struct state *state = c->state;

    for (unsigned i = state->posts.num; i > 0; i--)
        if (FAL_BAG(&state->posts, struct given, i - 1)->rsn == rsn)
            return FAL_BAG(&state->posts, struct given, i - 1);
    return NULL;
}

/* The newest NACK of that code for the packet of a transaction. */
static const struct fal_nack *nack_of(const struct fal_ctx *c, const struct fal_request *r,
                                      unsigned code)
{
    return fal_nacks_find(&c->track->nacks[fal_out(c)], r->window, r->psn, code);
}

static void in_error(struct fal_ctx *c, const struct fal_event *event,
                     const struct fal_request *r, const struct cause *cause)
{
    const struct fal_nack *nack = nack_of(c, r, cause->nack);

    bool of_pull = r->type == FAL_PULL_REQUEST && cause->nack != FAL_NACK_CID &&
                   cause->nack != FAL_NACK_XLR;

    if (of_pull && nack != NULL) {
        fal_undecided(c, FAL_EXCUSE_READING); /* what it does to a pull is open (AMB-59) */
    } else if (nack == NULL) {
        if (c->track->nacks[fal_out(c)].lost ||
            r->psn < fal_out_stream(c, (enum fal_window)r->window)->doubt ||
            fal_track_may_miss(c->track, fal_in(c), r->first.index))
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        else if (of_pull)
            broken(c, event, "FTP-11-34", &r->first, "no NACK ends a pull");
        else
            broken(c, event, cause->requirement, &r->first, "no such code without its NACK");
    } else if (nack->count == 1 && cause->nack != FAL_NACK_XLR &&
               event->u.ulp.ulp_nack_code != nack->ulp_code) {
        if (fal_track_blind(c->track, fal_in(c)) ||
            c->track->gap_index[fal_in(c)] > r->first.index)
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* that of another */
        else
            broken(c, event, "FTP-7.8-30", &nack->at, "the ULP code of the NACK");
    } else {
        fal_holds(c);
    }
}

/* Code 0: no NACK may have ended it, which a Resync shows to have been processed. */
static void without_error(struct fal_ctx *c, const struct fal_event *event,
                          const struct fal_request *r)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        const struct fal_nack *nack = nack_of(c, r, causes[i].nack);

        if (nack == NULL || (r->flags & FAL_REQ_RESYNC) == 0)
            continue;
        if (r->type == FAL_PULL_REQUEST && (r->flags & FAL_REQ_ANSWERED) != 0) {
            fal_undecided(c, FAL_EXCUSE_READING); /* refused, and answered nevertheless */
            return;
        }
        broken(c, event,
               causes[i].nack == FAL_NACK_CIE ? "FTP-8.4.3.5-03" : causes[i].requirement,
               &nack->at, "the code of the NACK that ended it");
        return;
    }
    fal_holds(c);
}

/* ---- causes on its own side ---- */

/* Its filter is known by the RSNs that it takes. */
static bool filters(const struct fal_ctx *c, uint32_t rsn)
{
    uint32_t every = c->track->setup.params.xlr_initiator;

    return fal_given(c, FAL_PARAM_AT_xlr_initiator) && every != 0 && rsn % every == 0;
}

/* More data came than a pull asked for. */
static bool too_long(const struct fal_request *r)
{
    return r->type == FAL_PULL_REQUEST && (r->flags & FAL_REQ_ANSWERED) != 0 &&
           (r->flags & (FAL_REQ_ANSWER_VARIED | FAL_REQ_ANSWER_PARTIAL)) == 0 &&
           r->answer_length > r->length;
}

static void op_error(struct fal_ctx *c, const struct fal_event *event,
                     const struct fal_request *r)
{
    if (r->type == FAL_PULL_REQUEST && (r->flags & FAL_REQ_ANSWERED) != 0 &&
        ((r->flags & (FAL_REQ_ANSWER_VARIED | FAL_REQ_ANSWER_PARTIAL)) != 0 || too_long(r)))
        fal_holds(c);
    else if (fal_track_may_miss(c->track, fal_in(c), r->first.index))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else
        broken(c, event, "FTP-11-48", &r->first,
               "no code 0x9 without more data than its pull asked for");
}

static void timed_out(struct fal_ctx *c, const struct fal_event *event,
                      const struct fal_request *r)
{
    const struct fal_params *params = &c->track->setup.params;
    struct fal_timer_bounds b;
    bool known = fal_rto_judged(c, &b);
    uint64_t attempts_ns = params->max_attempts * b.least_ns;
    uint64_t least_ns = fal_least_transaction_ns(c);
    const struct given *post = post_of(c, event->u.ulp.rsn);

    least_ns = least_ns < attempts_ns ? least_ns : attempts_ns;
    if (post == NULL || !fal_given(c, FAL_PARAM_AT_transaction_timeout) || !known ||
        !fal_given(c, FAL_PARAM_AT_max_attempts))
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (c->bench->stepped && post->at.index < c->bench->step_index)
        fal_undecided(c, FAL_EXCUSE_CLOCK);
    else if (event->t_ns - post->at.t_ns + 2 * c->bench->run.clock_error_ns >= least_ns)
        fal_holds(c);
    else
        broken(c, event, "FTP-11-47", &r->first,
               "no code 0x8 before its timeout, or that of its attempts, can have expired");
}

/* A code for a dead connection: the signal may be read later, but not after a barrier. */
static void dead(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    struct given *slot;

    if (state->dead) {
        fal_holds(c);
        return;
    }
    slot = fal_bag_add(&state->unexplained, sizeof *slot, GIVEN_MAX);
    if (slot == NULL)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else
        *slot = (struct given){event->u.ulp.rsn, fal_at_event(event)};
}

static void local(struct fal_ctx *c, const struct fal_event *event, const struct fal_request *r)
{
    switch (event->u.ulp.code) {
    case 0x8: timed_out(c, event, r); break;
    case 0x9: op_error(c, event, r); break;
    case 0xa: dead(c, event); break;
    case 0xf:
        if (!fal_given(c, FAL_PARAM_AT_xlr_initiator))
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        else if (filters(c, event->u.ulp.rsn))
            fal_holds(c);
        else
            broken(c, event, "FTP-11-53", NULL, "no code 0xf: no xLR filter matches it");
        break;
    default: fal_undecided(c, FAL_EXCUSE_CONFIG); break; /* resources: not observable */
    }
}

/* The packet that ends it was sent only after the connection had ended: earlier packets may
 * still wait. */
static bool ended_after(const struct fal_request *r, const struct fal_at *fatal)
{
    if (r->type == FAL_PULL_REQUEST)
        return (r->flags & FAL_REQ_ANSWERED) != 0 && r->answer.index > fatal->index;
    return (r->flags & FAL_REQ_CLAIMED) != 0 && r->claimed.index > fatal->index;
}

/* Whether a completion without an error breaks a sentence about this side. */
static bool local_ignored(struct fal_ctx *c, const struct fal_event *event,
                          const struct fal_request *r)
{
    const struct state *state = c->state;

    if (filters(c, event->u.ulp.rsn))
        broken(c, event, "FTP-11-25", &r->first, "code 0xf: the xLR filter matches it");
    else if (too_long(r))
        broken(c, event, "FTP-11-26", &r->answer,
               "code 0x9 or 0x8: more data arrived than it asked for");
    else if (state->dead && c->bench->run.ordered_events && ended_after(r, &state->fatal))
        broken(c, event, "FTP-11-33", &state->fatal, "code 0xa: the connection is dead");
    else
        return false;
    return true;
}

static void posted(struct fal_ctx *c, const struct fal_posted *posted)
{
    struct state *state = c->state;
    struct given *slot;

    if (!posted->ok || !posted->has_rsn)
        return;
    if (state->posts.num == GIVEN_MAX)
        fal_bag_remove(&state->posts, sizeof *slot, 0);
    slot = fal_bag_add(&state->posts, sizeof *slot, GIVEN_MAX);
    if (slot != NULL)
        *slot = (struct given){posted->rsn, posted->written};
}

static void cm(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (strcmp(event->u.cm.what, "fatal") != 0)
        return;
    if (!state->dead)
        state->fatal = fal_at_event(event);
    state->dead = true;
    for (unsigned i = 0; i < state->unexplained.num; i++)
        fal_holds(c);
    fal_bag_free(&state->unexplained);
}

/* The end of a connection by command explains as much as its death. */
static void command(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const char *verb = event->u.command.verb;

    if (strcmp(verb, "close") == 0 || strcmp(verb, "reset") == 0)
        state->closed = true;
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (event->u.mark.mark != FAL_MARK_BARRIER)
        return;
    for (unsigned i = 0; i < state->unexplained.num; i++) {
        const struct given *it = FAL_BAG(&state->unexplained, struct given, i);
        char number[FAL_NUMBER_MAX];

        if (c->bench->events_lost || state->closed)
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        else
            fal_broken(
                c,
                &(struct fal_blame){"FTP-11-49", .effect = &it->at,
                                    .seen = "completion code 0xa"},
                "RSN %s: no code of a dead connection, as no fatal error was signalled to the connection manager",
                fal_rsn_text(c, fal_out(c), it->rsn, number));
    }
    fal_bag_free(&state->unexplained);
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    fal_undecided_all(c, &state->unexplained, FAL_EXCUSE_CONFIG);
}

static void release(void *of)
{
    struct state *state = of;

    fal_bag_free(&state->posts);
    fal_bag_free(&state->unexplained);
}

/* A code that only a packet can cause, of a transaction that has none. */
static void without_packet(struct fal_ctx *c, const struct fal_event *event,
                           const struct fal_request *r)
{
    struct fal_at at = fal_at_event(event);
    bool caused = event->u.ulp.code == 0x9;

    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        caused = caused || causes[i].completion == event->u.ulp.code;
    if (caused && (r == NULL || (r->flags & FAL_REQ_PLACED) == 0) && fal_path_out(c).lossless &&
        !fal_track_may_miss(c->track, fal_out(c), 0))
        (void)fal_read_as(c, FAL_AMB_54, FAL_READ_OTHER, &at);
    else
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    const struct fal_request *r;

    if (ulp->kind != FAL_ULP_COMPLETION)
        return;
    if (ulp->code == 0x2 || (ulp->code >= 0x5 && ulp->code <= 0x7) || ulp->code == 0xe ||
        ulp->code > 0xf) {
        broken(c, event, "FTP-11-54", NULL, "no reserved code");
        return;
    }
    r = fal_track_request(c->track, fal_out(c), ulp->rsn);
    if (r == NULL || (r->flags & FAL_REQ_SENT) == 0) {
        if (ulp->code == 0xa || ulp->code == 0xf)
            local(c, event, r); /* it may end before it is sent */
        else
            without_packet(c, event, r);
        return;
    }
    if (ulp->code == 0) {
        if (!local_ignored(c, event, r))
            without_error(c, event, r);
        return;
    }
    if (r->type == FAL_PULL_REQUEST && (r->flags & FAL_REQ_ANSWER_RESYNC) != 0) {
        fal_undecided(c, FAL_EXCUSE_READING); /* it ends in an error, the text does not say in
                                                 which, or by a timeout (AMB-48) */
        return;
    }
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (causes[i].completion == ulp->code) {
            in_error(c, event, r, &causes[i]);
            return;
        }
    }
    local(c, event, r);
}

const struct fal_rule_impl fal_rule_c3 = {
    .about = &fal_about_c3,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_BASE_SENT | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 2,
    .posted = posted,
    .on_ulp = FAL_ON_COMPLETION,
    .ulp = ulp,
    .cm = cm,
    .command = command,
    .mark = mark,
    .finish = finish,
    .release = release,
};
