/* SPDX-License-Identifier: Apache-2.0
 * d4_wrong_spi_signalled.c - rule D4: a packet that fails the SPI check is signalled to the
 * connection manager as an error. That no signal came is known only after a barrier, over a
 * path that loses nothing. */
#include "oracles/rules/judge/report.h"

#include <string.h>

const struct fal_rule fal_about_d4 = {
    .id = "D4",
    .title = "a wrong SPI is signalled to the connection manager",
    .requirements = FAL_IDS("FTP-9.2.2.3-02"),
    .role = "receiver",
    .needs = "cm events, barrier",
    .assumes = "",
    .doc =
        "Violated when there is no error signal at a barrier that was asked for after such a "
        "packet provably arrived.",
};

struct state {
    bool waiting;
    bool dead;         /* after a fatal error the connection drops every packet (chapter 11) */
    uint64_t ready_ns; /* it had arrived by then; FAL_NEVER: unknown */
    struct fal_at at;
};

static void raw_in(struct fal_ctx *c, const struct fal_event *event, enum fal_fit fit)
{
    struct state *state = c->state;
    const struct fal_params *params = c->track != NULL ? &c->track->setup.params : NULL;
    uint64_t in_ns, out_ns;

    if (fit != FAL_BAD || params == NULL || state->dead ||
        (event->u.packet.bad != FAL_BAD_SPI && event->u.packet.bad != FAL_BAD_PCID))
        return;
    *state = (struct state){.waiting = true, .ready_ns = FAL_NEVER, .at = fal_at_event(event)};
    if (fal_path_in(c).lossless && fal_round_ns(c, &in_ns, &out_ns))
        state->ready_ns = event->t_ns + in_ns + params->turnaround_ns + params->pipeline_ns;
}

static void cm(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const char *what = event->u.cm.what;

    state->dead = state->dead || strcmp(what, "fatal") == 0;
    if (!state->waiting || strcmp(what, "dropped") == 0)
        return;
    state->waiting = false;
    fal_holds(c);
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    struct fal_at at = fal_at_event(event);

    if (event->u.mark.mark != FAL_MARK_BARRIER || !state->waiting ||
        c->track->barrier_index <= state->at.index || c->track->barrier_ns <= state->ready_ns)
        return;
    state->waiting = false;
    if (c->bench->events_lost)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else
        fal_broken(c,
                   &(struct fal_blame){"FTP-9.2.2.3-02",
                                       {&state->at},
                                       .effect = &at,
                                       .seen = "no error signal at the barrier"},
                   "an error signal to the connection manager for a wrong SPI");
}

static void finish(struct fal_ctx *c)
{
    const struct state *state = c->state;

    if (state->waiting && fal_path_in(c).lossless)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (state->waiting)
        fal_excused(c, FAL_EXCUSE_IN_LOSS);
}

const struct fal_rule_impl fal_rule_d4 = {
    .about = &fal_about_d4,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .raw_in = raw_in,
    .on_raw_in = FAL_ON_BAD,
    .cm = cm,
    .mark = mark,
    .finish = finish,
};
