/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/bench_sut.h"

#include "harness/session/upper.h"
#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

#define STEP_NS (FAL_S / 4) /* the time after which the link is woken */

/* A link that is woken before the deadline, again and again, as a copy's link is by the other
 * copies (tl_mux_wake). It passes the answer on at `answer_ns`. */
struct woken {
    struct tl_link link;
    uint64_t now_ns, answer_ns;
    unsigned waits;
    char answer[80];
};

static struct woken *woken_of(struct tl_link *link)
{
    return (struct woken *)link;
}

static uint64_t now(struct tl_link *link)
{
    return woken_of(link)->now_ns;
}

/* The answer to a command repeats its id. */
static int send_line(struct tl_link *link, const char *line, size_t len, struct fal_error *err)
{
    json_t *command = json_loadb(line, len, 0, NULL);

    (void)err;
    (void)snprintf(woken_of(link)->answer, sizeof woken_of(link)->answer,
                   "{\"id\": %" JSON_INTEGER_FORMAT ", \"epoch\": 1, \"ok\": true}",
                   json_integer_value(json_object_get(command, "id")));
    json_decref(command);
    return 0;
}

static enum tl_link_event wait_woken(struct tl_link *link, uint64_t deadline_ns,
                                     struct tl_link_got *got)
{
    struct woken *w = woken_of(link);

    ck_assert_uint_lt(++w->waits, 100);
    w->now_ns = w->now_ns + STEP_NS < deadline_ns ? w->now_ns + STEP_NS : deadline_ns;
    *got = (struct tl_link_got){.at_ns = w->now_ns, .read_ns = w->now_ns};
    if (w->now_ns < w->answer_ns)
        return TL_LINK_TIMEOUT;
    got->bytes = (const uint8_t *)w->answer;
    got->len = strlen(w->answer);
    return TL_LINK_LINE;
}

/* The result of a barrier that is answered after `answer_ns`. */
static int call(struct woken *w, uint64_t answer_ns, struct fal_error *err)
{
    static const struct tl_link_ops ops = {
        .now_ns = now, .send_line = send_line, .wait = wait_woken};
    struct tl_bench bench = {.link = &w->link};
    struct tl_upper_line reply;
    int rc;

    *w = (struct woken){.link = {.ops = &ops}, .answer_ns = answer_ns};
    bench.upper = tl_upper_new();
    ck_assert_ptr_nonnull(bench.upper);
    rc = tl_bench_call(&bench, json_pack("{s:s}", "do", "barrier"), &reply, err);
    tl_upper_free(bench.upper);
    return rc;
}

START_TEST(an_answer_is_awaited_until_its_deadline)
{
    struct fal_error err = {{0}};
    struct woken w;

    ck_assert_msg(call(&w, TL_REPLY_TIMEOUT_NS - STEP_NS, &err) == 0, "%s", err.text);
    ck_assert_uint_gt(w.waits, 2);
}
END_TEST

START_TEST(an_answer_is_not_awaited_longer)
{
    struct fal_error err = {{0}};
    struct woken w;

    ck_assert_int_eq(call(&w, FAL_NEVER, &err), FAL_ERR_IO);
    ck_assert_str_eq(err.text, "the SUT does not answer on its control channel");
    ck_assert_uint_eq(w.now_ns, TL_REPLY_TIMEOUT_NS);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bench_sut");
    TCase *tc = tcase_create("bench_sut");

    tcase_add_test(tc, an_answer_is_awaited_until_its_deadline);
    tcase_add_test(tc, an_answer_is_not_awaited_longer);
    suite_add_tcase(suite, tc);
    return suite;
}
