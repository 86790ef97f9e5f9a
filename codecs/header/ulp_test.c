/* SPDX-License-Identifier: Apache-2.0
 * The upper-layer headers that Falcon carries: opcodes of RDMA 8.1.3, correct packets and each
 * way to spoil one, bytes that are neither RDMA nor NVMe. */
#include "codecs/header/lint.h"
#include "codecs/header/sample_ulp_test.h"
#include "codecs/json/json_impl.h"
#include "tests/testing.h"

enum { PAYLOAD_MAX = 512, WORDS = 8 };

static struct fal_falcon packet;
static struct fal_ulp ulp, back;
static struct fal_issues issues;
static uint8_t payload[PAYLOAD_MAX];

/* Reads `len` bytes of payload and lints them, as if they stood at byte 100. */
static void look(size_t len, bool truncated)
{
    memset(&back, 0x99, sizeof back);
    memset(&issues, 0, sizeof issues);
    fal_ulp_decode(&packet, payload, len, &back);
    fal_ulp_lint(&packet, &back, &(struct fal_ulp_bytes){payload, len, truncated, 100},
                 &issues);
}

static void only_issue(enum fal_severity severity, const char *code, const char *requirement,
                       uint32_t offset)
{
    const struct fal_issue *issue = &issues.list[0];

    ck_assert_msg(issues.count == 1, "%s: %zu issues, the second %s", code, issues.count,
                  issues.count > 1 ? issues.list[1].code : "");
    ck_assert_str_eq(issue->code, code);
    ck_assert_int_eq((int)issue->severity, (int)severity);
    if (requirement == NULL)
        ck_assert_ptr_null(issue->requirement);
    else
        ck_assert_str_eq(issue->requirement, requirement);
    ck_assert_uint_eq(issue->offset, offset);
}

/* ---- the opcodes ---- */

/* By hand from the table of RDMA 8.1.3, corrected by AMB-R01; its requirements' last numbers.
 */
static const struct {
    unsigned opcode;
    const char *name;
    enum fal_packet_type packet;
    const char *headers;
    unsigned requirement;
} opcodes[] = {
    {0, "send_first", FAL_PUSH_DATA, "rbth seth oeth", 2},
    {1, "send_middle", FAL_PUSH_DATA, "rbth seth oeth", 3},
    {2, "send_last", FAL_PUSH_DATA, "rbth seth oeth", 4},
    {3, "send_last_imm", FAL_PUSH_DATA, "rbth seth oeth immdt", 5},
    {4, "send_only", FAL_PUSH_DATA, "rbth seth oeth", 6},
    {5, "send_only_imm", FAL_PUSH_DATA, "rbth seth oeth immdt", 7},
    {6, "write_first", FAL_PUSH_DATA, "rbth reth", 8},
    {7, "write_middle", FAL_PUSH_DATA, "rbth reth", 9},
    {8, "write_last", FAL_PUSH_DATA, "rbth reth", 10},
    {9, "write_last_imm", FAL_PUSH_DATA, "rbth reth seth immdt", 11},
    {10, "write_only", FAL_PUSH_DATA, "rbth reth", 12},
    {11, "write_only_imm", FAL_PUSH_DATA, "rbth reth seth immdt", 13},
    {12, "read_request", FAL_PULL_REQUEST, "rbth reth seth steth", 14},
    {13, "read_response_first", FAL_PULL_DATA, "rbth steth", 15},
    {14, "read_response_middle", FAL_PULL_DATA, "rbth steth", 16},
    {15, "read_response_last", FAL_PULL_DATA, "rbth steth", 17},
    {16, "read_response_only", FAL_PULL_DATA, "rbth steth", 18},
    {18, "atomic_response", FAL_PULL_DATA, "rbth atomicacketh steth", 19},
    {19, "atomic_cmp_swap", FAL_PULL_REQUEST, "rbth atomiceth seth steth", 20},
    {20, "atomic_fetch_add", FAL_PULL_REQUEST, "rbth atomiceth seth steth", 21},
    {22, "send_last_inv", FAL_PUSH_DATA, "rbth seth oeth ieth", 22},
    {23, "send_only_inv", FAL_PUSH_DATA, "rbth seth oeth ieth", 23},
    {0x64, "ud_send_only", FAL_PUSH_DATA, "rbth deth", 24},
    {0x65, "ud_send_only_imm", FAL_PUSH_DATA, "rbth deth immdt", 25},
    {0xa4, "xrc_send_only", FAL_PUSH_DATA, "rbth xrceth seth oeth", 6},
    {0xab, "xrc_write_only_imm", FAL_PUSH_DATA, "rbth xrceth reth seth immdt", 13},
    {0xac, "xrc_read_request", FAL_PULL_REQUEST, "rbth xrceth reth seth steth", 14},
    {0xb0, "xrc_read_response_only", FAL_PULL_DATA, "rbth steth", 18},
    {0xb2, "xrc_atomic_response", FAL_PULL_DATA, "rbth atomicacketh steth", 19},
    {0xb3, "xrc_atomic_cmp_swap", FAL_PULL_REQUEST, "rbth xrceth atomiceth seth steth", 20},
    {0xb7, "xrc_send_only_inv", FAL_PUSH_DATA, "rbth xrceth seth oeth ieth", 23},
};

