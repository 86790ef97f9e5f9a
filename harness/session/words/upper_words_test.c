/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/upper.h"

#include "harness/wire/words.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

static struct tl_upper *upper;
static struct tl_upper_line got;
static struct fal_event event;

static void set_up(void)
{
    upper = tl_upper_new();
    ck_assert_ptr_nonnull(upper);
}

static void tear_down(void)
{
    tl_upper_free(upper);
}

static void quotes(char *text)
{
    for (; *text != 0; text++)
        *text = *text == '\'' ? '"' : *text;
}

/* Writes a command in which ' stands for "; its id. */
static int64_t ask(const char *text)
{
    char copy[1024];
    json_t *command;
    int64_t id;

    (void)snprintf(copy, sizeof copy, "%s", text);
    quotes(copy);
    command = json_loads(copy, 0, NULL);
    ck_assert_msg(command != NULL, "%s", copy);
    free(tl_upper_command(upper, command, &id, &event));
    json_decref(command);
    return id;
}

static enum tl_upper_got take(const char *text)
{
    char copy[1024];

    (void)snprintf(copy, sizeof copy, "%s", text);
    quotes(copy);
    return tl_upper_line(upper, copy, strlen(copy), &got);
}

/* The reply to the command that was written last. */
static enum tl_upper_got answer(int64_t id, const char *members)
{
    char text[512];

    (void)snprintf(text, sizeof text, "{'id': %lld, 'epoch': %lld, %s}", (long long)id,
                   (long long)tl_upper_epoch(upper), members);
    return take(text);
}

START_TEST(commands_replies_and_events_are_words_of_the_timeline)
{
    int64_t id = ask("{'do': 'mr_reg', 'pd': 'p', 'length': 4096, 'access': ['rw']}");

    ck_assert_int_eq(event.kind, FAL_EV_VERBS);
    ck_assert_int_eq(event.u.verbs.phase, FAL_VERBS_ASKED);
    ck_assert_int_eq(event.u.verbs.id, id);
    ck_assert_uint_eq(event.u.verbs.verbs->length, 4096);
    ck_assert_str_eq(tl_upper_asked_conn(upper), "");
    ck_assert_int_eq(answer(id, "'ok': true, 'mr': 'm', 'va': '0x100000000', 'lkey': 1, "
                                "'rkey': 2"),
                     TL_UPPER_REPLY);
    ck_assert_int_eq(got.event.kind, FAL_EV_VERBS);
    ck_assert_int_eq(got.event.u.verbs.phase, FAL_VERBS_ANSWERED);
    ck_assert(got.event.u.verbs.ok);
    ck_assert_int_eq(got.event.u.verbs.verbs->kind, FAL_VERBS_MR_REG);
    ck_assert_uint_eq(got.event.u.verbs.verbs->va, UINT64_C(0x100000000));
    ck_assert_int_eq(take("{'seq': 1, 'epoch': 1, 'event': 'wc', 'cq': 'c', 'qp': 'q', "
                          "'wr_id': 3, 'status': 0, 'opcode': 'send'}"),
                     TL_UPPER_EVENT);
    ck_assert_int_eq(got.event.u.verbs.phase, FAL_VERBS_TOLD);
    ck_assert_uint_eq(got.event.u.verbs.seq, 1);
    ck_assert_uint_eq(got.event.u.verbs.verbs->wr_id, 3);
    ck_assert_str_eq(got.conn_name, "");
}
END_TEST

