/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/field/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The ending of the last part of a path, with its point; "" if there is none. */
static const char *ending(const char *path)
{
    const char *slash = strrchr(path, '/'), *point = strrchr(path, '.');

    return point != NULL && (slash == NULL || point > slash) ? point : "";
}

char *tl_whole_begin(const char *path, bool secret, struct fal_error *err)
{
    const char *end = ending(path);
    size_t size = strlen(path) + sizeof ".XXXXXX" + strlen(end);
    struct stat is;
    char *name;
    int fd;

    if (stat(path, &is) == 0 && !S_ISREG(is.st_mode)) {
        (void)fal_fail(err, FAL_ERR_IO, "%s: not a regular file; name a file to write", path);
        return NULL;
    }
    name = malloc(size);
    if (name == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    (void)snprintf(name, size, "%s.XXXXXX%s", path, end);
    fd = mkstemps(name, (int)strlen(end));
    if (fd < 0) {
        (void)fal_fail(err, FAL_ERR_IO, "%s: %s", path, strerror(errno));
        free(name);
        return NULL;
    }
    if (!secret)
        (void)fchmod(fd, 0644); /* mkstemps makes it readable by the owner alone */
    (void)close(fd);
    return name;
}

int tl_whole_end(const char *temporary, const char *path, bool good, struct fal_error *err)
{
    if (good && rename(temporary, path) == 0)
        return 0;
    if (good)
        (void)fal_fail(err, FAL_ERR_IO, "%s: %s", path, strerror(errno));
    (void)unlink(temporary);
    return good ? FAL_ERR_IO : 0;
}

int tl_whole_text(const char *path, const char *text, bool secret, struct fal_error *err)
{
    char *temporary = tl_whole_begin(path, secret, err);
    FILE *file;
    bool good = false;
    int status = FAL_ERR_IO;

    if (temporary == NULL)
        return status;
    file = fopen(temporary, "we");
    if (file != NULL) {
        good = fputs(text, file) >= 0;
        good = fputc('\n', file) >= 0 && good;
        good = fclose(file) == 0 && good;
    }
    if (!good)
        (void)fal_fail(err, FAL_ERR_IO, "%s: %s", path, strerror(errno));
    if (tl_whole_end(temporary, path, good, err) == 0 && good)
        status = 0;
    free(temporary);
    return status;
}
