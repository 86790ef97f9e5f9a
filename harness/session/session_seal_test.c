/* SPDX-License-Identifier: Apache-2.0
 * Sealed cases between the tester's endpoint and the built-in SUT: keys rotate under traffic,
 * and packets under wrong keys are dropped. */
#include "harness/session/session.h"

#include "tests/testing.h"

#include <string.h>

enum { LENGTH = 32 };

struct sealed_case {
    struct tl_bench bench;
    struct tl_session *session;
    uint32_t posts;
};

/* The bench must lie where it stays. */
static void open_case(struct sealed_case *s, enum fal_encap encap, const struct tl_pcids *pcids)
{
    const struct tl_target target = {.kind = TL_TARGET_BUILTIN};
    struct tl_session_config config = {.bench = &s->bench,
                                       .title = "sealed",
                                       .seed = 1,
                                       .timeout_ns = FAL_S,
                                       .acks = true,
                                       .retransmission = true,
                                       .ulp = true,
                                       .encap = encap};
    struct fal_connection setup = {.tester = {.cid = 0x111, .function = 7}};
    struct fal_error err;

    *s = (struct sealed_case){0};
    ck_assert_msg(tl_bench_open(&s->bench, &target, 1, &err) == 0, "%s", err.text);
    fal_params_default(&setup.params, false);
    if (pcids != NULL)
        config.pcids = *pcids;
    s->session = tl_session_new(&config);
    ck_assert_ptr_nonnull(s->session);
    ck_assert_msg(tl_session_open(s->session, &setup, &(struct tl_end_setup){0}) == 0, "%s",
                  s->session->broken.what.text);
}

static void run_for(struct tl_session *session, uint64_t ns)
{
    uint64_t until = tl_session_now(session) + ns;

    while (session->broken.reason == TL_REASON_NONE && !tl_session_pump(session, until))
        ;
    ck_assert_msg(session->broken.reason == TL_REASON_NONE, "%s: %s",
                  tl_reason_word(session->broken.reason), session->broken.what.text);
}

/* A push each way. Whether that of the tester has come to its end. */
static bool exchange(struct sealed_case *s)
{
    struct tl_session *session = s->session;
    uint8_t payload[LENGTH] = {0};
    const struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                       .conn = session->conn,
                                       .op = FAL_OP_PUSH,
                                       .tag = ++s->posts,
                                       .length = LENGTH,
                                       .payload = payload,
                                       .payload_len = LENGTH};
    uint64_t from = session->events.next;

    ck_assert_int_eq(tl_session_input(session, &in, NULL), 0);
    tl_session_command(session, json_pack("{s:s, s:s, s:s, s:i, s:i}", "do", "post", "conn",
                                          session->connection.name, "op", "push", "length",
                                          LENGTH, "tag", (int)s->posts));
    ck_assert(tl_session_await_answer(session));
    run_for(session, 100 * FAL_US);
    for (uint64_t i = from; i < session->events.next; i++) {
        const struct tl_seen_event *e = tl_session_event(session, i);

        if (e->side == TL_SIDE_TESTER && e->ulp.kind == FAL_ULP_COMPLETION &&
            e->ulp.code == FAL_CMPL_ACK)
            return true;
    }
    return false;
}

static void end_case(struct sealed_case *s, bool clean)
{
    tl_session_finish(s->session);
    if (clean)
        for (size_t i = 0; i < s->session->num_findings; i++)
            ck_abort_msg("%s: %s", s->session->findings[i].rule->id,
                         s->session->findings[i].seen);
    ck_assert_uint_eq(s->session->unopened, 0);
    tl_session_free(s->session);
    tl_bench_close(&s->bench);
}

static const enum fal_encap encaps[] = {FAL_ENCAP_PSP_TRANSPORT, FAL_ENCAP_PSP_TUNNEL,
                                        FAL_ENCAP_ESP_TRANSPORT, FAL_ENCAP_ESP_TUNNEL};

static void send_step(struct tl_session *session, const uint8_t *bytes, size_t len,
                      const struct tl_sealing *how)
{
    struct tl_packet packet = tl_packet_of(bytes, len);

    packet.origin = FAL_ORIGIN_STEP;
    packet.step = 0;
    (void)tl_session_send(session, &packet, how);
}

START_TEST(FTP_9_2_2_3_06_FTP_9_2_2_3_08_keys_rotate_at_both_ends_while_traffic_goes_on)
{
    struct sealed_case s;

    open_case(&s, encaps[_i], NULL);
    for (int round = 0; round < 5; round++) {
        enum tl_side side = round % 2 == 0 ? TL_SIDE_SUT : TL_SIDE_TESTER;

        ck_assert(exchange(&s));
        ck_assert_msg(tl_session_rotate(s.session, side, "all") == 0, "%s",
                      s.session->broken.what.text);
        ck_assert(exchange(&s));
        ck_assert_int_eq(tl_session_rotate(s.session, side, "drop"), 0);
        ck_assert_int_eq(tl_session_rotate(s.session, side, "end"), 0);
        ck_assert(exchange(&s));
    }
    end_case(&s, true);
}
END_TEST

/* The SUT has a new SPI; the tester does not hear of it and goes on under the previous one,
 * until that is dropped. */
