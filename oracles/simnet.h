/* SPDX-License-Identifier: Apache-2.0
 * simnet.h - the simulated network between two ends, in virtual time and from one seed. Pure:
 * frames go in with the time and come out when they are due.
 *
 * Each direction has a path of its own: a bottleneck (rate, queue, ECN marking, MTU) and what
 * chance does to frames (latency, jitter, loss, duplication, reordering, corruption). Rules
 * script single frames: "drop the third push_data".
 *
 *   simnet.c        the way of a frame
 *   simnet_heap.c   frames under way, by the time they arrive
 *   simnet_wire.c   the bottleneck
 *   simnet_rules.c  which rule acts on a frame */
#ifndef FAL_ORACLES_SIMNET_H
#define FAL_ORACLES_SIMNET_H

#include "codecs/base/error.h"
#include "oracles/timeline.h"

/* Codepoints of the ECN field (RFC 3168). */
enum fal_ecn { FAL_ECN_NOT_ECT = 0, FAL_ECN_ECT1 = 1, FAL_ECN_ECT0 = 2, FAL_ECN_CE = 3 };

/* One direction; all zero: a wire without delay or loss. Probabilities are in parts per
 * million. */
struct fal_impairment {
    uint64_t latency_ns; /* fixed */
    uint64_t
        jitter_ns; /* added, uniform in [0, jitter]; reorders when it exceeds the spacing */
    uint32_t loss_ppm, duplicate_ppm, reorder_ppm,
        corrupt_ppm; /* reorder: held back by reorder_ns */
    uint64_t reorder_ns;
    uint32_t ce_ppm;   /* marked CE, when the frame is ECN-capable */
    uint64_t rate_bps; /* bits per second of the bottleneck; 0: no limit */
    uint32_t
        queue_bytes; /* a frame that would not fit into its queue is lost; 0: it has no end */
    uint32_t ecn_bytes; /* a frame that finds so much in the queue is marked CE; 0: never */
    uint32_t mtu;       /* bytes of the longest frame, others are lost; 0: any */
    uint8_t hops;       /* taken off the TTL; a frame that has no more is lost */
};

/* The least and the longest time that a frame may be under way; FAL_NEVER: there is no bound.
 */
uint64_t fal_impairment_delay_min_ns(const struct fal_impairment *impair);
uint64_t fal_impairment_delay_max_ns(const struct fal_impairment *impair);

/* A frame: as it is sent, and as it arrives. */
struct fal_simnet_frame {
    enum fal_dir dir;
    uint64_t at_ns;
    const uint8_t *bytes;
    size_t len;
    uint8_t ecn, ttl; /* ttl 0: not known, and stays so */
    uint32_t path;    /* the source port or flow label; 0: unknown. It does not choose a path */
    const struct fal_falcon
        *packet; /* sent: what it carries, for rules; or NULL. arrived: NULL */
};

enum fal_simnet_action {
    FAL_SIMNET_DROP,
    FAL_SIMNET_DUPLICATE,
    FAL_SIMNET_DELAY,
    FAL_SIMNET_CORRUPT, /* one bit, chosen by the seed */
    FAL_SIMNET_MARK_CE, /* whatever its ECN field says */
};

enum { FAL_SIMNET_ANY = -1, FAL_SIMNET_RULES_MAX = 64 };

/* What happens to frames of one kind. Conditions that are FAL_SIMNET_ANY hold for all. Rules
 * act before chance does, and each counts its own frames: what one drops the others have seen
 * too. */
struct fal_simnet_rule {
    int dir;          /* enum fal_dir */
    int type;         /* enum fal_packet_type */
    int window;       /* enum fal_window; frames without a PSN are in neither */
    int64_t psn, rsn; /* of frames that have one */
    uint32_t nth;     /* from the n-th such frame on, from 1; 0: as 1 */
    uint32_t times;   /* on so many of them; 0: on all that follow */
    enum fal_simnet_action action;
    uint64_t delay_ns; /* DELAY */
};

/* A rule without conditions that acts on every frame. */
#define FAL_SIMNET_RULE                                                          \
    {                                                                            \
        .dir = FAL_SIMNET_ANY, .type = FAL_SIMNET_ANY, .window = FAL_SIMNET_ANY, \
        .psn = FAL_SIMNET_ANY, .rsn = FAL_SIMNET_ANY                             \
    }

struct fal_simnet;

/* The two directions by enum fal_dir. NULL when out of memory; the caller frees. */
struct fal_simnet *fal_simnet_new(const struct fal_impairment impair[2], uint64_t seed);
void fal_simnet_free(struct fal_simnet *net);

/* Adds a rule; copied. 0, FAL_ERR_RANGE (there are FAL_SIMNET_RULES_MAX already). */
MUST_USE int fal_simnet_add_rule(struct fal_simnet *net, const struct fal_simnet_rule *rule);
/* Whether there are rules: only they look into a frame's packet. */
bool fal_simnet_has_rules(const struct fal_simnet *net);
/* How many frames the n-th rule acted on; 0 when there is no such rule. */
uint64_t fal_simnet_rule_acts(const struct fal_simnet *net, size_t n);

/* Takes a frame at its at_ns; copied. 0, or FAL_ERR_MEM. */
MUST_USE int fal_simnet_put(struct fal_simnet *net, const struct fal_simnet_frame *frame);
/* The same for bytes that carry neither ECN field nor TTL and that no rule looks into. */
MUST_USE int fal_simnet_send(struct fal_simnet *net, enum fal_dir dir, const uint8_t *bytes,
                             size_t len, uint64_t now_ns);

/* When the next frame arrives; FAL_NEVER when none is under way. */
uint64_t fal_simnet_deadline(const struct fal_simnet *net);

/* When the last frame of that direction that is under way arrives; 0 when none is. */
uint64_t fal_simnet_last_arrival(const struct fal_simnet *net, enum fal_dir dir);

/* The next frame due at or before now_ns; its bytes are valid until the next call. Frames due
 * at the same moment come out in the order they went in. */
bool fal_simnet_take(struct fal_simnet *net, uint64_t now_ns, struct fal_simnet_frame *frame);
/* The same, in pieces. */
bool fal_simnet_next(struct fal_simnet *net, uint64_t now_ns, enum fal_dir *dir,
                     uint64_t *at_ns, const uint8_t **bytes, size_t *len);

/* Frames since the start, by direction. lost: by chance or by a rule; overflowed: by the queue;
 * oversized: by the MTU; expired: by their TTL; overtaken: arrived after one that was sent
 * later. */
struct fal_simnet_counts {
    uint64_t sent[2], lost[2], duplicated[2], corrupted[2], marked[2], overflowed[2],
        oversized[2], expired[2], overtaken[2];
};
struct fal_simnet_counts fal_simnet_counts(const struct fal_simnet *net);

/* Counts by direction the independent trials that the network made of its frames since the
 * start, and how many of them it lost: the measure of the excuse budget (judging.md, section
 * 18). Chance decides of each frame by itself, so that each is a trial. A queue overflows in
 * bursts: where one may, a trial is a round trip in which frames were sent, and it is lost if
 * one of them was. Frames that are too long or whose TTL ends are no trials. Rules choose
 * frames: with rules nothing counts. */
struct fal_simnet_trials {
    uint64_t trials[2], lost[2];
};
struct fal_simnet_trials fal_simnet_trials(const struct fal_simnet *net);

#endif
