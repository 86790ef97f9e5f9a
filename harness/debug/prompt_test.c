/* SPDX-License-Identifier: Apache-2.0
 * prompt_test.c - commands from a pipe, in whatever pieces they come. */
#include "harness/debug/prompt.h"

#include "tests/testing.h"

#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct rig {
    struct tl_prompt prompt;
    int to;
};

static struct rig rig(void)
{
    int fds[2];

    ck_assert_int_eq(pipe(fds), 0);
    return (struct rig){.prompt = {.in = fds[0], .signals = -1}, .to = fds[1]};
}

static void type(const struct rig *r, const char *text)
{
    ck_assert_int_eq(write(r->to, text, strlen(text)), (ssize_t)strlen(text));
}

static void end(struct rig *r)
{
    ck_assert_int_eq(close(r->to), 0);
    r->to = -1;
}

static void clear(struct rig *r)
{
    if (r->to >= 0)
        end(r);
    ck_assert_int_eq(close(r->prompt.in), 0);
}

static void reads(struct rig *r, const char *line)
{
    ck_assert_int_eq(tl_prompt_read(&r->prompt, true), TL_PROMPT_LINE);
    ck_assert_str_eq(r->prompt.line, line);
}

START_TEST(lines_come_one_by_one)
{
    struct rig r = rig();

    type(&r, "step 2\n\nprint");
    reads(&r, "step 2");
    reads(&r, "");
    ck_assert_int_eq(tl_prompt_read(&r.prompt, false), TL_PROMPT_NONE);
    type(&r, " windows\nquit");
    reads(&r, "print windows");
    end(&r);
    reads(&r, "quit"); /* the last line needs no newline */
    ck_assert_int_eq(tl_prompt_read(&r.prompt, true), TL_PROMPT_END);
    ck_assert_int_eq(tl_prompt_read(&r.prompt, false), TL_PROMPT_END);
    clear(&r);
}
END_TEST

START_TEST(a_line_that_is_too_long_is_left_out)
{
    struct rig r = rig();
    char most[TL_PROMPT_MAX];

    memset(most, 'a', sizeof most);
    most[sizeof most - 1] = 0;
    type(&r, most);
    type(&r, "\n");
    reads(&r, most);
    for (int i = 0; i < 5; i++)
        type(&r, most);
    type(&r, "\nhelp\n");
    ck_assert_int_eq(tl_prompt_read(&r.prompt, true), TL_PROMPT_LONG);
    reads(&r, "help");
    clear(&r);
}
END_TEST

START_TEST(an_input_that_cannot_be_read_has_ended)
{
    struct tl_prompt prompt = {.in = -1, .signals = -1};
    struct rig r = rig();

    clear(&r);
    ck_assert_int_eq(tl_prompt_read(&r.prompt, true), TL_PROMPT_END);
    ck_assert_int_eq(tl_prompt_read(&prompt, false), TL_PROMPT_NONE);
}
END_TEST

START_TEST(a_signal_comes_before_commands)
{
    struct rig r = rig();
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR1);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
    r.prompt.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    ck_assert_int_ge(r.prompt.signals, 0);
    type(&r, "step\n");
    reads(&r, "step");
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(tl_prompt_read(&r.prompt, true), TL_PROMPT_INTERRUPTED);
    ck_assert_int_eq(tl_prompt_read(&r.prompt, false), TL_PROMPT_NONE);
    ck_assert_int_eq(close(r.prompt.signals), 0);
    clear(&r);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("prompt");
    TCase *tc = tcase_create("prompt");

    tcase_add_test(tc, lines_come_one_by_one);
    tcase_add_test(tc, a_line_that_is_too_long_is_left_out);
    tcase_add_test(tc, an_input_that_cannot_be_read_has_ended);
    tcase_add_test(tc, a_signal_comes_before_commands);
    suite_add_tcase(suite, tc);
    return suite;
}
