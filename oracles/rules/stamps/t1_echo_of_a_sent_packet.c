/* SPDX-License-Identifier: Apache-2.0
 * t1_echo_of_a_sent_packet.c - rule T1: the t1 of an ACK or NACK echoes the IV of a packet that
 * was sent. The rule learns which bits of the IV are echoed: the default reading first, else
 * any shift that fits all echoes (AMB-32). */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_t1 = {
    .id = "T1",
    .title = "t1 echoes a packet that was sent",
    .requirements =
        FAL_IDS("FTP-7.7.1-09", "FTP-7.8-08", "FTP-9.1.6-09", "FTP-9.1.7-06", "FTP-10.1-05"),
    .role = "receiver",
    .needs = "wire, IV",
    .assumes = "",
    .doc = "Violated by an ACK or NACK whose t1 is not the time in the IV of any packet sent "
           "before. The tester learns which bits of the IV hold the time where the default, "
           "units of 2^17 ps, never fitted (AMB-32).",
};

enum { SHIFTS = 33 };

struct state {
    bool matched;    /* the default shift has matched once */
    uint64_t misfit; /* shifts that some echo did not fit, a bit each */
};

/* Nothing came yet that could be echoed. */
static bool nothing_yet(const struct fal_ctx *c, const struct fal_seen *q)
{
    bool first = q->falcon->t1 == 0 && q->falcon->t2 == 0 && !q->has_witness;

    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        const struct fal_stream *stream = fal_in_stream(c, w);

        first = first && stream->known && q->claim[w].base == stream->first;
    }
    return first;
}

static void broken(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_echoes *echoes = &c->track->echoes[fal_in(c)];
    const struct fal_echo *last =
        echoes->ring.hi > 0 ? fal_ring_at(&echoes->ring, echoes->ring.hi - 1) : NULL;

    fal_broken(
        c,
        &(struct fal_blame){.requirement = q->falcon->packet_type == FAL_NACK ? "FTP-9.1.7-06"
                                                                              : "FTP-7.7.1-09",
                            .cause = {last != NULL ? &last->at : NULL},
                            .effect = &q->at,
                            .packet = q->packet},
        "as t1 the time in the IV of a packet that was sent before (that of the last packet "
        "is %u)",
        last != NULL ? (unsigned)(uint32_t)(last->iv >> FAL_T1_SHIFT) : 0u);
}

/* Strikes out the shifts that no packet fits; true while one is left. */
static bool fits_otherwise(const struct fal_ctx *c, struct state *state, uint32_t t1)
{
    for (unsigned shift = 0; shift < SHIFTS; shift++) {
        bool unsent;

        if ((state->misfit >> shift & 1) == 0 &&
            fal_echo_find(&c->track->echoes[fal_in(c)], t1, shift, &unsent, NULL) == NULL &&
            unsent)
            state->misfit |= UINT64_C(1) << shift;
    }
    return state->misfit != (UINT64_C(1) << SHIFTS) - 1;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    bool unsent;

    if (!fal_falcon_is_ack(q->falcon->packet_type) || !c->track->clock[fal_in(c)].started ||
        nothing_yet(c, q))
        return;
    if (fal_echo_find(&c->track->echoes[fal_in(c)], q->falcon->t1, FAL_T1_SHIFT, &unsent,
                      NULL) != NULL) {
        state->matched = true;
        fal_holds(c);
    } else if (!unsent || fal_track_may_miss(c->track, fal_in(c), 0)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    } else if (state->matched || !fits_otherwise(c, state, q->falcon->t1)) {
        broken(c, q);
    } else {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    }
}

const struct fal_rule_impl fal_rule_t1 = {
    .about = &fal_about_t1,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_CLOCK,
};
