/* SPDX-License-Identifier: Apache-2.0
 * plot_test.c - axes in whole numbers, and curves as SVG: few points, none outside the frame,
 * the same bytes each time. */
#include "oracles/rng.h"
#include "reports/plot/axis.h"
#include "reports/plot/plot.h"
#include "tests/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(a_logarithm_is_right_to_16_bits)
{
    struct fal_rng rng = {test_seed(1)};

    for (unsigned bits = 0; bits < 52; bits++)
        ck_assert_uint_eq(tl_log2(UINT64_C(1) << bits), (uint64_t)bits << 16);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t value = 1 + (fal_rng_next(&rng) >> (12 + fal_rng_below(&rng, 51)));
        double found = (double)tl_log2(value) / 65536;

        ck_assert_msg(fabs(found - log2((double)value)) < 2.0 / 65536, "%lu: %f",
                      (unsigned long)value, found);
    }
}
END_TEST

/* For drawn values: ticks are few and in order, and the largest value is on the axis. */
START_TEST(an_axis_reaches_its_values)
{
    static const uint64_t scales[] = {1, 100, 1000, 1024, 1000000};
    struct fal_rng rng = {test_seed(2)};

    for (unsigned i = 0; i < 50000; i++) {
        uint64_t scale = scales[fal_rng_below(&rng, 5)];
        uint64_t most = fal_rng_next(&rng) >> (32 + fal_rng_below(&rng, 32));
        uint64_t least = 1 + (most > 1 ? fal_rng_below(&rng, most) : 0);
        bool log = fal_rng_below(&rng, 2) == 1, whole = fal_rng_below(&rng, 4) == 0;
        struct tl_axis axis = log ? tl_axis_log(least, most > least ? most : least, scale)
                                  : tl_axis_linear(most, scale, whole);

        ck_assert_uint_ge(axis.n_ticks, 2);
        ck_assert_uint_le(axis.n_ticks, TL_AXIS_TICKS_MAX);
        ck_assert_uint_eq(axis.ticks[0], axis.least);
        ck_assert_msg(axis.ticks[axis.n_ticks - 1] == axis.most, "%lu of scale %lu",
                      (unsigned long)most, (unsigned long)scale);
        for (unsigned t = 1; t < axis.n_ticks; t++) {
            ck_assert_uint_gt(axis.ticks[t], axis.ticks[t - 1]);
            ck_assert(!whole || log || axis.ticks[t] % 1000 == 0);
            ck_assert_uint_ge(tl_axis_tick_at(&axis, t, 1680),
                              tl_axis_tick_at(&axis, t - 1, 1680));
        }
        ck_assert_uint_eq(tl_axis_tick_at(&axis, axis.n_ticks - 1, 1680), 1680);
        ck_assert_uint_le(tl_axis_at(&axis, most, 1680), 1680);
        /* Only a value below a thousandth of a unit may lie outside. */
        ck_assert(axis.most * scale + scale >= most * 1000);
        ck_assert(most * 1000 < 100 * scale || log || whole ||
                  tl_axis_at(&axis, most, 1680) >= 1680 / 3);
    }
}
END_TEST

START_TEST(numbers_have_no_zeros_at_their_end)
{
    static const struct {
        uint64_t milli;
        const char *text;
    } rows[] = {{0, "0"},      {1, "0.001"},     {500, "0.5"},   {1000, "1"},
                {10000, "10"}, {10250, "10.25"}, {100000, "100"}};
    char text[TL_AXIS_TEXT];

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        tl_axis_text(text, rows[i].milli);
        ck_assert_str_eq(text, rows[i].text);
    }
}
END_TEST

/* ---- drawings ---- */

struct drawn {
    char *text;
    size_t length;
};

static struct drawn drawn_of(const struct tl_plot *plot, bool alone)
{
    struct drawn d = {NULL, 0};
    FILE *out = open_memstream(&d.text, &d.length);

    ck_assert_ptr_nonnull(out);
    tl_plot_svg(out, plot, alone);
    ck_assert_int_eq(fclose(out), 0);
    return d;
}

static uint32_t low[12][TL_PLOT_COLUMNS], high[12][TL_PLOT_COLUMNS];

/* Curves that jump as far as they can, with pieces missing. */
static struct tl_plot drawn_plot(struct fal_rng *rng, struct tl_plot_curve curves[12])
{
    struct tl_plot plot = {.id = "x",
                           .title = "Title",
                           .about = "About",
                           .scale = 1 + fal_rng_below(rng, 2000),
                           .log = fal_rng_below(rng, 2) == 1,
                           .until_ps = 1 + fal_rng_below(rng, UINT64_C(20000000000)),
                           .curves = curves,
                           .n_curves = 1 + fal_rng_below(rng, 12)};
    unsigned shift = (unsigned)fal_rng_below(rng, 32);

    for (size_t i = 0; i < plot.n_curves; i++) {
        curves[i] = (struct tl_plot_curve){
            .label = "curve", .low = low[i], .high = high[i], .colour = (unsigned)i};
        for (unsigned c = 0; c < TL_PLOT_COLUMNS; c++) {
            uint32_t a = (uint32_t)fal_rng_next(rng) >> shift, b = a / 2;

            low[i][c] = fal_rng_below(rng, 50) == 0 ? TL_PLOT_NOTHING : b;
            high[i][c] = a == TL_PLOT_NOTHING ? a - 1 : a;
        }
    }
    return plot;
}

