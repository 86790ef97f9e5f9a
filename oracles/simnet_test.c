/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/simnet.h"
#include "tests/testing.h"

#include <string.h>

static struct fal_simnet *net_with(struct fal_impairment impair, uint64_t seed)
{
    struct fal_impairment both[2] = {impair, impair};
    struct fal_simnet *net = fal_simnet_new(both, seed);

    ck_assert_ptr_nonnull(net);
    return net;
}

struct got {
    enum fal_dir dir;
    uint64_t at_ns;
    const uint8_t *bytes;
    size_t len;
};

static bool take(struct fal_simnet *net, uint64_t now_ns, struct got *got)
{
    return fal_simnet_next(net, now_ns, &got->dir, &got->at_ns, &got->bytes, &got->len);
}

START_TEST(a_frame_arrives_after_the_latency_and_not_before)
{
    struct fal_simnet *net = net_with((struct fal_impairment){.latency_ns = 700}, 1);
    struct got got;

    ck_assert_uint_eq(fal_simnet_deadline(net), FAL_NEVER);
    ck_assert_int_eq(fal_simnet_send(net, FAL_FROM_SUT, (const uint8_t *)"abc", 3, 50), 0);
    ck_assert_uint_eq(fal_simnet_deadline(net), 750);
    ck_assert(!take(net, 749, &got));
    ck_assert(take(net, 750, &got));
    ck_assert_int_eq(got.dir, FAL_FROM_SUT);
    ck_assert_uint_eq(got.at_ns, 750);
    ck_assert_uint_eq(got.len, 3);
    ck_assert_mem_eq(got.bytes, "abc", 3);
    ck_assert(!take(net, FAL_NEVER, &got));
    fal_simnet_free(net);
}
END_TEST

START_TEST(frames_due_together_come_out_in_the_order_they_went_in)
{
    struct fal_simnet *net = net_with((struct fal_impairment){.latency_ns = 10}, 1);
    struct got got;

    for (unsigned i = 0; i < 200; i++) {
        uint8_t b = (uint8_t)i;

        ck_assert_int_eq(fal_simnet_send(net, i % 2, &b, 1, 5), 0);
    }
    for (unsigned i = 0; i < 200; i++) {
        ck_assert(take(net, 15, &got));
        ck_assert_uint_eq(got.bytes[0], (uint8_t)i);
        ck_assert_uint_eq(got.dir, i % 2);
    }
    fal_simnet_free(net);
}
END_TEST

START_TEST(an_empty_frame_passes)
{
    struct fal_simnet *net = net_with((struct fal_impairment){.corrupt_ppm = 1000000}, 1);
    struct got got;

    ck_assert_int_eq(fal_simnet_send(net, FAL_TO_SUT, NULL, 0, 0), 0);
    ck_assert(take(net, 0, &got));
    ck_assert_uint_eq(got.len, 0);
    ck_assert_uint_eq(fal_simnet_counts(net).corrupted[0], 0);
    fal_simnet_free(net);
}
END_TEST

START_TEST(arrivals_never_go_back_in_time)
{
    struct fal_simnet *net = net_with((struct fal_impairment){.latency_ns = 1000,
                                                              .jitter_ns = 5000,
                                                              .reorder_ppm = 200000,
                                                              .reorder_ns = 20000,
                                                              .duplicate_ppm = 100000},
                                      7);
    uint64_t last = 0;
    unsigned late = 0, n = 0;
    struct got got;

    for (uint32_t i = 0; i < 5000; i++)
        ck_assert_int_eq(fal_simnet_send(net, FAL_TO_SUT, (const uint8_t *)&i, 4, 10 * i), 0);
    while (take(net, FAL_NEVER, &got)) {
        uint32_t i;

        memcpy(&i, got.bytes, 4);
        ck_assert_uint_ge(got.at_ns, last);
        ck_assert_uint_ge(got.at_ns, 10 * i + 1000);
        ck_assert_uint_le(got.at_ns, 10 * i + 26000);
        late += got.at_ns > 10 * i + 6000;
        last = got.at_ns;
        n++;
    }
    ck_assert_uint_eq(n, 5000 + fal_simnet_counts(net).duplicated[0]);
    ck_assert_uint_gt(late, 800);
    ck_assert_uint_lt(late, 1400);
    fal_simnet_free(net);
}
END_TEST

