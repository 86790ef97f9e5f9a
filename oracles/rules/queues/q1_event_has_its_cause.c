/* SPDX-License-Identifier: Apache-2.0
 * q1_event_has_its_cause.c - rule Q1: an event for the Rate Update Engine is about an ACK or a
 * NACK that was sent to the SUT, or about a retransmission, and carries the fields of its
 * packet (10.6.2.1). How many events an ACK makes is not judged here (AMB-43, AMB-79). */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/queues/acks.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

const struct fal_rule fal_about_q1 = {
    .id = "Q1",
    .title = "an event for the RUE has a cause and its fields",
    .requirements =
        FAL_IDS("FTP-10-02", "FTP-10.5.5-01", "FTP-10.6.1-01", "FTP-10.6.2.1-01",
                "FTP-10.6.2.1-02", "FTP-10.6.2.1-03", "FTP-10.6.2.1-09", "FTP-10.6.2.1-10",
                "FTP-10.6.2.1-11", "FTP-10.6.2.1-12", "FTP-10.6.2.1-20", "FTP-10.6.2.1-21",
                "FTP-10.6.2.1-32", "FTP-9.2.3-02", "FTP-9.2.3-04", "FTP-9.2.4-01"),
    .role = "transmitter",
    .needs = "queues",
    .assumes = "",
    .doc =
        "Needs entries of the queues (cc_trace or cc_engine). Violated by an event for an ACK "
        "or NACK that was never sent, which t1, t2 and the departure time show, or by one "
        "event more than there were such packets. Violated by a field that differs from the "
        "packet: type, NACK code, hops, buffer level, ECN count, eack; by eack_drop where no "
        "bitmap shows a hole; by the reason early where no EACK or NACK was ever sent; by an "
        "event for an ACK or NACK whose bases are both older than those of an ACK before it. "
        "If one of them is older, the rule warns (AMB-23).",
};

struct state {
    struct fal_acks acks;
    bool licensed; /* an EACK or NACK was sent, which may cause early retransmissions */
};

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    fal_acks_out(&state->acks, c, q);
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;

    state->licensed |= p->falcon->packet_type == FAL_EACK || p->falcon->packet_type == FAL_NACK;
    fal_acks_in(&state->acks, c, p);
}

static void wrong(struct fal_ctx *c, const struct fal_entry *entry, const struct fal_at *cause,
                  const char *id, const char *field, const unsigned long values[2])
{
    char seen[80];

    (void)snprintf(seen, sizeof seen, "an event with %s %lu", field, values[1]);
    fal_broken(c,
               &(struct fal_blame){
                   .requirement = id, .cause = {cause}, .effect = &entry->at, .seen = seen},
               "%s %lu in the event, as its packet has it", field, values[0]);
}

/* Compares the event with the packet that it is about. */
static void compare(struct fal_ctx *c, const struct fal_entry *entry,
                    const struct fal_ack_in *ack)
{
    const struct fal_cc_event *event = &entry->event;
    bool nack = ack->type == FAL_NACK;
    const struct {
        bool valid;
        const char *id, *field;
        unsigned long packet, event;
    } rows[] = {
        {true, "FTP-10.6.2.1-03", "event_type", nack ? FAL_CC_NACK : FAL_CC_ACK,
         event->event_type},
        {nack, "FTP-10.6.2.1-10", "nack_code", ack->nack_code, event->nack_code},
        {true, "FTP-10.6.2.1-11", "forward_hops", ack->hops, event->forward_hops},
        {true, "FTP-10.6.2.1-12", "rx_buffer_level", ack->level, event->rx_buffer_level},
        {true, "FTP-10.6.2.1-32", "ecn_accumulated", ack->ecn, event->ecn_accumulated},
        {true, "FTP-10.6.2.1-21", "eack", ack->type == FAL_EACK, event->eack},
        {event->eack_drop != 0, "FTP-10.6.2.1-20", "eack_drop", ack->hole, event->eack_drop},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].valid && rows[i].packet != rows[i].event) {
            wrong(c, entry, &ack->at, rows[i].id, rows[i].field,
                  (const unsigned long[]){rows[i].packet, rows[i].event});
            return;
        }
    fal_holds(c);
}

