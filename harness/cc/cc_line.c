/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_line.h"

#include "codecs/base/hex.h"
#include "codecs/base/nearest.h"
#include "harness/doc/json_member.h"
#include "harness/doc/json_place.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { HEX_LEN = 2 * FAL_CC_ENTRY_LEN, DIGITS = 15 };

/* ---- printing ---- */

static json_t *params_json(const struct fal_swift_params *params)
{
    size_t n;
    const struct fal_swift_param *table = fal_swift_param_table(&n);
    json_t *object = json_object();

    for (size_t i = 0; i < n; i++) {
        double value = fal_swift_param_get(&table[i], params);
        bool whole = value == (double)(json_int_t)value;

        if (json_object_set_new(object, table[i].name,
                                whole ? json_integer((json_int_t)value) : json_real(value)) !=
            0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

/* The members of an entry fit their fields: they were read from one, or calculated. */
static json_t *entry_json(enum fal_cc_format format, enum fal_cc_entry entry, const void *host)
{
    uint8_t bytes[FAL_CC_ENTRY_LEN] = {0};
    char hex[HEX_LEN + 1];

    FAL_IGNORE(fal_cc_encode(format, entry, host, bytes, NULL));
    fal_hex_write(bytes, sizeof bytes, hex);
    return json_string(hex);
}

char *tl_cc_line_print(const struct tl_cc_line *line, const char *what)
{
    json_t *object = json_object();
    char *text = NULL;

    if (json_object_set_new(object, "id", json_string(line->id)) == 0 &&
        (what == NULL || json_object_set_new(object, "what", json_string(what)) == 0) &&
        json_object_set_new(object, "format",
                            json_string(fal_name_of(&fal_names_cc_format, line->format))) ==
            0 &&
        json_object_set_new(object, "params", params_json(&line->params)) == 0 &&
        json_object_set_new(object, "state", json_string(line->keep ? "keep" : "reset")) == 0 &&
        json_object_set_new(object, "now_ticks", json_integer(line->now)) == 0 &&
        json_object_set_new(object, "event",
                            entry_json(line->format, FAL_CC_ENTRY_EVENT, &line->event)) == 0 &&
        json_object_set_new(object, "result",
                            entry_json(line->format, FAL_CC_ENTRY_RESULT, &line->result)) == 0)
        text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(object);
    return text;
}

/* ---- reading ---- */

/* A line under way. */
struct reading {
    const char *text;
    size_t len;
    struct tl_cc_line *out;
    unsigned *column;
    struct fal_error *err;
};

/* Sets the column of the value of the member `key`, or of `param` in it. Returns FAL_ERR_FORM.
 */
static int at(const struct reading *r, const char *key, const char *param)
{
    const struct tl_path root = {0}, member = {.up = &root, .key = key},
                         inner = {.up = &member, .key = param};

    *r->column = tl_source_find(r->text, r->len, param != NULL ? &inner : &member).column;
    return FAL_ERR_FORM;
}

/* Sets the column of a key that is not known. Returns FAL_ERR_FORM. */
static int at_key(const struct reading *r, const char *key, const char *param)
{
    const struct tl_path root = {0}, member = {.up = &root, .key = key},
                         inner = {.up = &member, .key = param};

    *r->column = tl_source_find_key(r->text, r->len, param != NULL ? &inner : &member).column;
    return FAL_ERR_FORM;
}

static int read_id(const struct reading *r, const json_t *value)
{
    const char *id = json_string_value(value);

    if (id == NULL || strlen(id) >= sizeof r->out->id) {
        (void)fal_fail(r->err, FAL_ERR_FORM, "id: expected a text of at most %zu bytes",
                       sizeof r->out->id - 1);
        return at(r, "id", NULL);
    }
    strcpy(r->out->id, id);
    tl_clean_text(r->out->id);
    return 0;
}

static int read_format(const struct reading *r, const json_t *value)
{
    const char *name = json_string_value(value);
    uint64_t format;

    if (name == NULL || !fal_name_find(&fal_names_cc_format, name, &format)) {
        (void)fal_fail(r->err, FAL_ERR_FORM, "format: expected \"table-msb\" or \"gen1-lsb\"");
        return at(r, "format", NULL);
    }
    r->out->format = (enum fal_cc_format)format;
    return 0;
}

static int read_state(const struct reading *r, const json_t *value)
{
    const char *word = json_string_value(value);

    if (word == NULL || (strcmp(word, "reset") != 0 && strcmp(word, "keep") != 0)) {
        (void)fal_fail(r->err, FAL_ERR_FORM, "state: expected \"reset\" or \"keep\"");
        return at(r, "state", NULL);
    }
    r->out->keep = strcmp(word, "keep") == 0;
    return 0;
}

static int read_now(const struct reading *r, const json_t *value)
{
    json_int_t now = json_integer_value(value);

    if (!json_is_integer(value) || now < 0 || now > FAL_CC_TIME_MAX) {
        (void)fal_fail(r->err, FAL_ERR_FORM, "now_ticks: expected a number from 0 to %d",
                       FAL_CC_TIME_MAX);
        return at(r, "now_ticks", NULL);
    }
    r->out->now = (uint32_t)now;
    return 0;
}

static int no_such_param(const struct reading *r, const char *name)
{
    size_t n;
    const struct fal_swift_param *table = fal_swift_param_table(&n);
    struct fal_nearest_list near = {.word = name};
    char hint[128];

    for (size_t i = 0; i < n; i++)
        fal_nearest_add(&near, table[i].name);
    fal_nearest_print(&near, hint, sizeof hint);
    (void)fal_fail(r->err, FAL_ERR_FORM, "params: there is no parameter '%.40s'%s%s", name,
                   hint[0] != 0 ? "; did you mean " : "; see talon help swift", hint);
    return at_key(r, "params", name);
}

static int read_params(const struct reading *r, const json_t *value)
{
    const char *name;
    json_t *number;

    if (!json_is_object(value)) {
        (void)fal_fail(r->err, FAL_ERR_FORM, "params: expected an object");
        return at(r, "params", NULL);
    }
    json_object_foreach((json_t *)value, name, number)
    {
        const struct fal_swift_param *param = fal_swift_param_find(name);

        if (param == NULL)
            return no_such_param(r, name);
        if (!json_is_number(number) ||
            fal_swift_param_set(param, &r->out->params, json_number_value(number)) != 0) {
            (void)fal_fail(r->err, FAL_ERR_FORM, "%s: expected a %snumber from %.10g to %.10g",
                           name, param->whole ? "whole " : "", param->least, param->most);
            return at(r, "params", name);
        }
    }
    if (fal_swift_params_check(&r->out->params, r->err) != 0)
        return at(r, "params", NULL);
    return 0;
}

static int read_entry(const struct reading *r, const char *key, const json_t *value,
                      uint8_t bytes[FAL_CC_ENTRY_LEN])
{
    const char *hex = json_string_value(value);

    if (hex == NULL)
        (void)fal_fail(r->err, FAL_ERR_FORM, "%s: expected %d hex digits", key, HEX_LEN);
    else if (strlen(hex) != HEX_LEN)
        (void)fal_fail(r->err, FAL_ERR_FORM, "%s: expected %d hex digits, found %zu characters",
                       key, HEX_LEN, strlen(hex));
    else if (fal_hex_read(hex, bytes, FAL_CC_ENTRY_LEN) != FAL_CC_ENTRY_LEN)
        (void)fal_fail(r->err, FAL_ERR_FORM,
                       "%s: expected %d hex digits, found another character", key, HEX_LEN);
    else
        return 0;
    return at(r, key, NULL);
}

/* Members in the order in which they are read, since entries need the format. */
enum member { ID, WHAT, FORMAT, PARAMS, STATE, NOW, EVENT, RESULT, MEMBERS };

static const char *const names[MEMBERS] = {"id",    "what",      "format", "params",
                                           "state", "now_ticks", "event",  "result"};

static int read_member(const struct reading *r, enum member member, const json_t *value)
{
    uint8_t bytes[FAL_CC_ENTRY_LEN];
    int rc;

    switch (member) {
    case ID: return read_id(r, value);
    case FORMAT: return read_format(r, value);
    case PARAMS: return read_params(r, value);
    case STATE: return read_state(r, value);
    case NOW: return read_now(r, value);
    case EVENT:
        rc = read_entry(r, "event", value, bytes);
        return rc != 0 ? rc
               : fal_cc_decode(r->out->format, FAL_CC_ENTRY_EVENT, bytes, sizeof bytes,
                               &r->out->event) < 0
                   ? FAL_ERR_FORM
                   : 0;
    case RESULT:
        rc = read_entry(r, "result", value, bytes);
        return rc != 0 ? rc
               : fal_cc_decode(r->out->format, FAL_CC_ENTRY_RESULT, bytes, sizeof bytes,
                               &r->out->result) < 0
                   ? FAL_ERR_FORM
                   : 0;
    case WHAT:
    case MEMBERS: break;
    }
    return 0;
}

static int read_members(const struct reading *r, const json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)object, key, value)
    {
        enum member m = ID;

        while (m < MEMBERS && strcmp(names[m], key) != 0)
            m++;
        if (m < MEMBERS)
            continue;
        (void)fal_fail(r->err, FAL_ERR_FORM, "there is no member '%.40s'%s", key,
                       fal_hint(fal_nearest(key, names, MEMBERS), "").text);
        return at_key(r, key, NULL);
    }
    for (enum member m = ID; m < MEMBERS; m++) {
        int rc;

        value = json_object_get(object, names[m]);
        if (value == NULL && m >= NOW)
            return fal_fail(r->err, FAL_ERR_FORM, "the member '%s' is missing", names[m]);
        rc = value != NULL ? read_member(r, m, value) : 0;
        if (rc != 0)
            return rc;
    }
    return 0;
}

int tl_cc_line_read(const char *text, size_t len, struct tl_cc_line *out, unsigned *column,
                    struct fal_error *err)
{
    struct reading r = {.text = text, .len = len, .out = out, .column = column, .err = err};
    json_error_t why;
    json_t *object = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
    int rc;

    *column = 1;
    if (object == NULL) {
        *column = why.column > 0 ? (unsigned)why.column : 1;
        tl_clean_text(why.text);
        return fal_fail(err, FAL_ERR_FORM, "expected a JSON object: %s", why.text);
    }
    rc = json_is_object(object) ? read_members(&r, object)
                                : fal_fail(err, FAL_ERR_FORM, "expected a JSON object");
    json_decref(object);
    return rc;
}
