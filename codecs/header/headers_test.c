/* SPDX-License-Identifier: Apache-2.0
 * Golden vectors: each header's bytes and values, written by hand from the figures of chapter 7
 * (and the RFCs, and the PSP specification), never from the tables. Fields are chosen so that a
 * table wrong by a bit reads another value: none is constant over its own bits and its
 * neighbours', reserved bits are set. What is legal is the lint's business, not theirs. */
#include "codecs/header/bitloop_test.h"
#include "codecs/header/golden_test.h"
#include "tests/testing.h"

struct value {
    const char *name;
    uint64_t hi, lo;
};

struct golden {
    const struct fal_layout *layout;
    size_t size;
    uint8_t wire[TEST_HEADER_MAX];
    struct value values[TEST_FIELDS_MAX]; /* in wire order, every field; the rest has no name */
};

/* clang-format off */
static const struct golden vectors[] = {
    {&fal_eth_layout, 14, {
        0x02, 0x00, 0x5e, 0x10, 0x20, 0x31, /* destination */
        0x06, 0xa4, 0x1b, 0x2c, 0x3d, 0x4e, /* source */
        0x86, 0xdd,                         /* type */
    }, {
        {"dst", 0, 0x02005e102031}, {"src", 0, 0x06a41b2c3d4e}, {"ethertype", 0, 0x86dd},
    }},

    {&fal_ipv4_layout, 20, {
        0x46, 0xb6, 0x01, 0x54, /* 4, ihl 6; dscp 101101, ecn 10; length 340 */
        0xbe, 0xef, 0x50, 0x05, /* identification; 0, DF 1, MF 0, offset 1000000000101 */
        0x40, 0x11, 0xa1, 0xb2, /* ttl 64; UDP; checksum */
        0xc0, 0x00, 0x02, 0x01, /* 192.0.2.1 */
        0xc6, 0x33, 0x64, 0x02, /* 198.51.100.2 */
    }, {
        {"version", 0, 4}, {"ihl", 0, 6}, {"dscp", 0, 45}, {"ecn", 0, 2}, {"total_length", 0, 340},
        {"identification", 0, 0xbeef}, {"reserved_0", 0, 0}, {"dont_fragment", 0, 1},
        {"more_fragments", 0, 0}, {"fragment_offset", 0, 0x1005},
        {"ttl", 0, 64}, {"protocol", 0, 17}, {"header_checksum", 0, 0xa1b2},
        {"src", 0, 0xc0000201}, {"dst", 0, 0xc6336402},
    }},

    {&fal_ipv6_layout, 40, {
        0x6b, 0x9a, 0xbc, 0xde, /* 6; dscp 101110, ecn 01; flow label abcde */
        0x01, 0x28, 0x11, 0x3f, /* payload 296; UDP; hop limit 63 */
        0x20, 0x01, 0x0d, 0xb8, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c,
        0xfd, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee,
    }, {
        {"version", 0, 6}, {"dscp", 0, 46}, {"ecn", 0, 1}, {"flow_label", 0, 0xabcde},
        {"payload_length", 0, 296}, {"next_header", 0, 17}, {"hop_limit", 0, 63},
        {"src", 0x20010db801020304, 0x05060708090a0b0c},
        {"dst", 0xfd00112233445566, 0x778899aabbccddee},
    }},

    {&fal_udp_layout, 8, {
        0xc0, 0x01, 0x1e, 0x61, /* 49153 to 7777 */
        0x00, 0x24, 0x9a, 0xb3, /* length 36; checksum */
    }, {
        {"src_port", 0, 49153}, {"dst_port", 0, 7777}, {"length", 0, 36}, {"checksum", 0, 0x9ab3},
    }},

    {&fal_psp_layout, 16, {
        0xfc, 0x02, 0x83, 0x45, /* 252; 2; reserved 10, crypt offset 3; S 0, D 1, version 1, V 0, 1 */
        0x4a, 0x5b, 0x6c, 0x7d, /* SPI */
        0x27, 0x54, 0xc3, 0xbd, /* IV */
        0xf3, 0x76, 0xbc, 0x25,
    }, {
        {"next_header", 0, 252}, {"hdr_ext_len", 0, 2}, {"reserved_0", 0, 2}, {"crypt_offset", 0, 3},
        {"s", 0, 0}, {"d", 0, 1}, {"version", 0, 1}, {"v", 0, 0}, {"one", 0, 1},
        {"spi", 0, 0x4a5b6c7d}, {"iv", 0, 0x2754c3bdf376bc25},
    }},

    {&fal_psp_vc_layout, 8, {
        0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
    }, {
        {"vc", 0, 0x1122334455667788},
    }},

    /* 7.2 and 7.3 */
    {&fal_pull_request_layout, 32, {
        0x1a, 0xab, 0xcd, 0xef, /* w0: version 1, reserved 1010, CID abcdef */
        0x12, 0x34, 0x56, 0x61, /* w1: function 123456; protocol 011, type 0000, AR 1 */
        0x01, 0x02, 0x03, 0x04, /* w2: data window base */
        0x11, 0x22, 0x33, 0x45, /* w3: request window base */
        0x5a, 0x6b, 0x7c, 0x8d, /* w4: PSN */
        0x9e, 0xaf, 0xb0, 0xc1, /* w5: RSN */
        0xa5, 0xc3, 0x10, 0x80, /* w6: reserved; request length 4224 */
        0xc0, 0xff, 0xee, 0x01, /* w7: reserved */
    }, {
        {"version", 0, 1}, {"reserved_0", 0, 10}, {"dest_cid", 0, 0xabcdef},
        {"dest_function", 0, 0x123456}, {"protocol_type", 0, 3}, {"packet_type", 0, 0}, {"ack_req", 0, 1},
        {"recv_data_base_psn", 0, 0x01020304}, {"recv_req_base_psn", 0, 0x11223345},
        {"psn", 0, 0x5a6b7c8d}, {"rsn", 0, 0x9eafb0c1},
        {"reserved_1", 0, 0xa5c3}, {"request_length", 0, 4224}, {"reserved_2", 0, 0xc0ffee01},
    }},

    /* 7.4 */
    {&fal_pull_data_layout, 24, {
        0x1a, 0xab, 0xcd, 0xef,
        0x12, 0x34, 0x56, 0x46, /* w1: function; protocol 010, type 0011, AR 0 */
        0x81, 0x02, 0x03, 0x04,
        0x11, 0x22, 0x33, 0x45,
        0x5a, 0x6b, 0x7c, 0x8d,
        0x9e, 0xaf, 0xb0, 0xc1,
    }, {
        {"version", 0, 1}, {"reserved_0", 0, 10}, {"dest_cid", 0, 0xabcdef},
        {"dest_function", 0, 0x123456}, {"protocol_type", 0, 2}, {"packet_type", 0, 3}, {"ack_req", 0, 0},
        {"recv_data_base_psn", 0, 0x81020304}, {"recv_req_base_psn", 0, 0x11223345},
        {"psn", 0, 0x5a6b7c8d}, {"rsn", 0, 0x9eafb0c1},
    }},

    /* 7.5 */
    {&fal_push_data_layout, 28, {
        0x1a, 0xab, 0xcd, 0xef,
        0x12, 0x34, 0x56, 0x4a, /* w1: function; protocol 010, type 0101, AR 0 */
        0x81, 0x02, 0x03, 0x04,
        0x11, 0x22, 0x33, 0x45,
        0x5a, 0x6b, 0x7c, 0x8d,
        0x9e, 0xaf, 0xb0, 0xc1,
        0x5a, 0xa5, 0x10, 0x08, /* w6: reserved; request length 4104 */
    }, {
        {"version", 0, 1}, {"reserved_0", 0, 10}, {"dest_cid", 0, 0xabcdef},
        {"dest_function", 0, 0x123456}, {"protocol_type", 0, 2}, {"packet_type", 0, 5}, {"ack_req", 0, 0},
        {"recv_data_base_psn", 0, 0x81020304}, {"recv_req_base_psn", 0, 0x11223345},
        {"psn", 0, 0x5a6b7c8d}, {"rsn", 0, 0x9eafb0c1},
        {"reserved_1", 0, 0x5aa5}, {"request_length", 0, 4104},
    }},

    /* 7.6 */
    {&fal_resync_layout, 32, {
        0x1a, 0xab, 0xcd, 0xef,
        0x12, 0x34, 0x56, 0x4d, /* w1: function; protocol 010, type 0110, AR 1 */
        0x01, 0x02, 0x03, 0x04,
        0x11, 0x22, 0x33, 0x45,
        0x5a, 0x6b, 0x7c, 0x8d,
        0x9e, 0xaf, 0xb0, 0xc1,
        0x05, 0x5a, 0xbc, 0xde, /* w6: code 5, type of the original 0101, reserved abcde */
        0xde, 0xad, 0xbe, 0xef, /* w7: vendor defined */
    }, {
        {"version", 0, 1}, {"reserved_0", 0, 10}, {"dest_cid", 0, 0xabcdef},
        {"dest_function", 0, 0x123456}, {"protocol_type", 0, 2}, {"packet_type", 0, 6}, {"ack_req", 0, 1},
        {"recv_data_base_psn", 0, 0x01020304}, {"recv_req_base_psn", 0, 0x11223345},
        {"psn", 0, 0x5a6b7c8d}, {"rsn", 0, 0x9eafb0c1},
        {"resync_code", 0, 5}, {"resync_packet_type", 0, 5}, {"reserved_1", 0, 0xabcde},
        {"vendor_defined", 0, 0xdeadbeef},
    }},

    /* 7.7.1; RUE info as the table has it, 22 bits (AMB-04) */
    {&fal_back_layout, 32, {
        0x1a, 0xab, 0xcd, 0xef, /* w0: version 1, reserved 1010, CID */
        0x48, 0xd1, 0x59, 0xd2, /* w1: reserved 010010001101000101011001110, type 1001, R 0 */
        0x81, 0x02, 0x03, 0x04, /* w2: data window base */
        0x21, 0x22, 0x23, 0x24, /* w3: request window base */
        0x31, 0x32, 0x33, 0x34, /* w4: t1 */
        0x41, 0x42, 0x43, 0x44, /* w5: t2 */
        0x5b, 0x54, 0xb7, 0xa5, /* w6: hops 0101, buffer 10110, ECN 10101001011011, reserved 110100101 */
        0xc3, 0xac, 0xf1, 0x36, /* w7: reserved 11000011, RUE 1010110011110001001101, OWN 10 */
    }, {
        {"version", 0, 1}, {"reserved_0", 0, 10}, {"dest_cid", 0, 0xabcdef},
        {"reserved_1", 0, 0x2468ace}, {"packet_type", 0, 9}, {"reserved_2", 0, 0},
        {"recv_data_base_psn", 0, 0x81020304}, {"recv_req_base_psn", 0, 0x21222324},
        {"t1", 0, 0x31323334}, {"t2", 0, 0x41424344},
        {"hop_count", 0, 5}, {"rx_buffer_occupancy", 0, 22}, {"ecn_rx_count", 0, 0x2a5b},
        {"reserved_3", 0, 0x1a5c3}, {"rue_info", 0, 0x2b3c4d}, {"own", 0, 2},
    }},

    /* 7.7.2: the most significant word of a bitmap comes first */
    {&fal_eack_layout, 72, {
        0x1a, 0xab, 0xcd, 0xef,
        0x48, 0xd1, 0x59, 0xd5, /* w1: reserved as above, type 1010, R 1 */
        0x01, 0x02, 0x03, 0x04,
        0x21, 0x22, 0x23, 0x24,
        0x31, 0x32, 0x33, 0x34,
        0x41, 0x42, 0x43, 0x44,
        0x5b, 0x54, 0xb7, 0xa5,
        0xc3, 0xac, 0xf1, 0x35, /* w7: as above, but OWN 01 */
        0xf0, 0xe1, 0xd2, 0xc3, /* w8: data ACK bitmap 127..96 */
        0xb4, 0xa5, 0x96, 0x87, /* w9 */
        0x78, 0x69, 0x5a, 0x4b, /* w10 */
        0x3c, 0x2d, 0x1e, 0x0f, /* w11: 31..0 */
        0x01, 0x23, 0x45, 0x67, /* w12: data Rx bitmap 127..96 */
        0x89, 0xab, 0xcd, 0xef, /* w13 */
        0xfe, 0xdc, 0xba, 0x98, /* w14 */
        0x76, 0x54, 0x32, 0x10, /* w15: 31..0 */
        0x13, 0x57, 0x9b, 0xdf, /* w16: request bitmap 63..32 */
        0x02, 0x46, 0x8a, 0xce, /* w17: 31..0 */
    }, {
        {"version", 0, 1}, {"reserved_0", 0, 10}, {"dest_cid", 0, 0xabcdef},
        {"reserved_1", 0, 0x2468ace}, {"packet_type", 0, 10}, {"reserved_2", 0, 1},
        {"recv_data_base_psn", 0, 0x01020304}, {"recv_req_base_psn", 0, 0x21222324},
        {"t1", 0, 0x31323334}, {"t2", 0, 0x41424344},
        {"hop_count", 0, 5}, {"rx_buffer_occupancy", 0, 22}, {"ecn_rx_count", 0, 0x2a5b},
        {"reserved_3", 0, 0x1a5c3}, {"rue_info", 0, 0x2b3c4d}, {"own", 0, 1},
        {"data_ack_bitmap", 0xf0e1d2c3b4a59687, 0x78695a4b3c2d1e0f},
        {"data_rx_bitmap", 0x0123456789abcdef, 0xfedcba9876543210},
        {"req_bitmap", 0, 0x13579bdf02468ace},
    }},

    /* 7.8, in the figure's order (AMB-28); RUE info as the table has it, 24 bits (AMB-05) */
    {&fal_nack_layout, 40, {
        0x1a, 0xab, 0xcd, 0xef,
        0x48, 0xd1, 0x59, 0xd1, /* w1: reserved as above, type 1000, R 1 */
        0x01, 0x02, 0x03, 0x04,
        0x21, 0x22, 0x23, 0x24,
        0x31, 0x32, 0x33, 0x34,
        0x41, 0x42, 0x43, 0x44,
        0x5b, 0x54, 0xb7, 0xa5,
        0xc3, 0x67, 0x89, 0xab, /* w7: reserved 11000011, RUE 6789ab */
        0x51, 0x52, 0x53, 0x54, /* w8: PSN that is refused */
        0x06, 0xad, 0x56, 0x5a, /* w9: code 6, reserved 101, RNR 01101, W 0, reserved 1010110, ULP 5a */
    }, {
        {"version", 0, 1}, {"reserved_0", 0, 10}, {"dest_cid", 0, 0xabcdef},
        {"reserved_1", 0, 0x2468ace}, {"packet_type", 0, 8}, {"reserved_2", 0, 1},
        {"recv_data_base_psn", 0, 0x01020304}, {"recv_req_base_psn", 0, 0x21222324},
        {"t1", 0, 0x31323334}, {"t2", 0, 0x41424344},
        {"hop_count", 0, 5}, {"rx_buffer_occupancy", 0, 22}, {"ecn_rx_count", 0, 0x2a5b},
        {"reserved_3", 0, 0x1a5c3}, {"rue_info", 0, 0x6789ab},
        {"nack_psn", 0, 0x51525354}, {"nack_code", 0, 6}, {"reserved_4", 0, 5}, {"rnr_timeout", 0, 13},
        {"window", 0, 0}, {"reserved_5", 0, 0x56}, {"ulp_nack_code", 0, 0x5a},
    }},

    GOLDEN_NET,
    GOLDEN_RDMA,
    GOLDEN_NVME,
    GOLDEN_ROCE,
};
/* clang-format on */

