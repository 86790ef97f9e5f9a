/* SPDX-License-Identifier: Apache-2.0
 * text_print.c - packets and patterns as one line. */
#include "codecs/text/text_impl.h"

enum { BINARY_BITS_MAX = 16 }; /* longer bitmaps are written in hex */

const struct fal_text_flag *fal_text_flags(size_t *n)
{
    static const struct fal_text_flag flags[] = {
        {"ar", offsetof(struct fal_falcon, ack_req), 1, "ack_req"},
        {"r-own", offsetof(struct fal_falcon, own), FAL_OWN_REQ, "own"},
        {"d-own", offsetof(struct fal_falcon, own), FAL_OWN_DATA, "own"},
    };

    *n = sizeof flags / sizeof *flags;
    return flags;
}

bool fal_field_takes_time(const struct fal_field *field)
{
    const struct fal_layout *nack = fal_falcon_layout(FAL_NACK);

    /* The upper layer has fields at the same place of other structs. */
    return field->member_offset == offsetof(struct fal_falcon, rnr_timeout) &&
           field >= nack->fields && field < nack->fields + nack->num_fields;
}

bool fal_field_is_sequence(const struct fal_field *field)
{
    return field->kind == FAL_PSN || field->kind == FAL_RSN;
}

uint32_t fal_relative_zero(const struct fal_relative *rel, const struct fal_falcon *packet,
                           const struct fal_field *field)
{
    unsigned type =
        packet->packet_type == FAL_RESYNC ? packet->resync_packet_type : packet->packet_type;

    switch (field->member_offset) {
    case offsetof(struct fal_falcon, psn):
        return fal_falcon_window(packet) == FAL_WINDOW_REQ ? rel->req_psn : rel->data_psn;
    case offsetof(struct fal_falcon, rsn):
        return type == FAL_PULL_DATA ? rel->peer_rsn : rel->rsn;
    case offsetof(struct fal_falcon, nack_psn):
        return packet->window == FAL_WINDOW_REQ ? rel->peer_req_psn : rel->peer_data_psn;
    case offsetof(struct fal_falcon, recv_req_base_psn): return rel->peer_req_psn;
    case offsetof(struct fal_falcon, recv_data_base_psn): return rel->peer_data_psn;
    default: return 0;
    }
}

/* ---- whole packets ---- */

/* Printed even at their initial value: without these a line would not say which packet it is.
 * The codes of the first two words are packet_type, which is the line's first word, and
 * protocol_type. */
static bool always_printed(const struct fal_field *field, const struct fal_falcon *packet)
{
    if (field->member_offset == offsetof(struct fal_falcon, dest_cid))
        return true;
    if (fal_field_takes_time(field))
        return packet->nack_code == FAL_NACK_RNR;
    return fal_field_is_sequence(field) || field->kind == FAL_LENGTH ||
           (field->kind == FAL_CODE && field->offset_bits >= 64);
}

/* Whether flags say this value: then no "own=2" is printed beside "d-own". */
static bool flags_say(const struct fal_field *field, fal_u128 value)
{
    size_t n;
    const struct fal_text_flag *flags = fal_text_flags(&n);
    uint64_t bits = 0;

    for (size_t i = 0; i < n; i++)
        if (flags[i].member_offset == field->member_offset)
            bits |= flags[i].bits;
    return fal_u128_lo(value) != 0 && (fal_u128_lo(value) & ~bits) == 0;
}

static void print_field(struct fal_out *out, const struct fal_field *field,
                        const struct fal_falcon *packet, const struct fal_relative *rel)
{
    fal_u128 value = fal_field_get(field, packet);

    fal_out_char(out, ' ');
    fal_out_text(out, field->alias != NULL ? field->alias : field->name);
    fal_out_char(out, '=');
    if (rel != NULL && fal_field_is_sequence(field))
        fal_out_relative(out, (uint32_t)value - fal_relative_zero(rel, packet, field));
    else
        fal_out_value(out, field, value);
}

