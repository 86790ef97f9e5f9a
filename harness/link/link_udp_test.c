/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/link.h"

#include "harness/link/clock.h"
#include "harness/link/sockets.h"
#include "harness/wire/control_io.h"
#include "oracles/params.h"
#include "tests/testing.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The SUT's side, played by the test itself: the kernel keeps what either side has not read. */
static struct {
    int udp, listener, control;
    struct tl_address at, tester;
    char frames[TL_ADDRESS_TEXT], lines[TL_ADDRESS_TEXT + 8];
    struct tl_link *link;
} sut;

static struct tl_link_got got;
static struct fal_error err;

static void listen_at(const char *host)
{
    struct tl_stream stream = {0};
    struct tl_address at;
    char text[TL_ADDRESS_TEXT];

    (void)snprintf(text, sizeof text, "%s:0", host);
    ck_assert_int_eq(tl_resolve(text, &at, &err), 0);
    sut.udp = tl_udp_bind(&at, &err);
    ck_assert_msg(sut.udp >= 0, "%s", err.text);
    ck_assert_int_eq(tl_socket_address(sut.udp, &sut.at, &err), 0);
    tl_address_text(&sut.at, sut.frames);
    stream.ip = at;
    sut.listener = tl_stream_listen(&stream, &err);
    ck_assert_msg(sut.listener >= 0, "%s", err.text);
    ck_assert_int_eq(tl_socket_address(sut.listener, &at, &err), 0);
    tl_address_text(&at, text);
    (void)snprintf(sut.lines, sizeof sut.lines, "tcp:%s", text);
}

static void open_link(const char *control)
{
    sut.link = tl_link_udp_open(sut.frames, control, NULL, &err);
    ck_assert_msg(sut.link != NULL, "%s", err.text);
    ck_assert_int_eq(
        tl_address_parse(sut.link->ops->caps(sut.link).local_address, &sut.tester, &err), 0);
    if (control != NULL) {
        sut.control = accept4(sut.listener, NULL, NULL, SOCK_CLOEXEC);
        ck_assert_int_ge(sut.control, 0);
    }
}

static void set_up(void)
{
    sut.udp = sut.listener = sut.control = -1;
    listen_at("127.0.0.1");
    open_link(sut.lines);
}

static void tear_down(void)
{
    if (sut.link != NULL)
        sut.link->ops->free(sut.link);
    sut.link = NULL;
    (void)close(sut.udp);
    (void)close(sut.listener);
    if (sut.control >= 0)
        (void)close(sut.control);
}

static void sleep_ms(unsigned ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    (void)nanosleep(&t, NULL);
}

static uint64_t now(void)
{
    return sut.link->ops->now_ns(sut.link);
}

static enum tl_link_event wait_ms(unsigned ms)
{
    return sut.link->ops->wait(sut.link, now() + ms * FAL_MS, &got);
}

static void sut_sends(const void *bytes, size_t len)
{
    ck_assert_int_eq(
        sendto(sut.udp, bytes, len, 0, &sut.tester.u.sa, tl_address_len(&sut.tester)),
        (ssize_t)len);
}

static void sut_says(const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = send(sut.control, text, len, MSG_NOSIGNAL);

        ck_assert_int_gt(n, 0);
        text += n;
        len -= (size_t)n;
    }
}

static void expect_line(const char *want)
{
    ck_assert_int_eq(wait_ms(2000), TL_LINK_LINE);
    ck_assert_str_eq((const char *)got.bytes, want);
    ck_assert_uint_eq(got.len, strlen(want));
}

