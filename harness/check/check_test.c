/* SPDX-License-Identifier: Apache-2.0
 * check_test.c - `talon check`: captures, timelines, options. */
#include "harness/check/check_testing.h"
#include "harness/check/hosts_seen.h"

/* ---- captures ---- */

START_TEST(a_lawful_capture_passes_both_ends)
{
    size_t packets = capture("a", &plain);
    char last[64];

    ck_assert_int_eq(CHECK(in_dir("a.pcap")), 0);
    (void)snprintf(last, sizeof last, "pass: %zu packets judged", packets);
    ck_assert_msg(strstr(report, last) != NULL, "%s", report);
    ck_assert_ptr_nonnull(strstr(report, "10.0.0.1"));
    ck_assert_ptr_nonnull(strstr(report, "10.0.0.2"));
    ck_assert_str_eq(complaint, "");
}
END_TEST

START_TEST(one_end_is_judged_when_named)
{
    (void)capture("a", &plain);
    ck_assert_int_eq(CHECK(in_dir("a.pcap"), "--sut", "10.0.0.2", "--only", "L1,R1"), 0);
    ck_assert_ptr_nonnull(strstr(report, "10.0.0.2"));
    ck_assert_ptr_null(strstr(strchr(report, '\n'), "10.0.0.1"));
    ck_assert_ptr_null(strstr(report, "X1"));
}
END_TEST

START_TEST(a_host_that_is_not_there_brings_a_hint)
{
    struct tl_hosts_seen many = {.sut = {.ip = 99}};
    char text[TL_HOSTS_SEEN_TEXT];

    (void)capture("a", &plain);
    ck_assert_int_eq(CHECK(in_dir("a.pcap"), "--sut", "10.9.9.9"), 0);
    ck_assert_msg(strstr(complaint, "no packet is from or to 10.9.9.9, which --sut names; the "
                                    "capture has packets of 10.0.0.") != NULL,
                  "%s", complaint);
    ck_assert_msg(strstr(complaint, "10.0.0.1") != NULL &&
                      strstr(complaint, "10.0.0.2") != NULL,
                  "%s", complaint);
    ck_assert_int_eq(CHECK(in_dir("a.pcap"), "--sut", "10.0.0.1"), 0);
    ck_assert_str_eq(complaint, "");
    ck_assert(!tl_hosts_seen_hint(&many, text)); /* a capture without hosts */
    for (unsigned i = 1; i < 20; i++)
        tl_hosts_seen_add(&many, (struct tl_host){.ip = ~(fal_u128)0 - i % 12, .v6 = true});
    ck_assert(tl_hosts_seen_hint(&many, text) && strstr(text, " and others") != NULL);
    tl_hosts_seen_add(&many, many.sut);
    ck_assert(!tl_hosts_seen_hint(&many, text));
}
END_TEST

START_TEST(a_break_is_shown_with_its_frames)
{
    struct scene scene = plain;

    scene.change = far_bit;
    scene.change_at = 9;
    (void)capture("a", &scene);
    ck_assert_int_eq(
        CHECK(in_dir("a.pcap"), "--connections", in_dir("a.json"), "--complete-capture"), 1);
    ck_assert_msg(strstr(report, "R1 violated by") != NULL, "%s", report);
    ck_assert_ptr_nonnull(strstr(report, "FTP-9.2.1-09"));
    ck_assert_ptr_nonnull(strstr(report, "expected  no acknowledgement of data PSN"));
    ck_assert_ptr_nonnull(strstr(report, "seen      eack "));
    ck_assert_ptr_nonnull(strstr(report, "frames"));
    ck_assert_int_eq(
        CHECK(in_dir("a.pcap"), "--connections", in_dir("a.json"), "--skip", "R1,R3"), 0);
    ck_assert_int_eq(CHECK(in_dir("a.pcap"), "--only", "R2", "--connections", in_dir("a.json")),
                     0);
}
END_TEST

START_TEST(given_numbers_give_power_from_the_first_packet)
{
    (void)capture("a", &plain);
    ck_assert_int_eq(
        CHECK(in_dir("a.pcap"), "--connections", in_dir("a.json"), "--format", "json"), 0);
    ck_assert_ptr_nonnull(strstr(report, "\"schema\": \"talon/check/1\""));
    ck_assert_ptr_null(strstr(report, "\"verdict\": \"inconclusive\",\n   \"holds\": 0"));
}
END_TEST

