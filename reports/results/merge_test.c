/* SPDX-License-Identifier: Apache-2.0
 * Merging and comparing results. */
#include "reports/results/diff.h"
#include "reports/results/merge.h"
#include "reports/results/results_testing.h"

enum { MANY = 23 };

static struct tl_case whole[MANY];
static char names[MANY][16];

static void setup(void)
{
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "case-%02d", (i * 7) % MANY);
        whole[i] = a_case(names[i], i % 5 == 0   ? FAL_VERDICT_FAIL
                                    : i % 7 == 0 ? FAL_VERDICT_INCONC
                                                 : FAL_VERDICT_PASS);
    }
}

static void teardown(void)
{
    for (int i = 0; i < MANY; i++)
        tl_case_clear(&whole[i]);
}

/* Those whose number, mixed with `mix`, falls to the i-th of n shards, as a run of that shard
 * has them. `places` has room for MANY. */
static struct tl_results share(struct tl_case *room, unsigned i, unsigned n, unsigned mix,
                               uint64_t *places)
{
    struct tl_results results;
    size_t count = 0;

    for (unsigned k = 0; k < MANY; k++) {
        if ((k * 2654435761u ^ mix) % 1009 % n != i - 1)
            continue;
        places[count] = k;
        room[count++] = whole[k];
    }
    results = some(room, count);
    results.places = places;
    results.num_places = count;
    results.shard = i;
    results.shards = n;
    results.other_shards = MANY - count;
    results.deselected = 4;
    results.selection = 99;
    return results;
}

/* Every n-th from the i-th on, as an older version has shared them out. */
static struct tl_results shard(struct tl_case *room, unsigned i, unsigned n)
{
    struct tl_results results;
    size_t count = 0;

    for (unsigned k = i - 1; k < MANY; k += n)
        room[count++] = whole[k];
    results = some(room, count);
    results.shard = i;
    results.shards = n;
    results.other_shards = MANY - count;
    results.deselected = 4;
    return results;
}

START_TEST(shards_in_any_order_are_the_run_that_nobody_split)
{
    static const unsigned orders[][3] = {{1, 2, 3}, {3, 1, 2}, {2, 3, 1}};
    struct tl_results unsplit = some(whole, MANY);
    const char *files[] = {"a", "b", "c"};
    struct fal_error err = {{0}};
    char *due;

    unsplit.deselected = 4;
    due = document(tl_report_json, &unsplit, NULL);
    for (size_t i = 0; i < 3; i++) {
        struct tl_case room[3][MANY];
        struct tl_results parts[3], merged, *all[3];
        char *got;

        for (size_t k = 0; k < 3; k++) {
            parts[k] = shard(room[k], orders[i][k], 3);
            all[k] = &parts[k];
        }
        ck_assert_msg(tl_merge(all, files, 3, 0, &merged, &err) == 0, "%s", err.text);
        got = document(tl_report_json, &merged, NULL);
        ck_assert_str_eq(got, due);
        free(got);
        tl_merge_free(&merged);
    }
    free(due);
}
END_TEST

/* Any number of shards, empty ones too, however the cases fell to them, in any order. */
START_TEST(places_of_cases_put_them_in_order)
{
    enum { SHARDS = 31, ROUNDS = 60 };
    static struct tl_case room[SHARDS][MANY];
    struct tl_results unsplit = some(whole, MANY), parts[SHARDS], merged, *all[SHARDS];
    uint64_t places[SHARDS][MANY];
    const char *files[SHARDS];
    struct fal_error err = {{0}};
    char *due;

    unsplit.deselected = 4;
    due = document(tl_report_json, &unsplit, NULL);
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned n = 1 + round * 7 % SHARDS, first = round % n;
        char *got;

        for (unsigned i = 0; i < n; i++) {
            parts[i] = share(room[i], i + 1, n, round * 31, places[i]);
            files[i] = "x";
        }
        for (unsigned i = 0; i < n; i++) /* one after the other, from any one, both ways */
            all[i] = &parts[round % 2 == 0 ? (first + i) % n : (first + n - i) % n];
        ck_assert_msg(tl_merge(all, files, n, 0, &merged, &err) == 0, "%s", err.text);
        got = document(tl_report_json, &merged, NULL);
        ck_assert_str_eq(got, due);
        free(got);
        tl_merge_free(&merged);
    }
    free(due);
}
END_TEST

