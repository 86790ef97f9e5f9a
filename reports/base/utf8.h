/* SPDX-License-Identifier: Apache-2.0
 * utf8.h - texts from a SUT, a capture or a user's file may hold any bytes; documents may not.
 * Every writer takes characters from here, and an invalid sequence becomes U+FFFD. */
#ifndef TL_REPORTS_BASE_UTF8_H
#define TL_REPORTS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    TL_UTF8_BAD = 0xfffd, /* stands for a byte that belongs to no character */
    TL_TEXT_SHOWN = 4000, /* bytes of a text that reports for people show */
};

/* The character at *at, which is moved behind it; before `end`. Overlong forms, surrogates and
 * what lies beyond U+10FFFF are no characters. */
uint32_t tl_utf8_next(const char **at, const char *end);
/* Writes one; up to 4 bytes. */
void tl_utf8_put(FILE *out, uint32_t character);
/* Whether the whole text is valid UTF-8. */
bool tl_utf8_valid(const char *text, size_t len);
/* A copy with U+FFFD for each invalid byte; NULL when out of memory. */
char *tl_utf8_clean(const char *text);

/* Whether a document for people may have it: no control characters but tab and line feed, no
 * directional overrides, which turn a line around, no noncharacters. */
bool tl_utf8_shows(uint32_t character);

/* How much of the text is shown: all, or TL_TEXT_SHOWN bytes to the end of a character. */
size_t tl_text_shown(const char *text, bool *cut);

/* For a terminal: text from a SUT may hold any bytes; control characters and bytes that belong
 * to no character become '?'. */
void tl_put_plain(FILE *out, const char *text, size_t len);
/* The same with a whole text, at most TL_TEXT_SHOWN bytes of it and how many there are. */
void tl_put_plain_text(FILE *out, const char *text);

/* As XML and HTML have it: markup escaped, in texts and in attributes; *cut as above. */
void tl_put_xml(FILE *out, const char *text);
void tl_put_xml_len(FILE *out, const char *text, size_t len);
/* The same, at most TL_TEXT_SHOWN bytes, and how many there are. */
void tl_put_xml_short(FILE *out, const char *text);
/* In Markdown, behind the beginning of a line: every sign that could be markup where it stands
 * as a character reference, on one line. Other signs stay as they are: "a-b=c:d". */
void tl_put_markdown(FILE *out, const char *text, size_t most);
/* The same as a line of a block of code, where nothing is markup. */
void tl_put_markdown_line(FILE *out, const char *text, size_t most);
/* The same as code within a line, in as many backticks as it needs; `cell`: of a table. */
void tl_put_markdown_code(FILE *out, const char *text, size_t most, bool cell);
/* Between the quotes of a JSON string (or a YAML one). */
void tl_put_json_string(FILE *out, const char *text, size_t most);

#endif
