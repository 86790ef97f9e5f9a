/* SPDX-License-Identifier: Apache-2.0
 * gbn_test.c - go-back-N and the form of packets: each of GB1 to GB6 and WF1 to WF3 violated,
 * and near misses spared. */
#include "oracles/rules/roce/roce_testing.h"

static struct fal_rj_setup setup;

static void at(uint64_t sut)
{
    setup = full_setup(sut);
    begin(&setup);
}

static void start(void)
{
    at(HOST_A);
}

static void stop(void)
{
    fal_roce_judge_free(judge);
    judge = NULL;
}

static void send_many(uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++) {
        data(i);
        after(US);
    }
}

START_TEST(a_good_sender_holds)
{
    uint32_t first = 0xfffffc; /* numbers wrap */

    send_many(first, first + 8);
    ack(first + 1);
    nak(first + 3);
    send_many(first + 8, first + 9); /* was on its way out */
    send_many(first + 3, first + 12);
    ack(first + 11);
    after(10 * US);
    send_many(first + 12, first + 14);
    after(600 * US);
    send_many(first + 12, first + 14);
    finish();
    only_broken("");
    ck_assert_uint_eq(row("GB2")->held, 1);
    ck_assert_uint_eq(row("GB5")->held, 2);
    ck_assert_uint_eq(row("GB6")->held, 2);
    ck_assert_uint_ge(row("GB1")->held, 12);
}
END_TEST

START_TEST(gb1_finds_a_hole)
{
    send_many(0, 2);
    send_many(3, 5);
    finish();
    only_broken("GB1");
    setup.complete = false;
    begin(&setup);
    send_many(0, 2);
    send_many(3, 5);
    finish();
    only_broken("");
    ck_excused("GB1", "capture-gap");
}
END_TEST

START_TEST(gb1_knows_how_many_numbers_a_read_takes)
{
    struct fal_roce_seen read;

    setup.mtu = 1024;
    begin(&setup);
    data(0);
    read = from_a(OP_READ, 1);
    read.has_reth = true;
    read.dma_length = 2049;
    show(read);
    data(4);
    finish();
    only_broken("");
    ck_assert_uint_eq(row("GB1")->held, 2);
    begin(&setup);
    data(0);
    show(read);
    data(5);
    finish();
    only_broken("GB1");
    setup.mtu = 0;
    begin(&setup);
    data(0);
    show(read);
    data(5);
    finish();
    only_broken("");
    ck_excused("GB1", "mtu-undeclared");
}
END_TEST

START_TEST(gb2_wants_the_number_of_the_nak)
{
    send_many(0, 8);
    nak(3);
    after(5 * US);
    send_many(4, 8);
    finish();
    only_broken("GB2");
    begin(&setup);
    send_many(0, 8);
    nak(3);
    after(5 * US);
    send_many(2, 8);
    finish();
    ck_assert_uint_eq(row("GB2")->broken, 1);
    ck_assert_uint_eq(row("GB5")->broken, 1); /* 2 was acknowledged by the NAK */
}
END_TEST

START_TEST(gb2_wants_that_the_nak_is_followed)
{
    send_many(0, 8);
    nak(3);
    send_many(8, 20);
    finish();
    only_broken("GB2");
    begin(&setup);
    send_many(0, 8);
    nak(3);
    send_many(8, 10);
    send_many(3, 10);
    finish();
    only_broken("");
    ck_assert_uint_eq(row("GB2")->held, 1);
}
END_TEST

START_TEST(gb2_spares_old_and_repeated_naks)
{
    send_many(0, 8);
    ack(5);
    nak(3);
    after(10 * US);
    send_many(8, 10);
    nak(7);
    send_many(7, 10);
    nak(7); /* again */
    send_many(10, 20);
    finish();
    only_broken("");
}
END_TEST

START_TEST(gb2_needs_the_turnaround)
{
    setup.have_turnaround = false;
    begin(&setup);
    send_many(0, 8);
    nak(3);
    send_many(5, 8);
    finish();
    only_broken("");
    ck_excused("GB2", "turnaround-undeclared");
}
END_TEST

