/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/base/utf8.h"

#include "codecs/base/error.h"
#include "reports/base/memory_file.h"

#include <stdlib.h>
#include <string.h>

/* The number of bytes of a character that begins with this byte, and the bits of this byte that
 * belong to the character. */
static int form(unsigned char first, uint32_t *bits)
{
    if (first < 0x80) {
        *bits = first;
        return 1;
    }
    if (first >= 0xc2 && first < 0xe0) {
        *bits = first & 0x1fu;
        return 2;
    }
    if (first >= 0xe0 && first < 0xf0) {
        *bits = first & 0x0fu;
        return 3;
    }
    if (first >= 0xf0 && first < 0xf5) {
        *bits = first & 0x07u;
        return 4;
    }
    return 0;
}

uint32_t tl_utf8_next(const char **at, const char *end)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const char *p = *at;
    uint32_t character = 0;
    int len = form((unsigned char)*p, &character);

    *at = p + 1;
    if (len == 0 || end - p < len)
        return TL_UTF8_BAD;
    for (int i = 1; i < len; i++) {
        unsigned char c = (unsigned char)p[i];

        if ((c & 0xc0) != 0x80)
            return TL_UTF8_BAD;
        character = character << 6 | (c & 0x3fu);
    }
    if (character < least[len] || character > 0x10ffff ||
        (character >= 0xd800 && character < 0xe000))
        return TL_UTF8_BAD;
    *at = p + len;
    return character;
}

void tl_utf8_put(FILE *out, uint32_t c)
{
    if (c < 0x80) {
        fputc((int)c, out);
    } else if (c < 0x800) {
        fputc((int)(0xc0 | c >> 6), out);
        fputc((int)(0x80 | (c & 0x3f)), out);
    } else if (c < 0x10000) {
        fputc((int)(0xe0 | c >> 12), out);
        fputc((int)(0x80 | (c >> 6 & 0x3f)), out);
        fputc((int)(0x80 | (c & 0x3f)), out);
    } else {
        fputc((int)(0xf0 | c >> 18), out);
        fputc((int)(0x80 | (c >> 12 & 0x3f)), out);
        fputc((int)(0x80 | (c >> 6 & 0x3f)), out);
        fputc((int)(0x80 | (c & 0x3f)), out);
    }
}

bool tl_utf8_valid(const char *text, size_t len)
{
    const char *end = text + len;

    while (text < end) {
        const char *at = text;

        if (tl_utf8_next(&text, end) == TL_UTF8_BAD && text - at == 1)
            return false; /* U+FFFD itself has three bytes */
    }
    return true;
}

char *tl_utf8_clean(const char *text)
{
    const char *end = text + strlen(text);
    struct tl_memory_file clean;

    if (tl_memory_open(&clean) == 0)
        while (text < end)
            tl_utf8_put(clean.out, tl_utf8_next(&text, end));
    /* The text is NULL then. */
    FAL_IGNORE(tl_memory_close(&clean));
    return clean.text;
}

