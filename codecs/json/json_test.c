/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/hex.h"
#include "codecs/frame/checksum.h"
#include "codecs/header/random_packet_test.h"
#include "codecs/json/json.h"
#include "tests/testing.h"

#include <stdlib.h>

enum { FRAME_MAX = 2048, STORAGE = 70000 };

static const char key_file[] =
    "{\"master_keys\": [\"598fb22aac25025c52b9b35754bac9b3b03b7dd127f028a74c2f766bbd01b3dc\","
    "\"0c6f64594386bdbfc4deebdd870a707ceff1caf6ec3bffb926c83cecaf9f315c\"]}";

static struct fal_psp_keys *open_keys(void)
{
    json_t *json = json_loads(key_file, 0, NULL);
    struct fal_error err = {{0}};
    struct fal_psp_keys *keys = fal_psp_keys_new(json, &err);

    ck_assert_msg(keys != NULL, "%s", err.text);
    json_decref(json);
    return keys;
}

static json_t *loaded(const char *text)
{
    json_error_t at;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &at);

    ck_assert_msg(json != NULL, "%s: %s", text, at.text);
    return json;
}

/* ---- headers ---- */

START_TEST(header_has_the_documented_members_in_wire_order)
{
    struct fal_falcon packet;
    struct fal_ipv6 ip = {.version = 6, .next_header = 17, .ecn = 3};
    json_t *json;
    char *text;

    fal_falcon_init(&packet, FAL_EACK);
    packet.data_ack_bitmap = fal_u128_halves(1, 2);
    packet.req_bitmap = 15;
    json = fal_json_header(&fal_eack_layout, &packet);
    text = json_dumps(json, 0);
    ck_assert_str_eq(
        text,
        "{\"version\": 1, \"reserved_0\": 0, \"dest_cid\": 0, \"reserved_1\": 0, "
        "\"packet_type\": \"eack\", \"reserved_2\": 0, \"recv_data_base_psn\": 0, "
        "\"recv_req_base_psn\": 0, \"t1\": 0, \"t2\": 0, \"hop_count\": 0, "
        "\"rx_buffer_occupancy\": 0, \"ecn_rx_count\": 0, \"reserved_3\": 0, \"rue_info\": 0, \"own\": 0, "
        "\"data_ack_bitmap\": \"0x00000000000000010000000000000002\", "
        "\"data_rx_bitmap\": \"0x00000000000000000000000000000000\", \"req_bitmap\": \"0x000000000000000f\"}");
    free(text);
    json_decref(json);

    fal_falcon_init(&packet, FAL_NACK);
    packet.nack_code = 9; /* reserved: no name */
    json = fal_json_header(&fal_nack_layout, &packet);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "nack_code")), 9);
    ck_assert_ptr_null(json_object_get(json, "nack_code_text"));
    ck_assert_str_eq(json_string_value(json_object_get(json, "window_text")), "data");
    ck_assert_ptr_null(json_object_get(json, "packet_type_text"));
    json_decref(json);

    ip.src = fal_u128_halves(UINT64_C(0xfd00) << 48, 1);
    json = fal_json_header(&fal_ipv6_layout, &ip);
    ck_assert_str_eq(json_string_value(json_object_get(json, "src")), "fd00::1");
    ck_assert_str_eq(json_string_value(json_object_get(json, "dst")), "::");
    ck_assert_str_eq(json_string_value(json_object_get(json, "ecn_text")), "ce");
    ck_assert_str_eq(json_string_value(json_object_get(json, "next_header_text")), "udp");
    json_decref(json);
}
END_TEST

/* Every header, every field, its extremes: written and read back. */
START_TEST(every_field_of_every_header_round_trips)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);
    uint64_t state = test_seed(1);
    union {
        struct fal_falcon falcon;
        struct fal_ipv6 ipv6;
        struct fal_eth eth;
        struct fal_psp psp;
        uint8_t bytes[512];
    } in, out;

    for (size_t i = 0; i < n; i++) {
        for (int round = 0; round < 50; round++) {
            json_t *json;
            struct fal_error err = {{0}};
            unsigned given = 0;

            memset(&in, 0, sizeof in);
            memset(&out, 0, sizeof out);
            for (size_t k = 0; k < layouts[i]->num_fields; k++)
                FAL_IGNORE(
                    fal_field_set(&layouts[i]->fields[k], &in,
                                  random_bits(&state, layouts[i]->fields[k].width_bits)));
            json = fal_json_header(layouts[i], &in);
            ck_assert_msg(fal_json_read_header(layouts[i], json, "x", &out, &given, &err) == 0,
                          "%s: %s", layouts[i]->name, err.text);
            ck_assert_mem_eq(&in, &out, sizeof in);
            json_decref(json);
        }
    }
}
END_TEST

