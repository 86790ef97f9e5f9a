/* SPDX-License-Identifier: Apache-2.0
 * shape_schema.c - a table as JSON Schema (draft-07), for editors and for other programs that
 * read our formats. */
#include "codecs/json/shape.h"

#include <stdio.h>
#include <string.h>

#define HEX_PATTERN "^0x[0-9a-f]{16}$"

struct printer {
    json_t *definitions;
    bool failed;
};

static json_t *schema_of(struct printer *p, const struct fal_shape *shape);

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

static json_t *all_of(struct printer *p, const struct fal_shape *const *of)
{
    json_t *list = json_array();

    for (size_t i = 0; of[i] != NULL; i++)
        append(p, list, schema_of(p, of[i]));
    return list;
}

static json_t *text_schema(struct printer *p, const struct fal_shape *shape)
{
    json_t *out = json_pack("{s:s}", "type", "string");

    if (shape->min > 0)
        put(p, out, "minLength", json_integer(shape->min));
    if (shape->max > 0)
        put(p, out, "maxLength", json_integer(shape->max));
    if (shape->pattern != NULL)
        put(p, out, "pattern", json_string(shape->pattern));
    return out;
}

static json_t *number_schema(struct printer *p, const struct fal_shape *shape)
{
    json_t *out = json_pack("{s:s}", "type", "integer");

    if (shape->kind == FAL_SHAPE_UINT || shape->min != shape->max)
        put(p, out, "minimum", json_integer(shape->min));
    if (shape->max > 0)
        put(p, out, "maximum", json_integer(shape->max));
    return out;
}

static json_t *words_schema(struct printer *p, const struct fal_shape *shape)
{
    json_t *list = json_array();

    for (size_t i = 0; i < shape->num_words; i++)
        append(p, list, json_string(shape->words[i]));
    return json_pack("{s:o}", "enum", list);
}

static json_t *list_schema(struct printer *p, const struct fal_shape *shape)
{
    json_t *out = json_pack("{s:s, s:o}", "type", "array", "items", schema_of(p, shape->of[0]));

    if (shape->min > 0)
        put(p, out, "minItems", json_integer(shape->min));
    if (shape->max > 0)
        put(p, out, "maxItems", json_integer(shape->max));
    return out;
}

/* A member may be null, too. */
static json_t *or_null(struct printer *p, json_t *schema)
{
    json_t *type = json_object_get(schema, "type");

    if (json_is_string(type)) {
        put(p, schema, "type", json_pack("[O, s]", type, "null"));
        return schema;
    }
    return json_pack("{s:[o, {s:s}]}", "anyOf", schema, "type", "null");
}

static json_t *member_schema(struct printer *p, const struct fal_member *m)
{
    json_t *schema = schema_of(p, m->shape);

    if (m->shape->kind == FAL_SHAPE_UINT && m->shape->name == NULL && m->shape->max == 0 &&
        m->size > 0 && m->size < sizeof(uint64_t)) /* what C can hold */
        put(p, schema, "maximum", json_integer((json_int_t)((UINT64_C(1) << 8 * m->size) - 1)));
    if (m->shape->kind == FAL_SHAPE_NAME && m->shape->max == 0 && m->size > 0)
        put(p, schema, "maxLength", json_integer((json_int_t)m->size - 1));
    if ((m->flags & FAL_NULL) != 0)
        schema = or_null(p, schema);
    if (m->doc == NULL)
        return schema;
    if (json_object_get(schema, "$ref") !=
        NULL) /* draft-07 ignores all that stands beside it */
        schema = json_pack("{s:[o]}", "allOf", schema);
    put(p, schema, "description", json_string(m->doc));
    return schema;
}

/* Adds the members of an object. A key that is there already keeps its schema. */
static void put_members(struct printer *p, const struct fal_shape *shape, bool demanded,
                        json_t *properties, json_t *required)
{
    for (size_t i = 0; i < shape->num_members; i++) {
        const struct fal_member *m = &shape->members[i];
        bool must = demanded && (m->flags & FAL_MUST) != 0;

        if ((m->flags & FAL_FLAT) != 0) {
            put_members(p, m->shape, must, properties, required);
            continue;
        }
        if (json_object_get(properties, m->key) == NULL)
            put(p, properties, m->key, member_schema(p, m));
        if (must)
            append(p, required, json_string(m->key));
    }
}

