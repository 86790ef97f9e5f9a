/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/nvme/t10_dif.h"
#include "tests/testing.h"

/* The published check value of CRC-16/T10-DIF, and that of no bytes. */
START_TEST(nvme_6_7_the_guard_is_crc16_t10_dif)
{
    ck_assert_uint_eq(fal_dif_crc(0, (const uint8_t *)"123456789", 9), 0xd0db);
    ck_assert_uint_eq(fal_dif_crc(0, NULL, 0), 0);
    ck_assert_uint_eq(
        fal_dif_crc(fal_dif_crc(0, (const uint8_t *)"1234", 4), (const uint8_t *)"56789", 5),
        0xd0db);
}
END_TEST

START_TEST(protection_information_is_read_as_it_was_written)
{
    static const uint8_t wire[FAL_DIF_LEN] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct fal_dif dif = fal_dif_read(wire);
    uint8_t out[FAL_DIF_LEN];

    ck_assert_uint_eq(dif.guard, 0x0102);
    ck_assert_uint_eq(dif.app, 0x0304);
    ck_assert_uint_eq(dif.ref, 0x05060708);
    fal_dif_write(&dif, out);
    ck_assert_mem_eq(out, wire, sizeof wire);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("protection information");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, nvme_6_7_the_guard_is_crc16_t10_dif);
    tcase_add_test(tc, protection_information_is_read_as_it_was_written);
    suite_add_tcase(suite, tc);
    return suite;
}
