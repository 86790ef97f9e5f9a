/* SPDX-License-Identifier: Apache-2.0
 * What stands around a packet in a real network: VLAN tags, cooked captures, extension headers,
 * fragments, tunnels, ESP, and RoCE beside it. Golden frames by hand; the sealed ones come from
 * an implementation of AES-GCM that is not OpenSSL's EVP as codecs/ use it. */
#include "codecs/frame/frame_check_test.h"

enum { BIG = 400 };

/* A frame that is made of parts. */
static uint8_t built[BIG];
static size_t built_len;

static void start(void)
{
    built_len = 0;
    memset(built, 0, sizeof built);
}

static void add(const void *bytes, size_t len)
{
    ck_assert_uint_le(built_len + len, sizeof built);
    memcpy(built + built_len, bytes, len);
    built_len += len;
}

static const struct fal_frame_options *all_keys(void)
{
    static struct fal_frame_options options;

    options = (struct fal_frame_options){.psp_keys = keys, .esp_keys = esp_keys};
    return &options;
}

static void decode_built(unsigned linktype, bool with_keys)
{
    decode_as(built, built_len, built_len, linktype, with_keys ? all_keys() : NULL);
}

/* Ethernet addresses and what follows them, then the packet of push_ipv4 or back_ipv6. */
static void tagged(const uint8_t *frame_bytes, const void *tags, size_t tags_len, size_t len)
{
    start();
    add(frame_bytes, 12);
    add(tags, tags_len);
    add(frame_bytes + 12, len - 12);
}

/* Decoding and encoding with all kept gives the bytes back. */
static void encodes_back(void)
{
    const struct fal_frame_keys all = {keys, esp_keys};
    uint8_t again[BIG];

    ck_assert_int_eq(fal_frame_encode_with(&frame, &all, KEEP_ALL, again, sizeof again, NULL),
                     (int)built_len);
    ck_assert_mem_eq(again, built, built_len);
}

/* ---- link layers ---- */

