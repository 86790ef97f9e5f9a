/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/lint.h"
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome l1(const struct kind *kind, const char *const *lines)
{
    return judged("L1", kind, lines);
}

START_TEST(well_formed_packets_hold)
{
    struct outcome o =
        l1(&udp, LINES("> push_data psn=0r rsn=0r len=4", "< back dbase=1r rbase=0r",
                       "< pull_request psn=0r rsn=0r len=4"));

    ck_holds(o, 2);
    ck_assert_uint_eq(o.tester.holds, 1);
}
END_TEST

START_TEST(FTP_7_2_02_version)
{
    struct outcome o = l1(&udp, LINES("< push_data psn=0r rsn=0r len=4 version=2"));

    ck_breaks(o, "FTP-7.2-02", 1);
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "version=1"));
    ck_assert_ptr_nonnull(strstr(o.findings[0].seen, "version=2"));
}
END_TEST

START_TEST(FTP_7_2_18_reserved_packet_type)
{
    ck_breaks(l1(&udp, LINES("< hex:1011111100000a0e000000000000000000000000")), "FTP-7.2-18",
              1);
}
END_TEST

START_TEST(garbage_breaks_and_never_stops)
{
    struct outcome o = l1(
        &udp, LINES("< hex:00", "< hex:10111111", "< hex:101111110000000a00000000",
                    "< hex:ffffffffffffffffffffffffffffffffffff", "< back dbase=0r rbase=0r"));

    ck_assert_uint_ge(o.sut.broken, 4);
    ck_assert_uint_eq(o.sut.holds, 1);
    ck_assert_int_eq(o.verdict, FAL_VERDICT_FAIL);
}
END_TEST

START_TEST(FTP_7_3_05_reserved_bits_of_the_text_fail)
{
    ck_breaks(l1(&udp, LINES("< pull_request psn=0r rsn=0r len=4 reserved_2=1")), "FTP-7.3-05",
              1);
}
END_TEST

/* AMB-27: only the figure reserves them. */
START_TEST(FTP_7_2_03_reserved_bits_of_the_figure_warn)
{
    struct outcome o = l1(&udp, LINES("< push_data psn=0r rsn=0r len=4 reserved_0=5",
                                      "< back dbase=0r rbase=0r"));

    ck_breaks(o, "FTP-7.2-03", 1);
    ck_assert_int_eq(o.verdict, FAL_VERDICT_WARN);
}
END_TEST

START_TEST(FTP_7_5_04_request_length)
{
    ck_breaks(l1(&udp, LINES("< push_data psn=0r rsn=0r len=4 payload_len=5")), "FTP-7.5-04",
              1);
    /* captured short: the length says nothing */
    ck_holds(l1(&udp, LINES("truncated", "< push_data psn=0r rsn=0r len=40 payload_len=5")), 1);
}
END_TEST

/* AMB-04: a bit that table and figure dispute breaks nothing. */
START_TEST(a_note_is_no_break)
{
    ck_holds(l1(&udp, LINES("< back dbase=0r rbase=0r rue_info=0x200000")), 1);
}
END_TEST

START_TEST(FTP_9_1_6_14_own_in_a_back)
{
    ck_breaks(l1(&udp, LINES("< back dbase=0r rbase=0r d-own")), "FTP-9.1.6-14", 1);
}
END_TEST

START_TEST(FTP_6_2_02_a_cid_that_nobody_allocated)
{
    struct outcome o = l1(&clean, LINES("< back dbase=0r rbase=0r cid=0x222222"));

    ck_breaks(o, "FTP-7.7.1-04", 1); /* AMB-29: the CID under which the data came in */
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "1118481"));
    ck_breaks(l1(&lossy, LINES("< push_data psn=0r rsn=0r len=4 cid=7")), "FTP-6.2-02", 1);
    ck_breaks(l1(&lossy, LINES("> push_data psn=0r rsn=0r len=4",
                               "< nack nack_psn=0r code=6 w=data cid=7")),
              "FTP-7.8-04", 1);
}
END_TEST

