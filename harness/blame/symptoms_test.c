/* SPDX-License-Identifier: Apache-2.0
 * symptoms_test.c - got.c, again.c, refused.c, layout.c and numbers.c. */
#include "harness/blame/trace_testing.h"

#define PUSH0 "< push_data psn=0r rsn=0r len=4"

/* ---- acknowledgements that the SUT got ---- */

static void ck_ignored(const char *ack, const char *due)
{
    struct told told;

    tell(&told, LINES("> back", PUSH0, "< pull_request psn=1r rsn=1r len=4", ack, PUSH0));
    ck_symptoms(tl_ack_ignored(&told.trace, strstr(due, "req") != NULL ? 2 : 1, 4), due);
}

START_TEST(which_part_of_which_packet_is_ignored)
{
    ck_ignored("> back dbase=1r", "ack-data-base-ignored");
    ck_ignored("> back rbase=2r", "ack-request-base-ignored");
    ck_ignored("> nack dbase=1r nack_psn=3r code=cie", "nack-data-base-ignored");
    ck_ignored("> push_data psn=0r rsn=0r len=4 dbase=1r", "piggyback-data-ignored");
    ck_ignored("> push_data psn=0r rsn=0r len=4 rbase=2r", "piggyback-requests-ignored");
    ck_ignored("> eack dack=1 drx=1", "ack-bits-ignored equal-bases-ignored");
    ck_ignored("> eack rbase=1r req=1", "req-bits-ignored");
    ck_ignored("> back", "");
}
END_TEST

START_TEST(early_copies)
{
    struct told told;

    tell(&told, LINES(PUSH0, "> back", PUSH0));
    ck_symptom(tl_early_copy(&told.trace, 2), "early-after-back");
    tell(&told, LINES(PUSH0, "> eack drx=1", PUSH0));
    ck_symptom(tl_early_copy(&told.trace, 2), "early-of-received");
    tell(&told, LINES(PUSH0, "> eack drx=0b1000", PUSH0));
    ck_symptom(tl_early_copy(&told.trace, 2), "");
}
END_TEST

static struct tl_seen_event completion(uint32_t rsn, uint32_t code, uint64_t t_ns)
{
    return (struct tl_seen_event){
        .t_ns = t_ns,
        .side = TL_SIDE_SUT,
        .ulp = {.kind = FAL_ULP_COMPLETION, .rsn = RSN_0 + rsn, .code = code}};
}

START_TEST(early_completions)
{
    struct told told;

    tell(&told, LINES(PUSH0));
    ck_symptom(tl_completed_early(&told.trace, RSN_0, 5), "completes-early");
    ck_symptom(tl_completed_early(&told.trace, RSN_0 + 1, 5), "");
    tell(&told, LINES(PUSH0, "> eack drx=1"));
    ck_symptom(tl_completed_early(&told.trace, RSN_0, 5), "rx-bit-completes");
    tell(&told, LINES(PUSH0, "> back dbase=1r"));
    ck_symptom(tl_completed_early(&told.trace, RSN_0, 5), "");
    told.packets[1].bad = FAL_BAD_SEAL;
    ck_symptom(tl_completed_early(&told.trace, RSN_0, 5), "bad-ack-taken");
    tell_event(&told, completion(0, 0, 1));
    ck_symptom(tl_completed_twice(&told.trace, RSN_0), "");
    tell_event(&told, completion(0, 0, 2));
    ck_symptom(tl_completed_twice(&told.trace, RSN_0), "completed-twice");
}
END_TEST

/* ---- again ---- */

