/* SPDX-License-Identifier: Apache-2.0
 * text_value.c - the values of a line's items: numbers, names, relative numbers, durations,
 * variables, ranges, sets, any, captures. What cannot be right whatever the variables hold is
 * refused here, with its column. */
#include "codecs/text/text_impl.h"

#include <inttypes.h>

int fal_new_term(struct fal_cursor *in, struct fal_pattern *out, const char *at,
                 uint16_t *index)
{
    if (out->num_terms == FAL_TERMS_MAX)
        return fal_cursor_fail(in, at, "more than %d values in one line", FAL_TERMS_MAX);
    *index = (uint16_t)out->num_terms++;
    out->terms[*index] = (struct fal_term){0};
    return 0;
}

static int check_fits(struct fal_cursor *in, const char *at, const struct fal_field *field,
                      fal_u128 value)
{
    if (fal_u128_shr(value, field->width_bits) == 0)
        return 0;
    return fal_cursor_fail(in, at, "%s does not fit in the %u bits of %s",
                           fal_quote(at, (size_t)(in->at - at)).text,
                           (unsigned)field->width_bits, field->name);
}

/* The delay must be one that a code stands for (7.8): the neighbours are named. */
static int check_delay(struct fal_cursor *in, const char *at, uint64_t ns)
{
    unsigned code = fal_rnr_timeout_code(ns);
    char text[80];
    struct fal_out out = fal_out_start(text, sizeof text);

    if (fal_rnr_timeout_ns(code) == ns)
        return 0;
    if (ns > fal_rnr_timeout_ns(0)) {
        fal_out_text(&out, "the longest is ");
    } else {
        fal_out_text(&out, "the next are ");
        if (code != 1) { /* codes are in order of delay, but 0, the longest */
            fal_out_duration(&out, fal_rnr_timeout_ns((code + 31) % 32));
            fal_out_text(&out, " and ");
        }
    }
    fal_out_duration(&out, fal_rnr_timeout_ns(code));
    (void)fal_out_end(&out);
    return fal_cursor_fail(in, at, "no RNR timeout code stands for this delay; %s", text);
}

/* "12", "3r", "-1r", "10us" */
static int parse_number(struct fal_cursor *in, const struct fal_field *field,
                        struct fal_term *term)
{
    const char *start = in->at;
    uint64_t ns;
    bool negative = *start == '-';

    in->at += negative;
    if (fal_read_number(in, &term->value) != 0)
        return FAL_ERR_FORM;
    if (*in->at == 'r' && !fal_is_word(in->at[1])) {
        in->at++;
        if (!fal_field_is_sequence(field))
            return fal_cursor_fail(in, start, "%s is no sequence number: it takes no '%s'",
                                   field->name,
                                   fal_quote(start, (size_t)(in->at - start)).text);
        if (check_fits(in, start, field, term->value) != 0)
            return FAL_ERR_FORM;
        term->kind = FAL_TERM_RELATIVE;
        if (negative)
            term->value = (uint32_t)(0 - (uint32_t)term->value);
        return 0;
    }
    if (negative)
        return fal_cursor_fail(in, start, "a negative number must be a relative one: -1r");
    if (!fal_is_word(*in->at) && !(in->at[0] == '.' && fal_is_digit(in->at[1]))) {
        term->kind = FAL_TERM_NUMBER;
        return check_fits(in, start, field, term->value);
    }
    if (!fal_field_takes_time(field))
        return fal_cursor_fail(in, start, "'%s' is no value of %s",
                               fal_quote(start, fal_item_len(start)).text, field->name);
    term->kind = FAL_TERM_DURATION;
    if (fal_read_time(in, start, term->value, &ns) != 0)
        return FAL_ERR_FORM;
    term->value = ns;
    return check_delay(in, start, fal_u128_lo(term->value));
}