START_TEST(one_and_two_tags)
{
    static const struct {
        uint8_t tags[12];
        size_t len;
        const char *layers;
    } rows[] = {
        /* 802.1Q: priority 5, VLAN 0x123 */
        {{0x81, 0x00, 0xa1, 0x23}, 4, "eth 14, vlan 4, ipv4 20, udp 8, falcon 28"},
        /* 802.1ad, then 802.1Q: priority 7, DEI, VLAN 0xfff; VLAN 1 */
        {{0x88, 0xa8, 0xff, 0xff, 0x81, 0x00, 0x00, 0x01},
         8,
         "eth 14, vlan 4, inner_vlan 4, ipv4 20, udp 8, falcon 28"},
        {{0x81, 0x00, 0xff, 0xff, 0x81, 0x00, 0x00, 0x01},
         8,
         "eth 14, vlan 4, inner_vlan 4, ipv4 20, udp 8, falcon 28"},
        {{0x91, 0x00, 0xff, 0xff, 0x81, 0x00, 0x00, 0x01},
         8,
         "eth 14, vlan 4, inner_vlan 4, ipv4 20, udp 8, falcon 28"},
        /* three */
        {{0x88, 0xa8, 0xff, 0xff, 0x81, 0x00, 0x00, 0x01, 0x81, 0x00, 0x00, 0x02},
         12,
         "eth 14, vlan 4, inner_vlan 4, raw 64"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tagged(push_ipv4, rows[i].tags, rows[i].len, sizeof push_ipv4);
        decode_built(FAL_LINKTYPE_ETHERNET, false);
        layers_are(rows[i].layers);
        issues_are("");
        encodes_back();
        if (i == 0) {
            ck_assert_uint_eq(frame.eth.ethertype, 0x8100);
            ck_assert_uint_eq(frame.vlan.pcp, 5);
            ck_assert_uint_eq(frame.vlan.dei, 0);
            ck_assert_uint_eq(frame.vlan.vid, 0x123);
            ck_assert_uint_eq(frame.vlan.ethertype, 0x0800);
        } else {
            ck_assert_uint_eq(frame.vlan.pcp, 7);
            ck_assert_uint_eq(frame.vlan.dei, 1);
            ck_assert_uint_eq(frame.vlan.vid, 0xfff);
            ck_assert_uint_eq(frame.vlan.ethertype, 0x8100);
            ck_assert_uint_eq(frame.inner_vlan.vid, 1);
        }
    }
}
END_TEST

START_TEST(tags_before_ipv6_and_cut_tags)
{
    static const uint8_t tag[] = {0x81, 0x00, 0x00, 0x07};

    tagged(back_ipv6, tag, sizeof tag, sizeof back_ipv6);
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    layers_are("eth 14, vlan 4, ipv6 40, udp 8, falcon 32");
    issues_are("");
    for (size_t n = 14; n < 18; n++) {
        decode_as(built, n, built_len, FAL_LINKTYPE_ETHERNET, NULL);
        issues_are("note captured-short");
        decode_as(built, n, n, FAL_LINKTYPE_ETHERNET, NULL);
        issues_are("error header-too-short");
        ck_assert_str_eq(frame.issues.list[0].layer, "vlan");
    }
}
END_TEST

START_TEST(cooked)
{
    static const uint8_t v1[] = {
        0x00, 0x04, 0x00, 0x01, 0x00, 0x06,             /* sent by us, Ethernet, 6 bytes */
        0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0xaa, 0xbb, /* address */
        0x08, 0x00,
    };
    static const uint8_t v2[] = {
        0x08, 0x00, 0x00, 0x00,                         /* IPv4, reserved */
        0x00, 0x00, 0x00, 0x03,                         /* interface */
        0x00, 0x01, 0x04, 0x06,                         /* Ethernet, sent by us, 6 bytes */
        0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0xaa, 0xbb, /* address */
    };

    start();
    add(v1, sizeof v1);
    add(push_ipv4 + ETH, sizeof push_ipv4 - ETH);
    decode_built(FAL_LINKTYPE_SLL, false);
    layers_are("sll 16, ipv4 20, udp 8, falcon 28");
    issues_are("");
    encodes_back();
    ck_assert_uint_eq(frame.sll.packet_type, 4);
    ck_assert_uint_eq(frame.sll.arphrd_type, 1);
    ck_assert_uint_eq(frame.sll.address_length, 6);
    ck_assert_uint_eq(frame.sll.address, 0x020000000001aabb);
    ck_assert_uint_eq(frame.sll.protocol, 0x0800);
    start();
    add(v2, sizeof v2);
    add(push_ipv4 + ETH, sizeof push_ipv4 - ETH);
    decode_built(FAL_LINKTYPE_SLL2, false);
    layers_are("sll2 20, ipv4 20, udp 8, falcon 28");
    issues_are("");
    encodes_back();
    ck_assert_uint_eq(frame.sll2.interface_index, 3);
    ck_assert_uint_eq(frame.sll2.packet_type, 4);
    ck_assert_uint_eq(frame.sll2.address, 0x020000000001aabb);
    built[0] = 0x81; /* a tag follows */
    built[1] = 0x00;
    decode_built(FAL_LINKTYPE_SLL2, false);
    layers_are("sll2 20, vlan 4, raw 56");
    built[0] = 0x00; /* ARP */
    built[1] = 0x06;
    decode_built(FAL_LINKTYPE_SLL2, false);
    layers_are("sll2 20, raw 60");
    issues_are("");
}
END_TEST

/* ---- IPv6 extension headers ---- */

/* clang-format off */
static const uint8_t chain[] = {
    0x2b, 0x00, 0x01, 0x04, 0x00, 0x00, 0x00, 0x00, /* hop-by-hop: next routing, 8 bytes, PadN 4 */
    0x3c, 0x01, 0x00, 0x00, 0x11, 0x22, 0x33, 0x44, /* routing: next destination, 16 bytes, type 0, */
    0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, /* no segments left */
    0x2c, 0x00, 0x01, 0x04, 0x00, 0x00, 0x00, 0x00, /* destination: next fragment */
    0x11, 0x00, 0x00, 0x00, 0xde, 0xad, 0xbe, 0xef, /* fragment: next UDP, offset 0, no more: atomic */
};
/* clang-format on */

enum { CHAIN_AT = 14 + 40 };

static void chained(const void *ext, size_t len, uint8_t first)
{
    start();
    add(back_ipv6, CHAIN_AT);
    add(ext, len);
    add(back_ipv6 + CHAIN_AT, sizeof back_ipv6 - CHAIN_AT);
    built[ETH + 6] = first;
    fal_bits_set(built + ETH, 32, 16, 40 + len);
}

START_TEST(a_chain_of_extension_headers)
{
    unsigned type = 0;
    struct fal_span ext;

    chained(chain, sizeof chain, 0);
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    layers_are("eth 14, ipv6 40, ipv6_ext 40, udp 8, falcon 32");
    issues_are("");
    encodes_back();
    ck_assert_uint_eq(frame.falcon.t2, 0x832);
    ck_assert_uint_eq(frame.ipv6_ext.len, sizeof chain);
    ext = frame.ipv6_ext;
    ck_assert_uint_eq(fal_ipv6_ext_next(&ext, &type).len, 8);
    ck_assert_uint_eq(type, FAL_PROTOCOL_ROUTING);
    ck_assert_uint_eq(fal_ipv6_ext_next(&ext, &type).len, 16);
    ck_assert_uint_eq(type, FAL_PROTOCOL_DESTINATION);
    ck_assert_uint_eq(fal_ipv6_ext_next(&ext, &type).len, 8);
    ck_assert_uint_eq(type, FAL_PROTOCOL_FRAGMENT);
    ck_assert_uint_eq(fal_ipv6_ext_next(&ext, &type).len, 8);
    ck_assert_uint_eq(type, FAL_PROTOCOL_UDP);
    ck_assert_uint_eq(fal_ipv6_ext_next(&ext, &type).len, 0);
    ck_assert_uint_eq(ext.len, 0);
    built[built_len - 1] ^= 1; /* the UDP checksum is over the addresses, not over the chain */
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    issues_are("error bad-checksum, error own-in-back");
}
END_TEST

/* The last of the addresses is in the routing header: the checksum is over that. */
START_TEST(segments_left_hide_the_destination)
{
    chained(chain, sizeof chain, 0);
    built[CHAIN_AT + 8 + 3] = 1;
    built[ETH + 39] ^= 0xff;
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    layers_are("eth 14, ipv6 40, ipv6_ext 40, udp 8, falcon 32");
    issues_are("");
}
END_TEST

START_TEST(reserved_bits_of_a_fragment_header_warn)
{
    chained(chain, sizeof chain, 0);
    built[CHAIN_AT + 33] = 1;
    built[CHAIN_AT + 35] = 2;
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    issues_are("warning reserved-not-zero, warning reserved-not-zero");
    ck_assert_str_eq(frame.issues.list[0].layer, "ipv6_ext");
    ck_assert_uint_eq(frame.issues.list[0].offset, CHAIN_AT + 33);
    ck_assert_uint_eq(frame.issues.list[1].offset, CHAIN_AT + 35);
}
END_TEST

START_TEST(a_chain_ends_where_its_bytes_do)
{
    static const uint8_t whole[] = {0, 0, 0, 0, 0, 0, 0, 0, 8,  8,  8,  8,  8,  8,  8,  8,
                                    8, 8, 8, 8, 8, 8, 8, 8, 32, 32, 32, 32, 32, 32, 32, 32};

    chained(chain, sizeof chain, 0);
    for (size_t n = 0; n < sizeof whole; n++) { /* captured so far */
        char due[80];
        unsigned ext = whole[n] >= 24 ? 24 : whole[n];

        (void)snprintf(due, sizeof due, "eth 14, ipv6 40, %sraw %u",
                       ext == 0   ? ""
                       : ext == 8 ? "ipv6_ext 8, "
                                  : "ipv6_ext 24, ",
                       (unsigned)n - ext);
        decode_as(built, CHAIN_AT + n, built_len, FAL_LINKTYPE_ETHERNET, NULL);
        layers_are(due);
        issues_are("note captured-short");
        ck_assert_str_eq(frame.issues.list[0].layer, "ipv6_ext");
    }
    built[CHAIN_AT + 1] = 200; /* longer than the packet */
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    layers_are("eth 14, ipv6 40, raw 80");
    issues_are("error header-too-short");
    ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].due), 8 * 201);
}
END_TEST

