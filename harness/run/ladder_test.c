/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/ladder.h"

#include "codecs/base/hex.h"
#include "codecs/header/ulp.h"
#include "tests/testing.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A timeline: the head, and lines that follow. The tester begins at 100 (data) and 200
 * (requests), the SUT at 300 and 400. */
static char *timeline(const char *lines, size_t *len)
{
    char *text;
    int n = asprintf(
        &text,
        "{\"schema\":\"talon/timeline/1\"}\n"
        "{\"event\":\"connection\",\"index\":1,\"t_ns\":0,\"conn\":1,\"name\":\"c1\","
        "\"tester\":{\"cid\":7,\"function\":1,\"req_psn\":200,\"data_psn\":100,\"rsn\":0},"
        "\"sut\":{\"cid\":9,\"function\":2,\"req_psn\":400,\"data_psn\":300,\"rsn\":0},\"initial_known\":true}\n%s",
        lines);

    ck_assert_int_gt(n, 0);
    *len = (size_t)n;
    return text;
}

/* A push of the tester with the n-th PSN, as a line. */
static char *push(uint64_t index, uint32_t psn)
{
    char *line;

    ck_assert_int_gt(
        asprintf(
            &line,
            "{\"event\":\"packet\",\"index\":%llu,\"t_ns\":%llu,\"conn\":1,\"dir\":"
            "\">\",\"origin\":\"endpoint\",\"bytes\":\"10000009000002%s0000012c00000190%08x0000000000000000\"}\n",
            (unsigned long long)index, (unsigned long long)index * 10, "4a", 100 + psn),
        0);
    return line;
}

static struct tl_case make(const char *lines, bool whole, struct tl_case c)
{
    struct fal_error err = {{0}};
    size_t len;
    char *text = timeline(lines, &len);

    ck_assert_msg(tl_ladder_make(text, len, whole, &c, &err) == 0, "%s", err.text);
    free(text);
    return c;
}

START_TEST(each_thing_has_its_kind)
{
    char *first = push(3, 0), *again = push(9, 0), *lines;
    struct tl_case c = {.verdict = FAL_VERDICT_FAIL};
    struct tl_problem *p = tl_case_problem(&c);

    p->evidence[p->num_evidence++] = 9;
    p->reason = tl_reason_from("x");
    ck_assert_int_gt(
        asprintf(
            &lines,
            "{\"event\":\"step\",\"index\":2,\"t_ns\":0,\"conn\":1,\"step\":4,\"text\":\"send\"}\n"
            "%s{\"event\":\"internal\",\"index\":4,\"t_ns\":40,\"conn\":1,\"text\":\"bench: lost on "
            "its way to the SUT: back dbase=0r\"}\n"
            "{\"event\":\"internal\",\"index\":5,\"t_ns\":50,\"conn\":1,\"text\":\"tester's "
            "endpoint: retransmit timer psn 100, attempts 1\"}\n"
            "{\"event\":\"internal\",\"index\":6,\"t_ns\":50,\"conn\":1,\"text\":\"tester's "
            "endpoint: initiator rsn 0: PushDataTx\"}\n"
            "{\"event\":\"mark\",\"index\":7,\"t_ns\":60,\"mark\":\"gap_in\"}\n"
            "{\"event\":\"mark\",\"index\":8,\"t_ns\":60,\"mark\":\"barrier\"}\n"
            "%s{\"event\":\"note\",\"index\":10,\"t_ns\":95,\"text\":\"so\"}\n",
            first, again),
        0);
    c = make(lines, false, c);
    ck_assert_uint_eq(c.num_flow, 7);
    ck_assert_int_eq(c.flow[0].kind, TL_FLOW_STEP);
    ck_assert_int_eq(c.flow[0].step, 4);
    ck_assert_int_eq(c.flow[1].kind, TL_FLOW_PACKET);
    ck_assert(c.flow[1].to_sut && !c.flow[1].again && !c.flow[1].marked);
    ck_assert_ptr_nonnull(strstr(c.flow[1].text, "psn=0r"));
    ck_assert_ptr_null(strstr(c.flow[1].text, "cid="));
    ck_assert_uint_gt(c.flow[1].head_len, 20);
    ck_assert_int_eq(c.flow[2].kind, TL_FLOW_LOST);
    ck_assert_str_eq(c.flow[2].text, "back dbase=0r");
    ck_assert_int_eq(c.flow[3].kind, TL_FLOW_TIMER);
    ck_assert_int_eq(c.flow[4].kind, TL_FLOW_MARK);
    ck_assert_int_eq(c.flow[5].kind, TL_FLOW_PACKET);
    ck_assert(c.flow[5].again && c.flow[5].marked);
    ck_assert_int_eq(c.flow[6].kind, TL_FLOW_NOTE);
    tl_case_clear(&c);
    free(lines);
    free(first);
    free(again);
}
END_TEST

