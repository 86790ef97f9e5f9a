/* SPDX-License-Identifier: Apache-2.0
 * x5_requests_within_ncwnd.c - rule X5: no more requests of a window are outstanding than the
 * NIC congestion window (ncwnd) allows, if it is given. Outstanding: seen sent, and no packet
 * sent to the SUT acknowledges it. Unseen requests only make the true count higher. Requests
 * that an unseen Resync may have replaced make it lower, so they are not counted. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"
#include "oracles/rules/queues/in_force.h"
#include "oracles/rules/repeats/repeats.h"

const struct fal_rule fal_about_x5 = {
    .id = "X5",
    .title = "no more than ncwnd requests are outstanding",
    .requirements = FAL_IDS("FTP-9.1.1-12", "FTP-9.1.2-02", "FTP-9.1.2-05", "FTP-10.6.2.1-17",
                            "FTP-10.6.2.2-08", "FTP-10.6.2.2-18"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "base-not-beyond-sent",
    .both_ways = true,
    .doc =
        "Violated by a first copy of a pull_request or push while ncwnd of its kind were "
        "sent and nothing ever sent to the SUT acknowledges them. Requests that an unseen "
        "Resync may have replaced are not counted. The rule holds where all ncwnd places "
        "were used. Where results of a Rate Update Engine change ncwnd, the largest one counts "
        "that may be in force.",
};

/* Whether the timer, or the end of its transaction, may have replaced it by a Resync that is
 * late or was lost on its way to us. Its transaction may be as old as the connection: it may
 * have waited for its turn. */
static bool may_be_replaced(const struct fal_ctx *c, const struct fal_sent *sent)
{
    const struct fal_params *params = &c->track->setup.params;
    struct fal_timer_bounds b;
    bool known = fal_rto_judged(c, &b);
    uint64_t all_ns = b.least_ns * params->max_attempts;
    struct fal_path out = fal_path_out(c);

    if (out.lossless && out.in_order && fal_pipeline_ns(c) == 0 &&
        !fal_track_may_miss(c->track, fal_out(c), sent->first.index))
        return false;
    return fal_may_time_out(c, 0, c->now_ns) || !known ||
           !fal_given(c, FAL_PARAM_AT_max_attempts) || !out.jitter_known ||
           c->now_ns - sent->first.t_ns + 2 * out.jitter_ns + fal_pipeline_ns(c) >= all_ns;
}

/* Whether a NACK that ends its transaction was sent for it, be it before it was seen, or
 * unseen since event `since`: a Resync may have taken its place, and be late or lost on its way
 * to us. */
static bool may_be_refused(const struct fal_ctx *c, enum fal_window w, int64_t x,
                           uint64_t since)
{
    const struct fal_nacks *nacks = &c->track->nacks[fal_out(c)];
    struct fal_path out = fal_path_out(c);

    if (out.lossless && out.in_order && !fal_track_may_miss(c->track, fal_out(c), 0))
        return false;
    for (unsigned i = 0; i < nacks->bag.num; i++) {
        const struct fal_nack *nack = FAL_BAG(&nacks->bag, struct fal_nack, i);

        if (nack->x == x && nack->window == (uint8_t)w && nack->code != FAL_NACK_RESOURCE &&
            nack->code != FAL_NACK_RNR)
            return true;
    }
    return nacks->lost || c->track->gap_index[fal_in(c)] > since;
}

/* Counts one by one those that are outstanding beyond doubt; those a leap away are left out. */
static uint32_t count(const struct fal_ctx *c, enum fal_window w)
{
    const struct fal_stream *stream = fal_out_stream(c, w);
    uint32_t n = 0;
    int64_t from = stream->base > stream->sent.lo ? stream->base : stream->sent.lo;

    for (int64_t x = from; x < stream->sent.hi; x++) {
        const struct fal_sent *sent = fal_stream_sent(stream, x);

        n += sent != NULL && (sent->flags & FAL_SENT_COUNTED) != 0 &&
             (sent->flags & FAL_SENT_VARIED) == 0 && !fal_stream_acked(stream, x) &&
             !may_be_replaced(c, sent) && !may_be_refused(c, w, x, sent->first.index);
    }
    return n;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    uint32_t ncwnd = c->track->setup.params.ncwnd, outstanding;
    bool known = fal_given(c, FAL_PARAM_AT_ncwnd);
    struct fal_in_force now;
    const struct fal_stream *stream;
    bool req;

    if (!q->reliable || q->prior != NULL || q->type == FAL_PULL_DATA ||
        q->falcon->packet_type == FAL_RESYNC)
        return;
    req = q->window == FAL_WINDOW_REQ;
    stream = fal_out_stream(c, q->window);
    now = fal_in_force(c, q->at.t_ns, 0);
    if (now.moved) {
        known = fal_ncwnd_known(&now);
        ncwnd = now.of.hi.ncwnd;
    }
    if (!known || stream->requests + 1 < ncwnd || fal_stream_acked(stream, q->x) ||
        may_be_refused(c, q->window, q->x, q->at.index))
        return;
    if (!stream->based || stream->bits_unsure || fal_track_deaf(c->track, fal_in(c))) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    outstanding = stream->requests + 1 > ncwnd ? count(c, q->window) + 1 : ncwnd;
    if (outstanding <= ncwnd)
        fal_holds(c);
    else if (now.moved && q->x < stream->next && !fal_path_out(c).lossless)
        fal_excused(c, FAL_EXCUSE_OUT_LOSS); /* Its first copy may have left long before. */
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = now.by_result ? "FTP-10.6.2.2-18"
                                                      : req         ? "FTP-9.1.2-02"
                                                                    : "FTP-9.1.2-05",
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "at most %u %s outstanding (ncwnd); %u are", ncwnd,
                   req ? "pull_requests" : "pushes", outstanding);
}

const struct fal_rule_impl fal_rule_x5 = {
    .about = &fal_about_x5,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .out = out,
    .on_out = FAL_ON_LIMITS,
};
