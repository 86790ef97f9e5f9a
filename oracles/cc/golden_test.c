/* SPDX-License-Identifier: Apache-2.0
 * golden_test.c - the results of the vectors, calculated by hand from 10.3 and 10.4. */
#include "oracles/cc/feed_test.h"
#include "oracles/cc/golden.h"

#include <string.h>

/* `age`: of the fabric marker afterwards; 0 is now. */
static const struct {
    const char *id;
    uint32_t units, age;
    uint16_t ncwnd;
    uint32_t nic_age, rto;
} rows[] = {
    {"G1", 32896, 150, 64, 1, 7630},   {"G2", 1536, 10, 64, 1, 7630},
    {"G3", 22487, 0, 64, 1, 7630},     {"G4", 32768, 399, 64, 1, 7630},
    {"G5", 16384, 0, 64, 1, 7630},     {"G6", 262144, 10, 64, 1, 7630},
    {"G7", 10, 0, 64, 1, 7630},        {"G8", 2048, 10, 64, 1, 7630},
    {"G9", 4352, 300, 64, 1, 7630},    {"N1", 32768, 1, 65, 0, 7630},
    {"N2", 32768, 1, 48, 0, 7630},     {"N3", 32768, 1, 32, 0, 7630},
    {"N4", 32768, 1, 64, 400, 7630},   {"N5", 32768, 1, 64, 399, 7630},
    {"N6", 32768, 1, 32, 0, 7630},     {"R1", 16384, 0, 64, 1, 1907},
    {"R2", 32768, 400, 64, 1, 1907},   {"R3", 10, 0, 64, 1, 1907},
    {"R4.1", 32768, 400, 64, 1, 3000}, {"R4.2", 32768, 400, 64, 1, 1907},
};

START_TEST(
    FTP_10_3_1_01_to_15_FTP_10_3_2_01_to_06_FTP_10_3_3_01_to_03_each_vector_has_its_result)
{
    struct fal_swift swift = feed_swift();

    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        struct fal_cc_state state = {0};
        struct fal_cc_vector v;
        struct fal_cc_result r;

        ck_assert(fal_cc_vector(n, &v));
        ck_assert_str_eq(v.id, rows[n].id);
        r = feed(&swift, &state, v.now, &v.event);
        ck_assert_msg(feed_units(&r) == rows[n].units, "%s: %u", v.id, feed_units(&r));
        ck_assert_uint_eq(fal_cc_since(v.now, r.fabric_window_time_marker), rows[n].age);
        ck_assert_uint_eq(r.ncwnd, rows[n].ncwnd);
        ck_assert_uint_eq(fal_cc_since(v.now, r.nic_window_time_marker), rows[n].nic_age);
        ck_assert_uint_eq(r.retransmit_timeout, rows[n].rto);
    }
}
END_TEST

/* Markers of the figure in units of it, and the two events that draw a path. */
START_TEST(FTP_10_3_6_09_FTP_10_4_05_08_the_series_M1_P1_and_P2)
{
    static const uint32_t markers[] = {5, 10, 40, 110};
    struct fal_swift swift = feed_swift();
    struct fal_cc_state state = {0};
    struct fal_cc_vector v;
    unsigned paths = 0;
    size_t n = sizeof rows / sizeof *rows;

    for (size_t i = 0; i < 4; i++, n++) {
        ck_assert(fal_cc_vector(n, &v));
        ck_assert_uint_eq(feed(&swift, &state, v.now, &v.event).fabric_window_time_marker,
                          markers[i] * 167772 & FAL_CC_TIME_MAX);
    }
    for (; fal_cc_vector(n, &v); n++) {
        bool due = strcmp(v.id, "P1.05") == 0 || strcmp(v.id, "P2.10") == 0;

        if (!v.keep)
            state = (struct fal_cc_state){0};
        ck_assert_msg(feed(&swift, &state, v.now, &v.event).randomize_path == due, "%s", v.id);
        paths += due;
    }
    ck_assert_uint_eq(paths, 2);
    ck_assert_uint_eq(n, 39);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("golden vectors");
    TCase *tc = tcase_create("golden");

    tcase_add_test(
        tc,
        FTP_10_3_1_01_to_15_FTP_10_3_2_01_to_06_FTP_10_3_3_01_to_03_each_vector_has_its_result);
    tcase_add_test(tc, FTP_10_3_6_09_FTP_10_4_05_08_the_series_M1_P1_and_P2);
    suite_add_tcase(suite, tc);
    return suite;
}
