/* SPDX-License-Identifier: Apache-2.0
 * np_test.c - the notification point: each of NP1 to NP4 violated, and near misses spared. */
#include "oracles/rules/roce/roce_testing.h"

static struct fal_rj_setup setup;

static void start(void)
{
    setup = full_setup(HOST_B);
    begin(&setup);
}

static void stop(void)
{
    fal_roce_judge_free(judge);
    judge = NULL;
}

/* A marked packet, its CNP, and its ACK. */
static void good_round(uint32_t psn)
{
    marked(psn);
    after(1 * US);
    cnp();
    ack(psn);
}

START_TEST(a_good_receiver_holds)
{
    for (uint32_t i = 0; i < 20; i++) {
        good_round(i);
        after(60 * US);
    }
    finish();
    only_broken("");
    ck_assert_uint_eq(row("NP1")->held, 20);
    ck_assert_uint_eq(row("NP2")->held, 19);
    ck_assert_uint_ge(row("NP3")->held, 19);
    ck_assert_uint_eq(row("NP4")->held, 20);
}
END_TEST

/* ---- NP1 ---- */

START_TEST(np1_needs_a_mark_before_the_cnp)
{
    data(0);
    after(US);
    cnp();
    after(US);
    marked(1);
    after(US);
    finish();
    only_broken("NP1");
    ck_assert_uint_eq(row("NP1")->findings[0].number, 2);
}
END_TEST

START_TEST(np1_counts_cnps)
{
    marked(0);
    cnp();
    after(60 * US);
    cnp();
    finish();
    only_broken("NP1");
    ck_assert_uint_eq(row("NP1")->findings[0].number, 3);
}
END_TEST

START_TEST(np1_spares_a_mark_within_the_clock_error)
{
    setup.clock_error_ns = 200;
    begin(&setup);
    data(0);
    cnp();
    after(400);
    marked(1);
    after(100 * US);
    ack(1);
    finish();
    only_broken("");
    begin(&setup);
    data(0);
    cnp();
    after(401);
    marked(1);
    finish();
    only_broken("NP1");
}
END_TEST

START_TEST(np1_excuses_what_was_marked_before_the_capture)
{
    setup.from_start = false;
    begin(&setup);
    data(0);
    after(52 * US);
    cnp();
    finish();
    only_broken("");
    ck_excused("NP1", "capture-start");
    begin(&setup);
    data(0);
    after(53 * US);
    cnp();
    finish();
    only_broken("NP1");
}
END_TEST

START_TEST(np1_excuses_marks_behind_the_vantage)
{
    setup.vantage = FAL_ROCE_AT_PEER;
    begin(&setup);
    data(0);
    cnp();
    finish();
    only_broken("");
    ck_excused("NP1", "marking-behind-vantage");
    setup.no_marking_behind = true;
    begin(&setup);
    data(0);
    cnp();
    finish();
    only_broken("NP1");
}
END_TEST

START_TEST(np1_is_inconclusive_where_the_capture_may_miss_packets)
{
    setup.complete = false;
    begin(&setup);
    data(0);
    cnp();
    finish();
    only_broken("");
    ck_assert_int_eq((int)row("NP1")->verdict, FAL_VERDICT_INCONC);
}
END_TEST

START_TEST(np1_knows_the_flow_of_the_mark)
{
    struct fal_roce_seen other = from_a(OP_MIDDLE, 77);

    other.dest_qp = 0x1b;
    other.ecn = CE;
    data(0);
    show(other);
    after(US);
    cnp();
    finish();
    only_broken("NP1");
}
END_TEST

START_TEST(np1_without_pairs_counts_all_marks_of_the_hosts)
{
    struct fal_roce_seen other = from_a(OP_MIDDLE, 77);

    setup.num_pairs = 0;
    begin(&setup);
    other.dest_qp = 0x1b;
    other.ecn = CE;
    data(0);
    show(other);
    cnp();
    finish();
    only_broken("");
    ck_excused("NP1", "pairing-unknown");
    begin(&setup);
    data(0);
    cnp();
    finish();
    only_broken("NP1");
}
END_TEST

START_TEST(pairs_are_learned_from_acknowledgements)
{
    setup.num_pairs = 0;
    begin(&setup);
    for (uint32_t i = 0; i < 6; i++) {
        struct fal_roce_seen other = from_a(OP_MIDDLE, 0x800000 + i);

        other.dest_qp = 0x1b;
        other.ecn = CE;
        show(other);
        data(i);
        ack(i);
        after(US);
    }
    ck_assert_uint_eq(fal_roce_judge_counts(judge).paired, 2);
    cnp();
    finish();
    ck_assert_int_eq((int)row("NP1")->verdict, FAL_VERDICT_FAIL);
}
END_TEST

START_TEST(a_gap_of_the_capture_excuses)
{
    good_round(0);
    fal_roce_judge_gap(judge);
    after(10 * US);
    data(1);
    after(40 * US);
    cnp();
    finish();
    only_broken("");
    ck_excused("NP1", "capture-start");
}
END_TEST

