/* SPDX-License-Identifier: Apache-2.0
 * replay.c TARGET FILE|DIRECTORY...: runs a target over saved inputs, without a fuzzer: for
 * findings, and for debuggers. Names each file before it is run; ends 0 when all were.
 *
 *   replay --list            the targets, one a line: name, longest input, format, what is held
 *   replay --time TARGET ... no names; how many inputs a second */
#include "fuzz/targets.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INPUT_MAX = 1 << 20 };

#define ROW(target, max, form, text) {#target, max, form, text, fuzz_##target},
static const struct fuzz_target targets[] = {FUZZ_TARGETS(ROW)};

enum { TARGETS = sizeof targets / sizeof *targets };

struct replay {
    const struct fuzz_target *target;
    bool quiet;
    size_t total;
};

static int run_file(struct replay *replay, const char *path)
{
    uint8_t *bytes = malloc(INPUT_MAX);
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
    if (!replay->quiet)
        fprintf(stderr, "%s\n", path);
    fuzz_run(replay->target, bytes, len);
    replay->total++;
    free(bytes);
    return 0;
}

static int run_path(struct replay *replay, const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    char name[4096];
    int status = 0;

    if (directory == NULL)
        return run_file(replay, path);
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        status |= run_file(replay, name);
    }
    (void)closedir(directory);
    return status;
}

static const struct fuzz_target *find(const char *name)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}

static int list(void)
{
    static const char *const formats[] = {"frame",   "ether",   "packet",
                                          "headers", "records", "bytes"};

    for (size_t i = 0; i < TARGETS; i++)
        printf("%s\t%zu\t%s\t%s\n", targets[i].name, targets[i].max_len,
               formats[targets[i].format], targets[i].doc);
    return 0;
}

int main(int argc, char **argv)
{
    struct replay replay = {0};
    struct timespec begin, end;
    double seconds;
    int status = 0, at = 1;

    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (argc > 1 && strcmp(argv[1], "--time") == 0) {
        replay.quiet = true;
        at++;
    }
    if (at < argc)
        replay.target = find(argv[at++]);
    if (replay.target == NULL) {
        fputs("usage: replay [--time] TARGET FILE|DIRECTORY... | replay --list\n", stderr);
        return 2;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    for (; at < argc; at++)
        status |= run_path(&replay, argv[at]);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    printf("%zu inputs run", replay.total);
    if (replay.quiet)
        printf(", %.0f a second", (double)replay.total / (seconds > 0 ? seconds : 1));
    printf("\n");
    return status;
}
