/* SPDX-License-Identifier: Apache-2.0
 * simnet_rules_test.c - scripted faults of single frames. */
#include "oracles/simnet.h"
#include "tests/testing.h"

#include <string.h>

enum { SENT = 8 };

/* What each test sends, in this order, a microsecond apart; frame i is i + 1 bytes long. */
static const struct {
    enum fal_dir dir;
    uint8_t type, resync_of;
    uint32_t psn, rsn;
} sent[SENT] = {
    {FAL_TO_SUT, FAL_PUSH_DATA, 0, 10, 1},
    {FAL_TO_SUT, FAL_PULL_REQUEST, 0, 10, 2},
    {FAL_FROM_SUT, FAL_PUSH_DATA, 0, 11, 3},
    {FAL_TO_SUT, FAL_PUSH_DATA, 0, 11, 4},
    {FAL_FROM_SUT, FAL_BACK, 0, 0, 0},
    {FAL_TO_SUT, FAL_PUSH_DATA, 0, 12, 5},
    {FAL_TO_SUT, FAL_RESYNC, FAL_PULL_REQUEST, 10, 2},
    {FAL_FROM_SUT, FAL_PULL_DATA, 0, 10, 2},
};

/* Sends all of them under the rule; fills in the result of each: copies and the last arrival.
 */
static struct fal_simnet *send_all(const struct fal_simnet_rule *rule, unsigned copies[SENT],
                                   struct fal_simnet_frame got[SENT])
{
    const struct fal_impairment wire[2] = {0};
    static const uint8_t zero[SENT];
    struct fal_simnet *net = fal_simnet_new(wire, 1);
    struct fal_simnet_frame f;

    ck_assert_ptr_nonnull(net);
    memset(copies, 0, SENT * sizeof *copies);
    ck_assert_int_eq(fal_simnet_add_rule(net, rule), 0);
    for (unsigned i = 0; i < SENT; i++) {
        struct fal_falcon packet;

        fal_falcon_init(&packet, sent[i].type);
        packet.resync_packet_type = sent[i].resync_of;
        packet.psn = sent[i].psn;
        packet.rsn = sent[i].rsn;
        f = (struct fal_simnet_frame){.dir = sent[i].dir,
                                      .at_ns = i * FAL_US,
                                      .bytes = zero,
                                      .len = i + 1,
                                      .packet = &packet};
        ck_assert_int_eq(fal_simnet_put(net, &f), 0);
    }
    while (fal_simnet_take(net, FAL_NEVER, &f)) {
        copies[f.len - 1]++;
        got[f.len - 1] = f;
        if (rule->action == FAL_SIMNET_CORRUPT) {
            unsigned bits = 0;

            for (size_t i = 0; i < f.len; i++)
                bits += (unsigned)__builtin_popcount(f.bytes[i]);
            copies[f.len - 1] += 10 * bits;
        }
    }
    return net;
}

#define ANY FAL_SIMNET_ANY

