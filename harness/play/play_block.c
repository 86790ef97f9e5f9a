/* SPDX-License-Identifier: Apache-2.0
 * play_block.c - plays any_order, alt, if and repeat: finds which of several expectations is
 * met, and the step that follows. */
#include "harness/play/players.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- expectations side by side ---- */

static void begin_group(struct tl_interp *interp, const struct tl_step *step)
{
    interp->num_taken = 0;
    for (size_t i = 0; i < step->u.block.count && interp->state == TL_INTERP_RUNNING; i++) {
        const struct tl_step *head = &interp->scenario->steps[step->u.block.heads[i]];
        uint64_t ns = 0;

        if (head->verb == TL_WAIT) {
            (void)tl_interp_duration(interp, &head->from, &ns);
            interp->earliest_ns = interp->deadline_ns = interp->anchor.late_ns + ns;
        } else {
            (void)tl_interp_window(interp, head);
        }
        interp->group[i] = (struct tl_window){.earliest_ns = interp->earliest_ns,
                                              .deadline_ns = interp->deadline_ns};
    }
}

static bool is_event(const struct tl_step *head)
{
    return head->verb == TL_EXPECT_ULP;
}

/* The number of the packet or event that would meet it, and its time; UINT64_MAX: none yet. */
static uint64_t candidate(struct tl_interp *interp, const struct tl_step *head, uint64_t from,
                          const struct tl_window *window, uint64_t *t_ns)
{
    uint64_t n;

    if (is_event(head)) {
        n = tl_find_event(interp, head, from, window->earliest_ns, window->deadline_ns);
        if (n != UINT64_MAX)
            *t_ns = tl_session_event(interp->session, n)->t_ns;
        return n;
    }
    n = tl_find_packet(interp, head, from, window->earliest_ns, window->deadline_ns);
    if (n != UINT64_MAX)
        *t_ns = tl_session_packet(interp->session, n)->t_ns;
    return n;
}

static uint64_t first_of(const struct tl_interp *interp, const struct tl_step *head)
{
    return is_event(head) ? interp->next_event[head->u.expect_ulp.side] : interp->next_packet;
}

static uint64_t grace(const struct tl_interp *interp)
{
    return tl_session_live(interp->session) ? TL_GRACE_NS : 0;
}

/* ---- any_order ---- */

/* Packets and the events of each side share one list of numbers; the high bits distinguish
 * them. */
static uint64_t taken_name(const struct tl_step *head, uint64_t number)
{
    return is_event(head) ? number | (UINT64_C(1) + head->u.expect_ulp.side) << 62 : number;
}

static bool is_taken(const struct tl_interp *interp, const struct tl_step *head,
                     uint64_t number)
{
    for (size_t i = 0; i < interp->num_taken; i++)
        if (interp->taken[i] == taken_name(head, number))
            return true;
    return false;
}

/* The first that it could take and no other has. */
static uint64_t free_candidate(struct tl_interp *interp, const struct tl_step *head,
                               uint64_t from, uint64_t *t_ns)
{
    static const struct tl_window any = {.deadline_ns = FAL_NEVER};
    uint64_t n = candidate(interp, head, from, &any, t_ns);

    while (n != UINT64_MAX && is_taken(interp, head, n))
        n = candidate(interp, head, n + 1, &any, t_ns);
    return n;
}

static void take_head(struct tl_interp *interp, size_t head_index, const struct tl_window *w,
                      uint64_t number)
{
    const struct tl_step *head = &interp->scenario->steps[head_index];

    interp->step = head_index;
    interp->earliest_ns = w->earliest_ns;
    interp->deadline_ns = w->deadline_ns;
    if (is_event(head))
        tl_take_event(interp, head, number);
    else
        tl_take_packet(interp, head, number);
}

/* Gives an event that has arrived to the first expectation that it matches. False when none
 * matches. Where each begins to look stays where the group began, for the order does not
 * matter. */