START_TEST(gb5_finds_that_acknowledged_packets_are_sent_again)
{
    send_many(0, 8);
    ack(5);
    after(600 * US);
    send_many(4, 8);
    finish();
    only_broken("GB5");
    begin(&setup);
    send_many(0, 8);
    after(600 * US);
    ack(5);
    after(US); /* within the turnaround */
    send_many(4, 8);
    finish();
    only_broken("");
}
END_TEST

START_TEST(gb6_finds_an_early_timeout)
{
    send_many(0, 4);
    ack(1);
    after(490 * US);
    send_many(2, 4);
    finish();
    only_broken("GB6");
    begin(&setup);
    send_many(0, 4);
    ack(1);
    after(500 * US);
    send_many(2, 4);
    finish();
    only_broken("");
    setup.timeout_ns = 0;
    begin(&setup);
    send_many(0, 4);
    ack(1);
    after(90 * US);
    send_many(2, 4);
    finish();
    only_broken("");
    ck_excused("GB6", "timeout-undeclared");
}
END_TEST

START_TEST(gb6_spares_an_rnr_nak)
{
    send_many(0, 4);
    answer(0x21, 2);
    after(100 * US);
    send_many(2, 4);
    finish();
    only_broken("");
    ck_assert_uint_eq(row("GB6")->held, 1);
}
END_TEST

START_TEST(the_sender_is_judged_at_its_port_only)
{
    setup.vantage = FAL_ROCE_AT_MIDDLE;
    begin(&setup);
    send_many(0, 4);
    data(9);
    nak(3);
    after(50 * US);
    send_many(1, 4);
    finish();
    only_broken("");
    ck_excused("GB1", "vantage");
    ck_excused("GB2", "vantage");
    ck_excused("GB5", "vantage");
}
END_TEST

/* ---- the receiver ---- */

START_TEST(gb3_finds_an_ack_of_what_was_not_sent)
{
    at(HOST_B);
    send_many(0, 4);
    ack(3);
    ack(4);
    finish();
    only_broken("GB3");
    ck_assert_uint_eq(row("GB3")->held, 1);
    begin(&setup);
    send_many(0, 2);
    send_many(3, 5);
    ack(1);
    nak(2);
    ack(4);
    finish();
    only_broken("GB3");
    setup.complete = false;
    begin(&setup);
    send_many(0, 4);
    ack(4);
    finish();
    only_broken("");
    ck_excused("GB3", "capture-gap");
}
END_TEST

START_TEST(gb3_knows_that_damaged_packets_must_be_dropped)
{
    for (int captured = 0; captured < 2; captured++) {
        at(HOST_B);
        setup.icrc_captured = captured == 1;
        begin(&setup);
        send_many(0, 2);
        struct fal_roce_seen damaged = from_a(OP_MIDDLE, 2);

        damaged.icrc = FAL_ROCE_ICRC_WRONG;
        show(damaged);
        ack(2);
        finish();
        only_broken(captured == 1 ? "GB3" : "");
        begin(&setup);
        send_many(0, 2);
        show(damaged);
        data(2);
        ack(2);
        finish();
        only_broken("");
    }
}
END_TEST

START_TEST(gb3_follows_many_numbers)
{
    at(HOST_B);
    for (uint32_t i = 0; i < 3000; i++)
        if (i % 100 != 50)
            data(0xfff000 + i + (i % 100 == 51 ? 0xffffff : 0)); /* one late, one missing */
    ack(0xfff000 + 50);
    finish();
    only_broken("");
    ack(0xfff000 + 51);
    only_broken("GB3");
}
END_TEST

START_TEST(gb4_wants_one_nak_for_a_gap)
{
    at(HOST_B);
    send_many(0, 2);
    send_many(3, 5);
    nak(2);
    send_many(5, 6);
    nak(2);
    finish();
    only_broken("GB4");
    begin(&setup);
    send_many(0, 2);
    send_many(3, 5);
    nak(2);
    send_many(2, 4);
    nak(4);
    send_many(4, 6);
    nak(4); /* a copy came */
    finish();
    only_broken("");
    setup.vantage = FAL_ROCE_AT_PEER;
    begin(&setup);
    send_many(0, 2);
    send_many(3, 5);
    nak(2);
    nak(2);
    finish();
    only_broken("");
    ck_excused("GB4", "out-dup");
}
END_TEST

