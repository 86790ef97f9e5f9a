/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/field/part.h"

#include "harness/field/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TSRESOL_NANO = 9 };

struct tl_part {
    char *path, *temporary;
    struct tl_capture_writer *pcap; /* of a pcap file; else: */
    FILE *file;
    uint8_t *block;                                /* FAL_PCAPNG_BLOCK_MAX bytes */
    unsigned linktypes[FAL_PCAPNG_INTERFACES_MAX]; /* of the section */
    uint32_t num_interfaces;
    uint64_t dropped, in_section; /* written so far; of it in earlier sections */
    uint64_t last_ns;
    bool comments; /* those of the original are kept */
};

static bool is_pcapng(const char *path)
{
    static const char suffix[] = ".pcapng";
    size_t len = strlen(path);

    return len >= sizeof suffix && strcmp(path + len - (sizeof suffix - 1), suffix) == 0;
}

int tl_part_suits(const struct tl_capture *capture, const char *path, struct fal_error *err)
{
    if (!tl_capture_is_pcapng(capture) || is_pcapng(path))
        return 0;
    return fal_fail(
        err, FAL_ERR_FORM,
        "%s: a pcap file cannot say what this pcapng capture says of interfaces and "
        "drops; choose a name that ends in .pcapng",
        path);
}

/* ---- creating ---- */

static int put(struct tl_part *part, int len, struct fal_error *err)
{
    if (len < 0)
        return fal_fail(err, FAL_ERR_RANGE, "%s: a block of pcapng cannot hold this",
                        part->path);
    if (fwrite(part->block, 1, (size_t)len, part->file) == (size_t)len)
        return 0;
    return fal_fail(err, FAL_ERR_IO, "%s: %s", part->path, strerror(errno));
}

static int section(struct tl_part *part, struct fal_error *err)
{
    part->num_interfaces = 0;
    part->in_section = part->dropped;
    return put(part, fal_pcapng_write_section("talon", part->block, FAL_PCAPNG_BLOCK_MAX), err);
}

struct tl_part *tl_part_create(const char *path, unsigned linktype, struct fal_error *err)
{
    struct tl_part *part = calloc(1, sizeof *part);

    if (part == NULL || (part->path = strdup(path)) == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto fail;
    }
    part->temporary = tl_whole_begin(path, false, err);
    if (part->temporary == NULL)
        goto fail;
    if (!is_pcapng(path)) {
        part->pcap = tl_capture_create(part->temporary, linktype, err);
        if (part->pcap == NULL)
            goto fail;
        return part;
    }
    part->block = malloc(FAL_PCAPNG_BLOCK_MAX);
    part->file = fopen(part->temporary, "wbe");
    if (part->block == NULL || part->file == NULL)
        (void)fal_fail(err, FAL_ERR_IO, "%s: %s", path, strerror(errno));
    else if (section(part, err) == 0)
        return part;
fail:
    FAL_IGNORE(tl_part_finish(part, false, 0, NULL)); /* `err` states the first error */
    return NULL;
}

void tl_part_keep_comments(struct tl_part *part)
{
    part->comments = true;
}

/* ---- frames ---- */

/* Describes interfaces until the one with that index has that link type. Sections of the
 * original whose interfaces differ become sections here. */
static int interface(struct tl_part *part, uint32_t index, unsigned linktype,
                     struct fal_error *err)
{
    const struct fal_pcapng_interface is = {
        .linktype = linktype, .snaplen = TL_FRAME_MAX, .tsresol = TSRESOL_NANO};
    int status = 0;

    if (index < part->num_interfaces && part->linktypes[index] != linktype)
        status = section(part, err);
    while (status == 0 && part->num_interfaces <= index) {
        part->linktypes[part->num_interfaces++] = linktype;
        status =
            put(part, fal_pcapng_write_interface(&is, part->block, FAL_PCAPNG_BLOCK_MAX), err);
    }
    return status;
}

/* Readers count the drops of each section from 0. */
static int drops(struct tl_part *part, uint64_t dropped, struct fal_error *err)
{
    struct fal_pcapng_statistics said = {.interface = 0};

    if (part->file == NULL || dropped <= part->dropped || part->num_interfaces == 0)
        return 0;
    part->dropped = dropped;
    said.drops = dropped - part->in_section;
    return put(
        part,
        fal_pcapng_write_statistics(&said, part->last_ns, part->block, FAL_PCAPNG_BLOCK_MAX),
        err);
}

int tl_part_write(struct tl_part *part, const struct tl_captured *got, const uint8_t *bytes,
                  const char *comment, uint64_t dropped, struct fal_error *err)
{
    struct fal_pcapng_packet packet;
    int status;

    if (part->pcap != NULL)
        return tl_capture_write(part->pcap, got->ts_ns, bytes, got->caplen, got->len, err);
    memset(&packet, 0, offsetof(struct fal_pcapng_packet, comments));
    if (got->marks != NULL) {
        packet.interface = got->marks->interface;
        packet.drops = got->marks->drops;
        packet.has_flags = got->marks->has_flags;
        packet.flags = got->marks->flags;
    }
    packet.ts_ns = part->last_ns = got->ts_ns;
    packet.caplen = got->caplen;
    packet.len = got->len;
    packet.bytes = bytes;
    for (size_t i = 0; part->comments && got->marks != NULL && i < got->marks->num_comments &&
                       i + 1 < FAL_PCAPNG_COMMENTS_MAX;
         i++)
        packet.comments[packet.num_comments++] = got->marks->comments[i];
    if (comment[0] != '\0')
        packet.comments[packet.num_comments++] =
            (struct fal_span){(const uint8_t *)comment, strlen(comment)};
    status = interface(part, packet.interface, got->linktype, err);
    if (status == 0)
        status = drops(part, dropped, err);
    return status != 0
               ? status
               : put(part, fal_pcapng_write_packet(&packet, part->block, FAL_PCAPNG_BLOCK_MAX),
                     err);
}

int tl_part_finish(struct tl_part *part, bool good, uint64_t dropped, struct fal_error *err)
{
    int status = 0;

    if (part == NULL)
        return 0;
    if (good)
        status = drops(part, dropped, err);
    if (tl_capture_finish(part->pcap, status == 0 ? err : NULL) != 0 && status == 0)
        status = FAL_ERR_IO;
    if (part->file != NULL && fclose(part->file) != 0 && status == 0)
        status = fal_fail(err, FAL_ERR_IO, "%s: %s", part->path, strerror(errno));
    if (part->temporary != NULL) {
        int ended = tl_whole_end(part->temporary, part->path, good && status == 0,
                                 status == 0 ? err : NULL);

        status = status != 0 ? status : ended;
    }
    free(part->block);
    free(part->temporary);
    free(part->path);
    free(part);
    return status;
}
