/* SPDX-License-Identifier: Apache-2.0
 * cmd_encode.c - `talon encode`: a capture from packets in text or JSON, one a line, one at a
 * time. */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "codecs/frame/roce_frame.h"
#include "codecs/json/frame_line.h"
#include "codecs/text/bytes_line.h"
#include "codecs/text/roce_text.h"
#include "harness/capture/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line holds a frame of TL_FRAME_MAX bytes in hex, and more. One buffer is for the bytes of
 * such a line, one for the encoded frame. */
enum { LINE_CAP = 1 << 20, MEMORY = LINE_CAP + 2 * TL_FRAME_MAX };

struct encode {
    const char *in_path, *out_path, *psp_keys_path, *esp_keys_path;
    struct fal_frame_line reader;
    int ip;            /* enum ip_choice */
    unsigned linktype; /* 0: not known yet */
    FILE *in;
    uint64_t line; /* number, from 1 */
    struct fal_frame_keys keys;
    struct tl_capture_writer *writer;
    char *text;
    uint8_t *bytes;
};

static int complain(int status, const char *what)
{
    fprintf(stderr, "talon encode: %s\n", what);
    return status;
}

/* About the line being read. */
static int wrong_line(const struct encode *e, const char *what)
{
    fprintf(stderr, "talon encode: %s:%" PRIu64 ": %s\n", e->in_path, e->line, what);
    return TL_STATUS_USAGE;
}

/* ---- options ---- */

/* The IP versions of struct encode's `ip`. */
enum ip_choice { IP_4, IP_6 };

static int set_linktype(void *into, const char *value, struct fal_error *err)
{
    struct encode *e = into;

    e->linktype = strlen(value) <= 3 ? (unsigned)strtoul(value, NULL, 10) : 0;
    return tl_linktype_name(e->linktype) != NULL
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "'%.40s'; expected 1, 101, 113, 276 or 147",
                          value);
}

#define TL_OPTIONS_OF struct encode

static const struct tl_option option_list[] = {
    {TL_TEXT("FILE", in_path, NULL)},
    {TL_TEXT("--out", out_path, "FILE"),
     .help = "the capture: pcapng when FILE ends in .pcapng, else pcap; - is standard output"},
    {TL_CHOICE("--encap", reader.encap, "NAME", FAL_ENCAPS),
     .help = "encapsulation of packets whose line names no layers: udp (default), "
             "psp_transport, psp_tunnel, esp_transport, esp_tunnel, bare"},
    {TL_CHOICE("--ip", ip, "4|6", "4 6"), .help = "IP version of these packets (default 4)"},
    {TL_TEXT("--psp-keys", psp_keys_path, "FILE"), .help = "keys to seal PSP packets"},
    {TL_TEXT("--esp-keys", esp_keys_path, "FILE"), .help = "keys to seal ESP packets"},
    {TL_OWN("--linktype", set_linktype, "1|101|113|276|147"),
     .help = "link type of the capture: Ethernet, raw IP, Linux cooked, Linux cooked v2, bare "
             "Falcon (default: that of the first frame)"},
    {TL_FLAG("--raw", reader.raw),
     .help = "fill in nothing: lengths, checksums, IV and ICV that a line does not give are 0, "
             "so that malformed packets can be written on purpose"},
};
static const struct tl_options options = {"encode", option_list,
                                          sizeof option_list / sizeof *option_list};

static int check_options(struct encode *e)
{
    e->reader.ip_version = e->ip == IP_6 ? 6 : 4;
    if (e->out_path == NULL)
        return tl_verb_wrong(options.verb, "--out is missing");
    if (e->in_path == NULL && isatty(STDIN_FILENO))
        return tl_verb_wrong(options.verb, "no file given");
    if (e->in_path == NULL)
        e->in_path = "-";
    return 0;
}

/* Opens the files that the options name; the capture is created when its link type is known.
 * `memory`: MEMORY bytes. */
static int prepare(struct encode *e, void *memory)
{
    struct fal_error err = {{0}};

    if (memory == NULL)
        return complain(TL_STATUS_ERROR, "out of memory");
    e->bytes = memory;
    e->reader.storage = e->bytes + TL_FRAME_MAX;
    e->reader.cap = TL_FRAME_MAX;
    e->text = (char *)e->reader.storage + TL_FRAME_MAX;
    if (e->psp_keys_path != NULL) {
        e->keys.psp = tl_psp_keys_open(e->psp_keys_path, &err);
        if (e->keys.psp == NULL)
            return complain(TL_STATUS_USAGE, err.text);
    }
    if (e->esp_keys_path != NULL) {
        e->keys.esp = tl_esp_keys_open(e->esp_keys_path, &err);
        if (e->keys.esp == NULL)
            return complain(TL_STATUS_USAGE, err.text);
    }
    if (strcmp(e->in_path, "-") == 0) {
        e->in_path = "standard input";
        e->in = stdin;
        return 0;
    }
    e->in = fopen(e->in_path, "re");
    if (e->in != NULL)
        return 0;
    fprintf(stderr, "talon encode: %s: %s\n", e->in_path, strerror(errno));
    return TL_STATUS_USAGE;
}