static const struct {
    const char *json;
    int code;
    const char *error; /* NULL: taken */
} headers[] = {
    {"{\"dest_cid\": 17}", 0, NULL},
    {"{\"dest_cid\": \"0x11\"}", 0, NULL},
    {"{\"dest_cid\": \"0x000000000000000000000000000000000011\"}", FAL_ERR_FORM,
     "nack.dest_cid: "},
    {"{\"nack_code\": \"cie\"}", 0, NULL},
    {"{\"nack_code\": 6, \"nack_code_text\": \"cie\"}", 0, NULL},
    {"{\"nack_code_text\": \"cie\"}", FAL_ERR_FORM,
     "nack.nack_code_text: nack has no such field"},
    {"{\"dest_cid_text\": \"cie\", \"dest_cid\": 1}", FAL_ERR_FORM,
     "nack.dest_cid_text: nack has no such field"},
    {"{\"dest_cid\": 16777216}", FAL_ERR_RANGE,
     "nack.dest_cid: 16777216 does not fit in 24 bits"},
    {"{\"dest_cid\": -1}", FAL_ERR_FORM, "nack.dest_cid: -1 is not a number or a hex string"},
    {"{\"dest_cid\": 1.5}", FAL_ERR_FORM, "nack.dest_cid: 1.5 is not"},
    {"{\"dest_cid\": true}", FAL_ERR_FORM, "nack.dest_cid: true is not"},
    {"{\"dest_cid\": null}", FAL_ERR_FORM, "nack.dest_cid: null is not"},
    {"{\"dest_cid\": []}", FAL_ERR_FORM, "nack.dest_cid: [] is not"},
    {"{\"dest_cid\": \"0x\"}", FAL_ERR_FORM, "nack.dest_cid: \"0x\" is not"},
    {"{\"dest_cid\": \"0xg\"}", FAL_ERR_FORM, "nack.dest_cid: \"0xg\" is not"},
    {"{\"dest_cid\": \"17\"}", FAL_ERR_FORM, "nack.dest_cid: \"17\" is not"},
    {"{\"dest_cid\": \"\"}", FAL_ERR_FORM, "nack.dest_cid: \"\" is not"},
    {"{\"nack_code\": \"xie\"}", FAL_ERR_FORM,
     "nack.nack_code: \"xie\" is not a number, a hex string or a known name"},
    {"{\"cid\": 1}", FAL_ERR_FORM, "nack.cid: nack has no such field"},
    {"{\"a\\nb\\u001b\": 1}", FAL_ERR_FORM, "nack.a?b?: nack has no such field"},
    {"{\"psn\": 1}", FAL_ERR_FORM, "nack.psn: nack has no such field"},
    {"[]", FAL_ERR_FORM, "nack: not an object of fields"},
};

START_TEST(header_reads_or_names_the_field)
{
    struct fal_falcon packet;
    struct fal_error err = {{0}};
    json_t *json = loaded(headers[_i].json);
    int status;

    fal_falcon_init(&packet, FAL_NACK);
    status = fal_json_read_header(&fal_nack_layout, json, "nack", &packet, NULL, &err);
    ck_assert_msg(status == headers[_i].code, "%s: %d %s", headers[_i].json, status, err.text);
    if (headers[_i].error != NULL)
        ck_assert_msg(strncmp(err.text, headers[_i].error, strlen(headers[_i].error)) == 0,
                      "%s; due: %s", err.text, headers[_i].error);
    else
        ck_assert(packet.dest_cid == 17 || packet.nack_code == FAL_NACK_CIE);
    json_decref(json);
}
END_TEST