/* Many connections between two hosts: it cannot be known which directions belong together. */
START_TEST(what_cannot_be_paired_convicts_nobody)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct scene scene = plain;

        scene.connections = 2 + (unsigned)(seed % 5);
        scene.seed = 100 * seed;
        (void)capture("a", &scene);
        ck_assert_msg(CHECK(in_dir("a.pcap")) != 1, "seed %" PRIu64 ": %s", seed, report);
        ck_assert_ptr_nonnull(strstr(report, "one direction alone"));
        ck_assert_msg(CHECK(in_dir("a.pcap"), "--connections", in_dir("a.json")) == 0,
                      "seed %" PRIu64 ": %s", seed, report);
        ck_assert_ptr_null(strstr(report, "alone"));
    }
}
END_TEST

/* The packet itself is wrong, whichever connection it belongs to. */
START_TEST(an_unpaired_direction_still_shows_bad_packets)
{
    struct scene scene = plain;

    scene.connections = 4;
    scene.change = bad_version;
    scene.change_at = 50;
    (void)capture("a", &scene);
    ck_assert_int_eq(CHECK(in_dir("a.pcap")), 1);
    ck_assert_ptr_nonnull(strstr(report, "L1 violated by"));
    ck_assert_ptr_nonnull(strstr(report, "FTP-7."));
}
END_TEST

START_TEST(two_ends_on_one_host)
{
    struct scene scene = plain;

    scene.one_host = true;
    scene.equal_cids = true;
    (void)capture("a", &scene);
    ck_assert_int_eq(CHECK(in_dir("a.pcap")), 0);
    ck_assert_msg(strstr(report, "connection 2") == NULL, "%s", report);
}
END_TEST

/* Bare Falcon: only the CIDs distinguish directions, so the pairing is a guess. */
START_TEST(bare_captures)
{
    struct scene scene = plain;

    scene.encap = FAL_ENCAP_BARE;
    (void)capture("a", &scene);
    ck_assert_int_eq(CHECK(in_dir("a.pcap")), 0);
    scene.change = far_bit;
    scene.change_at = 9;
    (void)capture("a", &scene);
    ck_assert_int_ne(CHECK(in_dir("a.pcap")), 1);
    ck_assert_int_eq(
        CHECK(in_dir("a.pcap"), "--connections", in_dir("a.json"), "--complete-capture"), 1);
}
END_TEST

START_TEST(sealed_captures_need_keys)
{
    static const char keys[] =
        "{\"master_keys\": [\"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\","
        " \"ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"]}";
    struct scene scene = plain;
    struct fal_error err;

    write_file("keys.json", keys);
    scene.encap = FAL_ENCAP_PSP_TRANSPORT;
    scene.keys = tl_psp_keys_open(in_dir("keys.json"), &err);
    ck_assert_ptr_nonnull(scene.keys);
    (void)capture("a", &scene);
    fal_psp_keys_free(scene.keys);
    ck_assert_int_eq(CHECK(in_dir("a.pcap"), "--psp-keys", in_dir("keys.json")), 0);
    ck_assert_ptr_nonnull(strstr(report, "pass  "));
    ck_assert_int_eq(CHECK(in_dir("a.pcap")), 2);
    ck_assert_str_eq(report, "");
}
END_TEST

/* Damage on the way is no one's doing, and proves nothing. */
START_TEST(damaged_frames_are_counted_only)
{
    char file[REPORT_MAX];
    FILE *pcap;
    size_t len;

    (void)capture("a", &plain);
    pcap = fopen(in_dir("a.pcap"), "r+");
    ck_assert_ptr_nonnull(pcap);
    len = fread(file, 1, sizeof file, pcap);
    ck_assert_uint_gt(len, 200);
    file[24 + 16 + 14 + 20 + 8 + 12] ^= 1; /* a base of the first frame */
    rewind(pcap);
    ck_assert_uint_eq(fwrite(file, 1, len, pcap), len);
    ck_assert_int_eq(fclose(pcap), 0);
    ck_assert_int_eq(CHECK(in_dir("a.pcap")), 0);
    ck_assert_ptr_nonnull(strstr(report, "1 frames were damaged"));
}
END_TEST

