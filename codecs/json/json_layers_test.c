/* SPDX-License-Identifier: Apache-2.0
 * JSON of all layers and encapsulations: frames of every kind, whole, cut, spoilt and unopened,
 * come back byte for byte; lines by hand are completed; wrong ones are named. */
#include "codecs/frame/sample_frames_test.h"
#include "codecs/json/json.h"
#include "tests/testing.h"

#include <stdlib.h>

enum { STORAGE = 70000, OUT_MAX = 4096 };

static struct fal_frame_keys keys;
static uint8_t scratch[OUT_MAX], out[OUT_MAX], storage[STORAGE];

static void make_keys(void)
{
    keys = (struct fal_frame_keys){sample_keys(), sample_esp_keys()};
    ck_assert(keys.psp != NULL && keys.esp != NULL);
}

static void free_keys(void)
{
    fal_psp_keys_free(keys.psp);
    fal_esp_keys_free(keys.esp);
}

static json_t *loaded(const char *text)
{
    json_error_t at;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &at);

    ck_assert_msg(json != NULL, "%s: %s", text, at.text);
    return json;
}

/* ---- both ways ---- */

/* Encode writes what decode prints. */
static void round_trip(const uint8_t *bytes, size_t caplen, size_t len, unsigned linktype,
                       bool with_keys, uint64_t seed)
{
    const struct fal_frame_options options = {.psp_keys = with_keys ? keys.psp : NULL,
                                              .esp_keys = with_keys ? keys.esp : NULL};
    static struct fal_frame frame, back;
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
    ck_assert_uint_eq(back.num_layers, frame.num_layers);
    ck_assert_msg(back.unauthenticated == frame.unauthenticated, "%s (TALON_SEED=%#llx)", text,
                  (unsigned long long)seed);
    if (fal_frame_has(&frame, FAL_LAYER_ESP)) {
        ck_assert_int_eq(back.esp_state, frame.esp_state);
        ck_assert_uint_eq(back.esp_sequence_high, frame.esp_sequence_high);
    }
    written = fal_frame_encode_with(&back, &keys, keep, out, sizeof out, NULL);
    ck_assert_msg(written == (int)caplen && memcmp(bytes, out, caplen) == 0,
                  "%s: %d bytes of %zu, or others (TALON_SEED=%#llx)", text, written, caplen,
                  (unsigned long long)seed);
    free(text);
    json_decref(json);
    json_decref(again);
}

enum { VALID, TRUNCATED, MUTATED, NO_KEYS, RANDOM, KINDS };

START_TEST(every_frame_comes_back)
{
    uint64_t state = test_seed(UINT64_C(0x151)) + (uint64_t)_i;

    for (unsigned long n = 0; n < test_rounds(4000); n++) {
        uint8_t bytes[SAMPLE_MAX];
        uint64_t seed = state;
        unsigned linktype;
        size_t len = sample_frame(&state, &keys, &linktype, bytes), caplen = len;

        ck_assert_uint_gt(len, 0);
        if (_i == TRUNCATED)
            caplen = test_random(&state) % (len + 1);
        for (uint64_t k = _i == MUTATED ? 1 + test_random(&state) % 4 : 0; k > 0; k--)
            bytes[test_random(&state) % len] ^= (uint8_t)(1u << test_random(&state) % 8);
        if (_i == RANDOM)
            test_random_bytes(&state, bytes + test_random(&state) % len, 1);
        round_trip(bytes, caplen, len, linktype, _i != NO_KEYS, seed);
    }
}
END_TEST

/* ---- lines by hand ---- */

#define BACK "\"falcon\": {\"packet_type\": \"back\"}"

