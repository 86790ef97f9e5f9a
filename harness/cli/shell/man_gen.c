/* SPDX-License-Identifier: Apache-2.0
 * man_gen.c - writes a man page of section 5 from a document in Markdown, at build time. Usage:
 * man_gen NAME WHAT FILE [HEADING...]. With headings, only the chapters ("## ...") whose titles
 * begin so are written, in the order of the file. A table becomes a list: the first column
 * names the items. Status 1: the file cannot be read, or a heading is missing. */
#include "harness/cli/shell/roff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 8, CELL_LEN = 200, PARAGRAPH_MAX = 20000 };

enum kind { BLANK, HEADING, FENCE, CODE, ROW, ITEM, COMMENT, TEXT };

struct page {
    FILE *out;
    char *const *chosen; /* headings; none: all */
    int num_chosen;
    unsigned found;                 /* bits of those that were found */
    bool on;                        /* the chapter is written */
    bool fenced, coded;             /* in a block of code */
    bool item;                      /* in an item of a list */
    bool headed;                    /* a heading was the last that was written */
    char head[CELLS_MAX][CELL_LEN]; /* of the table */
    unsigned columns;               /* 0: no table */
    char text[PARAGRAPH_MAX];       /* the paragraph so far */
    size_t len;
};

static void flush(struct page *p)
{
    if (p->len > 0)
        tl_roff_paragraph(p->out, p->text, p->len);
    p->len = 0;
}

static void add(struct page *p, const char *line)
{
    size_t n = strlen(line);

    line += strspn(line, " ");
    n = strlen(line);
    if (p->len + n + 2 > sizeof p->text)
        flush(p);
    if (n + 2 > sizeof p->text)
        n = sizeof p->text - 2;
    if (p->len > 0)
        p->text[p->len++] = '\n';
    memcpy(p->text + p->len, line, n);
    p->len += n;
}

static void end_code(struct page *p)
{
    if (p->coded)
        fputs(".fi\n.RE\n", p->out);
    p->coded = false;
}

static void code(struct page *p, const char *line)
{
    if (!p->coded) {
        flush(p);
        fputs(p->headed ? ".RS 4\n.nf\n" : ".PP\n.RS 4\n.nf\n", p->out);
    }
    p->coded = true;
    p->headed = false;
    tl_roff(p->out, line, strlen(line), 1);
    fputc('\n', p->out);
}

static size_t marker_len(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    if ((text[0] == '-' || text[0] == '*') && text[1] == ' ')
        return 2;
    return digits > 0 && digits < 3 && text[digits] == '.' && text[digits + 1] == ' '
               ? digits + 2
               : 0;
}

static enum kind kind_of(const struct page *p, const char *line, bool after_blank)
{
    const char *text = line + strspn(line, " ");

    if (strncmp(text, "```", 3) == 0)
        return FENCE;
    if (p->fenced)
        return CODE;
    if (*text == 0)
        return BLANK;
    if (line[0] == '#')
        return HEADING;
    if (text - line >= 4 && (after_blank || p->coded) && !(p->item && marker_len(text) > 0))
        return CODE;
    if (line[0] == '|')
        return ROW;
    if (strncmp(text, "<!--", 4) == 0 || strncmp(text, "![", 2) == 0)
        return COMMENT;
    return marker_len(text) > 0 ? ITEM : TEXT;
}

/* ---- tables ---- */

static unsigned cells_of(const char *line, char cells[CELLS_MAX][CELL_LEN * 10])
{
    unsigned n = 0;
    const char *at = line + 1;

    while (n < CELLS_MAX && *at != 0) {
        const char *end = at;
        size_t len;

        while (*end != 0 && (*end != '|' || end[-1] == '\\'))
            end++;
        if (*end == 0)
            break;
        at += strspn(at, " ");
        len = at < end ? (size_t)(end - at) : 0;
        while (len > 0 && at[len - 1] == ' ')
            len--;
        (void)snprintf(cells[n++], CELL_LEN * 10, "%.*s", (int)len, at);
        at = end + 1;
    }
    return n;
}

