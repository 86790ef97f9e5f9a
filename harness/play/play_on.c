/* SPDX-License-Identifier: Apache-2.0
 * play_on.c - rules of `on`: what happens to packets on their way between the tester's
 * endpoint and the SUT, and steps that are played when one comes by. */
#include "harness/play/players.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANCE_PART = 0x1a7 /* of the seed */ };

/* Notes that its steps are to be played; soon, not here: this is the middle of a frame. */
static void trigger(struct tl_interp *interp, size_t index)
{
    const struct tl_reaction *rule = interp->active[index].rule;

    if (rule->first == rule->end)
        return;
    if (interp->num_triggered == TL_TRIGGERED_MAX)
        tl_session_break(interp->session, TL_REASON_SCENARIO,
                         "rules of \"on\" trigger each other");
    else
        interp->triggered[interp->num_triggered++] = index;
}

/* Whether it is the turn of this one, of those that fit. */
static bool is_due(struct tl_interp *interp, struct tl_active *active)
{
    uint64_t nth, times;

    if (!tl_interp_number(interp, &active->rule->nth, &nth) ||
        !tl_interp_number(interp, &active->rule->times, &times))
        return false;
    active->seen++;
    if (active->seen < nth || (times > 0 && active->acted >= times))
        return false;
    active->acted++;
    return true;
}

/* The bytes with the fields that the rule sets. */
static void rewrite(struct tl_interp *interp, const struct tl_reaction *rule,
                    const struct tl_seen_packet *packet, const uint8_t *bytes,
                    struct tl_verdict_of_gate *verdict)
{
    const size_t len = packet->len;
    struct fal_relative rel = tl_session_relative(interp->session, packet->dir);
    struct fal_vars vars = tl_scope_vars(&interp->scope);
    struct fal_falcon changed = packet->falcon;
    struct fal_error err = {{0}};
    uint8_t *copy = interp->rewritten;
    int header;

    if (copy == NULL)
        copy = interp->rewritten = malloc(TL_PAYLOAD_MAX + FAL_HEADER_MAX);
    if (copy == NULL || len > TL_PAYLOAD_MAX + FAL_HEADER_MAX) {
        tl_session_break(interp->session, TL_REASON_MEMORY, "out of memory");
        return;
    }
    if (fal_pattern_apply(rule->rewrite, &rel, &vars, &changed, &err) != 0) {
        tl_interp_unplayable(interp, err.text);
        return;
    }
    memcpy(copy, bytes, len);
    header = fal_falcon_encode(&changed, NULL, 0, copy, len, NULL);
    if (header < 0 && changed.packet_type == packet->falcon.packet_type) {
        tl_interp_unplayable(interp, "the rewritten packet cannot be encoded");
        return;
    }
    if (header < 0 || changed.packet_type != packet->falcon.packet_type)
        (void)rule->rewrite->layout->encode(&changed, copy);
    memcpy(copy + packet->header_len, bytes + packet->header_len,
           len - (size_t)packet->header_len);
    verdict->bytes = copy;
}

static void act(struct tl_interp *interp, const struct tl_reaction *rule,
                const struct tl_seen_packet *packet, const uint8_t *bytes,
                struct tl_verdict_of_gate *verdict)
{
    uint64_t delay = 0;

    verdict->owner = rule;
    switch (rule->fate) {
    case TL_FATE_DROP: verdict->drop = true; break;
    case TL_FATE_WITHHOLD: verdict->withhold = true; break;
    case TL_FATE_DELAY:
        (void)tl_interp_duration(interp, &rule->delay, &delay);
        verdict->delay_ns += delay;
        break;
    case TL_FATE_DUPLICATE:
        (void)tl_interp_duration(interp, &rule->delay, &delay);
        verdict->copies++;
        verdict->copy_delay_ns = delay;
        break;
    case TL_FATE_REORDER:
        (void)tl_interp_number(interp, &rule->by, &verdict->overtakers);
        break;
    case TL_FATE_REWRITE: rewrite(interp, rule, packet, bytes, verdict); break;
    case TL_FATE_CORRUPT: verdict->corrupt = true; break;
    case TL_FATE_MARK: verdict->mark = true; break;
    case TL_FATE_PASS: break;
    }
}

/* A frame is on its way: what each rule makes of it, in their order. */
static void look(void *ctx, const struct tl_packet *passing, struct tl_verdict_of_gate *verdict)
{
    struct tl_interp *interp = ctx;
    struct tl_seen_packet packet = {.dir = passing->dir, .len = (uint32_t)passing->len};
    enum tl_interp_state state = interp->state;

    if (interp->num_active == 0)
        return;
    packet.header_len = passing->header_len;
    packet.falcon = passing->falcon;
    if (packet.header_len > 0)
        packet.payload_len = packet.len - (uint32_t)packet.header_len;
    for (size_t i = 0; i < interp->num_active; i++) {
        struct tl_active *active = &interp->active[i];
        const struct tl_reaction *rule = active->rule;

        if (active->off || rule->is_event || rule->dir != packet.dir ||
            tl_interp_fits(interp, rule->pattern, &packet, false, NULL) != 1 ||
            !is_due(interp, active))
            continue;
        (void)tl_interp_fits(interp, rule->pattern, &packet, true, NULL);
        act(interp, rule, &packet, passing->bytes, verdict);
        trigger(interp, i);
    }
    if (interp->session->broken.reason == TL_REASON_NONE)
        interp->state = state;
}

