/* SPDX-License-Identifier: Apache-2.0
 * files.c - main() of a program that runs saved inputs through LLVMFuzzerTestOneInput, files or
 * directories of them: PROGRAM [--names] FILE|DIRECTORY... For who has no fuzzer at hand. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 20 };

static int run_file(const char *path, size_t *total)
{
    uint8_t *bytes = malloc(INPUT_MAX), *exact = NULL;
    FILE *file = fopen(path, "rb");
    size_t len = 0;

    if (file != NULL && bytes != NULL) {
        len = fread(bytes, 1, INPUT_MAX, file);
        exact = malloc(len > 0 ? len : 1); /* so that reading beyond is seen */
    }
    if (file != NULL)
        (void)fclose(file);
    if (exact != NULL) {
        memcpy(exact, bytes, len);
        (void)LLVMFuzzerTestOneInput(exact, len);
        (*total)++;
    } else {
        fprintf(stderr, "%s: cannot be read\n", path);
    }
    free(bytes);
    free(exact);
    return exact == NULL;
}

static int run_path(const char *path, int names, size_t *total)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    char name[4096];
    int status = 0;

    if (directory == NULL) {
        if (names)
            fprintf(stderr, "%s\n", path);
        return run_file(path, total);
    }
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (names)
            fprintf(stderr, "%s\n", name);
        status |= run_file(name, total);
    }
    (void)closedir(directory);
    return status;
}

int main(int argc, char **argv)
{
    int names = argc > 1 && strcmp(argv[1], "--names") == 0, status = 0;
    size_t total = 0;

    for (int i = 1 + names; i < argc; i++)
        status |= run_path(argv[i], names, &total);
    printf("%zu inputs run\n", total);
    return status;
}