START_TEST(what_does_not_come_again)
{
    struct told told;

    tell(&told, LINES(PUSH0));
    ck_symptom(tl_no_repeat(&told.trace, FAL_WINDOW_DATA, DATA_0, FAL_S), "no-repeat");
    ck_symptom(tl_no_repeat(&told.trace, FAL_WINDOW_DATA, DATA_0 + 1, FAL_S), "");
    ck_symptom(tl_no_resync(&told.trace, FAL_WINDOW_DATA, DATA_0, FAL_S), "no-repeat");
    ck_symptom(tl_no_fatal(&told.trace, FAL_S), "no-repeat");
    told.params.max_attempts = 0;
    ck_symptom(tl_no_resync(&told.trace, FAL_WINDOW_DATA, DATA_0, FAL_S), "no-resync-at-end");
    tell(&told, LINES(PUSH0, "> eack drx=0b10"));
    ck_symptom(tl_no_repeat(&told.trace, FAL_WINDOW_DATA, DATA_0, FAL_S), "");
    tell(&told, LINES(PUSH0, "> nack nack_psn=0r code=cie w=data"));
    ck_symptom(tl_no_resync(&told.trace, FAL_WINDOW_DATA, DATA_0, FAL_S), "no-resync");
    tell(&told, LINES(PUSH0, "< resync psn=0r rsn=0r code=timed_out of=push_data"));
    ck_symptom(tl_no_resync(&told.trace, FAL_WINDOW_DATA, DATA_0, FAL_S), "no-resync-again");
    ck_symptom(tl_no_fatal(&told.trace, FAL_S), "no-resync-again");
}
END_TEST

static void ck_resync(const char *before, const char *code, const char *due)
{
    struct told told;
    char line[100];

    (void)snprintf(line, sizeof line, "< resync psn=0r rsn=0r code=%s of=push_data", code);
    tell(&told, LINES(PUSH0, before, line));
    ck_symptom(tl_resync_code(&told.trace, 2), due);
}

START_TEST(codes_of_resyncs)
{
    ck_resync("> nack nack_psn=0r code=cie w=data", "exhausted", "resync-code");
    ck_resync("> nack nack_psn=0r code=rnr w=data", "remote_xlr", "resync-after-rnr");
    ck_resync("> nack nack_psn=0r code=resource w=data", "exhausted", "resync-after-nack-1");
    ck_resync("+2s > back", "exhausted", "resync-code"); /* it timed out */
    ck_resync("> back", "exhausted", "");
}
END_TEST

/* ---- refused ---- */

START_TEST(refused_and_acknowledged)
{
    struct told told;

    tell(&told, LINES("> push_data psn=0r rsn=0r len=4",
                      "< nack dbase=1r nack_psn=0r code=rnr w=data"));
    ck_symptom(tl_nack_and_ack(&told.trace, 1), "acked-before-ulp");
    told.packets[1].falcon.nack_code = FAL_NACK_RESOURCE;
    ck_symptom(tl_nack_and_ack(&told.trace, 1), "acked-and-dropped");
    ck_symptom(tl_nack_and_ack(&told.trace, 0), "");
    ck_symptom(tl_push_acked(&told.trace, 0, 1), "acked-before-ulp");
    tell_event(&told, (struct tl_seen_event){.side = TL_SIDE_SUT,
                                             .ulp = {.kind = FAL_ULP_REQUEST, .rsn = RSN_0}});
    ck_symptom(tl_push_acked(&told.trace, 0, 1), ""); /* it was delivered */
    ck_assert(!tl_was_refused(&told.trace, 0, 0));
    ck_assert(tl_was_refused(&told.trace, 0, 1));
}
END_TEST

START_TEST(codes_of_nacks)
{
    struct told told;

    tell(&told, LINES("> push_data psn=0r rsn=0r len=4", "< nack nack_psn=0r code=nre w=data"));
    ck_symptom(tl_nack_code(&told.trace, 1), "");
    tell_event(&told,
               (struct tl_seen_event){
                   .side = TL_SIDE_SUT,
                   .ulp = {.kind = FAL_ULP_ACK, .rsn = RSN_0, .answer = FAL_ANSWER_CIE}});
    ck_symptom(tl_nack_code(&told.trace, 1), "no-nack-cie");
    told.packets[1].falcon.nack_code = FAL_NACK_CIE;
    ck_symptom(tl_nack_code(&told.trace, 1), "");
}
END_TEST

START_TEST(delivered_again)
{
    struct told told;

    tell(&told, LINES("> push_data psn=0r rsn=0r len=4", "< nack nack_psn=0r code=cie w=data"));
    ck_symptom(tl_delivered_again(&told.trace, 0), "redelivered-after-error");
    told.packets[1].falcon.nack_code = FAL_NACK_RNR;
    ck_symptom(tl_delivered_again(&told.trace, 0), "redelivered-push");
    tell(&told, LINES("> pull_request psn=0r rsn=0r len=4"));
    ck_symptom(tl_delivered_again(&told.trace, 0), ""); /* a duplicate */
    tell_event(&told,
               (struct tl_seen_event){
                   .side = TL_SIDE_SUT,
                   .ulp = {.kind = FAL_ULP_ACK, .rsn = RSN_0, .answer = FAL_ANSWER_RNR}});
    ck_symptom(tl_delivered_again(&told.trace, 0), "redelivered-pull");
}
END_TEST

