/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/packet.h"

#include "tests/testing.h"

#include <string.h>

static size_t encode(struct fal_falcon *falcon, uint8_t *bytes, size_t cap)
{
    int len = fal_falcon_encode(falcon, NULL, 0, bytes, cap, NULL);

    ck_assert_int_gt(len, 0);
    return (size_t)len;
}

static struct fal_falcon push(uint32_t psn)
{
    return (struct fal_falcon){.version = 1,
                               .dest_cid = 5,
                               .protocol_type = 2,
                               .packet_type = FAL_PUSH_DATA,
                               .psn = psn,
                               .ack_req = 1};
}

START_TEST(a_packet_is_decoded_when_it_gets_its_bytes)
{
    struct fal_falcon falcon = push(7);
    uint8_t bytes[FAL_HEADER_MAX];
    size_t len = encode(&falcon, bytes, sizeof bytes);
    struct tl_packet packet = tl_packet_of(bytes, len);

    ck_assert_int_eq(packet.header_len, (int)len);
    ck_assert_uint_eq(packet.falcon.psn, 7);
    ck_assert_uint_eq(packet.conn, 1);
    ck_assert_int_eq(packet.step, -1);
    falcon.psn = 8;
    len = encode(&falcon, bytes, sizeof bytes);
    tl_packet_set_bytes(&packet, bytes, len);
    ck_assert_uint_eq(packet.falcon.psn, 8);
    tl_packet_set_bytes(&packet, bytes, 3);
    ck_assert_int_eq(packet.header_len, FAL_ERR_TYPE);
    ck_assert_uint_eq(packet.falcon.psn, 0);
}
END_TEST

/* The event takes the decoded header, and does not read the bytes again for it. */
START_TEST(an_event_takes_the_decoded_header)
{
    struct fal_falcon falcon = push(7);
    uint8_t bytes[FAL_HEADER_MAX];
    size_t len = encode(&falcon, bytes, sizeof bytes);
    struct fal_ev_packet decoded = {.bytes = bytes, .len = (uint32_t)len}, whole = decoded;

    decoded.header_len = fal_falcon_decode(bytes, len, &decoded.falcon);
    fal_event_packet(&whole);
    fal_event_decoded(&decoded);
    ck_assert_int_eq(decoded.header_len, whole.header_len);
    ck_assert_mem_eq(&decoded.falcon, &whole.falcon, sizeof whole.falcon);
    ck_assert_ptr_eq(decoded.payload, whole.payload);
    ck_assert_uint_eq(decoded.payload_hash, whole.payload_hash);
    ck_assert_uint_eq(decoded.issues.count, whole.issues.count);
    decoded.falcon.psn = 99;
    fal_event_decoded(&decoded);
    ck_assert_uint_eq(decoded.falcon.psn, 99);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("packet");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, a_packet_is_decoded_when_it_gets_its_bytes);
    tcase_add_test(tc, an_event_takes_the_decoded_header);
    suite_add_tcase(suite, tc);
    return suite;
}
