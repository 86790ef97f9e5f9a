/* SPDX-License-Identifier: Apache-2.0
 * scenario_value.h - values of scenario members that are not packet fields: what a ULP event
 * must show, what a command carries, what `let` binds. The same forms as in the notation of
 * packets: number, 3r, 250us, $var, $var+1, lo..hi, {a,b}, any, @capture, !value. */
#ifndef TL_HARNESS_SCENARIO_VALUE_H
#define TL_HARNESS_SCENARIO_VALUE_H

#include "codecs/text.h"
#include "harness/scenario_arena.h"

enum tl_value_kind {
    TL_VALUE_NUMBER,   /* number */
    TL_VALUE_RELATIVE, /* number, counted from a base that the member knows */
    TL_VALUE_EXPR,     /* a variable or a time */
    TL_VALUE_RANGE,    /* two items */
    TL_VALUE_SET,      /* items */
    TL_VALUE_ANY,
    TL_VALUE_CAPTURE, /* any, bound to `name` */
};

struct tl_value {
    enum tl_value_kind kind;
    bool negated;
    uint64_t number;
    struct fal_duration expr;
    char name[FAL_VAR_MAX];
    struct tl_value *items;
    size_t num_items;
};

/* Words that a member takes instead of numbers: "push" 0, "pull" 1. Returns -1 for others. */
typedef int tl_word_fn(const char *word);

/* Parses `text`. `words` may be NULL. Returns 0, FAL_ERR_MEM, or FAL_ERR_FORM with a clause in
 * `err`. */
int tl_value_parse(const char *text, tl_word_fn *words, struct tl_arena *arena,
                   struct tl_value *out, struct fal_error *err);

/* Variables that scenarios bind. Those that hold sequence numbers compute mod 2^32. */
struct tl_var {
    char name[FAL_VAR_MAX];
    fal_u128 value;
    bool sequence;
};

/* Variables to read: bound ones, and whatever `fixed` knows ($rto ...). */
struct tl_scope {
    const struct tl_var *vars;
    size_t num_vars;
    struct fal_vars fixed;
};

/* The variable of that name, or NULL. */
const struct tl_var *tl_scope_find(const struct tl_scope *scope, const char *name);
/* As the text codec wants it; ctx is the scope. */
struct fal_vars tl_scope_vars(const struct tl_scope *scope);

/* The one number that `value` stands for; relative ones count from `base`, mod 2^32. Returns 0,
 * or FAL_ERR_FORM with a clause in `err`. */
int tl_value_get(const struct tl_value *value, uint32_t base, const struct tl_scope *scope,
                 uint64_t *out, struct fal_error *err);

/* Whether `seen` is such a value: 1 or 0, FAL_ERR_FORM for an unknown variable. */
int tl_value_match(const struct tl_value *value, uint32_t base, const struct tl_scope *scope,
                   uint64_t seen, struct fal_error *err);

#endif
