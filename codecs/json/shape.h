/* SPDX-License-Identifier: Apache-2.0
 * shape.h - tables of JSON formats. A table gives the members of an object: key, kind, limits,
 * meaning, and where a C struct keeps the value. The reader (shape_read.c), the writer
 * (shape_write.c, shape_print.c) and the JSON Schema (shape_schema.c) of a format all come from
 * its table, so they cannot disagree.
 *
 * A member without a place in C (`size` 0) is checked by the reader and printed in the schema;
 * the owner of the table reads and writes its value. */
#ifndef FAL_CODECS_JSON_SHAPE_H
#define FAL_CODECS_JSON_SHAPE_H

#include "codecs/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fal_shape_kind {
    FAL_SHAPE_ANY,    /* any JSON value; no place in C */
    FAL_SHAPE_CONST,  /* the text words[0]; no place in C; always written */
    FAL_SHAPE_TEXT,   /* const char *, borrowed from the JSON value; min to max bytes */
    FAL_SHAPE_NAME,   /* char[size]: a copy that fits with its NUL */
    FAL_SHAPE_FLAG,   /* bool */
    FAL_SHAPE_YES,    /* bool: true, or absent */
    FAL_SHAPE_UINT,   /* 1, 2, 4 or 8 bytes; from min to max (max 0: what C can hold) */
    FAL_SHAPE_INT,    /* 4 or 8 bytes, from min to max (equal: any) */
    FAL_SHAPE_WIDE,   /* uint64_t: a number, "0x..." beyond 2^63, or "never" for UINT64_MAX */
    FAL_SHAPE_HEX,    /* uint64_t: always written as "0x" and 16 digits */
    FAL_SHAPE_REAL,   /* double */
    FAL_SHAPE_WORD,   /* 4 bytes: `min` for the first of `words`, and so on */
    FAL_SHAPE_OBJECT, /* a struct with `members` */
    FAL_SHAPE_LIST,   /* array of of[0]: a pointer; the number of items lies at `count`; min to
                         max items */
    FAL_SHAPE_MAP,    /* any keys, each with a value of of[0]; no place in C */
    FAL_SHAPE_ANY_OF, /* one of `of`; in C all of them are kept alike */
};

enum {
    FAL_MUST = 1,   /* the member must be there, and is always written */
    FAL_ALWAYS = 2, /* may be absent, but is written at its initial value, too */
    FAL_INLINE = 8, /* OBJECT: its members lie in the struct itself, `at` is not used */
    FAL_FLAT =
        16,       /* OBJECT: its members stand in this object itself. Its owner reads and writes
                     them; only the schema lists them, as required ones with FAL_MUST. */
    FAL_NULL = 4, /* null stands for no value; with FAL_ALWAYS a text that is NULL is null */
    FAL_SHAPE_DEPTH = 12,
};

struct fal_shape;

struct fal_member {
    const char *key;
    const struct fal_shape *shape;
    unsigned flags;
    size_t at, size;  /* where the struct keeps it; size 0: nowhere */
    size_t has;       /* offset of a bool: whether the member is there; 0: none */
    size_t count;     /* LIST: offset of a size_t */
    uint64_t initial; /* value in C of a member that is absent (numbers, flags, words) */
    const char *doc;  /* NULL: the shape's */
};

/* Where a member lies in its struct. */
#define FAL_AT(type, field)    .at = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define FAL_HAS(type, field)   .has = offsetof(type, field)
#define FAL_COUNT(type, field) .count = offsetof(type, field)

/* Where a value does not fit its table: the way to it from the top, and what is wrong. The keys
 * are borrowed from the JSON value and the table. */
struct fal_misfit {
    struct {
        const char *key; /* NULL: an element */
        size_t index;
    } way[FAL_SHAPE_DEPTH];
    size_t depth;
    void *ctx;   /* for the hooks; the caller of fal_shape_read sets it */
    bool at_key; /* the key of the last step is what is wrong, not its value */
    char text[300];
};

