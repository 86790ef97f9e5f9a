/* SPDX-License-Identifier: Apache-2.0
 * wrap.h - lines of a console: at most 100 columns. */
#ifndef TL_REPORTS_FORMATS_WRAP_H
#define TL_REPORTS_FORMATS_WRAP_H

#include <stddef.h>
#include <stdio.h>

enum { TL_CONSOLE_WIDTH = 100 };

/* Where the words of a paragraph stand: the label behind `indent` blanks, the text from
 * `column` on (or one blank behind a longer label). A line that goes on ends with `more` (" \\"
 * for a shell), or with nothing where it is NULL. */
struct tl_paragraph {
    size_t indent, column;
    const char *label;
    const char *more;
};

/* Writes the text in lines of at most 100 columns. A word that fits in no line is cut. The text
 * may come from a SUT: what a terminal must not get is replaced. */
void tl_put_paragraph(FILE *out, const struct tl_paragraph *how, const char *text);

#endif
