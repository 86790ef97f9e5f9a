/* SPDX-License-Identifier: Apache-2.0
 * roce_pattern.c - patterns of packets of RoCEv2: read and matched (roce_text.h). */
#include "codecs/base/nearest.h"
#include "codecs/text/roce_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 96 };

static const char *const kinds[] = {"request", "response", "ack", "nak", "rnr", "cnp", "other"};
static const char *const icrcs[] = {"good", "bad", "absent"};

/* ---- reading ---- */

/* The number of a word in a list, or -1. */
static int word_of(const char *const *words, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0)
            return (int)i;
    return -1;
}

static bool number_of(const char *text, uint64_t *out, const char **end)
{
    char *stop;

    if (!isdigit((unsigned char)*text))
        return false;
    *out = strtoull(text, &stop, 0);
    *end = stop;
    return true;
}

/* "$lost+1" */
static int read_label(const char *text, struct fal_roce_value *out, struct fal_error *err)
{
    size_t len = strcspn(text, "+-");
    char *end;

    if (len == 0 || len > FAL_ROCE_LABEL_MAX)
        return fal_fail(err, FAL_ERR_FORM, "'$%.40s' is no label", text);
    out->kind = FAL_ROCE_LABELLED;
    memcpy(out->word, text, len);
    out->word[len] = 0;
    if (text[len] == 0)
        return 0;
    out->offset = strtoll(text + len, &end, 10);
    return *end == 0 && end > text + len + 1
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "'$%.40s': expected $LABEL+N", text);
}

static int read_word(const struct fal_roce_item *item, const char *text,
                     struct fal_roce_value *out, struct fal_error *err)
{
    uint64_t value;
    int n = -1;

    if (item->by == FAL_ROCE_BY_OPCODE) {
        out->kind = FAL_ROCE_GLOB;
        if (strlen(text) >= sizeof out->word)
            return fal_fail(err, FAL_ERR_FORM, "'%.60s' is too long for an opcode", text);
        strcpy(out->word, text);
        return 0;
    }
    if (item->by == FAL_ROCE_BY_KIND)
        n = word_of(kinds, sizeof kinds / sizeof *kinds, text);
    else if (item->by == FAL_ROCE_BY_ICRC)
        n = word_of(icrcs, sizeof icrcs / sizeof *icrcs, text);
    else if (item->by == FAL_ROCE_BY_ECN && fal_name_find(&fal_names_ecn, text, &value))
        n = (int)value;
    if (n < 0)
        return fal_fail(err, FAL_ERR_FORM, "'%.60s' is no value here", text);
    out->number = (uint64_t)n;
    return 0;
}

static int read_value(const struct fal_roce_item *item, const char *text,
                      struct fal_roce_value *out, struct fal_error *err)
{
    const char *end;

    *out = (struct fal_roce_value){.kind = FAL_ROCE_NUMBER};
    if (*text == '$')
        return read_label(text + 1, out, err);
    if (!number_of(text, &out->number, &end))
        return read_word(item, text, out, err);
    if (strcmp(end, "r") == 0)
        out->kind = FAL_ROCE_RELATIVE;
    else if (*end != 0)
        return fal_fail(err, FAL_ERR_FORM, "'%.60s' is no number", text);
    return 0;
}

/* One value, or "low..high". */
static int add_value(struct fal_roce_item *item, char *text, struct fal_error *err)
{
    char *dots = strstr(text, "..");
    int rc;

    if (item->num_values == FAL_ROCE_VALUES_MAX)
        return fal_fail(err, FAL_ERR_FORM, "more than %d values", FAL_ROCE_VALUES_MAX);
    if (dots != NULL)
        *dots = 0;
    rc = read_value(item, text, &item->values[item->num_values].low, err);
    item->values[item->num_values].range = dots != NULL;
    if (rc == 0 && dots != NULL)
        rc = read_value(item, dots + 2, &item->values[item->num_values].high, err);
    item->num_values++;
    return rc;
}

static int read_values(struct fal_roce_item *item, char *text, struct fal_error *err)
{
    size_t len = strlen(text);
    int rc = 0;

    if (*text != '{')
        return add_value(item, text, err);
    if (text[len - 1] != '}')
        return fal_fail(err, FAL_ERR_FORM, "'%.60s': '}' is missing", text);
    text[len - 1] = 0;
    for (char *at = text + 1, *next; rc == 0 && at != NULL; at = next) {
        next = strchr(at, ',');
        if (next != NULL)
            *next++ = 0;
        rc = add_value(item, at, err);
    }
    return rc;
}

