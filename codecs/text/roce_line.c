/* SPDX-License-Identifier: Apache-2.0
 * roce_line.c - a line of the notation as a packet of RoCEv2: the conditions of a pattern that
 * name one value each. */
#include "codecs/base/hex.h"
#include "codecs/text/roce_text.h"
#include "codecs/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_LEN = 2000, ECNS = 4 };

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* "@8us", "a>" or "b>", and "roce". Returns what follows; NULL: the line is none of RoCE. */
static const char *read_head(const char *at, struct fal_roce_line *out, struct fal_error *err)
{
    const struct fal_vars none = {NULL, NULL};
    struct fal_duration duration;
    char time[40];

    at = skip_blanks(at);
    if (*at == '@') {
        size_t len = strcspn(at + 1, " \t");

        if (len == 0 || len >= sizeof time)
            return NULL;
        memcpy(time, at + 1, len);
        time[len] = 0;
        if (fal_text_parse_duration(time, &duration, err) != 0 ||
            fal_duration_ns(&duration, &none, &out->at_ns, err) != 0)
            return NULL;
        at = skip_blanks(at + 1 + len);
    }
    if (strncmp(at, "a>", 2) == 0 || strncmp(at, "b>", 2) == 0) {
        out->back = *at == 'b';
        at = skip_blanks(at + 2);
    }
    return strncmp(at, "roce", 4) == 0 && (at[4] == ' ' || at[4] == '\t' || at[4] == 0)
               ? skip_blanks(at + 4)
               : NULL;
}

/* The opcode of the packet, or an error. */
static int opcode_of(const struct fal_roce_pattern *pattern, struct fal_error *err)
{
    uint64_t code;

    for (size_t i = 0; i < pattern->num_items; i++) {
        const struct fal_roce_item *item = &pattern->items[i];

        if (item->by != FAL_ROCE_BY_OPCODE)
            continue;
        if (item->values[0].low.kind == FAL_ROCE_NUMBER)
            return (int)item->values[0].low.number;
        if (fal_name_find(&fal_names_roce_opcode, item->values[0].low.word, &code))
            return (int)code;
        return fal_fail(err, FAL_ERR_FORM, "opcode: '%.40s' is no opcode of RoCEv2",
                        item->values[0].low.word);
    }
    return fal_fail(err, FAL_ERR_FORM, "opcode: missing; expected one, as opcode=rc_ack");
}

static int set_field(struct fal_roce_packet *p, const struct fal_roce_item *item,
                     struct fal_error *err)
{
    const char *name = item->field->name;
    void *host;
    const struct fal_field *field = fal_roce_item_field(item, p, &host);

    if (field == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s: a packet of this opcode has no such field",
                        name);
    return fal_field_set(field, host, item->values[0].low.number) == 0
               ? 0
               : fal_fail(err, FAL_ERR_RANGE, "%s: the value does not fit in %u bits", name,
                          (unsigned)field->width_bits);
}

static int set(struct fal_roce_line *out, const struct fal_roce_item *item,
               struct fal_error *err)
{
    const struct fal_roce_value *value = &item->values[0].low;

    if (item->negated || item->num_values != 1 || item->values[0].range)
        return fal_fail(err, FAL_ERR_FORM,
                        "a packet has one value for each field: give no "
                        "!, {} or ..");
    if (item->by == FAL_ROCE_BY_OPCODE)
        return 0;
    if (item->by == FAL_ROCE_BY_KIND || item->by == FAL_ROCE_BY_QP)
        return fal_fail(err, FAL_ERR_FORM, "%s: it selects packets and makes none",
                        item->by == FAL_ROCE_BY_KIND ? "kind" : "qp");
    if (value->kind != FAL_ROCE_NUMBER)
        return fal_fail(err, FAL_ERR_FORM, "%s: expected a number",
                        item->by == FAL_ROCE_BY_FIELD ? item->field->name : "a value");
    switch ((unsigned)item->by) {
    case FAL_ROCE_BY_ECN: out->ecn = (uint8_t)(value->number % ECNS); return 0;
    case FAL_ROCE_BY_ICRC: out->bad_icrc = value->number == FAL_ICRC_BAD; return 0;
    case FAL_ROCE_BY_DATA:
        out->packet.data_len = (size_t)value->number;
        return value->number <= FAL_ROCE_DATA_MAX
                   ? 0
                   : fal_fail(err, FAL_ERR_RANGE, "data: at most %d bytes", FAL_ROCE_DATA_MAX);
    default: return set_field(&out->packet, item, err);
    }
}

