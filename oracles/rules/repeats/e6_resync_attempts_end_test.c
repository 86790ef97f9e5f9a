/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* Two attempts, a timeout of 1 ms. */
static struct outcome e6(const struct kind *kind, const char *const *lines)
{
    struct fal_connection c = script_connection(kind);

    c.params.max_attempts = 2;
    return script_run("E6", kind, &c, lines);
}

#define PUSH      "@0us < push_data psn=0r rsn=0r len=4"
#define RESYNC(t) ("@" t " < resync psn=0r rsn=0r code=3 of=push_data")

START_TEST(FTP_11_08_it_ends_with_a_signal)
{
    ck_holds(e6(&clean, LINES(PUSH, RESYNC("3ms"), RESYNC("4ms"), RESYNC("5ms"), "wait 1ms",
                              "cm fatal")),
             1);
    /* acknowledged in time */
    ck_holds(e6(&clean, LINES(PUSH, RESYNC("3ms"), RESYNC("4ms"), RESYNC("5ms"),
                              "> back dbase=1r", "wait 20ms", "barrier")),
             0);
    /* too few, or it may be under way */
    ck_holds(e6(&clean, LINES(PUSH, RESYNC("3ms"), "wait 20ms", "barrier")), 0);
    ck_holds(e6(&clean, LINES(PUSH, RESYNC("3ms"), RESYNC("4ms"), "wait 2ms", "barrier")), 0);
}
END_TEST

START_TEST(FTP_11_08_one_copy_more)
{
    struct outcome o = e6(&clean, LINES(PUSH, RESYNC("3ms"), RESYNC("4ms"), RESYNC("5ms"),
                                        RESYNC("6ms"), RESYNC("7ms")));

    ck_breaks(o, "FTP-11-08", 1);
    ck_holds(e6(&clean, LINES(PUSH, RESYNC("3ms"), RESYNC("4ms"), RESYNC("5ms"))), 0);
    /* an early retransmission is no attempt: an EACK showed a later packet */
    ck_holds(
        e6(&clean,
           LINES(PUSH, "< push_data psn=1r rsn=1r len=4", "< push_data psn=2r rsn=2r len=4",
                 "< push_data psn=3r rsn=3r len=4", "< push_data psn=4r rsn=4r len=4",
                 RESYNC("3ms"), "> eack dbase=0r drx=0b11110 dack=0b11110", RESYNC("4ms"),
                 RESYNC("5ms"), RESYNC("6ms"))),
        0);
}
END_TEST

START_TEST(FTP_9_1_5_02_nobody_is_told)
{
    ck_breaks(e6(&clean, LINES(PUSH, RESYNC("3ms"), RESYNC("4ms"), RESYNC("5ms"), "wait 5ms",
                               "barrier")),
              "FTP-9.1.5-02", 1);
    ck_breaks(e6(&clean, LINES(PUSH, RESYNC("3ms"), RESYNC("4ms"), "wait 5ms", "barrier")),
              "FTP-9.1.5-02", 1); /* AMB-14 */
    ck_undecided(e6(&clean, LINES(PUSH, RESYNC("3ms"), RESYNC("4ms"), "mark gap_in", "wait 5ms",
                                  "barrier")),
                 1);
    ck_undecided(
        e6(&clean, LINES(PUSH, RESYNC("3ms"), RESYNC("4ms"), "dropped", "wait 5ms", "barrier")),
        1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule E6");
    TCase *tc = tcase_create("E6");

    tcase_add_test(tc, FTP_11_08_it_ends_with_a_signal);
    tcase_add_test(tc, FTP_11_08_one_copy_more);
    tcase_add_test(tc, FTP_9_1_5_02_nobody_is_told);
    suite_add_tcase(suite, tc);
    return suite;
}
