/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/order.h"

#include "oracles/timer_bounds.h"

#include <string.h>

/* The path of one direction; `here`: the vantage is the subject's own port. */
static struct fal_path path(const struct fal_ev_run *run, bool here, bool to_sut)
{
    struct fal_path p = {.at_port = here,
                         .lossless = here || (to_sut ? run->lossless_in : run->lossless_out),
                         .in_order = here || (to_sut ? run->in_order_in : run->in_order_out),
                         .no_duplicates =
                             here || (to_sut ? run->no_duplicates_in : run->no_duplicates_out)};

    if (here) {
        p.jitter_known = true;
    } else if (run->delay_max_ns != FAL_NEVER && run->delay_max_ns >= run->delay_min_ns) {
        p.jitter_known = true;
        p.jitter_ns = run->delay_max_ns - run->delay_min_ns;
    }
    return p;
}

static struct fal_paths paths_of(const struct fal_ev_run *run, enum fal_subject subject)
{
    bool sut = subject == FAL_SUBJECT_SUT;
    bool here = run->vantage == (sut ? FAL_VANTAGE_SUT : FAL_VANTAGE_TESTER);
    bool declared = run->delay_max_ns < FAL_NEVER / 8 && run->clock_error_ns < FAL_NEVER / 8;

    return (struct fal_paths){.in = path(run, here, sut),
                              .out = path(run, here, !sut),
                              .round_known =
                                  declared || (here && run->clock_error_ns < FAL_NEVER / 8),
                              .in_ns = (here ? 0 : run->delay_max_ns) + run->clock_error_ns,
                              .out_ns = (here ? 0 : run->delay_max_ns) + run->clock_error_ns};
}

void fal_bench_run(struct fal_bench *bench, const struct fal_ev_run *run)
{
    bench->run = *run;
    bench->paths[FAL_SUBJECT_SUT] = paths_of(run, FAL_SUBJECT_SUT);
    bench->paths[FAL_SUBJECT_TESTER] = paths_of(run, FAL_SUBJECT_TESTER);
}

bool fal_may_be_replay(const struct fal_ctx *c)
{
    const struct fal_track *track = c->track;
    const struct fal_path *in = &c->bench->paths[c->subject].in;
    uint64_t margin_ns =
        fal_given(c, FAL_PARAM_AT_replay_margin) ? track->setup.params.replay_margin_ns : 0;

    if (!track->sealed[fal_in(c)])
        return false;
    if (track->overtaken[fal_in(c)]) /* it left late already */
        return true;
    if (!in->at_port)
        return !in->in_order && (!in->jitter_known || in->jitter_ns >= margin_ns);
    /* or a packet that went unseen did */
    return track->gap_index[fal_in(c)] > 0 || !track->setup.initial_known;
}

/* By the subject's own clock. The later packet has the larger IV, but the IV of the earlier one
 * may be older than its departure. */
static enum fal_order by_iv(const struct fal_ctx *c, const struct fal_point *a,
                            const struct fal_point *b, uint64_t apart_ns)
{
    int64_t apart_ps = (int64_t)(b->iv - a->iv);
    uint64_t margin = apart_ns > 0 ? apart_ns + fal_clock_step_ns(c) : 0;

    return apart_ps > 0 && (uint64_t)apart_ps / 1000 >= margin ? FAL_BEFORE : FAL_NOT_BEFORE;
}

/* Whether the packet to the subject that is the witness was sent so long after something was
 * observed. The index decides where nothing must lie between the two. */
static bool witness_after(const struct fal_ctx *c, uint64_t witness, uint64_t witness_ns,
                          const struct fal_at *at, uint64_t apart_ns)
{
    uint64_t margin;

    if (witness <= at->index)
        return false;
    if (apart_ns == 0)
        return true;
    margin = apart_ns + 2 * c->bench->run.clock_error_ns + at->error_ns;
    return !(c->bench->stepped && at->index < c->bench->step_index) && margin >= apart_ns &&
           witness_ns > at->t_ns && witness_ns - at->t_ns > margin;
}

/* How what a shows is related to what b shows: by the lanes of the subject that made it. */
struct lanes {
    uint64_t witness_ns; /* the witness of b is so much younger than a */
    uint64_t apart_ns;   /* b left so much later than a */
};

