/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/acks/duty.h"

#include "codecs/base/time_text.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"

/* What two clocks may differ by, of the time that they measure. */
#define DRIFT(ns) ((ns) / 10000)

static struct fal_duty *duty_at(const struct fal_duties *duties, unsigned i)
{
    return FAL_BAG(&duties->bag, struct fal_duty, i);
}

static void drop(struct fal_duties *duties, unsigned i)
{
    fal_bag_remove(&duties->bag, sizeof(struct fal_duty), i);
}

bool fal_duty_until(const struct fal_ctx *c, uint64_t t_ns, bool arrives, uint64_t ns,
                    uint64_t *until_ns)
{
    uint64_t in_ns, out_ns, slack_ns;

    if (!fal_given(c, FAL_PARAM_AT_coalescing) || !fal_duty_slack(c, &slack_ns) ||
        !fal_round_ns(c, &in_ns, &out_ns) || ns > FAL_NEVER / 8)
        return false;
    *until_ns = t_ns + (arrives ? in_ns : 0) + ns + DRIFT(ns) + slack_ns + out_ns;
    return true;
}

bool fal_duty_slack(const struct fal_ctx *c, uint64_t *ns)
{
    return fal_slack_ns(c, FAL_TIMER_COALESCING, 2, ns);
}

bool fal_duty_arrives(const struct fal_ctx *c, const struct fal_seen *p)
{
    if (!c->bench->paths[c->subject].in.lossless) /* no copy of the path for most packets */
        return false;
    return p->reliable && !p->doubtful && !p->packet->truncated && fal_path_in(c).lossless &&
           fal_in_stream(c, p->window)->based;
}

bool fal_duty_claimed(const struct fal_ctx *c, enum fal_window window, int64_t x)
{
    const struct fal_stream *stream = fal_in_stream(c, window);
    uint64_t n = (uint64_t)(x - stream->base);

    return x < stream->base || (n < 128 && fal_u128_test(stream->acked, (unsigned)n));
}

void fal_duty_add(struct fal_ctx *c, struct fal_duties *duties, const struct fal_duty *duty)
{
    struct fal_duty *new;

    if (duties->dead || c->track->dead || duties->bag.num == FAL_DUTIES_MAX)
        return;
    new = fal_bag_add(&duties->bag, sizeof *duty, FAL_DUTIES_MAX);
    if (new == NULL) {
        c->track->oom = true;
        return;
    }
    *new = *duty;
    fal_wake(c, duty->until_ns);
}

/* ---- what ends one ---- */

/* Whether q may have been sent after the cause was there. */
static bool may_follow(const struct fal_ctx *c, const struct fal_duty *duty,
                       const struct fal_seen *q)
{
    const struct fal_ev_run *run = &c->bench->run;
    /* from the middle of the path it may be any part of the shortest delay */
    bool whole = !fal_path_in(c).at_port && run->vantage != FAL_VANTAGE_MIDDLE;
    uint64_t least = whole ? run->delay_min_ns : 0;

    if (duty->cause.index >= q->at.index)
        return false;
    least = duty->arrives && least < FAL_S ? 2 * least : 0;
    return q->at.t_ns + 2 * run->clock_error_ns + q->at.error_ns + duty->cause.error_ns >=
           duty->cause.t_ns + least;
}

static bool tells(const struct fal_seen *q, const struct fal_duty *duty)
{
    const struct fal_claim *claim = &q->claim[duty->window];
    uint64_t n = (uint64_t)(duty->x - claim->base);

    return !duty->numbered || duty->x < claim->base ||
           (n < 128 && fal_u128_test(claim->ack, (unsigned)n));
}

/* Whether all bitmaps may have been zero when q was made: an acknowledged number above its
 * base, claimed before on a path that keeps order, says no. */
static bool may_be_all(const struct fal_ctx *c, const struct fal_seen *q)
{
    if (!fal_path_out(c).in_order || fal_pipeline_ns(c) > 0)
        return true;
    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        const struct fal_stream *stream = fal_in_stream(c, (enum fal_window)w);
        int top = fal_u128_top(stream->acked);

        if (top >= 0 && stream->base + top > q->claim[w].base)
            return false;
    }
    return true;
}

static bool ends(const struct fal_ctx *c, const struct fal_duty *duty, const struct fal_seen *q)
{
    bool ack = q->falcon->packet_type == FAL_BACK || q->falcon->packet_type == FAL_EACK;

    /* The short questions come first: most packets answer one of them. */
    if ((!ack && (!q->reliable || duty->packet)) || !tells(q, duty) || !may_follow(c, duty, q))
        return false;
    return ack || may_be_all(c, q);
}

/* A base in a NACK or in a reliable packet acknowledges the number. */
static void note_base(const struct fal_ctx *c, struct fal_duty *duty, const struct fal_seen *q)
{
    if (duty->conveyed || duty->packet || duty->x >= q->claim[duty->window].base ||
        (!q->reliable && q->falcon->packet_type != FAL_NACK) || !may_follow(c, duty, q))
        return;
    duty->conveyed = true;
    duty->by = q->at;
}