/* The flags among a layout's fields, for values that they say. */
static void print_flags(struct fal_out *out, const struct fal_layout *layout,
                        const struct fal_falcon *packet)
{
    size_t n;
    const struct fal_text_flag *flags = fal_text_flags(&n);

    for (size_t i = 0; i < n; i++) {
        const struct fal_field *field = fal_layout_find(layout, flags[i].field);
        fal_u128 value = field != NULL ? fal_field_get(field, packet) : (fal_u128)0;

        if (field != NULL && flags_say(field, value) &&
            (fal_u128_lo(value) & flags[i].bits) != 0) {
            fal_out_char(out, ' ');
            fal_out_text(out, flags[i].word);
        }
    }
}

/* The first 8 bytes are alike in every packet type and all that is known of a broken one. */
static int print_broken(const struct fal_falcon *packet, char *at, size_t cap)
{
    uint8_t bytes[8] = {0};

    fal_bits_set(bytes, 0, 4, packet->version);
    fal_bits_set(bytes, 8, 24, packet->dest_cid);
    fal_bits_set(bytes, 59, 4, packet->packet_type);
    return fal_text_hex(bytes, sizeof bytes, at, cap);
}

int fal_text_packet(const struct fal_falcon *packet, const struct fal_text_style *style,
                    char *out, size_t cap)
{
    const struct fal_layout *layout = fal_falcon_layout(packet->packet_type);
    struct fal_out to = fal_out_start(out, cap);
    struct fal_relative rel;

    if (layout == NULL)
        return print_broken(packet, out, cap);
    if (style != NULL)
        rel = (struct fal_relative){style->req_psn,      style->data_psn,      style->rsn,
                                    style->peer_req_psn, style->peer_data_psn, style->peer_rsn};
    fal_out_text(&to, layout->name);
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *field = &layout->fields[i];
        fal_u128 value = fal_field_get(field, packet);

        if (field->member_offset == offsetof(struct fal_falcon, packet_type))
            continue;
        if (value == field->initial && !always_printed(field, packet))
            continue;
        if (!flags_say(field, value))
            print_field(&to, field, packet, style != NULL && style->relative ? &rel : NULL);
    }
    print_flags(&to, layout, packet);
    return fal_out_end(&to);
}

int fal_text_hex(const uint8_t *bytes, size_t len, char *out, size_t cap)
{
    static const char digits[] = "0123456789abcdef";
    struct fal_out to = fal_out_start(out, cap);

    fal_out_text(&to, "hex:");
    for (size_t i = 0; i < len; i++) {
        fal_out_char(&to, digits[bytes[i] >> 4]);
        fal_out_char(&to, digits[bytes[i] & 15]);
    }
    return fal_out_end(&to);
}

int fal_text_duration(uint64_t ns, char *out, size_t cap)
{
    struct fal_out to = fal_out_start(out, cap);

    fal_out_duration(&to, ns);
    return fal_out_end(&to);
}

/* ---- patterns ---- */

void fal_out_value(struct fal_out *out, const struct fal_field *field, fal_u128 value)
{
    const char *name =
        fal_u128_hi(value) == 0 ? fal_name_of(field->names, fal_u128_lo(value)) : NULL;

    if (name != NULL)
        fal_out_text(out, name);
    else if (fal_field_takes_time(field) && fal_u128_lo(value) < 32)
        fal_out_duration(out, fal_rnr_timeout_ns((unsigned)value));
    else if (field->kind == FAL_BITMAP)
        fal_out_radix(out, value, fal_u128_top(value) < BINARY_BITS_MAX);
    else if (field->kind == FAL_RSVD || fal_u128_hi(value) != 0)
        fal_out_radix(out, value, false);
    else
        fal_out_number(out, fal_u128_lo(value));
}

static void print_list(struct fal_out *out, const struct fal_pattern *pattern,
                       const struct fal_term *list, const struct fal_field *field,
                       const char *separator)
{
    for (uint16_t i = 0; i < list->count; i++) {
        if (i > 0)
            fal_out_text(out, separator);
        fal_out_term(out, pattern, &pattern->terms[list->first + i], field);
    }
}

