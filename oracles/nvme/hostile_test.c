/* SPDX-License-Identifier: Apache-2.0
 * hostile_test.c - packets that a peer makes up, or that are damaged above Falcon: whatever
 * they say, they touch no namespace and no command but those that they may name, and the engine
 * goes on. Sanitizers watch its memory. */
#include "codecs/header/ulp.h"
#include "oracles/nvme/rig/bench_nvme.h"
#include "oracles/rng.h"
#include "tests/testing.h"

enum { ROUNDS = 6000, PACKET_MAX = 8192, OTHER_NSID = 77, OTHER_BLOCKS = 32 };

/* ---- made-up packets ---- */

static void set_up(struct bench *b)
{
    bench_simple(b, (struct fal_nvme_word){.block_shift = 12});
    (void)bench_do(b, 1,
                   (struct fal_nvme_word){.kind = FAL_NVME_DEV_FORMAT,
                                          .dev = 1,
                                          .nsid = OTHER_NSID,
                                          .block_shift = 12,
                                          .metadata = 16});
    (void)bench_do(b, 1,
                   (struct fal_nvme_word){.kind = FAL_NVME_DEV_FILL,
                                          .dev = 1,
                                          .nsid = OTHER_NSID,
                                          .nlb0 = OTHER_BLOCKS - 1,
                                          .tag = 5});
}

static uint64_t other_hash(struct bench *b)
{
    return bench_do(b, 1,
                    (struct fal_nvme_word){.kind = FAL_NVME_DEV_HASH,
                                           .dev = 1,
                                           .nsid = OTHER_NSID,
                                           .nlb0 = OTHER_BLOCKS - 1,
                                           .meta = true})
        .hash;
}

/* Side 1 is an initiator too: commands of its own on connection 0, whose device holds them. */
static void open_commands(struct bench *b)
{
    (void)bench_do(b, 0, (struct fal_nvme_word){.kind = FAL_NVME_DEV_POLICY, .hold = true});
    (void)bench_do(b, 1,
                   (struct fal_nvme_word){.kind = FAL_NVME_NS, .nsid = 1, .block_shift = 12});
    bench_row(b, 1, (struct fal_nvme_word){.target_nsid = 9}, 0);
    (void)bench_do(b, 1, bench_io(1, FAL_NVME_WRITE, 0, 4));
    (void)bench_do(b, 1, bench_io(2, FAL_NVME_READ, 8, 4));
    bench_settle(b);
}

/* A packet with members near what is right; returns its bytes. */
static uint32_t make(struct fal_rng *rng, const struct fal_nvme *near, uint8_t *bytes)
{
    static const uint32_t lengths[] = {0, 1, 4, 512, 528, 4095, 4096, 4112, 4224};
    static const uint16_t nlbs[] = {0, 1, 7, 63, 255, 256, UINT16_MAX};
    struct fal_nvme h = *near;
    uint32_t len = lengths[fal_rng_below(rng, 9)];
    int n;

    h.version = fal_rng_below(rng, 20) != 0;
    h.packet_type = (uint8_t)fal_rng_below(rng, FAL_NVME_TYPES);
    h.initiator_tag = (h.initiator_tag + (uint32_t)fal_rng_below(rng, 9)) & 0xffffff;
    h.icmd_identifier = (h.icmd_identifier + (uint32_t)fal_rng_below(rng, 4)) & 0xffffff;
    h.target_tag = (uint32_t)fal_rng_next(rng) & 0xffffff;
    h.ncnt_total = (uint8_t)fal_rng_below(rng, fal_rng_below(rng, 4) == 0 ? 256 : 4);
    h.ncnt_offset = (uint8_t)fal_rng_below(rng, fal_rng_below(rng, 4) == 0 ? 256 : 4);
    h.s = fal_rng_below(rng, 2) == 0;
    h.ng = fal_rng_below(rng, 2) == 0;
    h.inv = fal_rng_below(rng, 8) == 0;
    h.slba = fal_rng_below(rng, 8) == 0 ? UINT64_MAX - fal_rng_below(rng, 4)
                                        : fal_rng_below(rng, 64);
    h.nlb = nlbs[fal_rng_below(rng, 7)];
    h.target_nsid = (uint16_t)fal_rng_below(rng, OTHER_NSID);
    h.target_sqid = (uint8_t)fal_rng_next(rng);
    h.prinfo = (uint8_t)fal_rng_below(rng, 16);
    h.cqe_status = fal_rng_below(rng, 2) == 0 ? 0 : 0x281;
    n = fal_layout_encode(fal_nvme_layout(h.packet_type), &h, bytes, PACKET_MAX, NULL);
    ck_assert_int_gt(n, 0);
    memset(bytes + n, 0xee, len);
    len += (uint32_t)n;
    return fal_rng_below(rng, 10) == 0 ? (uint32_t)fal_rng_below(rng, len + 1) : len;
}

