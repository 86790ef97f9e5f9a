/* SPDX-License-Identifier: Apache-2.0
 * expr.c - parses expressions into reverse Polish order and stores them under hidden names. */
#include "harness/doc/expr.h"

#include "codecs/base/error.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPS_MAX = 64, DEPTH_MAX = 24, TEXT_MAX = 400 };

struct parser {
    const char *at;
    struct tl_expr_op ops[OPS_MAX];
    size_t count;
    struct fal_error *err;
};

/* From the lowest precedence to the highest. */
static const struct {
    const char *text;
    char op;
    int level;
} operators[] = {{"|", '|', 0}, {"^", '^', 1}, {"&", '&', 2}, {"<<", 'l', 3}, {">>", 'r', 3},
                 {"+", '+', 4}, {"-", '-', 4}, {"*", '*', 5}, {"/", '/', 5},  {"%", '%', 5}};

static int emit(struct parser *p, const struct tl_expr_op *op)
{
    if (p->count == OPS_MAX)
        return fal_fail(p->err, FAL_ERR_FORM, "an expression with more than %d parts",
                        (int)OPS_MAX);
    p->ops[p->count++] = *op;
    return 0;
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* Functions of two values: the smaller and the larger one. */
static const struct {
    const char *name; /* with its parenthesis */
    char op;
} functions[] = {{"min(", 'm'}, {"max(", 'M'}};

enum { NUM_FUNCTIONS = sizeof functions / sizeof *functions };

/* The function that is called here; NUM_FUNCTIONS: none. */
static size_t function_at(const char *at)
{
    size_t i = 0;

    while (i < NUM_FUNCTIONS && strncmp(at, functions[i].name, strlen(functions[i].name)) != 0)
        i++;
    return i;
}

static bool begins_operand(const char *at)
{
    at = skip_blanks(at);
    return isdigit((unsigned char)*at) || *at == '$' || *at == '(' || *at == '~' ||
           function_at(at) < NUM_FUNCTIONS;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Reads the operator here if an operand follows it; -1: none. */
static int operator_at(const char *at)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t len = operators[i].text[1] != 0 ? 2 : 1;

        if (at[0] == operators[i].text[0] && (len == 1 || at[1] == operators[i].text[1]))
            return begins_operand(at + len) ? (int)i : -1;
    }
    return -1;
}

static const struct {
    const char *unit;
    uint64_t ns;
} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

/* Reads digits after the decimal point as billionths, and how many there are. */
static uint64_t read_fraction(const char **at, unsigned *digits)
{
    uint64_t value = 0;

    *digits = 0;
    for ((*at)++; isdigit((unsigned char)**at); (*at)++) {
        if (++*digits > 9)
            continue;
        value = value * 10 + (uint64_t)(**at - '0');
    }
    for (unsigned i = *digits; i < 9; i++)
        value *= 10;
    return value;
}

static int read_whole(struct parser *p, uint64_t *out, bool *decimal)
{
    unsigned base = 10;
    uint64_t value = 0;
    bool any = false;

    if (p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'b')) {
        base = p->at[1] == 'x' ? 16 : 2;
        p->at += 2;
    }
    for (;; p->at++, any = true) {
        int c = tolower((unsigned char)*p->at);
        unsigned digit = isdigit(c)                           ? (unsigned)(c - '0')
                         : base == 16 && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                              : 99;

        if (digit >= base)
            break;
        if (value > (UINT64_MAX - digit) / base)
            return fal_fail(p->err, FAL_ERR_FORM, "a number of more than 64 bits");
        value = value * base + digit;
    }
    if (!any)
        return fal_fail(p->err, FAL_ERR_FORM, "a number without digits");
    *decimal = base == 10;
    *out = value;
    return 0;
}

static int literal(struct parser *p, enum tl_expr_type type, uint64_t value)
{
    const struct tl_expr_op op = {.op = 'n', .literal = {type, value}};

    return emit(p, &op);
}

