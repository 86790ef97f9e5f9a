/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/conns.h"

#include "oracles/rules/facts/pack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOTS = 16,
    COUNT_EACH = 8, /* turns after which the bytes of a connection are counted again */
};

void fal_conns_init(struct fal_conns *conns, size_t cells, size_t state_size, size_t budget)
{
    *conns = (struct fal_conns){.cells = cells,
                                .state_size = state_size,
                                .budget = budget > 0 ? budget : FAL_AT_HAND_BYTES};
}

/* ---- what is at hand ---- */

static void live_free(struct fal_live *live)
{
    if (live == NULL)
        return;
    fal_tallies_free(&live->tallies);
    free(live);
}

/* Its track, tallies and states are zeros. */
static struct fal_live *live_new(const struct fal_conns *conns)
{
    struct fal_live *live = calloc(1, sizeof *live + conns->state_size);

    if (live == NULL || !fal_tallies_init(&live->tallies, conns->cells)) {
        free(live);
        return NULL;
    }
    return live;
}

/* Counts what a connection at hand needs now. */
static void count_bytes(struct fal_conns *conns, struct fal_live *live)
{
    size_t bytes = sizeof *live + conns->state_size + conns->cells * sizeof(uint32_t) +
                   fal_track_bytes(&live->track);

    if (live->of->apart != NULL)
        bytes += sizeof *live->of->apart + fal_track_bytes(live->of->apart);
    conns->bytes += bytes - live->bytes;
    live->bytes = bytes;
}

static void take_out(struct fal_conns *conns, struct fal_live *live)
{
    *(live->newer != NULL ? &live->newer->older : &conns->newest) = live->older;
    *(live->older != NULL ? &live->older->newer : &conns->oldest) = live->newer;
    conns->num_live--;
}

static void put_in_front(struct fal_conns *conns, struct fal_live *live)
{
    live->newer = NULL;
    live->older = conns->newest;
    *(conns->newest != NULL ? &conns->newest->newer : &conns->oldest) = live;
    conns->newest = live;
    conns->num_live++;
}

/* The connection is used from now on. To count its bytes takes a look at each of its rings,
 * which are not in the cache, so it is done in some turns only; the first packets make most of
 * the rings. */
static void turn_to(struct fal_conns *conns, struct fal_live *live)
{
    struct fal_live *before = conns->last;

    live->used = true;
    conns->last = live;
    if (before != NULL && (before->turns++ < COUNT_EACH || before->turns % COUNT_EACH == 0))
        count_bytes(conns, before);
}

/* The slot belongs to no connection any more: its contents were packed or freed. It is cleared
 * when it is used again (get_live). */
static void make_spare(struct fal_conns *conns, struct fal_live *live)
{
    take_out(conns, live);
    conns->bytes -= live->bytes;
    live->bytes = 0;
    if (conns->last == live)
        conns->last = NULL;
    live->of->live = NULL;
    live->of = NULL;
    live->older = conns->spare;
    conns->spare = live;
}

/* Room for n bytes in conns->scratch. */
static bool reserve(struct fal_conns *conns, size_t n)
{
    uint8_t *scratch;

    if (n <= conns->scratch_size)
        return true;
    scratch = realloc(conns->scratch, n);
    if (scratch == NULL)
        return false;
    conns->scratch = scratch;
    conns->scratch_size = n;
    return true;
}

/* The n packed bytes in conns->scratch become those of the connection. */
static bool keep(struct fal_conns *conns, struct fal_conn *conn, size_t n)
{
    uint8_t *packed = malloc(n + FAL_PACK_SLACK);

    if (packed == NULL)
        return false;
    memcpy(packed, conns->scratch, n);
    memset(packed + n, 0, FAL_PACK_SLACK);
    conn->packed = packed;
    return true;
}