START_TEST(addresses_read_in_their_usual_form_only)
{
    static const struct {
        const struct fal_layout *layout;
        const char *json;
        bool taken;
    } cases[] = {
        {&fal_eth_layout, "{\"dst\": \"02:00:00:00:00:fF\"}", true},
        {&fal_eth_layout, "{\"dst\": \"02:00:00:00:00:f\"}", false},
        {&fal_eth_layout, "{\"dst\": \"02:00:00:00:00\"}", false},
        {&fal_eth_layout, "{\"dst\": \"02:00:00:00:00:ff:\"}", false},
        {&fal_eth_layout, "{\"dst\": \"02-00-00-00-00-ff\"}", false},
        {&fal_eth_layout, "{\"dst\": \"0\"}", false},
        {&fal_ipv4_layout, "{\"src\": \"10.0.0.2\"}", true},
        {&fal_ipv4_layout, "{\"src\": \"10.0.0\"}", false},
        {&fal_ipv4_layout, "{\"src\": \"10.0.0.256\"}", false},
        {&fal_ipv4_layout, "{\"src\": \"::1\"}", false},
        {&fal_ipv6_layout, "{\"src\": \"fd00::1\"}", true},
        {&fal_ipv6_layout, "{\"src\": \"10.0.0.1\"}", false},
    };
    uint8_t host[512];
    struct fal_error err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json = loaded(cases[i].json);
        int status = fal_json_read_header(cases[i].layout, json, "x", host, NULL, &err);

        ck_assert_msg(status == (cases[i].taken ? 0 : FAL_ERR_FORM), "%s", cases[i].json);
        json_decref(json);
    }
}
END_TEST

/* ---- hex ---- */

START_TEST(hex_both_ways)
{
    uint8_t bytes[4] = {0, 0xff, 0x1a, 0x7};
    uint8_t out[4];
    char text[9];

    fal_hex_write(bytes, 4, text);
    ck_assert_str_eq(text, "00ff1a07");
    ck_assert_int_eq(fal_hex_read(text, out, 4), 4);
    ck_assert_mem_eq(bytes, out, 4);
    ck_assert_int_eq(fal_hex_read("00FF1A07", out, 4), 4);
    ck_assert_int_eq(fal_hex_read(text, out, 3), FAL_ERR_SHORT);
    ck_assert_int_eq(fal_hex_read("0", out, 4), FAL_ERR_FORM);
    ck_assert_int_eq(fal_hex_read("0x", out, 4), FAL_ERR_FORM);
    ck_assert_int_eq(fal_hex_read("", out, 4), 0);
}
END_TEST

/* ---- frames: bytes -> layers -> JSON -> layers -> bytes ---- */

/* A frame of any encapsulation around a random packet, in bytes. */
static size_t random_frame(uint64_t *state, struct fal_psp_keys *keys, uint8_t *out,
                           unsigned *linktype)
{
    static uint8_t payload[64], options[8] = {1, 1, 1, 1, 1, 1, 1, 0}, icv[16];
    struct fal_frame frame = {0};
    int len;

    frame.falcon = random_packet(state, random_next(state) % 2 == 0);
    fal_frame_encapsulate(&frame, (enum fal_encap)(random_next(state) % 3),
                          random_next(state) % 2 == 0 ? 4 : 6);
    *linktype = frame.linktype;
    if (frame.linktype == FAL_LINKTYPE_ETHERNET && random_next(state) % 4 == 0) {
        memmove(frame.layers, frame.layers + 1, (frame.num_layers - 1) * sizeof *frame.layers);
        frame.num_layers--;
        *linktype = FAL_LINKTYPE_RAW;
    }
    if (random_next(state) % 4 == 0)
        frame.ipv4_options = (struct fal_span){options, random_next(state) % 2 == 0 ? 4 : 8};
    if (random_next(state) % 4 == 0)
        frame.trailer = (struct fal_span){icv, random_next(state) % sizeof icv};
    frame.payload = (struct fal_span){payload, random_next(state) % sizeof payload};
    frame.psp.version = (uint8_t)(random_next(state) % 4);
    frame.psp.spi = (uint32_t)random_next(state);
    frame.psp.iv = random_next(state);
    if (random_next(state) % 2 == 0) {
        frame.psp.v = 1;
        frame.psp_vc.vc = random_next(state);
        frame.psp.crypt_offset = (uint8_t)(random_next(state) % 6);
    }
    len = fal_frame_encode(&frame, keys,
                           random_next(state) % 8 == 0 ? FAL_KEEP_REQUEST_LENGTH : 0, out,
                           FRAME_MAX, NULL);
    ck_assert_int_gt(len, 0);
    return (size_t)len;
}

