/* SPDX-License-Identifier: Apache-2.0
 * q6_paced_by_the_gap.c - rule Q6: with fcwnd below one packet, the gap in force lies between
 * two first transmissions of a window (10.3.5, 10.6.2). The gap counts from the departure
 * before, so a retransmission, or a packet of the other window, may follow at once. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/queues/in_force.h"

#include "codecs/base/time_text.h"

const struct fal_rule fal_about_q6 = {
    .id = "Q6",
    .title = "below a window of one packet, the gap paces first transmissions",
    .requirements = FAL_IDS("FTP-10.3-02", "FTP-10.3.4-09", "FTP-10.3.5-02", "FTP-10.6.2.1-16",
                            "FTP-10.6.2.2-07"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "",
    .doc =
        "Violated by two first copies of one window that leave closer to each other than the "
        "smallest gap that may have been in force since the first of them, less 5 % and the "
        "tick, while fcwnd was surely below one packet. IVs tell the times, or the path "
        "without jitter. The limits are those of results, of set, or of open.",
};

/* The newest first copy of each window. */
struct state {
    struct {
        bool known, has_iv;
        uint64_t iv;
        struct fal_at at;
    } last[FAL_WINDOWS];
};

enum { EARLY_PERCENT = 5 };

/* The longest time that can lie between the departures of two packets. False: unknown. */
static bool longest(const struct fal_ctx *c, const struct fal_seen *q, uint64_t from_iv,
                    bool has_iv, const struct fal_at *from, uint64_t *ns)
{
    struct fal_path out = fal_path_out(c);

    if (has_iv && q->packet->has_iv && c->track->clock[fal_out(c)].verified &&
        q->packet->iv >= from_iv) {
        *ns = (q->packet->iv - from_iv) / 1000 + fal_clock_step_ns(c);
        *ns += fal_drift_ns(*ns);
        return true;
    }
    if (!out.jitter_known || c->bench->stepped)
        return false;
    *ns = q->at.t_ns - from->t_ns + out.jitter_ns + 2 * c->bench->run.clock_error_ns +
          from->error_ns + q->at.error_ns;
    return true;
}

static void judge(struct fal_ctx *c, const struct fal_seen *q, const struct fal_at *from,
                  uint64_t apart_ns)
{
    /* At the time of the first packet the limits may have changed after it. */
    struct fal_in_force now = fal_in_force(c, q->at.t_ns, apart_ns + 1);
    uint64_t gap_ns = now.of.lo.gap_ns, tick_ns = c->track->setup.params.tick_ns;
    uint64_t least_ns = gap_ns - gap_ns * EARLY_PERCENT / 100;

    if (now.of.hi.fcwnd >= FAL_CC_FRACTION || gap_ns == 0)
        return; /* It need not be paced. */
    least_ns = least_ns > tick_ns ? least_ns - tick_ns : 0;
    if (apart_ns >= least_ns)
        fal_holds(c);
    else if (!fal_path_out(c).lossless)
        fal_excused(c, FAL_EXCUSE_OUT_LOSS); /* Its first copy may have been lost. */
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement =
                                           now.by_result ? "FTP-10.6.2.2-07" : "FTP-10.3.5-02",
                                       .cause = {from},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "a first copy no sooner than %s after the one before, as fcwnd is below one "
                   "packet; it came after %s",
                   fal_time_text(gap_ns).text, fal_time_text(apart_ns).text);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    uint64_t apart_ns;

    if (!q->reliable || q->prior != NULL || q->falcon->packet_type == FAL_RESYNC)
        return;
    if (state->last[q->window].known && !fal_track_may_miss(c->track, fal_out(c), 0) &&
        longest(c, q, state->last[q->window].iv, state->last[q->window].has_iv,
                &state->last[q->window].at, &apart_ns))
        judge(c, q, &state->last[q->window].at, apart_ns);
    state->last[q->window].known = true;
    state->last[q->window].has_iv = q->packet->has_iv;
    state->last[q->window].iv = q->packet->iv;
    state->last[q->window].at = q->at;
}

const struct fal_rule_impl fal_rule_q6 = {
    .about = &fal_about_q6,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_FIRST,
};
