/* SPDX-License-Identifier: Apache-2.0
 * cmd_tap.c - see cmd_tap.h. */
#include "harness/tap/cmd_tap.h"

#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/session/network.h"
#include "harness/tap/tap_bed.h"
#include "reports/base/status.h"

#include <inttypes.h>
#include <stdio.h>

struct tap_command {
    struct tl_texts ends;
    struct tl_target net;
    uint64_t seed, time_ns;
    const char *capture;
    enum { FIRST, SECOND } at;
};

#define TL_OPTIONS_OF struct tap_command

static int read_network(void *into, const char *value, struct fal_error *err)
{
    return tl_network_read(value, &((struct tap_command *)into)->net, err);
}

static const struct tl_option option_list[] = {
    {TL_TEXTS("END", ends, NULL)},
    {TL_OWN("--network", read_network, "WORDS"),
     .help = "what happens to frames, as latency=5ms,loss=1%,out:duplicate=1% (default: "
             "nothing)"},
    {TL_NUMBER("--seed", seed, 0, UINT64_MAX), .help = "of all that is drawn (default 1)"},
    {TL_TEXT("--write", capture, "FILE"),
     .help = "capture the frames of an end, with nanoseconds, as pcapng if the name ends in "
             ".pcapng, else as pcap"},
    {TL_CHOICE("--at", at, "first|second", "first second"),
     .help = "the end that is captured (default first)"},
    {TL_TIME("--for", time_ns), .help = "end after this time (default: at SIGINT or SIGTERM)"},
};
static const struct tl_options options = {"logic tap", option_list,
                                          sizeof option_list / sizeof *option_list};

static void ready(void *ctx)
{
    (void)ctx;
    puts("ready");
    (void)fflush(stdout);
}

static void print(const struct tap_command *c, const struct fal_simnet_counts *n)
{
    for (unsigned dir = 0; dir < 2; dir++)
        printf("from %s: %" PRIu64 " frames, %" PRIu64 " lost, %" PRIu64 " overflowed, %" PRIu64
               " duplicated, %" PRIu64 " corrupted, %" PRIu64 " marked, %" PRIu64
               " overtaken\n",
               c->ends.list[dir], n->sent[dir], n->lost[dir], n->overflowed[dir],
               n->duplicated[dir], n->corrupted[dir], n->marked[dir], n->overtaken[dir]);
}

static int run(const struct tap_command *c)
{
    const struct tl_tap_bed bed = {.address = {c->ends.list[0], c->ends.list[1]},
                                   .impair = c->net.impair,
                                   .rules = c->net.rules,
                                   .num_rules = c->net.num_rules,
                                   .seed = c->seed,
                                   .capture = c->capture,
                                   .at = c->at == SECOND,
                                   .time_ns = c->time_ns,
                                   .ready = ready};
    struct fal_simnet_counts counts;
    struct fal_error err;
    const int rc = tl_tap_bed_run(&bed, &counts, &err);

    if (rc != 0)
        return tl_verb_failed(options.verb, rc, &err);
    print(c, &counts);
    return TL_STATUS_PASS;
}

int tl_logic_tap(int argc, char **argv)
{
    struct tap_command c = {.seed = 1};
    int status = tl_verb_read(&options, tl_usage_logic_tap, argc, argv, &c);

    if (status == TL_VERB_GO)
        status = c.ends.count == 2 ? run(&c)
                                   : tl_verb_wrong(options.verb, "expected two ends, found %zu",
                                                   c.ends.count);
    tl_options_free(&options, &c);
    return status;
}