/* ---- lines ---- */

/* Reads a line into e->text without its newline: its length; -1 at the end; -2 when it is too
 * long; -3 when reading failed. */
static long next_line(struct encode *e)
{
    long len = 0;
    int c;

    e->line++;
    while ((c = getc_unlocked(e->in)) != EOF && c != '\n') {
        if (len == LINE_CAP - 1)
            return -2;
        e->text[len++] = (char)c;
    }
    e->text[len] = 0;
    if (ferror(e->in) != 0)
        return -3;
    return c == EOF && len == 0 ? -1 : len;
}

/* ---- frames ---- */

static bool is_ip(enum fal_layer_id id)
{
    return id == FAL_LAYER_IPV4 || id == FAL_LAYER_IPV6;
}

/* Fits the frame to the capture's link type; if no option sets it, the first frame does. Frames
 * without headers fit any. */
static int fit_linktype(struct encode *e, struct fal_frame *frame)
{
    char text[160];

    if (e->linktype == 0)
        e->linktype = frame->linktype;
    if (frame->layers[0].id == FAL_LAYER_RAW)
        frame->linktype = e->linktype;
    if (e->linktype == FAL_LINKTYPE_RAW && frame->layers[0].id == FAL_LAYER_ETH &&
        frame->num_layers > 1 && is_ip(frame->layers[1].id)) { /* as the option asks */
        memmove(frame->layers, frame->layers + 1,
                (frame->num_layers - 1) * sizeof *frame->layers);
        frame->num_layers--;
        frame->linktype = FAL_LINKTYPE_RAW;
    }
    if (frame->linktype == e->linktype)
        return 0;
    (void)snprintf(text, sizeof text, "the frame is %s, the capture %s",
                   tl_linktype_name(frame->linktype), tl_linktype_name(e->linktype));
    return wrong_line(e, text);
}

/* The reason why fal_frame_encode refused a frame. */
static int not_encoded(const struct encode *e, const struct fal_frame *frame, int code,
                       const struct fal_field *bad)
{
    char text[200] = "the frame cannot be encoded";

    if (code == FAL_ERR_KEY && fal_frame_has(frame, FAL_LAYER_ESP))
        (void)snprintf(text, sizeof text, "esp.spi: there is no key for 0x%08" PRIx32 "%s",
                       frame->esp.spi, e->keys.esp == NULL ? " (--esp-keys)" : "");
    else if (code == FAL_ERR_KEY)
        (void)snprintf(text, sizeof text, "psp.spi: there is no key for 0x%08" PRIx32 "%s",
                       frame->psp.spi, e->keys.psp == NULL ? " (--psp-keys)" : "");
    else if (code == FAL_ERR_RANGE && bad != NULL)
        (void)snprintf(text, sizeof text, "%s: the value does not fit in %u bits", bad->name,
                       (unsigned)bad->width_bits);
    else if (code == FAL_ERR_SHORT)
        (void)snprintf(text, sizeof text, "the frame is longer than %d bytes", TL_FRAME_MAX);
    else if (code == FAL_ERR_TYPE && fal_frame_has(frame, FAL_LAYER_PSP))
        (void)snprintf(text, sizeof text,
                       "psp: version %u is reserved, or crypt_offset %u is beyond the packet",
                       (unsigned)frame->psp.version, (unsigned)frame->psp.crypt_offset);
    else if (code == FAL_ERR_MEM)
        return complain(TL_STATUS_ERROR, "out of memory");
    return wrong_line(e, text);
}

/* The reader has closed the pipe: -1. */
static int output_failed(const char *what, int why)
{
    if (why == EPIPE)
        return -1;
    return complain(TL_STATUS_ERROR, what);
}

/* Writes `len` bytes of e->bytes; `missing` more were on the wire. */
static int write_bytes(struct encode *e, uint64_t ts_ns, uint32_t len, uint32_t missing)
{
    struct fal_error err = {{0}};
    int status;

    if (e->writer == NULL) {
        e->writer = tl_capture_create(e->out_path, e->linktype, &err);
        if (e->writer == NULL)
            return complain(TL_STATUS_USAGE, err.text);
    }
    if (missing > UINT32_MAX - len)
        missing = UINT32_MAX - len;
    errno = 0;
    status = tl_capture_write(e->writer, ts_ns, e->bytes, len, len + missing, &err);
    if (status == FAL_ERR_IO)
        return output_failed(err.text, errno);
    return status != 0 ? wrong_line(e, err.text) : 0;
}

static int write_frame(struct encode *e, const struct fal_frame *frame, unsigned keep)
{
    const struct fal_field *bad = NULL;
    int len = fal_frame_encode_with(frame, &e->keys, keep, e->bytes, TL_FRAME_MAX, &bad);

    if (len < 0)
        return not_encoded(e, frame, len, bad);
    return write_bytes(e, frame->ts_ns, (uint32_t)len, frame->len - frame->caplen);
}

