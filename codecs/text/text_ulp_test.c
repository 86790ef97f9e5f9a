/* SPDX-License-Identifier: Apache-2.0
 * text_ulp_test.c - the part of a line for the upper layer: read, printed, made into bytes and
 * held against packets. */
#include "codecs/header/bitloop_test.h"
#include "codecs/text/text.h"
#include "tests/testing.h"

static const struct fal_relative rel = {.rsn = 100, .peer_rsn = 7};

static bool get_var(const void *ctx, const char *name, fal_u128 *value)
{
    (void)ctx;
    if (strcmp(name, "qp") == 0)
        *value = 0x123456;
    else if (strcmp(name, "len") == 0)
        *value = 10;
    else if (strcmp(name, "long") == 0)
        *value = 70000;
    else
        return false;
    return true;
}

static const struct fal_vars vars = {get_var, NULL};

static struct fal_pattern parsed(const char *line)
{
    struct fal_pattern pattern;
    struct fal_error err = {{0}};

    ck_assert_msg(fal_text_parse(line, &pattern, &err) == 0, "%s: %s", line, err.text);
    return pattern;
}

/* Makes the payload that the line sends. */
static int made(const char *line, struct fal_falcon *packet, struct fal_ulp_payload *payload,
                struct fal_error *err)
{
    struct fal_pattern pattern = parsed(line);

    memset(packet, 0, sizeof *packet);
    fal_layout_init(pattern.layout, packet);
    if (fal_pattern_apply(&pattern, &rel, &vars, packet, err) != 0)
        return FAL_ERR_FORM;
    return fal_pattern_ulp(&pattern, &rel, &vars, packet, payload, err);
}

/* ---- sending ---- */

static const struct {
    const char *line;
    unsigned request_length, data_len, pad_len;
    const char *headers; /* as fal_ulp_text prints them */
} sends[] = {
    /* RDMA 8.2: the sequence number counts the requests from 1; the padding fills words */
    {"push_data rsn=0r / rdma send_only dqp=$qp rmsn=1 data=10", 0, 10, 2,
     "rdma send_only pad=2 dqp=1193046 sn=1 seth.rmsn=1 oeth.off=0"},
    {"push_data rsn=4r / rdma write_only va=0x1000 rkey=5 data=$len@7+64", 0, 10, 2,
     "rdma write_only pad=2 dqp=0 sn=5 reth.va=0x1000 reth.rkey=5 reth.length=10"},
    {"push_data / rdma write_first reth.length=4096 sn=9 pad=3 data=1024", 0, 1024, 0,
     "rdma write_first pad=3 dqp=0 sn=9 reth.va=0 reth.rkey=0 reth.length=4096"},
    {"push_data rsn=0r / rdma send_only ce se", 0, 0, 0,
     "rdma send_only ce=1 se=1 dqp=0 sn=1 seth.rmsn=1 oeth.off=0"},
    /* RDMA 6.7 and AMB-R07: the lengths of a READ follow from each other */
    {"pull_request rsn=0r / rdma read_request va=1 steth.va=2 lkey=3 reth.length=65", 24 + 68,
     0, 0,
     "rdma read_request dqp=0 sn=1 reth.va=0x1 reth.rkey=0 reth.length=65 seth.rmsn=1 "
     "steth.va=0x2 steth.lkey=3"},
    {"pull_request rsn=0r len=88 / rdma read_request", 88, 0, 0,
     "rdma read_request dqp=0 sn=1 reth.va=0 reth.rkey=0 reth.length=64 seth.rmsn=1 "
     "steth.va=0 steth.lkey=0"},
    /* RDMA 8.3.7: an atomic operation is answered with 12 + 8 + 12 bytes */
    {"pull_request rsn=0r / rdma atomic_cmp_swap swap=1 compare=2", 32, 0, 0,
     "rdma atomic_cmp_swap dqp=0 sn=1 atomiceth.va=0 atomiceth.rkey=0 atomiceth.swap=0x1 "
     "atomiceth.compare=0x2 seth.rmsn=1 steth.va=0 steth.lkey=0"},
    /* a response has the sequence number of its request, whose RSN counts from the peer's */
    {"pull_data rsn=2r / rdma read_response_only steth.va=5 data=8", 0, 8, 0,
     "rdma read_response_only dqp=0 sn=3 steth.va=0x5 steth.lkey=0"},
    {"push_data rsn=0r / nvme read_request slba=0x123456789a nlb=7 insid=3", 0, 0, 0,
     "nvme read_request ifn=0 ttag=0 total=0 itag=0 ncmd=0 icmd=0 insid=3 tnsid=0 "
     "slba=0x123456789a nlb=7 prinfo=0 dsm=0 eilbrt=0 elbatm=0 elbat=0 sqid=0"},
};

