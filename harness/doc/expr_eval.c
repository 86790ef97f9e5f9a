/* SPDX-License-Identifier: Apache-2.0
 * expr_eval.c - computes expressions: the result of each operator for each combination of
 * types. */
#include "harness/doc/expr.h"

#include "codecs/base/error.h"

enum { STACK_MAX = 64 };

const char *tl_expr_type_name(enum tl_expr_type type)
{
    switch (type) {
    case TL_INTEGER: return "a number";
    case TL_SEQUENCE: return "a sequence number";
    case TL_TIME: return "a time";
    case TL_FRACTION: break;
    }
    return "a fraction";
}

/* The combinations of operator and types that have a meaning, and the type of their result. */
static const struct {
    const char *ops;
    enum tl_expr_type a, b, out;
} meanings[] = {
    {"+-*/%&|^lrmM", TL_INTEGER, TL_INTEGER, TL_INTEGER},
    {"+-", TL_SEQUENCE, TL_INTEGER, TL_SEQUENCE},
    {"+", TL_INTEGER, TL_SEQUENCE, TL_SEQUENCE},
    {"-", TL_SEQUENCE, TL_SEQUENCE, TL_INTEGER},
    {"%&|^lr", TL_SEQUENCE, TL_INTEGER, TL_INTEGER},
    {"+-%mM", TL_TIME, TL_TIME, TL_TIME},
    {"/", TL_TIME, TL_TIME, TL_INTEGER},
    {"*/", TL_TIME, TL_INTEGER, TL_TIME},
    {"*", TL_INTEGER, TL_TIME, TL_TIME},
    {"+-*/", TL_TIME, TL_FRACTION, TL_TIME},
    {"*", TL_FRACTION, TL_TIME, TL_TIME},
    {"+-*/", TL_INTEGER, TL_FRACTION, TL_INTEGER},
    {"*", TL_FRACTION, TL_INTEGER, TL_INTEGER},
    {"+-*/mM", TL_FRACTION, TL_FRACTION, TL_FRACTION},
    {"/", TL_FRACTION, TL_INTEGER, TL_FRACTION},
};

static bool has(const char *ops, char op)
{
    while (*ops != 0 && *ops != op)
        ops++;
    return *ops != 0;
}

/* An operator as it is written. */
static const char *op_text(const char *op)
{
    switch (*op) {
    case 'l': return "<<";
    case 'r': return ">>";
    case 'm': return "min";
    case 'M': return "max";
    default: return op;
    }
}

static int type_of(char op, enum tl_expr_type a, enum tl_expr_type b, enum tl_expr_type *out,
                   struct fal_error *err)
{
    const char word[2] = {op, 0};

    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].a == a && meanings[i].b == b && has(meanings[i].ops, op)) {
            *out = meanings[i].out;
            return 0;
        }
    return fal_fail(err, FAL_ERR_FORM, "%s %s %s cannot be combined", tl_expr_type_name(a),
                    op_text(word), tl_expr_type_name(b));
}

static int too_large(struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_FORM, "the value has more than 128 bits");
}

/* a * b / c, rounded to nearest. */
static int scale(fal_u128 a, fal_u128 b, fal_u128 c, fal_u128 *out, struct fal_error *err)
{
    fal_u128 product;

    if (c == 0)
        return fal_fail(err, FAL_ERR_FORM, "division by 0");
    if (__builtin_mul_overflow(a, b, &product) ||
        __builtin_add_overflow(product, c / 2, &product))
        return too_large(err);
    *out = product / c;
    return 0;
}

static int with_fraction(char op, fal_u128 a, fal_u128 b, fal_u128 *out, struct fal_error *err)
{
    const fal_u128 one = TL_FRACTION_ONE;

    switch (op) {
    case '*': return scale(a, b, one, out, err);
    case '/': return scale(a, one, b, out, err);
    case '+': return scale(a, one + b, one, out, err);
    default: break;
    }
    if (b > one)
        return fal_fail(err, FAL_ERR_FORM, "the value is negative");
    return scale(a, one - b, one, out, err);
}

