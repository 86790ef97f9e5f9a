/* SPDX-License-Identifier: Apache-2.0
 * check_conns.c - the connections of a capture. A Falcon packet names only the CID of its
 * receiver, so the two directions of a connection are put together here: by --connections, else
 * by addresses and ports, where these ends have one CID each. With more of them nothing in a
 * packet tells which directions belong together, and a wrong pair would convict the innocent:
 * then each direction is judged alone. */
#include "harness/check/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOTS = 64,
    MAX_CONNS = 1 << 20,
};

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* A receiver is known by its CID, address and port, a sender by its address: its ports may be a
 * path's. */
static size_t slot_of(const struct tl_check *check, struct tl_host from, struct tl_host to,
                      uint32_t cid)
{
    const uint64_t k = UINT64_C(0xc2b2ae3d27d4eb4f);
    uint64_t h =
        mix(fal_u128_lo(from.ip) + k * fal_u128_hi(from.ip), (uint64_t)to.port << 32 | cid);

    return (size_t)(mix(h, fal_u128_lo(to.ip) + k * fal_u128_hi(to.ip)) &
                    (check->num_slots - 1));
}

static uint32_t cid_of(const struct tl_check_conn *conn, unsigned side)
{
    return side == 0 ? conn->setup.sut.cid : conn->setup.tester.cid;
}

/* Whether these are the packets to that side of a connection. */
static bool belongs(const struct tl_check_conn *conn, unsigned side, const struct tl_host *from,
                    const struct tl_host *to, uint32_t cid)
{
    return cid_of(conn, side) == cid && conn->host[side].port == to->port &&
           tl_host_eq(conn->host[side], *to) && tl_host_eq(conn->host[1 - side], *from);
}

/* The slot of packets from one host to another with that CID, or the empty one where it would
 * be. */
static size_t find_slot(const struct tl_check *check, struct tl_host from, struct tl_host to,
                        uint32_t cid)
{
    size_t at = slot_of(check, from, to, cid);

    for (; check->slots[at] != 0; at = (at + 1) & (check->num_slots - 1)) {
        const struct tl_check_conn *conn = &check->conns[(check->slots[at] - 1) / 2];
        unsigned side = (check->slots[at] - 1) % 2;

        if (belongs(conn, side, &from, &to, cid))
            break;
    }
    return at;
}

static void insert(struct tl_check *check, size_t conn, unsigned side)
{
    const struct tl_check_conn *c = &check->conns[conn];
    size_t at = slot_of(check, c->host[1 - side], c->host[side], cid_of(c, side));

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
            if (check->conns[i].known[side] && !check->conns[i].over)
                insert(check, i, side);
    return true;
}

static struct tl_check_conn *add(struct tl_check *check)
{
    struct tl_check_conn *conn;

    if (check->num_conns == check->cap_conns) {
        size_t cap = check->cap_conns == 0 ? 16 : check->cap_conns * 2;
        void *grown =
            cap <= MAX_CONNS ? realloc(check->conns, cap * sizeof *check->conns) : NULL;

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
    *conn = (struct tl_check_conn){.born = check->index};
    conn->setup.params = check->options->params;
    conn->setup.unknown_params = ~check->options->given_params & FAL_PARAM_ALL;
    (void)snprintf(conn->setup.name, sizeof conn->setup.name, "%zu", check->num_conns);
    return conn;
}

/* ---- paths ---- */

static bool same_end(struct tl_host a, struct tl_host b)
{
    return tl_host_eq(a, b) && a.port == b.port;
}

static size_t path_slot(const struct tl_check *check, struct tl_host a, struct tl_host b)
{
    uint64_t h =
        mix(mix(mix(7, fal_u128_hi(a.ip)), fal_u128_lo(a.ip)), a.port) + /* either way round */
        mix(mix(mix(7, fal_u128_hi(b.ip)), fal_u128_lo(b.ip)), b.port);
    size_t at = (size_t)(mix(3, h) & (check->num_path_slots - 1));

    for (; check->path_slots[at] != 0; at = (at + 1) & (check->num_path_slots - 1)) {
        const struct tl_check_path *p = &check->paths[check->path_slots[at] - 1];

        if ((same_end(p->host[0], a) && same_end(p->host[1], b)) ||
            (same_end(p->host[0], b) && same_end(p->host[1], a)))
            break;
    }
    return at;
}

/* Room for one more. */
static bool grow_paths(struct tl_check *check)
{
    size_t slots = check->num_path_slots == 0 ? FIRST_SLOTS : 2 * check->num_path_slots;
    size_t cap = slots / 2;
    struct tl_check_path *paths;

    if (check->num_paths < check->cap_paths)
        return true;
    paths = realloc(check->paths, cap * sizeof *paths);
    if (paths != NULL)
        check->paths = paths;
    free(check->path_slots);
    check->path_slots = calloc(slots, sizeof *check->path_slots);
    if (paths == NULL || check->path_slots == NULL) {
        check->out_of_memory = true;
        check->num_path_slots = 0;
        return false;
    }
    check->cap_paths = cap;
    check->num_path_slots = slots;
    for (size_t i = 0; i < check->num_paths; i++)
        check->path_slots[path_slot(check, check->paths[i].host[0], check->paths[i].host[1])] =
            (uint32_t)i + 1;
    return true;
}

/* The path between two ends, made if need be; NULL when out of memory. */
static struct tl_check_path *path_of(struct tl_check *check, struct tl_host from,
                                     struct tl_host to)
{
    size_t at;

