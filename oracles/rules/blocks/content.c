/* SPDX-License-Identifier: Apache-2.0
 * content.c - the blocks of devices behind the SUT, as far as commands of the tester and writes
 * on the wire tell them. */
#include "oracles/rules/blocks/blocks_impl.h"

#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS_MAX = 16384, /* that are kept; others are unknown */
    METADATA = 16,      /* bytes per block, with protection information (NVME 6.7) */
};

/* ---- formats ---- */

static struct fal_nformat *format_of(const struct fal_blocks *b, uint32_t nsid)
{
    for (size_t i = 0; i < b->formats.num; i++) {
        struct fal_nformat *format = fal_nlist_at(&b->formats, i);

        if ((uint16_t)format->nsid == (uint16_t)nsid)
            return format;
    }
    return NULL;
}

bool fal_blocks_format(const struct fal_blocks *b, uint32_t nsid, unsigned *shift,
                       unsigned *metadata)
{
    const struct fal_nformat *format = format_of(b, nsid);

    if (format == NULL || format->several)
        return false;
    *shift = format->shift;
    *metadata = format->metadata;
    return true;
}

void fal_content_format(struct fal_blocks *b, const struct fal_nvme_word *word)
{
    struct fal_nformat *format = format_of(b, word->nsid);

    if (format == NULL)
        format = fal_nlist_add(b, &b->formats, sizeof *format);
    else if (format->dev != word->dev || format->nsid != word->nsid)
        format->several = true;
    if (format == NULL)
        return;
    for (size_t i = 0; i < b->content.num; i++) { /* nothing is left of it */
        struct fal_ncontent *block = fal_nlist_at(&b->content, i);

        if ((uint16_t)block->nsid != (uint16_t)word->nsid)
            continue;
        free(block->bytes);
        block->bytes = NULL;
    }
    format->nsid = word->nsid;
    format->dev = word->dev;
    format->shift = word->block_shift;
    format->metadata = word->metadata;
}

/* ---- blocks ---- */

static uint32_t key_of(uint32_t nsid, uint64_t lba)
{
    return fal_index_number((uint32_t)lba ^ fal_index_number((uint32_t)(lba >> 32)) ^
                            (nsid & 0xffff) << 8);
}

static struct fal_ncontent *find(const struct fal_blocks *b, uint32_t nsid, uint64_t lba)
{
    uint32_t at = fal_index_first(&b->content_keys, key_of(nsid, lba));

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&b->content_keys, at)) {
        struct fal_ncontent *block = fal_nlist_at(&b->content, at);

        if (block->lba == lba && (uint16_t)block->nsid == (uint16_t)nsid)
            return block;
    }
    return NULL;
}

static struct fal_ncontent *reach(struct fal_blocks *b, uint32_t nsid, uint64_t lba)
{
    struct fal_ncontent *block = find(b, nsid, lba);

    if (block != NULL || b->content.num >= BLOCKS_MAX)
        return block;
    block = fal_nlist_add(b, &b->content, sizeof *block);
    if (block == NULL || !fal_index_add(&b->content_keys, key_of(nsid, lba))) {
        b->oom = true;
        return NULL;
    }
    block->nsid = nsid;
    block->lba = lba;
    return block;
}

/* Of a namespace whose format is not known nothing is kept. */
static unsigned size_of(const struct fal_blocks *b, uint32_t nsid)
{
    unsigned shift, metadata;

    return fal_blocks_format(b, nsid, &shift, &metadata) ? 1U << shift : 0;
}

static void set(struct fal_blocks *b, struct fal_ncontent *block, const uint8_t *bytes,
                unsigned size)
{
    if (block->bytes == NULL || block->size != size) {
        free(block->bytes);
        block->bytes = malloc(size);
        block->size = size;
    }
    if (block->bytes == NULL)
        b->oom = true;
    else
        memcpy(block->bytes, bytes, size);
}

static void forget(struct fal_ncontent *block)
{
    free(block->bytes);
    block->bytes = NULL;
}

const uint8_t *fal_blocks_content(const struct fal_blocks *b, uint32_t nsid, uint64_t lba,
                                  uint64_t since)
{
    const struct fal_ncontent *block = find(b, nsid, lba);

    return block != NULL && block->writer == NULL && !block->mixed && block->changed < since
               ? block->bytes
               : NULL;
}

void fal_content_asked(struct fal_blocks *b, const struct fal_nvme_word *word, uint64_t index)
{
    for (uint64_t i = 0; i <= word->nlb0; i++) {
        struct fal_ncontent *block = find(b, word->nsid, word->slba + i);

        if (block == NULL)
            continue;
        forget(block);
        block->changed = index;
    }
}

