/* SPDX-License-Identifier: Apache-2.0
 * Decoding of frames: golden frames written by hand, other protocols, wrong lengths and
 * checksums, PSP sealed, opened and damaged. */
#include "codecs/frame/frame_check_test.h"

/* ---- golden frames: RFC 791, 768, 8200, PSP and chapter 7 by hand, checksums too ---- */

/* clang-format off */
/* The UDP payload is the known answer "gcm128-transport-back" of tests/data/psp-vectors.json. */
static const uint8_t psp_ipv4[] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00,
    0x45, 0x00, 0x00, 0x5c, 0x00, 0x00, 0x00, 0x00, 0x40, 0x11, 0x66, 0x8f, /* 92 bytes */
    0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x02,
    0xc0, 0x00, 0x03, 0xe8, /* 49152 to 1000 */
    0x00, 0x48, 0x00, 0x00, /* 72 bytes, no checksum */
    0xfc, 0x01, 0x01, 0x01, /* next header 252, 1; crypt offset 1; version 0, 1 */
    0x00, 0x00, 0x00, 0x01, /* SPI */
    0x27, 0x54, 0xc3, 0xbd, 0xf3, 0x76, 0xbc, 0x25, /* IV */
    0x10, 0x0a, 0x0b, 0x0c, /* in the clear: version 1, CID 0a0b0c */
    0x70, 0xad, 0x33, 0x1a, 0x97, 0xc4, 0x03, 0xea, 0xcb, 0x58, 0xfa, 0xd1, 0x62, 0x02, 0xbc, 0xa3,
    0x54, 0xd5, 0xf6, 0x5d, 0x89, 0xc9, 0x6f, 0x9e, 0x90, 0x23, 0xcf, 0xf8,
    0x08, 0x22, 0x5d, 0x22, 0x79, 0x0f, 0x6e, 0x46, 0xfd, 0x3b, 0xc4, 0xe5, 0x15, 0x1d, 0x15, 0x58,
};

static const uint8_t nack_bare[] = {
    0x10, 0x00, 0x00, 0x11, /* version 1, CID 17 */
    0x00, 0x00, 0x00, 0x10, /* type 1000 */
    0x00, 0x00, 0x00, 0x64,
    0x00, 0x00, 0x00, 0xc8,
    0x00, 0x00, 0x00, 0x07,
    0x00, 0x00, 0x08, 0x32,
    0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x2a, /* RUE 42 */
    0x00, 0x00, 0x01, 0x2c, /* PSN 300 */
    0x02, 0x1f, 0x80, 0x5a, /* RNR, timeout 31, request window, ULP code 90 */
};
/* clang-format on */

START_TEST(golden_push_over_ipv4)
{
    for (int raw_ip = 0; raw_ip < 2; raw_ip++) { /* with Ethernet, and link type raw IP */
        size_t skip = raw_ip ? ETH : 0;

        decode_as(push_ipv4 + skip, sizeof push_ipv4 - skip, sizeof push_ipv4 - skip,
                  raw_ip ? FAL_LINKTYPE_RAW : FAL_LINKTYPE_ETHERNET, NULL);
        layers_are(raw_ip ? "ipv4 20, udp 8, falcon 28" : "eth 14, ipv4 20, udp 8, falcon 28");
        issues_are("");
        if (!raw_ip) {
            ck_assert_uint_eq(frame.eth.dst, 0x020000000002);
            ck_assert_uint_eq(frame.eth.src, 0x020000000001);
        }
        ck_assert_uint_eq(frame.ipv4.dscp, 46);
        ck_assert_uint_eq(frame.ipv4.ecn, 1);
        ck_assert_uint_eq(frame.ipv4.total_length, 60);
        ck_assert_uint_eq(frame.ipv4.dont_fragment, 1);
        ck_assert_uint_eq(frame.ipv4.src, 0x0a000001);
        ck_assert_uint_eq(frame.udp.src_port, 49152);
        ck_assert_uint_eq(frame.udp.length, 40);
        ck_assert_uint_eq(frame.falcon.packet_type, FAL_PUSH_DATA);
        ck_assert_uint_eq(frame.falcon.dest_cid, 17);
        ck_assert_uint_eq(frame.falcon.ack_req, 1);
        ck_assert_uint_eq(frame.falcon.psn, 300);
        ck_assert_uint_eq(frame.falcon.rsn, 400);
        ck_assert_uint_eq(frame.falcon.request_length, 4);
        ck_assert_uint_eq(frame.payload.len, 4);
        ck_assert_mem_eq(frame.payload.bytes, "\xde\xad\xbe\xef", 4);
        ck_assert_uint_eq(frame.trailer.len, 0);
        ck_assert(!frame.damaged && !frame.truncated && !frame.unauthenticated);
        ck_assert_int_eq(frame.psp_state, FAL_PSP_NONE);
    }
}
END_TEST

START_TEST(golden_back_over_ipv6)
{
    decode(back_ipv6, sizeof back_ipv6, false);
    layers_are("eth 14, ipv6 40, udp 8, falcon 32");
    issues_are("");
    ck_assert_uint_eq(frame.ipv6.ecn, 2);
    ck_assert_uint_eq(frame.ipv6.flow_label, 0x12345);
    ck_assert_uint_eq(fal_u128_hi(frame.ipv6.src), UINT64_C(0xfd00) << 48);
    ck_assert_uint_eq(fal_u128_lo(frame.ipv6.dst), 2);
    ck_assert_uint_eq(frame.falcon.packet_type, FAL_BACK);
    ck_assert_uint_eq(frame.falcon.t2, 0x832);
    ck_assert_uint_eq(frame.falcon.hop_count, 3);
    ck_assert_uint_eq(frame.falcon.rx_buffer_occupancy, 4);
    ck_assert_uint_eq(frame.falcon.ecn_rx_count, 5);
    ck_assert_uint_eq(frame.falcon.rue_info, 6);
    ck_assert_uint_eq(frame.payload.len, 0);
}
END_TEST

