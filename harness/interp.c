/* SPDX-License-Identifier: Apache-2.0
 * interp.c - from step to step: time, variables, and the verbs that need no player of their
 * own. */
#include "harness/interp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LATE_FLOOR_NS \
    FAL_MS /* a tester later than this, and than a tenth of the shortest time, is late */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What the SUT may take to answer, and the path besides. */
uint64_t tl_interp_turnaround(const struct tl_interp *interp)
{
    return interp->session->connection.params.turnaround_ns + interp->session->bench->path_ns;
}

/* $rto, ...: the parameters as the connection has them. */
static bool get_param(const void *ctx, const char *name, fal_u128 *value)
{
    const struct tl_interp *interp = ctx;
    const struct fal_param *param = fal_param_find(name);

    if (param == NULL)
        return false;
    *value = fal_u128_from(strcmp(name, "turnaround") == 0
                               ? tl_interp_turnaround(interp)
                               : fal_param_get(param, &interp->session->connection.params));
    return true;
}

void tl_interp_unplayable(struct tl_interp *interp, const char *why)
{
    tl_session_break(interp->session, "scenario", "%s", why);
    interp->state = TL_INTERP_MISSED;
}

bool tl_interp_duration(struct tl_interp *interp, const struct fal_duration *duration,
                        uint64_t *ns)
{
    struct fal_vars vars = tl_scope_vars(&interp->scope);
    struct fal_error err = {{0}};

    if (fal_duration_ns(duration, &vars, ns, &err) == 0)
        return true;
    tl_interp_unplayable(interp, err.text);
    return false;
}

/* A deadline leaves room for the turnaround, unless it is made of it. */
static uint64_t slack(const struct tl_interp *interp, const struct fal_duration *duration)
{
    return strcmp(duration->var, "turnaround") == 0 ? 0 : tl_interp_turnaround(interp);
}

bool tl_interp_window(struct tl_interp *interp, const struct tl_step *step)
{
    const struct tl_anchor *anchor = &interp->anchor;
    uint64_t from = 0, to = 0;

    if (step->time != FAL_TIME_NONE && !tl_interp_duration(interp, &step->from, &from))
        return false;
    if (step->time == FAL_TIME_RANGE && !tl_interp_duration(interp, &step->to, &to))
        return false;
    interp->earliest_ns = 0;
    switch (step->time) {
    case FAL_TIME_NONE:
        interp->deadline_ns = anchor->late_ns + tl_interp_turnaround(interp);
        if (interp->session->bench->caps.live)
            interp->deadline_ns += TL_SOON_NS;
        break;
    case FAL_TIME_WITHIN:
        interp->deadline_ns = anchor->late_ns + from + slack(interp, &step->from);
        break;
    case FAL_TIME_AFTER:
        interp->earliest_ns = anchor->early_ns + from;
        interp->deadline_ns = anchor->late_ns + from + slack(interp, &step->from);
        break;
    case FAL_TIME_AT:
        interp->earliest_ns = interp->start_ns + from;
        interp->deadline_ns = interp->earliest_ns + slack(interp, &step->from);
        break;
    case FAL_TIME_RANGE:
        interp->earliest_ns = anchor->early_ns + from;
        interp->deadline_ns = anchor->late_ns + to + slack(interp, &step->to);
        break;
    }
    return true;
}

void tl_interp_moment(struct tl_interp *interp, uint64_t early_ns, uint64_t late_ns,
                      uint64_t packet)
{
    uint64_t before = interp->anchor.late_ns;

    interp->anchor = (struct tl_anchor){
        .early_ns = early_ns,
        .late_ns = late_ns > before ? late_ns : before,
        .packet = packet,
        .since_ns = early_ns,
        .from_ns = early_ns,
    };
}

/* What matched left the SUT before it arrived, and after what it answers: on a live link no
 * more is known. It may have waited in the log; the steps before it still are before what comes
 * next. */
void tl_interp_matched(struct tl_interp *interp, uint64_t t_ns)
{
    if (!interp->session->bench->caps.live)
        interp->anchor.early_ns = interp->anchor.from_ns = t_ns;
    if (interp->anchor.late_ns < t_ns)
        interp->anchor.late_ns = t_ns;
}

void tl_interp_bind(struct tl_interp *interp, const char *name, fal_u128 value, bool sequence)
{
    size_t i = 0;

    while (i < interp->scope.num_vars && strcmp(interp->vars[i].name, name) != 0)
        i++;
    if (i == TL_VARS_MAX)
        return; /* the reader allows no more names than that */
    (void)snprintf(interp->vars[i].name, sizeof interp->vars[i].name, "%s", name);
    interp->vars[i].value = value;
    interp->vars[i].sequence = sequence;
    if (i == interp->scope.num_vars)
        interp->scope.num_vars++;
}

