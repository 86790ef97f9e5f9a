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
            const char *near = nearest(word);

            return fal_fail(err, FAL_ERR_FORM, "no ICS item '%s'%s%s%s", word,
                            near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                            near != NULL ? "'?" : " (talon list ics)");
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

enum tl_ics_answer tl_ics_holds(const struct tl_ics *ics,
                                const struct tl_ics_condition *condition)
{
    enum tl_ics_answer answer = TL_ICS_NO;

    for (size_t i = 0; i < condition->count; i++) {
        enum tl_ics_answer said = ics->items[condition->any_of[i].item];

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

int tl_ics_read_items(const struct tl_doc *doc, const struct tl_path *at, json_t *items,
                      struct tl_ics *out)
{
    const char *key;
    json_t *value;

    if (!json_is_object(items))
        return tl_doc_fail(doc, at, "expected an object of items: true, false or null");
    json_object_foreach(items, key, value)
    {
        struct tl_path member = {.up = at, .key = key};
        int item = tl_ics_find(key);

        if (item < 0) {
            const char *near = nearest(key);

            return near != NULL
                       ? tl_doc_fail(doc, &member, "no such item; did you mean '%s'?", near)
                       : tl_doc_fail(doc, &member, "no such item (talon list ics)");
        }
        if (!json_is_boolean(value) && !json_is_null(value))
            return tl_doc_fail(doc, &member, "expected true, false, or null (nobody says)");
        if (json_is_boolean(value))
            out->items[item] = json_is_true(value) ? TL_ICS_YES : TL_ICS_NO;
    }
    /* A claim whose ground is denied: somebody has made a mistake. */
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
    static const char *const known[] = {"$schema", "schema",   "vendor",
                                        "product", "firmware", "items"};
    struct tl_path root = {0}, items = {.up = &root, .key = "items"};
    const struct {
        const char *key;
        char *to;
    } names[] = {{"vendor", out->identity.vendor},
                 {"product", out->identity.product},
                 {"firmware", out->identity.firmware}};
    int rc;

    *out = (struct tl_ics){.identity = {{0}, {0}, {0}}};
    rc = tl_doc_members(doc, &root, doc->root, known, sizeof known / sizeof *known);
    for (size_t i = 0; rc == 0 && i < sizeof names / sizeof *names; i++) {
        const char *text;

        rc = tl_doc_text_or_none(doc, &root, doc->root, names[i].key, TL_IDENTITY_MAX - 1,
                                 &text);
        if (rc == 0 && text != NULL && strcmp(text, "?") != 0) /* the proforma's own */
            (void)snprintf(names[i].to, TL_IDENTITY_MAX, "%s", text);
    }
    if (rc == 0)
        rc = tl_ics_read_items(doc, &items, json_object_get(doc->root, "items"), out);
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

static json_t *answer(enum tl_ics_answer said)
{
    switch (said) {
    case TL_ICS_OPEN: break;
    case TL_ICS_NO: return json_false();
    case TL_ICS_YES: return json_true();
    }
    return json_null();
}

json_t *tl_ics_items(const struct tl_ics *ics)
{
    json_t *items = json_object();

    for (int i = 0; items != NULL && i < TL_ICS_COUNT; i++) {
        if (json_object_set_new(items, rows[i].name, answer(ics->items[i])) != 0) {
            json_decref(items);
            items = NULL;
        }
    }
    return items;
}

json_t *tl_ics_document(const struct tl_ics *ics)
{
    return json_pack("{s:s, s:s*, s:s*, s:s*, s:o}", "schema", TL_ICS_SCHEMA, "vendor",
                     ics->identity.vendor[0] != 0 ? ics->identity.vendor : NULL, "product",
                     ics->identity.product[0] != 0 ? ics->identity.product : NULL, "firmware",
                     ics->identity.firmware[0] != 0 ? ics->identity.firmware : NULL, "items",
                     tl_ics_items(ics));
}

json_t *tl_ics_list(void)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (int i = 0; list != NULL && i < TL_ICS_COUNT; i++) {
        json_t *ids = json_array();

        for (size_t k = 0; k < n; k++)
            if (all[k].ics != NULL && strcmp(all[k].ics, rows[i].name) == 0)
                (void)json_array_append_new(ids, json_string(all[k].id));
        if (json_array_append_new(
                list, json_pack("{s:s, s:s*, s:o, s:o, s:s}", "item", rows[i].name, "implies",
                                rows[i].implies[0] != 0 ? rows[i].implies : NULL, "builtin",
                                answer(rows[i].builtin), "requirements", ids, "doc",
                                rows[i].doc)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}
