/* SPDX-License-Identifier: Apache-2.0
 * roce_test.c - packets of RoCEv2: golden ones by hand, then every opcode both ways. */
#include "codecs/header/roce.h"

#include "codecs/header/bitloop_test.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

enum { PACKET_MAX = 128 };

START_TEST(a_write_with_immediate_is_read)
{
    static const uint8_t bytes[] = {
        0x0b, 0xf0, 0xff, 0xff, 0x00, 0x00, 0x00, 0x12, 0x80, 0xff, 0xff, 0xfe, /* BTH, pad 3 */
        1,    2,    3,    4,    5,    6,    7,    8,    0xa1, 0xa2, 0xa3, 0xa4,
        0,    0,    0,    5,    /* RETH */
        0xde, 0xad, 0xbe, 0xef, /* ImmDt */
        'h',  'e',  'l',  'l',  'o',  0,    0,    0,    0x11, 0x22, 0x33, 0x44,
    };
    struct fal_roce_packet p;
    uint8_t again[sizeof bytes];

    fal_roce_decode(bytes, sizeof bytes, sizeof bytes, &p);
    ck_assert_int_eq(p.state, FAL_ROCE_READ);
    ck_assert_str_eq(p.kind->name, "rc_write_only_imm");
    ck_assert_uint_eq(p.bth.dest_qp, 0x12);
    ck_assert_uint_eq(p.bth.psn, 0xfffffe);
    ck_assert(p.bth.ack_req && p.bth.se && p.bth.m);
    ck_assert_uint_eq(p.reth.virtual_address, UINT64_C(0x0102030405060708));
    ck_assert_uint_eq(p.reth.r_key, 0xa1a2a3a4);
    ck_assert_uint_eq(p.reth.length, 5);
    ck_assert_uint_eq(p.immdt.immediate_data, 0xdeadbeef);
    ck_assert_uint_eq(p.data_len, 5);
    ck_assert_int_eq(memcmp(p.data, "hello", 5), 0);
    ck_assert(p.has_icrc);
    ck_assert_uint_eq(p.icrc, 0x11223344);
    ck_assert_int_eq(fal_roce_encode(&p, again, sizeof again, NULL), sizeof bytes);
    ck_assert_int_eq(memcmp(again, bytes, sizeof bytes), 0);
}
END_TEST

START_TEST(an_acknowledgement_says_its_kind)
{
    static const uint8_t bytes[] = {0x11, 0x40, 0xff, 0xff, 0, 0, 0, 0x13, 0, 0,
                                    0,    9,    0x60, 0,    0, 4, 0, 0,    0, 0};
    struct fal_roce_packet p;

    fal_roce_decode(bytes, sizeof bytes, sizeof bytes, &p);
    ck_assert_str_eq(p.kind->name, "rc_ack");
    ck_assert_int_eq(fal_aeth_kind_of(p.aeth.syndrome), FAL_AETH_NAK);
    ck_assert_uint_eq(fal_aeth_value_of(p.aeth.syndrome), FAL_AETH_SEQUENCE);
    ck_assert_uint_eq(p.aeth.msn, 4);
    ck_assert_uint_eq(fal_aeth_syndrome(FAL_AETH_ACK, FAL_AETH_NO_CREDITS), 0x1f);
    ck_assert_uint_eq(fal_aeth_syndrome(FAL_AETH_RNR, 14), 0x2e);
    ck_assert_uint_eq(fal_roce_rnr_ns(0), 655360000);
    ck_assert_uint_eq(fal_roce_rnr_ns(1), 10000);
    ck_assert_uint_eq(fal_roce_rnr_ns(14), 1280000);
    ck_assert_uint_eq(fal_roce_rnr_ns(31), 491520000);
}
END_TEST