START_TEST(RDMA_8_1_3_02_to_25_opcodes)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(opcodes[_i].opcode);
    char headers[128] = "", requirement[24];

    ck_assert_ptr_nonnull(kind);
    ck_assert_str_eq(kind->name, opcodes[_i].name);
    ck_assert_str_eq(fal_name_of(&fal_names_rdma_opcode, opcodes[_i].opcode), kind->name);
    ck_assert_int_eq((int)kind->packet, (int)opcodes[_i].packet);
    ck_assert_uint_eq(kind->service, opcodes[_i].opcode >> 5);
    for (size_t i = 0; i < kind->num_headers; i++) {
        strcat(headers, i > 0 ? " " : "");
        strcat(headers, fal_rdma_layout(kind->headers[i])->name);
    }
    ck_assert_str_eq(headers, opcodes[_i].headers);
    (void)snprintf(requirement, sizeof requirement, "RDMA-8.1.3-%02u", opcodes[_i].requirement);
    ck_assert_str_eq(kind->requirement, requirement);
}
END_TEST

START_TEST(RDMA_8_1_3_26_27_all_others_are_reserved)
{
    for (unsigned opcode = 0; opcode <= 256; opcode++) {
        unsigned service = opcode >> 5, op = opcode & 31;
        bool known = (service == 0 || service == 5) && op < 24 && op != 17 && op != 21;

        known |= service == 3 && (op == 4 || op == 5);
        ck_assert_msg((fal_rdma_kind(opcode) != NULL) == known, "opcode %u", opcode);
        if (opcode < 256)
            ck_assert((fal_name_of(&fal_names_rdma_opcode, opcode) != NULL) == known);
    }
}
END_TEST

START_TEST(NVME_8_1_3_01_to_07_packet_types)
{
    static const struct {
        const char *name;
        enum fal_packet_type carrier;
        size_t size;
    } due[] = {{"write_request", FAL_PUSH_DATA, 64},
               {"write_data_request", FAL_PULL_REQUEST, 32},
               {"write_data_response", FAL_PULL_DATA, 36},
               {"write_completion", FAL_PUSH_DATA, 36},
               {"read_request", FAL_PUSH_DATA, 64},
               {"read_response", FAL_PUSH_DATA, 36}};

    for (unsigned type = 0; type < FAL_NVME_TYPES; type++) {
        ck_assert_str_eq(fal_nvme_type_name(type), due[type].name);
        ck_assert_int_eq((int)fal_nvme_carrier((enum fal_nvme_type)type),
                         (int)due[type].carrier);
        ck_assert_uint_eq(fal_nvme_layout(type)->size_bytes, due[type].size);
    }
    for (unsigned type = FAL_NVME_TYPES; type < 20; type++)
        ck_assert_ptr_null(fal_nvme_layout(type));
    ck_assert_ptr_null(fal_nvme_type_name(6));
}
END_TEST

/* ---- valid packets ---- */

/* The i-th of all kinds, drawn anew: opcodes, then NVMe types. */
static size_t draw(uint64_t *state, unsigned i)
{
    memset(&packet, 0, sizeof packet);
    if (i < 256)
        return sample_rdma(state, i, WORDS, &packet, &ulp, payload);
    return sample_nvme(state, (enum fal_nvme_type)(i - 256), WORDS, &packet, &ulp, payload);
}

/* Runs `check` some times on every kind. */
static void each_kind(void (*check)(uint64_t *state, unsigned i, size_t len))
{
    uint64_t state = test_seed(21);

    for (unsigned i = 0; i < 256 + FAL_NVME_TYPES; i++)
        for (unsigned long k = 0; (i >= 256 || fal_rdma_kind(i) != NULL) && k < 20; k++)
            check(&state, i, draw(&state, i));
}

static void check_lawful(uint64_t *state, unsigned i, size_t len)
{
    uint8_t out[PAYLOAD_MAX];

    (void)state;
    look(len, false);
    ck_assert_int_eq((int)back.state, FAL_ULP_READ);
    ck_assert_uint_eq(back.protocol, ulp.protocol);
    ck_assert_uint_eq(back.size_bytes, ulp.size_bytes);
    if (i >= 256)
        ck_assert_mem_eq(&back.nvme, &ulp.nvme, sizeof ulp.nvme);
    else
        ck_assert_mem_eq(&back.rdma, &ulp.rdma, sizeof ulp.rdma);
    ck_assert_int_eq(fal_ulp_encode(&back, out, sizeof out, NULL), (int)ulp.size_bytes);
    ck_assert_mem_eq(out, payload, ulp.size_bytes);
    ck_assert_int_eq(fal_ulp_encode(&back, out, ulp.size_bytes - 1, NULL), FAL_ERR_SHORT);
    if (i < 256 && i >> 5 == FAL_RDMA_XRC)
        only_issue(FAL_NOTE, "xrc-opcode", NULL, 103);
    else
        ck_assert_msg(issues.count == 0, "kind %u: %s", i, issues.list[0].code);
}

