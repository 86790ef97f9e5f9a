/* SPDX-License-Identifier: Apache-2.0
 * Encoding of frames: values that are filled in, kept, or refused; and encoding undoes decoding
 * for any bytes. */
#include "codecs/frame/checksum.h"
#include "codecs/frame/sample_frames_test.h"
#include "tests/testing.h"

#include <stdlib.h>

static struct fal_psp_keys *keys;
static struct fal_frame_keys all_keys;
static struct fal_frame frame, back;
static uint8_t out[70000], scratch[70000];

static void set_up(void)
{
    keys = sample_keys();
    ck_assert_ptr_nonnull(keys);
    all_keys = (struct fal_frame_keys){keys, sample_esp_keys()};
    ck_assert_ptr_nonnull(all_keys.esp);
    memset(&frame, 0, sizeof frame);
    memset(out, 0xee, sizeof out);
}

static void tear_down(void)
{
    fal_psp_keys_free(keys);
    fal_esp_keys_free(all_keys.esp);
}

static void draft(enum fal_packet_type type, enum fal_encap encap, int ip_version)
{
    memset(&frame, 0, sizeof frame);
    fal_falcon_init(&frame.falcon, type);
    fal_frame_encapsulate(&frame, encap, ip_version);
    frame.esp.spi = SAMPLE_ESP_SPI;
}

static int encode(unsigned keep)
{
    return fal_frame_encode_with(&frame, &all_keys, keep, out, sizeof out, NULL);
}

static void decode(size_t len, unsigned linktype)
{
    const struct fal_frame_options options = {.psp_keys = keys, .esp_keys = all_keys.esp};

    ck_assert_int_eq(fal_frame_decode(&(struct fal_captured){out, len, len, linktype}, &options,
                                      scratch, &back),
                     0);
}

/* ---- what is filled in ---- */

START_TEST(encapsulations_and_types_encode_without_an_issue)
{
    /* ESP: header, IV, 2 bytes of padding, trailer, ICV */
    static const size_t around[FAL_ENCAP_COUNT][2] = {
        {14 + 20 + 8, 14 + 40 + 8},
        {14 + 20 + 8 + 32, 14 + 40 + 8 + 32},
        {14 + 20 + 8 + 32 + 20, 14 + 40 + 8 + 32 + 40},
        {14 + 20 + 16 + 4 + 16, 14 + 40 + 16 + 4 + 16},
        {14 + 20 + 16 + 20 + 4 + 16, 14 + 40 + 16 + 40 + 4 + 16},
        {0, 0},
    };

    for (int encap = FAL_ENCAP_UDP; encap < FAL_ENCAP_COUNT; encap++) {
        for (int ip = 4; ip <= 6; ip += 2) {
            for (size_t t = 0; t < SAMPLE_TYPES; t++) {
                size_t header = fal_falcon_layout(sample_types[t])->size_bytes;
                int n;

                draft(sample_types[t], (enum fal_encap)encap, ip);
                n = encode(0);
                ck_assert_int_eq(n, (int)(header + around[encap][ip / 2 - 2]));
                decode((size_t)n, frame.linktype);
                ck_assert_uint_eq(back.issues.count, 0);
                ck_assert(test_same_packet(&back.falcon, &frame.falcon));
                ck_assert_uint_eq(back.num_layers, frame.num_layers);
                for (size_t i = 0; i < frame.num_layers; i++) {
                    ck_assert_int_eq(back.layers[i].id, frame.layers[i].id);
                    ck_assert_uint_eq(back.layers[i].offset, frame.layers[i].offset);
                    ck_assert_uint_eq(back.layers[i].len, frame.layers[i].len);
                }
            }
        }
    }
}
END_TEST

