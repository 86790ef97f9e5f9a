/* SPDX-License-Identifier: Apache-2.0
 * roce_frame_text_test.c - captured frames of RoCEv2 as lines, and the same frames made from
 * these lines: all opcodes, all fields, and packets that are no packets. */
#include "codecs/frame/roce_frame.h"
#include "codecs/header/bitloop_test.h"
#include "codecs/text/bytes_line.h"
#include "codecs/text/frame_text.h"
#include "codecs/text/roce_text.h"

#include "tests/testing.h"

#include <string.h>

enum { CAP = 6000, TEXT = 8000 };

static char text[TEXT];

static const char *text_of(const uint8_t *bytes, size_t len, size_t on_the_wire)
{
    struct fal_frame frame = {.number = 1, .ts_ns = 7000};

    ck_assert_int_eq(
        fal_frame_decode(&(struct fal_captured){bytes, len, on_the_wire, FAL_LINKTYPE_ETHERNET},
                         NULL, NULL, &frame),
        0);
    ck_assert_int_lt(fal_frame_text(&frame, 2000, 0, text, sizeof text), TEXT);
    return text;
}

/* The frame that talon encode makes from the line, or 0 if the line is a comment. */
static int made_of(const char *line, bool v6, uint8_t *out)
{
    struct fal_roce_line read;
    struct fal_roce_route route;
    struct fal_error err = {{0}};
    char first[TEXT];
    int len;

    (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(line, "\n"), line);
    if (first[0] == '#')
        return 0;
    ck_assert_msg(fal_roce_line_parse(first, &read, &err) == 0, "%s: %s", first, err.text);
    ck_assert_uint_eq(read.at_ns, 5000);
    fal_roce_route_lab(&route, v6, read.back);
    route.ecn = read.ecn;
    if (read.port != 0)
        route.src_port = read.port;
    len = read.hex_len > 0 ? fal_roce_frame_bytes(&(struct fal_span){read.hex, read.hex_len},
                                                  &route, out, CAP)
                           : fal_roce_frame_encode(&read.packet, &route, out, CAP, NULL);
    ck_assert_msg(len > 0, "%s", first);
    if (read.bad_icrc)
        out[len - 1] ^= 1;
    return len;
}

static void comes_back(const uint8_t *bytes, int len, bool v6)
{
    uint8_t again[CAP];

    ck_assert_int_gt(len, 0);
    ck_assert_msg(made_of(text_of(bytes, (size_t)len, (size_t)len), v6, again) == len, "%s",
                  text);
    ck_assert_msg(memcmp(bytes, again, (size_t)len) == 0, "%s", text);
}

/* A packet whose fields, reserved bits too, are drawn: zero, all ones, or anything. */
static void draw(uint64_t *state, unsigned opcode, struct fal_roce_packet *packet)
{
    fal_roce_init(packet, opcode);
    for (size_t h = 0; h <= packet->kind->num_headers; h++) {
        const struct fal_layout *layout =
            h == 0 ? &fal_roce_layout : fal_roce_header_layout(packet->kind->headers[h - 1]);
        void *host =
            h == 0 ? &packet->bth : fal_roce_host(packet, packet->kind->headers[h - 1]);

        for (size_t k = 0; k < layout->num_fields; k++) {
            const struct fal_field *f = &layout->fields[k];
            unsigned bits = f->width_bits > 0 && f->width_bits < 64 ? f->width_bits : 64;
            uint64_t value = (test_random(state) >> 16);

            if (h == 0 && (k == 0 || strcmp(f->name, "pad") == 0))
                continue;
            value = value % 3 == 0   ? f->initial
                    : value % 3 == 1 ? UINT64_MAX
                                     : test_random(state);
            FAL_IGNORE(fal_field_set(f, host, value >> (64 - bits)));
        }
    }
    packet->data_len = (test_random(state) >> 16) % 6;
}

