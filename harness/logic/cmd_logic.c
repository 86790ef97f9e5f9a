/* SPDX-License-Identifier: Apache-2.0
 * cmd_logic.c - `talon logic`: the logic of a transport, played and compared. */
#include "codecs/base/nearest.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/logic/logic_check.h"
#include "harness/logic/logic_judge.h"
#include "harness/logic/logic_run.h"
#include "harness/tap/cmd_tap.h"

#include <stdlib.h>
#include <string.h>

enum { FLOWS_MAX = 2048, ANSWER_S = 30, PPM_IN_PERCENT = 10000 };

static const uint64_t bytes_max = UINT64_C(1) << 32, rate_least = 1000000,
                      rate_most = UINT64_C(400000000000), time_max_ns = UINT64_C(10000000000),
                      delay_max_ns = UINT64_C(1000000000);

#define TL_OPTIONS_OF struct tl_logic_command

/* "1.5%" as parts of a million. */
static int percent(const char *value, uint32_t *ppm, struct fal_error *err)
{
    char *end;
    double number = strtod(value, &end);

    if (strspn(value, "0123456789.") == 0 || strcmp(end, "%") != 0 || number < 0 ||
        number > 100)
        return fal_fail(err, FAL_ERR_FORM, "expected 0%% to 100%%, found '%.40s'", value);
    *ppm = (uint32_t)(number * PPM_IN_PERCENT + 0.5);
    return 0;
}

#define NET_OPTION(member)                                                         \
    static int read_##member(void *into, const char *value, struct fal_error *err) \
    {                                                                              \
        struct tl_logic_command *c = into;                                         \
                                                                                   \
        c->net_given = true;                                                       \
        return percent(value, &c->net.member, err);                                \
    }
NET_OPTION(loss_ppm)
NET_OPTION(dup_ppm)
NET_OPTION(reorder_ppm)
NET_OPTION(mark_ppm)
NET_OPTION(trim_ppm)
NET_OPTION(reply_loss_ppm)

/* "40Gb/s" */
static int read_rate(void *into, const char *value, struct fal_error *err)
{
    struct tl_logic_command *c = into;
    char *end;
    unsigned long long number = strtoull(value, &end, 10);
    uint64_t unit = strcmp(end, "Gb/s") == 0   ? UINT64_C(1000000000)
                    : strcmp(end, "Mb/s") == 0 ? UINT64_C(1000000)
                                               : 0;

    if (value[0] < '0' || value[0] > '9' || unit == 0 || number > rate_most / unit ||
        number * unit < rate_least)
        return fal_fail(err, FAL_ERR_FORM,
                        "expected a rate from 1Mb/s to 400Gb/s, found '%.40s'", value);
    c->rate_bps = number * unit;
    return 0;
}

