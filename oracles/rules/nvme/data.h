/* SPDX-License-Identifier: Apache-2.0
 * data.h - for the rules about NVMe: the blocks in the data of a packet, with their metadata
 * behind each of them (DIF, of reads) or behind all (DIX, of writes) (NVME 8.4, 8.7). */
#ifndef FAL_ORACLES_RULES_NVME_DATA_H
#define FAL_ORACLES_RULES_NVME_DATA_H

#include "oracles/rules/nvme/walk.h"

enum { FAL_NDATA_METADATA = 16, FAL_NDATA_BLOCK_MAX = 4096 };

struct fal_ndata {
    const uint8_t *bytes;
    uint32_t blocks, before; /* of the nCMD; of its part before it */
    uint32_t size;           /* bytes of a block */
    bool metadata, dif;
};

/* Whether protection information was asked for. */
static inline bool fal_ncmd_protected(const struct fal_ncmd *ncmd)
{
    enum { PRCHK = 7 };

    return (ncmd->head.prinfo & PRCHK) != 0;
}

/* The bytes of a block as a shift: of the namespace that the SUT's host uses, or of the device
 * behind the SUT. False: not known. */
bool fal_ndata_shift(const struct fal_ctx *c, const struct fal_ncmd *ncmd, unsigned *shift);

/* Whether its blocks have metadata on the wire. */
enum fal_ndata_metadata { FAL_NDATA_NONE, FAL_NDATA_EACH, FAL_NDATA_EITHER };
enum fal_ndata_metadata fal_ndata_metadata_due(const struct fal_ctx *c,
                                               const struct fal_ncmd *ncmd);

enum fal_ndata_state {
    FAL_NDATA_FITS,
    FAL_NDATA_UNKNOWN, /* the size of blocks, or which of them it carries */
    FAL_NDATA_OTHER,   /* the length is not that of its blocks, with metadata or without */
};
/* The blocks in the data of an answer that carries some: of a Read Response, or a Write Data
 * Response. */
enum fal_ndata_state fal_ndata_of(const struct fal_ctx *c, const struct fal_ncmd *ncmd,
                                  const struct fal_nvme_seen *n, struct fal_ndata *out);
/* The i-th block of the nCMD; its metadata. */
const uint8_t *fal_ndata_block(const struct fal_ndata *data, uint32_t i);
const uint8_t *fal_ndata_metadata(const struct fal_ndata *data, uint32_t i);
/* Returns whether the inner information of the i-th block, read as not encrypted, may switch
 * the check of the block off: its application tag is 0xffff. Type 3 also asks for a reference
 * tag of ones, but the type that the host chose is not known (NVME-6.7-03; NVM Command Set,
 * protection information). The data have metadata. */
bool fal_ndata_unchecked(const struct fal_ndata *data, uint32_t i);

/* A block of the buffer of the host: the pattern that was posted. `i` counts in the nCMD. */
void fal_ndata_pattern(const struct fal_ncmd *ncmd, const struct fal_ndata *data, uint32_t i,
                       uint8_t out[FAL_NDATA_BLOCK_MAX]);

#endif
