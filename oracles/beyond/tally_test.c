/* SPDX-License-Identifier: Apache-2.0
 * tally_test.c - what a tally keeps of its rules, and the published sets of DCQCN. */
#include "oracles/beyond/tally.h"

#include "oracles/beyond/dcqcn.h"
#include "tests/testing.h"

static const struct fal_tally_rule rules[] = {
    {"T1", "sender", "the first rule", "nowhere"},
    {"T2", "receiver", "the second rule", "nowhere"},
};

static struct fal_tally_row rows[2];
static struct fal_tally tally = {rules, rows, 2};

static void found(enum fal_verdict verdict, uint64_t number)
{
    const struct fal_tally_finding at = {.verdict = verdict, .number = number};

    fal_tally_found(&tally, 1, &at, "frame %d", (int)number);
}

START_TEST(only_the_first_findings_are_kept)
{
    fal_tally_clear(&tally);
    for (uint64_t i = 1; i <= FAL_TALLY_KEPT + 2; i++)
        found(FAL_VERDICT_FAIL, i);
    ck_assert_uint_eq(rows[1].broken, FAL_TALLY_KEPT + 2);
    ck_assert_uint_eq(rows[1].num_findings, FAL_TALLY_KEPT);
    ck_assert_str_eq(rows[1].findings[0].what, "frame 1");
    ck_assert_uint_eq(rows[1].findings[FAL_TALLY_KEPT - 1].number, FAL_TALLY_KEPT);
}
END_TEST

START_TEST(verdicts_only_get_worse)
{
    fal_tally_clear(&tally);
    ck_assert_int_eq((int)fal_tally_verdict(&tally), FAL_VERDICT_NONE);
    fal_tally_excused(&tally, 0, "first");
    fal_tally_excused(&tally, 0, "second");
    ck_assert_int_eq((int)fal_tally_verdict(&tally), FAL_VERDICT_NONE);
    ck_assert_str_eq(rows[0].excuse, "first");
    fal_tally_held(&tally, 0);
    ck_assert_int_eq((int)fal_tally_verdict(&tally), FAL_VERDICT_PASS);
    found(FAL_VERDICT_INCONC, 1);
    ck_assert_uint_eq(rows[1].broken, 0);
    found(FAL_VERDICT_WARN, 2);
    ck_assert_int_eq((int)rows[1].verdict, FAL_VERDICT_INCONC);
    found(FAL_VERDICT_FAIL, 3);
    fal_tally_held(&tally, 1);
    ck_assert_int_eq((int)fal_tally_verdict(&tally), FAL_VERDICT_FAIL);
}
END_TEST

START_TEST(rules_are_found_by_their_ids)
{
    ck_assert_uint_eq(fal_tally_rule_of(&tally, "T2"), 1);
    ck_assert_uint_eq(fal_tally_rule_of(&tally, "T"), 2);
}
END_TEST

START_TEST(published_sets_leave_open_what_they_do_not_say)
{
    const struct fal_dcqcn *paper = fal_dcqcn_preset("paper"), *nic = fal_dcqcn_preset("nic");

    ck_assert_ptr_nonnull(paper);
    ck_assert_ptr_nonnull(nic);
    ck_assert_ptr_null(fal_dcqcn_preset("other"));
    ck_assert_uint_eq(paper->cnp_interval_ns + nic->cnp_interval_ns + paper->rhai_bps, 0);
    ck_assert_uint_eq(nic->byte_counter, 2097088);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tally");
    TCase *tc = tcase_create("tally");

    tcase_add_test(tc, only_the_first_findings_are_kept);
    tcase_add_test(tc, verdicts_only_get_worse);
    tcase_add_test(tc, rules_are_found_by_their_ids);
    tcase_add_test(tc, published_sets_leave_open_what_they_do_not_say);
    suite_add_tcase(suite, tc);
    return suite;
}
