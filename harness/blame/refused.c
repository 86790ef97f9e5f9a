/* SPDX-License-Identifier: Apache-2.0
 * refused.c - pushes that the upper layer of the SUT refuses or has not accepted yet, and what
 * the SUT says of them. */
#include "harness/blame/symptoms.h"

#include "oracles/seq.h"

/* The tester's newest packet of that number and window before `number`. */
static uint64_t arrival(const struct tl_trace *trace, uint64_t number, enum fal_window w,
                        uint32_t psn)
{
    for (uint64_t n = number; n-- > trace->first;) {
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);

        if (p != NULL && p->dir == FAL_TO_SUT && fal_falcon_reliable(p->falcon.packet_type) &&
            p->falcon.psn == psn && fal_falcon_window(&p->falcon) == w)
            return n;
    }
    return UINT64_MAX;
}

enum tl_symptom tl_nack_and_ack(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number), *p;
    uint64_t of;

    if (q == NULL || q->falcon.packet_type != FAL_NACK)
        return TL_SYMPTOM_NONE;
    of = arrival(trace, number, (enum fal_window)(q->falcon.window & 1), q->falcon.nack_psn);
    p = tl_trace_packet(trace, of);
    if (p == NULL)
        return TL_SYMPTOM_NONE;
    if (q->falcon.nack_code == FAL_NACK_RESOURCE)
        return TL_SYMPTOM_ACKED_AND_DROPPED;
    return p->falcon.packet_type == FAL_PUSH_DATA ? TL_SYMPTOM_ACKED_BEFORE_ULP
                                                  : TL_SYMPTOM_NONE;
}

enum tl_symptom tl_push_acked(const struct tl_trace *trace, uint64_t of, uint64_t t_ns)
{
    const struct tl_seen_packet *p = tl_trace_packet(trace, of);

    if (p == NULL || p->falcon.packet_type != FAL_PUSH_DATA)
        return TL_SYMPTOM_NONE;
    for (uint64_t n = trace->first_event; n < trace->next_event; n++) {
        const struct tl_seen_event *e = &trace->events[n % trace->event_cap];

        if (!e->is_cm && e->side == TL_SIDE_SUT && e->ulp.kind == FAL_ULP_REQUEST &&
            e->ulp.rsn == p->falcon.rsn && e->t_ns <= t_ns)
            return TL_SYMPTOM_NONE; /* it was delivered, out of order */
    }
    return TL_SYMPTOM_ACKED_BEFORE_ULP;
}

static enum tl_symptom of_answer(enum fal_answer answer)
{
    switch (answer) {
    case FAL_ANSWER_RNR: return TL_SYMPTOM_NO_NACK_RNR;
    case FAL_ANSWER_CIE: return TL_SYMPTOM_NO_NACK_CIE;
    case FAL_ANSWER_NRE: return TL_SYMPTOM_NO_NACK_NRE;
    case FAL_ANSWER_CID: return TL_SYMPTOM_NO_NACK_CID;
    case FAL_ANSWER_ACK:
    case FAL_ANSWER_DATA:
    case FAL_ANSWER_WITHHOLD: break;
    }
    return TL_SYMPTOM_NONE;
}

enum tl_symptom tl_nack_code(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number), *p;
    enum tl_symptom due = TL_SYMPTOM_NONE;
    uint64_t of;

    if (q == NULL || q->falcon.packet_type != FAL_NACK)
        return TL_SYMPTOM_NONE;
    of = arrival(trace, number, (enum fal_window)(q->falcon.window & 1), q->falcon.nack_psn);
    p = tl_trace_packet(trace, of);
    for (uint64_t n = trace->first_event; p != NULL && n < trace->next_event; n++) {
        const struct tl_seen_event *e = &trace->events[n % trace->event_cap];

        if (!e->is_cm && e->side == TL_SIDE_SUT && e->ulp.kind == FAL_ULP_ACK &&
            e->ulp.rsn == p->falcon.rsn && e->t_ns <= q->t_ns)
            due = of_answer(e->ulp.answer);
    }
    return due != tl_no_nack(q->falcon.nack_code) ? due : TL_SYMPTOM_NONE;
}

/* Whether `q` is a NACK of the SUT for the tester's packet `p`. */
static bool refuses(const struct tl_seen_packet *q, const struct tl_seen_packet *p)
{
    return q != NULL && q->dir == FAL_FROM_SUT && q->falcon.packet_type == FAL_NACK &&
           q->falcon.nack_psn == p->falcon.psn &&
           (enum fal_window)(q->falcon.window & 1) == fal_falcon_window(&p->falcon);
}

