/* SPDX-License-Identifier: Apache-2.0
 * ESP: known answers of draft-mcgrew-gcm-test-01, what was changed never opens, extended
 * sequence numbers, key files, failing allocations. */
#include "codecs/header/bitloop_test.h"
#include "codecs/seal/esp.h"
#include "codecs/seal/failing_openssl_test.h"
#include "tests/testing.h"

#include <openssl/crypto.h>
#include <stdlib.h>

/* ---- known answers ---- */

/* Keys, nonces, plain and sealed bytes of the draft. Its additional data is SPI and sequence
 * number, with ESN 64 bits of it. */
static const struct {
    const char *key, *salt;
    uint32_t spi, high, sequence;
    bool esn;
    const char *iv, *plain, *sealed; /* sealed: with the ICV */
} vectors[] = {
    {"4c80cdefbb5d10da906ac73c3613a634", "2e443b68", 0x4321, 0x87654321, 0, true,
     "4956ed7e3b244cfe",
     "45000048699a000080114db7c0a80102c0a801010a9bf15638d301000001000000000000045f736970045f756470"
     "037369700963796265726369747902646b000021000101020201",
     "fecf537e729d5b07dc30df528dd22b768d1b98736696a6fd348509fa13ceac34cfa2436f14a3f3cf65925bf1f4a1"
     "3c5d15b21e1884f5ff6247aeabb786b93bce61bc17d768fd9732459018148f6cbe722fd04796562dfdb4"},
    {"feffe9928665731c6d6a8f9467308308", "cafebabe", 0xa5f8, 0, 10, false, "facedbaddecaf888",
     "4500003e698f000080114dccc0a80102c0a801010a980035002a2343b2d001000001000000000000037369700963"
     "796265726369747902646b00000100010001",
     "deb22cd9b07c72c16e3a65beeb8df304a5a5897d33ae530f1ba76d5d114d2a5c3de81827c10e9a4f51330d0eec41"
     "6642cfbb85a5b47e48a4ec3b9ba95d918bd183b70d3aa8bc6ee4c309e9d85a41ad4a"},
    {"abbccddef00112233445566778899aababbccddef00112233445566778899aab", "11223344", 0x4a2cbfe3,
     0, 2, false, "0102030405060708",
     "4500003069a6400080062690c0a801029389155e0a9e008b2dc57ee0000000007002400020bf0000020405b40101040201020201",
     "ff425c9b724599df7a3bcd510194e00d6a78107f1b0b1cbf06efae9d65a5d763748a637985771d347f0545659f14"
     "e99def842d8eb335f4eecfdbf831824b4c4915956c96"},
    {"3de09874b388e6491988d0c3607eae1f", "57690e43", 0x42f67e3f, 0x10101010, 0x10101010, true,
     "4e280000a2fca1a3",
     "4500003c99c300008001cb7c40679318010101010800085c020043006162636465666768696a6b6c6d6e6f707172"
     "737475767761626364656667686901020201",
     "fba2caa4853cf9f0f22cb10d86dd83b0fec75691cf1a04b00d1138ec9c35791765acbd8701ad79845bf9fe3fba48"
     "7bc91755e6662b4c8d0d1f5e22739530320ae0d731cc978ecafaeae88f00e80d6e48"},
    {"3de09874b388e6491988d0c3607eae1f", "57690e43", 0x42f67e3f, 0x10101010, 0x10101010, true,
     "4e280000a2fca1a3", "4500001c42a200008001441f406793b6e00000020a00f5ff01020201",
     "fba2ca845e5df9f0f22c3e6e86dd831e1fc65792cd1af9130e1379ed369f071f35e034be95f112e4e7d05d35"},
};

enum { VECTORS = sizeof vectors / sizeof *vectors, PACKET_MAX = 200 };

static const struct fal_psp_dst nobody;