static void row(struct page *p, const char *line)
{
    static char cells[CELLS_MAX][CELL_LEN * 10];
    unsigned n = cells_of(line, cells);

    flush(p);
    if (strspn(line, "|-: ") == strlen(line))
        return;
    if (p->columns == 0) { /* the names of the columns */
        for (unsigned i = 0; i < n; i++)
            (void)snprintf(p->head[i], CELL_LEN, "%.*s", CELL_LEN - 1, cells[i]);
        p->columns = n;
        return;
    }
    p->headed = false;
    fputs(".TP\n", p->out);
    tl_roff_paragraph(p->out, n > 0 && cells[0][0] != 0 ? cells[0] : "*",
                      n > 0 && cells[0][0] != 0 ? strlen(cells[0]) : 1);
    for (unsigned i = 1; i < n; i++) {
        bool named = n > 2 && i < p->columns && p->head[i][0] != 0;

        if (cells[i][0] == 0)
            continue;
        if (named) {
            fputs("\\fI", p->out);
            tl_roff(p->out, p->head[i], strlen(p->head[i]), 0);
            fputs("\\fR: ", p->out);
        }
        tl_roff_paragraph(p->out, cells[i], strlen(cells[i]));
        if (i + 1 < n)
            fputs(".br\n", p->out);
    }
}

/* ---- lines ---- */

static void heading(struct page *p, const char *line)
{
    size_t level = strspn(line, "#");
    const char *title = line + level + strspn(line + level, " ");

    flush(p);
    p->item = false;
    p->columns = 0;
    if (level <= 2) {
        p->on = p->num_chosen == 0 && level == 2;
        for (int i = 0; i < p->num_chosen && level == 2; i++) {
            if (strncmp(title, p->chosen[i], strlen(p->chosen[i])) != 0)
                continue;
            p->on = true;
            p->found |= 1u << i;
        }
    }
    if (level == 1 && p->num_chosen == 0) {
        p->on = true;
        p->headed = true;
        fputs(".SH DESCRIPTION\n", p->out);
    } else if (p->on) {
        p->headed = true;
        fputs(level == 2 ? ".SH " : ".SS ", p->out);
        tl_roff_paragraph(p->out, title, strlen(title));
    }
}

static void item(struct page *p, const char *line)
{
    const char *text = line + strspn(line, " ");
    size_t n = marker_len(text);

    flush(p);
    p->headed = false;
    if (n == 2)
        fputs(".IP \\(bu 2\n", p->out);
    else
        fprintf(p->out, ".IP %.*s 4\n", (int)(n - 1), text);
    add(p, text + n);
    p->item = true;
}

static void text(struct page *p, const char *line, bool after_blank)
{
    if (p->len == 0 && !p->headed && (after_blank || p->columns > 0))
        fputs(p->item && line[0] == ' ' ? ".IP\n" : ".PP\n", p->out);
    if (line[0] != ' ' && after_blank)
        p->item = false;
    p->columns = 0;
    p->headed = false;
    add(p, line);
}

static void take(struct page *p, const char *line, bool *blank)
{
    enum kind kind = kind_of(p, line, *blank);

    if (kind == FENCE)
        p->fenced = !p->fenced;
    if (p->coded && kind != CODE && kind != BLANK)
        end_code(p);
    if (kind == HEADING)
        heading(p, line);
    else if (p->on && kind == CODE)
        code(p, line);
    else if (p->on && kind == ROW)
        row(p, line);
    else if (p->on && kind == ITEM)
        item(p, line);
    else if (p->on && kind == TEXT)
        text(p, line, *blank || p->columns > 0);
    else if (kind == BLANK && p->on)
        flush(p);
    *blank = kind == BLANK || kind == FENCE || kind == COMMENT || kind == CODE;
}

int main(int argc, char **argv)
{
    static struct page p;
    static char line[PARAGRAPH_MAX];
    bool blank = true;
    FILE *in;

    if (argc < 4 || argc > 30 || (in = fopen(argv[3], "r")) == NULL) {
        fprintf(stderr, "usage: man_gen NAME WHAT FILE [HEADING...]; FILE must be readable\n");
        return 1;
    }
    p.out = stdout;
    p.chosen = argv + 4;
    p.num_chosen = argc - 4;
    tl_roff_head(stdout, argv[1], 5, argv[2]);
    while (fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\n")] = 0;
        take(&p, line, &blank);
    }
    end_code(&p);
    flush(&p);
    fputs(".SH SEE ALSO\n.BR talon (1)\n", stdout);
    (void)fclose(in);
    for (int i = 0; i < p.num_chosen; i++) {
        if ((p.found & 1u << i) == 0) {
            fprintf(stderr, "man_gen: %s has no chapter '%s'\n", argv[3], argv[4 + i]);
            return 1;
        }
    }
    return fflush(stdout) != 0;
}
