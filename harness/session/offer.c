/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/offer.h"

#include "harness/session/bench_sut.h"

#include <stdio.h>
#include <string.h>

/* ---- what a step needs ---- */

static const struct {
    enum tl_act_verb act;
    enum tl_do verb;
} verbs[] = {
    {TL_ACT_POST, TL_DO_POST},         {TL_ACT_RESPOND, TL_DO_RESPOND},
    {TL_ACT_POLICY, TL_DO_POLICY},     {TL_ACT_SET, TL_DO_SET},
    {TL_ACT_BARRIER, TL_DO_BARRIER},   {TL_ACT_CLOSE, TL_DO_CLOSE},
    {TL_ACT_COUNTERS, TL_DO_COUNTERS}, {TL_ACT_STATE, TL_DO_STATE},
    {TL_ACT_CLOCK, TL_DO_CLOCK},       {TL_ACT_ROTATE_KEYS, TL_DO_ROTATE_KEYS},
    {TL_ACT_OPEN, TL_DO_OPEN},
};

/* The steps of a rotation, by the bits of a need. */
static const char *const rotations[] = {"all",  "generation", "spi",        "peer",
                                        "drop", "end",        "match_pcid", "zero"};

static uint64_t bit(uint64_t n)
{
    return n < 64 ? UINT64_C(1) << n : 0;
}

/* The answer that the values name; none where it is an expression. */
static uint64_t answer_of(const struct tl_act_values *values)
{
    const struct tl_value *value = &values->values[TL_ACT_ANSWER];

    return values->given[TL_ACT_ANSWER] && value->kind == TL_VALUE_NUMBER ? bit(value->number)
                                                                          : 0;
}

struct tl_need tl_need_of_rotation(const char *step)
{
    struct tl_need need = {.verb = TL_DO_ROTATE_KEYS};

    for (size_t i = 0; i < sizeof rotations / sizeof *rotations; i++)
        if (step != NULL && strcmp(step, rotations[i]) == 0)
            need.detail = bit(i);
    return need;
}

struct tl_need tl_need_of(const struct tl_act *act)
{
    struct tl_need need = {.verb = TL_DO_POST};
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    if (act->verb == TL_ACT_ROTATE_KEYS)
        return tl_need_of_rotation(act->rotation);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (verbs[i].act == act->verb)
            need.verb = verbs[i].verb;
    if (act->verb == TL_ACT_RESPOND)
        need.detail = answer_of(&act->values);
    for (size_t i = 0; act->verb == TL_ACT_POLICY && i < act->policy.count; i++)
        need.detail |= answer_of(&act->policy.rules[i]);
    for (size_t i = 0; i < act->num_params; i++)
        need.detail |= bit((uint64_t)(act->params[i].param - table));
    return need;
}

bool tl_policy_is_default(const struct tl_policy *policy)
{
    for (size_t i = 0; i < policy->count; i++) {
        const struct tl_act_values *rule = &policy->rules[i];
        const struct tl_value *op = &rule->values[TL_ACT_OP];
        uint64_t answer = answer_of(rule);
        bool push =
            rule->given[TL_ACT_OP] && op->kind == TL_VALUE_NUMBER && op->number == FAL_OP_PUSH;
        bool usual = answer == bit(FAL_ANSWER_DATA) || (answer == bit(FAL_ANSWER_ACK) && push);

        for (int m = 0; m < TL_ACT_MEMBERS; m++)
            usual = usual && (!rule->given[m] || m == TL_ACT_REQUEST || m == TL_ACT_EVERY ||
                              m == TL_ACT_OP || m == TL_ACT_ANSWER);
        if (!usual)
            return false;
    }
    return true;
}

/* ---- what the adapter offers ---- */

static void add(char *text, size_t cap, const char *word, bool *first)
{
    size_t len = strlen(text);

    (void)snprintf(text + len, cap - len, "%s%s", *first ? "" : ", ", word);
    *first = false;
}

/* " (fcwnd, ncwnd)"; " (rnr)"; "" */
static void print_detail(const struct tl_need *need, char *text, size_t cap)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    bool first = true;

    text[0] = 0;
    if (need->detail == 0)
        return;
    (void)snprintf(text, cap, " (");
    for (size_t i = 0; i < 64; i++) {
        if ((need->detail & bit(i)) == 0)
            continue;
        if ((need->verb == TL_DO_SET || need->verb == TL_DO_OPEN) && i < n)
            add(text, cap, table[i].name, &first);
        else if (need->verb == TL_DO_ROTATE_KEYS && i < sizeof rotations / sizeof *rotations)
            add(text, cap, rotations[i], &first);
        else if (i <= FAL_ANSWER_WITHHOLD)
            add(text, cap, fal_answer_name((enum fal_answer)i), &first);
    }
    (void)snprintf(text + strlen(text), cap - strlen(text), ")");
}

