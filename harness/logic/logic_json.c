/* SPDX-License-Identifier: Apache-2.0
 * logic_json.c - see logic_json.h: questions and answers. */
#include "harness/logic/logic_json.h"

#include "codecs/base/hex.h"

#include <stddef.h>
#include <string.h>

/* A number of a struct: where, how wide, and whether a program may set it. */
struct number {
    const char *name;
    size_t at, size;
    bool settable;
};

#define FLOW(member, settable)                                        \
    {                                                                 \
#member, offsetof(struct fal_logic_flow, member),             \
            sizeof(((struct fal_logic_flow *)NULL)->member), settable \
    }
#define IN(member)                                               \
    {                                                            \
#member, offsetof(struct fal_logic_in, member),          \
            sizeof(((struct fal_logic_in *)NULL)->member), false \
    }
#define CONFIG(member)                                               \
    {                                                                \
#member, offsetof(struct fal_logic_config, member),          \
            sizeof(((struct fal_logic_config *)NULL)->member), false \
    }

static const struct number flow_numbers[] = {
    FLOW(wnd_start, false),  FLOW(next_new, false),  FLOW(wnd, true),
    FLOW(tokens, true),      FLOW(timeouts, true),   FLOW(rate_bps, true),
    FLOW(sent_bytes, false), FLOW(rto_ns, true),     FLOW(rtx_timer_ns, true),
    FLOW(tick_ns, true),     FLOW(tick_bytes, true),
};
static const struct number in_numbers[] = {
    IN(now_ns), IN(cum), IN(old_start), IN(newly_acked), IN(nack_seg), IN(tokens), IN(rtt_ns),
};
static const struct number config_numbers[] = {
    CONFIG(segment_bytes), CONFIG(max_window),  CONFIG(initial_window), CONFIG(dup_threshold),
    CONFIG(rto_min_ns),    CONFIG(rto_max_ns),  CONFIG(rto_low_ns),     CONFIG(low_segments),
    CONFIG(line_rate_bps), CONFIG(burst_bytes), CONFIG(initial_tokens),
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const dos[] = {"hello", "init", "incoming", "periodic"};
static const char *const kinds[] = {"ack", "nack", "cnp", "grant", "timeout", "tick"};
static const char *const credits[] = {"window", "rate", "tokens"};

enum {
    MAP_BYTES = FAL_LOGIC_WORDS * 8,
    MAP_HEX = 2 * MAP_BYTES,
    USER_HEX = 2 * FAL_LOGIC_USER
};

static void put_numbers(json_t *object, const struct number *table, size_t n, const void *from)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value = 0;

        if (table[i].size == sizeof value)
            memcpy(&value, (const char *)from + table[i].at, sizeof value);
        else {
            uint32_t small;

            memcpy(&small, (const char *)from + table[i].at, sizeof small);
            value = small;
        }
        (void)json_object_set_new(object, table[i].name, json_integer((json_int_t)value));
    }
}

/* Bit k of the text's bytes, the lowest bit of each byte first, is segment wnd_start + k. */
static json_t *map_text(const uint64_t map[FAL_LOGIC_WORDS], uint32_t start)
{
    uint8_t bytes[MAP_BYTES] = {0};
    char text[MAP_HEX + 1];

    for (uint32_t k = 0; k < FAL_LOGIC_WINDOW; k++)
        bytes[k / 8] |= (uint8_t)(fal_ring_get(map, start + k) << k % 8);
    fal_hex_write(bytes, sizeof bytes, text);
    return json_string(text);
}

static json_t *flow_object(const struct fal_logic_flow *flow)
{
    json_t *object = json_object();
    char text[USER_HEX + 1];

    put_numbers(object, flow_numbers, COUNT(flow_numbers), flow);
    (void)json_object_set_new(object, "acked", map_text(flow->acked, flow->wnd_start));
    (void)json_object_set_new(object, "marked_rtx",
                              map_text(flow->marked_rtx, flow->wnd_start));
    fal_hex_write(flow->user, sizeof flow->user, text);
    (void)json_object_set_new(object, "user", json_string(text));
    return object;
}

