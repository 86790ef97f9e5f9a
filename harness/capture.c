/* SPDX-License-Identifier: Apache-2.0
 * capture.c - capture files through libpcap. What a file says of lengths and times is held
 * against limits before anybody uses it. */
#include "harness/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>

enum { NS_PER_S = 1000000000 };

/* libpcap's names (DLT) and the file's numbers (LINKTYPE) differ for raw IP. */
static const struct {
    unsigned linktype;
    int dlt;
    const char *name;
} linktypes[] = {
    {FAL_LINKTYPE_ETHERNET, DLT_EN10MB, "Ethernet"},
    {FAL_LINKTYPE_RAW, DLT_RAW, "raw IP"},
    {FAL_LINKTYPE_USER0, DLT_USER0, "bare Falcon"},
};

enum { LINKTYPES = sizeof linktypes / sizeof *linktypes };

const char *tl_linktype_name(unsigned linktype)
{
    for (size_t i = 0; i < LINKTYPES; i++)
        if (linktypes[i].linktype == linktype)
            return linktypes[i].name;
    return NULL;
}

/* ---- reading ---- */

struct tl_capture {
    pcap_t *pcap;
    unsigned linktype;
    uint64_t number;
    char *path;
};

static int find_linktype(struct tl_capture *capture, struct fal_error *err)
{
    int dlt = pcap_datalink(capture->pcap);
    const char *name = pcap_datalink_val_to_name(dlt);

    for (size_t i = 0; i < LINKTYPES; i++) {
        if (linktypes[i].dlt == dlt) {
            capture->linktype = linktypes[i].linktype;
            return 0;
        }
    }
    return fal_fail(
        err, FAL_ERR_TYPE,
        "%s: link type %d (%s) cannot be read; there are 1 (Ethernet), 101 (raw IP) "
        "and 147 (bare Falcon)",
        capture->path, dlt, name != NULL ? name : "unknown");
}

struct tl_capture *tl_capture_open(const char *path, struct fal_error *err)
{
    struct tl_capture *capture = calloc(1, sizeof *capture);
    bool from_stdin = strcmp(path, "-") == 0;
    char text[PCAP_ERRBUF_SIZE] = "";
    FILE *file = NULL;

    if (capture == NULL ||
        (capture->path = strdup(from_stdin ? "standard input" : path)) == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto fail;
    }
    file = from_stdin ? stdin : fopen(path, "rbe");
    if (file == NULL) {
        (void)fal_fail(err, FAL_ERR_IO, "%s: %s", path, strerror(errno));
        goto fail;
    }
    capture->pcap =
        pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, text);
    if (capture->pcap == NULL) {
        (void)fal_fail(err, FAL_ERR_FORM, "%s: not a capture that can be read: %s",
                       capture->path, text);
        goto fail;
    }
    file = NULL; /* pcap_close closes it */
    if (find_linktype(capture, err) == 0)
        return capture;
fail:
    if (file != NULL && !from_stdin)
        (void)fclose(file);
    tl_capture_close(capture);
    return NULL;
}

unsigned tl_capture_linktype(const struct tl_capture *capture)
{
    return capture->linktype;
}

void tl_capture_close(struct tl_capture *capture)
{
    if (capture == NULL)
        return;
    if (capture->pcap != NULL)
        pcap_close(capture->pcap);
    free(capture->path);
    free(capture);
}

/* Seconds of a pcap file are 32 bits without a sign, which libpcap gives one; those of pcapng
 * may be anything. What is past the 64 bits of nanoseconds (with room for a sign) stops there.
 */
static uint64_t time_of(const struct pcap_pkthdr *header)
{
    int64_t s = header->ts.tv_sec, ns = header->ts.tv_usec; /* nanoseconds, as was asked for */
    const int64_t max_s = INT64_MAX / NS_PER_S - 1;

    if (s < 0 && s >= INT32_MIN)
        s = (int64_t)(uint32_t)s;
    if (ns < 0 || ns >= NS_PER_S)
        ns = NS_PER_S - 1;
    if (s < 0)
        return 0;
    return (uint64_t)(s > max_s ? max_s : s) * NS_PER_S + (uint64_t)ns;
}

int tl_capture_next(struct tl_capture *capture, struct tl_captured *out, struct fal_error *err)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    int status = pcap_next_ex(capture->pcap, &header, &bytes);

    if (status == PCAP_ERROR_BREAK)
        return 0;
    capture->number++;
    if (status != 1)
        return fal_fail(err, FAL_ERR_FORM, "%s: frame %" PRIu64 ": %s", capture->path,
                        capture->number, pcap_geterr(capture->pcap));
    if (header->caplen > TL_FRAME_MAX)
        return fal_fail(err, FAL_ERR_FORM,
                        "%s: frame %" PRIu64 ": has %u bytes, more than any frame (%d)",
                        capture->path, capture->number, header->caplen, TL_FRAME_MAX);
    *out = (struct tl_captured){
        .number = capture->number,
        .ts_ns = time_of(header),
        .caplen = header->caplen,
        .len = header->len > header->caplen ? header->len : header->caplen,
        .bytes = bytes,
    };
    return 1;
}