/* A Read Request of the SUT as a line. */
static char *read_request(uint64_t index)
{
    struct fal_falcon falcon;
    struct fal_ulp ulp = {.state = FAL_ULP_READ, .protocol = FAL_PROTOCOL_NVME};
    uint8_t bytes[TL_FLOW_HEAD + FAL_ULP_BYTES_MAX];
    char hex[2 * sizeof bytes + 1], *line;
    int head, body;

    fal_falcon_init(&falcon, FAL_PUSH_DATA);
    falcon.dest_cid = 7;
    falcon.protocol_type = FAL_PROTOCOL_NVME;
    falcon.psn = 300;
    falcon.request_length = FAL_ULP_BYTES_MAX;
    fal_layout_init(fal_nvme_layout(FAL_NVME_READ_REQUEST), &ulp.nvme);
    ulp.nvme.initiator_nsid = 1;
    ulp.nvme.slba = 0x1003;
    head = fal_falcon_encode(&falcon, NULL, 0, bytes, sizeof bytes, NULL);
    ck_assert_int_gt(head, 0);
    body = fal_ulp_encode(&ulp, bytes + head, sizeof bytes - (size_t)head, NULL);
    ck_assert_int_eq(body, FAL_ULP_BYTES_MAX);
    fal_hex_write(bytes, (size_t)head + (size_t)body, hex);
    ck_assert_int_gt(asprintf(&line,
                              "{\"event\":\"packet\",\"index\":%llu,\"t_ns\":20,\"conn\":1,"
                              "\"dir\":\"<\",\"bytes\":\"%s\"}\n",
                              (unsigned long long)index, hex),
                     0);
    return line;
}

START_TEST(a_command_of_nvme_has_its_number)
{
    char *request = read_request(3), *lines;
    struct tl_case c = {.verdict = FAL_VERDICT_FAIL};

    ck_assert_int_gt(
        asprintf(
            &lines,
            "{\"event\":\"nvme\",\"index\":2,\"t_ns\":0,\"phase\":\"asked\",\"id\":1,"
            "\"word\":\"nvme_post\",\"body\":{\"cmd\":5,\"op\":\"read\",\"nsid\":1,\"slba\":"
            "\"0x3\"}}\n%s"
            "{\"event\":\"nvme\",\"index\":4,\"t_ns\":30,\"phase\":\"answered\",\"id\":1,"
            "\"ok\":true,\"word\":\"nvme_post\",\"body\":{\"sq\":1,\"cid\":2}}\n"
            "{\"event\":\"nvme\",\"index\":5,\"t_ns\":40,\"phase\":\"told\",\"word\":"
            "\"nvme_cqe\",\"body\":{\"cmd\":5,\"status\":642}}\n",
            request),
        0);
    c = make(lines, true, c);
    ck_assert_uint_eq(c.num_flow, 3);
    ck_assert_int_eq(c.flow[0].kind, TL_FLOW_ULP);
    ck_assert_str_eq(c.flow[0].text,
                     "nvme_post cmd=5 op=read nsid=1 slba=3 nlb0=0 # command 1");
    ck_assert_ptr_nonnull(strstr(c.flow[1].text, "slba=0x1003"));
    ck_assert_ptr_nonnull(strstr(c.flow[1].text, " # command 1, nCMD 1 of 1"));
    ck_assert_uint_eq(c.flow[1].ncmd, 1);
    ck_assert_str_eq(c.flow[2].text, "nvme_cqe cmd=5 status=642 # command 1");
    for (size_t i = 0; i < c.num_flow; i++)
        ck_assert_uint_eq(c.flow[i].command, 1);
    tl_case_clear(&c);
    free(lines);
    free(request);
}
END_TEST

