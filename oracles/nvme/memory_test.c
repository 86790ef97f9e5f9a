/* SPDX-License-Identifier: Apache-2.0
 * memory_test.c - what happens when memory runs out: at each allocation in turn, in both roles.
 */
#include "codecs/header/ulp.h"
#include "oracles/nvme/crypt.h"
#include "oracles/nvme/rig/bench_nvme.h"
#include "tests/allocator.h"
#include "tests/testing.h"

enum { ALLOCATIONS_MAX = 2000 };

/* A word, and no more: the network of the test needs memory itself. */
static void word(struct bench *b, unsigned side, struct fal_nvme_word ask)
{
    uint32_t conn = *ask.conn != 0 ? b->ends[side].conns[*ask.conn - '0'] : 0;
    struct fal_nvme_word answer;

    FAL_IGNORE(fal_nvme_engine_command(b->ends[side].engine, conn, &ask, &answer, 0, &b->err));
}

/* A request reaches the target, as the endpoint would hand it over. */
static void request(struct bench *b, uint8_t type, uint32_t tag)
{
    struct fal_nvme header = {.version = 1,
                              .packet_type = type,
                              .initiator_tag = tag,
                              .icmd_identifier = tag,
                              .target_nsid = 9};
    uint8_t bytes[64];
    struct fal_endpoint_out out = {.kind = FAL_OUT_REQUEST,
                                   .conn = b->ends[1].conns[0],
                                   .op = FAL_OP_PUSH,
                                   .rsn = tag,
                                   .payload = bytes,
                                   .payload_len = sizeof bytes};

    /* No assertion: libcheck allocates, too. */
    FAL_IGNORE(fal_layout_encode(fal_nvme_layout(type), &header, bytes, sizeof bytes, NULL));
    (void)fal_nvme_engine_take(b->ends[1].engine, &out, 0);
}

static void use(struct bench *b)
{
    for (uint32_t nsid = 1; nsid <= 2; nsid++)
        word(b, 0,
             (struct fal_nvme_word){.kind = FAL_NVME_NS,
                                    .nsid = nsid,
                                    .block_shift = 9,
                                    .pi = FAL_NVME_PI_HOST,
                                    .encrypt = nsid == 2});
    word(b, 0,
         (struct fal_nvme_word){
             .kind = FAL_NVME_LBA, .valid = true, .conn = "0", .target_nsid = 9});
    for (uint64_t cmd = 0; cmd < 6; cmd++) {
        struct fal_nvme_word post =
            bench_io(cmd, cmd % 2 == 0 ? FAL_NVME_READ : FAL_NVME_WRITE, 0, 20);

        post.nsid = 1 + (uint32_t)cmd / 3;
        word(b, 0, post);
    }
    word(b, 1,
         (struct fal_nvme_word){
             .kind = FAL_NVME_DEV_FORMAT, .nsid = 9, .block_shift = 9, .metadata = 16});
    word(b, 1, (struct fal_nvme_word){.kind = FAL_NVME_DEV_FILL, .nsid = 9, .nlb0 = 70});
    for (uint32_t tag = 0; tag < 6; tag++)
        request(b, tag % 2 == 0 ? FAL_NVME_READ_REQUEST : FAL_NVME_WRITE_REQUEST, tag);
    fal_nvme_engine_detach(b->ends[0].engine, b->ends[0].conns[0]);
}

/* OpenSSL keeps some memory from its first use, and from its first error: a key with equal
 * halves. */
static void warm_up(void)
{
    static const uint8_t key[FAL_NV_KEY_LEN];
    struct bench *b = bench_new(&(struct bench_plan){.seed = 3});
    uint8_t unit[16] = {0};

    use(b);
    bench_free(b);
    ck_assert(!fal_nv_encrypt(key, 0, unit, sizeof unit, unit));
}

START_TEST(memory_that_runs_out_ends_nothing_badly)
{
    bool failed = true;

    if (!allocator_in_charge())
        return;
    warm_up();
    for (long n = 1; failed; n++) {
        long blocks = allocator.blocks;
        struct bench *b = bench_new(&(struct bench_plan){.seed = 3});

        allocator.failed = false;
        allocator.countdown = n;
        use(b);
        allocator.countdown = 0;
        failed = allocator.failed;
        bench_free(b);
        ck_assert_msg(allocator.blocks == blocks, "allocation %ld: %ld blocks leak", n,
                      allocator.blocks - blocks);
        ck_assert_int_lt(n, ALLOCATIONS_MAX);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NVMe memory");
    TCase *tc = tcase_create("memory");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, memory_that_runs_out_ends_nothing_badly);
    suite_add_tcase(suite, tc);
    return suite;
}
