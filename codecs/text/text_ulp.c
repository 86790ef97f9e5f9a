/* SPDX-License-Identifier: Apache-2.0
 * text_ulp.c - the part of a line for the upper layer, " / rdma write_only dqp=7 data=64@9":
 * read and printed. */
#include "codecs/base/nearest.h"
#include "codecs/text/text_impl.h"

#include <assert.h>
#include <inttypes.h>

enum { KINDS_MAX = 64, FIELDS_MAX = 128, OPCODES = 256, DATA_TERMS = 3 };

/* The three numbers of data=LEN@TAG+OFFSET, as fields. */
static const struct fal_field data_fields[DATA_TERMS] = {
    {.name = "the length of the data", .width_bits = 16, .kind = FAL_UINT},
    {.name = "the tag of the data", .width_bits = 64, .kind = FAL_UINT},
    {.name = "the offset of the data", .width_bits = 32, .kind = FAL_UINT},
};

/* ---- the headers of an operation ---- */

/* The headers that a part may speak of: those of its operation, all for `any`. */
static size_t headers_of(const struct fal_ulp_part *part,
                         enum fal_rdma_header out[FAL_RDMA_HEADERS])
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(part->code);
    size_t n = 0;

    if (part->bare) {
        out[n++] = FAL_RDMA_RBTH;
    } else if (part->any) {
        for (; n < FAL_RDMA_HEADERS; n++)
            out[n] = (enum fal_rdma_header)n;
    } else {
        for (; n < kind->num_headers; n++)
            out[n] = kind->headers[n];
    }
    return n;
}

const struct fal_layout *fal_item_layout(const struct fal_pattern *pattern,
                                         const struct fal_item *item)
{
    if (item->header == 0)
        return NULL;
    if (pattern->ulp.protocol == FAL_PROTOCOL_RDMA)
        return fal_rdma_layout((enum fal_rdma_header)(item->header - 1));
    return pattern->ulp.bare ? &fal_nbth_layout : fal_nvme_layout(item->header - 1u);
}

/* ---- reading: the operation ---- */

static size_t all_kinds(const struct fal_ulp_part *part, const char *names[KINDS_MAX],
                        uint8_t codes[KINDS_MAX])
{
    bool rdma = part->protocol == FAL_PROTOCOL_RDMA;
    size_t n = 0;

    for (unsigned code = 0; code < OPCODES && n < KINDS_MAX; code++) {
        const struct fal_rdma_kind *kind = rdma ? fal_rdma_kind(code) : NULL;
        const char *name = rdma ? kind != NULL ? kind->name : NULL : fal_nvme_type_name(code);

        if (name == NULL)
            continue;
        names[n] = name;
        codes[n++] = (uint8_t)code;
    }
    return n;
}

/* "any", the name of the first header, or that of an operation. */
static int parse_kind(struct fal_cursor *in, struct fal_ulp_part *part)
{
    const char *names[KINDS_MAX];
    uint8_t codes[KINDS_MAX];
    size_t len = fal_item_len(in->at), n = all_kinds(part, names, codes);
    const char *start = in->at;
    struct fal_quoted word = fal_quote(start, len);

    in->at += len;
    part->any = strcmp(word.text, "any") == 0;
    part->bare = strcmp(word.text, part->protocol == FAL_PROTOCOL_RDMA ? "rbth" : "nbth") == 0;
    if (part->any || part->bare)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], word.text) == 0) {
            part->code = codes[i];
            return 0;
        }
    }
    if (len == 0 || *start == '#')
        return fal_cursor_fail(in, start,
                               "an operation is missing after %s: one of `talon "
                               "help notation`, or 'any'",
                               fal_ulp_name(part->protocol));
    return fal_cursor_fail(in, start, "%s has no operation '%s'%s",
                           fal_ulp_name(part->protocol), word.text,
                           fal_hint(fal_nearest(word.text, names, n), "").text);
}

/* ---- reading: the fields ---- */

/* The field `name` of the header `prefix` ("" for any), in the headers of the part; *also: how
 * many headers have it. */
