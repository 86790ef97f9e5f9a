/* SPDX-License-Identifier: Apache-2.0
 * play_ulp.c - plays what upper layers do, on either side. */
#include "harness/play/players.h"

#include "codecs/base/error.h"
#include "harness/session/offer.h"
#include "harness/wire/protocol.h"
#include "oracles/payload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

uint32_t tl_interp_rsn_base(const struct tl_interp *interp, enum tl_side side, bool as_target)
{
    const struct fal_connection *c = &interp->session->connection;

    return (side == TL_SIDE_SUT) == as_target ? c->tester.rsn : c->sut.rsn;
}

/* A member's value, or `otherwise` where it is not given. */
static uint64_t value_of(struct tl_interp *interp, const struct tl_act_values *values,
                         enum tl_act_member member, uint32_t base, uint64_t otherwise)
{
    struct fal_error err = {{0}};
    uint64_t out = otherwise;

    if (values->given[member] &&
        tl_value_get(&values->values[member], base, &interp->scope, &out, &err) != 0)
        tl_interp_unplayable(interp, err.text);
    return out;
}

/* ---- acts at the SUT: commands ---- */

static json_t *word_or_number(enum tl_act_member member, uint64_t value)
{
    if (member == TL_ACT_OP)
        return json_string(tl_act_op_name((enum fal_ulp_op)value));
    if (member == TL_ACT_ANSWER)
        return json_string(fal_answer_name((enum fal_answer)value));
    return json_integer((json_int_t)value);
}

/* The values of the members that are given; the others are 0. */
struct numbers {
    uint64_t of[TL_ACT_MEMBERS];
};

static struct numbers numbers_of(struct tl_interp *interp, const struct tl_act_values *values)
{
    uint32_t base = tl_interp_rsn_base(interp, TL_SIDE_SUT, true);
    struct numbers numbers = {{0}};

    for (int m = 0; m < TL_ACT_MEMBERS; m++)
        if (values->given[m])
            numbers.of[m] = value_of(interp, values, (enum tl_act_member)m, base, 0);
    return numbers;
}

static void add_members(struct tl_interp *interp, json_t *object,
                        const struct tl_act_values *values, const struct numbers *numbers)
{
    for (int m = 0; m < TL_ACT_MEMBERS; m++) {
        enum tl_act_member member = (enum tl_act_member)m;
        uint64_t value = numbers->of[m];
        char key[40];

        if (!values->given[m])
            continue;
        (void)snprintf(key, sizeof key, "%s%s", tl_act_member_name(member),
                       tl_act_member_is_time(member) ? "_ns" : "");
        if (json_object_set_new(object, key, word_or_number(member, value)) != 0)
            tl_session_break(interp->session, TL_REASON_MEMORY, "out of memory");
    }
}

static json_t *rules_of(struct tl_interp *interp, const struct tl_policy *policy)
{
    json_t *rules = json_array();

    for (size_t i = 0; rules != NULL && i < policy->count; i++) {
        const struct numbers numbers = numbers_of(interp, &policy->rules[i]);
        json_t *rule = json_object();

        if (rule != NULL)
            add_members(interp, rule, &policy->rules[i], &numbers);
        if (json_array_append_new(rules, rule) != 0)
            tl_session_break(interp->session, TL_REASON_MEMORY, "out of memory");
    }
    return rules;
}

static json_t *params_of(struct tl_interp *interp, const struct tl_act *act)
{
    json_t *params = json_object();

    for (size_t i = 0; params != NULL && i < act->num_params; i++) {
        const struct fal_param *param = act->params[i].param;
        struct fal_error err = {{0}};
        uint64_t value = 0;

        if (tl_value_get(&act->params[i].value, 0, &interp->scope, &value, &err) != 0)
            tl_interp_unplayable(interp, err.text);
        interp->session->rto_moved |= strcmp(param->name, "rto") == 0;
        if (json_object_set_new(params, param->key,
                                param->kind == FAL_PARAM_SWITCH
                                    ? json_boolean(value != 0)
                                    : json_integer((json_int_t)value)) != 0)
            tl_session_break(interp->session, TL_REASON_MEMORY, "out of memory");
    }
    return params;
}

