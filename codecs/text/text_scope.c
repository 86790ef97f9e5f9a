/* SPDX-License-Identifier: Apache-2.0
 * text_scope.c - the terms of a pattern as numbers: what they stand for in a packet that is
 * sent, and whether a value that was seen fits them. */
#include "codecs/text/text_impl.h"

#include <inttypes.h>

struct fal_scope fal_scope_of(const struct fal_pattern *pattern, const struct fal_relative *rel,
                              const struct fal_vars *vars, const struct fal_falcon *packet,
                              struct fal_error *err)
{
    static const struct fal_relative zero;

    return (struct fal_scope){pattern, rel != NULL ? rel : &zero, vars, packet, err};
}

/* ---- the number that a term stands for ---- */

static int compute(const struct fal_scope *s, const struct fal_field *field,
                   const struct fal_term *term, fal_u128 base, fal_u128 *out)
{
    uint64_t by = fal_u128_lo(term->operand), value = 0;
    bool overflow = fal_u128_hi(base) != 0;

    switch (term->op) {
    case '+': overflow |= __builtin_add_overflow(fal_u128_lo(base), by, &value); break;
    case '-': overflow |= __builtin_sub_overflow(fal_u128_lo(base), by, &value); break;
    case '*': overflow |= __builtin_mul_overflow(fal_u128_lo(base), by, &value); break;
    case '/':
        value = fal_u128_lo(base) / by; /* not 0: the parser has seen to it */
        break;
    }
    /* Sequence numbers wrap: 2^32 - 1 plus 2 is 1. An overflow of 64 bits leaves the low 32
     * bits right. */
    if (fal_field_is_sequence(field) && fal_u128_hi(base) == 0) {
        *out = (uint32_t)value;
        return 0;
    }
    if (overflow)
        return fal_fail(s->err, FAL_ERR_RANGE,
                        "%s: $%s%c%" PRIu64 " cannot be computed in 64 bits", field->name,
                        term->var, term->op, by);
    *out = value;
    return 0;
}

/* Of a variable that holds `base`. */
static int variable_value(const struct fal_scope *s, const struct fal_field *field,
                          const struct fal_term *term, fal_u128 base, fal_u128 *out)
{
    int status = 0;

    *out = base;
    if (term->op != 0)
        status = compute(s, field, term, base, out);
    if (term->relative)
        *out = fal_u128_halves(
            fal_u128_hi(*out),
            (uint32_t)(fal_relative_zero(s->rel, s->packet, field) + (uint32_t)*out));
    /* A delay, as captures of this field hold it: its code. */
    if (fal_field_takes_time(field) && *out > 31 && *out <= UINT64_MAX)
        *out = fal_rnr_timeout_code((uint64_t)*out);
    return status;
}

/* The value of a plain term: no range, set, any or capture. */
int fal_scope_value(const struct fal_scope *s, const struct fal_field *field,
                    const struct fal_term *term, fal_u128 *out)
{
    fal_u128 base = 0;

    switch (term->kind) {
    case FAL_TERM_NUMBER: *out = term->value; return 0;
    case FAL_TERM_RELATIVE:
        *out = (uint32_t)(fal_relative_zero(s->rel, s->packet, field) + (uint32_t)term->value);
        return 0;
    case FAL_TERM_DURATION: *out = fal_rnr_timeout_code(fal_u128_lo(term->value)); return 0;
    case FAL_TERM_VAR:
        if (s->vars == NULL || s->vars->get == NULL ||
            !s->vars->get(s->vars->ctx, term->var, &base))
            return fal_fail(s->err, FAL_ERR_FORM, "%s: there is no variable $%s", field->name,
                            term->var);
        return variable_value(s, field, term, base, out);
    case FAL_TERM_RANGE:
    case FAL_TERM_SET:
    case FAL_TERM_ANY:
    case FAL_TERM_CAPTURE: break;
    }
    return fal_fail(s->err, FAL_ERR_FORM, "%s: a packet to send needs one value, not %s",
                    field->name,
                    term->kind == FAL_TERM_RANGE ? "a range"
                    : term->kind == FAL_TERM_SET ? "a set"
                    : term->kind == FAL_TERM_ANY ? "'any'"
                                                 : "a capture");
}

/* ---- sending ---- */

int fal_scope_apply(const struct fal_scope *s, const struct fal_item *item, void *host)
{
    const struct fal_term *term = &s->pattern->terms[item->term];
    const struct fal_field *field = item->field;
    fal_u128 value = 0;
    int status;

    if (item->match == FAL_MATCH_NE)
        return fal_fail(s->err, FAL_ERR_FORM, "%s: '!' has no place in a packet to send",
                        field->name);
    status = fal_scope_value(s, field, term, &value);
    if (status != 0)
        return status;
    if (fal_u128_shr(value, field->width_bits) != 0) {
        char text[FAL_VAR_MAX + 80];
        struct fal_out out = fal_out_start(text, sizeof text);

        fal_out_term(&out, s->pattern, term, field);
        (void)fal_out_end(&out);
        return fal_fail(s->err, FAL_ERR_RANGE,
                        "%s: the value of %s does not fit in its %u bits", field->name, text,
                        (unsigned)field->width_bits);
    }
    if (item->match == FAL_MATCH_MASK)
        value = ((value & item->mask) | (fal_field_get(field, host) & ~item->mask));
    return fal_field_set(field, host, value);
}