static int plain(char op, fal_u128 a, fal_u128 b, fal_u128 *out, struct fal_error *err)
{
    switch (op) {
    case '+': return __builtin_add_overflow(a, b, out) ? too_large(err) : 0;
    case '*': return __builtin_mul_overflow(a, b, out) ? too_large(err) : 0;
    case '-':
        if (b > a)
            return fal_fail(err, FAL_ERR_FORM, "the value is negative");
        *out = a - b;
        return 0;
    case '/':
    case '%':
        if (b == 0)
            return fal_fail(err, FAL_ERR_FORM, "division by 0");
        *out = op == '/' ? a / b : a % b;
        return 0;
    case 'm': *out = a < b ? a : b; return 0;
    case 'M': *out = a > b ? a : b; return 0;
    case '&': *out = a & b; return 0;
    case '|': *out = a | b; return 0;
    case '^': *out = a ^ b; return 0;
    case 'l': *out = b < 128 ? a << (unsigned)b : 0; return 0;
    default: *out = b < 128 ? a >> (unsigned)b : 0; return 0;
    }
}

static int combine(char op, const struct tl_expr_value *a, const struct tl_expr_value *b,
                   struct tl_expr_value *out, struct fal_error *err)
{
    fal_u128 x = a->value, y = b->value, result = 0;
    enum tl_expr_type type;
    int rc = type_of(op, a->type, b->type, &type, err);

    if (rc != 0)
        return rc;
    if (a->type == TL_SEQUENCE && (op == '+' || op == '-'))
        result = (uint32_t)(op == '+' ? x + y : x - y);
    else if (type == TL_SEQUENCE)
        result = (uint32_t)(x + y);
    else if (a->type == TL_FRACTION && b->type != TL_FRACTION)
        rc = op == '*' ? scale(x, y, TL_FRACTION_ONE, &result, err)
                       : plain(op, x, y, &result, err);
    else if (b->type == TL_FRACTION && (a->type != TL_FRACTION || op == '*' || op == '/'))
        rc = with_fraction(op, x, y, &result, err);
    else
        rc = plain(op, x, y, &result, err);
    if (rc == 0 && type == TL_TIME && result > UINT64_MAX)
        rc = fal_fail(err, FAL_ERR_FORM, "a time of more than 64 bits of nanoseconds");
    *out = (struct tl_expr_value){type, result};
    return rc;
}

static int invert(struct tl_expr_value *v, bool types_only, struct fal_error *err)
{
    if (v->type != TL_INTEGER && v->type != TL_SEQUENCE)
        return fal_fail(err, FAL_ERR_FORM, "~ cannot be applied to %s",
                        tl_expr_type_name(v->type));
    if (!types_only)
        v->value =
            v->type == TL_SEQUENCE ? (fal_u128)(uint32_t)~fal_u128_lo(v->value) : ~v->value;
    return 0;
}

static int run(const struct tl_expr *expr, tl_expr_get *get, const void *ctx, bool types_only,
               struct tl_expr_value *out, struct fal_error *err)
{
    struct tl_expr_value stack[STACK_MAX] = {{TL_INTEGER, 0}};
    size_t top = 0;
    int rc = 0;

    for (size_t i = 0; i < expr->count && rc == 0; i++) {
        const struct tl_expr_op *op = &expr->ops[i];

        switch (op->op) {
        case 'n': stack[top++] = op->literal; break;
        case 'v':
            if (!get(ctx, op->name, &stack[top]))
                rc = fal_fail(err, FAL_ERR_FORM, "unknown variable $%s", op->name);
            top++;
            break;
        case '~': rc = invert(&stack[top - 1], types_only, err); break;
        default:
            top--;
            if (types_only)
                rc = type_of(op->op, stack[top - 1].type, stack[top].type, &stack[top - 1].type,
                             err);
            else
                rc = combine(op->op, &stack[top - 1], &stack[top], &stack[top - 1], err);
            break;
        }
    }
    if (rc == 0)
        *out = stack[0];
    return rc;
}

int tl_expr_eval(const struct tl_expr *expr, tl_expr_get *get, const void *ctx,
                 struct tl_expr_value *out, struct fal_error *err)
{
    return run(expr, get, ctx, false, out, err);
}

int tl_expr_type(const struct tl_expr *expr, tl_expr_get *get, const void *ctx,
                 enum tl_expr_type *out, struct fal_error *err)
{
    struct tl_expr_value value = {TL_INTEGER, 0};
    int rc = run(expr, get, ctx, true, &value, err);

    *out = value.type;
    return rc;
}
