/* SPDX-License-Identifier: Apache-2.0
 * fault.c - see fault.h. */
#include "oracles/logic/fault.h"

#include "oracles/logic/receiver.h"
#include "oracles/logic/sender.h"

#include <string.h>

#define TCP "tcp-reno tcp-newreno tcp-sack"

static const struct fal_logic_fault faults[] = {
    {FAL_LOGIC_DISCARDED_ACKED, "discarded-acked", "K1", NULL,
     "the receiver acknowledges one segment of eleven that it never gives to its user"},
    {FAL_LOGIC_DELIVERED_TWICE, "delivered-twice", "K2", NULL,
     "the receiver gives one segment of eleven to its user twice"},
    {FAL_LOGIC_DELIVERED_LATE, "delivered-late", "K2", NULL,
     "the receiver gives one segment of eleven to its user after the next one"},
    {FAL_LOGIC_GAP_ACKED, "gap-acked", "K3", NULL,
     "the receiver acknowledges a missing segment cumulatively"},
    {FAL_LOGIC_MISSING_SACKED, "missing-sacked", "K3", "tcp-sack ndp irn",
     "the receiver's selective range is one segment too long"},
    {FAL_LOGIC_WINDOW_IGNORED, "window-ignored", "K4", TCP " irn",
     "the sender does not heed the window"},
    {FAL_LOGIC_RATE_EXCEEDED, "rate-exceeded", "K4", "roce-gbn-dcqcn irn",
     "the sender's credit grows at twice its rate"},
    {FAL_LOGIC_TOKEN_FORGED, "token-forged", "K4", "ndp",
     "the sender sends new segments without a token"},
    {FAL_LOGIC_ONE_DUP_ENOUGH, "one-dup-enough", "K5", TCP,
     "the sender takes the first duplicate acknowledgement for a loss"},
    {FAL_LOGIC_RESENDS_UNASKED, "resends-unasked", "K5", NULL,
     "the sender sends every 13th time a segment again that nobody missed"},
    {FAL_LOGIC_NEW_BEFORE_LOST, "new-before-lost", "K6", NULL,
     "the sender sends new segments before those that are lost"},
    {FAL_LOGIC_COPY_CHANGED, "copy-changed", "K7", NULL,
     "a segment that is sent again has another payload"},
    {FAL_LOGIC_COPY_CUT, "copy-cut", "K7", NULL, "a segment that is sent again is shorter"},
    {FAL_LOGIC_TIMER_LOST, "timer-lost", "K8", NULL, "the retransmission timer never expires"},
    {FAL_LOGIC_WORK_FORGOTTEN, "work-forgotten", "K8", NULL,
     "after 40 segments the sender sends nothing more, though it may"},
    {FAL_LOGIC_GOES_BACK_ONE, "goes-back-one", "K9", "roce-gbn-dcqcn",
     "after a NAK only the missing segment is sent again"},
    {FAL_LOGIC_GOES_BACK_SHORT, "goes-back-short", "K9", "roce-gbn-dcqcn",
     "after a NAK the sender begins one segment too late"},
    {FAL_LOGIC_HOLE_SKIPPED, "hole-skipped", "K9", "irn",
     "after a NACK the first hole is not filled"},
    {FAL_LOGIC_HOLES_AND_MORE, "holes-and-more", "K9", "irn",
     "after a NACK segments are sent again that were acknowledged selectively"},
    {FAL_LOGIC_RTO_EARLY, "rto-early", "K10", NULL,
     "the retransmission timer expires at an eighth of its period"},
};

const struct fal_logic_fault *fal_logic_faults(size_t *n)
{
    *n = sizeof faults / sizeof *faults;
    return faults;
}

const struct fal_logic_fault *fal_logic_fault_of(const char *id)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strcmp(faults[i].id, id) == 0)
            return &faults[i];
    return NULL;
}

