/* SPDX-License-Identifier: Apache-2.0
 * net_test.c - the lossless network, and what the experiments on it show for several seeds. */
#include "oracles/lab/dcqcn/net.h"

#include "oracles/lab/dcqcn/experiments.h"
#include "oracles/lab/experiment.h"
#include "tests/testing.h"

enum { PACKET = 1000, LINKS = 3 };

static const uint64_t rate = UINT64_C(40000000000);

static struct fal_pfc_link links[LINKS];
static struct fal_pfc_flow flows[2];
static struct fal_pfc_net net;

/* Two senders of 40 Gb/s share a link of the same rate; a round trip is 4 us. */
static void two_senders(bool dcqcn, uint64_t pause_bytes)
{
    for (unsigned i = 0; i < 3; i++)
        links[i] = (struct fal_pfc_link){.rate_bps = rate, .delay_ps = FAL_LAB_US};
    for (uint32_t i = 0; i < 2; i++)
        flows[i] = (struct fal_pfc_flow){.path = {i, 2}, .hops = 2};
    net = (struct fal_pfc_net){.links = links,
                               .flows = flows,
                               .num_links = 3,
                               .num_flows = 2,
                               .params = *fal_dcqcn_preset("paper"),
                               .dcqcn = dcqcn,
                               .pause_bytes = pause_bytes,
                               .packet_bytes = PACKET,
                               .from_ps = 10 * FAL_LAB_MS,
                               .until_ps = 40 * FAL_LAB_MS,
                               .watched = 2,
                               .seed = test_seed(1)};
    net.params.line_rate_bps = rate;
    net.params.cnp_interval_ns = 50000;
}

START_TEST(pauses_keep_a_queue_short)
{
    uint64_t under_way = 2 * rate / 8 / 1000000 * 2; /* of two links, in 2 us */

    two_senders(false, 50000);
    ck_assert_int_eq(fal_pfc_run(&net), 0);
    fal_pfc_end(&net);
    ck_assert_uint_gt(links[0].pauses + links[1].pauses, 100);
    ck_assert_uint_gt(links[2].most_bytes, 50000);
    ck_assert_uint_lt(links[2].most_bytes, 2 * 50000 + under_way + 4 * PACKET);
    ck_assert_int_ge(fal_pfc_share_milli(&net, 0, rate) + fal_pfc_share_milli(&net, 1, rate),
                     999);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_ge(fal_pfc_share_milli(&net, i, rate), 490);
        ck_assert_int_le(fal_pfc_share_milli(&net, i, rate), 510);
    }
}
END_TEST

START_TEST(dcqcn_ends_the_pauses_and_shares_alike)
{
    two_senders(true, 200000);
    ck_assert_int_eq(fal_pfc_run(&net), 0);
    fal_pfc_end(&net);
    ck_assert_uint_eq(links[0].pauses + links[1].pauses, 0);
    ck_assert_uint_gt(flows[0].cnps, 0);
    for (unsigned i = 0; i < 2; i++)
        ck_assert_int_ge(fal_pfc_share_milli(&net, i, rate), 400);
}
END_TEST

START_TEST(a_priority_is_paused_alone)
{
    two_senders(false, 50000);
    links[2].rate_bps = rate / 10;
    flows[1].priority = 1;
    flows[1].cap_bps = rate / 50;
    ck_assert_int_eq(fal_pfc_run(&net), 0);
    fal_pfc_end(&net);
    ck_assert_uint_gt(links[0].pauses, 0);
    ck_assert_uint_eq(links[1].pauses, 0);
    ck_assert_int_ge(fal_pfc_share_milli(&net, 1, rate), 19); /* all that it asks for */
}
END_TEST

static struct fal_lab_outcome played(const char *name, uint64_t seed)
{
    const struct fal_lab_experiment *e = fal_lab_experiment_find(name);
    struct fal_lab_ask ask = fal_lab_ask_of(e, e->cases[0]);
    struct fal_lab_outcome out;

    ask.rate_bps = UINT64_C(100000000000);
    ask.seed = seed;
    ask.time_ps = e->time_ps(&ask);
    ck_assert_int_eq(e->run(&ask, &out), 0);
    return out;
}

START_TEST(congestion_spreads_without_dcqcn_only)
{
    for (uint64_t k = 0; k < test_rounds(2); k++) {
        uint64_t seed = test_seed(1) + k;
        struct fal_lab_outcome without = played("spreading", seed),
                               with = played("spreading-dcqcn", seed);

        for (unsigned v = 0; v < with.n_values; v++) {
            ck_assert_msg(!fal_lab_outside(&with.values[v]), "%s: %s", with.values[v].name,
                          test_again(seed));
            ck_assert_msg(!fal_lab_outside(&without.values[v]), "%s: %s",
                          without.values[v].name, test_again(seed));
        }
        ck_assert_int_gt(fal_lab_value_find(&with, "share of X")->milli,
                         3 * fal_lab_value_find(&without, "share of X")->milli);
        ck_assert_int_gt(fal_lab_value_find(&without, "pauses")->milli, 0);
    }
}
END_TEST

START_TEST(the_same_seed_gives_the_same)
{
    struct fal_lab_outcome a = played("incast-dcqcn", 7), b = played("incast-dcqcn", 7);

    ck_assert_uint_eq(a.trace, b.trace);
    ck_assert_uint_eq(a.events, b.events);
    ck_assert_uint_ne(a.trace, played("incast-dcqcn", 8).trace);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("dcqcn_net");
    TCase *tc = tcase_create("dcqcn_net");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, pauses_keep_a_queue_short);
    tcase_add_test(tc, dcqcn_ends_the_pauses_and_shares_alike);
    tcase_add_test(tc, a_priority_is_paused_alone);
    tcase_add_test(tc, congestion_spreads_without_dcqcn_only);
    tcase_add_test(tc, the_same_seed_gives_the_same);
    suite_add_tcase(suite, tc);
    return suite;
}
