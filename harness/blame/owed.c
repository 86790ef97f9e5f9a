/* SPDX-License-Identifier: Apache-2.0
 * owed.c - acknowledgements that the SUT owes: what it sent instead. */
#include "harness/blame/symptoms.h"

#include "oracles/seq.h"

void tl_symptoms_add(struct tl_symptoms *symptoms, enum tl_symptom symptom)
{
    if (symptom != TL_SYMPTOM_NONE && symptoms->count < TL_SYMPTOMS_MAX)
        symptoms->list[symptoms->count++] = symptom;
}

static int32_t window_size(enum fal_window w)
{
    return w == FAL_WINDOW_REQ ? (int32_t)FAL_RX_WINDOW_REQ : (int32_t)FAL_RX_WINDOW_DATA;
}

/* A packet of the tester that waits for its acknowledgement, and where it lies from the base
 * that a packet of the SUT carries. */
struct owed {
    const struct tl_trace *trace;
    uint64_t number;
    const struct fal_falcon *packet;
    enum fal_window w;
};

static int32_t distance_from(const struct owed *o, const struct fal_falcon *q)
{
    return fal_seq_diff(o->packet->psn, tl_base_of(q, o->w));
}

/* Whether the receiver acknowledges the packet as soon as it arrives (9): all but a push. The
 * upper layer of an unordered connection may take a push that is out of order. */
static bool acked_on_arrival(const struct owed *o)
{
    return o->packet->packet_type != FAL_PUSH_DATA || !o->trace->params->ordered;
}

/* The OWN bit went out in no EACK: a packet of another type left between the packet that
 * demands it and `number`. */
static bool left_between(const struct owed *o, uint64_t number)
{
    for (uint64_t n = o->number + 1; n < number; n++) {
        const struct tl_seen_packet *q = tl_trace_packet(o->trace, n);

        if (q != NULL && q->dir == FAL_FROM_SUT && q->falcon.packet_type != FAL_EACK)
            return true;
    }
    return false;
}

/* Of a packet beyond the window. */
static void beyond(const struct owed *o, const struct fal_falcon *q, uint64_t number,
                   struct tl_symptoms *out)
{
    bool req = o->w == FAL_WINDOW_REQ;
    unsigned bit = req ? FAL_OWN_REQ : FAL_OWN_DATA;

    if ((q->own & bit) != 0 || (q->packet_type != FAL_BACK && q->packet_type != FAL_EACK))
        return;
    if (left_between(o, number))
        tl_symptoms_add(out, req ? TL_SYMPTOM_OWN_LOST_REQ : TL_SYMPTOM_OWN_LOST_DATA);
    else if (q->packet_type == FAL_BACK)
        tl_symptoms_add(out, TL_SYMPTOM_BACK_FOR_OWN);
    tl_symptoms_add(out, req ? TL_SYMPTOM_OWN_MISSING_REQ : TL_SYMPTOM_OWN_MISSING_DATA);
}

/* Of a packet above the base. Whether an EACK sets the bit of a Resync is a matter of its own
 * requirements (9.2.5). */
static void above(const struct owed *o, const struct fal_falcon *q, int32_t distance,
                  struct tl_symptoms *out)
{
    bool req = o->w == FAL_WINDOW_REQ, resync = o->packet->packet_type == FAL_RESYNC;

    if (q->packet_type == FAL_BACK && req) {
        tl_symptoms_add(out, TL_SYMPTOM_BACK_FOR_REQUESTS);
    } else if (q->packet_type == FAL_BACK) {
        if (acked_on_arrival(o))
            tl_symptoms_add(out, TL_SYMPTOM_BACK_FOR_ACKS);
        tl_symptoms_add(out, TL_SYMPTOM_BACK_FOR_HOLE);
    } else if (q->packet_type == FAL_EACK && !resync && !tl_bit_received(q, o->w, distance)) {
        tl_symptoms_add(out, req ? TL_SYMPTOM_REQ_BIT_MISSING : TL_SYMPTOM_RX_BIT_MISSING);
    } else if (q->packet_type == FAL_EACK && !resync && !tl_bit_acked(q, o->w, distance) &&
               acked_on_arrival(o)) {
        tl_symptoms_add(out, TL_SYMPTOM_ACK_BIT_MISSING);
    }
}

