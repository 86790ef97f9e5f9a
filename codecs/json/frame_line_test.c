/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/json/frame_line.h"

#include "codecs/json/json.h"
#include "codecs/text/frame_text.h"
#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STORAGE = 4096 };

static uint8_t storage[STORAGE], bytes[STORAGE], scratch[STORAGE];

static struct fal_frame_line reader_for(enum fal_encap encap, int ip)
{
    return (struct fal_frame_line){
        .encap = encap, .ip_version = ip, .storage = storage, .cap = sizeof storage};
}

/* A line to a frame to bytes to a frame. */
static struct fal_frame read_line(struct fal_frame_line *reader, const char *line,
                                  struct fal_psp_keys *keys)
{
    struct fal_frame frame = {0}, decoded = {0};
    struct fal_frame_options options = {.psp_keys = keys};
    struct fal_error err = {{0}};
    unsigned keep;
    int status = fal_frame_line_read(reader, line, strlen(line), &frame, &keep, &err);

    ck_assert_msg(status == 1, "%s: %s", line, err.text);
    status = fal_frame_encode(&frame, keys, keep, bytes, sizeof bytes, NULL);
    ck_assert_int_gt(status, 0);
    decoded.ts_ns = frame.ts_ns;
    decoded.number = 1;
    ck_assert_int_eq(fal_frame_decode(&(struct fal_captured){bytes, (size_t)status,
                                                             (size_t)status, frame.linktype},
                                      &options, scratch, &decoded),
                     0);
    return decoded;
}

static const char *as_text(const struct fal_frame *frame, uint64_t first_ns)
{
    static char text[4096];
    int len = fal_frame_text(frame, first_ns, 0, text, sizeof text);

    ck_assert(len >= 0 && (size_t)len < sizeof text);
    ck_assert_int_eq(fal_frame_text(frame, first_ns, 0, NULL, 0), len);
    return text;
}

#define V4 "# 1 10.0.0.1:61440 > 10.0.0.2:7777 udp\n"

static const struct {
    const char *line;
    enum fal_encap encap;
    int ip;
    const char *text;
} rows[] = {
    {"push_data psn=1r len=4", FAL_ENCAP_UDP, 4,
     "@0 push_data cid=0 dbase=0 rbase=0 psn=1 rsn=0 len=4  " V4},
    {"push_data payload_len=4", FAL_ENCAP_UDP, 4,
     "@0 push_data cid=0 dbase=0 rbase=0 psn=0 rsn=0 len=4  " V4},
    {"pull_request len=4", FAL_ENCAP_UDP, 4,
     "@0 pull_request cid=0 dbase=0 rbase=0 psn=0 rsn=0 len=4  " V4},
    {"pull_data payload_len=4", FAL_ENCAP_UDP, 4,
     "@0 pull_data cid=0 dbase=0 rbase=0 psn=0 rsn=0 payload_len=4  " V4},
    {"@5us push_data len=4 payload_len=3", FAL_ENCAP_UDP, 4,
     "@5us push_data cid=0 dbase=0 rbase=0 psn=0 rsn=0 len=4 payload_len=3  " V4
     "    # error request-length-mismatch: falcon.request_length at byte 68: seen 4, due 3: "},
    {"< back", FAL_ENCAP_UDP, 4,
     "@0 back cid=0 dbase=0 rbase=0  # 1 10.0.0.2:61440 > 10.0.0.1:7777 udp\n"},
    {"> back", FAL_ENCAP_UDP, 6,
     "@0 back cid=0 dbase=0 rbase=0  # 1 [fd00::1]:61440 > [fd00::2]:7777 udp\n"},
    {"< back", FAL_ENCAP_UDP, 6,
     "@0 back cid=0 dbase=0 rbase=0  # 1 [fd00::2]:61440 > [fd00::1]:7777 udp\n"},
    {"back", FAL_ENCAP_BARE, 6, "@0 back cid=0 dbase=0 rbase=0  # 1 bare\n"},
    {"back reserved_1=1", FAL_ENCAP_BARE, 4,
     "@0 back cid=0 reserved_1=0x1 dbase=0 rbase=0  # 1 bare\n"
     "    # warning reserved-not-zero: falcon.reserved_1 at byte 4: seen 1, due 0: "},
    {"hex:1000000500000078", FAL_ENCAP_UDP, 4, "@0 hex:1000000500000078  " V4},
    {"hex:10", FAL_ENCAP_BARE, 4, "@0 hex:10  # 1 bare\n    # error packet-too-short: "},
    {"{\"falcon\": {\"packet_type\": \"back\", \"dest_cid\": 3}}", FAL_ENCAP_UDP, 6,
     "@0 back cid=3 dbase=0 rbase=0  # 1 [fd00::1]:61440 > [fd00::2]:7777 udp\n"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"ipv4\": {\"src\": \"1.2.3.4\"}}",
     FAL_ENCAP_UDP, 6,
     "@0 back cid=0 dbase=0 rbase=0  # 1 1.2.3.4:61440 > 10.0.0.2:7777 udp\n"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"udp\": {\"src_port\": 9}}", FAL_ENCAP_BARE, 6,
     "@0 back cid=0 dbase=0 rbase=0  # 1 [fd00::1]:9 > [fd00::2]:7777 udp\n"},
    {"{\"falcon\": {\"packet_type\": \"back\"}}", FAL_ENCAP_BARE, 6,
     "@0 back cid=0 dbase=0 rbase=0  # 1 bare\n"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"udp\": {\"dst_port\": 53}}", FAL_ENCAP_UDP, 4,
     "# 1 10.0.0.1:61440 > 10.0.0.2:53 udp, no Falcon: eth ipv4 udp raw, 74 bytes\n"},
    {"{\"raw\": \"00ff\", \"eth\": {\"ethertype\": 2054}}", FAL_ENCAP_UDP, 4,
     "# 1, no Falcon: eth raw, 44 bytes\n"},
    {"{\"layers\": [\"raw\"], \"raw\": \"00ff\"}", FAL_ENCAP_UDP, 4,
     "# 1, no Falcon: raw, 2 bytes\n"},
};