START_TEST(lawful_packets_are_read_written_and_right)
{
    each_kind(check_lawful);
}
END_TEST

/* An operation whose headers are not all there violates the requirement of its row. */
static const char *without_headers(unsigned opcode)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);

    if (kind->service == FAL_RDMA_XRC && kind->packet != FAL_PULL_DATA)
        return "RDMA-8.3.9-02";
    switch (opcode) {
    case 0:
    case 1: return "RDMA-6.7-06";
    case 7:
    case 8: return "RDMA-6.7-09";
    case 19:
    case 20: return "RDMA-8.3.6-01";
    default: return kind->requirement;
    }
}

/* A payload that ends early is an error; one that the capture cut, a note. */
static void check_truncation(uint64_t *state, unsigned i, size_t len)
{
    (void)state;
    (void)len;
    if (i < 256)
        payload[2] &= 0xef; /* with CE an answer may lack headers (AMB-R23) */
    for (size_t cut = 0; cut < ulp.size_bytes; cut++) {
        look(cut, true);
        ck_assert_int_ne((int)back.state, FAL_ULP_READ);
        for (size_t k = 0; k < issues.count; k++)
            ck_assert_int_eq((int)issues.list[k].severity, FAL_NOTE);
        look(cut, false);
        ck_assert_int_eq((int)back.state, cut == 0 ? FAL_ULP_NONE : FAL_ULP_SHORT);
        ck_assert_uint_eq(issues.count, cut == 0 ? 0 : 1);
        if (cut > 0)
            ck_assert_int_eq((int)issues.list[0].severity, FAL_ERROR);
        if (i >= 256 && cut > 0)
            ck_assert_str_eq(issues.list[0].requirement,
                             cut < 32 ? "NVME-8.2-01" : fal_nvme_layout(i - 256)->requirement);
        else if (cut > 0)
            ck_assert_str_eq(issues.list[0].requirement,
                             cut < 12 ? "RDMA-8.2-01" : without_headers(i));
    }
}

START_TEST(RDMA_6_7_06_09_8_2_01_8_3_6_01_8_3_9_02_NVME_8_2_01_headers_are_missing)
{
    each_kind(check_truncation);
}
END_TEST

/* One fault in a correct packet of each kind gives its own issue. */
static void check_faults(uint64_t *state, unsigned i, size_t len)
{
    bool nvme = i >= 256;
    uint8_t first = payload[0];

    if (!nvme && i >> 5 == FAL_RDMA_XRC)
        return; /* has a note already */
    payload[0] = (uint8_t)(0x20 | (first & 15));
    look(len, false);
    ck_assert_int_eq((int)back.state, FAL_ULP_READ);
    only_issue(FAL_ERROR, "wrong-constant", nvme ? "NVME-8.2-02" : "RDMA-8.2-02", 100);
    payload[0] = first;

    packet.packet_type = packet.packet_type == FAL_PULL_DATA ? FAL_PUSH_DATA : FAL_PULL_DATA;
    look(len, false);
    ck_assert_int_eq((int)back.state, FAL_ULP_READ);
    ck_assert_uint_eq(issues.count, 1);
    ck_assert_str_eq(issues.list[0].code, "wrong-falcon-packet");
    ck_assert_int_eq((int)issues.list[0].severity, FAL_ERROR);
    if (nvme) {
        ck_assert_int_eq(strncmp(issues.list[0].requirement, "NVME-8.1.3-0", 12), 0);
        ck_assert_int_eq(issues.list[0].requirement[12], (int)('1' + i - 256));
    } else {
        ck_assert_str_eq(issues.list[0].requirement, fal_rdma_kind(i)->requirement);
    }
    (void)state;
}

START_TEST(RDMA_8_1_3_NVME_8_1_3_version_and_falcon_packet)
{
    each_kind(check_faults);
}
END_TEST