/* On a live path it may be a packet of an earlier connection, for a while. */
START_TEST(a_stray_may_be_old)
{
    struct kind ordered = udp;

    ordered.run.in_order_out = true;
    ck_undecided(l1(&udp, LINES("@10ms < back dbase=0r rbase=0r cid=7")), 1);
    ck_undecided(
        l1(&udp, LINES("< back dbase=0r rbase=0r", "@10ms < back dbase=0r rbase=0r cid=7")), 1);
    ck_breaks(l1(&udp, LINES("@1s < back dbase=0r rbase=0r cid=7")), "FTP-7.7.1-04", 1);
    ck_undecided(l1(&ordered, LINES("@10ms < back dbase=0r rbase=0r cid=7")), 1);
    ck_breaks(
        l1(&ordered, LINES("< back dbase=0r rbase=0r", "@10ms < back dbase=0r rbase=0r cid=7")),
        "FTP-7.7.1-04", 1);
}
END_TEST

START_TEST(FTP_7_2_05_another_function)
{
    ck_breaks(l1(&udp, LINES("< push_data psn=0r rsn=0r len=4 fn=9")), "FTP-7.2-05", 1);
    ck_holds(l1(&capture, LINES("< push_data psn=0r rsn=0r len=4 fn=9")), 1); /* not given */
}
END_TEST

START_TEST(after_the_end_of_a_connection_nothing_counts)
{
    ck_holds(
        l1(&clean, LINES("< back dbase=0r rbase=0r", "close",
                         "< back dbase=0r rbase=0r version=2", "< back dbase=0r rbase=0r")),
        1);
}
END_TEST

START_TEST(our_own_side)
{
    struct outcome o = l1(&clean, LINES("> push_data psn=0r rsn=0r len=4 version=3"));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_ERROR);
    ck_asked(l1(&clean, LINES("step > push_data psn=0r rsn=0r len=4 version=3")));
    ck_asked(l1(&clean, LINES("step > hex:0011")));
    ck_asked(l1(&clean, LINES("step > back dbase=0r rbase=0r cid=5")));
    ck_asked(l1(&capture, LINES("> push_data psn=0r rsn=0r len=4 version=3"))); /* not ours */
}
END_TEST

static void listed(const char *id)
{
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (const char *const *r = rules[0]->requirements; *r != NULL; r++)
        if (strcmp(*r, id) == 0)
            return;
    ck_abort_msg("L1 does not list %s", id);
}

/* Whatever the lint can cite, for a Falcon packet alone, is what the rule says that it decides.
 */
START_TEST(every_requirement_of_the_tables_is_listed)
{
    for (unsigned type = 0; type < 16; type++) {
        const struct fal_layout *layout = fal_falcon_layout(type);

        for (size_t i = 0; layout != NULL && i < layout->num_fields; i++) {
            const struct fal_field *f = &layout->fields[i];

            if ((f->kind == FAL_RSVD || f->kind == FAL_CONST || f->kind == FAL_CODE) &&
                f->requirement != NULL)
                listed(f->requirement);
        }
        if (layout != NULL && layout->requirement != NULL)
            listed(layout->requirement);
    }
    listed(fal_lint_rows()[FAL_LINT_REQUEST_LENGTH].requirement);
    listed(fal_lint_rows()[FAL_LINT_OWN].requirement);
    listed(fal_lint_rows()[FAL_LINT_ACK_BASE].requirement);
}
END_TEST

START_TEST(FTP_6_2_04_longer_than_the_longest)
{
    struct fal_connection c = script_connection(&lossy);

    c.params.mtu = 8;
    ck_holds(script_run("L1", &lossy, &c, LINES("< push_data psn=0r rsn=0r len=8")), 1);
    ck_breaks(script_run("L1", &lossy, &c, LINES("< push_data psn=0r rsn=0r len=9")),
              "FTP-6.2-04", 1);
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_mtu);
    ck_holds(script_run("L1", &lossy, &c, LINES("< push_data psn=0r rsn=0r len=9")), 1);
}
END_TEST

