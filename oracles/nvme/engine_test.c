/* SPDX-License-Identifier: Apache-2.0
 * engine_test.c - commands of a host, from its queue to the blocks of a device and back. */
#include "oracles/nvme/rig/bench_nvme.h"
#include "tests/testing.h"

static const struct fal_impairment plain = {.latency_ns = 5000};

/* Blocks before the chunk of bench_simple at the device. */
static uint64_t chunk_start(uint32_t block_shift)
{
    return UINT64_C(5) << (30 - block_shift);
}

static struct bench *simple(struct fal_nvme_word ns)
{
    struct bench *b = bench_new(&(struct bench_plan){.impairment = plain, .seed = 1});

    bench_simple(b, ns);
    return b;
}

START_TEST(nvme_6_3_what_was_written_is_read)
{
    static const struct {
        struct fal_nvme_word ns;
        uint32_t blocks;
    } cases[] = {
        {{.block_shift = 12}, 1},
        {{.block_shift = 12}, 64},
        {{.block_shift = 9}, 1},
        {{.block_shift = 9}, 13},
        {{.block_shift = 12, .pi = FAL_NVME_PI_HOST}, 5},
        {{.block_shift = 9, .pi = FAL_NVME_PI_INSERT}, 21},
        {{.block_shift = 12, .encrypt = true}, 3},
        {{.block_shift = 9, .pi = FAL_NVME_PI_HOST, .encrypt = true}, 9},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *b = simple(cases[i].ns);
        uint32_t shift = cases[i].ns.block_shift, blocks = cases[i].blocks;
        uint64_t due = bench_pattern_hash(1, blocks, 1U << shift), seen;
        struct fal_nvme_word read = bench_io(2, FAL_NVME_READ, 7, blocks);

        (void)bench_do(b, 0, bench_io(1, FAL_NVME_WRITE, 7, blocks));
        bench_settle(b);
        bench_cqe(b, 1, FAL_NVME_OK);
        seen = bench_dev_hash(b, chunk_start(shift) + 7, blocks);
        ck_assert_msg((seen == due) != cases[i].ns.encrypt, "case %zu", i);
        read.prinfo = cases[i].ns.pi != FAL_NVME_PI_OFF ? 7 : 0;
        (void)bench_do(b, 0, read);
        bench_settle(b);
        ck_assert_uint_eq(bench_cqe(b, 2, FAL_NVME_OK)->hash, due);
        bench_free(b);
    }
}
END_TEST

/* One command of the host for two targets, each with its own command (NVME 6.6.3). */
START_TEST(nvme_6_6_3_a_command_is_split_at_a_stripe)
{
    struct bench *b = bench_new(&(struct bench_plan){.impairment = plain, .seed = 2});
    const uint64_t stripe = 64; /* 256 KiB of 4 KiB blocks */
    const struct fal_nvme_word *dev;

    (void)bench_do(b, 0,
                   (struct fal_nvme_word){
                       .kind = FAL_NVME_NS, .nsid = 1, .N = 1, .start = 4, .block_shift = 12});
    bench_row(b, 0, (struct fal_nvme_word){.index = 4, .target_nsid = 9, .chunk = 2}, 0);
    bench_row(b, 0, (struct fal_nvme_word){.index = 5, .target_nsid = 8, .chunk = 3}, 1);
    (void)bench_do(b, 0, bench_io(1, FAL_NVME_WRITE, stripe - 3, 10));
    bench_settle(b);
    bench_cqe(b, 1, FAL_NVME_OK);
    dev = bench_event(b, 1, FAL_NVME_DEV_CMD);
    ck_assert_ptr_nonnull(dev);
    ck_assert_uint_eq(dev->nsid, 9);
    ck_assert_uint_eq(dev->slba, (UINT64_C(2) << 18) + stripe - 3);
    ck_assert_uint_eq(dev->nlb0, 2);
    dev = bench_event(b, 1, FAL_NVME_DEV_CMD);
    ck_assert_ptr_nonnull(dev);
    ck_assert_uint_eq(dev->nsid, 8);
    ck_assert_uint_eq(dev->slba, UINT64_C(3) << 18);
    ck_assert_uint_eq(dev->nlb0, 6);
    ck_assert_ptr_null(bench_event(b, 1, FAL_NVME_DEV_CMD));
    (void)bench_do(b, 0, bench_io(2, FAL_NVME_READ, stripe - 3, 10));
    bench_settle(b);
    b->ends[0].seen = 0;
    bench_cqe(b, 1, FAL_NVME_OK);
    ck_assert_uint_eq(bench_cqe(b, 2, FAL_NVME_OK)->hash, bench_pattern_hash(1, 10, 4096));
    bench_free(b);
}
END_TEST

