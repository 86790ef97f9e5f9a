/* SPDX-License-Identifier: Apache-2.0
 * gbn_send.c - go-back-N at the sender of a reliable connection: GB1, GB2, GB5 and GB6. They
 * need a capture at the port of the sender: elsewhere packets are lost, reordered and
 * duplicated on their way. */
#include "oracles/rules/roce/state.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 200, NAK_SEQUENCE = 0x60, KIND = 0x60, KIND_NAK = 0x60, RNR = 0x20 };

/* ---- which numbers were seen ---- */

static void advance(struct fal_roce_sends *s)
{
    while (s->seen[0] & 1) {
        for (size_t i = 0; i < FAL_ROCE_SPAN / 64; i++)
            s->seen[i] =
                s->seen[i] >> 1 | (i + 1 < FAL_ROCE_SPAN / 64 ? s->seen[i + 1] << 63 : 0);
        s->frontier = fal_rj_psn_add(s->frontier, 1);
    }
}

/* Marks a number. The usual one is the frontier itself with nothing behind it. */
static void mark(struct fal_roce_sends *s, uint32_t psn)
{
    int32_t at = fal_rj_psn_diff(psn, s->frontier);

    if (at < 0)
        return;
    if (at == 0 && (s->seen[0] & 2) == 0) {
        s->seen[0] |= 1;
        for (size_t i = 0; i < FAL_ROCE_SPAN / 64; i++) {
            if (s->seen[i] != (i == 0)) {
                advance(s);
                return;
            }
        }
        s->seen[0] = 0;
        s->frontier = fal_rj_psn_add(s->frontier, 1);
        return;
    }
    if (at >= FAL_ROCE_SPAN) { /* holes below are forgotten */
        memset(s->seen, 0, sizeof s->seen);
        s->frontier = fal_rj_psn_add(psn, 1);
        return;
    }
    s->seen[at / 64] |= UINT64_C(1) << (at % 64);
    advance(s);
}

/* The numbers that a request takes: a READ has one for each packet of its response. */
static uint32_t numbers_of(const struct fal_roce_judge *j, struct fal_roce_sends *s,
                           const struct fal_roce_seen *seen)
{
    uint32_t packets;

    if (!seen->has_reth)
        return 1;
    if (j->setup.mtu == 0) {
        s->unsized |= seen->dma_length > 256; /* the smallest MTU */
        return 1;
    }
    packets = seen->dma_length / j->setup.mtu + (seen->dma_length % j->setup.mtu != 0);
    return packets == 0 ? 1 : packets & 0x7fffff;
}

/* A packet that every receiver must drop is sent, but its numbers do not arrive. */
static bool must_be_dropped(const struct fal_roce_judge *j, const struct fal_roce_seen *seen)
{
    return j->setup.icrc_captured && seen->icrc == FAL_ROCE_ICRC_WRONG;
}

static void note(const struct fal_roce_judge *j, struct fal_roce_sends *s,
                 const struct fal_roce_seen *seen, uint32_t count)
{
    size_t at = seen->psn % FAL_ROCE_TIMES;

    for (uint32_t i = 0; i < count && i <= FAL_ROCE_SPAN && !must_be_dropped(j, seen); i++)
        mark(s, fal_rj_psn_add(seen->psn, i));
    s->times[at].psn = seen->psn;
    s->times[at].at_ns = seen->at_ns;
    s->times[at].there = true;
    s->prev = fal_rj_psn_add(seen->psn, count - 1);
    s->sent_ns = seen->at_ns;
    if (fal_rj_psn_diff(s->prev, s->high) > 0)
        s->high = s->prev;
}

/* ---- the rules ---- */

/* Why the numbers of this flow cannot be judged; NULL: they can. */
static const char *excuse(const struct fal_roce_judge *j, const struct fal_roce_sends *s)
{
    if (j->setup.vantage != FAL_ROCE_AT_SUT)
        return "vantage";
    return s->unsized ? "mtu-undeclared" : NULL;
}

