/* SPDX-License-Identifier: Apache-2.0
 * cmd_path_check.c - `talon path-check`: what the network does between tester and SUT. */
#include "harness/cli/cmd.h"

#include "harness/doc/address.h"
#include "harness/link/echo.h"
#include "harness/link/link_raw.h"
#include "harness/link/sockets.h"
#include "harness/site/path_check.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: talon path-check --sut udp:HOST:PORT|raw:IFACE,HOST[:PORT][,...] --control tcp:HOST:PORT|unix:PATH\n"
    "                        [options]\n"
    "       talon path-check --respond HOST:PORT\n"
    "\n"
    "Measures what the network does to packets between the tester and the SUT: delay, loss, order, MTU,\n"
    "hops, and what becomes of ECN, DSCP and flow label, for several source ports. Probes are sent back\n"
    "by the SUT's side: at the port that its adapter names (`echo_port` of hello), or where --respond\n"
    "runs. Where nobody does, Falcon itself tells what it can, and the rest is unknown.\n"
    "\n"
    "  --echo HOST:PORT     where probes are sent back; then no --control is needed\n"
    "  --respond HOST:PORT  be the one who sends probes back, until it is ended\n"
    "  --ports N            source ports (4)\n"
    "  --flow-labels N      IPv6 flow labels for each of them, besides the usual one (1)\n"
    "  --probes N           one after the other, and a quarter as many back to back (200)\n"
    "  --interval US        between them, microseconds (1000)\n"
    "  --allow HOST         an address that is not loopback, private or link-local (may be repeated)\n"
    "  --json               the result as talon/path-check/1 (docs/formats.md): what talon run --path-check\n"
    "                       takes\n"
    "  --help               this text\n"
    "\n"
    "Status: 0 measured; 2 the command is wrong; 4 nothing could be measured.\n";

struct path_command {
    struct tl_target target;
    const char *sut, *echo, *respond;
    struct tl_path_options options;
    bool json;
};

static int bad(const char *what, const char *value)
{
    fprintf(stderr, "talon path-check: %s%s; see talon path-check --help\n", what, value);
    return TL_STATUS_USAGE;
}

static int broken(const struct fal_error *err)
{
    fprintf(stderr, "talon path-check: %s\n", err->text);
    return TL_STATUS_ERROR;
}

/* ---- telling ---- */

static void print_us(const char *name, uint64_t ns)
{
    if (ns == FAL_NEVER)
        printf(" %s unknown", name);
    else
        printf(" %s %" PRIu64 ".%01" PRIu64 "us", name, ns / FAL_US, ns % FAL_US / 100);
}

/* " 46->0": those that did not come through as they were. */
static void print_changed(const char *what, const uint8_t *sent, const int *got, unsigned n)
{
    unsigned known = 0, changed = 0;

    printf(" %s", what);
    for (unsigned i = 0; i < n; i++) {
        known += got[i] >= 0;
        if (got[i] < 0 || got[i] == sent[i])
            continue;
        printf(" %u->%d", sent[i], got[i]);
        changed++;
    }
    printf("%s", known == 0     ? " unknown"
                 : changed == 0 ? known < n ? " kept, as far as known" : " kept"
                                : "");
}

static void print_number(const char *name, int value)
{
    if (value < 0)
        printf("%s unknown", name);
    else
        printf("%s %d", name, value);
}

