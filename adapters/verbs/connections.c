/* SPDX-License-Identifier: Apache-2.0
 * connections.c - open, close, reset, counters. The vendor's hooks do what is the device's. */
#include "vendor.h"

#include <stdlib.h>
#include <string.h>

/* `peer` or `local`: numbers that are absent keep their values. */
static bool read_end(const struct va_args *args, const char *where, struct va_end *end)
{
    struct va_args inner = {args->device, va_member(args, where), "", args->why};
    const struct {
        const char *key;
        uint64_t max;
        uint32_t *out;
    } members[] = {{"cid", 0xffffff, &end->cid},
                   {"function", 0xffffff, &end->function},
                   {"req_psn", UINT32_MAX, &end->req_psn},
                   {"data_psn", UINT32_MAX, &end->data_psn},
                   {"rsn", UINT32_MAX, &end->rsn}};

    if (inner.object != NULL && !json_is_object(inner.object)) {
        (void)va_fail(args->device, args->why, "%s: expected an object with cid", where);
        return false;
    }
    inner.where = strcmp(where, "peer") == 0 ? "peer." : "local.";
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct va_range range = {0, members[i].max, true, *members[i].out};
        uint64_t value;

        if (!va_number(&inner, members[i].key, range, &value))
            return false;
        *members[i].out = (uint32_t)value;
    }
    return true;
}

static json_t *print_end(const struct va_end *end)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "cid", (json_int_t)end->cid, "function",
                     (json_int_t)end->function, "req_psn", (json_int_t)end->req_psn, "data_psn",
                     (json_int_t)end->data_psn, "rsn", (json_int_t)end->rsn);
}

enum talon_client_done va_open(void *ctx, const json_t *command, json_t *reply,
                               const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    const char *upper = json_string_value(va_member(&args, "upper"));
    enum talon_client_done done;
    struct va_conn *conn;

    if (upper == NULL || strcmp(upper, "verbs") != 0) {
        *why = "upper: this adapter has verbs only";
        return TALON_CLIENT_UNSUPPORTED;
    }
    if (!json_is_object(va_member(&args, "peer")))
        return va_fail(device, why, "peer: missing; expected an object with cid");
    conn = calloc(1, sizeof *conn);
    if (conn == NULL)
        return va_fail(device, why, "open: out of memory");
    if (!read_end(&args, "peer", &conn->peer) || !read_end(&args, "local", &conn->local)) {
        free(conn);
        return TALON_CLIENT_FAILED;
    }
    (void)json_object_set_new(reply, "params", json_object());
    done = va_vendor()->open(device, conn, command, reply, why);
    if (done != TALON_CLIENT_DONE) {
        free(conn);
        return done;
    }
    va_add(device, &conn->head, VA_CONN);
    (void)json_object_set_new(reply, "conn", json_string(conn->head.name));
    (void)json_object_set_new(reply, "local", print_end(&conn->local));
    return TALON_CLIENT_DONE;
}

/* Its QPs go first, and what they have of events. */
enum talon_client_done va_close(void *ctx, const json_t *command, json_t *reply,
                                const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct va_conn *conn = va_object(&args, "conn", VA_CONN, false);
    struct va_head *next;

    (void)reply;
    if (conn == NULL)
        return TALON_CLIENT_FAILED;
    for (struct va_head *o = device->objects; o != NULL; o = next) {
        next = o->next;
        if (o->kind == VA_QP && ((struct va_qp *)o)->conn == conn)
            (void)va_remove(device, o);
    }
    (void)va_remove(device, &conn->head);
    return TALON_CLIENT_DONE;
}

enum talon_client_done va_reset(void *ctx, const json_t *command, json_t *reply,
                                const char **why)
{
    const char *scope = json_string_value(json_object_get(command, "scope"));

    (void)reply;
    *why = "scope: this adapter resets the device only";
    if (scope == NULL || strcmp(scope, "device") != 0)
        return scope == NULL ? TALON_CLIENT_FAILED : TALON_CLIENT_UNSUPPORTED;
    (void)va_poll(ctx); /* what was caused in the old epoch is said in it */
    va_remove_all(ctx);
    return TALON_CLIENT_DONE;
}

enum talon_client_done va_counters(void *ctx, const json_t *command, json_t *reply,
                                   const char **why)
{
    (void)command;
    if (va_vendor()->counters != NULL)
        return va_vendor()->counters(ctx, reply, why);
    *why = "this adapter has no counters";
    return TALON_CLIENT_UNSUPPORTED;
}
