/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/echo.h"

#include "harness/link/sockets.h"
#include "tests/testing.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct tl_probe sample = {.number = 0x01020304,
                                       .back = 0xba,
                                       .seen_tos = 0x2e,
                                       .seen_ttl = 61,
                                       .arrival = 0x0a0b0c0d,
                                       .flow_label = 0xabcde,
                                       .run = 0xdeadbeef};

START_TEST(a_probe_comes_back_as_it_was_written)
{
    static const uint8_t wire[TL_PROBE_LEN] = {
        'T', 'A', 'L',  'N',  'P',  'A',  'T',  'H',  1,    2,    3,    4,    0xba, 0x2e,
        61,  0,   0x0a, 0x0b, 0x0c, 0x0d, 0x00, 0x0a, 0xbc, 0xde, 0xde, 0xad, 0xbe, 0xef};
    uint8_t bytes[TL_PROBE_LEN];
    struct tl_probe read;

    tl_probe_write(&sample, bytes);
    ck_assert_mem_eq(bytes, wire, sizeof wire);
    ck_assert(tl_probe_read(bytes, sizeof bytes, &read));
    tl_probe_write(&read, bytes);
    ck_assert_mem_eq(bytes, wire, sizeof wire);
}
END_TEST

START_TEST(what_is_no_probe_is_refused)
{
    uint8_t bytes[TL_PROBE_LEN];
    struct tl_probe read;

    tl_probe_write(&sample, bytes);
    for (size_t len = 0; len < sizeof bytes; len++)
        ck_assert(!tl_probe_read(bytes, len, &read));
    for (size_t i = 0; i < 8; i++) {
        bytes[i] ^= 1;
        ck_assert(!tl_probe_read(bytes, sizeof bytes, &read));
        bytes[i] ^= 1;
    }
}
END_TEST

/* ---- the echo ---- */

static struct {
    int echo, tester;
    uint32_t seen;
    struct tl_address at;
} bench;

static void open_bench(const char *host)
{
    struct fal_error err = {{0}};
    char text[TL_ADDRESS_TEXT];
    uint16_t port = 0;

    (void)snprintf(text, sizeof text, "%s:0", host);
    ck_assert_int_eq(tl_resolve(text, &bench.at, &err), 0);
    bench.seen = 0;
    bench.echo = tl_echo_open(&bench.at, &port, &err);
    ck_assert_msg(bench.echo >= 0, "%s", err.text);
    ck_assert_int_ne(port, 0);
    ck_assert_int_eq(tl_socket_address(bench.echo, &bench.at, &err), 0);
    bench.tester = tl_udp_connect(&bench.at, NULL, &err);
    ck_assert_msg(bench.tester >= 0, "%s", err.text);
}

static void close_bench(void)
{
    (void)close(bench.echo);
    (void)close(bench.tester);
}

/* Sends it, and reads what comes back: its length, -1 when nothing does. */
static ssize_t ask(const uint8_t *bytes, size_t len, uint8_t *out, size_t cap)
{
    struct pollfd in = {.fd = bench.tester, .events = POLLIN};

    ck_assert_int_eq(send(bench.tester, bytes, len, 0), (ssize_t)len);
    tl_echo_serve(bench.echo, &bench.seen);
    return poll(&in, 1, 50) > 0 ? recv(bench.tester, out, cap, 0) : -1;
}

START_TEST(the_echo_tells_what_it_saw)
{
    static const char *const hosts[] = {"127.0.0.1", "[::1]"};
    uint8_t bytes[1000] = {0}, back[2000];
    struct tl_probe probe = {.number = 7, .back = 2, .run = 9};

    open_bench(hosts[_i]);
    for (uint32_t n = 1; n < 4; n++) {
        memset(bytes, 0x5a, sizeof bytes);
        tl_probe_write(&(struct tl_probe){.number = 7, .back = 2, .run = 9}, bytes);
        tl_udp_mark(bench.tester, 46 << 2 | 1, 33);
        ck_assert_int_eq(ask(bytes, sizeof bytes, back, sizeof back), sizeof bytes);
        ck_assert(tl_probe_read(back, sizeof bytes, &probe));
        ck_assert_uint_eq(probe.number, 7);
        ck_assert_uint_eq(probe.run, 9);
        ck_assert_uint_eq(probe.seen_tos, 46 << 2 | 1);
        ck_assert_uint_eq(probe.seen_ttl, 33);
        ck_assert_uint_eq(probe.arrival, n);
        ck_assert_mem_eq(back + TL_PROBE_LEN, bytes + TL_PROBE_LEN,
                         sizeof bytes - TL_PROBE_LEN);
    }
    close_bench();
}
END_TEST

START_TEST(answers_and_strangers_are_not_answered)
{
    uint8_t bytes[64] = {0}, back[64];

    open_bench("127.0.0.1");
    ck_assert_int_eq(ask(bytes, sizeof bytes, back, sizeof back), -1);
    tl_probe_write(&sample, bytes); /* its TTL was filled in */
    ck_assert_int_eq(ask(bytes, sizeof bytes, back, sizeof back), -1);
    tl_probe_write(&(struct tl_probe){.number = 1}, bytes);
    ck_assert_int_eq(ask(bytes, TL_PROBE_LEN - 1, back, sizeof back), -1);
    ck_assert_int_eq(ask(bytes, TL_PROBE_LEN, back, sizeof back), TL_PROBE_LEN);
    ck_assert_uint_eq(bench.seen, 1);
    close_bench();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("path_echo");
    TCase *tc = tcase_create("probes");

    tcase_add_test(tc, a_probe_comes_back_as_it_was_written);
    tcase_add_test(tc, what_is_no_probe_is_refused);
    tcase_add_loop_test(tc, the_echo_tells_what_it_saw, 0, 2);
    tcase_add_test(tc, answers_and_strangers_are_not_answered);
    suite_add_tcase(suite, tc);
    return suite;
}