/* "12", "0x1f", "1.5us", "0.6", "10%" */
static int read_literal(struct parser *p)
{
    uint64_t whole = 0, part = 0, value;
    unsigned digits = 0;
    bool decimal = false, pointed;

    if (read_whole(p, &whole, &decimal) != 0)
        return FAL_ERR_FORM;
    pointed = decimal && p->at[0] == '.' && isdigit((unsigned char)p->at[1]);
    if (pointed)
        part = read_fraction(&p->at, &digits);
    if (digits > 9)
        return fal_fail(p->err, FAL_ERR_FORM, "more than 9 digits after the decimal point");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t len = strlen(units[i].unit);

        if (strncmp(p->at, units[i].unit, len) != 0 || is_word(p->at[len]))
            continue;
        p->at += len;
        if (part % (1000000000 / units[i].ns) != 0)
            return fal_fail(p->err, FAL_ERR_FORM, "not a whole number of nanoseconds");
        if (__builtin_mul_overflow(whole, units[i].ns, &value) ||
            __builtin_add_overflow(value, part / (1000000000 / units[i].ns), &value))
            return fal_fail(p->err, FAL_ERR_FORM, "a time of more than 64 bits");
        return literal(p, TL_TIME, value);
    }
    if (*p->at == '%' && !begins_operand(p->at + 1)) {
        p->at++;
        if (whole > UINT32_MAX)
            return fal_fail(p->err, FAL_ERR_FORM, "the percentage is too large");
        return literal(p, TL_FRACTION, whole * (TL_FRACTION_ONE / 100) + part / 100);
    }
    if (is_word(*p->at))
        return fal_fail(p->err, FAL_ERR_FORM,
                        "'%.12s' after a number; expected a unit: ns, us, ms or s", p->at);
    if (!pointed)
        return literal(p, TL_INTEGER, whole);
    if (whole > UINT32_MAX)
        return fal_fail(p->err, FAL_ERR_FORM, "the fraction is too large");
    return literal(p, TL_FRACTION, whole * TL_FRACTION_ONE + part);
}

static int read_variable(struct parser *p)
{
    struct tl_expr_op op = {.op = 'v'};
    size_t len = 0;

    for (p->at++; is_word(*p->at); p->at++) {
        if (len + 1 >= sizeof op.name)
            return fal_fail(p->err, FAL_ERR_FORM, "a name with more than %d characters",
                            FAL_VAR_MAX - 1);
        op.name[len++] = *p->at;
    }
    if (len == 0 || isdigit((unsigned char)op.name[0]))
        return fal_fail(p->err, FAL_ERR_FORM, "'$' must be followed by a name");
    return emit(p, &op);
}

/* Reads operands and the operators of that level and above. */
static int read_level(struct parser *p, int level, int depth);

/* Reads one character that must come next, after blanks. */
static int expect(struct parser *p, char c, const char *complaint)
{
    p->at = skip_blanks(p->at);
    if (*p->at != c)
        return fal_fail(p->err, FAL_ERR_FORM, "%s", complaint);
    p->at++;
    return 0;
}

/* "min(a, b)" */
static int read_function(struct parser *p, size_t function, int depth)
{
    const struct tl_expr_op op = {.op = functions[function].op};
    int rc;

    p->at += strlen(functions[function].name);
    rc = read_level(p, 0, depth + 1);
    if (rc == 0)
        rc = expect(p, ',', "min and max take two values: min(a, b)");
    if (rc == 0)
        rc = read_level(p, 0, depth + 1);
    if (rc == 0)
        rc = expect(p, ')', "a '(' without a matching ')'");
    return rc != 0 ? rc : emit(p, &op);
}

static int read_operand(struct parser *p, int depth)
{
    const struct tl_expr_op not_op = {.op = '~'};
    int rc;

    p->at = skip_blanks(p->at);
    if (depth > DEPTH_MAX)
        return fal_fail(p->err, FAL_ERR_FORM, "parentheses nested more than %d deep",
                        DEPTH_MAX);
    if (*p->at == '~') {
        p->at++;
        rc = read_operand(p, depth + 1);
        return rc != 0 ? rc : emit(p, &not_op);
    }
    if (*p->at == '$')
        return read_variable(p);
    if (isdigit((unsigned char)*p->at))
        return read_literal(p);
    if (function_at(p->at) < NUM_FUNCTIONS)
        return read_function(p, function_at(p->at), depth);
    if (*p->at != '(')
        return fal_fail(p->err, FAL_ERR_FORM,
                        "'%.12s' is not a value; expected a number, a duration, $name, (...), "
                        "min(a, b) or max(a, b)",
                        p->at);
    p->at++;
    rc = read_level(p, 0, depth + 1);
    return rc != 0 ? rc : expect(p, ')', "a '(' without a matching ')'");
}