START_TEST(the_lab_has_its_addresses_and_ports)
{
    draft(FAL_BACK, FAL_ENCAP_UDP, 4);
    decode((size_t)encode(0), FAL_LINKTYPE_ETHERNET);
    ck_assert_uint_eq(back.eth.src, 0x020000000001);
    ck_assert_uint_eq(back.eth.dst, 0x020000000002);
    ck_assert_uint_eq(back.eth.ethertype, 0x0800);
    ck_assert_uint_eq(back.ipv4.src, 0x0a000001);
    ck_assert_uint_eq(back.ipv4.dst, 0x0a000002);
    ck_assert_uint_eq(back.ipv4.ttl, 64);
    ck_assert_uint_eq(back.udp.src_port, 49152);
    ck_assert_uint_eq(back.udp.dst_port, 7777);
    draft(FAL_BACK, FAL_ENCAP_PSP_TRANSPORT, 6);
    decode((size_t)encode(0), FAL_LINKTYPE_ETHERNET);
    ck_assert_uint_eq(back.eth.ethertype, 0x86dd);
    ck_assert_uint_eq(fal_u128_hi(back.ipv6.src), UINT64_C(0xfd00) << 48);
    ck_assert_uint_eq(fal_u128_lo(back.ipv6.src), 1);
    ck_assert_uint_eq(fal_u128_lo(back.ipv6.dst), 2);
    ck_assert_uint_eq(back.udp.dst_port, 1000);
    ck_assert_uint_eq(back.psp.crypt_offset, 1);
    ck_assert_uint_eq(back.psp.next_header, 252);
}
END_TEST

static const uint8_t data[] = "0123456789";

