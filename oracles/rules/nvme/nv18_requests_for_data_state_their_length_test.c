/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome nv18(const char *const *lines)
{
    return judged("NV18", &clean, lines);
}

#define WRITE(more) "> push_data psn=0r rsn=0r / nvme write_request ifn=5 itag=1 " more
#define PULL(len) \
    "< pull_request psn=0r rsn=0r len=" #len " / nvme write_data_request ifn=5 itag=1"

START_TEST(NVME_8_6_02_headers_blocks_and_metadata)
{
    /* one block of 512 or 4096 bytes */
    ck_holds(nv18(LINES(WRITE("nlb=0"), PULL(4132))), 1);
    ck_holds(nv18(LINES(WRITE("nlb=0"), PULL(548))), 1);
    ck_breaks(nv18(LINES(WRITE("nlb=0"), PULL(4096))), "NVME-8.6-02", 1);
    ck_breaks(nv18(LINES(WRITE("nlb=0"), PULL(4148))), "NVME-8.6-02", 1);
    /* with protection information */
    ck_holds(nv18(LINES(WRITE("nlb=0 prinfo=7"), PULL(4148))), 1);
    ck_breaks(nv18(LINES(WRITE("nlb=0 prinfo=7"), PULL(4132))), "NVME-8.6-02", 1);
    /* 8 blocks in one nCMD have 512 bytes */
    ck_holds(nv18(LINES(WRITE("nlb=7 prinfo=7"), PULL(4260))), 1);
    ck_breaks(nv18(LINES(WRITE("nlb=7 prinfo=7"), PULL(4148))), "NVME-8.6-02", 1);
    /* a part of no whole 4 KB (AMB-N15) */
    ck_holds(nv18(LINES(WRITE("nlb=8 total=1"), PULL(4132))), 0);
}
END_TEST

START_TEST(NVME_8_6_02_of_the_format)
{
    const char *format = "nvme dev_format {\"nsid\":9,\"block_shift\":12} -> {}",
               *meta = "nvme dev_format {\"nsid\":9,\"block_shift\":12,\"metadata\":16} -> {}";

    ck_breaks(nv18(LINES(format, WRITE("nlb=0 tnsid=9"), PULL(548))), "NVME-8.6-02", 1);
    ck_holds(nv18(LINES(format, WRITE("nlb=0 tnsid=9"), PULL(4132))), 1);
    ck_holds(nv18(LINES(meta, WRITE("nlb=0 tnsid=9 prinfo=7"), PULL(4148))), 1);
    /* metadata that nobody checks may be written, or not */
    ck_holds(nv18(LINES(meta, WRITE("nlb=0 tnsid=9"), PULL(4148))), 1);
    ck_holds(nv18(LINES(meta, WRITE("nlb=0 tnsid=9"), PULL(4132))), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV18");
    TCase *tcase = tcase_create("NV18");

    tcase_add_test(tcase, NVME_8_6_02_headers_blocks_and_metadata);
    tcase_add_test(tcase, NVME_8_6_02_of_the_format);
    suite_add_tcase(suite, tcase);
    return suite;
}
