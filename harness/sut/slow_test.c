/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/slow.h"

#include "harness/sut/sut.h"
#include "tests/testing.h"

#include <check.h>
#include <string.h>

static struct tl_slow_line *line_of(const char *text, uint64_t seed)
{
    struct tl_slow slow = {.given = false};
    struct fal_error err;
    struct tl_slow_line *line;

    ck_assert_int_eq(tl_slow_read(&slow, text, strlen(text), &err), 0);
    ck_assert(slow.given);
    line = tl_slow_line_new(&slow, seed);
    ck_assert_ptr_nonnull(line);
    return line;
}

static void put(struct tl_slow_line *line, enum fal_packet_type type, uint64_t now_ns)
{
    const struct fal_falcon packet = {.version = 1, .packet_type = (uint8_t)type};
    uint8_t bytes[FAL_HEADER_MAX];
    const struct fal_field *bad = NULL;
    int len = fal_falcon_encode(&packet, NULL, 0, bytes, sizeof bytes, &bad);

    ck_assert_int_gt(len, 0);
    tl_slow_put(line,
                &(struct tl_sut_out){
                    .kind = TL_SUT_FRAME, .bytes = bytes, .len = (size_t)len, .conn = 7},
                now_ns);
}

START_TEST(a_packet_leaves_after_its_delay)
{
    struct tl_slow_line *line = line_of("1us", 1);
    struct tl_sut_out out;

    ck_assert_uint_eq(tl_slow_due(line), FAL_NEVER);
    put(line, FAL_BACK, 500);
    ck_assert_uint_eq(tl_slow_due(line), 1500);
    ck_assert(!tl_slow_take(line, 1499, &out));
    ck_assert(tl_slow_take(line, 1500, &out));
    ck_assert_uint_eq(out.conn, 7);
    ck_assert_uint_eq(tl_slow_due(line), FAL_NEVER);
    tl_slow_line_free(line);
}
END_TEST

START_TEST(each_type_has_its_own_delay_and_none_overtakes)
{
    struct tl_slow_line *line = line_of("1us,nack=5us", 1);
    struct tl_sut_out out;
    struct fal_falcon packet;

    put(line, FAL_BACK, 0);
    put(line, FAL_NACK, 0);
    put(line, FAL_BACK, 10); /* alone it would leave first */
    ck_assert(tl_slow_take(line, 1000, &out));
    ck_assert(!tl_slow_take(line, 4999, &out));
    ck_assert(tl_slow_take(line, 5000, &out));
    ck_assert_int_gt(fal_falcon_decode(out.bytes, out.len, &packet), 0);
    ck_assert_uint_eq(packet.packet_type, FAL_NACK);
    ck_assert(tl_slow_take(line, 5000, &out));
    put(line, FAL_BACK, 6000); /* one that is left is freed */
    tl_slow_line_free(line);
}
END_TEST

START_TEST(drawn_delays_lie_in_their_range_and_repeat_with_the_seed)
{
    struct tl_slow_line *a = line_of("1us..3us,1/10=1ms", 5),
                        *b = line_of("1us..3us,1/10=1ms", 5);
    struct tl_sut_out out;
    unsigned rare = 0;

    for (uint64_t now = 0; now < 1000 * FAL_S; now += FAL_S) {
        uint64_t apart;

        put(a, FAL_BACK, now);
        put(b, FAL_BACK, now);
        ck_assert_uint_eq(tl_slow_due(a), tl_slow_due(b));
        apart = tl_slow_due(a) - now;
        ck_assert(apart == FAL_MS || (apart >= FAL_US && apart <= 3 * FAL_US));
        rare += apart == FAL_MS;
        ck_assert(tl_slow_take(a, FAL_NEVER, &out) && tl_slow_take(b, FAL_NEVER, &out));
    }
    ck_assert_uint_gt(rare, 50);
    ck_assert_uint_lt(rare, 200);
    tl_slow_line_free(a);
    tl_slow_line_free(b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("slow");
    TCase *tc = tcase_create("slow");

    tcase_add_test(tc, a_packet_leaves_after_its_delay);
    tcase_add_test(tc, each_type_has_its_own_delay_and_none_overtakes);
    tcase_add_test(tc, drawn_delays_lie_in_their_range_and_repeat_with_the_seed);
    suite_add_tcase(suite, tc);
    return suite;
}
