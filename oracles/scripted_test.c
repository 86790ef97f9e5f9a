/* SPDX-License-Identifier: Apache-2.0
 * scripted_test.c - which rule answers which request. harness/wire/ulp_test.c holds the table
 * of open requests. */
#include "oracles/scripted.h"
#include "tests/testing.h"

/* The answer to a delivered request. */
static struct fal_scripted_answer deliver(struct fal_scripted *ulp, uint32_t rsn,
                                          enum fal_ulp_op op)
{
    struct fal_scripted_request *request = NULL;

    ck_assert_int_ne(fal_scripted_deliver(ulp, rsn, op, 100, &request), FAL_SCRIPTED_FULL);
    return request->plan;
}

/* Delivers, answers as planned, and says what the answer was. */
static enum fal_answer play(struct fal_scripted *ulp, uint32_t rsn, enum fal_ulp_op op)
{
    struct fal_scripted_answer plan = deliver(ulp, rsn, op);

    fal_scripted_answered(fal_scripted_find(ulp, rsn), plan.answer);
    return plan.answer;
}

START_TEST(without_rules_all_is_accepted)
{
    struct fal_scripted ulp = {0};
    struct fal_scripted_answer plan = deliver(&ulp, 7, FAL_OP_PULL);

    ck_assert_int_eq(plan.answer, FAL_ANSWER_DATA);
    ck_assert_uint_eq(plan.length, 100);
    ck_assert_uint_eq(plan.tag, 7);
    ck_assert_int_eq(deliver(&ulp, 8, FAL_OP_PUSH).answer, FAL_ANSWER_ACK);
    fal_scripted_free(&ulp);
}
END_TEST

START_TEST(a_rule_may_name_a_request_by_its_rsn)
{
    struct fal_scripted_rule rules[] = {
        {.answer = FAL_ANSWER_NRE},
        {.has_rsn = true, .rsn = 0, .answer = FAL_ANSWER_CIE, .code = 9, .after_ns = 5},
        {.has_rsn = true, .rsn = UINT32_MAX, .answer = FAL_ANSWER_CID},
    };
    struct fal_scripted ulp = {.rules = rules, .num_rules = 3};
    struct fal_scripted_answer plan;

    ck_assert_int_eq(deliver(&ulp, UINT32_MAX, FAL_OP_PUSH).answer, FAL_ANSWER_CID);
    plan = deliver(&ulp, 0, FAL_OP_PUSH);
    ck_assert_int_eq(plan.answer, FAL_ANSWER_CIE);
    ck_assert_uint_eq(plan.code, 9);
    ck_assert_uint_eq(plan.after_ns, 5);
    ck_assert_int_eq(deliver(&ulp, 1, FAL_OP_PUSH).answer, FAL_ANSWER_NRE);
    ulp.rules = NULL;
    fal_scripted_free(&ulp);
}
END_TEST

START_TEST(what_would_get_an_rnr_is_known_before)
{
    struct fal_scripted_rule rules[] = {
        {.request = 2, .answer = FAL_ANSWER_RNR, .times = 1},
        {.request = 3, .has_op = true, .op = FAL_OP_PULL, .answer = FAL_ANSWER_RNR},
    };
    struct fal_scripted ulp = {.rules = rules, .num_rules = 2};

    ck_assert(!fal_scripted_not_ready(&ulp, 0, FAL_OP_PUSH));
    (void)play(&ulp, 0, FAL_OP_PUSH);
    ck_assert(fal_scripted_not_ready(&ulp, 1, FAL_OP_PUSH));
    ck_assert(fal_scripted_not_ready(&ulp, 1, FAL_OP_PUSH)); /* it counts nothing */
    (void)deliver(&ulp, 1, FAL_OP_PUSH);
    ck_assert(!fal_scripted_not_ready(&ulp, 1, FAL_OP_PUSH)); /* its answer is under way */
    fal_scripted_answered(fal_scripted_find(&ulp, 1), FAL_ANSWER_RNR);
    ck_assert(!fal_scripted_not_ready(&ulp, 1, FAL_OP_PUSH)); /* once only */
    ck_assert(!fal_scripted_not_ready(&ulp, 2, FAL_OP_PUSH));
    ck_assert(fal_scripted_not_ready(&ulp, 2, FAL_OP_PULL));
    ulp.rules = NULL;
    fal_scripted_free(&ulp);
}
END_TEST

