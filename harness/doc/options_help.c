/* SPDX-License-Identifier: Apache-2.0
 * options_help.c - prints the part of a verb's help that lists its options. */
#include "harness/doc/options.h"

#include <string.h>

enum { WIDTH = 100, COLUMN = 25 };

/* Prints `text` from COLUMN on, wrapped; a newline in it begins a line. */
static void print_wrapped(FILE *out, const char *text)
{
    size_t column = COLUMN;
    bool first = true;

    while (*text != 0) {
        size_t gap = strspn(text, " "), len = strcspn(text + gap, " \n");

        if (text[gap] == '\n' || (!first && column + gap + len > WIDTH)) {
            fprintf(out, "\n%*s", COLUMN, "");
            column = COLUMN;
            text += gap + (text[gap] == '\n');
            first = true;
            continue;
        }
        fprintf(out, "%.*s", (int)(gap + len), text);
        column += gap + len;
        text += gap + len;
        first = false;
    }
    fputc('\n', out);
}

static void print_row(FILE *out, const struct tl_option *row)
{
    char head[200];
    int len = snprintf(head, sizeof head, "  %s%s%s%s%s", row->name,
                       row->alias != NULL ? ", " : "", row->alias != NULL ? row->alias : "",
                       row->value != NULL ? " " : "", row->value != NULL ? row->value : "");

    if (len < COLUMN - 1)
        fprintf(out, "%-*s", COLUMN, head);
    else
        fprintf(out, "%s\n%*s", head, COLUMN, "");
    print_wrapped(out, row->help);
}

void tl_options_print_help(const struct tl_options *options, FILE *out)
{
    bool first = true;

    for (size_t i = 0; i < options->count; i++) {
        const struct tl_option *row = &options->list[i];

        if (row->name[0] != '-' || row->help == NULL)
            continue;
        if (row->group != NULL)
            fprintf(out, "%s%s\n", first ? "" : "\n", row->group);
        first = false;
        print_row(out, row);
    }
    fprintf(out, "  %-*s%s\n", COLUMN - 2, "--help", "print this text");
}