/* A NACK refuses the packet: nothing else is due for it. */
static bool refuses(const struct fal_ctx *c, const struct fal_duty *duty,
                    const struct fal_seen *q)
{
    const struct fal_falcon *f = q->falcon;

    return f->packet_type == FAL_NACK && duty->window == (f->window & 1) &&
           duty->x ==
               fal_stream_extend(&c->track->stream[fal_in(c)][duty->window], f->nack_psn);
}

struct fal_duties_met fal_duty_met(struct fal_ctx *c, const struct fal_seen *q)
{
    struct fal_duties *duties = c->state;
    struct fal_duties_met met = {0};

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        uint64_t epoch = fal_in_stream(c, (enum fal_window)w)->epoch;

        if (duties->epoch[w] != epoch)
            fal_bag_free(&duties->bag);
        duties->epoch[w] = epoch;
    }
    /* a packet sent so often ends the connection, perhaps (9.1.1) */
    if (q->prior != NULL && q->prior->copies >= c->track->setup.params.max_attempts) {
        duties->dead = true;
        fal_bag_free(&duties->bag);
    }
    for (unsigned i = 0; i < duties->bag.num;) {
        struct fal_duty *duty = duty_at(duties, i);

        if (ends(c, duty, q)) {
            met.all++;
            met.excused += !fal_met_plainly(c, q->at.t_ns, duty->until_ns, duty->slack_ns);
            drop(duties, i);
        } else if (refuses(c, duty, q)) {
            drop(duties, i);
        } else {
            note_base(c, duty, q);
            i++;
        }
    }
    return met;
}

/* ---- none came ---- */

static void missed(struct fal_ctx *c, const struct fal_duty *duty)
{
    struct fal_at effect = {.index = c->now_index, .t_ns = c->now_ns, .step = -1};

    if (!fal_path_out(c).lossless) {
        /* One ACK answers all that came while it was coalesced; AR is answered at once. */
        fal_excused_at(c, FAL_EXCUSE_OUT_LOSS, duty->cause.t_ns,
                       duty->packet ? 0 : c->track->setup.params.coalescing_ns);
        return;
    }
    if (c->track->gap_index[fal_out(c)] > duty->cause.index) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* of which we just hear */
        return;
    }
    if (duty->conveyed) {
        (void)fal_read_as(c, FAL_AMB_19, FAL_READ_OTHER, &duty->by);
        return;
    }
    fal_broken(c,
               &(struct fal_blame){.requirement = duty->requirement,
                                   .cause = {&duty->cause},
                                   .effect = &effect,
                                   .seen = "no such ACK by then"},
               "an ACK for %s, by %s", duty->what, fal_time_text(duty->until_ns).text);
}

void fal_duty_tell(struct fal_ctx *c, struct fal_duties_met met)
{
    for (unsigned i = 0; i < met.all; i++)
        if (i < met.excused)
            fal_excused(c, FAL_EXCUSE_TURNAROUND);
        else
            fal_holds(c);
}

void fal_duty_out(struct fal_ctx *c, const struct fal_seen *q)
{
    fal_duty_tell(c, fal_duty_met(c, q));
}

static void forget(struct fal_ctx *c, struct fal_duties *duties)
{
    for (unsigned i = 0; i < duties->bag.num; i++)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    fal_bag_free(&duties->bag);
}

void fal_duty_wake(struct fal_ctx *c)
{
    struct fal_duties *duties = c->state;

    if (c->track->dead)
        forget(c, duties);
    for (unsigned i = 0; i < duties->bag.num;) {
        const struct fal_duty duty = *duty_at(duties, i);

        if (c->now_ns <= duty.until_ns) {
            fal_wake(c, duty.until_ns);
            i++;
        } else {
            drop(duties, i);
            missed(c, &duty);
        }
    }
}

const struct fal_request *fal_duty_push_taken(struct fal_ctx *c, const struct fal_told *told)
{
    const struct fal_request *request = fal_track_request(c->track, FAL_TO_SUT, told->rsn);

    if (told->answer != FAL_ANSWER_ACK || request == NULL || request->type != FAL_PUSH_DATA ||
        (request->flags & FAL_REQ_SENT) == 0 || (request->flags & FAL_REQ_VARIED) != 0 ||
        fal_duty_claimed(c, FAL_WINDOW_DATA, request->psn) ||
        fal_may_be_reclaimed(c, request, told->known.t_ns))
        return NULL;
    return request;
}

void fal_duty_mark(struct fal_ctx *c, const struct fal_event *event)
{
    if (fal_marks_gap(event, fal_out(c)) || event->u.mark.mark == FAL_MARK_CLOCK_STEP)
        forget(c, c->state);
}

void fal_duty_cm(struct fal_ctx *c, const struct fal_event *event)
{
    (void)event;
    if (c->track->dead)
        forget(c, c->state);
}