START_TEST(what_is_far_from_the_evidence_is_left_out_and_counted)
{
    enum { MANY = 300 };
    char *lines = NULL;
    size_t len;
    FILE *out = open_memstream(&lines, &len);
    struct tl_case c = {.verdict = FAL_VERDICT_FAIL}, all = {.verdict = FAL_VERDICT_FAIL};
    struct tl_problem *p = tl_case_problem(&c);
    size_t marked = 0, left = 0;

    p->evidence[p->num_evidence++] = 5; /* a cause, long before */
    p->evidence[p->num_evidence++] = 200;
    p->reason = tl_reason_from("x");
    for (uint64_t i = 2; i < MANY; i++) {
        char *line = push(i, (uint32_t)i);

        fputs(line, out);
        free(line);
    }
    ck_assert_int_eq(fclose(out), 0);
    c = make(lines, false, c);
    ck_assert_uint_lt(c.num_flow, 60);
    for (size_t i = 0; i < c.num_flow; i++) {
        marked += c.flow[i].marked;
        left += c.flow[i].kind == TL_FLOW_GAP ? c.flow[i].event : 0;
    }
    ck_assert_uint_eq(marked, 2);
    for (size_t i = 0; i < c.num_flow; i++)
        left += c.flow[i].kind != TL_FLOW_GAP;
    ck_assert_uint_eq(left, MANY - 2);
    all = make(lines, true, all);
    ck_assert_uint_eq(all.num_flow, MANY - 2);
    tl_case_clear(&all);
    tl_case_clear(&c);
    free(lines);
}
END_TEST

START_TEST(a_packet_that_the_bench_kept_is_marked)
{
    static const char lines[] =
        "{\"event\":\"packet\",\"index\":2,\"t_ns\":5,\"conn\":1,"
        "\"dir\":\"<\",\"origin\":\"endpoint\",\"bytes\":\"ff\"}\n"
        "{\"event\":\"internal\",\"index\":3,\"t_ns\":5,\"conn\":1,\"text\":\"bench: lost on its way "
        "from the SUT: x\"}\n";
    struct tl_case c = make(lines, false, (struct tl_case){.id = NULL});

    ck_assert_uint_eq(c.num_flow, 1);
    ck_assert(c.flow[0].dropped && !c.flow[0].to_sut);
    ck_assert_str_eq(c.flow[0].text, "hex:ff"); /* no header: its bytes */
    ck_assert_uint_eq(c.flow[0].head_len, 0);
    tl_case_clear(&c);
}
END_TEST

START_TEST(what_the_network_lost_is_shown)
{
    static const char lost[] =
        "{\"event\":\"internal\",\"index\":4,\"t_ns\":40,\"conn\":1,\"text\":\"network: lost on its way to the SUT\"}\n"
        "{\"event\":\"internal\",\"index\":5,\"t_ns\":50,\"conn\":1,\"text\":\"network: lost on its way from the SUT\"}\n";
    char *sent = push(3, 0), *lines;
    struct tl_case c;

    ck_assert_int_gt(asprintf(&lines, "%s%s", sent, lost), 0);
    c = make(lines, false, (struct tl_case){.id = NULL});
    ck_assert_uint_eq(c.num_flow, 2);
    ck_assert(c.flow[0].dropped && c.flow[0].to_sut);
    ck_assert_int_eq(c.flow[1].kind, TL_FLOW_LOST);
    ck_assert(!c.flow[1].to_sut);
    tl_case_clear(&c);
    free(lines);
    free(sent);
}
END_TEST

