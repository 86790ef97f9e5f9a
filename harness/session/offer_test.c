/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/offer.h"

#include "harness/scenario/scenario_testing.h"
#include "harness/session/bench_sut.h"
#include "tests/testing.h"

#include <stdlib.h>

static struct tl_refusals refusals;
static char text[TL_LACK_MAX];

static struct tl_bench bench_of(unsigned level)
{
    return (struct tl_bench){.level = level, .refusals = &refusals};
}

static void set_up(void)
{
    refusals = (struct tl_refusals){.count = 0};
    text[0] = 0;
}

#define POST    "{'ulp': {'do': 'post', 'op': 'push', 'length': 8}}"
#define REQUEST "{'expect_ulp': {'event': 'request', 'rsn': '0r'}}"
#define PUSH    "'> push_data psn=0r rsn=0r len=8'"

static const struct row {
    const char *members;
    const char *lacks[TL_LEVEL_MAX + 1]; /* by the level that is offered; NULL: it plays */
} rows[] = {
    {"'steps': [" PUSH "]",
     {"needs `reset` (level L1); the adapter offers L0", NULL, NULL, NULL}},
    {"'steps': [" PUSH ", " POST "]",
     {"needs `reset` (level L1); the adapter offers L0",
      "needs `post` (level L2); the adapter offers L1", NULL, NULL}},
    {"'policy': [{'answer': 'withhold'}], 'steps': [" PUSH "]",
     {"needs `reset` (level L1); the adapter offers L0",
      "needs `policy` (level L3); the adapter offers L1",
      "needs `policy` (level L3); the adapter offers L2", NULL}},
    /* What the SUT does anyway need not be told. */
    {"'policy': [{'op': 'push', 'answer': 'ack'}], 'steps': [" PUSH "]",
     {"needs `reset` (level L1); the adapter offers L0", NULL, NULL, NULL}},
    {"'steps': [" PUSH ", {'ulp': {'do': 'set', 'params': {'fcwnd': 2}}}]",
     {"needs `reset` (level L1); the adapter offers L0",
      "needs `set` (level L3); the adapter offers L1",
      "needs `set` (level L3); the adapter offers L2", NULL}},
    /* An event that is only checked is left out; one that is waited for is needed. */
    {"'steps': [" PUSH ", " REQUEST "]",
     {"needs `reset` (level L1); the adapter offers L0", NULL, NULL, NULL}},
    {"'steps': [" PUSH
     ", {'await': {'events': {'event': 'request'}, 'is': 1}, 'within': '1ms'}]",
     {"needs `reset` (level L1); the adapter offers L0",
      "needs the event `request` (level L3); the adapter offers L1",
      "needs the event `request` (level L3); the adapter offers L2", NULL}},
    /* What is played on a condition is decided when it is played. */
    {"'steps': [{'if': 'rack-tlp', 'then': [" POST "], 'else': [" POST "]}, " PUSH "]",
     {"needs `reset` (level L1); the adapter offers L0", NULL, NULL, NULL}},
    {"'steps': [{'if': 'rack-tlp', 'then': [" POST "]}, " PUSH ", " POST "]",
     {"needs `reset` (level L1); the adapter offers L0",
      "needs `post` (level L2); the adapter offers L1", NULL, NULL}},
};

START_TEST(what_a_case_needs_follows_from_its_steps)
{
    struct tl_scenario *s = scenario_of(rows[_i].members);

    for (unsigned level = 0; level <= TL_LEVEL_MAX; level++) {
        const struct tl_bench bench = bench_of(level);
        const char *lack = rows[_i].lacks[level];

        text[0] = 0;
        ck_assert_int_eq(tl_offer_unplayable(&bench, s, text, sizeof text), lack != NULL);
        ck_assert_str_eq(text, lack != NULL ? lack : "");
    }
    tl_scenario_free(s);
}
END_TEST

/* An adapter may support an answer and not another one. */
START_TEST(a_refusal_is_remembered_with_its_members)
{
    struct tl_scenario *rnr = scenario_of("'policy': [{'answer': 'rnr', 'rnr': '1ms'}], "
                                          "'steps': [" PUSH "]");
    struct tl_scenario *held = scenario_of("'policy': [{'answer': 'withhold'}], "
                                           "'steps': [" PUSH "]");
    const struct tl_act act = {.verb = TL_ACT_POLICY, .policy = rnr->policy};
    const struct tl_need need = tl_need_of(&act);
    struct tl_bench bench = bench_of(3);

    ck_assert(!tl_offer_unplayable(&bench, rnr, text, sizeof text));
    tl_offer_refused(&bench, &need, "not that answer");
    tl_offer_refused(&bench, &need, "not that answer");
    ck_assert_uint_eq(refusals.count, 1);
    ck_assert(tl_offer_unplayable(&bench, rnr, text, sizeof text));
    ck_assert_str_eq(text, "needs `policy` (rnr), which the adapter answered with "
                           "\"unsupported: not that answer\"");
    ck_assert(!tl_offer_unplayable(&bench, held, text, sizeof text));
    bench.refusals = NULL; /* in virtual time each case asks for itself */
    ck_assert(!tl_offer_unplayable(&bench, rnr, text, sizeof text));
    tl_offer_refused(&bench, &need, "not that answer");
    tl_scenario_free(rnr);
    tl_scenario_free(held);
}
END_TEST

START_TEST(levels_are_read)
{
    json_t *list = json_pack("[s, s, s, i]", "L0", "L2", "L9", 3);
    unsigned level;

    ck_assert_uint_eq(tl_protocol_levels(list), 2);
    ck_assert_uint_eq(tl_protocol_levels(NULL), TL_LEVEL_MAX);
    ck_assert(tl_protocol_level_read("L3", &level));
    ck_assert_uint_eq(level, 3);
    ck_assert(!tl_protocol_level_read("L4", &level));
    ck_assert(!tl_protocol_level_read("3", &level));
    ck_assert(!tl_protocol_level_read(NULL, &level));
    json_decref(list);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("offer");
    TCase *tc = tcase_create("offer");

    tcase_add_checked_fixture(tc, set_up, NULL);
    tcase_add_loop_test(tc, what_a_case_needs_follows_from_its_steps, 0,
                        sizeof rows / sizeof *rows);
    tcase_add_test(tc, a_refusal_is_remembered_with_its_members);
    tcase_add_test(tc, levels_are_read);
    suite_add_tcase(suite, tc);
    return suite;
}
