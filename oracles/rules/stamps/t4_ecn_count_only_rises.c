/* SPDX-License-Identifier: Apache-2.0
 * t4_ecn_count_only_rises.c - rule T4: the counter of packets that arrived with a congestion
 * mark. Over ACKs and NACKs that provably follow each other it does not go back, modulo 2^14,
 * and it rises by no more than the number of packets that can have arrived (any switch may have
 * marked them). */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_t4 = {
    .id = "T4",
    .title = "the counter of congestion marks never decreases",
    .requirements = FAL_IDS("FTP-7.7.1-14", "FTP-7.8-12", "FTP-9.1.6-10", "FTP-9.1.7-07"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "",
    .shown = true,
    .doc =
        "Violated by an ecn_rx_count that decreases, modulo 2^14, over packets that provably "
        "follow each other, or that rises by more than the number of packets sent. How many "
        "of them were marked on the way is not known. Counters with more than 4096 packets "
        "between them are not compared: the later one may have passed its range.",
};

/* After COMPARABLE packets the counter may have risen by half its range: also those in flight
 * count, which are far fewer, as windows limit them. */
enum { ECN_RANGE = 1 << 14, COMPARABLE = ECN_RANGE / 4 };

struct state {
    bool any;
    uint16_t count;      /* the newest that nothing older contradicts */
    struct fal_point by; /* the first packet that brought it */
    uint64_t came;       /* packets to the subject that were seen; 0 if others send, too */
    uint64_t seen, then; /* the same whoever sends: so far, and when `by` came */
};

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;

    (void)p;
    state->seen++;
    if (!c->track->foreign[fal_in(c)]) /* where others send, some may go unseen (too_many) */
        state->came++;
}

static void broken(struct fal_ctx *c, const struct state *state, const struct fal_seen *q,
                   bool back)
{
    struct fal_blame blame = {.cause = {&state->by.at}, .effect = &q->at, .packet = q->packet};

    if (back) {
        blame.requirement =
            q->falcon->packet_type == FAL_NACK ? "FTP-9.1.7-07" : "FTP-9.1.6-10";
        fal_broken(c, &blame, "an ecn_rx_count of at least %u, which an older packet carried",
                   (unsigned)state->count);
    } else {
        blame.requirement = "FTP-7.7.1-14";
        fal_broken(c, &blame,
                   "an ecn_rx_count at most %llu above %u: only so many packets were sent",
                   (unsigned long long)state->came, (unsigned)state->count);
    }
}

/* Whether more were counted than can have come; the network's own copies count. */
static bool too_many(struct fal_ctx *c, const struct state *state, unsigned step)
{
    if (step <= state->came || !c->track->setup.initial_known ||
        fal_track_may_miss(c->track, fal_in(c), 0))
        return false;
    if (fal_path_in(c).no_duplicates)
        return true;
    fal_excused(c, FAL_EXCUSE_IN_DUP);
    return false;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    const struct fal_point *point = fal_point_of(q);
    unsigned step =
        (unsigned)(q->falcon->ecn_rx_count - state->count) & (unsigned)(ECN_RANGE - 1);
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;
    bool back = step >= ECN_RANGE / 2;

    if (!fal_falcon_is_ack(q->falcon->packet_type))
        return;
    if (state->any && step == 0) {
        state->then = state->seen; /* the counter stands there still */
        return;
    }
    if (!state->any || state->seen - state->then > COMPARABLE) {
        state->any = true;
    } else if (fal_surely_before(c, &state->by, point, &why) != FAL_BEFORE) {
        if (back)
            return; /* an older one, perhaps; the higher count stands */
    } else if (back || too_many(c, state, step)) {
        broken(c, state, q, back);
    } else {
        fal_holds(c);
    }
    state->count = q->falcon->ecn_rx_count;
    state->by = *point;
    state->then = state->seen;
}

const struct fal_rule_impl fal_rule_t4 = {
    .about = &fal_about_t4,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_ACK,
    .in = in,
    .on_in = FAL_ON_PACKET,
};