START_TEST(golden_nack_bare)
{
    decode_as(nack_bare, sizeof nack_bare, sizeof nack_bare, FAL_LINKTYPE_USER0, NULL);
    layers_are("falcon 40");
    issues_are("");
    ck_assert_uint_eq(frame.falcon.nack_psn, 300);
    ck_assert_uint_eq(frame.falcon.nack_code, FAL_NACK_RNR);
    ck_assert_uint_eq(frame.falcon.rnr_timeout, 31);
    ck_assert_uint_eq(frame.falcon.window, FAL_WINDOW_REQ);
    ck_assert_uint_eq(frame.falcon.ulp_nack_code, 90);
}
END_TEST

START_TEST(FTP_7_1_01_02_03_golden_psp)
{
    decode(psp_ipv4, sizeof psp_ipv4, true);
    layers_are("eth 14, ipv4 20, udp 8, psp 16, falcon 32");
    issues_are("");
    ck_assert_int_eq(frame.psp_state, FAL_PSP_GOOD);
    ck_assert_uint_eq(frame.psp.next_header, 252);
    ck_assert_uint_eq(frame.psp.spi, 1);
    ck_assert_uint_eq(frame.psp.iv, 0x2754c3bdf376bc25);
    ck_assert_uint_eq(frame.falcon.packet_type, FAL_BACK);
    ck_assert_uint_eq(frame.falcon.dest_cid, 0x0a0b0c);
    ck_assert_uint_eq(frame.falcon.recv_data_base_psn, 100);
    ck_assert_uint_eq(frame.psp_icv.len, 16);
    ck_assert_ptr_eq(frame.psp_icv.bytes, copy + sizeof psp_ipv4 - 16);
    ck_assert(!frame.unauthenticated);
}
END_TEST

START_TEST(an_unknown_link_type_is_said)
{
    ck_assert_int_eq(fal_frame_decode(&(struct fal_captured){push_ipv4, sizeof push_ipv4,
                                                             sizeof push_ipv4, 114},
                                      NULL, scratch, &frame),
                     FAL_ERR_TYPE);
    ck_assert_uint_eq(frame.num_layers, 0);
    ck_assert_uint_eq(frame.issues.count, 0);
}
END_TEST

/* ---- ports ---- */