static bool take_one(struct tl_interp *interp, const struct tl_step *step,
                     const uint64_t from[3])
{
    size_t best = step->u.block.count;
    uint64_t best_t = FAL_NEVER, number = 0;

    for (size_t i = 0; i < step->u.block.count; i++) {
        const struct tl_step *head = &interp->scenario->steps[step->u.block.heads[i]];
        uint64_t t = FAL_NEVER, n;

        if (interp->group[i].done)
            continue;
        n = free_candidate(interp, head, from[is_event(head) ? 1 + head->u.expect_ulp.side : 0],
                           &t);
        if (n == UINT64_MAX || t >= best_t)
            continue;
        best = i;
        best_t = t;
        number = n;
    }
    if (best == step->u.block.count || interp->state != TL_INTERP_RUNNING)
        return false;
    interp->group[best].done = true;
    interp->taken[interp->num_taken++] =
        taken_name(&interp->scenario->steps[step->u.block.heads[best]], number);
    take_head(interp, step->u.block.heads[best], &interp->group[best], number);
    return interp->state == TL_INTERP_RUNNING;
}

bool tl_play_any_order(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                       bool idle)
{
    const size_t header = interp->step;
    uint64_t now = tl_session_now(interp->session);
    size_t pending = step->u.block.count;

    if (fresh) {
        begin_group(interp, step);
        interp->from[0] = interp->next_packet;
        interp->from[1] = interp->next_event[TL_SIDE_SUT];
        interp->from[2] = interp->next_event[TL_SIDE_TESTER];
        interp->next = step->u.block.end;
    }
    while (interp->state == TL_INTERP_RUNNING && take_one(interp, step, interp->from))
        ;
    if (interp->state != TL_INTERP_RUNNING)
        return true;
    interp->step = header;
    interp->wake_ns = FAL_NEVER;
    for (size_t i = step->u.block.count; i-- > 0;) {
        if (interp->group[i].done)
            continue;
        if (interp->group[i].deadline_ns + grace(interp) <= interp->wake_ns) {
            interp->wake_ns = interp->group[i].deadline_ns + grace(interp);
            pending = i;
        }
    }
    if (pending == step->u.block.count)
        return true;
    if (!idle || now < interp->wake_ns)
        return false;
    interp->step = step->u.block.heads[pending];
    step = &interp->scenario->steps[interp->step];
    {
        struct tl_miss *miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET,
                                                interp->anchor.early_ns);

        miss->needs_lossless = true;
        miss->loss = is_event(step) ? TL_REASON_IN_LOSS : TL_REASON_OUT_LOSS;
        if (is_event(step))
            tl_nearest_event(interp, step, miss);
        else
            tl_nearest_packet(interp, step, miss);
    }
    return true;
}

/* ---- alt ---- */

static void no_alternative(struct tl_interp *interp, const struct tl_step *step)
{
    struct tl_miss *miss =
        tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET, interp->anchor.early_ns);
    const struct tl_step *nearest = NULL;
    size_t len = 0;

    miss->needs_lossless = true;
    miss->loss = TL_REASON_OUT_LOSS;
    for (size_t i = 0; i < step->u.block.count && len < sizeof miss->expected; i++) {
        const struct tl_step *head = &interp->scenario->steps[step->u.block.heads[i]];

        len += (size_t)snprintf(miss->expected + len, sizeof miss->expected - len, "%s%s",
                                i > 0 ? " | " : "", head->text);
        if (nearest == NULL && head->verb != TL_WAIT)
            nearest = head;
        if (is_event(head))
            miss->loss = TL_REASON_IN_LOSS;
    }
    if (nearest == NULL)
        return;
    if (is_event(nearest))
        tl_nearest_event(interp, nearest, miss);
    else
        tl_nearest_packet(interp, nearest, miss);
}

