/* SPDX-License-Identifier: Apache-2.0
 * cmd_path_check.c - `talon path-check`: measures what the network does between tester and SUT.
 */
#include "codecs/base/time_text.h"
#include "harness/claims/bench_file.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

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

struct path_command {
    struct tl_target target;
    const char *sut, *echo, *respond;
    struct tl_path_options options;
    unsigned interval_us;
    bool json;
};

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
        printf(" %s %s", name, fal_time_text(ns / 100 * 100).text);
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

/* Reads the addresses, when all of --allow are known. */
static int check_sut(struct path_command *c, struct fal_error *err)
{
    struct tl_raw_address raw;
    struct tl_stream stream;
    struct fal_error why = {{0}};
    char host[TL_HOST_TEXT];
    uint16_t port;
    const char *text = c->sut;
    int rc;

    if (strncmp(text, "udp:", 4) != 0 && strncmp(text, "raw:", 4) != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "--sut '%.100s'; expected udp:HOST:PORT or raw:IFACE,HOST[:PORT]",
                        text);
    c->target.kind = text[0] == 'u' ? TL_TARGET_UDP : TL_TARGET_RAW;
    c->target.address = text + 4;
    rc = text[0] == 'u' ? tl_address_split(text + 4, host, &port, &why)
                        : tl_raw_address_read(text + 4, &c->target.live.allowed, &raw, &why);
    if (rc != 0)
        return fal_fail(err, rc, "--sut: %.300s", why.text);
    if (c->target.control != NULL &&
        tl_stream_read_among(c->target.control, &c->target.live.allowed, &stream, &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "--control: %.300s", why.text);
    return 0;
}

static int add_allowed(void *into, const char *value, struct fal_error *err)
{
    struct path_command *c = into;

    return tl_allowed_add(&c->target.live.allowed, value, err);
}

#define TL_OPTIONS_OF struct path_command

static const struct tl_option option_list[] = {
    {TL_TEXT("--sut", sut, "SUT"),
     .help = "udp:HOST:PORT or raw:IFACE,HOST[:PORT][,...], as for talon run"},
    {TL_TEXT("--control", target.control, "ADDR"),
     .help = "the control channel of the SUT: tcp:HOST:PORT or unix:PATH"},
    TL_BENCH_OPTION,
    {TL_TEXT("--echo", echo, "HOST:PORT"),
     .help = "where probes are sent back; --control is then not needed"},
    {TL_TEXT("--respond", respond, "HOST:PORT"),
     .help = "measure nothing: listen here and send probes back, until talon is stopped"},
    {TL_COUNT("--ports", options.ports, 1, TL_PATHS_MAX), .help = "source ports (default 4)"},
    {TL_COUNT("--flow-labels", options.labels, 0, TL_PATHS_MAX - 1),
     .help = "IPv6 flow labels for each of them, besides the usual one (default 1)"},
    {TL_COUNT("--probes", options.probes, 8, TL_PATH_PROBES_MAX),
     .help =
         "probes sent one after the other; a quarter as many are sent back to back (default "
         "200)"},
    {TL_COUNT("--interval", interval_us, 1, 10000000),
     .help = "microseconds between probes (default 1000)"},
    {TL_OWN("--allow", add_allowed, "ADDRESS"),
     .help = "an address that is not loopback, private or link-local; may be repeated"},
    {TL_FLAG("--json", json),
     .help = "print the result as talon/path-check/1 (docs/formats.md), for talon run "
             "--path-check"},
};
static const struct tl_options options = {"path-check", option_list,
                                          sizeof option_list / sizeof *option_list};

int tl_cmd_path_check(int argc, char **argv)
{
    struct path_command c = {
        .target = {.live = {.frames_per_s = TL_FRAMES_PER_S, .bytes_per_s = TL_BYTES_PER_S}},
        .options = {.ports = 4, .labels = 1, .probes = 200, .seed = 1},
        .interval_us = 1000};
    struct fal_error err = {{0}};
    int status = tl_verb_read(&options, tl_usage_path_check, argc, argv, &c);

    if (status != TL_VERB_GO)
        return status;
    c.options.interval_ns = c.interval_us * FAL_US;
    if (c.respond != NULL)
        return respond(c.respond, &c.target.live.allowed);
    if (c.sut == NULL)
        return tl_verb_wrong(options.verb, "--sut is missing");
    if (c.echo == NULL && c.target.control == NULL)
        return tl_verb_wrong(options.verb, "--control is missing (or --echo HOST:PORT)");
    if (check_sut(&c, &err) != 0)
        return tl_verb_wrong(options.verb, "%s", err.text);
    return measure(&c);
}
