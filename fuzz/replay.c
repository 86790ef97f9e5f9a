/* SPDX-License-Identifier: Apache-2.0
 * replay.c FILE|DIRECTORY...: runs a fuzz target over saved inputs, without a fuzzer: for
 * findings, and for debuggers. Names each file before it is run; ends 0 when all were. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 20 };

static size_t total;

static int run_file(const char *path)
{
    uint8_t *bytes = malloc(INPUT_MAX), *exact = NULL;
    FILE *file = fopen(path, "rb");
    size_t len;

    if (file == NULL || bytes == NULL) {
        fprintf(stderr, "replay: %s: cannot be read\n", path);
        free(bytes);
        if (file != NULL)
            (void)fclose(file);
        return 1;
    }
    len = fread(bytes, 1, INPUT_MAX, file);
    (void)fclose(file);
    exact = malloc(len > 0 ? len : 1);
    if (exact != NULL) {
        memcpy(exact, bytes, len);
        fprintf(stderr, "%s\n", path);
        (void)LLVMFuzzerTestOneInput(exact, len);
        total++;
    }
    free(exact);
    free(bytes);
    return 0;
}

static int run_path(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    char name[4096];
    int status = 0;

    if (directory == NULL)
        return run_file(path);
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        status |= run_file(name);
    }
    (void)closedir(directory);
    return status;
}

int main(int argc, char **argv)
{
    int status = 0;

    for (int i = 1; i < argc; i++)
        status |= run_path(argv[i]);
    printf("%zu inputs run\n", total);
    return status;
}
