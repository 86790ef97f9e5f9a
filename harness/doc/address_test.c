/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/address.h"
#include "harness/link/sockets.h"
#include "tests/testing.h"

#include <string.h>

static const struct {
    const char *text;
    bool private;
} good[] = {
    {"127.0.0.1:7777", true},    {"127.255.255.254:1", true},
    {"10.0.0.0:65535", true},    {"10.255.255.255:0", true},
    {"172.16.0.1:5", true},      {"172.31.255.255:5", true},
    {"192.168.77.1:5", true},    {"169.254.1.1:5", true},
    {"[::1]:7777", true},        {"[fc00::1]:5", true},
    {"[fdff::1]:5", true},       {"[fe80::1]:5", true},
    {"[febf::1]:5", true},       {"[::ffff:10.0.0.1]:5", true},
    {"9.255.255.255:5", false},  {"11.0.0.0:5", false},
    {"172.15.255.255:5", false}, {"172.32.0.0:5", false},
    {"192.167.1.1:5", false},    {"192.169.1.1:5", false},
    {"169.253.1.1:5", false},    {"169.255.1.1:5", false},
    {"0.0.0.0:5", false},        {"255.255.255.255:5", false},
    {"224.0.0.1:5", false},      {"128.0.0.1:5", false},
    {"126.0.0.1:5", false},      {"8.8.8.8:53", false},
    {"[::]:5", false},           {"[::2]:5", false},
    {"[2001:db8::1]:5", false},  {"[fe00::1]:5", false},
    {"[fec0::1]:5", false},      {"[ff02::1]:5", false},
    {"[fb00::1]:5", false},      {"[::ffff:8.8.8.8]:5", false},
};

START_TEST(private_addresses_are_known_and_all_print_back)
{
    struct tl_address address;
    struct fal_error err;
    char text[TL_ADDRESS_TEXT];

    ck_assert_int_eq(tl_address_parse(good[_i].text, &address, &err), 0);
    ck_assert_int_eq(tl_address_private(&address), good[_i].private);
    tl_address_text(&address, text);
    ck_assert_str_eq(text, good[_i].text);
    ck_assert_int_eq(tl_resolve(good[_i].text, &address, &err),
                     good[_i].private ? 0 : FAL_ERR_FORM);
    if (!good[_i].private)
        ck_assert(strstr(err.text, "is refused") != NULL);
}
END_TEST

static const char *const bad[] = {
    "",
    ":",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:65536",
    "127.0.0.1:-1",
    "127.0.0.1:7x",
    ":7",
    "::1:7",
    "[::1]",
    "[::1:7",
    "[]:7",
    "[::1]7",
    "1.2.3:7",
    "1.2.3.4.5:7",
    "256.1.1.1:7",
    "[g::1]:7",
    " 127.0.0.1:7",
    "127.0.0.1:99999999999999999999",
    "[127.0.0.1:7",
};

START_TEST(bad_addresses_are_refused_with_a_sentence)
{
    struct tl_address address;
    struct fal_error err = {""};

    ck_assert_int_eq(tl_address_parse(bad[_i], &address, &err), FAL_ERR_FORM);
    ck_assert_msg(strncmp(err.text, "address '", 9) == 0, "%s", err.text);
    ck_assert_int_ne(tl_resolve(bad[_i], &address, &err), 0);
}
END_TEST

START_TEST(hosts_of_any_length_do_no_harm)
{
    struct tl_address address;
    struct fal_error err;
    char text[1000];

    for (size_t len = 200; len < sizeof text - 3; len += 7) {
        memset(text, 'a', len);
        memcpy(text + len, ":7", 3);
        ck_assert_int_ne(tl_address_parse(text, &address, &err), 0);
        text[0] = '[';
        memcpy(text + len, "]:7", 4 < sizeof text - len ? 4 : sizeof text - len);
        ck_assert_int_ne(tl_address_parse(text, &address, &err), 0);
    }
}
END_TEST

START_TEST(names_resolve)
{
    struct tl_address address;
    struct fal_error err;

    ck_assert_msg(tl_resolve("localhost:7", &address, &err) == 0, "%s", err.text);
    ck_assert(tl_address_private(&address));
    ck_assert_uint_eq(tl_address_port(&address), 7);
}
END_TEST

START_TEST(streams_are_tcp_or_unix)
{
    struct tl_stream stream;
    struct fal_error err;
    char path[300] = "unix:";

    ck_assert_int_eq(tl_stream_read("tcp:127.0.0.1:9", &stream, &err), 0);
    ck_assert(!stream.is_unix);
    ck_assert_int_eq(tl_stream_read("unix:/run/x", &stream, &err), 0);
    ck_assert(stream.is_unix);
    ck_assert_str_eq(stream.un.sun_path, "/run/x");
    ck_assert_int_eq(tl_stream_read("tcp:1.1.1.1:9", &stream, &err), FAL_ERR_FORM);
    ck_assert_int_eq(tl_stream_read("unix:", &stream, &err), FAL_ERR_FORM);
    ck_assert_int_eq(tl_stream_read("http:127.0.0.1:9", &stream, &err), FAL_ERR_FORM);
    ck_assert_int_eq(tl_stream_read("", &stream, &err), FAL_ERR_FORM);
    memset(path + 5, 'p', 107);
    ck_assert_int_eq(tl_stream_read(path, &stream, &err), 0);
    path[112] = 'p';
    ck_assert_int_eq(tl_stream_read(path, &stream, &err), FAL_ERR_FORM);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("address");
    TCase *tc = tcase_create("addresses");

    tcase_add_loop_test(tc, private_addresses_are_known_and_all_print_back, 0,
                        sizeof good / sizeof *good);
    tcase_add_loop_test(tc, bad_addresses_are_refused_with_a_sentence, 0,
                        sizeof bad / sizeof *bad);
    tcase_add_test(tc, hosts_of_any_length_do_no_harm);
    tcase_add_test(tc, names_resolve);
    tcase_add_test(tc, streams_are_tcp_or_unix);
    suite_add_tcase(suite, tc);
    return suite;
}
