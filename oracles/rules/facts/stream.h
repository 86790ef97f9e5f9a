/* SPDX-License-Identifier: Apache-2.0
 * stream.h - one sender's window: the numbers that it sent, the numbers that the receiver
 * claimed, and the numbers that may have gone unseen. */
#ifndef FAL_ORACLES_RULES_FACTS_STREAM_H
#define FAL_ORACLES_RULES_FACTS_STREAM_H

#include "oracles/rules/facts/at.h"
#include "oracles/rules/facts/ring.h"
#include "oracles/seq.h"
#include "oracles/timeline.h"

enum { FAL_FAR_MAX = 8 };

enum fal_sent_flag {
    FAL_SENT_ORIGINAL = 1,   /* a copy that is no Resync was seen */
    FAL_SENT_RESYNC = 2,     /* a Resync for it was seen */
    FAL_SENT_PARTIAL = 4,    /* its payload was not captured whole */
    FAL_SENT_DOUBTFUL = 8,   /* By the lint a receiver may have dropped it. */
    FAL_SENT_VARIED = 16,    /* Copies differ in members that must be equal. */
    FAL_SENT_NACKED = 32,    /* the receiver NACKed it with code 1 or 2 */
    FAL_SENT_AR = 64,        /* its first copy asked for an ACK */
    FAL_SENT_REFUSED = 128,  /* the receiver NACKed it: see fal_nacks_find */
    FAL_SENT_BEYOND = 256,   /* its first copy lay beyond the window of the highest base seen */
    FAL_SENT_STEPPED = 512,  /* a step sent a copy of it */
    FAL_SENT_COUNTED = 1024, /* one of fal_stream.requests */
};

/* One PSN of one window. `type`, `length` and `hash` are those of the first original copy;
 * before one was seen, `type` is what the Resync named. */
struct fal_sent {
    struct fal_at first; /* the first copy or Resync */
    /* The newest copy or Resync: the one with the newest IV, or the one that was seen last.
     * `last_mark` distinguishes copies without an IV. */
    uint64_t last_ns, last_index, last_iv;
    uint32_t last_frame, last_mark;
    bool last_has_iv;
    int64_t rsn;     /* extended, in the space of its type */
    uint64_t hash;   /* of the payload */
    uint32_t length; /* request_length of a pull_request, payload bytes of others */
    uint32_t copies; /* originals seen; 0 and no Resync: the PSN was never seen */
    uint8_t type;
    uint16_t flags; /* fal_sent_flag */
};

/* One sender's window: what it sent, and what the receiver claims of it. */
struct fal_stream {
    bool started;  /* numbers can be extended */
    bool known;    /* the initial number was given */
    bool based;    /* a base is known: given, or claimed */
    bool holes;    /* third party's stream: the capture missed packets of it, or others may send
                      too */
    int64_t first; /* initial number when known */
    int64_t next;  /* one past the highest sent */
    int64_t base;  /* the highest believable base that the receiver claimed */
    /* The same without ACKs and NACKs that were old in one of the windows (AMB-23), and without
     * packets with errors: the sender may have discarded them whole. INT64_MIN: nothing is
     * known. */
    int64_t taken;
    /* Numbers below it may have been sent unseen (the start of a capture, a gap). INT64_MIN:
     * none; INT64_MAX: nothing is known until the next claim. */
    int64_t doubt;
    fal_u128 acked, received; /* claimed by bits so far: bit n is base + n */
    /* Numbers that the sender may retransmit early (9.1.4): by EACKs, bit n is base + n; by OWN
     * bits, all below this number. */
    fal_u128 licensed;
    int64_t licensed_below;
    struct fal_at licence; /* the EACK that gave the newest */
    /* Claims may have gone unseen since. The next base and the next EACK make up for them. */
    bool base_unsure, bits_unsure;
    uint32_t requests;    /* pull_requests or pushes sent, neither acknowledged nor replaced */
    struct fal_ring sent; /* struct fal_sent by extended PSN */
    struct {
        int64_t x;
        struct fal_sent sent;
    } * far_list; /* numbers a leap away from the stretch in `sent` */
    unsigned num_far, far_run;
    bool far_lost;  /* more leaps than can be kept */
    uint64_t epoch; /* rises when the window is learned anew */
};