/* Lengths and checksums that the frame has are replaced, unless they are to be kept. */
START_TEST(lengths_and_checksums_are_filled_in_or_kept)
{
    static const struct {
        unsigned keep;
        bool lengths, checksums, request; /* expected: those of the frame */
    } rows[] = {
        {0, false, false, false},
        {FAL_KEEP_LENGTHS, true, false, false},
        {FAL_KEEP_CHECKSUMS, false, true, false},
        {FAL_KEEP_REQUEST_LENGTH, false, false, true},
        {KEEP_ALL, true, true, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int n;

        draft(FAL_PUSH_DATA, FAL_ENCAP_UDP, 4);
        frame.payload = (struct fal_span){data, 10};
        frame.trailer = (struct fal_span){data, 3};
        frame.ipv4.ihl = 7;
        frame.ipv4.total_length = 0x1111;
        frame.ipv4.header_checksum = 0x2222;
        frame.udp.length = 0x3333;
        frame.udp.checksum = 0x4444;
        frame.falcon.request_length = 0x5555;
        n = encode(rows[i].keep);
        ck_assert_int_eq(n, 14 + 20 + 8 + 28 + 10 + 3);
        ck_assert_uint_eq(out[14], rows[i].lengths ? 0x47 : 0x45);
        ck_assert_uint_eq(fal_bits_get(out + 14, 16, 16), rows[i].lengths ? 0x1111 : 66);
        ck_assert_uint_eq(fal_bits_get(out + 34, 32, 16), rows[i].lengths ? 0x3333 : 46);
        ck_assert_uint_eq(fal_bits_get(out + 42, 208, 16), rows[i].request ? 0x5555 : 10);
        if (rows[i].checksums) {
            ck_assert_uint_eq(fal_bits_get(out + 14, 80, 16), 0x2222);
            ck_assert_uint_eq(fal_bits_get(out + 34, 48, 16), 0x4444);
        } else {
            ck_assert_uint_eq(fal_checksum(out + 14, 20), 0);
            ck_assert_uint_eq(fal_checksum_udp4(&frame.ipv4, out + 34, 46), 0xffff);
        }
        ck_assert_mem_eq(out + n - 13, "0123456789012", 13);
    }
}
END_TEST

START_TEST(ipv6_lengths_are_filled_in_or_kept)
{
    for (int kept = 0; kept < 2; kept++) {
        draft(FAL_PULL_DATA, FAL_ENCAP_PSP_TRANSPORT, 6);
        frame.payload = (struct fal_span){data, 10};
        frame.ipv6.payload_length = 0x1111;
        frame.psp.hdr_ext_len = 9;
        ck_assert_int_eq(encode(kept ? FAL_KEEP_LENGTHS : 0), 14 + 40 + 8 + 16 + 24 + 10 + 16);
        ck_assert_uint_eq(fal_bits_get(out + 14, 32, 16), kept ? 0x1111 : 74);
        ck_assert_uint_eq(out[14 + 40 + 8 + 1], kept ? 9 : 1);
    }
}
END_TEST

/* The length of a pull request is the length it asks for: it cannot be computed. */
START_TEST(only_a_push_has_its_request_length_filled_in)
{
    draft(FAL_PULL_REQUEST, FAL_ENCAP_BARE, 4);
    frame.falcon.request_length = 4096;
    frame.payload = (struct fal_span){data, 10};
    ck_assert_int_eq(encode(0), 42);
    ck_assert_uint_eq(fal_bits_get(out, 208, 16), 4096);
}
END_TEST

START_TEST(options_are_padded_to_words)
{
    for (size_t len = 0; len <= 44; len++) {
        const struct fal_field *bad = NULL;
        uint8_t options[44];
        int n;

        memset(options, 1, sizeof options);
        draft(FAL_BACK, FAL_ENCAP_UDP, 4);
        frame.ipv4_options = (struct fal_span){options, len};
        n = fal_frame_encode(&frame, keys, 0, out, sizeof out, &bad);
        if (len > 40) {
            ck_assert_int_eq(n, FAL_ERR_RANGE);
            ck_assert_str_eq(bad->name, "ihl");
            continue;
        }
        decode((size_t)n, FAL_LINKTYPE_ETHERNET);
        ck_assert_uint_eq(back.issues.count, 0);
        ck_assert_uint_eq(back.ipv4_options.len, (len + 3) / 4 * 4);
        for (size_t i = 0; i < back.ipv4_options.len; i++)
            ck_assert_uint_eq(back.ipv4_options.bytes[i], i < len ? 1 : 0);
        /* Kept as they are, of whatever length. */
        ck_assert_int_eq(encode(FAL_KEEP_LENGTHS), 14 + 20 + (int)len + 8 + 32);
    }
}
END_TEST

/* ---- PSP ---- */

START_TEST(a_given_icv_replaces_the_right_one)
{
    static const uint8_t icv[16] = "not the real one",
                         long_icv[40] = "much more than a tag has";

    for (unsigned version = 0; version < 4; version++) {
        int n;

        draft(FAL_BACK, FAL_ENCAP_PSP_TRANSPORT, 4);
        frame.psp.version = (uint8_t)version;
        n = encode(0);
        decode((size_t)n, FAL_LINKTYPE_ETHERNET);
        ck_assert_int_eq(back.psp_state, FAL_PSP_GOOD);
        frame.psp_icv = (struct fal_span){icv, 16};
        ck_assert_int_eq(encode(FAL_KEEP_ICV), n);
        ck_assert_mem_eq(out + n - 16, icv, 16);
        decode((size_t)n, FAL_LINKTYPE_ETHERNET);
        ck_assert_int_eq(back.psp_state, FAL_PSP_BAD);
        /* One that is too long is cut: it does not reach into the trailer, or beyond the
         * buffer. */
        frame.trailer = (struct fal_span){data, 1};
        memset(out, 0xee, sizeof out);
        if (version < 2) {
            frame.psp_icv = (struct fal_span){long_icv, sizeof long_icv};
            ck_assert_int_eq(
                fal_frame_encode(&frame, keys, FAL_KEEP_ICV, out, (size_t)n + 1, NULL), n + 1);
            ck_assert_mem_eq(out + n - 16, long_icv, 16);
            ck_assert_uint_eq(out[n], '0');
            ck_assert_uint_eq(out[n + 1], 0xee);
        }
        frame.trailer.len = 0;
        frame.psp_icv = (struct fal_span){icv, 16};
        /* Authentication alone needs no key then; encryption does. */
        ck_assert_int_eq(fal_frame_encode(&frame, NULL, FAL_KEEP_ICV, out, sizeof out, NULL),
                         version < 2 ? FAL_ERR_KEY : n);
    }
}
END_TEST

START_TEST(FTP_6_5_01_no_key_no_frame)
{
    draft(FAL_BACK, FAL_ENCAP_PSP_TRANSPORT, 4);
    ck_assert_int_eq(fal_frame_encode(&frame, NULL, 0, out, sizeof out, NULL), FAL_ERR_KEY);
    frame.psp.version = 5;
    ck_assert_int_eq(encode(0), FAL_ERR_TYPE);
    frame.psp.version = 0;
    frame.psp.crypt_offset = 9; /* of 8 words */
    ck_assert_int_eq(encode(0), FAL_ERR_TYPE);
    frame.psp.crypt_offset = 8;
    ck_assert_int_gt(encode(0), 0);
}
END_TEST

/* ---- what is refused ---- */

START_TEST(a_short_buffer_is_refused_at_every_length)
{
    for (int encap = FAL_ENCAP_UDP; encap < FAL_ENCAP_COUNT; encap++) {
        int n;

        draft(FAL_PUSH_DATA, (enum fal_encap)encap, 6);
        frame.payload = (struct fal_span){data, 10};
        frame.trailer = (struct fal_span){data, 3};
        n = encode(0);
        ck_assert_int_gt(n, 0);
        for (int cap = 0; cap < n; cap++) {
            uint8_t *exact = malloc((size_t)cap + 1);

            ck_assert_ptr_nonnull(exact);
            ck_assert_int_eq(
                fal_frame_encode_with(&frame, &all_keys, 0, exact + 1, (size_t)cap, NULL),
                FAL_ERR_SHORT);
            free(exact);
        }
        ck_assert_int_eq(fal_frame_encode_with(&frame, &all_keys, 0, out, (size_t)n, NULL), n);
    }
}
END_TEST

START_TEST(values_too_wide_are_named)
{
    static const struct {
        const struct fal_layout *layout;
        const char *field;
        size_t at; /* of the host struct in the frame */
        int ip;
    } rows[] = {
        {&fal_eth_layout, "dst", offsetof(struct fal_frame, eth), 4},
        {&fal_ipv4_layout, "dscp", offsetof(struct fal_frame, ipv4), 4},
        {&fal_ipv4_layout, "fragment_offset", offsetof(struct fal_frame, ipv4), 4},
        {&fal_ipv6_layout, "flow_label", offsetof(struct fal_frame, ipv6), 6},
        {&fal_psp_layout, "crypt_offset", offsetof(struct fal_frame, psp), 4},
        {&fal_push_data_layout, "dest_cid", offsetof(struct fal_frame, falcon), 4},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fal_field *field = fal_layout_find(rows[i].layout, rows[i].field);
        const struct fal_field *bad = NULL;
        struct fal_field wide = *field;

        wide.width_bits = (uint16_t)(8 * field->member_size);
        draft(FAL_PUSH_DATA, FAL_ENCAP_PSP_TRANSPORT, rows[i].ip);
        ck_assert_int_eq(fal_field_set(&wide, (uint8_t *)&frame + rows[i].at,
                                       fal_u128_with(0, field->width_bits)),
                         0);
        ck_assert_int_eq(fal_frame_encode(&frame, keys, 0, out, sizeof out, &bad),
                         FAL_ERR_RANGE);
        ck_assert_ptr_eq(bad, field);
        ck_assert_int_eq(fal_frame_encode(&frame, keys, 0, out, sizeof out, NULL),
                         FAL_ERR_RANGE);
    }
}
END_TEST

START_TEST(a_packet_too_long_for_its_lengths_is_named)
{
    static uint8_t big[66000];
    static const struct {
        enum fal_packet_type type;
        enum fal_encap encap;
        int ip;
        size_t len; /* the longest payload that fits */
        const char *field;
    } rows[] = {
        {FAL_PULL_DATA, FAL_ENCAP_UDP, 4, 65535 - 20 - 8 - 24, "total_length"},
        {FAL_PULL_DATA, FAL_ENCAP_UDP, 6, 65535 - 8 - 24, "payload_length"},
        {FAL_PUSH_DATA, FAL_ENCAP_BARE, 4, 65535, "request_length"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fal_field *bad = NULL;

        draft(rows[i].type, rows[i].encap, rows[i].ip);
        frame.payload = (struct fal_span){big, rows[i].len};
        ck_assert_int_gt(encode(0), 65535);
        frame.payload.len++;
        ck_assert_int_eq(fal_frame_encode(&frame, keys, 0, out, sizeof out, &bad),
                         FAL_ERR_RANGE);
        ck_assert_str_eq(bad->name, rows[i].field);
    }
    /* UDP without IP around it has a length of its own to overflow. */
    draft(FAL_PULL_DATA, FAL_ENCAP_UDP, 4);
    frame.layers[0].id = FAL_LAYER_UDP;
    frame.layers[1].id = FAL_LAYER_FALCON;
    frame.num_layers = 2;
    frame.payload = (struct fal_span){big, 65535 - 8 - 24};
    ck_assert_int_gt(encode(0), 0);
    frame.payload.len++;
    ck_assert_int_eq(encode(0), FAL_ERR_RANGE);
}
END_TEST

START_TEST(layers_that_cannot_stand_so_are_refused)
{
    draft(FAL_BACK, FAL_ENCAP_PSP_TRANSPORT, 4);
    frame.payload = (struct fal_span){data, 10};
    frame.layers[4] = frame.layers[3]; /* PSP twice: there is one header for both */
    ck_assert_int_eq(encode(0), FAL_ERR_TYPE);
    draft(FAL_BACK, FAL_ENCAP_BARE, 4);
    frame.layers[0].id = FAL_LAYER_COUNT;
    ck_assert_int_eq(encode(0), FAL_ERR_TYPE);
    draft(FAL_BACK, FAL_ENCAP_BARE, 4);
    frame.num_layers = FAL_LAYERS_MAX + 1;
    ck_assert_int_eq(encode(0), FAL_ERR_TYPE);
    draft(FAL_BACK, FAL_ENCAP_BARE, 4);
    frame.falcon.packet_type = 1;
    ck_assert_int_eq(encode(0), FAL_ERR_TYPE);
    frame.num_layers = 0; /* nothing is nothing */
    ck_assert_int_eq(encode(0), 0);
}
END_TEST

/* ---- round trips ---- */

/* Frames of a correct sender: the values drawn are the values read, without an issue. */
START_TEST(what_was_encoded_is_decoded)
{
    uint64_t seed = test_seed(7), state = seed;

    for (unsigned long round = 0; round < test_rounds(3000); round++) {
        uint8_t storage[SAMPLE_PAYLOAD_MAX];
        int n;

        memset(storage, 0, sizeof storage);
        sample_draw(&state, &frame, storage);
        n = encode(0);
        ck_assert_int_gt(n, 0);
        decode((size_t)n, frame.linktype);
        ck_assert_msg(back.issues.count == 0, "%s TALON_SEED=%llu", back.issues.list[0].code,
                      (unsigned long long)seed);
        if (frame.falcon.packet_type == FAL_PUSH_DATA)
            frame.falcon.request_length = (uint16_t)frame.payload.len;
        ck_assert(test_same_packet(&back.falcon, &frame.falcon));
        ck_assert_uint_eq(back.payload.len, frame.payload.len);
        if (frame.payload.len > 0)
            ck_assert_mem_eq(back.payload.bytes, frame.payload.bytes, frame.payload.len);
        ck_assert_uint_eq(back.trailer.len, frame.trailer.len);
        if (fal_frame_has(&frame, FAL_LAYER_IPV4))
            ck_assert_uint_eq(back.ipv4_options.len, frame.ipv4_options.len);
        ck_assert_uint_eq(back.ipv6_ext.len, frame.ipv6_ext.len);
        ck_assert_uint_eq(back.inner_ipv6_ext.len, frame.inner_ipv6_ext.len);
        ck_assert_uint_eq(back.num_layers, frame.num_layers);
        if (fal_frame_has(&frame, FAL_LAYER_ESP)) {
            bool null = frame.esp.spi >= SAMPLE_ESP_SPI + 6;

            ck_assert_int_eq(back.esp_state, null ? FAL_PSP_NO_KEY : FAL_PSP_GOOD);
            ck_assert_int_eq(back.unauthenticated, null);
            ck_assert_uint_eq(back.esp_iv.iv, null ? 0 : frame.esp_iv.iv);
            ck_assert_uint_le(back.esp_padding.len, 3);
            ck_assert_uint_eq(back.esp_sequence_high, null ? 0 : frame.esp_sequence_high);
            if (fal_frame_has(&frame, FAL_LAYER_UDP)) /* RFC 3948 */
                ck_assert_uint_eq(back.udp.checksum, 0);
        }
        if (fal_frame_has(&frame, FAL_LAYER_PSP)) {
            ck_assert_int_eq(back.psp_state, FAL_PSP_GOOD);
            ck_assert_uint_eq(back.psp.iv, frame.psp.iv);
            if (frame.psp.v)
                ck_assert_uint_eq(back.psp_vc.vc, frame.psp_vc.vc);
        }
    }
}
END_TEST

/* Any bytes at all, with keys and without, whole and cut: decoding loses nothing. */
START_TEST(encoding_undoes_decoding)
{
    uint64_t seed = test_seed(8), state = seed;

    for (unsigned long round = 0; round < test_rounds(20000); round++) {
        uint8_t bytes[SAMPLE_MAX], again[SAMPLE_MAX];
        unsigned linktype;
        size_t len = sample_frame(&state, &all_keys, &linktype, bytes), cut;
        const struct fal_frame_options options = {.psp_keys = round % 2 ? keys : NULL,
                                                  .esp_keys = round % 2 ? all_keys.esp : NULL,
                                                  .no_lint = round % 7 == 0};
        const char *fault;
        int n;

        ck_assert_uint_gt(len, 0);
        for (uint64_t flips = test_random(&state) % 6; flips > 0; flips--)
            bytes[test_random(&state) % (round % 3 == 0 ? 48 : len) % len] ^=
                (uint8_t)(1u << test_random(&state) % 8);
        cut = round % 5 == 0 ? test_random(&state) % len : len;
        ck_assert_int_eq(
            fal_frame_decode(
                &(struct fal_captured){bytes, cut, round % 10 == 0 ? len : cut, linktype},
                &options, scratch, &back),
            0);
        fault = frame_fault(&back, bytes, cut, scratch);
        ck_assert_msg(fault == NULL, "round %lu: %s TALON_SEED=%llu", round, fault,
                      (unsigned long long)seed);
        n = fal_frame_encode_with(&back, &all_keys, KEEP_ALL, again, sizeof again, NULL);
        ck_assert_msg(n == (int)cut && memcmp(again, bytes, cut) == 0,
                      "round %lu: %d of %zu TALON_SEED=%llu", round, n, cut,
                      (unsigned long long)seed);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("frame_encode");
    TCase *tcase = tcase_create("frame_encode");

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, encapsulations_and_types_encode_without_an_issue);
    tcase_add_test(tcase, the_lab_has_its_addresses_and_ports);
    tcase_add_test(tcase, lengths_and_checksums_are_filled_in_or_kept);
    tcase_add_test(tcase, ipv6_lengths_are_filled_in_or_kept);
    tcase_add_test(tcase, only_a_push_has_its_request_length_filled_in);
    tcase_add_test(tcase, options_are_padded_to_words);
    tcase_add_test(tcase, a_given_icv_replaces_the_right_one);
    tcase_add_test(tcase, FTP_6_5_01_no_key_no_frame);
    tcase_add_test(tcase, a_short_buffer_is_refused_at_every_length);
    tcase_add_test(tcase, values_too_wide_are_named);
    tcase_add_test(tcase, a_packet_too_long_for_its_lengths_is_named);
    tcase_add_test(tcase, layers_that_cannot_stand_so_are_refused);
    tcase_add_test(tcase, what_was_encoded_is_decoded);
    tcase_add_test(tcase, encoding_undoes_decoding);
    suite_add_tcase(suite, tcase);
    return suite;
}