json_t *tl_logic_message(const struct tl_logic_record *record)
{
    json_t *message = json_pack("{s:s}", "do", dos[record->what]), *object;

    if (message == NULL || record->what == TL_LOGIC_HELLO) {
        (void)json_object_set_new(message, "abi", json_integer(FAL_LOGIC_ABI));
        return message;
    }
    if (record->what == TL_LOGIC_INIT) {
        object = json_object();
        put_numbers(object, config_numbers, COUNT(config_numbers), &record->config);
        (void)json_object_set_new(message, "config", object);
    } else {
        object = json_pack("{s:s, s:b}", "kind", kinds[record->in.kind], "ecn", record->in.ecn);
        put_numbers(object, in_numbers, COUNT(in_numbers), &record->in);
        (void)json_object_set_new(message, "in", object);
    }
    (void)json_object_set_new(message, "flow", flow_object(&record->flow));
    return message;
}

/* ---- answers ---- */

static int set_number(const struct number *number, const json_t *value, void *into,
                      struct fal_error *err)
{
    uint64_t most = number->size == sizeof(uint32_t) ? UINT32_MAX : INT64_MAX;
    json_int_t given = json_integer_value(value);
    uint32_t small = (uint32_t)given;

    if (!json_is_integer(value) || given < 0 || (uint64_t)given > most)
        return fal_fail(err, FAL_ERR_FORM,
                        "its answer has a bad \"%s\": expected a whole number from 0 to %llu",
                        number->name, (unsigned long long)most);
    if (number->size == sizeof small)
        memcpy((char *)into + number->at, &small, sizeof small);
    else
        memcpy((char *)into + number->at, &given, sizeof given);
    return 0;
}

static int set_user(const json_t *value, uint8_t user[FAL_LOGIC_USER], struct fal_error *err)
{
    const char *text = json_string_value(value);
    int len = text != NULL ? fal_hex_read(text, user, FAL_LOGIC_USER) : -1;

    if (value == NULL)
        return 0;
    if (len < 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "its answer has a bad \"user\": expected at most %d hex digits",
                        USER_HEX);
    memset(user + len, 0, (size_t)(FAL_LOGIC_USER - len));
    return 0;
}

/* "mark": [[FIRST, END], ...] */
static int set_marks(const json_t *value, struct fal_logic_flow *flow, struct fal_error *err)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *range = json_array_get(value, i);
        const json_t *first = json_array_get(range, 0), *end = json_array_get(range, 1);

        if (!json_is_integer(first) || !json_is_integer(end))
            return fal_fail(err, FAL_ERR_FORM,
                            "its answer has a bad \"mark\": expected [[FIRST, END], ...]");
        fal_logic_mark(flow, (uint32_t)json_integer_value(first),
                       (uint32_t)json_integer_value(end));
    }
    return 0;
}

static int hello(const json_t *answer, struct fal_logic *logic, struct fal_error *err)
{
    const char *name = json_string_value(json_object_get(answer, "name"));
    const char *credit = json_string_value(json_object_get(answer, "credit"));
    size_t i = 0;

    while (i < COUNT(credits) && (credit == NULL || strcmp(credits[i], credit) != 0))
        i++;
    if (name == NULL || name[0] == '\0' || strlen(name) >= FAL_LOGIC_NAME ||
        i == COUNT(credits))
        return fal_fail(err, FAL_ERR_FORM,
                        "its answer to hello lacks \"name\" (1 to %d characters) or \"credit\" "
                        "(window, rate or tokens)",
                        FAL_LOGIC_NAME - 1);
    if (json_integer_value(json_object_get(answer, "abi")) != FAL_LOGIC_ABI)
        return fal_fail(err, FAL_ERR_FORM, "its answer to hello has not \"abi\": %d",
                        FAL_LOGIC_ABI);
    memcpy(logic->name, name, strlen(name) + 1);
    logic->credit = (enum fal_logic_credit)i;
    logic->selective = json_is_true(json_object_get(answer, "selective"));
    return 0;
}

int tl_logic_answer(const json_t *answer, struct tl_logic_record *record, struct fal_error *err)
{
    struct fal_logic_flow *flow = &record->flow;
    const json_t *value;
    int rc;

    if (record->what == TL_LOGIC_HELLO)
        return hello(answer, &record->logic, err);
    for (size_t i = 0; i < COUNT(flow_numbers); i++)
        if (flow_numbers[i].settable &&
            (value = json_object_get(answer, flow_numbers[i].name)) != NULL &&
            (rc = set_number(&flow_numbers[i], value, flow, err)) != 0)
            return rc;
    rc = set_user(json_object_get(answer, "user"), flow->user, err);
    return rc != 0 ? rc : set_marks(json_object_get(answer, "mark"), flow, err);
}