static void gb1(struct fal_roce_judge *j, const struct fal_roce_sends *s,
                const struct fal_roce_seen *seen)
{
    const char *why = excuse(j, s);
    const struct fal_roce_place place = fal_rj_place(seen);
    char text[TEXT];

    if (why != NULL) {
        fal_rj_excused(j, FAL_ROCE_GB1, why);
        return;
    }
    if (fal_rj_psn_diff(seen->psn, s->high) == 1) {
        fal_rj_held(j, FAL_ROCE_GB1);
        return;
    }
    if (!j->setup.complete) {
        fal_rj_excused(j, FAL_ROCE_GB1, "capture-gap");
        return;
    }
    (void)snprintf(text, sizeof text, "expected the new packet to have number %u; found %u",
                   (unsigned)fal_rj_psn_add(s->high, 1), (unsigned)seen->psn);
    fal_rj_found(j, FAL_ROCE_GB1, FAL_VERDICT_FAIL, &place, seen->dest_qp, text);
}

/* How long the sender may still act as if it had not yet seen what arrived. */
static uint64_t reaction_ns(const struct fal_roce_judge *j)
{
    return fal_rj_longest(&j->setup, j->setup.turnaround_ns + j->setup.pipeline_ns) +
           fal_rj_slack(&j->setup);
}

/* A packet while a NAK waits to be followed. `jump`: it does not continue the one before. */
static void gb2(struct fal_roce_judge *j, struct fal_roce_sends *s,
                const struct fal_roce_seen *seen, bool jump)
{
    uint64_t waited = fal_rj_since(seen->at_ns, s->nak.at_ns);
    const struct fal_roce_place place = fal_rj_place(seen);
    char text[TEXT];

    if (seen->psn == s->nak_psn) {
        s->nak.there = false;
        fal_rj_held(j, FAL_ROCE_GB2);
        return;
    }
    if (!j->setup.have_turnaround) {
        fal_rj_excused(j, FAL_ROCE_GB2, "turnaround-undeclared");
        s->nak.there = !jump;
        return;
    }
    if (waited <= reaction_ns(j))
        return; /* it may have been on its way out */
    (void)snprintf(text, sizeof text,
                   "expected the sender to go back to number %u after the NAK in frame %llu; "
                   "found number %u, %llu ns after it",
                   (unsigned)s->nak_psn, (unsigned long long)s->nak.number, (unsigned)seen->psn,
                   (unsigned long long)waited);
    fal_rj_found(j, FAL_ROCE_GB2,
                 j->setup.complete || jump ? FAL_VERDICT_FAIL : FAL_VERDICT_INCONC, &place,
                 seen->dest_qp, text);
    s->nak.there = false;
}

/* The first number that the sender surely knew to be unacknowledged, some time ago. */
static bool settled_unacked(const struct fal_roce_judge *j, const struct fal_roce_sends *s,
                            uint64_t now_ns, uint32_t *unacked)
{
    bool any = false;

    for (unsigned i = 0; i < s->num_acks && i < FAL_ROCE_ACKS; i++) {
        if (fal_rj_since(now_ns, s->acks[i].at_ns) <= reaction_ns(j))
            continue;
        if (!any || fal_rj_psn_diff(s->acks[i].unacked, *unacked) > 0)
            *unacked = s->acks[i].unacked;
        any = true;
    }
    return any;
}

static void gb5(struct fal_roce_judge *j, const struct fal_roce_sends *s,
                const struct fal_roce_seen *seen)
{
    uint32_t unacked = 0;
    const struct fal_roce_place place = fal_rj_place(seen);
    char text[TEXT];

    if (!j->setup.have_turnaround) {
        fal_rj_excused(j, FAL_ROCE_GB5, "turnaround-undeclared");
        return;
    }
    if (!settled_unacked(j, s, seen->at_ns, &unacked) ||
        fal_rj_psn_diff(seen->psn, unacked) >= 0) {
        fal_rj_held(j, FAL_ROCE_GB5);
        return;
    }
    (void)snprintf(text, sizeof text,
                   "expected no packet below %u to be sent again, because they were "
                   "acknowledged; the sender went back to %u",
                   (unsigned)unacked, (unsigned)seen->psn);
    fal_rj_found(j, FAL_ROCE_GB5, FAL_VERDICT_FAIL, &place, seen->dest_qp, text);
}