/* The newest request that side 1 has sent. */
static void keep_request(struct bench *b, unsigned side, struct fal_endpoint_out *out)
{
    const struct fal_falcon packet = {.packet_type = FAL_PUSH_DATA,
                                      .protocol_type = FAL_PROTOCOL_NVME};
    struct fal_ulp ulp;

    if (side != 0 || out->kind != FAL_OUT_REQUEST || out->op != FAL_OP_PUSH)
        return;
    fal_ulp_decode(&packet, out->payload, out->payload_len, &ulp);
    if (ulp.state == FAL_ULP_READ && ulp.nvme.ncnt_offset == 0)
        *(struct fal_nvme *)b->ctx = ulp.nvme;
}

/* On a connection that has none of the open commands: nobody's tags are right there. */
START_TEST(nvme_8_2_11_made_up_packets_touch_nothing_else)
{
    static uint8_t bytes[PACKET_MAX];
    uint64_t seed = test_seed(1), before;
    struct fal_rng rng = {seed};
    struct bench *b = bench_new(&(struct bench_plan){
        .impairment = {.latency_ns = 1000}, .seed = 6, .image_blocks = 512});
    struct fal_nvme near = {0};

    set_up(b);
    b->watch = keep_request;
    b->ctx = &near;
    open_commands(b);
    b->watch = NULL;
    before = other_hash(b);
    for (unsigned long i = 0; i < test_rounds(ROUNDS); i++) {
        uint32_t len = make(&rng, &near, bytes);
        bool pull = fal_rng_below(&rng, 4) == 0;
        struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                     .conn = b->ends[0].conns[1],
                                     .op = pull ? FAL_OP_PULL : FAL_OP_PUSH,
                                     .tag = UINT64_MAX, /* no tag of the engine */
                                     .length = pull ? (uint32_t)fal_rng_below(&rng, 5000) : len,
                                     .payload = bytes,
                                     .payload_len = pull ? len % 200 : 0};

        FAL_IGNORE(fal_endpoint_input(b->pair.ep[0], &in, b->pair.now_ns, NULL));
        pair_drain(&b->pair, 0);
        bench_run(b, b->pair.now_ns + 20 * FAL_US);
        ck_assert_msg(bench_event(b, 1, FAL_NVME_CQE) == NULL,
                      "round %lu: a command completes; repeat with: %s", i, test_again(seed));
        ck_assert_msg(i % 64 != 0 || other_hash(b) == before,
                      "round %lu: another namespace changes; repeat with: %s", i,
                      test_again(seed));
    }
    ck_assert_uint_eq(other_hash(b), before);
    ck_assert(!fal_nvme_engine_out_of_memory(b->ends[1].engine));
    printf("made-up packets of seed %llu\n", (unsigned long long)seed);
    bench_free(b);
}
END_TEST

/* ---- damaged packets ---- */

struct damage {
    struct fal_rng rng;
    uint8_t bytes[PACKET_MAX];
};

static void damage(struct bench *b, unsigned side, struct fal_endpoint_out *out)
{
    struct damage *d = b->ctx;
    uint32_t len = out->payload_len;

    (void)side;
    if (len == 0 || len > sizeof d->bytes || fal_rng_below(&d->rng, 4) != 0)
        return;
    memcpy(d->bytes, out->payload, len);
    for (uint64_t n = 1 + fal_rng_below(&d->rng, 3); n > 0; n--)
        d->bytes[fal_rng_below(&d->rng, len < 64 ? len : 64)] ^=
            (uint8_t)(1U << fal_rng_below(&d->rng, 8));
    out->payload = d->bytes;
    if (fal_rng_below(&d->rng, 8) == 0)
        out->payload_len = (uint32_t)fal_rng_below(&d->rng, len);
}