/* ---- NP2 ---- */

START_TEST(np2_wants_n_between_cnps)
{
    marked(0);
    cnp();
    marked(1);
    after(50 * US - 2);
    cnp();
    finish();
    only_broken("NP2");
    ck_assert_uint_eq(row("NP2")->findings[0].number, 4);
}
END_TEST

START_TEST(np2_spares_the_clock_error)
{
    setup.clock_error_ns = 100;
    setup.clock_error_ppm = 100;
    begin(&setup);
    marked(0);
    cnp();
    marked(1);
    after(50 * US - 200 - 5 - 1);
    cnp();
    finish();
    only_broken("");
    begin(&setup);
    marked(0);
    cnp();
    marked(1);
    after(50 * US - 200 - 5 - 2);
    cnp();
    finish();
    only_broken("NP2");
}
END_TEST

START_TEST(np2_needs_n_and_the_jitter)
{
    setup.dcqcn.cnp_interval_ns = 0;
    begin(&setup);
    marked(0);
    marked(1);
    cnp();
    cnp();
    finish();
    only_broken("");
    ck_excused("NP2", "np-interval-undeclared");
    setup = full_setup(HOST_B);
    setup.vantage = FAL_ROCE_AT_MIDDLE;
    begin(&setup);
    marked(0);
    marked(1);
    cnp();
    cnp();
    finish();
    only_broken("");
    ck_excused("NP2", "delay-undeclared");
    setup.have_delay = true;
    begin(&setup);
    marked(0);
    marked(1);
    cnp();
    cnp();
    finish();
    only_broken("");
    ck_excused("NP2", "out-dup");
    setup.no_duplicates = true;
    begin(&setup);
    marked(0);
    marked(1);
    cnp();
    cnp();
    finish();
    only_broken("NP2");
}
END_TEST

/* ---- NP3 ---- */

START_TEST(np3_wants_a_cnp_after_a_mark)
{
    marked(0);
    ack(0);
    after(52 * US + 3);
    data(1);
    finish();
    only_broken("NP3");
    ck_assert_uint_eq(row("NP3")->findings[0].number, 1);
}
END_TEST

START_TEST(np3_waits_for_the_whole_time)
{
    marked(0);
    ack(0);
    after(52 * US);
    cnp();
    finish();
    only_broken("");
    ck_assert_uint_eq(row("NP3")->held, 1);
    begin(&setup);
    marked(0);
    ack(0);
    after(52 * US);
    data(1);
    finish();
    only_broken("");
    ck_excused("NP3", "capture-end");
}
END_TEST

START_TEST(np3_wants_a_witness_of_the_arrival)
{
    data(0);
    ack(0);
    marked(1);
    after(60 * US);
    data(2);
    finish();
    only_broken("");
    ck_excused("NP3", "not-accepted");
    begin(&setup);
    marked(0);
    after(60 * US);
    data(1);
    ack(0); /* the witness may come later */
    finish();
    only_broken("NP3");
}
END_TEST

START_TEST(np3_spares_a_flow_that_had_a_cnp)
{
    good_round(0);
    after(20 * US);
    marked(1); /* one CNP answers several marks */
    ack(1);
    after(200 * US);
    data(2);
    finish();
    only_broken("");
}
END_TEST

START_TEST(np3_spares_a_packet_that_was_not_taken)
{
    data(0);
    marked(2); /* 1 is missing */
    after(60 * US);
    data(1);
    ack(2);
    after(60 * US);
    data(3);
    finish();
    only_broken("");
}
END_TEST

START_TEST(np3_knows_the_limiter)
{
    struct fal_roce_seen other = a_cnp();

    other.dest_qp = 0x1a;
    setup.limiter = FAL_ROCE_PER_IP;
    setup.num_pairs = 1;
    begin(&setup);
    other.at_ns = now_ns + 10 * US;
    marked(0);
    ack(0);
    show(other);
    after(60 * US);
    data(1);
    finish();
    ck_assert_uint_eq(row("NP3")->broken, 0);
    setup.limiter = FAL_ROCE_PER_QP;
    begin(&setup);
    marked(0);
    ack(0);
    show(other);
    after(60 * US);
    data(1);
    finish();
    ck_assert_uint_eq(row("NP3")->broken, 1);
}
END_TEST

static const char *const np3_excuses[] = {"rcm-not-claimed", "rcm-not-declared",
                                          "np-interval-undeclared", "turnaround-undeclared",
                                          "out-loss"};

