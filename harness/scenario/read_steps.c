/* SPDX-License-Identifier: Apache-2.0
 * read_steps.c - reads the steps: a line of the notation, or an object with one verb. Their
 * shape has been checked (types.h); this file reads their meaning. */
#include "harness/scenario/reader.h"
#include "harness/scenario/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAY(d, ...) tl_step_say_parts(d, (const char *const[]){__VA_ARGS__, NULL})

enum { STEPS_MAX = 100000, WHERE_MAX = 160 };

size_t tl_add_step(struct tl_reader *r, const struct tl_step *step)
{
    if (r->num_steps == STEPS_MAX) {
        struct tl_path root = {0}, steps = {.up = &root, .key = "steps"};

        tl_reader_error(r, &steps, "more than %d steps", STEPS_MAX);
        r->num_steps++;
    }
    if (r->num_steps > STEPS_MAX || r->no_memory)
        return 0;
    if (r->num_steps == r->cap_steps) {
        size_t cap = r->cap_steps == 0 ? 32 : r->cap_steps * 2;
        struct tl_step *grown = realloc(r->steps, cap * sizeof *grown);

        if (grown == NULL) {
            r->no_memory = true;
            return 0;
        }
        r->steps = grown;
        r->cap_steps = cap;
    }
    r->steps[r->num_steps] = *step;
    r->steps[r->num_steps].part = r->part;
    r->steps[r->num_steps].conn = r->conn;
    return r->num_steps++;
}

int32_t tl_find_step(struct tl_reader *r, const struct tl_path *at, const char *name)
{
    for (size_t i = r->num_steps <= STEPS_MAX ? r->num_steps : 0; i-- > 0;)
        if (r->steps[i].name != NULL && strcmp(r->steps[i].name, name) == 0)
            return (int32_t)i;
    tl_reader_error(r, at, "no step before is named '%.40s'", name);
    return -1;
}

/* ---- packets ---- */

static void expect_packets(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           struct tl_step_draft *d)
{
    struct tl_step *step = &d->step;
    json_t *any_of = json_is_object(value) ? json_object_get(value, "any_of") : NULL;
    struct tl_path inner = {.up = at, .key = "any_of"};
    size_t n = any_of != NULL ? json_array_size(any_of) : 1;

    step->u.expect.any_of = fal_arena_alloc(&r->scenario->arena, n, sizeof(void *));
    if (step->u.expect.any_of == NULL) {
        r->no_memory = true;
        return;
    }
    step->u.expect.count = n;
    for (size_t i = 0; i < n; i++) {
        struct tl_path element = {.up = &inner, .index = i};

        step->u.expect.any_of[i] =
            tl_read_packet(r, any_of != NULL ? &element : at,
                           any_of != NULL ? json_array_get(any_of, i) : value, '<', d);
        if (step->u.expect.any_of[i] == NULL)
            return;
    }
}

static bool has_key(json_t *value, const char *key)
{
    return json_is_object(value) && json_object_get(value, key) != NULL;
}

static void read_expect(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        struct tl_step_draft *d)
{
    if (has_key(value, "count") || has_key(value, "share") || has_key(value, "events") ||
        has_key(value, "state")) {
        d->step.verb = TL_MEASURE;
        d->step.u.measure = tl_read_measure(r, at, value, d);
        if (d->after != NULL || d->at != NULL || d->within != NULL)
            tl_reader_error(r, at, "what has been counted is known now; to wait for it: await");
        return;
    }
    if (d->since != NULL)
        tl_reader_error(r, at, "\"since\" goes with a count or a share");
    d->step.verb = TL_EXPECT;
    expect_packets(r, at, value, d);
}

/* An event of an upper layer with words of its own. */
static bool is_word_event(const char *key)
{
    return tl_same(key, "expect_verbs") || tl_same(key, "expect_no_verbs") ||
           tl_same(key, "expect_nvme") || tl_same(key, "expect_no_nvme");
}

static void read_event(struct tl_reader *r, const struct tl_path *at, json_t *value,
                       struct tl_step_draft *d, enum tl_verb verb, const char *word)
{
    d->step.verb = verb;
    d->step.u.expect_ulp.side = d->side;
    d->step.u.expect_ulp.pattern =
        fal_arena_alloc(&r->scenario->arena, 1, sizeof *d->step.u.expect_ulp.pattern);
    if (d->step.u.expect_ulp.pattern == NULL) {
        r->no_memory = true;
        return;
    }
    if (tl_same(at->key, "expect_cc"))
        tl_read_cc_pattern(r, at, value, d->step.u.expect_ulp.pattern);
    else if (is_word_event(at->key))
        tl_read_told(r, at, value, d->step.u.expect_ulp.pattern);
    else
        tl_read_event_pattern(r, at, value, d->step.u.expect_ulp.pattern);
    tl_step_say_times(d);
    SAY(d, word, d->side == TL_SIDE_TESTER ? " tester" : "");
    tl_step_describe(d, value);
    if (tl_same(at->key, "expect_cc"))
        tl_step_describe(d, json_object_iter_value(json_object_iter(value)));
}

