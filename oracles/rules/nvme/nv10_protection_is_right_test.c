/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/data_testing.h"

static struct outcome request(const char *post, const char *line)
{
    return judged("NV10", &clean, LINES(TABLES(",\"pi\":\"insert\""), post, line));
}

#define POST_READ  POST(1, "read", 0, 1, "")
#define POST_WRITE POST(1, "write", 0, 1, "")
#define READ(more)                                                                           \
    "< push_data psn=0r rsn=0r / nvme read_request ifn=5 insid=1 nlb=1 total=1 " FIRST_OF_10 \
    " " more
#define WRITE(more)                                                                           \
    "< push_data psn=0r rsn=0r / nvme write_request ifn=5 insid=1 nlb=1 total=1 " FIRST_OF_10 \
    " " more
#define READ_TAGS  "eilbrt=0x140000 elbatm=0xffff elbat=0"
#define WRITE_TAGS "ilbrt=0x140000 lbatm=0xffff lbat=0"

START_TEST(NVME_6_7_15_all_checks_and_no_action)
{
    ck_holds(request(POST_READ, READ("prinfo=7 " READ_TAGS)), 1);
    ck_holds(request(POST_WRITE, WRITE("prinfo=7 " WRITE_TAGS)), 1);
    ck_breaks(request(POST_READ, READ("prinfo=15 " READ_TAGS)), "NVME-6.7-15", 1);
    ck_breaks(request(POST_READ, READ("prinfo=3 " READ_TAGS)), "NVME-6.7-16", 1);
    ck_breaks(request(POST_READ, READ("prinfo=6 " READ_TAGS)), "NVME-6.7-17", 1);
    ck_breaks(request(POST_READ, READ("prinfo=5 " READ_TAGS)), "NVME-6.7-18", 1);
    ck_breaks(request(POST_READ, READ(READ_TAGS)), "NVME-6.7-05", 1);
}
END_TEST

START_TEST(NVME_6_7_19_tags_of_the_target)
{
    ck_breaks(request(POST_READ, READ("prinfo=7 eilbrt=0 elbatm=0xffff elbat=0")),
              "NVME-6.7-19", 1);
    ck_breaks(request(POST_READ, READ("prinfo=7 eilbrt=0x140000 elbatm=0 elbat=0")),
              "NVME-6.7-19", 1);
    ck_breaks(request(POST_READ, READ("prinfo=7 eilbrt=0x140000 elbatm=0xffff elbat=0x14")),
              "NVME-6.7-19", 1);
    ck_breaks(request(POST_WRITE, WRITE("prinfo=7 ilbrt=0xffffffff lbatm=0xffff lbat=0")),
              "NVME-6.7-20", 1);
}
END_TEST

START_TEST(reading_amb_n22_tags_of_its_own_block)
{
    ck_warns(request(POST_READ, READ("ncmd=1 prinfo=7 eilbrt=0x140001 elbatm=0xffff elbat=1")),
             "NVME-6.7-19");
}
END_TEST

static struct outcome data(const char *pi, const char *more, const struct test_data *d)
{
    char space[240], post[200];

    (void)snprintf(space, sizeof space,
                   "nvme nvme_ns {\"nsid\":1,\"start\":10,\"N\":1,\"block_shift\":9,\"pi\":"
                   "\"%s\"} -> {\"function\":5,\"mdts\":262144}",
                   pi);
    (void)snprintf(
        post, sizeof post,
        "nvme nvme_post {\"cmd\":1,\"op\":\"write\",\"nsid\":1,\"slba\":0,\"nlb0\":7,"
        "\"tag\":7%s} -> {\"sq\":1,\"cid\":4}",
        more);
    return judged_data(
        "NV10",
        LINES(space, ROWS, post,
              "< push_data psn=0r rsn=0r / nvme write_request ifn=5 insid=1 itag=1 nlb=7 "
              "slba=0xa00000 tnsid=9 sqid=3 prinfo=7 ilbrt=0xa00000 lbatm=0xffff lbat=0",
              "> pull_request psn=0r rsn=0r len=4260 / nvme write_data_request ifn=5 itag=1"),
        SMALL_DATA, &small_data, d, NULL);
}

/* Metadata of block i of 8 blocks of 512 bytes. */
#define META(d, i) ((d).bytes + 8 * 512 + (i)*16)

START_TEST(NVME_6_7_14_the_outer_information)
{
    struct test_data d;

    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    ck_holds(data("insert", "", &d), 2);
    META(d, 5)[8] ^= 1; /* guard */
    ck_breaks(data("insert", "", &d), "NVME-6.7-14", 1);
    d.kind = &begins_late;
    ck_undecided(data("insert", "", &d), 1);
    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    META(d, 5)[15] ^= 1; /* reference tag */
    ck_breaks(data("insert", "", &d), "NVME-6.7-17", 1);
    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    META(d, 0)[11] ^= 1; /* application tag, of the first block alone */
    ck_breaks(data("insert", "", &d), "NVME-6.7-18", 1);
    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    META(d, 1)[11] ^= 1; /* AMB-N19 */
    ck_holds(data("insert", "", &d), 2);
}
END_TEST

START_TEST(NVME_6_7_01_most_significant_byte_first)
{
    struct test_data d;
    uint8_t *outer, first;

    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    outer = META(d, 2) + 8;
    first = outer[0];
    outer[0] = outer[1];
    outer[1] = first;
    ck_breaks(data("insert", "", &d), "NVME-6.7-01", 1);
}
END_TEST