/* Packs an open connection. False: out of memory, nothing happened. */
static bool pack(struct fal_conns *conns, struct fal_live *live)
{
    size_t n;

    if (conns->model == NULL) {
        conns->model = malloc(sizeof *conns->model);
        if (conns->model == NULL)
            return false;
        memcpy(conns->model, &live->track, sizeof live->track);
    }
    if (!reserve(conns, fal_tallies_packed_max(&live->tallies) +
                            FAL_PACKED_MAX(sizeof live->track) +
                            FAL_PACKED_MAX(conns->state_size)))
        return false;
    fal_track_pack(&live->track);
    if (live->of->apart != NULL)
        fal_track_pack(live->of->apart);
    n = fal_tallies_pack(&live->tallies, conns->scratch);
    n += fal_pack(&live->track, conns->model, sizeof live->track, conns->scratch + n);
    n += fal_pack(live->state, NULL, conns->state_size, conns->scratch + n);
    if (!keep(conns, live->of, n)) {
        fal_track_unpack(&live->track);
        if (live->of->apart != NULL)
            fal_track_unpack(live->of->apart);
        return false;
    }
    make_spare(conns, live);
    return true;
}

static void unpack(struct fal_conns *conns, struct fal_conn *conn, struct fal_live *live)
{
    size_t n = fal_tallies_unpack(&live->tallies, conn->packed);

    n += fal_unpack(conn->packed + n, conns->model, sizeof live->track, &live->track);
    (void)fal_unpack(conn->packed + n, NULL, conns->state_size, live->state);
    fal_track_unpack(&live->track);
    if (conn->apart != NULL)
        fal_track_unpack(conn->apart);
    free(conn->packed);
    conn->packed = NULL;
}

/* A slot that is free, or is freed by packing its connection. */
static struct fal_live *get_live(struct fal_conns *conns)
{
    struct fal_live *live;

    while (conns->num_live >= FAL_AT_HAND && conns->bytes >= conns->budget) {
        struct fal_live *oldest = conns->oldest;

        assert(oldest != NULL && oldest->of != NULL);
        if (oldest->used) {
            oldest->used = oldest == conns->last;
            take_out(conns, oldest);
            put_in_front(conns, oldest);
        } else if (!oldest->of->open || !pack(conns, oldest)) {
            break;
        }
    }
    live = conns->spare;
    if (live == NULL)
        return live_new(conns);
    conns->spare = live->older;
    memset(&live->track, 0, sizeof live->track);
    memset(live->state, 0, conns->state_size);
    live->turns = 0;
    memset(live->heard, 0, sizeof live->heard);
    memset(live->waits, 0xff, sizeof live->waits); /* what will be unpacked here is not known */
    fal_tallies_clear(&live->tallies);
    return live;
}

static void attach(struct fal_conns *conns, struct fal_conn *conn, struct fal_live *live)
{
    live->of = conn;
    conn->live = live;
    put_in_front(conns, live);
    count_bytes(conns, live);
    turn_to(conns, live);
}

bool fal_conns_use(struct fal_conns *conns, struct fal_conn *conn)
{
    struct fal_live *live = conn->live;

    if (live != NULL) {
        if (live != conns->last)
            turn_to(conns, live);
        return true;
    }
    live = get_live(conns);
    if (live == NULL)
        return false;
    unpack(conns, conn, live);
    attach(conns, conn, live);
    return true;
}

void fal_conns_retire(struct fal_conns *conns, struct fal_conn *conn)
{
    struct fal_live *live = conn->live;

    if (!reserve(conns, fal_tallies_packed_max(&live->tallies)) ||
        !keep(conns, conn, fal_tallies_pack(&live->tallies, conns->scratch)))
        return; /* they stay where they are */
    make_spare(conns, live);
}

const struct fal_tallies *fal_conn_tallies(const struct fal_conn *conn,
                                           struct fal_tallies *room)
{
    if (conn->live != NULL)
        return &conn->live->tallies;
    fal_tallies_clear(room);
    if (conn->packed != NULL)
        (void)fal_tallies_unpack(room, conn->packed);
    return room;
}

/* ---- connections ---- */

struct fal_conn *fal_conn_new(const struct fal_conns *conns, uint32_t number)
{
    struct fal_conn *conn = calloc(1, sizeof *conn);

    if (conn == NULL)
        return NULL;
    conn->number = number;
    conn->live = live_new(conns);
    if (conn->live == NULL) {
        free(conn);
        return NULL;
    }
    conn->live->of = conn;
    return conn;
}