struct fal_shape {
    enum fal_shape_kind kind;
    const char *name;     /* of its definition in the schema; NULL: printed where it is used */
    const char *doc;      /* for the schema */
    const char *expected; /* for errors, after "expected "; NULL: made from the table */
    const struct fal_member *members; /* OBJECT */
    size_t num_members;
    const struct fal_shape *const *of; /* LIST, MAP: of[0]; ANY_OF: ends with NULL */
    const char *const *words;          /* CONST: one; WORD: num_words */
    size_t num_words;
    const char
        *pattern; /* TEXT: a regular expression, printed in the schema; `read` checks it */
    int64_t min, max;
    bool in_place;       /* LIST: C keeps an array of `max` items, not a pointer to it */
    size_t item_size;    /* LIST: bytes of one item in C; 0: items have no place in C */
    bool skips_unknown;  /* OBJECT: members that the table does not list are ignored */
    bool null_is_absent; /* OBJECT: null stands for an absent member */
    bool keeps_json;     /* C keeps a const json_t *, borrowed from the JSON value */
    /* Replace what the reader, the writer and the schema make of the kind; each may be NULL.
     * `read` gets the struct's place of the member (NULL: none) and returns 0, or FAL_ERR_FORM
     * or FAL_ERR_MEM with `wrong` (fal_misfit_say); it is not called for an absent member.
     * `write` sets *out, to NULL for a member that is to be left out, and returns 0 or
     * FAL_ERR_MEM. `schema` returns a new reference or NULL. */
    int (*read)(const json_t *value, void *out, struct fal_misfit *wrong);
    int (*write)(const void *in, json_t **out);
    json_t *(*schema)(void);
    const char *more; /* members of the schema that the table cannot say, as a JSON object */
};

#define FAL_MEMBERS(table) .members = (table), .num_members = sizeof(table) / sizeof *(table)
#define FAL_WORDS(table)   .words = (table), .num_words = sizeof(table) / sizeof *(table)
#define FAL_OF(...)                         \
    .of = (const struct fal_shape *const[]) \
    {                                       \
        __VA_ARGS__, NULL                   \
    }

/* The shape of one word. */
#define FAL_ONE_WORD(word)      \
    (&(const struct fal_shape){ \
        .kind = FAL_SHAPE_CONST, .words = (const char *const[]){word}, .num_words = 1})

/* Shapes without limits of their own. */
extern const struct fal_shape fal_shape_any, fal_shape_text, fal_shape_name, fal_shape_flag,
    fal_shape_yes, fal_shape_uint, fal_shape_wide, fal_shape_hex, fal_shape_real,
    fal_shape_texts;
/* uint64_t: a number below 2^53, which every JSON reader can hold, and "0x..." from there. */
extern const struct fal_shape fal_shape_u64;

/* Reads a value into `out`, a C struct (NULL: check only). Members that are absent get their
 * initial value; with `keep` they are left as they are. Hooks may use
 * wrong->ctx. Returns 0, FAL_ERR_FORM or FAL_ERR_MEM with `wrong`. Arrays that it has allocated
 * belong to the caller, after an error too (fal_shape_free). */
MUST_USE int fal_shape_read(const struct fal_shape *shape, const json_t *value, void *out,
                            bool keep, struct fal_misfit *wrong);
/* Frees the arrays of a struct that fal_shape_read has filled. */
void fal_shape_free(const struct fal_shape *shape, void *out);

/* Says what is wrong with a value, printf-like. Returns FAL_ERR_FORM. */
int fal_misfit_say(struct fal_misfit *wrong, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same of a member of the value. */
int fal_misfit_say_of(struct fal_misfit *wrong, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints "entries[3].kind" into `out`, "" for the top. */
void fal_misfit_place(const struct fal_misfit *wrong, char *out, size_t cap);
/* Turns a misfit into an error "what: entries[3].kind: text"; `what` may be "". Returns `rc`.
 */
int fal_misfit_error(const struct fal_misfit *wrong, int rc, const char *what,
                     struct fal_error *err);

/* Writes a C struct. Returns a new reference, or NULL when out of memory. */
json_t *fal_shape_write(const struct fal_shape *shape, const void *in);

/* A growing text: `len` bytes, without a NUL. Its owner frees `text`. */
struct fal_shape_text {
    char *text;
    size_t len, cap;
};

/* Appends a C struct as a line of compact JSON text, newline included: the same bytes as
 * fal_shape_write and a compact dump, without the JSON value in between. Returns 0, or
 * FAL_ERR_MEM with `out` as it was. */
MUST_USE int fal_shape_print(const struct fal_shape *shape, const void *in,
                             struct fal_shape_text *out);

/* The JSON Schema (draft-07) of a format: a new reference, NULL when out of memory. `id` is the
 * format's name and version, as in "talon/waivers/1". */
json_t *fal_shape_schema(const struct fal_shape *shape, const char *id, const char *title);

#endif