START_TEST(frames_go_both_ways_with_their_times)
{
    uint8_t buffer[16];
    struct tl_address from;
    socklen_t len = sizeof from.u;
    uint64_t sent_ns, before = now(), after;

    ck_assert_int_eq(sut.link->ops->send(sut.link, (const uint8_t *)"ping", 4, &sent_ns, &err),
                     0);
    ck_assert_uint_ge(sent_ns, before);
    ck_assert_uint_le(sent_ns, now());
    ck_assert_int_eq(recvfrom(sut.udp, buffer, sizeof buffer, 0, &from.u.sa, &len), 4);
    ck_assert_uint_eq(tl_address_port(&from), tl_address_port(&sut.tester));

    before = now();
    sut_sends("pong!", 5);
    after = now();
    sleep_ms(30);
    ck_assert_int_eq(wait_ms(1000), TL_LINK_FRAME);
    ck_assert_uint_eq(got.len, 5);
    ck_assert_mem_eq(got.bytes, "pong!", 5);
    ck_assert_uint_eq(got.path, 0); /* one socket has one port, which shows no path */
    /* The kernel's stamp, not the moment of reading. */
    ck_assert_uint_ge(got.at_ns + 100 * FAL_US, before);
    ck_assert_uint_le(got.at_ns, after + 5 * FAL_MS);
    ck_assert_uint_ge(got.read_ns, after + 29 * FAL_MS);
    ck_assert_int_eq(wait_ms(0), TL_LINK_TIMEOUT);
}
END_TEST

START_TEST(frames_of_any_length)
{
    static uint8_t big[65507];

    memset(big, 7, sizeof big);
    sut_sends("", 0);
    sut_sends(big, sizeof big);
    ck_assert_int_eq(wait_ms(1000), TL_LINK_FRAME);
    ck_assert_uint_eq(got.len, 0);
    ck_assert_int_eq(wait_ms(1000), TL_LINK_FRAME);
    ck_assert_uint_eq(got.len, sizeof big);
    ck_assert_mem_eq(got.bytes, big, sizeof big);
    ck_assert_int_eq(sut.link->ops->send(sut.link, big, sizeof big, &(uint64_t){0}, &err), 0);
    ck_assert_int_eq(sut.link->ops->send(sut.link, big, 0, &(uint64_t){0}, &err), 0);
}
END_TEST

START_TEST(strangers_are_not_heard)
{
    struct tl_address other;
    int fd;

    ck_assert_int_eq(tl_address_parse("127.0.0.1:0", &other, &err), 0);
    fd = tl_udp_bind(&other, &err);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(sendto(fd, "x", 1, 0, &sut.tester.u.sa, tl_address_len(&sut.tester)), 1);
    ck_assert_int_eq(wait_ms(20), TL_LINK_TIMEOUT);
    (void)close(fd);
}
END_TEST

START_TEST(caps_promise_what_can_be_promised)
{
    struct tl_link_caps caps = sut.link->ops->caps(sut.link);

    ck_assert_str_eq(caps.name, "udp");
    ck_assert(caps.live);
    ck_assert(caps.control);
    ck_assert(!caps.lossless_in && !caps.lossless_out && !caps.in_order);
    ck_assert(caps.no_duplicates); /* loopback makes none */
    ck_assert_uint_eq(caps.delay_min_ns, 0);
    ck_assert_uint_eq(caps.delay_max_ns, FAL_NEVER);
    ck_assert_uint_ge(caps.clock_error_ns, 1000);
    ck_assert_uint_le(caps.clock_error_ns, FAL_MS);
    ck_assert(strncmp(caps.local_address, "127.0.0.1:", 10) == 0);
}
END_TEST

START_TEST(lines_arrive_in_any_split)
{
    const char text[] = "{\"id\": 1}\n\n{\"id\": 2}\n{\"id\"";

    for (size_t i = 0; i < sizeof text - 1; i++) {
        sut_says(&text[i], 1);
        if (i == 8)
            ck_assert_int_eq(wait_ms(20), TL_LINK_TIMEOUT); /* an incomplete line is ignored */
        if (i == 9)
            expect_line("{\"id\": 1}");
    }
    expect_line("");
    expect_line("{\"id\": 2}");
    ck_assert_int_eq(wait_ms(20), TL_LINK_TIMEOUT);
    sut_says(": 3}\n", 5);
    expect_line("{\"id\": 3}");
    ck_assert_int_eq(wait_ms(0), TL_LINK_TIMEOUT);
}
END_TEST

