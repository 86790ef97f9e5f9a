/* SPDX-License-Identifier: Apache-2.0
 * got.c - acknowledgements that the SUT got: which of them it ignores or misreads. */
#include "harness/blame/symptoms.h"

#include "oracles/seq.h"

/* By which part of the tester's packet `p` a packet of the SUT is acknowledged; NONE: it is
 * not. */
static enum tl_symptom acked_by(const struct fal_falcon *p, uint32_t psn, enum fal_window w)
{
    bool req = w == FAL_WINDOW_REQ;
    int32_t distance = fal_seq_diff(psn, tl_base_of(p, w));

    if (distance >= 0) {
        if (p->packet_type != FAL_EACK || !tl_bit_acked(p, w, distance))
            return TL_SYMPTOM_NONE;
        return req ? TL_SYMPTOM_REQ_BITS_IGNORED : TL_SYMPTOM_ACK_BITS_IGNORED;
    }
    if (p->packet_type == FAL_NACK)
        return req ? TL_SYMPTOM_NACK_REQ_BASE_IGNORED : TL_SYMPTOM_NACK_DATA_BASE_IGNORED;
    if (fal_falcon_is_ack(p->packet_type))
        return req ? TL_SYMPTOM_ACK_REQ_BASE_IGNORED : TL_SYMPTOM_ACK_DATA_BASE_IGNORED;
    return req ? TL_SYMPTOM_PIGGYBACK_REQ_IGNORED : TL_SYMPTOM_PIGGYBACK_DATA_IGNORED;
}

/* Whether the bases of the tester's packet `number` are those of an earlier one: it says
 * nothing new by them. */
static bool has_equal_bases(const struct tl_trace *trace, uint64_t number)
{
    const struct fal_falcon *p = &tl_trace_packet(trace, number)->falcon;
    uint64_t n = tl_trace_before(trace, number, FAL_TO_SUT);
    const struct fal_falcon *earlier =
        n != UINT64_MAX ? &tl_trace_packet(trace, n)->falcon : NULL;

    return earlier == NULL || (earlier->recv_data_base_psn == p->recv_data_base_psn &&
                               earlier->recv_req_base_psn == p->recv_req_base_psn);
}

struct tl_symptoms tl_ack_ignored(const struct tl_trace *trace, uint64_t number,
                                  uint64_t before)
{
    const struct tl_seen_packet *sent = tl_trace_packet(trace, number);
    struct tl_symptoms out = {.count = 0};
    enum fal_window w;

    if (sent == NULL || sent->dir != FAL_FROM_SUT ||
        !fal_falcon_reliable(sent->falcon.packet_type))
        return out;
    w = fal_falcon_window(&sent->falcon);
    for (uint64_t n = trace->first; n < before && n < trace->next; n++) {
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);
        enum tl_symptom by;

        if (p == NULL || p->dir != FAL_TO_SUT)
            continue;
        by = acked_by(&p->falcon, sent->falcon.psn, w);
        if (by == TL_SYMPTOM_NONE)
            continue;
        tl_symptoms_add(&out, by);
        if (p->falcon.packet_type == FAL_EACK && has_equal_bases(trace, n))
            tl_symptoms_add(&out, TL_SYMPTOM_EQUAL_BASES_IGNORED);
        break;
    }
    return out;
}

enum tl_symptom tl_early_copy(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *copy = tl_trace_packet(trace, number);

    if (copy == NULL || copy->dir != FAL_FROM_SUT)
        return TL_SYMPTOM_NONE;
    for (uint64_t n = number; n-- > trace->first;) {
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);
        enum fal_window w = fal_falcon_window(&copy->falcon);

        if (p == NULL || p->dir != FAL_TO_SUT)
            continue;
        if (p->falcon.packet_type == FAL_BACK)
            return TL_SYMPTOM_EARLY_AFTER_BACK;
        if (p->falcon.packet_type != FAL_EACK)
            return TL_SYMPTOM_NONE;
        return tl_bit_received(&p->falcon, w,
                               fal_seq_diff(copy->falcon.psn, tl_base_of(&p->falcon, w)))
                   ? TL_SYMPTOM_EARLY_OF_RECEIVED
                   : TL_SYMPTOM_NONE;
    }
    return TL_SYMPTOM_NONE;
}

/* Whether a packet that the SUT must drop acknowledges the push. */
static bool acked_by_bad(const struct tl_trace *trace, const struct tl_seen_packet *push)
{
    for (uint64_t n = trace->first; n < trace->next; n++) {
        const struct tl_seen_packet *p = &trace->packets[n % trace->cap];

        if (p->dir == FAL_TO_SUT && p->bad != FAL_BAD_NOT && p->header_len > 0 &&
            acked_by(&p->falcon, push->falcon.psn, FAL_WINDOW_DATA) != TL_SYMPTOM_NONE)
            return true;
    }
    return false;
}

/* The first copy of the push of that RSN. */
static const struct tl_seen_packet *push_of(const struct tl_trace *trace, uint32_t rsn)
{
    for (uint64_t n = trace->first; n < trace->next; n++) {
        const struct tl_seen_packet *q = tl_trace_packet(trace, n);

        if (q != NULL && q->dir == FAL_FROM_SUT && q->falcon.packet_type == FAL_PUSH_DATA &&
            q->falcon.rsn == rsn)
            return q;
    }
    return NULL;
}

enum tl_symptom tl_completed_early(const struct tl_trace *trace, uint32_t rsn, uint64_t t_ns)
{
    const struct tl_seen_packet *push = push_of(trace, rsn);

    if (push == NULL)
        return TL_SYMPTOM_NONE;
    for (uint64_t n = trace->first; n < trace->next; n++) {
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);

        if (p == NULL || p->dir != FAL_TO_SUT || p->t_ns > t_ns)
            continue;
        if (acked_by(&p->falcon, push->falcon.psn, FAL_WINDOW_DATA) != TL_SYMPTOM_NONE)
            return TL_SYMPTOM_NONE;
        if (p->falcon.packet_type == FAL_EACK &&
            tl_bit_received(
                &p->falcon, FAL_WINDOW_DATA,
                fal_seq_diff(push->falcon.psn, tl_base_of(&p->falcon, FAL_WINDOW_DATA))))
            return TL_SYMPTOM_RX_BIT_COMPLETES;
    }
    return acked_by_bad(trace, push) ? TL_SYMPTOM_BAD_ACK_TAKEN : TL_SYMPTOM_COMPLETES_EARLY;
}

enum tl_symptom tl_completed_twice(const struct tl_trace *trace, uint32_t rsn)
{
    unsigned times = 0;

    for (uint64_t n = trace->first_event; n < trace->next_event; n++) {
        const struct tl_seen_event *e = &trace->events[n % trace->event_cap];

        times += !e->is_cm && e->side == TL_SIDE_SUT && e->ulp.kind == FAL_ULP_COMPLETION &&
                 e->ulp.rsn == rsn;
    }
    return times > 1 && push_of(trace, rsn) != NULL ? TL_SYMPTOM_COMPLETED_TWICE
                                                    : TL_SYMPTOM_NONE;
}
