/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/bench_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT(field) FAL_AT(struct tl_bench_file, field)
static const struct fal_shape word = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = 4000};
static const struct fal_member members[] = {
    {"$schema", &fal_shape_text, .flags = 0},
    {"schema", FAL_ONE_WORD(TL_BENCH_SCHEMA), .flags = FAL_MUST},
    {"sut", &word, FAL_MUST, AT(sut), .doc = "as for talon run --sut"},
    {"control", &word, FAL_NULL, AT(control), .doc = "as for --control"},
    {"ics", &word, FAL_NULL, AT(ics), .doc = "a file, as for --ics"},
    {"ixit", &word, FAL_NULL, AT(ixit), .doc = "a file, as for --ixit"},
    {"waivers", &word, FAL_NULL, AT(waivers), .doc = "a file, as for --waivers"},
    {"profile", &word, FAL_NULL, AT(profile), .doc = "a name or a file, as for --profile"},
};
const struct fal_shape tl_bench_file_shape = {
    .kind = FAL_SHAPE_OBJECT,
    .doc = "A bench: which SUT is tested, how it is reached, and which files describe it. "
           "talon init writes it. Names of files are relative to the folder of this file.",
    FAL_MEMBERS(members)};

int tl_bench_file_load(const char *path, struct tl_bench_file *out, struct fal_error *err)
{
    struct tl_path root = {0};
    int rc;

    *out = (struct tl_bench_file){.sut = NULL};
    rc = tl_doc_open(&out->doc, path, TL_BENCH_SCHEMA, err);
    if (rc == 0)
        rc = tl_doc_shape(&out->doc, &root, out->doc.root, &tl_bench_file_shape, out);
    if (rc != 0)
        tl_bench_file_free(out);
    return rc;
}

void tl_bench_file_free(struct tl_bench_file *file)
{
    tl_doc_close(&file->doc);
    *file = (struct tl_bench_file){.sut = NULL};
}

/* Gives the complete temporary file its name. link() fails where the name is taken, so that a
 * file that appeared in the meantime is not replaced. */
static int put(const char *temporary, const char *path, bool force)
{
    int rc = force ? rename(temporary, path) : link(temporary, path);

    if (rc != 0 || !force) {
        int why = errno;

        (void)unlink(temporary);
        errno = why;
    }
    return rc;
}

static int write_text(const char *text, const char *path, bool force)
{
    char temporary[4096];
    FILE *file;
    int fd, written;

    if ((size_t)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= sizeof temporary) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkstemp(temporary);
    if (fd < 0)
        return -1;
    (void)fchmod(fd, 0644); /* mkstemp makes it readable by the owner alone */
    file = fdopen(fd, "w");
    if (file == NULL) {
        (void)close(fd);
        (void)unlink(temporary);
        return -1;
    }
    written = fprintf(file, "%s\n", text);
    if (fclose(file) != 0 || written < 0) {
        (void)unlink(temporary);
        return -1;
    }
    return put(temporary, path, force);
}

int tl_bench_file_write(const struct tl_bench_file *file, const char *path, bool force,
                        struct fal_error *err)
{
    json_t *object = fal_shape_write(&tl_bench_file_shape, file);
    char *text = object != NULL ? json_dumps(object, JSON_INDENT(2)) : NULL;
    int rc = text != NULL ? write_text(text, path, force) : 0, why = errno;
    bool whole = text != NULL;

    json_decref(object);
    free(text);
    if (!whole)
        return fal_fail(err, FAL_ERR_MEM, "out of memory, or a value that is not UTF-8");
    if (rc != 0 && why == EEXIST)
        return fal_fail(err, FAL_ERR_FORM, "%.200s exists; --force replaces it", path);
    if (rc != 0)
        return fal_fail(err, FAL_ERR_IO, "%.200s: cannot be written: %s", path, strerror(why));
    return 0;
}

int tl_bench_option(void *into, const char *value, struct fal_error *err)
{
    (void)into, (void)value, (void)err;
    return 0;
}
