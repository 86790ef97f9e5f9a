/* SPDX-License-Identifier: Apache-2.0
 * text_parse.c - a line of the notation into a pattern: time, direction, type, items. The
 * values of items are read in text_value.c. */
#include "codecs/base/hex.h"
#include "codecs/base/nearest.h"
#include "codecs/text/text_impl.h"

enum { PAYLOAD_MAX = 65535, TYPES_MAX = 17, FIELDS_MAX = 256 };

/* ---- time and direction ---- */

static int parse_range(struct fal_cursor *in, struct fal_pattern *out)
{
    const char *start = in->at;

    out->time = FAL_TIME_RANGE;
    if (fal_read_duration(in, &out->from) != 0)
        return FAL_ERR_FORM;
    if (strncmp(in->at, "..", 2) != 0)
        return fal_cursor_fail(
            in, start,
            "a time alone says too little: +T after the line before, @T since the start, <=T within, or T..T");
    in->at += 2;
    if (fal_read_duration(in, &out->to) != 0)
        return FAL_ERR_FORM;
    if (out->from.var[0] == 0 && out->to.var[0] == 0 && out->from.ns > out->to.ns)
        return fal_cursor_fail(in, start, "the range ends before it begins");
    return 0;
}

static int parse_time(struct fal_cursor *in, struct fal_pattern *out)
{
    int status;

    if (strncmp(in->at, "<=", 2) == 0) {
        out->time = FAL_TIME_WITHIN;
        in->at += 2;
    } else if (*in->at == '+' || *in->at == '@') {
        out->time = *in->at == '+' ? FAL_TIME_AFTER : FAL_TIME_AT;
        in->at++;
    } else if (!fal_is_digit(*in->at) && *in->at != '$') {
        return 0;
    }
    status =
        out->time == FAL_TIME_NONE ? parse_range(in, out) : fal_read_duration(in, &out->from);
    if (status != 0)
        return status;
    if (*in->at != 0 && !fal_is_blank(*in->at))
        return fal_cursor_fail(in, in->at, "'%s' after the time is not understood",
                               fal_quote(in->at, fal_item_len(in->at)).text);
    fal_skip_blanks(in);
    return 0;
}

/* ---- type ---- */

static int parse_hex(struct fal_cursor *in, struct fal_pattern *out)
{
    const char *digits = in->at + 4;
    size_t n = fal_item_len(digits);
    char text[2 * sizeof out->hex + 1];
    int len;

    if (n == 0)
        return fal_cursor_fail(in, digits, "hex digits are missing");
    if (n / 2 > sizeof out->hex)
        return fal_cursor_fail(in, digits, "more than %zu bytes", sizeof out->hex);
    if (n % 2 != 0)
        return fal_cursor_fail(in, digits, "an odd number of hex digits");
    memcpy(text, digits, n);
    text[n] = 0;
    len = fal_hex_read(text, out->hex, sizeof out->hex);
    if (len < 0)
        return fal_cursor_fail(in, digits, "'%s' is not all hex digits",
                               fal_quote(text, n).text);
    out->hex_len = (size_t)len;
    in->at = digits + n;
    fal_skip_blanks(in);
    if (*in->at != 0 && *in->at != '#')
        return fal_cursor_fail(in, in->at, "nothing may follow the bytes of hex:");
    return 0;
}

static int unknown_type(struct fal_cursor *in, size_t len)
{
    const struct fal_names *names = &fal_names_packet_type;
    char types[200];
    const char *known[TYPES_MAX], *near;
    size_t n = 0;
    struct fal_out list = fal_out_start(types, sizeof types);

    for (; n < names->count && n + 1 < TYPES_MAX; n++)
        known[n] = names->entries[n].name;
    known[n++] = "packet";
    near = fal_nearest(fal_quote(in->at, len).text, known, n);
    if (near != NULL)
        return fal_cursor_fail(in, in->at, "no packet type '%s'; did you mean '%s'?",
                               fal_quote(in->at, len).text, near);
    for (size_t i = 0; i < names->count; i++) {
        fal_out_text(&list, names->entries[i].name);
        fal_out_text(&list, ", ");
    }
    (void)fal_out_end(&list);
    return fal_cursor_fail(in, in->at,
                           "no packet type '%s'; there are %spacket (any of them) and hex:",
                           fal_quote(in->at, len).text, types);
}

static int parse_type(struct fal_cursor *in, struct fal_pattern *out)
{
    char name[FAL_VAR_MAX];
    size_t n = fal_item_len(in->at);

    if (n == 0 || *in->at == '#')
        return fal_cursor_fail(in, in->at, "a packet type is missing");
    if (strncmp(in->at, "hex:", 4) == 0)
        return parse_hex(in, out);
    if (n < sizeof name) {
        memcpy(name, in->at, n);
        name[n] = 0;
        out->any_type = strcmp(name, "packet") == 0;
        out->layout = fal_falcon_layout_named(name);
    }
    if (out->layout == NULL && !out->any_type)
        return unknown_type(in, n);
    in->at += n;
    return 0;
}

/* ---- fields ---- */