/* The packet lies at the base. */
static void at_base(const struct owed *o, const struct fal_falcon *q, struct tl_symptoms *out)
{
    if (o->packet->packet_type == FAL_RESYNC)
        return;
    if (!fal_falcon_is_ack(q->packet_type))
        tl_symptoms_add(out, TL_SYMPTOM_PIGGYBACK_OLD);
    else if (o->w == FAL_WINDOW_REQ)
        tl_symptoms_add(out, TL_SYMPTOM_REQ_BASE_BEHIND);
    else if (o->packet->packet_type == FAL_PULL_DATA)
        tl_symptoms_add(out, TL_SYMPTOM_PULL_DATA_UNACKED);
    if (fal_falcon_is_ack(q->packet_type) && o->w == FAL_WINDOW_DATA)
        tl_symptoms_add(out, TL_SYMPTOM_DATA_BASE_BEHIND);
}

/* Whether the PSNs of the window have wrapped before the packet. */
static bool has_wrapped(const struct owed *o)
{
    for (uint64_t n = o->number; n-- > o->trace->first;) {
        const struct tl_seen_packet *p = tl_trace_packet(o->trace, n);
        uint32_t before;

        if (p == NULL ||
            (p->dir == FAL_TO_SUT && (!fal_falcon_reliable(p->falcon.packet_type) ||
                                      fal_falcon_window(&p->falcon) != o->w)))
            continue;
        before = p->dir == FAL_TO_SUT ? p->falcon.psn : tl_base_of(&p->falcon, o->w);
        if (fal_seq_lt(before, o->packet->psn) && before > o->packet->psn)
            return true;
    }
    return false;
}

/* What `number` lacks; *acked: nothing. */
static struct tl_symptoms lacks(const struct owed *o, uint64_t number, bool *acked)
{
    const struct fal_falcon *q = &tl_trace_packet(o->trace, number)->falcon;
    struct tl_symptoms out = {.count = 0};
    int32_t distance = distance_from(o, q);

    *acked = distance < 0 || (q->packet_type == FAL_EACK && tl_bit_acked(q, o->w, distance)) ||
             (q->packet_type == FAL_EACK && distance >= window_size(o->w) && q->own != 0);
    if (*acked)
        return out;
    if (distance >= window_size(o->w))
        beyond(o, q, number, &out);
    else if (distance > 0)
        above(o, q, distance, &out);
    else
        at_base(o, q, &out);
    return out;
}

/* Whether the packet departed before one that arrived earlier. */
static bool is_late(const struct owed *o)
{
    uint64_t iv = tl_trace_packet(o->trace, o->number)->iv;

    for (uint64_t n = o->number; iv != 0 && n-- > o->trace->first;) {
        const struct tl_seen_packet *p = tl_trace_packet(o->trace, n);

        if (p != NULL && p->dir == FAL_TO_SUT && p->iv != 0 && (int64_t)(p->iv - iv) > 0)
            return true;
    }
    return false;
}

static bool owes(const struct tl_trace *trace, uint64_t number, struct owed *o)
{
    const struct tl_seen_packet *p = tl_trace_packet(trace, number);

    if (p == NULL || p->dir != FAL_TO_SUT || fal_falcon_is_ack(p->falcon.packet_type))
        return false;
    *o = (struct owed){trace, number, &p->falcon, fal_falcon_window(&p->falcon)};
    return true;
}

struct tl_symptoms tl_ack_lacks(const struct tl_trace *trace, uint64_t number, uint64_t of)
{
    struct tl_symptoms none = {.count = 0};
    struct owed o;
    bool acked;

    if (!owes(trace, of, &o) || tl_trace_packet(trace, number) == NULL)
        return none;
    return lacks(&o, number, &acked);
}

/* Whether the ACK `number`, which came too late, came a coalescing timeout after the last
 * packet that had arrived, and the SUT sent nothing in between. A Resync may start no timer. */
