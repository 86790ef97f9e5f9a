/* SPDX-License-Identifier: Apache-2.0
 * What the diagrams of the HTML report show: whole labels, folded repetitions, and what
 * differs.
 */
#include "reports/html/html_impl.h"

#include "oracles/rules/judge/judge.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

START_TEST(labels_are_broken_and_not_cut)
{
    static const struct {
        const char *text;
        size_t width;
        const char *lines[4];
    } rows[] = {
        {"", 8, {""}},
        {"one two", 8, {"one two"}},
        {"one two three", 8, {"one two", "three"}},
        {"abc def", 6, {"abc", "def"}},
        {"one  two", 4, {"one", "two"}},
        {"abcdefghijkl", 5, {"abcde", "fghij", "kl"}},
        {"x abcdefghijkl", 5, {"x", "abcde", "fghij", "kl"}},
        {"äöüß äöüß", 4, {"äöüß", "äöüß"}},
    };
    struct tl_html_line lines[TL_HTML_LINES_MAX];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = tl_html_break(rows[i].text, rows[i].width, lines), k = 0;

        for (; k < 4 && rows[i].lines[k] != NULL; k++) {
            ck_assert_uint_lt(k, n);
            ck_assert_uint_eq(lines[k].len, strlen(rows[i].lines[k]));
            ck_assert_mem_eq(lines[k].text, rows[i].lines[k], lines[k].len);
        }
        ck_assert_uint_eq(n, k);
    }
}
END_TEST

static struct tl_flow_item *packet(struct tl_case *c, bool to_sut, const char *text)
{
    struct tl_flow_item *item = tl_case_flow(c);

    ck_assert_ptr_nonnull(item);
    item->kind = TL_FLOW_PACKET;
    item->to_sut = to_sut;
    item->text = strdup(text);
    return item;
}

START_TEST(four_alike_are_folded)
{
    struct tl_case c = {.num_flow = 0};
    size_t period = 0, again = 0;
    char text[40];

    packet(&c, true, "resync");
    for (int i = 0; i < 4; i++) {
        (void)snprintf(text, sizeof text, "push_data psn=%dr", i + 8);
        packet(&c, true, text);
        packet(&c, false, "back dbase=0r");
    }
    packet(&c, false, "back dbase=0b1");
    ck_assert_uint_eq(tl_html_repeats(&c, 1, SIZE_MAX, &period, &again), 0);
    ck_assert_uint_eq(tl_html_repeats(&c, 2, SIZE_MAX, &period, &again), 0);
    ck_assert_uint_eq(tl_html_repeats(&c, 3, SIZE_MAX, &period, &again), 6);
    ck_assert_uint_eq(period, 2);
    ck_assert_uint_eq(again, 3);
    /* What shows the problem stays, and what another direction sends is not the same. */
    ck_assert_uint_eq(tl_html_repeats(&c, 3, 8, &period, &again), 0);
    c.flow[7].marked = true;
    ck_assert_uint_eq(tl_html_repeats(&c, 3, SIZE_MAX, &period, &again), 0);
    c.flow[7].marked = false;
    c.flow[5].to_sut = false;
    ck_assert_uint_eq(tl_html_repeats(&c, 3, SIZE_MAX, &period, &again), 0);
    tl_case_clear(&c);
}
END_TEST

/* The words of the BACK that are stressed, or of an EACK. */
static void stresses(struct tl_problem p, const char *due)
{
    static const char text[] = "back dbase=0r rbase=0r d-own";
    struct tl_flow_item item = {.kind = TL_FLOW_PACKET, .text = (char *)text};
    struct fal_falcon head = {0};
    struct tl_html_stress stress;
    char words[80] = "";
    int n;

    fal_falcon_init(&head, FAL_BACK);
    n = fal_falcon_encode(&head, NULL, 0, item.head, sizeof item.head, NULL);
    ck_assert_int_gt(n, 0);
    item.head_len = (uint8_t)n;
    tl_html_differs(&p, &item, &stress);
    for (size_t i = 0; i < stress.count; i++) {
        const char *word = text + stress.words[i].at;

        (void)snprintf(words + strlen(words), sizeof words - strlen(words), "%s%.*s",
                       i > 0 ? "," : "", (int)strcspn(word, " "), word);
    }
    ck_assert_str_eq(words, due);
}

START_TEST(the_field_that_differs_is_stressed)
{
    const struct fal_rule *rule = fal_rule_find("A2");

    stresses((struct tl_problem){.field = "recv_data_base_psn"}, "dbase=0r");
    stresses((struct tl_problem){.why = (char *)"own: due 1, seen 2"}, "d-own");
    stresses((struct tl_problem){.why = (char *)"it is of another type"}, "back");
    stresses((struct tl_problem){.rule = rule, .expected = (char *)"no OWN of the window"},
             "d-own");
    stresses((struct tl_problem){.rule = rule, .expected = (char *)"data PSN 3r acknowledged"},
             "dbase=0r");
    stresses(
        (struct tl_problem){.rule = rule, .expected = (char *)"request PSN 3r acknowledged"},
        "rbase=0r");
    stresses((struct tl_problem){.rule = rule, .expected = (char *)"an EACK: a hole is there"},
             "back");
    stresses((struct tl_problem){.rule = rule, .expected = (char *)"no Resync of that kind"},
             "");
}
END_TEST

START_TEST(what_was_due_is_a_packet_or_not)
{
    const struct tl_reason_code unmet = tl_reason_from("unmet");
    static const struct {
        const char *rule, *expected;
        bool due;
    } rows[] = {
        {NULL, "<=$coalescing < eack dbase=0r", true},
        {NULL, "none for 20ms", false},
        {NULL, "expect_ulp request op=push", false},
        {"A2", "an ACK for a push that the upper layer accepted, by 5 ms", true},
        {"E4", "another copy of PSN 0r: it was not acknowledged", true},
        {"N1", "no NACK of data PSN 1r", false},
        {"R7", "push PSN 0r not acknowledged before its upper layer answers", false},
        {"E2", "data PSN 1r retransmitted no sooner than 4 s after its last copy", false},
        {"U5", "RSN 2r delivered, as it was acknowledged", false},
        {"C5", "RSN 2r completed, as its acknowledgement arrived", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_problem p = {
            .kind = TL_PROBLEM_STEP, .reason = unmet, .expected = (char *)rows[i].expected};

        if (rows[i].rule != NULL) {
            p.kind = TL_PROBLEM_RULE;
            p.rule = fal_rule_find(rows[i].rule);
            ck_assert_ptr_nonnull(p.rule);
        }
        ck_assert_msg(tl_html_packet_due(&p) == rows[i].due, "%s", rows[i].expected);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("html_ladder");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, labels_are_broken_and_not_cut);
    tcase_add_test(tc, four_alike_are_folded);
    tcase_add_test(tc, the_field_that_differs_is_stressed);
    tcase_add_test(tc, what_was_due_is_a_packet_or_not);
    suite_add_tcase(suite, tc);
    return suite;
}