START_TEST(a_completion_of_a_datagram_has_the_connection_of_its_address_handle)
{
    int64_t id = ask("{'do': 'ah_create', 'pd': 'p', 'conn': 'c1'}");

    ck_assert_int_eq(answer(id, "'ok': true, 'ah': 'a1'"), TL_UPPER_REPLY);
    id = ask("{'do': 'ah_create', 'pd': 'p', 'conn': 'c2'}");
    ck_assert_int_eq(answer(id, "'ok': true, 'ah': 'a2'"), TL_UPPER_REPLY);
    for (int i = 1; i <= 300; i++) {
        char text[160];

        (void)snprintf(text, sizeof text,
                       "{'do': 'post_send', 'qp': 'u', 'wr_id': %d, 'op': 'send', 'ah': 'a%d', "
                       "'dest_qpn': 5, 'qkey': 1}",
                       i, i % 2 + 1);
        id = ask(text);
        ck_assert_str_eq(tl_upper_asked_conn(upper), i % 2 == 0 ? "c1" : "c2");
        ck_assert_int_eq(answer(id, "'ok': true, 'rsn_first': 0, 'rsn_count': 1"),
                         TL_UPPER_REPLY);
    }
    for (int i = 45; i <= 300; i++) {
        char text[160];

        (void)snprintf(text, sizeof text,
                       "{'seq': %d, 'epoch': 1, 'event': 'wc', 'cq': 'c', 'qp': 'u', "
                       "'wr_id': %d, 'status': 0, 'opcode': 'send'}",
                       i - 44, i);
        ck_assert_int_eq(take(text), TL_UPPER_EVENT);
        ck_assert_str_eq(got.conn_name, i % 2 == 0 ? "c1" : "c2");
    }
}
END_TEST

START_TEST(a_queue_pair_has_the_connection_that_it_was_tied_to)
{
    int64_t id = ask("{'do': 'qp_query', 'qp': 'q7'}");

    ck_assert_str_eq(tl_upper_asked_conn(upper), "");
    ck_assert_int_eq(answer(id, "'ok': true, 'state': 'other'"), TL_UPPER_REPLY);
    id = ask("{'do': 'qp_connect', 'qp': 'q7', 'conn': 'c2', 'dest_qpn': 5}");
    ck_assert_str_eq(tl_upper_asked_conn(upper), "c2");
    ck_assert_int_eq(answer(id, "'ok': true"), TL_UPPER_REPLY);
    ck_assert_str_eq(got.conn_name, "c2");
    id = ask("{'do': 'post_send', 'qp': 'q7', 'wr_id': 1, 'op': 'send'}");
    ck_assert_str_eq(tl_upper_asked_conn(upper), "c2");
    ck_assert_int_eq(answer(id, "'ok': true, 'rsn_first': 0, 'rsn_count': 1"), TL_UPPER_REPLY);
    ck_assert_str_eq(got.conn_name, "c2");
    ck_assert_int_eq(take("{'seq': 1, 'epoch': 1, 'event': 'async', 'qp': 'q7', 'what': 'x'}"),
                     TL_UPPER_EVENT);
    ck_assert_str_eq(got.conn_name, "c2");
    ck_assert_int_eq(take("{'seq': 2, 'epoch': 1, 'event': 'cq_event', 'cq': 'q7'}"),
                     TL_UPPER_EVENT);
    ck_assert_str_eq(got.conn_name, "");
}
END_TEST

START_TEST(a_request_over_ud_has_the_connection_of_its_address_handle)
{
    int64_t id = ask("{'do': 'ah_create', 'pd': 'p', 'conn': 'c3'}");

    ck_assert_int_eq(answer(id, "'ok': true, 'ah': 'a1'"), TL_UPPER_REPLY);
    ck_assert_str_eq(got.conn_name, "c3");
    id = ask("{'do': 'post_send', 'qp': 'q8', 'wr_id': 1, 'op': 'send', 'ah': 'a1'}");
    ck_assert_str_eq(tl_upper_asked_conn(upper), "c3");
    ck_assert_int_eq(answer(id, "'ok': true"), TL_UPPER_REPLY);
    ck_assert_int_eq(take("{'seq': 1, 'epoch': 1, 'event': 'wc', 'cq': 'c', 'qp': 'q8', "
                          "'wr_id': 1, 'status': 0, 'opcode': 'send'}"),
                     TL_UPPER_EVENT);
    ck_assert_str_eq(got.conn_name, "c3");
}
END_TEST

START_TEST(a_connect_that_failed_ties_nothing)
{
    int64_t id = ask("{'do': 'qp_connect', 'qp': 'q7', 'conn': 'c2'}");

    ck_assert_int_eq(answer(id, "'error': 'failed', 'why': 'no'"), TL_UPPER_REPLY);
    ck_assert(!got.ok);
    ck_assert(!got.event.u.verbs.ok);
    ck_assert_int_eq(got.event.u.verbs.verbs->kind, FAL_VERBS_QP_CONNECT);
    (void)ask("{'do': 'qp_query', 'qp': 'q7'}");
    ck_assert_str_eq(tl_upper_asked_conn(upper), "");
}
END_TEST

