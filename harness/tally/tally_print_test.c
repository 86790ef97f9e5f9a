/* SPDX-License-Identifier: Apache-2.0
 * tally_print_test.c - a tally as a table and as JSON. */
#include "harness/tally/tally_print.h"

#include "reports/base/status.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

static const struct fal_tally_rule rules[] = {
    {"T1", "sender", "the first rule", "section 1"},
    {"T20", "receiver", "the second rule", "section 2"},
    {"T3", "engine", "the third rule", "section 3"},
};

static struct fal_tally_row rows[3];
static struct fal_tally tally = {rules, rows, 3};

static void fill(unsigned findings)
{
    fal_tally_clear(&tally);
    fal_tally_held(&tally, 0);
    for (unsigned i = 1; i <= findings; i++) {
        const struct fal_tally_finding at = {
            .verdict = FAL_VERDICT_FAIL, .at_ns = 1500, .number = i, .flow = 7};

        fal_tally_found(&tally, 1, &at, "expected \"%u\", found another", i);
    }
    fal_tally_excused(&tally, 2, "out-loss");
}

START_TEST(the_table_names_rules_findings_and_excuses)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    ck_assert_ptr_nonnull(out);
    fill(FAL_TALLY_KEPT + 2);
    tl_tally_print(out, &tally);
    fclose(out);
    ck_assert_str_eq(
        text, "rule  verdict             held  violated   excused  text\n"
              "T1    pass                   1         0         0  the first rule\n"
              "T20   fail                   0         6         0  the second rule\n"
              "        fail at 1.500 us, number 1, flow 7: expected \"1\", found another\n"
              "        fail at 1.500 us, number 2, flow 7: expected \"2\", found another\n"
              "        fail at 1.500 us, number 3, flow 7: expected \"3\", found another\n"
              "        fail at 1.500 us, number 4, flow 7: expected \"4\", found another\n"
              "        and 2 more\n"
              "T3    not exercised          0         0         1  the third rule\n"
              "        excused 1 time, first: out-loss\n");
    free(text);
}
END_TEST

START_TEST(json_has_the_same)
{
    json_t *o, *list, *row;

    fill(1);
    o = tl_tally_json(&tally);
    ck_assert_str_eq(json_string_value(json_object_get(o, "verdict")), "fail");
    list = json_object_get(o, "rules");
    ck_assert_uint_eq(json_array_size(list), 3);
    row = json_array_get(list, 1);
    ck_assert_str_eq(json_string_value(json_object_get(row, "id")), "T20");
    ck_assert_int_eq(json_integer_value(json_object_get(row, "broken")), 1);
    ck_assert_ptr_null(json_object_get(row, "excuse"));
    row = json_array_get(json_object_get(row, "findings"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(row, "what")),
                     "expected \"1\", found another");
    row = json_array_get(list, 2);
    ck_assert_str_eq(json_string_value(json_object_get(row, "verdict")), "none");
    ck_assert_str_eq(json_string_value(json_object_get(row, "excuse")), "out-loss");
    json_decref(o);
    list = tl_tally_list(rules, 3);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 2), "title")),
                     "the third rule");
    json_decref(list);
}
END_TEST

START_TEST(the_exit_status_is_that_of_the_worst_rule)
{
    const struct fal_tally_finding warn = {.verdict = FAL_VERDICT_WARN};

    fal_tally_clear(&tally);
    ck_assert_int_eq(tl_tally_exit_status(&tally), TL_STATUS_INCONC);
    fal_tally_held(&tally, 0);
    ck_assert_int_eq(tl_tally_exit_status(&tally), TL_STATUS_PASS);
    fal_tally_found(&tally, 1, &warn, "a warning");
    ck_assert_int_eq(tl_tally_exit_status(&tally), TL_STATUS_PASS);
    fill(1);
    ck_assert_int_eq(tl_tally_exit_status(&tally), TL_STATUS_FAIL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tally_print");
    TCase *tc = tcase_create("tally_print");

    tcase_add_test(tc, the_table_names_rules_findings_and_excuses);
    tcase_add_test(tc, json_has_the_same);
    tcase_add_test(tc, the_exit_status_is_that_of_the_worst_rule);
    suite_add_tcase(suite, tc);
    return suite;
}
