/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/diagnosis/diagnosis.h"

#include "oracles/catalogue.h"
#include "reports/results/results_testing.h"

/* The faults that fail more come first: where cases that passed do not count, they win. */
static const char text[] = "# a comment\n"
                           "c a\nc b\nc c\nc d\nc e\nc f\nc g\nc h\n"
                           "t A2 FTP-9.1.6-03 - -\nt step FTP-9.1.2-01 - psn\n"
                           "s 0\ns 1\ns 0 1\n"
                           "f wide\n0 0-4\n"
                           "f acks acks-again\n0 0-2\n"
                           "f window\n1 4\n"
                           "f timer\n0 4\n"
                           "f late\n1 5-7\n";

/* Cases by letter; capitals failed, with that sign. */
static struct tl_diagnosis scored(const char *letters, int sign)
{
    static struct tl_signatures signatures; /* the diagnosis borrows from it */
    struct tl_seen_case cases[8] = {{.seen = TL_CASE_NOT_PLAYED}};
    struct tl_seen seen = {.cases = cases, .signs = &sign, .num_signs = 1};
    struct tl_diagnosis out;

    tl_signatures_free(&signatures);
    ck_assert_int_eq(tl_signatures_read(text, &signatures, NULL), 0);
    for (; letters[seen.played] != 0; seen.played++) {
        struct tl_seen_case *c = &cases[(letters[seen.played] | 0x20) - 'a'];

        c->seen = letters[seen.played] < 'a' ? TL_CASE_FAILED : TL_CASE_PASSED;
        c->count = 1;
        seen.failed += c->seen == TL_CASE_FAILED;
    }
    ck_assert_int_eq(tl_diagnosis_score(&seen, &signatures, &out, NULL), 0);
    return out;
}

#define FIRST(d) ((d).fits[0].fault->names[0])

START_TEST(the_fault_that_fails_the_same_cases_is_first)
{
    struct tl_diagnosis d = scored("ABCdefgh", 0);

    ck_assert_str_eq(FIRST(d), "acks");
    ck_assert_uint_eq(d.fits[0].fault->num_names, 2);
    ck_assert_uint_eq(d.fits[0].explained, 3);
    ck_assert_uint_eq(d.fits[0].due, 3);
    ck_assert(tl_diagnosis_fits(&d));
    ck_assert(!tl_fit_good(&d.fits[1]));
    d = scored("ABCDEfgh", 0);
    ck_assert_str_eq(FIRST(d), "wide");
}
END_TEST

START_TEST(what_was_not_played_does_not_count)
{
    struct tl_diagnosis d = scored("ABCfgh", 0); /* not d, not e: both fit as well */

    ck_assert_uint_eq(d.count, 2);
    ck_assert_uint_eq(d.equal, 2);
    ck_assert_uint_eq(d.fits[1].due, 3);
}
END_TEST

START_TEST(signs_decide_between_faults_of_the_same_cases)
{
    struct tl_diagnosis d = scored("abcdEfgh", 0);

    ck_assert_str_eq(FIRST(d), "timer");
    ck_assert_uint_eq(d.equal, 1);
    d = scored("abcdEfgh", 1);
    ck_assert_str_eq(FIRST(d), "window");
    ck_assert(tl_diagnosis_fits(&d));
}
END_TEST

START_TEST(other_signs_do_not_fit)
{
    struct tl_diagnosis d = scored("ABCdefgh", 1);

    ck_assert_str_eq(FIRST(d), "acks");
    ck_assert(!tl_diagnosis_fits(&d));
    d = scored("ABCdefgh", -1); /* a sign that no fault has */
    ck_assert(!tl_diagnosis_fits(&d));
}
END_TEST

START_TEST(a_fault_that_acts_sometimes_fits)
{
    struct tl_diagnosis d = scored("ABCdefgh", 0);

    ck_assert(!d.fits[0].seldom);
    d = scored("aBcdeFGh", 1); /* two of three of `late`, and another one */
    ck_assert_str_eq(FIRST(d), "late");
    ck_assert(!tl_fit_good(&d.fits[0]));
}
END_TEST

START_TEST(a_second_fault_explains_the_rest)
{
    struct tl_diagnosis d = scored("ABCdeFGH", 0);
    bool acks = false, late = false;

    for (size_t i = 0; i < d.count; i++) {
        acks |= strcmp(d.fits[i].fault->names[0], "acks") == 0;
        late |= strcmp(d.fits[i].fault->names[0], "late") == 0;
    }
    ck_assert(acks && late);
    ck_assert(d.fits[1].rest);
    ck_assert_uint_eq(d.fits[1].failed, 3);
}
END_TEST

START_TEST(nothing_fits_where_nothing_failed)
{
    struct tl_diagnosis d = scored("abcdefgh", 0);

    ck_assert_uint_eq(d.count, 0);
    ck_assert(!tl_diagnosis_fits(&d));
    d = scored("", 0);
    ck_assert_uint_eq(d.count, 0);
}
END_TEST

