/* SPDX-License-Identifier: Apache-2.0
 * memory_test.c - each allocation of a small world fails once: the world says so, and nothing
 * leaks. */
#include "oracles/eventpipe/world.h"
#include "tests/allocator.h"
#include "tests/testing.h"

static int play(long n)
{
    const struct fal_ep_world_config config = {.seed = 1, .events = 400};
    struct fal_ep_counts counts;
    int rc;

    allocator.countdown = n;
    allocator.failed = false;
    rc = fal_ep_world_run(&config, &counts, NULL);
    allocator.countdown = 0;
    return rc;
}

START_TEST(each_allocation_may_fail)
{
    if (!allocator_in_charge())
        return;
    for (long n = 1;; n++) {
        long before = allocator.blocks;
        int rc = play(n);

        ck_assert_msg(allocator.blocks == before, "allocation %ld: %ld blocks leak", n,
                      allocator.blocks - before);
        if (!allocator.failed) {
            ck_assert_int_eq(rc, 0);
            break;
        }
        ck_assert_msg(rc == FAL_ERR_MEM, "allocation %ld: %d", n, rc);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("memory of an event pipeline");
    TCase *tc = tcase_create("memory");

    tcase_add_test(tc, each_allocation_may_fail);
    suite_add_tcase(suite, tc);
    return suite;
}