/* Events that have come since, for the rules that wait for them. */
static void look_at_events(struct tl_interp *interp)
{
    for (size_t i = 0; i < interp->num_active; i++) {
        struct tl_active *active = &interp->active[i];

        if (!active->rule->is_event)
            continue;
        for (; active->events < interp->session->events.next; active->events++) {
            const struct tl_seen_event *seen =
                tl_session_event(interp->session, active->events);

            if (active->off || seen == NULL || seen->side != active->rule->side ||
                tl_interp_event_fits(interp, &active->rule->event, seen, true, NULL, 0) != 1 ||
                !is_due(interp, active))
                continue;
            trigger(interp, i);
        }
    }
}

void tl_reactions_play(struct tl_interp *interp)
{
    const size_t step = interp->step, next = interp->next;
    const struct tl_anchor anchor = interp->anchor;
    const uint64_t wake = interp->wake_ns;

    look_at_events(interp);
    if (interp->num_triggered == 0 || interp->reacting)
        return;
    interp->reacting = true;
    while (interp->num_triggered > 0 && interp->state == TL_INTERP_RUNNING &&
           interp->session->broken.reason == TL_REASON_NONE) {
        const struct tl_reaction *rule = interp->active[interp->triggered[0]].rule;

        memmove(interp->triggered, interp->triggered + 1,
                --interp->num_triggered * sizeof *interp->triggered);
        for (size_t i = rule->first; i < rule->end && interp->state == TL_INTERP_RUNNING; i++) {
            const struct tl_step *one = &interp->scenario->steps[i];

            interp->step = i;
            tl_session_text(interp->session, FAL_EV_STEP, (int32_t)i, one->text);
            (void)tl_play_step(interp, one, true, true);
            look_at_events(interp);
            if (++interp->played > TL_STEPS_PLAYED_MAX)
                tl_interp_unplayable(interp, "rules of \"on\" trigger each other without end");
        }
    }
    interp->reacting = false;
    if (interp->state != TL_INTERP_RUNNING)
        return;
    interp->step = step;
    interp->next = next;
    interp->anchor = anchor;
    interp->wake_ns = wake;
}

void tl_play_on(struct tl_interp *interp, const struct tl_step *step)
{
    struct tl_active *active;

    interp->next = step->u.on.end;
    if (interp->num_active == TL_REACTIONS_MAX) {
        tl_interp_unplayable(interp, "more than 64 rules of \"on\" at a time");
        return;
    }
    active = &interp->active[interp->num_active++];
    *active =
        (struct tl_active){.rule = step->u.on.rule, .events = interp->session->events.next};
}

static bool is_named(const struct tl_active *active, const char *name)
{
    return active->rule->name != NULL && strcmp(active->rule->name, name) == 0;
}

void tl_play_off(struct tl_interp *interp, const struct tl_step *step)
{
    for (size_t i = 0; i < interp->num_active; i++)
        interp->active[i].off |= is_named(&interp->active[i], step->u.target_name);
}

void tl_play_release(struct tl_interp *interp, const struct tl_step *step)
{
    uint64_t before = tl_session_now(interp->session), packet = interp->session->packets.next;

    for (size_t i = 0; i < interp->num_active; i++)
        if (is_named(&interp->active[i], step->u.target_name))
            tl_session_release(interp->session, interp->active[i].rule);
    tl_interp_moment(interp, before, tl_session_now(interp->session), packet);
}

/* A share of the scenario, in parts per billion. */
static uint32_t share(struct tl_interp *interp, const struct tl_path_faults *path,
                      enum tl_chance which)
{
    uint64_t value = 0;

    if (path->given[which] && tl_interp_number(interp, &path->chance[which], &value) &&
        value > TL_FRACTION_ONE)
        tl_interp_unplayable(interp, "impair: more than 100%");
    return (uint32_t)value;
}

void tl_reactions_begin(struct tl_interp *interp)
{
    struct tl_gate *gate = &interp->session->gate;

    gate->look = look;
    gate->ctx = interp;
    gate->rng = fal_rng_split(interp->session->config.seed, CHANCE_PART);
    for (int dir = FAL_TO_SUT; dir <= FAL_FROM_SUT && interp->scenario->impaired; dir++) {
        const struct tl_path_faults *path = &interp->scenario->ways[dir];
        struct tl_chances *out = &gate->chances[dir];

        out->loss = share(interp, path, TL_CHANCE_LOSS);
        out->duplicate = share(interp, path, TL_CHANCE_DUPLICATE);
        out->reorder = share(interp, path, TL_CHANCE_REORDER);
        (void)tl_interp_duration(interp, &path->reorder_by, &out->reorder_by_ns);
        (void)tl_interp_duration(interp, &path->latency, &out->latency_ns);
        (void)tl_interp_duration(interp, &path->jitter, &out->jitter_ns);
    }
}