START_TEST(doubles_and_shards_of_other_cases_are_named)
{
    struct tl_case room[3][MANY];
    uint64_t places[3][MANY];
    struct tl_results one = share(room[0], 1, 4, 0, places[0]),
                      two = share(room[1], 2, 4, 0, places[1]),
                      again = share(room[2], 1, 4, 0, places[2]), merged;
    struct tl_results *all[] = {&one, &two, &again};
    const char *files[] = {"a", "b", "c"};
    struct fal_error err = {{0}};

    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "shards 3-4 of 4 are missing"));
    ck_assert_int_eq(tl_merge(all, files, 3, TL_MERGE_PARTIAL, &merged, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "a and c are both shard 1 of 4"));
    ck_assert_int_eq(
        tl_merge(all, files, 3, TL_MERGE_PARTIAL | TL_MERGE_REPEATED, &merged, &err), 0);
    ck_assert_uint_eq(merged.num_cases, one.num_cases + two.num_cases);
    tl_merge_free(&merged);
    two.selection = 98;
    ck_assert_int_eq(tl_merge(all, files, 2, TL_MERGE_PARTIAL, &merged, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "a and b are shards of different cases"));
}
END_TEST

START_TEST(a_missing_shard_is_missed)
{
    struct tl_case room[2][MANY];
    struct tl_results parts[2] = {shard(room[0], 1, 3), shard(room[1], 3, 3)}, merged;
    struct tl_results *all[] = {&parts[0], &parts[1]};
    const char *files[] = {"a", "b"};
    struct fal_error err = {{0}};

    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "shard 2 of 3 is missing"));
    ck_assert_int_eq(tl_merge(all, files, 2, TL_MERGE_PARTIAL, &merged, &err), 0);
    ck_assert_uint_eq(merged.num_cases, parts[0].num_cases + parts[1].num_cases);
    ck_assert_uint_eq(merged.other_shards, MANY - merged.num_cases);
    ck_assert_uint_eq(merged.shards, 3);
    tl_merge_free(&merged);
}
END_TEST

START_TEST(what_was_measured_is_told_at_its_worst)
{
    struct tl_case room[3][MANY];
    struct tl_results a = shard(room[0], 1, 3), b = shard(room[1], 2, 3),
                      c = shard(room[2], 3, 3), merged;
    struct tl_results *all[] = {&a, &b, &c};
    const char *files[] = {"a", "b", "c"};
    struct fal_error err = {{0}};

    a.live = b.live = c.live = true;
    b.timer_late_ns = 5, b.answer_min_ns = 20, b.answer_max_ns = 30; /* a measured nothing */
    b.learned = (struct tl_learned){.turnaround = true, .value_ns = 70};
    c.learned = (struct tl_learned){.turnaround = true, .value_ns = 60};
    c.timer_late_ns = 4, c.answer_min_ns = 10, c.answer_max_ns = 40;
    ck_assert_int_eq(tl_merge(all, files, 3, 0, &merged, &err), 0);
    ck_assert_uint_eq(merged.timer_late_ns, 5);
    ck_assert_uint_eq(merged.learned.value_ns, 70); /* the slowest */
    ck_assert_uint_eq(merged.answer_min_ns, 10);
    ck_assert_uint_eq(merged.answer_max_ns, 40);
    tl_merge_free(&merged);
}
END_TEST

START_TEST(what_is_not_of_one_kind_is_not_merged)
{
    static char other[] = "other";
    struct tl_probe_use use = {.item = "psp"};
    struct tl_case room[2][MANY];
    struct tl_results a = shard(room[0], 1, 2), b = shard(room[1], 2, 2), merged;
    struct tl_results *all[] = {&a, &b};
    const char *files[] = {"a", "b"};
    struct fal_error err = {{0}};

    b.version = "2";
    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), FAL_ERR_FORM);
    b.version = "1";
    b.firmware = other;
    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "firmware"));
    b.firmware = NULL;
    b.seed = 8;
    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), FAL_ERR_FORM);
    b.seed = 7;
    b.probe = &use;
    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "a probe"));
    b.probe = NULL;
    b.live = true;
    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), FAL_ERR_FORM);
    b.live = false;
    b.shards = 3;
    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), FAL_ERR_FORM);
    b.shards = 2;
    b.sut = "udp:x";
    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), FAL_ERR_FORM);
    b.sut = "builtin";
    b.ics = &(struct tl_ics_use){"psp", 1, false};
    b.num_ics = 1;
    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), FAL_ERR_FORM);
}
END_TEST

