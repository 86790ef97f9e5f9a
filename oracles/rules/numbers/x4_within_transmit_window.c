/* SPDX-License-Identifier: Apache-2.0
 * x4_within_transmit_window.c - rule X4: no packet is sent whose number is a window or more
 * above the base that the other side acknowledged. The base is the highest that was sent to the
 * SUT before, plus the numbers that bits acknowledge right above it: the SUT cannot know a
 * higher one. The window is the fabric congestion window, or the configured transmit window, if
 * given. Where results of a Rate Update Engine or `set` change fcwnd, the largest one that may
 * be in force counts, and first copies alone: after a fall, older packets stay outstanding.
 * Sending beyond the receiver's window is allowed. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/queues/in_force.h"

const struct fal_rule fal_about_x4 = {
    .id = "X4",
    .title = "no packet is sent beyond the congestion or transmit window",
    .requirements =
        FAL_IDS("FTP-6.1.2-06", "FTP-6.3-01", "FTP-8.4.3.1-05", "FTP-9-10", "FTP-9.1.1-13",
                "FTP-9.1.2-01", "FTP-9.1.2-03", "FTP-9.1.2-04", "FTP-9.1.2-06", "FTP-9.1.2-07",
                "FTP-9.1.2-08", "FTP-9.1.2-13", "FTP-9.1.3-02", "FTP-9.1.5-03", "FTP-9.1.8-06",
                "FTP-9.2.3-01", "FTP-10-01", "FTP-10.3.5-01", "FTP-10.6.2.1-14",
                "FTP-10.6.2.1-15", "FTP-10.6.2.2-05", "FTP-10.6.2.2-06", "FTP-10.6.2.2-18"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "base-not-beyond-sent",
    .both_ways = true,
    .doc =
        "Violated by a copy whose PSN is fcwnd or more above the highest base that was "
        "ever sent to the SUT, or a transmit window and more; a distance of exactly one "
        "window is the other reading of its right edge (AMB-10: warn), and so is one packet "
        "more where fcwnd has a fraction (AMB-11: warn). The rule holds "
        "where the last number of the window was used. If only the base of an ACK whose "
        "other base was old lets the packet out, the rule warns (AMB-23). Where results of a "
        "Rate Update Engine change fcwnd, the largest one counts that may be in force, and "
        "first copies alone. Sending beyond the "
        "receiver's window is allowed.",
};

/* The window that counts for a packet. */
struct window {
    bool known;
    int64_t packets;
    bool fraction; /* it has one */
    bool moved, by_result;
};

static struct window fcwnd_of(const struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_params *params = &c->track->setup.params;
    struct fal_in_force now = fal_in_force(c, q->at.t_ns, 0);
    struct window w = {.known = fal_given(c, FAL_PARAM_AT_fcwnd)};

    w.moved = now.moved;
    if (!now.moved) {
        w.packets = params->fcwnd > 0 ? params->fcwnd : 1; /* AMB-11 */
        w.fraction = params->fcwnd > 0 && params->fcwnd_fraction > 0;
        return w;
    }
    w.known = fal_fcwnd_known(&now) && q->prior == NULL && q->falcon->packet_type != FAL_RESYNC;
    w.by_result = now.by_result;
    w.packets = fal_fcwnd_packets(now.of.hi.fcwnd);
    w.fraction = now.of.hi.fcwnd > FAL_CC_FRACTION && now.of.hi.fcwnd % FAL_CC_FRACTION > 0;
    return w;
}

static const char *requirement(const struct fal_seen *q, const struct window *fcwnd)
{
    bool again = q->prior != NULL && q->prior->copies > 0;

    if (fcwnd->by_result)
        return "FTP-10.6.2.2-18";
    if (q->falcon->packet_type == FAL_RESYNC)
        return "FTP-9.1.8-06";
    if (q->falcon->packet_type == FAL_PULL_REQUEST)
        return again ? "FTP-9.1.2-06" : "FTP-9.1.2-01";
    if (q->falcon->packet_type == FAL_PULL_DATA)
        return again ? "FTP-9.1.2-07" : "FTP-9.1.2-03";
    return again ? "FTP-9.1.2-08" : "FTP-9.1.2-04";
}

