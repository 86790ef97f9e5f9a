/* SPDX-License-Identifier: Apache-2.0
 * man.c - man pages from usage texts: paragraphs, items ("  WORD   what it is", with lines that
 * continue it) and the option table. */
#include "harness/cli/shell/man.h"

#include "harness/cli/shell/roff.h"
#include "harness/cli/usage.h"

#include <ctype.h>
#include <string.h>

enum { ITEM_INDENT = 2, NAME_MAX_LEN = 80 };

/* Pages of actions that have option tables of their own: the overview does not list them. */
static const struct {
    const char *verb, *what;
} actions[] = {
    {"logic check", "judge the events or the capture of any reliable transport"},
    {"logic tap", "put a seeded network between two hosts and capture what they send"},
    {"check roce", "judge captures of RoCEv2"},
};

/* ---- lines of a text ---- */

static size_t line_len(const char *line)
{
    return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    line += line_len(line);
    return line + (*line == '\n');
}

/* Where the text of an item begins: after two spaces or more behind its head; NULL: none. */
static const char *item_text(const char *line)
{
    const char *at = line + strspn(line, " ");
    const char *end = line + line_len(line);

    for (; at + 1 < end; at++)
        if (at[0] == ' ' && at[1] == ' ')
            return at + strspn(at, " ");
    return NULL;
}

static bool is_item(const char *line)
{
    return strspn(line, " ") == ITEM_INDENT && line_len(line) > ITEM_INDENT;
}

static bool continues_item(const char *line)
{
    return strspn(line, " ") > ITEM_INDENT && line_len(line) > 0;
}

/* ---- the overview ---- */

static void append(char out[TL_VERB_TEXT_MAX], const char *text, size_t len)
{
    size_t at = strlen(out);

    (void)snprintf(out + at, TL_VERB_TEXT_MAX - at, "%s%.*s", at > 0 ? " " : "", (int)len,
                   text);
}

void tl_verb_summary(const char *verb, char out[TL_VERB_TEXT_MAX])
{
    char head[NAME_MAX_LEN];
    const char *line, *text;

    out[0] = 0;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].verb, verb) == 0)
            append(out, actions[i].what, strlen(actions[i].what));
    (void)snprintf(head, sizeof head, "\n  talon %s ", verb);
    line = strstr(tl_usage_help, head);
    if (out[0] != 0 || line == NULL)
        return;
    line++;
    text = item_text(line);
    if (text != NULL)
        append(out, text, line_len(text));
    for (line = next_line(line); continues_item(line); line = next_line(line))
        append(out, line + strspn(line, " "), line_len(line) - strspn(line, " "));
}

/* ---- parts of a page ---- */

static void put_line(FILE *out, const char *line)
{
    const char *text = line + strspn(line, " ");

    tl_roff(out, text, line_len(text), 1);
    fputc('\n', out);
}

/* An item and the lines that continue it. Returns the line after it. */
static const char *put_item(FILE *out, const char *line)
{
    const char *text = item_text(line);
    size_t len = text != NULL ? (size_t)(text - line) : line_len(line);

    while (len > 0 && line[len - 1] == ' ')
        len--;
    fputs(".TP\n\\fB", out);
    tl_roff(out, line + ITEM_INDENT, len - ITEM_INDENT, 0);
    fputs("\\fR\n", out);
    if (text != NULL)
        put_line(out, text);
    for (line = next_line(line); continues_item(line); line = next_line(line))
        put_line(out, line);
    return line;
}

/* The text from `line` to `end`, without the paragraph of the exit status, which it returns (or
 * NULL). `title`: a heading before the text, if there is any. */
static const char *put_text(FILE *out, const char *line, const char *end, const char *title)
{
    static const char status[] = "Exit status: ";
    bool gap = false;

    while (line < end && strncmp(line, status, strlen(status)) != 0) {
        if (line_len(line) == 0) {
            gap = true;
            line = next_line(line);
            continue;
        }
        if (title != NULL)
            fprintf(out, ".SH %s\n", title);
        else if (gap && !is_item(line))
            fputs(".PP\n", out);
        title = NULL;
        gap = false;
        if (is_item(line)) {
            line = put_item(out, line);
            gap = !is_item(line);
        } else {
            put_line(out, line);
            line = next_line(line);
        }
    }
    return line < end ? line + strlen(status) : NULL;
}

