/* SPDX-License-Identifier: Apache-2.0
 * read_document.c - a scenario file: its members, in the order in which people write them. */
#include "harness/scenario/reader.h"
#include "harness/scenario/types.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_MAX = 80 };

static const char *const class_names[] = {"valid", "invalid", "inopportune"};
static const char *const verb_names[] = {[TL_SEND] = "send",
                                         [TL_EXPECT] = "expect",
                                         [TL_EXPECT_NONE] = "expect_none",
                                         [TL_EXPECT_NO_EVENT] = "expect_none",
                                         [TL_ULP] = "ulp",
                                         [TL_EXPECT_ULP] = "expect_ulp",
                                         [TL_WAIT] = "wait",
                                         [TL_NOTE] = "note",
                                         [TL_LET] = "let",
                                         [TL_MEASURE] = "expect",
                                         [TL_AWAIT] = "await",
                                         [TL_UNTIL_QUIET] = "until_quiet",
                                         [TL_ACKS] = "acks",
                                         [TL_CC] = "cc",
                                         [TL_WORD] = "verbs",
                                         [TL_ANY_ORDER] = "any_order",
                                         [TL_ALT] = "alt",
                                         [TL_ON] = "on",
                                         [TL_OFF] = "off",
                                         [TL_RELEASE] = "release",
                                         [TL_IF] = "if",
                                         [TL_JUMP] = "if",
                                         [TL_REPEAT] = "repeat",
                                         [TL_REPEAT_END] = "repeat"};

const char *tl_class_name(enum tl_class kind)
{
    return class_names[kind];
}

const char *tl_verb_name(enum tl_verb verb)
{
    return verb_names[verb];
}

/* The id names the case in reports and its directory of evidence. */
static void read_id(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;
    size_t i = 0;

    s->file_id = s->id = tl_read_string(r, at, value);
    if (s->id == NULL)
        return;
    for (; s->id[i] != 0; i++) {
        unsigned char c = (unsigned char)s->id[i];

        if (!islower(c) && !isdigit(c) && (i == 0 || strchr("-_.", c) == NULL))
            break;
    }
    if (s->id[i] != 0 || i > ID_MAX)
        tl_reader_error(
            r, at, "expected lower-case letters, digits, '-', '_' and '.', at most %d", ID_MAX);
}

static void read_title(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    ((struct tl_scenario *)ctx)->title = tl_read_string(r, at, value);
}

static void read_purpose(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         void *ctx)
{
    ((struct tl_scenario *)ctx)->purpose = tl_read_string(r, at, value);
}

static void read_class(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    int kind = tl_read_word(r, at, value, class_names, 3);

    if (kind >= 0)
        ((struct tl_scenario *)ctx)->kind = (enum tl_class)kind;
}

static void read_covers(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;

    if (!json_is_array(value) || json_array_size(value) == 0)
        tl_reader_error(r, at, "expected an array of requirement ids, at least one");
    else
        tl_read_ids(r, at, value, &s->covers);
}

static void read_version(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         void *ctx)
{
    json_int_t version = json_integer_value(value);

    if (!json_is_integer(value) || version < 1 || version > 1000000)
        tl_reader_error(r, at,
                        "expected a number from 1 on, raised when the verdict may change");
    else
        ((struct tl_scenario *)ctx)->version = (unsigned)version;
}

static void read_exercises(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           void *ctx)
{
    struct tl_scenario *s = ctx;
    size_t i;
    json_t *item;

    if (!json_is_array(value)) {
        tl_reader_error(r, at, "expected an array of rule ids");
        return;
    }
    s->exercises = fal_arena_alloc(&s->arena, json_array_size(value), sizeof(void *));
    if (s->exercises == NULL) {
        r->no_memory = true;
        return;
    }
    json_array_foreach(value, i, item)
    {
        struct tl_path here = {.up = at, .index = i};
        const char *id = json_string_value(item);

        if (id == NULL || fal_rule_find(id) == NULL)
            tl_reader_error(r, &here, "expected the id of a rule; see talon list rules");
        else
            s->exercises[s->num_exercises++] = fal_rule_find(id);
    }
}

static void read_needs(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;
    size_t i;
    json_t *item;

    if (!json_is_array(value)) {
        tl_reader_error(r, at, "expected an array of conditions, such as \"psp\" or \"!esp\"");
        return;
    }
    s->needs = fal_arena_alloc(&s->arena, json_array_size(value), sizeof *s->needs);
    if (s->needs == NULL) {
        r->no_memory = true;
        return;
    }
    json_array_foreach(value, i, item)
    {
        struct tl_path here = {.up = at, .index = i};
        const char *text = json_string_value(item);
        struct fal_error err = {{0}};

        if (text == NULL)
            tl_reader_error(r, &here, "expected a condition; see talon list ics");
        else if (tl_ics_condition_read(text, &s->needs[s->num_needs], &err) != 0)
            tl_reader_error(r, &here, "%s", err.text);
        else
            s->num_needs++;
    }
}

