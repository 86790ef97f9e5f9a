/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/ics.h"

#include "codecs/base/nearest.h"
#include "oracles/catalogue.h"

#include <stdio.h>
#include <string.h>

static const struct row {
    const char *name, *implies, *doc;
    enum tl_ics_answer builtin;
} rows[TL_ICS_COUNT] = {
#define X(symbol, name, implies, builtin, doc) {name, implies, doc, TL_ICS_##builtin},
#include "harness/claims/ics_list.h"
#undef X
};

const char *tl_ics_name(enum tl_ics_item item)
{
    return rows[item].name;
}

int tl_ics_find(const char *name)
{
    for (int i = 0; i < TL_ICS_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0)
            return i;
    return -1;
}

static const char *nearest(const char *word)
{
    const char *names[TL_ICS_COUNT];

    for (int i = 0; i < TL_ICS_COUNT; i++)
        names[i] = rows[i].name;
    return fal_nearest(word, names, TL_ICS_COUNT);
}

/* ---- conditions ---- */

int tl_ics_condition_read(const char *text, struct tl_ics_condition *out, struct fal_error *err)
{
    *out = (struct tl_ics_condition){.count = 0};
    for (;;) {
        char word[TL_IDENTITY_MAX];
        size_t len;
        bool negated;
        int item;

        text += strspn(text, " ");
        negated = *text == '!';
        text += negated;
        text += strspn(text, " ");
        len = strcspn(text, " |");
        (void)snprintf(word, sizeof word, "%.*s",
                       (int)(len < sizeof word ? len : sizeof word - 1), text);
        item = tl_ics_find(word);
        if (item < 0) {
            return fal_fail(err, FAL_ERR_FORM, "no ICS item '%s'%s", word,
                            fal_hint(nearest(word), " (talon list ics)").text);
        }
        if (out->count == TL_ICS_TERMS_MAX)
            return fal_fail(err, FAL_ERR_FORM, "more than %d alternatives", TL_ICS_TERMS_MAX);
        out->any_of[out->count].item = (enum tl_ics_item)item;
        out->any_of[out->count++].negated = negated;
        text += len;
        text += strspn(text, " ");
        if (*text == 0)
            return 0;
        if (*text != '|')
            return fal_fail(err, FAL_ERR_FORM,
                            "'%.40s': expected an item, !item, or alternatives with |", text);
        text++;
    }
}

void tl_ics_condition_print(const struct tl_ics_condition *condition, char *out, size_t cap)
{
    size_t len = 0;

    out[0] = 0;
    for (size_t i = 0; i < condition->count && len < cap; i++) {
        int n = snprintf(out + len, cap - len, "%s%s%s", i > 0 ? "|" : "",
                         condition->any_of[i].negated ? "!" : "",
                         rows[condition->any_of[i].item].name);

        len += n > 0 ? (size_t)n : 0;
    }
}

/* Whether a SUT that says nothing of an item does not have it. All other items are tried. */
static bool must_be_said(enum tl_ics_item item)
{
    return item == TL_ICS_LEVELS; /* of the SUT's adapter, and no feature of the protocol */
}

enum tl_ics_answer tl_ics_holds(const struct tl_ics *ics,
                                const struct tl_ics_condition *condition)
{
    enum tl_ics_answer answer = TL_ICS_NO;

    for (size_t i = 0; i < condition->count; i++) {
        enum tl_ics_item item = condition->any_of[i].item;
        enum tl_ics_answer said = ics->items[item];

        if (said == TL_ICS_OPEN && must_be_said(item))
            said = TL_ICS_NO;
        if (said == TL_ICS_OPEN)
            answer = answer == TL_ICS_YES ? TL_ICS_YES : TL_ICS_OPEN;
        else if ((said == TL_ICS_YES) != condition->any_of[i].negated)
            answer = TL_ICS_YES;
    }
    return answer;
}

/* ---- statements ---- */

