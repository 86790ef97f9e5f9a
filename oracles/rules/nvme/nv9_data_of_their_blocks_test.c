/* SPDX-License-Identifier: Apache-2.0 */
/* Macros join the strings of a line. NOLINTBEGIN(bugprone-suspicious-missing-comma) */
#include "oracles/payload.h"
#include "oracles/rules/nvme/data_testing.h"

static struct outcome nv9(const char *const *lines)
{
    return judged("NV9", &clean, lines);
}

/* A namespace of a device behind the SUT, with pattern 7 in blocks 100 to 103. */
#define DEVICE                                               \
    "nvme dev_format {\"nsid\":9,\"block_shift\":12} -> {}", \
        "nvme dev_fill {\"nsid\":9,\"slba\":100,\"nlb0\":3,\"tag\":7} -> {}"
#define ASK(n, offset)                                                                  \
    "> push_data psn=" #n "r rsn=" #n "r / nvme read_request ifn=5 itag=" #n " icmd=3 " \
    "tnsid=9 slba=100 nlb=1 total=1 ncmd=" #offset
#define ANSWER(n, tag, data) \
    "< push_data psn=" #n "r rsn=" #n "r / nvme read_response ifn=5 itag=" #tag " icmd=3 " data

START_TEST(NVME_8_4_03_a_target_reads_its_blocks)
{
    ck_holds(nv9(LINES(DEVICE, ASK(0, 0), ASK(1, 1), ANSWER(0, 1, "data=4096@7+4096"),
                       ANSWER(1, 0, "data=4096@7"))),
             2);
    ck_breaks(nv9(LINES(DEVICE, ASK(0, 0), ASK(1, 1), ANSWER(0, 1, "data=4096@7"))),
              "NVME-8.4-03", 1);
    ck_holds(nv9(LINES(DEVICE, ASK(0, 0), ANSWER(0, 0, "status=4 data=4096@9"))), 0);
    /* blocks of which nothing is known */
    ck_holds(nv9(LINES("nvme dev_format {\"nsid\":9} -> {}", ASK(0, 0),
                       ANSWER(0, 0, "data=4096@9"))),
             0);
    /* a fill after the request */
    ck_holds(nv9(LINES(DEVICE, ASK(0, 0),
                       "nvme dev_fill {\"nsid\":9,\"slba\":100,\"nlb0\":3,\"tag\":8} -> {}",
                       ANSWER(0, 0, "data=4096@7"))),
             0);
    /* a fill between its nCMDs: the device may have read when the first one came */
    ck_holds(nv9(LINES(DEVICE, ASK(0, 0),
                       "nvme dev_fill {\"nsid\":9,\"slba\":100,\"nlb0\":3,\"tag\":8} -> {}",
                       ASK(1, 1), ANSWER(0, 1, "data=4096@7+4096"))),
             0);
}
END_TEST

/* The tester writes block 100 of the SUT. */
#define WRITTEN(data)                                                                   \
    "> push_data psn=0r rsn=0r / nvme write_request ifn=5 itag=1 tnsid=9 slba=100",     \
        "< pull_request psn=0r rsn=0r len=4132 / nvme write_data_request ifn=5 itag=1", \
        "> pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 itag=1 " data
#define DONE_WRITE(more) "< push_data psn=0r rsn=1r / nvme write_completion ifn=5 itag=1 " more

/* A line that ends with the hash of one block of pattern `tag`. */
static const char *hash_line(const char *begin, uint64_t tag, char *line, size_t cap)
{
    uint8_t block[4096];

    fal_payload_slice(tag, 0, 0, block, sizeof block);
    (void)snprintf(line, cap, "%s\"hash\":\"0x%016llx\"}", begin,
                   (unsigned long long)fal_payload_hash(block, sizeof block));
    return line;
}
#define DEV_HASH "nvme dev_hash {\"nsid\":9,\"slba\":100,\"nlb0\":0} -> {"
#define DEV_CMD                                                                      \
    "tells dev_cmd {\"dcmd\":1,\"op\":\"write\",\"nsid\":9,\"slba\":100,\"nlb0\":0," \
    "\"sqid\":0,"

