/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/waivers.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

#define DOC(entries)   "{\"schema\": \"talon/waivers/1\", \"entries\": [" entries "]}"
#define REST           "\"reason\": \"r\", \"approver\": \"a\", \"expires\": \"2026-12-31\""
#define ENTRY(members) "{\"id\": \"W-1\", " members ", " REST "}"
#define PRINT          "\"fingerprint\": \"0123456789abcdef\""
#define WAIVER(more)   ENTRY("\"kind\": \"waiver\", \"scenario\": \"s\", " PRINT more)
#define EXPECTED(more) ENTRY("\"kind\": \"expected-failure\", \"scenario\": \"s\", " PRINT more)
#define FLAKY(passes) \
    ENTRY("\"kind\": \"flaky\", \"scenario\": \"s\", \"passes\": \"" passes "\"")

enum { TODAY = 20261121 };

static struct tl_waivers waivers;
static struct tl_case c;
static const struct fal_requirement *covers[1];
static struct tl_identity identity;

static int read_text(const char *text, struct fal_error *err)
{
    return tl_waivers_read("w.json", text, strlen(text), &waivers, err);
}

static struct tl_problem *problem(const char *print, enum fal_verdict verdict)
{
    struct tl_problem *p = tl_case_problem(&c);

    ck_assert_ptr_nonnull(p);
    p->kind = TL_PROBLEM_STEP;
    p->verdict = verdict;
    p->reason = tl_reason_from("unmet");
    p->requirement = covers[0];
    strcpy(p->fingerprint, print);
    return p;
}

/* A case s that fails in one way. */
static void setup(void)
{
    covers[0] = fal_requirement_find("FTP-9.1.6-03");
    identity = (struct tl_identity){"Acme", "F1", "1.5"};
    c = (struct tl_case){.id = "s", .covers = covers, .num_covers = 1};
    c.verdict = FAL_VERDICT_FAIL;
    (void)problem("0123456789abcdef", FAL_VERDICT_FAIL);
}

static void teardown(void)
{
    tl_case_clear(&c);
    tl_waivers_free(&waivers);
}

/* The disposition that one file comes to on a day. */
static enum tl_disposition disposed_on(const char *text, uint32_t today)
{
    struct fal_error err;

    tl_waivers_free(&waivers);
    free(c.why);
    c.why = NULL;
    c.disposition = TL_RAN;
    ck_assert_msg(read_text(text, &err) == 0, "%s", err.text);
    ck_assert_int_eq(tl_waivers_apply(&waivers, &identity, today, c.id, &c), 0);
    return c.disposition;
}

static enum tl_disposition disposed(const char *text)
{
    return disposed_on(text, TODAY);
}

static const char *state(void)
{
    struct tl_results results = {.cases = &c, .num_cases = 1};
    const char *ids[] = {"s"}, *said;
    struct tl_waiver_use *uses;

    ck_assert_int_eq(tl_waivers_uses(&waivers, &identity, TODAY, &results, ids, &uses), 0);
    said = uses[0].state;
    free(uses);
    return said;
}

START_TEST(the_failure_that_it_names_is_waived_and_no_other)
{
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_WAIVED);
    ck_assert_str_eq(c.why, "W-1");
    ck_assert_str_eq(c.problems[0].waiver, "W-1");
    ck_assert_str_eq(state(), "used");
    c.problems[0].fingerprint[0] = 'f';
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_RAN);
    ck_assert_ptr_null(c.problems[0].waiver);
    ck_assert_str_eq(state(), "unused");
}
END_TEST

START_TEST(a_second_failure_beside_it_is_not_waived)
{
    struct tl_problem *p = problem("ffffffffffffffff", FAL_VERDICT_FAIL);

    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_RAN);
    ck_assert_str_eq(state(), "used"); /* it applied, though it did not suffice */
    p->verdict = FAL_VERDICT_WARN;     /* which needs no waiver */
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_WAIVED);
    p->verdict = FAL_VERDICT_INCONC;
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_RAN);
    ck_assert_int_eq(
        disposed(DOC(ENTRY("\"kind\": \"waiver\", \"scenario\": \"s\", \"fingerprint\": "
                           "[\"ffffffffffffffff\", \"0123456789abcdef\"]"))),
        TL_WAIVED);
}
END_TEST