enum { VECTORS = sizeof vectors / sizeof *vectors, FALCON = 6, FALCON_END = 13 };

static fal_u128 due(const struct golden *g, size_t field)
{
    return fal_u128_halves(g->values[field].hi, g->values[field].lo);
}

START_TEST(every_layout_has_a_vector_of_every_field)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    ck_assert_uint_eq(n, VECTORS);
    for (size_t i = 0; i < n; i++) {
        const struct golden *g = &vectors[i];

        ck_assert_ptr_eq(g->layout, layouts[i]);
        ck_assert_uint_eq(g->layout->size_bytes, g->size);
        for (size_t k = 0; k < g->layout->num_fields; k++)
            ck_assert_str_eq(g->values[k].name, g->layout->fields[k].name);
        ck_assert_ptr_null(g->values[g->layout->num_fields].name);
    }
}
END_TEST

START_TEST(FTP_7_2_01_7_3_01_7_4_01_7_5_01_7_6_01_7_7_1_01_7_7_2_01_7_8_01_decode)
{
    const struct golden *g = &vectors[_i];
    union test_host host;

    memset(&host, 0x99, sizeof host);
    ck_assert_int_eq(fal_layout_decode(g->layout, g->wire, g->size, &host), (int)g->size);
    for (size_t k = 0; k < g->layout->num_fields; k++)
        ck_assert_msg(fal_field_get(&g->layout->fields[k], &host) == due(g, k), "%s.%s",
                      g->layout->name, g->values[k].name);
}
END_TEST

