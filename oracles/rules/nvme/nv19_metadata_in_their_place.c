/* SPDX-License-Identifier: Apache-2.0
 * nv19_metadata_in_their_place.c - rule NV19: data of reads have the metadata behind each
 * block, data of writes behind all of them; without protection information there are none. */
#include "oracles/rules/nvme/data.h"

#include <string.h>

const struct fal_rule fal_about_nv19 = {
    .id = "NV19",
    .title = "metadata are behind each block of a read, and behind all blocks of a write",
    .requirements = FAL_IDS("NVME-8.4-04", "NVME-8.4-05", "NVME-8.4-06", "NVME-8.7-02",
                            "NVME-8.7-03", "NVME-8.7-04"),
    .role = "any",
    .needs = "memory",
    .assumes = "",
    .doc = "Violated by data that are not as long as the blocks of the nCMD, with 16 bytes of "
           "metadata each if the request asked for checks, and by metadata in the place of the "
           "other direction (AMB-N09), which shows where a block is known and lies there. More "
           "than 4224 bytes violate it in any case. Not judged in a part of no whole 4 KB "
           "(AMB-N15), nor where the size of blocks was not given.",
};

static void broken(struct fal_ctx *c, const struct fal_seen *q, const char *requirement,
                   const char *expected)
{
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement,
                                   .cause = {&q->nvme->ncmd->at},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "%s", expected);
}

/* What the host, or the device, has in block i of an nCMD; NULL: not known. */
static const uint8_t *known_block(const struct fal_ctx *c, const struct fal_ncmd *ncmd,
                                  const struct fal_ndata *data, uint32_t i, uint8_t *room)
{
    const struct fal_hcmd *cmd = ncmd->part->cmd;
    const struct fal_nspace *space;

    if (!fal_ncmd_is_write(ncmd))
        return fal_blocks_content(
            c->bench->blocks, fal_blocks_format_of(c->bench->blocks, &ncmd->head),
            ncmd->head.slba + data->before + i, ncmd->part->first->at.index);
    space = cmd != NULL ? fal_blocks_space(c->bench->blocks, cmd->word.nsid) : NULL;
    if (space == NULL || space->encrypt || fal_hcmd_has_twin(c->bench->blocks, cmd))
        return NULL;
    fal_ndata_pattern(ncmd, data, i, room);
    return room;
}

/* Whether a block lies where it would with the metadata of the other direction. */
static bool in_other_place(const struct fal_ctx *c, const struct fal_ncmd *ncmd,
                           const struct fal_ndata *data)
{
    struct fal_ndata other = *data;
    uint8_t room[FAL_NDATA_BLOCK_MAX];

    other.dif = !data->dif;
    for (uint32_t i = 1; data->metadata && i < data->blocks; i++) {
        const uint8_t *block = known_block(c, ncmd, data, i, room);

        if (block != NULL && memcmp(block, fal_ndata_block(data, i), data->size) != 0 &&
            memcmp(block, fal_ndata_block(&other, i), data->size) == 0)
            return true;
    }
    return false;
}

static void judge(struct fal_ctx *c, const struct fal_seen *q, const struct fal_ncmd *ncmd,
                  const struct fal_ndata *data)
{
    bool read = data->dif;
    const char *with = read ? "NVME-8.4-04" : "NVME-8.7-02";
    const char *without = read ? "NVME-8.4-05" : "NVME-8.7-03";

    enum fal_ndata_metadata due = fal_ndata_metadata_due(c, ncmd);

    if (data->metadata && due == FAL_NDATA_NONE)
        broken(c, q, without, "the blocks alone, without metadata");
    else if (!data->metadata && due == FAL_NDATA_EACH)
        broken(c, q, with, "16 bytes of metadata for each block");
    else if (in_other_place(c, ncmd, data))
        broken(c, q, with,
               read ? "the metadata of each block behind it"
                    : "all blocks, then the metadata of all");
    else
        fal_holds(c);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);
    const struct fal_ncmd *ncmd = n != NULL ? n->ncmd : NULL;
    struct fal_ndata data;
    bool read;

    if (ncmd == NULL || (ncmd->part->cmd != NULL && fal_nvme_late(c)) ||
        (n->head->packet_type != FAL_NVME_WRITE_DATA_RESPONSE &&
         n->head->packet_type != FAL_NVME_READ_RESPONSE) ||
        (n->data_len == 0 && (n->head->cqe_status != 0 || n->head->inv != 0)))
        return;
    read = n->head->packet_type == FAL_NVME_READ_RESPONSE;
    if (read == fal_ncmd_is_write(ncmd))
        return;
    if (n->whole && n->data_len > FAL_NVME_DATA_MAX) {
        broken(c, q, read ? "NVME-8.4-06" : "NVME-8.7-04", "at most 4224 bytes of data");
        return;
    }
    if (n->head->cqe_status != 0 || n->head->inv != 0) /* what data it then has is free */
        return;
    switch (fal_ndata_of(c, ncmd, n, &data)) {
    case FAL_NDATA_UNKNOWN: break;
    case FAL_NDATA_OTHER:
        broken(c, q,
               fal_ndata_metadata_due(c, ncmd) != FAL_NDATA_NONE
                   ? read ? "NVME-8.4-04" : "NVME-8.7-02"
               : read ? "NVME-8.4-05"
                      : "NVME-8.7-03",
               "as many bytes as the blocks of the nCMD have");
        break;
    case FAL_NDATA_FITS: judge(c, q, ncmd, &data); break;
    }
}

const struct fal_rule_impl fal_rule_nv19 = {
    .about = &fal_about_nv19,
    .power = 1,
    .out = out,
    .on_out = FAL_ON_NVME,
};