static int parse_variable(struct fal_cursor *in, struct fal_term *term)
{
    const char *start;

    term->kind = FAL_TERM_VAR;
    in->at++;
    if (fal_read_name(in, term->var) != 0)
        return FAL_ERR_FORM;
    term->op = fal_read_operator(in);
    start = in->at;
    if (term->op == 0)
        return 0;
    if (fal_read_number(in, &term->operand) != 0)
        return FAL_ERR_FORM;
    if (fal_u128_hi(term->operand) != 0)
        return fal_cursor_fail(in, start, "the number after '%c' does not fit in 64 bits",
                               term->op);
    if (term->op == '/' && fal_u128_lo(term->operand) == 0)
        return fal_cursor_fail(in, start, "division by 0");
    return 0;
}

/* "($name)r": the variable counts from the connection's first number. */
static int parse_relative(struct fal_cursor *in, const struct fal_field *field,
                          struct fal_term *term)
{
    const char *start = in->at;

    in->at++;
    if (*in->at != '$')
        return fal_cursor_fail(in, in->at, "a variable is due here: ($name)r");
    if (parse_variable(in, term) != 0)
        return FAL_ERR_FORM;
    if (in->at[0] != ')' || in->at[1] != 'r' || fal_is_word(in->at[2]))
        return fal_cursor_fail(in, in->at, "')r' is due here: ($name)r");
    in->at += 2;
    term->relative = true;
    if (!fal_field_is_sequence(field))
        return fal_cursor_fail(in, start, "%s is no sequence number: it takes no (...)r",
                               field->name);
    return 0;
}

/* Names of coded values, and "any". */
static int parse_word(struct fal_cursor *in, const struct fal_field *field,
                      struct fal_term *term)
{
    const char *start = in->at;
    char word[FAL_VAR_MAX], names[200];
    struct fal_out out = fal_out_start(names, sizeof names);
    uint64_t named = 0;
    size_t n = 0;

    while (fal_is_word(start[n]))
        n++;
    in->at += n;
    if (n < sizeof word) {
        memcpy(word, start, n);
        word[n] = 0;
        if (strcmp(word, "any") == 0) {
            term->kind = FAL_TERM_ANY;
            return 0;
        }
        term->kind = FAL_TERM_NUMBER;
        if (fal_name_find(field->names, word, &named)) {
            term->value = named;
            return 0;
        }
    }
    for (size_t i = 0; field->names != NULL && i < field->names->count; i++) {
        fal_out_text(&out, i == 0 ? ", or one of " : ", ");
        fal_out_text(&out, field->names->entries[i].name);
    }
    (void)fal_out_end(&out);
    return fal_cursor_fail(in, start, "'%s' is no value of %s: a number is due%s",
                           fal_quote(start, n > 0 ? n : fal_item_len(start)).text, field->name,
                           names);
}

static int parse_operand(struct fal_cursor *in, const struct fal_field *field,
                         struct fal_term *term)
{
    const char c = *in->at;

    if (c == '$')
        return parse_variable(in, term);
    if (c == '(')
        return parse_relative(in, field, term);
    if (c == '@') {
        term->kind = FAL_TERM_CAPTURE;
        in->at++;
        return fal_read_name(in, term->var);
    }
    if (fal_is_digit(c) || (c == '-' && fal_is_digit(in->at[1])))
        return parse_number(in, field, term);
    if (c == 0 || fal_is_blank(c))
        return fal_cursor_fail(in, in->at, "a value of %s is missing", field->name);
    return parse_word(in, field, term);
}

static bool is_plain(const struct fal_term *term)
{
    return term->kind == FAL_TERM_NUMBER || term->kind == FAL_TERM_RELATIVE ||
           term->kind == FAL_TERM_VAR || term->kind == FAL_TERM_DURATION;
}

/* A range that can hold nothing is a mistake; of sequence numbers none is, they go round. */
static bool is_backwards(const struct fal_field *field, const struct fal_term *from,
                         const struct fal_term *to)
{
    if (from->kind != to->kind || fal_field_is_sequence(field) ||
        (from->kind != FAL_TERM_NUMBER && from->kind != FAL_TERM_DURATION))
        return false;
    return from->value > to->value;
}