START_TEST(FTP_7_2_01_7_3_01_7_4_01_7_5_01_7_6_01_7_7_1_01_7_7_2_01_7_8_01_encode)
{
    const struct golden *g = &vectors[_i];
    uint8_t out[TEST_HEADER_MAX];
    union test_host host;

    memset(&host, 0, sizeof host);
    memset(out, 0x99, sizeof out);
    for (size_t k = 0; k < g->layout->num_fields; k++)
        ck_assert_int_eq(
            fal_field_set(fal_layout_find(g->layout, g->values[k].name), &host, due(g, k)), 0);
    ck_assert_int_eq(fal_layout_encode(g->layout, &host, out, g->size, NULL), (int)g->size);
    ck_assert_mem_eq(out, g->wire, g->size);
}
END_TEST

/* Members that a packet type has not are 0 after fal_falcon_decode. */
START_TEST(falcon_members_of_other_types_are_zero)
{
    const struct golden *g = &vectors[_i];
    struct fal_falcon packet;
    uint8_t out[TEST_HEADER_MAX];

    ck_assert_ptr_eq(g->layout, fal_falcon_layout(g->wire[7] >> 1 & 15));
    memset(&packet, 0x99, sizeof packet);
    ck_assert_int_eq(fal_falcon_decode(g->wire, g->size, &packet), (int)g->size);
    for (size_t i = FALCON; i < FALCON_END; i++)
        for (size_t k = 0; k < vectors[i].layout->num_fields; k++) {
            const struct fal_field *f = &vectors[i].layout->fields[k];

            if (fal_layout_find(g->layout, f->name) == NULL)
                ck_assert(fal_field_get(f, &packet) == 0);
        }
    ck_assert_int_eq(fal_falcon_encode(&packet, NULL, 0, out, g->size, NULL), (int)g->size);
    ck_assert_mem_eq(out, g->wire, g->size);
}
END_TEST

