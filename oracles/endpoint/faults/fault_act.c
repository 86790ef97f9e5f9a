/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/faults/fault_act.h"

#include "oracles/endpoint/connection.h"

#include "codecs/base/bits.h"

enum {
    RNG_PART = 1, /* of the endpoint's seed */
    NEAR_WRAP = 128,
};

void fal_faulty_init(struct fal_faulty *faulty, const struct fal_fault_set *set, uint64_t seed)
{
    *faulty = (struct fal_faulty){.set = *set, .rng = fal_rng_split(seed, RNG_PART)};
    for (uint32_t i = 0; i < set->num_hows; i++)
        faulty->own_rng[i] = fal_rng_split(set->hows[i].seed, RNG_PART);
}

/* A number below n from a fault's dice. */
static uint64_t draw(struct fal_faulty *faulty, const struct fal_fault_how *how, uint64_t n)
{
    bool own = how != NULL && how->has_seed;

    return fal_rng_below(own ? &faulty->own_rng[how - faulty->set.hows] : &faulty->rng, n);
}

/* ---- when ---- */

/* Whether numbers that began with `first` and now stand from `base` to `next` are about to
 * wrap round, or just have. */
static bool wraps(uint32_t first, uint32_t base, uint32_t next)
{
    return next >= UINT32_MAX - NEAR_WRAP || next < base || (base < NEAR_WRAP && base < first);
}

static bool near_wrap(const struct fal_ep_conn *conn)
{
    const struct fal_end *local = &conn->local, *peer = &conn->peer;
    const uint32_t first_tx[2] = {
        [FAL_WINDOW_REQ] = local->req_psn, [FAL_WINDOW_DATA] = local->data_psn};
    const uint32_t first_rx[2] = {
        [FAL_WINDOW_REQ] = peer->req_psn, [FAL_WINDOW_DATA] = peer->data_psn};

    for (unsigned w = 0; w < 2; w++)
        if (wraps(first_tx[w], conn->tx[w].sent.base, conn->tx[w].next) ||
            wraps(first_rx[w], conn->rx[w].base, conn->rx[w].base))
            return true;
    return wraps(local->rsn, conn->initiator.txns.base, conn->initiator.nrsn) ||
           wraps(peer->rsn, conn->target.txns.base, conn->target.txns.base);
}

static bool beyond_first_window(const struct fal_ep_conn *conn)
{
    return conn->tx[FAL_WINDOW_REQ].next - conn->local.req_psn >= FAL_RX_WINDOW_REQ ||
           conn->tx[FAL_WINDOW_DATA].next - conn->local.data_psn >= FAL_RX_WINDOW_DATA ||
           conn->rx[FAL_WINDOW_REQ].base - conn->peer.req_psn >= FAL_RX_WINDOW_REQ ||
           conn->rx[FAL_WINDOW_DATA].base - conn->peer.data_psn >= FAL_RX_WINDOW_DATA;
}

static bool its_time(const struct fal_ep_conn *conn, enum fal_fault_when when)
{
    switch (when) {
    case FAL_WHEN_ALWAYS: break;
    case FAL_WHEN_WRAP: return near_wrap(conn);
    case FAL_WHEN_RESYNC: return conn->odd->resynced;
    case FAL_WHEN_SECOND_WINDOW: return beyond_first_window(conn);
    }
    return true;
}

bool fal_faulty_roll(struct fal_faulty *faulty, enum fal_fault_id id)
{
    const struct fal_fault_how *how = fal_fault_how(&faulty->set, id);
    uint32_t one_in = how != NULL && how->one_in > 0 ? how->one_in : faulty->set.one_in;

    faulty->chances[id]++;
    faulty->all_chances++;
    if (how != NULL && faulty->chances[id] < how->from)
        return false;
    if (one_in > 1 && draw(faulty, how, one_in) != 0)
        return false;
    faulty->acts[id]++;
    faulty->all_acts++;
    return true;
}

bool fal_fault_acts(const struct fal_ep_conn *conn, enum fal_fault_id id)
{
    struct fal_faulty *faulty = &conn->ep->faulty;
    const struct fal_fault_how *how = fal_fault_how(&faulty->set, id);

    return (how == NULL || its_time(conn, how->when)) && fal_faulty_roll(faulty, id);
}

bool fal_fault_at_length(const struct fal_ep_conn *conn, enum fal_fault_id id, size_t len)
{
    const struct fal_fault_how *how = fal_fault_how(&conn->ep->faulty.set, id);
    uint64_t at = how != NULL && how->has_seed ? how->seed : FAL_FAULT_LENGTH;

    return len > 0 && len % FAL_FAULT_LENGTHS == at % FAL_FAULT_LENGTHS && fal_fault(conn, id);
}

/* ---- header fields ---- */

static bool bit_at(const uint8_t *wire, unsigned at)
{
    return fal_bits_get(wire, at, 1) != 0;
}

/* Moves the bits of a field one place on, over the bit behind it; the last field of a header
 * one place back. */
static void shift(const struct fal_layout *layout, const struct fal_field *field, uint8_t *wire)
{
    unsigned first = field->offset_bits, last = first + field->width_bits - 1u;

    if (last + 1 < layout->size_bytes * 8) {
        for (unsigned at = last + 1; at > first; at--)
            fal_bits_set(wire, at, 1, bit_at(wire, at - 1));
        fal_bits_set(wire, first, 1, 0);
    } else {
        for (unsigned at = first - 1; at < last; at++)
            fal_bits_set(wire, at, 1, bit_at(wire, at + 1));
        fal_bits_set(wire, last, 1, 0);
    }
}

/* The field that a fault is about in a header of that layout; NULL when it is about another
 * one. */
static const struct fal_field *its_field(const struct fal_ep_conn *conn,
                                         const struct fal_layout *layout, enum fal_fault_id id)
{
    struct fal_faulty *faulty = &conn->ep->faulty;
    const struct fal_fault_how *how = fal_fault_how(&faulty->set, id);

    if (how != NULL && how->field != NULL)
        return how->header == layout ? how->field : NULL;
    return &layout->fields[draw(faulty, how, layout->num_fields)];
}

void fal_fault_header(const struct fal_ep_conn *conn, const struct fal_layout *layout,
                      uint8_t *wire)
{
    struct fal_faulty *faulty = &conn->ep->faulty;
    const struct fal_field *field;

    if (fal_fault_in(&faulty->set, FAL_FAULT_HEADER_FIELD_SHIFTED)) {
        field = its_field(conn, layout, FAL_FAULT_HEADER_FIELD_SHIFTED);
        if (field != NULL && fal_fault(conn, FAL_FAULT_HEADER_FIELD_SHIFTED))
            shift(layout, field, wire);
    }
    if (fal_fault_in(&faulty->set, FAL_FAULT_HEADER_FIELD_CORRUPTED)) {
        field = its_field(conn, layout, FAL_FAULT_HEADER_FIELD_CORRUPTED);
        if (field != NULL && fal_fault(conn, FAL_FAULT_HEADER_FIELD_CORRUPTED)) {
            const struct fal_fault_how *how =
                fal_fault_how(&faulty->set, FAL_FAULT_HEADER_FIELD_CORRUPTED);
            unsigned at = field->offset_bits + (unsigned)draw(faulty, how, field->width_bits);

            fal_bits_set(wire, at, 1, !bit_at(wire, at));
        }
    }
}
