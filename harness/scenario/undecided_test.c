/* SPDX-License-Identifier: Apache-2.0
 * undecided_test.c - a step that can be missed, or a rule, decides each requirement that a
 * scenario covers. */
#include "harness/scenario/scenario.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FTP-6.6.6-02 is of no rule, FTP-9.1.6-03 of A3. */
static const struct {
    const char *covers, *steps, *says; /* says: NULL if all is decided */
} rows[] = {
    {"\"FTP-9.1.6-03\"", "\"> push_data\"", NULL},
    {"\"FTP-6.6.6-02\"", "\"< back # FTP-6.6.6-02\"", NULL},
    {"\"FTP-6.6.6-02\"",
     "{\"cm\": {\"do\": \"open\"}, \"refused\": true, \"covers\": \"FTP-6.6.6-02\"}", NULL},
    {"\"FTP-6.6.6-02\"", "{\"cm\": {\"do\": \"open\"}, \"covers\": \"FTP-6.6.6-02\"}",
     "t.json:3:12: covers[0]: no step and no rule decides FTP-6.6.6-02"},
    {"\"FTP-6.6.6-02\"", "{\"wait\": \"1ms\", \"covers\": \"FTP-6.6.6-02\"}, \"< back\"",
     "t.json:3:12: covers[0]: no step and no rule decides FTP-6.6.6-02"},
    {"\"FTP-9.1.6-03\", \"FTP-6.6.6-02\"", "\"< back\"",
     "t.json:3:28: covers[1]: no step and no rule decides FTP-6.6.6-02"},
};

START_TEST(covers_that_nothing_decides_are_found)
{
    char text[1000], *errors = NULL, *said;
    struct tl_scenario *s;

    (void)snprintf(text, sizeof text,
                   "{\"schema\": \"talon/scenario/1\", \"id\": \"t\", \"title\": \"t\",\n"
                   "\"purpose\": \"p\", \"class\": \"valid\", \"version\": 1,\n"
                   "\"covers\": [%s],\n\"steps\": [%s]}",
                   rows[_i].covers, rows[_i].steps);
    s = tl_scenario_read("t.json", text, strlen(text), &errors);
    ck_assert_msg(s != NULL, "%s", errors != NULL ? errors : "out of memory");
    said = tl_scenario_undecided(s, text, strlen(text));
    if (rows[_i].says == NULL)
        ck_assert_msg(said == NULL, "%s", said);
    else
        ck_assert_msg(said != NULL && strstr(said, rows[_i].says) == said, "%s",
                      said != NULL ? said : "nothing");
    free(said);
    tl_scenario_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("undecided");
    TCase *tc = tcase_create("all");

    tcase_add_loop_test(tc, covers_that_nothing_decides_are_found, 0,
                        (int)(sizeof rows / sizeof *rows));
    suite_add_tcase(suite, tc);
    return suite;
}