/* Each opcode, with the fields that were drawn, over both IP versions and both ways. */
START_TEST(all_opcodes_come_back)
{
    uint64_t state = test_seed(31);
    unsigned opcodes = 0;

    for (unsigned round = 0; round < 256 * 16; round++) {
        struct fal_roce_packet packet;
        struct fal_roce_route route;
        uint8_t bytes[CAP];
        bool v6 = round & 1;
        int len;

        if (fal_roce_kind(round / 16) == NULL)
            continue;
        opcodes += round % 16 == 0;
        draw(&state, round / 16, &packet);
        fal_roce_route_lab(&route, v6, round & 2);
        route.ecn = round >> 2 & 3;
        if (round % 3 == 0)
            route.src_port = (uint16_t)(1 + (test_random(&state) >> 16) % UINT16_MAX);
        len = fal_roce_frame_encode(&packet, &route, bytes, sizeof bytes, NULL);
        comes_back(bytes, len, v6);
        ck_assert_msg(strstr(text, "hex:") == NULL, "%s", text);
        bytes[len - 1] ^= 1;
        comes_back(bytes, len, v6);
        ck_assert_ptr_nonnull(strstr(text, " icrc=bad"));
    }
    ck_assert_uint_eq(opcodes, 38);
}
END_TEST

/* UDP to RoCE's port that carries anything: bytes that were drawn, a packet with some bits
 * turned, cut, or with bytes behind it. */
static size_t draw_carried(uint64_t *state, uint8_t *out)
{
    struct fal_roce_packet packet;
    size_t len = 1 + (test_random(state) >> 16) % FAL_ROCE_HEX_MAX;
    unsigned opcode = (test_random(state) >> 16) % 256;

    test_random_bytes(state, out, len);
    if (fal_roce_kind(opcode) != NULL) {
        draw(state, opcode, &packet);
        len = (size_t)fal_roce_encode(&packet, out, CAP, NULL);
        for (uint64_t turns = (test_random(state) >> 16) % 4; turns > 0; turns--)
            out[(test_random(state) >> 16) % len] ^=
                (uint8_t)(1u << (test_random(state) >> 16) % 8);
        if ((test_random(state) >> 16) % 2 == 0)
            len = 1 + (test_random(state) >> 16) % (len + 3);
    }
    return len;
}

START_TEST(hostile_packets_come_back)
{
    uint64_t seed = test_seed(32), state = seed;

    for (unsigned long round = 0; round < test_rounds(4000); round++) {
        uint8_t carried[CAP], bytes[CAP];
        size_t len = draw_carried(&state, carried);
        struct fal_roce_route route;

        fal_roce_route_lab(&route, round & 1, round & 2);
        comes_back(
            bytes,
            fal_roce_frame_bytes(&(struct fal_span){carried, len}, &route, bytes, sizeof bytes),
            round & 1);
    }
}
END_TEST

/* Any bit of the whole frame may be wrong, and its end may be missing: the line can be read,
 * and a cut frame is a comment. */
START_TEST(hostile_frames_are_read)
{
    uint64_t seed = test_seed(33), state = seed;

    for (unsigned long round = 0; round < test_rounds(4000); round++) {
        uint8_t carried[CAP], bytes[CAP], again[CAP];
        size_t len = draw_carried(&state, carried), kept;
        struct fal_roce_route route;

        fal_roce_route_lab(&route, round & 1, round & 2);
        len = (size_t)fal_roce_frame_bytes(&(struct fal_span){carried, len}, &route, bytes,
                                           sizeof bytes);
        bytes[(test_random(&state) >> 16) % len] ^=
            (uint8_t)(1u << (test_random(&state) >> 16) % 8);
        kept = (test_random(&state) >> 16) % 2 == 0 ? len : (test_random(&state) >> 16) % len;
        (void)text_of(bytes, kept, len);
        ck_assert_msg(kept == len || text[0] == '#', "%s\n%s", text, test_again(seed));
        if (strstr(text, " roce ") != NULL)
            (void)made_of(text, round & 1, again);
    }
}
END_TEST