static enum fal_order surely_before(const struct fal_ctx *c, const struct fal_point *a,
                                    const struct fal_point *b, const struct lanes *lanes,
                                    enum fal_excuse *why)
{
    const struct fal_iv_clock *clock = &c->track->clock[fal_out(c)];
    struct fal_path out = fal_path_out(c);
    uint64_t margin, apart;
    bool ordered = out.in_order && out.no_duplicates;

    if (a->has_iv && b->has_iv && clock->verified && !clock->refuted)
        return by_iv(c, a, b, lanes->apart_ns);
    /* The claims of b include a packet that was sent after a was seen, so the state of b is
     * younger than a. */
    if (b->has_witness &&
        witness_after(c, b->witness, b->witness_ns, &a->at, lanes->witness_ns))
        return FAL_BEFORE;
    if (ordered && lanes->apart_ns == 0)
        return FAL_BEFORE;
    *why = ordered ? FAL_EXCUSE_PIPELINE : FAL_EXCUSE_OUT_REORDER;
    if (!out.jitter_known)
        return FAL_ORDER_UNKNOWN;
    if (c->bench->stepped && a->at.index < c->bench->step_index &&
        c->bench->step_index < b->at.index) {
        *why = FAL_EXCUSE_CLOCK;
        return FAL_ORDER_UNKNOWN;
    }
    margin = out.jitter_ns + lanes->apart_ns + 2 * c->bench->run.clock_error_ns +
             a->at.error_ns + b->at.error_ns;
    apart = b->at.t_ns > a->at.t_ns ? b->at.t_ns - a->at.t_ns : 0;
    if (margin < lanes->apart_ns || apart <= margin)
        return FAL_ORDER_UNKNOWN;
    return FAL_BEFORE;
}

enum fal_order fal_surely_before(const struct fal_ctx *c, const struct fal_point *a,
                                 const struct fal_point *b, enum fal_excuse *why)
{
    uint64_t pipeline = fal_pipeline_ns(c);

    return surely_before(c, a, b, &(struct lanes){pipeline, pipeline}, why);
}

enum fal_order fal_window_before(const struct fal_ctx *c, enum fal_window w,
                                 const struct fal_point *a, const struct fal_point *b,
                                 enum fal_excuse *why)
{
    uint64_t pipeline = fal_pipeline_ns(c);
    bool same = b->has_witness && b->witness_window == (uint8_t)w;

    return surely_before(c, a, b, &(struct lanes){same ? 0 : pipeline, pipeline}, why);
}

enum fal_order fal_implied_before(const struct fal_ctx *c, const struct fal_point *a,
                                  const struct fal_point *b, enum fal_excuse *why)
{
    uint64_t pipeline = fal_pipeline_ns(c);

    return surely_before(c, a, b, &(struct lanes){pipeline, 2 * pipeline}, why);
}

bool fal_only_witness(const struct fal_ctx *c)
{
    const struct fal_iv_clock *clock = &c->track->clock[fal_out(c)];
    const struct fal_paths *paths = &c->bench->paths[c->subject];

    return !(clock->verified && !clock->refuted) && !paths->out.jitter_known &&
           !paths->round_known &&
           !(paths->out.in_order && paths->out.no_duplicates && fal_pipeline_ns(c) == 0);
}

struct fal_reach fal_witness_reach(const struct fal_ctx *c, const struct fal_seen *q)
{
    uint64_t apart_ns = fal_pipeline_ns(c), error_ns = c->bench->run.clock_error_ns;
    uint64_t margin = apart_ns + 2 * error_ns; /* as witness_after needs at least */

    if (!q->has_witness)
        return (struct fal_reach){0, 0};
    if (apart_ns == 0 || apart_ns >= FAL_NEVER / 8 || error_ns >= FAL_NEVER / 8)
        return (struct fal_reach){q->witness, UINT64_MAX}; /* the index decides, or sums wrap */
    return (struct fal_reach){q->witness, q->witness_ns > margin ? q->witness_ns - margin : 0};
}

