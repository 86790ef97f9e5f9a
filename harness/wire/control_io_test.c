/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/control_io.h"

#include "codecs/base/error.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

static struct tl_line_reader reader;

static void set_up(void)
{
    ck_assert_int_eq(tl_line_reader_init(&reader), 0);
}

static void tear_down(void)
{
    tl_line_reader_free(&reader);
}

/* Hands over at most as much as there is room for; returns how much. */
static size_t feed(const char *bytes, size_t len)
{
    size_t room;
    char *space = tl_line_reader_space(&reader, &room);

    ck_assert_uint_gt(room, 0);
    if (len > room)
        len = room;
    memcpy(space, bytes, len);
    tl_line_reader_added(&reader, len);
    return len;
}

static void expect(const char *want)
{
    char *line;
    size_t len;

    ck_assert_int_eq(tl_line_reader_next(&reader, &line, &len), TL_LINE_WHOLE);
    ck_assert_uint_eq(len, strlen(want));
    ck_assert_str_eq(line, want);
}

static void expect_none(void)
{
    char *line;
    size_t len;

    ck_assert_int_eq(tl_line_reader_next(&reader, &line, &len), TL_LINE_NONE);
}

START_TEST(lines_come_out_as_they_went_in)
{
    feed("one\n\nthree\nfo", 13);
    expect("one");
    expect("");
    expect("three");
    expect_none();
    ck_assert_uint_eq(tl_line_reader_rest(&reader), 2);
    feed("ur\n", 3);
    expect("four");
    expect_none();
    ck_assert_uint_eq(tl_line_reader_rest(&reader), 0);
}
END_TEST

START_TEST(single_bytes_make_lines)
{
    const char text[] = "{\"id\": 1}\nx\n";

    for (size_t i = 0; text[i] != 0; i++) {
        if (i > 0 && text[i - 1] != '\n')
            expect_none();
        feed(&text[i], 1);
        if (i == 9)
            expect("{\"id\": 1}");
    }
    expect("x");
    expect_none();
}
END_TEST

START_TEST(a_line_of_the_longest_length_is_whole_and_one_more_is_not)
{
    char *text = malloc(TL_LINE_MAX + 3), *line;
    size_t len;

    for (unsigned extra = 0; extra < 2; extra++) {
        for (size_t done = 0, chunk; done < TL_LINE_MAX + extra; done += chunk) {
            memset(text, 'a', TL_LINE_MAX);
            chunk = TL_LINE_MAX + extra - done;
            chunk = feed(text, chunk < 1000 ? chunk : 1000);
        }
        if (extra == 0) {
            feed("\nnext\n", 6);
            ck_assert_int_eq(tl_line_reader_next(&reader, &line, &len), TL_LINE_WHOLE);
            ck_assert_uint_eq(len, TL_LINE_MAX);
        } else {
            ck_assert_int_eq(tl_line_reader_next(&reader, &line, &len), TL_LINE_TOO_LONG);
            expect_none();
            feed("still of it\nnext\n", 17);
        }
        expect("next");
        expect_none();
    }
    /* The same where the newline is there already. */
    memset(text, 'a', TL_LINE_MAX + 1);
    text[TL_LINE_MAX + 1] = '\n';
    text[TL_LINE_MAX + 2] = 'b';
    ck_assert_uint_eq(feed(text, TL_LINE_MAX + 3), TL_LINE_MAX + 3);
    ck_assert_int_eq(tl_line_reader_next(&reader, &line, &len), TL_LINE_TOO_LONG);
    expect_none();
    feed("c\n", 2);
    expect("bc");
    expect_none();
    free(text);
}
END_TEST

START_TEST(an_endless_line_is_reported_once_and_takes_no_memory)
{
    static char text[5000];
    unsigned too_long = 0;
    char *line;
    size_t len;

    memset(text, 'x', sizeof text);
    for (unsigned i = 0; i < 2000; i++) {
        enum tl_line got;

        ck_assert_uint_eq(feed(text, sizeof text), sizeof text);
        got = tl_line_reader_next(&reader, &line, &len);
        ck_assert_int_ne(got, TL_LINE_WHOLE);
        too_long += got == TL_LINE_TOO_LONG;
    }
    ck_assert_uint_eq(too_long, 1);
    feed("\nok\n", 4);
    expect("ok");
}
END_TEST