/* No packet, or no event: {"event": ...}, {"what": ...}. */
static void read_expect_none(struct tl_reader *r, const struct tl_path *at, json_t *value,
                             struct tl_step_draft *d)
{
    if (has_key(value, "event") || has_key(value, "what")) {
        read_event(r, at, value, d, TL_EXPECT_NO_EVENT, "event");
        return;
    }
    d->step.verb = TL_EXPECT_NONE;
    expect_packets(r, at, value, d);
}

/* ---- the other verbs ---- */

void tl_step_describe(struct tl_step_draft *d, json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        if (json_is_string(value) && (tl_same(key, "do") || tl_same(key, "event")))
            SAY(d, " ", json_string_value(value));
        else if (json_is_string(value))
            SAY(d, " ", key, "=", json_string_value(value));
        else if (json_is_integer(value))
            tl_step_say(d, " %s=%" JSON_INTEGER_FORMAT, key, json_integer_value(value));
        else if (json_is_boolean(value))
            SAY(d, " ", key, "=", json_is_true(value) ? "true" : "false");
        else
            SAY(d, " ", key);
    }
}

static void read_ulp(struct tl_reader *r, const struct tl_path *at, json_t *value,
                     struct tl_step_draft *d)
{
    d->step.verb = TL_ULP;
    d->step.u.ulp.side = d->side;
    d->step.u.ulp.act = fal_arena_alloc(&r->scenario->arena, 1, sizeof *d->step.u.ulp.act);
    if (d->step.u.ulp.act == NULL) {
        r->no_memory = true;
        return;
    }
    tl_read_act(r, at, value, d->side, d->step.u.ulp.act);
    SAY(d, at->key, d->side == TL_SIDE_TESTER ? " tester" : "");
    tl_step_describe(d, value);
    tl_step_describe(d, json_object_get(value, "params"));
    if (!d->refused)
        return;
    d->step.u.ulp.act->refused = true;
    tl_step_say(d, " => refused");
    if (d->step.u.ulp.act->verb != TL_ACT_OPEN)
        tl_reader_error(r, &(struct tl_path){.up = at->up, .key = "refused"},
                        "goes with \"open\"");
}

static void read_expect_ulp(struct tl_reader *r, const struct tl_path *at, json_t *value,
                            struct tl_step_draft *d)
{
    read_event(r, at, value, d, TL_EXPECT_ULP, at->key);
}

static void read_no_word(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         struct tl_step_draft *d)
{
    read_event(r, at, value, d, TL_EXPECT_NO_EVENT, at->key);
}

/* A time, and nothing else. */
static void read_period(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        struct tl_step_draft *d)
{
    bool waits = strcmp(at->key, "wait") == 0;

    d->step.verb = waits ? TL_WAIT : TL_UNTIL_QUIET;
    if (waits)
        d->step.time = FAL_TIME_AFTER;
    if (tl_read_duration(r, at, value, waits ? &d->step.from : &d->step.to)) {
        tl_step_say_times(d);
        SAY(d, at->key, " ", json_string_value(value));
    }
}

static void read_note(struct tl_reader *r, const struct tl_path *at, json_t *value,
                      struct tl_step_draft *d)
{
    const char *text = tl_read_string(r, at, value);

    d->step.verb = TL_NOTE;
    if (text != NULL)
        SAY(d, text);
}

static void read_let(struct tl_reader *r, const struct tl_path *at, json_t *value,
                     struct tl_step_draft *d)
{
    d->step.verb = TL_LET;
    tl_read_assignments(r, at, value, &d->step.u.let.list, &d->step.u.let.count);
    tl_step_say(d, "let");
    tl_step_describe(d, value);
}

static void read_await(struct tl_reader *r, const struct tl_path *at, json_t *value,
                       struct tl_step_draft *d)
{
    d->step.verb = TL_AWAIT;
    d->step.u.measure = tl_read_measure(r, at, value, d);
    if (d->step.time == FAL_TIME_NONE && d->step.u.measure != NULL &&
        d->step.u.measure->kind != TL_WORKLOAD)
        tl_reader_error(r, at, "expected \"within\" beside it: how long it may take");
}

