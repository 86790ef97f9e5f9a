/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/line_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int grow(struct tl_file_lines *lines, struct fal_error *err)
{
    size_t more = lines->cap == 0 ? 4096 : 2 * lines->cap;
    char *bigger;

    if (more > TL_FILE_LINE_MAX)
        return fal_fail(err, FAL_ERR_FORM, "longer than %d bytes", (int)TL_FILE_LINE_MAX);
    bigger = realloc(lines->line, more);
    if (bigger == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    lines->line = bigger;
    lines->cap = more;
    return 0;
}

int tl_file_line(struct tl_file_lines *lines, struct fal_error *err)
{
    int c;

    lines->len = 0;
    lines->number++;
    while ((c = getc_unlocked(lines->file)) != EOF && c != '\n') {
        if (lines->len == lines->cap) {
            int failed = grow(lines, err);

            if (failed != 0)
                return failed;
        }
        lines->line[lines->len++] = (char)c;
    }
    if (ferror(lines->file))
        return fal_fail(err, FAL_ERR_IO, "%s",
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    return c != EOF || lines->len > 0;
}