bool tl_utf8_shows(uint32_t c)
{
    if (c == '\t' || c == '\n')
        return true;
    if (c < ' ' || (c >= 0x7f && c < 0xa0))
        return false;
    if (c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
        (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f)
        return false;
    return !(c >= 0xfdd0 && c <= 0xfdef) && (c & 0xfffe) != 0xfffe;
}

size_t tl_text_shown(const char *text, bool *cut)
{
    size_t len = strnlen(text, TL_TEXT_SHOWN + 1);

    *cut = len > TL_TEXT_SHOWN;
    if (!*cut)
        return len;
    len = TL_TEXT_SHOWN;
    while (len > TL_TEXT_SHOWN - 4 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    return len;
}

void tl_put_xml_len(FILE *out, const char *text, size_t len)
{
    const char *end = text + len;

    while (text < end) {
        uint32_t c = tl_utf8_next(&text, end);

        switch (c) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: tl_utf8_put(out, tl_utf8_shows(c) ? c : TL_UTF8_BAD); break;
        }
    }
}

void tl_put_xml(FILE *out, const char *text)
{
    tl_put_xml_len(out, text, strlen(text));
}

void tl_put_xml_short(FILE *out, const char *text)
{
    bool cut;
    size_t len = tl_text_shown(text, &cut);

    tl_put_xml_len(out, text, len);
    if (cut)
        fprintf(out, " ... (%zu bytes in all)", strlen(text));
}

void tl_put_json_string(FILE *out, const char *text, size_t most)
{
    const char *end = text + strnlen(text, most);

    while (text < end) {
        uint32_t c = tl_utf8_next(&text, end);

        switch (c) {
        case '"': fputs("\\\"", out); break;
        case '\\': fputs("\\\\", out); break;
        case '\n': fputs("\\n", out); break;
        case '\t': fputs("\\t", out); break;
        default:
            if (tl_utf8_shows(c))
                tl_utf8_put(out, c);
            else if (c < 0x10000)
                fprintf(out, "\\u%04x", (unsigned)c);
            else
                tl_utf8_put(out, TL_UTF8_BAD);
            break;
        }
    }
}

static bool is_alnum(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Whether the character between those is no markup. Underscores within a word are none, nor are
 * signs that are markup at the beginning of a line only; a colon makes an address a link. */
static bool is_text(uint32_t c, uint32_t before, const char *next, const char *end)
{
    if (is_alnum(c) || (c < 0x80 && strchr(" ,./();'\"%?{}^", (int)c) != NULL))
        return true;
    if (c == '_')
        return is_alnum(before) && next < end && is_alnum((unsigned char)*next);
    if (c == ':')
        return next == end || *next != '/';
    return before != 0 && (c == '-' || c == '=' || c == '+' || c == '>');
}

void tl_put_markdown(FILE *out, const char *text, size_t most)
{
    const char *end = text + strnlen(text, most);
    uint32_t before = 0;

    while (text < end) {
        uint32_t c = tl_utf8_next(&text, end);

        if (c == '\n' || c == '\t')
            fputc(' ', out);
        else if (!tl_utf8_shows(c))
            tl_utf8_put(out, TL_UTF8_BAD);
        else if (c >= 0x80)
            tl_utf8_put(out, c);
        else if (is_text(c, before, text, end))
            fputc((int)c, out);
        else
            fprintf(out, "&#%u;", (unsigned)c);
        before = c;
    }
    if (*text != 0)
        fputs(" ...", out);
}

static void put_line(FILE *out, const char *text, size_t most, bool cell)
{
    const char *end = text + strnlen(text, most);

    while (text < end) {
        uint32_t c = tl_utf8_next(&text, end);

        if (c == '|' && cell)
            fputc('\\', out); /* a table takes it away again */
        tl_utf8_put(out, c == '\n' || c == '\t' ? ' ' : tl_utf8_shows(c) ? c : TL_UTF8_BAD);
    }
    if (*text != 0)
        fputs(" ...", out);
}

void tl_put_markdown_line(FILE *out, const char *text, size_t most)
{
    put_line(out, text, most, false);
}

void tl_put_markdown_code(FILE *out, const char *text, size_t most, bool cell)
{
    size_t len = strnlen(text, most), longest = 0, run = 0;
    bool space = len == 0 || text[0] == '`' || text[len - 1] == '`' ||
                 (text[0] == ' ' && text[len - 1] == ' ');

    for (size_t i = 0; i < len; i++) {
        run = text[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        fputc('`', out);
    fputs(space ? " " : "", out);
    put_line(out, text, most, cell);
    fputs(space ? " " : "", out);
    for (size_t i = 0; i <= longest; i++)
        fputc('`', out);
}

void tl_put_plain(FILE *out, const char *text, size_t len)
{
    const char *end = text + strnlen(text, len);

    while (text < end) {
        const char *run = text;
        uint32_t c;

        while (text < end && *text >= ' ' && *text < 0x7f) /* mostly all of it */
            text++;
        if (text > run)
            (void)fwrite(run, 1, (size_t)(text - run), out);
        if (text == end)
            return;
        c = tl_utf8_next(&text, end);
        tl_utf8_put(out, c >= ' ' && c != TL_UTF8_BAD && tl_utf8_shows(c) ? c : '?');
    }
}

void tl_put_plain_text(FILE *out, const char *text)
{
    bool cut;
    size_t len = tl_text_shown(text, &cut);

    tl_put_plain(out, text, len);
    if (cut)
        fprintf(out, " ... (%zu bytes in all)", strlen(text));
}
