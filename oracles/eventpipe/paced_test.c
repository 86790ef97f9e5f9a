/* SPDX-License-Identifier: Apache-2.0
 * paced_test.c - the flows of incast on an event pipeline. */
#include "oracles/eventpipe/builtin.h"
#include "oracles/eventpipe/paced.h"
#include "oracles/lab/experiment.h"
#include "tests/testing.h"

#define GBPS UINT64_C(1000000000)

struct seen {
    unsigned kinds[FAL_EP_KINDS], rates;
    unsigned wrong_times;
};

static void take(void *ctx, const struct fal_ep_event *e)
{
    struct seen *seen = ctx;

    if (e->point == FAL_EP_RATE)
        seen->rates++;
    if (e->point != FAL_EP_SOURCE)
        return;
    seen->kinds[e->kind]++;
    if (e->kind == FAL_EP_RTT && !(e->t1_ns < e->t2_ns && e->t2_ns <= e->t3_ns &&
                                   e->t3_ns < e->t4_ns && e->t4_ns == e->at_ns))
        seen->wrong_times++;
}

static int fails(void *ctx, bool first, void *context, const struct fal_ep_event *event,
                 struct fal_ep_answer *answer)
{
    (void)ctx;
    (void)first;
    (void)context;
    (void)event;
    (void)answer;
    return FAL_ERR_IO;
}

static int play(struct fal_ep_paced *paced, struct fal_lab_outcome *out)
{
    const struct fal_lab_experiment *incast = fal_lab_experiment_find("incast");
    struct fal_lab_pacer pacer = fal_ep_paced_pacer(paced);
    struct fal_lab_ask ask = fal_lab_ask_of(incast, 4);
    struct fal_swift_params params;
    struct fal_swift swift;
    struct fal_error err;
    int rc;

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, &err), 0);
    ask.seed = 1;
    ask.rate_bps = 100 * GBPS;
    ask.swift = &swift;
    ask.settings[FAL_LAB_ECN_KB] = 40;
    ask.time_ps = 2 * FAL_LAB_MS;
    ask.pacer = &pacer;
    rc = incast->run(&ask, out);
    fal_ep_paced_free(paced);
    return rc;
}

START_TEST(the_answers_pace_the_flows)
{
    struct fal_ep_builtin fast = {5 * GBPS, GBPS, 40 * GBPS, 12000};
    struct fal_ep_builtin slow = {5 * GBPS, GBPS, 5 * GBPS, 12000};
    struct seen seen = {.rates = 0};
    struct fal_ep_paced paced = {.algorithm = fal_ep_builtin(&fast),
                                 .line_bps = 100 * GBPS,
                                 .default_rate_bps = 5 * GBPS,
                                 .trace = take,
                                 .ctx = &seen};
    struct fal_lab_outcome out;

    ck_assert_int_eq(play(&paced, &out), 0);
    ck_assert_int_gt(fal_lab_value_find(&out, "utilisation")->milli, 500);
    ck_assert_uint_gt(seen.rates, 1000);
    ck_assert_uint_eq(seen.wrong_times, 0);
    for (unsigned k = 0; k < FAL_EP_FW; k++)
        ck_assert_msg(seen.kinds[k] > 0 || k == FAL_EP_NACK, "kind %u", k);
    paced.algorithm = fal_ep_builtin(&slow); /* four flows of at most 5 Gb/s of 100 */
    ck_assert_int_eq(play(&paced, &out), 0);
    ck_assert_int_le(fal_lab_value_find(&out, "utilisation")->milli, 202);
    ck_assert_int_ge(fal_lab_value_find(&out, "utilisation")->milli, 150);
}
END_TEST

START_TEST(an_algorithm_that_fails_ends_the_lab)
{
    struct fal_ep_paced paced = {
        .algorithm = {NULL, 0, fails}, .line_bps = 100 * GBPS, .default_rate_bps = GBPS};
    struct fal_lab_outcome out;

    ck_assert_int_eq(play(&paced, &out), FAL_ERR_IO);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("flows on an event pipeline");
    TCase *tc = tcase_create("incast");

    tcase_add_test(tc, the_answers_pace_the_flows);
    tcase_add_test(tc, an_algorithm_that_fails_ends_the_lab);
    suite_add_tcase(suite, tc);
    return suite;
}
