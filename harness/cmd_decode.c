/* SPDX-License-Identifier: Apache-2.0
 * cmd_decode.c - `talon decode`: the packets of captures, as text or as JSON, one frame at a
 * time. */
#include "harness/cmd.h"

#include "codecs/json.h"
#include "harness/capture.h"
#include "harness/frame_text.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage_text[] =
    "usage: talon decode [FILE|-]... [option]...\n"
    "Prints the packets of captures (pcap, pcapng), one a line. Without FILE, or for -: "
    "standard input.\n"
    "  --format text|json        the one-line notation (default), or one JSON object a line\n"
    "  --psp-keys FILE           keys to open PSP packets with\n"
    "  --falcon-port N           UDP port of plain Falcon (default 7777)\n"
    "  --fail-on error|warning|note   end with status 1 if there is an issue that bad\n"
    "  --out FILE                write there instead of standard output\n"
    "Status: 0, also with issues; 1 see --fail-on; 2 a file or an option is wrong.\n";

struct decode {
    bool json;
    const char *keys_path, *out_path;
    struct fal_frame_options options;
    int fail_on; /* enum fal_severity, or -1 */
    int worst;   /* the same, of the issues so far */
    FILE *out;
    uint8_t *scratch;
};

enum { OPT_FORMAT = 1, OPT_KEYS, OPT_PORT, OPT_FAIL_ON, OPT_OUT, OPT_HELP };

/* One line to standard error, after what was printed before it. */
static int complain(struct decode *d, int status, const char *what)
{
    if (d->out != NULL)
        (void)fflush(d->out);
    fprintf(stderr, "talon decode: %s\n", what);
    return status;
}

static int complain_about(struct decode *d, const char *option, const char *what)
{
    char text[200];

    (void)snprintf(text, sizeof text, "%s %s (see talon help decode)", option, what);
    return complain(d, TL_STATUS_USAGE, text);
}

static int wrong_option(struct decode *d, const char *option, const char *value)
{
    char text[100];

    (void)snprintf(text, sizeof text, "does not take '%s'", value);
    return complain_about(d, option, text);
}

/* A UDP port, or 0. */
static uint16_t port_of(const char *text)
{
    char *end;
    unsigned long port = strtoul(text, &end, 10);

    return *text < '0' || *text > '9' || *end != 0 || port > 65535 ? 0 : (uint16_t)port;
}

static int set_option(struct decode *d, int option, const char *value)
{
    switch (option) {
    case OPT_FORMAT:
        d->json = strcmp(value, "json") == 0;
        if (!d->json && strcmp(value, "text") != 0)
            return wrong_option(d, "--format", value);
        return 0;
    case OPT_KEYS: d->keys_path = value; return 0;
    case OPT_PORT:
        d->options.falcon_port = port_of(value);
        return d->options.falcon_port == 0 ? wrong_option(d, "--falcon-port", value) : 0;
    case OPT_FAIL_ON:
        d->fail_on = fal_severity_from(value);
        return d->fail_on < 0 ? wrong_option(d, "--fail-on", value) : 0;
    default: d->out_path = value; return 0;
    }
}

/* What getopt_long has just refused: of a short option it says the letter alone. */
static const char *unknown_option(char **argv, char letter[3])
{
    if (optopt < ' ')
        return argv[optind - 1];
    letter[1] = (char)optopt;
    return letter;
}

/* Returns 0 with optind at the first file, or a status above 0, or -1: the usage was asked for.
 */
