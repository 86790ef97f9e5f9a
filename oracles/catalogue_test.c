/* SPDX-License-Identifier: Apache-2.0
 * catalogue_test.c - the compiled catalogue against the JSON that it comes from. */
#include "oracles/catalogue.h"
#include "tests/testing.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char *const path = "oracles/catalogue/requirements.json";

START_TEST(it_is_the_json)
{
    size_t n, i;
    const struct fal_requirement *all = fal_catalogue(&n);
    json_t *list = json_load_file(path, 0, NULL), *entry;

    ck_assert_msg(list != NULL, "%s: run the tests from the project's folder", path);
    ck_assert_uint_eq(n, json_array_size(list));
    json_array_foreach(list, i, entry)
    {
#define SAME(member) \
    ck_assert_pstr_eq(all[i].member, json_string_value(json_object_get(entry, #member)))
        SAME(id);
        SAME(spec);
        SAME(section);
        SAME(title);
        SAME(level);
        SAME(role);
        SAME(layer);
        SAME(text);
        SAME(observable);
        SAME(stimulus);
        SAME(verdict);
        SAME(on_breach);
        SAME(alt);
        SAME(ics);
#undef SAME
        ck_assert_int_eq(all[i].bench, json_is_true(json_object_get(entry, "bench")));
    }
    json_decref(list);
}
END_TEST

START_TEST(ids_are_found_and_unique)
{
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (size_t i = 0; i < n; i++)
        ck_assert_ptr_eq(fal_requirement_find(all[i].id), &all[i]);
    ck_assert_ptr_null(fal_requirement_find("FTP-0.0-00"));
    ck_assert_ptr_null(fal_requirement_find(""));
}
END_TEST

START_TEST(a_breach_leads_to_what_its_entry_says)
{
    size_t n, count[FAL_VERDICT_ERROR + 1] = {0};
    const struct fal_requirement *all = fal_catalogue(&n);

    for (size_t i = 0; i < n; i++) {
        enum fal_verdict v = fal_requirement_breach(&all[i]);

        ck_assert_str_eq(all[i].on_breach, v == FAL_VERDICT_FAIL   ? "fail"
                                           : v == FAL_VERDICT_WARN ? "warn"
                                                                   : "never");
        count[v]++;
    }
    ck_assert_uint_gt(count[FAL_VERDICT_FAIL], 0);
    ck_assert_uint_gt(count[FAL_VERDICT_WARN], 0);
    ck_assert_uint_gt(count[FAL_VERDICT_NONE], 0);
}
END_TEST

START_TEST(verdicts_only_get_worse)
{
    for (int a = FAL_VERDICT_NONE; a <= FAL_VERDICT_ERROR; a++) {
        ck_assert_int_eq(fal_verdict_from(fal_verdict_name((enum fal_verdict)a)), a);
        for (int b = FAL_VERDICT_NONE; b <= FAL_VERDICT_ERROR; b++)
            ck_assert_int_eq(fal_verdict_worse((enum fal_verdict)a, (enum fal_verdict)b),
                             a > b ? a : b);
    }
    ck_assert_int_eq(fal_verdict_from("passed"), -1);
}
END_TEST

/* Both matrices: what proves that a rule or a scenario can fail at all. */
START_TEST(kills_are_those_of_the_files)
{
    char a[64], b[64], c[64], line[256];
    size_t n, at = 0;
    const struct fal_suite_kill *suite = fal_suite_kills(&n);
    FILE *file = fopen("oracles/catalogue/suite-kills.txt", "r");

    ck_assert_ptr_nonnull(file);
    for (; fgets(line, sizeof line, file) != NULL; at++) {
        ck_assert_uint_lt(at, n);
        ck_assert_int_eq(sscanf(line, "%63s %63s %63s", a, b, c), 3);
        ck_assert_str_eq(suite[at].fault, a);
        ck_assert_str_eq(suite[at].scenario, b);
        ck_assert_int_eq(suite[at].verdict, fal_verdict_from(c));
    }
    (void)fclose(file);
    ck_assert_uint_eq(at, n);

    const struct fal_kill *kills = fal_kills(&n);

    ck_assert_uint_gt(n, 0);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(fal_requirement_find(kills[i].requirement) != NULL, "%s %s: no %s",
                      kills[i].fault, kills[i].rule, kills[i].requirement);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("catalogue");
    TCase *tc = tcase_create("catalogue");

    tcase_add_test(tc, it_is_the_json);
    tcase_add_test(tc, ids_are_found_and_unique);
    tcase_add_test(tc, a_breach_leads_to_what_its_entry_says);
    tcase_add_test(tc, verdicts_only_get_worse);
    tcase_add_test(tc, kills_are_those_of_the_files);
    suite_add_tcase(suite, tc);
    return suite;
}