START_TEST(ports_choose)
{
    static const struct {
        uint16_t src, dst, option;
        const char *layers;
    } rows[] = {
        {49152, 7777, 0, "eth 14, ipv4 20, udp 8, falcon 28"},
        {7777, 49152, 0, "eth 14, ipv4 20, udp 8, falcon 28"},
        {49152, 7778, 0, "eth 14, ipv4 20, udp 8, raw 32"},
        {49152, 7778, 7778, "eth 14, ipv4 20, udp 8, falcon 28"},
        {7778, 49152, 7778, "eth 14, ipv4 20, udp 8, falcon 28"},
        {49152, 7777, 7778, "eth 14, ipv4 20, udp 8, raw 32"},
        {49152, 1000, 1000, "eth 14, ipv4 20, udp 8, falcon 28"}, /* the user's word goes */
        {1000, 49152, 0, "eth 14, ipv4 20, udp 8, raw 32"}, /* PSP goes by destination only */
        {7777, 1000, 0, "eth 14, ipv4 20, udp 8, psp 16, raw 16"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fal_frame_options options = {.falcon_port = rows[i].option,
                                                  .no_lint = true};
        uint8_t bytes[sizeof push_ipv4];

        memcpy(bytes, push_ipv4, sizeof bytes);
        fal_bits_set(bytes + IP4, 0, 16, rows[i].src);
        fal_bits_set(bytes + IP4, 16, 16, rows[i].dst);
        decode_as(bytes, sizeof bytes, sizeof bytes, FAL_LINKTYPE_ETHERNET, &options);
        layers_are(rows[i].layers);
    }
}
END_TEST

/* ---- what is none of ours ---- */

START_TEST(other_traffic_is_raw_and_silent)
{
    static const struct {
        size_t at;
        uint8_t byte;
        const char *layers;
    } rows[] = {
        {13, 0x06, "eth 14, raw 60"},              /* ARP */
        {12, 0x05, "eth 14, raw 60"},              /* 802.3 with a length */
        {ETH + 9, 6, "eth 14, ipv4 20, raw 40"},   /* TCP */
        {ETH + 9, 252, "eth 14, ipv4 20, raw 40"}, /* Falcon without UDP is no encapsulation */
        {IP4 + 2, 0x35, "eth 14, ipv4 20, udp 8, raw 32"}, /* another port */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[sizeof push_ipv4];

        memcpy(bytes, push_ipv4, sizeof bytes);
        bytes[rows[i].at] = rows[i].byte;
        bytes[ETH + 10] ^= 0x55; /* their checksums are not looked into */
        bytes[IP4 + 6] ^= 0x55;
        decode(bytes, sizeof bytes, false);
        layers_are(rows[i].layers);
        issues_are("");
        ck_assert(!frame.damaged);
        ck_assert_uint_eq(frame.raw.len, frame.layers[frame.num_layers - 1].len);
        ck_assert_ptr_eq(frame.raw.bytes, copy + sizeof bytes - frame.raw.len);
    }
}
END_TEST

START_TEST(nothing_at_all_is_raw)
{
    decode(push_ipv4, 0, false);
    layers_are("raw 0");
    issues_are("error header-too-short");
    ck_assert(frame.damaged);
    decode_as(push_ipv4, 0, 74, FAL_LINKTYPE_ETHERNET, NULL);
    layers_are("raw 0");
    issues_are("note captured-short");
    ck_assert(!frame.damaged);
    decode_as(push_ipv4, 0, 0, FAL_LINKTYPE_RAW, NULL);
    layers_are("raw 0");
    decode_as(push_ipv4, 0, 0, FAL_LINKTYPE_USER0, NULL);
    layers_are("raw 0");
    issues_are("error packet-too-short");
    decode_as((const uint8_t[]){0x50, 0}, 2, 2, FAL_LINKTYPE_RAW, NULL);
    layers_are("raw 2");
    issues_are("");
}
END_TEST

/* ---- options, padding ---- */

START_TEST(options_of_ipv4_are_kept)
{
    uint8_t bytes[sizeof push_ipv4 + 8];

    memcpy(bytes, push_ipv4, IP4);
    memset(bytes + IP4, 1, 8); /* no operation */
    memcpy(bytes + IP4 + 8, push_ipv4 + IP4, sizeof push_ipv4 - IP4);
    bytes[ETH] = 0x47;
    bytes[ETH + 3] = 68;
    fal_bits_set(bytes + ETH, 80, 16,
                 0x13c2 - 0x0208 - 4 * 0x0101); /* as ihl, length, options */
    decode(bytes, sizeof bytes, false);
    layers_are("eth 14, ipv4 28, udp 8, falcon 28");
    issues_are("");
    ck_assert_uint_eq(frame.ipv4_options.len, 8);
    ck_assert_ptr_eq(frame.ipv4_options.bytes, copy + IP4);
}
END_TEST

START_TEST(padding_is_trailer)
{
    uint8_t bytes[sizeof push_ipv4 + 9];

    memcpy(bytes, push_ipv4, sizeof push_ipv4);
    memset(bytes + sizeof push_ipv4, 0xaa, 9);
    decode(bytes, sizeof bytes, false);
    layers_are("eth 14, ipv4 20, udp 8, falcon 28");
    issues_are("");
    ck_assert_uint_eq(frame.trailer.len, 9);
    ck_assert_ptr_eq(frame.trailer.bytes, copy + sizeof push_ipv4);
    ck_assert_uint_eq(frame.payload.len, 4);
}
END_TEST

/* ---- lengths and checksums that lie ---- */

static const struct fal_issue *issue_is(const char *code, const char *layer, const char *field,
                                        uint32_t offset, const char *requirement)
{
    const struct fal_issue *issue = &frame.issues.list[0];

    ck_assert_uint_eq(frame.issues.count, 1);
    ck_assert_str_eq(issue->code, code);
    ck_assert_str_eq(issue->layer, layer);
    ck_assert_str_eq(issue->field, field);
    ck_assert_uint_eq(issue->offset, offset);
    ck_assert_str_eq(issue->requirement, requirement);
    ck_assert_int_eq(issue->severity, FAL_ERROR);
    ck_assert(frame.damaged);
    return issue;
}

START_TEST(FTP_9_2_2_1_03_ipv4_header_checksum)
{
    uint8_t bytes[sizeof push_ipv4];
    const struct fal_issue *issue;

    for (size_t bit = 0; bit < 160; bit++) {
        size_t at = bit / 8;

        if (at == 0 || at == 2 || at == 3 || at == 6 || at == 7 || at == 9 || at >= 12)
            continue; /* other lies; addresses break the UDP checksum too */
        memcpy(bytes, push_ipv4, sizeof bytes);
        bytes[ETH + at] ^= (uint8_t)(0x80 >> bit % 8);
        decode(bytes, sizeof bytes, false);
        layers_are("eth 14, ipv4 20, udp 8, falcon 28");
        issue = issue_is("bad-checksum", "ipv4", "header_checksum", ETH + 10, "FTP-9.2.2.1-03");
        ck_assert_uint_eq(fal_u128_lo(issue->seen), fal_bits_get(bytes + ETH, 80, 16));
        if (at == 10 || at == 11)
            ck_assert_uint_eq(fal_u128_lo(issue->due), 0x13c2);
    }
}
END_TEST

/* The lint checks the headers that carry the packet, and not the packet. */
START_TEST(without_content_only_the_carrier_is_linted)
{
    const struct fal_frame_options no_content = {.no_content = true};
    uint8_t bytes[sizeof push_ipv4];

    memcpy(bytes, push_ipv4, sizeof bytes);
    bytes[IP4 + 8] ^= 0x10; /* the version */
    decode_as(bytes, sizeof bytes, sizeof bytes, FAL_LINKTYPE_ETHERNET, &no_content);
    ck_assert_uint_eq(frame.issues.count, 1);
    ck_assert_str_eq(frame.issues.list[0].code, "bad-checksum");
    ck_assert(frame.damaged);
    bytes[IP4 + 6] = bytes[IP4 + 7] = 0; /* no checksum */
    decode(bytes, sizeof bytes, false);
    ck_assert_uint_gt(frame.issues.count, 0);
    decode_as(bytes, sizeof bytes, sizeof bytes, FAL_LINKTYPE_ETHERNET, &no_content);
    issues_are("");
    ck_assert(!frame.damaged);
    ck_assert(fal_frame_has(&frame, FAL_LAYER_FALCON));
    ck_assert_uint_ne(frame.falcon.version, 1);
    ck_assert_int_eq(frame.ulp.state, FAL_ULP_NONE);
}
END_TEST

START_TEST(FTP_9_2_2_1_03_udp_checksum_covers_every_bit)
{
    uint8_t bytes[sizeof back_ipv6];
    const struct fal_frame_options no_lint = {.no_lint = true};
    bool seen_due = false;

    for (size_t at = IP4 + 6; at < sizeof push_ipv4; at++) { /* ports and length apart */
        memcpy(bytes, push_ipv4, sizeof push_ipv4);
        bytes[at] ^= 0x10;
        decode(bytes, sizeof push_ipv4, false);
        ck_assert_str_eq(frame.issues.list[0].code, "bad-checksum");
        ck_assert_str_eq(frame.issues.list[0].layer, "udp");
        ck_assert_uint_eq(frame.issues.list[0].offset, IP4 + 6);
        ck_assert(frame.damaged);
        if (at < IP4 + 8) {
            ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].due), 0x5a54);
            seen_due = true;
        }
        decode_as(bytes, sizeof push_ipv4, sizeof push_ipv4, FAL_LINKTYPE_ETHERNET, &no_lint);
        issues_are("");
        ck_assert(!frame.damaged);
    }
    ck_assert(seen_due);
    for (size_t at = ETH + 8; at < sizeof back_ipv6; at++) { /* the addresses too */
        if (at >= IP6 && at < IP6 + 6)
            continue;
        memcpy(bytes, back_ipv6, sizeof bytes);
        bytes[at] ^= 0x10;
        decode(bytes, sizeof bytes, false);
        ck_assert_uint_ge(frame.issues.count, 1);
        ck_assert_str_eq(frame.issues.list[0].code, "bad-checksum");
    }
}
END_TEST