/* Payload names itself by these; not given, they come from the step and the case. */
static uint64_t default_tag(const struct tl_interp *interp)
{
    return interp->step + 1;
}

static uint64_t default_seed(const struct tl_interp *interp)
{
    return interp->session->config.seed & 0x7fffffff;
}

static json_t *command_of(struct tl_interp *interp, const struct tl_act *act,
                          const struct numbers *numbers)
{
    json_t *command = json_pack("{s:s, s:s}", "do", tl_act_verb_name(act->verb), "conn",
                                interp->session->connection.name);
    int rc = 0;

    if (command == NULL)
        return NULL;
    switch (act->verb) {
    case TL_ACT_POST:
        rc =
            json_object_set_new(command, "tag", json_integer((json_int_t)default_tag(interp))) |
            json_object_set_new(command, "seed",
                                json_integer((json_int_t)default_seed(interp)));
        add_members(interp, command, &act->values, numbers);
        break;
    case TL_ACT_RESPOND: add_members(interp, command, &act->values, numbers); break;
    case TL_ACT_POLICY:
        rc = json_object_set_new(command, "rules", rules_of(interp, &act->policy));
        break;
    case TL_ACT_SET:
        rc = json_object_set_new(command, "params", params_of(interp, act));
        if (act->randomize_path)
            rc |= json_object_set_new(command, "randomize_path", json_true());
        break;
    case TL_ACT_BARRIER:
    case TL_ACT_CLOSE:
    case TL_ACT_COUNTERS:
    case TL_ACT_STATE:
    case TL_ACT_CLOCK:
    case TL_ACT_ROTATE_KEYS:
    case TL_ACT_OPEN: break;
    }
    if (rc == 0)
        return command;
    json_decref(command);
    return NULL;
}

/* Numbers above are written in another form. */
#define TAG_MAX ((UINT64_C(1) << 53) - 1)

/* Whether the value is one that the table of a command allows. */
static bool fits(enum tl_act_member member, uint64_t value)
{
    static const uint64_t most[TL_ACT_MEMBERS] = {[TL_ACT_OP] = FAL_OP_PULL,
                                                  [TL_ACT_RSN] = UINT32_MAX,
                                                  [TL_ACT_ANSWER] = FAL_ANSWER_WITHHOLD,
                                                  [TL_ACT_RNR] = INT64_MAX,
                                                  [TL_ACT_CODE] = UINT8_MAX,
                                                  [TL_ACT_LENGTH] = TL_PAYLOAD_MAX,
                                                  [TL_ACT_TAG] = TAG_MAX,
                                                  [TL_ACT_SEED] = TAG_MAX,
                                                  [TL_ACT_REQUEST] = UINT32_MAX,
                                                  [TL_ACT_EVERY] = UINT32_MAX,
                                                  [TL_ACT_AFTER] = INT64_MAX,
                                                  [TL_ACT_TIMES] = UINT32_MAX};

    return value <= most[member];
}

static bool all_fit(const struct tl_act_values *values, const struct numbers *numbers)
{
    for (int m = 0; m < TL_ACT_MEMBERS; m++)
        if (values->given[m] && !fits((enum tl_act_member)m, numbers->of[m]))
            return false;
    return true;
}

/* A rule of a policy as a struct; false as order_of. */
static bool rule_order(const struct tl_act_values *values, const struct numbers *numbers,
                       struct fal_scripted_rule *out)
{
    static const enum tl_act_member from_1[] = {TL_ACT_REQUEST, TL_ACT_EVERY, TL_ACT_TIMES};
    const uint64_t *of = numbers->of;