void tl_offer_print(const struct tl_need *need, const char *error, const char *why, char *text,
                    size_t cap)
{
    char detail[TL_REFUSAL_WHY];

    print_detail(need, detail, sizeof detail);
    (void)snprintf(text, cap, "needs `%s`%s, which the adapter answered with \"%s%s%.150s\"",
                   tl_protocol_verb(need->verb), detail, error, why[0] != 0 ? ": " : "", why);
}

static void print_level(const struct tl_bench *bench, const char *what, unsigned level,
                        char *text, size_t cap)
{
    if (text != NULL)
        (void)snprintf(text, cap, "needs %s (level L%u); the adapter offers L%u", what, level,
                       bench->level);
}

static void print_word(const struct tl_bench *bench, const struct tl_words *words,
                       enum tl_do verb, char *text, size_t cap)
{
    unsigned has = bench->word_levels[words->upper];
    char offered[40];

    if (has == 0)
        (void)snprintf(offered, sizeof offered, "no %s", words->layer);
    else
        (void)snprintf(offered, sizeof offered, "L%u%c", has, words->letter);
    if (text != NULL)
        (void)snprintf(text, cap, "needs `%s` (level L%u%c); the adapter offers %s",
                       tl_protocol_verb(verb), tl_protocol_word_level(verb), words->letter,
                       offered);
}

bool tl_offer_lacks(const struct tl_bench *bench, const struct tl_need *need, char *text,
                    size_t cap)
{
    const struct tl_refusals *refusals = bench->refusals;
    unsigned level = tl_protocol_level(need->verb);
    const struct tl_words *words = tl_words_with(need->verb);
    bool barrier = need->verb == TL_DO_BARRIER && bench->word_levels[need->upper] > 0;
    char what[40];

    if (level > bench->level && !barrier) {
        (void)snprintf(what, sizeof what, "`%s`", tl_protocol_verb(need->verb));
        print_level(bench, what, level, text, cap);
        return true;
    }
    if (words != NULL &&
        tl_protocol_word_level(need->verb) > bench->word_levels[words->upper]) {
        print_word(bench, words, need->verb, text, cap);
        return true;
    }
    for (size_t i = 0; refusals != NULL && i < refusals->count; i++) {
        if (refusals->list[i].need.verb != need->verb ||
            refusals->list[i].need.detail != need->detail)
            continue;
        if (text != NULL)
            tl_offer_print(need, "unsupported", refusals->list[i].why, text, cap);
        return true;
    }
    return false;
}

bool tl_offer_lacks_verb(const struct tl_bench *bench, enum tl_do verb)
{
    return tl_offer_lacks(bench, &(struct tl_need){.verb = verb}, NULL, 0);
}

void tl_offer_refused(const struct tl_bench *bench, const struct tl_need *need, const char *why)
{
    struct tl_refusals *refusals = bench->refusals;

    if (refusals == NULL || refusals->count == TL_REFUSALS_MAX ||
        tl_offer_lacks(bench, need, NULL, 0))
        return;
    refusals->list[refusals->count].need = *need;
    (void)snprintf(refusals->list[refusals->count].why, TL_REFUSAL_WHY, "%s", why);
    refusals->count++;
}

/* ---- events ---- */

static unsigned level_of(const struct tl_event_pattern *pattern)
{
    return tl_protocol_event_level(pattern->is_cm ? FAL_EV_CM : FAL_EV_ULP, pattern->kind);
}

bool tl_offer_reports(const struct tl_bench *bench, const struct tl_event_pattern *pattern)
{
    return bench->wire == NULL && level_of(pattern) <= bench->level;
}

static bool captures(const struct tl_event_pattern *pattern)
{
    for (size_t i = 0; i < TL_EVENT_MEMBERS; i++)
        if (pattern->given[i] && pattern->values[i].kind == TL_VALUE_CAPTURE)
            return true;
    return false;
}

/* The event of the SUT on which the play of this step depends; an event that is only checked
 * can be left out. */
static const struct tl_event_pattern *depends(const struct tl_step *step)
{
    if (step->verb == TL_EXPECT_ULP && step->u.expect_ulp.side == TL_SIDE_SUT &&
        captures(step->u.expect_ulp.pattern))
        return step->u.expect_ulp.pattern;
    if ((step->verb == TL_MEASURE || step->verb == TL_AWAIT) &&
        step->u.measure->kind == TL_EVENTS && step->u.measure->side == TL_SIDE_SUT)
        return &step->u.measure->event;
    if (step->verb == TL_ON && step->u.on.rule->is_event &&
        step->u.on.rule->side == TL_SIDE_SUT)
        return &step->u.on.rule->event;
    return NULL;
}

