/* SPDX-License-Identifier: Apache-2.0
 * check_conns.c - the connections of a capture. A Falcon packet names only the CID of its receiver, so the two
 * directions of a connection are put together here: by --connections, else by addresses, and where several
 * connections join two hosts, by who acknowledges whose PSNs. */
#include "harness/check.h"

#include "oracles/seq.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64, MAX_CONNS = 1 << 20, NEAR = 1 << 12 };

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static size_t slot_of(const struct tl_check *check, struct tl_host from, struct tl_host to,
                      uint32_t cid)
{
    uint64_t h = mix(mix(mix(mix(mix(7, from.ip.hi), from.ip.lo), to.ip.hi), to.ip.lo), cid);

    return (size_t)(h & (check->num_slots - 1));
}

static bool is_at(const struct tl_check *check, uint32_t entry, struct tl_host from,
                  struct tl_host to, uint32_t cid)
{
    const struct tl_check_conn *conn = &check->conns[(entry - 1) / 2];
    unsigned side = (entry - 1) % 2;

    return (side == 0 ? conn->setup.sut.cid : conn->setup.tester.cid) == cid &&
           tl_host_eq(conn->host[side], to) && tl_host_eq(conn->host[1 - side], from);
}

static void insert(struct tl_check *check, size_t conn, unsigned side)
{
    const struct tl_check_conn *c = &check->conns[conn];
    uint32_t cid = side == 0 ? c->setup.sut.cid : c->setup.tester.cid;
    size_t at = slot_of(check, c->host[1 - side], c->host[side], cid);

    while (check->slots[at] != 0)
        at = (at + 1) & (check->num_slots - 1);
    check->slots[at] = (uint32_t)(conn * 2 + side + 1);
    check->used_slots++;
}

/* Room for two more entries. */
static bool make_room(struct tl_check *check)
{
    size_t size = check->num_slots == 0 ? FIRST_SLOTS : check->num_slots * 2;

    if (check->num_slots != 0 && (check->used_slots + 2) * 2 < check->num_slots)
        return true;
    free(check->slots);
    check->slots = calloc(size, sizeof *check->slots);
    if (check->slots == NULL) {
        check->out_of_memory = true;
        check->num_slots = 0;
        return false;
    }
    check->num_slots = size;
    check->used_slots = 0;
    for (size_t i = 0; i < check->num_conns; i++)
        for (unsigned side = 0; side < 2; side++)
            if (check->conns[i].known[side])
                insert(check, i, side);
    return true;
}

static struct tl_check_conn *add(struct tl_check *check)
{
    struct tl_check_conn *conn;

    if (check->num_conns == check->cap_conns) {
        size_t cap = check->cap_conns == 0 ? 16 : check->cap_conns * 2;
        void *grown = cap <= MAX_CONNS ? realloc(check->conns, cap * sizeof *check->conns) : NULL;

        if (grown == NULL) {
            check->out_of_memory = true;
            return NULL;
        }
        check->conns = grown;
        check->cap_conns = cap;
    }
    if (!make_room(check))
        return NULL;
    conn = &check->conns[check->num_conns++];
    *conn = (struct tl_check_conn){0};
    fal_params_default(&conn->setup.params, true);
    (void)snprintf(conn->setup.name, sizeof conn->setup.name, "%zu", check->num_conns);
    return conn;
}

/* How far a packet's bases are from what side `side` of a connection sent last; the other side
 * is who acknowledges it. UINT32_MAX: nothing can be said. */
static uint32_t distance(const struct tl_check_conn *conn, int side, const struct fal_falcon *packet)
{
    int32_t off;

    if (conn->sent_data[side])
        off = fal_seq_diff(packet->recv_data_base_psn, conn->last_data[side]);
    else if (conn->sent_req[side])
        off = fal_seq_diff(packet->recv_req_base_psn, conn->last_req[side]);
    else
        return UINT32_MAX;
    return off < 0 ? (uint32_t)-(int64_t)off : (uint32_t)off;
}

/* The connection between these hosts that waits for its other direction and fits best. */
static struct tl_check_conn *waiting(struct tl_check *check, struct tl_host from, struct tl_host to,
                                     const struct fal_falcon *packet, int *receiver)
{
    struct tl_check_conn *best = NULL;
    uint32_t best_distance = UINT32_MAX, d;

    for (size_t i = check->num_conns; i-- > 0;) {
        struct tl_check_conn *conn = &check->conns[i];

        for (int side = 0; side < 2; side++) {
            if (conn->given || conn->known[side] || !tl_host_eq(conn->host[side], to) ||
                !tl_host_eq(conn->host[1 - side], from))
                continue;
            d = distance(conn, side, packet);
            if (best == NULL || d < best_distance) {
                best = conn;
                best_distance = d;
                *receiver = side;
            }
        }
    }
    /* Far from all that was sent: another connection of these hosts. */
    return best_distance != UINT32_MAX && best_distance > NEAR ? NULL : best;
}

static void set_cid(struct tl_check *check, struct tl_check_conn *conn, int side, uint32_t cid)
{
    *(side == 0 ? &conn->setup.sut.cid : &conn->setup.tester.cid) = cid;
    conn->known[side] = true;
    conn->told[0] = conn->told[1] = false;
    if (make_room(check))
        insert(check, (size_t)(conn - check->conns), (unsigned)side);
}

