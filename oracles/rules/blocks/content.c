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

static bool same_number(uint32_t nsid, uint32_t other)
{
    return (uint16_t)nsid == (uint16_t)other; /* as much as requests have of it */
}

static struct fal_nformat *format_at(const struct fal_blocks *b, uint32_t dev, uint32_t nsid)
{
    for (size_t i = 0; i < b->formats.num; i++) {
        struct fal_nformat *format = fal_nlist_at(&b->formats, i);

        if (format->dev == dev && same_number(format->nsid, nsid))
            return format;
    }
    return NULL;
}

/* The i-th one with that number in requests. */
static const struct fal_nformat *format_nth(const struct fal_blocks *b, uint32_t nsid, size_t n)
{
    for (size_t i = 0; i < b->formats.num; i++) {
        const struct fal_nformat *format = fal_nlist_at(&b->formats, i);

        if (same_number(format->nsid, nsid) && n-- == 0)
            return format;
    }
    return NULL;
}

const struct fal_nformat *fal_blocks_format(const struct fal_blocks *b, uint32_t dev,
                                            uint32_t nsid)
{
    const struct fal_nformat *format = format_at(b, dev, nsid);

    return format != NULL && !format->unsure ? format : NULL;
}

const struct fal_nformat *fal_blocks_format_of(const struct fal_blocks *b,
                                               const struct fal_nvme *request)
{
    const struct fal_nqueue *queue = &b->queues[request->target_sqid % FAL_NQUEUES];
    const struct fal_nformat *only = format_nth(b, request->target_nsid, 0);

    if (queue->known)
        return queue->mixed ? NULL : fal_blocks_format(b, queue->dev, request->target_nsid);
    return only != NULL && !only->unsure && format_nth(b, request->target_nsid, 1) == NULL
               ? only
               : NULL;
}

/* Returns whether a write of the tester to a namespace of that number is under way. */
static bool is_written(const struct fal_blocks *b, uint32_t nsid)
{
    for (size_t i = 0; i < b->parts.num; i++) {
        const struct fal_npart *part = fal_nlist_at(&b->parts, i);

        if (part->write && part->initiator == FAL_TO_SUT && part->ended < part->seen &&
            same_number(part->head.target_nsid, nsid))
            return true;
    }
    return false;
}

static void serve(struct fal_blocks *b, uint32_t sqid, uint32_t dev)
{
    struct fal_nqueue *queue = &b->queues[sqid % FAL_NQUEUES];

    queue->mixed = queue->mixed || (queue->known && queue->dev != dev);
    queue->known = true;
    queue->dev = dev;
}