START_TEST(nvme_7_2_a_device_holds_a_command)
{
    struct bench *b = simple((struct fal_nvme_word){.block_shift = 12});
    uint64_t start_ns;

    (void)bench_do(b, 1, (struct fal_nvme_word){.kind = FAL_NVME_DEV_POLICY, .hold = true});
    (void)bench_do(b, 0, bench_io(1, FAL_NVME_WRITE, 0, 4));
    bench_settle(b);
    ck_assert_ptr_null(bench_event(b, 0, FAL_NVME_CQE));
    ck_assert_uint_eq(bench_event(b, 1, FAL_NVME_DEV_CMD)->dcmd, 1);
    (void)bench_do(
        b, 1,
        (struct fal_nvme_word){.kind = FAL_NVME_DEV_COMPLETE, .dcmd = 1, .status = 0x281});
    bench_settle(b);
    bench_cqe(b, 1, 0x281);
    (void)bench_do(b, 1,
                   (struct fal_nvme_word){.kind = FAL_NVME_DEV_POLICY, .after_ns = FAL_MS});
    start_ns = b->pair.now_ns;
    (void)bench_do(b, 0, bench_io(2, FAL_NVME_READ, 0, 4));
    bench_run(b, start_ns + FAL_MS);
    ck_assert_ptr_null(bench_event(b, 0, FAL_NVME_CQE));
    bench_settle(b);
    bench_cqe(b, 2, FAL_NVME_OK);
    bench_free(b);
}
END_TEST

/* Rows without the valid bit, and commands that are too long. */
START_TEST(nvme_6_6_2_13_an_invalid_row_ends_the_command)
{
    struct bench *b = simple((struct fal_nvme_word){.block_shift = 12});
    struct fal_nvme_word answer;

    (void)bench_do(b, 0, bench_io(1, FAL_NVME_READ, 1 << 18, 1)); /* the second chunk */
    bench_cqe(b, 1, FAL_NVME_LBA_RANGE);
    (void)bench_do(b, 0, (struct fal_nvme_word){.kind = FAL_NVME_LBA, .index = 0});
    (void)bench_do(b, 0, bench_io(2, FAL_NVME_READ, 0, 1));
    bench_cqe(b, 2, FAL_NVME_LBA_RANGE);
    ck_assert_int_eq(bench_word(b, 0, bench_io(3, FAL_NVME_READ, 0, 65), &answer),
                     FAL_ERR_RANGE);
    ck_assert_int_eq(bench_word(b, 0, bench_io(3, FAL_NVME_READ, UINT64_MAX, 2), &answer),
                     FAL_ERR_RANGE);
    bench_free(b);
}
END_TEST

START_TEST(nvme_8_2_06_bad_protection_of_the_host_is_not_written)
{
    struct bench *b = simple((struct fal_nvme_word){.block_shift = 12, .pi = FAL_NVME_PI_HOST});
    struct fal_nvme_word bad = bench_io(2, FAL_NVME_WRITE, 0, 4);
    uint64_t before;

    (void)bench_do(b, 0, bench_io(1, FAL_NVME_WRITE, 0, 4));
    bench_settle(b);
    bench_cqe(b, 1, FAL_NVME_OK);
    before = bench_dev_hash(b, chunk_start(12), 4);
    bad.bad_pi = true;
    bad.prinfo = 4;
    (void)bench_do(b, 0, bad);
    bench_settle(b);
    bench_cqe(b, 2, FAL_NVME_GUARD_CHECK);
    ck_assert_uint_eq(bench_dev_hash(b, chunk_start(12), 4), before);
    bad.prinfo = 0; /* nobody asks for the check */
    (void)bench_do(b, 0, bad);
    bench_settle(b);
    bench_cqe(b, 2, FAL_NVME_OK);
    bench_free(b);
}
END_TEST

