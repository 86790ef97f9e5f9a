/* SPDX-License-Identifier: Apache-2.0
 * scenario_step.c - reads the steps: a line of the notation, or an object with one verb. */
#include "harness/scenario_reader.h"

#include "codecs/nearest.h"

#include <stdio.h>
#include <string.h>

enum { STEPS_MAX = 100000 };

static void read_send(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_step_draft *d = ctx;
    struct tl_step *step = d->step;

    step->verb = TL_SEND;
    step->u.send.adopt = d->adopt;
    step->u.send.pattern = tl_arena_alloc(&r->scenario->arena, 1, sizeof(struct fal_pattern));
    if (step->u.send.pattern == NULL) {
        r->no_memory = true;
        return;
    }
    if (!tl_read_packet(r, at, value, '>', d, step->u.send.pattern))
        return;
    if (step->time == FAL_TIME_WITHIN || step->time == FAL_TIME_RANGE)
        tl_reader_error(r, at, "a packet is sent at one time: +duration or @duration");
    if (step->u.send.pattern->any_type)
        tl_reader_error(r, at, "'packet' is any type; what is sent has one");
}

static void expect_packets(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           struct tl_step_draft *d)
{
    struct tl_step *step = d->step;
    json_t *any_of = json_is_object(value) ? json_object_get(value, "any_of") : NULL;
    struct tl_path inner = {.up = at, .key = "any_of"};
    size_t n = 1;

    if (any_of != NULL) {
        if (!json_is_array(any_of) || json_array_size(any_of) == 0 ||
            json_object_size(value) != 1) {
            tl_reader_error(r, at,
                            "expected {\"any_of\": [packet, ...]}, and nothing beside it");
            return;
        }
        n = json_array_size(any_of);
    }
    step->u.expect.any_of = tl_arena_alloc(&r->scenario->arena, n, sizeof(struct fal_pattern));
    if (step->u.expect.any_of == NULL) {
        r->no_memory = true;
        return;
    }
    step->u.expect.count = n;
    for (size_t i = 0; i < n; i++) {
        struct tl_path element = {.up = &inner, .index = i};

        if (!tl_read_packet(r, any_of != NULL ? &element : at,
                            any_of != NULL ? json_array_get(any_of, i) : value, '<', d,
                            &step->u.expect.any_of[i]))
            return;
    }
}

static void read_expect(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    ((struct tl_step_draft *)ctx)->step->verb = TL_EXPECT;
    expect_packets(r, at, value, ctx);
}

static void describe(struct tl_step_draft *d, json_t *object);

/* No packet, or no event: {"event": ...}. */
static void read_expect_none(struct tl_reader *r, const struct tl_path *at, json_t *value,
                             void *ctx)
{
    struct tl_step_draft *d = ctx;

    if (json_is_object(value) && json_object_get(value, "event") != NULL) {
        d->step->verb = TL_EXPECT_NO_EVENT;
        d->step->u.expect_ulp.side = d->side;
        tl_read_event_pattern(r, at, value, &d->step->u.expect_ulp.pattern);
        tl_step_say(d, "%sevent%s", d->before, d->side == TL_SIDE_TESTER ? " tester" : "");
        describe(d, value);
        return;
    }
    ((struct tl_step_draft *)ctx)->step->verb = TL_EXPECT_NONE;
    expect_packets(r, at, value, ctx);
}

/* ---- the other verbs ---- */

static void describe(struct tl_step_draft *d, json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        if (json_is_string(value) && (strcmp(key, "do") == 0 || strcmp(key, "event") == 0))
            tl_step_say(d, " %s", json_string_value(value));
        else if (json_is_string(value))
            tl_step_say(d, " %s=%s", key, json_string_value(value));
        else if (json_is_integer(value))
            tl_step_say(d, " %s=%" JSON_INTEGER_FORMAT, key, json_integer_value(value));
        else if (json_is_boolean(value))
            tl_step_say(d, " %s=%s", key, json_is_true(value) ? "true" : "false");
        else
            tl_step_say(d, " %s", key);
    }
}

static void read_ulp(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_step_draft *d = ctx;

    d->step->verb = TL_ULP;
    d->step->u.ulp.side = d->side;
    tl_read_act(r, at, value, d->side, &d->step->u.ulp.act);
    tl_step_say(d, "ulp%s", d->side == TL_SIDE_TESTER ? " tester" : "");
    describe(d, value);
}

static void read_expect_ulp(struct tl_reader *r, const struct tl_path *at, json_t *value,
                            void *ctx)
{
    struct tl_step_draft *d = ctx;

    d->step->verb = TL_EXPECT_ULP;
    d->step->u.expect_ulp.side = d->side;
    tl_read_event_pattern(r, at, value, &d->step->u.expect_ulp.pattern);
    tl_step_say(d, "%sexpect_ulp%s", d->before, d->side == TL_SIDE_TESTER ? " tester" : "");
    describe(d, value);
}

static void read_wait(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_step_draft *d = ctx;

    d->step->verb = TL_WAIT;
    d->step->time = FAL_TIME_AFTER;
    if (tl_read_duration(r, at, value, &d->step->from))
        tl_step_say(d, "wait %s", json_string_value(value));
}

static void read_note(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_step_draft *d = ctx;
    const char *text = tl_read_string(r, at, value);

    d->step->verb = TL_NOTE;
    if (text != NULL)
        tl_step_say(d, "%s", text);
}

static void read_let(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_step_draft *d = ctx;

    d->step->verb = TL_LET;
    tl_read_assignments(r, at, value, &d->step->u.let.list, &d->step->u.let.count);
    tl_step_say(d, "let");
    describe(d, value);
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

/* What the time members come to. */
static void settle_time(struct tl_reader *r, const struct tl_path *at, struct tl_step_draft *d)
{
    struct tl_step *step = d->step;
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
    }
}

