/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/base/utf8.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

START_TEST(what_is_no_character_is_told)
{
    static const struct {
        const char *bytes;
        uint32_t first;
        size_t taken;
    } rows[] = {
        {"a", 'a', 1},
        {"\xc3\xa9", 0xe9, 2},
        {"\xe2\x82\xac", 0x20ac, 3},
        {"\xf0\x9f\x98\x80", 0x1f600, 4},
        {"\xff", TL_UTF8_BAD, 1},
        {"\x80", TL_UTF8_BAD, 1},
        {"\xc0\x80", TL_UTF8_BAD, 1},         /* an overlong NUL */
        {"\xc1\xbf", TL_UTF8_BAD, 1},         /* overlong */
        {"\xe0\x9f\xbf", TL_UTF8_BAD, 1},     /* overlong */
        {"\xf0\x8f\xbf\xbf", TL_UTF8_BAD, 1}, /* overlong */
        {"\xed\xa0\x80", TL_UTF8_BAD, 1},     /* a surrogate */
        {"\xf4\x90\x80\x80", TL_UTF8_BAD, 1}, /* beyond the last */
        {"\xe2\x82", TL_UTF8_BAD, 1},         /* cut */
        {"\xe2(\xac", TL_UTF8_BAD, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = rows[i].bytes, *end = at + strlen(at);

        ck_assert_uint_eq(tl_utf8_next(&at, end), rows[i].first);
        ck_assert_uint_eq((size_t)(at - rows[i].bytes), rows[i].taken);
        ck_assert_int_eq(tl_utf8_valid(rows[i].bytes, strlen(rows[i].bytes)),
                         rows[i].first != TL_UTF8_BAD);
    }
    ck_assert(tl_utf8_valid("\xef\xbf\xbd", 3)); /* U+FFFD itself */
}
END_TEST

/* Whatever the bytes: what is written is UTF-8, and holds nothing that a document may not. */
START_TEST(any_bytes_come_out_as_characters)
{
    uint64_t seed = test_seed(11), state = seed;

    for (unsigned long round = 0; round < test_rounds(2000); round++) {
        char bytes[40], *text;
        bool shown = true;
        size_t len;
        FILE *out = open_memstream(&text, &len);

        for (size_t i = 0; i + 1 < sizeof bytes; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (char)(state >> 56);
            if (bytes[i] == 0)
                bytes[i] = '&';
        }
        bytes[sizeof bytes - 1] = 0;
        tl_put_xml(out, bytes);
        tl_put_json_string(out, bytes, sizeof bytes);
        tl_put_markdown(out, bytes, sizeof bytes);
        tl_put_markdown_code(out, bytes, sizeof bytes, true);
        ck_assert_int_eq(fclose(out), 0);
        ck_assert_msg(tl_utf8_valid(text, len), "%s", test_again(seed));
        for (size_t i = 0; i < len; i++) /* one assertion a round: each is a system call */
            shown &= (unsigned char)text[i] >= ' ' || text[i] == '\n' || text[i] == '\t';
        ck_assert_msg(shown, "%s", test_again(seed));
        free(text);
    }
}
END_TEST

START_TEST(a_long_text_is_cut_between_characters)
{
    char *text = malloc(TL_TEXT_SHOWN + 100), *shown;
    size_t len;
    FILE *out = open_memstream(&shown, &len);
    bool cut;

    memset(text, 'a', TL_TEXT_SHOWN - 1);
    strcpy(text + TL_TEXT_SHOWN - 1, "\xe2\x82\xac and more");
    ck_assert_uint_eq(tl_text_shown(text, &cut), TL_TEXT_SHOWN - 1);
    ck_assert(cut);
    tl_put_xml_short(out, text);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert(tl_utf8_valid(shown, len));
    ck_assert_ptr_nonnull(strstr(shown, "a ... (4011 bytes in all)"));
    free(shown);
    ck_assert_uint_eq(tl_text_shown("short", &cut), 5);
    ck_assert(!cut);
    free(text);
}
END_TEST

START_TEST(markup_and_what_turns_a_line_around_are_disarmed)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    /* NOLINTNEXTLINE(misc-misleading-bidirectional): that is what is tested */
    tl_put_xml(out, "<a href=\"x\">&]]>\x01\xe2\x80\xae");
    fputc('|', out);
    tl_put_json_string(out, "\"\\\n\x02", 99);
    fputc('|', out);
    tl_put_markdown(out, "|*`<b>@x\n", 99);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_str_eq(text, "&lt;a href=&quot;x&quot;&gt;&amp;]]&gt;\xef\xbf\xbd\xef\xbf\xbd|"
                           "\\\"\\\\\\n\\u0002|&#124;&#42;&#96;&#60;b>&#64;x ");
    free(text);
}
END_TEST

START_TEST(markdown_is_readable_and_no_markup)
{
    static const struct {
        const char *text, *plain, *code, *cell;
    } rows[] = {
        {"a-b=c:d_e", "a-b=c:d_e", "`a-b=c:d_e`", "`a-b=c:d_e`"},
        {"- x", "&#45; x", "`- x`", "`- x`"},
        {"=x", "&#61;x", "`=x`", "`=x`"},
        {"> x", "&#62; x", "`> x`", "`> x`"},
        {"http://x", "http&#58;//x", "`http://x`", "`http://x`"},
        {"_a_ b_", "&#95;a&#95; b&#95;", "`_a_ b_`", "`_a_ b_`"},
        {"a|b", "a&#124;b", "`a|b`", "`a\\|b`"},
        {"a``b`", "a&#96;&#96;b&#96;", "``` a``b` ```", "``` a``b` ```"},
        {"a\nb", "a b", "`a b`", "`a b`"},
        {"", "", "`  `", "`  `"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text, due[200];
        size_t len;
        FILE *out = open_memstream(&text, &len);

        tl_put_markdown(out, rows[i].text, 99);
        fputc('\n', out);
        tl_put_markdown_code(out, rows[i].text, 99, false);
        fputc('\n', out);
        tl_put_markdown_code(out, rows[i].text, 99, true);
        ck_assert_int_eq(fclose(out), 0);
        (void)snprintf(due, sizeof due, "%s\n%s\n%s", rows[i].plain, rows[i].code,
                       rows[i].cell);
        ck_assert_str_eq(text, due);
        free(text);
    }
}
END_TEST

START_TEST(a_clean_copy)
{
    char *clean = tl_utf8_clean("a\xff\xc3\xa9");

    ck_assert_str_eq(clean, "a\xef\xbf\xbd\xc3\xa9");
    free(clean);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("utf8");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, what_is_no_character_is_told);
    tcase_add_test(tc, any_bytes_come_out_as_characters);
    tcase_add_test(tc, a_long_text_is_cut_between_characters);
    tcase_add_test(tc, markup_and_what_turns_a_line_around_are_disarmed);
    tcase_add_test(tc, markdown_is_readable_and_no_markup);
    tcase_add_test(tc, a_clean_copy);
    suite_add_tcase(suite, tc);
    return suite;
}