static const struct tl_option option_list[] = {
    {TL_TEXTS("ACTION", words, NULL)},
    {TL_TEXT("--fault", fault, "NAME"),
     .help = "plant a fault (talon logic list); it says which rule it violates"},
    {TL_TEXT("--variant", variant, "NAME"), .help = "play a conforming variant"},
    {TL_NUMBER("--seed", seed, 0, UINT64_MAX), .help = "of all that is drawn (default 1)"},
    {TL_NUMBER("--timeout", timeout, 1, 3600),
     .help = "seconds in which lib: and exec: must answer (default 30)"},
    {TL_FLAG("--judge", judge),
     .help = "judge the events of run by rules K1 to K10, those of engine by K11 to K14 (talon "
             "list rules --protocol logic), print the verdicts, and exit by them"},
    {TL_NUMBER("--count", count, 1, 10000000), .group = "Of run",
     .help = "number of transfers (default 1); transfer k has the seed N + k"},
    {TL_NUMBER("--bytes", bytes, 1, UINT32_MAX),
     .help = "size of each transfer (default: drawn, up to 400 segments)"},
    {TL_TEXT("--events", events, "FILE"),
     .help = "write each event as a line of JSON (docs/transport-logic.md); - is standard "
             "output"},
    {TL_NUMBER("--flows", flows, 1, FLOWS_MAX), .group = "Of lab and engine",
     .help = "number of flows (default 8)"},
    {TL_NUMBER("--hosts", hosts, 1, FLOWS_MAX),
     .help = "the flows share the ports of so many hosts (default: each flow has a host)"},
    {TL_FLAG("--lossless", lossless),
     .help = "the bottleneck pauses its senders (PFC) before its queue is full"},
    {TL_TIME("--time", time_ns),
     .help = "simulated time, at most 10s (default 20ms); 1ms is 100,000 cycles of the engine"},
    {TL_OWN("--rate", read_rate, "RATE"),
     .help =
         "of the bottleneck, as 40Gb/s (default) or 400Mb/s; of the engine: the line rate of each flow"},
    {TL_OWN("--loss", read_loss_ppm, "PERCENT"), .group = "The network of run and lab",
     .help = "segments that are lost, as 0.1%; one of these options in place of a network that "
             "is drawn"},
    {TL_OWN("--duplicates", read_dup_ppm, "PERCENT"), .help = "segments that arrive twice"},
    {TL_OWN("--reorder", read_reorder_ppm, "PERCENT"),
     .help = "packets that have up to 20 us more delay"},
    {TL_OWN("--marks", read_mark_ppm, "PERCENT"), .help = "segments that are marked (ECN CE)"},
    {TL_OWN("--trim", read_trim_ppm, "PERCENT"),
     .help = "segments whose payload is cut off (for ndp)"},
    {TL_OWN("--reply-loss", read_reply_loss_ppm, "PERCENT"), .help = "feedback that is lost"},
    {TL_TIME("--delay", delay_ns), .given_at = offsetof(struct tl_logic_command, delay_given),
     .help = "of each way, at most 1s (default 2us where the network is not drawn)"},
    {TL_FLAG("--quiet", quiet), .help = "print no line for each transfer"},
};
static const struct tl_options options = {"logic", option_list,
                                          sizeof option_list / sizeof *option_list};

static int act(struct tl_logic_command *c)
{
    static const char *const actions[] = {"list", "run", "lab", "check", "engine", "tap"};
    const char *action = c->words.count > 0 ? c->words.list[0] : NULL;

    if (action == NULL)
        return tl_verb_wrong(
            options.verb,
            "no action given; expected 'list', 'run', 'lab', 'check', 'engine' or 'tap'");
    if (c->bytes > bytes_max || c->time_ns > time_max_ns || c->delay_ns > delay_max_ns)
        return tl_verb_wrong(options.verb, "--time is at most 10s, --delay at most 1s");
    if (strcmp(action, "list") == 0 && c->words.count == 1)
        return tl_logic_list();
    if (strcmp(action, "run") == 0)
        return c->judge ? tl_logic_run_judged(c) : tl_logic_run(c, NULL);
    if (strcmp(action, "lab") == 0)
        return tl_logic_lab(c);
    if (strcmp(action, "engine") == 0)
        return c->judge ? tl_logic_engine_judged(c) : tl_logic_engine(c, NULL);
    return tl_verb_wrong(
        options.verb,
        "no action '%.40s'%s; expected 'list', 'run', 'lab', 'check', 'engine' or 'tap'",
        c->words.count > 1 && strcmp(action, "list") == 0 ? c->words.list[1] : action,
        fal_hint(fal_nearest(action, actions, 6), "").text);
}

int tl_cmd_logic(int argc, char **argv)
{
    struct tl_logic_command c = {.seed = 1,
                                 .count = 1,
                                 .flows = 8,
                                 .time_ns = UINT64_C(20000000),
                                 .rate_bps = UINT64_C(40000000000),
                                 .timeout = ANSWER_S,
                                 .delay_ns = 2000,
                                 .net = {.jitter_ns = 20000}};
    int status;

    if (argc > 1 && strcmp(argv[1], "check") == 0)
        return tl_logic_check(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "tap") == 0)
        return tl_logic_tap(argc - 1, argv + 1);
    status = tl_verb_read(&options, tl_usage_logic, argc, argv, &c);

    if (status == TL_VERB_GO)
        status = act(&c);
    tl_options_free(&options, &c);
    return status;
}
