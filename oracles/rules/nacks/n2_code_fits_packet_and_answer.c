/* SPDX-License-Identifier: Apache-2.0
 * n2_code_fits_packet_and_answer.c - rule N2: the code of a NACK fits the packet that it names,
 * and a code of the upper layer comes after the upper layer gave it, with the values that it
 * gave. The tester holds the answer. So a NACK that is seen before `respond` was written came
 * before the answer, if the SUT applies the answer then. */
#include "codecs/base/time_text.h"
#include "oracles/rules/facts/answers.h"
#include "oracles/rules/judge/report.h"

#include <stdio.h>

const struct fal_rule fal_about_n2 = {
    .id = "N2",
    .title = "the code of a NACK fits the packet and the upper layer's answer",
    .requirements = FAL_IDS(
        "FTP-6.4-02", "FTP-6.4-03", "FTP-6.4-05", "FTP-7.8-16", "FTP-7.8-17", "FTP-7.8-18",
        "FTP-7.8-19", "FTP-7.8-20", "FTP-7.8-21", "FTP-7.8-22", "FTP-7.8-25", "FTP-7.8-26",
        "FTP-7.8-27", "FTP-7.8-29", "FTP-8.2.2-12", "FTP-8.4.3.4-04", "FTP-8.5.3.4-09",
        "FTP-8.5.3.4-10", "FTP-8.5.3.5-02", "FTP-8.5.3.5-03", "FTP-8.5.3.5-04", "FTP-9.1.7-05",
        "FTP-11-21", "FTP-11-37", "FTP-11-38", "FTP-11-40", "FTP-11-41"),
    .role = "target",
    .needs = "wire, ulp for the answers",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "RNR and the errors of the upper layer (2, 6, 7, 8) are for pushes only. Code 1 (no "
        "resources) is not for pull data, except beyond the window (AMB-12: warn). Code 8 "
        "for a pull_request gives a warning (AMB-59). Violated by a code of the upper layer "
        "before the upper layer gave that answer, where the tester holds the answer, or "
        "where the SUT reports its own answers and a barrier has passed; and by a delay or "
        "ULP code other than the one given. On an ordered connection a later push may be "
        "NACKed because of an RNR of an earlier request, until that is accepted (AMB-49). Code 4 is for packets that "
        "match a configured filter; they never reach the upper layer.",
};

enum { WAITING_MAX = 64, LOOK_BACK = 512 };

/* A NACK whose answer is not known yet. */
struct waiting {
    uint32_t rsn;
    uint8_t code;
    bool other;     /* its delay is not that of the RNR that is known: there may be another */
    uint64_t given; /* the delay of that one */
    struct fal_at at;
};

struct state {
    struct fal_bag waiting;
    bool self; /* the SUT reports answers that it gives by itself */
};

/* ---- code against type ---- */

/* The requirement that a code for a packet of that type breaks; NULL: it fits. */
static const char *unfit(unsigned code, unsigned type)
{
    bool push = type == FAL_PUSH_DATA, pull = type == FAL_PULL_REQUEST;

    switch (code) {
    case FAL_NACK_RESOURCE: return type == FAL_PULL_DATA ? "FTP-7.8-17" : NULL;
    case FAL_NACK_RNR: return push ? NULL : pull ? "FTP-8.4.3.4-04" : "FTP-7.8-18";
    case FAL_NACK_CIE: return push ? NULL : pull ? "FTP-8.5.3.5-02" : "FTP-7.8-20";
    case FAL_NACK_NRE: return push ? NULL : pull ? "FTP-11-40" : "FTP-7.8-21";
    case FAL_NACK_CID: return push || pull ? NULL : "FTP-7.8-22";
    default: return NULL; /* reserved ones are the lint's */
    }
}

static const char *type_word(unsigned type)
{
    const char *name = fal_falcon_type_name(type);

    return name != NULL ? name : "packet";
}

/* ---- code against the upper layer ---- */

static const char *told_requirement(unsigned code)
{
    switch (code) {
    case FAL_NACK_RNR: return "FTP-8.5.3.4-10";
    case FAL_NACK_CIE: return "FTP-8.5.3.5-04";
    case FAL_NACK_NRE: return "FTP-11-37";
    default: return "FTP-11-38";
    }
}