static const struct {
    const char *text;
    enum fal_encap encap;
    int len;
    const char *layers, *issue; /* issue: the field of the one that is found, or NULL */
} lines[] = {
    {"{" BACK "}", FAL_ENCAP_PSP_TUNNEL, 14 + 20 + 8 + 16 + 20 + 32 + 16,
     "eth ipv4 udp psp inner_ipv4 falcon", NULL},
    {"{" BACK ", \"ipv6\": {}}", FAL_ENCAP_PSP_TUNNEL, 14 + 40 + 8 + 16 + 40 + 32 + 16,
     "eth ipv6 udp psp inner_ipv6 falcon", NULL},
    {"{" BACK ", \"ipv6\": {}, \"inner_ipv4\": {\"ttl\": 9}}", FAL_ENCAP_UDP,
     14 + 40 + 8 + 16 + 20 + 32 + 16, "eth ipv6 udp psp inner_ipv4 falcon", NULL},
    {"{" BACK ", \"inner_ipv6\": {}}", FAL_ENCAP_UDP, 14 + 20 + 8 + 16 + 40 + 32 + 16,
     "eth ipv4 udp psp inner_ipv6 falcon", NULL},
    {"{" BACK ", \"inner_ipv4\": {\"options\": \"01010100\"}, \"psp\": {\"vc\": 5}}",
     FAL_ENCAP_UDP, 14 + 20 + 8 + 24 + 24 + 32 + 16, "eth ipv4 udp psp inner_ipv4 falcon",
     NULL},
    {"{" BACK ", \"esp\": {\"spi\": 256}}", FAL_ENCAP_UDP, 14 + 20 + 16 + 32 + 4 + 16,
     "eth ipv4 esp falcon", NULL},
    {"{" BACK ", \"esp\": {\"spi\": 256}}", FAL_ENCAP_ESP_TUNNEL,
     14 + 20 + 16 + 20 + 32 + 4 + 16, "eth ipv4 esp inner_ipv4 falcon", NULL},
    {"{" BACK ", \"esp\": {\"spi\": 261}, \"inner_ipv6\": {}}", FAL_ENCAP_UDP,
     14 + 20 + 16 + 40 + 32 + 4 + 8, "eth ipv4 esp inner_ipv6 falcon", NULL},
    {"{" BACK ", \"esp\": {\"spi\": 262}}", FAL_ENCAP_UDP, 14 + 20 + 8 + 32 + 4,
     "eth ipv4 esp falcon", NULL},
    {"{" BACK ", \"esp\": {\"spi\": 256, \"iv\": \"0x0102030405060708\"}, \"udp\": {}}",
     FAL_ENCAP_UDP, 14 + 20 + 8 + 16 + 32 + 4 + 16, "eth ipv4 udp esp falcon", NULL},
    {"{" BACK ", \"vlan\": {\"vid\": 7}}", FAL_ENCAP_UDP, 14 + 4 + 20 + 8 + 32,
     "eth vlan ipv4 udp falcon", NULL},
    {"{" BACK ", \"inner_vlan\": {\"vid\": 7}, \"ipv6\": {}}", FAL_ENCAP_UDP,
     14 + 8 + 40 + 8 + 32, "eth vlan inner_vlan ipv6 udp falcon", NULL},
    {"{" BACK ", \"sll\": {}}", FAL_ENCAP_UDP, 16 + 20 + 8 + 32, "sll ipv4 udp falcon", NULL},
    {"{" BACK ", \"sll2\": {}, \"psp\": {}}", FAL_ENCAP_UDP, 20 + 20 + 8 + 16 + 32 + 16,
     "sll2 ipv4 udp psp falcon", NULL},
    {"{" BACK ", \"ipv6_ext\": [{\"type\": \"hop_by_hop\"}, {\"type\": \"destination\", "
     "\"options\": \"01060000000000000000\"}, {\"type\": 44, \"identification\": 5}]}",
     FAL_ENCAP_UDP, 14 + 40 + 8 + 16 + 8 + 8 + 32, "eth ipv6 ipv6_ext udp falcon", NULL},
    {"{" BACK ", \"esp\": {\"spi\": 256}, \"inner_ipv6_ext\": [{\"type\": \"destination\"}]}",
     FAL_ENCAP_UDP, 14 + 20 + 16 + 40 + 8 + 32 + 4 + 16,
     "eth ipv4 esp inner_ipv6 inner_ipv6_ext falcon", NULL},
    {"{\"roce\": {\"opcode\": 129}, \"payload_len\": 20}", FAL_ENCAP_UDP, 14 + 20 + 8 + 12 + 20,
     "eth ipv4 udp roce", NULL},
    /* one thing wrong on purpose, all else right */
    {"{" BACK ", \"inner_ipv4\": {\"header_checksum\": 1}}", FAL_ENCAP_UDP,
     14 + 20 + 8 + 16 + 20 + 32 + 16, "eth ipv4 udp psp inner_ipv4 falcon", "header_checksum"},
    {"{" BACK ", \"esp\": {\"spi\": 256}, \"inner_ipv4\": {\"header_checksum\": 1}}",
     FAL_ENCAP_UDP, 14 + 20 + 16 + 20 + 32 + 4 + 16, "eth ipv4 esp inner_ipv4 falcon",
     "header_checksum"},
    {"{" BACK ", \"inner_ipv4\": {\"total_length\": 53}}", FAL_ENCAP_UDP,
     14 + 20 + 8 + 16 + 20 + 32 + 16, "eth ipv4 udp psp inner_ipv4 falcon", "total_length"},
    {"{" BACK ", \"esp\": {\"spi\": 256}, \"inner_ipv6\": {\"payload_length\": 99}}",
     FAL_ENCAP_UDP, 14 + 20 + 16 + 40 + 32 + 4 + 16, "eth ipv4 esp inner_ipv6 falcon",
     "payload_length"},
    {"{" BACK ", \"esp\": {\"spi\": 256, \"pad_length\": 200, \"padding\": \"0102\"}}",
     FAL_ENCAP_UDP, 14 + 20 + 16 + 32 + 4 + 16, "eth ipv4 esp raw", "pad_length"},
    {"{" BACK ", \"esp\": {\"spi\": 256, \"pad_length\": 6}}", FAL_ENCAP_UDP,
     14 + 20 + 16 + 32 + 8 + 16, "eth ipv4 esp falcon", NULL},
    {"{" BACK ", \"esp\": {\"spi\": 256, \"next_header\": 17}}", FAL_ENCAP_UDP,
     14 + 20 + 16 + 32 + 4 + 16, "eth ipv4 esp raw", "next_header"},
    {"{" BACK ", \"esp\": {\"spi\": 256, \"padding\": \"0909\"}}", FAL_ENCAP_UDP,
     14 + 20 + 16 + 32 + 4 + 16, "eth ipv4 esp falcon", ""},
};