static void read_tags(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;
    size_t i;
    json_t *item;

    if (!json_is_array(value)) {
        tl_reader_error(r, at, "expected an array of words");
        return;
    }
    s->tags = fal_arena_alloc(&s->arena, json_array_size(value), sizeof(void *));
    if (s->tags == NULL) {
        r->no_memory = true;
        return;
    }
    json_array_foreach(value, i, item)
    {
        struct tl_path here = {.up = at, .index = i};
        const char *tag = tl_read_string(r, &here, item);

        if (tag != NULL)
            s->tags[s->num_tags++] = tag;
    }
}

static void read_copies(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    (void)r;
    (void)at;
    ((struct tl_scenario *)ctx)->copies = (unsigned)json_integer_value(value);
}

static void read_rounds(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    (void)r;
    (void)at;
    ((struct tl_scenario *)ctx)->rounds = (unsigned)json_integer_value(value);
}

void tl_read_policy_member(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           void *ctx)
{
    tl_read_policy(r, at, value, &((struct tl_scenario *)ctx)->policy);
}

void tl_read_auto(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;
    const struct {
        const char *key;
        bool *out;
    } flags[] = {{"acks", &s->auto_acks},
                 {"retransmission", &s->auto_retransmission},
                 {"ulp", &s->auto_ulp}};

    (void)r;
    (void)at;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (json_object_get(value, flags[i].key) != NULL)
            *flags[i].out = !json_is_false(json_object_get(value, flags[i].key));
}

/* ---- steps ---- */

/* A step that is missed is judged by the first requirement that it decides. A permission would
 * make no fail of it, so the reader puts permissions behind the others. */
static void permissions_last(struct tl_ids *covers)
{
    size_t first = 0; /* of the permissions */

    for (size_t i = 0; i < covers->count; i++) {
        const struct fal_requirement *id = covers->list[i];

        if (fal_requirement_breach(id) == FAL_VERDICT_NONE)
            continue;
        memmove(&covers->list[first + 1], &covers->list[first],
                (i - first) * sizeof(const struct fal_requirement *));
        covers->list[first++] = id;
    }
}

/* A requirement that a step decides must be in the scenario's `covers`. */
static void check_covers(struct tl_reader *r)
{
    const struct tl_scenario *s = r->scenario;

    for (size_t i = 0; i < s->num_steps; i++) {
        permissions_last(&s->steps[i].covers);
        for (size_t k = 0; k < s->steps[i].covers.count; k++) {
            const struct fal_requirement *id = s->steps[i].covers.list[k];
            size_t c = 0;

            while (c < s->covers.count && s->covers.list[c] != id)
                c++;
            if (c == s->covers.count)
                tl_reader_error_at(r, s->steps[i].at, s->steps[i].where,
                                   "decides %s, which \"covers\" does not list", id->id);
        }
    }
}

/* Names of steps are names of one step each. */
static void check_step_names(struct tl_reader *r)
{
    const struct tl_scenario *s = r->scenario;

    for (size_t i = 0; i < s->num_steps; i++)
        for (size_t k = 0; s->steps[i].name != NULL && k < i; k++)
            if (s->steps[k].name != NULL && strcmp(s->steps[k].name, s->steps[i].name) == 0 &&
                s->steps[k].at.line != s->steps[i].at.line)
                tl_reader_error_at(r, s->steps[i].at, s->steps[i].where,
                                   "'%s' is the name of another step, too", s->steps[i].name);
}

/* Overrides are `on` steps before all others. */
static void read_overrides(struct tl_reader *r, const char *outer, const char *inner)
{
    struct tl_path root = {0}, up = {.up = &root, .key = outer}, at = {.up = &up, .key = inner};
    json_t *list = json_object_get(json_object_get(r->document, outer), inner), *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        struct tl_path here = {.up = &at, .index = i};
        char where[100];
        struct tl_step_draft d = {
            .step = {.anchor = -1, .at = tl_source_find(r->text, r->len, &here)},
            .adopt = true};
        const char *name = json_string_value(json_object_get(item, "name"));
        const char *side = json_string_value(json_object_get(item, "side"));

        (void)tl_path_print(&here, where, sizeof where);
        d.step.where = fal_arena_strdup(&r->scenario->arena, where);
        if (name != NULL)
            d.step.name = fal_arena_strdup(&r->scenario->arena, name);
        if (side != NULL && strcmp(side, "tester") == 0)
            d.side = TL_SIDE_TESTER;
        tl_read_reaction(r, &here, item, &d);
    }
}

static void read_part(struct tl_reader *r, const char *key, enum tl_part part)
{
    struct tl_path root = {0}, at = {.up = &root, .key = key};
    json_t *steps = json_object_get(r->document, key);
    size_t n = json_array_size(steps);

    r->part = part;
    if (steps == NULL)
        return;
    if (!json_is_array(steps) || n < (size_t)tl_type_steps.min ||
        n > (size_t)tl_type_steps.max) {
        tl_reader_error(r, &at, "expected %s", tl_type_steps.expected);
        return;
    }
    tl_read_steps(r, &at, steps, false);
}

