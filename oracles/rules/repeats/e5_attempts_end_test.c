/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define P(n)      "< push_data psn=" #n "r rsn=" #n "r len=4"
#define AT(ms, n) "@" #ms "ms < push_data psn=" #n "r rsn=" #n "r len=4 ar"
#define SYNC(n)   "< resync psn=" #n "r rsn=" #n "r code=3 of=push_data"

/* Two attempts: two or three copies. */
static struct fal_connection connection(const struct kind *kind)
{
    struct fal_connection c = script_connection(kind);

    c.params.max_attempts = 2;
    return c;
}

static struct outcome e5(const struct kind *kind, const char *const *lines)
{
    struct fal_connection c = connection(kind);

    return script_run("E5", kind, &c, lines);
}

START_TEST(a_resync_in_time)
{
    ck_holds(e5(&clean, LINES(P(0), AT(1, 0), AT(2, 0), SYNC(0), SYNC(0))), 1);
    ck_holds(e5(&clean, LINES(P(0), AT(1, 0), AT(2, 0))), 0); /* the end is not reached */
}
END_TEST

START_TEST(FTP_11_07_one_copy_too_many)
{
    struct outcome o =
        e5(&clean, LINES(P(0), AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0), AT(5, 0)));

    ck_breaks(o, "FTP-11-07", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 3);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[2], 5);
    /* lost copies only make it more */
    struct kind lost = lossy;

    lost.run.no_duplicates_out = true;
    ck_breaks(e5(&lost, LINES(P(0), AT(1, 0), AT(4, 0), AT(9, 0))), "FTP-11-07", 1);
}
END_TEST

#define RNR_0 "> nack dbase=0r rbase=0r nack_psn=0r code=rnr w=data"

/* The NACK was sent before the push was seen, and may have come after it had left. */
START_TEST(FTP_11_07_a_nack_may_cross_the_push)
{
    ck_holds(e5(&clean, LINES(RNR_0, P(0), AT(1, 0), AT(2, 0), AT(3, 0))), 0);
    ck_breaks(e5(&clean, LINES(RNR_0, "+1us " P(0), AT(1, 0), AT(2, 0), AT(3, 0))), "FTP-11-07",
              1);
    ck_breaks(e5(&clean, LINES("> nack dbase=0r rbase=0r nack_psn=1r code=rnr w=data", P(0),
                               AT(1, 0), AT(2, 0), AT(3, 0))),
              "FTP-11-07", 1);
}
END_TEST

/* The EACK came before the push left, and may have been processed after it. */
START_TEST(FTP_11_07_an_eack_may_cross_the_push_within_the_sender)
{
    static const char *const lines[] = {
        "> eack dbase=0r rbase=0r own=2", "+4us " P(0), AT(1, 0), AT(2, 0), AT(3, 0), NULL};
    struct kind slow = clean;

    ck_breaks(e5(&clean, lines), "FTP-11-07", 1);
    slow.pipeline_ns = 2 * FAL_US;
    ck_holds(e5(&slow, lines), 0);
}
END_TEST

START_TEST(only_the_timers_copies_count)
{
    ck_holds(
        e5(&clean, LINES(P(0), "> eack dbase=0r rbase=0r own=2", AT(1, 0), AT(2, 0), AT(3, 0))),
        0);
    ck_holds(e5(&clean, LINES(P(0), "> nack dbase=0r rbase=0r nack_psn=0r code=rnr w=data",
                              AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0))),
             0);
    ck_holds(e5(&clean, LINES(P(0), AT(1, 0), "> back dbase=1r rbase=0r", AT(2, 0), AT(3, 0),
                              AT(4, 0))),
             0);
    struct fal_connection c = connection(&clean);

    c.params.rack_tlp = true;
    ck_holds(script_run("E5", &clean, &c, LINES(P(0), AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0))),
             0);
}
END_TEST