static void round_trip(const uint8_t *bytes, size_t caplen, size_t len, unsigned linktype,
                       struct fal_psp_keys *keys, uint64_t seed)
{
    static uint8_t scratch[FRAME_MAX], out[2 * FRAME_MAX], storage[STORAGE];
    const struct fal_frame_options options = {.psp_keys = keys};
    struct fal_frame frame = {.number = 7, .ts_ns = 1234567890123456789}, back = {0};
    struct fal_error err = {{0}};
    json_t *json, *again;
    unsigned keep;
    int written;
    char *text;

    ck_assert_int_eq(fal_frame_decode(&(struct fal_captured){bytes, caplen, len, linktype},
                                      &options, scratch, &frame),
                     0);
    json = fal_json_frame(&frame);
    ck_assert_ptr_nonnull(json);
    text = json_dumps(json, JSON_COMPACT);
    again = loaded(text);
    ck_assert_msg(fal_json_read_frame(
                      again, linktype == FAL_LINKTYPE_USER0 ? FAL_ENCAP_BARE : FAL_ENCAP_UDP,
                      &back, (struct fal_json_storage){storage, sizeof storage}, &keep,
                      &err) == 0,
                  "%s: %s (TALON_SEED=%#llx)", text, err.text, (unsigned long long)seed);
    ck_assert_uint_eq(back.number, 7);
    ck_assert_uint_eq(back.ts_ns, 1234567890123456789);
    ck_assert_uint_eq(back.caplen, caplen);
    ck_assert_uint_eq(back.len, len);
    ck_assert_int_eq(back.truncated, caplen < len);
    ck_assert_uint_eq(back.num_layers, frame.num_layers);
    ck_assert_int_eq(back.unauthenticated, frame.unauthenticated);
    if (fal_frame_has(&frame, FAL_LAYER_PSP))
        ck_assert_int_eq(back.psp_state, frame.psp_state);
    written = fal_frame_encode(&back, keys, keep, out, sizeof out, NULL);
    ck_assert_msg(written == (int)caplen && memcmp(bytes, out, caplen) == 0,
                  "%s: %d bytes of %zu, or others (TALON_SEED=%#llx)", text, written, caplen,
                  (unsigned long long)seed);
    free(text);
    json_decref(json);
    json_decref(again);
}

enum { VALID, TRUNCATED, MUTATED, NO_KEYS, RANDOM, KINDS };

START_TEST(frame_round_trips_to_the_same_bytes)
{
    struct fal_psp_keys *keys = open_keys();
    uint64_t state = test_seed(UINT64_C(0x150)) + (uint64_t)_i;
    unsigned long rounds = test_rounds(4000);

    for (unsigned long n = 0; n < rounds; n++) {
        uint8_t bytes[FRAME_MAX];
        uint64_t seed = state;
        unsigned linktype;
        size_t len = random_frame(&state, keys, bytes, &linktype), caplen = len;

        if (_i == TRUNCATED)
            caplen = random_next(&state) % (len + 1);
        for (uint64_t k = _i == MUTATED ? 1 + random_next(&state) % 4 : 0; k > 0; k--)
            bytes[random_next(&state) % len] ^= (uint8_t)(1u << random_next(&state) % 8);
        if (_i == RANDOM)
            for (size_t k = 0; k < len; k++)
                bytes[k] = (uint8_t)random_next(&state);
        round_trip(bytes, caplen, len, linktype, _i == NO_KEYS ? NULL : keys, seed);
    }
    fal_psp_keys_free(keys);
}
END_TEST

