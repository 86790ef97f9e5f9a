/* SPDX-License-Identifier: Apache-2.0
 * rn1_no_copy_before_rnr_delay.c - rule RN1: a push that got an RNR is not sent again before
 * its delay has passed. The delay can be counted from the NACK or from the last transmission
 * (AMB-15); a copy that is too early by both violates the rule. A copy that may have been sent
 * before the NACK arrived, or after it was lost, proves nothing. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"
#include "oracles/rules/repeats/repeats.h"

const struct fal_rule fal_about_rn1 = {
    .id = "RN1",
    .title = "a push is not sent again before its RNR delay has passed",
    .requirements = FAL_IDS("FTP-7.8-26", "FTP-7.8-27", "FTP-8.4.3.4-01", "FTP-8.4.3.4-03",
                            "FTP-9.2.4-09", "FTP-11-11"),
    .role = "initiator",
    .needs = "wire; RTO for the readings",
    .assumes = "base-not-beyond-sent",
    .doc = "Violated by a copy that is sent sooner than the delay, counted from the NACK and "
           "from the copy before, where the NACK provably arrived or no timer explains the "
           "copy. A copy between delay and RTO, or late enough only when counted from the copy "
           "before, is the other reading of AMB-15; one after an EACK that came during the "
           "delay is the other reading of AMB-55, if the EACK shows the push missing by the "
           "out-of-order threshold, or has an OWN bit. A NACK that was stale or lost excuses "
           "the copy.",
};

struct state {
    uint64_t licence_ns; /* the newest EACK to the subject */
};

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* One copy after an RNR NACK of its number. */
struct look {
    const struct fal_seen *q;
    const struct fal_nack *n;
    uint64_t from_nack, from_copy; /* how long ago they were */
    uint64_t delay, rto, jitter;   /* the least that counts as the delay, and as the RTO */
    bool coarse;                   /* the SUT's tick is too coarse for the delay */
    bool rto_given, jitter_known, sure, licensed;
};

/* Whether a packet to the subject at `ns` may have come after the copy before left. */
static bool since_copy(const struct fal_ctx *c, const struct fal_seen *q, uint64_t ns)
{
    uint64_t in_ns, out_ns;

    return !fal_round_ns(c, &in_ns, &out_ns) || ns + in_ns + out_ns >= q->prior->last_ns;
}

/* Whether an EACK showed the push missing. A base that passed the push since then may have
 * crossed the copy on the wire: what the EACKs before showed is forgotten with the number. */
static bool eack_showed(const struct fal_ctx *c, const struct fal_seen *q)
{
    return q->x < fal_out_stream(c, q->window)->base || fal_eack_licenses(c, q->window, q->x);
}

/* Whether the subject may repeat the push early (9.1.4): an EACK since the copy before showed
 * it missing, or a NACK said that there was no room for it. */
static bool is_licensed(const struct fal_ctx *c, const struct fal_seen *q)
{
    const struct state *state = c->state;
    const struct fal_nack *n =
        fal_nacks_find(&c->track->nacks[fal_out(c)], q->window, q->x, FAL_NACK_RESOURCE);

    return (state->licence_ns > 0 && since_copy(c, q, state->licence_ns) &&
            eack_showed(c, q)) ||
           (n != NULL && since_copy(c, q, n->at.t_ns)) || fal_rack_of(c) != FAL_RACK_DENIED;
}

static struct look look_at(const struct fal_ctx *c, const struct fal_seen *q,
                           const struct fal_nack *n)
{
    struct fal_path in = fal_path_in(c), out = fal_path_out(c);
    struct fal_timer_bounds rto, rnr;
    bool rto_given = fal_rto_judged(c, &rto), fine = fal_rnr_judged(c, n->rnr_ns, &rnr);
    uint64_t error = 2 * c->bench->run.clock_error_ns + q->at.error_ns + n->at.error_ns;

    return (struct look){
        .q = q,
        .n = n,
        .from_nack = less(q->at.t_ns, n->at.t_ns),
        .from_copy = less(q->at.t_ns, q->prior->last_ns),
        .delay = less(rnr.least_ns, error),
        .rto = less(rto.least_ns, error + fal_pipeline_ns(c)),
        .jitter = out.jitter_ns,
        .coarse = !fine,
        .rto_given = rto_given,
        .jitter_known = out.jitter_known,
        /* one that a newer acknowledgement overtakes is stale */
        .sure = in.lossless && in.in_order && fal_surely_arrived(c, &n->at, q),
        .licensed = is_licensed(c, q),
    };
}