/* ---- writing ---- */

struct tl_capture_writer {
    pcap_t *pcap;
    pcap_dumper_t *dumper;
    char *path;
};

struct tl_capture_writer *tl_capture_create(const char *path, unsigned linktype,
                                            struct fal_error *err)
{
    struct tl_capture_writer *writer = calloc(1, sizeof *writer);
    bool to_stdout = strcmp(path, "-") == 0;
    FILE *file;

    if (writer == NULL ||
        (writer->path = strdup(to_stdout ? "standard output" : path)) == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto fail;
    }
    for (size_t i = 0; i < LINKTYPES; i++)
        if (linktypes[i].linktype == linktype)
            writer->pcap = pcap_open_dead_with_tstamp_precision(linktypes[i].dlt, TL_FRAME_MAX,
                                                                PCAP_TSTAMP_PRECISION_NANO);
    if (writer->pcap == NULL) {
        (void)fal_fail(err, FAL_ERR_TYPE, "%s: link type %u cannot be written", writer->path,
                       linktype);
        goto fail;
    }
    file = to_stdout ? stdout : fopen(path, "wbe");
    if (file == NULL) {
        (void)fal_fail(err, FAL_ERR_IO, "%s: %s", path, strerror(errno));
        goto fail;
    }
    writer->dumper = pcap_dump_fopen(writer->pcap, file);
    if (writer->dumper != NULL)
        return writer;
    (void)fal_fail(err, FAL_ERR_IO, "%s: %s", writer->path, pcap_geterr(writer->pcap));
    if (!to_stdout)
        (void)fclose(file);
fail:
    (void)tl_capture_finish(writer, NULL);
    return NULL;
}

int tl_capture_write(struct tl_capture_writer *writer, uint64_t ts_ns, const uint8_t *bytes,
                     uint32_t caplen, uint32_t len, struct fal_error *err)
{
    struct pcap_pkthdr header = {.caplen = caplen, .len = len};

    if (ts_ns / NS_PER_S > UINT32_MAX)
        return fal_fail(err, FAL_ERR_RANGE,
                        "ts_ns: %" PRIu64 " is after 2106, where the times of pcap end", ts_ns);
    if (caplen > TL_FRAME_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "%u bytes are more than any frame (%d)", caplen,
                        TL_FRAME_MAX);
    header.ts.tv_sec = (time_t)(ts_ns / NS_PER_S);
    header.ts.tv_usec = (suseconds_t)(ts_ns % NS_PER_S);
    pcap_dump((u_char *)writer->dumper, &header, bytes);
    if (ferror(pcap_dump_file(writer->dumper)) != 0)
        return fal_fail(err, FAL_ERR_IO, "%s: %s", writer->path, strerror(errno));
    return 0;
}

int tl_capture_finish(struct tl_capture_writer *writer, struct fal_error *err)
{
    int status = 0;

    if (writer == NULL)
        return 0;
    if (writer->dumper != NULL) {
        if (pcap_dump_flush(writer->dumper) != 0)
            status = fal_fail(err, FAL_ERR_IO, "%s: %s", writer->path, strerror(errno));
        else if (ferror(pcap_dump_file(writer->dumper)) != 0) /* said before, by a write */
            status = fal_fail(err, FAL_ERR_IO, "%s: frames are missing", writer->path);
        if (pcap_dump_file(writer->dumper) != stdout) /* which is the program's to close */
            pcap_dump_close(writer->dumper);
    }
    if (writer->pcap != NULL)
        pcap_close(writer->pcap);
    free(writer->path);
    free(writer);
    return status;
}

/* ---- keys ---- */

struct fal_psp_keys *tl_psp_keys_open(const char *path, struct fal_error *err)
{
    struct fal_psp_keys *keys;
    struct fal_error why = {{0}};
    json_error_t at;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &at);

    if (json == NULL) {
        if (at.line > 0)
            (void)fal_fail(err, FAL_ERR_FORM, "%s:%d:%d: %s", path, at.line, at.column,
                           at.text);
        else
            (void)fal_fail(err, FAL_ERR_FORM, "%s: %s", path, strerror(errno));
        return NULL;
    }
    keys = fal_psp_keys_new(json, &why);
    json_decref(json);
    if (keys == NULL)
        (void)fal_fail(err, FAL_ERR_FORM, "%s: %.300s", path, why.text);
    return keys;
}
