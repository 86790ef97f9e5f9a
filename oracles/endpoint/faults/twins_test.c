/* SPDX-License-Identifier: Apache-2.0
 * twins_test.c - the table of twins, its reader, and the draw. What each twin does is shown
 * beside the part of the endpoint that asks for it. */
#include "oracles/endpoint/faults/twins.h"

#include "oracles/catalogue.h"
#include "tests/testing.h"

#include <ctype.h>
#include <string.h>

START_TEST(every_row_is_complete_and_its_requirements_exist)
{
    size_t n;
    const struct fal_twin *rows = fal_twins(&n);

    for (size_t i = 0; i < n; i++) {
        char ids[160], *save = NULL;
        unsigned count = 0;

        ck_assert_int_eq(fal_twin_find(rows[i].name), (int)i);
        for (const char *c = rows[i].name; *c != '\0'; c++)
            ck_assert_msg(islower(*c) || isdigit(*c) || *c == '-', "%s", rows[i].name);
        ck_assert_uint_lt(strlen(rows[i].requirements), sizeof ids);
        strcpy(ids, rows[i].requirements);
        for (char *id = strtok_r(ids, " ", &save); id != NULL;
             id = strtok_r(NULL, " ", &save)) {
            ck_assert_msg(fal_requirement_find(id) != NULL, "%s: %s", rows[i].name, id);
            count++;
        }
        ck_assert_msg(count > 0, "%s has no requirement", rows[i].name);
        ck_assert_msg(isdigit(rows[i].section[0]) ||
                          strncmp(rows[i].section, "RDMA ", 5) == 0 ||
                          strncmp(rows[i].section, "NVME ", 5) == 0,
                      "%s: section", rows[i].name);
        if (rows[i].reading[0] != '\0')
            ck_assert_msg(strncmp(rows[i].reading, "AMB-", 4) == 0 &&
                              strspn(rows[i].reading + 4, "NR0123456789") ==
                                  strlen(rows[i].reading + 4),
                          "%s: reading %s", rows[i].name, rows[i].reading);
        ck_assert_msg(rows[i].doc[strlen(rows[i].doc) - 1] == '.', "%s: doc", rows[i].name);
    }
    ck_assert_int_eq(fal_twin_find("no-such-twin"), -1);
    ck_assert_int_eq(fal_twin_find(""), -1);
}
END_TEST

START_TEST(names_are_read_and_slips_told)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"eack-always", NULL},
        {"eack-always,eack-always", NULL},
        {"eack-alway", "no twin 'eack-alway'; did you mean 'eack-always'? (talon list twins)"},
        {"", "no twin '' (talon list twins)"},
        {"eack-always,", "no twin '' (talon list twins)"},
        {"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
         "no twin 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz' (talon list twins)"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_twin_set set = {.bits = {0}};
        struct fal_error err = {{0}};
        int rc = fal_twins_read(&set, rows[i].text, strlen(rows[i].text), &err);

        ck_assert_int_eq(rc, rows[i].error == NULL ? 0 : FAL_ERR_FORM);
        if (rows[i].error == NULL)
            ck_assert(fal_twin_in(&set, FAL_TWIN_EACK_ALWAYS));
        else
            ck_assert_str_eq(err.text, rows[i].error);
    }
}
END_TEST

START_TEST(draws_reach_every_twin_and_none_at_all)
{
    struct fal_rng rng = fal_rng_split(test_seed(1), 1);
    unsigned taken[FAL_TWIN_COUNT] = {0}, empty = 0;

    for (unsigned i = 0; i < 400; i++) {
        struct fal_twin_set set = {.bits = {0}};
        bool any = false;

        fal_twins_draw(&set, &rng);
        for (int t = 0; t < FAL_TWIN_COUNT; t++)
            if (fal_twin_in(&set, (enum fal_twin_id)t)) {
                taken[t]++;
                any = true;
            }
        empty += !any;
    }
    ck_assert_uint_gt(empty, 50);
    ck_assert_uint_lt(empty, 400);
    for (int t = 0; t < FAL_TWIN_COUNT; t++)
        ck_assert_msg(taken[t] > 30 && taken[t] < 250, "twin %d: %u of 400", t, taken[t]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("twins");
    TCase *tc = tcase_create("twins");

    tcase_add_test(tc, every_row_is_complete_and_its_requirements_exist);
    tcase_add_test(tc, names_are_read_and_slips_told);
    tcase_add_test(tc, draws_reach_every_twin_and_none_at_all);
    suite_add_tcase(suite, tc);
    return suite;
}