struct tl_check_conn *tl_check_find(struct tl_check *check, const struct fal_frame *frame,
                                    const struct fal_falcon *packet, bool whole, int *receiver)
{
    struct tl_host from = tl_host_of(frame, true), to = tl_host_of(frame, false);
    struct tl_check_conn *conn;

    if (!make_room(check))
        return NULL;
    for (size_t at = slot_of(check, from, to, packet->dest_cid); check->slots[at] != 0;
         at = (at + 1) & (check->num_slots - 1)) {
        if (is_at(check, check->slots[at], from, to, packet->dest_cid)) {
            *receiver = (int)((check->slots[at] - 1) % 2);
            return &check->conns[(check->slots[at] - 1) / 2];
        }
    }
    for (size_t i = 0; i < check->num_conns; i++) /* given without addresses */
        for (int side = 0; side < 2; side++)
            if (check->conns[i].given && fal_u128_zero(check->conns[i].host[side].ip) &&
                (side == 0 ? check->conns[i].setup.sut.cid : check->conns[i].setup.tester.cid) ==
                    packet->dest_cid) {
                *receiver = side;
                return &check->conns[i];
            }
    if (!whole)
        return NULL; /* a broken packet teaches nothing */
    conn = waiting(check, from, to, packet, receiver);
    if (conn == NULL && (conn = add(check)) != NULL) {
        *receiver = 0;
        conn->host[0] = to;
        conn->host[1] = from;
    }
    if (conn != NULL)
        set_cid(check, conn, *receiver, packet->dest_cid);
    return check->out_of_memory ? NULL : conn;
}

/* ---- --connections ---- */

static int read_number(const json_t *object, const char *where, const char *key, uint64_t max,
                       uint32_t *out, struct fal_error *err)
{
    const json_t *value = json_object_get(object, key);

    if (value == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s.%s is missing", where, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > max)
        return fal_fail(err, FAL_ERR_RANGE, "%s.%s: not a number from 0 to %llu", where, key,
                        (unsigned long long)max);
    *out = (uint32_t)json_integer_value(value);
    return 0;
}

/* The initial numbers are known when all are given. */
static int read_end(const json_t *entry, const char *name, struct fal_end *end, struct tl_host *host,
                    bool *initial, struct fal_error *err)
{
    const json_t *object = json_object_get(entry, name);
    const char *address = json_string_value(json_object_get(object, "address"));
    int failed;

    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "%s: an object is expected", name);
    failed = read_number(object, name, "cid", 0xffffff, &end->cid, err);
    if (failed != 0)
        return failed;
    if (address != NULL && !tl_host_read(address, host))
        return fal_fail(err, FAL_ERR_FORM, "%s.address: '%s' is no IP address", name, address);
    if (json_object_get(object, "function") != NULL &&
        (failed = read_number(object, name, "function", 0xffffff, &end->function, err)) != 0)
        return failed;
    *initial = *initial && json_object_get(object, "req_psn") != NULL;
    if (json_object_get(object, "req_psn") == NULL)
        return 0;
    failed = read_number(object, name, "req_psn", UINT32_MAX, &end->req_psn, err);
    if (failed == 0)
        failed = read_number(object, name, "data_psn", UINT32_MAX, &end->data_psn, err);
    return failed == 0 ? read_number(object, name, "rsn", UINT32_MAX, &end->rsn, err) : failed;
}

static int read_params(const json_t *object, struct fal_params *params, struct fal_error *err)
{
    const char *key;
    json_t *value;

    if (object != NULL && !json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "params: an object is expected");
    json_object_foreach((json_t *)object, key, value)
    {
        const struct fal_param *param = fal_param_find(key);
        bool fits = json_is_boolean(value) || (json_is_integer(value) && json_integer_value(value) >= 0);
        uint64_t number = json_is_boolean(value) ? json_is_true(value)
                                                 : (uint64_t)json_integer_value(value);

        if (param == NULL)
            return fal_fail(err, FAL_ERR_FORM, "params.%s: no such parameter (talon help defaults)", key);
        if (!fits || fal_param_set(param, params, number) != 0)
            return fal_fail(err, FAL_ERR_RANGE, "params.%s: not a value of its kind", key);
    }
    return 0;
}

int tl_check_add(struct tl_check *check, const json_t *entry, struct fal_error *err)
{
    struct tl_check_conn *conn = add(check);
    int failed;

    if (conn == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    conn->given = conn->known[0] = conn->known[1] = true;
    conn->setup.initial_known = true;
    failed = read_end(entry, "sut", &conn->setup.sut, &conn->host[0], &conn->setup.initial_known, err);
    if (failed == 0)
        failed = read_end(entry, "tester", &conn->setup.tester, &conn->host[1],
                          &conn->setup.initial_known, err);
    if (failed == 0)
        failed = read_params(json_object_get(entry, "params"), &conn->setup.params, err);
    if (failed != 0)
        return failed;
    for (unsigned side = 0; side < 2; side++)
        insert(check, check->num_conns - 1, side);
    return 0;
}
