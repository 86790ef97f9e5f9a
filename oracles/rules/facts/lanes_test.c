/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/lanes.h"

#include "tests/testing.h"

#include <check.h>

/* A packet that counts, with these bases. */
static void takes(struct fal_lanes *lanes, uint64_t t_ns, int64_t data, int64_t req)
{
    bool rises = data > lanes->taking[0] || req > lanes->taking[1] || !lanes->moved;

    fal_lanes_note(lanes,
                   &(struct fal_lane_step){
                       .t_ns = t_ns, .base = {data, req}, .rises = rises, .counts = true});
}

static struct fal_lanes fresh(uint64_t within_ns)
{
    struct fal_lanes lanes = {.within_ns = within_ns};

    fal_lanes_init(&lanes);
    return lanes;
}

START_TEST(without_lanes_a_base_counts_at_once)
{
    struct fal_lanes lanes = fresh(0);

    ck_assert_int_eq(lanes.settled[0], INT64_MIN);
    takes(&lanes, 100, 5, 6);
    ck_assert_int_eq(lanes.settled[0], 5);
    ck_assert_int_eq(lanes.settled[1], 6);
    fal_lanes_note(&lanes, &(struct fal_lane_step){.t_ns = 100, .base = {7, 6}, .rises = true});
    ck_assert_int_eq(lanes.settled[0], 5); /* it may have been discarded */
}
END_TEST

START_TEST(with_lanes_it_counts_when_nothing_moved_around_it)
{
    struct fal_lanes lanes = fresh(10);

    takes(&lanes, 100, 5, 6);
    takes(&lanes, 110, 5, 6); /* a repetition */
    ck_assert_int_eq(lanes.settled[0], INT64_MIN);
    takes(&lanes, 111, 5, 6);
    ck_assert_int_eq(lanes.settled[0], 5);
    takes(&lanes, 200, 7, 6);
    takes(&lanes, 205, 8, 6); /* each may have overtaken the other */
    takes(&lanes, 300, 8, 6);
    ck_assert_int_eq(lanes.settled[0], 5);
    takes(&lanes, 311, 8, 6);
    ck_assert_int_eq(lanes.settled[0], 8);
}
END_TEST

START_TEST(an_unknown_path_settles_nothing)
{
    struct fal_lanes lanes = fresh(FAL_NEVER);

    takes(&lanes, 100, 5, 6);
    takes(&lanes, UINT64_MAX, 5, 6);
    ck_assert_int_eq(lanes.settled[0], INT64_MIN);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("lanes");
    TCase *tc = tcase_create("lanes");

    tcase_add_test(tc, without_lanes_a_base_counts_at_once);
    tcase_add_test(tc, with_lanes_it_counts_when_nothing_moved_around_it);
    tcase_add_test(tc, an_unknown_path_settles_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