enum fal_order fal_event_before(const struct fal_ctx *c, const struct fal_at *event,
                                const struct fal_seen *q, enum fal_excuse *why)
{
    uint64_t in_ns, out_ns, margin;

    if (q->has_witness &&
        witness_after(c, q->witness, q->witness_ns, event, fal_pipeline_ns(c)))
        return FAL_BEFORE;
    *why = FAL_EXCUSE_OUT_REORDER;
    if (!fal_round_ns(c, &in_ns, &out_ns))
        return FAL_ORDER_UNKNOWN;
    if (c->bench->stepped && event->index < c->bench->step_index) {
        *why = FAL_EXCUSE_CLOCK;
        return FAL_ORDER_UNKNOWN;
    }
    margin = out_ns + c->bench->run.clock_error_ns + 2 * fal_pipeline_ns(c) + q->at.error_ns;
    return q->at.t_ns > event->t_ns && q->at.t_ns - event->t_ns > margin ? FAL_BEFORE
                                                                         : FAL_ORDER_UNKNOWN;
}

/* Whether p, a packet to the subject, was certainly processed or lost before the state that q
 * shows, by declared delays. */
static bool surely_done(const struct fal_ctx *c, const struct fal_at *p,
                        const struct fal_seen *q)
{
    uint64_t in_ns, out_ns, margin;

    if (!fal_round_ns(c, &in_ns, &out_ns) ||
        (c->bench->stepped && p->index < c->bench->step_index))
        return false;
    margin = in_ns + out_ns + 2 * fal_pipeline_ns(c) + p->error_ns + q->at.error_ns;
    return q->at.t_ns > p->t_ns && q->at.t_ns - p->t_ns > margin;
}

bool fal_surely_arrived(const struct fal_ctx *c, const struct fal_at *p,
                        const struct fal_seen *q)
{
    struct fal_path in = fal_path_in(c);
    uint64_t pipeline = fal_pipeline_ns(c);
    /* The younger packet may have come sooner after p than it was sent. */
    uint64_t apart_ns = pipeline == 0 ? 0 : pipeline + in.jitter_ns;

    if (in.in_order && in.no_duplicates && q->has_witness &&
        (pipeline == 0 || in.jitter_known) &&
        witness_after(c, q->witness, q->witness_ns, p, apart_ns))
        return true;
    return surely_done(c, p, q);
}

bool fal_surely_noted(const struct fal_ctx *c, const struct fal_at *p, const struct fal_seen *q)
{
    return fal_pipeline_ns(c) == 0 || surely_done(c, p, q);
}

bool fal_rx_may_go(const struct fal_ctx *c, int64_t x, uint64_t since, uint64_t gap_index,
                   enum fal_excuse *why)
{
    const struct fal_sent *sent = fal_stream_sent(fal_in_stream(c, FAL_WINDOW_DATA), x);
    struct fal_path out = fal_path_out(c);

    if (sent != NULL && sent->type != FAL_PUSH_DATA)
        return false;
    if (sent != NULL && (sent->flags & FAL_SENT_NACKED) != 0)
        *why = FAL_EXCUSE_READING; /* AMB-65 */
    else if (sent == NULL || sent->first.index > since || gap_index > since ||
             c->track->undeclared)
        *why = FAL_EXCUSE_CAPTURE_GAP; /* We may not have known it when the NACK was sent. */
    else if (!out.lossless)
        *why = FAL_EXCUSE_OUT_LOSS;
    else if (!out.in_order)
        *why = FAL_EXCUSE_OUT_REORDER;
    else if (fal_pipeline_ns(c) > 0)
        *why = FAL_EXCUSE_PIPELINE;
    else
        return false;
    return true;
}

bool fal_out_settled(const struct fal_ctx *c, const struct fal_at *at)
{
    struct fal_path out = fal_path_out(c);
    uint64_t pipeline = fal_pipeline_ns(c), margin;

    if (out.in_order && pipeline == 0)
        return true;
    margin = out.jitter_ns + pipeline + 2 * c->bench->run.clock_error_ns + at->error_ns;
    return out.jitter_known && margin >= pipeline && c->now_ns > at->t_ns &&
           c->now_ns - at->t_ns > margin;
}