START_TEST(line_becomes_a_frame)
{
    struct fal_frame_line reader = reader_for(rows[_i].encap, rows[_i].ip);
    struct fal_frame frame = read_line(&reader, rows[_i].line, NULL);
    const char *text = as_text(&frame, 0);

    ck_assert_msg(strncmp(text, rows[_i].text, strlen(rows[_i].text)) == 0, "%s\ndue\n%s", text,
                  rows[_i].text);
}
END_TEST

START_TEST(times_count_on_from_line_to_line)
{
    static const struct {
        const char *line;
        uint64_t ns;
    } lines[] = {
        {"back", 0},
        {"+5us back", 5000},
        {"back", 5000},
        {"+1ns back", 5001},
        {"@1ms back", 1000000},
        {"{\"falcon\": {\"packet_type\": \"back\"}}", 1000000},
        {"{\"falcon\": {\"packet_type\": \"back\"}, \"ts_ns\": 7}", 7},
        {"+3ns back", 10},
    };
    struct fal_frame_line reader = reader_for(FAL_ENCAP_UDP, 4);

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_uint_eq(read_line(&reader, lines[i].line, NULL).ts_ns, lines[i].ns);
}
END_TEST

static struct fal_psp_keys *open_keys(void)
{
    json_t *json = json_loads(
        "{\"master_keys\": [\"598fb22aac25025c52b9b35754bac9b3b03b7dd127f028a74c2f766bbd01b3dc\","
        "\"0c6f64594386bdbfc4deebdd870a707ceff1caf6ec3bffb926c83cecaf9f315c\"]}",
        0, NULL);
    struct fal_psp_keys *keys = fal_psp_keys_new(json, NULL);

    ck_assert_ptr_nonnull(keys);
    json_decref(json);
    return keys;
}

START_TEST(no_iv_is_given_twice)
{
    struct fal_frame_line reader = reader_for(FAL_ENCAP_PSP_TRANSPORT, 4);
    struct fal_psp_keys *keys = open_keys();
    uint64_t last = 0;

    for (int i = 0; i < 5; i++) {
        struct fal_frame frame = read_line(&reader, i == 3 ? "+1us back" : "back", keys);

        ck_assert_int_eq(frame.psp_state, FAL_PSP_GOOD);
        ck_assert_uint_gt(frame.psp.iv, last);
        last = frame.psp.iv;
        if (i == 3)
            ck_assert_uint_eq(frame.psp.iv, 1000000); /* picoseconds */
    }
    ck_assert_uint_eq(
        read_line(&reader, "{\"falcon\": {\"packet_type\": \"back\"}, \"psp\": {\"iv\": 5}}",
                  keys)
            .psp.iv,
        5);
    fal_psp_keys_free(keys);
}
END_TEST

/* A sealed frame shows what can be known of it. */
START_TEST(sealed_frames_show_what_is_in_the_clear)
{
    struct fal_frame_line reader = reader_for(FAL_ENCAP_PSP_TRANSPORT, 4);
    struct fal_psp_keys *keys = open_keys();
    struct fal_frame frame = read_line(&reader, "back cid=77", keys), again = {.number = 1};
    struct fal_frame_options with_keys = {.psp_keys = keys};
    uint32_t len = frame.len;

    ck_assert_str_eq(as_text(&frame, 0), "@0 back cid=77 dbase=0 rbase=0  # 1 10.0.0.1:61440 > "
                                         "10.0.0.2:1000 psp_transport spi=0x00000001\n");
    FAL_IGNORE(
        fal_frame_decode(&(struct fal_captured){bytes, len, len, 1}, NULL, scratch, &again));
    ck_assert_str_eq(as_text(&again, 0), "# 1 10.0.0.1:61440 > 10.0.0.2:1000 psp_transport "
                                         "spi=0x00000001, sealed, no key, cid=77\n");
    FAL_IGNORE(fal_frame_decode(&(struct fal_captured){bytes, len - 1, len, 1}, &with_keys,
                                scratch, &again));
    ck_assert_str_eq(
        as_text(&again, 0),
        "# 1 10.0.0.1:61440 > 10.0.0.2:1000 psp_transport spi=0x00000001, sealed and cut, cid=77, 105 of 106 bytes captured\n");
    bytes[len - 1] ^= 1;
    FAL_IGNORE(fal_frame_decode(&(struct fal_captured){bytes, len, len, 1}, &with_keys, scratch,
                                &again));
    ck_assert_int_eq(
        strncmp(
            as_text(&again, 0),
            "# 1 10.0.0.1:61440 > 10.0.0.2:1000 psp_transport spi=0x00000001, wrong ICV, cid=77\n",
            80),
        0);
    fal_psp_keys_free(keys);
}
END_TEST

