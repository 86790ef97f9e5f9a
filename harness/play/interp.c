/* SPDX-License-Identifier: Apache-2.0
 * interp.c - from step to step: time, variables, and the verbs that need no player of their
 * own. */
#include "harness/play/baton.h"
#include "harness/play/players.h"

#include "harness/session/offer.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATE_FLOOR_NS \
    FAL_MS /* a tester later than this, and than a tenth of the shortest time, is late */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t tl_interp_turnaround(const struct tl_interp *interp)
{
    return tl_session_answer_ns(interp->session);
}

/* $copy, $copies, $other_cid: of a connection among several. */
static bool get_copy(const struct tl_session_config *config, const char *name,
                     struct tl_expr_value *value)
{
    value->type = TL_INTEGER;
    if (config->copies == 0)
        return false;
    if (strcmp(name, "copy") == 0)
        value->value = config->copy;
    else if (strcmp(name, "copies") == 0)
        value->value = config->copies;
    else if (strcmp(name, "other_cid") == 0)
        value->value = config->other_cid(config->together_ctx);
    else
        return false;
    return true;
}

/* $rto, ...: the parameters as the connection has them; $rtt, ...: what is known of the path.
 */
static bool get_param(const void *ctx, const char *name, struct tl_expr_value *value)
{
    const struct tl_interp *interp = ctx;
    const struct fal_param *param = fal_param_find(name);
    size_t n;
    struct tl_path_known path;

    if (param == NULL && get_copy(&interp->session->config, name, value))
        return true;
    if (param == NULL) {
        path = tl_session_path(interp->session);
        return tl_path_variable(&path, name, value);
    }
    *interp->reads |= FAL_PARAM_BIT(param - fal_param_table(&n));
    value->type = param->kind == FAL_PARAM_DURATION ? TL_TIME : TL_INTEGER;
    value->value = (fal_u128)(strcmp(name, "turnaround") == 0
                                  ? tl_interp_turnaround(interp)
                                  : fal_param_get(param, &interp->session->connection.params));
    return true;
}

void tl_interp_unplayable(struct tl_interp *interp, const char *why)
{
    char text[sizeof interp->why.text];

    /* Behind a hidden variable is an expression, which has said more. */
    tl_exprs_reveal(&interp->scenario->exprs, interp->why.text[0] != 0 ? interp->why.text : why,
                    text, sizeof text);
    tl_session_break(interp->session, TL_REASON_SCENARIO, "%s", text);
    interp->state = TL_INTERP_MISSED;
}

bool tl_interp_duration(struct tl_interp *interp, const struct fal_duration *duration,
                        uint64_t *ns)
{
    struct fal_vars vars = tl_scope_vars(&interp->scope);
    struct fal_error err = {{0}};

    if (fal_duration_ns(duration, &vars, ns, &err) == 0)
        return true;
    *ns = 0;
    tl_interp_unplayable(interp, err.text);
    return false;
}

bool tl_interp_number(struct tl_interp *interp, const struct tl_value *value, uint64_t *out)
{
    struct fal_error err = {{0}};

    *out = 0;
    if (tl_value_get(value, 0, &interp->scope, out, &err) == 0)
        return true;
    tl_interp_unplayable(interp, err.text);
    return false;
}

/* A deadline leaves room for the turnaround, unless it is made of it, and for the SUT's timers.
 */