/* Every byte of a long chain may be a header. */
START_TEST(a_chain_of_many)
{
    uint8_t ext[240] = {0};

    for (size_t i = 0; i < sizeof ext; i += 8)
        ext[i] = i + 8 < sizeof ext ? 60 : 17;
    chained(ext, sizeof ext, 60);
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    layers_are("eth 14, ipv6 40, ipv6_ext 240, udp 8, falcon 32");
    issues_are("");
    encodes_back();
    ext[232] = 59; /* no next header */
    chained(ext, sizeof ext, 60);
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    layers_are("eth 14, ipv6 40, ipv6_ext 240, raw 40");
    issues_are("");
}
END_TEST

/* ---- fragments ---- */

/* The first has headers, and is read as far as it goes; a later one is bytes. */
START_TEST(fragments_of_ipv4)
{
    for (size_t cut = 0; cut <= 40; cut += 8) { /* of the 40 bytes that UDP says it has */
        start();
        add(push_ipv4, sizeof push_ipv4 - cut);
        built[ETH + 6] = 0x20; /* more fragments */
        built[ETH + 3] = (uint8_t)(60 - cut);
        fal_bits_set(built + ETH, 80, 16, 0x13c2 + 0x2000 + cut);
        decode_built(FAL_LINKTYPE_ETHERNET, false);
        ck_assert_str_eq(frame.issues.list[0].code, "fragment");
        ck_assert_uint_eq(frame.issues.list[0].offset, ETH + 6);
        ck_assert(!frame.damaged && !frame.truncated);
        for (size_t i = 0; i < frame.issues.count; i++)
            ck_assert_int_eq(frame.issues.list[i].severity, FAL_NOTE);
        if (cut == 0)
            layers_are("eth 14, ipv4 20, udp 8, falcon 28");
        else if (cut < 40)
            ck_assert(fal_frame_has(&frame, FAL_LAYER_UDP));
        else
            layers_are("eth 14, ipv4 20, raw 0");
        encodes_back();
    }
    for (size_t more = 0; more < 2; more++) {
        start();
        add(push_ipv4, sizeof push_ipv4);
        fal_bits_set(built + ETH, 48, 16, more << 13 | 185);
        decode_built(FAL_LINKTYPE_ETHERNET, false);
        layers_are("eth 14, ipv4 20, raw 40");
        issues_are("note fragment");
        ck_assert_str_eq(frame.issues.list[0].field,
                         more ? "more_fragments" : "fragment_offset");
        encodes_back();
    }
}
END_TEST

START_TEST(fragments_of_ipv6)
{
    static const struct {
        uint8_t ext[8];
        const char *layers, *issues;
    } rows[] = {
        {{17, 0, 0, 1, 0, 0, 0, 9},
         "eth 14, ipv6 40, ipv6_ext 8, udp 8, falcon 32",
         "note fragment"},
        {{17, 0, 0, 9, 0, 0, 0, 9}, "eth 14, ipv6 40, ipv6_ext 8, raw 40", "note fragment"},
        {{17, 0, 0, 8, 0, 0, 0, 9}, "eth 14, ipv6 40, ipv6_ext 8, raw 40", "note fragment"},
        {{17, 0, 0, 0, 0, 0, 0, 9}, "eth 14, ipv6 40, ipv6_ext 8, udp 8, falcon 32", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        chained(rows[i].ext, 8, FAL_PROTOCOL_FRAGMENT);
        decode_built(FAL_LINKTYPE_ETHERNET, false);
        layers_are(rows[i].layers);
        issues_are(rows[i].issues);
        encodes_back();
    }
    ck_assert_uint_eq(frame.issues.count, 0);
}
END_TEST

/* A sealed packet is not opened by its first fragment, and gives no issue. */
START_TEST(a_sealed_fragment_is_cut)
{
    const struct fal_frame_keys all = {keys, esp_keys};

    for (int encap = FAL_ENCAP_PSP_TRANSPORT; encap < FAL_ENCAP_BARE; encap++) {
        struct fal_frame f;
        int n;

        memset(&f, 0, sizeof f);
        fal_falcon_init(&f.falcon, FAL_EACK);
        fal_frame_encapsulate(&f, (enum fal_encap)encap, 4);
        f.esp.spi = SAMPLE_ESP_SPI;
        n = fal_frame_encode_with(&f, &all, 0, built, sizeof built, NULL);
        ck_assert_int_gt(n, 0);
        built_len = (size_t)n - 32;
        fal_bits_set(built + ETH, 16, 16, built_len - ETH);
        fal_bits_set(built + ETH, 48, 16, 0x2000);
        fal_bits_set(built + ETH, 80, 16, 0);
        fal_bits_set(built + ETH, 80, 16, 0xffff & ~0u);
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        ck_assert_int_eq(frame.psp_state + frame.esp_state, FAL_PSP_TRUNCATED);
        ck_assert(!fal_frame_has(&frame, FAL_LAYER_FALCON));
        for (size_t i = 0; i < frame.issues.count; i++)
            ck_assert(frame.issues.list[i].severity == FAL_NOTE ||
                      strcmp(frame.issues.list[i].code, "bad-checksum") == 0);
        encodes_back();
    }
}
END_TEST

/* ---- ESP ---- */

/* clang-format off */
static const uint8_t esp_transport[] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00,
    0x45, 0x00, 0x00, 0x58, 0x00, 0x00, 0x00, 0x00, 0x40, 0x32, 0x66, 0x72, /* 88 bytes, ESP */
    0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x02,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x07, /* SPI 0x100, sequence number 7 */
    0x27, 0x54, 0xc3, 0xbd, 0xf3, 0x76, 0xbc, 0x25, /* IV */
    0xc8, 0x50, 0xff, 0x61, 0xc7, 0x60, 0xf7, 0x1d, 0xe6, 0x6c, 0xba, 0x35, 0x4c, 0xbc, 0xd1, 0x1a,
    0xb3, 0x7c, 0x7b, 0xb0, 0x76, 0xad, 0xea, 0xe5, 0x57, 0xcc, 0x4b, 0xf1, 0x73, 0xec, 0x04, 0xbb,
    0xd3, 0xca, 0xfd, 0x47,
    0x19, 0x17, 0x90, 0x02, 0xc4, 0x9c, 0x3a, 0xcd, 0x88, 0x18, 0x7a, 0xb5, 0x7f, 0xf7, 0xae, 0xdb,
};

