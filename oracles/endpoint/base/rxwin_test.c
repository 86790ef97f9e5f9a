/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/rxwin.h"

#include "oracles/rng.h"
#include "tests/testing.h"

static struct fal_rxwin window(uint32_t base, uint32_t size)
{
    return (struct fal_rxwin){.base = base, .size = size};
}

START_TEST(FTP_9_2_2_4_01_to_04_edges_of_the_window)
{
    static const uint32_t bases[] = {0, 1, 1000, INT32_MAX, UINT32_MAX - 200, UINT32_MAX};

    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++)
        for (uint32_t size = 64; size <= 128; size += 64) {
            struct fal_rxwin win = window(bases[i], size);

            ck_assert_int_eq(fal_rxwin_check(&win, bases[i] - 1), FAL_RX_OLD);
            ck_assert_int_eq(fal_rxwin_check(&win, bases[i] - INT32_MAX), FAL_RX_OLD);
            ck_assert_int_eq(fal_rxwin_check(&win, bases[i]), FAL_RX_NEW);
            ck_assert_int_eq(fal_rxwin_check(&win, bases[i] + size - 1), FAL_RX_NEW);
            ck_assert_int_eq(fal_rxwin_check(&win, bases[i] + size), FAL_RX_BEYOND);
            ck_assert_int_eq(fal_rxwin_check(&win, bases[i] + INT32_MAX), FAL_RX_BEYOND);
            fal_rxwin_receive(&win, bases[i] + size - 1);
            ck_assert_int_eq(fal_rxwin_check(&win, bases[i] + size - 1), FAL_RX_RECEIVED);
            fal_rxwin_ack(&win, bases[i] + size - 1);
            ck_assert_int_eq(fal_rxwin_check(&win, bases[i] + size - 1), FAL_RX_DUPLICATE);
            ck_assert_uint_eq(win.base, bases[i]);
        }
}
END_TEST

START_TEST(FTP_9_2_2_4_10_the_base_moves_over_all_that_is_acknowledged)
{
    struct fal_rxwin win = window(UINT32_MAX - 1, 128);

    for (uint32_t n = 127; n > 0; n--)
        fal_rxwin_ack(&win, UINT32_MAX - 1 + n);
    ck_assert_uint_eq(win.base, UINT32_MAX - 1);
    ck_assert(win.ack == fal_u128_halves(UINT64_MAX, UINT64_MAX - 1));
    fal_rxwin_ack(&win, UINT32_MAX - 1);
    ck_assert_uint_eq(win.base, 126);
    ck_assert(win.ack == 0);
    ck_assert(win.rx == 0);
}
END_TEST

START_TEST(FTP_9_2_2_4_11_both_bitmaps_shift_with_the_base)
{
    struct fal_rxwin win = window(10, 128);

    fal_rxwin_receive(&win, 10);
    fal_rxwin_receive(&win, 12);
    fal_rxwin_ack(&win, 11);
    ck_assert_uint_eq(fal_u128_lo(win.rx), 7);
    ck_assert_uint_eq(fal_u128_lo(win.ack), 2);
    fal_rxwin_ack(&win, 10);
    ck_assert_uint_eq(win.base, 12);
    ck_assert_uint_eq(fal_u128_lo(win.rx), 1); /* received, not acknowledged */
    ck_assert_uint_eq(fal_u128_lo(win.ack), 0);
}
END_TEST

START_TEST(what_is_outside_is_ignored)
{
    struct fal_rxwin win = window(10, 64);

    fal_rxwin_ack(&win, 9);
    fal_rxwin_ack(&win, 74);
    fal_rxwin_receive(&win, 74);
    ck_assert_uint_eq(win.base, 10);
    ck_assert(win.rx == 0);
}
END_TEST

START_TEST(FTP_9_1_6_13_holes_are_ones_that_do_not_follow_from_bit_0)
{
    static const struct {
        fal_u128 rx;
        bool holes;
    } rows[] = {
        {0, false},
        {1, false},
        {3, false},
        {2, true},
        {6, true},
        {5, true},
        {UINT64_MAX, false},
        {(fal_u128)1 << 64 | UINT64_MAX, false},
        {(fal_u128)2 << 64 | UINT64_MAX, true},
        {(fal_u128)1 << 64, true},
        {~(fal_u128)0, false},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_rxwin win = window(0, 128);

        win.rx = rows[i].rx;
        ck_assert_msg(fal_rxwin_holes(&win) == rows[i].holes, "row %u", i);
    }
}
END_TEST