START_TEST(frame_members_stand_in_the_documented_order)
{
    static const char *const due[] = {"frame",       "ts_ns",   "caplen", "len",    "layers",
                                      "eth",         "ipv4",    "udp",    "falcon", "payload",
                                      "payload_len", "trailer", "issues"};
    struct fal_frame frame = {.number = 1}, decoded = {.number = 1};
    uint8_t bytes[FRAME_MAX];
    size_t i = 0;
    const char *key;
    json_t *json, *value, *issue;
    int len;

    fal_falcon_init(&frame.falcon, FAL_BACK);
    frame.falcon.reserved_1 = 5;
    fal_frame_encapsulate(&frame, FAL_ENCAP_UDP, 4);
    len = fal_frame_encode(&frame, NULL, 0, bytes, sizeof bytes, NULL);
    ck_assert_int_gt(len, 0);
    ck_assert_int_eq(
        fal_frame_decode(&(struct fal_captured){bytes, (size_t)len, (size_t)len, 1}, NULL, NULL,
                         &decoded),
        0);
    json = fal_json_frame(&decoded);
    json_object_foreach(json, key, value)
    {
        ck_assert_uint_lt(i, sizeof due / sizeof *due);
        ck_assert_str_eq(key, due[i++]);
    }
    ck_assert_uint_eq(i, sizeof due / sizeof *due);
    issue = json_array_get(json_object_get(json, "issues"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(issue, "layer")), "falcon");
    ck_assert_str_eq(json_string_value(json_object_get(issue, "field")), "reserved_1");
    ck_assert_int_eq(json_integer_value(json_object_get(issue, "offset")), 14 + 20 + 8 + 4);
    ck_assert_int_eq(json_integer_value(json_object_get(issue, "seen")), 5);
    ck_assert_int_eq(json_integer_value(json_object_get(issue, "due")), 0);
    ck_assert_str_eq(json_string_value(json_object_get(issue, "requirement")), "FTP-7.7.1-05");
    i = 0;
    json_object_foreach(issue, key, value) i++;
    ck_assert_uint_eq(i, 9);
    json_decref(json);
}
END_TEST

/* Sealed, with the key, without it, with a wrong one; GMAC without it; cut. */
START_TEST(psp_says_whether_it_was_authenticated)
{
    static const struct {
        unsigned version;
        bool keys, spoil, cut;
        int authenticated; /* JSON type */
        bool falcon, clear, unauthenticated, truncated;
    } cases[] = {
        {0, true, false, false, JSON_TRUE, true, false, false, false},
        {0, false, false, false, JSON_NULL, false, true, false, false},
        {0, true, true, false, JSON_FALSE, false, true, false, false},
        {0, true, false, true, JSON_NULL, false, true, false, true},
        {2, true, false, false, JSON_TRUE, true, false, false, false},
        {2, false, false, false, JSON_NULL, true, false, true, false},
        {2, true, true, false, JSON_FALSE, false, true, false, false},
    };
    struct fal_psp_keys *keys = open_keys();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fal_frame frame = {0}, decoded = {0};
        uint8_t bytes[FRAME_MAX], scratch[FRAME_MAX];
        struct fal_frame_options options = {.psp_keys = cases[i].keys ? keys : NULL};
        json_t *json, *psp, *falcon;
        int len;

        fal_falcon_init(&frame.falcon, FAL_BACK);
        fal_frame_encapsulate(&frame, FAL_ENCAP_PSP_TRANSPORT, 4);
        frame.psp.version = (uint8_t)cases[i].version;
        len = fal_frame_encode(&frame, keys, 0, bytes, sizeof bytes, NULL);
        ck_assert_int_gt(len, 0);
        if (cases[i].spoil)
            bytes[len - 1] ^= 1;
        ck_assert_int_eq(fal_frame_decode(
                             &(struct fal_captured){
                                 bytes, (size_t)(cases[i].cut ? len - 1 : len), (size_t)len, 1},
                             &options, scratch, &decoded),
                         0);
        json = fal_json_frame(&decoded);
        psp = json_object_get(json, "psp");
        falcon = json_object_get(json, "falcon");
        ck_assert_int_eq(json_typeof(json_object_get(psp, "authenticated")),
                         cases[i].authenticated);
        ck_assert_int_eq(falcon != NULL, cases[i].falcon);
        ck_assert_int_eq(json_is_true(json_object_get(psp, "truncated")), cases[i].truncated);
        ck_assert_int_eq(json_is_true(json_object_get(falcon, "unauthenticated")),
                         cases[i].unauthenticated);
        ck_assert_int_eq(json_object_get(psp, "clear") != NULL, cases[i].clear);
        json_decref(json);
    }
    fal_psp_keys_free(keys);
}
END_TEST

/* ---- hand-written lines ---- */

static int encode_line(const char *text, enum fal_encap encap, struct fal_frame *frame,
                       uint8_t *out, struct fal_error *err)
{
    static uint8_t storage[STORAGE];
    json_t *json = loaded(text);
    unsigned keep;
    int status = fal_json_read_frame(
        json, encap, frame, (struct fal_json_storage){storage, sizeof storage}, &keep, err);

    if (status == 0)
        status = fal_frame_encode(frame, NULL, keep, out, FRAME_MAX, NULL);
    json_decref(json);
    return status;
}

