/* SPDX-License-Identifier: Apache-2.0
 * v10_answers_in_their_place.c - rule V10: what the tester answered to READs lies in the memory
 * of the SUT where the STETH says, in whatever order it came. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/memory/placed.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v10 = {
    .id = "V10",
    .title = "answers to READs lie where their STETH says",
    .requirements = FAL_IDS("RDMA-6.7-15"),
    .role = "initiator",
    .needs = "posts, memory",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by the hash of a range, asked for after READs to it completed without error, "
        "that is not what was filled with the data of the answers at the addresses of their "
        "STETHs. Not judged: bytes that nobody filled or wrote, READs that have not completed, and "
        "answers that overlap.",
};

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    struct fal_at at = fal_at_event(said->event);
    struct fal_placed placed;
    enum fal_placing placing;
    char seen[80];

    if (!c->track->verbs || !fal_placed_asked(said))
        return;
    placing = fal_placed(c, said, &placed);
    if (placing == FAL_PLACING_OTHER || placed.last == NULL ||
        placed.last->kind != FAL_WRITTEN_ANSWER)
        return;
    if (placing == FAL_PLACING_UNKNOWN) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    if (placed.hash == said->told->hash) {
        fal_holds(c);
        return;
    }
    (void)snprintf(seen, sizeof seen, "the hash 0x%016" PRIx64, said->told->hash);
    fal_broken(c,
               &(struct fal_blame){.requirement = "RDMA-6.7-15",
                                   .cause = {&placed.last->sent},
                                   .effect = &at,
                                   .seen = seen},
               "the hash 0x%016" PRIx64 " of bytes %" PRIu64 " to %" PRIu64
               " of region %s, with the data of the answers",
               placed.hash, said->asked->offset, said->asked->offset + said->asked->length,
               said->asked->mr);
}

const struct fal_rule_impl fal_rule_v10 = {
    .about = &fal_about_v10,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .verbs = verbs,
};
