/* SPDX-License-Identifier: Apache-2.0
 * scenario_read.c - a scenario file: its members, in the order in which people write them. */
#include "harness/scenario_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ID_MAX = 80 };

static const char *const class_names[] = {"valid", "invalid", "inopportune"};
static const char *const verb_names[] = {
    "send", "expect", "expect_none", "expect_none", "ulp", "expect_ulp", "wait", "note", "let"};

const char *tl_class_name(enum tl_class kind)
{
    return class_names[kind];
}

const char *tl_verb_name(enum tl_verb verb)
{
    return verb_names[verb];
}

static void read_schema(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    const char *text = json_string_value(value);

    (void)ctx;
    if (text == NULL || strcmp(text, TL_SCENARIO_SCHEMA) != 0)
        tl_reader_error(r, at, "expected \"" TL_SCENARIO_SCHEMA "\"");
}

/* The id names the case in reports and its directory of evidence. */
static void read_id(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;
    size_t i = 0;

    s->id = tl_read_string(r, at, value);
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

static const struct fal_rule *find_rule(const char *id)
{
    size_t n;
    const struct fal_rule *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(rules[i].id, id) == 0)
            return &rules[i];
    return NULL;
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
    s->exercises = tl_arena_alloc(&s->arena, json_array_size(value), sizeof(void *));
    if (s->exercises == NULL) {
        r->no_memory = true;
        return;
    }
    json_array_foreach(value, i, item)
    {
        struct tl_path here = {.up = at, .index = i};
        const char *id = json_string_value(item);

        if (id == NULL || find_rule(id) == NULL)
            tl_reader_error(r, &here, "expected the id of a rule; see talon list rules");
        else
            s->exercises[s->num_exercises++] = find_rule(id);
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
    s->needs = tl_arena_alloc(&s->arena, json_array_size(value), sizeof *s->needs);
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
    s->tags = tl_arena_alloc(&s->arena, json_array_size(value), sizeof(void *));
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

static void read_policy(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    tl_read_policy(r, at, value, &((struct tl_scenario *)ctx)->policy);
}

static void read_acks(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    (void)tl_read_bool(r, at, value, &((struct tl_scenario *)ctx)->auto_acks);
}

static void read_retransmission(struct tl_reader *r, const struct tl_path *at, json_t *value,
                                void *ctx)
{
    (void)tl_read_bool(r, at, value, &((struct tl_scenario *)ctx)->auto_retransmission);
}

static void read_auto_ulp(struct tl_reader *r, const struct tl_path *at, json_t *value,
                          void *ctx)
{
    (void)tl_read_bool(r, at, value, &((struct tl_scenario *)ctx)->auto_ulp);
}

static void read_auto(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    static const struct tl_key members[] = {
        {"acks", read_acks, false},
        {"retransmission", read_retransmission, false},
        {"ulp", read_auto_ulp, false},
    };

    tl_read_object(r, at, value, members, sizeof members / sizeof *members, ctx);
}

static void read_vars(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;

    tl_read_assignments(r, at, value, &s->vars, &s->num_vars);
}

/* What a step decides, the scenario must own to. */
static void check_covers(struct tl_reader *r, const struct tl_path *root)
{
    const struct tl_scenario *s = r->scenario;
    struct tl_path steps = {.up = root, .key = "steps"};

    for (size_t i = 0; i < s->num_steps; i++) {
        struct tl_path here = {.up = &steps, .index = i};

        for (size_t k = 0; k < s->steps[i].covers.count; k++) {
            const struct fal_requirement *id = s->steps[i].covers.list[k];
            size_t c = 0;

            while (c < s->covers.count && s->covers.list[c] != id)
                c++;
            if (c == s->covers.count)
                tl_reader_error(r, &here, "decides %s, which \"covers\" does not list", id->id);
        }
    }
}

static void read_document(struct tl_reader *r, json_t *document)
{
    static const struct tl_key members[] = {
        {"$schema", NULL, false},        {"schema", read_schema, true},
        {"id", read_id, true},           {"title", read_title, true},
        {"purpose", read_purpose, true}, {"class", read_class, true},
        {"covers", read_covers, true},   {"version", read_version, true},
        {"needs", read_needs, false},    {"exercises", read_exercises, false},
        {"tags", read_tags, false},      {"connection", tl_read_connection, false},
        {"policy", read_policy, false},  {"auto", read_auto, false},
        {"vars", read_vars, false},      {"steps", tl_read_steps, true},
    };
    struct tl_path root = {0};

    tl_read_object(r, &root, document, members, sizeof members / sizeof *members, r->scenario);
    if (r->num_errors == 0 && !r->no_memory)
        check_covers(r, &root);
    if (r->num_errors == 0 && !r->no_memory)
        tl_check_names(r);
}

struct tl_scenario *tl_scenario_read(const char *path, const char *text, size_t len,
                                     char **errors)
{
    struct tl_reader r = {.path = path, .text = text, .len = len};
    struct tl_scenario *s = calloc(1, sizeof *s);
    json_t *document;
    json_error_t error;

    *errors = NULL;
    if (s == NULL)
        return NULL;
    r.scenario = s;
    s->auto_acks = s->auto_retransmission = s->auto_ulp = true;
    s->path = tl_arena_strdup(&s->arena, path);
    if (s->path == NULL)
        goto fail;
    document = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL) {
        tl_reader_syntax(&r, &error);
        goto fail;
    }
    read_document(&r, document);
    json_decref(document);
    if (r.num_errors > 0 || r.no_memory)
        goto fail;
    free(r.errors);
    return s;
fail:
    tl_scenario_free(s);
    if (r.no_memory) {
        free(r.errors);
        r.errors = NULL;
    }
    *errors = r.errors;
    return NULL;
}

void tl_scenario_free(struct tl_scenario *scenario)
{
    if (scenario == NULL)
        return;
    tl_arena_free(&scenario->arena);
    free(scenario);
}
