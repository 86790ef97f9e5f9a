/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome r9(const struct kind *kind, const char *const *lines)
{
    return judged("R9", kind, lines);
}

/* Numbers 0..n-1 of the data window, then more lines. */
enum { MANY_MAX = 160 };
struct many {
    char text[MANY_MAX][64];
    const char *lines[MANY_MAX + 16];
};
static const char *const *many(struct many *m, unsigned n, const char *const *more)
{
    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(m->text[i], sizeof m->text[i], "> push_data psn=%ur rsn=%ur len=4", i,
                       i);
        m->lines[i] = m->text[i];
    }
    for (; (m->lines[n] = *more) != NULL; more++)
        n++;
    return m->lines;
}

START_TEST(inside_the_window_it_holds)
{
    ck_holds(r9(&lossy, LINES("> pull_request psn=0r rsn=0r len=4", "request 0r pull 4",
                              "> pull_request psn=63r rsn=1r len=4", "request 1r pull 4")),
             2);
    ck_holds(r9(&lossy, LINES("> push_data psn=0r rsn=0r len=4", "request 0r push 4",
                              "> push_data psn=128r rsn=128r len=4", "request 128r push 4")),
             2);
}
END_TEST

START_TEST(FTP_9_2_2_4_02_03_the_base_cannot_have_come_so_far)
{
    struct outcome o =
        r9(&lossy, LINES("> pull_request psn=64r rsn=64r len=4", "request 64r pull 4"));

    ck_breaks(o, "FTP-9.2.2.4-02", 1);
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "64r not accepted"));
    ck_breaks(r9(&lossy, LINES("> push_data psn=0r rsn=0r len=4",
                               "> push_data psn=129r rsn=129r len=4", "request 129r push 4")),
              "FTP-9.2.2.4-03", 1);
    /* as the data of a pull, or a NACK, tells */
    ck_breaks(r9(&lossy, LINES("> pull_request psn=64r rsn=64r len=4",
                               "< pull_data psn=0r rsn=64r payload_len=4")),
              "FTP-9.2.2.4-02", 1);
    ck_breaks(r9(&lossy, LINES("> push_data psn=128r rsn=128r len=4",
                               "< nack dbase=0r rbase=0r nack_psn=128r code=6 w=data")),
              "FTP-9.2.2.4-03", 1);
}
END_TEST

/* All below it were sent, but the SUT's base still had it beyond when every copy had come. */
START_TEST(FTP_9_2_2_4_03_every_copy_came_too_early)
{
    struct many m;

    ck_breaks(r9(&clean, many(&m, 129,
                              LINES("+1us < back dbase=0r rbase=0r",
                                    "+1us < back dbase=129r rbase=0r"))),
              "FTP-9.2.2.4-03", 1);
    ck_breaks(r9(&clean,
                 many(&m, 129, LINES("+1us < back dbase=0r rbase=0r", "request 128r push 4"))),
              "FTP-9.2.2.4-03", 1);
    ck_holds(r9(&clean, many(&m, 129,
                             LINES("+1us < back dbase=0r rbase=0r",
                                   "> push_data psn=128r rsn=128r len=4",
                                   "+1us < back dbase=129r rbase=0r"))),
             1);
    /* not beyond the base that the ACK claims */
    ck_holds(r9(&clean, many(&m, 129,
                             LINES("+1us < back dbase=1r rbase=0r",
                                   "+1us < back dbase=129r rbase=0r"))),
             1);
}
END_TEST

/* The copy may be processed 5 us late, by which time the base has moved on, and the first BACK
 * may show a state of 5 us ago. */
START_TEST(FTP_9_2_2_4_03_lanes_within_the_pipeline_allowance)
{
    struct kind piped = clean;
    struct many m;

    piped.pipeline_ns = 5 * FAL_US;
    ck_holds(r9(&piped, many(&m, 129,
                             LINES("+10us < back dbase=0r rbase=0r",
                                   "+1us < back dbase=129r rbase=0r"))),
             1);
    ck_breaks(r9(&piped, many(&m, 129,
                              LINES("+10001ns < back dbase=0r rbase=0r",
                                    "+1us < back dbase=129r rbase=0r"))),
              "FTP-9.2.2.4-03", 1);
}
END_TEST

/* The copy may have come after the state that the ACK shows. */
START_TEST(excuse_it_was_still_under_way)
{
    struct many m;

    ck_holds(r9(&udp,
                many(&m, 129,
                     LINES("+1s < back dbase=0r rbase=0r", "+1us < back dbase=129r rbase=0r"))),
             1);
    ck_holds(r9(&jitter, many(&m, 129,
                              LINES("+20us < back dbase=0r rbase=0r",
                                    "+1us < back dbase=129r rbase=0r"))),
             1);
    ck_breaks(r9(&jitter, many(&m, 129,
                               LINES("+20001ns < back dbase=0r rbase=0r",
                                     "+1us < back dbase=129r rbase=0r"))),
              "FTP-9.2.2.4-03", 1);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    struct many m;

    ck_undecided(r9(&lossy, LINES("mark gap_in 1", "> pull_request psn=64r rsn=64r len=4",
                                  "request 64r pull 4")),
                 1);
    ck_holds(r9(&clean, many(&m, 129,
                             LINES("+1us < back dbase=0r rbase=0r", "mark gap_in 1",
                                   "+1us < back dbase=129r rbase=0r"))),
             0);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_connection c = script_connection(&lossy);

    c.tester.req_psn = 0xffffffe0;
    ck_breaks(script_run("R9", &lossy, &c,
                         LINES("> pull_request psn=64r rsn=64r len=4", "request 64r pull 4")),
              "FTP-9.2.2.4-02", 1);
    ck_holds(script_run("R9", &lossy, &c,
                        LINES("> pull_request psn=63r rsn=63r len=4", "request 63r pull 4")),
             1);
}
END_TEST

START_TEST(our_own_side)
{
    ck_asked(r9(&lossy, LINES("< pull_request psn=64r rsn=64r len=4",
                              "step > pull_data psn=0r rsn=64r payload_len=4")));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule R9");
    TCase *tc = tcase_create("R9");

    tcase_add_test(tc, inside_the_window_it_holds);
    tcase_add_test(tc, FTP_9_2_2_4_02_03_the_base_cannot_have_come_so_far);
    tcase_add_test(tc, FTP_9_2_2_4_03_every_copy_came_too_early);
    tcase_add_test(tc, FTP_9_2_2_4_03_lanes_within_the_pipeline_allowance);
    tcase_add_test(tc, excuse_it_was_still_under_way);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, wrap_around);
    tcase_add_test(tc, our_own_side);
    suite_add_tcase(suite, tc);
    return suite;
}
