/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome t5(const struct kind *kind, const char *const *lines)
{
    return judged("T5", kind, lines);
}

#define FIRST "spi 5", "iv 1000us", "@1000us < push_data psn=0r rsn=0r len=4"

START_TEST(it_advances)
{
    ck_holds(t5(&clean,
                LINES(FIRST, "spi 5", "iv 3000us", "@3000us < push_data psn=1r rsn=1r len=4")),
             1);
    /* its departure time is not known, or the path duplicated it, or it was not sealed */
    ck_holds(t5(&lossy, LINES(FIRST, "spi 5", "iv 1000us", "@3000us < back")), 0);
    ck_holds(t5(&clean, LINES(FIRST, "iv 1000us", "@3000us < back")), 0);
    ck_holds(t5(&clean, LINES(FIRST, "spi 5", "iv 1000us", "@1900us < back")), 0);
    ck_holds(t5(&clean, LINES(FIRST, "mark clock_step", "spi 5", "iv 1000us", "@3ms < back")),
             0);
}
END_TEST

START_TEST(FTP_10_1_01_it_stands_still)
{
    ck_breaks(t5(&clean,
                 LINES(FIRST, "spi 5", "iv 1000us", "@3000us < push_data psn=1r rsn=1r len=4")),
              "FTP-10.1-01", 1);
}
END_TEST

START_TEST(FTP_10_1_03_it_stands_still_in_an_ack)
{
    ck_breaks(t5(&clean, LINES(FIRST, "spi 5", "iv 1000us", "@3000us < back")), "FTP-10.1-03",
              1);
}
END_TEST

START_TEST(FTP_10_1_01_it_leaves_its_pace)
{
    ck_breaks(t5(&clean, LINES(FIRST, "spi 5", "iv 2000us", "@2000us < back", "spi 5",
                               "iv 3000us", "@3000us < back", "spi 5", "iv 5000us",
                               "@5000us < back", "spi 5", "iv 9000us", "@6000us < back")),
              "FTP-10.1-03", 1);
}
END_TEST

/* A clock that advances in steps of a unit of 131.072 ns, or of the tick, may be behind by one.
 */
START_TEST(FTP_10_1_03_a_step_of_the_clock)
{
    struct kind coarse = clean;

    coarse.tick_ns = FAL_US;
#define PACED FIRST, "spi 5", "iv 3000us", "@3000us < back", "spi 5"
    ck_holds(t5(&clean, LINES(PACED, "iv 3009860ns", "@3010us < back")), 2);
    ck_breaks(t5(&clean, LINES(PACED, "iv 3009850ns", "@3010us < back")), "FTP-10.1-03", 1);
    ck_holds(t5(&coarse, LINES(PACED, "iv 3008990ns", "@3010us < back")), 2);
    ck_breaks(t5(&coarse, LINES(PACED, "iv 3008980ns", "@3010us < back")), "FTP-10.1-03", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule T5");
    TCase *tc = tcase_create("T5");

    tcase_add_test(tc, it_advances);
    tcase_add_test(tc, FTP_10_1_01_it_stands_still);
    tcase_add_test(tc, FTP_10_1_03_it_stands_still_in_an_ack);
    tcase_add_test(tc, FTP_10_1_01_it_leaves_its_pace);
    tcase_add_test(tc, FTP_10_1_03_a_step_of_the_clock);
    suite_add_tcase(suite, tc);
    return suite;
}
