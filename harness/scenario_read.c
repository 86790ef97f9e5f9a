/* SPDX-License-Identifier: Apache-2.0
 * scenario_read.c - a scenario file: its members, in the order in which people write them. */
#include "harness/scenario_reader.h"
#include "harness/scenario_types.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_MAX = 80, PARAMS_MAX = 16, CASES_MAX = 10000 };

static const char *const class_names[] = {"valid", "invalid", "inopportune"};
static const char *const verb_names[] = {
    "send", "expect", "expect_none", "expect_none", "ulp",         "expect_ulp", "wait",
    "note", "let",    "expect",      "await",       "until_quiet", "any_order",  "alt",
    "on",   "off",    "release",     "if",          "if",          "repeat",     "repeat"};

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

static void read_auto(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    struct tl_scenario *s = ctx;
    const struct {
        const char *key;
        bool *out;
    } parts[] = {{"acks", &s->auto_acks},
                 {"retransmission", &s->auto_retransmission},
                 {"ulp", &s->auto_ulp}};

    (void)r;
    (void)at;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (json_object_get(value, parts[i].key) != NULL)
            *parts[i].out = json_is_true(json_object_get(value, parts[i].key));
}

/* ---- variables ---- */

struct order {
    struct tl_reader *reader;
    const struct tl_path *at;
    const struct tl_exprs *exprs;
    struct tl_assignment *list; /* as they are written */
    struct tl_assignment *out;  /* each behind what it is made of */
    size_t count, placed;
    unsigned char *state; /* 0: not looked at, 1: being placed, 2: placed */
    size_t chain[256], depth;
};

static void place(struct order *o, size_t i);

static void place_name(struct order *o, const char *name)
{
    for (size_t k = 0; k < o->count; k++)
        if (strcmp(o->list[k].name, name) == 0)
            place(o, k);
}

static void say_cycle(struct order *o, size_t i)
{
    struct tl_path here = {.up = o->at, .key = o->list[i].name};
    char chain[400] = "";
    size_t len = 0, k = 0;

    while (o->chain[k] != i)
        k++;
    for (; k < o->depth && len + 1 < sizeof chain; k++)
        len += (size_t)snprintf(chain + len, sizeof chain - len, "$%s is made of ",
                                o->list[o->chain[k]].name);
    tl_reader_error(o->reader, &here, "a cycle of variables: %s$%s", chain, o->list[i].name);
}

static void place(struct order *o, size_t i)
{
    const struct tl_value *value = &o->list[i].value;
    const struct tl_expr *expr =
        value->kind == TL_VALUE_EXPR ? tl_exprs_find(o->exprs, value->expr.var) : NULL;

    if (o->state[i] == 2)
        return;
    if (o->state[i] == 1) {
        say_cycle(o, i);
        return;
    }
    if (o->depth == sizeof o->chain / sizeof *o->chain)
        return; /* more variables than there may be: told elsewhere */
    o->state[i] = 1;
    o->chain[o->depth++] = i;
    if (expr == NULL && value->kind == TL_VALUE_EXPR)
        place_name(o, value->expr.var);
    for (size_t k = 0; expr != NULL && k < expr->count; k++)
        if (expr->ops[k].op == 'v')
            place_name(o, expr->ops[k].name);
    o->depth--;
    o->state[i] = 2;
    o->out[o->placed++] = o->list[i];
}

/* Variables may be made of each other, in any order. */
static void order_vars(struct tl_reader *r, const struct tl_path *at)
{
    struct tl_scenario *s = r->scenario;
    struct order o = {.reader = r,
                      .at = at,
                      .exprs = &s->exprs,
                      .list = s->vars,
                      .count = s->num_vars,
                      .out = tl_arena_alloc(&s->arena, s->num_vars + 1, sizeof *s->vars),
                      .state = tl_arena_alloc(&s->arena, s->num_vars + 1, 1)};

    if (o.out == NULL || o.state == NULL) {
        r->no_memory = true;
        return;
    }
    for (size_t i = 0; i < o.count; i++)
        place(&o, i);
    s->vars = o.out;
    s->num_vars = o.placed;
}

/* Those of the file, and the parameters of the case that are values. */
static void read_vars(struct tl_reader *r, json_t *vars, json_t *params)
{
    struct tl_scenario *s = r->scenario;
    struct tl_path root = {0}, at = {.up = &root, .key = "vars"};
    json_t *all = json_object(), *item;
    const char *key;

    json_object_foreach(params, key, item)
    {
        struct tl_value probe;

        if (json_object_get(vars, key) != NULL)
            tl_reader_error(r, &at, "$%s is a parameter of the cases, too", key);
        if (!json_is_string(item) ||
            (tl_value_parse(json_string_value(item), NULL, &s->arena, &s->exprs, &probe,
                            NULL) == 0 &&
             !probe.negated && (probe.kind == TL_VALUE_NUMBER || probe.kind == TL_VALUE_EXPR)))
            r->no_memory |= json_object_set(all, key, item) != 0;
    }
    r->no_memory |= vars != NULL && json_object_update(all, vars) != 0;
    tl_read_assignments(r, &at, all, &s->vars, &s->num_vars);
    json_decref(all);
    order_vars(r, &at);
}