void fal_content_format(struct fal_blocks *b, const struct fal_nvme_word *word)
{
    struct fal_nformat *format = format_at(b, word->dev, word->nsid);

    if (word->has_sqid)
        serve(b, word->sqid, word->dev);
    if (format == NULL)
        format = fal_nlist_add(b, &b->formats, sizeof *format);
    else if (format->nsid != word->nsid)
        format->unsure = true;
    if (format == NULL)
        return;
    for (size_t i = 0; i < b->content.num; i++) { /* nothing is left of it */
        struct fal_ncontent *block = fal_nlist_at(&b->content, i);

        if (block->dev != word->dev || !same_number(block->nsid, word->nsid))
            continue;
        free(block->bytes);
        block->bytes = NULL;
    }
    format->unsure = format->unsure || is_written(b, word->nsid);
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

static struct fal_ncontent *find(const struct fal_blocks *b, const struct fal_nformat *format,
                                 uint64_t lba)
{
    uint32_t at = fal_index_first(&b->content_keys, key_of(format->nsid, lba));

    for (; at != FAL_INDEX_NONE; at = fal_index_next(&b->content_keys, at)) {
        struct fal_ncontent *block = fal_nlist_at(&b->content, at);

        if (block->lba == lba && block->dev == format->dev &&
            same_number(block->nsid, format->nsid))
            return block;
    }
    return NULL;
}

static struct fal_ncontent *reach(struct fal_blocks *b, const struct fal_nformat *format,
                                  uint64_t lba)
{
    struct fal_ncontent *block = find(b, format, lba);

    if (block != NULL || b->content.num >= BLOCKS_MAX)
        return block;
    block = fal_nlist_add(b, &b->content, sizeof *block);
    if (block == NULL || !fal_index_add(&b->content_keys, key_of(format->nsid, lba))) {
        b->oom = true;
        return NULL;
    }
    block->nsid = format->nsid;
    block->dev = format->dev;
    block->lba = lba;
    return block;
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

const uint8_t *fal_blocks_content(const struct fal_blocks *b, const struct fal_nformat *format,
                                  uint64_t lba, uint64_t since)
{
    const struct fal_ncontent *block = format != NULL ? find(b, format, lba) : NULL;

    /* A write that was not seen may have changed it. */
    return block != NULL && block->writer == NULL && !block->mixed && !b->unseen &&
                   block->changed < since
               ? block->bytes
               : NULL;
}

void fal_content_asked(struct fal_blocks *b, const struct fal_nvme_word *word, uint64_t index)
{
    const struct fal_nformat *format = fal_blocks_format(b, word->dev, word->nsid);

    for (uint64_t i = 0; format != NULL && i <= word->nlb0; i++) {
        struct fal_ncontent *block = find(b, format, word->slba + i);

        if (block == NULL)
            continue;
        forget(block);
        block->changed = index;
    }
}

void fal_content_filled(struct fal_blocks *b, const struct fal_nvme_word *word, uint64_t index)
{
    enum { SIZE_MAX_BLOCK = 4096 };
    const struct fal_nformat *format = fal_blocks_format(b, word->dev, word->nsid);
    unsigned size = format != NULL ? 1U << format->shift : 0;
    uint8_t bytes[SIZE_MAX_BLOCK];

    for (uint64_t i = 0; size > 0 && size <= sizeof bytes && i <= word->nlb0; i++) {
        struct fal_ncontent *block = reach(b, format, word->slba + i);

        if (block == NULL)
            return;
        block->changed = index;
        block->mixed = block->writer != NULL; /* it may come before the write, or after it */
        fal_payload_slice(word->tag, word->seed, (size_t)(i * size), bytes, size);
        set(b, block, bytes, size);
    }
}

/* The namespaces of devices, from the n-th on, that a request may write to. */
static const struct fal_nformat *target_nth(const struct fal_blocks *b,
                                            const struct fal_nvme *request, size_t n)
{
    const struct fal_nformat *one = fal_blocks_format_of(b, request);

    if (one == NULL)
        return format_nth(b, request->target_nsid, n);
    return n == 0 ? one : NULL;
}

void fal_content_writing(struct fal_blocks *b, struct fal_npart *part, uint64_t index)
{
    const struct fal_nformat *format;

    for (size_t n = 0; (format = target_nth(b, &part->head, n)) != NULL; n++)
        for (uint64_t i = 0; i <= part->head.nlb; i++) {
            struct fal_ncontent *block = reach(b, format, part->head.slba + i);

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

static void written_at(struct fal_blocks *b, struct fal_npart *part, uint64_t index,
                       const struct fal_nformat *format, bool known)
{
    for (uint64_t i = 0; i <= part->head.nlb; i++) {
        struct fal_ncontent *block = find(b, format, part->head.slba + i);
        const uint8_t *bytes;

        if (block == NULL || block->writer != part)
            continue;
        block->writer = NULL;
        block->changed = index;
        bytes =
            known && !part->failed && !block->mixed ? written(part, i, format->shift) : NULL;
        if (bytes != NULL)
            set(b, block, bytes, 1U << format->shift);
    }
}

/* Returns whether all nCMDs of a part were seen, where a block has 2^shift bytes. Some may have
 * ended before others come. */
static bool is_whole(const struct fal_npart *part, unsigned shift)
{
    return ((uint64_t)part->seen * FAL_NCMD_BYTES) >> shift > part->head.nlb;
}

void fal_content_written(struct fal_blocks *b, struct fal_npart *part, uint64_t index)
{
    const struct fal_nformat *known = fal_blocks_format_of(b, &part->head), *format;

    if (known == NULL ? !fal_npart_has_data(part) : !is_whole(part, known->shift))
        return; /* it is still under way */
    for (size_t n = 0; (format = format_nth(b, part->head.target_nsid, n)) != NULL; n++)
        written_at(b, part, index, format, format == known);
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