/* AES-GCM-256, an ICV of 12 bytes */
static const uint8_t esp_tunnel[] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00,
    0x45, 0x00, 0x00, 0x68, 0x00, 0x00, 0x00, 0x00, 0x40, 0x32, 0x66, 0x62, /* 104 bytes */
    0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x02,
    0x00, 0x00, 0x01, 0x03, 0x00, 0x00, 0x00, 0x08, /* SPI 0x103, sequence number 8 */
    0x27, 0x54, 0xc3, 0xbd, 0xf3, 0x76, 0xbc, 0x25,
    0xe5, 0x9b, 0x44, 0xd1, 0x7d, 0x47, 0xb2, 0x20, 0xbc, 0xf5, 0x51, 0x62, 0x95, 0xa2, 0x86, 0xc5,
    0xca, 0x43, 0x19, 0x8f, 0xf1, 0x64, 0x19, 0xae, 0x57, 0x8a, 0x75, 0x5d, 0x04, 0x64, 0x3b, 0xe9,
    0x3e, 0xd1, 0x2c, 0xf8, 0x68, 0x22, 0x57, 0xa2, 0xef, 0x18, 0xba, 0x0f, 0xc5, 0x10, 0xe5, 0x24,
    0x54, 0x13, 0xbc, 0x56, 0xec, 0x38, 0x5b, 0x6f,
    0x4f, 0x9e, 0x92, 0x47, 0xc1, 0xa8, 0x37, 0x00, 0x0c, 0x95, 0xf0, 0xd9,
};

/* Null, no ICV: all in the clear */
static const uint8_t esp_null[] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00,
    0x45, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x40, 0x32, 0x66, 0x8a, /* 64 bytes */
    0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x02,
    0x00, 0x00, 0x01, 0x06, 0x00, 0x00, 0x00, 0x09, /* SPI 0x106, sequence number 9 */
    0x10, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00, 0x12, /* a BACK to CID 17 */
    0x00, 0x00, 0x00, 0x64, 0x00, 0x00, 0x00, 0xc8, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x08, 0x32,
    0x32, 0x00, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x18,
    0x01, 0x02, 0x02, 0xfc, /* padding 1, 2; its length; next header 252 */
};
/* clang-format on */

static void esp_frame(const uint8_t *bytes, size_t len)
{
    start();
    add(bytes, len);
}

START_TEST(FTP_7_1_01_02_golden_esp_transport)
{
    esp_frame(esp_transport, sizeof esp_transport);
    decode_built(FAL_LINKTYPE_ETHERNET, true);
    layers_are("eth 14, ipv4 20, esp 16, falcon 28");
    issues_are("");
    ck_assert_int_eq(frame.esp_state, FAL_PSP_GOOD);
    ck_assert(!frame.unauthenticated && !frame.damaged);
    ck_assert_uint_eq(frame.esp.spi, 0x100);
    ck_assert_uint_eq(frame.esp.sequence_number, 7);
    ck_assert_uint_eq(frame.esp_iv.iv, 0x2754c3bdf376bc25);
    ck_assert(frame.esp_has_iv && frame.esp_has_trailer);
    ck_assert_uint_eq(frame.esp_trailer.pad_length, 2);
    ck_assert_uint_eq(frame.esp_trailer.next_header, 252);
    ck_assert_uint_eq(frame.esp_padding.len, 2);
    ck_assert_uint_eq(frame.esp_icv.len, 16);
    ck_assert_uint_eq(frame.falcon.psn, 300);
    ck_assert_uint_eq(frame.payload.len, 4);
    ck_assert_mem_eq(frame.payload.bytes, "\xde\xad\xbe\xef", 4);
    encodes_back();
}
END_TEST

START_TEST(FTP_7_1_01_02_golden_esp_tunnel)
{
    esp_frame(esp_tunnel, sizeof esp_tunnel);
    decode_built(FAL_LINKTYPE_ETHERNET, true);
    layers_are("eth 14, ipv4 20, esp 16, inner_ipv4 20, falcon 32");
    issues_are("");
    ck_assert_int_eq(frame.esp_state, FAL_PSP_GOOD);
    ck_assert_uint_eq(frame.esp_icv.len, 12);
    ck_assert_uint_eq(frame.esp_trailer.next_header, 4);
    ck_assert_uint_eq(frame.inner_ipv4.src, 0x0a010001);
    ck_assert_uint_eq(frame.inner_ipv4.dst, 0x0a010002);
    ck_assert_uint_eq(frame.inner_ipv4.protocol, 252);
    ck_assert_uint_eq(frame.ipv4.dst, 0x0a000002);
    ck_assert_uint_eq(frame.falcon.t2, 0x832);
    encodes_back();
}
END_TEST

/* Encoding the same packet gives the same bytes: padding, ICV and all. */
START_TEST(FTP_7_1_01_02_golden_esp_is_written)
{
    const struct fal_frame_keys all = {keys, esp_keys};
    struct fal_frame f;
    uint8_t out[BIG];

    esp_frame(esp_tunnel, sizeof esp_tunnel);
    decode_built(FAL_LINKTYPE_ETHERNET, true);
    memset(&f, 0, sizeof f);
    f.falcon = frame.falcon;
    fal_frame_encapsulate(&f, FAL_ENCAP_ESP_TUNNEL, 4);
    f.esp.spi = 0x103;
    f.esp.sequence_number = 8;
    f.esp_iv.iv = UINT64_C(0x2754c3bdf376bc25);
    ck_assert_int_eq(fal_frame_encode_with(&f, &all, 0, out, sizeof out, NULL),
                     (int)sizeof esp_tunnel);
    ck_assert_mem_eq(out, esp_tunnel, sizeof esp_tunnel);
    ck_assert_int_eq(fal_frame_encode(&f, NULL, 0, out, sizeof out, NULL), FAL_ERR_KEY);
    f.esp.spi = 0x999;
    ck_assert_int_eq(fal_frame_encode_with(&f, &all, 0, out, sizeof out, NULL), FAL_ERR_KEY);
}
END_TEST

