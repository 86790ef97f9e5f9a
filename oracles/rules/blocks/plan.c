/* SPDX-License-Identifier: Apache-2.0
 * plan.c - what a command of the host has to become on the wire, by the tables that were given
 * (NVME 6.6), and which command explains a request. */
#include "oracles/rules/blocks/blocks_impl.h"

enum { LOOK_BACK = 1024 }; /* so many commands may be open */

/* The state of a row that may be in force: number 0 is the newest; one before it counts while
 * the change may have come after the command. */
static const struct fal_nrow *row_state(const struct fal_nrows *rows,
                                        const struct fal_hcmd *cmd, unsigned state)
{
    if (rows == NULL || rows->num == 0)
        return NULL;
    if (state == 0)
        return &rows->state[0];
    return rows->num > 1 &&
                   (rows->state[0].known == 0 || rows->state[0].known > cmd->asked.index)
               ? &rows->state[1]
               : NULL;
}

static const struct fal_nspace *space_state(const struct fal_nspaces *spaces,
                                            const struct fal_hcmd *cmd, unsigned state)
{
    if (spaces == NULL || spaces->num == 0)
        return NULL;
    if (state == 0)
        return &spaces->state[0];
    return spaces->num > 1 &&
                   (spaces->state[0].known == 0 || spaces->state[0].known > cmd->asked.index)
               ? &spaces->state[1]
               : NULL;
}

static unsigned units(const struct fal_nspace *space, uint32_t blocks)
{
    uint64_t bytes = (uint64_t)blocks << space->map.block;

    return (unsigned)((bytes + FAL_NCMD_BYTES - 1) / FAL_NCMD_BYTES);
}

/* Translates one part. False: the older state of its row cannot be in force. */
static bool translate(const struct fal_blocks *b, const struct fal_hcmd *cmd, unsigned state,
                      const struct fal_nspace *space, struct fal_nwant *want)
{
    const struct fal_nrows *rows;
    const struct fal_nrow *row;

    want->row_index = fal_map_row(&space->map, want->first);
    rows = fal_rows_of(b, want->row_index);
    row = row_state(rows, cmd, state);
    want->row_known = row != NULL;
    want->ncmds = units(space, want->blocks);
    if (row == NULL)
        return state == 0;
    want->row = *row;
    want->slba = fal_map_target(&space->map, row->chunk, want->first);
    return true;
}

bool fal_blocks_plan(const struct fal_blocks *b, const struct fal_hcmd *cmd, unsigned state,
                     struct fal_nplan *out)
{
    unsigned of_row = state & 1, of_space = state >> 1;
    const struct fal_nspace *space =
        space_state(fal_spaces_of(b, cmd->word.nsid), cmd, of_space);
    struct fal_map_part parts[2];
    bool older = false;

    *out = (struct fal_nplan){0};
    if (space == NULL || !fal_map_valid(&space->map))
        return false;
    out->space = *space;
    out->parts = fal_map_split(&space->map, cmd->word.slba, cmd->word.nlb0, parts, &out->free);
    for (unsigned i = 0; i < out->parts; i++) {
        struct fal_nwant *want = &out->part[i];

        want->first = parts[i].first;
        want->blocks = parts[i].blocks;
        want->before = i > 0 ? parts[0].blocks : 0;
        want->split = out->parts > 1;
        want->half = i;
        if (translate(b, cmd, of_row, space, want))
            older = true;
        else
            (void)translate(b, cmd, 0, space, want);
    }
    for (unsigned i = 0; i < out->parts; i++)
        out->part[i].ncmds_all = out->part[0].ncmds + (out->parts > 1 ? out->part[1].ncmds : 0);
    if (out->free) {
        out->whole = out->part[0];
        out->whole.blocks = cmd->word.nlb0 + 1;
        out->whole.ncmds = out->whole.ncmds_all = units(space, out->whole.blocks);
        out->whole.split = false;
    }
    return of_row == 0 || older;
}