START_TEST(np3_names_its_excuses)
{
    switch (_i) {
    case 0: setup.congestion_management = FAL_ROCE_NOT_CLAIMED; break;
    case 1: setup.congestion_management = FAL_ROCE_NOT_DECLARED; break;
    case 2: setup.dcqcn.cnp_interval_ns = 0; break;
    case 3: setup.have_turnaround = false; break;
    default:
        setup.vantage = FAL_ROCE_AT_MIDDLE;
        setup.have_delay = true;
        break;
    }
    begin(&setup);
    marked(0);
    ack(0);
    after(100 * US);
    data(1);
    finish();
    only_broken("");
    ck_excused("NP3", np3_excuses[_i]);
}
END_TEST

/* ---- NP4 ---- */

START_TEST(np4_names_the_receivers_queue_pair)
{
    struct fal_roce_seen wrong = a_cnp();

    marked(0);
    wrong = a_cnp();
    wrong.dest_qp = QP_B;
    after(US);
    wrong.at_ns = now_ns;
    show(wrong);
    finish();
    only_broken("NP4");
}
END_TEST

START_TEST(np4_looks_at_the_form)
{
    struct fal_roce_seen wrong;

    for (int i = 0; i < 6; i++) {
        start();
        setup.cnp_becn = setup.have_cnp_dscp = setup.have_cnp_ecn = i > 0;
        setup.cnp_dscp = 48;
        setup.cnp_ecn = 1;
        begin(&setup);
        marked(0);
        wrong = a_cnp();
        wrong.dscp = 48;
        wrong.cnp_zeros = i != 1;
        wrong.becn = i != 2;
        wrong.dscp = i == 3 ? 0 : 48;
        wrong.ecn = i == 4 ? 2 : 1;
        wrong.icrc = i == 5 ? FAL_ROCE_ICRC_WRONG : FAL_ROCE_ICRC_RIGHT;
        show(wrong);
        finish();
        ck_assert_msg(row("NP4")->broken == (i > 0), "form %d", i);
    }
}
END_TEST

START_TEST(np4_judges_only_what_is_declared)
{
    struct fal_roce_seen odd;

    marked(0);
    odd = a_cnp();
    odd.becn = false;
    odd.ecn = 2;
    odd.dscp = 5;
    show(odd);
    finish();
    only_broken("");
}
END_TEST

START_TEST(np4_wants_swapped_addresses)
{
    struct fal_roce_seen stray;

    setup.num_suts = 2;
    setup.suts[1] = (struct fal_rj_host){0x0a000003, false};
    begin(&setup);
    marked(0);
    stray = a_cnp();
    stray.src = 0x0a000003;
    show(stray);
    finish();
    ck_assert_uint_eq(row("NP4")->broken, 1);
}
END_TEST

START_TEST(other_hosts_are_not_judged)
{
    setup.suts[0].ip = HOST_A;
    begin(&setup);
    data(0);
    cnp();
    cnp();
    finish();
    ck_assert_uint_eq(row("NP1")->broken + row("NP2")->broken, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("roce: notification point");
    TCase *tc = tcase_create("np");

    tcase_add_checked_fixture(tc, start, stop);
    tcase_add_test(tc, a_good_receiver_holds);
    tcase_add_test(tc, np1_needs_a_mark_before_the_cnp);
    tcase_add_test(tc, np1_counts_cnps);
    tcase_add_test(tc, np1_spares_a_mark_within_the_clock_error);
    tcase_add_test(tc, np1_excuses_what_was_marked_before_the_capture);
    tcase_add_test(tc, np1_excuses_marks_behind_the_vantage);
    tcase_add_test(tc, np1_is_inconclusive_where_the_capture_may_miss_packets);
    tcase_add_test(tc, np1_knows_the_flow_of_the_mark);
    tcase_add_test(tc, np1_without_pairs_counts_all_marks_of_the_hosts);
    tcase_add_test(tc, pairs_are_learned_from_acknowledgements);
    tcase_add_test(tc, a_gap_of_the_capture_excuses);
    tcase_add_test(tc, np2_wants_n_between_cnps);
    tcase_add_test(tc, np2_spares_the_clock_error);
    tcase_add_test(tc, np2_needs_n_and_the_jitter);
    tcase_add_test(tc, np3_wants_a_cnp_after_a_mark);
    tcase_add_test(tc, np3_waits_for_the_whole_time);
    tcase_add_test(tc, np3_wants_a_witness_of_the_arrival);
    tcase_add_test(tc, np3_spares_a_flow_that_had_a_cnp);
    tcase_add_test(tc, np3_spares_a_packet_that_was_not_taken);
    tcase_add_test(tc, np3_knows_the_limiter);
    tcase_add_loop_test(tc, np3_names_its_excuses, 0, sizeof np3_excuses / sizeof *np3_excuses);
    tcase_add_test(tc, np4_names_the_receivers_queue_pair);
    tcase_add_test(tc, np4_looks_at_the_form);
    tcase_add_test(tc, np4_judges_only_what_is_declared);
    tcase_add_test(tc, np4_wants_swapped_addresses);
    tcase_add_test(tc, other_hosts_are_not_judged);
    suite_add_tcase(suite, tc);
    return suite;
}