/* ---- form ---- */

static void wf1_case(int i, struct fal_roce_seen *seen)
{
    switch (i) {
    case 1: seen->opcode = 0x15; break;
    case 2: seen->tver = 1; break;
    case 3: seen->pad = 1; break;
    case 4: seen->reserved = true; break;
    default: break;
    }
}

START_TEST(wf1_looks_at_the_bth)
{
    for (int i = 0; i < 5; i++) {
        struct fal_roce_seen seen;

        start();
        seen = from_a(OP_MIDDLE, 0);
        wf1_case(i, &seen);
        show(seen);
        finish();
        ck_assert_uint_eq(row("WF1")->broken, i > 0);
        ck_assert_int_eq((int)row("WF1")->verdict, i == 0   ? FAL_VERDICT_PASS
                                                   : i == 4 ? FAL_VERDICT_WARN
                                                            : FAL_VERDICT_FAIL);
    }
}
END_TEST

static const struct {
    uint8_t syndrome;
    bool good;
} syndromes[] = {{0x00, true},  {0x1f, true},  {0x20, true},  {0x3f, true},
                 {0x60, true},  {0x64, true},  {0x65, false}, {0x7f, false},
                 {0x40, false}, {0x80, false}, {0xe0, false}};

START_TEST(wf2_knows_syndromes)
{
    at(HOST_B);
    data(0);
    answer(syndromes[_i].syndrome, 0);
    finish();
    only_broken(syndromes[_i].good ? "" : "WF2");
}
END_TEST

START_TEST(wf2_wants_message_numbers_that_grow)
{
    struct fal_roce_seen seen;

    at(HOST_B);
    send_many(0, 3);
    for (uint32_t i = 0; i < 3; i++) {
        seen = from_b(OP_ACK, i);
        seen.has_aeth = true;
        seen.msn = i == 0 ? 0xffffff : i == 1 ? 0 : 0xffffff;
        show(seen);
        if (i == 1)
            only_broken("");
    }
    finish();
    only_broken("WF2");
}
END_TEST

START_TEST(wf3_spares_what_a_nic_has_yet_to_write)
{
    struct fal_roce_seen seen = from_a(OP_MIDDLE, 0);

    seen.icrc = FAL_ROCE_ICRC_ABSENT;
    show(seen);
    finish();
    only_broken("WF3");
    setup.icrc_captured = false;
    begin(&setup);
    show(seen);
    finish();
    only_broken("");
    ck_excused("WF3", "unauthenticated");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("roce: go-back-N");
    TCase *tc = tcase_create("gbn");

    tcase_add_checked_fixture(tc, start, stop);
    tcase_add_test(tc, a_good_sender_holds);
    tcase_add_test(tc, gb1_finds_a_hole);
    tcase_add_test(tc, gb1_knows_how_many_numbers_a_read_takes);
    tcase_add_test(tc, gb2_wants_the_number_of_the_nak);
    tcase_add_test(tc, gb2_wants_that_the_nak_is_followed);
    tcase_add_test(tc, gb2_spares_old_and_repeated_naks);
    tcase_add_test(tc, gb2_needs_the_turnaround);
    tcase_add_test(tc, gb5_finds_that_acknowledged_packets_are_sent_again);
    tcase_add_test(tc, gb6_finds_an_early_timeout);
    tcase_add_test(tc, gb6_spares_an_rnr_nak);
    tcase_add_test(tc, the_sender_is_judged_at_its_port_only);
    tcase_add_test(tc, gb3_finds_an_ack_of_what_was_not_sent);
    tcase_add_test(tc, gb3_knows_that_damaged_packets_must_be_dropped);
    tcase_add_test(tc, gb3_follows_many_numbers);
    tcase_add_test(tc, gb4_wants_one_nak_for_a_gap);
    tcase_add_test(tc, wf1_looks_at_the_bth);
    tcase_add_loop_test(tc, wf2_knows_syndromes, 0, sizeof syndromes / sizeof *syndromes);
    tcase_add_test(tc, wf2_wants_message_numbers_that_grow);
    tcase_add_test(tc, wf3_spares_what_a_nic_has_yet_to_write);
    suite_add_tcase(suite, tc);
    return suite;
}