static int read_options(struct decode *d, int argc, char **argv)
{
    static const struct option options[] = {
        {"format", required_argument, NULL, OPT_FORMAT},
        {"psp-keys", required_argument, NULL, OPT_KEYS},
        {"falcon-port", required_argument, NULL, OPT_PORT},
        {"fail-on", required_argument, NULL, OPT_FAIL_ON},
        {"out", required_argument, NULL, OPT_OUT},
        {"help", no_argument, NULL, OPT_HELP},
        {NULL, 0, NULL, 0},
    };
    char letter[3] = "-";
    int option, status = 0;

    opterr = 0;
    optind = 0;
    while (status == 0 && (option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        if (option == OPT_HELP)
            return -1;
        if (option == ':')
            status = complain_about(d, argv[optind - 1], "needs a value");
        else if (option == '?')
            status = complain_about(d, unknown_option(argv, letter), "is no option");
        else
            status = set_option(d, option, optarg);
    }
    return status;
}

/* ---- output ---- */

/* A reader that went away has had what it wanted: that is no error, and nothing to talk of. */
static int output_failed(struct decode *d)
{
    int why = errno;
    char text[300];

    if (fflush(d->out) != 0) /* what failed is tried again, and says why */
        why = errno;
    __fpurge(d->out);
    if (why == EPIPE)
        return -1;
    (void)snprintf(text, sizeof text, "%s: %s",
                   d->out_path != NULL ? d->out_path : "standard output", strerror(why));
    return complain(d, TL_STATUS_ERROR, text);
}

static int print_frame(struct decode *d, const struct fal_frame *frame, uint64_t first_ns)
{
    json_t *json;
    int status;

    if (!d->json) {
        tl_frame_text(d->out, frame, first_ns, d->options.falcon_port);
    } else {
        json = fal_json_frame(frame);
        if (json == NULL)
            return complain(d, TL_STATUS_ERROR, "out of memory");
        status = json_dumpf(json, d->out, JSON_COMPACT);
        json_decref(json);
        if (status != 0 && ferror(d->out) == 0)
            return complain(d, TL_STATUS_ERROR, "out of memory");
        fputc('\n', d->out);
    }
    return ferror(d->out) != 0 ? output_failed(d) : 0;
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

/* 0; a status above 0; -1 when the reader of the output went away. */
static int decode_file(struct decode *d, const char *path, bool with_name)
{
    struct fal_error err = {{0}};
    struct tl_capture *capture = tl_capture_open(path, &err);
    struct tl_captured got;
    struct fal_frame frame;
    uint64_t first_ns = 0;
    int status = 0, more = 0;

    if (capture == NULL)
        return complain(d, TL_STATUS_USAGE, err.text);
    if (with_name && !d->json)
        fprintf(d->out, "# %s\n", path);
    while (status == 0 && (more = tl_capture_next(capture, &got, &err)) > 0) {
        if (got.number == 1)
            first_ns = got.ts_ns;
        frame.number = got.number;
        frame.ts_ns = got.ts_ns;
        (void)fal_frame_decode(got.bytes, got.caplen, got.len, tl_capture_linktype(capture),
                               &d->options, d->scratch, &frame);
        note_worst(d, &frame.issues);
        status = print_frame(d, &frame, first_ns);
    }
    tl_capture_close(capture);
    if (status == 0 && more < 0)
        status = complain(d, TL_STATUS_USAGE, err.text);
    return status;
}

static int decode_all(struct decode *d, int count, char **paths)
{
    char dash[] = "-", *standard_input[] = {dash};
    int status = 0;

    if (count == 0) {
        if (isatty(STDIN_FILENO))
            return complain(d, TL_STATUS_USAGE, "no file given (see talon help decode)");
        paths = standard_input;
        count = 1;
    }
    for (int i = 0; status == 0 && i < count; i++)
        status = decode_file(d, paths[i], count > 1);
    return status;
}

/* Opens what the options name. */
static int prepare(struct decode *d)
{
    struct fal_error err = {{0}};
    char text[300];

    d->scratch = malloc(TL_FRAME_MAX);
    if (d->scratch == NULL)
        return complain(d, TL_STATUS_ERROR, "out of memory");
    if (d->keys_path != NULL) {
        d->options.psp_keys = tl_psp_keys_open(d->keys_path, &err);
        if (d->options.psp_keys == NULL)
            return complain(d, TL_STATUS_USAGE, err.text);
    }
    d->out = d->out_path == NULL || strcmp(d->out_path, "-") == 0 ? stdout
                                                                  : fopen(d->out_path, "we");
    if (d->out != NULL)
        return 0;
    (void)snprintf(text, sizeof text, "%s: %s", d->out_path, strerror(errno));
    return complain(d, TL_STATUS_USAGE, text);
}

int tl_cmd_decode(int argc, char **argv)
{
    struct decode d = {.fail_on = -1, .worst = -1};
    int status = read_options(&d, argc, argv), first = optind;

    if (status < 0) {
        fputs(usage_text, stdout);
        return TL_STATUS_PASS;
    }
    if (status == 0)
        status = prepare(&d);
    if (status == 0)
        status = decode_all(&d, argc - first, argv + first);
    if (status == 0 && fflush(d.out) != 0)
        status = output_failed(&d);
    if (d.out != NULL && d.out != stdout)
        status = close_output(&d, status);
    fal_psp_keys_free(d.options.psp_keys);
    free(d.scratch);
    if (status > 0)
        return status;
    return d.fail_on >= 0 && d.worst >= d.fail_on ? TL_STATUS_FAIL : TL_STATUS_PASS;
}