START_TEST(NVME_6_5_04_a_device_gets_what_was_written)
{
    char eight[200], seven[200];

    (void)hash_line(DEV_HASH, 8, eight, sizeof eight);
    (void)hash_line(DEV_HASH, 7, seven, sizeof seven);
    ck_holds(nv9(LINES(DEVICE, seven)), 1);
    ck_breaks(nv9(LINES(DEVICE, eight)), "NVME-6.5-04", 1);
    ck_holds(nv9(LINES(DEVICE, WRITTEN("data=4096@8"), DONE_WRITE(""), eight)), 1);
    ck_breaks(nv9(LINES(DEVICE, WRITTEN("data=4096@8"), DONE_WRITE(""), seven)), "NVME-6.5-04",
              1);
    /* under way, or failed: it may be there or not */
    ck_holds(nv9(LINES(DEVICE, WRITTEN("data=4096@8"), seven)), 0);
    ck_holds(nv9(LINES(DEVICE, WRITTEN("data=4096@8"), DONE_WRITE("status=4"), seven)), 0);
    (void)hash_line(DEV_CMD, 8, eight, sizeof eight);
    (void)hash_line(DEV_CMD, 7, seven, sizeof seven);
    ck_holds(nv9(LINES(DEVICE, WRITTEN("data=4096@8"), eight)), 1);
    ck_breaks(nv9(LINES(DEVICE, WRITTEN("data=4096@8"), seven)), "NVME-6.5-04", 1);
    /* another write of the block may have gone unseen */
    ck_undecided(nv9(LINES("mark gap_in 1", DEVICE, WRITTEN("data=4096@8"), seven)), 1);
}
END_TEST

/* Namespace 9 of two devices: queues 0 and 1 lead to device 0, which has pattern 7 in block
 * 100, queue 2 to device 1, which has pattern 8 there. */
#define FORMAT(dev, sqid) \
    "nvme dev_format {\"dev\":" #dev ",\"nsid\":9,\"block_shift\":12,\"sqid\":" #sqid "} -> {}"
#define FILL(dev, tag) \
    "nvme dev_fill {\"dev\":" #dev ",\"nsid\":9,\"slba\":100,\"nlb0\":0,\"tag\":" #tag "} -> {}"
#define DEVICES FORMAT(0, 0), FORMAT(0, 1), FORMAT(1, 2), FILL(0, 7), FILL(1, 8)
#define ASK_AT(sqid)                                                                      \
    "> push_data psn=0r rsn=0r / nvme read_request ifn=5 itag=0 icmd=3 tnsid=9 slba=100 " \
    "sqid=" #sqid

START_TEST(NVME_8_4_03_a_queue_leads_to_its_device)
{
    ck_holds(nv9(LINES(DEVICES, ASK_AT(1), ANSWER(0, 0, "data=4096@7"))), 1);
    ck_breaks(nv9(LINES(DEVICES, ASK_AT(1), ANSWER(0, 0, "data=4096@8"))), "NVME-8.4-03", 1);
    ck_holds(nv9(LINES(DEVICES, ASK_AT(2), ANSWER(0, 0, "data=4096@8"))), 1);
    ck_breaks(nv9(LINES(DEVICES, ASK_AT(2), ANSWER(0, 0, "data=4096@7"))), "NVME-8.4-03", 1);
    /* a queue that leads nowhere known, and one that led to another device before */
    ck_holds(nv9(LINES(DEVICES, ASK_AT(3), ANSWER(0, 0, "data=4096@9"))), 0);
    ck_holds(nv9(LINES(FORMAT(1, 1), DEVICES, ASK_AT(1), ANSWER(0, 0, "data=4096@9"))), 0);
}
END_TEST