/* The paragraph of the exit status, and what follows it. */
static void put_status(FILE *out, const char *line)
{
    fputs(".SH EXIT STATUS\n", out);
    for (; *line != 0; line = next_line(line)) {
        if (line_len(line) == 0)
            fputs(".PP\n", out);
        else
            put_line(out, line);
    }
}

static void put_option(FILE *out, const struct tl_option *row)
{
    fputs(".TP\n\\fB", out);
    tl_roff(out, row->name, strlen(row->name), 0);
    fputs("\\fR", out);
    if (row->alias != NULL) {
        fputs(", \\fB", out);
        tl_roff(out, row->alias, strlen(row->alias), 0);
        fputs("\\fR", out);
    }
    if (row->value != NULL) {
        fputs(" \\fI", out);
        tl_roff(out, row->value, strlen(row->value), 0);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    for (const char *line = row->help; *line != 0; line = next_line(line)) {
        if (line != row->help)
            fputs(".br\n", out);
        put_line(out, line);
    }
}

static void put_options(FILE *out, const struct tl_options *options)
{
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < options->count; i++) {
        const struct tl_option *row = &options->list[i];

        if (row->name[0] != '-' || row->help == NULL)
            continue;
        if (row->group != NULL) {
            fputs(".SS ", out);
            put_line(out, row->group);
        }
        put_option(out, row);
    }
    fputs(".TP\n\\fB\\-\\-help\\fR\nprint the usage\n", out);
}

static void put_see_also(FILE *out)
{
    fputs(".SH SEE ALSO\n"
          ".BR talon (1),\n.BR talon\\-formats (5),\n.BR talon\\-scenario (5),\n"
          ".BR talon\\-results (5),\n.BR talon\\-capture (5),\n.BR talon\\-timeline (5),\n"
          ".BR talon\\-sut\\-protocol (5)\n",
          out);
}

/* The lines "usage: ..." and those that continue them. Returns the line after them. */
static const char *put_synopsis(FILE *out, const char *usage)
{
    static const char word[] = "usage: ";
    const char *line = usage;

    fputs(".SH SYNOPSIS\n.nf\n", out);
    for (; line_len(line) > 0; line = next_line(line)) {
        const char *text = line;

        if (strncmp(line, word, strlen(word)) == 0 || strncmp(line, "       ", 7) == 0)
            text += strlen(word);
        tl_roff(out, text, line_len(text), 1);
        fputc('\n', out);
    }
    fputs(".fi\n", out);
    return line;
}

/* ---- pages ---- */

void tl_man_verb(FILE *out, const char *verb, const struct tl_options *options,
                 const char *usage)
{
    static const char marker[] = "@options\n";
    const char *at = strstr(usage, marker);
    const char *rest = at != NULL ? at + strlen(marker) : usage + strlen(usage), *status;
    char name[NAME_MAX_LEN], what[TL_VERB_TEXT_MAX];

    (void)snprintf(name, sizeof name, "talon-%s", verb);
    for (char *c = name; *c != 0; c++)
        if (*c == ' ')
            *c = '-';
    tl_verb_summary(verb, what);
    tl_roff_head(out, name, 1, what);
    usage = put_synopsis(out, usage);
    status = put_text(out, usage, at != NULL ? at : rest, "DESCRIPTION");
    put_options(out, options);
    rest = put_text(out, rest, rest + strlen(rest), "NOTES");
    status = rest != NULL ? rest : status;
    if (status != NULL)
        put_status(out, status);
    put_see_also(out);
}

void tl_man_overview(FILE *out)
{
    static const char name[] = "talon - ";
    const char *text = next_line(tl_usage_help), *status;
    char what[TL_VERB_TEXT_MAX] = "";

    append(what, tl_usage_help + strlen(name), line_len(tl_usage_help) - strlen(name));
    tl_roff_head(out, "talon", 1, what);
    fputs(".SH SYNOPSIS\n.B talon\n\\fIVERB\\fR [\\fIARGUMENTS\\fR]\n", out);
    status = put_text(out, text, text + strlen(text), "VERBS");
    if (status != NULL)
        put_status(out, status);
    fputs(".SH FILES\n.TP\n.I talon.json\nin the current directory: options that name the SUT "
          "(talon init writes it)\n.PP\nThe page of a verb is talon\\-VERB(1).\n",
          out);
    put_see_also(out);
}