/* "aeth.msn" */
static int find_in_header(const char *name, struct fal_roce_item *item, struct fal_error *err)
{
    size_t len = strcspn(name, ".");

    for (int h = 0; h < FAL_ROCE_HEADERS; h++) {
        const struct fal_layout *layout = fal_roce_header_layout((enum fal_roce_header)h);

        if (strlen(layout->name) != len || strncmp(layout->name, name, len) != 0)
            continue;
        item->behind = true;
        item->field = fal_layout_find(layout, name + len + 1);
        if (item->field != NULL)
            return 0;
    }
    return fal_fail(err, FAL_ERR_FORM, "RoCE has no header and field '%.60s'", name);
}

/* Finds what the name of a condition means. */
static int find_name(const char *name, struct fal_roce_item *item, struct fal_error *err)
{
    static const struct {
        const char *name;
        enum fal_roce_by by;
    } words[] = {{"opcode", FAL_ROCE_BY_OPCODE}, {"kind", FAL_ROCE_BY_KIND},
                 {"ecn", FAL_ROCE_BY_ECN},       {"icrc", FAL_ROCE_BY_ICRC},
                 {"data", FAL_ROCE_BY_DATA},     {"qp", FAL_ROCE_BY_QP}};
    struct fal_nearest_list nearest = {.word = name};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        fal_nearest_add(&nearest, words[i].name);
        item->by = words[i].by;
        if (strcmp(words[i].name, name) == 0)
            return 0;
    }
    item->by = FAL_ROCE_BY_FIELD;
    if (strchr(name, '.') != NULL)
        return find_in_header(name, item, err);
    for (int h = FAL_ROCE_NONE; h >= 0; h--) {
        const struct fal_layout *layout = h == FAL_ROCE_NONE
                                              ? &fal_roce_layout
                                              : fal_roce_header_layout((enum fal_roce_header)h);

        item->behind = h != FAL_ROCE_NONE;
        item->field = fal_layout_find(layout, name);
        if (item->field != NULL)
            return 0;
        for (size_t i = 0; i < layout->num_fields; i++)
            fal_nearest_add(&nearest, layout->fields[i].name);
    }
    return fal_fail(err, FAL_ERR_FORM, "RoCE has no field '%.60s'%s", name,
                    fal_hint(nearest.names[0], "").text);
}

/* A word without '=': an opcode, or a flag that is set. */
static int read_bare(char *word, struct fal_roce_item *item, struct fal_error *err)
{
    const struct fal_field *flag = fal_layout_find(&fal_roce_layout, word);

    if (flag != NULL && flag->kind == FAL_FLAG) {
        item->by = FAL_ROCE_BY_FIELD;
        item->field = flag;
        item->num_values = 1;
        item->values[0].low = (struct fal_roce_value){.kind = FAL_ROCE_NUMBER, .number = 1};
        return 0;
    }
    item->by = FAL_ROCE_BY_OPCODE;
    return add_value(item, word, err);
}

static int read_item(char *word, struct fal_roce_pattern *out, struct fal_error *err)
{
    struct fal_roce_item *item = &out->items[out->num_items];
    char *equals;
    int rc;

    if (out->num_items == FAL_ROCE_ITEMS_MAX)
        return fal_fail(err, FAL_ERR_FORM, "more than %d conditions", FAL_ROCE_ITEMS_MAX);
    *item = (struct fal_roce_item){.negated = *word == '!'};
    word += item->negated;
    equals = strchr(word, '=');
    out->num_items++;
    if (equals == NULL)
        return read_bare(word, item, err);
    *equals = 0;
    rc = find_name(word, item, err);
    if (rc == 0 && equals[1] == 0)
        return fal_fail(err, FAL_ERR_FORM, "a value is missing after '%.60s='", word);
    return rc == 0 ? read_values(item, equals + 1, err) : rc;
}

static bool is_header(const char *word)
{
    if (strcmp(word, "roce") == 0)
        return true;
    for (int h = 0; h < FAL_ROCE_HEADERS; h++)
        if (strcmp(fal_roce_header_layout((enum fal_roce_header)h)->name, word) == 0)
            return true;
    return false;
}

int fal_roce_pattern_parse(const char *text, struct fal_roce_pattern *out,
                           struct fal_error *err)
{
    bool separated = true; /* the name of a header may come */
    int rc = 0;

    *out = (struct fal_roce_pattern){.num_items = 0};
    for (const char *at = text; rc == 0;) {
        char word[WORD_MAX];
        size_t len;

        at += strspn(at, " \t");
        len = strcspn(at, " \t");
        if (len == 0)
            break;
        if (len >= sizeof word)
            return fal_fail(err, FAL_ERR_FORM, "'%.40s...' is too long", at);
        memcpy(word, at, len);
        word[len] = 0;
        at += len;
        if (strcmp(word, "/") == 0) {
            separated = true;
            continue;
        }
        if (!separated || !is_header(word) || strcmp(word, "cnp") == 0)
            rc = read_item(word, out, err);
        separated = false;
    }
    return rc == 0 && out->num_items == 0
               ? fal_fail(err, FAL_ERR_FORM, "a pattern has at least one condition")
               : rc;
}