/* operand [ ".." operand ] into *slot, which lies in out->terms. */
static int parse_range(struct fal_cursor *in, struct fal_pattern *out,
                       const struct fal_field *field, struct fal_term *slot)
{
    const char *start = in->at;
    uint16_t from = 0, to = 0;

    if (parse_operand(in, field, slot) != 0)
        return FAL_ERR_FORM;
    if (strncmp(in->at, "..", 2) != 0)
        return 0;
    if (fal_new_term(in, out, start, &from) != 0 || fal_new_term(in, out, start, &to) != 0)
        return FAL_ERR_FORM;
    in->at += 2;
    out->terms[from] = *slot;
    if (parse_operand(in, field, &out->terms[to]) != 0)
        return FAL_ERR_FORM;
    if (!is_plain(&out->terms[from]) || !is_plain(&out->terms[to]))
        return fal_cursor_fail(in, start, "a range goes from one number to another");
    if (is_backwards(field, &out->terms[from], &out->terms[to]))
        return fal_cursor_fail(in, start, "the range ends before it begins");
    *slot = (struct fal_term){.kind = FAL_TERM_RANGE, .first = from, .count = 2};
    return 0;
}

/* "{" value *( "," value ) "}": the members' terms are reserved first, so that they lie side by
 * side although those that are ranges need more. */
static int parse_set(struct fal_cursor *in, struct fal_pattern *out,
                     const struct fal_field *field, struct fal_term *slot)
{
    const char *start = in->at;
    size_t len = strcspn(start, "}#"), count = 1;
    uint16_t index;

    if (start[len] != '}')
        return fal_cursor_fail(in, start, "'}' is missing");
    for (size_t i = 0; i < len; i++)
        count += start[i] == ',';
    slot->kind = FAL_TERM_SET;
    slot->first = (uint16_t)out->num_terms;
    slot->count = (uint16_t)(count <= FAL_TERMS_MAX ? count : FAL_TERMS_MAX);
    for (size_t i = 0; i < count; i++)
        if (fal_new_term(in, out, start, &index) != 0)
            return FAL_ERR_FORM;
    for (size_t i = 0; i < count; i++) {
        struct fal_term *member = &out->terms[slot->first + i];
        const char *at;

        in->at++;
        fal_skip_blanks(in);
        at = in->at;
        if (parse_range(in, out, field, member) != 0)
            return FAL_ERR_FORM;
        fal_skip_blanks(in);
        if (member->kind == FAL_TERM_ANY || member->kind == FAL_TERM_CAPTURE)
            return fal_cursor_fail(in, at, "a set holds numbers and ranges only");
        if (*in->at != (i + 1 < count ? ',' : '}'))
            return fal_cursor_fail(in, in->at, "',' or '}' is due here");
    }
    in->at++;
    return 0;
}

/* Bits of a number that its mask hides would never match. */
static int check_masked(struct fal_cursor *in, const char *at, const struct fal_item *item,
                        const struct fal_term *term)
{
    if (item->match != FAL_MATCH_MASK || term->kind != FAL_TERM_NUMBER ||
        (term->value & ~item->mask) == 0)
        return 0;
    return fal_cursor_fail(in, at, "the value has bits outside of the mask");
}

int fal_parse_value(struct fal_cursor *in, struct fal_pattern *out, const struct fal_item *item,
                    struct fal_term *slot)
{
    const char *start = in->at;
    int status = *start == '{' ? parse_set(in, out, item->field, slot)
                               : parse_range(in, out, item->field, slot);

    if (status != 0)
        return status;
    if (item->match == FAL_MATCH_NE &&
        (slot->kind == FAL_TERM_ANY || slot->kind == FAL_TERM_CAPTURE))
        return fal_cursor_fail(in, start, "'!' takes a number, a range or a set");
    return check_masked(in, start, item, slot);
}
