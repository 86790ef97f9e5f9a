/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/base/memory_file.h"

#include "codecs/base/error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static ssize_t take(void *cookie, const char *bytes, size_t len)
{
    struct tl_memory_file *file = cookie;

    if (file->cap - file->len <= len) { /* a NUL has room, too */
        size_t cap = (file->len + len + 64) * 2;
        char *grown = realloc(file->text, cap);

        if (grown == NULL) {
            file->failed = true;
            return 0;
        }
        file->text = grown;
        file->cap = cap;
    }
    memcpy(file->text + file->len, bytes, len);
    file->len += len;
    return (ssize_t)len;
}

int tl_memory_open(struct tl_memory_file *file)
{
    static const cookie_io_functions_t functions = {.write = take};

    *file = (struct tl_memory_file){.out = NULL};
    file->out = fopencookie(file, "w", functions);
    return file->out != NULL ? 0 : FAL_ERR_MEM;
}

int tl_memory_close(struct tl_memory_file *file)
{
    bool closed = file->out != NULL && fclose(file->out) == 0;

    file->out = NULL;
    if (closed && !file->failed && file->text == NULL)
        file->text = malloc(1); /* nothing was written */
    if (closed && !file->failed && file->text != NULL) {
        file->text[file->len] = 0;
        return 0;
    }
    free(file->text);
    file->text = NULL;
    return FAL_ERR_MEM;
}