/* What two runs of one case come to, in this order. */
static void twice(enum fal_verdict first, enum fal_verdict second, enum fal_verdict due)
{
    struct tl_case one[] = {a_case("x", first)}, two[] = {a_case("x", second)};
    struct tl_results a = some(one, 1), b = some(two, 1), merged;
    struct tl_results *all[] = {&a, &b};
    const char *files[] = {"a", "b"};
    struct fal_error err = {{0}};

    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), 0);
    ck_assert_uint_eq(merged.num_cases, 1);
    ck_assert_int_eq(merged.cases[0].verdict, due);
    ck_assert_uint_eq(merged.cases[0].num_attempts, 2);
    ck_assert_int_eq(merged.cases[0].attempts[1].verdict, due);
    ck_assert_int_eq(merged.status, tl_results_status(&merged));
    tl_merge_free(&merged);
    tl_case_clear(&one[0]);
    tl_case_clear(&two[0]);
}

START_TEST(no_run_undoes_what_the_SUT_did_wrong)
{
    twice(FAL_VERDICT_FAIL, FAL_VERDICT_PASS, FAL_VERDICT_FAIL);
    twice(FAL_VERDICT_PASS, FAL_VERDICT_FAIL, FAL_VERDICT_FAIL);
    twice(FAL_VERDICT_WARN, FAL_VERDICT_PASS, FAL_VERDICT_WARN);
    twice(FAL_VERDICT_INCONC, FAL_VERDICT_PASS, FAL_VERDICT_PASS);
    twice(FAL_VERDICT_PASS, FAL_VERDICT_INCONC, FAL_VERDICT_PASS);
    twice(FAL_VERDICT_ERROR, FAL_VERDICT_INCONC, FAL_VERDICT_INCONC);
    twice(FAL_VERDICT_ERROR, FAL_VERDICT_FAIL, FAL_VERDICT_FAIL);
    twice(FAL_VERDICT_PASS, FAL_VERDICT_PASS, FAL_VERDICT_PASS);
}
END_TEST

START_TEST(profiles_that_differ_stay_with_their_cases)
{
    struct tl_case one[] = {a_case("x", FAL_VERDICT_PASS)},
                   two[] = {a_case("y", FAL_VERDICT_PASS)};
    struct tl_results a = some(one, 1), b = some(two, 1), merged;
    struct tl_results *all[] = {&a, &b};
    const char *files[] = {"a", "b"};
    struct fal_error err = {{0}};

    a.profile = "core";
    b.profile = "security";
    ck_assert_int_eq(tl_merge(all, files, 2, 0, &merged, &err), 0);
    ck_assert_ptr_null(merged.profile);
    ck_assert_str_eq(merged.cases[0].profile, "core");
    ck_assert_str_eq(merged.cases[1].profile, "security");
    tl_merge_free(&merged);
}
END_TEST

START_TEST(waivers_of_shards_add_up)
{
    static struct tl_waiver_use uses[] = {{"W", "waiver", "r", NULL, "unused", 0},
                                          {"W", "waiver", "r", NULL, "used", 2},
                                          {"W", "waiver", "r", NULL, "not-tried", 0}};
    struct tl_case room[3][MANY];
    struct tl_results parts[3], merged, *all[3];
    const char *files[] = {"a", "b", "c"};
    struct fal_error err = {{0}};

    for (unsigned i = 0; i < 3; i++) {
        parts[i] = shard(room[i], i + 1, 3);
        parts[i].waivers = &uses[i];
        parts[i].num_waivers = 1;
        all[i] = &parts[i];
    }
    ck_assert_int_eq(tl_merge(all, files, 3, 0, &merged, &err), 0);
    ck_assert_uint_eq(merged.num_waivers, 1);
    ck_assert_str_eq(merged.waivers[0].state, "used");
    ck_assert_uint_eq(merged.waivers[0].cases, 2);
    tl_merge_free(&merged);
}
END_TEST

/* ---- diff ---- */

static enum tl_change changed(struct tl_case *old, struct tl_case *now, bool *any)
{
    struct tl_results a = some(old, old != NULL), b = some(now, now != NULL);
    size_t count[TL_CHANGES];
    struct fal_error err = {{0}};
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    enum tl_change is = TL_CHANGES;

    ck_assert_int_eq(tl_diff_write(out, TL_DIFF_TEXT, &a, &b, count, &err), 0);
    ck_assert_int_eq(fclose(out), 0);
    *any = false;
    for (int c = 0; c < TL_CHANGES; c++) {
        ck_assert_uint_le(count[c], 1);
        if (count[c] == 0)
            continue;
        ck_assert(!*any);
        *any = true;
        is = (enum tl_change)c;
        ck_assert_ptr_eq(strstr(text, tl_change_name(is)), text);
    }
    free(text);
    return is;
}