/* Takes "port=" out of the line: patterns have no such condition, as the port is the path's. */
static int take_port(char *line, struct fal_roce_line *out, struct fal_error *err)
{
    static const char name[] = "port=";
    char *at = line, *end;
    unsigned long port;

    while ((at = strstr(at, name)) != NULL && at > line && at[-1] != ' ' && at[-1] != '\t')
        at++;
    if (at == NULL)
        return 0;
    port = strtoul(at + sizeof name - 1, &end, 10);
    if (end == at + sizeof name - 1 || strchr(" \t\r", *end) == NULL || port == 0 ||
        port > UINT16_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "port: expected a number from 1 to %d", UINT16_MAX);
    out->port = (uint16_t)port;
    memset(at, ' ', (size_t)(end - at));
    return 0;
}

/* The digits of "hex:" at `at`, and the items behind them, of which only ecn= may be there. */
static int read_hex(const char *at, struct fal_roce_line *out, struct fal_error *err)
{
    struct fal_roce_pattern pattern;
    size_t len = strcspn(at, " \t\r");
    char digits[2 * FAL_ROCE_HEX_MAX + 1];
    int n;

    if (len == 0 || len >= sizeof digits)
        return fal_fail(err, FAL_ERR_FORM, "hex: expected 1 to %d bytes", FAL_ROCE_HEX_MAX);
    memcpy(digits, at, len);
    digits[len] = 0;
    n = fal_hex_read(digits, out->hex, sizeof out->hex);
    if (n < 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "hex: '%.40s' is no list of hex digits, two for each byte", digits);
    out->hex_len = (size_t)n;
    at += len;
    at += strspn(at, " \t\r");
    if (*at == 0)
        return 0;
    n = fal_roce_pattern_parse(at, &pattern, err);
    if (n == 0 && (pattern.num_items != 1 || pattern.items[0].by != FAL_ROCE_BY_ECN))
        return fal_fail(err, FAL_ERR_FORM, "hex: only ecn= may follow the bytes");
    return n == 0 ? set(out, &pattern.items[0], err) : n;
}

int fal_roce_line_parse(const char *text, struct fal_roce_line *out, struct fal_error *err)
{
    struct fal_roce_pattern pattern;
    char line[LINE_MAX_LEN];
    const char *rest;
    size_t len;
    int opcode, rc;

    memset(out, 0, sizeof *out);
    rest = read_head(text, out, NULL);
    if (rest == NULL)
        return FAL_ERR_TYPE;
    len = strcspn(rest, "#");
    if (len >= sizeof line)
        return fal_fail(err, FAL_ERR_FORM, "the line is longer than a packet of RoCEv2");
    memcpy(line, rest, len);
    line[len] = 0;
    rc = take_port(line, out, err);
    if (rc != 0)
        return rc;
    if (strncmp(line, "hex:", 4) == 0)
        return read_hex(line + 4, out, err);
    rc = fal_roce_pattern_parse(line, &pattern, err);
    if (rc != 0)
        return rc;
    opcode = opcode_of(&pattern, err);
    if (opcode < 0)
        return opcode;
    fal_roce_init(&out->packet, (unsigned)opcode);
    out->packet.bth.m = 1; /* as the notation leaves it out */
    for (size_t i = 0; rc == 0 && i < pattern.num_items; i++)
        rc = set(out, &pattern.items[i], err);
    return rc;
}
