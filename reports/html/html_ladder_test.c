/* SPDX-License-Identifier: Apache-2.0
 * What the diagrams of the HTML report show: whole labels, folded repetitions, and what
 * differs.
 */
#include "reports/html/html_impl.h"

#include "oracles/rules/judge/judge.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

START_TEST(labels_are_broken_and_not_cut)
{
    static const struct {
        const char *text;
        size_t width;
        const char *lines[4];
    } rows[] = {
        {"", 8, {""}},
        {"one two", 8, {"one two"}},
        {"one two three", 8, {"one two", "three"}},
        {"abc def", 6, {"abc", "def"}},
        {"one  two", 4, {"one", "two"}},
        {"abcdefghijkl", 5, {"abcde", "fghij", "kl"}},
        {"x abcdefghijkl", 5, {"x", "abcde", "fghij", "kl"}},
        {"äöüß äöüß", 4, {"äöüß", "äöüß"}},
    };
    struct tl_html_line lines[TL_HTML_LINES_MAX];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = tl_html_break(rows[i].text, rows[i].width, lines), k = 0;

        for (; k < 4 && rows[i].lines[k] != NULL; k++) {
            ck_assert_uint_lt(k, n);
            ck_assert_uint_eq(lines[k].len, strlen(rows[i].lines[k]));
            ck_assert_mem_eq(lines[k].text, rows[i].lines[k], lines[k].len);
        }
        ck_assert_uint_eq(n, k);
    }
}
END_TEST

static struct tl_flow_item *packet(struct tl_case *c, bool to_sut, const char *text)
{
    struct tl_flow_item *item = tl_case_flow(c);

    ck_assert_ptr_nonnull(item);
    item->kind = TL_FLOW_PACKET;
    item->to_sut = to_sut;
    item->text = strdup(text);
    return item;
}

START_TEST(four_alike_are_folded)
{
    struct tl_case c = {.num_flow = 0};
    size_t period = 0, again = 0;
    char text[40];

    packet(&c, true, "resync");
    for (int i = 0; i < 4; i++) {
        (void)snprintf(text, sizeof text, "push_data psn=%dr", i + 8);
        packet(&c, true, text);
        packet(&c, false, "back dbase=0r");
    }
    packet(&c, false, "back dbase=0b1");
    ck_assert_uint_eq(tl_html_repeats(&c, 1, SIZE_MAX, &period, &again), 0);
    ck_assert_uint_eq(tl_html_repeats(&c, 2, SIZE_MAX, &period, &again), 0);
    ck_assert_uint_eq(tl_html_repeats(&c, 3, SIZE_MAX, &period, &again), 6);
    ck_assert_uint_eq(period, 2);
    ck_assert_uint_eq(again, 3);
    /* What shows the problem stays, and what another direction sends is not the same. */
    ck_assert_uint_eq(tl_html_repeats(&c, 3, 8, &period, &again), 0);
    c.flow[7].marked = true;
    ck_assert_uint_eq(tl_html_repeats(&c, 3, SIZE_MAX, &period, &again), 0);
    c.flow[7].marked = false;
    c.flow[5].to_sut = false;
    ck_assert_uint_eq(tl_html_repeats(&c, 3, SIZE_MAX, &period, &again), 0);
    tl_case_clear(&c);
}
END_TEST

/* The words of the BACK that are stressed, or of an EACK. */
static void stresses(struct tl_problem p, const char *due)
{
    static const char text[] = "back dbase=0r rbase=0r d-own";
    struct tl_flow_item item = {.kind = TL_FLOW_PACKET, .text = (char *)text};
    struct fal_falcon head = {0};
    struct tl_html_stress stress;
    char words[80] = "";
    int n;

    fal_falcon_init(&head, FAL_BACK);
    n = fal_falcon_encode(&head, NULL, 0, item.head, sizeof item.head, NULL);
    ck_assert_int_gt(n, 0);
    item.head_len = (uint8_t)n;
    tl_html_differs(&p, &item, &stress);
    for (size_t i = 0; i < stress.count; i++) {
        const char *word = text + stress.words[i].at;

        (void)snprintf(words + strlen(words), sizeof words - strlen(words), "%s%.*s",
                       i > 0 ? "," : "", (int)strcspn(word, " "), word);
    }
    ck_assert_str_eq(words, due);
}

static struct tl_problem of_rule(const char *rule, const char *requirement)
{
    struct tl_problem p = {.kind = TL_PROBLEM_RULE, .rule = fal_rule_find(rule)};

    ck_assert_ptr_nonnull(p.rule);
    p.requirement = fal_requirement_find(requirement);
    ck_assert_msg(*requirement == 0 || p.requirement != NULL, "%s", requirement);
    return p;
}