START_TEST(each_change_has_its_name)
{
    static const struct {
        enum fal_verdict old, now;
        enum tl_change change;
    } rows[] = {
        {FAL_VERDICT_PASS, FAL_VERDICT_PASS, TL_CHANGES},
        {FAL_VERDICT_FAIL, FAL_VERDICT_FAIL, TL_CHANGES},
        {FAL_VERDICT_PASS, FAL_VERDICT_FAIL, TL_CHANGE_FAILS},
        {FAL_VERDICT_INCONC, FAL_VERDICT_FAIL, TL_CHANGE_FAILS},
        {FAL_VERDICT_WARN, FAL_VERDICT_ERROR, TL_CHANGE_FAILS},
        {FAL_VERDICT_FAIL, FAL_VERDICT_ERROR, TL_CHANGE_OTHERWISE},
        {FAL_VERDICT_PASS, FAL_VERDICT_INCONC, TL_CHANGE_UNDECIDED},
        {FAL_VERDICT_PASS, FAL_VERDICT_WARN, TL_CHANGE_WARNS},
        {FAL_VERDICT_FAIL, FAL_VERDICT_PASS, TL_CHANGE_FIXED},
        {FAL_VERDICT_FAIL, FAL_VERDICT_WARN, TL_CHANGE_FIXED},
        {FAL_VERDICT_INCONC, FAL_VERDICT_PASS, TL_CHANGE_FIXED},
    };
    struct tl_case old, now;
    bool any;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        old = a_case("x", rows[i].old);
        now = a_case("x", rows[i].now);
        ck_assert_int_eq(changed(&old, &now, &any), rows[i].change);
        ck_assert_int_eq(any, rows[i].change != TL_CHANGES);
        tl_case_clear(&old);
        tl_case_clear(&now);
    }
    old = a_case("x", FAL_VERDICT_FAIL);
    ck_assert_int_eq(changed(&old, NULL, &any), TL_CHANGE_GONE);
    ck_assert_int_eq(changed(NULL, &old, &any), TL_CHANGE_FAILS);
    now = a_case("x", FAL_VERDICT_FAIL);
    now.problems[0].fingerprint[0] = 'x';
    ck_assert_int_eq(changed(&old, &now, &any), TL_CHANGE_OTHERWISE);
    now.disposition = TL_WAIVED;
    ck_assert_int_eq(changed(&old, &now, &any), TL_CHANGES); /* no one fixed it */
    ck_assert_int_eq(changed(&now, &old, &any), TL_CHANGE_FAILS);
    now.disposition = TL_SKIPPED;
    ck_assert_int_eq(changed(&old, &now, &any), TL_CHANGE_SKIPPED);
    tl_case_clear(&old);
    old = a_case("x", FAL_VERDICT_PASS);
    ck_assert_int_eq(changed(NULL, &old, &any), TL_CHANGE_ADDED);
    ck_assert_int_eq(changed(&now, &old, &any), TL_CHANGE_RUNS);
    tl_case_clear(&old);
    tl_case_clear(&now);
}
END_TEST

START_TEST(what_is_a_regression)
{
    for (int c = 0; c < TL_CHANGES; c++) {
        size_t count[TL_CHANGES] = {0};
        bool always = c == TL_CHANGE_FAILS || c == TL_CHANGE_UNDECIDED;

        count[c] = 1;
        ck_assert_int_eq(tl_diff_regressed(count, false), always);
        ck_assert_int_eq(tl_diff_regressed(count, true), always || c == TL_CHANGE_OTHERWISE ||
                                                             c == TL_CHANGE_SKIPPED ||
                                                             c == TL_CHANGE_GONE);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("merge");
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, shards_in_any_order_are_the_run_that_nobody_split);
    tcase_add_test(tc, places_of_cases_put_them_in_order);
    tcase_add_test(tc, doubles_and_shards_of_other_cases_are_named);
    tcase_add_test(tc, a_missing_shard_is_missed);
    tcase_add_test(tc, what_was_measured_is_told_at_its_worst);
    tcase_add_test(tc, what_is_not_of_one_kind_is_not_merged);
    tcase_add_test(tc, no_run_undoes_what_the_SUT_did_wrong);
    tcase_add_test(tc, profiles_that_differ_stay_with_their_cases);
    tcase_add_test(tc, waivers_of_shards_add_up);
    tcase_add_test(tc, each_change_has_its_name);
    tcase_add_test(tc, what_is_a_regression);
    suite_add_tcase(suite, tc);
    return suite;
}
