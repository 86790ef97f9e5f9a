/* SPDX-License-Identifier: Apache-2.0
 * q2_times_of_its_packet.c - rule Q2: an event for an ACK or NACK has the times of its packet
 * (10.1, 10.6.2.1). t1 and t2 are fields of the packet, t3 is its departure in the IV, t4 is
 * its arrival by the clock of the SUT: not after the event was handed over, and not before the
 * departure of a packet of the SUT that was seen before the ACK was sent. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/queues/acks.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_q2 = {
    .id = "Q2",
    .title = "an event for the RUE has the times of its packet",
    .requirements = FAL_IDS("FTP-10.1-04", "FTP-10.6.2.1-04", "FTP-10.6.2.1-05",
                            "FTP-10.6.2.1-06", "FTP-10.6.2.1-07"),
    .role = "transmitter",
    .needs = "queues, IV",
    .assumes = "",
    .doc =
        "Needs entries of the queues (cc_trace or cc_engine). Violated by t1 or t2 that "
        "differs from the packet, by t3 that is not the departure time in its IV, by t4 after "
        "the time at which the event was handed over, and by t4 before the departure of a "
        "packet of the SUT that the tester had when it sent the ACK.",
};

/* Both times of a comparison lie within half of the range of 24 bits, which is 1.1 s. */
#define HALF    (FAL_CC_TIME_MAX / 2)
#define HALF_NS (UINT64_C(1000) * 1000 * 1000)

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    fal_acks_out(c->state, c, q);
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    fal_acks_in(c->state, c, p);
}

static void wrong(struct fal_ctx *c, const struct fal_entry *entry,
                  const struct fal_ack_in *ack, const char *id, const char *field)
{
    const struct fal_cc_event *event = &entry->event;
    char seen[120];

    (void)snprintf(seen, sizeof seen,
                   "t1 %" PRIu32 ", t2 %" PRIu32 ", t3 %" PRIu32 ", t4 %" PRIu32
                   ", handed over at %" PRIu32,
                   event->t1, event->t2, event->t3, event->t4, entry->now_ticks);
    fal_broken(c,
               &(struct fal_blame){
                   .requirement = id, .cause = {&ack->at}, .effect = &entry->at, .seen = seen},
               "%s: t1 %" PRIu32 ", t2 %" PRIu32 ", t3 %" PRIu32
               " of the packet; t4 from %" PRIu32 " to %" PRIu32 " ticks",
               field, ack->t1, ack->t2, ack->has_iv ? ack->t3 : event->t3,
               ack->has_sut_ticks ? ack->sut_ticks : event->t4, entry->now_ticks);
}

/* Whether t4 lies before a time that the SUT's clock had shown when the ACK was sent. Such a
 * time may itself be older by a step of the clock than what it stands for. */
static bool before_it_was_sent(const struct fal_ctx *c, const struct fal_entry *entry,
                               const struct fal_ack_in *ack)
{
    uint64_t step = fal_clock_step_ns(c) / (uint64_t)(fal_ticks_ns(1)) + 2;
    uint32_t behind = fal_sub24(ack->sut_ticks, entry->event.t4);

    return ack->has_sut_ticks && !c->bench->stepped && behind > step && behind < HALF;
}

static void entry(struct fal_ctx *c, const struct fal_entry *entry)
{
    struct fal_acks *acks = c->state;
    const struct fal_cc_event *event = &entry->event;
    struct fal_ack_in *ack;
    uint64_t pipeline_ticks = fal_pipeline_ns(c) / (uint64_t)fal_ticks_ns(1);
    bool recent;

    if (entry->is_result || event->event_type > FAL_CC_NACK)
        return;
    ack = fal_acks_of(acks, event);
    if (ack == NULL || fal_acks_forgot(acks, event)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* That is the matter of Q1. */
        return;
    }
    ack->used = true;
    recent = entry->at.t_ns - ack->at.t_ns < HALF_NS;
    if (event->t1 != ack->t1)
        wrong(c, entry, ack, "FTP-10.6.2.1-04", "t1");
    else if (event->t2 != ack->t2)
        wrong(c, entry, ack, "FTP-10.6.2.1-05", "t2");
    else if (ack->has_iv && event->t3 != ack->t3)
        wrong(c, entry, ack, "FTP-10.6.2.1-06", "t3");
    else if (recent && fal_sub24(event->t4, entry->now_ticks) > pipeline_ticks &&
             fal_sub24(event->t4, entry->now_ticks) < HALF)
        wrong(c, entry, ack, "FTP-10.6.2.1-07", "t4 is not after the event");
    else if (recent && before_it_was_sent(c, entry, ack))
        wrong(c, entry, ack, "FTP-10.6.2.1-07", "t4 is not before the ACK was sent");
    else
        fal_holds(c);
}

const struct fal_rule_impl fal_rule_q2 = {
    .about = &fal_about_q2,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct fal_acks),
    .bags = 1,
    .in = in,
    .out = out,
    .on_in = FAL_ON_ACK,
    .on_out = FAL_ON_IV,
    .entry = entry,
    .release = fal_bag_release,
};