void fal_content_filled(struct fal_blocks *b, const struct fal_nvme_word *word, uint64_t index)
{
    enum { SIZE_MAX_BLOCK = 4096 };
    unsigned size = size_of(b, word->nsid);
    uint8_t bytes[SIZE_MAX_BLOCK];

    for (uint64_t i = 0; size > 0 && size <= sizeof bytes && i <= word->nlb0; i++) {
        struct fal_ncontent *block = reach(b, word->nsid, word->slba + i);

        if (block == NULL)
            return;
        block->changed = index;
        block->mixed = block->writer != NULL; /* it may come before the write, or after it */
        fal_payload_slice(word->tag, word->seed, (size_t)(i * size), bytes, size);
        set(b, block, bytes, size);
    }
}

void fal_content_writing(struct fal_blocks *b, struct fal_npart *part, uint64_t index)
{
    for (uint64_t i = 0; i <= part->head.nlb; i++) {
        struct fal_ncontent *block = reach(b, part->head.target_nsid, part->head.slba + i);

        if (block == NULL)
            continue;
        forget(block);
        block->changed = index;
        block->mixed = block->mixed || block->writer != NULL;
        block->writer = part;
    }
}

/* The bytes of block i of a part that was written; NULL: not known. */
static const uint8_t *written(const struct fal_npart *part, uint64_t i, unsigned shift)
{
    for (const struct fal_ncmd *n = part->first; n != NULL; n = n->next) {
        uint32_t before, blocks, size = 1U << shift;

        if (!fal_ncmd_slice(n, shift, &before, &blocks) || i < before || i - before >= blocks)
            continue;
        if (n->bytes == NULL || n->data.head.inv != 0 ||
            (n->bytes_len != blocks * size && n->bytes_len != blocks * (size + METADATA)))
            return NULL;
        return n->bytes + (i - before) * size;
    }
    return NULL;
}

void fal_content_written(struct fal_blocks *b, struct fal_npart *part, uint64_t index)
{
    unsigned shift = 0, metadata = 0;
    bool known = fal_blocks_format(b, part->head.target_nsid, &shift, &metadata);

    for (uint64_t i = 0; i <= part->head.nlb; i++) {
        struct fal_ncontent *block = find(b, part->head.target_nsid, part->head.slba + i);
        const uint8_t *bytes;

        if (block == NULL || block->writer != part)
            continue;
        block->writer = NULL;
        block->changed = index;
        bytes = known && !part->failed && !block->mixed ? written(part, i, shift) : NULL;
        if (bytes != NULL)
            set(b, block, bytes, 1U << shift);
    }
}

void fal_content_forget_writers(struct fal_blocks *b)
{
    for (size_t i = 0; i < b->content.num; i++) {
        struct fal_ncontent *block = fal_nlist_at(&b->content, i);

        block->mixed = block->mixed || block->writer != NULL;
        block->writer = NULL;
    }
}

void fal_content_free(struct fal_blocks *b)
{
    for (size_t i = 0; i < b->content.num; i++)
        forget(fal_nlist_at(&b->content, i));
    fal_nlist_free(&b->content);
    fal_index_free(&b->content_keys);
}

/* ---- nCMDs ---- */

/* The NCNT Offset of the first nCMD of a part; false: not known. */
static bool first_offset(const struct fal_npart *part, unsigned due, unsigned *first)
{
    unsigned low = 0;

    *first = 0;
    if (part->head.s == 0 || part->head.ng == 0)
        return true;
    if (part->seen < due)
        return false;
    while (low < FAL_NPART_MAX && (part->offsets[low / 64] >> low % 64 & 1) == 0)
        low++;
    *first = low;
    return true;
}

bool fal_ncmd_slice(const struct fal_ncmd *ncmd, unsigned shift, uint32_t *before,
                    uint32_t *blocks)
{
    const struct fal_npart *part = ncmd->part;
    uint32_t all = (uint32_t)ncmd->head.nlb + 1, each = FAL_NCMD_BYTES >> shift;
    unsigned first, due;

    if (each == 0)
        return false;
    due = (all + each - 1) / each;
    if ((all % each != 0 && due > 1) || !first_offset(part, due, &first) ||
        ncmd->head.ncnt_offset < first)
        return false;
    *before = (ncmd->head.ncnt_offset - first) * each;
    if (*before >= all)
        return false;
    *blocks = all - *before < each ? all - *before : each;
    return true;
}