/* Any split of any stream gives the same lines. */
START_TEST(any_split_gives_the_same_lines)
{
    uint64_t seed = test_seed(1);

    for (unsigned long round = 0; round < test_rounds(30); round++) {
        struct fal_rng rng = fal_rng_split(seed, round);
        uint32_t sent = 0, got = 0;
        size_t total = 0, at = 0, cap = 200000, len;
        char *stream = malloc(cap + TL_LINE_MAX), *line;

        tl_line_reader_clear(&reader);
        while (total < cap) {
            size_t n = fal_rng_below(&rng, round % 3 == 0 ? 20000 : 40);

            memset(stream + total, 'a' + (int)(sent % 26), n);
            total += n;
            stream[total++] = '\n';
            sent++;
        }
        while (at < total) {
            size_t n = 1 + fal_rng_below(&rng, round % 2 == 0 ? 100000 : 100);

            at += feed(stream + at, n < total - at ? n : total - at);
            while (tl_line_reader_next(&reader, &line, &len) == TL_LINE_WHOLE) {
                ck_assert_msg(strspn(line, (char[]){(char)('a' + (int)(got % 26)), 0}) == len,
                              "TALON_SEED=%llu round %lu", (unsigned long long)seed, round);
                got++;
            }
        }
        ck_assert_uint_eq(got, sent);
        free(stream);
    }
}
END_TEST

START_TEST(outbox_keeps_order_and_its_limit)
{
    struct tl_outbox box = {0};
    size_t len;

    ck_assert_ptr_null(tl_outbox_peek(&box, &len));
    ck_assert_uint_eq(len, 0);
    ck_assert_int_eq(tl_outbox_line(&box, "abc", 3, 8), 0);
    ck_assert_int_eq(tl_outbox_line(&box, "defg", 4, 8), FAL_ERR_SHORT);
    ck_assert_int_eq(tl_outbox_line(&box, "def", 3, 8), 0);
    ck_assert_int_eq(tl_outbox_line(&box, "", 0, 8), FAL_ERR_SHORT);
    ck_assert_mem_eq(tl_outbox_peek(&box, &len), "abc\ndef\n", 8);
    tl_outbox_written(&box, 6);
    ck_assert_int_eq(tl_outbox_line(&box, "", 0, 8), 0);
    ck_assert_mem_eq(tl_outbox_peek(&box, &len), "f\n\n", 3);
    ck_assert_uint_eq(len, 3);
    tl_outbox_written(&box, 3);
    ck_assert_ptr_null(tl_outbox_peek(&box, &len));
    ck_assert_int_eq(tl_outbox_line(&box, "12345678", 8, 8), FAL_ERR_SHORT);
    tl_outbox_free(&box);
}
END_TEST

START_TEST(outbox_moves_much_in_little_memory)
{
    struct tl_outbox box = {0};
    char line[1000] = {0};
    size_t len;

    for (unsigned i = 0; i < 20000; i++) {
        ck_assert_int_eq(tl_outbox_line(&box, line, sizeof line, 4096), 0);
        (void)tl_outbox_peek(&box, &len);
        tl_outbox_written(&box, len > 2000 ? 1500 : len / 2);
    }
    ck_assert_uint_le(box.cap, 16384);
    tl_outbox_free(&box);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("control_io");
    TCase *tc = tcase_create("lines");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, lines_come_out_as_they_went_in);
    tcase_add_test(tc, single_bytes_make_lines);
    tcase_add_test(tc, a_line_of_the_longest_length_is_whole_and_one_more_is_not);
    tcase_add_test(tc, an_endless_line_is_reported_once_and_takes_no_memory);
    tcase_add_test(tc, any_split_gives_the_same_lines);
    tcase_add_test(tc, outbox_keeps_order_and_its_limit);
    tcase_add_test(tc, outbox_moves_much_in_little_memory);
    suite_add_tcase(suite, tc);
    return suite;
}
