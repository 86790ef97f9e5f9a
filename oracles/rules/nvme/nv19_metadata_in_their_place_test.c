/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/data_testing.h"

static struct outcome nv19(const char *const *lines)
{
    return judged("NV19", &clean, lines);
}

static struct outcome written(const char *const *before, const struct test_data *d)
{
    return judged_data("NV19", before, SMALL_DATA, &small_data, d, NULL);
}

START_TEST(NVME_8_7_02_writes_have_metadata_behind_all_blocks)
{
    struct test_data d;

    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    ck_holds(written(LINES(SMALL_WRITE(",\"pi\":\"host\"", "")), &d), 1);
    d.len = 8 * 512;
    ck_breaks(written(LINES(SMALL_WRITE(",\"pi\":\"host\"", "")), &d), "NVME-8.7-02", 1);
    test_data_make(&d, 8, 512, 0, SMALL_FIRST, true);
    ck_breaks(written(LINES(SMALL_WRITE(",\"pi\":\"host\"", "")), &d), "NVME-8.7-02", 1);
}
END_TEST

START_TEST(NVME_8_7_03_without_protection_the_blocks_alone)
{
    struct test_data d;

    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    ck_breaks(written(LINES(SMALL_WRITE("", "")), &d), "NVME-8.7-03", 1);
    d.kind = &begins_late;
    ck_holds(written(LINES(SMALL_WRITE("", "")), &d), 0);
    d.kind = &clean;
    d.len = 7 * 512;
    ck_breaks(written(LINES(SMALL_WRITE("", "")), &d), "NVME-8.7-03", 1);
    d.len = 8 * 512;
    ck_holds(written(LINES(SMALL_WRITE("", "")), &d), 1);
}
END_TEST

#define FORMAT(metadata)                                                               \
    "nvme dev_format {\"nsid\":9,\"block_shift\":9,\"metadata\":" #metadata "} -> {}", \
        "nvme dev_fill {\"nsid\":9,\"slba\":100,\"nlb0\":7,\"tag\":7} -> {}"
#define ASK(more) \
    "> push_data psn=0r rsn=0r / nvme read_request ifn=5 itag=1 tnsid=9 slba=100 nlb=7 " more
#define ANSWER "< push_data psn=0r rsn=0r"
static const struct fal_nvme answer = {
    .packet_type = FAL_NVME_READ_RESPONSE, .initiator_function = 5, .initiator_tag = 1};

static struct outcome read_as(const char *const *before, const struct test_data *d)
{
    return judged_data("NV19", before, ANSWER, &answer, d, NULL);
}

START_TEST(NVME_8_4_04_reads_have_metadata_behind_each_block)
{
    struct test_data d;

    test_data_make(&d, 8, 512, 0, 100, true);
    ck_holds(read_as(LINES(FORMAT(16), ASK("prinfo=7")), &d), 1);
    ck_breaks(read_as(LINES(FORMAT(0), ASK("")), &d), "NVME-8.4-05", 1);
    test_data_make(&d, 8, 512, 0, 100, false);
    ck_breaks(read_as(LINES(FORMAT(16), ASK("prinfo=7")), &d), "NVME-8.4-04", 1);
    d.len = 8 * 512;
    ck_breaks(read_as(LINES(FORMAT(16), ASK("prinfo=7")), &d), "NVME-8.4-04", 1);
    ck_holds(read_as(LINES(FORMAT(16), ASK("")), &d), 1); /* nobody checks them */
    ck_holds(read_as(LINES(FORMAT(0), ASK("")), &d), 1);
    d.len = 8 * 512 - 1;
    ck_breaks(read_as(LINES(FORMAT(0), ASK("")), &d), "NVME-8.4-05", 1);
}
END_TEST

START_TEST(NVME_8_4_06_at_most_4224_bytes)
{
    ck_breaks(nv19(LINES("> push_data psn=0r rsn=0r / nvme read_request ifn=5 itag=1",
                         "< push_data psn=0r rsn=0r / nvme read_response ifn=5 itag=1 "
                         "data=4228")),
              "NVME-8.4-06", 1);
    ck_breaks(nv19(LINES("< push_data psn=0r rsn=0r / nvme write_request ifn=5 itag=1",
                         "> pull_request psn=0r rsn=0r len=4260 / nvme write_data_request "
                         "ifn=5 itag=1",
                         "< pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 itag=1 "
                         "data=4228")),
              "NVME-8.7-04", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV19");
    TCase *tcase = tcase_create("NV19");

    tcase_add_test(tcase, NVME_8_7_02_writes_have_metadata_behind_all_blocks);
    tcase_add_test(tcase, NVME_8_7_03_without_protection_the_blocks_alone);
    tcase_add_test(tcase, NVME_8_4_04_reads_have_metadata_behind_each_block);
    tcase_add_test(tcase, NVME_8_4_06_at_most_4224_bytes);
    suite_add_tcase(suite, tcase);
    return suite;
}
