/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/json_schema.h"

#include "harness/scenario/types.h"

#include <ctype.h>
#include <regex.h>
#include <string.h>

struct look {
    json_t *root;
    bool patterns;
};

static bool takes(const struct look *l, json_t *schema, json_t *value);

static bool is_type(json_t *value, const char *type)
{
    return strcmp(type, "object") == 0    ? json_is_object(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
           : strcmp(type, "string") == 0  ? json_is_string(value)
           : strcmp(type, "integer") == 0 ? json_is_integer(value)
           : strcmp(type, "number") == 0  ? json_is_number(value)
           : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
           : strcmp(type, "null") == 0    ? json_is_null(value)
                                          : false;
}

static bool takes_type(json_t *type, json_t *value)
{
    size_t i;
    json_t *item;

    if (json_is_string(type))
        return is_type(value, json_string_value(type));
    json_array_foreach(type, i, item) if (is_type(value, json_string_value(item))) return true;
    return type == NULL;
}

static bool takes_object(const struct look *l, json_t *schema, json_t *value)
{
    json_t *required = json_object_get(schema, "required"), *item;
    json_t *properties = json_object_get(schema, "properties");
    json_t *others = json_object_get(schema, "additionalProperties");
    const char *key;
    size_t i;

    if (!json_is_object(value))
        return true;
    json_array_foreach(required, i, item) if (json_object_get(value, json_string_value(item)) ==
                                              NULL) return false;
    json_object_foreach(value, key, item)
    {
        json_t *own = json_object_get(properties, key);

        if (own != NULL
                ? !takes(l, own, item)
                : json_is_false(others) || (json_is_object(others) && !takes(l, others, item)))
            return false;
    }
    return true;
}

static bool takes_array(const struct look *l, json_t *schema, json_t *value)
{
    json_t *items = json_object_get(schema, "items"), *item;
    json_t *least = json_object_get(schema, "minItems");
    json_t *most = json_object_get(schema, "maxItems");
    size_t i;

    if (!json_is_array(value))
        return true;
    if ((least != NULL && json_array_size(value) < (size_t)json_integer_value(least)) ||
        (most != NULL && json_array_size(value) > (size_t)json_integer_value(most)))
        return false;
    json_array_foreach(value, i,
                       item) if (items != NULL && !takes(l, items, item)) return false;
    return true;
}

static bool matches(const struct look *l, const char *pattern, const char *text)
{
    const char *dollar = strstr(text, "${");
    regex_t regex;
    bool found;

    if (strcmp(pattern, TL_PLACEHOLDER_PATTERN) == 0)
        return dollar != NULL && isalpha((unsigned char)dollar[2]);
    if (!l->patterns)
        return true;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static bool takes_plain(const struct look *l, json_t *schema, json_t *value)
{
    json_t *words = json_object_get(schema, "enum"), *item;
    json_t *constant = json_object_get(schema, "const");
    json_t *least = json_object_get(schema, "minimum");
    json_t *most = json_object_get(schema, "maximum");
    json_t *shortest = json_object_get(schema, "minLength");
    json_t *longest = json_object_get(schema, "maxLength");
    const char *pattern = json_string_value(json_object_get(schema, "pattern"));
    bool found = words == NULL;
    size_t i;

    json_array_foreach(words, i, item) found |= json_equal(item, value);
    if (!found || (constant != NULL && !json_equal(constant, value)))
        return false;
    if (json_is_integer(value) &&
        ((least != NULL && json_integer_value(value) < json_integer_value(least)) ||
         (most != NULL && json_integer_value(value) > json_integer_value(most))))
        return false;
    if (json_is_real(value) &&
        ((least != NULL && json_real_value(value) < json_number_value(least)) ||
         (most != NULL && json_real_value(value) > json_number_value(most))))
        return false;
    if (!json_is_string(value))
        return true;
    return (pattern == NULL || matches(l, pattern, json_string_value(value))) &&
           (shortest == NULL ||
            json_string_length(value) >= (size_t)json_integer_value(shortest)) &&
           (longest == NULL ||
            json_string_length(value) <= (size_t)json_integer_value(longest));
}

static unsigned how_many(const struct look *l, json_t *schemas, json_t *value)
{
    unsigned n = 0;
    size_t i;
    json_t *item;

    json_array_foreach(schemas, i, item) n += takes(l, item, value);
    return n;
}

static bool takes(const struct look *l, json_t *schema, json_t *value)
{
    const char *ref = json_string_value(json_object_get(schema, "$ref"));
    json_t *any = json_object_get(schema, "anyOf"), *one = json_object_get(schema, "oneOf");
    json_t *all = json_object_get(schema, "allOf"), *no = json_object_get(schema, "not");
    json_t *given = json_object_get(schema, "if"), *then = json_object_get(schema, "then");

    if (ref != NULL)
        return takes(l, json_object_get(json_object_get(l->root, "definitions"), ref + 14),
                     value);
    if ((any != NULL && how_many(l, any, value) == 0) ||
        (one != NULL && how_many(l, one, value) != 1) ||
        (all != NULL && how_many(l, all, value) != json_array_size(all)) ||
        (no != NULL && takes(l, no, value)) ||
        (given != NULL && then != NULL && takes(l, given, value) && !takes(l, then, value)))
        return false;
    return takes_type(json_object_get(schema, "type"), value) &&
           takes_object(l, schema, value) && takes_array(l, schema, value) &&
           takes_plain(l, schema, value);
}

bool takes_schema(json_t *root, json_t *schema, json_t *value, bool patterns)
{
    const struct look l = {root, patterns};

    return takes(&l, schema, value);
}