/* The same facts as a typed event, and as a sentence of an older timeline. */
START_TEST(a_typed_event_and_its_old_sentence_draw_the_same)
{
    static const struct {
        const char *typed, *sentence;
    } rows[] = {
        {"\"bench\",\"what\":\"gate_drop\",\"dir\":\">\",\"text\":\"back dbase=0r\"",
         "\"internal\",\"text\":\"bench: lost on its way to the SUT: back dbase=0r\""},
        {"\"bench\",\"what\":\"gate_drop\",\"dir\":\"<\",\"text\":\"x\"",
         "\"internal\",\"text\":\"bench: lost on its way from the SUT: x\""},
        {"\"bench\",\"what\":\"network_loss\",\"dir\":\">\"",
         "\"internal\",\"text\":\"network: lost on its way to the SUT\""},
        {"\"bench\",\"what\":\"network_loss\",\"dir\":\"<\"",
         "\"internal\",\"text\":\"network: lost on its way from the SUT\""},
        {"\"bench\",\"what\":\"timer\",\"text\":\"coalescing timer\"",
         "\"internal\",\"text\":\"tester's endpoint: coalescing timer\""},
    };
    static const char packets[] = "{\"event\":\"packet\",\"index\":1,\"t_ns\":4,\"conn\":1,"
                                  "\"dir\":\">\",\"origin\":\"endpoint\",\"bytes\":\"fe\"}\n"
                                  "{\"event\":\"packet\",\"index\":2,\"t_ns\":5,\"conn\":1,"
                                  "\"dir\":\"<\",\"origin\":\"endpoint\",\"bytes\":\"ff\"}\n";

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_case c[2];
        size_t changed = 0;

        for (int k = 0; k < 2; k++) {
            char *lines;

            ck_assert_int_gt(asprintf(&lines, "%s{\"event\":%s,\"index\":3,\"t_ns\":6}\n",
                                      packets, k == 0 ? rows[i].typed : rows[i].sentence),
                             0);
            c[k] = make(lines, false, (struct tl_case){.id = NULL});
            free(lines);
        }
        ck_assert_uint_eq(c[0].num_flow, c[1].num_flow);
        for (size_t n = 0; n < c[0].num_flow; n++) {
            const struct tl_flow_item *a = &c[0].flow[n], *b = &c[1].flow[n];

            ck_assert_int_eq(a->kind, b->kind);
            ck_assert_str_eq(a->text, b->text);
            ck_assert(a->to_sut == b->to_sut && a->dropped == b->dropped);
            changed += a->dropped || n >= 2;
        }
        ck_assert_uint_eq(changed, 1); /* a packet is marked, or a line is added */
        tl_case_clear(&c[0]);
        tl_case_clear(&c[1]);
    }
}
END_TEST

START_TEST(a_line_that_is_none_is_an_error)
{
    struct tl_case c = {.id = NULL};
    struct fal_error err = {{0}};
    size_t len;
    char *text = timeline("{\"event\":\n", &len);

    ck_assert_int_eq(tl_ladder_make(text, len, false, &c, &err), FAL_ERR_FORM);
    tl_case_clear(&c);
    free(text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("flow");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, each_thing_has_its_kind);
    tcase_add_test(tc, a_command_of_nvme_has_its_number);
    tcase_add_test(tc, what_is_far_from_the_evidence_is_left_out_and_counted);
    tcase_add_test(tc, a_packet_that_the_bench_kept_is_marked);
    tcase_add_test(tc, what_the_network_lost_is_shown);
    tcase_add_test(tc, a_typed_event_and_its_old_sentence_draw_the_same);
    tcase_add_test(tc, a_line_that_is_none_is_an_error);
    suite_add_tcase(suite, tc);
    return suite;
}