/* Which frames a rule hits: a 1 for each. */
static const struct {
    struct fal_simnet_rule rule;
    const char *hit;
} conditions[] = {
    {{ANY, ANY, ANY, ANY, ANY, 0, 0, FAL_SIMNET_DROP, 0}, "11111111"},
    {{ANY, ANY, ANY, ANY, ANY, 3, 0, FAL_SIMNET_DROP, 0}, "00111111"},
    {{ANY, ANY, ANY, ANY, ANY, 3, 2, FAL_SIMNET_DROP, 0}, "00110000"},
    {{ANY, ANY, ANY, ANY, ANY, 0, 1, FAL_SIMNET_DROP, 0}, "10000000"},
    {{FAL_FROM_SUT, ANY, ANY, ANY, ANY, 0, 0, FAL_SIMNET_DROP, 0}, "00101001"},
    {{ANY, FAL_PUSH_DATA, ANY, ANY, ANY, 3, 1, FAL_SIMNET_DROP, 0}, "00010000"},
    {{FAL_TO_SUT, FAL_PUSH_DATA, ANY, ANY, ANY, 3, 1, FAL_SIMNET_DROP, 0}, "00000100"},
    {{ANY, FAL_BACK, ANY, ANY, ANY, 0, 0, FAL_SIMNET_DROP, 0}, "00001000"},
    {{ANY, ANY, FAL_WINDOW_REQ, ANY, ANY, 0, 0, FAL_SIMNET_DROP, 0}, "01000010"},
    {{ANY, ANY, FAL_WINDOW_DATA, ANY, ANY, 0, 0, FAL_SIMNET_DROP, 0}, "10110101"},
    {{ANY, ANY, ANY, 10, ANY, 0, 0, FAL_SIMNET_DROP, 0}, "11000011"},
    {{ANY, ANY, ANY, 0, ANY, 0, 0, FAL_SIMNET_DROP, 0}, "00000000"}, /* a BACK has no PSN */
    {{ANY, ANY, FAL_WINDOW_DATA, 10, ANY, 0, 0, FAL_SIMNET_DROP, 0}, "10000001"},
    {{ANY, ANY, ANY, ANY, 2, 0, 0, FAL_SIMNET_DROP, 0}, "01000011"},
    {{ANY, ANY, ANY, ANY, 2, 2, 1, FAL_SIMNET_DROP, 0}, "00000010"},
};

START_TEST(a_rule_hits_the_frames_that_it_means)
{
    const struct fal_simnet_rule *rule = &conditions[_i].rule;
    struct fal_simnet_frame got[SENT];
    unsigned copies[SENT], hits = 0;
    struct fal_simnet *net = send_all(rule, copies, got);

    for (unsigned i = 0; i < SENT; i++) {
        ck_assert_msg(copies[i] == (conditions[_i].hit[i] == '0'), "row %d: frame %u", _i, i);
        hits += conditions[_i].hit[i] == '1';
    }
    ck_assert_uint_eq(fal_simnet_rule_acts(net, 0), hits);
    ck_assert_uint_eq(fal_simnet_rule_acts(net, 1), 0);
    ck_assert_uint_eq(fal_simnet_counts(net).lost[0] + fal_simnet_counts(net).lost[1], hits);
    fal_simnet_free(net);
}
END_TEST

static struct fal_simnet_rule second_push(enum fal_simnet_action action)
{
    struct fal_simnet_rule rule = FAL_SIMNET_RULE;

    rule.type = FAL_PUSH_DATA;
    rule.nth = 2;
    rule.times = 1;
    rule.action = action;
    rule.delay_ns = 70 * FAL_US;
    return rule;
}

START_TEST(each_action_does_what_it_says_to_its_frame_alone)
{
    static const struct {
        enum fal_simnet_action action;
        unsigned copies;
        uint64_t at_ns;
        uint8_t ecn;
    } rows[] = {
        {FAL_SIMNET_DROP, 0, 0, 0},
        {FAL_SIMNET_DUPLICATE, 2, 2 * FAL_US, 0},
        {FAL_SIMNET_DELAY, 1, 72 * FAL_US, 0},
        {FAL_SIMNET_CORRUPT, 11, 2 * FAL_US, 0},
        {FAL_SIMNET_MARK_CE, 1, 2 * FAL_US, FAL_ECN_CE},
    };
    struct fal_simnet_rule rule = second_push(rows[_i].action);
    struct fal_simnet_frame got[SENT] = {0};
    unsigned copies[SENT];
    struct fal_simnet *net = send_all(&rule, copies, got);

    for (unsigned i = 0; i < SENT; i++) {
        ck_assert_uint_eq(copies[i], i == 2 ? rows[_i].copies : 1);
        ck_assert_uint_eq(got[i].at_ns, i == 2 ? rows[_i].at_ns : i * FAL_US);
        ck_assert_uint_eq(got[i].ecn, i == 2 ? rows[_i].ecn : 0);
    }
    fal_simnet_free(net);
}
END_TEST

