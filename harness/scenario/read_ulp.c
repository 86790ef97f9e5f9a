/* SPDX-License-Identifier: Apache-2.0
 * read_ulp.c - reads the parts of a scenario about upper layers: acts, policies, and expected
 * events. */
#include "harness/scenario/reader.h"

#include <string.h>

static const char *const op_names[] = {"push", "pull"};
static const char *const kind_names[] = {"request", "ulp_ack", "completion"};
static const char *const ulp_names[TL_EVENT_MEMBERS] = {
    "rsn", "op", "length", "tag", "redelivery", "answer", "code", "ulp_nack_code"};
static const char *const act_verbs[] = {"post",    "respond",     "policy",   "set",
                                        "barrier", "close",       "counters", "state",
                                        "clock",   "rotate_keys", "open"};

static int op_word(const char *word)
{
    return strcmp(word, "push") == 0   ? FAL_OP_PUSH
           : strcmp(word, "pull") == 0 ? FAL_OP_PULL
                                       : -1;
}

static const struct {
    const char *name;
    tl_word_fn *words;
    bool is_word, is_time, is_relative;
} act_members[TL_ACT_MEMBERS] = {
    [TL_ACT_REQUEST] = {"request", NULL, false, false, false},
    [TL_ACT_EVERY] = {"every", NULL, false, false, false},
    [TL_ACT_OP] = {"op", op_word, true, false, false},
    [TL_ACT_RSN] = {"rsn", NULL, false, false, true},
    [TL_ACT_ANSWER] = {"answer", fal_answer_from, true, false, false},
    [TL_ACT_AFTER] = {"after", NULL, false, true, false},
    [TL_ACT_TIMES] = {"times", NULL, false, false, false},
    [TL_ACT_RNR] = {"rnr", NULL, false, true, false},
    [TL_ACT_CODE] = {"code", NULL, false, false, false},
    [TL_ACT_LENGTH] = {"length", NULL, false, false, false},
    [TL_ACT_TAG] = {"tag", NULL, false, false, false},
    [TL_ACT_SEED] = {"seed", NULL, false, false, false},
};

const char *tl_act_op_name(enum fal_ulp_op op)
{
    return op_names[op];
}

const char *tl_event_kind_name(enum fal_ulp_kind kind)
{
    return kind_names[kind];
}

const char *tl_event_member_name(enum tl_event_member member)
{
    return ulp_names[member];
}

const char *tl_act_verb_name(enum tl_act_verb verb)
{
    return act_verbs[verb];
}

const char *tl_act_member_name(enum tl_act_member member)
{
    return act_members[member].name;
}

bool tl_act_member_is_time(enum tl_act_member member)
{
    return act_members[member].is_time;
}

/* ---- acts ---- */

static void read_act_member(struct tl_reader *r, const struct tl_path *at, json_t *value,
                            void *ctx)
{
    struct tl_act_values *values = ctx;
    struct tl_value *out;
    int m = 0;

    while (strcmp(act_members[m].name, at->key) != 0)
        m++;
    out = &values->values[m];
    if (act_members[m].is_time) {
        *out = (struct tl_value){.kind = TL_VALUE_EXPR};
        values->given[m] = tl_read_duration(r, at, value, &out->expr);
        return;
    }
    if (!tl_read_value(r, at, value, act_members[m].words, out))
        return;
    values->given[m] =
        !out->negated && (out->kind == TL_VALUE_NUMBER || out->kind == TL_VALUE_EXPR ||
                          (out->kind == TL_VALUE_RELATIVE && act_members[m].is_relative));
    if (!values->given[m])
        tl_reader_error(r, at, "expected one value%s",
                        act_members[m].is_relative ? ": a number, 3r or $name" : "");
    else if (act_members[m].is_word && (out->kind != TL_VALUE_NUMBER || !json_is_string(value)))
        tl_reader_error(r, at, "expected a word: %s",
                        m == TL_ACT_OP ? "push, pull"
                                       : "ack, data, rnr, cie, nre, cid, withhold");
}

#define MEMBER(m)                         \
    {                                     \
        .key = m, .read = read_act_member \
    }

void tl_read_policy(struct tl_reader *r, const struct tl_path *at, json_t *value,
                    struct tl_policy *out)
{
    static const struct tl_key members[] = {
        MEMBER("request"), MEMBER("every"), MEMBER("op"),   MEMBER("answer"), MEMBER("after"),
        MEMBER("times"),   MEMBER("rnr"),   MEMBER("code"), MEMBER("length"),
    };
    size_t i;
    json_t *item;