static uint64_t slack(const struct tl_interp *interp, const struct fal_duration *duration,
                      uint64_t ns)
{
    return (tl_interp_is_made_of(interp, duration, "turnaround")
                ? 0
                : tl_interp_turnaround(interp)) +
           tl_interp_lateness(interp, duration, ns);
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
        if (tl_session_live(interp->session))
            interp->deadline_ns += TL_SOON_NS;
        break;
    case FAL_TIME_WITHIN:
        interp->deadline_ns = anchor->late_ns + from + slack(interp, &step->from, from);
        break;
    case FAL_TIME_AFTER:
        interp->earliest_ns =
            anchor->early_ns + from - tl_interp_earliness(interp, &step->from, from);
        interp->deadline_ns = anchor->late_ns + from + slack(interp, &step->from, from);
        break;
    case FAL_TIME_AT:
        interp->earliest_ns = interp->start_ns + from;
        interp->deadline_ns = interp->start_late_ns + from + slack(interp, &step->from, from);
        if (step->anchor >= 0) {
            const struct tl_anchor *then = &interp->moments[step->anchor];

            interp->earliest_ns =
                then->early_ns + from - tl_interp_earliness(interp, &step->from, from);
            interp->deadline_ns = then->late_ns + from + slack(interp, &step->from, from);
        }
        break;
    case FAL_TIME_RANGE:
        interp->earliest_ns =
            anchor->early_ns + from - tl_interp_earliness(interp, &step->from, from);
        interp->deadline_ns = anchor->late_ns + to + slack(interp, &step->to, to);
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

void tl_interp_nothing_came(struct tl_interp *interp)
{
    size_t k = interp->num_absent++ % TL_ABSENT_MAX;

    interp->absent[k].step = interp->step;
    interp->absent[k].t_ns = interp->wake_ns;
    interp->absent[k].until_ns = FAL_NEVER;
    tl_interp_moment(interp, interp->wake_ns, interp->wake_ns, interp->session->packets.next);
}

/* A packet that matched left the SUT before it arrived and after the packet that it answers. On
 * a live link no more is known. It may have waited in the log; the earlier steps still come
 * before the next one. */
void tl_interp_matched(struct tl_interp *interp, uint64_t t_ns)
{
    uint64_t spare_ns = tl_session_spare_ns(interp->session);

    if (interp->state == TL_INTERP_RUNNING && !interp->slow.any && spare_ns > 0 &&
        t_ns + spare_ns > interp->deadline_ns) {
        interp->slow.any = true;
        interp->slow.step = interp->step;
        interp->slow.t_ns = t_ns;
        interp->slow.by_ns = t_ns + spare_ns - interp->deadline_ns;
        interp->slow.packet = interp->scenario->steps[interp->step].verb == TL_EXPECT
                                  ? interp->next_packet - 1
                                  : UINT64_MAX;
    }
    if (!tl_session_live(interp->session))
        interp->anchor.early_ns = interp->anchor.from_ns = t_ns;
    if (interp->anchor.late_ns < t_ns)
        interp->anchor.late_ns = t_ns;
}

void tl_interp_bind(struct tl_interp *interp, const char *name, fal_u128 value,
                    enum tl_expr_type type)
{
    tl_interp_bind_here(interp, name, value, type);
    if (interp->baton != NULL)
        tl_baton_bind(interp, name, value, type);
}

void tl_interp_bind_here(struct tl_interp *interp, const char *name, fal_u128 value,
                         enum tl_expr_type type)
{
    size_t i = 0;

    while (i < interp->scope.num_vars && strcmp(interp->vars[i].name, name) != 0)
        i++;
    if (i == TL_VARS_MAX)
        return; /* the reader allows no more names than that */
    (void)snprintf(interp->vars[i].name, sizeof interp->vars[i].name, "%s", name);
    interp->vars[i].value = (struct tl_expr_value){type, value};
    if (i == interp->scope.num_vars)
        interp->scope.num_vars++;
}

/* The value of an expression with its type: as a whole, because a bitmap has 128 bits. */
static bool evaluate(struct tl_interp *interp, const struct tl_value *value,
                     struct tl_expr_value *out)
{
    struct fal_error err = {{0}};
    uint64_t number = 0;

    *out = (struct tl_expr_value){TL_INTEGER, 0};
    if (value->kind == TL_VALUE_EXPR && value->expr.var[0] != 0) {
        if (tl_scope_get(&interp->scope, value->expr.var, out) && value->expr.op == 0)
            return true;
    } else if (value->kind == TL_VALUE_EXPR) {
        out->type = TL_TIME;
    }
    if (tl_value_get(value, 0, &interp->scope, &number, &err) == 0) {
        out->value = number;
        return true;
    }
    tl_interp_unplayable(interp, err.text);
    return false;
}

void tl_interp_assign(struct tl_interp *interp, const struct tl_assignment *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tl_expr_value value;

        if (evaluate(interp, &list[i].value, &value))
            tl_interp_bind(interp, list[i].name, value.value, value.type);
    }
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
    interp->session->grave_ns = shortest / 2;
}

