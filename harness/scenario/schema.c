/* SPDX-License-Identifier: Apache-2.0
 * schema.c - the table of scenario files, printed: as the JSON Schema that editors
 * use, and as the reference of docs/scenarios.md. */
#include "harness/scenario/types.h"

#include "harness/scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the schema ---- */

struct printer {
    json_t *definitions;
    bool failed;
};

static json_t *schema_of(struct printer *p, const struct tl_type *type);

static void put(struct printer *p, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        p->failed = true;
}

static void append(struct printer *p, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        p->failed = true;
}

static json_t *text_schema(void)
{
    return json_pack("{s:s, s:i}", "type", "string", "minLength", 1);
}

static json_t *number_schema(json_int_t max)
{
    json_t *out = json_pack("{s:s, s:i}", "type", "integer", "minimum", 0);

    if (out != NULL && max > 0)
        (void)json_object_set_new(out, "maximum", json_integer(max));
    return out;
}

/* "${op}" in its place. */
static json_t *or_placeholder(json_t *schema)
{
    return json_pack("{s:[o,{s:s, s:s}]}", "anyOf", schema, "type", "string", "pattern",
                     TL_PLACEHOLDER_PATTERN);
}

/* A number or a string, with a flag too or not. */
static json_t *number_or_text(bool flags, json_int_t max)
{
    json_t *out = json_pack("{s:[o,o]}", "anyOf", number_schema(max), text_schema());

    if (out != NULL && flags)
        (void)json_array_append_new(json_object_get(out, "anyOf"),
                                    json_pack("{s:s}", "type", "boolean"));
    return out;
}

static json_t *object_schema(struct printer *p, const struct tl_type *type)
{
    json_t *out = json_pack("{s:s, s:b}", "type", "object", "additionalProperties", 0);
    json_t *required = json_array(), *properties = json_object();

    for (size_t i = 0; i < type->num_members; i++) {
        const struct tl_member *m = &type->members[i];
        const char *doc = m->doc != NULL ? m->doc : m->type->doc;
        json_t *schema = schema_of(p, m->type);

        if (json_object_get(schema, "$ref") != NULL && doc != NULL)
            schema = json_pack("{s:[o]}", "allOf", schema); /* beside a $ref nothing counts */
        if (doc != NULL)
            put(p, schema, "description", json_string(doc));
        put(p, properties, m->key, schema);
        if (m->required)
            append(p, required, json_string(m->key));
    }
    if (json_array_size(required) > 0)
        put(p, out, "required", required);
    else
        json_decref(required);
    put(p, out, "properties", properties);
    return out;
}

static json_t *params_schema(struct printer *p)
{
    json_t *out = json_pack("{s:s, s:b}", "type", "object", "additionalProperties", 0);
    json_t *properties = json_object();
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++) {
        json_t *schema = NULL;

        switch (table[i].kind) {
        case FAL_PARAM_SWITCH:
            schema = or_placeholder(json_pack("{s:s}", "type", "boolean"));
            break;
        case FAL_PARAM_NUMBER: schema = number_or_text(false, UINT32_MAX); break;
        case FAL_PARAM_DURATION: schema = text_schema(); break;
        }
        put(p, schema, "description", json_string(table[i].doc));
        put(p, properties, table[i].name, schema);
    }
    put(p, out, "properties", properties);
    return out;
}

/* Any fields, except the words that distinguish other objects in the same place. */
static json_t *fields_schema(void)
{
    static const char *const others[] = {"any_of", "event",  "what", "count",
                                         "share",  "events", "state"};
    json_t *out = json_pack("{s:s, s:[s], s:{s:{s:s}}, s:{s:[s,s,s]}, s:{s:[]}}", "type",
                            "object", "required", "packet_type", "properties", "packet_type",
                            "type", "string", "additionalProperties", "type", "integer",
                            "boolean", "string", "not", "anyOf");
    json_t *list = json_object_get(json_object_get(out, "not"), "anyOf");

    for (size_t i = 0; list != NULL && i < sizeof others / sizeof *others; i++)
        (void)json_array_append_new(list, json_pack("{s:[s]}", "required", others[i]));
    return out;
}

