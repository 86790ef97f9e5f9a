/* SPDX-License-Identifier: Apache-2.0
 * points_test.c - points with intervals, and lines, as SVG: all within the frame, in order, the
 * same bytes each time. */
#include "oracles/rng.h"
#include "reports/plot/points.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 20, LINE = 30, LEFT = 58, RIGHT = 598, TOP = 32, BOTTOM = 200 };

static char *drawn(const struct tl_points *p, bool alone)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    ck_assert_ptr_nonnull(out);
    tl_points_svg(out, p, alone);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

/* The centres of circles, but for the last one, which belongs to the legend. */
static unsigned circles_within_the_frame(const char *svg)
{
    unsigned count = 0;

    for (const char *at = strstr(svg, "cx=\""); at != NULL; at = strstr(at + 1, "cx=\"")) {
        double x = strtod(at + 4, NULL), y = strtod(strstr(at, "cy=\"") + 4, NULL);

        if (strstr(at + 1, "cx=\"") == NULL)
            break;
        ck_assert_msg(x >= LEFT && x <= RIGHT && y >= TOP && y <= BOTTOM, "%f %f", x, y);
        count++;
    }
    return count;
}

START_TEST(drawn_points_and_lines_lie_within_the_frame)
{
    struct fal_rng rng = {test_seed(3)};

    for (unsigned round = 0; round < 300; round++) {
        struct tl_point points[POINTS];
        uint64_t x[LINE], y[LINE];
        uint64_t most = 1 + (fal_rng_next(&rng) >> (40 + fal_rng_below(&rng, 24)));
        const struct tl_point_line line = {
            .label = "l", .x = x, .y = y, .n = LINE, .colour = 1};
        const struct tl_points p = {.id = "i",
                                    .title = "t",
                                    .about = "a",
                                    .x_title = "x",
                                    .label = "m",
                                    .x_scale = 1000,
                                    .y_scale = 1000,
                                    .points = points,
                                    .n_points = POINTS,
                                    .lines = &line,
                                    .n_lines = 1};
        char *svg, *again;

        for (unsigned i = 0; i < POINTS; i++) {
            uint64_t low = fal_rng_below(&rng, most), more = fal_rng_below(&rng, most);

            points[i] =
                (struct tl_point){fal_rng_below(&rng, most), low + more / 2, low, low + more};
        }
        for (unsigned i = 0; i < LINE; i++) {
            x[i] = fal_rng_below(&rng, most);
            y[i] = fal_rng_below(&rng, most);
        }
        svg = drawn(&p, round % 2 == 0);
        again = drawn(&p, round % 2 == 0);
        ck_assert_uint_eq(circles_within_the_frame(svg), POINTS);
        ck_assert_str_eq(svg, again);
        ck_assert_int_eq(strstr(svg, "<style>") != NULL, round % 2 == 0);
        free(svg);
        free(again);
    }
}
END_TEST

/* A point in the middle of both axes, with an interval over a quarter of the height. */
START_TEST(a_point_lies_where_its_values_are)
{
    static const uint64_t x[] = {0, 10000}, y[] = {0, 10000};
    const struct tl_point point = {5000, 5000, 2500, 7500};
    const struct tl_point_line line = {
        .label = "law", .x = x, .y = y, .n = 2, .colour = 2, .dashed = true};
    const struct tl_points p = {.id = "i",
                                .title = "T",
                                .about = "a",
                                .x_title = "hops",
                                .label = "seen",
                                .x_scale = 1000,
                                .y_scale = 1000,
                                .points = &point,
                                .n_points = 1,
                                .lines = &line,
                                .n_lines = 1};
    char *svg = drawn(&p, false);

    ck_assert_ptr_nonnull(strstr(svg, "cx=\"328\" cy=\"116\""));
    ck_assert_ptr_nonnull(strstr(svg, "M328 74m-3 0h6m-3 0V158m-3 0h6"));
    ck_assert_ptr_nonnull(strstr(svg, "<polyline class=\"s2 d\" points=\"58 200 598 32 \"/>"));
    ck_assert_ptr_nonnull(strstr(svg, ">hops</text>"));
    ck_assert_ptr_nonnull(strstr(svg, ">seen</text>"));
    ck_assert_ptr_nonnull(strstr(svg, ">law</text>"));
    free(svg);
}
END_TEST

START_TEST(nothing_to_draw_is_an_empty_frame)
{
    const struct tl_points p = {.id = "i",
                                .title = "T",
                                .about = "a",
                                .x_title = "x",
                                .label = "seen",
                                .x_scale = 1000,
                                .y_scale = 1000};
    char *svg = drawn(&p, false);

    ck_assert_uint_eq(circles_within_the_frame(svg), 0);
    ck_assert_ptr_null(strstr(svg, "polyline"));
    free(svg);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("points");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, drawn_points_and_lines_lie_within_the_frame);
    tcase_add_test(tc, a_point_lies_where_its_values_are);
    tcase_add_test(tc, nothing_to_draw_is_an_empty_frame);
    suite_add_tcase(suite, tc);
    return suite;
}
