/* SPDX-License-Identifier: Apache-2.0
 * fuzz_nvme.c - an NVMe engine in both roles under requests, answers and words of any kind. A
 * peer must not change blocks of a device that no queue of it leads to, a command completes at
 * most once, and the engine holds.
 * The input: a byte (protection, block size, encryption), then acts: kind (1), and what it
 * takes. Bytes of a packet come as they are; flags put headers into them that the engine has
 * sent, with another type. */
#include "codecs/header/ulp.h"
#include "fuzz/targets/reader.h"
#include "fuzz/targets/targets.h"
#include "oracles/nvme/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ACTS_MAX = 256,
    FRONT = 64,        /* bytes of a payload that come from the input; zeros follow */
    PACKET_MAX = 4400, /* more than any type may have */
    BTH = 32,
    TTAG_AT = 5,
    ITAG_AT = 9,
    NCMD_AT = 12,
    SQID_AT = 63,  /* in a Read Request and a Write Request */
    PULL_POST = 1, /* of a Write Data Request (enum fal_nv_post) */
    ECHOES = 16,
    NSID = 1,
    TARGET_NSID = 9,
    ROWS = 4,
    SAFE_DEV = 1, /* the device of the queue SAFE_SQ, to which no request goes */
    SAFE_SQ = 255,
    SAFE_BLOCKS = 4,
    IMAGE_BLOCKS = 1024,
    TARGET_BITS = 0xe,
};

/* REQUEST four times: most acts are requests of the peer. */
enum act { REQUEST, PULL = 4, COMPLETE, POST, POLICY, DEVICE, TABLE, TICK, ACTS };

struct table {
    struct fal_endpoint *ep;
    struct fal_nvme_engine *engine;
    uint32_t conn, rsn;
    uint64_t now_ns, safe, num_posted;
    bool done[ACTS_MAX + 1]; /* by the number of the command */
    uint8_t echoes[ECHOES][BTH];
    size_t num_echoes;
    unsigned how;
    struct fuzz_reader in;
};

static int word(struct table *t, struct fal_nvme_word ask, struct fal_nvme_word *answer)
{
    struct fal_error err;

    return fal_nvme_engine_command(t->engine, ask.conn[0] != 0 ? t->conn : 0, &ask, answer,
                                   t->now_ns, &err);
}

static struct fal_nvme_word must(struct table *t, struct fal_nvme_word ask)
{
    struct fal_nvme_word answer;

    if (word(t, ask, &answer) != 0)
        fuzz_broken("%s was refused", fal_nvme_word_names[ask.kind]);
    return answer;
}

static uint64_t safe_hash(struct table *t)
{
    return must(t, (struct fal_nvme_word){.kind = FAL_NVME_DEV_HASH,
                                          .dev = SAFE_DEV,
                                          .nsid = TARGET_NSID,
                                          .nlb0 = SAFE_BLOCKS - 1,
                                          .meta = true})
        .hash;
}

static void make_devices(struct table *t, uint32_t block_shift)
{
    for (uint32_t dev = 0; dev <= SAFE_DEV; dev++)
        (void)must(t, (struct fal_nvme_word){.kind = FAL_NVME_DEV_FORMAT,
                                             .dev = dev,
                                             .nsid = TARGET_NSID,
                                             .block_shift = block_shift,
                                             .metadata = t->how / 12 % 2 * 16,
                                             .has_sqid = true,
                                             .sqid = dev == SAFE_DEV ? SAFE_SQ : 0});
    (void)must(t, (struct fal_nvme_word){.kind = FAL_NVME_DEV_FILL,
                                         .dev = SAFE_DEV,
                                         .nsid = TARGET_NSID,
                                         .nlb0 = SAFE_BLOCKS - 1,
                                         .tag = 7});
    t->safe = safe_hash(t);
}

static struct fal_nvme_word row(uint32_t index, uint64_t chunk)
{
    return (struct fal_nvme_word){.kind = FAL_NVME_LBA,
                                  .index = index,
                                  .valid = true,
                                  .conn = "c",
                                  .target_nsid = TARGET_NSID,
                                  .chunk = chunk};
}