bool tl_was_refused(const struct tl_trace *trace, uint64_t of, uint64_t t_ns)
{
    const struct tl_seen_packet *p = tl_trace_packet(trace, of);

    for (uint64_t n = trace->first; p != NULL && n < trace->next; n++) {
        const struct tl_seen_packet *q = tl_trace_packet(trace, n);

        if (refuses(q, p) && q->t_ns < t_ns)
            return true;
    }
    return false;
}

/* Whether the upper layer of the SUT has answered the request of that RSN with RNR. */
static bool was_answered_rnr(const struct tl_trace *trace, uint32_t rsn)
{
    for (uint64_t n = trace->first_event; n < trace->next_event; n++) {
        const struct tl_seen_event *e = &trace->events[n % trace->event_cap];

        if (!e->is_cm && e->side == TL_SIDE_SUT && e->ulp.kind == FAL_ULP_ACK &&
            e->ulp.rsn == rsn && e->ulp.answer == FAL_ANSWER_RNR)
            return true;
    }
    return false;
}

enum tl_symptom tl_delivered_again(const struct tl_trace *trace, uint64_t of)
{
    const struct tl_seen_packet *p = tl_trace_packet(trace, of);
    bool rnr = false;

    for (uint64_t n = of; p != NULL && n < trace->next; n++) {
        const struct tl_seen_packet *q = tl_trace_packet(trace, n);

        if (!refuses(q, p))
            continue;
        if (q->falcon.nack_code != FAL_NACK_RNR && q->falcon.nack_code != FAL_NACK_RESOURCE)
            return TL_SYMPTOM_REDELIVERED_AFTER_ERROR;
        rnr |= q->falcon.nack_code == FAL_NACK_RNR;
    }
    if (p != NULL && p->falcon.packet_type == FAL_PULL_REQUEST)
        return was_answered_rnr(trace, p->falcon.rsn) ? TL_SYMPTOM_REDELIVERED_PULL
                                                      : TL_SYMPTOM_NONE;
    return rnr ? TL_SYMPTOM_REDELIVERED_PUSH : TL_SYMPTOM_NONE;
}

static enum tl_symptom of_bad(enum fal_bad bad)
{
    switch (bad) {
    case FAL_BAD_SEAL: return TL_SYMPTOM_DAMAGED_ACCEPTED;
    case FAL_BAD_SPI: return TL_SYMPTOM_SPI_ACCEPTED;
    case FAL_BAD_PCID: return TL_SYMPTOM_PCID_ACCEPTED;
    case FAL_BAD_REPLAY: return TL_SYMPTOM_REPLAY_ACCEPTED;
    case FAL_BAD_NOT:
    case FAL_BAD_CHECKSUM:
    case FAL_BAD_LENGTH: break;
    }
    return TL_SYMPTOM_NONE;
}

enum tl_symptom tl_echo_of_bad(const struct tl_trace *trace, uint64_t number)
{
    for (uint64_t n = number; number != UINT64_MAX && n-- > trace->first;) {
        enum tl_symptom is = of_bad(trace->packets[n % trace->cap].bad);

        if (is != TL_SYMPTOM_NONE)
            return is;
    }
    return TL_SYMPTOM_NONE;
}

enum tl_symptom tl_bad_accepted(const struct tl_trace *trace, uint64_t of)
{
    const struct tl_seen_packet *p = &trace->packets[of % trace->cap];
    enum fal_window w = fal_falcon_window(&p->falcon);

    if (p->header_len <= 0 || !fal_falcon_reliable(p->falcon.packet_type))
        return TL_SYMPTOM_NONE;
    for (uint64_t n = of + 1; n < trace->next; n++) {
        const struct tl_seen_packet *q = tl_trace_packet(trace, n);
        int32_t distance;

        if (q == NULL || q->dir != FAL_FROM_SUT)
            continue;
        distance = fal_seq_diff(p->falcon.psn, tl_base_of(&q->falcon, w));
        if (distance < 0 ||
            (q->falcon.packet_type == FAL_EACK && tl_bit_received(&q->falcon, w, distance)))
            return of_bad(p->bad);
    }
    return TL_SYMPTOM_NONE;
}

enum tl_symptom tl_acks_bad(const struct tl_trace *trace, uint64_t number)
{
    for (uint64_t n = number; number != UINT64_MAX && n-- > trace->first;) {
        const struct tl_seen_packet *p = &trace->packets[n % trace->cap];
        enum tl_symptom is;

        if (p->dir != FAL_TO_SUT || p->header_len <= 0)
            continue;
        is = p->bad != FAL_BAD_NOT ? tl_bad_accepted(trace, n) : TL_SYMPTOM_NONE;
        if (is != TL_SYMPTOM_NONE)
            return is;
        if (p->bad == FAL_BAD_NOT && p->falcon.dest_cid != trace->cid)
            return TL_SYMPTOM_CID_ACCEPTED;
    }
    return TL_SYMPTOM_NONE;
}
