/* SPDX-License-Identifier: Apache-2.0
 * logic.h - the interface of a transport's logic: a table of state and three functions, as in a
 * NIC whose transport is programmable [S1 3.5]. Fixed functions (window, bitmaps, choice of the
 * next segment, credit) are the kit's; a logic detects losses and sets its parameters. Integers
 * only; no loops but those inside the bitmap functions, so that a logic can become hardware.
 * This header, bitmap.h and oracles/beyond/dcqcn.h are all that a vendor's library needs
 * (harness/logic/talon_logic.h). They are valid C++ too. */
#ifndef FAL_ORACLES_LOGIC_LOGIC_H
#define FAL_ORACLES_LOGIC_LOGIC_H

#include "oracles/beyond/dcqcn.h"
#include "oracles/logic/bitmap.h"

#include <stdalign.h>
#include <stddef.h>

enum { FAL_LOGIC_ABI = 1, FAL_LOGIC_USER = 448, FAL_LOGIC_NAME = 32 };

/* The ways to count the credit of a flow [S1 3.3.1]. */
enum fal_logic_credit {
    FAL_LOGIC_BY_WINDOW, /* segments in flight below `wnd` */
    FAL_LOGIC_BY_RATE,   /* rate_bps * time, at most burst_bytes are kept */
    FAL_LOGIC_BY_TOKENS, /* one segment a token; the receiver gives tokens */
};

/* The choices of a flow; the same for its whole life. */
struct fal_logic_config {
    uint32_t segment_bytes;  /* C: of each segment but the last of a burst or message */
    uint32_t max_window;     /* segments above the first one not acknowledged; <= 256 */
    uint32_t initial_window; /* in segments; of logics with a window */
    uint32_t dup_threshold;  /* duplicate acknowledgements that show a loss; 3 */
    uint64_t rto_min_ns, rto_max_ns;
    uint64_t rto_low_ns; /* IRN: with fewer than low_segments in flight; 0: not used */
    uint32_t low_segments;
    uint64_t line_rate_bps; /* rates begin there */
    uint32_t burst_bytes;   /* D */
    uint32_t initial_tokens;
    uint32_t retries; /* timeouts in a row, without a move of the window, after which the flow
                         is given up; 0: no limit */
    bool limited_transmit; /* RFC 3042 */
    struct fal_dcqcn dcqcn;
    void *context; /* of the owner of the logic; the kit does not look at it */
};

/* The state of a flow [S1 table 2]. Segment ids are serial numbers of 32 bits; bitmaps have the
 * bit id % 256 for each id from wnd_start up to, but not including, wnd_start + 256. */
struct fal_logic_flow {
    uint32_t wnd_start; /* the first segment that is not acknowledged cumulatively */
    uint32_t next_new;  /* the first segment that was never generated (highest_sent + 1) */
    uint64_t acked[FAL_LOGIC_WORDS];      /* acknowledged selectively */
    uint64_t marked_rtx[FAL_LOGIC_WORDS]; /* lost, not yet generated again */
    uint8_t rtx_cnt[FAL_LOGIC_WINDOW];    /* how often each was generated again; 255: or more */
    uint32_t outstanding; /* generated and not transmitted (the ring of the engine) */
    uint32_t wnd;         /* segments; the kit takes less where the receiver or config ask */
    uint32_t tokens;      /* not used yet */
    uint32_t timeouts;    /* fal_logic_timeout calls */
    uint64_t rate_bps;
    int64_t credit;        /* of a rate, in 10^-9 bit; the kit's */
    uint64_t sent_bytes;   /* transmitted in all; the kit's */
    uint64_t rto_ns;       /* period of the retransmission timer */
    uint64_t rtx_timer_ns; /* when it expires; 0: it does not run. The kit starts it when a
                              segment is sent and it does not run */
    uint64_t tick_ns;      /* periodic is wanted then; 0: no */
    uint64_t tick_bytes;   /* ... or when sent_bytes is at least that; 0: no */
    const struct fal_logic_config *config;
    alignas(8) uint8_t user[FAL_LOGIC_USER]; /* zero before init */
};

enum fal_logic_in_kind {
    FAL_LOGIC_ACK,     /* incoming: acknowledges, also selectively */
    FAL_LOGIC_NACK,    /* incoming: nack_seg is missing, or was trimmed */
    FAL_LOGIC_CNP,     /* incoming: congestion was seen */
    FAL_LOGIC_GRANT,   /* incoming: nothing but tokens */
    FAL_LOGIC_TIMEOUT, /* periodic: the retransmission timer expired; it is stopped */
    FAL_LOGIC_TICK,    /* periodic: tick_ns or tick_bytes is reached; both are cleared */
};