START_TEST(a_zero_udp_checksum_is_legal_over_ipv4_and_for_psp)
{
    uint8_t bytes[sizeof back_ipv6];

    memcpy(bytes, push_ipv4, sizeof push_ipv4);
    bytes[IP4 + 6] = bytes[IP4 + 7] = 0;
    decode(bytes, sizeof push_ipv4, false);
    issues_are("");

    memcpy(bytes, back_ipv6, sizeof back_ipv6);
    bytes[IP6 + 6] = bytes[IP6 + 7] = 0;
    decode(bytes, sizeof back_ipv6, false);
    issues_are("error no-checksum");
    ck_assert_str_eq(frame.issues.list[0].requirement, "FTP-9.2.2.1-03");
    ck_assert_uint_eq(frame.issues.list[0].offset, IP6 + 6);
    fal_bits_set(bytes + IP6, 16, 16, FAL_UDP_PORT_PSP);
    decode(bytes, sizeof back_ipv6, false);
    for (size_t i = 0; i < frame.issues.count; i++)
        ck_assert_str_ne(frame.issues.list[i].code, "no-checksum");
}
END_TEST

START_TEST(FTP_9_2_2_1_04_udp_length_is_what_ip_carries)
{
    for (unsigned length = 0; length < 60; length++) {
        uint8_t bytes[sizeof push_ipv4 + 3] = {0};

        memcpy(bytes, push_ipv4, sizeof push_ipv4);
        bytes[IP4 + 5] = (uint8_t)length;
        bytes[IP4 + 6] = bytes[IP4 + 7] = 0;
        decode(bytes, sizeof bytes, false);
        if (length == 40) {
            issues_are("");
            continue;
        }
        ck_assert(frame.damaged);
        if (length < 8) {
            layers_are("eth 14, ipv4 20, udp 8, raw 32");
            issue_is("bad-header", "udp", "length", IP4 + 4, "FTP-9.2.2.1-01");
            continue;
        }
        ck_assert_str_eq(frame.issues.list[0].code, "bad-udp-length");
        ck_assert_str_eq(frame.issues.list[0].requirement, "FTP-9.2.2.1-04");
        ck_assert_uint_eq(frame.issues.list[0].offset, IP4 + 4);
        ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].seen), length);
        ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].due), 40);
        ck_assert_uint_eq(frame.trailer.len, length > 40 ? 3 : 3 + 40 - length);
    }
}
END_TEST

START_TEST(an_ip_length_beyond_the_frame)
{
    uint8_t bytes[sizeof back_ipv6];
    const struct fal_issue *issue;

    memcpy(bytes, push_ipv4, sizeof push_ipv4);
    bytes[ETH + 3]++;
    bytes[ETH + 11]--; /* its checksum is right */
    decode(bytes, sizeof push_ipv4, false);
    layers_are("eth 14, ipv4 20, udp 8, falcon 28");
    issue = issue_is("bad-ip-length", "ipv4", "total_length", ETH + 2, "FTP-9.2.2.1-01");
    ck_assert_uint_eq(fal_u128_lo(issue->seen), 41);
    ck_assert_uint_eq(fal_u128_lo(issue->due), 40);
    /* Captured short, the wire had that byte; UDP then has one too few. */
    decode_as(bytes, sizeof push_ipv4, sizeof push_ipv4 + 1, FAL_LINKTYPE_ETHERNET, NULL);
    issues_are("error bad-udp-length");

    memcpy(bytes, back_ipv6, sizeof bytes);
    bytes[ETH + 5]++;
    decode(bytes, sizeof bytes, false);
    layers_are("eth 14, ipv6 40, udp 8, falcon 32");
    issue_is("bad-ip-length", "ipv6", "payload_length", ETH + 4, "FTP-9.2.2.1-01");
}
END_TEST

START_TEST(FTP_9_2_2_1_01_headers_that_contradict_themselves)
{
    static const struct {
        size_t at;
        const char *field, *layers;
        uint32_t offset;
        uint8_t byte;
    } rows[] = {
        {ETH, "version", "eth 14, ipv4 20, raw 40", ETH, 0x55},
        {ETH, "ihl", "eth 14, ipv4 20, raw 40", ETH, 0x44},
        {ETH, "ihl", "eth 14, ipv4 20, raw 40", ETH, 0x40},
        {ETH + 3, "total_length", "eth 14, ipv4 20, raw 40", ETH + 2, 19},
        {ETH + 3, "total_length", "eth 14, ipv4 20, raw 40", ETH + 2, 0},
    };
    uint8_t bytes[sizeof back_ipv6];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(bytes, push_ipv4, sizeof push_ipv4);
        bytes[rows[i].at] = rows[i].byte;
        decode(bytes, sizeof push_ipv4, false);
        layers_are(rows[i].layers);
        issue_is("bad-header", "ipv4", rows[i].field, rows[i].offset, "FTP-9.2.2.1-01");
    }
    memcpy(bytes, back_ipv6, sizeof bytes);
    bytes[ETH] = 0x40;
    decode(bytes, sizeof bytes, false);
    layers_are("eth 14, ipv6 40, raw 40");
    issue_is("bad-header", "ipv6", "version", ETH, "FTP-9.2.2.1-01");
}
END_TEST