static inline unsigned fal_window_size(enum fal_window window)
{
    return window == FAL_WINDOW_REQ ? FAL_RX_WINDOW_REQ : FAL_RX_WINDOW_DATA;
}

/* What a packet says about one window of the other side. */
struct fal_claim {
    int64_t base;
    bool snapshot;          /* an EACK: the bitmaps are the whole window */
    fal_u128 ack, received; /* request window: the same */
};

/* Whether it says that x is acknowledged. */
static inline bool fal_claim_acks(const struct fal_claim *claim, int64_t x)
{
    int64_t n = x - claim->base;

    return n < 0 || (claim->snapshot && n < 128 && fal_u128_test(claim->ack, (unsigned)n));
}

void fal_stream_init(struct fal_stream *stream, bool known, uint32_t first);
void fal_stream_free(struct fal_stream *stream);
/* Makes `to` a copy. False: out of memory; what it holds is to be freed in any case. */
bool fal_stream_copy(struct fal_stream *to, const struct fal_stream *from);
/* The extended number of a PSN of this stream; the first call on an unknown stream fixes its
 * place. */
int64_t fal_stream_extend(struct fal_stream *stream, uint32_t psn);
/* The slot of a number that was just sent; it is made if necessary. NULL when there is no room
 * or memory. */
struct fal_sent *fal_stream_reach(struct fal_stream *stream, enum fal_window window, int64_t x,
                                  bool *oom);
/* Whether the receiver may claim this: the base lies within the numbers that were sent, or may
 * have been sent unseen. */
static inline bool fal_stream_believes(const struct fal_stream *stream,
                                       const struct fal_claim *claim)
{
    return claim->base <= stream->next || claim->base <= stream->doubt;
}

/* The receiver NACKed a number for lack of resources, or with RNR. */
void fal_stream_nacked(struct fal_stream *stream, int64_t x);
/* Records a claim that is accepted. */
void fal_stream_claim(struct fal_stream *stream, const struct fal_claim *claim);
/* Packets went unseen; `anew`: so many that numbers may have wrapped. */
void fal_stream_gap(struct fal_stream *stream, bool anew);

/* The lowest number that no claim so far acknowledges: the base, moved on by the bits. A sender
 * that accepted all claims has moved its own base there. */
static inline int64_t fal_stream_edge(const struct fal_stream *stream)
{
    if ((stream->acked & 1) == 0) /* as in most cases */
        return stream->base;
    return stream->base + fal_u128_low(~stream->acked);
}

/* fal_stream_sent among the numbers a leap away. */
const struct fal_sent *fal_stream_far(const struct fal_stream *stream, int64_t x);

/* Whether there are more numbers from the base to the highest than are remembered: the sender
 * left out many, so one must not look at each. */
static inline bool fal_stream_leaps(const struct fal_stream *stream)
{
    return stream->next - stream->base > (int64_t)stream->sent.max;
}

/* The facts about a PSN, or NULL when none was ever seen of it or they are forgotten. */
static inline const struct fal_sent *fal_stream_sent(const struct fal_stream *stream, int64_t x)
{
    const struct fal_sent *sent = fal_ring_at(&stream->sent, x);

    if (sent == NULL && stream->num_far > 0)
        sent = fal_stream_far(stream, x);
    return sent != NULL && sent->flags != 0 ? sent : NULL;
}

/* Calls `visit` for each number that `claim` says anything new about: acknowledged for the
 * first time (`ack`), or received for the first time. Numbers beyond all that was sent are not
 * visited, even if a base passes over them. */
void fal_stream_news(const struct fal_stream *stream, const struct fal_claim *claim,
                     void (*visit)(void *ctx, int64_t x, bool ack), void *ctx);

#endif