/* A claim of an item includes the items that it needs. */
static void imply(struct tl_ics *ics)
{
    for (int i = 0; i < TL_ICS_COUNT; i++) {
        int other = rows[i].implies[0] != 0 ? tl_ics_find(rows[i].implies) : -1;

        if (other >= 0 && ics->items[i] == TL_ICS_YES)
            ics->items[other] = TL_ICS_YES;
    }
    /* And what is denied denies what needs it. */
    for (int i = 0; i < TL_ICS_COUNT; i++) {
        int other = rows[i].implies[0] != 0 ? tl_ics_find(rows[i].implies) : -1;

        if (other >= 0 && ics->items[other] == TL_ICS_NO && ics->items[i] == TL_ICS_OPEN)
            ics->items[i] = TL_ICS_NO;
    }
}

void tl_ics_builtin(struct tl_ics *out)
{
    *out = (struct tl_ics){.identity = {{0}, {0}, {0}}};
    for (int i = 0; i < TL_ICS_COUNT; i++)
        out->items[i] = rows[i].builtin;
    imply(out);
}

void tl_ics_complete(struct tl_ics *out, const struct tl_ics *more)
{
    const struct {
        char *to;
        const char *from;
    } names[] = {{out->identity.vendor, more->identity.vendor},
                 {out->identity.product, more->identity.product},
                 {out->identity.firmware, more->identity.firmware}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].to[0] == 0)
            (void)snprintf(names[i].to, TL_IDENTITY_MAX, "%s", names[i].from);
    for (int i = 0; i < TL_ICS_COUNT; i++)
        if (out->items[i] == TL_ICS_OPEN)
            out->items[i] = more->items[i];
    imply(out);
}

void tl_ics_from_object(const json_t *items, struct tl_ics *out)
{
    for (int i = 0; i < TL_ICS_COUNT; i++) {
        const json_t *said = json_object_get(items, rows[i].name);

        if (json_is_boolean(said))
            out->items[i] = json_is_true(said) ? TL_ICS_YES : TL_ICS_NO;
    }
    imply(out);
}

/* ---- the table of a statement ---- */

/* true, false, or null: not stated. */
static int read_answer(const json_t *value, void *out, struct fal_misfit *wrong)
{
    enum tl_ics_answer said = TL_ICS_OPEN;

    if (!json_is_boolean(value) && !json_is_null(value))
        return fal_misfit_say(wrong, "expected true, false, or null (not stated)");
    if (json_is_boolean(value))
        said = json_is_true(value) ? TL_ICS_YES : TL_ICS_NO;
    if (out != NULL && said != TL_ICS_OPEN)
        memcpy(out, &said, sizeof said);
    return 0;
}

static int write_answer(const void *in, json_t **out)
{
    enum tl_ics_answer said;

    memcpy(&said, in, sizeof said);
    *out = said == TL_ICS_OPEN ? json_null() : json_boolean(said == TL_ICS_YES);
    return 0;
}

static const struct fal_shape answer_shape = {
    .kind = FAL_SHAPE_FLAG, .read = read_answer, .write = write_answer};

static const struct fal_member item_members[] = {
#define X(symbol, name, implies, builtin, doc_)          \
    {name,                                               \
     &answer_shape,                                      \
     FAL_NULL,                                           \
     .at = TL_ICS_##symbol * sizeof(enum tl_ics_answer), \
     .size = sizeof(enum tl_ics_answer),                 \
     .doc = doc_},
#include "harness/claims/ics_list.h"
#undef X
};
const struct fal_shape tl_ics_items_shape = {.kind = FAL_SHAPE_OBJECT,
                                             .expected =
                                                 "an object of items: true, false or null",
                                             FAL_MEMBERS(item_members)};

/* "?" is what the proforma has for a text that is not filled in. */
static int read_identity(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);

    if (json_is_null(value))
        return 0;
    if (text == NULL || text[0] == 0)
        return fal_misfit_say(wrong, "expected a text that is not empty");
    if (strlen(text) >= TL_IDENTITY_MAX)
        return fal_misfit_say(wrong, "longer than %d bytes", TL_IDENTITY_MAX - 1);
    if (out != NULL)
        (void)snprintf(out, TL_IDENTITY_MAX, "%s", strcmp(text, "?") != 0 ? text : "");
    return 0;
}

static int write_identity(const void *in, json_t **out)
{
    *out = *(const char *)in != 0 ? json_string(in) : NULL;
    return *out != NULL || *(const char *)in == 0 ? 0 : FAL_ERR_MEM;
}