START_TEST(nvme_8_a_connection_must_be_unordered_and_long_enough)
{
    struct bench *b = bench_new(&(struct bench_plan){.impairment = plain, .seed = 1});
    struct fal_params params = b->pair.open[0].params;
    uint32_t conn = b->ends[0].conns[0];

    ck_assert_int_eq(fal_nvme_engine_attach(b->ends[0].engine, conn, &params), FAL_ERR_RANGE);
    fal_nvme_engine_detach(b->ends[0].engine, conn);
    params.ordered = true;
    ck_assert_int_eq(fal_nvme_engine_attach(b->ends[0].engine, conn, &params), FAL_ERR_RANGE);
    params.ordered = false;
    params.mtu = FAL_NVME_MTU - 1;
    ck_assert_int_eq(fal_nvme_engine_attach(b->ends[0].engine, conn, &params), FAL_ERR_RANGE);
    params.mtu = FAL_NVME_MTU;
    ck_assert_int_eq(fal_nvme_engine_attach(b->ends[0].engine, conn, &params), 0);
    bench_free(b);
}
END_TEST

/* Commands on a connection that is closed end with an error of the path. */
START_TEST(a_closed_connection_ends_its_commands)
{
    struct bench *b = simple((struct fal_nvme_word){.block_shift = 12});

    (void)bench_do(b, 1, (struct fal_nvme_word){.kind = FAL_NVME_DEV_POLICY, .hold = true});
    (void)bench_do(b, 0, bench_io(1, FAL_NVME_WRITE, 0, 4));
    bench_settle(b);
    fal_nvme_engine_detach(b->ends[0].engine, b->ends[0].conns[0]);
    bench_collect(b, 0);
    bench_cqe(b, 1, FAL_NVME_PATH);
    fal_nvme_engine_reset(b->ends[1].engine);
    ck_assert(!fal_nvme_engine_out_of_memory(b->ends[0].engine));
    bench_free(b);
}
END_TEST

/* Connections share the credits of the host: one whose requests wait goes on when another gives
 * credits back (FALCON 8.2.3). */
START_TEST(ftp_8_2_3_requests_wait_for_credits_of_another_connection)
{
    struct bench *b =
        bench_new(&(struct bench_plan){.impairment = plain, .seed = 1, .requests = 2});
    const uint64_t stripe = 64; /* 256 KiB of 4 KiB blocks */

    (void)bench_do(
        b, 0,
        (struct fal_nvme_word){.kind = FAL_NVME_NS, .nsid = 1, .N = 1, .block_shift = 12});
    for (unsigned row = 0; row < 2; row++)
        bench_row(b, 0, (struct fal_nvme_word){.index = row, .target_nsid = 9, .chunk = row},
                  row);
    (void)bench_do(b, 0, bench_io(1, FAL_NVME_WRITE, 0, 2));
    (void)bench_do(b, 0, bench_io(2, FAL_NVME_WRITE, stripe, 5));
    bench_settle(b);
    bench_cqe(b, 1, FAL_NVME_OK);
    bench_cqe(b, 2, FAL_NVME_OK);
    bench_free(b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NVMe engine");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, nvme_6_3_what_was_written_is_read);
    tcase_add_test(tc, nvme_6_6_3_a_command_is_split_at_a_stripe);
    tcase_add_test(tc, nvme_7_2_a_device_holds_a_command);
    tcase_add_test(tc, nvme_6_6_2_13_an_invalid_row_ends_the_command);
    tcase_add_test(tc, nvme_8_2_06_bad_protection_of_the_host_is_not_written);
    tcase_add_test(tc, nvme_8_a_connection_must_be_unordered_and_long_enough);
    tcase_add_test(tc, a_closed_connection_ends_its_commands);
    tcase_add_test(tc, ftp_8_2_3_requests_wait_for_credits_of_another_connection);
    suite_add_tcase(suite, tc);
    return suite;
}