START_TEST(a_line_too_long_is_an_error_once)
{
    char *text = malloc(TL_LINE_MAX + 10);

    memset(text, 'x', TL_LINE_MAX + 10);
    text[TL_LINE_MAX] = '\n';
    sut_says(text, TL_LINE_MAX + 1);
    ck_assert_int_eq(wait_ms(2000), TL_LINK_LINE);
    ck_assert_uint_eq(got.len, TL_LINE_MAX);
    text[TL_LINE_MAX] = 'x';
    sut_says(text, TL_LINE_MAX + 1);
    ck_assert_int_eq(wait_ms(2000), TL_LINK_ERROR);
    ck_assert_msg(strstr(got.error.text, "a line that is too long") != NULL, "%s",
                  got.error.text);
    ck_assert_int_eq(wait_ms(20), TL_LINK_TIMEOUT);
    ck_assert_int_eq(sut.link->ops->send_line(sut.link, "x", 1, &err), FAL_ERR_IO);
    sut_sends("f", 1); /* frames go on */
    ck_assert_int_eq(wait_ms(1000), TL_LINK_FRAME);
    free(text);
}
END_TEST

START_TEST(what_a_closing_sut_said_is_still_heard)
{
    sut_says("last\nhalf a li", 14);
    (void)close(sut.control);
    sut.control = -1;
    expect_line("last");
    ck_assert_int_eq(wait_ms(2000), TL_LINK_CLOSED);
    ck_assert_str_eq(got.error.text, "the control channel was closed by the SUT within a line");
    ck_assert_int_eq(wait_ms(20), TL_LINK_TIMEOUT); /* told once */
    ck_assert_int_eq(sut.link->ops->send_line(sut.link, "x", 1, &err), FAL_ERR_IO);
    ck_assert_str_eq(err.text, "the control channel was closed by the SUT within a line");
}
END_TEST