const struct fal_shape tl_identity_shape = {.kind = FAL_SHAPE_TEXT,
                                            .min = 1,
                                            .max = TL_IDENTITY_MAX - 1,
                                            .read = read_identity,
                                            .write = write_identity};

#define AT(field) FAL_AT(struct tl_ics, field)
static const struct fal_member members[] = {
    {"$schema", &fal_shape_text, .flags = 0},
    {"schema", FAL_ONE_WORD(TL_ICS_SCHEMA), .flags = FAL_MUST},
    {"vendor", &tl_identity_shape, FAL_NULL, AT(identity.vendor)},
    {"product", &tl_identity_shape, FAL_NULL, AT(identity.product)},
    {"firmware", &tl_identity_shape, FAL_NULL, AT(identity.firmware)},
    {"items", &tl_ics_items_shape, FAL_MUST, AT(items)},
};
const struct fal_shape tl_ics_shape = {
    .kind = FAL_SHAPE_OBJECT,
    .doc = "The optional features that an implementation has: talon run --ics FILE. null: not "
           "stated; the cases about it run.",
    FAL_MEMBERS(members)};

/* ---- reading and writing ---- */

int tl_ics_settle(const struct tl_doc *doc, const struct tl_path *at, struct tl_ics *out)
{
    for (int i = 0; i < TL_ICS_COUNT; i++) {
        int other = rows[i].implies[0] != 0 ? tl_ics_find(rows[i].implies) : -1;
        struct tl_path member = {.up = at, .key = rows[i].name};

        if (other >= 0 && out->items[i] == TL_ICS_YES && out->items[other] == TL_ICS_NO)
            return tl_doc_fail(doc, &member, "true, but '%s', which it needs, is false",
                               rows[i].implies);
    }
    imply(out);
    return 0;
}

/* Closes the document. */
static int read_statement(struct tl_doc *doc, struct tl_ics *out)
{
    struct tl_path root = {0}, items = {.up = &root, .key = "items"};
    int rc;

    *out = (struct tl_ics){.identity = {{0}, {0}, {0}}};
    rc = tl_doc_shape(doc, &root, doc->root, &tl_ics_shape, out);
    if (rc == 0)
        rc = tl_ics_settle(doc, &items, out);
    tl_doc_close(doc);
    return rc;
}

int tl_ics_load(const char *path, struct tl_ics *out, struct fal_error *err)
{
    struct tl_doc doc;
    int rc = tl_doc_open(&doc, path, TL_ICS_SCHEMA, err);

    return rc == 0 ? read_statement(&doc, out) : rc;
}

int tl_ics_read(const char *name, const char *text, size_t len, struct tl_ics *out,
                struct fal_error *err)
{
    struct tl_doc doc;
    int rc = tl_doc_read(&doc, name, text, len, TL_ICS_SCHEMA, err);

    return rc == 0 ? read_statement(&doc, out) : rc;
}

/* ---- documents ---- */

json_t *tl_ics_items(const struct tl_ics *ics)
{
    return fal_shape_write(&tl_ics_items_shape, ics->items);
}

json_t *tl_ics_document(const struct tl_ics *ics)
{
    return fal_shape_write(&tl_ics_shape, ics);
}

json_t *tl_ics_proforma(void)
{
    const struct tl_ics empty = {.identity = {"?", "?", "?"}};

    return tl_ics_document(&empty);
}

json_t *tl_ics_list(void)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (int i = 0; list != NULL && i < TL_ICS_COUNT; i++) {
        json_t *ids = json_array(), *builtin = NULL;

        (void)write_answer(&rows[i].builtin, &builtin);
        for (size_t k = 0; k < n; k++)
            if (all[k].ics != NULL && strcmp(all[k].ics, rows[i].name) == 0)
                (void)json_array_append_new(ids, json_string(all[k].id));
        if (json_array_append_new(
                list, json_pack("{s:s, s:s*, s:o, s:o, s:s}", "item", rows[i].name, "implies",
                                rows[i].implies[0] != 0 ? rows[i].implies : NULL, "builtin",
                                builtin, "requirements", ids, "doc", rows[i].doc)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}