    for (size_t i = 0; i < sizeof from_1 / sizeof *from_1; i++)
        if (values->given[from_1[i]] && of[from_1[i]] == 0)
            return false;
    if (!values->given[TL_ACT_ANSWER] || values->given[TL_ACT_RSN] ||
        (values->given[TL_ACT_REQUEST] && values->given[TL_ACT_EVERY]) ||
        (values->given[TL_ACT_OP] && of[TL_ACT_OP] == FAL_OP_PUSH &&
         of[TL_ACT_ANSWER] == FAL_ANSWER_DATA) ||
        !all_fit(values, numbers))
        return false;
    *out = (struct fal_scripted_rule){.request = (uint32_t)of[TL_ACT_REQUEST],
                                      .every = (uint32_t)of[TL_ACT_EVERY],
                                      .has_op = values->given[TL_ACT_OP],
                                      .op = (enum fal_ulp_op)of[TL_ACT_OP],
                                      .answer = (enum fal_answer)of[TL_ACT_ANSWER],
                                      .after_ns = of[TL_ACT_AFTER],
                                      .times = (uint32_t)of[TL_ACT_TIMES],
                                      .rnr_ns = of[TL_ACT_RNR],
                                      .code = (uint32_t)of[TL_ACT_CODE],
                                      .has_length = values->given[TL_ACT_LENGTH],
                                      .length = (uint32_t)of[TL_ACT_LENGTH],
                                      .has_tag = values->given[TL_ACT_TAG],
                                      .tag = of[TL_ACT_TAG],
                                      .seed = of[TL_ACT_SEED]};
    return true;
}

/* A policy likewise. */
static bool policy_order(struct tl_interp *interp, const struct tl_policy *policy,
                         struct tl_protocol_command *out)
{
    struct fal_scripted_rule *rules;

    if (policy->count > FAL_SCRIPTED_RULES_MAX || !tl_session_takes_orders(interp->session))
        return false;
    rules = calloc(policy->count > 0 ? policy->count : 1, sizeof *rules);
    for (size_t i = 0; rules != NULL && i < policy->count; i++) {
        const struct numbers numbers = numbers_of(interp, &policy->rules[i]);

        if (!rule_order(&policy->rules[i], &numbers, &rules[i])) {
            free(rules);
            return false;
        }
    }
    *out = (struct tl_protocol_command){.verb = TL_DO_POLICY,
                                        .conn = interp->session->connection.name,
                                        .rules = rules,
                                        .num_rules = policy->count};
    return rules != NULL;
}

/* The act as a struct. False: the SUT must see it as JSON, because a member is missing or out
 * of range, or its command is not one of the frequent ones. */
static bool order_of(const struct tl_interp *interp, const struct tl_act *act,
                     const struct numbers *numbers, struct tl_protocol_command *out)
{
    const struct tl_act_values *values = &act->values;
    const uint64_t *of = numbers->of;
    bool post = act->verb == TL_ACT_POST;

    if ((!post && act->verb != TL_ACT_RESPOND) || !tl_session_takes_orders(interp->session) ||
        (post ? !values->given[TL_ACT_OP] || !values->given[TL_ACT_LENGTH]
              : !values->given[TL_ACT_RSN] || !values->given[TL_ACT_ANSWER]))
        return false;
    if (!all_fit(values, numbers) ||
        of[TL_ACT_ANSWER] == FAL_ANSWER_WITHHOLD) /* of policies alone */
        return false;
    *out = (struct tl_protocol_command){.verb = post ? TL_DO_POST : TL_DO_RESPOND,
                                        .conn = interp->session->connection.name,
                                        .length = (uint32_t)of[TL_ACT_LENGTH],
                                        .has_length = values->given[TL_ACT_LENGTH],
                                        .tag = values->given[TL_ACT_TAG] ? of[TL_ACT_TAG]
                                               : post                    ? default_tag(interp)
                                                                         : 0,
                                        .has_tag = post || values->given[TL_ACT_TAG],
                                        .seed = values->given[TL_ACT_SEED] ? of[TL_ACT_SEED]
                                                : post ? default_seed(interp)
                                                       : 0};
    if (post) {
        out->op = (enum fal_ulp_op)of[TL_ACT_OP];
        return true;
    }
    out->rsn = (uint32_t)of[TL_ACT_RSN];
    out->answer = (enum fal_answer)of[TL_ACT_ANSWER];
    out->rnr_ns = of[TL_ACT_RNR];
    out->code = (uint32_t)of[TL_ACT_CODE];
    return true;
}

