/* SPDX-License-Identifier: Apache-2.0
 * fuzz_cc.c - entries of the queues of a Rate Update Engine, and the lines that carry them.
 * The first byte chooses: bit 0, an entry or a line of JSON (cc_line.h); bit 1, the format.
 * An entry is the same in both formats after decoding and encoding. A line that is read can be
 * printed and read again; the judge allows the result of the reference model, and answers about
 * the result that the line has. */
#include "fuzz/targets/targets.h"
#include "harness/cc/cc_check.h"
#include "harness/cc/cc_judge.h"

#include <stdlib.h>
#include <string.h>

union entry {
    struct fal_cc_event event;
    struct fal_cc_result result;
};

/* ---- entries ---- */

static void round_trip(enum fal_cc_format format, enum fal_cc_entry kind, const uint8_t *bytes,
                       union entry *host)
{
    uint8_t back[FAL_CC_ENTRY_LEN];

    if (fal_cc_decode(format, kind, bytes, FAL_CC_ENTRY_LEN, host) != FAL_CC_ENTRY_LEN)
        fuzz_broken("cc: an entry of 64 bytes is not decoded");
    if (fal_cc_encode(format, kind, host, back, NULL) != FAL_CC_ENTRY_LEN)
        fuzz_broken("cc: what was decoded is not encoded");
    if (memcmp(bytes, back, sizeof back) != 0)
        fuzz_broken("cc: decoding and encoding change an entry");
}

/* An event has the same fields in both formats. A result of table-msb lacks two, and has
 * reserved bits in their place, so it is not carried over. */
static void entries(enum fal_cc_format format, const uint8_t *bytes)
{
    enum fal_cc_format other = format == FAL_CC_TABLE_MSB ? FAL_CC_GEN1_LSB : FAL_CC_TABLE_MSB;
    uint8_t carried[FAL_CC_ENTRY_LEN], back[FAL_CC_ENTRY_LEN];
    union entry host, again;

    round_trip(format, FAL_CC_ENTRY_RESULT, bytes, &host);
    round_trip(format, FAL_CC_ENTRY_EVENT, bytes, &host);
    if (fal_cc_encode(other, FAL_CC_ENTRY_EVENT, &host, carried, NULL) < 0)
        fuzz_broken("cc: an event of one format is not encoded in the other");
    round_trip(other, FAL_CC_ENTRY_EVENT, carried, &again);
    if (fal_cc_encode(format, FAL_CC_ENTRY_EVENT, &again, back, NULL) < 0 ||
        memcmp(bytes, back, sizeof back) != 0)
        fuzz_broken("cc: the other format changes an event");
    for (size_t len = 0; len < FAL_CC_ENTRY_LEN; len += 9)
        if (fal_cc_decode(format, FAL_CC_ENTRY_EVENT, bytes, len, &host) >= 0)
            fuzz_broken("cc: an entry of %zu bytes is decoded", len);
}

/* ---- lines ---- */

static bool same_bytes(enum fal_cc_format format, enum fal_cc_entry kind, const void *a,
                       const void *b)
{
    uint8_t bytes[2][FAL_CC_ENTRY_LEN] = {{0}};

    return fal_cc_encode(format, kind, a, bytes[0], NULL) == FAL_CC_ENTRY_LEN &&
           fal_cc_encode(format, kind, b, bytes[1], NULL) == FAL_CC_ENTRY_LEN &&
           memcmp(bytes[0], bytes[1], sizeof bytes[0]) == 0;
}

static bool same_params(const struct fal_swift_params *a, const struct fal_swift_params *b)
{
    size_t n;
    const struct fal_swift_param *table = fal_swift_param_table(&n);

    for (size_t i = 0; i < n; i++)
        if (fal_swift_param_get(&table[i], a) != fal_swift_param_get(&table[i], b))
            return false;
    return true;
}

static void read_again(const struct tl_cc_line *line)
{
    char *text = tl_cc_line_print(line, "again");
    struct tl_cc_line again = {.format = line->format};
    struct fal_error err = {{0}};
    unsigned column;

    fal_swift_params_default(&again.params);
    if (text == NULL)
        return;
    if (tl_cc_line_read(text, strlen(text), &again, &column, &err) != 0)
        fuzz_broken("cc: a line that was printed is refused: %u: %s", column, err.text);
    if (again.now != line->now || again.keep != line->keep || again.format != line->format ||
        strcmp(again.id, line->id) != 0 || !same_params(&again.params, &line->params) ||
        !same_bytes(line->format, FAL_CC_ENTRY_EVENT, &again.event, &line->event) ||
        !same_bytes(line->format, FAL_CC_ENTRY_RESULT, &again.result, &line->result))
        fuzz_broken("cc: printing and reading change a line: %s", text);
    free(text);
}

/* The judge allows the result of the reference model, and answers about the one of the line. */
static void judge(const struct tl_cc_line *line)
{
    struct tl_cc_judge *judge = tl_cc_judge_new(0);
    struct tl_cc_finding finding = {.what = ""};
    struct fal_cc_state state = {0};
    struct tl_cc_line own = *line;

    if (judge == NULL)
        return;
    own.keep = false;
    tl_cc_expect(&own, &state, &own.result);
    if (tl_cc_judge_line(judge, &own, &finding) == 0)
        fuzz_broken("cc: the model is outside: %s: %s",
                    finding.requirement != NULL ? finding.requirement : "-", finding.what);
    finding.what[0] = '\0';
    if (tl_cc_judge_line(judge, line, &finding) == 0 && finding.what[0] == '\0')
        fuzz_broken("cc: a result is not allowed, and nobody says why");
    tl_cc_judge_free(judge);
}

static void lines(enum fal_cc_format format, const char *text, size_t len)
{
    struct tl_cc_line line = {.format = format};
    struct fal_error err = {{0}};
    unsigned column = 0;
    int rc;

    fal_swift_params_default(&line.params);
    rc = tl_cc_line_read(text, len, &line, &column, &err);
    if (rc != 0) {
        if (rc != FAL_ERR_MEM && (column == 0 || err.text[0] == '\0'))
            fuzz_broken("cc: a line is refused at no place, or for no reason");
        return;
    }
    read_again(&line);
    judge(&line);
}

void fuzz_cc(const uint8_t *data, size_t size)
{
    uint8_t bytes[FAL_CC_ENTRY_LEN] = {0};
    enum fal_cc_format format;

    if (size == 0)
        return;
    format = (data[0] & 2) != 0 ? FAL_CC_GEN1_LSB : FAL_CC_TABLE_MSB;
    if ((data[0] & 1) != 0) {
        lines(format, (const char *)data + 1, size - 1);
        return;
    }
    memcpy(bytes, data + 1, size - 1 < sizeof bytes ? size - 1 : sizeof bytes);
    entries(format, bytes);
}
