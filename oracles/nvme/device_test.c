/* SPDX-License-Identifier: Apache-2.0
 * device_test.c - devices behind a target: formats, fills, hashes, and checks of protection
 * information. */
#include "codecs/nvme/t10_dif.h"
#include "oracles/nvme/rig/bench_nvme.h"
#include "tests/testing.h"

static const struct fal_impairment plain = {.latency_ns = 5000};

static struct bench *simple(struct fal_nvme_word ns)
{
    struct bench *b = bench_new(&(struct bench_plan){.impairment = plain, .seed = 1});

    bench_simple(b, ns);
    return b;
}

static int refused(struct bench *b, unsigned side, struct fal_nvme_word ask)
{
    struct fal_nvme_word answer;

    return bench_word(b, side, ask, &answer);
}

/* Blocks that were filled, and blocks that nobody wrote, pass the checks of a read. */
START_TEST(nvme_6_7_11_filled_and_empty_blocks_are_read)
{
    struct bench *b = simple((struct fal_nvme_word){.block_shift = 9, .pi = FAL_NVME_PI_HOST});
    struct fal_nvme_word read = bench_io(1, FAL_NVME_READ, 100, 20);

    (void)bench_do(b, 1,
                   (struct fal_nvme_word){.kind = FAL_NVME_DEV_FILL,
                                          .nsid = 9,
                                          .slba = (UINT64_C(5) << 21) + 100,
                                          .nlb0 = 19,
                                          .tag = 3});
    read.prinfo = 7;
    (void)bench_do(b, 0, read);
    bench_settle(b);
    ck_assert_uint_eq(bench_cqe(b, 1, FAL_NVME_OK)->hash, bench_pattern_hash(3, 20, 512));
    (void)bench_do(b, 0, bench_io(2, FAL_NVME_READ, 4000, 8));
    bench_settle(b);
    bench_cqe(b, 2, FAL_NVME_OK);
    bench_free(b);
}
END_TEST

/* Guard, reference tag and application tag of a block as it lies on the device. */
START_TEST(nvme_6_7_14_the_outer_protection_is_on_the_device)
{
    const uint64_t lba = (UINT64_C(5) << 18) + 7;
    struct bench *b =
        simple((struct fal_nvme_word){.block_shift = 12, .pi = FAL_NVME_PI_INSERT});
    uint8_t block[4096], meta[FAL_DIF_META_LEN];
    struct fal_nvme_word hash = {
        .kind = FAL_NVME_DEV_HASH, .nsid = 9, .slba = lba, .meta = true};
    struct fal_dif inner = {.ref = 7}, outer = {.app = (uint16_t)lba, .ref = (uint32_t)lba};
    uint64_t due;

    (void)bench_do(b, 0, bench_io(1, FAL_NVME_WRITE, 7, 1));
    bench_settle(b);
    bench_cqe(b, 1, FAL_NVME_OK);
    fal_payload_fill(1, 0, block, sizeof block);
    inner.guard = fal_dif_crc(0, block, sizeof block);
    fal_dif_write(&inner, meta);
    outer.guard = fal_dif_crc(inner.guard, meta, FAL_DIF_LEN);
    fal_dif_write(&outer, meta + FAL_DIF_LEN);
    due = fal_payload_hash_on(fal_payload_hash(block, sizeof block), meta, sizeof meta);
    ck_assert_uint_eq(bench_do(b, 1, hash).hash, due);
    bench_free(b);
}
END_TEST

/* A namespace with protection information on a device that has no room for it. */
START_TEST(nvme_6_7_09_protection_needs_metadata)
{
    struct bench *b = simple((struct fal_nvme_word){.block_shift = 12, .pi = FAL_NVME_PI_HOST});

    (void)bench_do(
        b, 1,
        (struct fal_nvme_word){.kind = FAL_NVME_DEV_FORMAT, .nsid = 9, .block_shift = 12});
    (void)bench_do(b, 0, bench_io(1, FAL_NVME_WRITE, 0, 1));
    bench_settle(b);
    bench_cqe(b, 1, FAL_NVME_INVALID_FIELD);
    bench_free(b);
}
END_TEST

START_TEST(nvme_6_7_10_a_device_tells_its_format)
{
    struct bench *b = simple((struct fal_nvme_word){.block_shift = 12});
    struct fal_nvme_word said =
        bench_do(b, 1, (struct fal_nvme_word){.kind = FAL_NVME_DEV_IDENTIFY, .nsid = 9});

    ck_assert_uint_eq(said.metadata, 16);
    ck_assert_uint_eq(said.pil, 0);
    ck_assert_uint_eq(said.pi_type, 1);
    ck_assert_uint_eq(said.mset, 0);
    bench_free(b);
}
END_TEST

/* Words that cannot be, and a device that is full. */
START_TEST(wrong_words_are_refused)
{
    struct bench *b =
        bench_new(&(struct bench_plan){.impairment = plain, .seed = 1, .image_blocks = 4});
    static const struct fal_nvme_word wrong[] = {
        {.kind = FAL_NVME_DEV_FORMAT, .nsid = 9, .block_shift = 12, .metadata = 8},
        {.kind = FAL_NVME_DEV_FORMAT, .nsid = 9, .block_shift = 11},
        {.kind = FAL_NVME_DEV_FORMAT, .dev = UINT32_MAX, .nsid = 9, .block_shift = 12},
        {.kind = FAL_NVME_DEV_FILL, .nsid = 9, .nlb0 = 4},
        {.kind = FAL_NVME_DEV_FILL, .nsid = 9, .slba = UINT64_MAX, .nlb0 = 1},
        {.kind = FAL_NVME_DEV_HASH, .nsid = 9, .slba = UINT64_MAX, .nlb0 = 1},
        {.kind = FAL_NVME_DEV_COMPLETE, .dcmd = 1},
        {.kind = FAL_NVME_NS, .nsid = 0, .block_shift = 12},
        {.kind = FAL_NVME_NS, .nsid = 1, .block_shift = 12, .C = 33, .N = 33},
        {.kind = FAL_NVME_LBA, .index = UINT32_MAX},
        {.kind = FAL_NVME_LBA, .valid = true},
        {.kind = FAL_NVME_POST, .nsid = 1},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(refused(b, 1, wrong[i]) == FAL_ERR_RANGE, "word %zu", i);
        ck_assert_uint_gt(strlen(b->err.text), 5);
    }
    ck_assert_int_eq(refused(b, 1, (struct fal_nvme_word){.kind = FAL_NVME_CQE}), FAL_ERR_FORM);
    bench_simple(b, (struct fal_nvme_word){.block_shift = 12});
    (void)bench_do(b, 0, bench_io(1, FAL_NVME_WRITE, 0, 5));
    bench_settle(b);
    bench_cqe(b, 1, FAL_NVME_CAPACITY);
    bench_free(b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NVMe devices");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, nvme_6_7_11_filled_and_empty_blocks_are_read);
    tcase_add_test(tc, nvme_6_7_14_the_outer_protection_is_on_the_device);
    tcase_add_test(tc, nvme_6_7_09_protection_needs_metadata);
    tcase_add_test(tc, nvme_6_7_10_a_device_tells_its_format);
    tcase_add_test(tc, wrong_words_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
