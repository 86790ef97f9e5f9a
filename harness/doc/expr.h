/* SPDX-License-Identifier: Apache-2.0
 * expr.h - expressions in scenarios: "$psn + 128", "$rto * 2 + $coalescing", "($i + 1) % 4".
 * Numbers, sequence numbers (mod 2^32), times and fractions are different types; a combination
 * without meaning (a time plus a number) is refused when the file is read.
 * Operators from the lowest precedence:
 * ^  &  << >>  + -  * / %  ~; parentheses; min(a, b) and max(a, b). A number followed by %, or
 * with a decimal point, is a fraction. Adding a fraction to a value adds that share of it:
 * "$rnr + 10%". */
#ifndef TL_HARNESS_DOC_EXPR_H
#define TL_HARNESS_DOC_EXPR_H

#include "codecs/base/arena.h"
#include "codecs/base/error.h"
#include "codecs/text/text.h"

enum tl_expr_type { TL_INTEGER, TL_SEQUENCE, TL_TIME, TL_FRACTION };

/* Fractions are in units of 1e-9, times in nanoseconds. */
enum { TL_FRACTION_ONE = 1000000000 };

struct tl_expr_value {
    enum tl_expr_type type;
    fal_u128 value;
};

/* A node of the expression in reverse Polish order: a literal ('n'), a variable ('v'), or an
 * operator ('l' and 'r' are shifts, 'm' and 'M' are min and max). */
struct tl_expr_op {
    char op;
    struct tl_expr_value literal;
    char name[FAL_VAR_MAX];
};

struct tl_expr {
    struct tl_expr_op *ops;
    size_t count;
    const char *text; /* the text as it was written */
};

/* Parses the longest expression at *text into the arena and advances *text past it. Returns 0,
 * FAL_ERR_MEM, or FAL_ERR_FORM with a clause in `err`. */
MUST_USE int tl_expr_parse(const char **text, struct fal_arena *arena, struct tl_expr *out,
                           struct fal_error *err);
/* The same for a whole string. */
MUST_USE int tl_expr_parse_all(const char *text, struct fal_arena *arena, struct tl_expr *out,
                               struct fal_error *err);

/* Gets the value of a variable. False: there is no such variable. */
typedef bool tl_expr_get(const void *ctx, const char *name, struct tl_expr_value *out);

/* Computes the expression. Returns 0, or FAL_ERR_FORM with a clause in `err`: an unknown
 * variable, types that cannot be combined, division by 0, a negative result or one of more than
 * 128 bits. */
MUST_USE int tl_expr_eval(const struct tl_expr *expr, tl_expr_get *get, const void *ctx,
                          struct tl_expr_value *out, struct fal_error *err);

/* Determines the type when only the types of variables are known (`get` sets nothing else).
 * Returns as tl_expr_eval. */
MUST_USE int tl_expr_type(const struct tl_expr *expr, tl_expr_get *get, const void *ctx,
                          enum tl_expr_type *out, struct fal_error *err);

/* "a number", "a time", ... */
const char *tl_expr_type_name(enum tl_expr_type type);

/* Returns whether the expression reads that variable. */
bool tl_expr_mentions(const struct tl_expr *expr, const char *name);

/* The expressions of one scenario. Other texts refer to them as hidden variables "_e0", "_e1",
 * ... */
struct tl_exprs {
    struct tl_expr *list;
    size_t count, cap;
};

enum { TL_EXPRS_MAX = 100000 };

/* Adds an expression and returns its hidden name in `name`. Returns 0, FAL_ERR_MEM, or
 * FAL_ERR_RANGE when there are too many. */
MUST_USE int tl_exprs_add(struct tl_exprs *exprs, struct fal_arena *arena,
                          const struct tl_expr *expr, char name[FAL_VAR_MAX]);
/* Returns the expression of a hidden name, or NULL when the name is not hidden. */
const struct tl_expr *tl_exprs_find(const struct tl_exprs *exprs, const char *name);
/* Replaces hidden names ("$_e0") by the expressions as they were written. */
void tl_exprs_reveal(const struct tl_exprs *exprs, const char *text, char *out, size_t cap);

#endif