START_TEST(jitter_is_spread_over_its_whole_range)
{
    struct fal_simnet *net =
        net_with((struct fal_impairment){.latency_ns = 100, .jitter_ns = 9}, 7);
    unsigned hits[10] = {0};
    struct got got;

    for (unsigned i = 0; i < 1000; i++)
        ck_assert_int_eq(fal_simnet_send(net, FAL_TO_SUT, NULL, 0, 0), 0);
    while (take(net, FAL_NEVER, &got)) {
        ck_assert_uint_ge(got.at_ns, 100);
        ck_assert_uint_le(got.at_ns, 109);
        hits[got.at_ns - 100]++;
    }
    for (unsigned i = 0; i < 10; i++)
        ck_assert_uint_gt(hits[i], 60);
    fal_simnet_free(net);
}
END_TEST

START_TEST(losses_duplicates_and_corruptions_are_as_many_as_asked_for)
{
    struct fal_simnet *net = net_with((struct fal_impairment){.loss_ppm = 300000,
                                                              .duplicate_ppm = 100000,
                                                              .corrupt_ppm = 50000},
                                      3);
    struct fal_simnet_counts counts;
    const uint8_t zero[16] = {0};
    unsigned arrived = 0, wrong = 0;
    struct got got;

    for (unsigned i = 0; i < 20000; i++)
        ck_assert_int_eq(fal_simnet_send(net, FAL_FROM_SUT, zero, sizeof zero, i), 0);
    while (take(net, FAL_NEVER, &got)) {
        unsigned bits = 0;

        for (size_t i = 0; i < got.len; i++)
            bits += (unsigned)__builtin_popcount(got.bytes[i]);
        ck_assert_uint_le(bits, 1);
        wrong += bits;
        arrived++;
    }
    counts = fal_simnet_counts(net);
    ck_assert_uint_eq(counts.sent[1], 20000);
    ck_assert_uint_eq(counts.sent[0], 0);
    ck_assert_uint_eq(arrived, 20000 + counts.duplicated[1] - counts.lost[1]);
    ck_assert_uint_eq(wrong, counts.corrupted[1]);
    ck_assert_uint_gt(counts.lost[1], 6200); /* of about 22,000 copies */
    ck_assert_uint_lt(counts.lost[1], 7000);
    ck_assert_uint_gt(counts.duplicated[1], 1800);
    ck_assert_uint_lt(counts.duplicated[1], 2200);
    ck_assert_uint_gt(counts.corrupted[1], 650);
    ck_assert_uint_lt(counts.corrupted[1], 900);
    fal_simnet_free(net);
}
END_TEST

static uint64_t fingerprint(uint64_t seed, uint32_t loss_ppm)
{
    struct fal_simnet *net = net_with(
        (struct fal_impairment){.latency_ns = 5, .jitter_ns = 1000, .loss_ppm = loss_ppm},
        seed);
    uint64_t hash = 14695981039346656037u;
    struct got got;

    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_int_eq(fal_simnet_send(net, i % 3 == 0, (const uint8_t *)&i, 4, i), 0);
    while (take(net, FAL_NEVER, &got))
        hash = (hash ^ got.at_ns ^ got.bytes[0]) * 1099511628211u;
    fal_simnet_free(net);
    return hash;
}

START_TEST(the_same_seed_gives_the_same_network)
{
    ck_assert_uint_eq(fingerprint(11, 100000), fingerprint(11, 100000));
    ck_assert_uint_ne(fingerprint(11, 100000), fingerprint(12, 100000));
}
END_TEST

START_TEST(times_near_the_end_do_not_wrap)
{
    struct fal_simnet *net =
        net_with((struct fal_impairment){.latency_ns = FAL_NEVER, .jitter_ns = FAL_NEVER}, 1);
    struct got got;

    ck_assert_int_eq(fal_simnet_send(net, FAL_TO_SUT, (const uint8_t *)"x", 1, 1), 0);
    ck_assert_uint_eq(fal_simnet_deadline(net), FAL_NEVER - 1);
    ck_assert(!take(net, FAL_NEVER - 2, &got));
    fal_simnet_free(net);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("simnet");
    TCase *tc = tcase_create("simnet");

    tcase_add_test(tc, a_frame_arrives_after_the_latency_and_not_before);
    tcase_add_test(tc, frames_due_together_come_out_in_the_order_they_went_in);
    tcase_add_test(tc, an_empty_frame_passes);
    tcase_add_test(tc, arrivals_never_go_back_in_time);
    tcase_add_test(tc, jitter_is_spread_over_its_whole_range);
    tcase_add_test(tc, losses_duplicates_and_corruptions_are_as_many_as_asked_for);
    tcase_add_test(tc, the_same_seed_gives_the_same_network);
    tcase_add_test(tc, times_near_the_end_do_not_wrap);
    suite_add_tcase(suite, tc);
    return suite;
}