/* Of any_order and alt: an event that one of them begins with. */
static const struct tl_event_pattern *begins(const struct tl_scenario *s,
                                             const struct tl_step *step)
{
    if (step->verb != TL_ANY_ORDER && step->verb != TL_ALT)
        return NULL;
    for (size_t i = 0; i < step->u.block.count; i++) {
        const struct tl_step *head = &s->steps[step->u.block.heads[i]];

        if ((head->verb == TL_EXPECT_ULP || head->verb == TL_EXPECT_NO_EVENT) &&
            head->u.expect_ulp.side == TL_SIDE_SUT)
            return head->u.expect_ulp.pattern;
    }
    return NULL;
}

void tl_offer_print_event(const struct tl_bench *bench, const struct tl_event_pattern *pattern,
                          char *text, size_t cap)
{
    char what[60];

    (void)snprintf(what, sizeof what, "the event `%s`",
                   pattern->is_cm ? "cm_error" : tl_event_kind_name(pattern->kind));
    print_level(bench, what, level_of(pattern), text, cap);
}

static bool lacks_event(const struct tl_bench *bench, const struct tl_event_pattern *pattern,
                        char *text, size_t cap)
{
    if (pattern == NULL || tl_offer_reports(bench, pattern))
        return false;
    tl_offer_print_event(bench, pattern, text, cap);
    return true;
}

/* ---- a whole case ---- */

/* The step behind those that this one plays on a condition only; else the next. */
static size_t behind(const struct tl_scenario *s, size_t i)
{
    const struct tl_step *step = &s->steps[i];
    size_t end = i + 1;

    if (step->verb == TL_IF) {
        end = step->u.cond.otherwise;
        if (end > i + 1 && s->steps[end - 1].verb == TL_JUMP && s->steps[end - 1].u.jump > end)
            end = s->steps[end - 1].u.jump; /* over the `else` */
    } else if (step->verb == TL_ALT) {
        end = step->u.block.end;
    } else if (step->verb == TL_ON) {
        end = step->u.on.end;
    }
    return end > i ? end : i + 1;
}

static bool lacks_step(const struct tl_bench *bench, const struct tl_scenario *s, size_t i,
                       char *text, size_t cap)
{
    const struct tl_step *step = &s->steps[i];
    struct tl_need need;

    if (step->verb == TL_ULP) {
        need = tl_need_of(step->u.ulp.act);
        need.upper = s->upper;
        /* A rotation at the tester ends with a step at the SUT. */
        return (step->u.ulp.side == TL_SIDE_SUT || need.verb == TL_DO_ROTATE_KEYS) &&
               tl_offer_lacks(bench, &need, text, cap);
    }
    if (step->verb == TL_WORD && !step->u.word->tester) {
        need = (struct tl_need){
            .verb = (enum tl_do)((unsigned)step->u.word->words->first + step->u.word->kind)};
        return tl_offer_lacks(bench, &need, text, cap);
    }
    if (step->verb == TL_CC) {
        need = (struct tl_need){.verb = step->u.cc->verb};
        return tl_offer_lacks(bench, &need, text, cap);
    }
    return lacks_event(bench, depends(step), text, cap) ||
           lacks_event(bench, begins(s, step), text, cap);
}

/* The policy of a connection, or its traffic. */
static bool lacks_setup(const struct tl_bench *bench, const struct tl_scenario *conn,
                        char *text, size_t cap)
{
    const struct tl_act policy = {.verb = TL_ACT_POLICY, .policy = conn->policy};
    struct tl_need need = tl_need_of(&policy);

    if (!tl_policy_is_default(&conn->policy) && tl_offer_lacks(bench, &need, text, cap))
        return true;
    need = (struct tl_need){.verb = TL_DO_POST};
    for (size_t i = 0; i < conn->num_streams; i++)
        if (conn->streams[i].side == TL_SIDE_SUT && tl_offer_lacks(bench, &need, text, cap))
            return true;
    return false;
}

bool tl_offer_unplayable(const struct tl_bench *bench, const struct tl_scenario *scenario,
                         char *text, size_t cap)
{
    struct tl_need need = {.verb = TL_DO_RESET};
    const struct tl_scenario *conn;

    if (tl_offer_lacks(bench, &need, text, cap))
        return true;
    for (unsigned i = 0; (conn = tl_scenario_conn(scenario, i)) != NULL; i++)
        if (lacks_setup(bench, conn, text, cap))
            return true;
    for (size_t i = 0; i < scenario->num_steps; i = behind(scenario, i))
        if (lacks_step(bench, scenario, i, text, cap))
            return true;
    return false;
}
