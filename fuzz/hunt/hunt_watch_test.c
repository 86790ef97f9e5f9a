/* SPDX-License-Identifier: Apache-2.0
 * hunt_watch_test.c - a signal ends a hunt: between two cases, and in a case that never ends.
 */
#include "fuzz/hunt/hunt_watch.h"

#include "harness/cli/cmd.h"
#include "tests/testing.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Longer than any busy machine needs: a program that does not end fails the test by this. */
enum { PATIENCE_S = 60, KEPT = 7 };

static void print_last(void *ctx)
{
    const int *to = ctx;

    (void)!write(*to, "kept", 4);
}

/* The program that hunts: it gets the signal, and then plays. */
static void hunt(int signal, bool loops, int to)
{
    struct hunt h = {.written = KEPT};
    struct hunt_watch watch = {
        .hunt = &h, .verb = "test", .last = print_last, .ctx = &to, .signals = -1};

    (void)alarm(PATIENCE_S);
    (void)freopen("/dev/null", "w", stderr);
    (void)pthread_mutex_init(&h.lock, NULL);
    hunt_watch_begin(&watch);
    (void)kill(getpid(), signal);
    while (loops || !h.stop)
        (void)usleep(1000);
    hunt_watch_end(&watch);
    _exit(strcmp(h.stop_why, "interrupted") == 0 && h.written == KEPT ? 0 : 99);
}

static void check(int signal, bool loops, int expected, const char *said)
{
    char text[16] = "";
    int status, files[2];
    pid_t child;

    ck_assert_int_eq(pipe(files), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        hunt(signal, loops, files[1]);
    (void)close(files[1]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "it did not end, status %x", (unsigned)status);
    ck_assert_int_eq(WEXITSTATUS(status), expected);
    ck_assert_int_ge(read(files[0], text, sizeof text - 1), 0);
    ck_assert_str_eq(text, said);
    (void)close(files[0]);
}

START_TEST(a_hunt_ends_between_two_cases)
{
    check(SIGTERM, false, 0, "");
    check(SIGINT, false, 0, "");
}
END_TEST

START_TEST(a_case_that_never_ends_is_left)
{
    check(SIGTERM, true, TL_STATUS_ERROR, "kept");
    check(SIGINT, true, TL_STATUS_ERROR, "kept");
}
END_TEST

START_TEST(a_watch_without_a_signal_ends)
{
    struct hunt h = {.written = KEPT};
    struct hunt_watch watch = {.hunt = &h, .verb = "test", .last = print_last, .signals = -1};

    (void)pthread_mutex_init(&h.lock, NULL);
    hunt_watch_begin(&watch);
    hunt_watch_end(&watch);
    ck_assert(!h.stop);
    (void)pthread_mutex_destroy(&h.lock);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("signals of a hunt");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 4 * PATIENCE_S);
    tcase_add_test(tc, a_hunt_ends_between_two_cases);
    tcase_add_test(tc, a_case_that_never_ends_is_left);
    tcase_add_test(tc, a_watch_without_a_signal_ends);
    suite_add_tcase(suite, tc);
    return suite;
}
