/* SPDX-License-Identifier: Apache-2.0
 * cmd_decode.c - `talon decode`: the packets of captures, as text or as JSON, one frame at a
 * time. */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "codecs/base/error.h"
#include "codecs/base/hex.h"
#include "codecs/json/json.h"
#include "codecs/text/bytes_line.h"
#include "codecs/text/frame_full.h"
#include "codecs/text/frame_text.h"
#include "codecs/text/text_full.h"
#include "harness/capture/capture.h"
#include "harness/capture/frame_message.h"
#include "harness/cli/decode_options.h"
#include "harness/cli/decode_stats.h"
#include "harness/wire/sandbox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every layer in full, and every issue, take less. */
enum { TEXT_MAX = 2 * FAL_LAYERS_MAX * FAL_TEXT_FULL_MAX };

enum { MESSAGES = 512 }; /* of RDMA that may still get packets */

struct decode {
    struct tl_decode_options given;
    struct fal_frame_options options;
    struct tl_decode_stats stats;
    int worst; /* enum fal_severity of the issues so far, or -1 */
    FILE *out;
    uint8_t *scratch;
    char *text;                   /* TEXT_MAX bytes: one frame as text */
    struct tl_messages *messages; /* of the file at hand */
};

/* Prints one line to standard error, after the earlier output. */
static int complain(struct decode *d, int status, const char *what)
{
    if (d->out != NULL)
        (void)fflush(d->out);
    fprintf(stderr, "talon decode: %s\n", what);
    return status;
}

/* ---- output ---- */

/* A reader that closed the pipe has read what it wanted: that is not an error. */
static int output_failed(struct decode *d)
{
    int why = errno;
    char text[300];

    if (fflush(d->out) != 0) /* try again what failed, to state the reason */
        why = errno;
    __fpurge(d->out);
    if (why == EPIPE)
        return -1;
    (void)snprintf(text, sizeof text, "%s: %s",
                   d->given.out_path != NULL ? d->given.out_path : "standard output",
                   strerror(why));
    return complain(d, TL_STATUS_ERROR, text);
}

/* A comment of a capture may hold any bytes. Control characters are not printed, and each
 * comment stays on one line. */
static void print_comments(struct decode *d, const struct fal_pcapng_packet *marks)
{
    for (size_t i = 0; marks != NULL && i < marks->num_comments; i++) {
        fputs("    # comment: ", d->out);
        for (size_t k = 0; k < marks->comments[i].len; k++) {
            uint8_t c = marks->comments[i].bytes[k];

            fputc(c < ' ' || c == 0x7f ? '.' : c, d->out);
        }
        fputc('\n', d->out);
    }
}

/* The message of RDMA whose segment, request or response the frame holds. */
static void print_message(struct decode *d, const struct fal_frame *frame)
{
    char text[TL_MESSAGE_TEXT];

    if (tl_frame_message(d->messages, frame, text, sizeof text))
        fprintf(d->out, "    # %s\n", text);
}

static int print_json(struct decode *d, json_t *json)
{
    int status;

    if (json == NULL)
        return complain(d, TL_STATUS_ERROR, "out of memory");
    status = json_dumpf(json, d->out, JSON_COMPACT);
    json_decref(json);
    if (status != 0 && ferror(d->out) == 0)
        return complain(d, TL_STATUS_ERROR, "out of memory");
    fputc('\n', d->out);
    return 0;
}

/* The bytes of a frame, as a line that talon encode reads. */
static void print_bytes(struct decode *d, const struct tl_captured *got)
{
    enum { CHUNK = 512 };
    const struct fal_bytes_line line = {.ts_ns = got->ts_ns,
                                        .linktype = got->linktype,
                                        .len = got->caplen,
                                        .missing = got->len - got->caplen};
    char head[FAL_BYTES_HEAD_MAX], digits[2 * CHUNK + 1];

    (void)fal_bytes_line_head(&line, head, sizeof head);
    fputs(head, d->out);
    for (size_t at = 0; at < got->caplen; at += CHUNK) {
        fal_hex_write(got->bytes + at, got->caplen - at < CHUNK ? got->caplen - at : CHUNK,
                      digits);
        fputs(digits, d->out);
    }
    fputc('\n', d->out);
}

static int print_frame(struct decode *d, const struct fal_frame *frame,
                       const struct tl_captured *got, uint64_t first_ns)
{
    int status = 0;

    if (d->given.format == TL_DECODE_JSON) {
        status = print_json(d, fal_json_frame(frame));
    } else {
        (void)fal_frame_text(frame, first_ns, d->options.falcon_port, d->text, TEXT_MAX);
        if (d->given.exact && d->text[0] != '#')
            fputs("# ", d->out); /* the line with the bytes is the one that is read back */
        fputs(d->text, d->out);
        print_message(d, frame);
        print_comments(d, got->marks);
        if (d->given.format == TL_DECODE_FULL) {
            (void)fal_frame_full(frame, d->text, TEXT_MAX);
            fputs(d->text, d->out);
        }
        if (d->given.exact)
            print_bytes(d, got);
    }
    return status == 0 && ferror(d->out) != 0 ? output_failed(d) : status;
}

static int print_stats(struct decode *d)
{
    int status = 0;

    if (d->given.format == TL_DECODE_JSON)
        status = print_json(d, tl_stats_json(&d->stats));
    else
        tl_stats_print(d->out, &d->stats);
    return status == 0 && ferror(d->out) != 0 ? output_failed(d) : status;
}

static int close_output(struct decode *d, int status)
{
    int failed = fclose(d->out), why = errno;

    d->out = NULL;
    return failed != 0 && status == 0 ? complain(d, TL_STATUS_ERROR, strerror(why)) : status;
}

