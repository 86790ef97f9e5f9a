/* SPDX-License-Identifier: Apache-2.0
 * What shards know of each other's readings. tests/check_shards.py compares whole checks. */
#include "oracles/rules/shard/shard_judge.h"

#include "tests/testing.h"

#include <string.h>

#define AMB FAL_AMB_6

/* A shard whose connections showed a reading at an event; `out`: what it rules out. */
static struct fal_shard_reading own(uint64_t since, unsigned char out)
{
    return (struct fal_shard_reading){
        .amb = AMB, .own = true, .out = out, .since = since, .by = {.index = since}};
}

/* A shard that was told of it. */
static struct fal_shard_reading given(uint64_t since, unsigned char out)
{
    struct fal_shard_reading r = own(since, out);

    r.own = false;
    r.given = true;
    return r;
}

/* Whether a shard knew what the first one showed at event 100: that the default is out. */
static bool knew(struct fal_shard_reading shard)
{
    struct fal_shard_reading first = own(100, FAL_READ_DEFAULT);
    struct fal_shard_agreed agreed = {.num = 0};

    shard.amb = AMB;
    fal_shard_agree(&agreed, &shard, 1); /* in this order: it is not the first that counts */
    fal_shard_agree(&agreed, &first, 1);
    ck_assert(shard.own && shard.since < 100 ? true : agreed.list[0].since == 100);
    return fal_shard_knew(&agreed, &shard, 1);
}

START_TEST(who_looked_before_it_was_shown_knew)
{
    ck_assert(knew((struct fal_shard_reading){.left = 101}));
    ck_assert(!knew((struct fal_shard_reading){.left = 102}));
    ck_assert(knew((struct fal_shard_reading){.any = 101}));
    ck_assert(!knew((struct fal_shard_reading){.any = 102}));
    ck_assert(knew((struct fal_shard_reading){.cited = 101}));
    ck_assert(!knew((struct fal_shard_reading){.cited = 102}));
}
END_TEST

START_TEST(who_showed_the_same_later_knew_enough)
{
    struct fal_shard_reading late = own(200, FAL_READ_DEFAULT), cites = late;

    ck_assert(knew(late));
    ck_assert(!knew(own(200, FAL_READ_OTHER))); /* it contradicts the first */
    cites.cited = 300;                          /* and names the wrong event */
    ck_assert(!knew(cites));
}
END_TEST

START_TEST(who_was_told_the_truth_knew)
{
    struct fal_shard_reading told = given(100, FAL_READ_DEFAULT);

    told.cited = 300;
    ck_assert(knew(told));
    ck_assert(!knew(given(100, FAL_READ_OTHER)));
    ck_assert(!knew(given(90, FAL_READ_DEFAULT)));
}
END_TEST

START_TEST(a_default_reading_changes_nothing_for_what_agrees_with_all)
{
    struct fal_shard_reading first = own(100, FAL_READ_OTHER), any = {.amb = AMB, .any = 300};
    struct fal_shard_agreed agreed = {.num = 0};

    fal_shard_agree(&agreed, &first, 1);
    ck_assert(fal_shard_knew(&agreed, &any, 1));
    any.left = 300;
    ck_assert(!fal_shard_knew(&agreed, &any, 1));
}
END_TEST

START_TEST(what_nobody_shows_must_not_be_told)
{
    struct fal_shard_agreed agreed = {.num = 0};
    struct fal_shard_reading told = given(100, FAL_READ_DEFAULT),
                             looks = {.amb = AMB, .left = 9};

    ck_assert(!fal_shard_knew(&agreed, &told, 1));
    ck_assert(fal_shard_knew(&agreed, &looks, 1));
}
END_TEST

START_TEST(windows_and_ends_do_not_know_each_other)
{
    struct fal_shard_reading first = own(100, FAL_READ_DEFAULT),
                             other = {.amb = AMB, .end = 1, .left = 300};
    struct fal_shard_agreed agreed = {.num = 0};

    fal_shard_agree(&agreed, &first, 1);
    ck_assert(fal_shard_knew(&agreed, &other, 1));
    other = (struct fal_shard_reading){.amb = AMB, .window = (enum fal_window)1, .left = 300};
    ck_assert(fal_shard_knew(&agreed, &other, 1));
}
END_TEST

/* ---- what was counted ---- */

