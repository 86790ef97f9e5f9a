/* SPDX-License-Identifier: Apache-2.0 capture_pcapng.c - reads a pcapng file block by block. */
#include "harness/capture/capture_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Reads until `need` bytes are at hand. Returns false at the end of the file, and on an error.
 */
static bool refill(struct tl_pcapng_file *ng, size_t need)
{
    size_t left = ng->used - ng->taken, room, got;

    memmove(ng->bytes, ng->bytes + ng->taken, left);
    ng->taken = 0;
    ng->used = left;
    room = ng->ahead ? sizeof ng->bytes - left : need - left;
    got = fread(ng->bytes + left, 1, room, ng->file);
    if (got < room && ferror(ng->file) != 0 && ng->error == 0)
        ng->error = errno;
    ng->used += got;
    return ng->used >= need;
}

static inline bool at_hand(struct tl_pcapng_file *ng, size_t need)
{
    return ng->used - ng->taken >= need || refill(ng, need);
}

/* The block at ng->offset is not complete. */
static int ended(const struct tl_pcapng_file *ng, struct fal_error *err)
{
    if (ng->error != 0)
        return fal_fail(err, FAL_ERR_FORM, "%s", strerror(ng->error));
    return fal_fail(err, FAL_ERR_FORM, "truncated: the file ends in the block at byte %" PRIu64,
                    ng->offset);
}

/* Skips the block of `len` bytes, which is not needed, however many they are. */
static int skip_block(struct tl_pcapng_file *ng, uint32_t len, struct fal_error *err)
{
    uint32_t left = len;

    while (left > 0) {
        size_t part = left < sizeof ng->bytes ? left : sizeof ng->bytes;

        if (!at_hand(ng, part))
            return ended(ng, err);
        ng->taken += part;
        left -= (uint32_t)part;
    }
    ng->offset += len;
    return 0;
}

/* Reads the block whose first FAL_PCAPNG_HEAD_LEN bytes are at hand. */
static int read_block(struct tl_pcapng_file *ng, struct fal_error *err)
{
    struct fal_error why;
    enum fal_pcapng_kind kind = FAL_PCAPNG_OTHER;
    uint32_t len = 0;
    int status = fal_pcapng_head(&ng->reader, ng->bytes + ng->taken, &kind, &len, &why);

    ng->block.kind = FAL_PCAPNG_OTHER;
    if (status == 0 && kind == FAL_PCAPNG_OTHER)
        return skip_block(ng, len, err);
    if (status == 0 && len > sizeof ng->bytes)
        status = fal_fail(&why, FAL_ERR_FORM,
                          "a block of %" PRIu32 " bytes; no packet needs more than %zu", len,
                          sizeof ng->bytes);
    if (status != 0)
        return fal_fail(err, FAL_ERR_FORM, "%.200s, at byte %" PRIu64, why.text, ng->offset);
    if (!at_hand(ng, len))
        return ended(ng, err);
    if (fal_pcapng_read(&ng->reader, ng->bytes + ng->taken, len, &ng->block, &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%.200s, at byte %" PRIu64, why.text, ng->offset);
    ng->taken += len;
    ng->offset += len;
    return 0;
}

/* Statistics count from the start of the capture and may be repeated. */
static void note_drops(struct tl_pcapng_file *ng)
{
    const struct fal_pcapng_statistics *s = &ng->block.statistics;

    if (s->drops <= ng->drops[s->interface])
        return;
    ng->dropped += s->drops - ng->drops[s->interface];
    ng->drops[s->interface] = s->drops;
}

int tl_pcapng_next(struct tl_pcapng_file *ng, bool any, struct fal_error *err)
{
    for (;;) {
        int status;

        if (!at_hand(ng, FAL_PCAPNG_HEAD_LEN))
            return ng->used == ng->taken && ng->error == 0 ? 0 : ended(ng, err);
        status = read_block(ng, err);
        if (status != 0)
            return status;
        if (ng->block.kind == FAL_PCAPNG_SECTION)
            memset(ng->drops, 0, sizeof ng->drops);
        if (ng->block.kind == FAL_PCAPNG_STATISTICS)
            note_drops(ng);
        if (ng->block.kind == FAL_PCAPNG_PACKET ||
            (any && ng->block.kind == FAL_PCAPNG_INTERFACE))
            return 1;
    }
}
