/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/shard.h"

#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

/* The environment of a test: NAME=VALUE, NULL at the end. */
static const char *const *environment;

static const char *get(const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; environment[i] != NULL; i++)
        if (strncmp(environment[i], name, len) == 0 && environment[i][len] == '=')
            return environment[i] + len + 1;
    return NULL;
}

#define ENV(...)          \
    {                     \
        __VA_ARGS__, NULL \
    }

START_TEST(auto_is_the_task_of_an_array_or_a_job)
{
    static const struct {
        const char *env[6];
        unsigned number, total;
    } rows[] = {
        {ENV("SLURM_ARRAY_TASK_ID=0", "SLURM_ARRAY_TASK_COUNT=8", "SLURM_ARRAY_TASK_MIN=0",
             "SLURM_ARRAY_TASK_MAX=7"),
         1, 8},
        {ENV("SLURM_ARRAY_TASK_ID=8", "SLURM_ARRAY_TASK_COUNT=8", "SLURM_ARRAY_TASK_MIN=1",
             "SLURM_ARRAY_TASK_MAX=8"),
         8, 8},
        {ENV("SLURM_ARRAY_TASK_ID=3", "SLURM_ARRAY_TASK_COUNT=4"), 4, 4},
        /* two tasks of eight, once more */
        {ENV("SLURM_ARRAY_TASK_ID=5", "SLURM_ARRAY_TASK_COUNT=2", "SLURM_ARRAY_TASK_MIN=2",
             "TALON_SHARDS=8"),
         6, 8},
        {ENV("JOB_COMPLETION_INDEX=0", "TALON_SHARDS=64"), 1, 64},
        {ENV("JOB_COMPLETION_INDEX=63", "TALON_SHARDS=64"), 64, 64},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_shard shard;
        struct fal_error err = {{0}};

        environment = rows[i].env;
        ck_assert_msg(tl_shard_read("auto", 100, get, &shard, &err) == 0, "%zu: %s", i,
                      err.text);
        ck_assert_uint_eq(shard.number, rows[i].number);
        ck_assert_uint_eq(shard.total, rows[i].total);
    }
}
END_TEST

START_TEST(auto_without_a_sure_number_is_refused)
{
    static const struct {
        const char *env[6];
        const char *due;
    } rows[] = {
        {{NULL}, "neither SLURM_ARRAY_TASK_ID"},
        {ENV("JOB_COMPLETION_INDEX=3"), "set TALON_SHARDS to the completions"},
        {ENV("SLURM_ARRAY_TASK_ID=3"), "SLURM_ARRAY_TASK_COUNT is not set"},
        {ENV("SLURM_ARRAY_TASK_ID=x"), "SLURM_ARRAY_TASK_ID is 'x'"},
        {ENV("SLURM_ARRAY_TASK_ID="), "SLURM_ARRAY_TASK_ID is ''"},
        {ENV("SLURM_ARRAY_TASK_ID=5", "SLURM_ARRAY_TASK_COUNT=2", "SLURM_ARRAY_TASK_MIN=2",
             "SLURM_ARRAY_TASK_MAX=5"),
         "some are left out"},
        {ENV("SLURM_ARRAY_TASK_ID=8", "TALON_SHARDS=8"), "shard 9 of 8"},
        {ENV("SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_COUNT=8", "SLURM_ARRAY_TASK_MIN=2"),
         "shard 0 of 8"},
        {ENV("JOB_COMPLETION_INDEX=0", "TALON_SHARDS=0"), "shard 1 of 0"},
        {ENV("JOB_COMPLETION_INDEX=0", "TALON_SHARDS=101"), "N at most 100"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_shard shard;
        struct fal_error err = {{0}};

        environment = rows[i].env;
        ck_assert_int_eq(tl_shard_read("auto", 100, get, &shard, &err), FAL_ERR_FORM);
        ck_assert_msg(strstr(err.text, rows[i].due) != NULL, "%zu: %s", i, err.text);
    }
}
END_TEST

START_TEST(a_shard_is_read_as_it_is_written)
{
    static const char *const wrong[] = {"0/3", "4/3",  "1/0",  "1",     "/3",   "1/",
                                        "a/b", "1/3x", "-1/3", "1/101", "Auto", ""};
    struct tl_shard shard;
    struct fal_error err = {{0}};

    ck_assert_int_eq(tl_shard_read("3/8", 100, get, &shard, &err), 0);
    ck_assert_uint_eq(shard.number, 3);
    ck_assert_uint_eq(shard.total, 8);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(tl_shard_read(wrong[i], 100, get, &shard, &err), FAL_ERR_FORM);
        ck_assert_ptr_nonnull(strstr(err.text, "expected I/N"));
    }
}
END_TEST

/* Names as those of cases. No shard has much more than its share of many. */
START_TEST(shards_are_the_whole_and_no_name_is_in_two)
{
    enum { NAMES = 2000 };
    char name[40];

    for (unsigned total = 1; total < 20; total++) {
        unsigned size[20] = {0};

        for (unsigned i = 0; i < NAMES; i++) {
            unsigned in = 0;

            (void)snprintf(name, sizeof name, "push-target-%u@psn=%u", i, i * 7);
            for (unsigned number = 1; number <= total; number++) {
                bool takes = tl_shard_takes((struct tl_shard){number, total}, name);

                in += takes;
                size[number] += takes;
            }
            ck_assert_uint_eq(in, 1);
        }
        for (unsigned number = 1; number <= total; number++)
            ck_assert_uint_le(size[number] * total, NAMES + NAMES * 2 / 3);
    }
    ck_assert(tl_shard_takes((struct tl_shard){0, 0}, "any"));
}
END_TEST

START_TEST(the_order_and_the_ends_of_names_count_in_a_hash)
{
    uint64_t ab = tl_shard_hash(tl_shard_hash(TL_SHARD_HASH, "a"), "b");

    ck_assert(ab != tl_shard_hash(tl_shard_hash(TL_SHARD_HASH, "b"), "a"));
    ck_assert(ab != tl_shard_hash(TL_SHARD_HASH, "ab"));
    ck_assert(ab != tl_shard_hash(tl_shard_hash(TL_SHARD_HASH, "ab"), ""));
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("shard");
    TCase *tc = tcase_create("shard");

    tcase_add_test(tc, auto_is_the_task_of_an_array_or_a_job);
    tcase_add_test(tc, auto_without_a_sure_number_is_refused);
    tcase_add_test(tc, a_shard_is_read_as_it_is_written);
    tcase_add_test(tc, shards_are_the_whole_and_no_name_is_in_two);
    tcase_add_test(tc, the_order_and_the_ends_of_names_count_in_a_hash);
    suite_add_tcase(s, tc);
    return s;
}
