/* SPDX-License-Identifier: Apache-2.0
 * ics.h - the implementation conformance statement: of each item whether the SUT offers it. A
 * vendor fills in the proforma (`talon list ics --format json`, schema talon/ics/1); what a
 * scenario needs and the statement denies makes the case not applicable. An item that nobody
 * declared is open: its cases run, for a claim is never guessed. */
#ifndef TL_HARNESS_CLAIMS_ICS_H
#define TL_HARNESS_CLAIMS_ICS_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "harness/doc/doc.h"

#include <jansson.h>
#include <stdbool.h>

#define TL_ICS_SCHEMA "talon/ics/1"

enum tl_ics_item {
#define X(symbol, name, implies, builtin, doc) TL_ICS_##symbol,
#include "harness/claims/ics_list.h"
#undef X
    TL_ICS_COUNT
};

enum tl_ics_answer { TL_ICS_OPEN, TL_ICS_NO, TL_ICS_YES };

enum { TL_IDENTITY_MAX = 64, TL_ICS_TERMS_MAX = 8 };

/* The identity of the SUT: from its statement, or from its own greeting. Empty: not stated. */
struct tl_identity {
    char vendor[TL_IDENTITY_MAX], product[TL_IDENTITY_MAX], firmware[TL_IDENTITY_MAX];
};

struct tl_ics {
    struct tl_identity identity;
    enum tl_ics_answer items[TL_ICS_COUNT];
};

/* A condition: "psp", "!psp", or alternatives, "psp|esp". */
struct tl_ics_condition {
    struct {
        enum tl_ics_item item;
        bool negated;
    } any_of[TL_ICS_TERMS_MAX];
    size_t count;
};

const char *tl_ics_name(enum tl_ics_item item);
/* The item of that name, or -1. */
int tl_ics_find(const char *name);

/* 0, or FAL_ERR_FORM with `err` (for an unknown item, with the nearest known name). */
MUST_USE int tl_ics_condition_read(const char *text, struct tl_ics_condition *out,
                                   struct fal_error *err);
/* "psp|!esp" */
void tl_ics_condition_print(const struct tl_ics_condition *condition, char *out, size_t cap);
/* OPEN if it depends on an item that is not declared. */
enum tl_ics_answer tl_ics_holds(const struct tl_ics *ics,
                                const struct tl_ics_condition *condition);

/* Reads a statement ("items": {"psp": true, "esp": null}). 0; FAL_ERR_FORM, FAL_ERR_IO,
 * FAL_ERR_MEM with `err` as file:line:column: path: what. */
MUST_USE int tl_ics_load(const char *path, struct tl_ics *out, struct fal_error *err);
/* The same of a document in memory, `name` in messages. */
MUST_USE int tl_ics_read(const char *name, const char *text, size_t len, struct tl_ics *out,
                         struct fal_error *err);

/* Call it after reading items at `at`: it rejects a claim whose precondition is denied, and
 * completes the items that others imply. Returns 0, or FAL_ERR_FORM. */
MUST_USE int tl_ics_settle(const struct tl_doc *doc, const struct tl_path *at,
                           struct tl_ics *out);

/* The statement of the built-in implementation. */
void tl_ics_builtin(struct tl_ics *out);
/* Takes the items from `more` that are open in *out; claims imply the items that they need. */
void tl_ics_complete(struct tl_ics *out, const struct tl_ics *more);

/* Reads the object {"psp": true, ...} of an answer to hello; unknown items are ignored. */
void tl_ics_from_object(const json_t *items, struct tl_ics *out);

/* The statement as a document, and the list of items for `talon list ics`: name, implies, doc,
 * requirements. New references; NULL: out of memory. */
json_t *tl_ics_document(const struct tl_ics *ics);
/* The empty statement, to be filled in. New reference; NULL: out of memory. */
json_t *tl_ics_proforma(void);
json_t *tl_ics_items(const struct tl_ics *ics);
json_t *tl_ics_list(void);

/* The members of a statement; C keeps them in a struct tl_ics. */
extern const struct fal_shape tl_ics_shape, tl_ics_items_shape;
/* A text of struct tl_identity. */
extern const struct fal_shape tl_identity_shape;

#endif
