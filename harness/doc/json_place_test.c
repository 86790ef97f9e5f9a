/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/json_place.h"

#include "oracles/rng.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

static const char text[] =
    "{\n"
    "  \"id\": \"a\",\n"
    "  \"deep\": {\"x\": [1, {\"y\\\"\": \"]}\", \"z\" : 3}], \"w\": true},\n"
    "  \"steps\": [\n"
    "    \"one, [two\",\n"
    "    {\"send\": \"x\", \"within\": 5},\n"
    "    [], {}\n"
    "  ]\n"
    "}\n";

static struct tl_position find(const struct tl_path *path)
{
    return tl_source_find(text, sizeof text - 1, path);
}

static void check(const struct tl_path *path, unsigned line, unsigned column)
{
    struct tl_position pos = find(path);

    ck_assert_uint_eq(pos.line, line);
    ck_assert_uint_eq(pos.column, column);
}

START_TEST(finds_members_and_elements_wherever_they_stand)
{
    struct tl_path root = {0}, id = {&root, "id", 0}, deep = {&root, "deep", 0};
    struct tl_path x = {&deep, "x", 0}, x1 = {&x, NULL, 1}, z = {&x1, "z", 0},
                   w = {&deep, "w", 0};
    struct tl_path steps = {&root, "steps", 0}, s1 = {&steps, NULL, 1},
                   within = {&s1, "within", 0};
    struct tl_path s3 = {&steps, NULL, 3};

    check(&root, 1, 1);
    check(&id, 2, 9);
    check(&x1, 3, 21);
    check(&z, 3, 41);
    check(&w, 3, 51);
    check(&s1, 6, 5);
    check(&within, 6, 29);
    check(&s3, 7, 9);
}
END_TEST

START_TEST(what_is_not_there_is_found_at_its_parent)
{
    struct tl_path root = {0}, none = {&root, "none", 0}, below = {&none, "x", 0};
    struct tl_path steps = {&root, "steps", 0}, s9 = {&steps, NULL, 9}, in_s9 = {&s9, "a", 0};
    struct tl_path id = {&root, "id", 0}, of_string = {&id, "x", 0};

    check(&none, 1, 1);
    check(&below, 1, 1);
    check(&s9, 4, 12);
    check(&in_s9, 4, 12);
    check(&of_string, 2, 9);
}
END_TEST

START_TEST(a_key_is_found_where_it_begins)
{
    struct tl_path root = {0}, steps = {&root, "steps", 0}, s1 = {&steps, NULL, 1};
    struct tl_path within = {&s1, "within", 0};
    struct tl_position pos = tl_source_find_key(text, sizeof text - 1, &within);

    ck_assert_uint_eq(pos.line, 6);
    ck_assert_uint_eq(pos.column, 19);
}
END_TEST

START_TEST(elements_gives_all_positions_in_one_pass)
{
    struct tl_path root = {0}, steps = {&root, "steps", 0};
    struct tl_position pos[8];
    size_t n = tl_source_elements(text, sizeof text - 1, &steps, pos, 8);

    ck_assert_uint_eq(n, 4);
    for (size_t i = 0; i < n; i++) {
        struct tl_path here = {&steps, NULL, i};
        struct tl_position one = find(&here);

        ck_assert_uint_eq(pos[i].line, one.line);
        ck_assert_uint_eq(pos[i].column, one.column);
    }
    ck_assert_uint_eq(tl_source_elements(text, sizeof text - 1, &steps, pos, 2), 2);
    ck_assert_uint_eq(tl_source_elements(text, sizeof text - 1, &root, pos, 8), 0);
}
END_TEST

START_TEST(paths_print_as_people_write_them)
{
    struct tl_path root = {0}, steps = {&root, "steps", 0}, s3 = {&steps, NULL, 3};
    struct tl_path expect = {&s3, "expect", 0};
    char out[40], little[8];

    ck_assert_uint_eq(tl_path_print(&expect, out, sizeof out), 15);
    ck_assert_str_eq(out, "steps[3].expect");
    ck_assert_uint_eq(tl_path_print(&root, out, sizeof out), 0);
    ck_assert_str_eq(out, "");
    (void)tl_path_print(&expect, little, sizeof little);
    ck_assert_str_eq(little, "steps[3");
}
END_TEST

/* The scanner is fed what Jansson took, but must end and stay inside on anything. Each text
 * lies in memory of exactly its size. */
START_TEST(survives_any_text_cut_anywhere)
{
    static const char pieces[] = "{}[]\",:\\ abx1\n";
    struct tl_path root = {0}, a = {&root, "a", 0}, a2 = {&a, NULL, 2}, b = {&a2, "b", 0};
    struct fal_rng rng = {test_seed(11)};

    for (unsigned long i = 0; i < test_rounds(20000); i++) {
        size_t len = fal_rng_below(&rng, 40);
        char *junk = malloc(len > 0 ? len : 1);
        struct tl_position pos[4];

        ck_assert_ptr_nonnull(junk);
        for (size_t k = 0; k < len; k++)
            junk[k] = fal_rng_below(&rng, 50) == 0
                          ? 0
                          : pieces[fal_rng_below(&rng, sizeof pieces - 1)];
        ck_assert_uint_ge(tl_source_find(junk, len, &b).line, 1);
        ck_assert_uint_ge(tl_source_find_key(junk, len, &b).line, 1);
        ck_assert_uint_le(tl_source_elements(junk, len, &a, pos, 4), 4);
        free(junk);
    }
    for (size_t len = 0; len < sizeof text; len++) {
        char *cut = malloc(len > 0 ? len : 1);
        struct tl_path deep = {&root, "deep", 0}, x = {&deep, "x", 0}, x1 = {&x, NULL, 1};
        struct tl_path z = {&x1, "z", 0};

        ck_assert_ptr_nonnull(cut);
        memcpy(cut, text, len);
        (void)tl_source_find(cut, len, &z);
        free(cut);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scenario_source");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, finds_members_and_elements_wherever_they_stand);
    tcase_add_test(tc, what_is_not_there_is_found_at_its_parent);
    tcase_add_test(tc, a_key_is_found_where_it_begins);
    tcase_add_test(tc, elements_gives_all_positions_in_one_pass);
    tcase_add_test(tc, paths_print_as_people_write_them);
    tcase_add_test(tc, survives_any_text_cut_anywhere);
    suite_add_tcase(suite, tc);
    return suite;
}
