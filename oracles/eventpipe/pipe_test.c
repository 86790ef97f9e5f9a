/* SPDX-License-Identifier: Apache-2.0
 * pipe_test.c - the parts of the event pipeline, one after the other. */
#include "oracles/eventpipe/rig_testing.h"

static struct rig rig;

static void done(void)
{
    fal_ep_pipe_free(rig.pipe);
}

static void ck_states(uint32_t slice, const char *expected)
{
    char states[64];

    rig_states(&rig, slice, states);
    ck_assert_str_eq(states, expected);
}

START_TEST(an_event_runs_the_algorithm_of_its_flow)
{
    rig_begin(&rig, 1);
    rig_open(&rig);
    ck_assert(rig_offer(&rig, FAL_EP_ACK, 3, 7));
    rig_to(&rig, 1000);
    ck_states(0, "ABI");
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_CCP, FAL_EP_START, 0)->klass, 3);
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_CONTEXT, FAL_EP_NEW, 0)->flow, 3);
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_CCP, FAL_EP_END, 0)->at_ns, RIG_SERVICE_NS);
    ck_assert_uint_eq(rig_count(&rig, FAL_EP_RATE, FAL_EP_NOT), 1);
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_RATE, FAL_EP_NOT, 0)->rate_bps, 1000000000);
    ck_assert(rig_nth(&rig, FAL_EP_RATE, FAL_EP_NOT, 0)->rtt_request);
    ck_assert_uint_eq(rig.applied, 1);
    ck_assert_uint_eq(fal_ep_pipe_due(rig.pipe), FAL_EP_NEVER);
    done();
}
END_TEST

START_TEST(events_of_a_busy_flow_are_merged_by_class)
{
    const struct fal_ep_event *run;

    rig_begin(&rig, 1);
    rig_open(&rig);
    rig_offer(&rig, FAL_EP_ACK, 3, 7);
    rig_to(&rig, 50);
    rig_offer(&rig, FAL_EP_ACK, 3, 8);
    rig_offer(&rig, FAL_EP_CNP, 3, 9);
    rig_offer(&rig, FAL_EP_ACK, 3, 10);
    rig_to(&rig, 1000);
    ck_states(0, "ABMMMABMABI"); /* a grant for each class */
    ck_assert_uint_eq(rig_count(&rig, FAL_EP_CCP, FAL_EP_START), 3);
    run = rig_nth(&rig, FAL_EP_CCP, FAL_EP_START, 1);
    ck_assert_int_eq(run->kind, FAL_EP_CNP);
    ck_assert_uint_eq(run->count, 1);
    run = rig_nth(&rig, FAL_EP_CCP, FAL_EP_START, 2);
    ck_assert_uint_eq(run->count, 2);
    ck_assert_uint_eq(run->seq, 8);
    ck_assert_uint_eq(run->last_seq, 10);
    ck_assert_uint_eq(run->bytes, 200);
    ck_assert_uint_eq(run->first_ns, 50);
    /* One run of the flow after the other. */
    ck_assert_uint_ge(run->at_ns, rig_nth(&rig, FAL_EP_CCP, FAL_EP_END, 1)->at_ns);
    done();
}
END_TEST

START_TEST(a_flow_without_a_slice_waits_for_one)
{
    rig_begin(&rig, 2);
    rig_open(&rig);
    for (uint32_t flow = 0; flow < 3; flow++)
        rig_offer(&rig, FAL_EP_ACK, flow, 1);
    rig_to(&rig, 1000);
    ck_assert_uint_eq(rig_count(&rig, FAL_EP_MAP, FAL_EP_MISS), 3);
    ck_assert_uint_eq(rig_count(&rig, FAL_EP_MAP, FAL_EP_WRITE), 3);
    ck_assert_uint_eq(rig_count(&rig, FAL_EP_MAP, FAL_EP_RELEASE), 3);
    ck_assert_uint_ge(rig_nth(&rig, FAL_EP_MAP, FAL_EP_WRITE, 2)->at_ns, RIG_SERVICE_NS);
    done();
}
END_TEST