START_TEST(the_field_that_differs_is_stressed)
{
    struct tl_problem p = of_rule("A2", "FTP-9.1.6-07");

    stresses((struct tl_problem){.field = "recv_data_base_psn"}, "dbase=0r");
    stresses((struct tl_problem){.field = "own"}, "d-own");
    stresses((struct tl_problem){.expected = (char *)"<=$ack < eack dbase=0r"}, "back");
    stresses((struct tl_problem){.expected = (char *)"<=$ack < back dbase=1r"}, "");
    stresses((struct tl_problem){.expected = (char *)"< packet dbase=1r"}, "");
    stresses(of_rule("O1", "FTP-9.2.1-11"), "d-own");
    stresses(of_rule("R4", "FTP-9.2.1-06"), "dbase=0r");
    stresses(of_rule("R4", "FTP-9.2.1-03"), "rbase=0r");
    stresses(of_rule("R6", "FTP-9.1.6-13"), "back");
    stresses(of_rule("S1", "FTP-9.2.4-10"), "");
    stresses(p, "dbase=0r,rbase=0r");
    p.symptoms[p.num_symptoms++] = tl_symptom_from("own-kept-data");
    stresses(p, "dbase=0r,rbase=0r,d-own");
    p = of_rule("L1", "FTP-7.7.1-07"); /* the field that the requirement defines */
    stresses(p, "dbase=0r");
}
END_TEST

static bool is_field(const char *name, size_t len)
{
    for (unsigned type = 0; type < 16; type++) {
        const struct fal_layout *layout = fal_falcon_layout(type);

        for (size_t i = 0; layout != NULL && i < layout->num_fields; i++)
            if (strlen(layout->fields[i].name) == len &&
                memcmp(layout->fields[i].name, name, len) == 0)
                return true;
    }
    return false;
}

/* A name that is misspelt would never be stressed. */
static void are_fields(const char *names, const char *whose)
{
    for (const char *at = names; *at != 0; at += *at == ' ') {
        size_t len = strcspn(at, " ");

        ck_assert_msg(is_field(at, len), "%s: %s", whose, at);
        at += len;
    }
}

START_TEST(the_lists_name_rules_requirements_and_fields_that_there_are)
{
#define ABOUT(id, requirement, due, fields) {id, requirement, fields},
    static const struct {
        const char *id, *requirement, *fields;
    } rows[] = {
#include "reports/html/about_list.h"
    };
#undef ABOUT
    size_t n, found;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(fal_rule_find(rows[i].id) != NULL, "%s", rows[i].id);
        ck_assert_msg(rows[i].requirement[0] == 0 ||
                          fal_requirement_find(rows[i].requirement) != NULL,
                      "%s", rows[i].requirement);
        are_fields(rows[i].fields, rows[i].id);
    }
    for (size_t k = 0; k < n; k++) {
        found = 0;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            found += strcmp(rows[i].id, rules[k]->id) == 0 && rows[i].requirement[0] == 0;
        ck_assert_msg(found == 1, "%s", rules[k]->id);
    }
    for (int i = TL_SYMPTOM_NONE + 1; i < TL_SYMPTOM_COUNT; i++)
        are_fields(tl_symptom_about((enum tl_symptom)i)->fields,
                   tl_symptom_about((enum tl_symptom)i)->word);
}
END_TEST