/* ---- Falcon ---- */

START_TEST(a_packet_without_a_header_is_raw_with_its_first_words)
{
    uint8_t bytes[sizeof push_ipv4];

    memcpy(bytes, push_ipv4, sizeof bytes);
    bytes[UDP4 + 7] = 0x40 | 4 << 1; /* a reserved type */
    bytes[IP4 + 6] = bytes[IP4 + 7] = 0;
    decode(bytes, sizeof bytes, false);
    layers_are("eth 14, ipv4 20, udp 8, raw 32");
    issues_are("error reserved-code");
    ck_assert_uint_eq(frame.falcon.packet_type, 4);
    ck_assert_uint_eq(frame.falcon.dest_cid, 17);
    ck_assert(!frame.damaged); /* only the sender can have made it so */
}
END_TEST

START_TEST(lint_is_of_the_frame_and_can_be_left_out)
{
    const struct fal_frame_options no_lint = {.no_lint = true};
    uint8_t bytes[sizeof push_ipv4];

    memcpy(bytes, push_ipv4, sizeof bytes);
    bytes[UDP4] = 0x20;   /* version 2 */
    bytes[UDP4 + 27] = 5; /* request length */
    bytes[IP4 + 6] = bytes[IP4 + 7] = 0;
    bytes[ETH + 6] |= 0x80; /* the reserved bit of IPv4, outside of any Falcon requirement */
    bytes[ETH + 10] -= 0x80;
    decode(bytes, sizeof bytes, false);
    issues_are(
        "warning reserved-not-zero, error bad-checksum, error wrong-constant, error request-length-mismatch");
    ck_assert_str_eq(frame.issues.list[0].layer, "ipv4");
    ck_assert_ptr_null(frame.issues.list[0].requirement);
    ck_assert_uint_eq(frame.issues.list[2].offset, UDP4);
    ck_assert_uint_eq(frame.issues.list[3].offset, UDP4 + 26);
    decode_as(bytes, sizeof bytes, sizeof bytes, FAL_LINKTYPE_ETHERNET, &no_lint);
    issues_are("");
    layers_are("eth 14, ipv4 20, udp 8, falcon 28");
}
END_TEST

/* ---- PSP ---- */

enum { PSP = UDP4, INNER = UDP4 + 16 };

START_TEST(without_a_key_the_cid_is_all_there_is)
{
    for (int i = 0; i < 2; i++) {
        const struct fal_frame_options options = {.psp_keys = i ? keys : NULL};

        memset(&frame, 0, sizeof frame);
        ck_assert_int_eq(
            fal_frame_decode(&(struct fal_captured){psp_ipv4, sizeof psp_ipv4, sizeof psp_ipv4,
                                                    FAL_LINKTYPE_ETHERNET},
                             &options, NULL, &frame),
            0); /* no scratch: no opening */
        layers_are("eth 14, ipv4 20, udp 8, psp 16");
        issues_are("");
        ck_assert_int_eq(frame.psp_state, FAL_PSP_NO_KEY);
        ck_assert_uint_eq(frame.psp_clear.len, 4);
        ck_assert_mem_eq(frame.psp_clear.bytes, "\x10\x0a\x0b\x0c", 4);
        ck_assert_uint_eq(frame.payload.len, 28);
        ck_assert_ptr_eq(frame.payload.bytes, psp_ipv4 + INNER + 4);
        ck_assert_uint_eq(frame.psp_icv.len, 16);
        ck_assert(!frame.unauthenticated && !frame.damaged);
    }
}
END_TEST

