/* SPDX-License-Identifier: Apache-2.0
 * s1_cause_of_its_code.c - rule S1: a Resync has a cause: the NACK that its code names, sent
 * before, or, for too many attempts, the time that so many timeouts take, or, for a transaction
 * that timed out, the time of its timeout. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"

const struct fal_rule fal_about_s1 = {
    .id = "S1",
    .title = "a Resync has the cause that its code names",
    .requirements = FAL_IDS("FTP-7.6-02", "FTP-7.6-03", "FTP-7.6-04", "FTP-7.6-05",
                            "FTP-7.6-06", "FTP-7.6-07", "FTP-7.6-08", "FTP-7.6-09",
                            "FTP-9.1.8-05", "FTP-9.2.4-08", "FTP-9.2.4-10", "FTP-9.2.4-11",
                            "FTP-9.2.4-13", "FTP-9.2.4-15", "FTP-11-07", "FTP-11-10"),
    .role = "transmitter",
    .needs =
        "wire; RTO and max attempts for code 3; ulp and the transaction timeout for code 4",
    .assumes = "base-not-beyond-sent",
    .doc = "Violated by code 1, 5, 6 or 7 without an earlier NACK of code 6, 4, 7 or 8 of that "
           "number; and by code 3 sooner after the first copy than the allowed attempts take. "
           "Code 2 needs a configured filter. Code 4 needs the transaction timeout: since the "
           "post of the SUT's upper layer, or, of pull data, since the tester sent the pull "
           "request.",
};

enum { POSTS_MAX = 128 };

/* A transaction of the SUT's upper layer: when its post was written. */
struct post {
    uint32_t rsn;
    struct fal_at written;
};

struct state {
    struct fal_bag posts; /* the newest */
};

static const char *requirement(unsigned nack_code)
{
    switch (nack_code) {
    case FAL_NACK_XLR: return "FTP-9.2.4-10";
    case FAL_NACK_CIE: return "FTP-9.2.4-11";
    case FAL_NACK_NRE: return "FTP-9.2.4-13";
    default: return "FTP-9.2.4-15";
    }
}

/* The NACK that the Resync q may answer; code 0: any. A Resync of a pull_request may have a PSN
 * of the data window (AMB-13, rule S2), and its NACK that of the packet. */
static const struct fal_nack *nack_of(const struct fal_ctx *c, const struct fal_seen *q,
                                      unsigned code)
{
    const struct fal_nacks *nacks = &c->track->nacks[fal_out(c)];
    const struct fal_request *r = q->request;
    const struct fal_nack *nack = fal_nacks_find(nacks, q->window, q->x, code);

    if (nack == NULL && q->type == FAL_PULL_REQUEST && r != NULL &&
        (r->flags & FAL_REQ_PLACED) != 0)
        nack = fal_nacks_find(nacks, (enum fal_window)r->window, r->psn, code);
    return nack;
}