START_TEST(FTP_7_2_07_another_protocol)
{
    struct fal_connection c = script_connection(&lossy);

    ck_breaks(l1(&lossy, LINES("< push_data psn=0r rsn=0r len=4 protocol_type=3")),
              "FTP-7.2-07", 1);
    c.params.protocol_type = 3;
    ck_breaks(script_run("L1", &lossy, &c, LINES("< pull_data psn=0r rsn=0r protocol_type=2")),
              "FTP-7.2-08", 1);
    ck_holds(script_run("L1", &lossy, &c, LINES("< push_data psn=0r rsn=0r protocol_type=3")),
             1);
}
END_TEST

/* The word is the vendor's: only a SUT that is known not to use it must send 0. */
START_TEST(FTP_7_6_13_the_word_of_the_vendor)
{
    static const char *const lines[] = {
        "< resync psn=0r rsn=0r code=cie of=push_data vendor_defined=7", NULL};
    struct fal_connection c = script_connection(&lossy);

    ck_breaks(script_run("L1", &lossy, &c, lines), "FTP-7.6-13", 1);
    ck_holds(script_run("L1", &lossy, &c,
                        LINES("< resync psn=0r rsn=0r code=cie of=push_data vendor_defined=0")),
             1);
    ck_assert_uint_eq(/* a step of the tester may send any */
                      script_run(
                          "L1", &lossy, &c,
                          LINES(
                              "> resync psn=0r rsn=0r code=cie of=push_data vendor_defined=7"))
                          .tester.broken,
                      0);
    c.params.resync_vendor = true;
    ck_holds(script_run("L1", &lossy, &c, lines), 1);
    c.params.resync_vendor = false;
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_resync_vendor);
    ck_holds(script_run("L1", &lossy, &c, lines), 1);
}
END_TEST

/* Whether a finding names the requirement. */
static bool names(struct outcome o, const char *requirement)
{
    for (size_t i = 0; i < o.num_findings; i++)
        if (strcmp(o.findings[i].requirement, requirement) == 0)
            return true;
    return false;
}

/* Each operation in a Falcon packet that does not carry it (RDMA 8.1.3). */
START_TEST(RDMA_8_1_3_an_operation_in_the_wrong_packet)
{
    unsigned kinds = 0;

    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);
        char line[160];

        if (kind == NULL)
            continue;
        kinds++;
        (void)snprintf(line, sizeof line, "< %s psn=0r rsn=0r len=%s / rdma %s",
                       kind->packet == FAL_PUSH_DATA ? "pull_request" : "push_data",
                       kind->packet == FAL_PUSH_DATA ? "4" : "32", kind->name);
        if (kind->packet != FAL_PUSH_DATA)
            (void)snprintf(line, sizeof line, "< push_data psn=0r rsn=0r / rdma %s",
                           kind->name);
        ck_assert_msg(names(judged("L1", &lossy, LINES(line)), kind->requirement), "%s", line);
    }
    ck_assert_uint_eq(kinds, 46); /* with those of XRC */
}
END_TEST

