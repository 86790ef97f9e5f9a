/* SPDX-License-Identifier: Apache-2.0
 * nv11_data_are_encrypted.c - rule NV11: where a namespace is encrypted, neither data nor inner
 * protection information are on the wire as the host wrote them. */
#include "oracles/rules/nvme/data.h"

#include "codecs/nvme/t10_dif.h"

#include <string.h>

const struct fal_rule fal_about_nv11 = {
    .id = "NV11",
    .title = "encrypted namespaces send no plain data",
    .requirements = FAL_IDS("NVME-6.7-04", "NVME-6.7-07"),
    .role = "initiator",
    .needs = "memory",
    .assumes = "",
    .doc =
        "Violated by a Write Data Response of an encrypted namespace with 16 bytes in a row "
        "that the host's buffer has at the same place, and by at least three blocks of a "
        "command whose inner guards are all those of the plain blocks. Which tweak is used is "
        "not judged (AMB-N18).",
};

enum { RUN = 16, GUARDS = 3 };

/* Whether 16 bytes in a row are the same. */
static bool shows_plain(const uint8_t *a, const uint8_t *b, uint32_t size)
{
    for (uint32_t i = 0; i + RUN <= size; i += RUN)
        if (memcmp(a + i, b + i, RUN) == 0)
            return true;
    return false;
}

/* Inner guards of an nCMD that are those of the plain blocks. */
static unsigned plain_guards(const struct fal_ncmd *ncmd, const struct fal_ndata *data)
{
    uint8_t pattern[FAL_NDATA_BLOCK_MAX];
    unsigned n = 0;

    for (uint32_t i = 0; data->metadata && i < data->blocks; i++) {
        fal_ndata_pattern(ncmd, data, i, pattern);
        n += fal_dif_read(fal_ndata_metadata(data, i)).guard ==
             fal_dif_crc(0, pattern, data->size);
    }
    return n;
}

/* The same of all nCMDs of the part whose data were seen before; *blocks: so many blocks. */
static unsigned earlier_guards(const struct fal_npart *part, unsigned shift, unsigned *blocks)
{
    unsigned n = 0;

    for (const struct fal_ncmd *ncmd = part->first; ncmd != NULL; ncmd = ncmd->next) {
        struct fal_ndata data = {.bytes = ncmd->bytes, .size = 1U << shift};

        if (ncmd->bytes == NULL || !fal_ncmd_slice(ncmd, shift, &data.before, &data.blocks))
            continue;
        data.metadata = ncmd->bytes_len == data.blocks * (data.size + FAL_NDATA_METADATA);
        n += plain_guards(ncmd, &data);
        *blocks += data.metadata ? data.blocks : 0;
    }
    return n;
}

static void broken(struct fal_ctx *c, const struct fal_seen *q, const char *requirement,
                   const char *seen, const char *expected)
{
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement,
                                   .cause = {&q->nvme->ncmd->part->cmd->asked},
                                   .effect = &q->at,
                                   .seen = seen},
               "%s", expected);
}

static void judge(struct fal_ctx *c, const struct fal_seen *q, const struct fal_ncmd *ncmd,
                  const struct fal_ndata *data, unsigned shift)
{
    uint8_t pattern[FAL_NDATA_BLOCK_MAX];
    unsigned blocks = data->metadata ? data->blocks : 0, guards;

    for (uint32_t i = 0; i < data->blocks; i++) {
        fal_ndata_pattern(ncmd, data, i, pattern);
        if (shows_plain(pattern, fal_ndata_block(data, i), data->size)) {
            broken(c, q, "NVME-6.7-04", "bytes of the host's buffer", "encrypted data");
            return;
        }
    }
    guards = plain_guards(ncmd, data) + earlier_guards(ncmd->part, shift, &blocks);
    if (data->metadata && guards == blocks && guards >= GUARDS)
        broken(c, q, "NVME-6.7-07", "the guards of the plain blocks in the inner information",
               "encrypted inner protection information");
    else
        fal_holds(c);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);
    const struct fal_ncmd *ncmd = n != NULL ? n->ncmd : NULL;
    const struct fal_nspace *space;
    struct fal_ndata data;
    unsigned shift;

    if (ncmd == NULL || n->head->packet_type != FAL_NVME_WRITE_DATA_RESPONSE ||
        ncmd->data.count > 0 || ncmd->part->cmd == NULL || n->head->inv != 0)
        return;
    space = fal_blocks_space(c->bench->blocks, ncmd->part->cmd->word.nsid);
    if (space == NULL || !space->encrypt || fal_nvme_late(c) ||
        !fal_ndata_shift(c, ncmd, &shift) ||
        fal_hcmd_has_twin(c->bench->blocks, ncmd->part->cmd) ||
        fal_ndata_of(c, ncmd, n, &data) != FAL_NDATA_FITS)
        return;
    judge(c, q, ncmd, &data, shift);
}

const struct fal_rule_impl fal_rule_nv11 = {
    .about = &fal_about_nv11,
    .power = 1,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
};
