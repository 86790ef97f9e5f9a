/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/shell/complete.h"
#include "harness/cli/shell/man.h"
#include "harness/cli/shell/roff.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

struct small {
    struct tl_texts words;
    const char *sut, *file;
    int format;
    bool loud;
};
#define TL_OPTIONS_OF struct small

static const struct tl_option list[] = {
    {TL_TEXTS("ACTION", words, NULL)},
    {TL_TEXT("--sut", sut, "SUT"), .group = "The SUT", .help = "what is tested"},
    {TL_TEXT("--file", file, "FILE"), .alias = "-f", .help = "where\nit is"},
    {TL_CHOICE("--format", format, "FORMAT", "text json"), .help = "how"},
    {TL_FLAG("--loud", loud), .help = "print more"},
    {TL_FLAG("--hidden", loud)},
};
static const struct tl_options options = {"small", list, sizeof list / sizeof *list};
static const char usage[] = "usage: talon small go|stop FILE\n"
                            "       talon small wait-here [options]\n"
                            "\n"
                            "Does it.\n"
                            "  one    the first\n"
                            "         of all\n"
                            "  -two   the second\n"
                            "Then more.\n"
                            "\n"
                            "@options\n"
                            "\n"
                            ".hidden is a file.\n"
                            "Exit status: 0 done; 2 not.\n";

struct out {
    char *text;
    size_t len;
    FILE *file;
};

static void open_out(struct out *out)
{
    *out = (struct out){NULL, 0, NULL};
    out->file = open_memstream(&out->text, &out->len);
    ck_assert_ptr_nonnull(out->file);
}

/* The offers for a command line: its words, separated by spaces. */
static char *offers(const char *line)
{
    static char copy[200];
    static char *words[20];
    static char nothing[1];
    struct out out;
    int n = 0;

    open_out(&out);
    (void)snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
        words[n++] = word;
    if (line[0] == 0 || line[strlen(line) - 1] == ' ')
        words[n++] = nothing;
    tl_complete(out.file, &options, usage, n, words);
    ck_assert_int_eq(fclose(out.file), 0);
    return out.text;
}

static const struct {
    const char *line, *offers;
} lines[] = {
    {"", "go\t\nstop\t\nwait-here\t\n"},
    {"s", "stop\t\n"},
    {"go ", ":files\n"},
    {"--lo", "--loud\tprint more\n"},
    {"--h", "--help\tprint the usage\n"},
    {"go --loud --f", "--file\twhere\n--format\thow\n"},
    {"--format ", "text\t\njson\t\n"},
    {"--format=j", "--format=json\t\n"},
    {"-f ", ":files\n"},
    {"--loud ", "go\t\nstop\t\nwait-here\t\n"},
    {"--format text g", "go\t\n"},
    {"--sut builtin:fault=own-never-s",
     "builtin:fault=own-never-set\tDrops packets right of the window without setting an OWN "
     "bit.\n"},
    {"--sut=builtin:twin=random", "--sut=builtin:twin=random\tsome, drawn from the seed\n"},
    {"--nothing=x", ""},
    {"=", ""},
};

START_TEST(offers_what_fits)
{
    char *text = offers(lines[_i].line);

    ck_assert_str_eq(text, lines[_i].offers);
    free(text);
}
END_TEST

START_TEST(page_from_usage_and_table)
{
    struct out out;

    open_out(&out);
    tl_man_verb(out.file, "logic check", &options, usage);
    ck_assert_int_eq(fclose(out.file), 0);
    ck_assert_ptr_nonnull(strstr(out.text, "talon\\-logic\\-check \\- judge the events"));
    ck_assert_ptr_nonnull(strstr(out.text, ".nf\ntalon small go|stop FILE\n"
                                           "talon small wait\\-here [options]\n.fi\n"
                                           ".SH DESCRIPTION\nDoes it.\n"
                                           ".TP\n\\fBone\\fR\nthe first\nof all\n"
                                           ".TP\n\\fB\\-two\\fR\nthe second\n"
                                           ".PP\nThen more.\n"
                                           ".SH OPTIONS\n.SS The SUT\n"));
    ck_assert_ptr_nonnull(strstr(out.text, ".TP\n\\fB\\-\\-file\\fR, \\fB\\-f\\fR "
                                           "\\fIFILE\\fR\nwhere\n.br\nit is\n"));
    ck_assert_ptr_null(strstr(out.text, "hidden\\fR"));
    ck_assert_ptr_nonnull(strstr(out.text, ".SH NOTES\n\\&.hidden is a file.\n"
                                           ".SH EXIT STATUS\n0 done; 2 not.\n"));
    free(out.text);
}
END_TEST

static const struct {
    const char *in, *out;
} texts[] = {
    {"a `b-c` d", "a \\fBb\\-c\\fR d\n"},
    {"**`x`** and *y*", "\\fBx\\fR and \\fIy\\fR\n"},
    {"see [the text](a.md#b).", "see the text.\n"},
    {"2 * 3 * 4, [x], `open", "2 * 3 * 4, [x], \\(gaopen\n"},
    {".start\n  'next \\| ~^", "\\&.start\n\\(aqnext | \\(ti\\(ha\n"},
    {"", "\n"},
};

START_TEST(markdown_of_a_paragraph)
{
    struct out out;

    open_out(&out);
    tl_roff_paragraph(out.file, texts[_i].in, strlen(texts[_i].in));
    ck_assert_int_eq(fclose(out.file), 0);
    ck_assert_str_eq(out.text, texts[_i].out);
    free(out.text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("man pages and completion");
    TCase *tc = tcase_create("shell");

    tcase_add_loop_test(tc, offers_what_fits, 0, sizeof lines / sizeof *lines);
    tcase_add_test(tc, page_from_usage_and_table);
    tcase_add_loop_test(tc, markdown_of_a_paragraph, 0, sizeof texts / sizeof *texts);
    suite_add_tcase(suite, tc);
    return suite;
}
