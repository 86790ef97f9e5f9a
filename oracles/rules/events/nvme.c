/* SPDX-License-Identifier: Apache-2.0
 * nvme.c - words of NVMe: which connections hear of them. */
#include "oracles/rules/events/events.h"
#include "oracles/rules/judge/ask.h"

#include <string.h>

/* The number of an open connection of that name; 0: none. */
static uint32_t number_of(const struct fal_judge *judge, const char *name)
{
    for (size_t i = judge->conns.num; name[0] != 0 && i-- > 0;) {
        struct fal_conn *conn = judge->conns.list[i];

        if (conn->open && conn->live != NULL && strcmp(conn->live->track.setup.name, name) == 0)
            return conn->number;
    }
    return 0;
}

/* The connection on which packets of the command were seen, or are due; 0: none is known. */
static uint32_t conn_of_cmd(const struct fal_blocks *blocks, const struct fal_hcmd *cmd)
{
    struct fal_nplan plan;

    for (unsigned half = 0; half < 2; half++)
        if (cmd->part[half] != NULL)
            return cmd->part[half]->conn;
    if (!fal_blocks_plan(blocks, cmd, 0, &plan) || plan.parts == 0 || !plan.part[0].row_known)
        return 0;
    return plan.part[0].row.conn;
}

/* The connection that judges a word; 0: any that has packets of NVMe. */
static uint32_t conn_of(const struct fal_blocks *blocks, const struct fal_nsaid *said)
{
    if (said->part != NULL)
        return said->part->conn;
    return said->cmd != NULL ? conn_of_cmd(blocks, said->cmd) : 0;
}

/* An open connection of that number, else one that has packets of NVMe, else any. */
static struct fal_conn *teller(struct fal_judge *judge, uint32_t number)
{
    struct fal_conn *conn = number != 0 ? fal_conns_find(&judge->conns, number) : NULL;

    if (!fal_use(judge, conn))
        conn = fal_conns_find(&judge->conns, fal_blocks_some_conn(judge->bench.blocks));
    for (size_t i = 0; !fal_use(judge, conn) && i < judge->conns.num; i++)
        conn = judge->conns.list[i];
    return fal_use(judge, conn) ? conn : NULL;
}

struct fal_blocks *fal_take_blocks(struct fal_judge *judge)
{
    struct fal_blocks **blocks = &judge->bench.blocks;

    if (*blocks == NULL)
        *blocks = fal_blocks_new();
    if (*blocks != NULL && judge->bench.unseen)
        fal_blocks_unseen(*blocks);
    judge->oom = judge->oom || *blocks == NULL || fal_blocks_oom(*blocks);
    return *blocks;
}

void fal_take_nvme(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_blocks *blocks;
    struct fal_nsaid said;
    struct fal_conn *conn;
    uint32_t number = event->conn;

    judge->bench.control = true;
    if (event->u.nvme.word == NULL)
        return;
    blocks = fal_take_blocks(judge);
    if (blocks == NULL || !fal_blocks_hear(blocks, event, &said))
        return;
    if (number == 0 && said.asked != NULL)
        number = number_of(judge, said.asked->conn);
    conn = teller(judge, number != 0 ? number : conn_of(blocks, &said));
    if (conn != NULL) {
        fal_doubt(judge, conn, judge->now_index);
        fal_wake_due(judge, conn);
        fal_ask(judge, conn, FAL_ASK_NVME, &(struct fal_asked){.heard = &said});
    }
    fal_blocks_note(blocks, &said, number);
    judge->oom = judge->oom || fal_blocks_oom(blocks);
}