static const struct {
    const char *text;
    enum fal_encap encap;
    size_t len;
    const char *issue; /* the one code that decoding finds, or NULL */
} minimal[] = {
    {"{\"falcon\": {\"packet_type\": \"back\"}}", FAL_ENCAP_BARE, 32, NULL},
    {"{\"falcon\": {\"packet_type\": 9}}", FAL_ENCAP_UDP, 74, NULL},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"ipv6\": {}}", FAL_ENCAP_UDP, 94, NULL},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"udp\": {\"src_port\": 5}}", FAL_ENCAP_BARE,
     74, NULL},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"payload\": \"00ff\"}", FAL_ENCAP_UDP, 72,
     NULL},
    {"{\"falcon\": {\"packet_type\": \"push_data\"}, \"payload_len\": 9}", FAL_ENCAP_UDP, 79,
     NULL},
    {"{\"falcon\": {\"packet_type\": \"push_data\", \"request_length\": 3}, \"payload_len\": 9}",
     FAL_ENCAP_UDP, 79, "request_length"},
    {"{\"layers\": [\"ipv4\", \"udp\", \"falcon\"], \"ipv4\": {\"ttl\": 9}, \"falcon\": {\"packet_type\": \"back\"}}",
     FAL_ENCAP_UDP, 60, NULL},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"ipv4\": {\"options\": \"01010100\"}}",
     FAL_ENCAP_UDP, 78, NULL},
    {"{\"raw\": \"1000\"}", FAL_ENCAP_UDP, 44, ""},
    /* one thing wrong on purpose, all else right */
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"udp\": {\"checksum\": 1}}", FAL_ENCAP_UDP, 74,
     "checksum"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"ipv4\": {\"header_checksum\": 1}}",
     FAL_ENCAP_UDP, 74, "header_checksum"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"udp\": {\"length\": 41}}", FAL_ENCAP_UDP, 74,
     "length"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"ipv4\": {\"total_length\": 61}}",
     FAL_ENCAP_UDP, 74, "total_length"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"ipv6\": {\"payload_length\": 41}}",
     FAL_ENCAP_UDP, 94, "payload_length"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"ipv4\": {\"options\": \"01010100\", \"total_length\": 65}}",
     FAL_ENCAP_UDP, 78, "total_length"},
    {"{\"falcon\": {\"packet_type\": \"back\", \"reserved_1\": 1}}", FAL_ENCAP_BARE, 32,
     "reserved_1"},
};

START_TEST(line_by_hand_is_completed)
{
    struct fal_frame frame = {0}, decoded = {0};
    struct fal_error err = {{0}};
    uint8_t bytes[FRAME_MAX];
    int len = encode_line(minimal[_i].text, minimal[_i].encap, &frame, bytes, &err);
    const struct fal_issue *first = &decoded.issues.list[0];

    ck_assert_msg(len == (int)minimal[_i].len, "%s: %d %s", minimal[_i].text, len, err.text);
    ck_assert_int_eq(fal_frame_decode(&(struct fal_captured){bytes, (size_t)len, (size_t)len,
                                                             frame.linktype},
                                      NULL, NULL, &decoded),
                     0);
    if (minimal[_i].issue == NULL) {
        ck_assert_msg(decoded.issues.count == 0, "%s: %s %s", minimal[_i].text, first->code,
                      first->field);
        ck_assert(fal_frame_has(&decoded, FAL_LAYER_FALCON));
    } else if (minimal[_i].issue[0] != 0) {
        ck_assert_uint_ge(decoded.issues.count, 1);
        for (size_t i = 0; i < decoded.issues.count; i++)
            ck_assert_msg(strcmp(decoded.issues.list[i].field, minimal[_i].issue) == 0 ||
                              strcmp(decoded.issues.list[i].field, "checksum") == 0,
                          "%s: %s", minimal[_i].text, decoded.issues.list[i].field);
        ck_assert_str_eq(first->field, minimal[_i].issue);
        ck_assert(fal_frame_has(&decoded, FAL_LAYER_FALCON));
    }
}
END_TEST

