/* SPDX-License-Identifier: Apache-2.0
 * a2_news_in_time.c - rule A2: the SUT acknowledges a new packet within one coalescing timeout.
 * This covers a packet that provably arrived and is acknowledged on receipt, a packet that was
 * dropped beyond the window, and a push that the upper layer accepted. A push that waits for
 * its upper layer is not due yet (AMB-19). Rule A4 checks duplicates. */
#include "oracles/rules/acks/duty.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_a2 = {
    .id = "A2",
    .title = "a packet that arrives is acknowledged within the coalescing timeout",
    .requirements = FAL_IDS(
        "FTP-6.1.3-01", "FTP-6.6.1-02", "FTP-6.6.1-03", "FTP-9.1.1-18", "FTP-9.1.1-19",
        "FTP-9.1.1-20", "FTP-9.1.1-24", "FTP-9.1.6-01", "FTP-9.1.6-05", "FTP-9.1.6-06",
        "FTP-9.1.6-07", "FTP-9.2.1-12", "FTP-9.2.1-14", "FTP-9.2.2.3-11", "FTP-9.2.2.3-12",
        "FTP-9.2.2.3-13", "FTP-9.2.2.3-14", "FTP-9.2.2.4-06", "FTP-9.2.5-02"),
    .role = "receiver",
    .needs = "wire, coalescing, delays",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "A pull_request, pull_data or Resync that provably arrived, a packet beyond the "
        "window, and a push that the upper layer accepted need an ACK within the "
        "coalescing timeout. A reliable packet with the same bases is enough if an ACK "
        "would report nothing more; it is not enough while a number above its base is "
        "acknowledged. The base of a NACK or of such a packet, if it acknowledges the packet, "
        "makes a missing ACK a warning (AMB-19). Decided where the longest delays are declared and packets are not "
        "lost. A push that waits for its upper layer needs no ACK yet (AMB-19).",
};

static void add(struct fal_ctx *c, struct fal_duty *duty)
{
    struct fal_timer_bounds b;

    if (fal_coalescing_judged(c, &b) && fal_in_ratio(c, FAL_RATIO_A2) &&
        fal_duty_until(c, duty->cause.t_ns, duty->arrives, b.late_ns, &duty->until_ns) &&
        fal_duty_slack(c, &duty->slack_ns))
        fal_duty_add(c, c->state, duty);
    else
        fal_undecided(c, FAL_EXCUSE_CONFIG);
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct fal_duty duty = {.arrives = true, .cause = p->at};
    bool resync = p->falcon->packet_type == FAL_RESYNC;
    int64_t edge;

    if (!fal_duty_arrives(c, p) || fal_duty_claimed(c, p->window, p->x))
        return;
    edge = fal_in_stream(c, p->window)->base + (int64_t)fal_window_size(p->window);
    duty.window = (uint8_t)p->window;
    duty.x = p->x;
    if (p->x >= edge) {
        duty.requirement = "FTP-9.2.2.4-06";
        duty.what = "a packet beyond the window";
    } else if (p->falcon->packet_type == FAL_PUSH_DATA) {
        return;
    } else {
        duty.numbered = true;
        duty.requirement = resync ? "FTP-9.2.5-02" : "FTP-9.1.6-07";
        duty.what = resync ? "a Resync" : "a packet";
    }
    add(c, &duty);
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    const struct fal_request *request = fal_duty_push_taken(c, told);
    const struct fal_stream *stream = fal_in_stream(c, FAL_WINDOW_DATA);
    struct fal_duty duty = {.requirement = "FTP-9.1.6-07",
                            .what = "a push that the upper layer accepted",
                            .numbered = true,
                            .cause = told->known};

    if (request == NULL)
        return;
    if (stream->base_unsure || stream->bits_unsure) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* its ACK may have gone unseen */
        return;
    }
    duty.window = FAL_WINDOW_DATA;
    duty.x = request->psn;
    add(c, &duty);
}

const struct fal_rule_impl fal_rule_a2 = {
    .about = &fal_about_a2,
    .power = 1,
    .each = true,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct fal_duties),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_ARRIVES,
    .out = fal_duty_out,
    .on_out = FAL_ON_AGAIN | FAL_ON_WAITING,
    .told = told,
    .wake = fal_duty_wake,
    .mark = fal_duty_mark,
    .cm = fal_duty_cm,
    .release = fal_bag_release,
};
