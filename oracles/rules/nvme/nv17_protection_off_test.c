/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/tables_testing.h"

static struct outcome request(const char *op, const char *pi, const char *line)
{
    char space[200], post[200];

    (void)snprintf(space, sizeof space,
                   "nvme nvme_ns {\"nsid\":1,\"start\":10,\"N\":1,\"pi\":\"%s\"} -> "
                   "{\"function\":5,\"mdts\":262144}",
                   pi);
    (void)snprintf(post, sizeof post,
                   "nvme nvme_post {\"cmd\":1,\"op\":\"%s\",\"nsid\":1,\"slba\":0} -> "
                   "{\"sq\":1,\"cid\":4}",
                   op);
    return judged("NV17", &clean, LINES(space, ROWS, post, line));
}

#define READ(more) \
    "< push_data psn=0r rsn=0r / nvme read_request ifn=5 insid=1 " FIRST_OF_10 " " more
#define WRITE(more) \
    "< push_data psn=0r rsn=0r / nvme write_request ifn=5 insid=1 " FIRST_OF_10 " " more
#define ONES_READ  "eilbrt=0xffffffff elbatm=0xffff elbat=0xffff"
#define ONES_WRITE "ilbrt=0xffffffff lbatm=0xffff lbat=0xffff"

START_TEST(NVME_6_7_22_no_check_is_asked_for)
{
    ck_holds(request("read", "off", READ(ONES_READ)), 1);
    ck_holds(request("write", "off", WRITE(ONES_WRITE)), 1);
    ck_breaks(request("read", "off", READ(ONES_READ " prinfo=1")), "NVME-6.7-22", 1);
    ck_breaks(request("write", "off", WRITE(ONES_WRITE " prinfo=4")), "NVME-6.7-22", 1);
    ck_breaks(request("read", "off", READ(ONES_READ " prinfo=8")), "NVME-8.3-08", 1);
    ck_breaks(request("write", "off", WRITE(ONES_WRITE " prinfo=8")), "NVME-8.5-06", 1);
    ck_holds(request("read", "insert", READ("prinfo=7")), 0);
}
END_TEST

START_TEST(NVME_6_7_23_tags_are_ones)
{
    ck_breaks(request("read", "off", READ("eilbrt=0xffff elbatm=0xffff elbat=0xffff")),
              "NVME-6.7-23", 1);
    ck_breaks(request("read", "off", READ("eilbrt=0xffffffff elbatm=0 elbat=0xffff")),
              "NVME-6.7-23", 1);
    ck_breaks(request("read", "off", READ("eilbrt=0xffffffff elbatm=0xffff elbat=0")),
              "NVME-6.7-23", 1);
    ck_breaks(request("write", "off", WRITE("")), "NVME-6.7-24", 1);
    ck_breaks(request("write", "off", WRITE("ilbrt=0xffffffff lbatm=0xffff")), "NVME-6.7-24",
              1);
    ck_breaks(request("write", "off", WRITE("ilbrt=0xffffffff lbat=0xffff")), "NVME-6.7-24", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV17");
    TCase *tcase = tcase_create("NV17");

    tcase_add_test(tcase, NVME_6_7_22_no_check_is_asked_for);
    tcase_add_test(tcase, NVME_6_7_23_tags_are_ones);
    suite_add_tcase(suite, tcase);
    return suite;
}
