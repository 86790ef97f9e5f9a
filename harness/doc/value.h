/* SPDX-License-Identifier: Apache-2.0
 * value.h - values of scenario members that are not packet fields: what a ULP event must show,
 * what a command carries, what `let` binds. The forms are those of the packet notation: number,
 * 3r, 250us, $var, $var+1, lo..hi, lo.., ..hi, {a,b}, any, @capture,
 * !value; and expressions (expr.h), where "($i + 1)r" is relative. */
#ifndef TL_HARNESS_DOC_VALUE_H
#define TL_HARNESS_DOC_VALUE_H

#include "codecs/base/arena.h"
#include "codecs/base/error.h"
#include "codecs/text/text.h"
#include "harness/doc/expr.h"

enum tl_value_kind {
    TL_VALUE_NUMBER,   /* number */
    TL_VALUE_RELATIVE, /* number, relative to a base that the member defines */
    TL_VALUE_EXPR,     /* a variable or a time */
    TL_VALUE_RANGE,    /* two items */
    TL_VALUE_SET,      /* items */
    TL_VALUE_ANY,
    TL_VALUE_CAPTURE, /* any; the value is bound to `name` */
};

struct tl_value {
    enum tl_value_kind kind;
    bool negated;
    uint64_t number;
    struct fal_duration
        expr; /* EXPR; RELATIVE: an expression that is added to `number`, if there is one */
    char name[FAL_VAR_MAX];
    struct tl_value *items;
    size_t num_items;
};

/* Words that a member accepts instead of numbers: "push" is 0, "pull" is 1. Returns -1 for an
 * unknown word. */
typedef int tl_word_fn(const char *word);

/* Parses `text` and adds its expressions to `exprs`. `words` may be NULL. Returns 0,
 * FAL_ERR_MEM, or FAL_ERR_FORM with a clause in `err`. */
MUST_USE int tl_value_parse(const char *text, tl_word_fn *words, struct fal_arena *arena,
                            struct tl_exprs *exprs, struct tl_value *out,
                            struct fal_error *err);

/* Parses a duration, "250us" or "$rto * 2 + $coalescing"; what the notation cannot express
 * becomes a hidden variable. Returns as tl_value_parse. */
MUST_USE int tl_duration_parse(const char *text, struct fal_arena *arena,
                               struct tl_exprs *exprs, struct fal_duration *out,
                               struct fal_error *err);

/* Refuses a number without a unit where a time is due, but for 0: it would be read as
 * nanoseconds, which is hardly what was meant. Returns 0, or FAL_ERR_FORM with a clause. */
MUST_USE int tl_duration_unit(const char *text, struct fal_error *err);

/* Variables that scenarios bind. Those that hold sequence numbers compute mod 2^32. */
struct tl_var {
    char name[FAL_VAR_MAX];
    struct tl_expr_value value;
};

/* The variables in scope: bound ones, those that `fixed` knows ($rto ...), and hidden ones. */
struct tl_scope {
    const struct tl_var *vars;
    size_t num_vars;
    tl_expr_get *fixed; /* may be NULL */
    const void *fixed_ctx;
    const struct tl_exprs *exprs; /* may be NULL */
    struct fal_error *why;        /* may be NULL: receives why a hidden variable has no value */
};

/* Gets the value of a name in the scope. */
bool tl_scope_get(const void *scope, const char *name, struct tl_expr_value *out);

/* Returns the variable of that name, or NULL. */
const struct tl_var *tl_scope_find(const struct tl_scope *scope, const char *name);
/* The callback that the text codec needs; ctx is the scope. */
struct fal_vars tl_scope_vars(const struct tl_scope *scope);

/* Gets the single number that `value` stands for; relative values count from `base`, mod 2^32.
 * Returns 0, or FAL_ERR_FORM with a clause in `err`. */
MUST_USE int tl_value_get(const struct tl_value *value, uint32_t base,
                          const struct tl_scope *scope, uint64_t *out, struct fal_error *err);

/* Whether the value matches the same numbers whatever `base` and the variables are. */
bool tl_value_is_fixed(const struct tl_value *value);

/* Returns whether `seen` matches the value: 1 or 0, or FAL_ERR_FORM for an unknown variable. */
MUST_USE int tl_value_match(const struct tl_value *value, uint32_t base,
                            const struct tl_scope *scope, uint64_t seen, struct fal_error *err);

#endif