static void uncaused(struct fal_ctx *c, const struct waiting *w, const struct fal_at *effect,
                     const struct fal_at *cause, const char *when)
{
    struct fal_blame blame = {told_requirement(w->code), {cause}, .effect = effect};
    char number[FAL_NUMBER_MAX], seen[64];

    (void)snprintf(seen, sizeof seen, "NACK code %u at %s", w->code,
                   fal_time_text(w->at.t_ns).text);
    blame.seen = seen;
    (void)fal_rsn_text(c, fal_in(c), w->rsn, number);
    if (w->other) {
        blame.requirement = "FTP-9.1.7-05";
        fal_broken(c, &blame, "the delay of the NACK of RSN %s as the upper layer gave it: %s",
                   number, fal_time_text(w->given).text);
    } else {
        fal_broken(c, &blame, "no NACK code %u of RSN %s %s", w->code, number, when);
    }
}

/* The delay of a NACK is the ULP's in the steps that the field has: to either side. */
static bool same_delay(unsigned field, uint64_t ns)
{
    unsigned up = fal_rnr_timeout_code(ns), down = (up + 31) % 32;

    return field == up || (field == down && fal_rnr_timeout_ns(up) != ns);
}

static bool fields_fit(const struct fal_falcon *f, const struct fal_answer_given *given)
{
    if (f->nack_code == FAL_NACK_RNR)
        return !given->held || given->rnr_ns == 0 || same_delay(f->rnr_timeout, given->rnr_ns);
    return f->ulp_nack_code == (uint8_t)given->code;
}

static void fields_broken(struct fal_ctx *c, const struct fal_seen *q,
                          const struct fal_answer_given *given)
{
    const struct fal_blame blame = {
        "FTP-9.1.7-05", {&given->at}, .effect = &q->at, .packet = q->packet};

    if (given->answer == FAL_ANSWER_RNR)
        fal_broken(c, &blame, "the delay as the upper layer gave it: %s",
                   fal_time_text(given->rnr_ns).text);
    else
        fal_broken(c, &blame, "the ULP's code as the upper layer gave it: %u",
                   (unsigned)given->code);
}

/* Whether an earlier transaction may be open. */
static bool open_before(const struct fal_ctx *c, int64_t rsn)
{
    int64_t first = fal_track_first_rsn(c->track, fal_in(c), rsn, LOOK_BACK);

    for (int64_t n = rsn - 1; n >= first; n--) {
        const struct fal_request *r = fal_ring_at(&c->track->requests[fal_in(c)], n);

        if (r == NULL || (r->flags & FAL_REQ_CLAIMED) == 0 || r->type == FAL_PULL_REQUEST)
            return true;
    }
    return false;
}

/* Whether the upper layer may have given another answer, of which we have not heard: an error
 * ends the transaction; after an RNR the request comes again with another copy, or after its
 * delay, and on an ordered connection an RNR of another request explains it too (AMB-49). */
static bool may_be_another(const struct fal_ctx *c, const struct fal_answer_given *given,
                           const struct fal_seen *q, const struct fal_sent *sent, int64_t x)
{
    uint64_t error_ns = 2 * c->bench->run.clock_error_ns + q->at.error_ns;
    bool once = sent->copies == 1 && fal_path_in(c).no_duplicates &&
                x >= fal_in_stream(c, FAL_WINDOW_DATA)->doubt &&
                c->track->gap_index[fal_in(c)] <= sent->first.index;

    if (given->answer != FAL_ANSWER_RNR)
        return false;
    return !once || (c->track->setup.params.ordered && open_before(c, sent->rsn)) ||
           q->at.t_ns + error_ns + given->rnr_ns / 10000 >= given->at.t_ns + given->rnr_ns;
}

/* Whether the answer may have been before the capture: that to the packet, or, with an RNR, to
 * one before it that is still open (AMB-49). */
static bool may_be_earlier(const struct fal_ctx *c, const struct fal_stream *stream,
                           unsigned code, int64_t x)
{
    return !c->track->setup.initial_known &&
           (x < stream->doubt || (code == FAL_NACK_RNR && stream->base < stream->doubt));
}

/* Whether the upper layer had surely accepted a request that got an RNR before the first copy
 * of another one was sent: the SUT acknowledged the push, or answered the pull. */
static bool accepted_before(const struct fal_ctx *c, int64_t rsn, const struct fal_sent *sent)
{
    const struct fal_request *r = fal_ring_at(&c->track->requests[fal_in(c)], rsn);

    if (r == NULL || (r->flags & FAL_REQ_PLACED) == 0 ||
        c->track->gap_index[fal_in(c)] > r->first.index)
        return false;
    if (r->type == FAL_PULL_REQUEST)
        return (r->flags & FAL_REQ_ANSWERED) != 0 && r->answer.index < sent->first.index;
    return (r->flags & FAL_REQ_CLAIMED) != 0 && r->claimed.index < sent->first.index;
}