static void print_one(const struct tl_path_report *report, const struct tl_path_one *one)
{
    static const uint8_t ecns[] = {0, 1, 2, 3};

    if (report->method == TL_PATH_BY_ECHO)
        printf("port %u", one->port);
    else
        printf("by Falcon itself");
    if (one->flow_label != 0)
        printf(", flow label 0x%05x (seen 0x%05x)", one->flow_label, one->label_seen);
    printf("\n  %-8s %u sent, %u came back (%.2f%% lost), %u twice", "packets", one->sent,
           one->received, one->sent > 0 ? 100.0 * (one->sent - one->received) / one->sent : 0.0,
           one->duplicates);
    if (report->method == TL_PATH_BY_ECHO)
        printf(", %u overtaken on the way to, %u on the way back", one->reordered_to,
               one->reordered_back);
    printf("\n  %-8s", "delay");
    print_us("least", one->rtt_min_ns);
    print_us("median", one->rtt_median_ns);
    print_us("99%", one->rtt_p99_ns);
    print_us("most", one->rtt_max_ns);
    printf("%s\n  %-8s",
           report->method == TL_PATH_BY_ECHO ? ", there and back"
                                             : ", with the SUT's turnaround",
           "headers");
    print_number(" hops to", one->hops_to);
    print_number(", back", one->hops_back);
    print_number("; MTU", one->mtu);
    printf("\n  %-8s to:", "ECN");
    print_changed("", ecns, one->ecn_to, 4);
    printf(";");
    print_changed("back:", ecns, one->ecn_back, 4);
    printf("\n  %-8s to:", "DSCP");
    print_changed("", tl_path_dscps, one->dscp_to, TL_PATH_DSCPS);
    printf(";");
    print_changed("back:", tl_path_dscps, one->dscp_back, TL_PATH_DSCPS);
    printf("\n");
}

static int tell(const struct path_command *c, const struct tl_path_report *report)
{
    struct tl_path_limits limits = tl_path_limits(report);
    json_t *object = c->json ? tl_path_report_json(report, c->sut) : NULL;
    int rc = 0;

    if (c->json) {
        rc = object != NULL ? json_dumpf(object, stdout, JSON_INDENT(2)) : -1;
        json_decref(object);
        printf("\n");
        return rc == 0 ? TL_STATUS_PASS : TL_STATUS_ERROR;
    }
    for (size_t i = 0; i < report->num_paths; i++)
        print_one(report, &report->paths[i]);
    if (report->capture_drops > 0)
        printf("this host lost %" PRIu64 " frames itself: what is lost may be its own\n",
               report->capture_drops);
    printf("limits:");
    print_us("round trip", limits.round_trip_ns);
    print_us("delay at most", limits.delay_max_ns);
    printf(", %s, %s\n", limits.in_order ? "in order" : "order not kept, or not known",
           limits.no_duplicates ? "no duplicates" : "duplicates");
    return TL_STATUS_PASS;
}

/* ---- acts ---- */

static int respond(const char *where, const struct tl_allowed *allowed)
{
    struct fal_error err = {{0}};
    struct tl_address at;
    char text[TL_ADDRESS_TEXT];
    uint32_t seen = 0;
    uint16_t port;
    int fd;

    if (tl_resolve_among(where, allowed, &at, &err) != 0) {
        fprintf(stderr, "talon path-check: --respond: %s\n", err.text);
        return TL_STATUS_USAGE;
    }
    port = tl_address_port(&at);
    fd = tl_echo_open(&at, &port, &err);
    if (fd < 0)
        return broken(&err);
    if (tl_socket_address(fd, &at, &err) == 0) {
        tl_address_text(&at, text);
        fprintf(stderr, "talon path-check: probes to %s are sent back\n", text);
    }
    for (;;) {
        struct pollfd in = {.fd = fd, .events = POLLIN};

        if (poll(&in, 1, -1) > 0)
            tl_echo_serve(fd, &seen);
    }
}

static int measure(const struct path_command *c)
{
    struct tl_path_report *report = malloc(sizeof *report);
    struct fal_error err = {{0}};
    int status;

    if (report == NULL)
        return broken(&(struct fal_error){.text = "out of memory"});
    status = tl_path_check(&c->target, c->echo, &c->options, report, &err) == 0
                 ? tell(c, report)
                 : broken(&err);
    free(report);
    return status;
}

/* ---- options ---- */

