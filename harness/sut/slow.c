/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/slow.h"

#include "codecs/text/text.h"
#include "harness/sut/sut.h"

#include <stdlib.h>
#include <string.h>

enum { ITEM_MAX = 64, SLOW_PART = 0x536c /* of the seed */ };

struct held {
    struct held *next;
    uint64_t due_ns;
    uint32_t conn;
    uint16_t path;
    size_t len;
    uint8_t bytes[];
};

struct tl_slow_line {
    struct tl_slow slow;
    struct fal_rng rng;
    uint64_t last_ns; /* when the newest leaves: no packet overtakes another */
    struct held *head, *tail, *taken;
};

/* ---- reading ---- */

int tl_slow_time(const char *text, uint64_t *ns, struct fal_error *err)
{
    const struct fal_vars none = {0};
    struct fal_duration duration;
    struct fal_error why = {{0}};

    if (fal_text_parse_duration(text, &duration, &why) != 0 || duration.var[0] != 0 ||
        fal_duration_ns(&duration, &none, ns, &why) != 0 || *ns > 3600 * FAL_S)
        return fal_fail(err, FAL_ERR_FORM, "'%.60s'; expected a time such as 10us", text);
    return 0;
}

static int read_range(char *text, struct tl_slow_range *range, struct fal_error *err)
{
    char *dots = strstr(text, "..");
    int rc;

    if (dots != NULL)
        *dots = 0;
    rc = tl_slow_time(text, &range->from_ns, err);
    range->to_ns = range->from_ns;
    if (rc == 0 && dots != NULL)
        rc = tl_slow_time(dots + 2, &range->to_ns, err);
    if (rc == 0 && range->to_ns < range->from_ns)
        rc = fal_fail(err, FAL_ERR_FORM, "'%.60s..%.60s'; the first time is the shorter one",
                      text, dots + 2);
    return rc;
}

/* The packet type of that name, or -1. */
static int type_named(const char *name)
{
    for (int type = 0; type < TL_SLOW_TYPES; type++) {
        const char *known = fal_falcon_type_name((enum fal_packet_type)type);

        if (known != NULL && strcmp(known, name) == 0)
            return type;
    }
    return -1;
}

static int read_item(struct tl_slow *slow, char *text, struct fal_error *err)
{
    char *equals = strchr(text, '='), *end;
    unsigned long n;
    int type;

    if (equals == NULL)
        return read_range(text, &slow->all, err);
    *equals = 0;
    if (strncmp(text, "1/", 2) == 0) {
        n = strtoul(text + 2, &end, 10);
        if (*end != 0 || n == 0 || n > 1000000000)
            return fal_fail(err, FAL_ERR_FORM, "'%.60s'; expected 1/N, N a number of packets",
                            text);
        slow->one_in = (unsigned)n;
        return read_range(equals + 1, &slow->rare, err);
    }
    type = type_named(text);
    if (type < 0)
        return fal_fail(err, FAL_ERR_FORM, "no packet type '%.40s'", text);
    slow->has[type] = true;
    return read_range(equals + 1, &slow->of[type], err);
}

int tl_slow_read(struct tl_slow *slow, const char *text, size_t len, struct fal_error *err)
{
    slow->given = true;
    for (size_t at = 0;; at++) {
        const char *comma = memchr(text + at, ',', len - at);
        size_t n = comma != NULL ? (size_t)(comma - text) - at : len - at;
        char item[ITEM_MAX];
        int rc;

        if (n >= sizeof item)
            return fal_fail(err, FAL_ERR_FORM, "'%.60s' is too long", text + at);
        memcpy(item, text + at, n);
        item[n] = 0;
        rc = read_item(slow, item, err);
        at += n;
        if (rc != 0 || at == len)
            return rc;
    }
}

/* ---- holding back ---- */

struct tl_slow_line *tl_slow_line_new(const struct tl_slow *slow, uint64_t seed)
{
    struct tl_slow_line *line = calloc(1, sizeof *line);

    if (line == NULL)
        return NULL;
    line->slow = *slow;
    line->rng = fal_rng_split(seed, SLOW_PART);
    return line;
}

void tl_slow_line_free(struct tl_slow_line *line)
{
    if (line == NULL)
        return;
    while (line->head != NULL) {
        struct held *first = line->head;

        line->head = first->next;
        free(first);
    }
    free(line->taken);
    free(line);
}

static uint64_t draw(struct tl_slow_line *line, const struct tl_sut_out *frame)
{
    const struct tl_slow *slow = &line->slow;
    const struct tl_slow_range *range = &slow->all;
    struct fal_falcon packet;

    if (fal_falcon_decode(frame->bytes, frame->len, &packet) > 0 &&
        slow->has[packet.packet_type])
        range = &slow->of[packet.packet_type];
    if (slow->one_in > 0 && fal_rng_below(&line->rng, slow->one_in) == 0)
        range = &slow->rare;
    return range->from_ns == range->to_ns
               ? range->from_ns
               : range->from_ns + fal_rng_below(&line->rng, range->to_ns - range->from_ns + 1);
}

void tl_slow_put(struct tl_slow_line *line, const struct tl_sut_out *frame, uint64_t now_ns)
{
    struct held *held = malloc(sizeof *held + frame->len);
    uint64_t due_ns = now_ns + draw(line, frame);

    if (held == NULL)
        return;
    if (due_ns < line->last_ns)
        due_ns = line->last_ns;
    line->last_ns = due_ns;
    *held = (struct held){
        .due_ns = due_ns, .conn = frame->conn, .path = frame->path, .len = frame->len};
    memcpy(held->bytes, frame->bytes, frame->len);
    if (line->head != NULL)
        line->tail->next = held;
    else
        line->head = held;
    line->tail = held;
}

uint64_t tl_slow_due(const struct tl_slow_line *line)
{
    return line->head != NULL ? line->head->due_ns : FAL_NEVER;
}

bool tl_slow_take(struct tl_slow_line *line, uint64_t now_ns, struct tl_sut_out *out)
{
    free(line->taken);
    line->taken = NULL;
    if (line->head == NULL || line->head->due_ns > now_ns)
        return false;
    line->taken = line->head;
    line->head = line->taken->next;
    *out = (struct tl_sut_out){.kind = TL_SUT_FRAME,
                               .bytes = line->taken->bytes,
                               .len = line->taken->len,
                               .conn = line->taken->conn,
                               .path = line->taken->path};
    return true;
}