/* ---- matching ---- */

static bool glob(const char *pattern, const char *text)
{
    for (; *pattern != '*'; pattern++, text++) {
        if (*pattern != *text)
            return false;
        if (*pattern == 0)
            return true;
    }
    for (;; text++) {
        if (glob(pattern + 1, text))
            return true;
        if (*text == 0)
            return false;
    }
}

/* The number that a value stands for; false: it is not known. */
static bool settle(const struct fal_roce_value *value, const struct fal_roce_subject *s,
                   uint64_t *out)
{
    uint32_t psn = 0;

    if (value->kind == FAL_ROCE_LABELLED) {
        if (s->label == NULL || !s->label(s->ctx, value->word, &psn))
            return false;
        *out = (uint64_t)(psn + value->offset) & FAL_ROCE_PSN_MASK;
    } else if (value->kind == FAL_ROCE_RELATIVE) {
        if (!s->has_base)
            return false;
        *out = (s->base + value->number) & FAL_ROCE_PSN_MASK;
    } else {
        *out = value->number;
    }
    return true;
}

const struct fal_field *fal_roce_item_field(const struct fal_roce_item *item,
                                            struct fal_roce_packet *packet, void **host)
{
    *host = &packet->bth;
    if (!item->behind)
        return item->field;
    for (size_t i = 0; packet->kind != NULL && i < packet->kind->num_headers; i++) {
        enum fal_roce_header header = packet->kind->headers[i];
        const struct fal_field *field =
            fal_layout_find(fal_roce_header_layout(header), item->field->name);

        *host = fal_roce_host(packet, header);
        if (field != NULL)
            return field;
    }
    return NULL;
}

/* True if the packet has what the condition is about; *out gets its number. */
static bool number_in(const struct fal_roce_item *item, const struct fal_roce_subject *s,
                      uint64_t *out)
{
    struct fal_roce_packet packet = *s->packet;
    const struct fal_field *field;
    void *host;

    switch (item->by) {
    case FAL_ROCE_BY_KIND: *out = fal_roce_class_of(&packet); return true;
    case FAL_ROCE_BY_ECN: *out = s->ecn; return true;
    case FAL_ROCE_BY_ICRC: *out = s->icrc; return true;
    case FAL_ROCE_BY_DATA: *out = packet.data_len; return true;
    case FAL_ROCE_BY_QP: *out = s->qp; return s->qp != 0;
    case FAL_ROCE_BY_OPCODE: *out = packet.bth.opcode; return true;
    case FAL_ROCE_BY_FIELD: break;
    }
    field = fal_roce_item_field(item, &packet, &host);
    if (field == NULL || (item->behind && packet.state != FAL_ROCE_READ))
        return false;
    *out = (uint64_t)fal_field_get(field, host);
    return true;
}

/* Between the two, as PSNs wrap. */
static bool between(const struct fal_roce_item *item, uint64_t number, uint64_t low,
                    uint64_t high)
{
    if (item->field != NULL && strcmp(item->field->name, "psn") == 0)
        return ((number - low) & FAL_ROCE_PSN_MASK) <= ((high - low) & FAL_ROCE_PSN_MASK);
    return low <= number && number <= high;
}

static bool one_matches(const struct fal_roce_item *item, const struct fal_roce_subject *s)
{
    uint64_t number, low, high;

    if (!number_in(item, s, &number))
        return false;
    for (size_t i = 0; i < item->num_values; i++) {
        const struct fal_roce_value *value = &item->values[i].low;

        if (value->kind == FAL_ROCE_GLOB) {
            if (s->packet->kind != NULL && glob(value->word, s->packet->kind->name))
                return true;
            continue;
        }
        if (!settle(value, s, &low))
            continue;
        high = low;
        if (item->values[i].range && !settle(&item->values[i].high, s, &high))
            continue;
        if (between(item, number, low, high))
            return true;
    }
    return false;
}

bool fal_roce_pattern_match(const struct fal_roce_pattern *pattern,
                            const struct fal_roce_subject *subject)
{
    for (size_t i = 0; i < pattern->num_items; i++)
        if (one_matches(&pattern->items[i], subject) == pattern->items[i].negated)
            return false;
    return true;
}

const char *fal_roce_pattern_label(const struct fal_roce_pattern *pattern,
                                   bool (*known)(const void *ctx, const char *name),
                                   const void *ctx)
{
    for (size_t i = 0; i < pattern->num_items; i++) {
        const struct fal_roce_item *item = &pattern->items[i];

        for (size_t k = 0; k < item->num_values; k++) {
            const struct fal_roce_value *ends[] = {&item->values[k].low, &item->values[k].high};

            for (size_t e = 0; e < 1u + item->values[k].range; e++)
                if (ends[e]->kind == FAL_ROCE_LABELLED && !known(ctx, ends[e]->word))
                    return ends[e]->word;
        }
    }
    return NULL;
}