/* The name of an `on`. */
static void read_name_of(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         struct tl_step_draft *d)
{
    bool found = false;

    d->step.verb = strcmp(at->key, "off") == 0 ? TL_OFF : TL_RELEASE;
    d->step.u.target_name = tl_read_string(r, at, value);
    for (size_t i = 0; d->step.u.target_name != NULL && i < r->num_steps && i < STEPS_MAX; i++)
        found |= r->steps[i].verb == TL_ON && r->steps[i].u.on.rule->name != NULL &&
                 strcmp(r->steps[i].u.on.rule->name, d->step.u.target_name) == 0;
    if (!found)
        tl_reader_error(r, at, "no \"on\" before has that name");
    tl_step_say(d, "%s %s", at->key, json_string_value(value));
}

/* ---- what stands beside a verb ---- */

static void read_time(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_step_draft *d = ctx;
    const struct {
        const char *key;
        const char **text;
        struct fal_duration *duration;
    } times[] = {{"after", &d->after, &d->after_d},
                 {"at", &d->at, &d->at_d},
                 {"within", &d->within, &d->within_d},
                 {"for", &d->during, &d->during_d}};

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (strcmp(times[i].key, at->key) == 0 &&
            tl_read_duration(r, at, value, times[i].duration))
            *times[i].text = json_string_value(value);
}

/* "name + 20us", or a time. */
static void read_at(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_step_draft *d = ctx;
    const char *text = json_string_value(value), *rest;
    char name[FAL_VAR_MAX];
    size_t len;
    struct fal_error err = {{0}};

    if ((text[0] < 'a' || text[0] > 'z') && (text[0] < 'A' || text[0] > 'Z')) {
        read_time(r, at, value, ctx);
        return;
    }
    len = strcspn(text, " +");
    rest = text + len + strspn(text + len, " ");
    (void)snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name - 1),
                   text);
    d->step.anchor = tl_find_step(r, at, name);
    if (*rest == 0) {
        d->at_d = (struct fal_duration){0};
    } else if (*rest != '+') {
        tl_reader_error(r, at, "expected \"%s + duration\"", name);
        return;
    } else if (tl_duration_parse(rest + 1, &r->scenario->arena, &r->scenario->exprs, &d->at_d,
                                 &err) != 0) {
        tl_reader_error(r, at, "%s", err.text);
        return;
    }
    d->at = text;
}

/* Computes the times of a step from its members. */
static void settle_time(struct tl_reader *r, const struct tl_path *at, struct tl_step_draft *d)
{
    struct tl_step *step = &d->step;
    char *out = d->before;
    size_t cap = sizeof d->before;

    if (d->at != NULL && (d->after != NULL || d->within != NULL)) {
        tl_reader_error(r, at, "\"at\" stands alone; \"after\" and \"within\" make a range");
    } else if (d->at != NULL) {
        step->time = FAL_TIME_AT;
        step->from = d->at_d;
        (void)snprintf(out, cap, "@%.40s ", d->at);
    } else if (d->after != NULL && d->within != NULL) {
        step->time = FAL_TIME_RANGE;
        step->from = d->after_d;
        step->to = d->within_d;
        (void)snprintf(out, cap, "%.40s..%.40s ", d->after, d->within);
    } else if (d->within != NULL) {
        step->time = FAL_TIME_WITHIN;
        step->from = d->within_d;
        (void)snprintf(out, cap, "<=%.40s ", d->within);
    } else if (d->after != NULL) {
        step->time = FAL_TIME_AFTER;
        step->from = d->after_d;
        (void)snprintf(out, cap, "+%.40s ", d->after);
    } else if (d->during != NULL) {
        step->time = FAL_TIME_AFTER;
        step->from = d->during_d;
        (void)snprintf(out, cap, "none for %.40s: ", d->during);
        (void)snprintf(d->before_code, sizeof d->before_code, "none for %.40s: ", d->during);
        return;
    }
    memcpy(d->before_code, d->before, sizeof d->before_code);
}

static void read_side(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    (void)r;
    (void)at;
    if (strcmp(json_string_value(value), "tester") == 0)
        ((struct tl_step_draft *)ctx)->side = TL_SIDE_TESTER;
}

static void read_adopt(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    (void)tl_read_bool(r, at, value, &((struct tl_step_draft *)ctx)->adopt);
}

static void read_conn(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    (void)ctx;
    r->conn = tl_find_connection(r, at, json_string_value(value), json_string_length(value));
}

static void read_since(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    ((struct tl_step_draft *)ctx)->since = tl_read_string(r, at, value);
}