START_TEST(a_part_makes_headers_and_lengths)
{
    struct fal_falcon packet;
    struct fal_ulp_payload payload;
    struct fal_error err = {{0}};
    struct fal_ulp ulp;
    char text[FAL_ULP_TEXT_MAX];

    ck_assert_msg(made(sends[_i].line, &packet, &payload, &err) == 0, "%s: %s", sends[_i].line,
                  err.text);
    ck_assert_uint_eq(packet.request_length, sends[_i].request_length);
    ck_assert_uint_eq(payload.data_len, sends[_i].data_len);
    ck_assert_uint_eq(payload.pad_len, sends[_i].pad_len);
    fal_ulp_decode(&packet, payload.headers, payload.headers_len, &ulp);
    ck_assert_int_eq(ulp.state, FAL_ULP_READ);
    (void)fal_ulp_text(&ulp, text, sizeof text);
    ck_assert_str_eq(text, sends[_i].headers);
}
END_TEST

START_TEST(data_name_their_bytes)
{
    struct fal_falcon packet;
    struct fal_ulp_payload payload;

    ck_assert_int_eq(
        made("push_data / rdma write_only data=$len@$qp+64", &packet, &payload, NULL), 0);
    ck_assert(payload.has_tag);
    ck_assert_uint_eq(payload.tag, 0x123456);
    ck_assert_uint_eq(payload.offset, 64);
    ck_assert_int_eq(made("push_data / rdma write_only data=3", &packet, &payload, NULL), 0);
    ck_assert(!payload.has_tag);
    ck_assert_uint_eq(payload.data_len, 3);
}
END_TEST

/* Reserved opcodes and types have no headers of their own (RDMA 8.1.3, NVME 8.1.3). */
START_TEST(reserved_operations_are_sent_by_their_first_header)
{
    struct fal_falcon packet;
    struct fal_ulp_payload payload;

    ck_assert_int_eq(
        made("push_data / rdma rbth opcode=31 dqp=4 data=5", &packet, &payload, NULL), 0);
    ck_assert_uint_eq(payload.headers_len, fal_rbth_layout.size_bytes);
    ck_assert_uint_eq(payload.headers[3], 31);
    ck_assert_uint_eq(packet.protocol_type, FAL_PROTOCOL_RDMA);
    ck_assert_int_eq(made("push_data / nvme nbth packet_type=9", &packet, &payload, NULL), 0);
    ck_assert_uint_eq(payload.headers_len, fal_nbth_layout.size_bytes);
    ck_assert_uint_eq(payload.headers[0] & 15, 9);
    ck_assert_uint_eq(packet.protocol_type, FAL_PROTOCOL_NVME);
    /* the layout of one operation with the code of another; a protocol type that lies */
    ck_assert_int_eq(
        made("push_data proto=1 / rdma write_only opcode=4", &packet, &payload, NULL), 0);
    ck_assert_uint_eq(payload.headers_len, 28);
    ck_assert_uint_eq(payload.headers[3], 4);
    ck_assert_uint_eq(packet.protocol_type, 1);
}
END_TEST

static const struct {
    const char *line, *error;
} unsent[] = {
    {"push_data / rdma any dqp=1", "'any' can be expected only: to send it takes an operation"},
    {"push_data / rdma send_only dqp=1..2",
     "dest_qp: a packet to send needs one value, not a range"},
    {"push_data / rdma send_only dqp=$x", "dest_qp: there is no variable $x"},
    {"push_data / rdma send_only !dqp=1", "dest_qp: '!' has no place in a packet to send"},
    {"push_data / rdma send_only data=$long", "data: a number is too large"},
    {"push_data / rdma send_only data=$x", "data: there is no variable $x"},
};

