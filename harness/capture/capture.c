/* SPDX-License-Identifier: Apache-2.0
 * capture.c - reads captures: pcap by capture_fast.c and libpcap, pcapng by
 * codecs/pcapng/pcapng.h, either of them also compressed (compressed.c). Lengths and times of a
 * file are checked against limits before they are used. */
#include "harness/capture/capture_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { NS_PER_S = 1000000000, BUFFER = 1 << 17 };

struct tl_capture {
    char *path;
    FILE *file;                       /* NULL: the file is read by libpcap */
    struct tl_compressed *compressed; /* NULL: the file is read as it is */
    char *buffer;
    unsigned linktype;
    uint64_t number;
    struct tl_filter *filter;
    pcap_t *pcap; /* exactly one of the two is set */
    struct tl_pcapng_file *ng;
    struct tl_fast_pcap *fast; /* reads ahead of `pcap`; NULL: libpcap reads */
};

/* The reason of an error: damage of the compressed data comes before its effects. */
static const char *reason(const struct tl_capture *capture, const char *otherwise)
{
    const char *why = tl_compressed_error(capture->compressed);

    return why != NULL ? why : otherwise;
}

/* ---- opening ---- */

static int open_pcapng(struct tl_capture *capture, struct fal_error *err)
{
    struct fal_error why = {{0}};
    struct stat about;
    int status;

    capture->ng = calloc(1, sizeof *capture->ng);
    if (capture->ng == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    capture->ng->file = capture->file;
    capture->ng->ahead = capture->compressed != NULL ||
                         (capture->file != stdin && fstat(fileno(capture->file), &about) == 0 &&
                          S_ISREG(about.st_mode));
    capture->linktype = FAL_LINKTYPE_ETHERNET; /* a file without frames */
    status = tl_pcapng_next(capture->ng, true, &why);
    if (status < 0)
        return fal_fail(err, status, "%s: not a readable capture: %.250s", capture->path,
                        reason(capture, why.text));
    if (status == 1 && capture->ng->block.kind == FAL_PCAPNG_INTERFACE)
        capture->linktype = capture->ng->block.interface.linktype;
    return 0;
}

static int open_pcap(struct tl_capture *capture, struct fal_error *err)
{
    char text[PCAP_ERRBUF_SIZE] = "";
    /* libpcap may be in the middle of standard input */
    bool regular = capture->file != stdin && capture->compressed == NULL;
    int dlt;

    capture->pcap = pcap_fopen_offline_with_tstamp_precision(capture->file,
                                                             PCAP_TSTAMP_PRECISION_NANO, text);
    if (capture->pcap == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%s: not a readable capture: %s", capture->path,
                        reason(capture, text));
    capture->file = NULL; /* pcap_close closes the file */
    dlt = pcap_datalink(capture->pcap);
    capture->linktype = tl_linktype_from_dlt(dlt);
    if (capture->linktype != 0) {
        if (regular)
            capture->fast = tl_fast_pcap_new(fileno(pcap_file(capture->pcap)),
                                             (uint32_t)pcap_snapshot(capture->pcap));
        return 0;
    }
    return fal_fail(
        err, FAL_ERR_TYPE, "%s: link type %d (%s) is not supported; supported are %s",
        capture->path, dlt,
        pcap_datalink_val_to_name(dlt) != NULL ? pcap_datalink_val_to_name(dlt) : "unknown",
        tl_linktypes_text());
}

/* Use fewer and larger reads. Standard input keeps its own buffer, because it is used until the
 * process ends. */
static void widen_buffer(struct tl_capture *capture)
{
    capture->buffer = malloc(BUFFER);
    if (capture->buffer != NULL)
        (void)setvbuf(capture->file, capture->buffer, _IOFBF, BUFFER);
}

struct tl_capture *tl_capture_open(const char *path, struct fal_error *err)
{
    struct tl_capture *capture = calloc(1, sizeof *capture);
    bool from_stdin = strcmp(path, "-") == 0;
    struct fal_error why = {{0}};
    int first;

    if (capture == NULL ||
        (capture->path = strdup(from_stdin ? "standard input" : path)) == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto fail;
    }
    capture->file = from_stdin ? stdin : fopen(path, "rbe");
    if (capture->file == NULL) {
        (void)fal_fail(err, FAL_ERR_IO, "%s: %s", path, strerror(errno));
        goto fail;
    }
    if (!from_stdin)
        widen_buffer(capture);
    if (tl_compressed_open(&capture->file, &capture->compressed, &why) != 0) {
        (void)fal_fail(err, FAL_ERR_IO, "%s: %s", capture->path, why.text);
        goto fail;
    }
    first = getc(capture->file);
    if (first != EOF)
        (void)ungetc(first, capture->file);
    if (first == FAL_PCAPNG_FIRST_BYTE ? open_pcapng(capture, err) == 0
                                       : open_pcap(capture, err) == 0)
        return capture;
fail:
    tl_capture_close(capture);
    return NULL;
}

unsigned tl_capture_linktype(const struct tl_capture *capture)
{
    return capture->linktype;
}

int tl_capture_filter(struct tl_capture *capture, const char *expression, struct fal_error *err)
{
    capture->filter = tl_filter_new(expression);
    if (capture->filter == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (tl_linktype_name(capture->linktype) == NULL)
        return 0; /* its first frame reports the error */
    return tl_filter_match(capture->filter, capture->linktype, NULL, err);
}

void tl_capture_close(struct tl_capture *capture)
{
    FILE *source;

    if (capture == NULL)
        return;
    source = tl_compressed_file(capture->compressed);
    if (capture->pcap != NULL)
        pcap_close(capture->pcap);
    if (capture->file != NULL && capture->file != stdin)
        (void)fclose(capture->file);
    tl_compressed_free(capture->compressed);
    if (source != NULL && source != stdin)
        (void)fclose(source);
    tl_filter_free(capture->filter);
    tl_fast_pcap_free(capture->fast);
    free(capture->buffer);
    free(capture->ng);
    free(capture->path);
    free(capture);
}

uint64_t tl_capture_dropped(const struct tl_capture *capture)
{
    return capture->ng != NULL ? capture->ng->dropped : 0;
}

bool tl_capture_is_pcapng(const struct tl_capture *capture)
{
    return capture->ng != NULL;
}

size_t tl_capture_interfaces(const struct tl_capture *capture)
{
    return capture->ng != NULL ? capture->ng->reader.num_interfaces : 1;
}

bool tl_capture_position(const struct tl_capture *capture, uint64_t *done, uint64_t *size)
{
    FILE *file = tl_compressed_file(capture->compressed);
    struct stat st;
    off_t at;

    if (file == NULL)
        file = capture->pcap != NULL ? pcap_file(capture->pcap) : capture->file;
    if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    at = ftello(file);
    *done = capture->fast != NULL ? tl_fast_pcap_offset(capture->fast) : (uint64_t)at;
    *size = (uint64_t)st.st_size;
    return at >= 0 || capture->fast != NULL;
}

/* ---- frames ---- */

/* Seconds in a pcap file are 32-bit unsigned; libpcap returns them as signed. */
static uint64_t time_of(const struct pcap_pkthdr *header)
{
    int64_t s = header->ts.tv_sec,
            ns = header->ts.tv_usec; /* nanoseconds, because the file was opened so */

    if (s < 0 && s >= INT32_MIN)
        s = (int64_t)(uint32_t)s;
    if (ns < 0 || ns >= NS_PER_S)
        ns = NS_PER_S - 1;
    return s < 0 ? 0 : (uint64_t)s * NS_PER_S + (uint64_t)ns;
}

/* The fast reader has come to its end: libpcap reads on where it stopped. */
static int leave_fast(struct tl_capture *capture, struct fal_error *err)
{
    off_t offset = (off_t)tl_fast_pcap_offset(capture->fast);

    tl_fast_pcap_free(capture->fast);
    capture->fast = NULL;
    if (fseeko(pcap_file(capture->pcap), offset, SEEK_SET) == 0)
        return 0;
    return fal_fail(err, FAL_ERR_IO, "%s: %s", capture->path, strerror(errno));
}

static int next_pcap(struct tl_capture *capture, struct tl_captured *out, struct fal_error *err)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    int status;

    if (capture->fast != NULL) {
        if (tl_fast_pcap_next(capture->fast, out)) {
            out->number = ++capture->number;
            out->linktype = capture->linktype;
            return 1;
        }
        status = leave_fast(capture, err);
        if (status != 0)
            return status;
    }
    status = pcap_next_ex(capture->pcap, &header, &bytes);
    if (status == PCAP_ERROR_BREAK)
        return 0;
    capture->number++;
    if (status != 1)
        return fal_fail(err, FAL_ERR_FORM, "%s: frame %" PRIu64 ": %s", capture->path,
                        capture->number, reason(capture, pcap_geterr(capture->pcap)));
    if (header->caplen > TL_FRAME_MAX)
        return fal_fail(err, FAL_ERR_FORM,
                        "%s: frame %" PRIu64 ": %u bytes; no frame has more than %d",
                        capture->path, capture->number, header->caplen, TL_FRAME_MAX);
    *out = (struct tl_captured){
        .number = capture->number,
        .ts_ns = time_of(header),
        .caplen = header->caplen,
        .len = header->len > header->caplen ? header->len : header->caplen,
        .linktype = capture->linktype,
        .bytes = bytes,
    };
    return 1;
}

static int next_pcapng(struct tl_capture *capture, struct tl_captured *out,
                       struct fal_error *err)
{
    struct fal_error why; /* set only if reading fails */
    const struct fal_pcapng_packet *packet = &capture->ng->block.packet;
    int status = tl_pcapng_next(capture->ng, false, &why);

    if (status == 0)
        return 0;
    capture->number++;
    if (status < 0)
        return fal_fail(err, FAL_ERR_FORM, "%s: frame %" PRIu64 ": %.250s", capture->path,
                        capture->number, reason(capture, why.text));
    *out = (struct tl_captured){
        .number = capture->number,
        .ts_ns = packet->ts_ns,
        .caplen = packet->caplen,
        .len = packet->len,
        .linktype = capture->ng->reader.interfaces[packet->interface].linktype,
        .bytes = packet->bytes,
        .marks = packet,
    };
    if (tl_linktype_name(out->linktype) != NULL)
        return 1;
    return fal_fail(err, FAL_ERR_FORM,
                    "%s: frame %" PRIu64 ": link type %u is not supported; supported are %s",
                    capture->path, capture->number, out->linktype, tl_linktypes_text());
}

int tl_capture_next(struct tl_capture *capture, struct tl_captured *out, struct fal_error *err)
{
    int status, matches = 1;

    do {
        status =
            capture->ng != NULL ? next_pcapng(capture, out, err) : next_pcap(capture, out, err);
        if (status > 0 && capture->filter != NULL)
            matches = tl_filter_match(capture->filter, out->linktype, out, err);
    } while (status > 0 && matches == 0);
    return matches < 0 ? matches : status;
}