START_TEST(queues_are_served_in_turn)
{
    rig_begin(&rig, 4);
    rig_open(&rig);
    for (uint32_t i = 0; i < 3; i++)
        rig_offer(&rig, FAL_EP_TX, i, i);
    rig_offer(&rig, FAL_EP_ACK, 0, 9);
    rig_offer(&rig, FAL_EP_FW, 0, 0);
    rig_to(&rig, 60);
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_FIFO, FAL_EP_OUT, 0)->queue, FAL_EP_TX_FIFO);
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_FIFO, FAL_EP_OUT, 1)->queue, FAL_EP_RX_FIFO);
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_FIFO, FAL_EP_OUT, 2)->queue, FAL_EP_FW_REGISTER);
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_FIFO, FAL_EP_OUT, 3)->queue, FAL_EP_TX_FIFO);
    done();
}
END_TEST

START_TEST(firmware_has_one_event_at_a_time)
{
    rig_begin(&rig, 1);
    rig_open(&rig);
    ck_assert(rig_offer(&rig, FAL_EP_FW, 0, 0));
    ck_assert(!rig_offer(&rig, FAL_EP_FW, 1, 0));
    rig_to(&rig, 5);
    ck_assert(rig_offer(&rig, FAL_EP_FW, 1, 0));
    done();
}
END_TEST

START_TEST(WRED_drops_by_the_occupancy)
{
    unsigned dropped = 0;

    rig_begin(&rig, 1);
    rig.config.setup.th1[FAL_EP_ACK] = 4;
    rig.config.setup.th2[FAL_EP_ACK] = 12;
    rig_open(&rig);
    for (unsigned i = 0; i < 64; i++)
        rig_offer(&rig, FAL_EP_ACK, 0, i);
    for (size_t i = 0; i < rig.count; i++)
        if (rig.lines[i].point == FAL_EP_WRED) {
            ck_assert_uint_ge(rig.lines[i].occupancy, 4);
            dropped++;
        } else if (rig.lines[i].point == FAL_EP_FIFO) {
            ck_assert_uint_lt(rig.lines[i].occupancy, 12);
        }
    ck_assert_uint_ge(dropped, 52);
    done();
}
END_TEST

START_TEST(firmware_writes_the_class_of_a_kind)
{
    rig_begin(&rig, 1);
    rig_open(&rig);
    fal_ep_pipe_write_class(rig.pipe, FAL_EP_ACK, 1, 0);
    rig_offer(&rig, FAL_EP_ACK, 0, 1);
    rig_to(&rig, 1000);
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_CCP, FAL_EP_START, 0)->klass, 1);
    done();
}
END_TEST

/* [0150, 0151]: events that come during override run after the release. */
START_TEST(override_keeps_events_for_the_release)
{
    bool idle = _i == 0;

    rig_begin(&rig, 1);
    rig_open(&rig);
    if (!idle)
        rig_offer(&rig, FAL_EP_ACK, 5, 1);
    rig_to(&rig, 20);
    ck_assert(fal_ep_pipe_override(rig.pipe, 5, 20));
    rig_offer(&rig, FAL_EP_ACK, 5, 2);
    rig_to(&rig, 40);
    rig_offer(&rig, FAL_EP_ACK, 5, 3);
    rig_to(&rig, 60);
    fal_ep_pipe_release(rig.pipe, 5, 60); /* busy: it waits for the processor */
    rig_to(&rig, 1000);
    ck_states(0, idle ? "OPPABI" : "ABOPPABI");
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_CCP, FAL_EP_START, idle ? 0 : 1)->count, 2);
    done();
}
END_TEST

START_TEST(override_waits_for_a_slice_that_is_busy)
{
    rig_begin(&rig, 1);
    rig_open(&rig);
    rig_offer(&rig, FAL_EP_ACK, 5, 1);
    rig_to(&rig, 20);
    rig_offer(&rig, FAL_EP_ACK, 5, 2);
    rig_to(&rig, 40); /* more_a */
    ck_assert(fal_ep_pipe_override(rig.pipe, 5, 40));
    rig_to(&rig, 1000);
    ck_states(0, "ABMABO");
    ck_assert(!fal_ep_pipe_override(rig.pipe, 6, 1000));
    fal_ep_pipe_release(rig.pipe, 5, 1000);
    ck_states(0, "ABMABOI");
    done();
}
END_TEST