static const struct fal_field *find_rdma(const struct fal_ulp_part *part, const char *prefix,
                                         const char *name, uint8_t *header, unsigned *also)
{
    enum fal_rdma_header headers[FAL_RDMA_HEADERS];
    size_t n = headers_of(part, headers);
    const struct fal_field *found = NULL;

    *also = 0;
    for (size_t i = 0; i < n; i++) {
        const struct fal_layout *layout = fal_rdma_layout(headers[i]);
        const struct fal_field *field = fal_layout_find(layout, name);

        if (field == NULL || (prefix[0] != 0 && strcmp(prefix, layout->name) != 0))
            continue;
        ++*also;
        if (found == NULL) {
            found = field;
            *header = (uint8_t)(headers[i] + 1);
        }
    }
    return found;
}

static const struct fal_field *find_nvme(const struct fal_ulp_part *part, const char *prefix,
                                         const char *name, uint8_t *header)
{
    const struct fal_field *field = NULL;

    *header = (uint8_t)(part->code + 1);
    if (prefix[0] != 0)
        return NULL;
    if (part->bare)
        return fal_layout_find(&fal_nbth_layout, name);
    if (!part->any)
        return fal_layout_find(fal_nvme_layout(part->code), name);
    for (unsigned type = 0; field == NULL && type < FAL_NVME_TYPES; type++) {
        field = fal_layout_find(fal_nvme_layout(type), name);
        *header = (uint8_t)(type + 1);
    }
    return field;
}

/* "; did you mean 'rmsn'?" */
static struct fal_hint nearest_field(const struct fal_ulp_part *part, const char *name)
{
    const char *known[FIELDS_MAX];
    enum fal_rdma_header headers[FAL_RDMA_HEADERS];
    bool rdma = part->protocol == FAL_PROTOCOL_RDMA;
    size_t n = 0, count = rdma ? headers_of(part, headers) : 1;

    for (size_t h = 0; h < count; h++) {
        const struct fal_layout *layout = rdma ? fal_rdma_layout(headers[h])
                                          : part->bare || part->any
                                              ? &fal_nbth_layout
                                              : fal_nvme_layout(part->code);

        for (size_t i = 0; i < layout->num_fields && n < FIELDS_MAX; i++)
            known[n++] = layout->fields[i].name;
    }
    return fal_hint(fal_nearest(name, known, n), "");
}

/* The name of the operation in messages: "send_only". */
static const char *part_name(const struct fal_ulp_part *part)
{
    if (part->any)
        return fal_ulp_name(part->protocol);
    if (part->protocol == FAL_PROTOCOL_NVME)
        return part->bare ? "nbth" : fal_nvme_type_name(part->code);
    return part->bare ? "rbth" : fal_rdma_kind(part->code)->name;
}

/* `word` is "field" or "header.field". */
static int find_field(struct fal_cursor *in, const struct fal_ulp_part *part, const char *at,
                      const char *word, struct fal_item *item)
{
    const char *dot = strchr(word, '.'), *name = dot != NULL ? dot + 1 : word;
    char prefix[FAL_VAR_MAX] = "";
    unsigned also = 1;

    if (dot != NULL)
        memcpy(prefix, word, (size_t)(dot - word)); /* shorter than the word, which fits */
    item->field = part->protocol == FAL_PROTOCOL_RDMA
                      ? find_rdma(part, prefix, name, &item->header, &also)
                      : find_nvme(part, prefix, name, &item->header);
    if (item->field == NULL)
        return fal_cursor_fail(in, at, "%s has no field '%s'%s", part_name(part), word,
                               nearest_field(part, name).text);
    if (part->any && also > 1)
        return fal_cursor_fail(in, at,
                               "'%s' is in more than one header: put the header before it, "
                               "as in reth.%s",
                               word, item->field->name);
    return 0;
}

static int add_item(struct fal_cursor *in, struct fal_pattern *out, const char *at,
                    struct fal_item item)
{
    size_t n = out->num_items + out->ulp.num_items;

