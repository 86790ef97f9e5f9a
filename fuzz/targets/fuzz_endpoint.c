/* SPDX-License-Identifier: Apache-2.0
 * fuzz_endpoint.c - two complete endpoints with valid traffic between them, and packets in
 * between that no correct peer would send. The input is a head and records (records.h); the low
 * four bits of a record's kind say what happens (enum act), the next one at which side. */
#include "codecs/header/ccqueue.h"
#include "fuzz/targets/acts.h"
#include "fuzz/targets/endpoint_world.h"
#include "fuzz/targets/records.h"
#include "fuzz/targets/targets.h"

#include <stdlib.h>
#include <string.h>

enum { DELAY_MAX_S = 3, END_MAX_S = 30 };

static void post(struct world *world, unsigned at, enum fal_ulp_op op,
                 const struct fuzz_record *record)
{
    static const uint8_t payload[WORLD_PAYLOAD_MAX];
    struct world_side *side = &world->sides[at];
    struct fuzz_reader reader = {record->bytes, record->len};
    struct world_post *entry = &side->posts[side->num_posts];
    uint32_t length = fuzz_u16(&reader);

    if (side->num_posts == WORLD_POSTS_MAX)
        return;
    entry->tag = ++side->num_posts;
    entry->length = length <= WORLD_PAYLOAD_MAX ? length : length % WORLD_PAYLOAD_MAX;
    world->bytes_posted += 4 * ((size_t)entry->length + 2048);
    if (world_input(world, at,
                    (struct fal_endpoint_in){.kind = FAL_IN_POST,
                                             .op = op,
                                             .tag = entry->tag,
                                             .length = entry->length,
                                             .payload = op == FAL_OP_PUSH ? payload : NULL}) !=
        0)
        entry->completed = true; /* refused: there is no such transaction */
}

/* How the sender of a hostile packet sealed it: as a peer does, or not quite. */
static struct fal_seal seal_of(const struct world *world, unsigned at, uint8_t kind)
{
    const struct world_side *side = &world->sides[at];
    struct fal_seal seal = {.present = world->sealed,
                            .has_vc = true,
                            .spi = side->open.security.spi,
                            .iv = world->now_ns * 1000 + (UINT64_C(1) << 30),
                            .vc = side->open.security.pcid};

    if ((kind & ACT_FLAG_SEAL_SPI) != 0)
        seal.spi++;
    if ((kind & ACT_FLAG_SEAL_OLD) != 0)
        seal.iv = 1;
    return seal;
}

static void inject(struct world *world, unsigned at, const struct fal_seal *seal,
                   const uint8_t *bytes, size_t len)
{
    world->hostile = true;
    (void)world_input(world, at,
                      (struct fal_endpoint_in){.kind = FAL_IN_PACKET,
                                               .bytes = bytes,
                                               .len = len,
                                               .seal = *seal,
                                               .ecn = FAL_ECN_CE,
                                               .ttl = 60});
}

/* A packet whose CID is right and whose numbers count from where the endpoints are: it goes
 * further than one that is wrong in everything. */
static void inject_aimed(struct world *world, unsigned at, const struct fuzz_record *record)
{
    struct world_side *side = &world->sides[at];
    struct fal_seal seal = seal_of(world, at, record->kind);
    struct fal_falcon packet;
    uint8_t bytes[WORLD_FRAME_MAX];
    int n = fal_falcon_decode(record->bytes, record->len, &packet);

    if (n <= 0 || record->len > sizeof bytes) {
        inject(world, at, &seal, record->bytes, record->len);
        return;
    }
    packet.dest_cid = side->open.local.cid;
    packet.dest_function = side->open.local.function;
    packet.recv_req_base_psn += side->last.tx_rbpsn;
    packet.recv_data_base_psn += side->last.tx_dbpsn;
    packet.psn += fal_falcon_window(&packet) == FAL_WINDOW_REQ ? side->last.rx_rbpsn
                                                               : side->last.rx_dbpsn;
    packet.rsn +=
        packet.packet_type == FAL_PULL_DATA ? side->last.brsn : side->last.target_brsn;
    packet.nack_psn +=
        packet.window == FAL_WINDOW_REQ ? side->last.tx_rbpsn : side->last.tx_dbpsn;
    n = fal_falcon_encode(&packet, record->bytes + n, record->len - (size_t)n, bytes,
                          sizeof bytes, NULL);
    if (n > 0)
        inject(world, at, &seal, bytes, (size_t)n);
}

/* One of the last packets to this side once more, changed where the record says: a byte each of
 * place and of what is flipped there. */