static const char *check_points(const char *at, unsigned *points)
{
    while (*at != '"') {
        char *end;
        long x = strtol(at, &end, 10);
        double y;

        ck_assert_ptr_ne(at, end);
        y = strtod(end, &end);
        ck_assert_int_ge(x, 58);
        ck_assert_int_lt(x, 58 + TL_PLOT_COLUMNS);
        ck_assert(y >= 32 && y <= 200);
        ck_assert_int_eq(*end, ' ');
        at = end + 1;
        (*points)++;
    }
    return at;
}

START_TEST(a_curve_has_few_points_and_all_in_the_frame)
{
    struct fal_rng rng = {test_seed(4)};

    for (unsigned long round = 0; round < test_rounds(60); round++) {
        struct tl_plot_curve curves[12];
        struct tl_plot plot = drawn_plot(&rng, curves);
        struct drawn d = drawn_of(&plot, false), again = drawn_of(&plot, false);
        unsigned points = 0;

        ck_assert_uint_eq(d.length, again.length);
        ck_assert_int_eq(memcmp(d.text, again.text, d.length), 0);
        for (const char *at = d.text; (at = strstr(at, "points=\"")) != NULL;)
            at = check_points(at + 8, &points);
        ck_assert_uint_le(points, 2 * TL_PLOT_COLUMNS * plot.n_curves);
        ck_assert_uint_gt(points, 0);
        free(d.text);
        free(again.text);
    }
}
END_TEST

START_TEST(a_constant_curve_has_two_points)
{
    struct tl_plot_curve curve = {.label = "c", .low = low[0], .high = low[0]};
    struct tl_plot plot = {.id = "x",
                           .title = "Title",
                           .about = "About",
                           .scale = 1,
                           .until_ps = 5000000000,
                           .curves = &curve,
                           .n_curves = 1};
    struct drawn d;

    for (unsigned c = 0; c < TL_PLOT_COLUMNS; c++)
        low[0][c] = 40;
    d = drawn_of(&plot, true);
    ck_assert_ptr_nonnull(strstr(d.text, "points=\"58 32 597 32 \"/>"));
    ck_assert_ptr_nonnull(strstr(d.text, "role=\"img\" aria-labelledby=\"x-t x-d\""));
    ck_assert_ptr_nonnull(strstr(d.text, "<title id=\"x-t\">Title</title>"));
    ck_assert_ptr_nonnull(strstr(d.text, "prefers-color-scheme:dark"));
    ck_assert_ptr_null(strstr(d.text, "<script"));
    free(d.text);
    /* In a page, the style is the page's. */
    d = drawn_of(&plot, false);
    ck_assert_ptr_null(strstr(d.text, "<style"));
    free(d.text);
}
END_TEST

/* Rows of ticks are below the curves; a limit is a line of its own. */
START_TEST(rows_and_limits_share_the_frame_with_the_curves)
{
    static uint32_t counts[TL_PLOT_COLUMNS];
    struct tl_plot_curve curve = {.label = "c", .low = low[0], .high = low[0]};
    struct tl_plot plot = {.id = "x",
                           .title = "Title",
                           .about = "About",
                           .scale = 1,
                           .until_ps = 5000000000,
                           .curves = &curve,
                           .n_curves = 1,
                           .limits = {{"ECN mark", 20}, {"limit", 40}},
                           .rows = {{"drops", counts, 7}, {"timeouts", counts, 12345}},
                           .n_rows = 2};
    struct drawn d;

    counts[3] = 7;
    counts[539] = 1;
    for (unsigned c = 0; c < TL_PLOT_COLUMNS; c++)
        low[0][c] = 0;
    d = drawn_of(&plot, true);
    /* 38 pixels of the 168 belong to two rows: the curve is at the bottom of the rest. */
    ck_assert_ptr_nonnull(strstr(d.text, "points=\"58 162 597 162 \"/>"));
    ck_assert_ptr_nonnull(strstr(d.text, "<path class=\"l\" d=\"M58 97h540\"/>"));
    ck_assert_ptr_nonnull(strstr(d.text, "<path class=\"l m\" d=\"M58 32h540\"/>"));
    ck_assert_ptr_nonnull(strstr(d.text, ">ECN mark</text>"));
    ck_assert_ptr_nonnull(strstr(d.text, "d=\"M61 185v-11M597 185v-11\"/>"));
    ck_assert_ptr_nonnull(strstr(d.text, "d=\"M61 200v-11M597 200v-11\"/>"));
    ck_assert_ptr_nonnull(strstr(d.text, ">12345</text>"));
    free(d.text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("plot");
    TCase *tc = tcase_create("plot");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_logarithm_is_right_to_16_bits);
    tcase_add_test(tc, an_axis_reaches_its_values);
    tcase_add_test(tc, numbers_have_no_zeros_at_their_end);
    tcase_add_test(tc, a_curve_has_few_points_and_all_in_the_frame);
    tcase_add_test(tc, a_constant_curve_has_two_points);
    tcase_add_test(tc, rows_and_limits_share_the_frame_with_the_curves);
    suite_add_tcase(s, tc);
    return s;
}