START_TEST(packets_that_must_be_dropped)
{
    static const struct {
        enum fal_bad bad;
        const char *due;
    } rows[] = {{FAL_BAD_SEAL, "damaged-accepted"},
                {FAL_BAD_SPI, "spi-accepted"},
                {FAL_BAD_PCID, "pcid-accepted"},
                {FAL_BAD_REPLAY, "replay-accepted"},
                {FAL_BAD_CHECKSUM, ""}};
    struct told told;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tell(&told, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r"));
        told.packets[0].bad = rows[i].bad;
        ck_symptom(tl_bad_accepted(&told.trace, 0), rows[i].due);
        ck_symptom(tl_acks_bad(&told.trace, 1), rows[i].due);
        ck_symptom(tl_echo_of_bad(&told.trace, 1), rows[i].due);
        told.packets[1].falcon.recv_data_base_psn = DATA_0;
        ck_symptom(tl_bad_accepted(&told.trace, 0), "");
    }
    tell(&told, LINES("> push_data cid=5 psn=0r rsn=0r len=4", "< back dbase=1r"));
    ck_symptom(tl_acks_bad(&told.trace, 1), "cid-accepted");
}
END_TEST

/* ---- layout ---- */

START_TEST(bitmaps_in_a_wrong_layout)
{
    struct told told;

    tell(&told, LINES("> push_data psn=1r rsn=1r len=4", "< eack drx=0b10"));
    ck_symptom(tl_bitmap_layout(&told.trace, 1), "");
    told.packets[1].falcon.data_rx_bitmap = fal_u128_shl(2, 96);
    ck_symptom(tl_bitmap_layout(&told.trace, 1), "rx-words-reversed");
    told.packets[1].falcon.data_rx_bitmap = fal_u128_shl(1, 126);
    ck_symptom(tl_bitmap_layout(&told.trace, 1), "bits-misplaced");
    told.packets[1].falcon.data_rx_bitmap = 4;
    ck_symptom(tl_bitmap_layout(&told.trace, 1), "bits-misplaced");
    told.packets[1].falcon.data_rx_bitmap = 0x10;
    ck_symptom(tl_bitmap_layout(&told.trace, 1), "");
    ck_symptom(tl_bitmap_layout(&told.trace, 0), "");
}
END_TEST