static void read_result(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    (void)r;
    (void)at;
    ((struct tl_step_draft *)ctx)->result = value;
}

static void read_reply(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    (void)r;
    (void)at;
    ((struct tl_step_draft *)ctx)->reply = value;
}

static void read_as(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    ((struct tl_step_draft *)ctx)->as = tl_read_string(r, at, value);
}

static void read_refused(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         void *ctx)
{
    (void)tl_read_bool(r, at, value, &((struct tl_step_draft *)ctx)->refused);
}

static void read_may_refuse(struct tl_reader *r, const struct tl_path *at, json_t *value,
                            void *ctx)
{
    (void)tl_read_bool(r, at, value, &((struct tl_step_draft *)ctx)->may_refuse);
}

static void read_step_covers(struct tl_reader *r, const struct tl_path *at, json_t *value,
                             void *ctx)
{
    tl_read_ids(r, at, value, &((struct tl_step_draft *)ctx)->step.covers);
}

static void read_step_name(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           void *ctx)
{
    struct tl_step_draft *d = ctx;
    const char *text = tl_read_string(r, at, value);

    d->step.name = text;
    for (size_t i = 0; text != NULL && text[i] != 0; i++)
        if (i + 1 >= FAL_VAR_MAX ||
            ((text[i] < 'a' || text[i] > 'z') && (text[i] < 'A' || text[i] > 'Z') &&
             (i == 0 || (strchr("_-", text[i]) == NULL && (text[i] < '0' || text[i] > '9'))))) {
            tl_reader_error(r, at,
                            "expected letters, digits, - and _, a letter first, at most %d",
                            FAL_VAR_MAX - 1);
            return;
        }
}

static const struct verb {
    const char *key;
    void (*read)(struct tl_reader *r, const struct tl_path *at, json_t *value,
                 struct tl_step_draft *d);
} verbs[] = {
    {"send", tl_read_send},
    {"expect", read_expect},
    {"expect_none", read_expect_none},
    {"ulp", read_ulp},
    {"cm", read_ulp},
    {"expect_ulp", read_expect_ulp},
    {"expect_cm", read_expect_ulp},
    {"wait", read_period},
    {"until_quiet", read_period},
    {"acks", tl_read_steer},
    {"cc", tl_read_cc},
    {"expect_cc", read_expect_ulp},
    {"verbs", tl_read_order},
    {"expect_verbs", read_expect_ulp},
    {"expect_no_verbs", read_no_word},
    {"nvme", tl_read_order},
    {"expect_nvme", read_expect_ulp},
    {"expect_no_nvme", read_no_word},
    {"let", read_let},
    {"await", read_await},
    {"off", read_name_of},
    {"release", read_name_of},
    {"note", read_note}, /* last: it may stand beside another verb, which then is the step's */
};

static void read_beside(struct tl_reader *r, const struct tl_path *at, json_t *object,
                        struct tl_step_draft *d)
{
    static const struct tl_key members[] = {
        {"after", read_time},
        {"at", read_at},
        {"within", read_time},
        {"for", read_time},
        {"side", read_side},
        {"adopt", read_adopt},
        {"malform", tl_read_malform},
        {"seal", tl_read_seal},
        {"since", read_since},
        {"covers", read_step_covers},
        {"name", read_step_name},
        {"payload", tl_read_sent_payload},
        {"ip", tl_read_ip},
        {"conn", read_conn},
        {"result", read_result},
        {"reply", read_reply},
        {"as", read_as},
        {"refused", read_refused},
        {"may_refuse", read_may_refuse},
    };

    tl_read_object(r, at, object, members, sizeof members / sizeof *members, d);
    settle_time(r, at, d);
}

/* Steps of a reaction take no time. */
static void check_reaction(struct tl_reader *r, const struct tl_path *at,
                           const struct tl_step *step)
{
    if (!r->in_reaction)
        return;
    switch (step->verb) {
    case TL_SEND:
    case TL_ULP:
    case TL_LET:
    case TL_NOTE:
    case TL_OFF:
    case TL_ACKS:
    case TL_CC:
    case TL_WORD:
    case TL_RELEASE:
        if (step->time == FAL_TIME_NONE)
            return;
        break;
    case TL_EXPECT:
    case TL_EXPECT_NONE:
    case TL_EXPECT_NO_EVENT:
    case TL_EXPECT_ULP:
    case TL_WAIT:
    case TL_MEASURE:
    case TL_AWAIT:
    case TL_UNTIL_QUIET:
    case TL_ANY_ORDER:
    case TL_ALT:
    case TL_ON:
    case TL_IF:
    case TL_JUMP:
    case TL_REPEAT:
    case TL_REPEAT_END: break;
    }
    tl_reader_error(
        r, at,
        "takes time; what is played at once can send, ulp, cm, acks, cc, verbs, nvme, let, note, release, off");
}