START_TEST(rnr_so_often_and_then_something_else)
{
    struct fal_scripted_rule rules[] = {
        {.has_rsn = true,
         .rsn = 1,
         .answer = FAL_ANSWER_RNR,
         .times = 2,
         .has_then = true,
         .then = {.answer = FAL_ANSWER_CIE, .code = 3}},
        {.has_rsn = true, .rsn = 2, .answer = FAL_ANSWER_RNR, .times = 1},
        {.has_rsn = true,
         .rsn = 3,
         .answer = FAL_ANSWER_RNR,
         .times = 1,
         .has_then = true,
         .then = {.answer = FAL_ANSWER_DATA, .length = 11, .tag = 12}},
    };
    struct fal_scripted ulp = {.rules = rules, .num_rules = 3};
    struct fal_scripted_answer plan;

    ck_assert_int_eq(play(&ulp, 1, FAL_OP_PUSH), FAL_ANSWER_RNR);
    ck_assert_int_eq(play(&ulp, 1, FAL_OP_PUSH), FAL_ANSWER_RNR);
    ck_assert_int_eq(play(&ulp, 2, FAL_OP_PUSH), FAL_ANSWER_RNR);
    ck_assert_int_eq(play(&ulp, 1, FAL_OP_PUSH), FAL_ANSWER_CIE);
    ck_assert_int_eq(play(&ulp, 2, FAL_OP_PUSH), FAL_ANSWER_ACK);
    ck_assert_int_eq(play(&ulp, 3, FAL_OP_PULL), FAL_ANSWER_RNR);
    plan = deliver(&ulp, 3, FAL_OP_PULL);
    ck_assert_int_eq(plan.answer, FAL_ANSWER_DATA);
    ck_assert_uint_eq(plan.length, 11);
    ck_assert_uint_eq(plan.tag, 12);
    ulp.rules = NULL;
    fal_scripted_free(&ulp);
}
END_TEST

START_TEST(counting_rules_go_by_the_order_of_delivery)
{
    struct fal_scripted_rule rules[] = {
        {.every = 3, .answer = FAL_ANSWER_WITHHOLD},
        {.request = 2, .has_op = true, .op = FAL_OP_PULL, .answer = FAL_ANSWER_CIE},
        {.request = 4, .answer = FAL_ANSWER_DATA, .has_length = true, .length = 7},
    };
    struct fal_scripted ulp = {.rules = rules, .num_rules = 3};

    ck_assert_int_eq(deliver(&ulp, 50, FAL_OP_PUSH).answer, FAL_ANSWER_ACK);
    ck_assert_int_eq(deliver(&ulp, 40, FAL_OP_PUSH).answer, FAL_ANSWER_ACK);
    ck_assert_int_eq(deliver(&ulp, 30, FAL_OP_PUSH).answer, FAL_ANSWER_WITHHOLD);
    ck_assert_uint_eq(deliver(&ulp, 20, FAL_OP_PULL).length, 7);
    ck_assert_int_eq(deliver(&ulp, 10, FAL_OP_PUSH).answer, FAL_ANSWER_ACK);
    ck_assert_int_eq(deliver(&ulp, 0, FAL_OP_PULL).answer, FAL_ANSWER_WITHHOLD);
    ulp.rules = NULL;
    fal_scripted_free(&ulp);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scripted");
    TCase *tc = tcase_create("scripted");

    tcase_add_test(tc, without_rules_all_is_accepted);
    tcase_add_test(tc, a_rule_may_name_a_request_by_its_rsn);
    tcase_add_test(tc, what_would_get_an_rnr_is_known_before);
    tcase_add_test(tc, rnr_so_often_and_then_something_else);
    tcase_add_test(tc, counting_rules_go_by_the_order_of_delivery);
    suite_add_tcase(suite, tc);
    return suite;
}
