/* SPDX-License-Identifier: Apache-2.0
 * numbers.c - PSNs, RSNs and completion codes of the SUT: what a wrong one is instead. */
#include "harness/blame/symptoms.h"

#include "oracles/seq.h"

/* A packet that begins a transaction. */
static bool begins(const struct fal_falcon *f)
{
    return f->packet_type == FAL_PULL_REQUEST || f->packet_type == FAL_PUSH_DATA;
}

enum tl_symptom tl_rsn_gap(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number);

    if (q == NULL || !begins(&q->falcon))
        return TL_SYMPTOM_NONE;
    for (uint64_t n = trace->first; n < trace->next; n++) {
        const struct tl_seen_packet *other = tl_trace_packet(trace, n);

        if (other != NULL && other->dir == FAL_FROM_SUT && begins(&other->falcon) &&
            other->falcon.rsn + 1 == q->falcon.rsn)
            return TL_SYMPTOM_NONE; /* it was sent later: the order is wrong */
    }
    return TL_SYMPTOM_RSN_SKIPPED;
}

/* Whether the packet `number` may be a retransmission of `first`: after the RTO, or after what
 * causes an early one. */
static bool may_repeat(const struct tl_trace *trace, uint64_t first, uint64_t number)
{
    if (tl_trace_packet(trace, number)->t_ns - tl_trace_packet(trace, first)->t_ns >=
        trace->params->rto_ns)
        return true;
    for (uint64_t n = first + 1; n < number; n++) {
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);

        if (p != NULL && p->dir == FAL_TO_SUT &&
            (p->falcon.packet_type == FAL_EACK || p->falcon.packet_type == FAL_NACK))
            return true;
    }
    return false;
}

enum tl_symptom tl_rsn_twice(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number);

    if (q == NULL || !fal_falcon_reliable(q->falcon.packet_type))
        return TL_SYMPTOM_NONE;
    for (uint64_t n = number; n-- > trace->first;) {
        const struct tl_seen_packet *other = tl_trace_packet(trace, n);
        const struct fal_falcon *f = other != NULL ? &other->falcon : NULL;

        if (f == NULL || other->dir != FAL_FROM_SUT || f->rsn != q->falcon.rsn)
            continue;
        if (begins(f) && begins(&q->falcon) && f->packet_type != q->falcon.packet_type)
            return TL_SYMPTOM_RSN_SHARED;
        if (f->packet_type != q->falcon.packet_type || f->psn == q->falcon.psn ||
            may_repeat(trace, n, number))
            continue;
        if (begins(f))
            return TL_SYMPTOM_RSN_SHARED;
        return f->packet_type == FAL_PULL_DATA ? TL_SYMPTOM_PULL_DATA_TWICE : TL_SYMPTOM_NONE;
    }
    return TL_SYMPTOM_NONE;
}

/* The next number of a window of the SUT, by what it has sent before `number`. */
static uint32_t next_psn(const struct tl_trace *trace, uint64_t number, enum fal_window w)
{
    uint32_t next = trace->initial[w];

    for (uint64_t n = trace->first; n < number; n++) {
        const struct tl_seen_packet *q = tl_trace_packet(trace, n);

        if (q != NULL && q->dir == FAL_FROM_SUT && fal_falcon_reliable(q->falcon.packet_type) &&
            fal_falcon_window(&q->falcon) == w)
            next = fal_seq_max(next, q->falcon.psn + 1);
    }
    return next;
}

/* The number that comes next when both windows count by the counter of the other one. */
static uint32_t next_of_both(const struct tl_trace *trace, uint64_t number, enum fal_window w)
{
    uint32_t next = trace->initial[w];

    for (uint64_t n = trace->first; n < number; n++) {
        const struct tl_seen_packet *q = tl_trace_packet(trace, n);

        if (q != NULL && q->dir == FAL_FROM_SUT && fal_falcon_reliable(q->falcon.packet_type))
            next = q->falcon.psn + 1;
    }
    return next;
}

