/* SPDX-License-Identifier: Apache-2.0
 * t8_iv_keeps_a_pace.c - rule T8: an IV tells time, whichever bits of it are the time. t1 is 32
 * of its bits and counts units of 131.072 ns (AMB-32), so the IV advances by one in such a unit
 * at least, and always at the same pace. IVs that count packets do neither. Other bits than
 * those 32 may be anything, so an IV in which some 32 bits count the units tells time. The rule
 * judges IVs that do not count picoseconds; rule T5 is sharper for those that do. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_t8 = {
    .id = "T8",
    .title = "IVs tell time at one pace",
    .requirements = FAL_IDS("FTP-10.1-01", "FTP-10.1-03"),
    .role = "any",
    .needs = "wire, IV, delays",
    .assumes = "",
    .shown = true,
    .doc = "Violated by two sealed packets, at least a millisecond apart, whose IVs differ by "
           "fewer units than 131.072 ns go into three quarters of the time between them; and "
           "by such a pair whose IVs advance more than four times as fast or as slow as those "
           "of the pair before; unless some 32 bits of all IVs so far count the units. Not "
           "judged while the IVs count picoseconds, which T5 judges.",
};

/* So far apart are the packets of a pair, and so many times the error of the time between. */
#define APART_NS FAL_MS
enum { ERRORS = 8, PACES = 4 };

struct state {
    bool any, paired;
    uint32_t spi;
    uint64_t iv;
    struct fal_at at;
    uint64_t span_iv, span_ns; /* of the pair before */
    uint64_t elsewhere; /* bit s: the 32 bits from bit s on count no units of 131.072 ns */
};

/* The bits of an IV from which on 32 bits may be t1. */
enum { SHIFTS = 33 };

/* Whether 32 bits of the IV, the same in all pairs, count the units, give or take an eighth. */
static bool counts_units(struct state *state, uint64_t iv, uint64_t span_ns)
{
    uint64_t units = span_ns * 1000 >> FAL_T1_SHIFT, some = 0;

    for (unsigned s = 0; s < SHIFTS; s++) {
        uint32_t span = (uint32_t)(iv >> s) - (uint32_t)(state->iv >> s);

        if (span < units - units / ERRORS || span > units + units / ERRORS)
            state->elsewhere |= UINT64_C(1) << s;
        else
            some |= UINT64_C(1) << s;
    }
    return (some & ~state->elsewhere) != 0;
}

static const char *requirement(const struct fal_seen *q)
{
    return fal_falcon_is_ack(q->falcon->packet_type) ? "FTP-10.1-03" : "FTP-10.1-01";
}

static bool too_slow(struct fal_ctx *c, const struct state *state, const struct fal_seen *q,
                     uint64_t span_ns)
{
    int64_t span_iv = (int64_t)(q->packet->iv - state->iv);
    int64_t least = (int64_t)(span_ns / 4 * 3) * 1000 >> FAL_T1_SHIFT;

    if (span_iv >= least)
        return false;
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement(q),
                                   .cause = {&state->at},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "an IV that is at least %lld units later, as it left %s later; it is %lld "
               "units later",
               (long long)least, fal_time_text(span_ns).text, (long long)span_iv);
    return true;
}

static bool faster(uint64_t iv, uint64_t ns, uint64_t than_iv, uint64_t than_ns)
{
    return (fal_u128)iv * than_ns > (fal_u128)than_iv * ns * PACES;
}

static bool another_pace(struct fal_ctx *c, const struct state *state, const struct fal_seen *q,
                         uint64_t span_ns)
{
    uint64_t span_iv = q->packet->iv - state->iv;

    if (!faster(span_iv, span_ns, state->span_iv, state->span_ns) &&
        !faster(state->span_iv, state->span_ns, span_iv, span_ns))
        return false;
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement(q),
                                   .cause = {&state->at},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "an IV at the pace of the packets before, %llu units in %s; it is %llu "
               "units in %s",
               (unsigned long long)state->span_iv, fal_time_text(state->span_ns).text,
               (unsigned long long)span_iv, fal_time_text(span_ns).text);
    return true;
}

static void judge(struct fal_ctx *c, struct state *state, const struct fal_seen *q,
                  uint64_t span_ns)
{
    const struct fal_iv_clock *clock = &c->track->clock[fal_out(c)];
    bool units = counts_units(state, q->packet->iv, span_ns);

    if (!clock->refuted ||
        (!units && (too_slow(c, state, q, span_ns) ||
                    (state->paired && another_pace(c, state, q, span_ns))))) {
        state->paired = false;
        return;
    }
    fal_holds(c);
    state->paired = true;
    state->span_iv = q->packet->iv - state->iv;
    state->span_ns = span_ns;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct fal_path path = fal_path_out(c);
    uint64_t span_ns, error_ns;

    if (!q->packet->has_iv || q->packet->spi == 0 || !path.jitter_known ||
        !path.no_duplicates || (c->bench->run.live && c->subject == FAL_SUBJECT_TESTER))
        return;
    if (q->packet->origin == FAL_ORIGIN_STEP) { /* a step may choose its IV */
        state->any = state->paired = false;
        return;
    }
    if (state->any && state->spi == q->packet->spi && q->at.t_ns >= state->at.t_ns &&
        !(c->bench->stepped && state->at.index < c->bench->step_index)) {
        span_ns = q->at.t_ns - state->at.t_ns;
        if (span_ns < APART_NS)
            return;
        error_ns = path.jitter_ns + 2 * c->bench->run.clock_error_ns + q->at.error_ns +
                   state->at.error_ns + fal_pipeline_ns(c) + fal_clock_step_ns(c);
        if (span_ns < ERRORS * error_ns)
            return;
        judge(c, state, q, span_ns);
    } else {
        state->paired = false;
        state->elsewhere = 0;
    }
    state->any = true;
    state->spi = q->packet->spi;
    state->iv = q->packet->iv;
    state->at = q->at;
}

const struct fal_rule_impl fal_rule_t8 = {
    .about = &fal_about_t8,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_IV,
};
