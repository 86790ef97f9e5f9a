/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/check/report_file.h"

#include "codecs/base/error.h"
#include "reports/base/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int tl_report_spec_read(const char *text, struct tl_report_spec *out, struct fal_error *err)
{
    const char *colon = strchr(text, ':');
    char format[16] = "";

    if (colon != NULL && (size_t)(colon - text) < sizeof format)
        memcpy(format, text, (size_t)(colon - text));
    if (colon == NULL || colon[1] == 0)
        return fal_fail(err, FAL_ERR_FORM, "'%.80s'; expected FORMAT:FILE, FORMAT %s", text,
                        tl_report_formats);
    *out = (struct tl_report_spec){.write = tl_report_find(format)};
    out->file = colon + 1;
    out->stories = out->write == tl_report_html || out->write == tl_report_json;
    if (out->write == NULL)
        return fal_fail(err, FAL_ERR_FORM, "no format '%.*s'; expected %s", (int)(colon - text),
                        text, tl_report_formats);
    return 0;
}

/* The absolute directory of a file; false if there is none. */
static bool directory_of(const char *file, char out[PATH_MAX])
{
    const char *slash = strcmp(file, "-") == 0 ? NULL : strrchr(file, '/');
    char *name = slash == NULL   ? strdup(".")
                 : slash == file ? strdup("/")
                                 : strndup(file, (size_t)(slash - file));
    bool found = name != NULL && realpath(name, out) != NULL;

    free(name);
    return found;
}

/* The way from one directory to another, with a slash at its end where it is not empty. */
static char *way(const char *from, const char *to)
{
    size_t common = 0, ups = 0, i = 0;
    struct tl_memory_file text;

    for (; from[i] == to[i] && from[i] != 0; i++)
        if (from[i] == '/')
            common = i + 1;
    if ((from[i] == 0 || from[i] == '/') && (to[i] == 0 || to[i] == '/'))
        common = i + (from[i] == '/' || to[i] == '/');
    for (size_t k = common; k < strlen(from); k++)
        ups += k == common || from[k] == '/';
    if (tl_memory_open(&text) == 0) {
        for (size_t k = 0; k < ups; k++)
            fputs("../", text.out);
        if (common < strlen(to))
            fprintf(text.out, "%s/", to + common);
    }
    /* The text is NULL then. */
    FAL_IGNORE(tl_memory_close(&text));
    return text.text;
}

FILE *tl_report_open(const struct tl_report_spec *spec, struct fal_error *err)
{
    int fd;
    FILE *out;

    if (strcmp(spec->file, "-") == 0)
        return stdout;
    fd = open(spec->file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out != NULL)
        return out;
    (void)fal_fail(err, FAL_ERR_IO, "%.200s: %s", spec->file,
                   strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    if (fd >= 0)
        (void)close(fd);
    return NULL;
}

int tl_report_write_to(const struct tl_report_spec *spec, FILE *out, enum tl_junit_flavor junit,
                       const char *evidence, const struct tl_results *results,
                       struct fal_error *err)
{
    struct tl_report_options options = {.junit = junit,
                                        .brief = spec->brief,
                                        .stamp = spec->stamp,
                                        .wall_ns = spec->wall_ns,
                                        .changes = spec->changes,
                                        .causes = spec->causes};
    char from[PATH_MAX], to[PATH_MAX];
    char *links = NULL;
    int rc =
        out == stdout || ftruncate(fileno(out), 0) == 0 || errno == EINVAL ? 0 : FAL_ERR_IO;

    if (evidence != NULL && directory_of(spec->file, from) && realpath(evidence, to) != NULL)
        links = way(from, to);
    options.evidence = links;
    if (rc == 0)
        rc = spec->write(out, results, &options);
    if ((out == stdout ? fflush(out) : fclose(out)) != 0 && rc == 0)
        rc = FAL_ERR_IO;
    free(links);
    return rc == 0 ? 0
                   : fal_fail(err, rc, "%.200s: %s", spec->file,
                              rc == FAL_ERR_MEM ? "out of memory" : "cannot be written");
}

int tl_report_write(const struct tl_report_spec *spec, enum tl_junit_flavor junit,
                    const char *evidence, const struct tl_results *results,
                    struct fal_error *err)
{
    FILE *out = tl_report_open(spec, err);

    return out != NULL ? tl_report_write_to(spec, out, junit, evidence, results, err)
                       : FAL_ERR_IO;
}
