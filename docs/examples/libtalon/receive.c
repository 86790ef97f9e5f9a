/* SPDX-License-Identifier: Apache-2.0
 * receive.c - a receive loop that hands frames to libtalon in batches: from an interface until
 * SIGINT, or from a capture. It prints each finding at once and the report at the end.
 *
 *     cc receive.c $(pkg-config --cflags --libs talon libpcap) -o receive
 *     ./receive capture.pcap [OPTION OF TALON CHECK...]
 *     sudo ./receive -i eth0 --sut 10.0.0.2
 *
 * --json prints the report as JSON, and no finding before it. */
#define _DEFAULT_SOURCE /* pcap.h needs u_char */
#include <talon.h>

#include <pcap/pcap.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, SNAP = 9216, BUFFER = 64 << 20 };

/* Frames that the judge has not seen yet. libpcap lends each one until the next is asked for,
 * so their bytes are copied. */
struct batch {
    struct talon_frame frames[BATCH];
    unsigned char *bytes; /* BATCH times 262144 */
    size_t num;
};
enum { FRAME_MAX = 262144 };

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static void tell(void *ctx, const struct talon_finding *finding)
{
    (void)ctx;
    fprintf(stderr, "%s violated by %s: expected %s, seen %s\n", finding->rule, finding->party,
            finding->expected, finding->seen);
}

static int print(void *ctx, const char *bytes, size_t length)
{
    (void)ctx;
    return fwrite(bytes, 1, length, stdout) == length ? 0 : -1;
}

static void add(struct batch *batch, const struct pcap_pkthdr *header, const u_char *bytes,
                pcap_t *pcap)
{
    struct talon_frame *frame = &batch->frames[batch->num];
    unsigned char *place = batch->bytes + batch->num * FRAME_MAX;
    int linktype = pcap_datalink(pcap);

    batch->num++;
    memset(frame, 0, sizeof *frame);
    memcpy(place, bytes, header->caplen);
    /* The capture was opened with nanoseconds in tv_usec. */
    frame->time_ns = (uint64_t)header->ts.tv_sec * 1000000000 + (uint64_t)header->ts.tv_usec;
    frame->bytes = place;
    frame->captured = header->caplen;
    frame->length = header->len;
    frame->linktype = linktype == DLT_RAW ? 101 : (uint32_t)linktype;
}

/* Tells the judge how many packets the kernel had no room for. */
static void tell_missed(struct talon_judge *judge, pcap_t *pcap)
{
    struct pcap_stat stat;

    if (pcap_file(pcap) == NULL && pcap_stats(pcap, &stat) == 0)
        talon_judge_missed(judge, stat.ps_drop);
}

/* Returns 0, or -1 after an error was printed. */
static int receive(struct talon_judge *judge, pcap_t *pcap, struct batch *batch)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    struct talon_error err;
    int got = 0;

    while (!stopped && got >= 0) {
        batch->num = 0;
        while (batch->num < BATCH && (got = pcap_next_ex(pcap, &header, &bytes)) == 1)
            add(batch, header, bytes, pcap);
        tell_missed(judge, pcap);
        if (talon_judge_frames(judge, batch->frames, batch->num, &err) != 0) {
            fprintf(stderr, "receive: %s\n", err.text);
            return -1;
        }
    }
    if (got == PCAP_ERROR)
        fprintf(stderr, "receive: %s\n", pcap_geterr(pcap));
    return got == PCAP_ERROR ? -1 : 0;
}

static pcap_t *open_source(const char *name, bool live)
{
    char why[PCAP_ERRBUF_SIZE] = "";
    pcap_t *pcap;

    if (!live) {
        pcap = pcap_open_offline_with_tstamp_precision(name, PCAP_TSTAMP_PRECISION_NANO, why);
        if (pcap == NULL)
            fprintf(stderr, "receive: %s\n", why);
        return pcap;
    }
    pcap = pcap_create(name, why);
    if (pcap == NULL) {
        fprintf(stderr, "receive: %s\n", why);
        return NULL;
    }
    (void)pcap_set_snaplen(pcap, SNAP);
    (void)pcap_set_promisc(pcap, 1);
    (void)pcap_set_timeout(pcap, 10);
    (void)pcap_set_buffer_size(pcap, BUFFER);
    (void)pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
    if (pcap_activate(pcap) >= 0)
        return pcap;
    fprintf(stderr, "receive: %s: %s\n", name, pcap_geterr(pcap));
    pcap_close(pcap);
    return NULL;
}

/* The judge's report, and the exit status of its verdict, as `talon check` has it. */
static int report(struct talon_judge *judge, bool json)
{
    static const int status[] = {0, 0, 0, 3, 1, 4}; /* by enum talon_verdict */
    struct talon_error err;

    if (talon_judge_end(judge, &err) != 0)
        fprintf(stderr, "receive: %s\n", err.text);
    if (talon_judge_report(judge, json ? TALON_REPORT_JSON : TALON_REPORT_TEXT, print, NULL) !=
        0)
        return 4;
    return status[talon_judge_verdict(judge)];
}

int main(int argc, char **argv)
{
    bool live = argc > 2 && strcmp(argv[1], "-i") == 0, json;
    int source = live ? 2 : 1, rest = source + 1, status = 2;
    struct talon_judge_options options = {.size = sizeof options};
    struct batch batch = {.bytes = malloc((size_t)BATCH * FRAME_MAX)};
    struct talon_error err;
    struct talon_setup *setup;
    struct talon_judge *judge = NULL;
    pcap_t *pcap;

    if (argc <= source || batch.bytes == NULL) {
        fprintf(stderr, "usage: receive [-i] SOURCE [--json] [OPTION OF TALON CHECK...]\n");
        free(batch.bytes);
        return 2;
    }
    json = argc > rest && strcmp(argv[rest], "--json") == 0;
    rest += json;
    options.finding = json ? NULL : tell;
    (void)signal(SIGINT, stop);
    pcap = open_source(argv[source], live);
    setup = talon_setup_new((const char *const *)argv + rest, (size_t)(argc - rest), &err);
    if (setup != NULL)
        judge = talon_judge_new(setup, &options, &err);
    if (judge == NULL)
        fprintf(stderr, "receive: %s\n", err.text);
    if (judge != NULL && pcap != NULL && receive(judge, pcap, &batch) == 0)
        status = report(judge, json);
    talon_judge_free(judge);
    talon_setup_free(setup);
    if (pcap != NULL)
        pcap_close(pcap);
    free(batch.bytes);
    return status;
}