START_TEST(what_was_due_is_a_packet_or_not)
{
    const struct tl_reason_code unmet = tl_reason_from("unmet");
    static const struct {
        const char *rule, *expected;
        bool due;
    } rows[] = {
        {NULL, "<=$coalescing < eack dbase=0r", true},
        {NULL, "none for 20ms", false},
        {NULL, "expect_ulp request op=push", false},
        {"A2", "an ACK for a push that the upper layer accepted, by 5 ms", true},
        {"E4", "another copy of PSN 0r: it was not acknowledged", true},
        {"N1", "no NACK of data PSN 1r", false},
        {"R7", "push PSN 0r not acknowledged before its upper layer answers", false},
        {"E2", "data PSN 1r retransmitted no sooner than 4 s after its last copy", false},
        {"U5", "RSN 2r delivered, as it was acknowledged", false},
        {"C5", "RSN 2r completed, as its acknowledgement arrived", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_problem p = {
            .kind = TL_PROBLEM_STEP, .reason = unmet, .expected = (char *)rows[i].expected};

        if (rows[i].rule != NULL) {
            p.kind = TL_PROBLEM_RULE;
            p.rule = fal_rule_find(rows[i].rule);
            ck_assert_ptr_nonnull(p.rule);
        }
        ck_assert_msg(tl_html_packet_due(&p) == rows[i].due, "%s", rows[i].expected);
    }
}
END_TEST

/* RDMA 6.7: the packets of a message have one bar; a message of one packet has none. */
START_TEST(packets_of_a_message_have_a_bar)
{
    struct tl_case c = {.num_flow = 0};
    char *text = NULL;
    size_t len = 0;
    const struct tl_causes causes = {.count = 0};
    struct tl_html h = {.out = open_memstream(&text, &len), .causes = &causes};

    packet(&c, true, "push_data psn=0r / rdma send_first")->message = 1;
    packet(&c, true, "push_data psn=1r / rdma write_only")->message = 0;
    packet(&c, true, "push_data psn=2r / rdma send_last")->message = 1;
    packet(&c, true, "pull_request psn=0r / rdma read_request")->message = 2;
    packet(&c, false, "pull_data psn=0r / rdma read_response_only")->message = 2;
    ck_assert_ptr_nonnull(h.out);
    ck_assert_int_eq(tl_html_ladder(&h, &c), 0);
    ck_assert_int_eq(fclose(h.out), 0);
    ck_assert_ptr_nonnull(strstr(text, "<title>message 1</title>"));
    ck_assert_ptr_null(strstr(text, "<title>message 2</title>"));
    ck_assert_ptr_nonnull(strstr(text, "packets of one message"));
    free(text);
    tl_case_clear(&c);
}
END_TEST

/* A post, its packets and its completion are found by one number, and are one row. */
START_TEST(work_requests_are_a_table)
{
    struct tl_case c = {.num_flow = 0};
    char *text = NULL;
    size_t len = 0;
    const struct tl_causes causes = {.count = 0};
    struct tl_html h = {.out = open_memstream(&text, &len), .causes = &causes};
    struct tl_flow_item *item = tl_case_flow(&c);

    item->kind = TL_FLOW_ULP;
    item->text = strdup("post_send write qp=q wr_id=1, 64 bytes # post 1");
    item->post = 1;
    packet(&c, false, "push_data psn=0r / rdma write_only # post 1")->post = 1;
    packet(&c, false, "push_data psn=1r / rdma write_only");
    item = tl_case_flow(&c);
    item->kind = TL_FLOW_ULP;
    item->text = strdup("wc qp=q wr_id=1 status=0 # post 1");
    item->post = 1;
    ck_assert_ptr_nonnull(h.out);
    ck_assert_int_eq(tl_html_ladder(&h, &c), 0);
    ck_assert_int_eq(fclose(h.out), 0);
    ck_assert_ptr_nonnull(strstr(text, "<a href=\"#p0-1\" class=\"k\" data-p=\"1\">"));
    ck_assert_ptr_nonnull(strstr(text, "<a href=\"#p0-2\" class=\"k\"><path"));
    ck_assert_ptr_nonnull(strstr(text, "<tr data-p=\"1\"><td>1<td><a href=\"#p0-0\">"));
    ck_assert_ptr_nonnull(strstr(text, "</a> wc qp=q wr_id=1 status=0\n"));
    free(text);
    tl_case_clear(&c);
}
END_TEST

static void word(struct tl_case *c, const char *text, unsigned part)
{
    struct tl_flow_item *item = tl_case_flow(c);

    ck_assert_ptr_nonnull(item);
    item->kind = TL_FLOW_ULP;
    item->text = strdup(text);
    item->command = 1;
    item->part = part;
}

static void ncmd(struct tl_case *c, bool to_sut, unsigned part, unsigned number,
                 const char *text)
{
    struct tl_flow_item *item = packet(c, to_sut, text);

    item->command = 1;
    item->part = part;
    item->ncmd = number;
}

/* A write that is split: each nCMD is a row below its part, its packets are in the column of
 * their type, with tags, status and the mark of invalid data. */
START_TEST(commands_of_nvme_are_a_table)
{
    struct tl_case c = {.num_flow = 0};
    char *text = NULL;
    size_t len = 0;
    const struct tl_causes causes = {.count = 0};
    struct tl_html h = {.out = open_memstream(&text, &len), .causes = &causes};

    word(&c, "nvme_post write nsid=1 slba=0xff nlb=1 cmd=7 # command 1", 0);
    ncmd(&c, false, 1, 1,
         "push_data rsn=0r / nvme write_request ifn=1 s=1 ttag=0 total=1 itag=8 ncmd=0 icmd=7 "
         "insid=1 tnsid=2 slba=0xff nlb=0 dtype=0 prinfo=7 dsm=0 dspec=0 ilbrt=255 "
         "lbatm=65535 lbat=255 sqid=3 # command 1, part 1, nCMD 1 of 2");
    ncmd(&c, false, 2, 2,
         "push_data rsn=1r / nvme write_request ifn=1 s=1 ng=1 ttag=0 total=1 itag=9 ncmd=1 "
         "icmd=7 insid=1 tnsid=2 slba=0x100 nlb=0 dtype=0 prinfo=0 dsm=0 dspec=0 sqid=4");
    ncmd(&c, true, 2, 2, "pull_request rsn=0r / nvme write_data_request ifn=1 ttag=5 itag=9");
    ncmd(&c, false, 2, 2,
         "pull_data rsn=0r / nvme write_data_response ifn=1 inv=1 ttag=5 itag=9 data=4112@7");
    ncmd(&c, true, 2, 2,
         "push_data rsn=1r / nvme write_completion ifn=1 ttag=5 itag=9 status=642");
    word(&c, "nvme_cqe cmd=7 status=0x282 # command 1", 0);
    ck_assert_ptr_nonnull(h.out);
    ck_assert_int_eq(tl_html_ladder(&h, &c), 0);
    ck_assert_int_eq(fclose(h.out), 0);
    ck_assert_ptr_nonnull(strstr(text, "class=\"k\" data-p=\"c1\""));
    ck_assert_ptr_nonnull(strstr(text, "command 1<br><a href=\"#p0-0\">"));
    ck_assert_ptr_nonnull(strstr(text, "</a> nvme_cqe cmd=7 status=0x282\n"));
    ck_assert_ptr_nonnull(
        strstr(text, "part 1 of 2: namespace 2 of the target, queue 3, LBA 0xff to 0xff "
                     "(1 block); PRINFO 7 (reference tag, application tag, guard), reference "
                     "tag 0x000000ff, application tag 0x00ff\n"));
    ck_assert_ptr_nonnull(strstr(text, "part 2 of 2: namespace 2 of the target, queue 4, LBA "
                                       "0x100 to 0x100 (1 block); protection information "
                                       "off\n"));
    ck_assert_ptr_nonnull(strstr(text, "<td>nCMD 1<td><a href=\"#p0-1\">0 ns ←</a> tag 8 "
                                       "<td><td><td>\n"));
    ck_assert_ptr_nonnull(strstr(text, "→</a> tag 5 <td><a href=\"#p0-4\">"));
    ck_assert_ptr_nonnull(strstr(text, "←</a> <b>INV</b> tag 5 4112 bytes <td>"));
    ck_assert_ptr_nonnull(strstr(text, "→</a> tag 5 <b>status 0x282</b> \n"));
    free(text);
    tl_case_clear(&c);
}
END_TEST

/* A command of 1 MiB has 256 nCMDs: the table lists some and counts the others. */
START_TEST(many_ncmds_are_counted)
{
    struct tl_case c = {.num_flow = 0};
    char *text = NULL;
    size_t len = 0;
    const struct tl_causes causes = {.count = 0};
    struct tl_html h = {.out = open_memstream(&text, &len), .causes = &causes};

    for (unsigned i = 1; i <= 256; i++)
        ncmd(&c, true, 0, i, "push_data / nvme read_request itag=1 tnsid=2 slba=0x0 nlb=255");
    ck_assert_ptr_nonnull(h.out);
    ck_assert_int_eq(tl_html_ladder(&h, &c), 0);
    ck_assert_int_eq(fclose(h.out), 0);
    ck_assert_ptr_nonnull(strstr(text, "not split: namespace 2"));
    ck_assert_ptr_nonnull(strstr(text, "and 216 more nCMDs\n"));
    ck_assert_ptr_nonnull(strstr(text, "<td>nCMD 40<td>"));
    ck_assert_ptr_null(strstr(text, "<td>nCMD 41<td>"));
    free(text);
    tl_case_clear(&c);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("html_ladder");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, labels_are_broken_and_not_cut);
    tcase_add_test(tc, four_alike_are_folded);
    tcase_add_test(tc, packets_of_a_message_have_a_bar);
    tcase_add_test(tc, work_requests_are_a_table);
    tcase_add_test(tc, commands_of_nvme_are_a_table);
    tcase_add_test(tc, many_ncmds_are_counted);
    tcase_add_test(tc, the_field_that_differs_is_stressed);
    tcase_add_test(tc, the_lists_name_rules_requirements_and_fields_that_there_are);
    tcase_add_test(tc, what_was_due_is_a_packet_or_not);
    suite_add_tcase(suite, tc);
    return suite;
}