/* ---- steps ---- */

/* What a step decides, the scenario must own to. */
static void check_covers(struct tl_reader *r)
{
    const struct tl_scenario *s = r->scenario;

    for (size_t i = 0; i < s->num_steps; i++) {
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
        d.step.where = tl_arena_strdup(&r->scenario->arena, where);
        if (name != NULL)
            d.step.name = tl_arena_strdup(&r->scenario->arena, name);
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
    s->steps = tl_arena_alloc(&s->arena, s->num_steps + 1, sizeof *s->steps);
    if (s->steps == NULL)
        r->no_memory = true;
    else
        memcpy(s->steps, r->steps, s->num_steps * sizeof *s->steps);
}

/* ---- the file ---- */

/* Holds the members but the steps, which are held one by one, against their types. A bit of
 * *sound for each that is right. */
static void check_members(struct tl_reader *r, bool *sound)
{
    const struct tl_type *file = &tl_type_file;
    struct tl_path root = {0};
    const char *keys[32], *key;
    json_t *value;

    for (size_t i = 0; i < file->num_members; i++) {
        const struct tl_member *m = &file->members[i];
        struct tl_path here = {.up = &root, .key = m->key};

        keys[i] = m->key;
        value = json_object_get(r->document, m->key);
        if (value == NULL && m->required)
            tl_reader_error(r, &root, "\"%s\" is missing", m->key);
        sound[i] = value != NULL &&
                   (m->type == &tl_type_steps || tl_check_shape(r, &here, value, m->type));
    }
    json_object_foreach(r->document, key, value)
    {
        size_t i = 0;

        while (i < file->num_members && strcmp(keys[i], key) != 0)
            i++;
        if (i == file->num_members)
            tl_reader_unknown(r, &root, key, keys, file->num_members);
    }
}

static void read_document(struct tl_reader *r, json_t *params)
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
        {"policy", read_policy},
        {"auto", read_auto},
        {"impair", tl_read_impair},
        {"workload", tl_read_workload},
    };
    const struct tl_type *file = &tl_type_file;
    struct tl_path root = {0};
    bool sound[32] = {false}, overrides = true, fragments = true;
    json_t *vars = NULL;

    if (!json_is_object(r->document)) {
        tl_reader_error(r, &root, "not an object; expected {...}");
        return;
    }
    check_members(r, sound);
    for (size_t i = 0; i < file->num_members; i++) {
        const char *key = file->members[i].key;
        struct tl_path here = {.up = &root, .key = key};
        json_t *value = json_object_get(r->document, key);

        if (value != NULL && !sound[i]) {
            overrides &= strcmp(key, "auto") != 0 && strcmp(key, "impair") != 0;
            fragments &= strcmp(key, "fragments") != 0;
        }
        if (value != NULL && sound[i] && strcmp(key, "vars") == 0)
            vars = value;
        for (size_t k = 0; sound[i] && k < sizeof members / sizeof *members; k++)
            if (strcmp(members[k].key, key) == 0)
                members[k].read(r, &here, value, r->scenario);
    }
    read_vars(r, vars, params);
    if (fragments)
        read_program(r, overrides);
    if (r->num_errors == 0 && !r->no_memory) {
        check_covers(r);
        check_step_names(r);
    }
    if (r->num_errors == 0 && !r->no_memory)
        tl_check_names(r);
}

/* ---- cases ---- */

/* "id@len=64,op=push" */
static char *case_id(struct tl_arena *arena, const char *id, json_t *params)
{
    char out[ID_MAX + 160], text[60];
    size_t len = (size_t)snprintf(out, sizeof out, "%s", id);
    const char *key;
    json_t *value;
    char sep = '@';

    json_object_foreach(params, key, value)
    {
        json_t *said = tl_expansion(value);
        size_t n = 0;

        for (const char *c = json_string_value(said);
             c != NULL && *c != 0 && n + 1 < sizeof text; c++)
            text[n++] = (char)(islower((unsigned char)*c) || isdigit((unsigned char)*c) ||
                                       strchr("_.", *c) != NULL
                                   ? *c
                               : isupper((unsigned char)*c) ? tolower((unsigned char)*c)
                                                            : '-');
        text[n] = 0;
        json_decref(said);
        if (len < sizeof out)
            len += (size_t)snprintf(out + len, sizeof out - len, "%c%.20s=%s", sep, key, text);
        sep = ',';
    }
    return tl_arena_strdup(arena, out);
}

/* One case: the document with its parameters put in. NULL after errors. */
static struct tl_scenario *read_case(struct tl_reader *r, json_t *document, json_t *params)
{
    struct tl_scenario *s = calloc(1, sizeof *s);
    json_t *texts = json_object(), *value;
    const char *key;

