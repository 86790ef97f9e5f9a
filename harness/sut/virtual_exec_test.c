/* SPDX-License-Identifier: Apache-2.0
 * Children in lockstep that behave, and children that do not: each ends with a reason and in
 * bounded time. The shell plays them. */
#include "harness/sut/virtual_sut.h"

#include "tests/testing.h"

#include <signal.h>
#include <string.h>

#define GREETS "read l; echo '{\"done\":\"begin\",\"next_ns\":null}'; "

static struct tl_virtual_sut *start(const char *command)
{
    struct fal_error err = {{0}};
    struct tl_virtual_sut *sut =
        tl_virtual_exec(command, 1, &(struct tl_child_config){.answer_s = 1}, &err);

    ck_assert_msg(sut != NULL, "%s", err.text);
    return sut;
}

START_TEST(outputs_come_in_order_and_the_next_timer_is_told)
{
    struct tl_virtual_sut *sut =
        start(GREETS "read l; echo '{\"frame\":\"10ff\"}'; echo '{\"seq\":1}'; "
                     "echo '{\"done\":\"advance\",\"next_ns\":77}'; read l");
    struct tl_sut_out out;

    ck_assert_uint_eq(sut->ops->deadline(sut), FAL_NEVER);
    sut->ops->tick(sut, 5);
    ck_assert(sut->ops->next(sut, &out));
    ck_assert_int_eq(out.kind, TL_SUT_FRAME);
    ck_assert_uint_eq(out.len, 2);
    ck_assert_mem_eq(out.bytes, "\x10\xff", 2);
    ck_assert(sut->ops->next(sut, &out));
    ck_assert_int_eq(out.kind, TL_SUT_LINE);
    ck_assert_mem_eq(out.bytes, "{\"seq\":1}", out.len);
    ck_assert(!sut->ops->next(sut, &out));
    ck_assert_uint_eq(sut->ops->deadline(sut), 77);
    ck_assert_ptr_null(sut->ops->broken(sut));
    sut->ops->free(sut);
}
END_TEST

/* The child sees the moment of a control line before it, and the frame as it came. */
START_TEST(it_is_told_the_time_and_the_frame)
{
    struct tl_virtual_sut *sut = start(
        GREETS
        "read a; echo '{\"done\":\"advance\",\"next_ns\":null}'; read b; read c; "
        "printf '{\"a\":%s,\"b\":%s,\"c\":%s}\\n' \"$a\" \"$b\" \"$c\"; "
        "echo '{\"done\":\"advance\",\"next_ns\":null}'; read d; "
        "printf '{\"d\":%s}\\n' \"$d\"; echo '{\"done\":\"frame\",\"next_ns\":1}'; read e");
    struct tl_sut_out out;
    char text[400];

    sut->ops->line(sut, "{\"id\":1}", 8, 9);
    ck_assert(sut->ops->next(sut, &out));
    (void)snprintf(text, sizeof text, "%.*s", (int)out.len, (const char *)out.bytes);
    ck_assert_str_eq(text, "{\"a\":{\"do\":\"advance\",\"until_ns\":9},\"b\":{\"id\":1},"
                           "\"c\":{\"do\":\"advance\",\"until_ns\":9}}");
    sut->ops->frame(sut, (const uint8_t *)"\x01\xab", 2,
                    (struct tl_sut_ip){.ecn = 1, .ttl = 63}, 10);
    ck_assert(sut->ops->next(sut, &out));
    (void)snprintf(text, sizeof text, "%.*s", (int)out.len, (const char *)out.bytes);
    ck_assert_str_eq(
        text,
        "{\"d\":{\"do\":\"frame\",\"at_ns\":10,\"ecn\":1,\"ttl\":63,\"bytes\":\"01ab\"}}");
    sut->ops->free(sut);
}
END_TEST

static const struct {
    const char *command, *why;
} bad_starts[] = {
    {"exit 0", "ended with exit status 0 before"},
    {"no-such-program", "did not find the program"},
    {"/no/such-program -x", "cannot start '/no/such-program -x': No such file"},
    {"cat", "no answer"},
    {"echo hello; read l", "not a JSON object"},
    {"echo '{\"done\":\"begin\"}'; read l", "next_ns"},
    {"echo '{\"done\":\"begin\",\"next_ns\":-1}'; read l", "next_ns"},
    {"echo '{\"frame\":\"1\"}'; read l", "hex"},
    {"echo '{\"frame\":7}'; read l", "hex"},
    {"echo '{\"done\":\"frame\",\"next_ns\":null}'; read l", "other than the current one"},
    {"echo '{\"done\":true,\"next_ns\":null}'; read l", "other than the current one"},
    {"yes '{\"seq\":1}'", "keeps sending without end"},
    {"head -c 300000 /dev/zero | tr '\\0' x", "too long"},
};

START_TEST(a_child_that_begins_badly_is_told_why)
{
    struct fal_error err = {{0}};
    struct tl_virtual_sut *sut = tl_virtual_exec(
        bad_starts[_i].command, 1, &(struct tl_child_config){.answer_s = 5}, &err);

    ck_assert_ptr_null(sut);
    ck_assert_msg(strstr(err.text, bad_starts[_i].why) != NULL, "%s: %s",
                  bad_starts[_i].command, err.text);
}
END_TEST

START_TEST(a_child_that_dies_or_falls_silent_later)
{
    struct tl_virtual_sut *sut = start(GREETS "read l; kill -9 $$");
    struct tl_sut_out out;

    sut->ops->tick(sut, 1);
    ck_assert_ptr_nonnull(sut->ops->broken(sut));
    ck_assert_uint_eq(sut->ops->deadline(sut), FAL_NEVER);
    sut->ops->tick(sut, 2); /* and nothing more happens */
    ck_assert(!sut->ops->next(sut, &out));
    sut->ops->free(sut);
    sut = start(GREETS "exec sleep 100");
    sut->ops->tick(sut, 1);
    ck_assert_ptr_nonnull(strstr(sut->ops->broken(sut), "for 1 s"));
    sut->ops->free(sut);
}
END_TEST

/* As the program does: a child that is gone is found by what write returns. */
static void ignore_broken_pipes(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
}

Suite *test_suite(void)
{
    Suite *s = suite_create("lockstep");
    TCase *tc = tcase_create("lockstep");

    tcase_set_timeout(tc, 150);
    tcase_add_checked_fixture(tc, ignore_broken_pipes, NULL);
    tcase_add_test(tc, outputs_come_in_order_and_the_next_timer_is_told);
    tcase_add_test(tc, it_is_told_the_time_and_the_frame);
    tcase_add_loop_test(tc, a_child_that_begins_badly_is_told_why, 0,
                        (int)(sizeof bad_starts / sizeof *bad_starts));
    tcase_add_test(tc, a_child_that_dies_or_falls_silent_later);
    suite_add_tcase(s, tc);
    return s;
}
