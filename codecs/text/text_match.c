/* SPDX-License-Identifier: Apache-2.0
 * text_match.c - patterns against packets: written into one that is to be sent, held against
 * one that was seen. */
#include "codecs/text/text_impl.h"

#include <inttypes.h>

/* What the terms of a pattern are computed from. */
struct scope {
    const struct fal_pattern *pattern;
    const struct fal_relative *rel;
    const struct fal_vars *vars;
    const struct fal_falcon *packet; /* its type and window say what 0r is */
    struct fal_error *err;
};

static struct scope make_scope(const struct fal_pattern *pattern,
                               const struct fal_relative *rel, const struct fal_vars *vars,
                               const struct fal_falcon *packet, struct fal_error *err)
{
    static const struct fal_relative zero;

    return (struct scope){pattern, rel != NULL ? rel : &zero, vars, packet, err};
}

/* ---- the number that a term stands for ---- */

static int compute(const struct scope *s, const struct fal_field *field,
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
    /* Sequence numbers go round: 2^32 - 1 plus 2 is 1. What left 64 bits is right in the
     * low 32. */
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
static int variable_value(const struct scope *s, const struct fal_field *field,
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
static int term_value(const struct scope *s, const struct fal_field *field,
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

static int apply_item(const struct scope *s, const struct fal_item *item,
                      struct fal_falcon *packet)
{
    const struct fal_term *term = &s->pattern->terms[item->term];
    const struct fal_field *field = item->field;
    fal_u128 value = 0;
    int status;

    if (item->match == FAL_MATCH_NE)
        return fal_fail(s->err, FAL_ERR_FORM, "%s: '!' has no place in a packet to send",
                        field->name);
    status = term_value(s, field, term, &value);
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
        value = ((value & item->mask) | (fal_field_get(field, packet) & ~item->mask));
    return fal_field_set(field, packet, value);
}

int fal_pattern_apply(const struct fal_pattern *pattern, const struct fal_relative *rel,
                      const struct fal_vars *vars, struct fal_falcon *packet,
                      struct fal_error *err)
{
    struct fal_falcon made = *packet;
    struct scope s = make_scope(pattern, rel, vars, &made, err);

    if (pattern->hex_len > 0)
        return fal_fail(err, FAL_ERR_FORM, "hex: bytes are sent as they are");
    if (pattern->layout == NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "'packet' can be expected only: to send it takes a type");
    if (fal_falcon_layout(packet->packet_type) != pattern->layout)
        return fal_fail(err, FAL_ERR_FORM, "a %s cannot be made from a packet of type %u",
                        pattern->layout->name, (unsigned)packet->packet_type);
    /* Sequence numbers last: which window they count in, other fields say (of, w). */
    for (int sequences = 0; sequences < 2; sequences++) {
        for (size_t i = 0; i < pattern->num_items; i++) {
            const struct fal_item *item = &pattern->items[i];
            int status;

            if (fal_field_is_sequence(item->field) != (sequences == 1))
                continue;
            status = apply_item(&s, item, &made);
            if (status != 0)
                return status;
        }
    }
    *packet = made;
    return 0;
}

int fal_pattern_payload_now(const struct fal_pattern *pattern, const struct fal_vars *vars,
                            long long *payload_len, struct fal_error *err)
{
    fal_u128 value = 0;

    *payload_len = pattern->payload_len;
    if (pattern->payload_var[0] == 0)
        return 0;
    if (vars == NULL || vars->get == NULL ||
        !vars->get(vars->ctx, pattern->payload_var, &value))
        return fal_fail(err, FAL_ERR_FORM, "payload_len: there is no variable $%s",
                        pattern->payload_var);
    if (value > UINT16_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "payload_len: $%s is at most %d",
                        pattern->payload_var, UINT16_MAX);
    *payload_len = (long long)value;
    return 0;
}

long long fal_pattern_payload_len(const struct fal_pattern *pattern,
                                  const struct fal_falcon *packet)
{
    if (pattern->payload_len >= 0 || packet->packet_type != FAL_PUSH_DATA)
        return pattern->payload_len;
    for (size_t i = 0; i < pattern->num_items; i++)
        if (pattern->items[i].field->kind == FAL_LENGTH)
            return packet->request_length;
    return -1;
}

/* ---- expecting ---- */

static bool at_most(fal_u128 a, fal_u128 b)
{
    return a <= b;
}

/* What ranges of a field are ordered by: RNR timeouts by their delay, code 0 being the longest.
 */
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

static int in_range(const struct scope *s, const struct fal_field *field,
                    const struct fal_term *range, fal_u128 seen)
{
    const struct fal_term *ends = &s->pattern->terms[range->first];
    fal_u128 from = 0, to = 0;
    int status = term_value(s, field, &ends[0], &from);

    if (status == 0)
        status = term_value(s, field, &ends[1], &to);
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
static int term_matches(const struct scope *s, const struct fal_field *field,
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
    status = term_value(s, field, term, &due);
    return status != 0 ? status : (due & mask) == seen;
}

/* "recv_data_base_psn: due 1r, seen 0r" */
static void say_why(const struct scope *s, const struct fal_item *item, fal_u128 seen)
{
    const struct fal_term *term = &s->pattern->terms[item->term];
    const struct fal_term *first = term->count > 0 ? &s->pattern->terms[term->first] : term;
    struct fal_out out;
    fal_u128 value = 0;

    if (s->err == NULL)
        return;
    out = fal_out_start(s->err->text, sizeof s->err->text);
    fal_out_text(&out, item->field->name);
    if (item->match == FAL_MATCH_MASK) {
        fal_out_text(&out, ":");
        fal_out_radix(&out, item->mask, false);
    }
    fal_out_text(&out, item->match == FAL_MATCH_NE ? ": due anything but " : ": due ");
    fal_out_term(&out, s->pattern, term, item->field);
    if (term->kind == FAL_TERM_VAR && term_value(s, item->field, term, &value) == 0) {
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

/* The item's field in the packet that was seen, or NULL when its type has none. */
static const struct fal_field *field_seen(const struct scope *s, const struct fal_item *item)
{
    const struct fal_layout *layout = fal_falcon_layout(s->packet->packet_type);

    if (s->pattern->layout != NULL)
        return item->field;
    if (layout != NULL && item->field >= layout->fields &&
        item->field < layout->fields + layout->num_fields)
        return item->field;
    if (layout != NULL)
        return fal_layout_find(layout, item->field->name);
    /* Of a reserved type only the first two words are known. */
    switch (item->field->member_offset) {
    case offsetof(struct fal_falcon, version):
    case offsetof(struct fal_falcon, dest_cid):
    case offsetof(struct fal_falcon, packet_type): return item->field;
    default: return NULL;
    }
}

static int item_matches(const struct scope *s, const struct fal_item *item)
{
    const char *name = item->field->name;
    const struct fal_field *field = field_seen(s, item);
    const struct fal_term *term = &s->pattern->terms[item->term];
    fal_u128 mask = item->match == FAL_MATCH_MASK ? item->mask : fal_u128_ones(128), seen;
    const char *type = fal_falcon_type_name(s->packet->packet_type);
    int status;

    if (field == NULL && item->match == FAL_MATCH_NE)
        return 1; /* what is not there is not that value */
    if (field == NULL) {
        (void)fal_fail(s->err, 0, "%s: due, but a %s has none", name,
                       type != NULL ? type : "packet of a reserved type");
        return 0;
    }
    seen = fal_field_get(field, s->packet) & mask;
    status = term_matches(s, field, term, mask, seen);
    if (status < 0)
        return status;
    if ((status == 1) == (item->match != FAL_MATCH_NE))
        return 1;
    say_why(s, item, seen);
    return 0;
}

static int type_matches(const struct fal_pattern *pattern, const struct fal_falcon *packet,
                        struct fal_error *why)
{
    const char *seen = fal_falcon_type_name(packet->packet_type);

    if (pattern->any_type || fal_falcon_layout(packet->packet_type) == pattern->layout)
        return 1;
    if (seen != NULL)
        return fal_fail(why, 0, "packet_type: due %s, seen %s", pattern->layout->name, seen);
    return fal_fail(why, 0, "packet_type: due %s, seen %u", pattern->layout->name,
                    (unsigned)packet->packet_type);
}

static void take_captures(const struct scope *s, const struct fal_capture *capture)
{
    for (size_t i = 0; i < s->pattern->num_items; i++) {
        const struct fal_item *item = &s->pattern->items[i];
        const struct fal_term *term = &s->pattern->terms[item->term];
        const struct fal_field *field = field_seen(s, item);
        fal_u128 seen;

        if (term->kind != FAL_TERM_CAPTURE || field == NULL)
            continue;
        seen = fal_field_get(field, s->packet);
        capture->take(capture->ctx, term->var,
                      item->match == FAL_MATCH_MASK ? (seen & item->mask) : seen);
    }
}

int fal_pattern_match(const struct fal_pattern *pattern, const struct fal_relative *rel,
                      const struct fal_vars *vars, const struct fal_seen_packet *seen,
                      const struct fal_capture *capture, struct fal_error *why)
{
    struct scope s = make_scope(pattern, rel, vars, seen->packet, why);
    long long due;

    if (why != NULL)
        why->text[0] = 0;
    if (pattern->hex_len > 0)
        return fal_fail(why, FAL_ERR_FORM, "hex: bytes can only be sent, not expected");
    if (type_matches(pattern, seen->packet, why) == 0)
        return 0;
    for (size_t i = 0; i < pattern->num_items; i++) {
        int status = item_matches(&s, &pattern->items[i]);

        if (status != 1)
            return status;
    }
    if (fal_pattern_payload_now(pattern, vars, &due, why) != 0)
        return FAL_ERR_FORM;
    if (due >= 0 && (unsigned long long)due != seen->payload_len)
        return fal_fail(why, 0, "payload_len: due %lld, seen %zu", due, seen->payload_len);
    if (capture != NULL)
        take_captures(&s, capture);
    return 1;
}

const struct fal_field *fal_pattern_differs(const struct fal_pattern *pattern,
                                            const struct fal_relative *rel,
                                            const struct fal_vars *vars,
                                            const struct fal_falcon *packet)
{
    struct scope s = make_scope(pattern, rel, vars, packet, NULL);

    for (size_t i = 0; i < pattern->num_items; i++)
        if (item_matches(&s, &pattern->items[i]) != 1)
            return pattern->items[i].field;
    return NULL;
}

bool fal_pattern_value(const struct fal_pattern *pattern, const struct fal_relative *rel,
                       const struct fal_vars *vars, const struct fal_falcon *packet,
                       const char *name, fal_u128 *value)
{
    struct scope s = make_scope(pattern, rel, vars, packet, NULL);

    for (size_t i = 0; i < pattern->num_items; i++) {
        const struct fal_item *item = &pattern->items[i];

        if (item->match != FAL_MATCH_NE && strcmp(item->field->name, name) == 0)
            return term_value(&s, item->field, &pattern->terms[item->term], value) == 0;
    }
    return false;
}