static void assign(struct tl_interp *interp, const struct tl_assignment *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct tl_var *from = list[i].value.kind == TL_VALUE_EXPR
                                        ? tl_scope_find(&interp->scope, list[i].value.expr.var)
                                        : NULL;
        struct fal_error err = {{0}};
        fal_u128 value = {0};

        if (from != NULL && list[i].value.expr.op == 0)
            value = from->value; /* whole: a bitmap has 128 bits */
        else if (tl_value_get(&list[i].value, 0, &interp->scope, &value.lo, &err) != 0)
            tl_interp_unplayable(interp, err.text);
        tl_interp_bind(interp, list[i].name, value, from != NULL && from->sequence);
    }
}

struct tl_miss *tl_interp_missed(struct tl_interp *interp, enum fal_verdict verdict,
                                 const char *reason, uint64_t since_ns)
{
    const struct tl_session *session = interp->session;
    struct tl_miss *miss = &interp->miss;

    interp->state = TL_INTERP_MISSED;
    *miss = (struct tl_miss){
        .verdict = verdict,
        .reason = reason,
        .step = interp->step,
        .t_ns = tl_session_now(session),
        .packet = UINT64_MAX,
    };
    (void)snprintf(miss->expected, sizeof miss->expected, "%s",
                   interp->scenario->steps[interp->step].text);
    if (verdict == FAL_VERDICT_FAIL && session->late_ns > 0 &&
        session->late_at_ns >= since_ns) {
        miss->verdict = FAL_VERDICT_INCONC;
        miss->reason = "tester-late";
    }
    return miss;
}

/* The shortest time that matters here, for what counts as late. */
static void set_lateness(struct tl_interp *interp)
{
    const struct tl_scenario *s = interp->scenario;
    const struct fal_params *params = &interp->session->connection.params;
    struct fal_vars vars = tl_scope_vars(&interp->scope);
    uint64_t shortest = least(params->rto_ns, params->coalescing_ns), tenth;

    for (size_t i = 0; i < s->num_steps; i++) {
        uint64_t ns;

        if (s->steps[i].time != FAL_TIME_NONE &&
            strcmp(s->steps[i].from.var, "turnaround") != 0 &&
            fal_duration_ns(&s->steps[i].from, &vars, &ns, NULL) == 0 && ns > 0)
            shortest = least(shortest, ns);
    }
    tenth = shortest / 10;
    interp->session->config.late_ns = tenth > LATE_FLOOR_NS ? tenth : LATE_FLOOR_NS;
}

void tl_interp_init(struct tl_interp *interp, struct tl_session *session,
                    const struct tl_scenario *scenario)
{
    *interp = (struct tl_interp){.session = session, .scenario = scenario};
    interp->scope.vars = interp->vars;
    interp->scope.fixed = (struct fal_vars){.get = get_param, .ctx = interp};
    assign(interp, scenario->vars, scenario->num_vars);
    set_lateness(interp);
    tl_interp_policy(interp);
    interp->start_ns = tl_session_now(session);
    tl_interp_moment(interp, interp->start_ns, interp->start_ns, session->packets.next);
}

static bool play_wait(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                      bool idle)
{
    uint64_t ns;

    if (fresh) {
        if (!tl_interp_duration(interp, &step->from, &ns))
            return true;
        interp->wake_ns = interp->anchor.late_ns + ns;
        return false;
    }
    if (!idle || tl_session_now(interp->session) < interp->wake_ns)
        return false;
    tl_interp_moment(interp, interp->wake_ns, interp->wake_ns, interp->session->packets.next);
    return true;
}

static bool play(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle)
{
    switch (step->verb) {
    case TL_SEND: return tl_play_send(interp, step, fresh, idle);
    case TL_EXPECT: return tl_play_expect(interp, step, fresh, idle);
    case TL_EXPECT_NONE: return tl_play_expect_none(interp, step, fresh, idle);
    case TL_EXPECT_NO_EVENT: return tl_play_expect_no_event(interp, step, fresh, idle);
    case TL_ULP: return tl_play_ulp(interp, step);
    case TL_EXPECT_ULP: return tl_play_expect_ulp(interp, step, fresh, idle);
    case TL_WAIT: return play_wait(interp, step, fresh, idle);
    case TL_LET: assign(interp, step->u.let.list, step->u.let.count); return true;
    case TL_NOTE: return true;
    }
    return true;
}

uint64_t tl_interp_advance(struct tl_interp *interp, bool idle)
{
    while (interp->state == TL_INTERP_RUNNING) {
        const struct tl_step *step = &interp->scenario->steps[interp->step];
        bool fresh = !interp->begun;

        if (interp->step == interp->scenario->num_steps) {
            interp->state = TL_INTERP_DONE;
            break;
        }
        if (fresh) {
            interp->begun = true;
            interp->drained = 0;
            tl_session_text(interp->session, step->verb == TL_NOTE ? FAL_EV_NOTE : FAL_EV_STEP,
                            (int32_t)interp->step, step->text);
            idle = false;
        }
        if (!play(interp, step, fresh, idle))
            return interp->wake_ns;
        idle = false;
        if (interp->state == TL_INTERP_RUNNING) {
            interp->step++;
            interp->begun = false;
        }
        if (interp->session->broken.reason != NULL)
            break;
    }
    return tl_session_now(interp->session);
}
