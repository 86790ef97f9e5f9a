/* SPDX-License-Identifier: Apache-2.0
 * gbn_answer.c - go-back-N at the receiver of a reliable connection: GB3 and GB4. */
#include "oracles/rules/roce/state.h"

#include <stdio.h>

enum { TEXT = 200, NAK_SEQUENCE = 0x60, KIND = 0x60, RNR = 0x20 };

static bool is_sequence_nak(const struct fal_roce_seen *seen)
{
    return fal_rj_role(seen->opcode) == FAL_ROLE_ACK && seen->syndrome == NAK_SEQUENCE;
}

/* The first number that the answer does not acknowledge. */
static uint32_t end_of(const struct fal_roce_seen *seen)
{
    bool ack = (seen->syndrome & KIND) == 0;

    return ack ? fal_rj_psn_add(seen->psn, 1) : seen->psn;
}

static void gb3(struct fal_roce_judge *j, const struct fal_roce_sends *s,
                const struct fal_roce_seen *seen)
{
    uint32_t end = end_of(seen);
    const struct fal_roce_place place = fal_rj_place(seen);
    char text[TEXT];

    if (s->unsized) {
        fal_rj_excused(j, FAL_ROCE_GB3, "mtu-undeclared");
        return;
    }
    if (fal_rj_psn_diff(end, s->frontier) <= 0) {
        fal_rj_held(j, FAL_ROCE_GB3);
        return;
    }
    if (!j->setup.complete) {
        fal_rj_excused(j, FAL_ROCE_GB3, "capture-gap");
        return;
    }
    (void)snprintf(text, sizeof text,
                   "expected no acknowledgement of a packet that was not sent; found numbers "
                   "below %u acknowledged, and %u was never seen intact",
                   (unsigned)end, (unsigned)s->frontier);
    fal_rj_found(j, FAL_ROCE_GB3, FAL_VERDICT_FAIL, &place, seen->dest_qp, text);
}

static void gb4(struct fal_roce_judge *j, struct fal_roce_answers *a,
                const struct fal_roce_seen *seen)
{
    const struct fal_roce_place place = fal_rj_place(seen);
    bool again = a->had_nak && a->nak_psn == seen->psn && !a->nak_target_seen;
    char text[TEXT];

    a->had_nak = true;
    a->nak_psn = seen->psn;
    a->nak_target_seen = false;
    if (!again) {
        fal_rj_held(j, FAL_ROCE_GB4);
        return;
    }
    if (j->setup.vantage != FAL_ROCE_AT_SUT && !j->setup.no_duplicates) {
        fal_rj_excused(j, FAL_ROCE_GB4, "out-dup");
        return;
    }
    if (!j->setup.complete) {
        fal_rj_excused(j, FAL_ROCE_GB4, "capture-gap");
        return;
    }
    (void)snprintf(text, sizeof text,
                   "expected one NAK for the missing packet %u until it comes; found another",
                   (unsigned)seen->psn);
    fal_rj_found(j, FAL_ROCE_GB4, FAL_VERDICT_FAIL, &place, seen->dest_qp, text);
}

/* What the sender will have learned from an answer whose requests are not known yet. */
static void keep_answer(struct fal_roce_answers *a, const struct fal_roce_seen *seen)
{
    uint32_t end = end_of(seen);

    if (!a->had_end || fal_rj_psn_diff(end, a->end) > 0)
        a->end = end;
    a->had_end = true;
    if ((seen->syndrome & KIND) != 0) {
        a->had_any_nak = true;
        a->any_nak_ns = seen->at_ns;
    }
}

void fal_rj_gb_answer(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    struct fal_roce_flow *f = &j->flows[flow];
    bool cumulative =
        seen->has_aeth && ((seen->syndrome & KIND) == 0 || (seen->syndrome & KIND) == RNR ||
                           is_sequence_nak(seen));

    if (f->twin == FAL_ROCE_NO_FLOW) {
        if (cumulative)
            keep_answer(&f->answers, seen);
        if (seen->has_aeth && j->paths[f->path].src_judged) {
            fal_rj_excused(j, FAL_ROCE_GB3, "pairing-unknown");
            if (is_sequence_nak(seen))
                fal_rj_excused(j, FAL_ROCE_GB4, "pairing-unknown");
        }
        return;
    }
    if (j->flows[f->twin].sends == NULL || !seen->has_aeth)
        return;
    if (cumulative && j->paths[f->path].src_judged) {
        gb3(j, j->flows[f->twin].sends, seen);
        if (is_sequence_nak(seen))
            gb4(j, &f->answers, seen);
    }
    fal_rj_gb_answered(j, f->twin, seen);
    if (cumulative)
        fal_rj_np_acked(j, f->twin, end_of(seen));
}