static const struct {
    const char *text;
    int code;
    const char *error;
} wrong[] = {
    {"[]", FAL_ERR_FORM, "a packet is a JSON object"},
    {"{}", FAL_ERR_FORM, "falcon: the packet is missing"},
    {"{\"falcn\": {}}", FAL_ERR_FORM, "falcn: a packet has no such member"},
    {"{\"falcon\": 1}", FAL_ERR_FORM, "falcon: not an object of fields"},
    {"{\"falcon\": {}}", FAL_ERR_FORM, "falcon.packet_type: is missing"},
    {"{\"falcon\": {\"packet_type\": 7}}", FAL_ERR_FORM, "falcon.packet_type: 7 is reserved"},
    {"{\"falcon\": {\"packet_type\": 16}}", FAL_ERR_RANGE,
     "falcon.packet_type: 16 does not fit in 4 bits"},
    {"{\"falcon\": {\"packet_type\": \"ack\"}}", FAL_ERR_FORM,
     "falcon.packet_type: \"ack\" is not"},
    {"{\"falcon\": {\"packet_type\": \"back\", \"psn\": 1}}", FAL_ERR_FORM,
     "falcon.psn: back has no such field"},
    {"{\"falcon\": {\"packet_type\": \"back\", \"unauthenticated\": 1}}", FAL_ERR_FORM,
     "falcon.unauthenticated: "},
    {"{\"layers\": [], \"falcon\": {\"packet_type\": \"back\"}}", FAL_ERR_FORM,
     "layers: not an array"},
    {"{\"layers\": [\"udp\", \"udp\"]}", FAL_ERR_FORM, "layers: 'udp' stands twice"},
    {"{\"layers\": [\"tcp\"]}", FAL_ERR_FORM, "layers: 'tcp' is no layer"},
    {"{\"layers\": [1]}", FAL_ERR_FORM, "layers: '(not a string)' is no layer"},
    {"{\"layers\": [\"falcon\"]}", FAL_ERR_FORM, "falcon: the packet is missing"},
    {"{\"layers\": [\"falcon\"], \"falcon\": {\"packet_type\": \"back\"}, \"udp\": {}}",
     FAL_ERR_FORM, "udp: is not among the packet's layers"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"raw\": \"00\"}", FAL_ERR_FORM,
     "falcon: is not among the packet's layers"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"payload\": \"0\"}", FAL_ERR_FORM,
     "payload: not an even"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"payload\": 1}", FAL_ERR_FORM,
     "payload: bytes are"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"payload\": \"00\", \"payload_len\": 2}",
     FAL_ERR_FORM, "payload_len: 2, but payload has 1 bytes"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"payload_len\": 70001}", FAL_ERR_SHORT,
     "payload_len: more bytes than a frame can have"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"payload_len\": 4294967296}", FAL_ERR_FORM,
     "payload_len: not"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"ts_ns\": -1}", FAL_ERR_FORM,
     "ts_ns: not a number from 0"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"ts_ns\": \"x\"}", FAL_ERR_FORM,
     "ts_ns: not a number from 0"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"ipv4\": {\"options\": \"01\"}}", FAL_ERR_FORM,
     "ipv4.options: not 4"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"psp\": {\"icv\": \"0000000000000000000000000000000000\"}}",
     FAL_ERR_FORM, "psp.icv: more than 16 bytes"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"psp\": {\"authenticated\": 1}}", FAL_ERR_FORM,
     "psp.authenticated: not true, false or null"},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"psp\": {\"truncated\": 1}}", FAL_ERR_FORM,
     "psp.truncated: "},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"psp\": {\"vc\": \"x\"}}", FAL_ERR_FORM,
     "psp.vc: "},
    {"{\"falcon\": {\"packet_type\": \"back\"}, \"psp\": {\"spj\": 1}}", FAL_ERR_FORM,
     "psp.spj: psp has no such field"},
};

START_TEST(wrong_line_names_the_member)
{
    struct fal_frame frame = {0};
    struct fal_error err = {{0}};
    uint8_t bytes[FRAME_MAX];
    int status = encode_line(wrong[_i].text, FAL_ENCAP_UDP, &frame, bytes, &err);

    ck_assert_msg(status == wrong[_i].code, "%s: %d %s", wrong[_i].text, status, err.text);
    ck_assert_msg(strncmp(err.text, wrong[_i].error, strlen(wrong[_i].error)) == 0,
                  "%s; due: %s", err.text, wrong[_i].error);
    (void)encode_line(wrong[_i].text, FAL_ENCAP_UDP, &frame, bytes, NULL);
}
END_TEST