START_TEST(bases_of_the_other_window)
{
    struct told told;

    tell(&told, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r"));
    ck_symptom(tl_bases_exchanged(&told.trace, 1), "");
    told.packets[1].falcon.recv_data_base_psn = REQ_0;
    told.packets[1].falcon.recv_req_base_psn = DATA_0 + 1;
    ck_symptom(tl_bases_exchanged(&told.trace, 1), "bases-exchanged");
}
END_TEST

/* ---- numbers ---- */

START_TEST(rsns)
{
    struct told told;

    tell(&told, LINES(PUSH0, "< push_data psn=1r rsn=2r len=4"));
    ck_symptom(tl_rsn_gap(&told.trace, 1), "rsn-skipped");
    tell(&told, LINES(PUSH0, "< push_data psn=1r rsn=2r len=4", "< push_data psn=2r rsn=1r"));
    ck_symptom(tl_rsn_gap(&told.trace, 1), "");
    tell(&told, LINES(PUSH0, "< pull_request psn=0r rsn=0r len=4"));
    ck_symptom(tl_rsn_twice(&told.trace, 1), "rsn-shared");
    tell(&told, LINES(PUSH0, "+2s < push_data psn=1r rsn=0r len=4"));
    ck_symptom(tl_rsn_twice(&told.trace, 1), ""); /* a retransmission by a new PSN */
    tell(&told, LINES("< pull_data psn=0r rsn=0r", "< pull_data psn=1r rsn=0r"));
    ck_symptom(tl_rsn_twice(&told.trace, 1), "pull-data-twice");
}
END_TEST

START_TEST(psns_and_ivs)
{
    struct told told;

    tell(&told, LINES(PUSH0, "< pull_request psn=2001 rsn=1r len=4"));
    ck_symptom(tl_psn_gap(&told.trace, 1), "psn-of-other-window");
    tell(&told, LINES("< push_data psn=1r rsn=1r len=4", PUSH0));
    ck_symptom(tl_psn_gap(&told.trace, 0), "psns-swapped");
    tell(&told, LINES(PUSH0, "< push_data psn=2r rsn=1r len=4"));
    ck_symptom(tl_psn_gap(&told.trace, 1), "");
    tell(&told, LINES(PUSH0, "+1us < push_data psn=1r rsn=1r len=4"));
    ck_symptom(tl_iv_twice(&told.trace, 1), "iv-repeated");
    told.packets[1].iv = 5;
    ck_symptom(tl_iv_twice(&told.trace, 1), "");
    tell(&told, LINES(PUSH0, "> nack nack_psn=0r code=rnr w=data", PUSH0));
    ck_symptom(tl_rnr_short(&told.trace, 2), "rnr-code-0");
    told.packets[1].falcon.rnr_timeout = 3;
    ck_symptom(tl_rnr_short(&told.trace, 2), "");
}
END_TEST

static void ck_code(const char *answer, uint32_t code, const char *due)
{
    struct told told;

    tell(&told, LINES(PUSH0, answer));
    tell_event(&told, completion(0, code, told.packets[1].t_ns));
    ck_symptom(tl_completion_code(&told.trace, 0, FAL_NEVER), due);
    if (code != 0)
        ck_symptom(tl_completion_code(&told.trace, UINT64_MAX, FAL_NEVER), due);
}

START_TEST(codes_of_completions)
{
    struct told told;

    ck_code("> nack nack_psn=0r code=nre w=data", 1, "code-of-nre");
    ck_code("> nack nack_psn=0r code=nre w=data", 3, "");
    ck_code("> nack nack_psn=0r code=cie w=data", 3, "code-of-cie");
    ck_code("> nack nack_psn=0r code=xlr w=data", 1, "code-of-xlr");
    ck_code("> nack nack_psn=0r code=xlr w=data", 2, "code-reserved");
    ck_code("> back dbase=1r", 1, "code-of-success");
    ck_code("> back dbase=1r", 0, "");
    ck_code("+2s > back", 10, "code-of-timeout");
    ck_code("> back", 10, "");
    tell(&told, LINES(PUSH0, "< push_data psn=1r rsn=1r len=4",
                      "> nack dbase=1r nack_psn=1r code=cie w=data"));
    tell_event(&told, completion(0, 1, 0));
    ck_symptom(tl_completion_code(&told.trace, 0, FAL_NEVER), "error-of-another");
    tell(&told, LINES("< pull_request psn=0r rsn=0r len=4", "> pull_data psn=0r rsn=0r",
                      "< back dbase=1r"));
    ck_symptom(tl_incomplete_pull(&told.trace, 2), "empty-pull-data");
    told.packets[1].payload_len = 8;
    ck_symptom(tl_incomplete_pull(&told.trace, 2), "");
    tell_event(&told, completion(0, 1, 0));
    ck_symptom(tl_completion_code(&told.trace, 0, FAL_NEVER), "code-of-too-long");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("symptoms");
    TCase *tc = tcase_create("symptoms");

    tcase_add_test(tc, which_part_of_which_packet_is_ignored);
    tcase_add_test(tc, early_copies);
    tcase_add_test(tc, early_completions);
    tcase_add_test(tc, what_does_not_come_again);
    tcase_add_test(tc, codes_of_resyncs);
    tcase_add_test(tc, refused_and_acknowledged);
    tcase_add_test(tc, codes_of_nacks);
    tcase_add_test(tc, delivered_again);
    tcase_add_test(tc, packets_that_must_be_dropped);
    tcase_add_test(tc, bitmaps_in_a_wrong_layout);
    tcase_add_test(tc, bases_of_the_other_window);
    tcase_add_test(tc, rsns);
    tcase_add_test(tc, psns_and_ivs);
    tcase_add_test(tc, codes_of_completions);
    suite_add_tcase(suite, tc);
    return suite;
}
