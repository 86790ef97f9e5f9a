/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/conns.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 16 };

struct fal_conn *fal_conn_new(uint32_t number, size_t cells)
{
    struct fal_conn *conn = calloc(1, sizeof *conn);

    if (conn == NULL)
        return NULL;
    conn->number = number;
    fal_tallies_init(&conn->tallies, cells);
    conn->state = calloc(cells, sizeof *conn->state);
    if (conn->state == NULL) {
        fal_conn_free(conn);
        return NULL;
    }
    return conn;
}

void fal_conn_free(struct fal_conn *conn)
{
    if (conn == NULL)
        return;
    if (conn->open)
        fal_track_free(&conn->track);
    fal_tallies_free(&conn->tallies);
    free(conn->state);
    free(conn);
}

void fal_conns_free(struct fal_conns *conns)
{
    for (size_t i = 0; i < conns->num; i++)
        fal_conn_free(conns->list[i]);
    free(conns->list);
    free(conns->slots);
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

struct fal_conn *fal_conns_add(struct fal_conns *conns, uint32_t number, size_t cells)
{
    struct fal_conn *conn;

    if (conns->num == conns->cap && !grow_list(conns))
        return NULL;
    if (2 * (conns->num + 1) > conns->num_slots && !grow_slots(conns))
        return NULL;
    conn = fal_conn_new(number, cells);
    if (conn == NULL)
        return NULL;
    conns->list[conns->num++] = conn;
    conns->slots[slot_of(conns, number)] = (uint32_t)conns->num;
    return conn;
}