static const struct {
    const char *line, *requirement;
} rdma_mistakes[] = {
    {"< push_data psn=0r rsn=0r / rdma rbth opcode=31", "RDMA-8.1.3-26"},
    {"< push_data psn=0r rsn=0r / rdma rbth opcode=0x60", "RDMA-8.1.3-27"},
    {"< push_data psn=0r rsn=0r / rdma rbth opcode=0x20", "RDMA-8.1.3-01"},
    {"< push_data psn=0r rsn=0r / rdma send_only version=0", "RDMA-8.2-02"},
    {"< push_data psn=0r rsn=0r / rdma send_only reserved_0=2", "RDMA-8.2-03"},
    {"< push_data psn=0r rsn=0r / rdma send_only reserved_0=1", "RDMA-8.2-06"},
    {"< push_data psn=0r rsn=0r / rdma rbth opcode=0xb1", "RDMA-8.2-09"},
    {"< push_data psn=0r rsn=0r len=34 / rdma send_only data=14", "RDMA-8.2-05"},
    {"< push_data psn=0r rsn=0r / rdma send_only reserved_1=1", "RDMA-8.2-07"},
    {"< push_data psn=0r rsn=0r / rdma send_only reserved_2=1", "RDMA-8.2-11"},
    {"< push_data psn=0r rsn=0r / rdma ud_send_only deth.reserved_0=1", "RDMA-8.3.10-03"},
    {"< push_data psn=0r rsn=0r / rdma xrc_send_only xrceth.reserved_0=1", "RDMA-8.3.9-01"},
    {"< pull_request psn=0r rsn=0r / rdma xrc_read_request xrceth.reserved_0=1",
     "RDMA-8.3.9-01"},
    {"< push_data psn=0r rsn=0r / rdma rbth opcode=0xa4", "RDMA-8.3.9-02"},
    {"< push_data psn=0r rsn=0r / rdma rbth opcode=0xaa", "RDMA-8.3.9-02"},
    {"< pull_request psn=0r rsn=0r len=32 / rdma rbth opcode=0xb3", "RDMA-8.3.9-02"},
    {"< pull_request psn=0r rsn=0r / rdma read_request data=4", "RDMA-6.7-14"},
    {"< pull_request psn=0r rsn=0r len=32 / rdma atomic_cmp_swap data=4", "RDMA-8.3.6-01"},
    {"< pull_data psn=0r rsn=0r / rdma atomic_response data=4", "RDMA-8.3-01"},
};

START_TEST(RDMA_8_a_mistake_in_the_headers)
{
    struct outcome o = judged("L1", &lossy, LINES(rdma_mistakes[_i].line));

    ck_assert_uint_ge(o.sut.broken, 1);
    ck_assert_str_eq(script_first_of_sut(&o)->requirement, rdma_mistakes[_i].requirement);
}
END_TEST

static void warns_of(const char *line, const char *requirement)
{
    struct outcome o = judged("L1", &lossy, LINES(line));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_WARN);
    ck_assert_str_eq(script_first_of_sut(&o)->requirement, requirement);
}

/* The AckReq bit of the table is bit 22, or a bit that the figure reserves. */
START_TEST(reading_amb_r02_an_ackreq_bit)
{
    warns_of("< push_data psn=0r rsn=0r / rdma send_only reserved_1=1", "RDMA-8.2-07");
    warns_of("< push_data psn=0r rsn=0r / rdma send_only reserved_0=1", "RDMA-8.2-06");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule L1");
    TCase *tc = tcase_create("L1");

    tcase_add_test(tc, well_formed_packets_hold);
    tcase_add_test(tc, FTP_7_2_02_version);
    tcase_add_test(tc, reading_amb_r02_an_ackreq_bit);
    tcase_add_test(tc, FTP_7_2_18_reserved_packet_type);
    tcase_add_test(tc, garbage_breaks_and_never_stops);
    tcase_add_test(tc, FTP_7_3_05_reserved_bits_of_the_text_fail);
    tcase_add_test(tc, FTP_7_2_03_reserved_bits_of_the_figure_warn);
    tcase_add_test(tc, FTP_7_5_04_request_length);
    tcase_add_test(tc, a_note_is_no_break);
    tcase_add_test(tc, FTP_9_1_6_14_own_in_a_back);
    tcase_add_test(tc, FTP_6_2_02_a_cid_that_nobody_allocated);
    tcase_add_test(tc, a_stray_may_be_old);
    tcase_add_test(tc, FTP_7_2_05_another_function);
    tcase_add_test(tc, after_the_end_of_a_connection_nothing_counts);
    tcase_add_test(tc, our_own_side);
    tcase_add_test(tc, every_requirement_of_the_tables_is_listed);
    tcase_add_test(tc, FTP_6_2_04_longer_than_the_longest);
    tcase_add_test(tc, FTP_7_2_07_another_protocol);
    tcase_add_test(tc, FTP_7_6_13_the_word_of_the_vendor);
    tcase_add_test(tc, RDMA_8_1_3_an_operation_in_the_wrong_packet);
    tcase_add_loop_test(tc, RDMA_8_a_mistake_in_the_headers, 0,
                        (int)(sizeof rdma_mistakes / sizeof *rdma_mistakes));
    suite_add_tcase(suite, tc);
    return suite;
}
