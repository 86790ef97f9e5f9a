/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/shell/roff.h"

#include "harness/doc/version.h"

#include <ctype.h>
#include <string.h>

static const char *escape_of(char c)
{
    switch (c) {
    case '\\': return "\\e";
    case '-': return "\\-";
    case '^': return "\\(ha";
    case '~': return "\\(ti";
    case '`': return "\\(ga";
    case '\'': return "\\(aq";
    default: return NULL;
    }
}

void tl_roff(FILE *out, const char *text, size_t len, int start)
{
    for (size_t i = 0; i < len; i++) {
        const char *escape = escape_of(text[i]);

        if (start && text[i] == '.')
            fputs("\\&", out);
        if (escape != NULL)
            fputs(escape, out);
        else
            fputc(text[i], out);
        start = text[i] == '\n';
    }
}

void tl_roff_head(FILE *out, const char *name, int section, const char *what)
{
    fputs(".TH \"", out);
    for (const char *c = name; *c != 0; c++)
        fputc(toupper((unsigned char)*c), out);
    fprintf(out, "\" %d \"" TL_VERSION_DATE "\" \"Talon " TL_VERSION "\" \"%s\"\n.SH NAME\n",
            section, section == 1 ? "User commands" : "File formats");
    tl_roff(out, name, strlen(name), 1);
    fputs(" \\- ", out);
    tl_roff(out, what, strlen(what), 0);
    fputc('\n', out);
}

/* The length of a span that begins at `text` with `mark` and ends with it in the same
 * paragraph; 0: there is none. */
static size_t span(const char *text, size_t len, const char *mark)
{
    size_t n = strlen(mark);

    if (len < 2 * n + 1 || strncmp(text, mark, n) != 0 || isspace((unsigned char)text[n]))
        return 0;
    for (size_t i = n + 1; i + n <= len; i++)
        if (strncmp(text + i, mark, n) == 0)
            return i + n;
    return 0;
}

/* [text](target): writes the text; returns the length of the whole, or 0. */
static size_t write_link(FILE *out, const char *text, size_t len)
{
    const char *close = text[0] == '[' ? memchr(text, ']', len) : NULL;
    const char *end;

    if (close == NULL || (size_t)(close - text) + 1 >= len || close[1] != '(')
        return 0;
    end = memchr(close, ')', len - (size_t)(close - text));
    if (end == NULL)
        return 0;
    tl_roff(out, text + 1, (size_t)(close - text) - 1, 0);
    return (size_t)(end - text) + 1;
}

static const struct {
    const char *mark;
    char font;
} fonts[] = {{"`", 'B'}, {"**", 'B'}, {"*", 'I'}};

static size_t write_span(FILE *out, const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof fonts / sizeof *fonts; i++) {
        size_t n = strlen(fonts[i].mark), all = span(text, len, fonts[i].mark);

        if (all == 0)
            continue;
        fprintf(out, "\\f%c", fonts[i].font);
        if (fonts[i].mark[0] == '*' && text[n] == '`') /* **`name`** */
            tl_roff(out, text + n + 1, all - 2 * n - 2, 0);
        else
            tl_roff(out, text + n, all - 2 * n, 0);
        fputs("\\fR", out);
        return all;
    }
    return write_link(out, text, len);
}

void tl_roff_paragraph(FILE *out, const char *text, size_t len)
{
    int start = 1;

    for (size_t i = 0; i < len;) {
        size_t n;

        while (start && i < len && text[i] == ' ')
            i++; /* a space at the beginning of a line breaks the paragraph */
        n = i < len ? write_span(out, text + i, len - i) : 0;
        if (n == 0 && i < len) {
            n = 1;
            if (text[i] == '\\' && i + 1 < len && ispunct((unsigned char)text[i + 1]))
                i++; /* Markdown's escape, as \| in a table */
            tl_roff(out, text + i, 1, start);
        }
        start = n == 1 && text[i] == '\n';
        i += n;
    }
    fputc('\n', out);
}