static size_t unhex(const char *text, uint8_t *out)
{
    size_t n = strlen(text) / 2;

    for (size_t i = 0; i < n; i++) {
        char pair[3] = {text[2 * i], text[2 * i + 1], 0};

        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return n;
}

static struct fal_esp_keys *keys_of(json_t *json)
{
    struct fal_error err = {""};
    struct fal_esp_keys *keys = fal_esp_keys_new(json, &err);

    ck_assert_msg(keys != NULL, "%s", err.text);
    json_decref(json);
    return keys;
}

static json_t *sa_of(size_t i, int icv_len)
{
    json_t *sa =
        json_pack("{s:s, s:s, s:s, s:I, s:i, s:b}", "algorithm",
                  strlen(vectors[i].key) == 32 ? "aes-gcm-128" : "aes-gcm-256", "key",
                  vectors[i].key, "salt", vectors[i].salt, "spi", (json_int_t)vectors[i].spi,
                  "icv_len", icv_len, "esn", (int)vectors[i].esn);

    if (vectors[i].esn)
        json_object_set_new(sa, "sequence_high", json_integer(vectors[i].high));
    return sa;
}

static struct fal_esp_keys *vector_keys(size_t i, int icv_len)
{
    return keys_of(json_pack("{s:[o]}", "sas", sa_of(i, icv_len)));
}

/* The packet of a vector; its ICV cut to `icv_len` bytes. */
static size_t packet_of(size_t i, size_t icv_len, uint8_t out[PACKET_MAX])
{
    size_t n = 16;

    fal_bits_set(out, 0, 32, vectors[i].spi);
    fal_bits_set(out, 32, 32, vectors[i].sequence);
    (void)unhex(vectors[i].iv, out + 8);
    n += unhex(vectors[i].sealed, out + n);
    return n - 16 + icv_len;
}

START_TEST(opens_and_seals_the_known_packets)
{
    for (size_t i = 0; i < VECTORS; i++) {
        for (size_t icv_len = 8; icv_len <= 16; icv_len += 4) { /* a shorter ICV is a prefix */
            struct fal_esp_keys *keys = vector_keys(i, (int)icv_len);
            uint8_t packet[PACKET_MAX], out[PACKET_MAX], plain[PACKET_MAX], again[PACKET_MAX];
            size_t len = packet_of(i, icv_len, packet), body = unhex(vectors[i].plain, plain);
            uint32_t high = 99;

            ck_assert_uint_eq(len, 16 + body + icv_len);
            ck_assert_int_eq(fal_esp_open_to(keys, &nobody, packet, len, out, &high),
                             FAL_PSP_GOOD);
            ck_assert_mem_eq(out, plain, body);
            ck_assert_uint_eq(high, vectors[i].high);
            memcpy(again, packet, 16);
            memcpy(again + 16, plain, body);
            ck_assert_int_eq(fal_esp_seal_in_place(keys, &nobody, vectors[i].high, again, len),
                             0);
            ck_assert_mem_eq(again, packet, len);
            fal_esp_keys_free(keys);
        }
    }
}
END_TEST

START_TEST(no_changed_bit_opens)
{
    for (size_t i = 0; i < VECTORS; i++) {
        struct fal_esp_keys *keys = vector_keys(i, 16);
        uint8_t packet[PACKET_MAX], out[PACKET_MAX];
        size_t len = packet_of(i, 16, packet);

        for (size_t bit = 0; bit < 8 * len; bit++) {
            packet[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
            ck_assert_int_eq(fal_esp_open_to(keys, &nobody, packet, len, out, NULL),
                             bit < 32 ? FAL_PSP_NO_KEY : FAL_PSP_BAD);
            packet[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        }
        ck_assert_int_eq(fal_esp_open_to(keys, &nobody, packet, len, out, NULL), FAL_PSP_GOOD);
        fal_esp_keys_free(keys);
    }
}
END_TEST

START_TEST(no_truncation_opens_or_overreads)
{
    struct fal_esp_keys *keys = vector_keys(4, 16);
    uint8_t packet[PACKET_MAX];
    size_t len = packet_of(4, 16, packet);

    for (size_t n = 0; n < len; n++) {
        uint8_t *exact = malloc(n + 1), *out = malloc(n + 1);

        ck_assert(exact != NULL && out != NULL);
        memcpy(exact + 1, packet, n);
        ck_assert_int_eq(fal_esp_open_to(keys, &nobody, exact + 1, n, out, NULL),
                         n < 8 ? FAL_PSP_TRUNCATED : FAL_PSP_BAD);
        if (n < 32)
            ck_assert_int_eq(fal_esp_seal_in_place(keys, &nobody, 0, exact + 1, n),
                             FAL_ERR_SHORT);
        free(exact);
        free(out);
    }
    fal_esp_keys_free(keys);
}
END_TEST

/* ---- which SA ---- */

START_TEST(the_nearest_sa_is_taken)
{
    struct fal_esp_keys *keys = keys_of(json_pack(
        "{s:[{s:s,s:i,s:s},{s:s,s:i,s:s,s:i},{s:i,s:s,s:i},{s:s,s:i,s:s,s:i}]}", "sas", "dst",
        "10.0.0.2", "spi", 5, "algorithm", "null", "dst", "10.0.0.3", "spi", 5, "algorithm",
        "null", "icv_len", 8, "spi", 5, "algorithm", "null", "icv_len", 12, "dst", "fd00::2",
        "spi", 6, "algorithm", "null", "icv_len", 16));
    const struct fal_psp_dst two = {4, {10, 0, 0, 2}}, three = {4, {10, 0, 0, 3}},
                             four = {4, {10, 0, 0, 4}};
    struct fal_esp_form form;

    ck_assert(fal_esp_find(keys, &two, 5, &form) && form.icv_len == 0);
    ck_assert(fal_esp_find(keys, &three, 5, &form) && form.icv_len == 8);
    ck_assert(fal_esp_find(keys, &four, 5, &form) && form.icv_len == 12);
    ck_assert(fal_esp_find(keys, &nobody, 5, &form) && form.icv_len == 12);
    ck_assert(!fal_esp_find(keys, &two, 6, &form));
    ck_assert(fal_esp_find(keys, &nobody, 6, &form) && form.icv_len == 16); /* the first */
    ck_assert(!fal_esp_find(keys, &nobody, 7, &form));
    ck_assert(!fal_esp_find(NULL, &nobody, 5, &form));
    ck_assert(form.iv_len == 0 && form.algorithm == FAL_ESP_NULL && !form.esn);
    fal_esp_keys_free(keys);
}
END_TEST

START_TEST(null_hides_nothing)
{
    struct fal_esp_keys *keys = keys_of(
        json_pack("{s:[{s:i,s:s,s:i}]}", "sas", "spi", 1, "algorithm", "null", "icv_len", 12));
    uint8_t packet[24] = {0, 0, 0, 1, 0, 0, 0, 1, 'h', 'e', 0, 252, 9, 9}, out[24];

    ck_assert_int_eq(fal_esp_open_to(keys, &nobody, packet, 24, out, NULL), FAL_PSP_NO_KEY);
    ck_assert_int_eq(fal_esp_seal_in_place(keys, &nobody, 0, packet, 24), 0);
    ck_assert_mem_eq(packet + 8, "he\0\xfc\0\0\0\0\0\0\0\0\0\0\0", 16);
    ck_assert_int_eq(fal_esp_seal_in_place(keys, &nobody, 0, packet, 19), FAL_ERR_SHORT);
    packet[3] = 2;
    ck_assert_int_eq(fal_esp_seal_in_place(keys, &nobody, 0, packet, 24), FAL_ERR_KEY);
    ck_assert_int_eq(fal_esp_seal_in_place(NULL, &nobody, 0, packet, 24), FAL_ERR_KEY);
    fal_esp_keys_free(keys);
}
END_TEST

/* More SAs than the cache has places for. */
START_TEST(the_cache_is_bounded_and_never_wrong)
{
    enum { SAS = 600 };
    static uint8_t sealed[SAS][40];
    json_t *sas = json_array();
    struct fal_esp_keys *keys;
    uint8_t out[40];

    for (int i = 0; i < SAS; i++) {
        char key[33];

        (void)snprintf(key, sizeof key, "%032x", i / 2);
        json_array_append_new(sas, json_pack("{s:i,s:s,s:s,s:s}", "spi", i + 1, "algorithm",
                                             "aes-gcm-128", "key", key, "salt", "00000000"));
    }
    keys = keys_of(json_pack("{s:o}", "sas", sas));
    for (uint32_t i = 0; i < SAS; i++) {
        fal_bits_set(sealed[i], 0, 32, i + 1);
        ck_assert_int_eq(fal_esp_seal_in_place(keys, &nobody, 0, sealed[i], 40), 0);
    }
    for (uint32_t round = 0; round < 2 * SAS; round++) {
        uint32_t i = round * 257 % SAS;

        ck_assert_int_eq(fal_esp_open_to(keys, &nobody, sealed[i], 40, out, NULL),
                         FAL_PSP_GOOD);
        fal_bits_set(sealed[i], 0, 32, (i + 2) % SAS + 1); /* the key of another SA */
        ck_assert_int_eq(fal_esp_open_to(keys, &nobody, sealed[i], 40, out, NULL), FAL_PSP_BAD);
        fal_bits_set(sealed[i], 0, 32, i + 1);
    }
    fal_esp_keys_free(keys);
}
END_TEST

/* ---- extended sequence numbers ---- */

static void seal_at(struct fal_esp_keys *keys, uint64_t sequence, uint8_t packet[40])
{
    memset(packet, 0, 40);
    fal_bits_set(packet, 0, 32, 9);
    fal_bits_set(packet, 32, 32, sequence & UINT32_MAX);
    fal_bits_set(packet, 64, 64, sequence); /* an IV */
    ck_assert_int_eq(
        fal_esp_seal_in_place(keys, &nobody, (uint32_t)(sequence >> 32), packet, 40), 0);
}

static json_t *esn_keys(json_int_t high)
{
    return json_pack("{s:[{s:i,s:s,s:s,s:s,s:b,s:I}]}", "sas", "spi", 9, "algorithm",
                     "aes-gcm-128", "key", vectors[0].key, "salt", "00000000", "esn", 1,
                     "sequence_high", high);
}

/* Sequence numbers wrap at 32 bits, late packets come from before the wrap, and packets of
 * another SA do not change the high half. */
START_TEST(the_unsent_half_follows_the_packets)
{
    static const uint64_t sequences[] = {
        1,           0x70000000,  0xe0000000,  0xffffffff,  0x100000000,
        0xfffffff0,  0x100000005, 0x180000000, 0x1fffffffe, 0x200000001,
        0x200000000, 0x1ffffffff, 0x1a0000000, 0x330000000, 0x300000000,
    };
    struct fal_esp_keys *keys = keys_of(esn_keys(0)), *sealer = keys_of(esn_keys(0));
    uint8_t packet[40], out[40];
    uint32_t high;

    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        seal_at(sealer, sequences[i], packet);
        ck_assert_int_eq(fal_esp_open_to(keys, &nobody, packet, 40, out, &high), FAL_PSP_GOOD);
        ck_assert_uint_eq(high, sequences[i] >> 32);
        packet[39] ^= 1;
        fal_bits_set(packet, 32, 32, sequences[i] ^ 0x80000000);
        ck_assert_int_eq(fal_esp_open_to(keys, &nobody, packet, 40, out, &high), FAL_PSP_BAD);
        ck_assert_uint_eq(high, 0);
    }
    seal_at(sealer, 0x700000000, packet); /* too far away to be found */
    ck_assert_int_eq(fal_esp_open_to(keys, &nobody, packet, 40, out, &high), FAL_PSP_BAD);
    fal_esp_keys_free(keys);
    keys = keys_of(esn_keys(7)); /* unless the key file says where the capture begins */
    ck_assert_int_eq(fal_esp_open_to(keys, &nobody, packet, 40, out, &high), FAL_PSP_GOOD);
    ck_assert_uint_eq(high, 7);
    fal_esp_keys_free(keys);
    fal_esp_keys_free(sealer);
}
END_TEST

/* ---- key files ---- */

#define K32  "00112233445566778899aabbccddeeff"
#define K64  K32 K32
#define GCM  "\"algorithm\": \"aes-gcm-128\", \"key\": \"" K32 "\", \"salt\": \"00112233\""
#define NONE "\"algorithm\": \"null\""

static const struct {
    const char *json, *error; /* NULL: accepted */
} key_files[] = {
    {"{\"sas\": []}", NULL},
    {"{\"sas\": [{\"spi\": \"0xffffffff\", " GCM "}]}", NULL},
    {"{\"sas\": [{\"spi\": 1, \"dst\": \"fd00::2\", " GCM ", \"icv_len\": 8, \"esn\": false}]}",
     NULL},
    {"{\"sas\": [{\"spi\": 1, \"algorithm\": \"aes-gcm-256\", \"key\": \"" K64
     "\", \"salt\": \"00112233\", \"icv_len\": \"12\", \"esn\": true}]}",
     NULL},
    {"{\"sas\": [{\"spi\": 1, " NONE "}, {\"spi\": 1, \"dst\": \"10.0.0.1\", " NONE "}]}",
     NULL},
    {"{\"sas\": [{\"spi\": 1, " NONE ", \"key\": \"\", \"salt\": \"\", \"icv_len\": 12}]}",
     NULL},
    {"[]", "keys: an object is needed"},
    {"{}", "sas: an array is needed"},
    {"{\"sas\": {}}", "sas: an array is needed"},
    {"{\"sas\": [], \"master_keys\": []}", "keys: unknown member \"master_keys\""},
    {"{\"sas\": [1]}", "sas[0]: an object is needed"},
    {"{\"sas\": [{\"spi\": 1, " NONE "}, {\"spi\": 2, \"ttl\": 1}]}",
     "sas[1]: unknown member \"ttl\""},
    {"{\"sas\": [{" GCM "}]}", "sas[0].spi: a number is needed"},
    {"{\"sas\": [{\"spi\": 0, " GCM "}]}", "sas[0].spi: 0 is no SPI"},
    {"{\"sas\": [{\"spi\": 4294967296, " GCM "}]}", "sas[0].spi: more than 4294967295"},
    {"{\"sas\": [{\"spi\": 1, \"dst\": \"host\", " GCM "}]}", "sas[0].dst: not an IP address"},
    {"{\"sas\": [{\"spi\": 1}]}",
     "sas[0].algorithm: \"aes-gcm-128\", \"aes-gcm-256\" or \"null\" is needed"},
    {"{\"sas\": [{\"spi\": 1, \"algorithm\": \"AES\"}]}",
     "sas[0].algorithm: \"aes-gcm-128\", \"aes-gcm-256\" or \"null\" is needed"},
    {"{\"sas\": [{\"spi\": 1, \"algorithm\": \"aes-gcm-128\"}]}",
     "sas[0].key: a string of 32 hex digits is needed"},
    {"{\"sas\": [{\"spi\": 1, \"algorithm\": \"aes-gcm-256\", \"key\": \"" K32 "\"}]}",
     "sas[0].key: 32 characters, 64 hex digits are needed"},
    {"{\"sas\": [{\"spi\": 1, \"algorithm\": \"aes-gcm-128\", \"key\": \"" K32 "\"}]}",
     "sas[0].salt: a string of 8 hex digits is needed"},
    {"{\"sas\": [{\"spi\": 1, " NONE ", \"key\": \"" K32 "\"}]}",
     "sas[0].key: 32 characters, 0 hex digits are needed"},
    {"{\"sas\": [{\"spi\": 1, " GCM ", \"icv_len\": 0}]}",
     "sas[0].icv_len: 16, 12 or 8 is needed"},
    {"{\"sas\": [{\"spi\": 1, " NONE ", \"icv_len\": 4}]}",
     "sas[0].icv_len: 0, 16, 12 or 8 is needed"},
    {"{\"sas\": [{\"spi\": 1, " GCM ", \"icv_len\": -1}]}",
     "sas[0].icv_len: a number is needed"},
    {"{\"sas\": [{\"spi\": 1, " GCM ", \"esn\": 1}]}", "sas[0].esn: true or false is needed"},
    {"{\"sas\": [{\"spi\": 1, " GCM ", \"sequence_high\": 1}]}",
     "sas[0].sequence_high: only with \"esn\": true"},
    {"{\"sas\": [{\"spi\": 1, " GCM ", \"esn\": true, \"sequence_high\": \"x\"}]}",
     "sas[0].sequence_high: a number is needed"},
    {"{\"sas\": [{\"spi\": 16, " NONE "}, {\"spi\": \"0x10\", " GCM "}]}",
     "sas: SPI 0x00000010 has two keys"},
};

START_TEST(a_key_file_is_read_or_refused_by_name)
{
    json_t *json = json_loads(key_files[_i].json, JSON_DECODE_ANY, NULL);
    struct fal_error err = {""};
    struct fal_esp_keys *keys;

    ck_assert_ptr_nonnull(json);
    keys = fal_esp_keys_new(json, &err);
    ck_assert_str_eq(err.text, key_files[_i].error != NULL ? key_files[_i].error : "");
    ck_assert_int_eq(keys != NULL, key_files[_i].error == NULL);
    if (keys == NULL)
        ck_assert_ptr_null(fal_esp_keys_new(json, NULL));
    fal_esp_keys_free(keys);
    json_decref(json);
}
END_TEST

/* ---- allocation failure: OpenSSL's allocator, which the key set uses too ---- */

START_TEST(every_allocation_may_fail)
{
    json_t *json = json_pack("{s:[o]}", "sas", sa_of(1, 16));
    struct fal_esp_keys *keys = vector_keys(1, 16);
    uint8_t packet[PACKET_MAX], out[PACKET_MAX];
    size_t len = packet_of(1, 16, packet);
    long n, refused = 0;

    /* OpenSSL has loaded what it loads once */
    ck_assert_int_eq(fal_esp_open_to(keys, &nobody, packet, len, out, NULL), FAL_PSP_GOOD);
    fal_esp_keys_free(keys);
    for (n = 1;; n++) {
        struct fal_error err = {""};

        fail_at = n;
        keys = fal_esp_keys_new(json, &err);
        if (fail_at > 0 && keys != NULL) {
            fail_at = -1;
            break; /* there were fewer than n */
        }
        refused += keys == NULL;
        ck_assert_int_eq(keys == NULL, err.text[0] != 0);
        fal_esp_keys_free(keys);
        fail_at = -1;
    }
    ck_assert_int_ge(refused, 2); /* the set, its SAs */
    fal_esp_keys_free(keys);
    for (n = 1;; n++) {
        enum fal_psp_state state;
        bool enough;

        keys = fal_esp_keys_new(json, NULL);
        ck_assert_ptr_nonnull(keys);
        fail_at = n;
        state = fal_esp_open_to(keys, &nobody, packet, len, out, NULL);
        enough = fail_at > 0;
        fail_at = -1;
        ck_assert(state == FAL_PSP_GOOD || (state == FAL_PSP_NO_KEY && !enough));
        /* a failure leaves nothing wrong behind */
        ck_assert_int_eq(fal_esp_open_to(keys, &nobody, packet, len, out, NULL), FAL_PSP_GOOD);
        fal_esp_keys_free(keys);
        if (enough)
            break;
    }
    ck_assert_int_ge(n, 2);
    json_decref(json);
}
END_TEST

START_TEST(padding_ends_on_words)
{
    for (size_t n = 0; n < 20; n++) {
        ck_assert_uint_eq((n + fal_esp_padding(n) + FAL_ESP_TRAILER_MIN) % 4, 0);
        ck_assert_uint_lt(fal_esp_padding(n), 4);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("esp");
    TCase *tcase = tcase_create("esp");

    /* Before OpenSSL allocates anything. */
    if (CRYPTO_set_mem_functions(test_malloc, test_realloc, test_free) != 1)
        abort();
    tcase_add_test(tcase, opens_and_seals_the_known_packets);
    tcase_add_test(tcase, no_changed_bit_opens);
    tcase_add_test(tcase, no_truncation_opens_or_overreads);
    tcase_add_test(tcase, the_nearest_sa_is_taken);
    tcase_add_test(tcase, null_hides_nothing);
    tcase_add_test(tcase, the_cache_is_bounded_and_never_wrong);
    tcase_add_test(tcase, the_unsent_half_follows_the_packets);
    tcase_add_loop_test(tcase, a_key_file_is_read_or_refused_by_name, 0,
                        sizeof key_files / sizeof *key_files);
    tcase_add_test(tcase, every_allocation_may_fail);
    tcase_add_test(tcase, padding_ends_on_words);
    suite_add_tcase(suite, tcase);
    return suite;
}