START_TEST(a_sut_that_dies_raises_no_signal)
{
    struct linger hard = {.l_onoff = 1};

    (void)setsockopt(sut.control, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    (void)close(sut.control); /* RST */
    sut.control = -1;
    for (unsigned i = 0; i < 20; i++)
        (void)sut.link->ops->send_line(sut.link, "{\"id\": 1}", 9, &err);
    ck_assert_int_eq(wait_ms(2000), TL_LINK_CLOSED);
    ck_assert_msg(strncmp(got.error.text, "the control channel ", 20) == 0, "%s",
                  got.error.text);
    ck_assert_int_eq(wait_ms(10), TL_LINK_TIMEOUT);
}
END_TEST

START_TEST(lines_wait_for_a_sut_that_does_not_read_up_to_a_bound)
{
    char line[1001], *text = malloc(64 << 20);
    size_t len = 0, at = 0;
    unsigned sent = 0, seen = 0;

    for (; sent < 100000; sent++) {
        (void)snprintf(line, sizeof line, "%0999u", sent);
        if (sut.link->ops->send_line(sut.link, line, 999, &err) != 0)
            break;
    }
    ck_assert_uint_lt(sent, 100000);
    ck_assert_msg(strstr(err.text, "does not read") != NULL, "%s", err.text);
    while (len < (size_t)sent * 1000) {
        ssize_t n = recv(sut.control, text + len, 1 << 20, MSG_DONTWAIT);

        ck_assert(n > 0 || errno == EAGAIN);
        if (n > 0)
            len += (size_t)n;
        else
            ck_assert_int_eq(wait_ms(1),
                             TL_LINK_TIMEOUT); /* the link goes on writing meanwhile */
    }
    for (; at < len; at += 1000, seen++) {
        ck_assert_uint_eq(strtoul(text + at, NULL, 10), seen);
        ck_assert_int_eq(text[at + 999], '\n');
    }
    ck_assert_int_eq(sut.link->ops->send_line(sut.link, "{}", 2, &err), 0);
    ck_assert_int_eq(sut.link->ops->send_line(sut.link, "a\nb", 3, &err), FAL_ERR_IO);
    free(text);
}
END_TEST

/* TCP gives its stamps, so that what came first comes out first, whichever socket it came to.
 */
START_TEST(frames_and_lines_come_out_in_the_order_of_arrival)
{
    for (unsigned round = 0; round < 20; round++) {
        bool frame_first = round % 2 == 0;
        uint64_t first;

        if (frame_first)
            sut_sends("f", 1);
        else
            sut_says("l\n", 2);
        sleep_ms(2);
        if (frame_first)
            sut_says("l\n", 2);
        else
            sut_sends("f", 1);
        sleep_ms(2);
        ck_assert_int_eq(wait_ms(1000), frame_first ? TL_LINK_FRAME : TL_LINK_LINE);
        first = got.at_ns;
        ck_assert_int_eq(wait_ms(1000), frame_first ? TL_LINK_LINE : TL_LINK_FRAME);
        ck_assert_uint_ge(got.at_ns, first + FAL_MS);
        ck_assert_uint_ge(got.read_ns, got.at_ns + FAL_MS);
    }
}
END_TEST

START_TEST(deadlines_are_kept_and_waiting_costs_nothing)
{
    struct rusage before, after;
    uint64_t late = FAL_NEVER;

    (void)getrusage(RUSAGE_SELF, &before);
    for (unsigned i = 0; i < 10; i++) {
        uint64_t deadline = now() + 20 * FAL_MS + 12345;

        ck_assert_int_eq(sut.link->ops->wait(sut.link, deadline, &got), TL_LINK_TIMEOUT);
        ck_assert_uint_ge(got.at_ns, deadline);
        ck_assert_uint_ge(now(), deadline);
        late = got.at_ns - deadline < late ? got.at_ns - deadline : late;
    }
    (void)getrusage(RUSAGE_SELF, &after);
    ck_assert_uint_lt(late, 10 * FAL_MS); /* the best of ten, on a busy machine */
    ck_assert_int_lt((after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 +
                         (after.ru_utime.tv_usec - before.ru_utime.tv_usec),
                     100000);
}
END_TEST

START_TEST(a_flood_does_not_hide_a_deadline)
{
    uint64_t deadline;
    unsigned frames = 0;

    for (unsigned i = 0; i < 500; i++)
        sut_sends("x", 1);
    sleep_ms(1);
    deadline = now();
    sleep_ms(2);
    for (unsigned i = 0; i < 500; i++)
        sut_sends("y", 1);
    for (; sut.link->ops->wait(sut.link, deadline, &got) == TL_LINK_FRAME; frames++)
        ck_assert_int_eq(got.bytes[0], 'x');
    ck_assert_uint_eq(frames, 500);
    for (frames = 0; wait_ms(5) == TL_LINK_FRAME; frames++)
        ck_assert_int_eq(got.bytes[0], 'y');
    ck_assert_uint_eq(frames, 500);
}
END_TEST

START_TEST(dropped_frames_are_counted)
{
    enum { FRAMES = 20000, LEN = 1400 };
    static uint8_t frame[LEN];
    unsigned frames = 0;
    uint64_t drops;

    ck_assert_uint_eq(sut.link->ops->drops(sut.link), 0);
    for (unsigned i = 0; i < FRAMES; i++)
        sut_sends(frame, LEN);
    drops = sut.link->ops->drops(sut.link);
    while (wait_ms(5) == TL_LINK_FRAME)
        frames++;
    ck_assert_uint_gt(drops, 0);
    ck_assert_uint_eq(frames + drops, FRAMES);
    ck_assert_uint_eq(sut.link->ops->drops(sut.link), 0); /* since the last call */
}
END_TEST

START_TEST(nobody_there_is_news_not_an_error)
{
    struct tl_address at = sut.at;
    uint64_t sent_ns;

    (void)close(sut.udp);
    for (unsigned i = 0; i < 20; i++) {
        ck_assert_int_eq(sut.link->ops->send(sut.link, (const uint8_t *)"x", 1, &sent_ns, &err),
                         0);
        ck_assert_int_eq(wait_ms(1), TL_LINK_TIMEOUT);
    }
    sut.udp = tl_udp_bind(&at, &err);
    ck_assert_msg(sut.udp >= 0, "%s", err.text);
    ck_assert_int_eq(sut.link->ops->send(sut.link, (const uint8_t *)"y", 1, &sent_ns, &err), 0);
    sut_sends("z", 1);
    ck_assert_int_eq(wait_ms(1000), TL_LINK_FRAME);
    ck_assert_int_eq(recv(sut.udp, &at, sizeof at, MSG_DONTWAIT), 1); /* and it arrived */
}
END_TEST

static void *speak_later(void *ctx)
{
    (void)ctx;
    sleep_ms(30);
    sut_says("late\n", 5);
    return NULL;
}

START_TEST(waiting_without_end_ends_when_something_comes)
{
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, speak_later, NULL), 0);
    ck_assert_int_eq(sut.link->ops->wait(sut.link, FAL_NEVER, &got), TL_LINK_LINE);
    (void)pthread_join(thread, NULL);
}
END_TEST

