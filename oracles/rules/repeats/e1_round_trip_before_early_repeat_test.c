/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define P(n)      "< push_data psn=" #n "r rsn=" #n "r len=4"
#define AT(us, n) "@" #us "us < push_data psn=" #n "r rsn=" #n "r len=4 ar"
/* shows 0 missing, 4 beyond it received */
/* lets the IVs be held against the clock */
#define TICK     "iv 200us", "@200us < back dbase=0r rbase=0r"
#define EACK(us) "@" #us "us > eack dbase=0r rbase=0r drx=0b10000"

static struct fal_connection connection(const struct kind *kind)
{
    struct fal_connection c = script_connection(kind);

    c.params.initial_rtt_ns = 50 * FAL_US;
    return c;
}

static struct outcome e1(const struct kind *kind, const char *const *lines)
{
    struct fal_connection c = connection(kind);

    return script_run("E1", kind, &c, lines);
}

START_TEST(a_round_trip_later)
{
    ck_holds(e1(&clean, LINES(P(0), P(4), EACK(100), AT(150, 0), AT(210, 0))), 2);
    /* a timeout is no early repeat, and without an EACK it is not this rule's matter */
    ck_holds(e1(&clean, LINES(P(0), P(4), EACK(100), AT(1000, 0), AT(2000, 0))), 0);
    ck_holds(e1(&clean, LINES(P(0), P(4), AT(10, 0), AT(20, 0))), 0);
}
END_TEST

START_TEST(FTP_9_1_4_07_sooner_than_a_round_trip)
{
    struct outcome o = e1(&clean, LINES(P(0), P(4), EACK(100), AT(150, 0), AT(180, 0)));

    ck_breaks(o, "FTP-9.1.4-07", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 3);
    ck_assert_uint_eq(o.findings[0].evidence[0], 5); /* its last copy */
    ck_assert_uint_eq(o.findings[0].evidence[1], 4); /* the EACK that allowed it */
    ck_assert_uint_eq(o.findings[0].evidence[2], 6);
    /* OWN allows it as well, and a NACK has delays of its own */
    ck_breaks(e1(&clean,
                 LINES(P(0), "@100us > eack dbase=0r rbase=0r own=2", AT(150, 0), AT(180, 0))),
              "FTP-9.1.4-07", 1);
    ck_holds(e1(&clean,
                LINES(P(0), P(4), EACK(100), AT(150, 0),
                      "> nack dbase=0r rbase=0r nack_psn=0r code=resource w=data", AT(160, 0))),
             1);
}
END_TEST

/* OWN asks for packets that were "not retransmitted recently"; the first transmission is none
 * (9.1.4, AMB-55). */
START_TEST(FTP_9_1_4_13_own_soon_after_the_first_transmission)
{
#define RECENT(ask)                                                                      \
    "iv 1us", P(4), "iv 290us", AT(290, 0), "@300us > eack dbase=0r rbase=0r t1=7 " ask, \
        "iv 310us", AT(310, 0)
    ck_warns(e1(&clean, LINES(RECENT("own=2"))), "FTP-9.1.4-07");
    ck_breaks(e1(&clean, LINES(RECENT("drx=0b10000"))), "FTP-9.1.4-07", 1);
    /* and then it was retransmitted */
    ck_assert_int_eq(e1(&clean, LINES(RECENT("own=2"), "iv 330us", AT(330, 0))).sut.verdict,
                     FAL_VERDICT_FAIL);
#undef RECENT
}
END_TEST

/* A sample cannot be told from a t1 that is not the time of any packet. */
START_TEST(FTP_9_1_4_07_a_t1_from_the_future)
{
#define TIMED    "iv 1us", P(0), "iv 200us", "@199us " P(4)
#define LATE(t1) "@300us > eack dbase=0r rbase=0r own=2 t1=" #t1, "iv 350us", AT(349, 0)
    ck_breaks(e1(&clean, LINES(TIMED, LATE(1525), "iv 360us", AT(359, 0))), "FTP-9.1.4-07", 1);
    ck_undecided(e1(&clean, LINES(TIMED, LATE(1600), "iv 360us", AT(359, 0))), 2);
#undef TIMED
#undef LATE
}
END_TEST

/* 20 us after its packet the first ACK was sent: a sample may be as short. */
START_TEST(no_average_is_below_the_least_sample)
{
    ck_holds(e1(&clean, LINES(P(0), P(4), EACK(20), AT(50, 0), AT(75, 0))), 2);
    ck_breaks(e1(&clean, LINES(P(0), P(4), EACK(20), AT(50, 0), AT(65, 0))), "FTP-9.1.4-07", 1);
    /* answered at once: nothing is known of the round trip */
    ck_undecided(e1(&clean, LINES(P(0), P(4), EACK(0), AT(5, 0))), 1);
}
END_TEST