START_TEST(a_broken_rule_that_no_problem_tells_of_is_not_waived)
{
    size_t n;

    c.rules = calloc(1, sizeof *c.rules);
    c.num_rules = 1;
    c.rules[0] = (struct fal_rule_result){
        .rule = fal_rules(&n)[0], .broken = 1, .verdict = FAL_VERDICT_FAIL};
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_RAN);
    c.problems[0].rule = c.rules[0].rule;
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_WAIVED);
}
END_TEST

START_TEST(an_error_of_ours_and_a_failure_without_a_fingerprint_are_never_waived)
{
    c.verdict = FAL_VERDICT_ERROR;
    c.problems[0].verdict = FAL_VERDICT_ERROR;
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_RAN);
    c.verdict = FAL_VERDICT_FAIL;
    c.problems[0].verdict = FAL_VERDICT_FAIL;
    c.problems[0].fingerprint[0] = 0;
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_RAN);
    tl_case_clear(&c);
    c.id = "s";
    c.verdict = FAL_VERDICT_FAIL; /* no reason is given */
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_RAN);
}
END_TEST

START_TEST(vendor_product_and_firmware_narrow_it)
{
    static const struct {
        const char *more;
        bool due;
    } rows[] = {{", \"vendor\": \"Acme\"", true},
                {", \"vendor\": \"A*\", \"product\": \"F?\"", true},
                {", \"vendor\": \"Other\"", false},
                {", \"product\": \"F2\"", false},
                {", \"firmware\": \">=1.2 <2\"", true},
                {", \"firmware\": \"<1.5\"", false}};
    char text[500];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(text, sizeof text, DOC(WAIVER("%s")), rows[i].more);
        ck_assert_msg((disposed(text) == TL_WAIVED) == rows[i].due, "%s", rows[i].more);
        ck_assert_str_eq(state(), rows[i].due ? "used" : "other-sut");
    }
    identity.firmware[0] = 0; /* the requirement is not named */
    ck_assert_int_eq(disposed(DOC(WAIVER(", \"firmware\": \">0\""))), TL_RAN);
}
END_TEST

START_TEST(its_last_day_is_the_last)
{
    ck_assert_int_eq(disposed_on(DOC(WAIVER("")), 20261231), TL_WAIVED);
    ck_assert_int_eq(disposed_on(DOC(WAIVER("")), 20270101), TL_RAN);
    waivers.list[0].expires = TODAY - 1;
    ck_assert_str_eq(state(), "expired");
}
END_TEST

START_TEST(by_scenario_pattern_and_by_requirement)
{
    ck_assert_int_eq(disposed(DOC(ENTRY("\"kind\": \"waiver\", \"scenario\": \"t*\", " PRINT))),
                     TL_RAN);
    ck_assert_str_eq(state(), "not-tried");
    ck_assert_int_eq(
        disposed(DOC(ENTRY("\"kind\": \"waiver\", \"requirement\": \"FTP-9.1.6-03\", " PRINT))),
        TL_WAIVED);
    ck_assert_int_eq(
        disposed(DOC(ENTRY("\"kind\": \"waiver\", \"requirement\": \"FTP-9.1.6-04\", " PRINT))),
        TL_RAN);
}
END_TEST

START_TEST(an_expected_failure_that_passes_is_told)
{
    ck_assert_int_eq(disposed(DOC(EXPECTED(""))), TL_EXPECTED_FAILURE);
    tl_case_clear(&c);
    c.id = "s";
    c.verdict = FAL_VERDICT_PASS;
    ck_assert_int_eq(disposed(DOC(EXPECTED(""))), TL_UNEXPECTED_PASS);
    ck_assert_str_eq(state(), "unexpected-pass");
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_RAN);
    ck_assert_str_eq(state(), "unused");
    ck_assert_int_eq(disposed_on(DOC(EXPECTED("")), 20270101), TL_RAN);
}
END_TEST