/* ---- input ---- */

static void note_worst(struct decode *d, const struct fal_issues *issues)
{
    for (size_t i = 0; i < issues->count; i++)
        if ((int)issues->list[i].severity > d->worst)
            d->worst = (int)issues->list[i].severity;
}

/* What to print of a frame, and whether to print it. */
static int decode_frame(struct decode *d, const struct tl_captured *got, uint64_t first_ns,
                        struct fal_frame *frame)
{
    frame->number = got->number;
    frame->ts_ns = got->ts_ns;
    /* It knows each link type of a capture. */
    FAL_IGNORE(fal_frame_decode(
        &(struct fal_captured){got->bytes, got->caplen, got->len, got->linktype}, &d->options,
        d->scratch, frame));
    note_worst(d, &frame->issues);
    if (d->given.stats)
        tl_stats_add(&d->stats, frame);
    if (d->given.stats || (d->given.issues_only && frame->issues.count == 0))
        return 0;
    return print_frame(d, frame, got, first_ns);
}

/* 0; a status above 0; -1 when the reader of the output went away. */
static int decode_file(struct decode *d, const char *path, bool with_name)
{
    struct fal_error err = {{0}};
    struct tl_capture *capture = tl_capture_open(path, &err);
    struct tl_captured got;
    struct fal_frame frame;
    uint64_t first_ns = 0;
    bool first = true;
    int status = 0, more = 0;

    if (capture == NULL)
        return complain(d, TL_STATUS_USAGE, err.text);
    d->messages = tl_messages_new(MESSAGES);
    if (d->messages == NULL)
        more = fal_fail(&err, FAL_ERR_MEM, "out of memory");
    else if (d->given.filter != NULL)
        more = tl_capture_filter(capture, d->given.filter, &err);
    if (with_name && d->given.format != TL_DECODE_JSON && !d->given.stats)
        fprintf(d->out, "# %s\n", path);
    while (more >= 0 && status == 0 && (more = tl_capture_next(capture, &got, &err)) > 0) {
        if (first)
            first_ns = got.ts_ns;
        first = false;
        status = decode_frame(d, &got, first_ns, &frame);
    }
    tl_capture_close(capture);
    tl_messages_free(d->messages);
    d->messages = NULL;
    if (status == 0 && more < 0)
        status = complain(d, TL_STATUS_USAGE, err.text);
    return status;
}

static int decode_all(struct decode *d)
{
    static const char *const standard_input[] = {"-"};
    const char *const *paths = d->given.files.list;
    size_t count = d->given.files.count;
    int status = 0;

    if (count == 0) {
        if (isatty(STDIN_FILENO))
            return tl_verb_wrong("decode", "no file given");
        paths = standard_input;
        count = 1;
    }
    for (size_t i = 0; i < count; i++) {
        int one = decode_file(d, paths[i], count > 1);

        if (one < 0 || one == TL_STATUS_ERROR)
            return one;
        if (one > 0)
            status = one; /* a file that cannot be read does not hide the others */
    }
    return status;
}

/* Opens the files that the options name. */
static int prepare(struct decode *d)
{
    struct fal_error err = {{0}};
    char text[300];

    if (d->given.exact && d->given.format == TL_DECODE_JSON)
        return tl_verb_wrong("decode",
                             "--exact is for text; --format json has every byte already");
    d->scratch = malloc(TL_FRAME_MAX);
    d->text = malloc(TEXT_MAX);
    if (d->scratch == NULL || d->text == NULL)
        return complain(d, TL_STATUS_ERROR, "out of memory");
    if (d->given.psp_keys_path != NULL) {
        d->options.psp_keys = tl_psp_keys_open(d->given.psp_keys_path, &err);
        if (d->options.psp_keys == NULL)
            return complain(d, TL_STATUS_USAGE, err.text);
    }
    if (d->given.esp_keys_path != NULL) {
        d->options.esp_keys = tl_esp_keys_open(d->given.esp_keys_path, &err);
        if (d->options.esp_keys == NULL)
            return complain(d, TL_STATUS_USAGE, err.text);
    }
    d->out = d->given.out_path == NULL || strcmp(d->given.out_path, "-") == 0
                 ? stdout
                 : fopen(d->given.out_path, "we");
    if (d->out != NULL)
        return 0;
    (void)snprintf(text, sizeof text, "%s: %s", d->given.out_path, strerror(errno));
    return complain(d, TL_STATUS_USAGE, text);
}

static int decode(struct decode *d)
{
    int status;

    d->options.falcon_port = (uint16_t)d->given.falcon_port;
    status = prepare(d);
    if (status == 0) {
        (void)tl_sandbox_enter(false); /* the output is open */
        status = decode_all(d);
        if (d->given.stats && status >= 0 && print_stats(d) != 0 && status == 0)
            status = TL_STATUS_ERROR;
    }
    if (status == 0 && fflush(d->out) != 0)
        status = output_failed(d);
    if (d->out != NULL && d->out != stdout)
        status = close_output(d, status);
    if (status > 0)
        return status;
    return d->given.has_fail_on && d->worst >= d->given.fail_on ? TL_STATUS_FAIL
                                                                : TL_STATUS_PASS;
}

int tl_cmd_decode(int argc, char **argv)
{
    struct decode d = {.worst = -1};
    int status = tl_verb_read(&tl_decode_options, tl_usage_decode, argc, argv, &d.given);

    if (status == TL_VERB_GO)
        status = decode(&d);
    tl_options_free(&tl_decode_options, &d.given);
    fal_psp_keys_free(d.options.psp_keys);
    fal_esp_keys_free(d.options.esp_keys);
    free(d.scratch);
    free(d.text);
    return status;
}
