/* SPDX-License-Identifier: Apache-2.0
 * fuzz_nvme.c - an NVMe engine, as initiator and as target, under packets, answers and words of
 * any kind. What a peer says must not change a block of a device that no packet can name.
 * The input: a byte (format of the namespace), then acts: kind (1), and what it takes. Bytes of
 * a packet come as they are; flags put tags into them that the engine has sent. */
#include "codecs/header/ulp.h"
#include "fuzz/targets/reader.h"
#include "fuzz/targets/targets.h"
#include "oracles/nvme/engine.h"

#include <stdlib.h>
#include <string.h>

enum {
    ACTS_MAX = 256,
    PACKET_MAX = 4400,
    TAGS_AT = 1, /* function, ..., iCMD Identifier in an NBTH */
    TAGS_LEN = 15,
    NBTH_LEN = 32,
    NLB_AT = 44,
    PUSH_HEADER = 28,
    PULL_HEADER = 32,
    PULL_TAG = 1, /* what a Write Data Request is to the engine; 62 bits further up */
    OTHER_DEV = 1,
    OTHER_NLB0 = 3,
};

/* PUSH five times: most acts are pushes. */
enum act { PUSH, PULL = 5, COMPLETE, POST, POLICY, FINISH, TICK, ACTS };

struct table {
    struct fal_endpoint *ep;
    struct fal_nvme_engine *engine;
    uint32_t conn, rsn;
    uint64_t now_ns, before;
    uint8_t tags[TAGS_LEN]; /* of the NBTH that the engine sent last */
    uint32_t target_tag;    /* of its last Write Data Request */
    struct fuzz_reader in;
};

static int word(struct table *t, struct fal_nvme_word ask, struct fal_nvme_word *answer)
{
    struct fal_error err;

    return fal_nvme_engine_command(t->engine, *ask.conn != 0 ? t->conn : 0, &ask, answer,
                                   t->now_ns, &err);
}

static struct fal_nvme_word must(struct table *t, struct fal_nvme_word ask)
{
    struct fal_nvme_word answer;

    if (word(t, ask, &answer) != 0)
        fuzz_broken("%s was refused", fal_nvme_word_names[ask.kind]);
    return answer;
}

/* A device to which no submission queue leads. */
static uint64_t other_hash(struct table *t)
{
    return must(t, (struct fal_nvme_word){.kind = FAL_NVME_DEV_HASH,
                                          .dev = OTHER_DEV,
                                          .nsid = 1,
                                          .nlb0 = OTHER_NLB0,
                                          .meta = true})
        .hash;
}

static void open_table(struct table *t)
{
    struct fal_endpoint_conn open = {.local = {.cid = 1}, .peer = {.cid = 2}};
    unsigned how = fuzz_u8(&t->in);

    fal_params_default(&open.params, false);
    open.params.ordered = false;
    open.params.mtu = FAL_NVME_MTU;
    t->ep = fal_endpoint_new(&(struct fal_endpoint_config){0});
    if (t->ep == NULL || fal_endpoint_open(t->ep, &open, 0, &t->conn) != 0)
        abort();
    t->engine =
        fal_nvme_engine_new(&(struct fal_nvme_config){.endpoint = t->ep, .image_blocks = 64});
    if (t->engine == NULL || fal_nvme_engine_attach(t->engine, t->conn, &open.params) != 0)
        abort();
    (void)must(t, (struct fal_nvme_word){.kind = FAL_NVME_NS,
                                         .nsid = 1,
                                         .block_shift = how % 2 == 0 ? 9 : 12,
                                         .pi = (enum fal_nvme_pi)(how / 2 % FAL_NVME_PIS),
                                         .encrypt = how / 6 % 2 != 0});
    (void)must(t, (struct fal_nvme_word){
                      .kind = FAL_NVME_LBA, .valid = true, .conn = "c", .target_nsid = 1});
    (void)must(t, (struct fal_nvme_word){.kind = FAL_NVME_DEV_FORMAT,
                                         .nsid = 1,
                                         .block_shift = how / 12 % 2 == 0 ? 9 : 12,
                                         .metadata = 16});
    (void)must(t,
               (struct fal_nvme_word){
                   .kind = FAL_NVME_DEV_FILL, .dev = OTHER_DEV, .nsid = 1, .nlb0 = OTHER_NLB0});
    t->before = other_hash(t);
}

/* ---- acts ---- */

/* Bytes of the input, repeated as far as data go, into which flags put a version, tags and a
 * small length. */