/* Whether an RNR of an earlier request may be why Falcon NACKs this one: until the upper layer
 * accepts the earlier one (8.5.3.4, AMB-49). */
static bool follows_rnr(const struct fal_ctx *c, const struct fal_sent *sent)
{
    const struct fal_bag *bag = &c->track->answers.bag;

    for (unsigned i = 0; c->track->setup.params.ordered && i < bag->num; i++) {
        const struct fal_answer_given *g = FAL_BAG(bag, struct fal_answer_given, i);

        if (g->answer == FAL_ANSWER_RNR && g->rsn < sent->rsn &&
            !accepted_before(c, g->rsn, sent))
            return true;
    }
    return false;
}

static void against_ulp(struct fal_ctx *c, const struct fal_seen *q, struct fal_stream *stream,
                        const struct fal_sent *sent)
{
    struct state *state = c->state;
    const struct fal_falcon *f = q->falcon;
    enum fal_answer due = fal_answer_of_nack(f->nack_code);
    struct fal_answers *answers = &c->track->answers;
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), (uint32_t)sent->rsn);
    int64_t x = fal_stream_extend(stream, f->nack_psn);
    const struct fal_answer_given *given, *found = NULL;
    struct waiting waiting = {.rsn = (uint32_t)sent->rsn, .code = f->nack_code, .at = q->at},
                   *slot;

    for (unsigned i = 0; (given = fal_answers_of(answers, sent->rsn, due, i)) != NULL; i++) {
        found = given;
        if (fields_fit(f, given)) {
            fal_holds(c);
            return;
        }
    }
    if (due == FAL_ANSWER_RNR && follows_rnr(c, sent)) {
        fal_holds(c);
        return;
    }
    if (found != NULL && !may_be_another(c, found, q, sent, x)) {
        fields_broken(c, q, found);
        return;
    }
    waiting.other = found != NULL;
    waiting.given = found != NULL ? found->rnr_ns : 0;
    if (may_be_earlier(c, stream, f->nack_code, x)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    } else if (answers->lost || r == NULL) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    } else if (c->track->held_ns == FAL_NEVER && r->first.index > c->track->held_since) {
        uncaused(c, &waiting, &q->at, &r->first, "while the tester withholds every answer");
    } else {
        slot = fal_bag_add(&state->waiting, sizeof *slot, WAITING_MAX);
        if (slot != NULL)
            *slot = waiting;
        else
            fal_undecided(c, FAL_EXCUSE_CONFIG);
    }
}

/* The SUT's filter is known by the RSNs that it takes. */
static bool filters(const struct fal_ctx *c, uint32_t rsn)
{
    uint32_t every = c->track->setup.params.xlr_target;

    return every != 0 && rsn % every == 0;
}

static void against_filter(struct fal_ctx *c, const struct fal_seen *q,
                           const struct fal_sent *sent)
{
    char number[FAL_NUMBER_MAX];

    if (c->subject != FAL_SUBJECT_SUT || !fal_given(c, FAL_PARAM_AT_xlr_target) ||
        filters(c, (uint32_t)sent->rsn))
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){
                       "FTP-7.8-19", {&sent->first}, .effect = &q->at, .packet = q->packet},
                   "no NACK code 4 of RSN %s, which no xLR filter matches",
                   fal_rsn_text(c, fal_in(c), (uint32_t)sent->rsn, number));
}

