/* SPDX-License-Identifier: Apache-2.0
 * types.h - the structure of scenario files, declared once (types.c): every
 * object with its members, their types, what they mean and an example. The validator
 * (shape.c), the JSON Schema and the reference of docs/scenarios.md
 * (schema.c) all come from it.
 *
 * What is not structure (the grammar of lines and expressions, names that are bound, ids of the
 * catalogue) the readers check. */
#ifndef TL_HARNESS_SCENARIO_TYPES_H
#define TL_HARNESS_SCENARIO_TYPES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum tl_shape {
    TL_SHAPE_TEXT,     /* a string that is not empty */
    TL_SHAPE_FLAG,     /* true or false */
    TL_SHAPE_INTEGER,  /* from min to max */
    TL_SHAPE_NUMBER,   /* not negative, or an expression in a string */
    TL_SHAPE_VALUE,    /* the same, or true or false */
    TL_SHAPE_DECIMAL,  /* a number, or one in a string */
    TL_SHAPE_DURATION, /* a string */
    TL_SHAPE_WORD,     /* one of `words` */
    TL_SHAPE_OBJECT,   /* `members` */
    TL_SHAPE_LIST,     /* min to max of of[0] */
    TL_SHAPE_MAP,      /* any names, each with a value of of[0] */
    TL_SHAPE_PARAMS,   /* parameters by name (oracles/params.h) */
    TL_SHAPE_FIELDS,   /* a packet by its fields */
    TL_SHAPE_ANY_OF,   /* one of `of`, which ends with NULL */
};

struct tl_type;

struct tl_member {
    const char *key;
    const struct tl_type *type;
    bool required;
    const char *doc;     /* NULL: the type's */
    const char *example; /* as it stands in a file; NULL: none */
};

struct tl_type {
    enum tl_shape shape;
    const char *name; /* of its definition in the schema; NULL: it stands where it is used */
    const char *doc;
    const char *expected; /* for errors: "expected ..." */
    const struct tl_member *members;
    size_t num_members;
    const struct tl_type *const *of;
    const char *const *words; /* ends with NULL */
    const char *pattern;      /* TEXT: a regular expression for editors; checked by a reader */
    /* OBJECT among alternatives: the member that tells it, and which word it then holds (NULL:
     * any value) */
    const char *select, *select_word;
    long long min, max; /* INTEGER; LIST: of items, max 0: no limit */
};

/* The whole file; one step; a list of steps. */
extern const struct tl_type tl_type_file, tl_type_step, tl_type_steps;

/* In files as they are written a word or a flag may be a parameter's to say: "${op}". */
#define TL_PLACEHOLDER_PATTERN "\\$\\{[A-Za-z]"

/* A JSON Schema (draft-07) of it; a new reference, NULL when out of memory. */
json_t *tl_scenario_schema(void);
/* The tables of docs/scenarios.md; the caller frees. NULL when out of memory. */
char *tl_scenario_reference(void);

#endif