/* Each reserved bit warns, and is named with its byte. */
static void check_reserved(uint64_t *state, unsigned i, size_t len)
{
    size_t at = 0;

    (void)state;
    for (size_t h = 0; i >= 256 ? h < 1 : h < fal_rdma_kind(i)->num_headers; h++) {
        const struct fal_layout *l =
            i >= 256 ? fal_nvme_layout(i - 256) : fal_rdma_layout(fal_rdma_kind(i)->headers[h]);

        for (size_t k = 0; k < l->num_fields; k++) {
            const struct fal_field *f = &l->fields[k];
            unsigned bit = f->offset_bits + f->width_bits - 1u;

            if (f->kind != FAL_RSVD)
                continue;
            payload[at + bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
            look(len, false);
            payload[at + bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
            ck_assert_uint_eq(issues.count, i < 256 && i >> 5 == FAL_RDMA_XRC ? 2 : 1);
            ck_assert_str_eq(issues.list[0].code, "reserved-not-zero");
            ck_assert_str_eq(issues.list[0].field, f->name);
            ck_assert_str_eq(issues.list[0].requirement,
                             l == &fal_rbth_layout && strcmp(f->name, "reserved_0") == 0
                                 ? "RDMA-8.2-06" /* bit 18: AckReq, perhaps */
                                 : f->requirement);
            ck_assert_int_eq((int)issues.list[0].severity, FAL_WARNING);
            ck_assert_uint_eq(issues.list[0].offset, 100 + at + f->offset_bits / 8u);
        }
        at += l->size_bytes;
    }
}

START_TEST(RDMA_8_2_03_07_11_8_3_9_01_8_3_10_03_NVME_8_2_05_14_reserved_bits_warn)
{
    each_kind(check_reserved);
}
END_TEST

/* ---- faults of one kind ---- */

static size_t draw_opcode(unsigned opcode)
{
    uint64_t state = 5;
    size_t len;

    do
        len = draw(&state, opcode);
    while (fal_rdma_kind(opcode)->data &&
           (len < fal_rdma_size(fal_rdma_kind(opcode)) + 8 || ulp.rdma.rbth.pad != 1));
    return len;
}

START_TEST(RDMA_8_1_3_26_27_01_a_reserved_opcode)
{
    static const struct {
        uint8_t opcode;
        const char *requirement;
    } reserved[] = {{17, "RDMA-8.1.3-26"},   {21, "RDMA-8.1.3-26"},   {31, "RDMA-8.1.3-26"},
                    {0x63, "RDMA-8.1.3-27"}, {0x66, "RDMA-8.1.3-27"}, {0x24, "RDMA-8.1.3-01"},
                    {0xb1, "RDMA-8.2-09"},   {0xff, "RDMA-8.1.3-01"}};
    size_t len = draw_opcode(4);

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        payload[3] = reserved[i].opcode;
        look(len, false);
        ck_assert_int_eq((int)back.state, FAL_ULP_RESERVED);
        only_issue(FAL_ERROR, "reserved-code", reserved[i].requirement, 103);
    }
}
END_TEST

START_TEST(RDMA_8_2_05_pad)
{
    size_t len = draw_opcode(4);

    look(len - 1, false); /* the pad byte is missing */
    only_issue(FAL_ERROR, "bad-pad", "RDMA-8.2-05", 102);
    look(len - 1, true);
    ck_assert_uint_eq(issues.count, 0);
    look(ulp.size_bytes, false); /* a pad of nothing */
    only_issue(FAL_ERROR, "bad-pad", "RDMA-8.2-05", 102);
}
END_TEST

START_TEST(RDMA_8_3_1_04_length_of_a_write)
{
    size_t len = draw_opcode(10);

    payload[27]++; /* one more than there is */
    look(len, false);
    only_issue(FAL_ERROR, "length-mismatch", "RDMA-8.3.1-04", 124);
    ck_assert_uint_eq(fal_u128_lo(issues.list[0].due) + 1, fal_u128_lo(issues.list[0].seen));
    look(len, true);
    ck_assert_uint_eq(issues.count, 0);
    len = draw_opcode(6);
    payload[26] = 1; /* of the whole message, it may be */
    look(len, false);
    only_issue(FAL_WARNING, "whole-length", "RDMA-8.3.1-04", 124);
    payload[26] = payload[27] = 0;
    look(len, false);
    only_issue(FAL_ERROR, "length-mismatch", "RDMA-8.3.1-04", 124);
}
END_TEST

START_TEST(RDMA_8_3_1_04_6_7_14_a_read_request)
{
    size_t len = draw_opcode(12);

    packet.request_length = (uint16_t)(packet.request_length + 4);
    look(len, false);
    only_issue(FAL_ERROR, "length-mismatch", "RDMA-8.3.1-04", 124);
    draw_opcode(12);
    payload[26] = 1; /* 511 bytes: with padding, or without */
    payload[27] = 0xff;
    payload[24] = payload[25] = 0;
    packet.request_length = 24 + 512;
    look(len, false);
    ck_assert_uint_eq(issues.count, 0);
    packet.request_length = 24 + 511;
    look(len, false);
    ck_assert_uint_eq(issues.count, 0);
    packet.request_length = 24 + 510;
    look(len, false);
    only_issue(FAL_ERROR, "length-mismatch", "RDMA-8.3.1-04", 124);
    draw_opcode(12);
    look(len + 4, false);
    only_issue(FAL_ERROR, "unexpected-payload", "RDMA-6.7-14", 144);
    len = draw_opcode(19);
    packet.request_length = 24;
    look(len, false);
    only_issue(FAL_ERROR, "request-length-mismatch", "FTP-7.3-04", 100);
    len = draw_opcode(18);
    look(len + 1, false);
    only_issue(FAL_ERROR, "unexpected-payload", "RDMA-8.3-01", 132);
}
END_TEST

/* AMB-R23: the answer to a pull that ended in error may have the RBTH alone. */
START_TEST(RDMA_8_2_04_an_answer_of_error_may_lack_headers)
{
    (void)draw_opcode(16);
    payload[2] |= 0x10;
    look(12, false);
    ck_assert_uint_eq(issues.count, 0);
    payload[2] &= 0xef;
    look(12, false);
    only_issue(FAL_ERROR, "ulp-too-short", "RDMA-8.1.3-18", 100);
    (void)draw_opcode(4); /* a request is no answer */
    payload[2] |= 0x10;
    look(12, false);
    only_issue(FAL_ERROR, "ulp-too-short", "RDMA-8.1.3-06", 100);
}
END_TEST

START_TEST(NVME_8_3_01_8_5_01_8_6_01_8_8_01_nothing_follows)
{
    static const struct {
        enum fal_nvme_type type;
        const char *requirement;
    } due[] = {{FAL_NVME_WRITE_REQUEST, "NVME-8.5-01"},
               {FAL_NVME_WRITE_DATA_REQUEST, "NVME-8.6-01"},
               {FAL_NVME_WRITE_COMPLETION, "NVME-8.8-01"},
               {FAL_NVME_READ_REQUEST, "NVME-8.3-01"}};
    uint64_t state = 1;
    size_t len;

    for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
        len = draw(&state, 256u + due[i].type);
        look(len + 1, false);
        only_issue(FAL_ERROR, "unexpected-payload", due[i].requirement, 100 + (uint32_t)len);
    }
}
END_TEST

