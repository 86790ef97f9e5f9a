/* SPDX-License-Identifier: Apache-2.0
 * again.c - retransmissions and Resyncs that the SUT owes. */
#include "harness/blame/symptoms.h"

#include "oracles/seq.h"

/* The trace up to a time shows these copies of a packet of the SUT. */
struct copies {
    unsigned sent, resyncs; /* copies, and Resyncs in its place */
    uint64_t last;          /* number of the last of them */
    bool nack;              /* the tester refused it by a NACK with an error code */
    unsigned nack_code;     /* of the newest NACK of it; 0: none */
    uint64_t first_ns;      /* when the first copy left */
    bool cause;             /* after the last copy came what causes an early retransmission */
};

static bool is_error(unsigned code)
{
    return code == FAL_NACK_XLR || code == FAL_NACK_CIE || code == FAL_NACK_NRE ||
           code == FAL_NACK_CID;
}

static struct copies count(const struct tl_trace *trace, enum fal_window w, uint32_t psn,
                           uint64_t until_ns)
{
    struct copies c = {.last = UINT64_MAX};

    for (uint64_t n = trace->first; n < trace->next; n++) {
        const struct tl_seen_packet *q = tl_trace_packet(trace, n);
        const struct fal_falcon *f = q != NULL ? &q->falcon : NULL;

        if (q == NULL || q->t_ns > until_ns)
            continue;
        if (q->dir == FAL_TO_SUT) {
            c.cause |= f->packet_type == FAL_EACK || f->packet_type == FAL_NACK;
            if (f->packet_type != FAL_NACK || f->nack_psn != psn ||
                (enum fal_window)(f->window & 1) != w)
                continue;
            c.nack |= is_error(f->nack_code);
            c.nack_code = f->nack_code;
        } else if (fal_falcon_reliable(f->packet_type) && f->psn == psn &&
                   fal_falcon_window(f) == w) {
            if (c.last == UINT64_MAX)
                c.first_ns = q->t_ns;
            c.resyncs += f->packet_type == FAL_RESYNC;
            c.sent += f->packet_type != FAL_RESYNC;
            c.last = n;
            c.cause = false;
        }
    }
    return c;
}

enum tl_symptom tl_no_repeat(const struct tl_trace *trace, enum fal_window w, uint32_t psn,
                             uint64_t until_ns)
{
    struct copies c = count(trace, w, psn, until_ns);

    return c.sent > 0 && !c.cause && c.resyncs == 0 ? TL_SYMPTOM_NO_REPEAT : TL_SYMPTOM_NONE;
}

enum tl_symptom tl_no_resync(const struct tl_trace *trace, enum fal_window w, uint32_t psn,
                             uint64_t until_ns)
{
    struct copies c = count(trace, w, psn, until_ns);

    if (c.resyncs > 0)
        return TL_SYMPTOM_NO_RESYNC_AGAIN;
    if (c.nack)
        return TL_SYMPTOM_NO_RESYNC;
    if (c.sent == 0 || c.cause)
        return TL_SYMPTOM_NONE;
    return c.sent <= trace->params->max_attempts ? TL_SYMPTOM_NO_REPEAT
                                                 : TL_SYMPTOM_NO_RESYNC_AT_END;
}

enum tl_symptom tl_resync_code(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number);
    struct copies c;

    if (q == NULL || q->falcon.packet_type != FAL_RESYNC)
        return TL_SYMPTOM_NONE;
    c = count(trace, fal_falcon_window(&q->falcon), q->falcon.psn, q->t_ns);
    if (c.nack)
        return TL_SYMPTOM_RESYNC_CODE;
    if (c.nack_code == FAL_NACK_RNR)
        return TL_SYMPTOM_RESYNC_AFTER_RNR;
    if (c.nack_code == FAL_NACK_RESOURCE)
        return TL_SYMPTOM_RESYNC_AFTER_NACK_1;
    if (q->falcon.resync_code != FAL_RESYNC_EXHAUSTED && c.sent > trace->params->max_attempts)
        return TL_SYMPTOM_RESYNC_CODE_AT_END;
    return q->falcon.resync_code != FAL_RESYNC_TIMED_OUT && c.sent > 0 &&
                   q->t_ns - c.first_ns >= trace->params->transaction_timeout_ns
               ? TL_SYMPTOM_RESYNC_CODE
               : TL_SYMPTOM_NONE;
}

enum tl_symptom tl_no_fatal(const struct tl_trace *trace, uint64_t until_ns)
{
    for (uint64_t n = trace->next; n-- > trace->first;) {
        const struct tl_seen_packet *q = tl_trace_packet(trace, n);
        struct copies c;

        if (q == NULL || q->dir != FAL_FROM_SUT || q->t_ns > until_ns ||
            !fal_falcon_reliable(q->falcon.packet_type))
            continue;
        c = count(trace, fal_falcon_window(&q->falcon), q->falcon.psn, until_ns);
        if (c.resyncs > 0)
            return c.resyncs <= trace->params->max_attempts ? TL_SYMPTOM_NO_RESYNC_AGAIN
                                                            : TL_SYMPTOM_NONE;
        return c.sent <= trace->params->max_attempts ? TL_SYMPTOM_NO_REPEAT
                                                     : TL_SYMPTOM_NO_RESYNC_AT_END;
    }
    return TL_SYMPTOM_NONE;
}
