/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ambiguity.h"

#include "oracles/catalogue.h"
#include "oracles/endpoint/faults/faults.h"
#include "oracles/endpoint/faults/twins.h"
#include "oracles/rules/judge/judge.h"
#include "oracles/rules/judge/readings.h"
#include "tests/testing.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Every AMB id in a text is one of the table. */
static void check_text(const char *text, const char *where)
{
    const char *at = text != NULL ? strstr(text, "AMB-") : NULL;

    for (; at != NULL; at = strstr(at, "AMB-")) {
        char id[16] = "AMB-";
        size_t len = 4;

        for (at += 4; len + 1 < sizeof id && (isdigit((unsigned char)*at) ||
                                              (len == 4 && isupper((unsigned char)*at)));
             at++)
            id[len++] = *at;
        ck_assert_msg(fal_ambiguity_find(id) != NULL, "%s: %s", where, id);
    }
}

START_TEST(ids_are_unique_and_every_entry_is_whole)
{
    size_t n;
    const struct fal_ambiguity *all = fal_ambiguities(&n);

    ck_assert_uint_eq(n, 131);
    for (size_t i = 0; i < n; i++) {
        ck_assert_ptr_eq(fal_ambiguity_find(all[i].id), &all[i]);
        ck_assert_msg(all[i].where[0] != 0 && all[i].question[0] != 0 && all[i].reading[0] != 0,
                      "%s", all[i].id);
        check_text(all[i].reading, all[i].id);
    }
    ck_assert_ptr_null(fal_ambiguity_find("AMB-99"));
}
END_TEST

START_TEST(what_refers_to_one_finds_it)
{
    size_t n;
    const struct fal_requirement *r = fal_catalogue(&n);

    for (size_t i = 0; i < n; i++) {
        check_text(r[i].text, r[i].id);
        check_text(r[i].verdict, r[i].id);
        check_text(r[i].alt, r[i].id);
    }
    for (size_t i = 0, k = 0; i == 0 || i < k; i++) {
        const struct fal_fault *f = fal_faults(&k);

        check_text(f[i].doc, f[i].name);
    }
    for (size_t i = 0, k = 0; i == 0 || i < k; i++) {
        const struct fal_twin *t = fal_twins(&k);

        check_text(t[i].doc, t[i].name);
        check_text(t[i].reading, t[i].name);
    }
    for (size_t i = 0, k = 0; i == 0 || i < k; i++) {
        const struct fal_rule *const *rule = fal_rules(&k);

        check_text(rule[i]->doc, rule[i]->id);
    }
    for (enum fal_amb amb = 0; amb < FAL_AMB_COUNT; amb++)
        check_text(fal_amb_name(amb), "readings");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ambiguities");
    TCase *tc = tcase_create("ambiguities");

    tcase_add_test(tc, ids_are_unique_and_every_entry_is_whole);
    tcase_add_test(tc, what_refers_to_one_finds_it);
    suite_add_tcase(suite, tc);
    return suite;
}