static void finish_step(struct tl_reader *r, const struct tl_path *at, struct tl_step_draft *d)
{
    tl_step_keep_words(r, d);
    check_reaction(r, at, &d->step);
    (void)tl_add_step(r, &d->step);
}

static void read_object_step(struct tl_reader *r, const struct tl_path *at, json_t *object,
                             struct tl_step_draft *d)
{
    static const char *const blocks[] = {"any_order", "alt", "on", "repeat", "use", "if"};

    struct tl_members members;

    tl_members_list(object, &members);
    read_beside(r, at, object, d);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (tl_members_get(&members, blocks[i]) != NULL) {
            tl_read_block(r, at, object, blocks[i], d);
            return;
        }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        struct tl_path here = {.up = at, .key = verbs[i].key};
        json_t *value = tl_members_get(&members, verbs[i].key);

        if (value == NULL)
            continue;
        verbs[i].read(r, &here, value, d);
        break;
    }
    finish_step(r, at, d);
}

/* "b: > push_data": the connection in front of a line, and where the line goes on. */
static const char *behind_connection(struct tl_reader *r, const struct tl_path *at,
                                     const char *line)
{
    size_t len = strcspn(line, ": <>#");

    if (len == 0 || line[len] != ':')
        return line;
    r->conn = tl_find_connection(r, at, line, len);
    line += len + 1;
    return line + strspn(line, " ");
}

static void read_line_step(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           struct tl_step_draft *d)
{
    const char *line = behind_connection(r, at, json_string_value(value));
    json_t *rest = line == json_string_value(value) ? json_incref(value) : json_string(line);
    /* The direction is the first bare '>' or '<': of times, "<=" and "<<", ">>" are not. */
    const char *c = line;

    for (; *c != 0 && *c != '#'; c++) {
        if (c[0] == '<' && c[1] == '=')
            c++;
        else if ((c[0] == '<' || c[0] == '>') && c[1] == c[0])
            c++;
        else if (c[0] == '<' || c[0] == '>')
            break;
    }
    if (rest == NULL) {
        r->no_memory = true;
    } else if (*c == '>') {
        tl_read_send(r, at, rest, d);
    } else if (*c == '<') {
        read_expect(r, at, rest, d);
    } else {
        struct fal_pattern probe;
        struct fal_error err = {{0}};
        unsigned column;

        if (fal_text_parse_at(line, &probe, &err, &column) != 0)
            tl_reader_error_in(r, at, line, column, err.text);
        else
            tl_reader_error(r, at, "no direction; expected '>' to the SUT or '<' from it");
    }
    json_decref(rest);
    finish_step(r, at, d);
}

/* As "[%zu]" prints it, as far as there is room: `cap` is at least 1. */
static void put_index(char *out, size_t cap, size_t i)
{
    char text[24];
    size_t at = sizeof text;

    text[--at] = 0;
    text[--at] = ']';
    do
        text[--at] = (char)('0' + i % 10);
    while ((i /= 10) != 0);
    text[--at] = '[';
    for (; cap > 1 && text[at] != 0; cap--)
        *out++ = text[at++];
    *out = 0;
}

void tl_read_steps(struct tl_reader *r, const struct tl_path *at, json_t *value, bool checked)
{
    size_t i, n = json_array_size(value);
    char where[WHERE_MAX];
    size_t len = tl_path_print(at, where, sizeof where);
    const struct tl_position *places = tl_places_of(r, at, len < sizeof where ? where : "", n);
    const unsigned around = r->conn; /* the steps of a block are of its connection */
    json_t *item;

    if (places == NULL) {
        r->no_memory = true;
        return;
    }
    json_array_foreach(value, i, item)
    {
        struct tl_path here = {.up = at, .index = i};
        struct tl_step_draft d = {
            .step = {.at = places[i], .anchor = -1}, .adopt = true, .side = TL_SIDE_SUT};

        if (!checked && !tl_shape_check_once(r, &here, item, &tl_type_step))
            continue;
        if (len < sizeof where)
            put_index(where + len, sizeof where - len, i);
        d.step.where = fal_arena_strdup(&r->scenario->arena, where);
        r->no_memory |= d.step.where == NULL;
        r->conn = around;
        if (json_is_string(item))
            read_line_step(r, &here, item, &d);
        else
            read_object_step(r, &here, item, &d);
    }
    r->conn = around;
}
