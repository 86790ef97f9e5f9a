/* SPDX-License-Identifier: Apache-2.0
 * check_pcapng_test.c - `talon check` of captures that state which frames they missed, or saw
 * twice; and the conversation around a violation. */
#include "harness/check/check_testing.h"

/* ---- what a pcapng file says of itself ---- */

/* Options for writing a capture again as pcapng. */
struct again {
    unsigned copies;     /* of each frame, each of another interface */
    uint64_t drops_at;   /* the frame before which one is said to have been dropped; 0: none */
    uint64_t statistics; /* drops, as reported at the end; 0: none */
    uint64_t leave_out;  /* a frame that is not written; 0: none */
};

static void put_block(FILE *out, const uint8_t *bytes, int len)
{
    ck_assert_int_gt(len, 0);
    ck_assert_uint_eq(fwrite(bytes, 1, (size_t)len, out), (size_t)len);
}

/* An option of 8 bytes, and nothing more, is put behind the block's body. */
static void put_number_block(FILE *out, uint32_t type, const uint8_t *body, uint32_t len,
                             uint16_t code, uint64_t value)
{
    uint32_t whole = 12 + len + 12;
    uint16_t size = 8;

    (void)fwrite(&type, 4, 1, out);
    (void)fwrite(&whole, 4, 1, out);
    (void)fwrite(body, 1, len, out);
    (void)fwrite(&code, 2, 1, out);
    (void)fwrite(&size, 2, 1, out);
    (void)fwrite(&value, 8, 1, out);
    (void)fwrite(&whole, 4, 1, out);
}

/* Writes a.pcapng from NAME. */
static void write_again(const char *name, const struct again *how)
{
    static uint8_t block[FAL_PCAPNG_BLOCK_MAX];
    static const struct fal_pcapng_interface nano = {.linktype = 1, .tsresol = 9};
    struct fal_error err;
    struct tl_capture *capture = tl_capture_open(in_dir(name), &err);
    FILE *out = fopen(in_dir("a.pcapng"), "w");
    struct tl_captured got;
    uint8_t statistics[12] = {0};

    ck_assert(capture != NULL && out != NULL);
    put_block(out, block, fal_pcapng_write_section(NULL, block, sizeof block));
    for (unsigned i = 0; i < how->copies; i++)
        put_block(out, block, fal_pcapng_write_interface(&nano, block, sizeof block));
    while (tl_capture_next(capture, &got, &err) > 0) {
        for (unsigned i = 0; i < how->copies && got.number != how->leave_out; i++) {
            struct fal_pcapng_packet packet = {.interface = i,
                                               .ts_ns = got.ts_ns + i,
                                               .caplen = got.caplen,
                                               .len = got.len,
                                               .bytes = got.bytes};
            int len = fal_pcapng_write_packet(&packet, block, sizeof block);

            if (got.number == how->drops_at)
                put_number_block(out, 6, block + 8, (uint32_t)len - 12, 4, 1);
            else
                put_block(out, block, len);
        }
    }
    if (how->statistics > 0)
        put_number_block(out, 5, statistics, 12, 5, how->statistics);
    tl_capture_close(capture);
    ck_assert_int_eq(fclose(out), 0);
}

START_TEST(drops_that_are_told_without_their_place_leave_only_what_a_packet_shows)
{
    struct scene scene = plain;

    scene.change = far_bit;
    scene.change_at = 9;
    (void)capture("a", &scene);
    write_again("a.pcap", &(struct again){.copies = 1});
    ck_assert_int_eq(
        CHECK(in_dir("a.pcapng"), "--connections", in_dir("a.json"), "--complete-capture"), 1);
    write_again("a.pcap", &(struct again){.copies = 1, .statistics = 3});
    ck_assert_int_eq(
        CHECK(in_dir("a.pcapng"), "--connections", in_dir("a.json"), "--complete-capture"), 3);
    ck_assert_msg(strstr(report, "3 frames were dropped by the capture") != NULL, "%s", report);
    ck_assert_ptr_nonnull(strstr(report, "(if no dropped frame explains it)"));
    scene.change = bad_version;
    (void)capture("a", &scene);
    write_again("a.pcap", &(struct again){.copies = 1, .statistics = 3});
    ck_assert_int_eq(CHECK(in_dir("a.pcapng"), "--connections", in_dir("a.json")), 1);
}
END_TEST

