/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/spis.h"

#include "tests/testing.h"

/* A step, and the SPI that it issues; 0: none. */
struct turn {
    const char *step;
    uint32_t spi;
};

static struct tl_spis after(const struct turn *turns, size_t n)
{
    struct tl_spis spis = {0};

    tl_spis_open(&spis, 1);
    for (size_t i = 0; i < n; i++)
        tl_spis_turn(&spis, turns[i].step, turns[i].spi != 0 ? turns[i].spi : spis.newest.spi);
    return spis;
}

static const struct {
    struct turn turns[5];
    size_t n;
    bool takes[4]; /* the SPIs 0 to 3 */
} lives[] = {
    {{{0}}, 0, {false, true, false, false}},
    {{{"spi", 2}}, 1, {false, true, true, false}},
    {{{"spi", 2}, {"peer", 0}}, 2, {false, true, true, false}},
    {{{"spi", 2}, {"drop", 0}}, 2, {false, false, true, false}},
    {{{"spi", 2}, {"spi", 3}}, 2, {false, false, true, true}},
    {{{"all", 2}}, 1, {false, true, true, false}},
    {{{"all", 2}, {"end", 0}}, 2, {false, false, true, false}},
    {{{"generation", 0}}, 1, {false, true, false, false}},
    {{{"generation", 0}, {"end", 0}}, 2, {false, false, false, false}},
    {{{"generation", 0}, {"generation", 0}}, 2, {false, false, false, false}},
    {{{"all", 2}, {"generation", 0}}, 2, {false, false, true, false}},
    {{{"all", 2}, {"end", 0}, {"generation", 0}, {"spi", 3}}, 4, {false, false, true, true}},
    {{{"zero", 0}}, 1, {false, false, false, false}},
    {{{"generation", 0}, {"zero", 0}}, 2, {false, false, false, false}},
    {{{"zero", 0}, {"spi", 2}}, 2, {false, false, true, false}},
};

START_TEST(FTP_9_2_2_3_02_takes_the_newest_and_the_previous_one)
{
    struct tl_spis spis = after(lives[_i].turns, lives[_i].n);

    for (uint32_t spi = 0; spi < 4; spi++)
        ck_assert_msg(tl_spis_take(&spis, spi) == lives[_i].takes[spi], "life %d, SPI %u", _i,
                      spi);
}
END_TEST

START_TEST(takes_all_while_none_is_known)
{
    struct tl_spis spis = {0};

    ck_assert(tl_spis_take(&spis, 7));
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("spis");
    TCase *tc = tcase_create("spis");

    tcase_add_loop_test(tc, FTP_9_2_2_3_02_takes_the_newest_and_the_previous_one, 0,
                        sizeof lives / sizeof *lives);
    tcase_add_test(tc, takes_all_while_none_is_known);
    suite_add_tcase(s, tc);
    return s;
}