START_TEST(esp_without_a_key_says_nothing)
{
    for (int scratched = 0; scratched < 2; scratched++) {
        esp_frame(esp_transport, sizeof esp_transport);
        built[ETH + 10] ^= 1; /* the checksums of other protocols are not checked */
        if (scratched == 0) {
            decode_built(FAL_LINKTYPE_ETHERNET, false);
            layers_are("eth 14, ipv4 20, esp 8");
            issues_are("");
            ck_assert(!frame.esp_has_iv);
            ck_assert_uint_eq(frame.payload.len, sizeof esp_transport - IP4 - 8);
            ck_assert_uint_eq(frame.esp_icv.len, 0);
        } else { /* keys, but no room to open it */
            ck_assert_int_eq(
                fal_frame_decode(
                    &(struct fal_captured){built, built_len, built_len, FAL_LINKTYPE_ETHERNET},
                    all_keys(), NULL, &frame),
                0);
            layers_are("eth 14, ipv4 20, esp 16");
            issues_are("error bad-checksum");
            ck_assert_uint_eq(frame.esp_icv.len, 16);
        }
        ck_assert_int_eq(frame.esp_state, FAL_PSP_NO_KEY);
        encodes_back();
    }
}
END_TEST

/* Every bit from the sequence number on: nothing beyond the IV is decoded. */
START_TEST(FTP_9_2_2_1_05_a_bad_icv_of_esp_ends_the_reading)
{
    for (size_t bit = 32; bit < 8 * (sizeof esp_transport - IP4); bit++) {
        const struct fal_issue *issue;

        esp_frame(esp_transport, sizeof esp_transport);
        built[IP4 + bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        layers_are("eth 14, ipv4 20, esp 16");
        issues_are("error bad-icv");
        issue = &frame.issues.list[0];
        ck_assert_str_eq(issue->layer, "esp");
        ck_assert_str_eq(issue->requirement, "FTP-9.2.2.1-05");
        ck_assert_uint_eq(issue->offset, sizeof esp_transport - 16);
        ck_assert_int_eq(frame.esp_state, FAL_PSP_BAD);
        ck_assert(frame.damaged);
        encodes_back();
    }
}
END_TEST

START_TEST(null_esp_is_read_and_marked)
{
    esp_frame(esp_null, sizeof esp_null);
    decode_built(FAL_LINKTYPE_ETHERNET, true);
    layers_are("eth 14, ipv4 20, esp 8, falcon 32");
    issues_are("");
    ck_assert_int_eq(frame.esp_state, FAL_PSP_NO_KEY);
    ck_assert(frame.unauthenticated && !frame.esp_has_iv && frame.esp_has_trailer);
    ck_assert_uint_eq(frame.falcon.dest_cid, 17);
    ck_assert_uint_eq(frame.payload.len, 0);
    encodes_back();
    decode_built(FAL_LINKTYPE_ETHERNET, false); /* it cannot be known that it is null */
    layers_are("eth 14, ipv4 20, esp 8");
    /* Its next header is at the end: a truncated packet has none. */
    decode_as(built, built_len - 1, built_len, FAL_LINKTYPE_ETHERNET, all_keys());
    layers_are("eth 14, ipv4 20, esp 8");
    issues_are("");
    ck_assert_int_eq(frame.esp_state, FAL_PSP_TRUNCATED);
    ck_assert(!frame.unauthenticated);
}
END_TEST

START_TEST(padding_and_trailer_of_esp)
{
    static const struct {
        uint8_t last[4];
        const char *layers, *issues;
    } rows[] = {
        {{1, 2, 2, 252}, "eth 14, ipv4 20, esp 8, falcon 32", ""},
        {{1, 3, 2, 252}, "eth 14, ipv4 20, esp 8, falcon 32", "warning bad-padding"},
        {{0, 2, 2, 252}, "eth 14, ipv4 20, esp 8, falcon 32", "warning bad-padding"},
        {{1, 2, 2, 59}, "eth 14, ipv4 20, esp 8, raw 32", ""},
        {{1, 2, 2, 6}, "eth 14, ipv4 20, esp 8, raw 32", "note not-falcon"},
        {{1, 2, 34, 59}, "eth 14, ipv4 20, esp 8, raw 0", "warning bad-padding"},
        {{1, 2, 35, 252}, "eth 14, ipv4 20, esp 8, raw 36", "error bad-header"},
        {{1, 2, 255, 252}, "eth 14, ipv4 20, esp 8, raw 36", "error bad-header"},
        {{1, 2, 2, 4}, "eth 14, ipv4 20, esp 8, inner_ipv4 20, raw 12", "error bad-header"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        esp_frame(esp_null, sizeof esp_null);
        memcpy(built + built_len - 4, rows[i].last, 4);
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        layers_are(rows[i].layers);
        issues_are(rows[i].issues);
        if (i == 4) {
            ck_assert_str_eq(frame.issues.list[0].layer, "esp");
            ck_assert_str_eq(frame.issues.list[0].field, "next_header");
            ck_assert_uint_eq(frame.issues.list[0].offset, sizeof esp_null - 1);
            ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].seen), 6);
        }
        if (i == 7) {
            ck_assert_str_eq(frame.issues.list[0].field, "pad_length");
            ck_assert_uint_eq(frame.issues.list[0].offset, sizeof esp_null - 2);
            ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].seen), 255);
            ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].due), 34);
        }
        if (i == 1)
            ck_assert_uint_eq(frame.issues.list[0].offset, sizeof esp_null - 3);
        encodes_back();
    }
}
END_TEST