START_TEST(NVME_8_4_06_8_6_02_8_7_04_8_2_06_lengths_and_inv)
{
    static uint8_t big[36 + FAL_NVME_DATA_MAX + 1];
    uint64_t state = 1;

    (void)draw(&state, 256 + FAL_NVME_READ_RESPONSE);
    memcpy(big, payload, 36);
    memset(&issues, 0, sizeof issues);
    fal_ulp_decode(&packet, big, sizeof big - 1, &back);
    fal_ulp_lint(&packet, &back, &(struct fal_ulp_bytes){big, sizeof big - 1, false, 100},
                 &issues);
    ck_assert_uint_eq(issues.count, 0);
    fal_ulp_lint(&packet, &back, &(struct fal_ulp_bytes){big, sizeof big, false, 100}, &issues);
    only_issue(FAL_ERROR, "too-much-data", "NVME-8.4-06", 136);
    (void)draw(&state, 256 + FAL_NVME_WRITE_DATA_REQUEST);
    packet.request_length = 4261;
    look(32, false);
    only_issue(FAL_ERROR, "request-length-mismatch", "NVME-8.6-02", 100);
    packet.request_length = 35;
    look(32, false);
    only_issue(FAL_ERROR, "request-length-mismatch", "NVME-8.6-02", 100);
    packet.request_length = 36;
    payload[4] |= 0x20;
    look(32, false);
    only_issue(FAL_WARNING, "misplaced-inv", "NVME-8.2-06", 104);
    (void)draw(&state, 256 + FAL_NVME_WRITE_DATA_RESPONSE);
    payload[4] |= 0x20;
    look(36, false);
    ck_assert_uint_eq(issues.count, 0);
    (void)draw(&state, 256 + FAL_NVME_READ_REQUEST);
    payload[0] = 0x16;
    look(64, false);
    ck_assert_int_eq((int)back.state, FAL_ULP_RESERVED);
    only_issue(FAL_ERROR, "reserved-code", "NVME-8.1.3-07", 100);
}
END_TEST

/* ---- what is neither ---- */

START_TEST(a_testers_payload_stays_payload_without_a_word)
{
    static const uint8_t plain[] =
        "TALN\0\0\0\0\0\0\0\1\0\0\0\0 and then any bytes, many of them";

    for (unsigned protocol = 0; protocol < 8; protocol++) {
        for (unsigned type = 0; type < 16; type++) {
            packet = (struct fal_falcon){.protocol_type = (uint8_t)protocol,
                                         .packet_type = (uint8_t)type};
            memset(payload, 0, sizeof payload);
            for (size_t len = 0; len < 80; len++) {
                look(len, false);
                ck_assert_int_ne((int)back.state, FAL_ULP_READ);
                ck_assert_uint_eq(issues.count, 0);
            }
            memcpy(payload, plain, sizeof plain);
            for (size_t len = 0; len < sizeof plain; len++) {
                look(len, false);
                ck_assert_int_ne((int)back.state, FAL_ULP_READ);
                ck_assert_uint_eq(issues.count, 0);
            }
        }
    }
}
END_TEST

