/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/saved_results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The folder that a file lies in, where a run left its evidence there. */
static char *evidence_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    char *manifest = NULL;

    if (folder == NULL || asprintf(&manifest, "%s/manifest.sha256", folder) < 0)
        manifest = NULL;
    if (manifest == NULL || access(manifest, R_OK) != 0) {
        free(folder);
        folder = NULL;
    }
    free(manifest);
    return folder;
}

/* Standard input cannot be read twice, a copy can. */
static FILE *copy_of_input(void)
{
    FILE *out = tmpfile();
    char block[1 << 14];
    size_t n;

    while (out != NULL && (n = fread(block, 1, sizeof block, stdin)) > 0)
        if (fwrite(block, 1, n, out) != n)
            break;
    if (out != NULL && (ferror(stdin) || ferror(out) || fseek(out, 0, SEEK_SET) != 0)) {
        (void)fclose(out);
        out = NULL;
    }
    return out;
}

int tl_saved_open(struct tl_saved *saved, const char *path, struct fal_error *err)
{
    int rc;

    *saved = (struct tl_saved){.file = NULL};
    if (is_folder(path)) {
        saved->evidence = strdup(path);
        if (asprintf(&saved->path, "%s/results.json", path) < 0)
            saved->path = NULL;
    } else if (strcmp(path, "-") == 0) {
        saved->path = strdup("standard input");
    } else {
        saved->path = strdup(path);
        saved->evidence = evidence_beside(path);
    }
    if (saved->path == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    saved->in = strcmp(path, "-") == 0 ? copy_of_input() : fopen(saved->path, "re");
    if (saved->in == NULL)
        return fal_fail(err, FAL_ERR_IO, "%.200s: %s", saved->path,
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    (void)setvbuf(saved->in, NULL, _IOFBF, 1 << 16);
    rc = tl_results_open(saved->in, saved->path, &saved->file, err);
    if (rc == 0)
        saved->results = tl_results_of(saved->file);
    return rc;
}

void tl_saved_close(struct tl_saved *saved)
{
    tl_results_close(saved->file);
    if (saved->in != NULL)
        (void)fclose(saved->in);
    free(saved->path);
    free(saved->evidence);
    *saved = (struct tl_saved){.file = NULL};
}