START_TEST(cookie_implies_its_flag_and_offset)
{
    struct fal_frame frame = {0};
    struct fal_error err = {{0}};
    uint8_t bytes[FRAME_MAX];

    (void)encode_line(
        "{\"falcon\": {\"packet_type\": \"back\"}, \"psp\": {\"vc\": \"0x0000000000000005\"}}",
        FAL_ENCAP_UDP, &frame, bytes, &err);
    ck_assert_uint_eq(frame.psp.v, 1);
    ck_assert_uint_eq(frame.psp.crypt_offset, 3);
    ck_assert_uint_eq(frame.psp_vc.vc, 5);
    (void)encode_line(
        "{\"falcon\": {\"packet_type\": \"back\"}, \"psp\": {\"vc\": 5, \"crypt_offset\": 2}}",
        FAL_ENCAP_UDP, &frame, bytes, &err);
    ck_assert_uint_eq(frame.psp.crypt_offset, 2);
    (void)encode_line(
        "{\"falcon\": {\"packet_type\": \"back\"}, \"psp\": {\"vc\": 5}, \"udp\": {\"length\": 9}}",
        FAL_ENCAP_UDP, &frame, bytes, &err);
    ck_assert_uint_eq(frame.psp.hdr_ext_len, 2);
    ck_assert_uint_eq(frame.udp.length, 9);
    ck_assert_uint_eq(frame.ipv4.total_length, 20 + 8 + 16 + 8 + 32 + 16);
}
END_TEST

/* ---- out of memory: the n-th allocation fails, for every n ---- */

static long fail_after = -1;

static void *failing_malloc(size_t size)
{
    return fail_after >= 0 && fail_after-- == 0 ? NULL : malloc(size);
}

START_TEST(every_failing_allocation_is_reported)
{
    static uint8_t storage[STORAGE];
    struct fal_frame frame = {0}, decoded = {0}, back = {0};
    struct fal_error err = {{0}};
    uint8_t bytes[FRAME_MAX];
    unsigned keep;
    int len, failures = 0;
    json_t *json = NULL;

    fal_falcon_init(&frame.falcon, FAL_NACK);
    frame.falcon.reserved_1 = 5;
    fal_frame_encapsulate(&frame, FAL_ENCAP_UDP, 4);
    len = fal_frame_encode(&frame, NULL, 0, bytes, sizeof bytes, NULL);
    ck_assert_int_eq(
        fal_frame_decode(&(struct fal_captured){bytes, (size_t)len, (size_t)len, 1}, NULL, NULL,
                         &decoded),
        0);
    json_set_alloc_funcs(failing_malloc, free);
    for (long n = 0; json == NULL; n++) {
        fail_after = n;
        json = fal_json_frame(&decoded);
        failures += json == NULL;
    }
    fail_after = -1;
    ck_assert_int_gt(failures, 100);
    for (long n = 0, status = -1; status != 0; n++) {
        fail_after = n;
        status = fal_json_read_frame(json, FAL_ENCAP_UDP, &back,
                                     (struct fal_json_storage){storage, sizeof storage}, &keep,
                                     &err);
        fail_after = -1;
        ck_assert(status == 0 || status == FAL_ERR_MEM);
    }
    json_decref(json);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("json");
    TCase *tc = tcase_create("json");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, header_has_the_documented_members_in_wire_order);
    tcase_add_test(tc, every_field_of_every_header_round_trips);
    tcase_add_loop_test(tc, header_reads_or_names_the_field, 0,
                        (int)(sizeof headers / sizeof *headers));
    tcase_add_test(tc, addresses_read_in_their_usual_form_only);
    tcase_add_test(tc, hex_both_ways);
    tcase_add_loop_test(tc, frame_round_trips_to_the_same_bytes, 0, KINDS);
    tcase_add_test(tc, frame_members_stand_in_the_documented_order);
    tcase_add_test(tc, psp_says_whether_it_was_authenticated);
    tcase_add_loop_test(tc, line_by_hand_is_completed, 0,
                        (int)(sizeof minimal / sizeof *minimal));
    tcase_add_loop_test(tc, wrong_line_names_the_member, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, cookie_implies_its_flag_and_offset);
    tcase_add_test(tc, every_failing_allocation_is_reported);
    suite_add_tcase(suite, tc);
    return suite;
}
