/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/shell/complete.h"

#include <ctype.h>
#include <string.h>

enum { WORD_MAX = 120, ACTION_CHARS = 36 };

void tl_offer(FILE *out, const char *start, const char *before, const char *word,
              const char *what)
{
    if (strncmp(word, start, strlen(start)) == 0)
        fprintf(out, "%s%s\t%.*s\n", before != NULL ? before : "", word,
                (int)strcspn(what, "\n\t"), what);
}

/* ---- options ---- */

static void offer_options(FILE *out, const struct tl_options *options, const char *start)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct tl_option *row = &options->list[i];

        if (row->name[0] == '-' && row->help != NULL)
            tl_offer(out, start, NULL, row->name, row->help);
    }
    tl_offer(out, start, NULL, "--help", "print the usage");
}

/* The row whose value the last word is: "--name" stands before it. */
static const struct tl_option *open_option(const struct tl_options *options, int count,
                                           char *const *words)
{
    const struct tl_option *row;

    if (count < 2 || words[count - 2][0] != '-')
        return NULL;
    row = tl_options_find(options, words[count - 2]);
    return row != NULL && row->kind != TL_OPTION_FLAG ? row : NULL;
}

/* "--name=value": the row and the length up to the value, or NULL. */
static const struct tl_option *joined_option(const struct tl_options *options, const char *word,
                                             char before[WORD_MAX])
{
    const size_t len = strcspn(word, "=");
    const struct tl_option *row;

    if (word[0] != '-' || word[len] != '=' || len + 2 > WORD_MAX)
        return NULL;
    (void)snprintf(before, WORD_MAX, "%.*s", (int)len, word);
    row = tl_options_find(options, before);
    (void)snprintf(before, WORD_MAX, "%.*s=", (int)len, word);
    return row != NULL && row->kind != TL_OPTION_FLAG ? row : NULL;
}

/* ---- arguments ---- */

/* The row of the arguments that are no options which stands at place `n` (from 0). */
static const struct tl_option *argument_row(const struct tl_options *options, size_t n)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct tl_option *row = &options->list[i];

        if (row->name[0] == '-')
            continue;
        if (n == 0 || row->kind == TL_OPTION_TEXTS)
            return row;
        n--;
    }
    return NULL;
}

/* The number of arguments before the last word. */
static size_t arguments_before(const struct tl_options *options, int count, char *const *words)
{
    size_t n = 0;

    for (int i = 0; i < count - 1; i++) {
        const struct tl_option *row = NULL;

        if (words[i][0] == '-')
            row = tl_options_find(options, words[i]);
        else
            n++;
        i += row != NULL && row->kind != TL_OPTION_FLAG;
    }
    return n;
}

/* Offers the actions of a line of the synopsis: "talon history list|trend [RESULTS...]". */
static void offer_line(FILE *out, const char *line, const char *start)
{
    const char *at = line + strcspn(line, "\n");
    size_t len = strspn(line, "abcdefghijklmnopqrstuvwxyz|-");

    if (len == 0 || (line + len < at && line[len] != ' ') || line[0] == '-')
        return;
    for (at = line; at < line + len;) {
        size_t n = strcspn(at, "| \n");
        char word[ACTION_CHARS];

        (void)snprintf(word, sizeof word, "%.*s", (int)n, at);
        tl_offer(out, start, NULL, word, "");
        at += n + 1;
    }
}

/* Offers the first words of the synopsis. */
static void offer_actions(FILE *out, const char *verb, const char *usage, const char *start)
{
    char head[WORD_MAX];
    const char *at = usage, *end = strstr(usage, "\n\n");

    (void)snprintf(head, sizeof head, "talon %s ", verb);
    while ((at = strstr(at, head)) != NULL && (end == NULL || at < end)) {
        at += strlen(head);
        offer_line(out, at, start);
    }
}

void tl_complete(FILE *out, const struct tl_options *options, const char *usage, int count,
                 char *const *words)
{
    const char *word = count > 0 ? words[count - 1] : "";
    const struct tl_option *row = open_option(options, count, words);
    char before[WORD_MAX];
    size_t n;

    if (row != NULL) {
        tl_complete_value(out, options->verb, row, word, NULL);
        return;
    }
    row = joined_option(options, word, before);
    if (row != NULL) {
        tl_complete_value(out, options->verb, row, word + strcspn(word, "=") + 1, before);
        return;
    }
    if (word[0] == '-') {
        offer_options(out, options, word);
        return;
    }
    n = arguments_before(options, count, words);
    row = argument_row(options, n);
    if (n == 0 && row != NULL && strcmp(row->name, "ACTION") == 0) {
        offer_actions(out, options->verb, usage, word);
        return;
    }
    if (row != NULL)
        tl_complete_value(out, options->verb, row, word, NULL);
}