/* Too short for IV, trailer and ICV: at every length. */
START_TEST(an_esp_packet_has_room_for_its_parts)
{
    for (size_t body = 0; body < 30; body++) {
        esp_frame(esp_transport, IP4 + 8 + body);
        fal_bits_set(built + ETH, 16, 16, 28 + body);
        fal_bits_set(built + ETH, 80, 16, 0x6672u + 88 - 28 - body);
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        ck_assert_int_eq(frame.esp_state, FAL_PSP_BAD);
        ck_assert(frame.damaged);
        issues_are(body < 26 ? "error header-too-short" : "error bad-icv");
        if (body < 26)
            ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].due), 26);
        encodes_back();
    }
}
END_TEST

static void in_udp(uint16_t src, uint16_t dst, const void *payload, size_t len)
{
    uint8_t udp[8] = {0};

    start();
    add(push_ipv4, IP4);
    fal_bits_set(udp, 0, 16, src);
    fal_bits_set(udp, 16, 16, dst);
    fal_bits_set(udp, 32, 16, 8 + len);
    add(udp, sizeof udp);
    add(payload, len);
    fal_bits_set(built + ETH, 16, 16, 28 + len);
    fal_bits_set(built + ETH, 80, 16, 0x13c2u + 60 - 28 - len);
}

/* RFC 3948: ESP, IKE and keepalives on one port. */
START_TEST(esp_in_udp)
{
    const uint8_t *esp = esp_transport + IP4;
    size_t len = sizeof esp_transport - IP4;
    static const uint8_t ike[28] = {[4] = 1}, keepalive[] = {0xff};

    for (int back = 0; back < 2; back++) {
        in_udp(back ? 4500 : 31337, back ? 31337 : 4500, esp, len);
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        layers_are("eth 14, ipv4 20, udp 8, esp 16, falcon 28");
        issues_are("");
        encodes_back();
        decode_built(FAL_LINKTYPE_ETHERNET, false);
        layers_are("eth 14, ipv4 20, udp 8, esp 8");
        issues_are("");
    }
    built[IP4 + 5] ^= 1; /* the length of UDP: wrong, if the packet is ours */
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    issues_are("");
    encodes_back();
    decode_built(FAL_LINKTYPE_ETHERNET, true);
    ck_assert_str_eq(frame.issues.list[0].code, "bad-udp-length");
    in_udp(4500, 4500, ike, sizeof ike);
    decode_built(FAL_LINKTYPE_ETHERNET, true);
    layers_are("eth 14, ipv4 20, udp 8, raw 28");
    issues_are("");
    in_udp(4500, 4500, keepalive, 1);
    decode_built(FAL_LINKTYPE_ETHERNET, true);
    layers_are("eth 14, ipv4 20, udp 8, raw 1");
    issues_are("");
    in_udp(4500, 4500, esp, 7);
    decode_built(FAL_LINKTYPE_ETHERNET, true);
    layers_are("eth 14, ipv4 20, udp 8, raw 7");
    issues_are("");
}
END_TEST

/* ---- tunnels ---- */

/* "gcm256-tunnel-ipv4-back" of tests/data/psp-vectors.json */
/* clang-format off */
static const uint8_t psp_tunnel[] = {
    0x04, 0x01, 0x06, 0x05, 0x80, 0x00, 0x00, 0x05, /* IPv4, 1; crypt offset 6; version 1, 1; SPI */
    0x3d, 0x33, 0xa6, 0x85, 0x5f, 0xd1, 0x1a, 0x32, /* IV */
    0x45, 0x00, 0x00, 0x34, 0x00, 0x01, 0x00, 0x00, 0x40, 0xfc, 0x65, 0xcb, /* 52 bytes, protocol 252 */
    0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x02,
    0x10, 0x0a, 0x0b, 0x0c, /* in the clear so far: version 1, CID 0a0b0c */
    0xe9, 0x9e, 0x25, 0x86, 0xda, 0x8e, 0x37, 0x6f, 0xac, 0x14, 0x01, 0x12, 0x23, 0x54, 0x66, 0xcc,
    0x90, 0xb0, 0x93, 0x7e, 0xcb, 0x49, 0x3d, 0xa2, 0x7c, 0x1a, 0x28, 0x84,
    0xda, 0xa5, 0xe1, 0x97, 0xff, 0x21, 0xe2, 0x53, 0x70, 0xd5, 0xa4, 0x07, 0xad, 0xd2, 0xb2, 0x32,
};
/* clang-format on */

START_TEST(FTP_7_1_01_02_03_golden_psp_tunnel)
{
    uint32_t cid = 0;

    in_udp(49152, 1000, psp_tunnel, sizeof psp_tunnel);
    decode_built(FAL_LINKTYPE_ETHERNET, true);
    layers_are("eth 14, ipv4 20, udp 8, psp 16, inner_ipv4 20, falcon 32");
    issues_are("");
    ck_assert_int_eq(frame.psp_state, FAL_PSP_GOOD);
    ck_assert_uint_eq(frame.inner_ipv4.identification, 1);
    ck_assert_uint_eq(frame.inner_ipv4.dst, 0x0a000002);
    ck_assert_uint_eq(frame.falcon.dest_cid, 0x0a0b0c);
    ck_assert_uint_eq(frame.falcon.packet_type, FAL_BACK);
    ck_assert(!fal_frame_sealed_cid(&frame, &cid));
    encodes_back();
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    layers_are("eth 14, ipv4 20, udp 8, psp 16");
    issues_are("");
    ck_assert_uint_eq(frame.psp_clear.len, 24);
    ck_assert(fal_frame_sealed_cid(&frame, &cid));
    ck_assert_uint_eq(cid, 0x0a0b0c);
    encodes_back();
}
END_TEST

static struct fal_frame tunnelled;

