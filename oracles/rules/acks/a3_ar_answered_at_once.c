/* SPDX-License-Identifier: Apache-2.0
 * a3_ar_answered_at_once.c - rule A3: the AR bit of an accepted packet asks for an ACK packet
 * at once; the bases in a reliable packet do not answer it. For a push the ACK is due once its
 * upper layer accepted it. "At once" is not a number, so the rule decides only where the
 * coalescing timeout is far longer than the SUT takes to answer. Half of it is then too late.
 */
#include "oracles/rules/acks/duty.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_a3 = {
    .id = "A3",
    .title = "a packet with AR is acknowledged at once",
    .requirements = FAL_IDS("FTP-9.1.6-02", "FTP-9.1.6-03"),
    .role = "receiver",
    .needs = "wire, coalescing, delays",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc = "The SUT answers a new packet with AR by an ACK packet that covers it; for a "
           "push, from the moment its upper layer accepted it. Violated when no such ACK was "
           "sent by half the coalescing timeout. Decided only where that timeout is at least "
           "20 times the declared turnaround.",
};

static void add(struct fal_ctx *c, struct fal_duty *duty)
{
    const struct fal_params *params = &c->track->setup.params;
    bool learned = fal_is_learned(c);
    uint64_t slack_ns;

    if (params->coalescing_ns == 0 || !fal_duty_slack(c, &slack_ns) ||
        !fal_learned_within(c, params->coalescing_ns, fal_ratio(FAL_RATIO_A3)->times) ||
        !fal_in_ratio(c, FAL_RATIO_A3) ||
        !fal_duty_until(c, duty->cause.t_ns, duty->arrives, params->coalescing_ns / 2,
                        &duty->until_ns)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    if (learned) /* half the timeout is ten times what the SUT takes: more would hide the timer
                  */
        duty->until_ns -= slack_ns;
    fal_duty_add(c, c->state, duty);
}

/* Another copy of a number: on a path that reorders, it may be the one that is accepted, and
 * the AR bit of the other is then ignored. */
static void again(const struct fal_ctx *c, struct fal_duties *duties, const struct fal_seen *p)
{
    if (fal_path_in(c).in_order)
        return;
    for (unsigned i = 0; i < duties->bag.num;) {
        const struct fal_duty *duty = FAL_BAG(&duties->bag, struct fal_duty, i);

        if (duty->x == p->x && duty->window == (uint8_t)p->window)
            fal_bag_remove(&duties->bag, sizeof *duty, i);
        else
            i++;
    }
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct fal_duty duty = {.requirement = "FTP-9.1.6-02",
                            .what = "a packet with AR",
                            .numbered = true,
                            .packet = true,
                            .arrives = true,
                            .cause = p->at};

    if (p->reliable && p->prior != NULL)
        again(c, c->state, p);
    if (!fal_duty_arrives(c, p) || p->prior != NULL || !p->falcon->ack_req ||
        p->falcon->packet_type == FAL_PUSH_DATA || fal_duty_claimed(c, p->window, p->x) ||
        p->x >= fal_in_stream(c, p->window)->base + (int64_t)fal_window_size(p->window))
        return;
    if (p->x < fal_in_stream(c, p->window)->doubt) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* an unseen copy may be the accepted one */
        return;
    }
    duty.window = (uint8_t)p->window;
    duty.x = p->x;
    add(c, &duty);
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    const struct fal_request *request = fal_duty_push_taken(c, told);
    const struct fal_stream *stream = fal_in_stream(c, FAL_WINDOW_DATA);
    const struct fal_sent *sent;
    struct fal_duty duty = {.requirement = "FTP-9.1.6-03",
                            .what = "a push with AR that the upper layer had accepted",
                            .numbered = true,
                            .packet = true,
                            .cause = told->known};

    if (request == NULL)
        return;
    sent = fal_stream_sent(stream, request->psn);
    if (sent == NULL || sent->copies != 1 || (sent->flags & FAL_SENT_AR) == 0 ||
        (sent->flags & FAL_SENT_RESYNC) != 0)
        return; /* of several copies one without AR may have been taken */
    if (request->psn < stream->doubt || stream->base_unsure || stream->bits_unsure) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* another copy, or the ACK, went unseen */
        return;
    }
    duty.window = FAL_WINDOW_DATA;
    duty.x = request->psn;
    add(c, &duty);
}

const struct fal_rule_impl fal_rule_a3 = {
    .about = &fal_about_a3,
    .power = 1,
    .each = true,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct fal_duties),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_AGAIN | FAL_ON_ARRIVES,
    .out = fal_duty_out,
    .on_out = FAL_ON_AGAIN | FAL_ON_WAITING,
    .told = told,
    .wake = fal_duty_wake,
    .mark = fal_duty_mark,
    .cm = fal_duty_cm,
    .release = fal_bag_release,
};