    for (size_t i = out->num_items; item.match == FAL_MATCH_EQ && i < n; i++)
        if (out->items[i].match == FAL_MATCH_EQ && out->items[i].field == item.field)
            return fal_cursor_fail(in, at, "%s is given twice", item.field->name);
    if (n == FAL_ITEMS_MAX)
        return fal_cursor_fail(in, at, "more than %d items", FAL_ITEMS_MAX);
    out->items[n] = item;
    out->ulp.num_items++;
    return 0;
}

/* "ce", "se": a field of one bit by itself. */
static int parse_flag(struct fal_cursor *in, struct fal_pattern *out, const char *at,
                      struct fal_item item)
{
    assert(item.field != NULL);
    if (item.field->kind != FAL_FLAG || item.match != FAL_MATCH_EQ)
        return fal_cursor_fail(in, at, "'=' and a value of %s are missing", item.field->name);
    if (fal_new_term(in, out, at, &item.term) != 0)
        return FAL_ERR_FORM;
    out->terms[item.term] = (struct fal_term){.kind = FAL_TERM_NUMBER, .value = 1};
    return add_item(in, out, at, item);
}

/* ---- reading: the data ---- */

/* A number, or "$name", into the term of that field. */
static int parse_data_number(struct fal_cursor *in, const struct fal_field *field,
                             struct fal_term *term)
{
    const char *start = in->at;

    if (*start == '$') {
        term->kind = FAL_TERM_VAR;
        in->at++;
        return fal_read_name(in, term->var);
    }
    if (!fal_is_digit(*start))
        return fal_cursor_fail(in, start,
                               "%s is missing: data=64@7+0 are 64 bytes of the "
                               "pattern of tag 7, from its byte 0",
                               field->name);
    term->kind = FAL_TERM_NUMBER;
    if (fal_read_number(in, &term->value) != 0)
        return FAL_ERR_FORM;
    if (fal_u128_shr(term->value, field->width_bits) != 0)
        return fal_cursor_fail(in, start, "%s does not fit in %u bits", field->name,
                               (unsigned)field->width_bits);
    return 0;
}

/* data=LEN[@TAG[+OFFSET]] */
static int parse_data(struct fal_cursor *in, struct fal_pattern *out, const char *at)
{
    static const char before[DATA_TERMS] = {'=', '@', '+'};
    struct fal_ulp_part *part = &out->ulp;
    uint16_t index[DATA_TERMS];

    if (part->data)
        return fal_cursor_fail(in, at, "data is given twice");
    if (*in->at != '=')
        return fal_cursor_fail(in, in->at, "data takes a length: data=64");
    for (size_t i = 0; i < DATA_TERMS; i++)
        if (fal_new_term(in, out, at, &index[i]) != 0)
            return FAL_ERR_FORM;
    part->term = index[0];
    for (size_t i = 0; i < DATA_TERMS && *in->at == before[i]; i++) {
        in->at++;
        if (parse_data_number(in, &data_fields[i], &out->terms[index[i]]) != 0)
            return FAL_ERR_FORM;
        part->has_tag |= i == 1;
    }
    part->data = true;
    return 0;
}

/* field=value, header.field=value, !field=value, field:mask=value, flag, data=... */
static int parse_item(struct fal_cursor *in, struct fal_pattern *out)
{
    const char *start = in->at, *word = start + (*start == '!');
    char name[FAL_VAR_MAX];
    struct fal_item item = {.match = *start == '!' ? FAL_MATCH_NE : FAL_MATCH_EQ};
    size_t n = 0;

    while (fal_is_word(word[n]) || (word[n] == '.' && fal_is_word(word[n + 1])))
        n++;
    if (n == 0 || n >= sizeof name ||
        (word[n] != '=' && word[n] != ':' && word[n] != 0 && !fal_is_blank(word[n])))
        return fal_cursor_fail(in, start, "'%s' is not understood: field=value is due here",
                               fal_quote(start, fal_item_len(start)).text);
    memcpy(name, word, n);
    name[n] = 0;
    in->at = word + n;
    if (strcmp(name, "data") == 0 && item.match == FAL_MATCH_EQ)
        return parse_data(in, out, start);
    if (find_field(in, &out->ulp, word, name, &item) != 0)
        return FAL_ERR_FORM;
    if (*in->at != '=' && *in->at != ':')
        return parse_flag(in, out, start, item);
    if (fal_parse_item_value(in, out, name, &item) != 0)
        return FAL_ERR_FORM;
    return add_item(in, out, start, item);
}