/* ---- a table wrong by a bit turns its vector red ---- */

/* Reads the header by a changed table. True when it still gives the golden values, of the
 * vector and of its complement (which no hand had to write: every bit and so every value is
 * inverted; it helps where a type's legal value is 0). */
static bool green(const struct golden *g, const struct fal_field *fields, size_t bits)
{
    uint8_t inverse[TEST_HEADER_MAX];

    for (size_t i = 0; i < sizeof inverse; i++)
        inverse[i] = (uint8_t)~g->wire[i];
    for (size_t k = 0; k < g->layout->num_fields; k++) {
        unsigned width = g->layout->fields[k].width_bits;
        fal_u128 value = due(g, k), other = ~value & fal_u128_ones(width);

        if (fields[k].offset_bits + (size_t)fields[k].width_bits > bits)
            return false;
        if (bitloop_get_field(g->wire, &fields[k]) != value)
            return false;
        if (bitloop_get_field(inverse, &fields[k]) != other)
            return false;
    }
    return true;
}

static const struct {
    const char *what;
    int offset, width, next_offset, next_width; /* added to the field and to the one after it */
} shifts[] = {
    {"offset - 1", -1, 0, 0, 0},
    {"offset + 1", 1, 0, 0, 0},
    {"width - 1", 0, -1, 0, 0},
    {"width + 1", 0, 1, 0, 0},
    {"takes a bit of the next", 0, 1, 1, -1},
    {"gives a bit to the next", 0, -1, -1, 1},
};

