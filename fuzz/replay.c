/* SPDX-License-Identifier: Apache-2.0
 * replay.c TARGET FILE|DIRECTORY...: runs a target over saved inputs, without a fuzzer: for
 * findings, and for debuggers. Names each file before it is run; ends 0 when all were.
 *
 *   replay --list              the targets, one a line: name, longest input, format, what is
 *                              held
 *   replay --time TARGET ...   no names; how many inputs a second
 *   replay --mutate N[:SEED] TARGET ...   of each file so many mutations too, changes upon
 *                              changes: a blind fuzzer, where there is no other. An input that
 *                              breaks the target is left in replay-TARGET.failing */
#include "fuzz/mutate/mutate.h"
#include "fuzz/targets/targets.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { INPUT_MAX = 1 << 20, CHAIN = 6 /* changes upon each other */ };

#define ROW(target, max, form, text) {#target, max, form, text, fuzz_##target},
static const struct fuzz_target targets[] = {FUZZ_TARGETS(ROW)};

enum { TARGETS = sizeof targets / sizeof *targets };

struct replay {
    const struct fuzz_target *target;
    bool quiet;
    size_t total;
    unsigned long mutations; /* of each input */
    struct mutator *mutator;
    size_t donor_len;
    uint8_t donor[INPUT_MAX]; /* the input before */
};

/* The input at hand, for who must write it down when the process dies. */
static struct {
    char path[64];
    size_t len;
    uint8_t bytes[MUTATE_ROOM];
} at_hand;

static void write_down(void)
{
    int fd = open(at_hand.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return;
    if (write(fd, at_hand.bytes, at_hand.len) == (ssize_t)at_hand.len)
        (void)!write(STDERR_FILENO, "replay: the input is kept\n", 26);
    (void)close(fd);
}

static void dying(int number)
{
    write_down();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* Of the sanitizers' run-time library; absent in plain builds. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void watch_death(const char *target)
{
    (void)snprintf(at_hand.path, sizeof at_hand.path, "replay-%s.failing", target);
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(write_down);
    (void)signal(SIGABRT, dying);
    if (__sanitizer_set_death_callback == NULL)
        (void)signal(SIGSEGV, dying);
}

/* Mutations of an input, each of the one before; now and then from the beginning. */
static void run_mutations(struct replay *replay, const uint8_t *bytes, size_t len)
{
    static uint8_t before[MUTATE_ROOM];
    size_t max = replay->target->max_len < MUTATE_ROOM ? replay->target->max_len : MUTATE_ROOM;

    if (len > max)
        return;
    for (unsigned long i = 0; i < replay->mutations; i++) {
        size_t before_len = i % CHAIN == 0 ? len : at_hand.len;

        memcpy(before, i % CHAIN == 0 ? bytes : at_hand.bytes, before_len);
        at_hand.len =
            mutate(replay->mutator, (struct fal_span){before, before_len},
                   (struct fal_span){replay->donor, replay->donor_len}, at_hand.bytes, max);
        fuzz_run(replay->target, at_hand.bytes, at_hand.len);
        replay->total++;
    }
    memcpy(replay->donor, bytes, len);
    replay->donor_len = len;
}

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
    run_mutations(replay, bytes, len);
    free(bytes);
    return 0;
}

static int run_path(struct replay *replay, const char *path)
{
    struct dirent **entries = NULL;
    int n = scandir(path, &entries, NULL, alphasort), status = 0;
    char name[4096];

    if (n < 0)
        return run_file(replay, path);
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            (void)snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
            status |= run_file(replay, name);
        }
        free(entries[i]);
    }
    free(entries);
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

static int usage(void)
{
    fputs(
        "usage: replay [--time] [--mutate N[:SEED]] TARGET FILE|DIRECTORY... | replay --list\n",
        stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static struct replay replay;
    struct timespec begin, end;
    uint64_t seed = 1;
    char *rest = NULL;
    double seconds;
    int status = 0, at = 1;

    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (at < argc && strcmp(argv[at], "--time") == 0) {
        replay.quiet = true;
        at++;
    }
    if (at + 1 < argc && strcmp(argv[at], "--mutate") == 0) {
        replay.quiet = true;
        replay.mutations = strtoul(argv[at + 1], &rest, 10);
        if (*rest == ':')
            seed = strtoull(rest + 1, NULL, 0);
        at += 2;
    }
    if (at < argc)
        replay.target = find(argv[at++]);
    if (replay.target == NULL)
        return usage();
    replay.mutator = mutator_new(replay.target->format, seed);
    if (replay.mutator == NULL)
        return 1;
    if (replay.mutations > 0)
        watch_death(replay.target->name);
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    for (; at < argc; at++)
        status |= run_path(&replay, argv[at]);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    printf("%zu inputs run", replay.total);
    if (replay.quiet)
        printf(", %.0f a second", (double)replay.total / (seconds > 0 ? seconds : 1));
    printf("\n");
    mutator_free(replay.mutator);
    return status;
}