/* A tunnel, as the laboratory makes it, into `built`. */
static void draft(enum fal_encap encap, int version, bool vc)
{
    memset(&tunnelled, 0, sizeof tunnelled);
    fal_falcon_init(&tunnelled.falcon, FAL_BACK);
    tunnelled.falcon.dest_cid = 0x123456;
    fal_frame_encapsulate(&tunnelled, encap, version);
    tunnelled.esp.spi = SAMPLE_ESP_SPI;
    tunnelled.psp.v = vc;
    tunnelled.psp_vc.vc = 0x1122334455667788;
    fal_frame_chain(&tunnelled);
}

static void write_tunnel(unsigned keep)
{
    const struct fal_frame_keys all = {keys, esp_keys};
    int n = fal_frame_encode_with(&tunnelled, &all, keep, built, sizeof built, NULL);

    ck_assert_int_gt(n, 0);
    built_len = (size_t)n;
}

START_TEST(FTP_7_1_03_crypt_offset_of_a_tunnel)
{
    static const unsigned due[2][2] = {{6, 8}, {11, 13}};

    for (int v6 = 0; v6 < 2; v6++) {
        for (int vc = 0; vc < 2; vc++) {
            for (unsigned offset = 0; offset <= 13; offset++) {
                draft(FAL_ENCAP_PSP_TUNNEL, v6 ? 6 : 4, vc);
                ck_assert_uint_eq(tunnelled.psp.crypt_offset, due[v6][vc]);
                tunnelled.psp.crypt_offset = (uint8_t)offset;
                write_tunnel(0);
                for (int with_keys = 0; with_keys < 2; with_keys++) {
                    decode_built(FAL_LINKTYPE_ETHERNET, with_keys);
                    issues_are(offset == due[v6][vc] ? "" : "error wrong-crypt-offset");
                    ck_assert_int_eq(fal_frame_has(&frame, FAL_LAYER_FALCON), with_keys);
                    if (with_keys)
                        ck_assert_uint_eq(frame.falcon.dest_cid, 0x123456);
                    if (offset != due[v6][vc])
                        ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].due), due[v6][vc]);
                    encodes_back();
                }
            }
        }
    }
}
END_TEST

/* With options in the inner header the CID stands further back. */
START_TEST(options_of_the_inner_header_move_the_crypt_offset)
{
    static const uint8_t options[] = {1, 1, 1, 1, 1, 1, 1, 1};
    uint32_t cid = 0;

    draft(FAL_ENCAP_PSP_TUNNEL, 4, false);
    tunnelled.inner_ipv4_options = (struct fal_span){options, sizeof options};
    fal_frame_chain(&tunnelled);
    ck_assert_uint_eq(tunnelled.psp.crypt_offset, 8);
    write_tunnel(0);
    decode_built(FAL_LINKTYPE_ETHERNET, true);
    layers_are("eth 14, ipv4 20, udp 8, psp 16, inner_ipv4 28, falcon 32");
    issues_are("");
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    issues_are("");
    ck_assert(fal_frame_sealed_cid(&frame, &cid));
    ck_assert_uint_eq(cid, 0x123456);
    tunnelled.psp.crypt_offset = 6;
    write_tunnel(0);
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    issues_are("error wrong-crypt-offset");
    ck_assert_uint_eq(fal_u128_lo(frame.issues.list[0].due), 8);
    ck_assert(!fal_frame_sealed_cid(&frame, &cid));
}
END_TEST

/* An inner header is held to the same standard, under its own name, at its own offset. */
START_TEST(FTP_9_2_2_1_01_03_inner_headers_are_linted)
{
    for (int esp = 0; esp < 2; esp++) {
        uint32_t at = esp ? IP4 + 16 : UDP4 + 16;

        draft(esp ? FAL_ENCAP_ESP_TUNNEL : FAL_ENCAP_PSP_TUNNEL, 4, false);
        tunnelled.inner_ipv4.reserved_0 = 1;
        write_tunnel(0);
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        issues_are("warning reserved-not-zero");
        ck_assert_str_eq(frame.issues.list[0].layer, "inner_ipv4");
        ck_assert_uint_eq(frame.issues.list[0].offset, at + 6);

        /* A frame whose lengths and checksums are all as they are, but for one inside. */
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        tunnelled = frame;
        tunnelled.inner_ipv4.reserved_0 = 0;
        tunnelled.udp.checksum = 0;
        write_tunnel(FAL_KEEP_CHECKSUMS);
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        issues_are("error bad-checksum");
        ck_assert_str_eq(frame.issues.list[0].layer, "inner_ipv4");
        ck_assert_uint_eq(frame.issues.list[0].offset, at + 10);
        ck_assert_str_eq(frame.issues.list[0].requirement, "FTP-9.2.2.1-03");
        ck_assert(frame.damaged);

        decode_built(FAL_LINKTYPE_ETHERNET, true);
        tunnelled = frame;
        tunnelled.inner_ipv4.total_length++;
        write_tunnel(FAL_KEEP_LENGTHS);
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        issues_are("error bad-ip-length");
        ck_assert_str_eq(frame.issues.list[0].layer, "inner_ipv4");
        ck_assert_uint_eq(frame.issues.list[0].offset, at + 2);
    }
}
END_TEST

/* ESP hides the length of its content in this way; in PSP it is a note. */
START_TEST(bytes_after_the_inner_packet)
{
    static const uint8_t more[] = "padding of the flow";

    for (int esp = 0; esp < 2; esp++) {
        for (int v6 = 0; v6 < 2; v6++) {
            draft(esp ? FAL_ENCAP_ESP_TUNNEL : FAL_ENCAP_PSP_TUNNEL, v6 ? 6 : 4, false);
            tunnelled.inner_trailer = (struct fal_span){more, sizeof more};
            write_tunnel(0);
            decode_built(FAL_LINKTYPE_ETHERNET, true);
            issues_are(esp ? "" : "note inner-trailer");
            ck_assert(fal_frame_has(&frame, FAL_LAYER_FALCON) && !frame.damaged);
            ck_assert_uint_eq(frame.inner_trailer.len, sizeof more);
            ck_assert_mem_eq(frame.inner_trailer.bytes, more, sizeof more);
            ck_assert_uint_eq(frame.payload.len, 0);
            encodes_back();
        }
    }
}
END_TEST