static bool is_restarted(const struct owed *o, uint64_t number)
{
    uint64_t timeout_ns = o->trace->params->coalescing_ns, last_ns = 0;
    uint64_t at_ns = tl_trace_packet(o->trace, number)->t_ns;
    uint64_t from_ns = tl_trace_packet(o->trace, o->number)->t_ns;

    if (o->packet->packet_type == FAL_RESYNC || timeout_ns == 0)
        return false;
    for (uint64_t n = o->number + 1; n < number; n++) {
        const struct tl_seen_packet *p = tl_trace_packet(o->trace, n);

        if (p != NULL && p->dir == FAL_FROM_SUT)
            return false;
        if (p != NULL && fal_falcon_reliable(p->falcon.packet_type))
            last_ns = p->t_ns;
    }
    return last_ns > from_ns && at_ns > from_ns + timeout_ns + timeout_ns / 8 &&
           at_ns - last_ns + timeout_ns / 8 > timeout_ns &&
           at_ns - last_ns < timeout_ns + timeout_ns / 8;
}

/* The first packet of the SUT that says something of the packet, from `from` on. */
static uint64_t next_word(const struct owed *o, uint64_t from, bool *piggyback)
{
    const struct tl_seen_packet *p = tl_trace_packet(o->trace, o->number);

    for (uint64_t n = from; n < o->trace->next; n++) {
        const struct tl_seen_packet *q = tl_trace_packet(o->trace, n);

        if (q == NULL || q->dir != FAL_FROM_SUT || q->falcon.packet_type == FAL_NACK)
            continue;
        /* The upper layer may not have taken a push when its ACK is sent. */
        if (p->falcon.packet_type == FAL_PUSH_DATA && q->t_ns == p->t_ns)
            continue;
        if (fal_falcon_is_ack(q->falcon.packet_type) || distance_from(o, &q->falcon) == 0)
            return n;
        *piggyback = true; /* its bases cannot acknowledge the packet */
    }
    return UINT64_MAX;
}

/* The same of the RSN of a request. */
static bool has_rsn_wrapped(const struct owed *o)
{
    for (uint64_t n = o->number; n-- > o->trace->first;) {
        const struct tl_seen_packet *p = tl_trace_packet(o->trace, n);

        if (p != NULL && p->dir == FAL_TO_SUT && o->packet->packet_type != FAL_PULL_DATA &&
            (p->falcon.packet_type == FAL_PULL_REQUEST ||
             p->falcon.packet_type == FAL_PUSH_DATA) &&
            fal_seq_lt(p->falcon.rsn, o->packet->rsn) && p->falcon.rsn > o->packet->rsn)
            return true;
    }
    return false;
}

enum tl_symptom tl_why_refused(const struct tl_trace *trace, uint64_t number)
{
    struct owed o;

    if (!owes(trace, number, &o))
        return TL_SYMPTOM_NONE;
    if (has_wrapped(&o))
        return TL_SYMPTOM_AFTER_WRAP;
    if (has_rsn_wrapped(&o))
        return TL_SYMPTOM_AFTER_RSN_WRAP;
    return is_late(&o) ? TL_SYMPTOM_LATE_REFUSED : TL_SYMPTOM_NONE;
}

struct tl_symptoms tl_owed_ack(const struct tl_trace *trace, uint64_t number, uint64_t until_ns)
{
    struct tl_symptoms out = {.count = 0};
    bool piggyback = false, acked = false;
    struct owed o;
    uint64_t n = number;

    if (!owes(trace, number, &o))
        return out;
    tl_symptoms_add(&out, tl_why_refused(trace, number));
    while ((n = next_word(&o, n + 1, &piggyback)) != UINT64_MAX) {
        const struct tl_seen_packet *q = tl_trace_packet(trace, n);
        struct tl_symptoms is = lacks(&o, n, &acked);

        if (acked && fal_falcon_is_ack(q->falcon.packet_type) && is_restarted(&o, n))
            tl_symptoms_add(&out, TL_SYMPTOM_TIMER_RESTARTED);
        if (q->t_ns > until_ns && !acked)
            break;
        for (unsigned i = 0; i < is.count; i++)
            tl_symptoms_add(&out, is.list[i]);
        if (fal_falcon_is_ack(q->falcon.packet_type) || acked || is.count > 0)
            return out;
    }
    if (piggyback)
        tl_symptoms_add(&out, TL_SYMPTOM_PIGGYBACK_STOPS_TIMER);
    return out;
}