START_TEST(handles_die_with_their_epoch)
{
    int64_t id = ask("{'do': 'qp_connect', 'qp': 'q7', 'conn': 'c2'}");

    ck_assert_int_eq(answer(id, "'ok': true"), TL_UPPER_REPLY);
    id = ask("{'do': 'reset', 'scope': 'device'}");
    ck_assert_int_eq(answer(id, "'ok': true, 'new_epoch': 2"), TL_UPPER_REPLY);
    (void)ask("{'do': 'qp_query', 'qp': 'q7'}");
    ck_assert_str_eq(tl_upper_asked_conn(upper), "");
}
END_TEST

START_TEST(replies_and_events_without_a_member_are_garbage)
{
    int64_t id = ask("{'do': 'mr_hash', 'mr': 'm', 'length': 8}");

    ck_assert_int_eq(answer(id, "'ok': true"), TL_UPPER_GARBAGE);
    ck_assert_msg(strstr(got.err.text, "mr_hash: hash: missing") != NULL, "%s", got.err.text);
    ck_assert_int_eq(take("{'seq': 1, 'epoch': 1, 'event': 'wc', 'cq': 'c', 'qp': 'q', "
                          "'status': 0}"),
                     TL_UPPER_GARBAGE);
    ck_assert_msg(strstr(got.err.text, "wc: wr_id: missing") != NULL, "%s", got.err.text);
}
END_TEST

/* The SUT refuses it; the timeline has its name alone. */
START_TEST(a_word_that_does_not_fit_its_table_is_an_ordinary_command)
{
    int64_t id = ask("{'do': 'mr_hash', 'mr': 7}");

    ck_assert_int_eq(event.kind, FAL_EV_COMMAND);
    ck_assert_str_eq(event.u.command.verb, "mr_hash");
    ck_assert_int_eq(answer(id, "'error': 'failed', 'why': 'mr'"), TL_UPPER_REPLY);
    ck_assert_int_eq(got.event.kind, FAL_EV_REPLY);
}
END_TEST

START_TEST(a_word_may_go_as_a_struct)
{
    union tl_word word = {.verbs = {.kind = FAL_VERBS_QP_CONNECT, .qp = "q1", .conn = "c9"}};
    struct tl_protocol_command order = {.verb = TL_DO_QP_CONNECT, .conn = "c9", .word = &word};

    ck_assert(tl_upper_order(upper, &order, &event));
    ck_assert_int_eq(event.kind, FAL_EV_VERBS);
    ck_assert_str_eq(event.u.verbs.verbs->qp, "q1");
    ck_assert_int_eq(event.u.verbs.id, (int64_t)order.id);
    ck_assert_str_eq(tl_upper_asked_conn(upper), "c9");
    ck_assert_int_eq(answer((int64_t)order.id, "'ok': true"), TL_UPPER_REPLY);
    (void)ask("{'do': 'qp_query', 'qp': 'q1'}");
    ck_assert_str_eq(tl_upper_asked_conn(upper), "c9");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("upper_verbs");
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, commands_replies_and_events_are_words_of_the_timeline);
    tcase_add_test(tc, a_completion_of_a_datagram_has_the_connection_of_its_address_handle);
    tcase_add_test(tc, a_queue_pair_has_the_connection_that_it_was_tied_to);
    tcase_add_test(tc, a_request_over_ud_has_the_connection_of_its_address_handle);
    tcase_add_test(tc, a_connect_that_failed_ties_nothing);
    tcase_add_test(tc, handles_die_with_their_epoch);
    tcase_add_test(tc, replies_and_events_without_a_member_are_garbage);
    tcase_add_test(tc, a_word_that_does_not_fit_its_table_is_an_ordinary_command);
    tcase_add_test(tc, a_word_may_go_as_a_struct);
    suite_add_tcase(suite, tc);
    return suite;
}
