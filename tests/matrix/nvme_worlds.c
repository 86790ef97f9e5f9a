/* SPDX-License-Identifier: Apache-2.0
 * nvme_worlds.c - which fault of NVMe worlds of random programs of commands bring to light, and
 * how soon.
 *
 * nvme_worlds [FAULT ...]: a line for each fault (all faults of NVMe): its name, how often it
 * acted, how many worlds there were until a rule told it, whether that fails or warns, and the
 * rule with its requirement. What the world without the fault shows as well does not count. A
 * fault that worlds cannot show has its reason instead.
 *
 * Exit status: 0, 1 a fault was missed, or told though there is a reason why it cannot be, 2
 * no such fault, or out of memory. */
#include "tests/world/world_kills.h"
#include "tests/world/world_trials.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORLDS = 100, HIDDEN_WORLDS = 8, THOUSAND = 1000 };

/* Of these worlds show nothing, and why. */
static const struct {
    const char *fault, *why;
} hidden[] = {
    {"nvme-ordered-accepted", "no world opens a connection that has to be refused"},
    {"nvme-mtu-unchecked", "no world opens a connection that has to be refused"},
    {"nvme-waits-for-order", "a path of a world that loses nothing keeps the order, too"},
    {"cqe-status-shifted", "no rule knows which status a device gave: scenarios expect it"},
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

/* Whether no fault is missed, and none is told unexpectedly; -1: out of memory. */
static int look(enum fal_fault_id id, const char *name)
{
    static const struct world_view by_tester = {FAL_VANTAGE_TESTER, false};
    const char *why = reason(name);
    struct fal_fault_set set = {0};
    struct world_outcome outcome = {0};
    uint64_t acts = 0, worlds = 0, number = (uint64_t)WORLD_NVME * THOUSAND;

    fal_fault_add(&set, id);
    while (worlds < (why != NULL ? HIDDEN_WORLDS : WORLDS) && outcome.num_kills == 0) {
        if (world_kills(number + ++worlds, &set, &by_tester, &outcome) != 0)
            return -1;
        acts += outcome.acts[id];
    }
    printf("%-26s %6" PRIu64 " acts %3" PRIu64 " worlds ", name, acts, worlds);
    if (outcome.num_kills > 0)
        printf("%s %s %s\n", outcome.sut >= FAL_VERDICT_FAIL ? "fail" : "warn",
               outcome.kills[0].rule, outcome.kills[0].requirement);
    else
        printf("not told: %s\n", why != NULL ? why : "no rule saw it");
    return (outcome.num_kills > 0) == (why == NULL);
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
