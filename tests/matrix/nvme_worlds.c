/* SPDX-License-Identifier: Apache-2.0
 * nvme_worlds.c - which fault of NVMe worlds of random programs of commands bring to light, and
 * how soon.
 *
 * nvme_worlds [FAULT ...]: a line for each fault (all faults of NVMe): its name, how often it
 * acted, how many worlds there were until a rule told it, whether that fails or warns, and the
 * rule with its requirement. A failure that the world without the fault shows, too, does not
 * count. A fault that worlds cannot show has its reason instead.
 *
 * Exit status: 0, 1 a fault was missed, or told though there is a reason why it cannot be, 2
 * no such fault, or out of memory. */
#include "tests/world/world_kills.h"
#include "tests/world/world_trials.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    WORLDS = 200,
    HIDDEN_WORLDS = 8,
    MORE = 8, /* worlds after the first that warns: one may fail */
    THOUSAND = 1000
};

/* Worlds cannot show these faults, for the reason given. */
static const struct {
    const char *fault, *why;
} hidden[] = {
    {"nvme-ordered-accepted", "no world opens a connection that has to be refused"},
    {"nvme-mtu-unchecked", "no world opens a connection that has to be refused"},
    {"nvme-waits-for-order", "a path of a world that loses nothing keeps the order, too"},
    {"read-response-not-acked",
     "the attempts of the tester run out, and a Resync ends what rule NV15 would judge"},
};

static const char *reason(const char *fault)
{
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (strcmp(hidden[i].fault, fault) == 0)
            return hidden[i].why;
    return NULL;
}

/* The worlds, and the rule that told a fault. */
struct told {
    uint64_t acts, worlds;
    enum fal_verdict verdict; /* PASS: it was not; WARN or FAIL */
    struct world_kill by;
};

/* Plays worlds until one fails, or, a while after one that warns; `most` of them. False: out of
 * memory. */
static bool play(enum fal_fault_id id, uint64_t most, struct told *told)
{
    static const struct world_view by_tester = {FAL_VANTAGE_TESTER, false};
    struct fal_fault_set set = {0};

    *told = (struct told){.verdict = FAL_VERDICT_PASS};
    fal_fault_add(&set, id);
    for (uint64_t n = 1; n <= most && told->verdict < FAL_VERDICT_FAIL; n++) {
        enum fal_verdict verdict = FAL_VERDICT_PASS;
        struct world_outcome outcome;
        bool better;

        if (world_kills((uint64_t)WORLD_NVME * THOUSAND + n, &set, &by_tester, &outcome) != 0)
            return false;
        told->acts += outcome.acts[id];
        if (outcome.num_kills > 0)
            verdict = outcome.sut >= FAL_VERDICT_FAIL ? FAL_VERDICT_FAIL : FAL_VERDICT_WARN;
        better = verdict > told->verdict;
        if (better && told->verdict == FAL_VERDICT_PASS && n + MORE < most)
            most = n + MORE;
        if (better) {
            told->verdict = verdict;
            told->by = outcome.kills[0];
        }
        if (better || told->verdict == FAL_VERDICT_PASS)
            told->worlds = n;
    }
    return true;
}

/* Returns whether no fault is missed, and none is told unexpectedly; -1: out of memory. */
static int look(enum fal_fault_id id, const char *name)
{
    const char *why = reason(name);
    struct told told;

    if (!play(id, why != NULL ? HIDDEN_WORLDS : WORLDS, &told))
        return -1;
    printf("%-26s %6" PRIu64 " acts %3" PRIu64 " worlds ", name, told.acts, told.worlds);
    if (told.verdict > FAL_VERDICT_PASS)
        printf("%s %s %s\n", fal_verdict_name(told.verdict), told.by.rule, told.by.requirement);
    else
        printf("not told: %s\n", why != NULL ? why : "no rule saw it");
    return (told.verdict > FAL_VERDICT_PASS) == (why == NULL);
}

int main(int argc, char **argv)
{
    size_t n;
    const struct fal_fault *faults = fal_faults(&n);
    int status = 0;

    for (int i = 1; i < argc; i++)
        if (fal_fault_find(argv[i]) < FAL_FAULT_NVME_FIRST) {
            fprintf(stderr, "nvme_worlds: no fault of NVMe is named %s\n", argv[i]);
            return 2;
        }
    for (size_t id = FAL_FAULT_NVME_FIRST; id < n; id++) {
        bool wanted = argc == 1;
        int right;

        for (int i = 1; i < argc; i++)
            wanted = wanted || strcmp(argv[i], faults[id].name) == 0;
        if (!wanted)
            continue;
        right = look((enum fal_fault_id)id, faults[id].name);
        if (right < 0)
            return 2;
        if (right == 0)
            status = 1;
        (void)fflush(stdout);
    }
    return status;
}