START_TEST(problems_of_the_tester_are_no_failures)
{
    struct tl_case cases[] = {
        a_case("a", FAL_VERDICT_PASS),
        a_case("b", FAL_VERDICT_FAIL),
        a_case("c", FAL_VERDICT_INCONC),
        a_case("elsewhere", FAL_VERDICT_FAIL),
    };
    struct tl_problem mine = {.subject = FAL_SUBJECT_SUT, .field = "psn"};
    struct tl_problem testers = {.subject = FAL_SUBJECT_TESTER};
    struct tl_results results = {.cases = cases, .num_cases = 4};
    struct tl_signatures signatures;
    struct tl_seen seen;

    mine.requirement = fal_requirement_find("FTP-9.1.2-01");
    for (unsigned i = 1; i < 4; i += 2) { /* what a_case gave them */
        tl_case_clear(&cases[i]);
        cases[i].id = i == 1 ? "b" : "elsewhere";
        cases[i].verdict = FAL_VERDICT_FAIL;
    }
    cases[1].problems = &mine;
    cases[3].problems = &testers;
    cases[1].num_problems = cases[3].num_problems = 1;
    ck_assert_int_eq(tl_signatures_read(text, &signatures, NULL), 0);
    ck_assert_int_eq(tl_seen_gather(&results, &signatures, &seen, NULL), 0);
    ck_assert_uint_eq(seen.played, 2);
    ck_assert_uint_eq(seen.failed, 1);
    ck_assert_uint_eq(seen.foreign, 0);
    ck_assert_int_eq(seen.cases[0].seen, TL_CASE_PASSED);
    ck_assert_int_eq(seen.cases[1].seen, TL_CASE_FAILED);
    ck_assert_int_eq(seen.cases[2].seen, TL_CASE_NOT_PLAYED);
    ck_assert_int_eq(seen.signs[seen.cases[1].first], 1);
    tl_seen_free(&seen);
    tl_signatures_free(&signatures);
    cases[1].problems = cases[3].problems = NULL;
    cases[1].num_problems = cases[3].num_problems = 0;
    for (size_t i = 0; i < 4; i++)
        tl_case_clear(&cases[i]);
}
END_TEST

START_TEST(sections_have_subjects)
{
    ck_assert_str_eq(tl_subject_of("9.2.2.4"), "window");
    ck_assert_str_eq(tl_subject_of("9.2.2.2"), "security");
    ck_assert_str_eq(tl_subject_of("9.2.20"), "window"); /* 9, not 9.2.2 */
    ck_assert_str_eq(tl_subject_of("10.6.2.1"), "congestion control");
    ck_assert_str_eq(tl_subject_of("8.5.3.4"), "NACK");
}
END_TEST

START_TEST(malformed_signatures_are_refused)
{
    static const char *const wrong[] = {
        "c b\nc a\n",
        "t A2 FTP-1 -\n",
        "s 0\n",
        "f\n",
        "0 0\n",
        "c a\nt A B C D\ns 0\nf x\n0 1\n",
        "c a\nt A B C D\ns 0\nf x\n0 0x\n",
        "c a\nt A B C D\ns 0\nf x\n0 0-7\n",
    };
    struct tl_signatures signatures;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(tl_signatures_read(wrong[i], &signatures, NULL), FAL_ERR_FORM);
        tl_signatures_free(&signatures);
    }
}
END_TEST

START_TEST(the_signatures_of_this_version_can_be_read)
{
    struct tl_signatures s;

    ck_assert_int_eq(tl_signatures_read(tl_diagnosis_signatures, &s, NULL), 0);
    ck_assert_uint_gt(s.num_faults, 300);
    for (size_t i = 0; i < s.num_faults; i++)
        ck_assert_uint_gt(s.faults[i].count, 0);
    ck_assert_int_eq(tl_signatures_case(&s, s.cases[s.num_cases - 1]), (int)s.num_cases - 1);
    ck_assert_int_eq(tl_signatures_case(&s, "no-such-case"), -1);
    tl_signatures_free(&s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("score");
    TCase *tc = tcase_create("score");

    tcase_add_test(tc, the_fault_that_fails_the_same_cases_is_first);
    tcase_add_test(tc, what_was_not_played_does_not_count);
    tcase_add_test(tc, signs_decide_between_faults_of_the_same_cases);
    tcase_add_test(tc, other_signs_do_not_fit);
    tcase_add_test(tc, a_fault_that_acts_sometimes_fits);
    tcase_add_test(tc, a_second_fault_explains_the_rest);
    tcase_add_test(tc, nothing_fits_where_nothing_failed);
    tcase_add_test(tc, problems_of_the_tester_are_no_failures);
    tcase_add_test(tc, sections_have_subjects);
    tcase_add_test(tc, malformed_signatures_are_refused);
    tcase_add_test(tc, the_signatures_of_this_version_can_be_read);
    suite_add_tcase(s, tc);
    return s;
}
