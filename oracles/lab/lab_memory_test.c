/* SPDX-License-Identifier: Apache-2.0
 * lab_memory_test.c - an allocation of an experiment fails, each of the first hundred and then
 * each 13th: the experiment says so, and nothing leaks. */
#include "oracles/lab/bench.h"
#include "oracles/lab/series.h"
#include "tests/allocator.h"
#include "tests/testing.h"

/* Plays a little of an experiment with a recorder; the n-th allocation fails. */
static int play(const struct fal_lab_experiment *e, bool endpoints, long n)
{
    static struct fal_lab_series series;
    struct fal_swift_params params;
    struct fal_swift swift;
    struct fal_lab_ask ask = fal_lab_ask_of(e, e->flows_given ? 2 : e->cases[0]);
    struct fal_lab_outcome out;
    int rc, ended;

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    ask.seed = 1;
    ask.rate_bps = UINT64_C(100000000000);
    ask.swift = &swift;
    ask.endpoints = endpoints;
    ask.time_ps = 60 * FAL_LAB_US;
    ask.record = fal_lab_series_record;
    ask.record_ctx = &series;
    series = (struct fal_lab_series){.swift = &swift, .until_ps = ask.time_ps};
    allocator.countdown = n;
    allocator.failed = false;
    rc = e->run(&ask, &out);
    ended = e->own_flows ? 0 : fal_lab_series_end(&series); /* those record nothing */
    allocator.countdown = 0;
    fal_lab_series_free(&series);
    return rc != 0 ? rc : ended;
}

static void each_allocation_fails(bool endpoints)
{
    size_t n;
    const struct fal_lab_experiment *e = fal_lab_experiments(&n);

    if (!allocator_in_charge())
        return;
    for (size_t i = 0; i < n; i++) {
        long count = 1;

        for (;; count += count < 100 ? 1 : 13) {
            long before = allocator.blocks;
            int rc = play(&e[i], endpoints, count);

            ck_assert_msg(allocator.blocks == before, "%s, allocation %ld: %ld blocks leak",
                          e[i].name, count, allocator.blocks - before);
            if (!allocator.failed) {
                ck_assert_int_eq(rc, 0);
                break;
            }
            /* An endpoint without memory for a packet may drop it, as if it had been lost. */
            ck_assert_msg(rc == FAL_ERR_MEM || (rc == 0 && endpoints), "%s, allocation %ld: %d",
                          e[i].name, count, rc);
            ck_assert_int_lt(count, 20000);
        }
        ck_assert_int_gt(count, 5);
    }
}

START_TEST(each_allocation_of_model_flows_fails)
{
    each_allocation_fails(false);
}
END_TEST

START_TEST(each_allocation_of_endpoints_fails)
{
    each_allocation_fails(true);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("lab memory");
    TCase *tc = tcase_create("lab memory");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, each_allocation_of_model_flows_fails);
    tcase_add_test(tc, each_allocation_of_endpoints_fails);
    suite_add_tcase(s, tc);
    return s;
}
