/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/formats/wrap.h"

#include "reports/base/utf8.h"

#include <stdbool.h>
#include <string.h>

/* Columns of a text; each byte counts, so that a line is rather too short than too long. */
static size_t word_len(const char *text, const char *end)
{
    size_t len = strcspn(text, " ");

    return len < (size_t)(end - text) ? len : (size_t)(end - text);
}

void tl_put_paragraph(FILE *out, const struct tl_paragraph *how, const char *text)
{
    const char *end = text + tl_text_shown(text, &(bool){false});
    const char *more = how->more != NULL ? how->more : "";
    size_t at = how->indent + strlen(how->label);
    size_t column = how->column > at || how->label[0] == 0 ? how->column : at + 1;
    size_t width = TL_CONSOLE_WIDTH - strlen(more);

    fprintf(out, "%*s", (int)how->indent, "");
    tl_put_plain_text(out, how->label);
    fprintf(out, "%*s", column > at ? (int)(column - at) : 0, "");
    at = column;
    for (bool first = true; text < end; first = false) {
        size_t len;

        text += strspn(text, " ");
        if (text >= end)
            break;
        len = word_len(text, end);
        if (!first && at + 1 + len > width) {
            fprintf(out, "%s\n%*s", more, (int)how->column, "");
            at = how->column;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        if (at + len > width)
            len = width - at;
        tl_put_plain(out, text, len);
        at += len;
        text += len;
    }
    fputc('\n', out);
}