START_TEST(FTP_9_2_2_3_07_FTP_9_2_2_3_14_the_previous_spi_is_good_until_it_is_dropped)
{
    struct sealed_case s;

    open_case(&s, FAL_ENCAP_PSP_TRANSPORT, NULL);
    ck_assert(exchange(&s));
    ck_assert_int_eq(tl_session_rotate(s.session, TL_SIDE_SUT, "generation"), 0);
    ck_assert_int_eq(tl_session_rotate(s.session, TL_SIDE_SUT, "spi"), 0);
    ck_assert(exchange(&s));
    ck_assert_int_eq(tl_session_rotate(s.session, TL_SIDE_SUT, "drop"), 0);
    ck_assert(!exchange(&s));
    ck_assert_int_eq(tl_session_rotate(s.session, TL_SIDE_TESTER, "peer"), 0);
    run_for(s.session, 20 * FAL_MS);
    ck_assert(exchange(&s));
    end_case(&s, false);
}
END_TEST

START_TEST(FTP_9_2_2_3_15_a_wrong_pcid_is_dropped_where_it_is_matched)
{
    const struct tl_pcids pcids = {.on = true, .tester = 5, .sut = 6};
    struct sealed_case s;
    struct tl_sealing how;

    open_case(&s, FAL_ENCAP_PSP_TRANSPORT, &pcids);
    ck_assert(exchange(&s));
    how = tl_session_sealing(s.session);
    ck_assert(how.seal.has_vc);
    ck_assert_uint_eq(how.seal.vc, 6);
    how.seal.vc = 7;
    for (int match = 0; match < 2; match++) {
        struct fal_falcon packet;
        uint64_t before;
        uint8_t bytes[64];
        int len;

        if (match == 1) {
            tl_session_command(s.session, json_pack("{s:s, s:s, s:b}", "do", "rotate_keys",
                                                    "step", "match_pcid", "on", 1));
            ck_assert(tl_session_await_answer(s.session));
            ck_assert(s.session->answer_ok);
        }
        ck_assert_int_eq(fal_endpoint_draft(s.session->endpoint, s.session->conn, FAL_PUSH_DATA,
                                            tl_session_now(s.session), &packet),
                         0);
        packet.psn += 3 + (uint32_t)match;
        packet.rsn += 3 + (uint32_t)match;
        packet.request_length = 0;
        packet.ack_req = 1;
        len = fal_falcon_encode(&packet, NULL, 0, bytes, sizeof bytes, NULL);
        ck_assert_int_gt(len, 0);
        before = s.session->frames_received;
        send_step(s.session, bytes, (size_t)len, &how);
        run_for(s.session, 100 * FAL_US);
        how.seal.iv += 1000000;
        ck_assert_int_eq(s.session->frames_received > before, match == 0);
    }
    end_case(&s, false);
}
END_TEST

/* Each way to spoil a packet: nothing is answered, and the next one is taken. */
START_TEST(FTP_9_2_2_1_05_what_is_spoilt_is_dropped_without_a_trace)
{
    struct sealed_case s;

    open_case(&s, encaps[_i], NULL);
    ck_assert(exchange(&s));
    for (enum tl_spoil spoil = TL_SPOIL_ICV; spoil <= TL_SPOIL_CLEAR; spoil++) {
        struct tl_sealing how = tl_session_sealing(s.session);
        struct fal_falcon packet;
        uint64_t before = s.session->frames_received;
        uint8_t bytes[64];
        int len;

        how.spoil = spoil;
        how.bad = FAL_BAD_SEAL;
        ck_assert_int_eq(fal_endpoint_draft(s.session->endpoint, s.session->conn, FAL_PUSH_DATA,
                                            tl_session_now(s.session), &packet),
                         0);
        packet.request_length = 0;
        packet.ack_req = 1;
        len = fal_falcon_encode(&packet, NULL, 0, bytes, sizeof bytes, NULL);
        ck_assert_int_gt(len, 0);
        send_step(s.session, bytes, (size_t)len, &how);
        run_for(s.session, 100 * FAL_US);
        ck_assert_uint_eq(s.session->frames_received, before);
        ck_assert(exchange(&s));
    }
    end_case(&s, true);
}
END_TEST

START_TEST(a_plain_link_has_no_keys_to_rotate)
{
    struct sealed_case s;

    open_case(&s, FAL_ENCAP_UDP, NULL);
    ck_assert(exchange(&s));
    ck_assert_int_ne(tl_session_rotate(s.session, TL_SIDE_SUT, "all"), 0);
    ck_assert_int_eq(s.session->broken.reason, TL_REASON_ROTATE);
    tl_session_free(s.session);
    tl_bench_close(&s.bench);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("sealed cases");
    TCase *tc = tcase_create("sealed cases");
    const int n = (int)(sizeof encaps / sizeof *encaps);

    tcase_add_loop_test(
        tc, FTP_9_2_2_3_06_FTP_9_2_2_3_08_keys_rotate_at_both_ends_while_traffic_goes_on, 0, n);
    tcase_add_test(tc,
                   FTP_9_2_2_3_07_FTP_9_2_2_3_14_the_previous_spi_is_good_until_it_is_dropped);
    tcase_add_test(tc, FTP_9_2_2_3_15_a_wrong_pcid_is_dropped_where_it_is_matched);
    tcase_add_loop_test(tc, FTP_9_2_2_1_05_what_is_spoilt_is_dropped_without_a_trace, 0, n);
    tcase_add_test(tc, a_plain_link_has_no_keys_to_rotate);
    suite_add_tcase(s, tc);
    return s;
}