START_TEST(a_cut_capture_is_judged_as_far_as_it_goes)
{
    (void)capture("a", &plain);
    ck_assert_int_eq(truncate(in_dir("a.pcap"), 5000), 0);
    ck_assert_int_eq(CHECK(in_dir("a.pcap")), 2);
    ck_assert_ptr_nonnull(strstr(report, "packets judged"));
    ck_assert_ptr_nonnull(strstr(complaint, "a.pcap: frame"));
}
END_TEST

/* ---- timelines ---- */

struct lines {
    FILE *file;
    struct fal_judge *judge;
};

static void take_line(void *ctx, const struct fal_event *event)
{
    struct lines *l = ctx;
    json_t *object = fal_event_to_json(event);

    ck_assert_int_eq(json_dumpf(object, l->file, JSON_COMPACT), 0);
    (void)fputc('\n', l->file);
    json_decref(object);
    fal_judge_event(l->judge, event);
}

/* Writes a timeline, and judges it on the way. */
static enum fal_verdict timeline(const char *name, uint64_t seed)
{
    struct model_config c = {.seed = seed, .delay_max_ns = 9000, .commanded = true};
    struct fal_judge_config config = {0};
    struct lines l = {.file = fopen(in_dir(name), "w"), .judge = fal_judge_new(&config)};
    enum fal_verdict verdict;

    ck_assert(l.file != NULL && l.judge != NULL);
    (void)fputs("{\"schema\": \"" FAL_TIMELINE_SCHEMA "\"}\n", l.file);
    model_run(&c, take_line, &l);
    fal_judge_finish(l.judge);
    verdict = fal_judge_verdict(l.judge);
    fal_judge_free(l.judge);
    ck_assert_int_eq(fclose(l.file), 0);
    return verdict;
}

START_TEST(a_timeline_comes_to_the_same_verdict)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        enum fal_verdict verdict = timeline("t.jsonl", seed);
        int due = verdict == FAL_VERDICT_INCONC ? 3 : 0;

        ck_assert_int_lt(verdict, FAL_VERDICT_FAIL);
        ck_assert_msg(CHECK(in_dir("t.jsonl")) == due, "seed %" PRIu64 ": %s%s", seed, report,
                      complaint);
        ck_assert_ptr_nonnull(strstr(report, "U1"));
    }
}
END_TEST

START_TEST(several_files_the_worst_status)
{
    struct scene scene = plain;

    scene.change = far_bit;
    scene.change_at = 9;
    (void)capture("bad", &scene);
    (void)timeline("t.jsonl", 1);
    ck_assert_int_eq(CHECK(in_dir("t.jsonl"), in_dir("bad.pcap"), "--connections",
                           in_dir("bad.json"), "--complete-capture"),
                     1);
    ck_assert_int_eq(CHECK(in_dir("t.jsonl"), in_dir("none.pcap")), 2);
    ck_assert_ptr_nonnull(strstr(complaint, "none.pcap"));
    ck_assert_ptr_nonnull(strstr(report, "t.jsonl"));
}
END_TEST

static const struct {
    const char *text, *complaint;
} wrong_timelines[] = {
    {"{\"schema\": \"talon/timeline/2\"}\n", "t.jsonl:1: "},
    {"{\"schema\": \"talon/timeline/1\"}\n{\"event\": \"run\", \"t_ns\": 0}\n{\"event\": \"packet\"\n",
     "t.jsonl:3: "},
    {"{\"schema\": \"talon/timeline/1\"}\n{\"event\": \"run\", \"t_ns\": 0}\n\n{\"event\": \"nuts\", \"t_ns\": 0}\n",
     "t.jsonl:4: event: expected run,"},
    {"{\"schema\": \"talon/timeline/1\"}\n", "has no Falcon packet"},
};

START_TEST(wrong_timelines_are_named)
{
    write_file("t.jsonl", wrong_timelines[_i].text);
    ck_assert_int_eq(CHECK(in_dir("t.jsonl")), 2);
    ck_assert_msg(strstr(complaint, wrong_timelines[_i].complaint) != NULL, "%s", complaint);
    ck_assert_ptr_eq(strchr(complaint, '\n'), complaint + strlen(complaint) - 1); /* one line */
}
END_TEST