bool fal_logic_fault_fits(const struct fal_logic_fault *fault, const char *logic)
{
    size_t len = strlen(logic);

    if (fault->logics == NULL)
        return true;
    for (const char *at = fault->logics; (at = strstr(at, logic)) != NULL; at++)
        if ((at == fault->logics || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

/* ---- the sender ---- */

enum { EVERY = 11, HIT = 5, UNASKED = 13, FORGOTTEN = 40, EARLY = 8 };

void fal_logic_seam_before(struct fal_logic_sender *s, struct fal_logic_in *in)
{
    (void)s;
    (void)in;
}

static void unmark(struct fal_logic_flow *flow, uint32_t first, uint32_t end)
{
    if (fal_logic_before(first, end))
        fal_ring_clear(flow->marked_rtx, first, end - first);
}

static void after_nack(struct fal_logic_sender *s, const struct fal_logic_in *in)
{
    struct fal_logic_flow *flow = &s->flow;
    uint32_t lost = fal_logic_first_lost(flow);

    if (s->seam.kind == FAL_LOGIC_GOES_BACK_ONE)
        unmark(flow, in->nack_seg + 1, flow->next_new);
    if ((s->seam.kind == FAL_LOGIC_GOES_BACK_SHORT || s->seam.kind == FAL_LOGIC_HOLE_SKIPPED) &&
        lost != flow->next_new)
        unmark(flow, lost, lost + 1);
    if (s->seam.kind == FAL_LOGIC_HOLES_AND_MORE)
        for (unsigned i = 0; i < FAL_LOGIC_WORDS; i++)
            flow->marked_rtx[i] |= flow->acked[i];
}

void fal_logic_seam_after(struct fal_logic_sender *s, const struct fal_logic_in *in)
{
    if (s->seam.kind == FAL_LOGIC_SOUND)
        return;
    if (in->kind == FAL_LOGIC_NACK)
        after_nack(s, in);
    if (s->seam.kind == FAL_LOGIC_ONE_DUP_ENOUGH && in->kind == FAL_LOGIC_ACK &&
        in->cum == in->old_start && fal_logic_span(&s->flow) > 1)
        fal_logic_mark(&s->flow, in->cum, in->cum + 1);
}

uint64_t fal_logic_seam_expiry(const struct fal_logic_sender *s)
{
    uint64_t at_ns = s->flow.rtx_timer_ns, early_ns = s->flow.rto_ns / EARLY * (EARLY - 1);

    if (s->seam.kind == FAL_LOGIC_TIMER_LOST || s->seam.kind == FAL_LOGIC_WORK_FORGOTTEN)
        return UINT64_MAX;
    return s->seam.kind == FAL_LOGIC_RTO_EARLY && at_ns > early_ns ? at_ns - early_ns : at_ns;
}

bool fal_logic_seam_pick(struct fal_logic_sender *s, uint32_t *id)
{
    const struct fal_logic_flow *flow = &s->flow;
    uint32_t unacked = fal_logic_first_unacked(flow, flow->wnd_start);

    if (s->seam.kind == FAL_LOGIC_WORK_FORGOTTEN && s->seam.count > FORGOTTEN) {
        *id = s->posted; /* there is no work */
        return true;
    }
    if (s->seam.kind == FAL_LOGIC_RESENDS_UNASKED && s->seam.count % UNASKED == HIT) {
        *id = unacked;
        return unacked != flow->next_new;
    }
    *id = flow->next_new;
    return s->seam.kind == FAL_LOGIC_WINDOW_IGNORED
               ? fal_logic_first_lost(flow) == flow->next_new
               : s->seam.kind == FAL_LOGIC_NEW_BEFORE_LOST && *id != s->posted &&
                     *id - flow->wnd_start < s->config.max_window;
}

uint32_t fal_logic_seam_window(const struct fal_logic_sender *s, uint32_t window)
{
    return s->seam.kind == FAL_LOGIC_WINDOW_IGNORED ? FAL_LOGIC_WINDOW : window;
}

uint64_t fal_logic_seam_rate(const struct fal_logic_sender *s, uint64_t rate_bps)
{
    return s->seam.kind == FAL_LOGIC_RATE_EXCEEDED ? 2 * rate_bps : rate_bps;
}

bool fal_logic_seam_token(const struct fal_logic_sender *s)
{
    return s->seam.kind == FAL_LOGIC_TOKEN_FORGED;
}

void fal_logic_seam_sent(struct fal_logic_sender *s, struct fal_logic_packet *packet)
{
    s->seam.count++;
    if (packet->copy == 0)
        return;
    if (s->seam.kind == FAL_LOGIC_COPY_CHANGED)
        packet->digest ^= 2;
    if (s->seam.kind == FAL_LOGIC_COPY_CUT && packet->bytes > 1)
        packet->bytes--;
}

/* ---- the receiver ---- */

void fal_logic_seam_reply(struct fal_logic_receiver *r, struct fal_logic_reply *reply)
{
    bool gap = r->newest - r->cum - 1 < FAL_LOGIC_WINDOW - 1; /* a later one arrived */

    if (r->seam.kind == FAL_LOGIC_GAP_ACKED && gap)
        reply->cum++;
    if (r->seam.kind == FAL_LOGIC_MISSING_SACKED && reply->num_got > 0)
        reply->got[0].end++;
}

size_t fal_logic_seam_deliver(struct fal_logic_receiver *r, uint32_t from, uint32_t end,
                              uint32_t *out)
{
    size_t n = 0;

    for (uint32_t id = from; id != end; id++) {
        uint32_t turn = (id - r->first) % EVERY;
        bool hit = turn == HIT, after = turn == HIT + 1;

        if (hit && (r->seam.kind == FAL_LOGIC_DISCARDED_ACKED ||
                    r->seam.kind == FAL_LOGIC_DELIVERED_LATE))
            continue;
        out[n++] = id;
        if (hit && r->seam.kind == FAL_LOGIC_DELIVERED_TWICE)
            out[n++] = id;
        if (after && r->seam.kind == FAL_LOGIC_DELIVERED_LATE)
            out[n++] = id - 1;
    }
    return n;
}
