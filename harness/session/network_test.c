/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/network.h"
#include "tests/testing.h"

static struct tl_target read_ok(const char *text)
{
    struct tl_target target = {0};
    struct fal_error err = {{0}};

    ck_assert_msg(tl_network_read(text, &target, &err) == 0, "%s: %s", text, err.text);
    return target;
}

START_TEST(settings_hold_for_both_directions_or_for_one)
{
    struct tl_target t = read_ok("latency=20us,in:loss=1.5%,out:loss=0.0001%,jitter=1ms,"
                                 "duplicate=100%,reorder=3%,reorder-by=5us,corrupt=0%");

    for (unsigned d = 0; d < 2; d++) {
        ck_assert_uint_eq(t.impair[d].latency_ns, 20000);
        ck_assert_uint_eq(t.impair[d].jitter_ns, FAL_MS);
        ck_assert_uint_eq(t.impair[d].duplicate_ppm, 1000000);
        ck_assert_uint_eq(t.impair[d].reorder_ppm, 30000);
        ck_assert_uint_eq(t.impair[d].reorder_ns, 5000);
    }
    ck_assert_uint_eq(t.impair[FAL_TO_SUT].loss_ppm, 15000);
    ck_assert_uint_eq(t.impair[FAL_FROM_SUT].loss_ppm, 1);
    ck_assert_uint_eq(t.num_rules, 0);
}
END_TEST

START_TEST(the_bottleneck_has_its_words)
{
    struct tl_target t = read_ok("rate=100G,queue=65536,mark-at=3000,mtu=1500,hops=3,mark=25%");

    ck_assert_uint_eq(t.impair[1].rate_bps, UINT64_C(100000000000));
    ck_assert_uint_eq(t.impair[1].queue_bytes, 65536);
    ck_assert_uint_eq(t.impair[1].ecn_bytes, 3000);
    ck_assert_uint_eq(t.impair[1].mtu, 1500);
    ck_assert_uint_eq(t.impair[1].hops, 3);
    ck_assert_uint_eq(t.impair[1].ce_ppm, 250000);
    ck_assert_uint_eq(read_ok("rate=1,queue=9").impair[0].rate_bps, 1);
    ck_assert_uint_eq(read_ok("rate=7k,queue=9").impair[0].rate_bps, 7000);
    ck_assert_uint_eq(read_ok("rate=99999999999,queue=9").impair[0].rate_bps,
                      UINT64_C(99999999999));
}
END_TEST

START_TEST(frames_are_picked_by_what_they_carry)
{
    struct tl_target t =
        read_ok("drop-frame:push_data:nth=3,in:delay-frame:req:psn=4294967295:by=1us,"
                "duplicate-frame:rsn=7:times=0,corrupt-frame,out:mark-frame:data");
    const struct fal_simnet_rule *r = t.rules;

    ck_assert_uint_eq(t.num_rules, 5);
    ck_assert_int_eq(r[0].action, FAL_SIMNET_DROP);
    ck_assert_int_eq(r[0].type, FAL_PUSH_DATA);
    ck_assert_int_eq(r[0].dir, FAL_SIMNET_ANY);
    ck_assert_uint_eq(r[0].nth, 3);
    ck_assert_uint_eq(r[0].times, 1);
    ck_assert_int_eq(r[0].psn, FAL_SIMNET_ANY);
    ck_assert_int_eq(r[1].action, FAL_SIMNET_DELAY);
    ck_assert_int_eq(r[1].dir, FAL_TO_SUT);
    ck_assert_int_eq(r[1].window, FAL_WINDOW_REQ);
    ck_assert_int_eq(r[1].psn, UINT32_MAX);
    ck_assert_uint_eq(r[1].delay_ns, 1000);
    ck_assert_int_eq(r[2].action, FAL_SIMNET_DUPLICATE);
    ck_assert_int_eq(r[2].rsn, 7);
    ck_assert_uint_eq(r[2].times, 0);
    ck_assert_int_eq(r[3].action, FAL_SIMNET_CORRUPT);
    ck_assert_int_eq(r[4].action, FAL_SIMNET_MARK_CE);
    ck_assert_int_eq(r[4].dir, FAL_FROM_SUT);
    ck_assert_int_eq(r[4].window, FAL_WINDOW_DATA);
}
END_TEST

static const struct {
    const char *text, *why;
} wrong[] = {
    {"latency", "latency: expected a time such as 20us"},
    {"latency=5", "latency: expected a time such as 20us"},
    {"latency=-5us", "latency: expected a time such as 20us"},
    {"latency=7200s", "latency: expected a time such as 20us"},
    {"loss=101%", "loss: expected a share such as 0.5%"},
    {"loss=100.1%", "loss: expected a share such as 0.5%"},
    {"loss=1", "loss: expected a share such as 0.5%"},
    {"loss=%", "loss: expected a share such as 0.5%"},
    {"rate=0", "rate: expected bits per second such as 100G"},
    {"rate=9999999999G", "rate: expected bits per second such as 100G"},
    {"rate=1T", "rate: expected bits per second such as 100G"},
    {"rate=1GG", "rate: expected bits per second such as 100G"},
    {"rate=1G", "rate: lacks queue=BYTES"},
    {"hops=256", "hops: expected a number up to 255"},
    {"queue=4294967296", "queue: expected a number of bytes"},
    {"los=1%", "no 'los'; did you mean 'loss'?"},
    {"zzzzz", "no 'zzzzz'"},
    {"drop-fame", "no 'drop-fame'; did you mean 'drop-frame'?"},
    {"drop-frame:pushdata",
     "'pushdata': expected a packet type, req, data, psn=N, rsn=N, nth=N, times=N"},
    {"delay-frame:push_data", "delay-frame: lacks by=TIME"},
    {"delay-frame:by=5", "by: expected a time such as 20us"},
    {"drop-frame:color=3", "no condition 'color'"},
};

START_TEST(a_mistake_is_named)
{
    struct tl_target target = {0};
    struct fal_error err = {{0}};

    ck_assert_int_eq(tl_network_read(wrong[_i].text, &target, &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, wrong[_i].why);
}
END_TEST

START_TEST(there_is_an_end_to_rules_and_words)
{
    struct tl_target target = {0};
    struct fal_error err = {{0}};

    for (unsigned i = 0; i < TL_NETWORK_RULES_MAX; i++)
        ck_assert_int_eq(tl_network_read("drop-frame", &target, &err), 0);
    ck_assert_int_eq(tl_network_read("drop-frame", &target, &err), FAL_ERR_FORM);
    ck_assert_int_eq(
        tl_network_read("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                        &target, &err),
        FAL_ERR_FORM);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("network");
    TCase *tc = tcase_create("network");

    tcase_add_test(tc, settings_hold_for_both_directions_or_for_one);
    tcase_add_test(tc, the_bottleneck_has_its_words);
    tcase_add_test(tc, frames_are_picked_by_what_they_carry);
    tcase_add_loop_test(tc, a_mistake_is_named, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, there_is_an_end_to_rules_and_words);
    suite_add_tcase(suite, tc);
    return suite;
}