START_TEST(NVME_6_5_04_devices_have_blocks_of_their_own)
{
    char line[200];
#define HASH_AT(dev) "nvme dev_hash {\"dev\":" #dev ",\"nsid\":9,\"slba\":100,\"nlb0\":0} -> {"
#define WRITTEN_AT(sqid)                                                                        \
    "> push_data psn=0r rsn=0r / nvme write_request ifn=5 itag=1 tnsid=9 slba=100 sqid=" #sqid, \
        "< pull_request psn=0r rsn=0r len=4132 / nvme write_data_request ifn=5 itag=1",         \
        "> pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 itag=1 data=4096@9",        \
        DONE_WRITE("")

    (void)hash_line(HASH_AT(0), 7, line, sizeof line);
    ck_holds(nv9(LINES(DEVICES, WRITTEN_AT(2), line)), 1);
    ck_breaks(nv9(LINES(DEVICES, WRITTEN_AT(0), line)), "NVME-6.5-04", 1);
    ck_holds(nv9(LINES(DEVICES, WRITTEN_AT(3), line)), 0); /* it may be at either */
    (void)hash_line(HASH_AT(1), 9, line, sizeof line);
    ck_holds(nv9(LINES(DEVICES, WRITTEN_AT(2), line)), 1);
    ck_breaks(nv9(LINES(DEVICES, WRITTEN_AT(1), line)), "NVME-6.5-04", 1);
}
END_TEST

/* A device may read all blocks when the first nCMD comes (NVME-7.1-04). */
START_TEST(NVME_7_1_04_a_read_may_start_early)
{
    const char *write =
        "> push_data psn=1r rsn=1r / nvme write_request ifn=5 itag=1 icmd=4 tnsid=9 slba=101";

    ck_holds(
        nv9(LINES(DEVICE, ASK(0, 0), write,
                  "< pull_request psn=0r rsn=0r len=4132 / nvme write_data_request ifn=5 "
                  "itag=1 icmd=4",
                  "> pull_data psn=2r rsn=0r / nvme write_data_response ifn=5 itag=1 icmd=4 "
                  "data=4096@8",
                  "< push_data psn=1r rsn=1r / nvme write_completion ifn=5 itag=1 icmd=4",
                  "> push_data psn=3r rsn=2r / nvme read_request ifn=5 itag=2 icmd=3 tnsid=9 "
                  "slba=100 nlb=1 total=1 ncmd=1",
                  "< push_data psn=2r rsn=2r / nvme read_response ifn=5 itag=2 icmd=3 "
                  "data=4096@7+4096")),
        0);
}
END_TEST

/* Write Completions of a command may come before its last nCMD, and before the device writes
 * (NVME 7.2). */
START_TEST(NVME_7_2_07_a_write_is_under_way_until_its_last_ncmd_ends)
{
    char old[200];

    (void)hash_line(DEV_HASH, 7, old, sizeof old);
    ck_holds(nv9(LINES(DEVICE,
                       "> push_data psn=0r rsn=0r / nvme write_request ifn=5 itag=1 tnsid=9 "
                       "slba=100 nlb=1 total=1",
                       "< pull_request psn=0r rsn=0r len=4132 / nvme write_data_request ifn=5 "
                       "itag=1",
                       "> pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 itag=1 "
                       "data=4096@8",
                       DONE_WRITE(""), old)),
             0);
}
END_TEST

/* Two writes of the same block, whose commands of the device may come in any order. */
#define WRITTEN_TOO(data)                                                                      \
    "> push_data psn=2r rsn=1r / nvme write_request ifn=5 itag=2 icmd=4 tnsid=9 slba=100",     \
        "< pull_request psn=1r rsn=1r len=4132 / nvme write_data_request ifn=5 itag=2 icmd=4", \
        "> pull_data psn=3r rsn=1r / nvme write_data_response ifn=5 itag=2 icmd=4 " data
#define DEV_CMD_TOO                                                                  \
    "tells dev_cmd {\"dcmd\":2,\"op\":\"write\",\"nsid\":9,\"slba\":100,\"nlb0\":0," \
    "\"sqid\":0,"

START_TEST(NVME_6_5_04_equal_writes_may_change_places)
{
    char first[2][200], second[2][200];

    for (unsigned i = 0; i < 2; i++) {
        (void)hash_line(DEV_CMD, 8 + i, first[i], sizeof first[i]);
        (void)hash_line(DEV_CMD_TOO, 9 - i, second[i], sizeof second[i]);
        ck_holds(nv9(LINES(DEVICE, WRITTEN("data=4096@8"), WRITTEN_TOO("data=4096@9"), first[i],
                           second[i])),
                 0);
    }
    /* one after the other each is known */
    ck_breaks(nv9(LINES(DEVICE, WRITTEN("data=4096@8"), first[0], WRITTEN_TOO("data=4096@9"),
                        second[1])),
              "NVME-6.5-04", 1);
}
END_TEST

