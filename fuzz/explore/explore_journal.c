/* SPDX-License-Identifier: Apache-2.0
 * explore_journal.c - how far an exploration has come: a line for each sequence that was
 * played, in the order of the sequences. With it an exploration continues where it was stopped,
 * or to a greater depth. The first line says of which exploration it is. */
#include "fuzz/explore/explore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "talon/explore/1"

enum { LINE_LEN = 18, PATH_LEN = 4096, HEADER_MAX = 700 };

static int complain(const char *path, const char *what)
{
    fprintf(stderr, "talon explore: %s: %s\n", path, what);
    return FAL_ERR_IO;
}

static void print_header(const struct explore *e, char *out, size_t cap)
{
    (void)snprintf(out, cap, "%s theme %s actions %016" PRIx64 " pruned %s sut %s%s\n", HEADER,
                   e->theme, explore_world_hash(explore_world(e)),
                   e->o->no_prune ? "no" : "yes", e->o->sut, e->o->again);
}

int explore_journal_open(struct explore *e)
{
    char path[PATH_LEN], header[HEADER_MAX], found[HEADER_MAX];

    if (e->o->dir == NULL)
        return 0;
    (void)snprintf(path, sizeof path, "%s/%s.states", e->o->dir, e->theme);
    print_header(e, header, sizeof header);
    e->journal = fopen(path, "r+");
    if (e->journal == NULL && errno == ENOENT) {
        e->journal = fopen(path, "w+");
        if (e->journal != NULL && fputs(header, e->journal) >= 0 && fflush(e->journal) == 0)
            return 0;
    }
    if (e->journal == NULL)
        return complain(path, strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    if (!e->o->resume)
        return complain(path, "an exploration is there already; continue it with --resume, or "
                              "give another folder");
    if (fgets(found, sizeof found, e->journal) == NULL || strcmp(found, header) != 0)
        return complain(path, "it is of another theme, alphabet, SUT or option; expected the "
                              "options of the exploration that began it, or another folder");
    return 0;
}

bool explore_journal_next(struct explore *e, struct explore_record *out)
{
    char line[LINE_LEN + 1], *end;
    long before = e->journal != NULL ? ftell(e->journal) : -1;

    if (before < 0)
        return false;
    if (fread(line, 1, LINE_LEN, e->journal) != LINE_LEN || line[LINE_LEN - 1] != '\n') {
        /* Nothing more, or a line that was cut off: what follows is written over it. */
        (void)fseek(e->journal, before, SEEK_SET);
        return false;
    }
    line[LINE_LEN] = 0;
    *out = (struct explore_record){.end = line[16]};
    line[16] = 0;
    out->state = strtoull(line, &end, 16);
    return *end == 0;
}

int explore_journal_add(struct explore *e, const struct explore_record *records, uint64_t count)
{
    bool good = true;

    if (e->journal == NULL)
        return 0;
    for (uint64_t i = 0; i < count && good; i++)
        good = fprintf(e->journal, "%016" PRIx64 "%c\n", records[i].state, records[i].end) ==
               LINE_LEN;
    if (good && fflush(e->journal) == 0)
        return 0;
    return complain(e->o->dir, "the states cannot be written");
}