    r->scenario = s;
    r->num_steps = 0;
    if (s == NULL || texts == NULL)
        goto no_memory;
    s->auto_acks = s->auto_retransmission = s->auto_ulp = true;
    s->path = tl_arena_strdup(&s->arena, r->path);
    json_object_foreach(params, key,
                        value) if (json_object_set_new(texts, key, tl_expansion(value)) !=
                                   0) goto no_memory;
    r->document =
        json_object_size(texts) > 0 ? tl_expand(document, texts) : json_incref(document);
    if (s->path == NULL || r->document == NULL)
        goto no_memory;
    read_document(r, params);
    if (r->num_errors == 0 && !r->no_memory && json_object_size(params) > 0) {
        s->id = case_id(&s->arena, s->id, params);
        r->no_memory |= s->id == NULL;
    }
    json_decref(r->document);
    r->document = NULL;
    json_decref(texts);
    if (r->num_errors == 0 && !r->no_memory)
        return s;
    tl_scenario_free(s);
    return NULL;
no_memory:
    r->no_memory = true;
    json_decref(texts);
    tl_scenario_free(s);
    return NULL;
}

/* The case of that number, of all combinations; the last parameter changes fastest. */
static json_t *combination(json_t *params, size_t number)
{
    json_t *out = json_object();
    size_t rest = number, n = json_object_size(params), i = 0;
    const char *keys[PARAMS_MAX];
    json_t *lists[PARAMS_MAX], *list;
    const char *key;
    size_t at[PARAMS_MAX];

    json_object_foreach(params, key, list)
    {
        keys[i] = key;
        lists[i++] = list;
    }
    for (i = n; i-- > 0;) {
        at[i] = rest % json_array_size(lists[i]);
        rest /= json_array_size(lists[i]);
    }
    for (i = 0; i < n && out != NULL; i++)
        if (json_object_set(out, keys[i], json_array_get(lists[i], at[i])) != 0) {
            json_decref(out);
            out = NULL;
        }
    return out;
}

/* How many combinations there are; 0 after an error. */
static size_t count_cases(struct tl_reader *r, json_t *document)
{
    struct tl_path root = {0}, at = {.up = &root, .key = "params"};
    json_t *params = json_object_get(document, "params"), *list;
    const char *key;
    size_t n = 1;

    if (params == NULL)
        return 1;
    for (size_t i = 0; i < tl_type_file.num_members; i++)
        if (strcmp(tl_type_file.members[i].key, "params") == 0 &&
            !tl_check_shape(r, &at, params, tl_type_file.members[i].type))
            return 0;
    if (json_object_size(params) > PARAMS_MAX) {
        tl_reader_error(r, &at, "more than %d parameters", PARAMS_MAX);
        return 0;
    }
    json_object_foreach(params, key, list)
    {
        n *= json_array_size(list);
        if (n > CASES_MAX) {
            tl_reader_error(r, &at, "more than %d cases", CASES_MAX);
            return 0;
        }
    }
    return n;
}

static void free_chain(struct tl_scenario *s)
{
    while (s != NULL) {
        struct tl_scenario *next = s->next;

        tl_scenario_free(s);
        s = next;
    }
}

/* Two combinations must not have one name. */
static void check_ids(struct tl_reader *r, const struct tl_scenario *s)
{
    struct tl_path root = {0}, at = {.up = &root, .key = "params"};
    size_t checked = 0;

    for (; s != NULL && checked < 200; s = s->next, checked++)
        for (const struct tl_scenario *t = s->next; t != NULL; t = t->next)
            if (strcmp(s->id, t->id) == 0) {
                tl_reader_error(r, &at, "two cases have the name %s", s->id);
                return;
            }
}

struct tl_scenario *tl_scenario_read(const char *path, const char *text, size_t len,
                                     char **errors)
{
    struct tl_reader r = {.path = path, .text = text, .len = len};
    struct tl_scenario *first = NULL, **last = &first;
    json_error_t error;
    json_t *document = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error), *params;
    size_t n;

    *errors = NULL;
    if (document == NULL) {
        tl_reader_syntax(&r, &error);
        goto done;
    }
    n = count_cases(&r, document);
    for (size_t i = 0; i < n && r.num_errors == 0 && !r.no_memory; i++) {
        params = json_object_get(document, "params");
        params = params != NULL ? combination(params, i) : json_object();
        *last = params != NULL ? read_case(&r, document, params) : NULL;
        r.no_memory |= params == NULL;
        json_decref(params);
        if (*last != NULL)
            last = &(*last)->next;
    }
    if (first != NULL && first->next != NULL)
        check_ids(&r, first);
    json_decref(document);
done:
    free(r.steps);
    if (r.num_errors > 0 || r.no_memory) {
        free_chain(first);
        first = NULL;
    }
    *errors = tl_reader_errors(&r);
    return first;
}

void tl_scenario_free(struct tl_scenario *scenario)
{
    if (scenario == NULL)
        return;
    tl_arena_free(&scenario->arena);
    free(scenario);
}
