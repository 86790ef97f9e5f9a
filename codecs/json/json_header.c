/* SPDX-License-Identifier: Apache-2.0
 * json_header.c - one header as a JSON object, and back. */
#include "codecs/json/json_impl.h"

#include "codecs/base/error.h"
#include "codecs/text/text_impl.h"

#include <stdio.h>

enum { KEY_MAX = 64 };

/* The packet type of a Falcon or NVMe header is its name where it has one; other codes are
 * numbers. */
static bool is_packet_type(const struct fal_field *field)
{
    return field->names == &fal_names_packet_type || field->names == &fal_names_nvme_type;
}

static int add_field(json_t *object, const struct fal_field *field, fal_u128 value)
{
    const char *name =
        fal_u128_hi(value) == 0 ? fal_name_of(field->names, fal_u128_lo(value)) : NULL;
    char key[KEY_MAX];

    if (name != NULL && is_packet_type(field))
        return json_object_set_new(object, field->name, json_string(name));
    if (json_object_set_new(object, field->name, fal_json_value(field, value)) != 0)
        return -1;
    if (name == NULL)
        return 0;
    (void)snprintf(key, sizeof key, "%s_text", field->name);
    return json_object_set_new(object, key, json_string(name));
}

json_t *fal_json_header(const struct fal_layout *layout, const void *host)
{
    json_t *object = json_object();

    for (size_t i = 0; object != NULL && i < layout->num_fields; i++) {
        const struct fal_field *field = &layout->fields[i];

        if (add_field(object, field, fal_field_get(field, host)) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

/* The field of that canonical name: aliases are of the notation. */
static const struct fal_field *find(const struct fal_layout *layout, const char *name,
                                    size_t len)
{
    for (size_t i = 0; i < layout->num_fields; i++)
        if (strncmp(layout->fields[i].name, name, len) == 0 && layout->fields[i].name[len] == 0)
            return &layout->fields[i];
    return NULL;
}

/* NAME_text is for readers; beside NAME it is ignored, alone it would be lost. */
static bool is_text_of_given(const struct fal_layout *layout, const json_t *object,
                             const char *key)
{
    size_t len = strlen(key);
    const struct fal_field *field;

    if (len <= 5 || strcmp(key + len - 5, "_text") != 0)
        return false;
    field = find(layout, key, len - 5);
    return field != NULL && field->names != NULL &&
           json_object_get(object, field->name) != NULL;
}

static unsigned keep_of(const struct fal_layout *layout, const struct fal_field *field)
{
    if (field->kind == FAL_CHECK)
        return FAL_KEEP_CHECKSUMS;
    if (field->kind != FAL_LENGTH)
        return 0;
    return fal_falcon_layout_named(layout->name) != NULL ? FAL_KEEP_REQUEST_LENGTH
                                                         : FAL_KEEP_LENGTHS;
}

int fal_json_read_header(const struct fal_layout *layout, const json_t *object,
                         const char *where, void *host, unsigned *given, struct fal_error *err)
{
    const char *key;
    json_t *json;

    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "%s: not an object of fields", where);
    /* jansson's iteration takes no const; it changes nothing. */
    json_object_foreach((json_t *)object, key, json)
    {
        const struct fal_field *field = find(layout, key, strlen(key));
        fal_u128 value;
        int status;

        if (field == NULL && is_text_of_given(layout, object, key))
            continue;
        if (field == NULL)
            return fal_fail(err, FAL_ERR_FORM, "%s.%s: %s has no such field", where,
                            fal_quote(key, strlen(key)).text, layout->name);
        status = fal_json_read_value(field, json, where, &value, err);
        if (status != 0)
            return status;
        /* fal_json_read_value has checked that it fits. */
        FAL_IGNORE(fal_field_set(field, host, value));
        if (given != NULL)
            *given |= keep_of(layout, field);
    }
    return 0;
}