static json_t *plain_schema(struct printer *p, const struct tl_type *type)
{
    json_t *out = NULL, *list;

    switch (type->shape) {
    case TL_SHAPE_TEXT:
    case TL_SHAPE_DURATION:
        out = text_schema();
        if (type->pattern != NULL)
            put(p, out, "pattern", json_string(type->pattern));
        break;
    case TL_SHAPE_FLAG: out = or_placeholder(json_pack("{s:s}", "type", "boolean")); break;
    case TL_SHAPE_INTEGER:
        out = json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", (json_int_t)type->min,
                        "maximum", (json_int_t)type->max);
        break;
    case TL_SHAPE_NUMBER: out = number_or_text(false, 0); break;
    case TL_SHAPE_VALUE: out = number_or_text(true, 0); break;
    case TL_SHAPE_DECIMAL: out = json_pack("{s:[s,s]}", "type", "number", "string"); break;
    case TL_SHAPE_WORD:
        list = json_array();
        for (size_t i = 0; type->words[i] != NULL; i++)
            append(p, list, json_string(type->words[i]));
        out = json_array_size(list) > 1 ? or_placeholder(json_pack("{s:o}", "enum", list))
                                        : json_pack("{s:o}", "enum", list);
        break;
    case TL_SHAPE_OBJECT: out = object_schema(p, type); break;
    case TL_SHAPE_LIST:
        out = json_pack("{s:s, s:o}", "type", "array", "items", schema_of(p, type->of[0]));
        if (type->min > 0)
            put(p, out, "minItems", json_integer(type->min));
        if (type->max > 0)
            put(p, out, "maxItems", json_integer(type->max));
        break;
    case TL_SHAPE_MAP:
        out = json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                        schema_of(p, type->of[0]));
        break;
    case TL_SHAPE_PARAMS: out = params_schema(p); break;
    case TL_SHAPE_FIELDS: out = fields_schema(); break;
    case TL_SHAPE_ANY_OF:
        list = json_array();
        for (size_t i = 0; type->of[i] != NULL; i++)
            append(p, list, schema_of(p, type->of[i]));
        out = json_pack("{s:o}", "anyOf", list);
        break;
    }
    if (out == NULL)
        p->failed = true;
    else if (type->doc != NULL)
        put(p, out, "description", json_string(type->doc));
    return out;
}

/* A type with a name is defined once; it may be made of itself. */
static json_t *schema_of(struct printer *p, const struct tl_type *type)
{
    char ref[80];

    if (type->name == NULL)
        return plain_schema(p, type);
    if (json_object_get(p->definitions, type->name) == NULL) {
        put(p, p->definitions, type->name, json_object());
        put(p, p->definitions, type->name, plain_schema(p, type));
    }
    (void)snprintf(ref, sizeof ref, "#/definitions/%s", type->name);
    return json_pack("{s:s}", "$ref", ref);
}

json_t *tl_scenario_schema(void)
{
    struct printer p = {.definitions = json_object()};
    json_t *head = json_pack(
        "{s:s, s:s, s:s, s:s}", "$schema", "http://json-schema.org/draft-07/schema#", "$id",
        "urn:talon:scenario:1", "title", "A Talon scenario, version 1", "description",
        "One case, or several, against an implementation of Falcon; docs/scenarios.md "
        "is the tutorial. What is not structure (the grammar of lines and expressions, "
        "names that are bound, ids of the catalogue) talon run --check-only checks.");
    json_t *file = plain_schema(&p, &tl_type_file);

    if (head != NULL && file != NULL)
        (void)json_object_del(file, "description");
    p.failed |= json_object_update(head, file) != 0 ||
                json_object_set_new(head, "definitions", p.definitions) != 0;
    json_decref(file);
    if (!p.failed)
        return head;
    json_decref(head);
    return NULL;
}

/* ---- the reference ---- */