/* Recursion ends: a set holds ranges at most, and ranges no lists. */
void fal_out_term(struct fal_out *out, const struct fal_pattern *pattern,
                  const struct fal_term *term, const struct fal_field *field)
{
    switch (term->kind) {
    case FAL_TERM_NUMBER: fal_out_value(out, field, term->value); break;
    case FAL_TERM_RELATIVE: fal_out_relative(out, (uint32_t)term->value); break;
    case FAL_TERM_VAR:
        fal_out_text(out, term->relative ? "($" : "$");
        fal_out_text(out, term->var);
        if (term->op != 0) {
            fal_out_char(out, term->op);
            if (fal_u128_hi(term->operand) != 0)
                fal_out_radix(out, term->operand, false);
            else
                fal_out_number(out, fal_u128_lo(term->operand));
        }
        if (term->relative)
            fal_out_text(out, ")r");
        break;
    case FAL_TERM_RANGE: print_list(out, pattern, term, field, ".."); break;
    case FAL_TERM_SET:
        fal_out_char(out, '{');
        print_list(out, pattern, term, field, ",");
        fal_out_char(out, '}');
        break;
    case FAL_TERM_ANY: fal_out_text(out, "any"); break;
    case FAL_TERM_CAPTURE:
        fal_out_char(out, '@');
        fal_out_text(out, term->var);
        break;
    case FAL_TERM_DURATION: fal_out_duration(out, fal_u128_lo(term->value)); break;
    }
}

/* The flag that stands for an item, or NULL. */
static const struct fal_text_flag *flag_of(const struct fal_pattern *pattern,
                                           const struct fal_item *item)
{
    size_t n;
    const struct fal_text_flag *flags = fal_text_flags(&n);
    const struct fal_term *term = &pattern->terms[item->term];

    for (size_t i = 0; i < n; i++) {
        fal_u128 bits = flags[i].bits;
        fal_u128 mask = item->match == FAL_MATCH_MASK ? item->mask : bits;

        if (flags[i].member_offset == item->field->member_offset &&
            item->match != FAL_MATCH_NE && term->kind == FAL_TERM_NUMBER &&
            term->value == bits && mask == bits &&
            (item->match == FAL_MATCH_MASK || item->field->width_bits == 1))
            return &flags[i];
    }
    return NULL;
}

void fal_out_item(struct fal_out *out, const struct fal_pattern *pattern,
                  const struct fal_item *item)
{
    const struct fal_text_flag *flag = item->header == 0 ? flag_of(pattern, item) : NULL;

    fal_out_char(out, ' ');
    if (flag != NULL) {
        fal_out_text(out, flag->word);
        return;
    }
    if (item->match == FAL_MATCH_NE)
        fal_out_char(out, '!');
    fal_out_item_word(out, pattern, item);
    if (item->match == FAL_MATCH_MASK) {
        fal_out_char(out, ':');
        fal_out_radix(out, item->mask, false);
    }
    fal_out_char(out, '=');
    fal_out_term(out, pattern, &pattern->terms[item->term], item->field);
}

int fal_text_pattern(const struct fal_pattern *pattern, char *out, size_t cap)
{
    struct fal_out to;

    if (pattern->hex_len > 0)
        return fal_text_hex(pattern->hex, pattern->hex_len, out, cap);
    to = fal_out_start(out, cap);
    fal_out_text(&to, pattern->any_type ? "packet" : pattern->layout->name);
    for (size_t i = 0; i < pattern->num_items; i++)
        fal_out_item(&to, pattern, &pattern->items[i]);
    if (pattern->payload_len >= 0)
        fal_out_format(&to, " payload_len=%lld", pattern->payload_len);
    if (pattern->payload_var[0] != 0)
        fal_out_format(&to, " payload_len=$%s", pattern->payload_var);
    if (pattern->rest)
        fal_out_text(&to, " ...");
    fal_out_ulp_part(&to, pattern);
    return fal_out_end(&to);
}
