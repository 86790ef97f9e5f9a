/* SPDX-License-Identifier: Apache-2.0
 * plb_test.c - PLB: rounds, congested ones in succession, and when it runs (10.4). */
#include "codecs/header/falcon.h"
#include "oracles/cc/feed_test.h"
#include "oracles/cc/plb.h"

enum { ROUNDS = 40 };

/* The first event at which a path is drawn, and how many are; window 4. `delays[i % 2]` is the
 * delay of event i as a multiple of the target. */
static unsigned drawn(unsigned acked, const double delays[2], unsigned *times)
{
    struct fal_swift_params params;
    struct fal_cc_state state = {0};
    unsigned first = 0;

    fal_swift_params_default(&params);
    *times = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct fal_plb_ack ack = {
            .delay = 300 * delays[i % 2], .target = 300, .window = 4, .acked = acked};

        if (!fal_plb_ack(&params, &state, &ack))
            continue;
        if (first == 0)
            first = i + 1;
        (*times)++;
    }
    return first;
}

START_TEST(FTP_10_4_01_to_10_a_path_is_drawn_after_five_congested_rounds)
{
    static const struct {
        unsigned acked;
        double delays[2];
        unsigned first, times;
    } rows[] = {
        {4, {1.02, 1.02}, 5, 8},   {2, {1.02, 1.02}, 10, 4}, {9, {1.02, 1.02}, 5, 8},
        {4, {1.02, 0.5}, 0, 0},    {4, {1.0, 1.0}, 0, 0},    {4, {1.01, 1.01}, 0, 0},
        {4, {1.005, 1.005}, 0, 0}, {2, {1.02, 0.5}, 10, 4},  {1, {1.02, 0.5}, 20, 2},
        {0, {1.02, 1.02}, 0, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned times, first = drawn(rows[i].acked, rows[i].delays, &times);

        ck_assert_msg(first == rows[i].first && times == rows[i].times,
                      "row %zu: first at %u, %u times", i, first, times);
    }
}
END_TEST

/* The window of each event is 4 and its delay 2 % above its target: P1 through the model. */
static unsigned fed(struct fal_swift *swift, uint8_t type, uint16_t fcwnd, uint16_t ncwnd)
{
    struct fal_cc_state state = {0};
    double target = fal_swift_target(swift, 191, fcwnd, 0);
    uint32_t rtt = (uint32_t)(target * 1.02) + 1;

    for (unsigned i = 1; i <= ROUNDS; i++) {
        struct fal_cc_event e = feed_ack(FEED_NOW, rtt, 0);

        e.event_type = type;
        e.nack_code = FAL_NACK_RNR;
        e.num_packets_acked = 4;
        e.fcwnd_integer = fcwnd;
        e.ncwnd = ncwnd;
        if (feed(swift, &state, FEED_NOW, &e).randomize_path)
            return i;
    }
    return 0;
}

START_TEST(FTP_10_4_01_02_11_the_smaller_window_is_a_round_and_only_ACKs_count)
{
    struct fal_swift swift = feed_swift();

    ck_assert_uint_eq(fed(&swift, FAL_CC_ACK, 4, 64), 5);
    ck_assert_uint_eq(fed(&swift, FAL_CC_ACK, 64, 4), 5);
    ck_assert_uint_eq(fed(&swift, FAL_CC_ACK, 8, 64), 10);
    ck_assert_uint_eq(fed(&swift, FAL_CC_NACK, 4, 64), 0); /* AMB-70 */
    ck_assert_uint_eq(fed(&swift, FAL_CC_RETRANSMIT, 4, 64), 0);
    swift.plb = false;
    ck_assert_uint_eq(fed(&swift, FAL_CC_ACK, 4, 64), 0);
}
END_TEST

START_TEST(a_round_without_a_packet_is_not_congested)
{
    struct fal_swift_params params;
    struct fal_cc_state state = {.plb_attempts = 4};
    const struct fal_plb_ack ack = {.delay = 400, .target = 300};

    fal_swift_params_default(&params);
    ck_assert(!fal_plb_ack(&params, &state, &ack));
    ck_assert_uint_eq(state.plb_attempts, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("PLB");
    TCase *tc = tcase_create("plb");

    tcase_add_test(tc, FTP_10_4_01_to_10_a_path_is_drawn_after_five_congested_rounds);
    tcase_add_test(tc, FTP_10_4_01_02_11_the_smaller_window_is_a_round_and_only_ACKs_count);
    tcase_add_test(tc, a_round_without_a_packet_is_not_congested);
    suite_add_tcase(suite, tc);
    return suite;
}