/* The shortest delay of the path is part of each sample. */
START_TEST(the_path_counts)
{
    struct kind long_path = clean;

    long_path.run.delay_min_ns = long_path.run.delay_max_ns = 15 * FAL_US;
    ck_breaks(e1(&long_path, LINES(P(0), P(4), EACK(0), AT(25, 0))), "FTP-9.1.4-07", 1);
    ck_holds(e1(&long_path, LINES(P(0), P(4), EACK(0), AT(30, 0))), 1);
}
END_TEST

START_TEST(undecided_cc_unknown)
{
    struct fal_connection c = connection(&clean);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_initial_rtt);
    ck_undecided(script_run("E1", &clean, &c, LINES(P(0), P(4), EACK(100), AT(101, 0))), 1);
    struct kind middle = clean;

    middle.unknown = true; /* samples may have gone before */
    ck_undecided(e1(&middle, LINES(P(0), P(4), EACK(100), AT(101, 0))), 1);
}
END_TEST

START_TEST(undecided_config)
{
    struct fal_connection c = connection(&clean);

    c.params.rack_tlp = true;
    ck_undecided(
        script_run("E1", &clean, &c, LINES(P(0), P(4), EACK(100), AT(110, 0), AT(120, 0))), 2);
}
END_TEST

START_TEST(excuse_jitter)
{
    struct kind once = jitter;

    once.run.no_duplicates_out = true; /* 10 us of jitter */
    ck_breaks(e1(&once, LINES(P(0), P(4), EACK(100), AT(150, 0), AT(189, 0))), "FTP-9.1.4-07",
              1);
    ck_holds(e1(&once, LINES(P(0), P(4), EACK(100), AT(150, 0), AT(190, 0))), 2);
    struct kind unbounded = once;

    unbounded.run.delay_max_ns = FAL_NEVER;
    ck_undecided(e1(&unbounded, LINES(P(0), P(4), EACK(100), AT(150, 0), AT(151, 0))), 2);
}
END_TEST

/* With the times in the packets the path does not matter. */
START_TEST(by_the_iv)
{
    ck_breaks(e1(&lossy, LINES("iv 1us", P(0), P(4), TICK, EACK(300), "iv 350us", AT(350, 0),
                               "iv 390us", AT(600, 0))),
              "FTP-9.1.4-07", 1);
    ck_holds(e1(&lossy, LINES("iv 1us", P(0), P(4), TICK, EACK(300), "iv 350us", AT(350, 0),
                              "iv 410us", AT(360, 0))),
             2);
}
END_TEST

START_TEST(excuse_out_dup)
{
    ck_excused(e1(&jitter, LINES(P(0), P(4), EACK(100), "@110us " P(0))), FAL_EXCUSE_OUT_DUP,
               1);
    ck_excused(e1(&lossy, LINES("iv 1us", P(0), P(4), EACK(300), "iv 1us", AT(310, 0))),
               FAL_EXCUSE_OUT_DUP, 1);
}
END_TEST

START_TEST(excuse_pipeline)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_breaks(e1(&piped, LINES(P(0), P(4), EACK(100), AT(150, 0), AT(194, 0))), "FTP-9.1.4-07",
              1);
    ck_holds(e1(&piped, LINES(P(0), P(4), EACK(100), AT(150, 0), AT(195, 0))), 2);
}
END_TEST

START_TEST(across_a_step_of_the_clock_nothing_is_known)
{
    ck_undecided(
        e1(&clean, LINES(P(0), P(4), EACK(100), AT(150, 0), "mark clock_step", AT(160, 0))), 1);
}
END_TEST

/* A packet that a capture missed may be what an ACK echoes. */
START_TEST(in_a_capture_samples_may_be_short)
{
    struct kind seen = clean;

    ck_breaks(e1(&seen, LINES(P(0), P(4), EACK(100), AT(150, 0), AT(151, 0))), "FTP-9.1.4-07",
              1);
    seen.foreign = true;
    ck_undecided(e1(&seen, LINES(P(0), P(4), EACK(100), AT(150, 0), AT(151, 0))), 2);
}
END_TEST

START_TEST(our_own_side)
{
    ck_assert_int_eq(
        e1(&clean, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=4r rsn=4r len=4",
                         "@100us < eack dbase=0r rbase=0r drx=0b10000",
                         "@150us > push_data psn=0r rsn=0r len=4",
                         "@160us > push_data psn=0r rsn=0r len=4"))
            .verdict,
        FAL_VERDICT_ERROR);
    ck_asked(
        e1(&clean, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=4r rsn=4r len=4",
                         "@100us < eack dbase=0r rbase=0r drx=0b10000",
                         "step > push_data psn=0r rsn=0r len=4", "wait 10us",
                         "> push_data psn=0r rsn=0r len=4")));
}
END_TEST

