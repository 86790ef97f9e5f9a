/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/data.h"

#include "codecs/nvme/t10_dif.h"
#include "oracles/payload.h"

bool fal_ndata_shift(const struct fal_ctx *c, const struct fal_ncmd *ncmd, unsigned *shift)
{
    const struct fal_nspace *space;

    if (ncmd->initiator == FAL_TO_SUT) {
        const struct fal_nformat *format = fal_blocks_format_of(c->bench->blocks, &ncmd->head);

        *shift = format != NULL ? format->shift : 0;
        return format != NULL;
    }
    if (ncmd->part->cmd == NULL)
        return false;
    space = fal_blocks_space(c->bench->blocks, ncmd->part->cmd->word.nsid);
    if (space == NULL || !fal_map_valid(&space->map))
        return false;
    *shift = space->map.block;
    return true;
}

enum fal_ndata_metadata fal_ndata_metadata_due(const struct fal_ctx *c,
                                               const struct fal_ncmd *ncmd)
{
    const struct fal_nspace *space =
        ncmd->part->cmd != NULL ? fal_blocks_space(c->bench->blocks, ncmd->part->cmd->word.nsid)
                                : NULL;
    const struct fal_nformat *format = ncmd->initiator == FAL_TO_SUT
                                           ? fal_blocks_format_of(c->bench->blocks, &ncmd->head)
                                           : NULL;

    if (space != NULL)
        return space->pi == FAL_NVME_PI_OFF ? FAL_NDATA_NONE : FAL_NDATA_EACH;
    if (format != NULL && (format->metadata == 0 || !fal_ncmd_protected(ncmd)))
        return format->metadata == 0 ? FAL_NDATA_NONE : FAL_NDATA_EITHER;
    return fal_ncmd_protected(ncmd) ? FAL_NDATA_EACH : FAL_NDATA_NONE;
}

enum fal_ndata_state fal_ndata_of(const struct fal_ctx *c, const struct fal_ncmd *ncmd,
                                  const struct fal_nvme_seen *n, struct fal_ndata *out)
{
    unsigned shift;

    if (!n->whole || !fal_ndata_shift(c, ncmd, &shift) ||
        !fal_ncmd_slice(ncmd, shift, &out->before, &out->blocks))
        return FAL_NDATA_UNKNOWN;
    out->bytes = n->data;
    out->size = 1U << shift;
    out->dif = n->head->packet_type == FAL_NVME_READ_RESPONSE;
    out->metadata = n->data_len == out->blocks * (out->size + FAL_NDATA_METADATA);
    return out->metadata || n->data_len == out->blocks * out->size ? FAL_NDATA_FITS
                                                                   : FAL_NDATA_OTHER;
}

const uint8_t *fal_ndata_block(const struct fal_ndata *data, uint32_t i)
{
    uint32_t each = data->size + (data->metadata && data->dif ? FAL_NDATA_METADATA : 0);

    return data->bytes + (size_t)i * each;
}

const uint8_t *fal_ndata_metadata(const struct fal_ndata *data, uint32_t i)
{
    if (data->dif)
        return fal_ndata_block(data, i) + data->size;
    return data->bytes + (size_t)data->blocks * data->size + (size_t)i * FAL_NDATA_METADATA;
}

bool fal_ndata_unchecked(const struct fal_ndata *data, uint32_t i)
{
    return fal_dif_read(fal_ndata_metadata(data, i)).app == UINT16_MAX;
}

void fal_ndata_pattern(const struct fal_ncmd *ncmd, const struct fal_ndata *data, uint32_t i,
                       uint8_t out[FAL_NDATA_BLOCK_MAX])
{
    const struct fal_nvme_word *word = &ncmd->part->cmd->word;
    uint64_t first = ncmd->part->half > 0 ? word->nlb0 - (uint64_t)ncmd->head.nlb : 0;

    fal_payload_slice(word->tag, word->seed, (size_t)((first + data->before + i) * data->size),
                      out, data->size);
}
