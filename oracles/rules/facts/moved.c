/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/moved.h"

/* The SUT may apply these limits from now on. */
static void add_limits(struct fal_track *track, const struct fal_limit *limit)
{
    struct fal_limit_range before = fal_limits_of_setup(&track->setup);

    fal_limits_add(&track->limits, limit, &before);
}

/* The same of an engine's limits: the values of `open` count no longer. */
static void move_limits(struct fal_track *track, const struct fal_limit *limit)
{
    add_limits(track, limit);
    track->setup.unknown_params |= FAL_MOVED_PARAMS;
}

void fal_moved_lost(struct fal_track *track, const struct fal_event *event)
{
    move_limits(track, &(struct fal_limit){.from = fal_at_event(event),
                                           .sure_ns = FAL_NEVER,
                                           .latency_ns = FAL_NEVER,
                                           .of = fal_limits_unknown()});
}

void fal_moved_by_entry(struct fal_track *track, const struct fal_engine *engine,
                        const struct fal_entry *entry, int64_t id)
{
    const struct fal_rue_facts *rue = &track->setup.rue;
    struct fal_limit limit = {.from = entry->at, .sure_ns = entry->at.t_ns};

    if (!entry->is_result) {
        if (track->limits.num > 0 || fal_engine_hidden(engine, rue))
            return;
        limit.of = fal_limits_of_event(rue, &entry->event);
    } else if (entry->ours) {
        limit.sure_ns = FAL_NEVER;
        limit.by_result = true;
        limit.id = id;
        limit.of = fal_limits_of_result(rue, &entry->result);
    } else {
        if (engine->tester)
            return;
        limit.by_result = true;
        limit.sure_ns++; /* A packet of the same moment may have been made before. */
        limit.latency_ns = rue->has_latency ? rue->latency_ns : FAL_NEVER;
        limit.of = fal_limits_of_result(rue, &entry->result);
    }
    move_limits(track, &limit);
}

void fal_moved_by_set(struct fal_track *track, const struct fal_event *event)
{
    struct fal_limit limit = {
        .from = fal_at_event(event), .sure_ns = FAL_NEVER, .id = event->u.command.id};

    if (!fal_limits_newest(&track->limits, &limit.of))
        limit.of = fal_limits_of_setup(&track->setup);
    /* Rules that look at other limits than the changed ones know them still. */
    if (fal_limits_set(event->u.command.text, &limit.of))
        add_limits(track, &limit);
}