bool tl_play_alt(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle)
{
    uint64_t now = tl_session_now(interp->session), best_t = FAL_NEVER, number = 0;
    size_t best = step->u.block.count, wait = best;

    if (fresh)
        begin_group(interp, step);
    interp->wake_ns = 0;
    for (size_t i = 0; i < step->u.block.count && interp->state == TL_INTERP_RUNNING; i++) {
        const struct tl_step *head = &interp->scenario->steps[step->u.block.heads[i]];
        uint64_t t = FAL_NEVER, n;

        if (head->verb == TL_WAIT) {
            wait = i;
            continue;
        }
        if (interp->group[i].deadline_ns + grace(interp) > interp->wake_ns)
            interp->wake_ns = interp->group[i].deadline_ns + grace(interp);
        n = candidate(interp, head, first_of(interp, head), &interp->group[i], &t);
        if (n == UINT64_MAX || t >= best_t)
            continue;
        best = i;
        best_t = t;
        number = n;
    }
    if (interp->state != TL_INTERP_RUNNING)
        return true;
    if (best < step->u.block.count &&
        (wait == step->u.block.count || best_t <= interp->group[wait].deadline_ns)) {
        interp->next = step->u.block.heads[best] + 1;
        take_head(interp, step->u.block.heads[best], &interp->group[best], number);
        return true;
    }
    if (wait < step->u.block.count)
        interp->wake_ns = interp->group[wait].deadline_ns;
    if (!idle || now < interp->wake_ns)
        return false;
    if (wait < step->u.block.count) {
        tl_interp_moment(interp, interp->wake_ns, interp->wake_ns,
                         interp->session->packets.next);
        interp->next = step->u.block.heads[wait] + 1;
        return true;
    }
    no_alternative(interp, step);
    return true;
}

/* ---- if, repeat ---- */

/* Of numbers of 128 bits; sequence numbers by their distance (6.1.2). */
static int compare(const struct tl_expr_value *a, const struct tl_expr_value *b)
{
    if (a->type == TL_SEQUENCE || b->type == TL_SEQUENCE) {
        int32_t distance = (int32_t)((uint32_t)a->value - (uint32_t)b->value);

        return (distance > 0) - (distance < 0);
    }
    return (a->value > b->value) - (a->value < b->value);
}

static bool holds(struct tl_interp *interp, const struct tl_condition *condition)
{
    struct tl_expr_value a, b;
    struct fal_error err = {{0}};
    int order;

    if (!condition->compares) {
        const struct tl_ics *ics = interp->session->config.ics;

        return ics != NULL && tl_ics_holds(ics, &condition->ics) == TL_ICS_YES;
    }
    if (tl_expr_eval(&condition->a, tl_scope_get, &interp->scope, &a, &err) != 0 ||
        tl_expr_eval(&condition->b, tl_scope_get, &interp->scope, &b, &err) != 0) {
        tl_interp_unplayable(interp, err.text);
        return false;
    }
    order = compare(&a, &b);
    switch (condition->op) {
    case TL_EQ: return order == 0;
    case TL_NE: return order != 0;
    case TL_LT: return order < 0;
    case TL_LE: return order <= 0;
    case TL_GT: return order > 0;
    case TL_GE: break;
    }
    return order >= 0;
}

bool tl_play_if(struct tl_interp *interp, const struct tl_step *step)
{
    for (size_t i = 0; i < step->u.cond.count; i++)
        if (!holds(interp, &step->u.cond.list[i]))
            interp->next = step->u.cond.otherwise;
    return true;
}

bool tl_play_repeat(struct tl_interp *interp, const struct tl_step *step)
{
    unsigned depth = step->u.repeat.depth;
    size_t body = interp->step + 1, end = step->u.repeat.end;

    if (step->verb == TL_REPEAT) {
        interp->loops[depth].index = 0;
        if (!tl_interp_number(interp, &step->u.repeat.count, &interp->loops[depth].count))
            return true;
    } else {
        body = step->u.repeat.end + 1;
        end = interp->step + 1;
        step = &interp->scenario->steps[step->u.repeat.end];
        interp->loops[depth].index++;
    }
    interp->next = interp->loops[depth].index < interp->loops[depth].count ? body : end;
    if (step->u.repeat.as[0] != 0 && interp->next == body)
        tl_interp_bind(interp, step->u.repeat.as, interp->loops[depth].index, TL_INTEGER);
    return true;
}
