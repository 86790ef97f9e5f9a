/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/reason.h"

#include "tests/testing.h"

#include <string.h>

START_TEST(each_reason_has_a_word_of_its_own)
{
    for (int i = TL_REASON_OTHER + 1; i < TL_REASON_COUNT; i++) {
        const char *word = tl_reason_word((enum tl_reason)i);

        ck_assert_msg(word != NULL, "reason %d has no word", i);
        if (i == TL_REASON_UNOFFERED)
            continue; /* files do not distinguish it from UNSUPPORTED */
        ck_assert_int_eq(tl_reason_from(word).id, i);
    }
}
END_TEST

/* Failures of rules name a requirement; those that were recorded say so themselves. */
START_TEST(each_other_reason_has_a_sentence)
{
    for (int i = TL_REASON_OTHER + 1; i < TL_REASON_COUNT; i++) {
        const char *sentence = tl_reason_sentence((enum tl_reason)i);

        if (i == TL_REASON_RULE || i == TL_REASON_RECORDED)
            continue;
        ck_assert_msg(sentence != NULL, "reason %d has no sentence", i);
        ck_assert_msg(strchr(".?", sentence[strlen(sentence) - 1]) != NULL, "%s", sentence);
    }
    ck_assert_ptr_null(tl_reason_sentence(TL_REASON_NONE));
}
END_TEST

/* Results, waivers (by fingerprints) and users' scripts hold these words. */
START_TEST(the_words_are_those_of_e30394d)
{
    static const char *const words[] = {"unmet",
                                        "late",
                                        "too-early",
                                        "unexpected",
                                        "unsupported",
                                        "refused",
                                        "setup",
                                        "preamble",
                                        "postamble",
                                        "resources",
                                        "in-loss",
                                        "out-loss",
                                        "in-dup",
                                        "out-dup",
                                        "out-reorder",
                                        "path-delay",
                                        "tester-late",
                                        "sut-late",
                                        "rule",
                                        "tester-broke-rule",
                                        "not-exercised",
                                        "silent",
                                        "claim",
                                        "undecided",
                                        "file",
                                        "control",
                                        "control-closed",
                                        "control-flood",
                                        "control-garbage",
                                        "control-silent",
                                        "events-lost",
                                        "no-progress",
                                        "timeout",
                                        "link",
                                        "open",
                                        "rotate",
                                        "seal",
                                        "send",
                                        "mtu",
                                        "endpoint",
                                        "scenario",
                                        "capture",
                                        "connection",
                                        "bridge",
                                        "evidence",
                                        "memory",
                                        "recorded",
                                        "not-repeatable",
                                        "endless"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct tl_reason_code code = tl_reason_from(words[i]);

        ck_assert_msg(code.id > TL_REASON_OTHER, "%s is gone", words[i]);
        ck_assert_str_eq(code.word, words[i]);
        ck_assert_str_eq(tl_reason_word(code.id), words[i]);
    }
    ck_assert_str_eq(tl_reason_word(TL_REASON_UNOFFERED), "unsupported");
}
END_TEST

START_TEST(a_word_of_another_version_is_kept)
{
    static const char word[] = "of-a-later-version";

    ck_assert_int_eq(tl_reason_from(word).id, TL_REASON_OTHER);
    ck_assert_ptr_eq(tl_reason_from(word).word, word);
    ck_assert_int_eq(tl_reason_from("").id, TL_REASON_OTHER);
    ck_assert_int_eq(tl_reason_from(NULL).id, TL_REASON_NONE);
    ck_assert_ptr_null(tl_reason_from(NULL).word);
    ck_assert_ptr_null(tl_reason(TL_REASON_NONE).word);
}
END_TEST

START_TEST(only_what_may_end_otherwise_is_worth_another_attempt)
{
    static const enum tl_reason chance[] = {
        TL_REASON_LATE,       TL_REASON_IN_LOSS,      TL_REASON_OUT_LOSS,
        TL_REASON_OUT_DUP,    TL_REASON_OUT_REORDER,  TL_REASON_TESTER_LATE,
        TL_REASON_SUT_LATE,   TL_REASON_RESOURCES,    TL_REASON_PREAMBLE,
        TL_REASON_PATH_DELAY, TL_REASON_NOT_EXERCISED};

    for (size_t i = 0; i < sizeof chance / sizeof *chance; i++)
        ck_assert(!tl_reason_recurs(chance[i]));
    ck_assert(tl_reason_recurs(TL_REASON_MTU));
    ck_assert(tl_reason_recurs(TL_REASON_UNSUPPORTED));
    ck_assert(tl_reason_recurs(TL_REASON_UNOFFERED));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("reason");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, each_reason_has_a_word_of_its_own);
    tcase_add_test(tc, each_other_reason_has_a_sentence);
    tcase_add_test(tc, the_words_are_those_of_e30394d);
    tcase_add_test(tc, a_word_of_another_version_is_kept);
    tcase_add_test(tc, only_what_may_end_otherwise_is_worth_another_attempt);
    suite_add_tcase(suite, tc);
    return suite;
}