static void read_program(struct tl_reader *r, bool overrides)
{
    struct tl_scenario *s = r->scenario;

    r->part = TL_PART_PREAMBLE;
    if (overrides) {
        tl_read_steered(r);
        read_overrides(r, "auto", "override");
        read_overrides(r, "impair", "frames");
    }
    read_part(r, "preamble", TL_PART_PREAMBLE);
    s->body = r->num_steps;
    read_part(r, "steps", TL_PART_BODY);
    s->postamble = r->num_steps;
    read_part(r, "postamble", TL_PART_POSTAMBLE);
    if (r->num_errors > 0 || r->no_memory)
        return;
    s->num_steps = r->num_steps;
    s->steps = fal_arena_alloc(&s->arena, s->num_steps + 1, sizeof *s->steps);
    if (s->steps == NULL)
        r->no_memory = true;
    else
        memcpy(s->steps, r->steps, s->num_steps * sizeof *s->steps);
}

/* ---- the file ---- */

enum { MEMBERS_MAX = 32 };

/* The members of the document, in the order of the file's type. */
struct members {
    json_t *value[MEMBERS_MAX];
    bool sound[MEMBERS_MAX]; /* its shape is right */
};

static void list_members(struct tl_reader *r, struct members *out)
{
    const struct tl_type *file = &tl_type_file;
    const char *keys[MEMBERS_MAX] = {NULL}, *key = NULL;
    struct tl_path root = {0};
    json_t *value;

    *out = (struct members){{NULL}, {false}};
    for (size_t i = 0; i < file->num_members; i++)
        keys[i] = file->members[i].key;
    json_object_foreach(r->document, key, value)
    {
        size_t i = 0;

        while (i < file->num_members && !tl_same(keys[i], key))
            i++;
        if (i == file->num_members)
            tl_reader_unknown(r, &root, key, keys, file->num_members);
        else
            out->value[i] = value;
    }
}

/* Holds the members but the steps, which are held one by one, against their types. */
static void check_members(struct tl_reader *r, struct members *members)
{
    const struct tl_type *file = &tl_type_file;
    struct tl_path root = {0};

    list_members(r, members);
    for (size_t i = 0; i < file->num_members; i++) {
        const struct tl_member *m = &file->members[i];
        struct tl_path here = {.up = &root, .key = m->key};
        json_t *value = members->value[i];

        if (value == NULL && m->required)
            tl_reader_error(r, &root, "\"%s\" is missing", m->key);
        members->sound[i] = value != NULL && (m->type == &tl_type_steps ||
                                              tl_shape_check_once(r, &here, value, m->type));
    }
}

void tl_read_document(struct tl_reader *r, json_t *params)
{
    static const struct tl_key members[] = {
        {"id", read_id},
        {"title", read_title},
        {"purpose", read_purpose},
        {"class", read_class},
        {"covers", read_covers},
        {"version", read_version},
        {"needs", read_needs},
        {"exercises", read_exercises},
        {"tags", read_tags},
        {"connection", tl_read_connection},
        {"copies", read_copies},
        {"rounds", read_rounds},
        {"policy", tl_read_policy_member},
        {"auto", tl_read_auto},
        {"impair", tl_read_impair},
        {"workload", tl_read_workload},
    };
    const struct tl_type *file = &tl_type_file;
    struct tl_path root = {0};
    bool overrides = true, fragments = true;
    struct members all;
    json_t *vars = NULL;

    if (!json_is_object(r->document)) {
        tl_reader_error(r, &root, "not an object; expected {...}");
        return;
    }
    check_members(r, &all);
    for (size_t i = 0; i < file->num_members; i++) {
        const char *key = file->members[i].key;
        struct tl_path here = {.up = &root, .key = key};
        json_t *value = all.value[i];

        if (value != NULL && !all.sound[i]) {
            overrides &= strcmp(key, "auto") != 0 && strcmp(key, "impair") != 0;
            fragments &= strcmp(key, "fragments") != 0;
        }
        if (value != NULL && all.sound[i] && strcmp(key, "vars") == 0)
            vars = value;
        for (size_t k = 0; all.sound[i] && k < sizeof members / sizeof *members; k++)
            if (tl_same(members[k].key, key))
                members[k].read(r, &here, value, r->scenario);
    }
    tl_read_vars(r, vars, params);
    tl_read_connection_names(r);
    if (fragments)
        read_program(r, overrides);
    if (r->num_errors == 0 && !r->no_memory)
        tl_read_connections(r);
    if (r->num_errors == 0 && !r->no_memory) {
        check_covers(r);
        check_step_names(r);
    }
    if (r->num_errors == 0 && !r->no_memory)
        tl_names_check(r);
}

void tl_scenario_free(struct tl_scenario *scenario)
{
    if (scenario == NULL)
        return;
    fal_arena_free(&scenario->arena);
    free(scenario);
}
