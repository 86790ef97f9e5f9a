/* SPDX-License-Identifier: Apache-2.0
 * make_corpus.c - the first inputs of a target, and its dictionary:
 *
 *   make_corpus TARGET DIRECTORY COUNT SEED [EVIDENCE]
 *   make_corpus --dictionary TARGET [EVIDENCE]
 *
 * TARGET is a target, or "ether" or "packet": Ethernet frames, Falcon packets, as allowed
 * senders make them, for the parsers of others. COUNT inputs from samples and as many from
 * EVIDENCE, which a run of the suite has left (talon run --keep all --out EVIDENCE). The same
 * arguments give the same files. */
#include "fuzz/seeds/seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUZZ_PLAIN_MAX = 16384 };

#define MAX_OF(name, max, ...)      \
    if (strcmp(target, #name) == 0) \
        return max;

static size_t max_len(const char *target)
{
    FUZZ_TARGETS(MAX_OF)
    return strcmp(target, "ether") == 0 || strcmp(target, "packet") == 0 ? FUZZ_PLAIN_MAX : 0;
}

bool seeds_write(struct seeds *seeds, const void *bytes, size_t len)
{
    char path[4096];
    FILE *file;
    size_t written;

    if (!seeds_wanted(seeds))
        return false;
    if (len > seeds->max_len)
        return true;
    (void)snprintf(path, sizeof path, "%s/%s-%04zu", seeds->directory, seeds->target,
                   seeds->written++);
    file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
        seeds->failed = true;
        return false;
    }
    written = fwrite(bytes, 1, len, file);
    if (fclose(file) != 0 || written != len) {
        perror(path);
        seeds->failed = true;
    }
    return !seeds->failed;
}

int main(int argc, char **argv)
{
    struct seeds seeds = {0};
    bool any;

    if (argc >= 3 && strcmp(argv[1], "--dictionary") == 0 && max_len(argv[2]) > 0) {
        seeds_dictionary(argv[2], argc > 3 ? argv[3] : NULL);
        return 0;
    }
    if (argc >= 5) {
        seeds = (struct seeds){.target = argv[1],
                               .directory = argv[2],
                               .max_len = max_len(argv[1]),
                               .count = strtoul(argv[3], NULL, 10),
                               .seed = strtoull(argv[4], NULL, 0)};
    }
    if (seeds.max_len == 0 || seeds.count == 0) {
        fputs("usage: make_corpus TARGET DIRECTORY COUNT SEED [EVIDENCE]\n"
              "       make_corpus --dictionary TARGET [EVIDENCE]\n",
              stderr);
        return 2;
    }
    any = seeds_samples(&seeds);
    if (argc > 5) {
        seeds.count += seeds.written;
        any |= seeds_suite(&seeds, argv[5]);
    }
    if (!any && !seeds.failed)
        (void)seeds_write(&seeds, "0", 1); /* fuzzers want something to begin with */
    return seeds.failed ? 1 : 0;
}
