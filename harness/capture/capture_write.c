/* SPDX-License-Identifier: Apache-2.0
 * capture_write.c - writes captures: pcap by libpcap, pcapng by codecs/pcapng/pcapng.h. */
#include "harness/capture/capture_impl.h"

#include "codecs/base/error.h"
#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdlib.h>

enum { NS_PER_S = 1000000000, TSRESOL_NANO = 9 };

struct tl_capture_writer {
    char *path;
    FILE *file;
    bool failed;
    pcap_t *pcap; /* used for pcap */
    pcap_dumper_t *dumper;
    uint8_t *block; /* used for pcapng: FAL_PCAPNG_BLOCK_MAX bytes */
};

static int io_error(struct tl_capture_writer *writer, struct fal_error *err)
{
    writer->failed = true;
    return fal_fail(err, FAL_ERR_IO, "%s: %s", writer->path, strerror(errno));
}

/* ---- creating ---- */

static bool is_pcapng(const char *path)
{
    static const char suffix[] = ".pcapng";
    size_t len = strlen(path);

    return len >= sizeof suffix && strcmp(path + len - (sizeof suffix - 1), suffix) == 0;
}

static int put_block(struct tl_capture_writer *writer, int len, struct fal_error *err)
{
    if (fwrite(writer->block, 1, (size_t)len, writer->file) == (size_t)len)
        return 0;
    return io_error(writer, err);
}

int tl_capture_add_interface(struct tl_capture_writer *writer, unsigned linktype,
                             const char *name, struct fal_error *err)
{
    const struct fal_pcapng_interface interface = {
        .linktype = linktype,
        .snaplen = TL_FRAME_MAX,
        .tsresol = TSRESOL_NANO,
        .name = {(const uint8_t *)name, strlen(name)},
    };

    if (writer->block == NULL)
        return fal_fail(err, FAL_ERR_TYPE, "%s: pcap files have one interface", writer->path);
    return put_block(
        writer, fal_pcapng_write_interface(&interface, writer->block, FAL_PCAPNG_BLOCK_MAX),
        err);
}

static int begin_pcapng(struct tl_capture_writer *writer, unsigned linktype,
                        struct fal_error *err)
{
    static const char name[] = "talon";
    int status;

    writer->block = malloc(FAL_PCAPNG_BLOCK_MAX);
    if (writer->block == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    status = put_block(
        writer, fal_pcapng_write_section(name, writer->block, FAL_PCAPNG_BLOCK_MAX), err);
    return status != 0 ? status : tl_capture_add_interface(writer, linktype, name, err);
}

static int begin_pcap(struct tl_capture_writer *writer, unsigned linktype,
                      struct fal_error *err)
{
    writer->pcap = pcap_open_dead_with_tstamp_precision(tl_linktype_dlt(linktype), TL_FRAME_MAX,
                                                        PCAP_TSTAMP_PRECISION_NANO);
    if (writer->pcap == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    writer->dumper = pcap_dump_fopen(writer->pcap, writer->file);
    if (writer->dumper != NULL)
        return 0;
    return fal_fail(err, FAL_ERR_IO, "%s: %s", writer->path, pcap_geterr(writer->pcap));
}

struct tl_capture_writer *tl_capture_create(const char *path, unsigned linktype,
                                            struct fal_error *err)
{
    struct tl_capture_writer *writer = calloc(1, sizeof *writer);
    bool to_stdout = strcmp(path, "-") == 0;

    if (writer == NULL ||
        (writer->path = strdup(to_stdout ? "standard output" : path)) == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto fail;
    }
    if (tl_linktype_name(linktype) == NULL) {
        (void)fal_fail(err, FAL_ERR_TYPE, "%s: link type %u cannot be written", writer->path,
                       linktype);
        goto fail;
    }
    writer->file = to_stdout ? stdout : fopen(path, "wbe");
    if (writer->file == NULL) {
        (void)fal_fail(err, FAL_ERR_IO, "%s: %s", path, strerror(errno));
        goto fail;
    }
    if (is_pcapng(path) ? begin_pcapng(writer, linktype, err) == 0
                        : begin_pcap(writer, linktype, err) == 0)
        return writer;
fail:
    /* `err` states the first error. */
    FAL_IGNORE(tl_capture_finish(writer, NULL));
    return NULL;
}

/* ---- frames ---- */

static int write_pcap(struct tl_capture_writer *writer, const struct fal_pcapng_packet *packet,
                      struct fal_error *err)
{
    struct pcap_pkthdr header = {.caplen = packet->caplen, .len = packet->len};

    if (packet->ts_ns / NS_PER_S > UINT32_MAX)
        return fal_fail(err, FAL_ERR_RANGE,
                        "ts_ns: %" PRIu64 " is after 2106, the last time that pcap can store",
                        packet->ts_ns);
    header.ts.tv_sec = (time_t)(packet->ts_ns / NS_PER_S);
    header.ts.tv_usec = (suseconds_t)(packet->ts_ns % NS_PER_S);
    pcap_dump((u_char *)writer->dumper, &header, packet->bytes);
    return ferror(writer->file) != 0 ? io_error(writer, err) : 0;
}

int tl_capture_write_marked(struct tl_capture_writer *writer,
                            const struct fal_pcapng_packet *packet, struct fal_error *err)
{
    int len;

    if (packet->caplen > TL_FRAME_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "%" PRIu32 " bytes; no frame has more than %d",
                        packet->caplen, TL_FRAME_MAX);
    if (writer->dumper != NULL)
        return write_pcap(writer, packet, err);
    len = fal_pcapng_write_packet(packet, writer->block, FAL_PCAPNG_BLOCK_MAX);
    if (len < 0)
        return fal_fail(err, FAL_ERR_RANGE,
                        "the comments are longer than a packet block allows");
    return put_block(writer, len, err);
}

int tl_capture_write(struct tl_capture_writer *writer, uint64_t ts_ns, const uint8_t *bytes,
                     uint32_t caplen, uint32_t len, struct fal_error *err)
{
    struct fal_pcapng_packet packet;

    memset(&packet, 0, offsetof(struct fal_pcapng_packet, comments)); /* as many as 0 */
    packet.ts_ns = ts_ns;
    packet.bytes = bytes;
    packet.caplen = caplen;
    packet.len = len;
    return tl_capture_write_marked(writer, &packet, err);
}

/* ---- the end ---- */

int tl_capture_finish(struct tl_capture_writer *writer, struct fal_error *err)
{
    int status = 0;

    if (writer == NULL)
        return 0;
    if (writer->file != NULL && fflush(writer->file) != 0)
        status = fal_fail(err, FAL_ERR_IO, "%s: %s", writer->path, strerror(errno));
    else if (writer->failed)
        status = fal_fail(err, FAL_ERR_IO, "%s: not all frames could be written", writer->path);
    if (writer->file == stdout)
        ; /* standard output belongs to the program */
    else if (writer->dumper != NULL)
        pcap_dump_close(writer->dumper);
    else if (writer->file != NULL && fclose(writer->file) != 0 && status == 0)
        status = fal_fail(err, FAL_ERR_IO, "%s: %s", writer->path, strerror(errno));
    if (writer->pcap != NULL)
        pcap_close(writer->pcap);
    free(writer->block);
    free(writer->path);
    free(writer);
    return status;
}