/* Block 1 of a command of two. */
#define HOST(op) TABLES(""), POST(1, op, 0, 1, ",\"tag\":7")
#define PULLS    "> pull_request psn=0r rsn=0r len=4132 / nvme write_data_request ifn=5 itag=0"

START_TEST(NVME_8_7_03_a_host_writes_its_buffer)
{
    const char *request = WRITES(0, FIRST_OF_10 " nlb=1 total=1 ncmd=1");

    ck_holds(nv9(LINES(HOST("write"), request, PULLS,
                       "< pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 itag=0 "
                       "data=4096@7+4096")),
             1);
    ck_breaks(nv9(LINES(HOST("write"), request, PULLS,
                        "< pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 itag=0 "
                        "data=4096@7")),
              "NVME-8.7-03", 1);
}
END_TEST

/* The second part begins behind the blocks of the first. */
START_TEST(NVME_8_7_03_the_second_part)
{
    const char *request = WRITES(0, FIRST_OF_11 " s ng nlb=0 total=1 ncmd=1"),
               *post = POST(1, "write", 63, 1, ",\"tag\":7");

    ck_holds(nv9(LINES(TABLES(""), post, request, PULLS,
                       "< pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 itag=0 "
                       "data=4096@7+4096")),
             1);
    ck_breaks(nv9(LINES(TABLES(""), post, request, PULLS,
                        "< pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 itag=0 "
                        "data=4096@7")),
              "NVME-8.7-03", 1);
}
END_TEST

START_TEST(NVME_8_4_03_a_host_reads_what_was_sent)
{
    uint8_t blocks[8192];
    char right[120], wrong[120];
    const char *first = READS(0, FIRST_OF_10 " nlb=1 total=1"),
               *second = READS(1, FIRST_OF_10 " nlb=1 total=1 ncmd=1");

    fal_payload_slice(8, 0, 0, blocks, sizeof blocks);
    (void)snprintf(right, sizeof right,
                   "tells nvme_cqe {\"cmd\":1,\"status\":0,\"hash\":\"0x%016llx\"}",
                   (unsigned long long)fal_payload_hash(blocks, sizeof blocks));
    (void)snprintf(wrong, sizeof wrong,
                   "tells nvme_cqe {\"cmd\":1,\"status\":0,\"hash\":\"0x%016llx\"}",
                   (unsigned long long)fal_payload_hash(blocks, 4096));
    ck_holds(nv9(LINES(HOST("read"), first, second, ANSWERS(0, 1, "data=4096@8+4096"),
                       ANSWERS(1, 0, "data=4096@8"), right)),
             1);
    ck_breaks(nv9(LINES(HOST("read"), first, second, ANSWERS(0, 1, "data=4096@8+4096"),
                        ANSWERS(1, 0, "data=4096@8"), wrong)),
              "NVME-8.4-03", 1);
    ck_holds(nv9(LINES(HOST("read"), first, ANSWERS(0, 0, "data=4096@8"), wrong)), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV9");
    TCase *tcase = tcase_create("NV9");

    tcase_add_test(tcase, NVME_8_4_03_a_target_reads_its_blocks);
    tcase_add_test(tcase, NVME_6_5_04_a_device_gets_what_was_written);
    tcase_add_test(tcase, NVME_8_4_03_a_queue_leads_to_its_device);
    tcase_add_test(tcase, NVME_6_5_04_devices_have_blocks_of_their_own);
    tcase_add_test(tcase, NVME_7_1_04_a_read_may_start_early);
    tcase_add_test(tcase, NVME_7_2_07_a_write_is_under_way_until_its_last_ncmd_ends);
    tcase_add_test(tcase, NVME_6_5_04_equal_writes_may_change_places);
    tcase_add_test(tcase, NVME_8_7_03_a_host_writes_its_buffer);
    tcase_add_test(tcase, NVME_8_7_03_the_second_part);
    tcase_add_test(tcase, NVME_8_4_03_a_host_reads_what_was_sent);
    suite_add_tcase(suite, tcase);
    return suite;
}
/* NOLINTEND(bugprone-suspicious-missing-comma) */