void tl_interp_unoffered(struct tl_interp *interp, const struct tl_need *need, const char *why,
                         const char *text)
{
    struct tl_miss *miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_UNOFFERED, 0);

    (void)snprintf(miss->seen, sizeof miss->seen, "%s", text);
    tl_session_unsupported(interp->session, need, why);
}

bool tl_interp_lacks(struct tl_interp *interp, const struct tl_need *need)
{
    char lack[TL_LACK_MAX];

    if (!tl_offer_lacks(interp->session->bench, need, lack, sizeof lack))
        return false;
    tl_interp_unoffered(interp, need, "", lack);
    return true;
}

void tl_interp_command_refused(struct tl_interp *interp, const struct tl_need *need)
{
    struct tl_session *session = interp->session;
    char text[TL_LACK_MAX];
    struct tl_miss *miss;

    /* By the protocol, "failed" is the reply for a parameter that the SUT cannot change, and
     * "unsupported" to `open` is about that connection: other parameters may be possible. */
    if ((need->verb == TL_DO_SET && strcmp(session->answer_error, "failed") == 0) ||
        (need->verb == TL_DO_OPEN && strcmp(session->answer_error, "unsupported") == 0)) {
        tl_offer_print(need, session->answer_error, session->answer_why, text, sizeof text);
        tl_interp_unoffered(interp, NULL, "", text);
        return;
    }
    if (strcmp(session->answer_error, "unsupported") == 0) {
        tl_offer_print(need, session->answer_error, session->answer_why, text, sizeof text);
        tl_interp_unoffered(interp, need, session->answer_why, text);
        return;
    }
    miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_REFUSED, 0);
    (void)snprintf(miss->seen, sizeof miss->seen, "the adapter answered `%s` with \"%s%s%s\"",
                   tl_protocol_verb(need->verb), session->answer_error,
                   session->answer_why[0] != 0 ? ": " : "", session->answer_why);
}

/* Notes an RTO that the SUT is given. */
static void note_rto(struct tl_interp *interp, const struct tl_act *act)
{
    size_t n;
    const struct fal_param *rto = &fal_param_table(&n)[FAL_PARAM_AT_rto];
    uint64_t *least_ns = &interp->session->least_rto_ns, ns;

    for (size_t i = 0; i < act->num_params; i++)
        if (act->params[i].param == rto &&
            tl_value_get(&act->params[i].value, 0, &interp->scope, &ns, NULL) == 0 &&
            ns < *least_ns)
            *least_ns = ns;
}

/* Tells the SUT and waits for its word that it is done. */
static bool tell_sut(struct tl_interp *interp, const struct tl_act *act)
{
    struct tl_session *session = interp->session;
    const struct numbers numbers = numbers_of(interp, &act->values);
    struct tl_need need = tl_need_of(act);
    struct tl_protocol_command command;

    need.upper = session->config.upper;
    if (tl_interp_lacks(interp, &need))
        return false;
    if (act->verb == TL_ACT_POLICY ? policy_order(interp, &act->policy, &command)
                                   : order_of(interp, act, &numbers, &command)) {
        tl_session_order(session, &command);
        tl_protocol_command_free(&command); /* rules that the SUT has not taken */
    } else
        tl_session_command(session, command_of(interp, act, &numbers));
    note_rto(interp, act);
    if (!tl_session_await_answer(session))
        return false;
    if (session->answer_ok && act->verb == TL_ACT_BARRIER)
        tl_session_mark(session, FAL_MARK_BARRIER, 0);
    if (!session->answer_ok)
        tl_interp_command_refused(interp, &need);
    return session->answer_ok;
}

void tl_interp_policy(struct tl_interp *interp)
{
    const struct tl_act act = {.verb = TL_ACT_POLICY, .policy = interp->scenario->policy};

    if (!tl_policy_is_default(&act.policy))
        (void)tell_sut(interp, &act);
}