/* Both ends read and write while their packets are damaged. Closing ends what is left open. */
START_TEST(damaged_packets_do_no_harm)
{
    uint64_t seed = test_seed(1);

    for (unsigned long i = 0; i < test_rounds(60); i++) {
        struct bench *b = bench_new(&(struct bench_plan){
            .impairment = {.latency_ns = 1000}, .seed = seed + i, .image_blocks = 512});
        struct damage d = {.rng = {seed + i}};
        unsigned completed = 0;

        bench_simple(b, (struct fal_nvme_word){.block_shift = i % 2 == 0 ? 9 : 12,
                                               .pi = (enum fal_nvme_pi)(i % FAL_NVME_PIS),
                                               .encrypt = i % 5 == 0});
        b->watch = damage;
        b->ctx = &d;
        for (uint64_t cmd = 0; cmd < 30; cmd++)
            (void)bench_do(
                b, 0,
                bench_io(cmd, fal_rng_below(&d.rng, 2) == 0 ? FAL_NVME_READ : FAL_NVME_WRITE,
                         fal_rng_below(&d.rng, 64), 1 + (uint32_t)fal_rng_below(&d.rng, 40)));
        bench_settle(b);
        fal_nvme_engine_detach(b->ends[0].engine, b->ends[0].conns[0]);
        fal_nvme_engine_detach(b->ends[1].engine, b->ends[1].conns[0]);
        bench_collect(b, 0);
        while (bench_event(b, 0, FAL_NVME_CQE) != NULL)
            completed++;
        ck_assert_msg(completed == 30, "%u of 30 commands completed; repeat with: %s",
                      completed, test_again(seed + i));
        bench_free(b);
    }
}
END_TEST

/* ---- less data than there are ---- */

struct request_length {
    uint32_t asked, got;
    bool answered;
};

/* Changes what side 1 asks of side 0, and keeps how much comes. */
static void ask_less(struct bench *b, unsigned side, struct fal_endpoint_out *out)
{
    struct request_length *r = b->ctx;

    if (side == 0 && out->kind == FAL_OUT_REQUEST && out->op == FAL_OP_PULL)
        out->length = r->asked;
    if (side == 1 && out->kind == FAL_OUT_COMPLETE && out->op == FAL_OP_PULL) {
        r->answered = true;
        r->got = out->payload_len;
    }
}

/* A Write Data Response is not longer than the Request Length, and has no part of a header. */
START_TEST(nvme_8_6_02_data_fit_the_request_length)
{
    static const struct {
        uint32_t asked, got;
    } cases[] = {{0, 0},       {35, 0},      {36, 36},     {37, 37},
                 {4096, 4096}, {4147, 4147}, {4148, 4148}, {5000, 4148}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *b = bench_new(&(struct bench_plan){
            .impairment = {.latency_ns = 1000}, .seed = 7, .image_blocks = 64});
        struct request_length r = {.asked = cases[i].asked};

        bench_simple(b, (struct fal_nvme_word){.block_shift = 12, .pi = FAL_NVME_PI_INSERT});
        b->watch = ask_less;
        b->ctx = &r;
        (void)bench_do(b, 0, bench_io(1, FAL_NVME_WRITE, 0, 1));
        bench_settle(b);
        ck_assert(r.answered);
        ck_assert_uint_eq(r.got, cases[i].got);
        ck_assert_ptr_nonnull(bench_event(b, 0, FAL_NVME_CQE));
        bench_free(b);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NVMe hostile packets");
    TCase *tc = tcase_create("hostile");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, nvme_8_2_11_made_up_packets_touch_nothing_else);
    tcase_add_test(tc, nvme_8_6_02_data_fit_the_request_length);
    tcase_add_test(tc, damaged_packets_do_no_harm);
    suite_add_tcase(suite, tc);
    return suite;
}