START_TEST(a_drop_that_is_told_at_its_packet_is_a_gap_there)
{
    (void)capture("a", &plain);
    for (uint64_t n = 2; n < 40; n++) {
        write_again("a.pcap", &(struct again){.copies = 1, .leave_out = n, .drops_at = n + 1});
        ck_assert_msg(CHECK(in_dir("a.pcapng"), "--connections", in_dir("a.json")) != 1,
                      "frame %" PRIu64 ": %s", n, report);
        ck_assert_ptr_nonnull(strstr(report, "1 frames were dropped by the capture"));
    }
}
END_TEST

/* Nothing says that a frame is missing, and the path is declared to lose nothing: the capture
 * may still have lost it. Declared to be complete, it shows what the frame explained. */
START_TEST(a_frame_that_the_capture_lost)
{
    static const char *const vantages[] = {"tester", "middle"};
    unsigned noticed = 0;

    (void)capture("a", &plain);
    for (uint64_t n = 2; n < 40; n++) {
        write_again("a.pcap", &(struct again){.copies = 1, .leave_out = n});
        ck_assert_msg(CHECK(in_dir("a.pcapng"), "--connections", in_dir("a.json"), "--vantage",
                            vantages[n % 2], "--lossless-in", "--lossless-out") != 1,
                      "frame %" PRIu64 ": %.2000s", n,
                      strstr(report, "violated by") != NULL ? strstr(report, "violated by")
                                                            : report);
        noticed += CHECK(in_dir("a.pcapng"), "--connections", in_dir("a.json"), "--vantage",
                         "tester", "--complete-capture") != 0;
    }
    ck_assert_uint_gt(noticed, 10);
}
END_TEST

START_TEST(a_frame_that_two_interfaces_saw_is_one_frame)
{
    size_t packets = capture("a", &plain);
    char last[96];

    write_again("a.pcap", &(struct again){.copies = 2});
    ck_assert_int_eq(CHECK(in_dir("a.pcapng"), "--connections", in_dir("a.json")), 0);
    (void)snprintf(last, sizeof last, "pass: %zu packets judged, %zu frames were doubles",
                   packets, packets);
    ck_assert_msg(strstr(report, last) != NULL, "%s", report);
}
END_TEST

START_TEST(the_conversation_stands_around_each_break)
{
    struct scene scene = plain;
    const char *snippet;

    scene.change = far_bit;
    scene.change_at = 9;
    (void)capture("a", &scene);
    ck_assert_int_eq(CHECK(in_dir("a.pcap"), "--connections", in_dir("a.json"), "--only", "R1",
                           "--complete-capture"),
                     1);
    snippet = strstr(report, "  packets ");
    ck_assert_msg(snippet != NULL, "%s", report);
    ck_assert_ptr_nonnull(strstr(snippet, "* @"));
    ck_assert_ptr_nonnull(strstr(snippet, "< eack "));
    ck_assert_ptr_nonnull(strstr(snippet, "  # frame "));
    ck_assert_int_eq(CHECK(in_dir("a.pcap"), "--connections", in_dir("a.json"), "--only", "R1",
                           "--complete-capture", "--format", "json"),
                     1);
    ck_assert_ptr_nonnull(strstr(report, "\"evidence\": true"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("talon check, pcapng");
    TCase *tc = tcase_create("pcapng");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, drops_that_are_told_without_their_place_leave_only_what_a_packet_shows);
    tcase_add_test(tc, a_drop_that_is_told_at_its_packet_is_a_gap_there);
    tcase_add_test(tc, a_frame_that_the_capture_lost);
    tcase_add_test(tc, a_frame_that_two_interfaces_saw_is_one_frame);
    tcase_add_test(tc, the_conversation_stands_around_each_break);
    suite_add_tcase(suite, tc);
    return suite;
}
