/* SPDX-License-Identifier: Apache-2.0
 * u1_delivered_as_sent.c - rule U1: the upper layer receives only what arrived, as it was sent.
 * A request or pulled data that was read before any copy was sent cannot have arrived. Length
 * and payload are those of the packet. */
#include "oracles/rules/judge/report.h"

#include <inttypes.h>

const struct fal_rule fal_about_u1 = {
    .id = "U1",
    .title = "the upper layer receives only packets that arrived, and receives them as sent",
    .requirements = FAL_IDS("FTP-6.1.1.2-01", "FTP-7.4-02", "FTP-8.4.3.2-01", "FTP-8.4.3.2-07",
                            "FTP-8.5.3.1-01", "FTP-8.5.3.1-06", "FTP-8.5.3.3-01",
                            "FTP-8.5.3.3-06", "FTP-9.2.2-01", "FTP-9.2.5-06", "FTP-11-27"),
    .role = "any",
    .needs = "ulp",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .shown = true,
    .doc = "Violated by a request event before any copy of its packet was sent, or of which "
           "only a Resync was sent; by data of a pull before a pull_data; by a length or "
           "payload hash that differs from that of the packet.",
};

/* What was sent, to hold an event against. */
struct due {
    const struct fal_at *first;
    uint32_t length;
    uint64_t hash;
    const char *requirement;
    bool whole; /* length and payload are known, and the same in all copies */
};

static const char *event_word(const struct fal_ev_ulp *ulp)
{
    return ulp->kind == FAL_ULP_REQUEST ? "request" : "completion";
}

/* A length is a number of bytes, in decimal; a hash is one of bits. */
enum property { LENGTH, HASH };

static void differs(struct fal_ctx *c, const struct fal_event *event, const struct due *due,
                    enum property what, uint64_t expected, uint64_t seen)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    enum fal_dir space = ulp->kind == FAL_ULP_REQUEST ? FAL_TO_SUT : FAL_FROM_SUT;
    struct fal_break b = fal_break_begin(c, due->requirement);
    struct fal_at at = fal_at_event(event);
    char number[FAL_NUMBER_MAX];

    fal_break_cause(&b, due->first);
    (void)fal_rsn_text(c, space, ulp->rsn, number);
    if (what == LENGTH) {
        fal_break_expected(&b, "RSN %s with length %" PRIu64 ", as it was sent", number,
                           expected);
        fal_break_seen(&b, "%s event with length %" PRIu64, event_word(ulp), seen);
    } else {
        fal_break_expected(&b, "RSN %s with payload hash 0x%" PRIx64 ", as it was sent", number,
                           expected);
        fal_break_seen(&b, "%s event with payload hash 0x%" PRIx64, event_word(ulp), seen);
    }
    fal_break_end(c, &b, &at);
}

static void compare(struct fal_ctx *c, const struct fal_event *event, const struct due *due)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;

    if (!due->whole)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (ulp->length != due->length)
        differs(c, event, due, LENGTH, due->length, ulp->length);
    else if (ulp->has_hash && ulp->hash != due->hash)
        differs(c, event, due, HASH, due->hash, ulp->hash);
    else
        fal_holds(c);
}

static void uncaused(struct fal_ctx *c, const struct fal_event *event, enum fal_dir space,
                     const char *requirement, const char *due)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    struct fal_break b = fal_break_begin(c, requirement);
    struct fal_at at = fal_at_event(event);
    char number[FAL_NUMBER_MAX];

    (void)fal_rsn_text(c, space, ulp->rsn, number);
    fal_break_expected(&b, "%s RSN %s", due, number);
    fal_break_seen(&b, "%s event of RSN %s, length %" PRIu32,
                   ulp->kind == FAL_ULP_REQUEST ? "request" : "completion", number,
                   ulp->length);
    fal_break_end(c, &b, &at);
}

static void on_request(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    const struct fal_request *r = fal_track_request(c->track, FAL_TO_SUT, ulp->rsn);
    struct due due;

    if (r == NULL || (r->flags & FAL_REQ_SENT) == 0) {
        if (fal_track_request_may(c->track, FAL_TO_SUT, ulp->rsn))
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        else if (r != NULL && (r->flags & FAL_REQ_RESYNC) != 0)
            uncaused(c, event, FAL_TO_SUT, "FTP-9.2.5-06",
                     "no delivery: only a Resync was sent of");
        else
            uncaused(c, event, FAL_TO_SUT, "FTP-9.2.2-01",
                     "no delivery: no copy was sent before of");
        return;
    }
    due = (struct due){
        .first = &r->first,
        .length = r->length,
        .hash = r->hash,
        .requirement = r->type == FAL_PUSH_DATA ? "FTP-8.5.3.3-06" : "FTP-8.5.3.1-06",
        .whole = (r->flags & (FAL_REQ_PARTIAL | FAL_REQ_VARIED)) == 0,
    };
    if ((ulp->op == FAL_OP_PUSH) != (r->type == FAL_PUSH_DATA))
        uncaused(c, event, FAL_TO_SUT, "FTP-9.2.2-01",
                 r->type == FAL_PUSH_DATA ? "a push delivered, as it was sent:"
                                          : "a pull delivered, as it was sent:");
    else
        compare(c, event, &due);
}

/* Data that a pull of the SUT's own was given. */
static void on_completion(struct fal_ctx *c, const struct fal_event *event)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    const struct fal_request *r;
    struct due due;

    if (!ulp->has_hash || ulp->code != 0)
        return; /* of a push, or in error */
    r = fal_track_request(c->track, FAL_FROM_SUT, ulp->rsn);
    if (r == NULL || (r->flags & FAL_REQ_ANSWERED) == 0) {
        if (fal_track_request_lost(c->track, FAL_FROM_SUT, ulp->rsn) ||
            c->track->rsn_doubt[FAL_TO_SUT]) /* its pull_data went unseen */
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        else
            uncaused(c, event, FAL_FROM_SUT, "FTP-6.1.1.2-01",
                     "no data before a pull_data was sent for");
        return;
    }
    due = (struct due){
        .first = &r->answer,
        .length = r->answer_length,
        .hash = r->answer_hash,
        .requirement = "FTP-8.4.3.2-07",
        .whole = (r->flags & (FAL_REQ_ANSWER_PARTIAL | FAL_REQ_ANSWER_VARIED)) == 0,
    };
    compare(c, event, &due);
}

static void ulp(struct fal_ctx *c, const struct fal_event *event)
{
    switch (event->u.ulp.kind) {
    case FAL_ULP_REQUEST: on_request(c, event); break;
    case FAL_ULP_COMPLETION: on_completion(c, event); break;
    case FAL_ULP_ACK: break;
    }
}

const struct fal_rule_impl fal_rule_u1 = {
    .about = &fal_about_u1,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .ulp = ulp,
};
