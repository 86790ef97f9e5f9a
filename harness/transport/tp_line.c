/* SPDX-License-Identifier: Apache-2.0
 * tp_line.c - see tp_line.h. */
#include "harness/transport/tp_line.h"

#include "harness/transport/tp_row.h"

#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"post",    "send",    "arrive", "reply", "feedback",
                                    "deliver", "timeout", "done",   "reset", "lost-view"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A number from 0 on, or a "0x" text; absent: stays. */
static int number(const json_t *object, const char *key, uint64_t most, uint64_t *out,
                  struct fal_error *err)
{
    const json_t *value = json_object_get(object, key);
    uint64_t n;
    char *end = NULL;

    if (value == NULL)
        return 0;
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        n = (uint64_t)json_integer_value(value);
    } else if (json_is_string(value) && strncmp(json_string_value(value), "0x", 2) == 0) {
        n = strtoull(json_string_value(value) + 2, &end, 16);
        if (end == json_string_value(value) + 2 || *end != 0)
            return fal_fail(err, FAL_ERR_FORM, "%s: expected hexadecimal digits after 0x", key);
    } else {
        return fal_fail(err, FAL_ERR_FORM, "%s: expected a number from 0 on", key);
    }
    if (n > most)
        return fal_fail(err, FAL_ERR_FORM, "%s: the number is too large", key);
    *out = n;
    return 0;
}

static int number32(const json_t *object, const char *key, uint32_t *out, struct fal_error *err)
{
    uint64_t n = *out;
    const int rc = number(object, key, UINT32_MAX, &n, err);

    *out = (uint32_t)n;
    return rc;
}

static int ranges(const json_t *reply, struct fal_tp_reply *out, struct fal_error *err)
{
    const json_t *list = json_object_get(reply, "got");
    size_t i;
    json_t *range;

    if (list == NULL)
        return 0;
    if (!json_is_array(list) || json_array_size(list) > FAL_TP_RANGES)
        return fal_fail(err, FAL_ERR_FORM, "got: expected a list of at most %d ranges",
                        FAL_TP_RANGES);
    json_array_foreach(list, i, range)
    {
        const json_t *first = json_array_get(range, 0), *end = json_array_get(range, 1);

        if (json_array_size(range) != 2 || !json_is_integer(first) || !json_is_integer(end) ||
            json_integer_value(first) < 0 || json_integer_value(end) < 0)
            return fal_fail(err, FAL_ERR_FORM, "got: expected [FIRST, END] of segments");
        out->got[out->num_got].first = (uint64_t)json_integer_value(first);
        out->got[out->num_got++].end = (uint64_t)json_integer_value(end);
    }
    return 0;
}

static int reply(const json_t *object, struct fal_tp_reply *out, struct fal_error *err)
{
    const json_t *r = json_object_get(object, "reply");
    int rc;

    if (!json_is_object(r))
        return fal_fail(err, FAL_ERR_FORM, "reply: expected an object");
    out->has_cum = json_object_get(r, "cum") != NULL;
    out->nack = json_object_get(r, "nack_seg") != NULL;
    out->ecn = json_is_true(json_object_get(r, "ecn"));
    out->cnp = json_is_true(json_object_get(r, "cnp"));
    out->update = json_is_true(json_object_get(r, "update"));
    rc = number(r, "cum", UINT64_MAX, &out->cum, err);
    if (rc == 0)
        rc = number(r, "nack_seg", UINT64_MAX, &out->nack_seg, err);
    if (rc == 0)
        rc = number(r, "window", UINT64_MAX, &out->window, err);
    if (rc == 0)
        rc = number(r, "grant", UINT64_MAX, &out->grant, err);
    return rc == 0 ? ranges(r, out, err) : rc;
}

static int kind(const json_t *object, enum fal_tp_kind *out, struct fal_error *err)
{
    const char *name = json_string_value(json_object_get(object, "kind"));

    for (unsigned i = 0; name != NULL && i < KINDS; i++)
        if (strcmp(kinds[i], name) == 0) {
            *out = (enum fal_tp_kind)i;
            return 0;
        }
    return fal_fail(err, FAL_ERR_FORM,
                    "kind: expected one of post, send, arrive, reply, feedback, deliver, "
                    "timeout, done, reset, lost-view; found '%.40s'",
                    name != NULL ? name : "none");
}

static int event_of(const json_t *object, struct fal_tp_event *e, struct fal_error *err)
{
    int rc = kind(object, &e->kind, err);

    if (rc == 0)
        rc = number(object, "at_ns", UINT64_MAX, &e->at_ns, err);
    if (rc == 0)
        rc = number(object, "number", UINT64_MAX, &e->number, err);
    if (rc == 0)
        rc = number(object, "seg", UINT64_MAX, &e->seg, err);
    if (rc == 0)
        rc = number32(object, "bytes", &e->bytes, err);
    if (rc == 0)
        rc = number(object, "digest", UINT64_MAX, &e->digest, err);
    e->ce = json_is_true(json_object_get(object, "ce"));
    e->trimmed = json_is_true(json_object_get(object, "trimmed"));
    if (rc == 0 && (e->kind == FAL_TP_REPLY || e->kind == FAL_TP_FEEDBACK))
        rc = reply(object, &e->reply, err);
    return rc;
}

int tl_tp_line_read(const char *line, size_t len, struct fal_tp_event *event,
                    struct fal_tp_row *row, struct fal_error *err)
{
    json_error_t where;
    json_t *object;
    int rc;

    *event = (struct fal_tp_event){0};
    if (strspn(line, " \t\r\n") == len)
        return TL_TP_EMPTY;
    object = json_loadb(line, len, JSON_REJECT_DUPLICATES, &where);
    if (object == NULL)
        return fal_fail(err, FAL_ERR_FORM, "column %d: %s", where.column, where.text);
    rc = json_is_object(object)
             ? number32(object, "flow", &event->flow, err)
             : fal_fail(err, FAL_ERR_FORM, "expected an object, as {\"kind\": \"send\", ...}");
    if (rc == 0 && json_object_get(object, "transport") != NULL) {
        rc = tl_tp_row_read(row, json_object_get(object, "transport"), err);
        rc = rc == 0 ? TL_TP_ROW : rc;
    } else if (rc == 0 && json_object_get(object, "end_ns") != NULL) {
        rc = number(object, "end_ns", UINT64_MAX, &event->at_ns, err);
        rc = rc == 0 ? TL_TP_END : rc;
    } else if (rc == 0) {
        rc = event_of(object, event, err);
        rc = rc == 0 ? TL_TP_EVENT : rc;
    }
    json_decref(object);
    return rc;
}