static int parse_protocol(struct fal_cursor *in, struct fal_ulp_part *part)
{
    size_t len = fal_item_len(in->at);
    struct fal_quoted word = fal_quote(in->at, len);

    if (strcmp(word.text, "rdma") == 0)
        part->protocol = FAL_PROTOCOL_RDMA;
    else if (strcmp(word.text, "nvme") == 0)
        part->protocol = FAL_PROTOCOL_NVME;
    else
        return fal_cursor_fail(in, in->at, "after '/' comes rdma or nvme, not '%s'", word.text);
    in->at += len;
    fal_skip_blanks(in);
    return 0;
}

int fal_parse_ulp_part(struct fal_cursor *in, struct fal_pattern *out)
{
    in->at++;
    fal_skip_blanks(in);
    if (parse_protocol(in, &out->ulp) != 0 || parse_kind(in, &out->ulp) != 0)
        return FAL_ERR_FORM;
    for (fal_skip_blanks(in); *in->at != 0 && *in->at != '#'; fal_skip_blanks(in)) {
        if (strncmp(in->at, "...", 3) == 0 && fal_item_len(in->at) == 3) {
            out->rest = true;
            in->at += 3;
            continue;
        }
        if (parse_item(in, out) != 0)
            return FAL_ERR_FORM;
        if (*in->at != 0 && !fal_is_blank(*in->at))
            return fal_cursor_fail(in, in->at, "'%s' after the value is not understood",
                                   fal_quote(in->at, fal_item_len(in->at)).text);
    }
    return 0;
}

/* ---- printing ---- */

void fal_out_item_name(struct fal_out *out, const struct fal_pattern *pattern,
                       const struct fal_item *item)
{
    if (item->header != 0) {
        fal_out_text(out, pattern->ulp.protocol == FAL_PROTOCOL_RDMA
                              ? fal_item_layout(pattern, item)->name
                              : "nvme");
        fal_out_char(out, '.');
    }
    fal_out_text(out, item->field->name);
}

void fal_out_item_word(struct fal_out *out, const struct fal_pattern *pattern,
                       const struct fal_item *item)
{
    /* An alias may mean two fields when the type is open (code). */
    bool alias = item->field->alias != NULL && (item->header != 0 || !pattern->any_type);

    if (item->header > 1 + FAL_RDMA_RBTH && pattern->ulp.protocol == FAL_PROTOCOL_RDMA) {
        fal_out_text(out, fal_item_layout(pattern, item)->name);
        fal_out_char(out, '.');
    }
    fal_out_text(out, alias ? item->field->alias : item->field->name);
}

void fal_out_ulp_part(struct fal_out *out, const struct fal_pattern *pattern)
{
    static const char before[DATA_TERMS] = {'=', '@', '+'};
    const struct fal_ulp_part *part = &pattern->ulp;

    if (part->protocol == 0)
        return;
    fal_out_format(out, " / %s %s", fal_ulp_name(part->protocol),
                   part->any ? "any" : part_name(part));
    for (size_t i = 0; i < part->num_items; i++)
        fal_out_item(out, pattern, &pattern->items[pattern->num_items + i]);
    if (!part->data)
        return;
    fal_out_text(out, " data");
    for (size_t i = 0; i < DATA_TERMS && (i == 0 || part->has_tag); i++) {
        const struct fal_term *term = &pattern->terms[part->term + i];

        if (i == 2 && term->kind == FAL_TERM_NUMBER && term->value == 0)
            break;
        fal_out_char(out, before[i]);
        fal_out_term(out, pattern, term, &data_fields[i]);
    }
}