START_TEST(other_packets_and_protocols_carry_nothing_that_is_read)
{
    size_t len = draw_opcode(4);

    for (unsigned type = 0; type < 16; type++) {
        bool carries =
            type == FAL_PULL_REQUEST || type == FAL_PULL_DATA || type == FAL_PUSH_DATA;

        packet.packet_type = (uint8_t)type;
        for (unsigned protocol = 0; protocol < 8; protocol++) {
            packet.protocol_type = (uint8_t)protocol;
            look(len, false);
            if (!carries || (protocol != 2 && protocol != 3))
                ck_assert_int_eq((int)back.state, FAL_ULP_NONE);
            ck_assert(issues.count == 0 || carries);
        }
    }
}
END_TEST

/* Bytes of two faults or more are not the protocol: at most a note. */
START_TEST(foreign_bytes_get_at_most_a_note)
{
    size_t len = draw_opcode(4);

    payload[0] = 0x2f; /* version and reserved bits */
    look(len, false);
    ck_assert_int_eq((int)back.state, FAL_ULP_UNKNOWN);
    ck_assert_uint_eq(issues.count, 0);
    payload[0] = 0x1f; /* reserved bits and opcode */
    payload[3] = 17;
    look(len, false);
    ck_assert_int_eq((int)back.state, FAL_ULP_UNKNOWN);
    only_issue(FAL_NOTE, "unknown-payload", NULL, 100);
}
END_TEST

/* Any bytes: nothing beyond the end is read (the sanitizer sees to that), and what is read is
 * written back as it was. */
START_TEST(random_bytes_are_read_and_written_back)
{
    uint64_t seed = test_seed(22), state = seed;
    unsigned long reads = 0;

    for (unsigned long round = 0; round < test_rounds(200000); round++) {
        size_t len = test_random(&state) % 100;
        uint8_t *heap = malloc(len > 0 ? len : 1), out[PAYLOAD_MAX];
        char text[FAL_ULP_TEXT_MAX];

        ck_assert_ptr_nonnull(heap);
        test_random_bytes(&state, heap, len);
        if (len > 4 && round % 4 != 0) { /* most of them similar to valid ones */
            heap[0] = (uint8_t)(0x10 | (heap[0] & (round % 2 ? 7 : 0)));
            heap[1] = heap[2] = 0;
        }
        packet.protocol_type = 2 + round % 2;
        packet.packet_type = (uint8_t)(test_random(&state) % 6);
        memset(&issues, 0, sizeof issues);
        fal_ulp_decode(&packet, heap, len, &back);
        fal_ulp_lint(&packet, &back, &(struct fal_ulp_bytes){heap, len, false, 0}, &issues);
        ck_assert_uint_lt(fal_ulp_text(&back, text, sizeof text), sizeof text);
        if (back.state == FAL_ULP_READ) {
            reads++;
            ck_assert_int_eq(fal_ulp_encode(&back, out, sizeof out, NULL),
                             (int)back.size_bytes);
            ck_assert_msg(memcmp(out, heap, back.size_bytes) == 0, "TALON_SEED=%llu",
                          (unsigned long long)seed);
        } else {
            ck_assert_int_eq(fal_ulp_encode(&back, out, sizeof out, NULL), FAL_ERR_TYPE);
        }
        free(heap);
    }
    ck_assert_uint_gt(reads, 100);
}
END_TEST

/* ---- forms ---- */

START_TEST(the_line_of_a_packet)
{
    char text[FAL_ULP_TEXT_MAX], small[12];
    size_t len;

    memset(&ulp, 0, sizeof ulp);
    ulp.state = FAL_ULP_READ;
    ulp.protocol = FAL_PROTOCOL_RDMA;
    ulp.rdma.rbth =
        (struct fal_rbth){.version = 1, .opcode = 10, .dest_qp = 7, .sequence_number = 1};
    ulp.rdma.reth = (struct fal_reth){.virtual_address = 0x1000, .r_key = 5, .length = 64};
    len = fal_ulp_text(&ulp, text, sizeof text);
    ck_assert_str_eq(text,
                     "rdma write_only dqp=7 sn=1 reth.va=0x1000 reth.rkey=5 reth.length=64");
    ck_assert_uint_eq(len, strlen(text));
    ulp.rdma.rbth.version = 2;
    ulp.rdma.rbth.pad = 1;
    ulp.rdma.rbth.reserved_2 = 3;
    (void)fal_ulp_text(&ulp, text, sizeof text);
    ck_assert_int_eq(strncmp(text, "rdma write_only version=2 pad=1 dqp=7 reserved_2=3 ", 51),
                     0);
    len = fal_ulp_text(&ulp, small, sizeof small);
    ck_assert_str_eq(small, "rdma write_");
    ck_assert_uint_eq(len, strlen(text));
    ulp.protocol = FAL_PROTOCOL_NVME;
    ulp.nvme = (struct fal_nvme){.version = 1, .packet_type = 5, .cqe_status = 9};
    (void)fal_ulp_text(&ulp, text, sizeof text);
    ck_assert_str_eq(text,
                     "nvme read_response ifn=0 ttag=0 total=0 itag=0 ncmd=0 icmd=0 status=9");
    ulp.state = FAL_ULP_SHORT;
    ck_assert_uint_eq(fal_ulp_text(&ulp, text, sizeof text), 0);
    ck_assert_str_eq(text, "");
}
END_TEST