enum tl_symptom tl_psn_gap(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number);
    enum fal_window other;

    if (q == NULL || !fal_falcon_reliable(q->falcon.packet_type))
        return TL_SYMPTOM_NONE;
    other = fal_falcon_window(&q->falcon) == FAL_WINDOW_REQ ? FAL_WINDOW_DATA : FAL_WINDOW_REQ;
    for (uint64_t n = number + 1; n < trace->next; n++) {
        const struct tl_seen_packet *later = tl_trace_packet(trace, n);

        if (later != NULL && later->dir == FAL_FROM_SUT &&
            fal_falcon_reliable(later->falcon.packet_type) &&
            fal_falcon_window(&later->falcon) != other &&
            later->falcon.psn + 1 == q->falcon.psn)
            return TL_SYMPTOM_PSNS_SWAPPED;
    }
    return q->falcon.psn == next_psn(trace, number, other) ||
                   q->falcon.psn == next_of_both(trace, number, other)
               ? TL_SYMPTOM_PSN_OF_OTHER_WINDOW
               : TL_SYMPTOM_NONE;
}

enum tl_symptom tl_iv_twice(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number);

    for (uint64_t n = number; q != NULL && n-- > trace->first;) {
        const struct tl_seen_packet *other = tl_trace_packet(trace, n);

        if (other != NULL && other->dir == FAL_FROM_SUT && other->iv == q->iv &&
            other->t_ns != q->t_ns)
            return TL_SYMPTOM_IV_REPEATED;
    }
    return TL_SYMPTOM_NONE;
}

enum tl_symptom tl_rnr_short(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number);

    for (uint64_t n = number; q != NULL && n-- > trace->first;) {
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);

        if (p != NULL && p->dir == FAL_TO_SUT && p->falcon.packet_type == FAL_NACK &&
            p->falcon.nack_code == FAL_NACK_RNR && p->falcon.nack_psn == q->falcon.psn)
            return p->falcon.rnr_timeout == 0 ? TL_SYMPTOM_RNR_CODE_0 : TL_SYMPTOM_NONE;
    }
    return TL_SYMPTOM_NONE;
}

/* ---- completion codes (11) ---- */

/* The completion of a transaction that the SUT began; NULL: there is none. With UINT32_MAX for
 * its RSN: the first that is no success. */
static const struct tl_seen_event *completion_of(const struct tl_trace *trace, uint32_t rsn,
                                                 bool any, uint64_t t_ns)
{
    for (uint64_t i = trace->first_event; i < trace->next_event; i++) {
        const struct tl_seen_event *e = &trace->events[i % trace->event_cap];

        if (!e->is_cm && e->side == TL_SIDE_SUT && e->ulp.kind == FAL_ULP_COMPLETION &&
            e->t_ns <= t_ns && (any ? e->ulp.code != 0 : e->ulp.rsn == rsn))
            return e;
    }
    return NULL;
}

/* The first packet of the transaction. */
static const struct tl_seen_packet *begin_of(const struct tl_trace *trace, uint32_t rsn)
{
    for (uint64_t n = trace->first; n < trace->next; n++) {
        const struct tl_seen_packet *q = tl_trace_packet(trace, n);

        if (q != NULL && q->dir == FAL_FROM_SUT && begins(&q->falcon) && q->falcon.rsn == rsn)
            return q;
    }
    return NULL;
}

struct due {
    enum tl_symptom symptom;
    uint32_t code;
};

static struct due of_nack(unsigned code)
{
    switch (code) {
    case FAL_NACK_CIE: return (struct due){TL_SYMPTOM_CODE_OF_CIE, 1};
    case FAL_NACK_NRE: return (struct due){TL_SYMPTOM_CODE_OF_NRE, 3};
    case FAL_NACK_CID: return (struct due){TL_SYMPTOM_CODE_OF_CID, 4};
    case FAL_NACK_XLR: return (struct due){TL_SYMPTOM_CODE_OF_XLR, 13};
    default: return (struct due){TL_SYMPTOM_NONE, 0};
    }
}

/* Whether the tester's packet is the success of the transaction. */
static bool succeeds(const struct fal_falcon *sent, const struct tl_seen_packet *p)
{
    if (sent->packet_type == FAL_PULL_REQUEST)
        return p->falcon.packet_type == FAL_PULL_DATA && p->falcon.rsn == sent->rsn &&
               p->payload_len == sent->request_length;
    return fal_seq_lt(sent->psn, p->falcon.recv_data_base_psn);
}