/* An ACK that names an older packet, as its t1 shows, is no short sample. 99 us are 755 units.
 */
START_TEST(FTP_9_1_4_07_the_packet_that_is_echoed)
{
#define OLD  "iv 99us", "@99us < push_data psn=0r rsn=0r len=4", "iv 199us", "@199us " P(4)
#define SOON "@250us > eack dbase=0r rbase=0r own=2 t1="
    ck_breaks(
        e1(&clean, LINES(OLD, SOON "755", "iv 255us", AT(255, 0), "iv 295us", AT(295, 0))),
        "FTP-9.1.4-07", 1);
    ck_holds(
        e1(&clean, LINES(OLD, SOON "1518", "iv 255us", AT(255, 0), "iv 315us", AT(315, 0))), 2);
    ck_holds(e1(&clean, LINES(OLD, SOON "755", "iv 255us", AT(255, 0), "iv 310us", AT(310, 0))),
             2);
}
END_TEST

/* The initial round trip is 50 us, but each of `samples` ACKs is held for 400 us. */
static struct outcome after_samples(unsigned samples, unsigned gap_us, const char *t1)
{
    struct fal_connection c = connection(&clean);
    char line[2 * 64 + 7][120], iv[64][24];
    const char *lines[2 * (2 * 64 + 7)];
    unsigned n = 0, us = 1000 + samples * 500;

    for (unsigned i = 0; i < samples; i++) {
        unsigned at = 1000 + i * 500;

        (void)snprintf(iv[i], sizeof *iv, "iv %uus", at);
        lines[n] = iv[i];
        (void)snprintf(line[i], sizeof *line, "@%uus < push_data psn=%ur rsn=%ur len=4", at, i,
                       i);
        lines[n + 1] = line[i];
        (void)snprintf(line[64 + i], sizeof *line, "@%uus > back dbase=%ur rbase=0r t1=%s",
                       at + 400, i + 1, t1);
        lines[n + 2] = line[64 + i];
        n += 3;
    }
    (void)snprintf(line[128], sizeof *line, "@%uus < push_data psn=%ur rsn=%ur len=4", us,
                   samples, samples);
    (void)snprintf(line[129], sizeof *line, "< push_data psn=%ur rsn=%ur len=4", samples + 4,
                   samples + 4);
    (void)snprintf(line[130], sizeof *line, "@%uus > eack dbase=%ur rbase=0r drx=0b10000 t1=%s",
                   us + 400, samples, t1);
    (void)snprintf(line[131], sizeof *line, "@%uus < push_data psn=%ur rsn=%ur len=4 ar",
                   us + 450, samples, samples);
    (void)snprintf(line[132], sizeof *line, "@%uus < push_data psn=%ur rsn=%ur len=4 ar",
                   us + 450 + gap_us, samples, samples);
    for (unsigned i = 128; i <= 132; i++)
        lines[n++] = line[i];
    lines[n] = NULL;
    return script_run("E1", &clean, &c, lines);
}

START_TEST(FTP_9_1_4_07_a_round_trip_that_is_never_measured)
{
    struct outcome o = after_samples(64, 90, "7");

    ck_assert_uint_eq(o.sut.broken, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    ck_assert_str_eq(o.findings[0].requirement, "FTP-9.1.4-07");
    ck_holds(after_samples(64, 110, "7"), 2);
    /* the average may still move; there is no sample without a t1 */
    ck_holds(after_samples(60, 90, "7"), 2);
    ck_holds(after_samples(64, 90, "0"), 2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule E1");
    TCase *tc = tcase_create("E1");

    tcase_add_test(tc, a_round_trip_later);
    tcase_add_test(tc, FTP_9_1_4_07_sooner_than_a_round_trip);
    tcase_add_test(tc, FTP_9_1_4_13_own_soon_after_the_first_transmission);
    tcase_add_test(tc, FTP_9_1_4_07_a_t1_from_the_future);
    tcase_add_test(tc, no_average_is_below_the_least_sample);
    tcase_add_test(tc, the_path_counts);
    tcase_add_test(tc, undecided_cc_unknown);
    tcase_add_test(tc, undecided_config);
    tcase_add_test(tc, excuse_jitter);
    tcase_add_test(tc, by_the_iv);
    tcase_add_test(tc, excuse_out_dup);
    tcase_add_test(tc, excuse_pipeline);
    tcase_add_test(tc, across_a_step_of_the_clock_nothing_is_known);
    tcase_add_test(tc, in_a_capture_samples_may_be_short);
    tcase_add_test(tc, our_own_side);
    tcase_add_test(tc, FTP_9_1_4_07_the_packet_that_is_echoed);
    tcase_add_test(tc, FTP_9_1_4_07_a_round_trip_that_is_never_measured);
    suite_add_tcase(suite, tc);
    return suite;
}
