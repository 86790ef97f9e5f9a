/* SPDX-License-Identifier: Apache-2.0
 * n1_names_sent_unacked_packet.c - rule N1: a NACK names a packet that was sent, in the window
 * that it states, and that its receiver had not acknowledged. A copy of an acknowledged packet
 * is a duplicate and is discarded. A receiver that checks its resources before its window may
 * NACK the copy with code 1 (AMB-75). */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_n1 = {
    .id = "N1",
    .title = "a NACK names a packet that was sent and not yet acknowledged",
    .requirements = FAL_IDS("FTP-7.8-15", "FTP-9.1.7-03", "FTP-9.1.7-04"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "Violated by a NACK of a number of which no copy was sent before, or that belongs to "
        "the other window; and by a NACK of a packet that was provably acknowledged before, "
        "because the SUT discards its copies as duplicates. A NACK with code 1 for such a copy "
        "is a warning (AMB-75: resources may be checked first). A NACK for a packet beyond the "
        "window (AMB-12) names a packet that was sent, and is allowed. The bases of the NACK "
        "itself must not acknowledge the packet that it refuses, unless the packet may have "
        "been accepted within the pipeline allowance before the NACK left.",
};

static void broken(struct fal_ctx *c, const struct fal_seen *q, const char *requirement,
                   const struct fal_at *cause, const char *due, int64_t x)
{
    enum fal_window w = (enum fal_window)(q->falcon->window & 1);
    char number[FAL_NUMBER_MAX];

    fal_broken(c,
               &(struct fal_blame){requirement, {cause}, .effect = &q->at, .packet = q->packet},
               "no NACK of %s PSN %s, %s", fal_window_word(w),
               fal_psn_text(fal_in_stream(c, w), x, number), due);
}

/* Whether the acknowledged packet may have come once more. */
static bool may_come_again(const struct fal_ctx *c, const struct fal_sent *sent, int64_t x)
{
    bool resync = (sent->flags & FAL_SENT_RESYNC) != 0;

    return sent->copies + (resync ? 1U : 0U) > 1 || !fal_path_in(c).no_duplicates ||
           x < fal_in_stream(c, FAL_WINDOW_DATA)->doubt || c->track->foreign[fal_in(c)];
}

/* Whether the packet may have been accepted after the event that the NACK reports, and before
 * the NACK left with the latest base (9.1.7): within the pipeline allowance, when it came once
 * more, or when the receiver itself offered it to its upper layer again (AMB-16). An upper
 * layer that answered with an error answers so again (6.6.5). */
static bool accepted_since(const struct fal_ctx *c, const struct fal_seen *q,
                           const struct fal_sent *sent, int64_t x)
{
    uint64_t pipeline_ns = fal_pipeline_ns(c);
    unsigned code = q->falcon->nack_code;

    if (pipeline_ns == 0)
        return false;
    if ((sent->flags & FAL_SENT_RESYNC) != 0)
        return true;
    if (code == FAL_NACK_RNR && fal_rnr_timeout_ns(q->falcon->rnr_timeout) <= pipeline_ns)
        return true;
    return (code == FAL_NACK_RNR || code == FAL_NACK_RESOURCE) && may_come_again(c, sent, x);
}

/* A NACK whose own base acknowledges the packet. The base and the PSN of one packet show one
 * state of the window, but for what the pipeline allowance explains. */
static void acknowledges_itself(struct fal_ctx *c, const struct fal_seen *q,
                                const struct fal_sent *sent, int64_t x)
{
    if (accepted_since(c, q, sent, x))
        fal_excused(c, FAL_EXCUSE_PIPELINE);
    else if (q->falcon->nack_code != FAL_NACK_RESOURCE || !may_come_again(c, sent, x) ||
             !fal_read_as(c, FAL_AMB_75, FAL_READ_OTHER, &q->at))
        broken(c, q, "FTP-9.1.7-03", &sent->first, "which its own base acknowledges", x);
}

/* Against the first claim that it arrived and was acknowledged. */
static void not_acknowledged(struct fal_ctx *c, const struct fal_seen *q,
                             const struct fal_sent *sent, int64_t x)
{
    const struct fal_request *r =
        sent->type == FAL_PULL_DATA
            ? NULL
            : fal_track_request(c->track, fal_in(c), (uint32_t)sent->rsn);
    struct fal_point claim;
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;

    if (r == NULL || (r->flags & FAL_REQ_CLAIMED) == 0 || r->psn != x) {
        fal_holds(c);
        return;
    }
    claim = (struct fal_point){.at = r->claimed};
    switch (fal_implied_before(c, &claim, fal_point_of(q), &why)) {
    case FAL_BEFORE:
        if (q->falcon->nack_code == FAL_NACK_RESOURCE && may_come_again(c, sent, x) &&
            fal_read_as(c, FAL_AMB_75, FAL_READ_OTHER, &q->at))
            break;
        broken(c, q, "FTP-9.1.7-03", &r->claimed, "which was acknowledged before", x);
        break;
    case FAL_ORDER_UNKNOWN: fal_excused(c, why); break;
    case FAL_NOT_BEFORE: fal_holds(c); break;
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    enum fal_window w = (enum fal_window)(q->falcon->window & 1);
    struct fal_stream *stream = &c->track->stream[fal_in(c)][w],
                      *other = &c->track->stream[fal_in(c)][1 - w];
    const struct fal_sent *sent;
    int64_t x;

    if (q->falcon->packet_type != FAL_NACK)
        return;
    if (!stream->started) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    x = fal_stream_extend(stream, q->falcon->nack_psn);
    switch (fal_track_was_sent(c->track, fal_in(c), w, x)) {
    case FAL_MAY_BE_SENT: fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); break;
    case FAL_NOT_SENT:
        sent = other->started
                   ? fal_stream_sent(other, fal_stream_extend(other, q->falcon->nack_psn))
                   : NULL;
        broken(c, q, sent != NULL ? "FTP-9.1.7-04" : "FTP-9.1.7-03",
               sent != NULL ? &sent->first : NULL,
               sent != NULL ? "which was sent in the other window"
                            : "of which no copy was sent",
               x);
        break;
    case FAL_WAS_SENT:
        sent = fal_stream_sent(stream, x);
        if (sent != NULL && x < q->claim[w].base)
            acknowledges_itself(c, q, sent, x);
        else if (sent != NULL)
            not_acknowledged(c, q, sent, x);
        break;
    }
}

const struct fal_rule_impl fal_rule_n1 = {
    .about = &fal_about_n1,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .out = out,
    .on_out = FAL_ON_NACK,
};
