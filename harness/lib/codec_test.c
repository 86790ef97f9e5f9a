/* SPDX-License-Identifier: Apache-2.0
 * codec_test.c - libtalon decodes and encodes frames. */
#include "harness/lib/talon.h"
#include "tests/testing.h"

#include <string.h>

static struct talon_error err;
static uint8_t wire[4096];

static struct talon_codec *new_codec(const char *const *words, size_t count)
{
    struct talon_codec *codec = talon_codec_new(words, count, &err);

    ck_assert_msg(codec != NULL, "%s", err.text);
    return codec;
}

static const char line[] =
    "@5us > push_data cid=0x111 psn=100 rsn=1 dbase=50 rbase=70 len=8 ar";

START_TEST(a_line_becomes_a_frame_and_a_structure)
{
    struct talon_codec *codec = new_codec(NULL, 0);
    const struct talon_packet *packet;
    struct talon_frame frame;

    ck_assert_msg(talon_encode(codec, line, wire, sizeof wire, &frame, &err) == 0, "%s",
                  err.text);
    ck_assert_uint_eq(frame.time_ns, 5000);
    ck_assert_uint_eq(frame.linktype, 1);
    ck_assert_int_eq(talon_decode(codec, &frame, &packet, &err), 0);
    ck_assert_uint_eq(packet->flags, TALON_PACKET_FALCON);
    ck_assert_uint_eq(packet->type, TALON_PUSH_DATA);
    ck_assert_uint_eq(packet->dest_cid, 0x111);
    ck_assert_uint_eq(packet->psn, 100);
    ck_assert_uint_eq(packet->rsn, 1);
    ck_assert_uint_eq(packet->ack_req, 1);
    ck_assert_uint_eq(packet->recv_data_base_psn, 50);
    ck_assert_uint_eq(packet->recv_req_base_psn, 70);
    ck_assert_uint_eq(packet->payload_length, 8);
    ck_assert_uint_eq(packet->ip_version, 4);
    ck_assert_int_eq(memcmp(packet->source, "\x0a\0\0\x01", 4), 0);
    ck_assert_int_eq(memcmp(packet->destination, "\x0a\0\0\x02", 4), 0);
    ck_assert_uint_eq(packet->destination_port, 7777);
    ck_assert_ptr_null(packet->issue);
    talon_codec_free(codec);
}
END_TEST

START_TEST(json_and_text_encode_to_the_same_bytes)
{
    static const char *const words[] = {"--encap", "psp_transport", "--ip",
                                        "6",       "--psp-keys",    "tests/data/psp-keys.json"};
    struct talon_codec *codec = new_codec(words, 6);
    static uint8_t again[sizeof wire];
    struct talon_frame frame, second;
    const struct talon_packet *packet;
    char *text, *json;

    ck_assert_msg(talon_encode(codec, line, wire, sizeof wire, &frame, &err) == 0, "%s",
                  err.text);
    ck_assert_int_eq(talon_decode_json(codec, &frame, 1, &json, &err), 0);
    ck_assert_ptr_null(strchr(json, '\n'));
    ck_assert_msg(talon_encode(codec, json, again, sizeof again, &second, &err) == 0, "%s: %s",
                  json, err.text);
    ck_assert_uint_eq(second.captured, frame.captured);
    ck_assert_int_eq(memcmp(wire, again, frame.captured), 0);
    talon_free(json);
    ck_assert_int_eq(talon_decode_text(codec, &frame, 1, &text, &err), 0);
    ck_assert_msg(strstr(text, "push_data") != NULL, "%s", text);
    talon_free(text);
    talon_free(NULL);
    ck_assert_int_eq(talon_decode(codec, &frame, &packet, &err), 0);
    ck_assert_uint_eq(packet->flags,
                      TALON_PACKET_FALCON | TALON_PACKET_SEALED | TALON_PACKET_OPENED);
    ck_assert_uint_eq(packet->ip_version, 6);
    ck_assert_uint_ne(packet->spi, 0);
    wire[frame.captured - 1] ^= 1;
    ck_assert_int_eq(talon_decode(codec, &frame, &packet, &err), 0);
    ck_assert_uint_eq(packet->flags & (TALON_PACKET_OPENED | TALON_PACKET_DAMAGED),
                      TALON_PACKET_DAMAGED);
    ck_assert_ptr_nonnull(packet->issue);
    talon_codec_free(codec);
}
END_TEST

START_TEST(what_cannot_be_done_is_an_error)
{
    static const char *const psp[] = {"--encap", "psp_transport"};
    static const char *const bad[] = {"--falcon-port", "0"};
    struct talon_codec *codec = new_codec(NULL, 0);
    const struct talon_packet *packet;
    struct talon_frame frame = {0};

    ck_assert_int_eq(talon_encode(codec, "", wire, sizeof wire, &frame, &err), TALON_ERR_FORM);
    ck_assert_int_eq(talon_encode(codec, "{}", wire, sizeof wire, &frame, &err),
                     TALON_ERR_FORM);
    ck_assert_int_eq(talon_encode(codec, "push_date", wire, sizeof wire, &frame, NULL),
                     TALON_ERR_FORM);
    ck_assert_int_eq(talon_encode(codec, line, wire, 20, &frame, &err), TALON_ERR_SHORT);
    frame = (struct talon_frame){.bytes = wire, .captured = 4, .linktype = 9};
    ck_assert_int_eq(talon_decode(codec, &frame, &packet, &err), TALON_ERR_TYPE);
    frame = (struct talon_frame){.bytes = wire, .captured = 3, .length = 90};
    ck_assert_int_eq(talon_decode(codec, &frame, &packet, &err), 0);
    ck_assert_uint_eq(packet->flags & TALON_PACKET_TRUNCATED, TALON_PACKET_TRUNCATED);
    talon_codec_free(codec);
    codec = new_codec(psp, 2);
    ck_assert_int_eq(talon_encode(codec, line, wire, sizeof wire, &frame, &err), TALON_ERR_KEY);
    talon_codec_free(codec);
    ck_assert_ptr_null(talon_codec_new(bad, 2, &err));
    ck_assert_int_eq(err.code, TALON_ERR_FORM);
    talon_codec_free(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("codec of libtalon");
    TCase *tc = tcase_create("codec");

    tcase_add_test(tc, a_line_becomes_a_frame_and_a_structure);
    tcase_add_test(tc, json_and_text_encode_to_the_same_bytes);
    tcase_add_test(tc, what_cannot_be_done_is_an_error);
    suite_add_tcase(suite, tc);
    return suite;
}