/* What the filter matches never reaches the upper layer. */
static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    struct fal_at at = fal_at_event(event);
    const struct fal_request *r;
    char number[FAL_NUMBER_MAX];

    if (event->u.ulp.kind != FAL_ULP_REQUEST || !fal_given(c, FAL_PARAM_AT_xlr_target) ||
        !filters(c, event->u.ulp.rsn))
        return;
    r = fal_track_request(c->track, fal_in(c), event->u.ulp.rsn);
    fal_broken(
        c,
        &(struct fal_blame){"FTP-11-21",
                            {r != NULL && (r->flags & FAL_REQ_SENT) != 0 ? &r->first : NULL},
                            .effect = &at,
                            .seen = "a request event"},
        "RSN %s dropped with a NACK code 4: it matches the xLR filter",
        fal_rsn_text(c, fal_in(c), event->u.ulp.rsn, number));
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_falcon *f = q->falcon;
    struct fal_stream *stream = &c->track->stream[fal_in(c)][f->window & 1];
    const struct fal_sent *sent;
    const char *requirement;

    if (f->packet_type != FAL_NACK || !stream->started)
        return;
    sent = fal_stream_sent(stream, fal_stream_extend(stream, f->nack_psn));
    if (sent == NULL) /* N1's */
        return;
    requirement = unfit(f->nack_code, sent->type);
    if (requirement != NULL && f->nack_code == FAL_NACK_RESOURCE &&
        (sent->flags & FAL_SENT_BEYOND) != 0 &&
        fal_read_as(c, FAL_AMB_12, FAL_READ_OTHER, &q->at))
        return; /* it is about the window */
    if (requirement != NULL) {
        fal_broken(c,
                   &(struct fal_blame){
                       requirement, {&sent->first}, .effect = &q->at, .packet = q->packet},
                   "no NACK code %u for a %s", f->nack_code, type_word(sent->type));
    } else if (f->nack_code == FAL_NACK_CID && sent->type == FAL_PULL_REQUEST) {
        if (!fal_read_as(c, FAL_AMB_59, FAL_READ_OTHER, &q->at))
            fal_broken(c,
                       &(struct fal_blame){"FTP-11-41",
                                           {fal_read_by(c, FAL_AMB_59)},
                                           .effect = &q->at,
                                           .packet = q->packet},
                       "no NACK for a pull, as before (AMB-59)");
    } else if (f->nack_code == FAL_NACK_XLR) {
        against_filter(c, q, sent);
    } else if (f->nack_code == FAL_NACK_RESOURCE || c->subject != FAL_SUBJECT_SUT) {
        fal_holds(c);
    } else {
        against_ulp(c, q, stream, sent);
    }
}

/* ---- answers that come to be known ---- */

static void remove_waiting(struct state *state, unsigned i)
{
    fal_bag_remove(&state->waiting, sizeof(struct waiting), i);
}

/* An RNR of an earlier transaction that was already on its way explains a NACK (AMB-49). */
static bool follows(struct fal_ctx *c, const struct waiting *w, const struct fal_told *told)
{
    return w->code == FAL_NACK_RNR && told->answer == FAL_ANSWER_RNR &&
           c->track->setup.params.ordered &&
           (!told->held || told->written.index < w->at.index) &&
           fal_track_rsn(c->track, fal_in(c), told->rsn) <
               fal_track_rsn(c->track, fal_in(c), w->rsn);
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    struct state *state = c->state;
    unsigned i = 0;

    state->self = state->self || !told->held;
    while (i < state->waiting.num) {
        const struct waiting *w = FAL_BAG(&state->waiting, struct waiting, i);

        if (follows(c, w, told)) {
            fal_holds(c);
            remove_waiting(state, i);
            continue;
        }
        if (w->rsn != told->rsn || (told->held && told->written.index < w->at.index)) {
            i++;
            continue;
        }
        if (told->held)
            uncaused(c, w, &told->known, &w->at,
                     "before its upper layer's answer, which was written later");
        else if (told->answer == fal_answer_of_nack(w->code))
            fal_holds(c);
        else {
            i++;
            continue;
        }
        remove_waiting(state, i);
    }
}

/* Every delivery so far has an answer that is known. */
static bool all_known(const struct fal_ctx *c, uint32_t rsn)
{
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), rsn);

    return r != NULL && r->deliveries > 0 && r->answers >= r->deliveries;
}

/* An answer that the SUT gave by itself before the barrier has been read. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    struct fal_at at = fal_at_event(event);
    unsigned i = 0;

    if (event->u.mark.mark != FAL_MARK_BARRIER || c->bench->events_lost ||
        c->track->barrier_index == 0)
        return;
    while (i < state->waiting.num) {
        const struct waiting *w = FAL_BAG(&state->waiting, struct waiting, i);

        if (w->at.index > c->track->barrier_index || (!state->self && !all_known(c, w->rsn))) {
            i++;
            continue;
        }
        uncaused(c, w, &at, &w->at, "without such an answer of its upper layer");
        remove_waiting(state, i);
    }
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->waiting.num; i++) {
        if (fal_ulp_reports(c))
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        else
            fal_holds(c); /* answers are not observed: the code fits its packet */
    }
    fal_bag_free(&state->waiting);
}

const struct fal_rule_impl fal_rule_n2 = {
    .about = &fal_about_n2,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_NACK,
    .on_ulp = FAL_ON_REQUEST,
    .ulp = ulp,
    .told = told,
    .mark = mark,
    .finish = finish,
    .release = fal_bag_release,
};