static void print_type(FILE *out, const struct tl_type *type)
{
    const char *sep = "";

    switch (type->shape) {
    case TL_SHAPE_TEXT: fputs("text", out); break;
    case TL_SHAPE_FLAG: fputs("true or false", out); break;
    case TL_SHAPE_INTEGER:
    case TL_SHAPE_NUMBER: fputs("number", out); break;
    case TL_SHAPE_VALUE: fputs("value", out); break;
    case TL_SHAPE_DECIMAL: fputs("decimal", out); break;
    case TL_SHAPE_DURATION: fputs("duration", out); break;
    case TL_SHAPE_WORD:
        for (size_t i = 0; type->words[i] != NULL; i++, sep = ", ")
            fprintf(out, "%s`%s`", sep, type->words[i]);
        break;
    case TL_SHAPE_LIST: fputs("list", out); break;
    case TL_SHAPE_MAP:
    case TL_SHAPE_PARAMS: fputs("names and values", out); break;
    case TL_SHAPE_OBJECT:
    case TL_SHAPE_FIELDS: fputs("object", out); break;
    case TL_SHAPE_ANY_OF: fputs(type->name != NULL ? type->name : "see example", out); break;
    }
}

static void print_rows(FILE *out, const struct tl_type *type, const char *skip)
{
    fputs("\n| member | type | | example |\n|---|---|---|---|\n", out);
    for (size_t i = 0; i < type->num_members; i++) {
        const struct tl_member *m = &type->members[i];
        const char *doc = m->doc != NULL ? m->doc : m->type->doc;

        if (skip != NULL &&
            (strcmp(m->key, "covers") == 0 || strcmp(m->key, "note") == 0 ||
             strcmp(m->key, "name") == 0) &&
            strcmp(m->key, skip) != 0)
            continue;
        fprintf(out, "| %s`%s`%s | ", m->required ? "**" : "", m->key, m->required ? "**" : "");
        print_type(out, m->type);
        fprintf(out, " | %s | %s%s%s |\n", doc != NULL ? doc : "",
                m->example != NULL ? "`" : "", m->example != NULL ? m->example : "",
                m->example != NULL ? "`" : "");
    }
}

/* Objects below, each once, in the order in which they are met. */
static void print_below(FILE *out, const struct tl_type *type, const struct tl_type **seen,
                        size_t *n, size_t most)
{
    if (type == &tl_type_step || type == &tl_type_steps)
        return;
    for (size_t i = 0; i < *n; i++)
        if (seen[i] == type)
            return;
    if (*n < most)
        seen[(*n)++] = type;
    if (type->shape == TL_SHAPE_OBJECT && type->name != NULL) {
        fprintf(out, "\n**%s**: %s\n", type->name, type->doc);
        print_rows(out, type, NULL);
    }
    for (size_t i = 0; i < type->num_members; i++)
        print_below(out, type->members[i].type, seen, n, most);
    for (size_t i = 0; type->of != NULL && type->of[i] != NULL; i++)
        print_below(out, type->of[i], seen, n, most);
}

char *tl_scenario_reference(void)
{
    const struct tl_type *seen[200];
    size_t n = 0, len;
    char *text = NULL;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL)
        return NULL;
    fputs("### The file\n\nMembers in bold must be there; any other is an error.\n", out);
    print_rows(out, &tl_type_file, NULL);
    print_below(out, &tl_type_file, seen, &n, sizeof seen / sizeof *seen);
    fputs(
        "\n### The steps\n\nEvery step may have `covers` (an id of a requirement, or a list), `name` and `note`.\n",
        out);
    for (size_t i = 1; tl_type_step.of[i] != NULL; i++) {
        const struct tl_type *step = tl_type_step.of[i];

        fprintf(out, "\n#### `%s`\n\n%s\n", step->select, step->doc);
        print_rows(out, step, step->select);
    }
    fputs("\n### Objects in steps\n", out);
    for (size_t i = 1; tl_type_step.of[i] != NULL; i++)
        for (size_t k = 0; k < tl_type_step.of[i]->num_members; k++)
            print_below(out, tl_type_step.of[i]->members[k].type, seen, &n,
                        sizeof seen / sizeof *seen);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