START_TEST(conditions_on_a_packet_do_not_hold_for_a_frame_without_one)
{
    const struct fal_impairment wire[2] = {0};
    struct fal_simnet *net = fal_simnet_new(wire, 1);
    struct fal_simnet_rule rule = FAL_SIMNET_RULE;

    rule.type = FAL_PUSH_DATA;
    ck_assert_int_eq(fal_simnet_add_rule(net, &rule), 0);
    rule = (struct fal_simnet_rule)FAL_SIMNET_RULE;
    rule.psn = 0;
    ck_assert_int_eq(fal_simnet_add_rule(net, &rule), 0);
    ck_assert_int_eq(fal_simnet_send(net, FAL_TO_SUT, (const uint8_t *)"x", 1, 0), 0);
    ck_assert_uint_eq(fal_simnet_deadline(net), 0);
    fal_simnet_free(net);
}
END_TEST

START_TEST(rules_act_together_and_are_not_without_number)
{
    struct fal_simnet_rule rule = second_push(FAL_SIMNET_DELAY);
    const struct fal_impairment wire[2] = {0};
    struct fal_simnet *net = fal_simnet_new(wire, 1);
    struct fal_falcon packet;
    struct fal_simnet_frame f = {.bytes = (const uint8_t *)"x", .len = 1, .packet = &packet};

    fal_falcon_init(&packet, FAL_PUSH_DATA);
    for (unsigned i = 0; i < FAL_SIMNET_RULES_MAX; i++) {
        rule.action = i % 2 == 0 ? FAL_SIMNET_DELAY : FAL_SIMNET_DUPLICATE;
        ck_assert_int_eq(fal_simnet_add_rule(net, &rule), 0);
    }
    ck_assert_int_eq(fal_simnet_add_rule(net, &rule), FAL_ERR_RANGE);
    ck_assert_int_eq(fal_simnet_put(net, &f), 0);
    ck_assert_int_eq(fal_simnet_put(net, &f), 0);
    ck_assert(fal_simnet_take(net, 0, &f));
    ck_assert_uint_eq(fal_simnet_deadline(net), 32 * 70 * FAL_US);
    for (unsigned i = 0; i < 33; i++)
        ck_assert(fal_simnet_take(net, 32 * 70 * FAL_US, &f));
    ck_assert(!fal_simnet_take(net, FAL_NEVER, &f));
    fal_simnet_free(net);
}
END_TEST

START_TEST(what_is_dropped_is_dropped_with_its_copies)
{
    struct fal_simnet_rule rule = FAL_SIMNET_RULE;
    const struct fal_impairment wire[2] = {{.duplicate_ppm = 1000000}, {0}};
    struct fal_simnet *net = fal_simnet_new(wire, 1);

    rule.action = FAL_SIMNET_DUPLICATE;
    ck_assert_int_eq(fal_simnet_add_rule(net, &rule), 0);
    rule.action = FAL_SIMNET_DROP;
    ck_assert_int_eq(fal_simnet_add_rule(net, &rule), 0);
    ck_assert_int_eq(fal_simnet_send(net, FAL_TO_SUT, (const uint8_t *)"x", 1, 0), 0);
    ck_assert_uint_eq(fal_simnet_deadline(net), FAL_NEVER);
    ck_assert_uint_eq(fal_simnet_rule_acts(net, 0), 1);
    fal_simnet_free(net);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("simnet: rules");
    TCase *tc = tcase_create("rules");

    tcase_add_loop_test(tc, a_rule_hits_the_frames_that_it_means, 0,
                        (int)(sizeof conditions / sizeof *conditions));
    tcase_add_loop_test(tc, each_action_does_what_it_says_to_its_frame_alone, 0, 5);
    tcase_add_test(tc, conditions_on_a_packet_do_not_hold_for_a_frame_without_one);
    tcase_add_test(tc, what_is_dropped_is_dropped_with_its_copies);
    tcase_add_test(tc, rules_act_together_and_are_not_without_number);
    suite_add_tcase(suite, tc);
    return suite;
}