/* Each EACK makes the SUT send a packet early once at most (9.1.4). */
START_TEST(FTP_11_07_eacks_allow_one_copy_each)
{
    struct fal_connection c = connection(&clean);
    struct kind twice = clean;

#define EACK "> eack dbase=0r rbase=0r own=2"
    ck_breaks(
        e5(&clean, LINES(P(0), "+1us " EACK, AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0), AT(5, 0))),
        "FTP-11-07", 1);
    ck_holds(e5(&clean, LINES(P(0), "+1us " EACK, AT(1, 0), AT(2, 0), AT(3, 0))), 0);
    ck_holds(
        e5(&clean, LINES(P(0), "+1us " EACK, AT(1, 0), AT(2, 0), EACK, AT(3, 0), AT(4, 0))), 0);
    /* one may have crossed the packet; some may have come twice */
    ck_holds(
        e5(&clean, LINES(EACK, P(0), "+1us " EACK, AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0))), 0);
    twice.run.no_duplicates_in = false;
    ck_holds(e5(&twice, LINES(P(0), "+50us " EACK, AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0),
                              AT(5, 0), AT(6, 0))),
             0);
    /* the count says nothing about the Resync then */
    ck_holds(script_run("E5", &clean, &c, LINES(P(0), "+1us " EACK, AT(1, 0), SYNC(0))), 0);
#undef EACK
}
END_TEST

/* A slow SUT processes a packet, and sends another, within P each. A copy that an RNR asked for
 * is no attempt. */
START_TEST(a_nack_may_cross_its_packet_within_the_subject)
{
#define NACK "> nack nack_psn=0r w=data code=rnr rnr=60us"
    ck_holds(e5(&lanes, LINES(NACK, "+9us " P(0), AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0))), 0);
    ck_breaks(e5(&lanes, LINES(NACK, "+11us " P(0), AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0))),
              "FTP-11-07", 1);
    ck_breaks(e5(&clean, LINES(NACK, "+9us " P(0), AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0))),
              "FTP-11-07", 1);
#undef NACK
}
END_TEST

START_TEST(each_number_by_itself)
{
    ck_holds(
        e5(&clean, LINES(P(0), P(1), AT(1, 0), AT(1, 1), AT(2, 0), AT(2, 1), SYNC(0), SYNC(1))),
        2);
    ck_holds(e5(&clean, LINES(P(0), "< pull_request psn=0r rsn=1r len=4", AT(1, 0), AT(2, 0),
                              "< pull_request psn=0r rsn=1r len=4 ar")),
             0);
}
END_TEST

START_TEST(excuse_out_dup)
{
    ck_excused(e5(&jitter, LINES(P(0), P(0), P(0), P(0))), FAL_EXCUSE_OUT_DUP, 3);
    struct kind once = jitter;

    once.run.no_duplicates_out = true;
    ck_breaks(e5(&once, LINES(P(0), P(0), P(0), P(0))), "FTP-11-07", 1);
    /* with the times in them copies are told apart */
    ck_excused(e5(&lossy, LINES("iv 1us", P(0), "iv 1000us", AT(1, 0), "iv 1000us", AT(1, 0),
                                "iv 2000us", AT(2, 0), "iv 1000us", AT(2, 0))),
               FAL_EXCUSE_OUT_DUP, 1);
    ck_breaks(e5(&lossy, LINES("iv 1us", P(0), "iv 1000us", AT(1, 0), "iv 2000us", AT(2, 0),
                               "iv 3000us", AT(3, 0))),
              "FTP-11-07", 1);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    ck_holds(e5(&clean, LINES(P(0), "mark gap_in 1", AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0))),
             0); /* an EACK may have allowed them */
    ck_breaks(e5(&clean, LINES("mark gap_in 1", P(0), AT(1, 0), AT(2, 0), AT(3, 0))),
              "FTP-11-07", 1);
}
END_TEST

