/* SPDX-License-Identifier: Apache-2.0
 * One Falcon packet: type dispatch, errors for bytes that are no packet, and the facts about
 * types. */
#include "codecs/header/bitloop_test.h"
#include "tests/testing.h"

static const struct {
    const char *name;
    const struct fal_layout *layout;
    size_t size;
    unsigned type;
    bool reliable, ack;
} types[] = {
    {"pull_request", &fal_pull_request_layout, 32, 0, true, false},
    {"pull_data", &fal_pull_data_layout, 24, 3, true, false},
    {"push_data", &fal_push_data_layout, 28, 5, true, false},
    {"resync", &fal_resync_layout, 32, 6, true, false},
    {"nack", &fal_nack_layout, 40, 8, false, true},
    {"back", &fal_back_layout, 32, 9, false, true},
    {"eack", &fal_eack_layout, 72, 10, false, true},
};

enum { TYPES = sizeof types / sizeof *types };

START_TEST(FTP_7_2_10_to_18_types_dispatch_and_the_others_are_reserved)
{
    for (unsigned t = 0, k = 0; t < 40; t++) {
        if (k < TYPES && types[k].type == t) {
            ck_assert_ptr_eq(fal_falcon_layout(t), types[k].layout);
            ck_assert_uint_eq(types[k].layout->size_bytes, types[k].size);
            ck_assert_str_eq(fal_falcon_type_name(t), types[k].name);
            ck_assert_ptr_eq(fal_falcon_layout_named(types[k].name), types[k].layout);
            ck_assert_int_eq(fal_falcon_reliable(t), types[k].reliable);
            ck_assert_int_eq(fal_falcon_is_ack(t), types[k].ack);
            k++;
        } else {
            ck_assert_ptr_null(fal_falcon_layout(t));
            ck_assert_ptr_null(fal_falcon_type_name(t));
            ck_assert(!fal_falcon_reliable(t));
            ck_assert(!fal_falcon_is_ack(t));
        }
    }
    ck_assert_ptr_null(fal_falcon_layout_named("packet"));
    ck_assert_ptr_null(fal_falcon_layout_named("udp"));
    ck_assert_uint_eq(FAL_HEADER_MAX, 72);
}
END_TEST

/* The first 8 bytes place version, CID and type alike in all seven packets. */
START_TEST(FTP_7_2_10_first_words_are_alike)
{
    static const char *const common[] = {"version", "dest_cid", "packet_type",
                                         "recv_data_base_psn", "recv_req_base_psn"};

    for (size_t i = 0; i < TYPES; i++) {
        for (size_t k = 0; k < sizeof common / sizeof *common; k++) {
            const struct fal_field *a = fal_layout_find(types[0].layout, common[k]);
            const struct fal_field *b = fal_layout_find(types[i].layout, common[k]);

            ck_assert_ptr_nonnull(b);
            ck_assert_uint_eq(a->offset_bits, b->offset_bits);
            ck_assert_uint_eq(a->width_bits, b->width_bits);
            ck_assert_uint_eq(a->member_offset, b->member_offset);
        }
    }
}
END_TEST

START_TEST(initial_packets_decode_as_themselves)
{
    for (size_t i = 0; i < TYPES; i++) {
        struct fal_falcon packet, back;
        uint8_t wire[FAL_HEADER_MAX] = {0};

        memset(&packet, 0x5a, sizeof packet);
        fal_falcon_init(&packet, (enum fal_packet_type)types[i].type);
        ck_assert_uint_eq(packet.packet_type, types[i].type);
        ck_assert_uint_eq(packet.version, 1);
        ck_assert_int_eq(fal_falcon_encode(&packet, NULL, 0, wire, sizeof wire, NULL),
                         (int)types[i].size);
        ck_assert_int_eq(fal_falcon_decode(wire, types[i].size, &back), (int)types[i].size);
        ck_assert(test_same_packet(&packet, &back));
    }
}
END_TEST

START_TEST(a_truncated_packet_gives_its_first_words_at_most)
{
    static const uint8_t front[] = {0x1a, 0xab, 0xcd, 0xef, 0xff, 0xff, 0xff};

    for (size_t i = 0; i < TYPES; i++) {
        uint8_t wire[FAL_HEADER_MAX];

        memset(wire, 0xff, sizeof wire);
        memcpy(wire, front, sizeof front);
        wire[7] = (uint8_t)(0xe1 | types[i].type << 1);
        for (size_t len = 0; len <= types[i].size; len++) {
            struct fal_falcon packet, want = {0};
            int status;

            memset(&packet, 0x5a, sizeof packet);
            status = fal_falcon_decode(wire, len, &packet);
            if (len == types[i].size) {
                ck_assert_int_eq(status, (int)len);
                break;
            }
            ck_assert_int_eq(status, len < 8 ? FAL_ERR_TYPE : FAL_ERR_SHORT);
            if (len >= 4) {
                want.version = 1;
                want.dest_cid = 0xabcdef;
            }
            if (len >= 8)
                want.packet_type = (uint8_t)types[i].type;
            ck_assert(test_same_packet(&packet, &want));
        }
    }
}
END_TEST

