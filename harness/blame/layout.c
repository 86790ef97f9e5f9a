/* SPDX-License-Identifier: Apache-2.0
 * layout.c - bitmaps of the SUT that show packets which were never sent: whether they show the
 * right packets at the wrong places. */
#include "harness/blame/symptoms.h"

#include "oracles/seq.h"

/* Bit n: the tester's packet with the number base + n of the window was sent before `number`.
 */
static fal_u128 sent_bits(const struct tl_trace *trace, uint64_t number, enum fal_window w)
{
    uint32_t base = tl_base_of(&tl_trace_packet(trace, number)->falcon, w);
    fal_u128 bits = 0;

    for (uint64_t n = trace->first; n < number; n++) {
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);
        int32_t at;

        if (p == NULL || p->dir != FAL_TO_SUT || !fal_falcon_reliable(p->falcon.packet_type) ||
            fal_falcon_window(&p->falcon) != w)
            continue;
        at = fal_seq_diff(p->falcon.psn, base);
        if (at >= 0 && at < 128)
            bits = fal_u128_with(bits, (unsigned)at);
    }
    return bits;
}

/* The 32-bit words in the opposite order. */
static fal_u128 words_reversed(fal_u128 bits, unsigned width)
{
    fal_u128 out = 0;

    for (unsigned i = 0; i < width; i += 32)
        out |= fal_u128_shl(fal_u128_shr(bits, i) & UINT32_MAX, width - 32 - i);
    return out;
}

static fal_u128 bits_reversed(fal_u128 bits, unsigned width)
{
    fal_u128 out = 0;

    for (unsigned i = 0; i < width; i++)
        if (fal_u128_test(bits, i))
            out = fal_u128_with(out, width - 1 - i);
    return out;
}

/* Whether every bit of `bits` is one of `all`, and there is one. */
static bool is_part(fal_u128 bits, fal_u128 all)
{
    return bits != 0 && (bits & ~all) == 0;
}

static bool is_shifted(fal_u128 bits, fal_u128 sent, unsigned width)
{
    return is_part(bits_reversed(bits, width), sent) || is_part(fal_u128_shl(bits, 1), sent) ||
           is_part(fal_u128_shr(bits, 1), sent);
}

enum tl_symptom tl_bitmap_layout(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number);
    const struct fal_falcon *f = q != NULL ? &q->falcon : NULL;

    if (f == NULL || f->packet_type != FAL_EACK)
        return TL_SYMPTOM_NONE;
    {
        const struct {
            fal_u128 bits;
            enum fal_window w;
            unsigned width;
            enum tl_symptom reversed;
        } maps[] = {
            {f->data_rx_bitmap, FAL_WINDOW_DATA, 128, TL_SYMPTOM_RX_WORDS_REVERSED},
            {f->data_ack_bitmap, FAL_WINDOW_DATA, 128, TL_SYMPTOM_ACK_WORDS_REVERSED},
            {f->req_bitmap, FAL_WINDOW_REQ, 64, TL_SYMPTOM_REQ_WORDS_REVERSED},
        };

        for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
            fal_u128 sent = sent_bits(trace, number, maps[i].w);

            if (maps[i].bits == 0 || is_part(maps[i].bits, sent))
                continue;
            if (is_part(words_reversed(maps[i].bits, maps[i].width), sent))
                return maps[i].reversed;
            if (is_shifted(maps[i].bits, sent, maps[i].width))
                return TL_SYMPTOM_BITS_MISPLACED;
        }
    }
    return TL_SYMPTOM_NONE;
}

/* Whether a base lies where the tester has sent packets of that window. */
static bool is_plausible(const struct tl_trace *trace, uint64_t number, uint32_t base,
                         enum fal_window w)
{
    uint32_t next = trace->peer_initial[w];

    for (uint64_t n = trace->first; n < number; n++) {
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);

        if (p != NULL && p->dir == FAL_TO_SUT && fal_falcon_reliable(p->falcon.packet_type) &&
            fal_falcon_window(&p->falcon) == w)
            next = fal_seq_max(next, p->falcon.psn + 1);
    }
    return fal_seq_le(trace->peer_initial[w], base) && fal_seq_le(base, next);
}

enum tl_symptom tl_bases_exchanged(const struct tl_trace *trace, uint64_t number)
{
    const struct tl_seen_packet *q = tl_trace_packet(trace, number);

    if (q == NULL)
        return TL_SYMPTOM_NONE;
    return !is_plausible(trace, number, q->falcon.recv_data_base_psn, FAL_WINDOW_DATA) &&
                   !is_plausible(trace, number, q->falcon.recv_req_base_psn, FAL_WINDOW_REQ) &&
                   is_plausible(trace, number, q->falcon.recv_data_base_psn, FAL_WINDOW_REQ) &&
                   is_plausible(trace, number, q->falcon.recv_req_base_psn, FAL_WINDOW_DATA)
               ? TL_SYMPTOM_BASES_EXCHANGED
               : TL_SYMPTOM_NONE;
}