static void after_nack(struct fal_ctx *c, const struct fal_seen *q, unsigned code)
{
    const struct fal_nacks *nacks = &c->track->nacks[fal_out(c)];
    const struct fal_nack *other;
    uint64_t since = q->prior != NULL ? q->prior->first.index : 0;
    char number[FAL_NUMBER_MAX];
    const char *broken;

    if (nack_of(c, q, code) != NULL) {
        fal_holds(c);
        return;
    }
    if (nacks->lost || q->x < fal_out_stream(c, q->window)->doubt ||
        fal_track_may_miss(c->track, fal_in(c), since)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    other = nack_of(c, q, 0);
    broken =
        other != NULL && other->code == FAL_NACK_RESOURCE ? "FTP-9.2.4-08" : requirement(code);
    fal_broken(c,
               &(struct fal_blame){broken,
                                   {q->prior != NULL ? &q->prior->first : NULL,
                                    other != NULL ? &other->at : NULL},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "no Resync code %u of %s PSN %s without a NACK code %u before",
               q->falcon->resync_code, fal_window_word(q->window),
               fal_psn_text(fal_out_stream(c, q->window), q->x, number), code);
}

/* The first copy seen is the first sent only where none can be lost. An RNR changes the
 * timeout. */
static void after_timeouts(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_params *params = &c->track->setup.params;
    struct fal_path out = fal_path_out(c);
    struct fal_timer_bounds b;
    uint64_t due, took, margin;
    char nominal[FAL_NOMINAL_MAX];

    if (!fal_rto_judged(c, &b) || !fal_given(c, FAL_PARAM_AT_max_attempts) ||
        (q->prior != NULL && (q->prior->flags & FAL_SENT_REFUSED) != 0) ||
        (c->bench->stepped && q->prior != NULL &&
         q->prior->first.index < c->bench->step_index)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    if (q->prior == NULL || !out.lossless || !out.jitter_known ||
        c->track->gap_index[fal_out(c)] > 0 || q->x < fal_out_stream(c, q->window)->doubt) {
        fal_excused(c, FAL_EXCUSE_OUT_LOSS);
        return;
    }
    margin =
        out.jitter_ns + fal_pipeline_ns(c) + 2 * c->bench->run.clock_error_ns + q->at.error_ns;
    due = params->max_attempts * b.least_ns;
    took = q->at.t_ns - q->prior->first.t_ns;
    if (took + margin >= due)
        fal_holds(c);
    else
        fal_broken(
            c,
            &(struct fal_blame){
                "FTP-11-07", {&q->prior->first}, .effect = &q->at, .packet = q->packet},
            "no Resync for too many attempts sooner than %s after the first copy, as its "
            "%u timeouts take (%s, at most 5 %% early); it was sent after %s",
            fal_time_text(due).text, (unsigned)params->max_attempts,
            fal_nominal_text(&b, nominal), fal_time_text(took).text);
}

/* A filter of the subject's own is known by the numbers that it takes. */
static void after_filter(struct fal_ctx *c, const struct fal_seen *q)
{
    uint32_t every = c->track->setup.params.xlr_initiator;
    char number[FAL_NUMBER_MAX];

    if (c->subject != FAL_SUBJECT_SUT || !fal_given(c, FAL_PARAM_AT_xlr_initiator))
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (every != 0 && q->falcon->rsn % every == 0)
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){"FTP-7.6-04",
                                       {q->prior != NULL ? &q->prior->first : NULL},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "no Resync code 2 of RSN %s, which no xLR filter matches",
                   fal_rsn_text(c, q->space, q->falcon->rsn, number));
}

static const struct fal_at *post_of(const struct fal_ctx *c, uint32_t rsn)
{
    const struct state *state = c->state;

    for (unsigned i = state->posts.num; i > 0; i--) {
        const struct post *post = FAL_BAG(&state->posts, struct post, i - 1);

        if (post->rsn == rsn)
            return &post->written;
    }
    return NULL;
}

/* No timer of the SUT for that transaction can have started sooner. NULL: it is not known. */
static const struct fal_at *earliest(const struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_request *r = q->request;

    if (q->space == fal_out(c))
        return post_of(c, q->falcon->rsn);
    return fal_ulp_reports(c) && r != NULL && fal_first_seen(c, r) ? &r->first : NULL;
}

static void after_transaction(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_at *from = c->subject == FAL_SUBJECT_SUT ? earliest(c, q) : NULL;
    uint64_t due = fal_least_transaction_ns(c);
    char number[FAL_NUMBER_MAX];

    if (from == NULL || !fal_given(c, FAL_PARAM_AT_transaction_timeout) ||
        (c->bench->stepped && from->index < c->bench->step_index))
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (q->at.t_ns - from->t_ns + 2 * c->bench->run.clock_error_ns + q->at.error_ns >= due)
        fal_holds(c);
    else
        fal_broken(
            c, &(struct fal_blame){"FTP-7.6-06", {from}, .effect = &q->at, .packet = q->packet},
            "no Resync code 4 of RSN %s before its transaction timeout, %s after %s",
            fal_rsn_text(c, q->space, q->falcon->rsn, number), fal_time_text(due).text,
            q->space == fal_out(c) ? "the post" : "the first copy of its request");
}

static void posted(struct fal_ctx *c, const struct fal_posted *posted)
{
    struct state *state = c->state;
    struct post *slot;

    if (!posted->ok || !posted->has_rsn)
        return;
    if (state->posts.num == POSTS_MAX)
        fal_bag_remove(&state->posts, sizeof *slot, 0);
    slot = fal_bag_add(&state->posts, sizeof *slot, POSTS_MAX);
    if (slot != NULL)
        *slot = (struct post){posted->rsn, posted->written};
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    unsigned code = fal_nack_of_resync(q->falcon->resync_code);

    if (q->falcon->packet_type != FAL_RESYNC)
        return;
    if (q->prior != NULL && (q->prior->flags & FAL_SENT_RESYNC) != 0)
        return; /* a copy: judged at its first */
    if (code != 0)
        after_nack(c, q, code);
    else if (q->falcon->resync_code == FAL_RESYNC_EXHAUSTED)
        after_timeouts(c, q);
    else if (q->falcon->resync_code == FAL_RESYNC_LOCAL_XLR)
        after_filter(c, q);
    else
        after_transaction(c, q);
}

const struct fal_rule_impl fal_rule_s1 = {
    .about = &fal_about_s1,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .bags = 1,
    .posted = posted,
    .release = fal_bag_release,
    .out = out,
    .on_out = FAL_ON_RESYNC,
};