void fal_conn_join(struct fal_conn *conn)
{
    if (conn->apart != NULL)
        fal_track_free(conn->apart);
    free(conn->apart);
    conn->apart = NULL;
}

bool fal_conn_part(struct fal_conn *conn)
{
    if (conn->apart != NULL)
        return true;
    conn->apart = malloc(sizeof *conn->apart);
    if (conn->apart == NULL)
        return false;
    conn->live->heard[1][0] = conn->live->heard[0][0];
    conn->live->heard[1][1] = conn->live->heard[0][1];
    return fal_track_part(conn->apart, &conn->live->track);
}

void fal_conn_free(struct fal_conn *conn)
{
    if (conn == NULL)
        return;
    fal_conn_join(conn);
    if (conn->live != NULL && conn->open)
        fal_track_free(&conn->live->track);
    live_free(conn->live);
    free(conn->packed);
    free(conn);
}

void fal_conns_free(struct fal_conns *conns)
{
    for (size_t i = 0; i < conns->num; i++)
        fal_conn_free(conns->list[i]);
    while (conns->spare != NULL) {
        struct fal_live *live = conns->spare;

        conns->spare = live->older;
        live_free(live);
    }
    free(conns->list);
    free(conns->slots);
    free(conns->model);
    free(conns->scratch);
    *conns = (struct fal_conns){0};
}

/* Where a number is, or would be. */
static size_t slot_of(const struct fal_conns *conns, uint32_t number)
{
    size_t at = (number * UINT32_C(2654435761)) & (conns->num_slots - 1);

    while (conns->slots[at] != 0 && conns->list[conns->slots[at] - 1]->number != number)
        at = (at + 1) & (conns->num_slots - 1);
    return at;
}

struct fal_conn *fal_conns_find(const struct fal_conns *conns, uint32_t number)
{
    uint32_t index;

    if (conns->num_slots == 0)
        return NULL;
    index = conns->slots[slot_of(conns, number)];
    return index != 0 ? conns->list[index - 1] : NULL;
}

struct fal_conn *fal_conns_by_cid(const struct fal_conns *conns, enum fal_dir dir, uint32_t cid)
{
    struct fal_conn *open = NULL, *closed = NULL;

    for (size_t i = 0; i < conns->num; i++) {
        struct fal_conn *conn = conns->list[i];

        if (fal_conn_cid(conn, dir) != cid)
            continue;
        if (!conn->open)
            closed = conn;
        else if (open != NULL)
            return NULL;
        else
            open = conn;
    }
    return open != NULL ? open : closed;
}

static bool grow_slots(struct fal_conns *conns)
{
    size_t num = conns->num_slots == 0 ? FIRST_SLOTS : 2 * conns->num_slots;
    uint32_t *slots = calloc(num, sizeof *slots);

    if (slots == NULL)
        return false;
    free(conns->slots);
    conns->slots = slots;
    conns->num_slots = num;
    for (size_t i = 0; i < conns->num; i++)
        slots[slot_of(conns, conns->list[i]->number)] = (uint32_t)i + 1;
    return true;
}

static bool grow_list(struct fal_conns *conns)
{
    size_t cap = conns->cap == 0 ? FIRST_SLOTS : 2 * conns->cap;
    struct fal_conn **list = realloc(conns->list, cap * sizeof(struct fal_conn *));

    if (list == NULL)
        return false;
    conns->list = list;
    conns->cap = cap;
    return true;
}

struct fal_conn *fal_conns_add(struct fal_conns *conns, uint32_t number)
{
    struct fal_conn *conn;
    struct fal_live *live;

    if (conns->num == conns->cap && !grow_list(conns))
        return NULL;
    if (2 * (conns->num + 1) > conns->num_slots && !grow_slots(conns))
        return NULL;
    conn = calloc(1, sizeof *conn);
    live = get_live(conns);
    if (conn == NULL || live == NULL) {
        free(conn);
        live_free(live);
        return NULL;
    }
    conn->number = number;
    attach(conns, conn, live);
    conns->list[conns->num++] = conn;
    conns->slots[slot_of(conns, number)] = (uint32_t)conns->num;
    return conn;
}