/* An event. Bitmaps and wnd_start have been updated (stage 1, [S1 3.2.2]). */
struct fal_logic_in {
    uint64_t now_ns;
    enum fal_logic_in_kind kind;
    uint32_t cum;         /* all below it arrived; of ACK and NACK */
    uint32_t old_start;   /* wnd_start before this */
    uint32_t newly_acked; /* segments, cumulatively or selectively */
    uint32_t nack_seg;
    uint32_t tokens; /* that are new */
    uint64_t rtt_ns; /* by an echoed time stamp; 0: not known */
    bool ecn;        /* the receiver reports a congestion mark */
};

struct fal_logic {
    uint32_t abi;              /* FAL_LOGIC_ABI */
    uint32_t flow_bytes;       /* sizeof(struct fal_logic_flow) */
    char name[FAL_LOGIC_NAME]; /* "tcp-newreno" */
    enum fal_logic_credit credit;
    bool selective;      /* a window counts segments in flight (RFC 6675's pipe), not ids */
    uint32_t user_bytes; /* of `user` that it uses */
    void (*init)(struct fal_logic_flow *flow);
    void (*incoming)(struct fal_logic_flow *flow, const struct fal_logic_in *in);
    void (*periodic)(struct fal_logic_flow *flow, const struct fal_logic_in *in);
};

/* The order of serial numbers: whether a comes before b. */
static inline bool fal_logic_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/* Segments that were generated and are not acknowledged cumulatively. */
static inline uint32_t fal_logic_span(const struct fal_logic_flow *flow)
{
    return flow->next_new - flow->wnd_start;
}

/* Marks those of [first, end) that are sent and not acknowledged as lost. */
static inline void fal_logic_mark(struct fal_logic_flow *flow, uint32_t first, uint32_t end)
{
    if (fal_logic_before(first, flow->wnd_start))
        first = flow->wnd_start;
    if (fal_logic_before(flow->next_new, end))
        end = flow->next_new;
    if (fal_logic_before(first, end))
        fal_ring_mark(flow->marked_rtx, flow->acked, first, end - first);
}

/* The first segment from `from` on that was sent and is not acknowledged; next_new: none. */
static inline uint32_t fal_logic_first_unacked(const struct fal_logic_flow *flow, uint32_t from)
{
    uint32_t n;

    if (fal_logic_before(from, flow->wnd_start))
        from = flow->wnd_start;
    if (!fal_logic_before(from, flow->next_new))
        return flow->next_new;
    n = flow->next_new - from;
    return from + fal_ring_first_clear(flow->acked, from, n);
}

/* The first segment that is marked as lost; next_new: none. */
static inline uint32_t fal_logic_first_lost(const struct fal_logic_flow *flow)
{
    return flow->wnd_start +
           fal_ring_first_set(flow->marked_rtx, flow->wnd_start, fal_logic_span(flow));
}

/* One above the highest segment that was acknowledged selectively; wnd_start: none. */
static inline uint32_t fal_logic_acked_end(const struct fal_logic_flow *flow)
{
    return flow->wnd_start + fal_ring_end(flow->acked, flow->wnd_start, fal_logic_span(flow));
}

/* The number of segments of [first, end), inside the window, acknowledged selectively. */
static inline uint32_t fal_logic_acked_in(const struct fal_logic_flow *flow, uint32_t first,
                                          uint32_t end)
{
    return fal_ring_count(flow->acked, first, end - first);
}

/* Segments that are on their way by what is known: sent, not acknowledged, not lost. */
static inline uint32_t fal_logic_in_flight(const struct fal_logic_flow *flow)
{
    uint32_t n = fal_logic_span(flow);

    return n - fal_ring_count(flow->acked, flow->wnd_start, n) -
           fal_ring_count(flow->marked_rtx, flow->wnd_start, n);
}

/* Starts the retransmission timer anew with rto_ns, or stops it when nothing is in flight. */
static inline void fal_logic_timer(struct fal_logic_flow *flow, uint64_t now_ns)
{
    flow->rtx_timer_ns = fal_logic_span(flow) != 0 ? now_ns + flow->rto_ns : 0;
}

/* All that is not acknowledged counts as lost because the timer expired, which starts anew. */
static inline void fal_logic_timeout(struct fal_logic_flow *flow, uint64_t now_ns)
{
    flow->timeouts++;
    fal_logic_mark(flow, flow->wnd_start, flow->next_new);
    fal_logic_timer(flow, now_ns);
}

#endif
