/* SPDX-License-Identifier: Apache-2.0
 * independent_test.c - the guard and the encryption against other people's: CRC-16/T10-DIF of
 * ISA-L, AES-256-XTS of libgcrypt. Only this test needs these libraries. */
#include "codecs/nvme/t10_dif.h"
#include "oracles/nvme/crypt.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <gcrypt.h>
#include <isa-l/crc.h>
#include <string.h>

enum { ROUNDS = 10000, UNIT_MAX = 4104, UNIT_MIN = 16, TWEAK_LEN = 16 };

static void draw(struct fal_rng *rng, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)fal_rng_next(rng);
}

START_TEST(nvme_6_7_02_the_guard_is_that_of_isa_l)
{
    uint64_t seed = test_seed(1);
    struct fal_rng rng = {seed};
    uint8_t bytes[UNIT_MAX];

    for (unsigned long i = 0; i < test_rounds(ROUNDS); i++) {
        size_t len = fal_rng_below(&rng, sizeof bytes + 1);
        uint16_t first = (uint16_t)fal_rng_next(&rng);

        draw(&rng, bytes, len);
        ck_assert_msg(fal_dif_crc(first, bytes, len) == crc16_t10dif(first, bytes, len),
                      "round %lu; repeat with: %s", i, test_again(seed));
    }
}
END_TEST

/* What libgcrypt makes of a data unit. */
static void encrypt(const uint8_t *key, uint64_t unit, const uint8_t *in, size_t len,
                    uint8_t *out)
{
    gcry_cipher_hd_t cipher;
    uint8_t tweak[TWEAK_LEN] = {0};

    for (unsigned i = 0; i < 8; i++)
        tweak[i] = (uint8_t)(unit >> 8 * i);
    ck_assert_uint_eq(gcry_cipher_open(&cipher, GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_XTS, 0),
                      0);
    ck_assert_uint_eq(gcry_cipher_setkey(cipher, key, FAL_NV_KEY_LEN), 0);
    ck_assert_uint_eq(gcry_cipher_setiv(cipher, tweak, sizeof tweak), 0);
    ck_assert_uint_eq(gcry_cipher_encrypt(cipher, out, len, in, len), 0);
    gcry_cipher_close(cipher);
}

START_TEST(nvme_6_7_04_the_encryption_is_that_of_libgcrypt)
{
    uint64_t seed = test_seed(1);
    struct fal_rng rng = {seed};

    ck_assert_ptr_nonnull(gcry_check_version(NULL));
    for (unsigned long i = 0; i < test_rounds(ROUNDS); i++) {
        uint8_t key[FAL_NV_KEY_LEN], in[UNIT_MAX], out[UNIT_MAX], due[UNIT_MAX];
        size_t len = UNIT_MIN + fal_rng_below(&rng, UNIT_MAX - UNIT_MIN + 1);
        uint64_t unit = fal_rng_next(&rng);

        draw(&rng, key, sizeof key);
        draw(&rng, in, len);
        encrypt(key, unit, in, len, due);
        ck_assert_msg(fal_nv_encrypt(key, unit, in, len, out) && memcmp(out, due, len) == 0,
                      "round %lu; repeat with: %s", i, test_again(seed));
        ck_assert_msg(fal_nv_decrypt(key, unit, out, len, out) && memcmp(out, in, len) == 0,
                      "round %lu, back; repeat with: %s", i, test_again(seed));
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("guard and encryption");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, nvme_6_7_02_the_guard_is_that_of_isa_l);
    tcase_add_test(tc, nvme_6_7_04_the_encryption_is_that_of_libgcrypt);
    suite_add_tcase(suite, tc);
    return suite;
}