static void broken(struct fal_ctx *c, const struct look *l, const char *requirement)
{
    const struct fal_at *before = requirement == NULL ? fal_read_by(c, FAL_AMB_15) : NULL;

    fal_broken(c,
               &(struct fal_blame){requirement != NULL ? requirement : "FTP-11-11",
                                   {&l->n->at, before},
                                   .effect = &l->q->at,
                                   .packet = l->q->packet},
               "no copy before %s after its RNR NACK, which asks for %s%s; this one "
               "was sent %s after the NACK, %s after the copy before",
               fal_time_text(l->delay).text, fal_time_text(l->n->rnr_ns).text,
               requirement == NULL ? ", counted as before (AMB-15)" : "",
               fal_time_text(l->from_nack).text, fal_time_text(l->from_copy).text);
}

/* The delay has passed since the NACK; the RTO may not have. */
static void late_enough(struct fal_ctx *c, const struct look *l)
{
    if (l->q->prior->last_ns > l->n->at.t_ns)
        return; /* not the first since the NACK */
    if (!l->rto_given || l->from_nack >= l->rto)
        fal_holds(c);
    else if (l->n->stale)
        fal_excused(c, FAL_EXCUSE_STALE_NACK);
    else if (!l->sure)
        fal_excused(c, FAL_EXCUSE_IN_LOSS);
    else if (l->licensed)
        fal_undecided(c, FAL_EXCUSE_CC_UNKNOWN);
    else if (!fal_read_as(c, FAL_AMB_15, FAL_READ_OTHER, &l->q->at))
        broken(c, l, NULL);
}

/* An EACK came since the copy before: a push under RNR delay is exempt from early
 * retransmission by the default reading only (AMB-55). */
static void licensed(struct fal_ctx *c, const struct look *l)
{
    if (fal_rack_of(c) != FAL_RACK_DENIED || !l->jitter_known ||
        l->from_copy + l->jitter >= l->delay)
        fal_undecided(c, FAL_EXCUSE_CC_UNKNOWN);
    else if (!fal_read_as(c, FAL_AMB_55, FAL_READ_OTHER, &l->q->at))
        broken(c, l, "FTP-8.4.3.4-03");
}

static void early(struct fal_ctx *c, const struct look *l)
{
    /* neither its RTO nor the delay of a NACK before had passed when it left */
    bool no_timer = l->rto_given && l->jitter_known && !l->licensed &&
                    l->from_copy + l->jitter < l->rto &&
                    l->from_copy + l->jitter < less(l->n->least_ns, l->n->least_ns / 1000);

    if (l->n->stale)
        fal_excused(c, FAL_EXCUSE_STALE_NACK);
    else if (c->track->gap_index[fal_in(c)] > l->q->prior->first.index ||
             l->q->x < fal_out_stream(c, l->q->window)->doubt)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* an unseen NACK or EACK may explain it */
    else if (!fal_path_out(c).no_duplicates)
        fal_excused(c, FAL_EXCUSE_OUT_DUP);
    else if (!l->sure && !no_timer)
        fal_excused(c, FAL_EXCUSE_IN_LOSS);
    else if (l->licensed)
        licensed(c, l);
    else if (!l->jitter_known)
        fal_excused(c, FAL_EXCUSE_OUT_REORDER);
    else if (l->from_copy + l->jitter < l->delay)
        broken(c, l, "FTP-8.4.3.4-03");
    else if (!fal_read_as(c, FAL_AMB_15, FAL_READ_OTHER, &l->q->at))
        broken(c, l, NULL);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nack *n;
    struct look l;

    /* A target must not answer a pull with an RNR NACK (FTP-8.4.3.4-04), and the specification
     * does not say what the sender does with one. */
    if (!q->reliable || q->falcon->packet_type != FAL_PUSH_DATA || q->prior == NULL ||
        (q->prior->flags & FAL_SENT_REFUSED) == 0)
        return;
    n = fal_nacks_find(&c->track->nacks[fal_out(c)], q->window, q->x, FAL_NACK_RNR);
    if (n == NULL)
        return;
    if ((q->prior->flags & FAL_SENT_STEPPED) != 0) {
        fal_undecided(c, FAL_EXCUSE_CONFIG); /* its sender does not know of every copy */
        return;
    }
    l = look_at(c, q, n);
    if (l.coarse)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (l.from_nack >= l.delay)
        late_enough(c, &l);
    else
        early(c, &l);
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;

    if (p->falcon->packet_type == FAL_EACK)
        state->licence_ns = p->at.t_ns;
}

const struct fal_rule_impl fal_rule_rn1 = {
    .about = &fal_about_rn1,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .in = in,
    .on_in = FAL_ON_EACK,
    .out = out,
    .on_out = FAL_ON_AGAIN,
};
