/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome a6(uint32_t fcwnd, const char *const *lines)
{
    struct fal_connection c = script_connection(&lossy);

    c.params.fcwnd = fcwnd;
    return script_run("A6", &lossy, &c, lines);
}

START_TEST(FTP_9_1_3_1_02_each_packet_asks)
{
    ck_holds(a6(8, LINES("< push_data psn=0r rsn=0r len=4 ack_req=1")), 1);
    ck_breaks(a6(8, LINES("< push_data psn=0r rsn=0r len=4 ack_req=0")), "FTP-9.1.3.1-02", 1);
    ck_holds(a6(9, LINES("< push_data psn=0r rsn=0r len=4 ack_req=0")), 0);
    /* a repeat asks or does not, and our own side as it likes */
    ck_holds(a6(8, LINES("< push_data psn=0r rsn=0r len=4 ack_req=1",
                         "< push_data psn=0r rsn=0r len=4 ack_req=0",
                         "> push_data psn=0r rsn=0r len=4 ack_req=0")),
             1);
}
END_TEST

/* `asking` of 400 first copies ask, judged once: too many events for every cut. */
static struct outcome share(unsigned asking)
{
    struct fal_connection c = script_connection(&lossy);
    struct script s;
    struct outcome o;
    char line[64];

    script_start(&s, &lossy, &c);
    for (unsigned i = 0; i < 400; i++) {
        (void)snprintf(line, sizeof line, "< push_data psn=%ur rsn=%ur len=4 ack_req=%d", i, i,
                       i < asking);
        script_line(&s, line);
    }
    o = script_judge(s.events, json_array_size(s.events), "A6");
    json_decref(s.events);
    return o;
}

START_TEST(FTP_9_1_3_1_03_a_share_asks)
{
    ck_holds(share(40), 1);
    ck_holds(share(70), 1);
    ck_holds(share(5), 1);
    ck_breaks(share(80), "FTP-9.1.3.1-03", 1);
    ck_breaks(share(0), "FTP-9.1.3.1-03", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule A6");
    TCase *tc = tcase_create("A6");

    tcase_add_test(tc, FTP_9_1_3_1_02_each_packet_asks);
    tcase_add_test(tc, FTP_9_1_3_1_03_a_share_asks);
    suite_add_tcase(suite, tc);
    return suite;
}