static uint32_t packet(struct table *t, uint8_t bytes[PACKET_MAX])
{
    unsigned flags = fuzz_u8(&t->in);
    uint32_t len = fuzz_u16(&t->in) % PACKET_MAX, given = len < 64 ? len : 64;

    for (uint32_t i = 0; i < given; i++)
        bytes[i] = fuzz_u8(&t->in);
    for (uint32_t i = given; i < len; i++)
        bytes[i] = bytes[i - given];
    if (len >= NBTH_LEN && (flags & 1) != 0)
        bytes[0] = (uint8_t)(0x10 | bytes[0] % FAL_NVME_TYPES);
    if (len >= NBTH_LEN && (flags & 2) != 0)
        memcpy(bytes + TAGS_AT, t->tags, TAGS_LEN);
    if (len >= NBTH_LEN && (flags & 4) != 0)
        memset(bytes + TAGS_AT + TAGS_LEN, 0, NBTH_LEN - TAGS_AT - TAGS_LEN);
    if (len > NLB_AT + 1 && (flags & 8) != 0)
        bytes[NLB_AT] = 0;
    return len;
}

static void deliver(struct table *t, enum fal_out_kind kind, enum fal_ulp_op op)
{
    uint8_t bytes[PACKET_MAX] = {0};
    struct fal_endpoint_out out = {.kind = kind, .conn = t->conn, .op = op, .payload = bytes};

    out.payload_len = packet(t, bytes);
    out.length = fuzz_u16(&t->in);
    out.rsn = t->rsn++;
    out.tag = (uint64_t)PULL_TAG << 62 | (uint64_t)t->target_tag << 16 | fuzz_u8(&t->in) % 4;
    if (kind == FAL_OUT_COMPLETE)
        out.code = (enum fal_completion)(fuzz_u8(&t->in) % 4);
    (void)fal_nvme_engine_take(t->engine, &out, t->now_ns);
}

static void post(struct table *t)
{
    struct fal_nvme_word ask = {.kind = FAL_NVME_POST, .nsid = 1, .cmd = t->rsn}, answer;

    ask.op = fuzz_u8(&t->in) % 2 == 0 ? FAL_NVME_READ : FAL_NVME_WRITE;
    ask.slba = fuzz_u16(&t->in);
    ask.nlb0 = fuzz_u8(&t->in) % 32;
    ask.prinfo = fuzz_u8(&t->in) % 16;
    ask.bad_pi = ask.prinfo > 12;
    FAL_IGNORE(word(t, ask, &answer) == 0 ? 0 : -1);
}

static void finish(struct table *t)
{
    struct fal_nvme_word ask = {.kind = FAL_NVME_DEV_COMPLETE}, answer;

    ask.dcmd = fuzz_u8(&t->in);
    ask.status = fuzz_u8(&t->in) % 2;
    FAL_IGNORE(word(t, ask, &answer) == 0 ? 0 : -1);
}

/* Keeps the tags of a packet that the engine sends. */
static void sent(struct table *t, const struct fal_endpoint_out *out)
{
    struct fal_falcon packet;
    const uint8_t *nbth;

    if (out->kind != FAL_OUT_PACKET || fal_falcon_decode(out->bytes, out->len, &packet) <= 0)
        return;
    nbth = out->bytes + (packet.packet_type == FAL_PULL_REQUEST ? PULL_HEADER : PUSH_HEADER);
    if ((packet.packet_type != FAL_PULL_REQUEST && packet.packet_type != FAL_PUSH_DATA) ||
        out->bytes + out->len < nbth + NBTH_LEN)
        return;
    memcpy(t->tags, nbth + TAGS_AT, TAGS_LEN);
    if (packet.packet_type == FAL_PULL_REQUEST)
        t->target_tag = (uint32_t)nbth[5] << 16 | (uint32_t)nbth[6] << 8 | nbth[7];
}

static void act(struct table *t)
{
    const struct fal_endpoint_out *out;
    struct fal_nvme_word event;

    switch ((enum act)(fuzz_u8(&t->in) % ACTS)) {
    case PULL: deliver(t, FAL_OUT_REQUEST, FAL_OP_PULL); break;
    case COMPLETE: deliver(t, FAL_OUT_COMPLETE, FAL_OP_PULL); break;
    case POST: post(t); break;
    case POLICY:
        (void)must(t, (struct fal_nvme_word){.kind = FAL_NVME_DEV_POLICY,
                                             .hold = fuzz_u8(&t->in) % 2 == 0,
                                             .after_ns = fuzz_u16(&t->in)});
        break;
    case FINISH: finish(t); break;
    case TICK:
        t->now_ns += (uint64_t)fuzz_u16(&t->in) << 20;
        fal_nvme_engine_tick(t->engine, t->now_ns);
        break;
    case PUSH:
    case ACTS:
    default: deliver(t, FAL_OUT_REQUEST, FAL_OP_PUSH); break;
    }
    while (fal_nvme_engine_next(t->engine, &event))
        continue;
    while ((out = fal_endpoint_take(t->ep)) != NULL)
        sent(t, out);
}

void fuzz_nvme(const uint8_t *data, size_t size)
{
    struct table t = {.in = {data, size}};

    open_table(&t);
    for (unsigned i = 0; i < ACTS_MAX && t.in.left > 0; i++)
        act(&t);
    if (other_hash(&t) != t.before)
        fuzz_broken("blocks of another device have changed");
    fal_nvme_engine_free(t.engine);
    fal_endpoint_free(t.ep);
}
