/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH "< push_data psn=0r rsn=0r len=4"

static struct outcome l2(const char *const *lines)
{
    return judged("L2", &clean, lines);
}

/* The same, where the ends have agreed. */
static struct outcome agreed(enum fal_encap encap, const char *const *lines)
{
    struct fal_connection c = script_connection(&clean);

    c.encap_known = true;
    c.encap = encap;
    return script_run("L2", &clean, &c, lines);
}

START_TEST(what_was_agreed_holds)
{
    ck_holds(l2(LINES("carrier psp_transport 252 0 1", PUSH, "carrier psp_transport 252 0 3 vc",
                      PUSH)),
             2);
    ck_holds(
        l2(LINES("carrier psp_tunnel 4 252 6", PUSH, "carrier psp_tunnel 41 252 11", PUSH)), 2);
    ck_holds(l2(LINES("carrier esp_transport 252 0 0", PUSH)), 1);
    ck_holds(l2(LINES("carrier esp_tunnel 4 252 0", PUSH)), 1);
    /* a plain link of a laboratory, and packets that were not observed */
    ck_holds(l2(LINES("carrier udp 0 0 0", PUSH, PUSH)), 0);
    /* the other side may do as it likes */
    ck_holds(l2(LINES("carrier psp_transport 252 0 1", PUSH, "carrier udp 0 0 0",
                      "> push_data psn=0r rsn=0r len=4")),
             1);
}
END_TEST

START_TEST(FTP_6_5_01_a_packet_in_the_clear)
{
    struct outcome o =
        l2(LINES("carrier psp_transport 252 0 1", PUSH, "carrier udp 0 0 0", PUSH));

    ck_breaks(o, "FTP-6.5-01", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 2);
    ck_breaks(agreed(FAL_ENCAP_ESP_TRANSPORT, LINES("carrier udp 0 0 0", PUSH)), "FTP-6.5-01",
              1);
}
END_TEST

START_TEST(FTP_7_1_01_another_protocol)
{
    ck_breaks(agreed(FAL_ENCAP_PSP_TRANSPORT, LINES("carrier esp_transport 252 0 0", PUSH)),
              "FTP-7.1-01", 1);
    ck_breaks(agreed(FAL_ENCAP_ESP_TUNNEL, LINES("carrier psp_tunnel 4 252 6", PUSH)),
              "FTP-7.1-01", 1);
}
END_TEST

START_TEST(FTP_7_1_02_another_next_header)
{
    ck_breaks(l2(LINES("carrier psp_transport 4 0 1", PUSH)), "FTP-7.1-02", 1);
}
END_TEST

START_TEST(FTP_7_1_03_another_crypt_offset)
{
    ck_breaks(l2(LINES("carrier psp_transport 252 0 0", PUSH)), "FTP-7.1-03", 1);
    ck_breaks(l2(LINES("carrier psp_transport 252 0 2", PUSH)), "FTP-7.1-03", 1);
    ck_breaks(l2(LINES("carrier psp_transport 252 0 1 vc", PUSH)), "FTP-7.1-03", 1);
}
END_TEST

/* The same, where the connection manager gave the PCID 5. */
static struct outcome with_pcid(const char *const *lines)
{
    struct fal_connection c = script_connection(&clean);

    c.pcid_known = true;
    c.pcid = 5;
    return script_run("L2", &clean, &c, lines);
}

START_TEST(FTP_9_2_1_17_another_cookie_than_the_pcid)
{
    ck_breaks(with_pcid(LINES("carrier psp_transport 252 0 3 vc=0", PUSH)), "FTP-9.2.1-17", 1);
    ck_breaks(with_pcid(LINES("carrier psp_tunnel 4 252 6 vc=0x100000005", PUSH)),
              "FTP-9.2.1-17", 1);
    ck_breaks(with_pcid(LINES("carrier psp_transport 252 0 1", PUSH)), "FTP-9.2.1-17", 1);
}
END_TEST

