/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/ics.h"

#include "oracles/catalogue.h"
#include "tests/testing.h"

#include <string.h>

static int read_text(const char *text, struct tl_ics *ics, struct fal_error *err)
{
    return tl_ics_read("x.json", text, strlen(text), ics, err);
}

#define STATEMENT(items) "{\"schema\": \"talon/ics/1\", \"items\": {" items "}}"

START_TEST(every_item_of_the_catalogue_is_in_the_proforma)
{
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (size_t i = 0; i < n; i++)
        ck_assert_msg(all[i].ics == NULL || tl_ics_find(all[i].ics) >= 0, "%s: no item %s",
                      all[i].id, all[i].ics);
}
END_TEST

START_TEST(an_item_is_yes_no_or_open)
{
    struct tl_ics ics;
    struct fal_error err;

    ck_assert_int_eq(
        read_text(STATEMENT("\"psp\": true, \"esp\": false, \"plb\": null"), &ics, &err), 0);
    ck_assert_int_eq(ics.items[TL_ICS_PSP], TL_ICS_YES);
    ck_assert_int_eq(ics.items[TL_ICS_ESP], TL_ICS_NO);
    ck_assert_int_eq(ics.items[TL_ICS_PLB], TL_ICS_OPEN);
    ck_assert_int_eq(ics.items[TL_ICS_SWIFT], TL_ICS_OPEN);
}
END_TEST

START_TEST(a_claim_implies_and_a_denial_denies)
{
    struct tl_ics ics;
    struct fal_error err;

    ck_assert_int_eq(read_text(STATEMENT("\"rdma-ud\": true, \"nvme\": false"), &ics, &err), 0);
    ck_assert_int_eq(ics.items[TL_ICS_RDMA], TL_ICS_YES);
    ck_assert_int_eq(ics.items[TL_ICS_NVME_PI], TL_ICS_NO);
    ck_assert_int_eq(ics.items[TL_ICS_RDMA_XRC], TL_ICS_OPEN);
}
END_TEST

START_TEST(conditions)
{
    static const struct {
        const char *text;
        enum tl_ics_answer due;
    } rows[] = {{"psp", TL_ICS_YES},     {"!psp", TL_ICS_NO},        {"esp", TL_ICS_NO},
                {"! esp", TL_ICS_YES},   {"plb", TL_ICS_OPEN},       {"!plb", TL_ICS_OPEN},
                {"esp|psp", TL_ICS_YES}, {"esp | plb", TL_ICS_OPEN}, {"plb|!esp", TL_ICS_YES},
                {"psp|plb", TL_ICS_YES}};
    struct tl_ics ics;
    struct tl_ics_condition c;
    struct fal_error err;

    ck_assert_int_eq(read_text(STATEMENT("\"psp\": true, \"esp\": false"), &ics, &err), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(tl_ics_condition_read(rows[i].text, &c, &err), 0);
        ck_assert_msg(tl_ics_holds(&ics, &c) == rows[i].due, "%s", rows[i].text);
    }
}
END_TEST

START_TEST(wrong_conditions_are_told)
{
    static const struct {
        const char *text, *due;
    } rows[] = {{"", "no ICS item ''"},
                {"pps", "did you mean 'psp'?"},
                {"psp|", "no ICS item ''"},
                {"psp esp", "expected an item"},
                {"psp|psp|psp|psp|psp|psp|psp|psp|psp", "more than 8"}};
    struct tl_ics_condition c;
    struct fal_error err;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(tl_ics_condition_read(rows[i].text, &c, &err), FAL_ERR_FORM);
        ck_assert_msg(strstr(err.text, rows[i].due) != NULL, "%s", err.text);
    }
}
END_TEST

START_TEST(wrong_statements_are_told_with_their_place)
{
    static const struct {
        const char *text, *due;
    } rows[] = {
        {"", "x.json:1:0: "},
        {"[]", "expected an object"},
        {"{}", "schema: expected \"talon/ics/1\""},
        {"{\"schema\": \"talon/ics/2\"}", "x.json:1:12: schema: expected"},
        {"{\"schema\": \"talon/ics/1\"}", "items: missing; expected an object"},
        {"{\"schema\": \"talon/ics/1\", \"item\": {}}", "item: unknown; did you mean 'items'?"},
        {STATEMENT("\"spp\": true"), "items.spp: unknown; did you mean 'psp'?"},
        {STATEMENT("\n\"psp\": 1"), "x.json:2:8: items.psp: expected true, false, or null"},
        {STATEMENT("\"psp\": true, \"psp\": true"), "duplicate"},
        {STATEMENT("\"rdma\": false, \"rdma-ud\": true"), "'rdma', which it needs, is false"},
        {"{\"schema\": \"talon/ics/1\", \"items\": {}, \"vendor\": 3}",
         "vendor: expected a text"},
        {"{\"schema\": \"talon/ics/1\", \"items\": {}, \"vendor\": "
         "\"0123456789012345678901234567890123456789012345678901234567890123\"}",
         "longer than 63 bytes"},
    };
    struct tl_ics ics;
    struct fal_error err;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(read_text(rows[i].text, &ics, &err), FAL_ERR_FORM);
        ck_assert_msg(strstr(err.text, rows[i].due) != NULL, "%zu: %s", i, err.text);
    }
    ck_assert_int_eq(tl_ics_load("/nowhere/ics.json", &ics, &err), FAL_ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/ics.json: No such file"));
}
END_TEST

START_TEST(a_statement_comes_back_as_it_was)
{
    struct tl_ics ics, back;
    struct fal_error err;
    json_t *document;
    char *text;

    tl_ics_builtin(&ics);
    strcpy(ics.identity.vendor, "Acme");
    document = tl_ics_document(&ics);
    text = json_dumps(document, 0);
    ck_assert_int_eq(read_text(text, &back, &err), 0);
    ck_assert_mem_eq(ics.items, back.items, sizeof ics.items);
    ck_assert_str_eq(back.identity.vendor, "Acme");
    free(text);
    json_decref(document);
}
END_TEST

START_TEST(what_is_open_is_completed_and_what_is_said_stays)
{
    struct tl_ics ics, builtin;
    struct fal_error err;

    ck_assert_int_eq(read_text(STATEMENT("\"psp\": true, \"rack-tlp\": false"), &ics, &err), 0);
    tl_ics_builtin(&builtin);
    tl_ics_complete(&ics, &builtin);
    ck_assert_int_eq(ics.items[TL_ICS_PSP], TL_ICS_YES);
    ck_assert_int_eq(ics.items[TL_ICS_RACK_TLP], TL_ICS_NO);
    ck_assert_int_eq(ics.items[TL_ICS_ORDERED], TL_ICS_YES);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ics");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, every_item_of_the_catalogue_is_in_the_proforma);
    tcase_add_test(tc, an_item_is_yes_no_or_open);
    tcase_add_test(tc, a_claim_implies_and_a_denial_denies);
    tcase_add_test(tc, conditions);
    tcase_add_test(tc, wrong_conditions_are_told);
    tcase_add_test(tc, wrong_statements_are_told_with_their_place);
    tcase_add_test(tc, a_statement_comes_back_as_it_was);
    tcase_add_test(tc, what_is_open_is_completed_and_what_is_said_stays);
    suite_add_tcase(suite, tc);
    return suite;
}