START_TEST(undecided_config)
{
    struct fal_connection c = connection(&clean);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_max_attempts);
    ck_undecided(
        script_run("E5", &clean, &c, LINES(P(0), AT(1, 0), AT(2, 0), AT(3, 0), AT(4, 0))), 1);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = connection(&clean);

    c.sut.data_psn = UINT32_MAX;
    ck_breaks(script_run("E5", &clean, &c,
                         LINES(P(0), P(1), AT(1, 0), AT(1, 1), AT(2, 0), AT(2, 1), AT(3, 1))),
              "FTP-11-07", 1);
}
END_TEST

START_TEST(memory_is_bounded)
{
    struct script s;
    struct fal_connection c = connection(&clean);
    struct outcome o;
    char line[64];

    script_start(&s, &clean, &c);
    for (int copy = 0; copy < 2; copy++) {
        for (int i = 0; i < 200; i++) {
            (void)snprintf(line, sizeof line, "< push_data psn=%dr rsn=%dr len=4", i, i);
            script_line(&s, line);
        }
        script_line(&s, "wait 1ms");
    }
    o = script_judge(s.events, json_array_size(s.events), "E5");
    json_decref(s.events);
    ck_undecided(o, 200 - 128);
}
END_TEST

START_TEST(our_own_side)
{
    ck_assert_int_eq(
        e5(&clean, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=0r rsn=0r len=4",
                         "> push_data psn=0r rsn=0r len=4", "> push_data psn=0r rsn=0r len=4"))
            .verdict,
        FAL_VERDICT_ERROR);
    ck_asked(
        e5(&clean,
           LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=0r rsn=0r len=4",
                 "> push_data psn=0r rsn=0r len=4", "step > push_data psn=0r rsn=0r len=4")));
}
END_TEST

/* m copies in all: the first transmission is an attempt. */
START_TEST(reading_amb_14_the_first_transmission_is_an_attempt)
{
    struct outcome o = e5(&clean, LINES(P(0), AT(1, 0), SYNC(0)));
    struct kind loses = clean;

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    /* a copy may be lost unseen */
    loses.run.lossless_out = false;
    ck_holds(e5(&loses, LINES(P(0), AT(1, 0), SYNC(0))), 1);
    ck_holds(e5(&clean, LINES(P(0), "mark gap_out", AT(1, 0), SYNC(0))), 0);
}
END_TEST

START_TEST(reading_amb_14_the_connection_fails_at_once)
{
    ck_assert_int_eq(
        e5(&clean, LINES(P(0), AT(1, 0), AT(2, 0), "wait 1ms", "cm fatal")).sut.verdict,
        FAL_VERDICT_WARN);
    /* a Resync came first; too few attempts; acknowledged */
    ck_holds(e5(&clean, LINES(P(0), AT(1, 0), AT(2, 0), SYNC(0), "wait 6ms", "cm fatal")), 1);
    ck_holds(e5(&clean, LINES(P(0), P(1), "cm fatal")), 0);
    ck_holds(
        e5(&clean, LINES(P(0), AT(1, 0), AT(2, 0), "> back dbase=1r", "wait 1ms", "cm fatal")),
        0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule E5");
    TCase *tc = tcase_create("E5");

    tcase_add_test(tc, a_resync_in_time);
    tcase_add_test(tc, FTP_11_07_one_copy_too_many);
    tcase_add_test(tc, FTP_11_07_a_nack_may_cross_the_push);
    tcase_add_test(tc, FTP_11_07_an_eack_may_cross_the_push_within_the_sender);
    tcase_add_test(tc, only_the_timers_copies_count);
    tcase_add_test(tc, FTP_11_07_eacks_allow_one_copy_each);
    tcase_add_test(tc, a_nack_may_cross_its_packet_within_the_subject);
    tcase_add_test(tc, each_number_by_itself);
    tcase_add_test(tc, excuse_out_dup);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, undecided_config);
    tcase_add_test(tc, numbers_wrap);
    tcase_add_test(tc, memory_is_bounded);
    tcase_add_test(tc, our_own_side);
    tcase_add_test(tc, reading_amb_14_the_first_transmission_is_an_attempt);
    tcase_add_test(tc, reading_amb_14_the_connection_fails_at_once);
    suite_add_tcase(suite, tc);
    return suite;
}