/* When the timer began at the earliest. A sender starts it when it sends, at an
 * acknowledgement, or when it decides to go back, which is earlier than the packet that shows
 * it. */
static uint64_t timer_ns(const struct fal_roce_sends *s, uint64_t sent_ns)
{
    uint64_t began_ns = s->has_unacked && s->last_ack_ns > s->jumped_ns ? s->last_ack_ns
                        : s->jumped                                     ? s->decided_ns
                                                                        : sent_ns;

    return began_ns < sent_ns ? began_ns : sent_ns;
}

static void gb6(struct fal_roce_judge *j, const struct fal_roce_sends *s,
                const struct fal_roce_seen *seen)
{
    const struct fal_roce_place place = fal_rj_place(seen);
    size_t at = seen->psn % FAL_ROCE_TIMES;
    uint64_t age, least = fal_rj_shortest(&j->setup, j->setup.timeout_ns);
    char text[TEXT];

    /* A NAK that the last jump back did not surely follow is a cause. */
    if (s->had_nak && (!s->jumped || s->last_nak_ns + reaction_ns(j) >= s->jumped_ns)) {
        fal_rj_held(j, FAL_ROCE_GB6);
        return;
    }
    if (!j->setup.have_turnaround || j->setup.timeout_ns == 0) {
        fal_rj_excused(j, FAL_ROCE_GB6,
                       j->setup.timeout_ns == 0 ? "timeout-undeclared"
                                                : "turnaround-undeclared");
        return;
    }
    if (!s->times[at].there || s->times[at].psn != seen->psn) {
        fal_rj_excused(j, FAL_ROCE_GB6, "capture-start");
        return;
    }
    age = fal_rj_since(seen->at_ns, timer_ns(s, s->times[at].at_ns));
    if (age + fal_rj_slack(&j->setup) + j->setup.pipeline_ns >= least) {
        fal_rj_held(j, FAL_ROCE_GB6);
        return;
    }
    (void)snprintf(
        text, sizeof text,
        "expected packet %u again after a NAK, or %llu ns after its timer began; found "
        "it after %llu ns without a NAK",
        (unsigned)seen->psn, (unsigned long long)least, (unsigned long long)age);
    fal_rj_found(j, FAL_ROCE_GB6, fal_rj_unseen(j), &place, seen->dest_qp, text);
}

/* The sender went back. */
static void jumped_back(struct fal_roce_judge *j, struct fal_roce_sends *s,
                        const struct fal_roce_seen *seen)
{
    const char *why = excuse(j, s);

    if (why == NULL && s->reads)
        why = "reads"; /* responses acknowledge, and show losses */
    if (why == NULL && j->flows[fal_rj_flow_of(j, seen)].twin == FAL_ROCE_NO_FLOW)
        why = "pairing-unknown";
    if (why != NULL) {
        fal_rj_excused(j, FAL_ROCE_GB5, why);
        fal_rj_excused(j, FAL_ROCE_GB6, why);
    } else {
        gb5(j, s, seen);
        gb6(j, s, seen);
    }
    s->jumped = true;
    s->jumped_ns = seen->at_ns;
    s->decided_ns = s->sent_ns;
}

static void begin(struct fal_roce_sends *s, const struct fal_roce_seen *seen)
{
    memset(s, 0, sizeof *s);
    s->frontier = seen->psn;
    s->high = s->prev = fal_rj_psn_add(seen->psn, 0xffffff);
}

static void judge_request(struct fal_roce_judge *j, struct fal_roce_sends *s,
                          const struct fal_roce_seen *seen, bool first)
{
    bool is_new = fal_rj_psn_diff(seen->psn, s->high) > 0;
    /* Forward, it skips packets that were acknowledged meanwhile. */
    bool back = !first && !is_new && fal_rj_psn_diff(seen->psn, s->prev) <= 0;

    if (s->nak.there)
        gb2(j, s, seen, back);
    if (is_new && !first)
        gb1(j, s, seen);
    if (back)
        jumped_back(j, s, seen);
}