static void without_cause(struct fal_ctx *c, const struct fal_entry *entry,
                          const struct fal_at *cause)
{
    char seen[120];

    (void)snprintf(seen, sizeof seen,
                   "an event with t1 %" PRIu32 ", t2 %" PRIu32 ", t3 %" PRIu32, entry->event.t1,
                   entry->event.t2, entry->event.t3);
    fal_broken(c,
               &(struct fal_blame){.requirement = "FTP-10.6.2.1-01",
                                   .cause = {cause},
                                   .effect = &entry->at,
                                   .seen = seen},
               "%s",
               cause != NULL ? "one event for this packet, and it came before"
                             : "an event only for an ACK or NACK that was sent to the SUT");
}

/* An event for an ACK or NACK that the SUT discards. True: it was reported. */
static bool of_discarded(struct fal_ctx *c, const struct fal_entry *entry,
                         const struct fal_ack_in *ack)
{
    if (!ack->half_stale)
        return false;
    if (!ack->stale && fal_read_as(c, FAL_AMB_23, FAL_READ_OTHER, &entry->at))
        return true;
    fal_broken(c,
               &(struct fal_blame){.requirement =
                                       ack->type == FAL_NACK ? "FTP-9.2.4-01" : "FTP-9.2.3-02",
                                   .cause = {&ack->at},
                                   .effect = &entry->at,
                                   .seen = "an event for it"},
               "no effect of a packet with older bases than an ACK before it");
    return true;
}

static void about_ack(struct fal_ctx *c, struct state *state, const struct fal_entry *entry)
{
    struct fal_ack_in *ack = fal_acks_of(&state->acks, &entry->event);
    bool blind = state->acks.missed || fal_track_may_miss(c->track, fal_in(c), 0);

    if (fal_acks_forgot(&state->acks, &entry->event) || (ack == NULL && blind)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    } else if (ack == NULL) {
        without_cause(c, entry, NULL);
    } else if (ack->used && !fal_path_in(c).no_duplicates) {
        fal_excused(c, FAL_EXCUSE_IN_DUP);
    } else if (ack->used && blind) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    } else if (ack->used) {
        without_cause(c, entry, &ack->at);
    } else {
        ack->used = true;
        if (!of_discarded(c, entry, ack))
            compare(c, entry, ack);
    }
}

static void about_copy(struct fal_ctx *c, const struct state *state,
                       const struct fal_entry *entry)
{
    if (entry->event.retransmit_reason != FAL_CC_EARLY)
        fal_holds(c);
    else if (state->licensed || c->track->setup.params.rack_tlp ||
             !fal_given(c, FAL_PARAM_AT_rack_tlp) || fal_track_may_miss(c->track, fal_in(c), 0))
        fal_holds(c);
    else
        wrong(c, entry, NULL, "FTP-10.6.2.1-09", "retransmit_reason",
              (const unsigned long[]){FAL_CC_RTO, FAL_CC_EARLY});
}

static void entry(struct fal_ctx *c, const struct fal_entry *entry)
{
    struct state *state = c->state;
    const struct fal_cc_event *event = &entry->event;
    const struct fal_connection *setup = &c->track->setup;

    if (entry->is_result)
        return;
    if (event->connection_id != setup->sut.cid && event->connection_id != setup->tester.cid)
        wrong(c, entry, NULL, "FTP-10.6.2.1-02", "connection_id",
              (const unsigned long[]){setup->sut.cid, event->connection_id});
    else if (event->event_type > FAL_CC_RETRANSMIT)
        wrong(c, entry, NULL, "FTP-10.6.2.1-03", "event_type",
              (const unsigned long[]){FAL_CC_RETRANSMIT, event->event_type});
    else if (event->event_type == FAL_CC_RETRANSMIT)
        about_copy(c, state, entry);
    else
        about_ack(c, state, entry);
}

const struct fal_rule_impl fal_rule_q1 = {
    .about = &fal_about_q1,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .out = out,
    .on_in = FAL_ON_ACK,
    .on_out = FAL_ON_IV,
    .entry = entry,
    .release = fal_bag_release,
};
