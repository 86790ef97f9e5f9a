/* SPDX-License-Identifier: Apache-2.0
 * read_steer.c - reads what the tester's ACKs tell: the step `acks`, and `auto.acks`, which is
 * such a step before all others. */
#include "harness/scenario/reader.h"

#include <stdio.h>
#include <string.h>

/* The members of `acks`, by their place in struct tl_steer. */
static const struct steer_member {
    const char *key;
    size_t has, at;
    bool is_time;
} members[] = {
    {"hold", offsetof(struct tl_steer, has_hold), offsetof(struct tl_steer, hold), true},
    {"delay", offsetof(struct tl_steer, has_delay), offsetof(struct tl_steer, delay), true},
    {"hops", offsetof(struct tl_steer, has_hops), offsetof(struct tl_steer, hops), false},
    {"level", offsetof(struct tl_steer, has_level), offsetof(struct tl_steer, level), false},
    {"marks", offsetof(struct tl_steer, has_marks), offsetof(struct tl_steer, marks), false}};

static void read_member(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        const struct steer_member *m, struct tl_steer *steer)
{
    char *base = (char *)steer;
    struct tl_value *number = (struct tl_value *)(void *)(base + m->at);

    *(bool *)(void *)(base + m->has) = true;
    if (m->is_time) {
        (void)tl_read_duration(r, at, value, (struct fal_duration *)(void *)(base + m->at));
        return;
    }
    if (!tl_read_value(r, at, value, NULL, number))
        return;
    if (number->negated || (number->kind != TL_VALUE_NUMBER && number->kind != TL_VALUE_EXPR))
        tl_reader_error(r, at, "expected one value");
}

void tl_read_steer(struct tl_reader *r, const struct tl_path *at, json_t *value,
                   struct tl_step_draft *d)
{
    struct tl_steer *steer = fal_arena_alloc(&r->scenario->arena, 1, sizeof *steer);

    d->step.verb = TL_ACKS;
    d->step.u.steer = steer;
    if (steer == NULL) {
        r->no_memory = true;
        return;
    }
    if (json_is_false(value))
        tl_reader_error(r, at,
                        "expected true or an object; a case without ACKs has "
                        "\"auto\": {\"acks\": false}");
    steer->on = json_is_object(value);
    r->scenario->steers |= steer->on;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct tl_path here = {.up = at, .key = members[i].key};
        json_t *member = json_object_get(value, members[i].key);

        if (member != NULL)
            read_member(r, &here, member, &members[i], steer);
    }
    tl_step_say(d, "acks");
    tl_step_describe(d, value);
}

void tl_read_steered(struct tl_reader *r)
{
    struct tl_path root = {0}, up = {.up = &root, .key = "auto"},
                   at = {.up = &up, .key = "acks"};
    json_t *value = json_object_get(json_object_get(r->document, "auto"), "acks");
    struct tl_step_draft d = {.step = {.anchor = -1}, .adopt = true};
    char where[100];

    if (!json_is_object(value))
        return;
    d.step.at = tl_source_find(r->text, r->len, &at);
    (void)tl_path_print(&at, where, sizeof where);
    d.step.where = fal_arena_strdup(&r->scenario->arena, where);
    tl_read_steer(r, &at, value, &d);
    tl_step_keep_words(r, &d);
    (void)tl_add_step(r, &d.step);
}
