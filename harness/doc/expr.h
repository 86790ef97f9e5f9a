/* SPDX-License-Identifier: Apache-2.0
 * scenario_expr.h - expressions of scenarios: "$psn + 128", "$rto * 2 + $coalescing",
 * "($i + 1) % 4". Numbers, sequence numbers (mod 2^32), times and fractions do not mix by
 * chance: what has no meaning (a time plus a number) is refused when the file is read.
 *
 * Operators by rising precedence: |  ^  &  << >>  + -  * / %  ~; parentheses. A number with %
 * behind it, or with a point, is a fraction; added to something it is a share of it: "$rnr +
 * 10%". */
#ifndef TL_HARNESS_SCENARIO_EXPR_H
#define TL_HARNESS_SCENARIO_EXPR_H

#include "codecs/arena.h"
#include "codecs/text.h"

enum tl_expr_type { TL_INTEGER, TL_SEQUENCE, TL_TIME, TL_FRACTION };

/* Fractions count in units of 1e-9, times in nanoseconds. */
enum { TL_FRACTION_ONE = 1000000000 };

struct tl_expr_value {
    enum tl_expr_type type;
    fal_u128 value;
};

/* A node of the expression in reverse Polish order: a literal ('n'), a variable ('v'), or an
 * operator ('l' and 'r' are the shifts). */
struct tl_expr_op {
    char op;
    struct tl_expr_value literal;
    char name[FAL_VAR_MAX];
};

struct tl_expr {
    struct tl_expr_op *ops;
    size_t count;
    const char *text; /* as it was written */
};

/* Parses the longest expression at *text, in the arena, and moves *text behind it. Returns 0,
 * FAL_ERR_MEM, or FAL_ERR_FORM with a clause in `err`. */
int tl_expr_parse(const char **text, struct fal_arena *arena, struct tl_expr *out,
                  struct fal_error *err);
/* The same of a whole string. */
int tl_expr_parse_all(const char *text, struct fal_arena *arena, struct tl_expr *out,
                      struct fal_error *err);

/* The value of a variable, or false. */
typedef bool tl_expr_get(const void *ctx, const char *name, struct tl_expr_value *out);

/* Computes it. Returns 0, or FAL_ERR_FORM with a clause in `err`: unknown variable, types that
 * do not go together, division by 0, what is negative or leaves 128 bits. */
int tl_expr_eval(const struct tl_expr *expr, tl_expr_get *get, const void *ctx,
                 struct tl_expr_value *out, struct fal_error *err);

/* Its type, of variables whose types alone are known (`get` sets nothing else). Same returns.
 */
int tl_expr_type(const struct tl_expr *expr, tl_expr_get *get, const void *ctx,
                 enum tl_expr_type *out, struct fal_error *err);

/* "a number", "a time", ... */
const char *tl_expr_type_name(enum tl_expr_type type);

/* Whether it reads that variable. */
bool tl_expr_mentions(const struct tl_expr *expr, const char *name);

/* Expressions of one scenario, which other texts know as hidden variables: "_e0", "_e1", ... */
struct tl_exprs {
    struct tl_expr *list;
    size_t count, cap;
};

enum { TL_EXPRS_MAX = 100000 };

/* Adds one; its hidden name in `name`. 0, FAL_ERR_MEM, FAL_ERR_RANGE when there are too many.
 */
int tl_exprs_add(struct tl_exprs *exprs, struct fal_arena *arena, const struct tl_expr *expr,
                 char name[FAL_VAR_MAX]);
/* The expression of a hidden name, or NULL when it is none. */
const struct tl_expr *tl_exprs_find(const struct tl_exprs *exprs, const char *name);
/* Puts expressions as they were written in place of hidden names ("$_e0"). */
void tl_exprs_reveal(const struct tl_exprs *exprs, const char *text, char *out, size_t cap);

#endif