/* Whether the receiver must discard the packet: it has acknowledged it, or the packet is beyond
 * its window. */
static bool is_discarded(const struct owed *o)
{
    for (uint64_t n = o->number; n-- > o->trace->first;) {
        const struct tl_seen_packet *q = tl_trace_packet(o->trace, n);
        int32_t distance = q != NULL ? distance_from(o, &q->falcon) : 0;

        if (q != NULL && q->dir == FAL_FROM_SUT)
            return distance < 0 || distance >= window_size(o->w) ||
                   (q->falcon.packet_type == FAL_EACK &&
                    tl_bit_acked(&q->falcon, o->w, distance));
    }
    return false;
}

/* By which packet the SUT acknowledged what had come before: the timer may not run since. */
static enum tl_symptom jammed(const struct owed *o)
{
    uint64_t n = tl_trace_before(o->trace, o->number, FAL_FROM_SUT);

    if (n == UINT64_MAX)
        return TL_SYMPTOM_NONE;
    return fal_falcon_is_ack(tl_trace_packet(o->trace, n)->falcon.packet_type)
               ? TL_SYMPTOM_TIMER_JAMMED
               : TL_SYMPTOM_JAMMED_BY_PIGGYBACK;
}

struct tl_symptoms tl_no_ack(const struct tl_trace *trace, uint64_t number)
{
    struct tl_symptoms out = {.count = 0};
    struct owed o;

    if (!owes(trace, number, &o))
        return out;
    if (is_discarded(&o)) {
        tl_symptoms_add(&out, TL_SYMPTOM_NO_ACK_OF_DROPPED);
    } else if (o.packet->ack_req != 0) {
        tl_symptoms_add(&out, o.packet->packet_type == FAL_PUSH_DATA
                                  ? TL_SYMPTOM_NO_ACK_OF_PUSH
                                  : TL_SYMPTOM_NO_ACK_AT_ONCE);
    } else {
        tl_symptoms_add(&out, jammed(&o));
        tl_symptoms_add(&out, TL_SYMPTOM_NO_ACK_IN_TIME);
    }
    return out;
}

enum tl_symptom tl_own_kept(const struct fal_falcon *q)
{
    if (q->own == 0)
        return TL_SYMPTOM_NONE;
    return (q->own & FAL_OWN_DATA) != 0 ? TL_SYMPTOM_OWN_KEPT_DATA : TL_SYMPTOM_OWN_KEPT_REQ;
}

enum tl_symptom tl_own_inside(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number);

    if (q == NULL || q->falcon.packet_type != FAL_EACK)
        return TL_SYMPTOM_NONE;
    for (uint64_t n = number; n-- > trace->first;) {
        struct owed o;
        bool acked;

        if (!owes(trace, n, &o) ||
            (q->falcon.own & (o.w == FAL_WINDOW_REQ ? FAL_OWN_REQ : FAL_OWN_DATA)) == 0)
            continue;
        (void)lacks(&o, number, &acked);
        return !acked && distance_from(&o, &q->falcon) < window_size(o.w) &&
                       !tl_bit_received(&q->falcon, o.w, distance_from(&o, &q->falcon))
                   ? TL_SYMPTOM_IN_WINDOW_REFUSED
                   : TL_SYMPTOM_NONE;
    }
    return TL_SYMPTOM_NONE;
}

enum tl_symptom tl_no_nack(unsigned code)
{
    switch (code) {
    case FAL_NACK_RESOURCE: return TL_SYMPTOM_NO_NACK_RESOURCE;
    case FAL_NACK_RNR: return TL_SYMPTOM_NO_NACK_RNR;
    case FAL_NACK_XLR: return TL_SYMPTOM_NO_NACK_XLR;
    case FAL_NACK_CIE: return TL_SYMPTOM_NO_NACK_CIE;
    case FAL_NACK_NRE: return TL_SYMPTOM_NO_NACK_NRE;
    case FAL_NACK_CID: return TL_SYMPTOM_NO_NACK_CID;
    default: return TL_SYMPTOM_NONE;
    }
}