static bool shifted(struct fal_field *f, int offset, int width, size_t bits)
{
    int o = f->offset_bits + offset, w = f->width_bits + width;

    if (o < 0 || w < 1 || w > 128 || (size_t)o + (size_t)w > bits)
        return false;
    f->offset_bits = (uint16_t)o;
    f->width_bits = (uint16_t)w;
    return true;
}

START_TEST(a_table_wrong_by_one_bit_turns_its_vector_red)
{
    const struct golden *g = &vectors[_i];
    size_t n = g->layout->num_fields, bits = 8 * g->size;
    struct fal_field fields[TEST_FIELDS_MAX];

    memcpy(fields, g->layout->fields, n * sizeof *fields);
    ck_assert(green(g, fields, bits));
    for (size_t k = 0; k < n; k++) {
        int tried = 0;

        for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++) {
            bool next = shifts[s].next_width != 0;

            memcpy(fields, g->layout->fields, n * sizeof *fields);
            if ((next && k + 1 == n) ||
                !shifted(&fields[k], shifts[s].offset, shifts[s].width, bits) ||
                (next &&
                 !shifted(&fields[k + 1], shifts[s].next_offset, shifts[s].next_width, bits)))
                continue; /* it does not fit the header: the compiler's size check says so */
            tried++;
            ck_assert_msg(!green(g, fields, bits), "%s.%s: %s goes unseen", g->layout->name,
                          fields[k].name, shifts[s].what);
        }
        ck_assert_int_ge(tried, 1);
    }
}
END_TEST