static void check_json(uint64_t *state, unsigned i, size_t len)
{
    struct fal_frame frame, again;
    uint8_t bytes[PAYLOAD_MAX], storage[2 * PAYLOAD_MAX], out[PAYLOAD_MAX];
    struct fal_error err = {{0}};
    const char *name = i >= 256 ? "nvme" : "rdma";
    unsigned keep;
    json_t *json, *layers;
    int n, m;

    (void)state;
    memset(&frame, 0, sizeof frame);
    fal_falcon_init(&frame.falcon, (enum fal_packet_type)packet.packet_type);
    frame.falcon.protocol_type = packet.protocol_type;
    frame.falcon.request_length = packet.request_length;
    frame.payload = (struct fal_span){payload, len};
    fal_frame_encapsulate(&frame, FAL_ENCAP_BARE, 4);
    n = fal_frame_encode(&frame, NULL, 0, bytes, sizeof bytes, NULL);
    ck_assert_int_gt(n, 0);
    ck_assert_int_eq(fal_frame_decode(&(struct fal_captured){bytes, (size_t)n, (size_t)n,
                                                             FAL_LINKTYPE_USER0},
                                      NULL, NULL, &frame),
                     0);
    json = fal_json_frame(&frame);
    layers = json_object_get(json, "layers");
    ck_assert_uint_eq(json_array_size(layers), 2);
    ck_assert_str_eq(json_string_value(json_array_get(layers, 1)), name);
    ck_assert(json_is_object(json_object_get(json, name)));
    ck_assert_int_eq(json_integer_value(json_object_get(json, "payload_len")),
                     (json_int_t)(len - ulp.size_bytes));
    ck_assert_msg(fal_json_read_frame(json, FAL_ENCAP_BARE, &again,
                                      (struct fal_json_storage){storage, sizeof storage}, &keep,
                                      &err) == 0,
                  "%s", err.text);
    ck_assert_int_eq((int)again.ulp.state, FAL_ULP_READ);
    m = fal_frame_encode(&again, NULL, keep, out, sizeof out, NULL);
    ck_assert_int_eq(m, n);
    ck_assert_mem_eq(out, bytes, (size_t)n);
    json_decref(json);
}

START_TEST(json_of_every_kind_round_trips)
{
    each_kind(check_json);
}
END_TEST

static const struct {
    const char *json, *error;
} wrong[] = {
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"rdma\": 3}", "rdma: not an object"},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"rdma\": {\"rbth\": 3}}",
     "rdma.rbth: not an object of fields"},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"rdma\": {\"rbth\": {\"opcode\": 17}}}",
     "rdma.rbth.opcode: 17 is reserved"},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"rdma\": {\"rbth\": {\"opcode\": 256}}}",
     "rdma.rbth.opcode: 256 does not fit in 8 bits"},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"rdma\": {\"reth\": {}}}",
     "rdma.reth: a send_only has no such header"},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"rdma\": {\"seth\": {\"nrsm\": 1}}}",
     "rdma.seth.nrsm: seth has no such field"},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"nvme\": {\"packet_type\": 7}}",
     "nvme.packet_type: 7 is reserved"},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"nvme\": {}, \"rdma\": {}}",
     "nvme: a packet is of RDMA or of NVMe"},
    {"{\"raw\": \"00\", \"rdma\": {}}", "rdma: there is no falcon layer"},
    {"{\"layers\": [\"falcon\"], \"falcon\": {\"packet_type\": \"push_data\"}, \"rdma\": {}}",
     "rdma: is not among the packet's layers"},
    {"{\"layers\": [\"falcon\", \"rdma\"], \"falcon\": {\"packet_type\": \"push_data\"}}",
     "rdma: the layer is missing"},
    {"{\"layers\": [\"rdma\", \"falcon\"], \"falcon\": {\"packet_type\": \"push_data\"}}",
     "layers: 'rdma' stands in no falcon layer"},
};

START_TEST(json_that_is_wrong_is_named)
{
    static uint8_t storage[PAYLOAD_MAX];
    struct fal_frame frame = {0};
    struct fal_error err = {{0}};
    json_t *json = json_loads(wrong[_i].json, 0, NULL);
    unsigned keep;

    ck_assert_ptr_nonnull(json);
    ck_assert_int_ne(fal_json_read_frame(json, FAL_ENCAP_BARE, &frame,
                                         (struct fal_json_storage){storage, sizeof storage},
                                         &keep, &err),
                     0);
    ck_assert_msg(strncmp(err.text, wrong[_i].error, strlen(wrong[_i].error)) == 0, "%s",
                  err.text);
    json_decref(json);
}
END_TEST

