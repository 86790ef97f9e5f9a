/* SPDX-License-Identifier: Apache-2.0
 * t5_iv_time_advances.c - rule T5: the time of departure in the IV advances. Two different
 * packets that provably left apart do not have the same IV. Once the IVs were seen to keep pace
 * with the observer's clock, they keep on doing so. It does not matter for the first check
 * which bits of an IV are the time (AMB-32). */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_t5 = {
    .id = "T5",
    .title = "the time of departure in the IV advances with time",
    .requirements = FAL_IDS("FTP-10.1-01", "FTP-10.1-03"),
    .role = "any",
    .needs = "wire, IV, delays",
    .assumes = "",
    .shown = true,
    .doc =
        "Violated by two sealed packets with the same IV which left at least a millisecond "
        "apart; and by two whose IVs differ from the distance of the packets by more than "
        "the declared jitter and the steps of the SUT's clock, once the IVs were seen to count "
        "picoseconds.",
};

/* So far apart two packets have different times, whatever the unit. */
#define APART_NS FAL_MS

struct state {
    bool any;
    uint64_t iv;
    struct fal_at at;
};

static const char *requirement(const struct fal_seen *q)
{
    return fal_falcon_is_ack(q->falcon->packet_type) ? "FTP-10.1-03" : "FTP-10.1-01";
}

static void broken(struct fal_ctx *c, const struct state *old, const struct fal_seen *q,
                   uint64_t apart_ns)
{
    bool back = (int64_t)(q->packet->iv - old->iv) < 0;

    fal_broken(
        c,
        &(struct fal_blame){.requirement = requirement(q),
                            .cause = {&old->at},
                            .effect = &q->at,
                            .packet = q->packet},
        "an IV that is %s later than that of the packet before, like the packets; it is %s %s",
        fal_time_text(apart_ns).text,
        fal_time_text((back ? old->iv - q->packet->iv : q->packet->iv - old->iv) / 1000).text,
        back ? "earlier" : "later");
}

static void compare(struct fal_ctx *c, const struct state *old, const struct fal_seen *q,
                    const struct fal_path *path)
{
    const struct fal_iv_clock *clock = &c->track->clock[fal_out(c)];
    uint64_t apart_ns = q->at.t_ns - old->at.t_ns;
    uint64_t margin = path->jitter_ns + 2 * c->bench->run.clock_error_ns + q->at.error_ns +
                      old->at.error_ns + fal_pipeline_ns(c) + fal_clock_step_ns(c) +
                      fal_drift_ns(apart_ns) + 1;
    int64_t late = (int64_t)(q->packet->iv - old->iv) / 1000 - (int64_t)apart_ns;
    bool paced = clock->verified && !clock->refuted;

    if (q->packet->iv == old->iv) {
        if (apart_ns > margin + APART_NS)
            broken(c, old, q, apart_ns);
    } else if ((uint64_t)(late < 0 ? -late : late) <= margin) {
        fal_holds(c);
    } else if (paced) {
        broken(c, old, q, apart_ns);
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct fal_path path = fal_path_out(c);

    if (c->bench->run.live && c->subject == FAL_SUBJECT_TESTER)
        return; /* sealed when its turn came, stamped when the kernel took it */
    /* the IV of a packet that was not sealed does not come from an encryption block */
    if (!q->packet->has_iv || q->packet->spi == 0 || !path.jitter_known || !path.no_duplicates)
        return;
    if (state->any && !(c->bench->stepped && state->at.index < c->bench->step_index) &&
        q->at.t_ns >= state->at.t_ns)
        compare(c, state, q, &path);
    *state = (struct state){true, q->packet->iv, q->at};
}

const struct fal_rule_impl fal_rule_t5 = {
    .about = &fal_about_t5,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_IV,
};