/* `passes` of ten runs pass. */
static void repeated(size_t passes)
{
    free(c.repetitions);
    c.repetitions = calloc(10, sizeof *c.repetitions);
    c.num_repetitions = 10;
    for (size_t i = 0; i < 10; i++)
        c.repetitions[i].verdict = i < passes ? FAL_VERDICT_PASS : FAL_VERDICT_FAIL;
}

START_TEST(flaky_is_what_is_listed_and_passes_often_enough)
{
    ck_assert_int_eq(disposed(DOC(FLAKY("7 of 10"))), TL_RAN); /* it ran but once */
    repeated(7);
    ck_assert_int_eq(disposed(DOC(FLAKY("7 of 10"))), TL_FLAKY);
    ck_assert_str_eq(c.why, "W-1: passed 7 of 10");
    ck_assert_str_eq(state(), "used");
    ck_assert_int_eq(disposed(DOC(FLAKY("2 of 3"))), TL_FLAKY);
    ck_assert_int_eq(disposed(DOC(FLAKY("8 of 10"))), TL_RAN);
    ck_assert_int_eq(disposed(DOC(FLAKY("7 of 11"))), TL_RAN); /* too few runs */
    ck_assert_int_eq(disposed(DOC("")), TL_RAN);               /* not listed */
    c.verdict = FAL_VERDICT_ERROR;
    ck_assert_int_eq(disposed(DOC(FLAKY("7 of 10"))), TL_RAN);
}
END_TEST

START_TEST(runs_that_fail_in_different_ways_are_not_waived)
{
    repeated(7);
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_WAIVED);
    c.mixed = true;
    ck_assert_int_eq(disposed(DOC(WAIVER(""))), TL_RAN);
}
END_TEST

START_TEST(days)
{
    ck_assert_uint_eq(tl_date_read("2026-11-21"), 20261121);
    ck_assert_uint_eq(tl_date_read("2028-02-29"), 20280229);
    ck_assert_uint_eq(tl_date_read("2026-02-29"), 0);
    ck_assert_uint_eq(tl_date_read("2100-02-29"), 0);
    ck_assert_uint_eq(tl_date_read("2026-13-01"), 0);
    ck_assert_uint_eq(tl_date_read("2026-04-31"), 0);
    ck_assert_uint_eq(tl_date_read("2026-00-01"), 0);
    ck_assert_uint_eq(tl_date_read("2026-1-1"), 0);
    ck_assert_uint_eq(tl_date_read("2026-11-21Z"), 0);
    ck_assert_uint_eq(tl_date_read(""), 0);
}
END_TEST