static struct due code_due(const struct tl_trace *trace, const struct tl_seen_packet *sent,
                           uint64_t t_ns)
{
    struct due due = {TL_SYMPTOM_NONE, 0};
    bool success = false, too_long = false;

    for (uint64_t n = trace->first; n < trace->next; n++) {
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);

        if (p == NULL || p->dir != FAL_TO_SUT || p->t_ns > t_ns || p->t_ns < sent->t_ns)
            continue;
        if (p->falcon.packet_type == FAL_NACK && p->falcon.nack_psn == sent->falcon.psn &&
            (enum fal_window)(p->falcon.window & 1) == fal_falcon_window(&sent->falcon) &&
            of_nack(p->falcon.nack_code).symptom != TL_SYMPTOM_NONE)
            due = of_nack(p->falcon.nack_code);
        success |= succeeds(&sent->falcon, p);
        too_long |= sent->falcon.packet_type == FAL_PULL_REQUEST &&
                    p->falcon.packet_type == FAL_PULL_DATA &&
                    p->falcon.rsn == sent->falcon.rsn &&
                    p->payload_len > sent->falcon.request_length;
    }
    if (due.symptom != TL_SYMPTOM_NONE)
        return due;
    if (success)
        return (struct due){TL_SYMPTOM_CODE_OF_SUCCESS, 0};
    if (too_long)
        return (struct due){TL_SYMPTOM_CODE_OF_TOO_LONG, 9};
    if (t_ns - sent->t_ns >= trace->params->transaction_timeout_ns)
        return (struct due){TL_SYMPTOM_CODE_OF_TIMEOUT, 8};
    return due;
}

static bool is_reserved(uint32_t code)
{
    return code == 2 || (code >= 5 && code <= 7) || code == 14 || code > 15;
}

/* Whether some transaction of the SUT got a NACK for that completion code. */
static bool got_nack(const struct tl_trace *trace, uint32_t code, uint64_t t_ns)
{
    for (uint64_t n = trace->first; n < trace->next; n++) {
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);

        if (p != NULL && p->dir == FAL_TO_SUT && p->t_ns <= t_ns &&
            p->falcon.packet_type == FAL_NACK &&
            of_nack(p->falcon.nack_code).symptom != TL_SYMPTOM_NONE &&
            of_nack(p->falcon.nack_code).code == code)
            return true;
    }
    return false;
}

enum tl_symptom tl_completion_code(const struct tl_trace *trace, uint64_t number, uint64_t t_ns)
{
    const struct tl_seen_packet *sent = tl_trace_packet(trace, number);
    const struct tl_seen_event *e =
        completion_of(trace, sent != NULL ? sent->falcon.rsn : 0, sent == NULL, t_ns);
    struct due due;

    if (e == NULL)
        return TL_SYMPTOM_NONE;
    if (is_reserved(e->ulp.code))
        return TL_SYMPTOM_CODE_RESERVED;
    sent = begin_of(trace, e->ulp.rsn);
    if (sent == NULL)
        return TL_SYMPTOM_NONE;
    due = code_due(trace, sent, e->t_ns);
    if (due.symptom == TL_SYMPTOM_CODE_OF_SUCCESS && got_nack(trace, e->ulp.code, e->t_ns))
        return TL_SYMPTOM_ERROR_OF_ANOTHER;
    return due.code != e->ulp.code ? due.symptom : TL_SYMPTOM_NONE;
}

enum tl_symptom tl_incomplete_pull(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number);
    const struct tl_seen_packet *p;

    if (q == NULL || !fal_falcon_is_ack(q->falcon.packet_type))
        return TL_SYMPTOM_NONE;
    p = tl_trace_packet(trace, tl_trace_before(trace, number, FAL_TO_SUT));
    return p != NULL && p->falcon.packet_type == FAL_PULL_DATA && p->payload_len == 0
               ? TL_SYMPTOM_EMPTY_PULL_DATA
               : TL_SYMPTOM_NONE;
}