static void open_table(struct table *t)
{
    struct fal_endpoint_conn open = {.local = {.cid = 1}, .peer = {.cid = 2}};
    uint32_t block_shift;

    t->how = fuzz_u8(&t->in);
    block_shift = t->how % 2 == 0 ? 9 : 12;
    fal_params_default(&open.params, false);
    open.params.ordered = false;
    open.params.mtu = FAL_NVME_MTU;
    open.params.protocol_type = FAL_PROTOCOL_NVME;
    t->ep = fal_endpoint_new(&(struct fal_endpoint_config){0});
    if (t->ep == NULL || fal_endpoint_open(t->ep, &open, 0, &t->conn) != 0)
        abort();
    t->engine = fal_nvme_engine_new(
        &(struct fal_nvme_config){.endpoint = t->ep, .image_blocks = IMAGE_BLOCKS});
    if (t->engine == NULL || fal_nvme_engine_attach(t->engine, t->conn, &open.params) != 0)
        abort();
    (void)must(t, (struct fal_nvme_word){.kind = FAL_NVME_NS,
                                         .nsid = NSID,
                                         .N = 1,
                                         .block_shift = block_shift,
                                         .pi = (enum fal_nvme_pi)(t->how / 2 % FAL_NVME_PIS),
                                         .encrypt = t->how / 6 % 2 != 0});
    for (uint32_t i = 0; i < ROWS; i++)
        (void)must(t, row(i, i));
    make_devices(t, block_shift);
}

/* ---- acts ---- */

/* Bytes of the input, in which flags put a header that the engine has sent (1), of another
 * type (2), and a version that is right (4). Returns the length. */
static uint32_t packet(struct table *t, uint8_t bytes[PACKET_MAX])
{
    unsigned flags = fuzz_u8(&t->in), type = fuzz_u8(&t->in) % FAL_NVME_TYPES;
    uint32_t len = fuzz_u16(&t->in) % PACKET_MAX;
    const uint8_t *echo = t->echoes[(flags >> 4) % ECHOES];

    for (uint32_t i = 0; i < len && i < FRONT; i++)
        bytes[i] = fuzz_u8(&t->in);
    if (len >= BTH && (flags & 1) != 0)
        memcpy(bytes, echo, BTH);
    if ((flags & 2) != 0)
        bytes[0] = (uint8_t)((bytes[0] & 0xf0) | type);
    if ((flags & 4) != 0)
        bytes[0] = (uint8_t)(0x10 | (bytes[0] & 0xf));
    if (bytes[SQID_AT] == SAFE_SQ)
        bytes[SQID_AT] = 0;
    return len;
}

static void deliver(struct table *t, enum fal_out_kind kind, enum fal_ulp_op op)
{
    uint8_t bytes[PACKET_MAX + FRONT] = {0};
    struct fal_endpoint_out out = {.kind = kind, .conn = t->conn, .op = op, .payload = bytes};

    out.payload_len = packet(t, bytes);
    out.length = fuzz_u16(&t->in);
    out.rsn = t->rsn++;
    if (kind == FAL_OUT_COMPLETE) {
        /* The engine's tag of a post: its kind, a Target Tag or Initiator Tag, an nCMD. */
        unsigned what = fuzz_u8(&t->in) % 4;
        const uint8_t *tag = bytes + (what == PULL_POST ? TTAG_AT : ITAG_AT);

        out.tag = (uint64_t)what << 62 |
                  (uint64_t)((uint32_t)tag[0] << 16 | (uint32_t)tag[1] << 8 | tag[2]) << 16 |
                  bytes[NCMD_AT];
        out.code = (enum fal_completion)(fuzz_u8(&t->in) % 16);
    }
    (void)fal_nvme_engine_take(t->engine, &out, t->now_ns);
}

static void post(struct table *t)
{
    struct fal_nvme_word ask = {.kind = FAL_NVME_POST, .nsid = NSID, .cmd = ++t->num_posted};
    unsigned flags = fuzz_u8(&t->in);

    ask.op = (enum fal_nvme_op)(flags % FAL_NVME_OPS);
    ask.bad_pi = (flags & 2) != 0;
    ask.prinfo = flags >> 4;
    ask.slba = fuzz_u16(&t->in);
    ask.slba <<= fuzz_u8(&t->in) % 48;
    ask.nlb0 = fuzz_u8(&t->in);
    FAL_IGNORE(word(t, ask, &ask));
}

