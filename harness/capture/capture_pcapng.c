/* SPDX-License-Identifier: Apache-2.0 capture_pcapng.c - reads a pcapng file block by block. */
#include "harness/capture/capture_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Reads `n` bytes into `out`. Returns 0, or an error. */
static int read_bytes(struct tl_pcapng_file *ng, uint8_t *out, size_t n, struct fal_error *err)
{
    size_t got = fread(out, 1, n, ng->file);

    if (got == n)
        return 0;
    if (ferror(ng->file) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%s", strerror(errno));
    return fal_fail(err, FAL_ERR_FORM, "truncated: the file ends in the block at byte %" PRIu64,
                    ng->offset);
}

/* Skips `n` bytes of a block that is not needed, however many they are. */
static int skip_bytes(struct tl_pcapng_file *ng, size_t n, struct fal_error *err)
{
    int status = 0;

    while (status == 0 && n > 0) {
        size_t part = n < sizeof ng->bytes ? n : sizeof ng->bytes;

        status = read_bytes(ng, ng->bytes, part, err);
        n -= part;
    }
    return status;
}

/* Reads the block whose first 12 bytes are in ng->bytes. */
static int read_block(struct tl_pcapng_file *ng, struct fal_error *err)
{
    struct fal_error why = {{0}};
    enum fal_pcapng_kind kind = FAL_PCAPNG_OTHER;
    uint32_t len = 0;
    int status = fal_pcapng_head(&ng->reader, ng->bytes, &kind, &len, &why);

    ng->block.kind = FAL_PCAPNG_OTHER;
    if (status == 0 && kind == FAL_PCAPNG_OTHER) {
        status = skip_bytes(ng, len - FAL_PCAPNG_HEAD_LEN, err);
        ng->offset += len;
        return status;
    }
    if (status == 0 && len > sizeof ng->bytes)
        status = fal_fail(&why, FAL_ERR_FORM,
                          "a block of %" PRIu32 " bytes; no packet needs more than %zu", len,
                          sizeof ng->bytes);
    if (status != 0)
        return fal_fail(err, FAL_ERR_FORM, "%.200s, at byte %" PRIu64, why.text, ng->offset);
    status = read_bytes(ng, ng->bytes + FAL_PCAPNG_HEAD_LEN, len - FAL_PCAPNG_HEAD_LEN, err);
    if (status != 0)
        return status;
    if (fal_pcapng_read(&ng->reader, ng->bytes, len, &ng->block, &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%.200s, at byte %" PRIu64, why.text, ng->offset);
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
        int c = getc(ng->file), status;

        if (c == EOF && ferror(ng->file) == 0)
            return 0;
        if (c == EOF)
            return fal_fail(err, FAL_ERR_FORM, "%s", strerror(errno));
        ng->bytes[0] = (uint8_t)c;
        status = read_bytes(ng, ng->bytes + 1, FAL_PCAPNG_HEAD_LEN - 1, err);
        if (status == 0)
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