START_TEST(NVME_6_7_08_each_block_has_metadata)
{
    struct test_data d;

    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    d.len = 8 * 512;
    ck_breaks(data("host", "", &d), "NVME-6.7-08", 1);
}
END_TEST

START_TEST(NVME_6_7_06_the_inner_information)
{
    struct test_data d;

    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    META(d, 0)[0] ^= 1;
    test_data_seal(&d, 8, 512, 0);
    ck_breaks(data("insert", "", &d), "NVME-6.7-02", 1);
    ck_breaks(data("host", "", &d), "NVME-6.7-06", 1);
    ck_holds(data("host", ",\"bad_pi\":true", &d), 2);
    ck_holds(data("host\",\"encrypt\":true,\"pi\":\"host", "", &d), 2);
}
END_TEST

START_TEST(NVME_6_7_03_tags_may_switch_the_check_off)
{
    struct test_data d;

    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    META(d, 3)[0] ^= 1;                   /* guard */
    META(d, 3)[2] = META(d, 3)[3] = 0xff; /* application tag */
    test_data_seal(&d, 8, 512, 3);
    ck_holds(data("host", "", &d), 2);
    /* the controller makes a right one, whatever tags it has */
    ck_breaks(data("insert", "", &d), "NVME-6.7-02", 1);
    META(d, 4)[0] ^= 1; /* the tag speaks for its own block alone */
    test_data_seal(&d, 8, 512, 4);
    ck_breaks(data("host", "", &d), "NVME-6.7-06", 1);
    /* a reference tag of ones alone switches nothing off */
    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    META(d, 3)[0] ^= 1;
    memset(META(d, 3) + 4, 0xff, 4);
    test_data_seal(&d, 8, 512, 3);
    ck_breaks(data("host", "", &d), "NVME-6.7-06", 1);
    /* the outer information is the initiator's own */
    META(d, 3)[2] = META(d, 3)[3] = 0xff;
    test_data_seal(&d, 8, 512, 3);
    META(d, 3)[8] ^= 1;
    ck_breaks(data("host", "", &d), "NVME-6.7-14", 1);
}
END_TEST

#define IDENTIFY(more) "nvme dev_identify {\"nsid\":9} -> {" more "}"
static struct outcome format(const char *line)
{
    return judged("NV10", &clean,
                  LINES("nvme dev_format {\"nsid\":9,\"metadata\":16} -> {}", line));
}

START_TEST(NVME_6_7_09_formats_of_devices)
{
    ck_holds(format(IDENTIFY("\"metadata\":16,\"pil\":0,\"pi_type\":1,\"mset\":0")), 1);
    ck_breaks(format(IDENTIFY("\"metadata\":32,\"pil\":0,\"pi_type\":1,\"mset\":0")),
              "NVME-6.7-09", 1);
    ck_breaks(format(IDENTIFY("\"metadata\":16,\"pil\":1,\"pi_type\":1,\"mset\":0")),
              "NVME-6.7-10", 1);
    ck_breaks(format(IDENTIFY("\"metadata\":16,\"pil\":0,\"pi_type\":2,\"mset\":0")),
              "NVME-6.7-11", 1);
    ck_breaks(format(IDENTIFY("\"metadata\":16,\"pil\":0,\"pi_type\":1,\"mset\":1")),
              "NVME-6.7-12", 1);
    ck_breaks(format(IDENTIFY("\"metadata\":8,\"pil\":0,\"pi_type\":1,\"mset\":0")),
              "NVME-6.7-13", 1);
}
END_TEST

#define IDENTIFY_NONE IDENTIFY("\"metadata\":0,\"pil\":0,\"pi_type\":0,\"mset\":0")

START_TEST(NVME_6_7_21_a_target_may_disable_it)
{
    ck_holds(
        judged("NV10", &clean,
               LINES("> push_data psn=0r rsn=0r / nvme read_request ifn=5 tnsid=9 prinfo=7",
                     IDENTIFY_NONE)),
        0);
    ck_holds(judged("NV10", &clean,
                    LINES("nvme dev_format {\"nsid\":9,\"metadata\":0} -> {}", IDENTIFY_NONE)),
             0);
    ck_breaks(format(IDENTIFY_NONE), "NVME-6.7-13", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV10");
    TCase *tcase = tcase_create("NV10");

    tcase_add_test(tcase, NVME_6_7_15_all_checks_and_no_action);
    tcase_add_test(tcase, NVME_6_7_19_tags_of_the_target);
    tcase_add_test(tcase, reading_amb_n22_tags_of_its_own_block);
    tcase_add_test(tcase, NVME_6_7_14_the_outer_information);
    tcase_add_test(tcase, NVME_6_7_01_most_significant_byte_first);
    tcase_add_test(tcase, NVME_6_7_08_each_block_has_metadata);
    tcase_add_test(tcase, NVME_6_7_06_the_inner_information);
    tcase_add_test(tcase, NVME_6_7_03_tags_may_switch_the_check_off);
    tcase_add_test(tcase, NVME_6_7_09_formats_of_devices);
    tcase_add_test(tcase, NVME_6_7_21_a_target_may_disable_it);
    suite_add_tcase(suite, tcase);
    return suite;
}