START_TEST(time_before_the_first_frame_is_told)
{
    struct fal_frame_line reader = reader_for(FAL_ENCAP_BARE, 4);
    struct fal_frame frame = read_line(&reader, "@5us back", NULL);

    ck_assert_str_eq(as_text(&frame, 7000),
                     "@0 back cid=0 dbase=0 rbase=0  # 1 bare, 2us before the first\n");
    ck_assert_str_eq(as_text(&frame, 4999), "@1ns back cid=0 dbase=0 rbase=0  # 1 bare\n");
}
END_TEST

START_TEST(nothing_and_comments_are_no_frames)
{
    static const char *const lines[] = {"", "   ", "\t\r", "# back", "    # error"};
    struct fal_frame_line reader = reader_for(FAL_ENCAP_UDP, 4);
    struct fal_frame frame = {0};
    unsigned keep;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_int_eq(
            fal_frame_line_read(&reader, lines[i], strlen(lines[i]), &frame, &keep, NULL), 0);
}
END_TEST

static const struct {
    const char *line;
    int code;
    const char *error;
} wrong[] = {
    {"push", FAL_ERR_FORM, "column 1: no packet type 'push'"},
    {"packet cid=1", FAL_ERR_FORM, "'packet' can be expected only"},
    {"push_data psn=1..2", FAL_ERR_FORM, "psn: a packet to send needs one value, not a range"},
    {"push_data psn=$x", FAL_ERR_FORM, "psn: there is no variable $x"},
    {"push_data len=5000", FAL_ERR_SHORT, "payload_len: more bytes"},
    {"<=5us back", FAL_ERR_FORM, "a range of times is for expectations"},
    {"1us..5us back", FAL_ERR_FORM, "a range of times is for expectations"},
    {"+$rto back", FAL_ERR_FORM, "there is no variable $rto"},
    {"+18446744073709551615ns back", FAL_ERR_RANGE, "the time does not fit"},
    {"{", FAL_ERR_FORM, "column 1: "},
    {"{\"falcon\": {}, \"falcon\": {}}", FAL_ERR_FORM, "column 23: duplicate object key"},
    {"{\"falcon\": {\"packet_type\": \"back\"}} x", FAL_ERR_FORM,
     "column 37: end of file expected"},
    {"[1]", FAL_ERR_FORM, "a packet is a JSON object"},
    {"{\"falcon\": {\"packet_type\": \"back\", \"psn\": 1}}", FAL_ERR_FORM,
     "falcon.psn: back has no such field"},
};

START_TEST(wrong_line_says_what_and_where)
{
    struct fal_frame_line reader = reader_for(FAL_ENCAP_UDP, 4);
    struct fal_frame frame = {0};
    struct fal_error err = {{0}};
    unsigned keep;

    reader.last_ns = 1;
    ck_assert_int_eq(fal_frame_line_read(&reader, wrong[_i].line, strlen(wrong[_i].line),
                                         &frame, &keep, &err),
                     wrong[_i].code);
    ck_assert_msg(strncmp(err.text, wrong[_i].error, strlen(wrong[_i].error)) == 0,
                  "%s: %s; due: %s", wrong[_i].line, err.text, wrong[_i].error);
    ck_assert_uint_eq(reader.last_ns, 1);
}
END_TEST

START_TEST(nul_bytes_are_refused)
{
    struct fal_frame_line reader = reader_for(FAL_ENCAP_UDP, 4);
    struct fal_frame frame = {0};
    struct fal_error err = {{0}};
    unsigned keep;

    ck_assert_int_eq(fal_frame_line_read(&reader, "back\0 cid=1", 11, &frame, &keep, &err),
                     FAL_ERR_FORM);
    ck_assert_str_eq(err.text, "column 5: a NUL byte");
    ck_assert_int_eq(fal_frame_line_read(&reader, "{\"a\0\": 1}", 9, &frame, &keep, &err),
                     FAL_ERR_FORM);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("frame_line");
    TCase *tc = tcase_create("frame_line");

    tcase_add_loop_test(tc, line_becomes_a_frame, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_test(tc, times_count_on_from_line_to_line);
    tcase_add_test(tc, no_iv_is_given_twice);
    tcase_add_test(tc, sealed_frames_show_what_is_in_the_clear);
    tcase_add_test(tc, time_before_the_first_frame_is_told);
    tcase_add_test(tc, nothing_and_comments_are_no_frames);
    tcase_add_loop_test(tc, wrong_line_says_what_and_where, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, nul_bytes_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