/* Two rows of one width that changed places: bases, PSNs, timestamps, bitmaps. */
START_TEST(rows_that_changed_places_turn_their_vector_red)
{
    const struct golden *g = &vectors[_i];
    size_t n = g->layout->num_fields;
    struct fal_field fields[TEST_FIELDS_MAX];

    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < a; b++) {
            if (g->layout->fields[a].width_bits != g->layout->fields[b].width_bits ||
                g->layout->fields[a].width_bits < 5)
                continue; /* a few bits cannot all differ */
            memcpy(fields, g->layout->fields, n * sizeof *fields);
            fields[a].offset_bits = g->layout->fields[b].offset_bits;
            fields[b].offset_bits = g->layout->fields[a].offset_bits;
            ck_assert_msg(!green(g, fields, 8 * g->size), "%s.%s and .%s", g->layout->name,
                          fields[a].name, fields[b].name);
        }
    }
}
END_TEST

/* A field of two segments whose halves changed places. */
START_TEST(segments_in_the_other_order_turn_their_vector_red)
{
    const struct golden *g = &vectors[_i];
    size_t n = g->layout->num_fields;
    struct fal_field fields[TEST_FIELDS_MAX];

    for (size_t k = 0; k < n; k++) {
        struct fal_segment segments[FAL_SEGMENTS_MAX];
        size_t count = fal_field_segments(&g->layout->fields[k], segments);
        unsigned bits = 0;

        memcpy(fields, g->layout->fields, n * sizeof *fields);
        for (size_t i = 0; i < count; i++)
            bits += segments[i].width_bits;
        ck_assert_uint_eq(bits, fields[k].width_bits);
        ck_assert_uint_eq(count, fields[k].low_first ? 2 : 1);
        ck_assert_uint_eq(segments[count - 1].offset_bits, fields[k].offset_bits);
        fields[k].low_first = !fields[k].low_first;
        if (fields[k].width_bits == 64)
            ck_assert_msg(!green(g, fields, 8 * g->size), "%s.%s", g->layout->name,
                          fields[k].name);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("headers");
    TCase *tcase = tcase_create("golden");

    tcase_add_test(tcase, every_layout_has_a_vector_of_every_field);
    tcase_add_loop_test(tcase,
                        FTP_7_2_01_7_3_01_7_4_01_7_5_01_7_6_01_7_7_1_01_7_7_2_01_7_8_01_decode,
                        0, VECTORS);
    tcase_add_loop_test(tcase,
                        FTP_7_2_01_7_3_01_7_4_01_7_5_01_7_6_01_7_7_1_01_7_7_2_01_7_8_01_encode,
                        0, VECTORS);
    tcase_add_loop_test(tcase, falcon_members_of_other_types_are_zero, FALCON, FALCON_END);
    tcase_add_loop_test(tcase, a_table_wrong_by_one_bit_turns_its_vector_red, 0, VECTORS);
    tcase_add_loop_test(tcase, rows_that_changed_places_turn_their_vector_red, 0, VECTORS);
    tcase_add_loop_test(tcase, segments_in_the_other_order_turn_their_vector_red, 0, VECTORS);
    suite_add_tcase(suite, tcase);
    return suite;
}