START_TEST(what_cannot_be_sent_is_refused)
{
    struct fal_falcon packet;
    struct fal_ulp_payload payload;
    struct fal_error err = {{0}};

    ck_assert_int_ne(made(unsent[_i].line, &packet, &payload, &err), 0);
    ck_assert_str_eq(err.text, unsent[_i].error);
}
END_TEST

/* ---- expecting ---- */

static const struct {
    const char *seen, *due;
    const char *why; /* NULL: it fits */
} expected[] = {
    {"push_data / rdma send_only dqp=5 rmsn=2 data=9", "push_data / rdma send_only", NULL},
    {"push_data / rdma send_only dqp=5 rmsn=2 data=9", "push_data / rdma any dqp=5 data=9",
     NULL},
    {"push_data / rdma send_only dqp=5 rmsn=2 data=9", "push_data / rdma send_only rmsn=1..3",
     NULL},
    {"push_data / rdma send_only dqp=5", "push_data / rdma any !reth.va=0", NULL},
    {"push_data / rdma send_only dqp=5", "push_data / rdma send_only dqp=6",
     "rbth.dest_qp: due 6, seen 5"},
    {"push_data / rdma send_only rmsn=2", "push_data / rdma send_only !rmsn=2",
     "seth.rmsn: due anything but 2, seen 2"},
    {"push_data / rdma send_only", "push_data / rdma write_only",
     "upper layer: due write_only, seen send_only"},
    {"push_data / rdma send_only", "push_data / rdma any reth.va=0",
     "virtual_address: due, but the packet has none"},
    {"push_data / rdma send_only data=9", "push_data / rdma send_only data=8",
     "data: due 8 bytes, seen 12 with 3 bytes of padding"},
    {"push_data / nvme read_request slba=5", "push_data / nvme read_request slba=6",
     "nvme.slba: due 6, seen 5"},
    {"push_data / nvme read_request slba=5", "push_data / rdma any",
     "upper layer: due rdma, seen no headers of it"},
    {"push_data / rdma rbth opcode=31", "push_data / rdma rbth opcode=31", NULL},
    {"push_data / rdma rbth opcode=31", "push_data / rdma rbth opcode=30",
     "rbth.opcode: due 30, seen 31"},
    {"push_data / rdma rbth opcode=31", "push_data / rdma any",
     "upper layer: due a known operation, seen a reserved operation"},
    {"push_data / rdma rbth opcode=31", "push_data / rdma send_only",
     "upper layer: due send_only, seen a reserved operation"},
    {"push_data / nvme nbth packet_type=9", "push_data / nvme nbth itag=0", NULL},
    {"push_data len=4", "push_data / rdma any", "upper layer: due rdma, seen no headers of it"},
    {"push_data / nvme read_request slba=5", "push_data / nvme any slba=5", NULL},
    {"push_data / nvme read_request slba=5", "push_data / nvme any status=0",
     "cqe_status: due, but the packet has none"},
};

START_TEST(headers_are_held_against_the_part)
{
    struct fal_pattern due = parsed(expected[_i].due);
    struct fal_falcon packet;
    struct fal_ulp_payload payload;
    struct fal_error why = {{0}};
    struct fal_ulp ulp;
    struct fal_seen_packet seen = {&packet, 0, &ulp};
    int rc;

    ck_assert_int_eq(made(expected[_i].seen, &packet, &payload, NULL), 0);
    seen.payload_len = (size_t)payload.headers_len + payload.data_len + payload.pad_len;
    fal_ulp_decode(&packet, payload.headers, payload.headers_len, &ulp);
    rc = fal_pattern_match(&due, &rel, &vars, &seen, NULL, &why);
    ck_assert_int_eq(rc, expected[_i].why == NULL);
    ck_assert_str_eq(why.text, expected[_i].why == NULL ? "" : expected[_i].why);
    seen.ulp = NULL; /* headers that were not read fit no part */
    ck_assert_int_eq(fal_pattern_match(&due, &rel, &vars, &seen, NULL, NULL), 0);
}
END_TEST

static void note(void *ctx, const char *name, fal_u128 value)
{
    (void)name;
    *(uint64_t *)ctx = fal_u128_lo(value);
}