static void *flood(void *ctx)
{
    unsigned long lines = *(unsigned long *)ctx;
    char text[10000];
    size_t len = 0;

    for (unsigned long i = 1; i <= lines; i++) {
        len += (size_t)snprintf(text + len, 100,
                                "{\"seq\":%lu,\"epoch\":1,\"event\":\"dropped\"}\n", i);
        if (len > sizeof text - 100 || i == lines) {
            for (size_t at = 0; at < len;) {
                ssize_t n = send(sut.control, text + at, len - at, MSG_NOSIGNAL);

                if (n < 0)
                    return NULL;
                at += (size_t)n;
            }
            len = 0;
        }
    }
    return NULL;
}

START_TEST(a_flood_of_lines_comes_through_whole)
{
    unsigned long lines = test_rounds(100000), seen = 0;
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, flood, &lines), 0);
    while (seen < lines) {
        ck_assert_int_eq(wait_ms(5000), TL_LINK_LINE);
        ck_assert_uint_eq(strtoul((const char *)got.bytes + 7, NULL, 10), ++seen);
    }
    (void)pthread_join(thread, NULL);
}
END_TEST

START_TEST(unix_control_and_none)
{
    struct tl_stream stream;
    char path[64];

    tear_down();
    listen_at("127.0.0.1");
    (void)close(sut.listener);
    (void)snprintf(path, sizeof path, "unix:" P_tmpdir "/talon-%d", (int)getpid());
    ck_assert_int_eq(tl_stream_read(path, &stream, &err), 0);
    sut.listener = tl_stream_listen(&stream, &err);
    ck_assert_msg(sut.listener >= 0, "%s", err.text);
    open_link(path);
    ck_assert_int_eq(tl_stream_listen(&stream, &err), FAL_ERR_IO); /* a listener exists */
    sut_says("{}\n", 3);
    expect_line("{}");
    ck_assert_uint_le(got.at_ns, got.read_ns);
    (void)close(sut.listener);
    sut.listener = tl_stream_listen(&stream, &err); /* left behind: replaced */
    ck_assert_msg(sut.listener >= 0, "%s", err.text);
    (void)unlink(stream.un.sun_path);
    sut.link->ops->free(sut.link);
    (void)close(sut.control);
    sut.control = -1;

    open_link(NULL);
    ck_assert(!sut.link->ops->caps(sut.link).control);
    ck_assert_int_eq(sut.link->ops->send_line(sut.link, "{}", 2, &err), FAL_ERR_IO);
    sut_sends("f", 1);
    ck_assert_int_eq(wait_ms(1000), TL_LINK_FRAME);
    ck_assert_int_eq(wait_ms(5), TL_LINK_TIMEOUT);
}
END_TEST

START_TEST(ipv6_works_as_well)
{
    int fd = socket(AF_INET6, SOCK_DGRAM, 0);
    struct tl_address loopback;

    ck_assert_int_eq(tl_address_parse("[::1]:0", &loopback, &err), 0);
    if (fd < 0 || bind(fd, &loopback.u.sa, tl_address_len(&loopback)) != 0) {
        (void)close(fd);
        return; /* this machine has no IPv6 */
    }
    (void)close(fd);
    tear_down();
    listen_at("[::1]");
    open_link(sut.lines);
    ck_assert(strncmp(sut.link->ops->caps(sut.link).local_address, "[::1]:", 6) == 0);
    sut_sends("six", 3);
    ck_assert_int_eq(wait_ms(1000), TL_LINK_FRAME);
    ck_assert_uint_eq(got.len, 3);
    ck_assert_int_eq(sut.link->ops->send(sut.link, got.bytes, 3, &(uint64_t){0}, &err), 0);
    ck_assert_int_eq(recv(sut.udp, &loopback, sizeof loopback, MSG_DONTWAIT), 3);
}
END_TEST

