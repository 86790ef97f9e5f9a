/* SPDX-License-Identifier: Apache-2.0
 * nv9_data_of_their_blocks.c - rule NV9: an nCMD carries the data of its own blocks, from the
 * host to the device and back. */
#include "oracles/rules/nvme/data.h"

#include "oracles/payload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct fal_rule fal_about_nv9 = {
    .id = "NV9",
    .title = "nCMDs carry the data of their blocks",
    .requirements = FAL_IDS("NVME-6.5-04", "NVME-8.4-03", "NVME-8.7-02", "NVME-8.7-03"),
    .role = "any",
    .needs = "memory",
    .assumes = "",
    .doc =
        "Violated by a Read Response whose blocks are not those of the device, where the tester "
        "filled them or a write that ended without error put them there; by a Write Data "
        "Response whose blocks are not the bytes of the host's buffer, unless they are "
        "encrypted; and by hashes that do not agree: of the host's buffer with the answers to "
        "the read, of a device or a command of a device with what was written. Blocks that a "
        "write under way may change are not compared, nor those of a part of no whole 4 KB "
        "(AMB-N15).",
};

static void differs(struct fal_ctx *c, const struct fal_seen *q, const char *requirement,
                    const struct fal_at *cause, uint32_t block)
{
    char seen[100];

    (void)snprintf(seen, sizeof seen,
                   "other bytes in block %u of the packet with initiator_tag=%u",
                   (unsigned)block, (unsigned)q->nvme->head->initiator_tag);
    fal_broken(
        c,
        &(struct fal_blame){
            .requirement = requirement, .cause = {cause}, .effect = &q->at, .seen = seen},
        "the data of the blocks that the nCMD names");
}

/* ---- on the wire ---- */

static void judge_read(struct fal_ctx *c, const struct fal_seen *q, const struct fal_ncmd *ncmd)
{
    const struct fal_nformat *format = fal_blocks_format_of(c->bench->blocks, &ncmd->head);
    struct fal_ndata data;
    uint32_t known = 0;

    if (q->nvme->head->cqe_status != 0 || c->subject != FAL_SUBJECT_SUT ||
        fal_ndata_of(c, ncmd, q->nvme, &data) != FAL_NDATA_FITS)
        return;
    for (uint32_t i = 0; i < data.blocks; i++) {
        const uint8_t *block =
            fal_blocks_content(c->bench->blocks, format, ncmd->head.slba + data.before + i,
                               ncmd->part->first->at.index); /* a device may read early */

        if (block == NULL)
            continue;
        known++;
        if (memcmp(block, fal_ndata_block(&data, i), data.size) != 0) {
            differs(c, q, "NVME-8.4-03", &ncmd->at, i);
            return;
        }
    }
    if (known > 0)
        fal_holds(c);
}

static void judge_write(struct fal_ctx *c, const struct fal_seen *q,
                        const struct fal_ncmd *ncmd)
{
    const struct fal_hcmd *cmd = ncmd->part->cmd;
    const struct fal_nspace *space =
        cmd != NULL ? fal_blocks_space(c->bench->blocks, cmd->word.nsid) : NULL;
    uint8_t pattern[FAL_NDATA_BLOCK_MAX];
    struct fal_ndata data;

    if (space == NULL || space->encrypt || q->nvme->head->inv != 0 ||
        fal_hcmd_has_twin(c->bench->blocks, cmd) ||
        fal_ndata_of(c, ncmd, q->nvme, &data) != FAL_NDATA_FITS)
        return;
    for (uint32_t i = 0; i < data.blocks; i++) {
        fal_ndata_pattern(ncmd, &data, i, pattern);
        if (memcmp(pattern, fal_ndata_block(&data, i), data.size) == 0)
            continue;
        differs(c, q, data.metadata ? "NVME-8.7-02" : "NVME-8.7-03", &cmd->asked, i);
        return;
    }
    fal_holds(c);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);

    if (n == NULL || n->ncmd == NULL)
        return;
    if (n->head->packet_type == FAL_NVME_READ_RESPONSE && !fal_ncmd_is_write(n->ncmd))
        judge_read(c, q, n->ncmd);
    else if (n->head->packet_type == FAL_NVME_WRITE_DATA_RESPONSE && n->ncmd->data.count == 0)
        judge_write(c, q, n->ncmd);
}

/* ---- hashes ---- */

static void compare(struct fal_ctx *c, const struct fal_nsaid *said, const char *requirement,
                    const struct fal_at *cause, uint64_t due)
{
    struct fal_at at = fal_at_event(said->event);
    char seen[60];

    if (said->told->hash == due) {
        fal_holds(c);
        return;
    }
    (void)snprintf(seen, sizeof seen, "hash=0x%" PRIx64, said->told->hash);
    fal_broken(c,
               &(struct fal_blame){
                   .requirement = requirement, .cause = {cause}, .effect = &at, .seen = seen},
               "hash=0x%" PRIx64 ", of the data of the blocks", due);
}