START_TEST(an_endless_line_is_refused)
{
    FILE *file = fopen(in_dir("t.jsonl"), "w");

    ck_assert_ptr_nonnull(file);
    (void)fputs("{\"schema\": \"talon/timeline/1\"}\n", file);
    for (int i = 0; i < (5 << 20); i++)
        (void)fputc(' ', file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(CHECK(in_dir("t.jsonl")), 2);
    ck_assert_msg(strstr(complaint, "t.jsonl:2: longer than") != NULL, "%s", complaint);
}
END_TEST

/* ---- options ---- */

static const char *const wrong_options[][4] = {
    {NULL},
    {"--only"},
    {"--only", "R99", "x"},
    {"--skip", "", "x"},
    {"--vantage", "moon", "x"},
    {"--sut", "10.0.0", "x"},
    {"--falcon-port", "70000", "x"},
    {"--format", "xml", "x"},
    {"--psp-keys", "/nonexistent", "x"},
    {"--connections", "/nonexistent", "x"},
    {"--frobnicate", "x"},
    {"/nonexistent"},
};

START_TEST(wrong_options_are_named)
{
    const char *const *o = wrong_options[_i];

    ck_assert_int_eq(check((const char *const[]){o[0], o[1], o[2], NULL}), 2);
    ck_assert_str_eq(report, "");
    ck_assert_msg(strncmp(complaint, "talon check: ", 13) == 0, "%s", complaint);
    ck_assert_ptr_eq(strchr(complaint, '\n'), complaint + strlen(complaint) - 1);
}
END_TEST

static const char *const wrong_connections[] = {
    "[",
    "{}",
    "[{}]",
    "[{\"sut\": {\"cid\": 16777216}, \"tester\": {\"cid\": 1}}]",
    "[{\"sut\": {\"cid\": 1}, \"tester\": {\"cid\": 1}}]",
    "[{\"sut\": {\"cid\": 1, \"address\": \"x\"}, \"tester\": {\"cid\": 2}}]",
    "[{\"sut\": {\"cid\": 1}, \"tester\": {\"cid\": 2}, \"params\": {\"nonsense\": 1}}]",
    "[{\"sut\": {\"cid\": 1}, \"tester\": {\"cid\": 2}, \"params\": {\"rto_ns\": \"x\"}}]",
};

START_TEST(wrong_connections_are_named)
{
    (void)capture("a", &plain);
    write_file("c.json", wrong_connections[_i]);
    ck_assert_int_eq(CHECK(in_dir("a.pcap"), "--connections", in_dir("c.json")), 2);
    ck_assert_msg(strstr(complaint, "c.json") != NULL, "%s", complaint);
    ck_assert_ptr_eq(strchr(complaint, '\n'), complaint + strlen(complaint) - 1);
}
END_TEST

START_TEST(help_is_on_standard_output)
{
    ck_assert_int_eq(CHECK("--help"), 0);
    ck_assert_ptr_nonnull(strstr(report, "usage: talon check"));
    ck_assert_str_eq(complaint, "");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("talon check");
    TCase *tc = tcase_create("check");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_lawful_capture_passes_both_ends);
    tcase_add_test(tc, one_end_is_judged_when_named);
    tcase_add_test(tc, a_host_that_is_not_there_brings_a_hint);
    tcase_add_test(tc, a_break_is_shown_with_its_frames);
    tcase_add_test(tc, given_numbers_give_power_from_the_first_packet);
    tcase_add_test(tc, what_cannot_be_paired_convicts_nobody);
    tcase_add_test(tc, an_unpaired_direction_still_shows_bad_packets);
    tcase_add_test(tc, two_ends_on_one_host);
    tcase_add_test(tc, bare_captures);
    tcase_add_test(tc, sealed_captures_need_keys);
    tcase_add_test(tc, damaged_frames_are_counted_only);
    tcase_add_test(tc, a_cut_capture_is_judged_as_far_as_it_goes);
    tcase_add_test(tc, a_timeline_comes_to_the_same_verdict);
    tcase_add_test(tc, several_files_the_worst_status);
    tcase_add_loop_test(tc, wrong_timelines_are_named, 0,
                        (int)(sizeof wrong_timelines / sizeof *wrong_timelines));
    tcase_add_test(tc, an_endless_line_is_refused);
    tcase_add_loop_test(tc, wrong_options_are_named, 0,
                        (int)(sizeof wrong_options / sizeof *wrong_options));
    tcase_add_loop_test(tc, wrong_connections_are_named, 0,
                        (int)(sizeof wrong_connections / sizeof *wrong_connections));
    tcase_add_test(tc, help_is_on_standard_output);
    suite_add_tcase(suite, tc);
    return suite;
}
