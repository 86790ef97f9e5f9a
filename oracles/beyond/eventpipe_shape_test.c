/* SPDX-License-Identifier: Apache-2.0
 * eventpipe_shape_test.c - lines of event traces and the setup are written and read by one
 * table. */
#include "oracles/beyond/eventpipe_shape.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

static void ck_line(const struct fal_ep_event *event, const char *expected)
{
    struct fal_shape_text text = {NULL, 0, 0};
    struct fal_misfit wrong = {.depth = 0};
    struct fal_ep_event read;
    json_t *value;

    ck_assert_int_eq(fal_shape_print(&fal_ep_event_shape, event, &text), 0);
    ck_assert_uint_eq(text.len, strlen(expected));
    ck_assert(strncmp(text.text, expected, text.len) == 0);
    value = json_loadb(text.text, text.len, 0, NULL);
    memset(&read, 0, sizeof read);
    ck_assert_int_eq(fal_shape_read(&fal_ep_event_shape, value, &read, false, &wrong), 0);
    text.len = 0; /* what was read gives the same line */
    ck_assert_int_eq(fal_shape_print(&fal_ep_event_shape, &read, &text), 0);
    ck_assert_uint_eq(text.len, strlen(expected));
    ck_assert(strncmp(text.text, expected, text.len) == 0);
    json_decref(value);
    free(text.text);
}

static struct fal_ep_event zero(void)
{
    struct fal_ep_event e;

    memset(&e, 0, sizeof e);
    return e;
}

START_TEST(a_line_has_the_members_that_are_not_0)
{
    struct fal_ep_event e = zero();

    e.at_ns = 120;
    e.point = FAL_EP_FIFO;
    e.act = FAL_EP_IN;
    e.kind = FAL_EP_ACK;
    e.queue = FAL_EP_RX_FIFO;
    e.flow = 7;
    e.seq = 12;
    ck_line(&e, "{\"at_ns\":120,\"point\":\"fifo\",\"act\":\"in\",\"flow\":7,\"kind\":"
                "\"ACK\",\"queue\":\"rx\",\"seq\":12}\n");
    e = zero();
    e.point = FAL_EP_SLICE;
    e.act = FAL_EP_MOVE;
    e.from = FAL_EP_BUSY;
    e.to = FAL_EP_MORE_A;
    ck_line(&e, "{\"at_ns\":0,\"point\":\"slice\",\"act\":\"move\",\"from\":\"busy\","
                "\"to\":\"more_a\"}\n");
}
END_TEST

START_TEST(a_setup_is_read_as_it_was_written)
{
    struct fal_ep_setup setup, read;
    struct fal_misfit wrong = {.depth = 0};
    json_t *value, *again;

    memset(&setup, 0, sizeof setup);
    memset(&read, 0, sizeof read);
    setup.slices = 4;
    setup.th1[FAL_EP_ACK] = 16;
    setup.th2[FAL_EP_ACK] = 64;
    setup.fifo_depth[1] = 128;
    setup.all_points = true;
    value = fal_shape_write(&fal_ep_setup_shape, &setup);
    ck_assert_int_eq(fal_shape_read(&fal_ep_setup_shape, value, &read, false, &wrong), 0);
    again = fal_shape_write(&fal_ep_setup_shape, &read);
    ck_assert_int_eq(json_equal(again, value), 1);
    json_decref(again);
    ck_assert_int_eq(json_array_append_new(json_object_get(value, "th1"), json_integer(1)), 0);
    ck_assert_int_eq(fal_shape_read(&fal_ep_setup_shape, value, &read, false, &wrong),
                     FAL_ERR_FORM);
    ck_assert_str_eq(wrong.text, "expected a list of 7 numbers");
    json_decref(value);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event traces");
    TCase *tc = tcase_create("tables");

    tcase_add_test(tc, a_line_has_the_members_that_are_not_0);
    tcase_add_test(tc, a_setup_is_read_as_it_was_written);
    suite_add_tcase(suite, tc);
    return suite;
}