    if (!grow_paths(check))
        return NULL;
    at = path_slot(check, from, to);
    if (check->path_slots[at] == 0) {
        check->paths[check->num_paths] = (struct tl_check_path){.host = {to, from}};
        check->path_slots[at] = (uint32_t)++check->num_paths;
    }
    return &check->paths[check->path_slots[at] - 1];
}

/* ---- learning ---- */

static void set_cid(struct tl_check_conn *conn, unsigned side, uint32_t cid, struct tl_host to)
{
    *(side == 0 ? &conn->setup.sut.cid : &conn->setup.tester.cid) = cid;
    conn->host[side] = to;
    conn->known[side] = true;
    conn->told[0] = conn->told[1] = false;
}

/* A connection of which one direction is known: packets from one end to another with that CID.
 */
static struct tl_check_conn *add_direction(struct tl_check *check, struct tl_host from,
                                           struct tl_host to, uint32_t cid)
{
    struct tl_check_conn *conn = add(check);
    size_t at;

    if (conn == NULL)
        return NULL;
    conn->host[1] = from;
    set_cid(conn, 0, cid, to);
    at = find_slot(check, from, to, cid);
    if (check->slots[at] == 0)
        check->used_slots++;
    check->slots[at] = (uint32_t)(conn - check->conns) * 2 + 1;
    return conn;
}

/* The judges get no more events of a connection. */
static void close_conn(struct tl_check *check, const struct tl_check_conn *conn)
{
    for (int side = 0; side < 2; side++) {
        struct fal_event event = {.kind = FAL_EV_CLOSE,
                                  .index = check->index,
                                  .t_ns = check->last_ns,
                                  .conn = (uint32_t)(conn - check->conns) + 1};

        if (conn->told[side] && (side == 0 || !check->both_ends))
            tl_check_event(check, side, &event);
    }
}

/* There are more connections between these ends: the one that was taken for the only one may be
 * a wrong pair. Its directions go on alone. */
static bool split(struct tl_check *check, struct tl_check_path *path)
{
    struct tl_check_conn *conn = &check->conns[path->conn - 1];
    struct tl_host host[2] = {conn->host[0], conn->host[1]};
    uint32_t cid[2] = {cid_of(conn, 0), cid_of(conn, 1)};

    path->split = true;
    if (!conn->known[0] || !conn->known[1])
        return true;
    conn->uncertain = conn->over = true;
    close_conn(check, conn);
    return add_direction(check, host[1], host[0], cid[0]) != NULL && /* both in old slots */
           add_direction(check, host[0], host[1], cid[1]) != NULL;
}

/* The path of a packet, and which of its ends it goes to. On one host the ports tell the ends
 * apart; where nothing does (bare, PSP on one host), *blind: the second CID is taken for the
 * way back. */
static struct tl_check_path *count_cid(struct tl_check *check, struct tl_host from,
                                       struct tl_host to, bool *blind)
{
    struct tl_check_path *path;
    unsigned end;

    if (!tl_host_eq(from, to))
        from.port = to.port = 0;
    path = path_of(check, from, to);
    if (path == NULL)
        return NULL;
    *blind = same_end(from, to);
    end = *blind ? path->cids[0] > 0 : !same_end(path->host[0], to);
    path->cids[end]++;
    return path;
}

/* A direction that was not seen before. */
static struct tl_check_conn *learn(struct tl_check *check, struct tl_host from,
                                   struct tl_host to, uint32_t cid, int *receiver)
{
    bool blind = false;
    struct tl_check_path *path = count_cid(check, from, to, &blind);
    struct tl_check_conn *conn;