static const struct {
    const char *address, *control, *why;
} refused[] = {
    {"8.8.8.8:7777", NULL, "is refused"},
    {"0.0.0.0:7777", NULL, "is refused"},
    {"127.0.0.1:0", NULL, "has no port"},
    {"127.0.0.1", NULL, "expected HOST:PORT"},
    {"127.0.0.1:7777", "tcp:9.9.9.9:1", "is refused"},
    {"127.0.0.1:7777", "stdio", "expected tcp:HOST:PORT or unix:PATH"},
    {"127.0.0.1:7777", "unix:/nowhere/at/all", "cannot connect to unix:/nowhere/at/all"},
    {"127.0.0.1:7777", "tcp:127.0.0.1:1", "cannot connect to tcp:127.0.0.1:1"},
};

START_TEST(what_cannot_be_opened_says_why)
{
    ck_assert_ptr_null(tl_link_udp_open(refused[_i].address, refused[_i].control, NULL, &err));
    ck_assert_msg(strstr(err.text, refused[_i].why) != NULL, "%s", err.text);
}
END_TEST

START_TEST(stamps_are_mapped_to_the_run)
{
    struct tl_clock clock;
    struct timespec wall;
    uint64_t before, after, at;

    tl_clock_init(&clock);
    for (unsigned i = 0; i < 1000; i++) {
        before = tl_clock_now(&clock);
        (void)clock_gettime(CLOCK_REALTIME, &wall);
        after = tl_clock_now(&clock);
        at = tl_clock_at(&clock, &wall);
        ck_assert_uint_ge(at + clock.error_ns, before);
        ck_assert_uint_le(at, after + clock.error_ns);
    }
    wall.tv_sec += 1000; /* the wall clock was set back meanwhile: never later than now */
    ck_assert_uint_le(tl_clock_at(&clock, &wall), tl_clock_now(&clock));
    wall.tv_sec -= 2000; /* before the run */
    ck_assert_uint_eq(tl_clock_at(&clock, &wall), 0);
    at = tl_clock_at(&clock, NULL);
    ck_assert_uint_le(at, tl_clock_now(&clock));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("link_udp");
    TCase *tc = tcase_create("link"), *opening = tcase_create("opening");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, frames_go_both_ways_with_their_times);
    tcase_add_test(tc, frames_of_any_length);
    tcase_add_test(tc, strangers_are_not_heard);
    tcase_add_test(tc, caps_promise_what_can_be_promised);
    tcase_add_test(tc, lines_arrive_in_any_split);
    tcase_add_test(tc, a_line_too_long_is_an_error_once);
    tcase_add_test(tc, what_a_closing_sut_said_is_still_heard);
    tcase_add_test(tc, a_sut_that_dies_raises_no_signal);
    tcase_add_test(tc, lines_wait_for_a_sut_that_does_not_read_up_to_a_bound);
    tcase_add_test(tc, frames_and_lines_come_out_in_the_order_of_arrival);
    tcase_add_test(tc, deadlines_are_kept_and_waiting_costs_nothing);
    tcase_add_test(tc, a_flood_does_not_hide_a_deadline);
    tcase_add_test(tc, dropped_frames_are_counted);
    tcase_add_test(tc, nobody_there_is_news_not_an_error);
    tcase_add_test(tc, waiting_without_end_ends_when_something_comes);
    tcase_add_test(tc, a_flood_of_lines_comes_through_whole);
    tcase_add_test(tc, unix_control_and_none);
    tcase_add_test(tc, ipv6_works_as_well);
    suite_add_tcase(suite, tc);
    tcase_add_loop_test(opening, what_cannot_be_opened_says_why, 0, 8);
    tcase_add_test(opening, stamps_are_mapped_to_the_run);
    suite_add_tcase(suite, opening);
    return suite;
}