/* Adds the blocks of one nCMD of a part, `at` blocks into it. False: not known. */
static bool add_ncmd(const struct fal_npart *part, uint32_t at, unsigned shift,
                     uint32_t *blocks, uint64_t *hash)
{
    for (const struct fal_ncmd *n = part->first; n != NULL; n = n->next) {
        struct fal_ndata data = {.bytes = n->bytes, .size = 1U << shift, .dif = !part->write};

        if (n->bytes == NULL || !fal_ncmd_slice(n, shift, &data.before, &data.blocks))
            return false;
        if (data.before != at)
            continue;
        data.metadata = n->bytes_len == data.blocks * (data.size + FAL_NDATA_METADATA);
        if (!data.metadata && n->bytes_len != data.blocks * data.size)
            return false;
        for (uint32_t i = 0; i < data.blocks; i++)
            *hash = fal_payload_hash_on(*hash, fal_ndata_block(&data, i), data.size);
        *blocks = data.blocks;
        return true;
    }
    return false;
}

/* Adds the data that packets carried for a part. False: not all are known. */
static bool add_part(const struct fal_npart *part, unsigned shift, uint64_t *hash)
{
    uint32_t blocks = 0;

    for (uint32_t at = 0; at <= part->head.nlb; at += blocks)
        if (!add_ncmd(part, at, shift, &blocks, hash))
            return false;
    return true;
}

/* The host's buffer after a read that succeeded. */
static void judge_buffer(struct fal_ctx *c, const struct fal_nsaid *said)
{
    const struct fal_hcmd *cmd = said->cmd;
    const struct fal_nspace *space =
        cmd != NULL ? fal_blocks_space(c->bench->blocks, cmd->word.nsid) : NULL;
    uint64_t hash = fal_payload_hash(NULL, 0);
    bool known = space != NULL && !space->encrypt && cmd->part[0] != NULL && !cmd->vague;

    if (!known || cmd->completed || cmd->word.op != FAL_NVME_READ || !said->told->has_hash ||
        said->told->status != 0 || fal_hcmd_has_twin(c->bench->blocks, cmd))
        return;
    if (add_part(cmd->part[0], space->map.block, &hash) &&
        (cmd->part[1] == NULL || add_part(cmd->part[1], space->map.block, &hash)) &&
        cmd->part[0]->head.nlb + (cmd->part[1] != NULL ? cmd->part[1]->head.nlb + 1U : 0) ==
            cmd->word.nlb0)
        compare(c, said, "NVME-8.4-03", &cmd->asked, hash);
}

/* What the target gave to a device. */
static void judge_dev_cmd(struct fal_ctx *c, const struct fal_nsaid *said)
{
    const struct fal_npart *part = said->part;
    uint64_t hash = fal_payload_hash(NULL, 0);
    const struct fal_nformat *format =
        part != NULL ? fal_blocks_format_of(c->bench->blocks, &part->head) : NULL;

    if (format == NULL || said->mixed || !part->write || !said->told->has_hash ||
        part->bad_data)
        return;
    if (c->bench->unseen) /* a command of the same blocks may be meant */
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (add_part(part, format->shift, &hash))
        compare(c, said, "NVME-6.5-04", &part->last_sent, hash);
}

static void judge_dev_hash(struct fal_ctx *c, const struct fal_nsaid *said)
{
    const struct fal_nvme_word *asked = said->asked;
    uint64_t hash = fal_payload_hash(NULL, 0);
    const struct fal_nformat *format =
        fal_blocks_format(c->bench->blocks, asked->dev, asked->nsid);

    if (asked->meta || format == NULL)
        return;
    for (uint64_t i = 0; i <= asked->nlb0; i++) {
        const uint8_t *block =
            fal_blocks_content(c->bench->blocks, format, asked->slba + i, said->asked_at.index);

        if (block == NULL)
            return;
        hash = fal_payload_hash_on(hash, block, (size_t)1 << format->shift);
    }
    compare(c, said, "NVME-6.5-04", &said->asked_at, hash);
}

static void nvme(struct fal_ctx *c, const struct fal_nsaid *said)
{
    if (c->track == NULL)
        return;
    if (said->told->kind == FAL_NVME_CQE)
        judge_buffer(c, said);
    else if (said->told->kind == FAL_NVME_DEV_CMD)
        judge_dev_cmd(c, said);
    else if (said->event->u.nvme.phase == FAL_VERBS_ANSWERED && said->ok &&
             said->asked->kind == FAL_NVME_DEV_HASH)
        judge_dev_hash(c, said);
}

const struct fal_rule_impl fal_rule_nv9 = {
    .about = &fal_about_nv9,
    .power = 1,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
    .nvme = nvme,
};
