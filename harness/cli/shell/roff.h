/* SPDX-License-Identifier: Apache-2.0
 * roff.h - text for man pages: escapes what groff and mandoc would read as a request. */
#ifndef TL_HARNESS_CLI_SHELL_ROFF_H
#define TL_HARNESS_CLI_SHELL_ROFF_H

#include <stddef.h>
#include <stdio.h>

/* Writes the first `len` bytes of `text`, in UTF-8. A newline in it begins a line. `start`
 * tells that the output is at the beginning of a line. */
void tl_roff(FILE *out, const char *text, size_t len, int start);

/* Writes the heading of a page: name ("talon-run"), section, and what it is, in one line. */
void tl_roff_head(FILE *out, const char *name, int section, const char *what);

/* Writes a paragraph with `code` in bold: spans between backquotes, **bold**, *italic*, and
 * links [text](target), of which the text remains. The output is at the beginning of a line,
 * and is again afterwards. */
void tl_roff_paragraph(FILE *out, const char *text, size_t len);

#endif