START_TEST(wrong_files_are_told_with_their_place)
{
    static const struct {
        const char *text, *due;
    } rows[] = {
        {"[", "w.json:1:1: "},
        {"{\"schema\": \"talon/waivers/2\"}", "schema: expected"},
        {"{\"schema\": \"talon/waivers/1\"}", "entries: missing; expected an array"},
        {DOC("3"), "entries[0]: expected an object"},
        {DOC("{}"), "entries[0].id: missing"},
        {DOC("{\"id\": \"\"}"), "entries[0].id: expected a text"},
        {DOC("{\"id\": \"W\", \"reson\": \"r\"}"), "reson: unknown; did you mean 'reason'?"},
        {DOC("{\"id\": \"W\", \"reason\": \"r\"}"), "kind: missing"},
        {DOC(ENTRY("\"kind\": \"waver\", \"scenario\": \"s\", " PRINT)),
         "kind: expected waiver"},
        {DOC(ENTRY("\"kind\": \"waiver\", " PRINT)),
         "expected a member scenario or requirement"},
        {DOC(ENTRY("\"kind\": \"waiver\", \"requirement\": \"FTP-1\", " PRINT)),
         "no requirement 'FTP-1'"},
        {DOC(ENTRY("\"kind\": \"waiver\", \"scenario\": \"s\"")), "fingerprint: missing"},
        {DOC(ENTRY("\"kind\": \"waiver\", \"scenario\": \"s\", \"fingerprint\": []")),
         "fingerprint: expected at least 1 element"},
        {DOC(ENTRY("\"kind\": \"waiver\", \"scenario\": \"s\", \"fingerprint\": \"0X\"")),
         "fingerprint: expected 16 hex digits"},
        {DOC(ENTRY("\"kind\": \"waiver\", \"scenario\": \"s\", \"fingerprint\": [3]")),
         "fingerprint[0]: expected 16 hex digits"},
        {DOC(WAIVER(", \"passes\": \"1 of 2\"")), "passes: only a flaky case may have it"},
        {DOC(WAIVER(", \"firmware\": \"~1\"")), "firmware: "},
        {DOC(FLAKY("0 of 3")), "passes: expected such as"},
        {DOC(FLAKY("3 of 3")), "passes: expected such as"},
        {DOC(FLAKY("1 of 9999")), "passes: expected such as"},
        {DOC(FLAKY("some")), "passes: expected such as"},
        {DOC(ENTRY("\"kind\": \"flaky\", \"scenario\": \"s\", \"passes\": \"1 of 2\", " PRINT)),
         "fingerprint: a flaky case has none"},
        {DOC("{\"id\": \"W\", \"kind\": \"waiver\", \"scenario\": \"s\", " PRINT
             ", \"reason\": \"r\", \"approver\": \"a\", \"expires\": \"soon\"}"),
         "expires: expected the last day"},
        {DOC(WAIVER("") ", " WAIVER("")), "two entries have the id 'W-1'"},
    };
    struct fal_error err;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(read_text(rows[i].text, &err) == FAL_ERR_FORM, "%zu", i);
        ck_assert_msg(strstr(err.text, rows[i].due) != NULL, "%zu: %s", i, err.text);
    }
}
END_TEST

/* Any damage is an error or another file, and never more. */
START_TEST(survives_any_damage)
{
    const char *text = DOC(WAIVER(
        ", \"firmware\": \">=1.2 <2\"") ", {\"id\": \"W-2\", \"kind\": \"flaky\", \"requirement\": \"FTP-9.1.6-03\", "
                                        "\"passes\": \"1 of 2\", " REST "}");
    uint64_t seed = test_seed(5);
    size_t len = strlen(text);
    char *copy = malloc(len);

    for (int i = 0; i < 3000; i++) {
        struct fal_error err = {{0}};

        memcpy(copy, text, len);
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            copy[(seed >> 33) % len] = (char)(seed >> 25);
        }
        if (tl_waivers_read("w.json", copy, len - (seed >> 40) % 20, &waivers, &err) == 0)
            tl_waivers_free(&waivers);
        else
            ck_assert_str_ne(err.text, "");
    }
    free(copy);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("waivers");
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, the_failure_that_it_names_is_waived_and_no_other);
    tcase_add_test(tc, a_second_failure_beside_it_is_not_waived);
    tcase_add_test(tc, a_broken_rule_that_no_problem_tells_of_is_not_waived);
    tcase_add_test(tc, an_error_of_ours_and_a_failure_without_a_fingerprint_are_never_waived);
    tcase_add_test(tc, vendor_product_and_firmware_narrow_it);
    tcase_add_test(tc, its_last_day_is_the_last);
    tcase_add_test(tc, by_scenario_pattern_and_by_requirement);
    tcase_add_test(tc, an_expected_failure_that_passes_is_told);
    tcase_add_test(tc, flaky_is_what_is_listed_and_passes_often_enough);
    tcase_add_test(tc, runs_that_fail_in_different_ways_are_not_waived);
    tcase_add_test(tc, days);
    tcase_add_test(tc, wrong_files_are_told_with_their_place);
    tcase_add_test(tc, survives_any_damage);
    suite_add_tcase(suite, tc);
    return suite;
}