START_TEST(much_data_is_a_comment)
{
    struct fal_roce_packet packet;
    struct fal_roce_route route;
    uint8_t bytes[CAP];
    int len;

    fal_roce_init(&packet, FAL_ROCE_OP_rc_send_only);
    packet.bth.m = 1;
    fal_roce_route_lab(&route, false, false);
    packet.data_len = FAL_ROCE_DATA_MAX;
    len = fal_roce_frame_encode(&packet, &route, bytes, sizeof bytes, NULL);
    comes_back(bytes, len, false);
    packet.data_len = FAL_ROCE_DATA_MAX + 4;
    len = fal_roce_frame_encode(&packet, &route, bytes, sizeof bytes, NULL);
    ck_assert_str_eq(text_of(bytes, (size_t)len, (size_t)len),
                     "# 1 10.0.0.1:49152 > 10.0.0.2:4791 udp, roce opcode=rc_send_only "
                     "dest_qp=0 psn=0 / data=4100\n");
}
END_TEST

/* ---- lines with all bytes ---- */

START_TEST(bytes_come_back)
{
    uint64_t state = test_seed(34);

    for (unsigned round = 0; round < 200; round++) {
        uint8_t bytes[300], again[300];
        struct fal_bytes_line due = {.ts_ns = test_random(&state) >> (round % 64),
                                     .linktype = 1 + round % 300,
                                     .len = round,
                                     .missing = round % 3 == 0 ? (uint32_t)round : 0};
        struct fal_bytes_line read;
        struct fal_error err = {{0}};
        int head = fal_bytes_line_head(&due, text, sizeof text);

        ck_assert_int_lt(head, FAL_BYTES_HEAD_MAX);
        test_random_bytes(&state, bytes, sizeof bytes);
        for (size_t i = 0; i < due.len; i++)
            (void)snprintf(text + head + 2 * i, 3, "%02x", (unsigned)bytes[i]);
        ck_assert_msg(fal_bytes_line_parse(text, &read, again, due.len, &err) == 0, "%s: %s",
                      text, err.text);
        ck_assert_uint_eq(read.ts_ns, due.ts_ns);
        ck_assert_uint_eq(read.linktype, due.linktype);
        ck_assert_uint_eq(read.missing, due.missing);
        ck_assert_uint_eq(read.len, due.len);
        ck_assert_mem_eq(again, bytes, due.len);
    }
}
END_TEST

static const struct {
    const char *line;
    int code;
    const char *part;
} wrong[] = {
    {"@1us push_data", FAL_ERR_TYPE, ""},
    {"frames", FAL_ERR_TYPE, ""},
    {"@$t frame linktype=1 hex:00", FAL_ERR_TYPE, ""},
    {"@x frame linktype=1 hex:00", FAL_ERR_TYPE, ""},
    {"frame", FAL_ERR_FORM, "expected linktype=NUMBER"},
    {"frame linktype=-1 hex:00", FAL_ERR_FORM, "expected linktype=NUMBER"},
    {"frame linktype=99999999999 hex:00", FAL_ERR_FORM, "expected linktype=NUMBER"},
    {"frame linktype=1 missing=x hex:00", FAL_ERR_FORM, "expected hex:"},
    {"frame linktype=1", FAL_ERR_FORM, "expected linktype=NUMBER"},
    {"frame linktype=1 hex:0", FAL_ERR_FORM, "an odd number"},
    {"frame linktype=1 hex:00zz", FAL_ERR_FORM, "'zz' at byte 1"},
    {"frame linktype=1 hex:00 ecn=ce", FAL_ERR_FORM, "only a comment"},
    {"frame linktype=1 hex:000102030405", FAL_ERR_SHORT, "more than 4 bytes"},
};

START_TEST(wrong_lines_of_bytes)
{
    struct fal_bytes_line line;
    struct fal_error err = {{0}};
    uint8_t bytes[4];

    ck_assert_int_eq(fal_bytes_line_parse(wrong[_i].line, &line, bytes, sizeof bytes, &err),
                     wrong[_i].code);
    ck_assert_msg(strstr(err.text, wrong[_i].part) != NULL, "%s", err.text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("roce_frame_text");
    TCase *tc = tcase_create("roce_frame_text");

    tcase_add_test(tc, all_opcodes_come_back);
    tcase_add_test(tc, hostile_packets_come_back);
    tcase_add_test(tc, hostile_frames_are_read);
    tcase_add_test(tc, much_data_is_a_comment);
    tcase_add_test(tc, bytes_come_back);
    tcase_add_loop_test(tc, wrong_lines_of_bytes, 0, sizeof wrong / sizeof *wrong);
    suite_add_tcase(suite, tc);
    return suite;
}