static json_t *object_schema(struct printer *p, const struct fal_shape *shape)
{
    json_t *out = json_pack("{s:s}", "type", "object");
    json_t *required = json_array(), *properties = json_object();

    if (!shape->skips_unknown)
        put(p, out, "additionalProperties", json_false());
    put_members(p, shape, true, properties, required);
    if (json_array_size(required) > 0)
        put(p, out, "required", required);
    else
        json_decref(required);
    put(p, out, "properties", properties);
    return out;
}

static json_t *kind_schema(struct printer *p, const struct fal_shape *shape)
{
    struct fal_shape unlimited = {.kind = FAL_SHAPE_UINT};

    if (shape->schema != NULL)
        return shape->schema();
    switch (shape->kind) {
    case FAL_SHAPE_ANY: return json_object();
    case FAL_SHAPE_CONST: return json_pack("{s:s}", "const", shape->words[0]);
    case FAL_SHAPE_TEXT:
    case FAL_SHAPE_NAME: return text_schema(p, shape);
    case FAL_SHAPE_FLAG: return json_pack("{s:s}", "type", "boolean");
    case FAL_SHAPE_YES: return json_pack("{s:b}", "const", 1);
    case FAL_SHAPE_UINT:
    case FAL_SHAPE_INT: return number_schema(p, shape);
    case FAL_SHAPE_WIDE:
        return json_pack("{s:[o, {s:s, s:s}]}", "anyOf", number_schema(p, &unlimited), "type",
                         "string", "pattern", "^(0x[0-9a-f]{16}|never)$");
    case FAL_SHAPE_HEX:
        return json_pack("{s:s, s:s}", "type", "string", "pattern", HEX_PATTERN);
    case FAL_SHAPE_REAL: return json_pack("{s:s}", "type", "number");
    case FAL_SHAPE_WORD: return words_schema(p, shape);
    case FAL_SHAPE_OBJECT: return object_schema(p, shape);
    case FAL_SHAPE_LIST: return list_schema(p, shape);
    case FAL_SHAPE_MAP:
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
                         schema_of(p, shape->of[0]));
    case FAL_SHAPE_ANY_OF: return json_pack("{s:o}", "anyOf", all_of(p, shape->of));
    }
    return NULL;
}

static json_t *plain_schema(struct printer *p, const struct fal_shape *shape)
{
    json_t *out = kind_schema(p, shape), *more;

    if (shape->more != NULL) {
        more = json_loads(shape->more, 0, NULL);
        if (more == NULL || json_object_update(out, more) != 0)
            p->failed = true;
        json_decref(more);
    }
    if (shape->doc != NULL)
        put(p, out, "description", json_string(shape->doc));
    return out;
}

/* A shape with a name is defined once; it may contain itself. */
static json_t *schema_of(struct printer *p, const struct fal_shape *shape)
{
    char ref[80];

    if (shape->name == NULL)
        return plain_schema(p, shape);
    if (json_object_get(p->definitions, shape->name) == NULL) {
        put(p, p->definitions, shape->name, json_object());
        put(p, p->definitions, shape->name, plain_schema(p, shape));
    }
    (void)snprintf(ref, sizeof ref, "#/definitions/%s", shape->name);
    return json_pack("{s:s}", "$ref", ref);
}

/* "talon/NAME/1" as "urn:talon:NAME:1". An "$id" that is relative is joined with itself by
 * readers that take it as the base of what is below it; then no "$ref" is found. */
static json_t *urn(const char *id)
{
    char text[80];

    (void)snprintf(text, sizeof text, "urn:%s", id);
    for (char *c = text; *c != 0; c++)
        if (*c == '/')
            *c = ':';
    return json_string(text);
}

json_t *fal_shape_schema(const struct fal_shape *shape, const char *id, const char *title)
{
    struct printer p = {.definitions = json_object()};
    json_t *head =
        json_pack("{s:s, s:o, s:s}", "$schema", "http://json-schema.org/draft-07/schema#",
                  "$id", urn(id), "title", title);
    json_t *body = plain_schema(&p, shape);

    if (head == NULL || body == NULL || p.definitions == NULL ||
        json_object_update(head, body) != 0)
        p.failed = true;
    if (!p.failed && json_object_size(p.definitions) > 0)
        p.failed = json_object_set(head, "definitions", p.definitions) != 0;
    json_decref(p.definitions);
    json_decref(body);
    if (!p.failed)
        return head;
    json_decref(head);
    return NULL;
}
