/* SPDX-License-Identifier: Apache-2.0
 * scenario_value.h - values of scenario members that are not packet fields: what a ULP event
 * must show, what a command carries, what `let` binds. The same forms as in the notation of
 * packets: number, 3r, 250us, $var, $var+1, lo..hi, lo.., ..hi, {a,b}, any, @capture, !value;
 * and expressions (scenario_expr.h), "($i + 1)r" counting from a base. */
#ifndef TL_HARNESS_SCENARIO_VALUE_H
#define TL_HARNESS_SCENARIO_VALUE_H

#include "codecs/arena.h"
#include "codecs/text.h"
#include "harness/doc/expr.h"

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
    struct fal_duration expr; /* EXPR; RELATIVE: what is added to `number`, when it has one */
    char name[FAL_VAR_MAX];
    struct tl_value *items;
    size_t num_items;
};

/* Words that a member takes instead of numbers: "push" 0, "pull" 1. Returns -1 for others. */
typedef int tl_word_fn(const char *word);

/* Parses `text`; its expressions go to `exprs`. `words` may be NULL. Returns 0, FAL_ERR_MEM, or
 * FAL_ERR_FORM with a clause in `err`. */
int tl_value_parse(const char *text, tl_word_fn *words, struct fal_arena *arena,
                   struct tl_exprs *exprs, struct tl_value *out, struct fal_error *err);

/* A duration, "250us" or "$rto * 2 + $coalescing": what the notation does not know becomes a
 * hidden variable. Same returns. */
int tl_duration_parse(const char *text, struct fal_arena *arena, struct tl_exprs *exprs,
                      struct fal_duration *out, struct fal_error *err);

/* Variables that scenarios bind. Those that hold sequence numbers compute mod 2^32. */
struct tl_var {
    char name[FAL_VAR_MAX];
    struct tl_expr_value value;
};

/* Variables to read: bound ones, whatever `fixed` knows ($rto ...), and hidden ones. */
struct tl_scope {
    const struct tl_var *vars;
    size_t num_vars;
    tl_expr_get *fixed; /* may be NULL */
    const void *fixed_ctx;
    const struct tl_exprs *exprs; /* may be NULL */
    struct fal_error *why;        /* may be NULL: gets why a hidden one has no value */
};

/* The value of a name in the scope. */
bool tl_scope_get(const void *scope, const char *name, struct tl_expr_value *out);

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