static struct fal_judge *judge(void)
{
    struct fal_judge *made =
        fal_judge_new(&(struct fal_judge_config){.both_ends = true, .whole = true});

    ck_assert_ptr_nonnull(made);
    return made;
}

START_TEST(counters_come_back_as_they_were_put_in)
{
    static const struct fal_shard_count due[] = {
        {3, UINT64_C(1) << 40}, {FAL_ENDINGS + 1, 7}, {FAL_ENDINGS + 2, 9}};
    static struct fal_shard_count out[FAL_SHARD_COUNTS_MAX];
    const struct fal_measured measured[FAL_DIRS] = {{.packets = 5}, {.holes = 6}};
    struct fal_measured got[FAL_DIRS];
    struct fal_judge *j = judge();
    uint32_t conn = 0;
    uint64_t sum[3] = {0};

    ck_assert_int_eq(fal_shard_add(j, 8, due, 3), 0);
    ck_assert_int_eq(fal_shard_add(j, 2, NULL, 0), 0);
    ck_assert_int_eq(fal_shard_add(j, 8, due, 3), FAL_ERR_FORM); /* it is there */
    ck_assert_int_eq(fal_shard_finish(j, measured), 0);
    ck_assert_uint_eq(fal_shard_counts(j, 0, &conn, out), 3);
    ck_assert_uint_eq(conn, 8);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            sum[i] += out[k].what == due[i].what ? out[k].n : 0;
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_eq(sum[i], due[i].n);
    ck_assert_uint_eq(fal_shard_counts(j, 1, &conn, out), 0);
    ck_assert_uint_eq(conn, 2);
    ck_assert_uint_eq(fal_shard_counts(j, 2, &conn, out), SIZE_MAX);
    fal_shard_measured(j, got);
    ck_assert_uint_eq(got[0].packets, 5);
    ck_assert_uint_eq(got[1].holes, 6);
    fal_judge_free(j);
}
END_TEST

START_TEST(counters_that_a_judge_does_not_have_are_refused)
{
    static const struct fal_shard_count wrong[][2] = {
        {{UINT64_MAX, 1}, {0, 1}},
        {{(uint64_t)FAL_CELLS_MAX * (FAL_ENDINGS + 1), 1}, {0, 1}},
        {{0, 0}, {FAL_ENDINGS + 1, 1}},
        {{0, UINT64_C(1) << 32},
         {FAL_ENDINGS + 1, 1}}, /* HOLDS has another counter for these */
        {{1, UINT64_C(1) << 48}, {0, 1}},
        {{0, 1}, {0, 1}},
        {{2, 1}, {2, 1}},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fal_judge *j = judge();

        ck_assert_msg(fal_shard_add(j, 1, wrong[i], 2) == FAL_ERR_FORM, "%zu", i);
        fal_judge_free(j);
    }
}
END_TEST

START_TEST(the_form_tells_judges_apart)
{
    static const char *const one[] = {"R1", NULL};
    struct fal_judge *both = judge(), *same = judge(),
                     *single = fal_judge_new(&(struct fal_judge_config){.whole = true}),
                     *few = fal_judge_new(
                         &(struct fal_judge_config){.both_ends = true, .only = one});

    ck_assert(fal_shard_form(both) == fal_shard_form(same));
    ck_assert(fal_shard_form(both) != fal_shard_form(single));
    ck_assert(fal_shard_form(both) != fal_shard_form(few));
    fal_judge_free(both);
    fal_judge_free(same);
    fal_judge_free(single);
    fal_judge_free(few);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("shards of a judge");
    TCase *tc = tcase_create("readings"), *counts = tcase_create("counts");

    tcase_add_test(tc, who_looked_before_it_was_shown_knew);
    tcase_add_test(tc, who_showed_the_same_later_knew_enough);
    tcase_add_test(tc, who_was_told_the_truth_knew);
    tcase_add_test(tc, a_default_reading_changes_nothing_for_what_agrees_with_all);
    tcase_add_test(tc, what_nobody_shows_must_not_be_told);
    tcase_add_test(tc, windows_and_ends_do_not_know_each_other);
    suite_add_tcase(s, tc);
    tcase_add_test(counts, counters_come_back_as_they_were_put_in);
    tcase_add_test(counts, counters_that_a_judge_does_not_have_are_refused);
    tcase_add_test(counts, the_form_tells_judges_apart);
    suite_add_tcase(s, counts);
    return s;
}