START_TEST(fields_of_the_upper_layer_are_captured)
{
    struct fal_pattern due = parsed("push_data / rdma any dqp=@qp");
    struct fal_falcon packet;
    struct fal_ulp_payload payload;
    struct fal_ulp ulp;
    struct fal_seen_packet seen = {&packet, 0, &ulp};
    uint64_t value = 0;

    ck_assert_int_eq(made("push_data / rdma send_only dqp=77", &packet, &payload, NULL), 0);
    seen.payload_len = payload.headers_len;
    fal_ulp_decode(&packet, payload.headers, payload.headers_len, &ulp);
    ck_assert_int_eq(
        fal_pattern_match(&due, &rel, &vars, &seen, &(struct fal_capture){note, &value}, NULL),
        1);
    ck_assert_uint_eq(value, 77);
}
END_TEST

/* ---- reading ---- */

static const struct {
    const char *line, *error;
} wrong[] = {
    {"push_data / ", "column 13: after '/' comes rdma or nvme, not ''"},
    {"push_data / rdna send_only", "column 13: after '/' comes rdma or nvme, not 'rdna'"},
    {"push_data / rdma", "column 17: an operation is missing after rdma: one of `talon help "
                         "notation`, or 'any'"},
    {"push_data / rdma send_onyl",
     "column 18: rdma has no operation 'send_onyl'; did you mean 'send_only'?"},
    {"push_data / rdma send_only rmns=1",
     "column 28: send_only has no field 'rmns'; did you mean 'rmsn'?"},
    {"push_data / rdma send_only reth.va=1", "column 28: send_only has no field 'reth.va'"},
    {"push_data / rdma any va=1", "column 22: 'va' is in more than one header: put the header "
                                  "before it, as in reth.virtual_address"},
    {"push_data / rdma send_only dqp=1 dest_qp=2", "column 34: dest_qp is given twice"},
    {"push_data / rdma send_only dqp=0x1000000",
     "column 32: 0x1000000 does not fit in the 24 bits of dest_qp"},
    {"push_data / rdma send_only dqp", "column 28: '=' and a value of dest_qp are missing"},
    {"push_data / rdma send_only data=1 data=2", "column 35: data is given twice"},
    {"push_data / rdma send_only data=@7",
     "column 33: the length of the data is missing: data=64@7+0 are 64 bytes of the pattern "
     "of tag 7, from its byte 0"},
    {"push_data / rdma send_only data=70000",
     "column 33: the length of the data does not fit in 16 bits"},
    {"push_data / rdma send_only data=7@8+9x",
     "column 38: 'x' after the value is not understood"},
    {"push_data / rdma send_only dqp=1 / rdma any",
     "column 34: '/' is not understood: field=value is due here"},
    {"push_data / nvme read_request data.x=1", "column 31: read_request has no field 'data.x'"},
};

START_TEST(a_wrong_part_names_its_column)
{
    struct fal_pattern pattern;
    struct fal_error err = {{0}};

    ck_assert_int_eq(fal_text_parse(wrong[_i].line, &pattern, &err), FAL_ERR_FORM);
    ck_assert_msg(strncmp(err.text, wrong[_i].error, strlen(wrong[_i].error)) == 0,
                  "%s: %s; due: %s", wrong[_i].line, err.text, wrong[_i].error);
}
END_TEST

static const char *const lines[] = {
    "push_data psn=1 / rdma send_only dqp=5 seth.rmsn=1..3 ce=1 data=64@7+8",
    "push_data / rdma any !dqp=5 sn:0xff=1 reth.va=@a",
    "packet ... / rdma rbth opcode=31",
    "pull_request / rdma read_request reth.va=$x steth.va={1,2} data=$n@$t",
    "push_data / nvme read_request slba=0 ifn=3",
    "push_data / nvme any itag=3 data=7",
    "push_data / nvme nbth packet_type=9",
};

START_TEST(a_part_prints_back)
{
    struct fal_pattern pattern = parsed(lines[_i]);
    char text[FAL_TEXT_MAX];

    (void)fal_text_pattern(&pattern, text, sizeof text);
    ck_assert_str_eq(text, lines[_i]);
    (void)parsed(text);
}
END_TEST

