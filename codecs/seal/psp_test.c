/* SPDX-License-Identifier: Apache-2.0
 * PSP against known answers of an independent implementation (tests/data/psp-vectors.json), and
 * against everything that must not open. */
#include "codecs/header/bitloop_test.h"
#include "codecs/seal/failing_openssl_test.h"
#include "codecs/seal/psp.h"
#include "tests/testing.h"

#include <openssl/crypto.h>
#include <stdlib.h>

enum { PACKET_MAX = 512, VECTORS = 8 };

struct vector {
    const char *name;
    struct fal_psp psp;
    struct fal_psp_vc vc;
    size_t key_len, inner_len, packet_len;
    uint8_t key[32], inner[PACKET_MAX], packet[PACKET_MAX];
};

static json_t *file; /* read once per test */
static struct vector vectors[VECTORS];

static size_t unhex(const json_t *json, uint8_t *out)
{
    const char *text = json_string_value(json);
    size_t len = json_string_length(json) / 2;

    ck_assert_ptr_nonnull(text);
    ck_assert_uint_le(len, PACKET_MAX);
    for (size_t i = 0; i < len; i++) {
        const char digits[3] = {text[2 * i], text[2 * i + 1], 0};

        out[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return len;
}

static uint64_t number(const json_t *json)
{
    return json_is_integer(json) ? (uint64_t)json_integer_value(json)
                                 : strtoull(json_string_value(json), NULL, 0);
}

static void read_vectors(void)
{
    json_t *list, *v;
    size_t i;

    file = json_load_file("tests/data/psp-vectors.json", JSON_REJECT_DUPLICATES, NULL);
    ck_assert_msg(file != NULL, "tests/data/psp-vectors.json: run from the top folder");
    list = json_object_get(file, "vectors");
    ck_assert_uint_eq(json_array_size(list), VECTORS);
    json_array_foreach(list, i, v)
    {
        struct vector *out = &vectors[i];
        bool vc = !json_is_null(json_object_get(v, "vc"));

        out->name = json_string_value(json_object_get(v, "name"));
        out->psp = (struct fal_psp){
            .next_header = (uint8_t)number(json_object_get(v, "next_header")),
            .hdr_ext_len = vc ? 2 : 1,
            .crypt_offset = (uint8_t)number(json_object_get(v, "crypt_offset")),
            .version = (uint8_t)number(json_object_get(v, "version")),
            .v = vc,
            .one = 1,
            .spi = (uint32_t)number(json_object_get(v, "spi")),
            .iv = number(json_object_get(v, "iv")),
        };
        out->vc.vc = vc ? number(json_object_get(v, "vc")) : 0;
        out->key_len = unhex(json_object_get(v, "derived_key"), out->key);
        out->inner_len = unhex(json_object_get(v, "inner"), out->inner);
        out->packet_len = unhex(json_object_get(v, "psp_packet"), out->packet);
    }
}

static void forget_vectors(void)
{
    json_decref(file);
}

static struct fal_psp_keys *keys_of(json_t *json)
{
    struct fal_error err = {""};
    struct fal_psp_keys *keys = fal_psp_keys_new(json, &err);

    ck_assert_msg(keys != NULL, "%s", err.text);
    ck_assert_str_eq(err.text, "");
    json_decref(json);
    return keys;
}

static struct fal_psp_keys *master_keys(void)
{
    return keys_of(json_pack("{s:O}", "master_keys", json_object_get(file, "master_keys")));
}

static void opens(struct fal_psp_keys *keys, const char *dst, const struct vector *v)
{
    uint8_t out[PACKET_MAX];
    size_t len = 0;

    memset(out, 0xee, sizeof out);
    ck_assert_int_eq(fal_psp_open(keys, dst, v->packet, v->packet_len, out, &len),
                     FAL_PSP_GOOD);
    ck_assert_uint_eq(len, v->inner_len);
    ck_assert_mem_eq(out, v->inner, len);
}

static enum fal_psp_state state_of(struct fal_psp_keys *keys, const char *dst,
                                   const struct vector *v)
{
    uint8_t out[PACKET_MAX];
    size_t len;

    return fal_psp_open(keys, dst, v->packet, v->packet_len, out, &len);
}

/* ---- known answers ---- */

START_TEST(derives_the_known_keys)
{
    for (size_t i = 0; i < VECTORS; i++) {
        const struct vector *v = &vectors[i];
        uint8_t master[PACKET_MAX], key[FAL_PSP_KEY_MAX];

        unhex(json_array_get(json_object_get(file, "master_keys"), v->psp.spi >> 31), master);
        ck_assert_int_eq(fal_psp_derive(master, v->psp.spi, v->psp.version, key),
                         (int)v->key_len);
        ck_assert_uint_eq(v->key_len, v->psp.version % 2 == 0 ? 16 : 32);
        ck_assert_msg(memcmp(key, v->key, v->key_len) == 0, "%s", v->name);
    }
}
END_TEST

START_TEST(derives_nothing_for_an_unknown_version)
{
    uint8_t master[32] = {0}, key[FAL_PSP_KEY_MAX];

    for (unsigned version = 4; version < 20; version++)
        ck_assert_int_eq(fal_psp_derive(master, 1, version, key), FAL_ERR_TYPE);
}
END_TEST

START_TEST(opens_the_known_packets)
{
    struct fal_psp_keys *keys = master_keys();

    for (int twice = 0; twice < 2; twice++) /* the second time from the cache */
        for (size_t i = 0; i < VECTORS; i++)
            opens(keys, twice ? "10.0.0.2" : NULL, &vectors[i]);
    fal_psp_keys_free(keys);
}
END_TEST

START_TEST(seals_the_known_packets)
{
    struct fal_psp_keys *keys = master_keys();

    for (size_t i = 0; i < VECTORS; i++) {
        const struct vector *v = &vectors[i];
        uint8_t out[PACKET_MAX];

        memset(out, 0xee, sizeof out);
        for (size_t cap = 0; cap < v->packet_len; cap++)
            ck_assert_int_eq(
                fal_psp_seal(keys, NULL,
                             &(struct fal_seal_input){&v->psp, &v->vc, v->inner, v->inner_len},
                             out, cap),
                FAL_ERR_SHORT);
        ck_assert_int_eq(
            fal_psp_seal(keys, NULL,
                         &(struct fal_seal_input){&v->psp, &v->vc, v->inner, v->inner_len}, out,
                         v->packet_len),
            (int)v->packet_len);
        ck_assert_msg(memcmp(out, v->packet, v->packet_len) == 0, "%s", v->name);
        ck_assert_uint_eq(out[v->packet_len], 0xee);
    }
    fal_psp_keys_free(keys);
}
END_TEST

/* ---- what must not open ---- */

/* The tag covers header, VC, payload and itself, so no changed bit may pass. A changed version
 * or SPI selects another key; an undefined version is not tried at all. */
START_TEST(FTP_7_1_04_no_changed_bit_opens)
{
    struct fal_psp_keys *keys = master_keys();

    for (size_t i = 0; i < VECTORS; i++) {
        struct vector v = vectors[i];

        for (size_t bit = 0; bit < 8 * v.packet_len; bit++) {
            unsigned version;
            enum fal_psp_state state;

            v.packet[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
            version = v.packet[3] >> 2 & 15;
            state = state_of(keys, NULL, &v);
            ck_assert_msg(state == (version > 3 ? FAL_PSP_NO_KEY : FAL_PSP_BAD),
                          "%s bit %zu: %d", v.name, bit, state);
            v.packet[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        }
        opens(keys, NULL, &v);
    }
    fal_psp_keys_free(keys);
}
END_TEST

START_TEST(no_truncation_opens_or_overreads)
{
    struct fal_psp_keys *keys = master_keys();

    for (size_t i = 0; i < VECTORS; i++) {
        for (size_t len = 0; len < vectors[i].packet_len; len++) {
            uint8_t *packet = malloc(len + 1),
                    *out = malloc(len + 1); /* one more: never NULL */
            enum fal_psp_state state;
            size_t out_len;

            ck_assert(packet != NULL && out != NULL);
            memcpy(packet + 1, vectors[i].packet, len);
            state = fal_psp_open(keys, NULL, packet + 1, len, out + 1, &out_len);
            ck_assert_int_eq(state, len < 32 ? FAL_PSP_TRUNCATED : FAL_PSP_BAD);
            free(packet);
            free(out);
        }
    }
    fal_psp_keys_free(keys);
}
END_TEST

START_TEST(wrong_key_is_bad_and_no_key_is_none)
{
    json_t *masters = json_object_get(file, "master_keys");
    struct fal_psp_keys *swapped = keys_of(json_pack(
        "{s:[OO]}", "master_keys", json_array_get(masters, 1), json_array_get(masters, 0)));
    struct fal_psp_keys *others =
        keys_of(json_pack("{s:{s:{s:O}}}", "receivers", "10.0.0.9", "master_keys", masters));

    for (size_t i = 0; i < VECTORS; i++) {
        ck_assert_int_eq(state_of(swapped, NULL, &vectors[i]), FAL_PSP_BAD);
        ck_assert_int_eq(state_of(others, "10.0.0.2", &vectors[i]), FAL_PSP_NO_KEY);
        ck_assert_int_eq(state_of(others, NULL, &vectors[i]), FAL_PSP_NO_KEY);
        ck_assert_int_eq(state_of(others, "not an address", &vectors[i]), FAL_PSP_NO_KEY);
        ck_assert_int_eq(state_of(NULL, NULL, &vectors[i]), FAL_PSP_NO_KEY);
        opens(others, "10.0.0.9", &vectors[i]);
    }
    fal_psp_keys_free(swapped);
    fal_psp_keys_free(others);
}
END_TEST

/* ---- keys ---- */

static json_t *sa_of(const struct vector *v, const char *dst)
{
    char hex[2 * FAL_PSP_KEY_MAX + 1], spi[16];

    for (size_t i = 0; i < v->key_len; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", v->key[i]);
    (void)snprintf(spi, sizeof spi, "0x%x", v->psp.spi);
    return json_pack("{s:s*, s:s, s:i, s:s}", "dst", dst, "spi", spi, "version",
                     (int)v->psp.version, "key", hex);
}

START_TEST(sas_open_what_they_name)
{
    json_t *sas = json_array();
    struct fal_psp_keys *keys;

    for (size_t i = VECTORS; i-- > 0;) /* the file need not be sorted */
        json_array_append_new(sas, sa_of(&vectors[i], i % 2 == 0 ? "10.0.0.2" : "fd00::2"));
    keys = keys_of(json_pack("{s:o}", "sas", sas));
    for (size_t i = 0; i < VECTORS; i++) {
        opens(keys, i % 2 == 0 ? "10.0.0.2" : "fd00::2", &vectors[i]);
        opens(keys, i % 2 == 0 ? "10.0.0.2" : "fd00:0:0::2", &vectors[i]);
        opens(keys, NULL, &vectors[i]);
        ck_assert_int_eq(state_of(keys, i % 2 == 0 ? "fd00::2" : "10.0.0.2", &vectors[i]),
                         FAL_PSP_NO_KEY);
    }
    fal_psp_keys_free(keys);
}
END_TEST

/* The order of the search: an SA of the receiver, an SA of any receiver, the receiver's master
 * keys, the master keys of all receivers. At each step the key under test opens the packet, and
 * all later keys do not. */
START_TEST(the_nearest_key_is_taken)
{
    struct vector wrong = vectors[0];
    json_t *masters = json_object_get(file, "master_keys"), *bad_masters;
    json_t *any, *other;
    struct fal_psp_keys *keys;

    wrong.key[0] ^= 1;
    bad_masters = json_pack("[OO]", json_array_get(masters, 1), json_array_get(masters, 0));
    any = sa_of(&vectors[0], NULL);
    other = sa_of(&wrong, NULL);

    keys = keys_of(json_pack("{s:O, s:{s:{s:O}}, s:[o,O]}", "master_keys", bad_masters,
                             "receivers", "10.0.0.2", "master_keys", bad_masters, "sas",
                             sa_of(&vectors[0], "10.0.0.2"), other));
    opens(keys, "10.0.0.2", &vectors[0]);
    ck_assert_int_eq(state_of(keys, "10.0.0.3", &vectors[0]), FAL_PSP_BAD);
    fal_psp_keys_free(keys);

    keys = keys_of(json_pack("{s:O, s:{s:{s:O}}, s:[O]}", "master_keys", bad_masters,
                             "receivers", "10.0.0.2", "master_keys", bad_masters, "sas", any));
    opens(keys, "10.0.0.2", &vectors[0]);
    fal_psp_keys_free(keys);

    keys = keys_of(json_pack("{s:O, s:{s:{s:O}}}", "master_keys", bad_masters, "receivers",
                             "10.0.0.2", "master_keys", masters));
    opens(keys, "10.0.0.2", &vectors[0]);
    ck_assert_int_eq(state_of(keys, "10.0.0.3", &vectors[0]), FAL_PSP_BAD);
    fal_psp_keys_free(keys);
    json_decref(bad_masters);
    json_decref(any);
    json_decref(other);
}
END_TEST

/* More SPIs than the cache holds, in an order that evicts: each packet still gets its own key.
 */
START_TEST(the_cache_is_bounded_and_never_wrong)
{
    struct fal_psp_keys *keys = master_keys(), *fresh;
    struct fal_psp psp = vectors[0].psp;
    static uint8_t sealed[3000][64];
    uint8_t out[64];
    size_t len;

    for (uint32_t i = 0; i < 3000; i++) {
        psp.spi = i * 0x01000193u;
        psp.version = (uint8_t)(i % 4);
        psp.iv = i;
        ck_assert_int_eq(
            fal_psp_seal(keys, NULL, &(struct fal_seal_input){&psp, NULL, vectors[0].inner, 32},
                         sealed[i], 64),
            64);
    }
    /* One SPI, all versions in turn: one place, four keys. */
    psp.spi = 77;
    for (uint32_t i = 0; i < 16; i++) {
        psp.version = (uint8_t)(i % 4);
        ck_assert_int_eq(
            fal_psp_seal(keys, NULL, &(struct fal_seal_input){&psp, NULL, vectors[0].inner, 32},
                         sealed[i], 64),
            64);
    }
    fresh = master_keys();
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t k = i * 1009 % 3000;

        ck_assert_int_eq(fal_psp_open(i % 2 ? keys : fresh, NULL, sealed[k], 64, out, &len),
                         FAL_PSP_GOOD);
        ck_assert_mem_eq(out, vectors[0].inner, 32);
    }
    fal_psp_keys_free(keys);
    fal_psp_keys_free(fresh);
}
END_TEST

/* Receivers with keys of their own, all for one SPI, more than the cache has places for. */
START_TEST(the_cache_knows_whose_key_it_is)
{
    json_t *receivers = json_object();
    struct fal_psp_keys *keys;
    static uint8_t sealed[300][64];
    uint8_t out[64];
    char dst[32];
    size_t len;

    for (int i = 0; i < 300; i++) {
        char key[65];

        (void)snprintf(key, sizeof key, "%064x", i);
        (void)snprintf(dst, sizeof dst, "10.0.%d.%d", i / 256, i % 256);
        json_object_set_new(receivers, dst, json_pack("{s:[s,s]}", "master_keys", key, key));
    }
    keys = keys_of(json_pack("{s:o}", "receivers", receivers));
    for (int i = 0; i < 300; i++) {
        (void)snprintf(dst, sizeof dst, "10.0.%d.%d", i / 256, i % 256);
        ck_assert_int_eq(
            fal_psp_seal(keys, dst,
                         &(struct fal_seal_input){&vectors[0].psp, NULL, vectors[0].inner, 32},
                         sealed[i], 64),
            64);
        for (int k = 0; k < i; k++)
            ck_assert_mem_ne(sealed[k], sealed[i], 64);
    }
    for (int round = 0; round < 600; round++) {
        int i = round * 7 % 300;

        (void)snprintf(dst, sizeof dst, "10.0.%d.%d", i / 256, i % 256);
        ck_assert_int_eq(fal_psp_open(keys, dst, sealed[i], 64, out, &len), FAL_PSP_GOOD);
    }
    fal_psp_keys_free(keys);
}
END_TEST

/* ---- sealing ---- */

/* Every version, VC, crypt offset and payload length: what was sealed opens, what stands before
 * the crypt offset is in the clear, and what is behind it is not. */
START_TEST(FTP_7_1_03_what_is_sealed_opens)
{
    struct fal_psp_keys *keys = master_keys();
    uint64_t seed = test_seed(5), state = seed;

    for (unsigned long round = 0; round < test_rounds(3000); round++) {
        struct fal_psp_vc vc = {.vc = test_random(&state)};
        uint8_t payload[160], out[256], opened[256];
        size_t len = test_random(&state) % 129, vc_len, clear, got = 999;
        struct fal_psp psp = {.next_header = 252, .one = 1};
        int n;

        test_random_bytes(&state, payload, sizeof payload);
        psp.v = (uint8_t)(test_random(&state) & 1);
        psp.hdr_ext_len = (uint8_t)(1 + psp.v);
        psp.version = (uint8_t)(test_random(&state) % 4);
        psp.crypt_offset = (uint8_t)(test_random(&state) % 64);
        psp.spi = (uint32_t)test_random(&state);
        psp.iv = test_random(&state);
        vc_len = psp.v ? 8 : 0;
        clear = 4u * psp.crypt_offset;
        n = fal_psp_seal(keys, NULL, &(struct fal_seal_input){&psp, &vc, payload, len}, out,
                         sizeof out);
        if (clear > vc_len + len) {
            ck_assert_int_eq(n, FAL_ERR_TYPE);
            continue;
        }
        ck_assert_int_eq(n, (int)(16 + vc_len + len + 16));
        ck_assert_int_eq(fal_psp_open(keys, NULL, out, (size_t)n, opened, &got), FAL_PSP_GOOD);
        ck_assert_uint_eq(got, len);
        ck_assert_mem_eq(opened, payload, len);
        if (!fal_psp_encrypts(psp.version))
            clear = vc_len + len;
        if (clear > vc_len)
            ck_assert_mem_eq(out + 16 + vc_len, payload, clear - vc_len);
        else if (psp.v && clear == vc_len)
            ck_assert_uint_eq(fal_bits_get(out + 16, 0, 64), vc.vc);
        for (size_t at = clear < vc_len ? vc_len : clear; at + 16 <= vc_len + len; at += 16)
            ck_assert_msg(memcmp(out + 16 + at, payload + at - vc_len, 16) != 0,
                          "in the clear: TALON_SEED=%llu", (unsigned long long)seed);
    }
    fal_psp_keys_free(keys);
}
END_TEST

/* V announces 8 bytes: without them nothing is sealed, nor opened. */
START_TEST(a_vc_needs_room)
{
    struct fal_psp_keys *keys = master_keys();
    uint8_t packet[48] = {252, 2, 0, 3, 0, 0, 0, 1}, out[48];
    const struct fal_psp_dst nobody = {.len = 0};
    size_t len;

    for (size_t n = 32; n <= 40; n++) {
        ck_assert_int_eq(fal_psp_open(keys, NULL, packet, n, out, &len), FAL_PSP_BAD);
        ck_assert_int_eq(fal_psp_seal_in_place(keys, &nobody, packet, n),
                         n < 40 ? FAL_ERR_TYPE : 0);
    }
    ck_assert_int_eq(fal_psp_open(keys, NULL, packet, 40, out, &len), FAL_PSP_GOOD);
    ck_assert_uint_eq(len, 0);
    fal_psp_keys_free(keys);
}
END_TEST

START_TEST(seal_refuses_what_it_cannot)
{
    struct fal_psp_keys *keys = master_keys();
    struct fal_psp psp = vectors[0].psp;
    uint8_t out[128];

    psp.version = 4;
    ck_assert_int_eq(fal_psp_seal(keys, NULL,
                                  &(struct fal_seal_input){&psp, NULL, vectors[0].inner, 32},
                                  out, 128),
                     FAL_ERR_TYPE);
    psp.version = 0;
    ck_assert_int_eq(fal_psp_seal(NULL, NULL,
                                  &(struct fal_seal_input){&psp, NULL, vectors[0].inner, 32},
                                  out, 128),
                     FAL_ERR_KEY);
    ck_assert_int_eq(fal_psp_seal(keys, "no address",
                                  &(struct fal_seal_input){&psp, NULL, vectors[0].inner, 32},
                                  out, 128),
                     FAL_ERR_KEY);
    psp.crypt_offset = 9;
    ck_assert_int_eq(fal_psp_seal(keys, NULL,
                                  &(struct fal_seal_input){&psp, NULL, vectors[0].inner, 32},
                                  out, 128),
                     FAL_ERR_TYPE);
    psp.crypt_offset = 8; /* all in the clear */
    ck_assert_int_eq(fal_psp_seal(keys, NULL,
                                  &(struct fal_seal_input){&psp, NULL, vectors[0].inner, 32},
                                  out, 128),
                     64);
    psp.crypt_offset = 64;
    ck_assert_int_eq(fal_psp_seal(keys, NULL,
                                  &(struct fal_seal_input){&psp, NULL, vectors[0].inner, 32},
                                  out, 128),
                     FAL_ERR_RANGE);
    psp.crypt_offset = 0;
    ck_assert_int_eq(
        fal_psp_seal(keys, NULL, &(struct fal_seal_input){&psp, NULL, NULL, 0}, out, 128), 32);
    fal_psp_keys_free(keys);
}
END_TEST

/* ---- key files ---- */

#define K32 "00112233445566778899aabbccddeeff"
#define K64 K32 K32

static const struct {
    const char *json, *error; /* NULL: accepted */
} key_files[] = {
    {"{\"master_keys\": [\"" K64 "\", \"" K64 "\"]}", NULL},
    {"{\"sas\": []}", NULL},
    {"{\"receivers\": {}}", NULL},
    {"{\"sas\": [{\"spi\": \"0x80000001\", \"version\": 0, \"key\": \"" K32 "\"}]}", NULL},
    {"{\"sas\": [{\"spi\": 4294967295, \"version\": 3, \"key\": \"" K64 "\"}]}", NULL},
    {"{\"sas\": [{\"spi\": \"17\", \"version\": \"2\", \"key\": \"" K32
     "\", \"dst\": \"::1\"}]}",
     NULL},
    {"{\"sas\": [{\"spi\": 1, \"version\": 0, \"key\": \"" K32
     "\"},{\"spi\": 1, \"version\": 2, \"key\": \"" K32
     "\"},{\"spi\": 1, \"version\": 0, \"dst\": \"10.0.0.2\", \"key\": \"" K32 "\"}]}",
     NULL},
    {"[]", "keys: an object is needed"},
    {"{}", "keys: master_keys, receivers or sas is needed"},
    {"{\"master_key\": []}", "keys: unknown member \"master_key\""},
    {"{\"master_keys\": [\"" K64 "\", \"" K64 "\", \"" K64 "\"]}",
     "master_keys: an array of 2 keys is needed"},
    {"{\"master_keys\": \"" K64 "\"}", "master_keys: an array of 2 keys is needed"},
    {"{\"master_keys\": [\"" K64 "\"]}", "master_keys: an array of 2 keys is needed"},
    {"{\"master_keys\": [\"" K64 "\", 7]}",
     "master_keys[1]: a string of 64 hex digits is needed"},
    {"{\"master_keys\": [\"" K64 "\", \"" K32 "\"]}",
     "master_keys[1]: 32 characters, 64 hex digits are needed"},
    {"{\"master_keys\": [\"" K32 "0g112233445566778899aabbccddeeff\", \"" K64 "\"]}",
     "master_keys[0]: character 34 is no hex digit"},
    {"{\"receivers\": []}", "receivers: an object is needed"},
    {"{\"receivers\": {\"10.0.0\": {}}}", "receivers[\"10.0.0\"]: not an IP address"},
    {"{\"receivers\": {\"10.0.0.1\": 5}}", "receivers[\"10.0.0.1\"]: an object is needed"},
    {"{\"receivers\": {\"10.0.0.1\": {}}}",
     "receivers[\"10.0.0.1\"].master_keys: an array of 2 keys is needed"},
    {"{\"receivers\": {\"10.0.0.1\": {\"keys\": 1}}}",
     "receivers[\"10.0.0.1\"]: unknown member \"keys\""},
    {"{\"receivers\": {\"fd00::1\": {\"master_keys\": [\"" K64 "\", \"" K64
     "\"]},\"fd00:0::1\": {\"master_keys\": [\"" K64 "\", \"" K64 "\"]}}}",
     "receivers: an address is named twice"},
    {"{\"sas\": {}}", "sas: an array is needed"},
    {"{\"sas\": [1]}", "sas[0]: an object is needed"},
    {"{\"sas\": [{\"version\": 0, \"key\": \"" K32 "\"}]}", "sas[0].spi: a number is needed"},
    {"{\"sas\": [{\"spi\": -1, \"version\": 0, \"key\": \"" K32 "\"}]}",
     "sas[0].spi: a number is needed"},
    {"{\"sas\": [{\"spi\": \"0x\", \"version\": 0, \"key\": \"" K32 "\"}]}",
     "sas[0].spi: a number is needed"},
    {"{\"sas\": [{\"spi\": \" 1\", \"version\": 0, \"key\": \"" K32 "\"}]}",
     "sas[0].spi: a number is needed"},
    {"{\"sas\": [{\"spi\": \"1x\", \"version\": 0, \"key\": \"" K32 "\"}]}",
     "sas[0].spi: a number is needed"},
    {"{\"sas\": [{\"spi\": \"0x100000000\", \"version\": 0, \"key\": \"" K32 "\"}]}",
     "sas[0].spi: more than 4294967295"},
    {"{\"sas\": [{\"spi\": \"0xfffffffffffffffffff\", \"version\": 0, \"key\": \"" K32 "\"}]}",
     "sas[0].spi: more than 4294967295"},
    {"{\"sas\": [{\"spi\": 1, \"version\": 4, \"key\": \"" K32 "\"}]}",
     "sas[0].version: more than 3"},
    {"{\"sas\": [{\"spi\": 1, \"version\": 1, \"key\": \"" K32 "\"}]}",
     "sas[0].key: 32 characters, 64 hex digits are needed"},
    {"{\"sas\": [{\"spi\": 1, \"version\": 0, \"key\": \"" K64 "\"}]}",
     "sas[0].key: 64 characters, 32 hex digits are needed"},
    {"{\"sas\": [{\"spi\": 1, \"version\": 0, \"key\": \"" K32 "\", \"dst\": \"host\"}]}",
     "sas[0].dst: not an IP address"},
    {"{\"sas\": [{\"spi\": 1, \"version\": 0, \"key\": \"" K32 "\", \"dst\": null}]}",
     "sas[0].dst: not an IP address"},
    {"{\"sas\": [{\"spi\": 1, \"version\": 0, \"key\": \"" K32 "\", \"ttl\": 1}]}",
     "sas[0]: unknown member \"ttl\""},
    {"{\"sas\": [{\"spi\": 1, \"version\": 0, \"key\": \"" K32
     "\"}, {\"spi\": \"0x1\", \"version\": 0, \"key\": \"" K32 "\"}]}",
     "sas: SPI 0x00000001 has two keys of version 0"},
};

START_TEST(a_key_file_is_read_or_refused_by_name)
{
    json_t *json = json_loads(key_files[_i].json, JSON_DECODE_ANY, NULL);
    struct fal_error err = {""};
    struct fal_psp_keys *keys;

    ck_assert_ptr_nonnull(json);
    keys = fal_psp_keys_new(json, &err);
    ck_assert_str_eq(err.text, key_files[_i].error != NULL ? key_files[_i].error : "");
    ck_assert_int_eq(keys != NULL, key_files[_i].error == NULL);
    if (keys == NULL)
        ck_assert_ptr_null(fal_psp_keys_new(json, NULL));
    fal_psp_keys_free(keys);
    json_decref(json);
}
END_TEST

/* ---- allocation failure: OpenSSL's allocator, which the key set uses too, fails at the n-th
 * call ---- */

START_TEST(every_allocation_may_fail)
{
    json_t *json =
        json_pack("{s:O, s:{s:{s:O}}, s:[o]}", "master_keys",
                  json_object_get(file, "master_keys"), "receivers", "10.0.0.2", "master_keys",
                  json_object_get(file, "master_keys"), "sas", sa_of(&vectors[1], NULL));
    struct fal_psp_keys *keys = master_keys();
    long n, refused = 0;

    opens(keys, NULL, &vectors[0]); /* OpenSSL has loaded what it loads once */
    fal_psp_keys_free(keys);
    for (n = 1;; n++) {
        struct fal_error err = {""};

        fail_at = n;
        keys = fal_psp_keys_new(json, &err);
        if (fail_at > 0 && keys != NULL) {
            fail_at = -1;
            break; /* there were fewer than n */
        }
        refused += keys == NULL;
        ck_assert_int_eq(keys == NULL, err.text[0] != 0);
        fal_psp_keys_free(keys);
        fail_at = -1;
    }
    ck_assert_int_ge(refused, 3); /* the set, its receivers, its SAs */

    for (n = 1;; n++) {
        enum fal_psp_state state;
        struct fal_psp_keys *fresh = fal_psp_keys_new(json, NULL);

        ck_assert_ptr_nonnull(fresh);
        fail_at = n;
        state = state_of(fresh, NULL, &vectors[0]);
        if (fail_at > 0) {
            fail_at = -1;
            ck_assert_int_eq(state, FAL_PSP_GOOD);
            fal_psp_keys_free(fresh);
            break;
        }
        fail_at = -1;
        ck_assert(state == FAL_PSP_NO_KEY || state == FAL_PSP_GOOD);
        opens(fresh, NULL, &vectors[0]); /* a failure leaves nothing wrong behind */
        fal_psp_keys_free(fresh);
    }
    ck_assert_int_ge(n, 3);
    fal_psp_keys_free(keys);
    json_decref(json);
}
END_TEST

/* AMB-32: an IV counts picoseconds, t1 units of 2^17 of them. */
START_TEST(FTP_7_7_1_11_ticks_of_an_iv)
{
    ck_assert_uint_eq(fal_psp_ticks(FAL_TICK_PS - 1), 0);
    ck_assert_uint_eq(fal_psp_ticks(FAL_TICK_PS), 1);
    ck_assert_uint_eq(fal_psp_ticks(UINT64_C(0x2754c3bdf376bc25)), 0x61def9bb);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("psp");
    TCase *tcase = tcase_create("psp");

    /* Before OpenSSL allocates anything. */
    if (CRYPTO_set_mem_functions(test_malloc, test_realloc, test_free) != 1)
        abort();
    tcase_add_checked_fixture(tcase, read_vectors, forget_vectors);
    tcase_add_test(tcase, derives_the_known_keys);
    tcase_add_test(tcase, derives_nothing_for_an_unknown_version);
    tcase_add_test(tcase, opens_the_known_packets);
    tcase_add_test(tcase, seals_the_known_packets);
    tcase_add_test(tcase, FTP_7_1_04_no_changed_bit_opens);
    tcase_add_test(tcase, no_truncation_opens_or_overreads);
    tcase_add_test(tcase, wrong_key_is_bad_and_no_key_is_none);
    tcase_add_test(tcase, sas_open_what_they_name);
    tcase_add_test(tcase, the_nearest_key_is_taken);
    tcase_add_test(tcase, the_cache_is_bounded_and_never_wrong);
    tcase_add_test(tcase, the_cache_knows_whose_key_it_is);
    tcase_add_test(tcase, a_vc_needs_room);
    tcase_add_test(tcase, FTP_7_1_03_what_is_sealed_opens);
    tcase_add_test(tcase, seal_refuses_what_it_cannot);
    tcase_add_loop_test(tcase, a_key_file_is_read_or_refused_by_name, 0,
                        sizeof key_files / sizeof *key_files);
    tcase_add_test(tcase, every_allocation_may_fail);
    tcase_add_test(tcase, FTP_7_7_1_11_ticks_of_an_iv);
    suite_add_tcase(suite, tcase);
    return suite;
}