/* Every bit that the tag covers: nothing beyond the PSP header is decoded. */
START_TEST(FTP_9_2_2_1_05_a_bad_icv_ends_the_reading)
{
    for (size_t bit = 0; bit < 8 * (sizeof psp_ipv4 - PSP); bit++) {
        uint8_t bytes[sizeof psp_ipv4];
        unsigned version;
        bool structural;

        memcpy(bytes, psp_ipv4, sizeof bytes);
        bytes[PSP + bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        version = bytes[PSP + 3] >> 2 & 15;
        /* hdr_ext_len, V and a crypt offset of 9 and more contradict the packet */
        structural =
            bytes[PSP + 1] != 1 || (bytes[PSP + 3] & 2) != 0 || (bytes[PSP + 2] & 63) > 8;
        decode(bytes, sizeof bytes, true);
        ck_assert(!fal_frame_has(&frame, FAL_LAYER_FALCON));
        if (version > 3) {
            ck_assert_int_eq(frame.psp_state, FAL_PSP_NO_KEY);
            continue;
        }
        ck_assert_int_eq(frame.psp_state, FAL_PSP_BAD);
        ck_assert(frame.damaged && !frame.unauthenticated);
        ck_assert_uint_ge(frame.issues.count, 1);
        ck_assert_str_eq(frame.issues.list[frame.issues.count - 1].code,
                         structural ? "bad-header" : "bad-icv");
        ck_assert_int_eq(fal_frame_has(&frame, FAL_LAYER_RAW), structural);
        if (!structural) {
            ck_assert_str_eq(frame.issues.list[frame.issues.count - 1].requirement,
                             "FTP-9.2.2.1-05");
            ck_assert_uint_eq(frame.issues.list[frame.issues.count - 1].offset,
                              sizeof psp_ipv4 - 16);
        }
    }
}
END_TEST

START_TEST(a_sealed_packet_cut_short_is_not_opened)
{
    const struct fal_frame_options options = {.psp_keys = keys};

    for (size_t caplen = INNER; caplen < sizeof psp_ipv4; caplen++) {
        size_t body = caplen - INNER;

        decode_as(psp_ipv4, caplen, sizeof psp_ipv4, FAL_LINKTYPE_ETHERNET, &options);
        layers_are("eth 14, ipv4 20, udp 8, psp 16");
        issues_are("");
        ck_assert_int_eq(frame.psp_state, FAL_PSP_TRUNCATED);
        ck_assert(frame.truncated && !frame.damaged);
        ck_assert_uint_eq(frame.psp_clear.len, body < 4 ? body : 4);
        ck_assert_uint_eq(frame.psp_icv.len, body < 32 ? 0 : body - 32);
    }
}
END_TEST

/* Seals `packet_type` in the lab's frame and decodes it, with or without keys. */
static uint8_t sealed[SAMPLE_MAX];

static size_t seal(unsigned version, bool vc, unsigned crypt_offset, unsigned next_header)
{
    struct fal_frame f;
    int n;

    memset(&f, 0, sizeof f);
    fal_falcon_init(&f.falcon, FAL_EACK);
    f.falcon.dest_cid = 0x123456;
    fal_frame_encapsulate(&f, FAL_ENCAP_PSP_TRANSPORT, 6);
    f.psp.version = (uint8_t)version;
    f.psp.v = vc;
    f.psp_vc.vc = UINT64_C(0xfedcba9876543210);
    f.psp.crypt_offset = (uint8_t)crypt_offset;
    f.psp.next_header = (uint8_t)next_header;
    n = fal_frame_encode(&f, keys, 0, sealed, sizeof sealed, NULL);
    ck_assert_int_eq(n, UDP6 + 16 + (vc ? 8 : 0) + 72 + 16);
    return (size_t)n;
}

/* GMAC hides nothing: without a key the packet is read, and marked. */
START_TEST(gmac_without_a_key_is_read_and_marked)
{
    for (unsigned version = 2; version < 4; version++) {
        for (int vc = 0; vc < 2; vc++) {
            size_t len = seal(version, vc, vc ? 3 : 1, 252);
            const struct fal_frame_options none = {.psp_keys = NULL};

            decode(sealed, len, false);
            layers_are(vc ? "eth 14, ipv6 40, udp 8, psp 24, falcon 72"
                          : "eth 14, ipv6 40, udp 8, psp 16, falcon 72");
            issues_are("");
            ck_assert_int_eq(frame.psp_state, FAL_PSP_NO_KEY);
            ck_assert(frame.unauthenticated);
            ck_assert_uint_eq(frame.falcon.dest_cid, 0x123456);
            ck_assert_uint_eq(frame.psp_clear.len, 0);
            if (vc)
                ck_assert_uint_eq(frame.psp_vc.vc, 0xfedcba9876543210);
            decode(sealed, len, true);
            ck_assert_int_eq(frame.psp_state, FAL_PSP_GOOD);
            ck_assert(!frame.unauthenticated);
            ck_assert_uint_eq(frame.falcon.dest_cid, 0x123456);
            decode_as(sealed, len - 20, len, FAL_LINKTYPE_ETHERNET, &none);
            ck_assert_int_eq(frame.psp_state, FAL_PSP_TRUNCATED);
            ck_assert(!fal_frame_has(&frame, FAL_LAYER_FALCON)); /* its header is not whole */
            issues_are("note captured-short");
            decode_as(sealed, len - 10, len, FAL_LINKTYPE_ETHERNET, &none);
            ck_assert(frame.unauthenticated && fal_frame_has(&frame, FAL_LAYER_FALCON));
            sealed[len - 1] ^= 1;
            decode(sealed, len, true);
            ck_assert_int_eq(frame.psp_state, FAL_PSP_BAD);
            ck_assert(!fal_frame_has(&frame, FAL_LAYER_FALCON) && !frame.unauthenticated);
        }
    }
}
END_TEST

START_TEST(FTP_7_1_03_crypt_offset_leaves_4_bytes)
{
    for (unsigned version = 0; version < 4; version++) {
        for (int vc = 0; vc < 2; vc++) {
            for (unsigned offset = 0; offset < 18; offset++) {
                size_t len = seal(version, vc, offset, 252), due = vc ? 3 : 1;

                for (int with_keys = 0; with_keys < 2; with_keys++) {
                    decode(sealed, len, with_keys);
                    issues_are(version > 1 || offset == due ? "" : "error wrong-crypt-offset");
                    if (frame.issues.count > 0) {
                        ck_assert_str_eq(frame.issues.list[0].requirement, "FTP-7.1-03");
                        ck_assert_uint_eq(frame.issues.list[0].offset, UDP6 + 2);
                        ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].seen), offset);
                        ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].due), due);
                    }
                    if (with_keys) {
                        ck_assert_int_eq(frame.psp_state, FAL_PSP_GOOD);
                        ck_assert_uint_eq(frame.falcon.dest_cid, 0x123456);
                        if (vc)
                            ck_assert_uint_eq(frame.psp_vc.vc, 0xfedcba9876543210);
                    }
                }
            }
        }
    }
}
END_TEST

/* A VC that is sealed too is not read before it is opened. */
START_TEST(a_sealed_vc_is_no_vc)
{
    size_t len = seal(0, true, 1, 252);

    decode(sealed, len, false);
    layers_are("eth 14, ipv6 40, udp 8, psp 16");
    ck_assert_uint_eq(frame.psp_vc.vc, 0);
    ck_assert_uint_eq(frame.psp_clear.len, 4);
    ck_assert_mem_eq(frame.psp_clear.bytes, "\xfe\xdc\xba\x98", 4); /* half of the VC */
    ck_assert_uint_eq(frame.payload.len, 4 + 72);
}
END_TEST