START_TEST(FTP_7_2_18_a_reserved_type_has_no_header)
{
    for (unsigned t = 0; t < 16; t++) {
        uint8_t wire[FAL_HEADER_MAX] = {0x1a, 0xab, 0xcd, 0xef, 0, 0, 0, (uint8_t)(t << 1)};
        struct fal_falcon packet;

        if (fal_falcon_layout(t) != NULL)
            continue;
        ck_assert_int_eq(fal_falcon_decode(wire, sizeof wire, &packet), FAL_ERR_TYPE);
        ck_assert_uint_eq(packet.packet_type, t);
        ck_assert_uint_eq(packet.dest_cid, 0xabcdef);
        ck_assert_int_eq(fal_falcon_encode(&packet, NULL, 0, wire, sizeof wire, NULL),
                         FAL_ERR_TYPE);
    }
}
END_TEST

START_TEST(encode_writes_header_then_payload_and_no_more)
{
    static const uint8_t payload[] = {1, 2, 3, 4, 5};
    struct fal_falcon packet;
    const struct fal_field *bad = NULL;
    uint8_t out[64];

    fal_falcon_init(&packet, FAL_PUSH_DATA);
    packet.request_length = 9; /* kept: nothing is filled in */
    memset(out, 0xee, sizeof out);
    for (size_t cap = 0; cap < 33; cap++)
        ck_assert_int_eq(fal_falcon_encode(&packet, payload, 5, out, cap, NULL), FAL_ERR_SHORT);
    ck_assert_int_eq(fal_falcon_encode(&packet, payload, 5, out, 33, NULL), 33);
    ck_assert_mem_eq(out + 28, payload, 5);
    ck_assert_uint_eq(out[27], 9);
    ck_assert_uint_eq(out[33], 0xee);

    packet.dest_cid = 1u << 24;
    ck_assert_int_eq(fal_falcon_encode(&packet, payload, 5, out, 64, &bad), FAL_ERR_RANGE);
    ck_assert_str_eq(bad->name, "dest_cid");
}
END_TEST

START_TEST(FTP_7_2_24_25_26_window_of_a_packet)
{
    struct fal_falcon packet;

    fal_falcon_init(&packet, FAL_PULL_REQUEST);
    ck_assert_int_eq(fal_falcon_window(&packet), FAL_WINDOW_REQ);
    fal_falcon_init(&packet, FAL_PULL_DATA);
    ck_assert_int_eq(fal_falcon_window(&packet), FAL_WINDOW_DATA);
    fal_falcon_init(&packet, FAL_PUSH_DATA);
    ck_assert_int_eq(fal_falcon_window(&packet), FAL_WINDOW_DATA);
    fal_falcon_init(&packet, FAL_RESYNC);
    packet.resync_packet_type = FAL_PULL_REQUEST;
    ck_assert_int_eq(fal_falcon_window(&packet), FAL_WINDOW_REQ);
    packet.resync_packet_type = FAL_PULL_DATA;
    ck_assert_int_eq(fal_falcon_window(&packet), FAL_WINDOW_DATA);
}
END_TEST

/* The table of 7.8 in units of 10 us, copied from the specification a second time. */
START_TEST(FTP_7_8_26_27_rnr_timeouts)
{
    static const double ms[32] = {
        655.36, 0.01,  0.02,  0.03,  0.04,  0.06,   0.08,   0.12,   0.16,   0.24,   0.32,
        0.48,   0.64,  0.96,  1.28,  1.92,  2.56,   3.84,   5.12,   7.68,   10.24,  15.36,
        20.48,  30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52,
    };

    for (unsigned code = 0; code < 32; code++) {
        uint64_t ns = fal_rnr_timeout_ns(code);

        ck_assert_uint_eq(ns, (uint64_t)(ms[code] * 1e6 + 0.5));
        ck_assert_uint_eq(fal_rnr_timeout_code(ns), code);
        if (code > 0)
            ck_assert_uint_eq(fal_rnr_timeout_code(ns + 1), (code + 1) % 32);
        if (code > 1)
            ck_assert_uint_eq(fal_rnr_timeout_code(ns - 1), code);
    }
    ck_assert_uint_eq(fal_rnr_timeout_code(0), 1);
    ck_assert_uint_eq(fal_rnr_timeout_code(UINT64_MAX), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("falcon");
    TCase *tcase = tcase_create("falcon");

    tcase_add_test(tcase, FTP_7_2_10_to_18_types_dispatch_and_the_others_are_reserved);
    tcase_add_test(tcase, FTP_7_2_10_first_words_are_alike);
    tcase_add_test(tcase, initial_packets_decode_as_themselves);
    tcase_add_test(tcase, a_truncated_packet_gives_its_first_words_at_most);
    tcase_add_test(tcase, FTP_7_2_18_a_reserved_type_has_no_header);
    tcase_add_test(tcase, encode_writes_header_then_payload_and_no_more);
    tcase_add_test(tcase, FTP_7_2_24_25_26_window_of_a_packet);
    tcase_add_test(tcase, FTP_7_8_26_27_rnr_timeouts);
    suite_add_tcase(suite, tcase);
    return suite;
}