/* What fal_ulp_text prints of any headers is read back to the same headers. */
START_TEST(headers_print_and_parse_back)
{
    uint64_t seed = test_seed(21), state = seed;
    unsigned long reads = 0;

    for (unsigned long round = 0; round < test_rounds(100000); round++) {
        struct fal_falcon packet = {.packet_type = FAL_PUSH_DATA}, again;
        uint8_t bytes[FAL_ULP_BYTES_MAX];
        char line[FAL_ULP_TEXT_MAX + 40];
        struct fal_ulp_payload payload;
        struct fal_error err = {{0}};
        struct fal_ulp ulp;
        size_t len;

        test_random_bytes(&state, bytes, sizeof bytes);
        packet.protocol_type = 2 + round % 2;
        bytes[0] = packet.protocol_type == FAL_PROTOCOL_RDMA
                       ? 0x10
                       : (uint8_t)(0x10 | bytes[0] % FAL_NVME_TYPES);
        bytes[1] &= packet.protocol_type == FAL_PROTOCOL_RDMA ? 0 : 255;
        bytes[2] &= packet.protocol_type == FAL_PROTOCOL_RDMA ? 0x0d : 255;
        if (round % 4 != 0)
            bytes[3] %= 24;
        fal_ulp_decode(&packet, bytes, sizeof bytes, &ulp);
        if (ulp.state != FAL_ULP_READ && ulp.state != FAL_ULP_RESERVED)
            continue;
        reads++;
        len = (size_t)snprintf(line, sizeof line, "push_data len=0 / ");
        (void)fal_ulp_text(&ulp, line + len, sizeof line - len);
        ck_assert_msg(made(line, &again, &payload, &err) == 0, "%s: %s", line, err.text);
        ck_assert_uint_eq(payload.headers_len, ulp.size_bytes);
        ck_assert_msg(memcmp(payload.headers, bytes, ulp.size_bytes) == 0, "TALON_SEED=%llu %s",
                      (unsigned long long)seed, line);
    }
    ck_assert_uint_gt(reads, 100);
}
END_TEST

/* Data whose name was seen whole have their tag, and no others. */
START_TEST(data_that_name_themselves_have_their_tag)
{
    static const struct {
        const char *magic;
        uint8_t last_of_name;
        size_t cut;
        const char *text;
    } rows[] = {{"TALN", 0, 0, "data=20@9"},
                {"TALM", 0, 0, "data=20"},
                {"TALN", 1, 0, "data=20"},
                {"TALN", 0, 5, "data=20"}};
    struct fal_falcon packet = {.packet_type = FAL_PUSH_DATA};
    struct fal_ulp_payload payload;
    uint8_t bytes[FAL_ULP_BYTES_MAX + 20] = {0};
    struct fal_ulp ulp;

    ck_assert_int_eq(made("push_data / rdma send_only dqp=5 data=20", &packet, &payload, NULL),
                     0);
    memcpy(bytes, payload.headers, payload.headers_len);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t *name = bytes + payload.headers_len;
        size_t len = payload.headers_len + (size_t)20;
        char text[FAL_ULP_TEXT_MAX + 32];
        struct fal_ulp_bytes front = {.payload = bytes, .len = len - rows[i].cut};

        memcpy(name, rows[i].magic, 4);
        name[11] = 9;
        name[15] = rows[i].last_of_name;
        fal_ulp_decode(&packet, bytes, len, &ulp);
        (void)fal_ulp_line(&ulp, &front, len, text, sizeof text);
        ck_assert_str_eq(strstr(text, "data="), rows[i].text);
    }
}
END_TEST

#define LOOP(tcase, test, table) \
    tcase_add_loop_test(tcase, test, 0, (int)(sizeof table / sizeof *table))

Suite *test_suite(void)
{
    Suite *suite = suite_create("text_ulp");
    TCase *tcase = tcase_create("lines");

    LOOP(tcase, a_part_makes_headers_and_lengths, sends);
    tcase_add_test(tcase, data_name_their_bytes);
    tcase_add_test(tcase, reserved_operations_are_sent_by_their_first_header);
    LOOP(tcase, what_cannot_be_sent_is_refused, unsent);
    LOOP(tcase, headers_are_held_against_the_part, expected);
    tcase_add_test(tcase, fields_of_the_upper_layer_are_captured);
    LOOP(tcase, a_wrong_part_names_its_column, wrong);
    LOOP(tcase, a_part_prints_back, lines);
    tcase_add_test(tcase, headers_print_and_parse_back);
    tcase_add_test(tcase, data_that_name_themselves_have_their_tag);
    suite_add_tcase(suite, tcase);
    return suite;
}