/* A packet of RoCEv2 between the hosts of the laboratory, with its ICRC. */
static int write_roce(struct encode *e, const struct fal_roce_line *line)
{
    const struct fal_field *bad = NULL;
    struct fal_roce_route route;
    char text[120];
    int len;

    if (e->linktype == 0)
        e->linktype = FAL_LINKTYPE_ETHERNET;
    if (e->linktype != FAL_LINKTYPE_ETHERNET)
        return wrong_line(e, "a line of RoCEv2 makes a frame of Ethernet, and the capture has "
                             "another link type");
    fal_roce_route_lab(&route, e->ip == IP_6, line->back);
    route.ecn = line->ecn;
    if (line->port != 0)
        route.src_port = line->port;
    if (line->hex_len > 0)
        len = fal_roce_frame_bytes(&(struct fal_span){line->hex, line->hex_len}, &route,
                                   e->bytes, TL_FRAME_MAX);
    else
        len = fal_roce_frame_encode(&line->packet, &route, e->bytes, TL_FRAME_MAX, &bad);
    if (len < 0) {
        (void)snprintf(text, sizeof text, "%s: the packet of RoCEv2 cannot be encoded",
                       bad != NULL ? bad->name : "opcode");
        return wrong_line(e, text);
    }
    if (line->bad_icrc)
        e->bytes[len - 1] ^= 1;
    return write_bytes(e, line->at_ns, (uint32_t)len, 0);
}

/* A frame of which the line has all bytes: e->bytes has them. */
static int write_whole(struct encode *e, const struct fal_bytes_line *line)
{
    char text[160];

    if (tl_linktype_name(line->linktype) == NULL)
        return wrong_line(e, "linktype: expected 1, 101, 113, 276 or 147");
    if (e->linktype == 0)
        e->linktype = line->linktype;
    if (e->linktype != line->linktype) {
        (void)snprintf(text, sizeof text, "the frame is %s, the capture %s",
                       tl_linktype_name(line->linktype), tl_linktype_name(e->linktype));
        return wrong_line(e, text);
    }
    return write_bytes(e, line->ts_ns, (uint32_t)line->len, line->missing);
}

static int encode_line(struct encode *e, size_t len)
{
    struct fal_frame frame;
    struct fal_error err = {{0}};
    struct fal_bytes_line whole;
    struct fal_roce_line roce;
    unsigned keep = 0;
    int status = fal_bytes_line_parse(e->text, &whole, e->bytes, TL_FRAME_MAX, &err);

    if (status != FAL_ERR_TYPE)
        return status == 0 ? write_whole(e, &whole) : wrong_line(e, err.text);
    status = fal_roce_line_parse(e->text, &roce, &err);
    if (status != FAL_ERR_TYPE)
        return status == 0 ? write_roce(e, &roce) : wrong_line(e, err.text);
    status = fal_frame_line_read(&e->reader, e->text, len, &frame, &keep, &err);
    if (status == 0)
        return 0;
    if (status < 0)
        return wrong_line(e, err.text);
    status = fit_linktype(e, &frame);
    return status != 0 ? status : write_frame(e, &frame, keep);
}

static int encode_all(struct encode *e)
{
    long len;
    int status = 0;

    while (status == 0 && (len = next_line(e)) != -1) {
        if (len == -2)
            return wrong_line(e, "the line is longer than 1 MiB");
        if (len == -3)
            return wrong_line(e, strerror(errno));
        status = encode_line(e, (size_t)len);
    }
    return status;
}

/* Not one frame, and nothing wrong: a capture of none. */
static int write_empty(struct encode *e)
{
    struct fal_error err = {{0}};

    if (e->linktype == 0)
        e->linktype =
            e->reader.encap == FAL_ENCAP_BARE ? FAL_LINKTYPE_USER0 : FAL_LINKTYPE_ETHERNET;
    e->writer = tl_capture_create(e->out_path, e->linktype, &err);
    return e->writer != NULL ? 0 : complain(TL_STATUS_USAGE, err.text);
}

int tl_cmd_encode(int argc, char **argv)
{
    struct encode e = {.reader = {.encap = FAL_ENCAP_UDP, .ip_version = 4}};
    struct fal_error err = {{0}};
    int status = tl_verb_read(&options, tl_usage_encode, argc, argv, &e);
    void *memory;

    if (status != TL_VERB_GO)
        return status;
    status = check_options(&e);
    memory = malloc(MEMORY);
    if (status == 0)
        status = prepare(&e, memory);
    if (status == 0)
        status = encode_all(&e);
    if (status == 0 && e.writer == NULL)
        status = write_empty(&e);
    if (tl_capture_finish(e.writer, &err) != 0 && status == 0)
        status = output_failed(err.text, errno);
    if (status < 0)
        __fpurge(stdout);
    if (e.in != NULL && e.in != stdin)
        (void)fclose(e.in);
    fal_psp_keys_free(e.keys.psp);
    fal_esp_keys_free(e.keys.esp);
    free(memory);
    return status > 0 ? status : TL_STATUS_PASS;
}
