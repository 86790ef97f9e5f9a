/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/pulse.h"

#include "harness/link/echo.h"
#include "oracles/params.h"
#include "tests/testing.h"

#include <string.h>

/* An echo whose answers come, or do not, as the test says. */
static struct fake {
    struct tl_link link;
    uint64_t now_ns, drops;
    uint8_t sent[TL_PROBE_LEN];
    unsigned count; /* probes sent */
    bool waiting;   /* an answer to the last probe is there */
    bool freed;
} fake;

static uint64_t fake_now(struct tl_link *link)
{
    (void)link;
    return fake.now_ns;
}

static int fake_send(struct tl_link *link, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                     struct fal_error *err)
{
    (void)link;
    (void)err;
    ck_assert_uint_eq(len, TL_PROBE_LEN);
    memcpy(fake.sent, bytes, len);
    *sent_ns = fake.now_ns;
    fake.count++;
    return 0;
}

static enum tl_link_event fake_wait(struct tl_link *link, uint64_t deadline_ns,
                                    struct tl_link_got *got)
{
    (void)link;
    ck_assert_uint_le(deadline_ns, fake.now_ns); /* A run is never kept waiting. */
    if (!fake.waiting)
        return TL_LINK_TIMEOUT;
    fake.waiting = false;
    *got = (struct tl_link_got){.bytes = fake.sent, .len = sizeof fake.sent};
    return TL_LINK_FRAME;
}

static uint64_t fake_drops(struct tl_link *link)
{
    uint64_t drops = fake.drops;

    (void)link;
    fake.drops = 0;
    return drops;
}

static void fake_free(struct tl_link *link)
{
    (void)link;
    fake.freed = true;
}

static const struct tl_link_ops ops = {.now_ns = fake_now,
                                       .send = fake_send,
                                       .wait = fake_wait,
                                       .drops = fake_drops,
                                       .free = fake_free};

static struct tl_pulse *start(void)
{
    struct tl_pulse *pulse;

    fake = (struct fake){.link = {.ops = &ops}, .now_ns = FAL_S};
    pulse = tl_pulse_new(&fake.link, 7);
    ck_assert_ptr_nonnull(pulse);
    return pulse;
}

static void check(struct tl_pulse *pulse, uint64_t trials, uint64_t lost)
{
    uint64_t t, l;

    tl_pulse_take(pulse, &t, &l);
    ck_assert_uint_eq(t, trials);
    ck_assert_uint_eq(l, lost);
}

/* One probe, lost or answered, and the time after which another is sent. */
static void beat(struct tl_pulse *pulse, bool answered)
{
    tl_pulse_beat(pulse);
    fake.waiting = answered;
    fake.now_ns += 501 * FAL_MS;
}

START_TEST(each_probe_is_a_trial)
{
    struct tl_pulse *pulse = start();

    for (unsigned i = 0; i < 3; i++)
        beat(pulse, true);
    check(pulse, 3, 0);
    check(pulse, 0, 0); /* counted once */
    beat(pulse, false);
    beat(pulse, true);
    check(pulse, 2, 1);
    ck_assert_uint_eq(fake.count, 5);
    tl_pulse_free(pulse);
    ck_assert(fake.freed);
}
END_TEST

/* A dead echo does not say that the path loses everything. */
START_TEST(an_echo_that_is_silent_measures_nothing)
{
    struct tl_pulse *pulse = start();

    for (unsigned i = 0; i < 20; i++)
        beat(pulse, false);
    check(pulse, 0, 0);
    beat(pulse, true); /* it was the path after all */
    check(pulse, 21, 20);
    for (unsigned i = 0; i < 20; i++)
        beat(pulse, false);
    check(pulse, 0, 0);
    tl_pulse_free(pulse);
}
END_TEST

START_TEST(one_probe_is_under_way)
{
    struct tl_pulse *pulse = start();

    tl_pulse_beat(pulse);
    tl_pulse_beat(pulse);
    fake.now_ns += 499 * FAL_MS;
    tl_pulse_beat(pulse);
    ck_assert_uint_eq(fake.count, 1);
    check(pulse, 0, 0);
    fake.waiting = true;
    check(pulse, 1, 0);
    tl_pulse_free(pulse);
}
END_TEST

START_TEST(what_this_host_dropped_is_no_trial)
{
    struct tl_pulse *pulse = start();

    tl_pulse_beat(pulse);
    fake.drops = 1;
    fake.now_ns += FAL_S;
    check(pulse, 0, 0);
    beat(pulse, true);
    check(pulse, 1, 0);
    tl_pulse_free(pulse);
}
END_TEST

START_TEST(an_answer_to_another_run_does_not_count)
{
    struct tl_pulse *pulse = start();

    tl_pulse_beat(pulse);
    fake.sent[27] ^= 1; /* the mark of the run */
    fake.waiting = true;
    check(pulse, 0, 0);
    fake.sent[27] ^= 1;
    fake.waiting = true;
    check(pulse, 1, 0);
    tl_pulse_free(pulse);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("pulse");
    TCase *tc = tcase_create("probes");

    tcase_add_test(tc, each_probe_is_a_trial);
    tcase_add_test(tc, an_echo_that_is_silent_measures_nothing);
    tcase_add_test(tc, one_probe_is_under_way);
    tcase_add_test(tc, what_this_host_dropped_is_no_trial);
    tcase_add_test(tc, an_answer_to_another_run_does_not_count);
    suite_add_tcase(suite, tc);
    return suite;
}