void fal_forget_when_dead(struct fal_ctx *c, const struct fal_event *event)
{
    (void)event;
    if (c->track->dead)
        fal_bag_release(c->state);
}

bool fal_marks_gap(const struct fal_event *event, enum fal_dir dir)
{
    return event->u.mark.mark == (dir == FAL_TO_SUT ? FAL_MARK_GAP_IN : FAL_MARK_GAP_OUT);
}

bool fal_connection_failed(const struct fal_event *event)
{
    return strcmp(event->u.cm.what, "dropped") != 0;
}

bool fal_may_be_stale(const struct fal_ctx *c, const struct fal_seen *p)
{
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++)
        if (fal_out_stream(c, w)->base_unsure ||
            p->claim[w].base < fal_stream_edge(fal_out_stream(c, w)))
            return true;
    return false;
}

/* Within which time packets that keep the order only within `pipeline_ns` after their arrival
 * are seen. */
static uint64_t seen_within_ns(const struct fal_bench *bench, uint64_t pipeline_ns)
{
    const struct fal_path *in = &bench->paths[FAL_SUBJECT_SUT].in;
    uint64_t within_ns = pipeline_ns + in->jitter_ns + 2 * bench->run.clock_error_ns;

    return in->jitter_known && bench->run.clock_error_ns < FAL_NEVER / 8 &&
                   within_ns >= pipeline_ns
               ? within_ns
               : FAL_NEVER;
}

uint64_t fal_lanes_within_ns(const struct fal_bench *bench, const struct fal_connection *setup)
{
    uint64_t pipeline_ns = setup->params.pipeline_ns;

    return pipeline_ns > 0 ? seen_within_ns(bench, pipeline_ns) : 0;
}

bool fal_may_overtake(const struct fal_ctx *c, const struct fal_at *older,
                      const int64_t base[2], const struct fal_seen *p)
{
    uint64_t pipeline_ns = fal_pipeline_ns(c);

    if (c->subject != FAL_SUBJECT_SUT || (pipeline_ns == 0 && fal_path_in(c).in_order))
        return false;
    return p->at.index > older->index &&
           p->at.t_ns - older->t_ns <= seen_within_ns(c->bench, pipeline_ns) &&
           (p->claim[0].base > base[0] || p->claim[1].base > base[1]);
}

int64_t fal_taken(const struct fal_ctx *c, enum fal_window w)
{
    const struct fal_lanes *lanes = &c->track->lanes[fal_in(c)];

    return c->subject == FAL_SUBJECT_SUT && lanes->within_ns > 0 ? lanes->settled[w]
                                                                 : fal_out_stream(c, w)->taken;
}

uint64_t fal_least_transaction_ns(const struct fal_ctx *c)
{
    const struct fal_params *params = &c->track->setup.params;
    uint64_t nominal_ns = params->transaction_timeout_ns;

    /* A timeout as the RTO: it has a nominal value, and no accuracy. */
    return fal_timer_bounds(FAL_TIMED_RTO, nominal_ns, nominal_ns, params->tick_ns, 0).least_ns;
}

bool fal_may_time_out(const struct fal_ctx *c, uint64_t first_ns, uint64_t at_ns)
{
    return !fal_given(c, FAL_PARAM_AT_transaction_timeout) ||
           (at_ns > first_ns && at_ns - first_ns >= fal_least_transaction_ns(c));
}

bool fal_first_seen(const struct fal_ctx *c, const struct fal_request *r)
{
    enum { PLACED = FAL_REQ_SENT | FAL_REQ_PLACED };
    const struct fal_stream *in;

    if ((r->flags & PLACED) != PLACED || c->track->undeclared)
        return false;
    in = fal_in_stream(c, (enum fal_window)r->window);
    return r->psn >= in->doubt && !fal_track_blind(c->track, fal_in(c)) &&
           !(c->track->foreign[fal_in(c)] && in->holes);
}

bool fal_may_be_reclaimed(const struct fal_ctx *c, const struct fal_request *r, uint64_t at_ns)
{
    return r == NULL || !fal_first_seen(c, r) || fal_may_time_out(c, r->first.t_ns, at_ns);
}
