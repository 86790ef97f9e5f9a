/* SPDX-License-Identifier: Apache-2.0
 * nv4_blocks_are_translated.c - rule NV4: a request goes to the target, and to the blocks, that
 * the tables of the initiator name. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv4 = {
    .id = "NV4",
    .title = "blocks of a virtual namespace are translated by its tables",
    .requirements = FAL_IDS("NVME-6.6-02", "NVME-6.6.1-05", "NVME-6.6.2-01", "NVME-6.6.2-04",
                            "NVME-6.6.2-05", "NVME-6.6.2-06", "NVME-6.6.2-07", "NVME-6.6.2-08",
                            "NVME-6.6.2-09", "NVME-6.6.2-10", "NVME-6.6.2-11", "NVME-6.6.2-12",
                            "NVME-6.6.2-14", "NVME-8.3-03", "NVME-8.3-04", "NVME-8.3-05",
                            "NVME-8.3-15", "NVME-8.5-02", "NVME-8.5-03", "NVME-8.5-13"),
    .role = "initiator",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a request whose target SLBA, target NSID, target SQID or connection is not "
        "what the NSID table and the LBA translation table give for the first block of its "
        "part. The judge computes both with the shifts of the namespace. A row that changes "
        "while the command is under way may be taken as it was, or as it is. The requirement "
        "that is named is the step of the computation whose omission gives what was seen.",
};

static struct fal_nvme_diff same(void)
{
    return (struct fal_nvme_diff){0};
}

static uint64_t swapped(uint64_t words)
{
    return words << 32 | words >> 32;
}

/* The step of the computation that explains another block. */
static const char *step_of(const struct fal_nplan *plan, const struct fal_nwant *want,
                           const struct fal_nvme *head)
{
    const struct fal_map *map = &plan->space.map;
    unsigned stripe = map->stripe + 18 - map->block, chunk = map->chunk + 30 - map->block;
    uint64_t differ = head->slba ^ want->slba;
    struct fal_map flat = *map;

    if (head->slba == want->first)
        return "NVME-6.6-02"; /* not translated */
    flat.group = 0;
    if (head->slba == fal_map_target(&flat, want->row.chunk, want->first))
        return "NVME-6.6.1-05"; /* without striping */
    if (differ >> chunk == 0 && (differ & ((UINT64_C(1) << stripe) - 1)) == 0)
        return "NVME-6.6.2-10"; /* the stripe alone */
    if ((differ & ((UINT64_C(1) << chunk) - 1)) == 0)
        return "NVME-6.6.2-04"; /* the chunk alone */
    return "NVME-6.6.2-14";
}

static struct fal_nvme_diff compare_slba(const struct fal_nvme_seen *n,
                                         const struct fal_nplan *plan,
                                         const struct fal_nwant *want)
{
    const struct fal_nvme *head = n->head;
    bool write = n->cmd->word.op == FAL_NVME_WRITE;
    uint64_t unit = (uint64_t)FAL_NCMD_BYTES >> plan->space.map.block;
    const char *requirement;

    if (head->slba == want->slba)
        return same();
    if (head->slba == swapped(want->slba))
        requirement = write ? "NVME-8.5-03" : "NVME-8.3-04"; /* AMB-N04 */
    else if (head->ncnt_offset > 0 && head->slba == want->slba + head->ncnt_offset * unit)
        requirement = write ? "NVME-8.5-03" : "NVME-8.3-05"; /* of the nCMD */
    else
        requirement = step_of(plan, want, head);
    return fal_nvme_differs(requirement, "slba", want->slba, head->slba);
}

static struct fal_nvme_diff compare(const struct fal_nvme_seen *n, const struct fal_nplan *plan,
                                    const struct fal_nwant *want)
{
    const struct fal_nvme *head = n->head;
    bool write = n->cmd->word.op == FAL_NVME_WRITE;
    bool sqid = head->target_sqid == want->row.sqid;
    bool nsid = head->target_nsid == (uint16_t)want->row.target_nsid;

    if (!want->row_known || !want->row.valid) /* for NV20 */
        return same();
    if (!sqid && !nsid) /* nothing is of the row that is due */
        return fal_nvme_differs(
            want->row_index != plan->space.map.start && plan->space.map.start > 0
                ? "NVME-6.6.2-11"
                : "NVME-6.6.2-12",
            "target_nsid", (uint16_t)want->row.target_nsid, head->target_nsid);
    if (!nsid)
        return fal_nvme_differs(write ? "NVME-8.5-02" : "NVME-8.3-03", "target_nsid",
                                (uint16_t)want->row.target_nsid, head->target_nsid);
    if (!sqid)
        return fal_nvme_differs(write ? "NVME-8.5-13" : "NVME-8.3-15", "target_sqid",
                                want->row.sqid, head->target_sqid);
    return compare_slba(n, plan, want);
}

/* Whether the request is on a connection that a state of the tables names. */
static bool right_connection(const struct fal_ctx *c, const struct fal_nvme_seen *n,
                             uint32_t *due)
{
    bool right = false, known = false;

    for (unsigned state = 0; state < FAL_NPLANS; state++) {
        struct fal_nplan plan;
        const struct fal_nwant *want;

        if (!fal_blocks_plan(c->bench->blocks, n->cmd, state, &plan))
            continue;
        want = fal_nplan_want(&plan, n->head, n->half);
        if (want == NULL || !want->row_known || want->row.conn == 0)
            return true;
        known = true;
        *due = want->row.conn;
        right = right || want->row.conn == c->conn;
    }
    return right || !known;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_request(c, q);
    uint32_t due = 0;

    if (n == NULL || n->cmd == NULL)
        return;
    if (right_connection(c, n, &due))
        fal_nvme_judge_request(c, q, compare);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = "NVME-6.6.2-05",
                                       .cause = {&n->cmd->asked},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "the connection that the row names, number %u", (unsigned)due);
}

const struct fal_rule_impl fal_rule_nv4 = {
    .about = &fal_about_nv4,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
};