/* What options say together. */
static int check_sut(struct path_command *c)
{
    struct fal_error err = {{0}};
    struct tl_raw_address raw;
    struct tl_stream stream;
    char host[TL_HOST_TEXT];
    uint16_t port;
    const char *text = c->sut;
    int rc;

    if (strncmp(text, "udp:", 4) != 0 && strncmp(text, "raw:", 4) != 0)
        return bad("--sut: expected udp:HOST:PORT or raw:IFACE,HOST[:PORT], not ", text);
    c->target.kind = text[0] == 'u' ? TL_TARGET_UDP : TL_TARGET_RAW;
    c->target.address = text + 4;
    rc = text[0] == 'u' ? tl_address_split(text + 4, host, &port, &err)
                        : tl_raw_address_read(text + 4, &c->target.live.allowed, &raw, &err);
    if (rc != 0)
        return bad("--sut: ", err.text);
    if (c->target.control != NULL &&
        tl_stream_read_among(c->target.control, &c->target.live.allowed, &stream, &err) != 0)
        return bad("--control: ", err.text);
    return 0;
}

static int read_count(const char *option, const char *text, unsigned least, unsigned most,
                      unsigned *out)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (text[0] >= '0' && text[0] <= '9' && *end == 0 && n >= least && n <= most) {
        *out = (unsigned)n;
        return 0;
    }
    fprintf(stderr,
            "talon path-check: %s '%s'; expected %u to %u; see talon path-check --help\n",
            option, text, least, most);
    return TL_STATUS_USAGE;
}

static int read_option(const char *option, const char *value, struct path_command *c)
{
    unsigned us = 0;
    int status;

    if (strcmp(option, "--allow") == 0) {
        struct fal_error err = {{0}};

        return tl_allowed_add(&c->target.live.allowed, value, &err) == 0
                   ? 0
                   : bad("--allow: ", err.text);
    }
    if (strcmp(option, "--ports") == 0)
        return read_count(option, value, 1, TL_PATHS_MAX, &c->options.ports);
    if (strcmp(option, "--flow-labels") == 0)
        return read_count(option, value, 0, TL_PATHS_MAX - 1, &c->options.labels);
    if (strcmp(option, "--probes") == 0)
        return read_count(option, value, 8, TL_PATH_PROBES_MAX, &c->options.probes);
    if (strcmp(option, "--interval") == 0) {
        status = read_count(option, value, 1, 10000000, &us);
        c->options.interval_ns = us * FAL_US;
        return status;
    }
    return bad("no option ", option);
}

int tl_cmd_path_check(int argc, char **argv)
{
    struct path_command c = {
        .target = {.live = {.frames_per_s = TL_FRAMES_PER_S, .bytes_per_s = TL_BYTES_PER_S}},
        .options = {.ports = 4, .labels = 1, .probes = 200, .interval_ns = FAL_MS, .seed = 1}};

    const struct {
        const char *option, **value;
    } words[] = {{"--sut", &c.sut},
                 {"--control", &c.target.control},
                 {"--echo", &c.echo},
                 {"--respond", &c.respond}};
    enum { WORDS = sizeof words / sizeof *words };
    int status;

    for (int i = 1; i < argc; i++) {
        size_t k = 0;

        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return TL_STATUS_PASS;
        }
        if (strcmp(argv[i], "--json") == 0) {
            c.json = true;
            continue;
        }
        if (i + 1 == argc)
            return bad(argv[i][0] == '-' ? "a value is missing after " : "no option ", argv[i]);
        while (k < WORDS && strcmp(words[k].option, argv[i]) != 0)
            k++;
        if (k < WORDS) {
            *words[k].value = argv[++i];
            continue;
        }
        status = read_option(argv[i], argv[i + 1], &c);
        if (status != 0)
            return status;
        i++;
    }
    if (c.respond != NULL)
        return respond(c.respond, &c.target.live.allowed);
    if (c.sut == NULL)
        return bad("--sut is missing", "");
    if (c.echo == NULL && c.target.control == NULL)
        return bad("--control is missing (or --echo HOST:PORT)", "");
    status = check_sut(&c);
    return status == 0 ? measure(&c) : status;
}
