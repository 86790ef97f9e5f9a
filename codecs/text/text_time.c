/* SPDX-License-Identifier: Apache-2.0
 * text_time.c - durations: read, and computed when their variables are known. */
#include "codecs/base/time_text.h"
#include "codecs/text/text_impl.h"

#include <inttypes.h>
#include <math.h>

/* "12" or "1.5" behind an operator, without strtod, which follows the locale. */
static int read_operand(struct fal_cursor *in, double *out)
{
    const char *start = in->at;
    double scale = 1;
    fal_u128 whole;

    if (fal_read_number(in, &whole) != 0)
        return FAL_ERR_FORM;
    if (fal_u128_hi(whole) != 0 || fal_u128_lo(whole) > UINT64_C(1) << 53)
        return fal_cursor_fail(in, start, "the number is too large");
    *out = (double)fal_u128_lo(whole);
    if (in->at[0] != '.' || !fal_is_digit(in->at[1]))
        return 0;
    for (in->at++; fal_is_digit(*in->at); in->at++) {
        scale /= 10;
        *out += scale * (*in->at - '0');
    }
    return 0;
}

static int read_variable(struct fal_cursor *in, struct fal_duration *out)
{
    uint64_t unit;

    in->at++;
    if (fal_read_name(in, out->var) != 0)
        return FAL_ERR_FORM;
    out->op = fal_read_operator(in);
    if (out->op == 0)
        return 0;
    if (read_operand(in, &out->operand) != 0)
        return FAL_ERR_FORM;
    if (*in->at == '%') {
        out->percent = true;
        in->at++;
        return 0;
    }
    unit = fal_read_unit(in);
    if (unit != 0 && (out->op == '*' || out->op == '/'))
        return fal_cursor_fail(in, in->at, "'%c' takes a number without a unit", out->op);
    if (unit != 0)
        out->operand *= (double)unit;
    return 0;
}

int fal_read_duration(struct fal_cursor *in, struct fal_duration *out)
{
    const char *start = in->at;
    fal_u128 number;

    *out = (struct fal_duration){0};
    if (*start == '$')
        return read_variable(in, out);
    if (!fal_is_digit(*start))
        return fal_cursor_fail(in, start, "a duration is due here: 10us, 0, $name or $name*2");
    if (fal_read_number(in, &number) != 0)
        return FAL_ERR_FORM;
    if (number == 0 && !fal_is_word(*in->at) && !(in->at[0] == '.' && fal_is_digit(in->at[1])))
        return 0;
    return fal_read_time(in, start, number, &out->ns);
}

int fal_text_parse_duration(const char *text, struct fal_duration *out, struct fal_error *err)
{
    struct fal_cursor in = {text, text, err, NULL};

    fal_skip_blanks(&in);
    if (fal_read_duration(&in, out) != 0)
        return FAL_ERR_FORM;
    fal_skip_blanks(&in);
    if (*in.at != 0)
        return fal_cursor_fail(&in, in.at, "'%s' after the duration is not understood",
                               fal_quote(in.at, fal_item_len(in.at)).text);
    return 0;
}

static int compute(const struct fal_duration *d, uint64_t base, uint64_t *ns,
                   struct fal_error *err)
{
    double by = d->percent ? d->operand / 100 : d->operand, result;
    uint64_t whole = (uint64_t)d->operand;

    /* Exact where it can be: variables may exceed the 53 bits of a double. */
    if (!d->percent && (double)whole == d->operand) {
        if (d->op == '+' && !__builtin_add_overflow(base, whole, ns))
            return 0;
        if (d->op == '-' && !__builtin_sub_overflow(base, whole, ns))
            return 0;
        if (d->op == '*' && !__builtin_mul_overflow(base, whole, ns))
            return 0;
    }
    if (d->percent && (d->op == '+' || d->op == '-'))
        by *= (double)base;
    if (d->op == '/' && by == 0)
        return fal_fail(err, FAL_ERR_FORM, "$%s/0 has no value", d->var);
    result = d->op == '+'   ? (double)base + by
             : d->op == '-' ? (double)base - by
             : d->op == '*' ? (double)base * by
                            : (double)base / by;
    result = round(result);
    if (!(result >= 0 && result < 18446744073709551616.0))
        return fal_fail(err, FAL_ERR_FORM, "$%s is %s; the duration computed from it is %s",
                        d->var, fal_time_text(base).text, result < 0 ? "negative" : "too long");
    *ns = (uint64_t)result;
    return 0;
}

int fal_duration_ns(const struct fal_duration *d, const struct fal_vars *vars, uint64_t *ns,
                    struct fal_error *err)
{
    fal_u128 value;

    if (d->var[0] == 0) {
        *ns = d->ns;
        return 0;
    }
    if (vars == NULL || vars->get == NULL || !vars->get(vars->ctx, d->var, &value))
        return fal_fail(err, FAL_ERR_FORM, "there is no variable $%s", d->var);
    if (fal_u128_hi(value) != 0)
        return fal_fail(err, FAL_ERR_FORM, "$%s is too large for a duration", d->var);
    if (d->op == 0) {
        *ns = fal_u128_lo(value);
        return 0;
    }
    return compute(d, fal_u128_lo(value), ns, err);
}
