/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/data_testing.h"

static struct outcome nv11(const char *const *before, const struct test_data *d)
{
    return judged_data("NV11", before, SMALL_DATA, &small_data, d, NULL);
}

/* Stands for encryption: every byte is another one. */
static void disguise(uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] ^= 0x5a;
}

#define ENCRYPTED ",\"pi\":\"host\",\"encrypt\":true"

START_TEST(NVME_6_7_04_no_plain_data)
{
    struct test_data d;

    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    ck_breaks(nv11(LINES(SMALL_WRITE(ENCRYPTED, "")), &d), "NVME-6.7-04", 1);
    d.kind = &begins_late;
    ck_holds(nv11(LINES(SMALL_WRITE(ENCRYPTED, "")), &d), 0);
    d.kind = &clean;
    ck_holds(nv11(LINES(SMALL_WRITE(",\"pi\":\"host\"", "")), &d), 0);
    disguise(d.bytes, d.len);
    ck_holds(nv11(LINES(SMALL_WRITE(ENCRYPTED, "")), &d), 1);
    disguise(d.bytes + 1024, 16);
    ck_breaks(nv11(LINES(SMALL_WRITE(ENCRYPTED, "")), &d), "NVME-6.7-04", 1);
}
END_TEST

START_TEST(NVME_6_7_07_no_plain_inner_information)
{
    struct test_data d;

    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    disguise(d.bytes, 8 * 512); /* not the metadata */
    ck_breaks(nv11(LINES(SMALL_WRITE(ENCRYPTED, "")), &d), "NVME-6.7-07", 1);
    /* one of them may be the same by chance */
    for (unsigned i = 1; i < 8; i++)
        disguise(d.bytes + 8 * 512 + (size_t)i * 16, 8);
    ck_holds(nv11(LINES(SMALL_WRITE(ENCRYPTED, "")), &d), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV11");
    TCase *tcase = tcase_create("NV11");

    tcase_add_test(tcase, NVME_6_7_04_no_plain_data);
    tcase_add_test(tcase, NVME_6_7_07_no_plain_inner_information);
    suite_add_tcase(suite, tcase);
    return suite;
}
