/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/link_raw.h"

#include "tests/testing.h"

#include <string.h>

static struct tl_raw_address raw;
static struct fal_error err;

static int read_it(const char *text)
{
    err.text[0] = 0;
    return tl_raw_address_read(text, NULL, &raw, &err);
}

START_TEST(everything_that_an_address_may_say)
{
    char text[TL_ADDRESS_TEXT];

    ck_assert_int_eq(read_it("eth0,10.0.0.2:9000,from=10.0.0.77:4000,mac=02:0a:ff:00:00:01,"
                             "stamps=hardware,buffer=1000000,esp=udp"),
                     0);
    ck_assert_str_eq(raw.iface, "eth0");
    tl_address_text(&raw.sut, text);
    ck_assert_str_eq(text, "10.0.0.2:9000");
    tl_address_text(&raw.from, text);
    ck_assert_str_eq(text, "10.0.0.77:4000");
    ck_assert(raw.has_mac && raw.hardware && raw.esp_in_udp);
    ck_assert_mem_eq(raw.mac, "\x02\x0a\xff\x00\x00\x01", 6);
    ck_assert_uint_eq(raw.buffer, 1000000);
}
END_TEST

START_TEST(what_is_left_out_is_as_usual)
{
    char text[TL_ADDRESS_TEXT];

    ck_assert_int_eq(read_it("va,fd00:9::2,stamps=kernel"), 0);
    tl_address_text(&raw.sut, text);
    ck_assert_str_eq(text, "[fd00:9::2]:7777");
    ck_assert_int_eq(tl_address_family(&raw.from), 0);
    ck_assert(!raw.has_mac && !raw.hardware && !raw.esp_in_udp);
    ck_assert_uint_eq(raw.buffer, 0);
}
END_TEST

static const struct {
    const char *text, *why;
} bad[] = {
    {"", "name of a network interface"},
    {"eth0", "expected raw:IFACE"},
    {",10.0.0.2", "name of a network interface"},
    {"a-name-that-is-too-long,10.0.0.2", "name of a network interface"},
    {"eth0,8.8.8.8", "not loopback"},
    {"eth0,10.0.0.2,from=8.8.8.8", "not loopback"},
    {"eth0,10.0.0.2,from=fd00::1", "different IP versions"},
    {"eth0,10.0.0.2,mac=02:00", "six hex bytes"},
    {"eth0,10.0.0.2,mac=02:00:00:00:00:01:02", "six hex bytes"},
    {"eth0,10.0.0.2,stamps=gps", "expected kernel or hardware"},
    {"eth0,10.0.0.2,buffer=1", "expected 131072"},
    {"eth0,10.0.0.2,buffer=1000000x", "expected 131072"},
    {"eth0,10.0.0.2,buffer=-1000000", "expected 131072"},
    {"eth0,10.0.0.2,esp=tcp", "expected native or udp"},
    {"eth0,10.0.0.2,vlan=5", "unknown option 'vlan=5'"},
};

START_TEST(bad_addresses_say_why)
{
    ck_assert_int_eq(read_it(bad[_i].text), FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, bad[_i].why) != NULL, "'%s': %s", bad[_i].text, err.text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("link_raw_address");
    TCase *tc = tcase_create("addresses");

    tcase_add_test(tc, everything_that_an_address_may_say);
    tcase_add_test(tc, what_is_left_out_is_as_usual);
    tcase_add_loop_test(tc, bad_addresses_say_why, 0, sizeof bad / sizeof *bad);
    suite_add_tcase(suite, tc);
    return suite;
}