START_TEST(the_pcid_and_a_cookie_that_nobody_gave)
{
    ck_holds(with_pcid(LINES("carrier psp_transport 252 0 3 vc=5", PUSH)), 1);
    ck_holds(l2(LINES("carrier psp_transport 252 0 3 vc=0", PUSH,
                      "carrier psp_transport 252 0 3 vc=9", PUSH)),
             2);
    /* ESP has no cookie. */
    ck_holds(with_pcid(LINES("carrier esp_transport 252 0 0", PUSH)), 1);
}
END_TEST

START_TEST(FTP_7_1_1_01_an_inner_header_in_transport_mode)
{
    ck_breaks(agreed(FAL_ENCAP_PSP_TRANSPORT, LINES("carrier psp_tunnel 4 252 6", PUSH)),
              "FTP-7.1.1-01", 1);
}
END_TEST

START_TEST(FTP_7_1_2_01_no_inner_header_in_a_tunnel)
{
    ck_breaks(agreed(FAL_ENCAP_ESP_TUNNEL, LINES("carrier esp_transport 252 0 0", PUSH)),
              "FTP-7.1.2-01", 1);
}
END_TEST

START_TEST(reading_amb_31_a_tunnel_configured_otherwise)
{
    struct outcome o = l2(LINES("carrier psp_tunnel 252 0 1", PUSH));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
    /* the crypt offset in a tunnel is not checked */
    ck_holds(l2(LINES("carrier psp_tunnel 4 252 1", PUSH)), 1);
}
END_TEST

#define VERBS                                                                             \
    ("verbs qp_create {\"type\":\"rc\",\"pd\":\"p\",\"send_cq\":\"c\",\"recv_cq\":\"c\"}" \
     " -> {\"qp\":\"q\",\"qpn\":17,\"path_mtu\":256}"),                                   \
        "verbs qp_connect {\"qp\":\"q\",\"conn\":\"c1\",\"dest_qpn\":5}"
#define RDMA "< push_data psn=0r rsn=0r / rdma send_only dqp=5 data=4"

START_TEST(RDMA_8_1_01_8_1_1_01_8_1_2_01_packets_of_verbs)
{
    static const struct {
        enum fal_encap due;
        const char *seen, *requirement;
    } rows[] = {
        {FAL_ENCAP_PSP_TRANSPORT, "carrier esp_transport 252 0 0", "RDMA-8.1-01"},
        {FAL_ENCAP_PSP_TRANSPORT, "carrier psp_tunnel 4 252 6", "RDMA-8.1.1-01"},
        {FAL_ENCAP_PSP_TUNNEL, "carrier psp_transport 252 0 1", "RDMA-8.1.2-01"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_breaks(agreed(rows[i].due, LINES(VERBS, rows[i].seen, RDMA)), rows[i].requirement,
                  1);
        /* The other packets of such a connection are the transport's. */
        ck_assert_ptr_null(
            strstr(agreed(rows[i].due, LINES(VERBS, rows[i].seen, "< back dbase=0r rbase=0r"))
                       .findings[0]
                       .requirement,
                   "RDMA"));
    }
    ck_holds(
        agreed(FAL_ENCAP_PSP_TRANSPORT, LINES(VERBS, "carrier psp_transport 252 0 1", RDMA)),
        1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("rule L2");
    TCase *tc = tcase_create("rule L2");

    tcase_add_test(tc, what_was_agreed_holds);
    tcase_add_test(tc, FTP_6_5_01_a_packet_in_the_clear);
    tcase_add_test(tc, FTP_7_1_01_another_protocol);
    tcase_add_test(tc, FTP_7_1_02_another_next_header);
    tcase_add_test(tc, FTP_7_1_03_another_crypt_offset);
    tcase_add_test(tc, FTP_9_2_1_17_another_cookie_than_the_pcid);
    tcase_add_test(tc, the_pcid_and_a_cookie_that_nobody_gave);
    tcase_add_test(tc, FTP_7_1_1_01_an_inner_header_in_transport_mode);
    tcase_add_test(tc, FTP_7_1_2_01_no_inner_header_in_a_tunnel);
    tcase_add_test(tc, reading_amb_31_a_tunnel_configured_otherwise);
    tcase_add_test(tc, RDMA_8_1_01_8_1_1_01_8_1_2_01_packets_of_verbs);
    suite_add_tcase(s, tc);
    return s;
}