START_TEST(a_line_by_hand_is_completed)
{
    const struct fal_frame_options options = {.psp_keys = keys.psp, .esp_keys = keys.esp};
    static struct fal_frame frame, decoded;
    json_t *json = loaded(lines[_i].text);
    struct fal_error err = {{0}};
    char layers[200] = "";
    unsigned keep;
    int status =
        fal_json_read_frame(json, lines[_i].encap, &frame,
                            (struct fal_json_storage){storage, sizeof storage}, &keep, &err);

    ck_assert_msg(status == 0, "%s: %s", lines[_i].text, err.text);
    status = fal_frame_encode_with(&frame, &keys, keep, out, sizeof out, NULL);
    ck_assert_msg(status == lines[_i].len, "%s: %d", lines[_i].text, status);
    ck_assert_int_eq(fal_frame_decode(&(struct fal_captured){out, (size_t)status,
                                                             (size_t)status, frame.linktype},
                                      &options, scratch, &decoded),
                     0);
    for (size_t i = 0; i < decoded.num_layers; i++) {
        size_t at = strlen(layers);

        (void)snprintf(layers + at, sizeof layers - at, "%s%s", i > 0 ? " " : "",
                       fal_layer_name(decoded.layers[i].id));
    }
    ck_assert_str_eq(layers, lines[_i].layers);
    ck_assert_msg(decoded.issues.count == (lines[_i].issue != NULL), "%s: %s, %s",
                  lines[_i].text, decoded.issues.list[0].code,
                  decoded.issues.count > 1 ? decoded.issues.list[1].code : "");
    if (lines[_i].issue != NULL && lines[_i].issue[0] != 0)
        ck_assert_str_eq(decoded.issues.list[0].field, lines[_i].issue);
    json_decref(json);
}
END_TEST

static const struct {
    const char *text, *error;
} wrong[] = {
    {"{" BACK ", \"ipv6_ext\": {}}", "ipv6_ext: not an array of headers"},
    {"{" BACK ", \"ipv6_ext\": [5]}", "ipv6_ext[0]: not an object of fields"},
    {"{" BACK ", \"ipv6_ext\": [{}]}", "ipv6_ext[0].type: is missing"},
    {"{" BACK ", \"ipv6_ext\": [{\"type\": 17}]}",
     "ipv6_ext[0].type: 17 is no extension header"},
    {"{" BACK ", \"ipv6_ext\": [{\"type\": 0}, {\"type\": 300}]}",
     "ipv6_ext[1].type: 300 does not fit in 8 bits"},
    {"{" BACK ", \"ipv6_ext\": [{\"type\": 0, \"options\": \"0\"}]}",
     "ipv6_ext[0].options: not an even number of hex digits"},
    {"{" BACK ", \"ipv6_ext\": [{\"type\": 0, \"options\": \"00\", \"hdr_ext_len\": 0}]}",
     "ipv6_ext[0].hdr_ext_len: 0, but options has 1 bytes"},
    {"{" BACK ", \"ipv6_ext\": [{\"type\": 44, \"options\": \"00\"}]}",
     "ipv6_ext[0].options: ipv6_fragment has no such field"},
    {"{" BACK ", \"esp\": {\"iv\": \"x\"}}",
     "esp.iv: \"x\" is not a number or a hex string (\"0x...\")"},
    {"{" BACK ", \"esp\": {\"sequence_high\": 4294967296}}",
     "esp.sequence_high: 4294967296 does not fit in 32 bits"},
    {"{" BACK ", \"esp\": {\"pad_length\": 256}}",
     "esp.pad_length: 256 does not fit in 8 bits"},
    {"{" BACK ", \"esp\": {\"padding\": 5}}", "esp.padding: bytes are a string of hex digits"},
    {"{" BACK ", \"esp\": {\"authenticated\": 5}}",
     "esp.authenticated: not true, false or null"},
    {"{" BACK ", \"esp\": {\"truncated\": 5}}", "esp.truncated: not true or false"},
    {"{" BACK ", \"esp\": {\"icv\": \"0000000000000000000000000000000000\"}}",
     "esp.icv: more than 16 bytes"},
    {"{" BACK ", \"esp\": {\"key\": 5}}", "esp.key: esp has no such field"},
    {"{" BACK ", \"inner_ipv4\": {\"options\": \"00\"}}",
     "inner_ipv4.options: not 4, 8, ... 40 bytes"},
    {"{" BACK ", \"inner_ipv6\": {\"trailer\": 5}}",
     "inner_ipv6.trailer: bytes are a string of hex digits"},
    {"{" BACK ", \"vlan\": {\"vid\": 4096}}", "vlan.vid: 4096 does not fit in 12 bits"},
    {"{" BACK ", \"layers\": [\"eth\",\"sll\",\"sll2\",\"vlan\",\"inner_vlan\",\"ipv4\","
     "\"ipv6\",\"ipv6_ext\",\"udp\",\"psp\",\"esp\",\"inner_ipv4\",\"falcon\"]}",
     "layers: more than a frame can have"},
    {"{" BACK ", \"esp\": {}, \"psp\": {}}", "psp: is not among the packet's layers"},
    {"{" BACK ", \"ipv4\": {}, \"ipv6_ext\": []}", "ipv4: is not among the packet's layers"},
};