static void inject_again(struct world *world, unsigned at, const struct fuzz_record *record)
{
    struct world_side *side = &world->sides[at];
    struct fuzz_reader reader = {record->bytes, record->len};
    size_t back = 1 + fuzz_u8(&reader) % WORLD_KEPT;
    struct world_kept kept;

    if (side->num_kept < back)
        return;
    kept = side->kept[(side->num_kept - back) % WORLD_KEPT];
    while (reader.left >= 2 && kept.len > 0) {
        size_t place = fuzz_u8(&reader) % kept.len;

        kept.bytes[place] ^= fuzz_u8(&reader);
    }
    kept.seal.present = kept.seal.has_vc = world->sealed;
    inject(world, at, &kept.seal, kept.bytes, kept.len);
}

static void order(struct world *world, unsigned at, const struct fuzz_record *record)
{
    struct fuzz_reader reader = {record->bytes, record->len};
    uint8_t what = fuzz_u8(&reader);
    struct fal_endpoint_in in = {
        .kind = FAL_IN_CM, .order = (enum fal_cm_order)(what % (FAL_CM_DROP_PREVIOUS + 1))};

    in.seal.spi = world->sides[at].open.security.spi + 2u * fuzz_u8(&reader);
    in.seal.iv = fuzz_u64(&reader);
    (void)world_input(world, at, in);
}

static void rue_result(struct world *world, unsigned at, const struct fuzz_record *record)
{
    uint8_t entry[FAL_CC_ENTRY_LEN] = {0};

    memcpy(entry, record->bytes, record->len < sizeof entry ? record->len : sizeof entry);
    fal_bits_set(entry, 0, 24, world->sides[at].open.local.cid);
    (void)world_input(
        world, at,
        (struct fal_endpoint_in){.kind = FAL_IN_RUE, .bytes = entry, .len = sizeof entry});
}

static void wrong_input(struct world *world, unsigned at, const struct fuzz_record *record)
{
    struct fuzz_reader reader = {record->bytes, record->len};
    struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND,
                                 .conn = world->sides[at].conn,
                                 .rsn = world->sides[at].last.target_brsn};

    if ((fuzz_u8(&reader) & 1) != 0)
        in.conn = fuzz_u8(&reader);
    in.rsn += fuzz_near8(&reader);
    in.answer = (enum fal_answer)(fuzz_u8(&reader) % (FAL_ANSWER_WITHHOLD + 1));
    in.code = fuzz_u8(&reader);
    (void)world_input(world, at, in);
}

static void play(struct world *world, const struct fuzz_record *record)
{
    unsigned at = (record->kind & ACT_SIDE) != 0;
    struct world_side *side = &world->sides[at];
    struct fal_seal seal = seal_of(world, at, record->kind);
    uint64_t delay_ns = fuzz_delay(record->when);

    world_pass(world, delay_ns < DELAY_MAX_S * FAL_S ? delay_ns : DELAY_MAX_S * FAL_S);
    switch ((enum act)(record->kind & ACT_MASK)) {
    case ACT_PUSH: post(world, at, FAL_OP_PUSH, record); break;
    case ACT_PULL: post(world, at, FAL_OP_PULL, record); break;
    case ACT_HOSTILE: inject(world, at, &seal, record->bytes, record->len); break;
    case ACT_AIMED: inject_aimed(world, at, record); break;
    case ACT_AGAIN: inject_again(world, at, record); break;
    case ACT_DROP: side->drop = record->len > 0 ? record->bytes[0] & 15 : 1; break;
    case ACT_ANSWER:
        side->answer = record->len > 0 ? record->bytes[0] : 0;
        side->answer_times = record->len > 1 ? record->bytes[1] & 15 : 1;
        break;
    case ACT_ORDER: order(world, at, record); break;
    case ACT_RUE: rue_result(world, at, record); break;
    case ACT_WRONG: wrong_input(world, at, record); break;
    case ACT_WAIT: world_pass(world, 100 * FAL_US); break;
    }
}

void fuzz_endpoint(const uint8_t *data, size_t size)
{
    struct world *world;
    struct fuzz_reader reader;
    struct fuzz_record record;

    if (size < FUZZ_HEAD_LEN || (world = calloc(1, sizeof *world)) == NULL)
        return;
    world->bytes_before = fuzz_bytes_in_use();
    reader = (struct fuzz_reader){data + FUZZ_HEAD_LEN, size - FUZZ_HEAD_LEN};
    if (world_open(world, data)) {
        for (unsigned i = 0;
             i < FUZZ_RECORDS_MAX && !world_over(world) && fuzz_record_next(&reader, &record);
             i++)
            play(world, &record);
        world_pass(world, END_MAX_S * FAL_S);
        hold_end(world);
    }
    world_free(world);
    free(world);
}