    out->rules =
        fal_arena_alloc(&r->scenario->arena, json_array_size(value) + 1, sizeof *out->rules);
    if (out->rules == NULL) {
        r->no_memory = true;
        return;
    }
    out->count = json_array_size(value);
    json_array_foreach(value, i, item)
    {
        struct tl_path here = {.up = at, .index = i};

        tl_read_object(r, &here, item, members, sizeof members / sizeof *members,
                       &out->rules[i]);
    }
}

static void read_rules(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    tl_read_policy(r, at, value, &((struct tl_act *)ctx)->policy);
}

static void read_set(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_act *act = ctx;

    tl_read_params(r, at, value, &act->params, &act->num_params);
}

void tl_read_act(struct tl_reader *r, const struct tl_path *at, json_t *value,
                 enum tl_side side, struct tl_act *out)
{
    static const struct tl_key plain[] = {MEMBER("op"),  MEMBER("rsn"),  MEMBER("answer"),
                                          MEMBER("rnr"), MEMBER("code"), MEMBER("length"),
                                          MEMBER("tag"), MEMBER("seed")};
    static const struct tl_key others[] = {{"rules", read_rules}, {"params", read_set}};
    struct tl_path verb_at = {.up = at, .key = "do"};
    const char *verb = json_string_value(json_object_get(value, "do"));
    int found = 0;

    while (strcmp(act_verbs[found], verb) != 0)
        found++;
    out->verb = (enum tl_act_verb)found;
    out->randomize_path = json_is_true(json_object_get(value, "randomize_path"));
    out->rotation = json_string_value(json_object_get(value, "step"));
    out->rotation =
        fal_arena_strdup(&r->scenario->arena, out->rotation != NULL ? out->rotation : "all");
    r->no_memory |= out->rotation == NULL;
    if (side == TL_SIDE_TESTER && out->verb != TL_ACT_POST && out->verb != TL_ACT_RESPOND &&
        out->verb != TL_ACT_CLOSE && out->verb != TL_ACT_ROTATE_KEYS)
        tl_reader_error(r, &verb_at, "'%s' is the SUT's; the tester's can post, respond, close",
                        verb);
    tl_read_object(r, at, value, plain, sizeof plain / sizeof *plain, &out->values);
    tl_read_object(r, at, value, others, sizeof others / sizeof *others, out);
}

/* ---- events ---- */

static void read_event_kind(struct tl_reader *r, const struct tl_path *at, json_t *value,
                            void *ctx)
{
    int kind = tl_read_word(r, at, value, kind_names, sizeof kind_names / sizeof *kind_names);

    if (kind >= 0)
        ((struct tl_event_pattern *)ctx)->kind = (enum fal_ulp_kind)kind;
}

/* Of a connection manager. */
static void read_what(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_event_pattern *pattern = ctx;

    pattern->is_cm = true;
    if (json_string_length(value) >= sizeof pattern->what)
        tl_reader_error(r, at, "expected a word: fatal, spi, integrity, replay, any");
    else
        memcpy(pattern->what, json_string_value(value), json_string_length(value) + 1);
}

static void read_event_member(struct tl_reader *r, const struct tl_path *at, json_t *value,
                              void *ctx)
{
    struct tl_event_pattern *pattern = ctx;
    int m = 0;

    while (strcmp(ulp_names[m], at->key) != 0)
        m++;
    pattern->given[m] = tl_read_value(r, at, value,
                                      m == TL_EVENT_OP       ? op_word
                                      : m == TL_EVENT_ANSWER ? fal_answer_from
                                                             : NULL,
                                      &pattern->values[m]);
}

void tl_read_event_pattern(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           struct tl_event_pattern *out)
{
    static const struct tl_key members[] = {
        {"event", read_event_kind},        {"what", read_what},
        {"rsn", read_event_member},        {"op", read_event_member},
        {"length", read_event_member},     {"tag", read_event_member},
        {"redelivery", read_event_member}, {"answer", read_event_member},
        {"code", read_event_member},       {"ulp_nack_code", read_event_member},
    };

    tl_read_object(r, at, value, members, sizeof members / sizeof *members, out);
}