/* ---- acts at the tester ---- */

static void act_as_tester(struct tl_interp *interp, const struct tl_act *act)
{
    struct tl_session *session = interp->session;
    const struct tl_act_values *v = &act->values;
    uint64_t length = value_of(interp, v, TL_ACT_LENGTH, 0, 0);
    uint64_t tag = value_of(interp, v, TL_ACT_TAG, 0, default_tag(interp));
    uint64_t seed = value_of(interp, v, TL_ACT_SEED, 0, default_seed(interp));
    struct fal_endpoint_in in = {
        .kind = act->verb == TL_ACT_POST ? FAL_IN_POST : FAL_IN_RESPOND,
        .conn = session->conn,
        .op = (enum fal_ulp_op)value_of(interp, v, TL_ACT_OP, 0, 0),
        .tag = tag,
        .length = (uint32_t)length,
        .rsn = (uint32_t)value_of(interp, v, TL_ACT_RSN,
                                  tl_interp_rsn_base(interp, TL_SIDE_TESTER, true), 0),
        .answer = (enum fal_answer)value_of(interp, v, TL_ACT_ANSWER, 0, 0),
        .rnr_ns = value_of(interp, v, TL_ACT_RNR, 0, 0),
        .code = (uint32_t)value_of(interp, v, TL_ACT_CODE, 0, 0),
    };

    if (act->verb == TL_ACT_CLOSE) {
        tl_session_close(session);
        return;
    }
    if (length > TL_PAYLOAD_MAX) {
        tl_interp_unplayable(interp, "length: more than 65535 bytes");
        return;
    }
    if (act->verb == TL_ACT_POST ? in.op == FAL_OP_PUSH : in.answer == FAL_ANSWER_DATA) {
        fal_payload_fill(tag, seed, session->scratch, length);
        in.payload = session->scratch;
        in.payload_len = (uint32_t)length;
    }
    if (interp->state == TL_INTERP_RUNNING && tl_session_input(session, &in, NULL) != 0)
        tl_interp_unplayable(interp, "the tester's endpoint rejects this command");
}

void tl_interp_act(struct tl_interp *interp, enum tl_side side, const struct tl_act *act)
{
    if (side == TL_SIDE_TESTER)
        act_as_tester(interp, act);
    else
        (void)tell_sut(interp, act);
}

/* Both ends rotate keys. A connection that is not sealed has no keys. */
static void rotate(struct tl_interp *interp, enum tl_side side, const char *step)
{
    struct tl_miss *miss;

    if (interp->session->sealer != NULL) {
        /* The session is broken then, with its reason. */
        FAL_IGNORE(tl_session_rotate(interp->session, side, step));
        return;
    }
    miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_UNSUPPORTED, 0);
    (void)snprintf(miss->seen, sizeof miss->seen, "the connection is not sealed");
}

bool tl_play_ulp(struct tl_interp *interp, const struct tl_step *step)
{
    struct tl_session *session = interp->session;
    uint64_t begin = tl_session_now(session);
    uint64_t packet = session->packets.next;

    if (step->u.ulp.act->verb == TL_ACT_ROTATE_KEYS) {
        rotate(interp, step->u.ulp.side, step->u.ulp.act->rotation);
        if (interp->state != TL_INTERP_RUNNING || session->broken.reason != TL_REASON_NONE)
            return true;
    } else if (step->u.ulp.act->verb == TL_ACT_OPEN) {
        tl_interp_open(interp, step->u.ulp.act);
        if (interp->state != TL_INTERP_RUNNING || session->broken.reason != TL_REASON_NONE)
            return true;
    } else if (step->u.ulp.side == TL_SIDE_TESTER)
        act_as_tester(interp, step->u.ulp.act);
    else if (!tell_sut(interp, step->u.ulp.act))
        return true;
    tl_interp_moment(interp, begin, tl_session_now(session), packet);
    return true;
}
