/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/value.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 200, ITEMS_MAX = 32 };

/* Reads an unsigned number completely: decimal, 0x or 0b. */
static bool read_number(const char *text, uint64_t *out)
{
    uint64_t v = 0;
    unsigned base = 10;

    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'b')) {
        base = text[1] == 'x' ? 16 : 2;
        text += 2;
    }
    if (*text == 0)
        return false;
    for (; *text != 0; text++) {
        int c = tolower((unsigned char)*text);
        unsigned digit = isdigit(c) ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);

        if (!isalnum(c) || digit >= base || v > (UINT64_MAX - digit) / base)
            return false;
        v = v * base + digit;
    }
    *out = v;
    return true;
}

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    for (; *text != 0; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

/* Stores an expression and refers to it by a hidden variable. */
static int hide(struct fal_arena *arena, struct tl_exprs *exprs, const struct tl_expr *expr,
                struct fal_duration *out, struct fal_error *err)
{
    int rc = exprs != NULL ? tl_exprs_add(exprs, arena, expr, out->var) : FAL_ERR_RANGE;

    if (rc == FAL_ERR_MEM)
        return fal_fail(err, rc, "out of memory");
    return rc != 0 ? fal_fail(err, FAL_ERR_FORM, "too many expressions") : 0;
}

int tl_duration_unit(const char *text, struct fal_error *err)
{
    if (*text == 0 || text[strspn(text, "0")] == 0 || text[strspn(text, "0123456789.")] != 0)
        return 0;
    return fal_fail(err, FAL_ERR_FORM,
                    "a number where a time is due; expected a duration with a unit: ns, us, ms "
                    "or s; did you mean '%.20sus', '%.20sms' or '%.20ss'?",
                    text, text, text);
}

int tl_duration_parse(const char *text, struct fal_arena *arena, struct tl_exprs *exprs,
                      struct fal_duration *out, struct fal_error *err)
{
    struct fal_error plain = {{0}};
    struct tl_expr expr = {0};
    int rc;

    *out = (struct fal_duration){0};
    if (tl_duration_unit(text, err) != 0)
        return FAL_ERR_FORM;
    if (fal_text_parse_duration(text, out, &plain) == 0)
        return 0;
    *out = (struct fal_duration){0};
    rc = tl_expr_parse_all(text, arena, &expr, err);
    if (rc != 0) /* the notation's own error message is better here */
        return rc == FAL_ERR_MEM ? rc : fal_fail(err, FAL_ERR_FORM, "%s", plain.text);
    return hide(arena, exprs, &expr, out, err);
}

/* "(...)r" */
static int parse_relative(const char *text, struct fal_arena *arena, struct tl_exprs *exprs,
                          struct tl_value *out, struct fal_error *err)
{
    struct tl_expr expr = {0};
    const char *at = text;
    int rc = tl_expr_parse(&at, arena, &expr, err);

    if (rc != 0)
        return rc;
    if (strcmp(at, "r") != 0)
        return fal_fail(err, FAL_ERR_FORM, "unexpected '%.20s' after '%.60s'", at, expr.text);
    out->kind = TL_VALUE_RELATIVE;
    return hide(arena, exprs, &expr, &out->expr, err);
}

/* Reads one operand: everything but ranges, sets and "!". */
static int parse_single(const char *text, tl_word_fn *words, struct fal_arena *arena,
                        struct tl_exprs *exprs, struct tl_value *out, struct fal_error *err)
{
    char number[TEXT_MAX];
    size_t len = strlen(text);

    if (strcmp(text, "any") == 0) {
        out->kind = TL_VALUE_ANY;
        return 0;
    }
    if (text[0] == '@') {
        if (!is_name(text + 1) || text[1] == '_' || len - 1 >= sizeof out->name)
            return fal_fail(err, FAL_ERR_FORM, "'%s' is not a name to bind; expected @name",
                            text);
        out->kind = TL_VALUE_CAPTURE;
        memcpy(out->name, text + 1, len);
        return 0;
    }
    if (read_number(text, &out->number)) {
        out->kind = TL_VALUE_NUMBER;
        return 0;
    }
    memcpy(number, text, len + 1);
    if (len > 1 && number[len - 1] == 'r') {
        number[len - 1] = 0;
        if (read_number(number, &out->number)) {
            out->kind = TL_VALUE_RELATIVE;
            return 0;
        }
    }
    if (words != NULL && words(text) >= 0) {
        out->kind = TL_VALUE_NUMBER;
        out->number = (uint64_t)words(text);
        return 0;
    }
    if (len > 1 && text[len - 1] == 'r' && text[len - 2] == ')')
        return parse_relative(text, arena, exprs, out, err);
    out->kind = TL_VALUE_EXPR;
    if (isdigit((unsigned char)*text) || strchr("$(~", *text) != NULL)
        return tl_duration_parse(text, arena, exprs, &out->expr, err);
    return fal_fail(
        err, FAL_ERR_FORM,
        "'%s' is not a value; expected a number, 3r, 250us, $name, @name, lo..hi, {a,b} or any",
        text);
}

/* Reads "{a,b}"; changes `text`. */
static int parse_set(char *text, tl_word_fn *words, struct fal_arena *arena,
                     struct tl_exprs *exprs, struct tl_value *out, struct fal_error *err)
{
    size_t len = strlen(text), n = 1;
    char *save = NULL;

    if (text[len - 1] != '}')
        return fal_fail(err, FAL_ERR_FORM, "'%s' has no closing '}'", text);
    text[len - 1] = 0;
    for (const char *c = text; *c != 0; c++)
        n += *c == ',';
    if (n > ITEMS_MAX)
        return fal_fail(err, FAL_ERR_FORM, "a set of %zu values; at most %d are allowed", n,
                        ITEMS_MAX);
    out->kind = TL_VALUE_SET;
    out->items = fal_arena_alloc(arena, n, sizeof *out->items);
    if (out->items == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (char *item = strtok_r(text + 1, ",", &save); item != NULL;
         item = strtok_r(NULL, ",", &save)) {
        int rc = parse_single(item, words, arena, exprs, &out->items[out->num_items++], err);

        if (rc != 0)
            return rc;
    }
    if (out->num_items == 0)
        return fal_fail(err, FAL_ERR_FORM, "an empty set; expected {value, ...}");
    return 0;
}

int tl_value_parse(const char *text, tl_word_fn *words, struct fal_arena *arena,
                   struct tl_exprs *exprs, struct tl_value *out, struct fal_error *err)
{
    char copy[TEXT_MAX];
    char *at = copy, *dots;
    size_t n = 0;
    int rc = 0;

    *out = (struct tl_value){0};
    for (const char *c = text; *c != 0; c++) {
        if (*c == ' ')
            continue;
        if (n + 1 >= sizeof copy)
            return fal_fail(err, FAL_ERR_FORM, "a value with more than %d characters",
                            TEXT_MAX - 1);
        copy[n++] = *c;
    }
    copy[n] = 0;
    if (*at == '!') {
        out->negated = true;
        at++;
    }
    if (*at == 0)
        return fal_fail(err, FAL_ERR_FORM, "an empty value");
    if (*at == '{')
        return parse_set(at, words, arena, exprs, out, err);
    dots = strstr(at, "..");
    if (dots == NULL)
        return parse_single(at, words, arena, exprs, out, err);
    *dots = 0;
    if (*at == 0 && dots[2] == 0)
        return fal_fail(err, FAL_ERR_FORM, "'..' needs a value on at least one side");
    out->kind = TL_VALUE_RANGE;
    out->num_items = 2;
    out->items = fal_arena_alloc(arena, 2, sizeof *out->items);
    if (out->items == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    out->items[0] = (struct tl_value){.kind = TL_VALUE_NUMBER, .number = 0};
    out->items[1] = (struct tl_value){.kind = TL_VALUE_NUMBER, .number = UINT64_MAX};
    if (*at != 0) /* an end that is not given is open */
        rc = parse_single(at, words, arena, exprs, &out->items[0], err);
    if (rc == 0 && dots[2] != 0)
        rc = parse_single(dots + 2, words, arena, exprs, &out->items[1], err);
    return rc;
}

const struct tl_var *tl_scope_find(const struct tl_scope *scope, const char *name)
{
    for (size_t i = 0; i < scope->num_vars; i++)
        if (strcmp(scope->vars[i].name, name) == 0)
            return &scope->vars[i];
    return NULL;
}

bool tl_scope_get(const void *ctx, const char *name, struct tl_expr_value *out)
{
    const struct tl_scope *scope = ctx;
    const struct tl_expr *expr = tl_exprs_find(scope->exprs, name);
    const struct tl_var *var;

    if (expr != NULL)
        return tl_expr_eval(expr, tl_scope_get, scope, out, scope->why) == 0;
    var = tl_scope_find(scope, name);
    if (var != NULL) {
        *out = var->value;
        return true;
    }
    return scope->fixed != NULL && scope->fixed(scope->fixed_ctx, name, out);
}

static bool plain_get(const void *ctx, const char *name, fal_u128 *value)
{
    struct tl_expr_value typed;

    if (!tl_scope_get(ctx, name, &typed))
        return false;
    *value = typed.value;
    return true;
}

struct fal_vars tl_scope_vars(const struct tl_scope *scope)
{
    return (struct fal_vars){.get = plain_get, .ctx = scope};
}

static int expr_get(const struct fal_duration *expr, const struct tl_scope *scope,
                    uint64_t *out, struct fal_error *err)
{
    struct fal_vars vars = tl_scope_vars(scope);
    struct tl_expr_value base = {TL_INTEGER, 0};
    bool known = expr->var[0] != 0 && tl_scope_get(scope, expr->var, &base);

    /* Sequence numbers wrap, and so do values computed from them. */
    if (known && base.type == TL_SEQUENCE && (expr->op == '+' || expr->op == '-') &&
        !expr->percent) {
        uint32_t operand = (uint32_t)(uint64_t)expr->operand;
        uint32_t value = (uint32_t)base.value;

        *out = expr->op == '+' ? value + operand : (uint32_t)(value - operand);
        return 0;
    }
    if (known && expr->op == 0) {
        if (fal_u128_hi(base.value) != 0)
            return fal_fail(err, FAL_ERR_FORM, "$%s does not fit in 64 bits", expr->var);
        *out = fal_u128_lo(base.value);
        return 0;
    }
    return fal_duration_ns(expr, &vars, out, err);
}

int tl_value_get(const struct tl_value *value, uint32_t base, const struct tl_scope *scope,
                 uint64_t *out, struct fal_error *err)
{
    uint64_t more = 0;

    switch (value->kind) {
    case TL_VALUE_NUMBER: *out = value->number; return 0;
    case TL_VALUE_RELATIVE:
        if (value->expr.var[0] != 0 && expr_get(&value->expr, scope, &more, err) != 0)
            return FAL_ERR_FORM;
        *out = (uint32_t)(base + (uint32_t)value->number + (uint32_t)more);
        return 0;
    case TL_VALUE_EXPR: return expr_get(&value->expr, scope, out, err);
    case TL_VALUE_RANGE:
    case TL_VALUE_SET:
    case TL_VALUE_ANY:
    case TL_VALUE_CAPTURE: break;
    }
    return fal_fail(err, FAL_ERR_FORM, "expected a single value, not a pattern");
}

static int match_plain(const struct tl_value *value, uint32_t base,
                       const struct tl_scope *scope, uint64_t seen, struct fal_error *err)
{
    uint64_t lo = 0, hi = 0;
    int rc;

    switch (value->kind) {
    case TL_VALUE_ANY:
    case TL_VALUE_CAPTURE: return 1;
    case TL_VALUE_SET:
        for (size_t i = 0; i < value->num_items; i++) {
            rc = match_plain(&value->items[i], base, scope, seen, err);
            if (rc != 0)
                return rc;
        }
        return 0;
    case TL_VALUE_RANGE:
        rc = tl_value_get(&value->items[0], base, scope, &lo, err);
        if (rc == 0)
            rc = tl_value_get(&value->items[1], base, scope, &hi, err);
        if (rc != 0)
            return rc;
        if (value->items[0].kind == TL_VALUE_RELATIVE) /* the range may include the wrap */
            return (uint32_t)seen - (uint32_t)lo <= (uint32_t)hi - (uint32_t)lo;
        return lo <= seen && seen <= hi;
    case TL_VALUE_NUMBER:
    case TL_VALUE_RELATIVE:
    case TL_VALUE_EXPR:
        rc = tl_value_get(value, base, scope, &lo, err);
        return rc != 0 ? rc : lo == seen;
    }
    return 0;
}

/* The items of ranges and sets are single values. */
bool tl_value_is_fixed(const struct tl_value *value)
{
    for (size_t i = 0; i < value->num_items; i++)
        if (value->items[i].kind != TL_VALUE_NUMBER)
            return false;
    return value->kind != TL_VALUE_RELATIVE && value->kind != TL_VALUE_EXPR;
}

int tl_value_match(const struct tl_value *value, uint32_t base, const struct tl_scope *scope,
                   uint64_t seen, struct fal_error *err)
{
    int rc = match_plain(value, base, scope, seen, err);

    return rc < 0 ? rc : (rc != 0) != value->negated;
}