/* A clear cookie is no part of the bytes before the crypt offset, nor of the sealed bytes. */
START_TEST(a_vc_in_the_clear_is_read_without_a_key)
{
    size_t len = seal(0, true, 3, 252);
    const struct fal_frame_options none = {.psp_keys = NULL};

    decode(sealed, len, false);
    layers_are("eth 14, ipv6 40, udp 8, psp 24");
    ck_assert_uint_eq(frame.psp_vc.vc, 0xfedcba9876543210);
    ck_assert_uint_eq(frame.psp_clear.len, 4);
    ck_assert_mem_eq(frame.psp_clear.bytes, "\x10\x12\x34\x56", 4);
    ck_assert_uint_eq(frame.payload.len, 72 - 4);
    decode_as(sealed, UDP6 + 16 + 7, len, FAL_LINKTYPE_ETHERNET, &none); /* cut in the VC */
    layers_are("eth 14, ipv6 40, udp 8, psp 16, raw 7");
    issues_are("note captured-short");
    ck_assert_uint_eq(frame.psp_vc.vc, 0);
}
END_TEST

/* Header, body and ICV of a PSP packet too short for what its header says. */
START_TEST(a_psp_packet_has_room_for_vc_crypt_offset_and_icv)
{
    static const struct {
        uint8_t ext, offset, flags, body; /* body: bytes between header and ICV */
        const char *field;                /* NULL: there is room */
    } rows[] = {
        {1, 0, 1, 0, NULL},           {1, 1, 1, 4, NULL},
        {1, 1, 1, 3, "crypt_offset"}, {1, 63, 1, 251, "crypt_offset"},
        {1, 63, 1, 252, NULL},        {2, 0, 3, 8, NULL},
        {2, 0, 3, 7, "crypt_offset"}, {2, 3, 3, 11, "crypt_offset"},
        {2, 3, 3, 12, NULL},          {1, 3, 3, 12, "hdr_ext_len"},
        {2, 1, 1, 12, "hdr_ext_len"}, {3, 3, 3, 20, "hdr_ext_len"},
        {0, 1, 1, 20, "hdr_ext_len"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[INNER + 252 + 16] = {0};
        size_t len = INNER + rows[i].body + 16u;

        memcpy(bytes, psp_ipv4, INNER);
        bytes[PSP + 1] = rows[i].ext;
        bytes[PSP + 2] = rows[i].offset;
        bytes[PSP + 3] = rows[i].flags;
        fal_bits_set(bytes + ETH, 16, 16, len - ETH);
        fal_bits_set(bytes + IP4, 32, 16, len - IP4);
        for (int with_keys = 0; with_keys < 2; with_keys++) {
            const struct fal_frame_options options = {.psp_keys = with_keys ? keys : NULL,
                                                      .no_lint = true};

            decode_as(bytes, len, len, FAL_LINKTYPE_ETHERNET, &options);
            if (rows[i].field == NULL) {
                ck_assert_int_eq(frame.psp_state, with_keys ? FAL_PSP_BAD : FAL_PSP_NO_KEY);
                ck_assert(!fal_frame_has(&frame, FAL_LAYER_RAW));
                issues_are(with_keys ? "error bad-icv" : "");
                continue;
            }
            ck_assert_int_eq(frame.psp_state, FAL_PSP_BAD);
            issue_is("bad-header", "psp", rows[i].field,
                     PSP + (rows[i].field[0] == 'h' ? 1 : 2), "FTP-9.2.2.1-01");
            ck_assert_uint_eq(frame.raw.len, rows[i].body + 16u);
        }
    }
}
END_TEST

START_TEST(FTP_7_1_02_other_next_headers)
{
    static const struct {
        unsigned next;
        const char *issues;
    } rows[] = {{59, ""}, {17, "note not-falcon"}, {0, "note not-falcon"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len = seal(0, false, 1, rows[i].next);

        decode(sealed, len, true);
        layers_are("eth 14, ipv6 40, udp 8, psp 16, raw 72");
        issues_are(rows[i].issues);
        ck_assert_int_eq(frame.psp_state, FAL_PSP_GOOD);
        ck_assert_ptr_eq(frame.raw.bytes, scratch);
        decode(sealed, len, false); /* sealed: its content is not known */
        layers_are("eth 14, ipv6 40, udp 8, psp 16");
        issues_are("");
    }
}
END_TEST

START_TEST(psp_header_fields_are_linted)
{
    size_t len = seal(0, false, 1, 252);

    sealed[UDP6 + 2] |= 0x80; /* reserved */
    sealed[UDP6 + 3] &= 0xfe; /* the bit that is always 1 */
    sealed[UDP6 + 3] |= 0x30; /* version 12 */
    sealed[IP6 + 6] = sealed[IP6 + 7] = 0;
    decode(sealed, len, true);
    issues_are("warning reserved-not-zero, error reserved-code, error wrong-constant");
    ck_assert_int_eq(frame.psp_state, FAL_PSP_NO_KEY);
    layers_are("eth 14, ipv6 40, udp 8, psp 16");
}
END_TEST

/* The keys of one receiver open the packets to it, and no others. */
START_TEST(keys_are_the_receivers)
{
    for (int version = 4; version <= 6; version += 2) {
        for (int right = 0; right < 2; right++) {
            json_t *json =
                json_pack("{s:{s:{s:[s,s]}}}", "receivers",
                          version == 4 ? (right ? "10.0.0.2" : "10.0.0.1")
                                       : (right ? "fd00::2" : "fd00::1"),
                          "master_keys",
                          "598fb22aac25025c52b9b35754bac9b3b03b7dd127f028a74c2f766bbd01b3dc",
                          "0c6f64594386bdbfc4deebdd870a707ceff1caf6ec3bffb926c83cecaf9f315c");
            struct fal_psp_keys *some = fal_psp_keys_new(json, NULL);
            const struct fal_frame_options options = {.psp_keys = some};

            ck_assert_ptr_nonnull(some);
            if (version == 4)
                decode_as(psp_ipv4, sizeof psp_ipv4, sizeof psp_ipv4, FAL_LINKTYPE_ETHERNET,
                          &options);
            else
                decode_as(sealed, seal(1, true, 3, 252), UDP6 + 16 + 8 + 72 + 16,
                          FAL_LINKTYPE_ETHERNET, &options);
            ck_assert_int_eq(frame.psp_state, right ? FAL_PSP_GOOD : FAL_PSP_NO_KEY);
            fal_psp_keys_free(some);
            json_decref(json);
        }
    }
}
END_TEST

/* ---- every frame, every length ---- */

/* A truncated capture gives no issue of severity error, and decoding never reads beyond a short
 * frame. */
START_TEST(every_valid_frame_truncated_at_every_length)
{
    uint64_t seed = test_seed(6), state = seed;

    for (unsigned long round = 0; round < test_rounds(300); round++) {
        uint8_t bytes[SAMPLE_MAX];
        unsigned linktype;
        const struct fal_frame_keys all = {keys, esp_keys};
        size_t len = sample_frame(&state, &all, &linktype, bytes);

        ck_assert_uint_gt(len, 0);
        for (size_t caplen = 0; caplen <= len; caplen++) {
            for (int i = 0; i < 4; i++) {
                const struct fal_frame_options options = {.psp_keys = i & 1 ? keys : NULL,
                                                          .esp_keys = i & 1 ? esp_keys : NULL};

                decode_as(bytes, caplen, i & 2 ? len : caplen, linktype, &options);
                if ((i & 2) == 0)
                    continue;
                ck_assert(!frame.damaged);
                for (size_t k = 0; k < frame.issues.count; k++)
                    ck_assert_msg(frame.issues.list[k].severity == FAL_NOTE,
                                  "%s at %zu of %zu TALON_SEED=%llu", frame.issues.list[k].code,
                                  caplen, len, (unsigned long long)seed);
                if (caplen == len)
                    ck_assert_uint_eq(frame.issues.count, 0);
            }
        }
    }
    free(copy);
    copy = NULL;
}
END_TEST

START_TEST(layers_and_encapsulations_have_names)
{
    for (int id = 0; id < FAL_LAYER_COUNT; id++) {
        const struct fal_layout *layout = fal_layer_layout((enum fal_layer_id)id);

        ck_assert_ptr_nonnull(fal_layer_name((enum fal_layer_id)id));
        if (layout != NULL)
            ck_assert_ptr_nonnull(strstr(fal_layer_name((enum fal_layer_id)id), layout->name));
        else
            ck_assert(id == FAL_LAYER_FALCON || id == FAL_LAYER_RAW ||
                      id == FAL_LAYER_IPV6_EXT || id == FAL_LAYER_INNER_IPV6_EXT);
    }
    for (int e = FAL_ENCAP_UDP; e < FAL_ENCAP_COUNT; e++)
        ck_assert_int_eq(fal_encap_from(fal_encap_name((enum fal_encap)e)), e);
    ck_assert_int_eq(fal_encap_from("esp"), -1);
    ck_assert_int_eq(fal_encap_from(""), -1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("frame");
    TCase *tcase = tcase_create("frame");

    tcase_add_checked_fixture(tcase, make_keys, free_keys);
    tcase_add_test(tcase, golden_push_over_ipv4);
    tcase_add_test(tcase, without_content_only_the_carrier_is_linted);
    tcase_add_test(tcase, golden_back_over_ipv6);
    tcase_add_test(tcase, golden_nack_bare);
    tcase_add_test(tcase, FTP_7_1_01_02_03_golden_psp);
    tcase_add_test(tcase, an_unknown_link_type_is_said);
    tcase_add_test(tcase, ports_choose);
    tcase_add_test(tcase, other_traffic_is_raw_and_silent);
    tcase_add_test(tcase, nothing_at_all_is_raw);
    tcase_add_test(tcase, options_of_ipv4_are_kept);
    tcase_add_test(tcase, padding_is_trailer);
    tcase_add_test(tcase, FTP_9_2_2_1_03_ipv4_header_checksum);
    tcase_add_test(tcase, FTP_9_2_2_1_03_udp_checksum_covers_every_bit);
    tcase_add_test(tcase, a_zero_udp_checksum_is_legal_over_ipv4_and_for_psp);
    tcase_add_test(tcase, FTP_9_2_2_1_04_udp_length_is_what_ip_carries);
    tcase_add_test(tcase, an_ip_length_beyond_the_frame);
    tcase_add_test(tcase, FTP_9_2_2_1_01_headers_that_contradict_themselves);
    tcase_add_test(tcase, a_packet_without_a_header_is_raw_with_its_first_words);
    tcase_add_test(tcase, lint_is_of_the_frame_and_can_be_left_out);
    tcase_add_test(tcase, without_a_key_the_cid_is_all_there_is);
    tcase_add_test(tcase, FTP_9_2_2_1_05_a_bad_icv_ends_the_reading);
    tcase_add_test(tcase, a_sealed_packet_cut_short_is_not_opened);
    tcase_add_test(tcase, gmac_without_a_key_is_read_and_marked);
    tcase_add_test(tcase, FTP_7_1_03_crypt_offset_leaves_4_bytes);
    tcase_add_test(tcase, a_sealed_vc_is_no_vc);
    tcase_add_test(tcase, a_vc_in_the_clear_is_read_without_a_key);
    tcase_add_test(tcase, a_psp_packet_has_room_for_vc_crypt_offset_and_icv);
    tcase_add_test(tcase, FTP_7_1_02_other_next_headers);
    tcase_add_test(tcase, psp_header_fields_are_linted);
    tcase_add_test(tcase, keys_are_the_receivers);
    tcase_add_test(tcase, every_valid_frame_truncated_at_every_length);
    tcase_add_test(tcase, layers_and_encapsulations_have_names);
    suite_add_tcase(suite, tcase);
    return suite;
}