/* Each opcode with random headers and each length of data: what is written is read again. */
START_TEST(every_opcode_both_ways)
{
    uint64_t seed = test_seed(3), state = seed;
    unsigned known = 0;

    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const struct fal_roce_kind *kind = fal_roce_kind(opcode);
        uint8_t bytes[PACKET_MAX], again[PACKET_MAX];
        struct fal_roce_packet p;
        size_t len;

        if (kind == NULL)
            continue;
        known++;
        len = fal_roce_size(kind) + (kind->data ? 4 * (opcode % 7) : 0) + FAL_ROCE_ICRC_LEN;
        test_random_bytes(&state, bytes, len);
        bytes[0] = (uint8_t)opcode;
        bytes[1] &= 0xcf; /* no padding */
        fal_roce_decode(bytes, len, len, &p);
        ck_assert_int_eq(p.state, FAL_ROCE_READ);
        ck_assert_int_eq(fal_roce_encode(&p, again, sizeof again, NULL), (int)len);
        ck_assert_msg(memcmp(bytes, again, len) == 0, "%s TALON_SEED=%llu", kind->name,
                      (unsigned long long)seed);
        ck_assert_int_eq(fal_roce_encode(&p, again, len - 1, NULL), FAL_ERR_SHORT);
    }
    ck_assert_uint_eq(known, 23 + 12 + 2 + 1);
    ck_assert_ptr_null(fal_roce_kind(21));
}
END_TEST

/* Packets in memory of their exact size: a read outside is seen by the sanitizer. */
START_TEST(every_truncation)
{
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const struct fal_roce_kind *kind = fal_roce_kind(opcode);
        size_t full = (kind != NULL ? fal_roce_size(kind) : 12) + 8 + FAL_ROCE_ICRC_LEN;

        for (size_t there = 0; there <= full; there++) {
            uint8_t *bytes = calloc(there + 1, 1);
            struct fal_roce_packet p;

            ck_assert_ptr_nonnull(bytes);
            bytes[0] = (uint8_t)opcode;
            fal_roce_decode(bytes, there, full, &p);
            ck_assert_int_eq(p.state == FAL_ROCE_NO_BTH, there < 12);
            ck_assert_int_eq(p.state == FAL_ROCE_RESERVED, there >= 12 && kind == NULL);
            ck_assert_int_eq(p.has_icrc, there == full);
            if (p.state == FAL_ROCE_READ) {
                ck_assert_uint_eq(p.data_len, 8);
                ck_assert_uint_le(p.data_there, there);
            }
            free(bytes);
        }
    }
}
END_TEST

START_TEST(padding_beyond_the_packet_leaves_no_data)
{
    static const uint8_t bytes[] = {0x04, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
    struct fal_roce_packet p;

    fal_roce_decode(bytes, sizeof bytes, sizeof bytes, &p);
    ck_assert_uint_eq(p.data_len, 0);
    ck_assert(p.has_icrc);
    fal_roce_decode(bytes, 14, 14, &p); /* shorter than an ICRC */
    ck_assert_uint_eq(p.data_len, 0);
    ck_assert(!p.has_icrc);
}
END_TEST

START_TEST(what_cannot_be_written_is_refused)
{
    const struct fal_field *bad = NULL;
    struct fal_roce_packet p;
    uint8_t out[PACKET_MAX];

    fal_roce_init(&p, FAL_ROCE_OP_cnp);
    p.bth.dest_qp = 1 << 24;
    ck_assert_int_eq(fal_roce_encode(&p, out, sizeof out, &bad), FAL_ERR_RANGE);
    ck_assert_str_eq(bad->name, "dest_qp");
    fal_roce_init(&p, FAL_ROCE_OP_rc_ack);
    ck_assert_uint_eq(p.bth.pkey, 0xffff);
    p.aeth.msn = 1 << 24;
    ck_assert_int_eq(fal_roce_encode(&p, out, sizeof out, &bad), FAL_ERR_RANGE);
    ck_assert_str_eq(bad->name, "msn");
    fal_roce_init(&p, 0xff);
    ck_assert_int_eq(fal_roce_encode(&p, out, sizeof out, &bad), FAL_ERR_TYPE);
    fal_roce_init(&p, FAL_ROCE_OP_rc_send_only);
    p.data_len = SIZE_MAX - 3;
    ck_assert_int_eq(fal_roce_encode(&p, out, sizeof out, &bad), FAL_ERR_SHORT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("roce");
    TCase *tc = tcase_create("roce");

    tcase_add_test(tc, a_write_with_immediate_is_read);
    tcase_add_test(tc, an_acknowledgement_says_its_kind);
    tcase_add_test(tc, every_opcode_both_ways);
    tcase_add_test(tc, every_truncation);
    tcase_add_test(tc, padding_beyond_the_packet_leaves_no_data);
    tcase_add_test(tc, what_cannot_be_written_is_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