static void change_device(struct table *t)
{
    struct fal_nvme_word ask = {.kind = FAL_NVME_DEV_COMPLETE};

    ask.dcmd = fuzz_u8(&t->in);
    ask.status = fuzz_u16(&t->in) & FAL_NVME_STATUS_MAX;
    if (ask.status % 2 != 0)
        ask = (struct fal_nvme_word){.kind = FAL_NVME_DEV_FORMAT,
                                     .nsid = ask.status >> 1 & TARGET_BITS,
                                     .block_shift = ask.dcmd % 2 != 0 ? 9 : 12,
                                     .metadata = ask.dcmd / 2 % 2 * 16};
    FAL_IGNORE(word(t, ask, &ask));
}

static void change_table(struct table *t)
{
    struct fal_nvme_word ask = row(fuzz_u8(&t->in) % (2 * ROWS), fuzz_u32(&t->in));

    ask.valid = ask.chunk % 4 != 0;
    if (ask.chunk % 8 == 1)
        ask = (struct fal_nvme_word){.kind = FAL_NVME_NS,
                                     .nsid = NSID,
                                     .start = ask.index,
                                     .C = ask.chunk >> 8 & 31,
                                     .S = ask.chunk >> 16 & 31,
                                     .N = ask.chunk >> 24 & 7,
                                     .block_shift = t->how % 2 == 0 ? 12 : 9,
                                     .pi = (enum fal_nvme_pi)(ask.chunk >> 28 & 1)};
    FAL_IGNORE(word(t, ask, &ask));
}

/* Events are looked at, and headers that the engine sends are kept. */
static void collect(struct table *t)
{
    const struct fal_endpoint_out *out;
    struct fal_nvme_word event;

    while (fal_nvme_engine_next(t->engine, &event)) {
        if (event.kind != FAL_NVME_CQE)
            continue;
        if (event.cmd == 0 || event.cmd > t->num_posted || t->done[event.cmd])
            fuzz_broken("a completion of no command that is open");
        t->done[event.cmd] = true;
    }
    while ((out = fal_endpoint_take(t->ep)) != NULL) {
        struct fal_falcon falcon;
        int head =
            out->kind == FAL_OUT_PACKET ? fal_falcon_decode(out->bytes, out->len, &falcon) : 0;

        if (head > 0 && out->len >= (size_t)head + BTH)
            memcpy(t->echoes[t->num_echoes++ % ECHOES], out->bytes + head, BTH);
    }
}

static void act(struct table *t)
{
    switch ((enum act)(fuzz_u8(&t->in) % ACTS)) {
    case PULL: deliver(t, FAL_OUT_REQUEST, FAL_OP_PULL); break;
    case COMPLETE: deliver(t, FAL_OUT_COMPLETE, FAL_OP_PULL); break;
    case POST: post(t); break;
    case POLICY: {
        struct fal_nvme_word ask = {.kind = FAL_NVME_DEV_POLICY};

        ask.after_ns = fuzz_u16(&t->in);
        ask.hold = ask.after_ns % 3 == 0;
        ask.status = ask.after_ns % 5 == 0 ? 0x281 : 0;
        (void)must(t, ask);
        break;
    }
    case DEVICE: change_device(t); break;
    case TABLE: change_table(t); break;
    case TICK:
        t->now_ns += (uint64_t)fuzz_u16(&t->in) << 10;
        fal_nvme_engine_tick(t->engine, t->now_ns);
        break;
    case REQUEST:
    case ACTS:
    default: deliver(t, FAL_OUT_REQUEST, FAL_OP_PUSH); break;
    }
    collect(t);
}

void fuzz_nvme(const uint8_t *data, size_t size)
{
    struct table t = {.in = {data, size}};

    open_table(&t);
    for (unsigned i = 0; i < ACTS_MAX && t.in.left > 0; i++)
        act(&t);
    if (safe_hash(&t) != t.safe)
        fuzz_broken("blocks of a device that no request names have changed");
    fal_nvme_engine_free(t.engine);
    fal_endpoint_free(t.ep);
}