/* The field of that name over all packet types, the widest where widths differ. NULL when there
 * is none; *also: another field that the name, an alias, means too. */
static const struct fal_field *find_anywhere(const char *name, const struct fal_field **also)
{
    const struct fal_field *found = NULL;

    *also = NULL;
    for (unsigned type = 0; type < 16; type++) {
        const struct fal_layout *layout = fal_falcon_layout(type);
        const struct fal_field *field = layout != NULL ? fal_layout_find(layout, name) : NULL;

        if (field == NULL)
            continue;
        if (found != NULL && strcmp(found->name, field->name) != 0)
            *also = field;
        if (found == NULL || field->width_bits > found->width_bits)
            found = field;
    }
    return found;
}

/* "; did you mean 'rsn'?": the nearest of the fields of `layout`, or of all packet types
 * (NULL). */
static struct fal_hint nearest_field(const struct fal_layout *layout, const char *name)
{
    const char *known[FIELDS_MAX];
    size_t n = 0;

    for (unsigned type = 0; type < 16; type++) {
        const struct fal_layout *of = layout != NULL ? layout : fal_falcon_layout(type);

        for (size_t i = 0; of != NULL && i < of->num_fields && n < FIELDS_MAX; i++)
            known[n++] = of->fields[i].name;
        if (layout != NULL)
            break;
    }
    return fal_hint(fal_nearest(name, known, n), "");
}

static int no_such_field(struct fal_cursor *in, const struct fal_pattern *out, const char *at,
                         const char *name)
{
    const struct fal_field *also;

    if (find_anywhere(name, &also) != NULL)
        return fal_cursor_fail(in, at, "%s has no field '%s'; other packet types have",
                               out->layout->name, name);
    return fal_cursor_fail(in, at, "%s has no field '%s'%s", out->layout->name, name,
                           nearest_field(out->layout, name).text);
}

static int find_field(struct fal_cursor *in, const struct fal_pattern *out, const char *at,
                      const char *name, const struct fal_field **field)
{
    const struct fal_field *also;

    if (out->any_type) {
        *field = find_anywhere(name, &also);
        if (also != NULL)
            return fal_cursor_fail(in, at, "'%s' may be %s or %s: say which", name,
                                   (*field)->name, also->name);
        if (*field == NULL)
            return fal_cursor_fail(in, at, "no packet type has a field '%s'%s", name,
                                   nearest_field(NULL, name).text);
        return 0;
    }
    *field = fal_layout_find(out->layout, name);
    if (*field == NULL)
        return no_such_field(in, out, at, name);
    if ((*field)->member_offset == offsetof(struct fal_falcon, packet_type))
        return fal_cursor_fail(in, at, "the first word of the line says the packet type");
    return 0;
}

/* ---- items ---- */

static int add_item(struct fal_cursor *in, struct fal_pattern *out, const char *at,
                    struct fal_item item)
{
    for (size_t i = 0; item.match == FAL_MATCH_EQ && i < out->num_items; i++)
        if (out->items[i].match == FAL_MATCH_EQ && out->items[i].field == item.field)
            return fal_cursor_fail(in, at, "%s is given twice", item.field->name);
    if (out->num_items == FAL_ITEMS_MAX)
        return fal_cursor_fail(in, at, "more than %d items", FAL_ITEMS_MAX);
    out->items[out->num_items++] = item;
    return 0;
}

static int parse_flag(struct fal_cursor *in, struct fal_pattern *out, const char *at,
                      const char *word)
{
    size_t n;
    const struct fal_text_flag *flags = fal_text_flags(&n);
    struct fal_item item = {0};

    for (size_t i = 0; i < n; i++) {
        if (strcmp(flags[i].word, word) != 0)
            continue;
        if (find_field(in, out, at, flags[i].field, &item.field) != 0)
            return FAL_ERR_FORM;
        item.mask = flags[i].bits;
        item.match = item.field->width_bits == 1 ? FAL_MATCH_EQ : FAL_MATCH_MASK;
        if (fal_new_term(in, out, at, &item.term) != 0)
            return FAL_ERR_FORM;
        out->terms[item.term] = (struct fal_term){.kind = FAL_TERM_NUMBER, .value = item.mask};
        return add_item(in, out, at, item);
    }
    return fal_cursor_fail(in, at, "'%s' is neither field=value nor a flag (ar, r-own, d-own)",
                           fal_quote(word, strlen(word)).text);
}

/* "$name" */
static int parse_payload_var(struct fal_cursor *in, struct fal_pattern *out)
{
    const char *name = ++in->at;
    size_t n = 0;

    while (fal_is_word(name[n]))
        n++;
    if (n == 0 || n >= sizeof out->payload_var)
        return fal_cursor_fail(in, name, "'$' must be followed by a name of at most %d letters",
                               FAL_VAR_MAX - 1);
    memcpy(out->payload_var, name, n);
    out->payload_var[n] = 0;
    in->at = name + n;
    return 0;
}

