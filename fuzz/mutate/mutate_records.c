/* SPDX-License-Identifier: Apache-2.0
 * mutate_records.c - changes of a sequence: its records change places, come twice, go, come
 * from another sequence; or the packet in one of them changes. */
#include "fuzz/mutate/mutate.h"
#include "fuzz/targets/records.h"

#include <string.h>

/* A record's place in its sequence, head and all. */
struct piece {
    const uint8_t *bytes;
    size_t len;
};

struct pieces {
    size_t count;
    struct piece list[FUZZ_RECORDS_MAX];
};

static void take_apart(const uint8_t *in, size_t len, struct pieces *out)
{
    struct fuzz_reader reader = {in, len};
    struct fuzz_record record;

    out->count = 0;
    while (out->count < FUZZ_RECORDS_MAX) {
        const uint8_t *at = reader.at;

        if (!fuzz_record_next(&reader, &record))
            return;
        out->list[out->count++] = (struct piece){at, (size_t)(reader.at - at)};
    }
}

static void insert(struct pieces *pieces, size_t at, struct piece piece)
{
    if (pieces->count == FUZZ_RECORDS_MAX)
        pieces->count--;
    memmove(pieces->list + at + 1, pieces->list + at,
            (pieces->count - at) * sizeof *pieces->list);
    pieces->list[at] = piece;
    pieces->count++;
}

static void drop(struct pieces *pieces, size_t at)
{
    pieces->count--;
    memmove(pieces->list + at, pieces->list + at + 1,
            (pieces->count - at) * sizeof *pieces->list);
}

/* What lies behind the head of a record: nothing in one that is too short. */
static struct fal_span packet_of(const struct piece *piece)
{
    if (piece->len <= FUZZ_RECORD_LEN)
        return (struct fal_span){NULL, 0};
    return (struct fal_span){piece->bytes + FUZZ_RECORD_LEN, piece->len - FUZZ_RECORD_LEN};
}

/* The packet of one record changes, or what the record does, or when. New bytes lie in
 * m->half. */
static void change_one(struct mutator *m, struct piece *piece, const struct pieces *donors)
{
    struct piece donor = {NULL, 0};
    size_t n;

    if (piece->len > MUTATE_ROOM / 2)
        return;
    memcpy(m->half, piece->bytes, piece->len);
    if (piece->len > FUZZ_RECORD_LEN + 8 && mutate_below(m, 8) != 0) {
        if (donors->count > 0)
            donor = donors->list[mutate_below(m, donors->count)];
        n = mutate_packet(m, packet_of(piece), packet_of(&donor), m->half + FUZZ_RECORD_LEN,
                          UINT16_MAX / 4);
        m->half[2] = (uint8_t)(n >> 8);
        m->half[3] = (uint8_t)n;
        *piece = (struct piece){m->half, FUZZ_RECORD_LEN + n};
        return;
    }
    switch (mutate_below(m, 3)) {
    case 0: m->half[0] ^= (uint8_t)(1u << mutate_below(m, 8)); break;
    case 1: m->half[1] = (uint8_t)mutate_below(m, 256); break;
    default:
        if (piece->len > FUZZ_RECORD_LEN)
            m->half[FUZZ_RECORD_LEN + mutate_below(m, piece->len - FUZZ_RECORD_LEN)] ^=
                (uint8_t)(1u << mutate_below(m, 8));
        break;
    }
    mutate_did(m, MUTATE_SWITCHES);
    piece->bytes = m->half;
}

static void change(struct mutator *m, struct pieces *pieces, const struct pieces *donors)
{
    size_t a = (size_t)mutate_below(m, pieces->count);
    size_t b = (size_t)mutate_below(m, pieces->count);
    struct piece kept = pieces->list[a];

    switch (mutate_below(m, 8)) {
    case 0: /* a packet overtakes others */
        pieces->list[a] = pieces->list[b];
        pieces->list[b] = kept;
        mutate_did(m, MUTATE_SWAP);
        break;
    case 1:
        insert(pieces, b, kept);
        mutate_did(m, MUTATE_DUPLICATE);
        break;
    case 2:
        if (pieces->count > 1) {
            drop(pieces, a);
            mutate_did(m, MUTATE_DROP);
        }
        break;
    case 3:
        if (donors->count > 0) {
            insert(pieces, b, donors->list[mutate_below(m, donors->count)]);
            mutate_did(m, MUTATE_SPLICE);
        }
        break;
    default: break;
    }
}

size_t mutate_records(struct mutator *m, struct fal_span in, struct fal_span other,
                      uint8_t *out, size_t cap)
{
    struct pieces pieces, donors = {.count = 0};
    size_t n = FUZZ_HEAD_LEN;

    if (in.len < FUZZ_HEAD_LEN || cap < FUZZ_HEAD_LEN || in.bytes[0] == '{')
        return 0;
    take_apart(in.bytes + FUZZ_HEAD_LEN, in.len - FUZZ_HEAD_LEN, &pieces);
    if (pieces.count == 0)
        return 0;
    if (other.len > FUZZ_HEAD_LEN && other.bytes[0] != '{')
        take_apart(other.bytes + FUZZ_HEAD_LEN, other.len - FUZZ_HEAD_LEN, &donors);
    for (uint64_t times = mutate_below(m, 3); times > 0; times--)
        change(m, &pieces, &donors);
    change_one(m, &pieces.list[mutate_below(m, pieces.count)], &donors);
    memcpy(out, in.bytes, FUZZ_HEAD_LEN);
    if (mutate_below(m, 32) == 0) {
        out[mutate_below(m, FUZZ_HEAD_LEN)] = (uint8_t)mutate_below(m, 256);
        mutate_did(m, MUTATE_SWITCHES);
    }
    for (size_t i = 0; i < pieces.count && pieces.list[i].len <= cap - n; i++) {
        memcpy(out + n, pieces.list[i].bytes, pieces.list[i].len);
        n += pieces.list[i].len;
    }
    return n;
}