const struct fal_nwant *fal_nplan_want(const struct fal_nplan *plan,
                                       const struct fal_nvme *head, unsigned half)
{
    if (plan->parts == 0)
        return NULL;
    if (plan->free && head->s == 0 && half == 0)
        return &plan->whole;
    return &plan->part[half < plan->parts ? half : 0];
}

/* ---- which command explains a request ---- */

/* How much of a header is as the command wants it for one of its parts; 0: it is none of it. */
static unsigned likeness(const struct fal_hcmd *cmd, const struct fal_nplan *plan,
                         unsigned half, const struct fal_nvme *head, uint32_t conn)
{
    const struct fal_nwant *want = fal_nplan_want(plan, head, half);
    bool write = head->packet_type == FAL_NVME_WRITE_REQUEST;
    unsigned like = 1;

    if (want == NULL)
        return 0;
    like += head->initiator_nsid == (uint16_t)cmd->word.nsid;
    like += want->row_known ? 4U * (head->slba == want->slba) : 0;
    like += 2U * (head->nlb == (uint16_t)(want->blocks - 1));
    like += 2U * ((head->s != 0) == want->split) +
            2U * (!want->split || (head->ng != 0) == (half == 1));
    like += want->row_known && want->row.conn == conn;
    like += want->row_known && want->row.target_nsid == head->target_nsid;
    like +=
        head->fua == cmd->word.fua && head->lr == cmd->word.lr && head->dsm == cmd->word.dsm;
    like += !write || (head->dtype == cmd->word.dtype && head->dspec == cmd->word.dspec);
    return like;
}

/* Of the best state of the tables. */
static unsigned best_likeness(const struct fal_blocks *b, const struct fal_hcmd *cmd,
                              unsigned half, const struct fal_nvme *head, uint32_t conn)
{
    struct fal_nplan plan;
    unsigned best = 0;

    for (unsigned state = 0; state < FAL_NPLANS; state++) {
        unsigned like;

        if (!fal_blocks_plan(b, cmd, state, &plan) || (half > 0 && plan.parts < 2))
            continue;
        like = likeness(cmd, &plan, half, head, conn);
        best = like > best ? like : best;
    }
    return best;
}

struct fal_hcmd *fal_plan_explain(struct fal_blocks *b, const struct fal_nvme_seen *n,
                                  uint32_t conn, unsigned *half)
{
    const struct fal_nvme *head = n->head;
    bool write = head->packet_type == FAL_NVME_WRITE_REQUEST;
    struct fal_hcmd *found = NULL;
    unsigned best = 0;

    for (size_t i = b->posts.num < LOOK_BACK ? 0 : b->posts.num - LOOK_BACK; i < b->posts.num;
         i++) {
        struct fal_hcmd *cmd = fal_nlist_at(&b->posts, i);

        if (cmd->refused || fal_hcmd_over(cmd) || cmd->vague ||
            (cmd->word.op == FAL_NVME_WRITE) != write || cmd->asked.index > n->sent_before)
            continue;
        for (unsigned h = 0; h < 2; h++) {
            unsigned like = cmd->part[h] == NULL ? best_likeness(b, cmd, h, head, conn) : 0;

            if (like > best) {
                best = like;
                found = cmd;
                *half = h;
            }
        }
    }
    return found;
}

bool fal_plan_exact(const struct fal_blocks *b, const struct fal_hcmd *cmd, unsigned half,
                    const struct fal_nvme *head)
{
    for (unsigned state = 0; state < FAL_NPLANS; state++) {
        struct fal_nplan plan;
        const struct fal_nwant *want;

        if (!fal_blocks_plan(b, cmd, state, &plan))
            continue;
        want = fal_nplan_want(&plan, head, half);
        if (want != NULL && want->row_known && want->slba == head->slba &&
            want->blocks - 1 == head->nlb)
            return true;
    }
    return false;
}