void fal_rj_gb_request(struct fal_roce_judge *j, uint32_t flow,
                       const struct fal_roce_seen *seen)
{
    bool first = j->flows[flow].sends == NULL;
    struct fal_roce_sends *s = fal_rj_sends_of(j, flow);
    uint32_t twin = j->flows[flow].twin, count;

    if (s == NULL)
        return;
    if (first)
        begin(s, seen);
    s->reads |= fal_rj_role(seen->opcode) == FAL_ROLE_ASKING;
    count = numbers_of(j, s, seen);
    if (j->paths[j->flows[flow].path].src_judged)
        judge_request(j, s, seen, first);
    note(j, s, seen, count);
    if (twin != FAL_ROCE_NO_FLOW && j->flows[twin].answers.nak_psn == seen->psn)
        j->flows[twin].answers.nak_target_seen = true;
}

/* ---- answers that arrive ---- */

static void acked(struct fal_roce_sends *s, uint32_t unacked, uint64_t at_ns)
{
    if (fal_rj_psn_diff(unacked, fal_rj_psn_add(s->high, 1)) > 0 ||
        (s->has_unacked && fal_rj_psn_diff(unacked, s->unacked) <= 0))
        return;
    s->has_unacked = true;
    s->unacked = unacked;
    s->last_ack_ns = at_ns;
    s->acks[s->num_acks % FAL_ROCE_ACKS].unacked = unacked;
    s->acks[s->num_acks % FAL_ROCE_ACKS].at_ns = at_ns;
    s->num_acks++;
    if (s->num_acks >= 2 * FAL_ROCE_ACKS)
        s->num_acks -= FAL_ROCE_ACKS; /* keeps its place in the ring */
    if (s->nak.there && fal_rj_psn_diff(unacked, s->nak_psn) > 0)
        s->nak.there = false;
}

/* A NAK of a packet that is on its way; others are old ones that the sender ignores. */
static void sequence_nak(struct fal_roce_judge *j, struct fal_roce_sends *s,
                         const struct fal_roce_seen *seen)
{
    bool in_flight = fal_rj_psn_diff(seen->psn, s->high) <= 0 &&
                     (!s->has_unacked || fal_rj_psn_diff(seen->psn, s->unacked) >= 0);
    bool again = s->had_sequence_nak && s->nak_psn == seen->psn;

    acked(s, seen->psn, seen->at_ns);
    /* A copy of the last NAK asks for nothing: a packet that is lost twice gets no second NAK.
     */
    if (!in_flight || s->fatal || again)
        return;
    if (excuse(j, s) != NULL || s->reads) {
        fal_rj_excused(j, FAL_ROCE_GB2, s->reads ? "reads" : excuse(j, s));
        return;
    }
    s->had_sequence_nak = true;
    s->nak = fal_rj_place(seen);
    s->nak_psn = seen->psn;
}

void fal_rj_gb_answered(struct fal_roce_judge *j, uint32_t requests,
                        const struct fal_roce_seen *seen)
{
    struct fal_roce_sends *s = j->flows[requests].sends;
    unsigned kind = seen->syndrome & KIND;

    if (!j->paths[j->flows[requests].path].src_judged || seen->icrc == FAL_ROCE_ICRC_WRONG)
        return;
    if (kind == 0) {
        acked(s, fal_rj_psn_add(seen->psn, 1), seen->at_ns);
        return;
    }
    s->had_nak = true;
    s->last_nak_ns = seen->at_ns;
    if (kind == KIND_NAK && seen->syndrome != NAK_SEQUENCE) {
        s->fatal = true; /* the queue pair goes into its error state */
        s->nak.there = false;
    } else if (kind == KIND_NAK) {
        sequence_nak(j, s, seen);
    } else if (kind == RNR) {
        acked(s, seen->psn, seen->at_ns);
        s->nak.there = false;
    }
}

void fal_rj_gb_paired(struct fal_roce_judge *j, uint32_t requests, uint32_t answers)
{
    struct fal_roce_sends *s = j->flows[requests].sends;
    const struct fal_roce_answers *a = &j->flows[answers].answers;

    if (s == NULL)
        return;
    if (a->had_end)
        acked(s, a->end, j->now_ns);
    s->had_nak |= a->had_any_nak;
    if (a->any_nak_ns > s->last_nak_ns)
        s->last_nak_ns = a->any_nak_ns;
}