START_TEST(a_context_is_reloaded_after_an_eviction)
{
    rig_begin(&rig, 1);
    rig_open(&rig); /* two contexts */
    for (uint32_t i = 0; i < 4; i++) {
        rig_offer(&rig, FAL_EP_ACK, i % 3, 1);
        rig_to(&rig, (i + 1) * UINT64_C(1000));
    }
    ck_assert_uint_eq(rig_count(&rig, FAL_EP_CONTEXT, FAL_EP_NEW), 3);
    ck_assert_uint_eq(rig_count(&rig, FAL_EP_CONTEXT, FAL_EP_EVICT), 2);
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_CONTEXT, FAL_EP_EVICT, 0)->flow, 0);
    ck_assert_uint_eq(rig_nth(&rig, FAL_EP_CONTEXT, FAL_EP_READ, 0)->digest,
                      rig_nth(&rig, FAL_EP_CONTEXT, FAL_EP_WRITE, 0)->digest);
    done();
}
END_TEST

START_TEST(an_algorithm_that_fails_stops_the_pipeline)
{
    rig_begin(&rig, 1);
    rig_open(&rig);
    rig_offer(&rig, FAL_EP_ACK, 0, 1);
    rig.error = FAL_ERR_IO;
    ck_assert_int_eq(fal_ep_pipe_run(rig.pipe, 1000), FAL_ERR_IO);
    ck_assert_uint_eq(fal_ep_pipe_due(rig.pipe), FAL_EP_NEVER);
    done();
}
END_TEST

static void ck_refused(const char *what)
{
    struct fal_error err = {{0}};

    ck_assert_int_eq(fal_ep_pipe_new(&rig.pipe, &rig.config, &err), FAL_ERR_RANGE);
    ck_assert_msg(strstr(err.text, what) != NULL, "%s", err.text);
}

START_TEST(impossible_numbers_are_refused)
{
    rig_begin(&rig, 0);
    ck_refused("expected 1 to 64 slices");
    rig_begin(&rig, 2);
    rig.config.setup.processors = 3;
    ck_refused("at most as many processors");
    rig_begin(&rig, 2);
    rig.config.flows = 0;
    ck_refused("expected 1 to 65536 flows, found 0");
    rig_begin(&rig, 2);
    rig.config.setup.contexts = 2;
    ck_refused("expected more contexts than slices (2), found 2");
    rig_begin(&rig, 2);
    rig.config.setup.fifo_depth[1] = 0;
    ck_refused("expected FIFOs of 1 to 4096 events");
    rig_begin(&rig, 2);
    rig.config.cycle_ns = 0;
    ck_refused("a cycle of at least 1 ns");
    rig_begin(&rig, 2);
    rig.config.setup.classes[0] = 5;
    ck_refused("kind 0: expected a class below 5, found 5");
    rig_begin(&rig, 2);
    rig.config.setup.th1[6] = 1;
    ck_refused("kind 6: expected thresholds in order, found 1 and 0");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event pipeline");
    TCase *tc = tcase_create("parts");

    tcase_add_test(tc, an_event_runs_the_algorithm_of_its_flow);
    tcase_add_test(tc, events_of_a_busy_flow_are_merged_by_class);
    tcase_add_test(tc, a_flow_without_a_slice_waits_for_one);
    tcase_add_test(tc, queues_are_served_in_turn);
    tcase_add_test(tc, firmware_has_one_event_at_a_time);
    tcase_add_test(tc, WRED_drops_by_the_occupancy);
    tcase_add_test(tc, firmware_writes_the_class_of_a_kind);
    tcase_add_loop_test(tc, override_keeps_events_for_the_release, 0, 2);
    tcase_add_test(tc, override_waits_for_a_slice_that_is_busy);
    tcase_add_test(tc, a_context_is_reloaded_after_an_eviction);
    tcase_add_test(tc, an_algorithm_that_fails_stops_the_pipeline);
    tcase_add_test(tc, impossible_numbers_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