/* Lines by hand: what they leave open is filled in so that nothing is wrong with the packet. */
static const struct {
    const char *json;
    size_t len; /* of the payload, headers included */
} by_hand[] = {
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"rdma\": {}}", 20},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"rdma\": {\"rbth\": {\"opcode\": \"write_only\"}}, \"payload_len\": 64}",
     92},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"rdma\": {\"rbth\": {\"opcode\": "
     "\"write_first\", \"pad\": 2}}, \"payload\": \"01020000\", \"trailer\": \"\"}",
     32},
    {"{\"falcon\": {\"packet_type\": \"pull_request\", \"request_length\": 536}, \"rdma\": {\"rbth\": {\"opcode\": 12}}}",
     44},
    {"{\"falcon\": {\"packet_type\": \"pull_request\"}, \"rdma\": {\"rbth\": {\"opcode\": 12}, \"reth\": {\"length\": 511}}}",
     44},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"nvme\": {\"packet_type\": "
     "\"read_request\", \"slba\": \"0x0000000100000002\"}}",
     64},
};

START_TEST(json_by_hand_is_completed)
{
    static uint8_t storage[PAYLOAD_MAX], bytes[PAYLOAD_MAX];
    struct fal_frame frame = {0};
    struct fal_error err = {{0}};
    json_t *json = json_loads(by_hand[_i].json, 0, NULL);
    unsigned keep;
    int n;

    ck_assert_ptr_nonnull(json);
    ck_assert_msg(fal_json_read_frame(json, FAL_ENCAP_BARE, &frame,
                                      (struct fal_json_storage){storage, sizeof storage}, &keep,
                                      &err) == 0,
                  "%s", err.text);
    ck_assert_uint_eq(frame.payload.len, by_hand[_i].len);
    n = fal_frame_encode(&frame, NULL, keep, bytes, sizeof bytes, NULL);
    ck_assert_int_gt(n, 0);
    FAL_IGNORE(fal_frame_decode(
        &(struct fal_captured){bytes, (size_t)n, (size_t)n, FAL_LINKTYPE_USER0}, NULL, NULL,
        &frame));
    ck_assert_int_eq((int)frame.ulp.state, FAL_ULP_READ);
    ck_assert_msg(frame.issues.count == 0, "%s", frame.issues.list[0].code);
    json_decref(json);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ulp");
    TCase *tcase = tcase_create("ulp");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, RDMA_8_1_3_02_to_25_opcodes, 0,
                        sizeof opcodes / sizeof *opcodes);
    tcase_add_test(tcase, RDMA_8_1_3_26_27_all_others_are_reserved);
    tcase_add_test(tcase, NVME_8_1_3_01_to_07_packet_types);
    tcase_add_test(tcase, lawful_packets_are_read_written_and_right);
    tcase_add_test(tcase,
                   RDMA_6_7_06_09_8_2_01_8_3_6_01_8_3_9_02_NVME_8_2_01_headers_are_missing);
    tcase_add_test(tcase, RDMA_8_1_3_NVME_8_1_3_version_and_falcon_packet);
    tcase_add_test(tcase,
                   RDMA_8_2_03_07_11_8_3_9_01_8_3_10_03_NVME_8_2_05_14_reserved_bits_warn);
    tcase_add_test(tcase, RDMA_8_1_3_26_27_01_a_reserved_opcode);
    tcase_add_test(tcase, RDMA_8_2_05_pad);
    tcase_add_test(tcase, RDMA_8_3_1_04_length_of_a_write);
    tcase_add_test(tcase, RDMA_8_3_1_04_6_7_14_a_read_request);
    tcase_add_test(tcase, RDMA_8_2_04_an_answer_of_error_may_lack_headers);
    tcase_add_test(tcase, NVME_8_3_01_8_5_01_8_6_01_8_8_01_nothing_follows);
    tcase_add_test(tcase, NVME_8_4_06_8_6_02_8_7_04_8_2_06_lengths_and_inv);
    tcase_add_test(tcase, a_testers_payload_stays_payload_without_a_word);
    tcase_add_test(tcase, other_packets_and_protocols_carry_nothing_that_is_read);
    tcase_add_test(tcase, foreign_bytes_get_at_most_a_note);
    tcase_add_test(tcase, random_bytes_are_read_and_written_back);
    tcase_add_test(tcase, the_line_of_a_packet);
    tcase_add_test(tcase, json_of_every_kind_round_trips);
    tcase_add_loop_test(tcase, json_that_is_wrong_is_named, 0, sizeof wrong / sizeof *wrong);
    tcase_add_loop_test(tcase, json_by_hand_is_completed, 0, sizeof by_hand / sizeof *by_hand);
    suite_add_tcase(suite, tcase);
    return suite;
}