START_TEST(a_tunnel_carries_other_things_too)
{
    for (int esp = 0; esp < 2; esp++) {
        draft(esp ? FAL_ENCAP_ESP_TUNNEL : FAL_ENCAP_PSP_TUNNEL, 6, false);
        tunnelled.inner_ipv6.next_header = 6;
        write_tunnel(0);
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        ck_assert(fal_frame_has(&frame, FAL_LAYER_INNER_IPV6));
        ck_assert(fal_frame_has(&frame, FAL_LAYER_RAW));
        issues_are("");
        encodes_back();
    }
}
END_TEST

START_TEST(an_inner_chain_and_inner_fragments)
{
    static const uint8_t options[] = {252, 0, 1, 4, 0, 0, 0, 0},
                         later[] = {252, 0, 0, 16, 0, 0, 0, 1};

    for (int fragment = 0; fragment < 2; fragment++) {
        draft(FAL_ENCAP_ESP_TUNNEL, 6, false);
        sample_insert(&tunnelled, 4, FAL_LAYER_INNER_IPV6_EXT);
        tunnelled.inner_ipv6_ext = (struct fal_span){fragment ? later : options, 8};
        tunnelled.inner_ipv6.next_header = fragment ? 44 : 60;
        write_tunnel(0);
        decode_built(FAL_LINKTYPE_ETHERNET, true);
        layers_are(fragment
                       ? "eth 14, ipv6 40, esp 16, inner_ipv6 40, inner_ipv6_ext 8, raw 32"
                       : "eth 14, ipv6 40, esp 16, inner_ipv6 40, inner_ipv6_ext 8, falcon 32");
        issues_are(fragment ? "note fragment" : "");
        encodes_back();
    }
}
END_TEST

/* ---- RoCE ---- */

START_TEST(a_cnp_is_read)
{
    static const uint8_t cnp[] = {
        0x81, 0x00, 0xff, 0xff, /* CNP, partition key */
        0x40, 0x12, 0x34, 0x56, /* BECN; destination QP */
        0x00, 0x00, 0x00, 0x00, /* PSN */
        0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef,
    };

    in_udp(49152, 4791, cnp, sizeof cnp);
    built[ETH + 10] ^= 1; /* of another protocol: not checked */
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    layers_are("eth 14, ipv4 20, udp 8, roce 12");
    issues_are("");
    ck_assert_uint_eq(frame.roce.opcode, 0x81);
    ck_assert_uint_eq(frame.roce.dest_qp, 0x123456);
    ck_assert_uint_eq(frame.payload.len, 20);
    encodes_back();
    in_udp(49152, 4791, cnp, 11);
    decode_built(FAL_LINKTYPE_ETHERNET, false);
    layers_are("eth 14, ipv4 20, udp 8, raw 11");
    issues_are("");
}
END_TEST

/* ---- every bit ---- */

/* Each golden frame with each bit turned: nothing breaks, nothing is lost. */
START_TEST(every_bit_of_every_golden_frame)
{
    static const struct {
        const uint8_t *bytes;
        size_t len;
    } golden[] = {{push_ipv4, sizeof push_ipv4},
                  {back_ipv6, sizeof back_ipv6},
                  {esp_transport, sizeof esp_transport},
                  {esp_tunnel, sizeof esp_tunnel},
                  {esp_null, sizeof esp_null}};

    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        for (size_t bit = 0; bit < 8 * golden[i].len; bit++) {
            esp_frame(golden[i].bytes, golden[i].len);
            built[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
            for (int with_keys = 0; with_keys < 2; with_keys++) {
                decode_built(FAL_LINKTYPE_ETHERNET, with_keys);
                encodes_back();
            }
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("frame_layers");
    TCase *tcase = tcase_create("frame_layers");

    tcase_add_checked_fixture(tcase, make_keys, free_keys);
    tcase_add_test(tcase, one_and_two_tags);
    tcase_add_test(tcase, tags_before_ipv6_and_cut_tags);
    tcase_add_test(tcase, cooked);
    tcase_add_test(tcase, a_chain_of_extension_headers);
    tcase_add_test(tcase, segments_left_hide_the_destination);
    tcase_add_test(tcase, reserved_bits_of_a_fragment_header_warn);
    tcase_add_test(tcase, a_chain_ends_where_its_bytes_do);
    tcase_add_test(tcase, a_chain_of_many);
    tcase_add_test(tcase, fragments_of_ipv4);
    tcase_add_test(tcase, fragments_of_ipv6);
    tcase_add_test(tcase, a_sealed_fragment_is_cut);
    tcase_add_test(tcase, FTP_7_1_01_02_golden_esp_transport);
    tcase_add_test(tcase, FTP_7_1_01_02_golden_esp_tunnel);
    tcase_add_test(tcase, FTP_7_1_01_02_golden_esp_is_written);
    tcase_add_test(tcase, esp_without_a_key_says_nothing);
    tcase_add_test(tcase, FTP_9_2_2_1_05_a_bad_icv_of_esp_ends_the_reading);
    tcase_add_test(tcase, null_esp_is_read_and_marked);
    tcase_add_test(tcase, padding_and_trailer_of_esp);
    tcase_add_test(tcase, an_esp_packet_has_room_for_its_parts);
    tcase_add_test(tcase, esp_in_udp);
    tcase_add_test(tcase, FTP_7_1_01_02_03_golden_psp_tunnel);
    tcase_add_test(tcase, FTP_7_1_03_crypt_offset_of_a_tunnel);
    tcase_add_test(tcase, options_of_the_inner_header_move_the_crypt_offset);
    tcase_add_test(tcase, FTP_9_2_2_1_01_03_inner_headers_are_linted);
    tcase_add_test(tcase, bytes_after_the_inner_packet);
    tcase_add_test(tcase, a_tunnel_carries_other_things_too);
    tcase_add_test(tcase, an_inner_chain_and_inner_fragments);
    tcase_add_test(tcase, a_cnp_is_read);
    tcase_add_test(tcase, every_bit_of_every_golden_frame);
    suite_add_tcase(suite, tcase);
    return suite;
}