static void read_side(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    static const char *const sides[] = {"sut", "tester"};
    int side = tl_read_word(r, at, value, sides, 2);

    if (side >= 0)
        ((struct tl_step_draft *)ctx)->side = (enum tl_side)side;
}

static void read_adopt(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    (void)tl_read_bool(r, at, value, &((struct tl_step_draft *)ctx)->adopt);
}

static void read_step_covers(struct tl_reader *r, const struct tl_path *at, json_t *value,
                             void *ctx)
{
    tl_read_ids(r, at, value, &((struct tl_step_draft *)ctx)->step->covers);
}

/* Each verb with the members that may stand beside it. They are read before it. */
#define COMMON                           \
    {"covers", read_step_covers, false}, \
    {                                    \
        "note", NULL, false              \
    }

static const struct verb {
    const char *key;
    tl_key_fn *read;
    struct tl_key beside[5];
} verbs[] = {
    {"send",
     read_send,
     {{"after", read_time, false},
      {"at", read_time, false},
      {"adopt", read_adopt, false},
      COMMON}},
    {"expect",
     read_expect,
     {{"after", read_time, false},
      {"at", read_time, false},
      {"within", read_time, false},
      COMMON}},
    {"expect_none",
     read_expect_none,
     {{"for", read_time, true}, {"side", read_side, false}, COMMON}},
    {"ulp", read_ulp, {{"side", read_side, false}, COMMON}},
    {"expect_ulp",
     read_expect_ulp,
     {{"side", read_side, false},
      {"after", read_time, false},
      {"within", read_time, false},
      COMMON}},
    {"wait", read_wait, {COMMON}},
    {"note", read_note, {{NULL, NULL, false}}},
    {"let", read_let, {COMMON}},
};

enum { NUM_VERBS = sizeof verbs / sizeof *verbs };

static void unknown_verb(struct tl_reader *r, const struct tl_path *at, json_t *object)
{
    const char *words[NUM_VERBS], *key, *near = NULL;
    json_t *value;

    for (size_t i = 0; i < NUM_VERBS; i++)
        words[i] = verbs[i].key;
    json_object_foreach(object, key, value)
    {
        if (near == NULL && (near = fal_nearest(key, words, NUM_VERBS)) != NULL) {
            struct tl_path here = {.up = at, .key = key};

            tl_reader_error(r, &here, "no such verb; did you mean \"%s\"?", near);
        }
    }
    if (near == NULL)
        tl_reader_error(r, at,
                        "a step without a verb; expected send, expect, expect_none, ulp, "
                        "expect_ulp, wait, note or let");
}

static void read_object_step(struct tl_reader *r, const struct tl_path *at, json_t *object,
                             struct tl_step_draft *d)
{
    struct tl_key members[6];
    const struct verb *verb = NULL;
    struct tl_path here = {.up = at};
    size_t n = 0;

    /* A note may stand beside another verb, which then is the step's. */
    for (size_t i = 0; i < NUM_VERBS; i++) {
        if (json_object_get(object, verbs[i].key) == NULL)
            continue;
        if (verb == NULL || strcmp(verb->key, "note") == 0) {
            verb = &verbs[i];
        } else if (strcmp(verbs[i].key, "note") != 0) {
            tl_reader_error(r, at, "two verbs, %s and %s; a step has one", verb->key,
                            verbs[i].key);
            return;
        }
    }
    if (verb == NULL) {
        unknown_verb(r, at, object);
        return;
    }
    members[n++] = (struct tl_key){verb->key, NULL, true};
    while (n < 6 && verb->beside[n - 1].key != NULL) {
        members[n] = verb->beside[n - 1];
        n++;
    }
    tl_read_object(r, at, object, members, n, d);
    settle_time(r, at, d);
    here.key = verb->key;
    verb->read(r, &here, json_object_get(object, verb->key), d);
}

static void read_line_step(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           struct tl_step_draft *d)
{
    struct fal_pattern probe;
    struct fal_error err = {{0}};

    if (fal_text_parse(json_string_value(value), &probe, &err) != 0) {
        tl_reader_error(r, at, "%s", err.text);
        return;
    }
    if (probe.dir == '>') {
        read_send(r, at, value, d);
    } else if (probe.dir == '<') {
        read_expect(r, at, value, d);
    } else {
        tl_reader_error(r, at, "no direction; expected '>' to the SUT or '<' from it");
    }
}

void tl_read_steps(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;
    struct tl_position *positions;
    size_t i, n = json_array_size(value);
    json_t *item;

    if (!json_is_array(value) || n == 0 || n > STEPS_MAX) {
        tl_reader_error(r, at, "expected an array of steps, 1 to %d", STEPS_MAX);
        return;
    }
    s->steps = tl_arena_alloc(&s->arena, n, sizeof *s->steps);
    positions = tl_arena_alloc(&s->arena, n, sizeof *positions);
    if (s->steps == NULL || positions == NULL) {
        r->no_memory = true;
        return;
    }
    s->num_steps = n;
    (void)tl_source_elements(r->text, r->len, at, positions, n);
    json_array_foreach(value, i, item)
    {
        struct tl_path here = {.up = at, .index = i};
        struct tl_step_draft d = {.step = &s->steps[i], .adopt = true};

        s->steps[i].at = positions[i];
        if (json_is_string(item))
            read_line_step(r, &here, item, &d);
        else if (json_is_object(item))
            read_object_step(r, &here, item, &d);
        else
            tl_reader_error(r, &here, "expected a line, or an object with one verb");
        s->steps[i].text = tl_arena_strdup(&s->arena, d.text);
        r->no_memory |= s->steps[i].text == NULL;
    }
}