/* ---- expecting ---- */

static bool at_most(fal_u128 a, fal_u128 b)
{
    return a <= b;
}

/* The key by which ranges of a field are ordered. RNR timeouts are ordered by their delay, and
 * code 0 stands for the longest one. */
static fal_u128 rank(const struct fal_field *field, fal_u128 value)
{
    return fal_field_takes_time(field) && at_most(value, 31)
               ? (fal_u128)fal_rnr_timeout_ns((unsigned)value)
               : value;
}

static bool spoken_in_time(const struct fal_term *a, const struct fal_term *b)
{
    return a->kind == FAL_TERM_DURATION || b->kind == FAL_TERM_DURATION;
}

static int in_range(const struct fal_scope *s, const struct fal_field *field,
                    const struct fal_term *range, fal_u128 seen)
{
    const struct fal_term *ends = &s->pattern->terms[range->first];
    fal_u128 from = 0, to = 0;
    int status = fal_scope_value(s, field, &ends[0], &from);

    if (status == 0)
        status = fal_scope_value(s, field, &ends[1], &to);
    if (status != 0)
        return status;
    if (fal_field_is_sequence(field)) /* goes round at 2^32 */
        return (uint32_t)(fal_u128_lo(seen) - fal_u128_lo(from)) <=
               (uint32_t)(fal_u128_lo(to) - fal_u128_lo(from));
    if (spoken_in_time(&ends[0], &ends[1])) {
        from = rank(field, from);
        to = rank(field, to);
        seen = rank(field, seen);
    }
    return at_most(from, seen) && at_most(seen, to);
}

/* 1, 0, or an error. `mask` is all ones when the pattern has no mask. */
static int term_matches(const struct fal_scope *s, const struct fal_field *field,
                        const struct fal_term *term, fal_u128 mask, fal_u128 seen)
{
    fal_u128 due = 0;
    int status;

    switch (term->kind) {
    case FAL_TERM_ANY:
    case FAL_TERM_CAPTURE: return 1;
    case FAL_TERM_RANGE: return in_range(s, field, term, seen);
    case FAL_TERM_SET:
        for (uint16_t i = 0; i < term->count; i++) {
            status = term_matches(s, field, &s->pattern->terms[term->first + i], mask, seen);
            if (status != 0)
                return status;
        }
        return 0;
    case FAL_TERM_NUMBER:
    case FAL_TERM_RELATIVE:
    case FAL_TERM_DURATION:
    case FAL_TERM_VAR: break;
    }
    status = fal_scope_value(s, field, term, &due);
    return status != 0 ? status : (due & mask) == seen;
}

/* "recv_data_base_psn: due 1r, seen 0r" */
static void say_why(const struct fal_scope *s, const struct fal_item *item, fal_u128 seen)
{
    const struct fal_term *term = &s->pattern->terms[item->term];
    const struct fal_term *first = term->count > 0 ? &s->pattern->terms[term->first] : term;
    struct fal_out out;
    fal_u128 value = 0;

    if (s->err == NULL)
        return;
    out = fal_out_start(s->err->text, sizeof s->err->text);
    fal_out_item_name(&out, s->pattern, item);
    if (item->match == FAL_MATCH_MASK) {
        fal_out_text(&out, ":");
        fal_out_radix(&out, item->mask, false);
    }
    fal_out_text(&out, item->match == FAL_MATCH_NE ? ": due anything but " : ": due ");
    fal_out_term(&out, s->pattern, term, item->field);
    if (term->kind == FAL_TERM_VAR && fal_scope_value(s, item->field, term, &value) == 0) {
        fal_out_text(&out, " (");
        fal_out_value(&out, item->field, value);
        fal_out_char(&out, ')');
    }
    fal_out_text(&out, ", seen ");
    if (first->kind == FAL_TERM_RELATIVE && item->match != FAL_MATCH_MASK)
        fal_out_relative(&out,
                         (uint32_t)seen - fal_relative_zero(s->rel, s->packet, item->field));
    else
        fal_out_value(&out, item->field, seen);
    (void)fal_out_end(&out);
}

int fal_scope_holds(const struct fal_scope *s, const struct fal_item *item,
                    const struct fal_field *field, const void *host)
{
    fal_u128 mask = item->match == FAL_MATCH_MASK ? item->mask : fal_u128_ones(128);
    fal_u128 seen = fal_field_get(field, host) & mask;
    int status = term_matches(s, field, &s->pattern->terms[item->term], mask, seen);

    if (status < 0)
        return status;
    if ((status == 1) == (item->match != FAL_MATCH_NE))
        return 1;
    say_why(s, item, seen);
    return 0;
}

void fal_scope_capture(const struct fal_scope *s, const struct fal_item *item,
                       const struct fal_field *field, const void *host,
                       const struct fal_capture *capture)
{
    const struct fal_term *term = &s->pattern->terms[item->term];
    fal_u128 seen;

    if (term->kind != FAL_TERM_CAPTURE)
        return;
    seen = fal_field_get(field, host);
    capture->take(capture->ctx, term->var,
                  item->match == FAL_MATCH_MASK ? (seen & item->mask) : seen);
}