static int read_level(struct parser *p, int level, int depth)
{
    int rc = read_operand(p, depth);

    while (rc == 0) {
        const char *after = skip_blanks(p->at);
        int found = operator_at(after);

        if (found < 0 || operators[found].level < level)
            break;
        p->at = after + strlen(operators[found].text);
        rc = read_level(p, operators[found].level + 1, depth);
        if (rc == 0)
            rc = emit(p, &(struct tl_expr_op){.op = operators[found].op});
    }
    return rc;
}

int tl_expr_parse(const char **text, struct fal_arena *arena, struct tl_expr *out,
                  struct fal_error *err)
{
    struct parser p; /* whose list need not be cleared */
    char copy[TEXT_MAX];
    size_t len;
    int rc;

    p.at = *text;
    p.count = 0;
    p.err = err;
    rc = read_level(&p, 0, 0);
    if (rc != 0)
        return rc;
    len = (size_t)(p.at - *text);
    if (len >= sizeof copy)
        return fal_fail(err, FAL_ERR_FORM, "an expression with more than %d characters",
                        TEXT_MAX - 1);
    memcpy(copy, *text, len);
    copy[len] = 0;
    out->ops = fal_arena_alloc(arena, p.count, sizeof *out->ops);
    out->text = fal_arena_strdup(arena, copy);
    if (out->ops == NULL || out->text == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    memcpy(out->ops, p.ops, p.count * sizeof *out->ops);
    out->count = p.count;
    *text = p.at;
    return 0;
}

int tl_expr_parse_all(const char *text, struct fal_arena *arena, struct tl_expr *out,
                      struct fal_error *err)
{
    const char *at = text;
    int rc = tl_expr_parse(&at, arena, out, err);

    if (rc != 0)
        return rc;
    at = skip_blanks(at);
    if (*at != 0)
        return fal_fail(err, FAL_ERR_FORM, "unexpected '%.20s' after '%.40s'", at, out->text);
    return 0;
}

bool tl_expr_mentions(const struct tl_expr *expr, const char *name)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->ops[i].op == 'v' && strcmp(expr->ops[i].name, name) == 0)
            return true;
    return false;
}

/* ---- hidden names ---- */

int tl_exprs_add(struct tl_exprs *exprs, struct fal_arena *arena, const struct tl_expr *expr,
                 char name[FAL_VAR_MAX])
{
    if (exprs->count == TL_EXPRS_MAX)
        return FAL_ERR_RANGE;
    if (exprs->count == exprs->cap) {
        size_t cap = exprs->cap == 0 ? 16 : exprs->cap * 2;
        struct tl_expr *grown = fal_arena_alloc(arena, cap, sizeof *grown);

        if (grown == NULL)
            return FAL_ERR_MEM;
        if (exprs->count > 0)
            memcpy(grown, exprs->list, exprs->count * sizeof *grown);
        exprs->list = grown;
        exprs->cap = cap;
    }
    (void)snprintf(name, FAL_VAR_MAX, "_e%zu", exprs->count);
    exprs->list[exprs->count++] = *expr;
    return 0;
}

const struct tl_expr *tl_exprs_find(const struct tl_exprs *exprs, const char *name)
{
    char *end;
    unsigned long n;

    if (exprs == NULL || name[0] != '_' || name[1] != 'e' || !isdigit((unsigned char)name[2]))
        return NULL;
    n = strtoul(name + 2, &end, 10);
    return *end == 0 && n < exprs->count ? &exprs->list[n] : NULL;
}

void tl_exprs_reveal(const struct tl_exprs *exprs, const char *text, char *out, size_t cap)
{
    size_t len = 0;

    while (*text != 0 && len + 1 < cap) {
        const struct tl_expr *found = NULL;
        char name[FAL_VAR_MAX];
        size_t n = 0;

        if (strncmp(text, "$_e", 3) == 0) {
            while (n + 1 < sizeof name && is_word(text[1 + n])) {
                name[n] = text[1 + n];
                n++;
            }
            name[n] = 0;
            found = tl_exprs_find(exprs, name);
        }
        if (found == NULL) {
            out[len++] = *text++;
            continue;
        }
        n = strlen(found->text);
        if (n > cap - 1 - len)
            n = cap - 1 - len;
        memcpy(out + len, found->text, n);
        len += n;
        text += 1 + strlen(name);
    }
    if (cap > 0)
        out[len] = 0;
}
