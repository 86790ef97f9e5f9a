/* SPDX-License-Identifier: Apache-2.0
 * html_lines.c - texts of a diagram: broken into lines, because SVG does not wrap text, and
 * with the words stressed that differ. */
#include "reports/html/html_impl.h"

#include "reports/base/utf8.h"

#include <string.h>

/* The end of the next word, which may be broken: at most `width` characters behind `at`. */
static const char *word_end(const char *at, const char *end, size_t width, size_t *chars)
{
    for (*chars = 0; at < end && *at != ' ' && *chars < width; ++*chars)
        (void)tl_utf8_next(&at, end);
    return at;
}

size_t tl_html_break(const char *text, size_t width,
                     struct tl_html_line lines[TL_HTML_LINES_MAX])
{
    const char *at = text, *end = text + strlen(text), *begin = text, *last = text;
    size_t n = 0, used = 0, chars;

    while (at < end && n < TL_HTML_LINES_MAX) {
        const char *next = word_end(at, end, width, &chars);
        size_t space = used > 0 && at[-1] == ' ' ? 1 : 0;

        if (used > 0 && used + space + chars > width) {
            lines[n++] = (struct tl_html_line){begin, (size_t)(last - begin)};
            begin = at;
            used = space = 0;
            continue;
        }
        used += space + chars;
        last = next;
        at = next;
        while (at < end && *at == ' ')
            at++;
    }
    if (n < TL_HTML_LINES_MAX && last > begin)
        lines[n++] = (struct tl_html_line){begin, (size_t)(last - begin)};
    if (n == 0)
        lines[n++] = (struct tl_html_line){text, 0};
    return n;
}

/* A line whose stressed words are within <tspan class="v">. */
static void put_words(const struct tl_html *h, const char *text, struct tl_html_line line,
                      const struct tl_html_stress *stress)
{
    const char *at = line.text, *end = line.text + line.len;

    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        size_t len = (size_t)((space != NULL ? space : end) - at);
        bool stressed = false;

        for (size_t i = 0; stress != NULL && i < stress->count; i++)
            stressed |= stress->words[i].at == (size_t)(at - text);
        fputs(stressed ? "<tspan class=\"v\">" : "", h->out);
        tl_put_xml_len(h->out, at, len);
        fputs(stressed ? "</tspan>" : "", h->out);
        at += len;
        if (at < end) {
            fputc(' ', h->out);
            at++;
        }
    }
}

void tl_html_lines(const struct tl_html *h, const char *text, size_t width, int x, int y,
                   const struct tl_html_stress *stress)
{
    struct tl_html_line lines[TL_HTML_LINES_MAX];
    size_t n = tl_html_break(text, width, lines);

    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            fprintf(h->out, "<tspan x=\"%d\" y=\"%d\">", x, y + (int)i * TL_HTML_LINE);
        put_words(h, text, lines[i], stress);
        if (i > 0)
            fputs("</tspan>", h->out);
    }
    if (lines[n - 1].text + lines[n - 1].len < text + strlen(text))
        fputs("…", h->out);
}