static int parse_payload_len(struct fal_cursor *in, struct fal_pattern *out, const char *at)
{
    fal_u128 value;

    if (out->payload_len >= 0 || out->payload_var[0] != 0)
        return fal_cursor_fail(in, at, "payload_len is given twice");
    if (*in->at == '$')
        return parse_payload_var(in, out);
    if (!fal_is_digit(*in->at))
        return fal_cursor_fail(in, in->at, "payload_len takes a number or a variable");
    at = in->at;
    if (fal_read_number(in, &value) != 0)
        return FAL_ERR_FORM;
    if (fal_u128_hi(value) != 0 || fal_u128_lo(value) > PAYLOAD_MAX)
        return fal_cursor_fail(in, at, "payload_len is at most %d", PAYLOAD_MAX);
    out->payload_len = (long long)value;
    return 0;
}

static int parse_mask(struct fal_cursor *in, const char *name, struct fal_item *item)
{
    const char *at = ++in->at;

    item->match = FAL_MATCH_MASK;
    if (fal_read_number(in, &item->mask) != 0)
        return FAL_ERR_FORM;
    if (fal_u128_shr(item->mask, item->field->width_bits) != 0)
        return fal_cursor_fail(in, at, "the mask does not fit in the %u bits of %s",
                               (unsigned)item->field->width_bits, name);
    if (item->mask == 0)
        return fal_cursor_fail(in, at, "a mask of 0 looks at nothing");
    if (*in->at != '=')
        return fal_cursor_fail(in, in->at, "'=' is due after the mask");
    return 0;
}

int fal_parse_item_value(struct fal_cursor *in, struct fal_pattern *out, const char *name,
                         struct fal_item *item)
{
    if (*in->at == ':') {
        if (item->match == FAL_MATCH_NE)
            return fal_cursor_fail(in, in->at - strlen(name) - 1,
                                   "'!' and a mask do not go together");
        if (parse_mask(in, name, item) != 0)
            return FAL_ERR_FORM;
    }
    in->at++;
    if (fal_new_term(in, out, in->at, &item->term) != 0)
        return FAL_ERR_FORM;
    return fal_parse_value(in, out, item, &out->terms[item->term]);
}

/* field=value, !field=value, field:mask=value, flag */
static int parse_item(struct fal_cursor *in, struct fal_pattern *out)
{
    const char *start = in->at, *word = start + (*start == '!');
    char name[FAL_VAR_MAX];
    struct fal_item item = {.match = *start == '!' ? FAL_MATCH_NE : FAL_MATCH_EQ};
    size_t n = 0;

    while (fal_is_word(word[n]) || word[n] == '-')
        n++;
    if (n == 0 || n >= sizeof name ||
        (word[n] != '=' && word[n] != ':' && word[n] != 0 && !fal_is_blank(word[n])))
        return fal_cursor_fail(in, start, "'%s' is not understood: field=value is due here",
                               fal_quote(start, fal_item_len(start)).text);
    memcpy(name, word, n);
    name[n] = 0;
    in->at = word + n;
    if (*in->at != '=' && *in->at != ':') {
        if (item.match == FAL_MATCH_NE)
            return fal_cursor_fail(in, start, "'!' stands before field=value only");
        return parse_flag(in, out, start, name);
    }
    if (strcmp(name, "payload_len") == 0) {
        if (item.match == FAL_MATCH_NE || *in->at != '=')
            return fal_cursor_fail(in, start, "payload_len takes one number: payload_len=64");
        in->at++;
        return parse_payload_len(in, out, start);
    }
    if (find_field(in, out, word, name, &item.field) != 0)
        return FAL_ERR_FORM;
    if (fal_parse_item_value(in, out, name, &item) != 0)
        return FAL_ERR_FORM;
    return add_item(in, out, start, item);
}

static int parse_line(struct fal_cursor in, struct fal_pattern *out)
{
    *out = (struct fal_pattern){.payload_len = -1};
    fal_skip_blanks(&in);
    if (parse_time(&in, out) != 0)
        return FAL_ERR_FORM;
    if (*in.at == '>' || *in.at == '<') {
        out->dir = *in.at++;
        fal_skip_blanks(&in);
    }
    if (parse_type(&in, out) != 0)
        return FAL_ERR_FORM;
    for (fal_skip_blanks(&in); *in.at != 0 && *in.at != '#'; fal_skip_blanks(&in)) {
        if (strncmp(in.at, "...", 3) == 0 && fal_item_len(in.at) == 3) {
            out->rest = true;
            in.at += 3;
            continue;
        }
        if (*in.at == '/' && out->hex_len == 0)
            return fal_parse_ulp_part(&in, out);
        if (parse_item(&in, out) != 0)
            return FAL_ERR_FORM;
        if (*in.at != 0 && !fal_is_blank(*in.at))
            return fal_cursor_fail(&in, in.at, "'%s' after the value is not understood",
                                   fal_quote(in.at, fal_item_len(in.at)).text);
    }
    return 0;
}

int fal_text_parse(const char *line, struct fal_pattern *out, struct fal_error *err)
{
    return parse_line((struct fal_cursor){line, line, err, NULL}, out);
}

int fal_text_parse_at(const char *line, struct fal_pattern *out, struct fal_error *err,
                      unsigned *column)
{
    *column = 0;
    return parse_line((struct fal_cursor){line, line, err, column}, out);
}