    *receiver = 0;
    memset(check->near, 0, sizeof check->near); /* what is learned may change the slots */
    if (path == NULL)
        return NULL;
    if (path->cids[0] > 1 || path->cids[1] > 1) {
        if (!path->split && !split(check, path))
            return NULL;
        return add_direction(check, from, to, cid);
    }
    if (path->conn == 0) {
        conn = add_direction(check, from, to, cid);
        path->conn = conn != NULL ? (uint32_t)(conn - check->conns) + 1 : 0;
        return conn;
    }
    conn = &check->conns[path->conn - 1];
    *receiver = conn->given ? !tl_host_eq(conn->host[0], to) : 1;
    if (conn->known[*receiver]) /* given, and another one */
        return add_direction(check, from, to, cid);
    set_cid(conn, (unsigned)*receiver, cid, to);
    conn->uncertain = blind;
    if (!make_room(check))
        return NULL;
    if (check->slots[find_slot(check, from, to, cid)] == 0)
        insert(check, path->conn - 1, (unsigned)*receiver);
    return conn;
}

/* ---- finding ---- */

/* The entry of those hosts, with the port or any, or of a given connection with hosts left
 * open; 0: none. */
static uint32_t find_entry(const struct tl_check *check, struct tl_host from, struct tl_host to,
                           uint32_t cid)
{
    const struct tl_host any = {0, false, 0};
    struct tl_host any_port = to;
    uint32_t entry = check->slots[find_slot(check, from, to, cid)];

    any_port.port = 0;
    if (entry == 0 && check->any_given)
        entry = check->slots[find_slot(check, from, any_port, cid)];
    if (entry == 0 && check->any_given)
        entry = check->slots[find_slot(check, any, any_port, cid)];
    if (entry == 0 && check->any_given)
        entry = check->slots[find_slot(check, from, any, cid)];
    if (entry == 0 && check->any_given)
        entry = check->slots[find_slot(check, any, any, cid)];
    return entry;
}

struct tl_check_conn *tl_check_find(struct tl_check *check, struct tl_host from,
                                    struct tl_host to, uint32_t cid, bool whole, int *receiver)
{
    uint32_t *near = &check->near[(cid ^ (uint32_t)to.ip) % TL_CHECK_NEAR], entry = *near;
    struct tl_check_conn *conn;

    if (entry != 0) { /* as for most packets */
        conn = &check->conns[(entry - 1) / 2];
        *receiver = (int)((entry - 1) % 2);
        if (belongs(conn, (unsigned)*receiver, &from, &to, cid))
            return check->out_of_memory ? NULL : conn;
    }
    if (!make_room(check))
        return NULL;
    entry = find_entry(check, from, to, cid);
    if (entry != 0 && !check->any_given)
        *near = entry;
    if (entry != 0) {
        conn = &check->conns[(entry - 1) / 2];
        *receiver = (int)((entry - 1) % 2);
    } else {
        conn = whole ? learn(check, from, to, cid, receiver) : NULL;
    }
    return check->out_of_memory ? NULL : conn;
}

/* ---- given ones ---- */

/* A copy of n things, in *out; n may be 0. */
static bool copy(const void *from, size_t n, size_t size, void *out)
{
    void *made = n > 0 ? malloc(n * size) : NULL;

    if (made != NULL)
        memcpy(made, from, n * size);
    memcpy(out, &made, sizeof made);
    return n == 0 || made != NULL;
}

int tl_check_know(struct tl_check *part, const struct tl_check *whole)
{
    if (!copy(whole->conns, whole->num_conns, sizeof *whole->conns, &part->conns) ||
        !copy(whole->slots, whole->num_slots, sizeof *whole->slots, &part->slots) ||
        !copy(whole->paths, whole->cap_paths, sizeof *whole->paths, &part->paths) ||
        !copy(whole->path_slots, whole->num_path_slots, sizeof *whole->path_slots,
              &part->path_slots))
        return FAL_ERR_MEM;
    part->num_conns = part->cap_conns = whole->num_conns;
    part->num_slots = whole->num_slots;
    part->used_slots = whole->used_slots;
    part->num_paths = whole->num_paths;
    part->cap_paths = whole->cap_paths;
    part->num_path_slots = whole->num_path_slots;
    part->any_given = whole->any_given;
    return 0;
}

struct tl_check_conn *tl_check_conn_new(struct tl_check *check)
{
    return add(check);
}

/* Infers the values left open from the packets between its hosts, if only one connection there
 * has open values. */
static int open_ends(struct tl_check *check, struct tl_check_conn *conn, struct fal_error *err)
{
    struct tl_check_path *path;
    size_t number = (size_t)(conn - check->conns) + 1;

    if (conn->known[0] && conn->known[1])
        return 0;
    if (tl_host_eq(conn->host[0], conn->host[1]))
        return fal_fail(err, FAL_ERR_FORM,
                        "a cid is missing: then two different addresses are expected");
    path = path_of(check, conn->host[1], conn->host[0]);
    if (path == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (path->conn != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "a cid is missing, as in connection %" PRIu32
                        " between the same addresses: which is whose cannot be learned",
                        path->conn);
    path->conn = (uint32_t)number;
    return 0;
}

int tl_check_conn_given(struct tl_check *check, struct tl_check_conn *conn,
                        struct fal_error *err)
{
    size_t number = (size_t)(conn - check->conns);
    int failed = open_ends(check, conn, err);

    check->any_given = conn->given = true;
    for (unsigned side = 0; failed == 0 && side < 2; side++) {
        size_t at;

        if (!conn->known[side])
            continue;
        at = find_slot(check, conn->host[1 - side], conn->host[side], cid_of(conn, side));
        if (check->slots[at] != 0)
            return fal_fail(
                err, FAL_ERR_FORM,
                "packets to cid %" PRIu32
                " would be those of connection %zu too: different addresses are expected",
                cid_of(conn, side), (size_t)(check->slots[at] - 1) / 2 + 1);
        insert(check, number, side);
    }
    return failed;
}