void tl_interp_init(struct tl_interp *interp, struct tl_session *session,
                    const struct tl_scenario *scenario)
{
    memset(interp, 0, offsetof(struct tl_interp, vars));
    interp->session = session;
    interp->scenario = scenario;
    interp->reads = &interp->read_params;
    interp->scope = (struct tl_scope){.vars = interp->vars,
                                      .fixed = get_param,
                                      .fixed_ctx = interp,
                                      .exprs = &scenario->exprs,
                                      .why = &interp->why};
    interp->moments = calloc(scenario->num_steps + 1, sizeof *interp->moments);
    if (interp->moments == NULL) {
        tl_session_break(session, TL_REASON_MEMORY, "out of memory");
        interp->state = TL_INTERP_MISSED;
        return;
    }
    tl_interp_assign(interp, scenario->vars, scenario->num_vars);
    set_lateness(interp);
    tl_interp_policy(interp);
    interp->start_ns = interp->start_late_ns = tl_session_now(session);
    tl_reactions_begin(interp);
    tl_streams_begin(interp);
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

/* Without a control channel, or with an adapter of a low level, the events of the SUT's upper
 * layer are not observed, so such a step decides nothing. */
static bool unseen(struct tl_interp *interp, const struct tl_step *step, bool fresh)
{
    if ((step->verb != TL_EXPECT_ULP && step->verb != TL_EXPECT_NO_EVENT) ||
        step->u.expect_ulp.side != TL_SIDE_SUT ||
        tl_offer_reports(interp->session->bench, step->u.expect_ulp.pattern))
        return false;
    interp->unseen += fresh;
    if (interp->unseen_first == NULL)
        interp->unseen_first = step->u.expect_ulp.pattern;
    return step->verb == TL_EXPECT_ULP; /* the other one still takes its time */
}

/* In virtual time a command reaches the SUT at once, and a packet only after the delay of the
 * path. So a command waits until the packets of earlier steps have arrived: steps act in their
 * order over every path. */
static bool overtakes_packets(struct tl_interp *interp, const struct tl_step *step, bool fresh)
{
    struct tl_link *link = interp->session->bench->link;

    if (step->verb != TL_ULP || step->u.ulp.side != TL_SIDE_SUT || interp->reacting ||
        link->ops->under_way_ns == NULL)
        return false;
    if (fresh)
        interp->wake_ns = tl_session_now(interp->session) + link->ops->under_way_ns(link);
    return tl_session_now(interp->session) < interp->wake_ns;
}

bool tl_play_step(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle)
{
    if (unseen(interp, step, fresh))
        return true;
    if (overtakes_packets(interp, step, fresh))
        return false;
    switch (step->verb) {
    case TL_SEND: return tl_play_send(interp, step, fresh, idle);
    case TL_EXPECT: return tl_play_expect(interp, step, fresh, idle);
    case TL_EXPECT_NONE: return tl_play_expect_none(interp, step, fresh, idle);
    case TL_EXPECT_NO_EVENT: return tl_play_expect_no_event(interp, step, fresh, idle);
    case TL_ULP: return tl_play_ulp(interp, step);
    case TL_EXPECT_ULP: return tl_play_expect_ulp(interp, step, fresh, idle);
    case TL_WAIT: return play_wait(interp, step, fresh, idle);
    case TL_LET: tl_interp_assign(interp, step->u.let.list, step->u.let.count); return true;
    case TL_MEASURE: return tl_play_measure(interp, step);
    case TL_AWAIT: return tl_play_await(interp, step, fresh, idle);
    case TL_ACKS: tl_play_acks(interp, step); return true;
    case TL_CC: return tl_play_cc(interp, step);
    case TL_WORD: return tl_play_word(interp, step);
    case TL_UNTIL_QUIET: return tl_play_until_quiet(interp, step, fresh, idle);
    case TL_ANY_ORDER: return tl_play_any_order(interp, step, fresh, idle);
    case TL_ALT: return tl_play_alt(interp, step, fresh, idle);
    case TL_ON: tl_play_on(interp, step); return true;
    case TL_OFF: tl_play_off(interp, step); return true;
    case TL_RELEASE: tl_play_release(interp, step); return true;
    case TL_IF: return tl_play_if(interp, step);
    case TL_JUMP: interp->next = step->u.jump; return true;
    case TL_REPEAT:
    case TL_REPEAT_END: return tl_play_repeat(interp, step);
    case TL_NOTE: return true;
    }
    return true;
}

/* If the step acts, it may cause the packets and events that come after it. */
static void note_act(struct tl_interp *interp, const struct tl_step *step)
{
    size_t k = (interp->num_absent - 1) % TL_ABSENT_MAX;
    bool acts = step->verb == TL_SEND || step->verb == TL_ULP || step->verb == TL_ON ||
                step->verb == TL_CC || step->verb == TL_OFF || step->verb == TL_RELEASE;

    if (acts && interp->num_absent > 0 && interp->absent[k].until_ns == FAL_NEVER)
        interp->absent[k].until_ns = tl_session_now(interp->session);
}

static void begin_step(struct tl_interp *interp, const struct tl_step *step)
{
    note_act(interp, step);
    interp->begun = true;
    interp->drained = 0;
    interp->next = interp->step + 1;
    interp->why.text[0] = 0;
    if (++interp->played > TL_STEPS_PLAYED_MAX)
        tl_interp_unplayable(interp, "more than two million steps; check that the scenario "
                                     "ends");
    if (step->verb != TL_JUMP && step->verb != TL_REPEAT_END)
        tl_session_text(interp->session, step->verb == TL_NOTE ? FAL_EV_NOTE : FAL_EV_STEP,
                        (int32_t)interp->step, step->text);
}

/* When it was due, and when it happened. */
static void step_over(struct tl_interp *interp, const struct tl_step *step, bool met)
{
    uint64_t due_ns = interp->wake_ns, at_ns = interp->anchor.since_ns;

    switch (step->verb) {
    case TL_SEND:
    case TL_WAIT:
    case TL_EXPECT_NONE:
    case TL_EXPECT_NO_EVENT: break;
    case TL_EXPECT_ULP:
        at_ns = interp->anchor.late_ns;
        due_ns = interp->deadline_ns;
        break;
    case TL_EXPECT:
    case TL_AWAIT:
    case TL_UNTIL_QUIET: due_ns = interp->deadline_ns; break;
    case TL_ANY_ORDER:
    case TL_ALT:
    case TL_ULP:
    case TL_CC:
    case TL_WORD:
    case TL_MEASURE: due_ns = at_ns; break;
    case TL_LET:
    case TL_ACKS:
    case TL_ON:
    case TL_OFF:
    case TL_RELEASE:
    case TL_IF:
    case TL_JUMP:
    case TL_REPEAT:
    case TL_REPEAT_END:
    case TL_NOTE: return;
    }
    if (!met)
        at_ns = tl_session_now(interp->session);
    tl_session_step_over(interp->session, (int32_t)(step - interp->scenario->steps), due_ns,
                         at_ns);
}

/* A step is missed. A missed step of the preamble makes the case inconclusive. The postamble is
 * always played. */
static void after_miss(struct tl_interp *interp, struct tl_miss *first)
{
    size_t step = interp->miss.step;
    enum tl_part part = interp->scenario->steps[step].part;

    if (interp->session->broken.reason != TL_REASON_NONE)
        return;
    if (interp->failed) {
        interp->miss = *first;
    } else if (part != TL_PART_BODY && interp->miss.verdict == FAL_VERDICT_FAIL) {
        interp->miss.verdict = FAL_VERDICT_INCONC;
        interp->miss.reason =
            part == TL_PART_PREAMBLE ? TL_REASON_PREAMBLE : TL_REASON_POSTAMBLE;
    }
    *first = interp->miss;
    interp->failed = true;
    if (interp->baton != NULL)
        interp->baton->failed = true;
    interp->begun = false;
    interp->step = part == TL_PART_POSTAMBLE ? step + 1 : interp->scenario->postamble;
    interp->state = TL_INTERP_RUNNING;
}

/* At its end the body waits for the generated traffic that it started. True when play
 * continues. */
static bool at_seam(struct tl_interp *interp, bool idle, uint64_t *until_ns)
{
    bool waits = interp->step == interp->scenario->postamble && !interp->failed &&
                 interp->flowing && (interp->baton == NULL || !interp->baton->failed);

    return (!waits || tl_streams_end(interp, idle, until_ns)) &&
           (interp->stops == NULL || tl_interp_may_begin(interp, until_ns));
}

/* Generated traffic goes on, with what was completed since it was last looked at: a step that
 * waited for an answer may have taken the last event there will be. *at_ns: when it wants to go
 * on by itself. */
static void flow(struct tl_interp *interp, uint64_t *events, uint64_t *at_ns)
{
    while (interp->session->events.next != *events && interp->state == TL_INTERP_RUNNING) {
        *events = interp->session->events.next;
        *at_ns = tl_streams_run(interp);
    }
}

void tl_interp_end(struct tl_interp *interp)
{
    interp->state = interp->failed ? TL_INTERP_MISSED : TL_INTERP_DONE;
    if (interp->baton != NULL)
        tl_baton_drop(interp->baton);
}

uint64_t tl_interp_advance(struct tl_interp *interp, bool idle)
{
    struct tl_miss first;
    uint64_t flows_ns = FAL_NEVER, wake_ns, events = UINT64_MAX;

    if (interp->failed) /* else there is none yet, and its texts are long */
        first = interp->miss;
    while (interp->state == TL_INTERP_RUNNING) {
        const struct tl_step *step = &interp->scenario->steps[interp->step];
        bool fresh = !interp->begun;

        flow(interp, &events, &flows_ns);
        tl_reactions_play(interp);
        if (interp->session->broken.reason != TL_REASON_NONE)
            break;
        if (!interp->begun && interp->baton != NULL && !tl_baton_mine(interp)) {
            flow(interp, &events, &flows_ns);
            return least(tl_baton_patience(interp), flows_ns);
        }
        step = &interp->scenario->steps[interp->step];
        if (!interp->begun && !at_seam(interp, idle, &wake_ns)) {
            flow(interp, &events, &flows_ns);
            return least(wake_ns, flows_ns);
        }
        if (interp->baton != NULL && tl_baton_past_seam(interp))
            continue;
        if (interp->state == TL_INTERP_RUNNING && interp->step == interp->scenario->num_steps) {
            tl_interp_end(interp);
            break;
        }
        if (interp->state == TL_INTERP_RUNNING) {
            if (fresh) {
                begin_step(interp, step);
                idle = false;
            }
            if (!tl_play_step(interp, step, fresh, idle)) {
                flow(interp, &events, &flows_ns);
                return least(interp->wake_ns, flows_ns);
            }
        }
        idle = false;
        if (interp->begun)
            step_over(interp, step, interp->state == TL_INTERP_RUNNING);
        if (interp->state == TL_INTERP_RUNNING) {
            if (step->name != NULL)
                interp->moments[interp->step] = interp->anchor;
            if (step->name != NULL && interp->baton != NULL)
                tl_baton_moment(interp);
            interp->step = interp->next;
            interp->begun = false;
        } else {
            after_miss(interp, &first);
        }
        if (interp->session->broken.reason != TL_REASON_NONE)
            break;
    }
    return tl_session_now(interp->session);
}

struct tl_interp *tl_interp_new(void)
{
    struct tl_interp *interp = malloc(sizeof *interp);

    if (interp == NULL)
        return NULL;
    interp->session = NULL;
    interp->moments = NULL;
    interp->rewritten = NULL;
    interp->objects = NULL;
    return interp;
}

void tl_interp_clear(struct tl_interp *interp)
{
    if (interp->session != NULL) {
        interp->session->gate.look = NULL;
        interp->session->gate.ctx = NULL;
    }
    free(interp->moments);
    free(interp->rewritten);
    free(interp->objects);
    interp->moments = NULL;
    interp->rewritten = NULL;
}