START_TEST(a_wrong_line_names_the_member)
{
    struct fal_error err = {{0}};
    json_t *json = loaded(wrong[_i].text);
    struct fal_frame frame = {0};
    unsigned keep;

    ck_assert_int_lt(fal_json_read_frame(json, FAL_ENCAP_UDP, &frame,
                                         (struct fal_json_storage){storage, sizeof storage},
                                         &keep, &err),
                     0);
    ck_assert_str_eq(err.text, wrong[_i].error);
    json_decref(json);
}
END_TEST

/* What the members of ESP look like: opened, without a key, null. */
START_TEST(esp_says_whether_it_was_authenticated)
{
    static const struct {
        uint32_t spi;
        bool with_keys;
        json_type authenticated;
        bool iv, trailer, falcon, unauthenticated;
    } rows[] = {
        {SAMPLE_ESP_SPI, true, JSON_TRUE, true, true, true, false},
        {SAMPLE_ESP_SPI, false, JSON_NULL, false, false, false, false},
        {SAMPLE_ESP_SPI + 6, true, JSON_NULL, false, true, true, true},
    };
    static struct fal_frame frame, decoded;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fal_frame_options options = {.esp_keys =
                                                      rows[i].with_keys ? keys.esp : NULL};
        const json_t *esp, *falcon;
        json_t *json;
        int n;

        memset(&frame, 0, sizeof frame);
        fal_falcon_init(&frame.falcon, FAL_BACK);
        fal_frame_encapsulate(&frame, FAL_ENCAP_ESP_TRANSPORT, 4);
        frame.esp.spi = rows[i].spi;
        n = fal_frame_encode_with(&frame, &keys, 0, out, sizeof out, NULL);
        ck_assert_int_gt(n, 0);
        ck_assert_int_eq(fal_frame_decode(&(struct fal_captured){out, (size_t)n, (size_t)n, 1},
                                          &options, scratch, &decoded),
                         0);
        json = fal_json_frame(&decoded);
        esp = json_object_get(json, "esp");
        falcon = json_object_get(json, "falcon");
        ck_assert_int_eq(json_typeof(json_object_get(esp, "authenticated")),
                         rows[i].authenticated);
        ck_assert_int_eq(json_object_get(esp, "iv") != NULL, rows[i].iv);
        ck_assert_int_eq(json_object_get(esp, "pad_length") != NULL, rows[i].trailer);
        ck_assert_int_eq(falcon != NULL, rows[i].falcon);
        ck_assert_int_eq(json_is_true(json_object_get(falcon, "unauthenticated")),
                         rows[i].unauthenticated);
        if (rows[i].trailer)
            ck_assert_str_eq(json_string_value(json_object_get(esp, "next_header_text")),
                             "falcon");
        json_decref(json);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("json_layers");
    TCase *tcase = tcase_create("json_layers");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, make_keys, free_keys);
    tcase_add_loop_test(tcase, every_frame_comes_back, 0, KINDS);
    tcase_add_loop_test(tcase, a_line_by_hand_is_completed, 0, sizeof lines / sizeof *lines);
    tcase_add_loop_test(tcase, a_wrong_line_names_the_member, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(tcase, esp_says_whether_it_was_authenticated);
    suite_add_tcase(suite, tcase);
    return suite;
}