START_TEST(a_claim_is_true_afterwards)
{
    struct fal_rxwin win = window(100, 128);

    fal_rxwin_receive(&win, 104);
    fal_rxwin_claim(&win, 102, 2, 8);
    ck_assert_uint_eq(win.base, 102);
    ck_assert_uint_eq(fal_u128_lo(win.ack), 2);        /* 103 */
    ck_assert_uint_eq(fal_u128_lo(win.rx), 2 | 4 | 8); /* 103, 104, 105 */
    fal_rxwin_claim(&win, 101, 0xff, 0xff);
    ck_assert_uint_eq(win.base, 102); /* older: nothing */
    ck_assert_uint_eq(fal_u128_lo(win.ack), 2);
    fal_rxwin_claim(&win, 102, 1, 0);
    ck_assert_uint_eq(win.base, 104); /* bit 0 and what follows it */
    fal_rxwin_claim(&win, 104 + 129, 0, 0);
    ck_assert_uint_eq(win.base, 104); /* beyond belief */
    fal_rxwin_claim(&win, 104 + 128, 0, 0);
    ck_assert_uint_eq(win.base, 232);
    ck_assert(win.rx == 0);
}
END_TEST

START_TEST(a_claim_beyond_a_small_window_leaves_no_bits)
{
    struct fal_rxwin win = window(0, 64);

    fal_rxwin_claim(&win, 0, fal_u128_halves(1, 4), fal_u128_halves(1, 0));
    ck_assert_uint_eq(fal_u128_hi(win.rx), 0);
    ck_assert_uint_eq(fal_u128_hi(win.ack), 0);
    ck_assert_uint_eq(fal_u128_lo(win.rx), 4);
}
END_TEST

/* The same by the plainest of means: a flag for each PSN. */
START_TEST(it_agrees_with_flags)
{
    enum { PSNS = 2000 };
    struct fal_rng rng = {test_seed(1)};
    uint32_t start = UINT32_MAX - PSNS / 2;
    bool rx[PSNS + 200] = {false}, ack[PSNS + 200] = {false};
    struct fal_rxwin win = window(start, 128);
    uint32_t base = 0;

    while (base < PSNS) {
        uint32_t n = base + (uint32_t)fal_rng_below(&rng, 140);
        enum fal_rx due = n >= base + 128 ? FAL_RX_BEYOND
                          : ack[n]        ? FAL_RX_DUPLICATE
                          : rx[n]         ? FAL_RX_RECEIVED
                                          : FAL_RX_NEW;

        ck_assert_int_eq(fal_rxwin_check(&win, start + n), due);
        if (due == FAL_RX_BEYOND)
            continue;
        rx[n] = true;
        if (fal_rng_below(&rng, 2) == 0) {
            ack[n] = true;
            fal_rxwin_ack(&win, start + n);
        } else {
            fal_rxwin_receive(&win, start + n);
        }
        while (ack[base])
            base++;
        ck_assert_uint_eq(win.base, start + base);
        for (unsigned bit = 0; bit < 128; bit++)
            if (fal_u128_test(win.rx, bit) != rx[base + bit] ||
                fal_u128_test(win.ack, bit) != ack[base + bit])
                ck_abort_msg("base %u, bit %u", base, bit);
    }
}
END_TEST

START_TEST(AMB_65_what_is_received_may_be_forgotten_what_is_acknowledged_not)
{
    struct fal_rxwin win = {.base = UINT32_MAX, .size = 128};

    fal_rxwin_receive(&win, UINT32_MAX);
    fal_rxwin_receive(&win, 1);
    fal_rxwin_ack(&win, 3);
    fal_rxwin_forget(&win, 1);
    ck_assert_uint_eq(fal_u128_lo(win.rx), 0x11);
    fal_rxwin_forget(&win, 3);
    fal_rxwin_forget(&win, 127); /* right of the window, and left of it */
    fal_rxwin_forget(&win, UINT32_MAX - 1);
    ck_assert_uint_eq(fal_u128_lo(win.rx), 0x11);
    ck_assert_uint_eq(fal_u128_lo(win.ack), 0x10);
    ck_assert_int_eq(fal_rxwin_check(&win, 1), FAL_RX_NEW);
}
END_TEST

START_TEST(a_broken_window_is_caught)
{
    struct fal_rxwin win = window(10, 64);

    win.ack = fal_u128_with(0, 3); /* acknowledged, and never received */
    fal_rxwin_receive(&win, 12);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rxwin 9.2.2.4");
    TCase *tc = tcase_create("rxwin");

    tcase_add_test(tc, FTP_9_2_2_4_01_to_04_edges_of_the_window);
    tcase_add_test(tc, FTP_9_2_2_4_10_the_base_moves_over_all_that_is_acknowledged);
    tcase_add_test(tc, FTP_9_2_2_4_11_both_bitmaps_shift_with_the_base);
    tcase_add_test(tc, what_is_outside_is_ignored);
    tcase_add_test(tc, FTP_9_1_6_13_holes_are_ones_that_do_not_follow_from_bit_0);
    tcase_add_test(tc, a_claim_is_true_afterwards);
    tcase_add_test(tc, a_claim_beyond_a_small_window_leaves_no_bits);
    tcase_add_test(tc, it_agrees_with_flags);
    tcase_add_test(tc, AMB_65_what_is_received_may_be_forgotten_what_is_acknowledged_not);
    test_add_assertion(tc, a_broken_window_is_caught);
    suite_add_tcase(suite, tc);
    return suite;
}
