/* SPDX-License-Identifier: Apache-2.0
 * options_json.c - what an option table has read, as JSON and as words, and back from JSON. */
#include "codecs/json/shape.h"
#include "harness/doc/json_member.h"
#include "harness/doc/options.h"
#include "harness/doc/options_impl.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_MAX_LEN = 80 };

static const void *place_of(const struct tl_option *row, const void *from)
{
    return (const char *)from + row->at;
}

/* ---- values ---- */

size_t tl_option_times(const struct tl_option *row, const void *from)
{
    const void *place = place_of(row, from);

    if (row->given_at != 0 && !*(const bool *)((const char *)from + row->given_at))
        return 0;
    switch (row->kind) {
    case TL_OPTION_FLAG: return *(const bool *)place ? 1 : 0;
    case TL_OPTION_TEXT: return *(const char *const *)place != NULL ? 1 : 0;
    case TL_OPTION_TEXTS: return ((const struct tl_texts *)place)->count;
    case TL_OPTION_NUMBER:
    case TL_OPTION_COUNT:
    case TL_OPTION_CHOICE:
    case TL_OPTION_DURATION: return 1;
    case TL_OPTION_OWN: return 0;
    }
    return 0;
}

static void choice_text(const struct tl_option *row, const void *place,
                        char text[TL_OPTION_TEXT_MAX])
{
    const char *word = row->words;
    int n;

    memcpy(&n, place, sizeof n);
    for (; n > 0; n--) {
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    (void)snprintf(text, TL_OPTION_TEXT_MAX, "%.*s", (int)strcspn(word, " "), word);
}

const char *tl_option_value(const struct tl_option *row, const void *from, size_t i,
                            char text[TL_OPTION_TEXT_MAX])
{
    const void *place = place_of(row, from);

    switch (row->kind) {
    case TL_OPTION_TEXT: return *(const char *const *)place;
    case TL_OPTION_TEXTS: return ((const struct tl_texts *)place)->list[i];
    case TL_OPTION_NUMBER:
        (void)snprintf(text, TL_OPTION_TEXT_MAX, "%" PRIu64, *(const uint64_t *)place);
        return text;
    case TL_OPTION_COUNT:
        (void)snprintf(text, TL_OPTION_TEXT_MAX, "%u", *(const unsigned *)place);
        return text;
    case TL_OPTION_DURATION:
        (void)snprintf(text, TL_OPTION_TEXT_MAX, "%" PRIu64 "ns", *(const uint64_t *)place);
        return text;
    case TL_OPTION_CHOICE: choice_text(row, place, text); return text;
    case TL_OPTION_FLAG:
    case TL_OPTION_OWN: return NULL;
    }
    return NULL;
}

bool tl_option_same(const struct tl_option *row, const void *a, const void *b)
{
    size_t n = tl_option_times(row, a);
    char text[2][TL_OPTION_TEXT_MAX];
    bool same = n == tl_option_times(row, b);

    for (size_t i = 0; same && i < n && row->kind != TL_OPTION_FLAG; i++)
        same = strcmp(tl_option_value(row, a, i, text[0]),
                      tl_option_value(row, b, i, text[1])) == 0;
    return same;
}

/* ---- to JSON ---- */

/* "--capture-speed": "capture_speed"; "PATH": "path". */
static void member_name(const struct tl_option *row, char out[NAME_MAX_LEN])
{
    const char *name = row->name + strspn(row->name, "-");
    size_t i = 0;

    for (; name[i] != 0 && i + 1 < NAME_MAX_LEN; i++)
        out[i] = name[i] == '-'                     ? '_'
                 : name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a')
                                                    : name[i];
    out[i] = 0;
}

static json_t *texts_json(const struct tl_texts *texts)
{
    json_t *list = json_array();

    for (size_t i = 0; list != NULL && i < texts->count; i++) {
        if (json_array_append_new(list, json_string(texts->list[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *value_json(const struct tl_option *row, const void *from)
{
    const void *place = place_of(row, from);
    char text[TL_OPTION_TEXT_MAX];

    switch (row->kind) {
    case TL_OPTION_FLAG: return json_boolean(*(const bool *)place);
    case TL_OPTION_NUMBER: return tl_json_from_wide(*(const uint64_t *)place);
    case TL_OPTION_COUNT: return json_integer((json_int_t) * (const unsigned *)place);
    case TL_OPTION_TEXTS: return texts_json(place);
    case TL_OPTION_TEXT:
    case TL_OPTION_CHOICE:
    case TL_OPTION_DURATION: return json_string(tl_option_value(row, from, 0, text));
    case TL_OPTION_OWN: break;
    }
    return NULL;
}

/* Whether the row is written for `from`. */
static bool is_asked(const struct tl_option *row, const void *from, const void *defaults)
{
    return tl_option_times(row, from) > 0 && !tl_option_same(row, from, defaults);
}

json_t *tl_options_json(const struct tl_options *options, const void *from,
                        const void *defaults)
{
    json_t *object = json_object();
    char name[NAME_MAX_LEN];

    for (size_t i = 0; object != NULL && i < options->count; i++) {
        const struct tl_option *row = &options->list[i];

        if (!is_asked(row, from, defaults))
            continue;
        member_name(row, name);
        if (json_object_set_new(object, name, value_json(row, from)) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

/* ---- from JSON ---- */

static int wrong_member(const char *name, const char *expected, struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_FORM, "'%.60s': expected %s", name, expected);
}

/* Sets the option; an error names the member, and says what the option would. */
static int set_member(const struct tl_option *row, const char *name, const char *value,
                      void *into, struct fal_error *err)
{
    struct fal_error why = {{0}};
    int rc = tl_option_set(row, value, into, &why);

    return rc != 0 ? fal_fail(err, rc, "'%.60s': %.300s", name, why.text) : 0;
}

static int read_texts(const struct tl_option *row, const char *name, const json_t *list,
                      void *into, struct fal_error *err)
{
    json_t *each;
    size_t i;

    if (!json_is_array(list))
        return wrong_member(name, "an array of texts", err);
    json_array_foreach(list, i, each)
    {
        int rc = json_is_string(each)
                     ? set_member(row, name, json_string_value(each), into, err)
                     : wrong_member(name, "an array of texts", err);

        if (rc != 0)
            return rc;
    }
    return 0;
}

static int read_number(const struct tl_option *row, const json_t *object, const char *name,
                       void *into, struct fal_error *err)
{
    char text[TL_OPTION_TEXT_MAX];
    uint64_t n = 0;
    struct fal_misfit wrong;
    int rc = fal_shape_read(&fal_shape_hex, json_object_get(object, name), &n, false, &wrong);

    if (rc != 0)
        return fal_misfit_error(&wrong, rc, name, err);
    (void)snprintf(text, sizeof text, "%" PRIu64, n);
    return set_member(row, name, text, into, err);
}

static int read_member(const struct tl_option *row, const json_t *object, const char *name,
                       void *into, struct fal_error *err)
{
    const json_t *value = json_object_get(object, name);

    switch (row->kind) {
    case TL_OPTION_FLAG:
        if (!json_is_boolean(value))
            return wrong_member(name, "true or false", err);
        *(bool *)((char *)into + row->at) = json_is_true(value);
        return 0;
    case TL_OPTION_NUMBER:
    case TL_OPTION_COUNT: return read_number(row, object, name, into, err);
    case TL_OPTION_TEXTS: return read_texts(row, name, value, into, err);
    case TL_OPTION_TEXT:
    case TL_OPTION_CHOICE:
    case TL_OPTION_DURATION:
        return json_is_string(value)
                   ? set_member(row, name, json_string_value(value), into, err)
                   : wrong_member(name, "a text", err);
    case TL_OPTION_OWN: break;
    }
    return wrong_member(name, "no such member", err);
}

static const struct tl_option *row_of_member(const struct tl_options *options, const char *key)
{
    char name[NAME_MAX_LEN];

    for (size_t i = 0; i < options->count; i++) {
        member_name(&options->list[i], name);
        if (strcmp(name, key) == 0)
            return &options->list[i];
    }
    return NULL;
}

int tl_options_from_json(const struct tl_options *options, const json_t *object, void *into,
                         struct fal_error *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "expected an object");
    json_object_foreach((json_t *)object, key, value)
    {
        const struct tl_option *row = row_of_member(options, key);
        int rc = row != NULL ? read_member(row, object, key, into, err)
                             : fal_fail(err, FAL_ERR_FORM, "no member '%.60s'", key);

        if (rc != 0)
            return rc;
    }
    return 0;
}

/* ---- words ---- */

static bool add_word(json_t *words, const char *word)
{
    return json_array_append_new(words, json_string(word)) == 0;
}

/* "--name", "value"; a value that could be taken for an option in one word with its name. */
static bool add_words(json_t *words, const struct tl_option *row, const void *from)
{
    size_t n = tl_option_times(row, from);
    char text[TL_OPTION_TEXT_MAX];
    bool ok = true;

    for (size_t i = 0; ok && i < n; i++) {
        const char *value = tl_option_value(row, from, i, text);

        if (row->name[0] != '-')
            ok = add_word(words, value);
        else if (value != NULL && value[0] == '-')
            ok = json_array_append_new(words, json_sprintf("%s=%s", row->name, value)) == 0;
        else
            ok = add_word(words, row->name) && (value == NULL || add_word(words, value));
    }
    return ok;
}

/* The rows of arguments, or those of options. */
static bool add_rows(json_t *words, const struct tl_options *options, bool arguments,
                     const void *from, const void *defaults)
{
    bool ok = true;

    for (size_t i = 0; ok && i < options->count; i++) {
        const struct tl_option *row = &options->list[i];

        if ((row->name[0] != '-') == arguments && is_asked(row, from, defaults))
            ok = add_words(words, row, from);
    }
    return ok;
}

/* Whether an argument could be taken for an option. */
static bool has_dash(const json_t *arguments)
{
    json_t *each;
    size_t i;

    json_array_foreach(arguments, i, each)
    {
        const char *word = json_string_value(each);

        if (word[0] == '-' && word[1] != 0)
            return true;
    }
    return false;
}

json_t *tl_options_words(const struct tl_options *options, const void *from,
                         const void *defaults)
{
    json_t *arguments = json_array(), *words = json_array();
    bool ok = arguments != NULL && words != NULL &&
              add_rows(arguments, options, true, from, defaults) &&
              add_rows(words, options, false, from, defaults);
    bool behind = ok && has_dash(arguments);

    if (ok && behind)
        ok = add_word(words, "--") && json_array_extend(words, arguments) == 0;
    else if (ok)
        ok = json_array_extend(arguments, words) == 0;
    json_decref(behind || !ok ? arguments : words);
    if (ok)
        return behind ? words : arguments;
    json_decref(words);
    return NULL;
}