static void broken(struct fal_ctx *c, const struct fal_seen *q, const char *id, int64_t limit,
                   const char *name)
{
    const struct fal_stream *stream = fal_out_stream(c, q->window);
    int64_t edge = fal_stream_edge(stream);
    const struct fal_sent *base = fal_stream_sent(stream, edge);
    char from[FAL_NUMBER_MAX], to[FAL_NUMBER_MAX];

    fal_broken(c,
               &(struct fal_blame){.requirement = id,
                                   .cause = {base != NULL ? &base->first : NULL},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "%s PSNs below %s: the highest base sent to it is %s, and %s %lld",
               fal_window_word(q->window), fal_psn_text(stream, edge + limit, to),
               fal_psn_text(stream, edge, from), name, (long long)limit);
}

/* The configured window, which may count its right edge (AMB-10). */
static void check_window(struct fal_ctx *c, const struct fal_seen *q, int64_t ahead,
                         int64_t window)
{
    if (ahead == window && fal_read_window_as(c, FAL_AMB_10, q->window, FAL_READ_OTHER, &q->at))
        return;
    if (ahead >= window)
        broken(c, q, "FTP-9-10", window, "the transmit window");
    else if (ahead == window - 1)
        fal_holds(c);
}

/* Whether only a base that came in an ACK or NACK with an older base of the other window lets
 * the packet out. The subject surely had the newer one, so the whole ACK is discarded by the
 * default reading (AMB-23). One of several engines may process the older packet last. */
static bool by_mixed_base(const struct fal_ctx *c, const struct fal_seen *q, int64_t fcwnd)
{
    const struct fal_stream *stream = fal_out_stream(c, q->window);
    struct fal_path in = fal_path_in(c);

    return in.lossless && in.in_order && fal_pipeline_ns(c) == 0 &&
           stream->taken != INT64_MIN && stream->taken < stream->base &&
           q->x - stream->taken >= fcwnd;
}

/* A window of 1.5 packets lets two out where it is compared as a real number (AMB-11). */
static bool by_fraction(struct fal_ctx *c, const struct fal_seen *q, int64_t ahead,
                        const struct window *fcwnd)
{
    return fcwnd->fraction && ahead == fcwnd->packets &&
           fal_read_window_as(c, FAL_AMB_11, q->window, FAL_READ_OTHER, &q->at);
}

/* The congestion window was left. */
static void beyond_fcwnd(struct fal_ctx *c, const struct fal_seen *q, int64_t ahead,
                         const struct window *fcwnd)
{
    if (fcwnd->moved && !fal_path_out(c).lossless)
        fal_excused(c, FAL_EXCUSE_OUT_LOSS); /* Its first copy may have left long before. */
    else if (!by_fraction(c, q, ahead, fcwnd))
        broken(c, q, requirement(q, fcwnd), fcwnd->packets, "fcwnd is");
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_params *params = &c->track->setup.params;
    bool req = q->window == FAL_WINDOW_REQ;
    bool has_window =
        fal_given(c, req ? FAL_PARAM_AT_tx_window_req : FAL_PARAM_AT_tx_window_data);
    int64_t window = req ? params->tx_window_req : params->tx_window_data;
    const struct fal_stream *stream;
    struct window limit;
    int64_t ahead, fcwnd;
    bool has_fcwnd;

    if (!q->reliable)
        return;
    limit = fcwnd_of(c, q);
    has_fcwnd = limit.known;
    fcwnd = limit.packets;
    if (!has_fcwnd && !has_window)
        return;
    stream = fal_out_stream(c, q->window);
    ahead = q->x - fal_stream_edge(stream);
    if (has_fcwnd && ahead < fcwnd && by_mixed_base(c, q, fcwnd)) {
        (void)fal_read_as(c, FAL_AMB_23, FAL_READ_OTHER, &q->at);
        return;
    }
    if ((!has_fcwnd || ahead < fcwnd - 1) && (!has_window || ahead < window - 1))
        return; /* far from the edge: nothing was put to the test */
    if (!stream->based || stream->base_unsure || fal_track_deaf(c->track, fal_in(c)))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (has_fcwnd && ahead >= fcwnd)
        beyond_fcwnd(c, q, ahead, &limit);
    else if (has_window && ahead >= window - 1)
        check_window(c, q, ahead, window);
    else
        fal_holds(c);
}

const struct fal_rule_impl fal_rule_x4 = {
    .about = &fal_about_x4,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .out = out,
    .on_out = FAL_ON_LIMITS,
};
