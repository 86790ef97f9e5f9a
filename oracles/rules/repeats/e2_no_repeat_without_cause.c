/* SPDX-License-Identifier: Apache-2.0
 * e2_no_repeat_without_cause.c - rule E2: a packet that nothing allows to be sent again early
 * waits for its retransmission timeout after each copy. Unseen copies between two only make the
 * true time shorter, so losses never excuse a violation. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"
#include "oracles/rules/queues/in_force.h"
#include "oracles/rules/repeats/repeats.h"

const struct fal_rule fal_about_e2 = {
    .id = "E2",
    .title = "no packet is retransmitted early without a cause",
    .requirements =
        FAL_IDS("FTP-9-15", "FTP-9.1.1-16", "FTP-9.1.1-27", "FTP-9.1.4-02", "FTP-9.1.4-03",
                "FTP-9.1.4-04", "FTP-9.1.4-05", "FTP-9.1.4-12", "FTP-9.1.4-14", "FTP-9.1.4-15",
                "FTP-9.2.3-14", "FTP-10.6.2.2-09", "FTP-10.6.2.1-18"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Violated by two copies of a packet closer together than its retransmission timeout "
        "(down to 5 % a warning, a tick of the SUT's timers is free; the shortest RTO if it "
        "varies), unless an EACK showed it missing by the out-of-order threshold, or carried OWN, or a "
        "NACK with code 1 or 2 named it. That permission lasts until the packet is "
        "acknowledged. Unseen copies only shorten the true time. Not judged where RACK-TLP is "
        "claimed; a warning where it was not denied. Where results of a Rate Update Engine change "
        "the RTO, the shortest one counts that may have been in force since the last copy.",
};

/* The RTO is this many times the turnaround and two pipeline allowances (FAL_RATIO_E2). */
enum { MOVED_RATIO = 8 };

/* It came sooner than `due_ns`, or, with a warning, than free_ns of its timer. */
static void broken(struct fal_ctx *c, const struct fal_seen *q, uint64_t gap_ns,
                   const struct fal_timer_bounds *b, bool by_result, bool warn)
{
    const struct fal_stream *stream = fal_out_stream(c, q->window);
    struct fal_at last = fal_last_copy(q->prior);
    uint64_t n = (uint64_t)(q->x - stream->base), pipeline_ns = fal_pipeline_ns(c);
    uint64_t bound_ns = warn ? b->free_ns : b->least_ns;
    bool received = n < 128 && fal_u128_test(stream->received, (unsigned)n);
    char number[FAL_NUMBER_MAX], nominal[FAL_NOMINAL_MAX];

    fal_broken(c,
               &(struct fal_blame){.requirement = received    ? "FTP-9.1.4-12"
                                                  : by_result ? "FTP-10.6.2.2-09"
                                                              : "FTP-9-15",
                                   .cause = {&last},
                                   .effect = &q->at,
                                   .packet = q->packet,
                                   .warn = warn},
               "%s PSN %s retransmitted no sooner than %s after its last copy%s, as its "
               "retransmission timeout is %s: no EACK showed it missing%s; it came after %s",
               fal_window_word(q->window), fal_psn_text(stream, q->x, number),
               fal_time_text(bound_ns > pipeline_ns ? bound_ns - pipeline_ns : 0).text,
               warn ? " (a warning: it is at most 5 % early)" : "",
               fal_nominal_text(b, nominal), received ? ", one showed it received" : "",
               fal_time_text(gap_ns).text);
}

static void judge(struct fal_ctx *c, const struct fal_seen *q, const struct fal_timer_bounds *b,
                  bool by_result)
{
    struct fal_gap gap = fal_gap_of(c, q);
    uint64_t most_ns = gap.max_ns + fal_pipeline_ns(c); /* the last copy may have left late */

    if (gap.same)
        fal_excused(c, gap.why);
    else if (!gap.known)
        fal_undecided(c, gap.why);
    else if (most_ns >= b->free_ns)
        fal_held(c, gap.max_ns >= b->free_ns);
    else if (fal_rack_of(c) == FAL_RACK_UNKNOWN)
        fal_excused(c, FAL_EXCUSE_READING); /* the ICS does not deny tail probes */
    else
        broken(c, q, gap.max_ns, b, by_result, most_ns >= b->least_ns);
}

/* The bounds of the RTO. Where results or `set` move it, the shortest one counts that may have
 * been in force since the last copy. */
static bool rto_of(const struct fal_ctx *c, const struct fal_seen *q,
                   struct fal_timer_bounds *b, bool *by_result)
{
    const struct fal_params *params = &c->track->setup.params;
    struct fal_gap gap = fal_gap_of(c, q);
    uint64_t room_ns = params->turnaround_ns + 2 * fal_pipeline_ns(c);
    struct fal_in_force now;

    if (fal_rto_judged(c, b))
        return fal_in_ratio(c, FAL_RATIO_E2);
    if (!gap.known || c->subject != FAL_SUBJECT_SUT || fal_is_learned(c))
        return false;
    now = fal_in_force(c, q->at.t_ns, gap.max_ns + fal_pipeline_ns(c));
    if (!now.moved || now.of.lo.rto_ns == 0 || now.of.hi.rto_ns == FAL_NEVER ||
        now.of.lo.rto_ns / MOVED_RATIO < room_ns)
        return false;
    *b =
        fal_timer_bounds(FAL_TIMED_RTO, now.of.lo.rto_ns, now.of.hi.rto_ns, params->tick_ns, 0);
    *by_result = now.by_result;
    return !b->coarse;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct fal_timer_bounds b;
    bool by_result = false;

    if (!q->reliable || q->prior == NULL || q->falcon->packet_type == FAL_RESYNC ||
        q->prior->copies == 0 || (q->prior->flags & FAL_SENT_RESYNC) != 0 ||
        fal_stream_acked(fal_out_stream(c, q->window), q->x))
        return;
    switch (fal_licence_of(c, q->window, q->x)) {
    case FAL_LICENCE_NONE: break;
    case FAL_LICENCE_EACK:
    case FAL_LICENCE_NACK: return;
    case FAL_LICENCE_MAYBE: fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); return;
    }
    if (!rto_of(c, q, &b, &by_result) || fal_rack_of(c) == FAL_RACK_CLAIMED)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else
        judge(c, q, &b, by_result);
}

const struct fal_rule_impl fal_rule_e2 = {
    .about = &fal_about_e2,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .out = out,
    .on_out = FAL_ON_AGAIN,
};
